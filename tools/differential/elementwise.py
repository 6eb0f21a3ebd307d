"""Elementwise operations, comparisons, conversions, bits."""
import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.scipy import special

from pool import NARROW, Skip, kind

OPS = {}


def op(family, weight=1):
    def register(f):
        OPS[f.__name__] = (family, weight, f)
        return f
    return register


# name: (function, domain in which it is well behaved, largest value, factor of its error)
SMOOTH = {
    "exp": (jnp.exp, (-4, 4), 60, 2), "exp2": (jnp.exp2, (-4, 4), 16, 2), "expm1": (jnp.expm1, (-4, 4), 60, 2),
    "log": (jnp.log, (0.1, 8), 3, 2), "log1p": (jnp.log1p, (-0.8, 8), 3, 2), "sqrt": (jnp.sqrt, (0, 8), 3, 1),
    "rsqrt": (lax.rsqrt, (0.1, 8), 4, 2), "cbrt": (jnp.cbrt, (-8, 8), 2, 2), "sin": (jnp.sin, (-8, 8), 1, 2),
    "cos": (jnp.cos, (-8, 8), 1, 2), "tan": (jnp.tan, (-1.4, 1.4), 6, 8), "sinh": (jnp.sinh, (-4, 4), 30, 4),
    "cosh": (jnp.cosh, (-4, 4), 30, 4), "tanh": (jnp.tanh, (-8, 8), 1, 2), "asin": (jnp.arcsin, (-0.99, 0.99), 2, 4),
    "acos": (jnp.arccos, (-0.99, 0.99), 3.2, 4), "atan": (jnp.arctan, (-8, 8), 1.6, 2),
    "asinh": (jnp.arcsinh, (-8, 8), 3, 2), "acosh": (jnp.arccosh, (1.1, 8), 3, 4),
    "atanh": (jnp.arctanh, (-0.95, 0.95), 2, 4), "logistic": (lax.logistic, (-8, 8), 1, 2),
    "erf": (lax.erf, (-4, 4), 1, 4), "erfc": (lax.erfc, (-3, 3), 2, 8), "erf_inv": (lax.erf_inv, (-0.95, 0.95), 2, 8),
    "lgamma": (lax.lgamma, (0.5, 8), 9, 20), "digamma": (lax.digamma, (0.5, 8), 3, 20),
    "bessel_i0e": (lax.bessel_i0e, (-8, 8), 1, 8), "bessel_i1e": (lax.bessel_i1e, (-8, 8), 1, 8),
    "softplus": (jax.nn.softplus, (-8, 8), 8, 2), "gelu": (jax.nn.gelu, (-4, 4), 4, 4),
    "silu": (jax.nn.silu, (-8, 8), 8, 2), "relu": (jax.nn.relu, (-8, 8), 8, 1), "log_sigmoid": (jax.nn.log_sigmoid, (-8, 8), 8, 2),
    "logit": (special.logit, (0.05, 0.95), 3, 8), "sinc": (jnp.sinc, (-4, 4), 1, 8), "entr": (special.entr, (0.1, 4), 6, 4),
    "ndtri": (special.ndtri, (0.1, 0.9), 2, 20), "log_ndtr": (special.log_ndtr, (-4, 4), 10, 20),
}


# Near a zero away from 0 a function is as inexact as its argument.
CROSSES_ZERO = {"sin", "cos", "tan", "sinc", "log", "lgamma", "digamma", "logit", "entr", "ndtri", "acos", "acosh"}


@op("unary", 6)
def smooth(g):
    name = g.rng.choice(list(SMOOTH))
    f, (lo, hi), bound, slack = SMOOTH[name]
    v = g.pick("f")
    x = v.x
    if not g.specials:
        middle, half = (lo + hi) / 2, (hi - lo) / 2
        x = jnp.tanh(x / 2) * jnp.asarray(half, v.dtype) + jnp.asarray(middle, v.dtype)
    if name in ("log_ndtr", "ndtri") and v.dtype.name in ("float16", "bfloat16"):
        raise Skip
    r = g.add(f(x), name, v, exact=False, bound=bound, slack=slack)
    if name in CROSSES_ZERO:
        r.floor = 1.0


