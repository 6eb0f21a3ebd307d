"""Exports functions with marks (python/pullback/marks.py), with their gradients by JAX, for crates/pullback/tests/marks.

    python tools/marks/export.py            needs jax; writes crates/pullback/tests/marks/cases anew

Each case is NAME.mlir (text) or NAME.jax (a file of jax.export) of a loss, and in cases.json its arguments, the loss,
its gradient by every argument of f64, and the gradient of the sum of the first argument's gradient. Derivatives are those of
loops written out: in a loop that it has differentiated once, JAX forgets rules.
"""

import functools
import json
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path.insert(0, str(ROOT / "python"))

import jax
import jax.numpy as jnp
import numpy as np
from jax import export, lax

from pullback import checkpoint, custom_jvp, custom_vjp, stop_gradient

jax.config.update("jax_enable_x64", True)

CASES = {}
WRITTEN_OUT = False


def turns(n, f, x):
    if not WRITTEN_OUT:
        return lax.fori_loop(0, n, lambda _, y: f(y), x)
    for _ in range(n):
        x = f(x)
    return x


def scan(f, x, xs):
    if not WRITTEN_OUT:
        return lax.scan(f, x, xs)
    outs = []
    for y in xs:
        x, out = f(x, y)
        outs.append(out)
    return x, jnp.stack(outs)


def switch(n, branches, x):
    if not WRITTEN_OUT:
        return lax.switch(n, branches, x)
    return lax.select_n(n, *[b(x) for b in branches])



def case(*args, binary=False):
    def add(f):
        CASES[f.__name__] = (f, [jnp.asarray(a) for a in args], binary)
        return f

    return add


@case(2.7)
def straight_through(x):
    return (x + stop_gradient(jnp.round(x) - x)) ** 2


@case([1.0, 2.0, -3.0])
def softmax_shift(x):
    shifted = x - stop_gradient(x.max())
    return jnp.log(jnp.exp(shifted).sum()) * x[0]


@custom_vjp
def thrice(x):
    return 2 * x


thrice.defvjp(lambda x: (2 * x, None), lambda _, c: (3 * c,))


@case(1.0)
def reverse_rule(x):
    return thrice(x)


@case(1.0)
def reverse_rule_squared(x):
    return thrice(x) ** 2


@case([1.0, 1.0])
def reverse_rule_batched(x):
    return jax.vmap(thrice)(x).sum()


@functools.partial(custom_vjp, nondiff_argnums=(0, 2))
def powered(fn, x, n):
    return fn(x) ** n


powered.defvjp(lambda fn, x, n: (fn(x) ** n, x), lambda fn, n, x, c: (c * n * 10,))


@case(0.5)
def static_arguments(x):
    return powered(jnp.sin, x, 3)


@custom_vjp
def clipped(x, low, n):
    return jnp.where(x > low, x, 0.01 * x) * n, n + 1


def _clipped_fwd(x, low, n):
    return clipped(x, low, n), (x, low, {"n": n})


def _clipped_bwd(kept, cts):
    x, low, n = kept
    return cts[0] * (jnp.abs(x) < 2) * n["n"], None, None


clipped.defvjp(_clipped_fwd, _clipped_bwd)


@case([0.5, -1.0, 3.0], [0.0, 0.0, 0.0], [[1.0, 2.0, 3.0], [-1.0, 0.25, 1.0], [2.0, 1.0, 0.5]], binary=True)
def residuals_and_integers(x, low, w):
    y, n = clipped(jnp.tanh(w @ x), low, jnp.int32(2))
    return (y**2).sum() * n


TABLE = np.array([0.5, 1.0, 2.0])


@custom_vjp
def closed_over(x):
    return x * TABLE


closed_over.defvjp(lambda x: (x * TABLE, x), lambda x, c: (c * x * TABLE * 7,))


@case([1.0, -2.0, 3.0])
def constants_of_a_rule(x):
    return (closed_over(x) * jnp.sin(x)).sum()


@custom_jvp
def leaky(x, slope):
    return jnp.maximum(x, 0.0) + slope * jnp.minimum(x, 0.0)


@leaky.defjvp
def _leaky_jvp(primals, tangents):
    x, slope = primals
    t, _ = tangents
    return leaky(x, slope), jnp.where(x > 0, 1.0, 0.25) * t * jnp.cos(x)


