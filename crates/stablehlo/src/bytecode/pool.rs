//! Names made of numbers, for values that a binary file gives none.

use std::cell::OnceCell;

/// `prefix0`, `prefix1`, ..., made when first asked for and kept.
///
/// Names are in chunks that double in size, so that a name can be lent out while others are made.
pub(super) struct Numbered {
    prefix: &'static str,
    chunks: [OnceCell<Vec<String>>; 33],
}

impl Numbered {
    pub(super) fn new(prefix: &'static str) -> Self {
        Self { prefix, chunks: [const { OnceCell::new() }; 33] }
    }

    /// The name with this number.
    pub(super) fn name(&self, number: u32) -> &str {
        // Chunk k holds the numbers from 2^k - 1 to 2^(k+1) - 2.
        let n = u64::from(number) + 1;
        let k = n.ilog2();
        let first = 1u64 << k;
        let names = self.chunks[k as usize]
            .get_or_init(|| (first..2 * first).map(|n| format!("{}{}", self.prefix, n - 1)).collect());
        &names[(n - first) as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::Numbered;

    #[test]
    fn names_hold_their_number() {
        let names = Numbered::new("arg");
        let first = names.name(0);
        for n in [1, 2, 3, 4, 1022, 1023, 1024, 5000] {
            assert_eq!(names.name(n), format!("arg{n}"));
        }
        assert_eq!(first, "arg0");
    }
}
