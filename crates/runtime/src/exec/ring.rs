//! One collective on one member: a ring of streamed chunks, as a state machine without I/O.
//!
//! The ring of [`pullback_plan::Collective`]: member m starts by sending its contribution to segment m-1 to member
//! m+1; what arrives for segment s is combined with the own contribution (partial result on the left) and sent on,
//! until it reaches member s. all_reduce and all_gather then pass whole segments once around. Every frame a member
//! receives has a fixed place in one sequence, so a frame that is not the next one is refused or dropped, never
//! added.

use super::combine::combine;
use pullback_ir::region::Region;
use pullback_ir::{DType, Monoid};
use pullback_plan::CollectiveKind;
use std::ops::Range;

/// A run of elements in one item's compact buffer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Run {
    /// Which item.
    pub item: usize,
    /// Elements.
    pub elements: Range<usize>,
}

/// What one member does in one collective, known before it runs.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RingPlan {
    /// What the collective does.
    pub kind: CollectiveKind,
    /// How contributions combine.
    pub monoid: Monoid,
    /// Element type.
    pub dtype: DType,
    /// This member's position.
    pub me: usize,
    /// Number of members.
    pub n: usize,
    /// Elements per frame, at least 1.
    pub chunk: usize,
    /// Per segment: where its elements are in the full buffers (the inputs of reductions, the outputs of
    /// all_reduce and all_gather).
    pub segments: Vec<Vec<Run>>,
}

/// The n even ranges of `total` elements.
pub fn even_segments(lengths: &[usize], n: usize) -> Vec<Vec<Run>> {
    let total: usize = lengths.iter().sum();
    (0..n)
        .map(|m| {
            let (lo, hi) = (m * total / n, (m + 1) * total / n);
            let mut at = 0;
            let mut runs = Vec::new();
            for (item, &len) in lengths.iter().enumerate() {
                let (a, b) = (lo.max(at), hi.min(at + len));
                if a < b {
                    runs.push(Run { item, elements: a - at..b - at });
                }
                at += len;
            }
            runs
        })
        .collect()
}

/// Runs of a part within the compact buffer of a region that holds it.
pub fn region_runs(item: usize, part: &Region, whole: &Region) -> Vec<Run> {
    let mut runs: Vec<Run> = Vec::new();
    if part.is_empty() {
        return runs;
    }
    let relative = part.relative_to(whole);
    let shape = whole.shape();
    // Dimensions that are whole from some point on make up one run.
    let mut inner = shape.len();
    while inner > 0 && relative.dims()[inner - 1].is_full(shape[inner - 1]) {
        inner -= 1;
    }
    let unit: usize = shape[inner..].iter().product();
    let outer = inner.saturating_sub(1);
    visit(&relative, &shape, 0, outer, 0, &mut |base| {
        let intervals = match relative.dims().get(outer).filter(|_| inner > 0) {
            Some(set) => set.intervals().to_vec(),
            None => vec![(0, 1)],
        };
        for (lo, hi) in intervals {
            let n = if inner > 0 { shape[outer] } else { 1 };
            let start = (base * n + lo) * unit;
            let end = (base * n + hi) * unit;
            match runs.last_mut() {
                Some(r) if r.elements.end == start => r.elements.end = end,
                Some(_) | None => runs.push(Run { item, elements: start..end }),
            }
        }
    });
    runs
}

fn visit(region: &Region, shape: &[usize], dim: usize, outer: usize, base: usize, f: &mut impl FnMut(usize)) {
    if dim == outer {
        return f(base);
    }
    for i in region.dims()[dim].iter() {
        visit(region, shape, dim + 1, outer, base * shape[dim] + i, f);
    }
}

/// One expected frame.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Hop {
    segment: usize,
    /// Elements within the segment.
    range: Range<usize>,
    /// Whether it carries a partial result (combine) or a whole one (store).
    partial: bool,
    /// Whether it ends here.
    last: bool,
}

/// A collective in progress.
pub struct Ring {
    plan: RingPlan,
    hops: Vec<Hop>,
    at: usize,
    sent: u32,
}

/// A payload to the next member, with its number in the sequence.
pub type Outgoing = (u32, Vec<u8>);

