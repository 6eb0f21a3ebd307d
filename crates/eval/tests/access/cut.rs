//! Cuts of single ops: each part computed from exactly what it needs, and from whole operands; parts put
//! together; what a part does not need disturbed.
//!
//! Cuts of one factor: for up to 4 indices, all into two sets, with empty and scattered ones; for more, four
//! sampled; into three sets, one sampled. Cuts of two factors at once: each pair of factors, sampled sets.

use crate::cases::{self, Case, DTypes};
use crate::util::{Rng, disturb, extract, hull, positions, set};
use crate::{contract, indexing, loops, matrices, windows};
use pullback_base::Id;
use pullback_eval::{Tensor, reference};
use pullback_ir::access::{AccessMap, DimMap, Effect, Factor, FactorId, FactorKind};
use pullback_ir::region::{IntervalSet, Region};
use pullback_ir::restrict::{Instance, Part, localize};
use pullback_ir::{BinaryOp, DType, InstrId, Monoid, Op, Program, TensorType, TypeError, UnaryOp, Value};
use std::collections::BTreeMap;

type Box_ = Vec<IntervalSet>;

/// A case with all that its boxes are judged by.
struct Trial {
    case: Case,
    program: Program,
    access: AccessMap,
    whole: Tensor,
}

impl Trial {
    fn new(case: Case) -> Self {
        let program = case.program();
        let access = AccessMap::of(&case.op, &case.types()).unwrap();
        let whole = reference::eval(&program, &case.inputs).unwrap().remove(0);
        Self { case, program, access, whole }
    }

    fn full_inputs(&self) -> Vec<Region> {
        self.case.inputs.iter().map(|t| Region::full(t.shape())).collect()
    }

    /// What a box needs of each input: the hull of the needs of the operands that are this input.
    fn needs(&self, boxed: &[IntervalSet]) -> Vec<Region> {
        let nothing = |t: &Tensor| Region::new(vec![IntervalSet::empty(); t.ty().rank()]);
        let mut out: Vec<Region> = self.case.inputs.iter().map(nothing).collect();
        for (i, &input) in self.case.operands.iter().enumerate() {
            let needs = self.access.needs(i, boxed);
            out[input] = if needs.dims().is_empty() { needs } else { hull(&out[input], &needs) };
        }
        out
    }

    fn localize(
        &self,
        boxed: &[IntervalSet],
        regions: &[Region],
        written: Region,
    ) -> Result<Program, TypeError> {
        let part = |(&value, region): (&Value, &Region)| Part { value, region: region.clone() };
        let inputs: Vec<Part> = self.program.args().iter().zip(regions).map(part).collect();
        let output = Part { value: self.program.results()[0], region: written };
        let instance = Instance { instr: InstrId::from_index(0), boxed: boxed.to_vec() };
        localize(&self.program, &[instance], &inputs, &[output])
    }

    /// The local result of a box on these parts of the inputs.
    fn local(&self, boxed: &[IntervalSet], regions: &[Region]) -> Tensor {
        let at = || format!("box {boxed:?} on {regions:?} of {}", self.case.label());
        let written = self.access.writes(self.case.result, boxed);
        let program = self.localize(boxed, regions, written).unwrap_or_else(|e| panic!("{e}: {}", at()));
        program.verify().unwrap();
        let args: Vec<Tensor> = self.case.inputs.iter().zip(regions).map(|(t, r)| extract(t, r)).collect();
        reference::eval(&program, &args).unwrap_or_else(|e| panic!("{e}: {}", at())).remove(0)
    }

    /// The boxes of cuts of some factors give the whole result; each box of a factor that gives it alike does.
    fn reassemble(&self, cuts: &[(FactorId, &[IntervalSet])]) {
        let effect = |(f, _): &(FactorId, &[IntervalSet])| self.access.effect(*f, self.case.result);
        let (alike, apart): (Vec<_>, Vec<_>) = cuts.iter().partition(|c| effect(c) == Effect::Alike);
        let monoid = apart.iter().find_map(|c| match effect(c) {
            Effect::Contribution(m) => Some(m),
            Effect::Disjoint | Effect::Alike => None,
        });
        for one in self.boxes(vec![self.access.full_box()], &alike) {
            self.assemble(&self.boxes(vec![one], &apart), monoid);
        }
    }

