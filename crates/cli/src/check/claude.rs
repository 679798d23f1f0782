//! Claude Code: CLAUDE.md files with what they import, AGENTS.md where there is none (docs/check.md has
//! source and date).

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use standing_orders::fs::{FileId, FileKind, FsProvider, PathBatch, PathBatchBuilder, Probe, ReadOutcome};
use standing_orders::inspect::SourceText;
use standing_orders::inspect::notes::{Note, of_text};
use standing_orders::inspect::path::{chain, lexical};

use super::evaluate::{Known, read, reason};
use super::outcome::{Kept, Outcome};
use super::problem::{Evaluated, Import, Problem};

/// The names of its files, in whatever directory.
pub(super) const NAMES: [&str; 3] = ["CLAUDE.md", "CLAUDE.local.md", "AGENTS.md"];

/// A folder that may hold them too.
pub(super) const FOLDER: &str = ".claude";

/// What is read of each directory, in order.
const OWN: [&str; 3] = ["CLAUDE.md", ".claude/CLAUDE.md", "CLAUDE.local.md"];

/// What is read in their place where none of them is at or above the working directory.
const OTHER: [&str; 2] = ["AGENTS.md", ".claude/AGENTS.md"];

/// A larger file is skipped.
pub(super) const MAX_FILE: u64 = 4 << 20;

/// How many steps imports are followed.
const HOPS: usize = 4;

/// Files by path, each read once. Of a file no more is kept than what it imports.
pub(super) type Imports = HashMap<PathBuf, Arc<File>>;

#[derive(Debug)]
pub(super) enum File {
    There {
        bytes: u64,
        imports: Vec<Import>,
    },
    Absent,
    /// A directory, or anything else that is not a regular file.
    Other,
    Problem(Fault),
}

#[derive(Clone, Debug)]
pub(super) enum Fault {
    TooLarge(u64),
    Unreadable(String),
}

/// The project's root stands for where it begins to look: what lies above is the machine's.
pub(super) async fn evaluate(fs: &dyn FsProvider, root: &Path, dir: &Path, known: &mut Known) -> Evaluated {
    let dirs = chain(root, dir);
    let mut evaluated = Evaluated::default();
    let own = present(fs, &dirs, &OWN, &mut evaluated).await;
    let other = present(fs, &dirs, &OTHER, &mut evaluated).await;
    let files = if own.is_empty() { &other } else { &own };
    let mut loaded: HashSet<PathBuf> = HashSet::new();
    for (path, _) in files {
        expand(fs, root, path, known, &mut loaded, &mut evaluated).await;
    }
    if let Some((by, _)) = own.last() {
        let same: HashSet<FileId> = own.iter().filter_map(|(_, file)| *file).collect();
        for (path, file) in other {
            if !loaded.contains(&path) && !file.is_some_and(|file| same.contains(&file)) {
                evaluated.problems.push((path, Problem::NotRead { by: known.path(by) }));
            }
        }
    }
    evaluated
}

async fn present(
    fs: &dyn FsProvider,
    dirs: &[&Path],
    names: &[&str],
    evaluated: &mut Evaluated,
) -> Vec<(PathBuf, Option<FileId>)> {
    let mut batch = PathBatchBuilder::new();
    for dir in dirs {
        names.iter().for_each(|name| batch.push_join(dir, name));
    }
    let batch = batch.build();
    let mut found = Vec::new();
    for (answer, path) in fs.probe_many(&batch).await.into_iter().zip(batch.iter()) {
        match answer {
            Ok(Probe::Present(there)) if there.kind == FileKind::File => {
                found.push((path.to_path_buf(), there.file));
            }
            Ok(_) => {}
            Err(error) => {
                evaluated.problems.push((path.to_path_buf(), Problem::Unreadable(reason(&error))));
            }
        }
    }
    found
}

