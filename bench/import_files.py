"""Writes the files that bench/import.sh reads: modules as JAX prints them, and large constants.

    python import_files.py FOLDER [--ops N] [--mib N]     # needs numpy

  ops.mlir       an unrolled transformer of at least N operations, with locations
  ops_bare.mlir  the same without locations
  splats.mlir    a quarter as many bytes as a constant file: constants of one repeated element
  hex_*.mlir, dec_*.mlir
                 one constant of N MiB of text, as hexadecimal bytes or as nested lists of decimals
The same arguments give the same bytes.
"""
import argparse
import os

import numpy as np

B, T, D, H, F = 8, 512, 768, 12, 3072
SHARDS = 'module @jit_loss attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {\n'


def t(*shape, dtype="f32"):
    return "tensor<" + "".join(f"{d}x" for d in shape) + dtype + ">"


class Body:
    """Operations in order, each with a location of its own as `jax.jit(f).lower(...).as_text(debug_info=True)` has."""

    def __init__(self, locations):
        self.lines, self.locs, self.located = [], [], locations
        self.next = self.constants = 0
        self.scope = ""

    def loc(self, primitive):
        if not self.located:
            return ""
        n = len(self.locs)
        self.locs.append(f'jit(loss)/{self.scope}/{primitive}')
        return f" loc(#loc{n + 100})"

    def op(self, text, primitive):
        self.lines.append(f"    %{self.next} = {text}{self.loc(primitive)}\n")
        self.next += 1
        return f"%{self.next - 1}"

    def constant(self, value):
        name = "%cst" if self.constants == 0 else f"%cst_{self.constants - 1}"
        self.constants += 1
        self.lines.append(f"    {name} = stablehlo.constant dense<{value}> : tensor<f32>{self.loc('jit')}\n")
        return name

    def unary(self, name, x, ty, primitive):
        return self.op(f"stablehlo.{name} {x} : {ty}", primitive)

    def binary(self, name, x, y, ty, primitive):
        return self.op(f"stablehlo.{name} {x}, {y} : {ty}", primitive)

    def spread(self, x, dims, a, b):
        return self.op(f"stablehlo.broadcast_in_dim {x}, dims = {dims} : ({a}) -> {b}", "broadcast_in_dim")

    def scalar(self, value, ty):
        return self.spread(self.constant(value), "[]", t(), ty)

    def reduce(self, x, monoid, init, dim, a, b, primitive):
        c = self.constant(init)
        return self.op(f"stablehlo.reduce({x} init: {c}) applies stablehlo.{monoid} across dimensions = [{dim}] : "
                       f"({a}, {t()}) -> {b}", primitive)

    def dot(self, x, y, numbers, a, b, c):
        return self.op(f"stablehlo.dot_general {x}, {y}, {numbers}, precision = [DEFAULT, DEFAULT] : "
                       f"({a}, {b}) -> {c}", "dot_general")

    def norm(self, x, scale, bias, scope):
        self.scope = scope
        full, row, column = t(B, T, D), t(B, T), t(B, T, 1)
        mean = self.spread(self.reduce(x, "add", "0.000000e+00", 2, full, row, "reduce_sum"), "[0, 1]", row, column)
        mean = self.binary("divide", mean, self.scalar("7.680000e+02", column), column, "div")
        x = self.binary("subtract", x, self.spread(mean, "[0, 1, 2]", column, full), full, "sub")
        square = self.op(f"chlo.square {x} : {full} -> {full}", "square")
        var = self.spread(self.reduce(square, "add", "0.000000e+00", 2, full, row, "reduce_sum"), "[0, 1]", row, column)
        var = self.binary("divide", var, self.scalar("7.680000e+02", column), column, "div")
        var = self.binary("add", var, self.scalar("9.99999974E-6", column), column, "add")
        inverse = self.spread(self.unary("rsqrt", var, column, "rsqrt"), "[0, 1, 2]", column, full)
        x = self.binary("multiply", x, inverse, full, "mul")
        for name, value, primitive in (("multiply", scale, "mul"), ("add", bias, "add")):
            value = self.spread(value, "[2]", t(D), t(1, 1, D))
            x = self.binary(name, x, self.spread(value, "[0, 1, 2]", t(1, 1, D), full), full, primitive)
        return x

    def linear(self, x, w, b, n, m):
        a, c = t(B, T, n), t(B, T, m)
        y = self.dot(x, w, "contracting_dims = [2] x [0]", a, t(n, m), c)
        b = self.spread(self.spread(b, "[2]", t(m), t(1, 1, m)), "[0, 1, 2]", t(1, 1, m), c)
        return self.binary("add", y, b, c, "add")

    def attention(self, x, layer):
        self.scope = f"layers.{layer}/attention"
        qkv = self.linear(x, "%arg2", "%arg3", D, 3 * D)
        heads, head = t(B, T, H, D // H), []
        for k in range(3):
            part = self.op(f"stablehlo.slice {qkv} [0:{B}, 0:{T}, {k * D}:{(k + 1) * D}] : "
                           f"({t(B, T, 3 * D)}) -> {t(B, T, D)}", "slice")
            head.append(self.op(f"stablehlo.reshape {part} : ({t(B, T, D)}) -> {heads}", "reshape"))
        scores = t(B, H, T, T)
        s = self.dot(head[0], head[1], "batching_dims = [0, 2] x [0, 2], contracting_dims = [3] x [3]", heads, heads, scores)
        s = self.binary("multiply", s, self.scalar("1.250000e-01", scores), scores, "mul")
        row, column = t(B, H, T), t(B, H, T, 1)
        top = self.spread(self.reduce(s, "maximum", "0xFF800000", 3, scores, row, "reduce_max"), "[0, 1, 2]", row, column)
        s = self.binary("subtract", s, self.spread(top, "[0, 1, 2, 3]", column, scores), scores, "sub")
        e = self.unary("exponential", s, scores, "exp")
        z = self.spread(self.reduce(e, "add", "0.000000e+00", 3, scores, row, "reduce_sum"), "[0, 1, 2]", row, column)
        p = self.binary("divide", e, self.spread(z, "[0, 1, 2, 3]", column, scores), scores, "div")
        y = self.dot(head[2], p, "batching_dims = [0, 2] x [0, 1], contracting_dims = [1] x [3]", heads, scores,
                     t(B, H, D // H, T))
        y = self.op(f"stablehlo.transpose {y}, dims = [0, 3, 1, 2] : ({t(B, H, D // H, T)}) -> {heads}", "transpose")
        y = self.op(f"stablehlo.reshape {y} : ({heads}) -> {t(B, T, D)}", "reshape")
        return self.linear(y, "%arg4", "%arg5", D, D)

    def layer(self, x, layer):
        full = t(B, T, D)
        y = self.attention(self.norm(x, "%arg0", "%arg1", f"layers.{layer}/norm1"), layer)
        x = self.binary("add", x, y, full, "add")
        y = self.norm(x, "%arg0", "%arg1", f"layers.{layer}/norm2")
        self.scope = f"layers.{layer}/mlp"
        y = self.linear(y, "%arg6", "%arg7", D, F)
        wide = t(B, T, F)
        y = self.op(f"call @gelu({y}) : ({wide}) -> {wide}", "jit(gelu)")
        return self.binary("add", x, self.linear(y, "%arg8", "%arg1", F, D), full, "add")

    def gelu(self):
        ty = t(B, T, F)
        self.next, self.constants, self.scope = 0, 0, "jit(gelu)"
        cube = self.binary("multiply", self.binary("multiply", "%arg0", "%arg0", ty, "mul"), "%arg0", ty, "mul")
        y = self.binary("multiply", self.scalar("4.471500e-02", ty), cube, ty, "mul")
        y = self.binary("add", "%arg0", y, ty, "add")
        y = self.binary("multiply", self.scalar("0.797884583", ty), y, ty, "mul")
        y = self.binary("add", self.scalar("1.000000e+00", ty), self.unary("tanh", y, ty, "tanh"), ty, "add")
        y = self.binary("multiply", self.scalar("5.000000e-01", ty), y, ty, "mul")
        return self.binary("multiply", "%arg0", y, ty, "mul")


def transformer(path, ops, located):
    body = Body(located)
    x, layer = "%arg9", 0
    while body.next + body.constants < ops:
        x = body.layer(x, layer)
        layer += 1
    main = body.lines
    body.lines = []
    y = body.gelu()
    shapes = [(D,), (D,), (D, 3 * D), (3 * D,), (D, D), (D,), (D, F), (F,), (F, D), (B, T, D)]
    names = ["scale", "bias", "qkv.w", "qkv.b", "out.w", "out.b", "up.w", "up.b", "down.w"]
    names = [f"params['{n}']" for n in names] + ["x"]
    tail = (lambda n: f' loc("{n}")') if located else (lambda n: "")
    with open(path, "w") as f:
        f.write(SHARDS)
        args = ", ".join(f"%arg{i}: {t(*s)}{tail(names[i])}" for i, s in enumerate(shapes))
        f.write(f'  func.func public @main({args}) -> ({t(B, T, D)} {{jax.result_info = "result"}}) {{\n')
        f.writelines(main)
        f.write(f"    return {x} : {t(B, T, D)}\n  }}\n")
        f.write(f"  func.func private @gelu(%arg0: {t(B, T, F)}) -> {t(B, T, F)} {{\n")
        f.writelines(body.lines)
        f.write(f"    return {y} : {t(B, T, F)}\n  }}\n}}\n")
        if located:
            for i in range(40):
                f.write(f'#loc{i} = loc("/home/someone/project/model.py":{40 + i}:{8 + i % 5} to :{30 + i % 20})\n')
            for i in range(40, 100):
                f.write(f'#loc{i} = loc(callsite(#loc{i % 40} at #loc{(i * 7) % 40}))\n')
            f.writelines(f'#loc{i + 100} = loc("{n}"(#loc{40 + i % 60}))\n' for i, n in enumerate(body.locs))


def module(path, lines, result):
    with open(path, "w") as f:
        f.write(SHARDS + f"  func.func public @main() -> {result} {{\n")
        f.writelines(lines)
        f.write("  }\n}\n")


def splats(path, size):
    """Constants of one repeated element, each added to what came before."""
    values = {"f32": "1.250000e-01", "i32": "-7", "bf16": "1.000000e+00", "f64": "-0.0012345"}
    lines, total, n, last = [], 0, 0, {}
    while total < size:
        for dtype, v in values.items():
            ty = f"tensor<1024x1024x{dtype}>"
            lines.append(f"    %{n} = stablehlo.constant dense<{v}> : {ty}\n")
            if dtype in last:
                lines[-1] += f"    %{n + 1} = stablehlo.add %{last[dtype]}, %{n} : {ty}\n"
                n += 1
            last[dtype] = n
            total += len(lines[-1])
            n += 1
    ty = "tensor<1024x1024xf64>"
    module(path, lines + [f"    return %{last['f64']} : {ty}\n"], ty)


def constant(path, dtype, rows, text):
    """A constant of `rows` rows of 1,024 elements."""
    ty = f"tensor<{rows}x1024x{dtype}>"
    module(path, [f"    %cst = stablehlo.constant dense<{text}> : {ty}\n", f"    return %cst : {ty}\n"], ty)


def hexadecimal(path, dtype, width, size, rng):
    rows = size // (2 * width * 1024)
    constant(path, dtype, rows, f'"0x{rng.bytes(rows * 1024 * width).hex().upper()}"')


def decimal(path, dtype, size, rng):
    """Text is repeated from a pool of rows: what is written must not take longer than what is measured."""
    def number():
        if dtype == "i32":
            return str(rng.integers(-2**31, 2**31))
        if dtype == "i8":
            return str(rng.integers(-128, 128))
        if dtype == "i1":
            return ("false", "true")[rng.integers(2)]
        v = rng.normal() * 10.0 ** rng.integers(-6, 3)
        if dtype == "bf16":
            return f"{v:.6e}"
        text = f"{np.float32(v):.9g}" if dtype == "f32" else f"{v:.17g}"
        return text.replace("e-0", "E-") if "." in text else text + ".0"

    pool = ["[" + ", ".join(number() for _ in range(1024)) + "]" for _ in range(64)]
    picked, total = [], 0
    while total < size:
        picked.append(pool[rng.integers(64)])
        total += len(picked[-1]) + 2
    constant(path, dtype, len(picked), "[" + ", ".join(picked) + "]")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder")
    parser.add_argument("--ops", type=int, default=100_000)
    parser.add_argument("--mib", type=int, default=64)
    options = parser.parse_args()
    os.makedirs(options.folder, exist_ok=True)
    rng, size = np.random.default_rng(0), options.mib << 20

    def path(name):
        return os.path.join(options.folder, f"{name}.mlir")

    transformer(path("ops"), options.ops, True)
    transformer(path("ops_bare"), options.ops, False)
    splats(path("splats"), size // 4)
    for dtype, width in (("f32", 4), ("i32", 4), ("bf16", 2), ("f64", 8)):
        hexadecimal(path(f"hex_{dtype}"), dtype, width, size, rng)
    for dtype in ("f32", "i32", "bf16", "f64", "i8", "i1"):
        decimal(path(f"dec_{dtype}"), dtype, size, rng)


if __name__ == "__main__":
    main()
