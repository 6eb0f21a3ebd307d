// reduce_window

// case reduce_window_c1: reduce_window (C1): 3 operands and 1 results are not inputs, initial values and results, one of each
func.func @f(%x: tensor<4x6xf32>, %v: tensor<f32>) -> tensor<3x5xf32> {
  %0 = "stablehlo.reduce_window"(%x, %x, %v) <{window_dimensions = array<i64: 2, 2>}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>, %c: tensor<f32>, %d: tensor<f32>):
      %1 = stablehlo.add %a, %c : tensor<f32>
      stablehlo.return %1, %b : tensor<f32>, tensor<f32>
  }) : (tensor<4x6xf32>, tensor<4x6xf32>, tensor<f32>) -> tensor<3x5xf32>
  return %0 : tensor<3x5xf32>
}

// case reduce_window_c2: reduce_window (C2): shapes of the inputs differ: tensor<4x6xf32>, tensor<4x7xf32>
func.func @f(%x: tensor<4x6xf32>, %y: tensor<4x7xf32>, %v: tensor<f32>) -> tensor<3x5xf32> {
  %0:2 = "stablehlo.reduce_window"(%x, %y, %v, %v) <{window_dimensions = array<i64: 2, 2>}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>, %c: tensor<f32>, %d: tensor<f32>):
      %1 = stablehlo.add %a, %c : tensor<f32>
      stablehlo.return %1, %b : tensor<f32>, tensor<f32>
  }) : (tensor<4x6xf32>, tensor<4x7xf32>, tensor<f32>, tensor<f32>) -> (tensor<3x5xf32>, tensor<3x5xf32>)
  return %0 : tensor<3x5xf32>
}

// case reduce_window_c3: reduce_window (C3): element types of the input tensor<4x6xf32> and the initial value tensor<f64> differ
func.func @f(%x: tensor<4x6xf32>, %v: tensor<f64>) -> tensor<3x5xf32> {
  %0 = "stablehlo.reduce_window"(%x, %v) <{window_dimensions = array<i64: 2, 2>}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %1 = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %1 : tensor<f32>
  }) : (tensor<4x6xf32>, tensor<f64>) -> tensor<3x5xf32>
  return %0 : tensor<3x5xf32>
}

// case reduce_window_c4: reduce_window (C4): window_dimensions: 1 entries for the 2 dimensions of f32[4,6]
func.func @f(%x: tensor<4x6xf32>, %v: tensor<f32>) -> tensor<3x5xf32> {
  %0 = "stablehlo.reduce_window"(%x, %v) <{window_dimensions = array<i64: 2>}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %1 = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %1 : tensor<f32>
  }) : (tensor<4x6xf32>, tensor<f32>) -> tensor<3x5xf32>
  return %0 : tensor<3x5xf32>
}

// case reduce_window_c5: reduce_window (C5): window_dimensions [2, 0] are not all positive
func.func @f(%x: tensor<4x6xf32>, %v: tensor<f32>) -> tensor<3x5xf32> {
  %0 = "stablehlo.reduce_window"(%x, %v) <{window_dimensions = array<i64: 2, 0>}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %1 = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %1 : tensor<f32>
  }) : (tensor<4x6xf32>, tensor<f32>) -> tensor<3x5xf32>
  return %0 : tensor<3x5xf32>
}

// case reduce_window_c5_negative: reduce_window (C5): window_dimensions holds -1, which may not be negative
func.func @f(%x: tensor<4x6xf32>, %v: tensor<f32>) -> tensor<3x5xf32> {
  %0 = "stablehlo.reduce_window"(%x, %v) <{window_dimensions = array<i64: 2, -1>}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %1 = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %1 : tensor<f32>
  }) : (tensor<4x6xf32>, tensor<f32>) -> tensor<3x5xf32>
  return %0 : tensor<3x5xf32>
}

