//! Several programs at once, each a process of a grid of replicas (rows) and partitions (columns).
//!
//! Every process has a thread, but they take turns: one runs until it has to wait, then the first that need not. So
//! results, errors and the order in which a channel is filled are the same in each run, and when no process can go
//! on that is known and said, with what each waits for. Elements combine in the order of a group, one after the
//! other. Source: StableHLO specification, "Execution" and "Collective ops".

mod exchange;
mod groups;

use super::{Others, check_args, eval_among};
use crate::buffer::Tensor;
use crate::error::{EvalError, Result};
use exchange::exchanged;
use groups::{Grid, partners};
use pullback_ir::{Communication, Program, TensorType};
use std::collections::{BTreeMap, VecDeque};
use std::fmt;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// Most processes of a grid: each has a thread.
pub const MAX_PROCESSES: usize = 1024;
/// Most messages that wait in a channel; the next send waits too.
const MAX_QUEUED: usize = 1024;

/// The results of the programs of a grid, `programs[replica][partition]`, on these arguments.
///
/// Fails when a program does, when programs meet in different collectives, when no program can go on, and when
/// what was sent is received by none.
pub fn eval_grid(programs: &[Vec<&Program>], args: &[Vec<Vec<Tensor>>]) -> Result<Vec<Vec<Vec<Tensor>>>> {
    let columns = programs.first().map_or(0, Vec::len);
    let grid = Grid { rows: programs.len(), columns };
    if columns == 0 || programs.iter().any(|row| row.len() != columns) {
        return Err(EvalError::Grid(
            "a grid has rows of equal length, at least one of at least one".to_owned(),
        ));
    }
    if grid.len().is_none_or(|n| n > MAX_PROCESSES) {
        return Err(EvalError::Grid(format!("a grid has at most {MAX_PROCESSES} programs")));
    }
    let lens: Vec<usize> = args.iter().map(Vec::len).collect();
    if lens != vec![columns; grid.rows] {
        return Err(EvalError::Grid("the arguments are not arranged as the programs are".to_owned()));
    }
    let programs: Vec<&Program> = programs.iter().flatten().copied().collect();
    let args: Vec<&Vec<Tensor>> = args.iter().flatten().collect();
    for (p, (program, args)) in programs.iter().zip(&args).enumerate() {
        check_args(program, args).map_err(|e| grid.at(p, e))?;
    }
    let board = Board::new(grid, programs.len());
    let mut results = run_all(&board, &programs, &args)?.into_iter();
    board.nothing_left()?;
    Ok((0..grid.rows).map(|_| results.by_ref().take(columns).collect()).collect())
}

/// Runs every process to its end.
fn run_all(board: &Board, programs: &[&Program], args: &[&Vec<Tensor>]) -> Result<Vec<Vec<Tensor>>> {
    let ended = std::thread::scope(|scope| {
        let mut threads = Vec::with_capacity(programs.len());
        for (p, (&program, &args)) in programs.iter().zip(args).enumerate() {
            let started = std::thread::Builder::new().spawn_scoped(scope, move || {
                let _guard = Unwinding(board);
                board.begin(p)?;
                let result = eval_among(program, args, &Process { board, p });
                board.end(p, result)
            });
            match started {
                Ok(thread) => threads.push(thread),
                Err(e) => {
                    board.fail(EvalError::Grid(format!(
                        "no thread for program {p} of {}: {e}",
                        programs.len()
                    )));
                    break;
                }
            }
        }
        let ended = threads.into_iter().map(|t| t.join().unwrap_or_else(|e| std::panic::resume_unwind(e)));
        ended.collect::<Vec<Result<Vec<Tensor>>>>()
    });
    // Of several errors the first is the cause.
    if let Some(e) = board.lock().failed.clone() {
        return Err(e);
    }
    ended.into_iter().collect()
}

/// Keeps the others from waiting for a process that panicked.
struct Unwinding<'b>(&'b Board);

