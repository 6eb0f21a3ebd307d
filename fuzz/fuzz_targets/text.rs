//! StableHLO as text. What is not UTF-8 is left to `bytecode`, which takes any bytes.
#![no_main]

use libfuzzer_sys::{Corpus, fuzz_target};

#[path = "../../crates/stablehlo/tests/it/roundtrip.rs"]
mod roundtrip;

fuzz_target!(|bytes: &[u8]| -> Corpus {
    // Other forms have targets of their own.
    if std::str::from_utf8(bytes).is_err() || bytes.iter().take(4).any(|&b| b == 0) {
        return Corpus::Reject;
    }
    roundtrip::exercise(bytes);
    Corpus::Keep
});
