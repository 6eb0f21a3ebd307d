//! Illegal plans as files: each says which rule it breaks and how a person would come to write it.
//!
//! `tests/illegal/BASE/` has a step program, a strategy, a deployment and `legal.plan`, the planner's. A file
//! `pNN_*.plan` begins with comments: the rule, the fault, the base, other inputs than the base's if any
//! (`; deployment: other.toml`), and one sentence. `; error: PN` marks each line of which the checker complains, and
//! `messages.txt` is what it says. `UPDATE_EXPECT=1` writes digests, marks, messages and `legal.plan` anew.

use expect_test::expect_file;
use pullback_checker::{At, Checked, Rule, Violation, check};
use pullback_ir::Program;
use pullback_plan::digest::step_digest;
use pullback_plan::{BatchSlot, Deployment, Digest, OutputSlot, Plan, Signature, StateSlot, Strategy};
use pullback_planner::Request;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/illegal");
const BASES: [&str; 4] = ["data_parallel", "grid", "tensor_parallel", "zero_sharded"];
const MARK: &str = "; error: ";

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

fn folder(path: &str) -> PathBuf {
    Path::new(FOLDER).join(path)
}

/// The files a plan is judged against.
struct Inputs {
    step: PathBuf,
    strategy: PathBuf,
    deployment: PathBuf,
}

impl Inputs {
    /// A base's, with others where `other` names them.
    fn of(base: &str, other: &BTreeMap<String, String>) -> Self {
        assert!(BASES.contains(&base), "no base {base:?}");
        let file =
            |key: &str, default: &str| folder(base).join(other.get(key).map_or(default, String::as_str));
        Self {
            step: file("step", "step.ir"),
            strategy: file("strategy", "strategy.toml"),
            deployment: file("deployment", "deployment.toml"),
        }
    }

    fn parse(&self) -> (Program, Strategy, Deployment) {
        (
            pullback_ir::text::parse(&read(&self.step)).unwrap(),
            Strategy::parse(&read(&self.strategy)).unwrap(),
            Deployment::parse(&read(&self.deployment)).unwrap(),
        )
    }

    fn check(&self, plan: Plan) -> Result<Checked, Vec<Violation>> {
        let (step, strategy, deployment) = self.parse();
        check(&step, &strategy, &deployment, plan)
    }

    /// Runs `pullback-check`.
    fn run(&self, plan: &Path) -> (bool, String) {
        let mut command = Command::new(env!("CARGO_BIN_EXE_pullback-check"));
        command.arg("--step").arg(&self.step).arg("--strategy").arg(&self.strategy);
        let output = command.arg("--deployment").arg(&self.deployment).arg(plan).output().unwrap();
        (output.status.success(), String::from_utf8(output.stdout).unwrap())
    }
}

/// Arguments that a result has the name of are state, others the batch; other results are outputs.
fn signature(step: &Program) -> Signature {
    let arg_name = |i: usize| step.value_name(step.args()[i]).unwrap().to_owned();
    let result_name = |r: usize| step.result_name(r).unwrap().to_owned();
    let result_of = |name: &str| (0..step.results().len()).find(|&r| result_name(r) == name);
    let mut signature = Signature { state: vec![], batch: vec![], outputs: vec![] };
    for arg in 0..step.args().len() {
        let name = arg_name(arg);
        match result_of(&name) {
            Some(result) => signature.state.push(StateSlot { name, arg, result }),
            None => signature.batch.push(BatchSlot { name, arg }),
        }
    }
    for result in (0..step.results().len()).filter(|&r| !signature.state.iter().any(|s| s.result == r)) {
        signature.outputs.push(OutputSlot { name: result_name(result), result });
    }
    signature
}

