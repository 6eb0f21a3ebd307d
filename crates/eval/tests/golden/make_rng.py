"""Writes rng.txt: what XLA on CPU gives for rng_bit_generator. Run with a JAX environment: python make_rng.py

A line: algorithm, bits of an element, shape, state, state afterwards, elements in hexadecimal."""

import itertools
import pathlib

import jax
import numpy as np
from jaxlib import _jax

jax.config.update("jax_enable_x64", True)
DEVICE = jax.devices()[0]

ALGORITHMS = ["THREE_FRY", "PHILOX", "DEFAULT"]
SHAPES = [(), (1,), (5,), (8,), (3, 3), (3, 5), (5, 3), (3, 2), (2, 3), (0,), (3, 0), (1, 1, 7), (3, 4, 2)]
STATES = [
    (1, 2),
    (0xDEADBEEF12345678, 0xFFFFFFFFFFFFFFFE),
    (2**64 - 1, 2**63 + 7),
    (42, 2**64 - 1, 2**64 - 1),
    (7, 8, 9),
]


def generate(algorithm, bits, shape, state):
    n = len(state)
    ty = "tensor<" + "".join(f"{d}x" for d in shape) + f"ui{bits}>"
    text = f"""module {{ func.func public @main(%s: tensor<{n}xui64>) -> (tensor<{n}xui64>, {ty}) {{
      %next, %bits = stablehlo.rng_bit_generator %s, algorithm = {algorithm} : (tensor<{n}xui64>) -> (tensor<{n}xui64>, {ty})
      return %next, %bits : tensor<{n}xui64>, {ty} }} }}"""
    program = DEVICE.client.compile_and_load(text, _jax.DeviceList((DEVICE,)), _jax.CompileOptions())
    return [np.asarray(x) for x in program.execute([jax.device_put(np.array(state, np.uint64))])]


def main():
    lines = []
    cases = itertools.product(ALGORITHMS, [4, 8, 16, 32, 64], SHAPES)
    for k, (algorithm, bits, shape) in enumerate(cases):
        state = STATES[k % (2 if algorithm == "THREE_FRY" else len(STATES))]
        after, values = generate(algorithm, bits, shape, state)
        join = lambda xs: ",".join(xs) or "-"
        lines.append(
            " ".join(
                [
                    algorithm,
                    str(bits),
                    join(str(d) for d in shape),
                    join(str(s) for s in state),
                    join(str(int(s)) for s in after),
                    join(f"{int(v):x}" for v in values.ravel()),
                ]
            )
        )
    pathlib.Path(__file__).with_name("rng.txt").write_text("\n".join(lines) + "\n")


main()
