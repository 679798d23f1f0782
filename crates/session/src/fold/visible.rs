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

impl Entry {
    /// What it says of its scope; `None` for a removal.
    fn at(&self, order: u32) -> Option<ScopeEntry<'_>> {
        let Change { action, scope, path, digest, .. } = &self.change;
        let state = match action {
            Action::Remove => return None,
            Action::Set | Action::Replace => ScopeState::InForce((*digest)?),
            Action::Omit => ScopeState::Omitted((*digest)?),
        };
        Some(ScopeEntry { scope, path, state, stray: None, order })
    }
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

    /// What the entries of a scope come to.
    fn state(&self, injector: &InjectorId, last: u32) -> Option<ScopeEntry<'_>> {
        let entry = self.entries.get(last as usize)?;
        let irregular = self.irregular.get(injector);
        if irregular.is_some_and(|scopes| scopes.contains(&entry.change.scope)) {
            return self.irregular_state(injector, last);
        }
        let here = entry.at(last)?;
        (!self.is_ended(injector, entry.serial, here.scope, here.state)).then_some(here)
    }

    /// The same from the last entry back: a removal revokes its own path, an update the one it names, and
    /// everything else leaves other paths as they are. Linear in the entries of the scope.
    fn irregular_state(&self, injector: &InjectorId, last: u32) -> Option<ScopeEntry<'_>> {
        let (mut found, mut omitted): (Option<ScopeEntry<'_>>, _) = (None, None);
        let mut revoked: Vec<&str> = Vec::new();
        let mut next = Some(last);
        while let Some((order, entry)) = next.and_then(|at| Some((at, self.entries.get(at as usize)?))) {
            next = entry.earlier;
            let Change { action, path, previous, .. } = &entry.change;
            match (entry.live, action, entry.at(order)) {
                (false, ..) => {}
                (true, Action::Remove, _) => revoked.push(path),
                (true, _, None) => break,
                (true, Action::Omit, Some(here)) => {
                    let ended = self.is_ended(injector, entry.serial, here.scope, here.state);
                    if found.is_none() && revoked.is_empty() && !ended {
                        omitted = omitted.or(Some(here));
                    }
                    // A list that leaves it out says nothing of what stands; a transition does (R2).
                    let list = self.message(entry.serial).is_some_and(|message| message.baseline.is_some());
                    if !list {
                        break;
                    }
                }
                (true, _, Some(here)) if self.is_ended(injector, entry.serial, here.scope, here.state) => {
                    break;
                }
                (true, Action::Set | Action::Replace, Some(here)) => {
                    let revoked_later = revoked.contains(&path.as_str());
                    match &mut found {
                        None if !revoked_later => found = Some(here),
                        Some(known) if known.path != path && !revoked_later => {
                            known.stray = Some(Stray { path, digest: here.state.digest() });
                            break;
                        }
                        _ => {}
                    }
                    revoked.extend(previous.as_deref());
                }
            }
        }
        found.or(omitted)
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
