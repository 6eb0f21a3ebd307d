//! Where buffers go in the arena: lifetimes over the event list, then first fit.

use pullback_plan::{BufferId, Event};
use std::collections::{BTreeMap, BTreeSet};

/// Alignment of buffers in bytes.
pub(crate) const ALIGN: u64 = 64;

/// Rounds up to the alignment.
pub(crate) fn aligned(bytes: u64) -> u64 {
    bytes.div_ceil(ALIGN) * ALIGN
}

/// First and last position at which a buffer is touched, loops counted once and widened: what is touched both
/// in a loop and outside of it lives through the whole loop.
#[derive(Clone, Copy, Debug)]
struct Span {
    first: u64,
    last: u64,
}

#[derive(Default)]
struct Walk {
    at: u64,
    spans: BTreeMap<BufferId, Span>,
    /// Start and end of each loop.
    loops: Vec<(u64, u64)>,
}

impl Walk {
    fn touch(&mut self, b: BufferId) {
        let at = self.at;
        let span = self.spans.entry(b).or_insert(Span { first: at, last: at });
        span.last = at;
    }

    fn list(&mut self, events: &[Event]) {
        for e in events {
            self.at += 1;
            match e {
                Event::Load { into, .. } => self.touch(*into),
                Event::Compute { inputs, outputs, .. } | Event::Collective { inputs, outputs, .. } => {
                    inputs.iter().chain(outputs).for_each(|&b| self.touch(b));
                }
                Event::Combine { from, into, .. } | Event::Collect { from, into, .. } => {
                    [from, into].into_iter().for_each(|&b| self.touch(b));
                }
                Event::Loop { body, .. } => {
                    let start = self.at;
                    self.list(body);
                    self.at += 1;
                    self.loops.push((start, self.at));
                }
                Event::Free { .. } => {}
                Event::Commit { next } => next.iter().for_each(|&b| self.touch(b)),
                Event::Output { from, .. } => self.touch(*from),
            }
        }
    }
}

/// Lifetimes of the buffers of an event list without frees; `entry` buffers and what is committed live to the end.
fn spans(
    events: &[Event],
    entry: &[BufferId],
    accumulators: &BTreeSet<BufferId>,
) -> BTreeMap<BufferId, Span> {
    let mut w = Walk::default();
    entry.iter().for_each(|&b| w.touch(b));
    w.list(events);
    w.at += 1;
    let end = w.at;
    let committed = events.iter().filter_map(|e| match e {
        Event::Commit { next } => Some(next.clone()),
        Event::Load { .. }
        | Event::Compute { .. }
        | Event::Combine { .. }
        | Event::Collect { .. }
        | Event::Collective { .. }
        | Event::Loop { .. }
        | Event::Free { .. }
        | Event::Output { .. } => None,
    });
    for b in committed.flatten().chain(entry.iter().copied()) {
        w.at = end;
        w.touch(b);
    }
    for (b, span) in &mut w.spans {
        for &(start, stop) in &w.loops {
            let inside = |p: u64| start < p && p < stop;
            let crosses =
                (inside(span.first) != inside(span.last)) || inside(span.first) && accumulators.contains(b);
            if crosses && inside(span.first) {
                span.first = start;
            }
            if crosses && inside(span.last) {
                span.last = stop;
            }
        }
    }
    w.spans
}

/// Arena offsets by first fit in order of birth (larger first among equals), and the arena's size.
pub(crate) fn place(
    events: &[Event],
    entry: &[BufferId],
    accumulators: &BTreeSet<BufferId>,
    bytes: &BTreeMap<BufferId, u64>,
) -> (BTreeMap<BufferId, u64>, u64) {
    let spans = spans(events, entry, accumulators);
    let mut order: Vec<(BufferId, Span)> = spans.iter().map(|(&b, &s)| (b, s)).collect();
    order.sort_by_key(|(b, s)| (s.first, std::cmp::Reverse(bytes[b]), *b));
    let mut offsets: BTreeMap<BufferId, u64> = BTreeMap::new();
    let mut arena = 0;
    for (b, span) in order {
        let need = aligned(bytes[&b]);
        let mut busy: Vec<(u64, u64)> = offsets
            .iter()
            .filter(|(o, _)| spans[o].first <= span.last && span.first <= spans[o].last)
            .map(|(o, &at)| (at, at + aligned(bytes[o])))
            .collect();
        busy.sort_unstable();
        let mut at = 0;
        for (lo, hi) in busy {
            if at + need <= lo {
                break;
            }
            at = at.max(hi);
        }
        offsets.insert(b, at);
        arena = arena.max(at + need);
    }
    (offsets, arena)
}

/// Buffers an event (with its body) touches.
fn touched(event: &Event) -> Vec<BufferId> {
    let mut w = Walk::default();
    w.list(std::slice::from_ref(event));
    w.spans.into_keys().collect()
}

/// The list with each buffer freed right after the event in which it is touched last: inside a loop's body
/// when nothing outside touches it. Buffers of `keep` are never freed.
pub(crate) fn with_frees(events: Vec<Event>, keep: &[BufferId]) -> Vec<Event> {
    let per_event: Vec<Vec<BufferId>> = events.iter().map(touched).collect();
    let mut seen: BTreeMap<BufferId, (usize, usize)> = BTreeMap::new();
    for (i, list) in per_event.iter().enumerate() {
        for &b in list {
            let (count, last) = seen.entry(b).or_insert((0, i));
            *count += 1;
            *last = i;
        }
    }
    let mut out = Vec::new();
    for (i, event) in events.into_iter().enumerate() {
        let mut gone: Vec<BufferId> =
            per_event[i].iter().copied().filter(|b| seen[b].1 == i && !keep.contains(b)).collect();
        out.push(match event {
            Event::Loop { axis, body } => {
                let (inner, outer): (Vec<BufferId>, Vec<BufferId>) =
                    per_event[i].iter().partition(|b| seen[b].0 == 1 && !keep.contains(b));
                gone.retain(|b| !inner.contains(b));
                Event::Loop { axis, body: with_frees(body, &[keep, &outer].concat()) }
            }
            Event::Load { .. }
            | Event::Compute { .. }
            | Event::Combine { .. }
            | Event::Collect { .. }
            | Event::Collective { .. }
            | Event::Free { .. }
            | Event::Commit { .. }
            | Event::Output { .. } => event,
        });
        out.extend(gone.into_iter().map(|buffer| Event::Free { buffer }));
    }
    out
}
