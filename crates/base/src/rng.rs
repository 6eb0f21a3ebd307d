//! A counter-based random generator: the value at index i is a function of (seed, stream, i) alone,
//! so it does not depend on who draws it, in which order, or how an array is laid out.
//!
//! Philox 4x32-10 of Salmon, Moraes, Dror, Shaw, "Parallel Random Numbers: As Easy as 1, 2, 3" (SC 2011).

const M0: u32 = 0xD251_1F53;
const M1: u32 = 0xCD9E_8D57;
const W0: u32 = 0x9E37_79B9;
const W1: u32 = 0xBB67_AE85;

/// Ten rounds of Philox 4x32 on one counter block.
pub fn philox4x32(counter: [u32; 4], key: [u32; 2]) -> [u32; 4] {
    let (mut c, mut k) = (counter, key);
    for _ in 0..10 {
        let p0 = u64::from(M0) * u64::from(c[0]);
        let p1 = u64::from(M1) * u64::from(c[2]);
        c = [(p1 >> 32) as u32 ^ c[1] ^ k[0], p1 as u32, (p0 >> 32) as u32 ^ c[3] ^ k[1], p0 as u32];
        k = [k[0].wrapping_add(W0), k[1].wrapping_add(W1)];
    }
    c
}

/// Random numbers of one stream, addressed by index.
#[derive(Clone, Copy, Debug)]
pub struct CounterRng {
    key: [u32; 2],
    stream: u64,
}

impl CounterRng {
    /// The stream named `stream` of `seed`.
    pub fn new(seed: u64, stream: &str) -> Self {
        // FNV-1a, 64 bits: names a stream, nothing depends on its strength.
        let hash = stream
            .bytes()
            .fold(0xcbf2_9ce4_8422_2325u64, |h, b| (h ^ u64::from(b)).wrapping_mul(0x100_0000_01b3));
        Self { key: [seed as u32, (seed >> 32) as u32], stream: hash }
    }

    fn block(&self, index: u64) -> [u32; 4] {
        philox4x32(
            [index as u32, (index >> 32) as u32, self.stream as u32, (self.stream >> 32) as u32],
            self.key,
        )
    }

    /// 64 random bits at `index`.
    pub fn bits(&self, index: u64) -> u64 {
        let b = self.block(index);
        u64::from(b[0]) | u64::from(b[1]) << 32
    }

    /// Uniform in [0, 1), 53 bits.
    pub fn uniform(&self, index: u64) -> f64 {
        (self.bits(index) >> 11) as f64 * (1.0 / (1u64 << 53) as f64)
    }

    /// Uniform whole number in [0, bound); `bound` > 0. The bias is below bound / 2^64.
    pub fn below(&self, index: u64, bound: u64) -> u64 {
        ((u128::from(self.bits(index)) * u128::from(bound)) >> 64) as u64
    }

    /// Standard normal by the Box–Muller transform of one block.
    pub fn normal(&self, index: u64) -> f64 {
        let b = self.block(index);
        let to_unit =
            |hi: u32, lo: u32| ((u64::from(hi) << 32 | u64::from(lo)) >> 11) as f64 / (1u64 << 53) as f64;
        let u = 1.0 - to_unit(b[0], b[1]);
        let v = to_unit(b[2], b[3]);
        (-2.0 * u.ln()).sqrt() * (std::f64::consts::TAU * v).cos()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Known answers published with the Random123 library.
    #[test]
    fn philox_known_answers() {
        assert_eq!(philox4x32([0; 4], [0; 2]), [0x6627_e8d5, 0xe169_c58d, 0xbc57_ac4c, 0x9b00_dbd8]);
        assert_eq!(
            philox4x32([u32::MAX; 4], [u32::MAX; 2]),
            [0x408f_276d, 0x41c8_3b0e, 0xa20b_c7c6, 0x6d54_51fd]
        );
    }

    #[test]
    fn normals_have_unit_variance() {
        let r = CounterRng::new(7, "w");
        let n = 20_000;
        let xs: Vec<f64> = (0..n).map(|i| r.normal(i)).collect();
        let mean = xs.iter().sum::<f64>() / n as f64;
        let var = xs.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / n as f64;
        assert!(mean.abs() < 0.03 && (var - 1.0).abs() < 0.04, "{mean} {var}");
    }

    #[test]
    fn streams_and_seeds_differ() {
        assert_ne!(CounterRng::new(1, "a").bits(0), CounterRng::new(1, "b").bits(0));
        assert_ne!(CounterRng::new(1, "a").bits(0), CounterRng::new(2, "a").bits(0));
        assert!((0..1000).all(|i| CounterRng::new(3, "c").below(i, 10) < 10));
    }
}
