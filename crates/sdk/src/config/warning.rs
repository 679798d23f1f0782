//! What is ignored, and said.

use std::path::PathBuf;

use standing_orders_discovery::NameFault;
use standing_orders_discovery::path::shown;

use crate::ExcludeError;

/// An entry of a list that is ignored (D1, D3, M2).
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ConfigWarning {
    /// It is no name that can be looked for.
    #[error("`{key}[{position}]`, {name:?}, is ignored: {fault}")]
    IgnoredName {
        /// The list.
        key: &'static str,
        /// Its position in the list as it was given, from 0.
        position: usize,
        /// The entry as it was given.
        name: String,
        /// Why.
        fault: NameFault,
    },
    /// A glob that excludes nothing (D14): of a configuration that code has changed since it was read.
    #[error("`exclude[{position}]` is ignored: {error}")]
    IgnoredGlob {
        /// Its position in the list, from 0.
        position: usize,
        /// Why.
        error: ExcludeError,
    },
    /// A folder that is not absolute: nothing tells what it is relative to.
    #[error("`{key}[{position}]`, {}, is ignored: it is neither absolute nor below `~`", shown(path))]
    RelativeFolder {
        /// The list.
        key: &'static str,
        /// Its position in the list, from 0.
        position: usize,
        /// As it was given.
        path: PathBuf,
    },
}
