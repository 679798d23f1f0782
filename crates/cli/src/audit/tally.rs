//! Counts: steps, messages and bytes, of one log and of several.

use std::collections::BTreeMap;

use standing_orders::plugin::SessionClass;

use super::entry::Entry;
use super::{Audited, Entered};

/// Which step it is.
///
/// A log that says where steps start is followed. In another one a step is a request to the model: it ends
/// with what the model said.
#[derive(Default)]
pub(super) struct Steps {
    count: u64,
    open: bool,
    explicit: bool,
}

impl Steps {
    pub(super) fn see(&mut self, entry: &Entry) {
        match entry {
            // What stood right before the log's first one belongs to it.
            Entry::StepStart if !self.explicit && self.open => self.explicit = true,
            Entry::StepStart => {
                self.explicit = true;
                self.count += 1;
            }
            Entry::Heard | Entry::Instruction(_) | Entry::Said if !self.explicit => {
                self.count += u64::from(!self.open);
                self.open = !matches!(entry, Entry::Said);
            }
            _ => {}
        }
    }

    /// From 1; 0 before the first.
    pub(super) fn current(&self) -> u64 {
        self.count
    }

    pub(super) fn count(&self) -> u64 {
        self.count
    }
}

/// What entered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Counts {
    pub(crate) messages: u64,
    pub(crate) blocks: u64,
    pub(crate) bytes: u64,
    /// Messages that say again, in whole or in part, what is in view.
    pub(crate) repeated: u64,
    /// Of those that do so in whole.
    pub(crate) repeated_bytes: u64,
}

impl Counts {
    fn add(&mut self, other: Self) {
        self.messages += other.messages;
        self.blocks += other.blocks;
        self.bytes += other.bytes;
        self.repeated += other.repeated;
        self.repeated_bytes += other.repeated_bytes;
    }
}

/// By injector.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tally {
    pub(crate) all: Counts,
    pub(crate) by_injector: BTreeMap<String, Counts>,
}

impl Tally {
    pub(super) fn add(&mut self, entered: &Entered<'_>) {
        let whole = entered.repeat.as_ref().is_some_and(|repeat| repeat.whole);
        let counts = Counts {
            messages: 1,
            blocks: entered.blocks.len() as u64,
            bytes: entered.bytes,
            repeated: u64::from(entered.repeat.is_some()),
            repeated_bytes: if whole { entered.bytes } else { 0 },
        };
        self.all.add(counts);
        match self.by_injector.get_mut(entered.injector) {
            Some(injector) => injector.add(counts),
            None => {
                self.by_injector.insert(entered.injector.to_owned(), counts);
            }
        }
    }
}

/// Over logs, by class and depth of the session, then by injector.
#[derive(Clone, Debug, Default)]
pub(crate) struct Totals {
    pub(crate) logs: usize,
    pub(crate) by_class: BTreeMap<Option<SessionClass>, (u64, BTreeMap<String, Counts>)>,
}

impl Totals {
    pub(crate) fn add(&mut self, audited: &Audited) {
        self.logs += 1;
        let (sessions, injectors) = self.by_class.entry(audited.session.class).or_default();
        *sessions += 1;
        for (injector, counts) in &audited.tally.by_injector {
            injectors.entry(injector.clone()).or_default().add(*counts);
        }
    }
}
