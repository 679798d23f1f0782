//! Logs as they were written before batches had marks: two of one kind, `plain` and `zstd`, with
//! batches of 1, 3, 1 and 2 entries.

use standing_orders_session::{Event, JsonlLog, SessionLog};

use super::{header, message, read};

const BEFORE: &[(&str, &[u8])] = &[
    ("plain", include_bytes!("written_before/log.jsonl")),
    #[cfg(feature = "zstd")]
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
