//! Measuring devices: seconds per sample and seconds of overhead of a step, by rehearsing plans of two sizes.
//!
//! A plan over two imaginary devices gives the first a part of the batch; its events, collectives left out, are run
//! here and timed. Two sizes give the line time = overhead + samples x cost. Throttles are not part of the measure.

use super::project::Project;
use super::setup::{Setup, make};
use crate::error::Error;
use pullback_base::Id;
use pullback_plan::strategy::matches;
use pullback_plan::{AxisSpec, Constraint, Deployment, Device, DeviceId, Strategy};
use pullback_runtime::exec::worker::{Input, Pace};
use pullback_runtime::exec::{Deployed, Worker};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// What was measured of a device.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Measured {
    /// Seconds per sample.
    pub per_sample: f64,
    /// Seconds whatever the samples.
    pub overhead: f64,
}

struct Stopwatch;

impl Pace for Stopwatch {
    fn run(&mut self, compute: &mut dyn FnMut()) -> Duration {
        let start = Instant::now();
        compute();
        start.elapsed()
    }
}

/// Measures each device of the deployment on this machine, one after the other; `runs` steps at each of two sizes.
pub fn probe(project: &Project, runs: u64) -> Result<Deployment, Error> {
    let batch = batch_constraint(project)?;
    let mut out = project.deployment.clone();
    let mut known: Vec<(String, usize, Measured)> = Vec::new();
    for d in &mut out.devices {
        let m = match known.iter().find(|(kind, threads, _)| *kind == d.kind && *threads == d.threads) {
            Some((_, _, m)) => *m,
            None => {
                let m = measure(project, d, &batch, runs)?;
                known.push((d.kind.clone(), d.threads, m));
                m
            }
        };
        d.seconds_per_sample = Some(round(m.per_sample));
        d.seconds_overhead = Some(round(m.overhead));
    }
    Ok(out)
}

/// Three significant digits: more would only be noise.
fn round(seconds: f64) -> f64 {
    format!("{seconds:.2e}").parse().unwrap_or(seconds)
}

/// The constraint that cuts a batch input, and the size of what it cuts.
fn batch_constraint(project: &Project) -> Result<(Constraint, usize), Error> {
    let cuts = |c: &&Constraint| {
        !c.axes.is_empty() && project.step.batch.iter().any(|b| matches(&c.values, &b.name))
    };
    let found = project.strategy.constraints.iter().find(cuts);
    let size = |c: &Constraint| {
        let b = project.step.batch.iter().find(|b| matches(&c.values, &b.name))?;
        b.ty.shape().get(c.dim).copied()
    };
    match found.and_then(|c| size(c).map(|n| (c.clone(), n))) {
        Some((c, n)) if n >= 2 => Ok((c, n)),
        Some(_) | None => Err(Error::unsupported("probing a strategy that cuts no batch input into samples")
            .with_help("add a constraint on the batch inputs, for instance values = \"x|y\", dim = 0")),
    }
}

fn measure(
    project: &Project,
    device: &Device,
    (constraint, n): &(Constraint, usize),
    runs: u64,
) -> Result<Measured, Error> {
    let few = (n / 4).max(1);
    let many = n - 1;
    let t_few = rehearse(project, device, constraint, &[few as u64, (n - few) as u64], runs)?;
    if many <= few {
        return Ok(Measured { per_sample: t_few / few as f64, overhead: 0.0 });
    }
    let t_many = rehearse(project, device, constraint, &[many as u64, 1], runs)?;
    let per_sample = ((t_many - t_few) / (many - few) as f64).max(t_many / many as f64 / 100.0);
    Ok(Measured { per_sample, overhead: (t_few - few as f64 * per_sample).max(0.0) })
}

/// Median seconds of a step in which the device has the first of two shares.
fn rehearse(
    project: &Project,
    device: &Device,
    constraint: &Constraint,
    shares: &[u64],
    runs: u64,
) -> Result<f64, Error> {
    let axis = AxisSpec {
        name: "probe".into(),
        kind: pullback_plan::strategy::AxisKindSpec::Space,
        size: None,
        shares: Some(shares.to_vec()),
    };
    let strategy = Strategy {
        version: 1,
        axes: vec![axis],
        constraints: vec![Constraint { axes: vec!["probe".into()], ..constraint.clone() }],
        devices: None,
        collective: project.strategy.collective.clone(),
        commit: project.strategy.commit.clone(),
    };
    let twins = ["a", "b"].map(|name| Device {
        name: name.into(),
        memory_mib: 1 << 24,
        throttle: 1.0,
        ..device.clone()
    });
    let deployment = Deployment { version: 1, devices: twins.to_vec(), links: Vec::new() };
    let mut twin = Project::of(project.config.clone(), project.folder.clone())?;
    (twin.strategy, twin.deployment) = (strategy, deployment);
    let checked = Arc::new(twin.plan()?.checked);
    let program = Arc::new(twin.step.program.clone());
    let fail = |e: String| Error::new(format!("device {:?} cannot be measured: {e}", device.name));
    let setup = serde_json::to_value(Setup::of(&twin)?).map_err(|e| fail(e.to_string()))?;
    let setup = make(&setup, &program, checked.plan()).map_err(fail)?;
    let deployed = Deployed::new(checked, program, &twin.deployment, DeviceId::from_index(0))
        .map_err(|e| fail(e.to_string()))?;
    let mut worker =
        Worker::new(deployed, setup.batches, Box::new(Stopwatch)).map_err(|e| fail(e.to_string()))?;
    let regions = worker.regions().ok_or_else(|| fail("its state has no place".into()))?;
    let slots = regions.iter().enumerate().map(|(k, r)| (setup.init)(k, r)).collect();
    worker.step(Input::State { epoch: 0, slots }).map_err(|e| fail(e.to_string()))?;
    let mut times = Vec::new();
    // The first step warms caches up.
    for step in 0..=runs {
        times.push(worker.rehearse(step).map_err(|e| fail(e.to_string()))?.as_secs_f64());
    }
    let mut times = times.split_off(1);
    times.sort_by(f64::total_cmp);
    Ok(times[times.len() / 2])
}

#[cfg(test)]
mod tests {
    use super::round;

    #[test]
    fn three_digits_are_kept() {
        assert_eq!(
            [round(0.0123456), round(1.0), round(0.0), round(3.33333e-5)],
            [0.0123, 1.0, 0.0, 3.33e-5]
        );
    }
}
