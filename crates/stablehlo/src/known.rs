//! Functions of JAX whose derivative is not that of their text, known by name *and* body.
//!
//! `jax.nn.relu` has a rule of its own that exports lose, but they keep the function: a private `@relu` of one maximum. A
//! call of a function with such a name (a number behind it is no difference) and exactly the body that JAX gives it becomes
//! a composite with JAX's rule; it is printed as a call of that function again. A function of another body is inlined
//! like any other. Ops that hand their operand on are no difference ([`plain`]): exports of Python's numbers have some.

use pullback_base::IdMap;
use pullback_ir::literal::encode_i64;
use pullback_ir::{
    BinaryOp, Builder, Comparison, Composite, DType, Literal, Op, Program, Rule, TensorType, TypeError,
    UnaryOp, Value, ValueDef, plain,
};

type Made<T> = Result<T, TypeError>;

/// A function of one floating-point argument.
struct Known {
    name: &'static str,
    /// Results from the argument, as JAX writes them out; `None` for types it has no text for.
    body: fn(&mut Builder, Value) -> Made<Option<Vec<Value>>>,
    /// Tangent of the first result from the results and the argument's tangent. The others have none.
    tangent: fn(&mut Builder, &[Value], Value) -> Made<Value>,
}

const KNOWN: &[Known] = &[
    Known { name: "relu", body: relu, tangent: relu_tangent },
    Known { name: "relu6", body: relu6, tangent: relu6_tangent },
    Known { name: "frexp", body: frexp, tangent: frexp_tangent },
];

fn known(function: &str) -> Option<&'static Known> {
    let mut name = function;
    // Names that are taken get a number, printed again another.
    while let Some((stem, number)) = name.rsplit_once('_')
        && !number.is_empty()
        && number.bytes().all(|c| c.is_ascii_digit())
    {
        name = stem;
    }
    KNOWN.iter().find(|k| k.name == name)
}

/// Whether a function of this name may be one.
pub(crate) fn is_name(function: &str) -> bool {
    known(function).is_some()
}

/// How often the rule holds; derivatives of higher order are those of the text.
const DEPTH: u32 = 3;

/// The composite that a call of this function stands for, where it has the body of its name.
pub(crate) fn composite(function: &str, program: &Program) -> Option<Composite> {
    let known = known(function)?;
    let &[arg] = program.args() else { return None };
    let ty = program.ty(arg);
    if !ty.dtype().is_float() {
        return None;
    }
    let body = body(known, ty).ok().flatten()?;
    let same = program.results().len() == body.results().len()
        && Match { a: program, b: &body, equal: IdMap::filled(program.n_values(), None) }
            .all(program.results(), body.results());
    let rule = rule(known, ty, &body, DEPTH).ok().filter(|_| same)?;
    Some(Composite::new(known.name, program.clone(), rule))
}

/// Whether a composite is what a call of its body's name would become, or what is left of it in a derivative.
pub(crate) fn is_call(c: &Composite) -> bool {
    let Some(known) = known(&c.name).filter(|k| k.name == c.name) else { return false };
    let (Some(call), &[arg]) = (composite(c.body.name(), &c.body), c.body.args()) else { return false };
    let ty = c.body.ty(arg);
    let left = |depth| {
        let body = body(known, ty).ok().flatten();
        body.and_then(|b| rule(known, ty, &b, depth).ok()).is_some_and(|rule| rule == c.rule)
    };
    call.name == c.name
        && call.version == c.version
        && call.attributes == c.attributes
        && (1..=DEPTH).any(left)
}

/// What the function computes of an argument of a type.
fn body(known: &Known, ty: &TensorType) -> Made<Option<Program>> {
    let mut b = Builder::new(known.name);
    let x = b.arg(None, ty.clone());
    let results = (known.body)(&mut b, x)?;
    Ok(results.map(|results| b.finish(&results)))
}

