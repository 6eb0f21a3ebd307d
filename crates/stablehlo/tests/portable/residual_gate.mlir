module @residual_gate attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<40xf32>, %arg1: tensor<24x40xf32>, %arg2: tensor<40x24xf32>, %arg3: tensor<24xf32>, %arg4: tensor<24x24xf32>, %arg5: tensor<f32>, %arg6: tensor<24x24xf32>, %arg7: tensor<16x24xf32>, %arg8: tensor<16x24xf32>) -> (tensor<f32> {jax.result_info = "result"}) {
    %cst = stablehlo.constant dense<1.600000e+01> : tensor<f32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %cst_1 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %0 = stablehlo.dot_general %arg8, %arg6, contracting_dims = [1] x [0] : (tensor<16x24xf32>, tensor<24x24xf32>) -> tensor<16x24xf32>
    %1 = stablehlo.dot_general %0, %arg1, contracting_dims = [1] x [0] : (tensor<16x24xf32>, tensor<24x40xf32>) -> tensor<16x40xf32>
    %2 = stablehlo.broadcast_in_dim %arg0, dims = [1] : (tensor<40xf32>) -> tensor<1x40xf32>
    %3 = stablehlo.broadcast_in_dim %2, dims = [0, 1] : (tensor<1x40xf32>) -> tensor<16x40xf32>
    %4 = stablehlo.add %1, %3 : tensor<16x40xf32>
    %5 = call @silu(%4) : (tensor<16x40xf32>) -> tensor<16x40xf32>
    %6 = stablehlo.dot_general %5, %arg2, contracting_dims = [1] x [0] : (tensor<16x40xf32>, tensor<40x24xf32>) -> tensor<16x24xf32>
    %7 = stablehlo.dot_general %0, %arg4, contracting_dims = [1] x [0] : (tensor<16x24xf32>, tensor<24x24xf32>) -> tensor<16x24xf32>
    %8 = stablehlo.broadcast_in_dim %arg3, dims = [1] : (tensor<24xf32>) -> tensor<1x24xf32>
    %9 = stablehlo.broadcast_in_dim %8, dims = [0, 1] : (tensor<1x24xf32>) -> tensor<16x24xf32>
    %10 = stablehlo.add %7, %9 : tensor<16x24xf32>
    %11 = stablehlo.negate %10 : tensor<16x24xf32>
    %12 = stablehlo.exponential %11 : tensor<16x24xf32>
    %13 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<16x24xf32>
    %14 = stablehlo.add %13, %12 : tensor<16x24xf32>
    %15 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<16x24xf32>
    %16 = stablehlo.divide %15, %14 : tensor<16x24xf32>
    %17 = stablehlo.multiply %16, %6 : tensor<16x24xf32>
    %18 = stablehlo.add %arg8, %17 : tensor<16x24xf32>
    %19 = stablehlo.dot_general %18, %arg6, contracting_dims = [1] x [0] : (tensor<16x24xf32>, tensor<24x24xf32>) -> tensor<16x24xf32>
    %20 = stablehlo.dot_general %19, %arg1, contracting_dims = [1] x [0] : (tensor<16x24xf32>, tensor<24x40xf32>) -> tensor<16x40xf32>
    %21 = stablehlo.broadcast_in_dim %arg0, dims = [1] : (tensor<40xf32>) -> tensor<1x40xf32>
    %22 = stablehlo.broadcast_in_dim %21, dims = [0, 1] : (tensor<1x40xf32>) -> tensor<16x40xf32>
    %23 = stablehlo.add %20, %22 : tensor<16x40xf32>
    %24 = call @silu(%23) : (tensor<16x40xf32>) -> tensor<16x40xf32>
    %25 = stablehlo.dot_general %24, %arg2, contracting_dims = [1] x [0] : (tensor<16x40xf32>, tensor<40x24xf32>) -> tensor<16x24xf32>
    %26 = stablehlo.dot_general %19, %arg4, contracting_dims = [1] x [0] : (tensor<16x24xf32>, tensor<24x24xf32>) -> tensor<16x24xf32>
    %27 = stablehlo.broadcast_in_dim %arg3, dims = [1] : (tensor<24xf32>) -> tensor<1x24xf32>
    %28 = stablehlo.broadcast_in_dim %27, dims = [0, 1] : (tensor<1x24xf32>) -> tensor<16x24xf32>
    %29 = stablehlo.add %26, %28 : tensor<16x24xf32>
    %30 = stablehlo.negate %29 : tensor<16x24xf32>
    %31 = stablehlo.exponential %30 : tensor<16x24xf32>
    %32 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<16x24xf32>
    %33 = stablehlo.add %32, %31 : tensor<16x24xf32>
    %34 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<16x24xf32>
    %35 = stablehlo.divide %34, %33 : tensor<16x24xf32>
    %36 = stablehlo.multiply %35, %25 : tensor<16x24xf32>
    %37 = stablehlo.add %18, %36 : tensor<16x24xf32>
    %38 = stablehlo.transpose %arg6, dims = [1, 0] : (tensor<24x24xf32>) -> tensor<24x24xf32>
    %39 = stablehlo.dot_general %37, %38, contracting_dims = [1] x [0] : (tensor<16x24xf32>, tensor<24x24xf32>) -> tensor<16x24xf32>
    %40 = stablehlo.subtract %39, %arg7 : tensor<16x24xf32>
    %41 = stablehlo.multiply %40, %40 : tensor<16x24xf32>
    %42 = stablehlo.reduce(%41 init: %cst_0) applies stablehlo.add across dimensions = [1] : (tensor<16x24xf32>, tensor<f32>) -> tensor<16xf32>
    %43 = stablehlo.reduce(%42 init: %cst_0) applies stablehlo.add across dimensions = [0] : (tensor<16xf32>, tensor<f32>) -> tensor<f32>
    %44 = stablehlo.divide %43, %cst : tensor<f32>
    %45 = stablehlo.multiply %arg6, %arg6 : tensor<24x24xf32>
    %46 = stablehlo.reduce(%45 init: %cst_0) applies stablehlo.add across dimensions = [0, 1] : (tensor<24x24xf32>, tensor<f32>) -> tensor<f32>
    %47 = stablehlo.add %cst_0, %46 : tensor<f32>
    %48 = stablehlo.multiply %arg1, %arg1 : tensor<24x40xf32>
    %49 = stablehlo.reduce(%48 init: %cst_0) applies stablehlo.add across dimensions = [0, 1] : (tensor<24x40xf32>, tensor<f32>) -> tensor<f32>
    %50 = stablehlo.add %47, %49 : tensor<f32>
    %51 = stablehlo.multiply %arg2, %arg2 : tensor<40x24xf32>
    %52 = stablehlo.reduce(%51 init: %cst_0) applies stablehlo.add across dimensions = [0, 1] : (tensor<40x24xf32>, tensor<f32>) -> tensor<f32>
    %53 = stablehlo.add %50, %52 : tensor<f32>
    %54 = stablehlo.multiply %arg4, %arg4 : tensor<24x24xf32>
    %55 = stablehlo.reduce(%54 init: %cst_0) applies stablehlo.add across dimensions = [0, 1] : (tensor<24x24xf32>, tensor<f32>) -> tensor<f32>
    %56 = stablehlo.add %53, %55 : tensor<f32>
    %57 = stablehlo.exponential %arg5 : tensor<f32>
    %58 = stablehlo.multiply %57, %56 : tensor<f32>
    %59 = stablehlo.add %44, %58 : tensor<f32>
    return %59 : tensor<f32>
  }
  func.func private @silu(%arg0: tensor<16x40xf32>) -> tensor<16x40xf32> {
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %0 = stablehlo.negate %arg0 : tensor<16x40xf32>
    %1 = stablehlo.exponential %0 : tensor<16x40xf32>
    %2 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<16x40xf32>
    %3 = stablehlo.add %2, %1 : tensor<16x40xf32>
    %4 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<16x40xf32>
    %5 = stablehlo.divide %4, %3 : tensor<16x40xf32>
    %6 = stablehlo.multiply %arg0, %5 : tensor<16x40xf32>
    return %6 : tensor<16x40xf32>
  }
}

