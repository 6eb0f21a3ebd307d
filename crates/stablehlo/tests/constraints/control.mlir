// Choices and loops: if, case, while.

// case case_c1: case (C1): there are no branches
func.func @f(%i: tensor<i32>) -> tensor<f32> {
  %0 = "stablehlo.case"(%i) : (tensor<i32>) -> tensor<f32>
  return %0 : tensor<f32>
}

// case case_c2: case (C2): branch 0 takes 1 value(s); branches take none
func.func @f(%i: tensor<i32>, %x: tensor<f32>) -> tensor<f32> {
  %0 = "stablehlo.case"(%i) ({
    ^bb0(%a: tensor<f32>):
    stablehlo.return %a : tensor<f32>
  }) : (tensor<i32>) -> tensor<f32>
  return %0 : tensor<f32>
}

// case case_c3: case (C3): branch 1 gives (f32[2]), branch 0 (f32[])
func.func @f(%i: tensor<i32>, %x: tensor<f32>, %y: tensor<2xf32>) -> tensor<f32> {
  %0 = "stablehlo.case"(%i) ({
    stablehlo.return %x : tensor<f32>
  }, {
    stablehlo.return %y : tensor<2xf32>
  }) : (tensor<i32>) -> tensor<f32>
  return %0 : tensor<f32>
}

// case case_c3_inside: case (C3): branch 1 gives (tensor<f64>), branch 0 (tensor<f32>)
func.func @f(%i: tensor<i32>) -> tensor<f32> {
  %0 = "stablehlo.case"(%i) ({
    %1 = stablehlo.constant dense<1.0> : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }, {
    %1 = stablehlo.constant dense<1.0> : tensor<f64>
    stablehlo.return %1 : tensor<f64>
  }) : (tensor<i32>) -> tensor<f32>
  return %0 : tensor<f32>
}

// case case_c4: case (C4): gives tensor<f32>, but is declared as tensor<2xf32>
func.func @f(%i: tensor<i32>, %x: tensor<f32>) -> tensor<2xf32> {
  %0 = "stablehlo.case"(%i) ({
    stablehlo.return %x : tensor<f32>
  }) : (tensor<i32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// case if_c1: if (C1): branch 0 takes 1 value(s); branches take none
func.func @f(%p: tensor<i1>, %x: tensor<f32>) -> tensor<f32> {
  %0 = "stablehlo.if"(%p) ({
    ^bb0(%a: tensor<f32>):
    stablehlo.return %a : tensor<f32>
  }, {
    stablehlo.return %x : tensor<f32>
  }) : (tensor<i1>) -> tensor<f32>
  return %0 : tensor<f32>
}

// case if_c2: if (C2): branch 1 gives (f32[2]), branch 0 (f32[])
func.func @f(%p: tensor<i1>, %x: tensor<f32>, %y: tensor<2xf32>) -> tensor<f32> {
  %0 = "stablehlo.if"(%p) ({
    stablehlo.return %x : tensor<f32>
  }, {
    stablehlo.return %y : tensor<2xf32>
  }) : (tensor<i1>) -> tensor<f32>
  return %0 : tensor<f32>
}

// case if_c2_inside: if (C2): branch 1 gives (tensor<f64>), branch 0 (tensor<f32>)
func.func @f(%p: tensor<i1>) -> tensor<f32> {
  %0 = "stablehlo.if"(%p) ({
    %1 = stablehlo.constant dense<1.0> : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }, {
    %1 = stablehlo.constant dense<1.0> : tensor<f64>
    stablehlo.return %1 : tensor<f64>
  }) : (tensor<i1>) -> tensor<f32>
  return %0 : tensor<f32>
}

// case if_c3: if (C3): gives tensor<f32>, but is declared as tensor<f64>
func.func @f(%p: tensor<i1>, %x: tensor<f32>) -> tensor<f64> {
  %0 = "stablehlo.if"(%p) ({
    stablehlo.return %x : tensor<f32>
  }, {
    stablehlo.return %x : tensor<f32>
  }) : (tensor<i1>) -> tensor<f64>
  return %0 : tensor<f64>
}

// case while_c1: while (C1): cond is (tensor<f32>) -> (tensor<f32>) where (tensor<f32>) is carried
func.func @f(%x: tensor<f32>) -> tensor<f32> {
  %0 = "stablehlo.while"(%x) ({
    ^bb0(%a: tensor<f32>):
    stablehlo.return %a : tensor<f32>
  }, {
    ^bb0(%a: tensor<f32>):
    stablehlo.return %a : tensor<f32>
  }) : (tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}

// case while_c1_args: while (C1): cond is (tensor<f32>, tensor<f32>) -> (tensor<i1>) where (tensor<f32>) is carried
func.func @f(%x: tensor<f32>) -> tensor<f32> {
  %0 = "stablehlo.while"(%x) ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.is_finite %a : (tensor<f32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  }, {
    ^bb0(%a: tensor<f32>):
    stablehlo.return %a : tensor<f32>
  }) : (tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}

// case while_c2: while (C2): body is (tensor<f32>) -> (tensor<i1>) where (tensor<f32>) is carried
func.func @f(%x: tensor<f32>) -> tensor<f32> {
  %0 = "stablehlo.while"(%x) ({
    ^bb0(%a: tensor<f32>):
    %1 = stablehlo.is_finite %a : (tensor<f32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  }, {
    ^bb0(%a: tensor<f32>):
    %1 = stablehlo.is_finite %a : (tensor<f32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  }) : (tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}

// case while_c2_args: while (C2): body is (tensor<f64>) -> (tensor<f64>) where (tensor<f32>) is carried
func.func @f(%x: tensor<f32>) -> tensor<f32> {
  %0 = "stablehlo.while"(%x) ({
    ^bb0(%a: tensor<f32>):
    %1 = stablehlo.is_finite %a : (tensor<f32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  }, {
    ^bb0(%a: tensor<f64>):
    stablehlo.return %a : tensor<f64>
  }) : (tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}

// case while_c2_count: while (C2): body is (tensor<f32>) -> (tensor<f32>, tensor<f32>) where (tensor<f32>) is carried
func.func @f(%x: tensor<f32>) -> tensor<f32> {
  %0 = "stablehlo.while"(%x) ({
    ^bb0(%a: tensor<f32>):
    %1 = stablehlo.is_finite %a : (tensor<f32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  }, {
    ^bb0(%a: tensor<f32>):
    stablehlo.return %a, %a : tensor<f32>, tensor<f32>
  }) : (tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}

// case while_c3: while (C3): gives tensor<f32>, but is declared as tensor<f64>
func.func @f(%x: tensor<f32>) -> tensor<f64> {
  %0 = "stablehlo.while"(%x) ({
    ^bb0(%a: tensor<f32>):
    %1 = stablehlo.is_finite %a : (tensor<f32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  }, {
    ^bb0(%a: tensor<f32>):
    stablehlo.return %a : tensor<f32>
  }) : (tensor<f32>) -> tensor<f64>
  return %0 : tensor<f64>
}
