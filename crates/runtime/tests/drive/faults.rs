//! Processes that are killed at any moment: the final bits are those of a run that nobody disturbed.

use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::time::{Duration, Instant};

use crate::tiny::{self, artifacts, deployment, job, quietly, replicated, run_dir, sharded};
use pullback_base::rng::CounterRng;
use pullback_runtime::drive::{Event, RunError, run};
use pullback_runtime::ledger::Ledger;
use serde_json::json;

const STEPS: u64 = 40;
const RUN: &str = "PULLBACK_TEST_RUN";

fn slow() -> bool {
    std::env::var_os("SLOW").is_some()
}

/// Makes a step last some 20 milliseconds: two turns, two loads each.
fn setup() -> serde_json::Value {
    json!({ "sleep_us": 5000 })
}

/// A run whose workers are killed, by process id, from a thread that knows only the seed.
fn run_with_kills(dir: &Path, strategy: &str, seed: u64, kills: usize) {
    let mut job = job(dir, artifacts(strategy, &deployment(), STEPS, setup()));
    job.limits.max_restarts = 1000;
    let (to, pids) = mpsc::channel::<(usize, u32)>();
    let killer = std::thread::spawn(move || {
        let rng = CounterRng::new(seed, "kills");
        let mut known = [0u32; 3];
        for k in 0..kills as u64 {
            std::thread::sleep(Duration::from_millis(20 + rng.below(3 * k, 180)));
            while let Ok((i, pid)) = pids.try_recv() {
                known[i] = pid;
            }
            let victim = known[rng.below(3 * k + 1, 3) as usize];
            if victim != 0 {
                let _ = Command::new("kill").args(["-9", &victim.to_string()]).stderr(Stdio::null()).status();
            }
        }
    });
    let result = run(&job, &mut |event| {
        if let Event::Started { device, pid: Some(pid), .. } = event {
            let _ = to.send((pullback_base::Id::index(*device), *pid));
        }
    });
    drop(to);
    killer.join().unwrap();
    result.unwrap_or_else(|e| panic!("seed {seed}: {e}"));
}

/// An undisturbed run's final bits and losses.
fn undisturbed(root: &tempfile::TempDir, strategy: &str) -> (Vec<Vec<u8>>, Vec<f64>) {
    let dir = run_dir(root, "undisturbed");
    quietly(&job(&dir, artifacts(strategy, &deployment(), STEPS, json!({})))).unwrap();
    (tiny::state(&dir, STEPS), tiny::ledger(&dir, STEPS))
}

#[test]
fn killed_workers_are_restarted_and_nothing_is_lost_or_doubled() {
    for strategy in [replicated(), sharded()] {
        let root = tempfile::tempdir().unwrap();
        let want = undisturbed(&root, &strategy);
        let seeds = if slow() { 10 } else { 1 };
        let mut lost = 0;
        for seed in 0..seeds {
            let dir = run_dir(&root, &format!("seed{seed}"));
            run_with_kills(&dir, &strategy, seed, 8);
            assert_eq!((tiny::state(&dir, STEPS), tiny::ledger(&dir, STEPS)), want, "seed {seed}");
            let ledger = Ledger::read_only(&dir.join("ledger.sqlite")).unwrap();
            lost += ledger.incidents().unwrap().iter().filter(|i| i.what == "worker lost").count();
        }
        assert!(lost > seeds as usize, "only {lost} kills met a worker");
    }
}

/// Not a test when run as one: what a controller process does.
#[test]
fn controller_child() {
    let Ok(dir) = std::env::var(RUN) else { return };
    let strategy = std::env::var("PULLBACK_TEST_STRATEGY").unwrap();
    let result = quietly(&job(Path::new(&dir), artifacts(&strategy, &deployment(), STEPS, setup())));
    if let Err(e) = result {
        eprintln!("{e}");
        std::process::exit(1);
    }
}

fn controller(dir: &Path, strategy: &str) -> Child {
    let log = std::fs::OpenOptions::new().create(true).append(true).open(dir.with_extension("log")).unwrap();
    Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "faults::controller_child", "--nocapture"])
        .env(RUN, dir)
        .env("PULLBACK_TEST_STRATEGY", strategy)
        .stdout(log.try_clone().unwrap())
        .stderr(log)
        .spawn()
        .unwrap()
}

#[test]
fn a_killed_controller_is_resumed() {
    let root = tempfile::tempdir().unwrap();
    let strategy = sharded();
    let want = undisturbed(&root, &strategy);
    let dir = run_dir(&root, "killed");
    let rng = CounterRng::new(5, "controller kills");
    let kills = if slow() { 30 } else { 4 };
    let mut killed = 0;
    for k in 0..kills {
        let mut child = controller(&dir, &strategy);
        let end = Instant::now() + Duration::from_millis(100 + rng.below(k, 700));
        while Instant::now() < end && child.try_wait().unwrap().is_none() {
            std::thread::sleep(Duration::from_millis(1));
        }
        killed += u32::from(child.try_wait().unwrap().is_none());
        child.kill().unwrap();
        child.wait().unwrap();
    }
    assert!(killed > 0);
    // The last one is let run; a ledger still held by a dying process would be refused, and nothing holds it here.
    let mut child = controller(&dir, &strategy);
    assert!(
        child.wait().unwrap().success(),
        "{}",
        std::fs::read_to_string(dir.with_extension("log")).unwrap()
    );
    assert_eq!((tiny::state(&dir, STEPS), tiny::ledger(&dir, STEPS)), want);
}

