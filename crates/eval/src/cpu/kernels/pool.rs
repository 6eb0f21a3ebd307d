//! A small persistent thread pool with one operation: run chunks `0..n` on up to `threads` threads.
//!
//! What must hold: `parallel_for` returns only when no thread can touch its closure any more; it cannot deadlock,
//! also when nested or called from many threads at once, because the caller works through the chunks itself and
//! waits only for helpers that have begun. Which thread runs a chunk is a matter of timing, so a chunk's result
//! must depend on its number only.
//!
//! What it does not do: no futures, no queues of work beyond the call, no stealing, no pinning.

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, Thread};

/// Never more helpers than this in a process.
const MAX_HELPERS: usize = 255;
/// Turns of a waiting loop before a thread sleeps; some tens of microseconds, the time between two kernels.
const SPINS: usize = 1500;

/// One running `parallel_for`, on its caller's stack.
struct Job {
    /// The closure, its lifetime erased: valid until the caller has seen `active` at zero with no tickets left.
    body: *const (dyn Fn(usize) + Sync),
    chunks: usize,
    next: AtomicUsize,
    active: AtomicUsize,
    panicked: AtomicBool,
    caller: Thread,
}

impl Job {
    fn work(&self) {
        loop {
            let chunk = self.next.fetch_add(1, Ordering::Relaxed);
            if chunk >= self.chunks {
                return;
            }
            // SAFETY: `body` outlives every thread that is counted in `active` or is the caller itself.
            unsafe { (*self.body)(chunk) };
        }
    }
}

/// A right to help with a job; the caller takes back the unused ones before it returns.
struct Ticket(*const Job);
// SAFETY: a `Job` is shared by design (atomics and a `Sync` closure); its lifetime is guarded as told above.
unsafe impl Send for Ticket {}

struct Pool {
    tickets: Mutex<VecDeque<Ticket>>,
    wake: Condvar,
    /// Tickets in the queue, to be read without the lock.
    waiting: AtomicUsize,
    helpers: AtomicUsize,
}

static POOL: Pool = Pool {
    tickets: Mutex::new(VecDeque::new()),
    wake: Condvar::new(),
    waiting: AtomicUsize::new(0),
    helpers: AtomicUsize::new(0),
};

impl Pool {
    fn lock(&self) -> MutexGuard<'_, VecDeque<Ticket>> {
        self.tickets.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Starts helpers until there are `wanted`; where the system refuses, the callers do the work themselves.
    fn ensure(&'static self, wanted: usize) {
        let wanted = wanted.min(MAX_HELPERS);
        while self.helpers.load(Ordering::Relaxed) < wanted {
            let number = self.helpers.fetch_add(1, Ordering::Relaxed);
            let builder = thread::Builder::new().name(format!("kernels-{number}"));
            if builder.spawn(move || self.help()).is_err() {
                self.helpers.fetch_sub(1, Ordering::Relaxed);
                return;
            }
        }
    }

    fn help(&self) {
        loop {
            spin_until(|| self.waiting.load(Ordering::Relaxed) > 0);
            let mut tickets = self.lock();
            let job = loop {
                if let Some(ticket) = tickets.pop_front() {
                    break ticket.0;
                }
                tickets = self.wake.wait(tickets).unwrap_or_else(PoisonError::into_inner);
            };
            self.waiting.store(tickets.len(), Ordering::Relaxed);
            // SAFETY: the ticket was in the queue under the lock, so the caller is still in `parallel_for`.
            let job: &Job = unsafe { &*job };
            job.active.fetch_add(1, Ordering::Relaxed);
            drop(tickets);
            let caller = job.caller.clone();
            if catch_unwind(AssertUnwindSafe(|| job.work())).is_err() {
                job.panicked.store(true, Ordering::Relaxed);
            }
            // After this the job may be gone.
            job.active.fetch_sub(1, Ordering::Release);
            caller.unpark();
        }
    }
}

/// Whether `ready` became true within a short time of busy waiting.
fn spin_until(ready: impl Fn() -> bool) -> bool {
    for _ in 0..SPINS {
        if ready() {
            return true;
        }
        std::hint::spin_loop();
    }
    false
}

