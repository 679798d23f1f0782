//! Looking on.

use std::fmt;

use standing_orders_session::Fact;

use crate::Prepared;

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
