//! Second executions: the table is followed by a small interpreter that frees and recomputes, whose values and memory
//! must be those of the program and of the table; exact choices against greedy ones; and what is kept, explained.

use crate::common::*;
use pullback_autodiff::recompute::{
    Recomputation, Request, forward_part, recompute, recompute_greedily, regions,
};
use pullback_autodiff::{Options, residuals, value_and_grad};
use pullback_base::Id as _;
use pullback_base::rng::CounterRng;
use pullback_eval::{Tensor, reference};
use pullback_ir::count::peak_live;
use pullback_ir::pass::{find, run_pass};
use pullback_ir::{Builder, DotDims, InstrId, Monoid, Op, Program, UnaryOp, Value};
use std::collections::BTreeMap;

/// One instruction on tensors.
fn execute(p: &Program, id: InstrId, values: &BTreeMap<Value, Tensor>) -> Vec<Tensor> {
    let instr = p.instr(id);
    let mut b = Builder::new("one");
    let args: Vec<Value> = instr.operands().iter().map(|&v| b.arg(None, p.ty(v).clone())).collect();
    let results = b.push(instr.op().clone(), &args).unwrap();
    let operands: Vec<Tensor> = instr.operands().iter().map(|v| values[v].clone()).collect();
    reference::eval(&b.finish(&results), &operands).unwrap()
}

/// Follows the table: results, and most bytes held at once.
fn follow(p: &Program, table: &Recomputation, args: &[Tensor]) -> (Vec<Tensor>, u64) {
    let mut steps = Vec::new();
    for id in p.instrs().ids() {
        steps.extend(table.again.iter().filter(|a| a.before == id).map(|a| a.instr));
        steps.push(id);
    }
    let mut values: BTreeMap<Value, Tensor> = p.args().iter().copied().zip(args.iter().cloned()).collect();
    let mut peak = 0;
    for (at, &id) in steps.iter().enumerate() {
        for (&r, t) in p.instr(id).results().iter().zip(execute(p, id, &values)) {
            values.insert(r, t);
        }
        peak = peak.max(values.values().map(|t| t.bytes().len() as u64).sum());
        // A value goes when the next step about it defines it, or none is.
        let next = |v: Value| {
            let about = steps[at + 1..]
                .iter()
                .find(|&&s| p.instr(s).operands().contains(&v) || p.instr(s).results().contains(&v));
            about.map(|&s| p.instr(s).operands().contains(&v))
        };
        values.retain(|&v, _| p.args().contains(&v) || next(v).unwrap_or_else(|| p.results().contains(&v)));
    }
    (p.results().iter().map(|v| values[v].clone()).collect(), peak)
}

fn checked(p: &Program, table: &Recomputation, limit: u64) {
    let args: Vec<Tensor> =
        p.args().iter().enumerate().map(|(i, &a)| random(p.ty(a), &format!("a{i}"), -1.0, 1.0)).collect();
    let (results, peak) = follow(p, table, &args);
    assert_eq!(peak, table.peak_after, "{p}\n{table:?}");
    assert_eq!(table.peak_before, peak_live(p).args_held);
    assert_eq!(table.fits, peak <= limit);
    for (a, b) in results.iter().zip(eval(p, &args)) {
        assert_eq!(a, &b);
    }
    for (k, a) in table.again.iter().enumerate() {
        assert!(table.again[..k].iter().all(|b| b.instr != a.instr), "twice at most");
    }
}

fn gradient(p: &Program) -> Program {
    let wrt: Vec<usize> = (0..p.args().len()).collect();
    run_pass(find("simplify").unwrap(), &value_and_grad(p, &wrt).unwrap()).unwrap()
}

/// A loss of random unary and binary ops and products on small matrices.
fn random_loss(seed: u64, ops: usize) -> Program {
    let rng = CounterRng::new(seed, "loss");
    let mut b = Builder::new("main");
    let ty = f64s(&[2, 2]);
    let mut pool = vec![b.arg(Some("w"), ty.clone()), b.arg(Some("x"), ty.clone())];
    for i in 0..ops as u64 {
        let x = pool[pool.len() - 1];
        let y = pool[rng.below(4 * i, pool.len() as u64) as usize];
        let dims = DotDims { lhs_contract: vec![1], rhs_contract: vec![0], ..DotDims::default() };
        pool.push(match rng.below(4 * i + 1, 5) {
            0 => b.unary(UnaryOp::Sine, x).unwrap(),
            1 => b.unary(UnaryOp::Tanh, y).unwrap(),
            2 => b.mul(x, y).unwrap(),
            3 => b.dot(x, y, dims).unwrap(),
            _ => b.add(x, y).unwrap(),
        });
    }
    let mut sum = b.reduce(pool[pool.len() - 1], &[0, 1], Monoid::Add).unwrap();
    let other = b.reduce(pool[pool.len() / 2], &[0, 1], Monoid::Add).unwrap();
    sum = b.mul(sum, other).unwrap();
    b.finish(&[sum])
}