    fn assemble(&self, boxes: &[Box_], monoid: Option<Monoid>) {
        let mut parts: BTreeMap<Region, Tensor> = BTreeMap::new();
        for boxed in boxes {
            let written = self.access.writes(self.case.result, boxed);
            let part = self.local(boxed, &self.needs(boxed));
            assert_eq!(part.shape(), written.shape(), "{boxed:?} of {}", self.case.label());
            let of_whole = self.local(boxed, &self.full_inputs());
            assert_eq!(part, of_whole, "{boxed:?} of {}", self.case.label());
            let joined = match (parts.remove(&written), monoid) {
                (None, _) => part,
                (Some(old), Some(m)) => {
                    reference::eval_op(&Op::Binary(m.op()), &[&old, &part]).unwrap().remove(0)
                }
                (Some(old), None) => {
                    assert!(written.is_empty(), "{written} twice by {boxes:?} of {}", self.case.label());
                    old
                }
            };
            parts.insert(written, joined);
        }
        let mut times = vec![0; self.whole.count()];
        for (written, part) in &parts {
            let at = positions(self.whole.shape(), written);
            at.iter().for_each(|&p| times[p] += 1);
            assert_eq!(*part, extract(&self.whole, written), "{boxes:?} of {}", self.case.label());
        }
        assert!(times.iter().all(|&t| t == 1), "{times:?} by {boxes:?} of {}", self.case.label());
    }

    fn cuttable(&self) -> Vec<FactorId> {
        let kinds = self.access.factors.iter().enumerate();
        kinds.filter(|(_, f)| f.kind != FactorKind::Blocked).map(|(i, _)| i).collect()
    }

    fn boxes(&self, of: Vec<Box_>, cuts: &[(FactorId, &[IntervalSet])]) -> Vec<Box_> {
        cuts.iter().fold(of, |boxes, (f, sets)| {
            let with = |b: &Box_, s: &IntervalSet| {
                let mut b = b.clone();
                b[*f] = s.clone();
                b
            };
            boxes.iter().flat_map(|b| sets.iter().map(move |s| with(b, s))).collect()
        })
    }

    fn cut(&self, rng: &mut Rng) {
        self.reassemble(&[]);
        let factors = self.cuttable();
        for &f in &factors {
            let n = self.access.factors[f].size;
            for two in in_two(n, rng) {
                self.reassemble(&[(f, &two)]);
            }
            self.reassemble(&[(f, &sampled(n, 3, rng))]);
        }
        for (i, &f) in factors.iter().enumerate() {
            for &g in &factors[i + 1..] {
                let (a, b) = (
                    sampled(self.access.factors[f].size, 2, rng),
                    sampled(self.access.factors[g].size, 2, rng),
                );
                self.reassemble(&[(f, &a), (g, &b)]);
            }
        }
    }

    /// A blocked factor is taken whole or not at all.
    fn refuses_blocked_cuts(&self) -> usize {
        let mut refused = 0;
        for (i, f) in self.access.factors.iter().enumerate() {
            if f.kind == FactorKind::Blocked && f.size > 0 {
                let mut boxed = self.access.full_box();
                boxed[i] = IntervalSet::full(f.size - 1);
                let written = self.access.writes(self.case.result, &boxed);
                let made = self.localize(&boxed, &self.full_inputs(), written);
                assert!(made.is_err(), "{}", self.case.label());
                refused += 1;
            }
        }
        refused
    }

    /// A random box that cuts pass factors only: what it writes are elements of the whole result.
    fn pass_box(&self, rng: &mut Rng) -> Box_ {
        let some = |f: &Factor| match f.kind {
            FactorKind::Pass => sampled(f.size, 2, rng).swap_remove(0),
            FactorKind::Reduced(_) | FactorKind::Blocked => IntervalSet::full(f.size),
        };
        self.access.factors.iter().map(some).collect()
    }

    /// With all that a box does not need changed at will, the op still writes the same there.
    fn needs_suffice(&self, boxed: &[IntervalSet], rng: &mut Rng) {
        let mut inputs = self.case.inputs.clone();
        for (input, needs) in inputs.iter_mut().zip(self.needs(boxed)) {
            let kept = positions(input.shape(), &needs);
            for at in (0..input.count()).filter(|at| !kept.contains(at)) {
                for _ in 0..1 + rng.below(3) {
                    disturb(input, at);
                }
            }
        }
        let written = self.access.writes(self.case.result, boxed);
        let (want, got) = (extract(&self.whole, &written), extract(&self.case.eval(&inputs), &written));
        assert_eq!(want, got, "{boxed:?} of {}", self.case.label());
    }

