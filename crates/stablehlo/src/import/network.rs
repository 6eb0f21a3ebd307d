//! Sorting by any comparator: a network of lifted comparisons.
//!
//! The bitonic network whose exchanges all put the lesser element first, on a length padded to a power of two;
//! padding comes after every element. Elements that the comparator does not tell apart keep their order, so the
//! result is that of a stable sort wherever the comparator is an order at all.

use super::FuncLowering;
use super::lift::Body;
use crate::ops::Issue;
use crate::tree::Node;
use pullback_ir::{BinaryOp, Comparison, DType, Op, TensorType, Value};

impl<'a> FuncLowering<'_, 'a, '_> {
    /// Operands of one shape sorted along `dim`.
    pub(super) fn sort_by_network(
        &mut self,
        node: &Node<'a>,
        operands: &[Value],
        dim: usize,
    ) -> Result<Vec<Value>, Issue> {
        let comparator = self.body(node, 0, &[])?;
        self.check_comparator(node, &comparator, operands)?;
        let shape = self.shape(operands[0]);
        if let Some(&x) = operands.iter().find(|&&x| self.b.ty(x).shape() != shape) {
            let have = crate::types::mlir_type(self.b.ty(x));
            return Err(Issue::Error(format!(
                "{}: operands differ in shape: {shape:?} and {have}",
                node.name
            )));
        }
        let Some(&n) = shape.get(dim) else {
            return Err(Issue::Error(format!("{}: dimension {dim} of {shape:?} does not exist", node.name)));
        };
        if n < 2 || shape.contains(&0) {
            return Ok(operands.to_vec());
        }
        let too_long = || Issue::Error(format!("{}: {n} elements are too many to sort", node.name));
        let padded =
            n.checked_next_power_of_two().filter(|&p| i32::try_from(p).is_ok()).ok_or_else(too_long)?;
        let box_ = [shape[..dim].iter().product(), padded, shape[dim + 1..].iter().product()];
        // What the comparator does not read follows by the numbers of the elements.
        let keys: Vec<usize> = (0..operands.len())
            .filter(|k| !comparator.ignores(2 * k) || !comparator.ignores(2 * k + 1))
            .collect();
        let mut values = Vec::with_capacity(keys.len() + 1);
        for &k in &keys {
            let x = self.reshape(operands[k], &[box_[0], n, box_[2]])?;
            let fill = self.number(self.b.ty(x).dtype(), 0.0);
            values.push(self.pad_end(x, padded - n, fill)?);
        }
        let numbers = TensorType::try_new(DType::I32, box_.to_vec()).ok_or_else(too_long)?;
        values.push(self.add(Op::Iota { ty: numbers, dim: 1 }, &[])?);
        let mut network =
            Network { node, comparator: &comparator, keys: &keys, count: operands.len(), n, box_ };
        let mut size = 2;
        while size <= padded {
            values = self.exchange(&mut network, values, size / 2, true)?;
            let mut k = size / 4;
            while k > 0 {
                values = self.exchange(&mut network, values, k, false)?;
                k /= 2;
            }
            size *= 2;
        }
        for x in &mut values {
            *x = self.cut(*x, 1, 0..n, 1)?;
            *x = self.reshape(*x, &shape)?;
        }
        let Some(order) = values.pop() else { return Err(too_long()) };
        let mut out = Vec::with_capacity(operands.len());
        for (k, &x) in operands.iter().enumerate() {
            out.push(match keys.iter().position(|&key| key == k) {
                Some(i) => values[i],
                None => self.along(x, order, dim)?,
            });
        }
        Ok(out)
    }

    fn check_comparator(&self, node: &Node<'a>, comparator: &Body, operands: &[Value]) -> Result<(), Issue> {
        let program = &comparator.program;
        let own = program.args().len() - comparator.captured.len();
        let fits = own == 2 * operands.len()
            && program.args()[..own]
                .iter()
                .enumerate()
                .all(|(i, &arg)| *program.ty(arg) == TensorType::scalar(self.b.ty(operands[i / 2]).dtype()))
            && comparator.results() == [TensorType::scalar(DType::Bool)];
        if fits {
            return Ok(());
        }
        let message = "its comparator takes two elements of each operand and gives one i1";
        Err(Issue::Error(format!("{}: {message}", node.name)))
    }

