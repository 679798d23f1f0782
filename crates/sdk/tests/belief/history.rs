//! What a host keeps: its history, and what of it the model still sees.

use std::path::PathBuf;

use standing_orders::InstructionMessage;
use standing_orders_session::{Fact, InstructionSource, MessageId};

use super::reader::Said;
use super::story::Range;

/// One entry of a host's append-only history.
#[derive(Clone, Debug)]
pub(super) enum Entry {
    /// Instruction messages, each with its text and the folder worked in.
    Messages(Vec<(InstructionSource, Said)>),
    Touched(PathBuf),
    StepClosed,
    /// These left the view; the fact as it was told.
    Compacted(Vec<MessageId>, Fact),
}

/// A touch, and the entry of the step that answered it.
#[derive(Clone, Debug)]
pub(super) struct Touch {
    pub(super) path: PathBuf,
    /// The entry that tells of it.
    pub(super) entry: usize,
    pub(super) answered_by: Option<usize>,
    /// When each writer learned of it.
    pub(super) known: [Option<u64>; 2],
}

#[derive(Debug, Default)]
pub(super) struct History {
    pub(super) entries: Vec<Entry>,
    pub(super) touches: Vec<Touch>,
}

impl History {
    /// As facts. Steps without instructions are told of, or not.
    pub(super) fn facts(&self, tells_empty_steps: bool) -> Vec<Fact> {
        self.entries.iter().filter_map(|entry| entry.fact(tells_empty_steps)).collect()
    }

    /// Every copy in view, in order.
    pub(super) fn view(&self) -> Vec<&(InstructionSource, Said)> {
        let mut view: Vec<&(InstructionSource, Said)> = Vec::new();
        for entry in &self.entries {
            match entry {
                Entry::Messages(messages) => view.extend(messages),
                // Shadowing a message takes every copy (H3).
                Entry::Compacted(ids, _) => view.retain(|(source, _)| !ids.contains(&source.id)),
                Entry::Touched(_) | Entry::StepClosed => {}
            }
        }
        view
    }

    /// A compaction of a part of what is in view, if there is anything in it.
    pub(super) fn compact(&self, range: Range) -> Option<Entry> {
        let view = self.view();
        let place = |sixteenths: usize| view.len() * sixteenths.min(16) / 16;
        let (from, to) = (place(range.from), place(range.to));
        let gone: Vec<MessageId> = view.get(from..to)?.iter().map(|(source, _)| source.id.clone()).collect();
        if gone.is_empty() {
            return None;
        }
        let kept = view.iter().map(|(source, _)| source.id.clone()).filter(|id| !gone.contains(id));
        let fact = match range.except {
            true => Fact::ShadowedExcept(kept.collect()),
            false => Fact::Shadowed(gone.clone()),
        };
        Some(Entry::Compacted(gone, fact))
    }

    /// Takes the newest entries back.
    pub(super) fn rewind(&mut self, entries: usize) {
        let left = self.entries.len().saturating_sub(entries);
        self.entries.truncate(left);
        self.touches.retain(|touch| touch.entry < left);
        for touch in &mut self.touches {
            touch.answered_by = touch.answered_by.filter(|entry| *entry < left);
        }
    }
}

impl Entry {
    pub(super) fn messages(messages: &[InstructionMessage], here: &str) -> Self {
        let said = |message: &InstructionMessage| Said { text: message.text(), here: here.to_owned() };
        Self::Messages(messages.iter().map(|message| (message.source.clone(), said(message))).collect())
    }

    pub(super) fn fact(&self, tells_empty_steps: bool) -> Option<Fact> {
        match self {
            Self::Messages(messages) if messages.is_empty() && !tells_empty_steps => None,
            Self::Messages(messages) => {
                Some(Fact::Entered(messages.iter().map(|(source, _)| source.clone()).collect()))
            }
            Self::Touched(path) => Some(Fact::Touched(vec![path.clone()])),
            Self::StepClosed => Some(Fact::StepClosed),
            Self::Compacted(_, fact) => Some(fact.clone()),
        }
    }
}
