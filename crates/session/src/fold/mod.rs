//! The visible state as a fold over facts (H5).

mod entry;
mod table;

use std::collections::{HashMap, HashSet};

use serde_json::Value;

use crate::{Action, Digest, Fact, InjectorId, InstructionSource, MessageId, ScopeRef};
use entry::Entry;
use table::Table;

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
///
/// # Caveats
/// Touches are not here: see [`TouchLog`](crate::TouchLog).
#[derive(Clone, Debug, Default)]
pub struct Fold {
    /// Live and dead messages in the order of entering; swept when most are dead.
    messages: Vec<Message>,
    /// Their entries, in the same order.
    entries: Vec<Entry>,
    tables: Vec<Table>,
    /// Serials of the visible complete baselines.
    baselines: Vec<u32>,
    places: Vec<Recorded>,
    /// From a message's identity to its serial, once there are many.
    by_id: Option<HashMap<MessageId, u32>>,
    /// From an injector to its table, once there are many.
    by_injector: Option<HashMap<InjectorId, u16>>,
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
    /// Of a complete baseline.
    baseline: Option<Box<BaselineMark>>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct BaselineMark {
    identity: Option<Digest>,
    selection: Option<String>,
}

/// Where an instruction message was recorded (H4).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recorded {
    /// SHA-1 of the absolute cwd.
    pub cwd: Digest,
    /// cwd relative to the root, in shown form; `.` for the root.
    pub at: Box<str>,
}

/// The visible state of one scope.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScopeState {
    /// The model has it, with this content.
    InForce(Digest),
    /// It was there with this content, and was left out for the budget.
    Omitted(Digest),
}

impl ScopeState {
    /// The content the entry speaks of.
    pub const fn digest(self) -> Digest {
        match self {
            Self::InForce(digest) | Self::Omitted(digest) => digest,
        }
    }

    /// Whether the model has it.
    pub const fn is_in_force(self) -> bool {
        matches!(self, Self::InForce(_))
    }
}

/// One scope that is in force or left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ScopeEntry<'a> {
    /// Which scope.
    pub scope: ScopeRef<'a>,
    /// The path it was shown with.
    pub path: &'a str,
    /// Its state.
    pub state: ScopeState,
    /// Grows with the order of entering, within one message too.
    pub order: u32,
}

