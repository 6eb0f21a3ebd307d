// Collective operations and transfers.

// case all_gather_c1: all_gather (C1): all_gather_dim: dimension 2 of tensor<2x3xf32> does not exist
func.func @f(%x: tensor<2x3xf32>) -> tensor<2x6xf32> {
  %0 = "stablehlo.all_gather"(%x) <{all_gather_dim = 2 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<2x3xf32>) -> tensor<2x6xf32>
  return %0 : tensor<2x6xf32>
}

// case all_gather_c1_negative: all_gather (C1): all_gather_dim: dimension -1 of tensor<2x3xf32> does not exist
func.func @f(%x: tensor<2x3xf32>) -> tensor<2x6xf32> {
  %0 = "stablehlo.all_gather"(%x) <{all_gather_dim = -1 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<2x3xf32>) -> tensor<2x6xf32>
  return %0 : tensor<2x6xf32>
}

// case all_gather_c2: all_gather (C2): 0 is twice in replica_groups
func.func @f(%x: tensor<2x3xf32>) -> tensor<2x6xf32> {
  %0 = "stablehlo.all_gather"(%x) <{all_gather_dim = 1 : i64, replica_groups = dense<[[0, 0]]> : tensor<1x2xi64>}> : (tensor<2x3xf32>) -> tensor<2x6xf32>
  return %0 : tensor<2x6xf32>
}

// case all_gather_c4: all_gather (C4): 2 in replica_groups is not a number of one of 2 processes
func.func @f(%x: tensor<2x3xf32>) -> tensor<2x6xf32> {
  %0 = "stablehlo.all_gather"(%x) <{all_gather_dim = 1 : i64, replica_groups = dense<[[0, 2]]> : tensor<1x2xi64>}> : (tensor<2x3xf32>) -> tensor<2x6xf32>
  return %0 : tensor<2x6xf32>
}

// case all_gather_c4_negative: all_gather (C4): -1 in replica_groups is not a number of one of 2 processes
func.func @f(%x: tensor<2x3xf32>) -> tensor<2x6xf32> {
  %0 = "stablehlo.all_gather"(%x) <{all_gather_dim = 1 : i64, replica_groups = dense<[[0, -1]]> : tensor<1x2xi64>}> : (tensor<2x3xf32>) -> tensor<2x6xf32>
  return %0 : tensor<2x6xf32>
}

// case all_gather_c5: all_gather (C5): use_global_device_ids with the channel_id 0, which is not positive
func.func @f(%x: tensor<2x3xf32>) -> tensor<2x6xf32> {
  %0 = "stablehlo.all_gather"(%x) <{all_gather_dim = 1 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids}> : (tensor<2x3xf32>) -> tensor<2x6xf32>
  return %0 : tensor<2x6xf32>
}

// case all_gather_c6: all_gather (C6): gives tensor<2x6xf32>, but is declared as tensor<2x7xf32>
func.func @f(%x: tensor<2x3xf32>) -> tensor<2x7xf32> {
  %0 = "stablehlo.all_gather"(%x) <{all_gather_dim = 1 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<2x3xf32>) -> tensor<2x7xf32>
  return %0 : tensor<2x7xf32>
}

// case all_gather_c6_element: all_gather (C6): gives tensor<2x6xf32>, but is declared as tensor<2x6xf64>
func.func @f(%x: tensor<2x3xf32>) -> tensor<2x6xf64> {
  %0 = "stablehlo.all_gather"(%x) <{all_gather_dim = 1 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<2x3xf32>) -> tensor<2x6xf64>
  return %0 : tensor<2x6xf64>
}

// case all_gather_c6_other: all_gather (C6): gives tensor<2x6xf32>, but is declared as tensor<3x6xf32>
func.func @f(%x: tensor<2x3xf32>) -> tensor<3x6xf32> {
  %0 = "stablehlo.all_gather"(%x) <{all_gather_dim = 1 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<2x3xf32>) -> tensor<3x6xf32>
  return %0 : tensor<3x6xf32>
}

// case all_reduce_c1: all_reduce (C1): 1 is twice in replica_groups
func.func @f(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = "stablehlo.all_reduce"(%x) <{replica_groups = dense<[[0, 1], [1, 2]]> : tensor<2x2xi64>}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %1 = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %1 : tensor<f32>
  }) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

