//! Sizes written with symbols, as `jax.export` writes them: `2*b + 1`, `floordiv(b, 2)`, `max(t, 4)`.
//!
//! They are evaluated for given symbols, and solved for a symbol that is not given where it occurs linearly, as
//! JAX itself does. Arithmetic that leaves 64 bits gives nothing.

use std::collections::{BTreeMap, BTreeSet};

/// How deep functions may nest in an expression.
const MAX_DEPTH: u32 = 32;

/// The size of a dimension.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Expr {
    Int(i64),
    Symbol(String),
    Add(Box<Expr>, Box<Expr>),
    Mul(Box<Expr>, Box<Expr>),
    Pow(Box<Expr>, u32),
    Call(Function, Box<Expr>, Box<Expr>),
}

/// A function of two sizes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Function {
    FloorDiv,
    Mod,
    Max,
    Min,
}

/// Symbols with their values.
pub(crate) type Env = BTreeMap<String, i64>;

impl Expr {
    /// Reads an expression; `None` for what is none.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let mut p = Parser { rest: text.trim_start(), depth: 0 };
        let expr = p.sum()?;
        p.rest.is_empty().then_some(expr)
    }

    /// The symbol, if it is one and nothing else.
    pub(crate) fn symbol(&self) -> Option<&str> {
        if let Expr::Symbol(s) = self { Some(s) } else { None }
    }

    /// Adds the symbols in it.
    pub(crate) fn symbols<'e>(&'e self, out: &mut BTreeSet<&'e str>) {
        match self {
            Expr::Int(_) => {}
            Expr::Symbol(s) => drop(out.insert(s)),
            Expr::Pow(a, _) => a.symbols(out),
            Expr::Add(a, b) | Expr::Mul(a, b) | Expr::Call(_, a, b) => {
                a.symbols(out);
                b.symbols(out);
            }
        }
    }

    /// Its value; `None` if a symbol has none, or the value does not exist.
    pub(crate) fn value(&self, env: &Env) -> Option<i64> {
        match self {
            Expr::Int(n) => Some(*n),
            Expr::Symbol(s) => env.get(s).copied(),
            Expr::Add(a, b) => a.value(env)?.checked_add(b.value(env)?),
            Expr::Mul(a, b) => a.value(env)?.checked_mul(b.value(env)?),
            Expr::Pow(a, n) => a.value(env)?.checked_pow(*n),
            Expr::Call(f, a, b) => {
                let (a, b) = (a.value(env)?, b.value(env)?);
                match f {
                    Function::Max => Some(a.max(b)),
                    Function::Min => Some(a.min(b)),
                    // Towards minus infinity, as Python divides.
                    Function::FloorDiv => {
                        let (q, r) = (a.checked_div(b)?, a.checked_rem(b)?);
                        Some(if r != 0 && (r < 0) != (b < 0) { q - 1 } else { q })
                    }
                    Function::Mod => {
                        let r = a.checked_rem(b)?;
                        Some(if r != 0 && (r < 0) != (b < 0) { r + b } else { r })
                    }
                }
            }
        }
    }

    /// As `k * symbol + c`, other symbols having values.
    fn linear(&self, symbol: &str, env: &Env) -> Option<(i64, i64)> {
        if let Some(c) = self.value(env) {
            return Some((0, c));
        }
        match self {
            Expr::Symbol(s) if s == symbol => Some((1, 0)),
            Expr::Add(a, b) => {
                let ((k, c), (l, d)) = (a.linear(symbol, env)?, b.linear(symbol, env)?);
                Some((k.checked_add(l)?, c.checked_add(d)?))
            }
            Expr::Mul(a, b) => match (a.linear(symbol, env)?, b.linear(symbol, env)?) {
                ((0, f), (k, c)) | ((k, c), (0, f)) => Some((k.checked_mul(f)?, c.checked_mul(f)?)),
                _ => None,
            },
            Expr::Int(_) | Expr::Symbol(_) | Expr::Pow(..) | Expr::Call(..) => None,
        }
    }

    /// The one symbol without a value and what it must be for the whole to be `size`: `Err` if no whole number
    /// does it. `None` if the expression does not tell.
    pub(crate) fn solve(&self, size: i64, env: &Env) -> Option<(&str, Result<i64, ()>)> {
        let mut symbols = BTreeSet::new();
        self.symbols(&mut symbols);
        let mut unknown = symbols.into_iter().filter(|s| !env.contains_key(*s));
        let (Some(symbol), None) = (unknown.next(), unknown.next()) else { return None };
        let (k, c) = self.linear(symbol, env).filter(|(k, _)| *k != 0)?;
        let rest = size.checked_sub(c)?;
        let whole = rest.checked_rem(k)? == 0 && rest / k >= 0;
        Some((symbol, if whole { Ok(rest / k) } else { Err(()) }))
    }
}

struct Parser<'a> {
    rest: &'a str,
    depth: u32,
}

