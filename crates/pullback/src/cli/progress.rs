//! Progress of a run on standard error: one line that is rewritten on a terminal, a line now and then elsewhere.

use pullback_plan::Deployment;
use pullback_runtime::drive::Event;
use std::io::{self, IsTerminal, Write};
use std::time::{Duration, Instant};

/// Follows a run's events.
pub(super) struct Progress {
    steps: u64,
    names: Vec<String>,
    terminal: bool,
    started: Option<(Instant, u64)>,
    shown: Option<Instant>,
    open: bool,
}

impl Progress {
    pub(super) fn new(steps: u64, deployment: &Deployment) -> Self {
        let names = deployment.devices.iter().map(|d| d.name.clone()).collect();
        Self { steps, names, terminal: io::stderr().is_terminal(), started: None, shown: None, open: false }
    }

    pub(super) fn event(&mut self, event: &Event) {
        match event {
            Event::Running { epoch, committed } => {
                self.started = Some((Instant::now(), *epoch));
                if committed > epoch {
                    self.line(&format!(
                        "steps {} to {committed} are in the ledger: running them again",
                        epoch + 1
                    ));
                }
            }
            Event::Step { step, loss, replayed } => self.step(*step, *loss, *replayed),
            Event::Lost { device, reason } => {
                let line = format!("worker {} is lost ({reason}); starting it again", self.name(*device));
                self.line(&line);
            }
            Event::Restoring { epoch, from: Some(path) } => {
                self.line(&format!("state of step {epoch} from {path}"))
            }
            Event::Note(text) => self.line(text),
            Event::Starting { .. }
            | Event::Started { .. }
            | Event::Deployed { .. }
            | Event::Checkpoint { .. }
            | Event::Restoring { from: None, .. } => {}
        }
    }

    fn name(&self, device: pullback_plan::DeviceId) -> String {
        use pullback_base::Id;
        self.names.get(device.index()).cloned().unwrap_or_else(|| device.to_string())
    }

    fn step(&mut self, step: u64, loss: f64, replayed: bool) {
        let every = if self.terminal { Duration::from_millis(100) } else { Duration::from_secs(5) };
        let due = self.shown.is_none_or(|t| t.elapsed() >= every) || step == self.steps;
        if !due {
            return;
        }
        self.shown = Some(Instant::now());
        let (start, first) = self.started.unwrap_or((Instant::now(), 0));
        let seconds = start.elapsed().as_secs_f64().max(1e-9);
        let rate = step.saturating_sub(first) as f64 / seconds;
        let left = self.steps.saturating_sub(step) as f64 / rate.max(1e-9);
        let word = if replayed { "replayed" } else { "step" };
        let text = format!(
            "{word} {step:>5}/{}   loss {}   {rate:.2} steps/s   {} left",
            self.steps,
            super::report::number(loss),
            clock(left)
        );
        if self.terminal {
            let _ = write!(io::stderr(), "\r{text:<78}");
            let _ = io::stderr().flush();
            self.open = true;
        } else {
            self.line(&text);
        }
    }

    /// Ends the rewritten line.
    pub(super) fn end(&mut self) {
        if std::mem::take(&mut self.open) {
            let _ = writeln!(io::stderr());
        }
    }

    fn line(&mut self, text: &str) {
        self.end();
        let _ = writeln!(io::stderr(), "{text}");
    }
}

fn clock(seconds: f64) -> String {
    if !seconds.is_finite() || seconds > 360_000.0 {
        return "?".into();
    }
    let s = seconds.round() as u64;
    match s / 3600 {
        0 => format!("{}:{:02}", s / 60, s % 60),
        h => format!("{h}:{:02}:{:02}", s / 60 % 60, s % 60),
    }
}
