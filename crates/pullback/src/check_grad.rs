//! Testing a derivative: the pairing <J v, w> = <v, J* w> of forward and reverse mode, and central differences.
//!
//! Both at random points along random directions, one argument at a time, in f64 where the program can be cast to it.
//! Pairing holds the transposes against the tangent rules; differences hold those against the function. Where one-sided
//! differences disagree however small the step, the point is a kink: the derivative must lie between the two slopes,
//! and that is said. Complex numbers are paired without conjugation, the real part counts.

mod marked;
mod measure;
mod numbers;
mod turns;

pub use marked::{Marked, check_marked};

use crate::error::Error;
use measure::At;
use pullback_autodiff as ad;
use pullback_eval::{Device, Tensor};
use pullback_ir::pass::cast_floats;
use pullback_ir::{DType, Program};

/// A function with its derivative in both directions.
#[derive(Clone, Debug)]
pub struct Derivative {
    /// The function.
    pub program: Program,
    /// Arguments it is differentiated with respect to.
    pub wrt: Vec<usize>,
    /// As `pullback_autodiff::jvp` gives it; `None` where a rule on the way is known in reverse only.
    pub jvp: Option<Program>,
    /// As `pullback_autodiff::vjp` gives it.
    pub vjp: Program,
    /// The floating-point type it is computed in.
    pub precision: DType,
    /// Turns of a loop of unknown length beyond which the derivative is NaN, where that was stated.
    pub loop_bound: Option<u64>,
    /// What gives the function's arguments from those that are drawn; `None` where they are drawn themselves.
    pub feed: Option<Program>,
}

impl Derivative {
    /// The derivative by our rules, of the function cast to f64 where that is possible. Errors are those of the
    /// differentiation; that forward mode is not defined is none.
    pub fn of(program: &Program, wrt: &[usize], options: &ad::Options) -> Result<Self, Error> {
        // Before the cast, so that messages name the types as written.
        ad::linearize_with(program, wrt, options)?;
        let (program, precision) = widened(program);
        let jvp = match ad::jvp(&program, wrt) {
            Ok(jvp) => Some(jvp),
            Err(ad::AdError::ReverseOnly { .. }) => None,
            Err(e) => return Err(e.into()),
        };
        let vjp = ad::vjp_with(&program, wrt, options)?;
        Ok(Self {
            program,
            wrt: wrt.to_vec(),
            jvp,
            vjp,
            precision,
            loop_bound: options.loop_bound,
            feed: None,
        })
    }
}

/// The program in f64 with that type; where it cannot be cast the program itself with its narrowest one.
fn widened(program: &Program) -> (Program, DType) {
    let mut wide = program.clone();
    for from in floats(program).into_iter().filter(|&d| d != DType::F64) {
        match cast_floats(&wide, from, DType::F64) {
            Ok(cast) => wide = cast,
            Err(_) => {
                let narrowest = floats(program).into_iter().min_by_key(|d| d.bits());
                return (program.clone(), narrowest.unwrap_or(DType::F32));
            }
        }
    }
    (wide, DType::F64)
}

/// Floating-point types of a program's values, those of complex parts among them.
fn floats(program: &Program) -> Vec<DType> {
    let mut found: Vec<DType> = program.value_ids().map(|v| program.ty(v).dtype().part()).collect();
    found.retain(|d| d.is_float());
    found.sort();
    found.dedup();
    found
}

/// How to test.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    /// Of the random numbers; point k uses `seed + k`.
    pub seed: u64,
    /// How many points.
    pub points: u32,
    /// Leave central differences out: for surrogate gradients, which differ from them by design.
    pub pairing_only: bool,
}

/// What was measured.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Kind {
    /// Forward against reverse mode.
    Pairing,
    /// Forward mode, or reverse mode where there is no other, against central differences.
    Differences,
}

impl Kind {
    /// For messages.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Pairing => "pairing",
            Kind::Differences => "differences",
        }
    }
}

/// One comparison.
#[derive(Clone, PartialEq, Debug)]
pub struct Finding {
    /// What was compared.
    pub kind: Kind,
    /// Position of the argument along which.
    pub argument: usize,
    /// Element of it where the two differ most, where that was looked for.
    pub element: Option<usize>,
    /// Seed of the point.
    pub seed: u64,
    /// Shapes of the program, where they were chosen.
    pub shapes: String,
    /// The derivative along the direction.
    pub got: f64,
    /// What it should be.
    pub want: f64,
    /// Their difference, relative to the size of the terms they are sums of.
    pub error: f64,
}

