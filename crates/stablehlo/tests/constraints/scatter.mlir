// scatter

// case scatter_c1: scatter (C1): shapes of the inputs differ: tensor<5x6xf32>, tensor<5x7xf32>
func.func @f(%x: tensor<5x6xf32>, %y: tensor<5x7xf32>, %i: tensor<3x1xi32>, %u: tensor<3x6xf32>) -> tensor<5x6xf32> {
  %0:2 = "stablehlo.scatter"(%x, %y, %i, %u, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %1 = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %1 : tensor<f32>
  }) : (tensor<5x6xf32>, tensor<5x7xf32>, tensor<3x1xi32>, tensor<3x6xf32>, tensor<3x6xf32>) -> (tensor<5x6xf32>, tensor<5x7xf32>)
  return %0 : tensor<5x6xf32>
}

// case scatter_c2: scatter (C2): update_window_dims: needs 1 entries, got 0
func.func @f(%x: tensor<5x6xf32>, %i: tensor<3x1xi32>, %u: tensor<3x6xf32>) -> tensor<5x6xf32> {
  %0 = "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %1 = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %1 : tensor<f32>
  }) : (tensor<5x6xf32>, tensor<3x1xi32>, tensor<3x6xf32>) -> tensor<5x6xf32>
  return %0 : tensor<5x6xf32>
}

// case scatter_c3: scatter (C3): shapes of the updates differ: tensor<3x6xf32>, tensor<3x5xf32>
func.func @f(%x: tensor<5x6xf32>, %i: tensor<3x1xi32>, %u: tensor<3x6xf32>, %v: tensor<3x5xf32>) -> tensor<5x6xf32> {
  %0:2 = "stablehlo.scatter"(%x, %x, %i, %u, %v) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %1 = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %1 : tensor<f32>
  }) : (tensor<5x6xf32>, tensor<5x6xf32>, tensor<3x1xi32>, tensor<3x6xf32>, tensor<3x5xf32>) -> (tensor<5x6xf32>, tensor<5x6xf32>)
  return %0 : tensor<5x6xf32>
}

// case scatter_c4: scatter (C4): dimension 1 of f32[3,7] exceeds dimension 1 of f32[5,6]
func.func @f(%x: tensor<5x6xf32>, %i: tensor<3x1xi32>, %u: tensor<3x7xf32>) -> tensor<5x6xf32> {
  %0 = "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %1 = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %1 : tensor<f32>
  }) : (tensor<5x6xf32>, tensor<3x1xi32>, tensor<3x7xf32>) -> tensor<5x6xf32>
  return %0 : tensor<5x6xf32>
}

// case scatter_c4_indices: scatter (C4): updates f32[4,6] do not fit indices i32[3,1]
func.func @f(%x: tensor<5x6xf32>, %i: tensor<3x1xi32>, %u: tensor<4x6xf32>) -> tensor<5x6xf32> {
  %0 = "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %1 = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %1 : tensor<f32>
  }) : (tensor<5x6xf32>, tensor<3x1xi32>, tensor<4x6xf32>) -> tensor<5x6xf32>
  return %0 : tensor<5x6xf32>
}

// case scatter_c5: scatter (C5): 2 operands and 1 results are not inputs, indices, updates and results
func.func @f(%x: tensor<5x6xf32>, %i: tensor<3x1xi32>) -> tensor<5x6xf32> {
  %0 = "stablehlo.scatter"(%x, %i) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %1 = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %1 : tensor<f32>
  }) : (tensor<5x6xf32>, tensor<3x1xi32>) -> tensor<5x6xf32>
  return %0 : tensor<5x6xf32>
}

// case scatter_c6: scatter (C6): element types of the input tensor<5x6xf32> and the update tensor<3x6xf64> differ
func.func @f(%x: tensor<5x6xf32>, %i: tensor<3x1xi32>, %u: tensor<3x6xf64>) -> tensor<5x6xf32> {
  %0 = "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %1 = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %1 : tensor<f32>
  }) : (tensor<5x6xf32>, tensor<3x1xi32>, tensor<3x6xf64>) -> tensor<5x6xf32>
  return %0 : tensor<5x6xf32>
}

