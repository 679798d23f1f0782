//! Faults on order.

use crate::FaultKind;

/// Which requests for a path fail, and how. [`FaultKind::TimedOut`] is only said: the answer comes at once.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Fault {
    /// Probes, reads and listings: what cannot be looked at cannot be opened either.
    Stat(FaultKind),
    /// Reads and listings only; probes answer as ever.
    Read(FaultKind),
}
