//! Annotations of shardings and the like, and computations of single devices.

use crate::{import_ok, main_of, show};
use expect_test::{Expect, expect};
use pullback_eval::reference::{eval, eval_grid};
use pullback_eval::{Tensor, evaluate};
use pullback_ir::{DType, TensorType};
use pullback_stablehlo::{Annotations, import, import_bytes, import_functions, print_annotated};

/// Every form of annotation once.
const ANNOTATED: &str = r##"module @annotated attributes {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=2, "y"=4]> {stablehlo.mesh = {axes = [{name = "x", size = 2 : i64}, {name = "y", size = 4 : i64}]}}
  sdy.mesh @turned = <["a"=8], device_ids=[7, 6, 5, 4, 3, 2, 1, 0]>
  sdy.mesh @one = <[], device_ids=[3]>
  func.func public @main(%arg0: tensor<8x4xf32> {jax.buffer_donor = true, sdy.sharding = #sdy.sharding<@mesh, [{"x", "y":(1)2, ?}p1, {?}], replicated={"y":(2)2}>} loc("w"), %arg1: tensor<4xf32> {mhlo.memory_kind = "pinned_host", mhlo.sharding = "{devices=[8]<=[8]}", tf.aliasing_output = 1 : i32}, %arg2: tensor<f32>) -> (tensor<8x4xf32> {jax.result_info = "y", sdy.sharding = #sdy.sharding<mesh<["z"=8]>, [{}, {"z"}], unreduced=max{"z"}>}, tensor<4xf32>) {
    %0 = stablehlo.tanh %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : tensor<8x4xf32>
    %1 = sdy.sharding_constraint %0 <@mesh, [{"y"}, {}]> : tensor<8x4xf32>
    %2 = sdy.propagation_barrier %1 allowed_direction=BACKWARD : tensor<8x4xf32>
    sdy.sharding_group %arg1 group_id=21 : tensor<4xf32>
    %3 = func.call @inner(%2) : (tensor<8x4xf32>) -> tensor<8x4xf32>
    %4 = stablehlo.negate %arg1 {mhlo.sharding = "{replicated}"} : tensor<4xf32>
    %n = stablehlo.constant dense<0> : tensor<i32>
    %5:2 = stablehlo.while(%i = %n, %v = %3) : tensor<i32>, tensor<8x4xf32>
    cond {
      %c = stablehlo.constant dense<3> : tensor<i32>
      %6 = stablehlo.compare LT, %i, %c, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %6 : tensor<i1>
    } do {
      %c = stablehlo.constant dense<1> : tensor<i32>
      %6 = stablehlo.add %i, %c : tensor<i32>
      %7 = sdy.sharding_constraint %v <@turned, [{"a"}, {}]> : tensor<8x4xf32>
      stablehlo.return %6, %7 : tensor<i32>, tensor<8x4xf32>
    }
    return %5#1, %4 : tensor<8x4xf32>, tensor<4xf32>
  }
  func.func private @inner(%arg0: tensor<8x4xf32>) -> tensor<8x4xf32> {
    %0 = stablehlo.abs %arg0 : tensor<8x4xf32>
    %1 = sdy.sharding_constraint %0 <@mesh, [{}, {"x"}]> : tensor<8x4xf32>
    return %1 : tensor<8x4xf32>
  }
}
"##;

/// All that is said, a line each.
fn said(a: &Annotations) -> String {
    let mut out = format!("{:?}\n", a.processes);
    for m in &a.meshes {
        out += &format!("@{} {m}\n", m.name);
    }
    for f in &a.functions {
        out += &format!("{}\n", f.name);
        for (what, list) in [("arg", &f.args), ("out", &f.results)] {
            for (i, x) in list.iter().enumerate() {
                out += &format!("  {what}{i} {}\n", x.lines().join(", "));
            }
        }
        for v in &f.values {
            let value = v.value.map_or("-".to_owned(), |v| v.to_string());
            out += &format!("  {value} {} {} {}\n", v.name, v.pos, v.mark);
        }
    }
    out
}