@op("unary", 2)
def plain_float(g):
    name, f = g.rng.choice([("abs", jnp.abs), ("neg", jnp.negative), ("conj", jnp.conj), ("positive", jnp.positive)])
    v = g.pick("f")
    g.add(f(v.x), name, v)


@op("unary", 2)
def rounding(g):
    name, f = g.rng.choice([
        ("floor", jnp.floor), ("ceil", jnp.ceil), ("round_even", jnp.round), ("sign", jnp.sign), ("trunc", jnp.trunc),
        ("round_away", lambda x: lax.round(x, lax.RoundingMethod.AWAY_FROM_ZERO)), ("is_finite", jnp.isfinite),
        ("isnan", jnp.isnan), ("isinf", jnp.isinf), ("signbit", jnp.signbit), ("nan_to_num", jnp.nan_to_num),
        ("rint", jnp.rint)])
    v = g.pick("f", exact=True)
    g.add(f(v.x), name, v)


@op("integer", 3)
def unary_int(g):
    name, f = g.rng.choice([
        ("abs_int", jnp.abs), ("neg_int", jnp.negative), ("sign_int", jnp.sign), ("not", jnp.bitwise_not),
        ("popcnt", lax.population_count), ("clz", None), ("square_int", jnp.square),
        ("invert", jnp.invert)])
    v = g.pick("iu", exact=True)
    if name == "clz":
        # Where XLA folds constants it counts the bits of a negative number in 64, and subtracts.
        f = (lambda x: lax.clz(jnp.maximum(x, 0))) if v.kind == "i" else lax.clz
    g.add(f(v.x), name, v)


@op("integer", 4)
def binary_int(g):
    name, f = g.rng.choice([
        ("add_int", lax.add), ("sub_int", lax.sub), ("mul_int", lax.mul), ("div_int", lax.div), ("rem_int", lax.rem),
        ("floor_divide", jnp.floor_divide), ("mod", jnp.mod), ("max_int", lax.max), ("min_int", lax.min),
        ("and", lax.bitwise_and), ("or", lax.bitwise_or), ("xor", lax.bitwise_xor), ("shl", lax.shift_left),
        ("shr", lax.shift_right_logical), ("sar", lax.shift_right_arithmetic), ("mulhi", None), ("gcd", jnp.gcd),
        ("power_int", None)])
    a = g.pick("iu", exact=True)
    b = g.pick("iu", exact=True, like=a)
    if name == "gcd" and (a.size > 20 or a.kind == "u"):
        raise Skip
    if name == "mulhi":
        if not hasattr(lax, "mulhi"):
            raise Skip
        f = lax.mulhi
    if name == "power_int":
        f = lambda x, y: lax.integer_pow(x, g.rng.randrange(0, 7))
    g.add(f(a.x, b.x), name, a, b)


@op("integer", 2)
def logic(g):
    name, f = g.rng.choice([("and_bool", jnp.logical_and), ("or_bool", jnp.logical_or), ("xor_bool", jnp.logical_xor),
                            ("not_bool", lambda a, b: jnp.logical_not(a)), ("eq_bool", lambda a, b: a == b),
                            ("lt_bool", lambda a, b: lax.lt(a, b)), ("max_bool", lax.max), ("min_bool", lax.min)])
    a = g.pick("b")
    g.add(f(a.x, g.pick("b", like=a).x), name, a)


