//! Why a test cannot go on.

use standing_orders_session::HeaderError;

use crate::driver::DriverError;

/// Why a session of a [`Harness`](super::Harness) could not go on.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum HarnessError {
    /// The session cannot be opened, or its history refused.
    #[error(transparent)]
    Driver(#[from] DriverError),
    /// There is no such child session: too deep.
    #[error(transparent)]
    Header(#[from] HeaderError),
    /// No turn is open, so there is no step to go on with.
    #[error("no turn is open: begin one with `turn`")]
    NoTurn,
}
