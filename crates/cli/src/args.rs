//! What can be said on the command line, to every subcommand or to several.

use std::num::{IntErrorKind, ParseIntError};
use std::path::PathBuf;

use clap::{Args, ValueEnum};

#[derive(Debug, Args)]
pub(crate) struct Global {
    /// When to use colours; NO_COLOR is respected
    #[arg(long, value_name = "WHEN", default_value = "auto", global = true, help_heading = "Global options")]
    pub(crate) color: Color,
    /// Configuration file, in place of the nearest standing-orders.toml upward
    #[arg(long, value_name = "FILE", global = true, help_heading = "Global options")]
    pub(crate) config: Option<PathBuf>,
    /// Say on standard error which configuration is used
    #[arg(short, long, global = true, help_heading = "Global options")]
    pub(crate) verbose: bool,
    /// Nothing on standard error but errors: no warnings and no hints
    #[arg(short, long, global = true, conflicts_with = "verbose", help_heading = "Global options")]
    pub(crate) quiet: bool,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum Color {
    Auto,
    Always,
    Never,
}

impl Color {
    pub(crate) fn write_global(self) {
        let choice = match self {
            Self::Auto => anstream::ColorChoice::Auto,
            Self::Always => anstream::ColorChoice::Always,
            Self::Never => anstream::ColorChoice::Never,
        };
        choice.write_global();
    }
}

/// Which session is meant.
#[derive(Debug, Args)]
pub(crate) struct SessionArgs {
    /// Where the session starts; a file: a session at the root of its project that touches it
    #[arg(default_value = ".")]
    pub(crate) path: PathBuf,
    /// A path that a tool of the session touches, relative to where the session starts; repeatable
    #[arg(long, value_name = "PATH")]
    pub(crate) touch: Vec<PathBuf>,
    /// The session's class: main, subagent, or subagent:DEPTH
    #[arg(long, value_name = "CLASS", default_value = "main", value_parser = Class::parse)]
    pub(crate) class: Class,
    /// The session's agent preset
    #[arg(long, value_name = "NAME")]
    pub(crate) agent: Option<String>,
    /// The mode the host is in
    #[arg(long, value_name = "NAME")]
    pub(crate) mode: Option<String>,
    /// Bytes a block of instructions may have; 0 turns loading off [default: as configured, else 65536]
    #[arg(long, value_name = "BYTES", value_parser = bytes, allow_negative_numbers = true)]
    pub(crate) max_bytes: Option<u64>,
    /// Which candidates of a directory count [default: as configured, else first]
    #[arg(long, value_name = "RULE", value_parser = ["first", "all_distinct"])]
    pub(crate) selection: Option<String>,
    /// What gives way over budget [default: as configured, else drop]
    #[arg(long, value_name = "RULE", value_parser = ["drop", "trim"])]
    pub(crate) overflow: Option<String>,
    /// Folder of the user-global AGENTS.md, a profile (dsh), or none [default: as configured, else dsh]
    #[arg(long, value_name = "DIR|none")]
    pub(crate) home: Option<PathBuf>,
}

/// The class of a session, as it is said here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Class {
    Main,
    Subagent { depth: u32 },
}

impl Class {
    fn parse(text: &str) -> Result<Self, String> {
        let depth = match (text, text.strip_prefix("subagent:")) {
            ("main", _) => return Ok(Self::Main),
            ("subagent", _) => Some(1),
            (_, Some(depth)) => match depth.parse() {
                Err(error) if is_above(&error) => {
                    return Err(format!("expected a depth of at most {}", u32::MAX));
                }
                depth => depth.ok().filter(|depth| *depth > 0),
            },
            _ => None,
        };
        let depth = depth.ok_or("expected main, subagent, or subagent:DEPTH with a depth of at least 1")?;
        Ok(Self::Subagent { depth })
    }
}

pub(crate) fn bytes(text: &str) -> Result<u64, String> {
    text.parse().map_err(|error| match is_above(&error) {
        true => format!("expected a whole number of bytes, at most {}", u64::MAX),
        false => "expected a whole number of bytes, 0 or more".to_owned(),
    })
}

fn is_above(error: &ParseIntError) -> bool {
    *error.kind() == IntErrorKind::PosOverflow
}
