// dot_general

// case dot_general_c1: dot_general (C1): 1 lhs and 0 rhs batching dimensions
func.func @f(%x: tensor<2x3x4xf32>, %y: tensor<2x4x5xf32>) -> tensor<2x3x5xf32> {
  %0 = stablehlo.dot_general %x, %y, batching_dims = [0] x [], contracting_dims = [2] x [1] : (tensor<2x3x4xf32>, tensor<2x4x5xf32>) -> tensor<2x3x5xf32>
  return %0 : tensor<2x3x5xf32>
}

// case dot_general_c2: dot_general (C2): 1 lhs and 0 rhs contracting dimensions
func.func @f(%x: tensor<2x3xf32>, %y: tensor<3x4xf32>) -> tensor<2x4xf32> {
  %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [] : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  return %0 : tensor<2x4xf32>
}

// case dot_general_c3: dot_general (C3): lhs batching and contracting dimensions: dimension 1 is listed twice
func.func @f(%x: tensor<2x3xf32>, %y: tensor<3x3xf32>) -> tensor<2x4xf32> {
  %0 = stablehlo.dot_general %x, %y, contracting_dims = [1, 1] x [0, 1] : (tensor<2x3xf32>, tensor<3x3xf32>) -> tensor<2x4xf32>
  return %0 : tensor<2x4xf32>
}

