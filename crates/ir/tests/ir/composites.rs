//! Composites and operators of others: their texts, what typing refuses, cutting, batching, counting, inlining.

use pullback_ir::custom::{self, Call, CustomOp, Read, RegisterError, Write, register, registered};
use pullback_ir::pass::{cast_floats, holds_composites, inline};
use pullback_ir::restrict::{Held, Instance, restrict};
use pullback_ir::text::parse;
use pullback_ir::*;
use std::sync::Arc;

/// Every rule, and an operator of somebody else.
pub const COMPOSITES: &str = r#"program @main(%0: f32[4,2] "x", %1: i32[] "n") {
  %2: f32[4,2] = composite %0 {name = "test.gelu", version = 1, composite_attributes = "eps = 1.0E-6 : f64"} (program @gelu(%0: f32[4,2]) {
    %1: f32[4,2] = tanh %0
    return %1
  })
  %3: f32[4,2] = composite %2 {name = "pullback.stop_gradient", rule = stop_gradient} (program @stop(%0: f32[4,2]) {
    return %0
  })
  %4: f32[4,2], %5: i32[] = composite %3, %1 {name = "block", rule = remat} (program @block(%0: f32[4,2], %1: i32[]) {
    %2: f32[4,2] = sine %0
    return %2, %1
  }) "a", _
  %6: f32[4,2], %7: i32[] = composite %4, %1 {name = "ste", rule = custom_vjp} (program @ste(%0: f32[4,2], %1: i32[]) {
    %2: f32[4,2] = round_nearest_even %0
    return %2, %1
  }, program @ste.forward(%0: f32[4,2], %1: i32[]) {
    %2: f32[4,2] = round_nearest_even %0
    return %2, %1, %0
  }, program @ste.backward(%0: f32[4,2], %1: f32[4,2]) {
    return %1
  })
  %8: f32[4,2] = composite %6, %1 {name = "relu", rule = custom_jvp} (program @relu(%0: f32[4,2], %1: i32[]) {
    %2: f32[4,2] = abs %0
    return %2
  }, program @relu.jvp(%0: f32[4,2], %1: i32[], %2: f32[4,2]) {
    %3: f32[4,2] = abs %0
    return %3, %2
  })
  %9: f32[4,2] = composite %8, %0 {name = "ste", rule = transpose} (program @unknown(%0: f32[4,2], %1: f32[4,2]) {
    return %1
  }, program @ste.backward(%0: f32[4,2], %1: f32[4,2]) {
    return %1
  })
  %10: f32[4] = custom %9, %0 {name = "their.op", custom_attributes = "k = 2", factors = [4, 2], kinds = [pass, add], operand_dims = [[0, 1], [-1, -1]], result_dims = [[0]], linear = [[0]], flops = 16, depth = 2, assurance = tested}
  return %10, %3 "stopped"
}
"#;

#[test]
fn texts_are_complete() {
    let program = parse(COMPOSITES).unwrap();
    assert_eq!(program.to_string(), COMPOSITES);
    program.verify().unwrap();
}

#[test]
fn a_body_stands_for_its_composite() {
    let program = parse(COMPOSITES).unwrap();
    assert!(holds_composites(&program));
    let inlined = inline(&program).unwrap();
    assert!(!holds_composites(&inlined));
    let names: Vec<&str> = inlined.instrs().values().map(|i| i.op().name()).collect();
    assert_eq!(names, ["tanh", "sine", "round_nearest_even", "abs", "custom"]);
    assert_eq!(inlined.result_name(1), Some("stopped"));
}

#[test]
fn rules_that_do_not_fit_are_refused() {
    let broken = |from: &str, to: &str, what: &str| {
        let text = COMPOSITES.replacen(from, to, 1);
        assert_ne!(text, COMPOSITES);
        let e = parse(&text).unwrap_err().to_string();
        assert!(e.contains(what), "{e}");
    };
    broken("rule = custom_vjp", "rule = custom_jvp", "with the programs it takes");
    broken(
        "return %2, %1, %0\n",
        "return %2, %1\n",
        "\"ste\": the backward rule takes 2 values, there are 1",
    );
    broken(
        "return %2, %1, %0\n",
        "return %1, %2, %0\n",
        "the forward rule gives (i32[], f32[4,2], f32[4,2])",
    );
    broken(
        "return %3, %2\n",
        "return %3\n",
        "the forward-mode rule gives (f32[4,2]), not (f32[4,2], f32[4,2])",
    );
    broken("factors = [4, 2]", "factors = [5, 2]", "operand 0, f32[4,2], is not as its access map says");
    broken("kinds = [pass, add]", "kinds = [add, pass]", "factor 0 is reduced but a result has it");
    broken("linear = [[0]]", "linear = [[2]]", "a linear set names an operand that is not there");
    broken("assurance = tested", "assurance = hoped", "trusted, tested or proved");
    broken("composite %0 {name", "composite %1 {name", "argument 0 of its body is f32[4,2], it gets i32[]");
}

