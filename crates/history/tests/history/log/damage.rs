//! Files as crashes, other tools and bit rot leave them.

use std::path::{Path, PathBuf};

use standing_orders_history::{Cut, Damage, Encoding, Event, JsonlLog, JsonlOptions, LogError, SessionLog};
use standing_orders_session::HeaderError;

use super::{ENCODINGS, header, message, read};

/// A log of batches with 1, 3, 1, 2 entries; its file and the file's length after each batch.
async fn sample(folder: &Path, encoding: Encoding) -> (PathBuf, Vec<(u64, u64)>) {
    let path = folder.join("log");
    let log = JsonlOptions::default().encoding(encoding).create(&path, header()).await.unwrap();
    let len = || std::fs::metadata(&path).unwrap().len();
    let mut ends = vec![(len(), 0)];
    let mut head = 0;
    for count in [1, 3, 1, 2] {
        let batch: Vec<Event> = (head..head + count).map(|n| message(n as usize)).collect();
        head = log.append(head, &batch).await.unwrap();
        ends.push((len(), head));
    }
    (path, ends)
}

fn messages(count: u64) -> Vec<Event> {
    (0..count).map(|n| message(n as usize)).collect()
}

#[tokio::test]
async fn a_log_torn_anywhere_opens_at_its_last_complete_batch() {
    for (name, encoding) in ENCODINGS {
        let folder = tempfile::tempdir().unwrap();
        let (path, ends) = sample(folder.path(), *encoding).await;
        let whole = std::fs::read(&path).unwrap();
        let header_end = ends[0].0;
        for len in 0..=whole.len() as u64 {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("log");
            let torn = &whole[..usize::try_from(len).unwrap()];
            std::fs::write(&path, torn).unwrap();
            let read_only = JsonlLog::read_only(&path).await;
            assert_eq!(std::fs::read(&path).unwrap(), torn, "{name} {len}: reading changes nothing");
            let opened = JsonlLog::open(&path).await;
            if len < header_end {
                // A frame that is whole can lack its mark: then the header is read.
                if let Err(error) = opened {
                    assert!(matches!(error, LogError::NoHeader { .. }), "{name} {len}: {error:?}");
                    assert!(read_only.is_err(), "{name} {len}: nor for reading");
                    assert_eq!(std::fs::read(&path).unwrap(), torn, "{name} {len}: nothing was changed");
                } else {
                    assert_eq!(*name, "zstd", "{name} {len}: half a header is none");
                }
                continue;
            }
            let (end, head) = *ends.iter().rev().find(|(end, _)| *end <= len).unwrap();
            let log = opened.unwrap_or_else(|error| panic!("{name} {len}: {error}"));
            let found = log.head().await.unwrap();
            assert_eq!(found, head, "{name} {len}: what was acknowledged by then");
            assert_eq!(read(&log, 0).await.unwrap(), messages(found), "{name} {len}: all of it, in order");
            let read_only = read_only.unwrap();
            assert_eq!(read(&read_only, 0).await.unwrap(), messages(found), "{name} {len}: for reading too");
            match (log.cut(), len - end) {
                (None, 0) => {}
                (Some(Cut { offset, bytes, kept_in: Some(kept_in) }), torn_bytes) if torn_bytes > 0 => {
                    assert_eq!(*bytes, torn_bytes, "{name} {len}: what was cut is told");
                    let kept = std::fs::read(kept_in).unwrap();
                    assert_eq!(*offset, end, "{name} {len}: where it was cut is told");
                    assert_eq!(kept, torn[usize::try_from(end).unwrap()..], "{name} {len}: and kept");
                    assert_eq!(std::fs::metadata(&path).unwrap().len(), end, "{name} {len}: and gone");
                }
                (cut, torn_bytes) => {
                    panic!("{name} {len}: {torn_bytes} bytes were torn, and it said {cut:?}")
                }
            }
            log.append(found, &[message(99)]).await.unwrap();
            drop(log);
            let log = JsonlLog::open(&path).await.unwrap();
            assert_eq!(log.cut(), None, "{name} {len}: it is whole again");
            let expected = [messages(found), vec![message(99)]].concat();
            assert_eq!(read(&log, 0).await.unwrap(), expected, "{name} {len}: and goes on");
        }
    }
}

