"""Reductions, scans, windows, contractions, convolutions, sorting."""
import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.scipy import special

from elementwise import op
from movement import some
from pool import Skip


def axes(g, v):
    dims = [d for d in range(v.rank) if g.chance(0.6)]
    return tuple(dims) if dims else None


@op("reduce", 5)
def reducing(g):
    v = some(g, 0, "fiu")
    a = axes(g, v)
    name = g.rng.choice(["sum", "prod", "max", "min", "mean", "var", "std", "ptp", "count_nonzero", "nansum"])
    if name in ("max", "min", "ptp", "mean", "var", "std") and 0 in v.shape:
        raise Skip
    if name == "prod" and v.kind == "f":
        v = g.tame(v, 1.5)
    if name == "count_nonzero":
        if not v.exact:
            raise Skip
        return g.add(jnp.count_nonzero(v.x, axis=a), name, v)
    if name == "nansum" and v.kind != "f":
        raise Skip
    kw = {"keepdims": True} if g.chance(0.3) else {}
    r = getattr(jnp, name)(v.x, axis=a, **kw)
    fold = name in ("max", "min") or (v.kind in "iu" and name in ("sum", "prod", "ptp"))
    bound = {"sum": v.bound * v.size, "prod": 1e4, "nansum": v.bound * v.size}.get(name, v.bound * (v.bound if name == "var" else 2))
    g.add(r, name, v, exact=v.exact and fold, bound=bound, slack=1 if fold else 8)


@op("reduce", 2)
def reducing_bool(g):
    v = some(g, 0, "b")
    name = g.rng.choice(["any", "all", "sum_bool", "max_bool"])
    f = {"any": jnp.any, "all": jnp.all, "sum_bool": jnp.sum, "max_bool": jnp.max}[name]
    if name == "max_bool" and 0 in v.shape:
        raise Skip
    g.add(f(v.x, axis=axes(g, v)), name, v)


@op("reduce", 3)
def arg_reducing(g):
    v = some(g, 1, "fiu", lambda v: v.exact and 0 not in v.shape)
    if not v.exact:
        raise Skip
    name = g.rng.choice(["argmax", "argmin", "nanargmax", "lax_argmax"])
    d = g.rng.randrange(v.rank)
    if name == "lax_argmax":
        return g.add(lax.argmax(v.x, d, g.rng.choice(["int32", "int64", "uint8"])), name, v)
    if name == "nanargmax" and v.kind != "f":
        raise Skip
    g.add(getattr(jnp, name)(v.x, axis=d), name, v)


@op("reduce", 3)
def general_reduce(g):
    """lax.reduce with bodies that are no single operation."""
    v = some(g, 1, "fiu", lambda v: v.rank <= 3)
    d = [d for d in range(v.rank) if g.chance(0.6)] or [0]
    zero = jnp.zeros((), v.dtype)
    name = g.rng.choice(["pair_sum_max", "max_where", "sum_of_squares", "bit_fold", "first_nonzero"])
    if name == "pair_sum_max":
        w = g.pick("fiu", like=v)
        lowest = jnp.asarray(-jnp.inf if v.kind == "f" else np.iinfo(v.dtype).min, v.dtype)
        r = lax.reduce((v.x, w.x), (zero, lowest), lambda x, y: (x[0] + y[0], lax.max(x[1], y[1])), d)
        g.add(r[0], "reduce_pair_sum", v, w, exact=v.exact and v.kind != "f", bound=v.bound * v.size, slack=8)
        return g.add(r[1], "reduce_pair_max", v, w)
    if name == "max_where":
        if not v.exact or v.dtype.name in ("float16", "bfloat16") and v.size > 60:
            raise Skip
        i = lax.broadcasted_iota("int32", v.shape, d[0])
        lowest = jnp.asarray(-jnp.inf if v.kind == "f" else np.iinfo(v.dtype).min, v.dtype)

        def body(x, y):
            pick = (x[0] > y[0]) | ((x[0] == y[0]) & (x[1] < y[1]))
            return jnp.where(pick, x[0], y[0]), jnp.where(pick, x[1], y[1])
        if g.specials:
            raise Skip
        r = lax.reduce((v.x, i), (lowest, jnp.int32(2**31 - 1)), body, d[:1])
        g.add(r[0], "reduce_argmax_value", v)
        return g.add(r[1], "reduce_argmax_index", v)
    if name == "bit_fold":
        v = some(g, 1, "iu", lambda v: v.rank <= 3)
        r = lax.reduce(v.x, jnp.asarray(-1 if v.kind == "i" else np.iinfo(v.dtype).max, v.dtype), lax.bitwise_and, (0,))
        return g.add(r, "reduce_and", v)
    if name == "first_nonzero":
        v = some(g, 1, "iu", lambda v: v.rank <= 3)
        r = lax.reduce(v.x, jnp.zeros((), v.dtype), lambda a, b: lax.bitwise_xor(a, b), (v.rank - 1,))
        return g.add(r, "reduce_xor", v)
    if v.kind != "f":
        raise Skip
    # Associative, but no plain sum: a norm.
    v = g.tame(v, 4)
    r = lax.reduce(v.x, zero, lambda a, b: jnp.sqrt(a * a + b * b), d)
    g.add(r, "reduce_norm", v, exact=False, bound=v.bound * v.size, slack=30)


