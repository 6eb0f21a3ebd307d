// concatenate

// case concatenate_c1: concatenate (C1): element types of f32[2,3] and f64[2,3] differ
func.func @f(%x: tensor<2x3xf32>, %y: tensor<2x3xf64>) -> tensor<4x3xf32> {
  %0 = stablehlo.concatenate %x, %y, dim = 0 : (tensor<2x3xf32>, tensor<2x3xf64>) -> tensor<4x3xf32>
  return %0 : tensor<4x3xf32>
}

// case concatenate_c2: concatenate (C2): f32[2,4] does not continue f32[2,3] along dimension 0
func.func @f(%x: tensor<2x3xf32>, %y: tensor<2x4xf32>) -> tensor<4x3xf32> {
  %0 = stablehlo.concatenate %x, %y, dim = 0 : (tensor<2x3xf32>, tensor<2x4xf32>) -> tensor<4x3xf32>
  return %0 : tensor<4x3xf32>
}

// case concatenate_c2_rank: concatenate (C2): f32[2] does not continue f32[2,3] along dimension 0
func.func @f(%x: tensor<2x3xf32>, %y: tensor<2xf32>) -> tensor<4x3xf32> {
  %0 = stablehlo.concatenate %x, %y, dim = 0 : (tensor<2x3xf32>, tensor<2xf32>) -> tensor<4x3xf32>
  return %0 : tensor<4x3xf32>
}

// case concatenate_c3: concatenate (C3): needs an operand
func.func @f() -> tensor<2xf32> {
  %0 = "stablehlo.concatenate"() <{dimension = 0 : i64}> : () -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// case concatenate_c4: concatenate (C4): dimension 2 of f32[2,3] does not exist
func.func @f(%x: tensor<2x3xf32>, %y: tensor<2x3xf32>) -> tensor<4x3xf32> {
  %0 = stablehlo.concatenate %x, %y, dim = 2 : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<4x3xf32>
  return %0 : tensor<4x3xf32>
}

// case concatenate_c4_negative: concatenate (C4): dim holds -1, which may not be negative
func.func @f(%x: tensor<2x3xf32>, %y: tensor<2x3xf32>) -> tensor<4x3xf32> {
  %0 = stablehlo.concatenate %x, %y, dim = -1 : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<4x3xf32>
  return %0 : tensor<4x3xf32>
}

// case concatenate_c5: concatenate (C5): gives tensor<4x3xf32>, but is declared as tensor<4x3xf64>
func.func @f(%x: tensor<2x3xf32>, %y: tensor<2x3xf32>) -> tensor<4x3xf64> {
  %0 = stablehlo.concatenate %x, %y, dim = 0 : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<4x3xf64>
  return %0 : tensor<4x3xf64>
}

// case concatenate_c6: concatenate (C6): gives tensor<4x3xf32>, but is declared as tensor<5x3xf32>
func.func @f(%x: tensor<2x3xf32>, %y: tensor<2x3xf32>) -> tensor<5x3xf32> {
  %0 = stablehlo.concatenate %x, %y, dim = 0 : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<5x3xf32>
  return %0 : tensor<5x3xf32>
}