@case([1.0, -1.0, 0.0, 2.0], 0.1)
def forward_rule(x, slope):
    return (leaky(x, slope) ** 2).sum()


@case([[1.0, -1.0], [0.5, 2.0]], 0.1, binary=True)
def forward_rule_batched(x, slope):
    return (jax.vmap(leaky, in_axes=(0, None))(x, slope) ** 2).sum()


@checkpoint
def block(w, x):
    return x + jnp.tanh(jnp.sin(w @ x))


@case([[0.5, -1.0], [2.0, 0.25]], [1.0, -2.0])
def rematerialized(w, x):
    return block(w, block(w, x)).sum()


@checkpoint
def quantized(x):
    return jnp.sin(x + stop_gradient(jnp.round(x) - x)) * thrice(x)


@case([0.3, 1.7, -2.2])
def marks_inside_marks(x):
    return (quantized(x) * quantized(2 * x)).sum()


@case([0.3, -0.7])
def stopped_in_a_loop(x):
    return turns(4, lambda y: jnp.sin(y) * stop_gradient(y) + y, x).sum()


@case([[0.5, -1.0], [2.0, 0.25]], [1.0, -2.0])
def rematerialized_in_a_loop(w, x):
    return turns(3, lambda y: block(w, y), x).sum()


@case([0.3, -0.7], [1.0, 0.5])
def reverse_rule_in_a_loop(x, w):
    step = lambda y, k: (thrice(jnp.sin(y) * w) + closed_over(jnp.append(y, k))[:2], y.sum())
    y, sums = scan(step, x, jnp.arange(3.0))
    return (y * y).sum() + (sums * sums).sum()


@case([0.9, -0.7], 0.1)
def forward_rule_in_a_loop(x, slope):
    return turns(4, lambda y: leaky(y, slope) + jnp.cos(y), x).sum()


@case([0.9, -0.7, 0.2, -1.5])
def marks_in_branches(x):
    branches = [lambda y: thrice(y) * y, lambda y: jnp.sin(y + stop_gradient(y * y)), lambda y: quantized(y)]

    def step(total, y):
        n = jnp.int32(y > 0) + jnp.int32(y < -1) * 2
        return total * 0.5 + switch(n, branches, y) * total, y

    return scan(step, 1.0, x)[0]


def _turns(x, n):
    return turns(n, lambda y: jnp.sin(y) * 1.5, x)


@functools.partial(custom_vjp, nondiff_argnums=(1,))
def looping(x, n):
    return _turns(x, n)


looping.defvjp(lambda x, n: (_turns(x, n), x), lambda n, x, c: (_turns(c * x, n),))


@case([0.9, -0.7])
def loops_in_rules(x):
    inner = checkpoint(lambda y: _turns(y, 2) * y)
    return (looping(x, 3) * turns(2, lambda y: inner(y) + looping(y, 1), x)).sum()


def main():
    global WRITTEN_OUT
    folder = ROOT / "crates/pullback/tests/marks/cases"
    out = {}
    for name, (f, args, binary) in CASES.items():
        exported = export.export(jax.jit(f))(*args)
        text = exported.mlir_module()
        if binary:
            (folder / f"{name}.jax").write_bytes(exported.serialize())
        else:
            (folder / f"{name}.mlir").write_text("\n".join(l for l in text.splitlines() if not l.startswith("#loc")) + "\n")
        wrt = tuple(range(len(args)))
        WRITTEN_OUT = True
        loss, grads = jax.value_and_grad(f, wrt)(*args)
        second = jax.grad(lambda *a: jax.grad(f)(*a).sum())(*args)
        WRITTEN_OUT = False
        assert np.allclose(loss, export.deserialize(exported.serialize()).call(*args))
        out[name] = {
            "file": f"{name}.{'jax' if binary else 'mlir'}",
            "args": [{"shape": a.shape, "values": a.ravel().tolist()} for a in args],
            "loss": float(loss),
            "grads": [g.ravel().tolist() for g in grads],
            "second": second.ravel().tolist(),
        }
    (folder / "cases.json").write_text(json.dumps(out, indent=1) + "\n")


if __name__ == "__main__":
    main()
