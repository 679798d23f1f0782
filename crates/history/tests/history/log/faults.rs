//! One flipped byte and one torn end (H2): no acknowledged batch goes missing without an error.
//!
//! `STANDING_ORDERS_LOG_FAULTS=20000 cargo test --release -p standing-orders-history --test history log::faults`
//! runs that many of each an encoding. In a plain log a flip within a string is other text: the
//! batch is there, so nothing is missing. Compressed, every entry is as it was or an error.

use proptest::prelude::*;
use proptest::sample::Index;
use standing_orders_history::{Encoding, Event, JsonlLog, JsonlOptions, LogError, SessionLog, UserMessage};

use super::{ENCODINGS, header, read};

fn cases() -> ProptestConfig {
    let cases = std::env::var("STANDING_ORDERS_LOG_FAULTS")
        .ok()
        .map(|cases| cases.parse().expect("STANDING_ORDERS_LOG_FAULTS is a count"));
    ProptestConfig::with_cases(cases.unwrap_or(60) * u32::try_from(ENCODINGS.len()).unwrap())
}

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread().build().unwrap()
}

fn shapes() -> impl Strategy<Value = Vec<Vec<usize>>> {
    let entry = prop_oneof![8 => 0_usize..40, 1 => 200_usize..900];
    prop::collection::vec(prop::collection::vec(entry, 1..4), 0..5)
}

/// A log with one acknowledged batch after the other.
struct Written {
    bytes: Vec<u8>,
    events: Vec<Event>,
    /// The length of the file and the head after each batch; first, after the header.
    ends: Vec<(usize, usize)>,
}

impl Written {
    async fn new(encoding: Encoding, batches: &[Vec<usize>]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("log");
        let log = JsonlOptions::default().encoding(encoding).create(&path, header()).await.unwrap();
        let len = || usize::try_from(std::fs::metadata(&path).unwrap().len()).unwrap();
        let mut events = Vec::new();
        let mut ends = vec![(len(), 0)];
        for batch in batches {
            let batch: Vec<Event> = (events.len()..).zip(batch).map(|(n, bytes)| entry(n, *bytes)).collect();
            log.append(events.len() as u64, &batch).await.unwrap();
            events.extend(batch);
            ends.push((len(), events.len()));
        }
        Self { bytes: std::fs::read(&path).unwrap(), events, ends }
    }

    /// The last batch that ends up to `len`; `None` before the header does.
    fn acknowledged(&self, len: usize) -> Option<(usize, usize)> {
        self.ends.iter().rev().find(|(end, _)| *end <= len).copied()
    }
}

fn entry(n: usize, bytes: usize) -> Event {
    let mut random = n as u64 + 1;
    let text = (0..bytes).map(|_| {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        char::from(b'a' + u8::try_from(random >> 40 & 15).unwrap())
    });
    UserMessage::text(format!("{n} ü {}", text.collect::<String>())).into()
}

/// What a log with these bytes gives, and whether something was cut off as torn. After an error
/// nothing is changed.
async fn open(bytes: &[u8]) -> Result<(Vec<Event>, bool), LogError> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("log");
    std::fs::write(&path, bytes).unwrap();
    let for_reading = match JsonlLog::read_only(&path).await {
        Ok(log) => read(&log, 0).await.map(|events| (events, log.cut().is_some())),
        Err(error) => Err(error),
    };
    let opened = JsonlLog::open(&path).await;
    let is_open = opened.is_ok();
    let found = match opened {
        Ok(log) => match read(&log, 0).await {
            Ok(events) => {
                let head = events.len() as u64;
                let cut = log.cut().cloned();
                assert_eq!(log.append(head, &[entry(0, 3)]).await.unwrap(), head + 1, "it goes on");
                Ok((events, cut.is_some()))
            }
            Err(error) => Err(error),
        },
        Err(error) => Err(error),
    };
    if !is_open {
        assert_eq!(std::fs::read(&path).unwrap(), bytes, "nothing was changed");
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1, "nothing is left beside");
    }
    match (&for_reading, &found) {
        (Ok(reader), Ok(writer)) => assert_eq!(reader, writer, "a reader sees what a writer does"),
        (Err(_), Err(_)) => {}
        differ => panic!("a reader sees what a writer does: {differ:?}"),
    }
    if let Err(error) = &found {
        let told =
            matches!(error, LogError::Damaged { .. } | LogError::Header { .. } | LogError::NoHeader { .. });
        assert!(told, "damage is told as such, and nothing panics: {error:?}");
    }
    found
}

