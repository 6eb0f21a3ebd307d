// transpose

// case transpose_c1: transpose (C1): gives tensor<3x2xf32>, but is declared as tensor<3x2xf64>
func.func @f(%x: tensor<2x3xf32>) -> tensor<3x2xf64> {
  %0 = stablehlo.transpose %x, dims = [1, 0] : (tensor<2x3xf32>) -> tensor<3x2xf64>
  return %0 : tensor<3x2xf64>
}

// case transpose_c2: transpose (C2): permutation: dimension 1 is listed twice
func.func @f(%x: tensor<2x3xf32>) -> tensor<3x2xf32> {
  %0 = stablehlo.transpose %x, dims = [1, 1] : (tensor<2x3xf32>) -> tensor<3x2xf32>
  return %0 : tensor<3x2xf32>
}

// case transpose_c2_range: transpose (C2): permutation: dimension 2 of f32[2,3] does not exist
func.func @f(%x: tensor<2x3xf32>) -> tensor<3x2xf32> {
  %0 = stablehlo.transpose %x, dims = [1, 2] : (tensor<2x3xf32>) -> tensor<3x2xf32>
  return %0 : tensor<3x2xf32>
}

// case transpose_c2_count: transpose (C2): permutation: needs 2 entries, got 1
func.func @f(%x: tensor<2x3xf32>) -> tensor<3x2xf32> {
  %0 = stablehlo.transpose %x, dims = [1] : (tensor<2x3xf32>) -> tensor<3x2xf32>
  return %0 : tensor<3x2xf32>
}

// case transpose_c2_negative: transpose (C2): dims holds -1, which may not be negative
func.func @f(%x: tensor<2x3xf32>) -> tensor<3x2xf32> {
  %0 = stablehlo.transpose %x, dims = [-1, 0] : (tensor<2x3xf32>) -> tensor<3x2xf32>
  return %0 : tensor<3x2xf32>
}

// case transpose_c3: transpose (C3): gives tensor<3x2xf32>, but is declared as tensor<2x3xf32>
func.func @f(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = stablehlo.transpose %x, dims = [1, 0] : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}
