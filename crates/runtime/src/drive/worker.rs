//! A worker process: listens, takes its part of a plan, and follows it.
//!
//! Must hold: the plan is checked again here before anything is compiled; one thread computes, the links' threads
//! move frames meanwhile; the process (or the session, when it keeps listening) ends when its controller's
//! connection does.

use super::store;
use crate::checkpoint::{self, ShardInfo};
use crate::control::{self, Deploy, FromWorker, Origin, ToWorker};
use crate::exec::owners::Owned;
use crate::exec::{BatchSource, Deployed, Pace, Worker};
use crate::frame::{Frame, Kind};
use crate::process::exit_when_parent_dies;
use crate::session::{Host, Session, SessionEffect, SessionInput, named};
use crate::transport::handshake::{Identity, PeerHello, Role};
use crate::transport::tcp::{
    Handshaken, Listener, PeerCheck, TcpConfig, TcpLink, TransportError, any_peer, connect,
};
use crate::transport::{Closed, Inbound, InboundEvent, Inbox, Link, LinkError, LinkId};
use pullback_ir::Program;
use pullback_ir::region::Region;
use pullback_plan::{Deployment, DeviceId, Digest, Plan, Strategy};
use std::collections::BTreeMap;
use std::fmt;
use std::io::Write;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, Sender};
use std::time::{Duration, Instant};

/// The variable that carries the session token to workers.
pub const TOKEN_ENV: &str = "PULLBACK_TOKEN";

/// How a worker listens.
#[derive(Clone, Debug)]
pub struct WorkerOptions {
    /// Loopback address to listen at; port 0 lets the system choose.
    pub listen: String,
    /// Its name in logs; the device's name comes with the plan.
    pub name: String,
    /// What every process of the run knows; [`WorkerOptions::new`] takes it from [`TOKEN_ENV`].
    pub token: String,
    /// Whether to end when stdin does: the parent holds the other end.
    pub parent: bool,
    /// Whether to wait for the next controller when one has gone.
    pub keep_listening: bool,
    /// How long to try to reach a peer; all of them listen before any is told of the others.
    pub patience: Duration,
    /// Limits of links.
    pub tcp: TcpConfig,
}

impl WorkerOptions {
    /// A worker that listens at an address, serves one controller, and belongs to no parent.
    pub fn new(listen: &str) -> Self {
        Self {
            listen: listen.to_owned(),
            name: format!("worker at {listen}"),
            token: std::env::var(TOKEN_ENV).unwrap_or_default(),
            parent: false,
            keep_listening: false,
            patience: Duration::from_secs(2),
            tcp: TcpConfig::default(),
        }
    }
}

/// What a worker computes with, made from the run's setup.
pub struct WorkerSetup {
    /// The data.
    pub batches: Box<dyn BatchSource>,
    /// Initial bytes of a region of a state slot: compact, row-major, little-endian.
    pub init: Box<dyn Fn(usize, &Region) -> Vec<u8>>,
}

/// Makes a [`WorkerSetup`] from the opaque setup, the step program and the plan.
pub type Make<'a> = dyn Fn(&serde_json::Value, &Program, &Plan) -> Result<WorkerSetup, String> + 'a;

/// Why a worker ended.
#[derive(Debug)]
pub enum ServeError {
    /// It cannot listen.
    Transport(TransportError),
    /// It could not go on; the controller was told the same.
    Failed(String),
    /// The controller's connection ended before the run did.
    ControllerLost(Closed),
    /// The system refused something.
    Io(std::io::Error),
}

impl fmt::Display for ServeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ServeError::Transport(e) => e.fmt(f),
            ServeError::Failed(message) => f.write_str(message),
            ServeError::ControllerLost(why) => write!(f, "the controller's connection ended: {why}"),
            ServeError::Io(e) => write!(f, "the worker cannot write to its standard output: {e}"),
        }
    }
}

impl std::error::Error for ServeError {}

enum Event {
    Arrived(Result<Handshaken, TransportError>),
    In(Inbound),
}