impl Drop for Unwinding<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.fail(EvalError::Grid("a program's process panicked".to_owned()));
        }
    }
}

/// A process as its program knows it.
struct Process<'b> {
    board: &'b Board,
    p: usize,
}

impl Others for Process<'_> {
    fn communicate(&self, op: &Communication, operands: &[&Tensor]) -> Result<Vec<Tensor>> {
        let (board, p) = (self.board, self.p);
        let number = |n: usize| Tensor::from_i64s(TensorType::scalar(pullback_ir::DType::U32), &[n as i64]);
        match op {
            Communication::PartitionId => Ok(vec![number(p % board.grid.columns)?]),
            Communication::ReplicaId => Ok(vec![number(p / board.grid.columns)?]),
            Communication::AllGather { .. }
            | Communication::AllReduce { .. }
            | Communication::ReduceScatter { .. }
            | Communication::AllToAll { .. }
            | Communication::CollectiveBroadcast { .. } => board.meet(p, op, operands[0]).map(|t| vec![t]),
            Communication::CollectivePermute { .. } => board.permute(p, op, operands[0]).map(|t| vec![t]),
            Communication::Send { channel } => board.send(p, *channel, operands),
            Communication::Recv { channel, types } => board.recv(p, *channel, types, operands[0]),
        }
    }
}

/// What a process waits for.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Want {
    /// All of these in one collective.
    Group(Vec<usize>),
    /// What this process permutes to the waiting one.
    From(usize),
    /// A message in a channel.
    Message(i64),
    /// Room in a channel.
    Room(i64),
}

/// How it stands with a process.
enum Status {
    Ready,
    Waiting { op: &'static str, want: Want },
    Ended,
}

/// What a process brought to a collective.
struct Brought {
    op: Communication,
    operand: Tensor,
}

/// What processes know of each other.
struct State {
    /// Whose turn it is.
    turn: usize,
    status: Vec<Status>,
    /// The first error ends all processes.
    failed: Option<EvalError>,
    /// Collectives that not all of a group have come to.
    meetings: BTreeMap<Vec<usize>, BTreeMap<usize, Brought>>,
    /// Results of meetings that a process has not taken.
    outcome: Vec<Option<Tensor>>,
    /// What one process permuted to another.
    mail: BTreeMap<(usize, usize), VecDeque<Brought>>,
    /// What was sent, and by which process.
    channels: BTreeMap<i64, VecDeque<(usize, Vec<Tensor>)>>,
}

struct Board {
    grid: Grid,
    state: Mutex<State>,
    turned: Condvar,
}

impl Board {
    fn new(grid: Grid, n: usize) -> Self {
        let state = State {
            turn: 0,
            status: (0..n).map(|_| Status::Ready).collect(),
            failed: None,
            meetings: BTreeMap::new(),
            outcome: (0..n).map(|_| None).collect(),
            mail: BTreeMap::new(),
            channels: BTreeMap::new(),
        };
        Self { grid, state: Mutex::new(state), turned: Condvar::new() }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Ends all processes with an error, unless they end with one already.
    fn fail(&self, error: EvalError) {
        self.lock().failed.get_or_insert(error);
        self.turned.notify_all();
    }

    /// Waits for the first turn.
    fn begin(&self, p: usize) -> Result<()> {
        self.my_turn(self.lock(), p).map(drop)
    }

    fn my_turn<'s>(&self, mut state: MutexGuard<'s, State>, p: usize) -> Result<MutexGuard<'s, State>> {
        loop {
            if let Some(e) = &state.failed {
                return Err(e.clone());
            }
            if state.turn == p && matches!(state.status[p], Status::Ready) {
                return Ok(state);
            }
            state = self.turned.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Gives the turn to the first process that can go on; an error when there is none and some have not ended.
    fn pass(&self, state: &mut State) {
        if let Some(next) = state.status.iter().position(|s| matches!(s, Status::Ready)) {
            state.turn = next;
        } else if state.status.iter().any(|s| matches!(s, Status::Waiting { .. })) {
            let stuck = EvalError::Grid(self.stuck(state));
            state.failed.get_or_insert(stuck);
        }
        self.turned.notify_all();
    }

    /// Lets the others run until `p` is woken.
    fn wait<'s>(
        &'s self,
        mut state: MutexGuard<'s, State>,
        p: usize,
        op: &'static str,
        want: Want,
    ) -> Result<MutexGuard<'s, State>> {
        state.status[p] = Status::Waiting { op, want };
        self.pass(&mut state);
        self.my_turn(state, p)
    }

