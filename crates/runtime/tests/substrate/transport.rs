//! Links: the same guarantees in process and over TCP; handshakes that fail do so on both sides, in words.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::sync::mpsc::{self, Receiver};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use pullback_runtime::digest::Digest;
use pullback_runtime::frame::{Frame, FrameError, FrameHeader, Kind, MAX_PAYLOAD};
use pullback_runtime::transport::handshake::{HandshakeError, Identity, Role, new_token};
use pullback_runtime::transport::tcp::{
    Handshaken, Listener, PeerCheck, TcpConfig, TransportError, any_peer, check_loopback, connect,
};
use pullback_runtime::transport::{Closed, Inbound, InboundEvent, Link, LinkError, inproc};

const LONG: Duration = Duration::from_secs(60);

/// An address of its own for tests that free a port and count on nobody else taking it.
const FREED: &str = if cfg!(target_os = "linux") { "127.0.0.77:0" } else { "127.0.0.1:0" };

fn config() -> TcpConfig {
    TcpConfig::default()
}

fn me(name: &str) -> Identity {
    Identity {
        role: Role::Worker,
        name: name.to_owned(),
        plan: Some(Digest::of(b"plan")),
        token: "token".to_owned(),
    }
}

fn frame(transfer: u64, payload: Vec<u8>) -> Frame {
    let mut header = FrameHeader::new(Kind::Data, Digest::of(b"plan"));
    header.transfer = transfer;
    Frame { header, payload }
}

type Shaken = Result<Handshaken, TransportError>;

/// What a handshake comes to on both sides: connecting, accepting.
fn shake(a: Identity, b: Identity, check: PeerCheck) -> (Shaken, Shaken) {
    let listener = Listener::bind("127.0.0.1:0", config()).unwrap();
    let addr = listener.addr().to_string();
    let connecting = thread::spawn(move || connect(&addr, &a, &any_peer(), LONG, config()));
    let accepted = listener.accept(&b, &check);
    (connecting.join().unwrap(), accepted)
}

struct End {
    link: Box<dyn Link>,
    inbox: Receiver<Inbound>,
}

fn tcp_pair(config: TcpConfig) -> (End, End) {
    let listener = Listener::bind("127.0.0.1:0", config).unwrap();
    let addr = listener.addr().to_string();
    let connecting = thread::spawn(move || connect(&addr, &me("a"), &any_peer(), LONG, config).unwrap());
    let accepted = listener.accept(&me("b"), &any_peer()).unwrap();
    let start = |shaken: Handshaken| {
        let (to, inbox) = mpsc::channel();
        End { link: Box::new(shaken.start(to).unwrap()), inbox }
    };
    (start(connecting.join().unwrap()), start(accepted))
}

fn inproc_pair() -> (End, End) {
    let ((to_a, inbox_a), (to_b, inbox_b)) = (mpsc::channel(), mpsc::channel());
    let (a, b) = inproc::pair("a", to_a, "b", to_b);
    (End { link: Box::new(a), inbox: inbox_a }, End { link: Box::new(b), inbox: inbox_b })
}

fn both_kinds() -> [(End, End); 2] {
    [tcp_pair(config()), inproc_pair()]
}

impl End {
    fn next(&self) -> InboundEvent {
        let inbound = self.inbox.recv_timeout(LONG).expect("something comes");
        assert_eq!((&inbound.peer, inbound.link), (self.link.peer(), self.link.id()));
        inbound.what
    }

    fn frame(&self) -> Frame {
        match self.next() {
            InboundEvent::Frame(frame) => frame,
            InboundEvent::Closed(why) => panic!("closed: {why}"),
        }
    }

    fn closed(&self) -> Closed {
        match self.next() {
            InboundEvent::Closed(why) => why,
            InboundEvent::Frame(frame) => panic!("a frame came: {:?}", frame.header),
        }
    }
}

