//! Batches: the region of an input that a worker needs, for any step.
//!
//! Sample i of step s is a function of (seed, s, i) alone, so every layout, replay and resume sees the same data.

use super::config::{DataConfig, RowsInput};
use crate::error::Error;
use crate::files;
use crate::tensors::TensorFile;
use pullback_base::rng::CounterRng;
use pullback_eval::Tensor;
use pullback_ir::TensorType;
use pullback_ir::literal::{encode_f64, encode_i64};
use pullback_ir::region::Region;
use pullback_runtime::exec::BatchSource;
use std::path::{Path, PathBuf};

/// The data in memory.
pub struct Batches {
    kind: Kind,
    rng: CounterRng,
    types: Vec<TensorType>,
}

enum Kind {
    Bytes { text: Vec<u8>, window: usize, offsets: Vec<usize> },
    Rows { inputs: Vec<(Tensor, f64)>, rows: usize },
    Recorded { batches: Vec<Vec<Tensor>> },
}

impl Batches {
    /// Reads the data. `inputs` are the batch inputs' names, `io` names and types, in the order of the batch slots.
    pub fn open(
        config: &DataConfig,
        folder: &Path,
        seed: u64,
        inputs: &[(String, String, TensorType)],
    ) -> Result<Self, Error> {
        let kind = match config {
            DataConfig::Bytes { path, offsets } => bytes(&folder.join(path), offsets, inputs)?,
            DataConfig::Rows { path, inputs: specs } => rows(&folder.join(path), specs, inputs)?,
            DataConfig::Recorded { path, batches } => recorded(&folder.join(path), *batches, inputs)?,
        };
        let types = inputs.iter().map(|i| i.2.clone()).collect();
        Ok(Self { kind, rng: CounterRng::new(seed, "batch"), types })
    }

    /// The text windows are taken from; none for other data.
    pub fn text(&self) -> Option<&[u8]> {
        match &self.kind {
            Kind::Bytes { text, .. } => Some(text),
            Kind::Rows { .. } | Kind::Recorded { .. } => None,
        }
    }

    /// Where sample `i` of a step is among `places`.
    fn place(&self, step: u64, samples: usize, i: usize, places: usize) -> usize {
        self.rng.below(step.wrapping_mul(samples as u64).wrapping_add(i as u64), places as u64) as usize
    }
}

fn missing(name: &str, path: &Path) -> Error {
    Error::new(format!("data: nothing is said of batch input {name:?}")).in_file(path.display())
}

fn bytes(
    path: &Path,
    offsets: &std::collections::BTreeMap<String, usize>,
    inputs: &[(String, String, TensorType)],
) -> Result<Kind, Error> {
    let text = files::read(path)?;
    let mut window = 0;
    let mut list = Vec::new();
    for (name, _, ty) in inputs {
        let &offset = offsets.get(name).ok_or_else(|| missing(name, path))?;
        let &[_, length] = ty.shape() else {
            return Err(Error::new(format!(
                "data: bytes fit inputs of shape [samples, length], {name} is {ty}"
            )));
        };
        window = window.max(offset.saturating_add(length));
        list.push(offset);
    }
    if let Some(name) = offsets.keys().find(|k| !inputs.iter().any(|i| i.0 == **k)) {
        return Err(Error::new(format!("data.offsets: the model has no batch input {name:?}")));
    }
    if text.len() <= window {
        return Err(Error::new(format!("{} bytes are too few for windows of {window}", text.len()))
            .in_file(path.display()));
    }
    Ok(Kind::Bytes { text, window, offsets: list })
}

fn rows(
    path: &Path,
    specs: &std::collections::BTreeMap<String, RowsInput>,
    inputs: &[(String, String, TensorType)],
) -> Result<Kind, Error> {
    let file = TensorFile::read(path)?;
    let mut list = Vec::new();
    let mut rows: Option<usize> = None;
    for (name, _, ty) in inputs {
        let spec = specs.get(name).ok_or_else(|| missing(name, path))?;
        let t = file.tensors.get(&spec.tensor).ok_or_else(|| {
            Error::new(format!("data: there is no tensor {:?} for input {name:?}", spec.tensor))
                .in_file(path.display())
        })?;
        let n = t.shape().first().copied().unwrap_or(0);
        let per_row: usize = t.shape().iter().skip(1).product();
        let want: usize = ty.shape().iter().skip(1).product();
        if n == 0 || per_row != want || ty.rank() == 0 || rows.is_some_and(|r| r != n) {
            let message = format!(
                "data: {} is {}, which does not give rows for input {name}: {ty}",
                spec.tensor,
                t.ty()
            );
            return Err(Error::new(message).in_file(path.display()));
        }
        rows = Some(n);
        list.push((t.clone(), spec.scale));
    }
    if let Some(name) = specs.keys().find(|k| !inputs.iter().any(|i| i.0 == **k)) {
        return Err(Error::new(format!("data.inputs: the model has no batch input {name:?}")));
    }
    Ok(Kind::Rows { inputs: list, rows: rows.unwrap_or(0) })
}

fn recorded(path: &Path, batches: u64, inputs: &[(String, String, TensorType)]) -> Result<Kind, Error> {
    if batches == 0 {
        return Err(Error::new("data.batches must be at least 1"));
    }
    let file = TensorFile::read(path)?;
    let mut out = Vec::new();
    for k in 0..batches {
        let mut batch = Vec::new();
        for (name, io, ty) in inputs {
            let key = io.replace("{step}", &k.to_string());
            let t = file.tensors.get(&key).ok_or_else(|| {
                Error::new(format!("data: there is no tensor {key:?} for input {name:?}"))
                    .in_file(path.display())
            })?;
            if t.shape() != ty.shape() {
                return Err(Error::new(format!("data: {key} is {}, input {name} is {ty}", t.ty()))
                    .in_file(path.display()));
            }
            batch.push(t.clone());
        }
        out.push(batch);
    }
    Ok(Kind::Recorded { batches: out })
}

