//! Computing on local buffers: the trusted reference and the fast CPU backend.

pub mod cpu;
