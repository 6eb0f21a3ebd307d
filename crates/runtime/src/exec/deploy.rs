//! A checked plan made ready on one device: every template compiled for the regions it meets here.
//!
//! Templates are restricted to boxes by `ir::restrict`; equal local programs are compiled once, so turns of equal
//! extent share an executable.

use super::args::Args;
use super::combine;
use super::ring::{RingPlan, even_segments, region_runs};
use pullback_base::{Id, IdMap};
use pullback_checker::Checked;
use pullback_eval::{AlignedBytes, CpuDevice, Device, Executable, ReferenceDevice, Workspace};
use pullback_ir::Program;
use pullback_ir::access::AccessMap;
use pullback_ir::region::{IntervalSet, Region};
use pullback_ir::restrict::{Instance, Part, localize, read_parts};
use pullback_plan::{
    AxisId, BufferId, CollectiveId, CollectiveKind, Coord, Deployment, DeviceId, DevicePlan, Digest, Event,
    Plan, TemplateId,
};
use std::collections::BTreeMap;
use std::fmt;
use std::ops::Range;
use std::sync::Arc;

/// Why a checked plan cannot run on this device.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DeployError {
    /// What, where and why.
    pub message: String,
}

impl DeployError {
    fn new(message: impl Into<String>) -> Self {
        Self { message: message.into() }
    }
}

impl fmt::Display for DeployError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for DeployError {}

/// A compute event at a turn: template, buffers, coordinate.
type Key = (TemplateId, Vec<BufferId>, Vec<BufferId>, Coord);

/// What a compute event runs: which executable, on which arguments.
struct Bound {
    executable: usize,
    args: Args,
}

/// The same at hand, with the bytes set aside for parts of buffers.
pub(super) struct Call<'a> {
    pub executable: &'a mut dyn Executable,
    pub args: &'a Args,
    pub aside: &'a mut [u8],
}

/// A device's part of a plan, compiled.
pub struct Deployed {
    checked: Arc<Checked>,
    step: Arc<Program>,
    digest: Digest,
    device: DeviceId,
    executables: Vec<Box<dyn Executable>>,
    workspace: Workspace,
    aside: AlignedBytes,
    by_key: BTreeMap<Key, Bound>,
    rings: BTreeMap<(CollectiveId, Coord), RingSetup>,
}

/// A collective as this device runs it.
#[derive(Clone, Debug)]
pub(super) struct RingSetup {
    pub plan: RingPlan,
    pub from: DeviceId,
    pub to: DeviceId,
}

impl Deployed {
    /// Compiles what device `device` runs.
    pub fn new(
        checked: Arc<Checked>,
        step: Arc<Program>,
        deployment: &Deployment,
        device: DeviceId,
    ) -> Result<Self, DeployError> {
        let plan = checked.plan();
        let name = &plan
            .mesh
            .places
            .get(device.index())
            .ok_or_else(|| DeployError::new(format!("{device} is not in the mesh")))?
            .device;
        let spec = deployment
            .device(name)
            .ok_or_else(|| DeployError::new(format!("device {name:?} is not in the deployment")))?;
        let backend: Box<dyn Device> = match spec.kind.as_str() {
            "cpu" => Box::new(CpuDevice { threads: spec.threads }),
            "reference" => Box::new(ReferenceDevice),
            other => return Err(DeployError::new(format!("device {name:?}: kind {other:?} is unsupported"))),
        };
        let digest = plan.digest();
        let mut d = Deployed {
            step,
            digest,
            device,
            executables: Vec::new(),
            workspace: Workspace::default(),
            aside: AlignedBytes::zeroed(0),
            by_key: BTreeMap::new(),
            rings: BTreeMap::new(),
            checked: checked.clone(),
        };
        let mut compiled: Vec<Program> = Vec::new();
        let coord = plan.mesh.place(device).coord.clone();
        d.visit(&plan.devices[device].events, &coord, false, backend.as_ref(), &mut compiled)?;
        let aside = d.by_key.values().map(|bound| bound.args.aside()).max().unwrap_or(0);
        d.aside = AlignedBytes::try_zeroed(aside).map_err(|e| DeployError::new(e.to_string()))?;
        // The plan bounds temporaries; the backend that was compiled is asked again.
        let (needs, has) = (d.mine().arena + d.scratch_bytes() as u64, spec.memory_bytes());
        if needs > has {
            let (needs, has) = (needs.div_ceil(1 << 20), has >> 20);
            return Err(DeployError::new(format!(
                "device {name:?} needs {needs} MiB with the backend's temporaries, its memory_mib is {has}: raise memory_mib, or \
                 plan with more turns or devices"
            )));
        }
        Ok(d)
    }

    /// The plan.
    pub fn plan(&self) -> &Plan {
        self.checked.plan()
    }

    /// The step program.
    pub fn step(&self) -> &Program {
        &self.step
    }

    /// The plan's digest.
    pub fn digest(&self) -> Digest {
        self.digest
    }

    /// Which device this is.
    pub fn device(&self) -> DeviceId {
        self.device
    }

