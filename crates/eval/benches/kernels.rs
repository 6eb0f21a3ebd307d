//! Times of the CPU kernels: `cargo bench -p pullback-eval --bench kernels [-- FILTER]`.
//!
//! Prints one line per kernel: nanoseconds per element, or GFLOP/s for matrix products; the best of several runs.
//! What it does not do: no statistics, no comparison with stored numbers; nothing here is asserted.

use pullback_eval::cpu::kernels::copy::StridedCopy;
use pullback_eval::cpu::kernels::dispatch::{self, Level, vectorized_at};
use pullback_eval::cpu::kernels::gemm::{BatchDim, batched_gemm_f32, gemm_f32, gemm_f64};
use pullback_eval::cpu::kernels::math::{
    Binary, Comparison, Unary, binary_f32, binary_f64, compare, erf_f32, erfc_f32, exp_f32, log_f32,
    tanh_f32, unary_f32, unary_f64,
};
use pullback_eval::cpu::kernels::pool::parallel_for;
use pullback_eval::cpu::kernels::reduce::{ReduceOp, reduce_last_f32, reduce_leading_f32, softmax_f32};
use pullback_eval::cpu::kernels::rows::{gather_rows, scatter_add_rows_f32};
use std::hint::black_box;
use std::time::{Duration, Instant};

/// The least time of one call in seconds.
fn time(mut f: impl FnMut()) -> f64 {
    f();
    let begin = Instant::now();
    let mut best = f64::MAX;
    let mut runs = 0;
    while runs < 5 || (begin.elapsed() < Duration::from_millis(60) && runs < 1_000) {
        let start = Instant::now();
        f();
        best = best.min(start.elapsed().as_secs_f64());
        runs += 1;
    }
    best
}

struct Table {
    filter: String,
}

impl Table {
    fn per_element(&self, name: &str, elements: usize, f: impl FnMut()) {
        if name.contains(&self.filter) {
            println!("{name:<44}{:>10.3} ns/element", time(f) * 1e9 / elements as f64);
        }
    }

    fn gflops(&self, name: &str, flops: usize, f: impl FnMut()) {
        if name.contains(&self.filter) {
            println!("{name:<44}{:>10.1} GFLOP/s", flops as f64 / time(f) / 1e9);
        }
    }
}

fn main() {
    let filter = std::env::args().skip(1).find(|a| !a.starts_with('-')).unwrap_or_default();
    println!("vectors: {:?}", dispatch::level());
    let table = Table { filter };
    elementwise(&table);
    reductions(&table);
    copies(&table);
    products(&table);
    table.per_element("pool: empty parallel_for, 2 threads (a call)", 1, || parallel_for(2, 2, &|_| {}));
}

/// Blocks of 4096 elements, as fused loops use them: all in the first-level cache.
fn elementwise(table: &Table) {
    const N: usize = 4096;
    let x: Vec<f32> = (0..N).map(|i| 0.01 + i as f32 * 1e-3).collect();
    let x64: Vec<f64> = x.iter().map(|&v| f64::from(v)).collect();
    let (mut y, mut y64, mut bits) = (vec![0f32; N], vec![0f64; N], vec![0u8; N]);
    for op in Unary::ALL {
        table.per_element(&format!("f32 {op:?}"), N, || unary_f32(op, black_box(&x), &mut y));
    }
    for level in [Level::Baseline, Level::Avx2, Level::Avx512] {
        macro_rules! at_level {
            ($($f:ident)*) => {$(
                table.per_element(&format!("{} at {level:?}", stringify!($f)), N, || {
                    let (x, y) = (black_box(&x), &mut y);
                    vectorized_at(
                        level,
                        #[inline(always)]
                        move || {
                            for (y, &x) in y.iter_mut().zip(x) {
                                *y = $f(x);
                            }
                        },
                    )
                });
            )*};
        }
        at_level!(exp_f32 log_f32 tanh_f32 erf_f32 erfc_f32);
    }
    for op in Binary::ALL {
        table.per_element(&format!("f32 {op:?}"), N, || binary_f32(op, black_box(&x), &x, &mut y));
    }
    table.per_element("f32 compare Lt", N, || compare(Comparison::Lt, black_box(&x), &x, &mut bits));
    for op in Unary::ALL {
        table.per_element(&format!("f64 {op:?}"), N, || unary_f64(op, black_box(&x64), &mut y64));
    }
    for op in [Binary::Add, Binary::Div, Binary::Max, Binary::Pow] {
        table.per_element(&format!("f64 {op:?}"), N, || binary_f64(op, black_box(&x64), &x64, &mut y64));
    }
}

fn reductions(table: &Table) {
    let (rows, cols) = (1536, 128);
    let n = rows * cols;
    let x: Vec<f32> = (0..n).map(|i| (i % 97) as f32 * 0.01).collect();
    let (mut by_row, mut by_col, mut y) = (vec![0f32; rows], vec![0f32; cols], vec![0f32; n]);
    for threads in [1, 2] {
        for op in [ReduceOp::Sum, ReduceOp::Max] {
            table.per_element(&format!("{op:?} 1536x128 last, threads {threads}"), n, || {
                reduce_last_f32(op, black_box(&x), cols, 0.0, &mut by_row, threads)
            });
            table.per_element(&format!("{op:?} 1536x128 leading, threads {threads}"), n, || {
                reduce_leading_f32(op, black_box(&x), rows, 0.0, &mut by_col, threads)
            });
        }
        table.per_element(&format!("softmax 1536x128, threads {threads}"), n, || {
            softmax_f32(black_box(&x), cols, &mut y, threads)
        });
    }
}

