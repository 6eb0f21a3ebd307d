//! Optimizers as graph builders: from parameters, gradients and optimizer state to new ones, as ops of the step
//! program. The formulas are those of optax 0.2.8.
//!
//! Bias correction and schedules are computed in the graph from the step count, so a step program is one
//! program for all steps; where neither reads a count, none is kept. Scalars are computed in f64 when a parameter is f64, else in
//! f32, and rounded to each parameter's type where they meet it. Nothing here knows of devices or of how
//! gradients were made.

use pullback_ir::{BinaryOp, Builder, Comparison, DType, Monoid, TensorType, TypeError, UnaryOp, Value};
use serde::de::value::MapAccessDeserializer;
use serde::de::{Error, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};
use std::fmt;

/// An optimizer with its settings; in files a table with the key `name`. Unknown keys are errors.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(tag = "name", rename_all = "lowercase", deny_unknown_fields)]
pub enum Optimizer {
    /// p - lr g
    Sgd {
        /// lr.
        learning_rate: LearningRate,
        /// Largest norm of all gradients together; they are scaled down to it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        clip_global_norm: Option<f64>,
    },
    /// trace = g + momentum trace; p - lr trace
    Momentum {
        /// lr.
        learning_rate: LearningRate,
        /// Decay of the trace.
        momentum: f64,
        /// Looks one step ahead: p - lr (g + momentum trace).
        #[serde(default)]
        nesterov: bool,
        /// As for sgd.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        clip_global_norm: Option<f64>,
    },
    /// Kingma and Ba, "Adam" (2015), with bias correction.
    Adam {
        /// lr.
        learning_rate: LearningRate,
        /// Decay of the first moment.
        #[serde(default = "b1")]
        b1: f64,
        /// Decay of the second moment.
        #[serde(default = "b2")]
        b2: f64,
        /// Added to the root of the second moment.
        #[serde(default = "eps")]
        eps: f64,
        /// As for sgd.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        clip_global_norm: Option<f64>,
    },
    /// Loshchilov and Hutter, "Decoupled weight decay" (2019).
    AdamW {
        /// lr.
        learning_rate: LearningRate,
        /// Decay of the first moment.
        #[serde(default = "b1")]
        b1: f64,
        /// Decay of the second moment.
        #[serde(default = "b2")]
        b2: f64,
        /// Added to the root of the second moment.
        #[serde(default = "eps")]
        eps: f64,
        /// Times the parameter, added to the update before the learning rate.
        #[serde(default = "weight_decay")]
        weight_decay: f64,
        /// As for sgd.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        clip_global_norm: Option<f64>,
    },
}

fn b1() -> f64 {
    0.9
}

fn b2() -> f64 {
    0.999
}

fn eps() -> f64 {
    1e-8
}

fn weight_decay() -> f64 {
    1e-4
}

/// A learning rate: a number, or a schedule over the count of steps done.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[serde(untagged)]
pub enum LearningRate {
    /// The same at every step.
    Number(f64),
    /// A function of the count.
    Schedule(Schedule),
}

/// A schedule; in files a table with the key `schedule`. Unknown keys are errors.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(tag = "schedule", rename_all = "snake_case", deny_unknown_fields)]
pub enum Schedule {
    /// The same at every step.
    Constant {
        /// The rate.
        value: f64,
    },
    /// Linear from 0 to `peak` over `warmup_steps`, then half a cosine down to `end` at `total_steps`
    /// (`optax.warmup_cosine_decay_schedule` with initial value 0).
    WarmupCosine {
        /// Largest rate.
        peak: f64,
        /// Steps of the rise.
        warmup_steps: u32,
        /// Steps of both parts; more than `warmup_steps`.
        total_steps: u32,
        /// Rate from `total_steps` on.
        #[serde(default)]
        end: f64,
    },
}

impl<'de> Deserialize<'de> for LearningRate {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Either;
        impl<'de> Visitor<'de> for Either {
            type Value = LearningRate;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a number or a table with the key \"schedule\"")
            }
            fn visit_f64<E: Error>(self, v: f64) -> Result<LearningRate, E> {
                Ok(LearningRate::Number(v))
            }
            fn visit_i64<E: Error>(self, v: i64) -> Result<LearningRate, E> {
                Ok(LearningRate::Number(v as f64))
            }
            fn visit_u64<E: Error>(self, v: u64) -> Result<LearningRate, E> {
                Ok(LearningRate::Number(v as f64))
            }
            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<LearningRate, A::Error> {
                Schedule::deserialize(MapAccessDeserializer::new(map)).map(LearningRate::Schedule)
            }
        }
        deserializer.deserialize_any(Either)
    }
}

