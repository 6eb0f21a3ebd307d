//! Floats of at most eight bits: what each code means, and the nearest code of a number.
//!
//! Formats are those of StableHLO's types, which are LLVM's and ml_dtypes': `E` and `M` count the bits of exponent and
//! mantissa; without a suffix there are infinities and NaNs as in IEEE 754; `FN` has no infinities; `UZ` has one
//! zero and one NaN, in the place of -0; `U` has no sign.

use crate::dtype::DType;

/// What codes other than finite numbers a format has.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Special {
    /// The largest exponent: infinity, and NaNs.
    Ieee,
    /// All bits but the sign: NaN.
    AllOnes,
    /// -0 is NaN, and there is no other.
    NegativeZero,
    /// None: what is too large becomes the largest, NaN becomes -0.
    None,
    /// Powers of two only, no sign, no zero; all bits set is NaN.
    Powers,
}

/// How the bits of a code are read.
#[derive(Clone, Copy, Debug)]
pub(super) struct Format {
    exponent: u32,
    mantissa: u32,
    bias: i32,
    special: Special,
    /// The code of the largest finite number.
    pub(super) last: u8,
}

impl Format {
    /// The format of a narrow float type.
    pub(super) fn of(dtype: DType) -> Option<Self> {
        use Special::{AllOnes, Ieee, NegativeZero, None as Nothing, Powers};
        let (exponent, mantissa, bias, special) = match dtype {
            DType::F4E2M1FN => (2, 1, 1, Nothing),
            DType::F6E2M3FN => (2, 3, 1, Nothing),
            DType::F6E3M2FN => (3, 2, 3, Nothing),
            DType::F8E3M4 => (3, 4, 3, Ieee),
            DType::F8E4M3 => (4, 3, 7, Ieee),
            DType::F8E4M3B11FNUZ => (4, 3, 11, NegativeZero),
            DType::F8E4M3FN => (4, 3, 7, AllOnes),
            DType::F8E4M3FNUZ => (4, 3, 8, NegativeZero),
            DType::F8E5M2 => (5, 2, 15, Ieee),
            DType::F8E5M2FNUZ => (5, 2, 16, NegativeZero),
            DType::F8E8M0FNU => (8, 0, 127, Powers),
            DType::Bool
            | DType::I2
            | DType::I4
            | DType::I8
            | DType::I16
            | DType::I32
            | DType::I64
            | DType::U2
            | DType::U4
            | DType::U8
            | DType::U16
            | DType::U32
            | DType::U64
            | DType::F16
            | DType::BF16
            | DType::F32
            | DType::F64
            | DType::C64
            | DType::C128 => return None,
        };
        let ones = ((1u32 << (exponent + mantissa)) - 1) as u8;
        let last = match special {
            Ieee => ones - (1 << mantissa),
            AllOnes | Powers => ones - 1,
            NegativeZero | Nothing => ones,
        };
        Some(Self { exponent, mantissa, bias, special, last })
    }

    /// The bit of the sign; 0 where there is none.
    fn sign(self) -> u8 {
        if self.special == Special::Powers { 0 } else { 1 << (self.exponent + self.mantissa) }
    }

    /// The number of a code.
    pub(super) fn decode(self, code: u8) -> f64 {
        if self.special == Special::Powers {
            return if code == u8::MAX { f64::NAN } else { 2f64.powi(i32::from(code) - self.bias) };
        }
        let sign = if code & self.sign() == 0 { 1.0 } else { -1.0 };
        let code = code & ((self.sign() - 1) | self.sign());
        let magnitude = code & (self.sign() - 1);
        if code == self.sign() && self.special == Special::NegativeZero {
            return f64::NAN;
        }
        if magnitude > self.last {
            let is_infinity = self.special == Special::Ieee && magnitude == self.last + 1;
            return if is_infinity { sign * f64::INFINITY } else { f64::NAN };
        }
        let scale = f64::from(1u32 << self.mantissa);
        let fraction = f64::from(magnitude & ((1 << self.mantissa) - 1)) / scale;
        match i32::from(magnitude >> self.mantissa) {
            0 => sign * fraction * 2f64.powi(1 - self.bias),
            exponent => sign * (1.0 + fraction) * 2f64.powi(exponent - self.bias),
        }
    }

