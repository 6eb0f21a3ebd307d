//! Programs of a grid: collectives, transfers, and what is refused.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use expect_test::{Expect, expect};
use proptest::prelude::*;
use pullback_eval::{CpuDevice, ReferenceDevice, Tensor, evaluate, reference::eval_grid};
use pullback_ir::text::parse;
use pullback_ir::{DType, Program, TensorType};

fn program(text: &str) -> Program {
    parse(text).unwrap_or_else(|e| panic!("{e}\n{text}"))
}

/// A program of one i64 argument of this shape and one op on it.
fn one_op(shape: &str, op: &str) -> Program {
    program(&format!("program @f(%0: i64[{shape}]) {{\n  %1: {op}\n  return %1\n}}\n"))
}

fn tensor(shape: &[usize], values: &[i64]) -> Tensor {
    Tensor::from_i64s(TensorType::new(DType::I64, shape.to_vec()), values).unwrap()
}

/// One program for all processes; the arguments and results of each in order.
fn all(p: &Program, rows: usize, columns: usize, args: &[Vec<Tensor>]) -> Result<Vec<Vec<Tensor>>, String> {
    let programs: Vec<Vec<&Program>> = (0..rows).map(|_| vec![p; columns]).collect();
    let args: Vec<Vec<Vec<Tensor>>> = args.chunks(columns).map(<[Vec<Tensor>]>::to_vec).collect();
    eval_grid(&programs, &args).map(|r| r.into_iter().flatten().collect()).map_err(|e| e.to_string())
}

/// Programs in one column, without arguments or with these.
fn column(programs: &[&Program], args: &[Vec<Tensor>]) -> Result<Vec<Vec<Tensor>>, String> {
    let rows: Vec<Vec<&Program>> = programs.iter().map(|p| vec![*p]).collect();
    let args: Vec<Vec<Vec<Tensor>>> = args.iter().map(|a| vec![a.clone()]).collect();
    eval_grid(&rows, &args).map(|r| r.into_iter().flatten().collect()).map_err(|e| e.to_string())
}

fn ints(results: &[Vec<Tensor>]) -> Vec<Vec<i64>> {
    results.iter().map(|r| r[0].to_i64s()).collect()
}

/// Process p of this many has [10 p, 10 p + 1, …].
fn tens(n: usize, shape: &[usize]) -> Vec<Vec<Tensor>> {
    let count = shape.iter().product::<usize>() as i64;
    (0..n as i64).map(|p| vec![tensor(shape, &(0..count).map(|i| 10 * p + i).collect::<Vec<_>>())]).collect()
}

#[test]
fn a_group_is_of_replicas_of_partitions_of_both_or_of_numbers() {
    // A grid of two replicas and two partitions: processes 0 1 / 2 3.
    let gather = |groups: &str, size: usize| {
        let result = format!(
            "i64[{size}] = all_gather %0 {{replica_groups = {groups}, all_gather_dim = 0, group_size = {size}}}"
        );
        ints(&all(&one_op("1", &result), 2, 2, &tens(4, &[1])).unwrap())
    };
    assert_eq!(gather("[[1, 0]], across = cross_replica", 2), [[20, 0], [30, 10], [20, 0], [30, 10]]);
    assert_eq!(gather("[[1, 0]], across = cross_partition", 2), [[10, 0], [10, 0], [30, 20], [30, 20]]);
    // Partitions outermost.
    assert_eq!(gather("[[1, 0]], across = cross_replica_and_partition", 4), vec![[20, 0, 30, 10]; 4]);
    assert_eq!(gather("[[3, 0], [1, 2]], across = flattened_ids", 2), [[30, 0], [10, 20], [10, 20], [30, 0]]);
    assert_eq!(gather("[], across = cross_replica", 2), [[0, 20], [10, 30], [0, 20], [10, 30]]);
    assert_eq!(gather("[], across = flattened_ids", 4), vec![[0, 10, 20, 30]; 4]);
}

