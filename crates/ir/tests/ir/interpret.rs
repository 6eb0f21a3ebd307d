//! Plain loops for the ops that passes compute or move, on f32, i32 and bool: what a pass is judged by.
//!
//! `None` where an op is not one of them.

use pullback_base::IdMap;
use pullback_ir::*;

/// Elements as their bytes, row-major.
pub type Tensor = Vec<Vec<u8>>;

/// Values of all instructions that can be computed from `args`.
pub fn run(p: &Program, args: &[Tensor]) -> Vec<Option<Tensor>> {
    let mut env = IdMap::<Value, Option<Tensor>>::filled(p.n_values(), None);
    for (&v, t) in p.args().iter().zip(args) {
        env[v] = Some(t.clone());
    }
    for instr in p.instrs().values() {
        let operands: Option<Vec<(&TensorType, Tensor)>> =
            instr.operands().iter().map(|&v| Some((p.ty(v), env[v].clone()?))).collect();
        if let [result] = instr.results() {
            env[*result] = operands.and_then(|xs| op(instr.op(), &xs, p.ty(*result)));
        }
    }
    p.results().iter().map(|&v| env[v].clone()).collect()
}

fn indices(shape: &[usize]) -> impl Iterator<Item = Vec<usize>> {
    let n: usize = shape.iter().product();
    let shape = shape.to_vec();
    (0..n).map(move |mut i| {
        let mut index = vec![0; shape.len()];
        for d in (0..shape.len()).rev() {
            index[d] = i % shape[d];
            i /= shape[d];
        }
        index
    })
}

fn linear(shape: &[usize], index: &[usize]) -> usize {
    index.iter().zip(shape).fold(0, |n, (i, s)| n * s + i)
}

fn f32_of(e: &[u8]) -> f32 {
    f32::from_le_bytes(e.try_into().unwrap())
}

fn i32_of(e: &[u8]) -> i32 {
    i32::from_le_bytes(e.try_into().unwrap())
}

fn unary(u: UnaryOp, d: DType, e: &[u8]) -> Option<Vec<u8>> {
    Some(match (d, u) {
        (DType::F32, UnaryOp::Negate) => (-f32_of(e)).to_le_bytes().to_vec(),
        (DType::F32, UnaryOp::Abs) => f32_of(e).abs().to_le_bytes().to_vec(),
        (DType::F32, UnaryOp::Square) => (f32_of(e) * f32_of(e)).to_le_bytes().to_vec(),
        (DType::I32, UnaryOp::Negate) => i32_of(e).wrapping_neg().to_le_bytes().to_vec(),
        (DType::I32, UnaryOp::Abs) => i32_of(e).wrapping_abs().to_le_bytes().to_vec(),
        (DType::I32, UnaryOp::Sign) => i32_of(e).signum().to_le_bytes().to_vec(),
        (DType::I32, UnaryOp::Square) => i32_of(e).wrapping_mul(i32_of(e)).to_le_bytes().to_vec(),
        (DType::I32, UnaryOp::Not) => (!i32_of(e)).to_le_bytes().to_vec(),
        (DType::Bool, UnaryOp::Not) => vec![1 - e[0]],
        _ => return None,
    })
}

fn binary(b: BinaryOp, d: DType, x: &[u8], y: &[u8]) -> Option<Vec<u8>> {
    match d {
        DType::F32 => {
            let (x, y) = (f32_of(x), f32_of(y));
            let nan = x.is_nan() || y.is_nan();
            let v = match b {
                BinaryOp::Add => x + y,
                BinaryOp::Subtract => x - y,
                BinaryOp::Multiply => x * y,
                BinaryOp::Divide => x / y,
                BinaryOp::Maximum | BinaryOp::Minimum if nan => f32::NAN,
                BinaryOp::Maximum => x.max(y),
                BinaryOp::Minimum => x.min(y),
                _ => return None,
            };
            Some(v.to_le_bytes().to_vec())
        }
        DType::I32 => {
            let (x, y) = (i32_of(x), i32_of(y));
            let v = match b {
                BinaryOp::Add => x.wrapping_add(y),
                BinaryOp::Subtract => x.wrapping_sub(y),
                BinaryOp::Multiply => x.wrapping_mul(y),
                BinaryOp::Divide => x.checked_div(y).unwrap_or(-1),
                BinaryOp::Remainder => {
                    if y == 0 {
                        x
                    } else {
                        x.wrapping_rem(y)
                    }
                }
                BinaryOp::Maximum => x.max(y),
                BinaryOp::Minimum => x.min(y),
                BinaryOp::And => x & y,
                BinaryOp::Or => x | y,
                BinaryOp::Xor => x ^ y,
                BinaryOp::ShiftLeft => {
                    if (0..32).contains(&y) {
                        x << y
                    } else {
                        0
                    }
                }
                BinaryOp::ShiftRightArithmetic => x >> y.clamp(0, 31),
                _ => return None,
            };
            Some(v.to_le_bytes().to_vec())
        }
        _ => Some(vec![match b {
            BinaryOp::And | BinaryOp::Multiply | BinaryOp::Minimum => x[0] & y[0],
            BinaryOp::Or | BinaryOp::Add | BinaryOp::Maximum => x[0] | y[0],
            BinaryOp::Xor => x[0] ^ y[0],
            _ => return None,
        }]),
    }
}

