// convolution

// case convolution_c1: convolution (C1): ranks of f32[2,6,6,4] and f32[3,4,8] differ
func.func @f(%x: tensor<2x6x6x4xf32>, %k: tensor<3x4x8xf32>) -> tensor<2x4x4x8xf32> {
  %0 = "stablehlo.convolution"(%x, %k) <{dimension_numbers = #stablehlo.conv<raw input_batch_dimension = 0, input_feature_dimension = 3, input_spatial_dimensions = [1, 2], kernel_input_feature_dimension = 2, kernel_output_feature_dimension = 3, kernel_spatial_dimensions = [0, 1], output_batch_dimension = 0, output_feature_dimension = 3, output_spatial_dimensions = [1, 2]>,
      feature_group_count = 1 : i64, batch_group_count = 1 : i64}>
      : (tensor<2x6x6x4xf32>, tensor<3x4x8xf32>) -> tensor<2x4x4x8xf32>
  return %0 : tensor<2x4x4x8xf32>
}

// case convolution_c2: convolution (C2): window_strides: 1 entries for f32[2,6,6,4], two less than its rank are due
func.func @f(%x: tensor<2x6x6x4xf32>, %k: tensor<3x3x4x8xf32>) -> tensor<2x4x4x8xf32> {
  %0 = "stablehlo.convolution"(%x, %k) <{dimension_numbers = #stablehlo.conv<raw input_batch_dimension = 0, input_feature_dimension = 3, input_spatial_dimensions = [1, 2], kernel_input_feature_dimension = 2, kernel_output_feature_dimension = 3, kernel_spatial_dimensions = [0, 1], output_batch_dimension = 0, output_feature_dimension = 3, output_spatial_dimensions = [1, 2]>,
      feature_group_count = 1 : i64, batch_group_count = 1 : i64, window_strides = array<i64: 1>}>
      : (tensor<2x6x6x4xf32>, tensor<3x3x4x8xf32>) -> tensor<2x4x4x8xf32>
  return %0 : tensor<2x4x4x8xf32>
}

// case convolution_c3: convolution (C3): window_strides [1, 0] are not all positive
func.func @f(%x: tensor<2x6x6x4xf32>, %k: tensor<3x3x4x8xf32>) -> tensor<2x4x4x8xf32> {
  %0 = "stablehlo.convolution"(%x, %k) <{dimension_numbers = #stablehlo.conv<raw input_batch_dimension = 0, input_feature_dimension = 3, input_spatial_dimensions = [1, 2], kernel_input_feature_dimension = 2, kernel_output_feature_dimension = 3, kernel_spatial_dimensions = [0, 1], output_batch_dimension = 0, output_feature_dimension = 3, output_spatial_dimensions = [1, 2]>,
      feature_group_count = 1 : i64, batch_group_count = 1 : i64, window_strides = array<i64: 1, 0>}>
      : (tensor<2x6x6x4xf32>, tensor<3x3x4x8xf32>) -> tensor<2x4x4x8xf32>
  return %0 : tensor<2x4x4x8xf32>
}

// case convolution_c3_negative: convolution (C3): stride holds -1, which may not be negative
func.func @f(%x: tensor<2x6x6x4xf32>, %k: tensor<3x3x4x8xf32>) -> tensor<2x4x4x8xf32> {
  %0 = "stablehlo.convolution"(%x, %k) <{dimension_numbers = #stablehlo.conv<raw input_batch_dimension = 0, input_feature_dimension = 3, input_spatial_dimensions = [1, 2], kernel_input_feature_dimension = 2, kernel_output_feature_dimension = 3, kernel_spatial_dimensions = [0, 1], output_batch_dimension = 0, output_feature_dimension = 3, output_spatial_dimensions = [1, 2]>,
      feature_group_count = 1 : i64, batch_group_count = 1 : i64, window_strides = array<i64: 1, -1>}>
      : (tensor<2x6x6x4xf32>, tensor<3x3x4x8xf32>) -> tensor<2x4x4x8xf32>
  return %0 : tensor<2x4x4x8xf32>
}

// case convolution_c4: convolution (C4): padding should be 2 pairs of whole numbers
func.func @f(%x: tensor<2x6x6x4xf32>, %k: tensor<3x3x4x8xf32>) -> tensor<2x4x4x8xf32> {
  %0 = "stablehlo.convolution"(%x, %k) <{dimension_numbers = #stablehlo.conv<raw input_batch_dimension = 0, input_feature_dimension = 3, input_spatial_dimensions = [1, 2], kernel_input_feature_dimension = 2, kernel_output_feature_dimension = 3, kernel_spatial_dimensions = [0, 1], output_batch_dimension = 0, output_feature_dimension = 3, output_spatial_dimensions = [1, 2]>,
      feature_group_count = 1 : i64, batch_group_count = 1 : i64, padding = dense<0> : tensor<1x2xi64>}>
      : (tensor<2x6x6x4xf32>, tensor<3x3x4x8xf32>) -> tensor<2x4x4x8xf32>
  return %0 : tensor<2x4x4x8xf32>
}

