//! A message for the model.

use standing_orders_session::{InjectorId, InstructionSource};

/// One message due for the model: user role, with a source that the host stores beside it (R1, H4).
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct InstructionMessage {
    /// What it did, for the durable history.
    pub source: InstructionSource,
    /// One or two text blocks, in order.
    pub blocks: Vec<String>,
}

impl InstructionMessage {
    /// Who contributed it.
    pub fn injector(&self) -> &InjectorId {
        &self.source.injector
    }

    /// The blocks as one text, a line end between two.
    pub fn text(&self) -> String {
        self.blocks.join("\n")
    }
}
