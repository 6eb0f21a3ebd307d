module @grouped_convolutions {
  func.func public @main(%arg0: tensor<3x3x1x12xf32>, %arg1: tensor<2x2x4x9xf32>, %arg2: tensor<13x5x4x6xf32>) -> (tensor<f32> {jax.result_info = "result"}) {
    %0 = stablehlo.convolution(%arg2, %arg0) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [2, 1], pad = [[1, 1], [0, 2]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 6 : i64} : (tensor<13x5x4x6xf32>, tensor<3x3x1x12xf32>) -> tensor<13x3x4x12xf32>
    %1 = stablehlo.tanh %0 : tensor<13x3x4x12xf32>
    %2 = stablehlo.convolution(%1, %arg1) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1, 1], pad = [[0, 0], [0, 0]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 3 : i64} : (tensor<13x3x4x12xf32>, tensor<2x2x4x9xf32>) -> tensor<13x2x3x9xf32>
    %3 = stablehlo.multiply %2, %2 : tensor<13x2x3x9xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %4 = stablehlo.reduce(%3 init: %cst) applies stablehlo.add across dimensions = [0, 1, 2, 3] : (tensor<13x2x3x9xf32>, tensor<f32>) -> tensor<f32>
    %cst_0 = stablehlo.constant dense<7.020000e+02> : tensor<f32>
    %5 = stablehlo.divide %4, %cst_0 : tensor<f32>
    return %5 : tensor<f32>
  }
}
