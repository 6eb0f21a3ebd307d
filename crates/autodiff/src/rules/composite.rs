//! Composites with rules of their own, and operators that are not ours.
//!
//! A reverse rule becomes one op of the linear program that only its transpose is known of; a forward rule is split
//! into what depends on tangents and what does not.

use crate::error::AdError;
use crate::expand::expand;
use crate::linearize::Context;
use pullback_base::IdMap;
use pullback_ir::custom::{Call, registered, unknown};
use pullback_ir::{Builder, Composite, Custom, Instr, Op, Program, Rule, TensorType, TypeError, Value};

/// Differentiates an instruction by its own rule instead of copying it into the primal program. `false`: it has none
/// that needs this, and is to be copied.
pub(crate) fn by_rule(cx: &mut Context, instr: &Instr) -> Result<bool, AdError> {
    if let Op::Custom(c) = instr.op() {
        custom(cx, instr, c)?;
        return Ok(true);
    }
    let Op::Composite(c) = instr.op() else { return Ok(false) };
    match &c.rule {
        // Expanded before, or its tangents are zero.
        Rule::Decompose | Rule::Remat | Rule::StopGradient => return Ok(false),
        Rule::CustomVjp { forward, backward } => reverse(cx, instr, &c.name, forward, backward)?,
        Rule::CustomJvp { jvp } => forward_mode(cx, instr, &c.name, jvp)?,
        Rule::Transpose { .. } => return Err(only_reverse(cx.source(), instr, &c.name)),
    }
    Ok(true)
}

fn only_reverse(program: &Program, instr: &Instr, name: &str) -> AdError {
    AdError::ReverseOnly { name: name.to_owned(), at: program.display_name(instr.result()) }
}

fn differentiable(types: &[TensorType]) -> Vec<usize> {
    (0..types.len()).filter(|&i| types[i].dtype().is_differentiable()).collect()
}

fn types(cx: &Context, values: &[Value]) -> Vec<TensorType> {
    values.iter().map(|&v| cx.ty(v).clone()).collect()
}

/// The forward rule runs in the primal program; in the linear one stands an op whose transpose is the backward rule.
fn reverse(
    cx: &mut Context,
    instr: &Instr,
    name: &str,
    forward: &Program,
    backward: &Program,
) -> Result<(), AdError> {
    let operands: Vec<Value> = instr.operands().iter().map(|&v| cx.value(v)).collect();
    let mut made = cx.primal.inline(forward, &operands, Some(""))?;
    let residuals = made.split_off(instr.results().len());
    let moving = differentiable(&types(cx, instr.operands()));
    give_tangents(cx, instr, (&made, &residuals), name, backward, &moving)
}

/// Says what stands for the results in the primal program, and for their tangents a linear op from the residuals and
/// the tangents of the operands `moving`, whose transpose is `backward`.
fn give_tangents(
    cx: &mut Context,
    instr: &Instr,
    (made, residuals): (&[Value], &[Value]),
    name: &str,
    backward: &Program,
    moving: &[usize],
) -> Result<(), AdError> {
    for (&r, &p) in instr.results().iter().zip(made) {
        cx.replace(r, p);
    }
    let outs = differentiable(&types(cx, instr.results()));
    if outs.is_empty() {
        return Ok(());
    }
    if cx.together.is_some() {
        return Err(only_reverse(cx.source(), instr, name));
    }
    let op = transpose_only(name, backward, residuals.len());
    let mut linear: Vec<Value> = residuals.iter().map(|&p| cx.fixed(p)).collect();
    for &i in moving {
        linear.push(cx.tangent_or_zeros(instr.operands()[i]));
    }
    let tangents = cx.linear.push(op, &linear)?;
    for (i, t) in outs.into_iter().zip(tangents) {
        cx.set_tangent(instr.results()[i], Some(t));
    }
    Ok(())
}