#[tokio::test]
async fn zeros_behind_the_end_are_a_torn_end() {
    for (name, encoding) in ENCODINGS {
        let folder = tempfile::tempdir().unwrap();
        let (path, ends) = sample(folder.path(), *encoding).await;
        let (end, head) = *ends.last().unwrap();
        std::fs::File::options().write(true).open(&path).unwrap().set_len(end + 9_000).unwrap();
        let log = JsonlLog::open(&path).await.unwrap();
        assert_eq!(log.cut().map(|cut| (cut.offset, cut.bytes)), Some((end, 9_000)), "{name}: cut off");
        assert_eq!(read(&log, 0).await.unwrap(), messages(head), "{name}: nothing else is");
    }
}

#[tokio::test]
async fn what_was_cut_before_is_not_overwritten() {
    let folder = tempfile::tempdir().unwrap();
    let (path, ends) = sample(folder.path(), Encoding::Plain).await;
    let end = ends.last().unwrap().0;
    let mut kept = Vec::new();
    for torn in ["{\"seq\"", "half a lïne"] {
        let whole = std::fs::read(&path).unwrap();
        std::fs::write(&path, [&whole, torn.as_bytes()].concat()).unwrap();
        let log = JsonlLog::open(&path).await.unwrap();
        let cut = log.cut().unwrap();
        assert_eq!(cut.offset, end, "both were cut at one place");
        kept.push((cut.kept_in.clone().unwrap(), torn));
    }
    for (file, torn) in kept {
        assert_eq!(std::fs::read_to_string(file).unwrap(), torn, "each is in a file of its own");
    }
}

