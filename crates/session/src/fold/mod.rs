//! The visible state as a fold over facts (H5).

mod identity;
mod visible;

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use crate::{Action, Change, Digest, Fact, InjectorId, InstructionSource, MessageId, Replaces, Scope};
pub use visible::{Recorded, ScopeEntry, ScopeState, Stray, VisibleBaseline};

/// What is visible of the instructions in a history: a fold over [`Fact`]s (H5).
///
/// # Guarantees
/// - An event without instructions costs constant time and no memory; the others amortised
///   constant time, and memory in proportion to the visible instruction messages.
/// - The last visible entry of an injector and scope decides; where the message of a `remove` is
///   shadowed, the earlier `set` is in force again. What the text leaves in force beside it is a
///   [stray](ScopeEntry::stray), until an update names it.
/// - One identity is one message: entered twice, its newest copy counts, and shadowing it takes
///   every copy out of view (H3).
/// - Following facts one by one and replaying them gives the same state.
///
/// # Caveats
/// Touches are not here: see [`TouchLog`](crate::TouchLog).
#[derive(Clone, Debug, Default)]
pub struct Fold {
    /// In the order of entering. Those that left the view are forgotten once they are most.
    messages: Vec<Message>,
    /// From identity to serial, of the newest copy.
    by_id: HashMap<MessageId, u32>,
    /// The changes of all messages, in the same order.
    entries: Vec<Entry>,
    /// In the order of their first messages.
    injectors: Vec<Scopes>,
    /// The serials of the visible baselines.
    baselines: Vec<u32>,
    /// The scopes whose last entry alone does not say what the model has: an entry did not name the path
    /// before it, or one has left the view.
    irregular: BTreeMap<InjectorId, BTreeSet<Scope>>,
    next_serial: u32,
    dead: usize,
    revision: u64,
}

#[derive(Clone, Debug)]
struct Message {
    /// Grows with the order of entering.
    serial: u32,
    id: MessageId,
    injector: InjectorId,
    cwd: Digest,
    at: Arc<str>,
    baseline: Option<Box<Baseline>>,
    live: bool,
}

#[derive(Clone, Debug)]
struct Baseline {
    identity: Option<Digest>,
    selection: Option<String>,
    replaces: Option<Replaces>,
}

/// One change of one message.
#[derive(Clone, Debug)]
struct Entry {
    serial: u32,
    change: Change,
    /// The entry of the same scope before it.
    earlier: Option<u32>,
    live: bool,
}

/// The scopes of one injector.
#[derive(Clone, Debug)]
struct Scopes {
    injector: InjectorId,
    /// The last live entry of each, sorted by scope.
    last: Vec<u32>,
    live_messages: usize,
}

impl Fold {
    /// Of an empty history.
    pub fn new() -> Self {
        Self::default()
    }

    /// Of these facts.
    pub fn replay(facts: impl IntoIterator<Item = Fact>) -> Self {
        let mut fold = Self::new();
        fold.follow(facts);
        fold
    }

    /// Goes on with more facts, in order.
    pub fn follow(&mut self, facts: impl IntoIterator<Item = Fact>) {
        for fact in facts {
            match fact {
                Fact::Entered(sources) => sources.into_iter().for_each(|source| self.enter(source)),
                Fact::Shadowed(ids) => {
                    let serials: Vec<u32> = ids.iter().filter_map(|id| self.by_id.get(id).copied()).collect();
                    self.shadow(serials);
                }
                Fact::ShadowedExcept(kept) => {
                    let kept: HashSet<MessageId> = kept.into_iter().collect();
                    let gone = self.messages.iter().filter(|message| !kept.contains(&message.id));
                    let serials = gone.map(|message| message.serial).collect();
                    self.shadow(serials);
                }
                Fact::Touched(_) | Fact::StepClosed => {}
            }
        }
    }

    fn enter(&mut self, source: InstructionSource) {
        let InstructionSource { id, injector, baseline, baseline_identity, replaces, cwd, at, changes } =
            source;
        if let Some(copy) = self.by_id.get(&id).copied() {
            self.kill(copy);
        }
        let serial = self.next_serial;
        self.next_serial = self.next_serial.saturating_add(1);
        self.revision += 1;
        let baseline = baseline.then(|| {
            push_exact(&mut self.baselines, serial);
            let selection =
                baseline_identity.as_ref().and_then(|identity| identity.get("selection")?.as_str());
            let selection = selection.map(str::to_owned);
            let identity = baseline_identity.as_ref().map(Self::identity_digest);
            Box::new(Baseline { identity, selection, replaces })
        });
        if self.entries.is_empty() {
            self.entries.reserve_exact(changes.len());
        }
        let number = self.number_of(&injector);
        if let Some(scopes) = self.injectors.get_mut(number) {
            scopes.live_messages += 1;
            scopes.last.reserve_exact(if scopes.last.is_empty() { changes.len() } else { 0 });
            for change in changes {
                let earlier = scopes.place(&self.entries, &change.scope);
                let before = earlier.and_then(|at| self.entries.get(at as usize));
                if before.is_some_and(|before| !follows(&change, &before.change)) {
                    self.irregular.entry(injector.clone()).or_default().insert(change.scope.clone());
                }
                self.entries.push(Entry { serial, change, earlier, live: true });
            }
        }
        self.by_id.insert(id.clone(), serial);
        let known = self.messages.last().filter(|message| *message.at == *at);
        let at = known.map_or_else(|| at.into(), |message| message.at.clone());
        push_exact(&mut self.messages, Message { serial, id, injector, cwd, at, baseline, live: true });
        self.forget_dead();
    }

