module @mixer attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<16x32xf32>, %arg1: tensor<32x16xf32>, %arg2: tensor<10xf32>, %arg3: tensor<16x10xf32>, %arg4: tensor<16xf32>, %arg5: tensor<16xf32>, %arg6: tensor<16xf32>, %arg7: tensor<16xf32>, %arg8: tensor<16xf32>, %arg9: tensor<4x16xf32>, %arg10: tensor<16x24xf32>, %arg11: tensor<24x16xf32>, %arg12: tensor<16x64xf32>, %arg13: tensor<16xi32>) -> (tensor<f32> {jax.result_info = "result"}) {
    %cst = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %cst_0 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %cst_1 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %cst_2 = stablehlo.constant dense<0.797884583> : tensor<f32>
    %cst_3 = stablehlo.constant dense<4.471500e-02> : tensor<f32>
    %cst_4 = stablehlo.constant dense<9.99999974E-6> : tensor<f32>
    %cst_5 = stablehlo.constant dense<1.600000e+01> : tensor<f32>
    %cst_6 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.reshape %arg12 : (tensor<16x64xf32>) -> tensor<16x4x2x4x2xf32>
    %1 = stablehlo.transpose %0, dims = [0, 1, 3, 2, 4] : (tensor<16x4x2x4x2xf32>) -> tensor<16x4x4x2x2xf32>
    %2 = stablehlo.reshape %1 : (tensor<16x4x4x2x2xf32>) -> tensor<16x16x4xf32>
    %3 = stablehlo.dot_general %2, %arg9, contracting_dims = [2] x [0] : (tensor<16x16x4xf32>, tensor<4x16xf32>) -> tensor<16x16x16xf32>
    %4 = stablehlo.broadcast_in_dim %arg8, dims = [2] : (tensor<16xf32>) -> tensor<1x1x16xf32>
    %5 = stablehlo.broadcast_in_dim %4, dims = [0, 1, 2] : (tensor<1x1x16xf32>) -> tensor<16x16x16xf32>
    %6 = stablehlo.add %3, %5 : tensor<16x16x16xf32>
    %7 = stablehlo.reduce(%6 init: %cst_6) applies stablehlo.add across dimensions = [2] : (tensor<16x16x16xf32>, tensor<f32>) -> tensor<16x16xf32>
    %8 = stablehlo.broadcast_in_dim %7, dims = [0, 1] : (tensor<16x16xf32>) -> tensor<16x16x1xf32>
    %9 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<16x16x1xf32>
    %10 = stablehlo.divide %8, %9 : tensor<16x16x1xf32>
    %11 = stablehlo.broadcast_in_dim %10, dims = [0, 1, 2] : (tensor<16x16x1xf32>) -> tensor<16x16x16xf32>
    %12 = stablehlo.subtract %6, %11 : tensor<16x16x16xf32>
    %13 = stablehlo.multiply %12, %12 : tensor<16x16x16xf32>
    %14 = stablehlo.reduce(%13 init: %cst_6) applies stablehlo.add across dimensions = [2] : (tensor<16x16x16xf32>, tensor<f32>) -> tensor<16x16xf32>
    %15 = stablehlo.broadcast_in_dim %14, dims = [0, 1] : (tensor<16x16xf32>) -> tensor<16x16x1xf32>
    %16 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<16x16x1xf32>
    %17 = stablehlo.divide %15, %16 : tensor<16x16x1xf32>
    %18 = stablehlo.broadcast_in_dim %10, dims = [0, 1, 2] : (tensor<16x16x1xf32>) -> tensor<16x16x16xf32>
    %19 = stablehlo.subtract %6, %18 : tensor<16x16x16xf32>
    %20 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<16x16x1xf32>
    %21 = stablehlo.add %17, %20 : tensor<16x16x1xf32>
    %22 = stablehlo.rsqrt %21 : tensor<16x16x1xf32>
    %23 = stablehlo.broadcast_in_dim %22, dims = [0, 1, 2] : (tensor<16x16x1xf32>) -> tensor<16x16x16xf32>
    %24 = stablehlo.multiply %19, %23 : tensor<16x16x16xf32>
    %25 = stablehlo.broadcast_in_dim %arg5, dims = [2] : (tensor<16xf32>) -> tensor<1x1x16xf32>
    %26 = stablehlo.broadcast_in_dim %25, dims = [0, 1, 2] : (tensor<1x1x16xf32>) -> tensor<16x16x16xf32>
    %27 = stablehlo.multiply %24, %26 : tensor<16x16x16xf32>
    %28 = stablehlo.broadcast_in_dim %arg4, dims = [2] : (tensor<16xf32>) -> tensor<1x1x16xf32>
    %29 = stablehlo.broadcast_in_dim %28, dims = [0, 1, 2] : (tensor<1x1x16xf32>) -> tensor<16x16x16xf32>
    %30 = stablehlo.add %27, %29 : tensor<16x16x16xf32>
    %31 = stablehlo.transpose %30, dims = [0, 2, 1] : (tensor<16x16x16xf32>) -> tensor<16x16x16xf32>
    %32 = stablehlo.dot_general %31, %arg10, contracting_dims = [2] x [0] : (tensor<16x16x16xf32>, tensor<16x24xf32>) -> tensor<16x16x24xf32>
    %33 = stablehlo.multiply %32, %32 : tensor<16x16x24xf32>
    %34 = stablehlo.multiply %33, %32 : tensor<16x16x24xf32>
    %35 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<16x16x24xf32>
    %36 = stablehlo.multiply %35, %34 : tensor<16x16x24xf32>
    %37 = stablehlo.add %32, %36 : tensor<16x16x24xf32>
    %38 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<16x16x24xf32>
    %39 = stablehlo.multiply %38, %37 : tensor<16x16x24xf32>
    %40 = stablehlo.tanh %39 : tensor<16x16x24xf32>
    %41 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<16x16x24xf32>
    %42 = stablehlo.add %41, %40 : tensor<16x16x24xf32>
    %43 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<16x16x24xf32>
    %44 = stablehlo.multiply %43, %42 : tensor<16x16x24xf32>
    %45 = stablehlo.multiply %32, %44 : tensor<16x16x24xf32>
    %46 = stablehlo.dot_general %45, %arg11, contracting_dims = [2] x [0] : (tensor<16x16x24xf32>, tensor<24x16xf32>) -> tensor<16x16x16xf32>
    %47 = stablehlo.transpose %46, dims = [0, 2, 1] : (tensor<16x16x16xf32>) -> tensor<16x16x16xf32>
    %48 = stablehlo.add %6, %47 : tensor<16x16x16xf32>
    %49 = stablehlo.reduce(%48 init: %cst_6) applies stablehlo.add across dimensions = [2] : (tensor<16x16x16xf32>, tensor<f32>) -> tensor<16x16xf32>
    %50 = stablehlo.broadcast_in_dim %49, dims = [0, 1] : (tensor<16x16xf32>) -> tensor<16x16x1xf32>
    %51 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<16x16x1xf32>
    %52 = stablehlo.divide %50, %51 : tensor<16x16x1xf32>
    %53 = stablehlo.broadcast_in_dim %52, dims = [0, 1, 2] : (tensor<16x16x1xf32>) -> tensor<16x16x16xf32>
    %54 = stablehlo.subtract %48, %53 : tensor<16x16x16xf32>
    %55 = stablehlo.multiply %54, %54 : tensor<16x16x16xf32>
    %56 = stablehlo.reduce(%55 init: %cst_6) applies stablehlo.add across dimensions = [2] : (tensor<16x16x16xf32>, tensor<f32>) -> tensor<16x16xf32>
    %57 = stablehlo.broadcast_in_dim %56, dims = [0, 1] : (tensor<16x16xf32>) -> tensor<16x16x1xf32>
    %58 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<16x16x1xf32>
    %59 = stablehlo.divide %57, %58 : tensor<16x16x1xf32>
    %60 = stablehlo.broadcast_in_dim %52, dims = [0, 1, 2] : (tensor<16x16x1xf32>) -> tensor<16x16x16xf32>
    %61 = stablehlo.subtract %48, %60 : tensor<16x16x16xf32>
    %62 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<16x16x1xf32>
    %63 = stablehlo.add %59, %62 : tensor<16x16x1xf32>
    %64 = stablehlo.rsqrt %63 : tensor<16x16x1xf32>
    %65 = stablehlo.broadcast_in_dim %64, dims = [0, 1, 2] : (tensor<16x16x1xf32>) -> tensor<16x16x16xf32>
    %66 = stablehlo.multiply %61, %65 : tensor<16x16x16xf32>
    %67 = stablehlo.broadcast_in_dim %arg7, dims = [2] : (tensor<16xf32>) -> tensor<1x1x16xf32>
    %68 = stablehlo.broadcast_in_dim %67, dims = [0, 1, 2] : (tensor<1x1x16xf32>) -> tensor<16x16x16xf32>
    %69 = stablehlo.multiply %66, %68 : tensor<16x16x16xf32>
    %70 = stablehlo.broadcast_in_dim %arg6, dims = [2] : (tensor<16xf32>) -> tensor<1x1x16xf32>
    %71 = stablehlo.broadcast_in_dim %70, dims = [0, 1, 2] : (tensor<1x1x16xf32>) -> tensor<16x16x16xf32>
    %72 = stablehlo.add %69, %71 : tensor<16x16x16xf32>
    %73 = stablehlo.dot_general %72, %arg0, contracting_dims = [2] x [0] : (tensor<16x16x16xf32>, tensor<16x32xf32>) -> tensor<16x16x32xf32>
    %74 = stablehlo.multiply %73, %73 : tensor<16x16x32xf32>
    %75 = stablehlo.multiply %74, %73 : tensor<16x16x32xf32>
    %76 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<16x16x32xf32>
    %77 = stablehlo.multiply %76, %75 : tensor<16x16x32xf32>
    %78 = stablehlo.add %73, %77 : tensor<16x16x32xf32>
    %79 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<16x16x32xf32>
    %80 = stablehlo.multiply %79, %78 : tensor<16x16x32xf32>
    %81 = stablehlo.tanh %80 : tensor<16x16x32xf32>
    %82 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<16x16x32xf32>
    %83 = stablehlo.add %82, %81 : tensor<16x16x32xf32>
    %84 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<16x16x32xf32>
    %85 = stablehlo.multiply %84, %83 : tensor<16x16x32xf32>
    %86 = stablehlo.multiply %73, %85 : tensor<16x16x32xf32>
    %87 = stablehlo.dot_general %86, %arg1, contracting_dims = [2] x [0] : (tensor<16x16x32xf32>, tensor<32x16xf32>) -> tensor<16x16x16xf32>
    %88 = stablehlo.add %48, %87 : tensor<16x16x16xf32>
    %89 = stablehlo.reduce(%88 init: %cst_6) applies stablehlo.add across dimensions = [1] : (tensor<16x16x16xf32>, tensor<f32>) -> tensor<16x16xf32>
    %90 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<16x16xf32>
    %91 = stablehlo.divide %89, %90 : tensor<16x16xf32>
    %92 = stablehlo.dot_general %91, %arg3, contracting_dims = [1] x [0] : (tensor<16x16xf32>, tensor<16x10xf32>) -> tensor<16x10xf32>
    %93 = stablehlo.broadcast_in_dim %arg2, dims = [1] : (tensor<10xf32>) -> tensor<1x10xf32>
    %94 = stablehlo.broadcast_in_dim %93, dims = [0, 1] : (tensor<1x10xf32>) -> tensor<16x10xf32>
    %95 = stablehlo.add %92, %94 : tensor<16x10xf32>
    %96 = stablehlo.reduce(%95 init: %cst) applies stablehlo.maximum across dimensions = [1] : (tensor<16x10xf32>, tensor<f32>) -> tensor<16xf32>
    %97 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %98 = stablehlo.maximum %97, %96 : tensor<16xf32>
    %99 = stablehlo.is_finite %98 : (tensor<16xf32>) -> tensor<16xi1>
    %100 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %101 = stablehlo.select %99, %98, %100 : tensor<16xi1>, tensor<16xf32>
    %102 = stablehlo.broadcast_in_dim %101, dims = [0] : (tensor<16xf32>) -> tensor<16x1xf32>
    %103 = stablehlo.broadcast_in_dim %102, dims = [0, 1] : (tensor<16x1xf32>) -> tensor<16x10xf32>
    %104 = stablehlo.subtract %95, %103 : tensor<16x10xf32>
    %105 = stablehlo.exponential %104 : tensor<16x10xf32>
    %106 = stablehlo.reduce(%105 init: %cst_6) applies stablehlo.add across dimensions = [1] : (tensor<16x10xf32>, tensor<f32>) -> tensor<16xf32>
    %107 = stablehlo.abs %106 : tensor<16xf32>
    %108 = stablehlo.log %107 : tensor<16xf32>
    %109 = stablehlo.add %108, %101 : tensor<16xf32>
    %110 = stablehlo.broadcast_in_dim %arg13, dims = [0] : (tensor<16xi32>) -> tensor<16x1xi32>
    %111 = call @take_along_axis(%95, %110) : (tensor<16x10xf32>, tensor<16x1xi32>) -> tensor<16x1xf32>
    %112 = stablehlo.reshape %111 : (tensor<16x1xf32>) -> tensor<16xf32>
    %113 = stablehlo.subtract %109, %112 : tensor<16xf32>
    %114 = stablehlo.reduce(%113 init: %cst_6) applies stablehlo.add across dimensions = [0] : (tensor<16xf32>, tensor<f32>) -> tensor<f32>
    %115 = stablehlo.divide %114, %cst_5 : tensor<f32>
    return %115 : tensor<f32>
  }
  func.func private @take_along_axis(%arg0: tensor<16x10xf32>, %arg1: tensor<16x1xi32>) -> tensor<16x1xf32> {
    %cst = stablehlo.constant dense<0x7FC00000> : tensor<f32>
    %c = stablehlo.constant dense<true> : tensor<i1>
    %c_0 = stablehlo.constant dense<9> : tensor<1xi32>
    %c_1 = stablehlo.constant dense<10> : tensor<i32>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i32>) -> tensor<16x1xi32>
    %1 = stablehlo.compare LT, %arg1, %0, SIGNED : (tensor<16x1xi32>, tensor<16x1xi32>) -> tensor<16x1xi1>
    %2 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<i32>) -> tensor<16x1xi32>
    %3 = stablehlo.add %arg1, %2 : tensor<16x1xi32>
    %4 = stablehlo.select %1, %3, %arg1 : tensor<16x1xi1>, tensor<16x1xi32>
    %5 = stablehlo.reshape %4 : (tensor<16x1xi32>) -> tensor<16x1x1xi32>
    %6 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i32>) -> tensor<16x1x1xi32>
    %7 = stablehlo.compare GE, %5, %6, SIGNED : (tensor<16x1x1xi32>, tensor<16x1x1xi32>) -> tensor<16x1x1xi1>
    %8 = stablehlo.broadcast_in_dim %c_0, dims = [2] : (tensor<1xi32>) -> tensor<1x1x1xi32>
    %9 = stablehlo.broadcast_in_dim %8, dims = [0, 1, 2] : (tensor<1x1x1xi32>) -> tensor<16x1x1xi32>
    %10 = stablehlo.compare LE, %5, %9, SIGNED : (tensor<16x1x1xi32>, tensor<16x1x1xi32>) -> tensor<16x1x1xi1>
    %11 = stablehlo.and %7, %10 : tensor<16x1x1xi1>
    %12 = stablehlo.reduce(%11 init: %c) applies stablehlo.and across dimensions = [2] : (tensor<16x1x1xi1>, tensor<i1>) -> tensor<16x1xi1>
    %13 = "stablehlo.gather"(%arg0, %5) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1], index_vector_dim = 2>, slice_sizes = array<i64: 1, 1>}> : (tensor<16x10xf32>, tensor<16x1x1xi32>) -> tensor<16x1xf32>
    %14 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<16x1xf32>
    %15 = stablehlo.select %12, %13, %14 : tensor<16x1xi1>, tensor<16x1xf32>
    return %15 : tensor<16x1xf32>
  }
}

