//! Scatters of any number of operands by any region.
//!
//! What joins by a monoid, or replaces, is a scatter of the IR for each operand. Other regions are lifted, over
//! positions in the flat operand: all at once where no two updates meet, else in a loop over the index vectors, in
//! row-major order, each with its window at once.

use super::FuncLowering;
use super::lift::{Body, Join, lift};
use crate::declared::Declared;
use crate::ops::{Issue, joins_simply, scatter_dims};
use crate::tree::Node;
use pullback_ir::infer::infer;
use pullback_ir::{BinaryOp, Builder, Comparison, DType, GatherDims, Op, ScatterDims, TensorType, Value};

impl<'a> FuncLowering<'_, 'a, '_> {
    pub(super) fn scatter(&mut self, node: &Node<'a>, written: &[Declared]) -> Result<(), Issue> {
        let dims = scatter_dims(node)?;
        let values = self.values(node)?;
        let n = values.len() / 2;
        if n == 0 || values.len() != 2 * n + 1 {
            return Err(Issue::Error(format!("{} takes operands, indices and as many updates", node.name)));
        }
        let (operands, indices, updates) = (&values[..n], values[n], &values[n + 1..]);
        let dtype = self.b.ty(operands[0]).dtype();
        let simple = if n == 1 && written.iter().all(|t| t.dtype() == dtype) {
            joins_simply(node, dtype)
        } else {
            None
        };
        let results = if let Some(combiner) = simple {
            let op = Op::Scatter { dims: Box::new(dims), combiner };
            vec![self.add(op, &[operands[0], indices, updates[0]])?]
        } else {
            self.scatter_by_region(node, &dims, operands, indices, updates)?
        };
        self.results(node, &results, written)
    }

    fn scatter_by_region(
        &mut self,
        node: &Node<'a>,
        dims: &ScatterDims,
        operands: &[Value],
        indices: Value,
        updates: &[Value],
    ) -> Result<Vec<Value>, Issue> {
        let elements: Vec<DType> = operands.iter().map(|&x| self.b.ty(x).dtype()).collect();
        let body = self.body(node, 0, &elements)?;
        let types = self.combiner_types(node, &body, &elements)?;
        let plain = Op::Scatter { dims: Box::new(dims.clone()), combiner: None };
        let (mut xs, mut us) = (Vec::new(), Vec::new());
        for ((&x, &u), &dtype) in operands.iter().zip(updates).zip(&types) {
            let (x, u) = (self.convert(x, dtype)?, self.convert(u, dtype)?);
            infer(&plain, &[self.b.ty(x), self.b.ty(indices), self.b.ty(u)])?;
            xs.push(x);
            us.push(u);
        }
        if let Some(joins) = body.joins(xs.len()) {
            let mut out = Vec::with_capacity(xs.len());
            for ((&x, &u), join) in xs.iter().zip(&us).zip(joins) {
                let combiner = match join {
                    Join::Monoid(m) => Some(m),
                    Join::Second => None,
                };
                out.push(self.add(Op::Scatter { dims: Box::new(dims.clone()), combiner }, &[x, indices, u])?);
            }
            return Ok(out);
        }
        let shape = self.shape(xs[0]);
        if xs.iter().any(|&x| self.b.ty(x).shape() != shape)
            || us.iter().any(|&u| self.b.ty(u).shape() != self.b.ty(us[0]).shape())
        {
            return Err(Issue::Error(format!("{}: operands or updates differ in shape", node.name)));
        }
        if self.b.ty(us[0]).count() == 0 || shape.contains(&0) {
            return Ok(xs);
        }
        let (mut flat, mut rows) = (Vec::new(), Vec::new());
        let positions = self.positions(dims, &shape, indices, us[0])?;
        let by_vector = self.shape(positions);
        for (&x, &u) in xs.iter().zip(&us) {
            let count = self.b.ty(x).count();
            flat.push(self.reshape(x, &[count])?);
            rows.push(self.update_rows(dims, u, &by_vector)?);
        }
        let out = self.scatter_flat(node, &body, flat, positions, &rows, dims.unique_indices)?;
        out.into_iter().map(|x| self.reshape(x, &shape)).collect()
    }

