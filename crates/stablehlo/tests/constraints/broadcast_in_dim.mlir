// broadcast_in_dim

// case broadcast_in_dim_c1: broadcast_in_dim (C1): gives tensor<2x3xf32>, but is declared as tensor<2x3xf64>
func.func @f(%x: tensor<3xf32>) -> tensor<2x3xf64> {
  %0 = stablehlo.broadcast_in_dim %x, dims = [1] : (tensor<3xf32>) -> tensor<2x3xf64>
  return %0 : tensor<2x3xf64>
}

// case broadcast_in_dim_c2: broadcast_in_dim (C2): broadcast_dimensions: needs 1 entries, got 2
func.func @f(%x: tensor<3xf32>) -> tensor<2x3xf32> {
  %0 = stablehlo.broadcast_in_dim %x, dims = [0, 1] : (tensor<3xf32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

// case broadcast_in_dim_c3: broadcast_in_dim (C3): broadcast_dimensions: dimension 2 of f32[2,3] does not exist
func.func @f(%x: tensor<3xf32>) -> tensor<2x3xf32> {
  %0 = stablehlo.broadcast_in_dim %x, dims = [2] : (tensor<3xf32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

// case broadcast_in_dim_c3_negative: broadcast_in_dim (C3): dims holds -1, which may not be negative
func.func @f(%x: tensor<3xf32>) -> tensor<2x3xf32> {
  %0 = stablehlo.broadcast_in_dim %x, dims = [-1] : (tensor<3xf32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

// case broadcast_in_dim_c4: broadcast_in_dim (C4): broadcast_dimensions: dimension 1 is listed twice
func.func @f(%x: tensor<3x3xf32>) -> tensor<2x3xf32> {
  %0 = stablehlo.broadcast_in_dim %x, dims = [1, 1] : (tensor<3x3xf32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

// case broadcast_in_dim_c5: broadcast_in_dim (C5): dimension 0 of f32[3] cannot become dimension 1 of f32[2,4]
func.func @f(%x: tensor<3xf32>) -> tensor<2x4xf32> {
  %0 = stablehlo.broadcast_in_dim %x, dims = [1] : (tensor<3xf32>) -> tensor<2x4xf32>
  return %0 : tensor<2x4xf32>
}
