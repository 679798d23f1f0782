//! The engine under test beside the model, and the judge between them.

use std::collections::BTreeSet;
use std::future::Future;
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

use proptest_state_machine::{ReferenceStateMachine, StateMachineTest};
use serde_json::json;
use standing_orders::driver::{Boundary, Decision, Driver, InboxMessage, Outcome, SettledCall};
use standing_orders::{Fate, InstructionMessage, StepInput};
use standing_orders_fs::{FsProvider, MemoryFs};
use standing_orders_history::{Block, Event, MemoryLog, Queue, SessionLog, SurfaceReplaced};
use standing_orders_session::Digest;

use super::coverage::cover;
use super::due::{Expected, expect};
use super::history::{Baseline, Entry, History, Line, Loaded, Message};
use super::laws;
use super::look::Instance;
use super::machine::{Begin, Choice, Machine, Op};
use super::setup::{GATE, Setup};
use super::world::{Edit, World};

/// Nothing here waits for anything but its turn.
pub(super) fn run<F: Future>(future: F) -> F::Output {
    let mut future = pin!(future);
    let mut context = Context::from_waker(Waker::noop());
    for _ in 0..10_000 {
        if let Poll::Ready(output) = future.as_mut().poll(&mut context) {
            return output;
        }
    }
    panic!("a future that only ever takes turns does not end")
}

#[derive(Debug)]
pub(super) struct Sut {
    pub(super) fs: MemoryFs,
    pub(super) driver: Driver,
    pub(super) setup: Setup,
    pub(super) world: World,
    pub(super) history: History,
    pub(super) instance: Instance,
    pub(super) mode: Option<&'static str>,
    prompts: usize,
    /// The last thing that happened was a step that entered with nothing of ours.
    quiet: bool,
}

fn open(setup: &Setup, fs: &MemoryFs, events: &[Event]) -> Driver {
    let log = MemoryLog::new(setup.header());
    run(log.append(0, events)).unwrap();
    run(Driver::open(setup.session(fs), log)).unwrap()
}

impl StateMachineTest for Sut {
    type SystemUnderTest = Self;
    type Reference = Machine;

    fn init_test(begin: &Begin) -> Self {
        let fs = MemoryFs::new();
        let mut world = World::default();
        for edit in &begin.tree {
            world.edit_fs(edit, &fs);
            world.edit(edit);
        }
        let driver = open(&begin.setup, &fs, &[]);
        let setup = begin.setup.clone();
        let instance = Instance { provider: true, ..Instance::default() };
        let history = History::default();
        Self { fs, driver, setup, world, history, instance, mode: None, prompts: 0, quiet: false }
    }

    fn apply(mut sut: Self, _: &<Machine as ReferenceStateMachine>::State, op: Op) -> Self {
        let quiet = std::mem::take(&mut sut.quiet);
        match op {
            Op::Edit(edit) => sut.edit(&edit),
            Op::Call { path, ok } => sut.call("outermost", None, ok, Some(path)),
            Op::Inner { path, ok, within } => sut.call("inner", Some(within), ok, Some(path)),
            Op::Outer { call, ok } => {
                let parent = (call == 2).then_some(0);
                sut.call(&format!("call-{call}"), parent, ok, None);
            }
            Op::Boundary { prompt, decision, plan_mode, late } => {
                if let Some(plan) = plan_mode {
                    sut.mode = Some(if plan { "plan" } else { "build" });
                }
                sut.boundary(prompt, decision, late, quiet && plan_mode.is_none());
            }
            Op::StepEnd => sut.step_end(),
            Op::Compact => {
                run(sut.driver.compact("summary")).unwrap();
                if !sut.history.surface.is_empty() {
                    let last = sut.history.surface.len() - 1;
                    sut.history.compact(0, last);
                    cover("compaction of everything");
                }
            }
            Op::CompactPart(a, b) => sut.compact_part(a, b),
            Op::Resume(setup) => sut.resume(setup),
            Op::Provider(there) => {
                sut.instance.provider = there;
                sut.instance.cache.clear();
                let fs = there.then(|| Arc::new(sut.fs.clone()) as Arc<dyn FsProvider>);
                sut.driver.context_mut().set_fs(fs);
                cover(if there { "a provider replaced" } else { "a provider taken away" });
            }
        }
        sut
    }

    fn check_invariants(sut: &Self, _: &Begin) {
        laws::in_force_is_what_history_says(sut);
    }