    /// The code of the nearest number, of the even one of two that are as near (of powers of two, the larger). What
    /// rounds beyond the largest is infinity, or NaN, or the largest, whatever the format has.
    fn encode(self, v: f64) -> u8 {
        let sign = if v.is_sign_negative() { self.sign() } else { 0 };
        let nan = match self.special {
            Special::Ieee => sign | (self.last + 1) | (1 << (self.mantissa - 1)),
            Special::AllOnes => sign | (self.last + 1),
            Special::NegativeZero | Special::None => self.sign(),
            Special::Powers => u8::MAX,
        };
        if v.is_nan() || (self.special == Special::Powers && v <= 0.0) {
            return nan;
        }
        let a = v.abs();
        if a > self.decode(self.last) {
            // Where the code after the last would be.
            let gap = if self.special == Special::Powers {
                self.decode(self.last)
            } else {
                self.decode(self.last) - self.decode(self.last - 1)
            };
            let middle = self.decode(self.last) + gap / 2.0;
            let ties_up = self.special == Special::Powers || self.last % 2 == 1;
            if a < middle || (a == middle && !ties_up) || self.special == Special::None {
                return sign | self.last;
            }
            return if self.special == Special::Ieee { sign | (self.last + 1) } else { nan };
        }
        // Codes of positive numbers increase with the number.
        let (mut low, mut high) = (0u8, self.last);
        while high - low > 1 {
            let middle = low + (high - low) / 2;
            if self.decode(middle) <= a { low = middle } else { high = middle }
        }
        let (below, above) = (a - self.decode(low), self.decode(high) - a);
        let ties_up = self.special == Special::Powers || high % 2 == 0;
        let code = if above < below || (above == below && ties_up) { high } else { low };
        // The only zero has no sign.
        if code == 0 && self.special == Special::NegativeZero { 0 } else { sign | code }
    }
}

/// The number a code of this type means; NaN for a type that is not narrow.
pub(super) fn decode(dtype: DType, code: u8) -> f64 {
    Format::of(dtype).map_or(f64::NAN, |f| f.decode(code))
}

/// The code of this type that is nearest to a number; 0 for a type that is not narrow.
pub(super) fn encode(dtype: DType, v: f64) -> u8 {
    Format::of(dtype).map_or(0, |f| f.encode(v))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn narrow() -> impl Iterator<Item = DType> {
        DType::ALL.into_iter().filter(|&d| Format::of(d).is_some())
    }

    #[test]
    fn codes_of_numbers_round_trip() {
        for d in narrow() {
            for code in 0..1u32 << d.bits() {
                let v = decode(d, code as u8);
                if v.is_nan() {
                    assert!(decode(d, encode(d, v)).is_nan(), "{d} {code:#x}");
                } else {
                    assert_eq!(encode(d, v), code as u8, "{d} {code:#x}");
                }
            }
        }
    }

    /// The middle between two neighbours and numbers next to it.
    #[test]
    fn numbers_round_to_the_nearest() {
        for d in narrow() {
            let last = Format::of(d).unwrap().last;
            for code in 0..last {
                let (low, high) = (decode(d, code), decode(d, code + 1));
                let middle = low + (high - low) / 2.0;
                assert_eq!(decode(d, encode(d, middle.next_up())), high, "{d} {code:#x}");
                assert_eq!(decode(d, encode(d, middle.next_down())), low, "{d} {code:#x}");
                let even = if d == DType::F8E8M0FNU || code % 2 == 1 { high } else { low };
                assert_eq!(decode(d, encode(d, middle)), even, "{d} {code:#x}");
            }
        }
    }

    /// Held against ml_dtypes: counts of NaN and infinite codes, the largest number, and what lies beyond it.
    #[test]
    fn the_ends_of_formats() {
        let facts = [
            (DType::F4E2M1FN, 0, 0, 6.0, 6.0),
            (DType::F6E2M3FN, 0, 0, 7.5, 7.5),
            (DType::F6E3M2FN, 0, 0, 28.0, 28.0),
            (DType::F8E3M4, 30, 2, 15.5, f64::INFINITY),
            (DType::F8E4M3, 14, 2, 240.0, f64::INFINITY),
            (DType::F8E4M3B11FNUZ, 1, 0, 30.0, f64::NAN),
            (DType::F8E4M3FN, 2, 0, 448.0, f64::NAN),
            (DType::F8E4M3FNUZ, 1, 0, 240.0, f64::NAN),
            (DType::F8E5M2, 6, 2, 57344.0, f64::INFINITY),
            (DType::F8E5M2FNUZ, 1, 0, 57344.0, f64::NAN),
            (DType::F8E8M0FNU, 1, 0, 2f64.powi(127), f64::NAN),
        ];
        for (d, nans, infinities, largest, beyond) in facts {
            let all: Vec<f64> = (0..1u32 << d.bits()).map(|c| decode(d, c as u8)).collect();
            assert_eq!(all.iter().filter(|v| v.is_nan()).count(), nans, "{d}");
            assert_eq!(all.iter().filter(|v| v.is_infinite()).count(), infinities, "{d}");
            assert_eq!(all.iter().copied().filter(|v| v.is_finite()).fold(0.0, f64::max), largest, "{d}");
            let past = decode(d, encode(d, largest * 2.0));
            assert!(past == beyond || (past.is_nan() && beyond.is_nan()), "{d} {past}");
        }
        // Half way beyond the largest is even for one and odd for another.
        assert_eq!(decode(DType::F8E4M3FN, encode(DType::F8E4M3FN, 464.0)), 448.0);
        assert_eq!(decode(DType::F8E5M2, encode(DType::F8E5M2, 61440.0)), f64::INFINITY);
        assert_eq!(encode(DType::F8E4M3FNUZ, -1e-9), 0);
        assert_eq!(encode(DType::F4E2M1FN, f64::NAN), 8);
        assert!(decode(DType::F8E8M0FNU, encode(DType::F8E8M0FNU, 0.0)).is_nan());
    }
}