/// Takes a file with all it imports, each once.
async fn expand(
    fs: &dyn FsProvider,
    root: &Path,
    path: &Path,
    known: &mut Known,
    loaded: &mut HashSet<PathBuf>,
    evaluated: &mut Evaluated,
) {
    let mut open = vec![(path.to_path_buf(), 0_usize, None::<(PathBuf, Import)>)];
    while let Some((path, hops, by)) = open.pop() {
        if loaded.contains(&path) {
            continue;
        }
        let file = file(fs, &path, known).await;
        let (bytes, imports) = match (&*file, by) {
            (File::There { bytes, imports }, _) => (*bytes, imports),
            (File::Absent, Some((by, import))) => {
                evaluated.problems.push((by, Problem::ImportDangling(import)));
                continue;
            }
            (File::Absent | File::Other, _) => continue,
            (File::Problem(Fault::TooLarge(len)), _) => {
                evaluated.problems.push((path, Problem::TooLarge { len: *len, cap: MAX_FILE }));
                continue;
            }
            (File::Problem(Fault::Unreadable(reason)), _) => {
                evaluated.problems.push((path, Problem::Unreadable(reason.clone())));
                continue;
            }
        };
        let Outcome { used, kept, .. } = &mut evaluated.outcome;
        *used += bytes;
        kept.push(Kept { path: known.path(&path), bytes });
        loaded.insert(path.clone());
        for import in imports.iter().rev() {
            // What lies outside of the project needs the user's consent, and is the machine's.
            let Some(target) = resolve(&path, &import.target).filter(|target| target.starts_with(root))
            else {
                continue;
            };
            match hops < HOPS {
                true => open.push((target, hops + 1, Some((path.clone(), import.clone())))),
                false if !loaded.contains(&target) => {
                    evaluated.problems.push((path.clone(), Problem::ImportTooDeep(import.clone())));
                }
                false => {}
            }
        }
    }
}

/// Relative to the file that imports; `None` for a path below a home.
fn resolve(file: &Path, target: &str) -> Option<PathBuf> {
    if target.starts_with('~') {
        return None;
    }
    lexical(&file.parent()?.join(target)).ok()
}

async fn file(fs: &dyn FsProvider, path: &Path, known: &mut Known) -> Arc<File> {
    if let Some(file) = known.imports.get(path) {
        return Arc::clone(file);
    }
    let probe = fs.probe_many(&PathBatch::one(path)).await.into_iter().next();
    let file = match probe {
        Some(Ok(Probe::Absent)) | None => File::Absent,
        Some(Err(error)) => File::Problem(Fault::Unreadable(reason(&error))),
        Some(Ok(Probe::Present(there))) if there.kind != FileKind::File => File::Other,
        Some(Ok(Probe::Present(_))) => match read(fs, path, MAX_FILE).await {
            Ok(ReadOutcome::Content { bytes, .. }) => {
                let text = SourceText::decode(&bytes);
                let imports = text.as_ref().map(imports).unwrap_or_default();
                File::There { bytes: bytes.len() as u64, imports }
            }
            Ok(ReadOutcome::TooLarge { len, .. }) => File::Problem(Fault::TooLarge(len)),
            Ok(_) => File::Absent,
            Err(error) => File::Problem(Fault::Unreadable(reason(&error))),
        },
    };
    let file = Arc::new(file);
    known.imports.insert(path.to_path_buf(), Arc::clone(&file));
    file
}

/// The imports of a text, where they stand.
pub(super) fn imports(text: &SourceText) -> Vec<Import> {
    let mut lines = text.as_str().lines().zip(1..);
    let mut line: Option<(&str, usize)> = None;
    let notes = of_text(text).into_iter();
    notes
        .filter_map(|note| {
            let Note::Import { line: at, target } = note else { return None };
            while line.is_none_or(|(_, number)| number < at) {
                line = Some(lines.next()?);
            }
            let text = line.map_or("", |(text, _)| text);
            let before = text.find(&format!("@{target}")).and_then(|byte| text.get(..byte));
            let column = before.map_or(1, |before| before.chars().count() + 1);
            Some(Import { line: at, column, target })
        })
        .collect()
}