@op("reduce", 3)
def cumulative(g):
    v = some(g, 1, "fiu")
    d = g.rng.randrange(v.rank)
    name = g.rng.choice(["cumsum", "cumprod", "cummax", "cummin", "cumlogsumexp", "associative_scan"])
    if name in ("cumprod",) and v.kind == "f":
        v = g.tame(v, 1.3)
    if name == "cumlogsumexp":
        if v.kind != "f" or v.dtype.name == "float16":
            raise Skip
        v = g.tame(v, 6)
        return g.add(lax.cumlogsumexp(v.x, axis=d, reverse=g.chance(0.3)), name, v, exact=False, slack=16)
    if name == "associative_scan":
        w = g.tame(v, 2) if v.kind == "f" else v
        r = lax.associative_scan(jnp.add, w.x, axis=d, reverse=g.chance(0.3)) if v.shape[d] else w.x
        return g.add(r, name, w, exact=v.exact and v.kind != "f", bound=w.bound * 8, slack=8)
    r = getattr(lax, name)(v.x, axis=d, reverse=g.chance(0.3))
    fold = name in ("cummax", "cummin") or v.kind in "iu"
    g.add(r, name, v, exact=v.exact and fold, bound=v.bound * (16 if fold or name == "cumsum" else 64), slack=1 if fold else 8)


def window(g, v, most=3):
    dims = tuple(g.rng.randint(1, most) for _ in v.shape)
    strides = tuple(g.rng.choice([1, 1, 2, 3]) for _ in v.shape)
    padding = g.rng.choice(["SAME", "VALID", None])
    if padding is None:
        padding = tuple((g.rng.randint(0, 2), g.rng.randint(0, 2)) for _ in v.shape)
    return dims, strides, padding


@op("window", 4)
def windows(g):
    v = some(g, 1, "fiu", lambda v: v.rank <= 3)
    dims, strides, padding = window(g, v)
    base = tuple(g.rng.choice([1, 1, 2]) for _ in v.shape)
    inner = tuple(g.rng.choice([1, 1, 2]) for _ in v.shape)
    # A NumPy scalar is known to be the identity, a traced one is not: a window of its own kind, and a general one.
    scalar = g.rng.choice([lambda x: np.asarray(x).astype(v.dtype), lambda x: jnp.asarray(x, v.dtype)])
    lowest = scalar(-np.inf if v.kind == "f" else np.iinfo(v.dtype).min)
    highest = scalar(np.inf if v.kind == "f" else np.iinfo(v.dtype).max)
    name, f, init = g.rng.choice([("sum", lax.add, scalar(0)), ("max", lax.max, lowest), ("min", lax.min, highest),
                                  ("mul", lax.mul, scalar(1)), ("init", lax.add, scalar(1)),
                                  ("general", lambda a, b: a + b - a * b, scalar(0))])
    if name in ("mul", "general") and v.kind == "f":
        v = g.tame(v, 1.2)
    if name == "general" and v.kind != "f":
        raise Skip
    if padding in ("SAME", "VALID") and (0 in v.shape):
        raise Skip
    if name == "init":
        # The specification pads with the initial value, XLA with nothing: they differ where it is no identity.
        padding, base = "VALID", (1,) * v.rank
        if 0 in v.shape:
            raise Skip
    r = lax.reduce_window(v.x, init, f, dims, strides, padding, base, inner)
    fold = name in ("max", "min") or v.kind in "iu"
    g.add(r, f"reduce_window_{name}", v, exact=v.exact and fold, bound=v.bound * 27, slack=1 if fold else 8)


