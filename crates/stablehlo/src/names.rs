//! Numbers for names, so that value names are looked up in dense tables.
//!
//! An open-addressing table over borrowed strings with a fixed hash: the same text always gives the same
//! numbers. A text may be written so that its names have one hash: what finds no place near its own goes to an
//! ordered map.

use std::collections::BTreeMap;

/// How many buckets from its own a string may be.
const REACH: usize = 64;

/// Gives each distinct string a number, counting from 0.
pub(crate) struct Interner<'a> {
    /// Number + 1 of the string in each bucket; 0 is empty. Its length is a power of two.
    buckets: Vec<u32>,
    strings: Vec<&'a str>,
    /// Numbers of strings without a bucket.
    others: BTreeMap<&'a str, u32>,
}

/// Eight bytes at a time, multiplied and folded.
fn hash(s: &str) -> usize {
    const K: u64 = 0x9e37_79b9_7f4a_7c15;
    let mix = |h: u64, word: u64| {
        let x = (h ^ word).wrapping_mul(K);
        x ^ (x >> 29)
    };
    let (words, rest) = s.as_bytes().as_chunks::<8>();
    let h = words.iter().fold(s.len() as u64, |h, w| mix(h, u64::from_le_bytes(*w)));
    let last = rest.iter().rev().fold(0, |w, b| w << 8 | u64::from(*b));
    mix(mix(h, last), K) as usize
}

impl<'a> Interner<'a> {
    pub(crate) fn new() -> Self {
        Self { buckets: vec![0; 256], strings: Vec::new(), others: BTreeMap::new() }
    }

    /// The number of `s`, new when it was never seen.
    pub(crate) fn intern(&mut self, s: &'a str) -> usize {
        if self.strings.len() * 2 >= self.buckets.len() {
            self.grow();
        }
        let mask = self.buckets.len() - 1;
        let start = hash(s);
        let number = self.strings.len() as u32;
        for i in (0..REACH).map(|k| start.wrapping_add(k) & mask) {
            match (self.buckets[i] as usize).checked_sub(1) {
                Some(known) if self.strings[known] == s => return known,
                Some(_) => {}
                None => {
                    self.strings.push(s);
                    self.buckets[i] = number + 1;
                    return number as usize;
                }
            }
        }
        let known = *self.others.entry(s).or_insert(number);
        if known == number {
            self.strings.push(s);
        }
        known as usize
    }

    fn grow(&mut self) {
        let mask = self.buckets.len() * 2 - 1;
        self.buckets = vec![0; mask + 1];
        self.others.clear();
        for (n, &s) in self.strings.iter().enumerate() {
            let start = hash(s);
            match (0..REACH).map(|k| start.wrapping_add(k) & mask).find(|&i| self.buckets[i] == 0) {
                Some(i) => self.buckets[i] = n as u32 + 1,
                None => drop(self.others.insert(s, n as u32)),
            }
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

    /// Strings that all belong in one bucket are told apart, and not one by one.
    #[test]
    fn strings_of_one_bucket_are_told_apart() {
        let mask = (1 << 12) - 1;
        let alike = (0u32..).map(|i| format!("%{i}")).filter(|s| hash(s) & mask == 5);
        let texts: Vec<String> = alike.take(300).collect();
        let mut names = Interner::new();
        for _ in 0..2 {
            for (i, t) in texts.iter().enumerate() {
                assert_eq!(names.intern(t), i);
            }
        }
        assert!(!names.others.is_empty());
    }
}
