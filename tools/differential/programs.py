"""Control flow, derivatives, linear algebra, transforms, random numbers: operations made of others."""
import functools

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from elementwise import OPS, op
from movement import some
from pool import Gen, Skip, Value

WIDE = ("float32", "float64")
REFUSED = {}


def sub(g, values, steps, families=None):
    """A few random operations on these values; the generator with its pool."""
    child = Gen(g.rng.randrange(2**60), g.specials)
    child.depth = g.depth + 1
    child.pool = list(values)
    grow(child, steps, families)
    return child


def grow(g, steps, families=None):
    """Adds operations to a pool."""
    by_family = {}
    for name, (family, weight, f) in OPS.items():
        if (families is None or family in families) and not (g.depth >= 2 and family == "control"):
            by_family.setdefault(family, []).append((weight, f))
    tries = 0
    while steps > 0 and tries < 60:
        tries += 1
        family = g.rng.choice(sorted(by_family))
        f = g.rng.choices([f for _, f in by_family[family]], [w for w, _ in by_family[family]])[0]
        before = len(g.pool)
        try:
            f(g)
        except Skip:
            del g.pool[before:]
            continue
        except (ValueError, TypeError, NotImplementedError, AttributeError, IndexError) as e:
            # Something that JAX does not take; kept, so that it is seen how often.
            reason = f"{f.__name__}: {str(e).splitlines()[0][:100]}"
            REFUSED[reason] = REFUSED.get(reason, 0) + 1
            del g.pool[before:]
            continue
        steps -= 1


SIMPLE = {"unary", "binary", "integer", "choice", "movement", "reduce", "convert"}


def step_like(g, inner, like):
    """A value of the inner pool with the type of `like`; whether it is exact."""
    fits = [v for v in inner.pool if v.shape == like.shape and v.dtype == like.dtype]
    v = fits[-1]
    if v.kind == "f" and (v.bound > 8 or g.specials) and v is not like:
        return jnp.tanh(v.x), False, 1.0, v.slack
    return v.x, v.exact, v.bound, v.slack


@op("control", 3)
def looping(g):
    """Loops whose turns are known, and one whose condition is computed."""
    if g.depth >= 2:
        raise Skip
    carry = [g.pick("fiu") for _ in range(g.rng.choice([1, 2]))]
    captured = [g.pick("fiub")]
    seed = g.rng.randrange(2**60)
    facts = {}

    def turn(i, xs):
        child = Gen(seed, g.specials)
        child.depth = g.depth + 1
        vs = [Value(x, c.exact, c.bound, c.slack) for x, c in zip(xs, carry)]
        child.pool = captured + [Value(jnp.asarray(i).astype("int32"), True)] + vs
        grow(child, child.rng.choice([1, 2, 3]), SIMPLE)
        out = []
        for k, v in enumerate(vs):
            x, exact, bound, slack = step_like(child, child, v)
            facts[k] = (exact, max(bound, v.bound), slack)
            out.append(x)
        return tuple(out)
    name = g.rng.choice(["fori", "while", "scan", "fori_known"])
    n = g.rng.randint(0, 4)
    first = tuple(c.x for c in carry)
    if name == "fori":
        r = lax.fori_loop(0, jnp.asarray(n), turn, first)
    elif name == "fori_known":
        r = lax.fori_loop(0, n, turn, first)
    elif name == "while":
        r = lax.while_loop(lambda s: s[0] < n, lambda s: (s[0] + 1, turn(s[0], s[1])), (jnp.int32(0), first))[1]
    else:
        xs = g.const((n, 2), "int32")

        def body(s, x):
            s = turn(x[0], s)
            return s, (s[0], x.sum())
        r, ys = lax.scan(body, first, xs.x, reverse=g.chance(0.3))
        exact, bound, slack = facts.get(0, (True, 4.0, 1.0))
        g.add(ys[0], "scan_ys", *carry, *captured, exact=False if carry[0].kind == "f" else None, bound=bound, slack=16)
        g.add(ys[1], "scan_sum", xs)
    for k, (x, c) in enumerate(zip(r, carry)):
        exact, bound, slack = facts.get(k, (True, 4.0, 1.0))
        # After the first turn carried floats are rounded, whatever they were.
        integer = c.kind in "iu"
        if integer and not exact:
            raise Skip
        g.add(x, name, c, exact=integer, bound=bound, slack=16 * slack)