@op("binary", 6)
def arithmetic(g):
    name, f = g.rng.choice([("add", lax.add), ("sub", lax.sub), ("mul", lax.mul), ("div", None), ("max", lax.max),
                            ("min", lax.min)])
    a = g.pick("f")
    b = g.pick("f", like=a)
    moved = name in ("max", "min")
    if name == "div" and not g.specials:
        f = lambda x, y: x / (jnp.abs(y) + jnp.asarray(0.5, a.dtype))
    elif name == "div":
        f = lax.div
    if name == "mul" and a.bound * b.bound > 1e4:
        a, b = g.tame(a, 4), g.tame(b, 4)
    bound = a.bound * b.bound if name == "mul" else a.bound * 2 if name == "div" else a.bound + b.bound
    # Max and min choose one of two values: as exact as they are, unless nearly equal ones differ.
    r = g.add(f(a.x, b.x), name, a, b, exact=moved and a.exact and b.exact, bound=bound)
    r.bitwise = a.exact and b.exact and name in ("add", "sub", "mul", "max", "min")


@op("binary", 4)
def binary_smooth(g):
    a = g.pick("f")
    b = g.pick("f", like=a)
    name = g.rng.choice(["pow", "atan2", "hypot", "logaddexp", "logaddexp2", "nextafter", "copysign", "rem", "xlogy",
                         "polygamma", "zeta", "igamma", "igammac", "betaln", "heaviside", "float_power", "integer_pow",
                         "ldexp", "xlog1py"])
    wide = a.dtype.name in ("float32", "float64")
    x, y = g.tame(a, 3).x, g.tame(b, 3).x
    near = lambda t, lo, hi: jnp.tanh(t) * jnp.asarray((hi - lo) / 2, a.dtype) + jnp.asarray((lo + hi) / 2, a.dtype)
    small = a.size <= 30 and wide and not g.specials
    bound, slack, exact = 8, 4, False
    if name == "pow":
        r, bound, slack = lax.pow(jnp.abs(x) + jnp.asarray(0.2, a.dtype), y), 40, 8
    elif name == "atan2":
        r = lax.atan2(x, y)
    elif name in ("hypot", "logaddexp", "logaddexp2", "copysign"):
        r = getattr(jnp, name)(x, y)
    elif name == "nextafter":
        if not (a.exact and b.exact) or a.dtype.name == "float16":
            raise Skip
        r, exact = jnp.nextafter(a.x, b.x), True
    elif name == "rem":
        if not (a.exact and b.exact):
            raise Skip
        r = lax.rem(a.x, b.x)
    elif name in ("xlogy", "xlog1py"):
        r, bound = getattr(special, name)(x, near(y, 0.2, 4)), 20
    elif name == "heaviside":
        if not a.exact:
            raise Skip
        r = jnp.heaviside(a.x, y)
    elif name == "integer_pow":
        r, bound, slack = lax.integer_pow(near(x, -2, 2) if not g.specials else a.x, g.rng.choice([-2, -1, 2, 3, 5])), 40, 8
        if not g.specials:
            r = jnp.clip(r, -1e4, 1e4)
    elif name == "ldexp":
        n = g.const(a.shape, "int32", -3, 3)
        r, bound = jnp.ldexp(x, n.x), 32
    elif not small:
        raise Skip
    elif name == "polygamma":
        r, bound, slack = special.polygamma(g.rng.choice([1, 2]), near(x, 0.5, 6)), 30, 100
    elif name == "zeta":
        r, bound, slack = special.zeta(near(x, 1.5, 6), near(y, 0.5, 4)), 30, 100
    elif name in ("igamma", "igammac"):
        r, slack = getattr(lax, name)(near(x, 0.5, 5), near(y, 0.5, 5)), 100
    elif name == "betaln":
        r, slack = special.betaln(near(x, 0.5, 5), near(y, 0.5, 5)), 100
    else:
        r, bound, slack = jnp.float_power(near(x, 0.5, 2), near(y, -2, 2)), 8, 8
    g.add(r.astype(a.dtype), name, a, b, exact=exact, bound=bound, slack=slack)


