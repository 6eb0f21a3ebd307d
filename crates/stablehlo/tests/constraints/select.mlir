// select

// case select_c1: select (C1): predicate bool[3] does not fit f32[2]
func.func @f(%p: tensor<3xi1>, %x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = "stablehlo.select"(%p, %x, %x) : (tensor<3xi1>, tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// case select_c2: select (C2): branches differ: f32[2] and f64[2]
func.func @f(%p: tensor<i1>, %x: tensor<2xf32>, %y: tensor<2xf64>) -> tensor<2xf32> {
  %0 = "stablehlo.select"(%p, %x, %y) : (tensor<i1>, tensor<2xf32>, tensor<2xf64>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// case select_c2_result: select (C2): gives tensor<2xf32>, but is declared as tensor<3xf32>
func.func @f(%p: tensor<i1>, %x: tensor<2xf32>) -> tensor<3xf32> {
  %0 = "stablehlo.select"(%p, %x, %x) : (tensor<i1>, tensor<2xf32>, tensor<2xf32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}