#[test]
fn bases_are_the_planners_and_legal() {
    for base in BASES {
        let inputs = Inputs::of(base, &BTreeMap::new());
        let (step, strategy, deployment) = inputs.parse();
        let (signature, model) = (signature(&step), Digest::of(base.as_bytes()));
        let request = Request {
            step: &step,
            signature: &signature,
            strategy: &strategy,
            deployment: &deployment,
            model,
        };
        let plan = pullback_planner::plan(&request).unwrap_or_else(|e| panic!("{base}: {e}"));
        let file = folder(base).join("legal.plan");
        expect_file![&file].assert_eq(&pullback_plan::text::print(&plan));
        if let Err(found) = inputs.check(plan) {
            panic!("{base}: {}", show(&found));
        }
        assert!(inputs.run(&file).0, "{base}");
    }
}

/// A `pNN_*.plan`.
struct File {
    name: String,
    text: String,
    header: BTreeMap<String, String>,
}

impl File {
    fn read(path: &Path) -> Self {
        let (text, mut header) = (read(path), BTreeMap::<String, String>::new());
        let mut last = String::new();
        for line in text.lines().map_while(|l| l.strip_prefix("; ")) {
            // A line that is indented goes on with the one above.
            match line.split_once(": ") {
                Some((key, value)) if !line.starts_with(' ') => {
                    last = key.to_owned();
                    assert!(header.insert(last.clone(), value.to_owned()).is_none(), "{last} twice");
                }
                _ => *header.get_mut(&last).unwrap() += &format!(" {}", line.trim()),
            }
        }
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        for key in header.keys() {
            let known = ["rule", "fault", "base", "how", "step", "strategy", "deployment"];
            assert!(known.contains(&key.as_str()), "{name}: unknown {key}");
        }
        Self { name, text, header }
    }

    /// The text with today's digests: of the base's files where the plan was kept and they were edited (P13), else
    /// of the inputs that the file names, as if it had been pasted in.
    fn with_digests(&self, inputs: &Inputs) -> String {
        let base = self.get("base");
        let kept = self.get("rule") == "P13";
        let (step, strategy, deployment) =
            if kept { Inputs::of(base, &BTreeMap::new()).parse() } else { inputs.parse() };
        let digests = [
            ("model", Digest::of(base.as_bytes())),
            ("strategy", strategy.digest()),
            ("deployment", deployment.digest()),
            ("step", step_digest(&step)),
        ];
        let line = |line: &str| {
            let field = line.trim().split_once(' ').filter(|(_, digest)| digest.parse::<Digest>().is_ok());
            match field.and_then(|(key, _)| digests.iter().find(|(k, _)| *k == key)) {
                Some((key, digest)) => format!("  {key} {digest}\n"),
                None => format!("{line}\n"),
            }
        };
        self.text.lines().map(line).collect()
    }

    fn get(&self, key: &str) -> &str {
        self.header.get(key).unwrap_or_else(|| panic!("{}: no `; {key}: `", self.name))
    }
}

fn files() -> Vec<File> {
    let entries = std::fs::read_dir(FOLDER).unwrap().map(|e| e.unwrap().path());
    let mut paths: Vec<PathBuf> = entries.filter(|p| p.extension().is_some_and(|e| e == "plan")).collect();
    paths.sort();
    paths.iter().map(|p| File::read(p)).collect()
}

fn show(found: &[Violation]) -> String {
    found.iter().map(|v| format!("{v}\n")).collect()
}

/// One sentence of some length.
fn is_a_sentence(text: &str) -> bool {
    let inner = text.strip_suffix('.').unwrap_or_default();
    text.starts_with(char::is_uppercase)
        && inner.len() > 30
        && ![". ", "! ", "? "].iter().any(|e| inner.contains(e))
}

/// The line of the canonical text that a place is at: of the event, else of the part, of the device, or the first.
fn line_of(lines: &[&str], at: &At) -> usize {
    let starts = |from: usize, prefix: &str| {
        lines.iter().skip(from).position(|l| l.trim_start().starts_with(prefix)).map(|i| from + i)
    };
    let device = at.device.map(|d| starts(0, &format!("device {d} ")).unwrap());
    if let Some(part) = &at.part {
        let from = device.unwrap_or(0);
        let prefixes = ["", "template ", "collective "].map(|p| format!("{p}{part} "));
        let buffer = format!("{part}: ");
        let line = prefixes.iter().chain([&buffer]).find_map(|p| starts(from, p));
        let line = line.unwrap_or_else(|| panic!("no {part}"));
        return at.op.map_or(line, |op| starts(line, &format!("{op} ")).unwrap());
    }
    let Some(device) = device else { return lines.iter().position(|l| l.starts_with("pullback")).unwrap() };
    let Some((&first, rest)) = at.event.split_first() else { return device };
    let mut line = nth(lines, starts(device, "entry ").unwrap(), first);
    for &i in rest {
        line = nth(lines, line, i);
    }
    line
}