@op("window", 2)
def pooling(g):
    """Adjoints of pooling: select_and_scatter, and sums over dilated bases."""
    v = some(g, 2, "f", lambda v: v.rank == 2 and v.exact and min(v.shape) >= 2)
    if not v.exact or g.specials:
        raise Skip
    # Distinct elements, so that which is the largest is clear.
    x = v.x + jnp.arange(v.size, dtype=v.dtype).reshape(v.shape) * jnp.asarray(16, v.dtype)
    name = g.rng.choice(["max", "sum"])
    f, init = {"max": (lax.max, -jnp.inf), "sum": (lax.add, 0.0)}[name]
    dims, strides, padding = window(g, v, 2)
    init = np.asarray(init, v.dtype)
    pool = lambda x: jnp.sum(lax.reduce_window(x, init, f, dims, strides, padding) * jnp.asarray(0.5, v.dtype))
    if v.dtype.name in ("float16", "bfloat16"):
        raise Skip
    g.add(jax.grad(pool)(x), f"grad_pool_{name}", v, exact=False)


@op("dot", 5)
def contraction(g):
    a = some(g, 1, "fiuc", lambda v: v.rank <= 4)
    if g.specials and a.kind in "fc":
        raise Skip
    contract = [d for d in range(a.rank) if g.chance(0.5)]
    batch = [d for d in range(a.rank) if d not in contract and g.chance(0.3)]
    order = contract + batch
    free = list(g.shape(g.rng.choice([0, 1, 1, 2])))
    dims = [(("c", d), a.shape[d]) for d in contract] + [(("b", d), a.shape[d]) for d in batch] + [(("f", i), n) for i, n in enumerate(free)]
    g.rng.shuffle(dims)
    shape = tuple(n for _, n in dims)
    if np.prod(shape) > 200 or len(shape) > 4:
        raise Skip
    b = g.const(shape, a.dtype)
    at = {key: i for i, (key, _) in enumerate(dims)}
    numbers = ((tuple(contract), tuple(at["c", d] for d in contract)), (tuple(batch), tuple(at["b", d] for d in batch)))
    kw = {}
    if a.kind in "iu" and a.dtype.itemsize < 4 and g.chance(0.5):
        kw["preferred_element_type"] = "int32" if a.kind == "i" else "uint32"
    if a.dtype.name in ("bfloat16", "float16") and g.chance(0.6):
        kw["preferred_element_type"] = "float32"
    if a.dtype.name == "float32" and g.chance(0.3):
        kw["precision"] = g.rng.choice([lax.Precision.HIGHEST, lax.Precision.DEFAULT, lax.DotAlgorithmPreset.F32_F32_F32])
    if a.bound > 1e4:
        raise Skip
    r = lax.dot_general(a.x, b.x, numbers, **kw)
    slack = 16 * (1 if "preferred_element_type" not in kw or a.kind != "f" or a.exact else 3e3)
    g.add(r, "dot_general", a, exact=a.exact and a.kind in "iu", bound=a.bound * 64, slack=slack)


@op("dot", 3)
def products(g):
    a = some(g, 1, "fiu", lambda v: v.rank <= 3 and v.bound < 1e4)
    if g.specials and a.kind == "f":
        raise Skip
    name = g.rng.choice(["matmul", "einsum", "outer", "inner", "vdot", "tensordot", "kron", "cross"])
    n = a.shape[-1]
    if name == "matmul":
        b = g.const((n, g.rng.choice([1, 2, 3])), a.dtype)
        r = a.x @ b.x
    elif name == "einsum":
        if a.rank != 2:
            raise Skip
        b = g.const((a.shape[1], 3, a.shape[0]), a.dtype)
        r = jnp.einsum(g.rng.choice(["ij,jki->k", "ij,jki->ik", "ij,jki->kij", "ij,jki->"]), a.x, b.x)
    elif name in ("outer", "kron", "vdot"):
        if a.size > 16:
            raise Skip
        b = g.const((3,) if name != "vdot" else a.shape, a.dtype)
        r = getattr(jnp, name)(a.x, b.x)
    elif name == "cross":
        if n != 3:
            raise Skip
        b = g.const(a.shape, a.dtype)
        r = jnp.cross(a.x, b.x)
    else:
        b = g.const((2, n), a.dtype)
        r = jnp.inner(a.x, b.x) if name == "inner" else jnp.tensordot(a.x, b.x, ((a.rank - 1,), (1,)))
    g.add(r, name, a, exact=a.exact and a.kind in "iu", bound=a.bound * 64, slack=16)


