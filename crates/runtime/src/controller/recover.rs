//! Losses, newcomers, checkpoints and silence: how a run gets back to one state.

use super::{Controller, Doing, Effect, Event, Found, Phase, StopReason, combined};
use crate::control::{Origin, PeerAddress, ToWorker};
use crate::exec::owners::owners;
use pullback_base::Id;
use pullback_plan::DeviceId;
use std::time::Duration;

/// Silence is judged against this many times the longest step seen.
const STALL_STEPS: u32 = 20;

impl Controller {
    pub(super) fn lost(&mut self, device: DeviceId, generation: u64, reason: &str, out: &mut Vec<Effect>) {
        let Some(m) = self.members.get_mut(device.index()).filter(|m| m.generation == generation) else {
            return;
        };
        m.generation += 1;
        m.address = None;
        m.ready = false;
        m.state = None;
        m.doing = Doing::Starting;
        self.attempt += 1;
        self.restarts += 1;
        self.suspects.retain(|s| s.0 != device);
        let count = self.restarts;
        if count > self.config.max_restarts {
            let reason = reason.to_owned();
            return self.stop(Err(StopReason::Restarts { device, count, reason }), out);
        }
        out.push(Effect::Tell(Event::Lost { device, reason: reason.to_owned() }));
        self.start(device, out);
        match self.phase {
            Phase::Running => {
                for d in self.devices() {
                    let m = self.member(d);
                    if matches!(m.doing, Doing::Running | Doing::Prepared(_)) {
                        m.doing = Doing::Nothing;
                        let attempt = self.attempt;
                        self.send(d, ToWorker::Abort { attempt }, out);
                    }
                }
                self.phase = Phase::Settling;
            }
            Phase::Writing { .. } => {
                for m in &mut self.members {
                    if matches!(m.doing, Doing::Wrote(_)) {
                        m.doing = Doing::Nothing;
                    }
                }
                self.phase = Phase::Settling;
            }
            // The answer that these wait for comes from the driver; the loss is seen to after it.
            Phase::Recording | Phase::Finding | Phase::Making { .. } | Phase::Publishing { .. } => return,
            Phase::Settling | Phase::Stopped => {}
        }
        if self.phase == Phase::Settling {
            self.settle(out);
        }
    }

    /// Takes the next step towards all workers being up, deployed and of one state.
    pub(super) fn settle(&mut self, out: &mut Vec<Effect>) {
        if self.members.iter().any(|m| m.doing == Doing::Starting) {
            return;
        }
        self.introduce(out);
        let busy = |m: &super::Member| !m.ready || !matches!(m.doing, Doing::Nothing);
        if self.members.iter().any(busy) {
            return;
        }
        let epoch = self.epoch;
        let has = |d: DeviceId| self.members[d.index()].state == Some(epoch);
        if self.devices().all(has) {
            if let Some(why) = self.other_state() {
                return self.stop(Err(why), out);
            }
            out.push(Effect::Tell(Event::Running { epoch, committed: self.committed }));
            return self.proceed(out);
        }
        let newest = self.newest.clone().filter(|n| n.0 == epoch);
        let some = self.devices().any(has);
        if some && newest.is_none() && owners(&self.config.plan, &self.config.program, &has).is_some() {
            self.phase = Phase::Making { recovery: true };
            out.push(Effect::MakeCheckpoint { epoch, recovery: true });
        } else if some && let Some((_, path)) = newest {
            self.restore(epoch, Some(path), out);
        } else {
            self.phase = Phase::Finding;
            out.push(Effect::FindCheckpoint);
        }
    }

    /// Whether what the workers hold is not what was committed.
    fn other_state(&self) -> Option<StopReason> {
        let committed = self.expected?;
        let loaded = combined(self.members.iter().map(|m| &m.digest));
        let path = self.loaded_from.clone().unwrap_or_default();
        (loaded != committed).then_some(StopReason::OtherState { epoch: self.epoch, path, committed, loaded })
    }

    /// Deploys who is not deployed, and tells the others of new addresses.
    fn introduce(&mut self, out: &mut Vec<Effect>) {
        let generations: Vec<u64> = self.members.iter().map(|m| m.generation).collect();
        for device in self.devices() {
            let m = self.member(device);
            let knew = std::mem::replace(&mut m.knows, generations.clone());
            if m.doing == Doing::Waiting {
                m.doing = Doing::Deploying;
                let mut deploy = self.config.deploy.clone();
                deploy.device = self.config.plan.mesh.place(device).device.clone();
                deploy.peers = self.peers();
                deploy.attempt = self.attempt;
                self.send(device, ToWorker::Deploy(Box::new(deploy)), out);
                continue;
            }
            for peer in self.devices().filter(|p| knew[p.index()] != generations[p.index()]) {
                let address = self.members[peer.index()].address.clone().unwrap_or_default();
                let at = PeerAddress { address, generation: generations[peer.index()] };
                let name = self.config.plan.mesh.place(peer).device.clone();
                self.send(device, ToWorker::Peer { name, at }, out);
            }
        }
    }