#[test]
fn annotations_are_kept_beside_the_program() {
    let module = import_ok(ANNOTATED);
    expect![[r#"
        (Some(1), Some(8))
        @mesh <["x"=2, "y"=4]>
        @turned <["a"=8], device_ids=[7, 6, 5, 4, 3, 2, 1, 0]>
        @one <[], device_ids=[3]>
        main
          arg0 sharding <@mesh, [{"x", "y":(1)2, ?}p1, {?}], replicated={"y":(2)2}>, donated
          arg1 mhlo.sharding {devices=[8]<=[8]}, memory of out1, memory kind pinned_host
          arg2 
          out0 sharding <mesh<["z"=8]>, [{}, {"z"}], unreduced=max{"z"}>
          out1 
          %3 0 6:10 sharding <@mesh, [{"x"}, {}]>
          %3 1 7:10 sharding_constraint <@mesh, [{"y"}, {}]>
          %3 2 8:10 propagation_barrier BACKWARD
          %1 arg1 9:5 sharding_group 21
          %4 inner/1 28:10 sharding_constraint <@mesh, [{}, {"x"}]>
          %5 4 11:10 mhlo.sharding {replicated}
          - 7 21:12 sharding_constraint <@turned, [{"a"}, {}]>
    "#]]
    .assert_eq(&said(module.annotations()));
}

#[test]
fn annotations_are_printed_back() {
    let module = import_ok(ANNOTATED);
    let printed = print_annotated(&module.functions().iter().collect::<Vec<_>>(), module.annotations());
    let again = import_ok(&printed);
    let (before, after) = (module.annotations(), again.annotations());
    assert_eq!((&after.meshes, after.processes), (&before.meshes, before.processes));
    assert_eq!(after.functions[0].args, before.functions[0].args);
    assert_eq!(after.functions[0].results, before.functions[0].results);
    let marks = |a: &Annotations| {
        let of = a.functions[0].values.iter().filter(|v| v.value.is_some());
        let mut marks: Vec<String> =
            of.map(|v| v.mark.to_string().replace("sharding_constraint", "sharding")).collect();
        marks.sort();
        marks
    };
    let kept: Vec<String> = marks(before).into_iter().filter(|m| m.starts_with("sharding")).collect();
    assert_eq!(marks(after), kept, "{printed}");
}

#[test]
fn older_forms_of_shardings_are_read() {
    let text = r##"module attributes {mhlo.frontend_attributes = {xla.sdy.meshes = "{mesh = #sdy.mesh<[\22x\22=2]>}"}} {
  func.func public @main(%arg0: tensor<4xf32> {mhlo.frontend_attributes = {xla.sdy.sharding = "#sdy.sharding<@mesh, [{\22x\22}]>"}}) -> tensor<4xf32> {
    return %arg0 : tensor<4xf32>
  }
}
"##;
    expect![[r#"
        (None, None)
        @mesh <["x"=2]>
        main
          arg0 sharding <@mesh, [{"x"}]>
          out0 
    "#]]
    .assert_eq(&said(import_ok(text).annotations()));
}

#[test]
fn annotations_do_not_multiply_without_end() {
    let mut text = "module {\n  sdy.mesh @m = <[\"x\"=2]>\n".to_owned();
    text += &main_of(
        "%x: tensor<f32>",
        "tensor<f32>",
        "  %0 = call @f0(%x) : (tensor<f32>) -> tensor<f32>\n  return %0 : tensor<f32>",
    );
    for i in 0..40 {
        let next = format!("call @f{}", i + 1);
        text += &format!(
            "func.func private @f{i}(%x: tensor<f32>) -> tensor<f32> {{\n  %0 = {next}(%x) : (tensor<f32>) -> tensor<f32>\n  %1 = {next}(%0) : (tensor<f32>) -> tensor<f32>\n  return %1 : tensor<f32>\n}}\n"
        );
    }
    text += "func.func private @f40(%x: tensor<f32>) -> tensor<f32> {\n  %0 = sdy.sharding_constraint %x <@m, []> : tensor<f32>\n  return %0 : tensor<f32>\n}\n}\n";
    let module = import_ok(&text);
    assert!(module.annotations().functions[0].values.len() <= 100_000);
    assert!(show(&module.notes).contains("no more than 100000 annotations of values are kept"));
}

fn refused(text: &str, want: Expect) {
    match import(text) {
        Ok(_) => panic!("this should be refused:\n{text}"),
        Err(diags) => want.assert_eq(&show(&diags)),
    }
}

/// A computation of the devices of a mesh.
fn manual(mesh: &str, ins: &str, outs: &str, axes: &str, types: (&str, &str), body: &str) -> String {
    let (whole, part) = types;
    format!(
        "module @m attributes {{mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32}} {{
  sdy.mesh @mesh = {mesh}
  func.func public @main(%x: tensor<{whole}>) -> tensor<{whole}> {{
    %0 = sdy.manual_computation(%x) in_shardings=[{ins}] out_shardings=[{outs}] manual_axes={{{axes}}} (%a: tensor<{part}>) {{
{body}
    }} : (tensor<{whole}>) -> tensor<{whole}>
    return %0 : tensor<{whole}>
  }}
}}
"
    )
}

const SUM: &str = "      %1 = \"stablehlo.all_reduce\"(%a) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>, use_global_device_ids}> ({
      ^bb0(%l: tensor<f32>, %r: tensor<f32>):
        %9 = stablehlo.add %l, %r : tensor<f32>
        stablehlo.return %9 : tensor<f32>
      }) : (tensor<1x2xf32>) -> tensor<1x2xf32>
      sdy.return %1 : tensor<1x2xf32>";

