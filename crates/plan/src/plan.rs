//! The plan: templates, buffers with claims, collectives and an event list per device.
//!
//! A plan holds no local programs. A template lists ops of the global step program with a cut per factor; a
//! compute event runs it at the device's coordinate (and the current turns of the enclosing loops), where each
//! factor's box is the cut's set. A buffer claims what its bytes mean: at a coordinate it holds, compactly, the
//! region of `value` that `layout` gives there, whole or as a contribution.
//!
//! Semantics of events, in the order of a device's list:
//! * `Load`: the region of a batch argument, from the data of this step.
//! * `Compute`: reads `inputs` (one buffer per template input value), writes `outputs` (one per output value).
//! * `Combine`: inside the loop over `axis`: on turn 0 copies `from` to `into`, later turns combine into it.
//!   After the loop `into` holds the combination over all turns: `from`'s layout without `axis` pending.
//! * `Collect`: inside the loop over `axis`: lays `from`, a part of this turn, into its place in `into`. After the
//!   loop `into` holds the parts of all turns: `from`'s layout without `axis` in its cuts, pending as `from` is.
//! * `Collective`: all devices of one group take part; item by item `inputs` become `outputs`.
//! * `Loop`: runs the body for each turn of a time axis.
//! * `Free`: the bytes may be reused.
//! * `Commit`: `next` holds every state slot of the next epoch, in the layout in which it entered.
//! * `Output`: the value of an output slot, whole, from this device.

use crate::digest::Digest;
use crate::layout::{Cut, CutId, Layout};
use crate::mesh::{AxisId, DeviceId, Mesh};
use crate::signature::Signature;
use pullback_base::{IdMap, define_id};
use pullback_ir::{DType, InstrId, Monoid, Value};

define_id!(
    /// A buffer of one device.
    BufferId,
    "b"
);
define_id!(
    /// A template of a plan.
    TemplateId,
    "t"
);
define_id!(
    /// A collective of a plan.
    CollectiveId,
    "k"
);

/// What a plan was made for. Using it with anything else is refused, naming the field.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Identity {
    /// The model: canonical program and roles.
    pub model: Digest,
    /// The strategy as given (before the planner completed it).
    pub strategy: Digest,
    /// The deployment.
    pub deployment: Digest,
    /// The step program in canonical text.
    pub step: Digest,
}

/// One op of a template.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TemplateOp {
    /// The op of the step program.
    pub instr: InstrId,
    /// Cut of each factor of its access map, or none: whole.
    pub cuts: Vec<Option<CutId>>,
}

/// An ordered list of ops that a backend compiles as one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Template {
    /// Ops in program order.
    pub ops: Vec<TemplateOp>,
    /// Values read from buffers.
    pub inputs: Vec<Value>,
    /// Values written to buffers.
    pub outputs: Vec<Value>,
    /// Bytes of temporary memory a backend may use, at most, on any device.
    pub scratch: u64,
}

/// What a collective does.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum CollectiveKind {
    /// Pending over the axes becomes whole on every member.
    AllReduce,
    /// Pending over the axes becomes cut by the axes.
    ReduceScatter,
    /// Cut by the axes becomes whole on every member.
    AllGather,
}

impl CollectiveKind {
    /// The name in texts.
    pub fn name(self) -> &'static str {
        match self {
            CollectiveKind::AllReduce => "all_reduce",
            CollectiveKind::ReduceScatter => "reduce_scatter",
            CollectiveKind::AllGather => "all_gather",
        }
    }
}

/// One value of a collective.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CollectiveItem {
    /// The value.
    pub value: Value,
    /// Its layout before.
    pub from: Layout,
    /// Its layout after.
    pub to: Layout,
}

/// A collective: every group runs it on its own; members are in ring order.
///
/// The algorithm is the ring: members' segments are reduced in the order m+1, m+2, …, m around the ring (each
/// partial sum as left operand) and then, for all_reduce, gathered. A segment of all_reduce is the m-th of n
/// even ranges of the items' elements laid one after the other; of reduce_scatter and all_gather it is
/// member m's region of each item in turn.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Collective {
    /// What it does.
    pub kind: CollectiveKind,
    /// How contributions combine (unused by all_gather).
    pub monoid: Monoid,
    /// Element type moved and accumulated in.
    pub dtype: DType,
    /// The axes the groups span.
    pub axes: Vec<AxisId>,
    /// Members of each group in ring order.
    pub groups: Vec<Vec<DeviceId>>,
    /// Largest frame payload in bytes.
    pub chunk: u64,
    /// Values that travel together.
    pub items: Vec<CollectiveItem>,
}

/// Memory with a claim.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Buffer {
    /// The value whose bytes it holds.
    pub value: Value,
    /// What they mean.
    pub layout: Layout,
    /// Byte offset in the device's arena, a multiple of 64.
    pub offset: u64,
    /// Bytes reserved: at least the compact region at every coordinate it is used at.
    pub bytes: u64,
}

/// One step of a device's list.
#[derive(Clone, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub enum Event {
    Load { slot: usize, into: BufferId },
    Compute { template: TemplateId, inputs: Vec<BufferId>, outputs: Vec<BufferId> },
    Combine { from: BufferId, into: BufferId, axis: AxisId },
    Collect { from: BufferId, into: BufferId, axis: AxisId },
    Collective { id: CollectiveId, inputs: Vec<BufferId>, outputs: Vec<BufferId> },
    Loop { axis: AxisId, body: Vec<Event> },
    Free { buffer: BufferId },
    Commit { next: Vec<BufferId> },
    Output { slot: usize, from: BufferId },
}

/// What one device holds and does.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DevicePlan {
    /// Its buffers.
    pub buffers: IdMap<BufferId, Buffer>,
    /// The buffer each state slot enters in.
    pub entry: Vec<BufferId>,
    /// What it does in one step.
    pub events: Vec<Event>,
    /// Bytes of the arena.
    pub arena: u64,
}

/// Why something is in the plan, for people.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Reason {
    /// What it is about: `data`, `micro`, `k0`.
    pub about: String,
    /// The reason, a sentence.
    pub text: String,
}

/// The reasons a plan is legal and as it is.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Certificate {
    /// How the plan's results relate to the step program's: `floating-point reassociation` names that sums are
    /// taken in the order of the collectives' rings and the loops' turns.
    pub relation: String,
    /// Choices of the planner.
    pub reasons: Vec<Reason>,
}

/// A plan of one training step, repeated.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Plan {
    /// What it was made for.
    pub identity: Identity,
    /// Roles of the step program's arguments and results.
    pub signature: Signature,
    /// Axes and devices.
    pub mesh: Mesh,
    /// Cut tables.
    pub cuts: IdMap<CutId, Cut>,
    /// Templates.
    pub templates: IdMap<TemplateId, Template>,
    /// Collectives.
    pub collectives: IdMap<CollectiveId, Collective>,
    /// One per device of the mesh.
    pub devices: IdMap<DeviceId, DevicePlan>,
    /// Reasons.
    pub certificate: Certificate,
}
