module @algorithms {
  func.func public @main(%arg0: tensor<2x4x4xf32>, %arg1: tensor<3x8xcomplex<f32>>, %arg2: tensor<2x4x3xf32>, %arg3: tensor<2xui64>) -> (tensor<2x4x3xcomplex<f32>>, tensor<3x8xcomplex<f32>>, tensor<3x14xf32>, tensor<3x8xcomplex<f32>>, tensor<2x4x3xf32>, tensor<2x4x3xf32>, tensor<2xui64>, tensor<5xui8>, tensor<3xui64>, tensor<2x2xf64>) {
    %0 = stablehlo.fft %arg0, type = RFFT, length = [4] : (tensor<2x4x4xf32>) -> tensor<2x4x3xcomplex<f32>>
    %1 = stablehlo.fft %arg1, type = IFFT, length = [3, 8] : (tensor<3x8xcomplex<f32>>) -> tensor<3x8xcomplex<f32>>
    %2 = stablehlo.fft %arg1, type = IRFFT, length = [14] : (tensor<3x8xcomplex<f32>>) -> tensor<3x14xf32>
    %cst = stablehlo.constant dense<[(1.000000e+00,-2.500000e+00), (0.000000e+00,0x7F800000), (-0.000000e+00,3.000000e+00), (1.000000e+00,1.000000e+00), (2.000000e+00,2.000000e+00), (3.000000e+00,3.000000e+00), (4.000000e+00,4.000000e+00), (5.000000e+00,5.000000e+00)]> : tensor<8xcomplex<f32>>
    %cst_0 = stablehlo.constant dense<(5.000000e-01,-2.500000e-01)> : tensor<3x8xcomplex<f32>>
    %3 = stablehlo.broadcast_in_dim %cst, dims = [1] : (tensor<8xcomplex<f32>>) -> tensor<3x8xcomplex<f32>>
    %4 = stablehlo.multiply %3, %cst_0 : tensor<3x8xcomplex<f32>>
    %5 = stablehlo.real %4 : (tensor<3x8xcomplex<f32>>) -> tensor<3x8xf32>
    %6 = stablehlo.imag %arg1 : (tensor<3x8xcomplex<f32>>) -> tensor<3x8xf32>
    %7 = stablehlo.complex %5, %6 : tensor<3x8xcomplex<f32>>
    %8 = stablehlo.cholesky %arg0, lower = true : tensor<2x4x4xf32>
    %9 = stablehlo.cholesky %arg0 : tensor<2x4x4xf32>
    %10 = "stablehlo.triangular_solve"(%8, %arg2) <{left_side = true, lower = true, transpose_a = #stablehlo<transpose ADJOINT>, unit_diagonal = false}> : (tensor<2x4x4xf32>, tensor<2x4x3xf32>) -> tensor<2x4x3xf32>
    %11 = "stablehlo.triangular_solve"(%9, %arg2) <{left_side = true, lower = false, transpose_a = #stablehlo<transpose NO_TRANSPOSE>, unit_diagonal = true}> : (tensor<2x4x4xf32>, tensor<2x4x3xf32>) -> tensor<2x4x3xf32>
    %output_state, %output = stablehlo.rng_bit_generator %arg3, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<5xui8>)
    %12 = stablehlo.concatenate %arg3, %output_state, dim = 0 : (tensor<2xui64>, tensor<2xui64>) -> tensor<4xui64>
    %13 = stablehlo.slice %12 [0:3] : (tensor<4xui64>) -> tensor<3xui64>
    %output_state_1, %output_2 = stablehlo.rng_bit_generator %13, algorithm = PHILOX : (tensor<3xui64>) -> (tensor<3xui64>, tensor<2x2xf64>)
    return %0, %1, %2, %7, %10, %11, %output_state, %output, %output_state_1, %output_2 : tensor<2x4x3xcomplex<f32>>, tensor<3x8xcomplex<f32>>, tensor<3x14xf32>, tensor<3x8xcomplex<f32>>, tensor<2x4x3xf32>, tensor<2x4x3xf32>, tensor<2xui64>, tensor<5xui8>, tensor<3xui64>, tensor<2x2xf64>
  }
}