impl Ring {
    /// Starts; gives the first payloads to send. `inputs` and `outputs` are the items' compact buffers.
    pub fn start(plan: RingPlan, inputs: &[&[u8]], outputs: &mut [&mut [u8]]) -> (Ring, Vec<Outgoing>) {
        let hops = hops(&plan);
        let mut ring = Ring { plan, hops, at: 0, sent: 0 };
        let (me, n) = (ring.plan.me, ring.plan.n);
        let mut out = Vec::new();
        match ring.plan.kind {
            CollectiveKind::AllGather => {
                ring.copy_own(inputs, outputs);
                let own: Vec<&[u8]> = outputs.iter().map(|o| &**o).collect();
                ring.send_segment(me, &own, &mut out);
            }
            CollectiveKind::AllReduce if n == 1 => {
                inputs.iter().zip(outputs).for_each(|(i, o)| o.copy_from_slice(i));
            }
            CollectiveKind::ReduceScatter if n == 1 => {
                let all = ring.gather_bytes(0, 0..ring.segment_len(0), inputs);
                ring.store_own(0..ring.segment_len(0), &all, outputs);
            }
            CollectiveKind::AllReduce | CollectiveKind::ReduceScatter => {
                ring.send_segment((me + n - 1) % n, inputs, &mut out);
            }
        }
        (ring, out)
    }

    /// Whether every frame has come.
    pub fn is_done(&self) -> bool {
        self.at == self.hops.len()
    }

    /// Number in the sequence and length in bytes of the next frame.
    pub fn expects(&self) -> Option<(u32, usize)> {
        let hop = self.hops.get(self.at)?;
        Some((self.at as u32, hop.range.len() * self.plan.dtype.size()))
    }

    /// Element type of the payloads.
    pub fn dtype(&self) -> DType {
        self.plan.dtype
    }

    /// Takes the next payload (of the expected length); gives what to send on.
    pub fn take(
        &mut self,
        mut payload: Vec<u8>,
        inputs: &[&[u8]],
        outputs: &mut [&mut [u8]],
    ) -> Option<Outgoing> {
        let hop = self.hops[self.at].clone();
        self.at += 1;
        if hop.partial {
            let mut at = 0;
            for (item, bytes) in self.pieces(hop.segment, hop.range.clone()) {
                let partial = &mut payload[at..at + bytes.len()];
                at += bytes.len();
                combine(self.plan.dtype, self.plan.monoid, partial, &inputs[item][bytes]);
            }
            if hop.last {
                match self.plan.kind {
                    CollectiveKind::ReduceScatter => {
                        self.store_own(hop.range, &payload, outputs);
                        return None;
                    }
                    CollectiveKind::AllReduce | CollectiveKind::AllGather => {
                        self.store(hop.segment, hop.range, &payload, outputs);
                    }
                }
            }
        } else {
            self.store(hop.segment, hop.range, &payload, outputs);
            if hop.last {
                return None;
            }
        }
        self.sent += 1;
        Some((self.sent - 1, payload))
    }

    fn segment_len(&self, segment: usize) -> usize {
        self.plan.segments[segment].iter().map(|r| r.elements.len()).sum()
    }

    fn send_segment(&mut self, segment: usize, from: &[&[u8]], out: &mut Vec<Outgoing>) {
        if self.plan.n == 1 {
            return;
        }
        for range in chunks(self.segment_len(segment), self.plan.chunk) {
            let bytes = self.gather_bytes(segment, range, from);
            out.push((self.sent, bytes));
            self.sent += 1;
        }
    }

