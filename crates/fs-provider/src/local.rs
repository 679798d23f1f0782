//! The file system of the machine.

mod list;
mod options;
mod read;
mod stat;

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use async_trait::async_trait;
use tokio::runtime::Handle;
use tokio::sync::Semaphore;

use crate::sugar::all;
use crate::{FaultKind, FsError, FsProvider, Listing, PathBatch, Probe, Probed, ReadOutcome, ReadPlan};

pub use options::LocalFsOptions;

/// The file system of the machine (P5): each batch is one hop to tokio's blocking pool.
///
/// Clones share the bound on blocking tasks. Polled outside a tokio runtime, every path answers
/// [`FaultKind::NoRuntime`]. With [`LocalFsOptions::on_calling_thread`] there is no hop, and no runtime
/// is needed.
///
/// # Behavior
/// - *Paths* are absolute; a relative one is a fault, for no working directory is read.
/// - *Absent*: `ENOENT` (a dangling link too) and `ENOTDIR`. Every other failure is a fault (P2):
///   `ELOOP`, `EACCES`, and also `ENAMETOOLONG`, because a path that is too long as a whole may
///   well lead to a file.
/// - *Version* (P3): device, inode, size, modification and change time in nanoseconds, condensed
///   to 128 bits. *Identity* (P4): device and inode. An edit through a shared memory map moves the
///   times late (when the system writes the page back, or at `msync`) or not at all, so it is seen
///   with the next change that moves them. Nothing short of reading every file each time tells.
/// - *Settled* (P3): the later of the two times is at least 20 ms before the probe (2 s when it
///   has no fraction of a second) and not in its future, by [`LocalFsOptions::clock`], which is
///   asked right before each probe and each read.
/// - *Reading* (P6) looks at the path first and opens only regular files, without blocking; the
///   handle is looked at before and after. When the two differ, or the size is not the number of
///   bytes read (as in `/proc`), the version is `None` and unsettled.
/// - *Listing* (P10) is by path: the directory is looked at before and after, and when the two differ, the
///   version is `None` and unsettled. An entry that vanishes before its kind is known is left out.
/// - *Dropping* stops the blocking task before its next path, and a listing before its next entry. A system call that hangs (a dead
///   network mount) keeps its thread, and its place among the blocking tasks, until it returns:
///   see below.
/// - *Windows*: compiles, untested; no identity and no version there, so digests decide.
///
/// # When a system call hangs
/// Nothing ends a system call from outside, so this is what it holds, and the way out:
/// - *Other sessions.* At most [`LocalFsOptions::max_blocking_tasks`] calls hang at one time, 8 by
///   default. Once they all do, every other batch of this provider and its clones waits for its turn,
///   healthy paths too. With [`Timeout`](crate::Timeout) around the provider all of them answer
///   [`FaultKind::TimedOut`] in time, so that sessions go on with what they have. A doubtful mount gets a
///   `LocalFs::with` of its own, not a clone: its calls then take no place from the others.
/// - *The process.* Dropping a tokio runtime, which the end of `#[tokio::main]` does too, waits for its
///   blocking tasks, and so for a call that hangs. End it with `Runtime::shutdown_timeout` or
///   `Runtime::shutdown_background`, which leave the thread behind.
/// - *On the calling thread* ([`LocalFsOptions::on_calling_thread`]) a call that hangs holds that
///   thread, and nothing of the above helps.
///
/// ```
/// use standing_orders_fs::{FsProviderExt, LocalFs, ReadOutcome};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let folder = tempfile::tempdir()?;
/// std::fs::write(folder.path().join("AGENTS.md"), "Use uv.")?;
///
/// let fs = LocalFs::new();
/// let ReadOutcome::Content { bytes, .. } = fs.read(folder.path().join("AGENTS.md"), 1024).await? else {
///     panic!("the file is there");
/// };
/// assert_eq!(bytes, "Use uv.");
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct LocalFs {
    options: LocalFsOptions,
    gate: Arc<Semaphore>,
}

impl LocalFs {
    /// With the default options.
    ///
    /// # Ambient
    /// Takes the clock of the process: see [`LocalFsOptions::clock`].
    pub fn new() -> Self {
        Self::with(LocalFsOptions::default())
    }

    /// With these options.
    pub fn with(options: LocalFsOptions) -> Self {
        let gate = Arc::new(Semaphore::new(options.max_blocking_tasks));
        Self { options, gate }
    }

