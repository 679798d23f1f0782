//! Gated files under other names: by link, by a second name, as the user-global file (I5).

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use standing_orders_discovery::{Finding, Found, Look, Places};
use standing_orders_fs::FileId;

use super::{Diagnostics, Pass};
use crate::report::Problem;

/// The guarded files to probe, and which of them the session may see.
#[derive(Default)]
pub(super) struct Guard {
    files: Vec<GuardedFile>,
    /// The number of the first one's place.
    first_place: usize,
}

struct GuardedFile {
    path: PathBuf,
    admitted: bool,
}

/// The files that the workspace does not show to this session.
#[derive(Default)]
pub(super) struct KeptFiles {
    files: HashSet<FileId>,
    /// Of those whose provider has no identities.
    paths: HashSet<PathBuf>,
    /// For when a file cannot be probed.
    pub(super) remember: KnownGuards,
}

/// What an instance remembers of a guarded file, for when it cannot be probed.
pub(crate) type KnownGuards = Vec<(PathBuf, FileId)>;

impl Guard {
    /// Adds a place a file, behind all others. Nothing where every guarded file is for this session:
    /// then no link to one matters.
    pub(super) fn lay_out(pass: &Pass<'_>, places: &mut Places<'_>) -> Self {
        let (guards, first_place) = (pass.admissions.guards(), places.len());
        let mut files: Vec<GuardedFile> = Vec::new();
        let Some(root) = pass.rooted.map(|rooted| rooted.root()) else { return Self { files, first_place } };
        for (injector, admitted) in pass.deployment.injectors.iter().zip(guards) {
            for path in injector.guarded() {
                let path = root.join(path);
                match files.iter_mut().find(|known| known.path == path) {
                    Some(known) => known.admitted |= admitted,
                    None => files.push(GuardedFile { path, admitted: *admitted }),
                }
            }
        }
        files.iter().for_each(|file| places.push_file(file.path.clone()));
        Self { files, first_place }
    }

    /// What the probes came to, and what to remember of them.
    pub(super) fn found(&self, look: &Look, known: &KnownGuards, diagnostics: &mut Diagnostics) -> KeptFiles {
        let (mut kept, mut admitted) = (KeptFiles::default(), HashSet::new());
        for (number, file) in self.files.iter().enumerate() {
            let finding = look.of_place(self.first_place + number).next().map(|(_, finding)| finding);
            let (id, is_there) = match finding {
                Some(Finding { found: Found::Failed(error), .. }) => {
                    let known = known.iter().find(|(path, _)| *path == file.path).map(|(_, id)| *id);
                    if known.is_none() && !file.admitted {
                        let (path, error) = (file.path.clone(), error.clone());
                        diagnostics.problems.push(Problem::GuardUnknown { path, error });
                    }
                    (known, true)
                }
                Some(finding) => {
                    let metadata = finding.metadata();
                    (metadata.and_then(|metadata| metadata.file), metadata.is_some())
                }
                None => (None, false),
            };
            kept.remember.extend(id.map(|id| (file.path.clone(), id)));
            match (id, file.admitted) {
                (Some(id), true) => drop(admitted.insert(id)),
                (Some(id), false) => drop(kept.files.insert(id)),
                (None, false) if is_there => drop(kept.paths.insert(file.path.clone())),
                (None, _) => {}
            }
        }
        // One entry that admits the session is enough.
        kept.files.retain(|id| !admitted.contains(id));
        kept
    }
}

impl KeptFiles {
    /// Whether the file at `path`, with this identity if it has one, is kept from the session.
    pub(super) fn has(&self, file: Option<FileId>, path: Option<&Path>) -> bool {
        file.is_some_and(|id| self.files.contains(&id)) || path.is_some_and(|path| self.paths.contains(path))
    }
}