    fn pad_end(&mut self, x: Value, n: usize, fill: Value) -> Result<Value, Issue> {
        if n == 0 {
            return Ok(x);
        }
        let high = vec![0, i64::try_from(n).unwrap_or(i64::MAX), 0];
        self.add(Op::Pad { low: vec![0; 3], high, interior: vec![0; 3] }, &[x, fill])
    }

    /// Compares element i of each `2 k` with i + k, or with its mirror image, and exchanges them where the later one
    /// comes first.
    fn exchange(
        &mut self,
        network: &mut Network<'_, '_, 'a>,
        values: Vec<Value>,
        k: usize,
        mirror: bool,
    ) -> Result<Vec<Value>, Issue> {
        let [before, len, after] = network.box_;
        let pairs = [before, len / (2 * k), 2, k, after];
        let (mut low, mut high) = (Vec::new(), Vec::new());
        let mirrored = |s: &mut Self, x: Value| {
            if mirror && k > 1 { s.add(Op::Reverse { dims: vec![3] }, &[x]) } else { Ok(x) }
        };
        for &x in &values {
            let x = self.reshape(x, &pairs)?;
            low.push(self.cut(x, 2, 0..1, 1)?);
            let upper = self.cut(x, 2, 1..2, 1)?;
            high.push(mirrored(self, upper)?);
        }
        let swap = self.later_first(network, &low, &high)?;
        let mut out = Vec::with_capacity(values.len());
        for (&l, &h) in low.iter().zip(&high) {
            let first = self.add(Op::Select, &[swap, h, l])?;
            let second = self.add(Op::Select, &[swap, l, h])?;
            let second = mirrored(self, second)?;
            let both = self.add(Op::Concatenate { dim: 2 }, &[first, second])?;
            out.push(self.reshape(both, &network.box_)?);
        }
        Ok(out)
    }

    /// Whether the second of two places holds what comes first.
    fn later_first(
        &mut self,
        network: &Network<'_, '_, 'a>,
        low: &[Value],
        high: &[Value],
    ) -> Result<Value, Issue> {
        let shape = self.shape(low[0]);
        let high_first = self.compared(network, high, low, &shape)?;
        let low_first = self.compared(network, low, high, &shape)?;
        let (&low_number, &high_number) = (&low[low.len() - 1], &high[high.len() - 1]);
        let earlier = self.compare(Comparison::Lt, high_number, low_number)?;
        let tie = self.compare(Comparison::Eq, high_first, low_first)?;
        let swap = self.add(Op::Select, &[tie, earlier, high_first])?;
        if network.n == network.box_[1] {
            return Ok(swap);
        }
        let n = self.number(DType::I32, network.n as f64);
        let n = self.repeat(n, &shape)?;
        let element = self.compare(Comparison::Lt, high_number, n)?;
        self.binary(BinaryOp::And, swap, element)
    }

    fn compared(
        &mut self,
        network: &Network<'_, '_, 'a>,
        first: &[Value],
        second: &[Value],
        shape: &[usize],
    ) -> Result<Value, Issue> {
        let mut args = Vec::with_capacity(2 * network.count);
        for k in 0..network.count {
            // An operand that is not read may be anything of its type.
            match network.keys.iter().position(|&key| key == k) {
                Some(i) => args.extend([first[i], second[i]]),
                None => {
                    let dtype =
                        network.comparator.program.ty(network.comparator.program.args()[2 * k]).dtype();
                    let any = self.number(dtype, 0.0);
                    args.extend([any, any]);
                }
            }
        }
        Ok(self.apply(network.node, network.comparator, &args, shape)?[0])
    }
}

/// What a sorting network sorts.
struct Network<'n, 't, 'a> {
    node: &'t Node<'a>,
    comparator: &'n Body,
    /// Operands that the comparator reads.
    keys: &'n [usize],
    /// How many operands there are.
    count: usize,
    /// Elements without padding.
    n: usize,
    /// Dimensions before, along (padded) and after.
    box_: [usize; 3],
}
