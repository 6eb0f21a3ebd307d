//! The worker: a state machine that follows its device's event list.
//!
//! `step(Input)` runs until the device must wait for a frame or the step is complete, and says what to send.
//! Entry state changes only on `Commit`; `Abort` forgets the step in progress. Frames may come early, late, twice
//! or in any order: each has one place (attempt, step, collective, number) and is taken only there.

mod protocol;
mod rehearse;
mod turns;

pub use protocol::{BatchSource, Effect, Input, NoPace, Pace, StepReport, WorkerError};

use super::arena::Arena;
use super::deploy::Deployed;
use super::nan::has_nan;
use super::owners::{Owned, held, owners};
use super::ring::Ring;
use crate::frame::{Expected, Frame, FrameHeader, Kind};
use pullback_base::Id;
use pullback_ir::DType;
use pullback_ir::region::Region;
use pullback_plan::{AxisId, BufferId, CollectiveId, Coord, DeviceId, Digest, Event};
use std::collections::BTreeMap;
use std::ops::Range;
use std::time::Duration;

/// A list being followed: position, and the loop it is the body of.
struct Cursor {
    /// Path of indices to the list: which event of each enclosing list is the loop.
    path: Vec<usize>,
    at: usize,
    axis: Option<AxisId>,
}

/// A collective in progress.
struct RunningRing {
    ring: Ring,
    id: CollectiveId,
    from: DeviceId,
    to: DeviceId,
    /// Byte ranges of its buffers.
    reads: Vec<Range<usize>>,
    writes: Vec<Range<usize>>,
}

struct Running {
    step: u64,
    attempt: u32,
    coord: Coord,
    stack: Vec<Cursor>,
    /// How often each collective was begun in this step.
    begun: BTreeMap<CollectiveId, u64>,
    /// The collective in progress and how often it was begun, as its frames name it: members need not run what they do
    /// not share in one order.
    transfer: u64,
    ring: Option<RunningRing>,
    outputs: Vec<(usize, Vec<u8>)>,
    compute: Duration,
    sent: BTreeMap<DeviceId, u64>,
}

/// Where a frame belongs, in order of use.
type Place = (u32, u64, u64, u32);

/// A device following its plan.
pub struct Worker {
    deployed: Deployed,
    arena: Arena,
    batches: Box<dyn BatchSource>,
    pace: Box<dyn Pace>,
    owned: Vec<Owned>,
    epoch: Option<u64>,
    running: Option<Running>,
    prepared: Option<(u64, Vec<BufferId>)>,
    attempt: u32,
    inbox: BTreeMap<DeviceId, BTreeMap<Place, Frame>>,
}

/// Frames of one sender that may wait at once; more is a broken peer.
const INBOX_MAX: usize = 1 << 16;

impl Worker {
    /// A worker without state.
    pub fn new(
        deployed: Deployed,
        batches: Box<dyn BatchSource>,
        pace: Box<dyn Pace>,
    ) -> Result<Self, WorkerError> {
        let bytes = deployed.mine().arena as usize;
        let arena = Arena::new(bytes).ok_or_else(|| {
            WorkerError::Failed(format!(
                "the machine has not {} MiB of memory for the plan's arena",
                bytes >> 20
            ))
        })?;
        let me = deployed.device();
        let owned = owners(deployed.plan(), deployed.step(), &|_| true)
            .ok_or_else(|| WorkerError::Failed("the plan's devices do not hold all state".into()))?;
        let owned = owned.into_iter().filter(|o| o.device == me).collect();
        Ok(Self {
            deployed,
            arena,
            batches,
            pace,
            owned,
            epoch: None,
            running: None,
            prepared: None,
            attempt: 0,
            inbox: BTreeMap::new(),
        })
    }

    /// The compiled plan.
    pub fn deployed(&self) -> &Deployed {
        &self.deployed
    }

    /// The epoch of the state, once there is one.
    pub fn epoch(&self) -> Option<u64> {
        self.epoch
    }

    /// The held region and bytes of a state slot at the current epoch.
    pub fn state(&self, slot: usize) -> Option<(Region, &[u8])> {
        self.epoch?;
        let b = *self.deployed.mine().entry.get(slot)?;
        let coord = self.home();
        let region = self.deployed.region(b, &coord).ok()?;
        let range = self.deployed.range(b, &coord).ok()?;
        Some((region, self.arena.view(range)))
    }