/// The line of the n-th event after a line, bodies of loops skipped.
fn nth(lines: &[&str], after: usize, n: usize) -> usize {
    let (mut depth, mut seen) = (0, 0);
    for (i, line) in lines.iter().enumerate().skip(after + 1) {
        if depth == 0 && seen == n {
            return i;
        }
        let code = line.split(';').next().unwrap_or_default();
        depth += code.matches('{').count();
        depth -= code.matches('}').count();
        seen += usize::from(depth == 0);
    }
    panic!("no event {n} after line {after}")
}

/// The text with a mark at each line of which the findings complain, and no other.
fn marked(text: &str, found: &[Violation]) -> String {
    let bare: Vec<&str> = text.lines().map(|l| l.split(MARK).next().unwrap_or_default().trim_end()).collect();
    let mut rules: BTreeMap<usize, Vec<Rule>> = BTreeMap::new();
    for v in found {
        let at = rules.entry(line_of(&bare, &v.at)).or_default();
        if !at.contains(&v.rule()) {
            at.push(v.rule());
        }
    }
    let line = |(i, line): (usize, &&str)| match rules.get(&i) {
        None => format!("{line}\n"),
        Some(rules) => {
            let rules: Vec<&str> = rules.iter().map(|r| r.id()).collect();
            format!("{line}  {MARK}{}\n", rules.join(", "))
        }
    };
    bare.iter().enumerate().map(line).collect()
}

#[test]
fn each_is_rejected_by_its_rule() {
    let mut messages = String::new();
    let mut of_rule: BTreeMap<Rule, usize> = BTreeMap::new();
    for file in files() {
        let (name, how) = (&file.name, file.get("how"));
        assert!(is_a_sentence(how), "{name}: one sentence, please: {how:?}");
        let inputs = Inputs::of(file.get("base"), &file.header);
        let text = file.with_digests(&inputs);
        let plan = pullback_plan::text::parse(&text).unwrap_or_else(|e| panic!("{name}: {e}"));
        let Err(found) = inputs.check(plan) else { panic!("{name} is accepted") };
        messages += &format!("{name}\n  {how}\n{}\n", show(&found));
        expect_file![folder(name)].assert_eq(&marked(&text, &found));
        let first = &found[0];
        let expected = (file.get("rule"), file.get("fault"));
        assert_eq!((first.rule().id(), first.fault.name()), expected, "{name}:\n{}", show(&found));
        assert!(
            found.iter().all(|v| v.rule() == first.rule()),
            "{name} breaks another rule too:\n{}",
            show(&found)
        );
        let number: usize = first.rule().id()[1..].parse().unwrap();
        assert!(name.starts_with(&format!("p{number:02}_")), "{name} is of {}", first.rule());
        *of_rule.entry(first.rule()).or_default() += 1;
    }
    expect_file![folder("messages.txt")].assert_eq(&messages);
    for rule in Rule::ALL {
        assert!(of_rule.get(rule).is_some_and(|&n| n >= 2), "{rule} needs two files");
    }
    assert!(of_rule.values().sum::<usize>() >= 36, "{of_rule:?}");
}

#[test]
fn the_program_says_the_same() {
    for file in files().iter().step_by(7) {
        let inputs = Inputs::of(file.get("base"), &file.header);
        let (is_legal, said) = inputs.run(&folder(&file.name));
        assert!(!is_legal && said.contains(file.get("rule")), "{}: {said}", file.name);
    }
}
