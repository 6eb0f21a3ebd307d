//! Bytecode and files of `jax.export`: the same programs as MLIR reads from them, and no panic on damage.

use crate::{import_ok, show};
use expect_test::expect;
use proptest::prelude::*;
use pullback_ir::Program;
use pullback_stablehlo::{Container, Module, census, census_bytes, exported, import_bytes};

macro_rules! files {
    ($($name:literal . $ext:literal),* $(,)?) => {
        [$((
            $name,
            include_bytes!(concat!("../portable/", $name, ".", $ext)).as_slice(),
            include_str!(concat!("../portable/", $name, ".mlir")),
        )),*]
    };
}

/// Files whose programs are supported: name, file, and its text as MLIR reads it back.
const FILES: [(&str, &[u8], &str); 22] = files![
    "mlp"."mlirbc",
    "residual_gate"."mlirbc",
    "charlm"."mlirbc",
    "vit"."mlirbc",
    "mixer"."mlirbc",
    "ops"."mlirbc",
    "lowered"."mlirbc",
    "random"."mlirbc",
    "algorithms"."mlirbc",
    "sliced_0_9_0"."mlirbc",
    "sliced_0_12_0"."mlirbc",
    "sliced_0_14_0"."mlirbc",
    "sliced_1_0_0"."mlirbc",
    "sharded"."mlirbc",
    "collectives"."mlirbc",
    "manual"."mlirbc",
    "export_mlp"."jax",
    "export_sort"."jax",
    "export_lowered"."jax",
    "export_embed"."jax",
    "export_convolve"."jax",
    "export_matrices"."jax",
];

/// Files that hold something that is not supported.
const REFUSED: [(&str, &[u8], &str); 1] = files!["export_symbolic"."jax"];

fn file(name: &str) -> &'static [u8] {
    FILES.iter().chain(&REFUSED).find(|(n, ..)| *n == name).expect("a listed file").1
}

fn binary_ok(name: &str, bytes: &[u8]) -> Module {
    import_bytes(bytes).unwrap_or_else(|e| panic!("{name}: {}", show(&e)))
}

/// A program without the names of values, which a file without locations does not have.
fn unnamed(f: &Program) -> String {
    let mut text = format!("{}(", f.name());
    for &a in f.args() {
        text += &format!("{}, ", f.ty(a));
    }
    for i in f.instrs().values() {
        let types: Vec<String> = i.results().iter().map(|&r| f.ty(r).to_string()).collect();
        let regions: Vec<String> = i.op().regions().into_iter().map(unnamed).collect();
        let op = if regions.is_empty() { format!("{:?}", i.op()) } else { i.op().name().to_owned() };
        text += &format!("\n{op} {regions:?} {:?} -> {:?} {types:?}", i.operands(), i.results());
    }
    let names: Vec<_> = (0..f.results().len()).map(|k| f.result_name(k)).collect();
    text + &format!("\n{:?} {names:?}", f.results())
}

#[test]
fn bytecode_gives_the_program_of_its_text() {
    for (name, bytes, text) in FILES {
        let (binary, text) = (binary_ok(name, bytes), import_ok(text));
        assert_eq!(binary.name, text.name, "{name}");
        let notes = |m: &Module| {
            m.notes.iter().filter(|d| d.pos.is_some()).map(|d| d.message.clone()).collect::<Vec<_>>()
        };
        assert_eq!(notes(&binary), notes(&text), "{name}");
        assert_eq!(binary.functions().len(), text.functions().len(), "{name}");
        for (b, t) in binary.functions().iter().zip(text.functions()) {
            b.verify().unwrap_or_else(|e| panic!("{name}: {e}"));
            assert_eq!(unnamed(b), unnamed(t), "{name}");
        }
    }
}

/// Without CHLO nothing is simplified while serializing.
#[test]
fn bytecode_gives_the_program_that_was_serialized() {
    let (binary, text) = (binary_ok("mlp", file("mlp")), import_ok(crate::text_of("mlp")));
    assert_eq!(unnamed(&binary.functions()[0]), unnamed(&text.functions()[0]));
}