    fn home(&self) -> Coord {
        self.deployed.plan().mesh.place(self.deployed.device()).coord.clone()
    }

    /// Takes an input; gives what to do.
    pub fn step(&mut self, input: Input) -> Result<Vec<Effect>, WorkerError> {
        let mut effects = Vec::new();
        match input {
            Input::State { epoch, slots } => self.set_state(epoch, &slots)?,
            Input::Begin { step, attempt } => {
                self.begin(step, attempt)?;
                self.advance(&mut effects)?;
            }
            Input::Frame { from, frame } => {
                self.keep(from, frame)?;
                self.advance(&mut effects)?;
            }
            Input::Commit { epoch } => self.commit(epoch)?,
            Input::Abort { attempt } => {
                self.running = None;
                self.prepared = None;
                self.attempt = self.attempt.max(attempt);
                self.forget_before(0);
            }
        }
        Ok(effects)
    }

    fn set_state(&mut self, epoch: u64, slots: &[Vec<u8>]) -> Result<(), WorkerError> {
        if self.running.is_some() {
            return Err(WorkerError::Protocol("state given in the middle of a step".into()));
        }
        let entry = self.deployed.mine().entry.clone();
        if slots.len() != entry.len() {
            return Err(WorkerError::Protocol(format!(
                "{} state slots given, the plan has {}",
                slots.len(),
                entry.len()
            )));
        }
        let coord = self.home();
        for (k, (&b, bytes)) in entry.iter().zip(slots).enumerate() {
            let range = self.range(b, &coord)?;
            if range.len() != bytes.len() {
                let name = &self.deployed.plan().signature.state[k].name;
                return Err(WorkerError::Protocol(format!(
                    "state {name} has {} bytes here, got {}",
                    range.len(),
                    bytes.len()
                )));
            }
            self.arena.view_mut(range).copy_from_slice(bytes);
        }
        self.epoch = Some(epoch);
        self.prepared = None;
        Ok(())
    }

    fn begin(&mut self, step: u64, attempt: u32) -> Result<(), WorkerError> {
        if self.running.is_some() || self.prepared.is_some() || self.epoch.is_none() {
            return Err(WorkerError::Protocol(format!(
                "step {step} begun while another is open or without state"
            )));
        }
        if attempt < self.attempt {
            return Err(WorkerError::Protocol(format!(
                "attempt {attempt} begun after attempt {}",
                self.attempt
            )));
        }
        self.attempt = attempt;
        self.forget_before(step);
        self.running = Some(Running {
            step,
            attempt,
            coord: self.home(),
            stack: vec![Cursor { path: Vec::new(), at: 0, axis: None }],
            begun: BTreeMap::new(),
            transfer: 0,
            ring: None,
            outputs: Vec::new(),
            compute: Duration::ZERO,
            sent: BTreeMap::new(),
        });
        Ok(())
    }

    /// Drops waiting frames of earlier attempts, and of earlier steps of this one.
    fn forget_before(&mut self, step: u64) {
        let from = (self.attempt, step, 0, 0);
        for queue in self.inbox.values_mut() {
            *queue = queue.split_off(&from);
        }
    }

    /// Puts a frame in its place; old and repeated ones are dropped.
    fn keep(&mut self, from: DeviceId, frame: Frame) -> Result<(), WorkerError> {
        let h = &frame.header;
        if h.kind != Kind::Data || h.plan != self.deployed.digest() {
            return Err(WorkerError::Refused(format!(
                "from {from}: plan {} is not the plan in force, {}",
                h.plan.short(),
                self.deployed.digest().short()
            )));
        }
        if h.attempt < self.attempt {
            return Ok(());
        }
        let place = (h.attempt, h.step, h.transfer, h.sequence);
        if let Some(r) = &self.running
            && (h.attempt, h.step) < (r.attempt, r.step)
        {
            return Ok(());
        }
        let queue = self.inbox.entry(from).or_default();
        if queue.len() >= INBOX_MAX {
            return Err(WorkerError::Refused(format!("from {from}: {INBOX_MAX} frames wait already")));
        }
        queue.entry(place).or_insert(frame);
        Ok(())
    }

