//! Where each slot stands, looked at by itself (C6, C7).

use std::collections::HashSet;

use super::complete::Kind;
use super::{CandidateState, Content, FileKey, Rules, Selection, Slot, Zone};
use crate::fold::{Fold, ScopeEntry};
use crate::{Digest, ScopeState};

/// A slot, its visible state, and what its candidates come to.
#[derive(Clone, Debug)]
pub(super) struct Standing<'a> {
    /// In force or left out; in a complete message no chain scope is.
    pub(super) loaded: Option<ScopeEntry<'a>>,
    pub(super) verdict: Verdict,
    /// In a directory that is frozen: neither set, replaced nor removed.
    pub(super) pinned: bool,
    /// Whose showing stands for this slot's, after the same-file rule.
    pub(super) shown: Shown,
}

/// What the candidates of a slot come to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    /// Every candidate is confirmed absent.
    Gone,
    /// Not loaded, and no content can be had now.
    Unavailable { file: Option<FileKey> },
    /// Loaded, and nothing can be concluded: the last good state stands.
    Frozen,
    /// Not loaded, in a directory that is frozen.
    Blocked,
    /// What fills the slot is kept from this session (I5).
    Gated,
    /// This one fills the slot.
    Winner {
        candidate: usize,
        file: Option<FileKey>,
        digest: Digest,
        trimmed: Option<Digest>,
        same_path: bool,
    },
}

/// What the same-file rule (D9) says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shown {
    /// By itself.
    Itself,
    /// Not loaded, and an earlier place shows it already: the slot number, and whether they are
    /// one file rather than equal siblings.
    By { slot: usize, one_file: bool },
    /// Loaded, and withdrawn once the earlier place is in force.
    HandedTo { slot: usize, one_file: bool, enters: bool },
    /// Kept from showing by an unavailable place.
    Held,
}

impl Standing<'_> {
    pub(super) fn in_force(&self) -> Option<Digest> {
        self.loaded.filter(|entry| entry.state.is_in_force()).map(|entry| entry.state.digest())
    }

    /// Whether the winner is in force as it is now.
    pub(super) fn is_current(&self) -> bool {
        match self.verdict {
            Verdict::Winner { digest, same_path: true, .. } => {
                self.in_force() == Some(digest) && self.loaded.is_some_and(|entry| entry.stray.is_none())
            }
            _ => false,
        }
    }

    /// Whether it would enter now: new, or changed, and shown by itself.
    pub(super) fn enters(&self) -> bool {
        let Verdict::Winner { digest, .. } = self.verdict else { return false };
        if self.shown != Shown::Itself || self.is_current() {
            return false;
        }
        match self.loaded.map(|entry| entry.state) {
            None | Some(ScopeState::InForce(_)) => true,
            // Left out: due again only when its digest changes (C8).
            Some(ScopeState::Omitted(left_out)) => left_out != digest,
        }
    }
}

pub(super) fn resolve<'f>(
    visible: &'f Fold,
    slots: &[Slot<'_>],
    rules: &Rules<'_>,
    kind: &Kind,
) -> Vec<Standing<'f>> {
    let standing = |slot: &Slot<'_>| {
        let fresh = kind.is_complete() && (slot.zone == Zone::Chain || kind.resets_nested());
        let loaded = if fresh { None } else { visible.scope(rules.injector, slot.scope.as_str()) };
        // A complete message ends what an earlier one left out (C8).
        let loaded = loaded.filter(|entry| entry.state.is_in_force() || !kind.is_complete());
        Standing { loaded, verdict: verdict(slot, loaded), pinned: false, shown: Shown::Itself }
    };
    let mut standings: Vec<_> = slots.iter().map(standing).collect();
    if rules.selection == Selection::AllDistinct {
        freeze_directories(slots, &mut standings);
    }
    standings
}

/// What the candidates of one slot come to, given what is loaded.
pub(super) fn verdict(slot: &Slot<'_>, loaded: Option<ScopeEntry<'_>>) -> Verdict {
    let winner = slot.candidates.iter().enumerate().find_map(|(number, candidate)| match candidate.state {
        CandidateState::Present { file, content } => Some((number, candidate, file, content)),
        CandidateState::Absent | CandidateState::Unknown => None,
    });
    let unknown_before = |end: usize| {
        slot.candidates.iter().take(end).any(|candidate| candidate.state == CandidateState::Unknown)
    };
    let Some((number, candidate, file, content)) = winner else {
        return match (unknown_before(usize::MAX), loaded) {
            (false, _) => Verdict::Gone,
            (true, None) => Verdict::Unavailable { file: None },
            (true, Some(_)) => Verdict::Frozen,
        };
    };
    let same_path = loaded.is_some_and(|entry| candidate.path == entry.path);
    // A loaded slot moves only when every name above the new winner is confirmed absent (C7).
    if loaded.is_some() && !same_path && unknown_before(number) {
        return Verdict::Frozen;
    }
    match (content, loaded) {
        (Content::Text { digest, trimmed }, _) => {
            Verdict::Winner { candidate: number, file, digest, trimmed, same_path }
        }
        (Content::Gated, _) => Verdict::Gated,
        (Content::Unavailable | Content::Unread, Some(_)) => Verdict::Frozen,
        (Content::Unavailable | Content::Unread, None) => Verdict::Unavailable { file },
    }
}

/// In `all_distinct` an unavailable loaded member freezes its directory (C7).
fn freeze_directories(slots: &[Slot<'_>], standings: &mut [Standing<'_>]) {
    let directories = || slots.iter().map(|slot| slot.directory);
    // Imports may stand between the slots of one directory.
    let frozen = directories().zip(&*standings).filter(|(_, member)| member.verdict == Verdict::Frozen);
    let frozen: HashSet<usize> = frozen.map(|(directory, _)| directory).collect();
    let members = directories().zip(standings).filter(|(directory, _)| frozen.contains(directory));
    for (_, member) in members {
        member.pinned = true;
        member.verdict = match (member.verdict, member.loaded) {
            (Verdict::Frozen, _) => Verdict::Frozen,
            (Verdict::Gated, _) => Verdict::Gated,
            // What is there and unchanged still is, and keeps its file (D9).
            (winner @ Verdict::Winner { .. }, Some(_)) if member.is_current() => winner,
            (_, Some(_)) => Verdict::Frozen,
            (unavailable @ Verdict::Unavailable { .. }, None) => unavailable,
            (Verdict::Gone, None) => Verdict::Gone,
            (_, None) => Verdict::Blocked,
        };
    }
}
