#!/usr/bin/env bash
# Importing StableHLO text: this project and JAX's own MLIR parser by turns on the same files and one core.
# usage: bench/import.sh PYTHON [FOLDER] [ROUNDS]     (PYTHON has jax 0.10.2; FOLDER keeps the files that are made)
set -euo pipefail
cd "$(dirname "$0")/.."
python=${1:?usage: bench/import.sh PYTHON [FOLDER] [ROUNDS]}
folder=${2:-$(mktemp -d)}
rounds=${3:-5}
out=$(mktemp)
# A folder made for this goes away again.
trap 'rm -f "$out"; [ -n "${2:-}" ] || rm -rf "$folder"' EXIT
ls "$folder"/*.mlir >/dev/null 2>&1 || "$python" bench/import_files.py "$folder"
cargo bench -q -p pullback-stablehlo --bench import --no-run
for _ in $(seq "$rounds"); do
    for file in "$folder"/*.mlir; do
        # A process each, so that memory is that file's.
        taskset -c 0 cargo bench -q -p pullback-stablehlo --bench import -- "$file" | sed 's/^/pullback /' >>"$out"
        taskset -c 0 "$python" bench/import_jax.py "$file" | sed 's/^/jax /' >>"$out"
    done
done
"$python" - "$out" <<'PY'
import json, statistics, sys
rows = {}
for line in open(sys.argv[1]):
    who, text = line.split(None, 1)
    row = json.loads(text)
    rows.setdefault(row["file"], {}).setdefault(who, []).append(row)
print(f"{'medians':9} {'MB':>6} | {'import MB/s':>18} {'ratio':>6} | {'MB/s of a core':>18} {'ratio':>6} | "
      f"{'print ms':>15} {'ratio':>6} | {'peak/file import':>18} | {'all':>5}")
for file, who in sorted(rows.items()):
    def median(name, key):
        return statistics.median(r[key] for r in who[name])
    def both(key):
        return median("pullback", key), max(median("jax", key), 0.01)
    size = who["jax"][0]["bytes"]
    def speed(key):
        ours, jax = both(key)
        return f"{size / 1e3 / ours:8.1f} {size / 1e3 / jax:9.1f} {jax / ours:6.2f}"
    def times(name, key):
        return max(r[key] for r in who[name]) / size
    ours, jax = both("print_ms")
    print(f"{file:9} {size / 1e6:6.1f} | {speed('import_ms')} | {speed('import_cpu_ms')} | {ours:7.1f} {jax:7.1f} "
          f"{jax / max(ours, 0.01):6.2f} | {times('pullback', 'peak_import'):8.2f} {times('jax', 'peak_import'):9.2f} | "
          f"{times('pullback', 'peak'):5.2f}")
    if "ops" in file:
        rs = who["pullback"]
        def all_of(kind):
            return statistics.median(sum(r[f"{part}_{kind}"] for part in ("import", "verify", "print")) for r in rs)
        print(f"{'':9} {rs[0]['ops']} operations imported, verified and printed in {all_of('ms'):.0f} ms "
              f"({all_of('cpu_ms'):.0f} ms of a core)")
print("pullback, then jax; a ratio above 1 says how many times pullback is as fast")
PY