impl Parser<'_> {
    fn eat(&mut self, c: char) -> bool {
        let Some(rest) = self.rest.strip_prefix(c) else { return false };
        self.rest = rest.trim_start();
        true
    }

    fn sum(&mut self) -> Option<Expr> {
        let mut sum: Option<Expr> = None;
        loop {
            let negative = self.eat('-');
            if !negative && !self.eat('+') && sum.is_some() {
                return sum;
            }
            let mut term = self.product()?;
            if negative {
                term = Expr::Mul(Box::new(Expr::Int(-1)), Box::new(term));
            }
            sum = Some(match sum {
                Some(sum) => Expr::Add(Box::new(sum), Box::new(term)),
                None => term,
            });
        }
    }

    fn product(&mut self) -> Option<Expr> {
        let mut product = self.power()?;
        while self.eat('*') {
            product = Expr::Mul(Box::new(product), Box::new(self.power()?));
        }
        Some(product)
    }

    fn power(&mut self) -> Option<Expr> {
        let factor = self.factor()?;
        if !self.eat('^') {
            return Some(factor);
        }
        let n = u32::try_from(self.int()?).ok()?;
        Some(Expr::Pow(Box::new(factor), n))
    }

    fn int(&mut self) -> Option<i64> {
        let n = self.rest.bytes().take_while(u8::is_ascii_digit).count();
        let value = self.rest[..n].parse().ok()?;
        self.rest = self.rest[n..].trim_start();
        Some(value)
    }

    fn factor(&mut self) -> Option<Expr> {
        if self.eat('-') {
            return self.int().map(|n| Expr::Int(-n));
        }
        if self.rest.starts_with(|c: char| c.is_ascii_digit()) {
            return self.int().map(Expr::Int);
        }
        if self.eat('(') {
            return self.nested(')');
        }
        let n = self.rest.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(self.rest.len());
        let name = self.rest.get(..n).filter(|s| !s.is_empty())?;
        self.rest = self.rest[n..].trim_start();
        if !self.eat('(') {
            return Some(Expr::Symbol(name.to_owned()));
        }
        let function = match name {
            "floordiv" => Function::FloorDiv,
            "mod" => Function::Mod,
            "max" => Function::Max,
            "min" => Function::Min,
            // Written until 2024: the larger of a size and 0.
            "non_negative" => {
                let a = self.nested(')')?;
                return Some(Expr::Call(Function::Max, Box::new(a), Box::new(Expr::Int(0))));
            }
            _ => return None,
        };
        let (a, b) = (self.nested(',')?, self.nested(')')?);
        Some(Expr::Call(function, Box::new(a), Box::new(b)))
    }

    /// A sum and what ends it.
    fn nested(&mut self, end: char) -> Option<Expr> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return None;
        }
        let sum = self.sum()?;
        self.depth -= 1;
        self.eat(end).then_some(sum)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn env(pairs: &[(&str, i64)]) -> Env {
        pairs.iter().map(|&(s, n)| (s.to_owned(), n)).collect()
    }

    #[test]
    fn expressions_have_the_values_python_gives_them() {
        let env = env(&[("b", 7), ("t", 3), ("n_1", 0)]);
        for (text, want) in [
            ("12", 12),
            ("b", 7),
            ("2*b + 1", 15),
            ("-b + 4", -3),
            ("b*t - -2", 23),
            ("b^2*t", 147),
            ("floordiv(b, 2)", 3),
            ("floordiv(-b, 2)", -4),
            ("mod(-b, t)", 2),
            ("mod(b, -t)", -2),
            ("max(b, t*4) - min(b, t)", 9),
            ("non_negative(-b)", 0),
            ("floordiv(b + mod(t, 2), t) + n_1", 2),
            ("2*(b + 1)", 16),
        ] {
            let expr = Expr::parse(text).unwrap_or_else(|| panic!("{text} is not read"));
            assert_eq!(expr.value(&env), Some(want), "{text}");
        }
        for text in ["", "b +", "b b", "floordiv(b)", "log(b)", "2**b", "b^c", "(b", "9999999999999999999"] {
            assert_eq!(Expr::parse(text), None, "{text}");
        }
        assert_eq!(Expr::parse(&"max(".repeat(100_000)), None);
        for text in ["floordiv(b, n_1)", "mod(b, n_1)", "q", "9223372036854775807*b"] {
            assert_eq!(Expr::parse(text).and_then(|e| e.value(&env)), None, "{text}");
        }
    }

    #[test]
    fn one_symbol_is_solved_where_it_is_linear() {
        let env = env(&[("t", 3)]);
        for (text, size, want) in [
            ("b", 5, Some(("b", Ok(5)))),
            ("2*b + 1", 9, Some(("b", Ok(4)))),
            ("2*b + 1", 8, Some(("b", Err(())))),
            ("b + 9", 8, Some(("b", Err(())))),
            ("b*t - t", 9, Some(("b", Ok(4)))),
            ("b*t + floordiv(t, 2)*b", 8, Some(("b", Ok(2)))),
            ("b*c", 8, None),
            ("b^2", 9, None),
            ("floordiv(b, 2)", 3, None),
            ("t", 3, None),
            ("b - b", 3, None),
        ] {
            let expr = Expr::parse(text).unwrap_or_else(|| panic!("{text} is not read"));
            assert_eq!(expr.solve(size, &env), want, "{text}");
        }
    }
}
