//! Dimension numbers and windows of convolutions, in text and one by one.

use super::*;

/// One of the three lists of a convolution's dimension numbers, `[b, 0, 1, f]`: the positions of its two
/// letters and of its spatial dimensions.
fn conv_layout(text: &str, letters: [&str; 2]) -> Option<([usize; 2], Vec<usize>)> {
    let inner = text.trim().strip_prefix('[')?.strip_suffix(']')?;
    let entries: Vec<&str> = inner.split(',').map(str::trim).collect();
    let place = |want: &str| entries.iter().position(|e| *e == want);
    let spatial: Option<Vec<usize>> =
        (0..entries.len().checked_sub(2)?).map(|i| place(&i.to_string())).collect();
    Some(([place(letters[0])?, place(letters[1])?], spatial?))
}

/// Positions in the three layouts of a convolution: two features or batches each, and spatial dimensions.
type ConvLayouts = [([usize; 2], Vec<usize>); 3];

/// `[b, 0, f]x[0, i, o]->[b, 0, f]`
fn conv_layouts_of_text(text: &str) -> Option<ConvLayouts> {
    let text: String = text.chars().filter(|c| !c.is_whitespace()).collect();
    let inner = text.strip_prefix("#stablehlo.conv<").and_then(|t| t.strip_suffix('>'));
    let (ins, out) = inner.unwrap_or(&text).split_once("->")?;
    let (lhs, rhs) = ins.split_once("]x[")?;
    let (lhs, rhs) = (format!("{lhs}]"), format!("[{rhs}"));
    Some([conv_layout(&lhs, ["b", "f"])?, conv_layout(&rhs, ["i", "o"])?, conv_layout(out, ["b", "f"])?])
}

/// Dimension numbers one by one, as VHLO has them.
fn conv_layouts_of_dict(dict: &[(&str, Attr<'_>)]) -> R<ConvLayouts> {
    let one = |key: &str| match entry(dict, key)?[..] {
        [n] => Ok(n),
        _ => bad(format!("{key} is not one number")),
    };
    Ok([
        (
            [one("input_batch_dimension")?, one("input_feature_dimension")?],
            entry(dict, "input_spatial_dimensions")?,
        ),
        (
            [one("kernel_input_feature_dimension")?, one("kernel_output_feature_dimension")?],
            entry(dict, "kernel_spatial_dimensions")?,
        ),
        (
            [one("output_batch_dimension")?, one("output_feature_dimension")?],
            entry(dict, "output_spatial_dimensions")?,
        ),
    ])
}

/// Without padding.
pub(crate) fn conv_dims(node: &Node<'_>) -> R<ConvDims> {
    let layouts = match node.attr(&["dimension_numbers"]) {
        Some(Attr::Raw(text)) => conv_layouts_of_text(text),
        Some(Attr::Dict(dict)) => Some(conv_layouts_of_dict(dict)?),
        _ => None,
    };
    let Some([([ib, i_f], is), ([ki, ko], ks), ([ob, of], os)]) = layouts else {
        return bad(
            "stablehlo.convolution: dimension numbers should look like [b, 0, f]x[0, i, o]->[b, 0, f]",
        );
    };
    let n = is.len();
    let per_dim = |keys: &[&str], default: usize| -> R<Vec<usize>> {
        Ok(ints_opt(node, keys)?
            .map(|v| natural(keys[0], v))
            .transpose()?
            .unwrap_or_else(|| vec![default; n]))
    };
    Ok(ConvDims {
        input_batch: ib,
        input_feature: i_f,
        input_spatial: is,
        kernel_input_feature: ki,
        kernel_output_feature: ko,
        kernel_spatial: ks,
        output_batch: ob,
        output_feature: of,
        output_spatial: os,
        strides: per_dim(&["stride", "window_strides"], 1)?,
        padding: vec![(0, 0); n],
        lhs_dilation: per_dim(&["lhs_dilate", "lhs_dilation"], 1)?,
        rhs_dilation: per_dim(&["rhs_dilate", "rhs_dilation"], 1)?,
        reversal: per_dim(&["reverse", "window_reversal"], 0)?.into_iter().map(|r| r != 0).collect(),
        feature_group_count: one(node, &["feature_group_count"])?,
        batch_group_count: one(node, &["batch_group_count"])?,
    })
}

/// Padding as `[[low, high], ...]` or as a dense tensor of pairs.
pub(super) fn conv_padding(node: &Node<'_>, n: usize) -> R<Vec<(i64, i64)>> {
    let flat = match node.attr(&["pad", "padding"]) {
        None => return Ok(vec![(0, 0); n]),
        Some(Attr::List(rows)) => rows.iter().map(ints_of).collect::<Option<Vec<_>>>().map(|r| r.concat()),
        Some(other) => ints_of(other),
    };
    match flat {
        Some(v) if v.len() == 2 * n => Ok(v.chunks_exact(2).map(|c| (c[0], c[1])).collect()),
        _ => {
            let what = format!("padding should be {n} pairs of whole numbers");
            Err(Issue::Attribute("padding".to_owned(), what))
        }
    }
}