// case scatter_c7: scatter (C7): update_window_dims [2, 1] are not increasing
func.func @f(%x: tensor<5x6x7xf32>, %i: tensor<3x1xi32>, %u: tensor<3x6x7xf32>) -> tensor<5x6x7xf32> {
  %0 = "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [2, 1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %1 = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %1 : tensor<f32>
  }) : (tensor<5x6x7xf32>, tensor<3x1xi32>, tensor<3x6x7xf32>) -> tensor<5x6x7xf32>
  return %0 : tensor<5x6x7xf32>
}

// case scatter_c7_unique: scatter (C7): update_window_dims: dimension 1 is listed twice
func.func @f(%x: tensor<5x6x7xf32>, %i: tensor<3x1xi32>, %u: tensor<3x6x7xf32>) -> tensor<5x6x7xf32> {
  %0 = "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1, 1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %1 = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %1 : tensor<f32>
  }) : (tensor<5x6x7xf32>, tensor<3x1xi32>, tensor<3x6x7xf32>) -> tensor<5x6x7xf32>
  return %0 : tensor<5x6x7xf32>
}

// case scatter_c8: scatter (C8): update_window_dims: dimension 2 of f32[3,6] does not exist
func.func @f(%x: tensor<5x6xf32>, %i: tensor<3x1xi32>, %u: tensor<3x6xf32>) -> tensor<5x6xf32> {
  %0 = "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [2], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %1 = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %1 : tensor<f32>
  }) : (tensor<5x6xf32>, tensor<3x1xi32>, tensor<3x6xf32>) -> tensor<5x6xf32>
  return %0 : tensor<5x6xf32>
}

// case scatter_c8_negative: scatter (C8): update_window_dims holds -1, which may not be negative
func.func @f(%x: tensor<5x6xf32>, %i: tensor<3x1xi32>, %u: tensor<3x6xf32>) -> tensor<5x6xf32> {
  %0 = "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [-1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %1 = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %1 : tensor<f32>
  }) : (tensor<5x6xf32>, tensor<3x1xi32>, tensor<3x6xf32>) -> tensor<5x6xf32>
  return %0 : tensor<5x6xf32>
}

// case scatter_c9: scatter (C9): inserted_window_dims and input_batching_dims: dimension 0 is listed twice
func.func @f(%x: tensor<5x6x7xf32>, %i: tensor<3x1xi32>, %u: tensor<3x6xf32>) -> tensor<5x6x7xf32> {
  %0 = "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0, 0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %1 = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %1 : tensor<f32>
  }) : (tensor<5x6x7xf32>, tensor<3x1xi32>, tensor<3x6xf32>) -> tensor<5x6x7xf32>
  return %0 : tensor<5x6x7xf32>
}

// case scatter_c10: scatter (C10): inserted_window_dims [1, 0] are not increasing
func.func @f(%x: tensor<5x6x7xf32>, %i: tensor<3x1xi32>, %u: tensor<3x7xf32>) -> tensor<5x6x7xf32> {
  %0 = "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [1, 0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %1 = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %1 : tensor<f32>
  }) : (tensor<5x6x7xf32>, tensor<3x1xi32>, tensor<3x7xf32>) -> tensor<5x6x7xf32>
  return %0 : tensor<5x6x7xf32>
}

// case scatter_c11: scatter (C11): inserted_window_dims: dimension 2 of f32[5,6] does not exist
func.func @f(%x: tensor<5x6xf32>, %i: tensor<3x1xi32>, %u: tensor<3x6xf32>) -> tensor<5x6xf32> {
  %0 = "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [2], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %1 = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %1 : tensor<f32>
  }) : (tensor<5x6xf32>, tensor<3x1xi32>, tensor<3x6xf32>) -> tensor<5x6xf32>
  return %0 : tensor<5x6xf32>
}

