//! For a pull request.

use super::page::{cell, place, profile, worth_a_row};
use super::{Checked, message};
use crate::check::gather::what_is_lost;
use crate::text::number;

/// The most rows of a table: a comment has its limits.
const ROWS: usize = 50;

pub(crate) fn markdown(checked: &Checked) -> String {
    let mut text = String::from("## Instruction files\n\n");
    text.push_str(&format!("{}.\n", sentence(&checked.tally())));
    if !checked.counted.is_empty() {
        text.push_str("\n| place | code | finding |\n| --- | --- | --- |\n");
        for counted in checked.counted.iter().take(ROWS) {
            let finding = &counted.finding;
            text.push_str(&format!(
                "| {} | {} | {} |\n",
                code(&place(finding)),
                code(finding.code.name()),
                plain(&format!("{}{}", profile(checked, finding), message(counted))),
            ));
        }
        more(&mut text, checked.counted.len());
    }
    let starts = worth_a_row(checked);
    if !starts.is_empty() {
        let profiles = checked.evaluator.profiles.iter();
        let heads: Vec<&str> =
            ["start", "directories"].into_iter().chain(profiles.map(|p| p.name())).collect();
        text.push_str(&format!("\n| {} |\n|{}\n", heads.join(" | "), " --- |".repeat(heads.len())));
        for start in starts.iter().take(ROWS) {
            let cells = start.outcomes.iter().map(cell).map(|cell| format!(" {cell} |"));
            text.push_str(&format!(
                "| {} | {} |{}\n",
                code(&checked.shown(&start.path)),
                number(start.directories),
                cells.collect::<String>(),
            ));
        }
        more(&mut text, starts.len());
    }
    if let Some((commit, changes)) = &checked.since {
        text.push_str(&format!("\n### Since {}\n\n", code(commit)));
        if changes.is_empty() {
            text.push_str("Every starting point is given what it was.\n");
        }
        for change in changes.iter().take(ROWS) {
            text.push_str(&format!(
                "- {} ({}): {} to {} bytes\n",
                code(&checked.shown(&change.start)),
                change.profile.name(),
                number(change.used.0),
                number(change.used.1),
            ));
            for lost in &change.taken {
                let path = code(&checked.shown(&lost.path));
                text.push_str(&format!("  - **taken** {path}: {}\n", plain(&what_is_lost(lost))));
            }
        }
        more(&mut text, changes.len());
    }
    text
}

/// With a capital.
fn sentence(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or_else(String::new, |first| first.to_uppercase().collect::<String>() + chars.as_str())
}

fn more(text: &mut String, all: usize) {
    if let Some(left) = all.checked_sub(ROWS).filter(|left| *left > 0) {
        text.push_str(&format!("\nand {} more\n", number(left as u64)));
    }
}

/// A code span that holds whatever backticks there are, and ends no cell.
fn code(text: &str) -> String {
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let marks = "`".repeat(longest + 1);
    let blank = if longest > 0 { " " } else { "" };
    format!("{marks}{blank}{}{blank}{marks}", text.replace('|', "\\|"))
}

/// Text without meaning to Markdown.
fn plain(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '<' => plain.push_str("&lt;"),
            '>' => plain.push_str("&gt;"),
            '&' => plain.push_str("&amp;"),
            '\\' | '`' | '*' | '_' | '[' | ']' | '|' | '#' | '~' => plain.extend(['\\', c]),
            // No mention of anybody.
            '@' => plain.push_str("@\u{2060}"),
            _ => plain.push(c),
        }
    }
    plain
}
