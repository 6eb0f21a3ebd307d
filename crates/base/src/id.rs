//! Typed `u32` ids and dense maps keyed by them.
//!
//! An id's `Display` is the text the artifacts use (`%3`, `b7`), so printed forms parse back.

use std::marker::PhantomData;
use std::ops::{Index, IndexMut};

/// A dense index with a type of its own.
pub trait Id: Copy + Eq + Ord {
    /// The id with this index. Panics when the index does not fit 32 bits.
    fn from_index(index: usize) -> Self;
    /// Position in a dense map.
    fn index(self) -> usize;
}

/// Declares a `u32` newtype that implements [`Id`] and prints as `PREFIX` + number.
#[macro_export]
macro_rules! define_id {
    ($(#[$meta:meta])* $name:ident, $prefix:literal) => {
        $(#[$meta])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(u32);
        impl $crate::Id for $name {
            fn from_index(index: usize) -> Self {
                Self(u32::try_from(index).expect("an id fits 32 bits"))
            }
            fn index(self) -> usize {
                self.0 as usize
            }
        }
        impl ::std::fmt::Display for $name {
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                write!(f, concat!($prefix, "{}"), self.0)
            }
        }
        impl ::std::fmt::Debug for $name {
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                ::std::fmt::Display::fmt(self, f)
            }
        }
    };
}

/// A dense map from an id to a value; keys are handed out by [`IdMap::push`].
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct IdMap<K, V> {
    items: Vec<V>,
    key: PhantomData<K>,
}

impl<K: Id, V> IdMap<K, V> {
    /// An empty map.
    pub fn new() -> Self {
        Self { items: Vec::new(), key: PhantomData }
    }

    /// A map holding `value` for each of the first `len` ids: a side table.
    pub fn filled(len: usize, value: V) -> Self
    where
        V: Clone,
    {
        Self { items: vec![value; len], key: PhantomData }
    }

    /// Adds a value and returns its id.
    pub fn push(&mut self, value: V) -> K {
        let id = K::from_index(self.items.len());
        self.items.push(value);
        id
    }

    /// Number of entries.
    pub fn len(&self) -> usize {
        self.items.len()
    }

    /// Whether there is no entry.
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// The entry, if the id is one of this map's.
    pub fn get(&self, id: K) -> Option<&V> {
        self.items.get(id.index())
    }

    /// All ids in order.
    pub fn ids(&self) -> impl DoubleEndedIterator<Item = K> + ExactSizeIterator + use<K, V> {
        (0..self.items.len()).map(K::from_index)
    }

    /// All entries in order of id.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (K, &V)> {
        self.items.iter().enumerate().map(|(i, v)| (K::from_index(i), v))
    }

    /// All values in order of id.
    pub fn values(&self) -> std::slice::Iter<'_, V> {
        self.items.iter()
    }
}

impl<K: Id, V> Default for IdMap<K, V> {
    fn default() -> Self {
        Self::new()
    }
}

impl<K: Id, V> Index<K> for IdMap<K, V> {
    type Output = V;
    fn index(&self, id: K) -> &V {
        &self.items[id.index()]
    }
}

impl<K: Id, V> IndexMut<K> for IdMap<K, V> {
    fn index_mut(&mut self, id: K) -> &mut V {
        &mut self.items[id.index()]
    }
}

impl<K: Id + std::fmt::Debug, V: std::fmt::Debug> std::fmt::Debug for IdMap<K, V> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_map().entries(self.iter()).finish()
    }
}
