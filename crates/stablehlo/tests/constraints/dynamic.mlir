// Operations whose shapes are operands.

// case dynamic_broadcast_in_dim_c1: dynamic_broadcast_in_dim (C1): gives tensor<2x3xf32>, but is declared as tensor<2x3xf64>
func.func @f(%x: tensor<3xf32>) -> tensor<2x3xf64> {
  %s = stablehlo.constant dense<[2, 3]> : tensor<2xi32>
  %0 = "stablehlo.dynamic_broadcast_in_dim"(%x, %s) <{broadcast_dimensions = array<i64: 1>}> : (tensor<3xf32>, tensor<2xi32>) -> tensor<2x3xf64>
  return %0 : tensor<2x3xf64>
}

// case dynamic_broadcast_in_dim_c2: dynamic_broadcast_in_dim (C2): broadcast_dimensions: needs 1 entries, got 2
func.func @f(%x: tensor<3xf32>) -> tensor<2x3xf32> {
  %s = stablehlo.constant dense<[2, 3]> : tensor<2xi32>
  %0 = "stablehlo.dynamic_broadcast_in_dim"(%x, %s) <{broadcast_dimensions = array<i64: 0, 1>}> : (tensor<3xf32>, tensor<2xi32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

// case dynamic_broadcast_in_dim_c3: dynamic_broadcast_in_dim (C3): broadcast_dimensions: dimension 2 of f32[2,3] does not exist
func.func @f(%x: tensor<3xf32>) -> tensor<2x3xf32> {
  %s = stablehlo.constant dense<[2, 3]> : tensor<2xi32>
  %0 = "stablehlo.dynamic_broadcast_in_dim"(%x, %s) <{broadcast_dimensions = array<i64: 2>}> : (tensor<3xf32>, tensor<2xi32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

// case dynamic_broadcast_in_dim_c3_negative: dynamic_broadcast_in_dim (C3): dims holds -1, which may not be negative
func.func @f(%x: tensor<3xf32>) -> tensor<2x3xf32> {
  %s = stablehlo.constant dense<[2, 3]> : tensor<2xi32>
  %0 = "stablehlo.dynamic_broadcast_in_dim"(%x, %s) <{broadcast_dimensions = array<i64: -1>}> : (tensor<3xf32>, tensor<2xi32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

// case dynamic_broadcast_in_dim_c4: dynamic_broadcast_in_dim (C4): broadcast_dimensions: dimension 1 is listed twice
func.func @f(%x: tensor<3x3xf32>) -> tensor<2x3xf32> {
  %s = stablehlo.constant dense<[2, 3]> : tensor<2xi32>
  %0 = "stablehlo.dynamic_broadcast_in_dim"(%x, %s) <{broadcast_dimensions = array<i64: 1, 1>}> : (tensor<3x3xf32>, tensor<2xi32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

// case dynamic_broadcast_in_dim_c5: dynamic_broadcast_in_dim (C5): dimension 0 of f32[3] cannot become dimension 1 of f32[2,4]
func.func @f(%x: tensor<3xf32>) -> tensor<2x4xf32> {
  %s = stablehlo.constant dense<[2, 4]> : tensor<2xi32>
  %0 = "stablehlo.dynamic_broadcast_in_dim"(%x, %s) <{broadcast_dimensions = array<i64: 1>}> : (tensor<3xf32>, tensor<2xi32>) -> tensor<2x4xf32>
  return %0 : tensor<2x4xf32>
}

// case dynamic_broadcast_in_dim_c7: dynamic_broadcast_in_dim (C7): output_dimensions is tensor<3xi32>, which does not give a size to each of 2 dimensions
func.func @f(%x: tensor<3xf32>) -> tensor<2x3xf32> {
  %s = stablehlo.constant dense<[2, 3, 1]> : tensor<3xi32>
  %0 = "stablehlo.dynamic_broadcast_in_dim"(%x, %s) <{broadcast_dimensions = array<i64: 1>}> : (tensor<3xf32>, tensor<3xi32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

// case dynamic_broadcast_in_dim_c8: dynamic_broadcast_in_dim (C8): dimension 0 is listed twice among those known to expand or not to
func.func @f(%x: tensor<3xf32>) -> tensor<2x3xf32> {
  %s = stablehlo.constant dense<[2, 3]> : tensor<2xi32>
  %0 = "stablehlo.dynamic_broadcast_in_dim"(%x, %s) <{broadcast_dimensions = array<i64: 1>, known_expanding_dimensions = array<i64: 0>, known_nonexpanding_dimensions = array<i64: 0>}> : (tensor<3xf32>, tensor<2xi32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

// case dynamic_broadcast_in_dim_c9: dynamic_broadcast_in_dim (C9): known_expanding_dimensions: there is no dimension 1 of 1
func.func @f(%x: tensor<3xf32>) -> tensor<2x3xf32> {
  %s = stablehlo.constant dense<[2, 3]> : tensor<2xi32>
  %0 = "stablehlo.dynamic_broadcast_in_dim"(%x, %s) <{broadcast_dimensions = array<i64: 1>, known_expanding_dimensions = array<i64: 1>}> : (tensor<3xf32>, tensor<2xi32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

// case dynamic_broadcast_in_dim_c10: dynamic_broadcast_in_dim (C10): known_nonexpanding_dimensions: there is no dimension -1 of 1
func.func @f(%x: tensor<3xf32>) -> tensor<2x3xf32> {
  %s = stablehlo.constant dense<[2, 3]> : tensor<2xi32>
  %0 = "stablehlo.dynamic_broadcast_in_dim"(%x, %s) <{broadcast_dimensions = array<i64: 1>, known_nonexpanding_dimensions = array<i64: -1>}> : (tensor<3xf32>, tensor<2xi32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

// case dynamic_iota_c1: dynamic_iota (C1): dimension 1 of i32[3] does not exist
func.func @f() -> tensor<3xi32> {
  %s = stablehlo.constant dense<[3]> : tensor<1xi32>
  %0 = "stablehlo.dynamic_iota"(%s) <{iota_dimension = 1 : i64}> : (tensor<1xi32>) -> tensor<3xi32>
  return %0 : tensor<3xi32>
}

// case dynamic_iota_c1_negative: dynamic_iota (C1): dim holds -1, which may not be negative
func.func @f() -> tensor<3xi32> {
  %s = stablehlo.constant dense<[3]> : tensor<1xi32>
  %0 = "stablehlo.dynamic_iota"(%s) <{iota_dimension = -1 : i64}> : (tensor<1xi32>) -> tensor<3xi32>
  return %0 : tensor<3xi32>
}

// case dynamic_iota_c2: dynamic_iota (C2): output_shape is tensor<2xi32>, which does not give a size to each of 1 dimensions
func.func @f() -> tensor<3xi32> {
  %s = stablehlo.constant dense<[3, 1]> : tensor<2xi32>
  %0 = "stablehlo.dynamic_iota"(%s) <{iota_dimension = 0 : i64}> : (tensor<2xi32>) -> tensor<3xi32>
  return %0 : tensor<3xi32>
}

// case dynamic_reshape_c1: dynamic_reshape (C1): gives tensor<3x2xf32>, but is declared as tensor<3x2xf64>
func.func @f(%x: tensor<2x3xf32>) -> tensor<3x2xf64> {
  %s = stablehlo.constant dense<[3, 2]> : tensor<2xi32>
  %0 = stablehlo.dynamic_reshape %x, %s : (tensor<2x3xf32>, tensor<2xi32>) -> tensor<3x2xf64>
  return %0 : tensor<3x2xf64>
}

// case dynamic_reshape_c2: dynamic_reshape (C2): f32[2,3] has 6 elements, f32[3,3] has 9
func.func @f(%x: tensor<2x3xf32>) -> tensor<3x3xf32> {
  %s = stablehlo.constant dense<[3, 3]> : tensor<2xi32>
  %0 = stablehlo.dynamic_reshape %x, %s : (tensor<2x3xf32>, tensor<2xi32>) -> tensor<3x3xf32>
  return %0 : tensor<3x3xf32>
}

// case dynamic_reshape_c4: dynamic_reshape (C4): output_shape is tensor<3xi32>, which does not give a size to each of 2 dimensions
func.func @f(%x: tensor<2x3xf32>) -> tensor<3x2xf32> {
  %s = stablehlo.constant dense<[3, 2, 1]> : tensor<3xi32>
  %0 = stablehlo.dynamic_reshape %x, %s : (tensor<2x3xf32>, tensor<3xi32>) -> tensor<3x2xf32>
  return %0 : tensor<3x2xf32>
}

// case dynamic_pad_c1: dynamic_pad (C1): element types of the padding value f64[] and of f32[2,3] differ
func.func @f(%x: tensor<2x3xf32>, %v: tensor<f64>) -> tensor<3x3xf32> {
  %l = stablehlo.constant dense<[1, 0]> : tensor<2xi32>
  %h = stablehlo.constant dense<[0, 0]> : tensor<2xi32>
  %i = stablehlo.constant dense<[0, 0]> : tensor<2xi32>
  %0 = stablehlo.dynamic_pad %x, %v, %l, %h, %i : (tensor<2x3xf32>, tensor<f64>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>) -> tensor<3x3xf32>
  return %0 : tensor<3x3xf32>
}

// case dynamic_pad_c2: dynamic_pad (C2): edge_padding_low is tensor<1xi32>, not of 2 numbers
func.func @f(%x: tensor<2x3xf32>, %v: tensor<f32>) -> tensor<3x3xf32> {
  %l = stablehlo.constant dense<[1]> : tensor<1xi32>
  %h = stablehlo.constant dense<[0, 0]> : tensor<2xi32>
  %i = stablehlo.constant dense<[0, 0]> : tensor<2xi32>
  %0 = stablehlo.dynamic_pad %x, %v, %l, %h, %i : (tensor<2x3xf32>, tensor<f32>, tensor<1xi32>, tensor<2xi32>, tensor<2xi32>) -> tensor<3x3xf32>
  return %0 : tensor<3x3xf32>
}

// case dynamic_pad_c2_high: dynamic_pad (C2): edge_padding_high is tensor<1xi32>, not of 2 numbers
func.func @f(%x: tensor<2x3xf32>, %v: tensor<f32>) -> tensor<3x3xf32> {
  %l = stablehlo.constant dense<[1, 0]> : tensor<2xi32>
  %h = stablehlo.constant dense<[1]> : tensor<1xi32>
  %i = stablehlo.constant dense<[0, 0]> : tensor<2xi32>
  %0 = stablehlo.dynamic_pad %x, %v, %l, %h, %i : (tensor<2x3xf32>, tensor<f32>, tensor<2xi32>, tensor<1xi32>, tensor<2xi32>) -> tensor<3x3xf32>
  return %0 : tensor<3x3xf32>
}

// case dynamic_pad_c2_interior: dynamic_pad (C2): interior_padding is tensor<3xi32>, not of 2 numbers
func.func @f(%x: tensor<2x3xf32>, %v: tensor<f32>) -> tensor<3x3xf32> {
  %l = stablehlo.constant dense<[1, 0]> : tensor<2xi32>
  %h = stablehlo.constant dense<[0, 0]> : tensor<2xi32>
  %i = stablehlo.constant dense<[1, 1, 1]> : tensor<3xi32>
  %0 = stablehlo.dynamic_pad %x, %v, %l, %h, %i : (tensor<2x3xf32>, tensor<f32>, tensor<2xi32>, tensor<2xi32>, tensor<3xi32>) -> tensor<3x3xf32>
  return %0 : tensor<3x3xf32>
}

// case dynamic_pad_c3: dynamic_pad (C3): the padding holds -1, which may not be negative
func.func @f(%x: tensor<2x3xf32>, %v: tensor<f32>) -> tensor<3x3xf32> {
  %l = stablehlo.constant dense<[1, 0]> : tensor<2xi32>
  %h = stablehlo.constant dense<[0, 0]> : tensor<2xi32>
  %i = stablehlo.constant dense<[-1, 0]> : tensor<2xi32>
  %0 = stablehlo.dynamic_pad %x, %v, %l, %h, %i : (tensor<2x3xf32>, tensor<f32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>) -> tensor<3x3xf32>
  return %0 : tensor<3x3xf32>
}

// case dynamic_pad_c4: dynamic_pad (C4): gives tensor<3x3xf32>, but is declared as tensor<4x3xf32>
func.func @f(%x: tensor<2x3xf32>, %v: tensor<f32>) -> tensor<4x3xf32> {
  %l = stablehlo.constant dense<[1, 0]> : tensor<2xi32>
  %h = stablehlo.constant dense<[0, 0]> : tensor<2xi32>
  %i = stablehlo.constant dense<[0, 0]> : tensor<2xi32>
  %0 = stablehlo.dynamic_pad %x, %v, %l, %h, %i : (tensor<2x3xf32>, tensor<f32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>) -> tensor<4x3xf32>
  return %0 : tensor<4x3xf32>
}

// case dynamic_gather_c1: dynamic_gather (C1): offset_dims: needs 1 entries, got 0
func.func @f(%x: tensor<5x6xf32>, %i: tensor<3x1xi32>) -> tensor<3x6xf32> {
  %s = stablehlo.constant dense<[1, 6]> : tensor<2xi32>
  %0 = "stablehlo.dynamic_gather"(%x, %i, %s) <{dimension_numbers = #stablehlo.gather<offset_dims = [], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>}> : (tensor<5x6xf32>, tensor<3x1xi32>, tensor<2xi32>) -> tensor<3x6xf32>
  return %0 : tensor<3x6xf32>
}

// case dynamic_gather_c2: dynamic_gather (C2): index_vector_dim 3 is beyond i32[3,1]
func.func @f(%x: tensor<5x6xf32>, %i: tensor<3x1xi32>) -> tensor<3x6xf32> {
  %s = stablehlo.constant dense<[1, 6]> : tensor<2xi32>
  %0 = "stablehlo.dynamic_gather"(%x, %i, %s) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 3>}> : (tensor<5x6xf32>, tensor<3x1xi32>, tensor<2xi32>) -> tensor<3x6xf32>
  return %0 : tensor<3x6xf32>
}

// case dynamic_gather_c3: dynamic_gather (C3): start_index_map: needs 1 entries, got 2
func.func @f(%x: tensor<5x6xf32>, %i: tensor<3x1xi32>) -> tensor<3x6xf32> {
  %s = stablehlo.constant dense<[1, 6]> : tensor<2xi32>
  %0 = "stablehlo.dynamic_gather"(%x, %i, %s) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0, 1], index_vector_dim = 1>}> : (tensor<5x6xf32>, tensor<3x1xi32>, tensor<2xi32>) -> tensor<3x6xf32>
  return %0 : tensor<3x6xf32>
}

// case dynamic_gather_c4: dynamic_gather (C4): offset_dims [2, 1] are not increasing
func.func @f(%x: tensor<5x6x7xf32>, %i: tensor<3x1xi32>) -> tensor<3x6x7xf32> {
  %s = stablehlo.constant dense<[1, 6, 7]> : tensor<3xi32>
  %0 = "stablehlo.dynamic_gather"(%x, %i, %s) <{dimension_numbers = #stablehlo.gather<offset_dims = [2, 1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>}> : (tensor<5x6x7xf32>, tensor<3x1xi32>, tensor<3xi32>) -> tensor<3x6x7xf32>
  return %0 : tensor<3x6x7xf32>
}

// case dynamic_gather_c5: dynamic_gather (C5): offset_dims [2] are not all dimensions of a result of rank 2
func.func @f(%x: tensor<5x6xf32>, %i: tensor<3x1xi32>) -> tensor<3x6xf32> {
  %s = stablehlo.constant dense<[1, 6]> : tensor<2xi32>
  %0 = "stablehlo.dynamic_gather"(%x, %i, %s) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>}> : (tensor<5x6xf32>, tensor<3x1xi32>, tensor<2xi32>) -> tensor<3x6xf32>
  return %0 : tensor<3x6xf32>
}

// case dynamic_gather_c6: dynamic_gather (C6): collapsed_slice_dims and operand_batching_dims: dimension 0 is listed twice
func.func @f(%x: tensor<5x6x7xf32>, %i: tensor<3x1xi32>) -> tensor<3x6xf32> {
  %s = stablehlo.constant dense<[1, 1, 7]> : tensor<3xi32>
  %0 = "stablehlo.dynamic_gather"(%x, %i, %s) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0, 0], start_index_map = [0], index_vector_dim = 1>}> : (tensor<5x6x7xf32>, tensor<3x1xi32>, tensor<3xi32>) -> tensor<3x6xf32>
  return %0 : tensor<3x6xf32>
}

// case dynamic_gather_c6_order: dynamic_gather (C6): collapsed_slice_dims [1, 0] are not increasing
func.func @f(%x: tensor<5x6x7xf32>, %i: tensor<3x1xi32>) -> tensor<3x6xf32> {
  %s = stablehlo.constant dense<[1, 1, 7]> : tensor<3xi32>
  %0 = "stablehlo.dynamic_gather"(%x, %i, %s) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [1, 0], start_index_map = [0], index_vector_dim = 1>}> : (tensor<5x6x7xf32>, tensor<3x1xi32>, tensor<3xi32>) -> tensor<3x6xf32>
  return %0 : tensor<3x6xf32>
}

// case dynamic_gather_c7: dynamic_gather (C7): collapsed_slice_dims: dimension 2 of f32[5,6] does not exist
func.func @f(%x: tensor<5x6xf32>, %i: tensor<3x1xi32>) -> tensor<3x6xf32> {
  %s = stablehlo.constant dense<[1, 6]> : tensor<2xi32>
  %0 = "stablehlo.dynamic_gather"(%x, %i, %s) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [2], start_index_map = [0], index_vector_dim = 1>}> : (tensor<5x6xf32>, tensor<3x1xi32>, tensor<2xi32>) -> tensor<3x6xf32>
  return %0 : tensor<3x6xf32>
}

// case dynamic_gather_c8: dynamic_gather (C8): dimension 0 vanishes but its slice size is 2
func.func @f(%x: tensor<5x6xf32>, %i: tensor<3x1xi32>) -> tensor<3x6xf32> {
  %s = stablehlo.constant dense<[2, 6]> : tensor<2xi32>
  %0 = "stablehlo.dynamic_gather"(%x, %i, %s) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>}> : (tensor<5x6xf32>, tensor<3x1xi32>, tensor<2xi32>) -> tensor<3x6xf32>
  return %0 : tensor<3x6xf32>
}

// case dynamic_gather_c9: dynamic_gather (C9): start_index_map and operand_batching_dims: dimension 0 is listed twice
func.func @f(%x: tensor<5x6xf32>, %i: tensor<3x2xi32>) -> tensor<3x6xf32> {
  %s = stablehlo.constant dense<[1, 6]> : tensor<2xi32>
  %0 = "stablehlo.dynamic_gather"(%x, %i, %s) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0, 0], index_vector_dim = 1>}> : (tensor<5x6xf32>, tensor<3x2xi32>, tensor<2xi32>) -> tensor<3x6xf32>
  return %0 : tensor<3x6xf32>
}

// case dynamic_gather_c10: dynamic_gather (C10): start_index_map: dimension 2 of f32[5,6] does not exist
func.func @f(%x: tensor<5x6xf32>, %i: tensor<3x1xi32>) -> tensor<3x6xf32> {
  %s = stablehlo.constant dense<[1, 6]> : tensor<2xi32>
  %0 = "stablehlo.dynamic_gather"(%x, %i, %s) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [2], index_vector_dim = 1>}> : (tensor<5x6xf32>, tensor<3x1xi32>, tensor<2xi32>) -> tensor<3x6xf32>
  return %0 : tensor<3x6xf32>
}

// case dynamic_gather_c10_negative: dynamic_gather (C10): start_index_map holds -1, which may not be negative
func.func @f(%x: tensor<5x6xf32>, %i: tensor<3x1xi32>) -> tensor<3x6xf32> {
  %s = stablehlo.constant dense<[1, 6]> : tensor<2xi32>
  %0 = "stablehlo.dynamic_gather"(%x, %i, %s) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [-1], index_vector_dim = 1>}> : (tensor<5x6xf32>, tensor<3x1xi32>, tensor<2xi32>) -> tensor<3x6xf32>
  return %0 : tensor<3x6xf32>
}

// case dynamic_gather_c11: dynamic_gather (C11): slice_sizes: needs 2 entries, got 1
func.func @f(%x: tensor<5x6xf32>, %i: tensor<3x1xi32>) -> tensor<3x6xf32> {
  %s = stablehlo.constant dense<[1]> : tensor<1xi32>
  %0 = "stablehlo.dynamic_gather"(%x, %i, %s) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>}> : (tensor<5x6xf32>, tensor<3x1xi32>, tensor<1xi32>) -> tensor<3x6xf32>
  return %0 : tensor<3x6xf32>
}

// case dynamic_gather_c12: dynamic_gather (C12): slice size 7 exceeds dimension 1 of f32[5,6]
func.func @f(%x: tensor<5x6xf32>, %i: tensor<3x1xi32>) -> tensor<3x6xf32> {
  %s = stablehlo.constant dense<[1, 7]> : tensor<2xi32>
  %0 = "stablehlo.dynamic_gather"(%x, %i, %s) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>}> : (tensor<5x6xf32>, tensor<3x1xi32>, tensor<2xi32>) -> tensor<3x6xf32>
  return %0 : tensor<3x6xf32>
}

// case dynamic_gather_c12_negative: dynamic_gather (C12): slice sizes holds -1, which may not be negative
func.func @f(%x: tensor<5x6xf32>, %i: tensor<3x1xi32>) -> tensor<3x6xf32> {
  %s = stablehlo.constant dense<[1, -1]> : tensor<2xi32>
  %0 = "stablehlo.dynamic_gather"(%x, %i, %s) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>}> : (tensor<5x6xf32>, tensor<3x1xi32>, tensor<2xi32>) -> tensor<3x6xf32>
  return %0 : tensor<3x6xf32>
}

// case dynamic_gather_c13: dynamic_gather (C13): gives tensor<3x6xf32>, but is declared as tensor<6x3xf32>
func.func @f(%x: tensor<5x6xf32>, %i: tensor<3x1xi32>) -> tensor<6x3xf32> {
  %s = stablehlo.constant dense<[1, 6]> : tensor<2xi32>
  %0 = "stablehlo.dynamic_gather"(%x, %i, %s) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>}> : (tensor<5x6xf32>, tensor<3x1xi32>, tensor<2xi32>) -> tensor<6x3xf32>
  return %0 : tensor<6x3xf32>
}

// case dynamic_gather_c14: dynamic_gather (C14): gives tensor<3x6xf32>, but is declared as tensor<3x6xf64>
func.func @f(%x: tensor<5x6xf32>, %i: tensor<3x1xi32>) -> tensor<3x6xf64> {
  %s = stablehlo.constant dense<[1, 6]> : tensor<2xi32>
  %0 = "stablehlo.dynamic_gather"(%x, %i, %s) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>}> : (tensor<5x6xf32>, tensor<3x1xi32>, tensor<2xi32>) -> tensor<3x6xf64>
  return %0 : tensor<3x6xf64>
}

// case get_dimension_size_c1: get_dimension_size (C1): dimension 2 of tensor<2x3xf32> does not exist
func.func @f(%x: tensor<2x3xf32>) -> tensor<i32> {
  %0 = stablehlo.get_dimension_size %x, dim = 2 : (tensor<2x3xf32>) -> tensor<i32>
  return %0 : tensor<i32>
}

// case get_dimension_size_c1_negative: get_dimension_size (C1): dimension -1 of tensor<2x3xf32> does not exist
func.func @f(%x: tensor<2x3xf32>) -> tensor<i32> {
  %0 = stablehlo.get_dimension_size %x, dim = -1 : (tensor<2x3xf32>) -> tensor<i32>
  return %0 : tensor<i32>
}