/// A point where the function has no derivative along a direction.
#[derive(Clone, PartialEq, Debug)]
pub struct Kink {
    /// Position of the argument.
    pub argument: usize,
    /// Seed of the point.
    pub seed: u64,
    /// Slopes on the side of less and of more.
    pub slopes: (f64, f64),
    /// The derivative taken.
    pub got: f64,
}

/// What a test found.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Report {
    /// Points at which something was compared.
    pub points: u32,
    /// Comparisons made.
    pub comparisons: u32,
    /// The largest error of each kind.
    pub worst: Vec<Finding>,
    /// Errors beyond the tolerance.
    pub failures: Vec<Finding>,
    /// Marks on the way with derivatives of their own.
    pub marks: Vec<Marked>,
    /// Differences from the function that its marks ask for.
    pub surrogate: Vec<Finding>,
    /// Kinks met, the derivative between the slopes.
    pub kinks: Vec<Kink>,
    /// Points that say nothing, and why.
    pub skipped: Vec<String>,
    /// Element types computed in.
    pub precisions: Vec<DType>,
}

impl Report {
    /// Whether something was compared and nothing failed.
    pub fn passed(&self) -> bool {
        self.points > 0 && self.comparisons > 0 && self.failures.is_empty()
    }

    /// The largest relative error.
    pub fn worst_error(&self) -> f64 {
        self.worst.iter().fold(0.0, |m, f| f.error.max(m))
    }

    /// Whether a mark says another derivative than the function's.
    pub fn is_surrogate(&self) -> bool {
        self.marks.iter().any(|m| m.differs)
    }

    /// The level of assurance as one word: tested, surrogate, wrong or untested.
    pub fn grade(&self) -> &'static str {
        match (self.passed(), self.failures.is_empty()) {
            (true, _) if self.is_surrogate() => "surrogate",
            (true, _) => "tested",
            (false, true) => "untested",
            (false, false) => "wrong",
        }
    }

    /// The level of assurance in words.
    pub fn level(&self) -> String {
        let what = format!("{} points, worst relative error {:.1e}", self.points, self.worst_error());
        let reverse = if self.marks.iter().any(|m| m.reverse_only) { " in reverse" } else { "" };
        match self.grade() {
            "tested" => format!("tested{reverse}: {what}"),
            "surrogate" => format!("tested around declared surrogates: {what}"),
            "untested" => "untested: no point could be used".to_owned(),
            _ => format!("wrong: {} of {} comparisons failed; {what}", self.failures.len(), self.comparisons),
        }
    }

    /// Puts another report after this one.
    pub fn append(&mut self, other: Report) {
        self.points += other.points;
        self.comparisons += other.comparisons;
        self.failures.extend(other.failures);
        self.surrogate.extend(other.surrogate);
        other.marks.into_iter().for_each(|m| m.put_into(&mut self.marks));
        self.kinks.extend(other.kinks);
        self.skipped.extend(other.skipped);
        self.precisions.extend(other.precisions);
        self.precisions.sort();
        self.precisions.dedup();
        other.worst.into_iter().for_each(|f| self.note(f));
    }

    fn note(&mut self, finding: Finding) {
        match self.worst.iter_mut().find(|f| f.kind == finding.kind) {
            Some(worst) if finding.error > worst.error || finding.error.is_nan() => *worst = finding,
            Some(_) => {}
            None => self.worst.push(finding),
        }
    }
}

/// Tests a derivative. `given` are arguments of the program before its cast; without them points are random: floats in
/// [-1, 1), or in [0.25, 1.25) where that gives no finite value, whole numbers 0 or 1. `shapes` says which shapes the
/// program has, for the findings.
pub fn check(
    derivative: &Derivative,
    given: Option<&[Tensor]>,
    shapes: &str,
    settings: Settings,
    device: &dyn Device,
) -> Result<Report, Error> {
    let mut at = At::new(derivative, device)?;
    let mut report = Report { precisions: vec![derivative.precision], ..Report::default() };
    for k in 0..u64::from(settings.points) {
        at.seed = settings.seed.wrapping_add(k);
        at.point(given, shapes, settings.pairing_only, &mut report)?;
    }
    Ok(report)
}
