//! Artifacts as data: mesh, cuts, layouts, strategy, deployment, events, certificate, identities; and the
//! plan's text form.
//!
//! Says who does what when and where the bytes are. Decides nothing, runs nothing, costs nothing: the planner
//! makes these, the checker judges them, the runtime follows them.
#![deny(clippy::wildcard_enum_match_arm)]

pub mod deployment;
pub mod digest;
pub mod explain;
pub mod layout;
pub mod mesh;
pub mod plan;
pub mod signature;
pub mod strategy;
pub mod text;

pub use deployment::{Deployment, Device};
pub use digest::Digest;
pub use layout::{Cut, CutId, Layout, Pending, split};
pub use mesh::{Axis, AxisId, AxisKind, Coord, DeviceId, Mesh, Place};
pub use plan::{
    Buffer, BufferId, Certificate, Collective, CollectiveId, CollectiveItem, CollectiveKind, DevicePlan,
    Event, Identity, Plan, Reason, Template, TemplateId, TemplateOp,
};
pub use signature::{BatchSlot, OutputSlot, Signature, StateSlot};
pub use strategy::{AxisSpec, Constraint, Strategy};
