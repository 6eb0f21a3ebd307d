//! `docs/ops.md`: what there is for each op, found out by trying it. Renew it with `UPDATE_EXPECT=1`.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod cases;

use cases::{Case, cases};
use expect_test::expect_file;
use pullback_eval::{CpuDevice, Tensor, evaluate, reference};
use pullback_ir::access::{AccessMap, FactorKind};
use pullback_ir::linearity::linear_sets;
use pullback_ir::{DType, DTypeClass, Instr, Op, Program};
use std::fmt::Write;

/// The op of a case's program.
fn instr(program: &Program) -> &Instr {
    program.instrs().values().last().unwrap()
}

fn ones(program: &Program) -> Vec<Tensor> {
    let one = |&v| {
        let ty: &pullback_ir::TensorType = program.ty(v);
        match ty.dtype() {
            DType::U64 if ty.shape() == [2] => Tensor::zeros(ty.clone()),
            // Every matrix of it has an inverse and, where it is Hermitian, a root.
            _ if ty.rank() == 3 && ty.shape()[1] == ty.shape()[2] => identity(ty),
            _ => Tensor::from_literal(&pullback_ir::Literal::splat_f64(ty.clone(), 1.0)),
        }
    };
    program.args().iter().map(one).collect()
}

fn identity(ty: &pullback_ir::TensorType) -> Tensor {
    let (mut t, n) = (Tensor::zeros(ty.clone()), ty.shape()[1]);
    let one = Tensor::from_literal(&pullback_ir::Literal::splat_f64(
        pullback_ir::TensorType::scalar(ty.dtype()),
        1.0,
    ));
    for i in (0..ty.count()).filter(|i| i / n % n == i % n) {
        t.set_element(i, one.element(0));
    }
    t
}

/// Element types as ranges of families: `i4..i64 f32 f64`.
fn show(dtypes: &[DType]) -> String {
    let all_of =
        |pick: &dyn Fn(DType) -> bool| DType::ALL.into_iter().filter(|&d| pick(d)).collect::<Vec<_>>();
    let families: [(&str, Vec<DType>); 6] = [
        ("bool", vec![DType::Bool]),
        ("i4–i64", all_of(&|d| d.class() == DTypeClass::Signed)),
        ("u4–u64", all_of(&|d| d.class() == DTypeClass::Unsigned)),
        ("f8–f64", all_of(&|d| d.class() == DTypeClass::Float)),
        ("c64 c128", all_of(&|d| d.class() == DTypeClass::Complex)),
        ("", Vec::new()),
    ];
    if dtypes.is_empty() {
        return "—".to_owned();
    }
    if dtypes.len() == DType::ALL.len() {
        return "all".to_owned();
    }
    let mut out: Vec<String> = Vec::new();
    for (name, members) in families {
        let have: Vec<DType> = members.iter().copied().filter(|d| dtypes.contains(d)).collect();
        match have.len() {
            0 => {}
            n if n == members.len() => out.push(name.to_owned()),
            _ => out.extend(have.iter().map(|d| d.to_string())),
        }
    }
    out.join(" ")
}

/// Types the reference computes; ops of communication on a grid of one program.
fn evaluated(case: &Case, dtypes: &[DType]) -> Vec<DType> {
    let runs = |d: &DType| {
        let p = case.program(*d).unwrap();
        if matches!(instr(&p).op(), Op::Communicate(_)) {
            return reference::eval_grid(&[vec![&p]], &[vec![ones(&p)]]).is_ok();
        }
        reference::eval(&p, &ones(&p)).is_ok()
    };
    dtypes.iter().copied().filter(runs).collect()
}

/// Types the CPU backend computes. It has no steps but its own.
fn kernels(case: &Case, dtypes: &[DType]) -> Vec<DType> {
    let runs = |d: &DType| {
        let p = case.program(*d).unwrap();
        evaluate(&CpuDevice { threads: 1 }, &p, &ones(&p)).is_ok()
    };
    dtypes.iter().copied().filter(runs).collect()
}

/// How the dimensions of the iteration space may be cut.
fn access(instr: &Instr, program: &Program) -> String {
    let types: Vec<_> = instr.operands().iter().map(|&v| program.ty(v)).collect();
    let map = AccessMap::of(instr.op(), &types).unwrap();
    let mut kinds: Vec<String> = Vec::new();
    for f in &map.factors {
        let kind = match f.kind {
            FactorKind::Pass => "pass".to_owned(),
            FactorKind::Reduced(m) => format!("reduced ({m})"),
            FactorKind::Blocked => "blocked".to_owned(),
        };
        if kinds.last() != Some(&kind) {
            kinds.push(kind);
        }
    }
    if kinds.is_empty() { "—".to_owned() } else { kinds.join(", ") }
}

