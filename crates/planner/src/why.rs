//! Reasons for people: what the planner did that nobody asked for.

use crate::emit::Emitter;
use crate::lower::producer;
use crate::schedule::Stage;
use crate::sweeps::Sweeps;
use pullback_base::IdMap;
use pullback_ir::{Program, Value};
use pullback_plan::{
    AxisId, AxisKind, BufferId, Collective, CollectiveId, CollectiveKind, DeviceId, DevicePlan, Event, Reason,
};

/// The first few names, and how many more there are.
fn some(names: &[String]) -> String {
    let more = if names.len() > 3 { format!(" and {} more", names.len() - 3) } else { String::new() };
    format!("{}{more}", names[..names.len().min(3)].join(", "))
}

/// Values by the ops that make them and their names, and by their numbers where these are the same.
fn named(program: &Program, values: &[Value]) -> Vec<String> {
    let name = |v: &Value| match producer(program, *v) {
        Some(id) => format!("{} {}", program.instr(id).op().name(), program.display_name(*v)),
        None => program.display_name(*v),
    };
    let names: Vec<String> = values.iter().map(name).collect();
    let same = |name: &String| names.iter().filter(|n| *n == name).count() > 1;
    let told = names.iter().zip(values);
    told.map(|(name, v)| if same(name) { format!("{name} ({v})") } else { name.clone() }).collect()
}

/// Why each collective is there.
pub(crate) fn collectives(
    collectives: &IdMap<CollectiveId, Collective>,
    program: &Program,
    reasons: &mut Vec<Reason>,
) {
    for (id, k) in collectives.iter() {
        let names: Vec<String> = k.items.iter().map(|i| program.display_name(i.value)).collect();
        let why = match k.kind {
            CollectiveKind::AllReduce => "is pending where its readers need it whole",
            CollectiveKind::ReduceScatter => "is pending where its readers need each their part",
            CollectiveKind::AllGather => "is cut where its readers need it whole",
        };
        reasons.push(Reason {
            about: id.to_string(),
            text: format!("{} of {}: each {why}", k.kind.name(), some(&names)),
        });
    }
}

impl Emitter<'_> {
    /// Axes that cut nothing of what is computed.
    pub fn idle_axes(&self) -> Vec<Reason> {
        let ops = self.templates.values().flat_map(|t| &t.ops);
        let cuts = ops.flat_map(|op| op.cuts.iter().flatten());
        let used: Vec<AxisId> = cuts.flat_map(|&c| self.l.cuts.table[c].axes.iter().copied()).collect();
        let mesh = &self.l.mesh;
        let idle = mesh.axis_ids().filter(|a| mesh.axis(*a).size > 1 && !used.contains(a));
        let reason = |a: AxisId| {
            let text = match mesh.axis(a).kind {
                AxisKind::Space => {
                    "cuts nothing that is computed: its devices all do the same. Ops need what it cuts whole, or no constraint names it"
                }
                AxisKind::Time => {
                    "nothing is computed turn by turn: ops need what it cuts whole, or no constraint names it"
                }
            };
            Reason { about: mesh.axis(a).name.clone(), text: text.to_owned() }
        };
        idle.map(reason).collect()
    }

    /// Why there is more than one loop over the turns, and what is kept of all of them.
    pub fn turns(&self, sweeps: &Sweeps, devices: &IdMap<DeviceId, DevicePlan>) -> Vec<Reason> {
        let program = self.request.step;
        let Some(time) = self.l.time else { return Vec::new() };
        let about = self.l.mesh.axis(time).name.clone();
        let loops = |d: &DevicePlan| d.events.iter().filter(|e| matches!(e, Event::Loop { .. })).count();
        let loops = devices.values().map(loops).max().unwrap_or(0);
        let waited: Vec<Value> = sweeps.waited.iter().copied().collect();
        // What all turns make alike is kept once.
        let parts = |v: Value| self.l.is_cut_by_time(v);
        let whole = self.buffers.iter().filter(|(_, k)| k.1 == Stage::Collected && parts(k.0));
        let whole = whole.map(|(b, k)| (b, k.0));
        let (loaded, kept): (Vec<_>, Vec<_>) = whole.partition(|(_, v)| sweeps.loaded[*v]);
        let names = |of: &[(BufferId, Value)]| {
            let values: Vec<Value> = of.iter().map(|(_, v)| *v).collect();
            some(&named(program, &values))
        };
        let mut texts = Vec::new();
        if loops > 1 {
            let waited = some(&named(program, &waited));
            texts.push(format!(
                "{loops} sweeps over the turns: {waited} must be there of all turns before others go on turn by turn"
            ));
        }
        if !loaded.is_empty() {
            texts.push(format!("loads {} at once, for ops that need all samples", names(&loaded)));
        }
        if !kept.is_empty() {
            let of = |d: &DevicePlan| kept.iter().map(|(b, _)| d.buffers[*b].bytes).sum::<u64>();
            let bytes = devices.values().map(of).max().unwrap_or(0);
            texts.push(format!(
                "keeps all turns of {}: {bytes} bytes on the device that has most",
                names(&kept)
            ));
        }
        texts.into_iter().map(|text| Reason { about: about.clone(), text }).collect()
    }
}
