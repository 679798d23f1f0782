//! The typed source on each instruction message (H4).

use std::borrow::Borrow;
use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::Digest;

macro_rules! name {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(Arc<str>);

        impl $name {
            /// As text.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl<T: Into<Arc<str>>> From<T> for $name {
            fn from(text: T) -> Self {
                Self(text.into())
            }
        }

        impl Borrow<str> for $name {
            fn borrow(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Debug::fmt(&*self.0, f)
            }
        }
    };
}

name!(
    /// Which injector a message is from. The built-in loader is [`InjectorId::WORKSPACE`].
    InjectorId
);
name!(
    /// The identity of one instruction message: ours (H3), and unique among the messages that the
    /// session knows of.
    ///
    /// In a whole history those are all there ever were. A host that feeds facts, or keeps a
    /// [`Ledger`](crate::Ledger), knows after a restart only what is visible: a baseline that is
    /// composed after its predecessor was shadowed and forgotten can get the predecessor's
    /// identity. So a store that takes a message with a known identity for one it has already must
    /// count visible messages only.
    MessageId
);
name!(
    /// The unit that is set, replaced and removed (H4): `user-global`, or a directory and a slot
    /// joined by NUL, or for other injectors the instruction's id.
    Scope
);

impl InjectorId {
    /// The id of the built-in loader.
    pub const WORKSPACE: &'static str = "workspace";

    /// The built-in loader.
    pub fn workspace() -> Self {
        Self::from(Self::WORKSPACE)
    }

    /// Whether this is the built-in loader.
    pub fn is_workspace(&self) -> bool {
        self.as_str() == Self::WORKSPACE
    }
}

impl Scope {
    /// The user-global file.
    pub const USER_GLOBAL: &'static str = "user-global";

    /// The user-global file.
    pub fn user_global() -> Self {
        Self::from(Self::USER_GLOBAL)
    }

    /// Whether it is the user-global file.
    pub fn is_user_global(&self) -> bool {
        self.as_str() == Self::USER_GLOBAL
    }

    /// Whether it is of the chain of a cwd that stands at `at` below the root: the user-global file, or a
    /// folder from the root to there.
    pub fn is_of_chain(&self, at: &str) -> bool {
        match self.split() {
            None => self.is_user_global(),
            Some((".", _)) => true,
            Some((dir, _)) => {
                at.strip_prefix(dir).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
            }
        }
    }

    /// The slot `slot` of the directory `dir`, which is relative to the root in shown form.
    pub fn of(dir: &str, slot: &str) -> Self {
        Self::from(format!("{dir}\0{slot}"))
    }

    /// Directory, `.` for the root, and slot, if this scope is one of a directory.
    pub fn split(&self) -> Option<(&str, &str)> {
        self.as_str().split_once('\0')
    }
}

/// What happened to one scope.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Action {
    /// In force from here on.
    Set,
    /// In force with new content, or from another file.
    Replace,
    /// No longer in force.
    Remove,
    /// There, at this digest, but left out for the budget: not in force.
    Omit,
}

/// What a baseline's text says of what came before it (R3).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Replaces {
    /// Everything that the injector gave before is replaced.
    All,
    /// What was given for the user-global file and for the folders from root to cwd is replaced.
    Chain,
}

/// One entry of a message's list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Change {
    /// What happened.
    pub action: Action,
    /// To which scope.
    pub scope: Scope,
    /// The file's path as shown to the model (D11).
    pub path: String,
    /// Of a `replace`: the other path of the scope that its text says no longer applies (R2 `switched`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub previous: Option<String>,
    /// Of the content; absent for removals.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub digest: Option<Digest>,
}

/// The durable source of one instruction message. State is read from here and from nowhere else.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(into = "Wire", try_from = "Wire")]
pub struct InstructionSource {
    /// The message.
    pub id: MessageId,
    /// Who contributed it.
    pub injector: InjectorId,
    /// Whether it is a complete workspace baseline.
    pub baseline: bool,
    /// Under which rules it was composed (C3); with `baseline` only.
    pub baseline_identity: Option<Value>,
    /// What its text says that it replaces (R3); with `baseline` only. What stood before it ends with it,
    /// also where it was composed before that had entered.
    pub replaces: Option<Replaces>,
    /// SHA-1 of the absolute cwd.
    pub cwd: Digest,
    /// cwd relative to the root, `.` for the root itself, in shown form.
    pub at: String,
    /// What it did, in order.
    pub changes: Vec<Change>,
}

/// The `kind` of our sources.
const KIND: &str = "standing-orders";
/// The version we write, and the newest we read.
const VERSION: u32 = 1;

#[derive(Clone, Serialize, Deserialize)]
struct Wire {
    kind: String,
    version: u32,
    id: MessageId,
    injector: InjectorId,
    #[serde(default)]
    baseline: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    baseline_identity: Option<Value>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    replaces: Option<Replaces>,
    cwd: Digest,
    at: String,
    changes: Vec<Change>,
}

/// Why a value is not a source of ours. Such values are ignored by the fold (H4).
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SourceError {
    /// Somebody else's.
    #[error("kind is {0:?}, not \"standing-orders\"")]
    Foreign(String),
    /// Written by a newer version of this crate.
    #[error("version {0} is newer than {VERSION}")]
    Newer(u32),
    /// A `set`, `replace` or `omit` without a digest.
    #[error("the change of {0:?} has no digest")]
    NoDigest(String),
    /// Not of the form at all.
    #[error("{0}")]
    Malformed(String),
}

impl From<InstructionSource> for Wire {
    fn from(source: InstructionSource) -> Self {
        let InstructionSource { id, injector, baseline, baseline_identity, replaces, cwd, at, changes } =
            source;
        let (kind, version) = (KIND.to_owned(), VERSION);
        Self { kind, version, id, injector, baseline, baseline_identity, replaces, cwd, at, changes }
    }
}

impl TryFrom<Wire> for InstructionSource {
    type Error = SourceError;

    fn try_from(wire: Wire) -> Result<Self, SourceError> {
        let Wire { kind, version, id, injector, baseline, baseline_identity, replaces, cwd, at, changes } =
            wire;
        if kind != KIND {
            return Err(SourceError::Foreign(kind));
        }
        if version > VERSION {
            return Err(SourceError::Newer(version));
        }
        for change in &changes {
            if change.action != Action::Remove && change.digest.is_none() {
                return Err(SourceError::NoDigest(change.path.clone()));
            }
        }
        Ok(Self { id, injector, baseline, baseline_identity, replaces, cwd, at, changes })
    }
}

impl InstructionSource {
    /// From the value that a host stored beside the message.
    ///
    /// # Errors
    /// [`SourceError`] for foreign, newer and malformed values.
    pub fn from_value(value: &Value) -> Result<Self, SourceError> {
        match value.get("kind").and_then(Value::as_str) {
            Some(KIND) => {}
            Some(other) => return Err(SourceError::Foreign(other.to_owned())),
            None => return Err(SourceError::Malformed("no kind".to_owned())),
        }
        Self::deserialize(value).map_err(|error| SourceError::Malformed(error.to_string()))
    }

    /// The value to store beside the message.
    pub fn to_value(&self) -> Value {
        serde_json::to_value(self).unwrap_or(Value::Null)
    }
}
