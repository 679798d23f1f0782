//! Commit: the messages, and what entering them makes true.

use std::path::PathBuf;
use std::sync::Arc;

use standing_orders_session::{
    Change, Complete, Decision, Digest, Fit, Fold, InjectorId, InstructionSource, MessageId, Replaces, Scope,
    Zone,
};

use super::cache::Cache;
use super::guard::KnownGuards;
use super::imports::{self, Imported};
use super::observe::Observed;
use super::record::{Share, SlotRecord};
use super::rules::{Folders, KnownFolder};
use super::wanted::Answer;
use super::{Identity, Pass};
use crate::injector::{Instruction, InstructionId};
use crate::message::InstructionMessage;
use crate::rooted::Rooted;

/// The most touches that are kept for what could not be looked at.
const MAX_MISSED: usize = 512;

/// What an instance remembers beside the history; lost at a restart without harm.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Memory {
    pub(crate) cache: Cache,
    /// Nested directories that could not be answered at their touch (C4).
    pub(crate) pending: Vec<PathBuf>,
    /// By injector, from 1 on; empty without injectors.
    pub(crate) injectors: Vec<Remembered>,
    /// The identities of gated files that are not for this session (I5).
    pub(crate) guards: KnownGuards,
    /// The touches of steps in which something that the workspace imports could not be looked at: it may be a
    /// rule for them (M3).
    pub(crate) missed: Vec<PathBuf>,
    /// What was imported, and how it is shown: looked at with the first batch of the next step.
    pub(crate) imports: Vec<Imported>,
}

/// What an instance remembers of one injector.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Remembered {
    /// What it wanted at the last entered step.
    pub(crate) wanted: Option<Arc<[Instruction]>>,
    /// What could not be answered yet.
    pub(crate) waiting: Vec<InstructionId>,
    /// The touches of steps in which it failed.
    pub(crate) missed: Vec<PathBuf>,
    /// What was in its rules folders.
    pub(crate) folders: Vec<KnownFolder>,
}

/// What entering makes true.
#[derive(Debug, Default)]
pub(crate) struct PendingCommit {
    /// Set when the messages were taken out.
    pub(crate) sources: Vec<InstructionSource>,
    pub(crate) memory: Memory,
    pub(crate) revision: u64,
    pub(crate) mark: u64,
    pub(crate) instance: u64,
    /// Counts the providers of an instance.
    pub(crate) provider: u32,
    /// Counts the steps that have entered.
    pub(crate) steps: u32,
    /// Where it was worked out.
    pub(crate) rooted: Option<Arc<Rooted>>,
    /// What is due with content and waits for room.
    pub(crate) waiting: Vec<Waiting>,
}

/// Due with content, and without room in this message (C8).
#[derive(Clone, Debug)]
pub(crate) struct Waiting {
    pub(crate) injector: InjectorId,
    pub(crate) scope: Scope,
    pub(crate) path: String,
}

