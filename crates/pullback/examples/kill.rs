//! Kills workers and controllers of a run at seeded moments and holds what is left against an uninterrupted run:
//! final bits, and every step committed exactly once.
//!
//! `cargo run --release -p pullback --example kill -- BINARY FOLDER --steps 40 --kills 100 --seed 1`

use pullback_base::rng::CounterRng;
use pullback_runtime::ledger::Ledger;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

struct Harness {
    binary: PathBuf,
    folder: PathBuf,
    steps: u64,
    runs: PathBuf,
    rng: CounterRng,
    drawn: u64,
}

#[derive(Default)]
struct Count {
    runs: u64,
    workers: u64,
    controllers: u64,
    missed: u64,
}

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let number = |name: &str, or: u64| {
        args.iter()
            .position(|a| a == name)
            .map_or(or, |i| args[i + 1].parse().expect("a number after the flag"))
    };
    let runs = std::env::temp_dir().join(format!("pullback-kill-{}", std::process::id()));
    fs::create_dir_all(&runs).expect("a folder for runs");
    let seed = number("--seed", 1);
    let (binary, folder) = (PathBuf::from(&args[0]), PathBuf::from(&args[1]));
    let mut h = Harness {
        binary,
        folder,
        steps: number("--steps", 40),
        runs,
        rng: CounterRng::new(seed, "kill"),
        drawn: 0,
    };
    let start = Instant::now();
    let mut child = h.start("base");
    assert!(child.wait().expect("the run ends").success(), "the uninterrupted run failed");
    let span = start.elapsed();
    let (bits, commits) = h.outcome("base");
    let (kills, mut count) = (number("--kills", 100), Count::default());
    let mut wrong = 0;
    while count.workers + count.controllers < kills {
        let name = format!("run-{}", count.runs);
        h.run_with_kills(&name, span, kills, &mut count);
        let (b, c) = h.outcome(&name);
        let equal = b == bits && c == commits;
        wrong += u64::from(!equal);
        count.runs += 1;
        if !equal {
            println!("{name}: differs from the uninterrupted run (kept in {})", h.runs.join(&name).display());
        } else {
            fs::remove_dir_all(h.runs.join(&name)).expect("the run's folder can be removed");
        }
    }
    println!(
        "{} runs of {} steps, seed {seed}: {} workers and {} controllers killed ({} shots found nobody)",
        count.runs, h.steps, count.workers, count.controllers, count.missed
    );
    println!("{} runs end with other bits, lost or doubled steps", wrong);
    println!(
        "ledger of the uninterrupted run: {} commits, epochs 1 to {}",
        commits.len(),
        commits.keys().max().unwrap_or(&0)
    );
    fs::remove_dir_all(&h.runs).expect("the folder of runs can be removed");
    std::process::exit(i32::from(wrong > 0));
}

impl Harness {
    fn command(&self, name: &str, resume: bool) -> Command {
        let mut c = Command::new(&self.binary);
        match resume {
            true => c.arg("resume").arg(self.runs.join(name)),
            false => c
                .arg("train")
                .arg(&self.folder)
                .args(["--steps", &self.steps.to_string(), "--name", name, "--runs-dir"])
                .arg(&self.runs),
        };
        let log = fs::File::create(self.runs.join(format!("{name}.log"))).expect("a log can be made");
        c.arg("--json").stdout(Stdio::null()).stderr(log).stdin(Stdio::null());
        c
    }

    fn start(&self, name: &str) -> Child {
        self.command(name, false).spawn().expect("the binary starts")
    }

    fn assert_success(&self, name: &str, status: ExitStatus) {
        let log = fs::read_to_string(self.runs.join(format!("{name}.log"))).unwrap_or_default();
        assert!(status.success(), "{name} ended with {status}:\n{log}");
    }

    fn draw(&mut self, below: u64) -> u64 {
        self.drawn += 1;
        self.rng.below(self.drawn, below)
    }

    /// One run, shot at every now and then until it is through.
    fn run_with_kills(&mut self, name: &str, span: Duration, kills: u64, count: &mut Count) {
        let mut child = self.start(name);
        loop {
            let pause = self.draw(span.as_micros() as u64);
            let until = Instant::now() + Duration::from_micros(pause);
            let ended = loop {
                if let Some(status) = child.try_wait().expect("the child can be waited for") {
                    break Some(status);
                }
                if Instant::now() >= until {
                    break None;
                }
                std::thread::sleep(Duration::from_micros(300));
            };
            if let Some(status) = ended {
                self.assert_success(name, status);
                return;
            }
            if count.workers + count.controllers >= kills {
                let status = child.wait().expect("the run ends");
                self.assert_success(name, status);
                return;
            }
            let workers = children(child.id());
            if self.draw(4) == 0 {
                child.kill().expect("the controller can be killed");
                child.wait().expect("the controller has ended");
                count.controllers += 1;
                // Before there is a ledger there is no run to go on with.
                let begun = self.runs.join(name).join("ledger.sqlite").exists();
                if !begun {
                    let _ = fs::remove_dir_all(self.runs.join(name));
                }
                child = self.command(name, begun).spawn().expect("the binary starts");
            } else if workers.is_empty() {
                count.missed += 1;
            } else {
                let i = self.draw(workers.len() as u64) as usize;
                let killed =
                    Command::new("kill").arg("-9").arg(workers[i].to_string()).stderr(Stdio::null()).status();
                count.workers += u64::from(killed.is_ok_and(|s| s.success()));
            }
        }
    }

    /// Bytes of the final checkpoint's shards, and digest by epoch from the ledger.
    fn outcome(&self, name: &str) -> (BTreeMap<String, Vec<u8>>, BTreeMap<u64, String>) {
        let dir = self.runs.join(name);
        let shards = dir.join("checkpoints").join(format!("step-{:06}", self.steps));
        let files = fs::read_dir(&shards).unwrap_or_else(|e| panic!("{}: {e}", shards.display()));
        let bits = files
            .map(|f| f.expect("a readable folder").path())
            .filter(|p| p.extension().is_some_and(|e| e == "safetensors"));
        let file = |p: &Path| p.file_name().map_or(String::new(), |n| n.to_string_lossy().into_owned());
        let bits = bits.map(|p| (file(&p), fs::read(&p).expect("a readable file"))).collect();
        let ledger = Ledger::read_only(&dir.join("ledger.sqlite")).expect("a ledger");
        let commits = ledger.commits(0).expect("commits");
        let by_epoch: BTreeMap<u64, String> =
            commits.iter().map(|c| (c.record.epoch, c.record.digest.to_string())).collect();
        assert_eq!(
            (by_epoch.len() as u64, commits.len() as u64),
            (self.steps, self.steps),
            "{name}: steps lost or doubled"
        );
        (bits, by_epoch)
    }
}

/// Processes whose parent is `parent`.
fn children(parent: u32) -> Vec<u32> {
    let all = fs::read_dir("/proc").expect("a system with /proc");
    let pids = all.filter_map(|e| e.ok()?.file_name().to_str()?.parse::<u32>().ok());
    let is_child = |pid: &u32| {
        let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
        // pid (name) state ppid …; the name may hold spaces.
        let rest = stat.rsplit(") ").next().unwrap_or("");
        rest.split(' ').nth(1).and_then(|p| p.parse().ok()) == Some(parent)
    };
    pids.filter(is_child).collect()
}
