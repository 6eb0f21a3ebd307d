module @vit attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<48xf32>, %arg1: tensor<24x48xf32>, %arg2: tensor<24xf32>, %arg3: tensor<48x24xf32>, %arg4: tensor<24xf32>, %arg5: tensor<24xf32>, %arg6: tensor<24xf32>, %arg7: tensor<24xf32>, %arg8: tensor<24x24xf32>, %arg9: tensor<24x72xf32>, %arg10: tensor<48xf32>, %arg11: tensor<24x48xf32>, %arg12: tensor<24xf32>, %arg13: tensor<48x24xf32>, %arg14: tensor<24xf32>, %arg15: tensor<24xf32>, %arg16: tensor<24xf32>, %arg17: tensor<24xf32>, %arg18: tensor<24x24xf32>, %arg19: tensor<24x72xf32>, %arg20: tensor<1x1x24xf32>, %arg21: tensor<10xf32>, %arg22: tensor<24x10xf32>, %arg23: tensor<24xf32>, %arg24: tensor<24xf32>, %arg25: tensor<24xf32>, %arg26: tensor<2x2x1x24xf32>, %arg27: tensor<17x24xf32>, %arg28: tensor<8x8x8x1xf32>, %arg29: tensor<8xi32>) -> (tensor<f32> {jax.result_info = "result"}) {
    %cst = stablehlo.constant dense<1.12837911> : tensor<8x17x48xf32>
    %cst_0 = stablehlo.constant dense<-0.37612626> : tensor<8x17x48xf32>
    %cst_1 = stablehlo.constant dense<0.112835854> : tensor<8x17x48xf32>
    %cst_2 = stablehlo.constant dense<-0.0268538129> : tensor<8x17x48xf32>
    %cst_3 = stablehlo.constant dense<0.00518832775> : tensor<8x17x48xf32>
    %cst_4 = stablehlo.constant dense<-8.0101937E-4> : tensor<8x17x48xf32>
    %cst_5 = stablehlo.constant dense<7.85386146E-5> : tensor<8x17x48xf32>
    %cst_6 = stablehlo.constant dense<0.000000e+00> : tensor<8x17x48xf32>
    %cst_7 = stablehlo.constant dense<-88.7228394> : tensor<8x17x48xf32>
    %cst_8 = stablehlo.constant dense<0.564189494> : tensor<8x17x48xf32>
    %cst_9 = stablehlo.constant dense<-0.282076746> : tensor<8x17x48xf32>
    %cst_10 = stablehlo.constant dense<0.42184633> : tensor<8x17x48xf32>
    %cst_11 = stablehlo.constant dense<-1.01526523> : tensor<8x17x48xf32>
    %cst_12 = stablehlo.constant dense<2.92101908> : tensor<8x17x48xf32>
    %cst_13 = stablehlo.constant dense<-7.49551868> : tensor<8x17x48xf32>
    %cst_14 = stablehlo.constant dense<1.297720e+01> : tensor<8x17x48xf32>
    %cst_15 = stablehlo.constant dense<-10.477664> : tensor<8x17x48xf32>
    %cst_16 = stablehlo.constant dense<0.563825965> : tensor<8x17x48xf32>
    %cst_17 = stablehlo.constant dense<-0.274112701> : tensor<8x17x48xf32>
    %cst_18 = stablehlo.constant dense<3.404880e-01> : tensor<8x17x48xf32>
    %cst_19 = stablehlo.constant dense<-0.494451523> : tensor<8x17x48xf32>
    %cst_20 = stablehlo.constant dense<0.621000468> : tensor<8x17x48xf32>
    %cst_21 = stablehlo.constant dense<-0.582473278> : tensor<8x17x48xf32>
    %cst_22 = stablehlo.constant dense<0.368742466> : tensor<8x17x48xf32>
    %cst_23 = stablehlo.constant dense<-0.138703942> : tensor<8x17x48xf32>
    %cst_24 = stablehlo.constant dense<2.326820e-02> : tensor<8x17x48xf32>
    %cst_25 = stablehlo.constant dense<2.000000e+00> : tensor<8x17x48xf32>
    %cst_26 = stablehlo.constant dense<1.000000e+00> : tensor<8x17x48xf32>
    %cst_27 = stablehlo.constant dense<8.000000e+00> : tensor<f32>
    %cst_28 = stablehlo.constant dense<0.707106769> : tensor<f32>
    %cst_29 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %cst_30 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %cst_31 = stablehlo.constant dense<2.44948983> : tensor<f32>
    %cst_32 = stablehlo.constant dense<9.99999974E-6> : tensor<f32>
    %cst_33 = stablehlo.constant dense<2.400000e+01> : tensor<f32>
    %cst_34 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.convolution(%arg28, %arg26) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [2, 2]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<8x8x8x1xf32>, tensor<2x2x1x24xf32>) -> tensor<8x4x4x24xf32>
    %1 = stablehlo.broadcast_in_dim %arg25, dims = [3] : (tensor<24xf32>) -> tensor<1x1x1x24xf32>
    %2 = stablehlo.broadcast_in_dim %1, dims = [0, 1, 2, 3] : (tensor<1x1x1x24xf32>) -> tensor<8x4x4x24xf32>
    %3 = stablehlo.add %0, %2 : tensor<8x4x4x24xf32>
    %4 = stablehlo.reshape %3 : (tensor<8x4x4x24xf32>) -> tensor<8x16x24xf32>
    %5 = stablehlo.broadcast_in_dim %arg20, dims = [0, 1, 2] : (tensor<1x1x24xf32>) -> tensor<8x1x24xf32>
    %6 = stablehlo.concatenate %5, %4, dim = 1 : (tensor<8x1x24xf32>, tensor<8x16x24xf32>) -> tensor<8x17x24xf32>
    %7 = stablehlo.broadcast_in_dim %arg27, dims = [1, 2] : (tensor<17x24xf32>) -> tensor<1x17x24xf32>
    %8 = stablehlo.broadcast_in_dim %7, dims = [0, 1, 2] : (tensor<1x17x24xf32>) -> tensor<8x17x24xf32>
    %9 = stablehlo.add %6, %8 : tensor<8x17x24xf32>
    %10 = stablehlo.reduce(%9 init: %cst_34) applies stablehlo.add across dimensions = [2] : (tensor<8x17x24xf32>, tensor<f32>) -> tensor<8x17xf32>
    %11 = stablehlo.broadcast_in_dim %10, dims = [0, 1] : (tensor<8x17xf32>) -> tensor<8x17x1xf32>
    %12 = stablehlo.broadcast_in_dim %cst_33, dims = [] : (tensor<f32>) -> tensor<8x17x1xf32>
    %13 = stablehlo.divide %11, %12 : tensor<8x17x1xf32>
    %14 = stablehlo.broadcast_in_dim %13, dims = [0, 1, 2] : (tensor<8x17x1xf32>) -> tensor<8x17x24xf32>
    %15 = stablehlo.subtract %9, %14 : tensor<8x17x24xf32>
    %16 = stablehlo.multiply %15, %15 : tensor<8x17x24xf32>
    %17 = stablehlo.reduce(%16 init: %cst_34) applies stablehlo.add across dimensions = [2] : (tensor<8x17x24xf32>, tensor<f32>) -> tensor<8x17xf32>
    %18 = stablehlo.broadcast_in_dim %17, dims = [0, 1] : (tensor<8x17xf32>) -> tensor<8x17x1xf32>
    %19 = stablehlo.broadcast_in_dim %cst_33, dims = [] : (tensor<f32>) -> tensor<8x17x1xf32>
    %20 = stablehlo.divide %18, %19 : tensor<8x17x1xf32>
    %21 = stablehlo.broadcast_in_dim %13, dims = [0, 1, 2] : (tensor<8x17x1xf32>) -> tensor<8x17x24xf32>
    %22 = stablehlo.subtract %9, %21 : tensor<8x17x24xf32>
    %23 = stablehlo.broadcast_in_dim %cst_32, dims = [] : (tensor<f32>) -> tensor<8x17x1xf32>
    %24 = stablehlo.add %20, %23 : tensor<8x17x1xf32>
    %25 = stablehlo.rsqrt %24 : tensor<8x17x1xf32>
    %26 = stablehlo.broadcast_in_dim %25, dims = [0, 1, 2] : (tensor<8x17x1xf32>) -> tensor<8x17x24xf32>
    %27 = stablehlo.multiply %22, %26 : tensor<8x17x24xf32>
    %28 = stablehlo.broadcast_in_dim %arg5, dims = [2] : (tensor<24xf32>) -> tensor<1x1x24xf32>
    %29 = stablehlo.broadcast_in_dim %28, dims = [0, 1, 2] : (tensor<1x1x24xf32>) -> tensor<8x17x24xf32>
    %30 = stablehlo.multiply %27, %29 : tensor<8x17x24xf32>
    %31 = stablehlo.broadcast_in_dim %arg4, dims = [2] : (tensor<24xf32>) -> tensor<1x1x24xf32>
    %32 = stablehlo.broadcast_in_dim %31, dims = [0, 1, 2] : (tensor<1x1x24xf32>) -> tensor<8x17x24xf32>
    %33 = stablehlo.add %30, %32 : tensor<8x17x24xf32>
    %34 = stablehlo.dot_general %33, %arg9, contracting_dims = [2] x [0] : (tensor<8x17x24xf32>, tensor<24x72xf32>) -> tensor<8x17x72xf32>
    %35 = stablehlo.slice %34 [0:8, 0:17, 0:24] : (tensor<8x17x72xf32>) -> tensor<8x17x24xf32>
    %36 = stablehlo.slice %34 [0:8, 0:17, 24:48] : (tensor<8x17x72xf32>) -> tensor<8x17x24xf32>
    %37 = stablehlo.slice %34 [0:8, 0:17, 48:72] : (tensor<8x17x72xf32>) -> tensor<8x17x24xf32>
    %38 = stablehlo.reshape %35 : (tensor<8x17x24xf32>) -> tensor<8x17x4x6xf32>
    %39 = stablehlo.reshape %36 : (tensor<8x17x24xf32>) -> tensor<8x17x4x6xf32>
    %40 = stablehlo.reshape %37 : (tensor<8x17x24xf32>) -> tensor<8x17x4x6xf32>
    %41 = stablehlo.dot_general %38, %39, batching_dims = [0, 2] x [0, 2], contracting_dims = [3] x [3] : (tensor<8x17x4x6xf32>, tensor<8x17x4x6xf32>) -> tensor<8x4x17x17xf32>
    %42 = stablehlo.broadcast_in_dim %cst_31, dims = [] : (tensor<f32>) -> tensor<8x4x17x17xf32>
    %43 = stablehlo.divide %41, %42 : tensor<8x4x17x17xf32>
    %44 = stablehlo.reduce(%43 init: %cst_30) applies stablehlo.maximum across dimensions = [3] : (tensor<8x4x17x17xf32>, tensor<f32>) -> tensor<8x4x17xf32>
    %45 = stablehlo.broadcast_in_dim %cst_30, dims = [] : (tensor<f32>) -> tensor<8x4x17xf32>
    %46 = stablehlo.maximum %45, %44 : tensor<8x4x17xf32>
    %47 = stablehlo.broadcast_in_dim %46, dims = [0, 1, 2] : (tensor<8x4x17xf32>) -> tensor<8x4x17x1xf32>
    %48 = stablehlo.broadcast_in_dim %47, dims = [0, 1, 2, 3] : (tensor<8x4x17x1xf32>) -> tensor<8x4x17x17xf32>
    %49 = stablehlo.subtract %43, %48 : tensor<8x4x17x17xf32>
    %50 = stablehlo.exponential %49 : tensor<8x4x17x17xf32>
    %51 = stablehlo.reduce(%50 init: %cst_34) applies stablehlo.add across dimensions = [3] : (tensor<8x4x17x17xf32>, tensor<f32>) -> tensor<8x4x17xf32>
    %52 = stablehlo.broadcast_in_dim %51, dims = [0, 1, 2] : (tensor<8x4x17xf32>) -> tensor<8x4x17x1xf32>
    %53 = stablehlo.broadcast_in_dim %52, dims = [0, 1, 2, 3] : (tensor<8x4x17x1xf32>) -> tensor<8x4x17x17xf32>
    %54 = stablehlo.divide %50, %53 : tensor<8x4x17x17xf32>
    %55 = stablehlo.dot_general %40, %54, batching_dims = [0, 2] x [0, 1], contracting_dims = [1] x [3] : (tensor<8x17x4x6xf32>, tensor<8x4x17x17xf32>) -> tensor<8x4x6x17xf32>
    %56 = stablehlo.transpose %55, dims = [0, 3, 1, 2] : (tensor<8x4x6x17xf32>) -> tensor<8x17x4x6xf32>
    %57 = stablehlo.reshape %56 : (tensor<8x17x4x6xf32>) -> tensor<8x17x24xf32>
    %58 = stablehlo.dot_general %57, %arg8, contracting_dims = [2] x [0] : (tensor<8x17x24xf32>, tensor<24x24xf32>) -> tensor<8x17x24xf32>
    %59 = stablehlo.add %9, %58 : tensor<8x17x24xf32>
    %60 = stablehlo.reduce(%59 init: %cst_34) applies stablehlo.add across dimensions = [2] : (tensor<8x17x24xf32>, tensor<f32>) -> tensor<8x17xf32>
    %61 = stablehlo.broadcast_in_dim %60, dims = [0, 1] : (tensor<8x17xf32>) -> tensor<8x17x1xf32>
    %62 = stablehlo.broadcast_in_dim %cst_33, dims = [] : (tensor<f32>) -> tensor<8x17x1xf32>
    %63 = stablehlo.divide %61, %62 : tensor<8x17x1xf32>
    %64 = stablehlo.broadcast_in_dim %63, dims = [0, 1, 2] : (tensor<8x17x1xf32>) -> tensor<8x17x24xf32>
    %65 = stablehlo.subtract %59, %64 : tensor<8x17x24xf32>
    %66 = stablehlo.multiply %65, %65 : tensor<8x17x24xf32>
    %67 = stablehlo.reduce(%66 init: %cst_34) applies stablehlo.add across dimensions = [2] : (tensor<8x17x24xf32>, tensor<f32>) -> tensor<8x17xf32>
    %68 = stablehlo.broadcast_in_dim %67, dims = [0, 1] : (tensor<8x17xf32>) -> tensor<8x17x1xf32>
    %69 = stablehlo.broadcast_in_dim %cst_33, dims = [] : (tensor<f32>) -> tensor<8x17x1xf32>
    %70 = stablehlo.divide %68, %69 : tensor<8x17x1xf32>
    %71 = stablehlo.broadcast_in_dim %63, dims = [0, 1, 2] : (tensor<8x17x1xf32>) -> tensor<8x17x24xf32>
    %72 = stablehlo.subtract %59, %71 : tensor<8x17x24xf32>
    %73 = stablehlo.broadcast_in_dim %cst_32, dims = [] : (tensor<f32>) -> tensor<8x17x1xf32>
    %74 = stablehlo.add %70, %73 : tensor<8x17x1xf32>
    %75 = stablehlo.rsqrt %74 : tensor<8x17x1xf32>
    %76 = stablehlo.broadcast_in_dim %75, dims = [0, 1, 2] : (tensor<8x17x1xf32>) -> tensor<8x17x24xf32>
    %77 = stablehlo.multiply %72, %76 : tensor<8x17x24xf32>
    %78 = stablehlo.broadcast_in_dim %arg7, dims = [2] : (tensor<24xf32>) -> tensor<1x1x24xf32>
    %79 = stablehlo.broadcast_in_dim %78, dims = [0, 1, 2] : (tensor<1x1x24xf32>) -> tensor<8x17x24xf32>
    %80 = stablehlo.multiply %77, %79 : tensor<8x17x24xf32>
    %81 = stablehlo.broadcast_in_dim %arg6, dims = [2] : (tensor<24xf32>) -> tensor<1x1x24xf32>
    %82 = stablehlo.broadcast_in_dim %81, dims = [0, 1, 2] : (tensor<1x1x24xf32>) -> tensor<8x17x24xf32>
    %83 = stablehlo.add %80, %82 : tensor<8x17x24xf32>
    %84 = stablehlo.dot_general %83, %arg1, contracting_dims = [2] x [0] : (tensor<8x17x24xf32>, tensor<24x48xf32>) -> tensor<8x17x48xf32>
    %85 = stablehlo.broadcast_in_dim %arg0, dims = [2] : (tensor<48xf32>) -> tensor<1x1x48xf32>
    %86 = stablehlo.broadcast_in_dim %85, dims = [0, 1, 2] : (tensor<1x1x48xf32>) -> tensor<8x17x48xf32>
    %87 = stablehlo.add %84, %86 : tensor<8x17x48xf32>
    %88 = stablehlo.broadcast_in_dim %cst_29, dims = [] : (tensor<f32>) -> tensor<8x17x48xf32>
    %89 = stablehlo.multiply %88, %87 : tensor<8x17x48xf32>
    %90 = stablehlo.negate %87 : tensor<8x17x48xf32>
    %91 = stablehlo.broadcast_in_dim %cst_28, dims = [] : (tensor<f32>) -> tensor<8x17x48xf32>
    %92 = stablehlo.multiply %90, %91 : tensor<8x17x48xf32>
    %93 = stablehlo.multiply %92, %92 : tensor<8x17x48xf32>
    %94 = stablehlo.negate %93 : tensor<8x17x48xf32>
    %95 = stablehlo.abs %92 : tensor<8x17x48xf32>
    %96 = stablehlo.divide %cst_26, %93 : tensor<8x17x48xf32>
    %97 = stablehlo.exponential %94 : tensor<8x17x48xf32>
    %98 = stablehlo.divide %cst_26, %95 : tensor<8x17x48xf32>
    %99 = stablehlo.multiply %97, %98 : tensor<8x17x48xf32>
    %100 = stablehlo.compare LT, %95, %cst_25 : (tensor<8x17x48xf32>, tensor<8x17x48xf32>) -> tensor<8x17x48xi1>
    %101 = stablehlo.multiply %cst_24, %96 : tensor<8x17x48xf32>
    %102 = stablehlo.add %101, %cst_23 : tensor<8x17x48xf32>
    %103 = stablehlo.multiply %102, %96 : tensor<8x17x48xf32>
    %104 = stablehlo.add %103, %cst_22 : tensor<8x17x48xf32>
    %105 = stablehlo.multiply %104, %96 : tensor<8x17x48xf32>
    %106 = stablehlo.add %105, %cst_21 : tensor<8x17x48xf32>
    %107 = stablehlo.multiply %106, %96 : tensor<8x17x48xf32>
    %108 = stablehlo.add %107, %cst_20 : tensor<8x17x48xf32>
    %109 = stablehlo.multiply %108, %96 : tensor<8x17x48xf32>
    %110 = stablehlo.add %109, %cst_19 : tensor<8x17x48xf32>
    %111 = stablehlo.multiply %110, %96 : tensor<8x17x48xf32>
    %112 = stablehlo.add %111, %cst_18 : tensor<8x17x48xf32>
    %113 = stablehlo.multiply %112, %96 : tensor<8x17x48xf32>
    %114 = stablehlo.add %113, %cst_17 : tensor<8x17x48xf32>
    %115 = stablehlo.multiply %114, %96 : tensor<8x17x48xf32>
    %116 = stablehlo.add %115, %cst_16 : tensor<8x17x48xf32>
    %117 = stablehlo.multiply %cst_15, %96 : tensor<8x17x48xf32>
    %118 = stablehlo.add %117, %cst_14 : tensor<8x17x48xf32>
    %119 = stablehlo.multiply %118, %96 : tensor<8x17x48xf32>
    %120 = stablehlo.add %119, %cst_13 : tensor<8x17x48xf32>
    %121 = stablehlo.multiply %120, %96 : tensor<8x17x48xf32>
    %122 = stablehlo.add %121, %cst_12 : tensor<8x17x48xf32>
    %123 = stablehlo.multiply %122, %96 : tensor<8x17x48xf32>
    %124 = stablehlo.add %123, %cst_11 : tensor<8x17x48xf32>
    %125 = stablehlo.multiply %124, %96 : tensor<8x17x48xf32>
    %126 = stablehlo.add %125, %cst_10 : tensor<8x17x48xf32>
    %127 = stablehlo.multiply %126, %96 : tensor<8x17x48xf32>
    %128 = stablehlo.add %127, %cst_9 : tensor<8x17x48xf32>
    %129 = stablehlo.multiply %128, %96 : tensor<8x17x48xf32>
    %130 = stablehlo.add %129, %cst_8 : tensor<8x17x48xf32>
    %131 = stablehlo.select %100, %116, %130 : tensor<8x17x48xi1>, tensor<8x17x48xf32>
    %132 = stablehlo.multiply %99, %131 : tensor<8x17x48xf32>
    %133 = stablehlo.compare LT, %94, %cst_7 : (tensor<8x17x48xf32>, tensor<8x17x48xf32>) -> tensor<8x17x48xi1>
    %134 = stablehlo.select %133, %cst_6, %132 : tensor<8x17x48xi1>, tensor<8x17x48xf32>
    %135 = stablehlo.compare LT, %92, %cst_6 : (tensor<8x17x48xf32>, tensor<8x17x48xf32>) -> tensor<8x17x48xi1>
    %136 = stablehlo.subtract %cst_25, %134 : tensor<8x17x48xf32>
    %137 = stablehlo.select %135, %136, %134 : tensor<8x17x48xi1>, tensor<8x17x48xf32>
    %138 = stablehlo.multiply %92, %92 : tensor<8x17x48xf32>
    %139 = stablehlo.multiply %cst_5, %138 : tensor<8x17x48xf32>
    %140 = stablehlo.add %139, %cst_4 : tensor<8x17x48xf32>
    %141 = stablehlo.multiply %140, %138 : tensor<8x17x48xf32>
    %142 = stablehlo.add %141, %cst_3 : tensor<8x17x48xf32>
    %143 = stablehlo.multiply %142, %138 : tensor<8x17x48xf32>
    %144 = stablehlo.add %143, %cst_2 : tensor<8x17x48xf32>
    %145 = stablehlo.multiply %144, %138 : tensor<8x17x48xf32>
    %146 = stablehlo.add %145, %cst_1 : tensor<8x17x48xf32>
    %147 = stablehlo.multiply %146, %138 : tensor<8x17x48xf32>
    %148 = stablehlo.add %147, %cst_0 : tensor<8x17x48xf32>
    %149 = stablehlo.multiply %148, %138 : tensor<8x17x48xf32>
    %150 = stablehlo.add %149, %cst : tensor<8x17x48xf32>
    %151 = stablehlo.multiply %92, %150 : tensor<8x17x48xf32>
    %152 = stablehlo.subtract %cst_26, %151 : tensor<8x17x48xf32>
    %153 = stablehlo.abs %92 : tensor<8x17x48xf32>
    %154 = stablehlo.compare LT, %153, %cst_26 : (tensor<8x17x48xf32>, tensor<8x17x48xf32>) -> tensor<8x17x48xi1>
    %155 = stablehlo.select %154, %152, %137 : tensor<8x17x48xi1>, tensor<8x17x48xf32>
    %156 = stablehlo.multiply %89, %155 : tensor<8x17x48xf32>
    %157 = stablehlo.dot_general %156, %arg3, contracting_dims = [2] x [0] : (tensor<8x17x48xf32>, tensor<48x24xf32>) -> tensor<8x17x24xf32>
    %158 = stablehlo.add %59, %157 : tensor<8x17x24xf32>
    %159 = stablehlo.broadcast_in_dim %arg2, dims = [2] : (tensor<24xf32>) -> tensor<1x1x24xf32>
    %160 = stablehlo.broadcast_in_dim %159, dims = [0, 1, 2] : (tensor<1x1x24xf32>) -> tensor<8x17x24xf32>
    %161 = stablehlo.add %158, %160 : tensor<8x17x24xf32>
    %162 = stablehlo.reduce(%161 init: %cst_34) applies stablehlo.add across dimensions = [2] : (tensor<8x17x24xf32>, tensor<f32>) -> tensor<8x17xf32>
    %163 = stablehlo.broadcast_in_dim %162, dims = [0, 1] : (tensor<8x17xf32>) -> tensor<8x17x1xf32>
    %164 = stablehlo.broadcast_in_dim %cst_33, dims = [] : (tensor<f32>) -> tensor<8x17x1xf32>
    %165 = stablehlo.divide %163, %164 : tensor<8x17x1xf32>
    %166 = stablehlo.broadcast_in_dim %165, dims = [0, 1, 2] : (tensor<8x17x1xf32>) -> tensor<8x17x24xf32>
    %167 = stablehlo.subtract %161, %166 : tensor<8x17x24xf32>
    %168 = stablehlo.multiply %167, %167 : tensor<8x17x24xf32>
    %169 = stablehlo.reduce(%168 init: %cst_34) applies stablehlo.add across dimensions = [2] : (tensor<8x17x24xf32>, tensor<f32>) -> tensor<8x17xf32>
    %170 = stablehlo.broadcast_in_dim %169, dims = [0, 1] : (tensor<8x17xf32>) -> tensor<8x17x1xf32>
    %171 = stablehlo.broadcast_in_dim %cst_33, dims = [] : (tensor<f32>) -> tensor<8x17x1xf32>
    %172 = stablehlo.divide %170, %171 : tensor<8x17x1xf32>
    %173 = stablehlo.broadcast_in_dim %165, dims = [0, 1, 2] : (tensor<8x17x1xf32>) -> tensor<8x17x24xf32>
    %174 = stablehlo.subtract %161, %173 : tensor<8x17x24xf32>
    %175 = stablehlo.broadcast_in_dim %cst_32, dims = [] : (tensor<f32>) -> tensor<8x17x1xf32>
    %176 = stablehlo.add %172, %175 : tensor<8x17x1xf32>
    %177 = stablehlo.rsqrt %176 : tensor<8x17x1xf32>
    %178 = stablehlo.broadcast_in_dim %177, dims = [0, 1, 2] : (tensor<8x17x1xf32>) -> tensor<8x17x24xf32>
    %179 = stablehlo.multiply %174, %178 : tensor<8x17x24xf32>
    %180 = stablehlo.broadcast_in_dim %arg15, dims = [2] : (tensor<24xf32>) -> tensor<1x1x24xf32>
    %181 = stablehlo.broadcast_in_dim %180, dims = [0, 1, 2] : (tensor<1x1x24xf32>) -> tensor<8x17x24xf32>
    %182 = stablehlo.multiply %179, %181 : tensor<8x17x24xf32>
    %183 = stablehlo.broadcast_in_dim %arg14, dims = [2] : (tensor<24xf32>) -> tensor<1x1x24xf32>
    %184 = stablehlo.broadcast_in_dim %183, dims = [0, 1, 2] : (tensor<1x1x24xf32>) -> tensor<8x17x24xf32>
    %185 = stablehlo.add %182, %184 : tensor<8x17x24xf32>
    %186 = stablehlo.dot_general %185, %arg19, contracting_dims = [2] x [0] : (tensor<8x17x24xf32>, tensor<24x72xf32>) -> tensor<8x17x72xf32>
    %187 = stablehlo.slice %186 [0:8, 0:17, 0:24] : (tensor<8x17x72xf32>) -> tensor<8x17x24xf32>
    %188 = stablehlo.slice %186 [0:8, 0:17, 24:48] : (tensor<8x17x72xf32>) -> tensor<8x17x24xf32>
    %189 = stablehlo.slice %186 [0:8, 0:17, 48:72] : (tensor<8x17x72xf32>) -> tensor<8x17x24xf32>
    %190 = stablehlo.reshape %187 : (tensor<8x17x24xf32>) -> tensor<8x17x4x6xf32>
    %191 = stablehlo.reshape %188 : (tensor<8x17x24xf32>) -> tensor<8x17x4x6xf32>
    %192 = stablehlo.reshape %189 : (tensor<8x17x24xf32>) -> tensor<8x17x4x6xf32>
    %193 = stablehlo.dot_general %190, %191, batching_dims = [0, 2] x [0, 2], contracting_dims = [3] x [3] : (tensor<8x17x4x6xf32>, tensor<8x17x4x6xf32>) -> tensor<8x4x17x17xf32>
    %194 = stablehlo.broadcast_in_dim %cst_31, dims = [] : (tensor<f32>) -> tensor<8x4x17x17xf32>
    %195 = stablehlo.divide %193, %194 : tensor<8x4x17x17xf32>
    %196 = stablehlo.reduce(%195 init: %cst_30) applies stablehlo.maximum across dimensions = [3] : (tensor<8x4x17x17xf32>, tensor<f32>) -> tensor<8x4x17xf32>
    %197 = stablehlo.broadcast_in_dim %cst_30, dims = [] : (tensor<f32>) -> tensor<8x4x17xf32>
    %198 = stablehlo.maximum %197, %196 : tensor<8x4x17xf32>
    %199 = stablehlo.broadcast_in_dim %198, dims = [0, 1, 2] : (tensor<8x4x17xf32>) -> tensor<8x4x17x1xf32>
    %200 = stablehlo.broadcast_in_dim %199, dims = [0, 1, 2, 3] : (tensor<8x4x17x1xf32>) -> tensor<8x4x17x17xf32>
    %201 = stablehlo.subtract %195, %200 : tensor<8x4x17x17xf32>
    %202 = stablehlo.exponential %201 : tensor<8x4x17x17xf32>
    %203 = stablehlo.reduce(%202 init: %cst_34) applies stablehlo.add across dimensions = [3] : (tensor<8x4x17x17xf32>, tensor<f32>) -> tensor<8x4x17xf32>
    %204 = stablehlo.broadcast_in_dim %203, dims = [0, 1, 2] : (tensor<8x4x17xf32>) -> tensor<8x4x17x1xf32>
    %205 = stablehlo.broadcast_in_dim %204, dims = [0, 1, 2, 3] : (tensor<8x4x17x1xf32>) -> tensor<8x4x17x17xf32>
    %206 = stablehlo.divide %202, %205 : tensor<8x4x17x17xf32>
    %207 = stablehlo.dot_general %192, %206, batching_dims = [0, 2] x [0, 1], contracting_dims = [1] x [3] : (tensor<8x17x4x6xf32>, tensor<8x4x17x17xf32>) -> tensor<8x4x6x17xf32>
    %208 = stablehlo.transpose %207, dims = [0, 3, 1, 2] : (tensor<8x4x6x17xf32>) -> tensor<8x17x4x6xf32>
    %209 = stablehlo.reshape %208 : (tensor<8x17x4x6xf32>) -> tensor<8x17x24xf32>
    %210 = stablehlo.dot_general %209, %arg18, contracting_dims = [2] x [0] : (tensor<8x17x24xf32>, tensor<24x24xf32>) -> tensor<8x17x24xf32>
    %211 = stablehlo.add %161, %210 : tensor<8x17x24xf32>
    %212 = stablehlo.reduce(%211 init: %cst_34) applies stablehlo.add across dimensions = [2] : (tensor<8x17x24xf32>, tensor<f32>) -> tensor<8x17xf32>
    %213 = stablehlo.broadcast_in_dim %212, dims = [0, 1] : (tensor<8x17xf32>) -> tensor<8x17x1xf32>
    %214 = stablehlo.broadcast_in_dim %cst_33, dims = [] : (tensor<f32>) -> tensor<8x17x1xf32>
    %215 = stablehlo.divide %213, %214 : tensor<8x17x1xf32>
    %216 = stablehlo.broadcast_in_dim %215, dims = [0, 1, 2] : (tensor<8x17x1xf32>) -> tensor<8x17x24xf32>
    %217 = stablehlo.subtract %211, %216 : tensor<8x17x24xf32>
    %218 = stablehlo.multiply %217, %217 : tensor<8x17x24xf32>
    %219 = stablehlo.reduce(%218 init: %cst_34) applies stablehlo.add across dimensions = [2] : (tensor<8x17x24xf32>, tensor<f32>) -> tensor<8x17xf32>
    %220 = stablehlo.broadcast_in_dim %219, dims = [0, 1] : (tensor<8x17xf32>) -> tensor<8x17x1xf32>
    %221 = stablehlo.broadcast_in_dim %cst_33, dims = [] : (tensor<f32>) -> tensor<8x17x1xf32>
    %222 = stablehlo.divide %220, %221 : tensor<8x17x1xf32>
    %223 = stablehlo.broadcast_in_dim %215, dims = [0, 1, 2] : (tensor<8x17x1xf32>) -> tensor<8x17x24xf32>
    %224 = stablehlo.subtract %211, %223 : tensor<8x17x24xf32>
    %225 = stablehlo.broadcast_in_dim %cst_32, dims = [] : (tensor<f32>) -> tensor<8x17x1xf32>
    %226 = stablehlo.add %222, %225 : tensor<8x17x1xf32>
    %227 = stablehlo.rsqrt %226 : tensor<8x17x1xf32>
    %228 = stablehlo.broadcast_in_dim %227, dims = [0, 1, 2] : (tensor<8x17x1xf32>) -> tensor<8x17x24xf32>
    %229 = stablehlo.multiply %224, %228 : tensor<8x17x24xf32>
    %230 = stablehlo.broadcast_in_dim %arg17, dims = [2] : (tensor<24xf32>) -> tensor<1x1x24xf32>
    %231 = stablehlo.broadcast_in_dim %230, dims = [0, 1, 2] : (tensor<1x1x24xf32>) -> tensor<8x17x24xf32>
    %232 = stablehlo.multiply %229, %231 : tensor<8x17x24xf32>
    %233 = stablehlo.broadcast_in_dim %arg16, dims = [2] : (tensor<24xf32>) -> tensor<1x1x24xf32>
    %234 = stablehlo.broadcast_in_dim %233, dims = [0, 1, 2] : (tensor<1x1x24xf32>) -> tensor<8x17x24xf32>
    %235 = stablehlo.add %232, %234 : tensor<8x17x24xf32>
    %236 = stablehlo.dot_general %235, %arg11, contracting_dims = [2] x [0] : (tensor<8x17x24xf32>, tensor<24x48xf32>) -> tensor<8x17x48xf32>
    %237 = stablehlo.broadcast_in_dim %arg10, dims = [2] : (tensor<48xf32>) -> tensor<1x1x48xf32>
    %238 = stablehlo.broadcast_in_dim %237, dims = [0, 1, 2] : (tensor<1x1x48xf32>) -> tensor<8x17x48xf32>
    %239 = stablehlo.add %236, %238 : tensor<8x17x48xf32>
    %240 = stablehlo.broadcast_in_dim %cst_29, dims = [] : (tensor<f32>) -> tensor<8x17x48xf32>
    %241 = stablehlo.multiply %240, %239 : tensor<8x17x48xf32>
    %242 = stablehlo.negate %239 : tensor<8x17x48xf32>
    %243 = stablehlo.broadcast_in_dim %cst_28, dims = [] : (tensor<f32>) -> tensor<8x17x48xf32>
    %244 = stablehlo.multiply %242, %243 : tensor<8x17x48xf32>
    %245 = stablehlo.multiply %244, %244 : tensor<8x17x48xf32>
    %246 = stablehlo.negate %245 : tensor<8x17x48xf32>
    %247 = stablehlo.abs %244 : tensor<8x17x48xf32>
    %248 = stablehlo.divide %cst_26, %245 : tensor<8x17x48xf32>
    %249 = stablehlo.exponential %246 : tensor<8x17x48xf32>
    %250 = stablehlo.divide %cst_26, %247 : tensor<8x17x48xf32>
    %251 = stablehlo.multiply %249, %250 : tensor<8x17x48xf32>
    %252 = stablehlo.compare LT, %247, %cst_25 : (tensor<8x17x48xf32>, tensor<8x17x48xf32>) -> tensor<8x17x48xi1>
    %253 = stablehlo.multiply %cst_24, %248 : tensor<8x17x48xf32>
    %254 = stablehlo.add %253, %cst_23 : tensor<8x17x48xf32>
    %255 = stablehlo.multiply %254, %248 : tensor<8x17x48xf32>
    %256 = stablehlo.add %255, %cst_22 : tensor<8x17x48xf32>
    %257 = stablehlo.multiply %256, %248 : tensor<8x17x48xf32>
    %258 = stablehlo.add %257, %cst_21 : tensor<8x17x48xf32>
    %259 = stablehlo.multiply %258, %248 : tensor<8x17x48xf32>
    %260 = stablehlo.add %259, %cst_20 : tensor<8x17x48xf32>
    %261 = stablehlo.multiply %260, %248 : tensor<8x17x48xf32>
    %262 = stablehlo.add %261, %cst_19 : tensor<8x17x48xf32>
    %263 = stablehlo.multiply %262, %248 : tensor<8x17x48xf32>
    %264 = stablehlo.add %263, %cst_18 : tensor<8x17x48xf32>
    %265 = stablehlo.multiply %264, %248 : tensor<8x17x48xf32>
    %266 = stablehlo.add %265, %cst_17 : tensor<8x17x48xf32>
    %267 = stablehlo.multiply %266, %248 : tensor<8x17x48xf32>
    %268 = stablehlo.add %267, %cst_16 : tensor<8x17x48xf32>
    %269 = stablehlo.multiply %cst_15, %248 : tensor<8x17x48xf32>
    %270 = stablehlo.add %269, %cst_14 : tensor<8x17x48xf32>
    %271 = stablehlo.multiply %270, %248 : tensor<8x17x48xf32>
    %272 = stablehlo.add %271, %cst_13 : tensor<8x17x48xf32>
    %273 = stablehlo.multiply %272, %248 : tensor<8x17x48xf32>
    %274 = stablehlo.add %273, %cst_12 : tensor<8x17x48xf32>
    %275 = stablehlo.multiply %274, %248 : tensor<8x17x48xf32>
    %276 = stablehlo.add %275, %cst_11 : tensor<8x17x48xf32>
    %277 = stablehlo.multiply %276, %248 : tensor<8x17x48xf32>
    %278 = stablehlo.add %277, %cst_10 : tensor<8x17x48xf32>
    %279 = stablehlo.multiply %278, %248 : tensor<8x17x48xf32>
    %280 = stablehlo.add %279, %cst_9 : tensor<8x17x48xf32>
    %281 = stablehlo.multiply %280, %248 : tensor<8x17x48xf32>
    %282 = stablehlo.add %281, %cst_8 : tensor<8x17x48xf32>
    %283 = stablehlo.select %252, %268, %282 : tensor<8x17x48xi1>, tensor<8x17x48xf32>
    %284 = stablehlo.multiply %251, %283 : tensor<8x17x48xf32>
    %285 = stablehlo.compare LT, %246, %cst_7 : (tensor<8x17x48xf32>, tensor<8x17x48xf32>) -> tensor<8x17x48xi1>
    %286 = stablehlo.select %285, %cst_6, %284 : tensor<8x17x48xi1>, tensor<8x17x48xf32>
    %287 = stablehlo.compare LT, %244, %cst_6 : (tensor<8x17x48xf32>, tensor<8x17x48xf32>) -> tensor<8x17x48xi1>
    %288 = stablehlo.subtract %cst_25, %286 : tensor<8x17x48xf32>
    %289 = stablehlo.select %287, %288, %286 : tensor<8x17x48xi1>, tensor<8x17x48xf32>
    %290 = stablehlo.multiply %244, %244 : tensor<8x17x48xf32>
    %291 = stablehlo.multiply %cst_5, %290 : tensor<8x17x48xf32>
    %292 = stablehlo.add %291, %cst_4 : tensor<8x17x48xf32>
    %293 = stablehlo.multiply %292, %290 : tensor<8x17x48xf32>
    %294 = stablehlo.add %293, %cst_3 : tensor<8x17x48xf32>
    %295 = stablehlo.multiply %294, %290 : tensor<8x17x48xf32>
    %296 = stablehlo.add %295, %cst_2 : tensor<8x17x48xf32>
    %297 = stablehlo.multiply %296, %290 : tensor<8x17x48xf32>
    %298 = stablehlo.add %297, %cst_1 : tensor<8x17x48xf32>
    %299 = stablehlo.multiply %298, %290 : tensor<8x17x48xf32>
    %300 = stablehlo.add %299, %cst_0 : tensor<8x17x48xf32>
    %301 = stablehlo.multiply %300, %290 : tensor<8x17x48xf32>
    %302 = stablehlo.add %301, %cst : tensor<8x17x48xf32>
    %303 = stablehlo.multiply %244, %302 : tensor<8x17x48xf32>
    %304 = stablehlo.subtract %cst_26, %303 : tensor<8x17x48xf32>
    %305 = stablehlo.abs %244 : tensor<8x17x48xf32>
    %306 = stablehlo.compare LT, %305, %cst_26 : (tensor<8x17x48xf32>, tensor<8x17x48xf32>) -> tensor<8x17x48xi1>
    %307 = stablehlo.select %306, %304, %289 : tensor<8x17x48xi1>, tensor<8x17x48xf32>
    %308 = stablehlo.multiply %241, %307 : tensor<8x17x48xf32>
    %309 = stablehlo.dot_general %308, %arg13, contracting_dims = [2] x [0] : (tensor<8x17x48xf32>, tensor<48x24xf32>) -> tensor<8x17x24xf32>
    %310 = stablehlo.add %211, %309 : tensor<8x17x24xf32>
    %311 = stablehlo.broadcast_in_dim %arg12, dims = [2] : (tensor<24xf32>) -> tensor<1x1x24xf32>
    %312 = stablehlo.broadcast_in_dim %311, dims = [0, 1, 2] : (tensor<1x1x24xf32>) -> tensor<8x17x24xf32>
    %313 = stablehlo.add %310, %312 : tensor<8x17x24xf32>
    %314 = stablehlo.slice %313 [0:8, 0:1, 0:24] : (tensor<8x17x24xf32>) -> tensor<8x1x24xf32>
    %315 = stablehlo.reshape %314 : (tensor<8x1x24xf32>) -> tensor<8x24xf32>
    %316 = stablehlo.reduce(%315 init: %cst_34) applies stablehlo.add across dimensions = [1] : (tensor<8x24xf32>, tensor<f32>) -> tensor<8xf32>
    %317 = stablehlo.broadcast_in_dim %316, dims = [0] : (tensor<8xf32>) -> tensor<8x1xf32>
    %318 = stablehlo.broadcast_in_dim %cst_33, dims = [] : (tensor<f32>) -> tensor<8x1xf32>
    %319 = stablehlo.divide %317, %318 : tensor<8x1xf32>
    %320 = stablehlo.broadcast_in_dim %319, dims = [0, 1] : (tensor<8x1xf32>) -> tensor<8x24xf32>
    %321 = stablehlo.subtract %315, %320 : tensor<8x24xf32>
    %322 = stablehlo.multiply %321, %321 : tensor<8x24xf32>
    %323 = stablehlo.reduce(%322 init: %cst_34) applies stablehlo.add across dimensions = [1] : (tensor<8x24xf32>, tensor<f32>) -> tensor<8xf32>
    %324 = stablehlo.broadcast_in_dim %323, dims = [0] : (tensor<8xf32>) -> tensor<8x1xf32>
    %325 = stablehlo.broadcast_in_dim %cst_33, dims = [] : (tensor<f32>) -> tensor<8x1xf32>
    %326 = stablehlo.divide %324, %325 : tensor<8x1xf32>
    %327 = stablehlo.broadcast_in_dim %319, dims = [0, 1] : (tensor<8x1xf32>) -> tensor<8x24xf32>
    %328 = stablehlo.subtract %315, %327 : tensor<8x24xf32>
    %329 = stablehlo.broadcast_in_dim %cst_32, dims = [] : (tensor<f32>) -> tensor<8x1xf32>
    %330 = stablehlo.add %326, %329 : tensor<8x1xf32>
    %331 = stablehlo.rsqrt %330 : tensor<8x1xf32>
    %332 = stablehlo.broadcast_in_dim %331, dims = [0, 1] : (tensor<8x1xf32>) -> tensor<8x24xf32>
    %333 = stablehlo.multiply %328, %332 : tensor<8x24xf32>
    %334 = stablehlo.broadcast_in_dim %arg24, dims = [1] : (tensor<24xf32>) -> tensor<1x24xf32>
    %335 = stablehlo.broadcast_in_dim %334, dims = [0, 1] : (tensor<1x24xf32>) -> tensor<8x24xf32>
    %336 = stablehlo.multiply %333, %335 : tensor<8x24xf32>
    %337 = stablehlo.broadcast_in_dim %arg23, dims = [1] : (tensor<24xf32>) -> tensor<1x24xf32>
    %338 = stablehlo.broadcast_in_dim %337, dims = [0, 1] : (tensor<1x24xf32>) -> tensor<8x24xf32>
    %339 = stablehlo.add %336, %338 : tensor<8x24xf32>
    %340 = stablehlo.dot_general %339, %arg22, contracting_dims = [1] x [0] : (tensor<8x24xf32>, tensor<24x10xf32>) -> tensor<8x10xf32>
    %341 = stablehlo.broadcast_in_dim %arg21, dims = [1] : (tensor<10xf32>) -> tensor<1x10xf32>
    %342 = stablehlo.broadcast_in_dim %341, dims = [0, 1] : (tensor<1x10xf32>) -> tensor<8x10xf32>
    %343 = stablehlo.add %340, %342 : tensor<8x10xf32>
    %344 = stablehlo.reduce(%343 init: %cst_30) applies stablehlo.maximum across dimensions = [1] : (tensor<8x10xf32>, tensor<f32>) -> tensor<8xf32>
    %345 = stablehlo.broadcast_in_dim %cst_30, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %346 = stablehlo.maximum %345, %344 : tensor<8xf32>
    %347 = stablehlo.is_finite %346 : (tensor<8xf32>) -> tensor<8xi1>
    %348 = stablehlo.broadcast_in_dim %cst_34, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %349 = stablehlo.select %347, %346, %348 : tensor<8xi1>, tensor<8xf32>
    %350 = stablehlo.broadcast_in_dim %349, dims = [0] : (tensor<8xf32>) -> tensor<8x1xf32>
    %351 = stablehlo.broadcast_in_dim %350, dims = [0, 1] : (tensor<8x1xf32>) -> tensor<8x10xf32>
    %352 = stablehlo.subtract %343, %351 : tensor<8x10xf32>
    %353 = stablehlo.exponential %352 : tensor<8x10xf32>
    %354 = stablehlo.reduce(%353 init: %cst_34) applies stablehlo.add across dimensions = [1] : (tensor<8x10xf32>, tensor<f32>) -> tensor<8xf32>
    %355 = stablehlo.abs %354 : tensor<8xf32>
    %356 = stablehlo.log %355 : tensor<8xf32>
    %357 = stablehlo.add %356, %349 : tensor<8xf32>
    %358 = stablehlo.broadcast_in_dim %arg29, dims = [0] : (tensor<8xi32>) -> tensor<8x1xi32>
    %359 = call @take_along_axis(%343, %358) : (tensor<8x10xf32>, tensor<8x1xi32>) -> tensor<8x1xf32>
    %360 = stablehlo.reshape %359 : (tensor<8x1xf32>) -> tensor<8xf32>
    %361 = stablehlo.subtract %357, %360 : tensor<8xf32>
    %362 = stablehlo.reduce(%361 init: %cst_34) applies stablehlo.add across dimensions = [0] : (tensor<8xf32>, tensor<f32>) -> tensor<f32>
    %363 = stablehlo.divide %362, %cst_27 : tensor<f32>
    return %363 : tensor<f32>
  }
  func.func private @take_along_axis(%arg0: tensor<8x10xf32>, %arg1: tensor<8x1xi32>) -> tensor<8x1xf32> {
    %cst = stablehlo.constant dense<0x7FC00000> : tensor<f32>
    %c = stablehlo.constant dense<true> : tensor<i1>
    %c_0 = stablehlo.constant dense<9> : tensor<1xi32>
    %c_1 = stablehlo.constant dense<10> : tensor<i32>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i32>) -> tensor<8x1xi32>
    %1 = stablehlo.compare LT, %arg1, %0, SIGNED : (tensor<8x1xi32>, tensor<8x1xi32>) -> tensor<8x1xi1>
    %2 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<i32>) -> tensor<8x1xi32>
    %3 = stablehlo.add %arg1, %2 : tensor<8x1xi32>
    %4 = stablehlo.select %1, %3, %arg1 : tensor<8x1xi1>, tensor<8x1xi32>
    %5 = stablehlo.reshape %4 : (tensor<8x1xi32>) -> tensor<8x1x1xi32>
    %6 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i32>) -> tensor<8x1x1xi32>
    %7 = stablehlo.compare GE, %5, %6, SIGNED : (tensor<8x1x1xi32>, tensor<8x1x1xi32>) -> tensor<8x1x1xi1>
    %8 = stablehlo.broadcast_in_dim %c_0, dims = [2] : (tensor<1xi32>) -> tensor<1x1x1xi32>
    %9 = stablehlo.broadcast_in_dim %8, dims = [0, 1, 2] : (tensor<1x1x1xi32>) -> tensor<8x1x1xi32>
    %10 = stablehlo.compare LE, %5, %9, SIGNED : (tensor<8x1x1xi32>, tensor<8x1x1xi32>) -> tensor<8x1x1xi1>
    %11 = stablehlo.and %7, %10 : tensor<8x1x1xi1>
    %12 = stablehlo.reduce(%11 init: %c) applies stablehlo.and across dimensions = [2] : (tensor<8x1x1xi1>, tensor<i1>) -> tensor<8x1xi1>
    %13 = "stablehlo.gather"(%arg0, %5) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1], index_vector_dim = 2>, slice_sizes = array<i64: 1, 1>}> : (tensor<8x10xf32>, tensor<8x1x1xi32>) -> tensor<8x1xf32>
    %14 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<8x1xf32>
    %15 = stablehlo.select %12, %13, %14 : tensor<8x1xi1>, tensor<8x1xf32>
    return %15 : tensor<8x1xf32>
  }
}

