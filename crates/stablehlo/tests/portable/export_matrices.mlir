module @jit_matrices attributes {jax.uses_shape_polymorphism = false, mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<4x4xf32>, %arg1: tensor<3x3xcomplex<f32>>, %arg2: tensor<4x3xf32>) -> (tensor<2x4x4xf32> {jax.result_info = "result[0]"}, tensor<2x4x4xf32> {jax.result_info = "result[1]"}, tensor<2xcomplex<f32>> {jax.result_info = "result[2]"}, tensor<2xf32> {jax.result_info = "result[3]"}, tensor<4x4xf32> {jax.result_info = "result[4]"}, tensor<3xf32> {jax.result_info = "result[5]"}, tensor<3x3xf32> {jax.result_info = "result[6]"}, tensor<4x4xf32> {jax.result_info = "result[7]"}, tensor<4xcomplex<f32>> {jax.result_info = "result[8]"}, tensor<4x4xcomplex<f32>> {jax.result_info = "result[9]"}, tensor<3xcomplex<f32>> {jax.result_info = "result[10]"}, tensor<3x3xcomplex<f32>> {jax.result_info = "result[11]"}, tensor<3x3xcomplex<f32>> {jax.result_info = "result[12]"}, tensor<4xf32> {jax.result_info = "result[13]"}, tensor<4x4xf32> {jax.result_info = "result[14]"}, tensor<3xf32> {jax.result_info = "result[15]"}, tensor<3x3xcomplex<f32>> {jax.result_info = "result[16]"}, tensor<4xf32> {jax.result_info = "result[17]"}, tensor<4x4xf32> {jax.result_info = "result[18]"}, tensor<4x4xf32> {jax.result_info = "result[19]"}, tensor<4x4xf32> {jax.result_info = "result[20]"}, tensor<4x3xf32> {jax.result_info = "result[21]"}, tensor<3x3xcomplex<f32>> {jax.result_info = "result[22]"}, tensor<3x3xcomplex<f32>> {jax.result_info = "result[23]"}, tensor<3x3xcomplex<f32>> {jax.result_info = "result[24]"}, tensor<3xi32> {jax.result_info = "result[25]"}, tensor<4x3xf32> {jax.result_info = "result[26]"}, tensor<3x3xf32> {jax.result_info = "result[27]"}, tensor<4x4xf32> {jax.result_info = "result[28]"}, tensor<4x4xf32> {jax.result_info = "result[29]"}, tensor<3x3xcomplex<f32>> {jax.result_info = "result[30]"}, tensor<3x3xcomplex<f32>> {jax.result_info = "result[31]"}, tensor<4x3xf32> {jax.result_info = "result[32]"}, tensor<3x3xcomplex<f32>> {jax.result_info = "result[33]"}, tensor<4x4xf32> {jax.result_info = "result[34]"}, tensor<3xf32> {jax.result_info = "result[35]"}, tensor<3x3xf32> {jax.result_info = "result[36]"}, tensor<3x3xcomplex<f32>> {jax.result_info = "result[37]"}, tensor<3xf32> {jax.result_info = "result[38]"}, tensor<3x3xcomplex<f32>> {jax.result_info = "result[39]"}, tensor<3xf32> {jax.result_info = "result[40]"}, tensor<4x4xf32> {jax.result_info = "result[41]"}, tensor<4xf32> {jax.result_info = "result[42]"}, tensor<3xf32> {jax.result_info = "result[43]"}, tensor<3xf32> {jax.result_info = "result[44]"}, tensor<3x3xcomplex<f32>> {jax.result_info = "result[45]"}, tensor<3xf32> {jax.result_info = "result[46]"}, tensor<2xf32> {jax.result_info = "result[47]"}, tensor<2xcomplex<f32>> {jax.result_info = "result[48]"}, tensor<4x3xf32> {jax.result_info = "result[49]"}) {
    %cst = stablehlo.constant dense<3.000000e+00> : tensor<f32>
    %cst_0 = stablehlo.constant dense<(0x7FC00000,0x7FC00000)> : tensor<complex<f32>>
    %cst_1 = stablehlo.constant dense<0x7FC00000> : tensor<f32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = call @diagonal(%arg0) : (tensor<4x4xf32>) -> tensor<4xf32>
    %1:2 = call @qr(%arg2) : (tensor<4x3xf32>) -> (tensor<4x3xf32>, tensor<3x3xf32>)
    %2:3 = call @_qr(%arg1) : (tensor<3x3xcomplex<f32>>) -> (tensor<3x3xcomplex<f32>>, tensor<3x3xcomplex<f32>>, tensor<3xi32>)
    %3:3 = call @svd(%arg2) : (tensor<4x3xf32>) -> (tensor<4x4xf32>, tensor<3xf32>, tensor<3x3xf32>)
    %4:3 = call @svd_0(%arg1) : (tensor<3x3xcomplex<f32>>) -> (tensor<3x3xcomplex<f32>>, tensor<3xf32>, tensor<3x3xcomplex<f32>>)
    %5 = call @svd_1(%arg2) : (tensor<4x3xf32>) -> tensor<3xf32>
    %6:5 = stablehlo.custom_call @lapack_sgesvd_ffi(%arg2) {mhlo.backend_config = {mode = 65 : ui8}, mhlo.frontend_attributes = {num_batch_dims = "0"}, operand_layouts = [dense<[0, 1]> : tensor<2xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [0], operand_index = 0, operand_tuple_indices = []>], result_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<0> : tensor<1xindex>, dense<[0, 1]> : tensor<2xindex>, dense<[0, 1]> : tensor<2xindex>, dense<> : tensor<0xindex>]} : (tensor<4x3xf32>) -> (tensor<4x3xf32>, tensor<3xf32>, tensor<4x4xf32>, tensor<3x3xf32>, tensor<i32>)
    %7 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<i32>
    %8 = stablehlo.compare EQ, %6#4, %7, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %9 = stablehlo.broadcast_in_dim %8, dims = [] : (tensor<i1>) -> tensor<1xi1>
    %10 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %11 = stablehlo.broadcast_in_dim %9, dims = [0] : (tensor<1xi1>) -> tensor<3xi1>
    %12 = stablehlo.select %11, %6#1, %10 : tensor<3xi1>, tensor<3xf32>
    %13 = stablehlo.broadcast_in_dim %8, dims = [] : (tensor<i1>) -> tensor<1x1xi1>
    %14 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<4x4xf32>
    %15 = stablehlo.broadcast_in_dim %13, dims = [0, 1] : (tensor<1x1xi1>) -> tensor<4x4xi1>
    %16 = stablehlo.select %15, %6#2, %14 : tensor<4x4xi1>, tensor<4x4xf32>
    %17 = stablehlo.broadcast_in_dim %8, dims = [] : (tensor<i1>) -> tensor<1x1xi1>
    %18 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<3x3xf32>
    %19 = stablehlo.broadcast_in_dim %17, dims = [0, 1] : (tensor<1x1xi1>) -> tensor<3x3xi1>
    %20 = stablehlo.select %19, %6#3, %18 : tensor<3x3xi1>, tensor<3x3xf32>
    %21:2 = call @eigh(%arg0) : (tensor<4x4xf32>) -> (tensor<4xf32>, tensor<4x4xf32>)
    %22:2 = call @eigh_2(%arg1) : (tensor<3x3xcomplex<f32>>) -> (tensor<3xf32>, tensor<3x3xcomplex<f32>>)
    %23:5 = stablehlo.custom_call @lapack_sgeev_ffi(%arg0) {mhlo.backend_config = {compute_left = 78 : ui8, compute_right = 86 : ui8}, mhlo.frontend_attributes = {num_batch_dims = "0"}, operand_layouts = [dense<[0, 1]> : tensor<2xindex>], result_layouts = [dense<0> : tensor<1xindex>, dense<0> : tensor<1xindex>, dense<[0, 1]> : tensor<2xindex>, dense<[0, 1]> : tensor<2xindex>, dense<> : tensor<0xindex>]} : (tensor<4x4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4x4xcomplex<f32>>, tensor<4x4xcomplex<f32>>, tensor<i32>)
    %24 = stablehlo.complex %23#0, %23#1 : tensor<4xcomplex<f32>>
    %25 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<i32>
    %26 = stablehlo.compare EQ, %23#4, %25, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %27 = stablehlo.broadcast_in_dim %26, dims = [] : (tensor<i1>) -> tensor<1xi1>
    %28 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<complex<f32>>) -> tensor<4xcomplex<f32>>
    %29 = stablehlo.broadcast_in_dim %27, dims = [0] : (tensor<1xi1>) -> tensor<4xi1>
    %30 = stablehlo.select %29, %24, %28 : tensor<4xi1>, tensor<4xcomplex<f32>>
    %31 = stablehlo.broadcast_in_dim %26, dims = [] : (tensor<i1>) -> tensor<1x1xi1>
    %32 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<complex<f32>>) -> tensor<4x4xcomplex<f32>>
    %33 = stablehlo.broadcast_in_dim %31, dims = [0, 1] : (tensor<1x1xi1>) -> tensor<4x4xi1>
    %34 = stablehlo.select %33, %23#3, %32 : tensor<4x4xi1>, tensor<4x4xcomplex<f32>>
    %35:4 = stablehlo.custom_call @lapack_cgeev_ffi(%arg1) {mhlo.backend_config = {compute_left = 86 : ui8, compute_right = 86 : ui8}, mhlo.frontend_attributes = {num_batch_dims = "0"}, operand_layouts = [dense<[0, 1]> : tensor<2xindex>], result_layouts = [dense<0> : tensor<1xindex>, dense<[0, 1]> : tensor<2xindex>, dense<[0, 1]> : tensor<2xindex>, dense<> : tensor<0xindex>]} : (tensor<3x3xcomplex<f32>>) -> (tensor<3xcomplex<f32>>, tensor<3x3xcomplex<f32>>, tensor<3x3xcomplex<f32>>, tensor<i32>)
    %36 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<i32>
    %37 = stablehlo.compare EQ, %35#3, %36, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %38 = stablehlo.broadcast_in_dim %37, dims = [] : (tensor<i1>) -> tensor<1xi1>
    %39 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<complex<f32>>) -> tensor<3xcomplex<f32>>
    %40 = stablehlo.broadcast_in_dim %38, dims = [0] : (tensor<1xi1>) -> tensor<3xi1>
    %41 = stablehlo.select %40, %35#0, %39 : tensor<3xi1>, tensor<3xcomplex<f32>>
    %42 = stablehlo.broadcast_in_dim %37, dims = [] : (tensor<i1>) -> tensor<1x1xi1>
    %43 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<complex<f32>>) -> tensor<3x3xcomplex<f32>>
    %44 = stablehlo.broadcast_in_dim %42, dims = [0, 1] : (tensor<1x1xi1>) -> tensor<3x3xi1>
    %45 = stablehlo.select %44, %35#1, %43 : tensor<3x3xi1>, tensor<3x3xcomplex<f32>>
    %46 = stablehlo.broadcast_in_dim %37, dims = [] : (tensor<i1>) -> tensor<1x1xi1>
    %47 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<complex<f32>>) -> tensor<3x3xcomplex<f32>>
    %48 = stablehlo.broadcast_in_dim %46, dims = [0, 1] : (tensor<1x1xi1>) -> tensor<3x3xi1>
    %49 = stablehlo.select %48, %35#2, %47 : tensor<3x3xi1>, tensor<3x3xcomplex<f32>>
    %50:2 = call @_schur(%arg0) : (tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<4x4xf32>)
    %51:2 = call @_schur_3(%arg1) : (tensor<3x3xcomplex<f32>>) -> (tensor<3x3xcomplex<f32>>, tensor<3x3xcomplex<f32>>)
    %52:2 = call @hessenberg(%arg0) : (tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<4x4xf32>)
    %53 = call @cholesky(%arg0) : (tensor<4x4xf32>) -> tensor<4x4xf32>
    %54 = call @solve(%arg0, %arg2) : (tensor<4x4xf32>, tensor<4x3xf32>) -> tensor<4x3xf32>
    %55 = call @_solve_triangular(%arg1, %arg1) : (tensor<3x3xcomplex<f32>>, tensor<3x3xcomplex<f32>>) -> tensor<3x3xcomplex<f32>>
    %56:5 = stablehlo.custom_call @lapack_ssytrd_ffi(%arg0) {mhlo.backend_config = {uplo = 76 : ui8}, mhlo.frontend_attributes = {num_batch_dims = "0"}, operand_layouts = [dense<[0, 1]> : tensor<2xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [0], operand_index = 0, operand_tuple_indices = []>], result_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<0> : tensor<1xindex>, dense<0> : tensor<1xindex>, dense<0> : tensor<1xindex>, dense<> : tensor<0xindex>]} : (tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<4xf32>, tensor<3xf32>, tensor<3xf32>, tensor<i32>)
    %57 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<i32>
    %58 = stablehlo.compare EQ, %56#4, %57, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %59 = stablehlo.broadcast_in_dim %58, dims = [] : (tensor<i1>) -> tensor<1x1xi1>
    %60 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<4x4xf32>
    %61 = stablehlo.broadcast_in_dim %59, dims = [0, 1] : (tensor<1x1xi1>) -> tensor<4x4xi1>
    %62 = stablehlo.select %61, %56#0, %60 : tensor<4x4xi1>, tensor<4x4xf32>
    %63 = stablehlo.broadcast_in_dim %58, dims = [] : (tensor<i1>) -> tensor<1xi1>
    %64 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %65 = stablehlo.broadcast_in_dim %63, dims = [0] : (tensor<1xi1>) -> tensor<4xi1>
    %66 = stablehlo.select %65, %56#1, %64 : tensor<4xi1>, tensor<4xf32>
    %67 = stablehlo.broadcast_in_dim %58, dims = [] : (tensor<i1>) -> tensor<1xi1>
    %68 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %69 = stablehlo.broadcast_in_dim %67, dims = [0] : (tensor<1xi1>) -> tensor<3xi1>
    %70 = stablehlo.select %69, %56#2, %68 : tensor<3xi1>, tensor<3xf32>
    %71 = stablehlo.broadcast_in_dim %58, dims = [] : (tensor<i1>) -> tensor<1xi1>
    %72 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %73 = stablehlo.broadcast_in_dim %71, dims = [0] : (tensor<1xi1>) -> tensor<3xi1>
    %74 = stablehlo.select %73, %56#3, %72 : tensor<3xi1>, tensor<3xf32>
    %75:5 = stablehlo.custom_call @lapack_chetrd_ffi(%arg1) {mhlo.backend_config = {uplo = 76 : ui8}, mhlo.frontend_attributes = {num_batch_dims = "0"}, operand_layouts = [dense<[0, 1]> : tensor<2xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [0], operand_index = 0, operand_tuple_indices = []>], result_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<0> : tensor<1xindex>, dense<0> : tensor<1xindex>, dense<0> : tensor<1xindex>, dense<> : tensor<0xindex>]} : (tensor<3x3xcomplex<f32>>) -> (tensor<3x3xcomplex<f32>>, tensor<3xf32>, tensor<2xf32>, tensor<2xcomplex<f32>>, tensor<i32>)
    %76 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<i32>
    %77 = stablehlo.compare EQ, %75#4, %76, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %78 = stablehlo.broadcast_in_dim %77, dims = [] : (tensor<i1>) -> tensor<1x1xi1>
    %79 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<complex<f32>>) -> tensor<3x3xcomplex<f32>>
    %80 = stablehlo.broadcast_in_dim %78, dims = [0, 1] : (tensor<1x1xi1>) -> tensor<3x3xi1>
    %81 = stablehlo.select %80, %75#0, %79 : tensor<3x3xi1>, tensor<3x3xcomplex<f32>>
    %82 = stablehlo.broadcast_in_dim %77, dims = [] : (tensor<i1>) -> tensor<1xi1>
    %83 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %84 = stablehlo.broadcast_in_dim %82, dims = [0] : (tensor<1xi1>) -> tensor<3xi1>
    %85 = stablehlo.select %84, %75#1, %83 : tensor<3xi1>, tensor<3xf32>
    %86 = stablehlo.broadcast_in_dim %77, dims = [] : (tensor<i1>) -> tensor<1xi1>
    %87 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<2xf32>
    %88 = stablehlo.broadcast_in_dim %86, dims = [0] : (tensor<1xi1>) -> tensor<2xi1>
    %89 = stablehlo.select %88, %75#2, %87 : tensor<2xi1>, tensor<2xf32>
    %90 = stablehlo.broadcast_in_dim %77, dims = [] : (tensor<i1>) -> tensor<1xi1>
    %91 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<complex<f32>>) -> tensor<2xcomplex<f32>>
    %92 = stablehlo.broadcast_in_dim %90, dims = [0] : (tensor<1xi1>) -> tensor<2xi1>
    %93 = stablehlo.select %92, %75#3, %91 : tensor<2xi1>, tensor<2xcomplex<f32>>
    %94 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %95 = stablehlo.add %94, %0 : tensor<4xf32>
    %96:5 = stablehlo.custom_call @lapack_sgtsv_ffi(%0, %95, %0, %arg2) {mhlo.backend_config = {}, mhlo.frontend_attributes = {num_batch_dims = "0"}, operand_layouts = [dense<0> : tensor<1xindex>, dense<0> : tensor<1xindex>, dense<0> : tensor<1xindex>, dense<[0, 1]> : tensor<2xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [0], operand_index = 0, operand_tuple_indices = []>, #stablehlo.output_operand_alias<output_tuple_indices = [1], operand_index = 1, operand_tuple_indices = []>, #stablehlo.output_operand_alias<output_tuple_indices = [2], operand_index = 2, operand_tuple_indices = []>, #stablehlo.output_operand_alias<output_tuple_indices = [3], operand_index = 3, operand_tuple_indices = []>], result_layouts = [dense<0> : tensor<1xindex>, dense<0> : tensor<1xindex>, dense<0> : tensor<1xindex>, dense<[0, 1]> : tensor<2xindex>, dense<> : tensor<0xindex>]} : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4x3xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4x3xf32>, tensor<i32>)
    %97 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<i32>
    %98 = stablehlo.compare EQ, %96#4, %97, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %99 = stablehlo.broadcast_in_dim %98, dims = [] : (tensor<i1>) -> tensor<1x1xi1>
    %100 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<4x3xf32>
    %101 = stablehlo.broadcast_in_dim %99, dims = [0, 1] : (tensor<1x1xi1>) -> tensor<4x3xi1>
    %102 = stablehlo.select %101, %96#3, %100 : tensor<4x3xi1>, tensor<4x3xf32>
    %103 = stablehlo.slice %0 [1:4] : (tensor<4xf32>) -> tensor<3xf32>
    %104:2 = call @eigh_tridiagonal(%0, %103) : (tensor<4xf32>, tensor<3xf32>) -> (tensor<4xf32>, tensor<4x4xf32>)
    %105 = stablehlo.slice %0 [0:3] : (tensor<4xf32>) -> tensor<3xf32>
    %106 = stablehlo.custom_call @lapack_sormqr_ffi(%arg2, %105, %arg2) {mhlo.backend_config = {left = true, transpose = true}, mhlo.frontend_attributes = {num_batch_dims = "0"}, operand_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<0> : tensor<1xindex>, dense<[0, 1]> : tensor<2xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 2, operand_tuple_indices = []>], result_layouts = [dense<[0, 1]> : tensor<2xindex>]} : (tensor<4x3xf32>, tensor<3xf32>, tensor<4x3xf32>) -> tensor<4x3xf32>
    %107 = stablehlo.slice %arg1 [0:1, 0:3] : (tensor<3x3xcomplex<f32>>) -> tensor<1x3xcomplex<f32>>
    %108 = stablehlo.reshape %107 : (tensor<1x3xcomplex<f32>>) -> tensor<3xcomplex<f32>>
    %109 = stablehlo.custom_call @lapack_cunmqr_ffi(%arg1, %108, %arg1) {mhlo.backend_config = {left = false, transpose = false}, mhlo.frontend_attributes = {num_batch_dims = "0"}, operand_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<0> : tensor<1xindex>, dense<[0, 1]> : tensor<2xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 2, operand_tuple_indices = []>], result_layouts = [dense<[0, 1]> : tensor<2xindex>]} : (tensor<3x3xcomplex<f32>>, tensor<3xcomplex<f32>>, tensor<3x3xcomplex<f32>>) -> tensor<3x3xcomplex<f32>>
    %110 = stablehlo.broadcast_in_dim %arg0, dims = [1, 2] : (tensor<4x4xf32>) -> tensor<1x4x4xf32>
    %111 = stablehlo.broadcast_in_dim %arg0, dims = [1, 2] : (tensor<4x4xf32>) -> tensor<1x4x4xf32>
    %112 = stablehlo.concatenate %110, %111, dim = 0 : (tensor<1x4x4xf32>, tensor<1x4x4xf32>) -> tensor<2x4x4xf32>
    %113:2 = call @qr_18(%112) : (tensor<2x4x4xf32>) -> (tensor<2x4x4xf32>, tensor<2x4x4xf32>)
    %114 = stablehlo.broadcast_in_dim %arg1, dims = [1, 2] : (tensor<3x3xcomplex<f32>>) -> tensor<1x3x3xcomplex<f32>>
    %115 = stablehlo.broadcast_in_dim %arg1, dims = [1, 2] : (tensor<3x3xcomplex<f32>>) -> tensor<1x3x3xcomplex<f32>>
    %116 = stablehlo.concatenate %114, %115, dim = 0 : (tensor<1x3x3xcomplex<f32>>, tensor<1x3x3xcomplex<f32>>) -> tensor<2x3x3xcomplex<f32>>
    %117:2 = call @slogdet(%116) : (tensor<2x3x3xcomplex<f32>>) -> (tensor<2xcomplex<f32>>, tensor<2xf32>)
    return %113#0, %113#1, %117#0, %117#1, %16, %12, %20, %53, %30, %34, %41, %45, %49, %21#0, %21#1, %22#0, %22#1, %104#0, %104#1, %52#0, %52#1, %106, %109, %2#0, %2#1, %2#2, %1#0, %1#1, %50#0, %50#1, %51#0, %51#1, %54, %55, %3#0, %3#1, %3#2, %4#0, %4#1, %4#2, %5, %62, %66, %70, %74, %81, %85, %89, %93, %102 : tensor<2x4x4xf32>, tensor<2x4x4xf32>, tensor<2xcomplex<f32>>, tensor<2xf32>, tensor<4x4xf32>, tensor<3xf32>, tensor<3x3xf32>, tensor<4x4xf32>, tensor<4xcomplex<f32>>, tensor<4x4xcomplex<f32>>, tensor<3xcomplex<f32>>, tensor<3x3xcomplex<f32>>, tensor<3x3xcomplex<f32>>, tensor<4xf32>, tensor<4x4xf32>, tensor<3xf32>, tensor<3x3xcomplex<f32>>, tensor<4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x3xf32>, tensor<3x3xcomplex<f32>>, tensor<3x3xcomplex<f32>>, tensor<3x3xcomplex<f32>>, tensor<3xi32>, tensor<4x3xf32>, tensor<3x3xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<3x3xcomplex<f32>>, tensor<3x3xcomplex<f32>>, tensor<4x3xf32>, tensor<3x3xcomplex<f32>>, tensor<4x4xf32>, tensor<3xf32>, tensor<3x3xf32>, tensor<3x3xcomplex<f32>>, tensor<3xf32>, tensor<3x3xcomplex<f32>>, tensor<3xf32>, tensor<4x4xf32>, tensor<4xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3x3xcomplex<f32>>, tensor<3xf32>, tensor<2xf32>, tensor<2xcomplex<f32>>, tensor<4x3xf32>
  }
  func.func private @diagonal(%arg0: tensor<4x4xf32>) -> tensor<4xf32> {
    %c = stablehlo.constant dense<4> : tensor<i32>
    %c_0 = stablehlo.constant dense<1> : tensor<i32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %0 = "stablehlo.case"(%c_0) ({
      stablehlo.return %c_1 : tensor<i32>
    }, {
      stablehlo.return %c_1 : tensor<i32>
    }) : (tensor<i32>) -> tensor<i32>
    %1 = "stablehlo.case"(%0) ({
      %2 = stablehlo.iota dim = 0 : tensor<4xi32>
      %3 = stablehlo.iota dim = 0 : tensor<4xi32>
      %4 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<i32>) -> tensor<4xi32>
      %5 = stablehlo.compare LT, %2, %4, SIGNED : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi1>
      %6 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<4xi32>
      %7 = stablehlo.add %2, %6 : tensor<4xi32>
      %8 = stablehlo.select %5, %7, %2 : tensor<4xi1>, tensor<4xi32>
      %9 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<i32>) -> tensor<4xi32>
      %10 = stablehlo.compare LT, %3, %9, SIGNED : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi1>
      %11 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<4xi32>
      %12 = stablehlo.add %3, %11 : tensor<4xi32>
      %13 = stablehlo.select %10, %12, %3 : tensor<4xi1>, tensor<4xi32>
      %14 = stablehlo.broadcast_in_dim %8, dims = [0] : (tensor<4xi32>) -> tensor<4x1xi32>
      %15 = stablehlo.broadcast_in_dim %13, dims = [0] : (tensor<4xi32>) -> tensor<4x1xi32>
      %16 = stablehlo.concatenate %14, %15, dim = 1 : (tensor<4x1xi32>, tensor<4x1xi32>) -> tensor<4x2xi32>
      %17 = "stablehlo.gather"(%arg0, %16) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0, 1], start_index_map = [0, 1], index_vector_dim = 1>, slice_sizes = array<i64: 1, 1>}> : (tensor<4x4xf32>, tensor<4x2xi32>) -> tensor<4xf32>
      stablehlo.return %17 : tensor<4xf32>
    }) : (tensor<i32>) -> tensor<4xf32>
    return %1 : tensor<4xf32>
  }
  func.func private @qr(%arg0: tensor<4x3xf32>) -> (tensor<4x3xf32>, tensor<3x3xf32>) {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %c = stablehlo.constant dense<-1> : tensor<i32>
    %0:2 = stablehlo.custom_call @lapack_sgeqrf_ffi(%arg0) {mhlo.backend_config = {}, mhlo.frontend_attributes = {num_batch_dims = "0"}, operand_layouts = [dense<[0, 1]> : tensor<2xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [0], operand_index = 0, operand_tuple_indices = []>], result_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<0> : tensor<1xindex>]} : (tensor<4x3xf32>) -> (tensor<4x3xf32>, tensor<3xf32>)
    %1 = stablehlo.custom_call @lapack_sorgqr_ffi(%0#0, %0#1) {mhlo.backend_config = {}, mhlo.frontend_attributes = {num_batch_dims = "0"}, operand_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<0> : tensor<1xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 0, operand_tuple_indices = []>], result_layouts = [dense<[0, 1]> : tensor<2xindex>]} : (tensor<4x3xf32>, tensor<3xf32>) -> tensor<4x3xf32>
    %2 = stablehlo.slice %0#0 [0:3, 0:3] : (tensor<4x3xf32>) -> tensor<3x3xf32>
    %3 = stablehlo.iota dim = 0 : tensor<3x3xi32>
    %4 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<3x3xi32>
    %5 = stablehlo.add %3, %4 : tensor<3x3xi32>
    %6 = stablehlo.iota dim = 1 : tensor<3x3xi32>
    %7 = stablehlo.compare GE, %5, %6, SIGNED : (tensor<3x3xi32>, tensor<3x3xi32>) -> tensor<3x3xi1>
    %8 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<3x3xf32>
    %9 = stablehlo.select %7, %8, %2 : tensor<3x3xi1>, tensor<3x3xf32>
    return %1, %9 : tensor<4x3xf32>, tensor<3x3xf32>
  }
  func.func private @_qr(%arg0: tensor<3x3xcomplex<f32>>) -> (tensor<3x3xcomplex<f32>>, tensor<3x3xcomplex<f32>>, tensor<3xi32>) {
    %c = stablehlo.constant dense<-1> : tensor<i32>
    %cst = stablehlo.constant dense<(0.000000e+00,0.000000e+00)> : tensor<complex<f32>>
    %c_0 = stablehlo.constant dense<1> : tensor<i32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<i32>) -> tensor<3xi32>
    %1:3 = stablehlo.custom_call @lapack_cgeqp3_ffi(%arg0, %0) {mhlo.backend_config = {}, mhlo.frontend_attributes = {num_batch_dims = "0"}, operand_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<0> : tensor<1xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [0], operand_index = 0, operand_tuple_indices = []>, #stablehlo.output_operand_alias<output_tuple_indices = [1], operand_index = 1, operand_tuple_indices = []>], result_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<0> : tensor<1xindex>, dense<0> : tensor<1xindex>]} : (tensor<3x3xcomplex<f32>>, tensor<3xi32>) -> (tensor<3x3xcomplex<f32>>, tensor<3xi32>, tensor<3xcomplex<f32>>)
    %2 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<3xi32>
    %3 = stablehlo.subtract %1#1, %2 : tensor<3xi32>
    %4 = stablehlo.pad %1#0, %cst, low = [0, 0], high = [0, 0], interior = [0, 0] : (tensor<3x3xcomplex<f32>>, tensor<complex<f32>>) -> tensor<3x3xcomplex<f32>>
    %5 = stablehlo.custom_call @lapack_cungqr_ffi(%4, %1#2) {mhlo.backend_config = {}, mhlo.frontend_attributes = {num_batch_dims = "0"}, operand_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<0> : tensor<1xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 0, operand_tuple_indices = []>], result_layouts = [dense<[0, 1]> : tensor<2xindex>]} : (tensor<3x3xcomplex<f32>>, tensor<3xcomplex<f32>>) -> tensor<3x3xcomplex<f32>>
    %6 = stablehlo.iota dim = 0 : tensor<3x3xi32>
    %7 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<3x3xi32>
    %8 = stablehlo.add %6, %7 : tensor<3x3xi32>
    %9 = stablehlo.iota dim = 1 : tensor<3x3xi32>
    %10 = stablehlo.compare GE, %8, %9, SIGNED : (tensor<3x3xi32>, tensor<3x3xi32>) -> tensor<3x3xi1>
    %11 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<complex<f32>>) -> tensor<3x3xcomplex<f32>>
    %12 = stablehlo.select %10, %11, %1#0 : tensor<3x3xi1>, tensor<3x3xcomplex<f32>>
    return %5, %12, %3 : tensor<3x3xcomplex<f32>>, tensor<3x3xcomplex<f32>>, tensor<3xi32>
  }
  func.func private @svd(%arg0: tensor<4x3xf32>) -> (tensor<4x4xf32>, tensor<3xf32>, tensor<3x3xf32>) {
    %cst = stablehlo.constant dense<0x7FC00000> : tensor<f32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0:5 = stablehlo.custom_call @lapack_sgesdd_ffi(%arg0) {mhlo.backend_config = {mode = 65 : ui8}, mhlo.frontend_attributes = {num_batch_dims = "0"}, operand_layouts = [dense<[0, 1]> : tensor<2xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [0], operand_index = 0, operand_tuple_indices = []>], result_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<0> : tensor<1xindex>, dense<[0, 1]> : tensor<2xindex>, dense<[0, 1]> : tensor<2xindex>, dense<> : tensor<0xindex>]} : (tensor<4x3xf32>) -> (tensor<4x3xf32>, tensor<3xf32>, tensor<4x4xf32>, tensor<3x3xf32>, tensor<i32>)
    %1 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<i32>
    %2 = stablehlo.compare EQ, %0#4, %1, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %3 = stablehlo.broadcast_in_dim %2, dims = [] : (tensor<i1>) -> tensor<1xi1>
    %4 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %5 = stablehlo.broadcast_in_dim %3, dims = [0] : (tensor<1xi1>) -> tensor<3xi1>
    %6 = stablehlo.select %5, %0#1, %4 : tensor<3xi1>, tensor<3xf32>
    %7 = stablehlo.broadcast_in_dim %2, dims = [] : (tensor<i1>) -> tensor<1x1xi1>
    %8 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<4x4xf32>
    %9 = stablehlo.broadcast_in_dim %7, dims = [0, 1] : (tensor<1x1xi1>) -> tensor<4x4xi1>
    %10 = stablehlo.select %9, %0#2, %8 : tensor<4x4xi1>, tensor<4x4xf32>
    %11 = stablehlo.broadcast_in_dim %2, dims = [] : (tensor<i1>) -> tensor<1x1xi1>
    %12 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<3x3xf32>
    %13 = stablehlo.broadcast_in_dim %11, dims = [0, 1] : (tensor<1x1xi1>) -> tensor<3x3xi1>
    %14 = stablehlo.select %13, %0#3, %12 : tensor<3x3xi1>, tensor<3x3xf32>
    return %10, %6, %14 : tensor<4x4xf32>, tensor<3xf32>, tensor<3x3xf32>
  }
  func.func private @svd_0(%arg0: tensor<3x3xcomplex<f32>>) -> (tensor<3x3xcomplex<f32>>, tensor<3xf32>, tensor<3x3xcomplex<f32>>) {
    %cst = stablehlo.constant dense<(0x7FC00000,0x7FC00000)> : tensor<complex<f32>>
    %cst_0 = stablehlo.constant dense<0x7FC00000> : tensor<f32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0:5 = stablehlo.custom_call @lapack_cgesdd_ffi(%arg0) {mhlo.backend_config = {mode = 83 : ui8}, mhlo.frontend_attributes = {num_batch_dims = "0"}, operand_layouts = [dense<[0, 1]> : tensor<2xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [0], operand_index = 0, operand_tuple_indices = []>], result_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<0> : tensor<1xindex>, dense<[0, 1]> : tensor<2xindex>, dense<[0, 1]> : tensor<2xindex>, dense<> : tensor<0xindex>]} : (tensor<3x3xcomplex<f32>>) -> (tensor<3x3xcomplex<f32>>, tensor<3xf32>, tensor<3x3xcomplex<f32>>, tensor<3x3xcomplex<f32>>, tensor<i32>)
    %1 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<i32>
    %2 = stablehlo.compare EQ, %0#4, %1, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %3 = stablehlo.broadcast_in_dim %2, dims = [] : (tensor<i1>) -> tensor<1xi1>
    %4 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %5 = stablehlo.broadcast_in_dim %3, dims = [0] : (tensor<1xi1>) -> tensor<3xi1>
    %6 = stablehlo.select %5, %0#1, %4 : tensor<3xi1>, tensor<3xf32>
    %7 = stablehlo.broadcast_in_dim %2, dims = [] : (tensor<i1>) -> tensor<1x1xi1>
    %8 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<complex<f32>>) -> tensor<3x3xcomplex<f32>>
    %9 = stablehlo.broadcast_in_dim %7, dims = [0, 1] : (tensor<1x1xi1>) -> tensor<3x3xi1>
    %10 = stablehlo.select %9, %0#2, %8 : tensor<3x3xi1>, tensor<3x3xcomplex<f32>>
    %11 = stablehlo.broadcast_in_dim %2, dims = [] : (tensor<i1>) -> tensor<1x1xi1>
    %12 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<complex<f32>>) -> tensor<3x3xcomplex<f32>>
    %13 = stablehlo.broadcast_in_dim %11, dims = [0, 1] : (tensor<1x1xi1>) -> tensor<3x3xi1>
    %14 = stablehlo.select %13, %0#3, %12 : tensor<3x3xi1>, tensor<3x3xcomplex<f32>>
    return %10, %6, %14 : tensor<3x3xcomplex<f32>>, tensor<3xf32>, tensor<3x3xcomplex<f32>>
  }
  func.func private @svd_1(%arg0: tensor<4x3xf32>) -> tensor<3xf32> {
    %cst = stablehlo.constant dense<0x7FC00000> : tensor<f32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0:5 = stablehlo.custom_call @lapack_sgesdd_ffi(%arg0) {mhlo.backend_config = {mode = 78 : ui8}, mhlo.frontend_attributes = {num_batch_dims = "0"}, operand_layouts = [dense<[0, 1]> : tensor<2xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [0], operand_index = 0, operand_tuple_indices = []>], result_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<0> : tensor<1xindex>, dense<[0, 1]> : tensor<2xindex>, dense<[0, 1]> : tensor<2xindex>, dense<> : tensor<0xindex>]} : (tensor<4x3xf32>) -> (tensor<4x3xf32>, tensor<3xf32>, tensor<4x4xf32>, tensor<3x3xf32>, tensor<i32>)
    %1 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<i32>
    %2 = stablehlo.compare EQ, %0#4, %1, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %3 = stablehlo.broadcast_in_dim %2, dims = [] : (tensor<i1>) -> tensor<1xi1>
    %4 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %5 = stablehlo.broadcast_in_dim %3, dims = [0] : (tensor<1xi1>) -> tensor<3xi1>
    %6 = stablehlo.select %5, %0#1, %4 : tensor<3xi1>, tensor<3xf32>
    return %6 : tensor<3xf32>
  }
  func.func private @eigh(%arg0: tensor<4x4xf32>) -> (tensor<4xf32>, tensor<4x4xf32>) {
    %cst = stablehlo.constant dense<0x7FC00000> : tensor<f32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %cst_0 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %0 = stablehlo.transpose %arg0, dims = [1, 0] : (tensor<4x4xf32>) -> tensor<4x4xf32>
    %1 = stablehlo.add %arg0, %0 : tensor<4x4xf32>
    %2 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<4x4xf32>
    %3 = stablehlo.divide %1, %2 : tensor<4x4xf32>
    %4:3 = stablehlo.custom_call @lapack_ssyevd_ffi(%3) {mhlo.backend_config = {mode = 86 : ui8, uplo = 85 : ui8}, mhlo.frontend_attributes = {num_batch_dims = "0"}, operand_layouts = [dense<[0, 1]> : tensor<2xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [0], operand_index = 0, operand_tuple_indices = []>], result_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<0> : tensor<1xindex>, dense<> : tensor<0xindex>]} : (tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<4xf32>, tensor<i32>)
    %5 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<i32>
    %6 = stablehlo.compare EQ, %4#2, %5, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %7 = stablehlo.broadcast_in_dim %6, dims = [] : (tensor<i1>) -> tensor<1x1xi1>
    %8 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<4x4xf32>
    %9 = stablehlo.broadcast_in_dim %7, dims = [0, 1] : (tensor<1x1xi1>) -> tensor<4x4xi1>
    %10 = stablehlo.select %9, %4#0, %8 : tensor<4x4xi1>, tensor<4x4xf32>
    %11 = stablehlo.broadcast_in_dim %6, dims = [] : (tensor<i1>) -> tensor<1xi1>
    %12 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %13 = stablehlo.broadcast_in_dim %11, dims = [0] : (tensor<1xi1>) -> tensor<4xi1>
    %14 = stablehlo.select %13, %4#1, %12 : tensor<4xi1>, tensor<4xf32>
    return %14, %10 : tensor<4xf32>, tensor<4x4xf32>
  }
  func.func private @eigh_2(%arg0: tensor<3x3xcomplex<f32>>) -> (tensor<3xf32>, tensor<3x3xcomplex<f32>>) {
    %cst = stablehlo.constant dense<0x7FC00000> : tensor<f32>
    %cst_0 = stablehlo.constant dense<(0x7FC00000,0x7FC00000)> : tensor<complex<f32>>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %cst_1 = stablehlo.constant dense<(2.000000e+00,0.000000e+00)> : tensor<complex<f32>>
    %0 = stablehlo.transpose %arg0, dims = [1, 0] : (tensor<3x3xcomplex<f32>>) -> tensor<3x3xcomplex<f32>>
    %1 = stablehlo.real %0 : (tensor<3x3xcomplex<f32>>) -> tensor<3x3xf32>
    %2 = stablehlo.imag %0 : (tensor<3x3xcomplex<f32>>) -> tensor<3x3xf32>
    %3 = stablehlo.negate %2 : tensor<3x3xf32>
    %4 = stablehlo.complex %1, %3 : tensor<3x3xcomplex<f32>>
    %5 = stablehlo.add %arg0, %4 : tensor<3x3xcomplex<f32>>
    %6 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<complex<f32>>) -> tensor<3x3xcomplex<f32>>
    %7 = stablehlo.divide %5, %6 : tensor<3x3xcomplex<f32>>
    %8:3 = stablehlo.custom_call @lapack_cheevd_ffi(%7) {mhlo.backend_config = {mode = 86 : ui8, uplo = 76 : ui8}, mhlo.frontend_attributes = {num_batch_dims = "0"}, operand_layouts = [dense<[0, 1]> : tensor<2xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [0], operand_index = 0, operand_tuple_indices = []>], result_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<0> : tensor<1xindex>, dense<> : tensor<0xindex>]} : (tensor<3x3xcomplex<f32>>) -> (tensor<3x3xcomplex<f32>>, tensor<3xf32>, tensor<i32>)
    %9 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<i32>
    %10 = stablehlo.compare EQ, %8#2, %9, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %11 = stablehlo.broadcast_in_dim %10, dims = [] : (tensor<i1>) -> tensor<1x1xi1>
    %12 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<complex<f32>>) -> tensor<3x3xcomplex<f32>>
    %13 = stablehlo.broadcast_in_dim %11, dims = [0, 1] : (tensor<1x1xi1>) -> tensor<3x3xi1>
    %14 = stablehlo.select %13, %8#0, %12 : tensor<3x3xi1>, tensor<3x3xcomplex<f32>>
    %15 = stablehlo.broadcast_in_dim %10, dims = [] : (tensor<i1>) -> tensor<1xi1>
    %16 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %17 = stablehlo.broadcast_in_dim %15, dims = [0] : (tensor<1xi1>) -> tensor<3xi1>
    %18 = stablehlo.select %17, %8#1, %16 : tensor<3xi1>, tensor<3xf32>
    return %18, %14 : tensor<3xf32>, tensor<3x3xcomplex<f32>>
  }
  func.func private @_schur(%arg0: tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<4x4xf32>) {
    %cst = stablehlo.constant dense<0x7FC00000> : tensor<f32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0:6 = stablehlo.custom_call @lapack_sgees_ffi(%arg0) {mhlo.backend_config = {mode = 86 : ui8, sort = 78 : ui8}, mhlo.frontend_attributes = {num_batch_dims = "0"}, operand_layouts = [dense<[0, 1]> : tensor<2xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [0], operand_index = 0, operand_tuple_indices = []>], result_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<[0, 1]> : tensor<2xindex>, dense<0> : tensor<1xindex>, dense<0> : tensor<1xindex>, dense<> : tensor<0xindex>, dense<> : tensor<0xindex>]} : (tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<4x4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<i32>, tensor<i32>)
    %1 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<i32>
    %2 = stablehlo.compare EQ, %0#5, %1, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %3 = stablehlo.broadcast_in_dim %2, dims = [] : (tensor<i1>) -> tensor<1x1xi1>
    %4 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<4x4xf32>
    %5 = stablehlo.broadcast_in_dim %3, dims = [0, 1] : (tensor<1x1xi1>) -> tensor<4x4xi1>
    %6 = stablehlo.select %5, %0#0, %4 : tensor<4x4xi1>, tensor<4x4xf32>
    %7 = stablehlo.broadcast_in_dim %2, dims = [] : (tensor<i1>) -> tensor<1x1xi1>
    %8 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<4x4xf32>
    %9 = stablehlo.broadcast_in_dim %7, dims = [0, 1] : (tensor<1x1xi1>) -> tensor<4x4xi1>
    %10 = stablehlo.select %9, %0#1, %8 : tensor<4x4xi1>, tensor<4x4xf32>
    return %6, %10 : tensor<4x4xf32>, tensor<4x4xf32>
  }
  func.func private @_schur_3(%arg0: tensor<3x3xcomplex<f32>>) -> (tensor<3x3xcomplex<f32>>, tensor<3x3xcomplex<f32>>) {
    %cst = stablehlo.constant dense<(0x7FC00000,0x7FC00000)> : tensor<complex<f32>>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0:5 = stablehlo.custom_call @lapack_cgees_ffi(%arg0) {mhlo.backend_config = {mode = 86 : ui8, sort = 78 : ui8}, mhlo.frontend_attributes = {num_batch_dims = "0"}, operand_layouts = [dense<[0, 1]> : tensor<2xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [0], operand_index = 0, operand_tuple_indices = []>], result_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<[0, 1]> : tensor<2xindex>, dense<0> : tensor<1xindex>, dense<> : tensor<0xindex>, dense<> : tensor<0xindex>]} : (tensor<3x3xcomplex<f32>>) -> (tensor<3x3xcomplex<f32>>, tensor<3x3xcomplex<f32>>, tensor<3xcomplex<f32>>, tensor<i32>, tensor<i32>)
    %1 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<i32>
    %2 = stablehlo.compare EQ, %0#4, %1, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %3 = stablehlo.broadcast_in_dim %2, dims = [] : (tensor<i1>) -> tensor<1x1xi1>
    %4 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<complex<f32>>) -> tensor<3x3xcomplex<f32>>
    %5 = stablehlo.broadcast_in_dim %3, dims = [0, 1] : (tensor<1x1xi1>) -> tensor<3x3xi1>
    %6 = stablehlo.select %5, %0#0, %4 : tensor<3x3xi1>, tensor<3x3xcomplex<f32>>
    %7 = stablehlo.broadcast_in_dim %2, dims = [] : (tensor<i1>) -> tensor<1x1xi1>
    %8 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<complex<f32>>) -> tensor<3x3xcomplex<f32>>
    %9 = stablehlo.broadcast_in_dim %7, dims = [0, 1] : (tensor<1x1xi1>) -> tensor<3x3xi1>
    %10 = stablehlo.select %9, %0#1, %8 : tensor<3x3xi1>, tensor<3x3xcomplex<f32>>
    return %6, %10 : tensor<3x3xcomplex<f32>>, tensor<3x3xcomplex<f32>>
  }
  func.func private @hessenberg(%arg0: tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<4x4xf32>) {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %cst_0 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %cst_1 = stablehlo.constant dense<0x7FC00000> : tensor<f32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0:3 = stablehlo.custom_call @lapack_sgehrd_ffi(%arg0) {mhlo.backend_config = {high = 4 : i32, low = 1 : i32}, mhlo.frontend_attributes = {num_batch_dims = "0"}, operand_layouts = [dense<[0, 1]> : tensor<2xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [0], operand_index = 0, operand_tuple_indices = []>], result_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<0> : tensor<1xindex>, dense<> : tensor<0xindex>]} : (tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<3xf32>, tensor<i32>)
    %1 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<i32>
    %2 = stablehlo.compare EQ, %0#2, %1, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %3 = stablehlo.broadcast_in_dim %2, dims = [] : (tensor<i1>) -> tensor<1x1xi1>
    %4 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<4x4xf32>
    %5 = stablehlo.broadcast_in_dim %3, dims = [0, 1] : (tensor<1x1xi1>) -> tensor<4x4xi1>
    %6 = stablehlo.select %5, %0#0, %4 : tensor<4x4xi1>, tensor<4x4xf32>
    %7 = stablehlo.broadcast_in_dim %2, dims = [] : (tensor<i1>) -> tensor<1xi1>
    %8 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %9 = stablehlo.broadcast_in_dim %7, dims = [0] : (tensor<1xi1>) -> tensor<3xi1>
    %10 = stablehlo.select %9, %0#1, %8 : tensor<3xi1>, tensor<3xf32>
    %11 = call @triu(%6) : (tensor<4x4xf32>) -> tensor<4x4xf32>
    %12 = stablehlo.slice %6 [1:4, 0:3] : (tensor<4x4xf32>) -> tensor<3x3xf32>
    %13 = stablehlo.custom_call @lapack_sorgqr_ffi(%12, %10) {mhlo.backend_config = {}, mhlo.frontend_attributes = {num_batch_dims = "0"}, operand_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<0> : tensor<1xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 0, operand_tuple_indices = []>], result_layouts = [dense<[0, 1]> : tensor<2xindex>]} : (tensor<3x3xf32>, tensor<3xf32>) -> tensor<3x3xf32>
    %14 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<1x1xf32>
    %15 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<1x3xf32>
    %16 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<3x1xf32>
    %17 = call @block(%14, %15, %16, %13) : (tensor<1x1xf32>, tensor<1x3xf32>, tensor<3x1xf32>, tensor<3x3xf32>) -> tensor<4x4xf32>
    return %11, %17 : tensor<4x4xf32>, tensor<4x4xf32>
  }
  func.func private @triu(%arg0: tensor<4x4xf32>) -> tensor<4x4xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %c = stablehlo.constant dense<-2> : tensor<i32>
    %0 = stablehlo.iota dim = 0 : tensor<4x4xi32>
    %1 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<4x4xi32>
    %2 = stablehlo.add %0, %1 : tensor<4x4xi32>
    %3 = stablehlo.iota dim = 1 : tensor<4x4xi32>
    %4 = stablehlo.compare GE, %2, %3, SIGNED : (tensor<4x4xi32>, tensor<4x4xi32>) -> tensor<4x4xi1>
    %5 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<4x4xf32>
    %6 = stablehlo.select %4, %5, %arg0 : tensor<4x4xi1>, tensor<4x4xf32>
    return %6 : tensor<4x4xf32>
  }
  func.func private @block(%arg0: tensor<1x1xf32>, %arg1: tensor<1x3xf32>, %arg2: tensor<3x1xf32>, %arg3: tensor<3x3xf32>) -> tensor<4x4xf32> {
    %0 = stablehlo.concatenate %arg0, %arg1, dim = 1 : (tensor<1x1xf32>, tensor<1x3xf32>) -> tensor<1x4xf32>
    %1 = stablehlo.concatenate %arg2, %arg3, dim = 1 : (tensor<3x1xf32>, tensor<3x3xf32>) -> tensor<3x4xf32>
    %2 = stablehlo.concatenate %0, %1, dim = 0 : (tensor<1x4xf32>, tensor<3x4xf32>) -> tensor<4x4xf32>
    return %2 : tensor<4x4xf32>
  }
  func.func private @cholesky(%arg0: tensor<4x4xf32>) -> tensor<4x4xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %cst_0 = stablehlo.constant dense<0x7FC00000> : tensor<f32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %cst_1 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %0 = stablehlo.transpose %arg0, dims = [1, 0] : (tensor<4x4xf32>) -> tensor<4x4xf32>
    %1 = stablehlo.add %arg0, %0 : tensor<4x4xf32>
    %2 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<4x4xf32>
    %3 = stablehlo.divide %1, %2 : tensor<4x4xf32>
    %4:2 = stablehlo.custom_call @lapack_spotrf_ffi(%3) {mhlo.backend_config = {uplo = 76 : ui8}, mhlo.frontend_attributes = {num_batch_dims = "0"}, operand_layouts = [dense<[0, 1]> : tensor<2xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [0], operand_index = 0, operand_tuple_indices = []>], result_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<> : tensor<0xindex>]} : (tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<i32>)
    %5 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<i32>
    %6 = stablehlo.compare EQ, %4#1, %5, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %7 = stablehlo.broadcast_in_dim %6, dims = [] : (tensor<i1>) -> tensor<1x1xi1>
    %8 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<4x4xf32>
    %9 = stablehlo.broadcast_in_dim %7, dims = [0, 1] : (tensor<1x1xi1>) -> tensor<4x4xi1>
    %10 = stablehlo.select %9, %4#0, %8 : tensor<4x4xi1>, tensor<4x4xf32>
    %11 = stablehlo.iota dim = 0 : tensor<4x4xi32>
    %12 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<4x4xi32>
    %13 = stablehlo.add %11, %12 : tensor<4x4xi32>
    %14 = stablehlo.iota dim = 1 : tensor<4x4xi32>
    %15 = stablehlo.compare GE, %13, %14, SIGNED : (tensor<4x4xi32>, tensor<4x4xi32>) -> tensor<4x4xi1>
    %16 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<4x4xf32>
    %17 = stablehlo.select %15, %10, %16 : tensor<4x4xi1>, tensor<4x4xf32>
    return %17 : tensor<4x4xf32>
  }
  func.func private @solve(%arg0: tensor<4x4xf32>, %arg1: tensor<4x3xf32>) -> tensor<4x3xf32> {
    %c = stablehlo.constant dense<4> : tensor<i32>
    %cst = stablehlo.constant dense<0x7FC00000> : tensor<f32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %c_1 = stablehlo.constant dense<1> : tensor<i32>
    %0:3 = stablehlo.custom_call @lapack_sgetrf_ffi(%arg0) {mhlo.backend_config = {}, mhlo.frontend_attributes = {num_batch_dims = "0"}, operand_layouts = [dense<[0, 1]> : tensor<2xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [0], operand_index = 0, operand_tuple_indices = []>], result_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<0> : tensor<1xindex>, dense<> : tensor<0xindex>]} : (tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<4xi32>, tensor<i32>)
    %1 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<i32>) -> tensor<4xi32>
    %2 = stablehlo.subtract %0#1, %1 : tensor<4xi32>
    %3 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<i32>
    %4 = stablehlo.compare GE, %0#2, %3, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %5 = stablehlo.broadcast_in_dim %4, dims = [] : (tensor<i1>) -> tensor<1x1xi1>
    %6 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<4x4xf32>
    %7 = stablehlo.broadcast_in_dim %5, dims = [0, 1] : (tensor<1x1xi1>) -> tensor<4x4xi1>
    %8 = stablehlo.select %7, %0#0, %6 : tensor<4x4xi1>, tensor<4x4xf32>
    %9 = stablehlo.iota dim = 0 : tensor<4xi32>
    %10:4 = stablehlo.while(%iterArg = %2, %iterArg_2 = %c_0, %iterArg_3 = %c_0, %iterArg_4 = %9) : tensor<4xi32>, tensor<i32>, tensor<i32>, tensor<4xi32>
    cond {
      %14 = stablehlo.compare LT, %iterArg_2, %c, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %14 : tensor<i1>
    } do {
      %14:2 = func.call @closed_call(%iterArg, %iterArg_3, %iterArg_4) : (tensor<4xi32>, tensor<i32>, tensor<4xi32>) -> (tensor<i32>, tensor<4xi32>)
      %15 = stablehlo.add %iterArg_2, %c_1 : tensor<i32>
      stablehlo.return %iterArg, %15, %14#0, %14#1 : tensor<4xi32>, tensor<i32>, tensor<i32>, tensor<4xi32>
    }
    %11 = stablehlo.transpose %arg1, dims = [1, 0] : (tensor<4x3xf32>) -> tensor<3x4xf32>
    %12 = call @_lu_solve(%8, %10#3, %11) : (tensor<4x4xf32>, tensor<4xi32>, tensor<3x4xf32>) -> tensor<3x4xf32>
    %13 = stablehlo.transpose %12, dims = [1, 0] : (tensor<3x4xf32>) -> tensor<4x3xf32>
    return %13 : tensor<4x3xf32>
  }
  func.func private @closed_call(%arg0: tensor<4xi32>, %arg1: tensor<i32>, %arg2: tensor<4xi32>) -> (tensor<i32>, tensor<4xi32>) {
    %c = stablehlo.constant dense<4> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %c_1 = stablehlo.constant dense<1> : tensor<i32>
    %0 = stablehlo.add %arg1, %c_1 : tensor<i32>
    %1 = stablehlo.compare LT, %arg1, %c_0, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %2 = stablehlo.convert %arg1 : tensor<i32>
    %3 = stablehlo.add %2, %c : tensor<i32>
    %4 = stablehlo.select %1, %3, %arg1 : tensor<i1>, tensor<i32>
    %5 = stablehlo.dynamic_slice %arg0, %4, sizes = [1] : (tensor<4xi32>, tensor<i32>) -> tensor<1xi32>
    %6 = stablehlo.reshape %5 : (tensor<1xi32>) -> tensor<i32>
    %7 = stablehlo.compare LT, %arg1, %c_0, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %8 = stablehlo.convert %arg1 : tensor<i32>
    %9 = stablehlo.add %8, %c : tensor<i32>
    %10 = stablehlo.select %7, %9, %arg1 : tensor<i1>, tensor<i32>
    %11 = stablehlo.dynamic_slice %arg2, %10, sizes = [1] : (tensor<4xi32>, tensor<i32>) -> tensor<1xi32>
    %12 = stablehlo.reshape %11 : (tensor<1xi32>) -> tensor<i32>
    %13 = stablehlo.compare LT, %6, %c_0, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %14 = stablehlo.add %6, %c : tensor<i32>
    %15 = stablehlo.select %13, %14, %6 : tensor<i1>, tensor<i32>
    %16 = stablehlo.dynamic_slice %arg2, %15, sizes = [1] : (tensor<4xi32>, tensor<i32>) -> tensor<1xi32>
    %17 = stablehlo.reshape %16 : (tensor<1xi32>) -> tensor<i32>
    %18 = stablehlo.compare LT, %arg1, %c_0, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %19 = stablehlo.add %arg1, %c : tensor<i32>
    %20 = stablehlo.select %18, %19, %arg1 : tensor<i1>, tensor<i32>
    %21 = stablehlo.convert %20 : tensor<i32>
    %22 = stablehlo.broadcast_in_dim %21, dims = [] : (tensor<i32>) -> tensor<1xi32>
    %23 = "stablehlo.scatter"(%arg2, %22, %17) <{indices_are_sorted = true, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0]>, unique_indices = true}> ({
    ^bb0(%arg3: tensor<i32>, %arg4: tensor<i32>):
      stablehlo.return %arg4 : tensor<i32>
    }) : (tensor<4xi32>, tensor<1xi32>, tensor<i32>) -> tensor<4xi32>
    %24 = stablehlo.compare LT, %6, %c_0, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %25 = stablehlo.add %6, %c : tensor<i32>
    %26 = stablehlo.select %24, %25, %6 : tensor<i1>, tensor<i32>
    %27 = stablehlo.broadcast_in_dim %26, dims = [] : (tensor<i32>) -> tensor<1xi32>
    %28 = "stablehlo.scatter"(%23, %27, %12) <{indices_are_sorted = true, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0]>, unique_indices = true}> ({
    ^bb0(%arg3: tensor<i32>, %arg4: tensor<i32>):
      stablehlo.return %arg4 : tensor<i32>
    }) : (tensor<4xi32>, tensor<1xi32>, tensor<i32>) -> tensor<4xi32>
    return %0, %28 : tensor<i32>, tensor<4xi32>
  }
  func.func private @_lu_solve(%arg0: tensor<4x4xf32>, %arg1: tensor<4xi32>, %arg2: tensor<3x4xf32>) -> tensor<3x4xf32> {
    %c = stablehlo.constant dense<4> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.broadcast_in_dim %arg2, dims = [0, 1] : (tensor<3x4xf32>) -> tensor<3x4x1xf32>
    %1 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<4xi32>
    %2 = stablehlo.compare LT, %arg1, %1, SIGNED : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi1>
    %3 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<4xi32>
    %4 = stablehlo.add %arg1, %3 : tensor<4xi32>
    %5 = stablehlo.select %2, %4, %arg1 : tensor<4xi1>, tensor<4xi32>
    %6 = stablehlo.broadcast_in_dim %5, dims = [0] : (tensor<4xi32>) -> tensor<4x1xi32>
    %7 = "stablehlo.gather"(%0, %6) <{dimension_numbers = #stablehlo.gather<offset_dims = [0, 2], collapsed_slice_dims = [1], start_index_map = [1], index_vector_dim = 1>, slice_sizes = array<i64: 3, 1, 1>}> : (tensor<3x4x1xf32>, tensor<4x1xi32>) -> tensor<3x4x1xf32>
    %8 = stablehlo.transpose %7, dims = [1, 2, 0] : (tensor<3x4x1xf32>) -> tensor<4x1x3xf32>
    %9 = stablehlo.reshape %8 : (tensor<4x1x3xf32>) -> tensor<4x3xf32>
    %10 = stablehlo.custom_call @lapack_strsm_ffi(%arg0, %9) {mhlo.backend_config = {diag = 85 : ui8, side = 76 : ui8, trans_x = 78 : ui8, uplo = 76 : ui8}, mhlo.frontend_attributes = {num_batch_dims = "0"}, operand_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<[0, 1]> : tensor<2xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 1, operand_tuple_indices = []>], result_layouts = [dense<[0, 1]> : tensor<2xindex>]} : (tensor<4x4xf32>, tensor<4x3xf32>) -> tensor<4x3xf32>
    %11 = stablehlo.reshape %10 : (tensor<4x3xf32>) -> tensor<4x1x3xf32>
    %12 = stablehlo.reshape %11 : (tensor<4x1x3xf32>) -> tensor<4x3xf32>
    %13 = stablehlo.custom_call @lapack_strsm_ffi(%arg0, %12) {mhlo.backend_config = {diag = 78 : ui8, side = 76 : ui8, trans_x = 78 : ui8, uplo = 85 : ui8}, mhlo.frontend_attributes = {num_batch_dims = "0"}, operand_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<[0, 1]> : tensor<2xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 1, operand_tuple_indices = []>], result_layouts = [dense<[0, 1]> : tensor<2xindex>]} : (tensor<4x4xf32>, tensor<4x3xf32>) -> tensor<4x3xf32>
    %14 = stablehlo.reshape %13 : (tensor<4x3xf32>) -> tensor<4x1x3xf32>
    %15 = stablehlo.transpose %14, dims = [2, 0, 1] : (tensor<4x1x3xf32>) -> tensor<3x4x1xf32>
    %16 = stablehlo.reshape %15 : (tensor<3x4x1xf32>) -> tensor<3x4xf32>
    return %16 : tensor<3x4xf32>
  }
  func.func private @_solve_triangular(%arg0: tensor<3x3xcomplex<f32>>, %arg1: tensor<3x3xcomplex<f32>>) -> tensor<3x3xcomplex<f32>> {
    %0 = stablehlo.custom_call @lapack_ctrsm_ffi(%arg0, %arg1) {mhlo.backend_config = {diag = 85 : ui8, side = 76 : ui8, trans_x = 67 : ui8, uplo = 76 : ui8}, mhlo.frontend_attributes = {num_batch_dims = "0"}, operand_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<[0, 1]> : tensor<2xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 1, operand_tuple_indices = []>], result_layouts = [dense<[0, 1]> : tensor<2xindex>]} : (tensor<3x3xcomplex<f32>>, tensor<3x3xcomplex<f32>>) -> tensor<3x3xcomplex<f32>>
    return %0 : tensor<3x3xcomplex<f32>>
  }
  func.func private @eigh_tridiagonal(%arg0: tensor<4xf32>, %arg1: tensor<3xf32>) -> (tensor<4xf32>, tensor<4x4xf32>) {
    %cst = stablehlo.constant dense<1.100000e+00> : tensor<f32>
    %c = stablehlo.constant dense<16> : tensor<i32>
    %c_0 = stablehlo.constant dense<15> : tensor<i32>
    %c_1 = stablehlo.constant dense<14> : tensor<i32>
    %c_2 = stablehlo.constant dense<13> : tensor<i32>
    %c_3 = stablehlo.constant dense<12> : tensor<i32>
    %c_4 = stablehlo.constant dense<11> : tensor<i32>
    %c_5 = stablehlo.constant dense<10> : tensor<i32>
    %c_6 = stablehlo.constant dense<9> : tensor<i32>
    %c_7 = stablehlo.constant dense<8> : tensor<i32>
    %c_8 = stablehlo.constant dense<7> : tensor<i32>
    %c_9 = stablehlo.constant dense<6> : tensor<i32>
    %c_10 = stablehlo.constant dense<5> : tensor<i32>
    %c_11 = stablehlo.constant dense<2> : tensor<i32>
    %c_12 = stablehlo.constant dense<3> : tensor<i32>
    %c_13 = stablehlo.constant dense<4> : tensor<i32>
    %cst_14 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %c_15 = stablehlo.constant dense<1> : tensor<i32>
    %c_16 = stablehlo.constant dense<false> : tensor<i1>
    %c_17 = stablehlo.constant dense<24> : tensor<i32>
    %c_18 = stablehlo.constant dense<0> : tensor<i32>
    %cst_19 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %cst_20 = stablehlo.constant dense<4.200000e+00> : tensor<f32>
    %cst_21 = stablehlo.constant dense<2.100000e+00> : tensor<f32>
    %cst_22 = stablehlo.constant dense<4.000000e+00> : tensor<f32>
    %cst_23 = stablehlo.constant dense<1.1920929E-7> : tensor<f32>
    %cst_24 = stablehlo.constant dense<1.17549449E-38> : tensor<f32>
    %cst_25 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %cst_26 = stablehlo.constant dense<0x7F800000> : tensor<f32>
    %cst_27 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %c_28 = stablehlo.constant dense<-1> : tensor<i32>
    %c_29 = stablehlo.constant dense<42> : tensor<i32>
    %c_30 = stablehlo.constant dense<32> : tensor<i32>
    %0 = stablehlo.shift_right_logical %c_29, %c_30 : tensor<i32>
    %1 = stablehlo.convert %0 : (tensor<i32>) -> tensor<ui32>
    %2 = stablehlo.broadcast_in_dim %1, dims = [] : (tensor<ui32>) -> tensor<1xui32>
    %3 = stablehlo.and %c_29, %c_28 : tensor<i32>
    %4 = stablehlo.convert %3 : (tensor<i32>) -> tensor<ui32>
    %5 = stablehlo.broadcast_in_dim %4, dims = [] : (tensor<ui32>) -> tensor<1xui32>
    %6 = stablehlo.concatenate %2, %5, dim = 0 : (tensor<1xui32>, tensor<1xui32>) -> tensor<2xui32>
    %7 = stablehlo.abs %arg1 : tensor<3xf32>
    %8 = stablehlo.multiply %arg1, %arg1 : tensor<3xf32>
    %9 = stablehlo.slice %7 [0:1] : (tensor<3xf32>) -> tensor<1xf32>
    %10 = stablehlo.slice %7 [0:2] : (tensor<3xf32>) -> tensor<2xf32>
    %11 = stablehlo.slice %7 [1:3] : (tensor<3xf32>) -> tensor<2xf32>
    %12 = stablehlo.add %10, %11 : tensor<2xf32>
    %13 = stablehlo.slice %7 [2:3] : (tensor<3xf32>) -> tensor<1xf32>
    %14 = stablehlo.concatenate %9, %12, %13, dim = 0 : (tensor<1xf32>, tensor<2xf32>, tensor<1xf32>) -> tensor<4xf32>
    %15 = stablehlo.add %arg0, %14 : tensor<4xf32>
    %16 = stablehlo.reduce(%15 init: %cst_27) applies stablehlo.maximum across dimensions = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
    %17 = stablehlo.subtract %arg0, %14 : tensor<4xf32>
    %18 = stablehlo.reduce(%17 init: %cst_26) applies stablehlo.minimum across dimensions = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
    %19 = stablehlo.abs %18 : tensor<f32>
    %20 = stablehlo.abs %16 : tensor<f32>
    %21 = stablehlo.maximum %19, %20 : tensor<f32>
    %22 = stablehlo.reduce(%8 init: %cst_27) applies stablehlo.maximum across dimensions = [0] : (tensor<3xf32>, tensor<f32>) -> tensor<f32>
    %23 = stablehlo.maximum %cst_25, %22 : tensor<f32>
    %24 = stablehlo.multiply %cst_24, %23 : tensor<f32>
    %25 = stablehlo.slice %7 [0:1] : (tensor<3xf32>) -> tensor<1xf32>
    %26 = stablehlo.reshape %25 : (tensor<1xf32>) -> tensor<f32>
    %27 = stablehlo.multiply %cst_23, %26 : tensor<f32>
    %28 = stablehlo.multiply %27, %27 : tensor<f32>
    %29 = stablehlo.multiply %cst_23, %21 : tensor<f32>
    %30 = stablehlo.iota dim = 0 : tensor<4xi32>
    %31 = stablehlo.multiply %cst_22, %cst_21 : tensor<f32>
    %32 = stablehlo.multiply %31, %cst_23 : tensor<f32>
    %33 = stablehlo.multiply %32, %21 : tensor<f32>
    %34 = stablehlo.subtract %18, %33 : tensor<f32>
    %35 = stablehlo.multiply %cst_20, %24 : tensor<f32>
    %36 = stablehlo.subtract %34, %35 : tensor<f32>
    %37 = stablehlo.add %16, %33 : tensor<f32>
    %38 = stablehlo.multiply %cst_21, %24 : tensor<f32>
    %39 = stablehlo.add %37, %38 : tensor<f32>
    %40 = stablehlo.broadcast_in_dim %36, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %41 = stablehlo.broadcast_in_dim %39, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %42 = stablehlo.add %41, %40 : tensor<4xf32>
    %43 = stablehlo.broadcast_in_dim %cst_19, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %44 = stablehlo.multiply %43, %42 : tensor<4xf32>
    %45 = stablehlo.broadcast_in_dim %24, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %46 = stablehlo.broadcast_in_dim %28, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %47:10 = stablehlo.while(%iterArg = %29, %iterArg_31 = %arg0, %iterArg_32 = %46, %iterArg_33 = %8, %iterArg_34 = %45, %iterArg_35 = %30, %iterArg_36 = %c_18, %iterArg_37 = %40, %iterArg_38 = %44, %iterArg_39 = %41) : tensor<f32>, tensor<4xf32>, tensor<4xf32>, tensor<3xf32>, tensor<4xf32>, tensor<4xi32>, tensor<i32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
    cond {
      %120 = stablehlo.compare LT, %iterArg_36, %c_17, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %121 = stablehlo.subtract %iterArg_39, %iterArg_37 : tensor<4xf32>
      %122 = stablehlo.reduce(%121 init: %cst_27) applies stablehlo.maximum across dimensions = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
      %123 = stablehlo.compare LT, %iterArg, %122, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %124 = stablehlo.broadcast_in_dim %c_16, dims = [] : (tensor<i1>) -> tensor<i1>
      %125 = stablehlo.compare NE, %120, %124, UNSIGNED : (tensor<i1>, tensor<i1>) -> tensor<i1>
      %126 = stablehlo.convert %125 : tensor<i1>
      %127 = stablehlo.and %126, %123 : tensor<i1>
      stablehlo.return %127 : tensor<i1>
    } do {
      %120 = stablehlo.broadcast_in_dim %c_18, dims = [] : (tensor<i32>) -> tensor<4xi32>
      %121 = stablehlo.broadcast_in_dim %c_15, dims = [] : (tensor<i32>) -> tensor<4xi32>
      %122 = stablehlo.slice %iterArg_31 [0:1] : (tensor<4xf32>) -> tensor<1xf32>
      %123 = stablehlo.reshape %122 : (tensor<1xf32>) -> tensor<f32>
      %124 = stablehlo.broadcast_in_dim %123, dims = [] : (tensor<f32>) -> tensor<4xf32>
      %125 = stablehlo.subtract %124, %iterArg_38 : tensor<4xf32>
      %126 = stablehlo.broadcast_in_dim %cst_14, dims = [] : (tensor<f32>) -> tensor<4xf32>
      %127 = stablehlo.compare LT, %125, %126, FLOAT : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
      %128 = func.call @_where(%127, %121, %120) : (tensor<4xi1>, tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
      %129 = stablehlo.slice %iterArg_31 [0:1] : (tensor<4xf32>) -> tensor<1xf32>
      %130 = stablehlo.reshape %129 : (tensor<1xf32>) -> tensor<f32>
      %131 = stablehlo.broadcast_in_dim %130, dims = [] : (tensor<f32>) -> tensor<4xf32>
      %132 = stablehlo.compare EQ, %131, %iterArg_38, FLOAT : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
      %133 = func.call @_where_4(%132, %iterArg_32, %125) : (tensor<4xi1>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
      %134 = stablehlo.slice %iterArg_31 [1:2] : (tensor<4xf32>) -> tensor<1xf32>
      %135 = stablehlo.reshape %134 : (tensor<1xf32>) -> tensor<f32>
      %136 = stablehlo.slice %iterArg_33 [0:1] : (tensor<3xf32>) -> tensor<1xf32>
      %137 = stablehlo.reshape %136 : (tensor<1xf32>) -> tensor<f32>
      %138 = stablehlo.broadcast_in_dim %137, dims = [] : (tensor<f32>) -> tensor<4xf32>
      %139 = stablehlo.divide %138, %133 : tensor<4xf32>
      %140 = stablehlo.broadcast_in_dim %135, dims = [] : (tensor<f32>) -> tensor<4xf32>
      %141 = stablehlo.subtract %140, %139 : tensor<4xf32>
      %142 = stablehlo.subtract %141, %iterArg_38 : tensor<4xf32>
      %143 = stablehlo.compare LE, %142, %iterArg_34, FLOAT : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
      %144 = stablehlo.broadcast_in_dim %c_15, dims = [] : (tensor<i32>) -> tensor<4xi32>
      %145 = stablehlo.add %128, %144 : tensor<4xi32>
      %146 = func.call @_where(%143, %145, %128) : (tensor<4xi1>, tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
      %147 = stablehlo.compare LE, %142, %iterArg_34, FLOAT : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
      %148 = stablehlo.negate %iterArg_34 : tensor<4xf32>
      %149 = stablehlo.minimum %142, %148 : tensor<4xf32>
      %150 = func.call @_where_4(%147, %149, %142) : (tensor<4xi1>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
      %151 = stablehlo.slice %iterArg_31 [2:3] : (tensor<4xf32>) -> tensor<1xf32>
      %152 = stablehlo.reshape %151 : (tensor<1xf32>) -> tensor<f32>
      %153 = stablehlo.slice %iterArg_33 [1:2] : (tensor<3xf32>) -> tensor<1xf32>
      %154 = stablehlo.reshape %153 : (tensor<1xf32>) -> tensor<f32>
      %155 = stablehlo.broadcast_in_dim %154, dims = [] : (tensor<f32>) -> tensor<4xf32>
      %156 = stablehlo.divide %155, %150 : tensor<4xf32>
      %157 = stablehlo.broadcast_in_dim %152, dims = [] : (tensor<f32>) -> tensor<4xf32>
      %158 = stablehlo.subtract %157, %156 : tensor<4xf32>
      %159 = stablehlo.subtract %158, %iterArg_38 : tensor<4xf32>
      %160 = stablehlo.compare LE, %159, %iterArg_34, FLOAT : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
      %161 = stablehlo.broadcast_in_dim %c_15, dims = [] : (tensor<i32>) -> tensor<4xi32>
      %162 = stablehlo.add %146, %161 : tensor<4xi32>
      %163 = func.call @_where(%160, %162, %146) : (tensor<4xi1>, tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
      %164 = stablehlo.compare LE, %159, %iterArg_34, FLOAT : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
      %165 = stablehlo.negate %iterArg_34 : tensor<4xf32>
      %166 = stablehlo.minimum %159, %165 : tensor<4xf32>
      %167 = func.call @_where_4(%164, %166, %159) : (tensor<4xi1>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
      %168 = stablehlo.slice %iterArg_31 [3:4] : (tensor<4xf32>) -> tensor<1xf32>
      %169 = stablehlo.reshape %168 : (tensor<1xf32>) -> tensor<f32>
      %170 = stablehlo.slice %iterArg_33 [2:3] : (tensor<3xf32>) -> tensor<1xf32>
      %171 = stablehlo.reshape %170 : (tensor<1xf32>) -> tensor<f32>
      %172 = stablehlo.broadcast_in_dim %171, dims = [] : (tensor<f32>) -> tensor<4xf32>
      %173 = stablehlo.divide %172, %167 : tensor<4xf32>
      %174 = stablehlo.broadcast_in_dim %169, dims = [] : (tensor<f32>) -> tensor<4xf32>
      %175 = stablehlo.subtract %174, %173 : tensor<4xf32>
      %176 = stablehlo.subtract %175, %iterArg_38 : tensor<4xf32>
      %177 = stablehlo.compare LE, %176, %iterArg_34, FLOAT : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
      %178 = stablehlo.broadcast_in_dim %c_15, dims = [] : (tensor<i32>) -> tensor<4xi32>
      %179 = stablehlo.add %163, %178 : tensor<4xi32>
      %180 = func.call @_where(%177, %179, %163) : (tensor<4xi1>, tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
      %181 = stablehlo.compare LE, %176, %iterArg_34, FLOAT : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
      %182 = stablehlo.negate %iterArg_34 : tensor<4xf32>
      %183 = stablehlo.minimum %176, %182 : tensor<4xf32>
      %184 = func.call @_where_4(%181, %183, %176) : (tensor<4xi1>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
      %185:7 = stablehlo.while(%iterArg_40 = %iterArg_31, %iterArg_41 = %iterArg_33, %iterArg_42 = %iterArg_38, %iterArg_43 = %iterArg_34, %iterArg_44 = %c_13, %iterArg_45 = %184, %iterArg_46 = %180) : tensor<4xf32>, tensor<3xf32>, tensor<4xf32>, tensor<4xf32>, tensor<i32>, tensor<4xf32>, tensor<4xi32>
      cond {
        %194 = stablehlo.compare LT, %iterArg_44, %c_13, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
        stablehlo.return %194 : tensor<i1>
      } do {
        %194 = stablehlo.add %iterArg_44, %c_18 : tensor<i32>
        %195 = stablehlo.compare LT, %194, %c_18, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
        %196 = stablehlo.convert %194 : tensor<i32>
        %197 = stablehlo.add %196, %c_13 : tensor<i32>
        %198 = stablehlo.select %195, %197, %194 : tensor<i1>, tensor<i32>
        %199 = stablehlo.dynamic_slice %iterArg_40, %198, sizes = [1] : (tensor<4xf32>, tensor<i32>) -> tensor<1xf32>
        %200 = stablehlo.reshape %199 : (tensor<1xf32>) -> tensor<f32>
        %201 = stablehlo.subtract %194, %c_15 : tensor<i32>
        %202 = stablehlo.compare LT, %201, %c_18, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
        %203 = stablehlo.convert %201 : tensor<i32>
        %204 = stablehlo.add %203, %c_12 : tensor<i32>
        %205 = stablehlo.select %202, %204, %201 : tensor<i1>, tensor<i32>
        %206 = stablehlo.dynamic_slice %iterArg_41, %205, sizes = [1] : (tensor<3xf32>, tensor<i32>) -> tensor<1xf32>
        %207 = stablehlo.reshape %206 : (tensor<1xf32>) -> tensor<f32>
        %208 = stablehlo.broadcast_in_dim %207, dims = [] : (tensor<f32>) -> tensor<4xf32>
        %209 = stablehlo.divide %208, %iterArg_45 : tensor<4xf32>
        %210 = stablehlo.broadcast_in_dim %200, dims = [] : (tensor<f32>) -> tensor<4xf32>
        %211 = stablehlo.subtract %210, %209 : tensor<4xf32>
        %212 = stablehlo.subtract %211, %iterArg_42 : tensor<4xf32>
        %213 = stablehlo.compare LE, %212, %iterArg_43, FLOAT : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
        %214 = stablehlo.broadcast_in_dim %c_15, dims = [] : (tensor<i32>) -> tensor<4xi32>
        %215 = stablehlo.add %iterArg_46, %214 : tensor<4xi32>
        %216 = func.call @_where(%213, %215, %iterArg_46) : (tensor<4xi1>, tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
        %217 = stablehlo.compare LE, %212, %iterArg_43, FLOAT : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
        %218 = stablehlo.negate %iterArg_43 : tensor<4xf32>
        %219 = stablehlo.minimum %212, %218 : tensor<4xf32>
        %220 = func.call @_where_4(%217, %219, %212) : (tensor<4xi1>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
        %221 = stablehlo.add %iterArg_44, %c_15 : tensor<i32>
        %222 = stablehlo.compare LT, %221, %c_18, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
        %223 = stablehlo.convert %221 : tensor<i32>
        %224 = stablehlo.add %223, %c_13 : tensor<i32>
        %225 = stablehlo.select %222, %224, %221 : tensor<i1>, tensor<i32>
        %226 = stablehlo.dynamic_slice %iterArg_40, %225, sizes = [1] : (tensor<4xf32>, tensor<i32>) -> tensor<1xf32>
        %227 = stablehlo.reshape %226 : (tensor<1xf32>) -> tensor<f32>
        %228 = stablehlo.subtract %221, %c_15 : tensor<i32>
        %229 = stablehlo.compare LT, %228, %c_18, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
        %230 = stablehlo.convert %228 : tensor<i32>
        %231 = stablehlo.add %230, %c_12 : tensor<i32>
        %232 = stablehlo.select %229, %231, %228 : tensor<i1>, tensor<i32>
        %233 = stablehlo.dynamic_slice %iterArg_41, %232, sizes = [1] : (tensor<3xf32>, tensor<i32>) -> tensor<1xf32>
        %234 = stablehlo.reshape %233 : (tensor<1xf32>) -> tensor<f32>
        %235 = stablehlo.broadcast_in_dim %234, dims = [] : (tensor<f32>) -> tensor<4xf32>
        %236 = stablehlo.divide %235, %220 : tensor<4xf32>
        %237 = stablehlo.broadcast_in_dim %227, dims = [] : (tensor<f32>) -> tensor<4xf32>
        %238 = stablehlo.subtract %237, %236 : tensor<4xf32>
        %239 = stablehlo.subtract %238, %iterArg_42 : tensor<4xf32>
        %240 = stablehlo.compare LE, %239, %iterArg_43, FLOAT : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
        %241 = stablehlo.broadcast_in_dim %c_15, dims = [] : (tensor<i32>) -> tensor<4xi32>
        %242 = stablehlo.add %216, %241 : tensor<4xi32>
        %243 = func.call @_where(%240, %242, %216) : (tensor<4xi1>, tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
        %244 = stablehlo.compare LE, %239, %iterArg_43, FLOAT : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
        %245 = stablehlo.negate %iterArg_43 : tensor<4xf32>
        %246 = stablehlo.minimum %239, %245 : tensor<4xf32>
        %247 = func.call @_where_4(%244, %246, %239) : (tensor<4xi1>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
        %248 = stablehlo.add %iterArg_44, %c_11 : tensor<i32>
        %249 = stablehlo.compare LT, %248, %c_18, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
        %250 = stablehlo.convert %248 : tensor<i32>
        %251 = stablehlo.add %250, %c_13 : tensor<i32>
        %252 = stablehlo.select %249, %251, %248 : tensor<i1>, tensor<i32>
        %253 = stablehlo.dynamic_slice %iterArg_40, %252, sizes = [1] : (tensor<4xf32>, tensor<i32>) -> tensor<1xf32>
        %254 = stablehlo.reshape %253 : (tensor<1xf32>) -> tensor<f32>
        %255 = stablehlo.subtract %248, %c_15 : tensor<i32>
        %256 = stablehlo.compare LT, %255, %c_18, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
        %257 = stablehlo.convert %255 : tensor<i32>
        %258 = stablehlo.add %257, %c_12 : tensor<i32>
        %259 = stablehlo.select %256, %258, %255 : tensor<i1>, tensor<i32>
        %260 = stablehlo.dynamic_slice %iterArg_41, %259, sizes = [1] : (tensor<3xf32>, tensor<i32>) -> tensor<1xf32>
        %261 = stablehlo.reshape %260 : (tensor<1xf32>) -> tensor<f32>
        %262 = stablehlo.broadcast_in_dim %261, dims = [] : (tensor<f32>) -> tensor<4xf32>
        %263 = stablehlo.divide %262, %247 : tensor<4xf32>
        %264 = stablehlo.broadcast_in_dim %254, dims = [] : (tensor<f32>) -> tensor<4xf32>
        %265 = stablehlo.subtract %264, %263 : tensor<4xf32>
        %266 = stablehlo.subtract %265, %iterArg_42 : tensor<4xf32>
        %267 = stablehlo.compare LE, %266, %iterArg_43, FLOAT : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
        %268 = stablehlo.broadcast_in_dim %c_15, dims = [] : (tensor<i32>) -> tensor<4xi32>
        %269 = stablehlo.add %243, %268 : tensor<4xi32>
        %270 = func.call @_where(%267, %269, %243) : (tensor<4xi1>, tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
        %271 = stablehlo.compare LE, %266, %iterArg_43, FLOAT : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
        %272 = stablehlo.negate %iterArg_43 : tensor<4xf32>
        %273 = stablehlo.minimum %266, %272 : tensor<4xf32>
        %274 = func.call @_where_4(%271, %273, %266) : (tensor<4xi1>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
        %275 = stablehlo.add %iterArg_44, %c_12 : tensor<i32>
        %276 = stablehlo.compare LT, %275, %c_18, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
        %277 = stablehlo.convert %275 : tensor<i32>
        %278 = stablehlo.add %277, %c_13 : tensor<i32>
        %279 = stablehlo.select %276, %278, %275 : tensor<i1>, tensor<i32>
        %280 = stablehlo.dynamic_slice %iterArg_40, %279, sizes = [1] : (tensor<4xf32>, tensor<i32>) -> tensor<1xf32>
        %281 = stablehlo.reshape %280 : (tensor<1xf32>) -> tensor<f32>
        %282 = stablehlo.subtract %275, %c_15 : tensor<i32>
        %283 = stablehlo.compare LT, %282, %c_18, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
        %284 = stablehlo.convert %282 : tensor<i32>
        %285 = stablehlo.add %284, %c_12 : tensor<i32>
        %286 = stablehlo.select %283, %285, %282 : tensor<i1>, tensor<i32>
        %287 = stablehlo.dynamic_slice %iterArg_41, %286, sizes = [1] : (tensor<3xf32>, tensor<i32>) -> tensor<1xf32>
        %288 = stablehlo.reshape %287 : (tensor<1xf32>) -> tensor<f32>
        %289 = stablehlo.broadcast_in_dim %288, dims = [] : (tensor<f32>) -> tensor<4xf32>
        %290 = stablehlo.divide %289, %274 : tensor<4xf32>
        %291 = stablehlo.broadcast_in_dim %281, dims = [] : (tensor<f32>) -> tensor<4xf32>
        %292 = stablehlo.subtract %291, %290 : tensor<4xf32>
        %293 = stablehlo.subtract %292, %iterArg_42 : tensor<4xf32>
        %294 = stablehlo.compare LE, %293, %iterArg_43, FLOAT : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
        %295 = stablehlo.broadcast_in_dim %c_15, dims = [] : (tensor<i32>) -> tensor<4xi32>
        %296 = stablehlo.add %270, %295 : tensor<4xi32>
        %297 = func.call @_where(%294, %296, %270) : (tensor<4xi1>, tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
        %298 = stablehlo.compare LE, %293, %iterArg_43, FLOAT : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
        %299 = stablehlo.negate %iterArg_43 : tensor<4xf32>
        %300 = stablehlo.minimum %293, %299 : tensor<4xf32>
        %301 = func.call @_where_4(%298, %300, %293) : (tensor<4xi1>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
        %302 = stablehlo.add %iterArg_44, %c_13 : tensor<i32>
        %303 = stablehlo.compare LT, %302, %c_18, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
        %304 = stablehlo.convert %302 : tensor<i32>
        %305 = stablehlo.add %304, %c_13 : tensor<i32>
        %306 = stablehlo.select %303, %305, %302 : tensor<i1>, tensor<i32>
        %307 = stablehlo.dynamic_slice %iterArg_40, %306, sizes = [1] : (tensor<4xf32>, tensor<i32>) -> tensor<1xf32>
        %308 = stablehlo.reshape %307 : (tensor<1xf32>) -> tensor<f32>
        %309 = stablehlo.subtract %302, %c_15 : tensor<i32>
        %310 = stablehlo.compare LT, %309, %c_18, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
        %311 = stablehlo.convert %309 : tensor<i32>
        %312 = stablehlo.add %311, %c_12 : tensor<i32>
        %313 = stablehlo.select %310, %312, %309 : tensor<i1>, tensor<i32>
        %314 = stablehlo.dynamic_slice %iterArg_41, %313, sizes = [1] : (tensor<3xf32>, tensor<i32>) -> tensor<1xf32>
        %315 = stablehlo.reshape %314 : (tensor<1xf32>) -> tensor<f32>
        %316 = stablehlo.broadcast_in_dim %315, dims = [] : (tensor<f32>) -> tensor<4xf32>
        %317 = stablehlo.divide %316, %301 : tensor<4xf32>
        %318 = stablehlo.broadcast_in_dim %308, dims = [] : (tensor<f32>) -> tensor<4xf32>
        %319 = stablehlo.subtract %318, %317 : tensor<4xf32>
        %320 = stablehlo.subtract %319, %iterArg_42 : tensor<4xf32>
        %321 = stablehlo.compare LE, %320, %iterArg_43, FLOAT : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
        %322 = stablehlo.broadcast_in_dim %c_15, dims = [] : (tensor<i32>) -> tensor<4xi32>
        %323 = stablehlo.add %297, %322 : tensor<4xi32>
        %324 = func.call @_where(%321, %323, %297) : (tensor<4xi1>, tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
        %325 = stablehlo.compare LE, %320, %iterArg_43, FLOAT : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
        %326 = stablehlo.negate %iterArg_43 : tensor<4xf32>
        %327 = stablehlo.minimum %320, %326 : tensor<4xf32>
        %328 = func.call @_where_4(%325, %327, %320) : (tensor<4xi1>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
        %329 = stablehlo.add %iterArg_44, %c_10 : tensor<i32>
        %330 = stablehlo.compare LT, %329, %c_18, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
        %331 = stablehlo.convert %329 : tensor<i32>
        %332 = stablehlo.add %331, %c_13 : tensor<i32>
        %333 = stablehlo.select %330, %332, %329 : tensor<i1>, tensor<i32>
        %334 = stablehlo.dynamic_slice %iterArg_40, %333, sizes = [1] : (tensor<4xf32>, tensor<i32>) -> tensor<1xf32>
        %335 = stablehlo.reshape %334 : (tensor<1xf32>) -> tensor<f32>
        %336 = stablehlo.subtract %329, %c_15 : tensor<i32>
        %337 = stablehlo.compare LT, %336, %c_18, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
        %338 = stablehlo.convert %336 : tensor<i32>
        %339 = stablehlo.add %338, %c_12 : tensor<i32>
        %340 = stablehlo.select %337, %339, %336 : tensor<i1>, tensor<i32>
        %341 = stablehlo.dynamic_slice %iterArg_41, %340, sizes = [1] : (tensor<3xf32>, tensor<i32>) -> tensor<1xf32>
        %342 = stablehlo.reshape %341 : (tensor<1xf32>) -> tensor<f32>
        %343 = stablehlo.broadcast_in_dim %342, dims = [] : (tensor<f32>) -> tensor<4xf32>
        %344 = stablehlo.divide %343, %328 : tensor<4xf32>
        %345 = stablehlo.broadcast_in_dim %335, dims = [] : (tensor<f32>) -> tensor<4xf32>
        %346 = stablehlo.subtract %345, %344 : tensor<4xf32>
        %347 = stablehlo.subtract %346, %iterArg_42 : tensor<4xf32>
        %348 = stablehlo.compare LE, %347, %iterArg_43, FLOAT : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
        %349 = stablehlo.broadcast_in_dim %c_15, dims = [] : (tensor<i32>) -> tensor<4xi32>
        %350 = stablehlo.add %324, %349 : tensor<4xi32>
        %351 = func.call @_where(%348, %350, %324) : (tensor<4xi1>, tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
        %352 = stablehlo.compare LE, %347, %iterArg_43, FLOAT : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
        %353 = stablehlo.negate %iterArg_43 : tensor<4xf32>
        %354 = stablehlo.minimum %347, %353 : tensor<4xf32>
        %355 = func.call @_where_4(%352, %354, %347) : (tensor<4xi1>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
        %356 = stablehlo.add %iterArg_44, %c_9 : tensor<i32>
        %357 = stablehlo.compare LT, %356, %c_18, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
        %358 = stablehlo.convert %356 : tensor<i32>
        %359 = stablehlo.add %358, %c_13 : tensor<i32>
        %360 = stablehlo.select %357, %359, %356 : tensor<i1>, tensor<i32>
        %361 = stablehlo.dynamic_slice %iterArg_40, %360, sizes = [1] : (tensor<4xf32>, tensor<i32>) -> tensor<1xf32>
        %362 = stablehlo.reshape %361 : (tensor<1xf32>) -> tensor<f32>
        %363 = stablehlo.subtract %356, %c_15 : tensor<i32>
        %364 = stablehlo.compare LT, %363, %c_18, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
        %365 = stablehlo.convert %363 : tensor<i32>
        %366 = stablehlo.add %365, %c_12 : tensor<i32>
        %367 = stablehlo.select %364, %366, %363 : tensor<i1>, tensor<i32>
        %368 = stablehlo.dynamic_slice %iterArg_41, %367, sizes = [1] : (tensor<3xf32>, tensor<i32>) -> tensor<1xf32>
        %369 = stablehlo.reshape %368 : (tensor<1xf32>) -> tensor<f32>
        %370 = stablehlo.broadcast_in_dim %369, dims = [] : (tensor<f32>) -> tensor<4xf32>
        %371 = stablehlo.divide %370, %355 : tensor<4xf32>
        %372 = stablehlo.broadcast_in_dim %362, dims = [] : (tensor<f32>) -> tensor<4xf32>
        %373 = stablehlo.subtract %372, %371 : tensor<4xf32>
        %374 = stablehlo.subtract %373, %iterArg_42 : tensor<4xf32>
        %375 = stablehlo.compare LE, %374, %iterArg_43, FLOAT : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
        %376 = stablehlo.broadcast_in_dim %c_15, dims = [] : (tensor<i32>) -> tensor<4xi32>
        %377 = stablehlo.add %351, %376 : tensor<4xi32>
        %378 = func.call @_where(%375, %377, %351) : (tensor<4xi1>, tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
        %379 = stablehlo.compare LE, %374, %iterArg_43, FLOAT : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
        %380 = stablehlo.negate %iterArg_43 : tensor<4xf32>
        %381 = stablehlo.minimum %374, %380 : tensor<4xf32>
        %382 = func.call @_where_4(%379, %381, %374) : (tensor<4xi1>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
        %383 = stablehlo.add %iterArg_44, %c_8 : tensor<i32>
        %384 = stablehlo.compare LT, %383, %c_18, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
        %385 = stablehlo.convert %383 : tensor<i32>
        %386 = stablehlo.add %385, %c_13 : tensor<i32>
        %387 = stablehlo.select %384, %386, %383 : tensor<i1>, tensor<i32>
        %388 = stablehlo.dynamic_slice %iterArg_40, %387, sizes = [1] : (tensor<4xf32>, tensor<i32>) -> tensor<1xf32>
        %389 = stablehlo.reshape %388 : (tensor<1xf32>) -> tensor<f32>
        %390 = stablehlo.subtract %383, %c_15 : tensor<i32>
        %391 = stablehlo.compare LT, %390, %c_18, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
        %392 = stablehlo.convert %390 : tensor<i32>
        %393 = stablehlo.add %392, %c_12 : tensor<i32>
        %394 = stablehlo.select %391, %393, %390 : tensor<i1>, tensor<i32>
        %395 = stablehlo.dynamic_slice %iterArg_41, %394, sizes = [1] : (tensor<3xf32>, tensor<i32>) -> tensor<1xf32>
        %396 = stablehlo.reshape %395 : (tensor<1xf32>) -> tensor<f32>
        %397 = stablehlo.broadcast_in_dim %396, dims = [] : (tensor<f32>) -> tensor<4xf32>
        %398 = stablehlo.divide %397, %382 : tensor<4xf32>
        %399 = stablehlo.broadcast_in_dim %389, dims = [] : (tensor<f32>) -> tensor<4xf32>
        %400 = stablehlo.subtract %399, %398 : tensor<4xf32>
        %401 = stablehlo.subtract %400, %iterArg_42 : tensor<4xf32>
        %402 = stablehlo.compare LE, %401, %iterArg_43, FLOAT : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
        %403 = stablehlo.broadcast_in_dim %c_15, dims = [] : (tensor<i32>) -> tensor<4xi32>
        %404 = stablehlo.add %378, %403 : tensor<4xi32>
        %405 = func.call @_where(%402, %404, %378) : (tensor<4xi1>, tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
        %406 = stablehlo.compare LE, %401, %iterArg_43, FLOAT : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
        %407 = stablehlo.negate %iterArg_43 : tensor<4xf32>
        %408 = stablehlo.minimum %401, %407 : tensor<4xf32>
        %409 = func.call @_where_4(%406, %408, %401) : (tensor<4xi1>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
        %410 = stablehlo.add %iterArg_44, %c_7 : tensor<i32>
        %411 = stablehlo.compare LT, %410, %c_18, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
        %412 = stablehlo.convert %410 : tensor<i32>
        %413 = stablehlo.add %412, %c_13 : tensor<i32>
        %414 = stablehlo.select %411, %413, %410 : tensor<i1>, tensor<i32>
        %415 = stablehlo.dynamic_slice %iterArg_40, %414, sizes = [1] : (tensor<4xf32>, tensor<i32>) -> tensor<1xf32>
        %416 = stablehlo.reshape %415 : (tensor<1xf32>) -> tensor<f32>
        %417 = stablehlo.subtract %410, %c_15 : tensor<i32>
        %418 = stablehlo.compare LT, %417, %c_18, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
        %419 = stablehlo.convert %417 : tensor<i32>
        %420 = stablehlo.add %419, %c_12 : tensor<i32>
        %421 = stablehlo.select %418, %420, %417 : tensor<i1>, tensor<i32>
        %422 = stablehlo.dynamic_slice %iterArg_41, %421, sizes = [1] : (tensor<3xf32>, tensor<i32>) -> tensor<1xf32>
        %423 = stablehlo.reshape %422 : (tensor<1xf32>) -> tensor<f32>
        %424 = stablehlo.broadcast_in_dim %423, dims = [] : (tensor<f32>) -> tensor<4xf32>
        %425 = stablehlo.divide %424, %409 : tensor<4xf32>
        %426 = stablehlo.broadcast_in_dim %416, dims = [] : (tensor<f32>) -> tensor<4xf32>
        %427 = stablehlo.subtract %426, %425 : tensor<4xf32>
        %428 = stablehlo.subtract %427, %iterArg_42 : tensor<4xf32>
        %429 = stablehlo.compare LE, %428, %iterArg_43, FLOAT : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
        %430 = stablehlo.broadcast_in_dim %c_15, dims = [] : (tensor<i32>) -> tensor<4xi32>
        %431 = stablehlo.add %405, %430 : tensor<4xi32>
        %432 = func.call @_where(%429, %431, %405) : (tensor<4xi1>, tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
        %433 = stablehlo.compare LE, %428, %iterArg_43, FLOAT : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
        %434 = stablehlo.negate %iterArg_43 : tensor<4xf32>
        %435 = stablehlo.minimum %428, %434 : tensor<4xf32>
        %436 = func.call @_where_4(%433, %435, %428) : (tensor<4xi1>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
        %437 = stablehlo.add %iterArg_44, %c_6 : tensor<i32>
        %438 = stablehlo.compare LT, %437, %c_18, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
        %439 = stablehlo.convert %437 : tensor<i32>
        %440 = stablehlo.add %439, %c_13 : tensor<i32>
        %441 = stablehlo.select %438, %440, %437 : tensor<i1>, tensor<i32>
        %442 = stablehlo.dynamic_slice %iterArg_40, %441, sizes = [1] : (tensor<4xf32>, tensor<i32>) -> tensor<1xf32>
        %443 = stablehlo.reshape %442 : (tensor<1xf32>) -> tensor<f32>
        %444 = stablehlo.subtract %437, %c_15 : tensor<i32>
        %445 = stablehlo.compare LT, %444, %c_18, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
        %446 = stablehlo.convert %444 : tensor<i32>
        %447 = stablehlo.add %446, %c_12 : tensor<i32>
        %448 = stablehlo.select %445, %447, %444 : tensor<i1>, tensor<i32>
        %449 = stablehlo.dynamic_slice %iterArg_41, %448, sizes = [1] : (tensor<3xf32>, tensor<i32>) -> tensor<1xf32>
        %450 = stablehlo.reshape %449 : (tensor<1xf32>) -> tensor<f32>
        %451 = stablehlo.broadcast_in_dim %450, dims = [] : (tensor<f32>) -> tensor<4xf32>
        %452 = stablehlo.divide %451, %436 : tensor<4xf32>
        %453 = stablehlo.broadcast_in_dim %443, dims = [] : (tensor<f32>) -> tensor<4xf32>
        %454 = stablehlo.subtract %453, %452 : tensor<4xf32>
        %455 = stablehlo.subtract %454, %iterArg_42 : tensor<4xf32>
        %456 = stablehlo.compare LE, %455, %iterArg_43, FLOAT : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
        %457 = stablehlo.broadcast_in_dim %c_15, dims = [] : (tensor<i32>) -> tensor<4xi32>
        %458 = stablehlo.add %432, %457 : tensor<4xi32>
        %459 = func.call @_where(%456, %458, %432) : (tensor<4xi1>, tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
        %460 = stablehlo.compare LE, %455, %iterArg_43, FLOAT : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
        %461 = stablehlo.negate %iterArg_43 : tensor<4xf32>
        %462 = stablehlo.minimum %455, %461 : tensor<4xf32>
        %463 = func.call @_where_4(%460, %462, %455) : (tensor<4xi1>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
        %464 = stablehlo.add %iterArg_44, %c_5 : tensor<i32>
        %465 = stablehlo.compare LT, %464, %c_18, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
        %466 = stablehlo.convert %464 : tensor<i32>
        %467 = stablehlo.add %466, %c_13 : tensor<i32>
        %468 = stablehlo.select %465, %467, %464 : tensor<i1>, tensor<i32>
        %469 = stablehlo.dynamic_slice %iterArg_40, %468, sizes = [1] : (tensor<4xf32>, tensor<i32>) -> tensor<1xf32>
        %470 = stablehlo.reshape %469 : (tensor<1xf32>) -> tensor<f32>
        %471 = stablehlo.subtract %464, %c_15 : tensor<i32>
        %472 = stablehlo.compare LT, %471, %c_18, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
        %473 = stablehlo.convert %471 : tensor<i32>
        %474 = stablehlo.add %473, %c_12 : tensor<i32>
        %475 = stablehlo.select %472, %474, %471 : tensor<i1>, tensor<i32>
        %476 = stablehlo.dynamic_slice %iterArg_41, %475, sizes = [1] : (tensor<3xf32>, tensor<i32>) -> tensor<1xf32>
        %477 = stablehlo.reshape %476 : (tensor<1xf32>) -> tensor<f32>
        %478 = stablehlo.broadcast_in_dim %477, dims = [] : (tensor<f32>) -> tensor<4xf32>
        %479 = stablehlo.divide %478, %463 : tensor<4xf32>
        %480 = stablehlo.broadcast_in_dim %470, dims = [] : (tensor<f32>) -> tensor<4xf32>
        %481 = stablehlo.subtract %480, %479 : tensor<4xf32>
        %482 = stablehlo.subtract %481, %iterArg_42 : tensor<4xf32>
        %483 = stablehlo.compare LE, %482, %iterArg_43, FLOAT : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
        %484 = stablehlo.broadcast_in_dim %c_15, dims = [] : (tensor<i32>) -> tensor<4xi32>
        %485 = stablehlo.add %459, %484 : tensor<4xi32>
        %486 = func.call @_where(%483, %485, %459) : (tensor<4xi1>, tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
        %487 = stablehlo.compare LE, %482, %iterArg_43, FLOAT : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
        %488 = stablehlo.negate %iterArg_43 : tensor<4xf32>
        %489 = stablehlo.minimum %482, %488 : tensor<4xf32>
        %490 = func.call @_where_4(%487, %489, %482) : (tensor<4xi1>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
        %491 = stablehlo.add %iterArg_44, %c_4 : tensor<i32>
        %492 = stablehlo.compare LT, %491, %c_18, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
        %493 = stablehlo.convert %491 : tensor<i32>
        %494 = stablehlo.add %493, %c_13 : tensor<i32>
        %495 = stablehlo.select %492, %494, %491 : tensor<i1>, tensor<i32>
        %496 = stablehlo.dynamic_slice %iterArg_40, %495, sizes = [1] : (tensor<4xf32>, tensor<i32>) -> tensor<1xf32>
        %497 = stablehlo.reshape %496 : (tensor<1xf32>) -> tensor<f32>
        %498 = stablehlo.subtract %491, %c_15 : tensor<i32>
        %499 = stablehlo.compare LT, %498, %c_18, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
        %500 = stablehlo.convert %498 : tensor<i32>
        %501 = stablehlo.add %500, %c_12 : tensor<i32>
        %502 = stablehlo.select %499, %501, %498 : tensor<i1>, tensor<i32>
        %503 = stablehlo.dynamic_slice %iterArg_41, %502, sizes = [1] : (tensor<3xf32>, tensor<i32>) -> tensor<1xf32>
        %504 = stablehlo.reshape %503 : (tensor<1xf32>) -> tensor<f32>
        %505 = stablehlo.broadcast_in_dim %504, dims = [] : (tensor<f32>) -> tensor<4xf32>
        %506 = stablehlo.divide %505, %490 : tensor<4xf32>
        %507 = stablehlo.broadcast_in_dim %497, dims = [] : (tensor<f32>) -> tensor<4xf32>
        %508 = stablehlo.subtract %507, %506 : tensor<4xf32>
        %509 = stablehlo.subtract %508, %iterArg_42 : tensor<4xf32>
        %510 = stablehlo.compare LE, %509, %iterArg_43, FLOAT : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
        %511 = stablehlo.broadcast_in_dim %c_15, dims = [] : (tensor<i32>) -> tensor<4xi32>
        %512 = stablehlo.add %486, %511 : tensor<4xi32>
        %513 = func.call @_where(%510, %512, %486) : (tensor<4xi1>, tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
        %514 = stablehlo.compare LE, %509, %iterArg_43, FLOAT : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
        %515 = stablehlo.negate %iterArg_43 : tensor<4xf32>
        %516 = stablehlo.minimum %509, %515 : tensor<4xf32>
        %517 = func.call @_where_4(%514, %516, %509) : (tensor<4xi1>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
        %518 = stablehlo.add %iterArg_44, %c_3 : tensor<i32>
        %519 = stablehlo.compare LT, %518, %c_18, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
        %520 = stablehlo.convert %518 : tensor<i32>
        %521 = stablehlo.add %520, %c_13 : tensor<i32>
        %522 = stablehlo.select %519, %521, %518 : tensor<i1>, tensor<i32>
        %523 = stablehlo.dynamic_slice %iterArg_40, %522, sizes = [1] : (tensor<4xf32>, tensor<i32>) -> tensor<1xf32>
        %524 = stablehlo.reshape %523 : (tensor<1xf32>) -> tensor<f32>
        %525 = stablehlo.subtract %518, %c_15 : tensor<i32>
        %526 = stablehlo.compare LT, %525, %c_18, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
        %527 = stablehlo.convert %525 : tensor<i32>
        %528 = stablehlo.add %527, %c_12 : tensor<i32>
        %529 = stablehlo.select %526, %528, %525 : tensor<i1>, tensor<i32>
        %530 = stablehlo.dynamic_slice %iterArg_41, %529, sizes = [1] : (tensor<3xf32>, tensor<i32>) -> tensor<1xf32>
        %531 = stablehlo.reshape %530 : (tensor<1xf32>) -> tensor<f32>
        %532 = stablehlo.broadcast_in_dim %531, dims = [] : (tensor<f32>) -> tensor<4xf32>
        %533 = stablehlo.divide %532, %517 : tensor<4xf32>
        %534 = stablehlo.broadcast_in_dim %524, dims = [] : (tensor<f32>) -> tensor<4xf32>
        %535 = stablehlo.subtract %534, %533 : tensor<4xf32>
        %536 = stablehlo.subtract %535, %iterArg_42 : tensor<4xf32>
        %537 = stablehlo.compare LE, %536, %iterArg_43, FLOAT : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
        %538 = stablehlo.broadcast_in_dim %c_15, dims = [] : (tensor<i32>) -> tensor<4xi32>
        %539 = stablehlo.add %513, %538 : tensor<4xi32>
        %540 = func.call @_where(%537, %539, %513) : (tensor<4xi1>, tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
        %541 = stablehlo.compare LE, %536, %iterArg_43, FLOAT : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
        %542 = stablehlo.negate %iterArg_43 : tensor<4xf32>
        %543 = stablehlo.minimum %536, %542 : tensor<4xf32>
        %544 = func.call @_where_4(%541, %543, %536) : (tensor<4xi1>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
        %545 = stablehlo.add %iterArg_44, %c_2 : tensor<i32>
        %546 = stablehlo.compare LT, %545, %c_18, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
        %547 = stablehlo.convert %545 : tensor<i32>
        %548 = stablehlo.add %547, %c_13 : tensor<i32>
        %549 = stablehlo.select %546, %548, %545 : tensor<i1>, tensor<i32>
        %550 = stablehlo.dynamic_slice %iterArg_40, %549, sizes = [1] : (tensor<4xf32>, tensor<i32>) -> tensor<1xf32>
        %551 = stablehlo.reshape %550 : (tensor<1xf32>) -> tensor<f32>
        %552 = stablehlo.subtract %545, %c_15 : tensor<i32>
        %553 = stablehlo.compare LT, %552, %c_18, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
        %554 = stablehlo.convert %552 : tensor<i32>
        %555 = stablehlo.add %554, %c_12 : tensor<i32>
        %556 = stablehlo.select %553, %555, %552 : tensor<i1>, tensor<i32>
        %557 = stablehlo.dynamic_slice %iterArg_41, %556, sizes = [1] : (tensor<3xf32>, tensor<i32>) -> tensor<1xf32>
        %558 = stablehlo.reshape %557 : (tensor<1xf32>) -> tensor<f32>
        %559 = stablehlo.broadcast_in_dim %558, dims = [] : (tensor<f32>) -> tensor<4xf32>
        %560 = stablehlo.divide %559, %544 : tensor<4xf32>
        %561 = stablehlo.broadcast_in_dim %551, dims = [] : (tensor<f32>) -> tensor<4xf32>
        %562 = stablehlo.subtract %561, %560 : tensor<4xf32>
        %563 = stablehlo.subtract %562, %iterArg_42 : tensor<4xf32>
        %564 = stablehlo.compare LE, %563, %iterArg_43, FLOAT : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
        %565 = stablehlo.broadcast_in_dim %c_15, dims = [] : (tensor<i32>) -> tensor<4xi32>
        %566 = stablehlo.add %540, %565 : tensor<4xi32>
        %567 = func.call @_where(%564, %566, %540) : (tensor<4xi1>, tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
        %568 = stablehlo.compare LE, %563, %iterArg_43, FLOAT : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
        %569 = stablehlo.negate %iterArg_43 : tensor<4xf32>
        %570 = stablehlo.minimum %563, %569 : tensor<4xf32>
        %571 = func.call @_where_4(%568, %570, %563) : (tensor<4xi1>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
        %572 = stablehlo.add %iterArg_44, %c_1 : tensor<i32>
        %573 = stablehlo.compare LT, %572, %c_18, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
        %574 = stablehlo.convert %572 : tensor<i32>
        %575 = stablehlo.add %574, %c_13 : tensor<i32>
        %576 = stablehlo.select %573, %575, %572 : tensor<i1>, tensor<i32>
        %577 = stablehlo.dynamic_slice %iterArg_40, %576, sizes = [1] : (tensor<4xf32>, tensor<i32>) -> tensor<1xf32>
        %578 = stablehlo.reshape %577 : (tensor<1xf32>) -> tensor<f32>
        %579 = stablehlo.subtract %572, %c_15 : tensor<i32>
        %580 = stablehlo.compare LT, %579, %c_18, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
        %581 = stablehlo.convert %579 : tensor<i32>
        %582 = stablehlo.add %581, %c_12 : tensor<i32>
        %583 = stablehlo.select %580, %582, %579 : tensor<i1>, tensor<i32>
        %584 = stablehlo.dynamic_slice %iterArg_41, %583, sizes = [1] : (tensor<3xf32>, tensor<i32>) -> tensor<1xf32>
        %585 = stablehlo.reshape %584 : (tensor<1xf32>) -> tensor<f32>
        %586 = stablehlo.broadcast_in_dim %585, dims = [] : (tensor<f32>) -> tensor<4xf32>
        %587 = stablehlo.divide %586, %571 : tensor<4xf32>
        %588 = stablehlo.broadcast_in_dim %578, dims = [] : (tensor<f32>) -> tensor<4xf32>
        %589 = stablehlo.subtract %588, %587 : tensor<4xf32>
        %590 = stablehlo.subtract %589, %iterArg_42 : tensor<4xf32>
        %591 = stablehlo.compare LE, %590, %iterArg_43, FLOAT : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
        %592 = stablehlo.broadcast_in_dim %c_15, dims = [] : (tensor<i32>) -> tensor<4xi32>
        %593 = stablehlo.add %567, %592 : tensor<4xi32>
        %594 = func.call @_where(%591, %593, %567) : (tensor<4xi1>, tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
        %595 = stablehlo.compare LE, %590, %iterArg_43, FLOAT : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
        %596 = stablehlo.negate %iterArg_43 : tensor<4xf32>
        %597 = stablehlo.minimum %590, %596 : tensor<4xf32>
        %598 = func.call @_where_4(%595, %597, %590) : (tensor<4xi1>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
        %599 = stablehlo.add %iterArg_44, %c_0 : tensor<i32>
        %600 = stablehlo.compare LT, %599, %c_18, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
        %601 = stablehlo.convert %599 : tensor<i32>
        %602 = stablehlo.add %601, %c_13 : tensor<i32>
        %603 = stablehlo.select %600, %602, %599 : tensor<i1>, tensor<i32>
        %604 = stablehlo.dynamic_slice %iterArg_40, %603, sizes = [1] : (tensor<4xf32>, tensor<i32>) -> tensor<1xf32>
        %605 = stablehlo.reshape %604 : (tensor<1xf32>) -> tensor<f32>
        %606 = stablehlo.subtract %599, %c_15 : tensor<i32>
        %607 = stablehlo.compare LT, %606, %c_18, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
        %608 = stablehlo.convert %606 : tensor<i32>
        %609 = stablehlo.add %608, %c_12 : tensor<i32>
        %610 = stablehlo.select %607, %609, %606 : tensor<i1>, tensor<i32>
        %611 = stablehlo.dynamic_slice %iterArg_41, %610, sizes = [1] : (tensor<3xf32>, tensor<i32>) -> tensor<1xf32>
        %612 = stablehlo.reshape %611 : (tensor<1xf32>) -> tensor<f32>
        %613 = stablehlo.broadcast_in_dim %612, dims = [] : (tensor<f32>) -> tensor<4xf32>
        %614 = stablehlo.divide %613, %598 : tensor<4xf32>
        %615 = stablehlo.broadcast_in_dim %605, dims = [] : (tensor<f32>) -> tensor<4xf32>
        %616 = stablehlo.subtract %615, %614 : tensor<4xf32>
        %617 = stablehlo.subtract %616, %iterArg_42 : tensor<4xf32>
        %618 = stablehlo.compare LE, %617, %iterArg_43, FLOAT : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
        %619 = stablehlo.broadcast_in_dim %c_15, dims = [] : (tensor<i32>) -> tensor<4xi32>
        %620 = stablehlo.add %594, %619 : tensor<4xi32>
        %621 = func.call @_where(%618, %620, %594) : (tensor<4xi1>, tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
        %622 = stablehlo.compare LE, %617, %iterArg_43, FLOAT : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
        %623 = stablehlo.negate %iterArg_43 : tensor<4xf32>
        %624 = stablehlo.minimum %617, %623 : tensor<4xf32>
        %625 = func.call @_where_4(%622, %624, %617) : (tensor<4xi1>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
        %626 = stablehlo.add %iterArg_44, %c : tensor<i32>
        stablehlo.return %iterArg_40, %iterArg_41, %iterArg_42, %iterArg_43, %626, %625, %621 : tensor<4xf32>, tensor<3xf32>, tensor<4xf32>, tensor<4xf32>, tensor<i32>, tensor<4xf32>, tensor<4xi32>
      }
      %186 = stablehlo.compare LE, %185#6, %iterArg_35, SIGNED : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi1>
      %187 = func.call @_where_4(%186, %iterArg_38, %iterArg_37) : (tensor<4xi1>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
      %188 = stablehlo.compare GT, %185#6, %iterArg_35, SIGNED : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi1>
      %189 = func.call @_where_4(%188, %iterArg_38, %iterArg_39) : (tensor<4xi1>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
      %190 = stablehlo.add %187, %189 : tensor<4xf32>
      %191 = stablehlo.broadcast_in_dim %cst_19, dims = [] : (tensor<f32>) -> tensor<4xf32>
      %192 = stablehlo.multiply %191, %190 : tensor<4xf32>
      %193 = stablehlo.add %iterArg_36, %c_15 : tensor<i32>
      stablehlo.return %iterArg, %iterArg_31, %iterArg_32, %iterArg_33, %iterArg_34, %iterArg_35, %193, %187, %192, %189 : tensor<f32>, tensor<4xf32>, tensor<4xf32>, tensor<3xf32>, tensor<4xf32>, tensor<4xi32>, tensor<i32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
    }
    %48 = call @_pad(%arg1, %c_18) : (tensor<3xf32>, tensor<i32>) -> tensor<4xf32>
    %49 = call @_pad_5(%arg1, %c_18) : (tensor<3xf32>, tensor<i32>) -> tensor<4xf32>
    %50 = stablehlo.slice %47#8 [1:4] : (tensor<4xf32>) -> tensor<3xf32>
    %51 = stablehlo.slice %47#8 [0:3] : (tensor<4xf32>) -> tensor<3xf32>
    %52 = stablehlo.subtract %50, %51 : tensor<3xf32>
    %53 = stablehlo.slice %47#8 [0:1] : (tensor<4xf32>) -> tensor<1xf32>
    %54 = stablehlo.reshape %53 : (tensor<1xf32>) -> tensor<f32>
    %55 = stablehlo.abs %54 : tensor<f32>
    %56 = stablehlo.slice %47#8 [3:4] : (tensor<4xf32>) -> tensor<1xf32>
    %57 = stablehlo.reshape %56 : (tensor<1xf32>) -> tensor<f32>
    %58 = stablehlo.abs %57 : tensor<f32>
    %59 = stablehlo.maximum %55, %58 : tensor<f32>
    %60 = stablehlo.sqrt %cst_23 : tensor<f32>
    %61 = stablehlo.multiply %60, %59 : tensor<f32>
    %62 = stablehlo.broadcast_in_dim %61, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %63 = stablehlo.compare LT, %52, %62, FLOAT : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>
    %64 = call @_pad_6(%63, %c_16) : (tensor<3xi1>, tensor<i1>) -> tensor<4xi1>
    %65 = call @_pad_7(%63, %c_16) : (tensor<3xi1>, tensor<i1>) -> tensor<4xi1>
    %66 = stablehlo.not %64 : tensor<4xi1>
    %67 = stablehlo.and %66, %65 : tensor<4xi1>
    %68 = stablehlo.not %65 : tensor<4xi1>
    %69 = stablehlo.and %64, %68 : tensor<4xi1>
    %70 = call @cumsum(%67) : (tensor<4xi1>) -> tensor<4xi32>
    %71 = stablehlo.broadcast_in_dim %c_18, dims = [] : (tensor<i32>) -> tensor<3xi32>
    %72 = call @clip(%70, %c_18) : (tensor<4xi32>, tensor<i32>) -> tensor<4xi32>
    %73 = stablehlo.broadcast_in_dim %c_18, dims = [] : (tensor<i32>) -> tensor<4xi32>
    %74 = stablehlo.compare LT, %72, %73, SIGNED : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi1>
    %75 = stablehlo.broadcast_in_dim %c_12, dims = [] : (tensor<i32>) -> tensor<4xi32>
    %76 = stablehlo.add %72, %75 : tensor<4xi32>
    %77 = stablehlo.select %74, %76, %72 : tensor<4xi1>, tensor<4xi32>
    %78 = stablehlo.broadcast_in_dim %77, dims = [0] : (tensor<4xi32>) -> tensor<4x1xi32>
    %79 = stablehlo.broadcast_in_dim %c_15, dims = [] : (tensor<i32>) -> tensor<4xi32>
    %80 = "stablehlo.scatter"(%71, %78, %79) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
    ^bb0(%arg2: tensor<i32>, %arg3: tensor<i32>):
      %120 = stablehlo.add %arg2, %arg3 : tensor<i32>
      stablehlo.return %120 : tensor<i32>
    }) : (tensor<3xi32>, tensor<4x1xi32>, tensor<4xi32>) -> tensor<3xi32>
    %81 = call @cumsum_9(%80) : (tensor<3xi32>) -> tensor<3xi32>
    %82 = call @floor_divide(%81, %c_15) : (tensor<3xi32>, tensor<i32>) -> tensor<3xi32>
    %83 = call @remainder(%82, %c_13) : (tensor<3xi32>, tensor<i32>) -> tensor<3xi32>
    %84 = call @cumsum(%69) : (tensor<4xi1>) -> tensor<4xi32>
    %85 = stablehlo.broadcast_in_dim %c_18, dims = [] : (tensor<i32>) -> tensor<3xi32>
    %86 = call @clip(%84, %c_18) : (tensor<4xi32>, tensor<i32>) -> tensor<4xi32>
    %87 = stablehlo.broadcast_in_dim %c_18, dims = [] : (tensor<i32>) -> tensor<4xi32>
    %88 = stablehlo.compare LT, %86, %87, SIGNED : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi1>
    %89 = stablehlo.broadcast_in_dim %c_12, dims = [] : (tensor<i32>) -> tensor<4xi32>
    %90 = stablehlo.add %86, %89 : tensor<4xi32>
    %91 = stablehlo.select %88, %90, %86 : tensor<4xi1>, tensor<4xi32>
    %92 = stablehlo.broadcast_in_dim %91, dims = [0] : (tensor<4xi32>) -> tensor<4x1xi32>
    %93 = stablehlo.broadcast_in_dim %c_15, dims = [] : (tensor<i32>) -> tensor<4xi32>
    %94 = "stablehlo.scatter"(%85, %92, %93) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
    ^bb0(%arg2: tensor<i32>, %arg3: tensor<i32>):
      %120 = stablehlo.add %arg2, %arg3 : tensor<i32>
      stablehlo.return %120 : tensor<i32>
    }) : (tensor<3xi32>, tensor<4x1xi32>, tensor<4xi32>) -> tensor<3xi32>
    %95 = call @cumsum_9(%94) : (tensor<3xi32>) -> tensor<3xi32>
    %96 = call @floor_divide(%95, %c_15) : (tensor<3xi32>, tensor<i32>) -> tensor<3xi32>
    %97 = call @remainder(%96, %c_13) : (tensor<3xi32>, tensor<i32>) -> tensor<3xi32>
    %98 = stablehlo.broadcast_in_dim %c_15, dims = [] : (tensor<i32>) -> tensor<3xi32>
    %99 = stablehlo.add %97, %98 : tensor<3xi32>
    %100 = stablehlo.convert %67 : (tensor<4xi1>) -> tensor<4xi32>
    %101 = stablehlo.reduce(%100 init: %c_18) applies stablehlo.add across dimensions = [0] : (tensor<4xi32>, tensor<i32>) -> tensor<i32>
    %102 = stablehlo.iota dim = 0 : tensor<4xi32>
    %103 = call @_normal(%6) : (tensor<2xui32>) -> tensor<4x4xf32>
    %104 = call @norm(%103) : (tensor<4x4xf32>) -> tensor<4x1xf32>
    %105 = stablehlo.broadcast_in_dim %104, dims = [0, 1] : (tensor<4x1xf32>) -> tensor<4x4xf32>
    %106 = stablehlo.divide %103, %105 : tensor<4x4xf32>
    %107 = stablehlo.broadcast_in_dim %arg0, dims = [1] : (tensor<4xf32>) -> tensor<1x4xf32>
    %108 = stablehlo.broadcast_in_dim %47#8, dims = [0] : (tensor<4xf32>) -> tensor<4x1xf32>
    %109 = stablehlo.broadcast_in_dim %107, dims = [0, 1] : (tensor<1x4xf32>) -> tensor<4x4xf32>
    %110 = stablehlo.broadcast_in_dim %108, dims = [0, 1] : (tensor<4x1xf32>) -> tensor<4x4xf32>
    %111 = stablehlo.subtract %109, %110 : tensor<4x4xf32>
    %112 = stablehlo.broadcast_in_dim %48, dims = [1] : (tensor<4xf32>) -> tensor<1x4xf32>
    %113 = stablehlo.broadcast_in_dim %112, dims = [0, 1] : (tensor<1x4xf32>) -> tensor<4x4xf32>
    %114 = stablehlo.broadcast_in_dim %49, dims = [1] : (tensor<4xf32>) -> tensor<1x4xf32>
    %115 = stablehlo.broadcast_in_dim %114, dims = [0, 1] : (tensor<1x4xf32>) -> tensor<4x4xf32>
    %116 = stablehlo.broadcast_in_dim %cst_25, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %117 = stablehlo.broadcast_in_dim %cst_14, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %118:11 = stablehlo.while(%iterArg = %113, %iterArg_31 = %111, %iterArg_32 = %115, %iterArg_33 = %83, %iterArg_34 = %99, %iterArg_35 = %102, %iterArg_36 = %101, %iterArg_37 = %c_18, %iterArg_38 = %106, %iterArg_39 = %116, %iterArg_40 = %117) : tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<3xi32>, tensor<3xi32>, tensor<4xi32>, tensor<i32>, tensor<i32>, tensor<4x4xf32>, tensor<4xf32>, tensor<4xf32>
    cond {
      %120 = stablehlo.compare LT, %iterArg_37, %c_10, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %121 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<4xf32>
      %122 = stablehlo.multiply %121, %iterArg_40 : tensor<4xf32>
      %123 = stablehlo.compare GE, %iterArg_39, %122, FLOAT : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
      %124 = stablehlo.reduce(%123 init: %c_16) applies stablehlo.or across dimensions = [0] : (tensor<4xi1>, tensor<i1>) -> tensor<i1>
      %125 = stablehlo.broadcast_in_dim %c_16, dims = [] : (tensor<i1>) -> tensor<i1>
      %126 = stablehlo.compare NE, %120, %125, UNSIGNED : (tensor<i1>, tensor<i1>) -> tensor<i1>
      %127 = stablehlo.convert %126 : tensor<i1>
      %128 = stablehlo.and %127, %124 : tensor<i1>
      stablehlo.return %128 : tensor<i1>
    } do {
      %120 = stablehlo.broadcast_in_dim %iterArg_38, dims = [0, 1] : (tensor<4x4xf32>) -> tensor<4x4x1xf32>
      %121 = stablehlo.custom_call @tridiagonal_solve_perturbed_ffi(%iterArg, %iterArg_31, %iterArg_32, %120) {mhlo.backend_config = {}, mhlo.frontend_attributes = {num_batch_dims = "1"}, operand_layouts = [dense<[1, 0]> : tensor<2xindex>, dense<[1, 0]> : tensor<2xindex>, dense<[1, 0]> : tensor<2xindex>, dense<[1, 2, 0]> : tensor<3xindex>], result_layouts = [dense<[1, 2, 0]> : tensor<3xindex>]} : (tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4x1xf32>) -> tensor<4x4x1xf32>
      %122 = stablehlo.reshape %121 : (tensor<4x4x1xf32>) -> tensor<4x4xf32>
      %123 = func.call @norm_14(%122) : (tensor<4x4xf32>) -> tensor<4x1xf32>
      %124 = stablehlo.broadcast_in_dim %123, dims = [0, 1] : (tensor<4x1xf32>) -> tensor<4x4xf32>
      %125 = stablehlo.divide %122, %124 : tensor<4x4xf32>
      %126 = stablehlo.reshape %123 : (tensor<4x1xf32>) -> tensor<4xf32>
      %127:6 = stablehlo.while(%iterArg_41 = %iterArg_33, %iterArg_42 = %iterArg_34, %iterArg_43 = %iterArg_35, %iterArg_44 = %c_18, %iterArg_45 = %iterArg_36, %iterArg_46 = %125) : tensor<3xi32>, tensor<3xi32>, tensor<4xi32>, tensor<i32>, tensor<i32>, tensor<4x4xf32>
      cond {
        %129 = stablehlo.compare LT, %iterArg_44, %iterArg_45, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
        stablehlo.return %129 : tensor<i1>
      } do {
        %129 = stablehlo.add %iterArg_44, %c_15 : tensor<i32>
        %130 = stablehlo.compare LT, %iterArg_44, %c_18, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
        %131 = stablehlo.convert %iterArg_44 : tensor<i32>
        %132 = stablehlo.add %131, %c_12 : tensor<i32>
        %133 = stablehlo.select %130, %132, %iterArg_44 : tensor<i1>, tensor<i32>
        %134 = stablehlo.dynamic_slice %iterArg_41, %133, sizes = [1] : (tensor<3xi32>, tensor<i32>) -> tensor<1xi32>
        %135 = stablehlo.reshape %134 : (tensor<1xi32>) -> tensor<i32>
        %136 = stablehlo.compare LT, %iterArg_44, %c_18, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
        %137 = stablehlo.convert %iterArg_44 : tensor<i32>
        %138 = stablehlo.add %137, %c_12 : tensor<i32>
        %139 = stablehlo.select %136, %138, %iterArg_44 : tensor<i1>, tensor<i32>
        %140 = stablehlo.dynamic_slice %iterArg_42, %139, sizes = [1] : (tensor<3xi32>, tensor<i32>) -> tensor<1xi32>
        %141 = stablehlo.reshape %140 : (tensor<1xi32>) -> tensor<i32>
        %142 = stablehlo.subtract %141, %135 : tensor<i32>
        %143 = func.call @_pad_15(%iterArg_46, %c_18) : (tensor<4x4xf32>, tensor<i32>) -> tensor<8x4xf32>
        %144 = stablehlo.compare LT, %135, %c_18, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
        %145 = stablehlo.add %135, %c_7 : tensor<i32>
        %146 = stablehlo.select %144, %145, %135 : tensor<i1>, tensor<i32>
        %147 = stablehlo.dynamic_slice %143, %146, %c_18, sizes = [4, 4] : (tensor<8x4xf32>, tensor<i32>, tensor<i32>) -> tensor<4x4xf32>
        %148 = stablehlo.broadcast_in_dim %142, dims = [] : (tensor<i32>) -> tensor<4xi32>
        %149 = stablehlo.compare LT, %iterArg_43, %148, SIGNED : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi1>
        %150 = stablehlo.convert %149 : (tensor<4xi1>) -> tensor<4xf32>
        %151 = stablehlo.broadcast_in_dim %150, dims = [0] : (tensor<4xf32>) -> tensor<4x1xf32>
        %152 = stablehlo.broadcast_in_dim %151, dims = [0, 1] : (tensor<4x1xf32>) -> tensor<4x4xf32>
        %153 = stablehlo.multiply %147, %152 : tensor<4x4xf32>
        %154 = stablehlo.transpose %153, dims = [1, 0] : (tensor<4x4xf32>) -> tensor<4x4xf32>
        %155:2 = func.call @qr_16(%154) : (tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<4x4xf32>)
        %156 = stablehlo.transpose %155#0, dims = [1, 0] : (tensor<4x4xf32>) -> tensor<4x4xf32>
        %157 = stablehlo.broadcast_in_dim %150, dims = [0] : (tensor<4xf32>) -> tensor<4x1xf32>
        %158 = stablehlo.broadcast_in_dim %157, dims = [0, 1] : (tensor<4x1xf32>) -> tensor<4x4xf32>
        %159 = stablehlo.multiply %156, %158 : tensor<4x4xf32>
        %160 = stablehlo.broadcast_in_dim %cst_14, dims = [] : (tensor<f32>) -> tensor<8x4xf32>
        %161 = stablehlo.compare LT, %135, %c_18, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
        %162 = stablehlo.add %135, %c_7 : tensor<i32>
        %163 = stablehlo.select %161, %162, %135 : tensor<i1>, tensor<i32>
        %164 = stablehlo.dynamic_update_slice %160, %159, %163, %c_18 : (tensor<8x4xf32>, tensor<4x4xf32>, tensor<i32>, tensor<i32>) -> tensor<8x4xf32>
        %165 = stablehlo.slice %164 [0:4, 0:4] : (tensor<8x4xf32>) -> tensor<4x4xf32>
        %166 = stablehlo.broadcast_in_dim %135, dims = [] : (tensor<i32>) -> tensor<4xi32>
        %167 = stablehlo.compare GE, %iterArg_43, %166, SIGNED : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi1>
        %168 = stablehlo.broadcast_in_dim %141, dims = [] : (tensor<i32>) -> tensor<4xi32>
        %169 = stablehlo.compare LT, %iterArg_43, %168, SIGNED : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi1>
        %170 = stablehlo.and %167, %169 : tensor<4xi1>
        %171 = stablehlo.broadcast_in_dim %170, dims = [0] : (tensor<4xi1>) -> tensor<4x1xi1>
        %172 = func.call @_where_17(%171, %165, %iterArg_46) : (tensor<4x1xi1>, tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
        stablehlo.return %iterArg_41, %iterArg_42, %iterArg_43, %129, %iterArg_45, %172 : tensor<3xi32>, tensor<3xi32>, tensor<4xi32>, tensor<i32>, tensor<i32>, tensor<4x4xf32>
      }
      %128 = stablehlo.add %iterArg_37, %c_15 : tensor<i32>
      stablehlo.return %iterArg, %iterArg_31, %iterArg_32, %iterArg_33, %iterArg_34, %iterArg_35, %iterArg_36, %128, %127#5, %126, %iterArg_39 : tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<3xi32>, tensor<3xi32>, tensor<4xi32>, tensor<i32>, tensor<i32>, tensor<4x4xf32>, tensor<4xf32>, tensor<4xf32>
    }
    %119 = stablehlo.transpose %118#8, dims = [1, 0] : (tensor<4x4xf32>) -> tensor<4x4xf32>
    return %47#8, %119 : tensor<4xf32>, tensor<4x4xf32>
  }
  func.func private @_where(%arg0: tensor<4xi1>, %arg1: tensor<4xi32>, %arg2: tensor<4xi32>) -> tensor<4xi32> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<4xi1>, tensor<4xi32>
    return %0 : tensor<4xi32>
  }
  func.func private @_where_4(%arg0: tensor<4xi1>, %arg1: tensor<4xf32>, %arg2: tensor<4xf32>) -> tensor<4xf32> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<4xi1>, tensor<4xf32>
    return %0 : tensor<4xf32>
  }
  func.func private @_pad(%arg0: tensor<3xf32>, %arg1: tensor<i32>) -> tensor<4xf32> {
    %0 = stablehlo.convert %arg1 : (tensor<i32>) -> tensor<f32>
    %1 = stablehlo.pad %arg0, %0, low = [1], high = [0], interior = [0] : (tensor<3xf32>, tensor<f32>) -> tensor<4xf32>
    return %1 : tensor<4xf32>
  }
  func.func private @_pad_5(%arg0: tensor<3xf32>, %arg1: tensor<i32>) -> tensor<4xf32> {
    %0 = stablehlo.convert %arg1 : (tensor<i32>) -> tensor<f32>
    %1 = stablehlo.pad %arg0, %0, low = [0], high = [1], interior = [0] : (tensor<3xf32>, tensor<f32>) -> tensor<4xf32>
    return %1 : tensor<4xf32>
  }
  func.func private @_pad_6(%arg0: tensor<3xi1>, %arg1: tensor<i1>) -> tensor<4xi1> {
    %0 = stablehlo.pad %arg0, %arg1, low = [1], high = [0], interior = [0] : (tensor<3xi1>, tensor<i1>) -> tensor<4xi1>
    return %0 : tensor<4xi1>
  }
  func.func private @_pad_7(%arg0: tensor<3xi1>, %arg1: tensor<i1>) -> tensor<4xi1> {
    %0 = stablehlo.pad %arg0, %arg1, low = [0], high = [1], interior = [0] : (tensor<3xi1>, tensor<i1>) -> tensor<4xi1>
    return %0 : tensor<4xi1>
  }
  func.func private @cumsum(%arg0: tensor<4xi1>) -> tensor<4xi32> {
    %0 = stablehlo.convert %arg0 : (tensor<4xi1>) -> tensor<4xi32>
    %1 = call @cumsum_8(%0) : (tensor<4xi32>) -> tensor<4xi32>
    return %1 : tensor<4xi32>
  }
  func.func private @cumsum_8(%arg0: tensor<4xi32>) -> tensor<4xi32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<i32>
    %1 = "stablehlo.reduce_window"(%arg0, %0) <{padding = dense<[[3, 0]]> : tensor<1x2xi64>, window_dimensions = array<i64: 4>}> ({
    ^bb0(%arg1: tensor<i32>, %arg2: tensor<i32>):
      %2 = stablehlo.add %arg1, %arg2 : tensor<i32>
      stablehlo.return %2 : tensor<i32>
    }) : (tensor<4xi32>, tensor<i32>) -> tensor<4xi32>
    return %1 : tensor<4xi32>
  }
  func.func private @clip(%arg0: tensor<4xi32>, %arg1: tensor<i32>) -> tensor<4xi32> {
    %0 = stablehlo.convert %arg1 : tensor<i32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<i32>) -> tensor<4xi32>
    %2 = stablehlo.maximum %1, %arg0 : tensor<4xi32>
    return %2 : tensor<4xi32>
  }
  func.func private @cumsum_9(%arg0: tensor<3xi32>) -> tensor<3xi32> {
    %0 = call @cumsum_10(%arg0) : (tensor<3xi32>) -> tensor<3xi32>
    return %0 : tensor<3xi32>
  }
  func.func private @cumsum_10(%arg0: tensor<3xi32>) -> tensor<3xi32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<i32>
    %1 = "stablehlo.reduce_window"(%arg0, %0) <{padding = dense<[[2, 0]]> : tensor<1x2xi64>, window_dimensions = array<i64: 3>}> ({
    ^bb0(%arg1: tensor<i32>, %arg2: tensor<i32>):
      %2 = stablehlo.add %arg1, %arg2 : tensor<i32>
      stablehlo.return %2 : tensor<i32>
    }) : (tensor<3xi32>, tensor<i32>) -> tensor<3xi32>
    return %1 : tensor<3xi32>
  }
  func.func private @floor_divide(%arg0: tensor<3xi32>, %arg1: tensor<i32>) -> tensor<3xi32> {
    %c = stablehlo.constant dense<1> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<i32>) -> tensor<3xi32>
    %1 = stablehlo.divide %arg0, %0 : tensor<3xi32>
    %2 = stablehlo.sign %arg0 : tensor<3xi32>
    %3 = stablehlo.sign %arg1 : tensor<i32>
    %4 = stablehlo.broadcast_in_dim %3, dims = [] : (tensor<i32>) -> tensor<3xi32>
    %5 = stablehlo.compare NE, %2, %4, SIGNED : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi1>
    %6 = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<i32>) -> tensor<3xi32>
    %7 = stablehlo.remainder %arg0, %6 : tensor<3xi32>
    %8 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<3xi32>
    %9 = stablehlo.compare NE, %7, %8, SIGNED : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi1>
    %10 = stablehlo.and %5, %9 : tensor<3xi1>
    %11 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<3xi32>
    %12 = stablehlo.subtract %1, %11 : tensor<3xi32>
    %13 = call @_where_11(%10, %12, %1) : (tensor<3xi1>, tensor<3xi32>, tensor<3xi32>) -> tensor<3xi32>
    return %13 : tensor<3xi32>
  }
  func.func private @_where_11(%arg0: tensor<3xi1>, %arg1: tensor<3xi32>, %arg2: tensor<3xi32>) -> tensor<3xi32> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<3xi1>, tensor<3xi32>
    return %0 : tensor<3xi32>
  }
  func.func private @remainder(%arg0: tensor<3xi32>, %arg1: tensor<i32>) -> tensor<3xi32> {
    %c = stablehlo.constant dense<1> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.convert %arg1 : tensor<i32>
    %1 = stablehlo.compare EQ, %0, %c_0, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %2 = call @_where_12(%1, %c, %0) : (tensor<i1>, tensor<i32>, tensor<i32>) -> tensor<i32>
    %3 = stablehlo.broadcast_in_dim %2, dims = [] : (tensor<i32>) -> tensor<3xi32>
    %4 = stablehlo.remainder %arg0, %3 : tensor<3xi32>
    %5 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<3xi32>
    %6 = stablehlo.compare NE, %4, %5, SIGNED : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi1>
    %7 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<3xi32>
    %8 = stablehlo.compare LT, %4, %7, SIGNED : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi1>
    %9 = stablehlo.compare LT, %2, %c_0, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %10 = stablehlo.broadcast_in_dim %9, dims = [] : (tensor<i1>) -> tensor<3xi1>
    %11 = stablehlo.compare NE, %8, %10, UNSIGNED : (tensor<3xi1>, tensor<3xi1>) -> tensor<3xi1>
    %12 = stablehlo.and %11, %6 : tensor<3xi1>
    %13 = stablehlo.broadcast_in_dim %2, dims = [] : (tensor<i32>) -> tensor<3xi32>
    %14 = stablehlo.add %4, %13 : tensor<3xi32>
    %15 = stablehlo.select %12, %14, %4 : tensor<3xi1>, tensor<3xi32>
    return %15 : tensor<3xi32>
  }
  func.func private @_where_12(%arg0: tensor<i1>, %arg1: tensor<i32>, %arg2: tensor<i32>) -> tensor<i32> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<i1>, tensor<i32>
    return %0 : tensor<i32>
  }
  func.func private @_normal(%arg0: tensor<2xui32>) -> tensor<4x4xf32> {
    %0 = call @_normal_real(%arg0) : (tensor<2xui32>) -> tensor<4x4xf32>
    return %0 : tensor<4x4xf32>
  }
  func.func private @_normal_real(%arg0: tensor<2xui32>) -> tensor<4x4xf32> {
    %cst = stablehlo.constant dense<0x7F800000> : tensor<4x4xf32>
    %cst_0 = stablehlo.constant dense<1.000000e+00> : tensor<4x4xf32>
    %cst_1 = stablehlo.constant dense<2.83297682> : tensor<4x4xf32>
    %cst_2 = stablehlo.constant dense<1.50140941> : tensor<4x4xf32>
    %cst_3 = stablehlo.constant dense<1.00167406> : tensor<4x4xf32>
    %cst_4 = stablehlo.constant dense<0.246640727> : tensor<4x4xf32>
    %cst_5 = stablehlo.constant dense<0.00943887047> : tensor<4x4xf32>
    %cst_6 = stablehlo.constant dense<-0.00417768164> : tensor<4x4xf32>
    %cst_7 = stablehlo.constant dense<-0.0076224613> : tensor<4x4xf32>
    %cst_8 = stablehlo.constant dense<-0.00125372503> : tensor<4x4xf32>
    %cst_9 = stablehlo.constant dense<0.00573950773> : tensor<4x4xf32>
    %cst_10 = stablehlo.constant dense<2.1858087E-4> : tensor<4x4xf32>
    %cst_11 = stablehlo.constant dense<-0.00367342844> : tensor<4x4xf32>
    %cst_12 = stablehlo.constant dense<-4.39150654E-6> : tensor<4x4xf32>
    %cst_13 = stablehlo.constant dense<0.00134934322> : tensor<4x4xf32>
    %cst_14 = stablehlo.constant dense<-3.5233877E-6> : tensor<4x4xf32>
    %cst_15 = stablehlo.constant dense<1.00950558E-4> : tensor<4x4xf32>
    %cst_16 = stablehlo.constant dense<3.43273939E-7> : tensor<4x4xf32>
    %cst_17 = stablehlo.constant dense<-2.00214257E-4> : tensor<4x4xf32>
    %cst_18 = stablehlo.constant dense<2.81022636E-8> : tensor<4x4xf32>
    %cst_19 = stablehlo.constant dense<3.000000e+00> : tensor<4x4xf32>
    %cst_20 = stablehlo.constant dense<2.500000e+00> : tensor<4x4xf32>
    %cst_21 = stablehlo.constant dense<5.000000e+00> : tensor<4x4xf32>
    %cst_22 = stablehlo.constant dense<1.41421354> : tensor<f32>
    %cst_23 = stablehlo.constant dense<-0.99999994> : tensor<f32>
    %cst_24 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %0 = call @_uniform(%arg0, %cst_23, %cst_24) : (tensor<2xui32>, tensor<f32>, tensor<f32>) -> tensor<4x4xf32>
    %1 = stablehlo.negate %0 : tensor<4x4xf32>
    %2 = stablehlo.multiply %0, %1 : tensor<4x4xf32>
    %3 = stablehlo.log_plus_one %2 : tensor<4x4xf32>
    %4 = stablehlo.negate %3 : tensor<4x4xf32>
    %5 = stablehlo.compare LT, %4, %cst_21 : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xi1>
    %6 = stablehlo.subtract %4, %cst_20 : tensor<4x4xf32>
    %7 = stablehlo.sqrt %4 : tensor<4x4xf32>
    %8 = stablehlo.subtract %7, %cst_19 : tensor<4x4xf32>
    %9 = stablehlo.select %5, %6, %8 : tensor<4x4xi1>, tensor<4x4xf32>
    %10 = stablehlo.select %5, %cst_18, %cst_17 : tensor<4x4xi1>, tensor<4x4xf32>
    %11 = stablehlo.select %5, %cst_16, %cst_15 : tensor<4x4xi1>, tensor<4x4xf32>
    %12 = stablehlo.multiply %10, %9 : tensor<4x4xf32>
    %13 = stablehlo.add %11, %12 : tensor<4x4xf32>
    %14 = stablehlo.select %5, %cst_14, %cst_13 : tensor<4x4xi1>, tensor<4x4xf32>
    %15 = stablehlo.multiply %13, %9 : tensor<4x4xf32>
    %16 = stablehlo.add %14, %15 : tensor<4x4xf32>
    %17 = stablehlo.select %5, %cst_12, %cst_11 : tensor<4x4xi1>, tensor<4x4xf32>
    %18 = stablehlo.multiply %16, %9 : tensor<4x4xf32>
    %19 = stablehlo.add %17, %18 : tensor<4x4xf32>
    %20 = stablehlo.select %5, %cst_10, %cst_9 : tensor<4x4xi1>, tensor<4x4xf32>
    %21 = stablehlo.multiply %19, %9 : tensor<4x4xf32>
    %22 = stablehlo.add %20, %21 : tensor<4x4xf32>
    %23 = stablehlo.select %5, %cst_8, %cst_7 : tensor<4x4xi1>, tensor<4x4xf32>
    %24 = stablehlo.multiply %22, %9 : tensor<4x4xf32>
    %25 = stablehlo.add %23, %24 : tensor<4x4xf32>
    %26 = stablehlo.select %5, %cst_6, %cst_5 : tensor<4x4xi1>, tensor<4x4xf32>
    %27 = stablehlo.multiply %25, %9 : tensor<4x4xf32>
    %28 = stablehlo.add %26, %27 : tensor<4x4xf32>
    %29 = stablehlo.select %5, %cst_4, %cst_3 : tensor<4x4xi1>, tensor<4x4xf32>
    %30 = stablehlo.multiply %28, %9 : tensor<4x4xf32>
    %31 = stablehlo.add %29, %30 : tensor<4x4xf32>
    %32 = stablehlo.select %5, %cst_2, %cst_1 : tensor<4x4xi1>, tensor<4x4xf32>
    %33 = stablehlo.multiply %31, %9 : tensor<4x4xf32>
    %34 = stablehlo.add %32, %33 : tensor<4x4xf32>
    %35 = stablehlo.multiply %34, %0 : tensor<4x4xf32>
    %36 = stablehlo.abs %0 : tensor<4x4xf32>
    %37 = stablehlo.compare EQ, %36, %cst_0 : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xi1>
    %38 = stablehlo.multiply %0, %cst : tensor<4x4xf32>
    %39 = stablehlo.select %37, %38, %35 : tensor<4x4xi1>, tensor<4x4xf32>
    %40 = stablehlo.broadcast_in_dim %cst_22, dims = [] : (tensor<f32>) -> tensor<4x4xf32>
    %41 = stablehlo.multiply %40, %39 : tensor<4x4xf32>
    return %41 : tensor<4x4xf32>
  }
  func.func private @_uniform(%arg0: tensor<2xui32>, %arg1: tensor<f32>, %arg2: tensor<f32>) -> tensor<4x4xf32> {
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %c = stablehlo.constant dense<1065353216> : tensor<ui32>
    %c_0 = stablehlo.constant dense<9> : tensor<ui32>
    %c_1 = stablehlo.constant dense<32> : tensor<ui64>
    %c_2 = stablehlo.constant dense<1> : tensor<ui64>
    %c_3 = stablehlo.constant dense<4> : tensor<ui64>
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<f32>) -> tensor<1x1xf32>
    %1 = stablehlo.broadcast_in_dim %arg2, dims = [] : (tensor<f32>) -> tensor<1x1xf32>
    %2 = stablehlo.slice %arg0 [0:1] : (tensor<2xui32>) -> tensor<1xui32>
    %3 = stablehlo.reshape %2 : (tensor<1xui32>) -> tensor<ui32>
    %4 = stablehlo.slice %arg0 [1:2] : (tensor<2xui32>) -> tensor<1xui32>
    %5 = stablehlo.reshape %4 : (tensor<1xui32>) -> tensor<ui32>
    %6 = stablehlo.iota dim = 0 : tensor<4x4xui64>
    %7 = stablehlo.iota dim = 1 : tensor<4x4xui64>
    %8 = stablehlo.broadcast_in_dim %c_3, dims = [] : (tensor<ui64>) -> tensor<4x4xui64>
    %9 = stablehlo.multiply %8, %6 : tensor<4x4xui64>
    %10 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<ui64>) -> tensor<4x4xui64>
    %11 = stablehlo.multiply %10, %7 : tensor<4x4xui64>
    %12 = stablehlo.add %9, %11 : tensor<4x4xui64>
    %13 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<ui64>) -> tensor<4x4xui64>
    %14 = stablehlo.shift_right_logical %12, %13 : tensor<4x4xui64>
    %15 = stablehlo.convert %12 : (tensor<4x4xui64>) -> tensor<4x4xui32>
    %16 = stablehlo.convert %14 : (tensor<4x4xui64>) -> tensor<4x4xui32>
    %17:2 = call @threefry2x32(%3, %5, %16, %15) : (tensor<ui32>, tensor<ui32>, tensor<4x4xui32>, tensor<4x4xui32>) -> (tensor<4x4xui32>, tensor<4x4xui32>)
    %18 = stablehlo.xor %17#0, %17#1 : tensor<4x4xui32>
    %19 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<ui32>) -> tensor<4x4xui32>
    %20 = stablehlo.shift_right_logical %18, %19 : tensor<4x4xui32>
    %21 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<ui32>) -> tensor<4x4xui32>
    %22 = stablehlo.or %20, %21 : tensor<4x4xui32>
    %23 = stablehlo.bitcast_convert %22 : (tensor<4x4xui32>) -> tensor<4x4xf32>
    %24 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<4x4xf32>
    %25 = stablehlo.subtract %23, %24 : tensor<4x4xf32>
    %26 = stablehlo.subtract %1, %0 : tensor<1x1xf32>
    %27 = stablehlo.broadcast_in_dim %26, dims = [0, 1] : (tensor<1x1xf32>) -> tensor<4x4xf32>
    %28 = stablehlo.multiply %25, %27 : tensor<4x4xf32>
    %29 = stablehlo.broadcast_in_dim %0, dims = [0, 1] : (tensor<1x1xf32>) -> tensor<4x4xf32>
    %30 = stablehlo.add %28, %29 : tensor<4x4xf32>
    %31 = stablehlo.broadcast_in_dim %0, dims = [0, 1] : (tensor<1x1xf32>) -> tensor<4x4xf32>
    %32 = stablehlo.maximum %31, %30 : tensor<4x4xf32>
    return %32 : tensor<4x4xf32>
  }
  func.func private @threefry2x32(%arg0: tensor<ui32>, %arg1: tensor<ui32>, %arg2: tensor<4x4xui32>, %arg3: tensor<4x4xui32>) -> (tensor<4x4xui32>, tensor<4x4xui32>) {
    %c = stablehlo.constant dense<1> : tensor<i32>
    %c_0 = stablehlo.constant dense<5> : tensor<i32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %c_2 = stablehlo.constant dense<466688986> : tensor<ui32>
    %c_3 = stablehlo.constant dense<[13, 15, 26, 6]> : tensor<4xui32>
    %c_4 = stablehlo.constant dense<[17, 29, 16, 24]> : tensor<4xui32>
    %0 = stablehlo.xor %arg0, %arg1 : tensor<ui32>
    %1 = stablehlo.xor %0, %c_2 : tensor<ui32>
    %2 = stablehlo.broadcast_in_dim %arg0, dims = [] : (tensor<ui32>) -> tensor<4x4xui32>
    %3 = stablehlo.add %arg2, %2 : tensor<4x4xui32>
    %4 = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<ui32>) -> tensor<4x4xui32>
    %5 = stablehlo.add %arg3, %4 : tensor<4x4xui32>
    %6:9 = stablehlo.while(%iterArg = %c_1, %iterArg_5 = %c_1, %iterArg_6 = %3, %iterArg_7 = %5, %iterArg_8 = %arg1, %iterArg_9 = %1, %iterArg_10 = %arg0, %iterArg_11 = %c_3, %iterArg_12 = %c_4) : tensor<i32>, tensor<i32>, tensor<4x4xui32>, tensor<4x4xui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<4xui32>, tensor<4xui32>
    cond {
      %7 = stablehlo.compare LT, %iterArg, %c_0, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %7 : tensor<i1>
    } do {
      %7:8 = func.call @closed_call_13(%iterArg_5, %iterArg_6, %iterArg_7, %iterArg_8, %iterArg_9, %iterArg_10, %iterArg_11, %iterArg_12) : (tensor<i32>, tensor<4x4xui32>, tensor<4x4xui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<4xui32>, tensor<4xui32>) -> (tensor<i32>, tensor<4x4xui32>, tensor<4x4xui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<4xui32>, tensor<4xui32>)
      %8 = stablehlo.add %iterArg, %c : tensor<i32>
      stablehlo.return %8, %7#0, %7#1, %7#2, %7#3, %7#4, %7#5, %7#6, %7#7 : tensor<i32>, tensor<i32>, tensor<4x4xui32>, tensor<4x4xui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<4xui32>, tensor<4xui32>
    }
    return %6#2, %6#3 : tensor<4x4xui32>, tensor<4x4xui32>
  }
  func.func private @closed_call_13(%arg0: tensor<i32>, %arg1: tensor<4x4xui32>, %arg2: tensor<4x4xui32>, %arg3: tensor<ui32>, %arg4: tensor<ui32>, %arg5: tensor<ui32>, %arg6: tensor<4xui32>, %arg7: tensor<4xui32>) -> (tensor<i32>, tensor<4x4xui32>, tensor<4x4xui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<4xui32>, tensor<4xui32>) {
    %c = stablehlo.constant dense<32> : tensor<ui32>
    %c_0 = stablehlo.constant dense<1> : tensor<i32>
    %0 = stablehlo.add %arg0, %c_0 : tensor<i32>
    %1 = stablehlo.slice %arg6 [0:1] : (tensor<4xui32>) -> tensor<1xui32>
    %2 = stablehlo.reshape %1 : (tensor<1xui32>) -> tensor<ui32>
    %3 = stablehlo.add %arg1, %arg2 : tensor<4x4xui32>
    %4 = stablehlo.broadcast_in_dim %2, dims = [] : (tensor<ui32>) -> tensor<4x4xui32>
    %5 = stablehlo.shift_left %arg2, %4 : tensor<4x4xui32>
    %6 = stablehlo.subtract %c, %2 : tensor<ui32>
    %7 = stablehlo.broadcast_in_dim %6, dims = [] : (tensor<ui32>) -> tensor<4x4xui32>
    %8 = stablehlo.shift_right_logical %arg2, %7 : tensor<4x4xui32>
    %9 = stablehlo.or %5, %8 : tensor<4x4xui32>
    %10 = stablehlo.xor %3, %9 : tensor<4x4xui32>
    %11 = stablehlo.slice %arg6 [1:2] : (tensor<4xui32>) -> tensor<1xui32>
    %12 = stablehlo.reshape %11 : (tensor<1xui32>) -> tensor<ui32>
    %13 = stablehlo.add %3, %10 : tensor<4x4xui32>
    %14 = stablehlo.broadcast_in_dim %12, dims = [] : (tensor<ui32>) -> tensor<4x4xui32>
    %15 = stablehlo.shift_left %10, %14 : tensor<4x4xui32>
    %16 = stablehlo.subtract %c, %12 : tensor<ui32>
    %17 = stablehlo.broadcast_in_dim %16, dims = [] : (tensor<ui32>) -> tensor<4x4xui32>
    %18 = stablehlo.shift_right_logical %10, %17 : tensor<4x4xui32>
    %19 = stablehlo.or %15, %18 : tensor<4x4xui32>
    %20 = stablehlo.xor %13, %19 : tensor<4x4xui32>
    %21 = stablehlo.slice %arg6 [2:3] : (tensor<4xui32>) -> tensor<1xui32>
    %22 = stablehlo.reshape %21 : (tensor<1xui32>) -> tensor<ui32>
    %23 = stablehlo.add %13, %20 : tensor<4x4xui32>
    %24 = stablehlo.broadcast_in_dim %22, dims = [] : (tensor<ui32>) -> tensor<4x4xui32>
    %25 = stablehlo.shift_left %20, %24 : tensor<4x4xui32>
    %26 = stablehlo.subtract %c, %22 : tensor<ui32>
    %27 = stablehlo.broadcast_in_dim %26, dims = [] : (tensor<ui32>) -> tensor<4x4xui32>
    %28 = stablehlo.shift_right_logical %20, %27 : tensor<4x4xui32>
    %29 = stablehlo.or %25, %28 : tensor<4x4xui32>
    %30 = stablehlo.xor %23, %29 : tensor<4x4xui32>
    %31 = stablehlo.slice %arg6 [3:4] : (tensor<4xui32>) -> tensor<1xui32>
    %32 = stablehlo.reshape %31 : (tensor<1xui32>) -> tensor<ui32>
    %33 = stablehlo.add %23, %30 : tensor<4x4xui32>
    %34 = stablehlo.broadcast_in_dim %32, dims = [] : (tensor<ui32>) -> tensor<4x4xui32>
    %35 = stablehlo.shift_left %30, %34 : tensor<4x4xui32>
    %36 = stablehlo.subtract %c, %32 : tensor<ui32>
    %37 = stablehlo.broadcast_in_dim %36, dims = [] : (tensor<ui32>) -> tensor<4x4xui32>
    %38 = stablehlo.shift_right_logical %30, %37 : tensor<4x4xui32>
    %39 = stablehlo.or %35, %38 : tensor<4x4xui32>
    %40 = stablehlo.xor %33, %39 : tensor<4x4xui32>
    %41 = stablehlo.broadcast_in_dim %arg3, dims = [] : (tensor<ui32>) -> tensor<4x4xui32>
    %42 = stablehlo.add %33, %41 : tensor<4x4xui32>
    %43 = stablehlo.broadcast_in_dim %arg4, dims = [] : (tensor<ui32>) -> tensor<4x4xui32>
    %44 = stablehlo.add %40, %43 : tensor<4x4xui32>
    %45 = stablehlo.add %arg0, %c_0 : tensor<i32>
    %46 = stablehlo.convert %45 : (tensor<i32>) -> tensor<ui32>
    %47 = stablehlo.broadcast_in_dim %46, dims = [] : (tensor<ui32>) -> tensor<4x4xui32>
    %48 = stablehlo.add %44, %47 : tensor<4x4xui32>
    return %0, %42, %48, %arg4, %arg5, %arg3, %arg7, %arg6 : tensor<i32>, tensor<4x4xui32>, tensor<4x4xui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<4xui32>, tensor<4xui32>
  }
  func.func private @norm(%arg0: tensor<4x4xf32>) -> tensor<4x1xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.multiply %arg0, %arg0 : tensor<4x4xf32>
    %1 = stablehlo.reduce(%0 init: %cst) applies stablehlo.add across dimensions = [1] : (tensor<4x4xf32>, tensor<f32>) -> tensor<4xf32>
    %2 = stablehlo.broadcast_in_dim %1, dims = [0] : (tensor<4xf32>) -> tensor<4x1xf32>
    %3 = stablehlo.sqrt %2 : tensor<4x1xf32>
    return %3 : tensor<4x1xf32>
  }
  func.func private @norm_14(%arg0: tensor<4x4xf32>) -> tensor<4x1xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.multiply %arg0, %arg0 : tensor<4x4xf32>
    %1 = stablehlo.reduce(%0 init: %cst) applies stablehlo.add across dimensions = [1] : (tensor<4x4xf32>, tensor<f32>) -> tensor<4xf32>
    %2 = stablehlo.broadcast_in_dim %1, dims = [0] : (tensor<4xf32>) -> tensor<4x1xf32>
    %3 = stablehlo.sqrt %2 : tensor<4x1xf32>
    return %3 : tensor<4x1xf32>
  }
  func.func private @_pad_15(%arg0: tensor<4x4xf32>, %arg1: tensor<i32>) -> tensor<8x4xf32> {
    %0 = stablehlo.convert %arg1 : (tensor<i32>) -> tensor<f32>
    %1 = stablehlo.pad %arg0, %0, low = [0, 0], high = [4, 0], interior = [0, 0] : (tensor<4x4xf32>, tensor<f32>) -> tensor<8x4xf32>
    return %1 : tensor<8x4xf32>
  }
  func.func private @qr_16(%arg0: tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<4x4xf32>) {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %c = stablehlo.constant dense<-1> : tensor<i32>
    %0:2 = stablehlo.custom_call @lapack_sgeqrf_ffi(%arg0) {mhlo.backend_config = {}, mhlo.frontend_attributes = {num_batch_dims = "0"}, operand_layouts = [dense<[0, 1]> : tensor<2xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [0], operand_index = 0, operand_tuple_indices = []>], result_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<0> : tensor<1xindex>]} : (tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<4xf32>)
    %1 = stablehlo.custom_call @lapack_sorgqr_ffi(%0#0, %0#1) {mhlo.backend_config = {}, mhlo.frontend_attributes = {num_batch_dims = "0"}, operand_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<0> : tensor<1xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 0, operand_tuple_indices = []>], result_layouts = [dense<[0, 1]> : tensor<2xindex>]} : (tensor<4x4xf32>, tensor<4xf32>) -> tensor<4x4xf32>
    %2 = stablehlo.iota dim = 0 : tensor<4x4xi32>
    %3 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<4x4xi32>
    %4 = stablehlo.add %2, %3 : tensor<4x4xi32>
    %5 = stablehlo.iota dim = 1 : tensor<4x4xi32>
    %6 = stablehlo.compare GE, %4, %5, SIGNED : (tensor<4x4xi32>, tensor<4x4xi32>) -> tensor<4x4xi1>
    %7 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<4x4xf32>
    %8 = stablehlo.select %6, %7, %0#0 : tensor<4x4xi1>, tensor<4x4xf32>
    return %1, %8 : tensor<4x4xf32>, tensor<4x4xf32>
  }
  func.func private @_where_17(%arg0: tensor<4x1xi1>, %arg1: tensor<4x4xf32>, %arg2: tensor<4x4xf32>) -> tensor<4x4xf32> {
    %0 = stablehlo.broadcast_in_dim %arg0, dims = [0, 1] : (tensor<4x1xi1>) -> tensor<4x4xi1>
    %1 = stablehlo.select %0, %arg1, %arg2 : tensor<4x4xi1>, tensor<4x4xf32>
    return %1 : tensor<4x4xf32>
  }
  func.func private @qr_18(%arg0: tensor<2x4x4xf32>) -> (tensor<2x4x4xf32>, tensor<2x4x4xf32>) {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %c = stablehlo.constant dense<-1> : tensor<i32>
    %0:2 = stablehlo.custom_call @lapack_sgeqrf_ffi(%arg0) {mhlo.backend_config = {}, mhlo.frontend_attributes = {num_batch_dims = "1"}, operand_layouts = [dense<[1, 2, 0]> : tensor<3xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [0], operand_index = 0, operand_tuple_indices = []>], result_layouts = [dense<[1, 2, 0]> : tensor<3xindex>, dense<[1, 0]> : tensor<2xindex>]} : (tensor<2x4x4xf32>) -> (tensor<2x4x4xf32>, tensor<2x4xf32>)
    %1 = stablehlo.custom_call @lapack_sorgqr_ffi(%0#0, %0#1) {mhlo.backend_config = {}, mhlo.frontend_attributes = {num_batch_dims = "1"}, operand_layouts = [dense<[1, 2, 0]> : tensor<3xindex>, dense<[1, 0]> : tensor<2xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 0, operand_tuple_indices = []>], result_layouts = [dense<[1, 2, 0]> : tensor<3xindex>]} : (tensor<2x4x4xf32>, tensor<2x4xf32>) -> tensor<2x4x4xf32>
    %2 = stablehlo.iota dim = 0 : tensor<4x4xi32>
    %3 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<4x4xi32>
    %4 = stablehlo.add %2, %3 : tensor<4x4xi32>
    %5 = stablehlo.iota dim = 1 : tensor<4x4xi32>
    %6 = stablehlo.compare GE, %4, %5, SIGNED : (tensor<4x4xi32>, tensor<4x4xi32>) -> tensor<4x4xi1>
    %7 = stablehlo.broadcast_in_dim %6, dims = [1, 2] : (tensor<4x4xi1>) -> tensor<2x4x4xi1>
    %8 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<2x4x4xf32>
    %9 = stablehlo.select %7, %8, %0#0 : tensor<2x4x4xi1>, tensor<2x4x4xf32>
    return %1, %9 : tensor<2x4x4xf32>, tensor<2x4x4xf32>
  }
  func.func private @slogdet(%arg0: tensor<2x3x3xcomplex<f32>>) -> (tensor<2xcomplex<f32>>, tensor<2xf32>) {
    %cst = stablehlo.constant dense<(0xFF800000,0.000000e+00)> : tensor<complex<f32>>
    %c = stablehlo.constant dense<-2> : tensor<i32>
    %c_0 = stablehlo.constant dense<2> : tensor<i32>
    %cst_1 = stablehlo.constant dense<(1.000000e+00,0.000000e+00)> : tensor<complex<f32>>
    %c_2 = stablehlo.constant dense<false> : tensor<i1>
    %cst_3 = stablehlo.constant dense<(0.000000e+00,0.000000e+00)> : tensor<complex<f32>>
    %c_4 = stablehlo.constant dense<3> : tensor<i32>
    %cst_5 = stablehlo.constant dense<(0x7FC00000,0x7FC00000)> : tensor<complex<f32>>
    %c_6 = stablehlo.constant dense<0> : tensor<i32>
    %c_7 = stablehlo.constant dense<1> : tensor<i32>
    %0:3 = stablehlo.custom_call @lapack_cgetrf_ffi(%arg0) {mhlo.backend_config = {}, mhlo.frontend_attributes = {num_batch_dims = "1"}, operand_layouts = [dense<[1, 2, 0]> : tensor<3xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [0], operand_index = 0, operand_tuple_indices = []>], result_layouts = [dense<[1, 2, 0]> : tensor<3xindex>, dense<[1, 0]> : tensor<2xindex>, dense<0> : tensor<1xindex>]} : (tensor<2x3x3xcomplex<f32>>) -> (tensor<2x3x3xcomplex<f32>>, tensor<2x3xi32>, tensor<2xi32>)
    %1 = stablehlo.broadcast_in_dim %c_7, dims = [] : (tensor<i32>) -> tensor<2x3xi32>
    %2 = stablehlo.subtract %0#1, %1 : tensor<2x3xi32>
    %3 = stablehlo.broadcast_in_dim %c_6, dims = [] : (tensor<i32>) -> tensor<2xi32>
    %4 = stablehlo.compare GE, %0#2, %3, SIGNED : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi1>
    %5 = stablehlo.broadcast_in_dim %4, dims = [0] : (tensor<2xi1>) -> tensor<2x1x1xi1>
    %6 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<complex<f32>>) -> tensor<2x3x3xcomplex<f32>>
    %7 = stablehlo.broadcast_in_dim %5, dims = [0, 1, 2] : (tensor<2x1x1xi1>) -> tensor<2x3x3xi1>
    %8 = stablehlo.select %7, %0#0, %6 : tensor<2x3x3xi1>, tensor<2x3x3xcomplex<f32>>
    %9 = stablehlo.iota dim = 1 : tensor<2x3xi32>
    %10:4 = stablehlo.while(%iterArg = %2, %iterArg_8 = %c_6, %iterArg_9 = %c_6, %iterArg_10 = %9) : tensor<2x3xi32>, tensor<i32>, tensor<i32>, tensor<2x3xi32>
    cond {
      %38 = stablehlo.compare LT, %iterArg_8, %c_4, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %38 : tensor<i1>
    } do {
      %38:2 = func.call @closed_call_19(%iterArg, %iterArg_9, %iterArg_10) : (tensor<2x3xi32>, tensor<i32>, tensor<2x3xi32>) -> (tensor<i32>, tensor<2x3xi32>)
      %39 = stablehlo.add %iterArg_8, %c_7 : tensor<i32>
      stablehlo.return %iterArg, %39, %38#0, %38#1 : tensor<2x3xi32>, tensor<i32>, tensor<i32>, tensor<2x3xi32>
    }
    %11 = call @diagonal_20(%8) : (tensor<2x3x3xcomplex<f32>>) -> tensor<2x3xcomplex<f32>>
    %12 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<complex<f32>>) -> tensor<2x3xcomplex<f32>>
    %13 = stablehlo.compare EQ, %11, %12, FLOAT : (tensor<2x3xcomplex<f32>>, tensor<2x3xcomplex<f32>>) -> tensor<2x3xi1>
    %14 = stablehlo.reduce(%13 init: %c_2) applies stablehlo.or across dimensions = [1] : (tensor<2x3xi1>, tensor<i1>) -> tensor<2xi1>
    %15 = stablehlo.iota dim = 0 : tensor<3xi32>
    %16 = stablehlo.broadcast_in_dim %15, dims = [1] : (tensor<3xi32>) -> tensor<1x3xi32>
    %17 = stablehlo.broadcast_in_dim %16, dims = [0, 1] : (tensor<1x3xi32>) -> tensor<2x3xi32>
    %18 = stablehlo.compare NE, %2, %17, SIGNED : (tensor<2x3xi32>, tensor<2x3xi32>) -> tensor<2x3xi1>
    %19 = call @count_nonzero(%18) : (tensor<2x3xi1>) -> tensor<2xi32>
    %20 = stablehlo.abs %11 : (tensor<2x3xcomplex<f32>>) -> tensor<2x3xf32>
    %21 = stablehlo.convert %20 : (tensor<2x3xf32>) -> tensor<2x3xcomplex<f32>>
    %22 = stablehlo.divide %11, %21 : tensor<2x3xcomplex<f32>>
    %23 = stablehlo.reduce(%22 init: %cst_1) applies stablehlo.multiply across dimensions = [1] : (tensor<2x3xcomplex<f32>>, tensor<complex<f32>>) -> tensor<2xcomplex<f32>>
    %24 = call @remainder_21(%19, %c_0) : (tensor<2xi32>, tensor<i32>) -> tensor<2xi32>
    %25 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<2xi32>
    %26 = stablehlo.multiply %25, %24 : tensor<2xi32>
    %27 = stablehlo.broadcast_in_dim %c_7, dims = [] : (tensor<i32>) -> tensor<2xi32>
    %28 = stablehlo.add %26, %27 : tensor<2xi32>
    %29 = stablehlo.convert %28 : (tensor<2xi32>) -> tensor<2xcomplex<f32>>
    %30 = stablehlo.multiply %23, %29 : tensor<2xcomplex<f32>>
    %31 = call @_where_22(%14, %cst_3, %30) : (tensor<2xi1>, tensor<complex<f32>>, tensor<2xcomplex<f32>>) -> tensor<2xcomplex<f32>>
    %32 = stablehlo.abs %11 : (tensor<2x3xcomplex<f32>>) -> tensor<2x3xf32>
    %33 = stablehlo.log %32 : tensor<2x3xf32>
    %34 = stablehlo.convert %33 : (tensor<2x3xf32>) -> tensor<2x3xcomplex<f32>>
    %35 = stablehlo.reduce(%34 init: %cst_3) applies stablehlo.add across dimensions = [1] : (tensor<2x3xcomplex<f32>>, tensor<complex<f32>>) -> tensor<2xcomplex<f32>>
    %36 = call @_where_22(%14, %cst, %35) : (tensor<2xi1>, tensor<complex<f32>>, tensor<2xcomplex<f32>>) -> tensor<2xcomplex<f32>>
    %37 = stablehlo.real %36 : (tensor<2xcomplex<f32>>) -> tensor<2xf32>
    return %31, %37 : tensor<2xcomplex<f32>>, tensor<2xf32>
  }
  func.func private @closed_call_19(%arg0: tensor<2x3xi32>, %arg1: tensor<i32>, %arg2: tensor<2x3xi32>) -> (tensor<i32>, tensor<2x3xi32>) {
    %c = stablehlo.constant dense<3> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %c_1 = stablehlo.constant dense<1> : tensor<i32>
    %0 = stablehlo.add %arg1, %c_1 : tensor<i32>
    %1 = stablehlo.compare LT, %arg1, %c_0, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %2 = stablehlo.convert %arg1 : tensor<i32>
    %3 = stablehlo.add %2, %c : tensor<i32>
    %4 = stablehlo.select %1, %3, %arg1 : tensor<i1>, tensor<i32>
    %5 = stablehlo.broadcast_in_dim %4, dims = [] : (tensor<i32>) -> tensor<1xi32>
    %6 = "stablehlo.gather"(%arg0, %5) <{dimension_numbers = #stablehlo.gather<offset_dims = [0, 1], start_index_map = [1]>, indices_are_sorted = true, slice_sizes = array<i64: 2, 1>}> : (tensor<2x3xi32>, tensor<1xi32>) -> tensor<2x1xi32>
    %7 = stablehlo.reshape %6 : (tensor<2x1xi32>) -> tensor<2xi32>
    %8 = stablehlo.compare LT, %arg1, %c_0, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %9 = stablehlo.convert %arg1 : tensor<i32>
    %10 = stablehlo.add %9, %c : tensor<i32>
    %11 = stablehlo.select %8, %10, %arg1 : tensor<i1>, tensor<i32>
    %12 = stablehlo.broadcast_in_dim %11, dims = [] : (tensor<i32>) -> tensor<1xi32>
    %13 = "stablehlo.gather"(%arg2, %12) <{dimension_numbers = #stablehlo.gather<offset_dims = [0, 1], start_index_map = [1]>, indices_are_sorted = true, slice_sizes = array<i64: 2, 1>}> : (tensor<2x3xi32>, tensor<1xi32>) -> tensor<2x1xi32>
    %14 = stablehlo.reshape %13 : (tensor<2x1xi32>) -> tensor<2xi32>
    %15 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<2xi32>
    %16 = stablehlo.compare LT, %7, %15, SIGNED : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi1>
    %17 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<2xi32>
    %18 = stablehlo.add %7, %17 : tensor<2xi32>
    %19 = stablehlo.select %16, %18, %7 : tensor<2xi1>, tensor<2xi32>
    %20 = stablehlo.broadcast_in_dim %19, dims = [0] : (tensor<2xi32>) -> tensor<2x1xi32>
    %21 = "stablehlo.gather"(%arg2, %20) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1], index_vector_dim = 1>, indices_are_sorted = true, slice_sizes = array<i64: 1, 1>}> : (tensor<2x3xi32>, tensor<2x1xi32>) -> tensor<2x1xi32>
    %22 = stablehlo.reshape %21 : (tensor<2x1xi32>) -> tensor<2xi32>
    %23 = stablehlo.compare LT, %arg1, %c_0, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %24 = stablehlo.add %arg1, %c : tensor<i32>
    %25 = stablehlo.select %23, %24, %arg1 : tensor<i1>, tensor<i32>
    %26 = stablehlo.convert %25 : tensor<i32>
    %27 = stablehlo.broadcast_in_dim %26, dims = [] : (tensor<i32>) -> tensor<1xi32>
    %28 = "stablehlo.scatter"(%arg2, %27, %22) <{indices_are_sorted = true, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [0], inserted_window_dims = [1], scatter_dims_to_operand_dims = [1]>, unique_indices = true}> ({
    ^bb0(%arg3: tensor<i32>, %arg4: tensor<i32>):
      stablehlo.return %arg4 : tensor<i32>
    }) : (tensor<2x3xi32>, tensor<1xi32>, tensor<2xi32>) -> tensor<2x3xi32>
    %29 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<2xi32>
    %30 = stablehlo.compare LT, %7, %29, SIGNED : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi1>
    %31 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<2xi32>
    %32 = stablehlo.add %7, %31 : tensor<2xi32>
    %33 = stablehlo.select %30, %32, %7 : tensor<2xi1>, tensor<2xi32>
    %34 = stablehlo.broadcast_in_dim %33, dims = [0] : (tensor<2xi32>) -> tensor<2x1xi32>
    %35 = "stablehlo.scatter"(%28, %34, %14) <{indices_are_sorted = true, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [1], input_batching_dims = [0], scatter_indices_batching_dims = [0], scatter_dims_to_operand_dims = [1], index_vector_dim = 1>, unique_indices = true}> ({
    ^bb0(%arg3: tensor<i32>, %arg4: tensor<i32>):
      stablehlo.return %arg4 : tensor<i32>
    }) : (tensor<2x3xi32>, tensor<2x1xi32>, tensor<2xi32>) -> tensor<2x3xi32>
    return %0, %35 : tensor<i32>, tensor<2x3xi32>
  }
  func.func private @diagonal_20(%arg0: tensor<2x3x3xcomplex<f32>>) -> tensor<2x3xcomplex<f32>> {
    %c = stablehlo.constant dense<3> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.iota dim = 0 : tensor<3xi32>
    %1 = stablehlo.iota dim = 0 : tensor<3xi32>
    %2 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<3xi32>
    %3 = stablehlo.compare LT, %0, %2, SIGNED : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi1>
    %4 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<3xi32>
    %5 = stablehlo.add %0, %4 : tensor<3xi32>
    %6 = stablehlo.select %3, %5, %0 : tensor<3xi1>, tensor<3xi32>
    %7 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<3xi32>
    %8 = stablehlo.compare LT, %1, %7, SIGNED : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi1>
    %9 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<3xi32>
    %10 = stablehlo.add %1, %9 : tensor<3xi32>
    %11 = stablehlo.select %8, %10, %1 : tensor<3xi1>, tensor<3xi32>
    %12 = stablehlo.broadcast_in_dim %6, dims = [0] : (tensor<3xi32>) -> tensor<3x1xi32>
    %13 = stablehlo.broadcast_in_dim %11, dims = [0] : (tensor<3xi32>) -> tensor<3x1xi32>
    %14 = stablehlo.concatenate %12, %13, dim = 1 : (tensor<3x1xi32>, tensor<3x1xi32>) -> tensor<3x2xi32>
    %15 = "stablehlo.gather"(%arg0, %14) <{dimension_numbers = #stablehlo.gather<offset_dims = [0], collapsed_slice_dims = [1, 2], start_index_map = [1, 2], index_vector_dim = 1>, slice_sizes = array<i64: 2, 1, 1>}> : (tensor<2x3x3xcomplex<f32>>, tensor<3x2xi32>) -> tensor<2x3xcomplex<f32>>
    return %15 : tensor<2x3xcomplex<f32>>
  }
  func.func private @count_nonzero(%arg0: tensor<2x3xi1>) -> tensor<2xi32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<false> : tensor<i1>
    %0 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i1>) -> tensor<2x3xi1>
    %1 = stablehlo.compare NE, %arg0, %0, UNSIGNED : (tensor<2x3xi1>, tensor<2x3xi1>) -> tensor<2x3xi1>
    %2 = stablehlo.convert %1 : (tensor<2x3xi1>) -> tensor<2x3xi32>
    %3 = stablehlo.reduce(%2 init: %c) applies stablehlo.add across dimensions = [1] : (tensor<2x3xi32>, tensor<i32>) -> tensor<2xi32>
    return %3 : tensor<2xi32>
  }
  func.func private @remainder_21(%arg0: tensor<2xi32>, %arg1: tensor<i32>) -> tensor<2xi32> {
    %c = stablehlo.constant dense<1> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.convert %arg1 : tensor<i32>
    %1 = stablehlo.compare EQ, %0, %c_0, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %2 = call @_where_12(%1, %c, %0) : (tensor<i1>, tensor<i32>, tensor<i32>) -> tensor<i32>
    %3 = stablehlo.broadcast_in_dim %2, dims = [] : (tensor<i32>) -> tensor<2xi32>
    %4 = stablehlo.remainder %arg0, %3 : tensor<2xi32>
    %5 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<2xi32>
    %6 = stablehlo.compare NE, %4, %5, SIGNED : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi1>
    %7 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<2xi32>
    %8 = stablehlo.compare LT, %4, %7, SIGNED : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi1>
    %9 = stablehlo.compare LT, %2, %c_0, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %10 = stablehlo.broadcast_in_dim %9, dims = [] : (tensor<i1>) -> tensor<2xi1>
    %11 = stablehlo.compare NE, %8, %10, UNSIGNED : (tensor<2xi1>, tensor<2xi1>) -> tensor<2xi1>
    %12 = stablehlo.and %11, %6 : tensor<2xi1>
    %13 = stablehlo.broadcast_in_dim %2, dims = [] : (tensor<i32>) -> tensor<2xi32>
    %14 = stablehlo.add %4, %13 : tensor<2xi32>
    %15 = stablehlo.select %12, %14, %4 : tensor<2xi1>, tensor<2xi32>
    return %15 : tensor<2xi32>
  }
  func.func private @_where_22(%arg0: tensor<2xi1>, %arg1: tensor<complex<f32>>, %arg2: tensor<2xcomplex<f32>>) -> tensor<2xcomplex<f32>> {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<complex<f32>>) -> tensor<2xcomplex<f32>>
    %1 = stablehlo.select %arg0, %0, %arg2 : tensor<2xi1>, tensor<2xcomplex<f32>>
    return %1 : tensor<2xcomplex<f32>>
  }
}

