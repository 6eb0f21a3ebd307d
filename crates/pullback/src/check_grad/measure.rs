//! The measurements at one point.

use super::numbers::{count, draw, moved, pair, pair_all, parts, size, tensor};
use super::turns::turns;
use super::{Derivative, Finding, Kind, Kink, Report};
use crate::error::Error;
use pullback_base::rng::CounterRng;
use pullback_eval::{Device, Executable, Tensor};
use pullback_ir::{DType, Program};

/// Most elements tried one by one to find where a derivative is wrong.
const MAX_ELEMENTS: usize = 64;
/// Derivatives smaller than this times the function's values are held against the values.
const FLOOR: f64 = 1e-6;

/// How much more than the rounding of a value a derivative may be off.
const ROUNDINGS: f64 = 32.0;
/// Distance of the points, in f64, between which a function's values differ by their rounding only.
const NEAR: f64 = 1e-10;
/// How many such points there are on each side; values of few digits often agree by chance.
const NEIGHBOURS: i32 = 8;

/// What a floating-point type allows.
#[derive(Clone, Copy)]
struct Precision {
    pairing: f64,
    differences: f64,
    /// The largest step; 0 where differences say nothing.
    step: f64,
    /// How many steps are tried, each a sixteenth of the one before.
    steps: u32,
    epsilon: f64,
}

fn precision(dtype: DType) -> Precision {
    if dtype == DType::F64 {
        Precision { pairing: 1e-9, differences: 1e-5, step: 1e-4, steps: 3, epsilon: f64::EPSILON }
    } else if dtype == DType::F32 {
        Precision { pairing: 1e-3, differences: 2e-2, step: 2e-2, steps: 1, epsilon: f32::EPSILON.into() }
    } else {
        Precision { pairing: 5e-2, differences: 0.0, step: 0.0, steps: 0, epsilon: 1.0 }
    }
}

/// Whether an error is too large; one that is no number is.
fn beyond(error: f64, tolerance: f64) -> bool {
    error.is_nan() || error > tolerance
}

/// A program ready to run.
struct Runner {
    program: Program,
    executable: Box<dyn Executable>,
}

impl Runner {
    fn new(program: &Program, device: &dyn Device) -> Result<Self, Error> {
        Ok(Self { program: program.clone(), executable: device.compile(program)? })
    }

    fn run(&mut self, args: &[Tensor]) -> Result<Vec<Tensor>, Error> {
        let types = self.program.results().iter().map(|&v| self.program.ty(v).clone());
        let mut results = types.map(Tensor::try_zeros).collect::<Result<Vec<_>, _>>()?;
        let args: Vec<&[u8]> = args.iter().map(Tensor::bytes).collect();
        let mut bytes: Vec<&mut [u8]> = results.iter_mut().map(Tensor::bytes_mut).collect();
        self.executable.run(&args, &mut bytes)?;
        Ok(results)
    }
}

/// A derivative at a point.
pub struct At<'d> {
    derivative: &'d Derivative,
    function: Runner,
    /// Gives the function's arguments from those drawn.
    feed: Option<Runner>,
    forward: Option<Runner>,
    reverse: Runner,
    /// Counts the turns of the loops of these names.
    turns: Option<(Runner, Vec<String>)>,
    /// Results with tangents.
    moving: Vec<usize>,
    /// Of this point.
    pub seed: u64,
}

/// One direction at one point.
struct Along<'a> {
    args: &'a [Tensor],
    weights: &'a [Tensor],
    index: usize,
    direction: &'a Tensor,
}

/// The function's value at a point.
#[derive(Clone, Copy)]
struct Here {
    value: f64,
    /// The size of its terms.
    terms: f64,
    /// What rounding alone may make of it.
    rounding: f64,
}

