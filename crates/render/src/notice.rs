use std::fmt;

use crate::heading::NOTICE;

/// What a block lost, as it is said first in the body (R6):
/// `Workspace instruction budget N bytes: omitted A, B; truncated C from X to Y bytes`.
///
/// Empty when nothing was lost. Not neutralised: text for a model goes through [`Frame`](crate::Frame).
///
/// ```
/// use standing_orders_render::{Notice, Truncated};
///
/// let truncated = Some(Truncated { path: "a/AGENTS.md", from: 900, to: 120 });
/// let notice = Notice { budget: 500, omitted: &["AGENTS.md"], truncated };
/// assert_eq!(
///     notice.to_string(),
///     "Workspace instruction budget 500 bytes: omitted AGENTS.md; truncated a/AGENTS.md from 900 to 120 bytes"
/// );
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Notice<'a> {
    /// Bytes of the whole block.
    pub budget: usize,
    /// Paths of files of which nothing is there.
    pub omitted: &'a [&'a str],
    /// The file that was cut.
    pub truncated: Option<Truncated<'a>>,
}

/// A file that was cut, in the notice (R6).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Truncated<'a> {
    /// Its path.
    pub path: &'a str,
    /// Bytes of its content.
    pub from: usize,
    /// Bytes of its content that stayed.
    pub to: usize,
}

impl fmt::Display for Notice<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.omitted.is_empty() && self.truncated.is_none() {
            return Ok(());
        }
        f.write_str(&text(self.budget, self.omitted.iter().copied(), self.truncated, usize::MAX))
    }
}

/// A notice, broken off behind the first path with which it has more than `limit` bytes.
pub(crate) fn text<'a>(
    budget: usize,
    paths: impl Iterator<Item = &'a str>,
    truncated: Option<Truncated<'a>>,
    limit: usize,
) -> String {
    let mut text = lead(budget);
    let mut count = 0;
    for path in paths {
        text.push_str(omitted(count));
        text.push_str(path);
        count += 1;
        if text.len() > limit {
            return text;
        }
    }
    if let Some(cut) = truncated {
        text.push_str(&cut.part(count, &cut.to.to_string()));
    }
    text
}

pub(crate) fn lead(budget: usize) -> String {
    format!("{NOTICE}{budget} bytes: ")
}

/// What stands before the path that so many omitted ones precede.
pub(crate) fn omitted(before: usize) -> &'static str {
    if before == 0 { "omitted " } else { ", " }
}

impl Truncated<'_> {
    /// The part about this file after so many omitted ones, `to` as given: measured with no digits there,
    /// it lacks only their count, for no tag begins with a digit.
    pub(crate) fn part(&self, omitted: usize, to: &str) -> String {
        let joint = if omitted == 0 { "" } else { "; " };
        format!("{joint}truncated {} from {} to {to} bytes", self.path, self.from)
    }
}
