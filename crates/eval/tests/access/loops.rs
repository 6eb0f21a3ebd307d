//! Loops and choices to try, and which of their factors may be cut.

use crate::cases::Case;
use crate::util::Rng;
use expect_test::{Expect, expect};
use pullback_base::Id;
use pullback_eval::Tensor;
use pullback_ir::access::{AccessMap, DimMap, Effect};
use pullback_ir::text::parse;
use pullback_ir::{DType, InstrId, Program};

/// A recurrent layer: a state, a stack of states and a counter; weights and inputs are captured.
const SCAN: &str = "program @p(%0: f64[3,2], %1: f64[2,3,2], %2: i32[], %3: f64[2,2], %4: f64[2,3,2]) {
  %5: f64[3,2], %6: f64[2,3,2], %7: i32[] = while %0, %1, %2, %3, %4 (program @c(%0: f64[3,2], %1: f64[2,3,2], %2: i32[], %3: f64[2,2], %4: f64[2,3,2]) {
    %5: i32[] = constant 2
    %6: bool[] = compare %2, %5 {comparison_direction = LT}
    return %6
  }, program @b(%0: f64[3,2], %1: f64[2,3,2], %2: i32[], %3: f64[2,2], %4: f64[2,3,2]) {
    %5: i32[] = constant 0
    %6: f64[1,3,2] = dynamic_slice %4, %2, %5, %5 {slice_sizes = [1, 3, 2]}
    %7: f64[3,2] = reshape %6
    %8: f64[3,2] = dot_general %0, %3 {contracting_dims = [1] x [0]}
    %9: f64[3,2] = add %8, %7
    %10: f64[1,3,2] = reshape %9
    %11: f64[2,3,2] = dynamic_update_slice %1, %10, %2, %5, %5
    %12: i32[] = constant 1
    %13: i32[] = add %2, %12
    return %9, %11, %13
  })
  return %5, %6, %7
}
";

/// Its transpose: the state's cotangent and the weights' gradient, a sum over the batch that every turn adds to.
const BACK: &str = "program @p(%0: f64[3,2], %1: f64[2,2], %2: i32[], %3: f64[2,2], %4: f64[2,3,2]) {
  %5: f64[3,2], %6: f64[2,2], %7: i32[] = while %0, %1, %2, %3, %4 (program @c(%0: f64[3,2], %1: f64[2,2], %2: i32[], %3: f64[2,2], %4: f64[2,3,2]) {
    %5: i32[] = constant 0
    %6: bool[] = compare %2, %5 {comparison_direction = GT}
    return %6
  }, program @b(%0: f64[3,2], %1: f64[2,2], %2: i32[], %3: f64[2,2], %4: f64[2,3,2]) {
    %5: i32[] = constant 0
    %6: i32[] = constant -1
    %7: i32[] = add %2, %6
    %8: f64[1,3,2] = dynamic_slice %4, %7, %5, %5 {slice_sizes = [1, 3, 2]}
    %9: f64[3,2] = reshape %8
    %10: f64[2,2] = dot_general %9, %0 {contracting_dims = [0] x [0]}
    %11: f64[2,2] = transpose %10 {permutation = [1, 0]}
    %12: f64[2,2] = subtract %1, %11
    %13: f64[3,2] = dot_general %0, %3 {contracting_dims = [1] x [1]}
    return %13, %12, %7
  })
  return %5, %6, %7
}
";

/// A loss that is summed up, and whose size is looked at (`READ`) or not.
fn summed(read: &str) -> String {
    format!(
        "program @p(%0: f64[], %1: i32[], %2: f64[3]) {{
  %3: f64[], %4: i32[] = while %0, %1, %2 (program @c(%0: f64[], %1: i32[], %2: f64[3]) {{
    %3: i32[] = constant 2
    %4: bool[] = compare %1, %3 {{comparison_direction = LT}}
    return %4
  }}, program @b(%0: f64[], %1: i32[], %2: f64[3]) {{
    %3: f64[3] = multiply %2, %2
    %4: f64[] = reduce %3 {{dimensions = [0], monoid = add}}
    %5: f64[] = {read} %0
    %6: f64[] = add %5, %4
    %7: i32[] = constant 1
    %8: i32[] = add %1, %7
    return %6, %8
  }})
  return %3, %4
}}
"
    )
}

/// Goes on while the whole is small.
const TEST: &str = "program @p(%0: f64[3]) {
  %1: f64[3] = while %0 (program @c(%0: f64[3]) {
    %1: f64[3] = multiply %0, %0
    %2: f64[] = reduce %1 {dimensions = [0], monoid = maximum}
    %3: f64[] = constant 10.0
    %4: f64[] = constant 0.5
    %5: bool[] = compare %2, %3 {comparison_direction = LT}
    %6: bool[] = compare %2, %4 {comparison_direction = GT}
    %7: bool[] = and %5, %6
    return %7
  }, program @b(%0: f64[3]) {
    %1: f64[3] = add %0, %0
    return %1
  })
  return %1
}
";

