// rng

// case rng_c1: rng (C1): element types of tensor<f32> and tensor<f64> differ
func.func @f(%a: tensor<f32>, %b: tensor<f64>) -> tensor<2xf32> {
  %s = stablehlo.constant dense<[2]> : tensor<1xi64>
  %0 = "stablehlo.rng"(%a, %b, %s) <{rng_distribution = #stablehlo<rng_distribution UNIFORM>}> : (tensor<f32>, tensor<f64>, tensor<1xi64>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// case rng_c1_result: rng (C1): element types of tensor<f32> and of the result tensor<2xf64> differ
func.func @f(%a: tensor<f32>, %b: tensor<f32>) -> tensor<2xf64> {
  %s = stablehlo.constant dense<[2]> : tensor<1xi64>
  %0 = "stablehlo.rng"(%a, %b, %s) <{rng_distribution = #stablehlo<rng_distribution UNIFORM>}> : (tensor<f32>, tensor<f32>, tensor<1xi64>) -> tensor<2xf64>
  return %0 : tensor<2xf64>
}

// case rng_c2: rng (C2): a NORMAL distribution of tensor<i32>, which are not floats
func.func @f(%a: tensor<i32>, %b: tensor<i32>) -> tensor<2xi32> {
  %s = stablehlo.constant dense<[2]> : tensor<1xi64>
  %0 = "stablehlo.rng"(%a, %b, %s) <{rng_distribution = #stablehlo<rng_distribution NORMAL>}> : (tensor<i32>, tensor<i32>, tensor<1xi64>) -> tensor<2xi32>
  return %0 : tensor<2xi32>
}

// case rng_c3: rng (C3): dimension 0 of tensor<3xf32> is given the size 2
func.func @f(%a: tensor<f32>, %b: tensor<f32>) -> tensor<3xf32> {
  %s = stablehlo.constant dense<[2]> : tensor<1xi64>
  %0 = "stablehlo.rng"(%a, %b, %s) <{rng_distribution = #stablehlo<rng_distribution UNIFORM>}> : (tensor<f32>, tensor<f32>, tensor<1xi64>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}

// case rng_c3_rank: rng (C3): the shape is tensor<1xi64> where the result has 2 dimensions
func.func @f(%a: tensor<f32>, %b: tensor<f32>) -> tensor<2x1xf32> {
  %s = stablehlo.constant dense<[2]> : tensor<1xi64>
  %0 = "stablehlo.rng"(%a, %b, %s) <{rng_distribution = #stablehlo<rng_distribution UNIFORM>}> : (tensor<f32>, tensor<f32>, tensor<1xi64>) -> tensor<2x1xf32>
  return %0 : tensor<2x1xf32>
}
