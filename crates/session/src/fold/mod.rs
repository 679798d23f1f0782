//! The visible state as a fold over facts (H5).

mod entry;
mod identity;
mod shadow;
mod table;
mod texts;
mod view;

use std::collections::HashMap;

use serde_json::Value;

use crate::{Action, Digest, Fact, InjectorId, InstructionSource, MessageId, ScopeRef};
use entry::{Entries, Entry};
use table::Table;
use texts::Span;
pub use view::{Recorded, ScopeEntry, ScopeState, VisibleBaseline};

/// How many scopes, messages or injectors are searched in line before an index is kept.
const INDEXED: usize = 32;

/// No entry.
const NONE: u32 = u32::MAX;

/// What is visible of the instructions in a history: a fold over [`Fact`]s (H5).
///
/// # Guarantees
/// - An event without instructions costs constant time and no memory; the others amortised
///   constant time, and memory in proportion to the visible instruction messages.
/// - The last visible entry of an injector and scope decides; where the message of a `remove` is
///   shadowed, the earlier `set` is in force again.
/// - Following facts one by one and replaying them gives the same state.
/// - One identity is one message: entered twice, its newest copy counts, and shadowing it takes
///   every copy out of view (H3).
///
/// # Caveats
/// Touches are not here: see [`TouchLog`](crate::TouchLog).
#[derive(Clone, Debug, Default)]
pub struct Fold {
    /// Live and dead messages in the order of entering; swept when most are dead.
    messages: Vec<Message>,
    /// Their entries, in the same order.
    entries: Entries,
    tables: Vec<Table>,
    /// The visible complete baselines, in the order of entering.
    baselines: Vec<Baseline>,
    places: Vec<Place>,
    /// Once there are many messages or injectors.
    index: Option<Box<Index>>,
    next_serial: u32,
    dead: u32,
    revision: u64,
}

#[derive(Clone, Debug)]
struct Message {
    serial: u32,
    id: MessageId,
    injector: u16,
    place: u16,
    live: bool,
}

#[derive(Clone, Debug)]
struct Baseline {
    serial: u32,
    identity: Option<Digest>,
    selection: Option<Span>,
}

#[derive(Clone, Debug)]
struct Place {
    cwd: Digest,
    at: Span,
}

