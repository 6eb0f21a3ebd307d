module @lowered {
  func.func public @regions(%x: tensor<3x4xf32>, %i: tensor<3x4xi32>, %z: tensor<f32>, %zero: tensor<i32>, %s: tensor<f32>) -> (tensor<3x4xf32>, tensor<3xf32>, tensor<3xi32>, tensor<2x4xf32>, tensor<3x4xf32>, tensor<3x4xi32>, tensor<3x4xf32>) {
    %0 = "stablehlo.map"(%x, %x) <{dimensions = array<i64: 0, 1>}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %10 = stablehlo.power %a, %b : tensor<f32>
      %11 = stablehlo.multiply %10, %s : tensor<f32>
      stablehlo.return %11 : tensor<f32>
    }) : (tensor<3x4xf32>, tensor<3x4xf32>) -> tensor<3x4xf32>
    %1:2 = stablehlo.reduce(%x init: %z), (%i init: %zero) across dimensions = [1] : (tensor<3x4xf32>, tensor<3x4xi32>, tensor<f32>, tensor<i32>) -> (tensor<3xf32>, tensor<3xi32>)
     reducer(%a: tensor<f32>, %b: tensor<f32>) (%c: tensor<i32>, %d: tensor<i32>)  {
      %10 = stablehlo.compare GE, %a, %b, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %11 = stablehlo.select %10, %a, %b : tensor<i1>, tensor<f32>
      %12 = stablehlo.select %10, %c, %d : tensor<i1>, tensor<i32>
      stablehlo.return %11, %12 : tensor<f32>, tensor<i32>
    }
    %2 = "stablehlo.reduce_window"(%x, %z) <{window_dimensions = array<i64: 2, 1>, padding = dense<[[0, 1], [0, 0]]> : tensor<2x2xi64>, window_strides = array<i64: 2, 1>}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %10 = stablehlo.atan2 %a, %b : tensor<f32>
      stablehlo.return %10 : tensor<f32>
    }) : (tensor<3x4xf32>, tensor<f32>) -> tensor<2x4xf32>
    %3:2 = "stablehlo.sort"(%x, %i) <{dimension = 1 : i64, is_stable = true}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>, %c: tensor<i32>, %d: tensor<i32>):
      %10 = stablehlo.abs %a : tensor<f32>
      %11 = stablehlo.abs %b : tensor<f32>
      %12 = stablehlo.compare LT, %10, %11, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %12 : tensor<i1>
    }) : (tensor<3x4xf32>, tensor<3x4xi32>) -> (tensor<3x4xf32>, tensor<3x4xi32>)
    %4 = "stablehlo.select_and_scatter"(%x, %2, %z) <{window_dimensions = array<i64: 2, 1>, window_strides = array<i64: 2, 1>, padding = dense<[[0, 1], [0, 0]]> : tensor<2x2xi64>}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %10 = stablehlo.compare GT, %a, %b, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %10 : tensor<i1>
    }, {
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %10 = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %10 : tensor<f32>
    }) : (tensor<3x4xf32>, tensor<2x4xf32>, tensor<f32>) -> tensor<3x4xf32>
    return %0, %1#0, %1#1, %2, %3#0, %3#1, %4 : tensor<3x4xf32>, tensor<3xf32>, tensor<3xi32>, tensor<2x4xf32>, tensor<3x4xf32>, tensor<3x4xi32>, tensor<3x4xf32>
  }
  func.func public @scatters(%x: tensor<5x2xf32>, %i: tensor<3x1xi32>, %u: tensor<3x2xf32>) -> (tensor<5x2xf32>, tensor<5x2xf32>) {
    %0:2 = "stablehlo.scatter"(%x, %x, %i, %u, %u) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>, %c: tensor<f32>, %d: tensor<f32>):
      %10 = stablehlo.subtract %c, %a : tensor<f32>
      %11 = stablehlo.add %b, %d : tensor<f32>
      stablehlo.return %10, %11 : tensor<f32>, tensor<f32>
    }) : (tensor<5x2xf32>, tensor<5x2xf32>, tensor<3x1xi32>, tensor<3x2xf32>, tensor<3x2xf32>) -> (tensor<5x2xf32>, tensor<5x2xf32>)
    return %0#0, %0#1 : tensor<5x2xf32>, tensor<5x2xf32>
  }
  func.func private @swap(%t: tuple<tensor<f32>, tuple<tensor<2xi32>>>) -> tuple<tuple<tensor<2xi32>>, tensor<f32>> {
    %0 = stablehlo.get_tuple_element %t[0] : (tuple<tensor<f32>, tuple<tensor<2xi32>>>) -> tensor<f32>
    %1 = stablehlo.get_tuple_element %t[1] : (tuple<tensor<f32>, tuple<tensor<2xi32>>>) -> tuple<tensor<2xi32>>
    %2 = stablehlo.tuple %1, %0 : tuple<tuple<tensor<2xi32>>, tensor<f32>>
    return %2 : tuple<tuple<tensor<2xi32>>, tensor<f32>>
  }
  func.func public @tuples(%t: tuple<tensor<f32>, tuple<tensor<2xi32>>>, %k: !stablehlo.token) -> (tuple<tuple<tensor<2xi32>>, tensor<f32>>, !stablehlo.token) {
    %0 = call @swap(%t) : (tuple<tensor<f32>, tuple<tensor<2xi32>>>) -> tuple<tuple<tensor<2xi32>>, tensor<f32>>
    %1 = stablehlo.create_token : !stablehlo.token
    %2 = stablehlo.after_all %1, %k : !stablehlo.token
    %3 = stablehlo.optimization_barrier %2 : !stablehlo.token
    return %0, %3 : tuple<tuple<tensor<2xi32>>, tensor<f32>>, !stablehlo.token
  }
  func.func public @norms(%x: tensor<2x3x4xf32>, %s: tensor<3xf32>, %o: tensor<3xf32>) -> (tensor<2x3x4xf32>, tensor<2x3x4xf32>, tensor<3xf32>, tensor<3xf32>) {
    %0:3 = "stablehlo.batch_norm_training"(%x, %s, %o) <{epsilon = 1.000000e-03 : f32, feature_index = 1 : i64}> : (tensor<2x3x4xf32>, tensor<3xf32>, tensor<3xf32>) -> (tensor<2x3x4xf32>, tensor<3xf32>, tensor<3xf32>)
    %1 = "stablehlo.batch_norm_inference"(%0#0, %s, %o, %0#1, %0#2) <{epsilon = 2.500000e-01 : f32, feature_index = 1 : i64}> : (tensor<2x3x4xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<2x3x4xf32>
    %2:3 = "stablehlo.batch_norm_grad"(%x, %s, %0#1, %0#2, %1) <{epsilon = 1.000000e-03 : f32, feature_index = 1 : i64}> : (tensor<2x3x4xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<2x3x4xf32>) -> (tensor<2x3x4xf32>, tensor<3xf32>, tensor<3xf32>)
    return %1, %2#0, %2#1, %2#2 : tensor<2x3x4xf32>, tensor<2x3x4xf32>, tensor<3xf32>, tensor<3xf32>
  }
  func.func public @older(%a: tensor<2x3xf32>, %b: tensor<3x4xf32>, %i: tensor<5xi32>) -> (tensor<2x4xf32>, tensor<4x2xf32>, tensor<3x2xf32>, tensor<7x2x3xf32>, tensor<2x5xf32>) {
    %0 = stablehlo.dot %a, %b : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
    %1 = stablehlo.einsum %a, %b, config = "ij,jk->ki" : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<4x2xf32>
    %2 = stablehlo.unary_einsum %a, config = "ij->ji" : (tensor<2x3xf32>) -> tensor<3x2xf32>
    %3 = stablehlo.broadcast %a, sizes = [7] : (tensor<2x3xf32>) -> tensor<7x2x3xf32>
    %4 = "stablehlo.torch_index_select"(%a, %i) <{batch_dims = 0 : i64, dim = 1 : i64}> : (tensor<2x3xf32>, tensor<5xi32>) -> tensor<2x5xf32>
    return %0, %1, %2, %3, %4 : tensor<2x4xf32>, tensor<4x2xf32>, tensor<3x2xf32>, tensor<7x2x3xf32>, tensor<2x5xf32>
  }
}