@op("dot", 3)
def convolution(g):
    """All of conv_general_dilated, on operands made for it."""
    space = g.rng.choice([0, 1, 1, 2, 2, 3])
    groups, kind_of = g.rng.choice([(1, None), (1, None), (2, "feature"), (2, "batch")])
    dtype = np.dtype(g.rng.choice(["float32", "float32", "float64", "bfloat16", "float16", "int32", "complex64"]))
    size = lambda: g.rng.randint(1, 5 if space < 3 else 3)
    features, out, batch = g.rng.randint(1, 2), g.rng.randint(1, 3), g.rng.randint(1, 2)
    lhs = {"n": batch * (groups if kind_of == "batch" else 1), "c": features * (groups if kind_of == "feature" else 1)}
    rhs = {"i": features, "o": out * groups}
    for s in range(space):
        lhs[s], rhs[s] = size(), g.rng.randint(1, 3)
    spec = []
    for letters in (["n", "c"], ["o", "i"], ["n", "c"]):
        dims = letters + list(range(space))
        g.rng.shuffle(dims)
        spec.append(dims)
    numbers = lax.ConvDimensionNumbers(*[tuple(dims.index(k) for k in letters + list(range(space))) for dims, letters in
                                         zip(spec, (["n", "c"], ["o", "i"], ["n", "c"]))])
    a = g.const(tuple(lhs[k] for k in spec[0]), dtype)
    b = g.const(tuple(rhs[k] for k in spec[1]), dtype)
    if g.chance(0.5):
        fits = g.candidates("f", lambda v: v.exact and v.dtype == dtype and v.size >= a.size and a.size > 0)
        if fits and not g.specials:
            a = type(a)(fits[0].x.reshape(-1)[: a.size].reshape(a.shape), True)
    padding = [(g.rng.randint(-1, 2), g.rng.randint(-1, 2)) for _ in range(space)]
    if g.specials and dtype.kind != "i":
        raise Skip
    r = lax.conv_general_dilated(
        a.x, b.x, tuple(g.rng.choice([1, 1, 2]) for _ in range(space)), padding,
        tuple(g.rng.choice([1, 1, 2]) for _ in range(space)), tuple(g.rng.choice([1, 1, 2]) for _ in range(space)), numbers,
        feature_group_count=groups if kind_of == "feature" else 1, batch_group_count=groups if kind_of == "batch" else 1)
    g.add(r, "convolution", a, b, exact=dtype.kind == "i", bound=200, slack=16)


@op("sort", 4)
def sorting(g):
    v = some(g, 1, "fiub", lambda v: v.exact)
    if not v.exact:
        raise Skip
    d = g.rng.randrange(v.rank)
    name = g.rng.choice(["sort", "argsort", "sort_two", "top_k", "lexsort", "median", "unique_sorted", "sort_desc", "rank",
                         "sort_complex"])
    if name == "sort_complex":
        c = g.pick("c", lambda v: v.rank and v.exact)
        if not c.exact or c.rank == 0:
            raise Skip
        return g.add(lax.sort(c.x, dimension=0), name, c)
    if name == "sort":
        return g.add(lax.sort(v.x, dimension=d, is_stable=True), name, v)
    if name == "sort_desc":
        return g.add(jnp.sort(v.x, axis=d, descending=True), name, v)
    if name == "argsort":
        return g.add(jnp.argsort(v.x, axis=d, stable=True, descending=g.chance(0.3)), name, v)
    if name == "rank":
        return g.add(jnp.argsort(jnp.argsort(v.x, axis=d), axis=d), name, v)
    if name == "sort_two":
        w = g.pick("fiu", like=v)
        if not w.exact:
            raise Skip
        i = lax.broadcasted_iota("int32", v.shape, d)
        r = lax.sort((v.x, w.x, i), dimension=d, num_keys=g.rng.choice([1, 2]), is_stable=True)
        for part, x in zip(("key", "second", "index"), r):
            g.add(x, f"sort_two_{part}", v, w)
        return None
    if name == "lexsort":
        w = g.pick("fiub", like=v)
        if not w.exact:
            raise Skip
        return g.add(jnp.lexsort((v.x, w.x), axis=d), name, v, w)
    if name == "top_k":
        if v.shape[-1] == 0 or v.kind == "b":
            raise Skip
        a, i = lax.top_k(v.x, g.rng.randint(1, v.shape[-1]))
        g.add(a, "top_k", v)
        return g.add(i, "top_k_index", v)
    if name == "median":
        if v.kind != "f" or 0 in v.shape:
            raise Skip
        q = g.rng.choice(["median", "quantile"])
        r = jnp.median(v.x, axis=d) if q == "median" else jnp.quantile(v.x, 0.3, axis=d)
        return g.add(r, q, v, exact=False, slack=4)
    if v.kind not in "iu":
        raise Skip
    g.add(jnp.unique(v.x.reshape(-1), size=5, fill_value=0), "unique", v)


