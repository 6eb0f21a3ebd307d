"""Writes tests/portable: portable bytecode and jax.export files, each with the text MLIR reads back from it.

Run with JAX (and the package flatbuffers) installed: python make_bytecode.py
"""

import os
import pathlib

os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=4"

import jax
import jax.numpy as jnp
from jax import export
from jax._src.interpreters import mlir as jax_mlir
from jax._src.lib import _jax
from jaxlib.mlir import ir
from jaxlib.mlir.dialects import stablehlo

# Locations name files without their folders.
jax.config.update("jax_hlo_source_file_canonicalization_regex", ".*/")
HERE = pathlib.Path(__file__).parent
OUT = HERE / "portable"
CURRENT = stablehlo.get_version_from_compatibility_requirement(
    stablehlo.StablehloCompatibilityRequirement.WEEK_4
)

SLICED = """module @sliced {
  func.func public @main(%a: tensor<4x6xf32> loc("a"), %b: tensor<f32> loc("b")) -> tensor<2x9xf32> {
    %0 = stablehlo.slice %a [1:3, 0:5:2] : (tensor<4x6xf32>) -> tensor<2x3xf32>
    %1 = stablehlo.pad %0, %b, low = [0, -1], high = [0, 5], interior = [0, 1] : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x9xf32>
    %2 = stablehlo.dot_general %1, %1, batching_dims = [0] x [0], contracting_dims = [1] x [1] : (tensor<2x9xf32>, tensor<2x9xf32>) -> tensor<2xf32>
    %3 = stablehlo.broadcast_in_dim %2, dims = [0] : (tensor<2xf32>) -> tensor<2x9xf32>
    return %3 : tensor<2x9xf32>
  }
}
"""


SHARDED = """module @sharded {
  sdy.mesh @mesh = <["data"=2]>
  func.func public @main(%a: tensor<4x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}]>}) -> tensor<4x6xf32> {
    %0 = stablehlo.tanh %a {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"data"}, {}]>]>} : tensor<4x6xf32>
    %1 = sdy.sharding_constraint %0 <@mesh, [{"data"}, {}]> : tensor<4x6xf32>
    return %1 : tensor<4x6xf32>
  }
}
"""


BOUNDED = """module @bounded {
  func.func public @main(%a: tensor<?x4xf32, #stablehlo.bounds<8, ?>>) -> tensor<?x?xf32> {
    %0 = stablehlo.get_dimension_size %a, dim = 0 : (tensor<?x4xf32, #stablehlo.bounds<8, ?>>) -> tensor<i32>
    %1 = stablehlo.reshape %0 : (tensor<i32>) -> tensor<1xi32>
    %2 = stablehlo.constant dense<2> : tensor<1xi32>
    %3 = stablehlo.concatenate %1, %2, %2, dim = 0 : (tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<3xi32>
    %4 = stablehlo.dynamic_reshape %a, %3 : (tensor<?x4xf32, #stablehlo.bounds<8, ?>>, tensor<3xi32>) -> tensor<?x2x2xf32>
    %5 = stablehlo.constant dense<0.0> : tensor<f32>
    %6 = stablehlo.reduce(%4 init: %5) applies stablehlo.add across dimensions = [2] : (tensor<?x2x2xf32>, tensor<f32>) -> tensor<?x2xf32>
    %7 = stablehlo.constant dense<1> : tensor<2xi32>
    %8 = stablehlo.constant dense<0> : tensor<2xi32>
    %9 = stablehlo.dynamic_pad %6, %5, %7, %8, %7 : (tensor<?x2xf32>, tensor<f32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>) -> tensor<?x?xf32>
    return %9 : tensor<?x?xf32>
  }
}
"""


def text_of(data, locations):
    """The module MLIR reads from portable bytecode, as text."""
    with jax_mlir.make_ir_context():
        module = _jax.mlir.deserialize_portable_artifact(data)
        return module.operation.get_asm(enable_debug_info=locations) + "\n"


