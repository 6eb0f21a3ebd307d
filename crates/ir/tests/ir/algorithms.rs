//! Texts and types of transforms, matrix ops, random bits, complex parts and communication.

use expect_test::expect;
use pullback_ir::text::parse;

/// Each op once.
pub const ALGORITHMS: &str = r#"program @f(%0: f32[2,4,4] "a", %1: c64[3,8] "z", %2: u64[2] "state", %3: f32[2,4,3] "b", %4: bool[0] "token") {
  %5: c64[2,4,3] = fft %0 {fft_type = RFFT, fft_length = [4]}
  %6: c64[3,8] = fft %1 {fft_type = IFFT, fft_length = [3, 8]}
  %7: f32[3,14] = fft %1 {fft_type = IRFFT, fft_length = [14]}
  %8: f32[2,4,4] = cholesky %0 {lower = true}
  %9: f32[2,4,3] = triangular_solve %8, %3 {left_side = true, lower = true, transpose_a = ADJOINT}
  %10: u64[2], %11: u8[5] = rng_bit_generator %2 {rng_algorithm = THREE_FRY} "next", "bits"
  %12: f32[3,8] = real %1
  %13: f32[3,8] = imag %1
  %14: c64[3,8] = complex %12, %13
  %15: f32[3,8] = zeta %12, %13
  %16: u32[] = partition_id
  %17: f32[2,4,12] = all_gather %3 {replica_groups = [[0, 1, 2, 3]], across = flattened_ids, all_gather_dim = 2, group_size = 4}
  %18: f32[2,4,4] = all_reduce %0 {replica_groups = [[0, 2], [1]], across = cross_replica, monoid = add}
  %19: f32[2,2,4] = reduce_scatter %0 {replica_groups = [], across = cross_partition, monoid = maximum, scatter_dimension = 1, group_size = 2}
  %20: f32[1,8,4] = all_to_all %0 {replica_groups = [[0, 1]], across = cross_replica, split_dimension = 0, concat_dimension = 1, group_size = 2}
  %21: f32[2,4,4] = collective_permute %0 {source_target_pairs = [[0, 1], [1, 0]], across = cross_partition}
  %22: f32[2,4,4] = collective_broadcast %0 {replica_groups = [[1, 0]], across = cross_replica}
  %23: bool[0] = send %0, %4 {channel = 1}
  %24: i64[2,2], %25: bool[0] = recv %23 {channel = -3}
  return %5, %25
}
"#;

#[test]
fn algorithms_round_trip() {
    let p = parse(ALGORITHMS).unwrap();
    assert_eq!(p.to_string(), ALGORITHMS);
    p.verify().unwrap();
}

/// The message for one line in place of `%8`.
fn error(line: &str) -> String {
    let head = ALGORITHMS.split("  %5").next().unwrap();
    let e = parse(&format!("{head}  %5: {line}\n  return %5\n}}\n")).unwrap_err();
    e.to_string()
}

#[test]
fn types_are_held_to_the_specification() {
    let lines = [
        "c64[2,4,2] = fft %0 {fft_type = RFFT, fft_length = [4]}",
        "c64[2,4,4] = fft %0 {fft_type = FFT, fft_length = [4]}",
        "c64[3,8] = fft %1 {fft_type = FFT, fft_length = [7]}",
        "f32[3,13] = fft %1 {fft_type = IRFFT, fft_length = [13]}",
        "c64[3,8] = cholesky %1",
        "f32[2,4,3] = triangular_solve %0, %3 {lower = true, transpose_a = TRANSPOSE}",
        "u64[2], %6: f32[1] = rng_bit_generator %0 {rng_algorithm = PHILOX}",
        "f32[2,4,4] = all_reduce %0 {replica_groups = [[0, 0]], across = cross_replica, monoid = add}",
        "f32[2,1,4] = reduce_scatter %0 {replica_groups = [], across = cross_replica, monoid = add, scatter_dimension = 1, group_size = 3}",
        "f32[2,4,4] = collective_permute %0 {source_target_pairs = [[0, 1], [0, 2]], across = cross_replica}",
        "bool[0] = send %4, %0 {channel = 1}",
    ];
    let errors: Vec<String> = lines.iter().map(|line| error(line)).collect();
    expect![[r#"
        2:3: the result of fft is c64[2,4,3], not c64[2,4,2]
        2:20: fft (C2): FFT is not defined on f32[2,4,4]
        2:18: fft: dimension 1 of c64[3,8] is not 7, as lengths [7] say
        2:19: fft (C5): dimension 1 of c64[3,8] is not 7, as lengths [13] say
        2:18: cholesky (C3): the matrices of c64[3,8] are not square
        2:20: triangular_solve (C3): dimension 2 of f32[2,4,3] is not 4, the size of the matrices of f32[2,4,4]
        2:28: rng_bit_generator: the state f32[2,4,4] is not u64[n]
        2:20: all_reduce (C1): 0 is twice among the replica_groups
        2:20: reduce_scatter (C1): dimension 1 of f32[2,4,4] does not split into 3
        2:20: collective_permute (C2): 0 is twice among the sources
        2:17: send: its last operand is not a token"#]]
    .assert_eq(&errors.join("\n"));
}

#[test]
fn communication_is_neither_merged_nor_dropped() {
    let text = "program @f(%0: f32[] \"x\") {
  %1: f32[] = all_reduce %0 {replica_groups = [], across = cross_replica, monoid = add}
  %2: f32[] = all_reduce %0 {replica_groups = [], across = cross_replica, monoid = add}
  %3: u32[] = replica_id
  %4: u32[] = replica_id
  return %0
}
";
    let p = pullback_ir::pass::simplify(&parse(text).unwrap()).unwrap();
    let names: Vec<&str> = p.instrs().values().map(|i| i.op().name()).collect();
    assert_eq!(names, ["all_reduce", "all_reduce"]);
}
