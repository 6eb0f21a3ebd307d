// dynamic_conv

// case dynamic_conv_c1: dynamic_conv (C1): ranks of f32[2,6,6,4] and f32[3,4,8] differ
func.func @f(%x: tensor<2x6x6x4xf32>, %k: tensor<3x4x8xf32>) -> tensor<2x4x4x8xf32> {
  %p = stablehlo.constant dense<0> : tensor<2x2xi32>
  %0 = "stablehlo.dynamic_conv"(%x, %k, %p) <{dimension_numbers = #stablehlo.conv<raw input_batch_dimension = 0, input_feature_dimension = 3, input_spatial_dimensions = [1, 2], kernel_input_feature_dimension = 2, kernel_output_feature_dimension = 3, kernel_spatial_dimensions = [0, 1], output_batch_dimension = 0, output_feature_dimension = 3, output_spatial_dimensions = [1, 2]>,
      feature_group_count = 1 : i64, batch_group_count = 1 : i64}>
      : (tensor<2x6x6x4xf32>, tensor<3x4x8xf32>, tensor<2x2xi32>) -> tensor<2x4x4x8xf32>
  return %0 : tensor<2x4x4x8xf32>
}

// case dynamic_conv_c2: dynamic_conv (C2): window_strides: 1 entries for f32[2,6,6,4], two less than its rank are due
func.func @f(%x: tensor<2x6x6x4xf32>, %k: tensor<3x3x4x8xf32>) -> tensor<2x4x4x8xf32> {
  %p = stablehlo.constant dense<0> : tensor<2x2xi32>
  %0 = "stablehlo.dynamic_conv"(%x, %k, %p) <{dimension_numbers = #stablehlo.conv<raw input_batch_dimension = 0, input_feature_dimension = 3, input_spatial_dimensions = [1, 2], kernel_input_feature_dimension = 2, kernel_output_feature_dimension = 3, kernel_spatial_dimensions = [0, 1], output_batch_dimension = 0, output_feature_dimension = 3, output_spatial_dimensions = [1, 2]>,
      feature_group_count = 1 : i64, batch_group_count = 1 : i64, window_strides = array<i64: 1>}>
      : (tensor<2x6x6x4xf32>, tensor<3x3x4x8xf32>, tensor<2x2xi32>) -> tensor<2x4x4x8xf32>
  return %0 : tensor<2x4x4x8xf32>
}

// case dynamic_conv_c3: dynamic_conv (C3): window_strides [1, 0] are not all positive
func.func @f(%x: tensor<2x6x6x4xf32>, %k: tensor<3x3x4x8xf32>) -> tensor<2x4x4x8xf32> {
  %p = stablehlo.constant dense<0> : tensor<2x2xi32>
  %0 = "stablehlo.dynamic_conv"(%x, %k, %p) <{dimension_numbers = #stablehlo.conv<raw input_batch_dimension = 0, input_feature_dimension = 3, input_spatial_dimensions = [1, 2], kernel_input_feature_dimension = 2, kernel_output_feature_dimension = 3, kernel_spatial_dimensions = [0, 1], output_batch_dimension = 0, output_feature_dimension = 3, output_spatial_dimensions = [1, 2]>,
      feature_group_count = 1 : i64, batch_group_count = 1 : i64, window_strides = array<i64: 1, 0>}>
      : (tensor<2x6x6x4xf32>, tensor<3x3x4x8xf32>, tensor<2x2xi32>) -> tensor<2x4x4x8xf32>
  return %0 : tensor<2x4x4x8xf32>
}

// case dynamic_conv_c4: dynamic_conv (C4): the padding is tensor<1x2xi32>, not 2 pairs
func.func @f(%x: tensor<2x6x6x4xf32>, %k: tensor<3x3x4x8xf32>) -> tensor<2x4x4x8xf32> {
  %p = stablehlo.constant dense<0> : tensor<1x2xi32>
  %0 = "stablehlo.dynamic_conv"(%x, %k, %p) <{dimension_numbers = #stablehlo.conv<raw input_batch_dimension = 0, input_feature_dimension = 3, input_spatial_dimensions = [1, 2], kernel_input_feature_dimension = 2, kernel_output_feature_dimension = 3, kernel_spatial_dimensions = [0, 1], output_batch_dimension = 0, output_feature_dimension = 3, output_spatial_dimensions = [1, 2]>,
      feature_group_count = 1 : i64, batch_group_count = 1 : i64}>
      : (tensor<2x6x6x4xf32>, tensor<3x3x4x8xf32>, tensor<1x2xi32>) -> tensor<2x4x4x8xf32>
  return %0 : tensor<2x4x4x8xf32>
}