fn signal(name: &str, pid: u32) {
    let _ = Command::new("kill").args([name, &pid.to_string()]).stderr(Stdio::null()).status();
}

#[test]
fn a_worker_that_stops_without_dying_is_replaced() {
    let root = tempfile::tempdir().unwrap();
    let want = undisturbed(&root, &sharded());
    let dir = run_dir(&root, "stopped");
    let mut job = job(&dir, artifacts(&sharded(), &deployment(), STEPS, setup()));
    tiny::impatient(&mut job, 2);
    let (mut pid, mut lost) = (0, Vec::new());
    let result = run(&job, &mut |event| match event {
        Event::Started { device, pid: Some(p), .. } if pullback_base::Id::index(*device) == 1 => pid = *p,
        Event::Step { step: 9, replayed: false, .. } => signal("-STOP", pid),
        Event::Lost { reason, .. } => lost.push(reason.clone()),
        _ => {}
    });
    result.unwrap();
    assert!(lost.iter().any(|r| r.contains("no sign of life")), "{lost:?}");
    assert_eq!((tiny::state(&dir, STEPS), tiny::ledger(&dir, STEPS)), want);
}

#[test]
fn workers_that_a_person_started_serve_one_run_after_another_and_are_waited_for_when_lost() {
    let root = tempfile::tempdir().unwrap();
    let (hand, at) = tiny::by_hand("127.0.0.1:0");
    let mut hand = Some(hand);
    let deployment = deployment().replacen("name = 'w1'", &format!("name = 'w1'\naddress = '{at}'"), 1);
    let new = |name: &str| {
        let mut job = job(&run_dir(&root, name), artifacts(&replicated(), &deployment, STEPS, setup()));
        job.token = Some(String::new());
        job
    };
    let first = quietly(&new("first")).unwrap();
    assert_eq!(first.restarts, 0);
    let second = run(&new("second"), &mut |event| match event {
        Event::Step { step: 9, replayed: false, .. } => drop(hand.take()),
        // The run has noticed; the person starts the worker again, at the same address.
        Event::Lost { .. } => hand = Some(tiny::by_hand(&at).0),
        _ => {}
    });
    assert_eq!(second.unwrap().restarts, 1);
    assert_eq!(tiny::state(&run_dir(&root, "first"), STEPS), tiny::state(&run_dir(&root, "second"), STEPS));
}

#[test]
fn a_worker_that_dies_at_once_every_time_ends_the_run_with_its_log() {
    let root = tempfile::tempdir().unwrap();
    let dir = run_dir(&root, "broken");
    let mut job = job(&dir, artifacts(&replicated(), &deployment(), STEPS, json!({})));
    job.worker.args = vec!["--no-such-flag".to_owned()];
    let begun = Instant::now();
    let error = quietly(&job).unwrap_err();
    assert!(matches!(&error, RunError::Unreachable { .. }), "{error}");
    let text = error.to_string();
    assert!(text.contains("did not start") && text.contains("no-such-flag"), "{text}");
    assert!(begun.elapsed() < Duration::from_secs(60));
}

#[test]
fn a_damaged_checkpoint_is_passed_over_and_its_steps_replayed() {
    let root = tempfile::tempdir().unwrap();
    let want = undisturbed(&root, &replicated());
    let dir = run_dir(&root, "damaged");
    quietly(&job(&dir, artifacts(&replicated(), &deployment(), 16, json!({})))).unwrap();
    let shard = dir.join("checkpoints/step-000016/shard-w1.safetensors");
    let mut bytes = std::fs::read(&shard).unwrap();
    *bytes.last_mut().unwrap() ^= 1;
    std::fs::write(&shard, bytes).unwrap();
    let mut notes = Vec::new();
    let summary = run(&job(&dir, artifacts(&replicated(), &deployment(), STEPS, json!({}))), &mut |e| {
        if let Event::Note(note) = e {
            notes.push(note.clone());
        }
    });
    let summary = summary.unwrap();
    assert!(notes.iter().any(|n| n.contains("step-000016") && n.contains("damaged")), "{notes:?}");
    assert!(notes.iter().any(|n| n.contains("checkpoint of step 14")), "{notes:?}");
    assert_eq!((summary.replayed, summary.committed), (2, STEPS - 16));
    assert_eq!((tiny::state(&dir, STEPS), tiny::ledger(&dir, STEPS)), want);
}