/// Whether a name may be one that a value without a location has in a text.
fn is_ssa(name: &str) -> bool {
    let last = name.rsplit('/').next().unwrap_or(name);
    let digits = last.trim_start_matches("cst").trim_start_matches('c').trim_start_matches('_');
    digits.bytes().all(|c| c.is_ascii_digit())
}

#[test]
fn locations_name_values_as_in_text() {
    // The text of one file is without locations.
    let located = |n: &str| n.starts_with("export_") && n != "export_matrices";
    for (name, bytes, text) in FILES.into_iter().filter(|(n, ..)| located(n)) {
        let (binary, text) = (binary_ok(name, bytes), import_ok(text));
        let (b, t) = (&binary.functions()[0], &text.functions()[0]);
        let values = |f: &Program| -> Vec<Option<String>> {
            let results = f.instrs().values().flat_map(|i| i.results().to_vec());
            f.args().iter().copied().chain(results).map(|v| f.value_name(v).map(str::to_owned)).collect()
        };
        let mut same = 0;
        for (b, t) in values(b).into_iter().zip(values(t)) {
            if t.as_deref().is_some_and(|t| !is_ssa(t)) {
                assert_eq!(b, t, "{name}");
                same += 1;
            }
        }
        assert!(same > b.instrs().len() / 2, "{name}: {same} names");
    }
    let module = binary_ok("export_mlp", file("export_mlp"));
    let main = module.function("main").expect("a function @main");
    let args: Vec<_> = main.args().iter().map(|&a| main.value_name(a)).collect();
    assert_eq!(args, [Some("b"), Some("w"), Some("x")]);
}

#[test]
fn the_census_is_that_of_the_text() {
    for (name, bytes, text) in FILES.iter().chain(&REFUSED) {
        let counts = |c: pullback_stablehlo::Census| {
            c.ops.into_iter().map(|(n, c)| (n, c.count, c.unsupported)).collect::<Vec<_>>()
        };
        let (binary, text) = (census_bytes(bytes).unwrap(), census(text).unwrap());
        assert_eq!(binary.functions, text.functions, "{name}");
        // A short-form reducer of the text is an operation of a region here.
        assert_eq!(counts(binary), counts(text), "{name}");
    }
}

#[test]
fn text_may_come_as_bytes() {
    let (_, _, text) = FILES[0];
    assert_eq!(Container::of(text.as_bytes()), Container::Text);
    assert_eq!(import_bytes(text.as_bytes()).unwrap().functions(), import_ok(text).functions());
}

#[test]
fn the_container_of_jax_says_what_it_holds() {
    assert_eq!(Container::of(file("export_embed")), Container::Exported);
    let e = exported(file("export_embed")).unwrap();
    assert_eq!((e.function.as_str(), e.calling_convention, e.devices), ("embed", 10, 1));
    assert_eq!(e.platforms, ["cpu"]);
    // The second argument is not used.
    assert_eq!(e.kept, [0, 2]);
    let avals: Vec<_> = e.arguments.iter().map(|a| format!("{}[{}]", a.dtype, a.shape.join(","))).collect();
    assert_eq!(avals, ["float32[7,5]", "float32[2]", "int32[2,3]"]);
    assert_eq!(e.results.len(), 2);
    let e = exported(file("export_symbolic")).unwrap();
    assert_eq!(e.arguments[0].shape, ["n", "3"]);
}

