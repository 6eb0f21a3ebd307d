"""Random programs with what JAX makes of them.

    python tools/differential/generate.py --seed 0 --count 100 --out batch.jsonl

One JSON object a line: the program's seed, its StableHLO text (for two seeds of ten the bytes of a jax.export file, for one of
these open in a leading dimension), inputs,
and for each output the operation it comes from, JAX's value and how close another implementation must come
(relative to the largest magnitude, which counts as no less than `floor`). Tensors are
`[dtype, shape, hex]`, little-endian; types narrower than a byte take a byte each. Needs JAX; runs on the CPU.
"""
import argparse
import json
import os
import subprocess
import sys
import threading
import time

os.environ.setdefault("JAX_PLATFORMS", "cpu")
# Half precision is rounded after each operation, as the text says, and no fused multiply-add changes a last bit.
os.environ["XLA_FLAGS"] = os.environ.get("XLA_FLAGS", "") + " --xla_allow_excess_precision=false"

import jax  # noqa: E402
import jax.numpy as jnp  # noqa: E402
import numpy as np  # noqa: E402
from jax import export  # noqa: E402

import elementwise  # noqa: E402,F401
import gradients  # noqa: E402
import movement  # noqa: E402,F401
import programs  # noqa: E402
import reductions  # noqa: E402,F401
from pool import NARROW, Gen, Skip, Value, kind  # noqa: E402

jax.config.update("jax_enable_x64", True)

# Relative to the largest finite magnitude of an output: what a few operations of rounding make.
TOLERANCE = {"float64": 4e-14, "float32": 2e-6, "float16": 4e-3, "bfloat16": 3e-2, "complex64": 4e-6, "complex128": 8e-14}


class Program:
    """A seed's program: inputs, and a function that draws the same operations whenever it is traced."""

    def __init__(self, seed, max_ops):
        self.seed = seed
        g = Gen(seed)
        self.specials = g.chance(0.15)
        g.specials = self.specials
        self.inputs = []
        for _ in range(g.rng.choice([1, 1, 2, 3])):
            self.inputs.append(g.numbers(g.shape(), g.dtype(["f", "f", "f", "i", "i", "b", "c"])))
        self.steps = g.rng.randint(1, max_ops)
        self.more = g.rng.randrange(2**60)
        self.outputs = []

    def __call__(self, *xs):
        g = Gen(self.more, self.specials)
        g.pool = [Value(x, True) for x in xs]
        n = len(g.pool)
        programs.grow(g, self.steps)
        made = g.pool[n:] or g.pool
        self.outputs = [(v.op, v.bitwise, v.slack, v.floor) for v in made]
        return tuple(v.x for v in made)


def tensor(x):
    x = np.asarray(x)
    name = x.dtype.name
    if name in NARROW and name.endswith(("4", "2")) and name.startswith(("int", "uint")):
        data = x.astype("int8" if name.startswith("int") else "uint8").tobytes()
    else:
        data = np.ascontiguousarray(x).tobytes()
    return [name, list(x.shape), data.hex()]


def close(op, bitwise, slack, x):
    """How close: 0 for the same bits, else a bound relative to the largest magnitude."""
    name = np.asarray(x).dtype.name
    if bitwise or kind(np.asarray(x).dtype) in "iubn":
        return 0.0
    return TOLERANCE[name] * slack


