//! Links, and where they lead.

use std::io::ErrorKind;
use std::path::Path;

use standing_orders::inspect::path::{shown, shown_in};

use super::Note;

/// What is to be said of a file of the project that is there, `root` being where its links may lead: one that
/// is a link, or lies behind one.
pub(crate) fn of_file(root: &Path, path: &Path, is_link: bool) -> Option<Note> {
    // Where it leads could not be found out just now: what became of the file says so.
    let real = path.canonicalize().ok()?;
    match real.starts_with(root) {
        true if !is_link => None,
        inside => {
            let to = shown_in(root, &real).filter(|_| inside).unwrap_or_else(|| shown(&real));
            Some(Note::Link { to: to.to_string(), outside: !inside })
        }
    }
}

/// What is to be said of a user-global file that is a link or whose folder is one: it lies in no project.
pub(crate) fn of_home(path: &Path) -> Option<Note> {
    let real = path.canonicalize().ok()?;
    Some(Note::Link { to: shown(&real).to_string(), outside: false })
}

/// Where a link leads, as it is written, when nothing is there.
pub(crate) fn broken(path: &Path) -> Option<String> {
    let to = std::fs::read_link(path).ok()?;
    let gone = |error: std::io::Error| matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory);
    std::fs::metadata(path).is_err_and(gone).then(|| shown(&to).to_string())
}

pub(crate) fn is_link(path: &Path) -> bool {
    std::fs::symlink_metadata(path).is_ok_and(|metadata| metadata.is_symlink())
}
