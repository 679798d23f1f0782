//! A row of the table: what is measured, against what, and what came out.

/// What a measurement comes to, or why it cannot be made.
pub(crate) type Outcome<T> = Result<T, Box<dyn std::error::Error>>;

/// What is measured.
pub(crate) struct Row {
    /// As in the JSON.
    pub(crate) name: &'static str,
    /// The most the value should be.
    pub(crate) limit: f64,
    pub(crate) unit: Unit,
    /// The file system in use; `-` where there is none.
    pub(crate) provider: &'static str,
    /// What it is measured against, in words.
    pub(crate) against: &'static str,
    pub(crate) run: fn(&Scale) -> Outcome<Measured>,
}

/// What the value counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unit {
    Times,
    Trips,
    Bytes,
    Count,
    Nanoseconds,
    Milliseconds,
}

/// What came out.
#[derive(Clone, Debug, Default)]
pub(crate) struct Measured {
    /// `None`: could not be measured here, and `note` says why.
    pub(crate) value: Option<f64>,
    /// The least and the most of all rounds.
    pub(crate) spread: Option<(f64, f64)>,
    /// 1 where the value does not vary.
    pub(crate) rounds: usize,
    /// What else the row promises, where that is not so.
    pub(crate) broken: Option<String>,
    /// Sizes, absolute times, and whatever helps to read the value.
    pub(crate) note: String,
}

/// How much work the rows do.
pub(crate) struct Scale {
    pub(crate) quick: bool,
    /// How many rounds; always odd, so that the median is one of them.
    pub(crate) rounds: usize,
}

impl Unit {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Times => "ratio",
            Self::Trips => "round trips",
            Self::Bytes => "bytes",
            Self::Count => "count",
            Self::Nanoseconds => "ns",
            Self::Milliseconds => "ms",
        }
    }

    pub(crate) fn show(self, value: f64) -> String {
        match self {
            Self::Times => format!("{value:.2}"),
            Self::Bytes | Self::Count => format!("{value:.0}"),
            Self::Trips => format!("{value:.1}"),
            Self::Nanoseconds => format!("{value:.1} ns"),
            Self::Milliseconds => format!("{value:.1} ms"),
        }
    }
}

impl Measured {
    /// A value that does not vary from round to round.
    pub(crate) fn once(value: f64, note: impl Into<String>) -> Self {
        Self { value: Some(value), rounds: 1, note: note.into(), ..Self::default() }
    }

    /// Not measured, for this reason.
    pub(crate) fn missing(why: impl Into<String>) -> Self {
        Self { note: why.into(), ..Self::default() }
    }

    /// With every value times `factor`.
    pub(crate) fn scaled(self, factor: f64) -> Self {
        let value = self.value.map(|value| value * factor);
        let spread = self.spread.map(|(least, most)| (least * factor, most * factor));
        Self { value, spread, ..self }
    }

    pub(crate) fn is_met(&self, row: &Row) -> bool {
        self.broken.is_none() && self.value.is_some_and(|value| value <= row.limit)
    }
}

impl Scale {
    pub(crate) fn new(quick: bool) -> Self {
        Self { quick, rounds: if quick { 9 } else { 15 } }
    }

    /// `full`, or `quick` with `--quick`.
    pub(crate) fn of<T>(&self, full: T, quick: T) -> T {
        if self.quick { quick } else { full }
    }
}
