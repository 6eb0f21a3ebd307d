//! Tangent rules: for each op, the linear ops that map the operands' tangents to the result's.
//!
//! Rules come in classes: `zero` (no tangent), `linear` (the op itself, applied to tangents), `bilinear` (a sum
//! of the op with one operand replaced by its tangent), `elementwise` (tangents times partial derivatives).
//! Coefficients go to the primal program, linear ops to the linear one. `None` is the tangent zero.

pub(crate) mod composite;
mod elementwise;
pub(crate) mod linalg;
mod matrix;
mod qr;
mod reduce;
mod scatter;
mod special;
mod spectral;
mod tridiagonal;
pub(crate) mod window;

use crate::control;
use crate::error::AdError;
use crate::linearize::Context;
use crate::smooth;
use pullback_ir::linearity::linear_sets;
use pullback_ir::{BinaryOp, Instr, Monoid, Op, TypeError, Value};

pub(crate) type Tangent = Result<Option<Value>, AdError>;
type Made = Result<Value, TypeError>;

/// The tangents of an instruction's results, at least one of whose operands has one. Fewer than there are results
/// are the first ones; the others are zero.
pub(crate) fn tangents(cx: &mut Context, instr: &Instr) -> Result<Vec<Option<Value>>, AdError> {
    if let Op::Linalg(op) = instr.op() {
        return linalg::tangents(cx, instr, op);
    }
    if let Op::While { .. } = instr.op() {
        return control::while_loop(cx, instr);
    }
    if let Op::Case { branches } = instr.op() {
        return control::case(cx, instr, branches);
    }
    if *instr.op() == Op::Select
        && let Some(product) = smooth::product(cx.source(), instr)
    {
        return Ok(vec![elementwise::smooth_product(cx, &product)?]);
    }
    if matches!(instr.op(), Op::Select | Op::Binary(BinaryOp::Add))
        && let Some(sum) = smooth::log_add_exp(cx.source(), instr)
    {
        return Ok(vec![elementwise::log_add_exp(cx, &sum)?]);
    }
    Ok(vec![tangent(cx, instr)?])
}

/// The tangent of the result of an op that has one, or of the first of several where the others have none.
fn tangent(cx: &mut Context, instr: &Instr) -> Tangent {
    match instr.op() {
        Op::Constant(_) | Op::Iota { .. } | Op::Compare { .. } | Op::Argsort { .. } => zero(),
        Op::Unary(u) => elementwise::unary(cx, instr, *u),
        Op::Binary(b) => elementwise::binary(cx, instr, *b),
        Op::Clamp => elementwise::clamp(cx, instr),
        Op::Select
        | Op::Convert { .. }
        | Op::BroadcastInDim { .. }
        | Op::Reshape { .. }
        | Op::Transpose { .. }
        | Op::Slice { .. }
        | Op::Reverse { .. }
        | Op::Gather(_)
        | Op::DynamicSlice { .. }
        | Op::Pad { .. }
        | Op::Concatenate { .. }
        | Op::DynamicUpdateSlice
        | Op::Reduce { monoid: Monoid::Add, .. }
        | Op::ReduceWindow { monoid: Monoid::Add, .. }
        | Op::Fft { .. }
        | Op::Scatter { combiner: None, .. } => linear(cx, instr),
        Op::DotGeneral(_) | Op::Convolution(_) => bilinear(cx, instr),
        Op::Reduce { dims, monoid: Monoid::Maximum | Monoid::Minimum } => reduce::extreme(cx, instr, dims),
        Op::Reduce { dims, monoid: Monoid::Multiply } => reduce::product(cx, instr, dims),
        Op::Reduce { monoid: Monoid::And | Monoid::Or, .. } => zero(),
        Op::Scatter { combiner: Some(Monoid::Add), .. } => match cx.tangent(instr.operands()[2]) {
            Some(_) => linear(cx, instr),
            None => Ok(cx.tangent(instr.operands()[0])),
        },
        Op::Scatter { dims, combiner: Some(Monoid::Maximum | Monoid::Minimum) } => {
            reduce::scatter_extreme(cx, instr, dims)
        }
        Op::Scatter { dims, combiner: Some(Monoid::Multiply) } => scatter::product(cx, instr, dims),
        Op::Scatter { combiner: Some(Monoid::And | Monoid::Or), .. } => zero(),
        // A rounding near the identity, as in JAX; like a convert to a narrower type and back.
        Op::ReducePrecision { .. } => Ok(cx.tangent(instr.operands()[0])),
        Op::ReduceWindow { window, monoid: monoid @ (Monoid::Maximum | Monoid::Minimum) } => {
            window::extreme(cx, instr, window, *monoid == Monoid::Minimum)
        }
        Op::ReduceWindow { window, monoid: Monoid::Multiply } => window::product(cx, instr, window),
        Op::ReduceWindow { monoid: Monoid::And | Monoid::Or, .. } => zero(),
        // Where elements go changes in jumps.
        Op::SelectAndScatter { .. } if cx.tangent(instr.operands()[1]).is_none() => zero(),
        Op::SelectAndScatter { monoid: Monoid::Add, .. } => linear(cx, instr),
        Op::SelectAndScatter { .. } => unsupported(
            cx,
            instr,
            "select_and_scatter that is not a sum",
            "let what meets at one place add up",
        ),
        Op::RngBitGenerator { .. } => zero(),
        Op::Linalg(_)
        | Op::Communicate(_)
        | Op::BitcastConvert { .. }
        | Op::While { .. }
        | Op::Case { .. } => without_rule(cx, instr),
        // Those whose derivative is not zero were done before.
        Op::Composite(_) | Op::Custom(_) => zero(),
    }
}

