//! A policy as a table.

use std::num::NonZeroU64;
use std::sync::Arc;

use globset::{Glob, GlobMatcher};
use serde::{Deserialize, Serialize};
use standing_orders_session::InjectorId;

use super::admission::{Admission, AdmissionRequest, Part, SessionPolicy};
use super::condition::{Condition, Sessions};

/// A [`SessionPolicy`] as a table, from code or from configuration, that can narrow what anybody's
/// injector asks for (I2).
///
/// # Precedence
/// 1. Rows are read from the top; the first that fits the request answers, the rest is not read.
/// 2. Where none fits, everything is as it asks.
/// 3. With another policy [below](Self::over), both are asked and the stricter answer counts.
///
/// # It can only narrow
/// A row can deny, give a smaller budget, or keep rows further down from doing so. It cannot make
/// an injector contribute where it does not want to, give it more bytes than it asks for, or turn
/// on what is off.
///
/// # From configuration
/// `[[policy]]` rows (I10): tables, each with these keys, and no others:
///
/// | key | meaning | default |
/// | --- | --- | --- |
/// | `admit` | `allow`, `deny`, or a number: allowed within so many bytes a message, above 0 | required |
/// | `injector` | a glob over injector ids; the workspace loader is `workspace` | `*`: all |
/// | `parts` | `user_global`, `base`, `local`, `nested`, `additional`; `gated` is all of any other injector | all |
/// | `sessions` | `main`, `subagent` or `any` | `any` |
/// | `max_depth` | deepest session it fits; main is 0 | any |
/// | `agents` | presets it fits, `!name` excludes, as for [gated files](crate::plugin::GatedFiles::agents) | all |
/// | `modes` | modes of the host it fits | all |
///
/// ```
/// use standing_orders::plugin::{PolicyRow, PolicyTable, Sessions};
/// use standing_orders::{Budget, Engine, Settings};
///
/// // No subagent sees what the on-call plugin says, and deep ones get a small share of the rest.
/// let table: PolicyTable = serde_json::from_value(serde_json::json!([
///     { "admit": "deny", "injector": "on-call*", "sessions": "subagent" },
///     { "admit": "allow", "max_depth": 1 },
///     { "admit": 4096 },
/// ]))?;
///
/// // The first row in code.
/// let row = PolicyRow::deny().injector("on-call*")?.sessions(Sessions::Subagent);
/// assert_eq!(table.rows()[0], row);
///
/// let engine = Engine::builder(Settings::new(Budget::from_bytes(65_536))).policy(table).build()?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(from = "Vec<PolicyRow>")]
pub struct PolicyTable {
    rows: Vec<PolicyRow>,
    over: Option<Arc<dyn SessionPolicy>>,
}

/// One row of a [`PolicyTable`]: which requests it fits, and its answer. Everything that is said
/// of a row must hold for it to fit; without anything said it fits every request.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Keys", into = "Keys")]
pub struct PolicyRow {
    injector: Pattern,
    /// Empty: all.
    parts: Vec<Part>,
    condition: Condition,
    answer: Admission,
}

/// A glob over injector ids; `None` is every id.
#[derive(Clone, Debug)]
struct Pattern(Option<GlobMatcher>);

/// Why a row cannot be so.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PolicyError {
    /// The pattern of injector ids is not a glob, or blank.
    #[error("policy row: `injector` is {pattern:?}: {message}")]
    BadPattern {
        /// The pattern.
        pattern: String,
        /// What is wrong with it.
        message: String,
    },
    /// A list of parts without any, so the row would never fit.
    #[error(
        "policy row: `parts` is empty, so the row would never fit: name at least one part, or leave it out"
    )]
    NoParts,
    /// No injector that the pattern names has this part, so the row would never fit.
    #[error("policy row: `parts` has {part}, which no injector {pattern:?} has, so the row would never fit")]
    NoSuchPart {
        /// The part.
        part: Part,
        /// The pattern.
        pattern: String,
    },
}

/// The keys of a row.
#[derive(Serialize, Deserialize)]
#[cfg_attr(feature = "config", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
struct Keys {
    /// Whether what fits is admitted: `allow`, `deny`, or a number of bytes a message, above 0.
    admit: Admit,
    /// A glob over injector ids; the workspace loader is `workspace`. Default: `*`, all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    injector: Option<String>,
    /// Which parts of it. Default: all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    parts: Option<Vec<Part>>,
    /// Which sessions. Default: `any`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    sessions: Option<Sessions>,
    /// The deepest session it fits; main is 0. Default: any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    max_depth: Option<u32>,
    /// Agent presets; `!name` excludes. Empty, the default: all.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    agents: Vec<String>,
    /// Modes of the host. Empty, the default: all.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    modes: Vec<String>,
}