@op("control", 3)
def choosing_branch(g):
    if g.depth >= 2:
        raise Skip
    v = g.pick("fiu")
    captured = [g.pick("fiub")]
    seeds = [g.rng.randrange(2**60) for _ in range(g.rng.choice([1, 2, 3]))]
    facts = []

    def branch(seed):
        def run(x):
            child = Gen(seed, g.specials)
            child.depth = g.depth + 1
            w = Value(x, v.exact, v.bound, v.slack)
            child.pool = captured + [w]
            grow(child, child.rng.choice([1, 2]), SIMPLE)
            y, exact, bound, slack = step_like(child, child, w)
            facts.append((exact, bound, slack))
            return y
        return run
    if len(seeds) == 2 and g.chance(0.5):
        r = lax.cond(g.pick("b", lambda b: b.rank == 0).x, *map(branch, seeds), v.x)
    else:
        i = g.const((), "int32", -1, 3)
        r = lax.switch(i.x, list(map(branch, seeds)), v.x)
    g.add(r, "cond", v, exact=all(f[0] for f in facts) and v.exact, bound=max(f[1] for f in facts),
          slack=max(f[2] for f in facts))


@op("control", 2)
def mapping(g):
    """vmap and lax.map of a few operations."""
    if g.depth >= 1:
        raise Skip
    v = some(g, 1, "f", lambda v: v.shape[0] > 0 and v.dtype.name in WIDE)
    seed = g.rng.randrange(2**60)
    facts = {}

    def one(x):
        child = Gen(seed, g.specials)
        child.depth = 2
        w = Value(x, v.exact, v.bound, v.slack)
        child.pool = [w]
        grow(child, 2, {"unary", "movement", "reduce", "binary"})
        out = child.pool[-1]
        facts["f"] = (out.exact, out.bound, out.slack)
        return out.x
    name = g.rng.choice(["vmap", "map", "jit", "checkpoint"])
    f = {"vmap": jax.vmap, "map": lambda f: lambda x: lax.map(f, x), "jit": jax.jit, "checkpoint": jax.checkpoint}[name](one)
    r = f(v.x)
    exact, bound, slack = facts["f"]
    g.add(r, name, v, exact=exact, bound=bound, slack=2 * slack)


@op("derivative", 3)
def derivative(g):
    """Gradients and directional derivatives of a few smooth operations."""
    if g.depth >= 1 or g.specials:
        raise Skip
    v = some(g, 0, "f", lambda v: v.dtype.name in WIDE and v.size <= 40)
    seed = g.rng.randrange(2**60)

    def f(x):
        child = Gen(seed)
        child.depth = 2
        w = Value(x, False, 4.0, v.slack)
        child.pool = [w]
        # Movement may have dropped the argument; start from something smooth of it.
        child.add(jnp.sin(x), "sin", w, exact=False, bound=1)
        grow(child, 3, {"unary", "dot", "movement"})
        outs = [c for c in child.pool[1:] if c.kind == "f" and not c.exact]
        return sum(jnp.sum(jnp.tanh(c.x.astype(v.dtype))) for c in outs)
    name = g.rng.choice(["grad", "jvp", "value_and_grad", "hessian_diag"])
    x = g.tame(v, 2).x
    if name == "grad":
        r = jax.grad(f)(x)
    elif name == "jvp":
        r = jax.jvp(f, (x,), (jnp.cos(x),))[1]
    elif name == "value_and_grad":
        r = jax.value_and_grad(f)(x)[1]
    else:
        r = jax.jvp(jax.grad(f), (x,), (jnp.ones_like(x),))[1]
    g.add(r, name, v, exact=False, bound=100, slack=400)


@op("derivative", 1)
def barrier(g):
    vs = [g.pick("fiubc") for _ in range(g.rng.choice([1, 2]))]
    for v, x in zip(vs, lax.optimization_barrier(tuple(v.x for v in vs))):
        g.add(x, "optimization_barrier", v)


@op("derivative", 1)
def composite(g):
    v = g.pick("f")

    @functools.partial(lax.composite, name="test.scaled")
    def scaled(x, factor):
        return x * jnp.asarray(factor, x.dtype) + jnp.asarray(1, x.dtype)
    g.add(scaled(v.x, factor=0.5), "composite", v, exact=False)


