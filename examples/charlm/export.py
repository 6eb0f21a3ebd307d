"""Writes model.mlir and model.json: a byte-level transformer language model, exported from JAX.

    python export.py            # needs jax; made with 0.10.2

The module holds two public functions on the same parameters (sorted by name): `main`, the scalar training loss of
(parameters..., targets, tokens), and `logits`, the next-byte scores of (parameters..., tokens) at batch 1. No Python
is needed to train: the two files are checked in. Running this again with the same jax writes the same bytes.
"""
import json
import math
import os

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

VOCAB, WIDTH, LAYERS, HEADS, FF, SEQ, BATCH = 256, 128, 4, 4, 512, 128, 12
HERE = os.path.dirname(os.path.abspath(__file__))

# Initial distributions, drawn by whoever trains (model.json carries them).
ZEROS, ONES = {"zeros": {}}, {"ones": {}}


def normal(std):
    return {"normal": {"std": round(std, 6)}}


def parameter_specs():
    """Name -> (shape, init), sorted by name. All float32.

    Matrices get the standard deviation 1/sqrt(fan in); those that write into the residual stream a further
    1/sqrt(2 LAYERS), so that the stream's variance does not grow with depth.
    """
    into_stream = 1 / math.sqrt(2 * LAYERS)
    specs = {"embed": ((VOCAB, WIDTH), normal(0.1)), "pos": ((SEQ, WIDTH), normal(0.1)),
             "lnf.scale": ((WIDTH,), ONES), "lnf.bias": ((WIDTH,), ZEROS)}
    for i in range(LAYERS):
        specs[f"{i}.ln1.scale"] = ((WIDTH,), ONES)
        specs[f"{i}.ln1.bias"] = ((WIDTH,), ZEROS)
        specs[f"{i}.qkv.w"] = ((WIDTH, 3 * WIDTH), normal(WIDTH ** -0.5))
        specs[f"{i}.out.w"] = ((WIDTH, WIDTH), normal(WIDTH ** -0.5 * into_stream))
        specs[f"{i}.ln2.scale"] = ((WIDTH,), ONES)
        specs[f"{i}.ln2.bias"] = ((WIDTH,), ZEROS)
        specs[f"{i}.ff1.w"] = ((WIDTH, FF), normal(WIDTH ** -0.5))
        specs[f"{i}.ff1.b"] = ((FF,), ZEROS)
        specs[f"{i}.ff2.w"] = ((FF, WIDTH), normal(FF ** -0.5 * into_stream))
        specs[f"{i}.ff2.b"] = ((WIDTH,), ZEROS)
    return dict(sorted(specs.items()))


def init_params(seed=0):
    """Parameters drawn with numpy from `parameter_specs`; for checks and baselines."""
    rng = np.random.default_rng(seed)
    out = {}
    for name, (shape, init) in parameter_specs().items():
        if "normal" in init:
            out[name] = (rng.standard_normal(shape) * init["normal"]["std"]).astype(np.float32)
        else:
            out[name] = np.full(shape, 1.0 if init == ONES else 0.0, np.float32)
    return out


# ---------------------------------------------------------------- the model
def layer_norm(x, scale, bias):
    centred = x - jnp.mean(x, -1, keepdims=True)
    var = jnp.mean(jnp.square(centred), -1, keepdims=True)
    return centred * lax.rsqrt(var + 1e-5) * scale + bias


