//! Reading plans: recursive descent over the text, section by section, in the order in which they are printed.
//!
//! Memory is bounded by the text's length, recursion by [`MAX_LOOPS`]. Each error carries its position and, as
//! help, the form that the line should have.

use super::scan::{Result, Scanner};
use super::{MAX_AXES, MAX_AXIS_SIZE, MAX_COORDS, MAX_LOOPS, VERSION};
use crate::digest::Digest;
use crate::layout::{Cut, CutId, Layout, Pending};
use crate::mesh::{Axis, AxisId, AxisKind, DeviceId, Mesh};
use crate::plan::{
    Buffer, BufferId, Certificate, Collective, CollectiveId, CollectiveItem, CollectiveKind, DevicePlan,
    Event, Identity, Plan, Reason, Template, TemplateId, TemplateOp,
};
use crate::signature::{BatchSlot, OutputSlot, Signature, StateSlot};
use pullback_base::{Diagnostic, Id, IdMap};
use pullback_ir::region::IntervalSet;
use pullback_ir::{DType, Monoid, Value};

/// The plan a text says.
///
/// ```
/// let error = pullback_plan::text::parse("pullback plan 2\nidentity { model abc").unwrap_err();
/// assert!(error.to_string().starts_with("2:18: "), "{error}");
/// ```
pub fn parse(text: &str) -> Result<Plan> {
    if u32::try_from(text.len()).is_err() {
        return Err(Diagnostic::unsupported(None, "a plan of more than 4 GiB of text"));
    }
    let mut parser = Parser { s: Scanner::new(text), mesh: Mesh { axes: vec![], places: vec![] }, form: "" };
    parser.plan().map_err(|e| match e.help {
        Some(_) => e,
        None => e.with_help(format!("the form is: {}", parser.form)),
    })
}

struct Parser<'a> {
    s: Scanner<'a>,
    /// Filled by the mesh section; names of axes are looked up here.
    mesh: Mesh,
    /// What is being read, for help.
    form: &'static str,
}

