//! Workers collect the turns of loops: in each of two loops over the turns, a part is computed from what is whole,
//! collected over the turns and gathered over the devices.
//!
//! The program reverses a dimension twice, so it gives its argument back; it moves elements of any type. Parts are
//! uneven, interleaved, and some are empty.
#![expect(clippy::unwrap_used, reason = "a test fails where it unwraps")]

use pullback_checker::check;
use pullback_eval::{Tensor, reference};
use pullback_ir::region::{IntervalSet, Region};
use pullback_ir::{Builder, DType, Op, Program, TensorType};
use pullback_plan::{Deployment, Digest, Plan, Strategy, digest::step_digest, text};
use pullback_runtime::exec::{BatchSource, Local};
use std::sync::Arc;

const SHAPE: [usize; 3] = [4, 6, 5];

/// The whole batch, whatever is asked for: it is only loaded whole.
struct Whole(Vec<u8>);

impl BatchSource for Whole {
    fn load(&mut self, _: u64, _: usize, region: &Region, out: &mut [u8]) -> Result<(), String> {
        assert!(region.is_full(&SHAPE));
        out.copy_from_slice(&self.0);
        Ok(())
    }
}

fn program(dtype: DType, dim: usize) -> Program {
    let mut b = Builder::new("step");
    let x = b.arg(Some("x"), TensorType::new(dtype, SHAPE));
    let y = b.push1(Op::Reverse { dims: vec![dim] }, &[x]).unwrap();
    let z = b.push1(Op::Reverse { dims: vec![dim] }, &[y]).unwrap();
    b.finish(&[y, z])
}

/// The indices that the parts with these numbers have; parts 2 and 5, the last turns, have none.
fn set(dim: usize, parts: std::ops::Range<usize>) -> IntervalSet {
    let owner = [0, 3, 1, 0, 4, 1];
    let mine = (0..SHAPE[dim]).filter(|&i| parts.contains(&owner[i]));
    IntervalSet::from_intervals(mine.map(|i| (i, i + 1)))
}

/// A plan whose dimension `dim` is cut over two devices and three turns.
fn plan(step: &Program, dim: usize, strategy: &Strategy, deployment: &Deployment) -> Plan {
    let n = SHAPE[dim];
    let sets = |step: usize| -> String {
        let sets: Vec<String> = (0..6).step_by(step).map(|p| set(dim, p..p + step).to_string()).collect();
        sets.join(" | ")
    };
    let layout = |cut: &str| -> String {
        let dims: Vec<&str> = (0..SHAPE.len()).map(|d| if d == dim { cut } else { "_" }).collect();
        format!("[{}]", dims.join(", "))
    };
    let (turn, device, whole) = (layout("c0"), layout("c1"), layout("_"));
    let dtype = step.ty(step.args()[0]).dtype();
    let bytes = step.ty(step.args()[0]).bytes();
    let mut out = format!(
        "pullback plan 2 identity {{ model {} strategy {} deployment {} step {} }}
        signature {{ batch \"x\" argument 0 output \"y\" result 0 output \"z\" result 1 }}
        mesh {{ axis data space 2 axis micro time 3 @w0 \"a\" at (0, 0) @w1 \"b\" at (1, 0) }}
        cuts {{ c0 = {n} over data, micro: {} c1 = {n} over data: {} }}
        template t0 (%0) -> (%1) scratch 0 {{ @0 {turn} }}
        template t1 (%1) -> (%2) scratch 0 {{ @1 {turn} }}\n",
        Digest::of(b"model"),
        strategy.digest(),
        deployment.digest(),
        step_digest(step),
        sets(1),
        sets(3),
    );
    for (k, value) in ["%1", "%2"].iter().enumerate() {
        out += &format!(
            "collective k{k} all_gather add {} over data chunk 64 {{ group (@w0, @w1) item {value} {device} -> {whole} }}\n",
            dtype.name()
        );
    }
    let buffers = [
        ("%0", &whole),
        ("%1", &turn),
        ("%1", &device),
        ("%1", &whole),
        ("%2", &turn),
        ("%2", &device),
        ("%2", &whole),
    ];
    for d in 0..2 {
        out += &format!("device @w{d} arena {} {{\n", buffers.len() * 2048);
        for (b, (value, layout)) in buffers.iter().enumerate() {
            out += &format!("b{b}: {value} {layout} at {} bytes {bytes}\n", b * 2048);
        }
        out += "entry ()
            loop micro { load 0 -> b0 compute t0 (b0) -> (b1) collect b1 -> b2 over micro free b1 }
            collective k0 (b2) -> (b3)
            loop micro { compute t1 (b3) -> (b4) collect b4 -> b5 over micro }
            collective k1 (b5) -> (b6)\n";
        out += &format!("output {d} {} commit () }}\n", ["b3", "b6"][d]);
    }
    text::parse(&(out + "certificate \"exact\" { }")).unwrap()
}

fn runs(dtype: DType, dim: usize, kind: &str) {
    let step = program(dtype, dim);
    let strategy = Strategy::parse(
        "version = 1\n[[axis]]\nname = 'data'\nkind = 'space'\nsize = 2\n[[axis]]\nname = 'micro'\nkind = 'time'\nsize = 3\n",
    )
    .unwrap();
    let device = |name: &str| format!("[[device]]\nname = '{name}'\nkind = '{kind}'\nmemory_mib = 1\n");
    let deployment = Deployment::parse(&format!("version = 1\n{}{}", device("a"), device("b"))).unwrap();
    let plan = plan(&step, dim, &strategy, &deployment);
    let checked = check(&step, &strategy, &deployment, plan).unwrap_or_else(|found| {
        panic!("{}", found.iter().map(|v| format!("{v}\n")).collect::<String>());
    });
    let ty = step.ty(step.args()[0]).clone();
    let values: Vec<f64> =
        (0..ty.count()).map(|i| (i % if dtype == DType::Bool { 2 } else { 8 }) as f64).collect();
    let x = Tensor::from_f64s(ty, &values).unwrap();
    let want = reference::eval(&step, std::slice::from_ref(&x)).unwrap();
    let batch = || Box::new(Whole(x.bytes().to_vec())) as Box<dyn BatchSource>;
    let mut local =
        Local::new(&Arc::new(checked), &Arc::new(step), &deployment, &batch, &|_, _| Vec::new()).unwrap();
    for _ in 0..2 {
        let reports = local.step().unwrap();
        let got: Vec<&(usize, Vec<u8>)> = reports.iter().flat_map(|r| &r.outputs).collect();
        assert_eq!(got.len(), 2);
        for (slot, bytes) in got {
            assert_eq!(bytes, want[*slot].bytes(), "{dtype} cut on {dim}, {kind}: output {slot}");
        }
        assert_eq!(want[1].bytes(), x.bytes());
    }
}

#[test]
fn turns_are_laid_into_their_places() {
    // Elements of 1, 2, 4, 8 and 16 bytes.
    let types = [
        DType::Bool,
        DType::I4,
        DType::U8,
        DType::F8E4M3FN,
        DType::BF16,
        DType::I16,
        DType::F32,
        DType::U32,
        DType::F64,
        DType::C64,
        DType::C128,
    ];
    for dtype in types {
        for dim in 0..SHAPE.len() {
            for kind in ["cpu", "reference"] {
                runs(dtype, dim, kind);
            }
        }
    }
}
