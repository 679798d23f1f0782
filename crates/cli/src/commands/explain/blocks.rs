//! The blocks of a composed text, each with its budget.

use super::Explanation;

/// A block that the model reads.
pub(super) struct Block {
    /// Which one it is, where there are several.
    pub(super) what: String,
    pub(super) bytes: usize,
    /// The most bytes that it may have.
    pub(super) budget: u64,
}

pub(super) fn blocks(explanation: &Explanation) -> impl Iterator<Item = Block> {
    let subject = &explanation.subject;
    explanation.composition.parts.iter().flat_map(|part| {
        let many = part.blocks.len() > 1;
        let gated =
            subject.configuration.config.gated.iter().find(|gated| gated.id == part.injector().as_str());
        let own = gated.and_then(|gated| gated.max_bytes);
        let budget = own.unwrap_or(subject.settings.max_bytes.bytes());
        part.blocks.iter().enumerate().map(move |(index, block)| {
            let what = match (part.injector().is_workspace(), many, index) {
                (false, ..) => format!(" ({})", part.injector()),
                (true, true, 0) => " (root to start)".to_owned(),
                (true, true, _) => " (touched)".to_owned(),
                (true, false, _) => String::new(),
            };
            Block { what, bytes: block.len(), budget }
        })
    })
}
