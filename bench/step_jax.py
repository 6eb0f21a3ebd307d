"""Times one JAX training step (loss, gradients, clip, AdamW) of examples/charlm on the CPU, f32.

    python step_jax.py [--threads 1|2] [--seconds S]     # needs jax, optax

Prints one JSON line: median_ms, min_ms, n.
"""
import argparse
import json
import os
import sys
import time

parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
parser.add_argument("--threads", type=int, choices=(1, 2), default=2)
parser.add_argument("--seconds", type=float, default=15.0, help="how long to measure")
options = parser.parse_args()

# Cores and thread counts must be fixed before jax starts its thread pools.
cores = sorted(os.sched_getaffinity(0))
if len(cores) < options.threads:
    sys.exit(f"--threads {options.threads}: only {len(cores)} core(s) may be used here")
os.sched_setaffinity(0, cores[:options.threads])
flags = [os.environ.get("XLA_FLAGS", "")]
if options.threads == 1:
    flags += ["--xla_cpu_multi_thread_eigen=false", "intra_op_parallelism_threads=1"]
os.environ["XLA_FLAGS"] = " ".join(flags).strip()
os.environ["JAX_PLATFORMS"] = "cpu"
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "examples", "charlm"))

import jax  # noqa: E402
import numpy as np  # noqa: E402
import optax  # noqa: E402

import export as charlm  # noqa: E402


def main():
    optimizer = optax.chain(optax.clip_by_global_norm(1.0),
                            optax.adamw(4e-3, b1=0.9, b2=0.95, eps=1e-8, weight_decay=0.1))

    def step(params, state, targets, tokens):
        loss, grads = jax.value_and_grad(charlm.loss)(params, targets, tokens)
        updates, state = optimizer.update(grads, state, params)
        return optax.apply_updates(params, updates), state, loss

    params = jax.device_put(charlm.init_params())
    state = optimizer.init(params)
    targets, tokens = np.random.default_rng(0).integers(0, charlm.VOCAB, (2, charlm.BATCH, charlm.SEQ)).astype(np.int32)
    targets, tokens = jax.device_put((targets, tokens))
    compiled = jax.jit(step, donate_argnums=(0, 1)).lower(params, state, targets, tokens).compile()

    times, begin = [], time.perf_counter()
    warm_up, least = 3, 10
    while len(times) < warm_up + least or time.perf_counter() - begin < options.seconds:
        start = time.perf_counter()
        params, state, loss = compiled(params, state, targets, tokens)
        jax.block_until_ready((params, state, loss))
        times.append((time.perf_counter() - start) * 1e3)
    times = times[warm_up:]
    print(json.dumps({"median_ms": round(float(np.median(times)), 2), "min_ms": round(min(times), 2), "n": len(times),
                      "threads": options.threads, "batch": charlm.BATCH}))


if __name__ == "__main__":
    main()
