use std::borrow::Cow;
use std::path::Path;

use standing_orders_discovery::path;

/// Which entry of the runtime context: its name, and its place among the others (S2).
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Entry {
    name: Cow<'static, str>,
    order: i32,
}

/// Why there is no such entry.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum EntryError {
    /// The entry of every subagent session: instruction files rely on its text.
    #[error("the entry \"subagent:delegation\" is the same in every deployment: choose another name")]
    Reserved,
    /// The name would not stand on its line as it is.
    #[error(
        "the name {name:?} is no entry's name: it is blank, or has white space other than plain blanks, \
         a backslash, or characters that cannot be seen"
    )]
    BadName {
        /// The name.
        name: String,
    },
    /// The name is registered already.
    #[error("the entry {name:?} is registered twice: the second would never be seen")]
    Twice {
        /// The name.
        name: String,
    },
}

impl Entry {
    /// What the sandbox lets through. First: everything else happens within it.
    pub const SANDBOX_POLICY: Self = Self::at("sandbox-policy", 110);
    /// What has to be approved, and by whom. After the sandbox, whose limits no approval widens.
    pub const APPROVAL_POLICY: Self = Self::at("approval-policy", 115);
    /// That the session is a subagent's
    /// ([`SUBAGENT_DELEGATION`](crate::delegation::SUBAGENT_DELEGATION)). After the policies, which
    /// it says are fixed.
    pub const SUBAGENT_DELEGATION: Self = Self::at("subagent:delegation", 120);
    /// The mode the host is in. After what does not change with it.
    pub const MODE: Self = Self::at("mode", 130);
    /// From here on: the host's own.
    pub const HOST: i32 = 200;

    /// An entry called `name`, which the model reads, at the place `order`: lower stands earlier.
    /// Whether the name is one is checked where the entry is used.
    pub fn new(name: impl Into<Cow<'static, str>>, order: i32) -> Self {
        Self { name: name.into(), order }
    }

    const fn at(name: &'static str, order: i32) -> Self {
        Self { name: Cow::Borrowed(name), order }
    }

    /// Its name. Compared byte for byte.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Its place: lower stands earlier, equal ones in the order of registration.
    pub const fn order(&self) -> i32 {
        self.order
    }

    /// Whether a host may provide it: the name is one line that shows as it is (D11), and not ours.
    pub(super) fn check(&self) -> Result<(), EntryError> {
        if self.name == Self::SUBAGENT_DELEGATION.name {
            return Err(EntryError::Reserved);
        }
        let name: &str = &self.name;
        if name.trim() != name || name.is_empty() || path::shown(Path::new(name)).to_string() != name {
            return Err(EntryError::BadName { name: name.to_owned() });
        }
        Ok(())
    }
}
