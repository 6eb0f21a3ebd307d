//! Derivatives of a loss against JAX's: the gradient, a directional derivative in forward mode, and a product with the
//! Hessian (forward over reverse), as `tools/differential/gradients.py` writes them.
//!
//! What is farther from JAX's than its tolerance is computed once more from the program in f64: as near to that as
//! JAX's is no difference. Where a program rounds to few bits on the way, JAX rounds tangents there too, and so may be
//! off by as much.

use crate::replay::{Data, Record, Verdict, as_near, compare, differs, in_f64, numbers, widened};
use pullback_autodiff::{AdError, Options, jvp, value_and_grad_with};
use pullback_eval::{CpuDevice, ReferenceDevice, Tensor, evaluate};
use pullback_ir::{Builder, DType, DTypeClass, Instr, Op, Program};
use serde::{Deserialize, Serialize};

/// Turns that a loop whose end depends on data may take.
const LOOP_BOUND: u64 = 64;

/// What JAX made of a loss's derivatives.
#[derive(Clone, Serialize, Deserialize)]
pub struct Derivatives {
    /// The operations of the program.
    pub ops: Vec<String>,
    /// The inputs it is differentiated by.
    pub wrt: Vec<usize>,
    /// A direction, one tensor per entry of `wrt`.
    pub tangents: Vec<Data>,
    /// Relative to the largest magnitude.
    pub tolerance: f64,
    /// The loss's derivative in that direction.
    pub slope: Data,
    /// Per entry of `wrt`; absent where JAX has none.
    pub gradients: Option<Vec<Data>>,
    /// The derivative of the gradient in that direction.
    pub curvature: Option<Vec<Data>>,
}

/// Compares them all; how many it took f64 to confirm.
pub fn check(
    record: &Record,
    d: &Derivatives,
    program: &Program,
    inputs: &[Tensor],
) -> Result<usize, Verdict> {
    let read = |data: &[Data]| {
        data.iter().map(Data::tensor).collect::<Result<Vec<_>, _>>().map_err(|e| differs("file", e))
    };
    let tangents = read(&d.tangents)?;
    let slope = d.slope.tensor().map_err(|e| differs("file", e))?;
    let case = Case {
        record,
        d,
        tolerance: d.tolerance.max(4.0 * coarsest(program)),
        program,
        inputs: [inputs, &tangents].concat(),
        wide: in_f64(program),
    };
    let mut doubtful =
        case.judge("slope", std::slice::from_ref(&slope), inputs.len() + d.wrt.len(), &|p| {
            jvp(p, &d.wrt).map(|j| last(&j, 1))
        })?;
    let n = d.wrt.len();
    let gradient =
        |p: &Program| value_and_grad_with(p, &d.wrt, &Options::default().with_loop_bound(LOOP_BOUND));
    if let Some(expected) = &d.gradients {
        doubtful +=
            case.judge("gradient", &read(expected)?, inputs.len(), &|p| gradient(p).map(|g| last(&g, n)))?;
    } else {
        let got = case.run(program, inputs.len(), &|p| gradient(p).map(|g| last(&g, n)))?;
        // JAX has no gradient: the slope is one.
        let total: f64 = got.iter().zip(&tangents).map(|(g, v)| real_product(g, v)).sum();
        let expected = numbers(&slope)[0];
        if (total - expected).abs() > 10.0 * case.tolerance * expected.abs().max(1.0) {
            return Err(case.differ("gradient", &format!("gives the slope {total}, JAX {expected}")));
        }
    }
    if let Some(expected) = &d.curvature {
        doubtful += case.judge("curvature", &read(expected)?, inputs.len() + n, &|p| {
            jvp(&gradient(p)?, &d.wrt).map(|h| last(&h, n))
        })?;
    }
    Ok(doubtful)
}

struct Case<'a> {
    record: &'a Record,
    d: &'a Derivatives,
    tolerance: f64,
    program: &'a Program,
    /// The program's inputs, then the tangents.
    inputs: Vec<Tensor>,
    /// The program in f64, where it can be.
    wide: Option<Program>,
}

type Derive<'f> = &'f dyn Fn(&Program) -> Result<Program, AdError>;

