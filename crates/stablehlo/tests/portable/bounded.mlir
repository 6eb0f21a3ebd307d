module @bounded {
  func.func public @main(%arg0: tensor<?x4xf32, #stablehlo.bounds<8, ?>>) -> tensor<?x?xf32> {
    %0 = stablehlo.get_dimension_size %arg0, dim = 0 : (tensor<?x4xf32, #stablehlo.bounds<8, ?>>) -> tensor<i32>
    %1 = stablehlo.reshape %0 : (tensor<i32>) -> tensor<1xi32>
    %c = stablehlo.constant dense<2> : tensor<1xi32>
    %2 = stablehlo.concatenate %1, %c, %c, dim = 0 : (tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<3xi32>
    %3 = stablehlo.dynamic_reshape %arg0, %2 : (tensor<?x4xf32, #stablehlo.bounds<8, ?>>, tensor<3xi32>) -> tensor<?x2x2xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %4 = stablehlo.reduce(%3 init: %cst) applies stablehlo.add across dimensions = [2] : (tensor<?x2x2xf32>, tensor<f32>) -> tensor<?x2xf32>
    %c_0 = stablehlo.constant dense<1> : tensor<2xi32>
    %c_1 = stablehlo.constant dense<0> : tensor<2xi32>
    %5 = stablehlo.dynamic_pad %4, %cst, %c_0, %c_1, %c_0 : (tensor<?x2xf32>, tensor<f32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>) -> tensor<?x?xf32>
    return %5 : tensor<?x?xf32>
  }
}

