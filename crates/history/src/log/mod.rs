//! Where a history is kept.

mod error;
#[cfg(feature = "jsonl")]
mod jsonl;
mod memory;
#[cfg(feature = "testing")]
pub mod testing;
#[cfg(feature = "zstd")]
mod zstd_reader;

use std::fmt::Debug;
use std::sync::Arc;

use async_trait::async_trait;

use crate::{Event, SessionHeader};

pub use error::{Damage, LogError};
#[cfg(feature = "jsonl")]
pub use jsonl::{Cut, Encoding, JsonlLog, JsonlOptions};
pub use memory::MemoryLog;
#[cfg(feature = "zstd")]
pub use zstd_reader::ZstdReader;

/// An append-only log of one session (H2). One writer at a time.
///
/// # Guarantees asked of an implementation
/// - Entries are numbered from 0 without gaps; they never change and never go.
/// - A batch is in the log as a whole or not at all, also after a crash.
/// - Once `append` has returned, its batch survives a crash of the process and, where the medium
///   can, of the machine.
///
/// The suite in `testing` (feature `testing`) checks what can be checked from outside.
#[async_trait]
pub trait SessionLog: Send + Sync + Debug {
    /// Who the session is. Given when the log was created, and never changed.
    fn header(&self) -> &SessionHeader;

    /// How many entries there are: the sequence number of the next one.
    ///
    /// # Errors
    /// When the log cannot be asked.
    async fn head(&self) -> Result<u64, LogError>;

    /// Appends `batch`, whose first entry gets the number `expected_next`, and returns the new
    /// head. An empty batch writes nothing, and is refused as any other where it is stale.
    ///
    /// # Errors
    /// [`LogError::Stale`] when the head is another: nothing was written. After any other error
    /// the log holds the batch as a whole or nothing of it; `head` tells which.
    ///
    /// # Cancellation
    /// A future that was polled and dropped may have appended.
    async fn append(&self, expected_next: u64, batch: &[Event]) -> Result<u64, LogError>;

    /// Reads from the entry `from` up to the head as it is now. Nothing when `from` is the head or
    /// beyond. One chunk is held at a time, so memory is bounded whatever the length.
    ///
    /// # Errors
    /// When the log cannot be asked.
    async fn read(&self, from: u64) -> Result<Box<dyn LogChunks>, LogError>;
}

/// The entries of one read, chunk by chunk.
#[async_trait]
pub trait LogChunks: Send + Debug {
    /// The next entries; `None` at the end, and from then on. Chunks follow each other without
    /// gaps and are never empty. After an error there is no more.
    ///
    /// # Errors
    /// Damage, named with its place, and whatever the medium reports.
    ///
    /// # Cancellation
    /// Nothing is lost: the next call goes on where this one was dropped.
    async fn next_chunk(&mut self) -> Result<Option<Chunk>, LogError>;
}

/// Entries that follow each other.
#[derive(Clone, Debug, PartialEq)]
pub struct Chunk {
    /// The sequence number of the first.
    pub first: u64,
    /// At least one.
    pub events: Vec<Event>,
}

macro_rules! pointers {
    ($($Pointer:ident),*) => {$(
        #[deny(clippy::missing_trait_methods)]
        #[async_trait]
        impl<L: SessionLog + ?Sized> SessionLog for $Pointer<L> {
            fn header(&self) -> &SessionHeader {
                (**self).header()
            }

            async fn head(&self) -> Result<u64, LogError> {
                (**self).head().await
            }

            async fn append(&self, expected_next: u64, batch: &[Event]) -> Result<u64, LogError> {
                (**self).append(expected_next, batch).await
            }

            async fn read(&self, from: u64) -> Result<Box<dyn LogChunks>, LogError> {
                (**self).read(from).await
            }
        }
    )*};
}
pointers!(Box, Arc);
