//! Times of the front door: `cargo bench -p pullback-stablehlo --bench import [-- FILE...]`.
//!
//! For each file a JSON line: how long it took to import, verify and print, and the most memory the process ever
//! held (VmHWM, where /proc has it) after importing and at the end. The peak is the process's, so a file that is
//! to be judged by it is given alone. Without files, the programs of the tests. Asserts nothing.
#![allow(clippy::unwrap_used)]

use pullback_ir::Program;
use pullback_stablehlo::{import, print};
use std::path::{Path, PathBuf};
use std::time::Instant;

/// The most memory this process ever held, in bytes; 0 where nobody says.
fn peak() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|l| l.strip_prefix("VmHWM:"));
    let kib = line.and_then(|l| l.trim().strip_suffix("kB")?.trim().parse::<u64>().ok());
    kib.unwrap_or(0) * 1024
}

fn ms(since: Instant) -> f64 {
    1e3 * since.elapsed().as_secs_f64()
}

fn measure(path: &Path) {
    let text = std::fs::read_to_string(path).unwrap();
    let start = Instant::now();
    let module = import(&text).unwrap_or_else(|e| panic!("{}: {}", path.display(), e[0]));
    let imported = ms(start);
    let peak_import = peak();
    let start = Instant::now();
    for f in module.functions() {
        f.verify().unwrap();
    }
    let verified = ms(start);
    let ops: usize = module.functions().iter().map(|f| f.instrs().len()).sum();
    let bytes = text.len();
    drop(text);
    let start = Instant::now();
    let printed = print(&module.functions().iter().collect::<Vec<&Program>>());
    let print_ms = ms(start);
    let name = path.file_stem().unwrap_or_default().to_string_lossy();
    println!(
        "{{\"file\": \"{name}\", \"bytes\": {bytes}, \"ops\": {ops}, \"import_ms\": {imported:.2}, \
         \"verify_ms\": {verified:.2}, \"print_ms\": {print_ms:.2}, \"printed\": {}, \"mb_s\": {:.1}, \
         \"peak_import\": {peak_import}, \"peak\": {}}}",
        printed.len(),
        bytes as f64 / 1e3 / imported,
        peak()
    );
}

fn main() {
    // Cargo passes `--bench`.
    let mut files: Vec<PathBuf> =
        std::env::args().skip(1).filter(|a| !a.starts_with("--")).map(PathBuf::from).collect();
    if files.is_empty() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs");
        files = std::fs::read_dir(folder).unwrap().map(|e| e.unwrap().path()).collect();
        files.sort();
    }
    files.iter().for_each(|f| measure(f));
}
