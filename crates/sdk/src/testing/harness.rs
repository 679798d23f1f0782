//! An engine, a project, and the sessions in it.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use standing_orders_fs::MemoryFs;
use standing_orders_history::MemoryLog;
use standing_orders_session::SessionHeader;

use super::{HarnessError, TestSession};
use crate::{Engine, Home, SessionSetup};

/// An engine and a project in memory, and sessions in it.
///
/// The project's root is `/ws`, which is marked by `/ws/.git/`. Paths are relative to it unless
/// they are absolute. Clones share the project.
#[derive(Clone, Debug)]
pub struct Harness {
    engine: Engine,
    fs: MemoryFs,
    home: Option<Home>,
}

impl Harness {
    /// The root of the project, and the working directory of its sessions unless they have another.
    pub const ROOT: &str = "/ws";

    /// An empty project for this engine.
    pub fn new(engine: Engine) -> Self {
        let fs = MemoryFs::new();
        fs.make_dir(Path::new(Self::ROOT).join(".git"));
        Self { engine, fs, home: None }
    }

    /// With this folder for the user-global file. Default: none (D6).
    #[must_use]
    pub fn with_home(self, home: Home) -> Self {
        Self { home: Some(home), ..self }
    }

    /// Writes a file, whatever is there: new, or an edit.
    pub fn write(&self, path: impl AsRef<Path>, text: impl Into<String>) -> &Self {
        self.fs.write(self.path(path), text.into());
        self
    }

    /// Removes a file, or a directory with all in it. Whether anything was there.
    pub fn remove(&self, path: impl AsRef<Path>) -> bool {
        self.fs.remove(self.path(path))
    }

    /// The absolute path.
    pub fn path(&self, path: impl AsRef<Path>) -> PathBuf {
        Path::new(Self::ROOT).join(path)
    }

    /// The file system, for links, faults, latency and counters. Its paths are absolute:
    /// [`path`](Self::path).
    pub fn fs(&self) -> &MemoryFs {
        &self.fs
    }

    /// The engine.
    pub fn engine(&self) -> &Engine {
        &self.engine
    }

    /// The same project under another engine: what a deployment that has changed would find.
    #[must_use]
    pub fn with_engine(&self, engine: Engine) -> Self {
        Self { engine, ..self.clone() }
    }

    /// A main session at the root.
    ///
    /// # Errors
    /// None that a new session can have.
    pub async fn main(&self, id: impl Into<String>) -> Result<TestSession, HarnessError> {
        self.open(SessionHeader::main(id, 0).with_cwd(Self::ROOT)).await
    }

    /// A session under this header, with an empty history.
    ///
    /// # Errors
    /// Its working directory is not absolute.
    pub async fn open(&self, header: SessionHeader) -> Result<TestSession, HarnessError> {
        TestSession::open(self.clone(), MemoryLog::new(header)).await
    }

    pub(super) fn setup(&self, header: SessionHeader) -> SessionSetup {
        let setup = self.engine.session(header).fs(Arc::new(self.fs.clone()));
        match &self.home {
            Some(home) => setup.home(home.clone()),
            None => setup,
        }
    }
}
