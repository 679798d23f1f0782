//! Where a session stands: fixed by its first pre-step (D1).

use std::path::{Path, PathBuf};
use std::sync::Arc;

use futures_util::future::join_all;
use serde_json::Value;
use standing_orders_discovery::path::{lexical, shown, shown_in, unshown};
use standing_orders_discovery::{Counts, RootOptions, RootReason, find_root, main_checkout};
use standing_orders_fs::FsProvider;
use standing_orders_session::{Digest, DirectoryLoad, Fold, SessionHeader};

use crate::settings::Settings;

/// Root, cwd, and what follows from the two. Shared with the reports.
#[derive(Debug)]
pub(crate) struct Rooted {
    root: Box<Path>,
    cwd: Arc<Path>,
    /// cwd relative to the root, in shown form; `.` for the root.
    at: Box<str>,
    /// What is before the paths in an additional directory, and behind a `+` in its scopes (D13).
    name: Option<Box<str>>,
    /// The additional directories, in the order of the header.
    additional: Vec<(Rooted, DirectoryLoad)>,
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
        let pointer = found.git_file.filter(|_| !how.from_history);
        let (main_checkout, mut counts) = MainCheckout::find(fs, settings, pointer).await;
        add(&mut counts, found.counts);
        let (additional, identity) = (Vec::new(), Digest::of(""));
        let mut rooted = Self { root, cwd, at, name: None, additional, cwd_digest, main_checkout, identity };
        for (area, load, found) in join_all(additional_of(fs, header, settings, options)).await {
            // They were found together.
            let round_trips = counts.round_trips.max(found.round_trips);
            add(&mut counts, found);
            counts.round_trips = round_trips;
            let name = rooted.unique_name(&area);
            rooted.additional.push((Rooted { name: Some(name), ..area }, load));
        }
        let identity = settings.identity(rooted.at(), options, header, settings.max_bytes);
        rooted.identity = Fold::identity_digest(&identity);
        Some((rooted, identity, how, counts))
    }

    /// What an additional directory is called: the last component of its root, made unique (D13).
    fn unique_name(&self, area: &Rooted) -> Box<str> {
        let name = area
            .root
            .file_name()
            .map_or_else(|| "root".to_owned(), |name| shown(Path::new(name)).to_string());
        let is_taken =
            |name: &str| self.additional.iter().any(|(known, _)| known.name.as_deref() == Some(name));
        let numbered = (2..).map(|number| format!("{name}~{number}"));
        let mut names = std::iter::once(name.clone()).chain(numbered);
        names.find(|name| !is_taken(name)).unwrap_or(name).into()
    }

    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    /// The additional directories, in order, and when they are loaded.
    pub(crate) fn additional(&self) -> &[(Rooted, DirectoryLoad)] {
        &self.additional
    }

    /// Whether it is an additional directory.
    pub(crate) fn is_additional(&self) -> bool {
        self.name.is_some()
    }

    /// It, then the additional directories.
    pub(crate) fn areas(&self) -> impl Iterator<Item = &Rooted> {
        std::iter::once(self).chain(self.additional.iter().map(|(area, _)| area))
    }

    /// The folder part of the scopes of a directory, by its shown form relative to this root (H4).
    pub(crate) fn scope_dir(&self, dir: &str) -> String {
        match &self.name {
            None => dir.to_owned(),
            Some(name) => format!("+{name}/{dir}"),
        }
    }

    /// How a directory is shown, by its shown form relative to this root.
    pub(crate) fn shown_dir(&self, dir: &str) -> String {
        match &self.name {
            None => dir.to_owned(),
            Some(name) if dir == "." => name.to_string(),
            Some(name) => format!("{name}/{dir}"),
        }
    }

    /// Where a scope's folder lies: the main root or an additional directory, and relative to that.
    pub(crate) fn area_of<'d>(&self, scope_dir: &'d str) -> (&Rooted, &'d str) {
        let of = |area: &Rooted| {
            scope_dir.strip_prefix('+')?.strip_prefix(area.name.as_deref()?)?.strip_prefix('/')
        };
        let found = self.additional.iter().find_map(|(area, _)| Some((area, of(area)?)));
        found.unwrap_or((self, scope_dir))
    }

    /// The folder of a scope on disk.
    pub(crate) fn folder_of(&self, scope_dir: &str) -> Option<PathBuf> {
        let (area, dir) = self.area_of(scope_dir);
        Some(area.root.join(unshown(dir).ok()?))
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

fn add(counts: &mut Counts, more: Counts) {
    counts.probes += more.probes;
    counts.reads += more.reads;
    counts.bytes += more.bytes;
    counts.round_trips += more.round_trips;
}

/// Finds the root of each additional directory, by the rule that finds the main one.
fn additional_of<'f>(
    fs: &'f dyn FsProvider,
    header: &'f SessionHeader,
    settings: &'f Settings,
    options: &'f RootOptions,
) -> impl Iterator<Item = impl Future<Output = (Rooted, DirectoryLoad, Counts)>> {
    let directories = header.additional_directories().iter();
    let absolute = directories.filter_map(|directory| Some((lexical(&directory.path).ok()?, directory.load)));
    absolute.map(async move |(cwd, load)| {
        let found = find_root(fs, &cwd, options).await;
        let (main_checkout, mut counts) = MainCheckout::find(fs, settings, found.git_file).await;
        add(&mut counts, found.counts);
        let at = shown_in(&found.path, &cwd).map_or_else(|| ".".into(), |at| at.to_string().into());
        let rooted = Rooted {
            root: found.path.into(),
            cwd_digest: Digest::of_bytes(cwd.as_os_str().as_encoded_bytes()),
            cwd: cwd.into(),
            at,
            name: None,
            additional: Vec::new(),
            main_checkout,
            identity: Digest::of(""),
        };
        (rooted, load, counts)
    })
}

impl MainCheckout {
    /// By what the root's `.git` says, where that is a file.
    async fn find(fs: &dyn FsProvider, settings: &Settings, git_file: Option<PathBuf>) -> (Self, Counts) {
        let Some(git_file) = git_file.filter(|_| settings.worktree_overlays) else {
            return (Self::None, Counts::default());
        };
        let found = match main_checkout(fs, &git_file).await {
            Ok(main) => main.map_or(Self::None, |main| Self::At(main.into())),
            Err(_) => Self::Unknown,
        };
        (found, Counts { reads: 1, round_trips: 1, ..Counts::default() })
    }
}

fn climb(cwd: &Path, at: &str) -> Option<PathBuf> {
    cwd.ancestors().nth(depth(at)).map(Path::to_path_buf)
}
