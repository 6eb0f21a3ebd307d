//! Custom calls of LAPACK's routines, as JAX makes them on CPUs, and of what changes no value.

use crate::ops::Issue;
use crate::tree::{Attr, Node};
use pullback_ir::{DType, Lapack, Linalg, MatrixTranspose, Op, TensorType};

type R<T> = Result<T, Issue>;

/// What a target says to the compiler of one operand, and no value depends on.
pub(super) fn changes_nothing(target: &str) -> bool {
    matches!(
        target,
        "Sharding" | "annotate_device_placement" | "xla.sdy.FuncResultSharding" | "LayoutConstraint"
    )
}

/// The routine of a target such as `lapack_sgeqrf_ffi`, without `lapack_`, the letter and `_ffi`, and the element type
/// of the letter.
pub(super) fn routine_of(target: &str) -> Option<(&'static str, Option<DType>)> {
    if target == "tridiagonal_solve_perturbed_ffi" {
        return Some(("tridiagonal_solve_perturbed", None));
    }
    let name = target.strip_prefix("lapack_")?.strip_suffix("_ffi")?;
    let dtype = match name.chars().next()? {
        's' => DType::F32,
        'd' => DType::F64,
        'c' => DType::C64,
        'z' => DType::C128,
        _ => return None,
    };
    const BOTH: [&str; 10] =
        ["geqrf", "geqp3", "getrf", "potrf", "gesdd", "gesvd", "geev", "gees", "gehrd", "gtsv"];
    const REAL: [&str; 4] = ["orgqr", "ormqr", "syevd", "sytrd"];
    const COMPLEX: [&str; 4] = ["ungqr", "unmqr", "heevd", "hetrd"];
    let others = if matches!(dtype, DType::C64 | DType::C128) { COMPLEX } else { REAL };
    let known = BOTH.into_iter().chain(others).chain(["trsm"]);
    known.into_iter().find(|r| *r == &name[1..]).map(|r| (r, Some(dtype)))
}

/// The settings of a call.
struct Config<'n, 'a> {
    target: &'n str,
    entries: &'n [(&'a str, Attr<'a>)],
}

impl Config<'_, '_> {
    fn get(&self, key: &str) -> R<&Attr<'_>> {
        let entry = self.entries.iter().find(|(k, _)| *k == key);
        let missing = || Issue::Error(format!("{} lacks the setting {key}", self.target));
        entry.map(|(_, v)| v).ok_or_else(missing)
    }

    fn number(&self, key: &str) -> R<i64> {
        match self.get(key)? {
            Attr::Int(n) => Ok(*n),
            _ => Err(Issue::Error(format!("{}: {key} is not a number", self.target))),
        }
    }

    fn size(&self, key: &str) -> R<usize> {
        let n = self.number(key)?;
        usize::try_from(n).map_err(|_| Issue::Error(format!("{}: {key} is {n}", self.target)))
    }

    /// The value that stands for the letter of this setting.
    fn letter<T: Copy>(&self, key: &str, known: &[(char, T)]) -> R<T> {
        let code = self.number(key)?;
        let found = known.iter().find(|(c, _)| i64::from(u32::from(*c)) == code);
        found.map(|(_, v)| *v).ok_or_else(|| {
            let letter = u32::try_from(code).ok().and_then(char::from_u32).unwrap_or('?');
            Issue::Unsupported(
                format!("{} with {key} = '{letter}'", self.target),
                "call LAPACK by the functions of jax.numpy.linalg and jax.lax.linalg",
            )
        })
    }

    fn flag(&self, key: &str) -> R<bool> {
        match self.get(key)? {
            Attr::Bool(b) => Ok(*b),
            _ => Err(Issue::Error(format!("{}: {key} is not true or false", self.target))),
        }
    }

    fn lower(&self) -> R<bool> {
        self.letter("uplo", &[('L', true), ('U', false)])
    }

    fn job(&self, key: &str) -> R<bool> {
        self.letter(key, &[('V', true), ('N', false)])
    }
}

/// The op of a call of a routine, given the types of its operands and results. They are checked by inference, save
/// the letter of the target.
pub(super) fn op_of(
    node: &Node<'_>,
    target: &str,
    operands: &[&TensorType],
    results: &[Option<&TensorType>],
) -> R<Op> {
    let Some((routine, dtype)) = routine_of(target) else {
        return Err(Issue::Error(format!("{target} is not a routine of LAPACK")));
    };
    if let (Some(want), Some(first)) = (dtype, operands.first())
        && first.dtype() != want
    {
        return Err(Issue::Error(format!("{target} is for {want}, and is called with {}", first.dtype())));
    }
    let entries = match node.attr(&["mhlo.backend_config"]).or_else(|| node.attr(&["backend_config"])) {
        Some(Attr::Dict(entries)) => &entries[..],
        _ => &[],
    };
    let c = Config { target, entries };
    let lapack = match routine {
        "geqrf" => Lapack::Geqrf,
        "geqp3" => Lapack::Geqp3,
        "orgqr" | "ungqr" => Lapack::Orgqr,
        "ormqr" | "unmqr" => Lapack::Ormqr { left: c.flag("left")?, transpose: c.flag("transpose")? },
        "getrf" => Lapack::Getrf,
        "potrf" => Lapack::Potrf { lower: c.lower()? },
        "syevd" | "heevd" => Lapack::Syevd { lower: c.lower()?, vectors: c.job("mode")? },
        "sytrd" | "hetrd" => Lapack::Sytrd { lower: c.lower()? },
        "gesdd" | "gesvd" => svd(&c, results)?,
        "geev" => Lapack::Geev { left: c.job("compute_left")?, right: c.job("compute_right")? },
        "gees" => {
            c.letter("sort", &[('N', ())])?;
            Lapack::Gees { vectors: c.job("mode")? }
        }
        "gehrd" => Lapack::Gehrd { low: c.size("low")?, high: c.size("high")? },
        "gtsv" => Lapack::Gtsv,
        "trsm" => return triangular_solve(&c),
        _ => Lapack::TridiagonalSolvePerturbed,
    };
    Ok(Op::Linalg(Linalg::Lapack(lapack)))
}

/// Without vectors, the places for them tell which shapes are meant.
fn svd(c: &Config<'_, '_>, results: &[Option<&TensorType>]) -> R<Lapack> {
    let mode = c.letter("mode", &[('A', Some(true)), ('S', Some(false)), ('N', None)])?;
    let square = |k: usize| {
        let shape = results.get(k).copied().flatten().map_or(&[][..], |t| t.shape());
        matches!(shape, [.., m, n] if m == n)
    };
    let full = mode.unwrap_or(square(2) && square(3));
    Ok(Lapack::Gesdd { vectors: mode.is_some(), full })
}

/// trsm is StableHLO's operation in LAPACK's letters.
fn triangular_solve(c: &Config<'_, '_>) -> R<Op> {
    let transposes =
        [('N', MatrixTranspose::No), ('T', MatrixTranspose::Transpose), ('C', MatrixTranspose::Adjoint)];
    Ok(Op::Linalg(Linalg::TriangularSolve {
        left_side: c.letter("side", &[('L', true), ('R', false)])?,
        lower: c.lower()?,
        unit_diagonal: c.letter("diag", &[('U', true), ('N', false)])?,
        transpose: c.letter("trans_x", &transposes)?,
    }))
}
