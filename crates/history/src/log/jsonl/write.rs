//! Appends.

use super::{Encoding, Place, Shared};
use crate::LogError;

/// How far apart the places are that reads can begin at.
const PLACES: u64 = 1 << 20;

/// Turns lines into what stands in the file.
#[cfg_attr(not(feature = "zstd-write"), derive(Debug))]
pub(super) enum Writer {
    Plain,
    #[cfg(feature = "zstd-write")]
    Zstd(::zstd::bulk::Compressor<'static>),
}

#[cfg(feature = "zstd-write")]
impl std::fmt::Debug for Writer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Plain => "Plain",
            Self::Zstd(_) => "Zstd",
        })
    }
}

impl Writer {
    /// For a file of this encoding; `None` when this build cannot.
    pub(super) fn new(encoding: Encoding, level: i32) -> std::io::Result<Option<Self>> {
        match encoding {
            Encoding::Plain => Ok(Some(Self::Plain)),
            #[cfg(feature = "zstd-write")]
            Encoding::Zstd => {
                let mut compressor = ::zstd::bulk::Compressor::new(level)?;
                compressor.include_checksum(true)?;
                Ok(Some(Self::Zstd(compressor)))
            }
            #[cfg(not(feature = "zstd-write"))]
            Encoding::Zstd => {
                let _ = level;
                Ok(None)
            }
        }
    }

    /// The bytes of a batch, with the mark that closes it.
    pub(super) fn encode<'a>(&mut self, lines: &'a [u8]) -> std::io::Result<std::borrow::Cow<'a, [u8]>> {
        match self {
            Self::Plain => Ok(lines.into()),
            #[cfg(feature = "zstd-write")]
            Self::Zstd(compressor) => {
                let mut batch = compressor.compress(lines)?;
                batch.extend_from_slice(&super::zstd::mark::of(&batch));
                Ok(batch.into())
            }
        }
    }
}

/// Writes `lines`, which hold `count` entries, if `expected` is next; returns the new head.
pub(super) fn append(shared: &Shared, expected: u64, count: u64, lines: &[u8]) -> Result<u64, LogError> {
    let path = || shared.path.clone();
    let mut state = shared.state();
    let state = &mut *state;
    if let Some(reason) = &state.broken {
        return Err(LogError::Broken { path: path(), reason: reason.clone() });
    }
    let Some(writer) = &mut state.writer else {
        return Err(LogError::ReadOnly { path: path() });
    };
    if state.head != expected {
        return Err(LogError::Stale { expected, actual: state.head });
    }
    if count == 0 {
        return Ok(state.head);
    }
    let bytes = writer.encode(lines).map_err(|source| LogError::Io {
        path: path(),
        doing: "compress a batch",
        source,
    })?;
    if let Err(source) = shared.disk.write_all_at(&bytes, state.end) {
        // The log is as before once the half that was written is gone.
        if let Err(error) = shared.disk.set_len(state.end) {
            state.broken = Some(error.to_string());
        }
        return Err(LogError::Io { path: path(), doing: "write a batch", source });
    }
    if let Err(source) = shared.disk.sync() {
        // What reached the disk is unknown, and asking again would not tell.
        state.broken = Some(source.to_string());
        return Err(LogError::Io { path: path(), doing: "sync a batch", source });
    }
    if state.places.last().is_none_or(|place| state.end.saturating_sub(place.offset) >= PLACES) {
        state.places.push(Place { seq: expected, offset: state.end });
    }
    state.end += bytes.len() as u64;
    state.head = expected.saturating_add(count);
    Ok(state.head)
}