def build(seed, max_ops, tensor):
    p = Program(seed, max_ops)
    inputs, f, specs = p.inputs, jax.jit(p, keep_unused=True), p.inputs
    if seed % 10 == 3:
        # Open in a leading dimension; the program itself sees what it would see without.
        inputs = [np.stack([np.roll(x, i) for i in range(3)]) for x in p.inputs]
        f, size = jax.jit(jax.vmap(p), keep_unused=True), export.symbolic_shape("b")
        specs = [jax.ShapeDtypeStruct(size + x.shape, x.dtype) for x in p.inputs]
    lowered = f.lower(*inputs)
    outs = [np.asarray(o) for o in lowered.compile()(*inputs)]
    made = p.outputs
    record = {
        "seed": seed,
        "inputs": [tensor(x) for x in inputs],
        "outputs": [{"op": o[0], "tolerance": close(*o[:3], x), "floor": o[3], "value": tensor(x)}
                    for o, x in zip(made, outs)],
    }
    if seed % 10 in (3, 7):
        try:
            record["exported"] = export.export(f)(*specs).serialize().hex()
            return record
        except (ValueError, TypeError, NotImplementedError, jax.errors.JAXTypeError) as e:
            # A custom call that jax.export gives no promise for, or an operation that takes no open dimension.
            reason = f"export: {type(e).__name__}: {str(e).splitlines()[0][:100]}"
            programs.REFUSED[reason] = programs.REFUSED.get(reason, 0) + 1
    record["text"] = lowered.as_text()
    return record


def worker(args):
    """Builds the programs of a range; says before each which it is, so that a crash has a name."""
    with open(args.out, "a", encoding="utf-8") as out:
        for seed in range(args.seed, args.seed + args.count):
            print(f"seed {seed}", flush=True)
            try:
                make = gradients.build if args.gradients else build
                line = json.dumps(make(seed, args.max_ops, tensor))
            except Exception as e:  # noqa: BLE001 - a program that JAX itself refuses is left out and counted
                print(f"left out {seed}: {type(e).__name__}: {str(e).splitlines()[0][:160]}", flush=True)
                continue
            if len(line) <= args.max_bytes:
                out.write(line + "\n")
                out.flush()
            else:
                print(f"left out {seed}: {len(line)} bytes", flush=True)
    for reason, n in sorted(programs.REFUSED.items(), key=lambda r: -r[1]):
        print(f"{n} times JAX refused {reason}", flush=True)


def supervise(args):
    """Runs workers, a new one after each that crashed or hangs."""
    open(args.out, "w", encoding="utf-8").close()
    start, end, left_out = args.seed, args.seed + args.count, 0
    at = time.time()
    while start < end:
        command = [sys.executable, *[f"-W{w}" for w in sys.warnoptions], __file__, "--worker", "--out", args.out,
                   "--seed", str(start), "--count", str(end - start), "--max-ops", str(args.max_ops),
                   "--max-bytes", str(args.max_bytes), *["--gradients"] * args.gradients]
        child = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        seed = None
        # A program that hangs is ended; reading then stops.
        alarm = threading.Timer(args.timeout, child.kill)
        alarm.start()
        for line in child.stdout:
            alarm.cancel()
            if line.startswith("seed "):
                seed = int(line.split()[1])
                alarm = threading.Timer(args.timeout, child.kill)
                alarm.start()
            else:
                left_out += line.startswith("left out")
                print(line.rstrip(), file=sys.stderr)
        alarm.cancel()
        if child.wait() == 0:
            break
        if seed is None:
            sys.exit(f"a worker ended with {child.returncode} before its first program")
        left_out += 1
        print(f"left out {seed}: JAX ended with {child.returncode}", file=sys.stderr, flush=True)
        start = seed + 1
    print(f"{args.count - left_out} programs, {left_out} left out, {time.time() - at:.0f} s", file=sys.stderr)


def main():
    args = argparse.ArgumentParser(description=__doc__)
    args.add_argument("--seed", type=int, default=0)
    args.add_argument("--count", type=int, default=100)
    args.add_argument("--max-ops", type=int, default=12)
    args.add_argument("--max-bytes", type=int, default=10**7, help="leave out programs whose record is larger")
    args.add_argument("--timeout", type=float, default=600, help="seconds for one program")
    args.add_argument("--gradients", action="store_true", help="losses with their derivatives (gradients.py)")
    args.add_argument("--out", required=True)
    args.add_argument("--worker", action="store_true", help=argparse.SUPPRESS)
    args = args.parse_args()
    worker(args) if args.worker else supervise(args)


if __name__ == "__main__":
    main()
