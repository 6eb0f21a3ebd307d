//! What the transformations write, as text: before, then the primal, linear and transposed programs, for the
//! rules one reads most often. `UPDATE_EXPECT=1` re-blesses.

use expect_test::{Expect, expect};
use pullback_autodiff::{linearize, transpose, value_and_grad};
use pullback_ir::text::parse;

fn check_parts(before: &str, after: Expect) {
    let program = parse(before).unwrap();
    let lin = linearize(&program, &[0]).unwrap();
    let turned = transpose(&lin.linear).unwrap();
    after.assert_eq(&format!("{}\n{}\n{turned}", lin.primal, lin.linear.program()));
}

#[test]
fn tanh_of_a_dense_layer() {
    check_parts(
        r#"
        program @main(%0: f32[8,4] "w", %1: f32[2,8] "x") {
          %2: f32[2,4] = dot_general %1, %0 {contracting_dims = [1] x [0]}
          %3: f32[2,4] = tanh %2 "h"
          return %3 "h"
        }"#,
        expect![[r#"
            program @main(%0: f32[8,4] "w", %1: f32[2,8] "x") {
              %2: f32[2,4] = dot_general %1, %0 {contracting_dims = [1] x [0]}
              %3: f32[2,4] = tanh %2 "h"
              %4: f32[2,4] = multiply %3, %3
              %5: f32[2,4] = constant 1.0
              %6: f32[2,4] = subtract %5, %4
              return %3 "h", %1, %6
            }

            program @main.linear(%0: f32[2,8], %1: f32[2,4], %2: f32[8,4] "tangent.w") {
              %3: f32[2,4] = dot_general %0, %2 {contracting_dims = [1] x [0]}
              %4: f32[2,4] = multiply %3, %1
              return %4 "tangent.h"
            }

            program @main.linear.transpose(%0: f32[2,8], %1: f32[2,4], %2: f32[2,4] "ct.h") {
              %3: f32[2,4] = multiply %2, %1
              %4: f32[8,4] = dot_general %0, %3 {contracting_dims = [0] x [0]}
              return %4
            }
        "#]],
    );
}

#[test]
fn maximum_along_a_dimension() {
    check_parts(
        r#"
        program @main(%0: f32[2,4] "x") {
          %1: f32[2] = reduce %0 {monoid = maximum, dimensions = [1]}
          return %1
        }"#,
        expect![[r#"
            program @main(%0: f32[2,4] "x") {
              %1: f32[2] = reduce %0 {dimensions = [1], monoid = maximum}
              %2: f32[2,4] = broadcast_in_dim %1 {broadcast_dimensions = [0]}
              %3: bool[2,4] = compare %0, %2 {comparison_direction = EQ}
              %4: f32[2,4] = convert %3
              %5: f32[2] = reduce %4 {dimensions = [1], monoid = add}
              return %1, %3, %5
            }

            program @main.linear(%0: bool[2,4], %1: f32[2], %2: f32[2,4] "tangent.x") {
              %3: f32[2,4] = constant 0.0
              %4: f32[2,4] = select %0, %2, %3
              %5: f32[2] = reduce %4 {dimensions = [1], monoid = add}
              %6: f32[2] = divide %5, %1
              return %6
            }

            program @main.linear.transpose(%0: bool[2,4], %1: f32[2], %2: f32[2]) {
              %3: f32[2] = divide %2, %1
              %4: f32[2,4] = broadcast_in_dim %3 {broadcast_dimensions = [0]}
              %5: f32[2,4] = constant 0.0
              %6: f32[2,4] = select %0, %4, %5
              return %6
            }
        "#]],
    );
}

#[test]
fn rows_of_a_table() {
    check_parts(
        r#"
        program @main(%0: f32[5,3] "table", %1: i32[4,1] "tokens") {
          %2: f32[4,3] = gather %0, %1 {offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1, slice_sizes = [1, 3]}
          return %2
        }"#,
        expect![[r#"
            program @main(%0: f32[5,3] "table", %1: i32[4,1] "tokens") {
              %2: f32[4,3] = gather %0, %1 {offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1, slice_sizes = [1, 3]}
              return %2, %1
            }

            program @main.linear(%0: i32[4,1], %1: f32[5,3] "tangent.table") {
              %2: f32[4,3] = gather %1, %0 {offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1, slice_sizes = [1, 3]}
              return %2
            }

            program @main.linear.transpose(%0: i32[4,1], %1: f32[4,3]) {
              %2: f32[5,3] = constant 0.0
              %3: i32[] = constant 0
              %4: i32[4,1] = constant 4
              %5: i32[4,1] = clamp %3, %0, %4
              %6: f32[5,3] = scatter %2, %5, %1 {update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1, combiner = add}
              return %6
            }
        "#]],
    );
}

#[test]
fn value_and_gradient_of_a_squared_error() {
    let before = r#"
        program @main(%0: f32[3] "w", %1: f32[3] "t") {
          %2: f32[3] = subtract %0, %1 "error"
          %3: f32[3] = multiply %2, %2
          %4: f32[] = reduce %3 {monoid = add, dimensions = [0]}
          return %4 "loss"
        }"#;
    let gradient = value_and_grad(&parse(before).unwrap(), &[0]).unwrap();
    expect![[r#"
        program @main(%0: f32[3] "w", %1: f32[3] "t") {
          %2: f32[3] = subtract %0, %1 "error"
          %3: f32[3] = multiply %2, %2
          %4: f32[] = reduce %3 {dimensions = [0], monoid = add}
          %5: f32[] = constant 1.0
          %6: f32[3] = broadcast_in_dim %5 {broadcast_dimensions = []}
          %7: f32[3] = constant 2.0
          %8: f32[3] = multiply %2, %7
          %9: f32[3] = multiply %6, %8 "grad.w"
          return %4 "loss", %9 "grad.w"
        }
    "#]]
    .assert_eq(&gradient.to_string());
}