// case convolution_c5: convolution (C5): lhs_dilation: 3 entries for f32[2,6,6,4], two less than its rank are due
func.func @f(%x: tensor<2x6x6x4xf32>, %k: tensor<3x3x4x8xf32>) -> tensor<2x4x4x8xf32> {
  %0 = "stablehlo.convolution"(%x, %k) <{dimension_numbers = #stablehlo.conv<raw input_batch_dimension = 0, input_feature_dimension = 3, input_spatial_dimensions = [1, 2], kernel_input_feature_dimension = 2, kernel_output_feature_dimension = 3, kernel_spatial_dimensions = [0, 1], output_batch_dimension = 0, output_feature_dimension = 3, output_spatial_dimensions = [1, 2]>,
      feature_group_count = 1 : i64, batch_group_count = 1 : i64, lhs_dilation = array<i64: 1, 1, 1>}>
      : (tensor<2x6x6x4xf32>, tensor<3x3x4x8xf32>) -> tensor<2x4x4x8xf32>
  return %0 : tensor<2x4x4x8xf32>
}

// case convolution_c6: convolution (C6): lhs_dilation [0, 1] are not all positive
func.func @f(%x: tensor<2x6x6x4xf32>, %k: tensor<3x3x4x8xf32>) -> tensor<2x4x4x8xf32> {
  %0 = "stablehlo.convolution"(%x, %k) <{dimension_numbers = #stablehlo.conv<raw input_batch_dimension = 0, input_feature_dimension = 3, input_spatial_dimensions = [1, 2], kernel_input_feature_dimension = 2, kernel_output_feature_dimension = 3, kernel_spatial_dimensions = [0, 1], output_batch_dimension = 0, output_feature_dimension = 3, output_spatial_dimensions = [1, 2]>,
      feature_group_count = 1 : i64, batch_group_count = 1 : i64, lhs_dilation = array<i64: 0, 1>}>
      : (tensor<2x6x6x4xf32>, tensor<3x3x4x8xf32>) -> tensor<2x4x4x8xf32>
  return %0 : tensor<2x4x4x8xf32>
}

// case convolution_c6_negative: convolution (C6): lhs_dilate holds -2, which may not be negative
func.func @f(%x: tensor<2x6x6x4xf32>, %k: tensor<3x3x4x8xf32>) -> tensor<2x4x4x8xf32> {
  %0 = "stablehlo.convolution"(%x, %k) <{dimension_numbers = #stablehlo.conv<raw input_batch_dimension = 0, input_feature_dimension = 3, input_spatial_dimensions = [1, 2], kernel_input_feature_dimension = 2, kernel_output_feature_dimension = 3, kernel_spatial_dimensions = [0, 1], output_batch_dimension = 0, output_feature_dimension = 3, output_spatial_dimensions = [1, 2]>,
      feature_group_count = 1 : i64, batch_group_count = 1 : i64, lhs_dilation = array<i64: -2, 1>}>
      : (tensor<2x6x6x4xf32>, tensor<3x3x4x8xf32>) -> tensor<2x4x4x8xf32>
  return %0 : tensor<2x4x4x8xf32>
}

// case convolution_c7: convolution (C7): rhs_dilation: 1 entries for f32[2,6,6,4], two less than its rank are due
func.func @f(%x: tensor<2x6x6x4xf32>, %k: tensor<3x3x4x8xf32>) -> tensor<2x4x4x8xf32> {
  %0 = "stablehlo.convolution"(%x, %k) <{dimension_numbers = #stablehlo.conv<raw input_batch_dimension = 0, input_feature_dimension = 3, input_spatial_dimensions = [1, 2], kernel_input_feature_dimension = 2, kernel_output_feature_dimension = 3, kernel_spatial_dimensions = [0, 1], output_batch_dimension = 0, output_feature_dimension = 3, output_spatial_dimensions = [1, 2]>,
      feature_group_count = 1 : i64, batch_group_count = 1 : i64, rhs_dilation = array<i64: 1>}>
      : (tensor<2x6x6x4xf32>, tensor<3x3x4x8xf32>) -> tensor<2x4x4x8xf32>
  return %0 : tensor<2x4x4x8xf32>
}

