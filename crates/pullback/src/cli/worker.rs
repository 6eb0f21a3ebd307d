//! `pullback worker`: a worker process; `train` starts those of this machine itself.

use crate::Error;
use crate::run::setup::make;
use pullback_runtime::drive::{WorkerOptions, serve};

/// Run a worker that waits for a controller
#[derive(clap::Args)]
#[command(after_help = "Example: pullback worker --listen 127.0.0.1:7001

Give the same address to the device in the deployment. Without --parent the session token is read from PULLBACK_TOKEN,
here and where `train` is started.")]
pub struct Args {
    /// Loopback address and port; port 0 takes any free one
    #[arg(long, default_value = "127.0.0.1:0")]
    listen: String,
    /// Name in logs
    #[arg(long)]
    name: Option<String>,
    /// End when standard input does
    #[arg(long)]
    parent: bool,
    /// Wait for the next controller when one has gone
    #[arg(long)]
    keep_listening: bool,
}

pub(super) fn run(args: &Args) -> Result<(), Error> {
    let mut options = WorkerOptions::new(&args.listen);
    if let Some(name) = &args.name {
        options.name = name.clone();
    }
    options.parent = args.parent;
    options.keep_listening = args.keep_listening;
    serve(&options, &make).map_err(|e| Error::new(e.to_string()))
}
