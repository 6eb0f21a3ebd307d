//! Operations over windows.
//!
//! A monoid from its identity is an operation of the IR, where padding takes no part. Another initial value is in the
//! padding too, so it is written there first. Other regions are lifted: along each dimension, the last first, blocks
//! of 1, 2, 4, ... neighbours are folded and put together to the window's size, so elements combine in order.

use super::FuncLowering;
use super::lift::Body;
use super::reduce::{Reduced, all_monoids};
use crate::declared::Declared;
use crate::ops::{Issue, select_direction, window_dims};
use crate::tree::Node;
use pullback_ir::infer::infer;
use pullback_ir::{Comparison, DType, Monoid, Op, TensorType, Value, WindowDims};

impl<'a> FuncLowering<'_, 'a, '_> {
    pub(super) fn reduce_window(&mut self, node: &Node<'a>, written: &[Declared]) -> Result<(), Issue> {
        let window = window_dims(node)?;
        let values = if let [want] = written
            && let Some(monoid) = self.plain_monoid(node, 0, want.dtype())
            && let &[x, init] = &node.operands[..]
        {
            let unknown = || Issue::Reported;
            let (x, init) = (self.value(x).ok_or_else(unknown)?, self.value(init).ok_or_else(unknown)?);
            self.scalar_init(node, x, init)?;
            vec![self.window_monoid(&window, x, init, monoid)?]
        } else {
            self.window_general(node, &window)?
        };
        self.results(node, &values, written)
    }

    /// An initial value is a scalar of its operand's type.
    fn scalar_init(&self, node: &Node<'a>, x: Value, init: Value) -> Result<(), Issue> {
        let (x, init) = (self.b.ty(x), self.b.ty(init));
        if *init != TensorType::scalar(x.dtype()) {
            let (x, init) = (crate::types::mlir_type(x), crate::types::mlir_type(init));
            return Err(Issue::Error(format!("{} of {x} starts from {init}", node.name)));
        }
        Ok(())
    }

    fn window_general(&mut self, node: &Node<'a>, window: &WindowDims) -> Result<Vec<Value>, Issue> {
        let Reduced { operands, inits, body } = self.reduced(node)?;
        if let Some(monoids) = body.joins(operands.len()).and_then(|j| all_monoids(&j)) {
            let each = operands.iter().zip(&inits).zip(monoids);
            return each.map(|((&x, &init), monoid)| self.window_monoid(window, x, init, monoid)).collect();
        }
        let out = windows(self.b.ty(operands[0]), window)?;
        let mut starts = Vec::with_capacity(inits.len());
        for &init in &inits {
            starts.push(self.repeat(init, &out)?);
        }
        if out.contains(&0) {
            return Ok(starts);
        }
        let mut padded = Vec::with_capacity(operands.len());
        for (&x, &init) in operands.iter().zip(&inits) {
            padded.push(self.written_out(window, x, init)?);
        }
        let folded = self.fold_windows(node, &body, padded, window)?;
        self.apply(node, &body, &[starts, folded].concat(), &out)
    }

    fn window_monoid(
        &mut self,
        window: &WindowDims,
        x: Value,
        init: Value,
        monoid: Monoid,
    ) -> Result<Value, Issue> {
        let identity = self.is_identity_value(init, monoid);
        let op = |window| Op::ReduceWindow { window: Box::new(window), monoid };
        if identity || !pads(window) {
            let sum = self.add(op(window.clone()), &[x])?;
            return self.before(init, monoid, sum);
        }
        let out = windows(self.b.ty(x), window)?;
        if out.contains(&0) {
            return self.repeat(init, &out);
        }
        let padded = self.written_out(window, x, init)?;
        let n = window.sizes.len();
        let plain = WindowDims { base_dilations: vec![1; n], padding: vec![(0, 0); n], ..window.clone() };
        let sum = self.add(op(plain), &[padded])?;
        self.before(init, monoid, sum)
    }

    /// The operand with its padding and its dilation, which hold `fill`.
    fn written_out(&mut self, window: &WindowDims, x: Value, fill: Value) -> Result<Value, Issue> {
        if !pads(window) && window.padding.iter().all(|&p| p == (0, 0)) {
            return Ok(x);
        }
        let op = Op::Pad {
            low: window.padding.iter().map(|p| p.0).collect(),
            high: window.padding.iter().map(|p| p.1).collect(),
            interior: window.base_dilations.iter().map(|d| d - 1).collect(),
        };
        self.add(op, &[x, fill])
    }

    /// Folds each window of operands that are padded; there is at least one window.
    fn fold_windows(
        &mut self,
        node: &Node<'a>,
        body: &Body,
        mut values: Vec<Value>,
        window: &WindowDims,
    ) -> Result<Vec<Value>, Issue> {
        for d in (0..window.sizes.len()).rev() {
            let (size, dilation) = (window.sizes[d], window.window_dilations[d]);
            let span = Span { d, dilation, stride: window.strides[d] };
            let len = self.b.ty(values[0]).shape()[d];
            let windows = (len - (size - 1) * dilation - 1) / span.stride + 1;
            values = self.fold_dimension(node, body, values, span, (size, windows))?;
        }
        Ok(values)
    }

