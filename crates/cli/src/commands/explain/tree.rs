//! Folders that hold candidates, as a tree.

use crate::rows::Row;

/// One folder.
#[derive(Debug)]
pub(super) struct Folder<'r> {
    /// Relative to the root in shown form, `.` for the root.
    pub(super) dir: &'r str,
    /// The same, from the folder above it in the tree.
    pub(super) label: &'r str,
    pub(super) rows: Vec<&'r Row>,
    /// By their index in the list, in order.
    pub(super) folders: Vec<usize>,
}

/// The folders of the project in pre-order, the root first: those of `rows`, and those of `always`.
pub(super) fn folders<'r>(
    rows: impl IntoIterator<Item = &'r Row>,
    always: impl IntoIterator<Item = &'r str>,
) -> Vec<Folder<'r>> {
    let mut folders: Vec<Folder<'r>> = Vec::new();
    let empty = |dir| Folder { dir, label: dir, rows: Vec::new(), folders: Vec::new() };
    for dir in std::iter::once(".").chain(always) {
        if !folders.iter().any(|folder| folder.dir == dir) {
            folders.push(empty(dir));
        }
    }
    for row in rows {
        match folders.iter_mut().find(|folder| folder.dir == row.dir) {
            Some(folder) => folder.rows.push(row),
            None => folders.push(Folder { rows: vec![row], ..empty(&row.dir) }),
        }
    }
    folders.sort_by(|a, b| components(a.dir).cmp(components(b.dir)));
    let mut above: Vec<usize> = Vec::new();
    for index in 0..folders.len() {
        let Some(dir) = folders.get(index).map(|folder| folder.dir) else { break };
        let below = |parent: &usize| folders.get(*parent).and_then(|parent| rest(parent.dir, dir));
        while above.last().is_some_and(|parent| below(parent).is_none()) {
            above.pop();
        }
        let label = above.last().and_then(below);
        if let (Some(label), Some(folder)) = (label, folders.get_mut(index)) {
            folder.label = label;
        }
        if let Some(parent) = above.last().and_then(|parent| folders.get_mut(*parent)) {
            parent.folders.push(index);
        }
        above.push(index);
    }
    folders
}

fn components(dir: &str) -> impl Iterator<Item = &str> {
    dir.split('/').filter(|component| *component != ".")
}

/// What is left of `dir` below `parent`.
fn rest<'d>(parent: &str, dir: &'d str) -> Option<&'d str> {
    match parent {
        "." => (dir != ".").then_some(dir),
        _ => dir.strip_prefix(parent)?.strip_prefix('/'),
    }
}
