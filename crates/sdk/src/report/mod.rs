//! What was considered, and what became of it (X1).

mod fate;
mod place;
mod problem;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use standing_orders_discovery::RootReason;
use standing_orders_discovery::path::unshown;
use standing_orders_session::InjectorId;

use crate::deployment::Deployment;
use crate::rooted::{RootFound, Rooted};

pub use fate::{Fate, ImportFault, Inactive, Trigger};
pub(crate) use place::{Dir, Name, PlaceRows, Row};
pub use problem::Problem;
pub use standing_orders_discovery::Counts;

/// Every candidate that a pre-step considered, with its fate (X1). Nothing is lost silently.
#[derive(Clone, Debug)]
pub struct Report {
    deployment: Arc<Deployment>,
    rooted: Option<Arc<Rooted>>,
    /// How the root was found, where this pre-step found it.
    found: Option<Box<RootFound>>,
    places: Box<[PlaceRows]>,
    problems: Box<[Problem]>,
    counts: Counts,
}

/// What a pass finds beside the candidates.
#[derive(Debug, Default)]
pub(crate) struct Diagnostics {
    pub(crate) found: Option<Box<RootFound>>,
    pub(crate) problems: Vec<Problem>,
    pub(crate) counts: Counts,
}

/// The root, and why it is the root (D1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct RootSeen<'r> {
    /// The root.
    pub path: &'r Path,
    /// Why; `None` where an earlier pre-step fixed it.
    pub reason: Option<&'r RootReason>,
    /// A probe of a marker failed, and the root recorded in history stands (D1).
    pub from_history: bool,
    /// The next marked directory above: its instructions are not seen from here (X2).
    pub outer: Option<&'r Path>,
}

/// One candidate and its fate.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ReportEntry<'r> {
    /// The injector that considered it.
    pub injector: &'r InjectorId,
    /// As shown to the model (D11); empty where an injector is denied as a whole.
    pub path: String,
    /// The folder in it, `.` for the root; empty for an injector's own.
    pub dir: String,
    /// Whether it is the user-global file (D6).
    pub user_global: bool,
    /// Whether it is of an additional directory (D13).
    pub additional: bool,
    /// Why it is observed.
    pub trigger: Trigger,
    /// What became of it.
    pub fate: Fate,
    /// The file that imports it, as shown, and the line there, from 1 (M3).
    pub imported_by: Option<(&'r str, usize)>,
    /// Bytes of the file as it was observed, byte-order mark included; `None` for what is not a file
    /// or has no known size.
    pub len: Option<u64>,
}

impl Diagnostics {
    /// Adds what was asked of the provider.
    pub(crate) fn count(&mut self, more: Counts) {
        self.counts.probes += more.probes;
        self.counts.reads += more.reads;
        self.counts.bytes += more.bytes;
        self.counts.round_trips += more.round_trips;
    }
}

impl Report {
    pub(crate) fn new(
        deployment: &Arc<Deployment>,
        rooted: Option<&Arc<Rooted>>,
        places: Vec<PlaceRows>,
        diagnostics: Diagnostics,
    ) -> Self {
        let Diagnostics { found, problems, counts } = diagnostics;
        let (places, problems) = (places.into(), problems.into());
        Self { deployment: deployment.clone(), rooted: rooted.cloned(), found, places, problems, counts }
    }

    /// The root and why it is the root, if the session has a working directory.
    pub fn root(&self) -> Option<RootSeen<'_>> {
        let path = self.rooted.as_deref()?.root();
        let found = self.found.as_deref();
        Some(RootSeen {
            path,
            reason: found.map(|found| &found.reason),
            from_history: found.is_some_and(|found| found.from_history),
            outer: found.and_then(|found| found.outer.as_deref()),
        })
    }

    /// What was asked of the provider.
    pub fn counts(&self) -> Counts {
        self.counts
    }

    /// Faults that are no candidate's. For those too: [`troubles`](Self::troubles).
    pub fn problems(&self) -> &[Problem] {
        &self.problems
    }

    /// What a host may print after a step, a line each: a root marker that could not be probed (D1, X2),
    /// the [problems](Self::problems), and the candidates that could not be read or do not arrive whole
    /// ([`Fate::is_trouble`]).
    pub fn troubles(&self) -> Vec<String> {
        let files = self.entries().filter(|entry| entry.fate.is_trouble());
        let files = files.map(|entry| format!("{}: {}", entry.path, entry.fate));
        let marker = self.found.as_deref().and_then(|found| match &found.reason {
            RootReason::Fault(error) => Some(format!("a root marker could not be probed: {error}")),
            _ => None,
        });
        let problems = self.problems().iter().map(ToString::to_string);
        marker.into_iter().chain(problems).chain(files).collect()
    }

    /// Every candidate that was considered, in order (C10), workspace first. Takes time and memory
    /// in proportion to their number.
    pub fn entries(&self) -> impl Iterator<Item = ReportEntry<'_>> {
        let at = self.rooted.as_deref().map_or("", Rooted::at);
        let names = &self.deployment.settings.rules.names;
        self.places.iter().flat_map(move |place| {
            let injector = self.deployment.injector(usize::from(place.injector));
            let dir = place.dir.shown(at);
            let imported_by = place.imported_by.as_deref().map(|(importer, line)| (&**importer, *line));
            let entry = move |(name, fate, len): (Name, Fate, Option<u64>)| {
                Some(ReportEntry {
                    injector: injector?,
                    path: place.path(at, name, names),
                    dir: dir.to_owned(),
                    user_global: matches!(place.dir, Dir::UserGlobal(_)),
                    additional: matches!(place.dir, Dir::Additional(_)),
                    trigger: place.trigger,
                    fate,
                    imported_by,
                    len,
                })
            };
            place.all(names.len()).filter_map(entry)
        })
    }

    /// What became of the candidate shown as `path`, of the workspace.
    pub fn fate(&self, path: &str) -> Option<Fate> {
        let mut entries = self.entries().filter(|entry| entry.injector.is_workspace());
        entries.find(|entry| entry.path == path).map(|entry| entry.fate)
    }

    /// Where a workspace candidate lies on disk, by its shown path; `None` for the user-global file, whose folder
    /// the host named, and for what is not a file.
    pub fn path_on_disk(&self, entry: &ReportEntry<'_>) -> Option<PathBuf> {
        let root = self.rooted.as_deref()?.root();
        if entry.user_global || entry.additional {
            return None;
        }
        Some(root.join(unshown(&entry.path).ok()?))
    }
}
