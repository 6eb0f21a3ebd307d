"""Operations that move elements: shapes, slices, gather and scatter."""
import jax.numpy as jnp
import numpy as np
from jax import lax

from elementwise import op
from pool import Skip

ANY = "fiubc"


def some(g, lo=1, kinds=ANY, test=None):
    """A value with at least `lo` dimensions."""
    return g.pick(kinds, lambda v: v.rank >= lo and (test is None or test(v)))


@op("movement", 4)
def reshaping(g):
    v = g.pick(ANY + "n")
    name = g.rng.choice(["reshape", "flatten", "transpose", "expand", "squeeze", "swapaxes", "rev", "broadcast", "moveaxis"])
    x = v.x
    if name == "reshape":
        n = v.size
        if n == 0:
            raise Skip
        dims = []
        while n > 1 and len(dims) < 4:
            d = g.rng.choice([d for d in range(1, n + 1) if n % d == 0])
            dims.append(d)
            n //= d
        dims.append(n)
        g.rng.shuffle(dims)
        r = x.reshape(dims)
    elif name == "flatten":
        r = x.reshape(-1) if v.size else x
    elif name == "transpose":
        p = list(range(v.rank))
        g.rng.shuffle(p)
        r = lax.transpose(x, p)
    elif name == "expand":
        if v.rank > 4:
            raise Skip
        r = jnp.expand_dims(x, g.rng.randrange(v.rank + 1))
    elif name == "squeeze":
        r = jnp.squeeze(x)
    elif name == "rev":
        dims = [d for d in range(v.rank) if g.chance(0.6)]
        r = lax.rev(x, dims)
    elif name == "broadcast":
        new = list(g.shape(g.rng.choice([1, 2])))
        at = sorted(g.rng.sample(range(len(new) + v.rank), v.rank))
        out = list(g.shape(len(new) + v.rank))
        for i, a in enumerate(at):
            if v.shape[i] != 1:
                out[a] = v.shape[i]
        if np.prod(out) > 400:
            raise Skip
        r = lax.broadcast_in_dim(x, out, at)
    else:
        if v.rank < 2:
            raise Skip
        a, b = g.rng.randrange(v.rank), g.rng.randrange(v.rank)
        r = getattr(jnp, name)(x, a, b)
    g.add(r, name, v)


@op("movement", 4)
def cutting(g):
    v = some(g, 1, ANY + "n")
    name = g.rng.choice(["slice", "slice", "dynamic_slice", "dynamic_update_slice", "take_last", "split", "dynamic_index"])
    x = v.x
    if name == "slice":
        starts = [g.rng.randint(0, d) for d in v.shape]
        limits = [g.rng.randint(s, d) for s, d in zip(starts, v.shape)]
        r = lax.slice(x, starts, limits, [g.rng.choice([1, 1, 2, 3]) for _ in v.shape])
    elif name == "dynamic_slice":
        sizes = [g.rng.randint(0 if g.chance(0.1) else min(1, d), d) for d in v.shape]
        at = [g.const((), g.rng.choice(["int32", "int64", "uint8", "int8"]), -2 if g.chance(0.3) else 0, 5) for _ in v.shape]
        at = [a.x if a.dtype.kind == "i" else a.x for a in at]
        r = lax.dynamic_slice(x, [a.astype("int32") for a in at], sizes)
    elif name == "dynamic_update_slice":
        sizes = [g.rng.randint(min(1, d), d) for d in v.shape]
        u = g.const(tuple(sizes), v.dtype)
        at = [jnp.asarray(g.rng.randint(-1, d + 1), "int32") for d in v.shape]
        r = lax.dynamic_update_slice(x, u.x, at)
    elif name == "dynamic_index":
        if not v.shape[0]:
            raise Skip
        r = lax.dynamic_index_in_dim(x, g.const((), "int32", -3, 6).x, 0, keepdims=g.chance(0.5))
    elif name == "split":
        if v.shape[0] < 2:
            raise Skip
        cut = g.rng.randint(1, v.shape[0] - 1)
        r = lax.split(x, (cut, v.shape[0] - cut), 0)[1]
    else:
        if not v.shape[-1]:
            raise Skip
        r = x[..., -1]
    g.add(r, name, v)