// case convolution_c8: convolution (C8): rhs_dilation [1, 0] are not all positive
func.func @f(%x: tensor<2x6x6x4xf32>, %k: tensor<3x3x4x8xf32>) -> tensor<2x4x4x8xf32> {
  %0 = "stablehlo.convolution"(%x, %k) <{dimension_numbers = #stablehlo.conv<raw input_batch_dimension = 0, input_feature_dimension = 3, input_spatial_dimensions = [1, 2], kernel_input_feature_dimension = 2, kernel_output_feature_dimension = 3, kernel_spatial_dimensions = [0, 1], output_batch_dimension = 0, output_feature_dimension = 3, output_spatial_dimensions = [1, 2]>,
      feature_group_count = 1 : i64, batch_group_count = 1 : i64, rhs_dilation = array<i64: 1, 0>}>
      : (tensor<2x6x6x4xf32>, tensor<3x3x4x8xf32>) -> tensor<2x4x4x8xf32>
  return %0 : tensor<2x4x4x8xf32>
}

// case convolution_c8_negative: convolution (C8): rhs_dilate holds -3, which may not be negative
func.func @f(%x: tensor<2x6x6x4xf32>, %k: tensor<3x3x4x8xf32>) -> tensor<2x4x4x8xf32> {
  %0 = "stablehlo.convolution"(%x, %k) <{dimension_numbers = #stablehlo.conv<raw input_batch_dimension = 0, input_feature_dimension = 3, input_spatial_dimensions = [1, 2], kernel_input_feature_dimension = 2, kernel_output_feature_dimension = 3, kernel_spatial_dimensions = [0, 1], output_batch_dimension = 0, output_feature_dimension = 3, output_spatial_dimensions = [1, 2]>,
      feature_group_count = 1 : i64, batch_group_count = 1 : i64, rhs_dilation = array<i64: 1, -3>}>
      : (tensor<2x6x6x4xf32>, tensor<3x3x4x8xf32>) -> tensor<2x4x4x8xf32>
  return %0 : tensor<2x4x4x8xf32>
}

// case convolution_c9: convolution (C9): window_reversal: 1 entries for f32[2,6,6,4], two less than its rank are due
func.func @f(%x: tensor<2x6x6x4xf32>, %k: tensor<3x3x4x8xf32>) -> tensor<2x4x4x8xf32> {
  %0 = "stablehlo.convolution"(%x, %k) <{dimension_numbers = #stablehlo.conv<raw input_batch_dimension = 0, input_feature_dimension = 3, input_spatial_dimensions = [1, 2], kernel_input_feature_dimension = 2, kernel_output_feature_dimension = 3, kernel_spatial_dimensions = [0, 1], output_batch_dimension = 0, output_feature_dimension = 3, output_spatial_dimensions = [1, 2]>,
      feature_group_count = 1 : i64, batch_group_count = 1 : i64, window_reversal = array<i1: false>}>
      : (tensor<2x6x6x4xf32>, tensor<3x3x4x8xf32>) -> tensor<2x4x4x8xf32>
  return %0 : tensor<2x4x4x8xf32>
}

// case convolution_c10: convolution (C10): a batch of 2 does not divide into 3 groups
func.func @f(%x: tensor<2x6x6x4xf32>, %k: tensor<3x3x4x9xf32>) -> tensor<2x4x4x8xf32> {
  %0 = "stablehlo.convolution"(%x, %k) <{dimension_numbers = #stablehlo.conv<raw input_batch_dimension = 0, input_feature_dimension = 3, input_spatial_dimensions = [1, 2], kernel_input_feature_dimension = 2, kernel_output_feature_dimension = 3, kernel_spatial_dimensions = [0, 1], output_batch_dimension = 0, output_feature_dimension = 3, output_spatial_dimensions = [1, 2]>,
      feature_group_count = 1 : i64, batch_group_count = 3 : i64}>
      : (tensor<2x6x6x4xf32>, tensor<3x3x4x9xf32>) -> tensor<2x4x4x8xf32>
  return %0 : tensor<2x4x4x8xf32>
}

// case convolution_c11: convolution (C11): 4 input features do not divide into 3 groups
func.func @f(%x: tensor<2x6x6x4xf32>, %k: tensor<3x3x1x9xf32>) -> tensor<2x4x4x8xf32> {
  %0 = "stablehlo.convolution"(%x, %k) <{dimension_numbers = #stablehlo.conv<raw input_batch_dimension = 0, input_feature_dimension = 3, input_spatial_dimensions = [1, 2], kernel_input_feature_dimension = 2, kernel_output_feature_dimension = 3, kernel_spatial_dimensions = [0, 1], output_batch_dimension = 0, output_feature_dimension = 3, output_spatial_dimensions = [1, 2]>,
      feature_group_count = 3 : i64, batch_group_count = 1 : i64}>
      : (tensor<2x6x6x4xf32>, tensor<3x3x1x9xf32>) -> tensor<2x4x4x8xf32>
  return %0 : tensor<2x4x4x8xf32>
}