    fn teardown(mut sut: Self, _: Begin) {
        sut.falls_silent();
    }
}

impl Sut {
    pub(super) fn edit(&mut self, edit: &Edit) {
        self.world.edit_fs(edit, &self.fs);
        self.world.edit(edit);
    }

    fn call(&mut self, id: &str, within: Option<u8>, ok: bool, path: Option<&str>) {
        self.prompts += 1;
        let id = if path.is_some() { format!("{id}-{}", self.prompts) } else { id.to_owned() };
        let parent = within.map(|call| format!("call-{call}"));
        let arguments = path.map_or(json!({}), |path| json!({ "file_path": path }));
        let call = SettledCall {
            ok,
            id: Some(id.clone()),
            parent: parent.clone(),
            ..SettledCall::ok("read", arguments)
        };
        run(self.driver.settled(call)).unwrap();
        let plain = path.map(plain);
        if self.history.settle(&id, parent.as_deref(), ok, plain.as_deref()) {
            cover("touches of inner calls counted");
        }
    }

    fn step_end(&mut self) {
        run(self.driver.end_step()).unwrap();
        self.history.end_step();
    }

    fn compact_part(&mut self, a: usize, b: usize) {
        let lines = self.history.surface.len();
        if lines == 0 {
            return;
        }
        let (first, last) = ((a % lines).min(b % lines), (a % lines).max(b % lines));
        let surface = self.driver.session().history().surface();
        assert_eq!(surface.len(), lines, "the surface is what entered, in order, less what was compacted");
        let seq = |at| surface.iter().nth(at).map(|(seq, _)| seq).unwrap();
        let content = vec![Block::Text("summary".to_owned())];
        let event = SurfaceReplaced { first: seq(first), last: seq(last), content };
        let before = self.history.state("workspace");
        run(self.driver.append(vec![event.into()])).unwrap();
        self.history.compact(first, last);
        let after = self.history.state("workspace");
        if after.iter().any(|(scope, loaded)| loaded.in_force && !before.contains_key(scope)) {
            cover("a shadowed removal revives");
        }
        if !after.is_empty() && after != before {
            cover("compaction of a part");
        }
    }