@op("movement", 4)
def joining(g):
    v = some(g, 1)
    name = g.rng.choice(["concatenate", "pad", "pad", "tile", "repeat", "stack", "roll", "pad_reflect", "pad_edge"])
    x = v.x
    if name == "concatenate":
        d = g.rng.randrange(v.rank)
        others = []
        for _ in range(g.rng.choice([0, 1, 1, 2])):
            s = list(v.shape)
            s[d] = g.rng.choice([0, 1, 2])
            others.append(g.const(tuple(s), v.dtype))
        parts = [v] + others
        g.rng.shuffle(parts)
        r = lax.concatenate([p.x for p in parts], d)
    elif name == "pad":
        config = []
        for d in v.shape:
            inner = g.rng.choice([0, 0, 1, 2])
            full = d + max(d - 1, 0) * inner
            low, high = g.rng.randint(-2, 3), g.rng.randint(-2, 3)
            if full + low + high < 0:
                low, high = 0, 1
            config.append((low, high, inner))
        r = lax.pad(x, g.const((), v.dtype).x, config)
    elif name == "tile":
        r = jnp.tile(x, [g.rng.choice([1, 2]) for _ in v.shape])
    elif name == "repeat":
        r = jnp.repeat(x, g.rng.choice([1, 2, 3]), axis=g.rng.randrange(v.rank))
    elif name == "stack":
        r = jnp.stack([x, g.pick(ANY, like=v).x], axis=g.rng.randrange(v.rank + 1))
    elif name == "roll":
        r = jnp.roll(x, g.rng.randint(-3, 3), axis=g.rng.randrange(v.rank))
    else:
        if 0 in v.shape or min(v.shape) < 2:
            raise Skip
        r = jnp.pad(x, 1, mode=name[4:])
    g.add(r, name, v)


@op("movement", 2)
def triangles(g):
    v = some(g, 2, "fiu")
    name = g.rng.choice(["tril", "triu", "diagonal", "trace", "diag", "one_hot", "rot90", "flipud"])
    if name == "one_hot":
        i = g.pick("iu", lambda v: v.size <= 30)
        return g.add(jnp.asarray(np.eye(5, dtype="float32"))[jnp.clip(i.x, 0, 4)], name, i)
    if name == "diag":
        w = g.pick("fiu", lambda v: v.rank == 1 and 0 < v.size <= 8)
        return g.add(jnp.diag(w.x), name, w)
    if name in ("tril", "triu"):
        r = getattr(jnp, name)(v.x, g.rng.randint(-1, 2))
    elif name == "rot90":
        r = jnp.rot90(v.x)
    elif name == "flipud":
        r = jnp.flipud(v.x)
    else:
        if 0 in v.shape:
            raise Skip
        r = getattr(jnp, name)(v.x)
        if name == "trace" and v.kind == "f":
            return g.add(r, name, v, exact=False, bound=v.bound * 8)
    g.add(r, name, v)


MODES = ["clip", "fill", "promise_in_bounds"]


@op("index", 5)
def gathering(g):
    v = some(g, 1, ANY, lambda v: 0 not in v.shape)
    name = g.rng.choice(["index", "take", "take_along", "bool_where", "lax_gather", "searchsorted", "index_two"])
    d = g.rng.randrange(v.rank)
    n = v.shape[d]
    if name == "index":
        i = g.const(g.shape(g.rng.choice([0, 1, 2])), "int32", -n, n - 1)
        r = v.x[i.x]if d == 0 and v.shape[0] == n else jnp.take(v.x, i.x, axis=d, mode="wrap")
    elif name == "take":
        mode = g.rng.choice(["clip", "fill", "wrap"])
        i = g.const(g.shape(g.rng.choice([0, 1, 2])), g.rng.choice(["int32", "int64", "uint8"]), 0 if g.chance(0.5) else 0, n + 2)
        r = jnp.take(v.x, i.x, axis=d, mode=mode)
    elif name == "take_along":
        s = list(v.shape)
        s[d] = g.rng.choice([1, 2, 3])
        i = g.const(tuple(s), "int32", 0, n - 1)
        r = jnp.take_along_axis(v.x, i.x, axis=d)
    elif name == "bool_where":
        r = jnp.where(g.const(v.shape, "bool").x, v.x, jnp.zeros((), v.dtype))
    elif name == "index_two":
        if v.rank < 2:
            raise Skip
        i = g.const((3,), "int32", 0, v.shape[0] - 1)
        j = g.const((3,), "int32", 0, v.shape[1] - 1)
        r = v.x[i.x, j.x] if g.chance(0.5) else v.x[:, j.x]
    elif name == "searchsorted":
        w = g.pick("iu", lambda w: w.rank == 1 and w.size > 0)
        q = g.const(g.shape(1), w.dtype)
        r = jnp.searchsorted(jnp.sort(w.x), q.x, side=g.rng.choice(["left", "right"]), method=g.rng.choice(["scan", "sort", "compare_all"]))
        return g.add(r, name, w)
    else:
        return lax_gather(g, v)
    g.add(r, name, v)


