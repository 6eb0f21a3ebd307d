module @jit_straight_through attributes {jax.uses_shape_polymorphism = false, mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<f64> loc("x")) -> (tensor<f64> {jax.result_info = "result"}) {
    %0 = call @round(%arg0) : (tensor<f64>) -> tensor<f64> loc(#loc32)
    %1 = stablehlo.subtract %0, %arg0 : tensor<f64> loc(#loc33)
    %2 = stablehlo.composite "pullback.stop_gradient" %1 {decomposition = @pullback.stop_gradient} : (tensor<f64>) -> tensor<f64> loc(#loc41)
    %3 = stablehlo.add %arg0, %2 : tensor<f64> loc(#loc35)
    %4 = stablehlo.multiply %3, %3 : tensor<f64> loc(#loc36)
    return %4 : tensor<f64> loc(#loc31)
  } loc(#loc)
  func.func private @round(%arg0: tensor<f64> loc(unknown)) -> tensor<f64> {
    %0 = stablehlo.round_nearest_even %arg0 : tensor<f64> loc(#loc11)
    return %0 : tensor<f64> loc(#loc)
  } loc(#loc39)
  func.func private @pullback.stop_gradient(%arg0: tensor<f64> loc(unknown)) -> tensor<f64> {
    return %arg0 : tensor<f64> loc(#loc)
  } loc(#loc22)
} loc(#loc)