#[test]
fn frames_arrive_in_order_and_are_counted() {
    for (mut a, mut b) in both_kinds() {
        assert_eq!((a.link.peer().name(), b.link.peer().name()), ("b", "a"));
        assert_ne!(a.link.id(), b.link.id());
        for i in 0..200 {
            a.link.send(frame(i, vec![i as u8; i as usize])).unwrap();
        }
        b.link
            .send(Frame {
                header: FrameHeader::new(Kind::Control, Digest::default()),
                payload: b"{}".to_vec(),
            })
            .unwrap();
        for i in 0..200 {
            assert_eq!(b.frame(), frame(i, vec![i as u8; i as usize]));
        }
        assert_eq!(a.frame().payload, b"{}");
        a.link.close();
        assert_eq!((b.closed(), a.closed()), (Closed::Goodbye, Closed::Local));
        let (sent, received) = (a.link.traffic().counts(), b.link.traffic().counts());
        assert_eq!((sent.frames_sent, sent.bytes_sent), (200, 200 * 88 + (0..200).sum::<u64>()));
        assert_eq!((received.frames_received, received.bytes_received), (sent.frames_sent, sent.bytes_sent));
        assert_eq!((received.bytes_sent, sent.bytes_received), (90, 90));
    }
}

#[test]
fn large_frames_in_both_directions_at_once_do_not_wait_for_each_other() {
    // Far more than the queue and the sockets hold; neither side reads its inbox before it has sent everything.
    let small = TcpConfig { queue_bytes: 1 << 20, ..config() };
    let (a, b) = tcp_pair(small);
    let run = |mut end: End, mark: u8| {
        for i in 0..4 {
            end.link.send(frame(i, vec![mark; 12 << 20])).unwrap();
        }
        let other = [1, 0][mark as usize];
        for i in 0..4 {
            let got = end.frame();
            assert_eq!((got.header.transfer, got.payload.len()), (i, 12 << 20));
            assert!(got.payload.iter().all(|&byte| byte == other));
        }
        end
    };
    let other = thread::spawn(move || run(b, 1));
    // An end is kept until the other has everything: dropping it would discard what it still has queued.
    let kept = run(a, 0);
    other.join().unwrap();
    drop(kept);
}

#[test]
fn the_largest_frame_passes_and_a_larger_one_does_not() {
    for (mut a, b) in both_kinds() {
        a.link.send(frame(0, vec![7; MAX_PAYLOAD])).unwrap();
        assert_eq!(b.frame().payload.len(), MAX_PAYLOAD);
        let refused = a.link.send(frame(1, vec![7; MAX_PAYLOAD + 1]));
        assert!(matches!(refused, Err(LinkError::Frame(FrameError::TooLong { .. }))));
        let reserved = Frame { header: FrameHeader::new(Kind::Link, Digest::default()), payload: vec![] };
        assert_eq!(a.link.send(reserved), Err(LinkError::ReservedKind));
        a.link.send(frame(2, vec![])).unwrap();
        assert_eq!(b.frame().header.transfer, 2);
    }
}

#[test]
fn closing_delivers_everything_first() {
    for (mut a, b) in both_kinds() {
        for i in 0..50 {
            a.link.send(frame(i, vec![0; 100_000])).unwrap();
        }
        a.link.close();
        a.link.close();
        for i in 0..50 {
            assert_eq!(b.frame().header.transfer, i);
        }
        assert_eq!(b.closed(), Closed::Goodbye);
        assert!(matches!(a.link.send(frame(9, vec![])), Err(LinkError::Closed { why: Closed::Local, .. })));
        let mut b = b;
        assert!(matches!(b.link.send(frame(9, vec![])), Err(LinkError::Closed { why: Closed::Goodbye, .. })));
        assert!(b.inbox.try_recv().is_err(), "the end of a link is the last thing it says");
    }
}

#[test]
fn both_may_close_at_once() {
    for (a, b) in both_kinds() {
        let close = |mut end: End| {
            end.link.close();
            end.closed()
        };
        let other = thread::spawn(move || close(b));
        let ends = [close(a), other.join().unwrap()];
        assert!(ends.iter().all(|why| matches!(why, Closed::Local | Closed::Goodbye)), "{ends:?}");
    }
}

#[test]
fn a_dropped_link_looks_like_a_crash() {
    for (a, mut b) in both_kinds() {
        drop(a);
        assert_eq!(b.closed(), Closed::Lost);
        assert!(matches!(b.link.send(frame(0, vec![])), Err(LinkError::Closed { why: Closed::Lost, .. })));
    }
}