// case dynamic_conv_c5: dynamic_conv (C5): lhs_dilation: 3 entries for f32[2,6,6,4], two less than its rank are due
func.func @f(%x: tensor<2x6x6x4xf32>, %k: tensor<3x3x4x8xf32>) -> tensor<2x4x4x8xf32> {
  %p = stablehlo.constant dense<0> : tensor<2x2xi32>
  %0 = "stablehlo.dynamic_conv"(%x, %k, %p) <{dimension_numbers = #stablehlo.conv<raw input_batch_dimension = 0, input_feature_dimension = 3, input_spatial_dimensions = [1, 2], kernel_input_feature_dimension = 2, kernel_output_feature_dimension = 3, kernel_spatial_dimensions = [0, 1], output_batch_dimension = 0, output_feature_dimension = 3, output_spatial_dimensions = [1, 2]>,
      feature_group_count = 1 : i64, batch_group_count = 1 : i64, lhs_dilation = array<i64: 1, 1, 1>}>
      : (tensor<2x6x6x4xf32>, tensor<3x3x4x8xf32>, tensor<2x2xi32>) -> tensor<2x4x4x8xf32>
  return %0 : tensor<2x4x4x8xf32>
}

// case dynamic_conv_c6: dynamic_conv (C6): lhs_dilation [0, 1] are not all positive
func.func @f(%x: tensor<2x6x6x4xf32>, %k: tensor<3x3x4x8xf32>) -> tensor<2x4x4x8xf32> {
  %p = stablehlo.constant dense<0> : tensor<2x2xi32>
  %0 = "stablehlo.dynamic_conv"(%x, %k, %p) <{dimension_numbers = #stablehlo.conv<raw input_batch_dimension = 0, input_feature_dimension = 3, input_spatial_dimensions = [1, 2], kernel_input_feature_dimension = 2, kernel_output_feature_dimension = 3, kernel_spatial_dimensions = [0, 1], output_batch_dimension = 0, output_feature_dimension = 3, output_spatial_dimensions = [1, 2]>,
      feature_group_count = 1 : i64, batch_group_count = 1 : i64, lhs_dilation = array<i64: 0, 1>}>
      : (tensor<2x6x6x4xf32>, tensor<3x3x4x8xf32>, tensor<2x2xi32>) -> tensor<2x4x4x8xf32>
  return %0 : tensor<2x4x4x8xf32>
}

// case dynamic_conv_c7: dynamic_conv (C7): rhs_dilation: 1 entries for f32[2,6,6,4], two less than its rank are due
func.func @f(%x: tensor<2x6x6x4xf32>, %k: tensor<3x3x4x8xf32>) -> tensor<2x4x4x8xf32> {
  %p = stablehlo.constant dense<0> : tensor<2x2xi32>
  %0 = "stablehlo.dynamic_conv"(%x, %k, %p) <{dimension_numbers = #stablehlo.conv<raw input_batch_dimension = 0, input_feature_dimension = 3, input_spatial_dimensions = [1, 2], kernel_input_feature_dimension = 2, kernel_output_feature_dimension = 3, kernel_spatial_dimensions = [0, 1], output_batch_dimension = 0, output_feature_dimension = 3, output_spatial_dimensions = [1, 2]>,
      feature_group_count = 1 : i64, batch_group_count = 1 : i64, rhs_dilation = array<i64: 1>}>
      : (tensor<2x6x6x4xf32>, tensor<3x3x4x8xf32>, tensor<2x2xi32>) -> tensor<2x4x4x8xf32>
  return %0 : tensor<2x4x4x8xf32>
}

// case dynamic_conv_c8: dynamic_conv (C8): rhs_dilation [1, 0] are not all positive
func.func @f(%x: tensor<2x6x6x4xf32>, %k: tensor<3x3x4x8xf32>) -> tensor<2x4x4x8xf32> {
  %p = stablehlo.constant dense<0> : tensor<2x2xi32>
  %0 = "stablehlo.dynamic_conv"(%x, %k, %p) <{dimension_numbers = #stablehlo.conv<raw input_batch_dimension = 0, input_feature_dimension = 3, input_spatial_dimensions = [1, 2], kernel_input_feature_dimension = 2, kernel_output_feature_dimension = 3, kernel_spatial_dimensions = [0, 1], output_batch_dimension = 0, output_feature_dimension = 3, output_spatial_dimensions = [1, 2]>,
      feature_group_count = 1 : i64, batch_group_count = 1 : i64, rhs_dilation = array<i64: 1, 0>}>
      : (tensor<2x6x6x4xf32>, tensor<3x3x4x8xf32>, tensor<2x2xi32>) -> tensor<2x4x4x8xf32>
  return %0 : tensor<2x4x4x8xf32>
}