impl Optimizer {
    /// The learning rate.
    pub fn learning_rate(&self) -> &LearningRate {
        match self {
            Optimizer::Sgd { learning_rate, .. }
            | Optimizer::Momentum { learning_rate, .. }
            | Optimizer::Adam { learning_rate, .. }
            | Optimizer::AdamW { learning_rate, .. } => learning_rate,
        }
    }

    /// The largest global norm of the gradients, if they are clipped.
    pub fn clip_global_norm(&self) -> Option<f64> {
        match self {
            Optimizer::Sgd { clip_global_norm, .. }
            | Optimizer::Momentum { clip_global_norm, .. }
            | Optimizer::Adam { clip_global_norm, .. }
            | Optimizer::AdamW { clip_global_norm, .. } => *clip_global_norm,
        }
    }

    /// Names of the tensors kept per parameter.
    fn slots(&self) -> &'static [&'static str] {
        match self {
            Optimizer::Sgd { .. } => &[],
            Optimizer::Momentum { .. } => &["trace"],
            Optimizer::Adam { .. } | Optimizer::AdamW { .. } => &["mu", "nu"],
        }
    }

    /// Whether a step depends on how many were done: by bias correction or by the learning rate.
    fn reads_count(&self) -> bool {
        let corrects = match self {
            Optimizer::Sgd { .. } | Optimizer::Momentum { .. } => false,
            Optimizer::Adam { .. } | Optimizer::AdamW { .. } => true,
        };
        let varies = match self.learning_rate() {
            LearningRate::Number(_) | LearningRate::Schedule(Schedule::Constant { .. }) => false,
            LearningRate::Schedule(Schedule::WarmupCosine { .. }) => true,
        };
        corrects || varies
    }

    /// Whether the settings make sense; an error names the key.
    pub fn validate(&self) -> Result<(), String> {
        let finite = |key: &str, v: f64| {
            if v.is_finite() { Ok(()) } else { Err(format!("optimizer: {key} is {v}, not a finite number")) }
        };
        let decay = |key: &str, v: f64| match (0.0..1.0).contains(&v) {
            true => Ok(()),
            false => Err(format!("optimizer: {key} is {v}, it must be at least 0 and below 1")),
        };
        match self {
            Optimizer::Sgd { .. } => {}
            Optimizer::Momentum { momentum, .. } => finite("momentum", *momentum)?,
            Optimizer::Adam { b1, b2, eps, .. } | Optimizer::AdamW { b1, b2, eps, .. } => {
                decay("b1", *b1)?;
                decay("b2", *b2)?;
                finite("eps", *eps)?;
            }
        }
        if let Optimizer::AdamW { weight_decay, .. } = self {
            finite("weight_decay", *weight_decay)?;
        }
        if let Some(norm) = self.clip_global_norm() {
            // optax divides by the norm; a bound of 0 would freeze, a negative one reverse every gradient.
            if !(norm > 0.0 && norm.is_finite()) {
                return Err(format!("optimizer: clip_global_norm is {norm}, it must be above 0"));
            }
        }
        let finite = |key: &str, v: f64| match v < 0.0 {
            true => Err(format!("optimizer: {key} is {v}, which would climb; it must be 0 or more")),
            false => finite(key, v),
        };
        match self.learning_rate() {
            LearningRate::Number(v) | LearningRate::Schedule(Schedule::Constant { value: v }) => {
                finite("learning_rate", *v)
            }
            LearningRate::Schedule(Schedule::WarmupCosine { peak, warmup_steps, total_steps, end }) => {
                finite("learning_rate.peak", *peak)?;
                finite("learning_rate.end", *end)?;
                if total_steps > warmup_steps {
                    return Ok(());
                }
                Err(format!(
                    "optimizer: learning_rate.total_steps is {total_steps}, it must be more than warmup_steps \
                     ({warmup_steps})"
                ))
            }
        }
    }
}

