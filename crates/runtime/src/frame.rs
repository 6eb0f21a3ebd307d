//! The wire frame: a fixed 88-byte header and a payload.
//!
//! Must hold: a length is judged before memory is taken for it; a frame comes out whole and with a matching
//! checksum, or not at all; any bytes may be given to `decode` without a panic. Integers are little-endian.
//! It does not know what a payload means, nor which frame is due: the reader states that in an [`Expected`].

use std::fmt;
use std::io::{self, Read, Write};

use crate::digest::Digest;

/// The first four bytes of every frame.
pub const MAGIC: [u8; 4] = *b"PLBK";
/// The version of the header and of the handshake.
pub const VERSION: u16 = 1;
/// Bytes of a header.
pub const HEADER_LEN: usize = 88;
/// The longest payload allowed, in bytes (64 MiB). Longer messages are cut into chunks by their owner.
pub const MAX_PAYLOAD: usize = 64 << 20;
/// The dtype code of a payload that is not numbers.
pub const DTYPE_NONE: u8 = 0;

/// Where the checksum sits; it covers the header before it and the payload.
const CHECKED: usize = HEADER_LEN - 8;
/// Payloads up to this many bytes are written together with their header.
const COALESCE: usize = 64 << 10;

/// What a frame carries.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// Numbers of a transfer or collective.
    Data,
    /// A message of the controller or a worker (JSON made by its owner).
    Control,
    /// The transport's own: handshake, keep-alive, goodbye. Never reaches an inbox.
    Link,
}

impl Kind {
    fn code(self) -> u8 {
        match self {
            Kind::Data => 1,
            Kind::Control => 2,
            Kind::Link => 3,
        }
    }

    fn from_code(code: u8) -> Option<Kind> {
        match code {
            1 => Some(Kind::Data),
            2 => Some(Kind::Control),
            3 => Some(Kind::Link),
            _ => None,
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Kind::Data => "data",
            Kind::Control => "control",
            Kind::Link => "link",
        })
    }
}

/// Everything a header says, except length and checksum, which follow from the payload.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FrameHeader {
    /// What the payload is.
    pub kind: Kind,
    /// dtype code of the numbers ([`DTYPE_NONE`] if none); the table is the plan's.
    pub dtype: u8,
    /// Commit domain.
    pub domain: u32,
    /// Chunk of the transfer, or number of the control message.
    pub sequence: u32,
    /// Which try at the step this is, so that frames of an abandoned try are told from its replay's.
    pub attempt: u32,
    /// Optimizer step.
    pub step: u64,
    /// Epoch the step starts from.
    pub epoch: u64,
    /// Transfer or collective of the plan.
    pub transfer: u64,
    /// Digest of the plan in force.
    pub plan: Digest,
}

impl FrameHeader {
    /// A header of `kind` for a plan, all else zero.
    pub fn new(kind: Kind, plan: Digest) -> FrameHeader {
        FrameHeader {
            kind,
            dtype: DTYPE_NONE,
            domain: 0,
            sequence: 0,
            attempt: 0,
            step: 0,
            epoch: 0,
            transfer: 0,
            plan,
        }
    }
}

/// A header and its payload.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Frame {
    /// What the payload is, and where it belongs.
    pub header: FrameHeader,
    /// The bytes; at most [`MAX_PAYLOAD`].
    pub payload: Vec<u8>,
}

/// Why bytes are not a frame.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FrameError {
    /// The bytes do not begin with [`MAGIC`].
    BadMagic {
        /// What they begin with.
        found: [u8; 4],
    },
    /// Another version of the format.
    Version {
        /// The version found.
        found: u16,
    },
    /// An unknown kind code.
    UnknownKind {
        /// The code found.
        found: u8,
    },
    /// The payload is longer than the bound.
    TooLong {
        /// Its length in bytes.
        len: u64,
        /// The bound in bytes.
        max: u64,
    },
    /// Header or payload changed on the way.
    Checksum,
    /// The bytes end inside a frame.
    Truncated {
        /// Bytes the frame needs.
        needed: u64,
        /// Bytes there are.
        have: u64,
    },
}

impl fmt::Display for FrameError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FrameError::BadMagic { found } => {
                write!(
                    f,
                    "not a Pullback frame: it begins with {found:?}, not {MAGIC:?}; is another program on that port?"
                )
            }
            FrameError::Version { found } => write!(
                f,
                "unsupported frame version {found}: this build speaks version {VERSION}; run the same build on both sides"
            ),
            FrameError::UnknownKind { found } => write!(f, "frame of unknown kind {found}"),
            FrameError::TooLong { len, max } => {
                write!(
                    f,
                    "frame payload of {len} bytes is over the limit of {max}; cut the message into chunks"
                )
            }
            FrameError::Checksum => f.write_str("frame checksum does not match: bytes changed on the way"),
            FrameError::Truncated { needed, have } => {
                write!(f, "the frame ends early: it needs {needed} bytes and {have} came")
            }
        }
    }
}

