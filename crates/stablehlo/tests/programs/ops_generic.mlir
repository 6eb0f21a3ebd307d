"builtin.module"() <{sym_name = "ops"}> ({
  "func.func"() <{function_type = (tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xi32>, tensor<2x3xi32>, tensor<2x3xi1>) -> (tensor<2x3xf32>, tensor<2x3xi32>, tensor<2x3xi1>), sym_name = "elementwise", sym_visibility = "public"}> ({
  ^bb0(%arg36: tensor<2x3xf32>, %arg37: tensor<2x3xf32>, %arg38: tensor<2x3xi32>, %arg39: tensor<2x3xi32>, %arg40: tensor<2x3xi1>):
    %58 = "stablehlo.abs"(%arg36) : (tensor<2x3xf32>) -> tensor<2x3xf32>
    %59 = "stablehlo.cbrt"(%58) : (tensor<2x3xf32>) -> tensor<2x3xf32>
    %60 = "stablehlo.ceil"(%59) : (tensor<2x3xf32>) -> tensor<2x3xf32>
    %61 = "stablehlo.cosine"(%60) : (tensor<2x3xf32>) -> tensor<2x3xf32>
    %62 = "stablehlo.exponential"(%61) : (tensor<2x3xf32>) -> tensor<2x3xf32>
    %63 = "stablehlo.exponential_minus_one"(%62) : (tensor<2x3xf32>) -> tensor<2x3xf32>
    %64 = "stablehlo.floor"(%63) : (tensor<2x3xf32>) -> tensor<2x3xf32>
    %65 = "stablehlo.log"(%64) : (tensor<2x3xf32>) -> tensor<2x3xf32>
    %66 = "stablehlo.log_plus_one"(%65) : (tensor<2x3xf32>) -> tensor<2x3xf32>
    %67 = "stablehlo.logistic"(%66) : (tensor<2x3xf32>) -> tensor<2x3xf32>
    %68 = "stablehlo.negate"(%67) : (tensor<2x3xf32>) -> tensor<2x3xf32>
    %69 = "stablehlo.round_nearest_afz"(%68) : (tensor<2x3xf32>) -> tensor<2x3xf32>
    %70 = "stablehlo.round_nearest_even"(%69) : (tensor<2x3xf32>) -> tensor<2x3xf32>
    %71 = "stablehlo.rsqrt"(%70) : (tensor<2x3xf32>) -> tensor<2x3xf32>
    %72 = "stablehlo.sign"(%71) : (tensor<2x3xf32>) -> tensor<2x3xf32>
    %73 = "stablehlo.sine"(%72) : (tensor<2x3xf32>) -> tensor<2x3xf32>
    %74 = "stablehlo.sqrt"(%73) : (tensor<2x3xf32>) -> tensor<2x3xf32>
    %75 = "stablehlo.tan"(%74) : (tensor<2x3xf32>) -> tensor<2x3xf32>
    %76 = "stablehlo.tanh"(%75) : (tensor<2x3xf32>) -> tensor<2x3xf32>
    %77 = "chlo.erf"(%76) : (tensor<2x3xf32>) -> tensor<2x3xf32>
    %78 = "chlo.erfc"(%77) : (tensor<2x3xf32>) -> tensor<2x3xf32>
    %79 = "chlo.square"(%78) : (tensor<2x3xf32>) -> tensor<2x3xf32>
    %80 = "stablehlo.add"(%79, %arg37) : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
    %81 = "stablehlo.atan2"(%80, %arg37) : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
    %82 = "stablehlo.divide"(%81, %arg37) : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
    %83 = "stablehlo.maximum"(%82, %arg37) : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
    %84 = "stablehlo.minimum"(%83, %arg37) : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
    %85 = "stablehlo.multiply"(%84, %arg37) : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
    %86 = "stablehlo.power"(%85, %arg37) : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
    %87 = "stablehlo.remainder"(%86, %arg37) : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
    %88 = "stablehlo.subtract"(%87, %arg37) : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
    %89 = "stablehlo.and"(%arg38, %arg39) : (tensor<2x3xi32>, tensor<2x3xi32>) -> tensor<2x3xi32>
    %90 = "stablehlo.or"(%89, %arg39) : (tensor<2x3xi32>, tensor<2x3xi32>) -> tensor<2x3xi32>
    %91 = "stablehlo.xor"(%90, %arg39) : (tensor<2x3xi32>, tensor<2x3xi32>) -> tensor<2x3xi32>
    %92 = "stablehlo.shift_left"(%91, %arg39) : (tensor<2x3xi32>, tensor<2x3xi32>) -> tensor<2x3xi32>
    %93 = "stablehlo.shift_right_arithmetic"(%92, %arg39) : (tensor<2x3xi32>, tensor<2x3xi32>) -> tensor<2x3xi32>
    %94 = "stablehlo.shift_right_logical"(%93, %arg39) : (tensor<2x3xi32>, tensor<2x3xi32>) -> tensor<2x3xi32>
    %95 = "stablehlo.not"(%94) : (tensor<2x3xi32>) -> tensor<2x3xi32>
    %96 = "stablehlo.popcnt"(%95) : (tensor<2x3xi32>) -> tensor<2x3xi32>
    %97 = "stablehlo.count_leading_zeros"(%96) : (tensor<2x3xi32>) -> tensor<2x3xi32>
    %98 = "stablehlo.is_finite"(%88) : (tensor<2x3xf32>) -> tensor<2x3xi1>
    %99 = "stablehlo.compare"(%88, %arg37) <{comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xi1>
    %100 = "stablehlo.compare"(%88, %arg37) <{compare_type = #stablehlo<comparison_type TOTALORDER>, comparison_direction = #stablehlo<comparison_direction GE>}> : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xi1>
    %101 = "stablehlo.compare"(%97, %arg39) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction NE>}> : (tensor<2x3xi32>, tensor<2x3xi32>) -> tensor<2x3xi1>
    %102 = "stablehlo.and"(%98, %99) : (tensor<2x3xi1>, tensor<2x3xi1>) -> tensor<2x3xi1>
    %103 = "stablehlo.or"(%100, %101) : (tensor<2x3xi1>, tensor<2x3xi1>) -> tensor<2x3xi1>
    %104 = "stablehlo.xor"(%102, %103) : (tensor<2x3xi1>, tensor<2x3xi1>) -> tensor<2x3xi1>
    %105 = "stablehlo.select"(%104, %88, %arg37) : (tensor<2x3xi1>, tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
    %106 = "stablehlo.constant"() <{value = dense<-1.500000e+00> : tensor<f32>}> : () -> tensor<f32>
    %107 = "stablehlo.constant"() <{value = dense<2.500000e+00> : tensor<f32>}> : () -> tensor<f32>
    %108 = "stablehlo.clamp"(%106, %105, %107) : (tensor<f32>, tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf32>
    %109 = "stablehlo.clamp"(%108, %arg36, %arg37) : (tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
    %110 = "stablehlo.convert"(%109) : (tensor<2x3xf32>) -> tensor<2x3xbf16>
    %111 = "stablehlo.convert"(%110) : (tensor<2x3xbf16>) -> tensor<2x3xf32>
    "func.return"(%111, %97, %104) : (tensor<2x3xf32>, tensor<2x3xi32>, tensor<2x3xi1>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<4x6xf32>, tensor<i32>, tensor<f32>) -> (tensor<3x5xf32>, tensor<4x6xf32>, tensor<4x6xf32>), sym_name = "shapes", sym_visibility = "public"}> ({
  ^bb0(%arg33: tensor<4x6xf32>, %arg34: tensor<i32>, %arg35: tensor<f32>):
    %47 = "stablehlo.broadcast_in_dim"(%arg35) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<4x6xf32>
    %48 = "stablehlo.broadcast_in_dim"(%arg33) <{broadcast_dimensions = array<i64: 0, 2>}> : (tensor<4x6xf32>) -> tensor<4x2x6xf32>
    %49 = "stablehlo.reshape"(%48) : (tensor<4x2x6xf32>) -> tensor<8x6xf32>
    %50 = "stablehlo.transpose"(%49) <{permutation = array<i64: 1, 0>}> : (tensor<8x6xf32>) -> tensor<6x8xf32>
    %51 = "stablehlo.slice"(%50) <{limit_indices = array<i64: 6, 8>, start_indices = array<i64: 0, 1>, strides = array<i64: 1, 2>}> : (tensor<6x8xf32>) -> tensor<6x4xf32>
    %52 = "stablehlo.reverse"(%51) <{dimensions = array<i64: 0>}> : (tensor<6x4xf32>) -> tensor<6x4xf32>
    %53 = "stablehlo.concatenate"(%52, %51) <{dimension = 1 : i64}> : (tensor<6x4xf32>, tensor<6x4xf32>) -> tensor<6x8xf32>
    %54 = "stablehlo.pad"(%53, %arg35) <{edge_padding_high = array<i64: 0, 2>, edge_padding_low = array<i64: 1, -1>, interior_padding = array<i64: 0, 1>}> : (tensor<6x8xf32>, tensor<f32>) -> tensor<7x16xf32>
    %55 = "stablehlo.dynamic_slice"(%54, %arg34, %arg34) <{slice_sizes = array<i64: 3, 5>}> : (tensor<7x16xf32>, tensor<i32>, tensor<i32>) -> tensor<3x5xf32>
    %56 = "stablehlo.dynamic_update_slice"(%47, %arg33, %arg34, %arg34) : (tensor<4x6xf32>, tensor<4x6xf32>, tensor<i32>, tensor<i32>) -> tensor<4x6xf32>
    %57 = "stablehlo.iota"() <{iota_dimension = 1 : i64}> : () -> tensor<4x6xf32>
    "func.return"(%55, %56, %57) : (tensor<3x5xf32>, tensor<4x6xf32>, tensor<4x6xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<2x3x4xf32>, tensor<2x4x5xf32>, tensor<2x8x8x4xf32>, tensor<3x3x2x8xf32>, tensor<3x4xbf16>) -> (tensor<2x3x5xf32>, tensor<3x4x4x5xf32>, tensor<2x4x9x8xf32>, tensor<3x3xf32>), sym_name = "contractions", sym_visibility = "public"}> ({
  ^bb0(%arg28: tensor<2x3x4xf32>, %arg29: tensor<2x4x5xf32>, %arg30: tensor<2x8x8x4xf32>, %arg31: tensor<3x3x2x8xf32>, %arg32: tensor<3x4xbf16>):
    %41 = "stablehlo.dot_general"(%arg28, %arg29) <{dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [0], rhs_batching_dimensions = [0], lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [1]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision HIGHEST>]}> : (tensor<2x3x4xf32>, tensor<2x4x5xf32>) -> tensor<2x3x5xf32>
    %42 = "stablehlo.dot_general"(%arg28, %arg29) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [0], rhs_contracting_dimensions = [0]>}> : (tensor<2x3x4xf32>, tensor<2x4x5xf32>) -> tensor<3x4x4x5xf32>
    %43 = "stablehlo.convolution"(%arg30, %arg31) <{batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 2 : i64, lhs_dilation = array<i64: 1, 1>, padding = dense<[[1, 1], [-1, 2]]> : tensor<2x2xi64>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>], rhs_dilation = array<i64: 1, 1>, window_reversal = array<i1: false, true>, window_strides = array<i64: 2, 1>}> : (tensor<2x8x8x4xf32>, tensor<3x3x2x8xf32>) -> tensor<2x4x7x8xf32>
    %44 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %45 = "stablehlo.pad"(%43, %44) <{edge_padding_high = array<i64: 0, 0, 1, 0>, edge_padding_low = array<i64: 0, 0, 1, 0>, interior_padding = array<i64: 0, 0, 0, 0>}> : (tensor<2x4x7x8xf32>, tensor<f32>) -> tensor<2x4x9x8xf32>
    %46 = "stablehlo.dot_general"(%arg32, %arg32) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1]>}> : (tensor<3x4xbf16>, tensor<3x4xbf16>) -> tensor<3x3xf32>
    "func.return"(%41, %42, %45, %46) : (tensor<2x3x5xf32>, tensor<3x4x4x5xf32>, tensor<2x4x9x8xf32>, tensor<3x3xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<4x6xf32>, tensor<4x6xi32>, tensor<4x6xi1>, tensor<f32>) -> (tensor<4xf32>, tensor<6xf32>, tensor<f32>, tensor<4xi32>, tensor<4xi1>, tensor<4xi1>, tensor<4xf32>), sym_name = "reductions", sym_visibility = "public"}> ({
  ^bb0(%arg10: tensor<4x6xf32>, %arg11: tensor<4x6xi32>, %arg12: tensor<4x6xi1>, %arg13: tensor<f32>):
    %21 = "stablehlo.constant"() <{value = dense<-0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %22 = "stablehlo.constant"() <{value = dense<0xFF800000> : tensor<f32>}> : () -> tensor<f32>
    %23 = "stablehlo.constant"() <{value = dense<1.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %24 = "stablehlo.constant"() <{value = dense<2147483647> : tensor<i32>}> : () -> tensor<i32>
    %25 = "stablehlo.constant"() <{value = dense<true> : tensor<i1>}> : () -> tensor<i1>
    %26 = "stablehlo.constant"() <{value = dense<false> : tensor<i1>}> : () -> tensor<i1>
    %27 = "stablehlo.reduce"(%arg10, %21) <{dimensions = array<i64: 1>}> ({
    ^bb0(%arg26: tensor<f32>, %arg27: tensor<f32>):
      %40 = "stablehlo.add"(%arg26, %arg27) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%40) : (tensor<f32>) -> ()
    }) : (tensor<4x6xf32>, tensor<f32>) -> tensor<4xf32>
    %28 = "stablehlo.reduce"(%arg10, %22) <{dimensions = array<i64: 0>}> ({
    ^bb0(%arg24: tensor<f32>, %arg25: tensor<f32>):
      %39 = "stablehlo.maximum"(%arg24, %arg25) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%39) : (tensor<f32>) -> ()
    }) : (tensor<4x6xf32>, tensor<f32>) -> tensor<6xf32>
    %29 = "stablehlo.reduce"(%arg10, %23) <{dimensions = array<i64: 1, 0>}> ({
    ^bb0(%arg22: tensor<f32>, %arg23: tensor<f32>):
      %38 = "stablehlo.multiply"(%arg23, %arg22) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%38) : (tensor<f32>) -> ()
    }) : (tensor<4x6xf32>, tensor<f32>) -> tensor<f32>
    %30 = "stablehlo.reduce"(%arg11, %24) <{dimensions = array<i64: 1>}> ({
    ^bb0(%arg20: tensor<i32>, %arg21: tensor<i32>):
      %37 = "stablehlo.minimum"(%arg20, %arg21) : (tensor<i32>, tensor<i32>) -> tensor<i32>
      "stablehlo.return"(%37) : (tensor<i32>) -> ()
    }) : (tensor<4x6xi32>, tensor<i32>) -> tensor<4xi32>
    %31 = "stablehlo.reduce"(%arg12, %25) <{dimensions = array<i64: 1>}> ({
    ^bb0(%arg18: tensor<i1>, %arg19: tensor<i1>):
      %36 = "stablehlo.and"(%arg18, %arg19) : (tensor<i1>, tensor<i1>) -> tensor<i1>
      "stablehlo.return"(%36) : (tensor<i1>) -> ()
    }) : (tensor<4x6xi1>, tensor<i1>) -> tensor<4xi1>
    %32 = "stablehlo.reduce"(%arg12, %26) <{dimensions = array<i64: 1>}> ({
    ^bb0(%arg16: tensor<i1>, %arg17: tensor<i1>):
      %35 = "stablehlo.or"(%arg16, %arg17) : (tensor<i1>, tensor<i1>) -> tensor<i1>
      "stablehlo.return"(%35) : (tensor<i1>) -> ()
    }) : (tensor<4x6xi1>, tensor<i1>) -> tensor<4xi1>
    %33 = "stablehlo.reduce"(%arg10, %arg13) <{dimensions = array<i64: 1>}> ({
    ^bb0(%arg14: tensor<f32>, %arg15: tensor<f32>):
      %34 = "stablehlo.add"(%arg14, %arg15) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%34) : (tensor<f32>) -> ()
    }) : (tensor<4x6xf32>, tensor<f32>) -> tensor<4xf32>
    "func.return"(%27, %28, %29, %30, %31, %32, %33) : (tensor<4xf32>, tensor<6xf32>, tensor<f32>, tensor<4xi32>, tensor<4xi1>, tensor<4xi1>, tensor<4xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<10x3xf32>, tensor<4x1xi32>, tensor<4x3xf32>) -> (tensor<4x3xf32>, tensor<10x3xf32>, tensor<10x3xf32>), sym_name = "indexed", sym_visibility = "public"}> ({
  ^bb0(%arg3: tensor<10x3xf32>, %arg4: tensor<4x1xi32>, %arg5: tensor<4x3xf32>):
    %17 = "stablehlo.gather"(%arg3, %arg4) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = true, slice_sizes = array<i64: 1, 3>}> : (tensor<10x3xf32>, tensor<4x1xi32>) -> tensor<4x3xf32>
    %18 = "stablehlo.scatter"(%arg3, %arg4, %arg5) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = true}> ({
    ^bb0(%arg8: tensor<f32>, %arg9: tensor<f32>):
      %20 = "stablehlo.add"(%arg8, %arg9) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%20) : (tensor<f32>) -> ()
    }) : (tensor<10x3xf32>, tensor<4x1xi32>, tensor<4x3xf32>) -> tensor<10x3xf32>
    %19 = "stablehlo.scatter"(%18, %arg4, %arg5) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
    ^bb0(%arg6: tensor<f32>, %arg7: tensor<f32>):
      "stablehlo.return"(%arg7) : (tensor<f32>) -> ()
    }) : (tensor<10x3xf32>, tensor<4x1xi32>, tensor<4x3xf32>) -> tensor<10x3xf32>
    "func.return"(%17, %18, %19) : (tensor<4x3xf32>, tensor<10x3xf32>, tensor<10x3xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = () -> (tensor<2x2xf32>, tensor<3xf32>, tensor<2xi64>, tensor<4xi1>, tensor<40xf32>, tensor<0x2xf32>, tensor<2xui8>, tensor<2xf16>, tensor<bf16>, tensor<2xi4>, tensor<f8E4M3FN>, tensor<5xf64>), sym_name = "constants", sym_visibility = "public"}> ({
    %5 = "stablehlo.constant"() <{value = dense<[[1.000000e+00, -2.500000e+00], [3.000000e+00, 1.000000e-03]]> : tensor<2x2xf32>}> : () -> tensor<2x2xf32>
    %6 = "stablehlo.constant"() <{value = dense<[0x7F800000, 0x7FC00001, 9.99999974E-6]> : tensor<3xf32>}> : () -> tensor<3xf32>
    %7 = "stablehlo.constant"() <{value = dense<[-9223372036854775808, 9223372036854775807]> : tensor<2xi64>}> : () -> tensor<2xi64>
    %8 = "stablehlo.constant"() <{value = dense<[true, false, true, true]> : tensor<4xi1>}> : () -> tensor<4xi1>
    %9 = "stablehlo.constant"() <{value = dense<[0.000000e+00, 0.333333343, 0.666666686, 1.000000e+00, 1.33333337, 1.66666663, 2.000000e+00, 2.33333325, 2.66666675, 3.000000e+00, 3.33333325, 3.66666675, 4.000000e+00, 4.33333349, 4.66666651, 5.000000e+00, 5.33333349, 5.66666651, 6.000000e+00, 6.33333349, 6.66666651, 7.000000e+00, 7.33333349, 7.66666651, 8.000000e+00, 8.33333301, 8.66666698, 9.000000e+00, 9.33333301, 9.66666698, 1.000000e+01, 10.333333, 10.666667, 1.100000e+01, 11.333333, 11.666667, 1.200000e+01, 12.333333, 12.666667, 1.300000e+01]> : tensor<40xf32>}> : () -> tensor<40xf32>
    %10 = "stablehlo.constant"() <{value = dense<> : tensor<0x2xf32>}> : () -> tensor<0x2xf32>
    %11 = "stablehlo.constant"() <{value = dense<[255, 0]> : tensor<2xui8>}> : () -> tensor<2xui8>
    %12 = "stablehlo.constant"() <{value = dense<[0x7E00, 1.000000e+00]> : tensor<2xf16>}> : () -> tensor<2xf16>
    %13 = "stablehlo.constant"() <{value = dense<1.000980e-01> : tensor<bf16>}> : () -> tensor<bf16>
    %14 = "stablehlo.constant"() <{value = dense<[-8, 7]> : tensor<2xi4>}> : () -> tensor<2xi4>
    %15 = "stablehlo.constant"() <{value = dense<4.480000e+02> : tensor<f8E4M3FN>}> : () -> tensor<f8E4M3FN>
    %16 = "stablehlo.constant"() <{value = dense<3.1415926535897931> : tensor<5xf64>}> : () -> tensor<5xf64>
    "func.return"(%5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16) : (tensor<2x2xf32>, tensor<3xf32>, tensor<2xi64>, tensor<4xi1>, tensor<40xf32>, tensor<0x2xf32>, tensor<2xui8>, tensor<2xf16>, tensor<bf16>, tensor<2xi4>, tensor<f8E4M3FN>, tensor<5xf64>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>), sym_name = "calls", sym_visibility = "public"}> ({
  ^bb0(%arg2: tensor<3xf32>):
    %2:2 = "func.call"(%arg2) <{callee = @pair}> : (tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>)
    %3 = "stablehlo.composite"(%2#1) <{composite_attributes = {k = 2 : i64}, decomposition = @double, name = "my.double", version = 1 : i32}> : (tensor<3xf32>) -> tensor<3xf32>
    %4:2 = "stablehlo.optimization_barrier"(%3, %2#0) : (tensor<3xf32>, tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>)
    "func.return"(%4#1, %4#0) : (tensor<3xf32>, tensor<3xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>), sym_name = "pair", sym_visibility = "private"}> ({
  ^bb0(%arg1: tensor<3xf32>):
    %1 = "func.call"(%arg1) <{callee = @double}> : (tensor<3xf32>) -> tensor<3xf32>
    "func.return"(%arg1, %1) : (tensor<3xf32>, tensor<3xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<3xf32>) -> tensor<3xf32>, sym_name = "double", sym_visibility = "private"}> ({
  ^bb0(%arg0: tensor<3xf32>):
    %0 = "stablehlo.add"(%arg0, %arg0) : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
    "func.return"(%0) : (tensor<3xf32>) -> ()
  }) : () -> ()
}) : () -> ()
