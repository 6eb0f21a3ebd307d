//! The `pullback` binary. Everything is in the library: [`pullback::cli`].

fn main() -> std::process::ExitCode {
    pullback::cli::main()
}