/// What is due with content and waits for room.
pub(super) fn waiting(shares: &[Share<'_>]) -> Vec<Waiting> {
    let mut waiting = Vec::new();
    for share in shares {
        let slots = share.slots.iter().filter(|slot| slot.fit == Some(Fit::Waits));
        waiting.extend(slots.filter(|slot| slot.decision.content().is_some()).map(|slot| Waiting {
            injector: share.injector.clone(),
            scope: slot.scope.clone(),
            path: slot.shown().to_owned(),
        }));
    }
    waiting
}

/// What the instance remembers once the step has entered.
pub(super) fn remember(
    pass: &Pass<'_>,
    shares: &[Share<'_>],
    observed: &Observed,
    answers: &[Answer<'_>],
    folders: &[Folders<'_>],
) -> Memory {
    let pending = match pass.admissions.is_unknown() {
        true => pass.memory.pending.clone(),
        false => pending(pass.visible, shares),
    };
    let own = shares.iter().filter(|share| share.is_workspace()).flat_map(|share| &share.slots);
    let mut imported = own.filter(|slot| slot.import.is_some());
    let missed = match imported.any(|slot| slot.decision == Decision::Unavailable) {
        true => missed(&pass.memory.missed, pass.touched),
        false => Vec::new(),
    };
    let injectors =
        (1..).zip(answers).map(|(number, answer)| remember_injector(pass, shares, number, answer, folders));
    Memory {
        cache: observed.to_cache(shares),
        pending,
        injectors: injectors.collect(),
        guards: observed.guards(),
        missed,
        imports: imports::to_remember(shares, observed),
    }
}

/// These touches and the new ones.
fn missed(known: &[PathBuf], touched: &[PathBuf]) -> Vec<PathBuf> {
    let new = touched.iter().filter(|path| !known.contains(path));
    latest(known.iter().chain(new).cloned().collect())
}

/// As many touches as are kept, the latest ones.
pub(super) fn latest(mut touched: Vec<PathBuf>) -> Vec<PathBuf> {
    touched.drain(..touched.len().saturating_sub(MAX_MISSED));
    touched
}

/// The nested directories to observe again (C4).
fn pending(visible: &Fold, shares: &[Share<'_>]) -> Vec<PathBuf> {
    let mut pending: Vec<PathBuf> = Vec::new();
    for share in shares.iter().filter(|share| share.is_workspace()) {
        let nested = share.slots.iter().filter(|slot| slot.zone == Zone::Nested);
        let open = nested.filter(|slot| is_unanswered(visible, share, slot));
        pending.extend(open.filter_map(|slot| Some(slot.folder.as_deref()?.to_path_buf())));
    }
    pending.dedup();
    pending
}

/// Whether the slot could not be answered: unavailable, suppressed by what is, or without room (C4).
pub(super) fn is_unanswered(visible: &Fold, share: &Share<'_>, slot: &SlotRecord<'_>) -> bool {
    match slot.decision {
        Decision::Unavailable | Decision::SuppressedByUnavailable | Decision::Blocked => true,
        // What is in force is observed anyway; what was left out is not.
        Decision::Frozen => {
            visible.scope(share.injector, slot.scope.as_str()).is_none_or(|entry| !entry.state.is_in_force())
        }
        Decision::Set { .. } | Decision::Replace { .. } => slot.fit == Some(Fit::Waits) && !share.lists(slot),
        _ => false,
    }
}

fn remember_injector(
    pass: &Pass<'_>,
    shares: &[Share<'_>],
    number: usize,
    answer: &Answer<'_>,
    folders: &[Folders<'_>],
) -> Remembered {
    let known = pass.memory.injectors.get(number - 1);
    match answer {
        Answer::Stands => known.cloned().unwrap_or_default(),
        Answer::Failed => {
            let mut known = known.cloned().unwrap_or_default();
            known.missed = missed(&known.missed, pass.touched);
            known
        }
        // It was not asked: what it wanted before is what it wants when it is admitted again.
        Answer::Denied(_) => {
            Remembered { wanted: known.and_then(|known| known.wanted.clone()), ..Remembered::default() }
        }
        Answer::Wants(_, wanted) => {
            let share = shares.iter().filter(|share| share.number == number);
            let open = share
                .flat_map(|share| share.slots.iter().filter(|slot| is_unanswered(pass.visible, share, slot)));
            Remembered {
                wanted: Some(wanted.clone()),
                waiting: open.map(|slot| Arc::from(slot.scope.as_str())).collect(),
                missed: Vec::new(),
                folders: Vec::new(),
            }
        }
        Answer::Rules(..) => {
            let folders = folders.iter().find(|folders| folders.number() == number);
            let share = shares.iter().find(|share| share.number == number);
            let remembered =
                folders.zip(share).map(|(folders, share)| folders.to_remember(share, pass.visible));
            remembered.unwrap_or_default()
        }
    }
}

/// The messages of all shares, with their sources.
pub(super) fn messages(pass: &Pass<'_>, shares: Vec<Share<'_>>) -> Vec<InstructionMessage> {
    let mut messages = Vec::new();
    let mut last = pass.visible.last_message().cloned();
    let mut count = pass.visible.messages_so_far();
    for share in shares {
        let Share { injector, blocks, changes, complete, .. } = share;
        let baseline = complete.as_ref().is_some_and(|complete| complete.baseline);
        // A message with nothing to record is not sent (C9), nor one of which no byte has room.
        if changes.is_empty() && !baseline || blocks.iter().all(String::is_empty) {
            continue;
        }
        let (cwd, at) =
            pass.rooted.map_or_else(|| (Digest::of(""), "."), |rooted| (rooted.cwd_digest, rooted.at()));
        let id = message_id(pass, last.as_ref(), count, injector, &changes);
        let identity = pass.rooted.filter(|_| baseline).map(|rooted| {
            let Identity { root, max_bytes, full, .. } = pass.identity;
            let settings = &pass.deployment.settings;
            full.cloned().unwrap_or_else(|| settings.identity(rooted.at(), root, pass.header, max_bytes))
        });
        let source = InstructionSource {
            id: id.clone(),
            injector: injector.clone(),
            baseline,
            baseline_identity: identity,
            replaces: complete.as_ref().and_then(replaces),
            cwd,
            at: at.to_owned(),
            changes,
        };
        (last, count) = (Some(id), count + 1);
        messages.push(InstructionMessage { source, blocks });
    }
    messages
}

/// What the text of a complete message says that it replaces (R3).
fn replaces(complete: &Complete) -> Option<Replaces> {
    let Complete { superseding, others_stay, .. } = *complete;
    superseding.then_some(if others_stay { Replaces::Chain } else { Replaces::All })
}

/// Unique in what is known of a history and the same for the same inputs: a digest over what came
/// before it, the rules, and what it did.
fn message_id(
    pass: &Pass<'_>,
    last: Option<&MessageId>,
    count: u32,
    injector: &InjectorId,
    changes: &[Change],
) -> MessageId {
    let mut bytes = Vec::with_capacity(256);
    for part in [pass.header.id(), last.map_or("", |last| last.as_str()), injector.as_str()] {
        bytes.extend_from_slice(part.as_bytes());
        bytes.push(0);
    }
    bytes.extend_from_slice(&count.to_le_bytes());
    bytes.extend_from_slice(pass.identity.digest.as_bytes());
    for change in changes {
        bytes.push(change.action as u8);
        bytes.extend_from_slice(change.scope.as_str().as_bytes());
        bytes.push(0);
        bytes.extend(change.digest.iter().flat_map(Digest::as_bytes));
    }
    let digest = Digest::of_bytes(&bytes).to_string();
    MessageId::from(digest.get(..20).unwrap_or(&digest))
}
