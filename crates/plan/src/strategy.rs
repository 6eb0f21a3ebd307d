//! The strategy: how to distribute a step. May be partial; the planner fills what it leaves open.
//!
//! Written as TOML; unknown keys are errors. Its digest is that of the parsed form, so comments, order of keys
//! and spacing change nothing.

use crate::digest::Digest;
use crate::mesh::AxisKind;
use serde::{Deserialize, Serialize};

/// How to distribute a training step.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Strategy {
    /// Format version: 1.
    pub version: u32,
    /// Axes of the mesh, outermost first. Devices fill the space axes row-major.
    #[serde(default, rename = "axis")]
    pub axes: Vec<AxisSpec>,
    /// What is cut, in order of priority.
    #[serde(default, rename = "constraint")]
    pub constraints: Vec<Constraint>,
    /// Devices of the deployment that take part, in mesh order; all of them when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub devices: Option<Vec<String>>,
    /// Collectives.
    #[serde(default)]
    pub collective: CollectivePolicy,
    /// Commits and checkpoints.
    #[serde(default)]
    pub commit: CommitPolicy,
}

/// One axis.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AxisSpec {
    /// Its name.
    pub name: String,
    /// `space` or `time`.
    pub kind: AxisKindSpec,
    /// Number of coordinates; the planner chooses when absent (space: all devices; time: the fewest turns that
    /// fit in memory).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub size: Option<usize>,
    /// Shares of work per coordinate; the planner chooses from the deployment's costs when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shares: Option<Vec<u64>>,
}

/// Space or time, as written.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[allow(missing_docs)]
pub enum AxisKindSpec {
    Space,
    Time,
}

impl From<AxisKindSpec> for AxisKind {
    fn from(kind: AxisKindSpec) -> Self {
        match kind {
            AxisKindSpec::Space => AxisKind::Space,
            AxisKindSpec::Time => AxisKind::Time,
        }
    }
}

/// One cut: a dimension of all values whose names match.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Constraint {
    /// Pattern over value names: `*` stands for any characters, `|` separates alternatives.
    pub values: String,
    /// The dimension; matching values of lower rank are left alone.
    pub dim: usize,
    /// The axes that cut it, outermost first; none keeps the dimension whole.
    pub axes: Vec<String>,
    /// The dimension is this many equal blocks one after the other (a fused q|k|v projection has 3), each of
    /// which is cut alike.
    #[serde(default = "one")]
    pub segments: usize,
    /// Cuts fall on multiples of this (the width of a head).
    #[serde(default = "one")]
    pub granule: usize,
}

fn one() -> usize {
    1
}

/// How collectives run.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct CollectivePolicy {
    /// Largest frame payload in bytes.
    pub chunk_bytes: u64,
    /// Largest number of bytes of one bucket of values that travel together.
    pub bucket_bytes: u64,
}

impl Default for CollectivePolicy {
    fn default() -> Self {
        Self { chunk_bytes: 256 << 10, bucket_bytes: 64 << 20 }
    }
}

/// When state is written to disk.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct CommitPolicy {
    /// A checkpoint every this many steps, and one at the end; 0: only at the end.
    pub checkpoint_every: u64,
    /// How many of the newest checkpoints are kept; 0: all.
    pub keep: usize,
}

impl Default for CommitPolicy {
    fn default() -> Self {
        Self { checkpoint_every: 50, keep: 3 }
    }
}

impl Strategy {
    /// Reads TOML. The message names line and key.
    pub fn parse(text: &str) -> Result<Self, String> {
        let s: Strategy = toml::from_str(text).map_err(|e| e.to_string())?;
        s.check()?;
        Ok(s)
    }

    fn check(&self) -> Result<(), String> {
        if self.version != 1 {
            return Err(format!("version {} is unsupported; this program reads version 1", self.version));
        }
        for (i, a) in self.axes.iter().enumerate() {
            if a.name.is_empty() {
                return Err("an axis needs a name; this one's is \"\"".to_owned());
            }
            if self.axes[..i].iter().any(|b| b.name == a.name) {
                return Err(format!("axis {:?} is defined twice", a.name));
            }
            if a.size == Some(0) || a.size.is_some_and(|n| n > 1 << 16) {
                return Err(format!("axis {:?}: size must be between 1 and 65536", a.name));
            }
            if let Some(shares) = &a.shares {
                if shares.iter().all(|&s| s == 0) {
                    return Err(format!("axis {:?}: shares need a positive number", a.name));
                }
                if let Some(size) = a.size.filter(|&n| n != shares.len()) {
                    let n = shares.len();
                    return Err(format!("axis {:?}: {n} shares for {size} coordinates", a.name));
                }
            }
        }
        for c in &self.constraints {
            if c.segments == 0 || c.granule == 0 {
                return Err(format!("constraint {:?}: segments and granule must be at least 1", c.values));
            }
            for (i, a) in c.axes.iter().enumerate() {
                if !self.axes.iter().any(|x| x.name == *a) {
                    return Err(format!("constraint {:?} names axis {a:?}, which is not defined", c.values));
                }
                if c.axes[..i].contains(a) {
                    return Err(format!("constraint {:?} names axis {a:?} twice", c.values));
                }
            }
        }
        match self.collective.chunk_bytes {
            64..=0x400_0000 => Ok(()),
            n => Err(format!("collective.chunk_bytes is {n}; it must be between 64 and 67108864")),
        }
    }

    /// The identity of the parsed form.
    pub fn digest(&self) -> Digest {
        // Field order is that of the struct, so this form is canonical.
        Digest::of(&serde_json::to_vec(self).expect("plain data serializes"))
    }
}

/// Whether a name matches a pattern of `*` and `|`.
pub fn matches(pattern: &str, name: &str) -> bool {
    pattern.split('|').any(|p| {
        let parts: Vec<&str> = p.split('*').collect();
        let [only] = parts[..] else {
            let (first, last) = (parts[0], parts[parts.len() - 1]);
            if name.len() < first.len() + last.len() || !name.starts_with(first) || !name.ends_with(last) {
                return false;
            }
            let mut rest = &name[first.len()..name.len() - last.len()];
            return parts[1..parts.len() - 1].iter().all(|m| match rest.find(m) {
                Some(at) => {
                    rest = &rest[at + m.len()..];
                    true
                }
                None => false,
            });
        };
        only == name
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns() {
        assert!(matches("*.qkv.w", "0.qkv.w") && !matches("*.qkv.w", "0.qkv.b"));
        assert!(matches("opt.*|param.*", "opt.mu.embed") && matches("tokens|targets", "targets"));
        assert!(matches("a*b*c", "a1b2c") && !matches("a*b*c", "acb") && !matches("ab*ba", "aba"));
    }

    #[test]
    fn comments_do_not_change_the_digest_and_unknown_keys_are_errors() {
        let a = Strategy::parse("version = 1\n[[axis]]\nname = 'data'\nkind = 'space'\n").unwrap();
        let b = Strategy::parse("# note\nversion = 1\n[[axis]]\nkind='space' # why\nname='data'").unwrap();
        assert_eq!(a.digest(), b.digest());
        let e = Strategy::parse("version = 1\nfoo = 2").unwrap_err();
        assert!(e.contains("foo"), "{e}");
        assert!(Strategy::parse("version = 1\n[[constraint]]\nvalues='x'\ndim=0\naxes=['data']").is_err());
    }
}
