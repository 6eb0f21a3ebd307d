// reduce

// case reduce_c1: reduce (C1): shapes of the inputs differ: tensor<2x3xf32>, tensor<2x4xf32>
func.func @f(%x: tensor<2x3xf32>, %y: tensor<2x4xf32>, %v: tensor<f32>) -> tensor<2xf32> {
  %0:2 = "stablehlo.reduce"(%x, %y, %v, %v) <{dimensions = array<i64: 1>}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>, %c: tensor<f32>, %d: tensor<f32>):
      %1 = stablehlo.add %a, %c : tensor<f32>
      stablehlo.return %1, %b : tensor<f32>, tensor<f32>
  }) : (tensor<2x3xf32>, tensor<2x4xf32>, tensor<f32>, tensor<f32>) -> (tensor<2xf32>, tensor<2xf32>)
  return %0 : tensor<2xf32>
}

// case reduce_c2: reduce (C2): element types of the input tensor<2x3xf32> and the initial value tensor<f64> differ
func.func @f(%x: tensor<2x3xf32>, %v: tensor<f64>) -> tensor<2xf32> {
  %0 = "stablehlo.reduce"(%x, %v) <{dimensions = array<i64: 1>}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %1 = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %1 : tensor<f32>
  }) : (tensor<2x3xf32>, tensor<f64>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// case reduce_c3: reduce (C3): 3 operands and 1 results are not inputs, initial values and results, one of each
func.func @f(%x: tensor<2x3xf32>, %v: tensor<f32>) -> tensor<2xf32> {
  %0 = "stablehlo.reduce"(%x, %x, %v) <{dimensions = array<i64: 1>}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>, %c: tensor<f32>, %d: tensor<f32>):
      %1 = stablehlo.add %a, %c : tensor<f32>
      stablehlo.return %1, %b : tensor<f32>, tensor<f32>
  }) : (tensor<2x3xf32>, tensor<2x3xf32>, tensor<f32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// case reduce_c3_results: reduce (C3): 4 operands and 1 results are not inputs, initial values and results, one of each
func.func @f(%x: tensor<2x3xf32>, %v: tensor<f32>) -> tensor<2xf32> {
  %0 = "stablehlo.reduce"(%x, %x, %v, %v) <{dimensions = array<i64: 1>}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>, %c: tensor<f32>, %d: tensor<f32>):
      %1 = stablehlo.add %a, %c : tensor<f32>
      stablehlo.return %1, %b : tensor<f32>, tensor<f32>
  }) : (tensor<2x3xf32>, tensor<2x3xf32>, tensor<f32>, tensor<f32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// case reduce_c4: reduce (C4): dimension 2 of tensor<2x3xf32> does not exist
func.func @f(%x: tensor<2x3xf32>, %v: tensor<f32>) -> tensor<2xf32> {
  %0 = "stablehlo.reduce"(%x, %v) <{dimensions = array<i64: 2>}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %1 = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %1 : tensor<f32>
  }) : (tensor<2x3xf32>, tensor<f32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// case reduce_c4_negative: reduce (C4): dimensions holds -1, which may not be negative
func.func @f(%x: tensor<2x3xf32>, %v: tensor<f32>) -> tensor<2xf32> {
  %0 = "stablehlo.reduce"(%x, %v) <{dimensions = array<i64: -1>}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %1 = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %1 : tensor<f32>
  }) : (tensor<2x3xf32>, tensor<f32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// case reduce_c5: reduce (C5): dimension 1 is listed twice
func.func @f(%x: tensor<2x3xf32>, %v: tensor<f32>) -> tensor<2xf32> {
  %0 = "stablehlo.reduce"(%x, %v) <{dimensions = array<i64: 1, 1>}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %1 = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %1 : tensor<f32>
  }) : (tensor<2x3xf32>, tensor<f32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// case reduce_c6: reduce (C6): body is (tensor<f32>, tensor<f32>, tensor<f32>) -> (tensor<f32>): it does not combine two scalars of f32
func.func @f(%x: tensor<2x3xf32>, %v: tensor<f32>) -> tensor<2xf32> {
  %0 = "stablehlo.reduce"(%x, %v) <{dimensions = array<i64: 1>}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>, %c: tensor<f32>):
      stablehlo.return %a : tensor<f32>
  }) : (tensor<2x3xf32>, tensor<f32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// case reduce_c6_narrower: reduce (C6): body is (tensor<f32>, tensor<f32>) -> (tensor<f32>): it does not combine two scalars of f64
func.func @f(%x: tensor<2x3xf64>, %v: tensor<f64>) -> tensor<2xf64> {
  %0 = "stablehlo.reduce"(%x, %v) <{dimensions = array<i64: 1>}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %1 = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %1 : tensor<f32>
  }) : (tensor<2x3xf64>, tensor<f64>) -> tensor<2xf64>
  return %0 : tensor<2xf64>
}

// case reduce_c6_kind: reduce (C6): body is (tensor<f32>, tensor<f32>) -> (tensor<f32>): it does not combine two scalars of i16
func.func @f(%x: tensor<2x3xi16>, %v: tensor<i16>) -> tensor<2xf32> {
  %0 = "stablehlo.reduce"(%x, %v) <{dimensions = array<i64: 1>}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %1 = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %1 : tensor<f32>
  }) : (tensor<2x3xi16>, tensor<i16>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// case reduce_c6_result: reduce (C6): body is (tensor<f32>, tensor<f32>) -> (tensor<i1>): it does not combine two scalars of f32
func.func @f(%x: tensor<2x3xf32>, %v: tensor<f32>) -> tensor<2xf32> {
  %0 = "stablehlo.reduce"(%x, %v) <{dimensions = array<i64: 1>}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %1 = stablehlo.is_finite %a : (tensor<f32>) -> tensor<i1>
      stablehlo.return %1 : tensor<i1>
  }) : (tensor<2x3xf32>, tensor<f32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// case reduce_c6_shape: reduce (C6): body is (tensor<1xf32>, tensor<1xf32>) -> (tensor<1xf32>): it does not combine two scalars of f32
func.func @f(%x: tensor<2x3xf32>, %v: tensor<f32>) -> tensor<2xf32> {
  %0 = "stablehlo.reduce"(%x, %v) <{dimensions = array<i64: 1>}> ({
    ^bb0(%a: tensor<1xf32>, %b: tensor<1xf32>):
      %1 = stablehlo.add %a, %b : tensor<1xf32>
      stablehlo.return %1 : tensor<1xf32>
  }) : (tensor<2x3xf32>, tensor<f32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// case reduce_c7: reduce (C7): gives tensor<2xf32>, but is declared as tensor<3xf32>
func.func @f(%x: tensor<2x3xf32>, %v: tensor<f32>) -> tensor<3xf32> {
  %0 = "stablehlo.reduce"(%x, %v) <{dimensions = array<i64: 1>}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %1 = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %1 : tensor<f32>
  }) : (tensor<2x3xf32>, tensor<f32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}

// case reduce_c8: reduce (C8): gives tensor<2xf32>, but is declared as tensor<2xf64>
func.func @f(%x: tensor<2x3xf32>, %v: tensor<f32>) -> tensor<2xf64> {
  %0 = "stablehlo.reduce"(%x, %v) <{dimensions = array<i64: 1>}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %1 = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %1 : tensor<f32>
  }) : (tensor<2x3xf32>, tensor<f32>) -> tensor<2xf64>
  return %0 : tensor<2xf64>
}
