"""Writes lapack.txt: what LAPACK gives for the calls that JAX makes. Run with a JAX environment: python make_lapack.py

A line: the call in the IR's words, a semicolon, operands, a semicolon, results; each a type and its numbers (real and
imaginary parts in turn)."""

import pathlib

import jax
import numpy as np
from jaxlib import _jax, lapack

jax.config.update("jax_enable_x64", True)
DEVICE = jax.devices()[0]
# Loads LAPACK.
lapack.prepare_lapack_call("getrf_ffi", np.dtype(np.float64))
LETTER = {"float64": "d", "complex128": "z", "float32": "s", "complex64": "c"}
MLIR = {"float64": "f64", "complex128": "complex<f64>", "float32": "f32", "complex64": "complex<f32>", "int32": "i32"}
OURS = {"float64": "f64", "complex128": "c128", "float32": "f32", "complex64": "c64", "int32": "i32"}
RNG = np.random.default_rng(7)


def noise(shape, dtype):
    x = RNG.integers(-40, 41, shape) / 16
    if np.issubdtype(dtype, np.complexfloating):
        x = x + 1j * RNG.integers(-40, 41, shape) / 16
    return x.astype(dtype)


def call(target, config, operands, results):
    rank = max(x.ndim for x in operands)

    def layout(n):
        order = list(range(n))[::-1]
        if n == rank:
            order[0], order[1] = order[1], order[0]
        body = str(order) if n > 1 else str(order[0]) if n else ""
        return f"dense<{body}> : tensor<{n}xindex>"

    def ty(shape, dtype):
        return "tensor<" + "".join(f"{n}x" for n in shape) + MLIR[np.dtype(dtype).name] + ">"

    ins = [ty(x.shape, x.dtype) for x in operands]
    outs = [ty(*r) for r in results]
    args = ", ".join(f"%a{i}: {t}" for i, t in enumerate(ins))
    names = ", ".join(f"%a{i}" for i in range(len(ins)))
    result = outs[0] if len(outs) == 1 else "(" + ", ".join(outs) + ")"
    values = "%r" if len(outs) == 1 else ", ".join(f"%r#{i}" for i in range(len(outs)))
    text = f"""module {{ func.func public @main({args}) -> ({", ".join(outs)}) {{
      %r{":" + str(len(outs)) if len(outs) > 1 else ""} = stablehlo.custom_call @{target}({names}) {{
        mhlo.backend_config = {{{config}}},
        operand_layouts = [{", ".join(layout(x.ndim) for x in operands)}],
        result_layouts = [{", ".join(layout(len(r[0])) for r in results)}]}} : ({", ".join(ins)}) -> {result}
      return {values} : {", ".join(outs)} }} }}"""
    program = DEVICE.client.compile_and_load(text, _jax.DeviceList((DEVICE,)), _jax.CompileOptions())
    return [np.asarray(x) for x in program.execute([jax.device_put(x) for x in operands])]


def show(x):
    flat = np.ascontiguousarray(x).ravel()
    if np.iscomplexobj(flat):
        flat = flat.view(flat.real.dtype)
    shape = ",".join(map(str, x.shape))
    return f"{OURS[x.dtype.name]}[{shape}] " + ",".join(repr(v.item()) for v in flat)


def char(key, c):
    return f"{key} = {ord(c)} : ui8"


LINES = []


def record(op, name, config, operands, results):
    dtype = operands[0].dtype
    prefix = "" if name.startswith("tridiagonal") else "lapack_" + LETTER[dtype.name]
    outs = call(f"{prefix}{name}_ffi", config, operands, results)
    LINES.append(" ; ".join([op, " | ".join(map(show, operands)), " | ".join(map(show, outs))]))
    return outs