def write(name, data, text):
    (OUT / name).write_bytes(data)
    (OUT / (name.rsplit(".", 1)[0] + ".mlir")).write_text(text)
    print(f"{name}: {len(data)} bytes")


def serialize(text, version):
    """Portable bytecode; through the writer of jax.export, which simplifies, where the text holds other dialects."""
    with jax_mlir.make_ir_context():
        module = ir.Module.parse(text)
        if "chlo." in text or "sdy." in text:
            return _jax.mlir.serialize_portable_artifact(module, version, True)
        return stablehlo.serialize_portable_artifact(module, version)


def mlp(params, x):
    h = jnp.tanh(x @ params["w"] + params["b"])
    mask = jnp.array([[True, False, True, True], [False, True, True, False]])
    return {"loss": jnp.sum(jnp.where(mask, h, -h)), "h": h, "order": jnp.arange(4, dtype=jnp.int8) * 3}


def embed(table, unused, tokens):
    rows = table[tokens]
    return jax.nn.log_softmax(rows).mean(), table.at[tokens].add(rows * 0.5)


def convolve(image, kernel):
    y = jax.lax.conv_general_dilated(
        image, kernel, (2, 1), ((1, 0), (2, 2)), rhs_dilation=(1, 2), dimension_numbers=("NHWC", "HWIO", "NHWC")
    )
    return jnp.max(jax.nn.gelu(y.astype(jnp.bfloat16)), axis=-1)


def lowered(x, y, i):
    """What only becomes ordinary operations by lowering, as far as JAX has a function for it."""
    lax = jax.lax
    add = lax.composite(lambda a, b: a + b, "test.add")
    product = lax.reduce((x, y), (jnp.float32(1), jnp.float32(0)), lambda a, b: (a[0] * b[0], a[1] * b[0] + b[1]), (0,))
    window = lax.reduce_window(x, jnp.float32(0), lambda a, b: a + b - a * b, (2, 3), (1, 2), "SAME")
    applied = x.at[i].apply(jnp.sin)
    noise = lax.rng_uniform(jnp.float32(-1), jnp.float32(1), (3,))
    return jnp.argmax(x, 1), product, window, applied, noise, lax.cumlogsumexp(x, 1), add(x, lax.optimization_barrier(y))


def matrices(a, z, b):
    """One of each of LAPACK's calls."""
    linalg, lax = jax.scipy.linalg, jax.lax.linalg
    d = jnp.diagonal(a)
    return jax.tree.leaves({
        "qr": jnp.linalg.qr(b),
        "pivoted": linalg.qr(z, pivoting=True),
        "svd": [jnp.linalg.svd(b), jnp.linalg.svd(z, full_matrices=False), jnp.linalg.svd(b, compute_uv=False)],
        "by_qr": lax.svd(b, algorithm=lax.SvdAlgorithm.QR),
        "eigh": [jnp.linalg.eigh(a, UPLO="U"), jnp.linalg.eigh(z)],
        "eig": [jnp.linalg.eig(a), lax.eig(z)],
        "schur": [linalg.schur(a), linalg.schur(z)],
        "hessenberg": linalg.hessenberg(a, calc_q=True),
        "cholesky": jnp.linalg.cholesky(a),
        "solve": [jnp.linalg.solve(a, b), linalg.solve_triangular(z, z, trans=2, lower=True, unit_diagonal=True)],
        "tridiagonal": [lax.tridiagonal(a), lax.tridiagonal(z)],
        "tridiagonal_solve": [lax.tridiagonal_solve(d, 3 + d, d, b, perturb_singular=p) for p in [False, True]],
        "ormqr": [lax.ormqr(b, d[:3], b, transpose=True), lax.ormqr(z, z[0], z, left=False)],
        "batched": jnp.linalg.qr(jnp.stack([a, a])),
    })


