module @jit_rematerialized_in_a_loop attributes {jax.uses_shape_polymorphism = false, mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<2x2xf64> loc("w"), %arg1: tensor<2xf64> loc("x")) -> (tensor<f64> {jax.result_info = "result"}) {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f64> loc(#loc54)
    %c = stablehlo.constant dense<1> : tensor<i64> loc(#loc)
    %c_0 = stablehlo.constant dense<3> : tensor<i64> loc(#loc)
    %c_1 = stablehlo.constant dense<0> : tensor<i64> loc(#loc58)
    %0:3 = stablehlo.while(%iterArg = %arg0, %iterArg_2 = %c_1, %iterArg_3 = %arg1) : tensor<2x2xf64>, tensor<i64>, tensor<2xf64>
    cond {
      %2 = stablehlo.compare LT, %iterArg_2, %c_0, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1> loc(#loc63)
      stablehlo.return %2 : tensor<i1> loc(#loc62)
    } do {
      %2 = func.call @closed_call(%iterArg, %iterArg_3) : (tensor<2x2xf64>, tensor<2xf64>) -> tensor<2xf64> loc(#loc64)
      %3 = stablehlo.add %iterArg_2, %c : tensor<i64> loc(#loc65)
      stablehlo.return %iterArg, %3, %2 : tensor<2x2xf64>, tensor<i64>, tensor<2xf64> loc(#loc62)
    } loc(#loc62)
    %1 = stablehlo.reduce(%0#2 init: %cst) applies stablehlo.add across dimensions = [0] : (tensor<2xf64>, tensor<f64>) -> tensor<f64> loc(#loc54)
    return %1 : tensor<f64> loc(#loc46)
  } loc(#loc)
  func.func private @closed_call(%arg0: tensor<2x2xf64> loc(unknown), %arg1: tensor<2xf64> loc(unknown)) -> tensor<2xf64> {
    %0 = stablehlo.composite "pullback.remat" %arg0, %arg1 {composite_attributes = {name = "block"}, decomposition = @pullback.remat} : (tensor<2x2xf64>, tensor<2xf64>) -> tensor<2xf64> loc(#loc61)
    return %0 : tensor<2xf64> loc(#loc)
  } loc(#loc56)
  func.func private @pullback.remat(%arg0: tensor<2x2xf64> loc(unknown), %arg1: tensor<2xf64> loc(unknown)) -> tensor<2xf64> {
    %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0] : (tensor<2x2xf64>, tensor<2xf64>) -> tensor<2xf64> loc(#loc50)
    %1 = stablehlo.sine %0 : tensor<2xf64> loc(#loc51)
    %2 = stablehlo.tanh %1 : tensor<2xf64> loc(#loc52)
    %3 = stablehlo.add %arg1, %2 : tensor<2xf64> loc(#loc53)
    return %3 : tensor<2xf64> loc(#loc)
  } loc(#loc29)
} loc(#loc)
