"""Writes tests/polymorphic: files of jax.export with symbolic shapes, and what JAX computes with each for two choices of sizes.

NAME.jax is the file, NAME.safetensors holds a.arg0, ..., a.out0, ... for the first choice and b.* for the second.
Run with JAX (and the package flatbuffers) installed: python make_polymorphic.py
"""

import json
import pathlib
import struct

import jax
import jax.numpy as jnp
import numpy as np
from jax import export, lax

# No paths of this machine in the files.
jax.config.update("jax_hlo_source_file_canonicalization_regex", ".*/")

OUT = pathlib.Path(__file__).parent / "polymorphic"
DTYPES = {"bool": "BOOL", "int32": "I32", "uint32": "U32", "float32": "F32"}


def save(path, tensors):
    """A safetensors file."""
    header, data = {}, b""
    for name, t in tensors.items():
        t = np.asarray(t, order="C")
        start = len(data)
        data += t.tobytes()
        header[name] = {"dtype": DTYPES[str(t.dtype)], "shape": list(t.shape), "data_offsets": [start, len(data)]}
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    path.write_bytes(struct.pack("<Q", len(text)) + text + data)


def fill(rng, shape, dtype, limit):
    """Values of a type; whole numbers below the limit."""
    if dtype == "float32":
        return rng.standard_normal(shape).astype(np.float32)
    return rng.integers(0, limit, shape).astype(dtype)


def mlp(params, x):
    h = jnp.tanh(x @ params["w"] + params["b"])
    return jnp.mean(h**2), jax.grad(lambda w: jnp.mean((x @ w) ** 2))(params["w"])


def attention(x, mask):
    t = x.shape[1]
    scores = jnp.einsum("btd,bsd->bts", x, x) / np.sqrt(8)
    causal = jnp.arange(t)[:, None] >= jnp.arange(t)[None, :]
    scores = jnp.where(causal & (mask[:, None, :] > 0), scores, -1e9)
    return jax.nn.softmax(scores, -1) @ x


def convolve(image, kernel):
    dims = ("NHWC", "HWIO", "NHWC")
    same = lax.conv_general_dilated(image, kernel, (2, 2), "SAME", dimension_numbers=dims)
    return same, lax.conv_general_dilated(image, kernel, (1, 1), "VALID", rhs_dilation=(2, 1), dimension_numbers=dims)


def pool(x):
    best = lax.reduce_window(x, -jnp.inf, lax.max, (1, 2, 2), (1, 2, 2), "SAME")
    return best, jnp.cumsum(x, axis=1), lax.cummax(x, axis=2)


def gather(table, index):
    return table[index], table[::2], table[:, ::-1], table.at[index].add(1.0), jnp.take(table, 0, axis=1)


def ranges(x):
    n = x.shape[0]
    return jnp.arange(n * 2 + 1), jnp.arange(3, n + 3) * x, jnp.tril(jnp.ones((n, n))), jnp.repeat(x, 2), jnp.tile(x, 3)


