//! The controller alone: what it does with silence, suspicion and losses, input by input.

use crate::tiny::{self, deployment, replicated};
use pullback_base::Id;
use pullback_plan::{DeviceId, Digest};
use pullback_runtime::control::{Deploy, FromWorker, Origin, ToWorker};
use pullback_runtime::controller::{Config, Controller, Effect, Found, Input, StopReason};
use std::sync::Arc;
use std::time::Duration;

fn d(i: usize) -> DeviceId {
    DeviceId::from_index(i)
}

/// One that begins; or one that goes on, with so many steps in the ledger.
fn controller(committed: u64) -> Controller {
    let (program, plan) = tiny::plan(&replicated(), &deployment());
    let deploy = Deploy {
        plan: String::new(),
        step: String::new(),
        strategy: String::new(),
        deployment: String::new(),
        device: String::new(),
        peers: Default::default(),
        attempt: 0,
        setup: serde_json::Value::Null,
    };
    Controller::new(Config {
        plan: Arc::new(plan),
        program: Arc::new(program),
        deploy,
        steps: 10,
        committed,
        checkpoint_every: 0,
        max_restarts: 3,
        stall_after: Duration::from_secs(60),
        first_stall_after: Duration::from_secs(900),
        suspect_after: Duration::from_secs(2),
    })
}

fn up(c: &mut Controller, i: usize, generation: u64) -> Vec<Effect> {
    c.step(Input::Up { device: d(i), generation, address: format!("a{i}.{generation}") })
}

fn says(c: &mut Controller, i: usize, message: FromWorker) -> Vec<Effect> {
    c.step(Input::Message { device: d(i), generation: 0, message })
}

/// Messages among effects: device and message.
fn sent(effects: &[Effect]) -> Vec<(usize, &ToWorker)> {
    let pick = |e| match e {
        &Effect::Send { device, ref message } => Some((device.index(), message)),
        _ => None,
    };
    effects.iter().filter_map(pick).collect()
}

fn stopped(effects: &[Effect]) -> Option<&StopReason> {
    effects.iter().find_map(|e| if let Effect::Stop(Err(why)) = e { Some(why) } else { None })
}

/// Up to the moment at which step 1 runs.
fn running() -> Controller {
    let mut c = controller(0);
    c.step(Input::Start);
    assert!(up(&mut c, 0, 0).is_empty() && up(&mut c, 1, 0).is_empty());
    let effects = up(&mut c, 2, 0);
    let deployed = sent(&effects);
    assert!(deployed.len() == 3, "{effects:?}");
    for (i, message) in deployed {
        let ToWorker::Deploy(deploy) = message else { panic!("{message:?}") };
        assert_eq!((deploy.device.as_str(), deploy.peers.len()), (format!("w{i}").as_str(), 3));
    }
    for i in 0..3 {
        let effects = says(&mut c, i, FromWorker::Ready { arena: 1, scratch: 1 });
        assert_eq!(effects.contains(&Effect::FindCheckpoint), i == 2);
    }
    let effects = c.step(Input::CheckpointFound(None));
    let init = ToWorker::Restore { epoch: 0, from: Origin::Init };
    assert_eq!(sent(&effects), [(0, &init), (1, &init), (2, &init)]);
    for i in 0..3 {
        let effects = says(&mut c, i, FromWorker::Restored { epoch: 0, digest: Digest::default() });
        let begin = ToWorker::Begin { step: 1, attempt: 1 };
        let all = [(0, &begin), (1, &begin), (2, &begin)];
        assert_eq!(sent(&effects), if i == 2 { &all[..] } else { &[] });
    }
    c
}

#[test]
fn silence_ends_the_run_and_names_who_is_waited_for() {
    let mut c = running();
    let at = |s| Input::Tick { now: Duration::from_secs(s) };
    assert!(c.step(at(1)).is_empty() && c.step(at(900)).is_empty());
    let effects = c.step(at(901));
    let Some(StopReason::Stalled { waiting, .. }) = stopped(&effects) else { panic!("{effects:?}") };
    assert_eq!(waiting.iter().map(|w| w.0).collect::<Vec<_>>(), [d(0), d(1), d(2)]);
    assert!(waiting[0].1.contains("computing"));
    assert!(c.step(Input::Start).is_empty(), "over is over");
}

#[test]
fn a_loss_aborts_the_step_and_too_many_end_the_run() {
    let mut c = running();
    let lost = |generation| Input::Lost { device: d(1), generation, reason: "killed".into() };
    let effects = c.step(lost(0));
    let abort = ToWorker::Abort { attempt: 2 };
    assert_eq!(sent(&effects), [(0, &abort), (2, &abort)]);
    assert!(effects.contains(&Effect::Start { device: d(1), generation: 1 }));
    assert!(c.step(lost(0)).is_empty(), "the old incarnation is lost only once");
    // The newcomer is deployed; the others learn of its address.
    let effects = up(&mut c, 1, 1);
    let kinds: Vec<(usize, bool)> = sent(&effects)
        .iter()
        .map(|(i, m)| (*i, matches!(m, ToWorker::Peer { at, .. } if at.generation == 1)))
        .collect();
    assert_eq!(kinds, [(0, true), (1, false), (2, true)]);
    for generation in 1..3 {
        assert!(stopped(&c.step(lost(generation))).is_none());
    }
    let effects = c.step(lost(3));
    assert!(matches!(stopped(&effects), Some(StopReason::Restarts { count: 4, .. })), "{effects:?}");
}

#[test]
fn a_peer_that_cannot_be_reached_is_restarted_after_a_while_unless_it_was_already() {
    let mut c = running();
    let gone = FromWorker::PeerLost { name: "w2".into(), generation: 0, why: "refused".into() };
    assert!(says(&mut c, 0, gone.clone()).is_empty());
    let at = |s| Input::Tick { now: Duration::from_secs(s) };
    assert!(c.step(at(1)).is_empty());
    let effects = c.step(at(3));
    assert!(effects.contains(&Effect::Start { device: d(2), generation: 1 }), "{effects:?}");
    assert!(says(&mut c, 0, gone).is_empty() && c.step(at(4)).is_empty() && c.step(at(9)).is_empty());
}

#[test]
fn a_step_begins_only_from_the_state_that_was_committed() {
    let part = |i: usize| Digest::of(&[i as u8]);
    let whole = Digest::of(&[part(0).0, part(1).0, part(2).0].concat());
    let restored = |third: Digest| {
        let mut c = controller(7);
        c.step(Input::Start);
        (0..3).for_each(|i| drop(up(&mut c, i, 0)));
        (0..3).for_each(|i| drop(says(&mut c, i, FromWorker::Ready { arena: 1, scratch: 1 })));
        let found = Found { epoch: 5, path: "step-000005".into(), digest: Some(whole) };
        assert_eq!(sent(&c.step(Input::CheckpointFound(Some(found)))).len(), 3);
        let parts = [part(0), part(1), third];
        let said = |(i, digest)| says(&mut c, i, FromWorker::Restored { epoch: 5, digest });
        parts.into_iter().enumerate().map(said).last().unwrap()
    };
    let effects = restored(part(2));
    assert!(sent(&effects).iter().all(|s| *s.1 == ToWorker::Begin { step: 6, attempt: 1 }), "{effects:?}");
    assert_eq!(sent(&effects).len(), 3);
    let effects = restored(part(1));
    let Some(StopReason::OtherState { epoch: 5, path, committed, .. }) = stopped(&effects) else {
        panic!("{effects:?}")
    };
    assert_eq!((path.as_str(), *committed), ("step-000005", whole));
    assert!(sent(&effects).is_empty());
}
