//! What is in view while a log is read, and what enters again although it is.
//!
//! The fold decides what is in force (H5); here is only which messages a compaction takes out of view, and
//! what they said. Memory is in proportion to the instruction messages in view and live summaries.

use std::collections::{BTreeMap, HashMap};

use standing_orders::session::{Action, Change, Digest, Fact, Fold, InjectorId, MessageId, ScopeState};

use super::entry::Instruction;

#[derive(Default)]
pub(super) struct State {
    fold: Fold,
    /// By place.
    visible: Vec<Visible>,
    /// From the number of a live summary to its place.
    summaries: BTreeMap<u64, u64>,
    recorded: HashMap<Digest, Option<String>>,
}

/// An instruction message in view.
struct Visible {
    place: u64,
    id: MessageId,
    injector: InjectorId,
    /// The step in which this was first said.
    since: u64,
    text: Digest,
    digests: Vec<Digest>,
    /// Of a baseline.
    identity: Option<Option<Digest>>,
}

/// What a message says again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Repeat {
    /// The step since which it has been in view.
    pub(crate) since: u64,
    /// Whether all of the message is said again, or these paths alone.
    pub(crate) whole: bool,
    pub(crate) paths: Vec<String>,
}

/// A scope at the end.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Standing {
    pub(crate) injector: String,
    pub(crate) path: String,
    pub(crate) scope: String,
    /// As it was recorded, if it was.
    pub(crate) digest: Option<String>,
    /// In force, or left out for the budget.
    pub(crate) in_force: bool,
}

impl State {
    /// Takes a message in that enters as the entry `place` in the step `step`.
    pub(super) fn enter(&mut self, instruction: &Instruction, place: u64, step: u64) -> Option<Repeat> {
        let Instruction { source, blocks, recorded } = instruction;
        self.recorded.extend(recorded.iter().map(|(digest, text)| (*digest, text.clone())));
        let text = Digest::of_normalised(&blocks.concat());
        let identity = source.baseline.then(|| source.baseline_identity.as_ref().map(Fold::identity_digest));
        let repeat = self.repeat(instruction, &text, identity);
        let carried = source.changes.iter().filter(|change| is_carried(change));
        self.visible.push(Visible {
            place,
            id: source.id.clone(),
            injector: source.injector.clone(),
            since: repeat.as_ref().map_or(step, |repeat| repeat.since),
            text,
            digests: carried.filter_map(|change| change.digest).collect(),
            identity,
        });
        self.fold.follow([Fact::Entered(vec![source.clone()])]);
        repeat
    }

    fn repeat(
        &self,
        instruction: &Instruction,
        text: &Digest,
        identity: Option<Option<Digest>>,
    ) -> Option<Repeat> {
        let injector = &instruction.source.injector;
        let changes = &instruction.source.changes;
        let before = |seen: &dyn Fn(&Visible) -> bool| {
            let mut of_injector = self.visible.iter().rev().filter(|message| message.injector == *injector);
            of_injector.find(|message| seen(message)).map(|message| message.since)
        };
        let known = |change: &&Change| self.knows(injector, change);
        let carried = || changes.iter().filter(|change| is_carried(change));
        if carried().next().is_none() {
            // Nothing tells it apart but what it says.
            let idle = changes.iter().all(|change| known(&change));
            let since = before(&|message| message.text == *text).filter(|_| idle)?;
            return Some(Repeat { since, whole: true, paths: Vec::new() });
        }
        let again: Vec<&Change> = carried().filter(known).collect();
        let whole = again.len() == carried().count();
        if let Some(identity) = identity {
            // A baseline under other rules says everything again, and has to (C3).
            let same = before(&|message| message.identity == Some(identity))?;
            let whole = whole && changes.iter().all(|change| known(&change));
            return whole.then(|| Repeat { since: same, whole, paths: paths(&again) });
        }
        let first = again.first()?;
        let since = before(&|message| first.digest.is_some_and(|digest| message.digests.contains(&digest)))?;
        let whole = whole && changes.iter().all(|change| known(&change));
        Some(Repeat { since, whole, paths: paths(&again) })
    }

    /// Whether the change changes nothing.
    fn knows(&self, injector: &InjectorId, change: &Change) -> bool {
        let standing = self.fold.scope(injector, change.scope.as_str());
        match (change.action, standing) {
            (Action::Remove, standing) => standing.is_none(),
            (Action::Set | Action::Replace, Some(standing)) => {
                standing.path == change.path
                    && change.digest.is_some_and(|digest| standing.state == ScopeState::InForce(digest))
            }
            (Action::Omit, Some(standing)) => {
                change.digest.is_some_and(|digest| standing.state == ScopeState::Omitted(digest))
            }
            (_, None) => false,
        }
    }

    /// A summary, the entry `number`, stands where the entries from `first` to `last` stood (H1).
    pub(super) fn replaced(&mut self, number: u64, first: u64, last: u64) {
        let place = |number| self.summaries.get(&number).copied().unwrap_or(number);
        let (from, to) = (place(first), place(last));
        self.summaries.retain(|_, place| !(from..=to).contains(place));
        self.summaries.insert(number, from);
        let start = self.visible.partition_point(|message| message.place < from);
        let end = self.visible.partition_point(|message| message.place <= to);
        let shadowed = self.visible.drain(start..end.max(start)).map(|message| message.id);
        self.fold.follow([Fact::Shadowed(shadowed.collect())]);
    }

    /// Everything so far is out of view.
    pub(super) fn compacted(&mut self) {
        self.summaries.clear();
        self.visible.clear();
        self.fold.follow([Fact::ShadowedExcept(Vec::new())]);
    }

    /// What stands now, by injector and path.
    pub(super) fn standing(&self) -> Vec<Standing> {
        let mut standing = Vec::new();
        for injector in self.fold.injectors() {
            standing.extend(self.fold.scopes(injector).map(|scope| {
                let digest = scope.state.digest();
                Standing {
                    injector: injector.to_string(),
                    path: scope.path.to_string(),
                    scope: scope.scope.to_string(),
                    digest: self.recorded.get(&digest).cloned().unwrap_or_else(|| Some(digest.to_string())),
                    in_force: scope.state.is_in_force(),
                }
            }));
        }
        standing.sort();
        standing
    }
}

/// Whether the message carries the text of the change.
fn is_carried(change: &Change) -> bool {
    matches!(change.action, Action::Set | Action::Replace)
}

fn paths(changes: &[&Change]) -> Vec<String> {
    changes.iter().map(|change| change.path.clone()).collect()
}