/// Names and types of the optimizer state for these parameters, all zero at the start: `opt.count` (steps
/// done) where bias correction or a schedule reads it, then per kind of slot one tensor per parameter,
/// `opt.mu.<parameter>` and the like.
pub fn state_spec(cfg: &Optimizer, params: &[(String, TensorType)]) -> Vec<(String, TensorType)> {
    let count = cfg.reads_count().then(|| ("opt.count".to_owned(), TensorType::scalar(DType::I32)));
    let slots = cfg
        .slots()
        .iter()
        .flat_map(|slot| params.iter().map(move |(name, ty)| (format!("opt.{slot}.{name}"), ty.clone())));
    count.into_iter().chain(slots).collect()
}

/// What a step leaves behind.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Stepped {
    /// New parameters, in order.
    pub params: Vec<Value>,
    /// New state, in the order of [`state_spec`].
    pub state: Vec<Value>,
}

/// Appends one optimizer step. `grads` are in the order of `params`, `state` in that of [`state_spec`]. Errors
/// name what does not fit.
pub fn step(
    b: &mut Builder,
    cfg: &Optimizer,
    params: &[(String, Value)],
    grads: &[Value],
    state: &[Value],
) -> Result<Stepped, TypeError> {
    cfg.validate().map_err(TypeError::new)?;
    let specs: Vec<(String, TensorType)> =
        params.iter().map(|(name, v)| (name.clone(), b.ty(*v).clone())).collect();
    check_operands(b, cfg, &specs, grads, state)?;
    let scalar = if specs.iter().any(|(_, ty)| ty.dtype().size() >= 8) { DType::F64 } else { DType::F32 };
    let n = params.len();
    let (count, slots) = state.split_at(usize::from(cfg.reads_count()));
    let count = count.first().copied();
    let done = match count {
        Some(count) => {
            let one = b.splat(&TensorType::scalar(DType::I32), 1.0);
            Some(b.add(count, one)?)
        }
        None => None,
    };

    let grads = match cfg.clip_global_norm() {
        Some(max) => clip(b, grads, max, scalar)?,
        None => grads.to_vec(),
    };
    let (updates, slots) = match cfg {
        Optimizer::Sgd { .. } => (grads, Vec::new()),
        Optimizer::Momentum { momentum, nesterov, .. } => trace(b, &grads, slots, *momentum, *nesterov)?,
        Optimizer::Adam { b1, b2, eps, .. } | Optimizer::AdamW { b1, b2, eps, .. } => {
            let done = done.expect("bias correction reads the count");
            let correct = [correction(b, *b1, done, scalar)?, correction(b, *b2, done, scalar)?];
            let (mu, nu) = slots.split_at(n);
            moments(b, &grads, mu, nu, [*b1, *b2], correct, *eps)?
        }
    };
    let rate = rate(b, cfg.learning_rate(), count, scalar)?;
    let mut new = Vec::with_capacity(n);
    for ((_, p), update) in params.iter().zip(updates) {
        let update = match cfg {
            Optimizer::AdamW { weight_decay, .. } => {
                let decay = b.scale(*p, *weight_decay)?;
                b.add(update, decay)?
            }
            Optimizer::Sgd { .. } | Optimizer::Momentum { .. } | Optimizer::Adam { .. } => update,
        };
        let descent = match rate {
            Rate::Number(lr) => b.scale(update, -lr)?,
            Rate::Value(lr) => {
                let minus = b.unary(UnaryOp::Negate, lr)?;
                let minus = like(b, minus, update)?;
                b.mul(minus, update)?
            }
        };
        new.push(b.add(*p, descent)?);
    }
    Ok(Stepped { params: new, state: done.into_iter().chain(slots).collect() })
}

fn check_operands(
    b: &Builder,
    cfg: &Optimizer,
    params: &[(String, TensorType)],
    grads: &[Value],
    state: &[Value],
) -> Result<(), TypeError> {
    for (name, ty) in params {
        if !ty.dtype().is_float() {
            return Err(TypeError::new(format!("unsupported: parameter {name} is {ty}, not a real float")));
        }
    }
    let spec = state_spec(cfg, params);
    let check = |what: &str, want: &[(String, TensorType)], got: &[Value]| {
        if want.len() != got.len() {
            return Err(TypeError::new(format!("{} {what} expected, got {}", want.len(), got.len())));
        }
        match want.iter().zip(got).find(|((_, ty), v)| ty != b.ty(**v)) {
            Some(((name, ty), v)) => {
                Err(TypeError::new(format!("{what}: {name} should be {ty}, got {}", b.ty(*v))))
            }
            None => Ok(()),
        }
    };
    check("gradients", params, grads)?;
    check("optimizer state tensors", &spec, state)
}

