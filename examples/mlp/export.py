"""Writes model.mlir and model.json: a three-layer classifier of 8x8 digit images, exported from JAX.

    python export.py            # needs jax; made with 0.10.2

`main` is the mean cross entropy of (parameters sorted by name, x, y); x holds pixels / 16. No Python is needed to
train: the two files are checked in. Running this again with the same jax writes the same bytes.
"""
import json
import math
import os

import jax
import jax.numpy as jnp
import numpy as np

SIZES, BATCH = (64, 48, 32, 10), 32
GAINS = (1.4, 1.4, 1.0)
HERE = os.path.dirname(os.path.abspath(__file__))


def parameter_specs():
    """Name -> (shape, init), sorted by name. All float32; matrices have the standard deviation gain/sqrt(fan in)."""
    specs = {}
    for i, (fan_in, out, gain) in enumerate(zip(SIZES[:-1], SIZES[1:], GAINS), start=1):
        specs[f"l{i}.w"] = ((fan_in, out), {"normal": {"std": round(gain / math.sqrt(fan_in), 6)}})
        specs[f"l{i}.b"] = ((out,), {"zeros": {}})
    return dict(sorted(specs.items()))


def loss(params, x, y):
    p = params
    with jax.named_scope("l1"):
        h = jax.nn.relu(x @ p["l1.w"] + p["l1.b"])
    with jax.named_scope("l2"):
        h = jnp.tanh(h @ p["l2.w"] + p["l2.b"])
    with jax.named_scope("l3"):
        scores = h @ p["l3.w"] + p["l3.b"]
    with jax.named_scope("xent"):
        picked = jnp.take_along_axis(scores, y[..., None], axis=-1)[..., 0]
        return jnp.mean(jax.nn.logsumexp(scores, axis=-1) - picked)


def manifest():
    args = [dict(name=n, role="parameter", io=f"param.{n}", shape=list(shape), dtype="float32", init=init)
            for n, (shape, init) in parameter_specs().items()]
    args += [dict(name="x", role="batch", io="batch.{step}.x", shape=[BATCH, SIZES[0]], dtype="float32"),
             dict(name="y", role="batch", io="batch.{step}.y", shape=[BATCH], dtype="int32")]
    return {
        "name": "mlp",
        "doc": "Three-layer classifier on the 8x8 digits images.",
        "jax_version": jax.__version__,
        "files": {"loss": "model.mlir"},
        "function": "main",
        "args": [dict(index=i, **a) for i, a in enumerate(args)],
        "results": [{"index": 0, "role": "loss", "shape": [], "dtype": "float32"}],
    }


def check(text):
    """The text alone, run by XLA, must agree with the Python function."""
    from jax._src.lib import xla_client
    rng = np.random.default_rng(1)
    params = {n: rng.standard_normal(shape).astype(np.float32) * np.float32(0.2)
              for n, (shape, _) in parameter_specs().items()}
    x = rng.random((BATCH, SIZES[0]), np.float32)
    y = rng.integers(0, SIZES[-1], BATCH).astype(np.int32)
    device = jax.devices("cpu")[0]
    executable = device.client.compile_and_load(text.encode(), xla_client.DeviceList((device,)),
                                                xla_client.CompileOptions())
    results = executable.execute_sharded([jax.device_put(a, device) for a in [*params.values(), x, y]])
    got = np.asarray(results.disassemble_into_single_device_arrays()[0][0])
    want = jax.jit(loss)(params, x, y)
    error = float(abs(got - want) / abs(want))
    print(f"main: difference from JAX {error:.1e} (relative)")
    assert error < 1e-5


def main():
    # Locations name this file without its folder, so the text does not depend on where it was made.
    jax.config.update("jax_hlo_source_file_canonicalization_regex", ".*/")
    params = {n: jax.ShapeDtypeStruct(shape, jnp.float32) for n, (shape, _) in parameter_specs().items()}
    traced = jax.jit(loss, keep_unused=True).trace(params, jax.ShapeDtypeStruct((BATCH, SIZES[0]), jnp.float32),
                                                   jax.ShapeDtypeStruct((BATCH,), jnp.int32))
    module = traced.lower(lowering_platforms=("cpu",)).compiler_ir()
    text = module.operation.get_asm(enable_debug_info=True).replace("module @jit_loss", "module @mlp", 1)
    check(text)
    with open(os.path.join(HERE, "model.mlir"), "w") as f:
        f.write(text)
    with open(os.path.join(HERE, "model.json"), "w") as f:
        json.dump(manifest(), f, indent=1)
        f.write("\n")


if __name__ == "__main__":
    main()