// case convolution_c12: convolution (C12): input spatial dimensions: 1 entries for f32[2,6,6,4], two less than its rank are due
func.func @f(%x: tensor<2x6x6x4xf32>, %k: tensor<3x3x4x8xf32>) -> tensor<2x4x4x8xf32> {
  %0 = "stablehlo.convolution"(%x, %k) <{dimension_numbers = #stablehlo.conv<raw input_batch_dimension = 0, input_feature_dimension = 3, input_spatial_dimensions = [1], kernel_input_feature_dimension = 2, kernel_output_feature_dimension = 3, kernel_spatial_dimensions = [0, 1], output_batch_dimension = 0, output_feature_dimension = 3, output_spatial_dimensions = [1, 2]>,
      feature_group_count = 1 : i64, batch_group_count = 1 : i64}>
      : (tensor<2x6x6x4xf32>, tensor<3x3x4x8xf32>) -> tensor<2x4x4x8xf32>
  return %0 : tensor<2x4x4x8xf32>
}

// case convolution_c13: convolution (C13): input dimensions: dimension 1 is listed twice
func.func @f(%x: tensor<2x6x6x4xf32>, %k: tensor<3x3x4x8xf32>) -> tensor<2x4x4x8xf32> {
  %0 = "stablehlo.convolution"(%x, %k) <{dimension_numbers = #stablehlo.conv<raw input_batch_dimension = 0, input_feature_dimension = 3, input_spatial_dimensions = [1, 1], kernel_input_feature_dimension = 2, kernel_output_feature_dimension = 3, kernel_spatial_dimensions = [0, 1], output_batch_dimension = 0, output_feature_dimension = 3, output_spatial_dimensions = [1, 2]>,
      feature_group_count = 1 : i64, batch_group_count = 1 : i64}>
      : (tensor<2x6x6x4xf32>, tensor<3x3x4x8xf32>) -> tensor<2x4x4x8xf32>
  return %0 : tensor<2x4x4x8xf32>
}

// case convolution_c13_range: convolution (C13): input dimensions: dimension 4 of f32[2,6,6,4] does not exist
func.func @f(%x: tensor<2x6x6x4xf32>, %k: tensor<3x3x4x8xf32>) -> tensor<2x4x4x8xf32> {
  %0 = "stablehlo.convolution"(%x, %k) <{dimension_numbers = #stablehlo.conv<raw input_batch_dimension = 0, input_feature_dimension = 4, input_spatial_dimensions = [1, 2], kernel_input_feature_dimension = 2, kernel_output_feature_dimension = 3, kernel_spatial_dimensions = [0, 1], output_batch_dimension = 0, output_feature_dimension = 3, output_spatial_dimensions = [1, 2]>,
      feature_group_count = 1 : i64, batch_group_count = 1 : i64}>
      : (tensor<2x6x6x4xf32>, tensor<3x3x4x8xf32>) -> tensor<2x4x4x8xf32>
  return %0 : tensor<2x4x4x8xf32>
}

// case convolution_c13_negative: convolution (C13): input_batch_dimension holds -1, which may not be negative
func.func @f(%x: tensor<2x6x6x4xf32>, %k: tensor<3x3x4x8xf32>) -> tensor<2x4x4x8xf32> {
  %0 = "stablehlo.convolution"(%x, %k) <{dimension_numbers = #stablehlo.conv<raw input_batch_dimension = -1, input_feature_dimension = 3, input_spatial_dimensions = [1, 2], kernel_input_feature_dimension = 2, kernel_output_feature_dimension = 3, kernel_spatial_dimensions = [0, 1], output_batch_dimension = 0, output_feature_dimension = 3, output_spatial_dimensions = [1, 2]>,
      feature_group_count = 1 : i64, batch_group_count = 1 : i64}>
      : (tensor<2x6x6x4xf32>, tensor<3x3x4x8xf32>) -> tensor<2x4x4x8xf32>
  return %0 : tensor<2x4x4x8xf32>
}

// case convolution_c14: convolution (C14): the kernel has 3 input features, not 4 = 4 / 1
func.func @f(%x: tensor<2x6x6x4xf32>, %k: tensor<3x3x3x8xf32>) -> tensor<2x4x4x8xf32> {
  %0 = "stablehlo.convolution"(%x, %k) <{dimension_numbers = #stablehlo.conv<raw input_batch_dimension = 0, input_feature_dimension = 3, input_spatial_dimensions = [1, 2], kernel_input_feature_dimension = 2, kernel_output_feature_dimension = 3, kernel_spatial_dimensions = [0, 1], output_batch_dimension = 0, output_feature_dimension = 3, output_spatial_dimensions = [1, 2]>,
      feature_group_count = 1 : i64, batch_group_count = 1 : i64}>
      : (tensor<2x6x6x4xf32>, tensor<3x3x3x8xf32>) -> tensor<2x4x4x8xf32>
  return %0 : tensor<2x4x4x8xf32>
}