    /// Runs `work` for the whole batch in one blocking task, or here.
    async fn hop<T: Send + 'static>(
        &self,
        paths: &PathBatch,
        work: impl FnOnce(&LocalFsOptions, &PathBatch, &AtomicBool) -> Vec<Result<T, FsError>> + Send + 'static,
    ) -> Vec<Result<T, FsError>> {
        if paths.is_empty() {
            return Vec::new();
        }
        if self.options.on_calling_thread {
            return work(&self.options, paths, &AtomicBool::new(false));
        }
        let Ok(runtime) = Handle::try_current() else {
            return all(paths, |path| FsError::new(path, FaultKind::NoRuntime));
        };
        let Ok(permit) = Arc::clone(&self.gate).acquire_owned().await else {
            return all(paths, |path| FsError::other(path, "the provider was shut down"));
        };
        let dropped = Arc::new(AtomicBool::new(false));
        let _on_drop = Dropped(Arc::clone(&dropped));
        let (batch, options) = (paths.clone(), self.options.clone());
        let task = runtime.spawn_blocking(move || {
            // The place is free again when the thread is, not when the caller stopped waiting.
            let _permit = permit;
            work(&options, &batch, &dropped)
        });
        match task.await {
            Ok(answers) => answers,
            Err(error) if error.is_panic() => {
                all(paths, |path| FsError::other(path, "the blocking task panicked"))
            }
            Err(_) => all(paths, |path| FsError::other(path, "the runtime is shutting down")),
        }
    }
}

impl Default for LocalFs {
    /// [`LocalFs::new`].
    fn default() -> Self {
        Self::new()
    }
}

#[deny(clippy::missing_trait_methods)]
#[async_trait]
impl FsProvider for LocalFs {
    async fn probe_many(&self, paths: &PathBatch) -> Vec<Result<Probe, FsError>> {
        self.hop(paths, |options, paths, dropped| {
            remaining(paths, dropped).map(|path| stat::probe(absolute(path)?, &options.clock)).collect()
        })
        .await
    }

    async fn read_many(&self, paths: &PathBatch, max_bytes: u64) -> Vec<Result<ReadOutcome, FsError>> {
        self.hop(paths, move |options, paths, dropped| {
            let mut reader = read::Reader::new(max_bytes, options);
            remaining(paths, dropped).map(|path| reader.read(absolute(path)?)).collect()
        })
        .await
    }

    async fn list_many(&self, paths: &PathBatch, limit: usize) -> Vec<Result<Listing, FsError>> {
        self.hop(paths, move |options, paths, dropped| {
            let list = |path| list::list(absolute(path)?, limit, &options.clock, dropped);
            remaining(paths, dropped).map(list).collect()
        })
        .await
    }

    async fn probe_and_read(&self, paths: &PathBatch, plan: &ReadPlan) -> Probed {
        let plan = plan.clone();
        let work = move |options: &_, paths: &_, dropped: &_| both(options, remaining(paths, dropped), &plan);
        let answers = self.hop(paths, work).await;
        let mut probed = Probed { probes: Vec::with_capacity(answers.len()), reads: Vec::new() };
        for (index, answer) in answers.into_iter().enumerate() {
            let (probe, read) =
                answer.map_or_else(|fault| (Err(fault), None), |(probe, read)| (Ok(probe), read));
            probed.probes.push(probe);
            probed.reads.extend(read.map(|read| (index, read)));
        }
        probed
    }
}

type Both = (Probe, Option<Result<ReadOutcome, FsError>>);

/// Each path probed and, where the plan picks it, read at once: the way to it is fresh then.
fn both<'a>(
    options: &LocalFsOptions,
    paths: impl Iterator<Item = &'a Path>,
    plan: &ReadPlan,
) -> Vec<Result<Both, FsError>> {
    let mut reader = read::Reader::new(plan.max_bytes(), options);
    let (mut picker, mut seen) = (plan.picker(), Vec::new());
    let one = |(index, path)| {
        let path = absolute(path)?;
        let probe = stat::probe(path, &options.clock)?;
        let Probe::Present(metadata) = &probe else { return Ok((probe, None)) };
        if !picker.wants(index, metadata) || metadata.file.is_some_and(|file| seen.contains(&file)) {
            return Ok((probe, None));
        }
        let read = reader.read_file(path);
        if matches!(read, Ok(ReadOutcome::Deferred)) {
            return Ok((probe, None));
        }
        seen.extend(metadata.file);
        Ok((probe, Some(read)))
    };
    paths.enumerate().map(one).collect()
}

fn absolute(path: &Path) -> Result<&Path, FsError> {
    match path.is_absolute() {
        true => Ok(path),
        false => Err(FsError::other(path, "not an absolute path")),
    }
}

/// Tells the blocking task that nobody waits for it any longer.
struct Dropped(Arc<AtomicBool>);

impl Drop for Dropped {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// The paths still to do: ends early once the caller is gone.
fn remaining<'a>(batch: &'a PathBatch, dropped: &'a AtomicBool) -> impl Iterator<Item = &'a Path> {
    batch.iter().take_while(|_| !dropped.load(Ordering::Relaxed))
}
