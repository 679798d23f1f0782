//! A report in the making: rows that can still change.

use std::sync::Arc;

use standing_orders_discovery::{CandidateNames, RootReason, Why};
use standing_orders_fs::FsError;
use standing_orders_session::PathRef;

use super::{Counts, Fate, Looked, Problem, Report, packed};
use crate::Engine;
use crate::road::Rooted;

/// What a pre-step writes its report in.
#[derive(Debug, Default)]
pub(crate) struct Draft {
    /// How the root was found, where this pre-step found it.
    pub(crate) found: Option<Box<Found>>,
    pub(crate) rows: Rows,
    pub(crate) details: Vec<Detail>,
    pub(crate) problems: Vec<Problem>,
    pub(crate) counts: Counts,
}

/// How the root was found (D1).
#[derive(Clone, Debug)]
pub(crate) struct Found {
    pub(crate) reason: RootReason,
    pub(crate) from_history: bool,
    pub(crate) outer: Option<std::path::PathBuf>,
}

/// Rows, and the text of their places.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Rows {
    pub(crate) text: String,
    pub(crate) list: Vec<Row>,
}

/// A candidate and its fate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Row {
    /// The place, as a range of the text.
    pub(crate) at: (u32, u32),
    pub(crate) name: Name,
    pub(crate) injector: u16,
    pub(crate) looked: Looked,
    pub(crate) fate: Code,
}

/// The rest of a row's path: the number of a candidate of the lists, or one of the two below.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Name(pub(super) u16);

impl Name {
    /// The user-global file.
    pub(crate) const USER_GLOBAL: Self = Self(u16::MAX);
    /// The place is all of it.
    pub(crate) const WHOLE: Self = Self(u16::MAX - 1);

    pub(crate) fn candidate(number: usize) -> Self {
        Self(u16::try_from(number).unwrap_or(u16::MAX - 2))
    }
}

/// A fate in few bytes; numbers are of rows, or of details.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Code {
    Absent,
    NotAFile,
    ShadowedBy(u32),
    DuplicateOf(u32),
    SameFileAs(u32),
    Detail(u32),
    Held,
    Frozen,
    Blocked,
    Unchanged,
    Removed,
    Omitted,
    StillOmitted,
    LeftOut,
    Waits,
    Unfit,
    Denied,
    Excluded,
}

#[derive(Clone, Debug)]
pub(crate) enum Detail {
    Failed(FsError),
    Unavailable(Why),
    Set(u64),
    Replaced(u64),
    Truncated(u64, u64),
}

impl Rows {
    pub(crate) fn dir(&self, row: &Row) -> &str {
        self.text.get(row.at.0 as usize..row.at.1 as usize).unwrap_or("")
    }

    /// As shown to the model (D11).
    pub(crate) fn path<'r>(&'r self, row: &Row, names: &'r CandidateNames) -> PathRef<'r> {
        let dir = self.dir(row);
        match row.name {
            Name::WHOLE => PathRef::whole(dir),
            Name::USER_GLOBAL => PathRef { dir, name: "AGENTS.md" },
            Name(number) => PathRef { dir, name: names.get(usize::from(number)).unwrap_or("") },
        }
    }

    /// Keeps the text of a place.
    pub(crate) fn place(&mut self, text: &str) -> (u32, u32) {
        let start = u32::try_from(self.text.len()).unwrap_or(u32::MAX);
        self.text.push_str(text);
        (start, u32::try_from(self.text.len()).unwrap_or(u32::MAX))
    }
}

impl Draft {
    /// Adds a row at a place of the text.
    pub(crate) fn push(&mut self, at: (u32, u32), name: Name, injector: usize, looked: Looked, fate: Code) {
        let injector = u16::try_from(injector).unwrap_or(u16::MAX);
        self.rows.list.push(Row { at, name, injector, looked, fate });
    }

    pub(crate) fn detail(&mut self, detail: Detail) -> Code {
        self.details.push(detail);
        Code::Detail(u32::try_from(self.details.len() - 1).unwrap_or(u32::MAX))
    }

    /// The report, in few bytes: a session keeps its last one.
    pub(crate) fn finish(self, engine: &Engine, rooted: Option<&Arc<Rooted>>) -> Report {
        let Self { found, rows, details, problems, counts } = self;
        let rooted = rooted.cloned();
        let base = rooted.as_deref().map_or("", Rooted::at);
        let rows = packed::pack(&rows, base);
        let beside = !(details.is_empty() && problems.is_empty());
        let beside = beside.then(|| Box::new(super::Beside { details, problems }));
        Report { engine: engine.clone(), rooted, found, rows, beside, counts }
    }
}

/// The fate that a code stands for.
pub(super) fn decode(code: Code, details: &[Detail], path_of: impl Fn(u32) -> String) -> Fate {
    match code {
        Code::Absent => Fate::Absent,
        Code::NotAFile => Fate::NotAFile,
        Code::ShadowedBy(row) => Fate::ShadowedBy(path_of(row)),
        Code::DuplicateOf(row) => Fate::DuplicateOf(path_of(row)),
        Code::SameFileAs(row) => Fate::SameFileAs(path_of(row)),
        Code::Held => Fate::Held,
        Code::Frozen => Fate::Frozen,
        Code::Blocked => Fate::Blocked,
        Code::Unchanged => Fate::Unchanged,
        Code::Removed => Fate::Removed,
        Code::Omitted => Fate::Omitted,
        Code::StillOmitted => Fate::StillOmitted,
        Code::LeftOut => Fate::LeftOut,
        Code::Waits => Fate::Waits,
        Code::Unfit => Fate::Unfit,
        Code::Denied => Fate::Denied,
        Code::Excluded => Fate::Excluded,
        Code::Detail(at) => match details.get(at as usize) {
            None => Fate::Absent,
            Some(Detail::Failed(error) | Detail::Unavailable(Why::Unreadable(error))) => {
                Fate::Unavailable(error.clone())
            }
            Some(Detail::Unavailable(Why::TooLarge { len, cap })) => Fate::TooLarge { len: *len, cap: *cap },
            Some(Detail::Unavailable(Why::NotText)) => Fate::NotText,
            Some(Detail::Unavailable(_)) => Fate::Changing,
            Some(Detail::Set(bytes)) => Fate::Set { bytes: *bytes },
            Some(Detail::Replaced(bytes)) => Fate::Replaced { bytes: *bytes },
            Some(Detail::Truncated(from, to)) => Fate::Truncated { from: *from, to: *to },
        },
    }
}
