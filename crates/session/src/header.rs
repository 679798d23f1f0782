//! Who a session is: written once, before its first event.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;

use crate::SessionClass;
use crate::stored_path::StoredPath;

/// The form this crate writes, and the newest it reads.
const FORMAT: u32 = 1;

/// Who a session is (H1, I1). Never changes once it is stored.
///
/// Built by [`main`](Self::main) or [`child_of`](Self::child_of) only, so that a subagent cannot
/// be started without its class. A header that was stored is read as it stands: where `origin`
/// and depth disagree there, either is enough for a subagent ([`class`](Self::class)).
///
/// ```
/// use standing_orders_session::{SessionClass, SessionHeader};
///
/// let main = SessionHeader::main("s1", 1_767_225_600_000).with_cwd("/ws").with_agent_preset("coder");
/// let child = SessionHeader::child_of(&main, "s2", 1_767_225_601_000)?;
/// assert_eq!(child.class(), SessionClass::Subagent { depth: 1 });
/// assert_eq!(child.cwd(), main.cwd());
/// # Ok::<(), standing_orders_session::HeaderError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SessionHeader {
    id: Box<str>,
    created_at: u64,
    cwd: Option<Arc<Path>>,
    /// `None` where all of it is as by default: there are many sessions, and few have any of it.
    more: Option<Box<More>>,
    origin: Option<Origin>,
    delegation_depth: u32,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct More {
    additional_directories: Vec<AdditionalDirectory>,
    parent_session: Option<Box<str>>,
    seed_length: u64,
    agent_preset: Option<Box<str>>,
}

/// Where a session comes from, if not from a person or a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Origin {
    /// Another session started it.
    Subagent,
}

/// A directory beside cwd whose instructions belong to the session (D13).
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct AdditionalDirectory {
    /// The directory, absolute.
    pub path: PathBuf,
    /// When its chain is loaded.
    pub load: DirectoryLoad,
}

/// When the chain of an additional directory is loaded (D13).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum DirectoryLoad {
    /// With the main chain.
    #[default]
    Eager,
    /// Once a tool touched a path in it.
    OnTouch,
}

/// Why there is no such header.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum HeaderError {
    /// Written by a newer version of this crate.
    #[error("the header has format {found}, and {supported} is the newest that is known here")]
    Newer {
        /// The stored format.
        found: u64,
        /// The newest this crate reads.
        supported: u32,
    },
    /// An origin that this crate does not know, so that it cannot say what the session may see.
    #[error("the header has the origin {origin:?}, and only \"subagent\" is known")]
    UnknownOrigin {
        /// As stored.
        origin: String,
    },
    /// The child would stand deeper than allowed (I1).
    #[error("a subagent at depth {depth} is refused: the deepest allowed is {max_depth}")]
    TooDeep {
        /// Of the child that was asked for.
        depth: u32,
        /// The deepest allowed.
        max_depth: u32,
    },
    /// Not a header at all.
    #[error("not a session header: {reason}")]
    Malformed {
        /// What is missing or wrong.
        reason: String,
    },
}

impl SessionHeader {
    /// The deepest child that [`child_of`](Self::child_of) allows.
    pub const MAX_DEPTH: u32 = 3;

    /// The header of a session that a person or a program starts.
    ///
    /// `id` is the host's own. `created_at` is in milliseconds since the Unix epoch, a value of
    /// the host: no clock is read here.
    pub fn main(id: impl Into<String>, created_at: u64) -> Self {
        let id = id.into().into_boxed_str();
        Self { id, created_at, cwd: None, more: None, origin: None, delegation_depth: 0 }
    }

    /// With something of the rest changed.
    fn with(mut self, change: impl FnOnce(&mut More)) -> Self {
        let mut more = self.more.take().unwrap_or_default();
        change(&mut more);
        self.more = (*more != More::default()).then_some(more);
        self
    }