    /// The device's part of the plan.
    pub fn mine(&self) -> &DevicePlan {
        &self.plan().devices[self.device]
    }

    /// Bytes of temporaries: the workspace that executables share, and what each holds besides.
    pub fn scratch_bytes(&self) -> usize {
        self.aside.as_slice().len()
            + self.workspace.bytes()
            + self.executables.iter().map(|e| e.held_bytes()).sum::<usize>()
    }

    /// Number of distinct local programs.
    pub fn n_executables(&self) -> usize {
        self.executables.len()
    }

    /// The region a buffer holds at a coordinate.
    pub(super) fn region(&self, b: BufferId, coord: &Coord) -> Result<Region, DeployError> {
        region(self.plan(), &self.step, self.device, b, coord)
    }

    /// Byte range, at a coordinate, of a buffer's compact region in the arena.
    pub(super) fn range(&self, b: BufferId, coord: &Coord) -> Result<Range<usize>, DeployError> {
        let buffer = &self.mine().buffers[b];
        let bytes = self.region(b, coord)?.count() * self.step.ty(buffer.value).dtype().size();
        let start = buffer.offset as usize;
        Ok(start..start + bytes)
    }

    /// What a compute event runs at a coordinate.
    pub(super) fn call(
        &mut self,
        template: TemplateId,
        inputs: &[BufferId],
        outputs: &[BufferId],
        coord: &Coord,
    ) -> Option<Call<'_>> {
        let bound = self.by_key.get(&(template, inputs.to_vec(), outputs.to_vec(), coord.clone()))?;
        Some(Call {
            executable: self.executables[bound.executable].as_mut(),
            args: &bound.args,
            aside: self.aside.as_mut_slice(),
        })
    }

    /// A collective at a coordinate: turns of unequal extent have unequal segments.
    pub(super) fn ring(&self, id: CollectiveId, coord: &Coord) -> Option<&RingSetup> {
        self.rings.get(&(id, coord.clone()))
    }

    fn visit(
        &mut self,
        events: &[Event],
        coord: &Coord,
        in_loop: bool,
        backend: &dyn Device,
        compiled: &mut Vec<Program>,
    ) -> Result<(), DeployError> {
        for event in events {
            match event {
                Event::Compute { template, inputs, outputs } => {
                    let key = (*template, inputs.clone(), outputs.clone(), coord.clone());
                    if self.by_key.contains_key(&key) {
                        continue;
                    }
                    let (local, args) = self.local_program(*template, inputs, outputs, coord, in_loop)?;
                    let executable = match compiled.iter().position(|p| *p == local) {
                        Some(i) => i,
                        None => {
                            let e = backend
                                .compile_in(&local, &self.workspace)
                                .map_err(|e| DeployError::new(format!("template {template}: {e}")))?;
                            self.executables.push(e);
                            compiled.push(local);
                            compiled.len() - 1
                        }
                    };
                    self.by_key.insert(key, Bound { executable, args });
                }
                Event::Collective { id, inputs, outputs } => {
                    let setup = self.ring_setup(*id, inputs, outputs, coord)?;
                    self.rings.insert((*id, coord.clone()), setup);
                }
                Event::Combine { from, .. } => {
                    let buffer = &self.mine().buffers[*from];
                    let monoid =
                        buffer.layout.pending.as_ref().map_or(pullback_ir::Monoid::Add, |p| p.monoid);
                    self.combines(buffer.value, monoid)?;
                }
                Event::Loop { axis, body } => {
                    for turn in 0..self.plan().mesh.axis(*axis).size {
                        let mut at = coord.clone();
                        at[axis.index()] = turn;
                        self.visit(body, &at, true, backend, compiled)?;
                    }
                }
                Event::Load { .. }
                | Event::Collect { .. }
                | Event::Free { .. }
                | Event::Commit { .. }
                | Event::Output { .. } => {}
            }
        }
        Ok(())
    }

    fn combines(&self, value: pullback_ir::Value, monoid: pullback_ir::Monoid) -> Result<(), DeployError> {
        let dtype = self.step.ty(value).dtype();
        match combine::supported(dtype, monoid) {
            true => Ok(()),
            false => Err(DeployError::new(format!(
                "unsupported: combining contributions of {} by {monoid} in {dtype}; compute it in another element type, or make a plan that does not cut what it is made of",
                self.step.display_name(value)
            ))),
        }
    }

    /// The program of a template at a coordinate, and its arguments. Of a buffer that holds more than an op reads, what it
    /// reads is an argument of its own where it is one run of bytes, and in loops: so turns of equal extent have equal
    /// programs, though each reads its own part of what all turns share.
    fn local_program(
        &self,
        template: TemplateId,
        inputs: &[BufferId],
        outputs: &[BufferId],
        coord: &Coord,
        in_loop: bool,
    ) -> Result<(Program, Args), DeployError> {
        let plan = self.plan();
        let t = &plan.templates[template];
        let mut instances = Vec::with_capacity(t.ops.len());
        for op in &t.ops {
            let instr = self.step.instr(op.instr);
            let access = AccessMap::of(instr.op(), &self.step.operand_types(op.instr))
                .map_err(|e| DeployError::new(e.to_string()))?;
            let set = |(f, cut): (&pullback_ir::access::Factor, &Option<pullback_plan::CutId>)| match cut {
                Some(c) => plan.cuts[*c].at(&plan.mesh, coord).cloned(),
                None => Some(IntervalSet::full(f.size)),
            };
            let boxed: Option<Vec<IntervalSet>> = access.factors.iter().zip(&op.cuts).map(set).collect();
            let boxed =
                boxed.ok_or_else(|| DeployError::new(format!("{template}: a cut table is too short")))?;
            instances.push(Instance { instr: op.instr, boxed });
        }
        let part = |&b: &BufferId| -> Result<Part, DeployError> {
            Ok(Part { value: self.mine().buffers[b].value, region: self.region(b, coord)? })
        };
        let failed = |e: pullback_ir::TypeError| DeployError::new(format!("{template}: {e}"));
        let whole = inputs.iter().map(part).collect::<Result<Vec<_>, _>>()?;
        let outputs = outputs.iter().map(part).collect::<Result<Vec<_>, _>>()?;
        let reads = read_parts(&self.step, &instances, &whole, &outputs).map_err(failed)?;
        let (mut args, mut parts) = (Args::default(), Vec::with_capacity(whole.len()));
        for ((whole, reads), &b) in whole.into_iter().zip(reads).zip(inputs) {
            let size = self.step.ty(whole.value).dtype().size();
            let range = self.range(b, coord)?;
            let mut all = reads.is_empty();
            for region in reads {
                match args.push_part(&range, &region, &whole.region, size, in_loop) {
                    true => parts.push(Part { value: whole.value, region }),
                    false => all = true,
                }
            }
            if all {
                args.push(range);
                parts.push(whole);
            }
        }
        let program = localize(&self.step, &instances, &parts, &outputs).map_err(failed)?;
        Ok((program, args))
    }

    fn ring_setup(
        &self,
        id: CollectiveId,
        inputs: &[BufferId],
        outputs: &[BufferId],
        coord: &Coord,
    ) -> Result<RingSetup, DeployError> {
        let plan = self.plan();
        let k = &plan.collectives[id];
        for item in &k.items {
            if k.kind != CollectiveKind::AllGather {
                self.combines(item.value, k.monoid)?;
            }
        }
        let group = k.groups.iter().find(|g| g.contains(&self.device));
        let group = group.ok_or_else(|| DeployError::new(format!("{id}: {} is in no group", self.device)))?;
        let n = group.len();
        let me = group.iter().position(|&d| d == self.device).unwrap_or(0);
        let size = k.dtype.size();
        let segments = match k.kind {
            CollectiveKind::AllReduce => {
                let lens = inputs
                    .iter()
                    .map(|&b| Ok(self.region(b, coord)?.count()))
                    .collect::<Result<Vec<_>, DeployError>>()?;
                even_segments(&lens, n)
            }
            CollectiveKind::ReduceScatter | CollectiveKind::AllGather => {
                // Parts are those of the cut side, in the compact buffer of the other.
                let (cut, whole) = match k.kind {
                    CollectiveKind::AllGather => (inputs, outputs),
                    CollectiveKind::ReduceScatter | CollectiveKind::AllReduce => (outputs, inputs),
                };
                let mut segments = Vec::with_capacity(n);
                for &member in group {
                    let at = merged(plan, member, coord);
                    let mut runs = Vec::new();
                    for (item, (&c, &w)) in cut.iter().zip(whole).enumerate() {
                        let part = region(plan, &self.step, member, c, &at)?;
                        runs.extend(region_runs(item, &part, &self.region(w, coord)?));
                    }
                    segments.push(runs);
                }
                segments
            }
        };
        let ring = RingPlan {
            kind: k.kind,
            monoid: k.monoid,
            dtype: k.dtype,
            me,
            n,
            chunk: (k.chunk as usize / size).max(1),
            segments,
        };
        Ok(RingSetup { plan: ring, from: group[(me + n - 1) % n], to: group[(me + 1) % n] })
    }
}

/// A device's place with the turns of `coord`.
fn merged(plan: &Plan, device: DeviceId, coord: &Coord) -> Coord {
    let mut at = plan.mesh.place(device).coord.clone();
    for a in plan.mesh.axis_ids().filter(|&a: &AxisId| plan.mesh.is_time(a)) {
        at[a.index()] = coord[a.index()];
    }
    at
}

fn region(
    plan: &Plan,
    step: &Program,
    device: DeviceId,
    b: BufferId,
    coord: &Coord,
) -> Result<Region, DeployError> {
    let buffers: &IdMap<BufferId, pullback_plan::Buffer> = &plan.devices[device].buffers;
    let buffer = buffers.get(b).ok_or_else(|| DeployError::new(format!("{b} does not exist on {device}")))?;
    let shape = step.ty(buffer.value).shape();
    let r = buffer.layout.region(&plan.cuts, &plan.mesh, shape, coord);
    r.ok_or_else(|| DeployError::new(format!("{b} of {device}: a cut table is too short")))
}