// case convolution_c15: convolution (C15): 7 output features do not divide into 2 batch groups
func.func @f(%x: tensor<2x6x6x4xf32>, %k: tensor<3x3x4x7xf32>) -> tensor<2x4x4x8xf32> {
  %0 = "stablehlo.convolution"(%x, %k) <{dimension_numbers = #stablehlo.conv<raw input_batch_dimension = 0, input_feature_dimension = 3, input_spatial_dimensions = [1, 2], kernel_input_feature_dimension = 2, kernel_output_feature_dimension = 3, kernel_spatial_dimensions = [0, 1], output_batch_dimension = 0, output_feature_dimension = 3, output_spatial_dimensions = [1, 2]>,
      feature_group_count = 1 : i64, batch_group_count = 2 : i64}>
      : (tensor<2x6x6x4xf32>, tensor<3x3x4x7xf32>) -> tensor<2x4x4x8xf32>
  return %0 : tensor<2x4x4x8xf32>
}

// case convolution_c16: convolution (C16): 7 output features do not divide into 2 feature groups
func.func @f(%x: tensor<2x6x6x4xf32>, %k: tensor<3x3x2x7xf32>) -> tensor<2x4x4x8xf32> {
  %0 = "stablehlo.convolution"(%x, %k) <{dimension_numbers = #stablehlo.conv<raw input_batch_dimension = 0, input_feature_dimension = 3, input_spatial_dimensions = [1, 2], kernel_input_feature_dimension = 2, kernel_output_feature_dimension = 3, kernel_spatial_dimensions = [0, 1], output_batch_dimension = 0, output_feature_dimension = 3, output_spatial_dimensions = [1, 2]>,
      feature_group_count = 2 : i64, batch_group_count = 1 : i64}>
      : (tensor<2x6x6x4xf32>, tensor<3x3x2x7xf32>) -> tensor<2x4x4x8xf32>
  return %0 : tensor<2x4x4x8xf32>
}

// case convolution_c17: convolution (C17): kernel spatial dimensions: 1 entries for f32[2,6,6,4], two less than its rank are due
func.func @f(%x: tensor<2x6x6x4xf32>, %k: tensor<3x3x4x8xf32>) -> tensor<2x4x4x8xf32> {
  %0 = "stablehlo.convolution"(%x, %k) <{dimension_numbers = #stablehlo.conv<raw input_batch_dimension = 0, input_feature_dimension = 3, input_spatial_dimensions = [1, 2], kernel_input_feature_dimension = 2, kernel_output_feature_dimension = 3, kernel_spatial_dimensions = [0], output_batch_dimension = 0, output_feature_dimension = 3, output_spatial_dimensions = [1, 2]>,
      feature_group_count = 1 : i64, batch_group_count = 1 : i64}>
      : (tensor<2x6x6x4xf32>, tensor<3x3x4x8xf32>) -> tensor<2x4x4x8xf32>
  return %0 : tensor<2x4x4x8xf32>
}

// case convolution_c18: convolution (C18): kernel dimensions: dimension 0 is listed twice
func.func @f(%x: tensor<2x6x6x4xf32>, %k: tensor<3x3x4x8xf32>) -> tensor<2x4x4x8xf32> {
  %0 = "stablehlo.convolution"(%x, %k) <{dimension_numbers = #stablehlo.conv<raw input_batch_dimension = 0, input_feature_dimension = 3, input_spatial_dimensions = [1, 2], kernel_input_feature_dimension = 2, kernel_output_feature_dimension = 3, kernel_spatial_dimensions = [0, 0], output_batch_dimension = 0, output_feature_dimension = 3, output_spatial_dimensions = [1, 2]>,
      feature_group_count = 1 : i64, batch_group_count = 1 : i64}>
      : (tensor<2x6x6x4xf32>, tensor<3x3x4x8xf32>) -> tensor<2x4x4x8xf32>
  return %0 : tensor<2x4x4x8xf32>
}

// case convolution_c18_range: convolution (C18): kernel dimensions: dimension 5 of f32[3,3,4,8] does not exist
func.func @f(%x: tensor<2x6x6x4xf32>, %k: tensor<3x3x4x8xf32>) -> tensor<2x4x4x8xf32> {
  %0 = "stablehlo.convolution"(%x, %k) <{dimension_numbers = #stablehlo.conv<raw input_batch_dimension = 0, input_feature_dimension = 3, input_spatial_dimensions = [1, 2], kernel_input_feature_dimension = 2, kernel_output_feature_dimension = 5, kernel_spatial_dimensions = [0, 1], output_batch_dimension = 0, output_feature_dimension = 3, output_spatial_dimensions = [1, 2]>,
      feature_group_count = 1 : i64, batch_group_count = 1 : i64}>
      : (tensor<2x6x6x4xf32>, tensor<3x3x4x8xf32>) -> tensor<2x4x4x8xf32>
  return %0 : tensor<2x4x4x8xf32>
}