// case all_reduce_c3: all_reduce (C3): 3 in replica_groups is not a number of one of 2 processes
func.func @f(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = "stablehlo.all_reduce"(%x) <{replica_groups = dense<[[0, 3]]> : tensor<1x2xi64>}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %1 = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %1 : tensor<f32>
  }) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

// case all_reduce_c4: all_reduce (C4): use_global_device_ids with the channel_id 0, which is not positive
func.func @f(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = "stablehlo.all_reduce"(%x) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %1 = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %1 : tensor<f32>
  }) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

// case all_reduce_c5: all_reduce (C5): computation is (tensor<f32>) -> (tensor<f32>): it does not combine two scalars of f32
func.func @f(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = "stablehlo.all_reduce"(%x) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({
    ^bb0(%a: tensor<f32>):
      stablehlo.return %a : tensor<f32>
  }) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

// case all_reduce_c5_narrower: all_reduce (C5): computation is (tensor<f16>, tensor<f16>) -> (tensor<f16>): it does not combine two scalars of f32
func.func @f(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = "stablehlo.all_reduce"(%x) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({
    ^bb0(%a: tensor<f16>, %b: tensor<f16>):
      %1 = stablehlo.add %a, %b : tensor<f16>
      stablehlo.return %1 : tensor<f16>
  }) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

// case all_reduce_c6: all_reduce (C6): gives tensor<2x3xf32>, but is declared as tensor<2x4xf32>
func.func @f(%x: tensor<2x3xf32>) -> tensor<2x4xf32> {
  %0 = "stablehlo.all_reduce"(%x) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %1 = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %1 : tensor<f32>
  }) : (tensor<2x3xf32>) -> tensor<2x4xf32>
  return %0 : tensor<2x4xf32>
}

// case all_reduce_c7: all_reduce (C7): gives tensor<2x3xf32>, but is declared as tensor<2x3xf64>
func.func @f(%x: tensor<2x3xf32>) -> tensor<2x3xf64> {
  %0 = "stablehlo.all_reduce"(%x) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %1 = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %1 : tensor<f32>
  }) : (tensor<2x3xf32>) -> tensor<2x3xf64>
  return %0 : tensor<2x3xf64>
}

// case reduce_scatter_c1: reduce_scatter (C1): dimension 1 of f32[2,5] does not split into 2
func.func @f(%x: tensor<2x5xf32>) -> tensor<2x2xf32> {
  %0 = "stablehlo.reduce_scatter"(%x) <{scatter_dimension = 1 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %1 = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %1 : tensor<f32>
  }) : (tensor<2x5xf32>) -> tensor<2x2xf32>
  return %0 : tensor<2x2xf32>
}

// case reduce_scatter_c2: reduce_scatter (C2): scatter_dimension: dimension 2 of tensor<2x4xf32> does not exist
func.func @f(%x: tensor<2x4xf32>) -> tensor<2x2xf32> {
  %0 = "stablehlo.reduce_scatter"(%x) <{scatter_dimension = 2 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %1 = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %1 : tensor<f32>
  }) : (tensor<2x4xf32>) -> tensor<2x2xf32>
  return %0 : tensor<2x2xf32>
}

// case reduce_scatter_c2_negative: reduce_scatter (C2): scatter_dimension: dimension -1 of tensor<2x4xf32> does not exist
func.func @f(%x: tensor<2x4xf32>) -> tensor<2x2xf32> {
  %0 = "stablehlo.reduce_scatter"(%x) <{scatter_dimension = -1 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %1 = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %1 : tensor<f32>
  }) : (tensor<2x4xf32>) -> tensor<2x2xf32>
  return %0 : tensor<2x2xf32>
}

// case reduce_scatter_c3: reduce_scatter (C3): 1 is twice in replica_groups
func.func @f(%x: tensor<2x4xf32>) -> tensor<2x2xf32> {
  %0 = "stablehlo.reduce_scatter"(%x) <{scatter_dimension = 1 : i64, replica_groups = dense<[[1, 1]]> : tensor<1x2xi64>}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %1 = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %1 : tensor<f32>
  }) : (tensor<2x4xf32>) -> tensor<2x2xf32>
  return %0 : tensor<2x2xf32>
}

