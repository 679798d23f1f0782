//! The model's file system: a plain map from path to what is there.

use std::collections::BTreeMap;

use standing_orders_fs::{Fault, FaultKind, MemoryFs};

/// What stands at a path.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Node {
    Dir,
    File { id: u64, stamp: u64, text: String },
    Link(String),
}

/// Which requests for a path fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Broken {
    Stat,
    Read,
}

/// What a path leads to.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Probed {
    Fault,
    Absent,
    Dir,
    File { id: u64, stamp: u64, text: String },
}

/// One change of the tree.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Edit {
    Write(String, String),
    Remove(String),
    Mkdir(String),
    Link { at: String, to: String },
    Fault(String, Option<Broken>),
    HealAll,
}

#[derive(Clone, Debug, Default)]
pub(super) struct World {
    nodes: BTreeMap<String, Node>,
    pub(super) faults: BTreeMap<String, Broken>,
    clock: u64,
}

pub(super) fn parent(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(parent, _)| parent)
}

impl World {
    pub(super) fn edit(&mut self, edit: &Edit) {
        match edit {
            Edit::Write(path, text) => {
                self.make_parents(path);
                let stamp = self.tick();
                let id = match self.nodes.get(path) {
                    Some(Node::File { id, .. }) => *id,
                    _ => stamp,
                };
                self.clear(path);
                self.nodes.insert(path.clone(), Node::File { id, stamp, text: text.clone() });
            }
            Edit::Remove(path) => self.clear(path),
            Edit::Mkdir(path) => {
                if self.probe_tree(path) != Probed::Dir {
                    self.make_parents(path);
                    self.clear(path);
                    self.nodes.insert(path.clone(), Node::Dir);
                }
            }
            Edit::Link { at, to } => {
                self.make_parents(at);
                self.clear(at);
                self.nodes.insert(at.clone(), Node::Link(to.clone()));
            }
            Edit::Fault(path, Some(broken)) => {
                self.faults.insert(path.clone(), *broken);
            }
            Edit::Fault(path, None) => {
                self.faults.remove(path);
            }
            Edit::HealAll => self.faults.clear(),
        }
    }

    /// The same change of the provider under test.
    pub(super) fn edit_fs(&self, edit: &Edit, fs: &MemoryFs) {
        match edit {
            Edit::Write(path, text) => fs.write(path, text.clone()),
            Edit::Remove(path) => {
                fs.remove(path);
            }
            Edit::Mkdir(path) => fs.make_dir(path),
            Edit::Link { at, to } => fs.symlink(to, at),
            Edit::Fault(path, broken) => fs.fault(path, broken.map(fault)),
            Edit::HealAll => self.faults.keys().for_each(|path| fs.fault(path, None)),
        }
    }

    /// Puts the faults of the model on the provider.
    pub(super) fn break_fs(&self, fs: &MemoryFs) {
        self.faults.iter().for_each(|(path, broken)| fs.fault(path, fault(*broken)));
    }

    /// Links followed.
    pub(super) fn probe(&self, path: &str) -> Probed {
        match self.faults.get(path) {
            Some(Broken::Stat) => Probed::Fault,
            _ => self.probe_tree(path),
        }
    }

    /// Whether opening this path fails.
    pub(super) fn cannot_be_read(&self, path: &str) -> bool {
        self.faults.contains_key(path)
    }

    fn probe_tree(&self, path: &str) -> Probed {
        let mut path = path.to_owned();
        for _ in 0..=40 {
            if !self.has_parents(&path) {
                return Probed::Absent;
            }
            match self.nodes.get(&path) {
                None => return Probed::Absent,
                Some(Node::Dir) => return Probed::Dir,
                Some(Node::File { id, stamp, text }) => {
                    return Probed::File { id: *id, stamp: *stamp, text: text.clone() };
                }
                Some(Node::Link(to)) if to.starts_with('/') => path = to.clone(),
                Some(Node::Link(to)) => path = format!("{}/{to}", parent(&path)),
            }
        }
        Probed::Fault
    }

    fn has_parents(&self, path: &str) -> bool {
        let parent = parent(path);
        parent.is_empty() || (self.nodes.get(parent) == Some(&Node::Dir) && self.has_parents(parent))
    }

    fn make_parents(&mut self, path: &str) {
        let parent = parent(path).to_owned();
        if parent.is_empty() {
            return;
        }
        self.make_parents(&parent);
        if self.nodes.get(&parent) != Some(&Node::Dir) {
            self.clear(&parent);
            self.nodes.insert(parent, Node::Dir);
        }
    }

    fn clear(&mut self, path: &str) {
        let below = format!("{path}/");
        self.nodes.retain(|other, _| other != path && !other.starts_with(&below));
    }

    fn tick(&mut self) -> u64 {
        self.clock += 1;
        self.clock
    }
}

fn fault(broken: Broken) -> Fault {
    let kind = FaultKind::Other("injected".to_owned());
    match broken {
        Broken::Stat => Fault::Stat(kind),
        Broken::Read => Fault::Read(kind),
    }
}
