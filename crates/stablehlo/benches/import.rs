//! Times of the front door: `cargo bench -p pullback-stablehlo --bench import [-- FILE...]`.
//!
//! For each file a JSON line: how long it took to import, verify and print, in time and in time on a core (which a busy
//! machine leaves alone), and the most memory the process ever held (VmHWM) after importing and at the end. The peak
//! is the process's, so a file that is to be judged by it is given alone. Without files, the programs of the tests.
//! Asserts nothing. Cores and memory are read from /proc; elsewhere they are 0.
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

/// When something began: the time, and how long this thread had been on a core.
struct Start(Instant, f64);

impl Start {
    fn now() -> Self {
        Self(Instant::now(), cpu_ms())
    }

    /// Milliseconds since, and those on a core.
    fn ms(&self) -> (f64, f64) {
        (1e3 * self.0.elapsed().as_secs_f64(), cpu_ms() - self.1)
    }
}

fn cpu_ms() -> f64 {
    let stat = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    let ns = stat.split(' ').next().and_then(|n| n.parse::<f64>().ok());
    ns.unwrap_or(0.0) / 1e6
}

fn measure(path: &Path) {
    let text = std::fs::read_to_string(path).unwrap();
    let start = Start::now();
    let module = import(&text).unwrap_or_else(|e| panic!("{}: {}", path.display(), e[0]));
    let imported = start.ms();
    let peak_import = peak();
    let start = Start::now();
    for f in module.functions() {
        f.verify().unwrap();
    }
    let verified = start.ms();
    let ops: usize = module.functions().iter().map(|f| f.instrs().len()).sum();
    let bytes = text.len();
    drop(text);
    let start = Start::now();
    let printed = print(&module.functions().iter().collect::<Vec<&Program>>());
    let print_ms = start.ms();
    let name = path.file_stem().unwrap_or_default().to_string_lossy();
    println!(
        "{{\"file\": \"{name}\", \"bytes\": {bytes}, \"ops\": {ops}, \"import_ms\": {:.2}, \"verify_ms\": {:.2}, \
         \"print_ms\": {:.2}, \"import_cpu_ms\": {:.2}, \"verify_cpu_ms\": {:.2}, \"print_cpu_ms\": {:.2}, \
         \"printed\": {}, \"peak_import\": {peak_import}, \"peak\": {}}}",
        imported.0,
        verified.0,
        print_ms.0,
        imported.1,
        verified.1,
        print_ms.1,
        printed.len(),
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
