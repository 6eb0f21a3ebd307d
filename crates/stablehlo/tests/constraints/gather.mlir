// gather

// case gather_c1: gather (C1): offset_dims: needs 1 entries, got 0
func.func @f(%x: tensor<5x6xf32>, %i: tensor<3x1xi32>) -> tensor<3x6xf32> {
  %0 = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 6>}> : (tensor<5x6xf32>, tensor<3x1xi32>) -> tensor<3x6xf32>
  return %0 : tensor<3x6xf32>
}

// case gather_c2: gather (C2): index_vector_dim 3 is beyond i32[3,1]
func.func @f(%x: tensor<5x6xf32>, %i: tensor<3x1xi32>) -> tensor<3x6xf32> {
  %0 = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 3>, slice_sizes = array<i64: 1, 6>}> : (tensor<5x6xf32>, tensor<3x1xi32>) -> tensor<3x6xf32>
  return %0 : tensor<3x6xf32>
}

// case gather_c2_negative: gather (C2): index_vector_dim holds -1, which may not be negative
func.func @f(%x: tensor<5x6xf32>, %i: tensor<3x1xi32>) -> tensor<3x6xf32> {
  %0 = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = -1>, slice_sizes = array<i64: 1, 6>}> : (tensor<5x6xf32>, tensor<3x1xi32>) -> tensor<3x6xf32>
  return %0 : tensor<3x6xf32>
}

// case gather_c3: gather (C3): start_index_map: needs 1 entries, got 2
func.func @f(%x: tensor<5x6xf32>, %i: tensor<3x1xi32>) -> tensor<3x6xf32> {
  %0 = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0, 1], index_vector_dim = 1>, slice_sizes = array<i64: 1, 6>}> : (tensor<5x6xf32>, tensor<3x1xi32>) -> tensor<3x6xf32>
  return %0 : tensor<3x6xf32>
}

// case gather_c4: gather (C4): offset_dims [2, 1] are not increasing
func.func @f(%x: tensor<5x6x7xf32>, %i: tensor<3x1xi32>) -> tensor<3x6x7xf32> {
  %0 = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [2, 1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 6, 7>}> : (tensor<5x6x7xf32>, tensor<3x1xi32>) -> tensor<3x6x7xf32>
  return %0 : tensor<3x6x7xf32>
}

// case gather_c4_unique: gather (C4): offset_dims: dimension 1 is listed twice
func.func @f(%x: tensor<5x6x7xf32>, %i: tensor<3x1xi32>) -> tensor<3x6x7xf32> {
  %0 = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1, 1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 6, 7>}> : (tensor<5x6x7xf32>, tensor<3x1xi32>) -> tensor<3x6x7xf32>
  return %0 : tensor<3x6x7xf32>
}

// case gather_c5: gather (C5): offset_dims [2] are not all dimensions of a result of rank 2
func.func @f(%x: tensor<5x6xf32>, %i: tensor<3x1xi32>) -> tensor<3x6xf32> {
  %0 = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 6>}> : (tensor<5x6xf32>, tensor<3x1xi32>) -> tensor<3x6xf32>
  return %0 : tensor<3x6xf32>
}

// case gather_c5_negative: gather (C5): offset_dims holds -1, which may not be negative
func.func @f(%x: tensor<5x6xf32>, %i: tensor<3x1xi32>) -> tensor<3x6xf32> {
  %0 = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [-1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 6>}> : (tensor<5x6xf32>, tensor<3x1xi32>) -> tensor<3x6xf32>
  return %0 : tensor<3x6xf32>
}

// case gather_c6: gather (C6): collapsed_slice_dims and operand_batching_dims: dimension 0 is listed twice
func.func @f(%x: tensor<5x6x7xf32>, %i: tensor<3x1xi32>) -> tensor<3x6xf32> {
  %0 = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0, 0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 1, 7>}> : (tensor<5x6x7xf32>, tensor<3x1xi32>) -> tensor<3x6xf32>
  return %0 : tensor<3x6xf32>
}

// case gather_c6_both: gather (C6): collapsed_slice_dims and operand_batching_dims: dimension 0 is listed twice
func.func @f(%x: tensor<3x6xf32>, %i: tensor<3x1xi32>) -> tensor<3x6xf32> {
  %0 = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [1], index_vector_dim = 1, operand_batching_dims = [0], start_indices_batching_dims = [0]>, slice_sizes = array<i64: 1, 6>}> : (tensor<3x6xf32>, tensor<3x1xi32>) -> tensor<3x6xf32>
  return %0 : tensor<3x6xf32>
}

