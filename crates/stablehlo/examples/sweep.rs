//! scratch
use std::time::Instant;
fn main() {
    for f in std::env::args().skip(1) {
        let text = std::fs::read_to_string(&f).unwrap();
        let t = Instant::now();
        let r = pullback_stablehlo::import(&text);
        let dt = t.elapsed().as_secs_f64();
        match r {
            Ok(m) => {
                let ps: Vec<_> = m.functions().iter().collect();
                for p in &ps { p.verify().unwrap(); }
                let t1 = pullback_stablehlo::print(&ps);
                let m2 = match pullback_stablehlo::import(&t1) { Ok(m) => m, Err(e) => { println!("REIMPORT {f}: {}", e[0]); std::fs::write("/tmp/shl_bad.mlir", &t1).unwrap(); continue; } };
                let p2: Vec<_> = m2.functions().iter().collect();
                let same = m.functions() == m2.functions();
                let t2 = pullback_stablehlo::print(&p2);
                println!("OK {f} fns={} ops={} {:.1}MB/s same={same} idem={}", ps.len(), ps.iter().map(|p| p.instrs().len()).sum::<usize>(), text.len() as f64 / dt / 1e6, t1 == t2);
                for n in &m.notes { println!("    {n}"); }
                if let Ok(d) = std::env::var("OUT") { std::fs::write(format!("{d}/{}", f.replace('/', "_")), t1).unwrap(); }
            }
            Err(e) => {
                let n = e.len();
                println!("REFUSED {f} ({n})");
                let mut seen = std::collections::BTreeSet::new();
                for d in &e { let m = format!("{}", d.message); if seen.insert(m.clone()) { println!("    {:?} {} {m}", d.severity, d.pos.unwrap()); } }
            }
        }
        pullback_stablehlo::census(&text).map_err(|e| println!("census {}", e[0])).ok();
    }
}