/// The result does not change with its operands (or changes only in jumps).
fn zero() -> Tangent {
    Ok(None)
}

/// The op has one jointly linear set of operands: it applies to their tangents as it is.
fn linear(cx: &mut Context, instr: &Instr) -> Tangent {
    let set = linear_sets(instr.op(), instr.operands().len()).swap_remove(0);
    let operands: Vec<Value> = (instr.operands().iter().enumerate())
        .map(|(i, &v)| if set.contains(&i) { cx.tangent_or_zeros(v) } else { fixed(cx, v) })
        .collect();
    Ok(Some(cx.linear.push1(instr.op().clone(), &operands)?))
}

/// The op is linear in each of its two operands.
fn bilinear(cx: &mut Context, instr: &Instr) -> Tangent {
    let (x, y) = (instr.operands()[0], instr.operands()[1]);
    let left = match cx.tangent(x) {
        Some(dx) => {
            let y = fixed(cx, y);
            Some(cx.linear.push1(instr.op().clone(), &[dx, y])?)
        }
        None => None,
    };
    let right = match cx.tangent(y) {
        Some(dy) => {
            let x = fixed(cx, x);
            Some(cx.linear.push1(instr.op().clone(), &[x, dy])?)
        }
        None => None,
    };
    sum(cx, left, right)
}

/// The sum of two tangents.
fn sum(cx: &mut Context, x: Option<Value>, y: Option<Value>) -> Tangent {
    match (x, y) {
        (Some(x), Some(y)) => Ok(Some(cx.linear.binary(BinaryOp::Add, x, y)?)),
        (x, y) => Ok(x.or(y)),
    }
}

/// A value of the source as it stands in the linear program.
fn fixed(cx: &mut Context, v: Value) -> Value {
    let p = cx.value(v);
    cx.fixed(p)
}

/// Ops that have no rule, each with a way out.
fn without_rule(cx: &Context, instr: &Instr) -> Tangent {
    let name = instr.op().name();
    let help = match name {
        "bitcast_convert" => {
            "bits have no derivative: use stop_gradient on what is cast, or convert by value"
        }
        _ => "rewrite the model without it",
    };
    unsupported(cx, instr, name, help)
}

fn unsupported(cx: &Context, instr: &Instr, what: &str, help: &str) -> Tangent {
    let at = cx.source().display_name(instr.result());
    Err(AdError::Unsupported { what: what.into(), at, help: help.into() })
}
