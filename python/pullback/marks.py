"""Marks of derivatives that survive an export from JAX.

``jax.lax.stop_gradient``, ``jax.custom_vjp``, ``jax.custom_jvp`` and ``jax.checkpoint`` leave no trace in StableHLO.
The functions here behave as those do under JAX's own transformations, and are written as ``stablehlo.composite`` when
they are lowered, which Pullback reads (docs/marks.md). XLA compiles them as it would without the mark.

A rule travels in the composite's decomposition, as results that nobody reads:

    pullback.custom_vjp   (constants, arguments, cotangents of results)
                          -> results, results of forward, residuals, cotangents of arguments
    pullback.custom_jvp   (constants, arguments, tangents of arguments)
                          -> results, results of the rule, tangents of results

with the integer attributes ``constants`` (arrays that the functions close over), ``arguments``, ``results`` and
``residuals``. Only floating-point and complex values have tangents and cotangents.
"""

from __future__ import annotations

import contextlib
import functools
import inspect
from typing import Any, Callable, Sequence

import jax
import jax.numpy as jnp
import numpy as np
from jax.extend.core import Primitive, jaxpr_as_fun
from jax.interpreters import ad, batching, mlir

__all__ = ["checkpoint", "custom_jvp", "custom_vjp", "stop_gradient"]

# A rule may call its own function (``return f(x), residuals``), whose rule is written inside it again, this many times;
# derivatives of higher order than that are NaN where they need it.
_LEVELS = 3

_mark_p = Primitive("pullback_mark")
_mark_p.multiple_results = True


def _abstract(*_, jaxpr, **__):
    return jaxpr.out_avals


def _lower(*args, name, attributes, jaxpr):
    whole = jaxpr_as_fun(jaxpr)
    marked = jax.lax.composite(lambda *xs, **_: whole(*xs), name=name)
    return marked(*args, **dict(attributes))


def _batch(args, dims, *, name, attributes, jaxpr):
    size = next(x.shape[d] for x, d in zip(args, dims) if d is not None)
    # All operands vary, so that cotangents have the types of what they are cotangents of.
    wide = [
        jnp.broadcast_to(x, (size, *x.shape)) if d is None else jnp.moveaxis(x, d, 0)
        for x, d in zip(args, dims)
    ]
    outs = _bind(name, dict(attributes), jax.vmap(jaxpr_as_fun(jaxpr)), wide)
    return outs, [0] * len(outs)


def _jvp(primals, tangents, *, name, attributes, jaxpr):
    """Of a mark that JAX meets without its own object around it: in the body of a loop or a branch that was differentiated
    before. There JAX differentiates through functions with rules as if they had none, and so do their marks.
    """
    if name == "pullback.stop_gradient":
        outs = _mark_p.bind(*primals, name=name, attributes=attributes, jaxpr=jaxpr)
        return outs, [ad.Zero.from_primal_value(o) for o in outs]

    def whole(t, x):
        if type(t) is not ad.Zero:
            return t
        return _zero_like(x) if _has_tangent(x) else _no_tangent(x)

    outs, moved = jax.jvp(jaxpr_as_fun(jaxpr), list(primals), [whole(t, x) for t, x in zip(tangents, primals)])
    return outs, [t if _has_tangent(o) else ad.Zero.from_primal_value(o) for t, o in zip(moved, outs)]


_mark_p.def_abstract_eval(_abstract)
_mark_p.def_impl(lambda *args, jaxpr, **_: jax.jit(jaxpr_as_fun(jaxpr))(*args))
mlir.register_lowering(_mark_p, mlir.lower_fun(_lower, multiple_results=True))
batching.primitive_batchers[_mark_p] = _batch
ad.primitive_jvps[_mark_p] = _jvp


def _bind(name: str, attributes: dict[str, Any], whole: Callable, flat: Sequence[Any]) -> list[Any]:
    """Binds a mark; arrays that ``whole`` closes over become its first operands."""
    closed = jax.make_jaxpr(whole)(*flat)
    consts = list(closed.consts)
    if consts:
        attributes = {**attributes, "constants": attributes.get("constants", 0) + len(consts)}
        closed_consts = closed

        def pure(*xs):
            return jax.core.eval_jaxpr(closed_consts.jaxpr, xs[: len(consts)], *xs[len(consts) :])

        closed = jax.make_jaxpr(pure)(*consts, *flat)
    ordered = tuple(sorted(attributes.items()))
    return _mark_p.bind(*consts, *flat, name=name, attributes=ordered, jaxpr=closed)


def _has_tangent(x: Any) -> bool:
    return jnp.issubdtype(jnp.result_type(x), jnp.inexact)


def _zero_like(x: Any) -> Any:
    return jnp.zeros(jnp.shape(x), jnp.result_type(x))


def _nan_like(x: Any) -> Any:
    return jnp.full(jnp.shape(x), jnp.nan, jnp.result_type(x))


def _no_tangent(x: Any) -> Any:
    return np.zeros(jnp.shape(x), jax.dtypes.float0)


def _name_of(f: Callable) -> str:
    return getattr(f, "__name__", type(f).__name__)