#[test]
fn counts_follow_bodies_and_descriptions() {
    let program = parse(COMPOSITES).unwrap();
    let flops: Vec<u64> = program.instrs().ids().map(|id| count::instr_cost(&program, id).flops).collect();
    assert_eq!(flops, [8, 0, 8, 8, 8, 0, 16]);
}

#[test]
fn an_operator_is_cut_as_it_says() {
    let program = parse(COMPOSITES).unwrap();
    let id = program.instrs().ids().last().unwrap();
    let access = access::AccessMap::of(program.instr(id).op(), &program.operand_types(id)).unwrap();
    let kinds: Vec<access::FactorKind> = access.factors.iter().map(|f| f.kind).collect();
    assert_eq!(kinds, [access::FactorKind::Pass, access::FactorKind::Reduced(Monoid::Add)]);
    let boxed = vec![region::IntervalSet::interval(1, 3), region::IntervalSet::interval(0, 1)];
    let mut b = Builder::new("local");
    let x = TensorType::new(DType::F32, [4, 2]);
    let held =
        |b: &mut Builder| Held { value: b.arg(None, x.clone()), region: region::Region::full(&[4, 2]) };
    let operands = [held(&mut b), held(&mut b)];
    let made = restrict(&mut b, &program, &Instance { instr: id, boxed }, &operands).unwrap();
    let local = b.finish(&[made[0].value]);
    local.verify().unwrap();
    assert_eq!(local.ty(local.results()[0]).shape(), [2]);
    let last = local.instrs().values().last().unwrap();
    let Op::Custom(c) = last.op() else { panic!("{local}") };
    let sizes: Vec<usize> = c.access.factors.iter().map(|f| f.size).collect();
    assert_eq!((sizes, c.flops), (vec![2, 1], 4));
    // What only the operator reads whole stays whole.
    assert_eq!(local.ty(last.operands()[1]).shape(), [4, 2]);
}

#[test]
fn only_a_transpose_is_linear() {
    let program = parse(COMPOSITES).unwrap();
    let sets: Vec<_> =
        program.instrs().values().map(|i| linearity::linear_sets(i.op(), i.operands().len())).collect();
    let none = Vec::<Vec<usize>>::new();
    assert_eq!(sets, [&none, &none, &none, &none, &none, &vec![vec![1]], &vec![vec![0]]].map(Clone::clone));
}

#[test]
fn casts_reach_into_rules_and_stop_at_operators() {
    let program = parse(COMPOSITES).unwrap();
    let e = cast_floats(&program, DType::F32, DType::F64).unwrap_err().to_string();
    assert!(e.contains("unsupported: a cast of a program with the operator \"their.op\""), "{e}");
    let text = COMPOSITES.lines().filter(|l| !l.contains("their.op")).collect::<Vec<_>>().join("\n");
    let program = parse(&text.replace("return %10, ", "return %9, ")).unwrap();
    let wide = cast_floats(&program, DType::F32, DType::F64).unwrap();
    wide.verify().unwrap();
    assert_eq!(wide.to_string(), program.to_string().replace("f32[", "f64["));
}

/// Doubles.
struct Double;

impl CustomOp for Double {
    fn name(&self) -> &str {
        "test.double"
    }
    fn infer(&self, call: Call<'_>) -> Result<Vec<TensorType>, String> {
        match call.operands {
            [x] => Ok(vec![x.clone()]),
            _ => Err(format!("takes one operand, not {}", call.operands.len())),
        }
    }
    fn flops(&self, call: Call<'_>) -> u64 {
        call.operands[0].count() as u64
    }
    fn depth(&self) -> u32 {
        1
    }
    fn assurance(&self) -> Assurance {
        Assurance::Trusted
    }
    fn pullback(&self, _: Call<'_>, _: usize) -> Result<Option<Program>, String> {
        Ok(None)
    }
    fn evaluate(&self, _: Call<'_>, _: &[Read<'_>], _: &mut [Write<'_>]) {}
}

#[test]
fn names_are_registered_once() {
    register(Arc::new(Double)).unwrap();
    assert_eq!(register(Arc::new(Double)), Err(RegisterError::Taken("test.double".to_owned())));
    assert!(registered("test.double").is_some());
    let x = TensorType::new(DType::F32, [3]);
    let call = Call { attributes: "", operands: std::slice::from_ref(&x) };
    let described = custom::describe("test.double", call).unwrap();
    assert_eq!((described.flops, described.depth), (3, 1));
    let e = custom::describe("test.nobody", call).unwrap_err().to_string();
    assert!(e.contains("unsupported: the operator \"test.nobody\" is not registered"), "{e}");
    let two = [x.clone(), x];
    let e = custom::describe("test.double", Call { attributes: "", operands: &two }).unwrap_err().to_string();
    assert!(e.contains("takes one operand, not 2"), "{e}");
}
