//! The record that goes through a pass: each stage adds to it.

use std::path::Path;
use std::sync::Arc;

use standing_orders_session::{
    CandidateState, Change, Complete, Content, Decision, Fit, InjectorId, Observation, Plan, Scope, Slot,
    Zone,
};

use super::cache::Known;
use crate::injector::RulesFolders;
use crate::report::{Fate, Trigger};
use crate::rules::{Dialect, Rule};

/// One injector's part of a pass.
pub(crate) struct Share<'a> {
    /// 0 is the workspace, the others by registration.
    pub(crate) number: usize,
    pub(crate) injector: &'a InjectorId,
    /// Bytes a block.
    pub(crate) budget: usize,
    /// Of rules folders.
    pub(crate) rules: Option<&'a RulesFolders>,
    /// In order (C10).
    pub(crate) slots: Vec<SlotRecord<'a>>,
    /// Decided: the head of a complete message, where one is due.
    pub(crate) complete: Option<Complete>,
    /// Composed: the blocks of the message, and what it records.
    pub(crate) blocks: Vec<String>,
    pub(crate) changes: Vec<Change>,
}

/// One scope.
pub(crate) struct SlotRecord<'a> {
    pub(crate) scope: Scope,
    pub(crate) zone: Zone,
    /// The same number for the slots of one directory.
    pub(crate) directory: usize,
    /// The folder of a nested one, to be observed again where it could not be answered (C4).
    pub(crate) folder: Option<Arc<Path>>,
    pub(crate) trigger: Trigger,
    /// Denied by policy: its candidates count as if there were none (I2).
    pub(crate) denied: bool,
    /// In list order.
    pub(crate) candidates: Vec<CandidateRecord<'a>>,
    /// Decided.
    pub(crate) decision: Decision,
    /// Composed; `None` where nothing is due.
    pub(crate) fit: Option<Fit>,
    /// Not due and not in force, for this reason: its candidates count as if there were none.
    pub(crate) dormant: Option<Box<Fate>>,
    /// Of a rule that is due: why.
    pub(crate) why: Option<Box<str>>,
    /// Of an import.
    pub(crate) import: Option<Box<ImportRecord>>,
    /// Whether what its text imports has been laid out.
    pub(crate) expanded: bool,
    /// Of a rule for some paths: `applies_to_paths`, filled in.
    pub(crate) sentence: Box<str>,
}

/// How a scope is imported (M3).
#[derive(Debug, Default)]
pub(crate) struct ImportRecord {
    /// The path of the file that names it, as shown.
    pub(crate) importer: Arc<str>,
    /// Where in it, from 1.
    pub(crate) line: usize,
    /// How many imports lead to it.
    pub(crate) depth: usize,
    /// `imported_by`, filled in.
    pub(crate) sentence: String,
}

/// One candidate.
pub(crate) struct CandidateRecord<'a> {
    /// As shown to the model (D11).
    pub(crate) shown: String,
    pub(crate) source: Source<'a>,
    /// Observed: what is known of its content.
    pub(crate) known: Option<Known>,
    /// Observed: what it is.
    pub(crate) state: CandidateState,
    /// Observed: its text says no more than to read the sibling of this finding, which counts in its place
    /// unless it is absent (M5).
    pub(crate) points_at: Option<usize>,
    /// No name of the lists: a file that another candidate points at.
    pub(crate) unlisted: bool,
    /// What its head is to it; `None`: text.
    pub(crate) head: Option<Head>,
}

/// What the head of a file is to it.
#[derive(Clone, Copy)]
pub(crate) enum Head {
    /// It says when this rule is due (F5).
    Rule(Dialect),
    /// Text: a rule that is always due, whole (F1).
    SingleFile(Dialect),
    /// It may make a rule of what is imported (M3).
    Import,
}

impl Head {
    /// Whether what the file imports is followed.
    pub(crate) fn imports(self) -> bool {
        match self {
            Self::Rule(dialect) | Self::SingleFile(dialect) => dialect.imports(),
            Self::Import => true,
        }
    }

    /// What a file with this text is, if it is a rule.
    pub(crate) fn read(self, text: &str) -> Option<Rule> {
        match self {
            Self::Rule(dialect) => Some(Rule::read(dialect, text)),
            Self::SingleFile(_) => Some(Rule::whole()),
            Self::Import => Rule::of_import(text),
        }
    }
}

