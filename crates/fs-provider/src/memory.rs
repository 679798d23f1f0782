//! A file system in memory.

mod counters;
mod fault;
mod state;
mod tree;

use std::fmt;
use std::future::poll_fn;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::Poll;
use std::time::Duration;

use async_trait::async_trait;
use bytes::Bytes;
use tokio::runtime::Handle;

use crate::sugar::all;
use crate::{FaultKind, FsError, FsProvider, Listing, PathBatch, Probe, Probed, ReadOutcome, ReadPlan};

pub use counters::Counters;
pub use fault::Fault;
pub use state::Versions;

use state::State;
use tree::Body;

/// A file system in memory (P5): for documentation, tests and simulation.
///
/// A handle; clones share one tree, so a test keeps one and gives the other away. It starts with
/// an empty root directory `/`. What changes the tree never fails: the parents that are missing
/// are made, and one that leads to something else than a directory is replaced by one. A path
/// without a leading `/` is taken from the root there; asked for as a provider, it is a fault, as
/// in [`LocalFs`](crate::LocalFs).
///
/// # Behavior
/// - *Links* are followed by the kernel's rules: relative to the directory that holds the link,
///   `..` to the real parent, at most 40 of them on a path.
/// - *Versions* are settled and new with every write, of equal text too; *identities* are those of
///   files, which keep theirs when written to, not those of paths. Both can be switched.
/// - *Latency* is virtual, by tokio's clock. Zero, the default, needs neither timer nor runtime.
///   Each batch is suspended at least once, and answers with the tree as it is at its end.
/// - *Reads* share the stored bytes; nothing is copied.
///
/// ```
/// use standing_orders_fs::{FsProviderExt, MemoryFs, Probe};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), standing_orders_fs::FsError> {
/// let fs = MemoryFs::from_iter([("/ws/AGENTS.md", "Use uv."), ("/ws/.git/", "")]);
/// fs.symlink("AGENTS.md", "/ws/CLAUDE.md");
///
/// let (Probe::Present(file), Probe::Present(link)) =
///     (fs.probe("/ws/AGENTS.md").await?, fs.probe("/ws/CLAUDE.md").await?)
/// else {
///     panic!("both are there");
/// };
/// assert_eq!(file.file, link.file, "two paths to one file");
/// assert_eq!(fs.counters().probes, 2);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Default)]
pub struct MemoryFs {
    state: Arc<Mutex<State>>,
}

impl MemoryFs {
    /// An empty root directory.
    pub fn new() -> Self {
        Self::default()
    }

    /// Puts a regular file at `path`.
    ///
    /// A regular file there gets new content and keeps its identity, under all its names; anything
    /// else there, a link included, is replaced by a new file. No effect on a path that does not
    /// end in a name, such as `/`.
    pub fn write(&self, path: impl AsRef<Path>, content: impl Into<Bytes>) {
        self.lock().tree.write(path.as_ref(), content.into());
    }

    /// Makes a directory at `path`, unless the path leads to one already. Anything else there is
    /// replaced.
    pub fn make_dir(&self, path: impl AsRef<Path>) {
        self.lock().tree.make_dirs(path.as_ref());
    }

    /// Puts a symbolic link to `target` at `path`, in place of what is there. The target, absolute
    /// or relative to the link's directory, need not exist. No effect on a path that does not end
    /// in a name.
    pub fn symlink(&self, target: impl AsRef<Path>, path: impl AsRef<Path>) {
        self.lock().tree.place(path.as_ref(), Body::Link(target.as_ref().to_path_buf()));
    }

    /// Gives the regular file at `original` a second name, in place of what is at `path`.
    ///
    /// # Errors
    /// When `original` does not lead to a regular file, or `path` does not end in a name.
    pub fn hard_link(&self, original: impl AsRef<Path>, path: impl AsRef<Path>) -> Result<(), FsError> {
        let (original, path) = (original.as_ref(), path.as_ref());
        match self.lock().tree.hard_link(original, path) {
            true => Ok(()),
            false => Err(FsError::other(original, format!("cannot be linked as {path:?}"))),
        }
    }

