//! What a reader of the instructions should know, though it changes nothing (X2).
//!
//! Off the hot path: nothing here runs unless it is called, each function is linear in its text, and
//! only [`hidden_by_root`] asks the provider. In doubt there is no note.

mod invisible;
mod pointer;

use std::path::PathBuf;

use standing_orders_fs::{FsError, FsProvider, KnownVersion};

use crate::path::chain;
use crate::{
    CandidateNames, Finding, Found, Import, Look, Places, Replaced, Root, Rules, SourceText, imports, look,
};

/// One thing worth knowing. Lines and columns count from 1, columns in characters.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Note {
    /// An import (`@path`) that is not expanded: the model sees the line as it is.
    Import {
        /// The line.
        line: usize,
        /// The path, without `@`.
        target: String,
    },
    /// The winner says no more than that another candidate of its directory is to be read, which it
    /// keeps from loading.
    Pointer {
        /// The name of the other candidate.
        to: String,
    },
    /// The winner says nothing, and keeps another candidate of its directory from loading that has content.
    Empty {
        /// The name of the other candidate, the first that is not empty.
        keeps: String,
    },
    /// A character that is not seen, or changes the direction of the text around it.
    Invisible {
        /// Which.
        character: char,
        /// The line of the first one.
        line: usize,
        /// Its column.
        column: usize,
        /// How many there are in the text.
        count: usize,
    },
    /// Bytes that were not valid in the file's encoding and stand as U+FFFD (D10).
    Replaced(Replaced),
    /// The root lies within another project, whose instructions are not loaded: a nested checkout, a
    /// worktree or a submodule.
    HidesOuter {
        /// The root of the other project ([`Root::outer`]).
        outer: PathBuf,
        /// The files that a session there would have loaded on the way down to our root.
        files: Vec<PathBuf>,
        /// Probes that failed: whether there is a file is not known.
        failed: Vec<FsError>,
    },
}

/// Notes on one text: replaced bytes, then imports by line, then invisible characters, one note for
/// each kind of character, by first place.
///
/// What an import is: [`imports`].
///
/// Not seen are default-ignorables, control characters but tab, line feed, carriage return and form
/// feed, separators of lines and paragraphs, and marks of annotation. Joiners and selectors where
/// writing needs them are no finding: after a visible character outside ASCII, and the tags of flags.
///
/// ```
/// use standing_orders_discovery::SourceText;
/// use standing_orders_discovery::notes::{Note, of_text};
///
/// let text = SourceText::decode("# Rules\n@docs/style.md\n".as_bytes()).unwrap();
/// assert_eq!(of_text(&text), [Note::Import { line: 2, target: "docs/style.md".into() }]);
/// ```
pub fn of_text(text: &SourceText) -> Vec<Note> {
    let mut notes: Vec<_> = text.replaced().map(Note::Replaced).into_iter().collect();
    let imports = imports(text.as_str()).into_iter();
    notes.extend(imports.map(|Import { line, target }| Note::Import { line, target }));
    notes.extend(invisible::characters(text.as_str()));
    notes
}

/// Notes on the finding at `index`: that of [`of_text`], [`Note::Pointer`] in place of the import that it
/// is, and [`Note::Empty`]. Nothing for a finding without text.
///
/// A winner is empty that has nothing but white space. A sibling has content if its probe says so: its
/// size is known and not 0.
///
/// A pointer is a single line besides headings that is the name of a candidate which this winner
/// shadows, or names it among a few words such as "see" and "for instructions".
pub fn of_finding(look: &Look, index: usize, names: &CandidateNames) -> Vec<Note> {
    let Some(finding) = look.findings().get(index) else { return Vec::new() };
    let Some(text) = finding.text() else { return Vec::new() };
    let mut notes = of_text(text);
    let shadowed = || {
        let others = look.of_place(finding.place).map(|(_, other)| other);
        others.filter(|other| matches!(other.found, Found::Shadowed { by, .. } if by == finding.candidate))
    };
    if text.as_str().trim().is_empty() {
        let has_content = |other: &Finding| other.metadata().and_then(|found| found.len).unwrap_or(0) > 0;
        let keeps =
            shadowed().filter(|other| has_content(other)).find_map(|other| names.get(other.candidate));
        notes.extend(keeps.map(|name| Note::Empty { keeps: name.to_owned() }));
    }
    if let Some(line) = pointer::only_line(text.as_str())
        && let Some(to) = shadowed()
            .filter_map(|other| names.get(other.candidate))
            .find(|name| pointer::points_at(line, name))
    {
        let is_pointer = |target: &str| target.strip_prefix("./").unwrap_or(target) == to;
        notes.retain(|note| !matches!(note, Note::Import { target, .. } if is_pointer(target)));
        notes.push(Note::Pointer { to: to.to_owned() });
    }
    notes
}

/// Which instructions of an outer project `root` hides; `None` when it lies in none, or nothing is there.
///
/// One batch of probes, from the outer root down to the folder that holds `root`; nothing is read. A
/// root moved by a fault is no project of its own, but hides the outer one as well.
pub async fn hidden_by_root(fs: &dyn FsProvider, root: &Root, rules: &Rules) -> Option<Note> {
    let outer = root.outer.as_ref()?;
    let mut places = Places::new();
    for dir in chain(outer, root.path.parent()?) {
        places.push_directory(dir);
    }
    let look = look(fs, &places, rules, |_| KnownVersion::Any).await;
    let mut files = Vec::new();
    let mut failed = Vec::new();
    for (index, finding) in look.findings().iter().enumerate() {
        match &finding.found {
            Found::Present { .. } => files.extend(look.path(index).map(PathBuf::from)),
            Found::Failed(error) => failed.push(error.clone()),
            Found::Absent(_) | Found::Shadowed { .. } => {}
        }
    }
    let any = !files.is_empty() || !failed.is_empty();
    any.then(|| Note::HidesOuter { outer: outer.clone(), files, failed })
}