// case reduce_window_c6: reduce_window (C6): window_strides: 1 entries for the 2 dimensions of f32[4,6]
func.func @f(%x: tensor<4x6xf32>, %v: tensor<f32>) -> tensor<3x5xf32> {
  %0 = "stablehlo.reduce_window"(%x, %v) <{window_dimensions = array<i64: 2, 2>, window_strides = array<i64: 1>}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %1 = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %1 : tensor<f32>
  }) : (tensor<4x6xf32>, tensor<f32>) -> tensor<3x5xf32>
  return %0 : tensor<3x5xf32>
}

// case reduce_window_c7: reduce_window (C7): window_strides [0, 1] are not all positive
func.func @f(%x: tensor<4x6xf32>, %v: tensor<f32>) -> tensor<3x5xf32> {
  %0 = "stablehlo.reduce_window"(%x, %v) <{window_dimensions = array<i64: 2, 2>, window_strides = array<i64: 0, 1>}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %1 = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %1 : tensor<f32>
  }) : (tensor<4x6xf32>, tensor<f32>) -> tensor<3x5xf32>
  return %0 : tensor<3x5xf32>
}

// case reduce_window_c7_negative: reduce_window (C7): window_strides holds -1, which may not be negative
func.func @f(%x: tensor<4x6xf32>, %v: tensor<f32>) -> tensor<3x5xf32> {
  %0 = "stablehlo.reduce_window"(%x, %v) <{window_dimensions = array<i64: 2, 2>, window_strides = array<i64: 1, -1>}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %1 = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %1 : tensor<f32>
  }) : (tensor<4x6xf32>, tensor<f32>) -> tensor<3x5xf32>
  return %0 : tensor<3x5xf32>
}

// case reduce_window_c8: reduce_window (C8): base_dilations: 3 entries for the 2 dimensions of f32[4,6]
func.func @f(%x: tensor<4x6xf32>, %v: tensor<f32>) -> tensor<3x5xf32> {
  %0 = "stablehlo.reduce_window"(%x, %v) <{window_dimensions = array<i64: 2, 2>, base_dilations = array<i64: 1, 1, 1>}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %1 = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %1 : tensor<f32>
  }) : (tensor<4x6xf32>, tensor<f32>) -> tensor<3x5xf32>
  return %0 : tensor<3x5xf32>
}

// case reduce_window_c9: reduce_window (C9): base_dilations [0, 1] are not all positive
func.func @f(%x: tensor<4x6xf32>, %v: tensor<f32>) -> tensor<3x5xf32> {
  %0 = "stablehlo.reduce_window"(%x, %v) <{window_dimensions = array<i64: 2, 2>, base_dilations = array<i64: 0, 1>}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %1 = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %1 : tensor<f32>
  }) : (tensor<4x6xf32>, tensor<f32>) -> tensor<3x5xf32>
  return %0 : tensor<3x5xf32>
}

// case reduce_window_c9_negative: reduce_window (C9): base_dilations holds -1, which may not be negative
func.func @f(%x: tensor<4x6xf32>, %v: tensor<f32>) -> tensor<3x5xf32> {
  %0 = "stablehlo.reduce_window"(%x, %v) <{window_dimensions = array<i64: 2, 2>, base_dilations = array<i64: 1, -1>}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %1 = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %1 : tensor<f32>
  }) : (tensor<4x6xf32>, tensor<f32>) -> tensor<3x5xf32>
  return %0 : tensor<3x5xf32>
}

// case reduce_window_c10: reduce_window (C10): window_dilations: 1 entries for the 2 dimensions of f32[4,6]
func.func @f(%x: tensor<4x6xf32>, %v: tensor<f32>) -> tensor<3x5xf32> {
  %0 = "stablehlo.reduce_window"(%x, %v) <{window_dimensions = array<i64: 2, 2>, window_dilations = array<i64: 1>}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %1 = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %1 : tensor<f32>
  }) : (tensor<4x6xf32>, tensor<f32>) -> tensor<3x5xf32>
  return %0 : tensor<3x5xf32>
}

