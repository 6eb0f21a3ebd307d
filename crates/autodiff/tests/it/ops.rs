//! Every op against central differences, first and second order, away from kinks.

use crate::common::*;
use pullback_eval::Tensor;
use pullback_ir::{
    BinaryOp, Builder, Comparison, DType, GatherDims, Monoid, Op, ScatterDims, TensorType, UnaryOp,
    WindowDims,
};

#[test]
fn unary_ops() {
    use UnaryOp as U;
    for &op in UnaryOp::ALL {
        let ranges: &[(f64, f64)] = match op {
            U::Log | U::Sqrt | U::Rsqrt | U::LogPlusOne => &[(0.3, 3.0)],
            U::Cbrt => &[(0.3, 3.0), (-3.0, -0.3)],
            U::Tan => &[(-1.2, 1.2)],
            U::Abs | U::Sign => &[(0.1, 2.0), (-2.0, -0.1)],
            U::Ceil | U::Floor | U::RoundNearestAfz | U::RoundNearestEven => &[(0.1, 0.4)],
            // Of whole numbers.
            U::CountLeadingZeros | U::Not | U::Popcnt => continue,
            U::Acos | U::Asin | U::Atanh | U::ErfInv => &[(-0.8, 0.8)],
            U::Acosh => &[(1.2, 3.0)],
            U::Lgamma | U::Digamma => &[(0.5, 3.0), (-0.8, -0.2), (8.0, 20.0)],
            U::BesselI1e => &[(0.3, 3.0), (-12.0, -5.0), (9.0, 40.0)],
            U::Cosine
            | U::Exponential
            | U::ExponentialMinusOne
            | U::IsFinite
            | U::Logistic
            | U::Negate
            | U::Sine
            | U::Tanh
            | U::Asinh
            | U::Atan
            | U::Cosh
            | U::Sinh
            | U::Erf
            | U::Erfc
            | U::Square
            | U::Real
            | U::Imag => &[(-2.0, 2.0)],
        };
        for &(low, high) in ranges {
            let ty = f64s(&[3]);
            let p = program(std::slice::from_ref(&ty), |b, x| Ok(vec![b.unary(op, x[0])?]));
            check2(op.name(), &p, &[random(&ty, "x", low, high)], &[0]);
        }
    }
}

#[test]
fn binary_ops() {
    use BinaryOp as B;
    for &op in BinaryOp::ALL {
        // Of whole numbers or complex ones, or not by both operands.
        let apart = matches!(op, B::Mulhi | B::Complex | B::NextAfter | B::Polygamma | B::Zeta);
        if apart || matches!(op, B::And | B::Or | B::Xor) || op.name().starts_with("shift") {
            continue;
        }
        let ty = f64s(&[2, 2]);
        let p = program(&[ty.clone(), ty.clone()], |b, x| Ok(vec![b.binary(op, x[0], x[1])?]));
        let args = match op {
            B::Remainder => {
                [tensor(&[2, 2], &[7.3, -7.3, 2.1, 5.5]), tensor(&[2, 2], &[3.1, 3.1, -4.0, 2.0])]
            }
            _ => [random(&ty, "x", 0.5, 2.0), random(&ty, "y", 0.7, 2.5)],
        };
        for wrt in [&[0, 1][..], &[0], &[1]] {
            check2(op.name(), &p, &args, wrt);
        }
        let twice = program(std::slice::from_ref(&ty), |b, x| Ok(vec![b.binary(op, x[0], x[0])?]));
        if !matches!(op, B::Remainder) {
            check2(op.name(), &twice, &args[..1], &[0]);
        }
    }
}

/// Away from branch cuts.
#[test]
fn complex_unary_ops() {
    let ty = TensorType::new(DType::C128, [4]);
    for &op in UnaryOp::ALL {
        let mut b = Builder::new("f");
        let x = b.arg(None, ty.clone());
        let Ok(y) = b.unary(op, x) else { continue };
        let p = b.finish(&[y]);
        check2(op.name(), &p, &[random(&ty, "x", 0.2, 0.9)], &[0]);
        let left: Vec<f64> = parts(&random(&ty, "x", 0.2, 0.9)).iter().map(|v| -v).collect();
        check2(op.name(), &p, &[from_parts(&ty, &left)], &[0]);
    }
}

