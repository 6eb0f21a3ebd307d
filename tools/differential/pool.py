"""Values of a random program under construction, and how to draw from them.

A `Gen` makes one program: its functions call jax.numpy on whatever tracers the pool holds. All choices come from one
seeded generator, so tracing again gives the same program.

A value is *exact* when any correct implementation gives the same bits (integers, booleans, floats that were only moved).
Only exact values go where a last bit decides (rounding, comparing, sorting), because a difference there says nothing.
"""
import random

import jax
import jax.numpy as jnp
import ml_dtypes
import numpy as np

FLOATS = ["float32"] * 5 + ["float64"] * 2 + ["float16", "bfloat16"]
INTS = ["int32"] * 3 + ["int64", "int16", "int8", "uint32", "uint64", "uint16", "uint8"]
COMPLEX = ["complex64", "complex128"]
NARROW = ["float8_e4m3fn", "float8_e5m2", "float8_e4m3b11fnuz", "float8_e4m3fnuz", "float8_e5m2fnuz", "float8_e4m3",
          "float8_e3m4", "float8_e8m0fnu", "float4_e2m1fn", "int4", "uint4", "int2", "uint2"]
MAX_COUNT = 160


class Skip(Exception):
    """The operation does not fit what the pool has."""


def kind(dtype):
    """b, i, u, f, c, or n for what is stored and converted only."""
    name = np.dtype(dtype).name
    if name in NARROW:
        return "n"
    return "f" if name == "bfloat16" else np.dtype(dtype).kind


class Value:
    """A tracer and what is known of it: `bound` a guess of its largest magnitude, `slack` a factor for its error, and
    `floor` a magnitude that its error is relative to even where the value itself is near 0."""

    def __init__(self, x, exact, bound=4.0, slack=1.0, op="input"):
        self.x, self.exact, self.bound, self.slack, self.op = x, exact, bound, slack, op
        self.bitwise = exact
        self.floor = 0.0

    @property
    def shape(self):
        return tuple(self.x.shape)

    @property
    def rank(self):
        return len(self.x.shape)

    @property
    def size(self):
        return int(np.prod(self.x.shape, dtype=np.int64))

    @property
    def kind(self):
        return kind(self.x.dtype)

    @property
    def dtype(self):
        return np.dtype(self.x.dtype)


