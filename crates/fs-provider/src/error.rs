//! Why a path could not be looked at.

use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// A fault: the path's state is unknown, which is never the same as absent (P2, C7).
///
/// A message is one line whatever the path holds: paths stand in it quoted and escaped.
#[derive(Clone, Debug, thiserror::Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum FsError {
    /// The permission to look or to read is missing.
    #[error("{path:?}: permission denied")]
    PermissionDenied {
        /// The path asked for.
        path: PathBuf,
    },
    /// Links lead in a circle, or through too many steps.
    #[error("{path:?}: link cycle, or too many links")]
    LinkCycle {
        /// The path asked for.
        path: PathBuf,
    },
    /// No answer in time.
    #[error("{path:?}: no answer within {after:?}")]
    TimedOut {
        /// The path asked for.
        path: PathBuf,
        /// The time allowed.
        after: Duration,
    },
    /// A link leads out of the trusted roots (P8).
    #[error("{path:?}: refused, it leads out of the trusted roots to {target:?}")]
    Refused {
        /// The path asked for.
        path: PathBuf,
        /// Where it leads.
        target: PathBuf,
    },
    /// The provider needs a tokio runtime and was polled outside of one.
    #[error("the file system provider needs a tokio runtime: call it from within one")]
    NoRuntime,
    /// Any other fault.
    #[error("{path:?}: {message}")]
    Other {
        /// The path asked for.
        path: PathBuf,
        /// What the provider said.
        message: String,
    },
}

impl FsError {
    /// From an error of the operating system about `path`.
    pub fn from_io(path: &Path, error: &io::Error) -> Self {
        let path = path.to_path_buf();
        // `io::ErrorKind::FilesystemLoop` is not stable yet.
        #[cfg(unix)]
        if error.raw_os_error() == Some(rustix::io::Errno::LOOP.raw_os_error()) {
            return Self::LinkCycle { path };
        }
        match error.kind() {
            io::ErrorKind::PermissionDenied => Self::PermissionDenied { path },
            _ => Self::Other { path, message: error.to_string() },
        }
    }

    /// Any other fault of `path`.
    pub fn other(path: &Path, message: impl Into<String>) -> Self {
        Self::Other { path: path.to_path_buf(), message: message.into() }
    }
}
