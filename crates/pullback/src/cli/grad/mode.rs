//! Which derivative: the program of each composition, and the names of what goes in and comes out.

use super::subject::Subject;
use crate::Error;
use crate::step::{in_source_order, loss_first, simplify};
use pullback_autodiff as ad;
use pullback_base::{Diagnostic, Severity};
use pullback_ir::{Program, TensorType};

/// A derivative.
#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum)]
pub enum Mode {
    /// The loss and its gradients
    ValueAndGrad,
    /// Results and their tangents along given tangents of the arguments
    Jvp,
    /// Results and the arguments' cotangents of given cotangents of the results
    Vjp,
    /// Loss, gradients and the Hessian times given vectors
    Hvp,
    /// Dense Jacobians, by columns
    Jacfwd,
    /// Dense Jacobians, by rows
    Jacrev,
    /// Loss, gradients and the dense Hessian
    Hessian,
}

/// The program of a derivative.
pub struct Derived {
    /// Takes the function's arguments, then `extra`.
    pub program: Program,
    /// Further inputs, by their names in files.
    pub extra: Vec<(String, TensorType)>,
    /// The results' names in files.
    pub names: Vec<String>,
}

impl Mode {
    /// Of one number.
    pub fn is_of_loss(self) -> bool {
        match self {
            Mode::ValueAndGrad | Mode::Hvp | Mode::Hessian => true,
            Mode::Jvp | Mode::Vjp | Mode::Jacfwd | Mode::Jacrev => false,
        }
    }

    /// Differentiates and simplifies.
    pub fn derive(self, s: &Subject) -> Result<Derived, Error> {
        let program = self.program(s).map_err(|e| s.placed(e, |s| self.program(s)))?;
        Ok(Derived { extra: self.extra(s), names: self.names(s), program })
    }

    fn program(self, s: &Subject) -> Result<Program, Error> {
        let program = &s.program;
        let options = &s.options;
        type Derive = fn(&Program, &[usize], &ad::Options) -> Result<Program, ad::AdError>;
        let of_loss = |f: Derive| -> Result<Program, Error> {
            let loss = s.loss()?;
            if program.results().is_empty() {
                return Ok(f(program, &s.wrt, options)?);
            }
            in_source_order(f(&loss_first(program, loss)?, &s.wrt, options)?, loss)
        };
        let derived = match self {
            Mode::ValueAndGrad => of_loss(ad::value_and_grad_with),
            Mode::Hvp => of_loss(ad::hvp_with),
            Mode::Hessian => of_loss(ad::hessian_with),
            Mode::Jvp => ad::jvp(program, &s.wrt).map_err(Error::from),
            Mode::Vjp => ad::vjp_with(program, &s.wrt, options).map_err(Error::from),
            Mode::Jacfwd => ad::jacfwd(program, &s.wrt).map_err(Error::from),
            Mode::Jacrev => ad::jacrev_with(program, &s.wrt, options).map_err(Error::from),
        };
        simplify(&derived?)
    }

    /// Notes on results that have no Jacobian because they are no floating-point numbers; an error where none has one.
    pub fn left_out(self, s: &Subject) -> Result<Vec<Diagnostic>, Error> {
        let asked = match self {
            Mode::Jacfwd | Mode::Jacrev => true,
            Mode::ValueAndGrad | Mode::Jvp | Mode::Vjp | Mode::Hvp | Mode::Hessian => false,
        };
        let (p, moving) = (&s.program, Self::moving(s));
        if asked && moving.is_empty() {
            let message = format!("a Jacobian of {}, which has no floating-point result", p.name());
            let help = "only floating-point results have one; convert what is to be differentiated before it is rounded";
            return Err(s.here(Error::unsupported(message).with_help(help)));
        }
        let out = (0..p.results().len()).filter(|i| asked && !moving.contains(i));
        Ok(out
            .map(|i| {
                let ty = p.ty(p.results()[i]);
                Diagnostic::new(
                    Severity::Note,
                    None,
                    format!(
                        "{} ({ty}) is left out: only floating-point results have a Jacobian",
                        s.results[i]
                    ),
                )
            })
            .collect())
    }

    /// Results that have tangents.
    fn moving(s: &Subject) -> Vec<usize> {
        let p = &s.program;
        (0..p.results().len()).filter(|&i| p.ty(p.results()[i]).dtype().is_differentiable()).collect()
    }

    fn extra(self, s: &Subject) -> Vec<(String, TensorType)> {
        let p = &s.program;
        let per_arg = |kind: &str| -> Vec<(String, TensorType)> {
            s.wrt.iter().map(|&i| (format!("{kind}.{}", s.args[i]), p.ty(p.args()[i]).clone())).collect()
        };
        match self {
            Mode::Jvp => per_arg("tangent"),
            Mode::Hvp => per_arg("vector"),
            Mode::Vjp => Self::moving(s)
                .into_iter()
                .map(|i| (format!("ct.{}", s.results[i]), p.ty(p.results()[i]).clone()))
                .collect(),
            Mode::ValueAndGrad | Mode::Jacfwd | Mode::Jacrev | Mode::Hessian => Vec::new(),
        }
    }

    fn names(self, s: &Subject) -> Vec<String> {
        let mut names = s.results.clone();
        if self.is_of_loss() && s.bound.is_none() {
            names[0] = "loss".to_owned();
        }
        let per_arg =
            |kind: &str| -> Vec<String> { s.wrt.iter().map(|&i| format!("{kind}.{}", s.args[i])).collect() };
        let blocks = |kind: &str, of: Vec<&String>| -> Vec<String> {
            of.iter().flat_map(|r| s.wrt.iter().map(move |&i| format!("{kind}.{r}.{}", s.args[i]))).collect()
        };
        match self {
            Mode::ValueAndGrad | Mode::Vjp => names.extend(per_arg("grad")),
            Mode::Jvp => {
                names.extend(Self::moving(s).into_iter().map(|i| format!("tangent.{}", s.results[i])))
            }
            Mode::Hvp => names.extend([per_arg("grad"), per_arg("hvp")].concat()),
            Mode::Jacfwd | Mode::Jacrev => {
                names.extend(blocks("jac", Self::moving(s).into_iter().map(|i| &s.results[i]).collect()));
            }
            Mode::Hessian => {
                names.extend(per_arg("grad"));
                names.extend(blocks("hessian", s.wrt.iter().map(|&i| &s.args[i]).collect()));
            }
        }
        names
    }
}
