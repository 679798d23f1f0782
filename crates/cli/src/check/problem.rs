//! What is wrong with a file at a starting point.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::finding::{Code, Finding};
use super::gather::one_line;
use super::outcome::Outcome;
use super::profile::Profile;
use crate::text::number;

/// What one profile makes of one starting point.
#[derive(Debug, Default)]
pub(super) struct Evaluated {
    pub(super) outcome: Outcome,
    pub(super) problems: Vec<(PathBuf, Problem)>,
    /// What is here counts here alone: a session that starts in a folder below begins its chain there (D1).
    pub(super) alone: bool,
}

#[derive(Debug)]
pub(super) enum Problem {
    TooLarge { len: u64, cap: u64 },
    NotText,
    Unreadable(String),
    ImportDangling(Import),
    ImportTooDeep(Import),
    NotRead { by: Arc<Path> },
}

/// An import, where it stands.
#[derive(Clone, Debug)]
pub(super) struct Import {
    pub(super) line: usize,
    pub(super) column: usize,
    pub(super) target: String,
}

impl Problem {
    /// As a finding about `path`; `shown` says how another path is written.
    pub(super) fn finding(&self, profile: Profile, path: String, shown: impl Fn(&Path) -> String) -> Finding {
        match self {
            Self::TooLarge { len, cap } => {
                let message =
                    format!("{} bytes, and a file of more than {} is not read", number(*len), number(*cap));
                Finding::new(Code::TooLarge, path, message).of(profile).about("", *len)
            }
            Self::NotText => {
                Finding::new(Code::NotText, path, "not text: it has NUL in its first 8 KiB".to_owned())
            }
            Self::Unreadable(reason) => Finding::new(Code::Unreadable, path, reason.clone()),
            Self::ImportDangling(import) => {
                let message = format!("imports @{}, which is not there", one_line(&import.target));
                Finding::new(Code::ImportDangling, path, message)
                    .at(import.line, import.column)
                    .about(&*import.target, 1)
            }
            Self::ImportTooDeep(import) => {
                let message =
                    format!("imports @{}, deeper than imports are followed", one_line(&import.target));
                Finding::new(Code::ImportTooDeep, path, message)
                    .of(profile)
                    .at(import.line, import.column)
                    .about(&*import.target, 1)
            }
            Self::NotRead { by } => {
                let message = format!("not read, for {} is there and does not import it", shown(by));
                Finding::new(Code::NotRead, path, message).of(profile)
            }
        }
    }
}
