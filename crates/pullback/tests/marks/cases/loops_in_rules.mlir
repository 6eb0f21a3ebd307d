module @jit_loops_in_rules attributes {jax.uses_shape_polymorphism = false, mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<2xf64> loc("x")) -> (tensor<f64> {jax.result_info = "result"}) {
    %c = stablehlo.constant dense<1> : tensor<i64> loc(#loc)
    %c_0 = stablehlo.constant dense<2> : tensor<i64> loc(#loc)
    %c_1 = stablehlo.constant dense<0> : tensor<i64> loc(#loc116)
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f64> loc(#loc)
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f64>) -> tensor<2xf64> loc(#loc151)
    %1:4 = stablehlo.composite "pullback.custom_vjp" %arg0, %0 {composite_attributes = {arguments = 1 : i64, name = "looping", residuals = 1 : i64, results = 1 : i64}, decomposition = @pullback.custom_vjp} : (tensor<2xf64>, tensor<2xf64>) -> (tensor<2xf64>, tensor<2xf64>, tensor<2xf64>, tensor<2xf64>) loc(#loc166)
    %2:2 = stablehlo.while(%iterArg = %c_1, %iterArg_2 = %arg0) : tensor<i64>, tensor<2xf64>
    cond {
      %5 = stablehlo.compare LT, %iterArg, %c_0, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1> loc(#loc135)
      stablehlo.return %5 : tensor<i1> loc(#loc134)
    } do {
      %5 = func.call @closed_call_2(%iterArg_2) : (tensor<2xf64>) -> tensor<2xf64> loc(#loc136)
      %6 = stablehlo.add %iterArg, %c : tensor<i64> loc(#loc137)
      stablehlo.return %6, %5 : tensor<i64>, tensor<2xf64> loc(#loc134)
    } loc(#loc134)
    %3 = stablehlo.multiply %1#0, %2#1 : tensor<2xf64> loc(#loc105)
    %4 = stablehlo.reduce(%3 init: %cst) applies stablehlo.add across dimensions = [0] : (tensor<2xf64>, tensor<f64>) -> tensor<f64> loc(#loc106)
    return %4 : tensor<f64> loc(#loc89)
  } loc(#loc)
  func.func private @pullback.custom_vjp(%arg0: tensor<2xf64> loc(unknown), %arg1: tensor<2xf64> loc(unknown)) -> (tensor<2xf64>, tensor<2xf64>, tensor<2xf64>, tensor<2xf64>) {
    %c = stablehlo.constant dense<1> : tensor<i64> loc(#loc)
    %c_0 = stablehlo.constant dense<3> : tensor<i64> loc(#loc)
    %c_1 = stablehlo.constant dense<0> : tensor<i64> loc(#loc)
    %0:3 = stablehlo.while(%iterArg = %c_1, %iterArg_2 = %c_1, %iterArg_3 = %arg0) : tensor<i64>, tensor<i64>, tensor<2xf64>
    cond {
      %4 = stablehlo.compare LT, %iterArg, %c_0, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1> loc(#loc167)
      stablehlo.return %4 : tensor<i1> loc(#loc153)
    } do {
      %4:2 = func.call @closed_call(%iterArg_2, %iterArg_3) : (tensor<i64>, tensor<2xf64>) -> (tensor<i64>, tensor<2xf64>) loc(#loc168)
      %5 = stablehlo.add %iterArg, %c : tensor<i64> loc(#loc169)
      stablehlo.return %5, %4#0, %4#1 : tensor<i64>, tensor<i64>, tensor<2xf64> loc(#loc153)
    } loc(#loc153)
    %1:3 = stablehlo.while(%iterArg = %c_1, %iterArg_2 = %c_1, %iterArg_3 = %arg0) : tensor<i64>, tensor<i64>, tensor<2xf64>
    cond {
      %4 = stablehlo.compare LT, %iterArg, %c_0, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1> loc(#loc155)
      stablehlo.return %4 : tensor<i1> loc(#loc139)
    } do {
      %4:2 = func.call @closed_call_0(%iterArg_2, %iterArg_3) : (tensor<i64>, tensor<2xf64>) -> (tensor<i64>, tensor<2xf64>) loc(#loc156)
      %5 = stablehlo.add %iterArg, %c : tensor<i64> loc(#loc157)
      stablehlo.return %5, %4#0, %4#1 : tensor<i64>, tensor<i64>, tensor<2xf64> loc(#loc139)
    } loc(#loc139)
    %2 = stablehlo.multiply %arg1, %arg0 : tensor<2xf64> loc(#loc92)
    %3:3 = stablehlo.while(%iterArg = %c_1, %iterArg_2 = %c_1, %iterArg_3 = %2) : tensor<i64>, tensor<i64>, tensor<2xf64>
    cond {
      %4 = stablehlo.compare LT, %iterArg, %c_0, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1> loc(#loc158)
      stablehlo.return %4 : tensor<i1> loc(#loc141)
    } do {
      %4:2 = func.call @closed_call_1(%iterArg_2, %iterArg_3) : (tensor<i64>, tensor<2xf64>) -> (tensor<i64>, tensor<2xf64>) loc(#loc159)
      %5 = stablehlo.add %iterArg, %c : tensor<i64> loc(#loc160)
      stablehlo.return %5, %4#0, %4#1 : tensor<i64>, tensor<i64>, tensor<2xf64> loc(#loc141)
    } loc(#loc141)
    return %0#2, %1#2, %arg0, %3#2 : tensor<2xf64>, tensor<2xf64>, tensor<2xf64>, tensor<2xf64> loc(#loc)
  } loc(#loc48)
  func.func private @closed_call(%arg0: tensor<i64> loc(unknown), %arg1: tensor<2xf64> loc(unknown)) -> (tensor<i64>, tensor<2xf64>) {
    %cst = stablehlo.constant dense<1.500000e+00> : tensor<f64> loc(#loc)
    %c = stablehlo.constant dense<1> : tensor<i64> loc(#loc)
    %0 = stablehlo.add %arg0, %c : tensor<i64> loc(#loc24)
    %1 = stablehlo.sine %arg1 : tensor<2xf64> loc(#loc94)
    %2 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f64>) -> tensor<2xf64> loc(#loc95)
    %3 = stablehlo.multiply %1, %2 : tensor<2xf64> loc(#loc95)
    return %0, %3 : tensor<i64>, tensor<2xf64> loc(#loc)
  } loc(#loc161)
  func.func private @closed_call_0(%arg0: tensor<i64> loc(unknown), %arg1: tensor<2xf64> loc(unknown)) -> (tensor<i64>, tensor<2xf64>) {
    %cst = stablehlo.constant dense<1.500000e+00> : tensor<f64> loc(#loc)
    %c = stablehlo.constant dense<1> : tensor<i64> loc(#loc)
    %0 = stablehlo.add %arg0, %c : tensor<i64> loc(#loc24)
    %1 = stablehlo.sine %arg1 : tensor<2xf64> loc(#loc94)
    %2 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f64>) -> tensor<2xf64> loc(#loc95)
    %3 = stablehlo.multiply %1, %2 : tensor<2xf64> loc(#loc95)
    return %0, %3 : tensor<i64>, tensor<2xf64> loc(#loc)
  } loc(#loc144)
  func.func private @closed_call_1(%arg0: tensor<i64> loc(unknown), %arg1: tensor<2xf64> loc(unknown)) -> (tensor<i64>, tensor<2xf64>) {
    %cst = stablehlo.constant dense<1.500000e+00> : tensor<f64> loc(#loc)
    %c = stablehlo.constant dense<1> : tensor<i64> loc(#loc)
    %0 = stablehlo.add %arg0, %c : tensor<i64> loc(#loc24)
    %1 = stablehlo.sine %arg1 : tensor<2xf64> loc(#loc94)
    %2 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f64>) -> tensor<2xf64> loc(#loc95)
    %3 = stablehlo.multiply %1, %2 : tensor<2xf64> loc(#loc95)
    return %0, %3 : tensor<i64>, tensor<2xf64> loc(#loc)
  } loc(#loc145)
  func.func private @closed_call_2(%arg0: tensor<2xf64> loc(unknown)) -> tensor<2xf64> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f64> loc(#loc126)
    %0 = stablehlo.composite "pullback.remat" %arg0 {composite_attributes = {name = "<lambda>"}, decomposition = @pullback.remat} : (tensor<2xf64>) -> tensor<2xf64> loc(#loc127)
    %1 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f64>) -> tensor<2xf64> loc(#loc146)
    %2:4 = stablehlo.composite "pullback.custom_vjp" %arg0, %1 {composite_attributes = {arguments = 1 : i64, name = "looping", residuals = 1 : i64, results = 1 : i64}, decomposition = @pullback.custom_vjp_4} : (tensor<2xf64>, tensor<2xf64>) -> (tensor<2xf64>, tensor<2xf64>, tensor<2xf64>, tensor<2xf64>) loc(#loc162)
    %3 = stablehlo.add %0, %2#0 : tensor<2xf64> loc(#loc100)
    return %3 : tensor<2xf64> loc(#loc)
  } loc(#loc110)
  func.func private @pullback.remat(%arg0: tensor<2xf64> loc(unknown)) -> tensor<2xf64> {
    %c = stablehlo.constant dense<1> : tensor<i64> loc(#loc)
    %c_0 = stablehlo.constant dense<2> : tensor<i64> loc(#loc)
    %c_1 = stablehlo.constant dense<0> : tensor<i64> loc(#loc)
    %0:3 = stablehlo.while(%iterArg = %c_1, %iterArg_2 = %c_1, %iterArg_3 = %arg0) : tensor<i64>, tensor<i64>, tensor<2xf64>
    cond {
      %2 = stablehlo.compare LT, %iterArg, %c_0, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1> loc(#loc163)
      stablehlo.return %2 : tensor<i1> loc(#loc148)
    } do {
      %2:2 = func.call @closed_call_3(%iterArg_2, %iterArg_3) : (tensor<i64>, tensor<2xf64>) -> (tensor<i64>, tensor<2xf64>) loc(#loc164)
      %3 = stablehlo.add %iterArg, %c : tensor<i64> loc(#loc165)
      stablehlo.return %3, %2#0, %2#1 : tensor<i64>, tensor<i64>, tensor<2xf64> loc(#loc148)
    } loc(#loc148)
    %1 = stablehlo.multiply %0#2, %arg0 : tensor<2xf64> loc(#loc102)
    return %1 : tensor<2xf64> loc(#loc)
  } loc(#loc48)
  func.func private @closed_call_3(%arg0: tensor<i64> loc(unknown), %arg1: tensor<2xf64> loc(unknown)) -> (tensor<i64>, tensor<2xf64>) {
    %cst = stablehlo.constant dense<1.500000e+00> : tensor<f64> loc(#loc)
    %c = stablehlo.constant dense<1> : tensor<i64> loc(#loc)
    %0 = stablehlo.add %arg0, %c : tensor<i64> loc(#loc24)
    %1 = stablehlo.sine %arg1 : tensor<2xf64> loc(#loc94)
    %2 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f64>) -> tensor<2xf64> loc(#loc95)
    %3 = stablehlo.multiply %1, %2 : tensor<2xf64> loc(#loc95)
    return %0, %3 : tensor<i64>, tensor<2xf64> loc(#loc)
  } loc(#loc150)
  func.func private @pullback.custom_vjp_4(%arg0: tensor<2xf64> loc(unknown), %arg1: tensor<2xf64> loc(unknown)) -> (tensor<2xf64>, tensor<2xf64>, tensor<2xf64>, tensor<2xf64>) {
    %c = stablehlo.constant dense<1> : tensor<i64> loc(#loc)
    %c_0 = stablehlo.constant dense<0> : tensor<i64> loc(#loc)
    %0:3 = stablehlo.while(%iterArg = %c_0, %iterArg_1 = %c_0, %iterArg_2 = %arg0) : tensor<i64>, tensor<i64>, tensor<2xf64>
    cond {
      %4 = stablehlo.compare LT, %iterArg, %c, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1> loc(#loc167)
      stablehlo.return %4 : tensor<i1> loc(#loc153)
    } do {
      %4:2 = func.call @closed_call_5(%iterArg_1, %iterArg_2) : (tensor<i64>, tensor<2xf64>) -> (tensor<i64>, tensor<2xf64>) loc(#loc168)
      %5 = stablehlo.add %iterArg, %c : tensor<i64> loc(#loc169)
      stablehlo.return %5, %4#0, %4#1 : tensor<i64>, tensor<i64>, tensor<2xf64> loc(#loc153)
    } loc(#loc153)
    %1:3 = stablehlo.while(%iterArg = %c_0, %iterArg_1 = %c_0, %iterArg_2 = %arg0) : tensor<i64>, tensor<i64>, tensor<2xf64>
    cond {
      %4 = stablehlo.compare LT, %iterArg, %c, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1> loc(#loc155)
      stablehlo.return %4 : tensor<i1> loc(#loc139)
    } do {
      %4:2 = func.call @closed_call_6(%iterArg_1, %iterArg_2) : (tensor<i64>, tensor<2xf64>) -> (tensor<i64>, tensor<2xf64>) loc(#loc156)
      %5 = stablehlo.add %iterArg, %c : tensor<i64> loc(#loc157)
      stablehlo.return %5, %4#0, %4#1 : tensor<i64>, tensor<i64>, tensor<2xf64> loc(#loc139)
    } loc(#loc139)
    %2 = stablehlo.multiply %arg1, %arg0 : tensor<2xf64> loc(#loc92)
    %3:3 = stablehlo.while(%iterArg = %c_0, %iterArg_1 = %c_0, %iterArg_2 = %2) : tensor<i64>, tensor<i64>, tensor<2xf64>
    cond {
      %4 = stablehlo.compare LT, %iterArg, %c, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1> loc(#loc158)
      stablehlo.return %4 : tensor<i1> loc(#loc141)
    } do {
      %4:2 = func.call @closed_call_7(%iterArg_1, %iterArg_2) : (tensor<i64>, tensor<2xf64>) -> (tensor<i64>, tensor<2xf64>) loc(#loc159)
      %5 = stablehlo.add %iterArg, %c : tensor<i64> loc(#loc160)
      stablehlo.return %5, %4#0, %4#1 : tensor<i64>, tensor<i64>, tensor<2xf64> loc(#loc141)
    } loc(#loc141)
    return %0#2, %1#2, %arg0, %3#2 : tensor<2xf64>, tensor<2xf64>, tensor<2xf64>, tensor<2xf64> loc(#loc)
  } loc(#loc48)
  func.func private @closed_call_5(%arg0: tensor<i64> loc(unknown), %arg1: tensor<2xf64> loc(unknown)) -> (tensor<i64>, tensor<2xf64>) {
    %cst = stablehlo.constant dense<1.500000e+00> : tensor<f64> loc(#loc)
    %c = stablehlo.constant dense<1> : tensor<i64> loc(#loc)
    %0 = stablehlo.add %arg0, %c : tensor<i64> loc(#loc24)
    %1 = stablehlo.sine %arg1 : tensor<2xf64> loc(#loc94)
    %2 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f64>) -> tensor<2xf64> loc(#loc95)
    %3 = stablehlo.multiply %1, %2 : tensor<2xf64> loc(#loc95)
    return %0, %3 : tensor<i64>, tensor<2xf64> loc(#loc)
  } loc(#loc161)
  func.func private @closed_call_6(%arg0: tensor<i64> loc(unknown), %arg1: tensor<2xf64> loc(unknown)) -> (tensor<i64>, tensor<2xf64>) {
    %cst = stablehlo.constant dense<1.500000e+00> : tensor<f64> loc(#loc)
    %c = stablehlo.constant dense<1> : tensor<i64> loc(#loc)
    %0 = stablehlo.add %arg0, %c : tensor<i64> loc(#loc24)
    %1 = stablehlo.sine %arg1 : tensor<2xf64> loc(#loc94)
    %2 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f64>) -> tensor<2xf64> loc(#loc95)
    %3 = stablehlo.multiply %1, %2 : tensor<2xf64> loc(#loc95)
    return %0, %3 : tensor<i64>, tensor<2xf64> loc(#loc)
  } loc(#loc144)
  func.func private @closed_call_7(%arg0: tensor<i64> loc(unknown), %arg1: tensor<2xf64> loc(unknown)) -> (tensor<i64>, tensor<2xf64>) {
    %cst = stablehlo.constant dense<1.500000e+00> : tensor<f64> loc(#loc)
    %c = stablehlo.constant dense<1> : tensor<i64> loc(#loc)
    %0 = stablehlo.add %arg0, %c : tensor<i64> loc(#loc24)
    %1 = stablehlo.sine %arg1 : tensor<2xf64> loc(#loc94)
    %2 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f64>) -> tensor<2xf64> loc(#loc95)
    %3 = stablehlo.multiply %1, %2 : tensor<2xf64> loc(#loc95)
    return %0, %3 : tensor<i64>, tensor<2xf64> loc(#loc)
  } loc(#loc145)
} loc(#loc)
