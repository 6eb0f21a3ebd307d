//! Links over TCP on the loopback interface: blocking sockets, one reader and one writer thread a peer.
//!
//! Must hold: the guarantees of the parent module; the writer's queue is bounded in bytes; a peer that gives no sign of
//! life for [`TcpConfig::dead_after`] ends the link (an idle writer sends keep-alives, so a busy peer is not a dead
//! one). It binds and connects to loopback addresses only, and does not reconnect.

use std::fmt;
use std::io::{self, Read};
use std::net::{Ipv4Addr, Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use super::handshake::{self, GOODBYE, HandshakeError, Identity, KEEP_ALIVE, PeerHello, Side, link_frame};
use super::queue::{Popped, Queue};
use super::{Closed, Inbound, InboundEvent, Inbox, Link, LinkError, LinkId, PeerId, Traffic, admit};
use crate::frame::{Frame, FrameError, Kind, MAX_PAYLOAD, ReadError, read_frame, write_frame};

/// Limits of a link.
#[derive(Clone, Copy, Debug)]
pub struct TcpConfig {
    /// The longest wait for one message of the handshake.
    pub handshake: Duration,
    /// Without a sign of life for so long, the peer counts as dead. A keep-alive goes out four times as often.
    pub dead_after: Duration,
    /// Bytes that may wait in the writer's queue before `send` blocks.
    pub queue_bytes: u64,
}

impl Default for TcpConfig {
    fn default() -> TcpConfig {
        TcpConfig {
            handshake: Duration::from_secs(10),
            dead_after: Duration::from_secs(30),
            queue_bytes: MAX_PAYLOAD as u64,
        }
    }
}

/// Why there is no listener or no connection.
#[derive(Debug)]
pub enum TransportError {
    /// The address is not a loopback address.
    NotLoopback {
        /// `binding to` or `connecting to`.
        doing: &'static str,
        /// The address as given.
        addr: String,
    },
    /// The address cannot be read.
    BadAddress {
        /// The address as given.
        addr: String,
    },
    /// Another process listens there.
    PortInUse {
        /// Where.
        addr: SocketAddr,
    },
    /// Nobody listens there.
    Unreachable {
        /// Where.
        addr: SocketAddr,
        /// How long it was tried.
        waited: Duration,
        /// What the system said.
        source: io::Error,
    },
    /// The handshake failed.
    Handshake {
        /// With whom.
        addr: SocketAddr,
        /// Why.
        why: HandshakeError,
    },
    /// Anything else the system reports.
    Io {
        /// What was tried.
        doing: String,
        /// What the system said.
        source: io::Error,
    },
}

impl fmt::Display for TransportError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TransportError::NotLoopback { doing, addr } => {
                let port = addr.rsplit_once(':').map_or("0", |(_, port)| port);
                write!(
                    f,
                    "unsupported: {doing} {addr} — only loopback addresses are allowed in this version, because links \
                     between machines need TLS; use 127.0.0.1:{port}"
                )
            }
            TransportError::BadAddress { addr } => {
                write!(f, "{addr:?} is not an address; write it as 127.0.0.1:PORT (port 0 picks a free one)")
            }
            TransportError::PortInUse { addr } => write!(
                f,
                "port {} of {} is in use by another process; stop that process, choose another port, or use port 0 for \
                 any free one",
                addr.port(),
                addr.ip()
            ),
            TransportError::Unreachable { addr, waited, source } => write!(
                f,
                "nobody answers at {addr} ({source}, tried for {:.1} s); start the worker that should listen there, or \
                 correct the address",
                waited.as_secs_f64()
            ),
            TransportError::Handshake { addr, why } => write!(f, "no link with {addr}: {why}"),
            TransportError::Io { doing, source } => write!(f, "cannot {doing}: {source}"),
        }
    }
}

impl std::error::Error for TransportError {}

fn io_error(doing: impl Into<String>) -> impl FnOnce(io::Error) -> TransportError {
    let doing = doing.into();
    |source| TransportError::Io { doing, source }
}

fn loopback(doing: &'static str, addr: &str) -> Result<SocketAddr, TransportError> {
    let refused = || TransportError::NotLoopback { doing, addr: addr.to_owned() };
    let bad = || TransportError::BadAddress { addr: addr.to_owned() };
    if let Ok(parsed) = addr.parse::<SocketAddr>() {
        return if parsed.ip().is_loopback() { Ok(parsed) } else { Err(refused()) };
    }
    let (host, port) = addr.rsplit_once(':').ok_or_else(bad)?;
    let port = port.parse().map_err(|_| bad())?;
    // Other names are not looked up: what they resolve to may change between check and use.
    match host {
        "" => Err(bad()),
        "localhost" => Ok(SocketAddr::from((Ipv4Addr::LOCALHOST, port))),
        _ => Err(refused()),
    }
}

