//! The files of a checkout: which there are, the tests in each, and what their `RUN` lines ask for.

use crate::compare::Closeness;
use std::fs;
use std::path::{Path, PathBuf};

/// Folders of a StableHLO checkout with tests that its interpreter runs.
pub const FOLDERS: [&str; 3] = ["stablehlo/tests/interpret", "stablehlo/testdata", "stablehlo/tests/math"];

/// All test files below the folders, sorted; paths from the checkout.
pub fn files(checkout: &Path, folders: &[String]) -> Result<Vec<PathBuf>, String> {
    let mut files = Vec::new();
    for folder in folders {
        let before = files.len();
        walk(&checkout.join(folder), &mut files)?;
        if files.len() == before {
            return Err(format!("no .mlir files in {}", checkout.join(folder).display()));
        }
    }
    files.sort();
    Ok(files.iter().map(|f| f.strip_prefix(checkout).unwrap_or(f).to_path_buf()).collect())
}

fn walk(folder: &Path, files: &mut Vec<PathBuf>) -> Result<(), String> {
    let trouble = |e: std::io::Error| format!("{}: {e}", folder.display());
    for entry in fs::read_dir(folder).map_err(trouble)? {
        let path = entry.map_err(trouble)?.path();
        if path.is_dir() {
            walk(&path, files)?;
        } else if path.extension().is_some_and(|e| e == "mlir") {
            files.push(path);
        }
    }
    Ok(())
}

/// The first line of a part and its text.
pub struct Part<'a> {
    pub line: usize,
    pub text: &'a str,
}

/// A file's parts between lines `// -----`.
pub fn parts(text: &str) -> Vec<Part<'_>> {
    let mut parts = Vec::new();
    let (mut start, mut line, mut at) = (0, 1, 0);
    for (i, l) in text.split_inclusive('\n').enumerate() {
        if l.contains("// -----") {
            parts.push(Part { line, text: &text[start..at] });
            (start, line) = (at + l.len(), i + 2);
        }
        at += l.len();
    }
    parts.push(Part { line, text: &text[start..] });
    parts
}

/// What the `RUN` lines of a file say.
#[derive(Default, PartialEq, Debug)]
pub struct Runs {
    /// Whether its interpreter runs it.
    pub interpreted: bool,
    /// Why its interpreter does not, though it is a test of values.
    pub disabled: Option<String>,
    /// Arguments of the entry: a list of `dense<…> : tensor<…>`.
    pub args: Option<String>,
    /// Whether what is printed is compared with the comments.
    pub prints: bool,
}

/// Reads the `RUN` lines. Those for other tools (round trips, expected refusals of the command line) are not honoured.
pub fn runs(text: &str) -> Runs {
    let mut runs = Runs::default();
    for line in text.lines() {
        let Some(comment) = line.trim_start().strip_prefix("//") else { continue };
        let comment = comment.trim_start();
        if !comment.contains("--interpret") {
            continue;
        }
        if let Some(why) = comment.strip_prefix("RUN-DISABLED(") {
            runs.disabled = Some(why.split(')').next().unwrap_or(why).to_owned());
        }
        let Some(command) = comment.strip_prefix("RUN:") else { continue };
        if command.trim_start().starts_with("not ") {
            continue;
        }
        runs.interpreted = true;
        runs.prints |= command.contains("FileCheck");
        if let Some((_, rest)) = command.split_once("--args=\"[") {
            runs.args = rest.split_once("]\"").map(|(list, _)| list.to_owned());
        }
    }
    runs
}

/// What comments say is printed: `dense<…> : tensor<…>` for each result, from `CHECK-DENSE` lines, else from
/// `CHECK` lines of the form `tensor<…> {` … `}`.
pub fn printed(text: &str) -> Vec<String> {
    let after = |line: &str, mark: &str| -> Option<String> {
        let rest = line.trim_start().strip_prefix("//")?.trim_start().strip_prefix(mark)?;
        let rest = rest.strip_prefix("-NEXT").unwrap_or(rest);
        Some(rest.strip_prefix("{LITERAL}").unwrap_or(rest).strip_prefix(':')?.trim().to_owned())
    };
    let dense: Vec<String> = text.lines().filter_map(|l| after(l, "CHECK-DENSE")).collect();
    if !dense.is_empty() {
        return dense;
    }
    let joined: String = text.lines().filter_map(|l| after(l, "CHECK")).collect::<Vec<_>>().join(" ");
    let mut printed = Vec::new();
    let mut rest = joined.as_str();
    while let Some((ty, after)) = rest.split_once('{') {
        let Some((value, next)) = after.split_once('}') else { break };
        printed.push(format!("dense<{}> : {}", value.trim(), ty.trim()));
        rest = next;
    }
    printed
}

