module @ops {
  func.func public @elementwise(%arg0: tensor<2x3xf32>, %arg1: tensor<2x3xf32>, %arg2: tensor<2x3xi32>, %arg3: tensor<2x3xi32>, %arg4: tensor<2x3xi1>) -> (tensor<2x3xf32>, tensor<2x3xi32>, tensor<2x3xi1>) {
    %cst = stablehlo.constant dense<1.12837911> : tensor<2x3xf32>
    %cst_0 = stablehlo.constant dense<-0.37612626> : tensor<2x3xf32>
    %cst_1 = stablehlo.constant dense<0.112835854> : tensor<2x3xf32>
    %cst_2 = stablehlo.constant dense<-0.0268538129> : tensor<2x3xf32>
    %cst_3 = stablehlo.constant dense<0.00518832775> : tensor<2x3xf32>
    %cst_4 = stablehlo.constant dense<-8.0101937E-4> : tensor<2x3xf32>
    %cst_5 = stablehlo.constant dense<7.85386146E-5> : tensor<2x3xf32>
    %cst_6 = stablehlo.constant dense<0.000000e+00> : tensor<2x3xf32>
    %cst_7 = stablehlo.constant dense<-88.7228394> : tensor<2x3xf32>
    %cst_8 = stablehlo.constant dense<0.564189494> : tensor<2x3xf32>
    %cst_9 = stablehlo.constant dense<-0.282076746> : tensor<2x3xf32>
    %cst_10 = stablehlo.constant dense<0.42184633> : tensor<2x3xf32>
    %cst_11 = stablehlo.constant dense<-1.01526523> : tensor<2x3xf32>
    %cst_12 = stablehlo.constant dense<2.92101908> : tensor<2x3xf32>
    %cst_13 = stablehlo.constant dense<-7.49551868> : tensor<2x3xf32>
    %cst_14 = stablehlo.constant dense<1.297720e+01> : tensor<2x3xf32>
    %cst_15 = stablehlo.constant dense<-10.477664> : tensor<2x3xf32>
    %cst_16 = stablehlo.constant dense<0.563825965> : tensor<2x3xf32>
    %cst_17 = stablehlo.constant dense<-0.274112701> : tensor<2x3xf32>
    %cst_18 = stablehlo.constant dense<3.404880e-01> : tensor<2x3xf32>
    %cst_19 = stablehlo.constant dense<-0.494451523> : tensor<2x3xf32>
    %cst_20 = stablehlo.constant dense<0.621000468> : tensor<2x3xf32>
    %cst_21 = stablehlo.constant dense<-0.582473278> : tensor<2x3xf32>
    %cst_22 = stablehlo.constant dense<0.368742466> : tensor<2x3xf32>
    %cst_23 = stablehlo.constant dense<-0.138703942> : tensor<2x3xf32>
    %cst_24 = stablehlo.constant dense<2.326820e-02> : tensor<2x3xf32>
    %cst_25 = stablehlo.constant dense<2.000000e+00> : tensor<2x3xf32>
    %cst_26 = stablehlo.constant dense<1.000000e+00> : tensor<2x3xf32>
    %cst_27 = stablehlo.constant dense<2.500000e+00> : tensor<f32>
    %cst_28 = stablehlo.constant dense<-1.500000e+00> : tensor<f32>
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
    %19 = stablehlo.composite "chlo.erf" %18 {decomposition = @chlo.erf.impl, version = 1 : i32} : (tensor<2x3xf32>) -> tensor<2x3xf32>
    %20 = stablehlo.multiply %19, %19 : tensor<2x3xf32>
    %21 = stablehlo.negate %20 : tensor<2x3xf32>
    %22 = stablehlo.abs %19 : tensor<2x3xf32>
    %23 = stablehlo.divide %cst_26, %20 : tensor<2x3xf32>
    %24 = stablehlo.exponential %21 : tensor<2x3xf32>
    %25 = stablehlo.divide %cst_26, %22 : tensor<2x3xf32>
    %26 = stablehlo.multiply %24, %25 : tensor<2x3xf32>
    %27 = stablehlo.compare LT, %22, %cst_25 : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xi1>
    %28 = stablehlo.multiply %cst_24, %23 : tensor<2x3xf32>
    %29 = stablehlo.add %28, %cst_23 : tensor<2x3xf32>
    %30 = stablehlo.multiply %29, %23 : tensor<2x3xf32>
    %31 = stablehlo.add %30, %cst_22 : tensor<2x3xf32>
    %32 = stablehlo.multiply %31, %23 : tensor<2x3xf32>
    %33 = stablehlo.add %32, %cst_21 : tensor<2x3xf32>
    %34 = stablehlo.multiply %33, %23 : tensor<2x3xf32>
    %35 = stablehlo.add %34, %cst_20 : tensor<2x3xf32>
    %36 = stablehlo.multiply %35, %23 : tensor<2x3xf32>
    %37 = stablehlo.add %36, %cst_19 : tensor<2x3xf32>
    %38 = stablehlo.multiply %37, %23 : tensor<2x3xf32>
    %39 = stablehlo.add %38, %cst_18 : tensor<2x3xf32>
    %40 = stablehlo.multiply %39, %23 : tensor<2x3xf32>
    %41 = stablehlo.add %40, %cst_17 : tensor<2x3xf32>
    %42 = stablehlo.multiply %41, %23 : tensor<2x3xf32>
    %43 = stablehlo.add %42, %cst_16 : tensor<2x3xf32>
    %44 = stablehlo.multiply %cst_15, %23 : tensor<2x3xf32>
    %45 = stablehlo.add %44, %cst_14 : tensor<2x3xf32>
    %46 = stablehlo.multiply %45, %23 : tensor<2x3xf32>
    %47 = stablehlo.add %46, %cst_13 : tensor<2x3xf32>
    %48 = stablehlo.multiply %47, %23 : tensor<2x3xf32>
    %49 = stablehlo.add %48, %cst_12 : tensor<2x3xf32>
    %50 = stablehlo.multiply %49, %23 : tensor<2x3xf32>
    %51 = stablehlo.add %50, %cst_11 : tensor<2x3xf32>
    %52 = stablehlo.multiply %51, %23 : tensor<2x3xf32>
    %53 = stablehlo.add %52, %cst_10 : tensor<2x3xf32>
    %54 = stablehlo.multiply %53, %23 : tensor<2x3xf32>
    %55 = stablehlo.add %54, %cst_9 : tensor<2x3xf32>
    %56 = stablehlo.multiply %55, %23 : tensor<2x3xf32>
    %57 = stablehlo.add %56, %cst_8 : tensor<2x3xf32>
    %58 = stablehlo.select %27, %43, %57 : tensor<2x3xi1>, tensor<2x3xf32>
    %59 = stablehlo.multiply %26, %58 : tensor<2x3xf32>
    %60 = stablehlo.compare LT, %21, %cst_7 : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xi1>
    %61 = stablehlo.select %60, %cst_6, %59 : tensor<2x3xi1>, tensor<2x3xf32>
    %62 = stablehlo.compare LT, %19, %cst_6 : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xi1>
    %63 = stablehlo.subtract %cst_25, %61 : tensor<2x3xf32>
    %64 = stablehlo.select %62, %63, %61 : tensor<2x3xi1>, tensor<2x3xf32>
    %65 = stablehlo.multiply %19, %19 : tensor<2x3xf32>
    %66 = stablehlo.multiply %cst_5, %65 : tensor<2x3xf32>
    %67 = stablehlo.add %66, %cst_4 : tensor<2x3xf32>
    %68 = stablehlo.multiply %67, %65 : tensor<2x3xf32>
    %69 = stablehlo.add %68, %cst_3 : tensor<2x3xf32>
    %70 = stablehlo.multiply %69, %65 : tensor<2x3xf32>
    %71 = stablehlo.add %70, %cst_2 : tensor<2x3xf32>
    %72 = stablehlo.multiply %71, %65 : tensor<2x3xf32>
    %73 = stablehlo.add %72, %cst_1 : tensor<2x3xf32>
    %74 = stablehlo.multiply %73, %65 : tensor<2x3xf32>
    %75 = stablehlo.add %74, %cst_0 : tensor<2x3xf32>
    %76 = stablehlo.multiply %75, %65 : tensor<2x3xf32>
    %77 = stablehlo.add %76, %cst : tensor<2x3xf32>
    %78 = stablehlo.multiply %19, %77 : tensor<2x3xf32>
    %79 = stablehlo.subtract %cst_26, %78 : tensor<2x3xf32>
    %80 = stablehlo.abs %19 : tensor<2x3xf32>
    %81 = stablehlo.compare LT, %80, %cst_26 : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xi1>
    %82 = stablehlo.select %81, %79, %64 : tensor<2x3xi1>, tensor<2x3xf32>
    %83 = stablehlo.multiply %82, %82 : tensor<2x3xf32>
    %84 = stablehlo.add %83, %arg1 : tensor<2x3xf32>
    %85 = stablehlo.atan2 %84, %arg1 : tensor<2x3xf32>
    %86 = stablehlo.divide %85, %arg1 : tensor<2x3xf32>
    %87 = stablehlo.maximum %86, %arg1 : tensor<2x3xf32>
    %88 = stablehlo.minimum %87, %arg1 : tensor<2x3xf32>
    %89 = stablehlo.multiply %88, %arg1 : tensor<2x3xf32>
    %90 = stablehlo.power %89, %arg1 : tensor<2x3xf32>
    %91 = stablehlo.remainder %90, %arg1 : tensor<2x3xf32>
    %92 = stablehlo.subtract %91, %arg1 : tensor<2x3xf32>
    %93 = stablehlo.and %arg2, %arg3 : tensor<2x3xi32>
    %94 = stablehlo.or %93, %arg3 : tensor<2x3xi32>
    %95 = stablehlo.xor %94, %arg3 : tensor<2x3xi32>
    %96 = stablehlo.shift_left %95, %arg3 : tensor<2x3xi32>
    %97 = stablehlo.shift_right_arithmetic %96, %arg3 : tensor<2x3xi32>
    %98 = stablehlo.shift_right_logical %97, %arg3 : tensor<2x3xi32>
    %99 = stablehlo.not %98 : tensor<2x3xi32>
    %100 = stablehlo.popcnt %99 : tensor<2x3xi32>
    %101 = stablehlo.count_leading_zeros %100 : tensor<2x3xi32>
    %102 = stablehlo.is_finite %92 : (tensor<2x3xf32>) -> tensor<2x3xi1>
    %103 = stablehlo.compare LT, %92, %arg1 : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xi1>
    %104 = stablehlo.compare GE, %92, %arg1, TOTALORDER : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xi1>
    %105 = stablehlo.compare NE, %101, %arg3, SIGNED : (tensor<2x3xi32>, tensor<2x3xi32>) -> tensor<2x3xi1>
    %106 = stablehlo.and %102, %103 : tensor<2x3xi1>
    %107 = stablehlo.or %104, %105 : tensor<2x3xi1>
    %108 = stablehlo.xor %106, %107 : tensor<2x3xi1>
    %109 = stablehlo.select %108, %92, %arg1 : tensor<2x3xi1>, tensor<2x3xf32>
    %110 = stablehlo.clamp %cst_28, %109, %cst_27 : (tensor<f32>, tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf32>
    %111 = stablehlo.clamp %110, %arg0, %arg1 : tensor<2x3xf32>
    %112 = stablehlo.convert %111 : (tensor<2x3xf32>) -> tensor<2x3xbf16>
    %113 = stablehlo.convert %112 : (tensor<2x3xbf16>) -> tensor<2x3xf32>
    return %113, %101, %108 : tensor<2x3xf32>, tensor<2x3xi32>, tensor<2x3xi1>
  }
  func.func private @chlo.erf.impl(%arg0: tensor<2x3xf32>) -> tensor<2x3xf32> {
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<2x3xf32>
    %cst_0 = stablehlo.constant dense<-1.000000e+00> : tensor<2x3xf32>
    %cst_1 = stablehlo.constant dense<-0.0142647391> : tensor<2x3xf32>
    %cst_2 = stablehlo.constant dense<-0.00737332925> : tensor<2x3xf32>
    %cst_3 = stablehlo.constant dense<-0.00168282702> : tensor<2x3xf32>
    %cst_4 = stablehlo.constant dense<-2.13374049E-4> : tensor<2x3xf32>
    %cst_5 = stablehlo.constant dense<-1.45660715E-5> : tensor<2x3xf32>
    %cst_6 = stablehlo.constant dense<-0.0160960332> : tensor<2x3xf32>
    %cst_7 = stablehlo.constant dense<-2.954600e-03> : tensor<2x3xf32>
    %cst_8 = stablehlo.constant dense<-7.34990637E-4> : tensor<2x3xf32>
    %cst_9 = stablehlo.constant dense<-5.69250624E-5> : tensor<2x3xf32>
    %cst_10 = stablehlo.constant dense<-2.10102394E-6> : tensor<2x3xf32>
    %cst_11 = stablehlo.constant dense<2.77068146E-8> : tensor<2x3xf32>
    %cst_12 = stablehlo.constant dense<-2.72614237E-10> : tensor<2x3xf32>
    %cst_13 = stablehlo.constant dense<-4.000000e+00> : tensor<2x3xf32>
    %cst_14 = stablehlo.constant dense<4.000000e+00> : tensor<2x3xf32>
    %0 = stablehlo.clamp %cst_13, %arg0, %cst_14 : tensor<2x3xf32>
    %1 = stablehlo.multiply %0, %0 : tensor<2x3xf32>
    %2 = stablehlo.multiply %cst_12, %1 : tensor<2x3xf32>
    %3 = stablehlo.add %2, %cst_11 : tensor<2x3xf32>
    %4 = stablehlo.multiply %3, %1 : tensor<2x3xf32>
    %5 = stablehlo.add %4, %cst_10 : tensor<2x3xf32>
    %6 = stablehlo.multiply %5, %1 : tensor<2x3xf32>
    %7 = stablehlo.add %6, %cst_9 : tensor<2x3xf32>
    %8 = stablehlo.multiply %7, %1 : tensor<2x3xf32>
    %9 = stablehlo.add %8, %cst_8 : tensor<2x3xf32>
    %10 = stablehlo.multiply %9, %1 : tensor<2x3xf32>
    %11 = stablehlo.add %10, %cst_7 : tensor<2x3xf32>
    %12 = stablehlo.multiply %11, %1 : tensor<2x3xf32>
    %13 = stablehlo.add %12, %cst_6 : tensor<2x3xf32>
    %14 = stablehlo.multiply %cst_5, %1 : tensor<2x3xf32>
    %15 = stablehlo.add %14, %cst_4 : tensor<2x3xf32>
    %16 = stablehlo.multiply %15, %1 : tensor<2x3xf32>
    %17 = stablehlo.add %16, %cst_3 : tensor<2x3xf32>
    %18 = stablehlo.multiply %17, %1 : tensor<2x3xf32>
    %19 = stablehlo.add %18, %cst_2 : tensor<2x3xf32>
    %20 = stablehlo.multiply %19, %1 : tensor<2x3xf32>
    %21 = stablehlo.add %20, %cst_1 : tensor<2x3xf32>
    %22 = stablehlo.multiply %0, %13 : tensor<2x3xf32>
    %23 = stablehlo.divide %22, %21 : tensor<2x3xf32>
    %24 = stablehlo.clamp %cst_0, %23, %cst : tensor<2x3xf32>
    return %24 : tensor<2x3xf32>
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
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.dot_general %arg0, %arg1, batching_dims = [0] x [0], contracting_dims = [2] x [1], precision = [DEFAULT, HIGHEST] : (tensor<2x3x4xf32>, tensor<2x4x5xf32>) -> tensor<2x3x5xf32>
    %1 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [0] x [0] : (tensor<2x3x4xf32>, tensor<2x4x5xf32>) -> tensor<3x4x4x5xf32>
    %2 = stablehlo.convolution(%arg2, %arg3) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [2, 1], pad = [[1, 1], [-1, 2]], reverse = [false, true]} {batch_group_count = 1 : i64, feature_group_count = 2 : i64} : (tensor<2x8x8x4xf32>, tensor<3x3x2x8xf32>) -> tensor<2x4x7x8xf32>
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