/// Numbers one after the other in an element type.
struct Out<'a> {
    ty: &'a TensorType,
    bytes: &'a mut [u8],
    at: usize,
}

impl Out<'_> {
    fn integer(&mut self, v: i64) {
        let e = encode_i64(self.ty.dtype(), v);
        self.put(&e);
    }

    fn number(&mut self, v: f64) {
        let e = encode_f64(self.ty.dtype(), v);
        self.put(&e);
    }

    fn put(&mut self, e: &[u8]) {
        self.bytes[self.at..self.at + e.len()].copy_from_slice(e);
        self.at += e.len();
    }
}

/// Row-major indices of a region within a shape, dimensions from `dim` on.
fn indices(region: &Region, shape: &[usize], dim: usize, base: usize, f: &mut impl FnMut(usize)) {
    match region.dims().get(dim) {
        None => f(base),
        Some(set) => set.iter().for_each(|i| indices(region, shape, dim + 1, base * shape[dim] + i, f)),
    }
}

impl BatchSource for Batches {
    fn load(&mut self, step: u64, slot: usize, region: &Region, out: &mut [u8]) -> Result<(), String> {
        let ty = self.types.get(slot).ok_or_else(|| format!("there is no batch slot {slot}"))?;
        let shape = ty.shape();
        let samples = shape.first().copied().unwrap_or(1);
        let mut out = Out { ty, bytes: out, at: 0 };
        if region.count() * ty.dtype().size() != out.bytes.len() {
            return Err(format!("batch slot {slot}: {region} does not fill {} bytes", out.bytes.len()));
        }
        match &self.kind {
            Kind::Bytes { text, window, offsets } => {
                for i in region.dims()[0].iter() {
                    let start = self.place(step, samples, i, text.len() - window) + offsets[slot];
                    region.dims()[1].iter().for_each(|k| out.integer(i64::from(text[start + k])));
                }
            }
            Kind::Rows { inputs, rows } => {
                let (t, scale) = &inputs[slot];
                let per_row: usize = shape[1..].iter().product();
                for i in region.dims()[0].iter() {
                    let row = self.place(step, samples, i, *rows);
                    indices(region, shape, 1, 0, &mut |k| out.number(t.get_f64(row * per_row + k) * scale));
                }
            }
            Kind::Recorded { batches } => {
                let t = &batches[(step % batches.len() as u64) as usize][slot];
                indices(region, shape, 0, 0, &mut |k| match ty.dtype().is_integer() {
                    true => out.integer(t.get_i64(k)),
                    false => out.number(t.get_f64(k)),
                });
            }
        }
        Ok(())
    }
}

/// Entropy of a text's bytes given the one before, in nats: that of its own bigram counts.
pub fn bigram_entropy(text: &[u8]) -> f64 {
    let mut pairs = vec![0u64; 1 << 16];
    let mut firsts = vec![0u64; 1 << 8];
    for w in text.windows(2) {
        pairs[usize::from(w[0]) << 8 | usize::from(w[1])] += 1;
        firsts[usize::from(w[0])] += 1;
    }
    let total = text.len().saturating_sub(1).max(1) as f64;
    let of = |(i, &n): (usize, &u64)| {
        if n == 0 { 0.0 } else { n as f64 / total * (firsts[i >> 8] as f64 / n as f64).ln() }
    };
    pairs.iter().enumerate().map(of).sum()
}

/// The data's folder, absolute, so that workers find it wherever they start.
pub fn absolute(folder: &Path) -> PathBuf {
    std::path::absolute(folder).unwrap_or_else(|_| folder.to_path_buf())
}

#[cfg(test)]
mod tests {
    use super::*;
    use pullback_ir::DType;
    use pullback_ir::region::IntervalSet;

    #[test]
    fn any_cut_of_a_batch_reassembles() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join("t"), (0..200u8).collect::<Vec<_>>()).unwrap();
        let config =
            DataConfig::Bytes { path: "t".into(), offsets: [("a".into(), 0), ("b".into(), 1)].into() };
        let ty = TensorType::new(DType::I32, [4, 5]);
        let inputs = [("a".into(), String::new(), ty.clone()), ("b".into(), String::new(), ty.clone())];
        let mut b = Batches::open(&config, dir.path(), 3, &inputs).unwrap();
        let mut read = |slot: usize, region: &Region| {
            let mut out = vec![0; region.count() * 4];
            b.load(7, slot, region, &mut out).unwrap();
            out.chunks_exact(4).map(|c| i32::from_le_bytes(c.try_into().unwrap())).collect::<Vec<_>>()
        };
        let whole = read(0, &Region::full(&[4, 5]));
        let next = read(1, &Region::full(&[4, 5]));
        assert!(whole.iter().zip(&next).all(|(a, b)| a + 1 == *b));
        let part = read(0, &Region::new(vec![IntervalSet::interval(1, 3), "0..1+4..5".parse().unwrap()]));
        assert_eq!(part, [whole[5], whole[9], whole[10], whole[14]]);
    }

    #[test]
    fn bigram_entropy_of_a_cycle_is_zero() {
        assert!(bigram_entropy(&b"abc".repeat(50)).abs() < 1e-12);
        assert!((bigram_entropy(b"aabbaabbaabba") - 2f64.ln()).abs() < 0.05);
    }
}