/// A scalar rounded to the element type of `x` and repeated to its shape.
fn like(b: &mut Builder, scalar: Value, x: Value) -> Result<Value, TypeError> {
    let ty = b.ty(x).clone();
    let scalar = b.convert(scalar, ty.dtype())?;
    b.broadcast_scalar(scalar, ty.shape())
}

/// `optax.clip_by_global_norm`: unchanged below `max`, else g / norm * max.
fn clip(b: &mut Builder, grads: &[Value], max: f64, scalar: DType) -> Result<Vec<Value>, TypeError> {
    let mut total = None;
    for &g in grads {
        let wide = b.convert(g, scalar)?;
        let square = b.mul(wide, wide)?;
        let all: Vec<usize> = (0..b.ty(g).rank()).collect();
        let sum = b.reduce(square, &all, Monoid::Add)?;
        total = Some(match total {
            Some(t) => b.add(t, sum)?,
            None => sum,
        });
    }
    let Some(total) = total else { return Ok(Vec::new()) };
    let norm = b.unary(UnaryOp::Sqrt, total)?;
    let bound = b.splat(&TensorType::scalar(scalar), max);
    let small = b.compare(Comparison::Lt, norm, bound)?;
    let mut clipped = Vec::with_capacity(grads.len());
    for &g in grads {
        let norm = like(b, norm, g)?;
        let unit = b.div(g, norm)?;
        let scaled = b.scale(unit, max)?;
        clipped.push(b.select(small, g, scaled)?);
    }
    Ok(clipped)
}

/// `optax.trace`.
fn trace(
    b: &mut Builder,
    grads: &[Value],
    traces: &[Value],
    decay: f64,
    nesterov: bool,
) -> Result<(Vec<Value>, Vec<Value>), TypeError> {
    let (mut updates, mut new) = (Vec::new(), Vec::new());
    for (&g, &t) in grads.iter().zip(traces) {
        let kept = b.scale(t, decay)?;
        let t = b.add(g, kept)?;
        new.push(t);
        updates.push(if nesterov {
            let ahead = b.scale(t, decay)?;
            b.add(g, ahead)?
        } else {
            t
        });
    }
    Ok((updates, new))
}

/// 1 - decay^count as a scalar.
fn correction(b: &mut Builder, decay: f64, count: Value, scalar: DType) -> Result<Value, TypeError> {
    let ty = TensorType::scalar(scalar);
    let (count, decay) = (b.convert(count, scalar)?, b.splat(&ty, decay));
    let power = b.binary(BinaryOp::Power, decay, count)?;
    let one = b.splat(&ty, 1.0);
    b.sub(one, power)
}

/// `optax.scale_by_adam`: updates, then the new first and second moments.
fn moments(
    b: &mut Builder,
    grads: &[Value],
    mu: &[Value],
    nu: &[Value],
    [b1, b2]: [f64; 2],
    [c1, c2]: [Value; 2],
    eps: f64,
) -> Result<(Vec<Value>, Vec<Value>), TypeError> {
    let average = |b: &mut Builder, decay: f64, new: Value, old: Value| {
        let (new, old) = (b.scale(new, 1.0 - decay)?, b.scale(old, decay)?);
        b.add(new, old)
    };
    let (mut updates, mut mus, mut nus) = (Vec::new(), Vec::new(), Vec::new());
    for ((&g, &m), &v) in grads.iter().zip(mu).zip(nu) {
        let m = average(b, b1, g, m)?;
        let square = b.mul(g, g)?;
        let v = average(b, b2, square, v)?;
        let (c1, c2) = (like(b, c1, g)?, like(b, c2, g)?);
        let (m_hat, v_hat) = (b.div(m, c1)?, b.div(v, c2)?);
        let root = b.unary(UnaryOp::Sqrt, v_hat)?;
        let ty = b.ty(root).clone();
        let eps = b.splat(&ty, eps);
        let divisor = b.add(root, eps)?;
        updates.push(b.div(m_hat, divisor)?);
        mus.push(m);
        nus.push(v);
    }
    mus.extend(nus);
    Ok((updates, mus))
}

#[derive(Clone, Copy)]
enum Rate {
    Number(f64),
    /// A scalar of the program.
    Value(Value),
}