#[test]
fn a_sender_held_back_is_freed_when_the_peer_dies() {
    let (mut a, b) = tcp_pair(TcpConfig { queue_bytes: 1 << 20, ..config() });
    let sending = thread::spawn(move || {
        loop {
            if let Err(error) = a.link.send(frame(0, vec![0; 1 << 20])) {
                return error;
            }
        }
    });
    b.frame();
    drop(b);
    assert!(matches!(sending.join().unwrap(), LinkError::Closed { why: Closed::Lost, .. }));
}

/// A relay that hands bytes on until it is told to stop, then keeps both connections open in silence.
fn relay(to: String) -> (String, Arc<Mutex<bool>>, mpsc::Sender<()>) {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let addr = listener.local_addr().unwrap().to_string();
    let frozen = Arc::new(Mutex::new(false));
    let (end, ended) = mpsc::channel::<()>();
    let stop = frozen.clone();
    thread::spawn(move || {
        let near = listener.accept().unwrap().0;
        let far = TcpStream::connect(to).unwrap();
        let pump = |mut from: TcpStream, mut to: TcpStream, stop: Arc<Mutex<bool>>| {
            thread::spawn(move || {
                let mut buffer = [0; 4096];
                while let Ok(n @ 1..) = from.read(&mut buffer) {
                    if *stop.lock().unwrap() || to.write_all(&buffer[..n]).is_err() {
                        return;
                    }
                }
            })
        };
        pump(near.try_clone().unwrap(), far.try_clone().unwrap(), stop.clone());
        pump(far.try_clone().unwrap(), near.try_clone().unwrap(), stop);
        let _ = ended.recv();
        drop((near, far));
    });
    (addr, frozen, end)
}

#[test]
fn an_idle_peer_is_alive_and_a_silent_one_is_dead() {
    let quick = TcpConfig { dead_after: Duration::from_secs(2), ..config() };
    let listener = Listener::bind("127.0.0.1:0", quick).unwrap();
    let (addr, frozen, _end) = relay(listener.addr().to_string());
    let connecting = thread::spawn(move || connect(&addr, &me("a"), &any_peer(), LONG, quick).unwrap());
    let (to, inbox) = mpsc::channel();
    let accepted = listener.accept(&me("b"), &any_peer()).unwrap();
    let a = connecting.join().unwrap().start(mpsc::channel().0).unwrap();
    let b = End { link: Box::new(accepted.start(to).unwrap()), inbox };
    // Idle for longer than the limit: keep-alives pass, and are not counted.
    assert!(b.inbox.recv_timeout(Duration::from_secs(3)).is_err());
    assert_eq!(b.link.traffic().counts().bytes_received, 0);
    *frozen.lock().unwrap() = true;
    assert_eq!(b.closed(), Closed::Silent { after: quick.dead_after });
    drop(a);
}

#[test]
fn bytes_changed_on_the_way_end_the_link() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let addr = listener.local_addr().unwrap().to_string();
    let target = Listener::bind("127.0.0.1:0", config()).unwrap();
    let to = target.addr();
    // A relay that flips one byte of the 1 MiB payload.
    thread::spawn(move || {
        let mut near = listener.accept().unwrap().0;
        let mut far = TcpStream::connect(to).unwrap();
        let (mut back_from, mut back_to) = (far.try_clone().unwrap(), near.try_clone().unwrap());
        thread::spawn(move || std::io::copy(&mut back_from, &mut back_to));
        let (mut buffer, mut seen) = ([0; 4096], 0);
        while let Ok(n @ 1..) = near.read(&mut buffer) {
            if (500_000..500_000 + n).contains(&(seen + n)) {
                buffer[0] ^= 1;
            }
            seen += n;
            if far.write_all(&buffer[..n]).is_err() {
                return;
            }
        }
    });
    let connecting = thread::spawn(move || connect(&addr, &me("a"), &any_peer(), LONG, config()).unwrap());
    let (to, inbox) = mpsc::channel();
    let accepted = target.accept(&me("b"), &any_peer()).unwrap();
    let mut a = connecting.join().unwrap().start(mpsc::channel().0).unwrap();
    let b = End { link: Box::new(accepted.start(to).unwrap()), inbox };
    a.send(frame(0, vec![0; 1 << 20])).unwrap();
    assert_eq!(b.closed(), Closed::BadFrame(FrameError::Checksum));
}

