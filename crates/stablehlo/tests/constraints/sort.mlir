// sort

// case sort_c1: sort (C1): there is nothing to sort
func.func @f() -> tensor<2xf32> {
  %0 = "stablehlo.sort"() <{dimension = 0 : i64}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %1 = stablehlo.compare LT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %1 : tensor<i1>
  }) : () -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// case sort_c2: sort (C2): gives tensor<2x3xf32>, but is declared as tensor<2x4xf32>
func.func @f(%x: tensor<2x3xf32>) -> tensor<2x4xf32> {
  %0 = "stablehlo.sort"(%x) <{dimension = 1 : i64}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %1 = stablehlo.compare LT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %1 : tensor<i1>
  }) : (tensor<2x3xf32>) -> tensor<2x4xf32>
  return %0 : tensor<2x4xf32>
}

// case sort_c2_element: sort (C2): gives tensor<2x3xf32>, but is declared as tensor<2x3xf64>
func.func @f(%x: tensor<2x3xf32>) -> tensor<2x3xf64> {
  %0 = "stablehlo.sort"(%x) <{dimension = 1 : i64}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %1 = stablehlo.compare LT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %1 : tensor<i1>
  }) : (tensor<2x3xf32>) -> tensor<2x3xf64>
  return %0 : tensor<2x3xf64>
}

// case sort_c2_count: sort (C2): 2 inputs and 1 results
func.func @f(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = "stablehlo.sort"(%x, %x) <{dimension = 1 : i64}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>, %c: tensor<f32>, %d: tensor<f32>):
      %1 = stablehlo.compare LT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %1 : tensor<i1>
  }) : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

// case sort_c3: sort (C3): shapes of the inputs differ: tensor<2x3xf32>, tensor<2x4xf32>
func.func @f(%x: tensor<2x3xf32>, %y: tensor<2x4xf32>) -> tensor<2x3xf32> {
  %0:2 = "stablehlo.sort"(%x, %y) <{dimension = 1 : i64}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>, %c: tensor<f32>, %d: tensor<f32>):
      %1 = stablehlo.compare LT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %1 : tensor<i1>
  }) : (tensor<2x3xf32>, tensor<2x4xf32>) -> (tensor<2x3xf32>, tensor<2x4xf32>)
  return %0 : tensor<2x3xf32>
}

// case sort_c4: sort (C4): dimension 2 of tensor<2x3xf32> does not exist
func.func @f(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = "stablehlo.sort"(%x) <{dimension = 2 : i64}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %1 = stablehlo.compare LT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %1 : tensor<i1>
  }) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

// case sort_c4_negative: sort (C4): dimension -3 of tensor<2x3xf32> does not exist
func.func @f(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = "stablehlo.sort"(%x) <{dimension = -3 : i64}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %1 = stablehlo.compare LT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %1 : tensor<i1>
  }) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

// case sort_c5: sort (C5): comparator is (tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>) -> (tensor<i1>): it does not compare elements of tensor<2x3xf32>
func.func @f(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = "stablehlo.sort"(%x) <{dimension = 1 : i64}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>, %c: tensor<f32>, %d: tensor<f32>):
      %1 = stablehlo.compare LT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %1 : tensor<i1>
  }) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

// case sort_c5_element: sort (C5): comparator is (tensor<f32>, tensor<f32>) -> (tensor<i1>): it does not compare elements of tensor<2x3xi32>
func.func @f(%x: tensor<2x3xi32>) -> tensor<2x3xi32> {
  %0 = "stablehlo.sort"(%x) <{dimension = 1 : i64}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %1 = stablehlo.compare LT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %1 : tensor<i1>
  }) : (tensor<2x3xi32>) -> tensor<2x3xi32>
  return %0 : tensor<2x3xi32>
}

// case sort_c5_result: sort (C5): comparator is (tensor<f32>, tensor<f32>) -> (tensor<f32>): it does not compare elements of tensor<2x3xf32>
func.func @f(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = "stablehlo.sort"(%x) <{dimension = 1 : i64}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %1 = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %1 : tensor<f32>
  }) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}