    fn range(&self, b: BufferId, coord: &Coord) -> Result<Range<usize>, WorkerError> {
        self.deployed.range(b, coord).map_err(|e| WorkerError::Failed(e.to_string()))
    }

    /// Follows the list until it must wait.
    fn advance(&mut self, effects: &mut Vec<Effect>) -> Result<(), WorkerError> {
        while self.running.is_some() {
            if !self.drain_ring(effects)? {
                return Ok(());
            }
            let Some(event) = self.next_event() else {
                return self.prepare(effects);
            };
            self.perform(event, effects)?;
        }
        Ok(())
    }

    /// The list a cursor is in.
    fn list(&self, path: &[usize]) -> &[Event] {
        let mut list = &self.deployed.mine().events[..];
        for &i in path {
            match &list[i] {
                Event::Loop { body, .. } => list = body,
                Event::Load { .. }
                | Event::Compute { .. }
                | Event::Combine { .. }
                | Event::Collect { .. }
                | Event::Collective { .. }
                | Event::Free { .. }
                | Event::Commit { .. }
                | Event::Output { .. } => unreachable!("a path goes through loops"),
            }
        }
        list
    }

    /// The next event, loops entered and left on the way; none at the end of the step.
    fn next_event(&mut self) -> Option<Event> {
        loop {
            let (path, at, axis) = {
                let c = self.running.as_ref()?.stack.last()?;
                (c.path.clone(), c.at, c.axis)
            };
            let event = self.list(&path).get(at).cloned();
            let turns = axis.map_or(0, |a| self.deployed.plan().mesh.axis(a).size);
            let r = self.running.as_mut()?;
            match event {
                None => {
                    let axis = axis?;
                    let turn = &mut r.coord[axis.index()];
                    *turn += 1;
                    if *turn < turns {
                        r.stack.last_mut()?.at = 0;
                    } else {
                        *turn = 0;
                        r.stack.pop();
                    }
                }
                Some(Event::Loop { axis, .. }) => {
                    r.stack.last_mut()?.at += 1;
                    r.coord[axis.index()] = 0;
                    r.stack.push(Cursor { path: [&path[..], &[at]].concat(), at: 0, axis: Some(axis) });
                }
                Some(event) => {
                    r.stack.last_mut()?.at += 1;
                    return Some(event);
                }
            }
        }
    }

    fn perform(&mut self, event: Event, effects: &mut Vec<Effect>) -> Result<(), WorkerError> {
        let (coord, step) = match &self.running {
            Some(r) => (r.coord.clone(), r.step),
            None => return Ok(()),
        };
        match event {
            Event::Load { slot, into } => {
                let region =
                    self.deployed.region(into, &coord).map_err(|e| WorkerError::Failed(e.to_string()))?;
                let range = self.range(into, &coord)?;
                let out = self.arena.view_mut(range);
                self.batches.load(step, slot, &region, out).map_err(WorkerError::Failed)
            }
            Event::Compute { template, inputs, outputs } => {
                let writes = outputs.iter().map(|&b| self.range(b, &coord)).collect::<Result<Vec<_>, _>>()?;
                let overlap = || WorkerError::Failed(format!("{template}: buffers overlap"));
                let call = self.deployed.call(template, &inputs, &outputs, &coord);
                let call = call.ok_or_else(|| WorkerError::Failed(format!("{template} was not compiled")))?;
                call.args.copy(&self.arena, call.aside);
                let split = self.arena.split(&call.args.ranges(), &writes);
                let (mut args, mut results) = split.ok_or_else(overlap)?;
                call.args.place(&mut args, call.aside);
                let mut result = Ok(());
                let took = self.pace.run(&mut || result = call.executable.run(&args, &mut results));
                if let Some(r) = &mut self.running {
                    r.compute += took;
                }
                result.map_err(|e| WorkerError::Failed(format!("{template}: {e}")))
            }
            Event::Combine { from, into, axis } => self.combine(from, into, axis, &coord),
            Event::Collect { from, into, .. } => self.collect(from, into, &coord),
            Event::Collective { id, inputs, outputs } => {
                self.start_ring(id, inputs, outputs, &coord, effects)
            }
            Event::Free { .. } | Event::Loop { .. } => Ok(()),
            Event::Output { slot, from } => {
                let range = self.range(from, &coord)?;
                let bytes = self.arena.view(range).to_vec();
                if let Some(r) = &mut self.running {
                    r.outputs.push((slot, bytes));
                }
                Ok(())
            }
            Event::Commit { next } => {
                let epoch = self.epoch.unwrap_or(0) + 1;
                self.prepared = Some((epoch, next));
                Ok(())
            }
        }
    }