/// The address, if it is of the loopback interface; every other is refused by name.
pub fn check_loopback(addr: &str) -> Result<SocketAddr, TransportError> {
    loopback("binding to", addr)
}

/// Judges a peer after its handshake was otherwise accepted; a reason refuses it.
pub type PeerCheck = Arc<dyn Fn(&PeerHello) -> Result<(), String> + Send + Sync>;

/// Accepts every peer that knows the token.
pub fn any_peer() -> PeerCheck {
    Arc::new(|_| Ok(()))
}

/// A bound port.
pub struct Listener {
    listener: TcpListener,
    addr: SocketAddr,
    config: TcpConfig,
}

impl Listener {
    /// Binds a loopback address; port 0 picks a free port.
    pub fn bind(addr: &str, config: TcpConfig) -> Result<Listener, TransportError> {
        let wanted = check_loopback(addr)?;
        let listener = TcpListener::bind(wanted).map_err(|source| match source.kind() {
            io::ErrorKind::AddrInUse => TransportError::PortInUse { addr: wanted },
            _ => TransportError::Io { doing: format!("listen at {wanted}"), source },
        })?;
        let addr = listener.local_addr().map_err(io_error("read the bound address"))?;
        Ok(Listener { listener, addr, config })
    }

    /// The address bound, with its real port.
    pub fn addr(&self) -> SocketAddr {
        self.addr
    }

    /// Waits for one connection and shakes hands.
    pub fn accept(&self, me: &Identity, check: &PeerCheck) -> Result<Handshaken, TransportError> {
        let (stream, peer) = self.listener.accept().map_err(io_error(format!("accept at {}", self.addr)))?;
        shake(stream, peer, me, Side::Accepting, check, self.config)
    }

    /// Accepts in the background until the [`Acceptor`] is dropped. `arrived` gets every peer and every failed
    /// handshake, from a thread of its own each, so that a peer that stalls does not hold up the others.
    pub fn serve(
        self,
        me: Identity,
        check: PeerCheck,
        arrived: impl Fn(Result<Handshaken, TransportError>) + Send + Sync + 'static,
    ) -> Result<Acceptor, TransportError> {
        let stop = Arc::new(AtomicBool::new(false));
        let addr = self.addr;
        let stopped = stop.clone();
        let thread = thread::Builder::new()
            .name(format!("accept {addr}"))
            .spawn(move || accept_loop(&self, &me, &check, &Arc::new(arrived), &stopped))
            .map_err(io_error("start a thread"))?;
        Ok(Acceptor { addr, stop, thread: Some(thread) })
    }
}

fn accept_loop<F>(listener: &Listener, me: &Identity, check: &PeerCheck, arrived: &Arc<F>, stop: &AtomicBool)
where
    F: Fn(Result<Handshaken, TransportError>) + Send + Sync + 'static,
{
    loop {
        let accepted = listener.listener.accept();
        if stop.load(Ordering::SeqCst) {
            return;
        }
        let (stream, peer) = match accepted {
            Ok(connection) => connection,
            Err(source) => {
                arrived(Err(TransportError::Io { doing: format!("accept at {}", listener.addr), source }));
                // Such failures (too many open files) last; do not spin on them.
                thread::sleep(Duration::from_millis(100));
                continue;
            }
        };
        let (me, check, to, config) = (me.clone(), check.clone(), arrived.clone(), listener.config);
        let spawned = thread::Builder::new()
            .name(format!("handshake {peer}"))
            .spawn(move || to(shake(stream, peer, &me, Side::Accepting, &check, config)));
        if let Err(source) = spawned {
            arrived(Err(TransportError::Io { doing: "start a thread".to_owned(), source }));
        }
    }
}

/// A listener at work; dropping it stops accepting and frees the port.
pub struct Acceptor {
    addr: SocketAddr,
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Acceptor {
    /// The address bound.
    pub fn addr(&self) -> SocketAddr {
        self.addr
    }
}

impl Drop for Acceptor {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::SeqCst);
        // Wakes the blocking accept. Should even that fail, the thread is left to itself rather than waited for.
        if TcpStream::connect_timeout(&self.addr, Duration::from_secs(1)).is_ok()
            && let Some(thread) = self.thread.take()
        {
            let _ = thread.join();
        }
    }
}

