// Transforms, matrices and random bits.

// case fft_c1: fft (C1): 2 lengths are more than the dimensions of c64[8]
func.func @f(%x: tensor<8xcomplex<f32>>) -> tensor<8xcomplex<f32>> {
  %0 = stablehlo.fft %x, type = FFT, length = [1, 8] : (tensor<8xcomplex<f32>>) -> tensor<8xcomplex<f32>>
  return %0 : tensor<8xcomplex<f32>>
}

// case fft_c2: fft (C2): FFT is not defined on f32[8]
func.func @f(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = stablehlo.fft %x, type = FFT, length = [8] : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// case fft_c2_real: fft (C2): RFFT is not defined on c64[8]
func.func @f(%x: tensor<8xcomplex<f32>>) -> tensor<5xcomplex<f32>> {
  %0 = stablehlo.fft %x, type = RFFT, length = [8] : (tensor<8xcomplex<f32>>) -> tensor<5xcomplex<f32>>
  return %0 : tensor<5xcomplex<f32>>
}

// case fft_c2_result: fft (C2): gives tensor<5xcomplex<f32>>, but is declared as tensor<5xcomplex<f64>>
func.func @f(%x: tensor<8xf32>) -> tensor<5xcomplex<f64>> {
  %0 = stablehlo.fft %x, type = RFFT, length = [8] : (tensor<8xf32>) -> tensor<5xcomplex<f64>>
  return %0 : tensor<5xcomplex<f64>>
}

// case fft_c3: fft (C3): has 4 lengths; it takes 1 to 3
func.func @f(%x: tensor<2x2x2x8xcomplex<f32>>) -> tensor<2x2x2x8xcomplex<f32>> {
  %0 = stablehlo.fft %x, type = FFT, length = [2, 2, 2, 8] : (tensor<2x2x2x8xcomplex<f32>>) -> tensor<2x2x2x8xcomplex<f32>>
  return %0 : tensor<2x2x2x8xcomplex<f32>>
}

// case fft_c3_none: fft (C3): has 0 lengths; it takes 1 to 3
func.func @f(%x: tensor<8xcomplex<f32>>) -> tensor<8xcomplex<f32>> {
  %0 = stablehlo.fft %x, type = FFT, length = [] : (tensor<8xcomplex<f32>>) -> tensor<8xcomplex<f32>>
  return %0 : tensor<8xcomplex<f32>>
}

// case fft_c4: fft (C4): dimension 0 of f32[8] is not 7, as lengths [7] say
func.func @f(%x: tensor<8xf32>) -> tensor<5xcomplex<f32>> {
  %0 = stablehlo.fft %x, type = RFFT, length = [7] : (tensor<8xf32>) -> tensor<5xcomplex<f32>>
  return %0 : tensor<5xcomplex<f32>>
}

// case fft_c5: fft (C5): gives tensor<8xcomplex<f32>>, but is declared as tensor<7xcomplex<f32>>
func.func @f(%x: tensor<8xcomplex<f32>>) -> tensor<7xcomplex<f32>> {
  %0 = stablehlo.fft %x, type = FFT, length = [8] : (tensor<8xcomplex<f32>>) -> tensor<7xcomplex<f32>>
  return %0 : tensor<7xcomplex<f32>>
}

// case fft_c5_half: fft (C5): dimension 0 of c64[6] is not 5, as lengths [8] say
func.func @f(%x: tensor<6xcomplex<f32>>) -> tensor<8xf32> {
  %0 = stablehlo.fft %x, type = IRFFT, length = [8] : (tensor<6xcomplex<f32>>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// case cholesky_c1: cholesky (C1): gives tensor<3x3xf32>, but is declared as tensor<3x3xf64>
func.func @f(%x: tensor<3x3xf32>) -> tensor<3x3xf64> {
  %0 = stablehlo.cholesky %x, lower = true : (tensor<3x3xf32>) -> tensor<3x3xf64>
  return %0 : tensor<3x3xf64>
}

// case cholesky_c2: cholesky (C2): f32[3] holds no matrices: its rank is less than 2
func.func @f(%x: tensor<3xf32>) -> tensor<3xf32> {
  %0 = stablehlo.cholesky %x, lower = true : (tensor<3xf32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}

// case cholesky_c3: cholesky (C3): the matrices of f32[2,3] are not square
func.func @f(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = stablehlo.cholesky %x, lower = true : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

// case triangular_solve_c1: triangular_solve (C1): element types differ: f32[4,4] and f64[4,3]
func.func @f(%a: tensor<4x4xf32>, %b: tensor<4x3xf64>) -> tensor<4x3xf64> {
  %0 = "stablehlo.triangular_solve"(%a, %b) <{left_side = true, lower = true, unit_diagonal = false, transpose_a = #stablehlo<transpose NO_TRANSPOSE>}> : (tensor<4x4xf32>, tensor<4x3xf64>) -> tensor<4x3xf64>
  return %0 : tensor<4x3xf64>
}

// case triangular_solve_c2: triangular_solve (C2): f32[4] holds no matrices: its rank is less than 2
func.func @f(%a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4xf32> {
  %0 = "stablehlo.triangular_solve"(%a, %b) <{left_side = true, lower = true, unit_diagonal = false, transpose_a = #stablehlo<transpose NO_TRANSPOSE>}> : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// case triangular_solve_c2_rank: triangular_solve (C2): ranks differ: f32[4,4] and f32[4]
func.func @f(%a: tensor<4x4xf32>, %b: tensor<4xf32>) -> tensor<4xf32> {
  %0 = "stablehlo.triangular_solve"(%a, %b) <{left_side = true, lower = true, unit_diagonal = false, transpose_a = #stablehlo<transpose NO_TRANSPOSE>}> : (tensor<4x4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// case triangular_solve_c3: triangular_solve (C3): dimension 0 of f32[5,3] is not 4, the size of the matrices of f32[4,4]
func.func @f(%a: tensor<4x4xf32>, %b: tensor<5x3xf32>) -> tensor<5x3xf32> {
  %0 = "stablehlo.triangular_solve"(%a, %b) <{left_side = true, lower = true, unit_diagonal = false, transpose_a = #stablehlo<transpose NO_TRANSPOSE>}> : (tensor<4x4xf32>, tensor<5x3xf32>) -> tensor<5x3xf32>
  return %0 : tensor<5x3xf32>
}

// case triangular_solve_c3_square: triangular_solve (C3): the matrices of f32[4,5] are not square
func.func @f(%a: tensor<4x5xf32>, %b: tensor<4x3xf32>) -> tensor<4x3xf32> {
  %0 = "stablehlo.triangular_solve"(%a, %b) <{left_side = true, lower = true, unit_diagonal = false, transpose_a = #stablehlo<transpose NO_TRANSPOSE>}> : (tensor<4x5xf32>, tensor<4x3xf32>) -> tensor<4x3xf32>
  return %0 : tensor<4x3xf32>
}

// case triangular_solve_c3_right: triangular_solve (C3): dimension 1 of f32[4,3] is not 4, the size of the matrices of f32[4,4]
func.func @f(%a: tensor<4x4xf32>, %b: tensor<4x3xf32>) -> tensor<4x3xf32> {
  %0 = "stablehlo.triangular_solve"(%a, %b) <{left_side = false, lower = true, unit_diagonal = false, transpose_a = #stablehlo<transpose NO_TRANSPOSE>}> : (tensor<4x4xf32>, tensor<4x3xf32>) -> tensor<4x3xf32>
  return %0 : tensor<4x3xf32>
}

// case triangular_solve_c3_batch: triangular_solve (C3): batch dimensions differ: f32[2,4,4] and f32[3,4,3]
func.func @f(%a: tensor<2x4x4xf32>, %b: tensor<3x4x3xf32>) -> tensor<3x4x3xf32> {
  %0 = "stablehlo.triangular_solve"(%a, %b) <{left_side = true, lower = true, unit_diagonal = false, transpose_a = #stablehlo<transpose NO_TRANSPOSE>}> : (tensor<2x4x4xf32>, tensor<3x4x3xf32>) -> tensor<3x4x3xf32>
  return %0 : tensor<3x4x3xf32>
}

// case triangular_solve_c4: triangular_solve (C4): gives tensor<4x3xf32>, but is declared as tensor<4x4xf32>
func.func @f(%a: tensor<4x4xf32>, %b: tensor<4x3xf32>) -> tensor<4x4xf32> {
  %0 = "stablehlo.triangular_solve"(%a, %b) <{left_side = true, lower = true, unit_diagonal = false, transpose_a = #stablehlo<transpose NO_TRANSPOSE>}> : (tensor<4x4xf32>, tensor<4x3xf32>) -> tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}

// case triangular_solve_c4_element: triangular_solve (C4): gives tensor<4x3xf32>, but is declared as tensor<4x3xf64>
func.func @f(%a: tensor<4x4xf32>, %b: tensor<4x3xf32>) -> tensor<4x3xf64> {
  %0 = "stablehlo.triangular_solve"(%a, %b) <{left_side = true, lower = true, unit_diagonal = false, transpose_a = #stablehlo<transpose NO_TRANSPOSE>}> : (tensor<4x4xf32>, tensor<4x3xf32>) -> tensor<4x3xf64>
  return %0 : tensor<4x3xf64>
}

// case rng_bit_generator_c1: rng_bit_generator (C1): gives tensor<2xui64>, but is declared as tensor<3xui64>
func.func @f(%s: tensor<2xui64>) -> tensor<3xui64> {
  %0, %1 = stablehlo.rng_bit_generator %s, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<3xui64>, tensor<4xui32>)
  return %0 : tensor<3xui64>
}

// case rng_bit_generator_c2: rng_bit_generator (C2): a state of 3 u64s does not fit THREE_FRY
func.func @f(%s: tensor<3xui64>) -> tensor<3xui64> {
  %0, %1 = stablehlo.rng_bit_generator %s, algorithm = THREE_FRY : (tensor<3xui64>) -> (tensor<3xui64>, tensor<4xui32>)
  return %0 : tensor<3xui64>
}

// case rng_bit_generator_c2_philox: rng_bit_generator (C2): a state of 4 u64s does not fit PHILOX
func.func @f(%s: tensor<4xui64>) -> tensor<4xui64> {
  %0, %1 = stablehlo.rng_bit_generator %s, algorithm = PHILOX : (tensor<4xui64>) -> (tensor<4xui64>, tensor<4xui32>)
  return %0 : tensor<4xui64>
}