// case dynamic_conv_c9: dynamic_conv (C9): window_reversal: 1 entries for f32[2,6,6,4], two less than its rank are due
func.func @f(%x: tensor<2x6x6x4xf32>, %k: tensor<3x3x4x8xf32>) -> tensor<2x4x4x8xf32> {
  %p = stablehlo.constant dense<0> : tensor<2x2xi32>
  %0 = "stablehlo.dynamic_conv"(%x, %k, %p) <{dimension_numbers = #stablehlo.conv<raw input_batch_dimension = 0, input_feature_dimension = 3, input_spatial_dimensions = [1, 2], kernel_input_feature_dimension = 2, kernel_output_feature_dimension = 3, kernel_spatial_dimensions = [0, 1], output_batch_dimension = 0, output_feature_dimension = 3, output_spatial_dimensions = [1, 2]>,
      feature_group_count = 1 : i64, batch_group_count = 1 : i64, window_reversal = array<i1: false>}>
      : (tensor<2x6x6x4xf32>, tensor<3x3x4x8xf32>, tensor<2x2xi32>) -> tensor<2x4x4x8xf32>
  return %0 : tensor<2x4x4x8xf32>
}

// case dynamic_conv_c10: dynamic_conv (C10): a batch of 2 does not divide into 3 groups
func.func @f(%x: tensor<2x6x6x4xf32>, %k: tensor<3x3x4x9xf32>) -> tensor<2x4x4x8xf32> {
  %p = stablehlo.constant dense<0> : tensor<2x2xi32>
  %0 = "stablehlo.dynamic_conv"(%x, %k, %p) <{dimension_numbers = #stablehlo.conv<raw input_batch_dimension = 0, input_feature_dimension = 3, input_spatial_dimensions = [1, 2], kernel_input_feature_dimension = 2, kernel_output_feature_dimension = 3, kernel_spatial_dimensions = [0, 1], output_batch_dimension = 0, output_feature_dimension = 3, output_spatial_dimensions = [1, 2]>,
      feature_group_count = 1 : i64, batch_group_count = 3 : i64}>
      : (tensor<2x6x6x4xf32>, tensor<3x3x4x9xf32>, tensor<2x2xi32>) -> tensor<2x4x4x8xf32>
  return %0 : tensor<2x4x4x8xf32>
}

// case dynamic_conv_c11: dynamic_conv (C11): 4 input features do not divide into 3 groups
func.func @f(%x: tensor<2x6x6x4xf32>, %k: tensor<3x3x1x9xf32>) -> tensor<2x4x4x8xf32> {
  %p = stablehlo.constant dense<0> : tensor<2x2xi32>
  %0 = "stablehlo.dynamic_conv"(%x, %k, %p) <{dimension_numbers = #stablehlo.conv<raw input_batch_dimension = 0, input_feature_dimension = 3, input_spatial_dimensions = [1, 2], kernel_input_feature_dimension = 2, kernel_output_feature_dimension = 3, kernel_spatial_dimensions = [0, 1], output_batch_dimension = 0, output_feature_dimension = 3, output_spatial_dimensions = [1, 2]>,
      feature_group_count = 3 : i64, batch_group_count = 1 : i64}>
      : (tensor<2x6x6x4xf32>, tensor<3x3x1x9xf32>, tensor<2x2xi32>) -> tensor<2x4x4x8xf32>
  return %0 : tensor<2x4x4x8xf32>
}