def stop_gradient(x: Any) -> Any:
    """As ``jax.lax.stop_gradient``, with a mark."""
    leaves, tree = jax.tree.flatten(jax.lax.stop_gradient(x))
    marked = []
    for leaf in leaves:
        if _has_tangent(leaf):
            (leaf,) = _bind("pullback.stop_gradient", {}, lambda v: [v], [jnp.asarray(leaf)])
        marked.append(leaf)
    return jax.tree.unflatten(tree, marked)


def _positional(f: Callable, args: tuple, kwargs: dict) -> tuple:
    """All arguments in order, defaults filled in."""
    try:
        signature = inspect.signature(f)
    except (TypeError, ValueError):
        if kwargs:
            raise TypeError(f"{_name_of(f)} has no signature; give its arguments by position") from None
        return args
    bound = signature.bind(*args, **kwargs)
    bound.apply_defaults()
    if bound.kwargs:
        raise TypeError(f"{_name_of(f)} has keyword-only arguments, which have no derivative; make them positional")
    return bound.args


class _Ruled:
    """What custom_vjp and custom_jvp share: static arguments, and JAX's own object behind."""

    def __init__(self, f: Callable, nondiff_argnums: Sequence[int]):
        self._f = f
        self._static = tuple(sorted(nondiff_argnums))
        self._level = 0
        functools.update_wrapper(self, f)

    def _split(self, args: tuple) -> tuple[list, list]:
        static = [args[i] for i in self._static]
        return static, [a for i, a in enumerate(args) if i not in self._static]

    def _join(self, static: Sequence[Any], moving: Sequence[Any]) -> list:
        args = list(moving)
        for i, a in zip(self._static, static):
            args.insert(i, a)
        return args

    def _name(self) -> str:
        return _name_of(self._f)

    @contextlib.contextmanager
    def _inside(self):
        """Around the functions of the rule."""
        self._level += 1
        try:
            yield
        finally:
            self._level -= 1


class custom_vjp(_Ruled):
    """As ``jax.custom_vjp``, with a mark: ``f.defvjp(forward, backward)`` gives the rule.

    ``backward`` may give ``None`` for an argument without a derivative.
    """

    def __init__(self, f: Callable, nondiff_argnums: Sequence[int] = ()):
        super().__init__(f, nondiff_argnums)
        self._rule = None
        self._jax = jax.custom_vjp(self._marked, nondiff_argnums=self._static)

    def defvjp(self, forward: Callable, backward: Callable) -> Callable:
        """Sets the rule; as JAX's."""
        self._rule = (forward, backward)
        self._jax.defvjp(forward, backward)
        return backward

    def __call__(self, *args, **kwargs):
        if self._rule is None:
            raise AttributeError(f"{self._name()} has no rule; call defvjp(forward, backward) first")
        return self._jax(*_positional(self._f, args, kwargs))

    def _marked(self, *args):
        forward, backward = self._rule
        static, moving = self._split(args)
        flat, tree = jax.tree.flatten(moving)
        flat = [jnp.asarray(x) for x in flat]

        def call(*xs):
            return self._f(*self._join(static, jax.tree.unflatten(tree, xs)))

        outs, out_tree = jax.tree.flatten(jax.eval_shape(call, *flat))
        n, m = len(flat), len(outs)
        residuals = 0

        def whole(*xs):
            nonlocal residuals
            own, cts = xs[:n], list(xs[n:])
            results = jax.tree.leaves(call(*own))
            if self._level >= _LEVELS:
                return [*results, *results, *[_nan_like(x) for x in own if _has_tangent(x)]]
            with self._inside():
                again, kept = forward(*self._join(static, jax.tree.unflatten(tree, own)))
            again, (kept, kept_tree) = jax.tree.leaves(again), jax.tree.flatten(kept)
            kept = [jnp.asarray(x) for x in kept]
            residuals = len(kept)
            ct = [cts.pop(0) if _has_tangent(o) else _no_tangent(o) for o in outs]
            ct = jax.tree.unflatten(out_tree, ct)
            with self._inside():
                given = backward(*static, jax.tree.unflatten(kept_tree, kept), ct)
            return [*results, *again, *kept, *_cotangents(given, jax.tree.unflatten(tree, own))]

        seeds = [jnp.zeros(o.shape, o.dtype) for o in outs if _has_tangent(o)]
        jax.eval_shape(whole, *flat, *seeds)
        attributes = {"arguments": n, "name": self._name(), "residuals": residuals, "results": m}
        made = _bind("pullback.custom_vjp", attributes, whole, [*flat, *seeds])
        return jax.tree.unflatten(out_tree, made[:m])


def _cotangents(given: Any, args: list) -> list:
    """A cotangent for each leaf of the arguments that has one; ``None`` is zero."""
    if not isinstance(given, (tuple, list)) or len(given) != len(args):
        raise TypeError(f"the backward rule gives a tuple of {len(args)} cotangents, one for each argument")
    out = []
    for ct, arg in zip(given, args):
        leaves, tree = jax.tree.flatten(arg)
        if ct is None:
            cts = [None] * len(leaves)
        else:
            cts = tree.flatten_up_to(ct)
        for c, x in zip(cts, leaves):
            if _has_tangent(x):
                out.append(_zero_like(x) if c is None else jnp.asarray(c, jnp.result_type(x)))
    return out