impl<'d> At<'d> {
    pub fn new(derivative: &'d Derivative, device: &dyn Device) -> Result<Self, Error> {
        let p = &derivative.program;
        let moving =
            (0..p.results().len()).filter(|&i| p.ty(p.results()[i]).dtype().is_differentiable()).collect();
        let turns = match derivative.loop_bound {
            Some(_) => {
                turns(p)?.map(|(p, names)| Ok::<_, Error>((Runner::new(&p, device)?, names))).transpose()?
            }
            None => None,
        };
        Ok(Self {
            derivative,
            function: Runner::new(p, device)?,
            feed: derivative.feed.as_ref().map(|p| Runner::new(p, device)).transpose()?,
            forward: derivative.jvp.as_ref().map(|p| Runner::new(p, device)).transpose()?,
            reverse: Runner::new(&derivative.vjp, device)?,
            turns,
            moving,
            seed: 0,
        })
    }

    fn rng(&self, what: &str) -> CounterRng {
        CounterRng::new(self.seed, what)
    }

    /// Tests at one point.
    pub fn point(
        &mut self,
        given: Option<&[Tensor]>,
        shapes: &str,
        pairing_only: bool,
        report: &mut Report,
    ) -> Result<(), Error> {
        let Some(args) = self.arguments(given)? else {
            let why = "the function has no finite value there; give a point with --inputs";
            report.skipped.push(format!("seed {}{shapes}: {why}", self.seed));
            return Ok(());
        };
        let weights: Vec<Tensor> = self
            .types(&self.moving)
            .iter()
            .enumerate()
            .map(|(i, ty)| draw(ty, self.rng(&format!("w{i}")), (-1.0, 1.0)))
            .collect();
        let out = self.reverse.run(&[&args[..], &weights].concat())?;
        let cotangents = &out[out.len() - self.derivative.wrt.len()..];
        if let (true, Some(why)) = (cotangents.iter().any(has_nan), self.exceeded(&args)?) {
            report.skipped.push(format!("seed {}{shapes}: {why}", self.seed));
            return Ok(());
        }
        report.points += 1;
        for (k, &index) in self.derivative.wrt.iter().enumerate() {
            let scale = size(&args[index]);
            let direction = draw(args[index].ty(), self.rng(&format!("v{index}")), (-scale, scale));
            let along = Along { args: &args, weights: &weights, index, direction: &direction };
            let limits = precision(self.derivative.precision);
            let reverse = pair(&direction, &cotangents[k]);
            let pushed = self.pushed(&along)?;
            let (got, terms) = pushed.unwrap_or(reverse);
            let here = self.here(&along, limits)?;
            let seed = self.seed;
            let finding = |kind, got, want, error| Finding {
                kind,
                argument: index,
                element: None,
                seed,
                shapes: shapes.to_owned(),
                got,
                want,
                error,
            };
            if pushed.is_some() {
                // A derivative that is zero is one up to rounding.
                let floor = (ROUNDINGS * here.rounding / limits.pairing).max(f64::MIN_POSITIVE);
                let error = (got - reverse.0).abs() / terms.max(reverse.1).max(floor);
                record(report, finding(Kind::Pairing, reverse.0, got, error), limits.pairing);
            }
            if pairing_only || limits.step == 0.0 {
                continue;
            }
            let measured = self.difference(&along, here, (got, terms), limits)?;
            let mut f = finding(Kind::Differences, got, measured.slope, measured.error);
            if let Some(slopes) = measured.kink {
                report.kinks.push(Kink { argument: index, seed: self.seed, slopes, got });
                if between(got, slopes, limits.differences) {
                    report.comparisons += 1;
                    continue;
                }
            }
            if beyond(f.error, limits.differences) {
                f.element = self.element(&along, here, &cotangents[k], limits)?;
            }
            record(report, f, limits.differences);
        }
        Ok(())
    }

    fn types(&self, results: &[usize]) -> Vec<pullback_ir::TensorType> {
        let p = &self.derivative.program;
        results.iter().map(|&i| p.ty(p.results()[i]).clone()).collect()
    }

