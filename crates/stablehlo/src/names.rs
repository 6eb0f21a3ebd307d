//! Numbers for names, so that value names are looked up in dense tables.
//!
//! An open-addressing table over borrowed strings with a fixed hash: the same text always gives the same
//! numbers.

/// Gives each distinct string a number, counting from 0.
pub(crate) struct Interner<'a> {
    /// Number + 1 of the string in each bucket; 0 is empty. Its length is a power of two.
    buckets: Vec<u32>,
    strings: Vec<&'a str>,
}

fn hash(s: &str) -> usize {
    // FNV-1a.
    let h =
        s.bytes().fold(0xcbf2_9ce4_8422_2325u64, |h, b| (h ^ u64::from(b)).wrapping_mul(0x0100_0000_01b3));
    (h ^ (h >> 32)) as usize
}

impl<'a> Interner<'a> {
    pub(crate) fn new() -> Self {
        Self { buckets: vec![0; 256], strings: Vec::new() }
    }

    /// The number of `s`, new when it was never seen.
    pub(crate) fn intern(&mut self, s: &'a str) -> usize {
        if self.strings.len() * 2 >= self.buckets.len() {
            self.grow();
        }
        let mask = self.buckets.len() - 1;
        let mut i = hash(s) & mask;
        while let Some(known) = (self.buckets[i] as usize).checked_sub(1) {
            if self.strings[known] == s {
                return known;
            }
            i = (i + 1) & mask;
        }
        self.strings.push(s);
        self.buckets[i] = self.strings.len() as u32;
        self.strings.len() - 1
    }

    fn grow(&mut self) {
        let mask = self.buckets.len() * 2 - 1;
        self.buckets = vec![0; mask + 1];
        for (n, s) in self.strings.iter().enumerate() {
            let mut i = hash(s) & mask;
            while self.buckets[i] != 0 {
                i = (i + 1) & mask;
            }
            self.buckets[i] = n as u32 + 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_dense_and_stable() {
        let texts: Vec<String> = (0..5000).map(|i| format!("v{}", i * 7)).collect();
        let mut names = Interner::new();
        for (i, t) in texts.iter().enumerate() {
            assert_eq!(names.intern(t), i);
        }
        for (i, t) in texts.iter().enumerate() {
            assert_eq!(names.intern(t), i);
        }
    }
}