#[derive(Serialize, Deserialize)]
#[serde(untagged, expecting = "`admit` is `allow`, `deny`, or a number of bytes, 1 or more")]
enum Admit {
    Word(Word),
    Within(NonZeroU64),
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Word {
    Allow,
    Deny,
}

impl Pattern {
    const fn every() -> Self {
        Self(None)
    }

    fn parse(pattern: &str) -> Result<Self, PolicyError> {
        let bad = |message: String| PolicyError::BadPattern { pattern: pattern.to_owned(), message };
        match pattern {
            "*" => Ok(Self::every()),
            blank if blank.trim().is_empty() => Err(bad("blank, `*` stands for all".to_owned())),
            // Ids are no paths: `*` runs over every character.
            glob => match Glob::new(glob) {
                Ok(glob) => Ok(Self(Some(glob.compile_matcher()))),
                Err(error) => Err(bad(error.kind().to_string())),
            },
        }
    }

    fn as_str(&self) -> &str {
        self.0.as_ref().map_or("*", |matcher| matcher.glob().glob())
    }

    fn matches(&self, id: &str) -> bool {
        self.0.as_ref().is_none_or(|matcher| matcher.is_match(id))
    }
}

impl PartialEq for Pattern {
    fn eq(&self, other: &Self) -> bool {
        self.as_str() == other.as_str()
    }
}

impl Eq for Pattern {}

impl PolicyTable {
    /// These rows, first match first.
    pub fn new(rows: impl IntoIterator<Item = PolicyRow>) -> Self {
        Self { rows: rows.into_iter().collect(), over: None }
    }

    /// Asks `policy` too; of the two answers the stricter counts: a denial, else the smaller
    /// budget. Default: none. Of several the last stands.
    #[must_use]
    pub fn over(self, policy: impl SessionPolicy + 'static) -> Self {
        self.over_shared(Arc::new(policy))
    }

    pub(crate) fn over_shared(mut self, policy: Arc<dyn SessionPolicy>) -> Self {
        self.over = Some(policy);
        self
    }

    /// The rows, in order.
    pub fn rows(&self) -> &[PolicyRow] {
        &self.rows
    }
}

impl PolicyRow {
    /// Admits what fits as it asks, so that no later row narrows it.
    pub fn allow() -> Self {
        Self::new(Admission::Allow)
    }

    /// Admits what fits with this budget, or with its own where that is smaller. The parts of the
    /// workspace share their messages: the smallest of their budgets counts.
    pub fn allow_within(max_bytes: NonZeroU64) -> Self {
        Self::new(Admission::AllowWithin(max_bytes))
    }

    /// Denies what fits: what is in view of it is removed once, and then there is silence.
    pub fn deny() -> Self {
        Self::new(Admission::Deny)
    }

    fn new(answer: Admission) -> Self {
        let condition = Condition { sessions: Sessions::Any, ..Condition::default() };
        Self { injector: Pattern::every(), parts: Vec::new(), condition, answer }
    }

    /// Fits injectors whose id matches this glob, `workspace` for the built-in loader. Default: all.
    ///
    /// # Errors
    /// The pattern is blank or no glob, or no injector it names has one of the [parts](Self::part).
    pub fn injector(self, pattern: impl AsRef<str>) -> Result<Self, PolicyError> {
        let injector = Pattern::parse(pattern.as_ref())?;
        Self { injector, ..self }.checked()
    }

    /// Fits this part only. Default: all.
    ///
    /// # Errors
    /// No injector that the [pattern](Self::injector) names has this part.
    pub fn part(self, part: Part) -> Result<Self, PolicyError> {
        self.parts([part])
    }

    /// Fits these parts only. Default: all.
    ///
    /// # Errors
    /// There is none, or no injector that the [pattern](Self::injector) names has one of them.
    pub fn parts(self, parts: impl IntoIterator<Item = Part>) -> Result<Self, PolicyError> {
        let parts: Vec<Part> = parts.into_iter().collect();
        if parts.is_empty() {
            return Err(PolicyError::NoParts);
        }
        Self { parts, ..self }.checked()
    }

    /// Fits these sessions. Default: [`Sessions::Any`].
    #[must_use]
    pub fn sessions(mut self, sessions: Sessions) -> Self {
        self.condition.sessions = sessions;
        self
    }

    /// Fits sessions down to this depth; main is 0. Default: any.
    #[must_use]
    pub fn max_depth(mut self, depth: u32) -> Self {
        self.condition.max_depth = Some(depth);
        self
    }