    fn input(&self) -> StepInput<'static> {
        StepInput::in_mode(self.mode)
    }

    fn expected(&self) -> Option<Expected> {
        let Self { world, setup, mode, history, instance, .. } = self;
        instance.provider.then(|| expect(world, setup, *mode, history, instance))
    }

    fn due(&self) -> Vec<InstructionMessage> {
        run(self.driver.context().due(self.input())).messages().to_vec()
    }

    fn resume(&mut self, setup: Option<Setup>) {
        let unchanged = setup.is_none();
        let calm = unchanged && self.instance.provider && self.world.faults.is_empty();
        // What only this instance remembers is not due after a restart (C12).
        let known = |path: &String| self.history.touches.contains(path);
        let settled = calm && self.history.recorded.keys().all(known) && self.due().is_empty();
        let old_root = self.instance.root.clone();
        let mut chunks = run(self.driver.session().log().read(0)).unwrap();
        let mut events = Vec::new();
        while let Some(chunk) = run(chunks.next_chunk()).unwrap() {
            events.extend(chunk.events);
        }
        let before = self.driver.context().in_force();
        if let Some(setup) = setup {
            self.setup = setup;
        }
        self.driver = open(&self.setup, &self.fs, &events);
        assert_eq!(
            self.driver.context().in_force(),
            before,
            "replaying the history gives the same in-force state as following it"
        );
        laws::replay_without_identities(&events, &before);
        let answered = |path: &&String| !self.history.touches.contains(path);
        if self.history.recorded.keys().any(|path| answered(&path)) {
            cover("a touch that a restart takes for not answered");
        }
        self.history.touches = self.history.recorded.keys().cloned().collect();
        self.history.waiting_calls.clear();
        self.history.end_step();
        self.instance = Instance { provider: true, ..Instance::default() };
        if settled {
            let due = self.due();
            let root = self.driver.context().root().map(|root| root.to_str().unwrap().to_owned());
            self.instance.root.clone_from(&root);
            if root == old_root {
                let changes: Vec<_> = due.iter().flat_map(|message| &message.source.changes).collect();
                assert!(changes.is_empty(), "a resume without change has nothing new due: {changes:?}");
                cover("a silent resume");
            }
        }
    }

    fn boundary(&mut self, prompt: bool, choice: Choice, late: Option<&str>, quiet: bool) {
        self.step_end();
        if prompt {
            self.prompts += 1;
            let message = InboxMessage::text(format!("prompt-{}", self.prompts), "go on");
            run(self.driver.send(Queue::NextTurn, message)).unwrap();
        }
        let expected = self.expected();
        self.fs.reset_counters();
        let boundary: Boundary = run(self.driver.pre_step(self.input())).unwrap();
        let counters = self.fs.counters();
        let report = boundary.prepared().report().clone();
        let messages = boundary.prepared().messages().to_vec();
        // What never fits is read again to see whether it does.
        if quiet && self.instance.provider && self.world.faults.is_empty() && !self.setup.is_binding() {
            assert_eq!(counters.reads, 0, "an unchanged pre-step reads nothing");
            assert!(counters.batches <= 1, "an unchanged pre-step probes in one batch");
            cover("an unchanged pre-step");
        }
        if let Some(expected) = &expected {
            let root = self.driver.context().root().unwrap().to_str().unwrap().to_owned();
            assert_eq!(root, expected.root, "the root is where D1 says");
            if expected.root_from_history {
                cover("a root out of history");
            }
            self.instance.root = Some(root);
            laws::judge(self, expected, &messages);
            assert_eq!(messages, self.due(), "the same inputs give the same bytes");
            laws::fault_changes_nothing(self, expected, &messages);
        } else {
            assert!(messages.is_empty(), "without a provider nothing is due");
        }

        let answered = self.history.touches.len();
        if let Some(late) = late {
            self.driver.context().touches().report(late);
            self.history.touches.push(plain(late));
            cover("a touch while a step was prepared");
        }
        let first = prompt || !self.history.turn_open;
        self.history.turn_open = true;
        let claims = prompt && choice == Choice::Enter;
        let enters = choice != Choice::Reject && (!first || claims);
        let decision = match choice {
            Choice::Enter => Decision::Enter,
            Choice::Empty => Decision::Empty,
            Choice::Reject => Decision::Reject,
        };
        let before = self.driver.context().in_force();
        match run(self.driver.decide(boundary, decision)).unwrap() {
            Outcome::Entered { claimed, instructions } => {
                assert!(enters, "a rejected step and a turn's first step with nothing to send do not enter");
                assert_eq!(claimed.len(), usize::from(claims), "the claimed batch enters unless dropped");
                assert_eq!(instructions, messages, "what was prepared is what enters");
            }
            Outcome::NotEntered { due } => {
                assert!(!enters, "every other step enters");
                assert_eq!(due, messages, "what did not enter is told");
                assert_eq!(self.driver.context().in_force(), before, "a rejected step changes nothing");
                if !messages.is_empty() {
                    cover("due and not entered");
                }
                return;
            }
        }
        self.history.enter_step();
        self.history.surface.extend((0..usize::from(claims)).map(|_| Line::Other));
        let Some(expected) = expected else {
            // Nothing was looked at, so nothing is answered; only the log says that a step entered.
            if answered > 0 {
                cover("a touch that no provider could answer");
            }
            return;
        };
        self.history.touches.drain(..answered);
        for message in &messages {
            self.history.surface.push(Line::Message(self.recorded(message, &expected)));
        }
        self.instance.cache = expected.cache.clone();
        self.instance.guards = expected.guards.clone();
        self.remember(&expected, &messages, &report);
        self.quiet = messages.is_empty() && late.is_none();
        laws::after_entering(self, &expected, &messages);
    }

    /// Whether what was visible before these messages was last recorded at another place.
    pub(super) fn elsewhere_before(&self, at: &str, messages: &[InstructionMessage]) -> bool {
        let own = messages.iter().filter(|message| message.injector().is_workspace()).count();
        self.history.of("workspace").rev().nth(own).is_some_and(|message| message.at != at)
    }

    fn recorded(&self, message: &InstructionMessage, expected: &Expected) -> Message {
        let source = &message.source;
        assert_eq!(source.cwd, Digest::of(self.setup.cwd), "a message records its cwd");
        assert_eq!(source.at, expected.at, "a message records where cwd stands below the root");
        assert_eq!(source.baseline, source.baseline_identity.is_some(), "a baseline has its identity");
        let baseline = source.baseline.then(|| Baseline {
            identity: self.setup.identity(&expected.at),
            all_distinct: self.setup.all_distinct,
        });
        Message {
            injector: source.injector.to_string(),
            baseline,
            cwd: self.setup.cwd.to_owned(),
            at: source.at.clone(),
            changes: entries(message),
            replaces: source.replaces,
        }
    }

    /// What C4 keeps in the instance: what a touch found and no step has answered.
    fn remember(
        &mut self,
        expected: &Expected,
        messages: &[InstructionMessage],
        report: &standing_orders::Report,
    ) {
        let waits: BTreeSet<(String, String)> = report
            .entries()
            .filter(|entry| entry.fate == Fate::Waits)
            .map(|entry| (entry.injector.to_string(), entry.path.clone()))
            .collect();
        self.instance.pending.clear();
        let waiting = std::mem::take(&mut self.instance.waiting);
        let mut asked = false;
        for share in &expected.shares {
            asked |= share.injector == GATE;
            let sent = messages.iter().find(|message| message.source.injector.as_str() == share.injector);
            for (number, (slot, standing)) in share.slots.iter().zip(&share.due.standings).enumerate() {
                let displaced = share.due.transitions.iter().any(|item| {
                    let recorded = sent.is_some_and(|sent| {
                        sent.source
                            .changes
                            .iter()
                            .skip(share.due.removes.len())
                            .any(|change| change.scope.as_str() == slot.scope)
                    });
                    item.slot == number
                        && item.candidate.is_some()
                        && !recorded
                        && waits.contains(&(share.injector.to_owned(), item.entry.path.clone()))
                });
                if displaced {
                    cover("a scope waits for room");
                }
                if !displaced && !standing.is_unanswered() {
                    continue;
                }
                if share.injector == GATE {
                    self.instance.waiting.insert(slot.scope.clone());
                } else if slot.nested {
                    self.instance.pending.insert(slot.dir.clone());
                    cover("a nested place is looked at again");
                }
            }
        }
        if !asked {
            self.instance.waiting = waiting;
        }
    }

    /// Enters steps without changing anything, until nothing is due.
    fn falls_silent(&mut self) {
        let bound = 3 + 2 * (self.history.state("workspace").len() + 24);
        for _ in 0..bound {
            // Without a baseline, what is nested and was recorded elsewhere goes one step after its touch.
            let elsewhere = self.expected().is_some_and(|now| self.elsewhere_before(&now.at, &[]));
            self.boundary(true, Choice::Enter, None, false);
            if self.quiet || !self.instance.provider {
                let quiet = self.quiet;
                self.boundary(true, Choice::Enter, None, quiet && !elsewhere);
                if elsewhere && !self.quiet {
                    continue;
                }
                assert!(self.quiet || !self.instance.provider, "silence lasts while nothing changes");
                laws::at_rest(self);
                return;
            }
        }
        panic!("without further change the engine falls silent within {bound} entered steps");
    }
}

