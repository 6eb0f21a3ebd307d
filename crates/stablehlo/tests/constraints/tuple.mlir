// tuple and get_tuple_element.

// case tuple_c1: tuple (C1): gives tensor<2xf32>, but is declared as tensor<3xf32>
func.func @f(%x: tensor<f32>, %y: tensor<2xf32>) -> tensor<f32> {
  %1 = "stablehlo.tuple"(%x, %y) : (tensor<f32>, tensor<2xf32>) -> tuple<tensor<f32>, tensor<3xf32>>
  %0 = "stablehlo.get_tuple_element"(%1) <{index = 0 : i32}> : (tuple<tensor<f32>, tensor<3xf32>>) -> tensor<f32>
  return %0 : tensor<f32>
}

// case tuple_c1_count: tuple (C1): gives 2 result(s), but is declared with 1
func.func @f(%x: tensor<f32>, %y: tensor<2xf32>) -> tensor<f32> {
  %1 = "stablehlo.tuple"(%x, %y) : (tensor<f32>, tensor<2xf32>) -> tuple<tensor<f32>>
  %0 = "stablehlo.get_tuple_element"(%1) <{index = 0 : i32}> : (tuple<tensor<f32>>) -> tensor<f32>
  return %0 : tensor<f32>
}

// case get_tuple_element_c1: get_tuple_element (C1): the index is not one of the 2 element(s) of %t
func.func @f(%t: tuple<tensor<f32>, tensor<2xf32>>) -> tensor<f32> {
  %0 = "stablehlo.get_tuple_element"(%t) <{index = 2 : i32}> : (tuple<tensor<f32>, tensor<2xf32>>) -> tensor<f32>
  return %0 : tensor<f32>
}

// case get_tuple_element_c2: get_tuple_element (C2): gives tensor<2xf32>, but is declared as tensor<f32>
func.func @f(%t: tuple<tensor<f32>, tensor<2xf32>>) -> tensor<f32> {
  %0 = "stablehlo.get_tuple_element"(%t) <{index = 1 : i32}> : (tuple<tensor<f32>, tensor<2xf32>>) -> tensor<f32>
  return %0 : tensor<f32>
}
