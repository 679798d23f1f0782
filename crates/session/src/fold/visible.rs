//! What the fold answers of the visible state.

use serde_json::Value;

use super::{Entry, Fold, Scopes, identity};
use crate::{Action, Change, Digest, Fact, InjectorId, MessageId, Replaces, Scope};

/// Where an instruction message was recorded (H4).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Recorded<'a> {
    /// SHA-1 of the absolute cwd.
    pub cwd: Digest,
    /// cwd relative to the root, in shown form; `.` for the root.
    pub at: &'a str,
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
    /// The digest of the content that the entry names.
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
    /// The scope.
    pub scope: &'a Scope,
    /// The path it was shown with.
    pub path: &'a str,
    /// Its state.
    pub state: ScopeState,
    /// Another path that was set for the scope and that nothing in view revokes: where a step lost a race
    /// and was appended all the same, or a compaction took a switch out of view. The model has both.
    pub stray: Option<Stray<'a>>,
    /// Grows with the order of entering, within one message too.
    pub order: u32,
}

/// A path that the model has for a scope beside the one that counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stray<'a> {
    /// The path it was shown with.
    pub path: &'a str,
    /// Of its content.
    pub digest: Digest,
}

/// The rules under which the visible baseline was composed, as far as it records them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VisibleBaseline<'a> {
    /// Digest of its identity in canonical form, see [`Fold::identity_digest`](crate::Fold::identity_digest).
    pub identity: Option<Digest>,
    /// Its selection, as the identity names it.
    pub selection: Option<&'a str>,
}

impl Fold {
    /// Changes with every fact that concerns instructions.
    pub fn revision(&self) -> u64 {
        self.revision
    }

    /// How many instruction messages have ever entered.
    pub fn messages_so_far(&self) -> u32 {
        self.next_serial
    }

    /// The identity of the newest instruction message that is still remembered, visible or not.
    pub fn last_message(&self) -> Option<&MessageId> {
        self.messages.last().map(|message| &message.id)
    }

    /// Whether the message with this identity is visible.
    pub fn is_visible(&self, id: &MessageId) -> bool {
        let serial = self.by_id.get(id);
        serial.and_then(|serial| self.message(*serial)).is_some_and(|message| message.live)
    }

    /// Whether the fact only repeats messages that are visible: they stand once more in the history, and
    /// no step entered with them (H3).
    pub fn is_repeated(&self, fact: &Fact) -> bool {
        match fact {
            Fact::Entered(sources) => {
                !sources.is_empty() && sources.iter().all(|source| self.is_visible(&source.id))
            }
            Fact::Shadowed(_) | Fact::ShadowedExcept(_) | Fact::Touched(_) | Fact::StepClosed => false,
        }
    }

    /// The identities of the visible messages, in the order of entering.
    pub fn visible_messages(&self) -> impl Iterator<Item = (&MessageId, &InjectorId)> {
        let live = self.messages.iter().filter(|message| message.live);
        live.map(|message| (&message.id, &message.injector))
    }

    /// Whether any message of the injector is visible; without one, its next is complete (R1, C8).
    pub fn has_messages(&self, injector: &InjectorId) -> bool {
        self.of(injector).is_some_and(|scopes| scopes.live_messages > 0)
    }

    /// Whether there ever was a message of the injector, visible or not.
    pub fn had_messages(&self, injector: &InjectorId) -> bool {
        self.of(injector).is_some()
    }

    /// The injectors with visible messages, in the order of their first ones.
    pub fn injectors(&self) -> impl Iterator<Item = &InjectorId> {
        self.injectors.iter().filter(|scopes| scopes.live_messages > 0).map(|scopes| &scopes.injector)
    }

