//! What is wrong with a plan: a place, a fault with typed operands, and its rule.
//!
//! Texts are made here, on display, nowhere else. Findings are collected up to a bound, each once.

use crate::rule::Rule;
use pullback_ir::region::Region;
use pullback_ir::{DType, InstrId, Monoid, Value};
use pullback_plan::{BufferId, CollectiveId, CutId, DeviceId, Digest, TemplateId};
use serde::ser::{Serialize, SerializeStruct, Serializer};
use std::fmt;

/// Most findings reported about one plan.
pub const MAX_VIOLATIONS: usize = 50;

/// A place in a plan.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct At {
    /// The device, when it is about one.
    pub device: Option<DeviceId>,
    /// Position in the device's event list, then in the body of the loop there, and so on.
    pub event: Vec<usize>,
    /// Turns of the enclosing loops, by axis.
    pub turns: Vec<(String, usize)>,
    /// A part of the plan outside event lists: `c3`, `t1`, `identity`.
    pub part: Option<String>,
    /// The op of the step program.
    pub op: Option<InstrId>,
}

impl At {
    /// The plan as a whole.
    pub fn plan() -> Self {
        Self::default()
    }

    /// A named part of the plan.
    pub fn part(part: impl ToString) -> Self {
        Self { part: Some(part.to_string()), ..Self::default() }
    }

    /// A device.
    pub fn device(device: DeviceId) -> Self {
        Self { device: Some(device), ..Self::default() }
    }

    /// The same place, at an op.
    pub fn op(mut self, op: InstrId) -> Self {
        self.op = Some(op);
        self
    }
}

impl fmt::Display for At {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut parts = Vec::new();
        parts.extend(self.device.map(|d| d.to_string()));
        if !self.event.is_empty() {
            let path: Vec<String> = self.event.iter().map(usize::to_string).collect();
            parts.push(format!("event {}", path.join(".")));
        }
        parts.extend(self.turns.iter().map(|(a, t)| format!("{a}={t}")));
        parts.extend(self.part.clone());
        parts.extend(self.op.map(|i| format!("op {i}")));
        f.write_str(&if parts.is_empty() { "plan".into() } else { parts.join(" ") })
    }
}

/// Declares the faults: name, rule, operands, what is wrong, what to do.
macro_rules! faults {
    ($($id:ident $rule:ident { $($field:ident: $ty:ty),* } $reason:literal $help:literal)+) => {
        /// One way to break a rule, with its operands.
        #[derive(Clone, PartialEq, Eq, Debug)]
        #[allow(missing_docs)]
        pub enum Fault { $($id { $($field: $ty),* }),+ }

        impl Fault {
            /// The variant's name, for machines.
            pub fn name(&self) -> &'static str {
                match self { $(Fault::$id { .. } => stringify!($id)),+ }
            }

            fn text(&self) -> (Rule, String, &'static str) {
                match self { $(Fault::$id { $($field),* } => (Rule::$rule, format!($reason), $help)),+ }
            }
        }
    };
}

