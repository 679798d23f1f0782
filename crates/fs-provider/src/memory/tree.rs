//! The tree of the memory provider: directories of names, and the nodes they name.

use std::collections::{BTreeMap, HashMap};
use std::ffi::{OsStr, OsString};
use std::fmt::Write;
use std::path::{Component, Path, PathBuf};

use bytes::Bytes;

use crate::{DirectoryEntry, EntryKind, FileKind};

const ROOT: u64 = 0;

/// As many as Linux follows on one path.
const MAX_LINKS: usize = 40;

pub(super) struct Tree {
    nodes: HashMap<u64, Node>,
    next: u64,
    stamp: u64,
}

struct Node {
    body: Body,
    /// New with every change.
    stamp: u64,
    /// Directory entries that name it.
    names: usize,
}

pub(super) enum Body {
    Directory(BTreeMap<OsString, u64>),
    File(Bytes),
    Link(PathBuf),
    Special,
}

/// Why a path leads to nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Miss {
    Absent,
    Cycle,
}

impl Default for Tree {
    fn default() -> Self {
        let root = Node { body: Body::Directory(BTreeMap::new()), stamp: 0, names: 1 };
        Self { nodes: HashMap::from([(ROOT, root)]), next: ROOT + 1, stamp: 0 }
    }
}

impl Tree {
    pub(super) fn len(&self) -> usize {
        self.nodes.len()
    }

    /// The node that `path` leads to, links followed.
    pub(super) fn find(&self, path: &Path) -> Result<u64, Miss> {
        let at = self.walk(&[ROOT], path)?;
        at.last().copied().ok_or(Miss::Absent)
    }

    pub(super) fn stat(&self, node: u64) -> (FileKind, u64) {
        match self.nodes.get(&node) {
            Some(Node { body: Body::File(_), stamp, .. }) => (FileKind::File, *stamp),
            Some(Node { body: Body::Directory(_), stamp, .. }) => (FileKind::Directory, *stamp),
            Some(Node { stamp, .. }) => (FileKind::Other, *stamp),
            None => (FileKind::Other, 0),
        }
    }

    pub(super) fn content(&self, node: u64) -> Option<Bytes> {
        match &self.nodes.get(&node)?.body {
            Body::File(bytes) => Some(bytes.clone()),
            _ => None,
        }
    }

    /// The entries of a directory in byte order of the name, with their number.
    pub(super) fn entries(&self, node: u64) -> Option<(usize, impl Iterator<Item = DirectoryEntry>)> {
        let Some(Body::Directory(entries)) = self.body(node) else { return None };
        let entry = |(name, child): (&OsString, &u64)| {
            let kind = match self.body(*child) {
                Some(Body::File(_)) => EntryKind::File,
                Some(Body::Directory(_)) => EntryKind::Directory,
                Some(Body::Link(_)) => EntryKind::Link,
                Some(Body::Special) | None => EntryKind::Other,
            };
            DirectoryEntry { name: name.clone(), kind }
        };
        Some((entries.len(), entries.iter().map(entry)))
    }

    pub(super) fn write(&mut self, path: &Path, content: Bytes) {
        let Some((directory, name)) = self.entry(path) else { return };
        self.stamp += 1;
        if let Some(node) = self.child(directory, &name).and_then(|child| self.nodes.get_mut(&child))
            && let Body::File(bytes) = &mut node.body
        {
            *bytes = content;
            node.stamp = self.stamp;
            return;
        }
        self.put(directory, name, Body::File(content));
    }

    /// Puts a new node at `path`, in place of what is there.
    pub(super) fn place(&mut self, path: &Path, body: Body) {
        if let Some((directory, name)) = self.entry(path) {
            self.put(directory, name, body);
        }
    }

    pub(super) fn hard_link(&mut self, original: &Path, path: &Path) -> bool {
        let Ok(node) = self.find(original) else { return false };
        if self.content(node).is_none() {
            return false;
        }
        let Some((directory, name)) = self.entry(path) else { return false };
        // Named before the old entry goes: it may be a name of the very same file. Making the
        // parents may have replaced the original, which is then gone.
        let Some(found) = self.nodes.get_mut(&node) else { return false };
        found.names += 1;
        self.unlink(directory, &name);
        self.enter(directory, name, node);
        true
    }

    pub(super) fn remove(&mut self, path: &Path) -> bool {
        let Some(name) = path.file_name() else {
            let root = self.find(path).ok().filter(|found| *found == ROOT).and_then(|root| self.body(root));
            let Some(Body::Directory(entries)) = root else { return false };
            let names: Vec<_> = entries.keys().cloned().collect();
            return names.iter().filter(|name| self.unlink(ROOT, name)).count() > 0;
        };
        match self.find(path.parent().unwrap_or(Path::new(""))) {
            Ok(directory) => self.unlink(directory, name),
            Err(_) => false,
        }
    }

    pub(super) fn listing(&self) -> String {
        let mut lines = String::new();
        self.list(ROOT, &mut PathBuf::from("/"), &mut lines);
        lines
    }

