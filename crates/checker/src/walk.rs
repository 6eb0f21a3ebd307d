//! The walk: all devices run their lists symbolically, every turn of every loop, meeting in collectives.
//!
//! It keeps a [`Cell`] per buffer and derives from each event what it writes. It stops at the bound on steps or on
//! findings, or when no device can go on. Ops of templates are in `compute`, collectives and combines in
//! `combine`.

use crate::facts::Facts;
use crate::state::{Cell, Content, Family, FamilyTerm, Interner, NumberTerm};
use crate::violation::{At, Fault, Report};
use pullback_base::{Id, IdMap};
use pullback_ir::region::Region;
use pullback_ir::{Monoid, Value};
use pullback_plan::{AxisId, Buffer, BufferId, CollectiveId, Coord, DeviceId, DevicePlan, Event, TemplateId};
use std::collections::{BTreeMap, BTreeSet};

/// Most symbolic steps (ops, events, comparisons of pieces) of one plan.
pub const MAX_STEPS: u64 = 4_000_000;

/// The list a device is in: its own or a loop's body.
pub(crate) struct Frame<'a> {
    events: &'a [Event],
    next: usize,
    /// The loop's axis, turn and number of turns.
    pub axis: Option<AxisId>,
    pub turn: usize,
    turns: usize,
    /// Written in this turn.
    defined: BTreeSet<BufferId>,
    /// Combined or collected into over the turns.
    sums: BTreeSet<BufferId>,
}

/// How long a write lasts.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Lasts {
    Turn,
    Loop,
}

/// A collective a device waits in, with the turns at which it got there.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Call<'a> {
    pub id: CollectiveId,
    turns: Vec<(AxisId, usize)>,
    pub inputs: &'a [BufferId],
    pub outputs: &'a [BufferId],
}

/// A device's symbolic state.
pub(crate) struct Device<'a> {
    pub id: DeviceId,
    pub plan: &'a DevicePlan,
    /// Position of the first device of the same kind.
    pub kind: usize,
    pub coord: Coord,
    pub frames: Vec<Frame<'a>>,
    pub cells: IdMap<BufferId, Cell>,
    pub call: Option<Call<'a>>,
    commits: usize,
    /// Buffers of the next epoch, per slot, and what they hold.
    next: Vec<(BufferId, Option<Content>)>,
}

impl<'a> Frame<'a> {
    fn new(events: &'a [Event], axis: Option<AxisId>, turns: usize) -> Self {
        Self { events, next: 0, axis, turn: 0, turns, defined: BTreeSet::new(), sums: BTreeSet::new() }
    }
}

impl Device<'_> {
    fn turns(&self) -> Vec<(AxisId, usize)> {
        self.frames.iter().filter_map(|f| Some((f.axis?, f.turn))).collect()
    }

    /// Whether a loop over the axis is open.
    pub fn is_open(&self, axis: AxisId) -> bool {
        self.frames.iter().any(|f| f.axis == Some(axis))
    }

    /// Whether two buffers share a byte. Ends are within the arena or saturate.
    pub fn overlap(&self, a: BufferId, b: BufferId) -> bool {
        let (a, b): (&Buffer, &Buffer) = (&self.plan.buffers[a], &self.plan.buffers[b]);
        let (low, high) = if a.offset <= b.offset { (a, b) } else { (b, a) };
        a.bytes.min(b.bytes) > 0 && low.offset.saturating_add(low.bytes) > high.offset
    }

    /// Whether it holds state at entry or what was committed.
    pub fn is_state(&self, b: BufferId) -> bool {
        self.plan.entry.contains(&b) || self.next.iter().any(|&(n, _)| n == b)
    }
}

/// What the walk shares between devices.
pub(crate) struct Walk<'a, 'r> {
    pub facts: &'a Facts<'a>,
    pub report: &'r mut Report,
    pub numbers: Interner<NumberTerm>,
    pub families: Interner<FamilyTerm>,
    /// Which temporaries die after each op of a template.
    pub deaths: IdMap<TemplateId, Vec<Vec<Value>>>,
    outputs: Vec<usize>,
    steps: u64,
}

