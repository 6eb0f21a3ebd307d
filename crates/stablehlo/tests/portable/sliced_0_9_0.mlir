#loc2 = loc("a")
#loc3 = loc("b")
module @sliced {
  func.func public @main(%arg0: tensor<4x6xf32> loc("a"), %arg1: tensor<f32> loc("b")) -> tensor<2x9xf32> {
    %0 = stablehlo.slice %arg0 [1:3, 0:5:2] : (tensor<4x6xf32>) -> tensor<2x3xf32> loc(#loc4)
    %1 = stablehlo.pad %0, %arg1, low = [0, -1], high = [0, 5], interior = [0, 1] : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x9xf32> loc(#loc5)
    %2 = stablehlo.dot_general %1, %1, batching_dims = [0] x [0], contracting_dims = [1] x [1] : (tensor<2x9xf32>, tensor<2x9xf32>) -> tensor<2xf32> loc(#loc6)
    %3 = stablehlo.broadcast_in_dim %2, dims = [0] : (tensor<2xf32>) -> tensor<2x9xf32> loc(#loc7)
    return %3 : tensor<2x9xf32> loc(#loc8)
  } loc(#loc1)
} loc(#loc)
#loc = loc("-":1:1)
#loc1 = loc("-":2:3)
#loc4 = loc("-":3:10)
#loc5 = loc("-":4:10)
#loc6 = loc("-":5:10)
#loc7 = loc("-":6:10)
#loc8 = loc("-":7:5)

