//! From JSON to a manifest. Walks the tree by hand, so that an error names its key: `args[3].role`.
//!
//! All errors are collected. Nothing is held against a module here.

use super::{Arg, Entry, Manifest, ResultEntry};
use crate::error::Error;
use pullback_autodiff::Options;
use pullback_base::{Diagnostic, Pos, Severity};
use pullback_ir::{DType, TensorType};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// Keys at the top that are used, or are for people.
const TOP: &[&str] = &[
    "name",
    "doc",
    "notes",
    "jax_version",
    "files",
    "function",
    "args",
    "results",
    "optimizer",
    "functions",
    "loop_bound",
    "loop_memory",
    "custom_ops",
];
const ARG: &[&str] = &["index", "name", "role", "io", "shape", "dtype", "init"];
const RESULT: &[&str] = &["index", "name", "role", "shape", "dtype"];
const FUNCTION: &[&str] = &["args", "results", "doc"];

/// Most ignored keys named in the note.
const MAX_NAMED: usize = 8;

pub(super) fn parse(text: &str, file: &str) -> Result<Manifest, Error> {
    let value: Value = serde_json::from_str(text).map_err(|e| {
        let pos = Pos { line: e.line() as u32, col: e.column() as u32 };
        // serde_json repeats the place in its message.
        let message = e.to_string();
        let message = message.split(" at line ").next().unwrap_or_default();
        Error::from(Diagnostic::error(pos, format!("not JSON: {message}")).in_file(file))
    })?;
    let mut r = Reader { errors: Vec::new(), ignored: Vec::new() };
    let manifest = r.manifest(&value, file);
    Error::check(r.errors).map_err(|e| e.in_file(file))?;
    Ok(manifest)
}

struct Reader {
    errors: Vec<Diagnostic>,
    /// Keys nothing is known of, indices left out, each once.
    ignored: Vec<String>,
}

impl Reader {
    fn error(&mut self, key: &str, message: &str) {
        self.errors.push(Diagnostic::error(None, format!("{key}: {message}")));
    }

    fn manifest(&mut self, value: &Value, file: &str) -> Manifest {
        let empty = Map::new();
        let top = value.as_object().unwrap_or_else(|| {
            self.error("manifest", &format!("an object is expected, not {}", kind(value)));
            &empty
        });
        self.note_unknown(top, "", TOP);
        let name = self.optional(top, "", "name").unwrap_or_default();
        let doc = self.optional(top, "", "doc");
        let function = self.optional(top, "", "function").unwrap_or_else(|| "main".to_owned());
        let main = self.entry(top, "");
        let custom_ops = self.optional(top, "", "custom_ops").unwrap_or_default();
        let mut functions = BTreeMap::new();
        for (name, value) in self.object(top, "functions") {
            let prefix = format!("functions.{name}.");
            let Some(map) = value.as_object() else {
                self.error(
                    prefix.trim_end_matches('.'),
                    &format!("an object is expected, not {}", kind(value)),
                );
                continue;
            };
            self.note_unknown(map, "functions.*.", FUNCTION);
            functions.insert(name.clone(), self.entry(map, &prefix));
        }
        let optimizer = top.get("optimizer").filter(|v| !v.is_null()).cloned();
        let loop_bound: Option<u64> = self.optional(top, "", "loop_bound");
        if loop_bound == Some(0) {
            self.error(
                "loop_bound",
                "a whole number of at least 1 is expected, not 0: beyond it gradients are NaN",
            );
        }
        let loops = Options { loop_bound, loop_memory: self.optional(top, "", "loop_memory") };
        let notes = self.notes(file);
        Manifest {
            file: file.to_owned(),
            name,
            doc,
            function,
            main,
            functions,
            loops,
            custom_ops,
            notes,
            optimizer,
        }
    }

    fn entry(&mut self, map: &Map<String, Value>, prefix: &str) -> Entry {
        let args = self.list(map, prefix, "args");
        let args = args.iter().enumerate().filter_map(|(i, v)| {
            let (key, map) = self.item(v, prefix, "args", i, ARG)?;
            Some(Arg {
                index: self.optional(map, &key, "index").unwrap_or(i),
                name: self.required(map, &key, "name")?,
                role: self.required(map, &key, "role")?,
                io: self.optional(map, &key, "io"),
                shape: self.optional(map, &key, "shape"),
                dtype: self.dtype(map, &key),
                init: self.optional(map, &key, "init"),
            })
        });
        let args = args.collect();
        let results = self.list(map, prefix, "results");
        let results = results.iter().enumerate().filter_map(|(i, v)| {
            let (key, map) = self.item(v, prefix, "results", i, RESULT)?;
            Some(ResultEntry {
                index: self.optional(map, &key, "index").unwrap_or(i),
                name: self.optional(map, &key, "name"),
                role: self.required(map, &key, "role")?,
                shape: self.optional(map, &key, "shape"),
                dtype: self.dtype(map, &key),
            })
        });
        let results = results.collect();
        Entry { args, results }
    }