    /// The header of a session that `parent` starts: origin, parent and depth are set, cwd and
    /// agent preset are the parent's until set otherwise. Additional directories are not
    /// inherited. At most [`MAX_DEPTH`](Self::MAX_DEPTH) deep.
    ///
    /// # Errors
    /// [`HeaderError::TooDeep`].
    pub fn child_of(parent: &Self, id: impl Into<String>, created_at: u64) -> Result<Self, HeaderError> {
        Self::child_of_within(parent, id, created_at, Some(Self::MAX_DEPTH))
    }

    /// [`child_of`](Self::child_of) with a limit of the host's: `max_depth` is the deepest child
    /// allowed, `None` lifts the limit.
    ///
    /// # Errors
    /// [`HeaderError::TooDeep`].
    pub fn child_of_within(
        parent: &Self,
        id: impl Into<String>,
        created_at: u64,
        max_depth: Option<u32>,
    ) -> Result<Self, HeaderError> {
        let depth = parent.class().depth().saturating_add(1);
        if let Some(max_depth) = max_depth.filter(|max_depth| depth > *max_depth) {
            return Err(HeaderError::TooDeep { depth, max_depth });
        }
        let child = Self {
            cwd: parent.cwd.clone(),
            origin: Some(Origin::Subagent),
            delegation_depth: depth,
            ..Self::main(id, created_at)
        };
        Ok(child.with(|more| {
            more.parent_session = Some(parent.id.clone());
            more.agent_preset = parent.agent_preset().map(Box::from);
        }))
    }

    /// With this working directory, which should be absolute: it is stored as it is given. A
    /// session without one gets no workspace instructions (D2).
    #[must_use]
    pub fn with_cwd(mut self, cwd: impl Into<PathBuf>) -> Self {
        self.cwd = Some(cwd.into().into());
        self
    }

    /// Without a working directory, also for a child whose parent has one.
    #[must_use]
    pub fn without_cwd(mut self) -> Self {
        self.cwd = None;
        self
    }

    /// With these directories beside cwd, in this order (D13). Default: none.
    #[must_use]
    pub fn with_additional_directories(
        self,
        directories: impl IntoIterator<Item = AdditionalDirectory>,
    ) -> Self {
        self.with(|more| more.additional_directories = directories.into_iter().collect())
    }

    /// The first `length` events were copied from another session, as in a fork. Default: 0.
    #[must_use]
    pub fn with_seed_length(self, length: u64) -> Self {
        self.with(|more| more.seed_length = length)
    }

    /// A main session that continues another, as a fork does. A child has its parent already.
    #[must_use]
    pub fn with_parent_session(self, id: impl Into<String>) -> Self {
        self.with(|more| more.parent_session = Some(id.into().into()))
    }

    /// With this agent preset: what gated files select by (I4).
    #[must_use]
    pub fn with_agent_preset(self, name: impl Into<String>) -> Self {
        self.with(|more| more.agent_preset = Some(name.into().into()))
    }

    /// Without an agent preset, also for a child whose parent has one.
    #[must_use]
    pub fn without_agent_preset(self) -> Self {
        self.with(|more| more.agent_preset = None)
    }

    /// The host's identity of the session.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// Milliseconds since the Unix epoch, by the host's clock.
    pub const fn created_at(&self) -> u64 {
        self.created_at
    }

    /// The working directory.
    pub fn cwd(&self) -> Option<&Path> {
        self.cwd.as_deref()
    }

    /// The working directory, to be kept without a copy.
    pub fn shared_cwd(&self) -> Option<Arc<Path>> {
        self.cwd.clone()
    }

    /// The directories beside it, in order (D13).
    pub fn additional_directories(&self) -> &[AdditionalDirectory] {
        self.more.as_ref().map_or(&[], |more| &more.additional_directories)
    }

    /// The session that started this one, or that it continues.
    pub fn parent_session(&self) -> Option<&str> {
        self.more.as_ref()?.parent_session.as_deref()
    }

    /// How many of the first events were copied from another session.
    pub fn seed_length(&self) -> u64 {
        self.more.as_ref().map_or(0, |more| more.seed_length)
    }

    /// Where it comes from, as stored.
    pub const fn origin(&self) -> Option<Origin> {
        self.origin
    }