/// Calls `body(0)` … `body(chunks - 1)`, each once, on the calling thread and up to `threads - 1` helpers.
///
/// Chunks are handed out in order as threads become free. A panic of any chunk is passed on to the caller after
/// all threads have left `body`.
pub fn parallel_for(chunks: usize, threads: usize, body: &(dyn Fn(usize) + Sync)) {
    let helpers = threads.min(chunks).saturating_sub(1);
    if helpers == 0 {
        (0..chunks).for_each(body);
        return;
    }
    POOL.ensure(helpers);
    // SAFETY: only the lifetime changes; this function does not return while `job` is reachable by others.
    let body = unsafe {
        std::mem::transmute::<*const (dyn Fn(usize) + Sync + '_), *const (dyn Fn(usize) + Sync + 'static)>(
            body,
        )
    };
    let job = Job {
        body,
        chunks,
        next: AtomicUsize::new(0),
        active: AtomicUsize::new(0),
        panicked: AtomicBool::new(false),
        caller: thread::current(),
    };
    let this: *const Job = &job;
    {
        let mut tickets = POOL.lock();
        tickets.extend((0..helpers).map(|_| Ticket(this)));
        POOL.waiting.store(tickets.len(), Ordering::Relaxed);
    }
    if helpers == 1 {
        POOL.wake.notify_one()
    } else {
        POOL.wake.notify_all()
    }
    let outcome = catch_unwind(AssertUnwindSafe(|| job.work()));
    {
        let mut tickets = POOL.lock();
        tickets.retain(|ticket| !std::ptr::eq(ticket.0, this));
        POOL.waiting.store(tickets.len(), Ordering::Relaxed);
    }
    let left = || job.active.load(Ordering::Acquire) == 0;
    if !spin_until(left) {
        while !left() {
            thread::park();
        }
    }
    if let Err(payload) = outcome {
        resume_unwind(payload);
    }
    assert!(!job.panicked.load(Ordering::Relaxed), "a kernel panicked on a helper thread");
}

/// Splits `0..len` into `parts` ranges of nearly equal length, each a multiple of `grain` but for the last.
/// Depends on the arguments only.
pub fn split(len: usize, parts: usize, grain: usize, part: usize) -> std::ops::Range<usize> {
    let grains = len.div_ceil(grain.max(1));
    let bound = |p: usize| (grains * p / parts.max(1) * grain.max(1)).min(len);
    bound(part)..bound(part + 1)
}

/// A pointer that chunks of one `parallel_for` may share. Whoever uses it vouches that they write disjoint places.
#[derive(Clone, Copy)]
pub(crate) struct Shared<T>(pub *mut T);
// SAFETY: see the type; the data behind it is `Send`.
unsafe impl<T: Send> Send for Shared<T> {}
// SAFETY: as above.
unsafe impl<T: Send> Sync for Shared<T> {}

impl<T> Shared<T> {
    /// The pointer (a method, so that closures capture the whole wrapper).
    pub(crate) fn place(self) -> *mut T {
        self.0
    }

    /// The slice `start..start + len` behind the pointer.
    ///
    /// # Safety
    /// The range is within the allocation, and nothing else touches it during `'a`.
    pub(crate) unsafe fn slice<'a>(self, start: usize, len: usize) -> &'a mut [T] {
        // SAFETY: promised by the caller.
        unsafe { std::slice::from_raw_parts_mut(self.0.add(start), len) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_chunk_runs_once() {
        for threads in [1, 2, 5] {
            for chunks in [0, 1, 2, 7, 1000] {
                let counts: Vec<AtomicUsize> = (0..chunks).map(|_| AtomicUsize::new(0)).collect();
                parallel_for(chunks, threads, &|i| {
                    counts[i].fetch_add(1, Ordering::Relaxed);
                });
                assert!(counts.iter().all(|c| c.load(Ordering::Relaxed) == 1), "{threads} {chunks}");
            }
        }
    }

    #[test]
    fn nested_and_concurrent_calls_finish() {
        let sum = AtomicUsize::new(0);
        thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for _ in 0..50 {
                        parallel_for(4, 3, &|i| {
                            parallel_for(3, 2, &|j| {
                                sum.fetch_add(i * 3 + j, Ordering::Relaxed);
                            })
                        });
                    }
                });
            }
        });
        assert_eq!(sum.load(Ordering::Relaxed), 4 * 50 * (11 * 12 / 2));
    }

    #[test]
    fn a_panic_reaches_the_caller_and_the_pool_lives_on() {
        for bad in [0, 99] {
            let outcome = catch_unwind(|| {
                parallel_for(100, 2, &|i| {
                    thread::yield_now();
                    if i == bad {
                        resume_unwind(Box::new("bad chunk"));
                    }
                })
            });
            assert!(outcome.is_err());
        }
        every_chunk_runs_once();
    }

    #[test]
    fn split_tiles_the_range() {
        for (len, parts, grain) in [(0, 3, 4), (1, 2, 4), (10, 3, 1), (100, 3, 24), (96, 2, 24)] {
            let mut at = 0;
            for part in 0..parts {
                let range = split(len, parts, grain, part);
                assert_eq!(range.start, at);
                assert!(range.end == len || range.end.is_multiple_of(grain));
                at = range.end;
            }
            assert_eq!(at, len);
        }
    }
}
