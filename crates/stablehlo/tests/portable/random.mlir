module @random {
  func.func public @main(%arg0: tensor<f32>, %arg1: tensor<f32>, %arg2: tensor<i8>, %arg3: tensor<i8>) -> (tensor<2x3xf32>, tensor<2x3xf32>, tensor<4xi8>) {
    %c = stablehlo.constant dense<[2, 3]> : tensor<2xi64>
    %c_0 = stablehlo.constant dense<4> : tensor<1xi64>
    %0 = stablehlo.rng %arg0, %arg1, %c, distribution = UNIFORM : (tensor<f32>, tensor<f32>, tensor<2xi64>) -> tensor<2x3xf32>
    %1 = stablehlo.rng %arg0, %arg1, %c, distribution = NORMAL : (tensor<f32>, tensor<f32>, tensor<2xi64>) -> tensor<2x3xf32>
    %2 = stablehlo.rng %arg2, %arg3, %c_0, distribution = UNIFORM : (tensor<i8>, tensor<i8>, tensor<1xi64>) -> tensor<4xi8>
    return %0, %1, %2 : tensor<2x3xf32>, tensor<2x3xf32>, tensor<4xi8>
  }
}

