//! A short list of values, as instructions hold them.
//!
//! Programs have hundreds of thousands of these, nearly all of one to three values, which need no memory of their
//! own. Lists are equal, and ordered, as their slices are.

use crate::program::Value;
use pullback_base::Id;
use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::ops::Deref;

/// A list that is not changed once it is made.
#[derive(Clone)]
pub(crate) struct Values(Repr);

#[derive(Clone)]
enum Repr {
    /// How many, then the values; the rest is not read.
    Few(u8, [Value; 3]),
    /// A pointer to the list, so that this is as small as the other.
    #[allow(clippy::box_collection)]
    Many(Box<Vec<Value>>),
}

impl From<&[Value]> for Values {
    fn from(list: &[Value]) -> Self {
        let mut few = [Value::from_index(0); 3];
        match few.get_mut(..list.len()) {
            Some(start) => {
                start.copy_from_slice(list);
                Self(Repr::Few(list.len() as u8, few))
            }
            None => Self(Repr::Many(Box::new(list.to_vec()))),
        }
    }
}

impl Deref for Values {
    type Target = [Value];

    fn deref(&self) -> &[Value] {
        match &self.0 {
            Repr::Few(n, few) => &few[..usize::from(*n)],
            Repr::Many(list) => list,
        }
    }
}

impl PartialEq for Values {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl Eq for Values {}

impl PartialOrd for Values {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Values {
    fn cmp(&self, other: &Self) -> Ordering {
        (**self).cmp(&**other)
    }
}

impl Hash for Values {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (**self).hash(state);
    }
}

impl fmt::Debug for Values {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_as_they_were_given() {
        assert_eq!(size_of::<Values>(), 16);
        let all: Vec<Value> = (0..6).map(|i| Value::from_index(i * i)).collect();
        for n in 0..=all.len() {
            let list = Values::from(&all[..n]);
            assert_eq!(&*list, &all[..n]);
            assert_eq!(list.cmp(&Values::from(&all[..3])), n.cmp(&3));
        }
    }
}
