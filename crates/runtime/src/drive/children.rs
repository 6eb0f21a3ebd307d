//! Starting workers: spawning a process and finding out where it listens, or reaching one that a person started.
//!
//! Must hold: each start ends within its limits, in a link or in a reason; a spawned process is killed with its guard.

use super::train::{Limits, WorkerCommand};
use crate::process::{self, ChildGuard, ChildSpec, describe_exit};
use crate::transport::Inbox;
use crate::transport::handshake::Identity;
use crate::transport::tcp::{TcpConfig, TcpLink, any_peer, connect};
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// A worker to be started.
#[derive(Clone)]
pub struct Start {
    pub name: String,
    /// As in the deployment.
    pub address: String,
    pub log: PathBuf,
    pub command: WorkerCommand,
    pub token: String,
    pub me: Identity,
    pub limits: Limits,
    /// How long to try to reach a worker that a person starts.
    pub patience: Duration,
}

/// A worker at work.
pub struct Started {
    pub link: TcpLink,
    pub address: String,
    pub child: Option<ChildGuard>,
}

/// Why a worker is not at work.
pub struct NotStarted {
    pub reason: String,
    /// Whether trying again cannot help.
    pub lasting: bool,
    /// Whether it was running and someone killed it: not its own fault.
    pub killed: bool,
}

/// Whether a process has ended by a signal.
fn was_killed(child: &mut ChildGuard) -> bool {
    let ended = child.wait_timeout(Duration::from_millis(200));
    matches!(ended, Ok(Some(status)) if process::was_killed(status))
}

/// Whether the run starts this worker itself.
pub fn is_spawned(address: &str) -> bool {
    address.rsplit_once(':').is_some_and(|(_, port)| port == "0")
}

/// Starts or reaches a worker. Blocks for at most the limits.
pub fn start(s: &Start, tcp: TcpConfig, inbox: Inbox) -> Result<Started, NotStarted> {
    if !is_spawned(&s.address) {
        return reach(s, tcp, inbox);
    }
    let lasting = |reason: String| NotStarted { reason, lasting: true, killed: false };
    let passing = |reason: String, killed: bool| NotStarted { reason, lasting: false, killed };
    let from = std::fs::metadata(&s.log).map_or(0, |m| m.len());
    let fill = |text: &String| text.replace("{name}", &s.name).replace("{listen}", &s.address);
    let mut env: Vec<(String, String)> = s.command.env.iter().map(|(k, v)| (k.clone(), fill(v))).collect();
    env.push((super::worker::TOKEN_ENV.to_owned(), s.token.clone()));
    let spec = ChildSpec {
        name: s.name.clone(),
        program: s.command.program.clone(),
        args: s.command.args.iter().map(fill).collect(),
        env,
        log: s.log.clone(),
    };
    let mut child = process::spawn(&spec).map_err(|e| lasting(e.to_string()))?;
    let end = Instant::now() + s.limits.start;
    let address = loop {
        if let Some(address) = listening(&s.log, from) {
            break address;
        }
        match child.try_wait() {
            Ok(None) => {}
            Ok(Some(status)) => {
                let tail = child.log_tail(2000);
                let how = describe_exit(status);
                return Err(passing(
                    format!("it ended before it listened ({how}); its log ends:\n{}", tail.trim_end()),
                    process::was_killed(status),
                ));
            }
            Err(e) => return Err(passing(e.to_string(), false)),
        }
        if Instant::now() >= end {
            let (limit, tail) = (s.limits.start, child.log_tail(2000));
            return Err(passing(
                format!(
                    "it did not say where it listens within {limit:?}; its log ends:\n{}",
                    tail.trim_end()
                ),
                false,
            ));
        }
        std::thread::sleep(Duration::from_millis(2));
    };
    let linked =
        connect(&address, &s.me, &any_peer(), s.limits.start, tcp).and_then(|peer| peer.start(inbox));
    match linked {
        Ok(link) => Ok(Started { link, address, child: Some(child) }),
        Err(e) => Err(passing(e.to_string(), was_killed(&mut child))),
    }
}

/// Reaches a worker that a person started, or will start within the patience.
fn reach(s: &Start, tcp: TcpConfig, inbox: Inbox) -> Result<Started, NotStarted> {
    let end = Instant::now() + s.patience;
    loop {
        let left = end.saturating_duration_since(Instant::now());
        let why = match connect(&s.address, &s.me, &any_peer(), left, tcp) {
            Ok(peer) => {
                let link = peer.start(inbox).map_err(|e| NotStarted {
                    reason: e.to_string(),
                    lasting: true,
                    killed: false,
                })?;
                return Ok(Started { link, address: s.address.clone(), child: None });
            }
            Err(why) => why,
        };
        // A worker may still be busy with the end of the run before.
        if Instant::now() >= end {
            let (name, address) = (&s.name, &s.address);
            let reason = format!(
                "worker {name} does not answer at {address}: start it with `pullback worker --listen {address}` ({why})"
            );
            return Err(NotStarted { reason, lasting: true, killed: false });
        }
        std::thread::sleep(Duration::from_millis(100));
    }
}

/// The address in a whole line `listening on ADDR` that the log holds after position `from`.
fn listening(log: &Path, from: u64) -> Option<String> {
    let mut file = File::open(log).ok()?;
    file.seek(SeekFrom::Start(from)).ok()?;
    let mut text = Vec::new();
    file.take(64 << 10).read_to_end(&mut text).ok()?;
    let text = String::from_utf8_lossy(&text);
    let whole = &text[..text.rfind('\n')?];
    whole.lines().find_map(|line| line.split_once("listening on ").map(|(_, at)| at.trim().to_owned()))
}