    fn shadow(&mut self, serials: Vec<u32>) {
        serials.into_iter().for_each(|serial| self.kill(serial));
        self.forget_dead();
    }

    /// Takes a message out of view; the scopes it changed go back to what was before.
    fn kill(&mut self, serial: u32) {
        let Ok(at) = self.messages.binary_search_by_key(&serial, |message| message.serial) else { return };
        let Some(message) = self.messages.get_mut(at).filter(|message| message.live) else { return };
        message.live = false;
        self.dead += 1;
        self.revision += 1;
        if let Ok(at) = self.baselines.binary_search(&serial) {
            self.baselines.remove(at);
        }
        let first = self.entries.partition_point(|entry| entry.serial < serial);
        let own = |entry: &&mut Entry| entry.serial == serial;
        for entry in self.entries.iter_mut().skip(first).take_while(own) {
            entry.live = false;
        }
        let injector = message.injector.clone();
        let own_scopes = self.injectors.iter_mut().find(|scopes| scopes.injector == injector);
        let Some(scopes) = own_scopes else { return };
        scopes.live_messages = scopes.live_messages.saturating_sub(1);
        for entry in self.entries.iter().skip(first).take_while(|entry| entry.serial == serial) {
            let scope = &entry.change.scope;
            match scopes.retreat(&self.entries, scope) {
                true => drop(self.irregular.entry(injector.clone()).or_default().insert(scope.clone())),
                false => {
                    if let Some(irregular) = self.irregular.get_mut(&injector) {
                        irregular.remove(scope);
                    }
                }
            }
        }
    }

    /// Memory stays in proportion to what is visible.
    fn forget_dead(&mut self) {
        if self.dead * 2 <= self.messages.len() {
            return;
        }
        self.dead = 0;
        self.messages.retain(|message| message.live);
        self.messages.shrink_to_fit();
        self.by_id = self.messages.iter().map(|message| (message.id.clone(), message.serial)).collect();
        self.entries.retain(|entry| entry.live);
        self.entries.shrink_to_fit();
        self.injectors.iter_mut().for_each(|scopes| scopes.last.clear());
        let mut messages = self.messages.iter().peekable();
        for entry in std::mem::take(&mut self.entries) {
            while messages.next_if(|message| message.serial < entry.serial).is_some() {}
            let Some(message) = messages.peek() else { continue };
            let own = |scopes: &&mut Scopes| scopes.injector == message.injector;
            let Some(scopes) = self.injectors.iter_mut().find(own) else { continue };
            let earlier = scopes.place(&self.entries, &entry.change.scope);
            self.entries.push(Entry { earlier, ..entry });
        }
    }

    /// The place of the injector, which has one from here on.
    fn number_of(&mut self, injector: &InjectorId) -> usize {
        let known = self.injectors.iter().position(|scopes| scopes.injector == *injector);
        known.unwrap_or_else(|| {
            let scopes = Scopes { injector: injector.clone(), last: Vec::new(), live_messages: 0 };
            push_exact(&mut self.injectors, scopes);
            self.injectors.len() - 1
        })
    }
}

/// Whether the later change alone says what the model has of the scope after both.
fn follows(later: &Change, before: &Change) -> bool {
    let named = later.path == before.path || later.previous.as_ref() == Some(&before.path);
    match (before.action, later.action) {
        (Action::Remove, _) => true,
        (_, Action::Omit) => false,
        _ => named,
    }
}

/// Most sessions have one message, of one injector, and there are many sessions: the first item takes
/// no room for others.
fn push_exact<T>(items: &mut Vec<T>, item: T) {
    if items.is_empty() {
        items.reserve_exact(1);
    }
    items.push(item);
}

impl Scopes {
    fn find(&self, entries: &[Entry], scope: &str) -> Result<usize, usize> {
        let of = |at: &u32| entries.get(*at as usize).map_or("", |entry| entry.change.scope.as_str());
        self.last.binary_search_by(|at| of(at).cmp(scope))
    }

    /// The last live entry of the scope.
    fn last(&self, entries: &[Entry], scope: &str) -> Option<u32> {
        self.last.get(self.find(entries, scope).ok()?).copied()
    }

    /// Makes the entry that is appended next the last one of its scope; the one before it.
    fn place(&mut self, entries: &[Entry], scope: &Scope) -> Option<u32> {
        let next = u32::try_from(entries.len()).unwrap_or(u32::MAX);
        match self.find(entries, scope.as_str()) {
            Ok(known) => self.last.get_mut(known).map(|last| std::mem::replace(last, next)),
            Err(at) => {
                self.last.insert(at, next);
                None
            }
        }
    }

    /// Goes back to the last entry of the scope that lives; whether there is one.
    fn retreat(&mut self, entries: &[Entry], scope: &Scope) -> bool {
        let Ok(at) = self.find(entries, scope.as_str()) else { return false };
        let mut last = self.last.get(at).copied();
        while let Some(entry) = last.and_then(|last| entries.get(last as usize)).filter(|entry| !entry.live) {
            last = entry.earlier;
        }
        match (last, self.last.get_mut(at)) {
            (Some(last), Some(row)) => {
                *row = last;
                true
            }
            _ => {
                self.last.remove(at);
                false
            }
        }
    }
}
