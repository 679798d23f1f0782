//! The command line.

use std::ffi::OsString;

use crate::figure::{Outcome, Row};

/// What a run is asked for.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Arguments {
    /// One JSON object instead of a table.
    pub(crate) json: bool,
    /// Smaller sizes: all rows in less than a minute.
    pub(crate) quick: bool,
    /// A missed limit makes the exit code 1.
    pub(crate) check: bool,
    only: Vec<String>,
}

/// Measure, or just say something.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Asked {
    Run(Arguments),
    Text(String),
}

impl Arguments {
    pub(crate) fn wants(&self, name: &str) -> bool {
        self.only.is_empty() || self.only.iter().any(|only| only == name)
    }
}

const HELP: &str = "\
Ratios against stated limits, measured in one run.

Usage: standing-orders-bench [OPTIONS]

Options:
      --json         One JSON object: {\"ratios\": {NAME: {\"value\": …, \"limit\": …, …}}, …}
      --quick        Smaller sizes, under 60 seconds in total
      --only <NAME>  This row alone; may be given several times
      --check        Exit with 1 when a limit is missed or a row could not be measured
      --list         The names of the rows, with their limits
  -h, --help         This text

Exit code: 0 measured, whatever the figures; 1 a limit is missed, with --check; 2 could not run.
";

/// Reads the arguments, the program's own name left out.
pub(crate) fn parse(arguments: &[OsString], rows: &[Row]) -> Outcome<Asked> {
    let mut asked = Arguments::default();
    let mut arguments = arguments.iter().map(|argument| argument.to_string_lossy());
    while let Some(argument) = arguments.next() {
        match argument.as_ref() {
            "--json" => asked.json = true,
            "--quick" => asked.quick = true,
            "--check" => asked.check = true,
            "--only" => {
                let name = arguments.next().ok_or("--only needs the name of a row")?;
                asked.only.push(known(&name, rows)?);
            }
            "--list" => return Ok(Asked::Text(list(rows))),
            "-h" | "--help" => return Ok(Asked::Text(HELP.to_owned())),
            other => match other.strip_prefix("--only=") {
                Some(name) => asked.only.push(known(name, rows)?),
                None => return Err(format!("no such option: {other:?}; see --help").into()),
            },
        }
    }
    Ok(Asked::Run(asked))
}

fn known(name: &str, rows: &[Row]) -> Outcome<String> {
    if rows.iter().any(|row| row.name == name) {
        return Ok(name.to_owned());
    }
    let names: Vec<&str> = rows.iter().map(|row| row.name).collect();
    Err(format!("no row is named {name:?}; there are {}", names.join(", ")).into())
}

fn list(rows: &[Row]) -> String {
    let width = rows.iter().map(|row| row.name.len()).max().unwrap_or(0);
    rows.iter().map(|row| format!("{:width$}  ≤ {}\n", row.name, row.unit.show(row.limit))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::figures::ALL;

    fn asked(arguments: &[&str]) -> Result<Asked, String> {
        let arguments: Vec<OsString> = arguments.iter().map(OsString::from).collect();
        parse(&arguments, ALL).map_err(|error| error.to_string())
    }

    #[test]
    fn every_row_is_wanted_unless_some_are_named() {
        let Ok(Asked::Run(all)) = asked(&["--quick", "--json"]) else { panic!("that is a run") };
        assert!(ALL.iter().all(|row| all.wants(row.name)), "nothing named: all of them");
        let Ok(Asked::Run(two)) = asked(&["--only", "digest", "--only=replay"]) else {
            panic!("that is a run")
        };
        let wanted: Vec<_> = ALL.iter().map(|row| row.name).filter(|name| two.wants(name)).collect();
        assert_eq!(wanted, ["digest", "replay"], "only the rows named");
    }

    #[test]
    fn what_is_not_understood_is_refused_by_name() {
        let rows: [(&str, &[&str], &str); 4] = [
            ("unknown option", &["--fast"], "--fast"),
            ("unknown row", &["--only", "speed"], "speed"),
            ("unknown row in another script", &["--only", "schnellö"], "schnellö"),
            ("no name", &["--only"], "--only needs"),
        ];
        for (row, arguments, names) in rows {
            let error = asked(arguments).expect_err(row);
            assert!(error.contains(names), "{row}: {error}");
        }
    }
}
