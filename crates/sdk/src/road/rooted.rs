//! Where a session stands: fixed by its first pre-step (D1).

use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::Value;
use standing_orders_discovery::path::{lexical, shown_in};
use standing_orders_discovery::{RootOptions, RootReason, find_root};
use standing_orders_fs::FsProvider;
use standing_orders_session::{Digest, Fold, SessionHeader};

use crate::report::{Counts, Found};
use crate::settings::Settings;

/// Root, cwd, and what follows from the two. Shared with the reports.
#[derive(Debug)]
pub(crate) struct Rooted {
    root: Box<Path>,
    cwd: Arc<Path>,
    at: At,
    /// SHA-1 of the absolute cwd (H4).
    pub(crate) cwd_digest: Digest,
    /// Digest of the identity of a baseline composed here within the budget of the settings.
    pub(crate) identity: Digest,
}

/// cwd relative to the root, in shown form.
#[derive(Debug)]
enum At {
    /// The end of cwd, from this byte on: nothing of it is shown in another way.
    Tail(u32),
    Own(Box<str>),
}

impl At {
    fn of(root: &Path, cwd: &Path) -> Self {
        let shown = shown_in(root, cwd).map_or_else(|| ".".to_owned(), |at| at.to_string());
        let before = cwd.to_str().and_then(|cwd| cwd.strip_suffix(&shown)).map(str::len);
        match before.and_then(|before| u32::try_from(before).ok()) {
            Some(before) if shown != "." => Self::Tail(before),
            _ => Self::Own(shown.into()),
        }
    }
}

impl Rooted {
    /// With the identity in full, how the root was found, and what that cost; `None` without a working directory.
    pub(crate) async fn find(
        fs: &dyn FsProvider,
        header: &SessionHeader,
        settings: &Settings,
        options: &RootOptions,
        visible: &Fold,
    ) -> Option<(Self, Value, Found, Counts)> {
        let given = header.shared_cwd()?;
        let plain = lexical(&given).ok()?;
        let cwd: Arc<Path> = if plain.as_os_str() == given.as_os_str() { given } else { plain.into() };
        let cwd_digest = Digest::of_bytes(cwd.as_os_str().as_encoded_bytes());
        let found = find_root(fs, &cwd, options).await;
        let recorded = match found.reason {
            RootReason::Fault(_) => visible.recorded_at(&cwd_digest).and_then(|at| climb(&cwd, at)),
            _ => None,
        };
        let how = Found { reason: found.reason, from_history: recorded.is_some(), outer: found.outer };
        let root = recorded.unwrap_or(found.path).into_boxed_path();
        let at = At::of(&root, &cwd);
        let mut rooted = Self { root, cwd, at, cwd_digest, identity: Digest::of("") };
        let identity = settings.identity(rooted.at(), options, header, settings.max_bytes);
        rooted.identity = Fold::identity_digest(&identity);
        Some((rooted, identity, how, found.counts))
    }

    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    /// Absolute and plain.
    pub(crate) fn cwd(&self) -> &Path {
        &self.cwd
    }

    /// cwd relative to the root, in shown form; `.` for the root.
    pub(crate) fn at(&self) -> &str {
        match &self.at {
            At::Tail(start) => self.cwd.to_str().and_then(|cwd| cwd.get(*start as usize..)).unwrap_or("."),
            At::Own(at) => at,
        }
    }

    /// The directories of the chain, root first, each with its shown form.
    pub(crate) fn chain(&self) -> Vec<(&str, &Path)> {
        let at = self.at();
        let mut chain: Vec<(&str, &Path)> =
            self.cwd.ancestors().take(depth(at) + 1).map(|path| (".", path)).collect();
        let ends = at.match_indices('/').map(|(end, _)| end).chain([at.len()]);
        for ((shown, _), end) in chain.iter_mut().rev().skip(1).zip(ends) {
            *shown = at.get(..end).unwrap_or(at);
        }
        chain.reverse();
        chain
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

fn climb(cwd: &Path, at: &str) -> Option<PathBuf> {
    cwd.ancestors().nth(depth(at)).map(Path::to_path_buf)
}