// case convolution_c18_negative: convolution (C18): kernel_input_feature_dimension holds -1, which may not be negative
func.func @f(%x: tensor<2x6x6x4xf32>, %k: tensor<3x3x4x8xf32>) -> tensor<2x4x4x8xf32> {
  %0 = "stablehlo.convolution"(%x, %k) <{dimension_numbers = #stablehlo.conv<raw input_batch_dimension = 0, input_feature_dimension = 3, input_spatial_dimensions = [1, 2], kernel_input_feature_dimension = -1, kernel_output_feature_dimension = 3, kernel_spatial_dimensions = [0, 1], output_batch_dimension = 0, output_feature_dimension = 3, output_spatial_dimensions = [1, 2]>,
      feature_group_count = 1 : i64, batch_group_count = 1 : i64}>
      : (tensor<2x6x6x4xf32>, tensor<3x3x4x8xf32>) -> tensor<2x4x4x8xf32>
  return %0 : tensor<2x4x4x8xf32>
}

// case convolution_c19: convolution (C19): output spatial dimensions: 3 entries for f32[2,6,6,4], two less than its rank are due
func.func @f(%x: tensor<2x6x6x4xf32>, %k: tensor<3x3x4x8xf32>) -> tensor<2x4x4x8xf32> {
  %0 = "stablehlo.convolution"(%x, %k) <{dimension_numbers = #stablehlo.conv<raw input_batch_dimension = 0, input_feature_dimension = 3, input_spatial_dimensions = [1, 2], kernel_input_feature_dimension = 2, kernel_output_feature_dimension = 3, kernel_spatial_dimensions = [0, 1], output_batch_dimension = 0, output_feature_dimension = 3, output_spatial_dimensions = [1, 2, 3]>,
      feature_group_count = 1 : i64, batch_group_count = 1 : i64}>
      : (tensor<2x6x6x4xf32>, tensor<3x3x4x8xf32>) -> tensor<2x4x4x8xf32>
  return %0 : tensor<2x4x4x8xf32>
}

// case convolution_c20: convolution (C20): output dimensions: dimension 3 is listed twice
func.func @f(%x: tensor<2x6x6x4xf32>, %k: tensor<3x3x4x8xf32>) -> tensor<2x4x4x8xf32> {
  %0 = "stablehlo.convolution"(%x, %k) <{dimension_numbers = #stablehlo.conv<raw input_batch_dimension = 0, input_feature_dimension = 3, input_spatial_dimensions = [1, 2], kernel_input_feature_dimension = 2, kernel_output_feature_dimension = 3, kernel_spatial_dimensions = [0, 1], output_batch_dimension = 0, output_feature_dimension = 3, output_spatial_dimensions = [1, 3]>,
      feature_group_count = 1 : i64, batch_group_count = 1 : i64}>
      : (tensor<2x6x6x4xf32>, tensor<3x3x4x8xf32>) -> tensor<2x4x4x8xf32>
  return %0 : tensor<2x4x4x8xf32>
}

// case convolution_c20_range: convolution (C20): output dimensions: dimension 4 of f32[2,6,6,4] does not exist
func.func @f(%x: tensor<2x6x6x4xf32>, %k: tensor<3x3x4x8xf32>) -> tensor<2x4x4x8xf32> {
  %0 = "stablehlo.convolution"(%x, %k) <{dimension_numbers = #stablehlo.conv<raw input_batch_dimension = 0, input_feature_dimension = 3, input_spatial_dimensions = [1, 2], kernel_input_feature_dimension = 2, kernel_output_feature_dimension = 3, kernel_spatial_dimensions = [0, 1], output_batch_dimension = 0, output_feature_dimension = 3, output_spatial_dimensions = [1, 4]>,
      feature_group_count = 1 : i64, batch_group_count = 1 : i64}>
      : (tensor<2x6x6x4xf32>, tensor<3x3x4x8xf32>) -> tensor<2x4x4x8xf32>
  return %0 : tensor<2x4x4x8xf32>
}

// case convolution_c20_negative: convolution (C20): output_batch_dimension holds -1, which may not be negative
func.func @f(%x: tensor<2x6x6x4xf32>, %k: tensor<3x3x4x8xf32>) -> tensor<2x4x4x8xf32> {
  %0 = "stablehlo.convolution"(%x, %k) <{dimension_numbers = #stablehlo.conv<raw input_batch_dimension = 0, input_feature_dimension = 3, input_spatial_dimensions = [1, 2], kernel_input_feature_dimension = 2, kernel_output_feature_dimension = 3, kernel_spatial_dimensions = [0, 1], output_batch_dimension = -1, output_feature_dimension = 3, output_spatial_dimensions = [1, 2]>,
      feature_group_count = 1 : i64, batch_group_count = 1 : i64}>
      : (tensor<2x6x6x4xf32>, tensor<3x3x4x8xf32>) -> tensor<2x4x4x8xf32>
  return %0 : tensor<2x4x4x8xf32>
}

