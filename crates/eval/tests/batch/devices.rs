//! A program that every device of a grid runs, as a global program and as a grid of programs.

use crate::{Numbers, program};
use pullback_eval::Tensor;
use pullback_eval::reference::{eval, eval_grid};
use pullback_ir::globalize::{Devices, Spread, globalize};
use pullback_ir::{Builder, Program, TensorType, Value};

/// A grid of axes and the device at each of its places.
fn devices(axes: &[usize], ids: &[usize]) -> Devices {
    Devices { axes: axes.to_vec(), numbers: ids.iter().map(|&id| vec![id]).collect(), nested: false }
}

fn spread(dims: &[&[usize]]) -> Spread {
    Spread { dims: dims.iter().map(|axes| axes.to_vec()).collect() }
}

/// The index of a place along the axes.
fn index(axes: &[usize], place: usize) -> Vec<usize> {
    let mut rest = place;
    let mut index = vec![0; axes.len()];
    for d in (0..axes.len()).rev() {
        (index[d], rest) = (rest % axes[d], rest / axes[d]);
    }
    index
}

/// The whole tensor's element range that a place has: where its part begins in each dimension.
fn corner(axes: &[usize], spread: &Spread, local: &TensorType, place: usize) -> Vec<usize> {
    let at = index(axes, place);
    let along = |d: usize| spread.dims[d].iter().fold(0, |k, &a| k * axes[a] + at[a]);
    (0..local.rank()).map(|d| along(d) * local.shape()[d]).collect()
}

/// Calls `f` with the offset of each element of a part in the part and in the whole.
fn each(local: &TensorType, whole: &TensorType, corner: &[usize], mut f: impl FnMut(usize, usize)) {
    for i in 0..local.count() {
        let at = index(local.shape(), i);
        let offset = (0..local.rank()).fold(0, |o, d| o * whole.shape()[d] + corner[d] + at[d]);
        f(i, offset);
    }
}

fn whole_of(local: &TensorType, axes: &[usize], spread: &Spread) -> TensorType {
    let shape: Vec<usize> = (0..local.rank())
        .map(|d| spread.dims[d].iter().map(|&a| axes[a]).product::<usize>() * local.shape()[d])
        .collect();
    TensorType::new(local.dtype(), shape)
}

/// The global program is what the devices compute together.
fn check(body: &Program, devices: &Devices, ins: &[Spread], outs: &[Spread], numbers: &mut Numbers) {
    let axes = &devices.axes;
    let mut b = Builder::new("global");
    let wholes: Vec<TensorType> =
        body.args().iter().zip(ins).map(|(&a, s)| whole_of(body.ty(a), axes, s)).collect();
    let args: Vec<Value> = wholes.iter().map(|ty| b.arg(None, ty.clone())).collect();
    let results =
        globalize(&mut b, body, &args, devices, ins, outs).unwrap_or_else(|e| panic!("{e}\n{body}"));
    let global = b.finish(&results);
    global.verify().unwrap();
    let args: Vec<Tensor> = wholes.iter().map(|ty| numbers.tensor(ty)).collect();
    let got = eval(&global, &args).unwrap_or_else(|e| panic!("{e}\n{body}\n{global}"));
    // Processes by their numbers.
    let n = devices.numbers.len();
    let mut place_of = vec![0; n];
    for (place, ids) in devices.numbers.iter().enumerate() {
        place_of[ids[0]] = place;
    }
    let parts = (0..n).map(|id| {
        let own = body.args().iter().zip(ins).zip(&args).map(|((&a, s), whole)| {
            let local = body.ty(a);
            let mut t = Tensor::zeros(local.clone());
            let corner = corner(axes, s, local, place_of[id]);
            each(local, whole.ty(), &corner, |i, o| t.set_element(i, whole.element(o)));
            t
        });
        own.collect::<Vec<Tensor>>()
    });
    let parts: Vec<Vec<Tensor>> = parts.collect();
    let local = eval_grid(&[vec![body; n]], &[parts]).unwrap_or_else(|e| panic!("{e}\n{body}"));
    for (k, (s, whole)) in outs.iter().zip(&got).enumerate() {
        // The first device along axes that split nothing has the say.
        let used: Vec<usize> = s.dims.iter().flatten().copied().collect();
        for (id, results) in local[0].iter().enumerate() {
            let at = index(axes, place_of[id]);
            if (0..axes.len()).any(|a| !used.contains(&a) && at[a] > 0) {
                continue;
            }
            let t = &results[k];
            let corner = corner(axes, s, t.ty(), place_of[id]);
            each(t.ty(), whole.ty(), &corner, |i, o| {
                assert_eq!(t.element(i), whole.element(o), "result {k} of device {id}\n{body}\n{global}");
            });
        }
    }
}