/// A gradient in one branch, zeros in the other; and a value cut in both.
const CHOICE: &str = "program @p(%0: i32[], %1: f64[3,2], %2: f64[3,2]) {
  %3: f64[2,2], %4: f64[3,2] = case %0, %1, %2 (program @a(%0: f64[3,2], %1: f64[3,2]) {
    %2: f64[2,2] = dot_general %0, %1 {contracting_dims = [0] x [0]}
    %3: f64[2,2] = negate %2
    %4: f64[3,2] = multiply %0, %1
    return %3, %4
  }, program @b(%0: f64[3,2], %1: f64[3,2]) {
    %2: f64[] = constant 0.0
    %3: f64[2,2] = broadcast_in_dim %2 {broadcast_dimensions = []}
    %4: f64[3,2] = iota {iota_dimension = 0}
    return %3, %4
  })
  return %3, %4
}
";

/// Every row with every other: a box of rows would be a diagonal.
const GRAM: &str = "program @p(%0: i32[], %1: f64[3,2]) {
  %2: f64[3,3] = case %0, %1 (program @a(%0: f64[3,2]) {
    %1: f64[3,3] = dot_general %0, %0 {contracting_dims = [1] x [1]}
    return %1
  })
  return %2
}
";

/// A loop in a loop: the inner one sums over the batch, the outer one adds that up.
const NESTED: &str = "program @p(%0: f64[2], %1: i32[], %2: f64[3,2]) {
  %3: f64[2], %4: i32[] = while %0, %1, %2 (program @c(%0: f64[2], %1: i32[], %2: f64[3,2]) {
    %3: i32[] = constant 2
    %4: bool[] = compare %1, %3 {comparison_direction = LT}
    return %4
  }, program @b(%0: f64[2], %1: i32[], %2: f64[3,2]) {
    %3: f64[] = constant 0.0
    %4: f64[2] = broadcast_in_dim %3 {broadcast_dimensions = []}
    %5: i32[] = constant 0
    %6: f64[2], %7: i32[] = while %4, %5, %2 (program @d(%0: f64[2], %1: i32[], %2: f64[3,2]) {
      %3: i32[] = constant 3
      %4: bool[] = compare %1, %3 {comparison_direction = LT}
      return %4
    }, program @e(%0: f64[2], %1: i32[], %2: f64[3,2]) {
      %3: f64[2] = reduce %2 {dimensions = [0], monoid = add}
      %4: f64[2] = add %0, %3
      %5: i32[] = constant 1
      %6: i32[] = add %1, %5
      return %4, %6
    })
    %8: f64[2] = add %0, %6
    %9: i32[] = constant 1
    %10: i32[] = add %1, %9
    return %8, %10
  })
  return %3, %4
}
";

/// A sum over rows that a loop in a loop and a scatter go on with.
const ONWARD: &str = "program @p(%0: f64[2], %1: i32[], %2: f64[3,2], %3: i32[3,1]) {
  %4: f64[2], %5: i32[] = while %0, %1, %2, %3 (program @c(%0: f64[2], %1: i32[], %2: f64[3,2], %3: i32[3,1]) {
    %4: i32[] = constant 2
    %5: bool[] = compare %1, %4 {comparison_direction = LT}
    return %5
  }, program @b(%0: f64[2], %1: i32[], %2: f64[3,2], %3: i32[3,1]) {
    %4: i32[] = constant 0
    %5: f64[2], %6: i32[] = while %0, %4, %2 (program @d(%0: f64[2], %1: i32[], %2: f64[3,2]) {
      %3: i32[] = constant 2
      %4: bool[] = compare %1, %3 {comparison_direction = LT}
      return %4
    }, program @e(%0: f64[2], %1: i32[], %2: f64[3,2]) {
      %3: f64[2] = reduce %2 {dimensions = [0], monoid = add}
      %4: f64[2] = subtract %0, %3
      %5: i32[] = constant 1
      %6: i32[] = add %1, %5
      return %4, %6
    })
    %7: f64[3] = reduce %2 {dimensions = [1], monoid = add}
    %8: f64[2] = scatter %5, %3, %7 {update_window_dims = [], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1, combiner = add}
    %9: i32[] = constant 1
    %10: i32[] = add %1, %9
    return %8, %10
  })
  return %4, %5
}
";