    /// The last visible complete baseline (C3).
    pub fn baseline(&self) -> Option<VisibleBaseline<'_>> {
        let last = self.message(*self.baselines.last()?)?.baseline.as_ref()?;
        Some(VisibleBaseline { identity: last.identity, selection: last.selection.as_deref() })
    }

    /// Where the last visible message of an injector was recorded.
    pub fn recorded(&self, injector: &InjectorId) -> Option<Recorded<'_>> {
        let last =
            self.messages.iter().rev().find(|message| message.live && message.injector == *injector)?;
        Some(Recorded { cwd: last.cwd, at: &last.at })
    }

    /// cwd relative to the root, as the last visible message of ours recorded it at this cwd (D1).
    pub fn recorded_at(&self, cwd: &Digest) -> Option<&str> {
        let last = self.messages.iter().rev().find(|message| message.live && message.cwd == *cwd)?;
        Some(&last.at)
    }

    /// The state of one scope: `None` if it is neither in force nor left out.
    pub fn scope(&self, injector: &InjectorId, scope: &str) -> Option<ScopeEntry<'_>> {
        self.state(injector, self.of(injector)?.last(&self.entries, scope)?)
    }

    /// Every scope of an injector that is in force or left out, in the order of entering.
    pub fn scopes(&self, injector: &InjectorId) -> impl Iterator<Item = ScopeEntry<'_>> {
        let last = self.of(injector).into_iter().flat_map(|scopes| &scopes.last);
        let mut entries: Vec<_> = last.filter_map(|last| self.state(injector, *last)).collect();
        entries.sort_unstable_by_key(|entry| entry.order);
        entries.into_iter()
    }

    /// The digest that stands for a baseline identity: of its JSON with sorted keys.
    pub fn identity_digest(identity: &Value) -> Digest {
        let mut form = Vec::with_capacity(1024);
        identity::canonical(identity, &mut form);
        Digest::of_bytes(&form)
    }

    fn of(&self, injector: &InjectorId) -> Option<&Scopes> {
        self.injectors.iter().find(|scopes| scopes.injector == *injector)
    }

    /// What the entries of a scope come to, from the last one back: an update replaces all before it, a
    /// removal revokes its own path, and a `set` leaves other paths as they are.
    fn state(&self, injector: &InjectorId, last: u32) -> Option<ScopeEntry<'_>> {
        let (mut found, mut revoked): (Option<ScopeEntry<'_>>, Vec<&str>) = (None, Vec::new());
        let mut next = Some(last);
        while let Some((order, entry)) = next.and_then(|at| Some((at, self.entries.get(at as usize)?))) {
            let Entry { serial, change, earlier, live } = entry;
            next = *earlier;
            if !live {
                continue;
            }
            let Change { action, scope, path, digest } = change;
            let state = match action {
                Action::Remove => {
                    revoked.push(path);
                    continue;
                }
                Action::Set | Action::Replace => ScopeState::InForce((*digest)?),
                Action::Omit => ScopeState::Omitted((*digest)?),
            };
            let here = ScopeEntry { scope, path, state, stray: None, order };
            if self.is_ended(injector, *serial, scope, state) {
                break;
            }
            if !state.is_in_force() {
                return found.or(revoked.is_empty().then_some(here));
            }
            match &mut found {
                None if !revoked.contains(&path.as_str()) => found = Some(here),
                Some(known) if known.path != path && !revoked.contains(&path.as_str()) => {
                    known.stray = Some(Stray { path, digest: state.digest() });
                    break;
                }
                _ => {}
            }
            if *action == Action::Replace {
                break;
            }
        }
        found
    }

    /// Whether a later baseline ends what a message with this serial said of the scope: what was left
    /// out (C8), and what its text says that it replaces (R3).
    fn is_ended(&self, injector: &InjectorId, serial: u32, scope: &Scope, state: ScopeState) -> bool {
        let newer = self.baselines.iter().rev().take_while(|baseline| **baseline > serial);
        let newer = newer.filter_map(|baseline| self.message(*baseline));
        newer.filter(|message| message.injector == *injector).any(|message| {
            match message.baseline.as_ref().and_then(|baseline| baseline.replaces) {
                _ if !state.is_in_force() => true,
                Some(Replaces::All) => true,
                Some(Replaces::Chain) => scope.is_of_chain(&message.at),
                None => false,
            }
        })
    }

    fn message(&self, serial: u32) -> Option<&super::Message> {
        let at = self.messages.binary_search_by_key(&serial, |message| message.serial).ok()?;
        self.messages.get(at)
    }
}