def lax_gather(g, v):
    """Any dimension numbers."""
    batch = [0] if v.rank >= 2 and g.chance(0.3) else []
    indexed = [d for d in range(v.rank) if d not in batch and g.chance(0.6)] or [v.rank - 1]
    if set(indexed) & set(batch):
        raise Skip
    g.rng.shuffle(indexed)
    rest = [d for d in range(v.rank) if d not in batch]
    collapsed = [d for d in sorted(indexed) if g.chance(0.5)]
    sizes = [1 if d in batch or d in collapsed else g.rng.randint(1, v.shape[d]) for d in range(v.rank)]
    index_batch = ([v.shape[0]] if batch else []) + list(g.shape(g.rng.choice([0, 1])))
    offset_rank = len(rest) - len(collapsed)
    out_rank = offset_rank + len(index_batch)
    offset = sorted(g.rng.sample(range(out_rank), offset_rank))
    top = max(v.shape)
    i = g.const(tuple(index_batch + [len(indexed)]), g.rng.choice(["int32", "int64", "uint32"]), 0, top)
    numbers = lax.GatherDimensionNumbers(
        offset_dims=tuple(offset), collapsed_slice_dims=tuple(collapsed), start_index_map=tuple(indexed),
        operand_batching_dims=tuple(batch), start_indices_batching_dims=(0,) if batch else ())
    r = lax.gather(v.x, i.x, numbers, tuple(sizes), mode=g.rng.choice(["clip", "fill"]))
    g.add(r, "lax_gather", v)


@op("index", 5)
def scattering(g):
    v = some(g, 1, ANY, lambda v: 0 not in v.shape)
    how = g.rng.choice(["set", "add", "multiply", "min", "max", "apply", "subtract"])
    if v.kind in "bc" and how not in ("set",) and not (v.kind == "c" and how in ("add", "multiply")):
        how = "set"
    d = 0
    n = v.shape[d]
    name = g.rng.choice(["at", "at_two", "lax_scatter", "segment_sum", "bincount"])
    mode = g.rng.choice(["clip", "drop", None])
    exact = v.exact if how in ("set", "min", "max") or v.kind not in "fc" else False
    if name == "segment_sum":
        s = g.const((v.shape[0],), "int32", -1, 4)
        return g.add(jnp.zeros((4,) + v.shape[1:], v.dtype).at[s.x].add(v.x, mode="drop") if v.kind != "b" else v.x,
                     name, v, exact=v.exact and v.kind not in "fc", bound=v.bound * 8)
    if name == "bincount":
        w = g.pick("iu", lambda w: w.rank == 1)
        return g.add(jnp.bincount(jnp.clip(w.x, 0, 6), length=5), name, w)
    # Setting one place twice has no defined winner, so indices to set are distinct.
    if name == "at_two" and v.rank >= 2 and how != "apply":
        m = g.rng.choice([1, 2])
        i = jnp.asarray(g.rng.sample(range(n), min(m, n)), "int32")
        j = jnp.asarray(g.rng.sample(range(v.shape[1]), min(len(i), v.shape[1]))[: len(i)] or [0], "int32")
        if len(j) != len(i):
            raise Skip
        u = g.const((len(i),) + v.shape[2:], v.dtype)
        r = getattr(v.x.at[i, j], how)(u.x, mode=mode)
    elif name == "lax_scatter":
        return lax_scatter(g, v, how)
    else:
        count = g.rng.randint(0, n)
        if how in ("set", "apply"):
            i = jnp.asarray(g.rng.sample(range(n + 1), count), "int32")
        else:
            i = g.const((count,), g.rng.choice(["int32", "int64"]), -1 if g.chance(0.3) else 0, n).x
        if how == "apply":
            if v.kind not in "fiu":
                raise Skip
            r = v.x.at[i].apply(lambda x: -x, mode=mode, unique_indices=True)
        else:
            u = g.const((count,) + v.shape[1:], v.dtype)
            r = getattr(v.x.at[i], how)(u.x, mode=mode)
    g.add(r, f"scatter_{how}", v, exact=exact, bound=v.bound * (64 if how == "multiply" else 8))


def lax_scatter(g, v, how):
    """Any dimension numbers; indices are distinct where the order would count."""
    f = {"set": lax.scatter, "add": lax.scatter_add, "multiply": lax.scatter_mul, "min": lax.scatter_min,
         "max": lax.scatter_max}.get(how)
    if f is None or v.kind in "bc":
        raise Skip
    indexed = [d for d in range(v.rank) if g.chance(0.6)] or [0]
    inserted = [d for d in indexed if g.chance(0.6)]
    batch_shape = () if how == "set" else g.shape(g.rng.choice([0, 1]))
    window = [g.rng.randint(1, v.shape[d]) for d in range(v.rank) if d not in inserted]
    rank = len(window) + len(batch_shape)
    window_dims = sorted(g.rng.sample(range(rank), len(window)))
    shape, w, b = [], list(window), list(batch_shape)
    for d in range(rank):
        shape.append(w.pop(0) if d in window_dims else b.pop(0))
    i = g.const(tuple(batch_shape) + (len(indexed),), "int32", 0, max(v.shape))
    u = g.const(tuple(shape), v.dtype)
    numbers = lax.ScatterDimensionNumbers(update_window_dims=tuple(window_dims), inserted_window_dims=tuple(inserted),
                                          scatter_dims_to_operand_dims=tuple(indexed))
    r = f(v.x, i.x, u.x, numbers, mode=g.rng.choice(["clip", "fill"]))
    exact = v.exact if how in ("set", "min", "max") or v.kind not in "f" else False
    g.add(r, f"lax_scatter_{how}", v, exact=exact, bound=v.bound * (64 if how == "multiply" else 8))
