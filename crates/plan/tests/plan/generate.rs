//! Random plans: of every shape the types allow, rarely legal.

use pullback_base::rng::CounterRng;
use pullback_base::{Id, IdMap};
use pullback_ir::region::IntervalSet;
use pullback_ir::{DType, Monoid};
use pullback_plan::*;

/// A plan that depends on the seed alone.
pub fn plan(seed: u64) -> Plan {
    let mut g = Generator { rng: CounterRng::new(seed, "plan"), at: 0 };
    let mesh = g.mesh();
    let axes = mesh.axes.len();
    let cuts = g.map(3, |g| Cut { size: g.size(), axes: g.axes(axes), sets: g.list(4, Generator::set) });
    let templates = g.map(3, |g| Template {
        ops: g.list(3, |g| TemplateOp { instr: g.id(), cuts: g.list(3, Generator::cut) }),
        inputs: g.list(3, Generator::id),
        outputs: g.list(3, Generator::id),
        scratch: g.number(),
    });
    let collectives = g.map(3, |g| Collective {
        kind: g.pick(&[CollectiveKind::AllReduce, CollectiveKind::ReduceScatter, CollectiveKind::AllGather]),
        monoid: g.pick(Monoid::ALL),
        dtype: g.pick(&DType::ALL),
        axes: g.axes(axes),
        groups: g.list(3, |g| g.list(3, Generator::id)),
        chunk: g.number(),
        items: g.list(3, |g| CollectiveItem { value: g.id(), from: g.layout(axes), to: g.layout(axes) }),
    });
    let devices = g.map(3, |g| DevicePlan {
        buffers: g.map(4, |g| Buffer {
            value: g.id(),
            layout: g.layout(axes),
            offset: g.number(),
            bytes: g.number(),
        }),
        entry: g.list(3, Generator::id),
        events: g.events(axes, 0),
        arena: g.number(),
    });
    Plan {
        identity: Identity {
            model: g.digest(),
            strategy: g.digest(),
            deployment: g.digest(),
            step: g.digest(),
        },
        signature: Signature {
            state: g.list(3, |g| StateSlot { name: g.name(), arg: g.size(), result: g.size() }),
            batch: g.list(3, |g| BatchSlot { name: g.name(), arg: g.size() }),
            outputs: g.list(3, |g| OutputSlot { name: g.name(), result: g.size() }),
        },
        mesh,
        cuts,
        templates,
        collectives,
        devices,
        certificate: Certificate {
            relation: g.name(),
            reasons: g.list(3, |g| Reason { about: g.name(), text: g.name() }),
        },
    }
}

struct Generator {
    rng: CounterRng,
    at: u64,
}

impl Generator {
    fn below(&mut self, bound: u64) -> u64 {
        self.at += 1;
        self.rng.below(self.at, bound)
    }

    fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len() as u64) as usize]
    }

    fn list<T>(&mut self, most: u64, mut item: impl FnMut(&mut Self) -> T) -> Vec<T> {
        (0..self.below(most + 1)).map(|_| item(self)).collect()
    }

    fn map<K: Id, V>(&mut self, most: u64, mut item: impl FnMut(&mut Self) -> V) -> IdMap<K, V> {
        let mut map = IdMap::new();
        for _ in 0..self.below(most + 1) {
            map.push(item(self));
        }
        map
    }

    /// Mostly small, at times the largest there is.
    fn number(&mut self) -> u64 {
        if self.below(20) == 0 { u64::MAX } else { self.below(5000) }
    }

    fn size(&mut self) -> usize {
        self.number() as usize
    }

    fn id<I: Id>(&mut self) -> I {
        let n = if self.below(40) == 0 { u32::MAX as usize } else { self.below(5) as usize };
        I::from_index(n)
    }

    fn digest(&mut self) -> Digest {
        Digest::of(&self.below(u64::MAX).to_le_bytes())
    }

    /// Plain names, keywords, and what needs quotes or escapes.
    fn name(&mut self) -> String {
        let words = [
            "data",
            "over",
            "none",
            "_",
            "c0",
            "7",
            "",
            "a b",
            "; no comment",
            "\"",
            "\\n\n\t\r\u{1}\u{85}",
            "ω→𝕏",
            "}",
        ];
        let parts = self.list(2, |g| g.pick(&words));
        parts.concat()
    }

    fn mesh(&mut self) -> Mesh {
        let mut axes: Vec<Axis> = Vec::new();
        for _ in 0..self.below(4) {
            let name = self.name();
            if axes.iter().all(|a| a.name != name) {
                let kind = self.pick(&[AxisKind::Space, AxisKind::Time]);
                axes.push(Axis { name, kind, size: 1 + self.below(3) as usize });
            }
        }
        let n = axes.iter().filter(|a| a.kind == AxisKind::Space).map(|a| a.size).product();
        let names: Vec<String> = (0..n).map(|_| self.name()).collect();
        Mesh::new(axes, &names).expect("the number of devices fits")
    }

    fn axes(&mut self, n: usize) -> Vec<AxisId> {
        if n == 0 { Vec::new() } else { self.list(2, |g| AxisId::from_index(g.below(n as u64) as usize)) }
    }

    fn set(&mut self) -> IntervalSet {
        let pairs = self.list(3, |g| {
            let lo = g.below(100) as usize;
            (lo, lo + g.below(20) as usize)
        });
        IntervalSet::from_intervals(pairs)
    }

    fn cut(&mut self) -> Option<CutId> {
        if self.below(2) == 0 { None } else { Some(self.id()) }
    }

    fn layout(&mut self, axes: usize) -> Layout {
        let dims = self.list(3, Self::cut);
        let pending =
            (self.below(3) == 0).then(|| Pending { monoid: self.pick(Monoid::ALL), axes: self.axes(axes) });
        Layout { dims, pending }
    }

    fn events(&mut self, axes: usize, depth: usize) -> Vec<Event> {
        self.list(8, |g| g.event(axes, depth))
    }

    fn event(&mut self, axes: usize, depth: usize) -> Event {
        let axis = |g: &mut Self| AxisId::from_index(g.below(axes as u64) as usize);
        match self.below(9) {
            0 => Event::Load { slot: self.below(4) as usize, into: self.id() },
            1 => Event::Compute {
                template: self.id(),
                inputs: self.list(3, Self::id),
                outputs: self.list(3, Self::id),
            },
            2 if axes > 0 => Event::Combine { from: self.id(), into: self.id(), axis: axis(self) },
            7 if axes > 0 => Event::Collect { from: self.id(), into: self.id(), axis: axis(self) },
            3 => Event::Collective {
                id: self.id(),
                inputs: self.list(3, Self::id),
                outputs: self.list(3, Self::id),
            },
            4 if axes > 0 && depth < text_depth() => {
                Event::Loop { axis: axis(self), body: self.events(axes, depth + 1) }
            }
            5 => Event::Commit { next: self.list(3, Self::id) },
            6 => Event::Output { slot: self.size(), from: self.id() },
            _ => Event::Free { buffer: self.id() },
        }
    }
}

fn text_depth() -> usize {
    pullback_plan::text::MAX_LOOPS
}