#[test]
fn tables_are_what_they_claim() {
    let (mut helped, mut cheaper) = (0, 0);
    for seed in 0..30 {
        let p = gradient(&random_loss(seed, 3 + seed as usize % 7));
        let forward = forward_part(&p, 0);
        let all = peak_live(&p).args_held;
        for limit in [all, all - 32, all - 96, all * 3 / 4, all / 2] {
            let request = Request { program: &p, forward, limit, must: &[] };
            let (best, greedy) = (recompute(&request), recompute_greedily(&request));
            checked(&p, &best, limit);
            checked(&p, &greedy, limit);
            for table in [&best, &greedy] {
                assert!(table.peak_after <= table.peak_before, "never worse than keeping all");
            }
            if limit == all {
                assert!(best.again.is_empty() && greedy.again.is_empty(), "what fits is kept");
            }
            assert!(best.fits || !greedy.fits);
            if greedy.fits {
                assert!(dear(&p, &best) <= dear(&p, &greedy), "{seed} {limit}");
                cheaper += usize::from(best.extra_flops < greedy.extra_flops);
            } else if !best.fits {
                assert!(best.peak_after <= greedy.peak_after);
            }
            helped += usize::from(limit < all && greedy.fits);
        }
    }
    assert!(helped > 20, "{helped} limits below the peak were met, {cheaper} better exactly");
}

fn dear(p: &Program, table: &Recomputation) -> usize {
    table.again.iter().filter(|a| matches!(p.instr(a.instr).op(), Op::DotGeneral(_))).count()
}

/// exp(tanh(x w) * w2) of wide layers: elementwise ops go first, products only when nothing else is left.
fn layers(depth: usize, n: usize) -> Program {
    let mut b = Builder::new("main");
    let mut h = b.arg(Some("x"), f64s(&[n, n]));
    for i in 0..depth {
        let w = b.arg(Some(&format!("w{i}")), f64s(&[n, n]));
        let dims = DotDims { lhs_contract: vec![1], rhs_contract: vec![0], ..DotDims::default() };
        let y = b.dot(h, w, dims).unwrap();
        let s = b.unary(UnaryOp::Sine, y).unwrap();
        let e = b.unary(UnaryOp::Exponential, s).unwrap();
        h = b.mul(e, s).unwrap();
    }
    let loss = b.reduce(h, &[0, 1], Monoid::Add).unwrap();
    b.finish(&[loss])
}

#[test]
fn products_are_recomputed_last() {
    let p = gradient(&layers(6, 8));
    let forward = forward_part(&p, 0);
    let all = peak_live(&p).args_held;
    let solve = |limit: u64, must: &[InstrId]| {
        let table = recompute(&Request { program: &p, forward, limit, must });
        checked(&p, &table, limit);
        table
    };
    let least = solve(0, &[]);
    assert!(!least.fits && least.peak_after < all * 3 / 4, "{} of {all}", least.peak_after);
    let mut dears = Vec::new();
    let mut flops = Vec::new();
    for k in 0..=4 {
        let table = solve(least.peak_after + (all - least.peak_after) * k / 4, &[]);
        assert!(table.fits, "{k}");
        dears.push(dear(&p, &table));
        flops.push(table.extra_flops);
    }
    assert!(dears.is_sorted_by(|a, b| a >= b) && dears[4] == 0 && flops[4] == 0, "{dears:?} {flops:?}");
    let cheap = solve(all * 9 / 10, &[]);
    assert_eq!(dear(&p, &cheap), 0, "a limit that elementwise ops meet");
    assert!(cheap.fits && cheap.extra_flops > 0);
    // A mark is followed even where there is room.
    let sine = p.instrs().iter().find(|(_, i)| matches!(i.op(), Op::Unary(UnaryOp::Sine))).unwrap().0;
    let marked = solve(u64::MAX, &[sine]);
    assert_eq!(marked.again.iter().map(|a| a.instr).collect::<Vec<_>>(), [sine]);
}

