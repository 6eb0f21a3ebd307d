//! Composites: operations that a program defines, with what is known of their derivative.
//!
//! A composite is its body, always: a pass replaces it by it ([`crate::pass`], `inline`), evaluators run it. Its rule
//! says what differentiation does instead of looking into the body. Signatures of all programs fit (checked when the
//! op is typed): a rule cannot speak of another function than the body does.

use crate::dtype::{DType, TensorType};
use crate::program::Program;

/// An operation that is defined by a program.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Composite {
    /// What its producer calls it, such as `pullback.stop_gradient`.
    pub name: String,
    /// Which meaning of the name; 0 where nothing is said.
    pub version: i64,
    /// Attributes as text, sorted by name: `axis = 1 : i64, eps = 1.0E-6 : f64`. Nothing reads them but people.
    pub attributes: String,
    /// What it computes.
    pub body: Program,
    /// What differentiation does with it.
    pub rule: Rule,
}

/// What differentiation does with a composite.
///
/// *Differentiable* arguments and results are those of floating-point and complex types.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Rule {
    /// It differentiates the body.
    Decompose,
    /// Results do not change with the arguments.
    StopGradient,
    /// As `Decompose`; values inside had better be computed again than kept.
    Remat,
    /// A reverse rule, as `jax.custom_vjp`.
    CustomVjp {
        /// Arguments to results, then residuals. Runs instead of the body where it is differentiated.
        forward: Program,
        /// Residuals, then a cotangent for each differentiable result, to a cotangent for each differentiable
        /// argument.
        backward: Program,
    },
    /// A forward rule, as `jax.custom_jvp`.
    CustomJvp {
        /// Arguments, then a tangent for each differentiable one, to results, then a tangent for each differentiable
        /// one. Linear in the tangents.
        jvp: Program,
    },
    /// A linear map that only its transpose is known of: residuals, then tangents, to tangents. The body gives NaN.
    /// It stands in linear programs between `linearize` and `transpose`.
    Transpose {
        /// Residuals, then a cotangent for each result, to a cotangent for each tangent.
        backward: Program,
    },
}

impl Rule {
    /// Its name in texts.
    pub fn name(&self) -> &'static str {
        match self {
            Rule::Decompose => "decompose",
            Rule::StopGradient => "stop_gradient",
            Rule::Remat => "remat",
            Rule::CustomVjp { .. } => "custom_vjp",
            Rule::CustomJvp { .. } => "custom_jvp",
            Rule::Transpose { .. } => "transpose",
        }
    }

    /// The programs it names, in the order of texts.
    pub fn programs(&self) -> Vec<&Program> {
        match self {
            Rule::Decompose | Rule::StopGradient | Rule::Remat => Vec::new(),
            Rule::CustomVjp { forward, backward } => vec![forward, backward],
            Rule::CustomJvp { jvp } => vec![jvp],
            Rule::Transpose { backward } => vec![backward],
        }
    }

    /// The rule named so with these programs; `None` where there is none of the name that takes as many.
    pub fn from_parts(name: &str, programs: Vec<Program>) -> Option<Rule> {
        let mut programs = programs.into_iter();
        let rule = match name {
            "decompose" => Rule::Decompose,
            "stop_gradient" => Rule::StopGradient,
            "remat" => Rule::Remat,
            "custom_vjp" => Rule::CustomVjp { forward: programs.next()?, backward: programs.next()? },
            "custom_jvp" => Rule::CustomJvp { jvp: programs.next()? },
            "transpose" => Rule::Transpose { backward: programs.next()? },
            _ => return None,
        };
        programs.next().is_none().then_some(rule)
    }

    /// The same rule with each program replaced by what `f` makes of it.
    pub fn try_map<E>(&self, mut f: impl FnMut(&Program) -> Result<Program, E>) -> Result<Rule, E> {
        Ok(match self {
            Rule::Decompose | Rule::StopGradient | Rule::Remat => self.clone(),
            Rule::CustomVjp { forward, backward } => {
                Rule::CustomVjp { forward: f(forward)?, backward: f(backward)? }
            }
            Rule::CustomJvp { jvp } => Rule::CustomJvp { jvp: f(jvp)? },
            Rule::Transpose { backward } => Rule::Transpose { backward: f(backward)? },
        })
    }
}

impl Composite {
    /// A composite of this name without version and attributes.
    pub fn new(name: impl Into<String>, body: Program, rule: Rule) -> Self {
        Composite { name: name.into(), version: 0, attributes: String::new(), body, rule }
    }

    /// All its programs: the body, then the rule's.
    pub fn programs(&self) -> Vec<&Program> {
        std::iter::once(&self.body).chain(self.rule.programs()).collect()
    }

    /// The same composite with each program replaced by what `f` makes of it.
    pub fn try_map<E>(&self, mut f: impl FnMut(&Program) -> Result<Program, E>) -> Result<Composite, E> {
        let body = f(&self.body)?;
        let rule = self.rule.try_map(f)?;
        let Composite { name, version, attributes, .. } = self;
        Ok(Composite { name: name.clone(), version: *version, attributes: attributes.clone(), body, rule })
    }
}

/// Types of a program's results.
pub(crate) fn result_types(p: &Program) -> Vec<TensorType> {
    p.results().iter().map(|&r| p.ty(r).clone()).collect()
}

/// Those that have tangents.
pub(crate) fn differentiable(types: &[TensorType]) -> Vec<TensorType> {
    types.iter().filter(|t| DType::is_differentiable(t.dtype())).cloned().collect()
}