/// The learning rate after `count` steps; a rate that varies has one.
fn rate(
    b: &mut Builder,
    rate: &LearningRate,
    count: Option<Value>,
    scalar: DType,
) -> Result<Rate, TypeError> {
    let (peak, warmup, total, end) = match rate {
        LearningRate::Number(v) | LearningRate::Schedule(Schedule::Constant { value: v }) => {
            return Ok(Rate::Number(*v));
        }
        LearningRate::Schedule(Schedule::WarmupCosine { peak, warmup_steps, total_steps, end }) => {
            (*peak, f64::from(*warmup_steps), f64::from(*total_steps), *end)
        }
    };
    let ty = TensorType::scalar(scalar);
    let count = b.convert(count.expect("a schedule reads the count"), scalar)?;
    let zero = b.splat(&ty, 0.0);
    // Half a cosine: peak ((1 - alpha) (1 + cos(pi c / n)) / 2 + alpha), alpha = end / peak, c <= n.
    let (warm, n) = (b.splat(&ty, warmup), b.splat(&ty, total - warmup));
    let since = b.sub(count, warm)?;
    let since = b.binary(BinaryOp::Minimum, since, n)?;
    let since = b.scale(since, std::f64::consts::PI)?;
    let angle = b.div(since, n)?;
    let cosine = b.unary(UnaryOp::Cosine, angle)?;
    let one = b.splat(&ty, 1.0);
    let raised = b.add(one, cosine)?;
    let half = b.scale(raised, 0.5)?;
    let alpha = if peak == 0.0 { 0.0 } else { end / peak };
    let spanned = b.scale(half, 1.0 - alpha)?;
    let floor = b.splat(&ty, alpha);
    let share = b.add(spanned, floor)?;
    let decayed = b.scale(share, peak)?;
    if warmup == 0.0 {
        return Ok(Rate::Value(decayed));
    }
    // A line: peak - peak (1 - c / warmup), 0 <= c <= warmup.
    let within = b.push1(pullback_ir::Op::Clamp, &[zero, count, warm])?;
    let fraction = b.div(within, warm)?;
    let rest = b.sub(one, fraction)?;
    let below = b.scale(rest, -peak)?;
    let top = b.splat(&ty, peak);
    let rising = b.add(below, top)?;
    let early = b.compare(Comparison::Lt, count, warm)?;
    Ok(Rate::Value(b.select(early, rising, decayed)?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use pullback_eval::{Tensor, reference};

    fn parse(text: &str) -> Optimizer {
        serde_json::from_str(text).unwrap()
    }

    /// Runs one step program on f64 parameters repeatedly; gives parameters and state after the last step.
    fn run(cfg: &Optimizer, params: &[&[f64]], grads: &[&[&[f64]]]) -> (Vec<Vec<f64>>, Vec<Vec<f64>>) {
        let mut b = Builder::new("step");
        let types: Vec<(String, TensorType)> = (params.iter().enumerate())
            .map(|(i, p)| (format!("p{i}"), TensorType::new(DType::F64, [p.len()])))
            .collect();
        let spec = state_spec(cfg, &types);
        let arg = |b: &mut Builder, (name, ty): &(String, TensorType)| b.arg(Some(name), ty.clone());
        let named: Vec<_> = types.iter().map(|t| (t.0.clone(), arg(&mut b, t))).collect();
        let g: Vec<_> = types.iter().map(|(_, ty)| b.arg(None, ty.clone())).collect();
        let s: Vec<_> = spec.iter().map(|t| arg(&mut b, t)).collect();
        let new = step(&mut b, cfg, &named, &g, &s).unwrap();
        let program = b.finish(&[new.params, new.state].concat());
        program.verify().unwrap();

        let n = params.len();
        let tensor = |v: &[f64]| Tensor::from_f64s(TensorType::new(DType::F64, [v.len()]), v).unwrap();
        let mut kept: Vec<Tensor> = params.iter().map(|p| tensor(p)).collect();
        kept.extend(spec.iter().map(|(_, ty)| Tensor::zeros(ty.clone())));
        for g in grads {
            let mut args = kept[..n].to_vec();
            args.extend(g.iter().map(|g| tensor(g)));
            args.extend_from_slice(&kept[n..]);
            kept = reference::eval(&program, &args).unwrap();
        }
        let numbers: Vec<Vec<f64>> = kept.iter().map(Tensor::to_f64s).collect();
        (numbers[..n].to_vec(), numbers[n..].to_vec())
    }

    fn close(a: &[f64], b: &[f64]) {
        assert!(a.len() == b.len() && a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-14), "{a:?} {b:?}");
    }

    #[test]
    fn sgd_and_momentum() {
        let (p, s) =
            run(&parse(r#"{"name": "sgd", "learning_rate": 0.5}"#), &[&[1.0]], &[&[&[2.0]], &[&[-1.0]]]);
        assert_eq!((p, s), (vec![vec![0.5]], vec![]));
        let text = r#"{"name": "momentum", "learning_rate": 0.5, "momentum": 0.5, "nesterov": NESTEROV}"#;
        let grads: &[&[&[f64]]] = &[&[&[2.0]], &[&[-1.0]]];
        // Traces 2, then -1 + 0.5 * 2 = 0.
        let (p, s) = run(&parse(&text.replace("NESTEROV", "false")), &[&[1.0]], grads);
        assert_eq!((p, s), (vec![vec![0.0]], vec![vec![0.0]]));
        // Updates 2 + 0.5 * 2 = 3, then -1 + 0.5 * 0 = -1.
        let (p, _) = run(&parse(&text.replace("NESTEROV", "true")), &[&[1.0]], grads);
        assert_eq!(p, vec![vec![0.0]]);
    }

    #[test]
    fn adam_and_adamw() {
        let grads: &[&[&[f64]]] = &[&[&[2.0]], &[&[-1.0]]];
        let text = r#"{"name": "adam", "learning_rate": 0.1, "b1": 0.9, "b2": 0.999, "eps": 1e-8}"#;
        let (p, s) = run(&parse(text), &[&[1.0]], grads);
        close(&p[0], &[0.8733662967024315]);
        close(&[s[0][0], s[1][0], s[2][0]], &[2.0, 0.08, 0.004996]);
        let text = r#"{"name": "adamw", "learning_rate": 0.1, "b1": 0.9, "b2": 0.95, "eps": 1e-3, "weight_decay": 0.5}"#;
        let (p, _) = run(&parse(text), &[&[1.0]], grads);
        close(&p[0], &[0.7807276258210796]);
    }

    #[test]
    fn clipping_takes_the_norm_of_all_gradients() {
        let text = r#"{"name": "sgd", "learning_rate": 1, "clip_global_norm": 1.0}"#;
        let (p, _) = run(&parse(text), &[&[0.0], &[0.0, 0.0]], &[&[&[3.0], &[0.0, 4.0]]]);
        close(&p[0], &[-0.6]);
        close(&p[1], &[0.0, -0.8]);
        let (p, _) = run(&parse(text), &[&[0.0], &[0.0, 0.0]], &[&[&[0.3], &[0.0, 0.4]]]);
        assert_eq!(p, [vec![-0.3], vec![0.0, -0.4]]);
        // A gradient of zero stays zero: its norm divides nothing that is used.
        let (p, _) = run(&parse(text), &[&[1.0]], &[&[&[0.0]]]);
        assert_eq!(p, [vec![1.0]]);
    }

    #[test]
    fn warmup_cosine_follows_the_count() {
        let rates = |warmup: u32| {
            let text = r#"{"name": "sgd", "learning_rate": {"schedule": "warmup_cosine", "peak": 1.0,
                "warmup_steps": W, "total_steps": 12, "end": 0.1}}"#;
            let cfg = parse(&text.replace('W', &warmup.to_string()));
            let mut before = 0.0;
            (1..=21)
                .map(|n| {
                    let (p, _) = run(&cfg, &[&[0.0]], &vec![&[&[-1.0][..]][..]; n]);
                    let rate = p[0][0] - before;
                    before = p[0][0];
                    rate
                })
                .collect::<Vec<f64>>()
        };
        let r = rates(4);
        let quarter = 0.1 + 0.9 * (1.0 + (std::f64::consts::PI / 4.0).cos()) / 2.0;
        close(
            &[r[0], r[1], r[2], r[4], r[6], r[8], r[12], r[20]],
            &[0.0, 0.25, 0.5, 1.0, quarter, 0.55, 0.1, 0.1],
        );
        close(&rates(0)[..1], &[1.0]);
    }

    #[test]
    fn settings_are_checked_and_unknown_keys_refused() {
        let error = |text: &str| serde_json::from_str::<Optimizer>(text).unwrap_err().to_string();
        assert!(error(r#"{"name": "sgd", "learning_rate": 1, "lr": 2}"#).contains("lr"));
        assert!(error(r#"{"name": "lion", "learning_rate": 1}"#).contains("lion"));
        assert!(error(r#"{"name": "sgd", "learning_rate": "fast"}"#).contains("schedule"));
        let text = r#"{"name": "sgd", "learning_rate": {"schedule": "constant", "value": 1, "warmup": 2}}"#;
        assert!(error(text).contains("warmup"));
        let invalid = |text: &str| parse(text).validate().unwrap_err();
        assert!(invalid(r#"{"name": "adam", "learning_rate": 1, "b1": 1.0}"#).contains("b1"));
        assert!(
            invalid(r#"{"name": "sgd", "learning_rate": 1, "clip_global_norm": 0}"#)
                .contains("clip_global_norm")
        );
        let text = r#"{"name": "sgd", "learning_rate": {"schedule": "warmup_cosine", "peak": 1, "warmup_steps": 5, "total_steps": 5}}"#;
        assert!(invalid(text).contains("total_steps"));
        // What was read can be written and read again.
        let cfg = parse(r#"{"name": "adamw", "learning_rate": 0.002, "clip_global_norm": 1.0}"#);
        assert_eq!(parse(&serde_json::to_string(&cfg).unwrap()), cfg);
    }

    #[test]
    fn operands_that_do_not_fit_are_named() {
        let cfg = parse(r#"{"name": "momentum", "learning_rate": 1, "momentum": 0.9}"#);
        let mut b = Builder::new("step");
        let ty = TensorType::new(DType::F32, [2]);
        let (p, g) = (b.arg(None, ty.clone()), b.arg(None, TensorType::new(DType::F32, [3])));
        let c = b.arg(None, TensorType::scalar(DType::I32));
        let params = [("w".to_owned(), p)];
        let message = step(&mut b, &cfg, &params, &[g], &[p]).unwrap_err().to_string();
        assert!(message.contains('w') && message.contains("f32[2]"), "{message}");
        let message = step(&mut b, &cfg, &params, &[p], &[c, p]).unwrap_err().to_string();
        assert!(message.contains("1 optimizer state tensors expected, got 2"), "{message}");
    }

    #[test]
    fn steps_are_counted_where_something_reads_the_count() {
        let names = |optimizer: &str, rate: &str| {
            let cfg = parse(&format!(r#"{{{optimizer}, "learning_rate": {rate}}}"#));
            let params = [("w".to_owned(), TensorType::new(DType::F32, [2]))];
            state_spec(&cfg, &params).into_iter().map(|(name, _)| name).collect::<Vec<_>>()
        };
        let (sgd, momentum) = (r#""name": "sgd""#, r#""name": "momentum", "momentum": 0.9"#);
        let cosine = r#"{"schedule": "warmup_cosine", "peak": 1, "warmup_steps": 1, "total_steps": 5}"#;
        for constant in ["0.1", r#"{"schedule": "constant", "value": 0.1}"#] {
            assert!(names(sgd, constant).is_empty());
            assert_eq!(names(momentum, constant), ["opt.trace.w"]);
            for adam in ["adam", "adamw"] {
                let adam = format!(r#""name": "{adam}""#);
                assert_eq!(names(&adam, constant), ["opt.count", "opt.mu.w", "opt.nu.w"]);
            }
        }
        assert_eq!(names(sgd, cosine), ["opt.count"]);
        assert_eq!(names(momentum, cosine), ["opt.count", "opt.trace.w"]);
    }

    #[test]
    fn narrow_parameters_keep_their_type() {
        let cfg = parse(
            r#"{"name": "adamw", "learning_rate": {"schedule": "warmup_cosine", "peak": 1,
            "warmup_steps": 1, "total_steps": 5}, "clip_global_norm": 1}"#,
        );
        let mut b = Builder::new("step");
        let ty = TensorType::new(DType::BF16, [2]);
        let params = [("w".to_owned(), b.arg(None, ty.clone()))];
        let g = b.arg(None, ty.clone());
        let state: Vec<_> =
            state_spec(&cfg, &[("w".into(), ty.clone())]).into_iter().map(|(_, t)| b.arg(None, t)).collect();
        let new = step(&mut b, &cfg, &params, &[g], &state).unwrap();
        assert!(new.params.iter().chain(&new.state[1..]).all(|&v| b.ty(v) == &ty));
    }
}
