//! A program's file: StableHLO text or the IR's own text, told apart by the first word.
//!
//! Every finding names the file. Bytecode is refused by name.

use crate::error::Error;
use crate::files;
use pullback_base::Diagnostic;
use pullback_ir::Program;
use std::path::Path;

/// Which text a file holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Form {
    /// StableHLO as MLIR text.
    StableHlo,
    /// The IR's text form.
    Ir,
}

/// A file's text, not yet understood.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Source {
    /// The file's name as given.
    pub file: String,
    /// Its text.
    pub text: String,
    /// What it is written in.
    pub form: Form,
}

/// The programs of a file.
#[derive(Clone, Debug)]
pub struct Loaded {
    /// The file's name as given.
    pub file: String,
    /// The module's name.
    pub name: String,
    /// Public functions, in the file's order.
    pub functions: Vec<Program>,
    /// What the person should know.
    pub notes: Vec<Diagnostic>,
}

impl Source {
    /// Reads a file.
    pub fn read(path: &Path) -> Result<Self, Error> {
        let file = path.display().to_string();
        let bytes = files::read(path)?;
        if bytes.starts_with(b"ML\xefR") {
            return Err(Error::unsupported("MLIR bytecode")
                .with_help("export text: in JAX, lowered.as_text(debug_info=True)")
                .in_file(file));
        }
        let text = files::text_of(path, bytes)?;
        let form = form_of(&text);
        Ok(Self { file, text, form })
    }

    /// The public functions.
    pub fn load(&self) -> Result<Loaded, Error> {
        let named = |d: Diagnostic| d.in_file(&self.file);
        let (name, functions, notes) = match self.form {
            Form::Ir => {
                let program = pullback_ir::text::parse(&self.text).map_err(named)?;
                (program.name().to_owned(), vec![program], Vec::new())
            }
            Form::StableHlo => {
                let module = pullback_stablehlo::import(&self.text)
                    .map_err(|ds| Error::from(ds.into_iter().map(named).collect::<Vec<_>>()))?;
                let notes = module.notes.iter().cloned().map(named).collect();
                (module.name.clone(), module.into_functions(), notes)
            }
        };
        Ok(Loaded { file: self.file.clone(), name, functions, notes })
    }
}

/// Reads a file's public functions.
pub fn load(path: &Path) -> Result<Loaded, Error> {
    Source::read(path)?.load()
}

impl Loaded {
    /// The public function named so.
    pub fn function(&self, name: &str) -> Result<&Program, Error> {
        self.functions.iter().find(|f| f.name() == name).ok_or_else(|| {
            let names: Vec<&str> = self.functions.iter().map(Program::name).collect();
            Error::new(format!("there is no public function {name:?}"))
                .with_help(format!("the public functions are: {}", names.join(", ")))
                .in_file(&self.file)
        })
    }

    /// The function named so; without a name `main`, or the only one.
    pub fn chosen(&self, name: Option<&str>) -> Result<&Program, Error> {
        match (name, self.functions.as_slice()) {
            (None, [only]) => Ok(only),
            (None, _) => self.function("main"),
            (Some(name), _) => self.function(name),
        }
    }
}

/// `#` begins a comment in IR text and an alias in MLIR; neither decides.
fn form_of(text: &str) -> Form {
    let first = text.lines().map(str::trim_start).find(|l| !l.is_empty() && !l.starts_with('#'));
    let ir = first
        .and_then(|l| l.strip_prefix("program"))
        .is_some_and(|rest| rest.is_empty() || rest.starts_with([' ', '\t', '@']));
    if ir { Form::Ir } else { Form::StableHlo }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_are_told_apart() {
        assert_eq!(form_of("# a comment\n\n  program @f() {"), Form::Ir);
        assert_eq!(form_of("#loc = loc(unknown)\nmodule @program {"), Form::StableHlo);
        assert_eq!(form_of("programs"), Form::StableHlo);
        assert_eq!(form_of(""), Form::StableHlo);
    }
}
