//! The report's candidates, each with its size and its notes.
//!
//! Sizes and notes are of a second look: a host needs neither, so that the engine's report has none.

use std::path::{Path, PathBuf};

use standing_orders::fs::KnownVersion;
use standing_orders::inspect::notes::{Note as Told, of_finding, of_text};
use standing_orders::inspect::path::{shown, unshown};
use standing_orders::inspect::{Finding, Look, Places, look};
use standing_orders::{Composition, Fate, Imports, ReportEntry, Trigger};

use crate::notes::{Listing, Note, links};
use crate::session::Subject;

/// One candidate.
#[derive(Clone, Debug)]
pub(crate) struct Row {
    pub(crate) injector: String,
    /// As shown to the model.
    pub(crate) path: String,
    /// The folder in it, `.` for the root; of the user-global file what stands for the home; empty for
    /// an injector's own.
    pub(crate) dir: String,
    /// The rest.
    pub(crate) name: String,
    pub(crate) user_global: bool,
    pub(crate) trigger: Trigger,
    pub(crate) fate: Fate,
    /// Bytes of content where it was loaded, else of the file, where that is known.
    pub(crate) size: Option<u64>,
    pub(crate) notes: Vec<Note>,
    /// The file that imports it and the line there, or why the rule is due.
    pub(crate) because: Option<String>,
    /// It is absent, and there is a link of its name all the same.
    pub(crate) broken_link: bool,
}

/// A row a candidate, in the order of the report, and a listing of each folder in which one was looked for,
/// the home's first if there is one.
pub(crate) async fn of(subject: &Subject, composition: &Composition) -> (Vec<Row>, Vec<Listing>) {
    let report = &composition.report;
    let Some(root) = report.root() else { return (Vec::new(), Vec::new()) };
    let home = subject.home.as_ref();
    let mut rows: Vec<Row> = report.entries().map(|entry| row(&entry, entry.user_global)).collect();

    let mut places = Places::new();
    let mut place_of = Vec::with_capacity(rows.len());
    // Of each place its listing; a single file's has none.
    let mut listings = Vec::new();
    let mut listing_of = Vec::new();
    let mut last: Option<(&str, bool)> = None;
    for row in &rows {
        if row.dir.is_empty() {
            // An injector's own file, if it is one.
            let path = directory(root.path, &row.path);
            place_of.push(path.map(|path| {
                places.push_file(path);
                listing_of.push(None);
                places.len() - 1
            }));
            last = None;
            continue;
        }
        if last != Some((&row.dir, row.user_global)) {
            let dir = match (row.user_global, home, directory(root.path, &row.dir)) {
                (true, Some(home), _) => {
                    places.push_user_global(home.dir.clone());
                    home.dir.clone()
                }
                (_, _, Some(dir)) => {
                    places.push_directory(dir.clone());
                    dir
                }
                (_, _, None) => {
                    place_of.push(None);
                    continue;
                }
            };
            listing_of.push(Some(listings.len()));
            listings.push(Listing::of(dir, row.user_global));
            last = Some((&row.dir, row.user_global));
        }
        place_of.push(places.len().checked_sub(1));
    }
    let rules = &subject.settings.rules;
    let look = look(&*subject.fs, &places, rules, |_| KnownVersion::Nothing).await;
    for (row, place) in rows.iter_mut().zip(place_of) {
        let Some((place, (index, finding))) =
            place.and_then(|place| Some((place, finding(&look, place, row, subject)?)))
        else {
            continue;
        };
        let listing = listing_of.get(place).copied().flatten().and_then(|index| listings.get(index));
        row.size = content(&row.fate).or_else(|| finding.metadata().and_then(|metadata| metadata.len));
        // Names say nothing of what has a place of its own.
        let of_names = !row.user_global && !row.dir.is_empty();
        let told = match finding.text() {
            Some(_) if of_names => of_finding(&look, index, &rules.names),
            Some(text) => of_text(text),
            None => Vec::new(),
        };
        // Of imports that are followed rows tell, and of those that are text nobody asked.
        let reports = subject.settings.imports == Imports::Report;
        let told = told.into_iter().filter(|note| reports || !matches!(note, Told::Import { .. }));
        row.notes = told.map(Note::Told).collect();
        if let Some(text) = finding.text() {
            row.notes.extend(Note::of_look_alikes(&subject.settings, text.as_str()));
        }
        let Some(path) = look.path(index) else { continue };
        let is_link = listing.is_none_or(|listing| listing.may_be_link(path)) && links::is_link(path);
        if row.fate == Fate::Absent {
            let broken = Some(path).filter(|_| is_link).and_then(links::broken);
            row.broken_link = broken.is_some();
            row.notes.extend(broken.map(|to| Note::BrokenLink { path: None, to }));
        } else {
            let link = match home.filter(|_| row.user_global) {
                Some(home) if is_link || links::is_link(&home.dir) => links::of_home(path),
                Some(_) => None,
                // The folders down to the start are those of its real path.
                None if is_link || !is_above(path, &subject.start) => {
                    links::of_file(root.path, path, is_link)
                }
                None => None,
            };
            row.notes.splice(0..0, link);
        }
    }
    (rows, listings)
}

fn is_above(file: &Path, start: &Path) -> bool {
    file.parent().is_some_and(|dir| start.starts_with(dir))
}

fn row(entry: &ReportEntry<'_>, user_global: bool) -> Row {
    let below = entry.path.strip_prefix(&*entry.dir).and_then(|rest| rest.strip_prefix('/'));
    let name = below.filter(|_| entry.dir != "." && !entry.dir.is_empty()).unwrap_or(&entry.path);
    Row {
        injector: entry.injector.to_string(),
        path: entry.path.clone(),
        dir: entry.dir.clone(),
        name: name.to_owned(),
        user_global,
        trigger: entry.trigger,
        fate: entry.fate.clone(),
        size: content(&entry.fate),
        notes: Vec::new(),
        because: match (entry.imported_by, entry.rule) {
            (Some((importer, line)), _) => Some(format!("imported by {importer}, line {line}")),
            (None, why) => why.map(str::to_owned),
        },
        broken_link: false,
    }
}

/// The directory that is shown as `dir`.
fn directory(root: &Path, dir: &str) -> Option<PathBuf> {
    let below = unshown(dir).ok()?;
    Some(if below.as_os_str().is_empty() { root.to_path_buf() } else { root.join(below) })
}

fn finding<'l>(look: &'l Look, place: usize, row: &Row, subject: &Subject) -> Option<(usize, &'l Finding)> {
    let mut findings = look.of_place(place);
    let names = &subject.settings.rules.names;
    findings.find(|(_, finding)| {
        row.user_global || row.dir.is_empty() || names.get(finding.candidate) == Some(&row.name)
    })
}

fn content(fate: &Fate) -> Option<u64> {
    match fate {
        Fate::Set { bytes } | Fate::Replaced { bytes } => Some(*bytes),
        Fate::Truncated { from, .. } => Some(*from),
        Fate::TooLarge { len, .. } => Some(*len),
        _ => None,
    }
}

/// Whether a path of the project is one of these candidates.
pub(crate) fn known(rows: &[Row]) -> impl Fn(&Path) -> bool {
    move |path| {
        let path = shown(path).to_string();
        rows.iter().any(|row| !row.user_global && row.path == path)
    }
}