/// One collective of one operand.
fn one(shape: &str, result: &str, op: &str, attrs: &str) -> Program {
    program(&format!(
        "program @f(%0: i32[{shape}]) {{\n  %1: i32[{result}] = {op} %0 {{{attrs}}}\n  return %1\n}}\n"
    ))
}

/// Grids of six or eight devices: in order and not.
fn grids() -> Vec<Devices> {
    vec![
        devices(&[6], &[0, 1, 2, 3, 4, 5]),
        devices(&[2, 3], &[0, 1, 2, 3, 4, 5]),
        devices(&[2, 3], &[4, 0, 3, 5, 1, 2]),
        devices(&[3, 1, 2], &[0, 1, 2, 3, 4, 5]),
        devices(&[2, 2, 2], &[0, 1, 2, 3, 4, 5, 6, 7]),
        devices(&[2, 2, 2], &[7, 2, 5, 0, 1, 6, 3, 4]),
    ]
}

/// Groups of the devices of a grid: all, along each axis, in another order, and none of an axis.
fn groups(d: &Devices, numbers: &mut Numbers) -> Vec<Vec<Vec<usize>>> {
    let ids: Vec<usize> = d.numbers.iter().map(|n| n[0]).collect();
    let n = ids.len();
    let mut out = vec![vec![ids.clone()], ids.iter().map(|&i| vec![i]).collect()];
    for a in 0..d.axes.len() {
        let mut along: Vec<Vec<usize>> = Vec::new();
        for place in 0..n {
            let at = index(&d.axes, place);
            if at[a] == 0 {
                let step: usize = d.axes[a + 1..].iter().product();
                along.push((0..d.axes[a]).map(|k| ids[place + k * step]).collect());
            }
        }
        out.push(along);
    }
    // Pairs of any two, and everything shuffled.
    let mut any = ids.clone();
    for i in (1..n).rev() {
        any.swap(i, numbers.below(i as u64 + 1) as usize);
    }
    out.push(any.chunks(2).map(<[usize]>::to_vec).collect());
    out.push(vec![any]);
    out
}

#[test]
fn collectives_are_ops_on_device_dimensions() {
    let mut numbers = Numbers::new(11);
    for d in grids() {
        let axes: Vec<usize> = (0..d.axes.len()).collect();
        let split = spread(&[&axes[..], &[]]);
        for groups in groups(&d, &mut numbers) {
            let size = groups[0].len();
            let attrs = format!("replica_groups = {groups:?}, across = flattened_ids");
            let (rows, large) = (2 * size, 2 * size * size);
            let shape = format!("{rows},3");
            for (op, result, more) in [
                ("all_reduce", shape.clone(), "monoid = add".to_owned()),
                ("all_reduce", shape.clone(), "monoid = maximum".to_owned()),
                ("all_gather", format!("{large},3"), format!("all_gather_dim = 0, group_size = {size}")),
                (
                    "all_gather",
                    format!("{rows},{}", 3 * size),
                    format!("all_gather_dim = 1, group_size = {size}"),
                ),
                (
                    "reduce_scatter",
                    "2,3".to_owned(),
                    format!("monoid = add, scatter_dimension = 0, group_size = {size}"),
                ),
                (
                    "all_to_all",
                    shape.clone(),
                    format!("split_dimension = 0, concat_dimension = 0, group_size = {size}"),
                ),
                (
                    "all_to_all",
                    format!("2,{}", 3 * size),
                    format!("split_dimension = 0, concat_dimension = 1, group_size = {size}"),
                ),
                ("collective_broadcast", shape.clone(), String::new()),
            ] {
                let attrs = if more.is_empty() { attrs.clone() } else { format!("{attrs}, {more}") };
                check(
                    &one(&shape, &result, op, &attrs),
                    &d,
                    std::slice::from_ref(&split),
                    std::slice::from_ref(&split),
                    &mut numbers,
                );
            }
        }
    }
}