class Gen:
    """Draws a program."""

    def __init__(self, seed, specials=False):
        self.rng = random.Random(seed)
        self.specials = specials
        self.pool = []
        self.depth = 0

    # --- choices ---

    def chance(self, p):
        return self.rng.random() < p

    def shape(self, rank=None, lo=0):
        rank = self.rng.choice([0, 1, 1, 2, 2, 2, 3, 3, 4]) if rank is None else rank
        while True:
            dims = [self.rng.choice([1, 2, 3, 3, 4, 5, 7] + [0] * (self.chance(0.12) and lo == 0)) for _ in range(rank)]
            if np.prod(dims) <= MAX_COUNT:
                return tuple(max(d, lo) for d in dims)

    def dtype(self, kinds):
        return np.dtype(self.rng.choice({"f": FLOATS, "i": INTS, "b": ["bool"], "c": COMPLEX}[self.rng.choice(kinds)]))

    def numbers(self, shape, dtype, lo=None, hi=None):
        """A numpy array; floats within ±4, or anything when the program is to see specials."""
        dtype = np.dtype(dtype)
        r = np.random.RandomState(self.rng.randrange(2**31))
        k = kind(dtype)
        if k == "b":
            return r.rand(*shape) < 0.5
        if k == "c":
            part = np.float32 if dtype == np.complex64 else np.float64
            re, im = self.numbers(shape, part, lo, hi), self.numbers(shape, part, lo, hi)
            return (re + 1j * im).astype(dtype)
        if k in "iu":
            info = np.iinfo(dtype)
            if lo is not None:
                return r.randint(lo, hi + 1, size=shape).astype(dtype)
            if self.chance(0.3):
                a = r.randint(0, 256, size=(int(np.prod(shape)), dtype.itemsize)).astype(np.uint8).view(dtype)
                a = a.reshape(shape)
                edges = np.array([info.min, info.max, 0, 1], dtype)
                return np.where(r.rand(*shape) < 0.2, edges[r.randint(0, 4, size=shape)], a).astype(dtype)
            return r.randint(max(info.min, -9), 10, size=shape).astype(dtype)
        if k == "n" and dtype.name.startswith(("int", "uint")):
            info = ml_dtypes.iinfo(dtype)
            return r.randint(int(info.min), int(info.max) + 1, size=shape).astype(dtype)
        lo, hi = (-4.0, 4.0) if lo is None else (lo, hi)
        a = r.uniform(lo, hi, size=shape)
        if self.chance(0.3):
            a = np.round(a * 2) / 2
        if self.specials and k == "f" and (lo, hi) == (-4.0, 4.0):
            info = ml_dtypes.finfo(dtype) if dtype.name == "bfloat16" else np.finfo(dtype)
            odd = np.array([np.nan, np.inf, -np.inf, 0.0, -0.0, float(info.max), float(info.tiny), 1e4, -1e4, 0.5, 2.5])
            a = np.where(r.rand(*shape) < 0.3, odd[r.randint(0, len(odd), size=shape)], a)
        with np.errstate(all="ignore"):
            return np.asarray(a).astype(dtype)

    def const(self, shape, dtype, lo=None, hi=None):
        """A constant in the program: dense, repeated, or counted."""
        way = self.rng.random()
        if way < 0.2 and kind(dtype) in "iuf" and lo is None and np.prod(shape) <= 100:
            return Value(jnp.arange(int(np.prod(shape)), dtype=dtype).reshape(shape), True, op="iota")
        if way < 0.5:
            one = self.numbers((), dtype, lo, hi)
            return Value(jnp.full(shape, jnp.asarray(one, dtype)), True, op="full")
        return Value(jnp.asarray(self.numbers(shape, dtype, lo, hi)), True, op="constant")

    # --- values ---

    def candidates(self, kinds, test=None):
        return [v for v in self.pool if v.kind in kinds and (test is None or test(v))]

    def pick(self, kinds="f", test=None, exact=False, like=None):
        """A value of the pool that fits, the later the likelier; a constant of the shape of `like`; or none."""
        fits = self.candidates(kinds, lambda v: (v.exact or not exact) and (test is None or test(v)))
        if like is not None:
            fits = [v for v in fits if v.shape == like.shape and v.dtype == like.dtype]
            if not fits or self.chance(0.3):
                return self.const(like.shape, like.dtype)
        if not fits:
            return self.made(kinds, test)
        return fits[int(len(fits) * self.rng.random() ** 0.6)]

    def made(self, kinds, test):
        """A new value of one of the kinds: converted from the pool, or a constant."""
        exacts = [v for v in self.pool if v.exact and v.kind in "iufb" and (test is None or test(v))]
        dtype = self.dtype([k for k in kinds.replace("u", "i") if k != "n"] or ["f"])
        if exacts and self.chance(0.5):
            v = self.rng.choice(exacts)
            if kind(dtype) in "fc" and v.kind in "iu":
                return Value(jnp.remainder(v.x, 4).astype(dtype), True, op="convert")
            if not (v.kind == "f" and self.specials):
                return Value(v.x.astype(dtype), True, op="convert")
        for _ in range(20):
            v = self.const(self.shape(), dtype)
            if test is None or test(v):
                return v
        raise Skip

    def tame(self, v, limit):
        """A float within ± limit."""
        if v.bound <= limit and not self.specials:
            return v
        x = jnp.tanh(v.x) * jnp.asarray(limit, v.dtype)
        return Value(x, False, limit, v.slack, v.op)

    def add(self, x, op, *of, exact=None, bound=None, slack=None):
        """A result in the pool. Exact where all it is made of is, unless said otherwise; non-floats always are."""
        if x.size > 4 * MAX_COUNT:
            raise Skip
        of = [v for v in of if v is not None]
        if exact is None:
            exact = all(v.exact for v in of)
        bound = max([v.bound for v in of], default=4.0) if bound is None else bound
        slack = max([v.slack for v in of], default=1.0) * (1.0 if slack is None else slack)
        v = Value(x, exact, bound, slack, op)
        self.pool.append(v)
        return v
