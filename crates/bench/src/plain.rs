//! The same work as straight calls of std.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

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
        self.markers.iter().for_each(|marker| {
            std::hint::black_box(fs::metadata(marker).is_ok());
        });
        let is_file = |path: &&PathBuf| fs::metadata(path).is_ok_and(|found| found.is_file());
        let present: Vec<&PathBuf> = self.candidates.iter().filter(is_file).collect();
        let mut bytes = 0;
        for path in &present {
            bytes += std::hint::black_box(fs::read(path)?).len();
        }
        Ok((present.len(), bytes))
    }

    /// Stats every candidate. The number of files.
    pub(crate) fn unchanged_step(&self) -> usize {
        let is_file = |path: &&PathBuf| fs::metadata(path).is_ok_and(|found| found.is_file());
        self.candidates.iter().filter(is_file).count()
    }
}