    /// Updates as a row for each index vector.
    fn update_rows(&mut self, dims: &ScatterDims, updates: Value, rows: &[usize]) -> Result<Value, Issue> {
        let rank = self.b.ty(updates).rank();
        let scattered = (0..rank).filter(|d| !dims.update_window_dims.contains(d));
        let permutation: Vec<usize> = scattered.chain(dims.update_window_dims.iter().copied()).collect();
        let updates = if permutation.is_sorted() {
            updates
        } else {
            self.add(Op::Transpose { permutation }, &[updates])?
        };
        self.reshape(updates, rows)
    }

    /// For each index vector, for each element of its window in row-major order: the element's number in the
    /// operand, -1 where it is outside. Types were found to fit.
    fn positions(
        &mut self,
        dims: &ScatterDims,
        shape: &[usize],
        indices: Value,
        updates: Value,
    ) -> Result<Value, Issue> {
        let updated = self.shape(updates);
        let window: Vec<usize> = dims.update_window_dims.iter().map(|&d| updated[d]).collect();
        let mut vectors = self.shape(indices);
        let length =
            if dims.index_vector_dim < vectors.len() { vectors.remove(dims.index_vector_dim) } else { 1 };
        let (m, w) = (vectors.iter().product(), window.iter().product());
        let columns = self.index_columns(dims, indices, m, length)?;
        let (mut sum, mut inside) = (None, None);
        let (mut stride, mut next_window) = (1i64, window.len());
        for d in (0..shape.len()).rev() {
            let batching = dims.input_batching_dims.iter().position(|&b| b == d);
            let mut index = if let Some(k) = dims.scatter_dims_to_operand_dims.iter().position(|&o| o == d) {
                let column = self.cut(columns, 1, k..k + 1, 1)?;
                let column = self.reshape(column, &[m])?;
                Some(self.along_box(column, &[m, w], 0)?)
            } else if let Some(k) = batching {
                let at = dims.scatter_indices_batching_dims[k];
                let at = at - usize::from(at > dims.index_vector_dim);
                let number = self.count_along(&vectors, at)?;
                let number = self.reshape(number, &[m])?;
                Some(self.along_box(number, &[m, w], 0)?)
            } else {
                None
            };
            if batching.is_none() && !dims.inserted_window_dims.contains(&d) {
                next_window -= 1;
                let offset = self.count_along(&window, next_window)?;
                let offset = self.reshape(offset, &[w])?;
                let offset = self.along_box(offset, &[m, w], 1)?;
                index = Some(match index {
                    None => offset,
                    Some(start) => self.binary(BinaryOp::Add, start, offset)?,
                });
            }
            if let Some(index) = index {
                let (zero, size) = (self.whole(0, &[m, w])?, self.whole(shape[d] as i64, &[m, w])?);
                let low = self.compare(Comparison::Ge, index, zero)?;
                let high = self.compare(Comparison::Lt, index, size)?;
                let fits = self.binary(BinaryOp::And, low, high)?;
                inside = Some(self.joined(BinaryOp::And, inside, fits)?);
                let stride = self.whole(stride, &[m, w])?;
                let term = self.binary(BinaryOp::Multiply, index, stride)?;
                sum = Some(self.joined(BinaryOp::Add, sum, term)?);
            }
            stride = stride.saturating_mul(shape[d] as i64);
        }
        let (Some(sum), Some(inside)) = (sum, inside) else { return self.whole(0, &[m, w]) };
        let outside = self.whole(-1, &[m, w])?;
        self.add(Op::Select, &[inside, sum, outside])
    }

    fn joined(&mut self, op: BinaryOp, so_far: Option<Value>, more: Value) -> Result<Value, Issue> {
        match so_far {
            None => Ok(more),
            Some(x) => self.binary(op, x, more),
        }
    }