#[test]
fn complex_binary_ops() {
    use BinaryOp as B;
    let ty = TensorType::new(DType::C128, [4]);
    for op in [B::Add, B::Subtract, B::Multiply, B::Divide, B::Power, B::Atan2] {
        let p = program(&[ty.clone(), ty.clone()], |b, x| Ok(vec![b.binary(op, x[0], x[1])?]));
        check2(op.name(), &p, &[random(&ty, "x", 0.5, 0.9), random(&ty, "y", 0.2, 0.9)], &[0, 1]);
    }
    let p = program(&[f64s(&[4]), f64s(&[4])], |b, x| {
        let z = b.binary(B::Complex, x[0], x[1])?;
        let s = b.unary(UnaryOp::Sign, z)?;
        Ok(vec![b.unary(UnaryOp::Abs, z)?, b.unary(UnaryOp::Imag, s)?])
    });
    check2("complex", &p, &[random(&f64s(&[4]), "x", 0.5, 0.9), random(&f64s(&[4]), "y", 0.2, 0.9)], &[0, 1]);
}

#[test]
fn select_clamp_and_convert() {
    let ty = f64s(&[4]);
    let p = program(&[ty.clone(), ty.clone()], |b, x| {
        let positive = b.compare(Comparison::Gt, x[0], x[1])?;
        let (s, c) = (b.unary(UnaryOp::Sine, x[0])?, b.mul(x[0], x[1])?);
        Ok(vec![b.select(positive, s, c)?])
    });
    check2("select", &p, &[random(&ty, "x", -2.0, 2.0), random(&ty, "y", -2.0, 2.0)], &[0, 1]);
    let args = [tensor(&[], &[-0.5]), tensor(&[4], &[-1.0, 0.0, 0.3, 2.0]), tensor(&[], &[0.7])];
    let types: Vec<_> = args.iter().map(|a| a.ty().clone()).collect();
    let p = program(&types, |b, x| {
        let y = b.push1(Op::Clamp, x)?;
        Ok(vec![b.mul(y, y)?])
    });
    check2("clamp", &p, &args, &[0, 1, 2]);
    let wide = [tensor(&[4], &[-0.5; 4]), args[1].clone(), tensor(&[4], &[0.7, 0.7, 0.2, 0.7])];
    let p = program(&vec![ty.clone(); 3], |b, x| Ok(vec![b.push1(Op::Clamp, x)?]));
    check("clamp of tensors", &p, &wide, &[0, 1, 2]);
    let p = program(std::slice::from_ref(&ty), |b, x| {
        let c = b.convert(x[0], DType::C128)?;
        let square = b.mul(c, c)?;
        Ok(vec![b.convert(square, DType::F64)?])
    });
    check2("convert", &p, &[random(&ty, "x", -2.0, 2.0)], &[0]);
}

#[test]
fn reductions() {
    for monoid in [Monoid::Add, Monoid::Multiply, Monoid::Maximum, Monoid::Minimum] {
        for dims in [&[][..], &[0], &[1], &[2], &[0, 2], &[0, 1, 2]] {
            let ty = f64s(&[2, 3, 5]);
            let p = program(std::slice::from_ref(&ty), |b, x| {
                Ok(vec![b.push1(Op::Reduce { dims: dims.to_vec(), monoid }, x)?])
            });
            check2(&format!("reduce {monoid} {dims:?}"), &p, &[random(&ty, "x", 0.5, 1.5)], &[0]);
        }
    }
}

#[test]
fn product_with_zeros_has_exact_first_and_second_derivatives() {
    let p = program(&[f64s(&[3])], |b, x| Ok(vec![b.reduce(x[0], &[0], Monoid::Multiply)?]));
    for x in [[2.0, 0.0, 5.0], [0.0, 0.0, 5.0], [2.0, 3.0, 5.0], [0.0; 3]] {
        let grad = cotangents(&p, &[tensor(&[3], &x)], &[0], &[tensor(&[], &[1.0])]);
        assert_eq!(grad[0], [x[1] * x[2], x[0] * x[2], x[0] * x[1]]);
        check2("product with zeros", &p, &[tensor(&[3], &x)], &[0]);
    }
}