/// Checks whose expected values are no more accurate than ours, by a part of the path: what they are held to instead.
pub const INACCURATE: [(&str, Closeness, &str); 11] = [
    ("testdata/cosh_float32", Closeness::Ulps { min: 0, max: 8 }, EXPANDED),
    ("testdata/sinh_float32", Closeness::Ulps { min: 0, max: 8 }, EXPANDED),
    ("testdata/cumlogsumexp_float16", Closeness::Ulps { min: 0, max: 8 }, REORDERED),
    ("testdata/cumprod_complex64", Closeness::Relative(1e-6), LARGE),
    ("testdata/fft_complex128", Closeness::Almost(1e-11), TRANSFORM),
    ("testdata/fft_complex64", Closeness::Almost(1e-3), TRANSFORM),
    ("testdata/fft_float32", Closeness::Almost(1e-3), TRANSFORM),
    ("testdata/fft_float64", Closeness::Almost(1e-11), TRANSFORM),
    ("testdata/triangular_solve_float32", Closeness::Relative(1e-5), SUBSTITUTED),
    ("testdata/pow_complex64", Closeness::Relative(1e-5), LARGE),
    ("testdata/sin_complex64", Closeness::Relative(1e-6), LARGE),
    ("testdata/fft_float32", Closeness::Almost(1e-3), TRANSFORM),
    ("testdata/fft_complex64", Closeness::Almost(1e-3), TRANSFORM),
    ("testdata/fft_float64", Closeness::Almost(1e-12), TRANSFORM),
    ("testdata/fft_complex128", Closeness::Almost(1e-12), TRANSFORM),
    ("testdata/triangular_solve_float32_2_8_8_float32_2_10_8", Closeness::Relative(1e-5), SOLVED),
];
const TRANSFORM: &str =
    "held to an absolute bound: elements of a transform near 0 are sums of many that are not";
const SOLVED: &str = "held to 1e-5: solutions of a system in another order of operations";
const LARGE: &str = "held to a relative bound: an absolute one is too strict for large complex numbers";
const REORDERED: &str = "held to 8 ulp: f16 results near 0 of sums in another order";
const EXPANDED: &str = "held to 8 ulp: expected values come from an f32 expansion with exponentials";

/// Files that are no valid programs, and why.
pub const INVALID: [(&str, &str); 2] = [
    ("dynamic/conv_general_dilated_1d_stride_2_even", TWO_STRIDES),
    ("dynamic/conv_general_dilated_1d_stride_2_odd", TWO_STRIDES),
];
const TWO_STRIDES: &str = "not valid: two strides for one dimension of a window";

/// The family of a file: its folder, and its name as far as the first element type.
pub fn family(path: &Path) -> String {
    let folder = path.parent().map(|p| p.to_string_lossy().replace("stablehlo/", "")).unwrap_or_default();
    let stem = path.file_stem().map(|s| s.to_string_lossy().into_owned()).unwrap_or_default();
    if folder.starts_with("tests/interpret") {
        return format!("{folder}/{stem}").replacen("tests/interpret", "interpret", 1);
    }
    const TYPES: [&str; 8] = ["bool", "int", "uint", "float", "bfloat", "complex", "inbfloat", "infloat"];
    let is_type = |word: &&str| {
        let letters = word.trim_end_matches(|c: char| c.is_ascii_digit());
        TYPES.contains(&letters) && (letters == "bool" || letters.len() < word.len())
    };
    let words: Vec<&str> = stem.split('_').collect();
    let end = words.iter().position(is_type).unwrap_or(words.len()).max(1);
    format!("{folder}/{}", words[..end].join("_"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_know_their_lines() {
        let parts = parts("a\n// -----\nb\nc\n  // // -----\nd");
        let seen: Vec<_> = parts.iter().map(|p| (p.line, p.text)).collect();
        assert_eq!(seen, [(1, "a\n"), (3, "b\nc\n"), (6, "d")]);
    }

    #[test]
    fn run_lines() {
        let text = "// RUN: tool %s --interpret --args=\"[dense<1> : tensor<i32>]\" | FileCheck %s\n\
                    // RUN: not tool %s --interpret --args=\"x\"\n// RUN-DISABLED(slow): tool --interpret";
        let runs = runs(text);
        assert!(runs.interpreted && runs.prints);
        assert_eq!(runs.args.as_deref(), Some("dense<1> : tensor<i32>"));
        assert_eq!(runs.disabled.as_deref(), Some("slow"));
        assert_eq!(super::runs("// RUN: diff a b"), Runs::default());
    }

    #[test]
    fn families_end_at_types() {
        let of = |p: &str| family(Path::new(p));
        assert_eq!(of("stablehlo/testdata/abs_float32_20_20.mlir"), "testdata/abs");
        assert_eq!(of("stablehlo/testdata/reduce_max_int8_2_3.mlir"), "testdata/reduce_max");
        assert_eq!(of("stablehlo/tests/interpret/chlo/scan.mlir"), "interpret/chlo/scan");
    }

    #[test]
    fn what_is_printed() {
        let text = "// CHECK:      tensor<2xi32> {\n// CHECK-NEXT:   [3, 3]\n// CHECK-NEXT: }";
        assert_eq!(printed(text), ["dense<[3, 3]> : tensor<2xi32>"]);
        assert_eq!(printed("// CHECK-DENSE{LITERAL}: dense<[[1]]> : t"), ["dense<[[1]]> : t"]);
    }
}
