//! Whether bytes hold a NaN.

use pullback_ir::DType;

/// Whether elements of this type, little-endian, hold a NaN; none of whole numbers and of the narrow floats, in which no
/// state is kept.
pub(super) fn has_nan(dtype: DType, bytes: &[u8]) -> bool {
    // A NaN is above infinity, sign apart.
    let above16 =
        |infinity: u16| bytes.as_chunks::<2>().0.iter().any(|&b| u16::from_le_bytes(b) & 0x7fff > infinity);
    if matches!(dtype, DType::F32 | DType::C64) {
        bytes.as_chunks::<4>().0.iter().any(|&b| f32::from_le_bytes(b).is_nan())
    } else if matches!(dtype, DType::F64 | DType::C128) {
        bytes.as_chunks::<8>().0.iter().any(|&b| f64::from_le_bytes(b).is_nan())
    } else {
        (dtype == DType::F16 && above16(0x7c00)) || (dtype == DType::BF16 && above16(0x7f80))
    }
}

#[cfg(test)]
mod tests {
    use super::has_nan;
    use pullback_ir::DType;
    use pullback_ir::literal::encode_f64;

    #[test]
    fn nans_are_found_and_infinities_are_none() {
        for dtype in [DType::F16, DType::BF16, DType::F32, DType::F64] {
            let of =
                |values: [f64; 3]| values.iter().flat_map(|&v| encode_f64(dtype, v)).collect::<Vec<u8>>();
            assert!(has_nan(dtype, &of([1.0, -2.0, f64::NAN])), "{dtype}");
            assert!(has_nan(dtype, &of([-f64::NAN, 0.0, 1.0])), "{dtype}");
            assert!(!has_nan(dtype, &of([f64::INFINITY, f64::NEG_INFINITY, -0.0])), "{dtype}");
        }
        assert!(!has_nan(DType::U32, &[0xff; 8]));
    }
}
