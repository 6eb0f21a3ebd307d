//! The handshake: before any frame, both sides say who they are, prove that they know the session token, and say
//! whether they accept each other.
//!
//! Must hold: neither side has a link unless both accepted; a refusal tells both sides why; the token itself never
//! crosses the wire (each side proves it over both hellos). It gives no secrecy: that is TLS's work, and without TLS
//! only loopback is allowed.

use std::fmt;
use std::hash::{BuildHasher, RandomState};
use std::io::{self, Read, Write};

use serde::{Deserialize, Serialize};

use crate::digest::Digest;
use crate::frame::{Frame, FrameError, FrameHeader, Kind, ReadError, read_frame, write_frame};

/// Version of the conversation above the frames; peers must agree on it.
pub const PROTOCOL: u32 = 1;

/// `sequence` of the transport's own frames.
pub(super) const HELLO: u32 = 1;
pub(super) const PROOF: u32 = 2;
pub(super) const VERDICT: u32 = 3;
pub(super) const KEEP_ALIVE: u32 = 4;
pub(super) const GOODBYE: u32 = 5;

/// No handshake message is longer, so that a stranger cannot make us take memory.
const MAX_MESSAGE: usize = 16 << 10;

/// What a peer is in a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// Drives the run and owns the ledger.
    Controller,
    /// Owns devices.
    Worker,
}

impl fmt::Display for Role {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Role::Controller => "controller",
            Role::Worker => "worker",
        })
    }
}

/// Who this side is.
#[derive(Clone)]
pub struct Identity {
    /// Its role.
    pub role: Role,
    /// Its name, unique in the run.
    pub name: String,
    /// The plan it holds, if it holds one. Two sides that both hold one must hold the same.
    pub plan: Option<Digest>,
    /// What every peer of the run knows and nobody else; see [`new_token`].
    pub token: String,
}

/// Who the peer says it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PeerHello {
    /// Its role.
    pub role: Role,
    /// Its name.
    pub name: String,
    /// The plan it holds, if any.
    pub plan: Option<Digest>,
}

impl fmt::Display for PeerHello {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {:?}", self.role, self.name)
    }
}

/// Which side opened the connection; the proofs of the two differ, so that neither can be played back.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Side {
    Connecting,
    Accepting,
}

impl Side {
    fn other(self) -> Side {
        match self {
            Side::Connecting => Side::Accepting,
            Side::Accepting => Side::Connecting,
        }
    }

    fn label(self) -> &'static [u8] {
        match self {
            Side::Connecting => b"connecting",
            Side::Accepting => b"accepting",
        }
    }
}

/// Why there is no link.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HandshakeError {
    /// This side refused the peer.
    RefusedHere {
        /// The peer, as far as known.
        peer: String,
        /// Why.
        reason: String,
    },
    /// The peer refused this side.
    RefusedThere {
        /// The peer, as far as known.
        peer: String,
        /// Why.
        reason: String,
    },
    /// What came is no handshake: another program, or another version.
    NotAPeer(FrameError),
    /// Nothing came in time.
    Timeout,
    /// The peer closed the connection in the middle.
    Ended,
    /// The system reported a failure.
    Io(String),
}

impl fmt::Display for HandshakeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            HandshakeError::RefusedHere { peer, reason } => write!(f, "refused {peer}: {reason}"),
            HandshakeError::RefusedThere { peer, reason } => write!(f, "{peer} refused this side: {reason}"),
            HandshakeError::NotAPeer(e) => e.fmt(f),
            HandshakeError::Timeout => f.write_str(
                "no handshake came in time; is another program on that port, or the peer stopped?",
            ),
            HandshakeError::Ended => {
                f.write_str("the connection ended during the handshake; look at the peer's log")
            }
            HandshakeError::Io(e) => write!(f, "the connection failed during the handshake: {e}"),
        }
    }
}

impl std::error::Error for HandshakeError {}

impl From<io::Error> for HandshakeError {
    fn from(e: io::Error) -> HandshakeError {
        match e.kind() {
            io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut => HandshakeError::Timeout,
            io::ErrorKind::ConnectionReset | io::ErrorKind::BrokenPipe | io::ErrorKind::UnexpectedEof => {
                HandshakeError::Ended
            }
            _ => HandshakeError::Io(e.to_string()),
        }
    }
}

impl From<ReadError> for HandshakeError {
    fn from(e: ReadError) -> HandshakeError {
        match e {
            ReadError::End | ReadError::Frame(FrameError::Truncated { .. }) => HandshakeError::Ended,
            ReadError::Frame(e) => HandshakeError::NotAPeer(e),
            ReadError::Io(e) => e.into(),
        }
    }
}

#[derive(Serialize, Deserialize)]
struct Hello {
    protocol: u32,
    role: Role,
    name: String,
    plan: Option<Digest>,
    nonce: Digest,
}

#[derive(Serialize, Deserialize)]
struct Verdict {
    refused: Option<String>,
}