// case reduce_window_c11: reduce_window (C11): window_dilations [0, 1] are not all positive
func.func @f(%x: tensor<4x6xf32>, %v: tensor<f32>) -> tensor<3x5xf32> {
  %0 = "stablehlo.reduce_window"(%x, %v) <{window_dimensions = array<i64: 2, 2>, window_dilations = array<i64: 0, 1>}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %1 = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %1 : tensor<f32>
  }) : (tensor<4x6xf32>, tensor<f32>) -> tensor<3x5xf32>
  return %0 : tensor<3x5xf32>
}

// case reduce_window_c11_negative: reduce_window (C11): window_dilations holds -1, which may not be negative
func.func @f(%x: tensor<4x6xf32>, %v: tensor<f32>) -> tensor<3x5xf32> {
  %0 = "stablehlo.reduce_window"(%x, %v) <{window_dimensions = array<i64: 2, 2>, window_dilations = array<i64: -1, 1>}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %1 = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %1 : tensor<f32>
  }) : (tensor<4x6xf32>, tensor<f32>) -> tensor<3x5xf32>
  return %0 : tensor<3x5xf32>
}

// case reduce_window_c12: reduce_window (C12): padding should be 2 pairs of whole numbers
func.func @f(%x: tensor<4x6xf32>, %v: tensor<f32>) -> tensor<3x5xf32> {
  %0 = "stablehlo.reduce_window"(%x, %v) <{window_dimensions = array<i64: 2, 2>, padding = dense<0> : tensor<1x2xi64>}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %1 = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %1 : tensor<f32>
  }) : (tensor<4x6xf32>, tensor<f32>) -> tensor<3x5xf32>
  return %0 : tensor<3x5xf32>
}

// case reduce_window_c13: reduce_window (C13): body is (tensor<f32>) -> (tensor<f32>): it does not combine two scalars of f32
func.func @f(%x: tensor<4x6xf32>, %v: tensor<f32>) -> tensor<3x5xf32> {
  %0 = "stablehlo.reduce_window"(%x, %v) <{window_dimensions = array<i64: 2, 2>}> ({
    ^bb0(%a: tensor<f32>):
      stablehlo.return %a : tensor<f32>
  }) : (tensor<4x6xf32>, tensor<f32>) -> tensor<3x5xf32>
  return %0 : tensor<3x5xf32>
}

// case reduce_window_c13_narrower: reduce_window (C13): body is (tensor<f16>, tensor<f16>) -> (tensor<f16>): it does not combine two scalars of f32
func.func @f(%x: tensor<4x6xf32>, %v: tensor<f32>) -> tensor<3x5xf32> {
  %0 = "stablehlo.reduce_window"(%x, %v) <{window_dimensions = array<i64: 2, 2>}> ({
    ^bb0(%a: tensor<f16>, %b: tensor<f16>):
      %1 = stablehlo.add %a, %b : tensor<f16>
      stablehlo.return %1 : tensor<f16>
  }) : (tensor<4x6xf32>, tensor<f32>) -> tensor<3x5xf32>
  return %0 : tensor<3x5xf32>
}

// case reduce_window_c15: reduce_window (C15): gives tensor<3x5xf32>, but is declared as tensor<3x6xf32>
func.func @f(%x: tensor<4x6xf32>, %v: tensor<f32>) -> tensor<3x6xf32> {
  %0 = "stablehlo.reduce_window"(%x, %v) <{window_dimensions = array<i64: 2, 2>}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %1 = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %1 : tensor<f32>
  }) : (tensor<4x6xf32>, tensor<f32>) -> tensor<3x6xf32>
  return %0 : tensor<3x6xf32>
}

// case reduce_window_c16: reduce_window (C16): gives tensor<3x5xf32>, but is declared as tensor<3x5xf64>
func.func @f(%x: tensor<4x6xf32>, %v: tensor<f32>) -> tensor<3x5xf64> {
  %0 = "stablehlo.reduce_window"(%x, %v) <{window_dimensions = array<i64: 2, 2>}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %1 = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %1 : tensor<f32>
  }) : (tensor<4x6xf32>, tensor<f32>) -> tensor<3x5xf64>
  return %0 : tensor<3x5xf64>
}
