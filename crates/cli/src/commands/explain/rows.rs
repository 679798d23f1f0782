//! The report's candidates, each with its size and its notes.
//!
//! Sizes and notes are of a second look: a host needs neither, so that the engine's report has none.

use std::path::{Path, PathBuf};

use standing_orders::discovery::notes::{Note, hidden_by_root, of_finding};
use standing_orders::discovery::path::unshown;
use standing_orders::discovery::{Finding, Look, Places, find_root, look};
use standing_orders::fs::KnownVersion;
use standing_orders::{Composition, Fate, ReportEntry, Trigger};

use crate::session::Subject;

/// One candidate.
#[derive(Clone, Debug)]
pub(super) struct Row {
    pub(super) injector: String,
    /// As shown to the model.
    pub(super) path: String,
    /// The folder in it, `.` for the root; of the user-global file what stands for the home; empty for
    /// an injector's own.
    pub(super) dir: String,
    /// The rest.
    pub(super) name: String,
    pub(super) user_global: bool,
    pub(super) trigger: Trigger,
    pub(super) fate: Fate,
    /// Bytes of content where it was loaded, else of the file, where that is known.
    pub(super) size: Option<u64>,
    pub(super) notes: Vec<Note>,
    /// It is absent, and there is a link of its name all the same.
    pub(super) broken_link: bool,
}

/// A row a candidate, and the outer project that the root hides.
pub(super) async fn of(subject: &Subject, composition: &Composition) -> (Vec<Row>, Option<Note>) {
    let report = &composition.report;
    let Some(root) = report.root() else { return (Vec::new(), None) };
    let home = subject.home.as_ref();
    let mut rows: Vec<Row> = report
        .entries()
        .enumerate()
        .map(|(index, entry)| {
            // The report begins with the user-global file; a folder of the project may be called `~` too.
            let user_global = index == 0
                && entry.injector.is_workspace()
                && home.is_some_and(|home| entry.dir == home.shown);
            row(&entry, user_global)
        })
        .collect();

    let mut places = Places::new();
    let mut place_of = Vec::with_capacity(rows.len());
    let mut last: Option<(&str, bool)> = None;
    for row in &rows {
        if row.dir.is_empty() {
            place_of.push(None);
            continue;
        }
        if last != Some((&row.dir, row.user_global)) {
            match (row.user_global, home, directory(root.path, &row.dir)) {
                (true, Some(home), _) => places.push_user_global(home.dir.clone()),
                (_, _, Some(dir)) => places.push_directory(dir),
                (_, _, None) => {
                    place_of.push(None);
                    continue;
                }
            }
            last = Some((&row.dir, row.user_global));
        }
        place_of.push(places.len().checked_sub(1));
    }
    let rules = &subject.settings.rules;
    let look = look(&*subject.fs, &places, rules, |_| KnownVersion::Nothing).await;
    for (row, place) in rows.iter_mut().zip(place_of) {
        let Some((index, finding)) = place.and_then(|place| finding(&look, place, row, subject)) else {
            continue;
        };
        row.broken_link = row.fate == Fate::Absent && look.path(index).is_some_and(is_link);
        row.size = content(&row.fate).or_else(|| finding.metadata().and_then(|metadata| metadata.len));
        row.notes = match finding.text().is_some() && !row.user_global {
            true => of_finding(&look, index, &rules.names),
            false => finding.text().map(standing_orders::discovery::notes::of_text).unwrap_or_default(),
        };
    }
    let found = find_root(&*subject.fs, &subject.start, &subject.settings.root).await;
    (rows, hidden_by_root(&*subject.fs, &found, rules).await)
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
    findings.find(|(_, finding)| row.user_global || names.get(finding.candidate) == Some(&row.name))
}

fn is_link(path: &Path) -> bool {
    std::fs::symlink_metadata(path).is_ok_and(|metadata| metadata.is_symlink())
}

fn content(fate: &Fate) -> Option<u64> {
    match fate {
        Fate::Set { bytes } | Fate::Replaced { bytes } => Some(*bytes),
        Fate::Truncated { from, .. } => Some(*from),
        Fate::TooLarge { len, .. } => Some(*len),
        _ => None,
    }
}