#[test]
fn residuals_say_for_whom_they_are_kept() {
    let mut b = Builder::new("main");
    let (w, x) = (b.arg(Some("w"), f64s(&[3, 3])), b.arg(Some("x"), f64s(&[3, 3])));
    let dims = DotDims { lhs_contract: vec![1], rhs_contract: vec![0], ..DotDims::default() };
    let y = b.dot(x, w, dims).unwrap();
    b.name(y, "hidden");
    let t = b.unary(UnaryOp::Tanh, y).unwrap();
    let s = b.mul(t, t).unwrap();
    let loss = b.reduce(s, &[0, 1], Monoid::Add).unwrap();
    let p = b.finish(&[loss]);
    let kept: Vec<String> = residuals(&p, &[0], &Options::default())
        .unwrap()
        .iter()
        .map(|r| {
            let readers: Vec<String> = r.readers.iter().map(|(op, v)| format!("{op} {v}")).collect();
            format!("{:?} {} {:?}: {}", r.name, r.ty, r.op, readers.join(", "))
        })
        .collect();
    expect_test::expect![[r#"
        Some("x") f64[3,3] None: dot_general hidden
        Some("%3") f64[3,3] Some("tanh"): tanh %3, multiply %4"#]]
    .assert_eq(&kept.join("\n"));
}

/// Two layers of `layers`, each in a rematerialized region, and a loss that is not the last thing computed.
fn blocks() -> Program {
    let dot = "{contracting_dims = [1] x [0]}";
    let block = format!(
        "(program @block(%0: f64[4,4], %1: f64[4,4]) {{
           %2: f64[4,4] = dot_general %0, %1 {dot}
           %3: f64[4,4] = sine %2 \"same\"
           %4: f64[4,4] = multiply %3, %0 \"same\"
           return %4
         }})"
    );
    pullback_ir::text::parse(&format!(
        "program @main(%0: f64[4,4] \"x\", %1: f64[4,4] \"w\") {{
           %2: f64[4,4] = composite %0, %1 {{name = \"block\", rule = remat}} {block}
           %3: f64[4,4] = tanh %2
           %4: f64[4,4] = composite %3, %1 {{name = \"block\", rule = remat}} {block}
           %5: f64[] = reduce %4 {{dimensions = [0, 1], monoid = add}}
           %6: f64[4,4] = exponential %2
           return %5, %6
         }}"
    ))
    .unwrap()
}

#[test]
fn marked_regions_are_found_in_what_became_of_them() {
    let p = blocks();
    let marked = regions(&p).unwrap().unwrap();
    assert_eq!(marked.names.len(), 4, "{:?}", marked.names);
    let plain = value_and_grad(&p, &[0, 1]).unwrap();
    let named = value_and_grad(&marked.program, &[0, 1]).unwrap();
    assert_eq!(named.instrs().len(), plain.instrs().len());
    for passes in [&[][..], &["simplify"], &["simplify", "schedule"]] {
        let gradient =
            passes.iter().fold(named.clone(), |p, name| run_pass(find(name).unwrap(), &p).unwrap());
        let forward = forward_part(&gradient, 0);
        let must = marked.instructions(&gradient, 2, forward);
        let table = recompute(&Request { program: &gradient, forward, limit: u64::MAX, must: &must });
        checked(&gradient, &table, u64::MAX);
        // Both products, both sines; what leaves a region is kept, and so is what is outside.
        let again: Vec<&str> = table.again.iter().map(|a| gradient.instr(a.instr).op().name()).collect();
        let count = |op: &str| again.iter().filter(|o| **o == op).count();
        assert_eq!((count("dot_general"), count("sine")), (2, 2), "{again:?} {passes:?}");
        assert!(count("tanh") == 0 && count("exponential") == 0, "{again:?}");
        assert!(table.again.iter().all(|a| must.contains(&a.instr)));
    }
    assert!(regions(&marked.program).unwrap().is_none());
}

#[test]
fn the_forward_part_ends_at_the_loss_in_any_order() {
    for seed in 0..6 {
        let gradient = gradient(&random_loss(seed, 5));
        let scheduled = run_pass(find("schedule").unwrap(), &gradient).unwrap();
        let forward = forward_part(&scheduled, 0);
        let all = peak_live(&scheduled).args_held;
        for limit in [all, all * 3 / 4, 0] {
            let table = recompute(&Request { program: &scheduled, forward, limit, must: &[] });
            checked(&scheduled, &table, limit);
            assert!(limit < all || table.again.is_empty());
            assert!(table.again.iter().all(|a| a.instr.index() < forward && a.before.index() >= forward));
        }
    }
}