// case convolution_c21: convolution (C21): feature_group_count is 0
func.func @f(%x: tensor<2x6x6x4xf32>, %k: tensor<3x3x4x8xf32>) -> tensor<2x4x4x8xf32> {
  %0 = "stablehlo.convolution"(%x, %k) <{dimension_numbers = #stablehlo.conv<raw input_batch_dimension = 0, input_feature_dimension = 3, input_spatial_dimensions = [1, 2], kernel_input_feature_dimension = 2, kernel_output_feature_dimension = 3, kernel_spatial_dimensions = [0, 1], output_batch_dimension = 0, output_feature_dimension = 3, output_spatial_dimensions = [1, 2]>,
      feature_group_count = 0 : i64, batch_group_count = 1 : i64}>
      : (tensor<2x6x6x4xf32>, tensor<3x3x4x8xf32>) -> tensor<2x4x4x8xf32>
  return %0 : tensor<2x4x4x8xf32>
}

// case convolution_c21_negative: convolution (C21): feature_group_count holds -1, which may not be negative
func.func @f(%x: tensor<2x6x6x4xf32>, %k: tensor<3x3x4x8xf32>) -> tensor<2x4x4x8xf32> {
  %0 = "stablehlo.convolution"(%x, %k) <{dimension_numbers = #stablehlo.conv<raw input_batch_dimension = 0, input_feature_dimension = 3, input_spatial_dimensions = [1, 2], kernel_input_feature_dimension = 2, kernel_output_feature_dimension = 3, kernel_spatial_dimensions = [0, 1], output_batch_dimension = 0, output_feature_dimension = 3, output_spatial_dimensions = [1, 2]>,
      feature_group_count = -1 : i64, batch_group_count = 1 : i64}>
      : (tensor<2x6x6x4xf32>, tensor<3x3x4x8xf32>) -> tensor<2x4x4x8xf32>
  return %0 : tensor<2x4x4x8xf32>
}

// case convolution_c22: convolution (C22): batch_group_count is 0
func.func @f(%x: tensor<2x6x6x4xf32>, %k: tensor<3x3x4x8xf32>) -> tensor<2x4x4x8xf32> {
  %0 = "stablehlo.convolution"(%x, %k) <{dimension_numbers = #stablehlo.conv<raw input_batch_dimension = 0, input_feature_dimension = 3, input_spatial_dimensions = [1, 2], kernel_input_feature_dimension = 2, kernel_output_feature_dimension = 3, kernel_spatial_dimensions = [0, 1], output_batch_dimension = 0, output_feature_dimension = 3, output_spatial_dimensions = [1, 2]>,
      feature_group_count = 1 : i64, batch_group_count = 0 : i64}>
      : (tensor<2x6x6x4xf32>, tensor<3x3x4x8xf32>) -> tensor<2x4x4x8xf32>
  return %0 : tensor<2x4x4x8xf32>
}

// case convolution_c22_negative: convolution (C22): batch_group_count holds -1, which may not be negative
func.func @f(%x: tensor<2x6x6x4xf32>, %k: tensor<3x3x4x8xf32>) -> tensor<2x4x4x8xf32> {
  %0 = "stablehlo.convolution"(%x, %k) <{dimension_numbers = #stablehlo.conv<raw input_batch_dimension = 0, input_feature_dimension = 3, input_spatial_dimensions = [1, 2], kernel_input_feature_dimension = 2, kernel_output_feature_dimension = 3, kernel_spatial_dimensions = [0, 1], output_batch_dimension = 0, output_feature_dimension = 3, output_spatial_dimensions = [1, 2]>,
      feature_group_count = 1 : i64, batch_group_count = -1 : i64}>
      : (tensor<2x6x6x4xf32>, tensor<3x3x4x8xf32>) -> tensor<2x4x4x8xf32>
  return %0 : tensor<2x4x4x8xf32>
}

// case convolution_c23: convolution (C23): feature_group_count is 2 and batch_group_count 2; one must be 1
func.func @f(%x: tensor<2x6x6x4xf32>, %k: tensor<3x3x2x8xf32>) -> tensor<2x4x4x8xf32> {
  %0 = "stablehlo.convolution"(%x, %k) <{dimension_numbers = #stablehlo.conv<raw input_batch_dimension = 0, input_feature_dimension = 3, input_spatial_dimensions = [1, 2], kernel_input_feature_dimension = 2, kernel_output_feature_dimension = 3, kernel_spatial_dimensions = [0, 1], output_batch_dimension = 0, output_feature_dimension = 3, output_spatial_dimensions = [1, 2]>,
      feature_group_count = 2 : i64, batch_group_count = 2 : i64}>
      : (tensor<2x6x6x4xf32>, tensor<3x3x2x8xf32>) -> tensor<2x4x4x8xf32>
  return %0 : tensor<2x4x4x8xf32>
}