def reshape(x):
    b, t, d = x.shape
    flat = x.reshape(b * t, d)
    return flat.sum(0), jnp.pad(flat, ((1, t), (0, 2))), jnp.concatenate([flat, flat[: b * t // 2]])


def expressions(x, y, z):
    return x.reshape(-1)[: y.shape[0]] + y, z.sum()


def random(key, x):
    return x + jax.random.uniform(key, x.shape), jax.random.bits(key, (x.shape[0],))


def bits(state, x):
    new, values = lax.rng_bit_generator(state, x.shape, algorithm=lax.RandomAlgorithm.RNG_THREE_FRY)
    return new, values, x


def best(x):
    k = x.shape[1] // 2
    return *lax.top_k(x, 3), *lax.top_k(x, k), *lax.approx_max_k(x, 2), jnp.sort(x, axis=0), jnp.argsort(x)


def loops(x, flag, start):
    total, seen = lax.scan(lambda c, row: (c + row, c * 2), jnp.zeros(x.shape[1]), x)
    chosen = lax.cond(flag, lambda x: x * 2, lambda x: jnp.concatenate([x[1:], x[:1]]), x)
    window = lax.dynamic_slice(x, (start, 0), (x.shape[0] // 2, x.shape[1]))
    return total, seen, chosen, window, lax.fori_loop(0, x.shape[0], lambda i, s: s + x[i] * i, jnp.zeros(x.shape[1]))


def summary(x):
    return lax.cumlogsumexp(x, axis=1), jnp.argmax(x, axis=1), jnp.median(x), jax.image.resize(x, (x.shape[0] * 2, 3), "bilinear")


def loss(w, x, y):
    def f(w):
        h = (x - x.mean(-1, keepdims=True)) * lax.rsqrt(x.var(-1, keepdims=True) + 1e-5)
        return -jnp.mean(jnp.take_along_axis(jax.nn.log_softmax(h @ w), y[:, None], axis=1))

    return jax.value_and_grad(f)(w)


def platforms(x):
    return lax.platform_dependent(x, cpu=lambda x: x + 1, cuda=lambda x: x * 2)


# Function, arguments (shape, element type, limit of whole numbers), constraints, two choices of sizes.
CASES = {
    "mlp": (mlp, ({"b": ("5",), "w": ("3, 5",)}, ("b, 3",)), (), ({"b": 1}, {"b": 7})),
    "attention": (attention, (("b, t, 8",), ("b, t", "int32", 2)), ("t >= 2", "t <= 64", "mod(b, 2) == 0"), ({"b": 2, "t": 5}, {"b": 4, "t": 2})),
    "convolve": (convolve, (("b, h, w, 2",), ("3, 2, 2, 4",)), ("h >= 6", "w >= 4"), ({"b": 1, "h": 6, "w": 7}, {"b": 2, "h": 9, "w": 4})),
    "pool": (pool, (("b, h, w",),), (), ({"b": 1, "h": 5, "w": 4}, {"b": 3, "h": 2, "w": 7})),
    "gather": (gather, (("n, d",), ("b", "int32", 2)), (), ({"n": 5, "d": 3, "b": 2}, {"n": 2, "d": 1, "b": 4})),
    "ranges": (ranges, (("n",),), (), ({"n": 1}, {"n": 4})),
    "reshape": (reshape, (("b, t, d",),), (), ({"b": 2, "t": 3, "d": 4}, {"b": 1, "t": 5, "d": 1})),
    "expressions": (expressions, (("b, 4",), ("2*b+1",), ("floordiv(b, 2), max(b, 6)",)), ("b >= 2",), ({"b": 4}, {"b": 7})),
    "random": (random, (("2", "uint32", 1 << 32), ("b, t",)), (), ({"b": 2, "t": 3}, {"b": 5, "t": 1})),
    "bits": (bits, (("4", "uint32", 1 << 32), ("b, 3",)), (), ({"b": 2}, {"b": 5})),
    "best": (best, (("b, t",),), ("t >= 4",), ({"b": 2, "t": 6}, {"b": 3, "t": 5})),
    "loops": (loops, (("b, t",), ("", "bool", 2), ("", "int32", 3)), ("b >= 2",), ({"b": 3, "t": 2}, {"b": 6, "t": 1})),
    "summary": (summary, (("b, t",),), (), ({"b": 2, "t": 5}, {"b": 3, "t": 3})),
    "loss": (loss, (("d, 6",), ("b, d",), ("b", "int32", 6)), (), ({"d": 4, "b": 3}, {"d": 2, "b": 5})),
    "platforms": (platforms, (("n",),), (), ({"n": 3}, {"n": 8})),
}


def main():
    OUT.mkdir(exist_ok=True)
    for name, (f, args, constraints, choices) in CASES.items():
        scope = export.SymbolicScope(constraints)
        is_leaf = lambda x: isinstance(x, tuple) and len(x) > 0 and isinstance(x[0], str)
        leaf = lambda x: (*x, "float32", 2)[:3] if len(x) < 3 else x

        def symbolic(x):
            shape, dtype, _ = leaf(x)
            return jax.ShapeDtypeStruct(export.symbolic_shape(shape, scope=scope), dtype)

        specs = jax.tree.map(symbolic, args, is_leaf=is_leaf)
        several = ["cpu", "cuda"] if name == "platforms" else None
        exported = export.export(jax.jit(f), platforms=several)(*specs)
        (OUT / f"{name}.jax").write_bytes(exported.serialize())
        rng = np.random.default_rng(0)
        tensors = {}
        for label, sizes in zip("ab", choices):
            functions = {"floordiv": lambda a, b: a // b, "max": max, "mod": lambda a, b: a % b}

            def value(x):
                text, dtype, limit = leaf(x)
                shape = eval(f"[{text}]", functions, dict(sizes))
                return fill(rng, shape, dtype, limit)

            values = jax.tree.map(value, args, is_leaf=is_leaf)
            results = exported.call(*values)
            for kind, tree in [("arg", values), ("out", results)]:
                for i, t in enumerate(jax.tree.leaves(tree)):
                    tensors[f"{label}.{kind}{i}"] = np.asarray(t)
        save(OUT / f"{name}.safetensors", tensors)
        print(f"{name}: {(OUT / f'{name}.jax').stat().st_size} + {(OUT / f'{name}.safetensors').stat().st_size} bytes")


if __name__ == "__main__":
    main()
