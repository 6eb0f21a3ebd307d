//! Tests in processes of their own: one that crashes or does not end is a failure, and the next goes on.
//!
//! A worker reads lines `SKIP PATH` and writes a JSON line when a test begins, when it ends, and after the last of the
//! file. The parent kills a worker that says nothing for too long, and asks a new one for the rest of the file.

use crate::exec::Outcome;
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;
use std::ffi::OsString;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// What a worker says.
#[derive(Clone, Serialize, Deserialize, Debug)]
#[serde(rename_all = "snake_case")]
pub enum Said {
    /// A test begins: its number in the file and its first line.
    Begin(usize, usize),
    /// It ended; whether the interpreter of the checkout does not run it, and why.
    End(Outcome, Option<String>),
    /// Something that is not as the test says.
    Note(String),
    Done,
}

/// A test that ran.
#[derive(Clone, Serialize, Debug)]
pub struct Record {
    pub file: PathBuf,
    pub line: usize,
    pub outcome: Outcome,
    /// Why the checkout's own interpreter does not run it.
    pub disabled: Option<String>,
    pub notes: Vec<String>,
    pub seconds: f64,
}

/// How to start a worker and how long a test may take.
pub struct Setup {
    /// The worker's program and arguments.
    pub command: Vec<OsString>,
    pub timeout: Duration,
    pub jobs: usize,
}

/// Runs all files; `tick` hears of every file that is through.
pub fn run(
    setup: &Setup,
    files: Vec<PathBuf>,
    tick: impl Fn(&[Record]) + Sync,
) -> Result<Vec<Record>, String> {
    let queue = Mutex::new(VecDeque::from(files));
    let records = Mutex::new(Vec::new());
    let trouble = Mutex::new(None);
    std::thread::scope(|scope| {
        for _ in 0..setup.jobs.max(1) {
            scope.spawn(|| {
                if let Err(e) = lane(setup, &queue, &records, &tick) {
                    *lock(&trouble) = Some(e);
                    lock(&queue).clear();
                }
            });
        }
    });
    if let Some(e) = lock(&trouble).take() {
        return Err(e);
    }
    let mut records = records.into_inner().unwrap_or_else(PoisonError::into_inner);
    records.sort_by(|a, b| (&a.file, a.line).cmp(&(&b.file, b.line)));
    Ok(records)
}

fn lock<T>(m: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    m.lock().unwrap_or_else(PoisonError::into_inner)
}

/// One worker after the other, until the queue is empty.
fn lane(
    setup: &Setup,
    queue: &Mutex<VecDeque<PathBuf>>,
    records: &Mutex<Vec<Record>>,
    tick: &impl Fn(&[Record]),
) -> Result<(), String> {
    let mut worker = Worker::start(setup)?;
    loop {
        let Some(file) = lock(queue).pop_front() else { return Ok(()) };
        let mut of_file = Vec::new();
        let mut skip = 0;
        while let Some(begun) = worker.file(&file, skip, setup.timeout, &mut of_file)? {
            skip = begun + 1;
            worker = Worker::start(setup)?;
        }
        tick(&of_file);
        lock(records).extend(of_file);
    }
}

/// A process that runs tests.
struct Worker {
    child: Child,
    stdin: ChildStdin,
    said: Receiver<String>,
}

impl Worker {
    fn start(setup: &Setup) -> Result<Self, String> {
        let Some((program, args)) = setup.command.split_first() else { return Err("no worker".to_owned()) };
        let mut child = Command::new(program)
            .args(args)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .map_err(|e| format!("{}: {e}", Path::new(program).display()))?;
        let (Some(stdin), Some(stdout)) = (child.stdin.take(), child.stdout.take()) else {
            return Err("a worker without pipes".to_owned());
        };
        let (sender, said) = channel();
        std::thread::spawn(move || {
            for line in BufReader::new(stdout).lines().map_while(Result::ok) {
                if sender.send(line).is_err() {
                    break;
                }
            }
        });
        Ok(Self { child, stdin, said })
    }

    /// Runs a file from test `skip` on. The number of the test that took this worker down, if one did.
    fn file(
        &mut self,
        file: &Path,
        skip: usize,
        timeout: Duration,
        records: &mut Vec<Record>,
    ) -> Result<Option<usize>, String> {
        // A worker that is gone shows when it is listened to.
        let _ = writeln!(self.stdin, "{skip} {}", file.display());
        let mut begun = (skip, 0);
        let mut start = Instant::now();
        let mut notes = Vec::new();
        loop {
            let Ok(line) = self.said.recv_timeout(timeout) else {
                let outcome = Outcome::Failed(self.end(timeout));
                let seconds = start.elapsed().as_secs_f64();
                records.push(Record {
                    file: file.into(),
                    line: begun.1,
                    outcome,
                    disabled: None,
                    notes,
                    seconds,
                });
                return Ok(Some(begun.0));
            };
            match serde_json::from_str(&line).map_err(|e| format!("a worker said {line}: {e}"))? {
                Said::Begin(number, line) => (begun, start) = ((number, line), Instant::now()),
                Said::Note(what) => notes.push(what),
                Said::End(outcome, disabled) => records.push(Record {
                    file: file.into(),
                    line: begun.1,
                    outcome,
                    disabled,
                    notes: std::mem::take(&mut notes),
                    seconds: start.elapsed().as_secs_f64(),
                }),
                Said::Done => return Ok(None),
            }
        }
    }

    /// Ends the process; how it ended.
    fn end(&mut self, timeout: Duration) -> String {
        if let Ok(Some(status)) = self.child.try_wait() {
            return died(status);
        }
        // Its output may have closed a moment before it is gone.
        std::thread::sleep(Duration::from_millis(50));
        if let Ok(Some(status)) = self.child.try_wait() {
            return died(status);
        }
        let _ = self.child.kill();
        let _ = self.child.wait();
        format!("no end within {} s", timeout.as_secs())
    }
}

fn died(status: ExitStatus) -> String {
    format!("the process died: {status}")
}

impl Drop for Worker {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A worker whose file has two tests: the first does as `first` says, the second passes.
    fn outcomes(first: &str) -> Vec<String> {
        let script = format!(
            "while read skip path; do \
             if [ $skip = 0 ]; then echo '{{\"begin\":[0,1]}}'; {first}; fi; \
             echo '{{\"begin\":[1,9]}}'; echo '{{\"end\":[\"passed\",null]}}'; echo '\"done\"'; done"
        );
        let command = ["sh", "-c", &script].map(OsString::from).to_vec();
        let setup = Setup { command, timeout: Duration::from_millis(400), jobs: 1 };
        let records = run(&setup, vec![PathBuf::from("a.mlir")], |_| {}).expect("workers start");
        records.iter().map(|r| format!("{} {:?}", r.line, r.outcome)).collect()
    }

    #[test]
    fn a_test_that_dies_or_hangs_is_a_failure_and_the_next_runs() {
        let passed = r#"echo '{"end":["passed",null]}'"#;
        assert_eq!(outcomes(passed), ["1 Passed", "9 Passed"]);
        let died = outcomes("exit 3");
        assert!(died[0].starts_with("1 Failed(\"the process died: exit status: 3"), "{died:?}");
        assert_eq!(died[1..], ["9 Passed"]);
        let hung = outcomes("sleep 60");
        assert!(hung[0].starts_with("1 Failed(\"no end within"), "{hung:?}");
        assert_eq!(hung[1..], ["9 Passed"]);
    }
}
