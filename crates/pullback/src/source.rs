//! A program's file: StableHLO as text, bytecode or a file of `jax.export`, or the IR's own text.
//!
//! Binary forms are told apart by their first bytes, texts by their first word. Every finding names the file.

use crate::error::Error;
use crate::files;
use pullback_base::Diagnostic;
use pullback_ir::Program;
use pullback_stablehlo::{Annotations, Census, Container, ImportOptions, Signature};
use std::path::Path;

/// What a file holds.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Content {
    /// StableHLO as MLIR text.
    StableHlo(String),
    /// StableHLO as bytecode or a file of `jax.export`.
    Binary(Vec<u8>),
    /// The IR's text form.
    Ir(String),
}

/// A file read, not yet understood.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Source {
    /// The file's name as given.
    pub file: String,
    /// What is in it.
    pub content: Content,
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
    /// What the producer says beside the programs.
    pub annotations: Annotations,
    /// What it was imported with.
    pub options: ImportOptions,
}

impl Source {
    /// Reads a file.
    pub fn read(path: &Path) -> Result<Self, Error> {
        let file = path.display().to_string();
        let bytes = files::read(path)?;
        let content = match Container::of(&bytes) {
            Container::Bytecode | Container::Exported => Content::Binary(bytes),
            Container::Text => {
                let text = files::text_of(path, bytes)?;
                if is_ir(&text) { Content::Ir(text) } else { Content::StableHlo(text) }
            }
        };
        Ok(Self { file, content })
    }

    /// How often each StableHLO operation occurs; nothing for a file in the IR's text form.
    pub fn census(&self) -> Result<Option<Census>, Error> {
        let census = match &self.content {
            Content::Ir(_) => return Ok(None),
            Content::StableHlo(text) => pullback_stablehlo::census(text),
            Content::Binary(bytes) => pullback_stablehlo::census_bytes(bytes),
        };
        census.map(Some).map_err(|ds| self.error(ds))
    }

    fn error(&self, diags: Vec<Diagnostic>) -> Error {
        Error::from(diags.into_iter().map(|d| d.in_file(&self.file)).collect::<Vec<_>>())
    }

    /// What the public functions take and give, open shapes and all; nothing for a file in the IR's text form.
    pub fn signatures(&self) -> Result<Vec<Signature>, Error> {
        let found = match &self.content {
            Content::Ir(_) => return Ok(Vec::new()),
            Content::StableHlo(text) => pullback_stablehlo::signatures(text.as_bytes()),
            Content::Binary(bytes) => pullback_stablehlo::signatures(bytes),
        };
        found.map_err(|ds| self.error(ds))
    }

    /// These functions, public or not, and no others.
    pub fn load_functions(&self, names: &[&str]) -> Result<Loaded, Error> {
        let bytes = match &self.content {
            Content::Ir(_) => {
                let loaded = self.load(&ImportOptions::default())?;
                names.iter().try_for_each(|name| loaded.function(name).map(drop))?;
                return Ok(loaded);
            }
            Content::StableHlo(text) => text.as_bytes(),
            Content::Binary(bytes) => bytes,
        };
        let module = pullback_stablehlo::import_functions(bytes, names).map_err(|ds| self.error(ds))?;
        let notes = module.notes.iter().cloned().map(|d| d.in_file(&self.file)).collect();
        let annotations = module.annotations().clone();
        let (name, functions) = (module.name.clone(), module.into_functions());
        let options = ImportOptions::default();
        Ok(Loaded { file: self.file.clone(), name, functions, notes, annotations, options })
    }

    /// The public functions, for given shapes where they are open.
    pub fn load(&self, options: &ImportOptions) -> Result<Loaded, Error> {
        let named = |d: Diagnostic| d.in_file(&self.file);
        let module = match &self.content {
            Content::Ir(text) => {
                let program = pullback_ir::text::parse(text).map_err(named)?;
                let (file, name) = (self.file.clone(), program.name().to_owned());
                let (functions, annotations) = (vec![program], Annotations::default());
                let options = ImportOptions::default();
                return Ok(Loaded { file, name, functions, notes: Vec::new(), annotations, options });
            }
            Content::StableHlo(text) => pullback_stablehlo::import_with(text, options),
            Content::Binary(bytes) => pullback_stablehlo::import_bytes_with(bytes, options),
        };
        let module = module.map_err(|ds| self.error(ds))?;
        let notes = module.notes.iter().cloned().map(named).collect();
        let annotations = module.annotations().clone();
        let (name, functions) = (module.name.clone(), module.into_functions());
        let options = options.clone();
        Ok(Loaded { file: self.file.clone(), name, functions, notes, annotations, options })
    }
}

/// Reads a file's public functions, for given shapes where they are open.
pub fn load(path: &Path, options: &ImportOptions) -> Result<Loaded, Error> {
    Source::read(path)?.load(options)
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

/// Whether a text is in the IR's form. `#` begins a comment there and an alias in MLIR; neither decides.
fn is_ir(text: &str) -> bool {
    let first = text.lines().map(str::trim_start).find(|l| !l.is_empty() && !l.starts_with('#'));
    first
        .and_then(|l| l.strip_prefix("program"))
        .is_some_and(|rest| rest.is_empty() || rest.starts_with([' ', '\t', '@']))
}

#[cfg(test)]
mod tests {
    use super::is_ir;

    #[test]
    fn forms_are_told_apart() {
        assert!(is_ir("# a comment\n\n  program @f() {"));
        for text in ["#loc = loc(unknown)\nmodule @program {", "programs", ""] {
            assert!(!is_ir(text), "{text}");
        }
    }
}