/// The linear op from residuals and tangents whose transpose is `backward`. Its own value is not known: NaN.
fn transpose_only(name: &str, backward: &Program, residuals: usize) -> Op {
    let mut b = Builder::new("unknown");
    let (fixed, cotangents) = backward.args().split_at(residuals.min(backward.args().len()));
    for &v in fixed.iter().chain(backward.results()) {
        b.arg(None, backward.ty(v).clone());
    }
    let outs: Vec<Value> = cotangents.iter().map(|&v| b.splat(backward.ty(v), f64::NAN)).collect();
    let rule = Rule::Transpose { backward: backward.clone() };
    Op::Composite(Box::new(Composite::new(name, b.finish(&outs), rule)))
}

/// A forward rule: what depends on no tangent goes to the primal program, the rest to the linear one.
fn forward_mode(cx: &mut Context, instr: &Instr, name: &str, jvp: &Program) -> Result<(), AdError> {
    let expanded = expand(jvp)?;
    let jvp = expanded.as_ref().map_or(jvp, |e| &e.program);
    let (args, own) = (instr.operands(), instr.operands().len());
    let place = format!("a tangent by the rule of {name:?} at {}", cx.source().display_name(instr.result()));
    let mut fixed = IdMap::<Value, Option<Value>>::filled(jvp.n_values(), None);
    let mut moving = IdMap::<Value, Option<Value>>::filled(jvp.n_values(), None);
    for (&formal, &v) in jvp.args().iter().zip(args) {
        fixed[formal] = Some(cx.value(v));
    }
    for (&formal, i) in jvp.args()[own..].iter().zip(differentiable(&types(cx, args))) {
        moving[formal] = Some(cx.tangent_or_zeros(args[i]));
    }
    for inner in jvp.instrs().values() {
        if let Some(operands) = inner.operands().iter().map(|&v| fixed[v]).collect::<Option<Vec<_>>>() {
            let made = cx.primal.push(inner.op().clone(), &operands)?;
            for (&old, &new) in inner.results().iter().zip(&made) {
                fixed[old] = Some(new);
                if let Some(name) = jvp.value_name(old) {
                    cx.primal.name(new, name);
                }
            }
            continue;
        }
        let mut operands = Vec::with_capacity(inner.operands().len());
        for &v in inner.operands() {
            operands.push(in_linear(cx, &fixed, &moving, jvp, v)?);
        }
        let made = cx.linear.push(inner.op().clone(), &operands)?;
        for (&old, &new) in inner.results().iter().zip(&made) {
            moving[old] = Some(new);
            // For the transposition's errors: a rule may be anything.
            if cx.together.is_none() {
                cx.linear.name(new, &place);
            }
        }
    }
    let (results, tangents) = jvp.results().split_at(instr.results().len());
    for (&r, &v) in instr.results().iter().zip(results) {
        let Some(p) = fixed[v] else {
            let why = "a result of its forward rule depends on tangents".to_owned();
            return Err(AdError::NotLinear { op: instr.op().name(), at: cx.source().display_name(r), why });
        };
        cx.replace(r, p);
    }
    for (i, &t) in differentiable(&types(cx, instr.results())).into_iter().zip(tangents) {
        let tangent = in_linear(cx, &fixed, &moving, jvp, t)?;
        cx.set_tangent(instr.results()[i], Some(tangent));
    }
    Ok(())
}

/// A value of a forward rule in the linear program.
fn in_linear(
    cx: &mut Context,
    fixed: &IdMap<Value, Option<Value>>,
    moving: &IdMap<Value, Option<Value>>,
    jvp: &Program,
    v: Value,
) -> Result<Value, AdError> {
    match (moving[v], fixed[v]) {
        (Some(l), _) => Ok(l),
        (None, Some(p)) => Ok(cx.fixed(p)),
        (None, None) => Err(TypeError::new(format!("{} is not defined", jvp.display_name(v))).into()),
    }
}