def rectangular(dtype, b, m, n):
    k, real = min(m, n), np.zeros((), dtype).real.dtype
    a, info = noise((*b, m, n), dtype), (b, np.int32)
    sh = lambda *s: ((*b, *s), dtype)
    complex_ = np.issubdtype(dtype, np.complexfloating)
    packed, tau = record("lapack_geqrf", "geqrf", "", [a], [sh(m, n), sh(k)])
    if m >= n:
        record("lapack_orgqr", "ungqr" if complex_ else "orgqr", "", [packed, tau], [sh(m, n)])
    for left, transpose in [("true", "true"), ("false", "false")]:
        c = noise((*b, m, 2) if left == "true" else (*b, 2, m), dtype)
        record(
            f"lapack_ormqr left={left} transpose={transpose}",
            "unmqr" if complex_ else "ormqr",
            f"left = {left}, transpose = {transpose}",
            [packed, tau, c],
            [sh(*c.shape[len(b) :])],
        )
    record("lapack_geqp3", "geqp3", "", [a, np.zeros((*b, n), np.int32)], [sh(m, n), ((*b, n), np.int32), sh(k)])
    record("lapack_getrf", "getrf", "", [a], [sh(m, n), ((*b, k), np.int32), info])
    for mode, (u, v), flags in [
        ("A", (m, n), "vectors=true full=true"),
        ("S", (k, k), "vectors=true full=false"),
        ("N", (k, k), "vectors=false full=false"),
    ]:
        outs = [sh(m, n), ((*b, k), real), sh(m, u), sh(v, n), info]
        record(f"lapack_gesdd {flags}", "gesdd", char("mode", mode), [a], outs)


def square(dtype, b, n):
    real, info = np.zeros((), dtype).real.dtype, (b, np.int32)
    complex_ = np.issubdtype(dtype, np.complexfloating)
    wide = np.result_type(dtype, np.complex64)
    sh = lambda *s: ((*b, *s), dtype)
    a = noise((*b, n, n), dtype)
    h = a + np.conj(np.swapaxes(a, -1, -2))
    p = a @ np.conj(np.swapaxes(a, -1, -2)) + np.eye(n, dtype=dtype)
    values = [sh(n)] if complex_ else [sh(n), sh(n)]
    for uplo, lower in [("L", "true"), ("U", "false")]:
        record(f"lapack_potrf lower={lower}", "potrf", char("uplo", uplo), [p], [sh(n, n), info])
        record(
            f"lapack_syevd lower={lower} vectors=true",
            "heevd" if complex_ else "syevd",
            char("mode", "V") + ", " + char("uplo", uplo),
            [h],
            [sh(n, n), ((*b, n), real), info],
        )
        record(
            f"lapack_sytrd lower={lower}",
            "hetrd" if complex_ else "sytrd",
            char("uplo", uplo),
            [h],
            [sh(n, n), ((*b, n), real), ((*b, n - 1), real), sh(n - 1), info],
        )
    record("lapack_potrf lower=true", "potrf", char("uplo", "L"), [-p], [sh(n, n), info])
    vectors = [((*b, n, n), wide)] * 2
    record(
        "lapack_geev left=true right=true",
        "geev",
        char("compute_left", "V") + ", " + char("compute_right", "V"),
        [a],
        [*values, *vectors, info],
    )
    record(
        "lapack_gees vectors=true",
        "gees",
        char("mode", "V") + ", " + char("sort", "N"),
        [a],
        [sh(n, n), sh(n, n), *values, info, info],
    )
    record(
        f"lapack_gehrd low=1 high={n}", "gehrd", f"high = {n} : i32, low = 1 : i32", [a], [sh(n, n), sh(n - 1), info]
    )
    d = [noise((*b, n), dtype) for _ in range(3)]
    d[0][..., 0] = 0
    d[2][..., -1] = 0
    x = noise((*b, n, 2), dtype)
    record("lapack_gtsv", "gtsv", "", [*d, x], [*[sh(n)] * 3, sh(n, 2), info])
    record("tridiagonal_solve_perturbed", "tridiagonal_solve_perturbed", "", [*d, x], [sh(n, 2)])


def main():
    for dtype in [np.float64, np.complex128]:
        rectangular(dtype, (), 4, 3)
        rectangular(dtype, (2,), 2, 3)
        square(dtype, (), 4)
    square(np.float32, (2,), 3)
    rectangular(np.complex64, (), 3, 3)
    pathlib.Path(__file__).with_name("lapack.txt").write_text("\n".join(LINES) + "\n")


main()
