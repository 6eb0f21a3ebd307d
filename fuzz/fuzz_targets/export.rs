//! Files of `jax.export`: the container, and the module in it.
#![no_main]

use libfuzzer_sys::{Corpus, fuzz_target};

#[path = "../../crates/stablehlo/tests/it/roundtrip.rs"]
mod roundtrip;

fuzz_target!(|bytes: &[u8]| -> Corpus {
    if bytes.starts_with(b"ML\xefR") || !bytes.iter().take(4).any(|&b| b == 0) {
        return Corpus::Reject;
    }
    roundtrip::exercise(bytes);
    Corpus::Keep
});