    /// Byte ranges, per item, of a range of a segment's elements.
    fn pieces(
        &self,
        segment: usize,
        range: Range<usize>,
    ) -> impl Iterator<Item = (usize, Range<usize>)> + '_ {
        let size = self.plan.dtype.size();
        let mut at = 0;
        self.plan.segments[segment].iter().filter_map(move |run| {
            let (lo, hi) = (range.start.max(at), range.end.min(at + run.elements.len()));
            let start = run.elements.start + lo.saturating_sub(at);
            at += run.elements.len();
            (lo < hi).then(|| (run.item, start * size..(start + hi - lo) * size))
        })
    }

    fn gather_bytes(&self, segment: usize, range: Range<usize>, from: &[&[u8]]) -> Vec<u8> {
        let mut out = Vec::with_capacity(range.len() * self.plan.dtype.size());
        for (item, bytes) in self.pieces(segment, range) {
            out.extend_from_slice(&from[item][bytes]);
        }
        out
    }

    /// Into full output buffers.
    fn store(&self, segment: usize, range: Range<usize>, payload: &[u8], outputs: &mut [&mut [u8]]) {
        let mut at = 0;
        for (item, bytes) in self.pieces(segment, range) {
            let n = bytes.len();
            outputs[item][bytes].copy_from_slice(&payload[at..at + n]);
            at += n;
        }
    }

    /// Into the outputs of reduce_scatter, which hold just the own segment.
    fn store_own(&self, range: Range<usize>, payload: &[u8], outputs: &mut [&mut [u8]]) {
        let size = self.plan.dtype.size();
        let mut item_at = vec![0usize; outputs.len()];
        let (mut at, mut done) = (0, 0);
        for run in &self.plan.segments[self.plan.me] {
            let (lo, hi) = (range.start.max(at), range.end.min(at + run.elements.len()));
            if lo < hi {
                let start = (item_at[run.item] + lo - at) * size;
                let n = (hi - lo) * size;
                outputs[run.item][start..start + n].copy_from_slice(&payload[done..done + n]);
                done += n;
            }
            item_at[run.item] += run.elements.len();
            at += run.elements.len();
        }
    }

    /// The own parts of all_gather into their places in the whole.
    fn copy_own(&self, inputs: &[&[u8]], outputs: &mut [&mut [u8]]) {
        let size = self.plan.dtype.size();
        let mut item_at = vec![0usize; inputs.len()];
        for run in &self.plan.segments[self.plan.me] {
            let from = item_at[run.item] * size..(item_at[run.item] + run.elements.len()) * size;
            let to = run.elements.start * size..run.elements.end * size;
            outputs[run.item][to].copy_from_slice(&inputs[run.item][from]);
            item_at[run.item] += run.elements.len();
        }
    }
}

fn chunks(len: usize, chunk: usize) -> impl Iterator<Item = Range<usize>> {
    (0..len).step_by(chunk.max(1)).map(move |lo| lo..(lo + chunk).min(len))
}

