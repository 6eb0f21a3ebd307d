//! Links inside one process: a frame sent is put straight into the other side's inbox.
//!
//! Must hold: the guarantees of the parent module. `send` never blocks, since nothing waits in between. It does not
//! encode or checksum: the bytes do not leave the process.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::{Closed, Inbound, InboundEvent, Inbox, Link, LinkError, LinkId, PeerId, Traffic, admit};
use crate::frame::Frame;

/// What both ends share: whether, and by which end, the link was closed.
#[derive(Default)]
struct Shared {
    closed: Mutex<Option<(LinkId, Closed)>>,
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Option<(LinkId, Closed)>> {
        self.closed.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// One side of the link as both ends see it.
struct Side {
    /// The name by which the other end knows this side.
    name: PeerId,
    link: LinkId,
    inbox: Inbox,
    traffic: Arc<Traffic>,
}

/// One end of an in-process link.
pub struct InprocLink {
    me: Arc<Side>,
    other: Arc<Side>,
    shared: Arc<Shared>,
}

/// A link between two named peers: the first end belongs to `a`, and what is sent to it goes to `a_inbox`.
pub fn pair(
    a: &str,
    a_inbox: impl Into<Inbox>,
    b: &str,
    b_inbox: impl Into<Inbox>,
) -> (InprocLink, InprocLink) {
    let side = |name: &str, inbox: Inbox| {
        Arc::new(Side { name: PeerId::new(name), link: LinkId::next(), inbox, traffic: Arc::default() })
    };
    let (a, b) = (side(a, a_inbox.into()), side(b, b_inbox.into()));
    let shared = Arc::new(Shared::default());
    let end = |me: &Arc<Side>, other: &Arc<Side>| InprocLink {
        me: me.clone(),
        other: other.clone(),
        shared: shared.clone(),
    };
    (end(&a, &b), end(&b, &a))
}

impl Side {
    /// Puts something that comes from `from` into this side's inbox.
    fn deliver(&self, from: &PeerId, what: InboundEvent) -> bool {
        self.inbox.put(Inbound { peer: from.clone(), link: self.link, what })
    }
}

impl InprocLink {
    fn end(&self, as_other_sees_it: Closed) {
        let mut closed = self.shared.lock();
        if closed.is_some() {
            return;
        }
        *closed = Some((self.me.link, as_other_sees_it.clone()));
        // Delivered under the lock, so that no frame can follow.
        self.other.deliver(&self.me.name, InboundEvent::Closed(as_other_sees_it));
        self.me.deliver(&self.other.name, InboundEvent::Closed(Closed::Local));
    }
}

impl Link for InprocLink {
    fn peer(&self) -> &PeerId {
        &self.other.name
    }

    fn id(&self) -> LinkId {
        self.me.link
    }

    fn send(&mut self, frame: Frame) -> Result<(), LinkError> {
        admit(&frame)?;
        let closed = self.shared.lock();
        if let Some((by, why)) = &*closed {
            let why = if *by == self.me.link { Closed::Local } else { why.clone() };
            return Err(LinkError::Closed { peer: self.other.name.clone(), why });
        }
        let bytes = frame.wire_len();
        if !self.other.deliver(&self.me.name, InboundEvent::Frame(frame)) {
            return Err(LinkError::Closed { peer: self.other.name.clone(), why: Closed::Lost });
        }
        self.me.traffic.sent(bytes);
        self.other.traffic.received(bytes);
        Ok(())
    }

    fn close(&mut self) {
        self.end(Closed::Goodbye);
    }

    fn traffic(&self) -> Arc<Traffic> {
        self.me.traffic.clone()
    }
}

impl Drop for InprocLink {
    fn drop(&mut self) {
        self.end(Closed::Lost);
    }
}