// case dynamic_conv_c12: dynamic_conv (C12): input spatial dimensions: 1 entries for f32[2,6,6,4], two less than its rank are due
func.func @f(%x: tensor<2x6x6x4xf32>, %k: tensor<3x3x4x8xf32>) -> tensor<2x4x4x8xf32> {
  %p = stablehlo.constant dense<0> : tensor<2x2xi32>
  %0 = "stablehlo.dynamic_conv"(%x, %k, %p) <{dimension_numbers = #stablehlo.conv<raw input_batch_dimension = 0, input_feature_dimension = 3, input_spatial_dimensions = [1], kernel_input_feature_dimension = 2, kernel_output_feature_dimension = 3, kernel_spatial_dimensions = [0, 1], output_batch_dimension = 0, output_feature_dimension = 3, output_spatial_dimensions = [1, 2]>,
      feature_group_count = 1 : i64, batch_group_count = 1 : i64}>
      : (tensor<2x6x6x4xf32>, tensor<3x3x4x8xf32>, tensor<2x2xi32>) -> tensor<2x4x4x8xf32>
  return %0 : tensor<2x4x4x8xf32>
}

// case dynamic_conv_c13: dynamic_conv (C13): input dimensions: dimension 1 is listed twice
func.func @f(%x: tensor<2x6x6x4xf32>, %k: tensor<3x3x4x8xf32>) -> tensor<2x4x4x8xf32> {
  %p = stablehlo.constant dense<0> : tensor<2x2xi32>
  %0 = "stablehlo.dynamic_conv"(%x, %k, %p) <{dimension_numbers = #stablehlo.conv<raw input_batch_dimension = 0, input_feature_dimension = 3, input_spatial_dimensions = [1, 1], kernel_input_feature_dimension = 2, kernel_output_feature_dimension = 3, kernel_spatial_dimensions = [0, 1], output_batch_dimension = 0, output_feature_dimension = 3, output_spatial_dimensions = [1, 2]>,
      feature_group_count = 1 : i64, batch_group_count = 1 : i64}>
      : (tensor<2x6x6x4xf32>, tensor<3x3x4x8xf32>, tensor<2x2xi32>) -> tensor<2x4x4x8xf32>
  return %0 : tensor<2x4x4x8xf32>
}

// case dynamic_conv_c14: dynamic_conv (C14): the kernel has 3 input features, not 4 = 4 / 1
func.func @f(%x: tensor<2x6x6x4xf32>, %k: tensor<3x3x3x8xf32>) -> tensor<2x4x4x8xf32> {
  %p = stablehlo.constant dense<0> : tensor<2x2xi32>
  %0 = "stablehlo.dynamic_conv"(%x, %k, %p) <{dimension_numbers = #stablehlo.conv<raw input_batch_dimension = 0, input_feature_dimension = 3, input_spatial_dimensions = [1, 2], kernel_input_feature_dimension = 2, kernel_output_feature_dimension = 3, kernel_spatial_dimensions = [0, 1], output_batch_dimension = 0, output_feature_dimension = 3, output_spatial_dimensions = [1, 2]>,
      feature_group_count = 1 : i64, batch_group_count = 1 : i64}>
      : (tensor<2x6x6x4xf32>, tensor<3x3x3x8xf32>, tensor<2x2xi32>) -> tensor<2x4x4x8xf32>
  return %0 : tensor<2x4x4x8xf32>
}

// case dynamic_conv_c15: dynamic_conv (C15): 7 output features do not divide into 2 batch groups
func.func @f(%x: tensor<2x6x6x4xf32>, %k: tensor<3x3x4x7xf32>) -> tensor<2x4x4x8xf32> {
  %p = stablehlo.constant dense<0> : tensor<2x2xi32>
  %0 = "stablehlo.dynamic_conv"(%x, %k, %p) <{dimension_numbers = #stablehlo.conv<raw input_batch_dimension = 0, input_feature_dimension = 3, input_spatial_dimensions = [1, 2], kernel_input_feature_dimension = 2, kernel_output_feature_dimension = 3, kernel_spatial_dimensions = [0, 1], output_batch_dimension = 0, output_feature_dimension = 3, output_spatial_dimensions = [1, 2]>,
      feature_group_count = 1 : i64, batch_group_count = 2 : i64}>
      : (tensor<2x6x6x4xf32>, tensor<3x3x4x7xf32>, tensor<2x2xi32>) -> tensor<2x4x4x8xf32>
  return %0 : tensor<2x4x4x8xf32>
}

