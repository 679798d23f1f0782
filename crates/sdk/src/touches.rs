//! Where tools report what they touched.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use standing_orders_discovery::path;
use standing_orders_session::{Fact, TouchLog};

/// A handle that any tool task reports touched paths to, from anywhere, without waiting (C5).
///
/// Cheap to clone, `Send` and `Sync`. Report only what succeeded and settled: inner calls when
/// the outermost call has.
///
/// ```
/// # use standing_orders::{Budget, Engine, Settings};
/// # use standing_orders::plugin::SessionHeader;
/// let engine = Engine::new(Settings::new(Budget::from_bytes(65_536)));
/// let header = SessionHeader::main("s1", 0).with_cwd("/ws");
/// let context = engine.session(header).open([])?;
/// let touches = context.touches();
/// std::thread::spawn(move || touches.report("src/lib.rs")).join().unwrap();
/// # Ok::<(), standing_orders::OpenError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Touches {
    cwd: Option<Arc<Path>>,
    log: Arc<Mutex<TouchLog>>,
}

impl Touches {
    pub(crate) fn new(cwd: Option<Arc<Path>>, log: TouchLog) -> Self {
        Self { cwd, log: Arc::new(Mutex::new(log)) }
    }

    /// A tool touched this path: absolute, or relative to the session's working directory. White
    /// space around it is dropped, blank paths are ignored, links are not followed, and it need
    /// not exist (C4).
    pub fn report(&self, path: impl AsRef<Path>) {
        if let Some(path) = self.resolve(path.as_ref()) {
            self.log().report(path);
        }
    }

    /// Takes in what the history says: touches of others, steps of others (C5).
    pub(crate) fn follow(&self, fact: &Fact) {
        match fact {
            Fact::Touched(paths) => {
                let paths = paths.iter().filter_map(|path| self.resolve(path)).collect();
                self.log().apply(&Fact::Touched(paths));
            }
            fact => self.log().apply(fact),
        }
    }

    /// The path in the form in which it is kept: absolute and without `.` and `..`.
    pub(crate) fn resolve(&self, path: &Path) -> Option<PathBuf> {
        let cwd = self.cwd.as_deref().unwrap_or(Path::new(""));
        path::touched(cwd, path).ok().flatten()
    }

    pub(crate) fn log(&self) -> MutexGuard<'_, TouchLog> {
        // Nothing in here can panic half-way; a poisoned log is as good as any.
        self.log.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
