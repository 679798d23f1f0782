//! For people.

use anstyle::{AnsiColor, Style};

use super::{Checked, message};
use crate::check::finding::{Finding, Severity};
use crate::check::gather::{Start, what_is_lost};
use crate::check::outcome::Outcome;
use crate::check::profile::Profile;
use crate::text::{count, number, pad, width};

const BOLD: Style = Style::new().bold();
const RED: Style = AnsiColor::Red.on_default().bold();
const YELLOW: Style = AnsiColor::Yellow.on_default().bold();
const DIM: Style = Style::new().dimmed();

/// The most starting points that the table shows.
const ROWS: usize = 40;

/// Findings, then what each starting point is given where that is worth a table.
pub(crate) fn page(checked: &Checked) -> String {
    let mut page = String::new();
    for counted in &checked.counted {
        let finding = &counted.finding;
        let style = match finding.code.severity() {
            Severity::Error => RED,
            Severity::Warning => YELLOW,
        };
        page.push_str(&format!(
            "{BOLD}{}{BOLD:#}: {style}{}[{}]{style:#}: {}{}\n",
            place(finding),
            finding.code.severity().name(),
            finding.code.name(),
            profile(checked, finding),
            message(counted),
        ));
    }
    let starts = worth_a_row(checked);
    if !starts.is_empty() {
        if !page.is_empty() {
            page.push('\n');
        }
        table(checked, &starts, &mut page);
    }
    if let Some((commit, changes)) = &checked.since {
        if !page.is_empty() {
            page.push('\n');
        }
        page.push_str(&format!("{BOLD}Since {commit}{BOLD:#}\n"));
        if changes.is_empty() {
            page.push_str("  every starting point is given what it was\n");
        }
        for change in changes {
            page.push_str(&format!(
                "  {} ({}): {} to {} bytes\n",
                checked.shown(&change.start),
                change.profile.name(),
                number(change.used.0),
                number(change.used.1),
            ));
            for lost in &change.taken {
                let path = checked.shown(&lost.path);
                page.push_str(&format!("    {RED}taken{RED:#} {path}: {}\n", what_is_lost(lost)));
            }
        }
    }
    page
}

/// `path:line:column`.
pub(super) fn place(finding: &Finding) -> String {
    let mut place = finding.path.clone();
    for number in [finding.line, finding.column.filter(|_| finding.line.is_some())].into_iter().flatten() {
        place.push_str(&format!(":{number}"));
    }
    place
}

/// Whose rules it is about, where more than ours count.
pub(super) fn profile(checked: &Checked, finding: &Finding) -> String {
    match finding.profile {
        Some(profile) if checked.evaluator.profiles != [Profile::Ours] => format!("{}: ", profile.name()),
        _ => String::new(),
    }
}

/// With several profiles all starting points, else those that lose something or nearly do.
pub(super) fn worth_a_row(checked: &Checked) -> Vec<&Start> {
    let several = checked.evaluator.profiles.len() > 1;
    let loses = |outcome: &Outcome| !outcome.lost.is_empty() || outcome.is_near(checked.evaluator.warn_at);
    let starts = checked.scan.starts.iter();
    starts.filter(|start| several || start.outcomes.iter().any(loses)).collect()
}

/// What a cell says of one outcome.
pub(super) fn cell(outcome: &Outcome) -> String {
    let mut cell = match outcome.limit {
        Some(limit) => format!("{} of {}", number(outcome.used), number(limit)),
        None => number(outcome.used),
    };
    if !outcome.lost.is_empty() {
        cell.push_str(&format!(", loses {}", number(outcome.lost_bytes())));
    }
    cell
}

fn table(checked: &Checked, starts: &[&Start], page: &mut String) {
    let mut rows: Vec<Vec<String>> = vec![
        ["start", "directories"]
            .into_iter()
            .chain(checked.evaluator.profiles.iter().map(|profile| profile.name()))
            .map(str::to_owned)
            .collect(),
    ];
    for start in starts.iter().take(ROWS) {
        let mut row = vec![checked.shown(&start.path), number(start.directories)];
        row.extend(start.outcomes.iter().map(cell));
        rows.push(row);
    }
    let columns = rows.first().map_or(0, Vec::len);
    let widths: Vec<usize> = (0..columns)
        .map(|column| {
            rows.iter().filter_map(|row| row.get(column)).map(|cell| width(cell)).max().unwrap_or(0)
        })
        .collect();
    for (index, row) in rows.iter().enumerate() {
        let style = if index == 0 { BOLD } else { Style::new() };
        let mut line = String::new();
        for (column, (cell, columns)) in row.iter().zip(&widths).enumerate() {
            match column {
                0 => line.push_str(&format!("{cell}{}", pad(cell, *columns))),
                _ => line.push_str(&format!("  {}{cell}", pad(cell, *columns))),
            }
        }
        page.push_str(&format!("{style}{}{style:#}\n", line.trim_end()));
    }
    if let Some(more) = starts.len().checked_sub(ROWS).filter(|more| *more > 0) {
        let more = count(more, "starting point", "starting points");
        page.push_str(&format!("{DIM}and {more} more: --json has them all{DIM:#}\n"));
    }
}
