// dynamic_slice

// case dynamic_slice_c1: dynamic_slice (C1): gives tensor<2x2xf32>, but is declared as tensor<2x2xf64>
func.func @f(%x: tensor<3x4xf32>, %i0: tensor<i32>, %i1: tensor<i32>) -> tensor<2x2xf64> {
  %0 = stablehlo.dynamic_slice %x, %i0, %i1, sizes = [2, 2] : (tensor<3x4xf32>, tensor<i32>, tensor<i32>) -> tensor<2x2xf64>
  return %0 : tensor<2x2xf64>
}

// case dynamic_slice_c2: dynamic_slice (C2): start indices: needs 2 entries, got 1
func.func @f(%x: tensor<3x4xf32>, %i0: tensor<i32>) -> tensor<2x2xf32> {
  %0 = stablehlo.dynamic_slice %x, %i0, sizes = [2, 2] : (tensor<3x4xf32>, tensor<i32>) -> tensor<2x2xf32>
  return %0 : tensor<2x2xf32>
}

// case dynamic_slice_c2_sizes: dynamic_slice (C2): slice_sizes: needs 2 entries, got 1
func.func @f(%x: tensor<3x4xf32>, %i0: tensor<i32>, %i1: tensor<i32>) -> tensor<2x2xf32> {
  %0 = stablehlo.dynamic_slice %x, %i0, %i1, sizes = [2] : (tensor<3x4xf32>, tensor<i32>, tensor<i32>) -> tensor<2x2xf32>
  return %0 : tensor<2x2xf32>
}

// case dynamic_slice_c3: dynamic_slice (C3): start indices differ: i32[] and i64[]
func.func @f(%x: tensor<3x4xf32>, %i0: tensor<i32>, %i1: tensor<i64>) -> tensor<2x2xf32> {
  %0 = stablehlo.dynamic_slice %x, %i0, %i1, sizes = [2, 2] : (tensor<3x4xf32>, tensor<i32>, tensor<i64>) -> tensor<2x2xf32>
  return %0 : tensor<2x2xf32>
}

// case dynamic_slice_c4: dynamic_slice (C4): slice size 4 exceeds dimension 0 of f32[3,4]
func.func @f(%x: tensor<3x4xf32>, %i0: tensor<i32>, %i1: tensor<i32>) -> tensor<4x2xf32> {
  %0 = stablehlo.dynamic_slice %x, %i0, %i1, sizes = [4, 2] : (tensor<3x4xf32>, tensor<i32>, tensor<i32>) -> tensor<4x2xf32>
  return %0 : tensor<4x2xf32>
}

// case dynamic_slice_c4_negative: dynamic_slice (C4): sizes holds -1, which may not be negative
func.func @f(%x: tensor<3x4xf32>, %i0: tensor<i32>, %i1: tensor<i32>) -> tensor<1x2xf32> {
  %0 = stablehlo.dynamic_slice %x, %i0, %i1, sizes = [-1, 2] : (tensor<3x4xf32>, tensor<i32>, tensor<i32>) -> tensor<1x2xf32>
  return %0 : tensor<1x2xf32>
}

// case dynamic_slice_c5: dynamic_slice (C5): gives tensor<2x2xf32>, but is declared as tensor<2x3xf32>
func.func @f(%x: tensor<3x4xf32>, %i0: tensor<i32>, %i1: tensor<i32>) -> tensor<2x3xf32> {
  %0 = stablehlo.dynamic_slice %x, %i0, %i1, sizes = [2, 2] : (tensor<3x4xf32>, tensor<i32>, tensor<i32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}
