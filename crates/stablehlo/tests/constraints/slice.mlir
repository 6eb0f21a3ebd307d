// slice

// case slice_c1: slice (C1): gives tensor<2x2xf32>, but is declared as tensor<2x2xf64>
func.func @f(%x: tensor<2x5xf32>) -> tensor<2x2xf64> {
  %0 = "stablehlo.slice"(%x) <{start_indices = array<i64: 0, 1>, limit_indices = array<i64: 2, 5>, strides = array<i64: 1, 2>}> : (tensor<2x5xf32>) -> tensor<2x2xf64>
  return %0 : tensor<2x2xf64>
}

// case slice_c2: slice (C2): start_indices: needs 2 entries, got 1
func.func @f(%x: tensor<2x5xf32>) -> tensor<2x2xf32> {
  %0 = "stablehlo.slice"(%x) <{start_indices = array<i64: 0>, limit_indices = array<i64: 2, 5>, strides = array<i64: 1, 2>}> : (tensor<2x5xf32>) -> tensor<2x2xf32>
  return %0 : tensor<2x2xf32>
}

// case slice_c2_limits: slice (C2): limit_indices: needs 2 entries, got 1
func.func @f(%x: tensor<2x5xf32>) -> tensor<2x2xf32> {
  %0 = "stablehlo.slice"(%x) <{start_indices = array<i64: 0, 0>, limit_indices = array<i64: 2>, strides = array<i64: 1, 2>}> : (tensor<2x5xf32>) -> tensor<2x2xf32>
  return %0 : tensor<2x2xf32>
}

// case slice_c2_strides: slice (C2): strides: needs 2 entries, got 3
func.func @f(%x: tensor<2x5xf32>) -> tensor<2x2xf32> {
  %0 = "stablehlo.slice"(%x) <{start_indices = array<i64: 0, 1>, limit_indices = array<i64: 2, 5>, strides = array<i64: 1, 2, 3>}> : (tensor<2x5xf32>) -> tensor<2x2xf32>
  return %0 : tensor<2x2xf32>
}

// case slice_c3: slice (C3): [1:6:2] does not fit dimension 1 of f32[2,5]
func.func @f(%x: tensor<2x5xf32>) -> tensor<2x2xf32> {
  %0 = "stablehlo.slice"(%x) <{start_indices = array<i64: 0, 1>, limit_indices = array<i64: 2, 6>, strides = array<i64: 1, 2>}> : (tensor<2x5xf32>) -> tensor<2x2xf32>
  return %0 : tensor<2x2xf32>
}

// case slice_c3_order: slice (C3): [4:3:2] does not fit dimension 1 of f32[2,5]
func.func @f(%x: tensor<2x5xf32>) -> tensor<2x2xf32> {
  %0 = "stablehlo.slice"(%x) <{start_indices = array<i64: 0, 4>, limit_indices = array<i64: 2, 3>, strides = array<i64: 1, 2>}> : (tensor<2x5xf32>) -> tensor<2x2xf32>
  return %0 : tensor<2x2xf32>
}

// case slice_c3_negative: slice (C3): start_indices holds -1, which may not be negative
func.func @f(%x: tensor<2x5xf32>) -> tensor<2x2xf32> {
  %0 = "stablehlo.slice"(%x) <{start_indices = array<i64: -1, 0>, limit_indices = array<i64: 2, 5>, strides = array<i64: 1, 2>}> : (tensor<2x5xf32>) -> tensor<2x2xf32>
  return %0 : tensor<2x2xf32>
}

// case slice_c4: slice (C4): the stride of dimension 1 is 0
func.func @f(%x: tensor<2x5xf32>) -> tensor<2x2xf32> {
  %0 = "stablehlo.slice"(%x) <{start_indices = array<i64: 0, 1>, limit_indices = array<i64: 2, 5>, strides = array<i64: 1, 0>}> : (tensor<2x5xf32>) -> tensor<2x2xf32>
  return %0 : tensor<2x2xf32>
}

// case slice_c4_negative: slice (C4): strides holds -1, which may not be negative
func.func @f(%x: tensor<2x5xf32>) -> tensor<2x2xf32> {
  %0 = "stablehlo.slice"(%x) <{start_indices = array<i64: 0, 1>, limit_indices = array<i64: 2, 5>, strides = array<i64: 1, -1>}> : (tensor<2x5xf32>) -> tensor<2x2xf32>
  return %0 : tensor<2x2xf32>
}

// case slice_c5: slice (C5): gives tensor<2x2xf32>, but is declared as tensor<2x3xf32>
func.func @f(%x: tensor<2x5xf32>) -> tensor<2x3xf32> {
  %0 = "stablehlo.slice"(%x) <{start_indices = array<i64: 0, 1>, limit_indices = array<i64: 2, 5>, strides = array<i64: 1, 2>}> : (tensor<2x5xf32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}