// case scatter_c11_negative: scatter (C11): inserted_window_dims holds -1, which may not be negative
func.func @f(%x: tensor<5x6xf32>, %i: tensor<3x1xi32>, %u: tensor<3x6xf32>) -> tensor<5x6xf32> {
  %0 = "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [-1], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %1 = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %1 : tensor<f32>
  }) : (tensor<5x6xf32>, tensor<3x1xi32>, tensor<3x6xf32>) -> tensor<5x6xf32>
  return %0 : tensor<5x6xf32>
}

// case scatter_c9_both: scatter (C9): inserted_window_dims and input_batching_dims: dimension 0 is listed twice
func.func @f(%x: tensor<3x4x6xf32>, %i: tensor<3x4x2x1xi32>, %u: tensor<3x4x2x6xf32>) -> tensor<3x4x6xf32> {
  %0 = "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [3], inserted_window_dims = [0], scatter_dims_to_operand_dims = [2], index_vector_dim = 3, input_batching_dims = [0, 1], scatter_indices_batching_dims = [0, 1]>}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %1 = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %1 : tensor<f32>
  }) : (tensor<3x4x6xf32>, tensor<3x4x2x1xi32>, tensor<3x4x2x6xf32>) -> tensor<3x4x6xf32>
  return %0 : tensor<3x4x6xf32>
}

// case scatter_c12: scatter (C12): input_batching_dims [1, 0] are not increasing
func.func @f(%x: tensor<3x4x6xf32>, %i: tensor<3x4x2x1xi32>, %u: tensor<3x4x2x6xf32>) -> tensor<3x4x6xf32> {
  %0 = "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [3], inserted_window_dims = [], scatter_dims_to_operand_dims = [2], index_vector_dim = 3, input_batching_dims = [1, 0], scatter_indices_batching_dims = [1, 0]>}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %1 = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %1 : tensor<f32>
  }) : (tensor<3x4x6xf32>, tensor<3x4x2x1xi32>, tensor<3x4x2x6xf32>) -> tensor<3x4x6xf32>
  return %0 : tensor<3x4x6xf32>
}

// case scatter_c13: scatter (C13): input_batching_dims: dimension 3 of f32[3,4,6] does not exist
func.func @f(%x: tensor<3x4x6xf32>, %i: tensor<3x4x2x1xi32>, %u: tensor<3x4x2x6xf32>) -> tensor<3x4x6xf32> {
  %0 = "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [3], inserted_window_dims = [], scatter_dims_to_operand_dims = [2], index_vector_dim = 3, input_batching_dims = [0, 3], scatter_indices_batching_dims = [0, 1]>}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %1 = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %1 : tensor<f32>
  }) : (tensor<3x4x6xf32>, tensor<3x4x2x1xi32>, tensor<3x4x2x6xf32>) -> tensor<3x4x6xf32>
  return %0 : tensor<3x4x6xf32>
}

// case scatter_c13_negative: scatter (C13): input_batching_dims holds -3, which may not be negative
func.func @f(%x: tensor<3x4x6xf32>, %i: tensor<3x4x2x1xi32>, %u: tensor<3x4x2x6xf32>) -> tensor<3x4x6xf32> {
  %0 = "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [3], inserted_window_dims = [], scatter_dims_to_operand_dims = [2], index_vector_dim = 3, input_batching_dims = [0, -3], scatter_indices_batching_dims = [0, 1]>}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %1 = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %1 : tensor<f32>
  }) : (tensor<3x4x6xf32>, tensor<3x4x2x1xi32>, tensor<3x4x2x6xf32>) -> tensor<3x4x6xf32>
  return %0 : tensor<3x4x6xf32>
}

