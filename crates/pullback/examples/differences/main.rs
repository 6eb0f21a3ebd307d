//! Gradients of random functions against central differences in f64, where JAX has no rule or slips.
//!
//! `cargo run --release -p pullback --example differences -- [--seed S] [--count N] [--family TEXT] [--second] [--show]`
//!
//! N functions of each family. Prints, for each, how many agree, are refused by name and differ; exits with 1 when one
//! differs. `--show` prints the texts.

mod families;
mod judge;
mod loops;
mod matrices;
mod moves;
mod pen;
mod reductions;

use clap::Parser;
use families::{FAMILIES, case};
use judge::{Verdict, judge};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitCode;

/// Holds gradients of random functions against central differences
#[derive(Parser)]
struct Args {
    /// The first seed
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// How many functions of each family
    #[arg(long, default_value_t = 20)]
    count: u64,
    /// Only families whose name has this in it
    #[arg(long, default_value = "")]
    family: String,
    /// Second derivatives: those of the reverse derivative
    #[arg(long)]
    second: bool,
    /// Print the programs
    #[arg(long)]
    show: bool,
}

fn main() -> ExitCode {
    let args = Args::parse();
    let mut all = [0usize; 3];
    for (i, (name, _)) in FAMILIES.iter().enumerate().filter(|(_, (n, _))| n.contains(&args.family)) {
        let (mut counts, mut worst, mut said) = ([0usize; 3], 0f64, Vec::new());
        for seed in args.seed..args.seed + args.count {
            let case = case(i, seed);
            if args.show {
                println!("// {}, seed {}\n{}", case.family, case.seed, case.text);
            }
            let verdict = catch_unwind(AssertUnwindSafe(|| judge(&case, args.second)));
            match verdict.unwrap_or_else(|_| Verdict::Differs("panic".to_owned())) {
                Verdict::Agrees(error) => {
                    counts[0] += 1;
                    worst = worst.max(error);
                }
                Verdict::Refused(why) => {
                    counts[1] += 1;
                    said.push(format!("seed {seed} refused: {}", first(&why)));
                }
                Verdict::Differs(how) => {
                    counts[2] += 1;
                    said.push(format!("seed {seed} differs: {}", first(&how)));
                }
            }
        }
        println!(
            "{name:<30} {:>4} agree (worst {worst:.1e}), {} refused, {} differ",
            counts[0], counts[1], counts[2]
        );
        said.iter().for_each(|s| println!("    {s}"));
        all.iter_mut().zip(counts).for_each(|(a, c)| *a += c);
    }
    println!("{} agree, {} refused, {} differ", all[0], all[1], all[2]);
    if all[2] == 0 { ExitCode::SUCCESS } else { ExitCode::from(1) }
}

fn first(text: &str) -> &str {
    text.lines().next().unwrap_or("")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A few of each family; what is refused, by name.
    #[test]
    fn gradients_agree_with_differences() {
        let (mut agree, mut refused) = (0, 0);
        for (i, (name, _)) in FAMILIES.iter().enumerate() {
            for (seed, second) in [(100, false), (101, false), (100, true), (101, true)] {
                match judge(&case(i, seed), second) {
                    Verdict::Agrees(_) => agree += 1,
                    Verdict::Refused(why) => {
                        let geev = second && why.contains("eigenvectors by lapack_geev");
                        assert!(
                            geev || why.contains("select_and_scatter that is not a sum"),
                            "{name}, seed {seed}: {why}"
                        );
                        refused += 1;
                    }
                    Verdict::Differs(how) => panic!("{name}, seed {seed}: {how}"),
                }
            }
        }
        assert!(agree >= 100 && refused <= 8, "{agree} agree, {refused} are refused");
    }

    /// What is compared is noticed where it is wrong: of a function whose derivative is not that of its text.
    #[test]
    fn a_wrong_gradient_is_noticed() {
        let mut wrong = case(0, 0);
        wrong.text = "module {
  func.func public @main(%x0: tensor<2xf64>, %x1: tensor<2xf64>) -> tensor<2xf64> {
    %0 = stablehlo.multiply %x0, %x1 : tensor<2xf64>
    %1 = stablehlo.composite \"pullback.stop_gradient\" %0 {decomposition = @id} : (tensor<2xf64>) -> tensor<2xf64>
    %2 = stablehlo.add %0, %1 : tensor<2xf64>
    return %2 : tensor<2xf64>
  }
  func.func private @id(%x: tensor<2xf64>) -> tensor<2xf64> {
    return %x : tensor<2xf64>
  }
}"
        .to_owned();
        wrong.inputs = vec![pen::f64s(&[2], &[0.3, 0.7]), pen::f64s(&[2], &[1.1, -0.4])];
        assert!(matches!(judge(&wrong, false), Verdict::Differs(_)));
    }
}
