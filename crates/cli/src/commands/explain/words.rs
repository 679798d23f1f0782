//! Fates, notes and reasons in words.

use anstyle::{AnsiColor, Style};
use standing_orders::inspect::RootReason;
use standing_orders::inspect::path::shown;
use standing_orders::{Fate, Inactive, RootSeen};

use crate::rows::Row;
use crate::text::number;

pub(super) const BOLD: Style = Style::new().bold();
pub(super) const DIM: Style = Style::new().dimmed();
pub(super) const GOOD: Style = AnsiColor::Green.on_default();
pub(super) const WARN: Style = AnsiColor::Yellow.on_default();
pub(super) const BAD: Style = AnsiColor::Red.on_default();

/// What became of a candidate, and the colour of that.
pub(super) fn fate(row: &Row) -> (String, Style) {
    let fate = &row.fate;
    let style = match fate {
        Fate::Set { .. } | Fate::Replaced { .. } | Fate::Unchanged => GOOD,
        Fate::Absent
        | Fate::NotAFile
        | Fate::ShadowedBy(_)
        | Fate::DuplicateOf(_)
        | Fate::SameFileAs(_)
        | Fate::Denied
        | Fate::Excluded
        | Fate::Gated => DIM,
        Fate::Truncated { .. } | Fate::Omitted | Fate::Waits | Fate::Unfit | Fate::NotImported(_) => WARN,
        Fate::Inactive(Inactive::Head(_) | Inactive::Never(_)) => BAD,
        Fate::Unavailable(_)
        | Fate::Changing
        | Fate::TooLarge { .. }
        | Fate::NotText
        | Fate::SuppressedByUnavailable
        | Fate::Frozen
        | Fate::Blocked
        | Fate::Removed
        | Fate::StillOmitted
        | Fate::LeftOut => BAD,
        // Whatever else keeps it out does so because somebody said so.
        _ => DIM,
    };
    let words = match fate {
        Fate::Set { .. } => "loaded".to_owned(),
        Fate::Absent if row.broken_link => "a broken link, so as good as not there".to_owned(),
        Fate::Absent => "not there".to_owned(),
        Fate::Unavailable(error) => format!("cannot be looked at: {}", error.kind()),
        Fate::NotAFile => "not a regular file, so as good as not there".to_owned(),
        Fate::ShadowedBy(path) => format!("not loaded: {path} comes first"),
        Fate::DuplicateOf(path) => format!("not loaded again: {path} says the same"),
        Fate::SameFileAs(path) => format!("not loaded again: the same file as {path}"),
        Fate::Truncated { to, .. } => format!("cut to {} for the budget", count_bytes(*to)),
        Fate::Omitted => "left out for the budget".to_owned(),
        Fate::TooLarge { cap, .. } => format!("not loaded: more than {} bytes are not read", number(*cap)),
        Fate::NotText => "not loaded: not text, it has NUL bytes".to_owned(),
        other => other.to_string(),
    };
    let words = match &row.because {
        Some(because) => format!("{words}, {because}"),
        None => words,
    };
    (words, style)
}

fn count_bytes(bytes: u64) -> String {
    format!("{} {}", number(bytes), if bytes == 1 { "byte" } else { "bytes" })
}

/// Whether the budget has no room for it, in a later step neither.
pub(super) fn is_lost(fate: &Fate) -> bool {
    matches!(fate, Fate::Omitted | Fate::StillOmitted | Fate::LeftOut | Fate::Unfit)
}

/// The kind of a fate in JSON.
pub(super) fn fate_kind(fate: &Fate) -> &'static str {
    match fate {
        Fate::Absent => "absent",
        Fate::NotAFile => "not_a_file",
        Fate::ShadowedBy(_) => "shadowed",
        Fate::DuplicateOf(_) => "duplicate",
        Fate::SameFileAs(_) => "same_file",
        Fate::Unavailable(_) => "unavailable",
        Fate::Changing => "changing",
        Fate::TooLarge { .. } => "too_large",
        Fate::NotText => "not_text",
        Fate::SuppressedByUnavailable => "held",
        Fate::Frozen => "frozen",
        Fate::Blocked => "blocked",
        Fate::Unchanged => "unchanged",
        Fate::Set { .. } => "loaded",
        Fate::Replaced { .. } => "replaced",
        Fate::Truncated { .. } => "truncated",
        Fate::Removed => "removed",
        Fate::Omitted => "omitted",
        Fate::StillOmitted => "still_omitted",
        Fate::LeftOut => "left_out",
        Fate::Waits => "waits",
        Fate::Unfit => "unfit",
        Fate::Denied => "denied",
        Fate::Excluded => "excluded",
        Fate::Gated => "gated",
        Fate::PointsAt(_) => "points_at",
        Fate::NotImported(_) => "not_imported",
        Fate::Inactive(_) => "inactive",
        _ => "other",
    }
}

/// Whether the session is given something of it.
pub(super) fn is_given(fate: &Fate) -> bool {
    matches!(fate, Fate::Set { .. } | Fate::Replaced { .. } | Fate::Truncated { .. } | Fate::Unchanged)
}

/// Why the root is the root.
pub(super) fn root(root: RootSeen<'_>, markers: &[String]) -> String {
    match root.reason {
        Some(RootReason::Marker(marker)) => format!("it has {}", shown(marker.as_str().as_ref())),
        Some(RootReason::NoMarker) => match markers {
            [] => "where the session starts, for there are no root markers".to_owned(),
            markers => {
                format!("where the session starts, for no folder from there up has {}", markers.join(" or "))
            }
        },
        Some(RootReason::Ceiling(ceiling)) => {
            format!("where the session starts, for no folder below the ceiling {} is marked", shown(ceiling))
        }
        Some(RootReason::Fault(error)) => format!("the search ends here: {error}"),
        Some(RootReason::Fixed) => "as given".to_owned(),
        Some(RootReason::NotBelowFixed { fixed }) => {
            format!("where the session starts, for that is not below {}", shown(fixed))
        }
        Some(_) | None => "fixed earlier".to_owned(),
    }
}

/// The kind of a reason in JSON.
pub(super) fn root_kind(root: RootSeen<'_>) -> &'static str {
    match root.reason {
        Some(RootReason::Marker(_)) => "marker",
        Some(RootReason::NoMarker) => "no_marker",
        Some(RootReason::Ceiling(_)) => "ceiling",
        Some(RootReason::Fault(_)) => "fault",
        Some(RootReason::Fixed) => "fixed",
        Some(RootReason::NotBelowFixed { .. }) => "not_below_fixed",
        Some(_) | None => "other",
    }
}