def attention(x, qkv_w, out_w):
    """Causal multi-head self-attention; q, k and v come from one fused projection."""
    b, t, d = x.shape
    q, k, v = (part.reshape(b, t, HEADS, d // HEADS) for part in jnp.split(x @ qkv_w, 3, axis=-1))
    scores = jnp.einsum("bthd,bshd->bhts", q, k) / np.sqrt(d // HEADS)
    causal = jnp.tril(jnp.ones((t, t), bool))
    scores = jnp.where(causal, scores, jnp.finfo(scores.dtype).min)
    mixed = jnp.einsum("bhts,bshd->bthd", jax.nn.softmax(scores, axis=-1), v)
    return mixed.reshape(b, t, d) @ out_w


def feed_forward(x, p, i):
    hidden = jax.nn.gelu(x @ p[f"{i}.ff1.w"] + p[f"{i}.ff1.b"], approximate=True)
    return hidden @ p[f"{i}.ff2.w"] + p[f"{i}.ff2.b"]


def logits(params, tokens):
    """Next-byte scores [batch, SEQ, VOCAB]; the readout is the embedding, transposed."""
    p = params
    with jax.named_scope("embed"):
        x = p["embed"][tokens] + p["pos"]
    for i in range(LAYERS):
        with jax.named_scope(f"{i}.attn"):
            normed = layer_norm(x, p[f"{i}.ln1.scale"], p[f"{i}.ln1.bias"])
            x = x + attention(normed, p[f"{i}.qkv.w"], p[f"{i}.out.w"])
        with jax.named_scope(f"{i}.ff"):
            x = x + feed_forward(layer_norm(x, p[f"{i}.ln2.scale"], p[f"{i}.ln2.bias"]), p, i)
    with jax.named_scope("readout"):
        return layer_norm(x, p["lnf.scale"], p["lnf.bias"]) @ p["embed"].T


def loss(params, targets, tokens):
    """Mean cross entropy in nats per byte."""
    scores = logits(params, tokens)
    with jax.named_scope("xent"):
        picked = jnp.take_along_axis(scores, targets[..., None], axis=-1)[..., 0]
        return jnp.mean(jax.nn.logsumexp(scores, axis=-1) - picked)


# ---------------------------------------------------------------- export
def lower(fn, *args):
    return jax.jit(fn, keep_unused=True).trace(*args).lower(lowering_platforms=("cpu",)).compiler_ir()


def merge(main_module, other_module, name):
    """Moves the functions of `other_module` into `main_module`; its `main` becomes `name`, the rest `name_<old>`.

    Both are read back from text into one context, so location aliases are numbered afresh and cannot collide.
    """
    from jax._src.interpreters import mlir as jax_mlir
    from jax._src.lib.mlir import ir
    with jax_mlir.make_ir_context():
        whole, extra = (ir.Module.parse(m.operation.get_asm(enable_debug_info=True))
                        for m in (main_module, other_module))
        for op in list(extra.body.operations):
            old = ir.StringAttr(op.attributes["sym_name"]).value
            new = name if old == "main" else f"{name}_{old}"
            ir.SymbolTable.replace_all_symbol_uses(old, new, extra.operation)
            ir.SymbolTable.set_symbol_name(op, new)
        for op in list(extra.body.operations):
            whole.body.append(op)
        ir.SymbolTable.set_symbol_name(whole.operation, "charlm")
        assert whole.operation.verify()
        return whole.operation.get_asm(enable_debug_info=True)


def manifest():
    specs = parameter_specs()

    def arguments(batch):
        args = [dict(name=n, role="parameter", io=f"param.{n}", shape=list(shape), dtype="float32", init=init)
                for n, (shape, init) in specs.items()]
        args += [dict(name=n, role="batch", io="batch.{step}." + n, shape=list(shape), dtype="int32")
                 for n, shape in sorted(batch.items())]
        return [dict(index=i, **a) for i, a in enumerate(args)]
    return {
        "name": "charlm",
        "doc": f"Byte-level transformer language model: {LAYERS} layers, width {WIDTH}, {HEADS} heads, sequence {SEQ}, "
               "tied embedding.",
        "jax_version": jax.__version__,
        "files": {"loss": "model.mlir"},
        "function": "main",
        "args": arguments({"tokens": (BATCH, SEQ), "targets": (BATCH, SEQ)}),
        "results": [{"index": 0, "role": "loss", "shape": [], "dtype": "float32"}],
        "functions": {"logits": {
            "args": arguments({"tokens": (1, SEQ)}),
            "results": [{"index": 0, "role": "output", "name": "logits", "shape": [1, SEQ, VOCAB],
                         "dtype": "float32"}]}},
    }


def run_function(text, name, args):
    """Compiles one public function of the module text with XLA and runs it; returns its only result."""
    from jax._src.interpreters import mlir as jax_mlir
    from jax._src.lib import xla_client
    from jax._src.lib.mlir import ir
    with jax_mlir.make_ir_context():
        module = ir.Module.parse(text)
        if name != "main":                      # XLA runs `main`
            table = ir.SymbolTable(module.operation)
            table.erase(table["main"])
            table.set_symbol_name(table[name], "main")
        text = module.operation.get_asm(enable_debug_info=True)
    device = jax.devices("cpu")[0]
    executable = device.client.compile_and_load(text.encode(), xla_client.DeviceList((device,)),
                                                xla_client.CompileOptions())
    results = executable.execute_sharded([jax.device_put(a, device) for a in args])
    return np.asarray(results.disassemble_into_single_device_arrays()[0][0])


def check(text):
    """The text alone, run by XLA, must agree with the Python functions."""
    params = {k: v + np.float32(0.02) for k, v in init_params(1).items()}
    tokens, targets = np.random.default_rng(2).integers(0, VOCAB, (2, BATCH, SEQ)).astype(np.int32)
    flat = list(params.values())
    for name, got, want in (
            ("main", run_function(text, "main", flat + [targets, tokens]), jax.jit(loss)(params, targets, tokens)),
            ("logits", run_function(text, "logits", flat + [tokens[:1]]), jax.jit(logits)(params, tokens[:1]))):
        error = float(np.max(np.abs(got - want)) / np.max(np.abs(want)))
        print(f"{name}: largest difference from JAX {error:.1e} (relative)")
        assert error < 1e-5, name


def main():
    # Locations name this file without its folder, so the text does not depend on where it was made.
    jax.config.update("jax_hlo_source_file_canonicalization_regex", ".*/")
    params = {n: jax.ShapeDtypeStruct(shape, jnp.float32) for n, (shape, _) in parameter_specs().items()}
    window = jax.ShapeDtypeStruct((BATCH, SEQ), jnp.int32)
    text = merge(lower(loss, params, window, window),
                 lower(logits, params, jax.ShapeDtypeStruct((1, SEQ), jnp.int32)), "logits")
    check(text)
    with open(os.path.join(HERE, "model.mlir"), "w") as f:
        f.write(text)
    with open(os.path.join(HERE, "model.json"), "w") as f:
        json.dump(manifest(), f, indent=1)
        f.write("\n")


if __name__ == "__main__":
    main()