fn copies(table: &Table) {
    let n = 1536 * 512;
    let x: Vec<f32> = (0..n).map(|i| i as f32).collect();
    let mut y = vec![0f32; n];
    let cases = [
        ("copy 1536x512", StridedCopy::transpose(&[1536, 512], &[0, 1])),
        ("transpose 1536x512", StridedCopy::transpose(&[1536, 512], &[1, 0])),
        ("transpose 12x128x4x128 heads out", StridedCopy::transpose(&[12, 128, 4, 128], &[0, 2, 1, 3])),
        ("transpose 48x128x128 last two", StridedCopy::transpose(&[48, 128, 128], &[0, 2, 1])),
        ("transpose 48x128x128 first two", StridedCopy::transpose(&[48, 128, 128], &[1, 0, 2])),
        ("broadcast 512 to 1536x512", StridedCopy::broadcast_in_dim(&[512], &[1], &[1536, 512])),
        ("broadcast 1536 to 1536x512", StridedCopy::broadcast_in_dim(&[1536], &[0], &[1536, 512])),
        ("slice half of each row", StridedCopy::slice(&[1536, 512], &[0, 128], &[1, 1], &[1536, 256])),
    ];
    for (name, copy) in cases {
        let copied = if name.starts_with("slice") { n / 2 } else { n };
        for threads in [1, 2] {
            table.per_element(&format!("{name}, threads {threads}"), copied, || {
                copy.run(black_box(&x), &mut y, threads)
            });
        }
    }
    let indices: Vec<i32> = (0..1536).map(|i| i * 7919 % 256).collect();
    table.per_element("gather 1536 rows of 128 from 256", 1536 * 128, || {
        gather_rows(black_box(&x[..256 * 128]), 128, &indices, &mut y[..1536 * 128], 1)
    });
    table.per_element("scatter-add 1536 rows of 128 to 256", 1536 * 128, || {
        scatter_add_rows_f32(&indices, black_box(&x[..1536 * 128]), 128, &mut y[..256 * 128], 1)
    });
}

fn products(table: &Table) {
    // (name, m, k, n, A by column, B by column)
    let cases = [
        ("1536x128x384", 1536, 128, 384, false, false),
        ("1536x512x128", 1536, 512, 128, false, false),
        ("1536x384x128 B transposed", 1536, 384, 128, false, true),
        ("128x1536x512 A transposed", 128, 1536, 512, true, false),
    ];
    for (name, m, k, n, ta, tb) in cases {
        let (a, b, mut c) = (vec![0.5f32; m * k], vec![0.25f32; k * n], vec![0f32; m * n]);
        let (a64, b64, mut c64) = (vec![0.5f64; m * k], vec![0.25f64; k * n], vec![0f64; m * n]);
        let sa = if ta { (1, m as isize) } else { (k as isize, 1) };
        let sb = if tb { (1, k as isize) } else { (n as isize, 1) };
        for threads in [1, 2] {
            table.gflops(&format!("gemm f32 {name}, threads {threads}"), 2 * m * k * n, || {
                gemm_f32(m, k, n, black_box(&a), sa, &b, sb, &mut c, (n as isize, 1), false, threads)
            });
        }
        table.gflops(&format!("gemm f64 {name}, threads 1"), 2 * m * k * n, || {
            gemm_f64(m, k, n, black_box(&a64), sa, &b64, sb, &mut c64, (n as isize, 1), false, 1)
        });
    }
    let (batch, time, depth) = (48, 128, 32);
    let (q, k, mut s) = (
        vec![0.5f32; batch * time * depth],
        vec![0.5f32; batch * time * depth],
        vec![0f32; batch * time * time],
    );
    let dims = [BatchDim {
        size: batch,
        a: (time * depth) as isize,
        b: (time * depth) as isize,
        c: (time * time) as isize,
    }];
    let back = [BatchDim {
        size: batch,
        a: (time * time) as isize,
        b: (time * depth) as isize,
        c: (time * depth) as isize,
    }];
    let mut o = vec![0f32; batch * time * depth];
    let flops = 2 * batch * time * time * depth;
    for threads in [1, 2] {
        table.gflops(&format!("gemm f32 48 x (128x32x128) q k^T, threads {threads}"), flops, || {
            batched_gemm_f32(
                &dims,
                time,
                depth,
                time,
                black_box(&q),
                (32, 1),
                &k,
                (1, 32),
                &mut s,
                (128, 1),
                false,
                threads,
            )
        });
        table.gflops(&format!("gemm f32 48 x (128x128x32) p v, threads {threads}"), flops, || {
            batched_gemm_f32(
                &back,
                time,
                time,
                depth,
                black_box(&s),
                (128, 1),
                &k,
                (32, 1),
                &mut o,
                (32, 1),
                false,
                threads,
            )
        });
    }
    let dims = [BatchDim { size: 48, a: 1024, b: 1024, c: 1024 }];
    let mut c = vec![0f32; 48 * 1024];
    table.gflops("gemm f32 48 x (32x32x32), threads 1", 2 * 48 * 32 * 32 * 32, || {
        batched_gemm_f32(&dims, 32, 32, 32, black_box(&q), (32, 1), &k, (32, 1), &mut c, (32, 1), false, 1)
    });
}
