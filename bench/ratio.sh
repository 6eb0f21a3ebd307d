#!/usr/bin/env bash
# Step time of examples/charlm: this project and JAX by turns on the same cores, as JSON lines and one ratio.
# usage: bench/ratio.sh PYTHON [THREADS] [ROUNDS]     (PYTHON has jax 0.10.2 and optax 0.2.8)
set -euo pipefail
cd "$(dirname "$0")/.."
python=${1:?usage: bench/ratio.sh PYTHON [THREADS] [ROUNDS]}
threads=${2:-2}
rounds=${3:-3}
cargo bench -q -p pullback --bench step --no-run
out=$(mktemp)
for _ in $(seq "$rounds"); do
    cores=$([ "$threads" = 1 ] && echo 0 || echo 0,1)
    ours=$(taskset -c "$cores" cargo bench -q -p pullback --bench step -- --threads "$threads" --seconds 8)
    jax=$("$python" bench/step_jax.py --threads "$threads" --seconds 8)
    echo "pullback $ours" | tee -a "$out"
    echo "jax      $jax" | tee -a "$out"
done
"$python" - "$out" <<'PY'
import json, statistics, sys
rows = {"pullback": [], "jax": []}
for line in open(sys.argv[1]):
    who, text = line.split(None, 1)
    rows[who].append(json.loads(text))
for key in ("median_ms", "min_ms"):
    ours, jax = (statistics.median(r[key] for r in rows[w]) for w in ("pullback", "jax"))
    print(f"{key}: pullback {ours:.1f}, jax {jax:.1f}, ratio {ours / jax:.2f}")
PY
