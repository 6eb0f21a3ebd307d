module @random {
  func.func public @main(%lo: tensor<f32>, %hi: tensor<f32>, %m: tensor<i8>, %n: tensor<i8>) -> (tensor<2x3xf32>, tensor<2x3xf32>, tensor<4xi8>) {
    %c = stablehlo.constant dense<[2, 3]> : tensor<2xi64>
    %d = stablehlo.constant dense<4> : tensor<1xi64>
    %0 = stablehlo.rng %lo, %hi, %c, distribution =  UNIFORM : (tensor<f32>, tensor<f32>, tensor<2xi64>) -> tensor<2x3xf32>
    %1 = stablehlo.rng %lo, %hi, %c, distribution =  NORMAL : (tensor<f32>, tensor<f32>, tensor<2xi64>) -> tensor<2x3xf32>
    %2 = stablehlo.rng %m, %n, %d, distribution =  UNIFORM : (tensor<i8>, tensor<i8>, tensor<1xi64>) -> tensor<4xi8>
    return %0, %1, %2 : tensor<2x3xf32>, tensor<2x3xf32>, tensor<4xi8>
  }
}
