//! One walk over the tree: each directory is read once, in order, with memory for its depth.

use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::ignored::Ignored;

/// A walk. Links are never followed; a nested repository (a folder below with `.git`) is left out, and a
/// directory that git ignores is not entered. Directories that begin with a dot are like any other, but
/// for `.git` itself.
#[derive(Debug)]
pub(super) struct Walk {
    watched: Watched,
    ignored: Ignored,
    start: Option<PathBuf>,
    open: Vec<Open>,
    counts: Counts,
}

/// A directory that is being walked.
#[derive(Debug)]
struct Open {
    path: PathBuf,
    /// The folders still to enter, the last one next.
    folders: Vec<OsString>,
    has_rules: bool,
}

/// What a walk came across.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Counts {
    /// Directories entered.
    pub(crate) directories: u64,
    /// Listings asked of the operating system.
    pub(crate) listings: u64,
    /// Directories left out because git ignores them.
    pub(crate) ignored: u64,
    /// Nested repositories left out.
    pub(crate) nested: u64,
    /// Entries seen.
    pub(crate) entries: u64,
}

/// The names that are looked for, whatever their letter case.
#[derive(Clone, Debug, Default)]
pub(super) struct Watched {
    names: Vec<String>,
    longest: usize,
}

impl Watched {
    pub(super) fn add(&mut self, name: &str) {
        let name = name.to_lowercase();
        self.longest = self.longest.max(name.len());
        if !self.names.contains(&name) {
            self.names.push(name);
        }
    }

    pub(super) fn has(&self, name: &str) -> bool {
        let near = |watched: &String| match name.is_ascii() {
            true => watched.eq_ignore_ascii_case(name),
            false => *watched == name.to_lowercase(),
        };
        // Lower case can be longer, but not so much.
        name.len() <= 3 * self.longest && self.names.iter().any(near)
    }
}

/// An entry with a watched name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Seen {
    pub(super) name: String,
    pub(super) is_link: bool,
    pub(super) is_dir: bool,
}

/// One step of a walk, in pre-order.
#[derive(Debug)]
pub(super) enum Step {
    /// A directory, and what of it is watched, by name.
    Enter { path: PathBuf, seen: Vec<Seen> },
    /// The directory that was entered last and not left yet is done.
    Leave { path: PathBuf },
    /// A directory that cannot be read.
    Unreadable { path: PathBuf, error: io::Error },
}

impl Walk {
    /// Of `start` and all below, in a repository that begins at `root`.
    pub(super) fn new(root: &Path, start: &Path, watched: Watched) -> Self {
        Self {
            watched,
            ignored: Ignored::above(root, start),
            start: Some(start.to_path_buf()),
            open: Vec::new(),
            counts: Counts::default(),
        }
    }

    pub(super) fn counts(&self) -> Counts {
        self.counts
    }

    /// The next step; `None` at the end.
    pub(super) fn next(&mut self) -> Option<Step> {
        if let Some(start) = self.start.take() {
            return Some(self.enter(start, true).unwrap_or_else(|step| step));
        }
        loop {
            let open = self.open.last_mut()?;
            let Some(name) = open.folders.pop() else {
                let done = self.open.pop()?;
                if done.has_rules {
                    self.ignored.leave(&done.path);
                }
                return Some(Step::Leave { path: done.path });
            };
            let path = open.path.join(name);
            if self.ignored.is_ignored(&path) {
                self.counts.ignored += 1;
                continue;
            }
            match self.enter(path, false) {
                Ok(step) => return Some(step),
                Err(Step::Leave { .. }) => self.counts.nested += 1,
                Err(step) => return Some(step),
            }
        }
    }

    /// Reads a directory; `Err` with `Leave` for a nested repository, which is not entered.
    fn enter(&mut self, path: PathBuf, first: bool) -> Result<Step, Step> {
        self.counts.listings += 1;
        let listing = match self.list(&path) {
            Ok(listing) => listing,
            Err(error) => return Err(Step::Unreadable { path, error }),
        };
        if listing.is_repository && !first {
            return Err(Step::Leave { path });
        }
        self.counts.directories += 1;
        self.counts.entries += listing.entries;
        if listing.has_rules {
            self.ignored.enter(&path);
        }
        let Listing { mut folders, mut seen, has_rules, .. } = listing;
        folders.sort_unstable_by(|a, b| b.cmp(a));
        seen.sort_unstable_by(|a, b| a.name.cmp(&b.name));
        self.open.push(Open { path: path.clone(), folders, has_rules });
        Ok(Step::Enter { path, seen })
    }

    fn list(&self, path: &Path) -> io::Result<Listing> {
        let mut listing = Listing::default();
        for entry in fs::read_dir(path)? {
            let entry = entry?;
            listing.entries += 1;
            let name = entry.file_name();
            // As a rule the listing says what it is, without a look at the entry.
            let kind = match entry.file_type() {
                Ok(kind) => kind,
                // It went away since the listing was made.
                Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                Err(error) => return Err(error),
            };
            if let Some(name) = name.to_str() {
                match name {
                    ".git" => listing.is_repository = true,
                    ".gitignore" => listing.has_rules = !kind.is_dir(),
                    _ => {}
                }
                if self.watched.has(name) {
                    listing.seen.push(Seen {
                        name: name.to_owned(),
                        is_link: kind.is_symlink(),
                        is_dir: kind.is_dir(),
                    });
                }
            }
            if kind.is_dir() && name != ".git" {
                listing.folders.push(name);
            }
        }
        Ok(listing)
    }
}

#[derive(Debug, Default)]
struct Listing {
    folders: Vec<OsString>,
    seen: Vec<Seen>,
    entries: u64,
    is_repository: bool,
    has_rules: bool,
}
