//! Links: how whole frames get from one peer to another.
//!
//! Must hold, for every implementation:
//! * frames of one link arrive in the order sent, each whole and verified, at most once; there is no order between links;
//! * `Ok` from [`Link::send`] means queued, not delivered; `send` may block while the peer does not drain the link,
//!   and a receiving end always drains, so two peers sending to each other cannot wait for each other;
//! * an end of a link reports [`InboundEvent::Closed`] once, after its last frame; then every `send` fails;
//! * closing is orderly ([`Closed::Goodbye`] at the other side, all earlier frames delivered first); dropping a link
//!   without closing it looks like a crash ([`Closed::Lost`]).
//!
//! It does not reconnect, resend, or know what a frame means; and the inbox has no bound, since what may be under way
//! is bounded by the plan.

pub mod handshake;
pub mod inproc;
mod queue;
pub mod tcp;

use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, mpsc};
use std::time::Duration;

use crate::frame::{Frame, FrameError};

/// A peer's name, as its handshake gave it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct PeerId(Arc<str>);

impl PeerId {
    /// The peer called `name`.
    pub fn new(name: &str) -> PeerId {
        PeerId(name.into())
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for PeerId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Tells the links of one process apart, so that the end of a peer's old link is not taken for its new one's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct LinkId(pub u64);

impl LinkId {
    fn next() -> LinkId {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        LinkId(NEXT.fetch_add(1, Ordering::Relaxed))
    }
}

/// Why a link is closed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Closed {
    /// This side closed it.
    Local,
    /// The peer closed it in order.
    Goodbye,
    /// The peer went away without a word: it crashed, was killed, or dropped the link.
    Lost,
    /// Nothing came from the peer, not even a keep-alive, for so long; or it took nothing.
    Silent {
        /// The limit it passed.
        after: Duration,
    },
    /// What came is not a frame; the link cannot be trusted any more.
    BadFrame(FrameError),
    /// The system reported a failure.
    Broken(String),
}

impl fmt::Display for Closed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Closed::Local => f.write_str("closed by this side"),
            Closed::Goodbye => f.write_str("closed by the peer"),
            Closed::Lost => f.write_str("the peer went away without saying goodbye (crashed or killed?)"),
            Closed::Silent { after } => write!(f, "no sign of life from the peer for {after:?}"),
            Closed::BadFrame(e) => e.fmt(f),
            Closed::Broken(e) => write!(f, "the link failed: {e}"),
        }
    }
}

/// Why a frame was not queued.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LinkError {
    /// The link is closed.
    Closed {
        /// Whose link.
        peer: PeerId,
        /// Why.
        why: Closed,
    },
    /// The frame cannot be sent at all (too long).
    Frame(FrameError),
    /// [`crate::frame::Kind::Link`] frames belong to the transport.
    ReservedKind,
}

impl fmt::Display for LinkError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LinkError::Closed { peer, why } => write!(f, "cannot send to {peer}: {why}"),
            LinkError::Frame(e) => e.fmt(f),
            LinkError::ReservedKind => {
                f.write_str("frames of kind link are the transport's own; send data or control")
            }
        }
    }
}

impl std::error::Error for LinkError {}

/// What reaches an inbox.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Inbound {
    /// From whom.
    pub peer: PeerId,
    /// Over which link.
    pub link: LinkId,
    /// What.
    pub what: InboundEvent,
}

/// A frame, or the end of a link.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum InboundEvent {
    /// A data or control frame, whole and verified.
    Frame(Frame),
    /// The link has ended; the last thing it says.
    Closed(Closed),
}

/// Where a link puts what arrives. It is called from the link's threads and must not block.
#[derive(Clone)]
pub struct Inbox(Arc<dyn Fn(Inbound) -> bool + Send + Sync>);

impl Inbox {
    /// An inbox that hands everything to `take`, which answers whether anyone still listens.
    pub fn new(take: impl Fn(Inbound) -> bool + Send + Sync + 'static) -> Inbox {
        Inbox(Arc::new(take))
    }

    fn put(&self, inbound: Inbound) -> bool {
        (self.0)(inbound)
    }
}

impl From<mpsc::Sender<Inbound>> for Inbox {
    fn from(sender: mpsc::Sender<Inbound>) -> Inbox {
        Inbox::new(move |inbound| sender.send(inbound).is_ok())
    }
}

/// One end of a connection to a peer; the guarantees are those of the module.
pub trait Link: Send {
    /// Who is at the other end.
    fn peer(&self) -> &PeerId;
    /// Which link this is.
    fn id(&self) -> LinkId;
    /// Queues a data or control frame.
    fn send(&mut self, frame: Frame) -> Result<(), LinkError>;
    /// Delivers what is queued, says goodbye and ends the link. Waits for that, but not for ever. Idempotent.
    fn close(&mut self);
    /// Traffic so far; the handle stays valid after the link is gone.
    fn traffic(&self) -> Arc<Traffic>;
}

/// Counts of one end of a link: data and control frames, headers included; keep-alives and handshake are not counted,
/// so that two equal runs count the same.
#[derive(Debug, Default)]
pub struct Traffic {
    bytes_sent: AtomicU64,
    bytes_received: AtomicU64,
    frames_sent: AtomicU64,
    frames_received: AtomicU64,
}

/// [`Traffic`] at one moment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TrafficCounts {
    /// Bytes handed to the wire.
    pub bytes_sent: u64,
    /// Bytes received whole.
    pub bytes_received: u64,
    /// Frames handed to the wire.
    pub frames_sent: u64,
    /// Frames received whole.
    pub frames_received: u64,
}

impl Traffic {
    /// The counts now.
    pub fn counts(&self) -> TrafficCounts {
        TrafficCounts {
            bytes_sent: self.bytes_sent.load(Ordering::Relaxed),
            bytes_received: self.bytes_received.load(Ordering::Relaxed),
            frames_sent: self.frames_sent.load(Ordering::Relaxed),
            frames_received: self.frames_received.load(Ordering::Relaxed),
        }
    }

    fn sent(&self, bytes: u64) {
        self.bytes_sent.fetch_add(bytes, Ordering::Relaxed);
        self.frames_sent.fetch_add(1, Ordering::Relaxed);
    }

    fn received(&self, bytes: u64) {
        self.bytes_received.fetch_add(bytes, Ordering::Relaxed);
        self.frames_received.fetch_add(1, Ordering::Relaxed);
    }
}

/// What a caller's frame must satisfy before a link takes it.
fn admit(frame: &Frame) -> Result<(), LinkError> {
    use crate::frame::{Kind, MAX_PAYLOAD};
    match frame.header.kind {
        Kind::Link => return Err(LinkError::ReservedKind),
        Kind::Data | Kind::Control => {}
    }
    if frame.payload.len() > MAX_PAYLOAD {
        let (len, max) = (frame.payload.len() as u64, MAX_PAYLOAD as u64);
        return Err(LinkError::Frame(FrameError::TooLong { len, max }));
    }
    Ok(())
}