/// Listens, says where in one line on stdout, and serves.
pub fn serve(options: &WorkerOptions, make: &Make<'_>) -> Result<(), ServeError> {
    if options.parent {
        exit_when_parent_dies();
    }
    let listener = Listener::bind(&options.listen, options.tcp).map_err(ServeError::Transport)?;
    let addr = listener.addr();
    let (to, events) = mpsc::channel();
    let busy = Arc::new(AtomicBool::new(false));
    let me =
        Identity { role: Role::Worker, name: options.name.clone(), plan: None, token: options.token.clone() };
    let check: PeerCheck = Arc::new({
        let busy = busy.clone();
        move |peer: &PeerHello| match peer.role {
            Role::Controller if busy.swap(true, Ordering::SeqCst) => {
                Err("this worker serves another run; wait for it to end or start another worker".to_owned())
            }
            Role::Controller | Role::Worker => Ok(()),
        }
    });
    let arrived = to.clone();
    // Whoever comes after this thread has ended finds nobody to serve it; that is all a failed send means.
    let _acceptor = listener
        .serve(me, check, move |peer| drop(arrived.send(Event::Arrived(peer))))
        .map_err(ServeError::Transport)?;
    let mut out = std::io::stdout();
    writeln!(out, "listening on {addr}").and_then(|()| out.flush()).map_err(ServeError::Io)?;
    loop {
        let ended = Serving::new(options, make, to.clone(), &busy).run(&events);
        busy.store(false, Ordering::SeqCst);
        match ended {
            ended if !options.keep_listening => return ended,
            Ok(()) => eprintln!("the run has ended; waiting for the next at {addr}"),
            Err(why) => eprintln!("{why}; waiting for the next run at {addr}"),
        }
    }
}

/// One run's worth of serving.
struct Serving<'a> {
    options: &'a WorkerOptions,
    session: Session,
    host: ProcessHost<'a>,
    to: Sender<Event>,
    busy: &'a AtomicBool,
    controller: Option<TcpLink>,
    /// Links that others opened, by the name of who did; only read.
    incoming: BTreeMap<String, TcpLink>,
    /// Links to devices this one sends to, with the incarnation they lead to.
    outgoing: BTreeMap<DeviceId, (TcpLink, String, u64)>,
    plan: Digest,
    told: u32,
}

impl<'a> Serving<'a> {
    fn new(options: &'a WorkerOptions, make: &'a Make<'a>, to: Sender<Event>, busy: &'a AtomicBool) -> Self {
        Self {
            options,
            session: Session::new(),
            host: ProcessHost { make, setup: None },
            to,
            busy,
            controller: None,
            incoming: BTreeMap::new(),
            outgoing: BTreeMap::new(),
            plan: Digest::default(),
            told: 0,
        }
    }

    fn run(&mut self, events: &Receiver<Event>) -> Result<(), ServeError> {
        // The acceptor holds a sender, so the channel outlives this loop.
        while let Ok(event) = events.recv() {
            let done = match event {
                Event::Arrived(Ok(peer)) => self.welcome(peer),
                Event::Arrived(Err(why)) => {
                    eprintln!("a connection failed: {why}");
                    // It may have been a controller that counted as accepted.
                    self.busy.store(self.controller.is_some(), Ordering::SeqCst);
                    Ok(false)
                }
                Event::In(inbound) => self.take(inbound),
            };
            match done {
                Ok(false) => {}
                Ok(true) => return Ok(()),
                Err(why) => {
                    if let ServeError::Failed(message) = &why {
                        self.tell(&FromWorker::Failed { message: message.clone() });
                        if let Some(link) = &mut self.controller {
                            link.close();
                        }
                    }
                    return Err(why);
                }
            }
        }
        Ok(())
    }

    fn inbox(&self) -> Inbox {
        let to = self.to.clone();
        Inbox::new(move |inbound| to.send(Event::In(inbound)).is_ok())
    }

