// compare

// case compare_c1: compare (C1): element types of f32[2] and i32[2] differ
func.func @f(%x: tensor<2xf32>, %y: tensor<2xi32>) -> tensor<2xi1> {
  %0 = stablehlo.compare LT, %x, %y : (tensor<2xf32>, tensor<2xi32>) -> tensor<2xi1>
  return %0 : tensor<2xi1>
}

// case compare_c2: compare (C2): shapes of f32[2] and f32[3] differ
func.func @f(%x: tensor<2xf32>, %y: tensor<3xf32>) -> tensor<2xi1> {
  %0 = stablehlo.compare LT, %x, %y : (tensor<2xf32>, tensor<3xf32>) -> tensor<2xi1>
  return %0 : tensor<2xi1>
}

// case compare_c2_result: compare (C2): gives tensor<2xi1>, but is declared as tensor<3xi1>
func.func @f(%x: tensor<2xf32>) -> tensor<3xi1> {
  %0 = stablehlo.compare LT, %x, %x : (tensor<2xf32>, tensor<2xf32>) -> tensor<3xi1>
  return %0 : tensor<3xi1>
}

// case compare_c3: compare (C3): SIGNED is no comparison of f32
func.func @f(%x: tensor<2xf32>) -> tensor<2xi1> {
  %0 = stablehlo.compare EQ, %x, %x, SIGNED : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xi1>
  return %0 : tensor<2xi1>
}

// case compare_c3_signed: compare (C3): FLOAT is no comparison of i32
func.func @f(%x: tensor<2xi32>) -> tensor<2xi1> {
  %0 = stablehlo.compare EQ, %x, %x, FLOAT : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi1>
  return %0 : tensor<2xi1>
}

// case compare_c3_unsigned: compare (C3): SIGNED is no comparison of ui32
func.func @f(%x: tensor<2xui32>) -> tensor<2xi1> {
  %0 = stablehlo.compare EQ, %x, %x, SIGNED : (tensor<2xui32>, tensor<2xui32>) -> tensor<2xi1>
  return %0 : tensor<2xi1>
}

// case compare_c3_boolean: compare (C3): SIGNED is no comparison of i1
func.func @f(%x: tensor<2xi1>) -> tensor<2xi1> {
  %0 = stablehlo.compare EQ, %x, %x, SIGNED : (tensor<2xi1>, tensor<2xi1>) -> tensor<2xi1>
  return %0 : tensor<2xi1>
}

// case compare_c3_complex: compare (C3): TOTALORDER is no comparison of complex<f32>
func.func @f(%x: tensor<2xcomplex<f32>>) -> tensor<2xi1> {
  %0 = stablehlo.compare EQ, %x, %x, TOTALORDER : (tensor<2xcomplex<f32>>, tensor<2xcomplex<f32>>) -> tensor<2xi1>
  return %0 : tensor<2xi1>
}
