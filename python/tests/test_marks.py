"""Marks behave as JAX's own functions under its transformations, and compile to what they mean. Needs pytest and jax."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from pullback import checkpoint, custom_jvp, custom_vjp, stop_gradient

jax.config.update("jax_enable_x64", True)


def pair(kind):
    """One function with a rule by JAX and by us."""
    out = []
    for vjp, jvp in [(jax.custom_vjp, jax.custom_jvp), (custom_vjp, custom_jvp)]:
        if kind == "vjp":
            f = vjp(lambda x: jnp.sin(x) * 2)
            f.defvjp(lambda x: (jnp.sin(x) * 2, x), lambda x, c: (3 * c * x,))
        else:
            f = jvp(lambda x: jnp.abs(x))
            f.defjvp(lambda p, t: (jnp.abs(p[0]), t[0] * jnp.tanh(p[0])))
        out.append(f)
    return out


@pytest.mark.parametrize("kind", ["vjp", "jvp"])
@pytest.mark.parametrize("wrap", [lambda f: f, jax.jit, jax.vmap, lambda f: jax.jit(jax.vmap(f))])
def test_rules_are_those_of_jax(kind, wrap):
    theirs, ours = pair(kind)
    x = jnp.array([0.5, -1.0, 2.0])
    np.testing.assert_allclose(wrap(ours)(x), wrap(theirs)(x))
    loss = lambda f: lambda x: (wrap(f)(x) ** 2).sum()
    np.testing.assert_allclose(jax.grad(loss(ours))(x), jax.grad(loss(theirs))(x))
    twice = lambda f: jax.grad(lambda x: jax.grad(loss(f))(x).sum())
    np.testing.assert_allclose(twice(ours)(x), twice(theirs)(x))


def test_stop_gradient_and_checkpoint():
    f = lambda x: ((x + stop_gradient({"a": jnp.round(x) - x})["a"]) ** 2).sum()
    np.testing.assert_allclose(jax.grad(f)(jnp.array([2.7, -0.2])), [6.0, 0.0])
    block = lambda w, x: jnp.tanh(w @ x).sum()
    w, x = jnp.eye(2) * 0.3, jnp.array([1.0, 2.0])
    np.testing.assert_allclose(jax.grad(checkpoint(block))(w, x), jax.grad(block)(w, x))


def test_checkpoint_takes_what_jax_does():
    def power(x, k, *, scale=2.0):
        assert isinstance(k, float)
        return (scale * jnp.sin(x) ** k).sum()

    x = jnp.array([0.5, 1.0])
    policy = jax.checkpoint_policies.dots_saveable
    for static in (1, (-1,)):
        marked = checkpoint(power, static_argnums=static, policy=policy)
        want = jax.grad(power)(x, 3.0)
        np.testing.assert_allclose(jax.grad(lambda x: marked(x, 3.0))(x), want)
        text = jax.jit(lambda x: marked(x, 3.0)).lower(x).as_text()
        assert 'stablehlo.composite "pullback.remat"' in text
    with pytest.raises(TypeError, match="concrete"):
        checkpoint(power, concrete=True)
    with pytest.raises(ValueError, match="names argument 7 of power"):
        checkpoint(power, static_argnums=7)(x, 3.0)


@pytest.mark.parametrize("kind", ["vjp", "jvp"])
def test_marks_in_loops_and_branches(kind):
    theirs, ours = pair(kind)
    x = jnp.array([0.5, -1.0, 2.0])

    def loss(f, stop):
        def step(y, k):
            y = jax.lax.cond(k > 0, lambda y: f(y) * 0.5, lambda y: jnp.sin(y) * stop(y), y)
            return y, y.sum()

        return lambda x: jax.lax.scan(step, x, jnp.arange(3.0))[1].prod()

    theirs, ours = loss(theirs, jax.lax.stop_gradient), loss(ours, stop_gradient)
    np.testing.assert_allclose(jax.grad(ours)(x), jax.grad(theirs)(x))
    twice = lambda f: jax.grad(lambda x: jax.grad(f)(x).sum())
    np.testing.assert_allclose(twice(ours)(x), twice(theirs)(x))


def test_a_mark_is_written():
    _, ours = pair("vjp")
    text = jax.jit(ours).lower(jnp.ones(3)).as_text()
    assert 'stablehlo.composite "pullback.custom_vjp"' in text and "residuals = 1" in text