// case dynamic_conv_c16: dynamic_conv (C16): 7 output features do not divide into 2 feature groups
func.func @f(%x: tensor<2x6x6x4xf32>, %k: tensor<3x3x2x7xf32>) -> tensor<2x4x4x8xf32> {
  %p = stablehlo.constant dense<0> : tensor<2x2xi32>
  %0 = "stablehlo.dynamic_conv"(%x, %k, %p) <{dimension_numbers = #stablehlo.conv<raw input_batch_dimension = 0, input_feature_dimension = 3, input_spatial_dimensions = [1, 2], kernel_input_feature_dimension = 2, kernel_output_feature_dimension = 3, kernel_spatial_dimensions = [0, 1], output_batch_dimension = 0, output_feature_dimension = 3, output_spatial_dimensions = [1, 2]>,
      feature_group_count = 2 : i64, batch_group_count = 1 : i64}>
      : (tensor<2x6x6x4xf32>, tensor<3x3x2x7xf32>, tensor<2x2xi32>) -> tensor<2x4x4x8xf32>
  return %0 : tensor<2x4x4x8xf32>
}

// case dynamic_conv_c17: dynamic_conv (C17): kernel spatial dimensions: 1 entries for f32[2,6,6,4], two less than its rank are due
func.func @f(%x: tensor<2x6x6x4xf32>, %k: tensor<3x3x4x8xf32>) -> tensor<2x4x4x8xf32> {
  %p = stablehlo.constant dense<0> : tensor<2x2xi32>
  %0 = "stablehlo.dynamic_conv"(%x, %k, %p) <{dimension_numbers = #stablehlo.conv<raw input_batch_dimension = 0, input_feature_dimension = 3, input_spatial_dimensions = [1, 2], kernel_input_feature_dimension = 2, kernel_output_feature_dimension = 3, kernel_spatial_dimensions = [0], output_batch_dimension = 0, output_feature_dimension = 3, output_spatial_dimensions = [1, 2]>,
      feature_group_count = 1 : i64, batch_group_count = 1 : i64}>
      : (tensor<2x6x6x4xf32>, tensor<3x3x4x8xf32>, tensor<2x2xi32>) -> tensor<2x4x4x8xf32>
  return %0 : tensor<2x4x4x8xf32>
}

// case dynamic_conv_c18: dynamic_conv (C18): kernel dimensions: dimension 0 is listed twice
func.func @f(%x: tensor<2x6x6x4xf32>, %k: tensor<3x3x4x8xf32>) -> tensor<2x4x4x8xf32> {
  %p = stablehlo.constant dense<0> : tensor<2x2xi32>
  %0 = "stablehlo.dynamic_conv"(%x, %k, %p) <{dimension_numbers = #stablehlo.conv<raw input_batch_dimension = 0, input_feature_dimension = 3, input_spatial_dimensions = [1, 2], kernel_input_feature_dimension = 2, kernel_output_feature_dimension = 3, kernel_spatial_dimensions = [0, 0], output_batch_dimension = 0, output_feature_dimension = 3, output_spatial_dimensions = [1, 2]>,
      feature_group_count = 1 : i64, batch_group_count = 1 : i64}>
      : (tensor<2x6x6x4xf32>, tensor<3x3x4x8xf32>, tensor<2x2xi32>) -> tensor<2x4x4x8xf32>
  return %0 : tensor<2x4x4x8xf32>
}

// case dynamic_conv_c19: dynamic_conv (C19): output spatial dimensions: 3 entries for f32[2,6,6,4], two less than its rank are due
func.func @f(%x: tensor<2x6x6x4xf32>, %k: tensor<3x3x4x8xf32>) -> tensor<2x4x4x8xf32> {
  %p = stablehlo.constant dense<0> : tensor<2x2xi32>
  %0 = "stablehlo.dynamic_conv"(%x, %k, %p) <{dimension_numbers = #stablehlo.conv<raw input_batch_dimension = 0, input_feature_dimension = 3, input_spatial_dimensions = [1, 2], kernel_input_feature_dimension = 2, kernel_output_feature_dimension = 3, kernel_spatial_dimensions = [0, 1], output_batch_dimension = 0, output_feature_dimension = 3, output_spatial_dimensions = [1, 2, 3]>,
      feature_group_count = 1 : i64, batch_group_count = 1 : i64}>
      : (tensor<2x6x6x4xf32>, tensor<3x3x4x8xf32>, tensor<2x2xi32>) -> tensor<2x4x4x8xf32>
  return %0 : tensor<2x4x4x8xf32>
}

