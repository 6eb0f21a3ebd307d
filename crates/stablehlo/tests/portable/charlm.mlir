module @charlm attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<192xf32>, %arg1: tensor<48x192xf32>, %arg2: tensor<48xf32>, %arg3: tensor<192x48xf32>, %arg4: tensor<48xf32>, %arg5: tensor<48xf32>, %arg6: tensor<48xf32>, %arg7: tensor<48xf32>, %arg8: tensor<48x48xf32>, %arg9: tensor<48x144xf32>, %arg10: tensor<192xf32>, %arg11: tensor<48x192xf32>, %arg12: tensor<48xf32>, %arg13: tensor<192x48xf32>, %arg14: tensor<48xf32>, %arg15: tensor<48xf32>, %arg16: tensor<48xf32>, %arg17: tensor<48xf32>, %arg18: tensor<48x48xf32>, %arg19: tensor<48x144xf32>, %arg20: tensor<256x48xf32>, %arg21: tensor<48xf32>, %arg22: tensor<48xf32>, %arg23: tensor<32x48xf32>, %arg24: tensor<4x32xi32>, %arg25: tensor<4x32xi32>) -> (tensor<f32> {jax.result_info = "result"}) {
    %cst = stablehlo.constant dense<1.280000e+02> : tensor<f32>
    %cst_0 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %cst_1 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %cst_2 = stablehlo.constant dense<0.797884583> : tensor<f32>
    %cst_3 = stablehlo.constant dense<4.471500e-02> : tensor<f32>
    %cst_4 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %cst_5 = stablehlo.constant dense<-3.40282347E+38> : tensor<f32>
    %c = stablehlo.constant dense<true> : tensor<i1>
    %cst_6 = stablehlo.constant dense<3.46410155> : tensor<f32>
    %cst_7 = stablehlo.constant dense<9.99999974E-6> : tensor<f32>
    %cst_8 = stablehlo.constant dense<4.800000e+01> : tensor<f32>
    %cst_9 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %c_10 = stablehlo.constant dense<256> : tensor<i32>
    %c_11 = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.broadcast_in_dim %c_11, dims = [] : (tensor<i32>) -> tensor<4x32xi32>
    %1 = stablehlo.compare LT, %arg25, %0, SIGNED : (tensor<4x32xi32>, tensor<4x32xi32>) -> tensor<4x32xi1>
    %2 = stablehlo.broadcast_in_dim %c_10, dims = [] : (tensor<i32>) -> tensor<4x32xi32>
    %3 = stablehlo.add %arg25, %2 : tensor<4x32xi32>
    %4 = stablehlo.select %1, %3, %arg25 : tensor<4x32xi1>, tensor<4x32xi32>
    %5 = stablehlo.broadcast_in_dim %4, dims = [0, 1] : (tensor<4x32xi32>) -> tensor<4x32x1xi32>
    %6 = "stablehlo.gather"(%arg20, %5) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 2>, slice_sizes = array<i64: 1, 48>}> : (tensor<256x48xf32>, tensor<4x32x1xi32>) -> tensor<4x32x48xf32>
    %7 = stablehlo.broadcast_in_dim %arg23, dims = [1, 2] : (tensor<32x48xf32>) -> tensor<1x32x48xf32>
    %8 = stablehlo.broadcast_in_dim %7, dims = [0, 1, 2] : (tensor<1x32x48xf32>) -> tensor<4x32x48xf32>
    %9 = stablehlo.add %6, %8 : tensor<4x32x48xf32>
    %10 = stablehlo.reduce(%9 init: %cst_9) applies stablehlo.add across dimensions = [2] : (tensor<4x32x48xf32>, tensor<f32>) -> tensor<4x32xf32>
    %11 = stablehlo.broadcast_in_dim %10, dims = [0, 1] : (tensor<4x32xf32>) -> tensor<4x32x1xf32>
    %12 = stablehlo.broadcast_in_dim %cst_8, dims = [] : (tensor<f32>) -> tensor<4x32x1xf32>
    %13 = stablehlo.divide %11, %12 : tensor<4x32x1xf32>
    %14 = stablehlo.broadcast_in_dim %13, dims = [0, 1, 2] : (tensor<4x32x1xf32>) -> tensor<4x32x48xf32>
    %15 = stablehlo.subtract %9, %14 : tensor<4x32x48xf32>
    %16 = stablehlo.multiply %15, %15 : tensor<4x32x48xf32>
    %17 = stablehlo.reduce(%16 init: %cst_9) applies stablehlo.add across dimensions = [2] : (tensor<4x32x48xf32>, tensor<f32>) -> tensor<4x32xf32>
    %18 = stablehlo.broadcast_in_dim %17, dims = [0, 1] : (tensor<4x32xf32>) -> tensor<4x32x1xf32>
    %19 = stablehlo.broadcast_in_dim %cst_8, dims = [] : (tensor<f32>) -> tensor<4x32x1xf32>
    %20 = stablehlo.divide %18, %19 : tensor<4x32x1xf32>
    %21 = stablehlo.broadcast_in_dim %13, dims = [0, 1, 2] : (tensor<4x32x1xf32>) -> tensor<4x32x48xf32>
    %22 = stablehlo.subtract %9, %21 : tensor<4x32x48xf32>
    %23 = stablehlo.broadcast_in_dim %cst_7, dims = [] : (tensor<f32>) -> tensor<4x32x1xf32>
    %24 = stablehlo.add %20, %23 : tensor<4x32x1xf32>
    %25 = stablehlo.rsqrt %24 : tensor<4x32x1xf32>
    %26 = stablehlo.broadcast_in_dim %25, dims = [0, 1, 2] : (tensor<4x32x1xf32>) -> tensor<4x32x48xf32>
    %27 = stablehlo.multiply %22, %26 : tensor<4x32x48xf32>
    %28 = stablehlo.broadcast_in_dim %arg5, dims = [2] : (tensor<48xf32>) -> tensor<1x1x48xf32>
    %29 = stablehlo.broadcast_in_dim %28, dims = [0, 1, 2] : (tensor<1x1x48xf32>) -> tensor<4x32x48xf32>
    %30 = stablehlo.multiply %27, %29 : tensor<4x32x48xf32>
    %31 = stablehlo.broadcast_in_dim %arg4, dims = [2] : (tensor<48xf32>) -> tensor<1x1x48xf32>
    %32 = stablehlo.broadcast_in_dim %31, dims = [0, 1, 2] : (tensor<1x1x48xf32>) -> tensor<4x32x48xf32>
    %33 = stablehlo.add %30, %32 : tensor<4x32x48xf32>
    %34 = stablehlo.dot_general %33, %arg9, contracting_dims = [2] x [0] : (tensor<4x32x48xf32>, tensor<48x144xf32>) -> tensor<4x32x144xf32>
    %35 = stablehlo.slice %34 [0:4, 0:32, 0:48] : (tensor<4x32x144xf32>) -> tensor<4x32x48xf32>
    %36 = stablehlo.slice %34 [0:4, 0:32, 48:96] : (tensor<4x32x144xf32>) -> tensor<4x32x48xf32>
    %37 = stablehlo.slice %34 [0:4, 0:32, 96:144] : (tensor<4x32x144xf32>) -> tensor<4x32x48xf32>
    %38 = stablehlo.reshape %35 : (tensor<4x32x48xf32>) -> tensor<4x32x4x12xf32>
    %39 = stablehlo.reshape %36 : (tensor<4x32x48xf32>) -> tensor<4x32x4x12xf32>
    %40 = stablehlo.reshape %37 : (tensor<4x32x48xf32>) -> tensor<4x32x4x12xf32>
    %41 = stablehlo.dot_general %38, %39, batching_dims = [0, 2] x [0, 2], contracting_dims = [3] x [3] : (tensor<4x32x4x12xf32>, tensor<4x32x4x12xf32>) -> tensor<4x4x32x32xf32>
    %42 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<f32>) -> tensor<4x4x32x32xf32>
    %43 = stablehlo.divide %41, %42 : tensor<4x4x32x32xf32>
    %44 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i1>) -> tensor<32x32xi1>
    %45 = call @tril(%44) : (tensor<32x32xi1>) -> tensor<32x32xi1>
    %46 = call @_where(%45, %43, %cst_5) : (tensor<32x32xi1>, tensor<4x4x32x32xf32>, tensor<f32>) -> tensor<4x4x32x32xf32>
    %47 = stablehlo.reduce(%46 init: %cst_4) applies stablehlo.maximum across dimensions = [3] : (tensor<4x4x32x32xf32>, tensor<f32>) -> tensor<4x4x32xf32>
    %48 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<4x4x32xf32>
    %49 = stablehlo.maximum %48, %47 : tensor<4x4x32xf32>
    %50 = stablehlo.broadcast_in_dim %49, dims = [0, 1, 2] : (tensor<4x4x32xf32>) -> tensor<4x4x32x1xf32>
    %51 = stablehlo.broadcast_in_dim %50, dims = [0, 1, 2, 3] : (tensor<4x4x32x1xf32>) -> tensor<4x4x32x32xf32>
    %52 = stablehlo.subtract %46, %51 : tensor<4x4x32x32xf32>
    %53 = stablehlo.exponential %52 : tensor<4x4x32x32xf32>
    %54 = stablehlo.reduce(%53 init: %cst_9) applies stablehlo.add across dimensions = [3] : (tensor<4x4x32x32xf32>, tensor<f32>) -> tensor<4x4x32xf32>
    %55 = stablehlo.broadcast_in_dim %54, dims = [0, 1, 2] : (tensor<4x4x32xf32>) -> tensor<4x4x32x1xf32>
    %56 = stablehlo.broadcast_in_dim %55, dims = [0, 1, 2, 3] : (tensor<4x4x32x1xf32>) -> tensor<4x4x32x32xf32>
    %57 = stablehlo.divide %53, %56 : tensor<4x4x32x32xf32>
    %58 = stablehlo.dot_general %40, %57, batching_dims = [0, 2] x [0, 1], contracting_dims = [1] x [3] : (tensor<4x32x4x12xf32>, tensor<4x4x32x32xf32>) -> tensor<4x4x12x32xf32>
    %59 = stablehlo.transpose %58, dims = [0, 3, 1, 2] : (tensor<4x4x12x32xf32>) -> tensor<4x32x4x12xf32>
    %60 = stablehlo.reshape %59 : (tensor<4x32x4x12xf32>) -> tensor<4x32x48xf32>
    %61 = stablehlo.dot_general %60, %arg8, contracting_dims = [2] x [0] : (tensor<4x32x48xf32>, tensor<48x48xf32>) -> tensor<4x32x48xf32>
    %62 = stablehlo.add %9, %61 : tensor<4x32x48xf32>
    %63 = stablehlo.reduce(%62 init: %cst_9) applies stablehlo.add across dimensions = [2] : (tensor<4x32x48xf32>, tensor<f32>) -> tensor<4x32xf32>
    %64 = stablehlo.broadcast_in_dim %63, dims = [0, 1] : (tensor<4x32xf32>) -> tensor<4x32x1xf32>
    %65 = stablehlo.broadcast_in_dim %cst_8, dims = [] : (tensor<f32>) -> tensor<4x32x1xf32>
    %66 = stablehlo.divide %64, %65 : tensor<4x32x1xf32>
    %67 = stablehlo.broadcast_in_dim %66, dims = [0, 1, 2] : (tensor<4x32x1xf32>) -> tensor<4x32x48xf32>
    %68 = stablehlo.subtract %62, %67 : tensor<4x32x48xf32>
    %69 = stablehlo.multiply %68, %68 : tensor<4x32x48xf32>
    %70 = stablehlo.reduce(%69 init: %cst_9) applies stablehlo.add across dimensions = [2] : (tensor<4x32x48xf32>, tensor<f32>) -> tensor<4x32xf32>
    %71 = stablehlo.broadcast_in_dim %70, dims = [0, 1] : (tensor<4x32xf32>) -> tensor<4x32x1xf32>
    %72 = stablehlo.broadcast_in_dim %cst_8, dims = [] : (tensor<f32>) -> tensor<4x32x1xf32>
    %73 = stablehlo.divide %71, %72 : tensor<4x32x1xf32>
    %74 = stablehlo.broadcast_in_dim %66, dims = [0, 1, 2] : (tensor<4x32x1xf32>) -> tensor<4x32x48xf32>
    %75 = stablehlo.subtract %62, %74 : tensor<4x32x48xf32>
    %76 = stablehlo.broadcast_in_dim %cst_7, dims = [] : (tensor<f32>) -> tensor<4x32x1xf32>
    %77 = stablehlo.add %73, %76 : tensor<4x32x1xf32>
    %78 = stablehlo.rsqrt %77 : tensor<4x32x1xf32>
    %79 = stablehlo.broadcast_in_dim %78, dims = [0, 1, 2] : (tensor<4x32x1xf32>) -> tensor<4x32x48xf32>
    %80 = stablehlo.multiply %75, %79 : tensor<4x32x48xf32>
    %81 = stablehlo.broadcast_in_dim %arg7, dims = [2] : (tensor<48xf32>) -> tensor<1x1x48xf32>
    %82 = stablehlo.broadcast_in_dim %81, dims = [0, 1, 2] : (tensor<1x1x48xf32>) -> tensor<4x32x48xf32>
    %83 = stablehlo.multiply %80, %82 : tensor<4x32x48xf32>
    %84 = stablehlo.broadcast_in_dim %arg6, dims = [2] : (tensor<48xf32>) -> tensor<1x1x48xf32>
    %85 = stablehlo.broadcast_in_dim %84, dims = [0, 1, 2] : (tensor<1x1x48xf32>) -> tensor<4x32x48xf32>
    %86 = stablehlo.add %83, %85 : tensor<4x32x48xf32>
    %87 = stablehlo.dot_general %86, %arg1, contracting_dims = [2] x [0] : (tensor<4x32x48xf32>, tensor<48x192xf32>) -> tensor<4x32x192xf32>
    %88 = stablehlo.broadcast_in_dim %arg0, dims = [2] : (tensor<192xf32>) -> tensor<1x1x192xf32>
    %89 = stablehlo.broadcast_in_dim %88, dims = [0, 1, 2] : (tensor<1x1x192xf32>) -> tensor<4x32x192xf32>
    %90 = stablehlo.add %87, %89 : tensor<4x32x192xf32>
    %91 = stablehlo.multiply %90, %90 : tensor<4x32x192xf32>
    %92 = stablehlo.multiply %91, %90 : tensor<4x32x192xf32>
    %93 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<4x32x192xf32>
    %94 = stablehlo.multiply %93, %92 : tensor<4x32x192xf32>
    %95 = stablehlo.add %90, %94 : tensor<4x32x192xf32>
    %96 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<4x32x192xf32>
    %97 = stablehlo.multiply %96, %95 : tensor<4x32x192xf32>
    %98 = stablehlo.tanh %97 : tensor<4x32x192xf32>
    %99 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<4x32x192xf32>
    %100 = stablehlo.add %99, %98 : tensor<4x32x192xf32>
    %101 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<4x32x192xf32>
    %102 = stablehlo.multiply %101, %100 : tensor<4x32x192xf32>
    %103 = stablehlo.multiply %90, %102 : tensor<4x32x192xf32>
    %104 = stablehlo.dot_general %103, %arg3, contracting_dims = [2] x [0] : (tensor<4x32x192xf32>, tensor<192x48xf32>) -> tensor<4x32x48xf32>
    %105 = stablehlo.add %62, %104 : tensor<4x32x48xf32>
    %106 = stablehlo.broadcast_in_dim %arg2, dims = [2] : (tensor<48xf32>) -> tensor<1x1x48xf32>
    %107 = stablehlo.broadcast_in_dim %106, dims = [0, 1, 2] : (tensor<1x1x48xf32>) -> tensor<4x32x48xf32>
    %108 = stablehlo.add %105, %107 : tensor<4x32x48xf32>
    %109 = stablehlo.reduce(%108 init: %cst_9) applies stablehlo.add across dimensions = [2] : (tensor<4x32x48xf32>, tensor<f32>) -> tensor<4x32xf32>
    %110 = stablehlo.broadcast_in_dim %109, dims = [0, 1] : (tensor<4x32xf32>) -> tensor<4x32x1xf32>
    %111 = stablehlo.broadcast_in_dim %cst_8, dims = [] : (tensor<f32>) -> tensor<4x32x1xf32>
    %112 = stablehlo.divide %110, %111 : tensor<4x32x1xf32>
    %113 = stablehlo.broadcast_in_dim %112, dims = [0, 1, 2] : (tensor<4x32x1xf32>) -> tensor<4x32x48xf32>
    %114 = stablehlo.subtract %108, %113 : tensor<4x32x48xf32>
    %115 = stablehlo.multiply %114, %114 : tensor<4x32x48xf32>
    %116 = stablehlo.reduce(%115 init: %cst_9) applies stablehlo.add across dimensions = [2] : (tensor<4x32x48xf32>, tensor<f32>) -> tensor<4x32xf32>
    %117 = stablehlo.broadcast_in_dim %116, dims = [0, 1] : (tensor<4x32xf32>) -> tensor<4x32x1xf32>
    %118 = stablehlo.broadcast_in_dim %cst_8, dims = [] : (tensor<f32>) -> tensor<4x32x1xf32>
    %119 = stablehlo.divide %117, %118 : tensor<4x32x1xf32>
    %120 = stablehlo.broadcast_in_dim %112, dims = [0, 1, 2] : (tensor<4x32x1xf32>) -> tensor<4x32x48xf32>
    %121 = stablehlo.subtract %108, %120 : tensor<4x32x48xf32>
    %122 = stablehlo.broadcast_in_dim %cst_7, dims = [] : (tensor<f32>) -> tensor<4x32x1xf32>
    %123 = stablehlo.add %119, %122 : tensor<4x32x1xf32>
    %124 = stablehlo.rsqrt %123 : tensor<4x32x1xf32>
    %125 = stablehlo.broadcast_in_dim %124, dims = [0, 1, 2] : (tensor<4x32x1xf32>) -> tensor<4x32x48xf32>
    %126 = stablehlo.multiply %121, %125 : tensor<4x32x48xf32>
    %127 = stablehlo.broadcast_in_dim %arg15, dims = [2] : (tensor<48xf32>) -> tensor<1x1x48xf32>
    %128 = stablehlo.broadcast_in_dim %127, dims = [0, 1, 2] : (tensor<1x1x48xf32>) -> tensor<4x32x48xf32>
    %129 = stablehlo.multiply %126, %128 : tensor<4x32x48xf32>
    %130 = stablehlo.broadcast_in_dim %arg14, dims = [2] : (tensor<48xf32>) -> tensor<1x1x48xf32>
    %131 = stablehlo.broadcast_in_dim %130, dims = [0, 1, 2] : (tensor<1x1x48xf32>) -> tensor<4x32x48xf32>
    %132 = stablehlo.add %129, %131 : tensor<4x32x48xf32>
    %133 = stablehlo.dot_general %132, %arg19, contracting_dims = [2] x [0] : (tensor<4x32x48xf32>, tensor<48x144xf32>) -> tensor<4x32x144xf32>
    %134 = stablehlo.slice %133 [0:4, 0:32, 0:48] : (tensor<4x32x144xf32>) -> tensor<4x32x48xf32>
    %135 = stablehlo.slice %133 [0:4, 0:32, 48:96] : (tensor<4x32x144xf32>) -> tensor<4x32x48xf32>
    %136 = stablehlo.slice %133 [0:4, 0:32, 96:144] : (tensor<4x32x144xf32>) -> tensor<4x32x48xf32>
    %137 = stablehlo.reshape %134 : (tensor<4x32x48xf32>) -> tensor<4x32x4x12xf32>
    %138 = stablehlo.reshape %135 : (tensor<4x32x48xf32>) -> tensor<4x32x4x12xf32>
    %139 = stablehlo.reshape %136 : (tensor<4x32x48xf32>) -> tensor<4x32x4x12xf32>
    %140 = stablehlo.dot_general %137, %138, batching_dims = [0, 2] x [0, 2], contracting_dims = [3] x [3] : (tensor<4x32x4x12xf32>, tensor<4x32x4x12xf32>) -> tensor<4x4x32x32xf32>
    %141 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<f32>) -> tensor<4x4x32x32xf32>
    %142 = stablehlo.divide %140, %141 : tensor<4x4x32x32xf32>
    %143 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i1>) -> tensor<32x32xi1>
    %144 = call @tril(%143) : (tensor<32x32xi1>) -> tensor<32x32xi1>
    %145 = call @_where(%144, %142, %cst_5) : (tensor<32x32xi1>, tensor<4x4x32x32xf32>, tensor<f32>) -> tensor<4x4x32x32xf32>
    %146 = stablehlo.reduce(%145 init: %cst_4) applies stablehlo.maximum across dimensions = [3] : (tensor<4x4x32x32xf32>, tensor<f32>) -> tensor<4x4x32xf32>
    %147 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<4x4x32xf32>
    %148 = stablehlo.maximum %147, %146 : tensor<4x4x32xf32>
    %149 = stablehlo.broadcast_in_dim %148, dims = [0, 1, 2] : (tensor<4x4x32xf32>) -> tensor<4x4x32x1xf32>
    %150 = stablehlo.broadcast_in_dim %149, dims = [0, 1, 2, 3] : (tensor<4x4x32x1xf32>) -> tensor<4x4x32x32xf32>
    %151 = stablehlo.subtract %145, %150 : tensor<4x4x32x32xf32>
    %152 = stablehlo.exponential %151 : tensor<4x4x32x32xf32>
    %153 = stablehlo.reduce(%152 init: %cst_9) applies stablehlo.add across dimensions = [3] : (tensor<4x4x32x32xf32>, tensor<f32>) -> tensor<4x4x32xf32>
    %154 = stablehlo.broadcast_in_dim %153, dims = [0, 1, 2] : (tensor<4x4x32xf32>) -> tensor<4x4x32x1xf32>
    %155 = stablehlo.broadcast_in_dim %154, dims = [0, 1, 2, 3] : (tensor<4x4x32x1xf32>) -> tensor<4x4x32x32xf32>
    %156 = stablehlo.divide %152, %155 : tensor<4x4x32x32xf32>
    %157 = stablehlo.dot_general %139, %156, batching_dims = [0, 2] x [0, 1], contracting_dims = [1] x [3] : (tensor<4x32x4x12xf32>, tensor<4x4x32x32xf32>) -> tensor<4x4x12x32xf32>
    %158 = stablehlo.transpose %157, dims = [0, 3, 1, 2] : (tensor<4x4x12x32xf32>) -> tensor<4x32x4x12xf32>
    %159 = stablehlo.reshape %158 : (tensor<4x32x4x12xf32>) -> tensor<4x32x48xf32>
    %160 = stablehlo.dot_general %159, %arg18, contracting_dims = [2] x [0] : (tensor<4x32x48xf32>, tensor<48x48xf32>) -> tensor<4x32x48xf32>
    %161 = stablehlo.add %108, %160 : tensor<4x32x48xf32>
    %162 = stablehlo.reduce(%161 init: %cst_9) applies stablehlo.add across dimensions = [2] : (tensor<4x32x48xf32>, tensor<f32>) -> tensor<4x32xf32>
    %163 = stablehlo.broadcast_in_dim %162, dims = [0, 1] : (tensor<4x32xf32>) -> tensor<4x32x1xf32>
    %164 = stablehlo.broadcast_in_dim %cst_8, dims = [] : (tensor<f32>) -> tensor<4x32x1xf32>
    %165 = stablehlo.divide %163, %164 : tensor<4x32x1xf32>
    %166 = stablehlo.broadcast_in_dim %165, dims = [0, 1, 2] : (tensor<4x32x1xf32>) -> tensor<4x32x48xf32>
    %167 = stablehlo.subtract %161, %166 : tensor<4x32x48xf32>
    %168 = stablehlo.multiply %167, %167 : tensor<4x32x48xf32>
    %169 = stablehlo.reduce(%168 init: %cst_9) applies stablehlo.add across dimensions = [2] : (tensor<4x32x48xf32>, tensor<f32>) -> tensor<4x32xf32>
    %170 = stablehlo.broadcast_in_dim %169, dims = [0, 1] : (tensor<4x32xf32>) -> tensor<4x32x1xf32>
    %171 = stablehlo.broadcast_in_dim %cst_8, dims = [] : (tensor<f32>) -> tensor<4x32x1xf32>
    %172 = stablehlo.divide %170, %171 : tensor<4x32x1xf32>
    %173 = stablehlo.broadcast_in_dim %165, dims = [0, 1, 2] : (tensor<4x32x1xf32>) -> tensor<4x32x48xf32>
    %174 = stablehlo.subtract %161, %173 : tensor<4x32x48xf32>
    %175 = stablehlo.broadcast_in_dim %cst_7, dims = [] : (tensor<f32>) -> tensor<4x32x1xf32>
    %176 = stablehlo.add %172, %175 : tensor<4x32x1xf32>
    %177 = stablehlo.rsqrt %176 : tensor<4x32x1xf32>
    %178 = stablehlo.broadcast_in_dim %177, dims = [0, 1, 2] : (tensor<4x32x1xf32>) -> tensor<4x32x48xf32>
    %179 = stablehlo.multiply %174, %178 : tensor<4x32x48xf32>
    %180 = stablehlo.broadcast_in_dim %arg17, dims = [2] : (tensor<48xf32>) -> tensor<1x1x48xf32>
    %181 = stablehlo.broadcast_in_dim %180, dims = [0, 1, 2] : (tensor<1x1x48xf32>) -> tensor<4x32x48xf32>
    %182 = stablehlo.multiply %179, %181 : tensor<4x32x48xf32>
    %183 = stablehlo.broadcast_in_dim %arg16, dims = [2] : (tensor<48xf32>) -> tensor<1x1x48xf32>
    %184 = stablehlo.broadcast_in_dim %183, dims = [0, 1, 2] : (tensor<1x1x48xf32>) -> tensor<4x32x48xf32>
    %185 = stablehlo.add %182, %184 : tensor<4x32x48xf32>
    %186 = stablehlo.dot_general %185, %arg11, contracting_dims = [2] x [0] : (tensor<4x32x48xf32>, tensor<48x192xf32>) -> tensor<4x32x192xf32>
    %187 = stablehlo.broadcast_in_dim %arg10, dims = [2] : (tensor<192xf32>) -> tensor<1x1x192xf32>
    %188 = stablehlo.broadcast_in_dim %187, dims = [0, 1, 2] : (tensor<1x1x192xf32>) -> tensor<4x32x192xf32>
    %189 = stablehlo.add %186, %188 : tensor<4x32x192xf32>
    %190 = stablehlo.multiply %189, %189 : tensor<4x32x192xf32>
    %191 = stablehlo.multiply %190, %189 : tensor<4x32x192xf32>
    %192 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<4x32x192xf32>
    %193 = stablehlo.multiply %192, %191 : tensor<4x32x192xf32>
    %194 = stablehlo.add %189, %193 : tensor<4x32x192xf32>
    %195 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<4x32x192xf32>
    %196 = stablehlo.multiply %195, %194 : tensor<4x32x192xf32>
    %197 = stablehlo.tanh %196 : tensor<4x32x192xf32>
    %198 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<4x32x192xf32>
    %199 = stablehlo.add %198, %197 : tensor<4x32x192xf32>
    %200 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<4x32x192xf32>
    %201 = stablehlo.multiply %200, %199 : tensor<4x32x192xf32>
    %202 = stablehlo.multiply %189, %201 : tensor<4x32x192xf32>
    %203 = stablehlo.dot_general %202, %arg13, contracting_dims = [2] x [0] : (tensor<4x32x192xf32>, tensor<192x48xf32>) -> tensor<4x32x48xf32>
    %204 = stablehlo.add %161, %203 : tensor<4x32x48xf32>
    %205 = stablehlo.broadcast_in_dim %arg12, dims = [2] : (tensor<48xf32>) -> tensor<1x1x48xf32>
    %206 = stablehlo.broadcast_in_dim %205, dims = [0, 1, 2] : (tensor<1x1x48xf32>) -> tensor<4x32x48xf32>
    %207 = stablehlo.add %204, %206 : tensor<4x32x48xf32>
    %208 = stablehlo.reduce(%207 init: %cst_9) applies stablehlo.add across dimensions = [2] : (tensor<4x32x48xf32>, tensor<f32>) -> tensor<4x32xf32>
    %209 = stablehlo.broadcast_in_dim %208, dims = [0, 1] : (tensor<4x32xf32>) -> tensor<4x32x1xf32>
    %210 = stablehlo.broadcast_in_dim %cst_8, dims = [] : (tensor<f32>) -> tensor<4x32x1xf32>
    %211 = stablehlo.divide %209, %210 : tensor<4x32x1xf32>
    %212 = stablehlo.broadcast_in_dim %211, dims = [0, 1, 2] : (tensor<4x32x1xf32>) -> tensor<4x32x48xf32>
    %213 = stablehlo.subtract %207, %212 : tensor<4x32x48xf32>
    %214 = stablehlo.multiply %213, %213 : tensor<4x32x48xf32>
    %215 = stablehlo.reduce(%214 init: %cst_9) applies stablehlo.add across dimensions = [2] : (tensor<4x32x48xf32>, tensor<f32>) -> tensor<4x32xf32>
    %216 = stablehlo.broadcast_in_dim %215, dims = [0, 1] : (tensor<4x32xf32>) -> tensor<4x32x1xf32>
    %217 = stablehlo.broadcast_in_dim %cst_8, dims = [] : (tensor<f32>) -> tensor<4x32x1xf32>
    %218 = stablehlo.divide %216, %217 : tensor<4x32x1xf32>
    %219 = stablehlo.broadcast_in_dim %211, dims = [0, 1, 2] : (tensor<4x32x1xf32>) -> tensor<4x32x48xf32>
    %220 = stablehlo.subtract %207, %219 : tensor<4x32x48xf32>
    %221 = stablehlo.broadcast_in_dim %cst_7, dims = [] : (tensor<f32>) -> tensor<4x32x1xf32>
    %222 = stablehlo.add %218, %221 : tensor<4x32x1xf32>
    %223 = stablehlo.rsqrt %222 : tensor<4x32x1xf32>
    %224 = stablehlo.broadcast_in_dim %223, dims = [0, 1, 2] : (tensor<4x32x1xf32>) -> tensor<4x32x48xf32>
    %225 = stablehlo.multiply %220, %224 : tensor<4x32x48xf32>
    %226 = stablehlo.broadcast_in_dim %arg22, dims = [2] : (tensor<48xf32>) -> tensor<1x1x48xf32>
    %227 = stablehlo.broadcast_in_dim %226, dims = [0, 1, 2] : (tensor<1x1x48xf32>) -> tensor<4x32x48xf32>
    %228 = stablehlo.multiply %225, %227 : tensor<4x32x48xf32>
    %229 = stablehlo.broadcast_in_dim %arg21, dims = [2] : (tensor<48xf32>) -> tensor<1x1x48xf32>
    %230 = stablehlo.broadcast_in_dim %229, dims = [0, 1, 2] : (tensor<1x1x48xf32>) -> tensor<4x32x48xf32>
    %231 = stablehlo.add %228, %230 : tensor<4x32x48xf32>
    %232 = stablehlo.transpose %arg20, dims = [1, 0] : (tensor<256x48xf32>) -> tensor<48x256xf32>
    %233 = stablehlo.dot_general %231, %232, contracting_dims = [2] x [0] : (tensor<4x32x48xf32>, tensor<48x256xf32>) -> tensor<4x32x256xf32>
    %234 = stablehlo.reduce(%233 init: %cst_4) applies stablehlo.maximum across dimensions = [2] : (tensor<4x32x256xf32>, tensor<f32>) -> tensor<4x32xf32>
    %235 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<4x32xf32>
    %236 = stablehlo.maximum %235, %234 : tensor<4x32xf32>
    %237 = stablehlo.is_finite %236 : (tensor<4x32xf32>) -> tensor<4x32xi1>
    %238 = stablehlo.broadcast_in_dim %cst_9, dims = [] : (tensor<f32>) -> tensor<4x32xf32>
    %239 = stablehlo.select %237, %236, %238 : tensor<4x32xi1>, tensor<4x32xf32>
    %240 = stablehlo.broadcast_in_dim %239, dims = [0, 1] : (tensor<4x32xf32>) -> tensor<4x32x1xf32>
    %241 = stablehlo.broadcast_in_dim %240, dims = [0, 1, 2] : (tensor<4x32x1xf32>) -> tensor<4x32x256xf32>
    %242 = stablehlo.subtract %233, %241 : tensor<4x32x256xf32>
    %243 = stablehlo.exponential %242 : tensor<4x32x256xf32>
    %244 = stablehlo.reduce(%243 init: %cst_9) applies stablehlo.add across dimensions = [2] : (tensor<4x32x256xf32>, tensor<f32>) -> tensor<4x32xf32>
    %245 = stablehlo.abs %244 : tensor<4x32xf32>
    %246 = stablehlo.log %245 : tensor<4x32xf32>
    %247 = stablehlo.add %246, %239 : tensor<4x32xf32>
    %248 = stablehlo.broadcast_in_dim %arg24, dims = [0, 1] : (tensor<4x32xi32>) -> tensor<4x32x1xi32>
    %249 = call @take_along_axis(%233, %248) : (tensor<4x32x256xf32>, tensor<4x32x1xi32>) -> tensor<4x32x1xf32>
    %250 = stablehlo.reshape %249 : (tensor<4x32x1xf32>) -> tensor<4x32xf32>
    %251 = stablehlo.subtract %247, %250 : tensor<4x32xf32>
    %252 = stablehlo.reduce(%251 init: %cst_9) applies stablehlo.add across dimensions = [0, 1] : (tensor<4x32xf32>, tensor<f32>) -> tensor<f32>
    %253 = stablehlo.divide %252, %cst : tensor<f32>
    return %253 : tensor<f32>
  }
  func.func private @tril(%arg0: tensor<32x32xi1>) -> tensor<32x32xi1> {
    %c = stablehlo.constant dense<false> : tensor<i1>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.iota dim = 0 : tensor<32x32xi32>
    %1 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<32x32xi32>
    %2 = stablehlo.add %0, %1 : tensor<32x32xi32>
    %3 = stablehlo.iota dim = 1 : tensor<32x32xi32>
    %4 = stablehlo.compare GE, %2, %3, SIGNED : (tensor<32x32xi32>, tensor<32x32xi32>) -> tensor<32x32xi1>
    %5 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i1>) -> tensor<32x32xi1>
    %6 = stablehlo.select %4, %arg0, %5 : tensor<32x32xi1>, tensor<32x32xi1>
    return %6 : tensor<32x32xi1>
  }
  func.func private @_where(%arg0: tensor<32x32xi1>, %arg1: tensor<4x4x32x32xf32>, %arg2: tensor<f32>) -> tensor<4x4x32x32xf32> {
    %0 = stablehlo.broadcast_in_dim %arg0, dims = [2, 3] : (tensor<32x32xi1>) -> tensor<4x4x32x32xi1>
    %1 = stablehlo.broadcast_in_dim %arg2, dims = [] : (tensor<f32>) -> tensor<4x4x32x32xf32>
    %2 = stablehlo.select %0, %arg1, %1 : tensor<4x4x32x32xi1>, tensor<4x4x32x32xf32>
    return %2 : tensor<4x4x32x32xf32>
  }
  func.func private @take_along_axis(%arg0: tensor<4x32x256xf32>, %arg1: tensor<4x32x1xi32>) -> tensor<4x32x1xf32> {
    %cst = stablehlo.constant dense<0x7FC00000> : tensor<f32>
    %c = stablehlo.constant dense<true> : tensor<i1>
    %c_0 = stablehlo.constant dense<255> : tensor<1xi32>
    %c_1 = stablehlo.constant dense<256> : tensor<i32>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i32>) -> tensor<4x32x1xi32>
    %1 = stablehlo.compare LT, %arg1, %0, SIGNED : (tensor<4x32x1xi32>, tensor<4x32x1xi32>) -> tensor<4x32x1xi1>
    %2 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<i32>) -> tensor<4x32x1xi32>
    %3 = stablehlo.add %arg1, %2 : tensor<4x32x1xi32>
    %4 = stablehlo.select %1, %3, %arg1 : tensor<4x32x1xi1>, tensor<4x32x1xi32>
    %5 = stablehlo.reshape %4 : (tensor<4x32x1xi32>) -> tensor<4x32x1x1xi32>
    %6 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i32>) -> tensor<4x32x1x1xi32>
    %7 = stablehlo.compare GE, %5, %6, SIGNED : (tensor<4x32x1x1xi32>, tensor<4x32x1x1xi32>) -> tensor<4x32x1x1xi1>
    %8 = stablehlo.broadcast_in_dim %c_0, dims = [3] : (tensor<1xi32>) -> tensor<1x1x1x1xi32>
    %9 = stablehlo.broadcast_in_dim %8, dims = [0, 1, 2, 3] : (tensor<1x1x1x1xi32>) -> tensor<4x32x1x1xi32>
    %10 = stablehlo.compare LE, %5, %9, SIGNED : (tensor<4x32x1x1xi32>, tensor<4x32x1x1xi32>) -> tensor<4x32x1x1xi1>
    %11 = stablehlo.and %7, %10 : tensor<4x32x1x1xi1>
    %12 = stablehlo.reduce(%11 init: %c) applies stablehlo.and across dimensions = [3] : (tensor<4x32x1x1xi1>, tensor<i1>) -> tensor<4x32x1xi1>
    %13 = "stablehlo.gather"(%arg0, %5) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [2], operand_batching_dims = [0, 1], start_indices_batching_dims = [0, 1], start_index_map = [2], index_vector_dim = 3>, slice_sizes = array<i64: 1, 1, 1>}> : (tensor<4x32x256xf32>, tensor<4x32x1x1xi32>) -> tensor<4x32x1xf32>
    %14 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<4x32x1xf32>
    %15 = stablehlo.select %12, %13, %14 : tensor<4x32x1xi1>, tensor<4x32x1xf32>
    return %15 : tensor<4x32x1xf32>
  }
}