@op("choice", 3)
def comparing(g):
    a = g.pick("fiub", exact=True)
    b = g.pick("fiub", exact=True, like=a)
    name, f = g.rng.choice([("eq", lax.eq), ("ne", lax.ne), ("lt", lax.lt), ("le", lax.le), ("gt", lax.gt), ("ge", lax.ge)])
    g.add(f(a.x, b.x), name, a, b)


@op("choice", 4)
def choosing(g):
    a = g.pick("fiubcn")
    b = g.pick("fiubcn", like=a)
    name = g.rng.choice(["select", "clamp", "where_scalar", "select_n"])
    if name == "select":
        p = g.const(a.shape, "bool")
        p = next((v for v in reversed(g.candidates("b")) if v.shape == a.shape), p)
        g.add(lax.select(p.x, a.x, b.x), name, a, b)
    elif name == "where_scalar":
        p = g.pick("b", lambda v: v.rank == 0)
        g.add(lax.select_n(p.x, a.x, b.x), name, a, b)
    elif name == "select_n":
        n = g.rng.choice([2, 3, 4])
        vs = [a, b] + [g.pick("fiubcn", like=a) for _ in range(n - 2)]
        which = g.const(a.shape if g.chance(0.6) else (), "int32", 0, n - 1)
        g.add(lax.select_n(which.x, *[v.x for v in vs]), name, *vs)
    else:
        if a.kind in "cbn":
            raise Skip
        lo, hi = (g.const(() if g.chance(0.5) else a.shape, a.dtype) for _ in range(2))
        g.add(lax.clamp(lo.x, a.x, hi.x), name, a)


@op("convert", 4)
def converting(g):
    v = g.pick("fiubcn")
    to = g.dtype(["f", "f", "i", "i", "b", "c"])
    if v.kind == "c" and kind(to) != "c":
        raise Skip
    if kind(to) in "iub" and not v.exact:
        raise Skip
    if kind(to) in "iu" and v.kind == "f":
        # Out of range, implementations differ.
        x = jnp.clip(jnp.nan_to_num(v.x), 0 if kind(to) == "u" else -100, 100)
        return g.add(x.astype(to), "convert", v)
    if v.kind == "n" and kind(to) in "iub":
        raise Skip
    r = g.add(v.x.astype(to), f"convert", v, exact=v.exact, slack=1.0)
    if not v.exact and kind(to) in "fc" and to.itemsize > v.dtype.itemsize:
        # The error stays that of the narrower type.
        r.slack = v.slack * {2: 2e4, 4: 1e6}.get(v.dtype.itemsize if v.kind == "f" else 4, 1)


@op("convert", 2)
def narrow(g):
    """Types for storage: there, moved, and back."""
    name = g.rng.choice(NARROW)
    v = g.pick("fiu" if "int" in name else "f", exact=True)
    if "int" in name and v.kind == "f":
        raise Skip
    # Of negative numbers, which the type does not have, XLA makes NaN; where it folds constants it drops the sign.
    n = (jnp.abs(v.x) if name == "float8_e8m0fnu" else v.x).astype(name)
    r = g.add(n, f"to_{name}", v)
    if r.rank and g.chance(0.5):
        g.add(jnp.flip(r.x, 0), "flip_narrow", r)
    g.add(r.x.astype(g.dtype(["i"] if "int" in name else ["f"])), f"from_{name}", r)