fn compare(direction: Comparison, d: DType, x: &[u8], y: &[u8]) -> Vec<u8> {
    let order = match d {
        DType::F32 => f32_of(x).partial_cmp(&f32_of(y)),
        DType::I32 => Some(i32_of(x).cmp(&i32_of(y))),
        _ => Some(x.cmp(y)),
    };
    use std::cmp::Ordering::*;
    vec![u8::from(match direction {
        Comparison::Eq => order == Some(Equal),
        Comparison::Ne => order != Some(Equal),
        Comparison::Ge => matches!(order, Some(Greater | Equal)),
        Comparison::Gt => order == Some(Greater),
        Comparison::Le => matches!(order, Some(Less | Equal)),
        Comparison::Lt => order == Some(Less),
    })]
}

fn convert(from: DType, to: DType, e: &[u8]) -> Option<Vec<u8>> {
    Some(match (from, to) {
        _ if from == to => e.to_vec(),
        (DType::F32, DType::I32) => (f32_of(e) as i32).to_le_bytes().to_vec(),
        (DType::F32, DType::Bool) => vec![u8::from(f32_of(e) != 0.0)],
        (DType::I32, DType::F32) => (i32_of(e) as f32).to_le_bytes().to_vec(),
        (DType::I32, DType::Bool) => vec![u8::from(i32_of(e) != 0)],
        (DType::Bool, DType::F32) => f32::from(e[0]).to_le_bytes().to_vec(),
        (DType::Bool, DType::I32) => i32::from(e[0]).to_le_bytes().to_vec(),
        _ => return None,
    })
}

fn op(op: &Op, xs: &[(&TensorType, Tensor)], ty: &TensorType) -> Option<Tensor> {
    // The element of operand k at an index.
    let at = |k: usize, index: &[usize]| xs[k].1[linear(xs[k].0.shape(), index)].clone();
    let each = |f: &dyn Fn(&[usize]) -> Option<Vec<u8>>| {
        indices(ty.shape()).map(|i| f(&i)).collect::<Option<Tensor>>()
    };
    let d = xs.first().map_or(ty.dtype(), |x| x.0.dtype());
    match op {
        Op::Constant(l) => Some((0..ty.count()).map(|i| l.element(i).to_vec()).collect()),
        Op::Iota { ty, dim } => each(&|i| Some(literal::encode_i64(ty.dtype(), i[*dim] as i64))),
        Op::Unary(u) => each(&|i| unary(*u, d, &at(0, i))),
        Op::Binary(b) => each(&|i| binary(*b, d, &at(0, i), &at(1, i))),
        Op::Compare { direction, total_order: false } => {
            each(&|i| Some(compare(*direction, d, &at(0, i), &at(1, i))))
        }
        Op::Select => each(&|i| {
            let pred = if xs[0].0.rank() == 0 { at(0, &[]) } else { at(0, i) };
            Some(at(if pred[0] != 0 { 1 } else { 2 }, i))
        }),
        Op::Convert { dtype } => each(&|i| convert(d, *dtype, &at(0, i))),
        Op::BroadcastInDim { dims, .. } => each(&|i| {
            let shape = xs[0].0.shape();
            Some(at(
                0,
                &dims.iter().zip(shape).map(|(&d, &n)| if n == 1 { 0 } else { i[d] }).collect::<Vec<_>>(),
            ))
        }),
        Op::Reshape { .. } => Some(xs[0].1.clone()),
        Op::Transpose { permutation } => each(&|i| {
            let mut index = vec![0; i.len()];
            permutation.iter().zip(i).for_each(|(&p, &n)| index[p] = n);
            Some(at(0, &index))
        }),
        Op::Slice { starts, strides, .. } => {
            each(&|i| Some(at(0, &(0..i.len()).map(|d| starts[d] + i[d] * strides[d]).collect::<Vec<_>>())))
        }
        Op::Concatenate { dim } => each(&|i| {
            let mut index = i.to_vec();
            let mut k = 0;
            while index[*dim] >= xs[k].0.shape()[*dim] {
                index[*dim] -= xs[k].0.shape()[*dim];
                k += 1;
            }
            Some(at(k, &index))
        }),
        Op::Pad { low, interior, .. } => each(&|i| {
            let mut index = Vec::new();
            for d in 0..i.len() {
                let (at, step) = (i[d] as i64 - low[d], interior[d] as i64 + 1);
                let inside = at >= 0 && at % step == 0 && at / step < xs[0].0.shape()[d] as i64;
                if !inside {
                    return Some(xs[1].1[0].clone());
                }
                index.push((at / step) as usize);
            }
            Some(at(0, &index))
        }),
        Op::Reverse { dims } => each(&|i| {
            let flip = |d: usize| if dims.contains(&d) { ty.shape()[d] - 1 - i[d] } else { i[d] };
            Some(at(0, &(0..i.len()).map(flip).collect::<Vec<_>>()))
        }),
        Op::DynamicSlice { sizes } => each(&|i| {
            let start =
                |d: usize| i32_of(&xs[d + 1].1[0]).clamp(0, (xs[0].0.shape()[d] - sizes[d]) as i32) as usize;
            Some(at(0, &(0..i.len()).map(|d| start(d) + i[d]).collect::<Vec<_>>()))
        }),
        Op::Reduce { dims, .. } if dims.is_empty() => Some(xs[0].1.clone()),
        _ => None,
    }
}
