//! Communication in generic form, as StableHLO's own parser takes it.
//!
//! What the IR can say and StableHLO cannot (numbers of partitions in an operation that has only replicas and
//! processes) is printed in a dialect of its own, which nobody else reads.

use super::{Printer, list, update_region};
use crate::types::mlir_type;
use pullback_ir::{Across, Communication, Groups, Instr, Monoid, TensorType, Value};

/// `, channel_handle = …` and what goes with it; `None` where StableHLO has no way to say it.
fn across_text(across: Across, knows_processes: bool) -> Option<&'static str> {
    const CHANNEL: &str = ", channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>";
    const GLOBAL: &str =
        ", channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, use_global_device_ids";
    match (across, knows_processes) {
        (Across::Replicas, _) => Some(""),
        (Across::Partitions, false) | (Across::ReplicasAndPartitions, true) => Some(CHANNEL),
        (Across::FlattenedIds, true) => Some(GLOBAL),
        (Across::Partitions, true) | (Across::ReplicasAndPartitions | Across::FlattenedIds, false) => None,
    }
}

/// `dense<[[0, 1], [2, -1]]> : tensor<2x2xi64>`, short rows padded.
fn groups_text(groups: &Groups) -> String {
    let width = groups.groups.iter().map(Vec::len).max().unwrap_or(0);
    let row = |group: &Vec<usize>| {
        let mut numbers: Vec<i64> = group.iter().map(|&n| n as i64).collect();
        numbers.resize(width, -1);
        format!("[{}]", list(numbers))
    };
    table(groups.groups.len(), width, groups.groups.iter().map(row))
}

fn table(n: usize, width: usize, rows: impl Iterator<Item = String>) -> String {
    if n == 0 {
        return "dense<> : tensor<0x0xi64>".to_owned();
    }
    format!("dense<[{}]> : tensor<{n}x{width}xi64>", list(rows))
}

/// Attributes, and how elements combine.
fn attributes(op: &Communication) -> Option<(String, Option<Monoid>)> {
    let groups = |g: &Groups, processes: bool| {
        let across = across_text(g.across, processes)?;
        Some(format!("replica_groups = {}{across}", groups_text(g)))
    };
    Some(match op {
        Communication::PartitionId | Communication::ReplicaId => (String::new(), None),
        Communication::AllGather { groups: g, dim, .. } => {
            (format!("all_gather_dim = {dim} : i64, {}", groups(g, true)?), None)
        }
        Communication::AllReduce { groups: g, monoid } => (groups(g, true)?, Some(*monoid)),
        Communication::ReduceScatter { groups: g, monoid, dim, .. } => {
            (format!("scatter_dimension = {dim} : i64, {}", groups(g, true)?), Some(*monoid))
        }
        Communication::AllToAll { groups: g, split_dim, concat_dim, size } => {
            let dims = format!(
                "split_dimension = {split_dim} : i64, concat_dimension = {concat_dim} : i64, split_count = {size} : i64"
            );
            (format!("{dims}, {}", groups(g, false)?), None)
        }
        Communication::CollectivePermute { pairs, across } => {
            let rows = pairs.iter().map(|(source, target)| format!("[{source}, {target}]"));
            let pairs = if pairs.is_empty() {
                "dense<> : tensor<0x2xi64>".to_owned()
            } else {
                table(pairs.len(), 2, rows)
            };
            (format!("source_target_pairs = {pairs}{}", across_text(*across, false)?), None)
        }
        Communication::CollectiveBroadcast { groups: g } => (groups(g, false)?, None),
        Communication::Send { channel } => (transfer(*channel, 2), None),
        Communication::Recv { channel, .. } => (transfer(*channel, 3), None),
    })
}

/// Transfers go through the host: between devices, pairs would have to be named.
fn transfer(channel: i64, ty: u8) -> String {
    format!(
        "channel_handle = #stablehlo.channel_handle<handle = {channel}, type = {ty}>, is_host_transfer = true"
    )
}

impl Printer<'_, '_> {
    pub(super) fn communicate(&mut self, instr: &Instr, op: &Communication) {
        let (dialect, (attrs, monoid)) = match attributes(op) {
            Some(attributes) => ("stablehlo", attributes),
            None => ("pullback", (String::new(), None)),
        };
        let id = self.fresh();
        let types = |values: &[Value]| list(values.iter().map(|&v| self.ty(v)));
        let operands = list(instr.operands().iter().map(|&v| self.name(v)));
        let signature = format!("({}) -> ({})", types(instr.operands()), types(instr.results()));
        let region = match (monoid, instr.operands()) {
            (Some(monoid), &[x]) => {
                format!(" ({})", update_region(Some(monoid), self.program.ty(x).dtype()))
            }
            _ => String::new(),
        };
        let attrs = if attrs.is_empty() { String::new() } else { format!(" <{{{attrs}}}>") };
        let count = self.numbered(instr, id);
        let name = op.name();
        self.emit(format_args!(
            "    %{id}{count} = \"{dialect}.{name}\"({operands}){attrs}{region} : {signature}"
        ));
        self.loc(instr.result());
        self.out.push('\n');
    }

    /// A value's type; that of a token is no tensor's.
    pub(super) fn ty(&self, value: Value) -> String {
        if self.tokens.contains(&value) { TOKEN.to_owned() } else { mlir_type(self.program.ty(value)) }
    }

    /// A token that waits for nothing, where a constant stands for one.
    pub(super) fn token(&mut self, value: Value) -> bool {
        let yes = self.tokens.contains(&value);
        if yes {
            let id = self.fresh();
            self.names.insert(value, format!("%{id}"));
            self.emit(format_args!("    %{id} = stablehlo.create_token : {TOKEN}\n"));
        }
        yes
    }
}

const TOKEN: &str = "!stablehlo.token";

/// Whether a type may be that of a token.
pub(super) fn may_be_token(ty: &TensorType) -> bool {
    *ty == crate::types::token()
}
