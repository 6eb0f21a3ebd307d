//! The one way to make a program: each op is typed as it is added.
//!
//! The short methods (`add`, `constant`, `broadcast`, …) are for passes and for people writing programs in
//! Rust; all of them go through [`Builder::push`].

use crate::dtype::{DType, TensorType};
use crate::infer::{TypeError, infer};
use crate::literal::Literal;
use crate::op::{BinaryOp, Comparison, DotDims, Monoid, Op, UnaryOp};
use crate::program::{Instr, InstrId, Program, Value, ValueData, ValueDef};
use crate::share::{Name, Recent};
use pullback_base::{Id, IdMap};

/// Builds a [`Program`].
#[derive(Debug)]
pub struct Builder {
    program: Program,
    recent: Recent,
}

impl Builder {
    /// An empty function of this name.
    pub fn new(name: impl Into<String>) -> Self {
        Self {
            program: Program {
                name: name.into(),
                values: IdMap::new(),
                args: Vec::new(),
                instrs: IdMap::new(),
                results: Vec::new(),
                result_names: Vec::new(),
            },
            recent: Recent::default(),
        }
    }

    /// Adds an argument. Names of arguments should be unique; `None` leaves it unnamed.
    pub fn arg(&mut self, name: Option<&str>, ty: TensorType) -> Value {
        let def = ValueDef::Arg(self.program.args.len()).into();
        let v = self.program.values.push(ValueData { ty, def, name: name.map(Name::from) });
        self.program.args.push(v);
        v
    }

    /// Adds an op; gives its results.
    pub fn push(&mut self, op: Op, operands: &[Value]) -> Result<Vec<Value>, TypeError> {
        let result_types = match *operands {
            [] => infer(&op, &[])?,
            [x] => infer(&op, &[self.ty(x)])?,
            [x, y] => infer(&op, &[self.ty(x), self.ty(y)])?,
            _ => infer(&op, &operands.iter().map(|&v| self.ty(v)).collect::<Vec<_>>())?,
        };
        let id = InstrId::from_index(self.program.instrs.len());
        let results: Vec<Value> = result_types
            .into_iter()
            .enumerate()
            .map(|(k, ty)| {
                let (ty, def) = (self.recent.ty(ty), ValueDef::Result(id, k).into());
                self.program.values.push(ValueData { ty, def, name: None })
            })
            .collect();
        let (operands, results_of) = (operands.into(), results.as_slice().into());
        let op = self.recent.op(op);
        self.program.instrs.push(Instr { op, operands, results: results_of });
        Ok(results)
    }

    /// Adds an op with one result.
    pub fn push1(&mut self, op: Op, operands: &[Value]) -> Result<Value, TypeError> {
        Ok(self.push(op, operands)?[0])
    }

    /// Names a value (replacing its name).
    pub fn name(&mut self, value: Value, name: impl AsRef<str>) {
        self.program.values[value].name = Some(name.as_ref().into());
    }

    /// A value's type.
    pub fn ty(&self, value: Value) -> &TensorType {
        self.program.ty(value)
    }

    /// What has been built so far (no results yet).
    pub fn so_far(&self) -> &Program {
        &self.program
    }

    /// Ends the function.
    pub fn finish(self, results: &[Value]) -> Program {
        self.finish_named(results.iter().map(|&v| (v, None)).collect())
    }

    /// Ends the function with names for its results.
    pub fn finish_named(mut self, results: Vec<(Value, Option<String>)>) -> Program {
        (self.program.results, self.program.result_names) = results.into_iter().unzip();
        self.program
    }

    /// Appends all of `program` with `args` for its arguments; gives the values of its results. Value names
    /// are kept where `prefix` is `Some` (put before each).
    pub fn inline(
        &mut self,
        program: &Program,
        args: &[Value],
        prefix: Option<&str>,
    ) -> Result<Vec<Value>, TypeError> {
        let mut map = IdMap::<Value, Option<Value>>::filled(program.n_values(), None);
        for (&formal, &actual) in program.args().iter().zip(args) {
            if program.ty(formal) != self.ty(actual) {
                return Err(TypeError::new(format!(
                    "argument {} of {} is {}, got {}",
                    program.display_name(formal),
                    program.name(),
                    program.ty(formal),
                    self.ty(actual)
                )));
            }
            map[formal] = Some(actual);
        }
        let lookup = |map: &IdMap<Value, Option<Value>>, v: Value| {
            map[v].ok_or_else(|| TypeError::new(format!("{} got too few arguments", program.name())))
        };
        for instr in program.instrs().values() {
            let operands =
                instr.operands().iter().map(|&v| lookup(&map, v)).collect::<Result<Vec<_>, _>>()?;
            let results = self.push(instr.op().clone(), &operands)?;
            for (&old, &new) in instr.results().iter().zip(&results) {
                map[old] = Some(new);
                if let (Some(prefix), Some(name)) = (prefix, program.value_name(old)) {
                    self.name(new, format!("{prefix}{name}"));
                }
            }
        }
        program.results().iter().map(|&v| lookup(&map, v)).collect()
    }

