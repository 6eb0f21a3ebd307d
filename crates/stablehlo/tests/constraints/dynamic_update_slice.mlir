// dynamic_update_slice

// case dynamic_update_slice_c1: dynamic_update_slice (C1): gives tensor<3x4xf32>, but is declared as tensor<4x4xf32>
func.func @f(%x: tensor<3x4xf32>, %u: tensor<2x2xf32>, %i0: tensor<i32>, %i1: tensor<i32>) -> tensor<4x4xf32> {
  %0 = stablehlo.dynamic_update_slice %x, %u, %i0, %i1 : (tensor<3x4xf32>, tensor<2x2xf32>, tensor<i32>, tensor<i32>) -> tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}

// case dynamic_update_slice_c2: dynamic_update_slice (C2): element types of the update f64[2,2] and of f32[3,4] differ
func.func @f(%x: tensor<3x4xf32>, %u: tensor<2x2xf64>, %i0: tensor<i32>, %i1: tensor<i32>) -> tensor<3x4xf32> {
  %0 = stablehlo.dynamic_update_slice %x, %u, %i0, %i1 : (tensor<3x4xf32>, tensor<2x2xf64>, tensor<i32>, tensor<i32>) -> tensor<3x4xf32>
  return %0 : tensor<3x4xf32>
}

// case dynamic_update_slice_c3: dynamic_update_slice (C3): ranks of the update f32[2] and of f32[3,4] differ
func.func @f(%x: tensor<3x4xf32>, %u: tensor<2xf32>, %i0: tensor<i32>, %i1: tensor<i32>) -> tensor<3x4xf32> {
  %0 = stablehlo.dynamic_update_slice %x, %u, %i0, %i1 : (tensor<3x4xf32>, tensor<2xf32>, tensor<i32>, tensor<i32>) -> tensor<3x4xf32>
  return %0 : tensor<3x4xf32>
}

// case dynamic_update_slice_c4: dynamic_update_slice (C4): start indices: needs 2 entries, got 1
func.func @f(%x: tensor<3x4xf32>, %u: tensor<2x2xf32>, %i0: tensor<i32>) -> tensor<3x4xf32> {
  %0 = stablehlo.dynamic_update_slice %x, %u, %i0 : (tensor<3x4xf32>, tensor<2x2xf32>, tensor<i32>) -> tensor<3x4xf32>
  return %0 : tensor<3x4xf32>
}

// case dynamic_update_slice_c5: dynamic_update_slice (C5): start indices differ: i32[] and i64[]
func.func @f(%x: tensor<3x4xf32>, %u: tensor<2x2xf32>, %i0: tensor<i32>, %i1: tensor<i64>) -> tensor<3x4xf32> {
  %0 = stablehlo.dynamic_update_slice %x, %u, %i0, %i1 : (tensor<3x4xf32>, tensor<2x2xf32>, tensor<i32>, tensor<i64>) -> tensor<3x4xf32>
  return %0 : tensor<3x4xf32>
}

// case dynamic_update_slice_c6: dynamic_update_slice (C6): update f32[2,5] does not fit f32[3,4]
func.func @f(%x: tensor<3x4xf32>, %u: tensor<2x5xf32>, %i0: tensor<i32>, %i1: tensor<i32>) -> tensor<3x4xf32> {
  %0 = stablehlo.dynamic_update_slice %x, %u, %i0, %i1 : (tensor<3x4xf32>, tensor<2x5xf32>, tensor<i32>, tensor<i32>) -> tensor<3x4xf32>
  return %0 : tensor<3x4xf32>
}