@op("bits", 3)
def bitcasting(g):
    v = g.pick("fiu", exact=True)
    if g.specials and v.kind == "f":
        raise Skip
    size = v.dtype.itemsize
    same = {1: ["int8", "uint8"], 2: ["int16", "uint16", "float16", "bfloat16"], 4: ["int32", "uint32", "float32"],
            8: ["int64", "uint64", "float64"]}
    to = np.dtype(g.rng.choice(same[g.rng.choice([1, 2, 4, 8])]))
    if to.itemsize > size and (v.rank == 0 or v.shape[-1] != to.itemsize // size):
        to = np.dtype(g.rng.choice(same[size]))
    r = lax.bitcast_convert_type(v.x, to)
    g.add(r, "bitcast", v) if kind(to) in "iu" else g.add(jnp.isnan(r), "bitcast_isnan", v)


@op("bits", 2)
def reducing_precision(g):
    v = g.pick("f", exact=True)
    g.add(lax.reduce_precision(v.x, g.rng.choice([4, 5, 8]), g.rng.choice([1, 2, 3, 7, 10])), "reduce_precision", v)


@op("complex", 4)
def make_complex(g):
    a = g.pick("f", lambda v: v.dtype.name in ("float32", "float64"))
    b = g.pick("f", like=a)
    g.add(lax.complex(a.x, b.x), "complex", a, b)


@op("complex", 6)
def complex_unary(g):
    v = g.pick("c")
    if g.specials:
        raise Skip
    name = g.rng.choice(["real", "imag", "conj", "abs", "angle", "exp", "log", "sqrt", "sin", "cos", "tanh", "neg",
                         "square", "rsqrt", "sign", "expm1", "log1p", "tan", "logistic", "cbrt", "sinh", "cosh"])
    if name in ("real", "imag", "conj", "neg"):
        f = {"real": jnp.real, "imag": jnp.imag, "conj": jnp.conj, "neg": jnp.negative}[name]
        return g.add(f(v.x), f"{name}_complex", v)
    x = v.x / (jnp.abs(v.x) + jnp.asarray(1, v.dtype).real).astype(v.dtype)
    if name in ("log", "rsqrt", "log1p", "angle", "sqrt", "cbrt"):
        x = x + jnp.asarray(2 + 0.5j, v.dtype)
    f = {"abs": jnp.abs, "angle": jnp.angle, "exp": jnp.exp, "log": jnp.log, "sqrt": jnp.sqrt, "sin": jnp.sin,
         "cos": jnp.cos, "tanh": jnp.tanh, "square": jnp.square, "rsqrt": lax.rsqrt, "sign": jnp.sign,
         "expm1": jnp.expm1, "log1p": jnp.log1p, "tan": jnp.tan, "logistic": lax.logistic, "cbrt": lax.cbrt,
         "sinh": jnp.sinh, "cosh": jnp.cosh}[name]
    if name == "cbrt":
        raise Skip
    g.add(f(x), f"{name}_complex", v, exact=False, bound=6, slack=8)


@op("complex", 4)
def complex_binary(g):
    a = g.pick("c")
    b = g.pick("c", like=a)
    if g.specials:
        raise Skip
    name = g.rng.choice(["add", "sub", "mul", "div", "pow", "eq", "ne", "select"])
    if name in ("eq", "ne"):
        if not (a.exact and b.exact):
            raise Skip
        return g.add({"eq": lax.eq, "ne": lax.ne}[name](a.x, b.x), f"{name}_complex", a, b)
    if name == "select":
        return g.add(jnp.where(g.const(a.shape, "bool").x, a.x, b.x), "select_complex", a, b)
    y = b.x
    if name in ("div", "pow"):
        y = b.x / (jnp.abs(b.x) + 1).astype(b.dtype) + jnp.asarray(1.5, b.dtype)
    x = a.x
    if name == "pow":
        x = a.x / (jnp.abs(a.x) + 1).astype(a.dtype) + jnp.asarray(1.5 + 0.2j, a.dtype)
    f = {"add": lax.add, "sub": lax.sub, "mul": lax.mul, "div": lax.div, "pow": lax.pow}[name]
    bound = min(a.bound * b.bound, 1e6) if name == "mul" else 20
    if name == "mul" and a.bound * b.bound > 1e4:
        raise Skip
    g.add(f(x, y), f"{name}_complex", a, b, exact=False, bound=bound, slack=8)