    fn end(&self, p: usize, result: Result<Vec<Tensor>>) -> Result<Vec<Tensor>> {
        let mut state = self.lock();
        state.status[p] = Status::Ended;
        if let Err(e) = &result {
            // What all of them fail with names its processes itself.
            let e = if matches!(e, EvalError::Grid(_)) { e.clone() } else { self.grid.at(p, e.clone()) };
            state.failed.get_or_insert(e);
        }
        self.pass(&mut state);
        result
    }

    /// Why no process can go on.
    fn stuck(&self, state: &State) -> String {
        let mut out = "no program can go on:".to_owned();
        for (p, status) in state.status.iter().enumerate() {
            let Status::Waiting { op, want } = status else { continue };
            let absent = |members: &[usize]| {
                let here = state.meetings.get(members);
                let absent = members.iter().filter(|m| here.is_none_or(|h| !h.contains_key(m)));
                let of = |&m: &usize| match state.status[m] {
                    Status::Ended => format!("{}, which has ended", self.grid.name(m)),
                    Status::Ready | Status::Waiting { .. } => self.grid.name(m),
                };
                absent.map(of).collect::<Vec<_>>().join(", ")
            };
            let what = match want {
                Want::Group(members) => absent(members),
                Want::From(from) => absent(&[*from]),
                Want::Message(channel) => format!("a send on channel {channel}"),
                Want::Room(channel) => {
                    format!("a recv of channel {channel}, where {MAX_QUEUED} messages wait")
                }
            };
            out.push_str(&format!("\n  {} waits in {op} for {what}", self.grid.name(p)));
        }
        out
    }

    /// A collective of a group: the last to come makes all results.
    fn meet(&self, p: usize, op: &Communication, operand: &Tensor) -> Result<Tensor> {
        let Some(members) = self.grid.group(op, p)? else {
            return exchange::nothing(operand);
        };
        let mut state = self.lock();
        let meeting = state.meetings.entry(members.clone()).or_default();
        if let Some((&first, other)) = meeting.first_key_value() {
            self.agree((first, &other.op, other.operand.ty()), (p, op, operand.ty()))?;
        }
        meeting.insert(p, Brought { op: op.clone(), operand: operand.try_clone()? });
        if meeting.len() < members.len() {
            state = self.wait(state, p, op.name(), Want::Group(members))?;
        } else if let Some(meeting) = state.meetings.remove(&members) {
            let operands: Vec<&Tensor> =
                members.iter().filter_map(|m| meeting.get(m)).map(|b| &b.operand).collect();
            for (&m, result) in members.iter().zip(exchanged(op, &operands)?) {
                state.outcome[m] = Some(result);
            }
            state.wake(&Want::Group(members));
        }
        state.outcome[p].take().ok_or_else(|| EvalError::Grid("a collective without a result".to_owned()))
    }

    /// Gives to the target, takes from the source; zeros without one.
    fn permute(&self, p: usize, op: &Communication, operand: &Tensor) -> Result<Tensor> {
        let partners = partners(&self.grid, op, p)?;
        let mut state = self.lock();
        if let Some(to) = partners.to {
            let brought = Brought { op: op.clone(), operand: operand.try_clone()? };
            state.mail.entry((p, to)).or_default().push_back(brought);
            state.wake_one(to, &Want::From(p));
        }
        let Some(from) = partners.from else {
            return exchange::nothing(operand);
        };
        loop {
            if let Some(brought) = state.mail.get_mut(&(from, p)).and_then(VecDeque::pop_front) {
                self.agree((from, &brought.op, brought.operand.ty()), (p, op, operand.ty()))?;
                return Ok(brought.operand);
            }
            state = self.wait(state, p, op.name(), Want::From(from))?;
        }
    }