    /// Where the map says exactly what is read, and the op keeps all of it, each needed element matters to what
    /// the box writes. Gives the number of elements tried.
    fn needs_are_tight(&self, boxed: &[IntervalSet]) -> usize {
        let written = self.access.writes(self.case.result, boxed);
        if !keeps_all(&self.case.op) || written.is_empty() {
            return 0;
        }
        let want = extract(&self.whole, &written);
        let mut tried = 0;
        for (i, maps) in self.access.operands.iter().enumerate() {
            if maps.is_empty() || maps.contains(&DimMap::Whole) {
                continue;
            }
            let input = self.case.operands[i];
            let needs = self.access.needs(i, boxed);
            for at in positions(self.case.inputs[input].shape(), &needs) {
                let mut inputs = self.case.inputs.clone();
                disturb(&mut inputs[input], at);
                let got = extract(&self.case.eval(&inputs), &written);
                assert_ne!(want, got, "element {at} of operand {i}, {boxed:?} of {}", self.case.label());
                tried += 1;
            }
        }
        tried
    }
}

/// Whether each element that the op reads shows in its result, when no element is 0.
fn keeps_all(op: &Op) -> bool {
    match op {
        Op::BroadcastInDim { .. }
        | Op::Reshape { .. }
        | Op::Transpose { .. }
        | Op::Slice { .. }
        | Op::Concatenate { .. }
        | Op::Pad { .. }
        | Op::Reverse { .. }
        | Op::DotGeneral(_)
        | Op::Binary(BinaryOp::Subtract | BinaryOp::Multiply)
        | Op::Reduce { monoid: Monoid::Add, .. } => true,
        Op::Constant(_)
        | Op::Iota { .. }
        | Op::Unary(_)
        | Op::Binary(_)
        | Op::Compare { .. }
        | Op::Select
        | Op::Clamp
        | Op::Convert { .. }
        | Op::Convolution(_)
        | Op::Reduce { .. }
        | Op::Gather(_)
        | Op::Scatter { .. }
        | Op::DynamicSlice { .. }
        | Op::DynamicUpdateSlice
        | Op::BitcastConvert { .. }
        | Op::ReducePrecision { .. }
        | Op::ReduceWindow { .. }
        | Op::SelectAndScatter { .. }
        | Op::Argsort { .. }
        | Op::Fft { .. }
        | Op::Linalg(_)
        | Op::RngBitGenerator { .. }
        | Op::Communicate(_)
        | Op::While { .. }
        | Op::Case { .. }
        | Op::Composite(_)
        | Op::Custom(_) => false,
    }
}

/// Cuts of 0..n in two: all of them for small n, which of the two comes first apart.
fn in_two(n: usize, rng: &mut Rng) -> Vec<Vec<IntervalSet>> {
    if n > 4 {
        let odd = set((1..n).step_by(2));
        let rest = IntervalSet::full(n).difference(&odd);
        let at = 1 + rng.below(n - 1);
        let halves = vec![IntervalSet::interval(at, n), IntervalSet::full(at)];
        return vec![vec![rest, odd], halves, sampled(n, 2, rng), sampled(n, 2, rng)];
    }
    let half = |mask: usize| {
        let one = set((0..n).filter(|i| mask >> i & 1 == 1));
        vec![IntervalSet::full(n).difference(&one), one]
    };
    // Index 0 is in the first set.
    (0..1usize << n).filter(|mask| mask & 1 == 0).map(half).collect()
}

/// A random cut of 0..n into `k` sets.
fn sampled(n: usize, k: usize, rng: &mut Rng) -> Vec<IntervalSet> {
    let owner: Vec<usize> = (0..n).map(|_| rng.below(k)).collect();
    (0..k).map(|part| set((0..n).filter(|&i| owner[i] == part))).collect()
}