#[test]
fn collectives_of_the_specification() {
    let op = one_op(
        "4",
        "i64[4] = all_reduce %0 {replica_groups = [[0, 1], [2]], across = cross_replica, monoid = multiply}",
    );
    let args = vec![
        vec![tensor(&[4], &[1, 2, 3, 4])],
        vec![tensor(&[4], &[5, 6, 7, 8])],
        vec![tensor(&[4], &[9, 9, 9, 9])],
    ];
    assert_eq!(ints(&all(&op, 3, 1, &args).unwrap()), [[5, 12, 21, 32], [5, 12, 21, 32], [9, 9, 9, 9]]);

    let op = one_op(
        "2,4",
        "i64[2,2] = reduce_scatter %0 {replica_groups = [[0, 1]], across = cross_replica, monoid = add, scatter_dimension = 1, group_size = 2}",
    );
    let two = vec![
        vec![tensor(&[2, 4], &[1, 2, 3, 4, 5, 6, 7, 8])],
        vec![tensor(&[2, 4], &[9, 10, 11, 12, 13, 14, 15, 16])],
    ];
    assert_eq!(ints(&all(&op, 2, 1, &two).unwrap()), [[10, 12, 18, 20], [14, 16, 22, 24]]);

    let op = one_op(
        "2,4",
        "i64[4,2] = all_to_all %0 {replica_groups = [[0, 1]], across = cross_partition, split_dimension = 1, concat_dimension = 0, group_size = 2}",
    );
    assert_eq!(
        ints(&all(&op, 1, 2, &two).unwrap()),
        [[1, 2, 5, 6, 9, 10, 13, 14], [3, 4, 7, 8, 11, 12, 15, 16]]
    );

    let op = one_op(
        "2",
        "i64[2] = collective_permute %0 {source_target_pairs = [[0, 1], [1, 2], [3, 3]], across = cross_replica}",
    );
    assert_eq!(ints(&all(&op, 4, 1, &tens(4, &[2])).unwrap()), [[0, 0], [0, 1], [10, 11], [30, 31]]);

    let op =
        one_op("2", "i64[2] = collective_broadcast %0 {replica_groups = [[2, 1]], across = cross_replica}");
    assert_eq!(ints(&all(&op, 4, 1, &tens(4, &[2])).unwrap()), [[0, 0], [20, 21], [20, 21], [0, 0]]);

    let ids =
        program("program @f() {\n  %0: u32[] = replica_id\n  %1: u32[] = partition_id\n  return %0, %1\n}\n");
    let ids = all(&ids, 2, 3, &vec![vec![]; 6]).unwrap();
    let pairs: Vec<(i64, i64)> = ids.iter().map(|r| (r[0].get_i64(0), r[1].get_i64(0))).collect();
    assert_eq!(pairs, [(0, 0), (0, 1), (0, 2), (1, 0), (1, 1), (1, 2)]);
}

#[test]
fn floats_combine_in_the_order_of_the_group() {
    // (1e30 + -1e30) + 1 is 1; in another order it is 0.
    let text = |group: &str| {
        program(&format!(
            "program @f(%0: f32[]) {{\n  %1: f32[] = all_reduce %0 {{replica_groups = [{group}], across = cross_replica, monoid = add}}\n  return %1\n}}\n"
        ))
    };
    let args: Vec<Vec<Tensor>> = [1e30, -1e30, 1.0].iter().map(|&x| vec![Tensor::scalar_f32(x)]).collect();
    let sum = |group| all(&text(group), 3, 1, &args).unwrap()[1][0].get_f64(0);
    assert_eq!((sum("[0, 1, 2]"), sum("[2, 0, 1]")), (1.0, 0.0));
}

/// Counts to 3; each turn gives the carried value to the next process.
const RING: &str = "program @ring(%0: i64[1]) {
  %1: i64[] = constant 0
  %2: i64[], %3: i64[1] = while %1, %0 (program @cond(%0: i64[], %1: i64[1]) {
    %2: i64[] = constant 3
    %3: bool[] = compare %0, %2 {comparison_direction = LT}
    return %3
  }, program @body(%0: i64[], %1: i64[1]) {
    %2: i64[] = constant 1
    %3: i64[] = add %0, %2
    %4: i64[1] = collective_permute %1 {source_target_pairs = [[0, 1], [1, 2], [2, 3], [3, 0]], across = cross_partition}
    return %3, %4
  })
  return %3
}
";

#[test]
fn loops_and_branches_communicate() {
    let ring = program(RING);
    assert_eq!(ints(&all(&ring, 1, 4, &tens(4, &[1])).unwrap()), [[10], [20], [30], [0]]);
    // The first process adds its operand, the others its negative.
    let sum = "all_reduce %1 {replica_groups = [], across = cross_partition, monoid = add}";
    let branches = program(&format!(
        "program @f(%0: i64[1]) {{
  %1: u32[] = partition_id
  %2: i32[] = convert %1
  %3: i64[1] = case %2, %0 (program @first(%0: i64[1]) {{
    %1: i64[1] = reshape %0
    %2: i64[1] = {sum}
    return %2
  }}, program @others(%0: i64[1]) {{
    %1: i64[1] = negate %0
    %2: i64[1] = {sum}
    return %2
  }})
  return %3
}}
"
    ));
    let args: Vec<Vec<Tensor>> = [5, 1, 2].iter().map(|&x| vec![tensor(&[1], &[x])]).collect();
    assert_eq!(ints(&all(&branches, 1, 3, &args).unwrap()), [[2], [2], [2]]);
}

