//! The settings of the local provider.

use std::fmt;
use std::sync::Arc;
use std::time::SystemTime;

use tokio::sync::Semaphore;

/// Settings of [`LocalFs`](crate::LocalFs).
///
/// ```
/// use standing_orders_fs::{LocalFs, LocalFsOptions};
///
/// let fs = LocalFs::with(LocalFsOptions::default().max_blocking_tasks(2));
/// # drop(fs);
/// ```
#[derive(Clone, Debug)]
pub struct LocalFsOptions {
    pub(super) clock: Clock,
    pub(super) on_calling_thread: bool,
    pub(super) max_blocking_tasks: usize,
    pub(super) max_batch_bytes: u64,
}

impl LocalFsOptions {
    /// How many batches may occupy a thread of the blocking pool at one time; the others wait
    /// their turn, first come, first served. Default 8. Clones of the provider share it. A system call that
    /// hangs keeps its place ([what to do](crate::LocalFs#when-a-system-call-hangs)).
    ///
    /// 0 counts as 1, and more than the semaphore takes (2^61 on 64-bit machines) as that.
    pub fn max_blocking_tasks(mut self, tasks: usize) -> Self {
        self.max_blocking_tasks = tasks.clamp(1, Semaphore::MAX_PERMITS);
        self
    }

    /// Whether a batch is done by the thread that polls it, in one go. Default `false`: it is done by a
    /// thread of tokio's blocking pool.
    ///
    /// For programs that wait for nothing else, such as command lines: no thread is started and no
    /// runtime is needed. Other futures and timers of that thread stand still until the batch is done,
    /// so that no [`Timeout`](crate::Timeout) ends it and dropping cannot stop it on its way.
    /// [`max_blocking_tasks`](Self::max_blocking_tasks) then bounds nothing.
    pub fn on_calling_thread(mut self, on_calling_thread: bool) -> Self {
        self.on_calling_thread = on_calling_thread;
        self
    }

    /// How many bytes of content one batch of reads may hold (P6). Default 64 MiB.
    ///
    /// The first file with content is read whatever this says, up to the cap of the read, so a
    /// batch holds at most the larger of the two, and one chunk of 64 KiB. The first file that
    /// does not fit ends the batch: it and every path after it answer
    /// [`ReadOutcome::Deferred`](crate::ReadOutcome::Deferred), without being looked at.
    pub fn max_batch_bytes(mut self, bytes: u64) -> Self {
        self.max_batch_bytes = bytes;
        self
    }

    /// The clock by which versions are settled (P3). It is called from blocking tasks, several at a time, once
    /// a look. Default [`SystemTime::now`].
    ///
    /// It stands for the clock that stamps the files. For a disk of this machine that is the
    /// system's: the kernel stamps with it, rounded down to its tick (1 to 10 ms), so a stamp is never
    /// ahead of it, and the 20 ms of P3 have the tick in them.
    ///
    /// A network file system may stamp with the server's clock. One that is ahead costs reads: its
    /// files are unsettled for that much longer. One that is behind by more than the 20 ms could hide
    /// the second of two edits of one size in one tick; give a clock that is as far behind:
    ///
    /// ```
    /// use std::time::{Duration, SystemTime};
    /// use standing_orders_fs::{LocalFs, LocalFsOptions};
    ///
    /// let server = || SystemTime::now() - Duration::from_millis(300);
    /// let fs = LocalFs::with(LocalFsOptions::default().clock(server));
    /// # drop(fs);
    /// ```
    pub fn clock(mut self, now: impl Fn() -> SystemTime + Send + Sync + 'static) -> Self {
        self.clock = Clock(Arc::new(now));
        self
    }
}

impl Default for LocalFsOptions {
    /// # Ambient
    /// The one place of this crate that takes the clock of the process.
    fn default() -> Self {
        Self {
            clock: Clock(Arc::new(SystemTime::now)),
            on_calling_thread: false,
            max_blocking_tasks: 8,
            max_batch_bytes: 64 << 20,
        }
    }
}

#[derive(Clone)]
pub(super) struct Clock(Arc<dyn Fn() -> SystemTime + Send + Sync>);

impl Clock {
    pub(super) fn now(&self) -> SystemTime {
        (self.0)()
    }
}

impl fmt::Debug for Clock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Clock")
    }
}
