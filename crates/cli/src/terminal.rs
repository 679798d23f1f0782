//! What is known of where the output goes.

use std::env::var_os;
use std::ffi::OsStr;

/// How to lay out text for people.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Terminal {
    /// Columns.
    pub(crate) width: usize,
    /// Whether lines and bars may be drawn with characters beyond ASCII.
    pub(crate) unicode: bool,
}

/// Columns where none are known.
const WIDTH: usize = 100;

/// Nothing can be laid out in less.
const LEAST: usize = 40;

impl Terminal {
    /// Width: of standard output if it is a terminal, else COLUMNS, else 100; at least 40. Characters:
    /// beyond ASCII if the locale (LC_ALL, LC_CTYPE, LANG, the first that is set) is a UTF-8 one.
    pub(crate) fn of_process() -> Self {
        let known = terminal_size::terminal_size_of(std::io::stdout()).map(|(width, _)| usize::from(width.0));
        let columns = || var_os("COLUMNS")?.to_str()?.parse().ok();
        let width = known.filter(|width| *width > 0).or_else(columns).unwrap_or(WIDTH).max(LEAST);
        let set = |name: &&str| var_os(name).filter(|value| !value.is_empty());
        let locale = ["LC_ALL", "LC_CTYPE", "LANG"].iter().find_map(set);
        Self { width, unicode: cfg!(windows) || locale.is_some_and(|locale| is_utf8(&locale)) }
    }
}

fn is_utf8(locale: &OsStr) -> bool {
    let locale = locale.to_string_lossy().to_ascii_lowercase();
    locale.contains("utf-8") || locale.contains("utf8")
}
