"""Writes elementwise.txt: complex functions and special functions by JAX on CPU, in double precision. Run with a JAX
environment: python make_elementwise.py

A line: op, element type, operands, result; numbers (real and imaginary parts in turn) separated by commas."""

import pathlib

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

jax.config.update("jax_enable_x64", True)

# Inside the unit disc, around it, on both sides of the usual cuts, larger.
POINTS = np.array(
    [
        0.5 + 0.25j,
        -0.5 + 0.75j,
        -0.3 - 0.2j,
        1e-3 - 2e-3j,
        1.0 + 1e-9j,
        2.0 + 1e-3j,
        -2.0 - 1e-3j,
        -3.0 + 4.0j,
        0.1 - 2.5j,
        0.1 + 3.0j,
        6.0 - 7.0j,
        -12.0 + 30.0j,
        -0.6 - 0.8j,
        2.5e-7 + 1.0j,
    ],
    np.complex128,
)

COMPLEX = {
    "acos": jnp.arccos,
    "acosh": jnp.arccosh,
    "asin": jnp.arcsin,
    "asinh": jnp.arcsinh,
    "atan": jnp.arctan,
    "atanh": jnp.arctanh,
    "cosine": lax.cos,
    "cosh": lax.cosh,
    "exponential": lax.exp,
    "exponential_minus_one": lax.expm1,
    "log": lax.log,
    "log_plus_one": lax.log1p,
    "logistic": lax.logistic,
    "rsqrt": lax.rsqrt,
    "sign": lax.sign,
    "sine": lax.sin,
    "sinh": lax.sinh,
    "sqrt": lax.sqrt,
    "square": lax.square,
    "tan": lax.tan,
    "tanh": lax.tanh,
    "abs": lax.abs,
}

POSITIVE = np.array([1e-3, 0.1, 0.5, 1.0, 1.5, 2.0, 3.7, 8.0, 11.9, 12.0, 25.0, 100.5, 1e4])
ANY = np.concatenate([-POSITIVE[::-1], [-0.0, 0.0], POSITIVE, [-29.5, 30.5, 700.0, np.inf, -np.inf, np.nan]])


def numbers(x):
    flat = np.asarray(x).ravel()
    flat = flat.view(np.float64) if np.iscomplexobj(flat) else flat
    return ",".join(repr(float(v)) for v in flat)


def main():
    lines = []

    def record(op, dtype, operands, result):
        lines.append(" ".join([op, dtype, *map(numbers, operands), numbers(result)]))

    for op, f in COMPLEX.items():
        record(op, "c128", [POINTS], jax.jit(f)(POINTS))
    x, y = [p.ravel() for p in np.meshgrid(POINTS[[0, 1, 7, 8, 12]], POINTS[[0, 2, 5, 9]])]
    for op, f in {"power": lax.pow, "divide": lax.div, "multiply": lax.mul}.items():
        record(op, "c128", [x, y], jax.jit(f)(x, y))
    record("bessel_i1e", "f64", [ANY], jax.jit(lax.bessel_i1e)(ANY))
    record("digamma", "f64", [POSITIVE], jax.jit(lax.digamma)(POSITIVE))
    s, q = [p.ravel() for p in np.meshgrid([1.0, 1.25, 2.0, 3.0, 7.5, 30.0, 0.5, np.nan], POSITIVE)]
    record("zeta", "f64", [s, q], jax.jit(lax.zeta)(s, q))
    # Left of 0: poles, whole and broken exponents.
    s, q = [p.ravel() for p in np.meshgrid([2.0, 3.0, 2.5], [-0.5, -2.25, -3.0, 0.0])]
    record("zeta", "f64", [s, q], jax.jit(lax.zeta)(s, q))
    n, x = [p.ravel() for p in np.meshgrid([0.0, 1.0, 2.0, 5.0, 12.0, 1.5, -1.0], POSITIVE)]
    record("polygamma", "f64", [n, x], jax.jit(lax.polygamma)(n, x))
    x = np.array([0.0, -0.0, 1.0, 1.0, -1.0, 0.5, 2.0, np.inf, 1.0, np.nan, 5e-324, 1.7976931348623157e308])
    y = np.array([1.0, -1.0, 2.0, 0.0, 2.0, 0.5, np.inf, 0.0, np.nan, 1.0, 0.0, np.inf])
    record("next_after", "f64", [x, y], jax.jit(lax.nextafter)(x, y))
    pathlib.Path(__file__).with_name("elementwise.txt").write_text("\n".join(lines) + "\n")


main()