// case dynamic_conv_c20: dynamic_conv (C20): output dimensions: dimension 3 is listed twice
func.func @f(%x: tensor<2x6x6x4xf32>, %k: tensor<3x3x4x8xf32>) -> tensor<2x4x4x8xf32> {
  %p = stablehlo.constant dense<0> : tensor<2x2xi32>
  %0 = "stablehlo.dynamic_conv"(%x, %k, %p) <{dimension_numbers = #stablehlo.conv<raw input_batch_dimension = 0, input_feature_dimension = 3, input_spatial_dimensions = [1, 2], kernel_input_feature_dimension = 2, kernel_output_feature_dimension = 3, kernel_spatial_dimensions = [0, 1], output_batch_dimension = 0, output_feature_dimension = 3, output_spatial_dimensions = [1, 3]>,
      feature_group_count = 1 : i64, batch_group_count = 1 : i64}>
      : (tensor<2x6x6x4xf32>, tensor<3x3x4x8xf32>, tensor<2x2xi32>) -> tensor<2x4x4x8xf32>
  return %0 : tensor<2x4x4x8xf32>
}

// case dynamic_conv_c21: dynamic_conv (C21): feature_group_count is 0
func.func @f(%x: tensor<2x6x6x4xf32>, %k: tensor<3x3x4x8xf32>) -> tensor<2x4x4x8xf32> {
  %p = stablehlo.constant dense<0> : tensor<2x2xi32>
  %0 = "stablehlo.dynamic_conv"(%x, %k, %p) <{dimension_numbers = #stablehlo.conv<raw input_batch_dimension = 0, input_feature_dimension = 3, input_spatial_dimensions = [1, 2], kernel_input_feature_dimension = 2, kernel_output_feature_dimension = 3, kernel_spatial_dimensions = [0, 1], output_batch_dimension = 0, output_feature_dimension = 3, output_spatial_dimensions = [1, 2]>,
      feature_group_count = 0 : i64, batch_group_count = 1 : i64}>
      : (tensor<2x6x6x4xf32>, tensor<3x3x4x8xf32>, tensor<2x2xi32>) -> tensor<2x4x4x8xf32>
  return %0 : tensor<2x4x4x8xf32>
}

// case dynamic_conv_c22: dynamic_conv (C22): batch_group_count is 0
func.func @f(%x: tensor<2x6x6x4xf32>, %k: tensor<3x3x4x8xf32>) -> tensor<2x4x4x8xf32> {
  %p = stablehlo.constant dense<0> : tensor<2x2xi32>
  %0 = "stablehlo.dynamic_conv"(%x, %k, %p) <{dimension_numbers = #stablehlo.conv<raw input_batch_dimension = 0, input_feature_dimension = 3, input_spatial_dimensions = [1, 2], kernel_input_feature_dimension = 2, kernel_output_feature_dimension = 3, kernel_spatial_dimensions = [0, 1], output_batch_dimension = 0, output_feature_dimension = 3, output_spatial_dimensions = [1, 2]>,
      feature_group_count = 1 : i64, batch_group_count = 0 : i64}>
      : (tensor<2x6x6x4xf32>, tensor<3x3x4x8xf32>, tensor<2x2xi32>) -> tensor<2x4x4x8xf32>
  return %0 : tensor<2x4x4x8xf32>
}

// case dynamic_conv_c23: dynamic_conv (C23): feature_group_count is 2 and batch_group_count 2; one must be 1
func.func @f(%x: tensor<2x6x6x4xf32>, %k: tensor<3x3x2x8xf32>) -> tensor<2x4x4x8xf32> {
  %p = stablehlo.constant dense<0> : tensor<2x2xi32>
  %0 = "stablehlo.dynamic_conv"(%x, %k, %p) <{dimension_numbers = #stablehlo.conv<raw input_batch_dimension = 0, input_feature_dimension = 3, input_spatial_dimensions = [1, 2], kernel_input_feature_dimension = 2, kernel_output_feature_dimension = 3, kernel_spatial_dimensions = [0, 1], output_batch_dimension = 0, output_feature_dimension = 3, output_spatial_dimensions = [1, 2]>,
      feature_group_count = 2 : i64, batch_group_count = 2 : i64}>
      : (tensor<2x6x6x4xf32>, tensor<3x3x2x8xf32>, tensor<2x2xi32>) -> tensor<2x4x4x8xf32>
  return %0 : tensor<2x4x4x8xf32>
}

