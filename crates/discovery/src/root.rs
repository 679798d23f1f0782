//! Where a project begins (D1).

use std::path::{Path, PathBuf};

use standing_orders_fs::{FileKind, FsError, FsProvider, PathBatchBuilder, Probe};

use crate::look::no_answer;
use crate::path::lexical;
use crate::worktree::MAX_POINTER_BYTES;
use crate::{Counts, PlainName, RootOptions, RootRule};

/// The root, and why it is where it is.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Root {
    /// The directory: cwd, or above it.
    pub path: PathBuf,
    /// Which rule made it the root.
    pub reason: RootReason,
    /// The next marked directory above the root and below any ceiling: an outer project, whose
    /// instructions this root hides (X2). Only a root by marker or by fault has one.
    pub outer: Option<PathBuf>,
    /// The root's `.git`, where that is a marker and a file of at most 4 KiB: of a worktree or a submodule
    /// (D15).
    pub git_file: Option<PathBuf>,
    /// What the answer cost: one batch of probes however deep cwd is (D12), none for a fixed root.
    pub counts: Counts,
}

/// Why a directory is the root (D1).
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum RootReason {
    /// It was given.
    Fixed,
    /// Another one was given, and cwd is neither that nor below it, or it is relative: cwd is the root.
    NotBelowFixed {
        /// The one that was given.
        fixed: PathBuf,
    },
    /// It is the first one upward from cwd that has this marker.
    Marker(PlainName),
    /// No directory has a marker: cwd is the root.
    NoMarker,
    /// No directory below this ceiling has a marker: cwd is the root.
    Ceiling(PathBuf),
    /// The probe of a marker in it failed, which ends the walk: no outer project is entered by mistake.
    /// A root that was recorded earlier at this cwd may be preferred to it (D1, H4).
    Fault(FsError),
}

/// Finds the root for `cwd` (D1).
///
/// `cwd` is absolute and plain ([`lexical`]); a fixed root and the ceilings are made so here, and a
/// relative ceiling bounds nothing. The walk, from cwd upward, ends at the first of
/// 1. a directory with a marker, a file or a directory, links followed;
/// 2. a directory where the probe of a marker failed, and none was found;
/// 3. a ceiling, which is examined only if it is cwd;
/// 4. the top.
///
/// # Behavior
/// - All probes of the walk are one batch (D12).
/// - A fixed root that does not hold cwd, and a walk that ends with 3 or 4, make cwd the root.
/// - Dropping the future cancels and leaves no trace.
pub async fn find_root(fs: &dyn FsProvider, cwd: &Path, options: &RootOptions) -> Root {
    let of = |path: &Path, reason| Root {
        path: path.to_path_buf(),
        reason,
        outer: None,
        git_file: None,
        counts: Counts::default(),
    };
    match &options.rule {
        RootRule::Fixed(fixed) => match lexical(fixed) {
            Ok(root) if cwd.starts_with(&root) => of(&root, RootReason::Fixed),
            _ => of(cwd, RootReason::NotBelowFixed { fixed: fixed.clone() }),
        },
        RootRule::Markers(markers) => {
            let ceiling = nearest_ceiling(cwd, &options.ceilings);
            let above = ceiling.as_deref().map_or(0, |ceiling| ceiling.ancestors().count());
            let examined = cwd.ancestors().count().saturating_sub(above).max(1);
            let dirs: Vec<_> = cwd.ancestors().take(examined).collect();
            let mut root = of(cwd, ceiling.map_or(RootReason::NoMarker, RootReason::Ceiling));
            walk(fs, &dirs, markers, &mut root).await;
            root
        }
    }
}

/// The deepest ceiling that is cwd or above it.
fn nearest_ceiling(cwd: &Path, ceilings: &[PathBuf]) -> Option<PathBuf> {
    ceilings
        .iter()
        .filter_map(|ceiling| lexical(ceiling).ok())
        .filter(|ceiling| cwd.starts_with(ceiling))
        .max_by_key(|ceiling| ceiling.components().count())
}

/// Probes `dirs`, nearest first, and moves `root` where a marker or a fault says so.
async fn walk(fs: &dyn FsProvider, dirs: &[&Path], markers: &[PlainName], root: &mut Root) {
    if markers.is_empty() {
        return;
    }
    let mut batch = PathBatchBuilder::new();
    for dir in dirs {
        for marker in markers {
            batch.push_join(dir, marker.as_str());
        }
    }
    let batch = batch.build();
    root.counts = Counts { probes: batch.len(), round_trips: 1, ..Counts::default() };
    let mut answers = fs.probe_many(&batch).await.into_iter();
    let mut found = false;
    for dir in dirs {
        let mut marked = None;
        let mut fault = None;
        for marker in markers {
            match answers.next().unwrap_or_else(|| Err(no_answer(dir))) {
                Ok(Probe::Present(metadata)) if metadata.kind != FileKind::Other => {
                    let is_pointer = metadata.kind == FileKind::File && marker.as_str() == ".git";
                    let fits = metadata.len.is_none_or(|len| len <= MAX_POINTER_BYTES);
                    if is_pointer && fits && !found {
                        root.git_file = Some(dir.join(marker.as_str()));
                    }
                    marked = marked.or(Some(marker));
                }
                Ok(Probe::Present(_) | Probe::Absent) => {}
                Err(error) => fault = fault.or(Some(error)),
            }
        }
        if found && marked.is_some() {
            root.outer = Some(dir.to_path_buf());
            return;
        }
        if found {
            continue;
        }
        let reason = match (marked, fault) {
            (Some(marker), _) => RootReason::Marker(marker.clone()),
            (None, Some(error)) => RootReason::Fault(error),
            (None, None) => continue,
        };
        found = true;
        root.path = dir.to_path_buf();
        root.reason = reason;
    }
}
