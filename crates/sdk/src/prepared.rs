//! What a pre-step prepared.

use std::sync::Arc;

use standing_orders_session::InstructionSource;

use crate::message::InstructionMessage;
use crate::pass::PendingCommit;
use crate::report::Report;

/// The messages due with a step that goes ahead now, and the report (C1, X1).
///
/// Nothing has happened yet. Append the messages right after the step's claimed ones (C2), then
/// tell [`Context::entered`](crate::Context::entered). Dropping it is a rejection: nothing is lost,
/// the next pre-step computes it again.
#[derive(Debug)]
#[must_use = "append its messages and tell `Context::entered`, or drop it on purpose: then the step is rejected"]
pub struct Prepared {
    pub(crate) messages: Vec<InstructionMessage>,
    pub(crate) report: Arc<Report>,
    pub(crate) pending: PendingCommit,
}

impl Prepared {
    /// The due messages: workspace first, injectors in the order of registration (C2).
    pub fn messages(&self) -> &[InstructionMessage] {
        &self.messages
    }

    /// Takes the messages out, for a host that stores them by value.
    pub fn take_messages(&mut self) -> Vec<InstructionMessage> {
        self.pending.sources = self.sources();
        std::mem::take(&mut self.messages)
    }

    /// Whether no message is due.
    pub fn is_empty(&self) -> bool {
        self.messages.is_empty() && self.pending.sources.is_empty()
    }

    /// Every candidate considered, and its fate (X1).
    pub fn report(&self) -> &Arc<Report> {
        &self.report
    }

    /// What its messages do, in order: also when they were taken out.
    pub fn sources(&self) -> Vec<InstructionSource> {
        match self.messages.is_empty() {
            true => self.pending.sources.clone(),
            false => self.messages.iter().map(|message| message.source.clone()).collect(),
        }
    }
}
