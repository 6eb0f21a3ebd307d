//! Texts that are made to be hard on a reader: deep, huge, endless, or cut off. Each is refused with a place and a
//! reason, in memory and time that the text's length bounds.

use crate::{import_ok, main_of, show};
use expect_test::{Expect, expect};
use pullback_base::Diagnostic;
use pullback_stablehlo::{Module, census, import, import_bytes};

fn refused(text: &str) -> Vec<Diagnostic> {
    match import(text) {
        Ok(_) => panic!("this should be refused:\n{}", &text[..text.len().min(1000)]),
        Err(diags) => diags,
    }
}

/// What is said first about each of some texts.
fn check(texts: &[&str], want: Expect) {
    let all: Vec<Diagnostic> = texts.iter().map(|t| refused(t).remove(0)).collect();
    want.assert_eq(&show(&all));
}

/// A function `@main` of `%x: tensor<2xf32>` that returns it after `body`.
fn body(body: &str) -> String {
    main_of("%x: tensor<2xf32>", "tensor<2xf32>", &format!("{body}\n  return %x : tensor<2xf32>"))
}

const DEEP: usize = 100_000;

#[test]
fn brackets_nest_so_deep_and_no_deeper() {
    let nested = |open: &str, middle: &str, close: &str, depth: usize| {
        format!("module attributes {{a = {}{middle}{}}} {{}}", open.repeat(depth), close.repeat(depth))
    };
    for (open, middle, close) in [("[", "0", "]"), ("{a = ", "0", "}"), ("#stablehlo.dot<a = ", "0", ">")] {
        let said = refused(&nested(open, middle, close, DEEP)).remove(0).message;
        assert_eq!(said, "nested deeper than 200 levels", "{open}");
        // Up to the limit only the missing function is wrong.
        let said = refused(&nested(open, middle, close, 150)).remove(0).message;
        assert_eq!(said, "the module has no public function", "{open}");
    }
    // What is not looked into may be as deep as it likes.
    for (open, close) in [("tuple<", ">"), ("<", ">"), ("#a.b<", ">")] {
        let said = refused(&nested(open, "i32", close, DEEP)).remove(0).message;
        assert_eq!(said, "the module has no public function", "{open}");
    }
}

