//! Counting: floating-point work, bytes touched, ops by name, memory live at once.
//!
//! Counts are of the program as written, exact where StableHLO's semantics fix the number of terms (a
//! convolution's padding is not counted). They say nothing of caches, fusion or clocks. Sums saturate.

use crate::dtype::TensorType;
use crate::loops::counted;
use crate::op::{ConvDims, DotDims, Lapack, Linalg, Op, WindowDims};
use crate::program::{InstrId, Program, Value, ValueDef};
use pullback_base::IdMap;
use std::collections::BTreeMap;

/// What a program or an instruction costs.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Cost {
    /// Arithmetic operations, a multiply-add being two.
    pub flops: u64,
    /// Bytes of all operands and results.
    pub bytes: u64,
}

/// Largest sum of live tensors, in bytes, under program order; a value is freed after its last use.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct PeakLive {
    /// With every argument held from beginning to end.
    pub args_held: u64,
    /// With every argument freed after its last use (at the beginning where it has none).
    pub args_freed: u64,
}

/// Arithmetic operations of one op: elementwise 1 an element, reductions and combining scatters 1 an element
/// combined, a multiply-add 2, moving data and sorting 0; a loop is one turn of it here
/// ([`instr_cost`] counts its turns where they are known).
///
/// ```
/// use pullback_ir::{DType, DotDims, Op, TensorType, count::flops};
/// let (a, b) = (TensorType::new(DType::F32, [4, 32]), TensorType::new(DType::F32, [32, 8]));
/// let dims = DotDims { lhs_contract: vec![1], rhs_contract: vec![0], ..DotDims::default() };
/// let y = TensorType::new(DType::F32, [4, 8]);
/// assert_eq!(flops(&Op::DotGeneral(dims), &[&a, &b], &[&y]), 2 * 4 * 32 * 8);
/// ```
pub fn flops(op: &Op, operands: &[&TensorType], results: &[&TensorType]) -> u64 {
    let count = |ty: Option<&&TensorType>| ty.map_or(0, |ty| ty.count() as u64);
    match op {
        Op::Unary(_)
        | Op::Binary(_)
        | Op::Compare { .. }
        | Op::Select
        | Op::Clamp
        | Op::Convert { .. }
        | Op::ReducePrecision { .. } => count(results.first()),
        Op::ReduceWindow { window, .. } => window_flops(window, count(results.first())),
        Op::SelectAndScatter { window, .. } => window_flops(window, count(operands.get(1))),
        // A loop counts as one turn, a choice as its dearest branch.
        Op::While { cond, body } => program_cost(cond).flops.saturating_add(program_cost(body).flops),
        Op::Case { branches } => branches.iter().map(|b| program_cost(b).flops).max().unwrap_or(0),
        Op::Composite(c) => program_cost(&c.body).flops,
        Op::Custom(c) => c.flops,
        Op::Reduce { .. } => count(operands.first()),
        // 5 n log2 n for transforms of n complex elements (Cooley and Tukey), matrices by their leading term.
        Op::Fft { lengths, .. } => {
            let n: u64 = lengths.iter().fold(1, |n, &l| n.saturating_mul(l as u64));
            let elements = count(operands.first()).max(count(results.first()));
            elements.saturating_mul(5 * u64::from(n.max(2).ilog2()))
        }
        Op::Linalg(l) => linalg_flops(l, operands, results),
        // About twenty rounds of three operations for each word.
        Op::RngBitGenerator { .. } => count(results.get(1)).saturating_mul(60),
        Op::Scatter { combiner: Some(_), .. } => count(operands.get(2)),
        Op::DotGeneral(d) => dot_flops(d, operands, count(results.first())),
        Op::Convolution(c) => match (operands, results) {
            (&[x, k], &[y]) => convolution_flops(c, x, k, y),
            _ => 0,
        },
        Op::Constant(_)
        | Op::Iota { .. }
        | Op::BroadcastInDim { .. }
        | Op::Reshape { .. }
        | Op::Transpose { .. }
        | Op::Slice { .. }
        | Op::Concatenate { .. }
        | Op::Pad { .. }
        | Op::Reverse { .. }
        | Op::Gather(_)
        | Op::Scatter { combiner: None, .. }
        | Op::DynamicSlice { .. }
        | Op::DynamicUpdateSlice
        | Op::BitcastConvert { .. }
        | Op::Argsort { .. }
        | Op::Communicate(_) => 0,
    }
}

