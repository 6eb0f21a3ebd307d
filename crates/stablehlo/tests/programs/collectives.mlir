// What programs of a grid do with each other, every form of it once.
module @collectives attributes {mhlo.num_partitions = 2 : i32, mhlo.num_replicas = 2 : i32} {
  func.func public @groups(%x: tensor<2x4xf32>, %i: tensor<4xi32>) -> (tensor<2x8xf32>, tensor<2x16xf32>, tensor<2x16xf32>, tensor<4x4xf32>, tensor<8xi32>) {
    %0 = "stablehlo.all_gather"(%x) <{all_gather_dim = 1 : i64, replica_groups = dense<[[1, 0]]> : tensor<1x2xi64>}> : (tensor<2x4xf32>) -> tensor<2x8xf32>
    %1 = "stablehlo.all_gather"(%x) <{all_gather_dim = 1 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<2x4xf32>) -> tensor<2x16xf32>
    %2 = "stablehlo.all_gather"(%x) <{all_gather_dim = 1 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 2, 1, 3]]> : tensor<1x4xi64>, use_global_device_ids}> : (tensor<2x4xf32>) -> tensor<2x16xf32>
    %3:2 = "stablehlo.all_gather"(%x, %i) <{all_gather_dim = 0 : i64, replica_groups = dense<> : tensor<0x0xi64>}> : (tensor<2x4xf32>, tensor<4xi32>) -> (tensor<4x4xf32>, tensor<8xi32>)
    return %0, %1, %2, %3#0, %3#1 : tensor<2x8xf32>, tensor<2x16xf32>, tensor<2x16xf32>, tensor<4x4xf32>, tensor<8xi32>
  }
  func.func public @sums(%x: tensor<4x2xf32>, %h: tensor<4xf16>, %b: tensor<3xi1>) -> (tensor<4x2xf32>, tensor<4xf16>, tensor<3xi1>, tensor<2x2xf32>, tensor<4xf32>) {
    %0 = "stablehlo.all_reduce"(%x) <{replica_groups = dense<[[0], [1]]> : tensor<2x1xi64>}> ({
    ^bb0(%l: tensor<f32>, %r: tensor<f32>):
      %9 = stablehlo.maximum %l, %r : tensor<f32>
      stablehlo.return %9 : tensor<f32>
    }) : (tensor<4x2xf32>) -> tensor<4x2xf32>
    %1 = "stablehlo.all_reduce"(%h) <{channel_handle = #stablehlo.channel_handle<handle = 7, type = 1>, replica_groups = dense<[[0, 1, 2], [3, -1, -1]]> : tensor<2x3xi64>, use_global_device_ids}> ({
    ^bb0(%l: tensor<f16>, %r: tensor<f16>):
      %9 = stablehlo.add %l, %r : tensor<f16>
      stablehlo.return %9 : tensor<f16>
    }) : (tensor<4xf16>) -> tensor<4xf16>
    %2 = "stablehlo.all_reduce"(%b) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({
    ^bb0(%l: tensor<i1>, %r: tensor<i1>):
      %9 = stablehlo.add %l, %r : tensor<i1>
      stablehlo.return %9 : tensor<i1>
    }) : (tensor<3xi1>) -> tensor<3xi1>
    %3 = "stablehlo.reduce_scatter"(%x) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0], [1]]> : tensor<2x1xi64>, scatter_dimension = 0 : i64}> ({
    ^bb0(%l: tensor<f32>, %r: tensor<f32>):
      %9 = stablehlo.add %l, %r : tensor<f32>
      stablehlo.return %9 : tensor<f32>
    }) : (tensor<4x2xf32>) -> tensor<2x2xf32>
    %4 = "stablehlo.all_reduce"(%h) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({
    ^bb0(%l: tensor<f32>, %r: tensor<f32>):
      %9 = stablehlo.add %l, %r : tensor<f32>
      stablehlo.return %9 : tensor<f32>
    }) : (tensor<4xf16>) -> tensor<4xf32>
    return %0, %1, %2, %3, %4 : tensor<4x2xf32>, tensor<4xf16>, tensor<3xi1>, tensor<2x2xf32>, tensor<4xf32>
  }
  func.func public @moves(%x: tensor<2x4xf32>) -> (tensor<4x2xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<ui32>, tensor<ui32>) {
    %0 = "stablehlo.all_to_all"(%x) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, concat_dimension = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, split_count = 2 : i64, split_dimension = 1 : i64}> : (tensor<2x4xf32>) -> tensor<4x2xf32>
    %1 = "stablehlo.all_to_all"(%x) <{concat_dimension = 1 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, split_count = 2 : i64, split_dimension = 1 : i64}> : (tensor<2x4xf32>) -> tensor<2x4xf32>
    %2 = "stablehlo.collective_permute"(%x) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, source_target_pairs = dense<[[0, 1], [1, 0]]> : tensor<2x2xi64>}> : (tensor<2x4xf32>) -> tensor<2x4xf32>
    %3 = "stablehlo.collective_permute"(%x) <{source_target_pairs = dense<> : tensor<0x2xi64>}> : (tensor<2x4xf32>) -> tensor<2x4xf32>
    %4 = "stablehlo.collective_broadcast"(%x) <{replica_groups = dense<[[1, 0]]> : tensor<1x2xi64>}> : (tensor<2x4xf32>) -> tensor<2x4xf32>
    %5 = stablehlo.replica_id : tensor<ui32>
    %6 = stablehlo.partition_id : tensor<ui32>
    return %0, %1, %2, %3, %4, %5, %6 : tensor<4x2xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<ui32>, tensor<ui32>
  }
  func.func public @transfers(%x: tensor<2xf32>, %t: !stablehlo.token) -> (tensor<2xf32>, tensor<i32>, !stablehlo.token) {
    %0 = stablehlo.create_token : !stablehlo.token
    %1 = "stablehlo.send"(%x, %x, %0) <{channel_handle = #stablehlo.channel_handle<handle = 5, type = 2>, is_host_transfer = true}> : (tensor<2xf32>, tensor<2xf32>, !stablehlo.token) -> !stablehlo.token
    %2:3 = "stablehlo.recv"(%t) <{channel_handle = #stablehlo.channel_handle<handle = 6, type = 3>, is_host_transfer = true}> : (!stablehlo.token) -> (tensor<2xf32>, tensor<i32>, !stablehlo.token)
    %3 = "stablehlo.send"(%x, %2#2) <{channel_handle = #stablehlo.channel_handle<handle = 7, type = 2>, is_host_transfer = true}> : (tensor<2xf32>, !stablehlo.token) -> !stablehlo.token
    return %2#0, %2#1, %3 : tensor<2xf32>, tensor<i32>, !stablehlo.token
  }
}
