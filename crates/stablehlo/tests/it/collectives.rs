//! What programs of a grid do with each other: text in, ops of communication out, and back.

use crate::{import_ok, main_of, show, text_of};
use expect_test::{Expect, expect};
use pullback_eval::{Tensor, reference::eval_grid};
use pullback_ir::{DType, Program, TensorType};
use pullback_stablehlo::{import, import_functions, print};

#[test]
fn printing_and_reading_gives_the_same() {
    let module = import_ok(text_of("collectives"));
    let printed = print(&module.functions().iter().collect::<Vec<_>>());
    let again = import_ok(&printed);
    for f in module.functions() {
        assert_eq!(
            pullback_ir::text::canonical_math(f),
            pullback_ir::text::canonical_math(again.function(f.name()).unwrap())
        );
        assert_eq!(pullback_ir::text::parse(&f.to_string()).as_ref(), Ok(f));
    }
}

/// Tokens are told from tensors without elements by what is done with them, in loops too.
#[test]
fn tokens_are_printed_as_tokens() {
    let text = main_of(
        "%x: tensor<2xf32>, %t: !stablehlo.token, %b: tensor<0xi1>",
        "(!stablehlo.token, tensor<0xi1>)",
        r#"  %n = stablehlo.constant dense<0> : tensor<i32>
  %3:2 = stablehlo.while(%i = %n, %w = %t) : tensor<i32>, !stablehlo.token
  cond {
    %c = stablehlo.constant dense<3> : tensor<i32>
    %4 = stablehlo.compare LT, %i, %c, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %4 : tensor<i1>
  } do {
    %4 = "stablehlo.send"(%x, %w) <{channel_handle = #stablehlo.channel_handle<handle = 7, type = 2>, is_host_transfer = true}> : (tensor<2xf32>, !stablehlo.token) -> !stablehlo.token
    %c = stablehlo.constant dense<1> : tensor<i32>
    %5 = stablehlo.add %i, %c : tensor<i32>
    stablehlo.return %5, %4 : tensor<i32>, !stablehlo.token
  }
  %6 = stablehlo.not %b : tensor<0xi1>
  return %3#1, %6 : !stablehlo.token, tensor<0xi1>"#,
    );
    let program = crate::main_program(&text);
    let printed = print(&[&program]);
    assert_eq!(printed.matches("tensor<0xi1>").count(), 5, "{printed}");
    assert_eq!(printed.matches("!stablehlo.token").count(), 10, "{printed}");
    let again = crate::main_program(&printed);
    assert_eq!(pullback_ir::text::canonical_math(&program), pullback_ir::text::canonical_math(&again));
}

fn lines(function: &str, want: Expect) {
    let module = import_ok(text_of("collectives"));
    let text = pullback_ir::text::canonical_math(module.function(function).unwrap());
    want.assert_eq(&text);
}

#[test]
fn channels_and_flags_say_what_numbers_are() {
    lines(
        "groups",
        expect![[r#"
            program @groups(%0: f32[2,4] "x", %1: i32[4] "i") {
              %2: f32[2,8] = all_gather %0 {replica_groups = [[1, 0]], across = cross_replica, all_gather_dim = 1, group_size = 2}
              %3: f32[2,16] = all_gather %0 {replica_groups = [[0, 1]], across = cross_replica_and_partition, all_gather_dim = 1, group_size = 4}
              %4: f32[2,16] = all_gather %0 {replica_groups = [[0, 2, 1, 3]], across = flattened_ids, all_gather_dim = 1, group_size = 4}
              %5: f32[4,4] = all_gather %0 {replica_groups = [], across = cross_replica, all_gather_dim = 0, group_size = 2}
              %6: i32[8] = all_gather %1 {replica_groups = [], across = cross_replica, all_gather_dim = 0, group_size = 2}
              return %2, %3, %4, %5, %6
            }
        "#]],
    );
}

#[test]
fn computations_are_monoids_in_the_type_they_combine() {
    lines(
        "sums",
        expect![[r#"
            program @sums(%0: f32[4,2] "x", %1: f16[4] "h", %2: bool[3] "b") {
              %3: f32[4,2] = all_reduce %0 {replica_groups = [[0], [1]], across = cross_replica, monoid = maximum}
              %4: f16[4] = all_reduce %1 {replica_groups = [[0, 1, 2], [3]], across = flattened_ids, monoid = add}
              %5: bool[3] = all_reduce %2 {replica_groups = [[0, 1]], across = cross_replica, monoid = or}
              %6: f32[2,2] = reduce_scatter %0 {replica_groups = [[0], [1]], across = cross_replica_and_partition, monoid = add, scatter_dimension = 0, group_size = 2}
              %7: f32[4] = convert %1
              %8: f32[4] = all_reduce %7 {replica_groups = [[0, 1]], across = cross_replica, monoid = add}
              return %3, %4, %5, %6, %8
            }
        "#]],
    );
}

fn check(body: &str, want: Expect) {
    let text = main_of("%x: tensor<4xf32>, %r: tensor<1xi32>", "tensor<4xf32>", body);
    match import(&text) {
        Ok(_) => panic!("this should be refused:\n{body}"),
        Err(diags) => want.assert_eq(&show(&diags)),
    }
}

fn all_reduce(attrs: &str) -> String {
    format!(
        "  %0 = \"stablehlo.all_reduce\"(%x) <{{{attrs}}}> ({{
  ^bb0(%l: tensor<f32>, %r1: tensor<f32>):
    %9 = stablehlo.add %l, %r1 : tensor<f32>
    stablehlo.return %9 : tensor<f32>
  }}) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>"
    )
}

#[test]
fn what_is_wrong_is_said() {
    check(
        &all_reduce(""),
        expect![[r#"
        2:8: stablehlo.all_reduce lacks its attribute replica_groups
    "#]],
    );
    check(
        &all_reduce("replica_groups = dense<[[0, 0]]> : tensor<1x2xi64>"),
        expect![[r#"
            2:8: all_reduce (C1): 0 is twice in replica_groups
        "#]],
    );
    check(
        &all_reduce("replica_groups = dense<[[0, -1, 1]]> : tensor<1x3xi64>"),
        expect![[r#"
            2:8: all_reduce: stablehlo.all_reduce: replica_groups holds -1, which may not be negative
        "#]],
    );
    check(
        &all_reduce("replica_groups = dense<[0, 1]> : tensor<2xi64>"),
        expect![[r#"
        2:8: stablehlo.all_reduce: replica_groups is not a table of numbers
    "#]],
    );
    check(
        &all_reduce("replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids"),
        expect![[r#"
            2:8: all_reduce (C4): use_global_device_ids with the channel_id 0, which is not positive
        "#]],
    );
    check(
        &all_reduce(
            "replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @none, axes = [#stablehlo.axis_ref<name = \"x\">]>",
        ),
        expect![[r#"
            2:8: stablehlo.all_reduce: replica_groups by mesh: there is no such mesh
        "#]],
    );
    check(
        &all_reduce(
            "replica_groups = #stablehlo.replica_group_mesh_axes<mesh = #stablehlo.mesh<axes = [#stablehlo.mesh_axis<name = \"x\", size = 2>]>, axes = [#stablehlo.axis_ref<name = \"y\">]>",
        ),
        expect![[r#"
            2:8: stablehlo.all_reduce: replica_groups by mesh: the mesh has no such axes
        "#]],
    );
    let permute = |pairs: &str| {
        format!(
            "  %0 = \"stablehlo.collective_permute\"(%x) <{{source_target_pairs = {pairs}}}> : (tensor<4xf32>) -> tensor<4xf32>\n  return %0 : tensor<4xf32>"
        )
    };
    check(
        &permute("dense<[[0, 1], [2, 1]]> : tensor<2x2xi64>"),
        expect![[r#"
            2:8: collective_permute (C3): 1 is a target twice in source_target_pairs
        "#]],
    );
    check(
        &permute("dense<[[0, 1, 2]]> : tensor<1x3xi64>"),
        expect![[r#"
            2:8: collective_permute (C1): [0, 1, 2] in source_target_pairs is not a pair
        "#]],
    );
    check(
        "  %0 = \"stablehlo.all_gather\"(%x) <{all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<4xf32>) -> tensor<4xf32>\n  return %0 : tensor<4xf32>",
        expect![[r#"
            2:8: all_gather (C6): gives tensor<8xf32>, but is declared as tensor<4xf32>
        "#]],
    );
    check(
        "  %0 = \"stablehlo.collective_broadcast\"(%x, %x) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, has_dynamic_root}> : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>\n  return %0 : tensor<4xf32>",
        expect![[r#"
            2:8: collective_broadcast (C4): the roots are tensor<4xf32>, not tensor<1xi32>
        "#]],
    );
    check(
        "  %0:2 = \"stablehlo.infeed\"(%t) : (!stablehlo.token) -> (tensor<4xf32>, !stablehlo.token)\n  return %0#0 : tensor<4xf32>"
            .replace("  %0:2", "  %t = stablehlo.create_token : !stablehlo.token\n  %0:2")
            .as_str(),
        expect![[r#"
            3:10: unsupported: stablehlo.infeed
              help: pass what goes in and out as arguments and results
        "#]],
    );
}

/// One function in each of `n` replicas, on [10 p, 10 p + 1, …]; the first results.
fn run(text: &str, n: usize, shape: &[usize], more: &[Tensor]) -> Vec<Vec<f64>> {
    let module = import_functions(text.as_bytes(), &["main"]).unwrap_or_else(|e| panic!("{}", show(&e)));
    let program: &Program = module.function("main").unwrap();
    let count: usize = shape.iter().product();
    let args: Vec<Vec<Vec<Tensor>>> = (0..n)
        .map(|p| {
            let values: Vec<f64> = (0..count).map(|i| (10 * p + i) as f64).collect();
            let x = Tensor::from_f64s(TensorType::new(DType::F32, shape.to_vec()), &values).unwrap();
            vec![std::iter::once(x).chain(more.iter().cloned()).collect()]
        })
        .collect();
    let results = eval_grid(&vec![vec![program]; n], &args).unwrap_or_else(|e| panic!("{e}"));
    results.into_iter().flatten().map(|r| r[0].to_f64s()).collect()
}

/// l - 2 r, which is no monoid.
const OWN: &str = "({
  ^bb0(%l: tensor<f32>, %r: tensor<f32>):
    %two = stablehlo.constant dense<2.0> : tensor<f32>
    %8 = stablehlo.multiply %two, %r : tensor<f32>
    %9 = stablehlo.subtract %l, %8 : tensor<f32>
    stablehlo.return %9 : tensor<f32>
  })";

#[test]
fn computations_of_ones_own_combine_in_the_order_of_the_group() {
    let of = |op: &str, attrs: &str, result: &str| {
        let body = format!(
            "  %0 = \"stablehlo.{op}\"(%x) <{{{attrs}}}> {OWN} : (tensor<4xf32>) -> tensor<{result}>\n  return %0 : tensor<{result}>"
        );
        main_of("%x: tensor<4xf32>", &format!("tensor<{result}>"), &body)
    };
    let groups = "replica_groups = dense<[[2, 0], [3, 1]]> : tensor<2x2xi64>";
    // 20 + i - 2 i, 30 + i - 2 (10 + i).
    let (even, odd) = (vec![20.0, 19.0, 18.0, 17.0], vec![10.0, 9.0, 8.0, 7.0]);
    assert_eq!(run(&of("all_reduce", groups, "4xf32"), 4, &[4], &[]), [&even[..], &odd, &even, &odd]);
    let scattered =
        run(&of("reduce_scatter", &format!("{groups}, scatter_dimension = 0 : i64"), "2xf32"), 4, &[4], &[]);
    assert_eq!(scattered, [&even[2..], &odd[2..], &even[..2], &odd[..2]]);
    let ragged =
        of("all_reduce", "replica_groups = dense<[[0, 1, 2], [3, -1, -1]]> : tensor<2x3xi64>", "4xf32");
    expect![[r#"
        2:8: unsupported: stablehlo.all_reduce of groups of several sizes with a reducer of its own
          help: combine with add, multiply, maximum, minimum, and, or or, or make groups of one size
    "#]]
    .assert_eq(&show(&import(&ragged).unwrap_err()));
}

#[test]
fn a_root_is_the_first_of_its_group_or_one_given_when_it_runs() {
    let root = |r: i64| [Tensor::from_i64s(TensorType::new(DType::I32, [1]), &[r]).unwrap()];
    let of = |op: &str, operands: &str, flag: &str, types: &str, region: &str| {
        let args =
            if flag.is_empty() { "%x: tensor<2xf32>" } else { "%x: tensor<2xf32>, %root: tensor<1xi32>" };
        let groups = "replica_groups = dense<[[2, 0, 3], [1, -1, -1]]> : tensor<2x3xi64>";
        main_of(
            args,
            "tensor<2xf32>",
            &format!(
                "  %0 = \"stablehlo.{op}\"({operands}) <{{{groups}{flag}}}> {region} : ({types}) -> tensor<2xf32>\n  return %0 : tensor<2xf32>"
            ),
        )
    };
    let add = "({
  ^bb0(%l: tensor<f32>, %r: tensor<f32>):
    %9 = stablehlo.add %l, %r : tensor<f32>
    stablehlo.return %9 : tensor<f32>
  })";
    let dynamic = |op: &str, region: &str| {
        of(op, "%x, %root", ", has_dynamic_root", "tensor<2xf32>, tensor<1xi32>", region)
    };
    let (zero, sum) = ([0.0, 0.0], [50.0, 53.0]);
    let fixed = of("collective_reduce", "%x", "", "tensor<2xf32>", add);
    assert_eq!(run(&fixed, 5, &[2], &[]), [zero, [10.0, 11.0], sum, zero, zero]);
    // A group of one has no third process: nobody is its root then.
    let reduced = run(&dynamic("collective_reduce", add), 5, &[2], &root(2));
    assert_eq!(reduced, [zero, zero, zero, sum, zero]);
    // 20 + i - 2 i, then - 2 (30 + i).
    let own = run(&of("collective_reduce", "%x", "", "tensor<2xf32>", OWN), 5, &[2], &[]);
    assert_eq!(own, [zero, [10.0, 11.0], [-40.0, -43.0], zero, zero]);
    let sent = run(&of("collective_broadcast", "%x", "", "tensor<2xf32>", ""), 5, &[2], &[]);
    assert_eq!(sent, [[20.0, 21.0], [10.0, 11.0], [20.0, 21.0], [20.0, 21.0], zero]);
    let third = run(&dynamic("collective_broadcast", ""), 5, &[2], &root(2));
    assert_eq!(third, [[30.0, 31.0], zero, [30.0, 31.0], [30.0, 31.0], zero]);
}

#[test]
fn groups_may_be_named_by_the_axes_of_a_mesh() {
    let of = |mesh: &str, more: &str| {
        let groups = format!(
            "#stablehlo.replica_group_mesh_axes<mesh = {mesh}, axes = [#stablehlo.axis_ref<name = \"y\", sub_axis_info = (1)2>]>"
        );
        format!(
            "module {{\n{more}\n{}}}\n",
            main_of("%x: tensor<4xf32>", "tensor<4xf32>", &all_reduce(&format!("replica_groups = {groups}")))
        )
    };
    let inline = "#stablehlo.mesh<axes = [#stablehlo.mesh_axis<name = \"x\", size = 2>, #stablehlo.mesh_axis<name = \"y\", size = 4>], device_ids = dense<[0, 1, 2, 3, 4, 5, 7, 6]> : tensor<8xi64>>";
    let texts = [
        of(inline, ""),
        of("@m", "  sdy.mesh @m = <[\"x\"=2, \"y\"=4], device_ids=[0, 1, 2, 3, 4, 5, 7, 6]>"),
        of(
            "@m",
            "  \"sdy.mesh\"() {sym_name = \"m\", stablehlo.mesh = {axes = [{name = \"x\", size = 2 : i64}, {name = \"y\", size = 4 : i64}], device_ids = dense<[0, 1, 2, 3, 4, 5, 7, 6]> : tensor<8xi64>}} : () -> ()",
        ),
    ];
    for text in texts {
        let module = import_ok(&text);
        let op = module.function("main").unwrap().to_string();
        assert!(op.contains("replica_groups = [[0, 2], [1, 3], [4, 7], [5, 6]]"), "{op}");
    }
}

#[test]
fn functions_are_imported_by_name() {
    let text = "module @m {
  func.func private @inner(%x: tensor<f32>) -> tensor<f32> {
    %0 = stablehlo.negate %x : tensor<f32>
    return %0 : tensor<f32>
  }
  func.func @other(%x: tensor<f32>) -> tensor<f32> {
    %0 = \"nobody.knows\"(%x) : (tensor<f32>) -> tensor<f32>
    return %0 : tensor<f32>
  }
}
";
    let module = import_functions(text.as_bytes(), &["inner"]).unwrap();
    assert_eq!(module.functions().iter().map(Program::name).collect::<Vec<_>>(), ["inner"]);
    let e = import_functions(text.as_bytes(), &["inner", "none", "main"]).unwrap_err();
    assert_eq!(
        show(&e),
        "there is no function \"none\"\n  help: the functions are: inner, other\nthere is no function \"main\"\n  help: the functions are: inner, other\n"
    );
}