/// Rows that are laid one after the other and back, by a reshape inside.
const FLAT: &str = "program @p(%0: f64[6,2], %1: i32[]) {
  %2: f64[6,2], %3: i32[] = while %0, %1 (program @c(%0: f64[6,2], %1: i32[]) {
    %2: i32[] = constant 2
    %3: bool[] = compare %1, %2 {comparison_direction = LT}
    return %3
  }, program @b(%0: f64[6,2], %1: i32[]) {
    %2: f64[3,2,2] = reshape %0
    %3: f64[3,2,2] = reverse %2 {dimensions = [1]}
    %4: f64[3,4] = reshape %3
    %5: f64[12] = reshape %4
    %6: f64[12] = negate %5
    %7: f64[6,2] = reshape %6
    %8: i32[] = constant 1
    %9: i32[] = add %1, %8
    return %7, %9
  })
  return %2, %3
}
";

fn parsed(text: &str) -> Program {
    parse(text).unwrap_or_else(|e| panic!("{e}\n{text}"))
}

/// Each result of the one op of a program, on small whole numbers; `scalar` is every index and counter.
fn results(program: &Program, scalar: i64, rng: &mut Rng) -> Vec<Case> {
    let instr = program.instr(InstrId::from_index(0));
    let input = |&v| {
        let ty = program.ty(v);
        match ty.dtype() {
            DType::I32 if ty.rank() > 0 => rng.ints(ty, 0, 1),
            DType::I32 => Tensor::from_i64s(ty.clone(), &[scalar]).unwrap(),
            _ => rng.tensor(ty),
        }
    };
    let inputs: Vec<Tensor> = program.args().iter().map(input).collect();
    let result = |result| Case { result, ..Case::new(instr.op().clone(), inputs.clone()) };
    (0..instr.results().len()).map(result).collect()
}

/// All of these, and some whose loops turn no time.
pub fn all(rng: &mut Rng) -> Vec<Case> {
    let summed = [summed("negate"), summed("sine")];
    let texts = [SCAN, BACK, &summed[0], &summed[1], TEST, CHOICE, GRAM, NESTED, ONWARD, FLAT];
    texts
        .iter()
        .flat_map(|text| (0..3).flat_map(|s| results(&parsed(text), s, rng)).collect::<Vec<_>>())
        .collect()
}

/// Which factors there are: operands' and results' dimensions that are each, and what is made of each result.
fn factors(program: &Program) -> String {
    let instr = InstrId::from_index(0);
    let map = AccessMap::of(program.instr(instr).op(), &program.operand_types(instr)).unwrap();
    let mut text = String::new();
    for (f, factor) in map.factors.iter().enumerate() {
        let dims = |maps: &[Vec<DimMap>]| {
            let of = |(i, dims): (usize, &Vec<DimMap>)| {
                let is = |m: &DimMap| matches!(m, DimMap::Factors(fs) if fs.first() == Some(&f));
                let dims = dims.iter().enumerate().filter(|(_, m)| is(m));
                dims.map(|(d, _)| format!("{i}.{d}")).collect::<Vec<_>>()
            };
            maps.iter().enumerate().flat_map(of).collect::<Vec<_>>().join(" ")
        };
        if dims(&map.operands).is_empty() {
            continue;
        }
        let effects = (0..map.results.len()).map(|k| match map.effect(f, k) {
            Effect::Disjoint => "part".to_owned(),
            Effect::Contribution(monoid) => monoid.to_string(),
            Effect::Alike => "alike".to_owned(),
        });
        let effects: Vec<String> = effects.collect();
        text += &format!("size {}: {} gives {}\n", factor.size, dims(&map.operands), effects.join(", "));
    }
    text
}

fn check(text: &str, want: &Expect) {
    want.assert_eq(&factors(&parsed(text)));
}

#[test]
fn factors_of_a_scan() {
    check(
        SCAN,
        &expect![[r#"
        size 3: 0.0 1.1 4.1 gives part, part, alike
    "#]],
    );
    check(
        BACK,
        &expect![[r#"
        size 3: 0.0 4.1 gives part, add, alike
        size 2: 1.1 4.2 gives alike, part, alike
    "#]],
    );
}

#[test]
fn factors_of_sums() {
    check(
        &summed("negate"),
        &expect![[r#"
        size 3: 2.0 gives add, alike
    "#]],
    );
    check(&summed("sine"), &expect![]);
    check(
        NESTED,
        &expect![[r#"
        size 2: 0.0 2.1 gives part, alike
        size 3: 2.0 gives add, alike
    "#]],
    );
}

#[test]
fn factors_of_what_mixes() {
    check(TEST, &expect![]);
    check(
        GRAM,
        &expect![[r#"
        size 2: 1.1 gives add
    "#]],
    );
}

#[test]
fn factors_of_rows_and_of_a_choice() {
    check(
        ONWARD,
        &expect![[r#"
        size 3: 2.0 3.0 gives add, alike
    "#]],
    );
    check(
        FLAT,
        &expect![[r#"
        size 3: 0.0 gives part, alike
    "#]],
    );
    check(
        CHOICE,
        &expect![[r#"
        size 3: 1.0 2.0 gives add, part
    "#]],
    );
}
