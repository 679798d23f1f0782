//! Many paths in one buffer.

#[cfg(unix)]
use std::ffi::OsStr;
use std::fmt;
#[cfg(unix)]
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::sync::Arc;

/// An ordered list of paths in one shared buffer, cheap to clone into a blocking task (P1).
///
/// ```
/// use std::path::Path;
/// use standing_orders_fs::PathBatch;
///
/// let batch: PathBatch = ["/ws/AGENTS.md", "/ws/CLAUDE.md"].iter().map(Path::new).collect();
/// assert_eq!(batch.len(), 2);
/// assert_eq!(batch.get(1), Some(Path::new("/ws/CLAUDE.md")));
/// ```
#[derive(Clone, Default, PartialEq, Eq)]
pub struct PathBatch {
    inner: Arc<PathBatchBuilder>,
}

/// Builds a [`PathBatch`].
#[derive(Default, PartialEq, Eq)]
pub struct PathBatchBuilder {
    #[cfg(unix)]
    bytes: Vec<u8>,
    /// In `bytes`, where each path ends.
    #[cfg(unix)]
    ends: Vec<usize>,
    // Without a safe way from bytes to `OsStr`, other platforms keep one path an entry.
    #[cfg(not(unix))]
    paths: Vec<std::path::PathBuf>,
}

#[cfg(unix)]
impl PathBatchBuilder {
    /// An empty builder with room for so many paths of so many bytes together.
    pub fn with_capacity(paths: usize, bytes: usize) -> Self {
        Self { bytes: Vec::with_capacity(bytes), ends: Vec::with_capacity(paths) }
    }

    /// Adds one path as it is.
    pub fn push(&mut self, path: impl AsRef<Path>) {
        self.bytes.extend_from_slice(path.as_ref().as_os_str().as_bytes());
        self.ends.push(self.bytes.len());
    }

    /// Adds `dir` joined with the plain name `name`, without building the joined path first.
    pub fn push_join(&mut self, dir: impl AsRef<Path>, name: &str) {
        let dir = dir.as_ref().as_os_str().as_bytes();
        self.bytes.extend_from_slice(dir);
        if dir.last().is_some_and(|last| *last != b'/') {
            self.bytes.push(b'/');
        }
        self.bytes.extend_from_slice(name.as_bytes());
        self.ends.push(self.bytes.len());
    }

    fn get(&self, index: usize) -> Option<&Path> {
        let end = *self.ends.get(index)?;
        let start = match index.checked_sub(1) {
            Some(before) => *self.ends.get(before)?,
            None => 0,
        };
        self.bytes.get(start..end).map(|bytes| Path::new(OsStr::from_bytes(bytes)))
    }

    fn len(&self) -> usize {
        self.ends.len()
    }
}

#[cfg(not(unix))]
#[allow(missing_docs, reason = "as on Unix")]
impl PathBatchBuilder {
    pub fn with_capacity(paths: usize, _bytes: usize) -> Self {
        Self { paths: Vec::with_capacity(paths) }
    }

    pub fn push(&mut self, path: impl AsRef<Path>) {
        self.paths.push(path.as_ref().to_path_buf());
    }

    pub fn push_join(&mut self, dir: impl AsRef<Path>, name: &str) {
        self.paths.push(dir.as_ref().join(name));
    }

    fn get(&self, index: usize) -> Option<&Path> {
        self.paths.get(index).map(std::path::PathBuf::as_path)
    }

    fn len(&self) -> usize {
        self.paths.len()
    }
}

impl PathBatchBuilder {
    /// An empty builder.
    pub fn new() -> Self {
        Self::default()
    }

    /// The finished batch.
    pub fn build(self) -> PathBatch {
        PathBatch { inner: Arc::new(self) }
    }
}

impl PathBatch {
    /// A batch of one path.
    pub fn one(path: impl AsRef<Path>) -> Self {
        [path].into_iter().collect()
    }

    /// The path at `index`, in the order of adding.
    pub fn get(&self, index: usize) -> Option<&Path> {
        self.inner.get(index)
    }

    /// How many paths there are.
    pub fn len(&self) -> usize {
        self.inner.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The paths in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &Path> {
        (0..self.len()).map(|index| self.get(index).unwrap_or(Path::new("")))
    }
}

impl<P: AsRef<Path>> FromIterator<P> for PathBatch {
    fn from_iter<I: IntoIterator<Item = P>>(paths: I) -> Self {
        let mut builder = PathBatchBuilder::new();
        paths.into_iter().for_each(|path| builder.push(path));
        builder.build()
    }
}

impl fmt::Debug for PathBatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}
