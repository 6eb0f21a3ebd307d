//! Named tensors in safetensors files.
//!
//! Files are written whole or not at all. Element types that safetensors lacks are carried by others of the same bytes
//! ([`carrier`]); what a file says of sizes is checked before it is believed.

use crate::error::Error;
use crate::files;
use pullback_base::Diagnostic;
use pullback_eval::Tensor;
use pullback_ir::{DType, DTypeClass, TensorType};
use safetensors::{Dtype, SafeTensors, tensor::TensorView};
use std::collections::BTreeMap;
use std::path::Path;

/// The tensors of a file.
#[derive(Clone, Debug)]
pub struct TensorFile {
    /// The file's name as given.
    pub file: String,
    /// Tensors by name.
    pub tensors: BTreeMap<String, Tensor>,
}

/// The element type that carries one which safetensors lacks, and whether each element is a pair in a last dimension
/// of its own: integers of fewer than 8 bits as bytes, other narrow floats as their codes, c128 as two f64.
pub fn carrier(dtype: DType) -> Option<(DType, bool)> {
    match safetensors_dtype(dtype) {
        Some(_) => None,
        None if dtype == DType::C128 => Some((DType::F64, true)),
        None if dtype.class() == DTypeClass::Signed => Some((DType::I8, false)),
        None => Some((DType::U8, false)),
    }
}

fn carried_type(ty: &TensorType, dtype: DType, pairs: bool) -> TensorType {
    let mut shape = ty.shape().to_vec();
    shape.extend(pairs.then_some(2));
    TensorType::new(dtype, shape)
}

/// Whether the bits of a carried element are among those of its type.
fn in_range(dtype: DType, e: &[u8]) -> bool {
    let unused = 8u32.saturating_sub(dtype.bits());
    let high = e[0] << unused;
    e.len() > 1
        || e[0]
            == if dtype.class() == DTypeClass::Signed { (high as i8 >> unused) as u8 } else { high >> unused }
}

/// Most names listed in a message.
const MAX_LISTED: usize = 12;

impl TensorFile {
    /// Reads a file.
    pub fn read(path: &Path) -> Result<Self, Error> {
        let file = path.display().to_string();
        let bytes = files::read(path)?;
        let tensors = decode(&bytes).map_err(|e| e.in_file(&file))?;
        Ok(Self { file, tensors })
    }

    /// The tensor named so, which must have this type; `what` says what it is for.
    pub fn get(&self, name: &str, ty: &TensorType, what: &str) -> Result<Tensor, Diagnostic> {
        let error = |message: String| Diagnostic::error(None, message).in_file(&self.file);
        let Some(tensor) = self.tensors.get(name) else {
            return Err(error(format!("there is no tensor {name:?}, needed for {what} ({ty})"))
                .with_help(format!("the tensors of the file are: {}", self.names())));
        };
        if tensor.ty() == ty {
            return Ok(tensor.clone());
        }
        let carried = carrier(ty.dtype()).map(|(d, pairs)| carried_type(ty, d, pairs));
        if carried.as_ref() != Some(tensor.ty()) {
            let how = carried.map_or_else(String::new, |c| format!(", which files hold as {c}"));
            return Err(error(format!("the tensor {name:?} is {}, but {what} is {ty}{how}", tensor.ty())));
        }
        let taken = Tensor::from_bytes(ty.clone(), tensor.bytes()).map_err(|e| error(e.to_string()))?;
        if let Some(bad) = (0..ty.count()).find(|&i| !in_range(ty.dtype(), taken.element(i))) {
            let value = tensor.element(bad)[0];
            return Err(error(format!(
                "element {bad} of {name:?} has the bits {value:#x}, which {what} ({ty}) cannot hold"
            )));
        }
        Ok(taken)
    }

    fn names(&self) -> String {
        let mut names: Vec<&str> = self.tensors.keys().map(String::as_str).take(MAX_LISTED).collect();
        let rest;
        if self.tensors.len() > MAX_LISTED {
            rest = format!("and {} more", self.tensors.len() - MAX_LISTED);
            names.push(&rest);
        }
        if names.is_empty() { "none".to_owned() } else { names.join(", ") }
    }
}

/// The tensors in the bytes of a safetensors file.
pub fn decode(bytes: &[u8]) -> Result<BTreeMap<String, Tensor>, Error> {
    let file = SafeTensors::deserialize(bytes)
        .map_err(|e| Error::new(format!("not a safetensors file, or a damaged one: {e}")))?;
    let mut tensors = BTreeMap::new();
    let mut problems = Vec::new();
    for (name, view) in file.tensors() {
        match tensor_of(&view) {
            Ok(t) => {
                tensors.insert(name, t);
            }
            Err(mut d) => {
                d.message = format!("tensor {name:?}: {}", d.message);
                problems.push(d);
            }
        }
    }
    Error::check(problems)?;
    Ok(tensors)
}

fn tensor_of(view: &TensorView<'_>) -> Result<Tensor, Diagnostic> {
    let dtype = dtype_of(view.dtype())
        .ok_or_else(|| Diagnostic::unsupported(None, format!("element type {:?}", view.dtype())))?;
    let ty = TensorType::try_new(dtype, view.shape().to_vec())
        .ok_or_else(|| Diagnostic::error(None, format!("{:?} is too large", view.shape())))?;
    if dtype == DType::Bool
        && let Some(bad) = view.data().iter().find(|&&b| b > 1)
    {
        return Err(Diagnostic::error(None, format!("a bool is 0 or 1, the file holds {bad}")));
    }
    Tensor::from_bytes(ty, view.data()).map_err(|e| Diagnostic::error(None, e.to_string()))
}