/// Connects to a loopback address and shakes hands, trying for `patience` while nobody listens there.
pub fn connect(
    addr: &str,
    me: &Identity,
    check: &PeerCheck,
    patience: Duration,
    config: TcpConfig,
) -> Result<Handshaken, TransportError> {
    let to = loopback("connecting to", addr)?;
    let begun = Instant::now();
    let stream = loop {
        let source = match TcpStream::connect_timeout(&to, config.handshake) {
            // While nobody listens, a connection attempt can meet its own port and connect to itself.
            Ok(stream) if stream.local_addr().is_ok_and(|local| local == to) => {
                io::Error::from(io::ErrorKind::ConnectionRefused)
            }
            Ok(stream) => break stream,
            Err(e) => e,
        };
        let waited = begun.elapsed();
        if waited >= patience {
            return Err(TransportError::Unreachable { addr: to, waited, source });
        }
        thread::sleep(Duration::from_millis(20).min(patience - waited));
    };
    shake(stream, to, me, Side::Connecting, check, config)
}

fn shake(
    mut stream: TcpStream,
    addr: SocketAddr,
    me: &Identity,
    side: Side,
    check: &PeerCheck,
    config: TcpConfig,
) -> Result<Handshaken, TransportError> {
    let set = |stream: &TcpStream, limit: Duration| {
        stream.set_nodelay(true)?;
        stream.set_read_timeout(Some(limit))?;
        stream.set_write_timeout(Some(limit))
    };
    set(&stream, config.handshake).map_err(io_error("set up a socket"))?;
    match handshake::exchange(&mut stream, me, side, check.as_ref()) {
        Ok(hello) => {
            set(&stream, config.dead_after).map_err(io_error("set up a socket"))?;
            Ok(Handshaken { stream, hello, config })
        }
        Err(why) => {
            linger(&mut stream);
            Err(TransportError::Handshake { addr, why })
        }
    }
}

/// Ends a refused connection so that the refusal still arrives: closing with bytes unread would reset it.
fn linger(stream: &mut TcpStream) {
    let _ = stream.shutdown(Shutdown::Write);
    let _ = stream.set_read_timeout(Some(Duration::from_millis(200)));
    let _ = io::copy(&mut stream.take(64 << 10), &mut io::sink());
}

/// A connection whose two sides accepted each other; no frame is read before [`Handshaken::start`].
pub struct Handshaken {
    stream: TcpStream,
    hello: PeerHello,
    config: TcpConfig,
}

impl fmt::Debug for Handshaken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Handshaken({})", self.hello)
    }
}

impl Handshaken {
    /// Who is at the other end.
    pub fn hello(&self) -> &PeerHello {
        &self.hello
    }

    /// Starts the link's two threads; what arrives goes to `inbox`.
    pub fn start(self, inbox: impl Into<Inbox>) -> Result<TcpLink, TransportError> {
        let inbox = inbox.into();
        let name = self.hello.name.as_str();
        let read = self.stream.try_clone().map_err(io_error("set up a socket"))?;
        let shared = Arc::new(Shared {
            peer: PeerId::new(name),
            link: LinkId::next(),
            stream: self.stream,
            queue: Queue::new(self.config.queue_bytes),
            traffic: Arc::default(),
            why: Mutex::new(None),
            config: self.config,
        });
        let (done, reader_done) = mpsc::channel::<()>();
        // From here on, dropping the link on an early return ends whichever thread has started.
        let mut link = TcpLink { shared: shared.clone(), reader_done, threads: Vec::new() };
        let writer = thread::Builder::new().name(format!("to {name}")).spawn({
            let shared = shared.clone();
            move || shared.write_loop()
        });
        link.threads.push(writer.map_err(io_error("start a thread"))?);
        let reader = thread::Builder::new().name(format!("from {name}")).spawn(move || {
            shared.read_loop(read, &inbox);
            drop(done);
        });
        link.threads.push(reader.map_err(io_error("start a thread"))?);
        Ok(link)
    }
}

/// One end of a TCP link.
pub struct TcpLink {
    shared: Arc<Shared>,
    /// Disconnects when the reader has ended.
    reader_done: Receiver<()>,
    threads: Vec<JoinHandle<()>>,
}

struct Shared {
    peer: PeerId,
    link: LinkId,
    stream: TcpStream,
    queue: Queue,
    traffic: Arc<Traffic>,
    /// The first reason to close; later ones are its consequences.
    why: Mutex<Option<Closed>>,
    config: TcpConfig,
}

fn is_timeout(e: &io::Error) -> bool {
    matches!(e.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut)
}

fn is_reset(e: &io::Error) -> bool {
    matches!(
        e.kind(),
        io::ErrorKind::ConnectionReset | io::ErrorKind::ConnectionAborted | io::ErrorKind::BrokenPipe
    )
}

