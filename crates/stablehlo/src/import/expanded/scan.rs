//! `chlo.scan`: a loop over slices along a dimension, whose region gives a slice of each output and new carried
//! values.

use super::FuncLowering;
use crate::ops::{Issue, flag, one};
use crate::tree::Node;
use crate::types::mlir_type;
use pullback_ir::{Builder, Comparison, DType, Op, Program, TensorType, Value};

/// The shape of a scan.
struct Scan {
    dim: usize,
    /// Steps.
    n: usize,
    reverse: bool,
    inputs: usize,
    carries: usize,
}

fn wrong(e: pullback_ir::TypeError) -> Issue {
    Issue::Type(e)
}

impl<'a> FuncLowering<'_, 'a, '_> {
    /// Outputs, then carried values.
    pub(super) fn scan(&mut self, node: &Node<'a>) -> Result<Vec<Value>, Issue> {
        let values = self.values(node)?;
        let scan = self.scan_shape(node, &values)?;
        let mut own = Vec::with_capacity(values.len());
        for (i, &x) in values.iter().enumerate() {
            let mut shape = self.shape(x);
            if i < scan.inputs {
                shape.remove(scan.dim);
            }
            own.push(self.b.ty(x).with_shape(shape));
        }
        let [region] = &node.regions[..] else {
            return Err(Issue::Error(format!("{} has one region", node.name)));
        };
        let outside = self.outside(&node.regions);
        let body = self.region(node, region, "body", &own, &outside)?;
        let Some(outputs) = body.results().len().checked_sub(scan.carries) else {
            return Err(Issue::Error(format!(
                "{}: its region gives fewer values than are carried",
                node.name
            )));
        };
        // The row's number, outputs so far, carried values; captured are the inputs and what the region reads.
        let mut operands = vec![self.number(DType::I64, 0.0)];
        for &r in &body.results()[..outputs] {
            let ty = body.ty(r);
            let mut shape = ty.shape().to_vec();
            if scan.dim > shape.len() {
                let ty = mlir_type(ty);
                return Err(Issue::Error(format!(
                    "{}: an output {ty} has no dimension {}",
                    node.name, scan.dim
                )));
            }
            shape.insert(scan.dim, scan.n);
            let zero = self.number(ty.dtype(), 0.0);
            operands.push(self.repeat(zero, &shape)?);
        }
        operands.extend(&values[scan.inputs..]);
        operands.extend(&values[..scan.inputs]);
        operands.extend(outside.values());
        let types: Vec<TensorType> = operands.iter().map(|&v| self.b.ty(v).clone()).collect();
        let op = scan_loop(&scan, &body, &types, outputs).map_err(wrong)?;
        self.spend(op.regions().iter().map(|r| r.instrs().len()).sum::<usize>() + 1)?;
        let mut results = self.b.push(op, &operands).map_err(wrong)?;
        results.remove(0);
        Ok(results)
    }

    fn scan_shape(&self, node: &Node<'a>, values: &[Value]) -> Result<Scan, Issue> {
        let dim = one(node, &["dimension"])?;
        let given =
            if node.attr(&["scan_dim_size"]).is_some() { Some(one(node, &["scan_dim_size"])?) } else { None };
        let segments = crate::ops::dims(node, &["operandSegmentSizes", "operand_segment_sizes"])?;
        let &[inputs, carries] = &segments[..] else {
            return Err(Issue::Error(format!("{}: operandSegmentSizes are inputs and inits", node.name)));
        };
        if inputs.checked_add(carries) != Some(values.len()) {
            let n = values.len();
            return Err(Issue::Error(format!(
                "{}: {inputs} inputs and {carries} inits are not {n} operands",
                node.name
            )));
        }
        let mut n = given;
        for &x in &values[..inputs] {
            let ty = self.b.ty(x);
            let size = ty.shape().get(dim).copied();
            if size.is_none() || n.is_some_and(|n| Some(n) != size) {
                let ty = mlir_type(ty);
                return Err(Issue::Error(format!(
                    "{}: the input {ty} has not the size of a step along {dim}",
                    node.name
                )));
            }
            n = size;
        }
        let Some(n) = n else {
            return Err(Issue::Error(format!(
                "{}: neither inputs nor scan_dim_size give its length",
                node.name
            )));
        };
        Ok(Scan { dim, n, reverse: flag(node, "is_reverse"), inputs, carries })
    }
}

/// Carried are the number of the step, `outputs` buffers and the carried values; then come inputs and captured values.
fn scan_loop(
    scan: &Scan,
    body: &Program,
    types: &[TensorType],
    outputs: usize,
) -> Result<Op, pullback_ir::TypeError> {
    let mut cond = Builder::new("cond");
    let args: Vec<Value> = types.iter().map(|ty| cond.arg(None, ty.clone())).collect();
    let end = cond.splat(&types[0], scan.n as f64);
    let holds = cond.compare(Comparison::Lt, args[0], end)?;
    let cond = cond.finish(&[holds]);

    let mut b = Builder::new("body");
    let args: Vec<Value> = types.iter().map(|ty| b.arg(None, ty.clone())).collect();
    let (zero, one) = (b.splat(&types[0], 0.0), b.splat(&types[0], 1.0));
    let at = if scan.reverse {
        let last = b.splat(&types[0], scan.n as f64 - 1.0);
        b.sub(last, args[0])?
    } else {
        args[0]
    };
    let starts =
        |rank: usize| -> Vec<Value> { (0..rank).map(|d| if d == scan.dim { at } else { zero }).collect() };
    let (buffers, rest) = args[1..].split_at(outputs);
    let (carried, rest) = rest.split_at(scan.carries);
    let (inputs, captured) = rest.split_at(scan.inputs);
    let mut own = Vec::with_capacity(types.len());
    for &x in inputs {
        let mut sizes = b.ty(x).shape().to_vec();
        let operands = [&[x], &starts(sizes.len())[..]].concat();
        sizes[scan.dim] = 1;
        let row = b.push1(Op::DynamicSlice { sizes: sizes.clone() }, &operands)?;
        sizes.remove(scan.dim);
        own.push(b.reshape(row, &sizes)?);
    }
    own.extend(carried);
    own.extend(captured);
    let results = b.inline(body, &own, None)?;
    let mut next = vec![b.add(args[0], one)?];
    for (&buffer, &row) in buffers.iter().zip(&results) {
        let mut shape = b.ty(row).shape().to_vec();
        shape.insert(scan.dim, 1);
        let row = b.reshape(row, &shape)?;
        let operands = [&[buffer, row], &starts(shape.len())[..]].concat();
        next.push(b.push1(Op::DynamicUpdateSlice, &operands)?);
    }
    next.extend(&results[outputs..]);
    Ok(Op::While { cond: Box::new(cond), body: Box::new(b.finish(&next)) })
}
