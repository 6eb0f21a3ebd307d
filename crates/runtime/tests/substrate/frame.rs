//! Frames: a round trip keeps everything, anything else is refused, and no length is believed before it is judged.

use std::io::Cursor;

use proptest::prelude::*;
use pullback_runtime::digest::Digest;
use pullback_runtime::frame::{
    Expected, Frame, FrameError, FrameHeader, HEADER_LEN, Kind, MAX_PAYLOAD, ReadError, read_frame,
    write_frame,
};

fn frames() -> impl Strategy<Value = Frame> {
    let kind = prop_oneof![Just(Kind::Data), Just(Kind::Control)];
    let numbers =
        (any::<u8>(), any::<u32>(), any::<u32>(), any::<u32>(), any::<[u64; 3]>(), any::<[u8; 32]>());
    (kind, numbers, prop::collection::vec(any::<u8>(), 0..300)).prop_map(|(kind, n, payload)| {
        let (dtype, domain, sequence, attempt, [step, epoch, transfer], plan) = n;
        let plan = Digest(plan);
        Frame {
            header: FrameHeader { kind, dtype, domain, sequence, attempt, step, epoch, transfer, plan },
            payload,
        }
    })
}

fn sample() -> Frame {
    let mut header = FrameHeader::new(Kind::Data, Digest::of(b"plan"));
    (header.domain, header.step, header.epoch, header.attempt) = (1, 7, 6, 2);
    (header.transfer, header.sequence, header.dtype) = (40, 3, 11);
    Frame { header, payload: vec![1, 2, 3, 4] }
}

fn due() -> Expected {
    let plan = Digest::of(b"plan");
    let (domain, step, epoch, attempt, transfer, chunk, dtype) = (1, 7, 6, 2, 40, 3, 11);
    Expected { plan, kind: Kind::Data, domain, step, epoch, attempt, transfer, chunk, dtype, length: 4 }
}

proptest! {
    #[test]
    fn round_trips(frame in frames(), tail in prop::collection::vec(any::<u8>(), 0..100)) {
        let mut bytes = frame.encode().unwrap();
        prop_assert_eq!(bytes.len() as u64, frame.wire_len());
        let mut streamed = Vec::new();
        write_frame(&mut streamed, &frame).unwrap();
        prop_assert_eq!(&streamed, &bytes);
        bytes.extend(tail);
        prop_assert_eq!(Frame::decode(&bytes).unwrap(), (frame.clone(), streamed.len()));
        prop_assert_eq!(read_frame(&mut Cursor::new(bytes), MAX_PAYLOAD).unwrap(), frame);
    }

    #[test]
    fn any_bytes_are_refused_calmly(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        prop_assert!(Frame::decode(&bytes).is_err());
        prop_assert!(read_frame(&mut Cursor::new(bytes), MAX_PAYLOAD).is_err());
    }

    /// Past the magic and version, where arbitrary bytes rarely come.
    #[test]
    fn any_header_is_refused_calmly(rest in prop::collection::vec(any::<u8>(), HEADER_LEN - 6..200)) {
        let mut bytes = sample().encode().unwrap();
        bytes.truncate(6);
        bytes.extend(rest);
        prop_assert!(Frame::decode(&bytes).is_err());
        prop_assert!(read_frame(&mut Cursor::new(bytes), 1000).is_err());
    }

    #[test]
    fn every_changed_byte_is_noticed(frame in frames(), at in any::<prop::sample::Index>(), flip in 1u8..) {
        let mut bytes = frame.encode().unwrap();
        let at = at.index(bytes.len());
        bytes[at] ^= flip;
        prop_assert!(Frame::decode(&bytes).is_err());
    }

    #[test]
    fn every_cut_is_noticed(frame in frames(), at in any::<prop::sample::Index>()) {
        let bytes = frame.encode().unwrap();
        let cut = &bytes[..at.index(bytes.len())];
        prop_assert!(matches!(Frame::decode(cut), Err(FrameError::Truncated { .. })), "cut {}", cut.len());
        let streamed = read_frame(&mut Cursor::new(cut), MAX_PAYLOAD);
        match cut.len() {
            0 => prop_assert!(matches!(streamed, Err(ReadError::End))),
            _ => prop_assert!(matches!(streamed, Err(ReadError::Frame(FrameError::Truncated { .. }))), "{streamed:?}"),
        }
    }
}

#[test]
fn a_length_is_judged_before_memory_is_taken() {
    let mut bytes = sample().encode().unwrap();
    bytes[76..80].copy_from_slice(&u32::MAX.to_le_bytes());
    let too_long = FrameError::TooLong { len: u64::from(u32::MAX), max: MAX_PAYLOAD as u64 };
    assert_eq!(Frame::decode(&bytes), Err(too_long.clone()));
    // A reader's own, lower limit; and it cannot raise the general one.
    let mut stream = Cursor::new(sample().encode().unwrap());
    assert!(matches!(
        read_frame(&mut stream, 3),
        Err(ReadError::Frame(FrameError::TooLong { len: 4, max: 3 }))
    ));
    assert!(
        matches!(read_frame(&mut Cursor::new(bytes), usize::MAX), Err(ReadError::Frame(e)) if e == too_long)
    );
    let over = Frame { payload: vec![0; MAX_PAYLOAD + 1], ..sample() };
    assert!(matches!(over.encode(), Err(FrameError::TooLong { .. })));
    assert!(write_frame(&mut Vec::new(), &over).is_err());
}

#[test]
fn refusals_say_what_was_found() {
    let good = sample().encode().unwrap();
    let with = |at: usize, byte: u8| {
        let mut bytes = good.clone();
        bytes[at] = byte;
        Frame::decode(&bytes).unwrap_err()
    };
    assert_eq!(with(0, b'G'), FrameError::BadMagic { found: *b"GLBK" });
    assert_eq!(with(4, 9), FrameError::Version { found: 9 });
    assert!(with(4, 9).to_string().contains("unsupported frame version 9"));
    assert_eq!(with(6, 77), FrameError::UnknownKind { found: 77 });
    assert_eq!(with(30, 77), FrameError::Checksum);
}

#[test]
fn a_frame_that_is_not_due_is_refused_by_field() {
    assert_eq!(sample().expect(&due()), Ok(()));
    let other = Digest::of(b"other plan");
    let cases = [
        (Expected { plan: other, ..due() }, "plan digest"),
        (Expected { kind: Kind::Control, ..due() }, "kind"),
        (Expected { domain: 0, ..due() }, "commit domain"),
        (Expected { step: 8, ..due() }, "step"),
        (Expected { epoch: 7, ..due() }, "epoch"),
        (Expected { attempt: 3, ..due() }, "attempt"),
        (Expected { transfer: 41, ..due() }, "transfer"),
        (Expected { chunk: 4, ..due() }, "chunk"),
        (Expected { dtype: 12, ..due() }, "dtype code"),
        (Expected { length: 8, ..due() }, "payload length"),
    ];
    for (expected, field) in cases {
        let mismatch = sample().expect(&expected).unwrap_err();
        assert_eq!(mismatch.field, field);
        assert!(mismatch.to_string().contains(field), "{mismatch}");
    }
}

#[test]
fn digests_read_back_from_their_text() {
    let digest = Digest::of(b"x");
    assert_eq!(digest.to_string().parse(), Ok(digest));
    assert!(digest.to_string().to_uppercase().parse::<Digest>().is_err());
    assert!("00".parse::<Digest>().is_err());
    let json = serde_json::to_string(&digest).unwrap();
    assert_eq!(serde_json::from_str::<Digest>(&json).unwrap(), digest);
}