// case gather_c7: gather (C7): collapsed_slice_dims [1, 0] are not increasing
func.func @f(%x: tensor<5x6x7xf32>, %i: tensor<3x1xi32>) -> tensor<3x7xf32> {
  %0 = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [1, 0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 1, 7>}> : (tensor<5x6x7xf32>, tensor<3x1xi32>) -> tensor<3x7xf32>
  return %0 : tensor<3x7xf32>
}

// case gather_c8: gather (C8): collapsed_slice_dims: dimension 2 of f32[5,6] does not exist
func.func @f(%x: tensor<5x6xf32>, %i: tensor<3x1xi32>) -> tensor<3x6xf32> {
  %0 = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [2], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 6>}> : (tensor<5x6xf32>, tensor<3x1xi32>) -> tensor<3x6xf32>
  return %0 : tensor<3x6xf32>
}

// case gather_c8_negative: gather (C8): collapsed_slice_dims holds -2, which may not be negative
func.func @f(%x: tensor<5x6xf32>, %i: tensor<3x1xi32>) -> tensor<3x6xf32> {
  %0 = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [-2], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 6>}> : (tensor<5x6xf32>, tensor<3x1xi32>) -> tensor<3x6xf32>
  return %0 : tensor<3x6xf32>
}

// case gather_c9: gather (C9): dimension 0 vanishes but its slice size is 2
func.func @f(%x: tensor<5x6xf32>, %i: tensor<3x1xi32>) -> tensor<3x6xf32> {
  %0 = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 2, 6>}> : (tensor<5x6xf32>, tensor<3x1xi32>) -> tensor<3x6xf32>
  return %0 : tensor<3x6xf32>
}

// case gather_c10: gather (C10): operand_batching_dims [1, 0] are not increasing
func.func @f(%x: tensor<3x4x6xf32>, %i: tensor<3x4x2x1xi32>) -> tensor<3x4x2x6xf32> {
  %0 = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [3], collapsed_slice_dims = [], start_index_map = [2], index_vector_dim = 3, operand_batching_dims = [1, 0], start_indices_batching_dims = [1, 0]>, slice_sizes = array<i64: 1, 1, 6>}> : (tensor<3x4x6xf32>, tensor<3x4x2x1xi32>) -> tensor<3x4x2x6xf32>
  return %0 : tensor<3x4x2x6xf32>
}

// case gather_c11: gather (C11): operand_batching_dims: dimension 3 of f32[3,4,6] does not exist
func.func @f(%x: tensor<3x4x6xf32>, %i: tensor<3x4x2x1xi32>) -> tensor<3x4x2x6xf32> {
  %0 = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [3], collapsed_slice_dims = [], start_index_map = [2], index_vector_dim = 3, operand_batching_dims = [0, 3], start_indices_batching_dims = [0, 1]>, slice_sizes = array<i64: 1, 1, 6>}> : (tensor<3x4x6xf32>, tensor<3x4x2x1xi32>) -> tensor<3x4x2x6xf32>
  return %0 : tensor<3x4x2x6xf32>
}

// case gather_c11_negative: gather (C11): operand_batching_dims holds -3, which may not be negative
func.func @f(%x: tensor<3x4x6xf32>, %i: tensor<3x4x2x1xi32>) -> tensor<3x4x2x6xf32> {
  %0 = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [3], collapsed_slice_dims = [], start_index_map = [2], index_vector_dim = 3, operand_batching_dims = [-3, 1], start_indices_batching_dims = [0, 1]>, slice_sizes = array<i64: 1, 1, 6>}> : (tensor<3x4x6xf32>, tensor<3x4x2x1xi32>) -> tensor<3x4x2x6xf32>
  return %0 : tensor<3x4x2x6xf32>
}