impl std::error::Error for FrameError {}

/// A header's fields as found in bytes, checksum not yet compared.
struct RawHeader {
    header: FrameHeader,
    len: usize,
    checksum: [u8; 8],
}

/// `N` bytes at `at`; the caller's offsets lie inside the header.
fn field<const N: usize>(bytes: &[u8; HEADER_LEN], at: usize) -> [u8; N] {
    let mut out = [0; N];
    out.copy_from_slice(&bytes[at..at + N]);
    out
}

fn decode_header(b: &[u8; HEADER_LEN], max: usize) -> Result<RawHeader, FrameError> {
    let magic = field::<4>(b, 0);
    if magic != MAGIC {
        return Err(FrameError::BadMagic { found: magic });
    }
    let version = u16::from_le_bytes(field(b, 4));
    if version != VERSION {
        return Err(FrameError::Version { found: version });
    }
    let kind = Kind::from_code(b[6]).ok_or(FrameError::UnknownKind { found: b[6] })?;
    let len = u32::from_le_bytes(field(b, 76)) as usize;
    if len > max {
        return Err(FrameError::TooLong { len: len as u64, max: max as u64 });
    }
    let header = FrameHeader {
        kind,
        dtype: b[7],
        domain: u32::from_le_bytes(field(b, 8)),
        sequence: u32::from_le_bytes(field(b, 12)),
        attempt: u32::from_le_bytes(field(b, 16)),
        step: u64::from_le_bytes(field(b, 20)),
        epoch: u64::from_le_bytes(field(b, 28)),
        transfer: u64::from_le_bytes(field(b, 36)),
        plan: Digest(field(b, 44)),
    };
    Ok(RawHeader { header, len, checksum: field(b, CHECKED) })
}

/// First eight bytes of BLAKE3 over the checked part of the header and the payload.
fn checksum(head: &[u8], payload: &[u8]) -> [u8; 8] {
    let mut hasher = blake3::Hasher::new();
    hasher.update(head);
    hasher.update(payload);
    let mut out = [0; 8];
    out.copy_from_slice(&hasher.finalize().as_bytes()[..8]);
    out
}

impl Frame {
    /// Bytes of this frame on the wire.
    pub fn wire_len(&self) -> u64 {
        (HEADER_LEN + self.payload.len()) as u64
    }

    /// The header's bytes. `TooLong` if the payload is over [`MAX_PAYLOAD`].
    pub fn encode_header(&self) -> Result<[u8; HEADER_LEN], FrameError> {
        let too_long = FrameError::TooLong { len: self.payload.len() as u64, max: MAX_PAYLOAD as u64 };
        let len = u32::try_from(self.payload.len()).map_err(|_| too_long.clone())?;
        if self.payload.len() > MAX_PAYLOAD {
            return Err(too_long);
        }
        let h = &self.header;
        let mut b = [0; HEADER_LEN];
        b[0..4].copy_from_slice(&MAGIC);
        b[4..6].copy_from_slice(&VERSION.to_le_bytes());
        b[6] = h.kind.code();
        b[7] = h.dtype;
        b[8..12].copy_from_slice(&h.domain.to_le_bytes());
        b[12..16].copy_from_slice(&h.sequence.to_le_bytes());
        b[16..20].copy_from_slice(&h.attempt.to_le_bytes());
        b[20..28].copy_from_slice(&h.step.to_le_bytes());
        b[28..36].copy_from_slice(&h.epoch.to_le_bytes());
        b[36..44].copy_from_slice(&h.transfer.to_le_bytes());
        b[44..76].copy_from_slice(&h.plan.0);
        b[76..80].copy_from_slice(&len.to_le_bytes());
        let sum = checksum(&b[..CHECKED], &self.payload);
        b[CHECKED..].copy_from_slice(&sum);
        Ok(b)
    }

    /// Header and payload as bytes.
    pub fn encode(&self) -> Result<Vec<u8>, FrameError> {
        let head = self.encode_header()?;
        let mut out = Vec::with_capacity(HEADER_LEN + self.payload.len());
        out.extend_from_slice(&head);
        out.extend_from_slice(&self.payload);
        Ok(out)
    }

    /// The frame at the start of `bytes`, and how many bytes it took.
    pub fn decode(bytes: &[u8]) -> Result<(Frame, usize), FrameError> {
        let have = bytes.len() as u64;
        let Some((head, rest)) = bytes.split_first_chunk::<HEADER_LEN>() else {
            return Err(FrameError::Truncated { needed: HEADER_LEN as u64, have });
        };
        let raw = decode_header(head, MAX_PAYLOAD)?;
        let Some(payload) = rest.get(..raw.len) else {
            return Err(FrameError::Truncated { needed: (HEADER_LEN + raw.len) as u64, have });
        };
        if checksum(&head[..CHECKED], payload) != raw.checksum {
            return Err(FrameError::Checksum);
        }
        Ok((Frame { header: raw.header, payload: payload.to_vec() }, HEADER_LEN + raw.len))
    }