#[test]
fn groups_of_several_sizes_are_summed_each() {
    let mut numbers = Numbers::new(12);
    let d = devices(&[2, 3], &[4, 0, 3, 5, 1, 2]);
    let s = spread(&[&[0, 1]]);
    let op = one(
        "2",
        "2",
        "all_reduce",
        "replica_groups = [[0, 1, 2], [5], [4, 3]], across = flattened_ids, monoid = add",
    );
    check(&op, &d, std::slice::from_ref(&s), std::slice::from_ref(&s), &mut numbers);
}

#[test]
fn permutations_take_rows_in_another_order_and_zeros() {
    let mut numbers = Numbers::new(13);
    for pairs in [
        "[[0, 1], [1, 2], [2, 3], [3, 4], [4, 5], [5, 0]]",
        "[[0, 1], [1, 2], [2, 3], [3, 4], [4, 5]]",
        "[[3, 0], [5, 5]]",
        "[]",
    ] {
        for ids in [[0, 1, 2, 3, 4, 5], [4, 0, 3, 5, 1, 2]] {
            for axes in [&[6][..], &[2, 3]] {
                let d = devices(axes, &ids);
                let all: Vec<usize> = (0..axes.len()).collect();
                let s = spread(&[&all[..], &[]]);
                let op = one(
                    "1,2",
                    "1,2",
                    "collective_permute",
                    &format!("source_target_pairs = {pairs}, across = cross_partition"),
                );
                check(&op, &d, std::slice::from_ref(&s), std::slice::from_ref(&s), &mut numbers);
            }
        }
    }
    // More pieces than are joined: a gather.
    let d = devices(&[12], &[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]);
    let pairs: Vec<[usize; 2]> = (0..11).map(|i| [i, (i * 5 + 2) % 12]).collect();
    let op = one(
        "1",
        "1",
        "collective_permute",
        &format!("source_target_pairs = {pairs:?}, across = cross_partition"),
    );
    check(&op, &d, &[spread(&[&[0]])], &[spread(&[&[0]])], &mut numbers);
}

#[test]
fn what_does_not_differ_is_computed_once() {
    let body = program(
        "program @f(%0: f32[2,3], %1: f32[3,2]) {
  %2: f32[3,2] = negate %1
  %3: f32[2,2] = dot_general %0, %2 {contracting_dims = [1] x [0]}
  %4: f32[2,2] = all_reduce %3 {replica_groups = [], across = flattened_ids, monoid = add}
  %5: f32[2,2] = negate %4
  return %5, %2
}
",
    );
    let d = devices(&[2], &[0, 1]);
    let (ins, outs) =
        ([spread(&[&[0], &[]]), spread(&[&[], &[]])], [spread(&[&[], &[]]), spread(&[&[0], &[]])]);
    let mut b = Builder::new("global");
    let x = b.arg(None, TensorType::new(pullback_ir::DType::F32, [4, 3]));
    let w = b.arg(None, TensorType::new(pullback_ir::DType::F32, [3, 2]));
    let results = globalize(&mut b, &body, &[x, w], &d, &ins, &outs).unwrap();
    let global = b.finish(&results);
    let text: Vec<String> = global.to_string().lines().map(str::to_owned).collect();
    assert!(text.iter().any(|l| l.contains("f32[3,2] = negate")), "{global}");
    assert!(text.iter().any(|l| l.contains("f32[2,2] = negate")), "{global}");
    check(&body, &d, &ins, &outs, &mut Numbers::new(14));
}

#[test]
fn splits_along_any_axes_are_parts() {
    let mut numbers = Numbers::new(15);
    let d = devices(&[2, 3, 2], &(0..12).collect::<Vec<_>>());
    let body = program(
        "program @f(%0: i32[2,3], %1: i32[], %2: i32[2,3]) {
  %3: i32[2,3] = broadcast_in_dim %1 {broadcast_dimensions = []}
  %4: i32[2,3] = add %0, %3
  %5: i32[2,3] = subtract %4, %2
  %6: u32[] = partition_id
  %7: u32[] = replica_id
  %8: u32[] = add %6, %7
  %9: i32[] = convert %8
  %10: i32[2,3] = broadcast_in_dim %9 {broadcast_dimensions = []}
  %11: i32[2,3] = add %5, %10
  return %11, %5
}
",
    );
    let scalar = spread(&[]);
    for (a, b, out) in [
        (spread(&[&[2, 0], &[1]]), spread(&[&[], &[0, 2]]), spread(&[&[0, 1, 2], &[]])),
        (spread(&[&[], &[]]), spread(&[&[1], &[]]), spread(&[&[1], &[2]])),
        (spread(&[&[0, 1, 2], &[]]), spread(&[&[0], &[1]]), spread(&[&[], &[]])),
    ] {
        check(&body, &d, &[a, scalar.clone(), b], &[out.clone(), out], &mut numbers);
    }
}

