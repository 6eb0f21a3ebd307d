"""Random losses with what JAX makes of their derivatives: gradients, a directional derivative, a Hessian's product.

Run by `generate.py --gradients`. A loss is a weighted sum of everything that a random program makes. Inputs keep away from
points without a derivative (ties, whole numbers), so that only rules are compared, not conventions.
"""
import jax
import jax.numpy as jnp
import numpy as np

import programs
from pool import Gen, Skip, Value, kind


class Smooth(Gen):
    """Draws numbers that are not round."""

    def numbers(self, shape, dtype, lo=None, hi=None):
        a = super().numbers(shape, dtype, lo, hi)
        if kind(dtype) not in "fc":
            return a
        r = np.random.RandomState(self.rng.randrange(2**31))
        step = 0.0 if (lo, hi) != (None, None) else 1.0
        return (a + step * r.uniform(0.01, 0.2, size=shape)).astype(dtype)


class Loss:
    """A seed's loss: draws the same operations whenever it is traced."""

    def __init__(self, seed, max_ops):
        g = Smooth(seed)
        kinds = ["float64", "float64", "float32"] if g.chance(0.85) else ["complex128"]
        self.inputs = [g.numbers(g.shape(), g.rng.choice(kinds)) for _ in range(g.rng.choice([1, 1, 2, 3]))]
        if g.chance(0.2):
            self.inputs.append(g.numbers(g.shape(), "int32"))
        self.wrt = [i for i, x in enumerate(self.inputs) if kind(x.dtype) in "fc"]
        self.steps = g.rng.randint(1, max_ops)
        self.more = g.rng.randrange(2**60)
        self.ops = []

    def __call__(self, *xs):
        g = Smooth(self.more)
        g.pool = [Value(x, True) for x in xs]
        n = len(g.pool)
        programs.grow(g, self.steps)
        made = [v for v in g.pool[n:] if v.kind in "fc"]
        if not made:
            raise Skip("nothing to differentiate")
        self.ops = [v.op for v in g.pool[n:]]
        weights = np.random.RandomState(self.more % 2**31)
        loss = jnp.zeros((), jnp.float64)
        for v in made:
            for part in [jnp.real(v.x), jnp.imag(v.x)] if v.kind == "c" else [v.x]:
                w = jnp.asarray(weights.uniform(-1.5, 1.5, size=v.shape), part.dtype)
                loss = loss + jnp.sum(w * part).astype(jnp.float64)
        return loss


def build(seed, max_ops, tensor):
    """A record; `tensor` writes one tensor."""
    f = Loss(seed, max_ops)
    lowered = jax.jit(f, keep_unused=True).lower(*f.inputs)
    ops = f.ops
    loss = np.asarray(lowered.compile()(*f.inputs))
    r = np.random.RandomState(seed)

    def direction(x):
        v = r.uniform(-1, 1, size=x.shape)
        return np.asarray(v + 1j * r.uniform(-1, 1, size=x.shape) if kind(x.dtype) == "c" else v).astype(x.dtype)

    tangents = [direction(f.inputs[i]) for i in f.wrt]

    def of(*xs):
        inputs = list(f.inputs)
        for i, x in zip(f.wrt, xs):
            inputs[i] = x
        return f(*inputs)

    xs = [f.inputs[i] for i in f.wrt]
    # Compiled whole, so that it is rounded as the text says.
    slope = np.asarray(jax.jit(lambda xs, vs: jax.jvp(of, xs, vs)[1])(tuple(xs), tuple(tangents)))
    if f.ops != ops:
        raise Skip("JAX has no tangent of an operation")
    narrow = any(x.dtype == np.float32 for x in f.inputs) or "f32" in lowered.as_text()
    tolerance = 2e-5 if narrow else 1e-11
    derivatives = {
        "ops": ops, "wrt": f.wrt, "tangents": [tensor(v) for v in tangents], "tolerance": tolerance,
        "slope": tensor(slope), "gradients": None, "curvature": None,
    }
    record = {
        "seed": seed, "text": lowered.as_text(), "inputs": [tensor(x) for x in f.inputs],
        "outputs": [{"op": "loss", "tolerance": tolerance, "value": tensor(loss)}], "derivatives": derivatives,
    }
    everything = [loss, slope]
    try:
        grad = jax.grad(of, argnums=tuple(range(len(xs))))
        gradients = [np.asarray(x) for x in jax.jit(grad)(*xs)]
        if f.ops != ops:
            raise NotImplementedError("an operation has no transpose in JAX")
        derivatives["gradients"] = [tensor(x) for x in gradients]
        everything += gradients
        if all(kind(x.dtype) == "f" for x in xs):
            second = jax.jit(lambda xs, vs: jax.jvp(grad, xs, vs)[1])(tuple(xs), tuple(tangents))
            if f.ops != ops:
                raise NotImplementedError("an operation has no second derivative in JAX")
            derivatives["curvature"] = [tensor(x) for x in second]
            everything += [np.asarray(x) for x in second]
    except (NotImplementedError, ValueError) as e:
        derivatives["refused"] = f"{type(e).__name__}: {str(e).splitlines()[0][:120]}"
    if not all(np.isfinite(x).all() for x in everything):
        raise Skip("not finite")
    if all(np.all(np.asarray(x) == 0) for x in everything[1:]):
        raise Skip("no derivative but 0")
    return record
