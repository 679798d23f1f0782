#[cfg(feature = "jsonl")]
mod damage;
#[cfg(feature = "jsonl")]
mod faults;
#[cfg(feature = "jsonl")]
mod jsonl;
#[cfg(feature = "jsonl")]
mod lost_pages;
mod memory;
#[cfg(feature = "jsonl")]
mod written_before;
#[cfg(feature = "zstd-write")]
mod zstd;
#[cfg(feature = "zstd-write")]
mod zstd_reader;

#[cfg(feature = "jsonl")]
use standing_orders_history::{Encoding, Event, LogError, SessionLog, UserMessage};
use standing_orders_session::SessionHeader;

#[cfg(feature = "jsonl")]
fn header() -> SessionHeader {
    SessionHeader::main("s-空", 7).with_cwd("/ws")
}

#[cfg(feature = "jsonl")]
const ENCODINGS: &[(&str, Encoding)] = &[
    ("plain", Encoding::Plain),
    #[cfg(feature = "zstd-write")]
    ("zstd", Encoding::Zstd),
];

#[cfg(feature = "jsonl")]
fn message(n: usize) -> Event {
    UserMessage::text(format!("{n}: grüß dich 空")).into()
}

/// The entries of `log` from `from` on, or the first error.
#[cfg(feature = "jsonl")]
async fn read(log: &dyn SessionLog, from: u64) -> Result<Vec<Event>, LogError> {
    let mut chunks = log.read(from).await?;
    let mut events = Vec::new();
    while let Some(mut chunk) = chunks.next_chunk().await? {
        events.append(&mut chunk.events);
    }
    Ok(events)
}
