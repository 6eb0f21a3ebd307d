//! Names of arguments, values and results.

use crate::{import_ok, main_of, text_of};
use pullback_ir::Program;

fn arg_names(program: &Program) -> Vec<&str> {
    program.args().iter().filter_map(|&a| program.value_name(a)).collect()
}

#[test]
fn argument_names_come_from_locations_and_are_unique() {
    let text = r#"#loc1 = loc("params['0.qkv.w']")
module {
  func.func public @main(%arg0: tensor<f32> loc(#loc1), %arg1: tensor<f32> loc("params['enc']['w']"(#loc9)), %arg2: tensor<f32> loc("x"), %arg3: tensor<f32> loc("x"), %arg4: tensor<f32> loc("a.py":3:4), %arg5: tensor<f32> {jax.arg_info = "batch['y']"}, %arg6: tensor<f32> loc(#loc7), %arg7: tensor<f32> loc("x_1"), %arg8: tensor<f32> loc(unknown)) -> tensor<f32> {
    return %arg0 : tensor<f32>
  } loc(#loc2)
} loc(#loc)
#loc = loc(unknown)
#loc2 = loc("main.py":1:1 to 2:2)
#loc7 = loc(callsite("inner"(#loc2) at callsite("f"(#loc2) at #loc2)))
#loc9 = loc(fused<"meta">["only", #loc2])
"#;
    let module = import_ok(text);
    let want = ["0.qkv.w", "enc.w", "x", "x_1", "arg4", "y", "inner", "x_1_1", "arg8"];
    assert_eq!(arg_names(module.function("main").unwrap()), want);
}

#[test]
fn values_take_location_then_ssa_names() {
    let text = r##"module {
  func.func public @main(%arg0: tensor<f32>) -> (tensor<f32> {jax.result_info = "['loss']"}, tensor<f32> {jax.result_info = ""}) {
    %0 = stablehlo.tanh %arg0 : tensor<f32> loc(#loc3)
    %mid = stablehlo.sine %0 : tensor<f32>
    %1 = call @f(%mid) : (tensor<f32>) -> tensor<f32>
    %2 = stablehlo.cosine %1 : tensor<f32> loc("jit(f)/cos \22q\22"(callsite("g"("b.py":1:2) at "b.py":3:4)))
    return %2, %1 : tensor<f32>, tensor<f32>
  }
  func.func private @f(%arg0: tensor<f32>) -> tensor<f32> {
    %0 = stablehlo.negate %arg0 : tensor<f32>
    %1 = stablehlo.abs %0 : tensor<f32> loc(fused["jit(f)/abs", "b.py":1:2])
    return %1 : tensor<f32>
  }
}
#loc3 = loc("jit(main)/tanh"(#loc4))
#loc4 = loc("b.py":10:2)
"##;
    let module = import_ok(text);
    let main = module.function("main").unwrap();
    let names: Vec<&str> = main.instrs().values().filter_map(|i| main.value_name(i.result())).collect();
    assert_eq!(names, ["jit(main)/tanh", "mid", "f/0", "jit(f)/abs", "jit(f)/cos \"q\""]);
    assert_eq!(main.result_name(0), Some("['loss']"));
    assert_eq!(main.result_name(1), None);
}

#[test]
fn odd_names_survive_printing() {
    for name in ["a \"quoted\" name", "back\\slash", "tab\there", "ünï", "params[0]"] {
        let mut b = pullback_ir::Builder::new("odd name\"");
        let x = b.arg(Some(name), pullback_ir::TensorType::scalar(pullback_ir::DType::F32));
        let program = b.finish_named(vec![(x, Some(name.to_owned()))]);
        let module = import_ok(&pullback_stablehlo::print(&[&program]));
        assert_eq!(module.functions(), [program]);
    }
}

#[test]
fn a_location_that_points_at_itself_has_no_name() {
    let text =
        main_of("%a: tensor<f32> loc(#l)", "tensor<f32>", "  return %a : tensor<f32>") + "#l = loc(#l)\n";
    assert_eq!(arg_names(import_ok(&text).function("main").unwrap()), ["a"]);
}

#[test]
fn the_module_has_its_name() {
    assert_eq!(import_ok(text_of("mlp")).name, "mlp");
    assert_eq!(import_ok(&main_of("", "()", "  return")).name, "module");
}