fn table(indices: Tensor, dims: GatherDims) {
    let ty = f64s(&[4, 3]);
    let p = program(&[ty.clone(), indices.ty().clone()], |b, x| {
        let square = b.mul(x[0], x[0])?;
        Ok(vec![b.push1(Op::Gather(Box::new(dims)), &[square, x[1]])?])
    });
    check2("gather", &p, &[random(&ty, "x", -1.0, 1.0), indices], &[0]);
}

#[test]
fn gathers() {
    let rows = GatherDims {
        offset_dims: vec![1],
        collapsed_slice_dims: vec![0],
        operand_batching_dims: vec![],
        start_indices_batching_dims: vec![],
        start_index_map: vec![0],
        index_vector_dim: 1,
        slice_sizes: vec![1, 3],
        indices_are_sorted: false,
    };
    // Repeated, negative and too large indices.
    table(ints(&[5, 1], &[0, 2, 2, -7, 9]), rows.clone());
    table(ints(&[5], &[0, 2, 2, -7, 9]), rows.clone());
    // Windows of two by two, clamped per component, offsets before the batch dimension.
    let windows = GatherDims {
        offset_dims: vec![0, 2],
        collapsed_slice_dims: vec![],
        start_index_map: vec![1, 0],
        index_vector_dim: 0,
        slice_sizes: vec![2, 2],
        ..rows.clone()
    };
    table(ints(&[2, 4], &[0, 1, 2, -1, 0, 2, 9, 1]), windows);
    let batched = GatherDims {
        offset_dims: vec![],
        collapsed_slice_dims: vec![1],
        operand_batching_dims: vec![0],
        start_indices_batching_dims: vec![0],
        start_index_map: vec![1],
        index_vector_dim: 2,
        slice_sizes: vec![1, 1],
        ..rows
    };
    table(ints(&[4, 2, 1], &[0, 2, 1, 1, 5, 0, 2, -3]), batched);
}

fn scatters(what: &str, dims: &ScatterDims, indices: &Tensor, updates: &TensorType) {
    let ty = f64s(&[4, 3]);
    for combiner in
        [Monoid::Add, Monoid::Maximum, Monoid::Minimum, Monoid::Multiply].map(Some).into_iter().chain([None])
    {
        let p = program(&[ty.clone(), indices.ty().clone(), updates.clone()], |b, x| {
            let (square, sine) = (b.mul(x[0], x[0])?, b.unary(UnaryOp::Sine, x[2])?);
            let op = Op::Scatter { dims: Box::new(dims.clone()), combiner };
            Ok(vec![b.push1(op, &[square, x[1], sine])?])
        });
        let args = [random(&ty, "x", -1.0, 1.0), indices.clone(), random(updates, "u", -1.0, 1.0)];
        for wrt in [&[0, 2][..], &[0], &[2]] {
            check2(&format!("{what} {combiner:?} {wrt:?}"), &p, &args, wrt);
        }
    }
}

