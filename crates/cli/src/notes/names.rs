//! What stands beside the candidates of a folder: names that are nearly theirs, and rules of other kinds.
//!
//! One listing a folder. What cannot be listed says nothing here: the candidates' own rows tell of it.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use standing_orders::Home;
use standing_orders::inspect::CandidateNames;
use standing_orders::inspect::path::{shown, shown_in};

use super::Note;

/// The only name that is looked for in the home (D6).
const USER_GLOBAL: &str = "AGENTS.md";

/// Folders of rules, by the folder that they stand in (F1).
const FOLDERS: [(&str, &str); 6] = [
    (".agents", "rules"),
    (".claude", "rules"),
    (".cursor", "rules"),
    (".devin", "rules"),
    (".github", "instructions"),
    (".windsurf", "rules"),
];

/// Single files of rules (F1).
const FILES: [(&str, &str); 2] = [(".claude", "CLAUDE.md"), (".github", "copilot-instructions.md")];

/// What is in a folder, as it was listed once.
#[derive(Debug)]
pub(crate) struct Listing {
    dir: PathBuf,
    is_home: bool,
    /// By name; `None` where it cannot be listed.
    entries: Option<Vec<Entry>>,
}

#[derive(Debug)]
struct Entry {
    name: OsString,
    is_dir: bool,
    /// It is one, or that is not known.
    is_link: bool,
}

impl Listing {
    pub(crate) fn of(dir: PathBuf, is_home: bool) -> Self {
        let entry = |entry: std::fs::DirEntry| {
            let kind = entry.file_type();
            Entry {
                name: entry.file_name(),
                is_dir: kind.as_ref().is_ok_and(|kind| kind.is_dir()),
                is_link: kind.as_ref().map_or(true, |kind| kind.is_symlink()),
            }
        };
        let entries = std::fs::read_dir(&dir).and_then(|entries| {
            let mut entries: Vec<Entry> = entries.map(|found| found.map(entry)).collect::<Result<_, _>>()?;
            entries.sort_unstable_by(|a, b| a.name.cmp(&b.name));
            Ok(entries)
        });
        Self { dir, is_home, entries: entries.ok() }
    }

    /// Whether the file of this folder can be a link: on some volumes letter case is no difference.
    pub(crate) fn may_be_link(&self, path: &Path) -> bool {
        let Some((entries, name)) = self.entries.as_ref().zip(path.file_name()) else { return true };
        entries.iter().any(|entry| entry.is_link && entry.name.eq_ignore_ascii_case(name))
    }

    /// What stands in it beside the candidates.
    pub(super) fn notes(
        &self,
        root: &Path,
        home: Option<&Home>,
        names: &CandidateNames,
        is_row: &dyn Fn(&Path) -> bool,
    ) -> Vec<Note> {
        let Some(entries) = &self.entries else { return Vec::new() };
        match home.filter(|_| self.is_home) {
            Some(home) => in_home(home, entries),
            None => in_directory(root, &self.dir, entries, names, is_row),
        }
    }
}

/// Of a folder of the project. What `is_row` says is looked at is no rule of another kind.
fn in_directory(
    root: &Path,
    dir: &Path,
    entries: &[Entry],
    names: &CandidateNames,
    is_row: &dyn Fn(&Path) -> bool,
) -> Vec<Note> {
    let candidates: Vec<&str> = names.iter().map(|(_, name)| name).collect();
    let below = dir.strip_prefix(root).unwrap_or(dir);
    let mut notes = near(entries, &candidates, |name| {
        shown_in(root, &dir.join(name)).unwrap_or_else(|| shown(Path::new(name))).to_string()
    });
    let has = |name: &str| entries.iter().any(|entry| entry.name == name);
    for (outer, inner) in FOLDERS {
        let path = Path::new(outer).join(inner);
        // An empty one says nothing.
        let is_there =
            || std::fs::read_dir(dir.join(&path)).is_ok_and(|mut entries| entries.next().is_some());
        if has(outer) && is_there() {
            notes.push(Note::Rules { path: shown(&below.join(&path)).to_string(), folder: true });
        }
    }
    for (outer, inner) in FILES {
        let path = Path::new(outer).join(inner);
        if has(outer) && dir.join(&path).is_file() && !is_row(&below.join(&path)) {
            notes.push(Note::Rules { path: shown(&below.join(&path)).to_string(), folder: false });
        }
    }
    notes
}

fn in_home(home: &Home, entries: &[Entry]) -> Vec<Note> {
    near(entries, &[USER_GLOBAL], |name| format!("{}/{}", home.shown, shown(Path::new(name))))
}

/// Files whose names differ from a candidate's in letter case alone, where no file has the candidate's.
fn near(entries: &[Entry], candidates: &[&str], path: impl Fn(&str) -> String) -> Vec<Note> {
    let is_there = |name: &str| entries.iter().any(|entry| entry.name == name);
    let of_entry = |entry: &Entry| {
        let name = entry.name.to_str().filter(|name| !entry.is_dir && !candidates.contains(name))?;
        let near = |candidate: &&&str| match name.is_ascii() {
            true => candidate.eq_ignore_ascii_case(name),
            false => candidate.to_lowercase() == name.to_lowercase(),
        };
        let candidate = candidates.iter().find(near).filter(|candidate| !is_there(candidate))?;
        Some(Note::LetterCase { path: path(name), candidate: (*candidate).to_owned() })
    };
    entries.iter().filter_map(of_entry).collect()
}