    fn welcome(&mut self, peer: Handshaken) -> Result<bool, ServeError> {
        let (role, name) = (peer.hello().role, peer.hello().name.clone());
        let link = peer.start(self.inbox()).map_err(ServeError::Transport)?;
        match role {
            Role::Controller => self.controller = Some(link),
            // A peer that was restarted opens a new link; the old one is dropped.
            Role::Worker => drop(self.incoming.insert(name, link)),
        }
        Ok(false)
    }

    fn take(&mut self, inbound: Inbound) -> Result<bool, ServeError> {
        let is = |link: &TcpLink| link.id() == inbound.link;
        if self.controller.as_ref().is_some_and(is) {
            return match inbound.what {
                InboundEvent::Frame(frame) => self.control(&frame),
                InboundEvent::Closed(why) => Err(ServeError::ControllerLost(why)),
            };
        }
        match inbound.what {
            InboundEvent::Frame(frame) if frame.header.kind == Kind::Data => {
                if !self.incoming.get(inbound.peer.name()).is_some_and(is) {
                    return Ok(false);
                }
                let Some(plan) = self.session.worker().map(|w| w.deployed().plan()) else { return Ok(false) };
                let Some(from) = named(plan, inbound.peer.name()) else { return Ok(false) };
                self.follow(SessionInput::Data { from, frame })
            }
            InboundEvent::Frame(_) => Ok(false),
            InboundEvent::Closed(why) => {
                self.closed(inbound.link, &why);
                Ok(false)
            }
        }
    }

    /// A link to a peer has ended: the controller must hear of it if this device sends over it.
    fn closed(&mut self, link: LinkId, why: &Closed) {
        let Some(device) = self.outgoing.iter().find(|(_, o)| o.0.id() == link).map(|(&d, _)| d) else {
            return;
        };
        if let Some((_, name, generation)) = self.outgoing.remove(&device) {
            self.tell(&FromWorker::PeerLost { name, generation, why: why.to_string() });
        }
    }

    fn control(&mut self, frame: &Frame) -> Result<bool, ServeError> {
        let message: ToWorker = control::decode(frame).map_err(ServeError::Failed)?;
        if let ToWorker::Deploy(_) = &message {
            self.plan = frame.header.plan;
        }
        self.follow(SessionInput::Control(message))
    }