// case dynamic_conv_c24: dynamic_conv (C24): 1 precisions for 2 operands
func.func @f(%x: tensor<2x6x6x4xf32>, %k: tensor<3x3x4x8xf32>) -> tensor<2x4x4x8xf32> {
  %p = stablehlo.constant dense<0> : tensor<2x2xi32>
  %0 = "stablehlo.dynamic_conv"(%x, %k, %p) <{dimension_numbers = #stablehlo.conv<raw input_batch_dimension = 0, input_feature_dimension = 3, input_spatial_dimensions = [1, 2], kernel_input_feature_dimension = 2, kernel_output_feature_dimension = 3, kernel_spatial_dimensions = [0, 1], output_batch_dimension = 0, output_feature_dimension = 3, output_spatial_dimensions = [1, 2]>,
      feature_group_count = 1 : i64, batch_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>]}>
      : (tensor<2x6x6x4xf32>, tensor<3x3x4x8xf32>, tensor<2x2xi32>) -> tensor<2x4x4x8xf32>
  return %0 : tensor<2x4x4x8xf32>
}

// case dynamic_conv_c25: dynamic_conv (C25): gives tensor<2x4x4x8xf32>, but is declared as tensor<2x4x5x8xf32>
func.func @f(%x: tensor<2x6x6x4xf32>, %k: tensor<3x3x4x8xf32>) -> tensor<2x4x5x8xf32> {
  %p = stablehlo.constant dense<0> : tensor<2x2xi32>
  %0 = "stablehlo.dynamic_conv"(%x, %k, %p) <{dimension_numbers = #stablehlo.conv<raw input_batch_dimension = 0, input_feature_dimension = 3, input_spatial_dimensions = [1, 2], kernel_input_feature_dimension = 2, kernel_output_feature_dimension = 3, kernel_spatial_dimensions = [0, 1], output_batch_dimension = 0, output_feature_dimension = 3, output_spatial_dimensions = [1, 2]>,
      feature_group_count = 1 : i64, batch_group_count = 1 : i64}>
      : (tensor<2x6x6x4xf32>, tensor<3x3x4x8xf32>, tensor<2x2xi32>) -> tensor<2x4x5x8xf32>
  return %0 : tensor<2x4x5x8xf32>
}

// case dynamic_conv_c26: dynamic_conv (C26): gives tensor<2x4x4x8xf32>, but is declared as tensor<2x4x4x8x1xf32>
func.func @f(%x: tensor<2x6x6x4xf32>, %k: tensor<3x3x4x8xf32>) -> tensor<2x4x4x8x1xf32> {
  %p = stablehlo.constant dense<0> : tensor<2x2xi32>
  %0 = "stablehlo.dynamic_conv"(%x, %k, %p) <{dimension_numbers = #stablehlo.conv<raw input_batch_dimension = 0, input_feature_dimension = 3, input_spatial_dimensions = [1, 2], kernel_input_feature_dimension = 2, kernel_output_feature_dimension = 3, kernel_spatial_dimensions = [0, 1], output_batch_dimension = 0, output_feature_dimension = 3, output_spatial_dimensions = [1, 2]>,
      feature_group_count = 1 : i64, batch_group_count = 1 : i64}>
      : (tensor<2x6x6x4xf32>, tensor<3x3x4x8xf32>, tensor<2x2xi32>) -> tensor<2x4x4x8x1xf32>
  return %0 : tensor<2x4x4x8x1xf32>
}

// case dynamic_conv_c27: dynamic_conv (C27): element types of f32[2,6,6,4] and f64[3,3,4,8] differ
func.func @f(%x: tensor<2x6x6x4xf32>, %k: tensor<3x3x4x8xf64>) -> tensor<2x4x4x8xf32> {
  %p = stablehlo.constant dense<0> : tensor<2x2xi32>
  %0 = "stablehlo.dynamic_conv"(%x, %k, %p) <{dimension_numbers = #stablehlo.conv<raw input_batch_dimension = 0, input_feature_dimension = 3, input_spatial_dimensions = [1, 2], kernel_input_feature_dimension = 2, kernel_output_feature_dimension = 3, kernel_spatial_dimensions = [0, 1], output_batch_dimension = 0, output_feature_dimension = 3, output_spatial_dimensions = [1, 2]>,
      feature_group_count = 1 : i64, batch_group_count = 1 : i64}>
      : (tensor<2x6x6x4xf32>, tensor<3x3x4x8xf64>, tensor<2x2xi32>) -> tensor<2x4x4x8xf32>
  return %0 : tensor<2x4x4x8xf32>
}