#[test]
fn a_computation_of_devices_is_a_global_program() {
    let shard = "<@mesh, [{\"x\"}, {\"y\"}]>";
    let text = manual("<[\"x\"=2, \"y\"=2]>", shard, shard, "\"x\", \"y\"", ("2x4xf32", "1x2xf32"), SUM);
    let module = import_ok(&text);
    let main = module.function("main").unwrap();
    expect![[r#"
        program @main(%0: f32[2,4] "x") {
          %1: f32[2,1,2,2] = reshape %0
          %2: f32[2,2,1,2] = transpose %1 {permutation = [0, 2, 1, 3]}
          %3: f32[2,1,2] = reduce %2 {dimensions = [1], monoid = add}
          %4: f32[2,2,1,2] = broadcast_in_dim %3 {broadcast_dimensions = [0, 2, 3]}
          %5: f32[2,1,2,2] = transpose %4 {permutation = [0, 2, 1, 3]}
          %6: f32[2,4] = reshape %5
          return %6
        }
    "#]]
    .assert_eq(&pullback_ir::text::canonical_math(main));
    let x =
        Tensor::from_f64s(TensorType::new(DType::F32, [2, 4]), &[1., 2., 3., 4., 5., 6., 7., 8.]).unwrap();
    let y = evaluate(&pullback_eval::CpuDevice { threads: 1 }, main, &[x]).unwrap();
    assert_eq!(y[0].to_f64s(), [4., 6., 4., 6., 12., 14., 12., 14.]);
}

/// What is the same on all devices and summed over them, and what is declared the same and is not; also in loops.
#[test]
fn states_that_do_not_fit_are_warned_of() {
    let warned = |body: &str| {
        let mesh = "<[\"x\"=2, \"y\"=2]>";
        let rows = "<@mesh, [{\"x\"}, {}]>";
        let module = import_ok(&manual(mesh, rows, rows, "\"x\", \"y\"", ("2x4xf32", "1x4xf32"), body));
        let doubts = module.notes.iter().filter(|n| n.message.contains("along axis"));
        doubts.map(|n| format!("{n}\n")).collect::<String>()
    };
    let sum = SUM.replace("1x2xf32", "1x4xf32");
    expect![[r#"
        4:10: warning: %0 is the same on all devices along axis "y" and is summed or multiplied over it: it counts 2 times
    "#]].assert_eq(&warned(&sum));
    let number = "      %p = stablehlo.partition_id : tensor<ui32>
      %f = stablehlo.convert %p : (tensor<ui32>) -> tensor<f32>
      %b = stablehlo.broadcast_in_dim %f, dims = [] : (tensor<f32>) -> tensor<1x4xf32>
      %a1 = stablehlo.add %a, %b : tensor<1x4xf32>\n";
    expect![[r#"
        4:10: warning: result 0 of sdy.manual_computation is declared the same along axis "y" but may differ between its devices: the first device's is taken; sum or gather it over the axis, or split a dimension by it
    "#]].assert_eq(&warned(&format!("{number}      sdy.return %a1 : tensor<1x4xf32>")));
    // Summed over the axis along which it varies, all is well.
    assert_eq!(warned(&format!("{number}{}", sum.replace("(%a)", "(%a1)"))), "");
    let looped = format!(
        "{number}      %n = stablehlo.constant dense<0> : tensor<i32>
      %2:2 = stablehlo.while(%i = %n, %v = %a) : tensor<i32>, tensor<1x4xf32>
      cond {{
        %c = stablehlo.constant dense<3> : tensor<i32>
        %6 = stablehlo.compare LT, %i, %c, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
        stablehlo.return %6 : tensor<i1>
      }} do {{
        %c = stablehlo.constant dense<1> : tensor<i32>
        %6 = stablehlo.add %i, %c : tensor<i32>
        %7 = stablehlo.multiply %v, %a1 : tensor<1x4xf32>
        stablehlo.return %6, %7 : tensor<i32>, tensor<1x4xf32>
      }}
      sdy.return %2#1 : tensor<1x4xf32>"
    );
    expect![[r#"
        4:10: warning: result 0 of sdy.manual_computation is declared the same along axis "y" but may differ between its devices: the first device's is taken; sum or gather it over the axis, or split a dimension by it
    "#]].assert_eq(&warned(&looped));
}

/// Over one of two axes, the generic form, and devices in another order.
#[test]
fn axes_that_are_not_manual_stay_global() {
    let text = manual(
        "<[\"x\"=2, \"y\"=2], device_ids=[0, 2, 1, 3]>",
        "<@mesh, [{}, {\"y\", \"x\"}]>",
        "<@mesh, [{}, {\"y\", ?}]>",
        "\"y\"",
        ("1x4xf32", "1x2xf32"),
        &SUM.replace("[[0, 1], [2, 3]]", "[[0, 2], [1, 3]]"),
    );
    let main = import_ok(&text).function("main").unwrap().clone();
    let x = Tensor::from_f64s(TensorType::new(DType::F32, [1, 4]), &[1., 2., 3., 4.]).unwrap();
    assert_eq!(eval(&main, &[x]).unwrap()[0].to_f64s(), [4., 6., 4., 6.]);
    let generic = text
        .replace(
            "sdy.manual_computation(%x) in_shardings=[",
            "\"sdy.manual_computation\"(%x) <{in_shardings = #sdy.sharding_per_value<[",
        )
        .replace("] out_shardings=[", "]>, out_shardings = #sdy.sharding_per_value<[")
        .replace(
            "] manual_axes={\"y\"} (%a: tensor<1x2xf32>) {",
            "]>, manual_axes = #sdy<manual_axes{\"y\"}>}> ({\n    ^bb0(%a: tensor<1x2xf32>):",
        )
        .replace("    } : (tensor<1x4xf32>)", "    }) : (tensor<1x4xf32>)");
    assert_ne!(generic, text);
    assert_eq!(import_ok(&generic).function("main").unwrap().to_string(), main.to_string());
}

#[test]
fn computations_of_devices_that_are_wrong_or_not_supported() {
    let mesh = "<[\"x\"=2, \"y\"=2]>";
    let (shard, both) = ("<@mesh, [{\"x\"}, {\"y\"}]>", "\"x\", \"y\"");
    let types = ("2x4xf32", "1x2xf32");
    refused(
        &manual(mesh, shard, "", both, types, SUM),
        expect![[r#"
        4:10: sdy.manual_computation has a sharding for each operand and result
    "#]],
    );
    refused(
        &manual(mesh, "<@no, [{\"x\"}, {\"y\"}]>", shard, both, types, SUM),
        expect![[r#"
        4:10: sdy.manual_computation: there is no mesh @no
    "#]],
    );
    refused(
        &manual(mesh, shard, shard, "\"x\", \"z\"", types, SUM),
        expect![[r#"
        4:10: sdy.manual_computation: "z" is no axis of its mesh, or twice
    "#]],
    );
    refused(
        &manual(mesh, "<@mesh, [{\"x\"}, {}]>", shard, both, types, SUM),
        expect![[r#"
        4:10: sdy.manual_computation: f32[1,2] is not the part of f32[2,4] that its sharding says
    "#]],
    );
    refused(
        &manual(mesh, "<@mesh, [{\"x\"}]>", shard, both, types, SUM),
        expect![[r#"
        4:10: sdy.manual_computation: f32[1,2] is not the part of f32[2,4] that its sharding says
    "#]],
    );
    refused(
        &manual(mesh, "<@mesh, [{\"x\":(1)2}, {\"y\"}]>", shard, both, types, SUM),
        expect![[r#"
        4:10: unsupported: sdy.manual_computation over a part of the axis "x":(1)2
          help: make the mesh with the parts as axes
    "#]],
    );
    refused(
        &manual(mesh, "<@mesh, [{\"x\"}, {\"y\"}], unreduced={\"x\"}>", shard, both, types, SUM),
        expect![[r#"
            4:10: unsupported: sdy.manual_computation of a value that is not summed yet (unreduced)
              help: sum it before: lax.psum over the axis
        "#]],
    );
    refused(
        &manual(mesh, shard, shard, both, types, &SUM.replace("2, 3", "2, 7")),
        expect![[r#"
        5:12: all_reduce (C3): 7 in replica_groups is not a number of one of 4 processes
    "#]],
    );
    refused(
        &manual(
            mesh,
            shard,
            shard,
            both,
            types,
            &SUM.replace("[[0, 1], [2, 3]]", "[[0, 1, 2]]").replace("2x2xi64", "1x3xi64"),
        ),
        expect![[r#"
            4:10: unsupported: all_reduce in sdy.manual_computation: its groups do not have every device, or differ in size
              help: export the global program without shard_map, or with this outside of it
        "#]],
    );
    refused(
        &manual(
            mesh,
            "<@mesh, [{}, {\"y\"}]>",
            "<@mesh, [{}, {\"y\"}]>",
            "\"y\"",
            ("1x4xf32", "1x2xf32"),
            &SUM.replace("[[0, 1], [2, 3]]", "[[0, 2], [1, 3]]"),
        ),
        expect![[r#"
            4:10: unsupported: all_reduce in sdy.manual_computation: it reaches along axes of the mesh that the computation is not manual over
              help: export the global program without shard_map, or with this outside of it
        "#]],
    );
    refused(
        &manual(
            mesh,
            shard,
            shard,
            both,
            types,
            "      %1 = stablehlo.negate %x : tensor<2x4xf32>\n      sdy.return %a : tensor<1x2xf32>",
        ),
        expect![[r#"
            4:10: sdy.manual_computation reads a value from outside of it
        "#]],
    );
    refused(
        &manual("<[\"x\"=2, \"x\"=2]>", shard, shard, both, types, SUM),
        expect![[r#"
        2:20: the axis "x" is twice in the mesh
    "#]],
    );
    refused(
        &manual("<[\"x\"=2], device_ids=[1, 1]>", shard, shard, both, types, SUM),
        expect![[r#"
        2:20: the device ids of a mesh of 2 are not a permutation of 0 to 1
    "#]],
    );
}

/// What JAX makes of `axis_index` where not all axes are manual, in a function that is called; and a sum over axes of
/// both computations.
#[test]
fn computations_of_devices_nest() {
    let sum = |groups: &str, ty: &str| {
        format!("\"stablehlo.all_reduce\"(%b) <{{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<{groups}>, use_global_device_ids}}> ({{
      ^bb0(%l: tensor<f32>, %r: tensor<f32>):
        %9 = stablehlo.add %l, %r : tensor<f32>
        %10 = sdy.sharding_constraint %9 <@mesh, []> : tensor<f32>
        stablehlo.return %10 : tensor<f32>
      }}) : (tensor<{ty}>) -> tensor<{ty}>")
    };
    let text = format!("module @m attributes {{mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32}} {{
  sdy.mesh @mesh = <[\"x\"=2, \"y\"=2], device_ids=[3, 2, 1, 0]>
  func.func public @main(%x: tensor<2x2xf32>) -> (tensor<2x2xf32>, tensor<2xi32>) {{
    %0:2 = sdy.manual_computation(%x) in_shardings=[<@mesh, [{{\"x\", ?}}, {{?}}]>] out_shardings=[<@mesh, [{{\"x\", ?}}, {{?}}]>, <@mesh, [{{\"x\"}}]>] manual_axes={{\"x\"}} (%a: tensor<1x2xf32>) {{
      %1 = func.call @index() : () -> tensor<1xi32>
      %2 = sdy.manual_computation(%a) in_shardings=[<@mesh, [{{?}}, {{\"y\", ?}}]>] out_shardings=[<@mesh, [{{?}}, {{\"y\", ?}}]>] manual_axes={{\"y\"}} (%b: tensor<1x1xf32>) {{
        %3 = {}
        %4 = {}
        %5 = stablehlo.multiply %3, %4 : tensor<1x1xf32>
        sdy.return %5 : tensor<1x1xf32>
      }} : (tensor<1x2xf32>) -> tensor<1x2xf32>
      sdy.return %2, %1 : tensor<1x2xf32>, tensor<1xi32>
    }} : (tensor<2x2xf32>) -> (tensor<2x2xf32>, tensor<2xi32>)
    return %0#0, %0#1 : tensor<2x2xf32>, tensor<2xi32>
  }}
  func.func private @index() -> tensor<1xi32> {{
    %0 = sdy.manual_computation() in_shardings=[] out_shardings=[<@mesh, []>] manual_axes={{\"y\"}} () {{
      %c = stablehlo.constant dense<2> : tensor<ui32>
      %1 = stablehlo.partition_id : tensor<ui32>
      %2 = stablehlo.divide %1, %c : tensor<ui32>
      %3 = stablehlo.convert %2 : (tensor<ui32>) -> tensor<i32>
      sdy.return %3 : tensor<i32>
    }} : () -> tensor<i32>
    %1 = stablehlo.reshape %0 : (tensor<i32>) -> tensor<1xi32>
    return %1 : tensor<1xi32>
  }}
}}
", sum("[[0, 2], [1, 3]]> : tensor<2x2xi64", "1x1xf32"), sum("[[0, 1, 2, 3]]> : tensor<1x4xi64", "1x1xf32"));
    let main = import_ok(&text).function("main").unwrap().clone();
    let x = Tensor::from_f64s(TensorType::new(DType::F32, [2, 2]), &[1., 2., 3., 4.]).unwrap();
    let results = eval(&main, &[x]).unwrap();
    // Columns summed over x (devices of one y), times the sum of everything.
    assert_eq!(results[0].to_f64s(), [40., 60., 40., 60.]);
    // The first row of the mesh is devices 3 and 2.
    assert_eq!(results[1].to_f64s(), [1., 0.]);
}

#[test]
fn a_named_computation_is_its_body() {
    let text = "func.func public @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = sdy.named_computation<\"foo\">(%x) (%a: tensor<2xf32>) {
    %1 = stablehlo.negate %a : tensor<2xf32>
    sdy.return %1 : tensor<2xf32>
  } : (tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
";
    let main = import_ok(text).function("main").unwrap().clone();
    let names: Vec<&str> = main.instrs().values().map(|i| i.op().name()).collect();
    assert_eq!(names, ["negate"]);
}

/// The module that JAX makes of a shard_map, and the same body as a grid of programs.
#[test]
fn what_jax_exports_is_what_its_devices_compute() {
    let bytes = include_bytes!("../portable/manual.mlirbc");
    let module = import_bytes(bytes).unwrap_or_else(|e| panic!("{}", show(&e)));
    let text = import_ok(include_str!("../portable/manual.mlir"));
    let main = module.function("main").unwrap();
    let math = pullback_ir::text::canonical_math;
    assert_eq!(math(main), math(text.function("main").unwrap()));
    let a: Vec<f64> = (0..16).map(|i| f64::from(i % 5)).collect();
    let b: Vec<f64> = (0..24).map(|i| f64::from(i % 7) - 3.0).collect();
    let tensor =
        |shape: [usize; 2], v: &[f64]| Tensor::from_f64s(TensorType::new(DType::F32, shape), v).unwrap();
    let got = eval(main, &[tensor([4, 4], &a), tensor([4, 6], &b)]).unwrap()[0].to_f64s();
    // (a @ b + the row of devices) * 2, the devices of a row having two rows each.
    let want: Vec<f64> = (0..24)
        .map(|k| {
            let (i, j) = (k / 6, k % 6);
            let sum: f64 = (0..4).map(|m| a[4 * i + m] * b[6 * m + j]).sum();
            2.0 * (sum + (i / 2) as f64)
        })
        .collect();
    assert_eq!(got, want);
}

#[test]
fn a_grid_may_be_of_a_manual_body() {
    let body = format!(
        "func.func private @body(%a: tensor<1x2xf32>) -> tensor<1x2xf32> {{\n{}\n}}\n",
        SUM.replace("sdy.return", "return")
    );
    let module = import_functions(body.as_bytes(), &["body"]).unwrap_or_else(|e| panic!("{}", show(&e)));
    let p = module.function("body").unwrap();
    let x = |v: f64| vec![Tensor::from_f64s(TensorType::new(DType::F32, [1, 2]), &[v, -v]).unwrap()];
    let grid = eval_grid(&[vec![p; 4]], &[vec![x(1.), x(2.), x(3.), x(4.)]]).unwrap();
    let sums: Vec<f64> = grid[0].iter().map(|r| r[0].get_f64(0)).collect();
    assert_eq!(sums, [3., 3., 7., 7.]);
}
