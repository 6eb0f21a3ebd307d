//! The checker on hand-made plans: legal ones pass, each rule rejects, mutants are rejected or still right.

mod accepts;
mod execute;
mod mutants;
mod plans;
mod rules;
