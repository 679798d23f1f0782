//! Faults that are no candidate's.

use std::path::PathBuf;

use standing_orders_discovery::path::LONGEST_TOUCHED;
use standing_orders_fs::FsError;
use standing_orders_session::InjectorId;

/// What went wrong beside the files.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Problem {
    /// The policy panicked; nothing is looked at, and what is in view stays (C14).
    #[error("the session policy panicked: {message}")]
    PolicyFailed {
        /// What it said.
        message: String,
    },
    /// An injector failed; what it has in force stands (I6).
    #[error("injector {injector}: {message}")]
    InjectorFailed {
        /// Which.
        injector: InjectorId,
        /// What it said.
        message: String,
    },
    /// An injector gave no answer in time; what it has in force stands (I6).
    #[error("injector {injector}: no answer within {after:?}")]
    InjectorTimedOut {
        /// Which.
        injector: InjectorId,
        /// The time allowed.
        after: std::time::Duration,
    },
    /// A gated file could not be probed, and never was in this instance: another name of it would
    /// not be known (I5).
    #[error("gated file {}: links to it are not known, for it cannot be probed: {error}", path.display())]
    GuardUnknown {
        /// The file.
        path: PathBuf,
        /// Why.
        #[source]
        error: FsError,
    },
    /// Scopes are in force of an injector that is not registered (I2).
    #[error(
        "injector {injector} is not registered, and has instructions in force: retire it to withdraw them"
    )]
    Unregistered {
        /// Which.
        injector: InjectorId,
    },
    /// An injector wants two instructions with one id; the first counts (I3).
    #[error("injector {injector}: wants two instructions with the id {id:?}, only the first counts")]
    DuplicateInstruction {
        /// Which.
        injector: InjectorId,
        /// The id.
        id: std::sync::Arc<str>,
    },
    /// A touched path is longer than a system call can name: its deepest folders are not observed (C4).
    #[error(
        "a touched path of {bytes} bytes: folders beyond {LONGEST_TOUCHED} bytes are not looked at, for no system \
         call can name a file in them"
    )]
    TouchTooLong {
        /// Its length.
        bytes: usize,
    },
    /// A file that was read has bytes that are not UTF-8, which were replaced (D10, X2).
    #[error("{path}: not UTF-8 everywhere, what is not was replaced: save it as UTF-8")]
    ReplacedBytes {
        /// As shown to the model.
        path: String,
    },
    /// A rules folder cannot be listed; what is in force of it stands (F11).
    #[error("rules folder {path}: {error}")]
    RulesFolder {
        /// As shown to the model.
        path: String,
        /// Why.
        error: FsError,
    },
    /// A rules folder has more than is looked at (F2).
    #[error(
        "rules folder {path}: more than {rules} rules, {entries} entries or {levels} levels: what is beyond is not \
         looked at"
    )]
    RulesLeftOut {
        /// As shown to the model.
        path: String,
        /// The most rules.
        rules: usize,
        /// The most entries.
        entries: usize,
        /// The most levels of folders.
        levels: usize,
    },
    /// A pattern of a rule is dropped; its others count (F6).
    #[error("{path}: the pattern {pattern:?} is dropped: {why}")]
    RulePattern {
        /// The rule, as shown to the model.
        path: String,
        /// As written.
        pattern: String,
        /// What is wrong with it.
        why: String,
    },
    /// A file in a rules folder that would be a rule by another name.
    #[error("{path}: not a rule, for its name does not end with `{expected}`")]
    RuleName {
        /// As shown to the model.
        path: String,
        /// What names of rules end with there.
        expected: &'static str,
    },
    /// An additional directory is not absolute: nothing tells what it is relative to (D13).
    #[error("additional directory {}: not loaded, for it is not absolute", .0.display())]
    AdditionalDirectory(PathBuf),
}
