//! Functions that are written the same way for f32 and f64.
//!
//! What must hold: `max` and `min` give NaN if either operand is NaN, and order −0 below +0 (IEEE 754 maximum and
//! minimum, as StableHLO asks); `rem` has the sign of the dividend; rounding keeps the sign of zero.
//!
//! What it does not do: the transcendental functions here call `libm`, element by element; they do not vectorize.

/// `a` if the condition holds, else `b`, both evaluated: never a branch, which would keep a loop from vectorizing.
#[inline(always)]
pub(super) fn pick<T>(condition: bool, a: T, b: T) -> T {
    std::hint::select_unpredictable(condition, a, b)
}

macro_rules! common {
    ($t:ty;
     $neg:ident $abs:ident $sign:ident $floor:ident $ceil:ident $rne:ident $rafz:ident $finite:ident
     $add:ident $sub:ident $mul:ident $div:ident $max:ident $min:ident $rem:ident $select:ident
     $sin:ident $cos:ident $tan:ident $cbrt:ident $pow:ident $atan2:ident;
     $lsin:path, $lcos:path, $ltan:path, $lcbrt:path, $lpow:path, $latan2:path) => {
        /// −x.
        #[inline(always)]
        pub fn $neg(x: $t) -> $t {
            -x
        }
        /// |x|.
        #[inline(always)]
        pub fn $abs(x: $t) -> $t {
            x.abs()
        }
        /// −1, +1, or x itself for ±0 and NaN.
        #[inline(always)]
        pub fn $sign(x: $t) -> $t {
            // Two selects rather than a match, for the vectorizer.
            let unit = (1.0 as $t).copysign(x);
            pick(x.abs() > 0.0, unit, x)
        }
        /// The greatest integer not above x.
        #[inline(always)]
        pub fn $floor(x: $t) -> $t {
            x.floor()
        }
        /// The least integer not below x.
        #[inline(always)]
        pub fn $ceil(x: $t) -> $t {
            x.ceil()
        }
        /// The nearest integer, ties to even.
        #[inline(always)]
        pub fn $rne(x: $t) -> $t {
            x.round_ties_even()
        }
        /// The nearest integer, ties away from zero.
        #[inline(always)]
        pub fn $rafz(x: $t) -> $t {
            let whole = x.trunc();
            let up = whole + (1.0 as $t).copysign(x);
            let y = pick((x - whole).abs() >= 0.5, up, whole);
            y.copysign(x)
        }
        /// Whether x is neither infinite nor NaN.
        #[inline(always)]
        pub fn $finite(x: $t) -> bool {
            x.abs() < <$t>::INFINITY
        }
        /// a + b.
        #[inline(always)]
        pub fn $add(a: $t, b: $t) -> $t {
            a + b
        }
        /// a − b.
        #[inline(always)]
        pub fn $sub(a: $t, b: $t) -> $t {
            a - b
        }
        /// a · b.
        #[inline(always)]
        pub fn $mul(a: $t, b: $t) -> $t {
            a * b
        }
        /// a / b.
        #[inline(always)]
        pub fn $div(a: $t, b: $t) -> $t {
            a / b
        }
        /// The greater operand; NaN if either is NaN; +0 above −0.
        #[inline(always)]
        pub fn $max(a: $t, b: $t) -> $t {
            let greater = pick(a > b, a, b);
            let y = pick(a == b, <$t>::from_bits(a.to_bits() & b.to_bits()), greater);
            pick(a.is_nan(), a, y)
        }
        /// The lesser operand; NaN if either is NaN; −0 below +0.
        #[inline(always)]
        pub fn $min(a: $t, b: $t) -> $t {
            let lesser = pick(a < b, a, b);
            let y = pick(a == b, <$t>::from_bits(a.to_bits() | b.to_bits()), lesser);
            pick(a.is_nan(), a, y)
        }
        /// The remainder of a / b rounded towards zero; it has the sign of a.
        #[inline(always)]
        pub fn $rem(a: $t, b: $t) -> $t {
            a % b
        }
        /// `a` if the predicate holds, else `b`.
        #[inline(always)]
        pub fn $select(predicate: bool, a: $t, b: $t) -> $t {
            pick(predicate, a, b)
        }
        /// Sine.
        #[inline(always)]
        pub fn $sin(x: $t) -> $t {
            $lsin(x)
        }
        /// Cosine.
        #[inline(always)]
        pub fn $cos(x: $t) -> $t {
            $lcos(x)
        }
        /// Tangent.
        #[inline(always)]
        pub fn $tan(x: $t) -> $t {
            $ltan(x)
        }
        /// Cube root.
        #[inline(always)]
        pub fn $cbrt(x: $t) -> $t {
            $lcbrt(x)
        }
        /// a to the power b (IEEE 754 pow).
        #[inline(always)]
        pub fn $pow(a: $t, b: $t) -> $t {
            $lpow(a, b)
        }
        /// The angle of the point (x = b, y = a).
        #[inline(always)]
        pub fn $atan2(a: $t, b: $t) -> $t {
            $latan2(a, b)
        }
    };
}

common!(f32;
    neg_f32 abs_f32 sign_f32 floor_f32 ceil_f32 round_nearest_even_f32 round_nearest_afz_f32 is_finite_f32
    add_f32 sub_f32 mul_f32 div_f32 max_f32 min_f32 rem_f32 select_f32
    sin_f32 cos_f32 tan_f32 cbrt_f32 pow_f32 atan2_f32;
    libm::sinf, libm::cosf, libm::tanf, libm::cbrtf, libm::powf, libm::atan2f);
common!(f64;
    neg_f64 abs_f64 sign_f64 floor_f64 ceil_f64 round_nearest_even_f64 round_nearest_afz_f64 is_finite_f64
    add_f64 sub_f64 mul_f64 div_f64 max_f64 min_f64 rem_f64 select_f64
    sin_f64 cos_f64 tan_f64 cbrt_f64 pow_f64 atan2_f64;
    libm::sin, libm::cos, libm::tan, libm::cbrt, libm::pow, libm::atan2);