/// A token for a new session: 64 hex digits from the system's randomness.
pub fn new_token() -> String {
    nonce().to_string()
}

fn nonce() -> Digest {
    let mut hasher = blake3::Hasher::new();
    for _ in 0..4 {
        hasher.update(&RandomState::new().hash_one(std::process::id()).to_le_bytes());
    }
    let mut system = [0u8; 32];
    if std::fs::File::open("/dev/urandom").and_then(|mut f| f.read_exact(&mut system)).is_ok() {
        hasher.update(&system);
    }
    hasher.finalize().into()
}

/// A frame of the transport's own.
pub(super) fn link_frame(sequence: u32, payload: Vec<u8>) -> Frame {
    let mut header = FrameHeader::new(Kind::Link, Digest::default());
    header.sequence = sequence;
    Frame { header, payload }
}

fn send(stream: &mut impl Write, what: u32, payload: Vec<u8>) -> Result<(), HandshakeError> {
    write_frame(stream, &link_frame(what, payload)).map_err(HandshakeError::from)
}

fn receive(stream: &mut impl Read, what: u32) -> Result<Vec<u8>, HandshakeError> {
    let frame = read_frame(stream, MAX_MESSAGE)?;
    if frame.header.kind != Kind::Link || frame.header.sequence != what {
        return Err(HandshakeError::Io("a handshake message came out of turn".to_owned()));
    }
    Ok(frame.payload)
}

fn json<T: Serialize>(message: &T) -> Result<Vec<u8>, HandshakeError> {
    serde_json::to_vec(message).map_err(|e| HandshakeError::Io(e.to_string()))
}

/// Proof of `side` that it knows the token, bound to both hellos (and so to both nonces).
fn proof(token: &str, side: Side, own: &[u8], peers: &[u8]) -> blake3::Hash {
    let key = blake3::derive_key("pullback link session token, version 1", token.as_bytes());
    let mut hasher = blake3::Hasher::new_keyed(&key);
    for part in [side.label(), own, peers] {
        hasher.update(&(part.len() as u64).to_le_bytes());
        hasher.update(part);
    }
    hasher.finalize()
}

/// Why this side cannot work with that one, if so.
fn objection(me: &Identity, hello: &Hello, proved: bool) -> Option<String> {
    if hello.protocol != PROTOCOL {
        let theirs = hello.protocol;
        return Some(format!(
            "protocol versions differ: {PROTOCOL} and {theirs}; run the same build on both sides"
        ));
    }
    if !proved {
        return Some(
            "the session tokens differ; start every worker of a run with the token of that run".to_owned(),
        );
    }
    if hello.name == me.name && hello.role == me.role {
        return Some(format!(
            "both sides are called {} {:?}; give each worker its own name",
            me.role, me.name
        ));
    }
    match (me.plan, hello.plan) {
        (Some(ours), Some(theirs)) if ours != theirs => Some(format!(
            "plan digests differ: {} and {}; give both sides the same plan",
            ours.short(),
            theirs.short()
        )),
        (Some(_), _) | (None, _) => None,
    }
}

/// Speaks the handshake over a fresh connection whose timeouts are set. `check` may refuse a peer with a reason.
pub(super) fn exchange<S: Read + Write>(
    stream: &mut S,
    me: &Identity,
    side: Side,
    check: &dyn Fn(&PeerHello) -> Result<(), String>,
) -> Result<PeerHello, HandshakeError> {
    let own = json(&Hello {
        protocol: PROTOCOL,
        role: me.role,
        name: me.name.clone(),
        plan: me.plan,
        nonce: nonce(),
    })?;
    send(stream, HELLO, own.clone())?;
    let peers = receive(stream, HELLO)?;
    send(stream, PROOF, proof(&me.token, side, &own, &peers).as_bytes().to_vec())?;
    let given = receive(stream, PROOF)?;
    let wanted = proof(&me.token, side.other(), &peers, &own);
    let proved = <[u8; 32]>::try_from(given).is_ok_and(|given| wanted == given);

    let mut who = "the peer".to_owned();
    let judged = match serde_json::from_slice::<Hello>(&peers) {
        Err(e) => Err(format!("the hello cannot be read ({e}); run the same build on both sides")),
        Ok(hello) => {
            let known = PeerHello { role: hello.role, name: hello.name.clone(), plan: hello.plan };
            who = known.to_string();
            match objection(me, &hello, proved) {
                Some(reason) => Err(reason),
                None => check(&known).map(|()| known),
            }
        }
    };
    send(stream, VERDICT, json(&Verdict { refused: judged.as_ref().err().cloned() })?)?;
    let reply = receive(stream, VERDICT);
    let peer = judged.map_err(|reason| HandshakeError::RefusedHere { peer: who.clone(), reason })?;
    let verdict: Verdict = serde_json::from_slice(&reply?).map_err(|e| HandshakeError::Io(e.to_string()))?;
    match verdict.refused {
        Some(reason) => Err(HandshakeError::RefusedThere { peer: who, reason }),
        None => Ok(peer),
    }
}