    /// Puts something at `path` that is neither file nor directory, as a FIFO, in place of what is
    /// there. No effect on a path that does not end in a name.
    pub fn special(&self, path: impl AsRef<Path>) {
        self.lock().tree.place(path.as_ref(), Body::Special);
    }

    /// Removes what is at `path`, a directory with all that is in it, a link and not its target.
    /// `/` is emptied. Whether anything was there.
    pub fn remove(&self, path: impl AsRef<Path>) -> bool {
        self.lock().tree.remove(path.as_ref())
    }

    /// Makes `path` fail from now on, or heals it with `None`. One fault a path; the last one
    /// stands.
    ///
    /// It belongs to the path that is asked for, whether anything is there or not: other paths to
    /// the same file, and paths below it, answer as ever.
    ///
    /// ```
    /// use standing_orders_fs::{Fault, FaultKind, FsProviderExt, MemoryFs};
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() {
    /// let fs = MemoryFs::from_iter([("/ws/AGENTS.md", "Use uv.")]);
    /// fs.fault("/ws/AGENTS.md", Fault::Read(FaultKind::PermissionDenied));
    /// assert!(fs.probe("/ws/AGENTS.md").await.is_ok());
    /// assert!(fs.read("/ws/AGENTS.md", 1024).await.is_err());
    /// fs.fault("/ws/AGENTS.md", None);
    /// assert!(fs.read("/ws/AGENTS.md", 1024).await.is_ok());
    /// # }
    /// ```
    pub fn fault(&self, path: impl AsRef<Path>, fault: impl Into<Option<Fault>>) {
        let path = path.as_ref();
        match fault.into() {
            Some(fault) => self.lock().faults.insert(path.to_path_buf(), fault),
            None => self.lock().faults.remove(path),
        };
    }

    /// What is said of versions from now on. Default [`Versions::Settled`].
    pub fn set_versions(&self, versions: Versions) {
        self.lock().versions = versions;
    }

    /// Whether file identities are told from now on. Default `true`.
    pub fn set_identities(&self, told: bool) {
        self.lock().identities = told;
    }

    /// The time of each batch from now on, by tokio's clock. Default zero. With any other, every
    /// path answers [`FaultKind::NoRuntime`] outside a tokio runtime; one without its timer panics,
    /// as tokio does.
    pub fn set_latency(&self, latency: Duration) {
        self.lock().latency = latency;
    }

    /// How many bytes of content one batch of reads may hold (P6), by the rules of
    /// [`LocalFsOptions::max_batch_bytes`](crate::LocalFsOptions::max_batch_bytes). Default 64 MiB.
    pub fn set_max_batch_bytes(&self, bytes: u64) {
        self.lock().max_batch_bytes = bytes;
    }

    /// What has been asked since the start or the last reset.
    pub fn counters(&self) -> Counters {
        self.lock().ledger.counters()
    }

    /// Sets every counter to zero and answers what they were. Batches under way are not counted
    /// afterwards.
    pub fn reset_counters(&self) -> Counters {
        self.lock().ledger.reset()
    }

    /// The whole tree for a person's eyes: a line an entry, by path, each path quoted, with its
    /// kind, size or target.
    ///
    /// ```
    /// use standing_orders_fs::MemoryFs;
    ///
    /// let fs = MemoryFs::from_iter([("/ws/AGENTS.md", "Use uv.")]);
    /// fs.symlink("AGENTS.md", "/ws/CLAUDE.md");
    /// assert_eq!(
    ///     fs.listing(),
    ///     "\"/ws\" directory\n\"/ws/AGENTS.md\" 7 bytes\n\"/ws/CLAUDE.md\" -> \"AGENTS.md\"\n",
    /// );
    /// ```
    pub fn listing(&self) -> String {
        self.lock().tree.listing()
    }

    // A panic of another thread cannot leave the tree half changed in a way that matters to a test.
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// One batch: counted, sent, and answered from the tree as it is when the way back ends.
    async fn batch<T>(
        &self,
        paths: &PathBatch,
        count: impl FnOnce(&mut Counters, u64),
        answer: impl FnOnce(&mut State) -> Vec<Result<T, FsError>>,
    ) -> Vec<Result<T, FsError>> {
        if paths.is_empty() {
            return Vec::new();
        }
        let (epoch, depth) = self.lock().ledger.depart(|counters| count(counters, paths.len() as u64));
        let _trip = Trip { fs: self, epoch, depth };
        match self.travel().await {
            Ok(()) => answer(&mut self.lock()),
            Err(fault) => all(paths, |path| FsError::new(path, fault.clone())),
        }
    }

    /// The way there and back.
    async fn travel(&self) -> Result<(), FaultKind> {
        let latency = self.lock().latency;
        if latency.is_zero() {
            let mut suspended = false;
            poll_fn(|context| {
                if std::mem::replace(&mut suspended, true) {
                    return Poll::Ready(());
                }
                context.waker().wake_by_ref();
                Poll::Pending
            })
            .await;
            return Ok(());
        }
        if Handle::try_current().is_err() {
            return Err(FaultKind::NoRuntime);
        }
        tokio::time::sleep(latency).await;
        Ok(())
    }
}

/// Each pair is a file and its content; a path that ends in `/` is a directory, and its text is not
/// used. Later pairs win.
impl<P: AsRef<Path>, C: Into<Bytes>> FromIterator<(P, C)> for MemoryFs {
    fn from_iter<I: IntoIterator<Item = (P, C)>>(entries: I) -> Self {
        let fs = Self::new();
        for (path, content) in entries {
            let path = path.as_ref();
            if path.as_os_str().as_encoded_bytes().ends_with(b"/") {
                fs.make_dir(path);
            } else {
                fs.write(path, content);
            }
        }
        fs
    }
}

impl fmt::Debug for MemoryFs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let state = self.lock();
        f.debug_struct("MemoryFs")
            .field("nodes", &state.tree.len())
            .field("faults", &state.faults.len())
            .finish_non_exhaustive()
    }
}