// case dot_general_c3_both: dot_general (C3): lhs batching and contracting dimensions: dimension 0 is listed twice
func.func @f(%x: tensor<2x3xf32>, %y: tensor<2x3xf32>) -> tensor<2xf32> {
  %0 = stablehlo.dot_general %x, %y, batching_dims = [0] x [0], contracting_dims = [0] x [1] : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// case dot_general_c4: dot_general (C4): rhs batching and contracting dimensions: dimension 0 is listed twice
func.func @f(%x: tensor<3x3xf32>, %y: tensor<3x4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.dot_general %x, %y, contracting_dims = [0, 1] x [0, 0] : (tensor<3x3xf32>, tensor<3x4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// case dot_general_c5: dot_general (C5): lhs batching dimensions: dimension 2 of f32[2,3] does not exist
func.func @f(%x: tensor<2x3xf32>, %y: tensor<2x3xf32>) -> tensor<2xf32> {
  %0 = stablehlo.dot_general %x, %y, batching_dims = [2] x [0], contracting_dims = [1] x [1] : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// case dot_general_c5_negative: dot_general (C5): lhs_batching_dimensions holds -1, which may not be negative
func.func @f(%x: tensor<2x3xf32>, %y: tensor<2x3xf32>) -> tensor<2xf32> {
  %0 = stablehlo.dot_general %x, %y, batching_dims = [-1] x [0], contracting_dims = [1] x [1] : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// case dot_general_c6: dot_general (C6): lhs contracting dimensions: dimension 2 of f32[2,3] does not exist
func.func @f(%x: tensor<2x3xf32>, %y: tensor<3x4xf32>) -> tensor<2x4xf32> {
  %0 = stablehlo.dot_general %x, %y, contracting_dims = [2] x [0] : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  return %0 : tensor<2x4xf32>
}

// case dot_general_c6_negative: dot_general (C6): lhs_contracting_dimensions holds -1, which may not be negative
func.func @f(%x: tensor<2x3xf32>, %y: tensor<3x4xf32>) -> tensor<2x4xf32> {
  %0 = stablehlo.dot_general %x, %y, contracting_dims = [-1] x [0] : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  return %0 : tensor<2x4xf32>
}

// case dot_general_c7: dot_general (C7): rhs batching dimensions: dimension 3 of f32[2,3] does not exist
func.func @f(%x: tensor<2x3xf32>, %y: tensor<2x3xf32>) -> tensor<2xf32> {
  %0 = stablehlo.dot_general %x, %y, batching_dims = [0] x [3], contracting_dims = [1] x [1] : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// case dot_general_c7_negative: dot_general (C7): rhs_batching_dimensions holds -2, which may not be negative
func.func @f(%x: tensor<2x3xf32>, %y: tensor<2x3xf32>) -> tensor<2xf32> {
  %0 = stablehlo.dot_general %x, %y, batching_dims = [0] x [-2], contracting_dims = [1] x [1] : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// case dot_general_c8: dot_general (C8): rhs contracting dimensions: dimension 2 of f32[3,4] does not exist
func.func @f(%x: tensor<2x3xf32>, %y: tensor<3x4xf32>) -> tensor<2x4xf32> {
  %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [2] : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  return %0 : tensor<2x4xf32>
}

// case dot_general_c8_negative: dot_general (C8): rhs_contracting_dimensions holds -2, which may not be negative
func.func @f(%x: tensor<2x3xf32>, %y: tensor<3x4xf32>) -> tensor<2x4xf32> {
  %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [-2] : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  return %0 : tensor<2x4xf32>
}

// case dot_general_c9: dot_general (C9): batching dimensions 0 of f32[2,3] and 0 of f32[4,3] differ in size: 2 and 4
func.func @f(%x: tensor<2x3xf32>, %y: tensor<4x3xf32>) -> tensor<2xf32> {
  %0 = stablehlo.dot_general %x, %y, batching_dims = [0] x [0], contracting_dims = [1] x [1] : (tensor<2x3xf32>, tensor<4x3xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// case dot_general_c10: dot_general (C10): contracting dimensions 1 of f32[2,3] and 0 of f32[4,5] differ in size: 3 and 4
func.func @f(%x: tensor<2x3xf32>, %y: tensor<4x5xf32>) -> tensor<2x5xf32> {
  %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<2x3xf32>, tensor<4x5xf32>) -> tensor<2x5xf32>
  return %0 : tensor<2x5xf32>
}

// case dot_general_c11: dot_general (C11): 1 precisions for 2 operands
func.func @f(%x: tensor<2x3xf32>, %y: tensor<3x4xf32>) -> tensor<2x4xf32> {
  %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0], precision = [DEFAULT] : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  return %0 : tensor<2x4xf32>
}

// case dot_general_c12: dot_general (C12): gives tensor<2x4xf32>, but is declared as tensor<4x2xf32>
func.func @f(%x: tensor<2x3xf32>, %y: tensor<3x4xf32>) -> tensor<4x2xf32> {
  %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<4x2xf32>
  return %0 : tensor<4x2xf32>
}

// case dot_general_c12_rank: dot_general (C12): gives tensor<2x4xf32>, but is declared as tensor<2x4x1xf32>
func.func @f(%x: tensor<2x3xf32>, %y: tensor<3x4xf32>) -> tensor<2x4x1xf32> {
  %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4x1xf32>
  return %0 : tensor<2x4x1xf32>
}

// case dot_general_c13: dot_general (C13): element types of f32[2,3] and f64[3,4] differ
func.func @f(%x: tensor<2x3xf32>, %y: tensor<3x4xf64>) -> tensor<2x4xf32> {
  %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<2x3xf32>, tensor<3x4xf64>) -> tensor<2x4xf32>
  return %0 : tensor<2x4xf32>
}

// case dot_general_c21: dot_general (C21): precision HIGHEST beside an algorithm, which allows only DEFAULT
func.func @f(%x: tensor<2x3xf32>, %y: tensor<3x4xf32>) -> tensor<2x4xf32> {
  %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0], precision = [HIGHEST, DEFAULT], algorithm = <lhs_precision_type = tf32, rhs_precision_type = tf32, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 1, allow_imprecise_accumulation = false> : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  return %0 : tensor<2x4xf32>
}

// case dot_general_c22: dot_general (C22): lhs_component_count of the algorithm is 0, not positive
func.func @f(%x: tensor<2x3xf32>, %y: tensor<3x4xf32>) -> tensor<2x4xf32> {
  %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0], algorithm = <lhs_precision_type = tf32, rhs_precision_type = tf32, accumulation_type = f32, lhs_component_count = 0, rhs_component_count = 1, num_primitive_operations = 1, allow_imprecise_accumulation = false> : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  return %0 : tensor<2x4xf32>
}

// case dot_general_c23: dot_general (C23): rhs_component_count of the algorithm is 0, not positive
func.func @f(%x: tensor<2x3xf32>, %y: tensor<3x4xf32>) -> tensor<2x4xf32> {
  %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0], algorithm = <lhs_precision_type = tf32, rhs_precision_type = tf32, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 0, num_primitive_operations = 1, allow_imprecise_accumulation = false> : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  return %0 : tensor<2x4xf32>
}

// case dot_general_c24: dot_general (C24): num_primitive_operations of the algorithm is -1, not positive
func.func @f(%x: tensor<2x3xf32>, %y: tensor<3x4xf32>) -> tensor<2x4xf32> {
  %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0], algorithm = <lhs_precision_type = tf32, rhs_precision_type = tf32, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = -1, allow_imprecise_accumulation = false> : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  return %0 : tensor<2x4xf32>
}