    /// Gives the state of `epoch` to all that do not have it.
    fn restore(&mut self, epoch: u64, path: Option<String>, out: &mut Vec<Effect>) {
        self.phase = Phase::Settling;
        out.push(Effect::Tell(Event::Restoring { epoch, from: path.clone() }));
        self.loaded_from = path.clone();
        for device in self.devices() {
            let m = self.member(device);
            if m.ready && m.state != Some(epoch) {
                m.state = None;
                m.doing = Doing::Restoring(epoch);
                let from = path.clone().map_or(Origin::Init, Origin::Checkpoint);
                self.send(device, ToWorker::Restore { epoch, from }, out);
            }
        }
    }

    pub(super) fn found(&mut self, found: Option<Found>, out: &mut Vec<Effect>) {
        if self.phase != Phase::Finding {
            return;
        }
        let (epoch, path, digest) = match found {
            Some(Found { epoch, path, digest }) => (epoch, Some(path), digest),
            None => (0, None, None),
        };
        if epoch > self.committed {
            let committed = self.committed;
            let why =
                format!("the newest checkpoint is of step {epoch}, but the ledger ends at step {committed}");
            return self.stop(Err(StopReason::Protocol(why)), out);
        }
        self.newest = path.clone().map(|path| (epoch, path));
        self.epoch = epoch;
        self.expected = digest;
        self.checkpoint_due = false;
        self.restore(epoch, path, out);
        self.settle(out);
    }

    /// Has the holders of the state write it.
    pub(super) fn write(&mut self, dir: &str, out: &mut Vec<Effect>) {
        let Phase::Making { recovery } = self.phase else { return };
        let epoch = self.epoch;
        let holders: Vec<DeviceId> =
            self.devices().filter(|d| self.members[d.index()].state == Some(epoch)).collect();
        let lost = self.members.iter().any(|m| !m.ready);
        let whole = owners(&self.config.plan, &self.config.program, &|d| holders.contains(&d)).is_some();
        if lost || !whole {
            self.phase = Phase::Settling;
            return self.settle(out);
        }
        self.phase = Phase::Writing { recovery };
        let alive: Vec<usize> = holders.iter().map(|d| d.index()).collect();
        for device in holders {
            self.member(device).doing = Doing::Writing;
            let (dir, attempt, alive) = (dir.to_owned(), self.attempt, alive.clone());
            self.send(device, ToWorker::Checkpoint { dir, epoch, attempt, alive }, out);
        }
    }

    pub(super) fn wrote(&mut self, out: &mut Vec<Effect>) {
        let Phase::Writing { recovery } = self.phase else { return };
        if self.members.iter().any(|m| m.doing == Doing::Writing) {
            return;
        }
        let mut shards = Vec::new();
        for m in &mut self.members {
            match std::mem::replace(&mut m.doing, Doing::Nothing) {
                Doing::Wrote(info) => shards.push(*info),
                Doing::Nothing
                | Doing::Starting
                | Doing::Waiting
                | Doing::Deploying
                | Doing::Restoring(_)
                | Doing::Running
                | Doing::Prepared(_)
                | Doing::Writing => {}
            }
        }
        self.phase = Phase::Publishing { recovery };
        out.push(Effect::PublishCheckpoint { epoch: self.epoch, recovery, shards });
    }

    pub(super) fn published(&mut self, epoch: u64, path: String, out: &mut Vec<Effect>) {
        let Phase::Publishing { recovery } = self.phase else { return };
        self.phase = Phase::Settling;
        if recovery {
            // It is not kept, so it is not the newest; those who come later need another.
            self.restore(epoch, Some(path), out);
            return self.settle(out);
        }
        out.push(Effect::Tell(Event::Checkpoint { epoch, path: path.clone() }));
        self.newest = Some((epoch, path));
        self.checkpoint_due = false;
        self.proceed(out);
    }

    /// Judges silence and suspicion.
    pub(super) fn tick(&mut self, now: Duration, out: &mut Vec<Effect>) {
        // A start has bounds of its own, the driver's.
        let starting = self.members.iter().any(|m| m.doing == Doing::Starting);
        if std::mem::take(&mut self.heard) || starting {
            self.heard_at = now;
        }
        let grace = self.config.suspect_after;
        let mut due = None;
        for (device, generation, since, why) in &mut self.suspects {
            let since = *since.get_or_insert(now);
            if now.saturating_sub(since) >= grace && due.is_none() {
                due = Some((*device, *generation, why.clone()));
            }
        }
        if let Some((device, generation, why)) = due {
            self.suspects.retain(|s| (s.0, s.1) != (device, generation));
            return self.lost(device, generation, &why, out);
        }
        let after = match self.longest_compute {
            Some(longest) => self.config.stall_after.max(longest.saturating_mul(STALL_STEPS)),
            None => self.config.first_stall_after,
        };
        if now.saturating_sub(self.heard_at) >= after {
            let waiting = self.devices().filter_map(|d| {
                let doing = &self.members[d.index()].doing;
                let due =
                    !matches!(doing, Doing::Nothing | Doing::Waiting | Doing::Prepared(_) | Doing::Wrote(_));
                due.then(|| (d, doing.words().to_owned()))
            });
            let waiting = waiting.collect();
            self.stop(Err(StopReason::Stalled { after, waiting }), out);
        }
    }
}