/// As C4 resolves it: trimmed and lexical.
fn plain(path: &str) -> String {
    let mut plain: Vec<&str> = Vec::new();
    for part in path.trim().split('/').filter(|part| !part.is_empty() && *part != ".") {
        match part {
            ".." => {
                plain.pop();
            }
            part => plain.push(part),
        }
    }
    format!("/{}", plain.join("/"))
}

pub(super) fn entries(message: &InstructionMessage) -> Vec<Entry> {
    let entry = |change: &standing_orders_session::Change| Entry {
        action: change.action,
        scope: change.scope.as_str().to_owned(),
        path: change.path.clone(),
        previous: change.previous.clone(),
        digest: change.digest,
    };
    message.source.changes.iter().map(entry).collect()
}

pub(super) fn loaded_of(sut: &Sut) -> Vec<(String, String, Loaded)> {
    let mut all = Vec::new();
    for injector in ["workspace", GATE] {
        let state = sut.history.state(injector).into_iter().filter(|(_, loaded)| loaded.in_force);
        all.extend(state.flat_map(|(scope, loaded)| {
            let stray = loaded.stray.clone().map(|(path, digest)| Loaded { path, digest, ..loaded.clone() });
            [Some(loaded), stray]
                .into_iter()
                .flatten()
                .map(move |loaded| (injector.to_owned(), scope.clone(), loaded))
        }));
    }
    all.sort_by(|a, b| (&a.2.path, &a.0, &a.1).cmp(&(&b.2.path, &b.0, &b.1)));
    all
}
