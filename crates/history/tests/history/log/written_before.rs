//! Logs as they were written before batches had marks: two of one kind, `plain` and `zstd`, with
//! batches of 1, 3, 1 and 2 entries.

use standing_orders_history::{Event, JsonlLog, LogError, SessionLog};

use super::{header, message, read};

const BEFORE: &[(&str, &[u8])] = &[
    ("plain", include_bytes!("written_before/log.jsonl")),
    #[cfg(feature = "zstd-write")]
    ("zstd", include_bytes!("written_before/log.jsonl.zst")),
];

fn messages(count: usize) -> Vec<Event> {
    (0..count).map(message).collect()
}

#[tokio::test]
async fn a_log_that_was_written_before_opens_goes_on_and_opens_again() {
    for (name, bytes) in BEFORE {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("log");
        std::fs::write(&path, bytes).unwrap();
        let reader = JsonlLog::read_only(&path).await.unwrap();
        assert_eq!(read(&reader, 0).await.unwrap(), messages(7), "{name}: for reading");

        let log = JsonlLog::open(&path).await.unwrap();
        assert_eq!(log.cut(), None, "{name}: it is whole");
        assert_eq!(log.header(), &header(), "{name}: its header");
        assert_eq!(read(&log, 0).await.unwrap(), messages(7), "{name}: every entry");
        assert_eq!(std::fs::read(&path).unwrap(), *bytes, "{name}: opening changes nothing");
        assert_eq!(log.append(7, &[message(7), message(8)]).await.unwrap(), 9, "{name}: it goes on");
        drop(log);

        let log = JsonlLog::open(&path).await.unwrap();
        assert_eq!(log.cut(), None, "{name}: it is whole again");
        assert_eq!(read(&log, 0).await.unwrap(), messages(9), "{name}: old and new");
    }
}

/// What a log with these bytes gives, and whether something of it was torn.
async fn open(bytes: &[u8]) -> Result<(Vec<Event>, bool), LogError> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("log");
    std::fs::write(&path, bytes).unwrap();
    let log = JsonlLog::open(&path).await?;
    Ok((read(&log, 0).await?, log.cut().is_some()))
}

#[tokio::test]
async fn a_log_that_was_written_before_and_torn_opens_at_its_last_whole_batch() {
    for (name, bytes) in BEFORE {
        let mut ends = vec![];
        for len in 0..=bytes.len() {
            match open(&bytes[..len]).await {
                Ok((events, cut)) => {
                    assert_eq!(events, messages(events.len()), "{name} {len}: in order");
                    if !cut {
                        ends.push(events.len());
                    }
                    assert_eq!(ends.last(), Some(&events.len()), "{name} {len}: up to the last whole batch");
                }
                Err(error) => {
                    assert!(matches!(error, LogError::NoHeader { .. }), "{name} {len}: {error}");
                    assert!(ends.is_empty(), "{name} {len}: {error}");
                }
            }
        }
        assert_eq!(ends, [0, 1, 4, 5, 7], "{name}: each batch is whole or not there");
    }
}

/// Without marks a changed byte in the last frame can make it look cut short; nothing more.
#[cfg(feature = "zstd-write")]
#[tokio::test]
async fn a_flipped_byte_in_a_log_without_marks_hides_at_most_the_last_frame() {
    let (_, bytes) = BEFORE[1];
    let magic = [0x28, 0xB5, 0x2F, 0xFD];
    let last = bytes.windows(4).rposition(|part| part == magic).unwrap();
    for at in 0..bytes.len() {
        for flip in [1, 8, 32, 128, 255] {
            let mut flipped = bytes.to_vec();
            flipped[at] ^= flip;
            match open(&flipped).await {
                Ok((events, true)) => {
                    assert!(at >= last, "{at}: a frame that others follow is not torn");
                    assert_eq!(events, messages(5), "{at}: all before it");
                }
                Ok((events, false)) => assert_eq!(events, messages(7), "{at}: nothing is missing"),
                Err(LogError::NoHeader { .. }) => panic!("{at}: there is more than a header"),
                Err(_) => {}
            }
        }
    }
}