    /// Folds `size` elements for each of `windows` windows along one dimension.
    fn fold_dimension(
        &mut self,
        node: &Node<'a>,
        body: &Body,
        mut block: Vec<Value>,
        span: Span,
        (size, windows): (usize, usize),
    ) -> Result<Vec<Value>, Issue> {
        let mut whole: Option<Vec<Value>> = None;
        let (mut length, mut done) = (1, 0);
        // Blocks of the sizes that `size` is the sum of in binary, the smallest first in a window.
        loop {
            if size & length != 0 || (length * 2 == size && done == 0) {
                let halves = if length * 2 == size { 2 } else { 1 };
                for _ in 0..halves {
                    let part = self.at_windows(&block, span, done, windows)?;
                    whole = Some(match whole {
                        None => part,
                        Some(so_far) => {
                            let shape = self.shape(part[0]);
                            self.apply(node, body, &[so_far, part].concat(), &shape)?
                        }
                    });
                    done += length;
                }
            }
            if done == size {
                return Ok(whole.unwrap_or(block));
            }
            let len = self.b.ty(block[0]).shape()[span.d];
            let step = length * span.dilation;
            let mut pairs = Vec::with_capacity(2 * block.len());
            for from in [0, step] {
                for &x in &block {
                    pairs.push(self.cut(x, span.d, from..len - step + from, 1)?);
                }
            }
            let shape = self.shape(pairs[0]);
            block = self.apply(node, body, &pairs, &shape)?;
            length *= 2;
        }
    }

    /// Of each window, the block that begins at its element `first`.
    fn at_windows(
        &mut self,
        block: &[Value],
        span: Span,
        first: usize,
        windows: usize,
    ) -> Result<Vec<Value>, Issue> {
        let from = first * span.dilation;
        let to = from + (windows - 1) * span.stride + 1;
        block.iter().map(|&x| self.cut(x, span.d, from..to, span.stride)).collect()
    }

    pub(super) fn select_and_scatter(&mut self, node: &Node<'a>, written: &[Declared]) -> Result<(), Issue> {
        let window = window_dims(node)?;
        let &[x, source, init] = &self.values(node)?[..] else {
            return Err(Issue::Error(format!(
                "{} takes an operand, a source and an initial value",
                node.name
            )));
        };
        let [want] = written else {
            return Err(Issue::Error(format!("{} has one result", node.name)));
        };
        if node.regions.len() != 2 {
            return Err(Issue::Error(format!("{} has two regions, select and scatter", node.name)));
        }
        self.scalar_init(node, x, init)?;
        let direction = match select_direction(node) {
            Some(Comparison::Ge) => Some(false),
            Some(Comparison::Le) => Some(true),
            Some(Comparison::Eq | Comparison::Ne | Comparison::Gt | Comparison::Lt) | None => None,
        };
        let value = if let (Some(least), Some(monoid)) = (direction, self.plain_monoid(node, 1, want.dtype()))
        {
            let op = Op::SelectAndScatter { window: Box::new(window), least, monoid };
            let sum = self.add(op, &[x, source])?;
            self.before(init, monoid, sum)?
        } else {
            self.select_and_scatter_general(node, &window, [x, source, init])?
        };
        self.results(node, &[value], written)
    }

    /// Each window folds to the number of the element it selects, then the source is scattered there.
    fn select_and_scatter_general(
        &mut self,
        node: &Node<'a>,
        window: &WindowDims,
        [x, source, init]: [Value; 3],
    ) -> Result<Value, Issue> {
        let dtype = self.b.ty(x).dtype();
        let scatter = self.body(node, 1, &[])?;
        let to = self.combiner_types(node, &scatter, &[dtype])?[0];
        let select = self.selecting(node, dtype)?;
        let shape = self.shape(x);
        let windows = windows(self.b.ty(x), window)?;
        if self.shape(source) != windows {
            let have = crate::types::mlir_type(self.b.ty(source));
            return Err(Issue::Error(format!(
                "{}: the source is {have} where windows are {windows:?}",
                node.name
            )));
        }
        let init = self.convert(init, to)?;
        let start = self.repeat(init, &shape)?;
        if windows.contains(&0) || shape.contains(&0) {
            return Ok(start);
        }
        let count: usize = shape.iter().product();
        let numbers = TensorType::try_new(DType::I64, vec![count])
            .ok_or_else(|| Issue::Error(format!("{}: the operand is too large", node.name)))?;
        let numbers = self.add(Op::Iota { ty: numbers, dim: 0 }, &[])?;
        let numbers = self.reshape(numbers, &shape)?;
        let (none, fill) = (self.number(DType::I64, -1.0), self.number(dtype, 0.0));
        let padded = vec![self.written_out(window, x, fill)?, self.written_out(window, numbers, none)?];
        let selected = self.fold_windows(node, &select, padded, window)?[1];
        let n: usize = windows.iter().product();
        let selected = self.reshape(selected, &[n, 1])?;
        let source = self.convert(source, to)?;
        let source = self.reshape(source, &[n, 1])?;
        let flat = self.reshape(start, &[count])?;
        let out = self.scatter_flat(node, &scatter, vec![flat], selected, &[source], false)?;
        self.reshape(out[0], &shape)
    }
}

/// One dimension of a window.
#[derive(Clone, Copy)]
struct Span {
    d: usize,
    dilation: usize,
    stride: usize,
}

/// Whether a window may see what is not an element.
fn pads(window: &WindowDims) -> bool {
    window.padding.iter().any(|p| p.0 > 0 || p.1 > 0) || window.base_dilations.iter().any(|&d| d > 1)
}

/// How many windows there are along each dimension; checks the window's attributes.
fn windows(x: &TensorType, window: &WindowDims) -> Result<Vec<usize>, Issue> {
    // What is counted does not depend on how elements combine.
    let monoid = if x.dtype() == DType::Bool { Monoid::Or } else { Monoid::Add };
    let op = Op::ReduceWindow { window: Box::new(window.clone()), monoid };
    match infer(&op, &[x]) {
        Ok(types) => Ok(types[0].shape().to_vec()),
        Err(e) => Err(Issue::Type(e)),
    }
}