    /// Index vectors as rows of i64.
    fn index_columns(
        &mut self,
        dims: &ScatterDims,
        indices: Value,
        m: usize,
        length: usize,
    ) -> Result<Value, Issue> {
        let rank = self.b.ty(indices).rank();
        let mut x = self.convert(indices, DType::I64)?;
        if dims.index_vector_dim + 1 < rank {
            let others = (0..rank).filter(|&d| d != dims.index_vector_dim);
            let permutation = others.chain([dims.index_vector_dim]).collect();
            x = self.add(Op::Transpose { permutation }, &[x])?;
        }
        self.reshape(x, &[m, length])
    }

    /// The index along dimension `d` of a box, i64.
    fn count_along(&mut self, shape: &[usize], d: usize) -> Result<Value, Issue> {
        let ty = TensorType::try_new(DType::I64, shape.to_vec())
            .ok_or_else(|| Issue::Error("scatter: the updates are too large".to_owned()))?;
        self.add(Op::Iota { ty, dim: d }, &[])
    }

    /// A vector along dimension `d` of a box.
    fn along_box(&mut self, x: Value, shape: &[usize], d: usize) -> Result<Value, Issue> {
        self.add(Op::BroadcastInDim { shape: shape.to_vec(), dims: vec![d] }, &[x])
    }

    /// An i64 in every element.
    fn whole(&mut self, n: i64, shape: &[usize]) -> Result<Value, Issue> {
        let scalar = self.number(DType::I64, n as f64);
        self.repeat(scalar, shape)
    }

    /// Joins rows of updates (`[m, w]`) to flat operands at positions (`[m, w]`, i64; negative: nowhere). Positions
    /// in one row differ; with `unique`, all do.
    pub(super) fn scatter_flat(
        &mut self,
        node: &Node<'a>,
        body: &Body,
        operands: Vec<Value>,
        positions: Value,
        updates: &[Value],
        unique: bool,
    ) -> Result<Vec<Value>, Issue> {
        let shape = self.shape(positions);
        let (m, w) = (shape[0], shape[1]);
        let n = operands.len();
        if unique || m == 1 {
            let args = [&operands[..], &[positions], updates, &body.captured[..]].concat();
            let before = self.b.so_far().instrs().len();
            let out = join_at(&mut self.b, body, &args, n, &shape);
            self.spend(self.b.so_far().instrs().len() - before)?;
            return out.map_err(|e| self.unliftable(node, e));
        }
        let counter = self.number(DType::I64, 0.0);
        let carried: Vec<Value> = [&[counter], &operands[..]].concat();
        let captured: Vec<Value> = [&[positions], updates, &body.captured[..]].concat();
        let operands = [carried.clone(), captured].concat();
        let types: Vec<TensorType> = operands.iter().map(|&v| self.b.ty(v).clone()).collect();
        let made = rows_loop(body, &types, n, [m, w]);
        let op = made.map_err(|e| self.unliftable(node, e))?;
        self.spend(op.regions().iter().map(|r| r.instrs().len()).sum::<usize>() + 1)?;
        let mut results = self.b.push(op, &operands)?;
        results.remove(0);
        Ok(results)
    }

    /// What a selection of select_and_scatter folds: of two elements and their numbers, the selected one. A negative
    /// number is no element.
    pub(super) fn selecting(&mut self, node: &Node<'a>, dtype: DType) -> Result<Body, Issue> {
        let select = self.body(node, 0, &[])?;
        let scalar = TensorType::scalar(dtype);
        let own = &select.program.args()[..select.program.args().len() - select.captured.len()];
        let fits = own.len() == 2
            && own.iter().all(|&a| *select.program.ty(a) == scalar)
            && select.results() == [TensorType::scalar(DType::Bool)];
        if !fits {
            return Err(Issue::Error(format!("{}: select compares two elements of the operand", node.name)));
        }
        let wrong = |e: pullback_ir::TypeError| Issue::Type(e);
        let mut b = Builder::new("select");
        let number = TensorType::scalar(DType::I64);
        let own: Vec<Value> =
            [&scalar, &number, &scalar, &number].into_iter().map(|ty| b.arg(None, ty.clone())).collect();
        let captured: Vec<Value> =
            select.captured.iter().map(|&v| b.arg(None, self.b.ty(v).clone())).collect();
        let args = [&[own[0], own[2]], &captured[..]].concat();
        let selected = b.inline(&select.program, &args, None).map_err(wrong)?[0];
        let zero = b.splat(&number, 0.0);
        let here = b.compare(Comparison::Ge, own[1], zero).map_err(wrong)?;
        let not_there = b.compare(Comparison::Lt, own[3], zero).map_err(wrong)?;
        let first = b.binary(BinaryOp::And, here, selected).map_err(wrong)?;
        let first = b.binary(BinaryOp::Or, not_there, first).map_err(wrong)?;
        let results = [
            b.select(first, own[0], own[2]).map_err(wrong)?,
            b.select(first, own[1], own[3]).map_err(wrong)?,
        ];
        Ok(Body { program: b.finish(&results), captured: select.captured })
    }
}

