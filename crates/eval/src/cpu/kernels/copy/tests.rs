//! Every copy against a loop over indices, for all element sizes and thread counts.

use super::*;

/// Every index of a shape, in row-major order.
fn indices(shape: &[usize]) -> Vec<Vec<usize>> {
    let mut all = vec![vec![]];
    for &n in shape {
        all = all.iter().flat_map(|i| (0..n).map(move |j| [i.as_slice(), &[j]].concat())).collect();
    }
    all
}

fn at(index: &[usize], shape: &[usize]) -> usize {
    index.iter().zip(row_major(shape)).map(|(&i, s)| i * s as usize).sum()
}

/// Runs `copy` in all element sizes and with 1 to 3 threads; `want[i]` is the source index of result element i, or none.
fn check(what: &str, copy: &StridedCopy, len: usize, want: &[Option<usize>]) {
    for size in [1, 2, 4, 8, 16] {
        let src: Vec<u8> = (0..len * size).map(|i| (i * 31 + i / 251) as u8).collect();
        for threads in 1..=3 {
            let mut dst = vec![0u8; want.len() * size];
            fill_bytes(&[0xee; 16][..size], &mut dst);
            copy.run_bytes(size, &src, &mut dst, threads);
            for (i, from) in want.iter().enumerate() {
                let want = from.map_or(&[0xee; 16][..size], |f| &src[f * size..][..size]);
                assert_eq!(&dst[i * size..][..size], want, "{what}: element {i} of {size} bytes");
            }
        }
    }
}

#[test]
fn transposes() {
    let cases: [(&[usize], &[usize]); 11] = [
        (&[], &[]),
        (&[5], &[0]),
        (&[3, 4], &[1, 0]),
        (&[40, 33], &[1, 0]),
        (&[2, 17, 9], &[0, 2, 1]),
        (&[2, 17, 9], &[2, 0, 1]),
        (&[3, 20, 4, 8], &[0, 2, 1, 3]),
        (&[3, 20, 4, 8], &[0, 2, 3, 1]),
        (&[2, 3, 4, 5], &[3, 2, 1, 0]),
        (&[0, 3], &[1, 0]),
        (&[300, 450], &[1, 0]),
    ];
    for (shape, permutation) in cases {
        let sizes: Vec<usize> = permutation.iter().map(|&p| shape[p]).collect();
        let want: Vec<_> = indices(&sizes)
            .iter()
            .map(|i| {
                let mut from = vec![0; shape.len()];
                permutation.iter().zip(i).for_each(|(&p, &v)| from[p] = v);
                Some(at(&from, shape))
            })
            .collect();
        check("transpose", &StridedCopy::transpose(shape, permutation), shape.iter().product(), &want);
    }
}

#[test]
fn broadcasts() {
    let cases: [(&[usize], &[usize], &[usize]); 7] = [
        (&[], &[], &[3, 4]),
        (&[4], &[1], &[3, 4]),
        (&[3], &[0], &[3, 40]),
        (&[1, 4], &[0, 2], &[3, 5, 4]),
        (&[3, 4], &[2, 1], &[2, 4, 3]),
        (&[3], &[0], &[3, 0]),
        (&[400], &[0], &[400, 350]),
    ];
    for (shape, dims, result) in cases {
        let want: Vec<_> = indices(result)
            .iter()
            .map(|i| {
                let from: Vec<usize> =
                    dims.iter().zip(shape).map(|(&to, &n)| if n == 1 { 0 } else { i[to] }).collect();
                Some(at(&from, shape))
            })
            .collect();
        check(
            "broadcast",
            &StridedCopy::broadcast_in_dim(shape, dims, result),
            shape.iter().product(),
            &want,
        );
    }
}

#[test]
fn slices_and_reversals() {
    let cases: [(&[usize], &[usize], &[usize], &[usize]); 5] = [
        (&[10], &[2], &[3], &[3]),
        (&[5, 100], &[1, 10], &[1, 1], &[3, 60]),
        (&[5, 9], &[0, 1], &[2, 2], &[3, 4]),
        (&[4, 3, 8], &[1, 0, 0], &[1, 1, 1], &[2, 3, 8]),
        (&[4, 4], &[4, 0], &[1, 1], &[0, 4]),
    ];
    for (shape, start, step, result) in cases {
        let want: Vec<_> = indices(result)
            .iter()
            .map(|i| Some(at(&(0..i.len()).map(|d| start[d] + i[d] * step[d]).collect::<Vec<_>>(), shape)))
            .collect();
        check("slice", &StridedCopy::slice(shape, start, step, result), shape.iter().product(), &want);
    }
    let shape = [3, 4, 17];
    for dims in [&[][..], &[0], &[2], &[0, 2], &[0, 1, 2]] {
        let turn = |(d, &i): (usize, &usize)| if dims.contains(&d) { shape[d] - 1 - i } else { i };
        let want: Vec<_> = indices(&shape)
            .iter()
            .map(|i| Some(at(&i.iter().enumerate().map(turn).collect::<Vec<_>>(), &shape)))
            .collect();
        check("reverse", &StridedCopy::reverse(&shape, dims), 3 * 4 * 17, &want);
    }
}

#[test]
fn pads_exhaustively() {
    for (n, low, high, interior) in (0..4).flat_map(|n| {
        (-3i64..3)
            .flat_map(move |low| (-3i64..3).flat_map(move |high| (0..3).map(move |k| (n, low, high, k))))
    }) {
        let spread = n as i64 + (n as i64 - 1).max(0) * interior as i64;
        let size = spread + low + high;
        if size < 0 {
            continue;
        }
        let (shape, result) = ([2, n], [3, size as usize]);
        let mut want = vec![None; 3 * size as usize];
        for i in indices(&shape) {
            let to = low + i[1] as i64 * (interior as i64 + 1);
            if (0..size).contains(&to) {
                // The first dimension has one row of padding before.
                want[(i[0] + 1) * size as usize + to as usize] = Some(at(&i, &shape));
            }
        }
        let copy = StridedCopy::pad(&shape, &[1, low], &[0, interior], &result);
        check(&format!("pad {n} {low} {high} {interior}"), &copy, 2 * n, &want);
    }
    let mut want = vec![None; 4 * 6];
    for i in indices(&[2, 3]) {
        want[(i[0] + 1) * 6 + i[1] + 3] = Some(at(&i, &[2, 3]));
    }
    check("place", &StridedCopy::place(&[2, 3], &[1, 3], &[4, 6]), 6, &want);
}

#[test]
fn dimensions_are_merged() {
    assert!(StridedCopy::transpose(&[3, 1, 4, 5], &[0, 2, 1, 3]).is_contiguous());
    assert!(StridedCopy::slice(&[9, 4, 5], &[3, 0, 0], &[1, 1, 1], &[2, 4, 5]).is_contiguous());
    assert!(!StridedCopy::transpose(&[3, 4], &[1, 0]).is_contiguous());
}

#[test]
#[should_panic(expected = "outside its slice")]
fn a_short_source_is_refused() {
    StridedCopy::transpose(&[3, 4], &[1, 0]).run(&[0u8; 11], &mut [0u8; 12], 1);
}

#[test]
#[should_panic(expected = "overlaps itself")]
fn an_overlapping_destination_is_refused() {
    StridedCopy::new(&[3, 4], 0, &[4, 1], 0, &[2, 1]);
}