impl Shared {
    /// Records why the link ends, unless that is known already; the reason on record.
    fn because(&self, why: Closed) -> Closed {
        self.why.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(why).clone()
    }

    /// Wakes both threads and everyone who waits in `send`.
    fn cut(&self) {
        self.queue.abort();
        let _ = self.stream.shutdown(Shutdown::Both);
    }

    fn write_loop(&self) {
        let mut stream = &self.stream;
        let pause = (self.config.dead_after / 4).max(Duration::from_millis(1));
        loop {
            let written = match self.queue.pop(pause) {
                Popped::Frame(frame) => {
                    write_frame(&mut stream, &frame).inspect(|()| self.traffic.sent(frame.wire_len()))
                }
                Popped::Idle => write_frame(&mut stream, &link_frame(KEEP_ALIVE, Vec::new())),
                Popped::Drained => {
                    let _ = write_frame(&mut stream, &link_frame(GOODBYE, Vec::new()));
                    let _ = stream.shutdown(Shutdown::Write);
                    return;
                }
                Popped::Aborted => return,
            };
            match written {
                Ok(()) => {}
                // The reader meets the same end, after whatever the peer still said; the reason is its to give.
                Err(e) if is_reset(&e) => return self.queue.abort(),
                Err(e) => {
                    let after = self.config.dead_after;
                    self.because(if is_timeout(&e) {
                        Closed::Silent { after }
                    } else {
                        Closed::Broken(e.to_string())
                    });
                    return self.cut();
                }
            }
        }
    }

    fn read_loop(&self, mut stream: TcpStream, inbox: &Inbox) {
        let why = self.read_until_end(&mut stream, inbox);
        let why = self.because(why);
        self.cut();
        self.put(inbox, InboundEvent::Closed(why));
    }

    fn put(&self, inbox: &Inbox, what: InboundEvent) -> bool {
        inbox.put(Inbound { peer: self.peer.clone(), link: self.link, what })
    }

    fn read_until_end(&self, stream: &mut TcpStream, inbox: &Inbox) -> Closed {
        loop {
            let frame = match read_frame(stream, MAX_PAYLOAD) {
                Ok(frame) => frame,
                Err(ReadError::End | ReadError::Frame(FrameError::Truncated { .. })) => return Closed::Lost,
                Err(ReadError::Frame(e)) => return Closed::BadFrame(e),
                Err(ReadError::Io(e)) if is_reset(&e) => return Closed::Lost,
                Err(ReadError::Io(e)) if is_timeout(&e) => {
                    return Closed::Silent { after: self.config.dead_after };
                }
                Err(ReadError::Io(e)) => return Closed::Broken(e.to_string()),
            };
            match frame.header.kind {
                Kind::Link if frame.header.sequence == KEEP_ALIVE => {}
                Kind::Link if frame.header.sequence == GOODBYE => return Closed::Goodbye,
                Kind::Link => {
                    return Closed::Broken("a handshake message came after the handshake".to_owned());
                }
                Kind::Data | Kind::Control => {
                    self.traffic.received(frame.wire_len());
                    if !self.put(inbox, InboundEvent::Frame(frame)) {
                        return Closed::Local;
                    }
                }
            }
        }
    }
}

impl TcpLink {
    fn join(&mut self) {
        self.shared.cut();
        for thread in self.threads.drain(..) {
            // An inbox may drop the link from the link's own reader thread.
            if thread.thread().id() != thread::current().id() {
                let _ = thread.join();
            }
        }
    }
}

impl Link for TcpLink {
    fn peer(&self) -> &PeerId {
        &self.shared.peer
    }

    fn id(&self) -> LinkId {
        self.shared.link
    }

    fn send(&mut self, frame: Frame) -> Result<(), LinkError> {
        admit(&frame)?;
        if self.shared.queue.push(frame) {
            return Ok(());
        }
        let why = self.shared.why.lock().unwrap_or_else(PoisonError::into_inner).clone();
        Err(LinkError::Closed { peer: self.shared.peer.clone(), why: why.unwrap_or(Closed::Lost) })
    }

    fn close(&mut self) {
        self.shared.because(Closed::Local);
        self.shared.queue.close();
        // The peer hangs up when it has read the goodbye, and so everything before it; the reader then ends.
        let _ = self.reader_done.recv_timeout(self.shared.config.dead_after);
        self.join();
    }

    fn traffic(&self) -> Arc<Traffic> {
        self.shared.traffic.clone()
    }
}

impl Drop for TcpLink {
    fn drop(&mut self) {
        self.shared.because(Closed::Local);
        self.join();
    }
}
