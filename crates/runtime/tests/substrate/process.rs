//! Child processes: logged, killed with their guard, gone with their parent. The test binary itself is the child.

use std::path::Path;
use std::time::Duration;

use pullback_runtime::process::{ChildSpec, PARENT_DIED_EXIT, describe_exit, exit_when_parent_dies, spawn};

const ROLE: &str = "PULLBACK_TEST_CHILD";
const LONG: Duration = Duration::from_secs(60);

/// This binary, running only [`child`], in `role`.
fn spec(role: &str, dir: &Path) -> ChildSpec {
    ChildSpec {
        name: role.to_owned(),
        program: std::env::current_exe().unwrap(),
        args: ["--exact", "process::child", "--nocapture"].map(str::to_owned).to_vec(),
        env: vec![
            (ROLE.to_owned(), role.to_owned()),
            ("PULLBACK_TEST_DIR".to_owned(), dir.display().to_string()),
        ],
        log: dir.join(format!("{role}.log")),
    }
}

/// Not a test when run as one: what a child does.
#[test]
fn child() {
    let Ok(role) = std::env::var(ROLE) else { return };
    let dir = std::env::var("PULLBACK_TEST_DIR").unwrap();
    let forever = || loop {
        std::thread::park();
    };
    match role.as_str() {
        "speaks" => {
            println!("to stdout");
            eprintln!("to stderr");
            std::process::exit(3);
        }
        "waits" => {
            exit_when_parent_dies();
            println!("waiting");
            forever()
        }
        "parent" => {
            let below = spawn(&spec("waits", Path::new(&dir))).unwrap();
            std::fs::write(Path::new(&dir).join("pid.part"), below.pid().to_string()).unwrap();
            std::fs::rename(Path::new(&dir).join("pid.part"), Path::new(&dir).join("pid")).unwrap();
            forever()
        }
        other => panic!("unknown role {other}"),
    }
}

#[test]
fn output_goes_to_the_log_and_a_restart_adds_to_it() {
    let dir = tempfile::tempdir().unwrap();
    for times in 1..=2 {
        let mut child = spawn(&spec("speaks", dir.path())).unwrap();
        let status = child.wait_timeout(LONG).unwrap().expect("the child ends");
        assert_eq!(describe_exit(status), "exit code 3");
        assert_eq!(child.try_wait().unwrap(), Some(status));
        let log = child.log_tail(100_000);
        assert_eq!(log.matches("to stdout").count(), times, "{log}");
        assert_eq!(log.matches("to stderr").count(), times, "{log}");
        assert!(child.log_tail(10).len() <= 10);
    }
}

#[test]
fn a_program_that_is_not_there_is_named() {
    let dir = tempfile::tempdir().unwrap();
    let absent = ChildSpec { program: dir.path().join("absent"), ..spec("speaks", dir.path()) };
    let error = spawn(&absent).unwrap_err().to_string();
    assert!(error.contains("worker speaks: cannot start") && error.contains("absent"), "{error}");
    let unloggable = ChildSpec { log: dir.path().join("no").join("log"), ..spec("speaks", dir.path()) };
    assert!(spawn(&unloggable).unwrap_err().to_string().contains("write its log"));
}

#[test]
fn a_child_runs_until_it_is_killed_or_released() {
    let dir = tempfile::tempdir().unwrap();
    let mut child = spawn(&spec("waits", dir.path())).unwrap();
    assert_eq!(child.wait_timeout(Duration::from_millis(50)).unwrap(), None);
    let status = child.kill().unwrap();
    assert_eq!(child.kill().unwrap(), status, "killing the dead is no error");
    #[cfg(unix)]
    assert_eq!(describe_exit(status), "killed by signal 9");

    let mut child = spawn(&spec("waits", dir.path())).unwrap();
    child.release();
    let status = child.wait_timeout(LONG).unwrap().expect("the child ends");
    assert_eq!(status.code(), Some(PARENT_DIED_EXIT));
}

/// Whether a process runs: neither gone nor waiting to be reaped.
#[cfg(target_os = "linux")]
fn runs(pid: u32) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    stat.rsplit_once(") ").is_some_and(|(_, rest)| !rest.starts_with(['Z', 'X']))
}

#[cfg(target_os = "linux")]
fn until(mut done: impl FnMut() -> bool) -> bool {
    (0..6000).any(|_| {
        std::thread::sleep(Duration::from_millis(10));
        done()
    })
}

#[cfg(target_os = "linux")]
#[test]
fn a_dropped_guard_leaves_no_process() {
    let dir = tempfile::tempdir().unwrap();
    let child = spawn(&spec("waits", dir.path())).unwrap();
    let pid = child.pid();
    assert!(runs(pid));
    drop(child);
    assert!(!runs(pid));
}

#[cfg(target_os = "linux")]
#[test]
fn a_child_ends_when_its_parent_is_killed() {
    let dir = tempfile::tempdir().unwrap();
    let mut parent = spawn(&spec("parent", dir.path())).unwrap();
    let pid_file = dir.path().join("pid");
    assert!(until(|| pid_file.exists()), "{}", parent.log_tail(10_000));
    let grandchild: u32 = std::fs::read_to_string(&pid_file).unwrap().parse().unwrap();
    let log = dir.path().join("waits.log");
    assert!(until(|| std::fs::read_to_string(&log).unwrap().contains("waiting")), "the grandchild starts");
    assert!(runs(grandchild));
    parent.kill().unwrap();
    assert!(until(|| !runs(grandchild)), "the grandchild outlived its parent");
}