/// Its rule, in which the function stands again, with a rule that holds one time less.
fn rule(known: &Known, ty: &TensorType, body: &Program, depth: u32) -> Made<Rule> {
    let inner = if depth <= 1 { Rule::Decompose } else { rule(known, ty, body, depth - 1)? };
    let mut b = Builder::new(format!("{}.jvp", known.name));
    let (x, t) = (b.arg(None, ty.clone()), b.arg(None, ty.clone()));
    let again = Composite::new(known.name, body.clone(), inner);
    let mut results = b.push(Op::Composite(Box::new(again)), &[x])?;
    let tangent = (known.tangent)(&mut b, &results, t)?;
    results.push(tangent);
    Ok(Rule::CustomJvp { jvp: b.finish(&results) })
}

/// Two programs compared from their results up.
struct Match<'p> {
    a: &'p Program,
    b: &'p Program,
    /// What a value of `a` was found equal to.
    equal: IdMap<Value, Option<Value>>,
}

impl Match<'_> {
    fn all(&mut self, a: &[Value], b: &[Value]) -> bool {
        a.len() == b.len() && a.iter().zip(b).all(|(&x, &y)| self.same(x, y))
    }

    /// Bodies that are looked for are small, and so is the depth; another one differs before it gets deeper.
    fn same(&mut self, x: Value, y: Value) -> bool {
        let x = plain(self.a, x);
        if self.equal[x] == Some(y) {
            return true;
        }
        let same = match (splat(self.a, x), splat(self.b, y)) {
            (Some(l), Some(m)) => l == m,
            (None, None) => match (self.a.def(x), self.b.def(y)) {
                (ValueDef::Arg(i), ValueDef::Arg(j)) => i == j,
                (ValueDef::Result(i, k), ValueDef::Result(j, l)) => {
                    let (a, b) = (self.a.instr(i), self.b.instr(j));
                    k == l && a.op() == b.op() && self.all(a.operands(), b.operands())
                }
                (ValueDef::Arg(_), ValueDef::Result(..)) | (ValueDef::Result(..), ValueDef::Arg(_)) => false,
            },
            (Some(_), None) | (None, Some(_)) => false,
        };
        if same {
            self.equal[x] = Some(y);
        }
        same
    }
}

/// A constant of one repeated element, broadcast or not.
fn splat(program: &Program, v: Value) -> Option<Literal> {
    let ValueDef::Result(id, _) = program.def(v) else { return None };
    let instr = program.instr(id);
    match (instr.op(), instr.operands()) {
        (Op::Constant(l), _) => Literal::splat(l.ty().clone(), l.splat_bytes()?),
        (Op::BroadcastInDim { .. }, &[x]) => {
            let ValueDef::Result(of, _) = program.def(x) else { return None };
            let Op::Constant(l) = program.instr(of).op() else { return None };
            Literal::splat(program.ty(v).clone(), l.splat_bytes()?)
        }
        _ => None,
    }
}

fn relu(b: &mut Builder, x: Value) -> Made<Option<Vec<Value>>> {
    let zero = b.splat(&b.ty(x).clone(), 0.0);
    Ok(Some(vec![b.binary(BinaryOp::Maximum, x, zero)?]))
}

/// 0 at 0. Asked of the result, which has the same sign and is likely kept anyway.
fn relu_tangent(b: &mut Builder, results: &[Value], t: Value) -> Made<Value> {
    let zero = b.splat(&b.ty(t).clone(), 0.0);
    let above = b.compare(Comparison::Gt, results[0], zero)?;
    b.select(above, t, zero)
}

fn relu6(b: &mut Builder, x: Value) -> Made<Option<Vec<Value>>> {
    let ty = b.ty(x).clone();
    let (zero, six) = (b.splat(&ty, 0.0), b.splat(&ty, 6.0));
    let above = b.binary(BinaryOp::Maximum, x, zero)?;
    Ok(Some(vec![b.binary(BinaryOp::Minimum, above, six)?]))
}

