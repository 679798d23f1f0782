//! What is printed.

use std::fmt::Write;

use serde_json::{Value, json};

use crate::figure::{Measured, Row, Unit};

/// All rows of a run.
pub(crate) struct Report {
    quick: bool,
    rows: Vec<Line>,
}

struct Line {
    name: &'static str,
    limit: f64,
    unit: Unit,
    provider: &'static str,
    against: &'static str,
    met: bool,
    measured: Measured,
}

impl Report {
    pub(crate) fn new(quick: bool) -> Self {
        Self { quick, rows: Vec::new() }
    }

    pub(crate) fn push(&mut self, row: &Row, measured: Measured) {
        let Row { name, limit, unit, provider, against, .. } = *row;
        let met = measured.is_met(row);
        self.rows.push(Line { name, limit, unit, provider, against, met, measured });
    }

    pub(crate) fn all_met(&self) -> bool {
        self.rows.iter().all(|line| line.met)
    }

    /// `{"ratios": {NAME: {"value", "limit", "met", "unit", "against", "provider", "rounds",
    /// "spread", "note", "broken"?}}, "quick", "machine"}`. A value is null where the row could not
    /// be measured, and the note says why.
    pub(crate) fn json(&self) -> String {
        let ratios = self.rows.iter().map(|line| (line.name.to_owned(), line.json()));
        let object = json!({
            "ratios": ratios.collect::<serde_json::Map<_, _>>(),
            "quick": self.quick,
            "machine": machine(),
        });
        format!("{object:#}\n")
    }

    /// A table for people, with a line of words a row below it.
    pub(crate) fn table(&self) -> String {
        let mut cells =
            vec![["figure", "value", "limit", "", "spread", "rounds", "provider"].map(str::to_owned)];
        cells.extend(self.rows.iter().map(Line::cells));
        let mut text = aligned(&cells);
        text.push('\n');
        for line in &self.rows {
            let Measured { note, broken, .. } = &line.measured;
            let _ = writeln!(text, "{}: against {}.", line.name, line.against);
            if let Some(broken) = broken {
                let _ = writeln!(text, "    MISSED: {broken}.");
            }
            if !note.is_empty() {
                let _ = writeln!(text, "    {note}.");
            }
        }
        let sizes = if self.quick { ", small sizes (--quick)" } else { "" };
        let _ = writeln!(text, "\nmedians of rounds in which the two sides take turns; {}{sizes}", machine());
        text
    }
}

impl Line {
    fn json(&self) -> Value {
        let Measured { value, spread, rounds, broken, note } = &self.measured;
        let mut object = json!({
            "value": value,
            "limit": self.limit,
            "met": self.met,
            "unit": self.unit.name(),
            "against": self.against,
            "provider": self.provider,
            "rounds": rounds,
            "spread": spread.map(|(least, most)| [least, most]),
            "note": note,
        });
        if let (Some(broken), Some(object)) = (broken, object.as_object_mut()) {
            object.insert("broken".to_owned(), broken.as_str().into());
        }
        object
    }

    fn cells(&self) -> [String; 7] {
        let Self { unit, measured, .. } = self;
        let verdict = match (self.met, measured.value) {
            (true, _) => "ok",
            (false, Some(_)) => "MISSED",
            (false, None) => "not measured",
        };
        let spread = measured.spread.map(|(least, most)| format!("{}–{}", unit.show(least), unit.show(most)));
        [
            self.name.to_owned(),
            measured.value.map_or_else(|| "-".to_owned(), |value| unit.show(value)),
            format!("≤ {}", unit.show(self.limit)),
            verdict.to_owned(),
            spread.unwrap_or_else(|| "-".to_owned()),
            measured.rounds.to_string(),
            self.provider.to_owned(),
        ]
    }
}

/// Columns under each other, by characters; numbers to the right.
fn aligned<const COLUMNS: usize>(rows: &[[String; COLUMNS]]) -> String {
    let mut widths = [0; COLUMNS];
    for row in rows {
        for (width, cell) in widths.iter_mut().zip(row) {
            *width = cell.chars().count().max(*width);
        }
    }
    let mut text = String::new();
    for row in rows {
        let mut line = String::new();
        for (column, (cell, width)) in row.iter().zip(widths).enumerate() {
            let _ = match column {
                1 | 2 | 5 => write!(line, "{cell:>width$}  "),
                _ => write!(line, "{cell:<width$}  "),
            };
        }
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text
}

/// The class of machine: no names.
fn machine() -> String {
    let cores = std::thread::available_parallelism().map_or(0, std::num::NonZero::get);
    format!("{} {}, {cores} cores", std::env::consts::OS, std::env::consts::ARCH)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_stand_under_each_other_whatever_the_script() {
        let rows = [["größe", "1", "≤ 2"], ["a", "10.5", "≤ 20"]].map(|row| row.map(str::to_owned));
        assert_eq!(aligned(&rows), "größe     1   ≤ 2\na      10.5  ≤ 20\n");
    }
}