proptest! {
    #![proptest_config(cases())]

    #[test]
    fn a_flipped_byte_loses_no_batch_without_an_error(
        encoding in 0..ENCODINGS.len(),
        batches in shapes(),
        at in any::<Index>(),
        near_the_end in any::<bool>(),
        flip in 1_u8..,
    ) {
        runtime().block_on(async {
            let (name, encoding) = ENCODINGS[encoding];
            let written = Written::new(encoding, &batches).await;
            let mut bytes = written.bytes.clone();
            let from = if near_the_end { bytes.len().saturating_sub(60) } else { 0 };
            let at = from + at.index(bytes.len() - from);
            bytes[at] ^= flip;
            match open(&bytes).await {
                Err(LogError::NoHeader { .. }) => {
                    prop_assert!(written.events.is_empty(), "{}: there was more than a header", name);
                }
                Err(_) => {}
                Ok((events, cut)) => {
                    prop_assert!(!cut, "{}: damage is no torn end", name);
                    prop_assert_eq!(events.len(), written.events.len(), "{}: no entry is missing", name);
                    prop_assert!(name == "plain" || events == written.events, "{}: nor another", name);
                }
            }
            Ok(())
        })?;
    }

    #[test]
    fn a_torn_end_loses_no_acknowledged_batch(
        encoding in 0..ENCODINGS.len(),
        batches in shapes(),
        len in any::<Index>(),
        zeros in prop_oneof![2 => Just(0_usize), 1 => 2_usize..600],
    ) {
        runtime().block_on(async {
            let (name, encoding) = ENCODINGS[encoding];
            let written = Written::new(encoding, &batches).await;
            let len = len.index(written.bytes.len() + 1);
            let mut bytes = written.bytes[..len].to_vec();
            // The length came, what belongs there did not.
            bytes.resize(len + zeros, 0);
            match (open(&bytes).await, written.acknowledged(len)) {
                (Err(error), None) => {
                    prop_assert!(matches!(error, LogError::NoHeader { .. }), "{}: {:?}", name, error);
                }
                (Ok((events, cut)), Some((end, head))) => {
                    prop_assert_eq!(&events[..], &written.events[..head], "{}: all of it, in order", name);
                    prop_assert_eq!(cut, end < bytes.len(), "{}: what is cut is told", name);
                }
                // The header is whole and its mark is not: a log of before marks looks so.
                (Ok((events, _)), None) if name == "zstd" => prop_assert_eq!(events, [], "{}", name),
                (found, acknowledged) => panic!("{name}: {acknowledged:?} and {found:?}"),
            }
            Ok(())
        })?;
    }

    #[test]
    fn a_flipped_byte_before_a_torn_end_loses_no_batch_without_an_error(
        encoding in 0..ENCODINGS.len(),
        batches in shapes(),
        len in any::<Index>(),
        at in any::<Index>(),
        flip in 1_u8..,
    ) {
        runtime().block_on(async {
            let (name, encoding) = ENCODINGS[encoding];
            let written = Written::new(encoding, &batches).await;
            let header_end = written.ends[0].0;
            let len = header_end + len.index(written.bytes.len() - header_end + 1);
            let mut bytes = written.bytes[..len].to_vec();
            let (end, head) = written.acknowledged(len).unwrap();
            bytes[at.index(end)] ^= flip;
            if let Ok((events, _)) = open(&bytes).await {
                prop_assert_eq!(events.len(), head, "{}: no entry is missing", name);
                prop_assert!(name == "plain" || events == written.events[..head], "{}: nor another", name);
            }
            Ok(())
        })?;
    }
}

/// The survey went round and round where the frame before the zeros ends with a zero of its own.
#[cfg(feature = "zstd-write")]
#[test]
fn a_frame_that_ends_with_a_zero_is_whole_before_a_torn_end_of_zeros() {
    const MARK: usize = 32;
    runtime().block_on(async {
        let folder = tempfile::tempdir().unwrap();
        for number in 0..4_000 {
            let path = folder.path().join(number.to_string());
            let header = standing_orders_session::SessionHeader::main(format!("s{number}"), 0);
            drop(JsonlOptions::default().encoding(Encoding::Zstd).create(&path, header).await.unwrap());
            let mut bytes = std::fs::read(&path).unwrap();
            bytes.truncate(bytes.len() - MARK);
            if bytes.last() == Some(&0) {
                bytes.resize(bytes.len() + 7, 0);
                assert_eq!(open(&bytes).await.unwrap(), (Vec::new(), true), "header {number}");
                return;
            }
            std::fs::remove_file(&path).unwrap();
        }
        panic!("no header's frame of 4,000 ends with a zero");
    });
}