#[derive(Clone, Debug)]
struct Index {
    /// From a message's identity to its serial.
    messages: HashMap<MessageId, u32>,
    /// From an injector to its table.
    injectors: HashMap<InjectorId, u16>,
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
                Fact::Entered(sources) => sources.iter().for_each(|source| self.enter(source)),
                Fact::Shadowed(ids) => ids.iter().for_each(|id| self.shadow(id)),
                Fact::ShadowedExcept(kept) => self.shadow_except(&kept),
                Fact::Touched(_) | Fact::StepClosed => {}
            }
        }
    }

    /// Changes with every fact that concerns instructions.
    pub fn revision(&self) -> u64 {
        self.revision
    }

    /// How many instruction messages there have ever been.
    pub fn messages_so_far(&self) -> u32 {
        self.next_serial
    }

    /// The identity of the newest instruction message that is still remembered, visible or not.
    pub fn last_message(&self) -> Option<&MessageId> {
        self.messages.last().map(|message| &message.id)
    }

    /// Whether the message with this identity is visible.
    pub fn is_visible(&self, id: &MessageId) -> bool {
        self.find(id).and_then(|serial| self.message(serial)).is_some_and(|message| message.live)
    }

    /// The identities of the visible messages, in the order of entering.
    pub fn visible_messages(&self) -> impl Iterator<Item = (&MessageId, &InjectorId)> {
        self.messages.iter().filter(|message| message.live).filter_map(|message| {
            Some((&message.id, &self.tables.get(usize::from(message.injector))?.injector))
        })
    }

    /// Whether any message of the injector is visible; without one, its next is complete (R1, C8).
    pub fn has_messages(&self, injector: &InjectorId) -> bool {
        self.table(injector).is_some_and(|table| table.live_messages > 0)
    }

    /// Whether there ever was a message of the injector, visible or not.
    pub fn had_messages(&self, injector: &InjectorId) -> bool {
        self.table(injector).is_some()
    }

    /// The injectors with visible messages.
    pub fn injectors(&self) -> impl Iterator<Item = &InjectorId> {
        self.tables.iter().filter(|table| table.live_messages > 0).map(|table| &table.injector)
    }

    /// The last visible complete baseline (C3).
    pub fn baseline(&self) -> Option<VisibleBaseline<'_>> {
        let last = self.baselines.last()?;
        let selection = last.selection.map(|selection| self.entries.texts.get(selection));
        Some(VisibleBaseline { identity: last.identity, selection })
    }

    /// Where the last visible message of an injector was recorded.
    pub fn recorded(&self, injector: &InjectorId) -> Option<Recorded<'_>> {
        let injector = self.number(injector)?;
        let message = self.messages.iter().rev().find(|m| m.live && m.injector == injector)?;
        let Place { cwd, at } = self.places.get(usize::from(message.place))?;
        Some(Recorded { cwd: *cwd, at: self.entries.texts.get(*at) })
    }

    /// cwd relative to the root, as the last visible message of ours recorded it at this cwd (D1).
    pub fn recorded_at(&self, cwd: &Digest) -> Option<&str> {
        self.messages.iter().rev().filter(|message| message.live).find_map(|message| {
            let place = self.places.get(usize::from(message.place))?;
            (place.cwd == *cwd).then_some(self.entries.texts.get(place.at))
        })
    }

    /// The state of one scope: `None` if it is neither in force nor left out.
    pub fn scope(&self, injector: &InjectorId, scope: ScopeRef<'_>) -> Option<ScopeEntry<'_>> {
        let table = self.table(injector)?;
        let row = table.row(&self.entries, scope)?;
        self.state(*table.rows.get(row)?)
    }

    /// Every scope of an injector that is in force or left out, in no particular order.
    pub fn scopes(&self, injector: &InjectorId) -> impl Iterator<Item = ScopeEntry<'_>> {
        let rows = self.table(injector).map(|table| table.rows.iter()).unwrap_or_default();
        rows.filter_map(|row| self.state(*row))
    }

    /// The digest that stands for a baseline identity: of its JSON with sorted keys.
    pub fn identity_digest(identity: &Value) -> Digest {
        let mut form = Vec::with_capacity(1024);
        identity::canonical(identity, &mut form);
        Digest::of_bytes(&form)
    }

    fn state(&self, order: u32) -> Option<ScopeEntry<'_>> {
        let entry = self.entries.list.get(order as usize)?;
        let state = match entry.action {
            Action::Remove => return None,
            Action::Set | Action::Replace => ScopeState::InForce(entry.digest?),
            // A later complete message ends it (C8).
            Action::Omit if self.completed_after(entry) => return None,
            Action::Omit => ScopeState::Omitted(entry.digest?),
        };
        let (scope, path) = (self.entries.scope(entry), self.entries.path(entry));
        Some(ScopeEntry { scope, path, state, order })
    }

    fn completed_after(&self, entry: &Entry) -> bool {
        let newer = self.baselines.iter().rev().take_while(|baseline| baseline.serial > entry.serial);
        newer
            .filter_map(|baseline| self.message(baseline.serial))
            .any(|message| message.injector == entry.injector)
    }

    fn enter(&mut self, source: &InstructionSource) {
        let InstructionSource { id, injector, baseline, baseline_identity, cwd, at, changes } = source;
        let text = at.len()
            + changes.iter().map(|change| change.path.len() + change.scope.as_str().len()).sum::<usize>();
        if !self.entries.texts.has_room(text + 64) {
            tracing::warn!(%id, "more than 4 GiB of paths are visible in one history: message ignored");
            return;
        }
        let Some(injector) = self.intern_injector(injector) else {
            tracing::warn!(%id, "more than 65,535 injectors in one history: message ignored");
            return;
        };
        // Entered again it is the same message, with one more copy behind all the others (H3).
        let known = self.find(id);
        if let Some(known) = known {
            self.kill(known);
        }
        let place = self.intern_place(cwd, at);
        let serial = self.next_serial;
        self.next_serial = self.next_serial.saturating_add(1);
        self.revision += 1;
        if *baseline {
            let selection =
                baseline_identity.as_ref().and_then(|identity| identity.get("selection")?.as_str());
            let selection = selection.map(|text| {
                let known = self.baselines.last().and_then(|last| last.selection);
                self.entries.texts.keep(text, known)
            });
            let identity = baseline_identity.as_ref().map(Self::identity_digest);
            push_tight(&mut self.baselines, Baseline { serial, identity, selection });
        }
        if let Some(table) = self.tables.get_mut(usize::from(injector)) {
            table.live_messages += 1;
        }
        if let Some(index) = &mut self.index {
            index.messages.insert(id.clone(), serial);
        }
        push_tight(&mut self.messages, Message { serial, id: id.clone(), injector, place, live: true });
        self.index_if_many();
        if self.entries.list.is_empty() {
            self.entries.list.reserve_exact(changes.len());
        }
        let at = self.at(place);
        for change in changes {
            let scope = ScopeRef::parse(change.scope.as_str());
            let table = self.tables.get(usize::from(injector));
            let earlier = table.and_then(|table| table.last(&self.entries, scope));
            let entry = self.entries.entry(serial, injector, change, earlier, at);
            self.push(entry);
        }
        if known.is_some() {
            self.sweep_if_due();
        }
        if self.messages.len() < 4 {
            self.entries.texts.tighten();
        }
    }

    fn index_if_many(&mut self) {
        if self.index.is_none() && (self.messages.len() > INDEXED || self.tables.len() > INDEXED) {
            let messages = self.messages.iter().map(|message| (message.id.clone(), message.serial));
            let injectors =
                self.tables.iter().zip(0..).map(|(table, number)| (table.injector.clone(), number));
            self.index =
                Some(Box::new(Index { messages: messages.collect(), injectors: injectors.collect() }));
        }
    }

    /// Where the messages of a place were recorded.
    fn at(&self, place: u16) -> Span {
        self.places.get(usize::from(place)).map(|place| place.at).unwrap_or_default()
    }

    /// Appends an entry as the newest of its scope.
    fn push(&mut self, mut entry: Entry) {
        let at = u32::try_from(self.entries.list.len()).unwrap_or(NONE);
        if let Some(table) = self.tables.get_mut(usize::from(entry.injector)) {
            table.place(&self.entries, &mut entry, at);
        }
        self.entries.list.push(entry);
    }

    fn find(&self, id: &MessageId) -> Option<u32> {
        match &self.index {
            Some(index) => index.messages.get(id).copied(),
            None => self.messages.iter().rev().find(|message| message.id == *id).map(|m| m.serial),
        }
    }

    fn message(&self, serial: u32) -> Option<&Message> {
        let at = self.messages.binary_search_by_key(&serial, |message| message.serial).ok()?;
        self.messages.get(at)
    }

    fn message_mut(&mut self, serial: u32) -> Option<&mut Message> {
        let at = self.messages.binary_search_by_key(&serial, |message| message.serial).ok()?;
        self.messages.get_mut(at)
    }

    fn number(&self, id: &InjectorId) -> Option<u16> {
        match &self.index {
            Some(index) => index.injectors.get(id).copied(),
            None => {
                let found = self.tables.iter().position(|table| table.injector == *id)?;
                u16::try_from(found).ok()
            }
        }
    }

    fn table(&self, id: &InjectorId) -> Option<&Table> {
        self.tables.get(usize::from(self.number(id)?))
    }

    fn intern_injector(&mut self, id: &InjectorId) -> Option<u16> {
        if let Some(known) = self.number(id) {
            return Some(known);
        }
        let new = u16::try_from(self.tables.len()).ok()?;
        push_tight(&mut self.tables, Table::new(id.clone()));
        if let Some(index) = &mut self.index {
            index.injectors.insert(id.clone(), new);
        }
        self.index_if_many();
        Some(new)
    }

    fn intern_place(&mut self, cwd: &Digest, at: &str) -> u16 {
        // A history sees few; the newest is looked at first.
        let texts = &mut self.entries.texts;
        let known = self.places.iter().rposition(|known| known.cwd == *cwd && texts.get(known.at) == at);
        let known = known.unwrap_or_else(|| {
            let at = texts.keep(at, []);
            push_tight(&mut self.places, Place { cwd: *cwd, at });
            self.places.len() - 1
        });
        u16::try_from(known).unwrap_or(u16::MAX)
    }
}

/// Appends without the room that a vector takes for its first few items: most sessions have one
/// message, one injector and one place, and there are many sessions.
fn push_tight<T>(items: &mut Vec<T>, item: T) {
    if items.len() == items.capacity() && items.len() < 4 {
        items.reserve_exact(1);
    }
    items.push(item);
}