    /// Whether this is the frame that is due; names the first field that differs.
    pub fn expect(&self, expected: &Expected) -> Result<(), FrameMismatch> {
        let h = &self.header;
        let e = expected;
        same("plan digest", &e.plan, &h.plan)?;
        same("kind", &e.kind, &h.kind)?;
        same("commit domain", &e.domain, &h.domain)?;
        same("step", &e.step, &h.step)?;
        same("epoch", &e.epoch, &h.epoch)?;
        same("attempt", &e.attempt, &h.attempt)?;
        same("transfer", &e.transfer, &h.transfer)?;
        same("chunk", &e.chunk, &h.sequence)?;
        same("dtype code", &e.dtype, &h.dtype)?;
        same("payload length", &e.length, &self.payload.len())
    }
}

fn same<T: PartialEq + fmt::Display>(
    field: &'static str,
    expected: &T,
    found: &T,
) -> Result<(), FrameMismatch> {
    if expected == found {
        return Ok(());
    }
    Err(FrameMismatch { field, expected: expected.to_string(), found: found.to_string() })
}

/// The frame that is due.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Expected {
    /// Plan in force.
    pub plan: Digest,
    /// Kind of frame.
    pub kind: Kind,
    /// Commit domain.
    pub domain: u32,
    /// Optimizer step.
    pub step: u64,
    /// Epoch the step starts from.
    pub epoch: u64,
    /// Which try at the step.
    pub attempt: u32,
    /// Transfer or collective.
    pub transfer: u64,
    /// Chunk of it.
    pub chunk: u32,
    /// dtype code.
    pub dtype: u8,
    /// Payload bytes.
    pub length: usize,
}

/// A whole frame that is not the one due. It must not be combined with anything.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FrameMismatch {
    /// The field that differs.
    pub field: &'static str,
    /// What it had to be.
    pub expected: String,
    /// What it is.
    pub found: String,
}

impl fmt::Display for FrameMismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "frame refused: its {} is {}, and {} was due; sender and receiver do not follow the same plan or step",
            self.field, self.found, self.expected
        )
    }
}

impl std::error::Error for FrameMismatch {}

/// Why no frame came out of a stream.
#[derive(Debug)]
pub enum ReadError {
    /// The stream ended between two frames.
    End,
    /// The bytes are not a frame; nothing after them can be trusted.
    Frame(FrameError),
    /// The stream failed (a timeout included).
    Io(io::Error),
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ReadError::End => f.write_str("the stream ended"),
            ReadError::Frame(e) => e.fmt(f),
            ReadError::Io(e) => e.fmt(f),
        }
    }
}

impl std::error::Error for ReadError {}

/// Reads as much of `buf` as the stream gives; less only at its end.
fn fill(r: &mut impl Read, buf: &mut [u8]) -> Result<usize, ReadError> {
    let mut at = 0;
    while at < buf.len() {
        match r.read(&mut buf[at..]) {
            Ok(0) => break,
            Ok(n) => at += n,
            Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
            Err(e) => return Err(ReadError::Io(e)),
        }
    }
    Ok(at)
}

/// Reads one frame with a payload of at most `max` bytes (and never more than [`MAX_PAYLOAD`]).
pub fn read_frame(r: &mut impl Read, max: usize) -> Result<Frame, ReadError> {
    let mut head = [0; HEADER_LEN];
    let have = fill(r, &mut head)?;
    if have == 0 {
        return Err(ReadError::End);
    }
    if have >= 4 && head[..4] != MAGIC {
        return Err(ReadError::Frame(FrameError::BadMagic { found: field(&head, 0) }));
    }
    let truncated = |needed: usize, have: usize| {
        ReadError::Frame(FrameError::Truncated { needed: needed as u64, have: have as u64 })
    };
    if have < HEADER_LEN {
        return Err(truncated(HEADER_LEN, have));
    }
    let raw = decode_header(&head, max.min(MAX_PAYLOAD)).map_err(ReadError::Frame)?;
    let mut payload = Vec::with_capacity(raw.len);
    let got = r.take(raw.len as u64).read_to_end(&mut payload).map_err(ReadError::Io)?;
    if got < raw.len {
        return Err(truncated(HEADER_LEN + raw.len, HEADER_LEN + got));
    }
    if checksum(&head[..CHECKED], &payload) != raw.checksum {
        return Err(ReadError::Frame(FrameError::Checksum));
    }
    Ok(Frame { header: raw.header, payload })
}

/// Writes one frame; `InvalidInput` carries a [`FrameError`] if its payload is too long.
pub fn write_frame(w: &mut impl Write, frame: &Frame) -> io::Result<()> {
    let invalid = |e: FrameError| io::Error::new(io::ErrorKind::InvalidInput, e);
    if frame.payload.len() <= COALESCE {
        return w.write_all(&frame.encode().map_err(invalid)?);
    }
    w.write_all(&frame.encode_header().map_err(invalid)?)?;
    w.write_all(&frame.payload)
}
