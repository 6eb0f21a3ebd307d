// clamp

// case clamp_c1: clamp (C1): the shape of the bound f32[2] does not fit f32[3]
func.func @f(%a: tensor<2xf32>, %x: tensor<3xf32>, %b: tensor<f32>) -> tensor<3xf32> {
  %0 = "stablehlo.clamp"(%a, %x, %b) : (tensor<2xf32>, tensor<3xf32>, tensor<f32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}

// case clamp_c2: clamp (C2): the shape of the bound f32[1] does not fit f32[3]
func.func @f(%a: tensor<f32>, %x: tensor<3xf32>, %b: tensor<1xf32>) -> tensor<3xf32> {
  %0 = "stablehlo.clamp"(%a, %x, %b) : (tensor<f32>, tensor<3xf32>, tensor<1xf32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}

// case clamp_c3: clamp (C3): element types of the bound f64[] and f32[3] differ
func.func @f(%a: tensor<f64>, %x: tensor<3xf32>, %b: tensor<f32>) -> tensor<3xf32> {
  %0 = "stablehlo.clamp"(%a, %x, %b) : (tensor<f64>, tensor<3xf32>, tensor<f32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}

// case clamp_c4: clamp (C4): gives tensor<3xf32>, but is declared as tensor<2xf32>
func.func @f(%a: tensor<f32>, %x: tensor<3xf32>) -> tensor<2xf32> {
  %0 = "stablehlo.clamp"(%a, %x, %a) : (tensor<f32>, tensor<3xf32>, tensor<f32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
