//! Faults on order.

use std::path::Path;
use std::time::Duration;

use crate::FsError;

/// Which requests for a path fail.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Fault {
    /// Probes and reads: what cannot be looked at cannot be opened either.
    Stat(FaultKind),
    /// Reads only; probes answer as ever.
    Read(FaultKind),
}

/// The fault they answer.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum FaultKind {
    /// [`FsError::PermissionDenied`].
    PermissionDenied,
    /// [`FsError::LinkCycle`].
    LinkCycle,
    /// [`FsError::TimedOut`] after this time, which is only told: the answer comes at once.
    TimedOut(Duration),
    /// [`FsError::Other`] with this message.
    Other(String),
}

impl FaultKind {
    pub(super) fn of(&self, path: &Path) -> FsError {
        let path = path.to_path_buf();
        match self {
            Self::PermissionDenied => FsError::PermissionDenied { path },
            Self::LinkCycle => FsError::LinkCycle { path },
            Self::TimedOut(after) => FsError::TimedOut { path, after: *after },
            Self::Other(message) => FsError::Other { path, message: message.clone() },
        }
    }
}
