//! Random bits are XLA's, bit for bit.

use pullback_eval::{Tensor, algorithm, reference};
use pullback_ir::{DType, Op, RngAlgorithm, TensorType};

/// A line of `golden/rng.txt`.
struct Case {
    algorithm: RngAlgorithm,
    bits: u32,
    shape: Vec<usize>,
    state: Vec<u64>,
    after: Vec<u64>,
    values: Vec<u64>,
}

fn cases() -> Vec<Case> {
    let list = |text: &str, radix| -> Vec<u64> {
        let words = text.split(',').filter(|w| *w != "-");
        words.map(|w| u64::from_str_radix(w, radix).unwrap()).collect()
    };
    let case = |line: &str| {
        let [algorithm, bits, shape, state, after, values] =
            line.split(' ').collect::<Vec<_>>().try_into().unwrap();
        Case {
            algorithm: RngAlgorithm::from_name(algorithm).unwrap(),
            bits: bits.parse().unwrap(),
            shape: list(shape, 10).into_iter().map(|n| n as usize).collect(),
            state: list(state, 10),
            after: list(after, 10),
            values: list(values, 16),
        }
    };
    include_str!("../golden/rng.txt").lines().map(case).collect()
}

/// Element types of this many bits.
fn dtypes(bits: u32) -> &'static [DType] {
    match bits {
        4 => &[DType::U4, DType::I4],
        8 => &[DType::U8, DType::I8, DType::F8E5M2],
        16 => &[DType::U16, DType::I16, DType::F16, DType::BF16],
        32 => &[DType::U32, DType::I32, DType::F32],
        _ => &[DType::U64, DType::I64, DType::F64],
    }
}

#[test]
fn bits_and_states_are_those_of_xla() {
    let cases = cases();
    assert_eq!(cases.len(), 195);
    for case in &cases {
        for &dtype in dtypes(case.bits) {
            let ty = TensorType::new(dtype, case.shape.clone());
            let op = Op::RngBitGenerator { algorithm: case.algorithm, ty: ty.clone() };
            let state = Tensor::from_slice(&[case.state.len()], &case.state).unwrap();
            let results = reference::eval_op(&op, &[&state]).unwrap();
            let what = format!("{} {ty} {:?}", case.algorithm, case.state);
            assert_eq!(results[0].as_slice::<u64>().unwrap(), case.after, "{what}");
            let mask = u64::MAX >> (64 - case.bits);
            let values: Vec<u64> = (0..ty.count())
                .map(|i| {
                    let mut word = [0; 8];
                    word[..dtype.size()].copy_from_slice(results[1].element(i));
                    u64::from_le_bytes(word) & mask
                })
                .collect();
            assert_eq!(values, case.values, "{what}");
        }
    }
}

#[test]
fn any_part_can_be_made_alone() {
    for case in cases() {
        let size = case.bits.div_ceil(8) as usize;
        let mut whole = vec![0; size * case.values.len()];
        algorithm::rng::bits(
            case.algorithm,
            &case.state,
            case.bits,
            &case.shape,
            0..case.values.len(),
            &mut whole,
        );
        for first in 0..case.values.len() {
            let last = case.values.len().min(first + 3);
            let mut part = vec![0; size * (last - first)];
            algorithm::rng::bits(case.algorithm, &case.state, case.bits, &case.shape, first..last, &mut part);
            assert_eq!(part, whole[size * first..size * last]);
        }
    }
}
