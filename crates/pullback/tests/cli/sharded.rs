//! Modules that JAX exported for several devices: shard_map bodies, shardings, donated arguments.

use crate::{assert_close, run_fails, run_ok, tensors};
use expect_test::expect;
use std::path::Path;

const MANUAL: [&str; 3] = ["manual_ring_ppermute", "manual_moe_all_to_all", "manual_tp_gather_scatter"];

fn folder(name: &str) -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/sharded").join(name);
    for file in ["loss.mlir", "manifest.json", "io.safetensors"] {
        std::fs::copy(data.join(file), dir.path().join(file)).unwrap();
    }
    dir
}

/// On one device, with either evaluator, the values are those of JAX on four.
#[test]
fn computations_of_devices_evaluate_on_one() {
    for name in MANUAL {
        let dir = folder(name);
        let (dir, io) = (dir.path(), tensors(dir.path(), "io.safetensors"));
        for device in ["reference", "cpu"] {
            let args = ["eval", "loss.mlir", "--manifest", "manifest.json", "--inputs", "io.safetensors"];
            run_ok(dir, &[&args[..], &["--outputs", "out.safetensors", "--device", device]].concat());
            assert_close(&tensors(dir, "out.safetensors"), "loss", &io, "expect.loss", 2e-5);
        }
    }
}

/// Printed as StableHLO and read back, it is the same program.
#[test]
fn what_is_exported_evaluates_alike() {
    let dir = folder("manual_ring_ppermute");
    let (dir, io) = (dir.path(), tensors(dir.path(), "io.safetensors"));
    run_ok(dir, &["export", "loss.mlir", "-o", "again.mlir"]);
    let args = ["eval", "again.mlir", "--manifest", "manifest.json", "--inputs", "io.safetensors"];
    run_ok(dir, &[&args[..], &["--outputs", "out.safetensors"]].concat());
    assert_close(&tensors(dir, "out.safetensors"), "loss", &io, "expect.loss", 2e-5);
    let text = std::fs::read_to_string(dir.join("again.mlir")).unwrap();
    for line in [
        "attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32}",
        "sdy.mesh @mesh = <[\"ring\"=4]>",
        "%arg4: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{\"ring\"}, {}]>}",
    ] {
        assert!(text.contains(line), "{line}\n{text}");
    }
}

#[test]
fn inspect_shows_annotations() {
    let dir = folder("manual_ring_ppermute");
    let text = run_ok(dir.path(), &["inspect", "loss.mlir"]);
    let from = text.find("\nannotations").unwrap_or_else(|| panic!("{text}"));
    let to = text[from..].find("\n\n").map_or(text.len(), |n| from + n);
    expect![[r#"

        annotations (kept, not used: the strategy says how a program is distributed)
          mesh @mesh <["ring"=4]>
          @main
            arg0    sharding <@mesh, [{}, {}]>
            arg1    sharding <@mesh, [{}, {}]>
            arg2    sharding <@mesh, []>
            arg3    sharding <@mesh, [{}, {}]>
            arg4    sharding <@mesh, [{"ring"}, {}]>
            arg5    sharding <@mesh, [{"ring"}, {}]>"#]]
    .assert_eq(&text[from..to]);
    let json: serde_json::Value =
        serde_json::from_str(&run_ok(dir.path(), &["inspect", "loss.mlir", "--json"])).unwrap();
    let said = &json["annotations"];
    assert_eq!(said["meshes"][0]["axes"][0]["size"], 4);
    assert_eq!(said["partitions"], 4);
    assert_eq!(said["functions"][0]["arguments"][4]["sharding"]["dims"][0]["axes"][0]["name"], "ring");
    assert_eq!(said["functions"][0]["arguments"][4]["donated"], false);
}

#[test]
fn a_part_that_is_none_is_said() {
    let dir = folder("manual_ring_ppermute");
    let file = dir.path().join("loss.mlir");
    let text = std::fs::read_to_string(&file).unwrap().replace("<[\"ring\"=4]>", "<[\"ring\"=2]>");
    std::fs::write(&file, text).unwrap();
    let args = ["eval", "loss.mlir", "--manifest", "manifest.json", "--inputs", "io.safetensors"];
    expect![[r#"
        error: loss.mlir:4:10: sdy.manual_computation: f32[4,8] is not the part of f32[16,8] that its sharding says
    "#]].assert_eq(&run_fails(dir.path(), &args));
}
