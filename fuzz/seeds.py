"""Writes first inputs for the fuzz targets: fuzz/seeds/{text,bytecode,export}.

    python seeds.py [STABLEHLO]     # needs jax; STABLEHLO is a checkout of the StableHLO repository

Inputs are this repository's test files, the parts of StableHLO's own tests that are small (as text and as portable
bytecode, without the operations of the test dialects), and small functions that JAX exports.
"""
import glob
import os
import re
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
TESTS = os.path.join(HERE, "..", "crates", "stablehlo", "tests")
LARGEST = 4096

import jax  # noqa: E402
import jax.numpy as jnp  # noqa: E402
import numpy as np  # noqa: E402
from jax import export, lax  # noqa: E402
from jax._src.interpreters import mlir  # noqa: E402
from jaxlib.mlir import ir  # noqa: E402
from jaxlib.mlir.dialects import stablehlo  # noqa: E402


def write(target, name, data):
    folder = os.path.join(HERE, "seeds", target)
    os.makedirs(folder, exist_ok=True)
    if len(data) <= LARGEST:
        with open(os.path.join(folder, name), "wb") as f:
            f.write(data)


def ours():
    for path in glob.glob(os.path.join(TESTS, "**", "*"), recursive=True):
        name, kind = os.path.splitext(os.path.basename(path))
        target = {".mlir": "text", ".mlirbc": "bytecode", ".jax": "export"}.get(kind)
        if target and os.path.isfile(path):
            with open(path, "rb") as f:
                data = f.read()
            write(target, name, data)
            for i, func in enumerate(functions(data.decode()) if target == "text" else ()):
                write("text", f"{name}_{i}", func.encode())


def functions(text):
    """The functions of a module one by one."""
    return re.findall(r"^ *func\.func.*?^ *\}$", text, flags=re.S | re.M)


def theirs(root):
    context = mlir.make_ir_context()
    kinds = {"interpret": "stablehlo/tests/interpret", "tests": "stablehlo/tests", "data": "stablehlo/testdata"}
    for kind, folder in kinds.items():
        paths = sorted(glob.glob(os.path.join(root, folder, "*.mlir")))
        # The generated ones are many and alike.
        for path in paths[::10] if kind == "data" else paths:
            base = os.path.splitext(os.path.basename(path))[0]
            with open(path, encoding="utf-8", errors="replace") as f:
                text = f.read()
            for i, part in enumerate(re.split(r"^// -----.*$", text, flags=re.M)):
                skip = r"\s*(//|check\.|func\.call @expected|\"interpreter)"
                lines = [x for x in part.splitlines() if not re.match(skip, x)]
                for j, func in enumerate(functions("\n".join(lines))[:6]):
                    func = re.sub(r"^ *func\.func +private", "func.func public", func)
                    write("text", f"{kind}_{base}_{i}_{j}", func.encode())
                    # Reading what is wrong on purpose can end MLIR itself.
                    if kind != "tests":
                        artifact(context, f"{kind}_{base}_{i}_{j}", func)


def artifact(context, name, text):
    """Portable bytecode, for whichever versions know what is in the text."""
    try:
        with context:
            module = ir.Module.parse(text)
            for version in (stablehlo.get_current_version(), "1.1.0"):
                data = stablehlo.serialize_portable_artifact_str(str(module), version)
                write("bytecode", f"{name}_{version.replace('.', '_')}", data)
    except Exception:  # Tests of what is wrong do not parse; new operations do not fit old versions.
        pass


def exports():
    f32 = jax.ShapeDtypeStruct((2, 3), np.float32)
    i32 = jax.ShapeDtypeStruct((4,), np.int32)
    a, b = export.symbolic_shape("a, 2*b")
    two = jax.ShapeDtypeStruct((a, b), np.float32)
    cases = {
        "add": (lambda x: x + 1, f32), "dot": (lambda x: x @ x.T, f32), "sort": (lambda x: jnp.sort(x), f32),
        "top": (lambda x: lax.top_k(x, 2), f32), "cumsum": (lambda x: jnp.cumsum(x, 1), f32),
        "while": (lambda x: lax.fori_loop(0, 3, lambda i, y: y * x, x), f32), "gather": (lambda i: jnp.arange(9)[i], i32),
        "cond": (lambda x: lax.cond(x[0, 0] > 0, jnp.sin, jnp.cos, x), f32), "scan": (lambda x: lax.scan(
            lambda c, y: (c + y, c * y), x[0], x), f32), "fft": (lambda x: jnp.abs(jnp.fft.fft(x)), f32),
        "random": (lambda x: jax.random.normal(jax.random.key(0), x.shape), f32),
        "scatter": (lambda x: x.at[0].add(2.0), f32), "max": (lambda x: lax.reduce_window(
            x, -jnp.inf, lax.max, (1, 2), (1, 1), "SAME"), f32), "complex": (lambda x: lax.complex(x, x), f32),
        "open": (lambda x: x.reshape(-1) * 2 + x.shape[0], two), "mean": (lambda x: x.mean(0), two),
        "qr": (lambda x: jnp.linalg.qr(x)[0], f32), "bits": (lambda x: lax.bitcast_convert_type(x, jnp.int8), i32),
    }
    for name, (f, arg) in cases.items():
        try:
            for order in (0, 1):
                data = export.export(jax.jit(f))(arg).serialize(vjp_order=order)
                write("export", f"{name}_{order}", bytes(data))
        except Exception as e:
            print(f"{name}: {e}", file=sys.stderr)


ours()
exports()
if len(sys.argv) > 1:
    theirs(sys.argv[1])