fn linear(instr: &Instr) -> String {
    let sets = linear_sets(instr.op(), instr.operands().len());
    let show = |set: &Vec<usize>| {
        let names: Vec<String> = set.iter().map(usize::to_string).collect();
        format!("{{{}}}", names.join(", "))
    };
    if sets.is_empty() { "—".to_owned() } else { sets.iter().map(show).collect::<Vec<_>>().join(" ") }
}

/// What differentiation by all floating-point arguments does.
fn derivatives(program: &Program) -> (String, String) {
    let args = program.args().iter().enumerate();
    let wrt: Vec<usize> =
        args.filter(|&(_, &v)| program.ty(v).dtype().is_differentiable()).map(|(i, _)| i).collect();
    if wrt.is_empty() {
        return ("—".to_owned(), "—".to_owned());
    }
    let linearized = pullback_autodiff::linearize(program, &wrt);
    let tangent = match &linearized {
        Ok(lin) if lin.linear.program().results().is_empty() => return ("none".to_owned(), "—".to_owned()),
        Ok(_) => "yes".to_owned(),
        Err(_) => "no".to_owned(),
    };
    let transpose = match pullback_autodiff::vjp(program, &wrt) {
        Ok(_) => "yes".to_owned(),
        Err(_) => "no".to_owned(),
    };
    (tangent, transpose)
}

fn row(case: &Case) -> String {
    let types: Vec<DType> = DType::ALL.into_iter().filter(|&d| case.program(d).is_some()).collect();
    assert!(!types.is_empty(), "{}: no element type gives a program", case.name);
    // Differentiation is of floats where there are any.
    let best = [DType::F64, DType::C128, DType::I32, DType::U32].into_iter().find(|d| types.contains(d));
    let program = case.program(best.unwrap_or(types[0])).unwrap();
    let instr = instr(&program);
    let computed = evaluated(case, &types);
    let mut reference = if computed == types { "all of them".to_owned() } else { show(&computed) };
    if matches!(instr.op(), Op::Communicate(_)) {
        reference.push_str(", in a grid");
    }
    let (tangent, transpose) = derivatives(&program);
    format!(
        "| `{}` | {} | {reference} | {} | {} | {} | {tangent} | {transpose} |",
        case.name,
        show(&types),
        show(&kernels(case, &computed)),
        access(instr, &program),
        linear(instr),
    )
}

#[test]
fn the_table_of_ops_is_current() {
    let mut page = include_str!("head.md").to_owned();
    for case in cases() {
        writeln!(page, "{}", row(&case)).unwrap();
    }
    expect_file!["../../../../docs/ops.md"].assert_eq(&page);
}

/// A new op is missed here at compile time.
#[test]
fn every_op_has_a_row() {
    let mut seen = [false; 33];
    for case in cases() {
        let dtype = DType::ALL.into_iter().find(|&d| case.program(d).is_some()).unwrap();
        let program = case.program(dtype).unwrap();
        let family = match instr(&program).op() {
            Op::Constant(_) => 0,
            Op::Iota { .. } => 1,
            Op::Unary(_) => 2,
            Op::Binary(_) => 3,
            Op::Compare { .. } => 4,
            Op::Select => 5,
            Op::Clamp => 6,
            Op::Convert { .. } => 7,
            Op::BroadcastInDim { .. } => 8,
            Op::Reshape { .. } => 9,
            Op::Transpose { .. } => 10,
            Op::Slice { .. } => 11,
            Op::Concatenate { .. } => 12,
            Op::Pad { .. } => 13,
            Op::Reverse { .. } => 14,
            Op::DotGeneral(_) => 15,
            Op::Convolution(_) => 16,
            Op::Reduce { .. } => 17,
            Op::Gather(_) => 18,
            Op::Scatter { .. } => 19,
            Op::DynamicSlice { .. } => 20,
            Op::DynamicUpdateSlice => 21,
            Op::BitcastConvert { .. } => 22,
            Op::ReducePrecision { .. } => 23,
            Op::ReduceWindow { .. } => 24,
            Op::SelectAndScatter { .. } => 25,
            Op::Argsort { .. } => 26,
            Op::While { .. } => 27,
            Op::Case { .. } => 28,
            Op::Fft { .. } => 29,
            Op::Linalg(_) => 30,
            Op::RngBitGenerator { .. } => 31,
            Op::Communicate(_) => 32,
            // What somebody else defines has no row here.
            Op::Composite(_) | Op::Custom(_) => continue,
        };
        seen[family] = true;
    }
    assert!(seen.iter().all(|&s| s), "{seen:?}");
}