/// The leading term for square matrices of n rows, times n^3; substitution and reflectors by their operands (Golub
/// and Van Loan, "Matrix Computations").
fn lapack_flops(op: Lapack, a: &TensorType, operands: &[&TensorType]) -> u64 {
    let size = |ty: &TensorType| ty.shape().last().copied().unwrap_or(0) as u64;
    let thirds = match op {
        Lapack::Geqrf | Lapack::Geqp3 | Lapack::Orgqr | Lapack::Sytrd { .. } => 4,
        Lapack::Getrf => 2,
        Lapack::Potrf { .. } => 1,
        Lapack::Syevd { .. } => 27,
        Lapack::Gesdd { .. } => 63,
        Lapack::Geev { .. } | Lapack::Gees { .. } => 75,
        Lapack::Gehrd { .. } => 10,
        Lapack::Ormqr { .. } => {
            let (tau, c) = (operands.get(1), operands.get(2));
            let k = tau.map_or(0, |t| size(t));
            return c.map_or(0, |c| (c.count() as u64).saturating_mul(4 * k));
        }
        Lapack::Gtsv | Lapack::TridiagonalSolvePerturbed => {
            return operands.last().map_or(0, |x| (x.count() as u64).saturating_mul(8));
        }
    };
    (a.count() as u64).saturating_mul(size(a)).saturating_mul(thirds) / 3
}

/// n^3 / 3 for a factorisation of a matrix, n^2 for a right-hand side.
fn linalg_flops(op: &Linalg, operands: &[&TensorType], results: &[&TensorType]) -> u64 {
    let size = |ty: &TensorType| ty.shape().last().copied().unwrap_or(0) as u64;
    let Some(a) = operands.first() else { return 0 };
    match op {
        Linalg::Cholesky { .. } => (a.count() as u64).saturating_mul(size(a)) / 3,
        Linalg::TriangularSolve { .. } => {
            results.first().map_or(0, |x| (x.count() as u64).saturating_mul(size(a)))
        }
        Linalg::Lapack(l) => lapack_flops(*l, a, operands),
    }
}

/// One for each position of each window, padding counted.
fn window_flops(window: &WindowDims, windows: u64) -> u64 {
    window.sizes.iter().fold(windows, |n, &size| n.saturating_mul(size as u64))
}

fn dot_flops(d: &DotDims, operands: &[&TensorType], results: u64) -> u64 {
    let Some(lhs) = operands.first() else { return 0 };
    let terms = d.lhs_contract.iter().map(|&i| lhs.shape()[i] as u64);
    terms.fold(results.saturating_mul(2), u64::saturating_mul)
}

/// Two for each product of an input element and a kernel element that is in the result.
fn convolution_flops(c: &ConvDims, x: &TensorType, k: &TensorType, y: &TensorType) -> u64 {
    let features = k.shape()[c.kernel_input_feature] as u64;
    let outer = [y.shape()[c.output_batch] as u64, y.shape()[c.output_feature] as u64, features];
    let taps = (0..c.strides.len()).map(|d| valid_taps(c, d, x, k, y));
    outer.into_iter().chain(taps).fold(2, u64::saturating_mul)
}

/// Pairs of an output position and a kernel position along spatial dimension `d` that meet an input element, not
/// padding and not a hole of dilation.
fn valid_taps(c: &ConvDims, d: usize, x: &TensorType, k: &TensorType, y: &TensorType) -> u64 {
    let input = x.shape()[c.input_spatial[d]] as i128;
    let window = k.shape()[c.kernel_spatial[d]] as i128;
    let output = y.shape()[c.output_spatial[d]] as i128;
    let (stride, dilation) = (c.strides[d] as i128, c.rhs_dilation[d] as i128);
    let (hole, low) = (c.lhs_dilation[d] as i128, i128::from(c.padding[d].0));
    if input == 0 {
        return 0;
    }
    // Input position of (o, k): o * stride + k * dilation - low. Loop over the smaller of the two.
    let (outer, outer_step, inner, inner_step) = if window <= output {
        (window, dilation, output, stride)
    } else {
        (output, stride, window, dilation)
    };
    const MAX_LOOP: i128 = 1 << 16;
    if outer > MAX_LOOP || hole > 1 << 62 {
        // Beyond any convolution in use: the number with padding and holes counted.
        return u64::try_from(outer.saturating_mul(inner)).unwrap_or(u64::MAX);
    }
    let last = (input - 1) * hole;
    let total = (0..outer).fold(0i128, |total, o| {
        let base = o * outer_step - low;
        // 0 <= base + i * inner_step <= last, 0 <= i < inner.
        let from = (-base).max(0).div_euclid(inner_step) + i128::from((-base).max(0) % inner_step != 0);
        let to = (last - base).div_euclid(inner_step).min(inner - 1);
        total + multiples(base, inner_step, hole, from, to)
    });
    u64::try_from(total).unwrap_or(u64::MAX)
}