#[test]
fn what_is_not_supported_is_named_with_its_byte() {
    let refused = |name: &str| show(&import_bytes(file(name)).expect_err("a refused file"));
    expect![[r#"
        byte 651: shapes of @main are open: arg0 (x) f32[n,3]
          help: give sizes of the symbols, as in --shapes n=8, or shapes of arguments, as in --shape arg0=8x128
    "#]]
    .assert_eq(&refused("export_symbolic"));
    let mut bytes = file("mlp").to_vec();
    bytes[4] = 7 << 1 | 1;
    expect![[r#"
        byte 4: unsupported: version 7 of MLIR bytecode; versions up to 6 are read
          help: write the file with jax.export, or with stablehlo.serialize_portable_artifact
    "#]]
    .assert_eq(&show(&import_bytes(&bytes).expect_err("a newer version")));
    let artifact = file("mlp").windows(2).position(|w| w == b"v1").expect("a version") + 1;
    let mut bytes = file("mlp").to_vec();
    bytes[artifact] = b'2';
    expect![[r#"
        byte 5: unsupported: a portable artifact of StableHLO_v2.15.0; versions up to 1.x are read
          help: export for an older version of StableHLO
    "#]]
    .assert_eq(&show(&import_bytes(&bytes).expect_err("a newer artifact")));
    expect![[r#"
        byte 238: 719 bytes in a section, but only 359 bytes are left
    "#]]
    .assert_eq(&show(&import_bytes(&file("mlp")[..600]).expect_err("a short file")));
    expect![[r#"
        byte 1: neither MLIR text nor bytecode, and not a whole serialized jax.export.Exported: cut off, or another file
    "#]]
    .assert_eq(&show(&import_bytes(&[1, 0, 0, 0]).expect_err("no file of ours")));
    expect![[r#"
        1:6: byte 5 is not UTF-8: neither text nor MLIR bytecode nor a jax.export file
          help: is this the file that was meant?
    "#]]
    .assert_eq(&show(&import_bytes(b"func \xff").expect_err("no text")));
}

/// Whatever the bytes: an error with a place, or a valid program.
fn exercise(bytes: &[u8]) {
    let _ = census_bytes(bytes);
    let _ = exported(bytes);
    match import_bytes(bytes) {
        Ok(module) => {
            for f in module.functions() {
                f.verify().expect("an imported program is valid");
            }
        }
        Err(diags) => {
            assert!(!diags.is_empty());
            assert!(diags.iter().all(|d| d.pos.is_some()), "a diagnostic without a place: {diags:?}");
        }
    }
}

/// Its sharding names as its mesh the symbol whose name is the sharding.
#[test]
fn an_attribute_inside_itself_is_refused() {
    let bytes = include_bytes!("../portable/sharding_in_its_mesh.mlirbc");
    expect![[r#"
        byte 471: attributes are nested deeper than 200 levels
    "#]]
    .assert_eq(&show(&import_bytes(bytes).expect_err("it has no end")));
    exercise(bytes);
}

#[test]
fn no_truncation_panics() {
    for name in ["sliced_1_0_0", "sliced_0_9_0", "export_sort"] {
        let bytes = file(name);
        // The last bytes of a container are padding.
        let padding = if name.starts_with("export") { 8 } else { 0 };
        for cut in 0..bytes.len() - padding {
            assert!(import_bytes(&bytes[..cut]).is_err(), "{name} cut at {cut}");
            exercise(&bytes[..cut]);
        }
    }
}

#[test]
fn no_changed_byte_panics() {
    let bytes = file("sliced_1_0_0");
    for at in 0..bytes.len() {
        for value in [0, 1, 2, 3, 0x80, 0xff, bytes[at] ^ 2, bytes[at].wrapping_add(2)] {
            let mut changed = bytes.to_vec();
            changed[at] = value;
            exercise(&changed);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 512, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn mutated_files_do_not_panic(
        which in 0..FILES.len(),
        edits in prop::collection::vec((any::<prop::sample::Index>(), 0..5u8, any::<u8>()), 1..6),
    ) {
        let mut bytes = FILES[which].1.to_vec();
        for (at, kind, byte) in edits {
            let at = at.index(bytes.len());
            match kind {
                0 => bytes[at] = byte,
                1 => bytes[at] = bytes[at].wrapping_add(2),
                2 => bytes.insert(at, byte),
                3 => drop(bytes.drain(at..(at + usize::from(byte % 16)).min(bytes.len() - 1))),
                _ => bytes[at] ^= 1 << (byte % 8),
            }
        }
        exercise(&bytes);
    }

    #[test]
    fn arbitrary_bytes_do_not_panic(bytes in prop::collection::vec(any::<u8>(), 0..64)) {
        exercise(&bytes);
        let mut file = b"ML\xefR\x0dStableHLO_v1.0.0\0".to_vec();
        file.extend(&bytes);
        exercise(&file);
        exercise(&[&[8, 0, 0, 0], &bytes[..]].concat());
    }
}