// case scatter_c14: scatter (C14): scatter_indices_batching_dims: dimension 0 is listed twice
func.func @f(%x: tensor<3x4x6xf32>, %i: tensor<3x4x2x1xi32>, %u: tensor<3x4x2x6xf32>) -> tensor<3x4x6xf32> {
  %0 = "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [3], inserted_window_dims = [], scatter_dims_to_operand_dims = [2], index_vector_dim = 3, input_batching_dims = [0, 1], scatter_indices_batching_dims = [0, 0]>}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %1 = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %1 : tensor<f32>
  }) : (tensor<3x4x6xf32>, tensor<3x4x2x1xi32>, tensor<3x4x2x6xf32>) -> tensor<3x4x6xf32>
  return %0 : tensor<3x4x6xf32>
}

// case scatter_c15: scatter (C15): scatter_indices_batching_dims: dimension 4 of i32[3,4,2,1] does not exist
func.func @f(%x: tensor<3x4x6xf32>, %i: tensor<3x4x2x1xi32>, %u: tensor<3x4x2x6xf32>) -> tensor<3x4x6xf32> {
  %0 = "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [3], inserted_window_dims = [], scatter_dims_to_operand_dims = [2], index_vector_dim = 3, input_batching_dims = [0, 1], scatter_indices_batching_dims = [0, 4]>}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %1 = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %1 : tensor<f32>
  }) : (tensor<3x4x6xf32>, tensor<3x4x2x1xi32>, tensor<3x4x2x6xf32>) -> tensor<3x4x6xf32>
  return %0 : tensor<3x4x6xf32>
}

// case scatter_c15_negative: scatter (C15): scatter_indices_batching_dims holds -4, which may not be negative
func.func @f(%x: tensor<3x4x6xf32>, %i: tensor<3x4x2x1xi32>, %u: tensor<3x4x2x6xf32>) -> tensor<3x4x6xf32> {
  %0 = "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [3], inserted_window_dims = [], scatter_dims_to_operand_dims = [2], index_vector_dim = 3, input_batching_dims = [0, 1], scatter_indices_batching_dims = [0, -4]>}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %1 = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %1 : tensor<f32>
  }) : (tensor<3x4x6xf32>, tensor<3x4x2x1xi32>, tensor<3x4x2x6xf32>) -> tensor<3x4x6xf32>
  return %0 : tensor<3x4x6xf32>
}

// case scatter_c16: scatter (C16): scatter_indices_batching_dims [0, 3] hold the index_vector_dim 3
func.func @f(%x: tensor<3x4x6xf32>, %i: tensor<3x4x2x1xi32>, %u: tensor<3x4x2x6xf32>) -> tensor<3x4x6xf32> {
  %0 = "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [3], inserted_window_dims = [], scatter_dims_to_operand_dims = [2], index_vector_dim = 3, input_batching_dims = [0, 1], scatter_indices_batching_dims = [0, 3]>}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %1 = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %1 : tensor<f32>
  }) : (tensor<3x4x6xf32>, tensor<3x4x2x1xi32>, tensor<3x4x2x6xf32>) -> tensor<3x4x6xf32>
  return %0 : tensor<3x4x6xf32>
}

// case scatter_c17: scatter (C17): 2 input_batching_dims and 1 scatter_indices_batching_dims
func.func @f(%x: tensor<3x4x6xf32>, %i: tensor<3x4x2x1xi32>, %u: tensor<3x4x2x6xf32>) -> tensor<3x4x6xf32> {
  %0 = "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [3], inserted_window_dims = [], scatter_dims_to_operand_dims = [2], index_vector_dim = 3, input_batching_dims = [0, 1], scatter_indices_batching_dims = [0]>}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %1 = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %1 : tensor<f32>
  }) : (tensor<3x4x6xf32>, tensor<3x4x2x1xi32>, tensor<3x4x2x6xf32>) -> tensor<3x4x6xf32>
  return %0 : tensor<3x4x6xf32>
}

