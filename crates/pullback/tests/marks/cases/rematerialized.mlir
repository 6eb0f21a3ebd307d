module @jit_rematerialized attributes {jax.uses_shape_polymorphism = false, mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<2x2xf64> loc("w"), %arg1: tensor<2xf64> loc("x")) -> (tensor<f64> {jax.result_info = "result"}) {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f64> loc(#loc46)
    %0 = stablehlo.composite "pullback.remat" %arg0, %arg1 {composite_attributes = {name = "block"}, decomposition = @pullback.remat} : (tensor<2x2xf64>, tensor<2xf64>) -> tensor<2xf64> loc(#loc51)
    %1 = stablehlo.composite "pullback.remat" %arg0, %0 {composite_attributes = {name = "block"}, decomposition = @pullback.remat_0} : (tensor<2x2xf64>, tensor<2xf64>) -> tensor<2xf64> loc(#loc52)
    %2 = stablehlo.reduce(%1 init: %cst) applies stablehlo.add across dimensions = [0] : (tensor<2xf64>, tensor<f64>) -> tensor<f64> loc(#loc46)
    return %2 : tensor<f64> loc(#loc41)
  } loc(#loc)
  func.func private @pullback.remat(%arg0: tensor<2x2xf64> loc(unknown), %arg1: tensor<2xf64> loc(unknown)) -> tensor<2xf64> {
    %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0] : (tensor<2x2xf64>, tensor<2xf64>) -> tensor<2xf64> loc(#loc42)
    %1 = stablehlo.sine %0 : tensor<2xf64> loc(#loc43)
    %2 = stablehlo.tanh %1 : tensor<2xf64> loc(#loc44)
    %3 = stablehlo.add %arg1, %2 : tensor<2xf64> loc(#loc45)
    return %3 : tensor<2xf64> loc(#loc)
  } loc(#loc25)
  func.func private @pullback.remat_0(%arg0: tensor<2x2xf64> loc(unknown), %arg1: tensor<2xf64> loc(unknown)) -> tensor<2xf64> {
    %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0] : (tensor<2x2xf64>, tensor<2xf64>) -> tensor<2xf64> loc(#loc42)
    %1 = stablehlo.sine %0 : tensor<2xf64> loc(#loc43)
    %2 = stablehlo.tanh %1 : tensor<2xf64> loc(#loc44)
    %3 = stablehlo.add %arg1, %2 : tensor<2xf64> loc(#loc45)
    return %3 : tensor<2xf64> loc(#loc)
  } loc(#loc25)
} loc(#loc)
