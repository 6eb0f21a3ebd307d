//! Passes: texts before and after (`tests/pass/*.txt`), and random programs that must compute the same bits.
//!
//! A file is a line `pass: NAME`, comments, a program, `----`, and the program after the pass. With
//! `UPDATE_EXPECT=1` in the environment the second is rewritten.

use crate::generate::Gen;
use crate::interpret::{Tensor, run};
use proptest::prelude::*;
use pullback_ir::pass::{self, PASSES, cast_floats, run_pass};
use pullback_ir::text::parse;
use pullback_ir::*;
use std::path::Path;

/// The file as it should be.
fn blessed(name: &str, text: &str) -> String {
    let (before, _) = text.split_once("----\n").unwrap_or((text, ""));
    let (header, program) = before.split_once('\n').unwrap();
    let pass_name = header.strip_prefix("pass: ").unwrap_or_else(|| panic!("{name}: no line `pass: NAME`"));
    let pass = pass::find(pass_name).unwrap_or_else(|| panic!("{name}: no pass {pass_name}"));
    let program = parse(program).unwrap_or_else(|e| panic!("{name}: {e}"));
    let after = run_pass(pass, &program).unwrap_or_else(|e| panic!("{name}: {e}"));
    format!("{}\n----\n{after}", before.trim_end())
}

#[test]
fn before_and_after() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/pass");
    let mut files: Vec<_> = std::fs::read_dir(folder).unwrap().map(|f| f.unwrap().path()).collect();
    files.sort();
    let mut wrong = Vec::new();
    for file in &files {
        let text = std::fs::read_to_string(file).unwrap();
        let want = blessed(&file.display().to_string(), &text);
        if text != want && std::env::var_os("UPDATE_EXPECT").is_some() {
            std::fs::write(file, &want).unwrap();
        } else if text != want {
            wrong.push(format!("{} should be\n{want}", file.display()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    for pass in PASSES {
        let of_pass = |f: &&std::path::PathBuf| {
            std::fs::read_to_string(f).unwrap().starts_with(&format!("pass: {}\n", pass.name))
        };
        assert!(files.iter().filter(of_pass).count() > 0, "{} has no file", pass.name);
    }
}

/// Equal bits; any NaN is as good as another.
fn same(dtype: DType, x: &Tensor, y: &Tensor) -> bool {
    let nan = |e: &[u8]| dtype == DType::F32 && literal::decode_f64(dtype, e).is_nan();
    x.len() == y.len() && x.iter().zip(y).all(|(a, b)| a == b || (nan(a) && nan(b)))
}

/// Instructions, those of regions counted.
fn size(p: &Program) -> usize {
    p.instrs().values().map(|i| 1 + i.op().regions().into_iter().map(size).sum::<usize>()).sum()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, ..ProptestConfig::default() })]

    #[test]
    fn passes_keep_every_bit(seed: u64, n in 1usize..120) {
        let mut gen_ = Gen::computable(seed);
        let p = gen_.program(n);
        let args: Vec<Tensor> = p.args().iter().map(|&v| {
            let l = gen_.literal(p.ty(v));
            (0..p.ty(v).count()).map(|i| l.element(i).to_vec()).collect()
        }).collect();
        let before = run(&p, &args);
        for pass in PASSES {
            let q = run_pass(pass, &p).unwrap();
            for ((x, y), &r) in before.iter().zip(run(&q, &args)).zip(p.results()) {
                if let Some(x) = x {
                    let same = y.as_ref().is_some_and(|y| same(p.ty(r).dtype(), x, y));
                    prop_assert!(same, "{} changed {r}: {x:?} became {y:?}\n{p}\n{q}", pass.name);
                }
            }
        }
    }

    #[test]
    fn simplify_ends_and_shrinks(seed: u64) {
        let p = Gen::any(seed).program(60);
        let q = pass::simplify(&p).unwrap();
        prop_assert!(q.verify().is_ok());
        prop_assert!(size(&q) <= size(&p), "{p}\n{q}");
        prop_assert_eq!(pass::simplify(&q).unwrap(), q);
    }

    #[test]
    fn casts_keep_numbers_and_names(seed: u64) {
        let p = Gen::any(seed).program(40);
        let Ok(q) = cast_floats(&p, DType::F32, DType::F64) else { return Ok(()) };
        prop_assert!(q.verify().is_ok());
        prop_assert_eq!(q.n_values(), p.n_values());
        for v in p.value_ids() {
            let want = match p.ty(v).dtype() {
                DType::F32 => DType::F64,
                DType::C64 => DType::C128,
                d => d,
            };
            prop_assert_eq!(q.ty(v), &p.ty(v).with_dtype(want));
            prop_assert_eq!(q.value_name(v), p.value_name(v));
        }
    }
}

#[test]
fn a_cast_program_keeps_its_constants() {
    let p = parse(
        "program @f(%0: f32[2] \"x\", %1: bf16[]) {
  %2: f32[4] = constant [0.1, -inf, 0x7fc00000, -3.4028235e38]
  %3: f32[2] = iota {iota_dimension = 0}
  %4: f32[] = convert %1
  %5: bf16[2] = convert %0
  return %2, %3, %4, %5
}
",
    )
    .unwrap();
    let wide = cast_floats(&p, DType::F32, DType::F64).unwrap();
    expect_test::expect![[r#"
        program @f(%0: f64[2] "x", %1: bf16[]) {
          %2: f64[4] = constant [0.10000000149011612, -inf, 0x7ff8000000000000, -3.4028234663852886e38]
          %3: f64[2] = iota {iota_dimension = 0}
          %4: f64[] = convert %1
          %5: bf16[2] = convert %0
          return %2, %3, %4, %5
        }
    "#]]
    .assert_eq(&wide.to_string());
    // Back again nothing is lost, and what f32 cannot hold stays finite.
    assert_eq!(cast_floats(&wide, DType::F64, DType::F32).unwrap(), p);
    let p = parse("program @f() { %0: f64[] = constant -1.7976931348623157e308\n return %0 }").unwrap();
    let narrow = cast_floats(&p, DType::F64, DType::F32).unwrap().to_string();
    assert!(narrow.contains("constant -3.4028235e38"), "{narrow}");
    let e = cast_floats(&p, DType::F64, DType::I32).unwrap_err();
    assert!(e.to_string().contains("unsupported"), "{e}");
}

#[test]
fn a_bad_pass_is_named() {
    let p = parse("program @f(%0: f32[] \"x\") { %1: f32[] = negate %0\n return %1 }").unwrap();
    let bad = pass::Pass {
        name: "lossy",
        description: "drops the results",
        run: |p| Ok(Builder::new(p.name()).finish(&[])),
    };
    let e = run_pass(&bad, &p).unwrap_err();
    assert_eq!(e.pass, "lossy");
    assert!(e.to_string().contains("lossy"), "{e}");
}