/// By the rules that the operator was registered with.
fn custom(cx: &mut Context, instr: &Instr, c: &Custom) -> Result<(), AdError> {
    let refuse = |cx: &Context, what: String, help: &str| AdError::Unsupported {
        what,
        at: cx.source().display_name(instr.result()),
        help: help.to_owned(),
    };
    let Some(op) = registered(&c.name) else { return Err(unknown(&c.name).into()) };
    let Some(left) = c.depth.checked_sub(1) else {
        let what = format!("the operator \"{}\" again: it was registered for fewer derivatives", c.name);
        return Err(refuse(cx, what, "differentiate fewer times, or register it with a greater depth"));
    };
    let operands = types(cx, instr.operands());
    let call = Call { attributes: &c.attributes, operands: &operands };
    let said = |e: String| AdError::Type(TypeError::new(format!("the operator \"{}\": {e}", c.name)));
    if let Some(jvp) = op.jvp(call).map_err(said)? {
        return forward_mode(cx, instr, &c.name, &with_depth(&jvp, &c.name, left)?);
    }
    let forward = with_depth(&op.forward(call).map_err(said)?, &c.name, left)?;
    let args: Vec<Value> = instr.operands().iter().map(|&v| cx.value(v)).collect();
    let mut made = cx.primal.inline(&forward, &args, Some(""))?;
    let given: Vec<&TensorType> = made.iter().map(|&v| cx.primal.ty(v)).collect();
    if !given.iter().copied().take(c.results.len()).eq(&c.results) {
        return Err(said("its forward program does not begin with its results".to_owned()));
    }
    let residuals = made.split_off(c.results.len());
    let moving: Vec<usize> =
        (0..operands.len()).filter(|&i| cx.tangent(instr.operands()[i]).is_some()).collect();
    let mut b = Builder::new(format!("{}.pullback", c.name));
    let mut ins: Vec<Value> = residuals.iter().map(|&v| b.arg(None, cx.primal.ty(v).clone())).collect();
    let outs = differentiable(&c.results);
    ins.extend(outs.iter().map(|&i| b.arg(None, c.results[i].clone())));
    let mut cotangents = Vec::with_capacity(moving.len());
    for &i in &moving {
        let Some(pullback) = op.pullback(call, i).map_err(said)? else {
            let what = format!("the operator \"{}\" with respect to its operand {i}", c.name);
            return Err(refuse(cx, what, "put stop_gradient on that operand, or register a pullback for it"));
        };
        let made = b.inline(&with_depth(&pullback, &c.name, left)?, &ins, Some(""))?;
        let &[ct] = &made[..] else {
            return Err(said(format!("its pullback for operand {i} gives {} values, not one", made.len())));
        };
        cotangents.push(ct);
    }
    let backward = b.finish(&cotangents);
    give_tangents(cx, instr, (&made, &residuals), &c.name, &backward, &moving)
}

/// The program with this many derivatives left to the operator of the name.
fn with_depth(program: &Program, name: &str, left: u32) -> Result<Program, TypeError> {
    let mut b = Builder::new(program.name());
    let mut map = IdMap::<Value, Option<Value>>::filled(program.n_values(), None);
    for &a in program.args() {
        map[a] = Some(b.arg(program.value_name(a), program.ty(a).clone()));
    }
    let get = |map: &IdMap<Value, Option<Value>>, v: Value| {
        map[v].ok_or_else(|| TypeError::new(format!("{} is not defined", program.display_name(v))))
    };
    for instr in program.instrs().values() {
        let operands = instr.operands().iter().map(|&v| get(&map, v)).collect::<Result<Vec<_>, _>>()?;
        let mut op = instr.op().clone();
        if let Op::Custom(c) = &mut op
            && c.name == name
        {
            c.depth = c.depth.min(left);
        }
        for (&old, new) in instr.results().iter().zip(b.push(op, &operands)?) {
            map[old] = Some(new);
        }
    }
    let results = program.results().iter().map(|&v| get(&map, v)).collect::<Result<Vec<_>, _>>()?;
    Ok(b.finish(&results))
}