impl Case<'_> {
    /// The derived program's results on the first `n` inputs.
    fn run(&self, program: &Program, n: usize, derive: Derive) -> Result<Vec<Tensor>, Verdict> {
        let derived = derive(program).map_err(|e| Verdict::Rejected(format!("grad: {e}")))?;
        let got = evaluate(&CpuDevice { threads: 1 }, &derived, &self.inputs[..n]);
        got.map_err(|e| self.differ("evaluate", &e.to_string()))
    }

    fn judge(&self, what: &str, expected: &[Tensor], n: usize, derive: Derive) -> Result<usize, Verdict> {
        let got = self.run(self.program, n, derive)?;
        let mut truth = None;
        let mut doubtful = 0;
        for (i, (got, expected)) in got.iter().zip(expected).enumerate() {
            let Err(how) = compare(got, expected, self.tolerance, 0.0) else { continue };
            let truth = truth.get_or_insert_with(|| {
                let wide = self.wide.as_ref()?;
                let derived = derive(wide).ok()?;
                let inputs = widened(&derived, &self.inputs[..n])?;
                evaluate(&ReferenceDevice, &derived, &inputs).ok()
            });
            let near = |t: &Vec<Tensor>| t.get(i).is_some_and(|t| as_near(got, expected, t, self.tolerance));
            if !truth.as_ref().is_some_and(near) {
                return Err(self.differ(what, &format!("of {i}: {how}{}", self.adjudicate())));
            }
            doubtful += 1;
        }
        Ok(doubtful)
    }

    /// What central differences say of the slope.
    fn adjudicate(&self) -> String {
        let central = || {
            let wide = self.wide.as_ref()?;
            let n = self.record.inputs.len();
            let at = |h: f64| {
                let mut inputs = widened(wide, &self.inputs[..n])?;
                for (&i, v) in self.d.wrt.iter().zip(&self.inputs[n..]) {
                    let moved: Vec<f64> =
                        numbers(&inputs[i]).iter().zip(numbers(v)).map(|(x, v)| x + h * v).collect();
                    let bytes: Vec<u8> = moved.iter().flat_map(|x| x.to_le_bytes()).collect();
                    inputs[i] = Tensor::from_bytes(inputs[i].ty().clone(), &bytes).ok()?;
                }
                let loss = evaluate(&ReferenceDevice, wide, &inputs).ok()?;
                numbers(loss.first()?).first().copied()
            };
            Some((at(1e-6)? - at(-1e-6)?) / 2e-6)
        };
        let jax = self.d.slope.tensor().map_or(f64::NAN, |t| numbers(&t)[0]);
        central().map_or(String::new(), |c| format!("; slope by differences {c:.8}, JAX {jax:.8}"))
    }

    fn differ(&self, what: &str, how: &str) -> Verdict {
        differs(what, format!("{how} [{}]", self.d.ops.join(" ")))
    }
}

/// The largest relative error of a rounding that the program asks for: to narrow floats, or by reduce_precision.
fn coarsest(program: &Program) -> f64 {
    let of = |dtype: DType| match dtype {
        DType::F16 => 2f64.powi(-11),
        DType::BF16 => 2f64.powi(-8),
        // Two to four bits, or fewer.
        d if d.is_float() && d.bits() <= 8 => 0.25,
        _ => 0.0,
    };
    let of_instr = |instr: &Instr| {
        let inside = instr.op().regions().into_iter().map(coarsest).fold(0.0, f64::max);
        match instr.op() {
            Op::ReducePrecision { mantissa_bits, .. } => 2f64.powi(-1 - *mantissa_bits as i32),
            Op::Convert { dtype } => of(*dtype),
            _ => inside,
        }
    };
    program.instrs().values().map(of_instr).fold(0.0, f64::max)
}

/// The program with its last `n` results only.
fn last(p: &Program, n: usize) -> Program {
    let mut b = Builder::new(p.name());
    let args: Vec<_> = p.args().iter().map(|&a| b.arg(p.value_name(a), p.ty(a).clone())).collect();
    let results = b.inline(p, &args, None).expect("a valid program goes into an empty one");
    b.finish(&results[results.len() - n..])
}

/// The real part of the sum of products.
fn real_product(g: &Tensor, v: &Tensor) -> f64 {
    let (n, m) = (numbers(g), numbers(v));
    if g.dtype().class() != DTypeClass::Complex {
        return n.iter().zip(&m).map(|(g, v)| g * v).sum();
    }
    n.chunks(2).zip(m.chunks(2)).map(|(g, v)| g[0] * v[0] - g[1] * v[1]).sum()
}
