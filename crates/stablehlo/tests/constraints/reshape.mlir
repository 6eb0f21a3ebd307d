// reshape

// case reshape_c1: reshape (C1): gives tensor<6xf32>, but is declared as tensor<6xf64>
func.func @f(%x: tensor<2x3xf32>) -> tensor<6xf64> {
  %0 = stablehlo.reshape %x : (tensor<2x3xf32>) -> tensor<6xf64>
  return %0 : tensor<6xf64>
}

// case reshape_c2: reshape (C2): f32[2,3] has 6 elements, f32[5] has 5
func.func @f(%x: tensor<2x3xf32>) -> tensor<5xf32> {
  %0 = stablehlo.reshape %x : (tensor<2x3xf32>) -> tensor<5xf32>
  return %0 : tensor<5xf32>
}
