//! Arguments and results of a function.

use super::{FuncLowering, Slot};
use crate::lexer::{unescape, unescape_name};
use crate::specialize::Given;
use crate::tree::{Node, Ty, WhyNot};
use crate::types::mlir_type;
use pullback_ir::{TensorType, Value};

impl<'a> FuncLowering<'_, 'a, '_> {
    /// Makes the arguments, named so; `given` says what stands for them, where that is not their type as written.
    pub(super) fn args(&mut self, names: Vec<String>, given: &[Given]) {
        for (i, (arg, name)) in self.func.args.iter().zip(names).enumerate() {
            let slot = match given.get(i) {
                Some(Given::Constant(literal)) => Slot::Constant(Box::new((literal.clone(), name))),
                Some(Given::Type(ty)) => Slot::Value(self.b.arg(Some(&name), ty.clone())),
                Some(Given::AsWritten) | None => match self.tensor(&arg.ty) {
                    Some(ty) => Slot::Value(self.b.arg(Some(&name), ty)),
                    None => Slot::Poison,
                },
            };
            self.set(arg.slot, slot);
        }
    }

    /// The location's name, else the SSA name, after the function's in a private one.
    pub(super) fn result_name(&self, node: &Node<'a>, k: u32) -> String {
        if self.positions {
            return crate::places::place_name(self.tree.places.pos(node.at));
        }
        if let Some(name) = self.tree.loc_name(node.loc).filter(|s| !s.is_empty()) {
            return unescape_name(name);
        }
        let (first, names) = &self.names;
        let place = (node.first_result + k).checked_sub(*first);
        let ssa = place.and_then(|p| names.get(p as usize)).copied().unwrap_or("");
        let ssa = unescape_name(ssa);
        if self.func.public { ssa } else { format!("{}/{ssa}", unescape_name(self.func.name)) }
    }

    /// The type, if the IR can hold it; reports it otherwise.
    pub(super) fn tensor(&mut self, ty: &Ty<'a>) -> Option<TensorType> {
        let (text, why, at) = match ty {
            Ty::Tensor(t) => return Some(t.clone()),
            Ty::Tuple { text, at, .. } => (*text, WhyNot::NotTensor, *at),
            Ty::Open(t) => {
                self.error(self.func.at, format!("{t} is open where a shape has to be known"));
                return None;
            }
            Ty::Refused { text, why, at } => (*text, *why, *at),
        };
        self.broken = true;
        let (what, help) = match why {
            WhyNot::Unranked => ("a rank that is not known", "export with jax.export, whose ranks are known"),
            WhyNot::Element if text.contains("!quant.") => (
                "a quantized element type",
                "dequantize before export: compute with the plain type that it stands for",
            ),
            WhyNot::Element => (
                "an element type or encoding that is not one of ours",
                "convert to a plain type such as f32 first",
            ),
            WhyNot::TooLarge => ("more than 64 dimensions or 2^46 bytes", "check the shape"),
            WhyNot::NotTensor => ("not a tensor", "pass tensors only"),
        };
        self.sink.unsupported(at, format!("type {text}: {what}"), help);
        None
    }

    /// The function's results, or `None` after reporting.
    pub(super) fn returns(&mut self, node: &Node<'a>) -> Option<Vec<(Value, Option<String>)>> {
        if let Err(issue) = self.check_operand_types(node) {
            self.issue(node.at, issue);
            return None;
        }
        let func = self.func;
        let mut out = Vec::with_capacity(node.operands.len());
        for u in &node.operands {
            match self.value(*u) {
                Some(v) => out.push((v, None)),
                None => self.broken = true,
            }
        }
        if self.broken {
            return None;
        }
        let Some(declared) = &func.results else { return Some(out) };
        if declared.len() != out.len() {
            let (n, m) = (out.len(), declared.len());
            self.error(node.at, format!("@{} returns {n} value(s) but declares {m}", func.name));
            return None;
        }
        for ((v, name), (ty, info)) in out.iter_mut().zip(declared) {
            let have = self.b.ty(*v).clone();
            match ty.declared() {
                Some(want) if want.admits(&have) => {}
                Some(want) => {
                    let message = format!("@{} returns {}, but declares {want}", func.name, mlir_type(&have));
                    self.error(node.at, message);
                    return None;
                }
                None => {
                    self.tensor(ty);
                    return None;
                }
            }
            *name = info.filter(|s| !s.is_empty()).map(unescape);
        }
        Some(out)
    }
}