    /// Fits these agent presets, by the rules of [`GatedFiles::agents`](crate::plugin::GatedFiles::agents).
    /// Default: all.
    #[must_use]
    pub fn agents<S: Into<String>>(mut self, agents: impl IntoIterator<Item = S>) -> Self {
        self.condition.agents = agents.into_iter().map(Into::into).collect();
        self
    }

    /// Fits while the host is in one of these modes. Default: always.
    #[must_use]
    pub fn modes<S: Into<String>>(mut self, modes: impl IntoIterator<Item = S>) -> Self {
        self.condition.modes = modes.into_iter().map(Into::into).collect();
        self
    }

    /// Whether this row answers the request.
    pub fn fits(&self, request: &AdmissionRequest<'_>) -> bool {
        self.injector.matches(request.injector.as_str())
            && (self.parts.is_empty() || self.parts.contains(&request.part))
            && self.condition.holds(request.header, request.mode)
    }

    fn checked(self) -> Result<Self, PolicyError> {
        let possible = |part: &Part| match part {
            Part::Gated => self.injector.as_str() != InjectorId::WORKSPACE,
            _ => self.injector.matches(InjectorId::WORKSPACE),
        };
        match self.parts.iter().find(|part| !possible(part)) {
            Some(part) => {
                Err(PolicyError::NoSuchPart { part: *part, pattern: self.injector.as_str().to_owned() })
            }
            None => Ok(self),
        }
    }

    /// The injector that it names by its whole id, and not by a pattern.
    pub(crate) fn named(&self) -> Option<&str> {
        let pattern = self.injector.as_str();
        (!pattern.contains(['*', '?', '[', ']', '{', '}', '\\'])).then_some(pattern)
    }
}

impl SessionPolicy for PolicyTable {
    fn admit(&self, request: &AdmissionRequest<'_>) -> Admission {
        let fitting = self.rows.iter().find(|row| row.fits(request));
        let own = fitting.map_or(Admission::Allow, |row| row.answer);
        let other = self.over.as_ref().map_or(Admission::Allow, |policy| policy.admit(request));
        // As much as it asks for, or more, is no change: from anybody, for a table only narrows.
        let narrowed = |answer| match answer {
            Admission::AllowWithin(bytes) if bytes.get() >= request.max_bytes.bytes() => Admission::Allow,
            answer => answer,
        };
        match (narrowed(own), narrowed(other)) {
            (Admission::Deny, _) | (_, Admission::Deny) => Admission::Deny,
            (Admission::AllowWithin(one), Admission::AllowWithin(other)) => {
                Admission::AllowWithin(one.min(other))
            }
            (Admission::Allow, answer) | (answer, Admission::Allow) => answer,
        }
    }
}

impl From<Vec<PolicyRow>> for PolicyTable {
    fn from(rows: Vec<PolicyRow>) -> Self {
        Self::new(rows)
    }
}

impl TryFrom<Keys> for PolicyRow {
    type Error = PolicyError;

    fn try_from(keys: Keys) -> Result<Self, PolicyError> {
        let row = match keys.admit {
            Admit::Word(Word::Allow) => Self::allow(),
            Admit::Within(bytes) => Self::allow_within(bytes),
            Admit::Word(Word::Deny) => Self::deny(),
        };
        let row = row.sessions(keys.sessions.unwrap_or(Sessions::Any)).agents(keys.agents).modes(keys.modes);
        let row = match keys.max_depth {
            Some(depth) => row.max_depth(depth),
            None => row,
        };
        let row = match keys.injector {
            Some(pattern) => row.injector(pattern)?,
            None => row,
        };
        match keys.parts {
            Some(parts) => row.parts(parts),
            None => Ok(row),
        }
    }
}

impl From<PolicyRow> for Keys {
    fn from(row: PolicyRow) -> Self {
        let Condition { sessions, max_depth, agents, modes } = row.condition;
        let admit = match row.answer {
            Admission::Allow => Admit::Word(Word::Allow),
            Admission::AllowWithin(bytes) => Admit::Within(bytes),
            Admission::Deny => Admit::Word(Word::Deny),
        };
        Self {
            admit,
            injector: row.injector.0.map(|matcher| matcher.glob().glob().to_owned()),
            parts: (!row.parts.is_empty()).then_some(row.parts),
            sessions: (sessions != Sessions::Any).then_some(sessions),
            max_depth,
            agents,
            modes,
        }
    }
}

#[cfg(feature = "config")]
impl schemars::JsonSchema for Admit {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Admit".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({
            "anyOf": [{ "type": "string", "enum": ["allow", "deny"] }, { "type": "integer", "minimum": 1 }]
        })
    }
}

#[cfg(feature = "config")]
impl schemars::JsonSchema for PolicyRow {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "PolicyRow".into()
    }

    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        Keys::json_schema(generator)
    }
}
