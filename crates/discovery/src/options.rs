//! What a host chooses.

use std::num::NonZeroU64;
use std::path::PathBuf;

use crate::{CandidateNames, PlainName};

/// Which present candidates of a directory count (D4, D5).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Selection {
    /// The first present regular file of the base list, and the first of the local list. The default.
    #[default]
    First,
    /// Every present regular file. Dropping siblings of equal content is the caller's, who has the
    /// digests of what was loaded before (D5).
    AllDistinct,
}

/// Which files count, and how much of one is read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rules {
    /// The names looked for in each directory (D3). Default: [`CandidateNames::default`].
    pub names: CandidateNames,
    /// Which of them count (D4, D5). Default: [`Selection::First`].
    pub selection: Selection,
    /// The largest file that is read, in bytes as they are on disk (D7, D8). Default: 1 MiB.
    /// A larger winner is unavailable and does not give way to the next name.
    pub max_source_bytes: NonZeroU64,
}

impl Default for Rules {
    fn default() -> Self {
        const MIB: NonZeroU64 = NonZeroU64::MIN.saturating_add((1 << 20) - 1);
        Self { names: CandidateNames::default(), selection: Selection::default(), max_source_bytes: MIB }
    }
}

/// What makes a directory the root (D1).
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RootRule {
    /// This directory, absolute; nothing is probed.
    Fixed(PathBuf),
    /// From cwd upward the first directory that has any of these, as a file or a directory, links
    /// followed. With no marker at all, cwd is the root.
    Markers(Vec<PlainName>),
}

/// `Markers` with `.git`: a directory in a checkout, a file in a linked worktree or a submodule (D1).
impl Default for RootRule {
    fn default() -> Self {
        Self::Markers(PlainName::new(".git").into_iter().collect())
    }
}

/// How the root is found (D1).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RootOptions {
    /// What makes a directory the root. Default: the marker `.git`.
    pub rule: RootRule,
    /// Directories, absolute, that are not examined unless they are cwd, and that end the walk.
    /// Default: none. They bound `Markers` only.
    pub ceilings: Vec<PathBuf>,
}