/// Runs all checks on the cases; gives how many blocked cuts were refused and how many elements mattered.
fn judge(name: &str, cases: Vec<Case>) -> (usize, usize) {
    let mut rng = Rng::new(name);
    let (mut refused, mut mattered) = (0, 0);
    for case in cases {
        let trial = Trial::new(case);
        trial.cut(&mut rng);
        refused += trial.refuses_blocked_cuts();
        for _ in 0..2 {
            let boxed = trial.pass_box(&mut rng);
            trial.needs_suffice(&boxed, &mut rng);
            mattered += trial.needs_are_tight(&boxed);
        }
    }
    (refused, mattered)
}

#[test]
fn elementwise_and_constant() {
    let mut rng = Rng::new("elementwise");
    let mut all = cases::elementwise(&mut rng);
    all.extend(cases::nullary(&mut rng));
    let (refused, mattered) = judge("elementwise cuts", all);
    assert_eq!(refused, 0);
    assert!(mattered > 300, "{mattered}");
}

#[test]
fn reshape() {
    let all = cases::reshapes(&mut Rng::new("reshape"), &mut DTypes::all());
    let (refused, mattered) = judge("reshape cuts", all);
    // Sizes such as [4, 9] and [6, 6] do not refine each other.
    assert!(refused > 100 && mattered > 2000, "{refused} {mattered}");
}

#[test]
fn broadcast_transpose_reverse() {
    let (mut rng, mut dtypes) = (Rng::new("moves"), DTypes::all());
    let mut all = cases::broadcasts(&mut rng, &mut dtypes);
    all.extend(cases::transposes_and_reverses(&mut rng, &mut dtypes));
    let (refused, mattered) = judge("move cuts", all);
    assert_eq!(refused, 0);
    assert!(mattered > 1000, "{mattered}");
}

#[test]
fn slice_concatenate_pad() {
    let (mut rng, mut dtypes) = (Rng::new("pieces"), DTypes::all());
    let mut all = cases::slices(&mut rng, &mut dtypes);
    all.extend(cases::concatenates(&mut rng, &mut dtypes));
    all.extend(cases::pads(&mut rng, &mut dtypes));
    let (refused, mattered) = judge("piece cuts", all);
    assert_eq!(refused, 0);
    assert!(mattered > 500, "{mattered}");
}

#[test]
fn dot_and_convolution() {
    let mut rng = Rng::new("contract");
    let mut all = contract::dots(&mut rng);
    all.extend(contract::convolutions(&mut rng));
    let (refused, mattered) = judge("contract cuts", all);
    assert!(refused > 100 && mattered > 500, "{refused} {mattered}");
}

#[test]
fn reduce() {
    let (refused, mattered) = judge("reduce cuts", cases::reduces(&mut Rng::new("reduce")));
    assert_eq!(refused, 0);
    assert!(mattered > 500, "{mattered}");
}

#[test]
fn gather_and_scatter() {
    let mut rng = Rng::new("indexing");
    let mut all = indexing::gathers(&mut rng, &mut DTypes::all());
    all.extend(indexing::scatters(&mut rng, false));
    let (refused, _) = judge("indexing cuts", all);
    assert!(refused > 100, "{refused}");
}

#[test]
fn dynamic_slice_and_update() {
    let all = indexing::dynamic_slices(&mut Rng::new("dynamic"), &mut DTypes::all());
    let (refused, _) = judge("dynamic cuts", all);
    assert!(refused > 50, "{refused}");
}

#[test]
fn bits() {
    let (refused, _) = judge("bit cuts", windows::bits(&mut Rng::new("bits")));
    assert!(refused > 10, "{refused}");
}

#[test]
fn windows_and_sorts() {
    let mut rng = Rng::new("windows");
    let mut all = windows::reduce_windows(&mut rng);
    all.extend(windows::select_and_scatters(&mut rng));
    all.extend(windows::argsorts(&mut rng));
    let (refused, _) = judge("window cuts", all);
    assert!(refused > 100, "{refused}");
}

#[test]
fn transforms_and_matrices() {
    let mut rng = Rng::new("matrices");
    let mut all = matrices::transforms(&mut rng);
    all.extend(matrices::choleskies(&mut rng));
    all.extend(matrices::triangular_solves(&mut rng));
    let (refused, _) = judge("matrix cuts", all);
    assert!(refused > 100, "{refused}");
    let (refused, _) = judge("cuts of lapack", matrices::lapack(&mut rng));
    assert!(refused > 100, "{refused}");
}