    fn follow(&mut self, input: SessionInput) -> Result<bool, ServeError> {
        let effects = self.session.step(input, &mut self.host);
        for effect in effects.map_err(|e| ServeError::Failed(e.to_string()))? {
            match effect {
                SessionEffect::Tell(message) => self.tell(&message),
                SessionEffect::Send { to, frame } => self.send(to, frame),
                SessionEffect::Connect { device, name, at } => self.connect(device, name, &at)?,
                SessionEffect::Finish => {
                    if let Some(link) = &mut self.controller {
                        link.close();
                    }
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }

    fn tell(&mut self, message: &FromWorker) {
        self.told += 1;
        let Some(link) = &mut self.controller else { return };
        let sent = control::encode(message, self.plan, self.told);
        let sent = sent.and_then(|frame| link.send(frame).map_err(|e| e.to_string()));
        if let Err(why) = sent {
            // The link's end reaches this loop as an event of its own.
            eprintln!("the controller was not told: {why}");
        }
    }

    fn send(&mut self, to: DeviceId, frame: Frame) {
        // Without a link the controller knows that the peer is lost, and will abandon the step.
        let Some((link, _, _)) = self.outgoing.get_mut(&to) else { return };
        match link.send(frame) {
            Ok(()) => {}
            Err(LinkError::Closed { why, .. }) => {
                let id = link.id();
                self.closed(id, &why);
            }
            Err(e @ (LinkError::Frame(_) | LinkError::ReservedKind)) => {
                self.tell(&FromWorker::Failed { message: e.to_string() });
            }
        }
    }

    fn connect(
        &mut self,
        device: DeviceId,
        name: String,
        at: &control::PeerAddress,
    ) -> Result<(), ServeError> {
        self.outgoing.remove(&device);
        let plan = self.session.worker().map(|w| w.deployed().plan());
        let own = plan.zip(self.session.worker()).map(|(p, w)| &p.mesh.place(w.deployed().device()).device);
        let me = Identity {
            role: Role::Worker,
            name: own.cloned().unwrap_or_default(),
            plan: Some(self.plan),
            token: self.options.token.clone(),
        };
        let linked = connect(&at.address, &me, &any_peer(), self.options.patience, self.options.tcp);
        match linked.and_then(|peer| peer.start(self.inbox())) {
            Ok(link) => {
                self.outgoing.insert(device, (link, name, at.generation));
            }
            Err(why) => {
                let generation = at.generation;
                self.tell(&FromWorker::PeerLost { name, generation, why: why.to_string() });
            }
        }
        Ok(())
    }
}

/// Checks, compiles, reads and writes for a session of a process.
struct ProcessHost<'a> {
    make: &'a Make<'a>,
    setup: Option<Box<dyn Fn(usize, &Region) -> Vec<u8>>>,
}

impl Host for ProcessHost<'_> {
    fn deploy(&mut self, d: &Deploy) -> Result<Worker, String> {
        let at = |what: &str, why: &dyn fmt::Display| format!("the {what} received cannot be used: {why}");
        let strategy = Strategy::parse(&d.strategy).map_err(|e| at("strategy", &e))?;
        let deployment = Deployment::parse(&d.deployment).map_err(|e| at("deployment", &e))?;
        let step = pullback_ir::text::parse(&d.step).map_err(|e| at("step program", &e))?;
        let plan = pullback_plan::text::parse(&d.plan).map_err(|e| at("plan", &e))?;
        let checked = pullback_checker::check(&step, &strategy, &deployment, plan).map_err(|found| {
            let first = found.first().map(|v| v.to_string()).unwrap_or_default();
            format!("the plan received breaks {} rules, the first: {first}", found.len())
        })?;
        let spec = deployment.device(&d.device);
        let spec = spec.ok_or_else(|| format!("device {:?} is not in the deployment", d.device))?;
        let device = named(checked.plan(), &d.device);
        let device = device.ok_or_else(|| format!("device {:?} is not in the plan's mesh", d.device))?;
        let setup = (self.make)(&d.setup, &step, checked.plan())?;
        self.setup = Some(setup.init);
        let pace = Box::new(Throttle { factor: spec.throttle });
        let deployed = Deployed::new(Arc::new(checked), Arc::new(step), &deployment, device)
            .map_err(|e| e.to_string())?;
        Worker::new(deployed, setup.batches, pace).map_err(|e| e.to_string())
    }

    fn load(
        &mut self,
        worker: &Worker,
        epoch: u64,
        from: &Origin,
        regions: &[Region],
    ) -> Result<Vec<Vec<u8>>, String> {
        match (from, &self.setup) {
            (Origin::Init, Some(init)) => Ok(regions.iter().enumerate().map(|(k, r)| init(k, r)).collect()),
            (Origin::Init, None) => Err("initial state asked for before the deployment".into()),
            (Origin::Checkpoint(path), _) => {
                let checkpoint = checkpoint::open(Path::new(path)).map_err(|e| e.to_string())?;
                let found = checkpoint.manifest().epoch;
                if found != epoch {
                    return Err(format!("the checkpoint {path} is of epoch {found}, not {epoch}"));
                }
                store::read(worker, &checkpoint, regions)
            }
        }
    }

    fn write_shard(&mut self, worker: &Worker, dir: &str, parts: &[Owned]) -> Result<ShardInfo, String> {
        store::write(worker, Path::new(dir), parts)
    }
}

/// Makes a device slower by sleeping after each computation.
struct Throttle {
    factor: f64,
}

impl Pace for Throttle {
    fn run(&mut self, compute: &mut dyn FnMut()) -> Duration {
        let begun = Instant::now();
        compute();
        let took = begun.elapsed();
        if self.factor > 1.0 {
            std::thread::sleep(took.mul_f64(self.factor - 1.0));
        }
        begun.elapsed()
    }
}
