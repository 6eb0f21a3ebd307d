//! Worker child processes: spawned, watched, and never left behind.
//!
//! Must hold: a [`ChildGuard`] that is dropped has killed and reaped its child; a child that called
//! [`exit_when_parent_dies`] ends when its parent ends, however that was. It does not restart anything, and it does
//! not speak to the child: that is a transport's work.

use std::fmt;
use std::fs::{File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

/// Exit code of a child that ended because its parent did.
pub const PARENT_DIED_EXIT: i32 = 75;

/// What to start.
#[derive(Clone, Debug)]
pub struct ChildSpec {
    /// The worker's name, for messages.
    pub name: String,
    /// The program; `std::env::current_exe()` for a worker of this build.
    pub program: PathBuf,
    /// Its arguments.
    pub args: Vec<String>,
    /// Variables set in addition to the parent's.
    pub env: Vec<(String, String)>,
    /// Where its stdout and stderr go; appended to, so that a restart keeps the story.
    pub log: PathBuf,
}

/// A process operation that failed.
#[derive(Debug)]
pub struct ProcessError {
    /// The worker.
    pub name: String,
    /// What was tried.
    pub doing: String,
    /// What the system said.
    pub source: io::Error,
}

impl fmt::Display for ProcessError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "worker {}: cannot {}: {}", self.name, self.doing, self.source)
    }
}

impl std::error::Error for ProcessError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(&self.source)
    }
}

/// A running child. Dropping it kills the process and waits for it.
#[derive(Debug)]
pub struct ChildGuard {
    name: String,
    log: PathBuf,
    child: Child,
    stdin: Option<ChildStdin>,
    status: Option<ExitStatus>,
}

/// Starts a child with its stdin held open by the parent and its output in `spec.log`.
pub fn spawn(spec: &ChildSpec) -> Result<ChildGuard, ProcessError> {
    let fail = |doing: String| {
        let name = spec.name.clone();
        move |source: io::Error| ProcessError { name, doing, source }
    };
    let doing_log = format!("write its log {}", spec.log.display());
    let log =
        OpenOptions::new().create(true).append(true).open(&spec.log).map_err(fail(doing_log.clone()))?;
    let log_err = log.try_clone().map_err(fail(doing_log))?;
    let mut command = Command::new(&spec.program);
    command
        .args(&spec.args)
        .envs(spec.env.iter().map(|(k, v)| (k, v)))
        .stdin(Stdio::piped())
        .stdout(log)
        .stderr(log_err);
    // Ctrl-C goes to the terminal's foreground group; it is the parent that decides what it means for its children.
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    let mut child = command.spawn().map_err(fail(format!("start {}", spec.program.display())))?;
    let stdin = child.stdin.take();
    Ok(ChildGuard { name: spec.name.clone(), log: spec.log.clone(), child, stdin, status: None })
}

impl ChildGuard {
    /// The worker's name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The process id.
    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// The exit status, if the child has ended.
    pub fn try_wait(&mut self) -> Result<Option<ExitStatus>, ProcessError> {
        if self.status.is_none() {
            self.status = self.child.try_wait().map_err(|e| self.error("be waited for", e))?;
        }
        Ok(self.status)
    }

    /// Waits for the child at most `limit`; `None` if it still runs.
    pub fn wait_timeout(&mut self, limit: Duration) -> Result<Option<ExitStatus>, ProcessError> {
        let end = Instant::now() + limit;
        loop {
            if let Some(status) = self.try_wait()? {
                return Ok(Some(status));
            }
            let left = end.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Ok(None);
            }
            std::thread::sleep(left.min(Duration::from_millis(10)));
        }
    }

    /// Tells the child, by closing its stdin, that its parent is done with it.
    pub fn release(&mut self) {
        self.stdin = None;
    }

    /// Kills the child (SIGKILL) and waits for it.
    pub fn kill(&mut self) -> Result<ExitStatus, ProcessError> {
        if let Some(status) = self.try_wait()? {
            return Ok(status);
        }
        self.child.kill().map_err(|e| self.error("be killed", e))?;
        let status = self.child.wait().map_err(|e| self.error("be waited for", e))?;
        self.status = Some(status);
        Ok(status)
    }

    /// The end of the child's log: at most `bytes` of it, for an error message.
    pub fn log_tail(&self, bytes: u64) -> String {
        tail(&self.log, bytes)
            .unwrap_or_else(|e| format!("(its log {} cannot be read: {e})", self.log.display()))
    }

    fn error(&self, doing: &str, source: io::Error) -> ProcessError {
        ProcessError { name: self.name.clone(), doing: doing.to_owned(), source }
    }
}

impl Drop for ChildGuard {
    fn drop(&mut self) {
        // Nothing can be done about a failure here; the child still sees its stdin close.
        let _ = self.kill();
    }
}

/// The last `bytes` of a text file.
fn tail(path: &Path, bytes: u64) -> io::Result<String> {
    let mut file = File::open(path)?;
    let len = file.metadata()?.len();
    file.seek(SeekFrom::Start(len.saturating_sub(bytes)))?;
    let mut out = Vec::new();
    file.take(bytes).read_to_end(&mut out)?;
    Ok(String::from_utf8_lossy(&out).into_owned())
}

/// Whether a child was ended by a signal rather than by itself.
pub fn was_killed(status: ExitStatus) -> bool {
    #[cfg(unix)]
    let killed = std::os::unix::process::ExitStatusExt::signal(&status).is_some();
    #[cfg(not(unix))]
    let killed = {
        let _ = status;
        false
    };
    killed
}

/// How a child ended, in words: `exit code 3`, `killed by signal 9`.
pub fn describe_exit(status: ExitStatus) -> String {
    #[cfg(unix)]
    if let Some(signal) = std::os::unix::process::ExitStatusExt::signal(&status) {
        return format!("killed by signal {signal}");
    }
    match status.code() {
        Some(PARENT_DIED_EXIT) => format!("exit code {PARENT_DIED_EXIT}: its parent process ended"),
        Some(code) => format!("exit code {code}"),
        None => "ended without an exit code".to_owned(),
    }
}

/// For the child: a thread that reads stdin to its end and then exits the process with [`PARENT_DIED_EXIT`].
///
/// The parent holds the other end of that pipe, and the system closes it when the parent dies, even by SIGKILL.
pub fn exit_when_parent_dies() {
    std::thread::spawn(|| {
        // Whatever ends the read, end of file or an error, there is no parent to serve any more.
        let _ = io::copy(&mut io::stdin().lock(), &mut io::sink());
        std::process::exit(PARENT_DIED_EXIT);
    });
}
