#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, missing_docs)]

mod fold;
mod header;
mod ledger;
mod reconcile;

use standing_orders_session::{Action, Change, Digest, InstructionSource};

/// An instruction message's source that sets one scope.
fn source(id: &str) -> InstructionSource {
    InstructionSource {
        id: id.into(),
        injector: "workspace".into(),
        baseline: true,
        baseline_identity: None,
        replaces: None,
        cwd: Digest::of("/ws"),
        at: ".".to_owned(),
        changes: vec![Change {
            action: Action::Set,
            scope: standing_orders_session::Scope::of(".", "base"),
            path: "AGENTS.md".to_owned(),
            previous: None,
            digest: Some(Digest::of("root")),
        }],
    }
}