    /// A point with finite values. Arguments are drawn, or given, for what feeds the function.
    fn arguments(&mut self, given: Option<&[Tensor]>) -> Result<Option<Vec<Tensor>>, Error> {
        let p = self.derivative.feed.as_ref().unwrap_or(&self.derivative.program);
        let types: Vec<_> = p.args().iter().map(|&a| p.ty(a).clone()).collect();
        let ranges = [(-1.0, 1.0), (0.25, 1.25)];
        for range in ranges {
            let args: Vec<Tensor> = match given {
                Some(given) => given.iter().zip(&types).map(|(t, ty)| in_type(t, ty)).collect(),
                None => types
                    .iter()
                    .enumerate()
                    .map(|(i, ty)| draw(ty, self.rng(&format!("x{i}")), range))
                    .collect(),
            };
            let args = match &mut self.feed {
                Some(feed) => feed.run(&args)?,
                None => args,
            };
            let out = self.function.run(&args)?;
            if self.moving.iter().all(|&i| parts(&out[i]).iter().all(|v| v.is_finite())) {
                return Ok(Some(args));
            }
        }
        Ok(None)
    }

    /// <J v, w> by forward mode, and the size of its terms; `None` where there is no forward mode.
    fn pushed(&mut self, along: &Along<'_>) -> Result<Option<(f64, f64)>, Error> {
        let Some(forward) = &mut self.forward else { return Ok(None) };
        let mut args = along.args.to_vec();
        for &i in &self.derivative.wrt {
            let zero = || Tensor::zeros(along.args[i].ty().clone());
            args.push(if i == along.index { along.direction.clone() } else { zero() });
        }
        let out = forward.run(&args)?;
        Ok(Some(pair_all(&out[out.len() - self.moving.len()..], along.weights)))
    }

    /// <f, w> at a distance along the direction, and the size of its terms.
    fn value(&mut self, along: &Along<'_>, h: f64) -> Result<(f64, f64), Error> {
        let mut args = along.args.to_vec();
        args[along.index] = moved(&along.args[along.index], along.direction, h);
        let out = self.function.run(&args)?;
        let moving: Vec<Tensor> = self.moving.iter().map(|&i| out[i].clone()).collect();
        Ok(pair_all(&moving, along.weights))
    }

    /// The function's value at the point, and what rounding makes of it: the noise in its fourth differences (Moré and
    /// Wild, Estimating computational noise, 2011), or of its own terms where that is more.
    fn here(&mut self, along: &Along<'_>, limits: Precision) -> Result<Here, Error> {
        let (value, terms) = self.value(along, 0.0)?;
        if limits.step == 0.0 {
            return Ok(Here { value, terms, rounding: 0.0 });
        }
        let mut noise = 0.0_f64;
        if self.derivative.precision == DType::F64 {
            let mut near = Vec::new();
            for k in -NEIGHBOURS..=NEIGHBOURS {
                near.push(self.value(along, f64::from(k) * NEAR)?.0);
            }
            // The squares of 1, -4, 6, -4, 1 sum to 70.
            let fourths = near.windows(5).map(|v| v[0] - 4.0 * v[1] + 6.0 * v[2] - 4.0 * v[3] + v[4]);
            noise = fourths.fold(0.0_f64, |most, d| most.max(d.abs())) / 70.0_f64.sqrt();
        }
        let noise = if noise.is_finite() { noise } else { 0.0 };
        Ok(Here { value, terms, rounding: (limits.epsilon * terms).max(noise) })
    }

    /// Which loop takes more turns than its bound at a point, in words.
    fn exceeded(&mut self, args: &[Tensor]) -> Result<Option<String>, Error> {
        let (Some((counting, names)), Some(bound)) = (&mut self.turns, self.derivative.loop_bound) else {
            return Ok(None);
        };
        let counts = counting.run(args)?;
        let worst = counts.iter().map(|t| t.to_f64s()[0]).zip(names).find(|&(n, _)| n > bound as f64);
        Ok(worst.map(|(n, name)| {
            format!(
                "the loop that defines {name} takes {n} turns there, more than the {bound} of --loop-bound (loop_bound), so its \
                 gradient is NaN; give a larger one"
            )
        }))
    }