// case gather_c12: gather (C12): dimension 1 vanishes but its slice size is 2
func.func @f(%x: tensor<3x4x6xf32>, %i: tensor<3x4x2x1xi32>) -> tensor<3x4x2x6xf32> {
  %0 = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [3], collapsed_slice_dims = [], start_index_map = [2], index_vector_dim = 3, operand_batching_dims = [0, 1], start_indices_batching_dims = [0, 1]>, slice_sizes = array<i64: 1, 2, 6>}> : (tensor<3x4x6xf32>, tensor<3x4x2x1xi32>) -> tensor<3x4x2x6xf32>
  return %0 : tensor<3x4x2x6xf32>
}

// case gather_c13: gather (C13): start_indices_batching_dims: dimension 0 is listed twice
func.func @f(%x: tensor<3x4x6xf32>, %i: tensor<3x4x2x1xi32>) -> tensor<3x4x2x6xf32> {
  %0 = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [3], collapsed_slice_dims = [], start_index_map = [2], index_vector_dim = 3, operand_batching_dims = [0, 1], start_indices_batching_dims = [0, 0]>, slice_sizes = array<i64: 1, 1, 6>}> : (tensor<3x4x6xf32>, tensor<3x4x2x1xi32>) -> tensor<3x4x2x6xf32>
  return %0 : tensor<3x4x2x6xf32>
}

// case gather_c14: gather (C14): start_indices_batching_dims: dimension 4 of i32[3,4,2,1] does not exist
func.func @f(%x: tensor<3x4x6xf32>, %i: tensor<3x4x2x1xi32>) -> tensor<3x4x2x6xf32> {
  %0 = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [3], collapsed_slice_dims = [], start_index_map = [2], index_vector_dim = 3, operand_batching_dims = [0, 1], start_indices_batching_dims = [0, 4]>, slice_sizes = array<i64: 1, 1, 6>}> : (tensor<3x4x6xf32>, tensor<3x4x2x1xi32>) -> tensor<3x4x2x6xf32>
  return %0 : tensor<3x4x2x6xf32>
}

// case gather_c14_negative: gather (C14): start_indices_batching_dims holds -1, which may not be negative
func.func @f(%x: tensor<3x4x6xf32>, %i: tensor<3x4x2x1xi32>) -> tensor<3x4x2x6xf32> {
  %0 = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [3], collapsed_slice_dims = [], start_index_map = [2], index_vector_dim = 3, operand_batching_dims = [0, 1], start_indices_batching_dims = [0, -1]>, slice_sizes = array<i64: 1, 1, 6>}> : (tensor<3x4x6xf32>, tensor<3x4x2x1xi32>) -> tensor<3x4x2x6xf32>
  return %0 : tensor<3x4x2x6xf32>
}

// case gather_c15: gather (C15): start_indices_batching_dims [0, 3] hold the index_vector_dim 3
func.func @f(%x: tensor<3x4x6xf32>, %i: tensor<3x4x2x1xi32>) -> tensor<3x4x2x6xf32> {
  %0 = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [3], collapsed_slice_dims = [], start_index_map = [2], index_vector_dim = 3, operand_batching_dims = [0, 1], start_indices_batching_dims = [0, 3]>, slice_sizes = array<i64: 1, 1, 6>}> : (tensor<3x4x6xf32>, tensor<3x4x2x1xi32>) -> tensor<3x4x2x6xf32>
  return %0 : tensor<3x4x2x6xf32>
}

// case gather_c16: gather (C16): 2 operand_batching_dims and 1 start_indices_batching_dims
func.func @f(%x: tensor<3x4x6xf32>, %i: tensor<3x4x2x1xi32>) -> tensor<3x4x2x6xf32> {
  %0 = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [3], collapsed_slice_dims = [], start_index_map = [2], index_vector_dim = 3, operand_batching_dims = [0, 1], start_indices_batching_dims = [0]>, slice_sizes = array<i64: 1, 1, 6>}> : (tensor<3x4x6xf32>, tensor<3x4x2x1xi32>) -> tensor<3x4x2x6xf32>
  return %0 : tensor<3x4x2x6xf32>
}

// case gather_c17: gather (C17): batching dimensions 0 of f32[3,4,6] and 1 of i32[3,4,2,1] differ in size: 3 and 4
func.func @f(%x: tensor<3x4x6xf32>, %i: tensor<3x4x2x1xi32>) -> tensor<3x4x2x6xf32> {
  %0 = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [3], collapsed_slice_dims = [], start_index_map = [2], index_vector_dim = 3, operand_batching_dims = [0, 1], start_indices_batching_dims = [1, 0]>, slice_sizes = array<i64: 1, 1, 6>}> : (tensor<3x4x6xf32>, tensor<3x4x2x1xi32>) -> tensor<3x4x2x6xf32>
  return %0 : tensor<3x4x2x6xf32>
}

