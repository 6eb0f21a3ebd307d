//! Round trips, canonical form, bad texts.

use crate::generate;
use proptest::prelude::*;
use pullback_plan::text::{parse, print};
use pullback_plan::{Digest, Plan};

pub const SAMPLE: &str = include_str!("sample.plan");

/// Bytes that mean something.
const TOKENS: &[u8] = b" \n;\"\\{}()[]|,.+_%@0123456789btckw->";

pub fn sample() -> Plan {
    parse(SAMPLE).unwrap()
}

#[test]
fn canonical_text_is_a_fixpoint() {
    assert_eq!(print(&sample()), SAMPLE);
    assert_eq!(sample().digest(), Digest::of(SAMPLE.as_bytes()));
}

#[test]
fn comments_and_spacing_change_nothing() {
    let noisy: String =
        SAMPLE.lines().map(|l| format!("\n   {l}   ; a note }} \" {{\n\t; another\r\n")).collect();
    assert_eq!(parse(&noisy).unwrap(), sample());
    let (plan, certificate) = SAMPLE.split_once("certificate").unwrap();
    let loose = plan.replace(", ", " ,\n").replace("c0 = 12", "c0=12").replace(" -> ", "->");
    let loose = format!("{loose}certificate{certificate}");
    assert_eq!(parse(&loose).unwrap().digest(), sample().digest());
}

#[test]
fn every_field_is_part_of_the_digest() {
    let mut seen = vec![sample().digest()];
    for (from, to) in [
        ("model ccca", "model dcca"),
        ("step 7f58", "step 7f59"),
        ("state \"param.w\"", "state \"param.v\""),
        ("argument 2", "argument 3"),
        ("axis micro time 2", "axis turns time 2"),
        ("\"fast\"", "\"quick\""),
        ("0..4 | 4..8", "0..3 | 3..8"),
        ("-> (%6, %10) scratch 128", "-> (%6, %10) scratch 64"),
        ("@4 [_, _, c0]", "@4 [_, c0, _]"),
        ("add f32", "maximum f32"),
        ("chunk 262144", "chunk 64"),
        ("group (@w0, @w1)", "group (@w1, @w0)"),
        ("arena 448", "arena 512"),
        ("at 384 bytes 4", "at 320 bytes 4"),
        ("entry (b0)", "entry (b1)"),
        ("load 1", "load 0"),
        ("free b2", ""),
        ("output 0 b7", "output 0 b5"),
        ("commit (b9)", "commit (b0)"),
        ("\"floating-point reassociation\"", "\"exact\""),
        ("spans the 2", "spans both"),
    ] {
        let text = SAMPLE.replacen(from, to, 1);
        // A renamed axis is renamed everywhere.
        let text = if from.starts_with("axis") { text.replace("micro", "turns") } else { text };
        let digest = parse(&text).unwrap_or_else(|e| panic!("{from} -> {to}: {e}")).digest();
        assert!(!seen.contains(&digest), "{from} -> {to}");
        seen.push(digest);
    }
}

/// The error for the sample with one edit, as a person sees it.
fn error(from: &str, to: &str) -> String {
    assert!(SAMPLE.contains(from), "{from}");
    parse(&SAMPLE.replacen(from, to, 1)).unwrap_err().to_string()
}

#[test]
fn bad_texts_say_where_and_what() {
    let mut all = String::new();
    for (from, to) in [
        ("pullback plan 2", "program @main() {"),
        ("pullback plan 2", "pullback plan 3"),
        ("model ccca", "model xyz"),
        ("signature {", "{"),
        ("argument 1", "argument one"),
        ("argument 1", "argument 99999999999999999999999"),
        ("axis micro time", "axis data time"),
        ("micro time 2", "micro time 0"),
        ("micro time 2", "micro sometimes 2"),
        ("\"slow\" at (1, 0)", "\"slow\" at (0, 1)"),
        ("axis data space 2", "axis data space 3"),
        ("c0 = 12", "c1 = 12"),
        ("over data, micro:", "over data, turns:"),
        ("4..8 |", "8..4 |"),
        ("template t0", "template t1"),
        ("[_, _, c0]", "[_ _ c0]"),
        ("all_reduce add", "all_to_all add"),
        ("add f32", "add f31"),
        ("add f32", "sum f32"),
        ("chunk 262144", ""),
        ("b1: %1", "b2: %1"),
        ("entry (b0)", ""),
        ("load 0 -> b1", "load 0 b1"),
        ("load 0 -> b1", "send b1"),
        ("free b1", "free b4294967296"),
        ("reason \"data\"", "reason \"data"),
        ("\"data\" \"spans", "\"data\" \"\\q"),
        ("certificate", "device @w3 arena 0 {}\ncertificate"),
    ] {
        all += &format!("{from} => {to}\n{}\n", error(from, to));
    }
    all += &format!("cut off\n{}\n", parse(&SAMPLE[..SAMPLE.len() / 2]).unwrap_err());
    all += &format!("and more\n{}\n", parse(&format!("{SAMPLE}more")).unwrap_err());
    expect_test::expect_file!["bad_texts.txt"].assert_eq(&all);
}

#[test]
fn loops_nest_at_most_eight_deep() {
    let nested = |n: usize| {
        let body = format!("{}free b1{}", "loop micro { ".repeat(n), " }".repeat(n));
        parse(&SAMPLE.replacen("free b1", &body, 1))
    };
    assert!(nested(7).is_ok());
    let e = nested(8).unwrap_err().to_string();
    assert!(e.contains("unsupported: loops nested more than 8 deep"), "{e}");
    assert!(nested(100_000).is_err());
}

#[test]
fn meshes_are_bounded() {
    let e = error("axis micro time 2", "axis micro time 65537");
    assert!(e.contains("not 1 to 65536"), "{e}");
    let many: String = (0..3).map(|i| format!("axis a{i} time 65536 ")).collect();
    let e = error("axis micro time 2", &many);
    assert!(e.contains("unsupported: more than"), "{e}");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 512, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn random_plans_round_trip(seed: u64) {
        let plan = generate::plan(seed);
        let text = print(&plan);
        match parse(&text) {
            Ok(again) => {
                prop_assert_eq!(&again, &plan);
                prop_assert_eq!(print(&again), text);
            }
            Err(e) => prop_assert!(false, "{}\n{}", e, text),
        }
    }

    /// What still parses after random edits prints to a fixpoint; nothing panics.
    #[test]
    fn mutated_texts_never_panic(
        seed: u64,
        use_sample: bool,
        edits in prop::collection::vec((0usize..100_000, 0u8..4, any::<u8>(), 0usize..40), 1..6),
    ) {
        let mut bytes = if use_sample { SAMPLE.to_owned() } else { print(&generate::plan(seed)) }.into_bytes();
        for (at, kind, byte, len) in edits {
            let at = at % bytes.len();
            let end = (at + len).min(bytes.len());
            match kind {
                0 => bytes[at] = TOKENS[usize::from(byte) % TOKENS.len()],
                1 => bytes[at] = byte,
                2 => drop(bytes.drain(at..end)),
                _ => {
                    let copy = bytes[at..end].to_vec();
                    let to = usize::from(byte) * 31 % bytes.len();
                    bytes.splice(to..to, copy);
                }
            }
            if bytes.is_empty() {
                bytes.push(b'p');
            }
        }
        if let Ok(plan) = parse(&String::from_utf8_lossy(&bytes)) {
            let text = print(&plan);
            let again = parse(&text);
            prop_assert_eq!(again.as_ref(), Ok(&plan));
            prop_assert_eq!(print(&plan), text);
        }
    }
}
