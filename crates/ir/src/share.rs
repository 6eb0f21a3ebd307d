//! One copy of what a program says many times, and names without memory of their own.
//!
//! A program of a hundred thousand instructions has a few hundred different ops and types. What is equal to something
//! met before is that; only memory depends on it, never meaning. Nothing large is compared.

use crate::dtype::TensorType;
use crate::op::Op;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

/// How many ops, and types, are remembered.
const SLOTS: usize = 128;
/// Constants of more bytes are not looked for.
const MAX_CONSTANT: usize = 64;

/// What was met lately.
#[derive(Debug, Default)]
pub(crate) struct Recent {
    ops: Vec<Option<Arc<Op>>>,
    types: Vec<Option<TensorType>>,
}

impl Recent {
    /// The op, shared with an equal one where that was met.
    pub(crate) fn op(&mut self, op: Op) -> Arc<Op> {
        let large = if let Op::Constant(literal) = &op {
            literal.dense_bytes().is_some_and(|b| b.len() > MAX_CONSTANT)
        } else {
            !op.regions().is_empty()
        };
        if large {
            return Arc::new(op);
        }
        let slot = slot(&mut self.ops, &op);
        match slot {
            Some(known) if **known == op => known.clone(),
            Some(_) | None => slot.insert(Arc::new(op)).clone(),
        }
    }

    /// The type, shared with an equal one where that was met.
    pub(crate) fn ty(&mut self, ty: TensorType) -> TensorType {
        let slot = slot(&mut self.types, &ty);
        match slot {
            Some(known) if *known == ty => known.clone(),
            Some(_) | None => slot.insert(ty).clone(),
        }
    }
}

/// The place of `key` in a table, which is made when it is first needed.
fn slot<'t, T: Clone>(table: &'t mut Vec<Option<T>>, key: &impl Hash) -> &'t mut Option<T> {
    if table.is_empty() {
        table.resize(SLOTS, None);
    }
    let mut mix = Mix(0);
    key.hash(&mut mix);
    &mut table[(mix.0 >> 32) as usize % SLOTS]
}

/// A hash that is quick and always the same.
struct Mix(u64);

impl Hasher for Mix {
    fn write(&mut self, bytes: &[u8]) {
        for chunk in bytes.chunks(8) {
            let word = chunk.iter().rev().fold(0, |w, b| w << 8 | u64::from(*b));
            self.0 = (self.0 ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29);
        }
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

/// A text; a short one, as most names of values are, needs no memory of its own.
#[derive(Clone)]
pub(crate) struct Name(Repr);

#[derive(Clone)]
enum Repr {
    /// How many bytes, then those.
    Short(u8, [u8; 14]),
    /// A pointer to the text, so that this is as small as the other.
    #[allow(clippy::redundant_allocation)]
    Long(Box<Box<str>>),
}

impl Name {
    pub(crate) fn as_str(&self) -> &str {
        match &self.0 {
            Repr::Short(n, bytes) => {
                std::str::from_utf8(&bytes[..usize::from(*n)]).expect("copied from a whole text")
            }
            Repr::Long(text) => text,
        }
    }
}

impl From<&str> for Name {
    fn from(text: &str) -> Self {
        let mut bytes = [0; 14];
        match bytes.get_mut(..text.len()) {
            Some(start) => {
                start.copy_from_slice(text.as_bytes());
                Self(Repr::Short(text.len() as u8, bytes))
            }
            None => Self(Repr::Long(Box::new(text.into()))),
        }
    }
}

impl PartialEq for Name {
    fn eq(&self, other: &Self) -> bool {
        self.as_str() == other.as_str()
    }
}

impl Eq for Name {}

impl PartialOrd for Name {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Name {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.as_str().cmp(other.as_str())
    }
}

impl Hash for Name {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.as_str().hash(state);
    }
}

impl fmt::Debug for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.as_str().fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dtype::DType;
    use crate::literal::Literal;
    use crate::program::{Instr, ValueData};

    #[test]
    fn instructions_and_values_are_small() {
        assert_eq!((size_of::<Option<Name>>(), size_of::<Instr>(), size_of::<ValueData>()), (16, 40, 32));
    }

    #[test]
    fn names_are_as_they_were_given() {
        for text in ["", "7", "fourteen bytes", "fifteen bytes, é", "é".repeat(7).as_str()] {
            let name = Name::from(text);
            assert_eq!((name.as_str(), &name.clone()), (text, &name));
            assert!(name < Name::from(format!("{text}x").as_str()));
        }
    }

    #[test]
    fn equal_ops_are_one_and_others_are_not() {
        let mut recent = Recent::default();
        let op = |n: usize| Op::Reshape { shape: vec![n] };
        let ops: Vec<Arc<Op>> = (0..2000).map(|n| recent.op(op(n / 2))).collect();
        assert!((0..2000).all(|n| *ops[n] == op(n / 2)));
        assert!(ops.chunks(2).all(|pair| Arc::ptr_eq(&pair[0], &pair[1])));
        let ty = |n: usize| TensorType::new(DType::F32, [n]);
        assert!((0..2000).all(|n| recent.ty(ty(n)) == ty(n)));
        let large = |n: i64| {
            let values: Vec<i64> = (0..100).map(|i| i * n).collect();
            Op::Constant(Literal::from_i64s(TensorType::new(DType::I64, [100]), &values).unwrap())
        };
        assert_eq!((&*recent.op(large(1)), &*recent.op(large(2))), (&large(1), &large(2)));
    }
}
