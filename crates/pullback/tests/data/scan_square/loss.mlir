module @jit_loss attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<8xf32>, %arg1: tensor<8x8xf32>, %arg2: tensor<8x8xf32>, %arg3: tensor<8xf32>, %arg4: tensor<3x8xf32>, %arg5: tensor<8x5x3xf32>, %arg6: tensor<8xf32>) -> (tensor<f32> {jax.result_info = "result"}) {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<8x8xf32>
    %1 = stablehlo.transpose %arg5, dims = [1, 0, 2] : (tensor<8x5x3xf32>) -> tensor<5x8x3xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %2:6 = stablehlo.while(%iterArg = %1, %iterArg_3 = %arg4, %iterArg_4 = %arg2, %iterArg_5 = %arg0, %iterArg_6 = %c, %iterArg_7 = %0) : tensor<5x8x3xf32>, tensor<3x8xf32>, tensor<8x8xf32>, tensor<8xf32>, tensor<i32>, tensor<8x8xf32>
    cond {
      %c_8 = stablehlo.constant dense<5> : tensor<i32>
      %9 = stablehlo.compare LT, %iterArg_6, %c_8, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %9 : tensor<i1>
    } do {
      %9 = func.call @dynamic_index_in_dim(%iterArg, %iterArg_6) : (tensor<5x8x3xf32>, tensor<i32>) -> tensor<8x3xf32>
      %10 = func.call @closed_call(%iterArg_3, %iterArg_4, %iterArg_5, %iterArg_7, %9) : (tensor<3x8xf32>, tensor<8x8xf32>, tensor<8xf32>, tensor<8x8xf32>, tensor<8x3xf32>) -> tensor<8x8xf32>
      %c_8 = stablehlo.constant dense<1> : tensor<i32>
      %11 = stablehlo.add %iterArg_6, %c_8 : tensor<i32>
      stablehlo.return %iterArg, %iterArg_3, %iterArg_4, %iterArg_5, %11, %10 : tensor<5x8x3xf32>, tensor<3x8xf32>, tensor<8x8xf32>, tensor<8xf32>, tensor<i32>, tensor<8x8xf32>
    }
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %3:3 = stablehlo.while(%iterArg = %arg1, %iterArg_3 = %c_0, %iterArg_4 = %2#5) : tensor<8x8xf32>, tensor<i32>, tensor<8x8xf32>
    cond {
      %c_5 = stablehlo.constant dense<2> : tensor<i32>
      %9 = stablehlo.compare LT, %iterArg_3, %c_5, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %9 : tensor<i1>
    } do {
      %9 = func.call @closed_call_0(%iterArg, %iterArg_4) : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
      %c_5 = stablehlo.constant dense<1> : tensor<i32>
      %10 = stablehlo.add %iterArg_3, %c_5 : tensor<i32>
      stablehlo.return %iterArg, %10, %9 : tensor<8x8xf32>, tensor<i32>, tensor<8x8xf32>
    }
    %4 = stablehlo.dot_general %3#2, %arg3, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x8xf32>, tensor<8xf32>) -> tensor<8xf32>
    %5 = stablehlo.subtract %4, %arg6 : tensor<8xf32>
    %6 = stablehlo.multiply %5, %5 : tensor<8xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %7 = stablehlo.reduce(%6 init: %cst_1) applies stablehlo.add across dimensions = [0] : (tensor<8xf32>, tensor<f32>) -> tensor<f32>
    %cst_2 = stablehlo.constant dense<8.000000e+00> : tensor<f32>
    %8 = stablehlo.divide %7, %cst_2 : tensor<f32>
    return %8 : tensor<f32>
  }
  func.func private @dynamic_index_in_dim(%arg0: tensor<5x8x3xf32>, %arg1: tensor<i32>) -> tensor<8x3xf32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.dynamic_slice %arg0, %arg1, %c, %c_0, sizes = [1, 8, 3] : (tensor<5x8x3xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x8x3xf32>
    %1 = stablehlo.reshape %0 : (tensor<1x8x3xf32>) -> tensor<8x3xf32>
    return %1 : tensor<8x3xf32>
  }
  func.func private @closed_call(%arg0: tensor<3x8xf32>, %arg1: tensor<8x8xf32>, %arg2: tensor<8xf32>, %arg3: tensor<8x8xf32>, %arg4: tensor<8x3xf32>) -> tensor<8x8xf32> {
    %0 = stablehlo.dot_general %arg4, %arg0, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x3xf32>, tensor<3x8xf32>) -> tensor<8x8xf32>
    %1 = stablehlo.dot_general %arg3, %arg1, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    %2 = stablehlo.add %0, %1 : tensor<8x8xf32>
    %3 = stablehlo.broadcast_in_dim %arg2, dims = [1] : (tensor<8xf32>) -> tensor<1x8xf32>
    %4 = stablehlo.broadcast_in_dim %3, dims = [0, 1] : (tensor<1x8xf32>) -> tensor<8x8xf32>
    %5 = stablehlo.add %2, %4 : tensor<8x8xf32>
    %6 = stablehlo.tanh %5 : tensor<8x8xf32>
    return %6 : tensor<8x8xf32>
  }
  func.func private @closed_call_0(%arg0: tensor<8x8xf32>, %arg1: tensor<8x8xf32>) -> tensor<8x8xf32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0:3 = stablehlo.while(%iterArg = %arg0, %iterArg_0 = %c, %iterArg_1 = %arg1) : tensor<8x8xf32>, tensor<i32>, tensor<8x8xf32>
    cond {
      %c_2 = stablehlo.constant dense<2> : tensor<i32>
      %1 = stablehlo.compare LT, %iterArg_0, %c_2, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %1 : tensor<i1>
    } do {
      %1 = func.call @closed_call_1(%iterArg, %iterArg_1) : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
      %c_2 = stablehlo.constant dense<1> : tensor<i32>
      %2 = stablehlo.add %iterArg_0, %c_2 : tensor<i32>
      stablehlo.return %iterArg, %2, %1 : tensor<8x8xf32>, tensor<i32>, tensor<8x8xf32>
    }
    return %0#2 : tensor<8x8xf32>
  }
  func.func private @closed_call_1(%arg0: tensor<8x8xf32>, %arg1: tensor<8x8xf32>) -> tensor<8x8xf32> {
    %0 = stablehlo.dot_general %arg1, %arg0, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    %1 = stablehlo.tanh %0 : tensor<8x8xf32>
    %2 = stablehlo.add %arg1, %1 : tensor<8x8xf32>
    return %2 : tensor<8x8xf32>
  }
}
