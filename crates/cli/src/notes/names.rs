//! What stands beside the candidates of a folder: names that are nearly theirs, and rules of other kinds.
//!
//! One listing a folder. What cannot be listed says nothing here: the candidates' own rows tell of it.

use std::ffi::OsString;
use std::path::Path;

use standing_orders::Home;
use standing_orders::discovery::CandidateNames;
use standing_orders::discovery::path::{shown, shown_in};

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

/// Of a folder of the project. What `is_row` says is looked at is no rule of another kind.
pub(super) fn in_directory(
    root: &Path,
    dir: &Path,
    names: &CandidateNames,
    is_row: &dyn Fn(&Path) -> bool,
) -> Vec<Note> {
    let entries = list(dir);
    let candidates: Vec<&str> = names.iter().map(|(_, name)| name).collect();
    let below = dir.strip_prefix(root).unwrap_or(dir);
    let mut notes = near(&entries, &candidates, |name| {
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

/// Of the home.
pub(super) fn in_home(home: &Home) -> Vec<Note> {
    near(&list(&home.dir), &[USER_GLOBAL], |name| format!("{}/{}", home.shown, shown(Path::new(name))))
}

struct Entry {
    name: OsString,
    is_dir: bool,
}

/// The entries, by name.
fn list(dir: &Path) -> Vec<Entry> {
    let entries = std::fs::read_dir(dir).into_iter().flatten().flatten();
    let mut entries: Vec<Entry> = entries
        .map(|entry| Entry {
            is_dir: entry.file_type().is_ok_and(|kind| kind.is_dir()),
            name: entry.file_name(),
        })
        .collect();
    entries.sort_unstable_by(|a, b| a.name.cmp(&b.name));
    entries
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