@op("nn", 3)
def network(g):
    v = some(g, 1, "f", lambda v: 0 not in v.shape)
    v = g.tame(v, 6)
    name = g.rng.choice(["softmax", "log_softmax", "logsumexp", "layer_norm", "attention", "standardize", "glu",
                         "interp", "convolve", "histogram", "resize", "correlate", "polyval", "norm", "cov", "trapezoid"])
    x = v.x
    if name in ("softmax", "log_softmax", "standardize"):
        if name == "standardize":
            x = jnp.sin(x * 3 + jnp.arange(v.shape[-1], dtype=v.dtype))
        r, slack = getattr(jax.nn, name)(x, axis=-1), 8 if name != "standardize" else 200
    elif name == "logsumexp":
        r, slack = special.logsumexp(x, axis=-1), 8
    elif name == "layer_norm":
        x = jnp.sin(x * 3 + jnp.arange(v.shape[-1], dtype=v.dtype))
        r, slack = (x - x.mean(-1, keepdims=True)) * lax.rsqrt(x.var(-1, keepdims=True) + jnp.asarray(0.1, v.dtype)), 60
    elif name == "attention":
        if v.dtype.name not in ("float32", "bfloat16") or g.specials:
            raise Skip
        q, k, w = (g.const((1, 3, 2, 4), v.dtype) for _ in range(3))
        r, slack = jax.nn.dot_product_attention(q.x, k.x, w.x, is_causal=g.chance(0.5)), 32
        if v.dtype.name == "bfloat16":
            slack *= 4
    elif name == "glu":
        if v.shape[-1] % 2:
            raise Skip
        r, slack = jax.nn.glu(x), 4
    elif name == "interp":
        r, slack = jnp.interp(x, jnp.array([-3.0, -1, 0, 2.5], v.dtype), jnp.array([0.0, 1, 0.5, 2], v.dtype)), 16
        if g.specials:
            raise Skip
    elif name in ("convolve", "correlate"):
        w = g.const((3,), v.dtype)
        r, slack = getattr(jnp, name)(x.reshape(-1), w.x, mode=g.rng.choice(["full", "same", "valid"])), 16
        if g.specials or v.size < 3:
            raise Skip
    elif name == "histogram":
        if g.specials or not v.exact:
            raise Skip
        r, slack = jnp.histogram(x, bins=jnp.array([-4.05, -1.03, 0.07, 1.01, 4.2], v.dtype))[0], 1
        return g.add(r, name, v)
    elif name == "resize":
        if v.rank != 2 or v.dtype.name in ("float16", "bfloat16") or g.specials:
            raise Skip
        r = jax.image.resize(x, (g.rng.randint(1, 5), g.rng.randint(1, 5)), g.rng.choice(["linear", "cubic", "lanczos3"]))
        slack = 60
    elif name == "polyval":
        r, slack = jnp.polyval(jnp.array([0.5, -1, 0.25, 1], v.dtype), g.tame(v, 2).x), 16
    elif name == "norm":
        r, slack = jnp.linalg.norm(x.reshape(-1), ord=g.rng.choice([None, 1, jnp.inf])), 8
    elif name == "cov":
        if v.rank != 2 or v.shape[1] < 2:
            raise Skip
        r, slack = jnp.cov(x), 60
    else:
        r, slack = jnp.trapezoid(x, axis=-1), 8
    g.add(r, name, v, exact=False, bound=40, slack=slack)