    fn list(&self, directory: u64, path: &mut PathBuf, lines: &mut String) {
        let Some(Body::Directory(entries)) = self.body(directory) else { return };
        for (name, child) in entries {
            path.push(name);
            // Writing to a string cannot fail.
            let _ = match self.body(*child) {
                Some(Body::Directory(_)) => writeln!(lines, "{path:?} directory"),
                Some(Body::File(bytes)) => writeln!(lines, "{path:?} {} bytes", bytes.len()),
                Some(Body::Link(target)) => writeln!(lines, "{path:?} -> {target:?}"),
                Some(Body::Special) | None => writeln!(lines, "{path:?} special"),
            };
            self.list(*child, path, lines);
            path.pop();
        }
    }

    /// Where `path` leads from `start`: the nodes from the root to it, no link among them.
    fn walk(&self, start: &[u64], path: &Path) -> Result<Vec<u64>, Miss> {
        let mut at = start.to_vec();
        let mut todo = steps(path);
        let mut links = 0;
        while let Some(step) = todo.pop() {
            let here = at.last().copied().ok_or(Miss::Absent)?;
            match step.as_encoded_bytes() {
                b"/" => {
                    at = vec![ROOT];
                    continue;
                }
                b"." | b".." if !self.is_dir(here) => return Err(Miss::Absent),
                b"." => continue,
                b".." => {
                    at.truncate(at.len().saturating_sub(1).max(1));
                    continue;
                }
                _ => {}
            }
            let child = self.child(here, &step).ok_or(Miss::Absent)?;
            let Some(Body::Link(target)) = self.body(child) else {
                at.push(child);
                continue;
            };
            links += 1;
            if links > MAX_LINKS {
                return Err(Miss::Cycle);
            }
            if target.as_os_str().is_empty() {
                return Err(Miss::Absent);
            }
            todo.extend(steps(target));
        }
        Ok(at)
    }

    /// The directory and the name that `path` stands for, with its parents made. `None` when it
    /// does not end in a name.
    fn entry(&mut self, path: &Path) -> Option<(u64, OsString)> {
        let name = path.file_name()?.to_os_string();
        let parent = path.parent().unwrap_or(Path::new(""));
        Some((self.make_dirs(parent), name))
    }

    /// The directory that `path` leads to, made where it is missing.
    pub(super) fn make_dirs(&mut self, path: &Path) -> u64 {
        let mut at = vec![ROOT];
        for component in path.components() {
            let here = at.last().copied().unwrap_or(ROOT);
            match component {
                Component::ParentDir if at.len() > 1 => {
                    at.pop();
                }
                Component::Normal(name) => {
                    let led = self.walk(&at, Path::new(name)).ok();
                    match led.filter(|led| led.last().is_some_and(|last| self.is_dir(*last))) {
                        Some(led) => at = led,
                        None => {
                            let made = self.put(here, name.to_os_string(), Body::Directory(BTreeMap::new()));
                            at.push(made);
                        }
                    }
                }
                _ => {}
            }
        }
        at.last().copied().unwrap_or(ROOT)
    }

    /// A new node under this name, in place of what is there.
    fn put(&mut self, directory: u64, name: OsString, body: Body) -> u64 {
        self.unlink(directory, &name);
        let node = self.next;
        self.next += 1;
        self.stamp += 1;
        self.nodes.insert(node, Node { body, stamp: self.stamp, names: 1 });
        self.enter(directory, name, node);
        node
    }

    fn enter(&mut self, directory: u64, name: OsString, node: u64) {
        self.stamp += 1;
        if let Some(Node { body: Body::Directory(entries), stamp, .. }) = self.nodes.get_mut(&directory) {
            entries.insert(name, node);
            *stamp = self.stamp;
        }
    }

    /// Takes the name away, and what it named when that was its last one. Whether it was there.
    fn unlink(&mut self, directory: u64, name: &OsStr) -> bool {
        self.stamp += 1;
        let Some(Node { body: Body::Directory(entries), stamp, .. }) = self.nodes.get_mut(&directory) else {
            return false;
        };
        let Some(gone) = entries.remove(name) else { return false };
        *stamp = self.stamp;
        let mut orphans = vec![gone];
        while let Some(node) = orphans.pop() {
            let Some(found) = self.nodes.get_mut(&node) else { continue };
            found.names -= 1;
            if found.names == 0
                && let Some(Node { body: Body::Directory(entries), .. }) = self.nodes.remove(&node)
            {
                orphans.extend(entries.into_values());
            }
        }
        true
    }

    fn child(&self, directory: u64, name: &OsStr) -> Option<u64> {
        let Some(Body::Directory(entries)) = self.body(directory) else { return None };
        entries.get(name).copied()
    }

    fn is_dir(&self, node: u64) -> bool {
        matches!(self.body(node), Some(Body::Directory(_)))
    }

    fn body(&self, node: u64) -> Option<&Body> {
        self.nodes.get(&node).map(|node| &node.body)
    }
}

/// The steps of a path, the first one last: `/`, `..`, names, and a last `.` where only a directory may stand.
fn steps(path: &Path) -> Vec<OsString> {
    let mut steps = Vec::new();
    // `components` drops what a trailing slash says.
    let text = path.as_os_str().as_encoded_bytes();
    if text.ends_with(b"/") || text.ends_with(b"/.") {
        steps.push(".".into());
    }
    let kept = |component: &Component<'_>| !matches!(component, Component::CurDir | Component::Prefix(_));
    steps.extend(path.components().rev().filter(kept).map(|component| component.as_os_str().to_os_string()));
    steps
}
