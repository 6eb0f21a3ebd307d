// pad

// case pad_c1: pad (C1): element types of the padding value f64[] and of f32[2,3] differ
func.func @f(%x: tensor<2x3xf32>, %v: tensor<f64>) -> tensor<3x3xf32> {
  %0 = "stablehlo.pad"(%x, %v) <{edge_padding_low = array<i64: 1, 0>, edge_padding_high = array<i64: 0, 0>, interior_padding = array<i64: 0, 0>}> : (tensor<2x3xf32>, tensor<f64>) -> tensor<3x3xf32>
  return %0 : tensor<3x3xf32>
}

// case pad_c1_result: pad (C1): gives tensor<3x3xf32>, but is declared as tensor<3x3xf64>
func.func @f(%x: tensor<2x3xf32>, %v: tensor<f32>) -> tensor<3x3xf64> {
  %0 = "stablehlo.pad"(%x, %v) <{edge_padding_low = array<i64: 1, 0>, edge_padding_high = array<i64: 0, 0>, interior_padding = array<i64: 0, 0>}> : (tensor<2x3xf32>, tensor<f32>) -> tensor<3x3xf64>
  return %0 : tensor<3x3xf64>
}

// case pad_c2: pad (C2): edge_padding_low: needs 2 entries, got 1
func.func @f(%x: tensor<2x3xf32>, %v: tensor<f32>) -> tensor<3x3xf32> {
  %0 = "stablehlo.pad"(%x, %v) <{edge_padding_low = array<i64: 1>, edge_padding_high = array<i64: 0, 0>, interior_padding = array<i64: 0, 0>}> : (tensor<2x3xf32>, tensor<f32>) -> tensor<3x3xf32>
  return %0 : tensor<3x3xf32>
}

// case pad_c2_high: pad (C2): edge_padding_high: needs 2 entries, got 1
func.func @f(%x: tensor<2x3xf32>, %v: tensor<f32>) -> tensor<3x3xf32> {
  %0 = "stablehlo.pad"(%x, %v) <{edge_padding_low = array<i64: 1, 0>, edge_padding_high = array<i64: 0>, interior_padding = array<i64: 0, 0>}> : (tensor<2x3xf32>, tensor<f32>) -> tensor<3x3xf32>
  return %0 : tensor<3x3xf32>
}

// case pad_c2_interior: pad (C2): interior_padding: needs 2 entries, got 3
func.func @f(%x: tensor<2x3xf32>, %v: tensor<f32>) -> tensor<3x3xf32> {
  %0 = "stablehlo.pad"(%x, %v) <{edge_padding_low = array<i64: 1, 0>, edge_padding_high = array<i64: 0, 0>, interior_padding = array<i64: 0, 0, 0>}> : (tensor<2x3xf32>, tensor<f32>) -> tensor<3x3xf32>
  return %0 : tensor<3x3xf32>
}

// case pad_c3: pad (C3): interior holds -1, which may not be negative
func.func @f(%x: tensor<2x3xf32>, %v: tensor<f32>) -> tensor<3x3xf32> {
  %0 = "stablehlo.pad"(%x, %v) <{edge_padding_low = array<i64: 1, 0>, edge_padding_high = array<i64: 0, 0>, interior_padding = array<i64: -1, 0>}> : (tensor<2x3xf32>, tensor<f32>) -> tensor<3x3xf32>
  return %0 : tensor<3x3xf32>
}

// case pad_c4: pad (C4): gives tensor<3x3xf32>, but is declared as tensor<4x3xf32>
func.func @f(%x: tensor<2x3xf32>, %v: tensor<f32>) -> tensor<4x3xf32> {
  %0 = "stablehlo.pad"(%x, %v) <{edge_padding_low = array<i64: 1, 0>, edge_padding_high = array<i64: 0, 0>, interior_padding = array<i64: 0, 0>}> : (tensor<2x3xf32>, tensor<f32>) -> tensor<4x3xf32>
  return %0 : tensor<4x3xf32>
}

// case pad_c4_negative: pad (C4): padding -3, 0, interior 0 leaves dimension 0 of f32[2,3] with a size out of range
func.func @f(%x: tensor<2x3xf32>, %v: tensor<f32>) -> tensor<2x3xf32> {
  %0 = "stablehlo.pad"(%x, %v) <{edge_padding_low = array<i64: -3, 0>, edge_padding_high = array<i64: 0, 0>, interior_padding = array<i64: 0, 0>}> : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}