faults! {
    P1Unknown P1 { what: &'static str, name: String }
        "{what} {name} does not exist"
        "name one that the plan defines"
    P1Count P1 { what: &'static str, want: usize, got: usize }
        "{got} {what} where {want} belong"
        "give one for each"
    P1Mesh P1 { why: String }
        "the mesh is not a grid of devices: {why}"
        "list axes of at least one coordinate and one device per space coordinate, row-major"
    P1Signature P1 { why: String }
        "the signature does not fit the step program: {why}"
        "give each argument and result exactly one role"
    P1Undefined P1 { name: String }
        "{name} is used before anything wrote it"
        "write it earlier; what a turn of a loop wrote is gone after the turn unless combined or collected"
    P1Redefined P1 { name: String }
        "{name} is written, or listed, a second time"
        "use a buffer of its own for each result, and list each name once"
    P1Loop P1 { axis: String, why: &'static str }
        "a loop over {axis}: {why}"
        "loop over a time axis, once at a time"
    P2Value P2 { buffer: BufferId, holds: Value, wanted: Value }
        "{buffer} is for {holds}, but {wanted} belongs here"
        "pass the buffer of that value"
    P2CutSize P2 { cut: CutId, cuts: usize, what: String, size: usize }
        "{cut} cuts 0..{cuts}, but {what} has size {size}"
        "use a cut table of that size"
    P2Layout P2 { value: Value, why: String }
        "a layout of {value} {why}"
        "let each axis cut one dimension, or be pending, or replicate"
    P2Claim P2 { buffer: BufferId, claimed: String, derived: String }
        "{buffer} claims {claimed}, but what is written there is {derived}"
        "claim what the event gives, or insert a collective"
    P2Bytes P2 { buffer: BufferId, reserved: u64, needed: u64 }
        "{buffer} reserves {reserved} bytes for {needed}"
        "reserve the bytes of the largest region it holds"
    P2TimeAxis P2 { buffer: BufferId, axis: String }
        "{buffer} is laid out over time axis {axis} outside a loop over it"
        "move the event into the loop"
    P3Needs P3 { value: Value, needs: Region, holds: Region }
        "needs {needs} of {value}, finds only {holds}"
        "gather the operand first, or cut the op as the operand is cut"
    P3NotLinear P3 { op: &'static str, pending: String }
        "{op} reads contributions to {pending}, in which it is not linear: its results would not add up"
        "combine the contributions first (all-reduce or combine)"
    P3Mixed P3 { a: Value, b: Value }
        "{a} and {b} are contributions over different axes, or not sums"
        "combine one of them first"
    P3CutOfPending P3 { axis: String }
        "the op is cut by {axis} and reads contributions over {axis}; all pairs would be owed"
        "combine the operand over that axis first"
    P3AxisTwice P3 { axis: String }
        "{axis} cuts two factors of one op, so what is off the diagonal is computed nowhere"
        "let each axis cut one factor"
    P3Blocked P3 { factor: usize }
        "factor {factor} of the op cannot be cut"
        "leave that factor whole and gather the operands"
    P3TimeAxis P3 { axis: String }
        "the op is cut by time axis {axis} outside a loop over it"
        "move the event into the loop"
    P4Groups P4 { why: String }
        "groups are wrong: {why}"
        "list, per group, the devices that differ only on the collective's space axes, in coordinate order"
    P4Items P4 { collective: CollectiveId, why: String }
        "{collective} does not fit: {why}"
        "give every member one buffer per item, with the item's value, layout and element type"
    P4Unmatched P4 { collective: CollectiveId, member: DeviceId, instead: String }
        "waits in {collective} for {member}, which {instead}"
        "list the collectives that devices share in the same order and loops on all of them"
    P5Deadlock P5 { collective: CollectiveId, member: DeviceId, waits_for: CollectiveId }
        "waits in {collective} for {member}, which waits in {waits_for}, and so on in a circle"
        "order the collectives alike on all devices"
    P5TooLong P5 { steps: u64 }
        "the plan does not end within {steps} symbolic steps"
        "use fewer turns or smaller templates"
    P6State P6 { buffer: BufferId, by: BufferId }
        "writing {by} overwrites {buffer}, which holds state that must stay"
        "place the buffers apart; state at entry serves a replay of the step"
    P6Overlap P6 { a: BufferId, b: BufferId }
        "{a} and {b} overlap and one of them is written while the other is in use"
        "place the buffers apart"
    P6Overwritten P6 { buffer: BufferId, by: BufferId }
        "{buffer} is read after {by} took its bytes"
        "place the buffers apart, or read earlier"
    P6Freed P6 { buffer: BufferId }
        "{buffer} is used after it was freed"
        "free it after its last use, once, in the loop that wrote it"
    P6FreeOfState P6 { buffer: BufferId }
        "{buffer} holds state and is freed"
        "keep state at entry and what was committed"
    P7Arena P7 { buffer: BufferId, offset: u64, bytes: u64, arena: u64 }
        "{buffer} takes {bytes} bytes from {offset} on in an arena of {arena}"
        "enlarge the arena, or move the buffer down"
    P7Alignment P7 { buffer: BufferId, offset: u64 }
        "{buffer} begins at byte {offset}, which is no multiple of 64"
        "round offsets up to multiples of 64"
    P7Memory P7 { arena: u64, scratch: u64, memory: u64 }
        "an arena of {arena} bytes and {scratch} of scratch exceed the device's {memory}"
        "use more turns or devices, or raise memory_mib if the machine has it"
    P7Scratch P7 { template: TemplateId, scratch: u64, needed: u64 }
        "{template} states {scratch} bytes of scratch, its temporaries take {needed}"
        "state at least that"
    P8NotPartition P8 { cut: CutId, size: usize, why: String }
        "the sets of {cut} do not have every index of 0..{size} exactly once: {why}"
        "make the sets disjoint and cover everything"
    P8NothingToCut P8 { factor: usize }
        "factor {factor} is reduced and has no index, so contributions would repeat"
        "leave that factor whole"
    P8NotPending P8 { value: Value, axis: String }
        "{value} is combined over {axis} but is no contribution over it (or is already combined)"
        "combine each contribution once"
    P8Gathered P8 { value: Value, axis: String }
        "{value} is gathered or collected over {axis} but is a contribution over it"
        "use all-reduce or reduce-scatter, over turns combine"
    P8Monoid P8 { value: Value, pending: Monoid, combined: Monoid }
        "contributions to {value} by {pending} are combined by {combined}"
        "use the monoid of the reduction"
    P8Family P8 { value: Value }
        "contributions to {value} come from different decompositions"
        "compute all of them by the same ops under the same cuts"
    P8Regions P8 { value: Value, a: Region, b: Region }
        "contributions to {value} are over {a} and over {b}"
        "combine contributions over one region"
    P8NotInLoop P8 { axis: String }
        "turns of {axis} are combined or collected, but not directly in a loop over it"
        "put it into the body of that loop"
    P8Turn P8 { buffer: BufferId, turn: usize }
        "{buffer} cannot take turn {turn}: it does not hold exactly the turns before"
        "combine or collect into one buffer once in each turn"
    P8Incomplete P8 { buffer: BufferId }
        "{buffer} is read before all turns are in"
        "read it after the loop"
    P9Count P9 { output: usize, times: usize }
        "output {output} is written {times} times"
        "write each output once, from one device"
    P9Value P9 { output: usize, why: String }
        "output {output} {why}"
        "gather or combine it first"
    P9Tiling P9 { value: Value, whole: Region }
        "the pieces of {value}, one of each member or turn, do not tile {whole}"
        "cut one dimension by the axes that are joined"
    P10DType P10 { dtype: DType }
        "element type {dtype} is unsupported by the device"
        "choose another device, correct its dtypes in the deployment, or convert the model"
    P10Kind P10 { kind: String }
        "device kind {kind:?} is unsupported"
        "use \"cpu\" or \"reference\""
    P11Load P11 { slot: usize, why: String }
        "loading batch slot {slot}: {why}"
        "load each slot into a buffer of its own argument"
    P11Past P11 { buffer: BufferId }
        "{buffer} holds state of the epoch before the commit and is read after it"
        "read state before the commit"
    P12NoRoute P12 { from: String, to: String }
        "the ring passes from {from} to {to}, but no link joins them"
        "order the devices along links, or add the link to the deployment"
    P13Digest P13 { field: &'static str, named: Digest, given: Digest }
        "{field}: the plan was made for {named:.12}, given is {given:.12}"
        "undo the edit, or make a new plan (a run: start a new one)"
    P13Device P13 { why: String }
        "{why}"
        "make the plan again for this deployment and strategy"
    P13Axis P13 { axis: String, why: String }
        "axis {axis:?} {why}"
        "make the plan again for this strategy"
    P14Relation P14 { relation: String }
        "relation {relation:?} is unsupported"
        "write \"exact\" or \"floating-point reassociation\""
    P14NotExact P14 { value: Value }
        "the plan says it is exact, but combines contributions to {value} in an order of its own"
        "write \"floating-point reassociation\""
    P15Slot P15 { slot: String, why: String }
        "state slot {slot} {why}"
        "commit, in the order of the slots, the new values in the layouts in which they enter"
    P16Replicas P16 { slot: String, region: Region, other: DeviceId }
        "{region} of state slot {slot} is computed otherwise than on {other}, so the replicas may drift apart"
        "compute replicas by the same ops from the same operands on devices of one kind, or in one place and gather"
    P17Commits P17 { times: usize }
        "commits {times} times in a step"
        "commit once, at the end"
    P17InLoop P17 {}
        "commits inside a loop"
        "commit after the loops"
}

/// A broken rule and where.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Violation {
    /// Where.
    pub at: At,
    /// What.
    pub fault: Fault,
}

impl Violation {
    /// The rule that is broken.
    pub fn rule(&self) -> Rule {
        self.fault.text().0
    }

    /// The device it is about, if one.
    pub fn device(&self) -> Option<DeviceId> {
        self.at.device
    }

    /// What is wrong, in plain words.
    pub fn reason(&self) -> String {
        self.fault.text().1
    }

    /// What a person can do.
    pub fn help(&self) -> &'static str {
        self.fault.text().2
    }
}

/// For machines: `rule`, `title`, `fault` (its name), `place` in words, its parts `device`, `event` (a path of
/// positions), `turns` (axis and turn), `part`, `op`, then `reason` and `help`.
impl Serialize for Violation {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let (rule, reason, help) = self.fault.text();
        let mut s = serializer.serialize_struct("Violation", 11)?;
        s.serialize_field("rule", rule.id())?;
        s.serialize_field("title", rule.title())?;
        s.serialize_field("fault", self.fault.name())?;
        s.serialize_field("place", &self.at.to_string())?;
        s.serialize_field("device", &self.at.device.map(|d| d.to_string()))?;
        s.serialize_field("event", &self.at.event)?;
        s.serialize_field("turns", &self.at.turns)?;
        s.serialize_field("part", &self.at.part)?;
        s.serialize_field("op", &self.at.op.map(|i| i.to_string()))?;
        s.serialize_field("reason", &reason)?;
        s.serialize_field("help", help)?;
        s.end()
    }
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (rule, reason, help) = self.fault.text();
        write!(f, "{}: {rule} ({}): {reason}\n  help: {help}", self.at, rule.title())
    }
}

impl std::error::Error for Violation {}

/// Findings so far.
#[derive(Default, Debug)]
pub(crate) struct Report {
    found: Vec<Violation>,
}

impl Report {
    /// Adds a finding, unless it is known from another turn or there are enough.
    pub fn push(&mut self, at: At, fault: Fault) {
        let same = |v: &Violation| {
            v.fault == fault
                && (&v.at.device, &v.at.event, &v.at.part, v.at.op)
                    == (&at.device, &at.event, &at.part, at.op)
        };
        if !self.is_full() && !self.found.iter().any(same) {
            self.found.push(Violation { at, fault });
        }
    }

    pub fn len(&self) -> usize {
        self.found.len()
    }

    pub fn is_full(&self) -> bool {
        self.found.len() >= MAX_VIOLATIONS
    }

    pub fn finish(self) -> Vec<Violation> {
        self.found
    }
}