/// 0 at 0 and at 6.
fn relu6_tangent(b: &mut Builder, results: &[Value], t: Value) -> Made<Value> {
    let ty = b.ty(t).clone();
    let (zero, six) = (b.splat(&ty, 0.0), b.splat(&ty, 6.0));
    let above = b.compare(Comparison::Gt, results[0], zero)?;
    let below = b.compare(Comparison::Lt, results[0], six)?;
    let inside = b.binary(BinaryOp::And, above, below)?;
    b.select(inside, t, zero)
}

/// How a floating-point type is made of bits: the whole number of its size, bits of the significand, the exponent's mask
/// and its bias.
fn bits(ty: DType) -> Option<(DType, i64, i64, i64)> {
    Some(match ty {
        DType::F16 => (DType::I16, 10, 31, 15),
        DType::BF16 => (DType::I16, 7, 255, 127),
        DType::F32 => (DType::I32, 23, 255, 127),
        DType::F64 => (DType::I64, 52, 2047, 1023),
        _ => return None,
    })
}

/// `jnp.frexp`: the significand in [1/2, 1) and the exponent, by its bits; itself and 0 of 0, infinities and NaN.
fn frexp(b: &mut Builder, x: Value) -> Made<Option<Vec<Value>>> {
    let ty = b.ty(x).clone();
    let Some((int, width, mask, bias)) = bits(ty.dtype()) else { return Ok(None) };
    let whole = ty.with_dtype(int);
    let number = |b: &mut Builder, n: i64| {
        let literal = Literal::splat(whole.clone(), &encode_i64(int, n));
        literal.map(|l| b.constant(l)).ok_or_else(|| TypeError::new(format!("{n} is no {whole}")))
    };
    let least = b.splat(&ty, 2f64.powi(1 - bias as i32));
    let size = b.unary(UnaryOp::Abs, x)?;
    let subnormal = b.compare(Comparison::Lt, size, least)?;
    let scale = b.splat(&ty, 2f64.powi(width as i32));
    let scaled = b.mul(x, scale)?;
    let normal = b.select(subnormal, scaled, x)?;
    let (lower, zero) = (number(b, -width)?, number(b, 0)?);
    let shifted = b.select(subnormal, lower, zero)?;
    let held = b.push1(Op::BitcastConvert { dtype: int }, &[normal])?;
    let by = number(b, width)?;
    let exponent = b.binary(BinaryOp::ShiftRightArithmetic, held, by)?;
    let (ones, middle, one) = (number(b, mask)?, number(b, bias)?, number(b, 1)?);
    let exponent = b.binary(BinaryOp::And, exponent, ones)?;
    let exponent = b.sub(exponent, middle)?;
    let exponent = b.add(exponent, one)?;
    let exponent = b.add(shifted, exponent)?;
    let (rest, half) = (number(b, !(mask << width))?, number(b, (bias - 1) << width)?);
    let significand = b.binary(BinaryOp::And, held, rest)?;
    let significand = b.binary(BinaryOp::Or, significand, half)?;
    let significand = b.push1(Op::BitcastConvert { dtype: ty.dtype() }, &[significand])?;
    let (inf, none) = (b.splat(&ty, f64::INFINITY), b.splat(&ty, 0.0));
    let infinite = b.compare(Comparison::Eq, size, inf)?;
    let nan = b.compare(Comparison::Ne, x, x)?;
    let odd = b.binary(BinaryOp::Or, infinite, nan)?;
    let nothing = b.compare(Comparison::Eq, x, none)?;
    let odd = b.binary(BinaryOp::Or, odd, nothing)?;
    let mut exponent = b.select(odd, zero, exponent)?;
    if int != DType::I32 {
        exponent = b.convert(exponent, DType::I32)?;
    }
    Ok(Some(vec![b.select(odd, x, significand)?, exponent]))
}

/// The significand is the argument by a power of two.
fn frexp_tangent(b: &mut Builder, results: &[Value], t: Value) -> Made<Value> {
    let ty = b.ty(t).clone();
    let exponent = b.convert(results[1], ty.dtype())?;
    let less = b.unary(UnaryOp::Negate, exponent)?;
    let two = b.splat(&ty, 2.0);
    let scale = b.binary(BinaryOp::Power, two, less)?;
    b.mul(t, scale)
}
