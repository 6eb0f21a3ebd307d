//! Custom calls: LAPACK's routines, what changes no value, and what is refused.

use crate::{import_ok, main_of, op_names, show};
use expect_test::expect;
use pullback_ir::{Linalg, MatrixTranspose, Op};
use pullback_stablehlo::import;

fn call(line: &str) -> String {
    let body = format!("  {line}\n  return %a, %z : tensor<3x3xf32>, tensor<3x3xcomplex<f32>>");
    main_of(
        "%a: tensor<3x3xf32>, %z: tensor<3x3xcomplex<f32>>",
        "(tensor<3x3xf32>, tensor<3x3xcomplex<f32>>)",
        &body,
    )
}

#[test]
fn what_is_wrong_with_a_call_is_said() {
    let lines = [
        // The letter is for another type.
        "%0:2 = stablehlo.custom_call @lapack_dgeqrf_ffi(%a) {mhlo.backend_config = {}} : (tensor<3x3xf32>) -> (tensor<3x3xf32>, tensor<3xf32>)",
        "%0 = stablehlo.custom_call @lapack_cungqr_ffi(%z) : (tensor<3x3xcomplex<f32>>) -> tensor<3x3xcomplex<f32>>",
        "%0:2 = stablehlo.custom_call @lapack_spotrf_ffi(%a) {mhlo.backend_config = {uplo = 88 : ui8}} : (tensor<3x3xf32>) -> (tensor<3x3xf32>, tensor<i32>)",
        "%0:2 = stablehlo.custom_call @lapack_spotrf_ffi(%a) : (tensor<3x3xf32>) -> (tensor<3x3xf32>, tensor<i32>)",
        "%0:2 = stablehlo.custom_call @lapack_sgeqrf_ffi(%a) {mhlo.backend_config = {}} : (tensor<3x3xf32>) -> (tensor<3x3xf32>, tensor<2xf32>)",
        "%0:3 = stablehlo.custom_call @lapack_sgehrd_ffi(%a) {mhlo.backend_config = {high = 4 : i32, low = 1 : i32}} : (tensor<3x3xf32>) -> (tensor<3x3xf32>, tensor<2xf32>, tensor<i32>)",
        // A real routine with a complex letter; another library; what only Python could run.
        "%0 = stablehlo.custom_call @lapack_corgqr_ffi(%z) : (tensor<3x3xcomplex<f32>>) -> tensor<3x3xcomplex<f32>>",
        "%0:3 = stablehlo.custom_call @cusolver_getrf_ffi(%a) : (tensor<3x3xf32>) -> (tensor<3x3xf32>, tensor<3xi32>, tensor<i32>)",
        "%0 = stablehlo.custom_call @xla_ffi_python_cpu_callback(%a) : (tensor<3x3xf32>) -> tensor<3x3xf32>",
    ];
    let said: Vec<String> =
        lines.iter().map(|line| import(&call(line)).map_or_else(|e| show(&e), |_| "fine".into())).collect();
    expect![[r#"
        2:10: lapack_dgeqrf_ffi is for f64, and is called with f32
        2:8: lapack_orgqr: takes 2 operand(s), got 1
        2:10: unsupported: lapack_spotrf_ffi with uplo = 'X'
          help: call LAPACK by the functions of jax.numpy.linalg and jax.lax.linalg
        2:10: lapack_spotrf_ffi lacks the setting uplo
        2:10: custom_call: gives tensor<3xf32>, but is declared as tensor<2xf32>
        2:10: lapack_gehrd: rows 1 to 4 are not among 3
        2:8: unsupported: stablehlo.custom_call @lapack_corgqr_ffi
          help: export the operator's definition instead of a foreign call
        2:10: unsupported: stablehlo.custom_call @cusolver_getrf_ffi
          help: export the operator's definition instead of a foreign call
        2:8: unsupported: stablehlo.custom_call @xla_ffi_python_cpu_callback
          help: export the operator's definition instead of a foreign call
    "#]]
    .assert_eq(&said.join(""));
}

#[test]
fn trsm_is_a_triangular_solve() {
    let m = import_ok(&call(
        "%0 = stablehlo.custom_call @lapack_ctrsm_ffi(%z, %z) {mhlo.backend_config = {diag = 85 : ui8, side = 82 : ui8, trans_x = 67 : ui8, uplo = 76 : ui8}} : (tensor<3x3xcomplex<f32>>, tensor<3x3xcomplex<f32>>) -> tensor<3x3xcomplex<f32>>",
    ));
    let op = m.functions()[0].instrs().values().next().unwrap().op().clone();
    let want = Linalg::TriangularSolve {
        left_side: false,
        lower: true,
        unit_diagonal: true,
        transpose: MatrixTranspose::Adjoint,
    };
    assert_eq!(op, Op::Linalg(want));
}

#[test]
fn notes_to_the_compiler_are_their_operands() {
    let m = import_ok(&call(
        "%0 = stablehlo.custom_call @Sharding(%a) {mhlo.sharding = \"{replicated}\"} : (tensor<3x3xf32>) -> tensor<3x3xf32>
  %1 = stablehlo.custom_call @annotate_device_placement(%0) {has_side_effect = true} : (tensor<3x3xf32>) -> tensor<3x3xf32>
  %2 = stablehlo.negate %1 : tensor<3x3xf32>",
    ));
    assert_eq!(op_names(&m.functions()[0]), ["negate"]);
    expect![[r#"
        2:8: warning: stablehlo.custom_call @Sharding is imported as its operands: it changes no value
        3:8: warning: stablehlo.custom_call @annotate_device_placement is imported as its operands: it changes no value
    "#]].assert_eq(&show(&m.notes));
}
