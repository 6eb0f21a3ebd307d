//! Gradients of a case, forward and reverse, against central differences in f64.

use crate::pen::{Case, Pen, f64s};
use pullback::Error;
use pullback::check_grad::{Derivative, Kind, Report, Settings, check};
use pullback_autodiff::{Options, vjp_with};
use pullback_eval::CpuDevice;
use pullback_ir::Program;
use pullback_stablehlo::import;

/// Turns that a loop of unknown length may take.
const LOOP_BOUND: u64 = 64;

/// What came of a case.
#[derive(Debug)]
pub enum Verdict {
    /// Both modes agree with each other and with differences; the largest relative error.
    Agrees(f64),
    /// Refused by name.
    Refused(String),
    /// Differs, or could not be run.
    Differs(String),
}

/// Judges one case: its first derivatives, or with `second` those of its reverse derivative.
pub fn judge(case: &Case, second: bool) -> Verdict {
    let module = match import(&case.text) {
        Ok(module) => module,
        Err(diags) => {
            let text = diags.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ");
            return refused_or(text);
        }
    };
    let Some(program) = module.function("main") else { return Verdict::Differs("no main".to_owned()) };
    let report = match measure(case, program, second) {
        Ok(report) => report,
        Err(e) => return refused_or(e.to_string()),
    };
    if let Some(f) = report.failures.first() {
        let what = f.kind.name();
        return Verdict::Differs(format!(
            "{what} by argument {}{}: {}, not {} ({:.1e})",
            f.argument,
            f.element.map_or(String::new(), |e| format!(" (element {e})")),
            f.got,
            f.want,
            f.error
        ));
    }
    if let Some(k) = report.kinks.first() {
        return Verdict::Differs(format!("a kink by argument {}: slopes {:?}", k.argument, k.slopes));
    }
    let measured = report.worst.iter().any(|f| f.kind == Kind::Differences);
    match report.points {
        0 => Verdict::Differs(report.skipped.join("; ")),
        _ if !measured => Verdict::Differs("no differences were taken".to_owned()),
        _ => Verdict::Agrees(report.worst_error()),
    }
}

fn measure(case: &Case, program: &Program, second: bool) -> Result<Report, Error> {
    let wrt: Vec<usize> = (0..case.inputs.len()).collect();
    let options = Options::default().with_loop_bound(LOOP_BOUND);
    let mut inputs = case.inputs.clone();
    let reverse;
    let program = if second {
        reverse = vjp_with(program, &wrt, &options)?;
        // Cotangents are further arguments.
        let mut pen = Pen::new("cotangents", case.seed);
        for &a in &reverse.args()[inputs.len()..] {
            let ty = reverse.ty(a);
            inputs.push(f64s(ty.shape(), &pen.numbers(ty.count())));
        }
        &reverse
    } else {
        program
    };
    let derivative = Derivative::of(program, &wrt, &options)?;
    let settings = Settings { seed: case.seed, points: 1, pairing_only: false };
    check(&derivative, Some(&inputs), "", settings, &CpuDevice { threads: 1 })
}

fn refused_or(text: String) -> Verdict {
    if text.contains("unsupported") { Verdict::Refused(text) } else { Verdict::Differs(text) }
}