    /// Entry `i` of a list: the prefix of its keys, and its map.
    fn item<'v>(
        &mut self,
        value: &'v Value,
        prefix: &str,
        list: &str,
        i: usize,
        known: &[&str],
    ) -> Option<(String, &'v Map<String, Value>)> {
        let Some(map) = value.as_object() else {
            let key = format!("{prefix}{list}[{i}]");
            self.error(&key, &format!("an object is expected, not {}", kind(value)));
            return None;
        };
        self.note_unknown(map, &format!("{list}[]."), known);
        Some((format!("{prefix}{list}[{i}]."), map))
    }

    fn list<'v>(&mut self, map: &'v Map<String, Value>, prefix: &str, key: &str) -> &'v [Value] {
        match map.get(key) {
            Some(Value::Array(items)) => items,
            Some(other) => {
                self.error(&format!("{prefix}{key}"), &format!("a list is expected, not {}", kind(other)));
                &[]
            }
            None => {
                self.error(&format!("{prefix}{key}"), "the key is missing");
                &[]
            }
        }
    }

    fn object<'v>(&mut self, map: &'v Map<String, Value>, key: &str) -> Vec<(&'v String, &'v Value)> {
        match map.get(key) {
            None | Some(Value::Null) => Vec::new(),
            Some(Value::Object(items)) => items.iter().collect(),
            Some(other) => {
                self.error(key, &format!("an object is expected, not {}", kind(other)));
                Vec::new()
            }
        }
    }

    fn required<T: DeserializeOwned>(
        &mut self,
        map: &Map<String, Value>,
        prefix: &str,
        key: &str,
    ) -> Option<T> {
        if map.get(key).is_none_or(Value::is_null) {
            self.error(&format!("{prefix}{key}"), "the key is missing");
            return None;
        }
        self.optional(map, prefix, key)
    }

    fn optional<T: DeserializeOwned>(
        &mut self,
        map: &Map<String, Value>,
        prefix: &str,
        key: &str,
    ) -> Option<T> {
        let value = map.get(key).filter(|v| !v.is_null())?;
        match T::deserialize(value) {
            Ok(v) => Some(v),
            Err(e) => {
                self.error(&format!("{prefix}{key}"), &e.to_string());
                None
            }
        }
    }

    fn dtype(&mut self, map: &Map<String, Value>, prefix: &str) -> Option<DType> {
        let name: String = self.optional(map, prefix, "dtype")?;
        let dtype = dtype_named(&name);
        if dtype.is_none() {
            self.error(
                &format!("{prefix}dtype"),
                &format!("{name:?} is no element type; write float32, int32, …"),
            );
        }
        dtype
    }

    fn note_unknown(&mut self, map: &Map<String, Value>, prefix: &str, known: &[&str]) {
        for key in map.keys().filter(|k| !known.contains(&k.as_str())) {
            let key = format!("{prefix}{key}");
            if !self.ignored.contains(&key) {
                self.ignored.push(key);
            }
        }
    }

    fn notes(&self, file: &str) -> Vec<Diagnostic> {
        if self.ignored.is_empty() {
            return Vec::new();
        }
        let mut named = self.ignored.iter().take(MAX_NAMED).cloned().collect::<Vec<_>>().join(", ");
        if self.ignored.len() > MAX_NAMED {
            named.push_str(&format!(" and {} more", self.ignored.len() - MAX_NAMED));
        }
        vec![
            Diagnostic::new(
                Severity::Note,
                None,
                format!("keys without a meaning here are ignored: {named}"),
            )
            .in_file(file),
        ]
    }
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a bool",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

/// An element type by NumPy's name (`float32`) or the IR's (`f32`).
fn dtype_named(name: &str) -> Option<DType> {
    DType::ALL.into_iter().find(|&d| d.name() == name || numpy_name(d) == name)
}

/// NumPy's name of an element type (with ml_dtypes).
pub(super) fn numpy_name(dtype: DType) -> &'static str {
    match dtype {
        DType::Bool => "bool",
        DType::I2 => "int2",
        DType::I4 => "int4",
        DType::I8 => "int8",
        DType::I16 => "int16",
        DType::I32 => "int32",
        DType::I64 => "int64",
        DType::U2 => "uint2",
        DType::U4 => "uint4",
        DType::U8 => "uint8",
        DType::U16 => "uint16",
        DType::U32 => "uint32",
        DType::U64 => "uint64",
        DType::F8E4M3FN => "float8_e4m3fn",
        DType::F8E5M2 => "float8_e5m2",
        DType::F4E2M1FN => "float4_e2m1fn",
        DType::F6E2M3FN => "float6_e2m3fn",
        DType::F6E3M2FN => "float6_e3m2fn",
        DType::F8E3M4 => "float8_e3m4",
        DType::F8E4M3 => "float8_e4m3",
        DType::F8E4M3B11FNUZ => "float8_e4m3b11fnuz",
        DType::F8E4M3FNUZ => "float8_e4m3fnuz",
        DType::F8E5M2FNUZ => "float8_e5m2fnuz",
        DType::F8E8M0FNU => "float8_e8m0fnu",
        DType::F16 => "float16",
        DType::BF16 => "bfloat16",
        DType::F32 => "float32",
        DType::F64 => "float64",
        DType::C64 => "complex64",
        DType::C128 => "complex128",
    }
}

/// A shape and element type as a manifest writes them, for messages: `float32[4, 2]`.
pub(super) fn show(ty: &TensorType) -> String {
    format!("{}{:?}", numpy_name(ty.dtype()), ty.shape())
}