# Calls that JAX does not promise to keep.
UNSTABLE = [
    export.DisabledSafetyCheck.custom_call(name)
    for name in [
        "lapack_cgeqp3_ffi",
        "lapack_sgesvd_ffi",
        "lapack_sormqr_ffi",
        "lapack_cunmqr_ffi",
        "tridiagonal_solve_perturbed_ffi",
    ]
]


def manual():
    """A shard_map over a mesh of two axes: a sum along one, the number along the other, a constraint outside."""
    mesh = jax.make_mesh((2, 2), ("x", "y"), axis_types=(jax.sharding.AxisType.Auto,) * 2)
    P = jax.sharding.PartitionSpec

    def local(a, b):
        return jax.lax.psum(a @ b, "y") + jax.lax.axis_index("x")

    def f(a, b):
        c = jax.shard_map(local, mesh=mesh, in_specs=(P("x", "y"), P("y", None)), out_specs=P("x", None))(a, b)
        return jax.lax.with_sharding_constraint(c * 2, jax.sharding.NamedSharding(mesh, P("y", None)))

    def sharded(shape, *axes):
        return jax.ShapeDtypeStruct(shape, jnp.float32, sharding=jax.sharding.NamedSharding(mesh, P(*axes)))

    return export.export(jax.jit(f))(sharded((4, 4), "x", "y"), sharded((4, 6), "y", None))


def spec(*shape, dtype=jnp.float32):
    return jax.ShapeDtypeStruct(shape, dtype)


def main():
    OUT.mkdir(exist_ok=True)
    for name in ["mlp", "residual_gate", "charlm", "vit", "mixer", "ops", "collectives", "lowered", "random", "algorithms"]:
        data = serialize((HERE / "programs" / f"{name}.mlir").read_text(), CURRENT)
        write(f"{name}.mlirbc", data, text_of(data, False))
    for version in ["0.9.0", "0.12.0", "0.14.0", "1.0.0"]:
        with jax_mlir.make_ir_context():
            data = stablehlo.serialize_portable_artifact(ir.Module.parse(SLICED), version)
        write(f"sliced_{version.replace('.', '_')}.mlirbc", data, text_of(data, True))
    data = manual().mlir_module_serialized
    write("manual.mlirbc", data, text_of(data, True))
    data = serialize(SHARDED, CURRENT)
    write("sharded.mlirbc", data, text_of(data, False))
    data = serialize(BOUNDED, CURRENT)
    write("bounded.mlirbc", data, text_of(data, False))
    for name, f, specs in [
        ("export_mlp", mlp, ({"w": spec(3, 4), "b": spec(4)}, spec(2, 3))),
        ("export_embed", embed, (spec(7, 5), spec(2), spec(2, 3, dtype=jnp.int32))),
        ("export_convolve", convolve, (spec(2, 9, 9, 3), spec(3, 2, 3, 5))),
        ("export_lowered", lowered, (spec(4, 5), spec(4, 5), spec(3, dtype=jnp.int32))),
        ("export_matrices", matrices, (spec(4, 4), spec(3, 3, dtype=jnp.complex64), spec(4, 3))),
        ("export_sort", lambda x: jnp.sort(x), (spec(8),)),
    ]:
        # Rules of sharding would be most of the text.
        jax.config.update("jax_use_shardy_partitioner", name != "export_matrices")
        exported = export.export(jax.jit(f), disabled_checks=UNSTABLE)(*specs)
        text = text_of(exported.mlir_module_serialized, name != "export_matrices")
        write(f"{name}.jax", exported.serialize(vjp_order=1 if name == "export_mlp" else 0), text)
    x = jax.ShapeDtypeStruct(export.symbolic_shape("n, 3"), jnp.float32)
    data = export.export(jax.jit(lambda x: x * 2))(x)
    write("export_symbolic.jax", data.serialize(), text_of(data.mlir_module_serialized, True))


if __name__ == "__main__":
    main()