    /// How deep it was delegated, as stored. See [`class`](Self::class).
    pub const fn delegation_depth(&self) -> u32 {
        self.delegation_depth
    }

    /// The agent preset.
    pub fn agent_preset(&self) -> Option<&str> {
        self.more.as_ref()?.agent_preset.as_deref()
    }

    /// The class (I1): a subagent when the origin says so or the depth is above 0, and then at
    /// least 1 deep.
    pub fn class(&self) -> SessionClass {
        match (self.origin, self.delegation_depth) {
            (None, 0) => SessionClass::Main,
            (Some(Origin::Subagent), depth) | (None, depth) => SessionClass::Subagent { depth: depth.max(1) },
        }
    }

    /// From its stored form. The format is looked at first, so a newer one is named as such
    /// whatever else it holds; unknown members are ignored.
    ///
    /// # Errors
    /// [`HeaderError`] for a newer format, an unknown origin, and anything that is no header.
    pub fn from_value(value: &Value) -> Result<Self, HeaderError> {
        let malformed = |reason: String| HeaderError::Malformed { reason };
        let found = value
            .get("format")
            .and_then(Value::as_u64)
            .ok_or_else(|| malformed("no format number".to_owned()))?;
        if found > u64::from(FORMAT) {
            return Err(HeaderError::Newer { found, supported: FORMAT });
        }
        let wire = Wire::deserialize(value).map_err(|error| malformed(error.to_string()))?;
        let origin = match wire.origin.as_deref() {
            None => None,
            Some("subagent") => Some(Origin::Subagent),
            Some(other) => return Err(HeaderError::UnknownOrigin { origin: other.to_owned() }),
        };
        let header = Self {
            cwd: wire.cwd.map(|StoredPath(path)| path.into()),
            origin,
            delegation_depth: wire.delegation_depth,
            ..Self::main(wire.id, wire.created_at)
        };
        let directories = wire.additional_directories.into_iter();
        Ok(header.with(|more| {
            *more = More {
                additional_directories: directories
                    .map(|DirectoryWire { path: StoredPath(path), load }| AdditionalDirectory { path, load })
                    .collect(),
                parent_session: wire.parent_session.map(String::into_boxed_str),
                seed_length: wire.seed_length,
                agent_preset: wire.agent_preset.map(String::into_boxed_str),
            };
        }))
    }
}

#[derive(Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct DirectoryWire {
    path: StoredPath,
    #[serde(default)]
    load: DirectoryLoad,
}

#[derive(Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct Wire {
    format: u32,
    id: String,
    created_at: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    cwd: Option<StoredPath>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    additional_directories: Vec<DirectoryWire>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    parent_session: Option<String>,
    #[serde(default, skip_serializing_if = "is_zero")]
    seed_length: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    origin: Option<String>,
    #[serde(default)]
    delegation_depth: u32,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    agent_preset: Option<String>,
}

const fn is_zero(value: &u64) -> bool {
    *value == 0
}

impl Serialize for SessionHeader {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let directories = self.additional_directories().iter();
        Wire {
            format: FORMAT,
            id: self.id.to_string(),
            created_at: self.created_at,
            cwd: self.cwd().map(|path| StoredPath(path.to_path_buf())),
            additional_directories: directories
                .map(|AdditionalDirectory { path, load }| DirectoryWire {
                    path: StoredPath(path.clone()),
                    load: *load,
                })
                .collect(),
            parent_session: self.parent_session().map(str::to_owned),
            seed_length: self.seed_length(),
            origin: self.origin.map(|Origin::Subagent| "subagent".to_owned()),
            delegation_depth: self.delegation_depth,
            agent_preset: self.agent_preset().map(str::to_owned),
        }
        .serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for SessionHeader {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let value = Value::deserialize(deserializer)?;
        Self::from_value(&value).map_err(serde::de::Error::custom)
    }
}

#[cfg(feature = "schema")]
impl schemars::JsonSchema for SessionHeader {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "SessionHeader".into()
    }

    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        Wire::json_schema(generator)
    }
}