    /// The slope by central differences, extrapolated; smaller steps where it does not agree with the derivative.
    fn difference(
        &mut self,
        along: &Along<'_>,
        here: Here,
        (got, terms): (f64, f64),
        limits: Precision,
    ) -> Result<Measured, Error> {
        // What rounding alone makes of a slope is no error.
        let rounding = ROUNDINGS * here.rounding / (limits.step * limits.differences);
        let floor = (FLOOR * here.terms).max(rounding).max(f64::MIN_POSITIVE);
        let mut best = Measured { slope: f64::NAN, error: f64::INFINITY, kink: None };
        let mut h = limits.step;
        for _ in 0..limits.steps {
            let (wide, narrow) = (self.sides(along, here.value, h)?, self.sides(along, here.value, h / 2.0)?);
            let slope = (2.0 * (narrow.0 + narrow.1) - 0.5 * (wide.0 + wide.1)) / 3.0;
            let error = (slope - got).abs() / terms.max(slope.abs()).max(floor);
            if best.slope.is_nan() || error < best.error {
                best.slope = slope;
                best.error = if error.is_nan() { f64::INFINITY } else { error };
            }
            if best.error <= limits.differences {
                break;
            }
            h /= 16.0;
        }
        best.kink = self.kink(along, here, terms.max(floor), limits)?;
        Ok(best)
    }

    /// Slopes on the side of less and of more.
    fn sides(&mut self, along: &Along<'_>, here: f64, h: f64) -> Result<(f64, f64), Error> {
        let (up, down) = (self.value(along, h)?.0, self.value(along, -h)?.0);
        Ok(((here - down) / h, (up - here) / h))
    }

    /// One-sided slopes that disagree however small the step: of a smooth function the gap shrinks with the step.
    fn kink(
        &mut self,
        along: &Along<'_>,
        here: Here,
        terms: f64,
        limits: Precision,
    ) -> Result<Option<(f64, f64)>, Error> {
        let h = limits.step / 64.0;
        let (wide, narrow) = (self.sides(along, here.value, h)?, self.sides(along, here.value, h / 4.0)?);
        let (wide_gap, gap) = ((wide.1 - wide.0).abs(), (narrow.1 - narrow.0).abs());
        let scale = terms.max(narrow.0.abs()).max(narrow.1.abs());
        let noise = 400.0 * here.rounding / h;
        Ok((gap > (3.0 * limits.differences * scale).max(noise) && gap > 0.5 * wide_gap).then_some(narrow))
    }

    /// The element of the argument where the derivative differs most from differences.
    fn element(
        &mut self,
        along: &Along<'_>,
        here: Here,
        cotangent: &Tensor,
        limits: Precision,
    ) -> Result<Option<usize>, Error> {
        let ty = along.args[along.index].ty().clone();
        let n = count(&ty);
        if n > MAX_ELEMENTS {
            return Ok(None);
        }
        let per_element = n / ty.count().max(1);
        let mut worst = (0.0, None);
        for i in 0..n {
            let mut unit = vec![0.0; n];
            unit[i] = 1.0;
            let direction = tensor(&ty, &unit);
            let along = Along { direction: &direction, ..*along };
            let got = pair(&direction, cotangent).0;
            let measured = self.difference(&along, here, (got, got.abs()), limits)?;
            let off = (measured.slope - got).abs();
            if beyond(off, worst.0) {
                worst = (off, Some(i / per_element));
            }
        }
        Ok(worst.1)
    }
}

/// A slope by differences, its distance from the derivative, and one-sided slopes where they disagree.
struct Measured {
    slope: f64,
    error: f64,
    kink: Option<(f64, f64)>,
}

fn has_nan(t: &Tensor) -> bool {
    parts(t).iter().any(|v| v.is_nan())
}

/// Whether a derivative is one of a kink's.
fn between(got: f64, (a, b): (f64, f64), tolerance: f64) -> bool {
    let slack = tolerance * a.abs().max(b.abs());
    got >= a.min(b) - slack && got <= a.max(b) + slack
}

fn record(report: &mut Report, finding: Finding, tolerance: f64) {
    report.comparisons += 1;
    if beyond(finding.error, tolerance) {
        report.failures.push(finding.clone());
    }
    report.note(finding);
}

/// The tensor with its elements in another type.
fn in_type(t: &Tensor, ty: &pullback_ir::TensorType) -> Tensor {
    match t.dtype() == ty.dtype() {
        true => t.clone(),
        false => tensor(ty, &parts(t)),
    }
}