// case gather_c18: gather (C18): start_index_map and operand_batching_dims: dimension 0 is listed twice
func.func @f(%x: tensor<5x6xf32>, %i: tensor<3x2xi32>) -> tensor<3x6xf32> {
  %0 = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0, 0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 6>}> : (tensor<5x6xf32>, tensor<3x2xi32>) -> tensor<3x6xf32>
  return %0 : tensor<3x6xf32>
}

// case gather_c18_both: gather (C18): start_index_map and operand_batching_dims: dimension 0 is listed twice
func.func @f(%x: tensor<3x4x6xf32>, %i: tensor<3x4x2x1xi32>) -> tensor<3x4x2x6xf32> {
  %0 = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [3], collapsed_slice_dims = [], start_index_map = [0], index_vector_dim = 3, operand_batching_dims = [0, 1], start_indices_batching_dims = [0, 1]>, slice_sizes = array<i64: 1, 1, 6>}> : (tensor<3x4x6xf32>, tensor<3x4x2x1xi32>) -> tensor<3x4x2x6xf32>
  return %0 : tensor<3x4x2x6xf32>
}

// case gather_c19: gather (C19): start_index_map: dimension 2 of f32[5,6] does not exist
func.func @f(%x: tensor<5x6xf32>, %i: tensor<3x1xi32>) -> tensor<3x6xf32> {
  %0 = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [2], index_vector_dim = 1>, slice_sizes = array<i64: 1, 6>}> : (tensor<5x6xf32>, tensor<3x1xi32>) -> tensor<3x6xf32>
  return %0 : tensor<3x6xf32>
}

// case gather_c19_negative: gather (C19): start_index_map holds -1, which may not be negative
func.func @f(%x: tensor<5x6xf32>, %i: tensor<3x1xi32>) -> tensor<3x6xf32> {
  %0 = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [-1], index_vector_dim = 1>, slice_sizes = array<i64: 1, 6>}> : (tensor<5x6xf32>, tensor<3x1xi32>) -> tensor<3x6xf32>
  return %0 : tensor<3x6xf32>
}

// case gather_c20: gather (C20): slice_sizes: needs 2 entries, got 1
func.func @f(%x: tensor<5x6xf32>, %i: tensor<3x1xi32>) -> tensor<3x6xf32> {
  %0 = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1>}> : (tensor<5x6xf32>, tensor<3x1xi32>) -> tensor<3x6xf32>
  return %0 : tensor<3x6xf32>
}

// case gather_c21: gather (C21): slice size 7 exceeds dimension 1 of f32[5,6]
func.func @f(%x: tensor<5x6xf32>, %i: tensor<3x1xi32>) -> tensor<3x6xf32> {
  %0 = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 7>}> : (tensor<5x6xf32>, tensor<3x1xi32>) -> tensor<3x6xf32>
  return %0 : tensor<3x6xf32>
}

// case gather_c21_negative: gather (C21): slice_sizes holds -1, which may not be negative
func.func @f(%x: tensor<5x6xf32>, %i: tensor<3x1xi32>) -> tensor<3x6xf32> {
  %0 = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, -1>}> : (tensor<5x6xf32>, tensor<3x1xi32>) -> tensor<3x6xf32>
  return %0 : tensor<3x6xf32>
}

// case gather_c22: gather (C22): gives tensor<3x6xf32>, but is declared as tensor<6x3xf32>
func.func @f(%x: tensor<5x6xf32>, %i: tensor<3x1xi32>) -> tensor<6x3xf32> {
  %0 = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 6>}> : (tensor<5x6xf32>, tensor<3x1xi32>) -> tensor<6x3xf32>
  return %0 : tensor<6x3xf32>
}

// case gather_c23: gather (C23): gives tensor<3x6xf32>, but is declared as tensor<3x6xf64>
func.func @f(%x: tensor<5x6xf32>, %i: tensor<3x1xi32>) -> tensor<3x6xf64> {
  %0 = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 6>}> : (tensor<5x6xf32>, tensor<3x1xi32>) -> tensor<3x6xf64>
  return %0 : tensor<3x6xf64>
}
