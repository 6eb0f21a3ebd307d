//! Ctrl-C: the first asks the run to end after the step in progress, the second ends it at once.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// A flag that the first Ctrl-C sets; none where signals cannot be caught (then Ctrl-C ends the run, which
/// `resume` takes up again).
pub(super) fn flag() -> Option<Arc<AtomicBool>> {
    let flag = Arc::new(AtomicBool::new(false));
    let set = flag.clone();
    let handler = move || {
        if set.swap(true, Ordering::SeqCst) {
            std::process::exit(130);
        }
        eprintln!("\nending after this step; press Ctrl-C again to end at once");
    };
    ctrlc::set_handler(handler).ok().map(|()| flag)
}
