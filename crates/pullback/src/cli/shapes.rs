//! Flags that say for which shapes a model is read.

use crate::error::Error;
use crate::manifest::Manifest;
use crate::tensors::TensorFile;
use pullback_stablehlo::ImportOptions;
use std::collections::BTreeMap;

/// Shapes for a model that leaves some open.
#[derive(clap::Args, Default)]
#[command(next_help_heading = "Shapes")]
pub struct ShapeArgs {
    /// Sizes of the symbols of a file of jax.export
    #[arg(long, value_name = "b=8,t=128", value_delimiter = ',', value_parser = symbol)]
    shapes: Vec<(String, usize)>,
    /// Shape of an argument by position or name; may be repeated
    #[arg(long, value_name = "arg0=8x128", value_parser = shape)]
    shape: Vec<(String, Vec<usize>)>,
    /// Platform, for a model exported for several [default: cpu]
    #[arg(long, value_name = "NAME")]
    platform: Option<String>,
}

/// `b=8`
fn symbol(text: &str) -> Result<(String, usize), String> {
    let (name, size) = text.split_once('=').ok_or("a symbol and its size look like b=8")?;
    let size = size.trim().parse().map_err(|_| format!("{size:?} is no size"))?;
    Ok((name.trim().to_owned(), size))
}

/// `arg0=8x128`, of a scalar `arg0=`
fn shape(text: &str) -> Result<(String, Vec<usize>), String> {
    let (name, sizes) = text.rsplit_once('=').ok_or("an argument and its shape look like arg0=8x128")?;
    let sizes = sizes.split(['x', ',']).map(str::trim).filter(|s| !s.is_empty());
    let sizes = sizes.map(|s| s.parse().map_err(|_| format!("{s:?} is no size")));
    Ok((name.trim().to_owned(), sizes.collect::<Result<_, String>>()?))
}

/// What a flag says, by name.
fn once<T: Clone>(flag: &str, list: &[(String, T)]) -> Result<BTreeMap<String, T>, Error> {
    let mut out = BTreeMap::new();
    for (name, value) in list {
        if out.insert(name.clone(), value.clone()).is_some() {
            return Err(Error::new(format!("{flag}: {name} is given twice")));
        }
    }
    Ok(out)
}

impl ShapeArgs {
    /// Whether no shapes are given.
    pub fn is_empty(&self) -> bool {
        self.shapes.is_empty() && self.shape.is_empty()
    }

    /// What a file is imported with. A symbol or an argument that is given twice is an error.
    pub fn options(&self, function: Option<&str>) -> Result<ImportOptions, Error> {
        Ok(ImportOptions {
            function: function.map(str::to_owned),
            symbols: once("--shapes", &self.shapes)?,
            shapes: once("--shape", &self.shape)?,
            platform: self.platform.clone(),
            ..ImportOptions::default()
        })
    }

    /// The same, open shapes taken from tensors `arg0`, `arg1`, … of a file.
    pub fn options_for_inputs(
        &self,
        function: Option<&str>,
        inputs: Option<&TensorFile>,
    ) -> Result<ImportOptions, Error> {
        let mut options = self.options(function)?;
        for (name, tensor) in inputs.iter().flat_map(|f| &f.tensors) {
            if let Some(i) = name.strip_prefix("arg").and_then(|n| n.parse().ok()) {
                options.tensors.insert(i, tensor.shape().to_vec());
            }
        }
        Ok(options)
    }

    /// The same, open shapes taken from what the manifest says, then from its tensors in a file; operators are the
    /// manifest's.
    pub fn options_for_manifest(
        &self,
        function: Option<&str>,
        manifest: &Manifest,
        inputs: Option<(&TensorFile, u64)>,
    ) -> Result<ImportOptions, Error> {
        let mut options = self.options(Some(function.unwrap_or(&manifest.function)))?;
        options.tensors = manifest.shapes(function.unwrap_or(&manifest.function), |key| {
            let (file, step) = inputs?;
            let tensor = file.tensors.get(&key.replace("{step}", &step.to_string()))?;
            Some(tensor.shape().to_vec())
        });
        options.operators = manifest.operators()?;
        Ok(options)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_given_twice_is_refused() {
        let given = |text: &str| text.split(',').map(|s| symbol(s).unwrap()).collect::<Vec<_>>();
        assert_eq!(once("--shapes", &given("b=3,t=4")).unwrap().len(), 2);
        let e = once("--shapes", &given("b=3,t=4,b=4")).unwrap_err();
        assert_eq!(e.to_string().trim(), "--shapes: b is given twice");
    }

    #[test]
    fn flags_are_read() {
        assert_eq!(symbol("b = 8"), Ok(("b".to_owned(), 8)));
        assert_eq!(shape("x=8x128"), Ok(("x".to_owned(), vec![8, 128])));
        assert_eq!(shape("arg1="), Ok(("arg1".to_owned(), vec![])));
        assert!(
            symbol("b").is_err() && symbol("b=-1").is_err() && shape("x").is_err() && shape("x=8y3").is_err()
        );
    }
}
