//! The time by which a change is recent.

use std::fmt;
use std::sync::Arc;
use std::time::SystemTime;

/// The time by which a version of [`LocalFs`](crate::LocalFs) is settled (P3).
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
/// use standing_orders_fs::{Clock, LocalFs, LocalFsOptions};
///
/// let server = Clock::new(|| SystemTime::now() - Duration::from_millis(300));
/// let fs = LocalFs::with(LocalFsOptions::default().clock(server));
/// # drop(fs);
/// ```
#[derive(Clone)]
pub struct Clock(Arc<dyn Fn() -> SystemTime + Send + Sync>);

impl Clock {
    /// A clock of the host's. `now` is called from blocking tasks, several at a time, once a path.
    pub fn new(now: impl Fn() -> SystemTime + Send + Sync + 'static) -> Self {
        Self(Arc::new(now))
    }

    /// The clock of the process.
    ///
    /// # Ambient
    /// The one place of this crate that reads the system's clock.
    pub fn system() -> Self {
        Self::new(SystemTime::now)
    }

    pub(super) fn now(&self) -> SystemTime {
        (self.0)()
    }
}

impl fmt::Debug for Clock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Clock")
    }
}