// case scatter_c18: scatter (C18): batching dimensions 0 of f32[3,4,6] and 1 of i32[3,4,2,1] differ in size: 3 and 4
func.func @f(%x: tensor<3x4x6xf32>, %i: tensor<3x4x2x1xi32>, %u: tensor<3x4x2x6xf32>) -> tensor<3x4x6xf32> {
  %0 = "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [3], inserted_window_dims = [], scatter_dims_to_operand_dims = [2], index_vector_dim = 3, input_batching_dims = [0, 1], scatter_indices_batching_dims = [1, 0]>}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %1 = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %1 : tensor<f32>
  }) : (tensor<3x4x6xf32>, tensor<3x4x2x1xi32>, tensor<3x4x2x6xf32>) -> tensor<3x4x6xf32>
  return %0 : tensor<3x4x6xf32>
}

// case scatter_c19: scatter (C19): scatter_dims_to_operand_dims: needs 1 entries, got 2
func.func @f(%x: tensor<5x6xf32>, %i: tensor<3x1xi32>, %u: tensor<3x6xf32>) -> tensor<5x6xf32> {
  %0 = "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0, 1], index_vector_dim = 1>}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %1 = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %1 : tensor<f32>
  }) : (tensor<5x6xf32>, tensor<3x1xi32>, tensor<3x6xf32>) -> tensor<5x6xf32>
  return %0 : tensor<5x6xf32>
}

// case scatter_c20: scatter (C20): scatter_dims_to_operand_dims and input_batching_dims: dimension 0 is listed twice
func.func @f(%x: tensor<5x6xf32>, %i: tensor<3x2xi32>, %u: tensor<3x6xf32>) -> tensor<5x6xf32> {
  %0 = "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0, 0], index_vector_dim = 1>}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %1 = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %1 : tensor<f32>
  }) : (tensor<5x6xf32>, tensor<3x2xi32>, tensor<3x6xf32>) -> tensor<5x6xf32>
  return %0 : tensor<5x6xf32>
}

// case scatter_c20_both: scatter (C20): scatter_dims_to_operand_dims and input_batching_dims: dimension 0 is listed twice
func.func @f(%x: tensor<3x4x6xf32>, %i: tensor<3x4x2x1xi32>, %u: tensor<3x4x2x6xf32>) -> tensor<3x4x6xf32> {
  %0 = "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [3], inserted_window_dims = [], scatter_dims_to_operand_dims = [0], index_vector_dim = 3, input_batching_dims = [0, 1], scatter_indices_batching_dims = [0, 1]>}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %1 = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %1 : tensor<f32>
  }) : (tensor<3x4x6xf32>, tensor<3x4x2x1xi32>, tensor<3x4x2x6xf32>) -> tensor<3x4x6xf32>
  return %0 : tensor<3x4x6xf32>
}

// case scatter_c21: scatter (C21): scatter_dims_to_operand_dims: dimension 2 of f32[5,6] does not exist
func.func @f(%x: tensor<5x6xf32>, %i: tensor<3x1xi32>, %u: tensor<3x6xf32>) -> tensor<5x6xf32> {
  %0 = "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [2], index_vector_dim = 1>}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %1 = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %1 : tensor<f32>
  }) : (tensor<5x6xf32>, tensor<3x1xi32>, tensor<3x6xf32>) -> tensor<5x6xf32>
  return %0 : tensor<5x6xf32>
}

// case scatter_c21_negative: scatter (C21): scatter_dims_to_operand_dims holds -1, which may not be negative
func.func @f(%x: tensor<5x6xf32>, %i: tensor<3x1xi32>, %u: tensor<3x6xf32>) -> tensor<5x6xf32> {
  %0 = "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [-1], index_vector_dim = 1>}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %1 = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %1 : tensor<f32>
  }) : (tensor<5x6xf32>, tensor<3x1xi32>, tensor<3x6xf32>) -> tensor<5x6xf32>
  return %0 : tensor<5x6xf32>
}

