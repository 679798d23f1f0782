//! Git's ignore rules, as far as directories are concerned.

use std::path::{Path, PathBuf};

use ignore::gitignore::{Gitignore, GitignoreBuilder};

/// The rules in force at the directory that is being walked: the user's, those of `.git/info/exclude`, and a
/// `.gitignore` of each directory on the way, the last one that decides wins.
#[derive(Debug, Default)]
pub(super) struct Ignored {
    /// Outermost first, each with the directory it lies in.
    rules: Vec<(PathBuf, Gitignore)>,
    /// How many of them are no directory's own.
    base: usize,
}

impl Ignored {
    /// The rules that hold at `start`, whose repository begins at `root`; those of `start` itself are left
    /// for the walk. What cannot be read decides nothing.
    pub(super) fn above(root: &Path, start: &Path) -> Self {
        let mut rules = vec![(root.to_path_buf(), GitignoreBuilder::new(root).build_global().0)];
        let mut exclude = GitignoreBuilder::new(root);
        let _ = exclude.add(root.join(".git/info/exclude"));
        rules.extend(exclude.build().ok().map(|exclude| (root.to_path_buf(), exclude)));
        let mut ignored = Self { base: rules.len(), rules };
        for dir in standing_orders::inspect::path::chain(root, start) {
            if dir != start {
                ignored.enter(dir);
            }
        }
        ignored
    }

    /// Takes the rules of a directory that has a `.gitignore`.
    pub(super) fn enter(&mut self, dir: &Path) {
        let mut builder = GitignoreBuilder::new(dir);
        // A line that is no glob is skipped, as git does.
        let _ = builder.add(dir.join(".gitignore"));
        if let Ok(rules) = builder.build() {
            self.rules.push((dir.to_path_buf(), rules));
        }
    }

    /// Drops the rules of a directory, if it has any.
    pub(super) fn leave(&mut self, dir: &Path) {
        while self.rules.len() > self.base && self.rules.last().is_some_and(|(of, _)| of == dir) {
            self.rules.pop();
        }
    }

    /// Whether git ignores the directory `dir`.
    pub(super) fn is_ignored(&self, dir: &Path) -> bool {
        for (_, rules) in self.rules.iter().rev().filter(|(_, rules)| !rules.is_empty()) {
            let decided = rules.matched(dir, true);
            if !decided.is_none() {
                return decided.is_ignore();
            }
        }
        false
    }
}
