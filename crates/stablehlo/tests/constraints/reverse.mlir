// reverse

// case reverse_c1: reverse (C1): gives tensor<2x3xf32>, but is declared as tensor<3x2xf32>
func.func @f(%x: tensor<2x3xf32>) -> tensor<3x2xf32> {
  %0 = "stablehlo.reverse"(%x) <{dimensions = array<i64: 0>}> : (tensor<2x3xf32>) -> tensor<3x2xf32>
  return %0 : tensor<3x2xf32>
}

// case reverse_c2: reverse (C2): dimensions: dimension 1 is listed twice
func.func @f(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = stablehlo.reverse %x, dims = [1, 1] : tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

// case reverse_c3: reverse (C3): dimensions: dimension 2 of f32[2,3] does not exist
func.func @f(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = stablehlo.reverse %x, dims = [2] : tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

// case reverse_c3_negative: reverse (C3): dims holds -1, which may not be negative
func.func @f(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = stablehlo.reverse %x, dims = [-1] : tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}