/// A batch under way.
struct Trip<'a> {
    fs: &'a MemoryFs,
    epoch: u64,
    depth: u64,
}

impl Drop for Trip<'_> {
    fn drop(&mut self) {
        self.fs.lock().ledger.arrive(self.epoch, self.depth);
    }
}

#[deny(clippy::missing_trait_methods)]
#[async_trait]
impl FsProvider for MemoryFs {
    async fn probe_many(&self, paths: &PathBatch) -> Vec<Result<Probe, FsError>> {
        let answer = |state: &mut State| paths.iter().map(|path| state.probe(path)).collect();
        self.batch(paths, |counters, paths| counters.probes += paths, answer).await
    }

    async fn read_many(&self, paths: &PathBatch, max_bytes: u64) -> Vec<Result<ReadOutcome, FsError>> {
        let answer = |state: &mut State| state.read_many(paths, max_bytes);
        self.batch(paths, |counters, paths| counters.reads += paths, answer).await
    }

    async fn list_many(&self, paths: &PathBatch, limit: usize) -> Vec<Result<Listing, FsError>> {
        let answer = |state: &mut State| paths.iter().map(|path| state.list(path, limit)).collect();
        self.batch(paths, |counters, paths| counters.listings += paths, answer).await
    }

    /// In two trips, as a store answers that cannot do both at once.
    async fn probe_and_read(&self, paths: &PathBatch, _: &ReadPlan) -> Probed {
        Probed { probes: self.probe_many(paths).await, reads: Vec::new() }
    }
}