#[test]
fn operations_locations_and_types_nest_so_deep_and_no_deeper() {
    let generic = body(&("  \"a.b\"() ({\n".repeat(DEEP) + &"}) : () -> ()\n".repeat(DEEP)));
    let opaque = body(&("  a.b {\n%y = ".repeat(DEEP) + "a.c" + &"\n}".repeat(DEEP)));
    let callsite = format!("#l = loc({}unknown", "callsite(".repeat(DEEP));
    let fused = format!("#l = loc({}unknown", "fused[".repeat(DEEP));
    let function = body(&format!("  a.b : {}i32", "() -> ".repeat(DEEP)));
    let tensor = format!("func.func @main(%x: {}f32) {{ return }}", "tensor<".repeat(DEEP));
    check(
        &[&generic, &opaque, &callsite, &fused, &function, &tensor],
        expect![[r#"
            201:12: nested deeper than 200 levels
            101:12: nested deeper than 200 levels
            1:1810: nested deeper than 200 levels
            1:1210: nested deeper than 200 levels
            2:3: unsupported: a.b
              help: rewrite the model without this operation
            1:700024: expected '>', found ')'
        "#]],
    );
}

/// Loops in loops, `depth` of them, in the pretty form.
fn loops(depth: usize) -> String {
    let head = |k: usize| {
        format!(
            "%r{k} = stablehlo.while(%i{k} = %c) : tensor<i1>\n cond {{ stablehlo.return %i{k} : tensor<i1> }} do {{\n"
        )
    };
    let open: String = (0..depth).map(head).collect();
    let close: String =
        (0..depth).rev().map(|k| format!("stablehlo.return %c : tensor<i1> }}\n/* {k} */")).collect();
    let close = close.replace("/* ", "// ").replace(" */", "\n");
    body(&format!("  %c = stablehlo.constant dense<true> : tensor<i1>\n{open}{close}"))
}

#[test]
fn loops_nest_so_deep_and_no_deeper() {
    let program = import_ok(&loops(150));
    program.functions()[0].verify().expect("a valid program");
    assert_eq!(import_ok(&pullback_stablehlo::print(&[&program.functions()[0]])).functions().len(), 1);
    check(
        &[&loops(1000)],
        expect![[r#"
        402:7: nested deeper than 200 levels
    "#]],
    );
}

#[test]
fn calls_go_on_as_long_as_they_do_not_grow() {
    let chain = |n: usize| {
        let link = |k: usize| {
            format!(
                "func.func private @f{k}(%x: tensor<2xf32>) -> tensor<2xf32> {{\n  %0 = call @f{}(%x) : (tensor<2xf32>) -> tensor<2xf32>\n  return %0 : tensor<2xf32>\n}}\n",
                k + 1
            )
        };
        let links: String = (0..n).map(link).collect();
        let end = format!(
            "func.func private @f{n}(%x: tensor<2xf32>) -> tensor<2xf32> {{\n  %0 = stablehlo.abs %x : tensor<2xf32>\n  return %0 : tensor<2xf32>\n}}\n"
        );
        body("  %0 = call @f0(%x) : (tensor<2xf32>) -> tensor<2xf32>") + &links + &end
    };
    assert_eq!(import_ok(&chain(10_000)).functions()[0].instrs().len(), 1);
}

/// Functions that each call the next one twice, the last of which is `end`.
fn doubling(n: usize, end: &str) -> String {
    let call = |f: usize, from: &str| format!("call @f{f}({from}) : (tensor<2xf32>) -> tensor<2xf32>");
    let mut text = body(&format!("  %0 = {}", call(0, "%x")));
    for k in 0..n {
        text += &format!(
            "func.func private @f{k}(%x: tensor<2xf32>) -> tensor<2xf32> {{\n  %0 = {}\n  %1 = {}\n  return %1 : tensor<2xf32>\n}}\n",
            call(k + 1, "%x"),
            call(k + 1, "%0")
        );
    }
    text + &format!(
        "func.func private @f{n}(%x: tensor<2xf32>) -> tensor<2xf32> {{\n{end}  return %0 : tensor<2xf32>\n}}\n"
    )
}

#[test]
fn what_doubles_with_every_call_is_refused() {
    let abs = "  %0 = stablehlo.abs %x : tensor<2xf32>\n";
    // The operations of a region count as well.
    let inner = "    %y = stablehlo.add %i, %i : tensor<2xf32>\n";
    let region = format!(
        "  %c = stablehlo.constant dense<false> : tensor<i1>\n  %0 = stablehlo.while(%i = %x) : tensor<2xf32>\n  cond {{ stablehlo.return %c : tensor<i1> }} do {{\n{inner}    stablehlo.return %y : tensor<2xf32>\n  }}\n"
    );
    assert_eq!(import_ok(&doubling(10, abs)).functions()[0].instrs().len(), 1 << 10);
    check(
        &[&doubling(60, abs), &doubling(15, &region)],
        expect![[r#"
        227:8: more than 100000 operations once everything is written out
        6:8: more than 100000 operations once everything is written out
    "#]],
    );
}

#[test]
fn recursion_is_refused_wherever_the_call_stands() {
    let f = |name: &str, inner: &str| {
        format!("func.func private @{name}(%x: tensor<2xf32>) -> tensor<2xf32> {{\n{inner}\n}}\n")
    };
    let call = |name: &str| {
        format!("  %0 = call @{name}(%x) : (tensor<2xf32>) -> tensor<2xf32>\n  return %0 : tensor<2xf32>")
    };
    let start = body("  %0 = call @f(%x) : (tensor<2xf32>) -> tensor<2xf32>");
    let itself = format!("{start}{}", f("f", &call("f")));
    let each_other = format!("{start}{}{}", f("f", &call("g")), f("g", &call("f")));
    let in_region = format!(
        "{start}{}",
        f(
            "f",
            "  %c = stablehlo.constant dense<true> : tensor<i1>\n  %0 = \"stablehlo.if\"(%c) ({\n    %1 = func.call @f(%x) : (tensor<2xf32>) -> tensor<2xf32>\n    stablehlo.return %1 : tensor<2xf32>\n  }, {\n    stablehlo.return %x : tensor<2xf32>\n  }) : (tensor<i1>) -> tensor<2xf32>\n  return %0 : tensor<2xf32>"
        )
    );
    check(
        &[&itself, &each_other, &in_region],
        expect![[r#"
        6:8: recursive call of @f
        10:8: recursive call of @f
        8:10: recursive call of @f
    "#]],
    );
}

#[test]
fn symbols_are_there_once() {
    let twice = body("") + &body("");
    let missing = body("  %0 = call @\"no such\"(%x) : (tensor<2xf32>) -> tensor<2xf32>");
    let composite = body(
        "  %0 = stablehlo.composite \"a.b\" %x {decomposition = @gone} : (tensor<2xf32>) -> tensor<2xf32>",
    );
    check(
        &[&twice, &missing, &composite],
        expect![[r#"
            5:1: @main is defined twice
            2:8: @no such is not defined in this module
            2:8: composite (C2): @gone is not defined in this module
        "#]],
    );
}

#[test]
fn locations_may_point_at_themselves() {
    let text = format!(
        "#loc1 = loc(#loc2)\n#loc2 = loc(#loc1)\n{}",
        body("  %0 = stablehlo.abs %x : tensor<2xf32> loc(#loc1)")
    );
    assert_eq!(import_ok(&text).functions()[0].instrs().len(), 1);
}

#[test]
fn arguments_without_a_name_get_one() {
    let module = import_ok("func.func @f(tensor<2xf32>) {\n  return\n}");
    let printed = pullback_stablehlo::print(&module.functions().iter().collect::<Vec<_>>());
    let again = import_ok(&printed);
    let name = |m: &Module| m.functions()[0].value_name(m.functions()[0].args()[0]).map(str::to_owned);
    assert_eq!((name(&module), name(&again)), (Some("arg0".to_owned()), Some("arg0".to_owned())));
}

#[test]
fn sizes_do_not_wrap_around() {
    let of = |ty: &str| format!("func.func @main(%x: {ty}) {{\n  return\n}}");
    let pad = body(
        "  %c = stablehlo.constant dense<0.0> : tensor<f32>\n  %0 = stablehlo.pad %x, %c, low = [9223372036854775807], high = [9223372036854775807], interior = [9223372036854775807] : (tensor<2xf32>, tensor<f32>) -> tensor<2xf32>",
    );
    let cat = main_of(
        "%x: tensor<40000000000000xi8>",
        "tensor<2xf32>",
        "  %0 = stablehlo.concatenate %x, %x, dim = 0 : (tensor<40000000000000xi8>, tensor<40000000000000xi8>) -> tensor<80000000000000xi8>\n  return %0 : tensor<80000000000000xi8>",
    );
    let window = body(
        "  %c = stablehlo.constant dense<0.0> : tensor<f32>\n  %0 = \"stablehlo.reduce_window\"(%x, %c) <{window_dimensions = array<i64: 9223372036854775807>, base_dilations = array<i64: 0>}> ({\n  ^bb0(%a: tensor<f32>, %b: tensor<f32>):\n    %1 = stablehlo.subtract %a, %b : tensor<f32>\n    stablehlo.return %1 : tensor<f32>\n  }) : (tensor<2xf32>, tensor<f32>) -> tensor<2xf32>",
    );
    let padding = body(
        "  %c = stablehlo.constant dense<0.0> : tensor<f32>\n  %0 = \"stablehlo.reduce_window\"(%x, %c) <{window_dimensions = array<i64: 1>, padding = dense<[[-9223372036854775808, 0]]> : tensor<1x2xi64>}> ({\n  ^bb0(%a: tensor<f32>, %b: tensor<f32>):\n    %1 = stablehlo.add %a, %b : tensor<f32>\n    stablehlo.return %1 : tensor<f32>\n  }) : (tensor<2xf32>, tensor<f32>) -> tensor<2xf32>",
    );
    let slice = body("  %0 = stablehlo.slice %x [0:9223372036854775808] : (tensor<2xf32>) -> tensor<2xf32>");
    check(
        &[
            &of("tensor<9999999999x9999999999xf32>"),
            &of("tensor<0x9999999999x9999999999xf32>"),
            &of("tensor<99999999999999999999999999xi8>"),
            &of(&format!("tensor<{}f32>", "1x".repeat(65))),
            &pad,
            &cat,
            &window,
            &padding,
            &slice,
        ],
        expect![[r#"
            1:21: unsupported: type tensor<9999999999x9999999999xf32>: more than 64 dimensions or 2^46 bytes
              help: check the shape
            1:21: unsupported: type tensor<0x9999999999x9999999999xf32>: more than 64 dimensions or 2^46 bytes
              help: check the shape
            1:21: unsupported: type tensor<99999999999999999999999999xi8>: more than 64 dimensions or 2^46 bytes
              help: check the shape
            1:21: unsupported: type tensor<1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1xf32>: more than 64 dimensions or 2^46 bytes
              help: check the shape
            3:8: pad (C4): padding 9223372036854775807, 9223372036854775807, interior 9223372036854775807 leaves dimension 0 of f32[2] with a size out of range
            2:106: unsupported: type tensor<80000000000000xi8>: more than 64 dimensions or 2^46 bytes
              help: check the shape
            3:8: reduce_window: window_dimensions [9223372036854775807] are not all below 2^31
            3:8: reduce_window: padding -9223372036854775808, 0 of dimension 0 is out of range
            2:30: expected a number below 2^63, found '9223372036854775808'
        "#]],
    );
    let most = import_ok(&of("tensor<70368744177664xi8>"));
    assert_eq!(most.functions()[0].ty(most.functions()[0].args()[0]).bytes(), 1 << 46);
}

#[test]
fn results_are_as_many_as_their_types() {
    let f = |line: &str| body(&format!("  {line}"));
    check(
        &[
            &f("%0:4000000000 = \"a.b\"() : () -> ()"),
            &f("%0:99999999999999999999 = \"a.b\"() : () -> ()"),
            &f("%0:4096 = a.b"),
            &f("%0:0 = \"a.b\"() : () -> ()"),
            &f("%0:2 = stablehlo.abs %x : tensor<2xf32>"),
            &f("%0 = stablehlo.abs %x#4000000000 : tensor<2xf32>"),
            &f("%0 = stablehlo.abs %x#1 : tensor<2xf32>"),
        ],
        expect![[r#"
            2:3: an operation has 1 to 4096 results
            2:3: an operation has 1 to 4096 results
            2:13: 4096 results, but not as many types
            2:3: an operation has 1 to 4096 results
            2:10: stablehlo.abs names 2 result(s) but has 1 result type(s)
            2:22: %x has 1 result(s), there is no #4000000000
            2:22: %x has 1 result(s), there is no #1
        "#]],
    );
}

#[test]
fn long_names_and_lines_are_cut_in_messages() {
    let name = "n".repeat(1 << 20);
    let text = body(&format!("{}%0 = stablehlo.abs %{name} : tensor<2xf32>", " ".repeat(1 << 20)));
    let diags = refused(&text);
    assert_eq!(diags[0].pos.map(|p| (p.line, p.col)), Some((2, (1 << 20) + 20)));
    assert!(diags[0].message.len() < 1000 && diags[0].message.ends_with("is not defined before this use"));
    let bad_type = format!("func.func @main(%x: tensor<2x{name}>) {{ return }}");
    let no_callee = body(&format!("  %0 = call @{name}(%x) : (tensor<2xf32>) -> tensor<2xf32>"));
    let unknown = body(&format!("  %0 = \"a.{name}\"(%x) : (tensor<2xf32>) -> tensor<2xf32>"));
    let element = body(&format!("  %0 = stablehlo.constant dense<{name}> : tensor<2xf32>"));
    for text in [bad_type, no_callee, unknown, element] {
        assert!(refused(&text).iter().all(|d| d.message.len() < 1000));
    }
    // A name is kept whole where it is one.
    let text = format!("func.func @{name}(%x: tensor<2xf32>) {{\n  return\n}}");
    assert_eq!(import_ok(&text).functions()[0].name().len(), 1 << 20);
}

/// Findings and notes are as many as a person reads.
#[test]
fn findings_have_an_end() {
    let lines = |line: &dyn Fn(usize) -> String| body(&(0..5000).map(|k| line(k) + "\n").collect::<String>());
    let unknown = lines(&|k| format!("  %{k} = \"a.b{k}\"(%x) : (tensor<2xf32>) -> tensor<2xf32>"));
    assert_eq!(refused(&unknown).len(), 200);
    assert_eq!(census(&unknown).expect("names are all defined").ops.len(), 5000);
    let undefined = lines(&|k| format!("  %{k} = stablehlo.abs %y{k} : tensor<2xf32>"));
    assert_eq!(refused(&undefined).len(), 100);
    let noted = lines(&|k| {
        format!(
            "  %{k} = stablehlo.composite \"my.c{k}\" %x {{decomposition = @f}} : (tensor<2xf32>) -> tensor<2xf32>"
        )
    });
    let f = "func.func private @f(%x: tensor<2xf32>) -> tensor<2xf32> {\n  return %x : tensor<2xf32>\n}\n";
    assert_eq!(import_ok(&(noted + f)).notes.len(), 200);
}

#[test]
fn what_is_cut_off_is_said_to_be() {
    let f = |end: &str| format!("func.func @main(%x: tensor<2xf32>) {{\n  {end}");
    check(
        &[
            &f(""),
            &f("%0 = stablehlo.abs %x"),
            &f("%0 = stablehlo.constant dense<[1.0, 2.0] : tensor<2xf32>\n  return\n}"),
            &f("%0 = stablehlo.constant dense<\"0x00> : tensor<2xf32>\n  return\n}"),
            &f("%0 = \"stablehlo.abs"),
            &f("%0 = \"stablehlo.abs\"(%x) <{a = \"b"),
            &f("%0 = \"stablehlo.abs\"(%x) <{a = array<i64: 1"),
            &f("%0 = \"stablehlo.abs\"(%x) ({"),
            &f("%0 = a.b ({[<"),
            &f("// a comment"),
            "#loc1 = loc(callsite(\"a\"",
            "module @m attributes {a = [",
            "module {",
            "func.func @main(%x: tensor<2x",
            "func.func @main(%x: tensor<2xf32>",
        ],
        expect![[r#"
            2:3: expected an operation, found the end of the text
              help: the file ends early: was it cut off while being written or copied?
            2:24: expected operands, attributes or ':' of stablehlo.abs, found the end of the text
              help: the file ends early: was it cut off while being written or copied?
            4:1: expected operands, attributes or ':' of stablehlo.constant, found '}'
            2:27: 'dense<' has no closing '>': the text is cut off
            2:8: expected an operation, found a string without a closing quote
            2:34: expected an attribute's value, found a string without a closing quote
            2:39: this bracket is never closed: the text is cut off
            2:30: expected an operation, found the end of the text
              help: the file ends early: was it cut off while being written or copied?
            2:13: this bracket is never closed: the text is cut off
            2:15: expected an operation, found the end of the text
              help: the file ends early: was it cut off while being written or copied?
            1:25: expected 'at' in a call site, found the end of the text
              help: the file ends early: was it cut off while being written or copied?
            1:28: expected an attribute's value, found the end of the text
              help: the file ends early: was it cut off while being written or copied?
            1:9: expected a function (func.func) or the end of the module, found the end of the text
              help: the file ends early: was it cut off while being written or copied?
            1:27: this bracket is never closed: the text is cut off
            1:34: expected ',' between arguments, found the end of the text
              help: the file ends early: was it cut off while being written or copied?
        "#]],
    );
}

#[test]
fn bytes_that_are_no_text_have_a_line() {
    let mut text = body("  // \u{e9}\n").into_bytes();
    let at = text.iter().position(|&b| b == 0xa9).expect("the second byte of the letter");
    text[at] = b'!';
    expect![[r#"
        2:6: byte 66 is not UTF-8: neither text nor MLIR bytecode nor a jax.export file
          help: is this the file that was meant?
    "#]]
    .assert_eq(&show(&import_bytes(&text).expect_err("not UTF-8")));
}

#[test]
fn elements_fit_their_type() {
    let c = |elements: &str, ty: &str| {
        body(&format!("  %0 = stablehlo.constant dense<{elements}> : tensor<{ty}>"))
    };
    check(
        &[
            &c("\"0x0000803F0000\"", "2xf32"),
            &c("\"0x0000803F000\"", "2xf32"),
            &c("\"0x0000803g\"", "1xf32"),
            &c("\"0000803F\"", "1xf32"),
            &c("\"0x00FF00\"", "70368744177664xi1"),
            &c("[1, 2, 3]", "70368744177664xi8"),
            &c("[1, 2, 3]", "2xi8"),
            &c("[[1, 2], [3]]", "2x2xi8"),
            &c("[1, 2", "2xi8"),
            &c("[1 2]", "2xi8"),
            &c("[1,, 2]", "2xi8"),
            &c("[-129, 1]", "2xi8"),
            &c("99999999999999999999", "2xui64"),
            &c("1.0e", "2xf32"),
            &c("1.0", "2xcomplex<f32>"),
            &c("(1.0, 2)", "2xcomplex<f32>"),
            &c("[(1.0, 2.0), (1.0", "2xcomplex<f32>"),
            &c("", "2xf32"),
        ],
        expect![[r#"
            2:33: constant: 6 bytes of data for 2 elements of 4 bytes
            2:33: constant: an odd number of hex digits
            2:33: constant: a digit that is not hexadecimal
            2:33: constant: expected a string "0x..." of hex digits
            2:33: constant: 3 bytes of data for 70368744177664 booleans
            2:41: constant: a list of 3 where dimension 0 is 70368744177664
            2:41: constant: a list of 3 where dimension 0 is 2
            2:44: constant: a list of 1 where dimension 1 is 2
            2:38: constant: a list of elements is not closed
            2:36: constant: expected ',' or ']' in a list of elements
            2:36: constant: '' is not an element of type i8
            2:34: constant: '-129' does not fit i8
            2:33: constant: '99999999999999999999' does not fit ui64
            2:33: constant: '1.0e' is not an element of type f32
            2:33: constant: expected '(': an element of type complex<f32> is (re, im)
            2:39: constant: '2' has no decimal point; write 1.0 for an element of type f32
            2:50: constant: expected ',': an element of type complex<f32> is (re, im)
            2:33: constant: no elements for a tensor of 2
        "#]],
    );
    let text = main_of(
        "",
        "tensor<2xcomplex<f32>>",
        "  %0 = stablehlo.constant dense<[(1.0, -2.5), (0x7FC00000,0.0)]> : tensor<2xcomplex<f32>>\n  return %0 : tensor<2xcomplex<f32>>",
    );
    let literal = &crate::literals(&import_ok(&text).functions()[0])[0];
    let parts: Vec<u32> =
        literal.to_bytes().chunks(4).map(|b| u32::from_le_bytes(b.try_into().expect("four bytes"))).collect();
    assert_eq!(parts, [1.0f32.to_bits(), (-2.5f32).to_bits(), 0x7fc0_0000, 0]);
}

#[test]
fn resources_are_found_at_the_end() {
    let constant = |key: &str| {
        let body = format!(
            "  %0 = stablehlo.constant dense_resource<{key}> : tensor<2xf32>\n  return %0 : tensor<2xf32>"
        );
        main_of("", "tensor<2xf32>", &body)
    };
    let section = "{-#\n  dialect_resources: {\n    builtin: {\n      \"my key\": \"0x040000000000803F00000040\",\n      short: \"0x040000000000803F\",\n      none: \"0x04\"\n    }\n  }\n#-}\n";
    for key in ["\"my key\"", "short"] {
        let literal = &crate::literals(&import_ok(&(constant(key) + section)).functions()[0])[0];
        assert_eq!(literal.element(0), 1f32.to_le_bytes());
        assert_eq!(literal.splat_value(), (key == "short").then_some(1.0));
    }
    let cut = |n: usize| constant("\"my key\"") + &section[..section.len() - n];
    let odd = section.replace("0x040000000000803F00000040", "0x040000000000803F0000004");
    check(
        &[
            &(constant("gone") + section),
            &(constant("none") + section),
            &constant("short"),
            &(constant("\"my key\"") + &odd),
            &cut(90),
            &constant("[]"),
        ],
        expect![[r#"
            2:8: unsupported: dense_resource<gone>: the file does not hold this resource
              help: print the module with its resources, which stand at the end between {-# and #-}
            2:8: unsupported: dense_resource<none>: the file does not hold this resource
              help: print the module with its resources, which stand at the end between {-# and #-}
            2:8: unsupported: dense_resource<short>: the file does not hold this resource
              help: print the module with its resources, which stand at the end between {-# and #-}
            8:28: constant: an odd number of hex digits
            2:8: unsupported: dense_resource<"my key">: the file does not hold this resource
              help: print the module with its resources, which stand at the end between {-# and #-}
            2:42: expected a resource's key, found '['
        "#]],
    );
}
