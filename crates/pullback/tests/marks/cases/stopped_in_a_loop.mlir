module @jit_stopped_in_a_loop attributes {jax.uses_shape_polymorphism = false, mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<2xf64> loc("x")) -> (tensor<f64> {jax.result_info = "result"}) {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f64> loc(#loc43)
    %c = stablehlo.constant dense<1> : tensor<i64> loc(#loc)
    %c_0 = stablehlo.constant dense<4> : tensor<i64> loc(#loc)
    %c_1 = stablehlo.constant dense<0> : tensor<i64> loc(#loc47)
    %0:2 = stablehlo.while(%iterArg = %c_1, %iterArg_2 = %arg0) : tensor<i64>, tensor<2xf64>
    cond {
      %2 = stablehlo.compare LT, %iterArg, %c_0, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1> loc(#loc52)
      stablehlo.return %2 : tensor<i1> loc(#loc51)
    } do {
      %2 = func.call @closed_call(%iterArg_2) : (tensor<2xf64>) -> tensor<2xf64> loc(#loc53)
      %3 = stablehlo.add %iterArg, %c : tensor<i64> loc(#loc54)
      stablehlo.return %3, %2 : tensor<i64>, tensor<2xf64> loc(#loc51)
    } loc(#loc51)
    %1 = stablehlo.reduce(%0#1 init: %cst) applies stablehlo.add across dimensions = [0] : (tensor<2xf64>, tensor<f64>) -> tensor<f64> loc(#loc43)
    return %1 : tensor<f64> loc(#loc37)
  } loc(#loc)
  func.func private @closed_call(%arg0: tensor<2xf64> loc(unknown)) -> tensor<2xf64> {
    %0 = stablehlo.sine %arg0 : tensor<2xf64> loc(#loc39)
    %1 = stablehlo.composite "pullback.stop_gradient" %arg0 {decomposition = @pullback.stop_gradient} : (tensor<2xf64>) -> tensor<2xf64> loc(#loc55)
    %2 = stablehlo.multiply %0, %1 : tensor<2xf64> loc(#loc41)
    %3 = stablehlo.add %2, %arg0 : tensor<2xf64> loc(#loc42)
    return %3 : tensor<2xf64> loc(#loc)
  } loc(#loc45)
  func.func private @pullback.stop_gradient(%arg0: tensor<2xf64> loc(unknown)) -> tensor<2xf64> {
    return %arg0 : tensor<2xf64> loc(#loc)
  } loc(#loc27)
} loc(#loc)
