//! The bounded queue between a link's users and its writer thread.
//!
//! Must hold: at most `limit` bytes wait, except that one frame is always let in; frames leave in the order they came;
//! once the queue is shut nobody waits on it any more. It does not write anything.

use std::collections::VecDeque;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::frame::Frame;

#[derive(Default)]
struct State {
    frames: VecDeque<Frame>,
    bytes: u64,
    /// No more frames come in.
    closed: bool,
    /// Nor do waiting ones go out.
    aborted: bool,
}

/// See the module.
pub(super) struct Queue {
    limit: u64,
    state: Mutex<State>,
    changed: Condvar,
}

/// What the writer finds.
pub(super) enum Popped {
    Frame(Frame),
    /// Nothing came within the time.
    Idle,
    /// Closed and drained.
    Drained,
    /// Cut off.
    Aborted,
}

impl Queue {
    pub(super) fn new(limit: u64) -> Queue {
        Queue { limit, state: Mutex::default(), changed: Condvar::new() }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // The state is consistent between any two statements that could panic.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for room; false if the queue is closed.
    pub(super) fn push(&self, frame: Frame) -> bool {
        let len = frame.wire_len();
        let mut state = self.lock();
        while !state.closed && !state.frames.is_empty() && state.bytes + len > self.limit {
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        if state.closed {
            return false;
        }
        state.bytes += len;
        state.frames.push_back(frame);
        self.changed.notify_all();
        true
    }

    /// The next frame, waiting at most `patience`.
    pub(super) fn pop(&self, patience: Duration) -> Popped {
        let end = Instant::now() + patience;
        let mut state = self.lock();
        loop {
            if state.aborted {
                return Popped::Aborted;
            }
            if let Some(frame) = state.frames.pop_front() {
                state.bytes -= frame.wire_len();
                self.changed.notify_all();
                return Popped::Frame(frame);
            }
            if state.closed {
                return Popped::Drained;
            }
            let left = end.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Popped::Idle;
            }
            state = self.changed.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// Lets nothing more in; what waits still goes out.
    pub(super) fn close(&self) {
        self.lock().closed = true;
        self.changed.notify_all();
    }

    /// Lets nothing in or out any more.
    pub(super) fn abort(&self) {
        let mut state = self.lock();
        state.closed = true;
        state.aborted = true;
        state.frames.clear();
        self.changed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::digest::Digest;
    use crate::frame::{FrameHeader, Kind};
    use std::sync::Arc;

    fn frame(len: usize) -> Frame {
        Frame { header: FrameHeader::new(Kind::Data, Digest::default()), payload: vec![0; len] }
    }

    #[test]
    fn a_full_queue_holds_its_writer_back_until_it_is_drained_or_aborted() {
        let queue = Arc::new(Queue::new(1000));
        assert!(queue.push(frame(5000)), "one frame is always let in");
        let pusher = std::thread::spawn({
            let queue = queue.clone();
            move || [queue.push(frame(500)), queue.push(frame(900))]
        });
        // Only once the first has gone is there room for the second, and only after that for the third.
        assert!(matches!(queue.pop(Duration::from_secs(60)), Popped::Frame(f) if f.payload.len() == 5000));
        assert!(matches!(queue.pop(Duration::from_secs(60)), Popped::Frame(f) if f.payload.len() == 500));
        assert!(matches!(queue.pop(Duration::from_secs(60)), Popped::Frame(f) if f.payload.len() == 900));
        assert_eq!(pusher.join().expect("the pusher ends"), [true, true]);

        assert!(queue.push(frame(1000)));
        let stuck = std::thread::spawn({
            let queue = queue.clone();
            move || queue.push(frame(1000))
        });
        queue.abort();
        assert!(!stuck.join().expect("the pusher ends"));
        assert!(matches!(queue.pop(Duration::ZERO), Popped::Aborted));
    }

    #[test]
    fn a_closed_queue_drains() {
        let queue = Queue::new(1000);
        assert!(matches!(queue.pop(Duration::ZERO), Popped::Idle));
        queue.push(frame(1));
        queue.close();
        assert!(!queue.push(frame(2)));
        assert!(matches!(queue.pop(Duration::ZERO), Popped::Frame(_)));
        assert!(matches!(queue.pop(Duration::ZERO), Popped::Drained));
    }
}