/// The messages of a handshake that one side refuses: connecting, accepting.
fn refusal(a: Identity, b: Identity, check: PeerCheck) -> [String; 2] {
    let (connecting, accepting) = shake(a, b, check);
    [connecting.unwrap_err().to_string(), accepting.unwrap_err().to_string()]
}

#[test]
fn a_handshake_tells_who_is_there() {
    let controller = Identity { role: Role::Controller, plan: None, ..me("ctl") };
    let (a, b) = shake(controller, me("w0"), any_peer());
    let (a, b) = (a.unwrap(), b.unwrap());
    assert_eq!((a.hello().role, a.hello().name.as_str()), (Role::Worker, "w0"));
    assert_eq!(a.hello().plan, Some(Digest::of(b"plan")));
    assert_eq!((b.hello().role, b.hello().plan), (Role::Controller, None));
}

#[test]
fn mismatches_are_refused_on_both_sides() {
    let other_plan = Identity { plan: Some(Digest::of(b"edited plan")), ..me("a") };
    for text in refusal(other_plan, me("b"), any_peer()) {
        assert!(text.contains("plan digests differ"), "{text}");
        assert!(text.contains(&Digest::of(b"plan").short()), "{text}");
    }
    let stranger = Identity { token: new_token(), ..me("a") };
    for text in refusal(stranger.clone(), me("b"), any_peer()) {
        assert!(text.contains("session tokens differ"), "{text}");
        assert!(!text.contains(&stranger.token), "a token is never shown");
    }
    for text in refusal(me("a"), me("a"), any_peer()) {
        assert!(text.contains("both sides are called worker \"a\""), "{text}");
    }
    let only_w1: PeerCheck = Arc::new(|hello| {
        if hello.name == "w1" { Ok(()) } else { Err(format!("no worker {:?} in this run", hello.name)) }
    });
    let [connecting, accepting] = refusal(me("a"), me("b"), only_w1);
    assert!(
        connecting.contains("worker \"b\" refused this side: no worker \"a\" in this run"),
        "{connecting}"
    );
    assert!(accepting.contains("refused worker \"a\": no worker \"a\" in this run"), "{accepting}");
    assert_ne!(new_token(), new_token());
}

/// What accepting comes to when a stranger sends `bytes`, and what the stranger gets back.
fn stranger(bytes: &[u8], config: TcpConfig) -> (HandshakeError, Vec<u8>) {
    let listener = Listener::bind("127.0.0.1:0", config).unwrap();
    let mut stream = TcpStream::connect(listener.addr()).unwrap();
    stream.write_all(bytes).unwrap();
    let error = match listener.accept(&me("b"), &any_peer()) {
        Err(TransportError::Handshake { why, .. }) => why,
        other => panic!("{other:?}"),
    };
    let mut answer = Vec::new();
    let _ = stream.read_to_end(&mut answer);
    (error, answer)
}

