//! Families of random functions that JAX cannot differentiate in reverse, or where it slips: loops whose end depends on
//! data, reductions and windows of general bodies and of products with zeros, scatters that meet, sorts with company.
//!
//! Inputs keep away from kinks: what is compared is apart, what decides is not near its edge.

use crate::pen::{Case, Pen, V};
use crate::{loops, matrices, moves, reductions};

/// Each family by name.
pub const FAMILIES: &[(&str, fn(&mut Pen) -> Vec<V>)] = &[
    ("while until large", loops::while_large),
    ("while, bounded", loops::while_bounded),
    ("while in while", loops::nested),
    ("case in while", loops::case_in_while),
    ("while in case", loops::while_in_case),
    ("slices in while", loops::slices_in_while),
    ("reduce, general", reductions::reduce_general),
    ("reduce, two operands", reductions::reduce_pair),
    ("reduce multiply, zeros", reductions::reduce_product),
    ("reduce_window multiply, zeros", reductions::window_product),
    ("reduce_window, general", reductions::window_general),
    ("reduce_window maximum", reductions::window_maximum),
    ("cumulative product, zeros", reductions::cumprod),
    ("select_and_scatter", moves::select_and_scatter),
    ("scatter", moves::scatter),
    ("gather", moves::gather),
    ("sort", moves::sort),
    ("top_k", moves::top_k),
    ("dynamic slices out of range", moves::dynamic_slices),
    ("pad", moves::pad),
    ("complex", moves::complex),
    ("fft", moves::fft),
    ("cholesky and solve", matrices::cholesky),
    ("lu", matrices::lu),
    ("qr", matrices::qr),
    ("eigh", matrices::eigh),
    ("svd", matrices::svd),
    ("eigenvalues", matrices::eigenvalues),
    ("batch norm", moves::batch_norm),
    ("powers and remainders", moves::powers),
];

/// The case of a family and a seed.
pub fn case(family: usize, seed: u64) -> Case {
    let (name, write) = FAMILIES[family % FAMILIES.len()];
    let mut pen = Pen::new(name, seed);
    let results = write(&mut pen);
    pen.case(name, seed, &results)
}
