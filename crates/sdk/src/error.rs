//! What can go wrong beside the files.

use standing_orders_session::{InjectorId, InstructionSource};

use crate::injector::Trap;

/// Why an engine cannot be built.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum EngineError {
    /// The id belongs to the built-in loader.
    #[error("injector id \"workspace\" belongs to the built-in loader: choose another")]
    ReservedId,
    /// The id is blank.
    #[error("an injector id is blank: history names injectors by it, so it needs one")]
    BlankId,
    /// A gated file would be shown to every session anyway (I5).
    #[error(transparent)]
    Trap(#[from] Trap),
    /// Two injectors share an id.
    #[error("two injectors have the id {id}: history could not tell them apart")]
    DuplicateId {
        /// The id.
        id: InjectorId,
    },
    /// A row of the policy names an injector that is not registered, so it would never fit (I10).
    #[error(
        "`policy[{row}].injector` is {injector:?}, expected `workspace`, the id of a registered injector, or a \
         glob over ids{}",
        nearest.as_ref().map(|nearest| format!(", did you mean `{nearest}`?")).unwrap_or_default()
    )]
    UnknownInjector {
        /// The row's index.
        row: usize,
        /// As it is named there.
        injector: String,
        /// The id that may be meant.
        nearest: Option<String>,
    },
}

/// Why a session cannot be opened.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum OpenError {
    /// The working directory is not absolute.
    #[error("the session's working directory {} is not absolute: the library has no current directory of its own", .0.display())]
    RelativeCwd(std::path::PathBuf),
}

/// The step cannot be taken for entered.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum EnterError {
    /// Facts about instructions arrived after the pre-step, another step entered, or the root was fixed
    /// elsewhere meanwhile. If the messages were appended all the
    /// same, they are in the history and count: tell `apply([Fact::Entered(sources)])`. If not,
    /// prepare again.
    #[error("stale: the history went on after this step was prepared, prepare it again")]
    Stale {
        /// Of the messages that were prepared, in order.
        sources: Vec<InstructionSource>,
    },
    /// It was prepared by another context.
    #[error("this step was prepared by another context")]
    Foreign,
}