/// The lines of a sample log with one thing wrong, and what opening or reading says.
#[tokio::test]
async fn damage_is_named_with_its_line() {
    let folder = tempfile::tempdir().unwrap();
    let (path, _) = sample(folder.path(), Encoding::Plain).await;
    let text = std::fs::read_to_string(&path).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    let with = |at: usize, line: &str| {
        let mut lines = lines.clone();
        lines[at] = line;
        lines.join("\n") + "\n"
    };
    let without = |at: usize| {
        let mut lines = lines.clone();
        lines.remove(at);
        lines.join("\n") + "\n"
    };
    let twice = |at: usize| {
        let mut lines = lines.clone();
        lines.insert(at, lines[at]);
        lines.join("\n") + "\n"
    };
    let rows = [
        ("JSON in the middle", with(3, "{\"seq\":2,"), "line 4: not an event: EOF while parsing"),
        ("bytes in the middle", with(3, "\u{0}\u{0}ü"), "line 4: not an event: expected value"),
        ("an empty line", with(3, ""), "line 4: not an event: EOF while parsing"),
        ("a line of no event", with(3, r#"{"seq":2}"#), "line 4: not an event: missing field `type`"),
        ("no number", with(3, r#"{"type":"turn_start"}"#), "line 4: not an event: missing field `seq`"),
        (
            "a known type of another form",
            with(3, r#"{"seq":2,"type":"tool_call","data":{"ü":1}}"#),
            "line 4: not an event: missing field `id`",
        ),
        ("a gap", without(3), "line 4: entry 3 stands where 2 belongs"),
        ("a repeat", twice(3), "line 5: entry 2 stands where 3 belongs"),
        ("JSON in the last line", with(7, "{\"seq\":6,"), "line 8: not an event: EOF while parsing"),
        (
            "a negative number in the last line",
            with(7, "{\"seq\":-6}"),
            "line 8: not an event: invalid value",
        ),
        (
            "a huge number in the last line",
            with(7, &format!("{{\"seq\":{}}}", u64::MAX)),
            "line 8: not an event",
        ),
        ("a header of a newer version", with(0, r#"{"format":2,"id":["?"]}"#), "line 1: the session header"),
        ("no header", without(0), "line 1: the session header cannot be read"),
    ];
    for (name, content, message) in rows {
        std::fs::write(&path, &content).unwrap();
        let error = match JsonlLog::open(&path).await {
            Ok(log) => read(&log, 0).await.expect_err(name),
            Err(error) => error,
        };
        assert!(error.to_string().contains(&format!("log: {message}")), "{name}: {error}");
        assert_eq!(std::fs::read_to_string(&path).unwrap(), content, "{name}: nothing was changed");
        let left = std::fs::read_dir(folder.path()).unwrap().count();
        assert_eq!(left, 1, "{name}: nothing was left beside the log");
    }
}

#[tokio::test]
async fn a_header_that_cannot_be_read_says_why() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("log");
    std::fs::write(&path, "{\"format\":7}\n").unwrap();
    let newer = JsonlLog::open(&path).await.unwrap_err();
    let LogError::Header { source: HeaderError::Newer { found: 7, supported: 1 }, .. } = newer else {
        panic!("a newer version is named: {newer:?}");
    };
    std::fs::write(&path, "{\"format\":1,\"id\":\"s\",\"created_at\":0,\"origin\":\"ü\"}\n").unwrap();
    let unknown = JsonlLog::open(&path).await.unwrap_err();
    let LogError::Header { source: HeaderError::UnknownOrigin { origin }, .. } = unknown else {
        panic!("an unknown origin is named: {unknown:?}");
    };
    assert_eq!(origin, "ü", "as stored");
}

#[tokio::test]
async fn a_line_of_100_mb_is_damage_and_is_not_read_into_memory() {
    let folder = tempfile::tempdir().unwrap();
    let (path, ends) = sample(folder.path(), Encoding::Plain).await;
    let whole = std::fs::read_to_string(&path).unwrap();
    let long = "x".repeat(100_000_000);
    let lines: Vec<&str> = whole.split_inclusive('\n').collect();

    let middle = [&lines[..3].concat(), &long, "\n", &lines[4..].concat()].concat();
    std::fs::write(&path, middle).unwrap();
    let log = JsonlLog::open(&path).await.unwrap();
    let error = read(&log, 0).await.unwrap_err();
    let limit = 64 << 20;
    assert!(
        matches!(&error, LogError::Damaged { line: 4, damage: Damage::TooLong { limit: l }, .. } if *l == limit),
        "in the middle: {error}"
    );
    drop(log);

    std::fs::write(&path, [&*whole, &*long, "\n"].concat()).unwrap();
    let error = JsonlLog::open(&path).await.unwrap_err();
    assert!(
        matches!(&error, LogError::Damaged { line: 9, damage: Damage::TooLong { limit: l }, .. } if *l == limit),
        "at the end: {error}"
    );

    std::fs::write(&path, [&*whole, &*long].concat()).unwrap();
    let log = JsonlLog::open(&path).await.unwrap();
    assert_eq!(log.cut().unwrap().bytes, 100_000_000, "without its line feed it is a torn end");
    assert_eq!(log.head().await.unwrap(), ends.last().unwrap().1, "whatever its length");
}

/// Each byte of each batch, of the last one too, and of the marks between.
#[tokio::test]
async fn a_flipped_bit_is_never_taken_for_a_torn_end() {
    for (name, encoding) in ENCODINGS {
        let folder = tempfile::tempdir().unwrap();
        let (path, ends) = sample(folder.path(), *encoding).await;
        let whole = std::fs::read(&path).unwrap();
        for at in 0..whole.len() {
            for bit in [0, 3, 5, 7] {
                let mut flipped = whole.clone();
                flipped[at] ^= 1 << bit;
                std::fs::write(&path, &flipped).unwrap();
                let found = match JsonlLog::open(&path).await {
                    Ok(log) => {
                        assert_eq!(log.cut(), None, "{name} {at}.{bit}: the end is whole");
                        read(&log, 0).await
                    }
                    Err(error) => Err(error),
                };
                assert_eq!(std::fs::read(&path).unwrap(), flipped, "{name} {at}.{bit}: nothing was changed");
                match found {
                    Err(LogError::Damaged { line, .. }) => {
                        let before = ends.iter().rev().find(|(end, _)| *end <= at as u64);
                        let before = before.map_or(1, |(_, head)| head + 2);
                        assert!((before..=before + 4).contains(&line), "{name} {at}.{bit}: line {line}");
                    }
                    Err(LogError::Header { .. }) => assert!((at as u64) < ends[0].0, "{name} {at}.{bit}"),
                    Err(error) => panic!("{name} {at}.{bit}: {error:?}"),
                    // A changed letter is still text; compressed, the checksum tells.
                    Ok(events) => {
                        assert_eq!(events.len(), 7, "{name} {at}.{bit}: no entry is lost");
                        assert!(*name == "plain" || events == messages(7), "{name} {at}.{bit}: nor changed");
                    }
                }
            }
        }
    }
}
