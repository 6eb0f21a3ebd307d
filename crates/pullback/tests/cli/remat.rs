//! Rematerialized regions in what `grad --explain` says is executed twice.

use crate::run_ok;
use expect_test::expect;
use serde_json::Value as Json;
use std::path::Path;

/// A product and two elementwise ops in a region, then another product.
fn write(dir: &Path) {
    let text = "program @main(%0: f64[16,4] \"x\", %1: f64[4,4] \"w\", %2: f64[4,4] \"u\") {
           %3: f64[16,4] = composite %0, %1 {name = \"block\", rule = remat} (program @block(%0: f64[16,4], %1: f64[4,4]) {
             %2: f64[16,4] = dot_general %0, %1 {contracting_dims = [1] x [0]}
             %3: f64[16,4] = tanh %2 \"t\"
             %4: f64[16,4] = sine %3
             return %4
           })
           %4: f64[16,4] = dot_general %3, %2 {contracting_dims = [1] x [0]}
           %5: f64[16,4] = multiply %4, %4
           %6: f64[] = reduce %5 {dimensions = [0, 1], monoid = add}
           return %6
         }";
    std::fs::write(dir.join("f.ir"), text).unwrap();
}

#[test]
fn marks_are_followed_with_the_reason() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    write(dir);
    let args = ["grad", "f.ir", "--wrt", "1,2", "--explain"];
    expect![[r#"
        f.ir: residuals of the gradient of @main with respect to arg1, arg2

          value      type       bytes  made by                     kept for the pullback of
          x          f64[16,4]    512  argument                    dot_general remat/3
          u          f64[4,4]     128  argument                    dot_general %6
          remat/4/t  f64[16,4]    512  tanh, again (marked remat)  tanh remat/4/t, sine %5
          %5         f64[16,4]    512  sine                        dot_general %6
          %6         f64[16,4]    512  dot_general                 multiply %7

        kept: 1.00 KiB, and 640 bytes of arguments, which are there anyway
        peak live bytes of loss and gradients: 3848 bytes (3.76 KiB), arguments held

        with 2 second executions: 3464 bytes (3.38 KiB); 576 more operations
          @0 dot_general remat/3 f64[16,4] again before @11 cosine %14 f64[16,4] (marked remat)
          @1 tanh remat/4/t f64[16,4] again before @11 cosine %14 f64[16,4] (marked remat)
    "#]]
    .assert_eq(&run_ok(dir, &args));
    let json = |more: &[&str]| -> Json {
        let about: Json =
            serde_json::from_str(&run_ok(dir, &[&args[..], &["--json"], more].concat())).unwrap();
        about["recomputation"].clone()
    };
    let of = |table: &Json, reason: &str| {
        table["again"].as_array().unwrap().iter().filter(|a| a["reason"] == reason).count()
    };
    let free = json(&[]);
    assert_eq!((of(&free, "marked remat"), of(&free, "memory")), (2, 0), "{free}");
    assert_eq!(free["limit"], Json::Null);
    assert!(free["peak_after"].as_u64() < free["peak_before"].as_u64(), "{free}");
    // A limit that the marks alone meet adds nothing; a tighter one keeps to them.
    let peak = free["peak_after"].as_u64().unwrap();
    let met = json(&["--memory", &peak.to_string()]);
    assert_eq!((&met["fits"], &met["again"]), (&true.into(), &free["again"]));
    let tight = json(&["--memory", "0"]);
    assert_eq!((&tight["fits"], of(&tight, "marked remat")), (&false.into(), 2), "{tight}");
}
