//! One small program of each op of the IR, for any element type.
//!
//! `T` stands for the element type asked about. The result type of each line must be the one that follows.

use pullback_ir::text::parse;
use pullback_ir::{BinaryOp, Builder, DType, Program, TensorType, UnaryOp};

/// An op's name and its program for an element type; `None` where the op has no such type.
pub struct Case {
    pub name: String,
    make: Make,
}

enum Make {
    Unary(UnaryOp),
    Binary(BinaryOp),
    Text(&'static str),
}

impl Case {
    /// The program of the op for one element type.
    pub fn program(&self, dtype: DType) -> Option<Program> {
        let mut b = Builder::new("f");
        let ty = TensorType::new(dtype, [2, 3]);
        let result = match &self.make {
            Make::Unary(u) => {
                let x = b.arg(Some("x"), ty);
                b.unary(*u, x)
            }
            Make::Binary(op) => {
                let (x, y) = (b.arg(Some("x"), ty.clone()), b.arg(Some("y"), ty));
                b.binary(*op, x, y)
            }
            Make::Text(text) => return parse(&fill(text, dtype)?).ok(),
        };
        Some(b.finish(&[result.ok()?]))
    }
}

/// `T`: the type. `C`: the complex type of its parts. `P`: the type of its parts.
fn fill(text: &str, dtype: DType) -> Option<String> {
    let mut out = text.replace("T[", &format!("{dtype}["));
    if out.contains("C[") {
        out = out.replace("C[", &format!("{}[", dtype.complex()?));
    }
    Some(out.replace("P[", &format!("{}[", dtype.part())))
}

/// All ops, elementwise ones first, in the order of the IR.
pub fn cases() -> Vec<Case> {
    let unary = UnaryOp::ALL.iter().map(|&u| Case { name: u.name().to_owned(), make: Make::Unary(u) });
    let binary = BinaryOp::ALL.iter().map(|&b| Case { name: b.name().to_owned(), make: Make::Binary(b) });
    let texts = TEXTS.iter().map(|(name, text)| Case { name: (*name).to_owned(), make: Make::Text(text) });
    unary.chain(binary).chain(texts).collect()
}

const TEXTS: &[(&str, &str)] = &[
    ("constant", "program @f() { %0: T[3] = constant 1\n return %0 }"),
    ("iota", "program @f() { %0: T[3] = iota {iota_dimension = 0}\n return %0 }"),
    (
        "compare",
        "program @f(%0: T[3], %1: T[3]) { %2: bool[3] = compare %0, %1 {comparison_direction = LT}\n return %2 }",
    ),
    ("select", "program @f(%0: bool[3], %1: T[3], %2: T[3]) { %3: T[3] = select %0, %1, %2\n return %3 }"),
    ("clamp", "program @f(%0: T[], %1: T[3], %2: T[]) { %3: T[3] = clamp %0, %1, %2\n return %3 }"),
    ("convert", "program @f(%0: T[3]) { %1: f64[3] = convert %0\n return %1 }"),
    (
        "broadcast_in_dim",
        "program @f(%0: T[3]) { %1: T[2,3] = broadcast_in_dim %0 {broadcast_dimensions = [1]}\n return %1 }",
    ),
    ("reshape", "program @f(%0: T[2,3]) { %1: T[6] = reshape %0\n return %1 }"),
    ("transpose", "program @f(%0: T[2,3]) { %1: T[3,2] = transpose %0 {permutation = [1, 0]}\n return %1 }"),
    (
        "slice",
        "program @f(%0: T[5]) { %1: T[2] = slice %0 {start_indices = [1], limit_indices = [4], strides = [2]}\n return %1 }",
    ),
    (
        "concatenate",
        "program @f(%0: T[2], %1: T[3]) { %2: T[5] = concatenate %0, %1 {dimension = 0}\n return %2 }",
    ),
    (
        "pad",
        "program @f(%0: T[3], %1: T[]) { %2: T[7] = pad %0, %1 {edge_padding_low = [1], edge_padding_high = [1], interior_padding = [1]}\n return %2 }",
    ),
    ("reverse", "program @f(%0: T[2,3]) { %1: T[2,3] = reverse %0 {dimensions = [1]}\n return %1 }"),
    (
        "dot_general",
        "program @f(%0: T[2,3], %1: T[3,4]) { %2: T[2,4] = dot_general %0, %1 {contracting_dims = [1] x [0]}\n return %2 }",
    ),
    (
        "convolution",
        "program @f(%0: T[1,6,2], %1: T[3,2,4]) { %2: T[1,6,4] = convolution %0, %1 {input_batch_dimension = 0, input_feature_dimension = 2, input_spatial_dimensions = [1], kernel_input_feature_dimension = 1, kernel_output_feature_dimension = 2, kernel_spatial_dimensions = [0], output_batch_dimension = 0, output_feature_dimension = 2, output_spatial_dimensions = [1], window_strides = [1], padding = [[1, 1]], lhs_dilation = [1], rhs_dilation = [1], window_reversal = [false], feature_group_count = 1, batch_group_count = 1}\n return %2 }",
    ),
    (
        "reduce add",
        "program @f(%0: T[2,3]) { %1: T[2] = reduce %0 {dimensions = [1], monoid = add}\n return %1 }",
    ),
    (
        "reduce multiply",
        "program @f(%0: T[2,3]) { %1: T[2] = reduce %0 {dimensions = [1], monoid = multiply}\n return %1 }",
    ),
    (
        "reduce maximum",
        "program @f(%0: T[2,3]) { %1: T[2] = reduce %0 {dimensions = [1], monoid = maximum}\n return %1 }",
    ),
    (
        "gather",
        "program @f(%0: T[5,3], %1: i32[4,1]) { %2: T[4,3] = gather %0, %1 {offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1, slice_sizes = [1, 3]}\n return %2 }",
    ),
    (
        "scatter (set)",
        "program @f(%0: T[5,3], %1: i32[4,1], %2: T[4,3]) { %3: T[5,3] = scatter %0, %1, %2 {update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1}\n return %3 }",
    ),
    (
        "scatter add",
        "program @f(%0: T[5,3], %1: i32[4,1], %2: T[4,3]) { %3: T[5,3] = scatter %0, %1, %2 {update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1, combiner = add}\n return %3 }",
    ),
    (
        "scatter multiply",
        "program @f(%0: T[5,3], %1: i32[4,1], %2: T[4,3]) { %3: T[5,3] = scatter %0, %1, %2 {update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1, combiner = multiply}\n return %3 }",
    ),
    (
        "scatter maximum",
        "program @f(%0: T[5,3], %1: i32[4,1], %2: T[4,3]) { %3: T[5,3] = scatter %0, %1, %2 {update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1, combiner = maximum}\n return %3 }",
    ),
    (
        "dynamic_slice",
        "program @f(%0: T[5], %1: i32[]) { %2: T[2] = dynamic_slice %0, %1 {slice_sizes = [2]}\n return %2 }",
    ),
    (
        "dynamic_update_slice",
        "program @f(%0: T[5], %1: T[2], %2: i32[]) { %3: T[5] = dynamic_update_slice %0, %1, %2\n return %3 }",
    ),
    ("bitcast_convert", "program @f(%0: T[3]) { %1: T[3] = bitcast_convert %0\n return %1 }"),
    (
        "reduce_precision",
        "program @f(%0: T[3]) { %1: T[3] = reduce_precision %0 {exponent_bits = 5, mantissa_bits = 2}\n return %1 }",
    ),
    (
        "reduce_window add",
        "program @f(%0: T[6]) { %1: T[3] = reduce_window %0 {window_dimensions = [2], window_strides = [2], base_dilations = [1], window_dilations = [1], padding = [[0, 0]], monoid = add}\n return %1 }",
    ),
    (
        "reduce_window maximum",
        "program @f(%0: T[6]) { %1: T[3] = reduce_window %0 {window_dimensions = [2], window_strides = [2], base_dilations = [1], window_dilations = [1], padding = [[0, 0]], monoid = maximum}\n return %1 }",
    ),
    (
        "select_and_scatter",
        "program @f(%0: T[6], %1: T[3]) { %2: T[6] = select_and_scatter %0, %1 {window_dimensions = [2], window_strides = [2], base_dilations = [1], window_dilations = [1], padding = [[0, 0]], select = GE, monoid = add}\n return %2 }",
    ),
    (
        "argsort",
        "program @f(%0: T[2,5]) { %1: i32[2,5] = argsort %0 {dimension = 1, comparison_direction = LT}\n return %1 }",
    ),
    (
        "fft FFT",
        "program @f(%0: T[2,6]) { %1: T[2,6] = fft %0 {fft_type = FFT, fft_length = [6]}\n return %1 }",
    ),
    (
        "fft RFFT",
        "program @f(%0: T[2,6]) { %1: C[2,4] = fft %0 {fft_type = RFFT, fft_length = [6]}\n return %1 }",
    ),
    (
        "fft IRFFT",
        "program @f(%0: T[2,4]) { %1: P[2,6] = fft %0 {fft_type = IRFFT, fft_length = [6]}\n return %1 }",
    ),
    ("cholesky", "program @f(%0: T[2,3,3]) { %1: T[2,3,3] = cholesky %0 {lower = true}\n return %1 }"),
    (
        "triangular_solve",
        "program @f(%0: T[2,3,3], %1: T[2,3,4]) { %2: T[2,3,4] = triangular_solve %0, %1 {left_side = true, lower = true, transpose_a = NO_TRANSPOSE}\n return %2 }",
    ),
    (
        "lapack_geqrf",
        "program @f(%0: T[2,3,3]) { %1: T[2,3,3], %2: T[2,3] = lapack_geqrf %0\n return %1, %2 }",
    ),
    (
        "lapack_getrf",
        "program @f(%0: T[2,3,3]) { %1: T[2,3,3], %2: i32[2,3], %3: i32[2] = lapack_getrf %0\n return %1, %2, %3 }",
    ),
    (
        "lapack_potrf",
        "program @f(%0: T[2,3,3]) { %1: T[2,3,3], %2: i32[2] = lapack_potrf %0 {lower = true}\n return %1, %2 }",
    ),
    (
        "lapack_syevd",
        "program @f(%0: T[2,3,3]) { %1: T[2,3,3], %2: P[2,3], %3: i32[2] = lapack_syevd %0 {lower = true, vectors = true}\n return %1, %2, %3 }",
    ),
    (
        "lapack_gesdd",
        "program @f(%0: T[2,3,3]) { %1: T[2,3,3], %2: P[2,3], %3: T[2,3,3], %4: T[2,3,3], %5: i32[2] = lapack_gesdd %0 {vectors = true}\n return %1, %2, %3, %4, %5 }",
    ),
    (
        "rng_bit_generator",
        "program @f(%0: u64[2]) { %1: u64[2], %2: T[5] = rng_bit_generator %0 {rng_algorithm = THREE_FRY}\n return %1, %2 }",
    ),
    (
        "all_reduce and other communication",
        "program @f(%0: T[4]) { %1: T[4] = all_reduce %0 {replica_groups = [], across = cross_replica, monoid = add}\n return %1 }",
    ),
    (
        "while",
        "program @f(%0: T[4]) { %1: T[4] = while %0 (program @cond(%0: T[4]) { %1: bool[] = constant false\n return %1 }, program @body(%0: T[4]) { return %0 })\n return %1 }",
    ),
    (
        "case",
        "program @f(%0: i32[], %1: T[4]) { %2: T[4] = case %0, %1 (program @a(%0: T[4]) { return %0 }, program @b(%0: T[4]) { return %0 })\n return %2 }",
    ),
];