    fn start_ring(
        &mut self,
        id: CollectiveId,
        inputs: Vec<BufferId>,
        outputs: Vec<BufferId>,
        coord: &Coord,
        effects: &mut Vec<Effect>,
    ) -> Result<(), WorkerError> {
        let setup = self
            .deployed
            .ring(id, coord)
            .cloned()
            .ok_or_else(|| WorkerError::Failed(format!("{id} was not set up")))?;
        let reads = inputs.iter().map(|&b| self.range(b, coord)).collect::<Result<Vec<_>, _>>()?;
        let writes = outputs.iter().map(|&b| self.range(b, coord)).collect::<Result<Vec<_>, _>>()?;
        let overlap = || WorkerError::Failed(format!("{id}: buffers overlap"));
        let (args, mut results) = self.arena.split(&reads, &writes).ok_or_else(overlap)?;
        let (from, to) = (setup.from, setup.to);
        let (ring, sends) = Ring::start(setup.plan, &args, &mut results);
        let dtype = ring.dtype();
        if let Some(r) = &mut self.running {
            let begun = r.begun.entry(id).or_default();
            *begun += 1;
            r.transfer = (id.index() as u64) << 32 | *begun;
            r.ring = Some(RunningRing { ring, id, from, to, reads, writes });
        }
        for (sequence, payload) in sends {
            self.send(to, dtype, sequence, payload, effects);
        }
        Ok(())
    }

    fn send(
        &mut self,
        to: DeviceId,
        dtype: DType,
        sequence: u32,
        payload: Vec<u8>,
        effects: &mut Vec<Effect>,
    ) {
        let mut header = FrameHeader::new(Kind::Data, self.deployed.digest());
        header.epoch = self.epoch.unwrap_or(0);
        header.dtype = dtype_code(dtype);
        header.sequence = sequence;
        if let Some(r) = &mut self.running {
            (header.step, header.attempt, header.transfer) = (r.step, r.attempt, r.transfer);
            *r.sent.entry(to).or_default() += payload.len() as u64;
        }
        effects.push(Effect::Send { to, frame: Frame { header, payload } });
    }

    /// Feeds waiting frames to the collective in progress; whether none is in progress any more.
    fn drain_ring(&mut self, effects: &mut Vec<Effect>) -> Result<bool, WorkerError> {
        loop {
            let Some(r) = &mut self.running else { return Ok(true) };
            let Some(k) = &mut r.ring else { return Ok(true) };
            let Some((sequence, len)) = k.ring.expects() else {
                r.ring = None;
                return Ok(true);
            };
            let (id, from, to, dtype) = (k.id, k.from, k.to, k.ring.dtype());
            let place = (r.attempt, r.step, r.transfer, sequence);
            let Some(frame) = self.inbox.get_mut(&from).and_then(|q| q.remove(&place)) else {
                return Ok(false);
            };
            let expected = Expected {
                plan: self.deployed.digest(),
                kind: Kind::Data,
                domain: 0,
                step: r.step,
                epoch: self.epoch.unwrap_or(0),
                attempt: r.attempt,
                transfer: r.transfer,
                chunk: sequence,
                dtype: dtype_code(dtype),
                length: len,
            };
            frame
                .expect(&expected)
                .map_err(|e| WorkerError::Refused(format!("from {from} for {id}: {e}")))?;
            let split = self.arena.split(&k.reads, &k.writes);
            let (reads, mut writes) =
                split.ok_or_else(|| WorkerError::Failed(format!("{id}: buffers overlap")))?;
            if let Some((sequence, payload)) = k.ring.take(frame.payload, &reads, &mut writes) {
                self.send(to, dtype, sequence, payload, effects);
            }
        }
    }

