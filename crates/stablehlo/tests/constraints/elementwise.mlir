// Operations of one or two operands, element by element: one type throughout.

// case cbrt_c1: cbrt (C1): gives tensor<2xf32>, but is declared as tensor<3xf32>
func.func @f(%x: tensor<2xf32>) -> tensor<3xf32> {
  %0 = "stablehlo.cbrt"(%x) : (tensor<2xf32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}

// case ceil_c1: ceil (C1): gives tensor<2xf32>, but is declared as tensor<3xf32>
func.func @f(%x: tensor<2xf32>) -> tensor<3xf32> {
  %0 = "stablehlo.ceil"(%x) : (tensor<2xf32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}

// case cosine_c1: cosine (C1): gives tensor<2xf32>, but is declared as tensor<3xf32>
func.func @f(%x: tensor<2xf32>) -> tensor<3xf32> {
  %0 = "stablehlo.cosine"(%x) : (tensor<2xf32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}

// case count_leading_zeros_c1: count_leading_zeros (C1): gives tensor<2xi32>, but is declared as tensor<3xi32>
func.func @f(%x: tensor<2xi32>) -> tensor<3xi32> {
  %0 = "stablehlo.count_leading_zeros"(%x) : (tensor<2xi32>) -> tensor<3xi32>
  return %0 : tensor<3xi32>
}

// case exponential_c1: exponential (C1): gives tensor<2xf32>, but is declared as tensor<3xf32>
func.func @f(%x: tensor<2xf32>) -> tensor<3xf32> {
  %0 = "stablehlo.exponential"(%x) : (tensor<2xf32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}

// case exponential_minus_one_c1: exponential_minus_one (C1): gives tensor<2xf32>, but is declared as tensor<3xf32>
func.func @f(%x: tensor<2xf32>) -> tensor<3xf32> {
  %0 = "stablehlo.exponential_minus_one"(%x) : (tensor<2xf32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}

// case floor_c1: floor (C1): gives tensor<2xf32>, but is declared as tensor<3xf32>
func.func @f(%x: tensor<2xf32>) -> tensor<3xf32> {
  %0 = "stablehlo.floor"(%x) : (tensor<2xf32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}

// case log_c1: log (C1): gives tensor<2xf32>, but is declared as tensor<3xf32>
func.func @f(%x: tensor<2xf32>) -> tensor<3xf32> {
  %0 = "stablehlo.log"(%x) : (tensor<2xf32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}

// case log_plus_one_c1: log_plus_one (C1): gives tensor<2xf32>, but is declared as tensor<3xf32>
func.func @f(%x: tensor<2xf32>) -> tensor<3xf32> {
  %0 = "stablehlo.log_plus_one"(%x) : (tensor<2xf32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}

// case logistic_c1: logistic (C1): gives tensor<2xf32>, but is declared as tensor<3xf32>
func.func @f(%x: tensor<2xf32>) -> tensor<3xf32> {
  %0 = "stablehlo.logistic"(%x) : (tensor<2xf32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}

// case negate_c1: negate (C1): gives tensor<2xf32>, but is declared as tensor<3xf32>
func.func @f(%x: tensor<2xf32>) -> tensor<3xf32> {
  %0 = "stablehlo.negate"(%x) : (tensor<2xf32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}

// case not_c1: not (C1): gives tensor<2xi32>, but is declared as tensor<3xi32>
func.func @f(%x: tensor<2xi32>) -> tensor<3xi32> {
  %0 = "stablehlo.not"(%x) : (tensor<2xi32>) -> tensor<3xi32>
  return %0 : tensor<3xi32>
}

// case popcnt_c1: popcnt (C1): gives tensor<2xi32>, but is declared as tensor<3xi32>
func.func @f(%x: tensor<2xi32>) -> tensor<3xi32> {
  %0 = "stablehlo.popcnt"(%x) : (tensor<2xi32>) -> tensor<3xi32>
  return %0 : tensor<3xi32>
}

// case round_nearest_afz_c1: round_nearest_afz (C1): gives tensor<2xf32>, but is declared as tensor<3xf32>
func.func @f(%x: tensor<2xf32>) -> tensor<3xf32> {
  %0 = "stablehlo.round_nearest_afz"(%x) : (tensor<2xf32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}

// case round_nearest_even_c1: round_nearest_even (C1): gives tensor<2xf32>, but is declared as tensor<3xf32>
func.func @f(%x: tensor<2xf32>) -> tensor<3xf32> {
  %0 = "stablehlo.round_nearest_even"(%x) : (tensor<2xf32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}

// case rsqrt_c1: rsqrt (C1): gives tensor<2xf32>, but is declared as tensor<3xf32>
func.func @f(%x: tensor<2xf32>) -> tensor<3xf32> {
  %0 = "stablehlo.rsqrt"(%x) : (tensor<2xf32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}

// case sign_c1: sign (C1): gives tensor<2xf32>, but is declared as tensor<3xf32>
func.func @f(%x: tensor<2xf32>) -> tensor<3xf32> {
  %0 = "stablehlo.sign"(%x) : (tensor<2xf32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}

// case sine_c1: sine (C1): gives tensor<2xf32>, but is declared as tensor<3xf32>
func.func @f(%x: tensor<2xf32>) -> tensor<3xf32> {
  %0 = "stablehlo.sine"(%x) : (tensor<2xf32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}

// case sqrt_c1: sqrt (C1): gives tensor<2xf32>, but is declared as tensor<3xf32>
func.func @f(%x: tensor<2xf32>) -> tensor<3xf32> {
  %0 = "stablehlo.sqrt"(%x) : (tensor<2xf32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}

// case tan_c1: tan (C1): gives tensor<2xf32>, but is declared as tensor<3xf32>
func.func @f(%x: tensor<2xf32>) -> tensor<3xf32> {
  %0 = "stablehlo.tan"(%x) : (tensor<2xf32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}

// case tanh_c1: tanh (C1): gives tensor<2xf32>, but is declared as tensor<3xf32>
func.func @f(%x: tensor<2xf32>) -> tensor<3xf32> {
  %0 = "stablehlo.tanh"(%x) : (tensor<2xf32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}

// case add_c1: add (C1): operands differ: f32[2] and f32[3]
func.func @f(%x: tensor<2xf32>, %y: tensor<3xf32>) -> tensor<2xf32> {
  %0 = "stablehlo.add"(%x, %y) : (tensor<2xf32>, tensor<3xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// case and_c1: and (C1): operands differ: i32[2] and i32[3]
func.func @f(%x: tensor<2xi32>, %y: tensor<3xi32>) -> tensor<2xi32> {
  %0 = "stablehlo.and"(%x, %y) : (tensor<2xi32>, tensor<3xi32>) -> tensor<2xi32>
  return %0 : tensor<2xi32>
}

// case atan2_c1: atan2 (C1): operands differ: f32[2] and f32[3]
func.func @f(%x: tensor<2xf32>, %y: tensor<3xf32>) -> tensor<2xf32> {
  %0 = "stablehlo.atan2"(%x, %y) : (tensor<2xf32>, tensor<3xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// case divide_c1: divide (C1): operands differ: f32[2] and f32[3]
func.func @f(%x: tensor<2xf32>, %y: tensor<3xf32>) -> tensor<2xf32> {
  %0 = "stablehlo.divide"(%x, %y) : (tensor<2xf32>, tensor<3xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// case maximum_c1: maximum (C1): operands differ: f32[2] and f32[3]
func.func @f(%x: tensor<2xf32>, %y: tensor<3xf32>) -> tensor<2xf32> {
  %0 = "stablehlo.maximum"(%x, %y) : (tensor<2xf32>, tensor<3xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// case minimum_c1: minimum (C1): operands differ: f32[2] and f32[3]
func.func @f(%x: tensor<2xf32>, %y: tensor<3xf32>) -> tensor<2xf32> {
  %0 = "stablehlo.minimum"(%x, %y) : (tensor<2xf32>, tensor<3xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// case multiply_c1: multiply (C1): operands differ: f32[2] and f32[3]
func.func @f(%x: tensor<2xf32>, %y: tensor<3xf32>) -> tensor<2xf32> {
  %0 = "stablehlo.multiply"(%x, %y) : (tensor<2xf32>, tensor<3xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// case or_c1: or (C1): operands differ: i32[2] and i32[3]
func.func @f(%x: tensor<2xi32>, %y: tensor<3xi32>) -> tensor<2xi32> {
  %0 = "stablehlo.or"(%x, %y) : (tensor<2xi32>, tensor<3xi32>) -> tensor<2xi32>
  return %0 : tensor<2xi32>
}

// case power_c1: power (C1): operands differ: f32[2] and f32[3]
func.func @f(%x: tensor<2xf32>, %y: tensor<3xf32>) -> tensor<2xf32> {
  %0 = "stablehlo.power"(%x, %y) : (tensor<2xf32>, tensor<3xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// case remainder_c1: remainder (C1): operands differ: f32[2] and f32[3]
func.func @f(%x: tensor<2xf32>, %y: tensor<3xf32>) -> tensor<2xf32> {
  %0 = "stablehlo.remainder"(%x, %y) : (tensor<2xf32>, tensor<3xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// case shift_left_c1: shift_left (C1): operands differ: i32[2] and i32[3]
func.func @f(%x: tensor<2xi32>, %y: tensor<3xi32>) -> tensor<2xi32> {
  %0 = "stablehlo.shift_left"(%x, %y) : (tensor<2xi32>, tensor<3xi32>) -> tensor<2xi32>
  return %0 : tensor<2xi32>
}

// case shift_right_arithmetic_c1: shift_right_arithmetic (C1): operands differ: i32[2] and i32[3]
func.func @f(%x: tensor<2xi32>, %y: tensor<3xi32>) -> tensor<2xi32> {
  %0 = "stablehlo.shift_right_arithmetic"(%x, %y) : (tensor<2xi32>, tensor<3xi32>) -> tensor<2xi32>
  return %0 : tensor<2xi32>
}

// case shift_right_logical_c1: shift_right_logical (C1): operands differ: i32[2] and i32[3]
func.func @f(%x: tensor<2xi32>, %y: tensor<3xi32>) -> tensor<2xi32> {
  %0 = "stablehlo.shift_right_logical"(%x, %y) : (tensor<2xi32>, tensor<3xi32>) -> tensor<2xi32>
  return %0 : tensor<2xi32>
}

// case subtract_c1: subtract (C1): operands differ: f32[2] and f32[3]
func.func @f(%x: tensor<2xf32>, %y: tensor<3xf32>) -> tensor<2xf32> {
  %0 = "stablehlo.subtract"(%x, %y) : (tensor<2xf32>, tensor<3xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// case xor_c1: xor (C1): operands differ: i32[2] and i32[3]
func.func @f(%x: tensor<2xi32>, %y: tensor<3xi32>) -> tensor<2xi32> {
  %0 = "stablehlo.xor"(%x, %y) : (tensor<2xi32>, tensor<3xi32>) -> tensor<2xi32>
  return %0 : tensor<2xi32>
}

// case add_c1_element: add (C1): operands differ: f32[2] and f64[2]
func.func @f(%x: tensor<2xf32>, %y: tensor<2xf64>) -> tensor<2xf32> {
  %0 = "stablehlo.add"(%x, %y) : (tensor<2xf32>, tensor<2xf64>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// case add_c1_result: add (C1): gives tensor<2xf32>, but is declared as tensor<2xf64>
func.func @f(%x: tensor<2xf32>) -> tensor<2xf64> {
  %0 = "stablehlo.add"(%x, %x) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf64>
  return %0 : tensor<2xf64>
}

// case abs_c1: abs (C1): gives tensor<2xf32>, but is declared as tensor<3xf32>
func.func @f(%x: tensor<2xf32>) -> tensor<3xf32> {
  %0 = "stablehlo.abs"(%x) : (tensor<2xf32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}

// case abs_c2: abs (C2): gives tensor<2xf32>, but is declared as tensor<2xf64>
func.func @f(%x: tensor<2xf32>) -> tensor<2xf64> {
  %0 = "stablehlo.abs"(%x) : (tensor<2xf32>) -> tensor<2xf64>
  return %0 : tensor<2xf64>
}

// case abs_c2_complex: abs (C2): gives tensor<2xf32>, but is declared as tensor<2xcomplex<f32>>
func.func @f(%x: tensor<2xcomplex<f32>>) -> tensor<2xcomplex<f32>> {
  %0 = "stablehlo.abs"(%x) : (tensor<2xcomplex<f32>>) -> tensor<2xcomplex<f32>>
  return %0 : tensor<2xcomplex<f32>>
}

// case imag_c1: imag (C1): gives tensor<2xf32>, but is declared as tensor<3xf32>
func.func @f(%x: tensor<2xcomplex<f32>>) -> tensor<3xf32> {
  %0 = "stablehlo.imag"(%x) : (tensor<2xcomplex<f32>>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}

// case imag_c2: imag (C2): gives tensor<2xf32>, but is declared as tensor<2xf64>
func.func @f(%x: tensor<2xcomplex<f32>>) -> tensor<2xf64> {
  %0 = "stablehlo.imag"(%x) : (tensor<2xcomplex<f32>>) -> tensor<2xf64>
  return %0 : tensor<2xf64>
}

// case real_c1: real (C1): gives tensor<2xf32>, but is declared as tensor<3xf32>
func.func @f(%x: tensor<2xcomplex<f32>>) -> tensor<3xf32> {
  %0 = "stablehlo.real"(%x) : (tensor<2xcomplex<f32>>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}

// case real_c2: real (C2): gives tensor<2xf32>, but is declared as tensor<2xf64>
func.func @f(%x: tensor<2xcomplex<f32>>) -> tensor<2xf64> {
  %0 = "stablehlo.real"(%x) : (tensor<2xcomplex<f32>>) -> tensor<2xf64>
  return %0 : tensor<2xf64>
}

// case is_finite_c1: is_finite (C1): gives tensor<2xi1>, but is declared as tensor<3xi1>
func.func @f(%x: tensor<2xf32>) -> tensor<3xi1> {
  %0 = "stablehlo.is_finite"(%x) : (tensor<2xf32>) -> tensor<3xi1>
  return %0 : tensor<3xi1>
}

// case complex_c1: complex (C1): operands differ: f32[2] and f64[2]
func.func @f(%x: tensor<2xf32>, %y: tensor<2xf64>) -> tensor<2xcomplex<f32>> {
  %0 = "stablehlo.complex"(%x, %y) : (tensor<2xf32>, tensor<2xf64>) -> tensor<2xcomplex<f32>>
  return %0 : tensor<2xcomplex<f32>>
}

// case complex_c2: complex (C2): gives tensor<2xcomplex<f32>>, but is declared as tensor<3xcomplex<f32>>
func.func @f(%x: tensor<2xf32>) -> tensor<3xcomplex<f32>> {
  %0 = "stablehlo.complex"(%x, %x) : (tensor<2xf32>, tensor<2xf32>) -> tensor<3xcomplex<f32>>
  return %0 : tensor<3xcomplex<f32>>
}

// case complex_c3: complex (C3): gives tensor<2xcomplex<f32>>, but is declared as tensor<2xcomplex<f64>>
func.func @f(%x: tensor<2xf32>) -> tensor<2xcomplex<f64>> {
  %0 = "stablehlo.complex"(%x, %x) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xcomplex<f64>>
  return %0 : tensor<2xcomplex<f64>>
}

// case convert_c1: convert (C1): gives tensor<2xi32>, but is declared as tensor<3xi32>
func.func @f(%x: tensor<2xf32>) -> tensor<3xi32> {
  %0 = stablehlo.convert %x : (tensor<2xf32>) -> tensor<3xi32>
  return %0 : tensor<3xi32>
}

// case reduce_precision_c1: reduce_precision (C1): gives tensor<2xf32>, but is declared as tensor<3xf32>
func.func @f(%x: tensor<2xf32>) -> tensor<3xf32> {
  %0 = "stablehlo.reduce_precision"(%x) <{exponent_bits = 5 : i32, mantissa_bits = 10 : i32}> : (tensor<2xf32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}

// case reduce_precision_c2: reduce_precision (C2): exponent_bits is 0, not 1 to 11
func.func @f(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = stablehlo.reduce_precision %x, format = e0m10 : tensor<2xf32>
  return %0 : tensor<2xf32>
}

// case reduce_precision_c2_negative: reduce_precision (C2): exponent_bits holds -1, which may not be negative
func.func @f(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = "stablehlo.reduce_precision"(%x) <{exponent_bits = -1 : i32, mantissa_bits = 10 : i32}> : (tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// case reduce_precision_c3: reduce_precision (C3): mantissa_bits holds -1, which may not be negative
func.func @f(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = "stablehlo.reduce_precision"(%x) <{exponent_bits = 5 : i32, mantissa_bits = -1 : i32}> : (tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// case bitcast_convert_c1: bitcast_convert (C1): gives tensor<2xi32>, but is declared as tensor<3xi32>
func.func @f(%x: tensor<2xf32>) -> tensor<3xi32> {
  %0 = "stablehlo.bitcast_convert"(%x) : (tensor<2xf32>) -> tensor<3xi32>
  return %0 : tensor<3xi32>
}

// case bitcast_convert_c1_narrower: bitcast_convert (C1): gives tensor<2x4xi8>, but is declared as tensor<2x2xi8>
func.func @f(%x: tensor<2xf32>) -> tensor<2x2xi8> {
  %0 = "stablehlo.bitcast_convert"(%x) : (tensor<2xf32>) -> tensor<2x2xi8>
  return %0 : tensor<2x2xi8>
}

// case bitcast_convert_c1_wider: bitcast_convert (C1): the last dimension of i8[2,3] is not 4, as i32 needs
func.func @f(%x: tensor<2x3xi8>) -> tensor<2xi32> {
  %0 = "stablehlo.bitcast_convert"(%x) : (tensor<2x3xi8>) -> tensor<2xi32>
  return %0 : tensor<2xi32>
}

// case bitcast_convert_c2: bitcast_convert (C2): c64[2] cannot be read as f32: one is complex, the other is not
func.func @f(%x: tensor<2xcomplex<f32>>) -> tensor<2x2xf32> {
  %0 = "stablehlo.bitcast_convert"(%x) : (tensor<2xcomplex<f32>>) -> tensor<2x2xf32>
  return %0 : tensor<2x2xf32>
}
