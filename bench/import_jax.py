"""Times JAX's own MLIR parser and printer on one file.

    python import_jax.py FILE     # needs jax

Prints one JSON line with the keys of crates/stablehlo/benches/import.rs. Parsing verifies, as importing does. Memory is
what the process held at most (VmHWM) beyond what it held before it read the file.
"""
import json
import os
import sys
import time

from jax._src.interpreters import mlir
from jaxlib.mlir import ir


def held(key):
    with open("/proc/self/status") as f:
        return next(int(line.split()[1]) * 1024 for line in f if line.startswith(key))


def main():
    path = sys.argv[1]
    context = mlir.make_ir_context()
    # Dialects are loaded when they are first met; that is not parsing.
    ir.Module.parse("module { func.func @f(%x: tensor<f32>) -> tensor<f32> { %0 = stablehlo.abs %x : tensor<f32> "
                    "%1 = chlo.square %0 : tensor<f32> -> tensor<f32> return %1 : tensor<f32> } }", context)
    before = held("VmRSS")
    with open(path) as f:
        text = f.read()
    start, start_cpu = time.perf_counter(), time.process_time()
    module = ir.Module.parse(text, context)
    parsed, parsed_cpu = time.perf_counter(), time.process_time()
    peak_import = held("VmHWM") - before
    size = len(text)
    del text
    printing, printing_cpu = time.perf_counter(), time.process_time()
    printed = module.operation.get_asm(enable_debug_info=True)
    done, done_cpu = time.perf_counter(), time.process_time()
    print(json.dumps({
        "file": os.path.splitext(os.path.basename(path))[0], "bytes": size,
        "import_ms": round(1e3 * (parsed - start), 2), "print_ms": round(1e3 * (done - printing), 2),
        "import_cpu_ms": round(1e3 * (parsed_cpu - start_cpu), 2),
        "print_cpu_ms": round(1e3 * (done_cpu - printing_cpu), 2), "printed": len(printed),
        "peak_import": peak_import, "peak": held("VmHWM") - before,
    }))


if __name__ == "__main__":
    main()