    /// Processes that meet do so in the same collective, with operands of one type.
    fn agree(
        &self,
        a: (usize, &Communication, &TensorType),
        b: (usize, &Communication, &TensorType),
    ) -> Result<()> {
        if (a.1, a.2) == (b.1, b.2) {
            return Ok(());
        }
        let of = |(p, op, ty): (usize, &Communication, &TensorType)| {
            format!("{} is in {} of {ty}", self.grid.name(p), op.name())
        };
        let why = match (a.1.name() == b.1.name(), a.2 == b.2) {
            (true, true) => ", with other attributes",
            _ => "",
        };
        Err(EvalError::Grid(format!("programs meet in different collectives: {}, {}{why}", of(a), of(b))))
    }

    fn send(&self, p: usize, channel: i64, operands: &[&Tensor]) -> Result<Vec<Tensor>> {
        let Some((token, values)) = operands.split_last() else { return Ok(Vec::new()) };
        let values = values.iter().map(|v| v.try_clone()).collect::<Result<Vec<_>>>()?;
        let mut state = self.lock();
        while state.channels.get(&channel).is_some_and(|q| q.len() >= MAX_QUEUED) {
            state = self.wait(state, p, "send", Want::Room(channel))?;
        }
        state.channels.entry(channel).or_default().push_back((p, values));
        state.wake(&Want::Message(channel));
        Ok(vec![(*token).clone()])
    }

    fn recv(&self, p: usize, channel: i64, types: &[TensorType], token: &Tensor) -> Result<Vec<Tensor>> {
        let mut state = self.lock();
        let (from, mut values) = loop {
            match state.channels.get_mut(&channel).and_then(VecDeque::pop_front) {
                Some(message) => break message,
                None => state = self.wait(state, p, "recv", Want::Message(channel))?,
            }
        };
        state.wake(&Want::Room(channel));
        if !values.iter().map(Tensor::ty).eq(types) {
            let list = |types: &mut dyn Iterator<Item = &TensorType>| {
                types.map(TensorType::to_string).collect::<Vec<_>>().join(", ")
            };
            let sent = list(&mut values.iter().map(Tensor::ty));
            return Err(EvalError::Grid(format!(
                "on channel {channel}, {} sent ({sent}), but {} receives ({})",
                self.grid.name(from),
                self.grid.name(p),
                list(&mut types.iter())
            )));
        }
        values.push(token.clone());
        Ok(values)
    }

    /// Whatever was sent has been received.
    fn nothing_left(&self) -> Result<()> {
        let state = self.lock();
        let error = |from: usize, what: String| {
            Err(EvalError::Grid(format!("what {} {what} is received by no program", self.grid.name(from))))
        };
        if let Some((&(from, to), _)) = state.mail.iter().find(|(_, mail)| !mail.is_empty()) {
            return error(from, format!("gave to {} in a collective_permute", self.grid.name(to)));
        }
        if let Some((channel, (from, _))) = state.channels.iter().find_map(|(c, q)| Some((c, q.front()?))) {
            return error(*from, format!("sent on channel {channel}"));
        }
        Ok(())
    }
}

impl State {
    /// Lets those go on that wait for this; what one of them takes first, the others wait for again.
    fn wake(&mut self, what: &Want) {
        for p in 0..self.status.len() {
            self.wake_one(p, what);
        }
    }

    fn wake_one(&mut self, p: usize, what: &Want) {
        if matches!(&self.status[p], Status::Waiting { want, .. } if want == what) {
            self.status[p] = Status::Ready;
        }
    }
}

impl fmt::Debug for Board {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Board").field("grid", &self.grid).finish_non_exhaustive()
    }
}