/// Walks the plan.
pub(crate) fn run(facts: &Facts, report: &mut Report) {
    let mut walk = Walk {
        facts,
        report,
        numbers: Interner::new(),
        families: Interner::new(),
        deaths: crate::compute::deaths(facts),
        outputs: vec![0; facts.plan.signature.outputs.len()],
        steps: 0,
    };
    let mut devices: Vec<Device> = facts.plan.devices.ids().map(|id| walk.enter(id)).collect();
    loop {
        devices.iter_mut().for_each(|d| walk.advance(d));
        if walk.is_stopped() {
            return;
        }
        if devices.iter().all(|d| d.frames.is_empty()) {
            return walk.finish(&devices);
        }
        if !walk.meet(&mut devices) {
            return walk.stuck(&devices);
        }
    }
}

impl<'a> Walk<'a, '_> {
    /// Where a device is.
    pub fn at(&self, d: &Device) -> At {
        At {
            event: d.frames.iter().map(|f| f.next.saturating_sub(1)).collect(),
            turns: d.turns().into_iter().map(|(a, turn)| (self.facts.axis(a), turn)).collect(),
            ..At::device(d.id)
        }
    }

    pub fn fault(&mut self, d: &Device, fault: Fault) {
        self.report.push(self.at(d), fault);
    }

    /// Counts steps; at the bound the walk stops.
    pub fn spend(&mut self, steps: usize) {
        let was = self.steps;
        self.steps = was.saturating_add(steps as u64);
        if was <= MAX_STEPS && self.steps > MAX_STEPS {
            self.report.push(At::plan(), Fault::P5TooLong { steps: MAX_STEPS });
        }
    }

    pub fn is_stopped(&self) -> bool {
        self.steps > MAX_STEPS || self.report.is_full()
    }

    /// A device at the start of a step, with its state.
    fn enter(&mut self, id: DeviceId) -> Device<'a> {
        let plan = self.facts.plan;
        let kind_of = |d: DeviceId| self.facts.device(d).map(|d| &d.kind);
        // A device that does not exist has been reported and is of the first one's kind.
        let kind =
            plan.mesh.devices().position(|d| kind_of(d) == kind_of(id)).filter(|_| kind_of(id).is_some());
        let device = &plan.devices[id];
        let mut d = Device {
            id,
            plan: device,
            kind: kind.unwrap_or(0),
            coord: plan.mesh.place(id).coord.clone(),
            frames: Vec::new(),
            cells: IdMap::filled(device.buffers.len(), Cell::Empty),
            call: None,
            commits: 0,
            next: Vec::new(),
        };
        for (slot, &b) in device.entry.iter().enumerate() {
            if let Some(&a) = device.entry[..slot].iter().find(|&&a| d.overlap(a, b)) {
                self.fault(&d, Fault::P6Overlap { a, b });
            }
            let Buffer { value, layout, .. } = &device.buffers[b];
            let region = self.facts.region(*value, layout, &d.coord);
            let number = self.numbers.number(NumberTerm::Entry(slot, region.clone()));
            let content = Content { value: *value, region, family: None, number };
            let holds = self.claim_holds(&d, b, &content, None);
            d.cells[b] = if holds { Cell::Holds(content) } else { Cell::Unknown };
        }
        d.frames.push(Frame::new(&device.events, None, 1));
        d
    }

    /// Runs a device until it waits in a collective or ends.
    fn advance(&mut self, d: &mut Device<'a>) {
        while d.call.is_none() && !self.is_stopped() {
            self.spend(1);
            let Some(frame) = d.frames.last_mut() else { return };
            match frame.events.get(frame.next) {
                Some(event) => {
                    frame.next += 1;
                    self.event(d, event);
                }
                None => self.end_turn(d),
            }
        }
    }

    /// What a turn wrote is gone after it; what a loop combined or collected belongs to the turn around it.
    fn end_turn(&mut self, d: &mut Device<'a>) {
        let Some(frame) = d.frames.last_mut() else { return };
        for b in std::mem::take(&mut frame.defined) {
            d.cells[b] = Cell::Empty;
        }
        frame.turn += 1;
        frame.next = 0;
        if let Some(axis) = frame.axis {
            d.coord[axis.index()] = if frame.turn < frame.turns { frame.turn } else { 0 };
        }
        if frame.turn < frame.turns {
            return;
        }
        let (sums, turns) = (std::mem::take(&mut frame.sums), frame.turns);
        d.frames.pop();
        for &b in &sums {
            let Cell::Partial { total, turns: t, pieces, .. } = &d.cells[b] else { continue };
            let whole = match *t == turns {
                true => self.whole(total, pieces),
                false => Err(Fault::P8Turn { buffer: b, turn: *t }),
            };
            d.cells[b] = whole.map_or_else(
                |fault| {
                    self.fault(d, fault);
                    Cell::Unknown
                },
                Cell::Holds,
            );
        }
        if let Some(outer) = d.frames.last_mut() {
            outer.defined.extend(sums);
        }
    }

    fn event(&mut self, d: &mut Device<'a>, event: &'a Event) {
        match event {
            Event::Load { slot, into } => self.load(d, *slot, *into),
            Event::Compute { template, inputs, outputs } => self.compute(d, *template, inputs, outputs),
            Event::Combine { from, into, axis } => self.take_turn(d, *from, *into, *axis, false),
            Event::Collect { from, into, axis } => self.take_turn(d, *from, *into, *axis, true),
            Event::Collective { id, inputs, outputs } => {
                d.call = Some(Call { id: *id, turns: d.turns(), inputs, outputs });
            }
            Event::Loop { axis, body } => {
                if d.is_open(*axis) {
                    let (axis, why) = (self.facts.axis(*axis), "it is inside another over it");
                    return self.fault(d, Fault::P1Loop { axis, why });
                }
                d.frames.push(Frame::new(body, Some(*axis), self.facts.plan.mesh.axis(*axis).size));
            }
            Event::Free { buffer } => self.free(d, *buffer),
            Event::Commit { next } => self.commit(d, next),
            Event::Output { slot, from } => self.output(d, *slot, *from),
        }
    }

    /// What a buffer holds, if it may be read. Reported where not, once.
    pub fn read(&mut self, d: &Device, b: BufferId) -> Option<Content> {
        let fault = match &d.cells[b] {
            Cell::Holds(content) => return Some(content.clone()),
            Cell::Unknown => return None,
            Cell::Empty => Fault::P1Undefined { name: b.to_string() },
            Cell::Partial { .. } => Fault::P8Incomplete { buffer: b },
            Cell::Overwritten(by) => Fault::P6Overwritten { buffer: b, by: *by },
            Cell::Freed => Fault::P6Freed { buffer: b },
            Cell::Past => Fault::P11Past { buffer: b },
        };
        self.fault(d, fault);
        None
    }

    /// Writes a buffer: takes the bytes, compares the claim. `None` is content that could not be derived.
    pub fn write(&mut self, d: &mut Device, b: BufferId, content: Option<Content>, lasts: Lasts) {
        let fresh = d.cells[b] == Cell::Empty;
        if !fresh && !d.is_state(b) && d.cells[b] != Cell::Unknown {
            self.fault(d, Fault::P1Redefined { name: b.to_string() });
        }
        self.take_bytes(d, b);
        let content = content.filter(|c| self.claim_holds(d, b, c, None));
        if !d.is_state(b) {
            d.cells[b] = content.map_or(Cell::Unknown, Cell::Holds);
            self.keep(d, b, lasts);
        }
    }

    /// Remembers when a written buffer goes.
    pub fn keep(&self, d: &mut Device, b: BufferId, lasts: Lasts) {
        let Some(frame) = d.frames.last_mut() else { return };
        let set = if lasts == Lasts::Turn { &mut frame.defined } else { &mut frame.sums };
        set.insert(b);
    }

    /// Buffers that share bytes with `b` lose what they hold; state must not.
    pub fn take_bytes(&mut self, d: &mut Device, b: BufferId) {
        self.spend(1 + d.cells.len() / 64);
        if d.is_state(b) {
            self.fault(d, Fault::P6State { buffer: b, by: b });
        }
        for other in d.cells.ids() {
            let alive = matches!(d.cells[other], Cell::Holds(_) | Cell::Partial { .. } | Cell::Past);
            if other == b || !alive || !d.overlap(other, b) {
                continue;
            }
            if d.is_state(other) {
                self.fault(d, Fault::P6State { buffer: other, by: b });
            } else {
                d.cells[other] = Cell::Overwritten(b);
            }
        }
    }

    /// An event that reads `inputs` and writes `outputs` at once does so in different places.
    pub fn apart(&mut self, d: &Device, inputs: &[BufferId], outputs: &[BufferId]) {
        self.spend(outputs.len() * (inputs.len() + outputs.len()) / 64);
        if self.is_stopped() {
            return;
        }
        for (i, &b) in outputs.iter().enumerate() {
            if let Some(&a) = inputs.iter().chain(&outputs[..i]).find(|&&a| a == b || d.overlap(a, b)) {
                self.fault(d, Fault::P6Overlap { a, b });
            }
        }
    }

    /// Whether a buffer's claim and bytes agree with derived content; `closing` is a time axis combined away.
    pub fn claim_holds(&mut self, d: &Device, b: BufferId, c: &Content, closing: Option<AxisId>) -> bool {
        let (facts, buffer) = (self.facts, &d.plan.buffers[b]);
        let cut = buffer.layout.dims.iter().flat_map(|&cut| facts.cut_axes(cut));
        let axes: Vec<AxisId> = cut.chain(facts.real(buffer.layout.pending_axes())).collect();
        let is_shut = |a: &&AxisId| facts.plan.mesh.is_time(**a) && (!d.is_open(**a) || Some(**a) == closing);
        if let Some(&axis) = axes.iter().find(is_shut) {
            self.fault(d, Fault::P2TimeAxis { buffer: b, axis: facts.axis(axis) });
            return false;
        }
        let region = facts.region(buffer.value, &buffer.layout, &d.coord);
        let pending = facts.pending(&buffer.layout);
        let derived = c.family.as_ref().map(|f| (f.monoid, f.axes.clone()));
        if buffer.value != c.value || region != c.region || pending != derived {
            let describe = |value: Value, region: &Region, pending: &Option<(Monoid, Vec<AxisId>)>| {
                let over = pending.as_ref().map(|(m, axes)| format!(" pending {m}({})", facts.axes(axes)));
                format!("{value} {region}{}", over.unwrap_or_default())
            };
            let claimed = describe(buffer.value, &region, &pending);
            let derived = describe(c.value, &c.region, &derived);
            self.fault(d, Fault::P2Claim { buffer: b, claimed, derived });
            return false;
        }
        let needed = facts.bytes(buffer.value, &region);
        if buffer.bytes < needed {
            self.fault(d, Fault::P2Bytes { buffer: b, reserved: buffer.bytes, needed });
            return false;
        }
        true
    }

    fn load(&mut self, d: &mut Device, slot: usize, into: BufferId) {
        let facts = self.facts;
        let buffer = &d.plan.buffers[into];
        let arg = facts.step.args()[facts.plan.signature.batch[slot].arg];
        let fault = |why: String| Fault::P11Load { slot, why };
        let mut content = None;
        if buffer.value != arg {
            self.fault(d, fault(format!("{into} is for {}, the slot is {arg}", buffer.value)));
        } else if facts.pending(&buffer.layout).is_some() {
            self.fault(d, fault(format!("{into} claims a contribution, the data are whole")));
        } else {
            let region = facts.region(arg, &buffer.layout, &d.coord);
            let number = self.numbers.number(NumberTerm::Load(slot, region.clone()));
            content = Some(Content { value: arg, region, family: None, number });
        }
        self.write(d, into, content, Lasts::Turn);
    }

    fn free(&mut self, d: &mut Device, b: BufferId) {
        if d.is_state(b) {
            return self.fault(d, Fault::P6FreeOfState { buffer: b });
        }
        match d.cells[b] {
            Cell::Empty => self.fault(d, Fault::P1Undefined { name: b.to_string() }),
            Cell::Freed => self.fault(d, Fault::P6Freed { buffer: b }),
            Cell::Holds(_) | Cell::Partial { .. } | Cell::Overwritten(_) | Cell::Past | Cell::Unknown => {
                d.cells[b] = Cell::Freed;
            }
        }
    }

    fn commit(&mut self, d: &mut Device, next: &[BufferId]) {
        if d.frames.len() > 1 {
            // Whatever is committed there is of no interest.
            d.commits = 1;
            return self.fault(d, Fault::P17InLoop {});
        }
        d.commits += 1;
        if d.commits > 1 {
            return;
        }
        let (facts, entry) = (self.facts, &d.plan.entry);
        let mut committed = Vec::with_capacity(next.len());
        for (slot, &b) in next.iter().enumerate() {
            let (buffer, enters) = (&d.plan.buffers[b], &d.plan.buffers[entry[slot]]);
            let wanted = facts.step.results()[facts.plan.signature.state[slot].result];
            let content = self.read(d, b);
            let wrong = if buffer.value != wanted {
                Some(format!("must become {wanted}, but {b} is for {}", buffer.value))
            } else if !facts.same_layout(&buffer.layout, &enters.layout) {
                Some("does not leave in the layout in which it enters".into())
            } else if content.as_ref().is_some_and(|c| c.family.is_some()) {
                Some("is still a contribution".into())
            } else if entry[slot] != b && entry.contains(&b) {
                // A committed buffer is copied over its slot's, so it must not be another slot's.
                Some(format!("is in {b}, where another slot enters"))
            } else {
                None
            };
            if let Some(why) = wrong {
                self.fault(d, Fault::P15Slot { slot: facts.state(slot), why });
            }
            committed.push((b, content));
        }
        for &b in entry {
            if !next.contains(&b) {
                d.cells[b] = Cell::Past;
            }
        }
        d.next = committed;
    }

    fn output(&mut self, d: &Device, slot: usize, from: BufferId) {
        self.outputs[slot] += 1;
        let wanted = self.facts.step.results()[self.facts.plan.signature.outputs[slot].result];
        let Some(c) = self.read(d, from) else { return };
        let why = if c.value != wanted {
            format!("is {wanted}, {from} holds {}", c.value)
        } else if c.family.is_some() {
            "is written from a contribution".into()
        } else if !c.region.is_full(self.facts.step.ty(wanted).shape()) {
            format!("is written from a part, {}", c.region)
        } else {
            return;
        };
        self.fault(d, Fault::P9Value { output: slot, why });
    }

    /// Lets every group whose members all wait in one call go on; whether there was one.
    fn meet(&mut self, devices: &mut [Device<'a>]) -> bool {
        let mut met = false;
        for i in 0..devices.len() {
            let Some(call) = devices[i].call.clone() else { continue };
            self.spend(1 + self.facts.plan.collectives[call.id].groups.len() / 16);
            let group = group_of(self.facts, call.id, devices[i].id);
            let here = |d: &DeviceId| {
                let other = devices[d.index()].call.as_ref();
                other.is_some_and(|c| (c.id, &c.turns) == (call.id, &call.turns))
            };
            // The first member speaks for its group.
            if group.first() == Some(&devices[i].id) && group.iter().all(here) {
                self.collective(devices, call.id, group);
                for d in group {
                    devices[d.index()].call = None;
                }
                met = true;
            }
        }
        met
    }

    /// Nobody can go on: says who waits for whom.
    fn stuck(&mut self, devices: &[Device]) {
        for d in devices {
            let Some(call) = &d.call else { continue };
            for &member in group_of(self.facts, call.id, d.id) {
                let other = &devices[member.index()];
                let (collective, id) = (call.id, call.id);
                let unmatched = |instead: String| Fault::P4Unmatched { collective, member, instead };
                let fault = match &other.call {
                    None => unmatched("has ended".into()),
                    Some(c) if c.id == id && c.turns == call.turns => continue,
                    Some(c) if c.id == id => unmatched("is there in another turn".into()),
                    Some(c) if group_of(self.facts, c.id, member).contains(&d.id) => {
                        unmatched(format!("waits for it in {}", c.id))
                    }
                    Some(c) => Fault::P5Deadlock { collective, member, waits_for: c.id },
                };
                self.fault(d, fault);
            }
        }
    }

    /// What must have happened when all have ended.
    fn finish(&mut self, devices: &[Device]) {
        for (output, &times) in self.outputs.iter().enumerate().filter(|(_, n)| **n != 1) {
            self.report.push(At::plan(), Fault::P9Count { output, times });
        }
        for d in devices.iter().filter(|d| d.commits != 1) {
            self.report.push(At::device(d.id), Fault::P17Commits { times: d.commits });
        }
        for slot in 0..self.facts.plan.signature.state.len() {
            let mut first: BTreeMap<&Region, (DeviceId, u32)> = BTreeMap::new();
            for d in devices {
                let Some((_, Some(c))) = d.next.get(slot) else { continue };
                let &mut (other, number) = first.entry(&c.region).or_insert((d.id, c.number));
                if number != c.number && !c.region.is_empty() {
                    let (slot, region) = (self.facts.state(slot), c.region.clone());
                    self.report.push(At::device(d.id), Fault::P16Replicas { slot, region, other });
                }
            }
        }
    }

    /// What is left of a family after combining over axes.
    pub fn rest(&mut self, family: &Family, over: &[AxisId]) -> Option<Family> {
        let axes: Vec<AxisId> = family.axes.iter().copied().filter(|a| !over.contains(a)).collect();
        let term = FamilyTerm::Combined { of: family.id, over: over.to_vec() };
        (!axes.is_empty()).then(|| Family { id: self.families.number(term), monoid: family.monoid, axes })
    }
}

/// The members of a device's group; every device has one where tables are sound.
fn group_of<'a>(facts: &Facts<'a>, id: CollectiveId, d: DeviceId) -> &'a [DeviceId] {
    facts.plan.collectives[id].groups.iter().find(|g| g.contains(&d)).map_or(&[], Vec::as_slice)
}