/// Every frame member `me` receives, in order.
fn hops(p: &RingPlan) -> Vec<Hop> {
    let (me, n) = (p.me, p.n);
    let len = |s: usize| p.segments[s].iter().map(|r| r.elements.len()).sum::<usize>();
    let mut out = Vec::new();
    let mut push = |segment: usize, partial: bool, last: bool| {
        out.extend(chunks(len(segment), p.chunk).map(|range| Hop { segment, range, partial, last }));
    };
    let reduces = p.kind != CollectiveKind::AllGather;
    for k in 2..=n {
        if reduces && n > 1 {
            let segment = (me + n - k % n) % n;
            push(segment, true, segment == me);
        }
    }
    for k in 1..n {
        if p.kind != CollectiveKind::ReduceScatter {
            let segment = (me + n - k) % n;
            push(segment, false, k == n - 1);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use pullback_ir::region::IntervalSet;
    use std::collections::VecDeque;

    fn bytes(v: &[f64]) -> Vec<u8> {
        v.iter().flat_map(|x| x.to_le_bytes()).collect()
    }

    fn numbers(b: &[u8]) -> Vec<f64> {
        b.chunks_exact(8).map(|c| f64::from_le_bytes(c.try_into().unwrap())).collect()
    }

    /// Runs all members with frames in order; gives their outputs.
    fn run(
        plans: Vec<RingPlan>,
        inputs: Vec<Vec<Vec<u8>>>,
        out_len: &dyn Fn(usize, usize) -> usize,
    ) -> Vec<Vec<Vec<f64>>> {
        let n = plans.len();
        let mut outs: Vec<Vec<Vec<u8>>> =
            (0..n).map(|m| (0..inputs[m].len()).map(|i| vec![0; out_len(m, i) * 8]).collect()).collect();
        let mut queues: Vec<VecDeque<Outgoing>> = vec![VecDeque::new(); n];
        let mut rings = Vec::new();
        for (m, p) in plans.into_iter().enumerate() {
            let ins: Vec<&[u8]> = inputs[m].iter().map(|v| &v[..]).collect();
            let mut o: Vec<&mut [u8]> = outs[m].iter_mut().map(|v| &mut v[..]).collect();
            let (ring, sends) = Ring::start(p, &ins, &mut o);
            queues[(m + 1) % n].extend(sends);
            rings.push(ring);
        }
        while let Some(m) = (0..n).find(|&m| !queues[m].is_empty()) {
            let (seq, payload) = queues[m].pop_front().unwrap();
            assert_eq!(rings[m].expects(), Some((seq, payload.len())));
            let ins: Vec<&[u8]> = inputs[m].iter().map(|v| &v[..]).collect();
            let mut o: Vec<&mut [u8]> = outs[m].iter_mut().map(|v| &mut v[..]).collect();
            if let Some(next) = rings[m].take(payload, &ins, &mut o) {
                queues[(m + 1) % n].push_back(next);
            }
        }
        assert!(rings.iter().all(Ring::is_done));
        outs.iter().map(|o| o.iter().map(|b| numbers(b)).collect()).collect()
    }

    fn plan(kind: CollectiveKind, me: usize, n: usize, chunk: usize, segments: Vec<Vec<Run>>) -> RingPlan {
        RingPlan { kind, monoid: Monoid::Add, dtype: DType::F64, me, n, chunk, segments }
    }

    #[test]
    fn all_reduce_of_any_size() {
        for n in 1..5 {
            for lengths in [vec![0], vec![1], vec![7], vec![3, 0, 10]] {
                for chunk in [1, 3, 100] {
                    let seg = even_segments(&lengths, n);
                    let plans =
                        (0..n).map(|m| plan(CollectiveKind::AllReduce, m, n, chunk, seg.clone())).collect();
                    let data = |m: usize, i: usize| {
                        (0..lengths[i]).map(|k| (m * 100 + i * 10 + k) as f64).collect::<Vec<_>>()
                    };
                    let inputs =
                        (0..n).map(|m| (0..lengths.len()).map(|i| bytes(&data(m, i))).collect()).collect();
                    let outs = run(plans, inputs, &|_, i| lengths[i]);
                    for out in &outs {
                        for (i, got) in out.iter().enumerate() {
                            let want: Vec<f64> =
                                (0..lengths[i]).map(|k| (0..n).map(|m| data(m, i)[k]).sum()).collect();
                            assert_eq!(*got, want, "n {n} lengths {lengths:?} chunk {chunk}");
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn scatter_then_gather_of_uneven_regions() {
        let whole = Region::full(&[2, 6]);
        let parts: Vec<Region> = ["0..2+5..6", "2..4", "4..5"]
            .iter()
            .map(|t| Region::new(vec![IntervalSet::full(2), t.parse().unwrap()]))
            .collect();
        let seg: Vec<Vec<Run>> = parts.iter().map(|p| region_runs(0, p, &whole)).collect();
        let input: Vec<f64> = (0..12).map(f64::from).collect();
        let plans = (0..3).map(|m| plan(CollectiveKind::ReduceScatter, m, 3, 2, seg.clone())).collect();
        let out = run(plans, vec![vec![bytes(&input)]; 3], &|m, _| parts[m].count());
        assert_eq!(out[0][0], [0.0, 3.0, 15.0, 18.0, 21.0, 33.0]);
        assert_eq!(out[2][0], [12.0, 30.0]);
        let plans = (0..3).map(|m| plan(CollectiveKind::AllGather, m, 3, 2, seg.clone())).collect();
        let inputs = out.iter().map(|o| vec![bytes(&o[0])]).collect();
        let all = run(plans, inputs, &|_, _| 12);
        let want: Vec<f64> = input.iter().map(|x| 3.0 * x).collect();
        assert!(all.iter().all(|o| o[0] == want));
    }
}