@op("linalg", 3)
def linear_algebra(g):
    """On matrices far from singular; of what is not unique, only what is."""
    dtype = np.dtype(g.rng.choice(["float32", "float32", "float64", "float64", "complex64", "complex128"]))
    batch = g.shape(g.rng.choice([0, 0, 1])) if g.chance(0.3) else ()
    if np.prod(batch) > 3:
        raise Skip
    specials, g.specials = g.specials, False
    n = g.rng.randint(1, 5)
    m = g.rng.randint(1, 5)
    square = g.const(batch + (n, n), dtype, -1, 1).x
    wide = g.const(batch + (m, n), dtype, -1, 1).x
    rhs = g.const(batch + (n, g.rng.choice([1, 2, 3])), dtype, -1, 1).x
    g.specials = specials
    # Spread eigenvalues, so that nothing nearly coincides.
    spread = jnp.diag(jnp.arange(1, n + 1) * 3).astype(dtype)
    good = square + spread
    h = jnp.swapaxes(square.conj(), -1, -2)
    symmetric = (square + h) / jnp.asarray(2, dtype) + spread
    definite = square @ h + spread
    name = g.rng.choice(["cholesky", "solve", "inv", "det", "slogdet", "qr", "svd", "eigh", "lu", "triangular_solve",
                         "solve_triangular", "expm", "lstsq", "pinv", "matrix_power", "schur", "eigvals", "lu_solve",
                         "cho_solve", "tridiagonal", "polar", "hessenberg", "householder"])
    la, sla = jnp.linalg, jax.scipy.linalg
    results = []
    if name == "cholesky":
        results = [la.cholesky(definite)]
    elif name == "solve":
        results = [la.solve(good, rhs)]
    elif name in ("inv", "det"):
        results = [getattr(la, name)(good)]
    elif name == "slogdet":
        results = list(la.slogdet(good))
    elif name == "qr":
        q, r = la.qr(wide)
        results = [q @ r, jnp.abs(r)]
    elif name == "svd":
        u, s, vh = la.svd(wide, full_matrices=False)
        results = [s, (u * s[..., None, :].astype(dtype)) @ vh]
    elif name == "eigh":
        w, v = la.eigh(symmetric)
        results = [w, (v * w[..., None, :].astype(dtype)) @ jnp.swapaxes(v.conj(), -1, -2)]
    elif name == "lu":
        lu, pivots, perm = lax.linalg.lu(wide)
        results = [lu, pivots, perm]
    elif name == "lu_solve":
        if batch:
            raise Skip
        results = [sla.lu_solve(sla.lu_factor(good), rhs, trans=g.rng.choice([0, 1, 2]))]
    elif name == "cho_solve":
        results = [sla.cho_solve(sla.cho_factor(definite, lower=g.chance(0.5)), rhs)] if not batch else []
    elif name == "triangular_solve":
        left = g.chance(0.5)
        b = rhs if left else jnp.swapaxes(rhs, -1, -2)
        results = [lax.linalg.triangular_solve(
            good, b, left_side=left, lower=g.chance(0.5), transpose_a=g.chance(0.5), conjugate_a=g.chance(0.3),
            unit_diagonal=g.chance(0.3))]
    elif name == "solve_triangular":
        results = [sla.solve_triangular(good, rhs, lower=g.chance(0.5), trans=g.rng.choice([0, 1, 2]))] if not batch else []
    elif name == "expm":
        results = [sla.expm(square)] if not batch and dtype.kind == "f" else []
    elif name == "lstsq":
        results = [la.lstsq(good, rhs)[0]] if not batch and dtype.kind == "f" else []
    elif name == "pinv":
        results = [la.pinv(good)]
    elif name == "matrix_power":
        results = [la.matrix_power(square, g.rng.randint(0, 3))]
    elif name == "schur":
        if batch:
            raise Skip
        t, z = lax.linalg.schur(good)
        results = [z @ t @ z.conj().T]
    elif name == "eigvals":
        if batch:
            raise Skip
        w, v = la.eig(good)
        # What is 0 but for rounding is held to the size of the matrix.
        results = [jnp.sum(w), good.astype(v.dtype) @ v - v * w[None, :] + 1]
    elif name == "tridiagonal":
        if dtype.kind == "c" or batch:
            raise Skip
        d = jnp.full((4,), 4, dtype)
        e = jnp.asarray(g.numbers((4,), dtype, -1, 1))
        results = [lax.linalg.tridiagonal_solve(e.at[0].set(0), d, e.at[-1].set(0), jnp.ones((4, 2), dtype))]
    elif name == "polar":
        if dtype.kind == "c" or batch:
            raise Skip
        results = list(sla.polar(good))
    elif name == "hessenberg":
        if batch:
            raise Skip
        a, taus = lax.linalg.hessenberg(good)
        results = [jnp.abs(jnp.diagonal(a, -1))] if n > 1 else []
    else:
        a, taus = lax.linalg.geqrf(wide) if hasattr(lax.linalg, "geqrf") else (wide, None)
        results = [jnp.abs(jnp.triu(a))] if taus is not None else []
    if not results:
        raise Skip
    for i, r in enumerate(results):
        exact = r.dtype.kind == "i"
        g.add(r, name if not i else f"{name}_{i}", exact=exact, bound=100, slack=300)