/// How many i in [from, to] make base + i * step a multiple of `modulus`.
fn multiples(base: i128, step: i128, modulus: i128, from: i128, to: i128) -> i128 {
    if to < from {
        return 0;
    }
    // i * step = -base (mod modulus): solvable when the common divisor divides base; then one i in each period.
    let (g, inverse) = gcd_inverse(step.rem_euclid(modulus), modulus);
    if base.rem_euclid(g) != 0 {
        return 0;
    }
    let period = modulus / g;
    let first = ((-base / g).rem_euclid(period) * inverse.rem_euclid(period)).rem_euclid(period);
    let below = |n: i128| (n - first).div_euclid(period);
    below(to) - below(from - 1)
}

/// gcd(a, m) and u with a * u = gcd (mod m); extended Euclid.
fn gcd_inverse(a: i128, m: i128) -> (i128, i128) {
    let (mut r, mut s) = ((m, a), (0, 1));
    while r.1 != 0 {
        let q = r.0 / r.1;
        r = (r.1, r.0 - q * r.1);
        s = (s.1, s.0 - q * s.1);
    }
    (r.0, s.0)
}

/// Bytes of an op's operands (once per position) and results.
pub fn bytes(operands: &[&TensorType], results: &[&TensorType]) -> u64 {
    let sizes = operands.iter().chain(results).map(|ty| ty.bytes() as u64);
    sizes.fold(0, u64::saturating_add)
}

/// What one instruction costs; a loop whose number of turns is known ([`counted`]) that many times its turn.
pub fn instr_cost(program: &Program, id: InstrId) -> Cost {
    let operands = program.operand_types(id);
    let results: Vec<&TensorType> = program.instr(id).results().iter().map(|&r| program.ty(r)).collect();
    let turns = counted(program, id).map_or(1, |c| c.turns);
    let flops = flops(program.instr(id).op(), &operands, &results).saturating_mul(turns);
    Cost { flops, bytes: bytes(&operands, &results) }
}

/// The sum over all instructions.
pub fn program_cost(program: &Program) -> Cost {
    program.instrs().ids().fold(Cost::default(), |sum, id| {
        let c = instr_cost(program, id);
        Cost { flops: sum.flops.saturating_add(c.flops), bytes: sum.bytes.saturating_add(c.bytes) }
    })
}

/// How often each op occurs, by name.
pub fn census(program: &Program) -> BTreeMap<&'static str, usize> {
    let mut census = BTreeMap::new();
    for instr in program.instrs().values() {
        *census.entry(instr.op().name()).or_insert(0) += 1;
    }
    census
}

/// Memory live at once, under program order. An instruction's operands and results are live together; results of
/// the program stay to the end; what nothing reads is freed at once.
pub fn peak_live(program: &Program) -> PeakLive {
    let order: Vec<InstrId> = program.instrs().ids().collect();
    let peak = |hold_args: bool| {
        let during = live_bytes(program, &order, hold_args);
        let at_entry = program.args().iter().fold(0u64, |sum, &v| sum.saturating_add(size(program, v)));
        during.into_iter().fold(at_entry, u64::max)
    };
    PeakLive { args_held: peak(true), args_freed: peak(false) }
}

fn size(program: &Program, v: Value) -> u64 {
    program.ty(v).bytes() as u64
}

/// Bytes live during each step of an order of execution. An instruction may occur again: it defines its results anew,
/// and a value is freed after the last step that reads it before that. The order must define values before they are
/// read; results of the program stay to the end.
pub fn live_bytes(program: &Program, order: &[InstrId], hold_args: bool) -> Vec<u64> {
    // Backwards: who frees what. The last entries are the first to be freed.
    let mut read_later = IdMap::<Value, bool>::filled(program.n_values(), false);
    let mut freed: Vec<(usize, Value)> = Vec::new();
    for &v in program.results() {
        read_later[v] = true;
    }
    for (step, &id) in order.iter().enumerate().rev() {
        let instr = program.instr(id);
        for &r in instr.results() {
            if !std::mem::replace(&mut read_later[r], false) {
                freed.push((step, r));
            }
        }
        for &v in instr.operands() {
            if !std::mem::replace(&mut read_later[v], true) {
                freed.push((step, v));
            }
        }
    }
    let held = |v: Value| hold_args && matches!(program.def(v), ValueDef::Arg(_));
    let mut live: u64 = 0;
    for &v in program.args().iter().filter(|&&v| hold_args || read_later[v]) {
        live = live.saturating_add(size(program, v));
    }
    let mut during = Vec::with_capacity(order.len());
    for (step, &id) in order.iter().enumerate() {
        for &r in program.instr(id).results() {
            live = live.saturating_add(size(program, r));
        }
        during.push(live);
        while let Some((_, v)) = freed.pop_if(|(at, _)| *at == step) {
            if !held(v) {
                live = live.saturating_sub(size(program, v));
            }
        }
    }
    during
}