/// The rules under which the visible baseline was composed, as far as it tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VisibleBaseline<'a> {
    /// Digest of its identity in canonical form, see [`Fold::identity_digest`].
    pub identity: Option<Digest>,
    /// Its selection, as the identity names it.
    pub selection: Option<&'a str>,
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
        let mark = self.message(*self.baselines.last()?)?.baseline.as_deref()?;
        Some(VisibleBaseline { identity: mark.identity, selection: mark.selection.as_deref() })
    }

    /// Where the last visible message of an injector was recorded.
    pub fn recorded(&self, injector: &InjectorId) -> Option<&Recorded> {
        let injector = self.number(injector)?;
        let message = self.messages.iter().rev().find(|m| m.live && m.injector == injector)?;
        self.places.get(usize::from(message.place))
    }

    /// cwd relative to the root, as the last visible message of ours recorded it at this cwd (D1).
    pub fn recorded_at(&self, cwd: &Digest) -> Option<&str> {
        self.messages.iter().rev().filter(|message| message.live).find_map(|message| {
            let place = self.places.get(usize::from(message.place))?;
            (place.cwd == *cwd).then_some(&*place.at)
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
        let mut text = String::with_capacity(512);
        canonical(identity, &mut text);
        Digest::of(&text)
    }

    fn state(&self, order: u32) -> Option<ScopeEntry<'_>> {
        let entry = self.entries.get(order as usize)?;
        let state = match entry.action {
            Action::Remove => return None,
            Action::Set | Action::Replace => ScopeState::InForce(entry.digest?),
            // A later complete message ends it (C8).
            Action::Omit if self.completed_after(entry) => return None,
            Action::Omit => ScopeState::Omitted(entry.digest?),
        };
        Some(ScopeEntry { scope: entry.scope(), path: entry.path(), state, order })
    }

    fn completed_after(&self, entry: &Entry) -> bool {
        let newer = self.baselines.iter().rev().take_while(|serial| **serial > entry.serial);
        newer.filter_map(|serial| self.message(*serial)).any(|message| message.injector == entry.injector)
    }

    fn enter(&mut self, source: &InstructionSource) {
        let InstructionSource { id, injector, baseline, baseline_identity, cwd, at, changes } = source;
        let Some(injector) = self.intern_injector(injector) else {
            tracing::warn!(%id, "more than 65,535 injectors in one history: message ignored");
            return;
        };
        let place = self.intern_place(cwd, at);
        let serial = self.next_serial;
        self.next_serial = self.next_serial.saturating_add(1);
        self.revision += 1;
        let baseline = baseline.then(|| {
            let selection =
                baseline_identity.as_ref().and_then(|identity| identity.get("selection")?.as_str());
            let identity = baseline_identity.as_ref().map(Self::identity_digest);
            Box::new(BaselineMark { identity, selection: selection.map(str::to_owned) })
        });
        if baseline.is_some() {
            push_tight(&mut self.baselines, serial);
        }
        if let Some(table) = self.tables.get_mut(usize::from(injector)) {
            table.live_messages += 1;
        }
        if let Some(by_id) = &mut self.by_id {
            by_id.insert(id.clone(), serial);
        }
        push_tight(
            &mut self.messages,
            Message { serial, id: id.clone(), injector, place, live: true, baseline },
        );
        self.index_messages();
        if self.entries.is_empty() {
            self.entries.reserve_exact(changes.len());
        }
        for change in changes {
            self.push(Entry::new(serial, injector, change));
        }
    }

    fn index_messages(&mut self) {
        if self.by_id.is_none() && self.messages.len() > INDEXED {
            self.by_id = Some(self.messages.iter().map(|m| (m.id.clone(), m.serial)).collect());
        }
    }

    /// Appends an entry as the newest of its scope.
    fn push(&mut self, mut entry: Entry) {
        let at = u32::try_from(self.entries.len()).unwrap_or(NONE);
        if let Some(table) = self.tables.get_mut(usize::from(entry.injector)) {
            table.place(&self.entries, &mut entry, at);
        }
        self.entries.push(entry);
    }

    fn shadow(&mut self, id: &MessageId) {
        let Some(serial) = self.find(id) else { return };
        self.kill(serial);
        self.sweep_if_due();
    }

    fn shadow_except(&mut self, kept: &[MessageId]) {
        let kept: HashSet<&MessageId> = kept.iter().collect();
        let dying = self.messages.iter().filter(|message| message.live && !kept.contains(&message.id));
        let dying: Vec<u32> = dying.map(|message| message.serial).collect();
        dying.into_iter().for_each(|serial| self.kill(serial));
        self.sweep_if_due();
    }

    fn kill(&mut self, serial: u32) {
        let Some(message) = self.message_mut(serial).filter(|message| message.live) else { return };
        message.live = false;
        let injector = message.injector;
        self.dead += 1;
        self.revision += 1;
        if let Ok(at) = self.baselines.binary_search(&serial) {
            self.baselines.remove(at);
        }
        let first = self.entries.partition_point(|entry| entry.serial < serial);
        let last = self.entries.partition_point(|entry| entry.serial <= serial);
        let Some(table) = self.tables.get_mut(usize::from(injector)) else { return };
        table.live_messages = table.live_messages.saturating_sub(1);
        for at in first..last {
            if let Some(entry) = self.entries.get_mut(at) {
                entry.live = false;
            }
        }
        for at in first..last {
            table.retreat(&self.entries, at);
        }
    }

    /// Forgets dead messages: memory stays in proportion to the visible ones.
    fn sweep_if_due(&mut self) {
        if self.dead as usize * 2 <= self.messages.len() {
            return;
        }
        self.dead = 0;
        self.messages.retain(|message| message.live);
        self.messages.shrink_to_fit();
        self.by_id = None;
        self.index_messages();
        for table in &mut self.tables {
            table.rows = Vec::new();
            table.index = None;
        }
        let mut entries = std::mem::take(&mut self.entries);
        entries.retain(|entry| entry.live);
        self.entries.reserve_exact(entries.len());
        entries.into_iter().for_each(|entry| self.push(entry));
    }

    fn find(&self, id: &MessageId) -> Option<u32> {
        match &self.by_id {
            Some(by_id) => by_id.get(id).copied(),
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
        match &self.by_injector {
            Some(by_injector) => by_injector.get(id).copied(),
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
        if let Some(by_injector) = &mut self.by_injector {
            by_injector.insert(id.clone(), new);
        } else if self.tables.len() > INDEXED {
            let all = self.tables.iter().zip(0..).map(|(table, number)| (table.injector.clone(), number));
            self.by_injector = Some(all.collect());
        }
        Some(new)
    }

    fn intern_place(&mut self, cwd: &Digest, at: &str) -> u16 {
        // A history sees few; the newest is looked at first.
        let known = self.places.iter().rposition(|known| known.cwd == *cwd && *known.at == *at);
        let known = known.unwrap_or_else(|| {
            push_tight(&mut self.places, Recorded { cwd: *cwd, at: at.into() });
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

/// Writes `value` with the keys of its objects sorted.
fn canonical(value: &Value, to: &mut String) {
    match value {
        Value::Object(map) => {
            let mut keys: Vec<_> = map.iter().collect();
            keys.sort_by_key(|(key, _)| key.as_str());
            to.push('{');
            for (key, value) in keys {
                canonical(&Value::from(key.as_str()), to);
                to.push(':');
                canonical(value, to);
                to.push(',');
            }
            to.push('}');
        }
        Value::Array(items) => {
            to.push('[');
            for item in items {
                canonical(item, to);
                to.push(',');
            }
            to.push(']');
        }
        other => to.push_str(&other.to_string()),
    }
}