impl Parser<'_> {
    fn plan(&mut self) -> Result<Plan> {
        self.header()?;
        let identity = self.identity()?;
        let signature = self.signature()?;
        self.mesh()?;
        let cuts = self.cuts()?;
        let mut templates = IdMap::new();
        while self.s.eat_word("template") {
            let t = self.template(templates.len())?;
            templates.push(t);
        }
        let mut collectives = IdMap::new();
        while self.s.eat_word("collective") {
            let k = self.collective(collectives.len())?;
            collectives.push(k);
        }
        let mut devices = IdMap::new();
        while self.s.eat_word("device") {
            let d = self.device(devices.len())?;
            devices.push(d);
        }
        self.form = "template ..., collective ..., device ..., certificate ..., in this order, then the end";
        let certificate = self.certificate()?;
        self.s.end()?;
        let mesh = std::mem::replace(&mut self.mesh, Mesh { axes: vec![], places: vec![] });
        Ok(Plan { identity, signature, mesh, cuts, templates, collectives, devices, certificate })
    }

    fn header(&mut self) -> Result<()> {
        self.form = "pullback plan 2 (a plan is written by `pullback plan FOLDER -o FILE`)";
        let at = self.s.at();
        if !self.s.eat_word("pullback") || !self.s.eat_word("plan") {
            return Err(self.s.error(at, "this is not a plan: it does not begin with `pullback plan 2`"));
        }
        let at = self.s.at();
        match self.s.number()? {
            VERSION => Ok(()),
            n => Err(Diagnostic::unsupported(
                self.s.pos(at),
                format!("plan version {n}; this program reads version {VERSION}"),
            )
            .with_help("make the plan again with this program, or read it with the one that made it")),
        }
    }

    fn open(&mut self, section: &str) -> Result<()> {
        self.s.keyword(section)?;
        self.s.expect(b'{')
    }

    fn identity(&mut self) -> Result<Identity> {
        self.form = "identity { model DIGEST strategy DIGEST deployment DIGEST step DIGEST }";
        self.open("identity")?;
        let mut digest = |name: &str| -> Result<Digest> {
            self.s.keyword(name)?;
            let at = self.s.at();
            self.s.word("a digest")?.parse().map_err(|e: String| self.s.error(at, e))
        };
        let identity = Identity {
            model: digest("model")?,
            strategy: digest("strategy")?,
            deployment: digest("deployment")?,
            step: digest("step")?,
        };
        self.s.expect(b'}')?;
        Ok(identity)
    }

    fn signature(&mut self) -> Result<Signature> {
        self.form = "signature { state \"NAME\" argument N result N ... batch \"NAME\" argument N ... output \"NAME\" result N ... }";
        self.open("signature")?;
        let mut signature = Signature::default();
        let s = &mut self.s;
        while s.eat_word("state") {
            let name = s.string("a name")?;
            s.keyword("argument")?;
            let arg = s.size()?;
            s.keyword("result")?;
            signature.state.push(StateSlot { name, arg, result: s.size()? });
        }
        while s.eat_word("batch") {
            let name = s.string("a name")?;
            s.keyword("argument")?;
            signature.batch.push(BatchSlot { name, arg: s.size()? });
        }
        while s.eat_word("output") {
            let name = s.string("a name")?;
            s.keyword("result")?;
            signature.outputs.push(OutputSlot { name, result: s.size()? });
        }
        s.expect(b'}')?;
        Ok(signature)
    }

    fn mesh(&mut self) -> Result<()> {
        self.form = "mesh { axis NAME space|time SIZE ... @w0 \"DEVICE\" at (COORDINATE, ...) ... }";
        let at = self.s.at();
        self.open("mesh")?;
        let axes = self.axes()?;
        let mut names = Vec::new();
        let mut coords = Vec::new();
        while self.s.peek() == Some(b'@') {
            self.next_id::<DeviceId>(names.len(), "@w", "a device")?;
            names.push(self.s.string("a device's name")?);
            self.s.keyword("at")?;
            let at = self.s.at();
            coords.push((at, self.list(|p| p.s.size())?));
        }
        self.s.expect(b'}')?;
        let Some(mesh) = Mesh::new(axes, &names) else {
            return Err(self
                .s
                .error(at, format!("the space axes do not make up {} devices", names.len()))
                .with_help("the sizes of the space axes multiply to the number of devices"));
        };
        for (place, (at, coord)) in mesh.places.iter().zip(coords) {
            if place.coord != coord {
                let want = format!("device {:?} is at {:?}", place.device, place.coord);
                return Err(self
                    .s
                    .error(at, want)
                    .with_help("devices fill the space axes row-major, the last axis fastest"));
            }
        }
        self.mesh = mesh;
        Ok(())
    }

    fn axes(&mut self) -> Result<Vec<Axis>> {
        let mut axes: Vec<Axis> = Vec::new();
        let mut coords = 1usize;
        while self.s.eat_word("axis") {
            let at = self.s.at();
            let name = self.s.symbol("a name")?;
            if axes.iter().any(|a| a.name == name) {
                return Err(self.s.error(at, format!("axis {name:?} is defined twice")));
            }
            let kind = match self.s.peek_word() {
                "space" => AxisKind::Space,
                "time" => AxisKind::Time,
                _ => return Err(self.s.expected("`space` or `time`")),
            };
            self.s.word("a kind")?;
            let size_at = self.s.at();
            let size = self.s.size()?;
            if size == 0 || size > MAX_AXIS_SIZE {
                let message = format!("axis {name:?} has {size} coordinates, not 1 to {MAX_AXIS_SIZE}");
                return Err(self.s.error(size_at, message));
            }
            coords = coords.saturating_mul(size);
            if coords > MAX_COORDS || axes.len() == MAX_AXES {
                let message = format!("more than {MAX_AXES} axes or {MAX_COORDS} coordinates");
                return Err(Diagnostic::unsupported(self.s.pos(at), message));
            }
            axes.push(Axis { name, kind, size });
        }
        Ok(axes)
    }

    fn cuts(&mut self) -> Result<IdMap<CutId, Cut>> {
        self.form = "cuts { c0 = SIZE over AXIS, ...: 0..4 | 4..6 | none ... }";
        self.open("cuts")?;
        let mut cuts = IdMap::new();
        while self.s.peek() == Some(b'c') {
            self.next_id::<CutId>(cuts.len(), "c", "a cut")?;
            self.s.expect(b'=')?;
            let size = self.s.size()?;
            let axes = self.over()?;
            self.s.expect(b':')?;
            let mut sets = Vec::new();
            if self.s.peek_word() == "none" || self.s.peek().is_some_and(|b| b.is_ascii_digit()) {
                sets.push(self.set()?);
                while self.s.eat(b'|') {
                    sets.push(self.set()?);
                }
            }
            cuts.push(Cut { size, axes, sets });
        }
        self.s.expect(b'}')?;
        Ok(cuts)
    }

    fn set(&mut self) -> Result<IntervalSet> {
        let at = self.s.at();
        self.s.intervals().parse().map_err(|e: String| self.s.error(at, e))
    }

    fn template(&mut self, n: usize) -> Result<Template> {
        self.form = "template t0 (%3, ...) -> (%5, ...) scratch BYTES { @12 [c0, _] ... }";
        self.next_id::<TemplateId>(n, "t", "a template")?;
        let inputs = self.values()?;
        self.s.arrow()?;
        let outputs = self.values()?;
        self.s.keyword("scratch")?;
        let scratch = self.s.number()?;
        self.s.expect(b'{')?;
        let mut ops = Vec::new();
        while !self.s.eat(b'}') {
            ops.push(TemplateOp { instr: self.s.id("@", "an op")?, cuts: self.cut_list()? });
        }
        Ok(Template { ops, inputs, outputs, scratch })
    }

    fn collective(&mut self, n: usize) -> Result<Collective> {
        self.form = "collective k0 KIND MONOID DTYPE over AXIS, ... chunk BYTES { group (@w0, ...) ... item %7 LAYOUT -> LAYOUT ... }";
        self.next_id::<CollectiveId>(n, "k", "a collective")?;
        let kinds = [CollectiveKind::AllReduce, CollectiveKind::ReduceScatter, CollectiveKind::AllGather];
        let kind = self.named("all_reduce, reduce_scatter or all_gather", |name| {
            kinds.into_iter().find(|k| k.name() == name)
        })?;
        let monoid = self.monoid()?;
        let dtype = self.named("an element type", DType::from_name)?;
        let axes = self.over()?;
        self.s.keyword("chunk")?;
        let chunk = self.s.number()?;
        self.s.expect(b'{')?;
        let mut groups = Vec::new();
        while self.s.eat_word("group") {
            groups.push(self.list(|p| p.s.id("@w", "a device"))?);
        }
        let mut items = Vec::new();
        while self.s.eat_word("item") {
            let value = self.value()?;
            let from = self.layout()?;
            self.s.arrow()?;
            items.push(CollectiveItem { value, from, to: self.layout()? });
        }
        self.s.expect(b'}')?;
        Ok(Collective { kind, monoid, dtype, axes, groups, chunk, items })
    }

    fn device(&mut self, n: usize) -> Result<DevicePlan> {
        self.form =
            "device @w0 arena BYTES { b0: %7 LAYOUT at OFFSET bytes BYTES ... entry (b0, ...) EVENT ... }";
        self.next_id::<DeviceId>(n, "@w", "a device")?;
        self.s.keyword("arena")?;
        let arena = self.s.number()?;
        self.s.expect(b'{')?;
        let mut buffers = IdMap::new();
        while self.s.peek() == Some(b'b') {
            self.next_id::<BufferId>(buffers.len(), "b", "a buffer")?;
            self.s.expect(b':')?;
            let (value, layout) = (self.value()?, self.layout()?);
            self.s.keyword("at")?;
            let offset = self.s.number()?;
            self.s.keyword("bytes")?;
            buffers.push(Buffer { value, layout, offset, bytes: self.s.number()? });
        }
        self.s.keyword("entry")?;
        let entry = self.buffers()?;
        let events = self.events(0)?;
        Ok(DevicePlan { buffers, entry, events, arena })
    }

    /// Events up to `}`, within `depth` loops.
    fn events(&mut self, depth: usize) -> Result<Vec<Event>> {
        let mut events = Vec::new();
        while !self.s.eat(b'}') {
            events.push(self.event(depth)?);
        }
        Ok(events)
    }

    fn event(&mut self, depth: usize) -> Result<Event> {
        self.form = "load SLOT -> b0 | compute t0 (b0, ...) -> (b1, ...) | combine b0 -> b1 over AXIS | collect b0 -> b1 over AXIS | collective k0 (b0, ...) -> (b1, ...) | loop AXIS { ... } | free b0 | output SLOT b0 | commit (b0, ...)";
        let at = self.s.at();
        Ok(match self.s.word("an event or `}`")? {
            "load" => {
                let slot = self.s.size()?;
                self.s.arrow()?;
                Event::Load { slot, into: self.buffer()? }
            }
            "compute" => {
                let template = self.s.id("t", "a template")?;
                let inputs = self.buffers()?;
                self.s.arrow()?;
                Event::Compute { template, inputs, outputs: self.buffers()? }
            }
            word @ ("combine" | "collect") => {
                let from = self.buffer()?;
                self.s.arrow()?;
                let into = self.buffer()?;
                self.s.keyword("over")?;
                let axis = self.axis()?;
                match word {
                    "combine" => Event::Combine { from, into, axis },
                    _ => Event::Collect { from, into, axis },
                }
            }
            "collective" => {
                let id = self.s.id("k", "a collective")?;
                let inputs = self.buffers()?;
                self.s.arrow()?;
                Event::Collective { id, inputs, outputs: self.buffers()? }
            }
            "loop" => {
                if depth == MAX_LOOPS {
                    let message = format!("loops nested more than {MAX_LOOPS} deep");
                    return Err(Diagnostic::unsupported(self.s.pos(at), message));
                }
                let axis = self.axis()?;
                self.s.expect(b'{')?;
                Event::Loop { axis, body: self.events(depth + 1)? }
            }
            "free" => Event::Free { buffer: self.buffer()? },
            "output" => Event::Output { slot: self.s.size()?, from: self.buffer()? },
            "commit" => Event::Commit { next: self.buffers()? },
            other => return Err(self.s.error(at, format!("`{other}` is not an event"))),
        })
    }

    fn certificate(&mut self) -> Result<Certificate> {
        self.s.keyword("certificate")?;
        self.form = "certificate \"RELATION\" { reason \"ABOUT\" \"TEXT\" ... }";
        let relation = self.s.string("a relation")?;
        self.s.expect(b'{')?;
        let mut reasons = Vec::new();
        while self.s.eat_word("reason") {
            let about = self.s.string("what the reason is about")?;
            reasons.push(Reason { about, text: self.s.string("the reason")? });
        }
        self.s.expect(b'}')?;
        Ok(Certificate { relation, reasons })
    }

    /// The id of the next definition, which is the `n`-th.
    fn next_id<I: Id + std::fmt::Display>(&mut self, n: usize, prefix: &str, what: &str) -> Result<()> {
        let at = self.s.at();
        let id: I = self.s.id(prefix, what)?;
        if id.index() == n {
            return Ok(());
        }
        let message = format!("the next id is {}, not {id}", I::from_index(n));
        Err(self.s.error(at, message).with_help("ids are numbered densely, in order of definition"))
    }

    fn named<T>(&mut self, what: &str, find: impl Fn(&str) -> Option<T>) -> Result<T> {
        match find(self.s.peek_word()) {
            Some(found) => self.s.word(what).map(|_| found),
            None => Err(self.s.expected(what)),
        }
    }

    fn monoid(&mut self) -> Result<Monoid> {
        self.named("a monoid (add, multiply, maximum, minimum, and, or)", Monoid::from_name)
    }

    fn axis(&mut self) -> Result<AxisId> {
        let at = self.s.at();
        let name = self.s.symbol("an axis")?;
        self.mesh.axis_named(&name).ok_or_else(|| {
            let names: Vec<&str> = self.mesh.axes.iter().map(|a| a.name.as_str()).collect();
            self.s
                .error(at, format!("the mesh has no axis {name:?}"))
                .with_help(format!("its axes are: {}", names.join(", ")))
        })
    }

    /// `over a, b`, or nothing.
    fn over(&mut self) -> Result<Vec<AxisId>> {
        let mut axes = Vec::new();
        if self.s.eat_word("over") {
            axes.push(self.axis()?);
            while self.s.eat(b',') {
                axes.push(self.axis()?);
            }
        }
        Ok(axes)
    }

    fn value(&mut self) -> Result<Value> {
        self.s.id("%", "a value")
    }

    fn buffer(&mut self) -> Result<BufferId> {
        self.s.id("b", "a buffer")
    }

    fn values(&mut self) -> Result<Vec<Value>> {
        self.list(Self::value)
    }

    fn buffers(&mut self) -> Result<Vec<BufferId>> {
        self.list(Self::buffer)
    }

    /// `(a, b, ...)`
    fn list<T>(&mut self, entry: impl Fn(&mut Self) -> Result<T>) -> Result<Vec<T>> {
        self.s.expect(b'(')?;
        self.rest_of_list(b')', entry)
    }

    fn rest_of_list<T>(&mut self, close: u8, entry: impl Fn(&mut Self) -> Result<T>) -> Result<Vec<T>> {
        let mut list = Vec::new();
        while !self.s.eat(close) {
            if !list.is_empty() {
                self.s.expect(b',')?;
            }
            list.push(entry(self)?);
        }
        Ok(list)
    }

    /// `[c0, _]`
    fn cut_list(&mut self) -> Result<Vec<Option<CutId>>> {
        self.s.expect(b'[')?;
        self.rest_of_list(b']', |p| {
            if p.s.eat_word("_") { Ok(None) } else { p.s.id("c", "`_` or a cut").map(Some) }
        })
    }

    fn layout(&mut self) -> Result<Layout> {
        let dims = self.cut_list()?;
        if !self.s.eat_word("pending") {
            return Ok(Layout { dims, pending: None });
        }
        let monoid = self.monoid()?;
        let axes = self.list(Self::axis)?;
        Ok(Layout { dims, pending: Some(Pending { monoid, axes }) })
    }
}