// case scatter_c22: scatter (C22): index_vector_dim 3 is beyond i32[3,1]
func.func @f(%x: tensor<5x6xf32>, %i: tensor<3x1xi32>, %u: tensor<3x6xf32>) -> tensor<5x6xf32> {
  %0 = "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 3>}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %1 = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %1 : tensor<f32>
  }) : (tensor<5x6xf32>, tensor<3x1xi32>, tensor<3x6xf32>) -> tensor<5x6xf32>
  return %0 : tensor<5x6xf32>
}

// case scatter_c22_negative: scatter (C22): index_vector_dim holds -1, which may not be negative
func.func @f(%x: tensor<5x6xf32>, %i: tensor<3x1xi32>, %u: tensor<3x6xf32>) -> tensor<5x6xf32> {
  %0 = "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = -1>}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %1 = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %1 : tensor<f32>
  }) : (tensor<5x6xf32>, tensor<3x1xi32>, tensor<3x6xf32>) -> tensor<5x6xf32>
  return %0 : tensor<5x6xf32>
}

// case scatter_c23: scatter (C23): update_computation is (tensor<f32>) -> (tensor<f32>): it does not combine two scalars of f32
func.func @f(%x: tensor<5x6xf32>, %i: tensor<3x1xi32>, %u: tensor<3x6xf32>) -> tensor<5x6xf32> {
  %0 = "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
    ^bb0(%a: tensor<f32>):
      stablehlo.return %a : tensor<f32>
  }) : (tensor<5x6xf32>, tensor<3x1xi32>, tensor<3x6xf32>) -> tensor<5x6xf32>
  return %0 : tensor<5x6xf32>
}

// case scatter_c23_narrower: scatter (C23): update_computation is (tensor<f16>, tensor<f16>) -> (tensor<f16>): it does not combine two scalars of f32
func.func @f(%x: tensor<5x6xf32>, %i: tensor<3x1xi32>, %u: tensor<3x6xf32>) -> tensor<5x6xf32> {
  %0 = "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
    ^bb0(%a: tensor<f16>, %b: tensor<f16>):
      %1 = stablehlo.add %a, %b : tensor<f16>
      stablehlo.return %1 : tensor<f16>
  }) : (tensor<5x6xf32>, tensor<3x1xi32>, tensor<3x6xf32>) -> tensor<5x6xf32>
  return %0 : tensor<5x6xf32>
}

// case scatter_c23_shape: scatter (C23): update_computation is (tensor<2xf32>, tensor<2xf32>) -> (tensor<2xf32>): it does not combine two scalars of f32
func.func @f(%x: tensor<5x6xf32>, %i: tensor<3x1xi32>, %u: tensor<3x6xf32>) -> tensor<5x6xf32> {
  %0 = "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
    ^bb0(%a: tensor<2xf32>, %b: tensor<2xf32>):
      %1 = stablehlo.add %a, %b : tensor<2xf32>
      stablehlo.return %1 : tensor<2xf32>
  }) : (tensor<5x6xf32>, tensor<3x1xi32>, tensor<3x6xf32>) -> tensor<5x6xf32>
  return %0 : tensor<5x6xf32>
}

// case scatter_c24: scatter (C24): gives tensor<5x6xf32>, but is declared as tensor<5x7xf32>
func.func @f(%x: tensor<5x6xf32>, %i: tensor<3x1xi32>, %u: tensor<3x6xf32>) -> tensor<5x7xf32> {
  %0 = "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %1 = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %1 : tensor<f32>
  }) : (tensor<5x6xf32>, tensor<3x1xi32>, tensor<3x6xf32>) -> tensor<5x7xf32>
  return %0 : tensor<5x7xf32>
}

// case scatter_c25: scatter (C25): gives tensor<5x6xf32>, but is declared as tensor<5x6xf64>
func.func @f(%x: tensor<5x6xf32>, %i: tensor<3x1xi32>, %u: tensor<3x6xf32>) -> tensor<5x6xf64> {
  %0 = "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %1 = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %1 : tensor<f32>
  }) : (tensor<5x6xf32>, tensor<3x1xi32>, tensor<3x6xf32>) -> tensor<5x6xf64>
  return %0 : tensor<5x6xf64>
}