// case reduce_scatter_c5: reduce_scatter (C5): 2 in replica_groups is not a number of one of 2 processes
func.func @f(%x: tensor<2x4xf32>) -> tensor<2x2xf32> {
  %0 = "stablehlo.reduce_scatter"(%x) <{scatter_dimension = 1 : i64, replica_groups = dense<[[0, 2]]> : tensor<1x2xi64>}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %1 = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %1 : tensor<f32>
  }) : (tensor<2x4xf32>) -> tensor<2x2xf32>
  return %0 : tensor<2x2xf32>
}

// case reduce_scatter_c6: reduce_scatter (C6): use_global_device_ids with the channel_id 0, which is not positive
func.func @f(%x: tensor<2x4xf32>) -> tensor<2x2xf32> {
  %0 = "stablehlo.reduce_scatter"(%x) <{scatter_dimension = 1 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %1 = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %1 : tensor<f32>
  }) : (tensor<2x4xf32>) -> tensor<2x2xf32>
  return %0 : tensor<2x2xf32>
}

// case reduce_scatter_c7: reduce_scatter (C7): computation is (tensor<f32>) -> (tensor<f32>): it does not combine two scalars of f32
func.func @f(%x: tensor<2x4xf32>) -> tensor<2x2xf32> {
  %0 = "stablehlo.reduce_scatter"(%x) <{scatter_dimension = 1 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({
    ^bb0(%a: tensor<f32>):
      stablehlo.return %a : tensor<f32>
  }) : (tensor<2x4xf32>) -> tensor<2x2xf32>
  return %0 : tensor<2x2xf32>
}

// case reduce_scatter_c7_narrower: reduce_scatter (C7): computation is (tensor<f16>, tensor<f16>) -> (tensor<f16>): it does not combine two scalars of f32
func.func @f(%x: tensor<2x4xf32>) -> tensor<2x2xf32> {
  %0 = "stablehlo.reduce_scatter"(%x) <{scatter_dimension = 1 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({
    ^bb0(%a: tensor<f16>, %b: tensor<f16>):
      %1 = stablehlo.add %a, %b : tensor<f16>
      stablehlo.return %1 : tensor<f16>
  }) : (tensor<2x4xf32>) -> tensor<2x2xf32>
  return %0 : tensor<2x2xf32>
}

// case reduce_scatter_c8: reduce_scatter (C8): gives tensor<2x2xf32>, but is declared as tensor<2x3xf32>
func.func @f(%x: tensor<2x4xf32>) -> tensor<2x3xf32> {
  %0 = "stablehlo.reduce_scatter"(%x) <{scatter_dimension = 1 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %1 = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %1 : tensor<f32>
  }) : (tensor<2x4xf32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

// case reduce_scatter_c9: reduce_scatter (C9): gives tensor<2x2xf32>, but is declared as tensor<2x2xf64>
func.func @f(%x: tensor<2x4xf32>) -> tensor<2x2xf64> {
  %0 = "stablehlo.reduce_scatter"(%x) <{scatter_dimension = 1 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %1 = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %1 : tensor<f32>
  }) : (tensor<2x4xf32>) -> tensor<2x2xf64>
  return %0 : tensor<2x2xf64>
}

// case all_to_all_c1: all_to_all (C1): split_dimension: dimension 2 of tensor<2x6xf32> does not exist
func.func @f(%x: tensor<2x6xf32>) -> tensor<4x3xf32> {
  %0 = "stablehlo.all_to_all"(%x) <{split_dimension = 2 : i64, concat_dimension = 0 : i64, split_count = 2 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<2x6xf32>) -> tensor<4x3xf32>
  return %0 : tensor<4x3xf32>
}

// case all_to_all_c1_negative: all_to_all (C1): split_dimension: dimension -1 of tensor<2x6xf32> does not exist
func.func @f(%x: tensor<2x6xf32>) -> tensor<4x3xf32> {
  %0 = "stablehlo.all_to_all"(%x) <{split_dimension = -1 : i64, concat_dimension = 0 : i64, split_count = 2 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<2x6xf32>) -> tensor<4x3xf32>
  return %0 : tensor<4x3xf32>
}

// case all_to_all_c2: all_to_all (C2): 5 elements of tensor<2x5xf32> do not split into 2
func.func @f(%x: tensor<2x5xf32>) -> tensor<4x3xf32> {
  %0 = "stablehlo.all_to_all"(%x) <{split_dimension = 1 : i64, concat_dimension = 0 : i64, split_count = 2 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<2x5xf32>) -> tensor<4x3xf32>
  return %0 : tensor<4x3xf32>
}

// case all_to_all_c3: all_to_all (C3): concat_dimension: dimension 2 of tensor<2x6xf32> does not exist
func.func @f(%x: tensor<2x6xf32>) -> tensor<4x3xf32> {
  %0 = "stablehlo.all_to_all"(%x) <{split_dimension = 1 : i64, concat_dimension = 2 : i64, split_count = 2 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<2x6xf32>) -> tensor<4x3xf32>
  return %0 : tensor<4x3xf32>
}

// case all_to_all_c3_negative: all_to_all (C3): concat_dimension: dimension -1 of tensor<2x6xf32> does not exist
func.func @f(%x: tensor<2x6xf32>) -> tensor<4x3xf32> {
  %0 = "stablehlo.all_to_all"(%x) <{split_dimension = 1 : i64, concat_dimension = -1 : i64, split_count = 2 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<2x6xf32>) -> tensor<4x3xf32>
  return %0 : tensor<4x3xf32>
}

// case all_to_all_c4: all_to_all (C4): split_count is 0, not positive
func.func @f(%x: tensor<2x6xf32>) -> tensor<4x3xf32> {
  %0 = "stablehlo.all_to_all"(%x) <{split_dimension = 1 : i64, concat_dimension = 0 : i64, split_count = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<2x6xf32>) -> tensor<4x3xf32>
  return %0 : tensor<4x3xf32>
}

// case all_to_all_c4_negative: all_to_all (C4): split_count is -2, not positive
func.func @f(%x: tensor<2x6xf32>) -> tensor<4x3xf32> {
  %0 = "stablehlo.all_to_all"(%x) <{split_dimension = 1 : i64, concat_dimension = 0 : i64, split_count = -2 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<2x6xf32>) -> tensor<4x3xf32>
  return %0 : tensor<4x3xf32>
}

// case all_to_all_c5: all_to_all (C5): 0 is twice in replica_groups
func.func @f(%x: tensor<2x6xf32>) -> tensor<4x3xf32> {
  %0 = "stablehlo.all_to_all"(%x) <{split_dimension = 1 : i64, concat_dimension = 0 : i64, split_count = 2 : i64, replica_groups = dense<[[0, 0]]> : tensor<1x2xi64>}> : (tensor<2x6xf32>) -> tensor<4x3xf32>
  return %0 : tensor<4x3xf32>
}

// case all_to_all_c7: all_to_all (C7): 2 in replica_groups is not a number of one of 2 processes
func.func @f(%x: tensor<2x6xf32>) -> tensor<4x3xf32> {
  %0 = "stablehlo.all_to_all"(%x) <{split_dimension = 1 : i64, concat_dimension = 0 : i64, split_count = 2 : i64, replica_groups = dense<[[0, 2]]> : tensor<1x2xi64>}> : (tensor<2x6xf32>) -> tensor<4x3xf32>
  return %0 : tensor<4x3xf32>
}

// case all_to_all_c8: all_to_all (C8): group [0, 1, 2] has 3 processes, split_count is 2
func.func @f(%x: tensor<2x6xf32>) -> tensor<4x3xf32> {
  %0 = "stablehlo.all_to_all"(%x) <{split_dimension = 1 : i64, concat_dimension = 0 : i64, split_count = 2 : i64, replica_groups = dense<[[0, 1, 2]]> : tensor<1x3xi64>}> : (tensor<2x6xf32>) -> tensor<4x3xf32>
  return %0 : tensor<4x3xf32>
}

// case all_to_all_c9: all_to_all (C9): gives tensor<4x3xf32>, but is declared as tensor<2x6xf32>
func.func @f(%x: tensor<2x6xf32>) -> tensor<2x6xf32> {
  %0 = "stablehlo.all_to_all"(%x) <{split_dimension = 1 : i64, concat_dimension = 0 : i64, split_count = 2 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<2x6xf32>) -> tensor<2x6xf32>
  return %0 : tensor<2x6xf32>
}

// case all_to_all_c9_element: all_to_all (C9): gives tensor<4x3xf32>, but is declared as tensor<4x3xf64>
func.func @f(%x: tensor<2x6xf32>) -> tensor<4x3xf64> {
  %0 = "stablehlo.all_to_all"(%x) <{split_dimension = 1 : i64, concat_dimension = 0 : i64, split_count = 2 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<2x6xf32>) -> tensor<4x3xf64>
  return %0 : tensor<4x3xf64>
}

// case collective_permute_c1: collective_permute (C1): [0, 1, 2] in source_target_pairs is not a pair
func.func @f(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = "stablehlo.collective_permute"(%x) <{source_target_pairs = dense<[[0, 1, 2]]> : tensor<1x3xi64>}> : (tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// case collective_permute_c2: collective_permute (C2): 0 is a source twice in source_target_pairs
func.func @f(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = "stablehlo.collective_permute"(%x) <{source_target_pairs = dense<[[0, 1], [0, 2]]> : tensor<2x2xi64>}> : (tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// case collective_permute_c3: collective_permute (C3): 1 is a target twice in source_target_pairs
func.func @f(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = "stablehlo.collective_permute"(%x) <{source_target_pairs = dense<[[0, 1], [2, 1]]> : tensor<2x2xi64>}> : (tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// case collective_permute_c4: collective_permute (C4): -1 in source_target_pairs is not a process
func.func @f(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = "stablehlo.collective_permute"(%x) <{source_target_pairs = dense<[[0, -1], [1, 0]]> : tensor<2x2xi64>}> : (tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// case collective_permute_c5: collective_permute (C5): gives tensor<2xf32>, but is declared as tensor<3xf32>
func.func @f(%x: tensor<2xf32>) -> tensor<3xf32> {
  %0 = "stablehlo.collective_permute"(%x) <{source_target_pairs = dense<[[0, 1], [1, 0]]> : tensor<2x2xi64>}> : (tensor<2xf32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}

// case collective_permute_c5_element: collective_permute (C5): gives tensor<2xf32>, but is declared as tensor<2xf64>
func.func @f(%x: tensor<2xf32>) -> tensor<2xf64> {
  %0 = "stablehlo.collective_permute"(%x) <{source_target_pairs = dense<[[0, 1], [1, 0]]> : tensor<2x2xi64>}> : (tensor<2xf32>) -> tensor<2xf64>
  return %0 : tensor<2xf64>
}

// case collective_broadcast_c1: collective_broadcast (C1): 1 is twice in replica_groups
func.func @f(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = "stablehlo.collective_broadcast"(%x) <{replica_groups = dense<[[0, 1], [1, 2]]> : tensor<2x2xi64>}> : (tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// case collective_broadcast_c2: collective_broadcast (C2): -2 in replica_groups is not a number of one of 2 processes
func.func @f(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = "stablehlo.collective_broadcast"(%x) <{replica_groups = dense<[[0, -2]]> : tensor<1x2xi64>}> : (tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// case collective_broadcast_c3: collective_broadcast (C3): gives tensor<2xf32>, but is declared as tensor<3xf32>
func.func @f(%x: tensor<2xf32>) -> tensor<3xf32> {
  %0 = "stablehlo.collective_broadcast"(%x) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<2xf32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}

// case collective_broadcast_c3_none: collective_broadcast (C3): there is no operand
func.func @f() -> tensor<2xf32> {
  %0 = "stablehlo.collective_broadcast"() <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : () -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// case collective_broadcast_c4: collective_broadcast (C4): there are no operands beside the roots
func.func @f(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = "stablehlo.collective_broadcast"(%x) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, has_dynamic_root = true}> : (tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// case collective_broadcast_c4_type: collective_broadcast (C4): the roots are tensor<2xi32>, not tensor<1xi32>
func.func @f(%x: tensor<2xf32>, %r: tensor<2xi32>) -> tensor<2xf32> {
  %0 = "stablehlo.collective_broadcast"(%x, %r) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, has_dynamic_root = true}> : (tensor<2xf32>, tensor<2xi32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// case collective_broadcast_c5: collective_broadcast (C5): 2 operand(s) are sent and 1 received
func.func @f(%x: tensor<2xf32>, %y: tensor<2xf32>) -> tensor<2xf32> {
  %0 = "stablehlo.collective_broadcast"(%x, %y) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// case collective_reduce_c1: collective_reduce (C1): 1 is twice in replica_groups
func.func @f(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = "stablehlo.collective_reduce"(%x) <{replica_groups = dense<[[0, 1], [1, 2]]> : tensor<2x2xi64>}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %1 = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %1 : tensor<f32>
  }) : (tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// case collective_reduce_c2: collective_reduce (C2): -2 in replica_groups is not a number of one of 2 processes
func.func @f(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = "stablehlo.collective_reduce"(%x) <{replica_groups = dense<[[0, -2]]> : tensor<1x2xi64>}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %1 = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %1 : tensor<f32>
  }) : (tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// case collective_reduce_c3: collective_reduce (C3): gives tensor<2xf32>, but is declared as tensor<3xf32>
func.func @f(%x: tensor<2xf32>) -> tensor<3xf32> {
  %0 = "stablehlo.collective_reduce"(%x) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %1 = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %1 : tensor<f32>
  }) : (tensor<2xf32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}

// case collective_reduce_c3_root: collective_reduce (C3): the roots are tensor<2xi32>, not tensor<1xi32>
func.func @f(%x: tensor<2xf32>, %r: tensor<2xi32>) -> tensor<2xf32> {
  %0 = "stablehlo.collective_reduce"(%x, %r) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, has_dynamic_root = true}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %1 = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %1 : tensor<f32>
  }) : (tensor<2xf32>, tensor<2xi32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// case collective_reduce_c4: collective_reduce (C4): computation is (tensor<f16>, tensor<f16>) -> (tensor<f16>): it does not combine two scalars of f32
func.func @f(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = "stablehlo.collective_reduce"(%x) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({
    ^bb0(%a: tensor<f16>, %b: tensor<f16>):
      %1 = stablehlo.add %a, %b : tensor<f16>
      stablehlo.return %1 : tensor<f16>
  }) : (tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// case send_c1: send (C1): [0, 1, 2] in source_target_pairs is not a pair
func.func @f(%x: tensor<2xf32>) -> !stablehlo.token {
  %t = stablehlo.create_token : !stablehlo.token
  %0 = "stablehlo.send"(%x, %t) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, is_host_transfer = false, source_target_pairs = dense<[[0, 1, 2]]> : tensor<1x3xi64>}> : (tensor<2xf32>, !stablehlo.token) -> !stablehlo.token
  return %0 : !stablehlo.token
}

// case send_c2: send (C2): 0 is a source twice in source_target_pairs
func.func @f(%x: tensor<2xf32>) -> !stablehlo.token {
  %t = stablehlo.create_token : !stablehlo.token
  %0 = "stablehlo.send"(%x, %t) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, is_host_transfer = false, source_target_pairs = dense<[[0, 1], [0, 2]]> : tensor<2x2xi64>}> : (tensor<2xf32>, !stablehlo.token) -> !stablehlo.token
  return %0 : !stablehlo.token
}

// case send_c3: send (C3): 1 is a target twice in source_target_pairs
func.func @f(%x: tensor<2xf32>) -> !stablehlo.token {
  %t = stablehlo.create_token : !stablehlo.token
  %0 = "stablehlo.send"(%x, %t) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, is_host_transfer = false, source_target_pairs = dense<[[0, 1], [2, 1]]> : tensor<2x2xi64>}> : (tensor<2xf32>, !stablehlo.token) -> !stablehlo.token
  return %0 : !stablehlo.token
}

// case send_c4: send (C4): -1 in source_target_pairs is not a process
func.func @f(%x: tensor<2xf32>) -> !stablehlo.token {
  %t = stablehlo.create_token : !stablehlo.token
  %0 = "stablehlo.send"(%x, %t) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, is_host_transfer = false, source_target_pairs = dense<[[0, -1]]> : tensor<1x2xi64>}> : (tensor<2xf32>, !stablehlo.token) -> !stablehlo.token
  return %0 : !stablehlo.token
}

// case send_c5: send (C5): is_host_transfer is false, but the channel's type is 2
func.func @f(%x: tensor<2xf32>) -> !stablehlo.token {
  %t = stablehlo.create_token : !stablehlo.token
  %0 = "stablehlo.send"(%x, %t) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 2>, is_host_transfer = false, source_target_pairs = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<2xf32>, !stablehlo.token) -> !stablehlo.token
  return %0 : !stablehlo.token
}

// case send_c5_host: send (C5): is_host_transfer is true, but the channel's type is 1
func.func @f(%x: tensor<2xf32>) -> !stablehlo.token {
  %t = stablehlo.create_token : !stablehlo.token
  %0 = "stablehlo.send"(%x, %t) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, is_host_transfer = true, source_target_pairs = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<2xf32>, !stablehlo.token) -> !stablehlo.token
  return %0 : !stablehlo.token
}

// case recv_c1: recv (C1): [0, 1, 2] in source_target_pairs is not a pair
func.func @f() -> tensor<2xf32> {
  %t = stablehlo.create_token : !stablehlo.token
  %0:2 = "stablehlo.recv"(%t) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, is_host_transfer = false, source_target_pairs = dense<[[0, 1, 2]]> : tensor<1x3xi64>}> : (!stablehlo.token) -> (tensor<2xf32>, !stablehlo.token)
  return %0#0 : tensor<2xf32>
}

// case recv_c2: recv (C2): 0 is a source twice in source_target_pairs
func.func @f() -> tensor<2xf32> {
  %t = stablehlo.create_token : !stablehlo.token
  %0:2 = "stablehlo.recv"(%t) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, is_host_transfer = false, source_target_pairs = dense<[[0, 1], [0, 2]]> : tensor<2x2xi64>}> : (!stablehlo.token) -> (tensor<2xf32>, !stablehlo.token)
  return %0#0 : tensor<2xf32>
}

// case recv_c3: recv (C3): 1 is a target twice in source_target_pairs
func.func @f() -> tensor<2xf32> {
  %t = stablehlo.create_token : !stablehlo.token
  %0:2 = "stablehlo.recv"(%t) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, is_host_transfer = false, source_target_pairs = dense<[[0, 1], [2, 1]]> : tensor<2x2xi64>}> : (!stablehlo.token) -> (tensor<2xf32>, !stablehlo.token)
  return %0#0 : tensor<2xf32>
}

// case recv_c4: recv (C4): -1 in source_target_pairs is not a process
func.func @f() -> tensor<2xf32> {
  %t = stablehlo.create_token : !stablehlo.token
  %0:2 = "stablehlo.recv"(%t) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, is_host_transfer = false, source_target_pairs = dense<[[0, -1]]> : tensor<1x2xi64>}> : (!stablehlo.token) -> (tensor<2xf32>, !stablehlo.token)
  return %0#0 : tensor<2xf32>
}

// case recv_c5: recv (C5): is_host_transfer is false, but the channel's type is 3
func.func @f() -> tensor<2xf32> {
  %t = stablehlo.create_token : !stablehlo.token
  %0:2 = "stablehlo.recv"(%t) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 3>, is_host_transfer = false, source_target_pairs = dense<[[0, 1]]> : tensor<1x2xi64>}> : (!stablehlo.token) -> (tensor<2xf32>, !stablehlo.token)
  return %0#0 : tensor<2xf32>
}

// case recv_c5_host: recv (C5): is_host_transfer is true, but the channel's type is 1
func.func @f() -> tensor<2xf32> {
  %t = stablehlo.create_token : !stablehlo.token
  %0:2 = "stablehlo.recv"(%t) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, is_host_transfer = true, source_target_pairs = dense<[[0, 1]]> : tensor<1x2xi64>}> : (!stablehlo.token) -> (tensor<2xf32>, !stablehlo.token)
  return %0#0 : tensor<2xf32>
}