type L<T> = Result<T, super::lift::Unliftable>;

/// Of `n` flat operands, positions, updates and captured values: the operands with updates joined. No two positions
/// are the same.
fn join_at(b: &mut Builder, body: &Body, args: &[Value], n: usize, shape: &[usize]) -> L<Vec<Value>> {
    let positions = args[n];
    let gather = GatherDims {
        offset_dims: Vec::new(),
        collapsed_slice_dims: vec![0],
        operand_batching_dims: Vec::new(),
        start_indices_batching_dims: Vec::new(),
        start_index_map: vec![0],
        index_vector_dim: shape.len(),
        slice_sizes: vec![1],
        indices_are_sorted: false,
    };
    let scatter = ScatterDims {
        update_window_dims: Vec::new(),
        inserted_window_dims: vec![0],
        input_batching_dims: Vec::new(),
        scatter_indices_batching_dims: Vec::new(),
        scatter_dims_to_operand_dims: vec![0],
        index_vector_dim: shape.len(),
        indices_are_sorted: false,
        unique_indices: false,
    };
    let mut values = Vec::with_capacity(args.len());
    for &x in &args[..n] {
        // A position that is nowhere reads some element; what becomes of it is dropped.
        values.push(b.push1(Op::Gather(Box::new(gather.clone())), &[x, positions])?);
    }
    values.extend(&args[n + 1..]);
    let joined = lift(b, &body.program, &values, shape)?;
    let mut out = Vec::with_capacity(n);
    for (&x, new) in args[..n].iter().zip(joined) {
        let op = Op::Scatter { dims: Box::new(scatter.clone()), combiner: None };
        out.push(b.push1(op, &[x, positions, new])?);
    }
    Ok(out)
}

/// A loop over `m` rows of `w` positions: carried are the row's number and `n` operands, captured are positions,
/// updates and what the body captured.
fn rows_loop(body: &Body, types: &[TensorType], n: usize, [m, w]: [usize; 2]) -> L<Op> {
    let mut cond = Builder::new("cond");
    let args: Vec<Value> = types.iter().map(|ty| cond.arg(None, ty.clone())).collect();
    let end = cond.splat(&types[0], m as f64);
    let holds = cond.compare(Comparison::Lt, args[0], end)?;
    let cond = cond.finish(&[holds]);

    let mut b = Builder::new("body");
    let args: Vec<Value> = types.iter().map(|ty| b.arg(None, ty.clone())).collect();
    let zero = b.splat(&types[0], 0.0);
    let mut inner: Vec<Value> = args[1..=n].to_vec();
    for &rows in &args[1 + n..2 + 2 * n] {
        let row = b.push1(Op::DynamicSlice { sizes: vec![1, w] }, &[rows, args[0], zero])?;
        inner.push(b.reshape(row, &[w])?);
    }
    inner.extend(&args[2 + 2 * n..]);
    let joined = join_at(&mut b, body, &inner, n, &[w])?;
    let one = b.splat(&types[0], 1.0);
    let next = b.add(args[0], one)?;
    let body = b.finish(&[vec![next], joined].concat());
    Ok(Op::While { cond: Box::new(cond), body: Box::new(body) })
}
