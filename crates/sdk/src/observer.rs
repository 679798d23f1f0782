//! Looking on.

use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};

use standing_orders_session::Fact;

use crate::panic::panic_message;
use crate::prepared::Prepared;

/// Is told what happens, and cannot change anything (I7), not by a panic either, where unwinding is
/// on: that is told to `tracing`. Called on the host's own task: keep it quick.
pub trait Observer: Send + Sync + fmt::Debug {
    /// A pre-step has finished; it may still be dropped.
    fn prepared(&self, session: &str, prepared: &Prepared) {
        let _ = (session, prepared);
    }

    /// The host said that a step entered.
    fn entered(&self, session: &str, prepared: &Prepared) {
        let _ = (session, prepared);
    }

    /// The host told of a fact.
    fn fact(&self, session: &str, fact: &Fact) {
        let _ = (session, fact);
    }
}

/// Notifies the observer, if there is one; its panic is traced.
pub(crate) fn notify(observer: Option<&dyn Observer>, notice: impl FnOnce(&dyn Observer)) {
    let Some(observer) = observer else { return };
    if let Err(panic) = catch_unwind(AssertUnwindSafe(|| notice(observer))) {
        let message = panic_message(&*panic);
        tracing::warn!(target: "standing_orders", ?observer, "the observer panicked: {message}");
    }
}