/// The bytes of a safetensors file.
pub fn encode<'a>(tensors: impl IntoIterator<Item = (&'a str, &'a Tensor)>) -> Result<Vec<u8>, Error> {
    let mut views = BTreeMap::new();
    for (name, t) in tensors {
        let ty =
            carrier(t.dtype()).map_or_else(|| t.ty().clone(), |(d, pairs)| carried_type(t.ty(), d, pairs));
        let dtype = safetensors_dtype(ty.dtype()).ok_or_else(|| {
            Error::unsupported(format!("tensor {name:?} is {}, which files cannot hold", t.ty()))
        })?;
        let view = TensorView::new(dtype, ty.shape().to_vec(), t.bytes())
            .map_err(|e| Error::new(format!("tensor {name:?}: {e}")))?;
        if views.insert(name, view).is_some() {
            return Err(Error::new(format!("two tensors would be named {name:?}")));
        }
    }
    safetensors::serialize(views, None).map_err(|e| Error::new(format!("safetensors: {e}")))
}

/// Writes a file, whole or not at all.
pub fn write<'a>(path: &Path, tensors: impl IntoIterator<Item = (&'a str, &'a Tensor)>) -> Result<(), Error> {
    let bytes = encode(tensors).map_err(|e| e.in_file(path.display()))?;
    files::write_atomic(path, &bytes)
}

fn dtype_of(dtype: Dtype) -> Option<DType> {
    DType::ALL.into_iter().find(|&d| safetensors_dtype(d) == Some(dtype))
}

fn safetensors_dtype(dtype: DType) -> Option<Dtype> {
    Some(match dtype {
        DType::Bool => Dtype::BOOL,
        DType::I8 => Dtype::I8,
        DType::I16 => Dtype::I16,
        DType::I32 => Dtype::I32,
        DType::I64 => Dtype::I64,
        DType::U8 => Dtype::U8,
        DType::U16 => Dtype::U16,
        DType::U32 => Dtype::U32,
        DType::U64 => Dtype::U64,
        DType::F8E4M3FN => Dtype::F8_E4M3,
        DType::F8E5M2 => Dtype::F8_E5M2,
        DType::F8E8M0FNU => Dtype::F8_E8M0,
        DType::F8E4M3FNUZ => Dtype::F8_E4M3FNUZ,
        DType::F8E5M2FNUZ => Dtype::F8_E5M2FNUZ,
        DType::C64 => Dtype::C64,
        DType::F16 => Dtype::F16,
        DType::BF16 => Dtype::BF16,
        DType::F32 => Dtype::F32,
        DType::F64 => Dtype::F64,
        DType::I2
        | DType::I4
        | DType::U2
        | DType::U4
        | DType::F4E2M1FN
        | DType::F6E2M3FN
        | DType::F6E3M2FN
        | DType::F8E3M4
        | DType::F8E4M3
        | DType::F8E4M3B11FNUZ
        | DType::C128 => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(bytes: &[u8]) -> TensorFile {
        TensorFile { file: "f".to_owned(), tensors: decode(bytes).unwrap() }
    }

    #[test]
    fn every_element_type_round_trips() {
        for d in DType::ALL {
            let mut t = Tensor::zeros(TensorType::new(d, [2, 3]));
            t.set_f64(4, 1.0);
            let file = file(&encode([("t", &t)]).unwrap());
            assert_eq!(file.get("t", t.ty(), "a test").unwrap(), t, "{d}");
        }
        let empty = Tensor::zeros(TensorType::new(DType::F32, [0, 2]));
        assert_eq!(decode(&encode([("e", &empty)]).unwrap()).unwrap()["e"], empty);
    }

    #[test]
    fn carried_elements_are_held_to_their_type() {
        let mut t = Tensor::zeros(TensorType::new(DType::I8, [2]));
        t.set_f64(1, -9.0);
        let file = file(&encode([("t", &t)]).unwrap());
        let get = |d| file.get("t", &TensorType::new(d, [2]), "x").unwrap_err().to_string();
        assert!(get(DType::I4).contains("element 1 of \"t\" has the bits 0xf7"), "{}", get(DType::I4));
        assert!(get(DType::C128).contains("which files hold as f64[2,2]"), "{}", get(DType::C128));
        assert!(get(DType::F32).ends_with("is i8[2], but x is f32[2]"), "{}", get(DType::F32));
    }

    #[test]
    fn damaged_files_are_refused() {
        let t = Tensor::zeros(TensorType::new(DType::Bool, [2]));
        let good = encode([("b", &t)]).unwrap();
        for end in 0..good.len() {
            assert!(decode(&good[..end]).is_err(), "{end}");
        }
        let mut bad = good.clone();
        *bad.last_mut().unwrap() = 7;
        assert!(decode(&bad).unwrap_err().to_string().contains("a bool is 0 or 1, the file holds 7"));
        assert!(encode([("b", &t), ("b", &t)]).is_err());
    }
}
