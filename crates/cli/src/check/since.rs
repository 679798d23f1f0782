//! What a change takes from each starting point: the tree of a commit beside the one that is there.

use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use standing_orders::fs::{FsProvider, MemoryFs};
use standing_orders::inspect::path::lexical;
use standing_orders::inspect::{RootRule, SourceText};

use super::claude::{FOLDER, imports};
use super::evaluate::{Evaluator, Known};
use super::git::{Tree, os};
use super::outcome::{Lost, Outcome};
use super::profile::Profile;
use super::scan::{Scan, watched};
use crate::failure::Failure;

/// What became of one starting point by the rules of one profile.
#[derive(Debug)]
pub(crate) struct Change {
    pub(crate) start: Arc<Path>,
    pub(crate) profile: Profile,
    /// Bytes that counted towards the limit, before and now.
    pub(crate) used: (u64, u64),
    /// Files of which less arrives than did, although they are there.
    pub(crate) taken: Vec<Lost>,
}

/// Compares the tree of the commit `name` with what `scan` found below `start`, gated files left out. Starting
/// points that are given the same are left out, and so are those that changed as the one above did.
///
/// Returns the commit as git abbreviates it, and the changes in pre-order.
pub(crate) async fn since(
    evaluator: &Evaluator,
    start: &Path,
    scan: &Scan,
    name: &str,
) -> Result<(String, Vec<Change>), Failure> {
    let tree = Tree::of(&evaluator.root, name)?;
    let names = watched(evaluator);
    let (fs, dirs) = before(evaluator, &tree, start, &names)?;
    let fs: Arc<dyn FsProvider> = Arc::new(fs);
    let mut known = Known::default();
    let mut was: HashMap<&Path, Vec<Outcome>> = HashMap::new();
    let all: BTreeSet<&Path> =
        dirs.iter().map(PathBuf::as_path).chain(scan.places.keys().map(PathBuf::as_path)).collect();
    for dir in &all {
        let mut outcomes = Vec::with_capacity(evaluator.profiles.len());
        for profile in &evaluator.profiles {
            outcomes.push(evaluator.evaluate(*profile, &fs, dir, &mut known).await?.outcome);
        }
        was.insert(dir, outcomes);
    }
    let mut changes: Vec<Change> = Vec::new();
    for dir in all {
        let now =
            dir.ancestors().find_map(|dir| scan.places.get(dir)).and_then(|start| scan.starts.get(*start));
        let before = dir.ancestors().find_map(|dir| was.get(dir));
        let (Some(now), Some(before)) = (now, before) else { continue };
        for ((profile, before), now) in evaluator.profiles.iter().zip(before).zip(&now.outcomes) {
            let change = Change {
                start: dir.into(),
                profile: *profile,
                used: (before.used, now.used),
                taken: taken(before, now),
            };
            let above =
                changes.iter().rev().find(|above| above.profile == *profile && dir.starts_with(&above.start));
            let as_above = above.is_some_and(|above| {
                above.taken == change.taken
                    && above.used.1.wrapping_sub(above.used.0) == change.used.1.wrapping_sub(change.used.0)
            });
            if (change.used.0 != change.used.1 || !change.taken.is_empty()) && !as_above {
                changes.push(change);
            }
        }
    }
    Ok((tree.commit, changes))
}

/// Files that are there now and of which more was lost than before.
fn taken(before: &Outcome, now: &Outcome) -> Vec<Lost> {
    let lost_before = |path: &Path| {
        let lost = before.lost.iter().find(|lost| *lost.path == *path);
        lost.map_or(0, Lost::bytes)
    };
    let had = |path: &Path| before.kept.iter().any(|kept| *kept.path == *path);
    let worse = |lost: &&Lost| had(&lost.path) && lost.bytes() > lost_before(&lost.path);
    now.lost.iter().filter(worse).cloned().collect()
}

/// The commit's instruction files in memory, with what they lead to, and the directories to look at.
fn before(
    evaluator: &Evaluator,
    tree: &Tree,
    start: &Path,
    names: &[String],
) -> Result<(MemoryFs, Vec<PathBuf>), Failure> {
    let fs = MemoryFs::new();
    // It is a project as the one that is there, by whatever marks it.
    let markers = match &evaluator.settings.root.rule {
        RootRule::Markers(markers) => markers.iter().map(ToString::to_string).collect(),
        _ => Vec::new(),
    };
    for marker in markers.into_iter().chain([".git".to_owned()]) {
        let marker = evaluator.root.join(marker);
        if marker.exists() && !tree.entries.contains_key(&marker) {
            fs.make_dir(marker);
        }
    }
    fs.make_dir(start);
    let mut dirs = BTreeSet::from([start.to_path_buf()]);
    let mut wanted: Vec<PathBuf> = Vec::new();
    for path in tree.entries.keys() {
        let is_watched = |name: Option<&std::ffi::OsStr>| {
            name.and_then(|name| name.to_str()).is_some_and(|name| names.iter().any(|other| other == name))
        };
        let dir = path.parent().unwrap_or(path);
        let (of, folder) = match dir.file_name() {
            Some(name) if name == FOLDER => (dir.parent().unwrap_or(dir), true),
            _ => (dir, false),
        };
        if !is_watched(path.file_name()) || !(start.starts_with(of) || of.starts_with(start)) {
            continue;
        }
        if of.starts_with(start) {
            dirs.insert(of.to_path_buf());
        }
        if folder && dir.starts_with(start) {
            dirs.insert(dir.to_path_buf());
        }
        wanted.push(path.clone());
    }
    let mut seen: BTreeSet<PathBuf> = wanted.iter().cloned().collect();
    // Links and imports lead on, at most this often.
    for _ in 0..8 {
        let mut next = Vec::new();
        for (path, entry, bytes) in tree.read(&wanted)? {
            let folder = path.parent().unwrap_or(&path).to_path_buf();
            let mut follow = |target: &Path| {
                if let Ok(target) = lexical(&folder.join(target))
                    && seen.insert(target.clone())
                {
                    next.push(target);
                }
            };
            if entry.is_link {
                let target = PathBuf::from(os(&bytes));
                follow(&target);
                fs.symlink(&target, &path);
                continue;
            }
            if evaluator.profiles.contains(&Profile::Claude)
                && let Some(text) = SourceText::decode(&bytes)
            {
                imports(&text).iter().for_each(|import| follow(Path::new(&import.target)));
            }
            fs.write(&path, bytes);
        }
        if next.is_empty() {
            break;
        }
        wanted = next;
    }
    Ok((fs, dirs.into_iter().collect()))
}
