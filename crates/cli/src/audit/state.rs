//! What is in view while a log is read, and what enters again although it is.
//!
//! The fold decides what is in force (H5); here is only which messages a compaction takes out of view, and
//! what they said. Memory is in proportion to the instruction messages in view and live summaries.

use std::collections::{BTreeMap, HashMap};

use standing_orders::inspect::{Fold, ScopeState};
use standing_orders::{Action, Change, Digest, Fact, InjectorId, InstructionSource, MessageId};

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
    identity: Option<Identity>,
}

/// Under which rules a baseline stands, and where: one of another checkout says everything again, and has
/// to (C3).
type Identity = (Option<Digest>, Digest, String);

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
        let identity = source.baseline.then(|| {
            let rules = source.baseline_identity.as_ref().map(Fold::identity_digest);
            (rules, source.cwd, source.at.clone())
        });
        let repeat = self.repeat(instruction, &text, identity.as_ref());
        let carried = source.changes.iter().filter(|change| is_carried(change));
        // One that stands in for others stands where they stood.
        let place = self.summaries.get(&place).copied().unwrap_or(place);
        let at = self.visible.partition_point(|message| message.place <= place);
        self.visible.insert(
            at,
            Visible {
                place,
                id: source.id.clone(),
                injector: source.injector.clone(),
                since: repeat.as_ref().map_or(step, |repeat| repeat.since),
                text,
                digests: carried.filter_map(|change| change.digest).collect(),
                identity,
            },
        );
        self.fold.follow([Fact::Entered(vec![self.with_previous(source)])]);
        repeat
    }

    fn repeat(
        &self,
        instruction: &Instruction,
        text: &Digest,
        identity: Option<&Identity>,
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
            let same = before(&|message| message.identity.as_ref() == Some(identity))?;
            let whole = whole && changes.iter().all(|change| known(&change));
            return (!again.is_empty()).then(|| Repeat { since: same, whole, paths: paths(&again) });
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

    /// The source, where its updates say which path they stand in for: logs that do not record it are of
    /// programs whose texts say so all the same.
    fn with_previous(&self, source: &InstructionSource) -> InstructionSource {
        let mut source = source.clone();
        for change in &mut source.changes {
            let known = self.fold.scope(&source.injector, change.scope.as_str());
            let other = known.map(|known| known.path).filter(|known| *known != change.path);
            if change.action == Action::Replace && change.previous.is_none() {
                change.previous = other.map(str::to_owned);
            }
        }
        source
    }

    /// A summary, the entry `number`, stands where the entries of these ranges stood, each from its first to
    /// its last (H1).
    ///
    /// Returns the range that ends before it begins, if one does; then nothing has changed.
    pub(super) fn replaced(&mut self, number: u64, ranges: &[(u64, u64)]) -> Option<(u64, u64)> {
        let place = |number| self.summaries.get(&number).copied().unwrap_or(number);
        let reversed = ranges.iter().find(|(first, last)| place(*first) > place(*last));
        if let Some(reversed) = reversed {
            return Some(*reversed);
        }
        let ranges: Vec<(u64, u64)> =
            ranges.iter().map(|(first, last)| (place(*first), place(*last))).collect();
        let mut shadowed = Vec::new();
        for (from, to) in &ranges {
            self.summaries.retain(|_, place| *place < *from || *place > *to);
            let start = self.visible.partition_point(|message| message.place < *from);
            let end = self.visible.partition_point(|message| message.place <= *to);
            shadowed.extend(self.visible.drain(start..end).map(|message| message.id));
        }
        if let Some(from) = ranges.iter().map(|(from, _)| *from).min() {
            self.summaries.insert(number, from);
        }
        self.fold.follow([Fact::Shadowed(shadowed)]);
        None
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
