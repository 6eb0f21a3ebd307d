//! MLIR bytecode in the portable dialect.
#![no_main]

use libfuzzer_sys::fuzz_target;

#[path = "../../crates/stablehlo/tests/it/roundtrip.rs"]
mod roundtrip;

fuzz_target!(|bytes: &[u8]| {
    // The magic number is what mutation breaks first: without it this would be the target `text`.
    let mut file = b"ML\xefR".to_vec();
    file.extend(bytes.strip_prefix(b"ML\xefR".as_slice()).unwrap_or(bytes));
    roundtrip::exercise(&file);
});
