// Quantized types are refused by name, whatever the operation.

// case quantized: unsupported: type tensor<2x!quant.uniform<i8:f32, 1.0>>: a quantized element type
func.func @f(%x: tensor<2x!quant.uniform<i8:f32, 1.0>>) -> tensor<2x!quant.uniform<i8:f32, 1.0>> {
  %0 = "stablehlo.add"(%x, %x) : (tensor<2x!quant.uniform<i8:f32, 1.0>>, tensor<2x!quant.uniform<i8:f32, 1.0>>) -> tensor<2x!quant.uniform<i8:f32, 1.0>>
  return %0 : tensor<2x!quant.uniform<i8:f32, 1.0>>
}
