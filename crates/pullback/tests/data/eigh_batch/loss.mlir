module @jit_loss attributes {jax.uses_shape_polymorphism = false, mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<3x3xf32>, %arg1: tensor<8x3xf32>, %arg2: tensor<8x3x3xf32>) -> (tensor<f32> {jax.result_info = "result"}) {
    %cst = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %cst_0 = stablehlo.constant dense<2.400000e+01> : tensor<f32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %cst_2 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %cst_3 = stablehlo.constant dense<[1.000000e+00, 2.000000e+00, 4.000000e+00]> : tensor<3xf32>
    %0 = stablehlo.dot_general %arg2, %arg0, contracting_dims = [2] x [0] : (tensor<8x3x3xf32>, tensor<3x3xf32>) -> tensor<8x3x3xf32>
    %1 = stablehlo.transpose %0, dims = [0, 2, 1] : (tensor<8x3x3xf32>) -> tensor<8x3x3xf32>
    %2 = stablehlo.dot_general %0, %1, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<8x3x3xf32>, tensor<8x3x3xf32>) -> tensor<8x3x3xf32>
    %3 = stablehlo.iota dim = 0 : tensor<3x3xi32>
    %4 = stablehlo.iota dim = 1 : tensor<3x3xi32>
    %5 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<3x3xi32>
    %6 = stablehlo.add %3, %5 : tensor<3x3xi32>
    %7 = stablehlo.compare EQ, %6, %4, SIGNED : (tensor<3x3xi32>, tensor<3x3xi32>) -> tensor<3x3xi1>
    %8 = stablehlo.convert %7 : (tensor<3x3xi1>) -> tensor<3x3xf32>
    %9 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<3x3xf32>
    %10 = stablehlo.multiply %9, %8 : tensor<3x3xf32>
    %11 = stablehlo.broadcast_in_dim %cst_3, dims = [1] : (tensor<3xf32>) -> tensor<1x3xf32>
    %12 = stablehlo.broadcast_in_dim %11, dims = [0, 1] : (tensor<1x3xf32>) -> tensor<3x3xf32>
    %13 = stablehlo.multiply %10, %12 : tensor<3x3xf32>
    %14 = stablehlo.broadcast_in_dim %13, dims = [1, 2] : (tensor<3x3xf32>) -> tensor<1x3x3xf32>
    %15 = stablehlo.broadcast_in_dim %14, dims = [0, 1, 2] : (tensor<1x3x3xf32>) -> tensor<8x3x3xf32>
    %16 = stablehlo.add %2, %15 : tensor<8x3x3xf32>
    %17:2 = call @eigh(%16) : (tensor<8x3x3xf32>) -> (tensor<8x3xf32>, tensor<8x3x3xf32>)
    %18 = stablehlo.log %17#0 : tensor<8x3xf32>
    %19 = stablehlo.subtract %18, %arg1 : tensor<8x3xf32>
    %20 = stablehlo.multiply %19, %19 : tensor<8x3xf32>
    %21 = stablehlo.reduce(%20 init: %cst_1) applies stablehlo.add across dimensions = [0, 1] : (tensor<8x3xf32>, tensor<f32>) -> tensor<f32>
    %22 = stablehlo.divide %21, %cst_0 : tensor<f32>
    %23 = stablehlo.slice %17#1 [0:8, 0:1, 0:3] : (tensor<8x3x3xf32>) -> tensor<8x1x3xf32>
    %24 = stablehlo.reshape %23 : (tensor<8x1x3xf32>) -> tensor<8x3xf32>
    %25 = stablehlo.multiply %24, %24 : tensor<8x3xf32>
    %26 = stablehlo.multiply %25, %arg1 : tensor<8x3xf32>
    %27 = stablehlo.reduce(%26 init: %cst_1) applies stablehlo.add across dimensions = [0, 1] : (tensor<8x3xf32>, tensor<f32>) -> tensor<f32>
    %28 = stablehlo.divide %27, %cst_0 : tensor<f32>
    %29 = stablehlo.multiply %cst, %28 : tensor<f32>
    %30 = stablehlo.add %22, %29 : tensor<f32>
    return %30 : tensor<f32>
  }
  func.func private @eigh(%arg0: tensor<8x3x3xf32>) -> (tensor<8x3xf32>, tensor<8x3x3xf32>) {
    %cst = stablehlo.constant dense<0x7FC00000> : tensor<f32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %cst_0 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %0 = stablehlo.transpose %arg0, dims = [0, 2, 1] : (tensor<8x3x3xf32>) -> tensor<8x3x3xf32>
    %1 = stablehlo.add %arg0, %0 : tensor<8x3x3xf32>
    %2 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<8x3x3xf32>
    %3 = stablehlo.divide %1, %2 : tensor<8x3x3xf32>
    %4:3 = stablehlo.custom_call @lapack_ssyevd_ffi(%3) {mhlo.backend_config = {mode = 86 : ui8, uplo = 76 : ui8}, mhlo.frontend_attributes = {num_batch_dims = "1"}, operand_layouts = [dense<[1, 2, 0]> : tensor<3xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [0], operand_index = 0, operand_tuple_indices = []>], result_layouts = [dense<[1, 2, 0]> : tensor<3xindex>, dense<[1, 0]> : tensor<2xindex>, dense<0> : tensor<1xindex>], sdy.sharding_rule = #sdy.op_sharding_rule<([i, j, k])->([i, l, m], [i, n], [i]) {i=8, j=3, k=3, l=3, m=3, n=3}, custom>} : (tensor<8x3x3xf32>) -> (tensor<8x3x3xf32>, tensor<8x3xf32>, tensor<8xi32>)
    %5 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<8xi32>
    %6 = stablehlo.compare EQ, %4#2, %5, SIGNED : (tensor<8xi32>, tensor<8xi32>) -> tensor<8xi1>
    %7 = stablehlo.broadcast_in_dim %6, dims = [0] : (tensor<8xi1>) -> tensor<8x1x1xi1>
    %8 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<8x3x3xf32>
    %9 = stablehlo.broadcast_in_dim %7, dims = [0, 1, 2] : (tensor<8x1x1xi1>) -> tensor<8x3x3xi1>
    %10 = stablehlo.select %9, %4#0, %8 : tensor<8x3x3xi1>, tensor<8x3x3xf32>
    %11 = stablehlo.broadcast_in_dim %6, dims = [0] : (tensor<8xi1>) -> tensor<8x1xi1>
    %12 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<8x3xf32>
    %13 = stablehlo.broadcast_in_dim %11, dims = [0, 1] : (tensor<8x1xi1>) -> tensor<8x3xi1>
    %14 = stablehlo.select %13, %4#1, %12 : tensor<8x3xi1>, tensor<8x3xf32>
    return %14, %10 : tensor<8x3xf32>, tensor<8x3x3xf32>
  }
}