    /// Ends the step: hashes what this device answers for and reports.
    fn prepare(&mut self, effects: &mut Vec<Effect>) -> Result<(), WorkerError> {
        let Some(r) = self.running.take() else { return Ok(()) };
        let Some((epoch, next)) = &self.prepared else {
            return Err(WorkerError::Failed("the plan's list ended without a commit".into()));
        };
        let digest = self.digest_of(next, &r.coord)?;
        let nan = self.nan_in(next, &r.coord)?;
        effects.push(Effect::Prepared(StepReport {
            step: r.step,
            epoch: *epoch,
            outputs: r.outputs,
            digest,
            nan,
            compute: r.compute,
            sent: r.sent,
        }));
        Ok(())
    }

    /// Hash of the parts that this device answers for, in slot order, as they are in one buffer per slot.
    fn digest_of(&self, slots: &[BufferId], coord: &Coord) -> Result<Digest, WorkerError> {
        let mut hasher = blake3::Hasher::new();
        for o in &self.owned {
            hasher.update(self.arena.view(self.range(slots[o.slot], coord)?));
        }
        Ok(Digest::from(hasher.finalize()))
    }

    /// The first slot with a NaN in the parts that this device answers for.
    fn nan_in(&self, slots: &[BufferId], coord: &Coord) -> Result<Option<usize>, WorkerError> {
        for o in &self.owned {
            let dtype = self.deployed.step().ty(self.deployed.mine().buffers[slots[o.slot]].value).dtype();
            if has_nan(dtype, self.arena.view(self.range(slots[o.slot], coord)?)) {
                return Ok(Some(o.slot));
            }
        }
        Ok(None)
    }

    /// Hash of the parts of the current state that this device answers for: what its report of the step that led
    /// to this state said. Fails without state.
    pub fn state_digest(&self) -> Result<Digest, WorkerError> {
        if self.epoch.is_none() {
            return Err(WorkerError::Protocol("there is no state to hash".into()));
        }
        self.digest_of(&self.deployed.mine().entry, &self.home())
    }

    fn commit(&mut self, epoch: u64) -> Result<(), WorkerError> {
        let Some((ready, next)) = self.prepared.take().filter(|p| p.0 == epoch) else {
            return Err(WorkerError::Protocol(format!(
                "epoch {epoch} committed, but it is not prepared here"
            )));
        };
        let coord = self.home();
        let entry = self.deployed.mine().entry.clone();
        // All next values are read before any entry is written: a next buffer may be another slot's entry.
        let mut moved = Vec::with_capacity(next.len());
        for (&b, &e) in next.iter().zip(&entry) {
            if b != e {
                let aliased = entry.contains(&b);
                moved.push((
                    b,
                    e,
                    if aliased { Some(self.arena.view(self.range(b, &coord)?).to_vec()) } else { None },
                ));
            }
        }
        for (b, e, copy) in moved {
            let (read, write) = (self.range(b, &coord)?, self.range(e, &coord)?);
            match copy {
                Some(bytes) => self.arena.view_mut(write).copy_from_slice(&bytes),
                None => {
                    let split = self.arena.split(&[read], &[write]);
                    let (reads, mut writes) =
                        split.ok_or_else(|| WorkerError::Failed(format!("{b} and {e} overlap")))?;
                    writes[0].copy_from_slice(reads[0]);
                }
            }
        }
        self.epoch = Some(ready);
        Ok(())
    }

    /// The parts of the state that this device answers for among `alive` devices, at the current epoch; `None`
    /// when those devices do not hold all state.
    pub fn answers_for(&self, alive: &dyn Fn(DeviceId) -> bool) -> Option<Vec<Owned>> {
        let all = owners(self.deployed.plan(), self.deployed.step(), alive)?;
        Some(all.into_iter().filter(|o| o.device == self.deployed.device()).collect())
    }

    /// The region of each state slot that this device holds.
    pub fn regions(&self) -> Option<Vec<Region>> {
        let plan = self.deployed.plan();
        (0..plan.signature.state.len())
            .map(|k| held(plan, self.deployed.step(), self.deployed.device(), k))
            .collect()
    }
}

/// The dtype code of frames: 1 + position among all element types.
pub fn dtype_code(dtype: DType) -> u8 {
    1 + DType::ALL.iter().position(|d| *d == dtype).unwrap_or(0) as u8
}
