//! Types of composites and of operators that are not ours; a rule's programs have the signatures that it asks for.

use super::region::{list, results, takes};
use super::{Result, TypeError, ensure};
use crate::dtype::TensorType;
use crate::op::composite::{differentiable, result_types};
use crate::op::{Composite, Custom, CustomFactorKind, Rule};
use crate::program::Program;

pub(super) fn composite(operands: &[&TensorType], c: &Composite) -> Result<Vec<TensorType>> {
    let named = |e: TypeError| TypeError::new(format!("\"{}\": {}", c.name, e.message()));
    typed(operands, c).map_err(named)
}

fn typed(operands: &[&TensorType], c: &Composite) -> Result<Vec<TensorType>> {
    takes("its body", None, &c.body, operands)?;
    let given = results(&c.body);
    ensure!(!given.is_empty(), "its body gives no value");
    let args: Vec<TensorType> = operands.iter().map(|&t| t.clone()).collect();
    match &c.rule {
        Rule::Decompose | Rule::StopGradient | Rule::Remat => {}
        Rule::CustomVjp { forward, backward } => {
            takes("the forward rule", None, forward, operands)?;
            let all = results(forward);
            let own = all.get(..given.len()).unwrap_or(&all);
            ensure!(
                own == given,
                "the forward rule gives {}, which does not begin with the results {}",
                list(&all),
                list(&given)
            );
            let residuals = &all[given.len()..];
            let ins = [residuals, &differentiable(&given)].concat();
            signature("the backward rule", backward, &ins, &differentiable(&args))?;
        }
        Rule::CustomJvp { jvp } => {
            let ins = [&args[..], &differentiable(&args)].concat();
            signature("the forward-mode rule", jvp, &ins, &[&given[..], &differentiable(&given)].concat())?;
        }
        Rule::Transpose { backward } => {
            let outs = result_types(backward);
            let fixed = args.len().checked_sub(outs.len());
            let Some(fixed) = fixed.filter(|&n| args[n..] == outs && differentiable(&outs) == outs) else {
                return Err(TypeError::new(format!(
                    "the transpose gives {}, which are not its last operands",
                    list(&outs)
                )));
            };
            signature("the transpose", backward, &[&args[..fixed], &given].concat(), &outs)?;
        }
    }
    Ok(given)
}

/// A program takes these types and gives those.
fn signature(what: &str, p: &Program, ins: &[TensorType], outs: &[TensorType]) -> Result<()> {
    takes(what, None, p, &ins.iter().collect::<Vec<_>>())?;
    let given = results(p);
    ensure!(given == outs, "{what} gives {}, not {}", list(&given), list(outs));
    Ok(())
}

pub(super) fn custom(operands: &[&TensorType], c: &Custom) -> Result<Vec<TensorType>> {
    let named = |e: TypeError| TypeError::new(format!("\"{}\": {}", c.name, e.message()));
    cut(operands, c).map_err(named)?;
    Ok(c.results.clone())
}

/// Factors are the dimensions they stand for.
fn cut(operands: &[&TensorType], c: &Custom) -> Result<()> {
    let a = &c.access;
    ensure!(!c.results.is_empty(), "gives no value");
    ensure!(
        a.operands.len() == operands.len(),
        "takes {} operand(s), got {}",
        a.operands.len(),
        operands.len()
    );
    ensure!(a.results.len() == c.results.len(), "maps {} result(s) of {}", a.results.len(), c.results.len());
    let size = |f: usize| a.factors.get(f).map(|f| f.size);
    for (i, (map, ty)) in a.operands.iter().zip(operands).enumerate() {
        let fits = map.iter().zip(ty.shape()).all(|(f, &n)| f.is_none_or(|f| size(f) == Some(n)));
        ensure!(fits && map.len() == ty.rank(), "operand {i}, {ty}, is not as its access map says");
    }
    let mut written = vec![false; a.factors.len()];
    for (i, (map, ty)) in a.results.iter().zip(&c.results).enumerate() {
        let fits = map.iter().zip(ty.shape()).all(|(&f, &n)| size(f) == Some(n));
        ensure!(fits && map.len() == ty.rank(), "result {i}, {ty}, is not as its access map says");
        for &f in map {
            ensure!(!written[f], "result {i}: factor {f} stands for two dimensions");
            written[f] = true;
        }
    }
    for (f, (factor, written)) in a.factors.iter().zip(written).enumerate() {
        match factor.kind {
            CustomFactorKind::Pass => {
                ensure!(written && c.results.len() == 1, "factor {f} passes to no single result")
            }
            CustomFactorKind::Reduced(_) => {
                ensure!(!written && c.results.len() == 1, "factor {f} is reduced but a result has it");
            }
            CustomFactorKind::Blocked => {}
        }
    }
    let n = operands.len();
    ensure!(c.linear.iter().flatten().all(|&i| i < n), "a linear set names an operand that is not there");
    Ok(())
}