#[test]
fn scatter_rules() {
    let rows = ScatterDims {
        update_window_dims: vec![1],
        inserted_window_dims: vec![0],
        input_batching_dims: vec![],
        scatter_indices_batching_dims: vec![],
        scatter_dims_to_operand_dims: vec![0],
        index_vector_dim: 1,
        indices_are_sorted: false,
        unique_indices: false,
    };
    let indices = ints(&[5, 1], &[0, 2, 2, -1, 4]);
    scatters("rows", &rows, &indices, &f64s(&[5, 3]));
    scatters("part of rows", &rows, &indices, &f64s(&[5, 2]));
    // An index type that cannot hold the shifted index.
    let narrow = Tensor::from_i64s(TensorType::new(DType::U8, [3, 1]), &[3, 1, 255]).unwrap();
    scatters("rows by u8", &rows, &narrow, &f64s(&[3, 3]));
    // Windows partly outside lose only the elements outside.
    let windows = ScatterDims {
        update_window_dims: vec![0, 2],
        inserted_window_dims: vec![],
        scatter_dims_to_operand_dims: vec![1, 0],
        index_vector_dim: 0,
        ..rows.clone()
    };
    scatters("windows", &windows, &ints(&[2, 4], &[0, 1, 2, -1, 0, 3, 1, -9]), &f64s(&[2, 4, 2]));
    let batched = ScatterDims {
        update_window_dims: vec![],
        inserted_window_dims: vec![1],
        input_batching_dims: vec![0],
        scatter_indices_batching_dims: vec![0],
        scatter_dims_to_operand_dims: vec![1],
        index_vector_dim: 2,
        ..rows
    };
    scatters("batched", &batched, &ints(&[4, 2, 1], &[0, 2, 1, 1, 5, 0, 2, -3]), &f64s(&[4, 2]));
}

#[test]
fn dynamic_slices() {
    for start in [-2, 0, 1, 3, 9] {
        let (x, u, scalar) = (f64s(&[4, 2]), f64s(&[3, 1]), TensorType::scalar(DType::I32));
        let starts = [ints(&[], &[start]), ints(&[], &[1])];
        let p = program(&[x.clone(), scalar.clone(), scalar.clone()], |b, v| {
            let square = b.mul(v[0], v[0])?;
            Ok(vec![b.push1(Op::DynamicSlice { sizes: vec![3, 1] }, &[square, v[1], v[2]])?])
        });
        let args = [&[random(&x, "x", -1.0, 1.0)], &starts[..]].concat();
        check2(&format!("dynamic_slice at {start}"), &p, &args, &[0]);
        let p = program(&[x.clone(), u.clone(), scalar.clone(), scalar.clone()], |b, v| {
            let square = b.mul(v[1], v[1])?;
            Ok(vec![b.push1(Op::DynamicUpdateSlice, &[v[0], square, v[2], v[3]])?])
        });
        let args = [&[random(&x, "x", -1.0, 1.0), random(&u, "u", -1.0, 1.0)], &starts[..]].concat();
        for wrt in [&[0, 1][..], &[0], &[1]] {
            check2(&format!("dynamic_update_slice at {start}"), &p, &args, wrt);
        }
    }
}

#[test]
fn windows() {
    for (sizes, strides, base, own, padding) in [
        ([1, 4], [1, 1], [1, 1], [1, 1], [(0, 0), (3, 0)]),
        ([2, 2], [2, 2], [1, 1], [1, 1], [(0, 0), (0, 0)]),
        ([2, 3], [2, 1], [2, 1], [1, 2], [(1, 2), (-1, 3)]),
        ([3, 1], [3, 2], [1, 3], [2, 1], [(2, 0), (0, -2)]),
        // Long windows, combined by doubling.
        ([1, 5], [1, 1], [1, 1], [1, 1], [(0, 0), (4, 0)]),
        ([4, 7], [1, 2], [1, 1], [1, 1], [(3, 0), (3, 3)]),
        // No window at all.
        ([9, 1], [1, 1], [1, 1], [1, 1], [(0, 0), (0, 0)]),
    ] {
        let window = WindowDims {
            sizes: sizes.to_vec(),
            strides: strides.to_vec(),
            base_dilations: base.to_vec(),
            window_dilations: own.to_vec(),
            padding: padding.to_vec(),
        };
        let ty = f64s(&[4, 5]);
        for monoid in [Monoid::Add, Monoid::Multiply, Monoid::Maximum, Monoid::Minimum] {
            let p = program(std::slice::from_ref(&ty), |b, v| {
                let square = b.mul(v[0], v[0])?;
                let op = Op::ReduceWindow { window: Box::new(window.clone()), monoid };
                let y = b.push1(op, &[square])?;
                // Of a window of padding only it is infinite.
                let (low, high) = (b.splat(&f64s(&[]), -99.0), b.splat(&f64s(&[]), 99.0));
                Ok(vec![b.push1(Op::Clamp, &[low, y, high])?])
            });
            check2(&format!("{window:?} {monoid}"), &p, &[random(&ty, "x", 0.5, 1.5)], &[0]);
        }
    }
}

