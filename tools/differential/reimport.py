"""Compiles programs that Pullback printed, and compares what they compute with what the first program computed.

    cargo run --release -p pullback --example differential -- batch.jsonl --print printed.jsonl
    python tools/differential/reimport.py printed.jsonl

Exits with 1 when an output is farther from the recorded one than its tolerance.
"""
import json
import os
import sys

os.environ.setdefault("JAX_PLATFORMS", "cpu")
os.environ["XLA_FLAGS"] = os.environ.get("XLA_FLAGS", "") + " --xla_allow_excess_precision=false"

import jax  # noqa: E402
import ml_dtypes  # noqa: E402,F401
import numpy as np  # noqa: E402
from jax._src.lib import xla_client  # noqa: E402
from jaxlib import lapack  # noqa: E402

jax.config.update("jax_enable_x64", True)
# Foreign calls of LAPACK crash where JAX has not loaded it.
lapack.prepare_lapack_call("getrf_ffi", np.dtype("float64"))


def array(data):
    name, shape, text = data
    dtype = np.dtype(name)
    raw = bytes.fromhex(text)
    if dtype.name.startswith(("int4", "int2")):
        return np.frombuffer(raw, "int8").astype(dtype).reshape(shape)
    if dtype.name.startswith(("uint4", "uint2")):
        return np.frombuffer(raw, "uint8").astype(dtype).reshape(shape)
    return np.frombuffer(raw, dtype).reshape(shape)


def run(record):
    device = jax.local_devices()[0]
    executable = device.client.compile_and_load(record["text"].encode(), xla_client.DeviceList((device,)),
                                                xla_client.CompileOptions())
    arguments = [jax.device_put(array(x), device) for x in record["inputs"]]
    return [np.asarray(x) for x in executable.execute(arguments)]


def parts(x):
    """Numbers as f64, complex ones as two."""
    if x.dtype.kind == "c":
        x = x.view(x.real.dtype)
    return x.astype("float64").reshape(-1)


def compare(got, expected, tolerance, floor):
    if got.shape != expected.shape or got.dtype != expected.dtype:
        return f"{got.dtype}{got.shape}, expected {expected.dtype}{expected.shape}"
    if got.tobytes() == expected.tobytes():
        return None
    if expected.dtype.kind in "iub" and expected.dtype.name[0] in "iub":
        return f"{got.reshape(-1)[:4]}, expected {expected.reshape(-1)[:4]}"
    a, e = parts(got), parts(expected)
    finite = e[np.isfinite(e)]
    # Printing changes no bit, but another compilation may order sums otherwise.
    scale = max(np.abs(finite).max() if finite.size else 0, floor)
    allowed = max(tolerance, 1e-15) * scale + 1e-37
    near = (a == e) | (np.isnan(a) & np.isnan(e)) | (np.abs(a - e) <= allowed)
    if near.all():
        return None
    i = int(np.argmin(near))
    return f"{(~near).sum()} wrong, [{i}] {a[i]}, expected {e[i]}, allowed {allowed:.3g}"


def main():
    count = wrong = refused = 0
    for path in sys.argv[1:]:
        with open(path, encoding="utf-8") as lines:
            for line in lines:
                record = json.loads(line)
                count += 1
                try:
                    outputs = run(record)
                except Exception as e:  # noqa: BLE001 - any refusal is a finding
                    refused += 1
                    print(f"seed {record['seed']}: JAX refuses the text: {str(e).splitlines()[0][:200]}")
                    continue
                for got, output in zip(outputs, record["outputs"]):
                    how = compare(got, array(output["value"]), output["tolerance"], output.get("floor", 0))
                    if how:
                        wrong += 1
                        print(f"seed {record['seed']}: {output['op']}: {how}")
                        break
    print(f"{count} programs: {count - wrong - refused} agree, {refused} refused, {wrong} differ")
    return 1 if wrong or refused else 0


if __name__ == "__main__":
    sys.exit(main())
