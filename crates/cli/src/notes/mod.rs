//! What a reader of the instructions should know, though it changes nothing (X2).
//!
//! The library tells what texts and roots say. What the disk says beside that, links, names and folders, is
//! looked at here: only in the folders that a session looks at anyway, never below them.

mod names;

pub(crate) mod links;

use std::path::Path;

use serde_json::{Value, json};
use standing_orders::config::{Dialects, RulesConfig};
use standing_orders::fs::FsError;
use standing_orders::inspect::notes::{Note as Told, hidden_by_root};
use standing_orders::inspect::path::shown;
use standing_orders::inspect::{RootReason, find_root};
use standing_orders::plugin::Dialect;
use standing_orders::{Composition, Settings};

pub(crate) use self::names::Listing;
use crate::session::Subject;
use crate::text::{count, number};

/// One thing worth knowing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Note {
    /// Of a text or of the root.
    Told(Told),
    /// The file is a link, or is reached through one.
    Link {
        /// Where it leads, relative to the root where it lies in the project.
        to: String,
        /// It leads out of the project.
        outside: bool,
    },
    /// A link that leads nowhere, so that nothing is there.
    BrokenLink {
        /// The link, where it is no candidate's.
        path: Option<String>,
        /// As it is written in it.
        to: String,
    },
    /// A file whose name is a candidate's but for letter case.
    LetterCase { path: String, candidate: String },
    /// Rules of another kind that are there and not loaded.
    Rules { path: String, folder: bool },
    /// Tags of the frame, spelled with other characters: they stay as written (R4).
    LookAlike {
        tag: String,
        /// Where the first one stands, from 1, in characters.
        line: usize,
        column: usize,
        count: usize,
    },
    /// A root marker could not be looked at, which ended the search for the root.
    Marker(FsError),
}

impl Note {
    /// Of a text that goes into the frame of these settings.
    pub(crate) fn of_look_alikes(settings: &Settings, text: &str) -> Option<Self> {
        let frame = &settings.wording.frame;
        let places = frame.look_alikes(text);
        // A place lies behind the character that opens the tag.
        let before = text.get(..*places.first()?)?;
        let line = before.matches('\n').count() + 1;
        let column = before.rsplit('\n').next().unwrap_or_default().chars().count();
        Some(Self::LookAlike { tag: frame.tag().to_owned(), line, column, count: places.len() })
    }

    /// In words.
    pub(crate) fn words(&self) -> String {
        match self {
            Self::Told(told) => words(told),
            Self::Link { to, outside: false } => format!("a link to {to}"),
            Self::Link { to, outside: true } => format!("a link that leads out of the project, to {to}"),
            Self::BrokenLink { path: None, to } => format!("the link leads to {to}, which is not there"),
            Self::BrokenLink { path: Some(path), to } => {
                format!("{path} is a link to {to}, which is not there")
            }
            Self::LetterCase { path, candidate } => {
                format!("{path} is not {candidate}: where letter case counts, no session is given it")
            }
            Self::Rules { path, folder: true } => {
                format!("{path} is there and not loaded: an entry [[rules]] in the configuration loads it")
            }
            Self::Rules { path, folder: false } => {
                format!("{path} is there and not loaded: an entry [[rules]] in the configuration loads it")
            }
            Self::LookAlike { tag, line, column, count: times } => format!(
                "{} like a tag of the frame <{tag}>, spelled with other characters, the first at line {line}, \
                 column {column}: it stays as written, and the model may take it for one",
                count(*times, "text looks", "texts look")
            ),
            Self::Marker(error) => {
                format!(
                    "a root marker cannot be looked at, so that the search for the root ends there: {error}"
                )
            }
        }
    }

    /// For programs: `kind`, `message`, and by kind more.
    pub(crate) fn to_value(&self) -> Value {
        let mut value = match self {
            Self::Told(told) => value(told),
            Self::Link { to, outside } => json!({ "kind": "link", "to": to, "outside": outside }),
            Self::BrokenLink { path, to } => json!({ "kind": "broken_link", "path": path, "to": to }),
            Self::LetterCase { path, candidate } => {
                json!({ "kind": "letter_case", "path": path, "candidate": candidate })
            }
            Self::Rules { path, folder } => json!({ "kind": "rules", "path": path, "folder": folder }),
            Self::LookAlike { tag, line, column, count } => json!({
                "kind": "look_alike",
                "tag": tag,
                "line": line,
                "column": column,
                "count": count,
            }),
            Self::Marker(_) => json!({ "kind": "marker" }),
        };
        if let Some(members) = value.as_object_mut() {
            members.insert("message".to_owned(), self.words().into());
        }
        value
    }

