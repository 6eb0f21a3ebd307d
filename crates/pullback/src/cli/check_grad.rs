//! `pullback check-grad`: tests a derivative and says how far it was tested.

use super::device::DeviceArgs;
use super::grad::mode::Mode;
use super::grad::subject::Subject;
use super::loops::LoopArgs;
use super::report;
use super::shapes::ShapeArgs;
use crate::Error;
use crate::check_grad::{Derivative, Finding, Marked, Report, Settings, check_marked};
use crate::manifest::Manifest;
use crate::source::Source;
use crate::tensors::TensorFile;
use pullback_autodiff::Options;
use pullback_base::Diagnostic;
use pullback_stablehlo::ImportOptions;
use serde_json::{Value as Json, json};
use std::fmt::Write as _;
use std::path::PathBuf;

/// Test a derivative: forward against reverse mode, and against central differences
#[derive(clap::Args)]
#[command(after_help = "\
At random points and along random directions, one argument at a time: <J v, w> = <v, J* w>, and J v against central
differences, in f64 where the program can be cast to it. A point where one-sided differences disagree is a kink; the
derivative has to lie between the two slopes. A mark (stop_gradient, a custom rule) may say another derivative than the
function's: that is told from mistakes, by testing what is around it and the rule alone, and said by name; --strict
takes it for a failure. Through a custom_vjp there is no forward mode, so J* is held against differences. Symbols that the model leaves open are tried at 1, 2, 3 and 5.
The exit code is 1 where something failed or nothing could be tested.

Examples: pullback check-grad model.mlir
          pullback check-grad model.mlir --wrt 0,w --inputs point.safetensors --points 10 --json")]
pub struct Args {
    /// StableHLO text, or the IR's own
    file: PathBuf,
    /// Public function [default: the manifest's, else main, else the only one]
    #[arg(long)]
    function: Option<String>,
    /// Arguments to differentiate with respect to: positions from 0, or names [default: the manifest's parameters, else
    /// all floating-point arguments]
    #[arg(long, value_delimiter = ',', value_name = "I,J,…")]
    wrt: Vec<String>,
    /// What the arguments and results are
    #[arg(long, value_name = "JSON")]
    manifest: Option<PathBuf>,
    /// The point, instead of random ones
    #[arg(long, value_name = "SAFETENSORS")]
    inputs: Option<PathBuf>,
    /// Seed of the first point; the next one's is one more
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,
    /// How many points, for each choice of shapes
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    points: u32,
    /// Of the derivative: 2 tests that of loss and gradients together, which is second derivatives
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=2))]
    order: u32,
    /// Fail where a mark's rule differs from the derivative of what it stands for
    #[arg(long, conflicts_with = "pairing_only")]
    strict: bool,
    /// Leave differences out
    #[arg(long)]
    pairing_only: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    loops: LoopArgs,
    #[command(flatten)]
    shapes: ShapeArgs,
    #[command(flatten)]
    device: DeviceArgs,
}

/// Sizes tried for open symbols.
const SIZES: [usize; 4] = [1, 2, 3, 5];

pub(super) fn run(args: &Args) -> Result<(), Error> {
    let manifest = args.manifest.as_deref().map(Manifest::read).transpose()?;
    report::notes(manifest.as_ref().map_or(&[], |m| &m.notes));
    let inputs = args.inputs.as_deref().map(TensorFile::read).transpose()?;
    let source = Source::read(&args.file)?;
    let mut all = Report::default();
    let mut names = Vec::new();
    let mut tried: Vec<String> = Vec::new();
    let mut refused = None;
    for (shapes, options) in choices(args, &source, manifest.as_ref(), inputs.as_ref())? {
        let open = !shapes.is_empty();
        let subject = source.load(&options).and_then(|loaded| {
            report::notes(&loaded.notes);
            let asked = args.loops.options(manifest.as_ref().map_or_else(Options::default, |m| m.loops));
            Subject::new(&loaded, args.function.as_deref(), manifest.as_ref(), &args.wrt, asked)
        });
        let subject = match subject {
            Ok(subject) => subject,
            // A size that the model does not take.
            Err(e) if open => {
                all.skipped.push(format!("{}: {e}", shapes.trim_start_matches(", ")));
                refused.get_or_insert(e);
                continue;
            }
            Err(e) => return Err(e),
        };
        all.append(one(args, &subject, &shapes, inputs.as_ref())?);
        names = subject.args;
        tried.extend(open.then(|| shapes.trim_start_matches(", ").to_owned()));
    }
    if let (0, Some(e)) = (names.len(), refused) {
        return Err(e);
    }
    let view = View { file: &source.file, report: &all, names: &names, shapes: &tried };
    report::print(&if args.json { format!("{:#}\n", view.json()) } else { view.text() })?;
    verdict(&view, args.strict)
}

