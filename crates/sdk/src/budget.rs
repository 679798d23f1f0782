//! How many bytes a block may have.

use std::num::NonZeroU64;

/// How many bytes one block may have: frame and notice included (R5).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Budget {
    /// Loading is off: nothing is looked at, and what is in view stays (I2).
    Off,
    /// At most this many bytes a block.
    Bytes(NonZeroU64),
}

impl Budget {
    /// 0 is off.
    pub const fn from_bytes(bytes: u64) -> Self {
        match NonZeroU64::new(bytes) {
            None => Self::Off,
            Some(bytes) => Self::Bytes(bytes),
        }
    }

    /// The number of bytes, 0 when off.
    pub const fn bytes(self) -> u64 {
        match self {
            Self::Off => 0,
            Self::Bytes(bytes) => bytes.get(),
        }
    }

    /// As a length in memory; `None` when off.
    pub(crate) fn limit(self) -> Option<usize> {
        match self {
            Self::Off => None,
            Self::Bytes(bytes) => Some(usize::try_from(bytes.get()).unwrap_or(usize::MAX)),
        }
    }
}
