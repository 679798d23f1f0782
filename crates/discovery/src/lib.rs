//! Where the root of a project is, which instruction files count, and what each looks like now.
//!
//! ```
//! use std::path::Path;
//! use standing_orders_discovery::path::{chain, shown_in};
//! use standing_orders_discovery::{Places, RootOptions, Rules, find_root, look};
//! use standing_orders_fs::{KnownVersion, MemoryFs};
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() {
//! let fs = MemoryFs::from_iter([
//!     ("/ws/.git/", ""),
//!     ("/ws/AGENTS.md", "Use uv."),
//!     ("/ws/api/CLAUDE.md", "Keep handlers thin."),
//! ]);
//! let cwd = Path::new("/ws/api");
//! let root = find_root(&fs, cwd, &RootOptions::default()).await;
//!
//! let mut places = Places::new();
//! for dir in chain(&root.path, cwd) {
//!     places.push_directory(dir);
//! }
//! let look = look(&fs, &places, &Rules::default(), |_| KnownVersion::Nothing).await;
//!
//! let mut found = Vec::new();
//! for (index, finding) in look.findings().iter().enumerate() {
//!     if let (Some(path), Some(text)) = (look.path(index), finding.text()) {
//!         found.push((shown_in(&root.path, path).unwrap().to_string(), text.as_str()));
//!     }
//! }
//! assert_eq!(found, [
//!     ("AGENTS.md".to_owned(), "Use uv."),
//!     ("api/CLAUDE.md".to_owned(), "Keep handlers thin."),
//! ]);
//! assert_eq!(look.counts().round_trips, 2, "probes together, then reads (D12)");
//! # }
//! ```
//!
//! # Concepts
//! - **Root** ([`find_root`]): the first directory upward from cwd that has a *root marker*; a
//!   *ceiling* ends the walk. [`Root::reason`] says which rule decided (D1).
//! - **Chain** ([`path::chain`]): the directories from the root to cwd (D2). A touched path adds
//!   those of [`path::nested_dirs`] (C4).
//! - **Candidate** ([`CandidateNames`]): a name looked for in a directory (D3). Those of one list
//!   compete for a **slot**; [`Selection`] says whether the first present one fills it or all count
//!   (D4, D5).
//! - **Look** ([`look()`]): one batch of probes for all candidates of all [`Places`], then one of
//!   reads for what the caller does not know yet (D12). A [`Finding`] for each candidate says what
//!   it is now; a fault is never taken for absence (D7, C7).
//! - **Text** ([`SourceText`]): what a file says, decoded (D10). A path is **shown** on one line
//!   ([`path::shown`], D11).
//! - **Notes** ([`notes`]): what a reader should know besides (X2).
//!
//! # What it does not do
//! It keeps nothing between two looks and knows no history, digest, scope or budget: whether a
//! finding is new, equal to another (D5), or shown elsewhere already (D9) is for the caller, who gets
//! the identity of every file. It reads no environment, home or current directory, expands no
//! import, watches nothing and never scans downward.

mod finding;
mod imports;
mod look;
mod names;
pub mod notes;
mod options;
pub mod path;
mod place;
mod read;
mod root;
mod shown;
mod text;
mod worktree;

pub use finding::{Absence, Content, Finding, Found, Why};
pub use imports::{Import, imports, only_import};
pub use look::{Counts, Look, look};
pub use names::{CandidateNames, NameFault, NameWarning, PlainName, Slot};
pub use options::{RootOptions, RootRule, Rules, Selection};
pub use place::Places;
pub use root::{Root, RootReason, find_root};
pub use text::{Encoding, Replaced, SourceText};
pub use worktree::main_checkout;