fn channel(send: &str, n: usize) -> Program {
    let mut text = "program @sends(%0: i64[2], %1: bool[0]) {\n".to_owned();
    for i in 0..n {
        text.push_str(&format!("  %{}: bool[0] = send {send}, %{} {{channel = 7}}\n", i + 2, i + 1));
    }
    text.push_str(&format!("  return %{}\n}}\n", n + 1));
    program(&text)
}

fn receives(n: usize) -> Program {
    let mut text = "program @receives(%0: bool[0]) {\n".to_owned();
    let mut token = 0;
    for i in 0..n {
        let v = 2 * i + 1;
        text.push_str(&format!("  %{v}: i64[2], %{}: bool[0] = recv %{token} {{channel = 7}}\n", v + 1));
        token = v + 1;
    }
    text.push_str(&format!("  return %{}\n}}\n", token - 1));
    program(&text)
}

fn token() -> Tensor {
    Tensor::zeros(TensorType::new(DType::Bool, [0]))
}

#[test]
fn a_channel_keeps_its_order_and_waits_when_full() {
    // More than a channel holds at once.
    let (sends, receives) = (channel("%0", 1500), receives(1500));
    let args = [vec![tensor(&[2], &[4, 5]), token()], vec![token()]];
    let results = column(&[&sends, &receives], &args).unwrap();
    assert_eq!((results[0][0].count(), results[1][0].to_i64s()), (0, vec![4, 5]));
    let reversed = column(&[&receives, &sends], &[args[1].clone(), args[0].clone()]).unwrap();
    assert_eq!(reversed[0][0].to_i64s(), [4, 5]);
}

fn refused(result: Result<Vec<Vec<Tensor>>, String>, expect: Expect) {
    expect.assert_eq(&result.unwrap_err());
}

