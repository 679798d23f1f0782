//! The same work as straight calls of std.

use std::fs;
use std::hint::black_box;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use sha1::{Digest, Sha1};
use tokio::sync::Semaphore;

/// The system calls for one project, with nothing around them. Paths are made beforehand.
pub(crate) struct Plain {
    /// `.git` in cwd and in each directory above it.
    markers: Vec<PathBuf>,
    /// Every name in every directory of the chain, root first.
    candidates: Vec<PathBuf>,
}

impl Plain {
    /// For the chain `dirs`, root first.
    pub(crate) fn new(dirs: &[PathBuf], names: &[String]) -> Self {
        let cwd = dirs.last().map_or(Path::new("/"), PathBuf::as_path);
        let markers = cwd.ancestors().map(|dir| dir.join(".git")).collect();
        let candidates = dirs.iter().flat_map(|dir| names.iter().map(move |name| dir.join(name))).collect();
        Self { markers, candidates }
    }

    /// Stats every marker and every candidate, then opens, fstats and reads what is a file. The
    /// number of files, and of their bytes.
    pub(crate) fn first_load(&self) -> io::Result<(usize, usize)> {
        self.find_root();
        let contents = self.load()?;
        Ok((contents.len(), contents.iter().map(Vec::len).sum()))
    }

    fn find_root(&self) {
        self.markers.iter().for_each(|marker| {
            black_box(fs::metadata(marker).is_ok());
        });
    }

    fn load(&self) -> io::Result<Vec<Vec<u8>>> {
        let is_file = |path: &&PathBuf| fs::metadata(path).is_ok_and(|found| found.is_file());
        let present: Vec<&PathBuf> = self.candidates.iter().filter(is_file).collect();
        present.into_iter().map(fs::read).collect()
    }

    /// Stats every candidate. The number of files.
    pub(crate) fn unchanged_step(&self) -> usize {
        let is_file = |path: &&PathBuf| fs::metadata(path).is_ok_and(|found| found.is_file());
        self.candidates.iter().filter(is_file).count()
    }
}

/// The least that a program does which keeps its executor free of the disk: the same calls in blocking
/// tasks, at most eight at one time, and of what was read one SHA-1 and one copy.
#[derive(Clone)]
pub(crate) struct InTasks {
    plain: Arc<Plain>,
    gate: Arc<Semaphore>,
}

impl InTasks {
    pub(crate) fn new(plain: Plain) -> Self {
        Self { plain: Arc::new(plain), gate: Arc::new(Semaphore::new(8)) }
    }

    /// On the calling thread, with nothing besides the system calls.
    pub(crate) fn plain(&self) -> &Plain {
        &self.plain
    }

    async fn task<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Plain) -> T + Send + 'static,
    ) -> Result<T, String> {
        let permit = Arc::clone(&self.gate).acquire_owned().await.map_err(|error| error.to_string())?;
        let plain = Arc::clone(&self.plain);
        let task = tokio::task::spawn_blocking(move || {
            let _permit = permit;
            work(&plain)
        });
        task.await.map_err(|error| error.to_string())
    }

    /// Two tasks: the markers, then the candidates and what is in them. The number of files, and of
    /// their bytes.
    pub(crate) async fn first_load(&self) -> Result<(usize, usize), String> {
        self.task(Plain::find_root).await?;
        let contents = self.task(Plain::load).await?.map_err(|error| error.to_string())?;
        let mut text = Vec::with_capacity(contents.iter().map(Vec::len).sum());
        for content in &contents {
            black_box(Sha1::digest(content));
            text.extend_from_slice(content);
        }
        Ok((contents.len(), black_box(text).len()))
    }

    /// One task. The number of files.
    pub(crate) async fn unchanged_step(&self) -> Result<usize, String> {
        self.task(Plain::unchanged_step).await
    }
}
