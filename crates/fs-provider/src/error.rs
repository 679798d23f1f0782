//! Why a path could not be looked at.

use std::error::Error;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

/// A fault of one path: its state is unknown, which is never the same as absent (P2, C7).
///
/// The message is the path and the [`kind`](Self::kind), in one line whatever the path holds: it stands there
/// quoted and escaped. [`Error::source`] is the [`io::Error`] the fault came of, where there was one. Two
/// faults are equal when path and kind are.
#[derive(Clone, Debug)]
pub struct FsError {
    path: PathBuf,
    kind: FaultKind,
    source: Option<Arc<io::Error>>,
}

/// The reason of an [`FsError`]. The message is without the path.
#[derive(Clone, Debug, thiserror::Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum FaultKind {
    /// The permission to look, to read or to list is missing.
    #[error("permission denied")]
    PermissionDenied,
    /// Links lead in a circle, or through too many steps.
    #[error("link cycle, or too many links")]
    LinkCycle,
    /// No answer within this time.
    #[error("no answer within {0:?}")]
    TimedOut(Duration),
    /// A link leads out of the trusted roots, to this path (P8).
    #[error("refused, it leads out of the trusted roots to {0:?}")]
    Refused(PathBuf),
    /// The provider cannot do what was asked for (P10).
    #[error("not supported by this file system provider")]
    Unsupported,
    /// The provider needs a tokio runtime and was polled outside of one.
    #[error("the file system provider needs a tokio runtime: call it from within one")]
    NoRuntime,
    /// Anything else, with what was said of it. Of an error of the operating system it is the text without
    /// the code, which the source has.
    #[error("{0}")]
    Other(String),
}

impl FsError {
    /// A fault of `path`.
    pub fn new(path: impl Into<PathBuf>, kind: FaultKind) -> Self {
        Self { path: path.into(), kind, source: None }
    }

    /// Any other fault of `path`.
    pub fn other(path: &Path, message: impl Into<String>) -> Self {
        Self::new(path, FaultKind::Other(message.into()))
    }

    /// From an error of the operating system about `path`.
    pub fn from_io(path: &Path, error: io::Error) -> Self {
        let kind = match error.kind() {
            _ if is_link_cycle(&error) => FaultKind::LinkCycle,
            io::ErrorKind::PermissionDenied => FaultKind::PermissionDenied,
            _ => FaultKind::Other(text(&error)),
        };
        Self { source: Some(Arc::new(error)), ..Self::new(path, kind) }
    }

    /// The path that was asked for.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The reason.
    pub fn kind(&self) -> &FaultKind {
        &self.kind
    }
}

impl fmt::Display for FsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}: {}", self.path, self.kind)
    }
}

impl Error for FsError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        let error: &io::Error = self.source.as_deref()?;
        Some(error)
    }
}

impl PartialEq for FsError {
    fn eq(&self, other: &Self) -> bool {
        self.path == other.path && self.kind == other.kind
    }
}

impl Eq for FsError {}

// `io::ErrorKind::FilesystemLoop` is not stable yet.
#[cfg(unix)]
fn is_link_cycle(error: &io::Error) -> bool {
    error.raw_os_error() == Some(rustix::io::Errno::LOOP.raw_os_error())
}

#[cfg(not(unix))]
fn is_link_cycle(_: &io::Error) -> bool {
    false
}

/// The standard library says the code in no other way than at the end of the text.
fn text(error: &io::Error) -> String {
    let (text, code) = (error.to_string(), error.raw_os_error());
    let without = code.and_then(|code| text.strip_suffix(&format!(" (os error {code})")));
    without.map_or_else(|| text.clone(), str::to_owned)
}