class custom_jvp(_Ruled):
    """As ``jax.custom_jvp``, with a mark: ``f.defjvp(rule)`` or ``f.defjvps(...)`` gives the rule."""

    def __init__(self, f: Callable, nondiff_argnums: Sequence[int] = ()):
        super().__init__(f, nondiff_argnums)
        self._rule = None
        self._jax = jax.custom_jvp(self._marked, nondiff_argnums=self._static)

    def defjvp(self, rule: Callable, symbolic_zeros: bool = False) -> Callable:
        """Sets the rule; as JAX's, without symbolic zeros."""
        if symbolic_zeros:
            raise NotImplementedError("rules with symbolic zeros cannot be written down; leave symbolic_zeros out")
        self._rule = rule
        self._jax.defjvp(rule)
        return rule

    def defjvps(self, *rules: Callable | None) -> None:
        """Sets a rule for each argument, ``None`` where its derivative is zero; as JAX's."""

        def rule(primals, tangents):
            result = self(*primals)
            total = jax.tree.map(_zero_like, result)
            for one, t in zip(rules, tangents):
                if one is not None:
                    total = jax.tree.map(jnp.add, total, one(t, result, *primals))
            return result, total

        self.defjvp(rule)

    def __call__(self, *args, **kwargs):
        if self._rule is None:
            raise AttributeError(f"{self._name()} has no rule; call defjvp(rule) first")
        return self._jax(*_positional(self._f, args, kwargs))

    def _marked(self, *args):
        static, moving = self._split(args)
        flat, tree = jax.tree.flatten(moving)
        flat = [jnp.asarray(x) for x in flat]

        def call(*xs):
            return self._f(*self._join(static, jax.tree.unflatten(tree, xs)))

        outs, out_tree = jax.tree.flatten(jax.eval_shape(call, *flat))
        n, m = len(flat), len(outs)

        def whole(*xs):
            own, given = xs[:n], list(xs[n:])
            results = jax.tree.leaves(call(*own))
            tangents = [given.pop(0) if _has_tangent(x) else _no_tangent(x) for x in own]
            primals = tuple(jax.tree.unflatten(tree, own))
            if self._level >= _LEVELS:
                return [*results, *results, *[_nan_like(o) for o in outs if _has_tangent(o)]]
            with self._inside():
                again, out = self._rule(*static, primals, tuple(jax.tree.unflatten(tree, tangents)))
            again, out = jax.tree.leaves(again), out_tree.flatten_up_to(out)
            out = [jnp.asarray(t, o.dtype) for t, o in zip(out, outs) if _has_tangent(o)]
            return [*results, *again, *out]

        seeds = [_zero_like(x) for x in flat if _has_tangent(x)]
        attributes = {"arguments": n, "name": self._name(), "results": m}
        made = _bind("pullback.custom_jvp", attributes, whole, [*flat, *seeds])
        return jax.tree.unflatten(out_tree, made[:m])


def checkpoint(
    f: Callable,
    *,
    policy: Callable | None = None,
    prevent_cse: bool = True,
    static_argnums: int | Sequence[int] = (),
) -> Callable:
    """As ``jax.checkpoint``, with a mark. What ``f`` is differentiated by has to be among its arguments.

    ``policy`` and ``prevent_cse`` hold under JAX and are not written down. Arguments at ``static_argnums``, counted from
    either end, are handed on as they are.
    """
    numbers = (static_argnums,) if isinstance(static_argnums, int) else tuple(static_argnums)

    @functools.wraps(f)
    def wrapped(*args, **kwargs):
        for n in numbers:
            if not -len(args) <= n < len(args):
                raise ValueError(f"static_argnums names argument {n} of {_name_of(f)}, called with {len(args)} by position")
        static = {n % len(args) for n in numbers}
        flat, tree = jax.tree.flatten(([None if i in static else a for i, a in enumerate(args)], kwargs))
        dynamic = [i for i, x in enumerate(flat) if isinstance(x, (jax.Array, np.ndarray, float, complex))]
        out_tree = None

        def call(*xs):
            nonlocal out_tree
            leaves = list(flat)
            for i, x in zip(dynamic, xs):
                leaves[i] = x
            a, k = jax.tree.unflatten(tree, leaves)
            a = [args[i] if i in static else x for i, x in enumerate(a)]
            outs, out_tree = jax.tree.flatten(f(*a, **k))
            return [jnp.asarray(o) for o in outs]

        @jax.custom_jvp
        def marked(*xs):
            return _bind("pullback.remat", {"name": _name_of(f)}, call, xs)

        @marked.defjvp
        def _(primals, tangents):
            region = jax.checkpoint(call, policy=policy, prevent_cse=prevent_cse)
            return jax.jvp(region, primals, tangents)

        outs = marked(*[jnp.asarray(flat[i]) for i in dynamic])
        return jax.tree.unflatten(out_tree, outs)

    return wrapped