#[test]
fn strangers_are_refused_before_they_can_do_harm() {
    let request =
        b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nUser-Agent: something-with-a-long-name\r\nAccept: */*\r\n\r\n";
    let (error, answer) = stranger(request, config());
    assert!(matches!(error, HandshakeError::NotAPeer(FrameError::BadMagic { .. })), "{error}");
    assert!(!String::from_utf8_lossy(&answer).contains("token"), "the token does not cross the wire");

    // Another version: both sides read the other's hello and say so.
    let mut other =
        Frame { header: FrameHeader::new(Kind::Link, Digest::default()), payload: vec![] }.encode().unwrap();
    other[4] = 2;
    let (error, answer) = stranger(&other, config());
    assert!(error.to_string().contains("unsupported frame version 2"), "{error}");
    assert_eq!(answer[4], 1, "our hello states our version");

    // A hello of 64 MiB is not even begun.
    let mut huge =
        Frame { header: FrameHeader::new(Kind::Link, Digest::default()), payload: vec![] }.encode().unwrap();
    huge[76..80].copy_from_slice(&(MAX_PAYLOAD as u32).to_le_bytes());
    assert!(matches!(stranger(&huge, config()).0, HandshakeError::NotAPeer(FrameError::TooLong { .. })));

    // A data frame before the handshake.
    let early = frame(0, vec![1]).encode().unwrap();
    assert!(stranger(&early, config()).0.to_string().contains("out of turn"));

    let quick = TcpConfig { handshake: Duration::from_millis(50), ..config() };
    assert_eq!(stranger(b"", quick).0, HandshakeError::Timeout);
}

#[test]
fn only_loopback_is_bound_or_connected_to() {
    for addr in ["0.0.0.0:7000", "192.168.1.5:7000", "[::]:7000", "example.org:7000"] {
        let text = Listener::bind(addr, config()).err().unwrap().to_string();
        assert!(text.starts_with(&format!("unsupported: binding to {addr} — only loopback")), "{text}");
        assert!(text.contains("use 127.0.0.1:7000"), "{text}");
        let text = connect(addr, &me("a"), &any_peer(), LONG, config()).unwrap_err().to_string();
        assert!(text.starts_with(&format!("unsupported: connecting to {addr}")), "{text}");
    }
    for addr in ["127.0.0.1:7000", "127.8.9.1:7000", "[::1]:7000", "localhost:7000"] {
        assert_eq!(check_loopback(addr).unwrap().port(), 7000);
    }
    for addr in ["", "7000", ":7000", "127.0.0.1", "127.0.0.1:port", "127.0.0.1:70000"] {
        assert!(matches!(check_loopback(addr), Err(TransportError::BadAddress { .. })), "{addr}");
    }
}

#[test]
fn a_port_in_use_is_named() {
    let first = Listener::bind("127.0.0.1:0", config()).unwrap();
    let text = Listener::bind(&first.addr().to_string(), config()).err().unwrap().to_string();
    assert!(text.contains(&format!("port {}", first.addr().port())) && text.contains("in use"), "{text}");
    assert!(text.contains("port 0"), "{text}");
}

#[test]
fn an_absent_peer_is_waited_for_and_then_named() {
    let listener = Listener::bind(FREED, config()).unwrap();
    let addr = listener.addr().to_string();
    drop(listener);
    let text =
        connect(&addr, &me("a"), &any_peer(), Duration::from_millis(100), config()).unwrap_err().to_string();
    assert!(text.contains(&format!("nobody answers at {addr}")), "{text}");

    // One that comes later is found.
    let to = addr.clone();
    let connecting = thread::spawn(move || connect(&to, &me("a"), &any_peer(), LONG, config()));
    thread::sleep(Duration::from_millis(100));
    let listener = Listener::bind(&addr, config()).unwrap();
    assert!(listener.accept(&me("b"), &any_peer()).is_ok());
    assert!(connecting.join().unwrap().is_ok());
}

#[test]
fn a_stalled_stranger_does_not_hold_up_the_others() {
    let listener = Listener::bind(FREED, config()).unwrap();
    let addr = listener.addr().to_string();
    let (to, arrived) = mpsc::channel();
    let acceptor = listener.serve(me("ctl"), any_peer(), move |peer| drop(to.send(peer))).unwrap();
    let stalled = TcpStream::connect(acceptor.addr()).unwrap();
    let mut ends = Vec::new();
    for name in ["w0", "w1", "w2"] {
        ends.push(connect(&addr, &me(name), &any_peer(), LONG, config()).unwrap());
        let peer = arrived.recv_timeout(LONG).unwrap().unwrap();
        assert_eq!(peer.hello().name, name);
    }
    drop(stalled);
    assert!(matches!(arrived.recv_timeout(LONG).unwrap(), Err(TransportError::Handshake { .. })));
    drop(acceptor);
    // Another test may have been given the port meanwhile, and gives it back.
    let free = |_| {
        thread::sleep(Duration::from_millis(20));
        Listener::bind(&addr, config()).is_ok()
    };
    assert!((0..250).any(free), "the port is free again");
}
