//! What the suite needs of the store behind a provider.

use std::path::{Path, PathBuf};

use async_trait::async_trait;

/// Whether the fixture did what it was asked for.
pub type Prepared = Result<(), NotPrepared>;

/// Why the fixture did not.
#[derive(Clone, Debug, thiserror::Error, PartialEq, Eq)]
pub enum NotPrepared {
    /// The store has no such thing, or not here: the law is skipped, with this reason.
    #[error("not supported: {0}")]
    Unsupported(String),
    /// It should have worked: counts as a violation, with this reason.
    #[error("the fixture failed: {0}")]
    Failed(String),
}

impl From<std::io::Error> for NotPrepared {
    fn from(error: std::io::Error) -> Self {
        Self::Failed(error.to_string())
    }
}

fn unsupported(what: &str) -> Prepared {
    Err(NotPrepared::Unsupported(format!("this fixture makes no {what}")))
}

/// Prepares the store behind a provider for [`conformance`](super::conformance).
///
/// Paths are absolute and below [`Fixture::root`]. What a method makes is visible to the provider
/// when it returns. The methods with a default are for what not every store has.
#[async_trait]
pub trait Fixture: Send {
    /// An absolute path for the suite alone. It need not exist; parents are made with
    /// [`Fixture::make_dir`].
    fn root(&self) -> PathBuf;

    /// Writes a regular file, in place if there is one. Its directory is there. One name of the suite is not
    /// UTF-8; a store that has no such names answers [`NotPrepared::Unsupported`].
    async fn write(&mut self, path: &Path, content: &[u8]) -> Prepared;

    /// Makes a directory and its parents; one that is there already is fine.
    async fn make_dir(&mut self, path: &Path) -> Prepared;

    /// Removes a file or link.
    async fn remove(&mut self, path: &Path) -> Prepared;

    /// Waits, or moves the provider's clock, until all that was written is settled (P3), and
    /// until a further write would leave other stamps.
    async fn settle(&mut self) -> Prepared;

    /// Makes a symbolic link to `target`, absolute or relative to the link's directory.
    async fn symlink(&mut self, _target: &Path, _path: &Path) -> Prepared {
        unsupported("symbolic links")
    }

    /// Gives the file at `original` a second name.
    async fn hard_link(&mut self, _original: &Path, _path: &Path) -> Prepared {
        unsupported("hard links")
    }

    /// Makes what is neither file nor directory; a FIFO finds the most faults.
    async fn special(&mut self, _path: &Path) -> Prepared {
        unsupported("special files")
    }

    /// Makes every probe, read and listing of the file at `path` fail, by a missing permission or otherwise.
    async fn deny(&mut self, _path: &Path) -> Prepared {
        unsupported("faults")
    }
}