// case convolution_c24: convolution (C24): 1 precisions for 2 operands
func.func @f(%x: tensor<2x6x6x4xf32>, %k: tensor<3x3x4x8xf32>) -> tensor<2x4x4x8xf32> {
  %0 = "stablehlo.convolution"(%x, %k) <{dimension_numbers = #stablehlo.conv<raw input_batch_dimension = 0, input_feature_dimension = 3, input_spatial_dimensions = [1, 2], kernel_input_feature_dimension = 2, kernel_output_feature_dimension = 3, kernel_spatial_dimensions = [0, 1], output_batch_dimension = 0, output_feature_dimension = 3, output_spatial_dimensions = [1, 2]>,
      feature_group_count = 1 : i64, batch_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>]}>
      : (tensor<2x6x6x4xf32>, tensor<3x3x4x8xf32>) -> tensor<2x4x4x8xf32>
  return %0 : tensor<2x4x4x8xf32>
}

// case convolution_c25: convolution (C25): gives tensor<2x4x4x8xf32>, but is declared as tensor<2x4x5x8xf32>
func.func @f(%x: tensor<2x6x6x4xf32>, %k: tensor<3x3x4x8xf32>) -> tensor<2x4x5x8xf32> {
  %0 = "stablehlo.convolution"(%x, %k) <{dimension_numbers = #stablehlo.conv<raw input_batch_dimension = 0, input_feature_dimension = 3, input_spatial_dimensions = [1, 2], kernel_input_feature_dimension = 2, kernel_output_feature_dimension = 3, kernel_spatial_dimensions = [0, 1], output_batch_dimension = 0, output_feature_dimension = 3, output_spatial_dimensions = [1, 2]>,
      feature_group_count = 1 : i64, batch_group_count = 1 : i64}>
      : (tensor<2x6x6x4xf32>, tensor<3x3x4x8xf32>) -> tensor<2x4x5x8xf32>
  return %0 : tensor<2x4x5x8xf32>
}

// case convolution_c26: convolution (C26): gives tensor<2x4x4x8xf32>, but is declared as tensor<2x4x4x8x1xf32>
func.func @f(%x: tensor<2x6x6x4xf32>, %k: tensor<3x3x4x8xf32>) -> tensor<2x4x4x8x1xf32> {
  %0 = "stablehlo.convolution"(%x, %k) <{dimension_numbers = #stablehlo.conv<raw input_batch_dimension = 0, input_feature_dimension = 3, input_spatial_dimensions = [1, 2], kernel_input_feature_dimension = 2, kernel_output_feature_dimension = 3, kernel_spatial_dimensions = [0, 1], output_batch_dimension = 0, output_feature_dimension = 3, output_spatial_dimensions = [1, 2]>,
      feature_group_count = 1 : i64, batch_group_count = 1 : i64}>
      : (tensor<2x6x6x4xf32>, tensor<3x3x4x8xf32>) -> tensor<2x4x4x8x1xf32>
  return %0 : tensor<2x4x4x8x1xf32>
}

// case convolution_c27: convolution (C27): element types of f32[2,6,6,4] and f64[3,3,4,8] differ
func.func @f(%x: tensor<2x6x6x4xf32>, %k: tensor<3x3x4x8xf64>) -> tensor<2x4x4x8xf32> {
  %0 = "stablehlo.convolution"(%x, %k) <{dimension_numbers = #stablehlo.conv<raw input_batch_dimension = 0, input_feature_dimension = 3, input_spatial_dimensions = [1, 2], kernel_input_feature_dimension = 2, kernel_output_feature_dimension = 3, kernel_spatial_dimensions = [0, 1], output_batch_dimension = 0, output_feature_dimension = 3, output_spatial_dimensions = [1, 2]>,
      feature_group_count = 1 : i64, batch_group_count = 1 : i64}>
      : (tensor<2x6x6x4xf32>, tensor<3x3x4x8xf64>) -> tensor<2x4x4x8xf32>
  return %0 : tensor<2x4x4x8xf32>
}

// case convolution_c27_result: convolution (C27): gives tensor<2x4x4x8xf32>, but is declared as tensor<2x4x4x8xi32>
func.func @f(%x: tensor<2x6x6x4xf32>, %k: tensor<3x3x4x8xf32>) -> tensor<2x4x4x8xi32> {
  %0 = "stablehlo.convolution"(%x, %k) <{dimension_numbers = #stablehlo.conv<raw input_batch_dimension = 0, input_feature_dimension = 3, input_spatial_dimensions = [1, 2], kernel_input_feature_dimension = 2, kernel_output_feature_dimension = 3, kernel_spatial_dimensions = [0, 1], output_batch_dimension = 0, output_feature_dimension = 3, output_spatial_dimensions = [1, 2]>,
      feature_group_count = 1 : i64, batch_group_count = 1 : i64}>
      : (tensor<2x6x6x4xf32>, tensor<3x3x4x8xf32>) -> tensor<2x4x4x8xi32>
  return %0 : tensor<2x4x4x8xi32>
}