fn one(args: &Args, subject: &Subject, shapes: &str, inputs: Option<&TensorFile>) -> Result<Report, Error> {
    let given = inputs.map(|file| subject.arguments(file)).transpose()?;
    let settings = Settings { seed: args.seed, points: args.points, pairing_only: args.pairing_only };
    let program = match args.order {
        2 => Mode::ValueAndGrad.derive(subject)?.program,
        _first => subject.program.clone(),
    };
    let device = args.device.open();
    let (wrt, options) = (&subject.wrt, &subject.options);
    check_marked(&program, wrt, options, given.as_deref(), shapes, settings, device.as_ref()).map_err(|e| {
        let again = |s: &Subject| Derivative::of(&s.program, wrt, options);
        if args.order == 1 { subject.placed(e, again) } else { subject.here(e) }
    })
}

/// What the file is imported with: once, or for several sizes of its open symbols.
fn choices(
    args: &Args,
    source: &Source,
    manifest: Option<&Manifest>,
    inputs: Option<&TensorFile>,
) -> Result<Vec<(String, ImportOptions)>, Error> {
    let function = args.function.as_deref();
    let options = match manifest {
        Some(m) => args.shapes.options_for_manifest(function, m, inputs.map(|f| (f, 0)))?,
        None => args.shapes.options_for_inputs(function, inputs)?,
    };
    let open = args.shapes.is_empty() && inputs.is_none() && options.tensors.is_empty();
    let signatures = if open { source.signatures()? } else { Vec::new() };
    let mut symbols: Vec<String> = signatures.into_iter().flat_map(|s| s.symbols).collect();
    symbols.sort();
    symbols.dedup();
    if symbols.is_empty() {
        return Ok(vec![(String::new(), options)]);
    }
    let with = |size: usize| {
        let options =
            ImportOptions { symbols: symbols.iter().map(|s| (s.clone(), size)).collect(), ..options.clone() };
        let text: Vec<String> = symbols.iter().map(|s| format!("{s}={size}")).collect();
        (format!(", {}", text.join(",")), options)
    };
    Ok(SIZES.into_iter().map(with).collect())
}

/// An error that says what failed.
fn verdict(view: &View<'_>, strict: bool) -> Result<(), Error> {
    let r = view.report;
    let error = |message: String| Diagnostic::error(None, message).in_file(view.file);
    if r.passed() {
        let Some(m) = r.marks.iter().find(|m| strict && m.differs) else { return Ok(()) };
        let help = "leave --strict out if that is meant; else the mark's rule is wrong";
        return Err(error(View::marked(m)).with_help(help).into());
    }
    if r.failures.is_empty() {
        let none = || "no element type here is fine enough for differences".to_owned();
        let why = r.skipped.first().cloned().unwrap_or_else(none);
        return Err(error(format!("nothing could be tested: {why}")).into());
    }
    let worst = r.failures.iter().max_by(|a, b| a.error.total_cmp(&b.error));
    let what = worst.map_or_else(String::new, |f| view.finding(f));
    let help = "the op's rule is wrong, or the derivative is a surrogate by design (then --pairing-only)";
    Err(error(format!("the derivative is wrong: {what}")).with_help(help).into())
}

struct View<'a> {
    file: &'a str,
    report: &'a Report,
    /// Of the arguments.
    names: &'a [String],
    /// Shapes tried, where they were chosen.
    shapes: &'a [String],
}