/// Where the content of a candidate comes from.
#[derive(Clone, Copy)]
pub(crate) enum Source<'a> {
    /// A file: the finding of the look with this index.
    File(usize),
    /// An injector's own text.
    Text(&'a str),
    /// A text made in this pass, by its number.
    Made(usize),
}

impl<'a> CandidateRecord<'a> {
    pub(crate) fn new(shown: String, source: Source<'a>) -> Self {
        Self {
            shown,
            source,
            known: None,
            state: CandidateState::Unknown,
            points_at: None,
            unlisted: false,
            head: None,
        }
    }
}

impl<'a> Share<'a> {
    pub(crate) fn new(number: usize, injector: &'a InjectorId, budget: usize) -> Self {
        let (slots, blocks, changes) = (Vec::new(), Vec::new(), Vec::new());
        Self { number, injector, budget, rules: None, slots, complete: None, blocks, changes }
    }

    pub(crate) fn is_workspace(&self) -> bool {
        self.number == 0
    }

    /// What `ask` returns of the slots as the rules of change take them.
    pub(crate) fn with_slots<T>(&self, ask: impl FnOnce(&[Slot<'_>]) -> T) -> T {
        let observations: Vec<Observation<'_>> = self
            .slots
            .iter()
            .flat_map(SlotRecord::planned)
            .map(|candidate| Observation { path: &candidate.shown, state: candidate.state })
            .collect();
        let mut rest = observations.as_slice();
        let slots = self.slots.iter().map(|slot| {
            let (candidates, others) = rest.split_at_checked(slot.planned().len()).unwrap_or((rest, &[]));
            rest = others;
            let SlotRecord { scope, zone, directory, .. } = slot;
            Slot { scope, zone: *zone, directory: *directory, candidates }
        });
        ask(&slots.collect::<Vec<_>>())
    }

    pub(crate) fn decide(&mut self, plan: Plan) {
        for (slot, decision) in self.slots.iter_mut().zip(plan.decisions) {
            slot.decision = decision;
        }
        self.complete = plan.complete;
    }

    /// Whether a complete message carries the slot in its list (C3).
    pub(crate) fn lists(&self, slot: &SlotRecord<'_>) -> bool {
        self.complete.is_some() && slot.zone == Zone::Chain
    }

    /// Whether a message is due.
    pub(crate) fn is_due(&self) -> bool {
        self.complete.is_some() || self.slots.iter().any(|slot| slot.decision.is_due())
    }
}

impl<'a> SlotRecord<'a> {
    /// The candidates that count.
    pub(crate) fn planned(&self) -> &[CandidateRecord<'a>] {
        if self.denied || self.dormant.is_some() { &[] } else { &self.candidates }
    }

    /// The candidate whose content is due.
    pub(crate) fn due_candidate(&self) -> Option<&CandidateRecord<'a>> {
        let (candidate, _) = self.decision.content()?;
        self.candidates.get(candidate)
    }

    /// What stands under the heading besides the sentence of its kind.
    pub(crate) fn sentence(&self) -> &str {
        self.import.as_ref().map_or(&*self.sentence, |import| &import.sentence)
    }

    /// The path that a section of it is headed with.
    pub(crate) fn shown(&self) -> &str {
        match (&self.decision, self.due_candidate()) {
            (Decision::Remove { path, .. }, _) => path,
            (_, Some(candidate)) => &candidate.shown,
            (_, None) => "",
        }
    }

    /// Where the content of the winner comes from.
    pub(crate) fn winner_source(&self) -> Option<Source<'a>> {
        self.candidates.get(self.winner()?).map(|candidate| candidate.source)
    }

    /// Whether something of it cannot be looked at now: nothing follows from what is not there (C7).
    pub(crate) fn is_unknown(&self) -> bool {
        let unavailable = |content| matches!(content, Content::Unavailable | Content::Unread);
        let winner = self.winner().and_then(|winner| self.planned().get(winner));
        self.planned().iter().any(|candidate| candidate.state == CandidateState::Unknown)
            || winner.is_some_and(|winner| match winner.state {
                CandidateState::Present { content, .. } => unavailable(content),
                CandidateState::Absent | CandidateState::Unknown => false,
            })
    }

    /// The first candidate that is a regular file, as far as is known.
    pub(crate) fn winner(&self) -> Option<usize> {
        self.candidates.iter().position(|candidate| matches!(candidate.state, CandidateState::Present { .. }))
    }
}
