//! Where a session stands: fixed by its first pre-step (D1).

use std::path::{Path, PathBuf};

use standing_orders_discovery::path::{lexical, shown_in};
use standing_orders_discovery::{RootOptions, RootReason, find_root};
use standing_orders_fs::FsProvider;
use standing_orders_session::{Digest, Fold, SessionHeader};

use crate::report::{Counts, RootSeen};
use crate::settings::Settings;

/// Root, cwd, and what follows from the two.
#[derive(Clone, Debug)]
pub(crate) struct Rooted {
    pub(crate) root: PathBuf,
    pub(crate) cwd: PathBuf,
    pub(crate) cwd_digest: Digest,
    /// cwd relative to the root, in shown form.
    pub(crate) at: Box<str>,
    /// Digest of the identity of a baseline composed here.
    pub(crate) identity: Digest,
    /// How it was found, where the session has a rule of its own.
    pub(crate) options: Option<Box<RootOptions>>,
}

/// SHA-1 of the absolute cwd (H4).
pub(crate) fn cwd_digest(cwd: &Path) -> Digest {
    Digest::of_bytes(cwd.as_os_str().as_encoded_bytes())
}

impl Rooted {
    pub(crate) async fn find(
        fs: &dyn FsProvider,
        header: &SessionHeader,
        settings: &Settings,
        options: &RootOptions,
        visible: &Fold,
    ) -> Option<(Self, RootSeen, Counts)> {
        let cwd = lexical(header.cwd()?).ok()?;
        let found = find_root(fs, &cwd, options).await;
        let cwd_digest = cwd_digest(&cwd);
        let recorded = match found.reason {
            RootReason::Fault(_) => visible.recorded_at(&cwd_digest).and_then(|at| climb(&cwd, at)),
            _ => None,
        };
        let seen = RootSeen {
            path: recorded.clone().unwrap_or_else(|| found.path.clone()),
            reason: Some(found.reason),
            from_history: recorded.is_some(),
            outer: found.outer,
        };
        let root = recorded.unwrap_or(found.path);
        let at: Box<str> = shown_in(&root, &cwd).map_or_else(|| ".".into(), |at| at.to_string().into());
        let identity = Fold::identity_digest(&settings.identity(&at, options, header));
        let options = (*options != settings.root).then(|| Box::new(options.clone()));
        Some((Self { root, cwd, cwd_digest, at, identity, options }, seen, found.counts))
    }

    /// The directories of the chain, root first, each with its shown form.
    pub(crate) fn chain(&self) -> Vec<(&str, &Path)> {
        let mut chain: Vec<(&str, &Path)> =
            self.cwd.ancestors().take(depth(&self.at) + 1).map(|path| (".", path)).collect();
        let ends = self.at.match_indices('/').map(|(end, _)| end).chain([self.at.len()]);
        for ((shown, _), end) in chain.iter_mut().rev().skip(1).zip(ends) {
            *shown = self.at.get(..end).unwrap_or(&self.at);
        }
        chain.reverse();
        chain
    }

    /// Whether the shown directory is one of the chain.
    pub(crate) fn in_chain(&self, dir: &str) -> bool {
        let within = self.at.strip_prefix(dir).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
        dir == "." || within
    }
}

fn depth(at: &str) -> usize {
    if at == "." { 0 } else { at.split('/').count() }
}

fn climb(cwd: &Path, at: &str) -> Option<PathBuf> {
    cwd.ancestors().nth(depth(at)).map(Path::to_path_buf)
}