#[test]
fn loops_and_choices() {
    let mut rng = Rng::new("regions");
    let mut all = windows::regions(&mut rng);
    all.extend(loops::all(&mut rng));
    let (refused, _) = judge("region cuts", all);
    assert!(refused > 20, "{refused}");
}

/// A loop of two values gives both, whole.
#[test]
fn every_result_of_a_loop_is_at_hand() {
    let text = "program @f(%0: f64[2], %1: i32[]) {
  %2: f64[2], %3: i32[] = while %0, %1 (program @c(%0: f64[2], %1: i32[]) {
    %2: i32[] = constant 3
    %3: bool[] = compare %1, %2 {comparison_direction = LT}
    return %3
  }, program @b(%0: f64[2], %1: i32[]) {
    %2: f64[2] = add %0, %0
    %3: i32[] = constant 1
    %4: i32[] = add %1, %3
    return %2, %4
  })
  return %2, %3
}
";
    let p = pullback_ir::text::parse(text).unwrap();
    let whole = |&value: &Value| Part { value, region: Region::full(p.ty(value).shape()) };
    let boxed = vec![IntervalSet::full(2)];
    let instance = Instance { instr: InstrId::from_index(0), boxed };
    let inputs: Vec<Part> = p.args().iter().map(whole).collect();
    let outputs: Vec<Part> = p.results().iter().map(whole).collect();
    let local = localize(&p, &[instance], &inputs, &outputs).unwrap();
    let args = [
        Tensor::from_f64s(TensorType::new(DType::F64, [2]), &[1.0, -2.0]).unwrap(),
        Tensor::from_i64s(TensorType::scalar(DType::I32), &[1]).unwrap(),
    ];
    let got = reference::eval(&local, &args).unwrap();
    assert_eq!((got[0].to_f64s(), got[1].to_i64s()), (vec![4.0, -8.0], vec![3]));
}

/// Of a table lookup's gradient, only the box with the first update reads what the updates are added to.
#[test]
fn a_joining_operand_is_read_once() {
    let op = Op::Scatter { dims: Box::new(indexing::embedding_gradient()), combiner: Some(Monoid::Add) };
    let mut rng = Rng::new("join");
    let f64s = |s: &[usize]| TensorType::new(DType::F64, s);
    let indices = rng.ints(&f64s(&[2, 3, 1]).with_dtype(DType::I32), 0, 3);
    let trial =
        Trial::new(Case::new(op, vec![rng.tensor(&f64s(&[4, 2])), indices, rng.tensor(&f64s(&[2, 3, 2]))]));
    let reduced = |f: &FactorId| trial.access.factors[*f].kind == FactorKind::Reduced(Monoid::Add);
    let batch: Vec<FactorId> = trial.cuttable().into_iter().filter(reduced).collect();
    assert_eq!(batch.len(), 2);
    let halves = [IntervalSet::interval(0, 1), IntervalSet::interval(1, 2)];
    let thirds = [IntervalSet::interval(1, 3), IntervalSet::interval(0, 1)];
    let cuts: [(FactorId, &[IntervalSet]); 2] = [(batch[0], &halves), (batch[1], &thirds)];
    let reads: Vec<bool> = trial
        .boxes(vec![trial.access.full_box()], &cuts)
        .iter()
        .map(|b| !trial.access.needs(0, b).is_empty())
        .collect();
    assert_eq!(reads, [false, true, false, false]);
    trial.reassemble(&cuts);
}

/// Boxes that do not fit are refused with what is wrong.
#[test]
fn boxes_that_do_not_fit_are_refused() {
    let mut rng = Rng::new("refused");
    let ty = TensorType::new(DType::F64, [2, 3]);
    let trial = Trial::new(Case::new(Op::Unary(UnaryOp::Negate), vec![rng.tensor(&ty)]));
    let (two, three, five) = (IntervalSet::full(2), IntervalSet::full(3), IntervalSet::full(5));
    let whole = trial.full_inputs();
    let error = |b: &[IntervalSet], r: &[Region]| {
        let written = Region::full(trial.whole.shape());
        trial.localize(b, r, written).unwrap_err().to_string()
    };
    assert!(error(&[two.clone(), five], &whole).contains("beyond"));
    assert!(error(std::slice::from_ref(&two), &whole).contains("2 sets"));
    let part = [Region::new(vec![IntervalSet::interval(1, 2), three.clone()])];
    assert!(error(&[two, three], &part).contains("holds only"));
}
