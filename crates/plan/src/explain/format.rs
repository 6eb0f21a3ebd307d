//! Text for a terminal: aligned columns, wrapped lists, rounded numbers.

/// Widest line of a wrapped list, where its words allow.
const WIDTH: usize = 100;

/// Columns two spaces apart; `align` has `l` or `r` per column. The last column is not padded.
pub(super) fn table(
    out: &mut String,
    indent: usize,
    align: &str,
    rows: impl IntoIterator<Item = Vec<String>>,
) {
    let rows: Vec<Vec<String>> = rows.into_iter().collect();
    let width = |column: usize| {
        let cells = rows.iter().filter_map(|r| r.get(column));
        cells.map(|cell| cell.chars().count()).max().unwrap_or(0)
    };
    let columns: Vec<(char, usize)> = align.chars().enumerate().map(|(i, a)| (a, width(i))).collect();
    for row in &rows {
        let mut line = "  ".repeat(indent);
        for (i, (cell, &(align, width))) in row.iter().zip(&columns).enumerate() {
            let pad = " ".repeat(width - cell.chars().count());
            let (before, after) = if align == 'r' { (&pad[..], "") } else { ("", &pad[..]) };
            line.extend([if i == 0 { "" } else { "  " }, before, cell, after]);
        }
        out.push_str(line.trim_end());
        out.push('\n');
    }
}

/// Items with commas between, broken into lines.
pub(super) fn wrap(out: &mut String, indent: usize, items: Vec<String>) {
    let indent = "  ".repeat(indent);
    let mut line = String::new();
    let last = items.len().saturating_sub(1);
    for (i, item) in items.iter().enumerate() {
        let item = format!("{item}{}", if i == last { "" } else { "," });
        let fits = indent.len() + line.chars().count() + 1 + item.chars().count() <= WIDTH;
        if !line.is_empty() && !fits {
            out.extend([&indent, &line, "\n"]);
            line.clear();
        }
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(&item);
    }
    if !line.is_empty() {
        out.extend([&indent, &line, "\n"]);
    }
}

/// `512 B`, `3.2 KiB`
pub(super) fn bytes(n: u64) -> String {
    scaled(n, 1024.0, &["B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"])
}

/// `512`, `3.2 M`
pub(super) fn number(n: u64) -> String {
    scaled(n, 1000.0, &["", "k", "M", "G", "T", "P", "E"])
}

fn scaled(n: u64, step: f64, units: &[&str]) -> String {
    let (mut x, mut unit) = (n as f64, 0);
    // What would round to a full step takes the next unit.
    while x >= step - 0.05 && unit + 1 < units.len() {
        x /= step;
        unit += 1;
    }
    let text = if unit == 0 { n.to_string() } else { format!("{x:.1}") };
    format!("{text} {}", units[unit]).trim_end().to_owned()
}

/// A name from outside without control characters, so that it cannot move a terminal's cursor.
pub(super) fn clean(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { '\u{fffd}' } else { c }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounds_to_units() {
        assert_eq!(
            [0, 1023, 1024, 1 << 20, u64::MAX].map(bytes),
            ["0 B", "1023 B", "1.0 KiB", "1.0 MiB", "16.0 EiB"]
        );
        assert_eq!([7, 999_950, 1_000_000].map(number), ["7", "1.0 M", "1.0 M"]);
    }

    #[test]
    fn wraps_between_items() {
        let mut out = String::new();
        wrap(&mut out, 1, vec!["x".repeat(60), "y".repeat(60), "z".into()]);
        assert_eq!(out, format!("  {},\n  {}, z\n", "x".repeat(60), "y".repeat(60)));
    }
}