impl View<'_> {
    fn name(&self, argument: usize) -> &str {
        self.names.get(argument).map_or("what a mark gives", String::as_str)
    }

    /// `"clip" (custom_vjp, at %3): declared surrogate, differs from its function by 1.0e0`
    fn marked(m: &Marked) -> String {
        let places = match &m.places[..] {
            [first, .., last] if m.places.len() > 3 => format!("{first} … {last}, {} places", m.places.len()),
            few => few.join(", "),
        };
        let of = match m.kind {
            "stop_gradient" => "the function's derivative",
            _ => "the derivative of what it stands for",
        };
        let what = match m.error {
            Some(e) if m.differs => format!("declared surrogate, differs from {of} by {e:.1e}"),
            Some(e) => format!("agrees with {of}, worst relative error {e:.1e}"),
            None => format!("not held against {of}"),
        };
        format!("{:?} ({}, at {places}): {what}", m.name, m.kind)
    }

    fn marks(&self, out: &mut String) {
        for m in &self.report.marks {
            let _ = writeln!(out, "  {}", Self::marked(m));
            if m.reverse_only {
                let _ = writeln!(
                    out,
                    "    pairing is not defined through {:?}: it has a reverse rule only, held against differences; around it \
                     both modes are paired",
                    m.name
                );
            }
            if m.inside {
                let _ = writeln!(
                    out,
                    "    it is inside a loop, a choice or another mark, and left out where those are tested around it"
                );
            }
        }
        if let Some(f) = self.report.surrogate.iter().max_by(|a, b| a.error.total_cmp(&b.error)) {
            let _ = writeln!(out, "  the whole function with its marks: {}", self.finding(f));
        }
    }

    fn finding(&self, f: &Finding) -> String {
        let element = f.element.map_or_else(String::new, |i| format!(", most at element {i}"));
        format!(
            "{} along {}{element} (seed {}{}): {:e}, should be {:e}, relative error {:.1e}",
            f.kind.name(),
            self.name(f.argument),
            f.seed,
            f.shapes,
            f.got,
            f.want,
            f.error
        )
    }

    fn text(&self) -> String {
        let r = self.report;
        let precisions: Vec<&str> = r.precisions.iter().map(|d| d.name()).collect();
        let mut out = format!("{}: {}\n", self.file, r.level());
        let shapes = match self.shapes {
            [] => String::new(),
            list => format!("; shapes {}", list.join("; ")),
        };
        let _ = writeln!(out, "  {} comparisons in {}{shapes}", r.comparisons, precisions.join(", "));
        for f in &r.worst {
            let _ = writeln!(out, "  worst {}", self.finding(f));
        }
        self.marks(&mut out);
        for k in &r.kinks {
            let (a, b) = k.slopes;
            let _ = writeln!(
                out,
                "  kink along {} (seed {}): slopes {a:e} and {b:e}, the derivative is {:e}",
                self.name(k.argument),
                k.seed,
                k.got
            );
        }
        for s in &r.skipped {
            let _ = writeln!(out, "  not tested: {s}");
        }
        out
    }

    fn json(&self) -> Json {
        let r = self.report;
        let finding = |f: &Finding| {
            json!({
                "kind": f.kind.name(),
                "argument": self.name(f.argument),
                "element": f.element,
                "seed": f.seed,
                "shapes": f.shapes.trim_start_matches(", "),
                "got": f.got,
                "want": f.want,
                "relative_error": f.error,
            })
        };
        let kinks = r.kinks.iter().map(|k| {
            json!({
                "argument": self.name(k.argument),
                "seed": k.seed,
                "slopes": [k.slopes.0, k.slopes.1],
                "derivative": k.got,
            })
        });
        let marks = r.marks.iter().map(|m| {
            json!({
                "name": m.name,
                "rule": m.kind,
                "at": m.places,
                "relative_error": m.error,
                "surrogate": m.differs,
                "pairing": !m.reverse_only,
                "inside": m.inside,
            })
        });
        json!({
            "file": self.file,
            "level": r.grade(),
            "says": r.level(),
            "points": r.points,
            "comparisons": r.comparisons,
            "worst_relative_error": r.worst_error(),
            "precision": r.precisions.iter().map(|d| d.name()).collect::<Vec<_>>(),
            "shapes": self.shapes,
            "worst": r.worst.iter().map(finding).collect::<Vec<_>>(),
            "failures": r.failures.iter().map(finding).collect::<Vec<_>>(),
            "marks": marks.collect::<Vec<_>>(),
            "surrogate": r.surrogate.iter().map(finding).collect::<Vec<_>>(),
            "kinks": kinks.collect::<Vec<_>>(),
            "not_tested": r.skipped,
        })
    }
}
