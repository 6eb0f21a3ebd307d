module @lowered {
  func.func public @regions(%arg0: tensor<3x4xf32>, %arg1: tensor<3x4xi32>, %arg2: tensor<f32>, %arg3: tensor<i32>, %arg4: tensor<f32>) -> (tensor<3x4xf32>, tensor<3xf32>, tensor<3xi32>, tensor<2x4xf32>, tensor<3x4xf32>, tensor<3x4xi32>, tensor<3x4xf32>) {
    %0 = "stablehlo.map"(%arg0, %arg0) <{dimensions = array<i64: 0, 1>}> ({
    ^bb0(%arg5: tensor<f32>, %arg6: tensor<f32>):
      %5 = stablehlo.power %arg5, %arg6 : tensor<f32>
      %6 = stablehlo.multiply %5, %arg4 : tensor<f32>
      stablehlo.return %6 : tensor<f32>
    }) : (tensor<3x4xf32>, tensor<3x4xf32>) -> tensor<3x4xf32>
    %1:2 = stablehlo.reduce(%arg0 init: %arg2), (%arg1 init: %arg3) across dimensions = [1] : (tensor<3x4xf32>, tensor<3x4xi32>, tensor<f32>, tensor<i32>) -> (tensor<3xf32>, tensor<3xi32>)
     reducer(%arg5: tensor<f32>, %arg7: tensor<f32>) (%arg6: tensor<i32>, %arg8: tensor<i32>)  {
      %5 = stablehlo.compare GE, %arg5, %arg7, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %6 = stablehlo.select %5, %arg5, %arg7 : tensor<i1>, tensor<f32>
      %7 = stablehlo.select %5, %arg6, %arg8 : tensor<i1>, tensor<i32>
      stablehlo.return %6, %7 : tensor<f32>, tensor<i32>
    }
    %2 = "stablehlo.reduce_window"(%arg0, %arg2) <{padding = dense<[[0, 1], [0, 0]]> : tensor<2x2xi64>, window_dimensions = array<i64: 2, 1>, window_strides = array<i64: 2, 1>}> ({
    ^bb0(%arg5: tensor<f32>, %arg6: tensor<f32>):
      %5 = stablehlo.atan2 %arg5, %arg6 : tensor<f32>
      stablehlo.return %5 : tensor<f32>
    }) : (tensor<3x4xf32>, tensor<f32>) -> tensor<2x4xf32>
    %3:2 = "stablehlo.sort"(%arg0, %arg1) <{dimension = 1 : i64, is_stable = true}> ({
    ^bb0(%arg5: tensor<f32>, %arg6: tensor<f32>, %arg7: tensor<i32>, %arg8: tensor<i32>):
      %5 = stablehlo.abs %arg5 : tensor<f32>
      %6 = stablehlo.abs %arg6 : tensor<f32>
      %7 = stablehlo.compare LT, %5, %6, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %7 : tensor<i1>
    }) : (tensor<3x4xf32>, tensor<3x4xi32>) -> (tensor<3x4xf32>, tensor<3x4xi32>)
    %4 = "stablehlo.select_and_scatter"(%arg0, %2, %arg2) <{padding = dense<[[0, 1], [0, 0]]> : tensor<2x2xi64>, window_dimensions = array<i64: 2, 1>, window_strides = array<i64: 2, 1>}> ({
    ^bb0(%arg5: tensor<f32>, %arg6: tensor<f32>):
      %5 = stablehlo.compare GT, %arg5, %arg6, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %5 : tensor<i1>
    }, {
    ^bb0(%arg5: tensor<f32>, %arg6: tensor<f32>):
      %5 = stablehlo.add %arg5, %arg6 : tensor<f32>
      stablehlo.return %5 : tensor<f32>
    }) : (tensor<3x4xf32>, tensor<2x4xf32>, tensor<f32>) -> tensor<3x4xf32>
    return %0, %1#0, %1#1, %2, %3#0, %3#1, %4 : tensor<3x4xf32>, tensor<3xf32>, tensor<3xi32>, tensor<2x4xf32>, tensor<3x4xf32>, tensor<3x4xi32>, tensor<3x4xf32>
  }
  func.func public @scatters(%arg0: tensor<5x2xf32>, %arg1: tensor<3x1xi32>, %arg2: tensor<3x2xf32>) -> (tensor<5x2xf32>, tensor<5x2xf32>) {
    %0:2 = "stablehlo.scatter"(%arg0, %arg0, %arg1, %arg2, %arg2) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
    ^bb0(%arg3: tensor<f32>, %arg4: tensor<f32>, %arg5: tensor<f32>, %arg6: tensor<f32>):
      %1 = stablehlo.subtract %arg5, %arg3 : tensor<f32>
      %2 = stablehlo.add %arg4, %arg6 : tensor<f32>
      stablehlo.return %1, %2 : tensor<f32>, tensor<f32>
    }) : (tensor<5x2xf32>, tensor<5x2xf32>, tensor<3x1xi32>, tensor<3x2xf32>, tensor<3x2xf32>) -> (tensor<5x2xf32>, tensor<5x2xf32>)
    return %0#0, %0#1 : tensor<5x2xf32>, tensor<5x2xf32>
  }
  func.func private @swap(%arg0: tuple<tensor<f32>, tuple<tensor<2xi32>>>) -> tuple<tuple<tensor<2xi32>>, tensor<f32>> {
    %0 = stablehlo.get_tuple_element %arg0[0] : (tuple<tensor<f32>, tuple<tensor<2xi32>>>) -> tensor<f32>
    %1 = stablehlo.get_tuple_element %arg0[1] : (tuple<tensor<f32>, tuple<tensor<2xi32>>>) -> tuple<tensor<2xi32>>
    %2 = stablehlo.tuple %1, %0 : tuple<tuple<tensor<2xi32>>, tensor<f32>>
    return %2 : tuple<tuple<tensor<2xi32>>, tensor<f32>>
  }
  func.func public @tuples(%arg0: tuple<tensor<f32>, tuple<tensor<2xi32>>>, %arg1: !stablehlo.token) -> (tuple<tuple<tensor<2xi32>>, tensor<f32>>, !stablehlo.token) {
    %0 = call @swap(%arg0) : (tuple<tensor<f32>, tuple<tensor<2xi32>>>) -> tuple<tuple<tensor<2xi32>>, tensor<f32>>
    %1 = stablehlo.create_token : !stablehlo.token
    %2 = stablehlo.after_all %1, %arg1 : !stablehlo.token
    %3 = stablehlo.optimization_barrier %2 : !stablehlo.token
    return %0, %3 : tuple<tuple<tensor<2xi32>>, tensor<f32>>, !stablehlo.token
  }
  func.func public @norms(%arg0: tensor<2x3x4xf32>, %arg1: tensor<3xf32>, %arg2: tensor<3xf32>) -> (tensor<2x3x4xf32>, tensor<2x3x4xf32>, tensor<3xf32>, tensor<3xf32>) {
    %output, %batch_mean, %batch_var = "stablehlo.batch_norm_training"(%arg0, %arg1, %arg2) <{epsilon = 1.000000e-03 : f32, feature_index = 1 : i64}> : (tensor<2x3x4xf32>, tensor<3xf32>, tensor<3xf32>) -> (tensor<2x3x4xf32>, tensor<3xf32>, tensor<3xf32>)
    %0 = "stablehlo.batch_norm_inference"(%output, %arg1, %arg2, %batch_mean, %batch_var) <{epsilon = 2.500000e-01 : f32, feature_index = 1 : i64}> : (tensor<2x3x4xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<2x3x4xf32>
    %grad_operand, %grad_scale, %grad_offset = "stablehlo.batch_norm_grad"(%arg0, %arg1, %batch_mean, %batch_var, %0) <{epsilon = 1.000000e-03 : f32, feature_index = 1 : i64}> : (tensor<2x3x4xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<2x3x4xf32>) -> (tensor<2x3x4xf32>, tensor<3xf32>, tensor<3xf32>)
    return %0, %grad_operand, %grad_scale, %grad_offset : tensor<2x3x4xf32>, tensor<2x3x4xf32>, tensor<3xf32>, tensor<3xf32>
  }
  func.func public @older(%arg0: tensor<2x3xf32>, %arg1: tensor<3x4xf32>, %arg2: tensor<5xi32>) -> (tensor<2x4xf32>, tensor<4x2xf32>, tensor<3x2xf32>, tensor<7x2x3xf32>, tensor<2x5xf32>) {
    %0 = stablehlo.dot %arg0, %arg1 : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
    %1 = stablehlo.einsum %arg0, %arg1, config = "ij,jk->ki" : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<4x2xf32>
    %2 = stablehlo.unary_einsum %arg0, config = "ij->ji" : (tensor<2x3xf32>) -> tensor<3x2xf32>
    %3 = stablehlo.broadcast %arg0, sizes = [7] : (tensor<2x3xf32>) -> tensor<7x2x3xf32>
    %4 = "stablehlo.torch_index_select"(%arg0, %arg2) <{batch_dims = 0 : i64, dim = 1 : i64}> : (tensor<2x3xf32>, tensor<5xi32>) -> tensor<2x5xf32>
    return %0, %1, %2, %3, %4 : tensor<2x4xf32>, tensor<4x2xf32>, tensor<3x2xf32>, tensor<7x2x3xf32>, tensor<2x5xf32>
  }
}

