//! Runtime choice of the vector width: one portable binary, compiled loops for AVX-512, AVX2 and the baseline.
//!
//! What must hold: the three versions give the same bits. Rust neither reassociates nor contracts floating point,
//! so this is true of any loop that has no `mul_add` in it; kernels therefore do not use `mul_add` (outside the
//! hardware it would also be a slow library call).
//!
//! What it does not do: it holds no intrinsics. Loops are plain Rust, and LLVM vectorizes them for the features of
//! the function they are inlined into.

#[cfg(target_arch = "x86_64")]
use std::sync::atomic::{AtomicU8, Ordering};

/// The instruction sets a loop is compiled for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// What every processor of the target has (SSE2 on x86-64, NEON on aarch64).
    Baseline,
    /// AVX2 and FMA: 256-bit vectors.
    Avx2,
    /// AVX-512 F, BW, CD, DQ and VL: 512-bit vectors.
    Avx512,
}

/// The widest level of this machine, detected once.
#[cfg(target_arch = "x86_64")]
#[inline]
pub fn level() -> Level {
    static LEVEL: AtomicU8 = AtomicU8::new(0);
    match LEVEL.load(Ordering::Relaxed) {
        1 => Level::Baseline,
        2 => Level::Avx2,
        3 => Level::Avx512,
        _ => {
            let found = detect();
            LEVEL.store(found as u8 + 1, Ordering::Relaxed);
            found
        }
    }
}

/// The widest level of this machine.
#[cfg(not(target_arch = "x86_64"))]
#[inline]
pub fn level() -> Level {
    Level::Baseline
}

#[cfg(target_arch = "x86_64")]
#[cold]
fn detect() -> Level {
    let avx2 = is_x86_feature_detected!("avx2")
        && is_x86_feature_detected!("fma")
        && is_x86_feature_detected!("bmi1")
        && is_x86_feature_detected!("bmi2");
    let avx512 = is_x86_feature_detected!("avx512f")
        && is_x86_feature_detected!("avx512bw")
        && is_x86_feature_detected!("avx512cd")
        && is_x86_feature_detected!("avx512dq")
        && is_x86_feature_detected!("avx512vl");
    match (avx2, avx512) {
        (true, true) => Level::Avx512,
        (true, false) => Level::Avx2,
        (false, _) => Level::Baseline,
    }
}

/// Runs `f` compiled for the widest vectors of this machine.
///
/// `f` must be inlined for this to have an effect: write `vectorized(#[inline(always)] move || loop)`, and let the loop
/// call only `#[inline(always)]` functions (those of [`super::math`] are). `move` matters: a scalar captured by reference
/// is read again in every turn, because it might be one of the elements just written, and the loop stays scalar.
/// Write `for` loops, or mark closures within `f` `#[inline(always)]` too: one that LLVM finds too large to inline is
/// compiled for the baseline.
#[inline]
pub fn vectorized<R>(f: impl FnOnce() -> R) -> R {
    vectorized_at(level(), f)
}

/// Runs `f` compiled for `wanted`, or for the widest level of this machine if that is less. For tests and benchmarks.
#[inline]
pub fn vectorized_at<R>(wanted: Level, f: impl FnOnce() -> R) -> R {
    match wanted.min(level()) {
        Level::Baseline => f(),
        // SAFETY: `level` reports a level only where all its features were detected.
        #[cfg(target_arch = "x86_64")]
        Level::Avx2 => unsafe { run_avx2(f) },
        // SAFETY: as above.
        #[cfg(target_arch = "x86_64")]
        Level::Avx512 => unsafe { run_avx512(f) },
        #[cfg(not(target_arch = "x86_64"))]
        Level::Avx2 | Level::Avx512 => f(),
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma,bmi1,bmi2")]
unsafe fn run_avx2<R>(f: impl FnOnce() -> R) -> R {
    f()
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma,bmi1,bmi2,avx512f,avx512bw,avx512cd,avx512dq,avx512vl")]
unsafe fn run_avx512<R>(f: impl FnOnce() -> R) -> R {
    f()
}
