module @algorithms {
  func.func public @main(%x: tensor<2x4x4xf32>, %z: tensor<3x8xcomplex<f32>>, %b: tensor<2x4x3xf32>, %state: tensor<2xui64>) -> (tensor<2x4x3xcomplex<f32>>, tensor<3x8xcomplex<f32>>, tensor<3x14xf32>, tensor<3x8xcomplex<f32>>, tensor<2x4x3xf32>, tensor<2x4x3xf32>, tensor<2xui64>, tensor<5xui8>, tensor<3xui64>, tensor<2x2xf64>) {
    %0 = stablehlo.fft %x, type = RFFT, length = [4] : (tensor<2x4x4xf32>) -> tensor<2x4x3xcomplex<f32>>
    %1 = "stablehlo.fft"(%z) <{fft_length = array<i64: 3, 8>, fft_type = #stablehlo<fft_type IFFT>}> : (tensor<3x8xcomplex<f32>>) -> tensor<3x8xcomplex<f32>>
    %2 = stablehlo.fft %z, type = IRFFT, length = [14] : (tensor<3x8xcomplex<f32>>) -> tensor<3x14xf32>
    %c = stablehlo.constant dense<[(1.0, -2.5), (0.0, 0x7F800000), (-0.0, 3.0), (1.0, 1.0), (2.0, 2.0), (3.0, 3.0), (4.0, 4.0), (5.0, 5.0)]> : tensor<8xcomplex<f32>>
    %s = stablehlo.constant dense<(0.5, -0.25)> : tensor<3x8xcomplex<f32>>
    %k = stablehlo.broadcast_in_dim %c, dims = [1] : (tensor<8xcomplex<f32>>) -> tensor<3x8xcomplex<f32>>
    %m = stablehlo.multiply %k, %s : tensor<3x8xcomplex<f32>>
    %re = stablehlo.real %m : (tensor<3x8xcomplex<f32>>) -> tensor<3x8xf32>
    %im = stablehlo.imag %z : (tensor<3x8xcomplex<f32>>) -> tensor<3x8xf32>
    %3 = stablehlo.complex %re, %im : tensor<3x8xcomplex<f32>>
    %l = stablehlo.cholesky %x, lower = true : tensor<2x4x4xf32>
    %u = "stablehlo.cholesky"(%x) <{lower = false}> : (tensor<2x4x4xf32>) -> tensor<2x4x4xf32>
    %4 = "stablehlo.triangular_solve"(%l, %b) <{left_side = true, lower = true, transpose_a = #stablehlo<transpose ADJOINT>, unit_diagonal = false}> : (tensor<2x4x4xf32>, tensor<2x4x3xf32>) -> tensor<2x4x3xf32>
    %5 = "stablehlo.triangular_solve"(%u, %b) <{left_side = true, lower = false, transpose_a = #stablehlo<transpose NO_TRANSPOSE>, unit_diagonal = true}> : (tensor<2x4x4xf32>, tensor<2x4x3xf32>) -> tensor<2x4x3xf32>
    %6:2 = stablehlo.rng_bit_generator %state, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<5xui8>)
    %more = stablehlo.concatenate %state, %6#0, dim = 0 : (tensor<2xui64>, tensor<2xui64>) -> tensor<4xui64>
    %three = stablehlo.slice %more [0:3] : (tensor<4xui64>) -> tensor<3xui64>
    %8:2 = "stablehlo.rng_bit_generator"(%three) <{rng_algorithm = #stablehlo<rng_algorithm PHILOX>}> : (tensor<3xui64>) -> (tensor<3xui64>, tensor<2x2xf64>)
    return %0, %1, %2, %3, %4, %5, %6#0, %6#1, %8#0, %8#1 : tensor<2x4x3xcomplex<f32>>, tensor<3x8xcomplex<f32>>, tensor<3x14xf32>, tensor<3x8xcomplex<f32>>, tensor<2x4x3xf32>, tensor<2x4x3xf32>, tensor<2xui64>, tensor<5xui8>, tensor<3xui64>, tensor<2x2xf64>
  }
}
