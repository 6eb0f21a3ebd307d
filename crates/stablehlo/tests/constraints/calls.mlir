// composite, and optimization_barrier.

// case composite_c1: composite (C1): "op" is not a name with a namespace, such as my_namespace.my_op
func.func private @g(%a: tensor<f32>) -> tensor<f32> {
  return %a : tensor<f32>
}
func.func public @f(%x: tensor<f32>, %y: tensor<2xf32>) -> tensor<f32> {
  %0 = "stablehlo.composite"(%x) <{name = "op", decomposition = @g}> : (tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}

// case composite_c1_part: composite (C1): "my..op" is not a name with a namespace, such as my_namespace.my_op
func.func private @g(%a: tensor<f32>) -> tensor<f32> {
  return %a : tensor<f32>
}
func.func public @f(%x: tensor<f32>, %y: tensor<2xf32>) -> tensor<f32> {
  %0 = "stablehlo.composite"(%x) <{name = "my..op", decomposition = @g}> : (tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}

// case composite_c2: composite (C2): @h is not defined in this module
func.func private @g(%a: tensor<f32>) -> tensor<f32> {
  return %a : tensor<f32>
}
func.func public @f(%x: tensor<f32>, %y: tensor<2xf32>) -> tensor<f32> {
  %0 = "stablehlo.composite"(%x) <{name = "my.op", decomposition = @h}> : (tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}

// case composite_c3: composite (C3): @g takes tensor<f32> where %y is tensor<2xf32>
func.func private @g(%a: tensor<f32>) -> tensor<f32> {
  return %a : tensor<f32>
}
func.func public @f(%x: tensor<f32>, %y: tensor<2xf32>) -> tensor<f32> {
  %0 = "stablehlo.composite"(%y) <{name = "my.op", decomposition = @g}> : (tensor<2xf32>) -> tensor<f32>
  return %0 : tensor<f32>
}

// case composite_c3_count: composite (C3): @g takes 1 argument(s) and gives 1 result(s), not 2 and 1
func.func private @g(%a: tensor<f32>) -> tensor<f32> {
  return %a : tensor<f32>
}
func.func public @f(%x: tensor<f32>, %y: tensor<2xf32>) -> tensor<f32> {
  %0 = "stablehlo.composite"(%x, %x) <{name = "my.op", decomposition = @g}> : (tensor<f32>, tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}

// case composite_c4: composite (C4): @g gives tensor<f32>, but is declared as tensor<f64>
func.func private @g(%a: tensor<f32>) -> tensor<f32> {
  return %a : tensor<f32>
}
func.func public @f(%x: tensor<f32>, %y: tensor<2xf32>) -> tensor<f64> {
  %0 = "stablehlo.composite"(%x) <{name = "my.op", decomposition = @g}> : (tensor<f32>) -> tensor<f64>
  return %0 : tensor<f64>
}

// case optimization_barrier_c1: optimization_barrier (C1): gives tensor<2xf32>, but is declared as tensor<3xf32>
func.func @f(%x: tensor<2xf32>) -> tensor<3xf32> {
  %0 = "stablehlo.optimization_barrier"(%x) : (tensor<2xf32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}