#[test]
fn selected_and_scattered() {
    let window = WindowDims {
        sizes: vec![2, 3],
        strides: vec![2, 1],
        base_dilations: vec![1, 1],
        window_dilations: vec![1, 1],
        padding: vec![(0, 0), (1, 1)],
    };
    let (x, source) = (f64s(&[4, 5]), f64s(&[2, 5]));
    for least in [false, true] {
        let scatter = |monoid: Monoid| {
            program(&[x.clone(), source.clone()], |b, v| {
                let square = b.mul(v[1], v[1])?;
                let op = Op::SelectAndScatter { window: Box::new(window.clone()), least, monoid };
                Ok(vec![b.push1(op, &[v[0], square])?])
            })
        };
        let args = [random(&x, "x", -1.0, 1.0), random(&source, "s", -1.0, 1.0)];
        for wrt in [&[0, 1][..], &[0], &[1]] {
            check2("select_and_scatter", &scatter(Monoid::Add), &args, wrt);
        }
        let refused = pullback_autodiff::vjp(&scatter(Monoid::Maximum), &[1]).unwrap_err().to_string();
        assert!(refused.contains("select_and_scatter that is not a sum"), "{refused}");
    }
}

/// Sorting by a gather at the order: derivatives follow the elements.
#[test]
fn sorted_elements() {
    let ty = f64s(&[5]);
    let p = program(std::slice::from_ref(&ty), |b, v| {
        let order = b.push1(Op::Argsort { dim: 0, descending: true, total_order: false }, &[v[0]])?;
        let dims = GatherDims {
            offset_dims: vec![],
            collapsed_slice_dims: vec![0],
            operand_batching_dims: vec![],
            start_indices_batching_dims: vec![],
            start_index_map: vec![0],
            index_vector_dim: 1,
            slice_sizes: vec![1],
            indices_are_sorted: false,
        };
        let sorted = b.push1(Op::Gather(Box::new(dims)), &[v[0], order])?;
        let weights = b.push1(Op::Iota { ty: b.ty(sorted).clone(), dim: 0 }, &[])?;
        let square = b.mul(sorted, sorted)?;
        Ok(vec![b.mul(square, weights)?])
    });
    check2("sort", &p, &[tensor(&[5], &[0.3, -1.0, 2.0, 0.7, 1.1])], &[0]);
}

const LOOP: &str = "program @f(%0: f64[] \"x\", %1: i32[] \"n\", %2: f64[] \"start\") {
  %3: i32[], %4: f64[] = while %1, %2 (program @cond(%0: i32[], %1: f64[]) {
    %2: i32[] = constant 4
    %3: bool[] = compare %0, %2 {comparison_direction = LT}
    return %3
  }, program @body(%0: i32[], %1: f64[]) {
    %2: i32[] = constant 1
    %3: i32[] = add %0, %2
    %4: f64[] = add %1, %1
    return %3, %4
  }) \"count\", \"doubled\"
  %5: f64[] = multiply %0, %4
  %6: f64[] = case %1, %5 (program @a(%0: f64[]) {
    return %0
  }) \"chosen\"
  return %5, %6
}
";

/// A loop that no differentiated value enters is a coefficient.
#[test]
fn loops_are_differentiated_around() {
    let p = pullback_ir::text::parse(LOOP).unwrap();
    let around = pullback_autodiff::value_and_grad(&p, &[0]).unwrap();
    let args = [tensor(&[], &[3.0]), ints(&[], &[1]), tensor(&[], &[0.5])];
    let got: Vec<f64> = eval(&around, &args).iter().map(|t| t.get_f64(0)).collect();
    assert_eq!(got, [12.0, 12.0, 4.0]);
    let message = pullback_autodiff::value_and_grad(&p, &[2]).unwrap_err().to_string();
    assert!(message.contains("through a while (it defines count)"), "{message}");
}
