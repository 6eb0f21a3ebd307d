module @jit_reverse_rule_squared attributes {jax.uses_shape_polymorphism = false, mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<f64> loc("x")) -> (tensor<f64> {jax.result_info = "result"}) {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f64> loc(#loc48)
    %0:3 = stablehlo.composite "pullback.custom_vjp" %arg0, %cst {composite_attributes = {arguments = 1 : i64, name = "thrice", residuals = 0 : i64, results = 1 : i64}, decomposition = @pullback.custom_vjp} : (tensor<f64>, tensor<f64>) -> (tensor<f64>, tensor<f64>, tensor<f64>) loc(#loc51)
    %1 = stablehlo.multiply %0#0, %0#0 : tensor<f64> loc(#loc44)
    return %1 : tensor<f64> loc(#loc39)
  } loc(#loc)
  func.func private @pullback.custom_vjp(%arg0: tensor<f64> loc(unknown), %arg1: tensor<f64> loc(unknown)) -> (tensor<f64>, tensor<f64>, tensor<f64>) {
    %cst = stablehlo.constant dense<3.000000e+00> : tensor<f64> loc(#loc)
    %cst_0 = stablehlo.constant dense<2.000000e+00> : tensor<f64> loc(#loc)
    %0 = stablehlo.multiply %cst_0, %arg0 : tensor<f64> loc(#loc45)
    %1 = stablehlo.multiply %cst_0, %arg0 : tensor<f64> loc(#loc41)
    %2 = stablehlo.multiply %cst, %arg1 : tensor<f64> loc(#loc42)
    return %0, %1, %2 : tensor<f64>, tensor<f64>, tensor<f64> loc(#loc)
  } loc(#loc24)
} loc(#loc)
