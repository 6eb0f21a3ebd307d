// Operations without operands.

// case constant_c1: constant (C1): gives tensor<2xf32>, but is declared as tensor<3xf32>
func.func @f() -> tensor<3xf32> {
  %0 = "stablehlo.constant"() <{value = dense<1.0> : tensor<2xf32>}> : () -> tensor<3xf32>
  return %0 : tensor<3xf32>
}

// case iota_c1: iota (C1): dimension 1 of i32[3] does not exist
func.func @f() -> tensor<3xi32> {
  %0 = stablehlo.iota dim = 1 : tensor<3xi32>
  return %0 : tensor<3xi32>
}

// case iota_c1_negative: iota (C1): dim holds -1, which may not be negative
func.func @f() -> tensor<3xi32> {
  %0 = stablehlo.iota dim = -1 : tensor<3xi32>
  return %0 : tensor<3xi32>
}