/// A loop with a ring inside, a branch by the device's number, an index that differs.
#[test]
fn control_and_indices_that_differ_between_devices() {
    let mut numbers = Numbers::new(16);
    let body = program(
        "program @f(%0: i32[4], %1: i32[6,2]) {
  %2: u32[] = partition_id
  %3: i32[] = convert %2
  %4: i32[] = constant 0
  %5: i32[1,2] = dynamic_slice %1, %3, %4 {slice_sizes = [1, 2]}
  %6: i32[], %7: i32[4] = while %4, %0 (program @cond(%0: i32[], %1: i32[4]) {
    %2: i32[] = constant 3
    %3: bool[] = compare %0, %2 {comparison_direction = LT}
    return %3
  }, program @body(%0: i32[], %1: i32[4]) {
    %2: i32[] = constant 1
    %3: i32[] = add %0, %2
    %4: i32[4] = collective_permute %1 {source_target_pairs = [[0, 1], [1, 2], [2, 3], [3, 4], [4, 5], [5, 0]], across = cross_partition}
    %5: i32[4] = add %4, %1
    return %3, %5
  })
  %8: i32[4] = case %3, %7 (program @a(%0: i32[4]) {
    %1: i32[4] = negate %0
    return %1
  }, program @b(%0: i32[4]) {
    return %0
  })
  return %8, %5
}
",
    );
    for axes in [&[6][..], &[3, 2]] {
        let d = devices(axes, &[0, 1, 2, 3, 4, 5]);
        let all: Vec<usize> = (0..axes.len()).collect();
        let ins = [spread(&[&all]), spread(&[&[], &[]])];
        let outs = [spread(&[&all]), spread(&[&all, &[]])];
        check(&body, &d, &ins, &outs, &mut numbers);
    }
}

#[test]
fn what_has_no_global_meaning_is_refused() {
    let error = |body: &str, d: &Devices| {
        let body = program(body);
        let mut b = Builder::new("global");
        let args: Vec<Value> = body.args().iter().map(|&a| b.arg(None, body.ty(a).clone())).collect();
        let whole = |v: &Value| Spread { dims: vec![Vec::new(); body.ty(*v).rank()] };
        let ins: Vec<Spread> = body.args().iter().map(whole).collect();
        let outs: Vec<Spread> = body.results().iter().map(whole).collect();
        globalize(&mut b, &body, &args, d, &ins, &outs).unwrap_err().to_string()
    };
    let all = devices(&[2], &[0, 1]);
    let some = Devices { axes: vec![2], numbers: vec![vec![0, 1], vec![2, 3]], nested: false };
    let reduce = |groups: &str| {
        format!(
            "program @f(%0: f32[2]) {{\n  %1: f32[2] = all_reduce %0 {{replica_groups = {groups}, across = flattened_ids, monoid = add}}\n  return %1\n}}\n"
        )
    };
    assert_eq!(
        error(&reduce("[[0, 7]]"), &all),
        "unsupported: all_reduce: 7 is the number of no device of the mesh"
    );
    assert_eq!(
        error(&reduce("[[0]]"), &all),
        "unsupported: all_reduce: its groups do not have every device, or differ in size"
    );
    assert_eq!(
        error(&reduce("[[0, 1], [2, 3]]"), &some),
        "unsupported: all_reduce: it reaches along axes of the mesh that the computation is not manual over"
    );
    assert_eq!(
        error(&reduce("[[0, 2], [1], [3]]"), &some),
        "unsupported: all_reduce: it differs along axes of the mesh that the computation is not manual over"
    );
    assert_eq!(
        error("program @f() {\n  %0: u32[] = partition_id\n  return %0\n}\n", &some),
        "unsupported: partition_id: it differs along axes of the mesh that the computation is not manual over"
    );
    let waits = "program @f() {
  %0: u32[] = partition_id
  %1: u32[] = while %0 (program @c(%0: u32[]) {
    %1: u32[] = constant 1
    %2: bool[] = compare %0, %1 {comparison_direction = LT}
    return %2
  }, program @b(%0: u32[]) {
    %1: u32[] = all_reduce %0 {replica_groups = [], across = flattened_ids, monoid = add}
    return %1
  })
  return %1
}
";
    assert!(error(waits, &all).contains("devices communicate in a loop whose number of turns may differ"));
}
