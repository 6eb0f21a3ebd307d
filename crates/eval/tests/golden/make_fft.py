"""Writes fft.txt: transforms by JAX on CPU, in double precision. Run with a JAX environment: python make_fft.py

A line: kind, lengths, shape of the operand, its numbers (real and imaginary parts in turn), numbers of the result."""

import pathlib

import jax
import numpy as np

jax.config.update("jax_enable_x64", True)

CASES = [
    ("FFT", (4,), (2, 4)),
    ("IFFT", (5,), (5,)),
    ("FFT", (3, 4), (3, 4)),
    ("IFFT", (2, 3, 2), (2, 3, 2)),
    ("RFFT", (6,), (6,)),
    ("RFFT", (5,), (2, 5)),
    ("RFFT", (3, 4), (3, 4)),
    ("RFFT", (1,), (2, 1)),
    ("IRFFT", (6,), (4,)),
    ("IRFFT", (5,), (2, 3)),
    ("IRFFT", (7,), (4,)),
    ("IRFFT", (1,), (2, 1)),
    ("IRFFT", (2,), (2, 2)),
    ("IRFFT", (3, 4), (3, 3)),
    ("IRFFT", (2, 3, 5), (2, 3, 3)),
]


def numbers(x):
    flat = np.asarray(x).ravel()
    flat = flat.view(np.float64) if np.iscomplexobj(flat) else flat
    return ",".join(repr(float(v)) for v in flat)


def main():
    rng = np.random.default_rng(0)
    lines = []
    for kind, lengths, shape in CASES:
        x = rng.standard_normal(shape).round(3)
        if kind != "RFFT":
            x = x + 1j * rng.standard_normal(shape).round(3)
        y = jax.jit(lambda x: jax.lax.fft(x, kind, lengths))(x)
        join = lambda xs: ",".join(map(str, xs))
        lines.append(" ".join([kind, join(lengths), join(shape), numbers(x), numbers(y)]))
    pathlib.Path(__file__).with_name("fft.txt").write_text("\n".join(lines) + "\n")


main()