#[test]
fn programs_that_wait_for_each_other_in_vain_are_named() {
    let reduce = one_op(
        "2",
        "i64[2] = all_reduce %0 {replica_groups = [[0, 1, 2]], across = cross_replica, monoid = add}",
    );
    let permute = one_op(
        "2",
        "i64[2] = collective_permute %0 {source_target_pairs = [[2, 1], [1, 0]], across = cross_replica}",
    );
    let plain = one_op("2", "i64[2] = negate %0");
    refused(
        column(&[&reduce, &permute, &plain], &tens(3, &[2])),
        expect![[r#"
            no program can go on:
              (0, 0) waits in all_reduce for (1, 0), (2, 0), which has ended
              (1, 0) waits in collective_permute for (2, 0), which has ended"#]],
    );
    refused(
        column(&[&receives(1), &receives(1)], &[vec![token()], vec![token()]]),
        expect![[r#"
            no program can go on:
              (0, 0) waits in recv for a send on channel 7
              (1, 0) waits in recv for a send on channel 7"#]],
    );
    refused(
        column(
            &[&channel("%0", 1030), &reduce],
            &[vec![tensor(&[2], &[4, 5]), token()], tens(1, &[2]).remove(0)],
        ),
        expect![
            "(1, 0) in all_reduce: its groups name 2, but the grid of 2 replicas and 1 partitions has numbers below 2 (cross_replica)"
        ],
    );
}

#[test]
fn programs_that_do_not_fit_together_are_refused() {
    let reduce = |monoid: &str| {
        one_op(
            "2",
            &format!(
                "i64[2] = all_reduce %0 {{replica_groups = [], across = cross_replica, monoid = {monoid}}}"
            ),
        )
    };
    let gather = one_op(
        "2",
        "i64[4] = all_gather %0 {replica_groups = [], across = cross_replica, all_gather_dim = 0, group_size = 2}",
    );
    let wide =
        one_op("3", "i64[3] = all_reduce %0 {replica_groups = [], across = cross_replica, monoid = add}");
    let pair = |a: &Program, b: &Program| {
        let args = |p: &Program| vec![Tensor::zeros(p.ty(p.args()[0]).clone())];
        column(&[a, b], &[args(a), args(b)])
    };
    refused(
        pair(&reduce("add"), &reduce("maximum")),
        expect![
            "programs meet in different collectives: (0, 0) is in all_reduce of i64[2], (1, 0) is in all_reduce of i64[2], with other attributes"
        ],
    );
    refused(
        pair(&gather, &reduce("add")),
        expect![
            "programs meet in different collectives: (0, 0) is in all_gather of i64[2], (1, 0) is in all_reduce of i64[2]"
        ],
    );
    refused(
        pair(&reduce("add"), &wide),
        expect![
            "programs meet in different collectives: (0, 0) is in all_reduce of i64[2], (1, 0) is in all_reduce of i64[3]"
        ],
    );
    let few =
        one_op("2", "i64[2] = all_reduce %0 {replica_groups = [[1]], across = cross_replica, monoid = add}");
    refused(pair(&few, &few), expect!["(0, 0) in all_reduce: it is in no group"]);
    refused(
        all(&gather, 3, 1, &tens(3, &[2])),
        expect!["(0, 0) in all_gather: its type is for groups of 2 processes, but its group has 3"],
    );
    let sends = channel("%0", 1);
    refused(
        column(&[&sends], &[vec![tensor(&[2], &[4, 5]), token()]]),
        expect!["what (0, 0) sent on channel 7 is received by no program"],
    );
    refused(
        column(
            &[&channel("%0, %0", 1), &receives(1)],
            &[vec![tensor(&[2], &[4, 5]), token()], vec![token()]],
        ),
        expect!["on channel 7, (0, 0) sent (i64[2], i64[2]), but (1, 0) receives (i64[2])"],
    );
    refused(
        column(&[&sends, &sends], &[vec![], vec![]]),
        expect!["the program of replica 0, partition 0: the program has 2 arguments, the caller gave 0"],
    );
}

#[test]
fn a_grid_is_a_rectangle() {
    let p = one_op("2", "i64[2] = negate %0");
    let ragged = eval_grid(&[vec![&p, &p], vec![&p]], &[]).unwrap_err().to_string();
    assert_eq!(ragged, "a grid has rows of equal length, at least one of at least one");
    assert_eq!(eval_grid(&[], &[]).unwrap_err().to_string(), ragged);
    let many = vec![vec![&p; 1025]];
    assert_eq!(eval_grid(&many, &[]).unwrap_err().to_string(), "a grid has at most 1024 programs");
    let none = eval_grid(&[vec![&p]], &[]).unwrap_err().to_string();
    assert_eq!(none, "the arguments are not arranged as the programs are");
}

#[test]
fn alone_a_program_that_communicates_is_refused_with_the_way_out() {
    let ring = program(RING);
    for device in [&ReferenceDevice as &dyn pullback_eval::Device, &CpuDevice { threads: 1 }] {
        let e = evaluate(device, &ring, &tens(1, &[1])[0]).unwrap_err().to_string();
        let want = "unsupported: collective_permute in a program that runs alone: it is for a grid of programs; \
                    run the grid with pullback eval FILE --programs SPEC.json";
        assert_eq!(e, want, "{}", device.name());
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// A gather, a scatter of sums and an exchange are made of each other.
    #[test]
    fn collectives_agree(
        rows in 1usize..4,
        columns in 1usize..4,
        seed in any::<u64>(),
        shuffled in Just((0..9usize).collect::<Vec<_>>()).prop_shuffle(),
    ) {
        let n = rows * columns;
        let order: Vec<usize> = shuffled.into_iter().filter(|&p| p < n).collect();
        let groups = format!("replica_groups = [{order:?}], across = flattened_ids");
        let mut rng = seed;
        let mut next = || {
            rng = rng.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (rng >> 40) as i64
        };
        let args: Vec<Vec<Tensor>> = (0..n)
            .map(|_| vec![tensor(&[n, 2], &(0..2 * n).map(|_| next()).collect::<Vec<_>>())])
            .collect();
        let run = |op: &str| ints(&all(&one_op(&format!("{n},2"), op), rows, columns, &args).unwrap());
        let gathered = run(&format!("i64[{},2] = all_gather %0 {{{groups}, all_gather_dim = 0, group_size = {n}}}", n * n));
        let scattered = run(&format!("i64[1,2] = reduce_scatter %0 {{{groups}, monoid = add, scatter_dimension = 0, group_size = {n}}}"));
        let exchanged = run(&format!("i64[{n},2] = all_to_all %0 {{{groups}, split_dimension = 0, concat_dimension = 0, group_size = {n}}}"));
        let reduced = run(&format!("i64[{n},2] = all_reduce %0 {{{groups}, monoid = add}}"));
        for (place, &p) in order.iter().enumerate() {
            let by_order: Vec<i64> = order.iter().flat_map(|&q| args[q][0].to_i64s()).collect();
            prop_assert_eq!(&gathered[p], &by_order);
            prop_assert_eq!(&scattered[p][..], &reduced[p][2 * place..2 * place + 2]);
            let rows_of: Vec<i64> =
                order.iter().flat_map(|&q| args[q][0].to_i64s()[2 * place..2 * place + 2].to_vec()).collect();
            prop_assert_eq!(&exchanged[p], &rows_of);
            let sums: Vec<i64> = (0..2)
                .map(|j| exchanged[p].iter().skip(j).step_by(2).sum())
                .collect();
            prop_assert_eq!(&scattered[p], &sums);
        }
    }
}
