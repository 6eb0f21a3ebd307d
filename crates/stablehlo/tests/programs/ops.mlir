module @ops {
  func.func public @elementwise(%arg0: tensor<2x3xf32>, %arg1: tensor<2x3xf32>, %arg2: tensor<2x3xi32>, %arg3: tensor<2x3xi32>, %arg4: tensor<2x3xi1>) -> (tensor<2x3xf32>, tensor<2x3xi32>, tensor<2x3xi1>) {
    %0 = stablehlo.abs %arg0 : tensor<2x3xf32>
    %1 = stablehlo.cbrt %0 : tensor<2x3xf32>
    %2 = stablehlo.ceil %1 : tensor<2x3xf32>
    %3 = stablehlo.cosine %2 : tensor<2x3xf32>
    %4 = stablehlo.exponential %3 : tensor<2x3xf32>
    %5 = stablehlo.exponential_minus_one %4 : tensor<2x3xf32>
    %6 = stablehlo.floor %5 : tensor<2x3xf32>
    %7 = stablehlo.log %6 : tensor<2x3xf32>
    %8 = stablehlo.log_plus_one %7 : tensor<2x3xf32>
    %9 = stablehlo.logistic %8 : tensor<2x3xf32>
    %10 = stablehlo.negate %9 : tensor<2x3xf32>
    %11 = stablehlo.round_nearest_afz %10 : tensor<2x3xf32>
    %12 = stablehlo.round_nearest_even %11 : tensor<2x3xf32>
    %13 = stablehlo.rsqrt %12 : tensor<2x3xf32>
    %14 = stablehlo.sign %13 : tensor<2x3xf32>
    %15 = stablehlo.sine %14 : tensor<2x3xf32>
    %16 = stablehlo.sqrt %15 : tensor<2x3xf32>
    %17 = stablehlo.tan %16 : tensor<2x3xf32>
    %18 = stablehlo.tanh %17 : tensor<2x3xf32>
    %19 = chlo.erf %18 : tensor<2x3xf32> -> tensor<2x3xf32>
    %20 = chlo.erfc %19 : tensor<2x3xf32> -> tensor<2x3xf32>
    %21 = chlo.square %20 : tensor<2x3xf32> -> tensor<2x3xf32>
    %22 = stablehlo.add %21, %arg1 : tensor<2x3xf32>
    %23 = stablehlo.atan2 %22, %arg1 : tensor<2x3xf32>
    %24 = stablehlo.divide %23, %arg1 : tensor<2x3xf32>
    %25 = stablehlo.maximum %24, %arg1 : tensor<2x3xf32>
    %26 = stablehlo.minimum %25, %arg1 : tensor<2x3xf32>
    %27 = stablehlo.multiply %26, %arg1 : tensor<2x3xf32>
    %28 = stablehlo.power %27, %arg1 : tensor<2x3xf32>
    %29 = stablehlo.remainder %28, %arg1 : tensor<2x3xf32>
    %30 = stablehlo.subtract %29, %arg1 : tensor<2x3xf32>
    %31 = stablehlo.and %arg2, %arg3 : tensor<2x3xi32>
    %32 = stablehlo.or %31, %arg3 : tensor<2x3xi32>
    %33 = stablehlo.xor %32, %arg3 : tensor<2x3xi32>
    %34 = stablehlo.shift_left %33, %arg3 : tensor<2x3xi32>
    %35 = stablehlo.shift_right_arithmetic %34, %arg3 : tensor<2x3xi32>
    %36 = stablehlo.shift_right_logical %35, %arg3 : tensor<2x3xi32>
    %37 = stablehlo.not %36 : tensor<2x3xi32>
    %38 = stablehlo.popcnt %37 : tensor<2x3xi32>
    %39 = stablehlo.count_leading_zeros %38 : tensor<2x3xi32>
    %40 = stablehlo.is_finite %30 : (tensor<2x3xf32>) -> tensor<2x3xi1>
    %41 = stablehlo.compare LT, %30, %arg1 : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xi1>
    %42 = stablehlo.compare GE, %30, %arg1, TOTALORDER : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xi1>
    %43 = stablehlo.compare NE, %39, %arg3, SIGNED : (tensor<2x3xi32>, tensor<2x3xi32>) -> tensor<2x3xi1>
    %44 = stablehlo.and %40, %41 : tensor<2x3xi1>
    %45 = stablehlo.or %42, %43 : tensor<2x3xi1>
    %46 = stablehlo.xor %44, %45 : tensor<2x3xi1>
    %47 = stablehlo.select %46, %30, %arg1 : tensor<2x3xi1>, tensor<2x3xf32>
    %cst = stablehlo.constant dense<-1.500000e+00> : tensor<f32>
    %cst_0 = stablehlo.constant dense<2.500000e+00> : tensor<f32>
    %48 = stablehlo.clamp %cst, %47, %cst_0 : (tensor<f32>, tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf32>
    %49 = stablehlo.clamp %48, %arg0, %arg1 : tensor<2x3xf32>
    %50 = stablehlo.convert %49 : (tensor<2x3xf32>) -> tensor<2x3xbf16>
    %51 = stablehlo.convert %50 : (tensor<2x3xbf16>) -> tensor<2x3xf32>
    return %51, %39, %46 : tensor<2x3xf32>, tensor<2x3xi32>, tensor<2x3xi1>
  }
  func.func public @shapes(%arg0: tensor<4x6xf32>, %arg1: tensor<i32>, %arg2: tensor<f32>) -> (tensor<3x5xf32>, tensor<4x6xf32>, tensor<4x6xf32>) {
    %0 = stablehlo.broadcast_in_dim %arg2, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
    %1 = stablehlo.broadcast_in_dim %arg0, dims = [0, 2] : (tensor<4x6xf32>) -> tensor<4x2x6xf32>
    %2 = stablehlo.reshape %1 : (tensor<4x2x6xf32>) -> tensor<8x6xf32>
    %3 = stablehlo.transpose %2, dims = [1, 0] : (tensor<8x6xf32>) -> tensor<6x8xf32>
    %4 = stablehlo.slice %3 [0:6, 1:8:2] : (tensor<6x8xf32>) -> tensor<6x4xf32>
    %5 = stablehlo.reverse %4, dims = [0] : tensor<6x4xf32>
    %6 = stablehlo.concatenate %5, %4, dim = 1 : (tensor<6x4xf32>, tensor<6x4xf32>) -> tensor<6x8xf32>
    %7 = stablehlo.pad %6, %arg2, low = [1, -1], high = [0, 2], interior = [0, 1] : (tensor<6x8xf32>, tensor<f32>) -> tensor<7x16xf32>
    %8 = stablehlo.dynamic_slice %7, %arg1, %arg1, sizes = [3, 5] : (tensor<7x16xf32>, tensor<i32>, tensor<i32>) -> tensor<3x5xf32>
    %9 = stablehlo.dynamic_update_slice %0, %arg0, %arg1, %arg1 : (tensor<4x6xf32>, tensor<4x6xf32>, tensor<i32>, tensor<i32>) -> tensor<4x6xf32>
    %10 = stablehlo.iota dim = 1 : tensor<4x6xf32>
    return %8, %9, %10 : tensor<3x5xf32>, tensor<4x6xf32>, tensor<4x6xf32>
  }
  func.func public @contractions(%arg0: tensor<2x3x4xf32>, %arg1: tensor<2x4x5xf32>, %arg2: tensor<2x8x8x4xf32>, %arg3: tensor<3x3x2x8xf32>, %arg4: tensor<3x4xbf16>) -> (tensor<2x3x5xf32>, tensor<3x4x4x5xf32>, tensor<2x4x9x8xf32>, tensor<3x3xf32>) {
    %0 = stablehlo.dot_general %arg0, %arg1, batching_dims = [0] x [0], contracting_dims = [2] x [1], precision = [DEFAULT, HIGHEST] : (tensor<2x3x4xf32>, tensor<2x4x5xf32>) -> tensor<2x3x5xf32>
    %1 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [0] x [0] : (tensor<2x3x4xf32>, tensor<2x4x5xf32>) -> tensor<3x4x4x5xf32>
    %2 = stablehlo.convolution(%arg2, %arg3) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [2, 1], pad = [[1, 1], [-1, 2]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, true]} {batch_group_count = 1 : i64, feature_group_count = 2 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<2x8x8x4xf32>, tensor<3x3x2x8xf32>) -> tensor<2x4x7x8xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %3 = stablehlo.pad %2, %cst, low = [0, 0, 1, 0], high = [0, 0, 1, 0], interior = [0, 0, 0, 0] : (tensor<2x4x7x8xf32>, tensor<f32>) -> tensor<2x4x9x8xf32>
    %4 = stablehlo.dot_general %arg4, %arg4, contracting_dims = [1] x [1] : (tensor<3x4xbf16>, tensor<3x4xbf16>) -> tensor<3x3xf32>
    return %0, %1, %3, %4 : tensor<2x3x5xf32>, tensor<3x4x4x5xf32>, tensor<2x4x9x8xf32>, tensor<3x3xf32>
  }
  func.func public @reductions(%arg0: tensor<4x6xf32>, %arg1: tensor<4x6xi32>, %arg2: tensor<4x6xi1>, %arg3: tensor<f32>) -> (tensor<4xf32>, tensor<6xf32>, tensor<f32>, tensor<4xi32>, tensor<4xi1>, tensor<4xi1>, tensor<4xf32>) {
    %cst = stablehlo.constant dense<-0.000000e+00> : tensor<f32>
    %cst_0 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %cst_1 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %c = stablehlo.constant dense<2147483647> : tensor<i32>
    %c_2 = stablehlo.constant dense<true> : tensor<i1>
    %c_3 = stablehlo.constant dense<false> : tensor<i1>
    %0 = stablehlo.reduce(%arg0 init: %cst) applies stablehlo.add across dimensions = [1] : (tensor<4x6xf32>, tensor<f32>) -> tensor<4xf32>
    %1 = stablehlo.reduce(%arg0 init: %cst_0) applies stablehlo.maximum across dimensions = [0] : (tensor<4x6xf32>, tensor<f32>) -> tensor<6xf32>
    %2 = stablehlo.reduce(%arg0 init: %cst_1) across dimensions = [1, 0] : (tensor<4x6xf32>, tensor<f32>) -> tensor<f32>
     reducer(%arg4: tensor<f32>, %arg5: tensor<f32>)  {
      %7 = stablehlo.multiply %arg5, %arg4 : tensor<f32>
      stablehlo.return %7 : tensor<f32>
    }
    %3 = stablehlo.reduce(%arg1 init: %c) applies stablehlo.minimum across dimensions = [1] : (tensor<4x6xi32>, tensor<i32>) -> tensor<4xi32>
    %4 = stablehlo.reduce(%arg2 init: %c_2) applies stablehlo.and across dimensions = [1] : (tensor<4x6xi1>, tensor<i1>) -> tensor<4xi1>
    %5 = stablehlo.reduce(%arg2 init: %c_3) applies stablehlo.or across dimensions = [1] : (tensor<4x6xi1>, tensor<i1>) -> tensor<4xi1>
    %6 = stablehlo.reduce(%arg0 init: %arg3) applies stablehlo.add across dimensions = [1] : (tensor<4x6xf32>, tensor<f32>) -> tensor<4xf32>
    return %0, %1, %2, %3, %4, %5, %6 : tensor<4xf32>, tensor<6xf32>, tensor<f32>, tensor<4xi32>, tensor<4xi1>, tensor<4xi1>, tensor<4xf32>
  }
  func.func public @indexed(%arg0: tensor<10x3xf32>, %arg1: tensor<4x1xi32>, %arg2: tensor<4x3xf32>) -> (tensor<4x3xf32>, tensor<10x3xf32>, tensor<10x3xf32>) {
    %0 = "stablehlo.gather"(%arg0, %arg1) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = true, slice_sizes = array<i64: 1, 3>}> : (tensor<10x3xf32>, tensor<4x1xi32>) -> tensor<4x3xf32>
    %1 = "stablehlo.scatter"(%arg0, %arg1, %arg2) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = true}> ({
    ^bb0(%arg3: tensor<f32>, %arg4: tensor<f32>):
      %3 = stablehlo.add %arg3, %arg4 : tensor<f32>
      stablehlo.return %3 : tensor<f32>
    }) : (tensor<10x3xf32>, tensor<4x1xi32>, tensor<4x3xf32>) -> tensor<10x3xf32>
    %2 = "stablehlo.scatter"(%1, %arg1, %arg2) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
    ^bb0(%arg3: tensor<f32>, %arg4: tensor<f32>):
      stablehlo.return %arg4 : tensor<f32>
    }) : (tensor<10x3xf32>, tensor<4x1xi32>, tensor<4x3xf32>) -> tensor<10x3xf32>
    return %0, %1, %2 : tensor<4x3xf32>, tensor<10x3xf32>, tensor<10x3xf32>
  }
  func.func public @constants() -> (tensor<2x2xf32>, tensor<3xf32>, tensor<2xi64>, tensor<4xi1>, tensor<40xf32>, tensor<0x2xf32>, tensor<2xui8>, tensor<2xf16>, tensor<bf16>, tensor<2xi4>, tensor<f8E4M3FN>, tensor<5xf64>) {
    %cst = stablehlo.constant dense<[[1.000000e+00, -2.500000e+00], [3.000000e+00, 1.000000e-03]]> : tensor<2x2xf32>
    %cst_0 = stablehlo.constant dense<[0x7F800000, 0x7FC00001, 9.99999974E-6]> : tensor<3xf32>
    %c = stablehlo.constant dense<[-9223372036854775808, 9223372036854775807]> : tensor<2xi64>
    %c_1 = stablehlo.constant dense<[true, false, true, true]> : tensor<4xi1>
    %cst_2 = stablehlo.constant dense<[0.000000e+00, 0.333333343, 0.666666686, 1.000000e+00, 1.33333337, 1.66666663, 2.000000e+00, 2.33333325, 2.66666675, 3.000000e+00, 3.33333325, 3.66666675, 4.000000e+00, 4.33333349, 4.66666651, 5.000000e+00, 5.33333349, 5.66666651, 6.000000e+00, 6.33333349, 6.66666651, 7.000000e+00, 7.33333349, 7.66666651, 8.000000e+00, 8.33333301, 8.66666698, 9.000000e+00, 9.33333301, 9.66666698, 1.000000e+01, 10.333333, 10.666667, 1.100000e+01, 11.333333, 11.666667, 1.200000e+01, 12.333333, 12.666667, 1.300000e+01]> : tensor<40xf32>
    %cst_3 = stablehlo.constant dense<> : tensor<0x2xf32>
    %c_4 = stablehlo.constant dense<[255, 0]> : tensor<2xui8>
    %cst_5 = stablehlo.constant dense<[0x7E00, 1.000000e+00]> : tensor<2xf16>
    %cst_6 = stablehlo.constant dense<1.000980e-01> : tensor<bf16>
    %c_7 = stablehlo.constant dense<[-8, 7]> : tensor<2xi4>
    %cst_8 = stablehlo.constant dense<4.480000e+02> : tensor<f8E4M3FN>
    %cst_9 = stablehlo.constant dense<3.1415926535897931> : tensor<5xf64>
    return %cst, %cst_0, %c, %c_1, %cst_2, %cst_3, %c_4, %cst_5, %cst_6, %c_7, %cst_8, %cst_9 : tensor<2x2xf32>, tensor<3xf32>, tensor<2xi64>, tensor<4xi1>, tensor<40xf32>, tensor<0x2xf32>, tensor<2xui8>, tensor<2xf16>, tensor<bf16>, tensor<2xi4>, tensor<f8E4M3FN>, tensor<5xf64>
  }
  func.func public @calls(%arg0: tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>) {
    %0:2 = call @pair(%arg0) : (tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>)
    %1 = stablehlo.composite "my.double" %0#1 {composite_attributes = {k = 2 : i64}, decomposition = @double, version = 1 : i32} : (tensor<3xf32>) -> tensor<3xf32>
    %2:2 = stablehlo.optimization_barrier %1, %0#0 : tensor<3xf32>, tensor<3xf32>
    return %2#1, %2#0 : tensor<3xf32>, tensor<3xf32>
  }
  func.func private @pair(%arg0: tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>) {
    %0 = call @double(%arg0) : (tensor<3xf32>) -> tensor<3xf32>
    return %arg0, %0 : tensor<3xf32>, tensor<3xf32>
  }
  func.func private @double(%arg0: tensor<3xf32>) -> tensor<3xf32> {
    %0 = stablehlo.add %arg0, %arg0 : tensor<3xf32>
    return %0 : tensor<3xf32>
  }
}