@op("fft", 3)
def fourier(g):
    v = some(g, 1, "fc", lambda v: v.dtype.name not in ("float16", "bfloat16") and v.bound < 1e4)
    if v.dtype.name in ("float16", "bfloat16") or g.specials and v.kind in "fc":
        raise Skip
    name = g.rng.choice(["fft", "ifft", "rfft", "irfft", "fft2", "fftn", "ifftn", "rfftn", "irfftn", "hfft", "fftshift"])
    d = g.rng.randrange(v.rank)
    if 0 in v.shape and name not in ("fftshift",):
        raise Skip
    if name in ("fft", "ifft", "irfft", "hfft"):
        r = getattr(jnp.fft, name)(v.x, axis=d, n=g.rng.choice([None, 1, 3, 4, 6, 8]) if v.shape[d] > 1 else 4)
    elif name == "rfft":
        r = jnp.fft.rfft(v.x.real, axis=d)
    elif name == "fftshift":
        return g.add(jnp.fft.fftshift(v.x), name, v)
    else:
        if v.rank < 2 or name == "irfftn" and v.shape[-1] < 2:
            raise Skip
        x = v.x.real if name == "rfftn" else v.x
        r = getattr(jnp.fft, name)(x, axes=(v.rank - 2, v.rank - 1)) if name != "fft2" else jnp.fft.fft2(x)
    g.add(r, name, v, exact=False, bound=v.bound * 32, slack=16)


@op("random", 3)
def random_numbers(g):
    impl = g.rng.choice(["threefry2x32"] * 3 + ["rbg", "unsafe_rbg"])
    seed = g.pick("iu", lambda v: v.rank == 0)
    key = jax.random.key(jnp.asarray(seed.x).astype("int32"), impl=impl)
    shape = g.shape()
    dtype = g.rng.choice(["float32", "float64"])
    name = g.rng.choice(["bits", "uniform", "normal", "randint", "bernoulli", "permutation", "categorical", "split",
                         "fold_in", "exponential", "gumbel", "truncated_normal", "gamma", "choice", "cauchy", "laplace",
                         "poisson", "rademacher", "bits8"])
    r = jax.random
    exact, slack = True, 1
    if name == "bits":
        x = r.bits(key, shape, g.rng.choice(["uint32", "uint64", "uint16"]))
    elif name == "bits8":
        x = r.bits(key, shape, "uint8")
    elif name == "uniform":
        x = r.uniform(key, shape, dtype)
    elif name == "randint":
        x = r.randint(key, shape, -5, 9, g.rng.choice(["int32", "int64", "int8"]))
    elif name == "bernoulli":
        x = r.bernoulli(key, 0.3, shape)
    elif name == "rademacher":
        x = r.rademacher(key, shape)
    elif name == "permutation":
        x = r.permutation(key, g.rng.randint(1, 9))
    elif name == "split":
        x = r.key_data(r.split(key, 3))
    elif name == "fold_in":
        x = r.key_data(r.fold_in(key, 7))
    elif name == "choice":
        x = r.choice(key, jnp.arange(7), (3,), replace=g.chance(0.5))
    elif name == "categorical":
        x = r.categorical(key, jnp.log(jnp.array([0.2, 0.5, 0.3])), shape=shape)
    elif name == "poisson":
        if impl != "threefry2x32":
            raise Skip
        x = r.poisson(key, 3.0, shape[:1])
    elif name == "gamma":
        x, exact, slack = r.gamma(key, 2.5, shape[:1], dtype), False, 200
    elif name == "truncated_normal":
        x, exact, slack = r.truncated_normal(key, -1.5, 1.5, shape, dtype), False, 60
    else:
        x, exact, slack = getattr(r, name)(key, shape, dtype), False, 60
    v = g.add(x, f"random_{name}_{impl}", seed, exact=exact, bound=30, slack=slack)
    if name == "uniform":
        v.bitwise = True
