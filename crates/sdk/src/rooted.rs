//! Where a session stands: fixed by its first pre-step (D1).

use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::Value;
use standing_orders_discovery::path::{lexical, shown_in};
use standing_orders_discovery::{Counts, RootOptions, RootReason, find_root, main_checkout};
use standing_orders_fs::FsProvider;
use standing_orders_session::{Digest, Fold, SessionHeader};

use crate::settings::Settings;

/// Root, cwd, and what follows from the two. Shared with the reports.
#[derive(Debug)]
pub(crate) struct Rooted {
    root: Box<Path>,
    cwd: Arc<Path>,
    /// cwd relative to the root, in shown form; `.` for the root.
    at: Box<str>,
    /// SHA-1 of the absolute cwd (H4).
    pub(crate) cwd_digest: Digest,
    /// Of a linked worktree.
    main_checkout: MainCheckout,
    /// Digest of the identity of a baseline composed here within the budget of the settings.
    pub(crate) identity: Digest,
}

/// Where overlays that a linked worktree has not are looked for (D15).
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum MainCheckout {
    /// It is no worktree, or they are off.
    None,
    /// Here.
    At(Box<Path>),
    /// What the root's `.git` says could not be read.
    Unknown,
}

/// How the root was found (D1).
#[derive(Clone, Debug)]
pub(crate) struct RootFound {
    pub(crate) reason: RootReason,
    /// A probe of a marker failed, and the root recorded in history stands.
    pub(crate) from_history: bool,
    /// The next marked directory above.
    pub(crate) outer: Option<PathBuf>,
}

impl Rooted {
    /// With the identity in full, how the root was found, and what that cost; `None` without a working directory.
    pub(crate) async fn find(
        fs: &dyn FsProvider,
        header: &SessionHeader,
        settings: &Settings,
        options: &RootOptions,
        visible: &Fold,
    ) -> Option<(Self, Value, RootFound, Counts)> {
        let given = header.shared_cwd()?;
        let plain = lexical(&given).ok()?;
        let cwd: Arc<Path> = if plain.as_os_str() == given.as_os_str() { given } else { plain.into() };
        let cwd_digest = Digest::of_bytes(cwd.as_os_str().as_encoded_bytes());
        let found = find_root(fs, &cwd, options).await;
        let recorded = match found.reason {
            RootReason::Fault(_) => visible.recorded_at(&cwd_digest).and_then(|at| climb(&cwd, at)),
            _ => None,
        };
        let how = RootFound { reason: found.reason, from_history: recorded.is_some(), outer: found.outer };
        let root = recorded.unwrap_or(found.path).into_boxed_path();
        let at = shown_in(&root, &cwd).map_or_else(|| ".".into(), |at| at.to_string().into());
        let mut counts = found.counts;
        let pointer = found.git_file.filter(|_| settings.worktree_overlays && !how.from_history);
        let main_checkout = match pointer {
            None => MainCheckout::None,
            Some(pointer) => {
                (counts.reads, counts.round_trips) = (counts.reads + 1, counts.round_trips + 1);
                match main_checkout(fs, &pointer).await {
                    Ok(main) => main.map_or(MainCheckout::None, |main| MainCheckout::At(main.into())),
                    Err(_) => MainCheckout::Unknown,
                }
            }
        };
        let mut rooted = Self { root, cwd, at, cwd_digest, main_checkout, identity: Digest::of("") };
        let identity = settings.identity(rooted.at(), options, header, settings.max_bytes);
        rooted.identity = Fold::identity_digest(&identity);
        Some((rooted, identity, how, counts))
    }

    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    pub(crate) fn main_checkout(&self) -> &MainCheckout {
        &self.main_checkout
    }

    /// Absolute and plain.
    pub(crate) fn cwd(&self) -> &Path {
        &self.cwd
    }

    /// cwd relative to the root, in shown form; `.` for the root.
    pub(crate) fn at(&self) -> &str {
        &self.at
    }

    /// The directories of the chain, root first, each with its shown form.
    pub(crate) fn chain(&self) -> Vec<(&str, &Path)> {
        let depth = depth(&self.at);
        let mut paths: Vec<&Path> = self.cwd.ancestors().take(depth + 1).collect();
        paths.reverse();
        (0..=depth).map(|depth| folder_of_chain(&self.at, depth)).zip(paths).collect()
    }

    /// How deep below the root the shown directory lies, if it is one of the chain.
    pub(crate) fn depth_in_chain(&self, dir: &str) -> Option<usize> {
        self.in_chain(dir).then(|| depth(dir))
    }

    /// Whether the shown directory is one of the chain.
    pub(crate) fn in_chain(&self, dir: &str) -> bool {
        let within = self.at().strip_prefix(dir).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
        dir == "." || within
    }
}

fn depth(at: &str) -> usize {
    if at == "." { 0 } else { at.split('/').count() }
}

/// The folder of the chain at this depth below the root: all of them are beginnings of `at`.
pub(crate) fn folder_of_chain(at: &str, depth: usize) -> &str {
    let ends = at.match_indices('/').map(|(end, _)| end).chain([at.len()]);
    match depth.checked_sub(1).and_then(|folder| ends.into_iter().nth(folder)) {
        Some(end) => at.get(..end).unwrap_or(at),
        None => ".",
    }
}

fn climb(cwd: &Path, at: &str) -> Option<PathBuf> {
    cwd.ancestors().nth(depth(at)).map(Path::to_path_buf)
}