    /// A constant.
    pub fn constant(&mut self, literal: Literal) -> Value {
        self.push1(Op::Constant(literal), &[]).expect("a constant always types")
    }

    /// A constant with all elements equal to `value`.
    pub fn splat(&mut self, ty: &TensorType, value: f64) -> Value {
        self.constant(Literal::splat_f64(ty.clone(), value))
    }

    /// An elementwise op of one operand.
    pub fn unary(&mut self, op: UnaryOp, x: Value) -> Result<Value, TypeError> {
        self.push1(Op::Unary(op), &[x])
    }

    /// An elementwise op of two operands.
    pub fn binary(&mut self, op: BinaryOp, x: Value, y: Value) -> Result<Value, TypeError> {
        self.push1(Op::Binary(op), &[x, y])
    }

    /// x + y
    pub fn add(&mut self, x: Value, y: Value) -> Result<Value, TypeError> {
        self.binary(BinaryOp::Add, x, y)
    }

    /// x - y
    pub fn sub(&mut self, x: Value, y: Value) -> Result<Value, TypeError> {
        self.binary(BinaryOp::Subtract, x, y)
    }

    /// x * y
    pub fn mul(&mut self, x: Value, y: Value) -> Result<Value, TypeError> {
        self.binary(BinaryOp::Multiply, x, y)
    }

    /// x / y
    pub fn div(&mut self, x: Value, y: Value) -> Result<Value, TypeError> {
        self.binary(BinaryOp::Divide, x, y)
    }

    /// x * c for a number c.
    pub fn scale(&mut self, x: Value, c: f64) -> Result<Value, TypeError> {
        let ty = self.ty(x).clone();
        let c = self.splat(&ty, c);
        self.mul(x, c)
    }

    /// Comparison giving bool.
    pub fn compare(&mut self, direction: Comparison, x: Value, y: Value) -> Result<Value, TypeError> {
        self.push1(Op::Compare { direction, total_order: false }, &[x, y])
    }

    /// pred ? on_true : on_false
    pub fn select(&mut self, pred: Value, on_true: Value, on_false: Value) -> Result<Value, TypeError> {
        self.push1(Op::Select, &[pred, on_true, on_false])
    }

    /// Conversion; the value itself when it has the type already.
    pub fn convert(&mut self, x: Value, dtype: DType) -> Result<Value, TypeError> {
        if self.ty(x).dtype() == dtype { Ok(x) } else { self.push1(Op::Convert { dtype }, &[x]) }
    }

    /// broadcast_in_dim.
    pub fn broadcast(&mut self, x: Value, shape: &[usize], dims: &[usize]) -> Result<Value, TypeError> {
        self.push1(Op::BroadcastInDim { shape: shape.to_vec(), dims: dims.to_vec() }, &[x])
    }

    /// A scalar repeated to `shape`.
    pub fn broadcast_scalar(&mut self, x: Value, shape: &[usize]) -> Result<Value, TypeError> {
        if shape.is_empty() { Ok(x) } else { self.broadcast(x, shape, &[]) }
    }

    /// reshape; the value itself when it has the shape already.
    pub fn reshape(&mut self, x: Value, shape: &[usize]) -> Result<Value, TypeError> {
        if self.ty(x).shape() == shape {
            Ok(x)
        } else {
            self.push1(Op::Reshape { shape: shape.to_vec() }, &[x])
        }
    }

    /// transpose; the value itself when the permutation is the identity.
    pub fn transpose(&mut self, x: Value, permutation: &[usize]) -> Result<Value, TypeError> {
        if permutation.iter().enumerate().all(|(i, &p)| i == p) {
            return Ok(x);
        }
        self.push1(Op::Transpose { permutation: permutation.to_vec() }, &[x])
    }

    /// reduce over `dims`; the value itself when there are none.
    pub fn reduce(&mut self, x: Value, dims: &[usize], monoid: Monoid) -> Result<Value, TypeError> {
        if dims.is_empty() {
            return Ok(x);
        }
        self.push1(Op::Reduce { dims: dims.to_vec(), monoid }, &[x])
    }

    /// dot_general.
    pub fn dot(&mut self, lhs: Value, rhs: Value, dims: DotDims) -> Result<Value, TypeError> {
        self.push1(Op::DotGeneral(dims), &[lhs, rhs])
    }
}