    /// Whether it matters to a session that is not given the file: where a link within the project leads
    /// does not.
    pub(crate) fn matters_unloaded(&self) -> bool {
        !matches!(self, Self::Link { outside: false, .. })
    }
}

fn words(told: &Told) -> String {
    match told {
        Told::Import { line, target } => {
            format!("line {line}: the import @{target} is not expanded, the model sees the line as it is")
        }
        Told::Pointer { to } => {
            format!("it says no more than to read {}, which it keeps from loading", shown(to.as_ref()))
        }
        Told::Empty { keeps } => {
            format!("it is empty, and keeps {} from loading, which is not", shown(keeps.as_ref()))
        }
        Told::Invisible { character, line, column, count: times } => format!(
            "{}, U+{:04X}, the first at line {line}, column {column}",
            count(*times, "invisible character", "invisible characters"),
            u32::from(*character)
        ),
        Told::Replaced(replaced) => format!(
            "{} for bytes that are not valid text, the first at byte {}",
            count(replaced.count, "replacement character stands", "replacement characters stand"),
            number(replaced.first as u64)
        ),
        Told::HidesOuter { outer, files, failed } => {
            let files: Vec<String> = files.iter().map(|file| shown(file).to_string()).collect();
            let mut text = format!("the root lies within another project, {}", shown(outer));
            if !files.is_empty() {
                text.push_str(&format!(", whose instructions are not loaded: {}", files.join(", ")));
            }
            for error in failed {
                text.push_str(&format!("; cannot be looked at: {error}"));
            }
            text
        }
        other => format!("{other:?}"),
    }
}

fn value(told: &Told) -> Value {
    match told {
        Told::Import { line, target } => json!({ "kind": "import", "line": line, "target": target }),
        Told::Pointer { to } => json!({ "kind": "pointer", "to": to }),
        Told::Empty { keeps } => json!({ "kind": "empty", "keeps": keeps }),
        Told::Invisible { character, line, column, count } => json!({
            "kind": "invisible",
            "character": format!("U+{:04X}", u32::from(*character)),
            "line": line,
            "column": column,
            "count": count,
        }),
        Told::Replaced(replaced) => json!({
            "kind": "replaced",
            "count": replaced.count,
            "first": replaced.first,
        }),
        Told::HidesOuter { outer, files, failed } => json!({
            "kind": "hides_outer",
            "outer": shown(outer).to_string(),
            "files": files.iter().map(|file| shown(file).to_string()).collect::<Vec<_>>(),
            "failed": failed.iter().map(ToString::to_string).collect::<Vec<_>>(),
        }),
        _ => json!({ "kind": "other" }),
    }
}

/// What is about no single candidate: the root, the home, and what stands beside the candidates, which are
/// those that `is_row` knows.
pub(crate) async fn of_whole(
    subject: &Subject,
    composition: &Composition,
    listings: &[Listing],
    is_row: impl Fn(&Path) -> bool,
) -> Vec<Note> {
    let Some(root) = composition.report.root() else { return Vec::new() };
    let mut notes = Vec::new();
    if let Some(RootReason::Fault(error)) = root.reason {
        notes.push(Note::Marker(error.clone()));
    }
    let found = find_root(&*subject.fs, &subject.start, &subject.settings.root).await;
    notes.extend(hidden_by_root(&*subject.fs, &found, &subject.settings.rules).await.map(Note::Told));
    if let Some(home) = &subject.home {
        notes.extend(
            links::broken(&home.dir).map(|to| Note::BrokenLink { path: Some(home.shown.clone()), to }),
        );
    }
    let names = &subject.settings.rules.names;
    let rules = &subject.configuration.config.rules;
    for listing in listings {
        let found = listing.notes(root.path, subject.home.as_ref(), names, &is_row);
        let configured = |note: &Note| matches!(note, Note::Rules { path, .. } if rules.iter().any(|rules| is_of(rules, path)));
        notes.extend(found.into_iter().filter(|note| !configured(note)));
    }
    notes
}

/// Whether these rules look through a folder, or read a file, with this path.
fn is_of(rules: &RulesConfig, path: &str) -> bool {
    let dialects = match rules.dialect {
        Dialects::Only(dialect) => vec![dialect],
        _ => Dialect::ALL.to_vec(),
    };
    let own = dialects.iter().flat_map(|dialect| dialect.folders().iter().chain(dialect.files()));
    let mut own = own.filter(|_| rules.folder.is_none()).copied().chain(rules.folder.as_deref());
    own.any(|own| path == own || rules.nested && path.ends_with(&format!("/{own}")))
}
