//! Files as a power cut leaves them: the length of the last batch is there, some of its pages are
//! not. Without its mark the batch is torn; with it, it may have been acknowledged, and is damage.

use std::path::Path;

use proptest::prelude::*;
use proptest::sample::Index;
use standing_orders_history::{
    Damage, Encoding, Event, JsonlLog, JsonlOptions, LogError, SessionLog, UserMessage,
};

use super::{ENCODINGS, header, message, read};

/// Text that does not compress much, so that a batch of it has many pages in either encoding.
fn noise(seq: usize, bytes: usize) -> Event {
    let mut random = 0x9E37_79B9_7F4A_7C15_u64.wrapping_mul(seq as u64 + 1);
    let text: String = (0..bytes)
        .map(|_| {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            match char::from(b'#' + u8::try_from(random >> 40 & 63).unwrap()) {
                '\\' => 'z',
                other => other,
            }
        })
        .collect();
    UserMessage::text(format!("{seq} ü {text}")).into()
}

/// How the batches of a row look: the bytes of each entry.
const SHAPES: &[(&str, &[usize])] = &[
    ("one line of 20,000", &[20_000]),
    ("three lines of 6,000", &[6_000, 6_000, 6_000]),
    ("two lines of 3,000", &[3_000, 3_000]),
    ("many short lines", &[150; 80]),
    ("a short line, a long one, a short one", &[10, 15_000, 10]),
];

/// The length of the first entry, where it does not matter.
const FIRST: usize = 900;

/// A log of two entries and then one batch of this shape; its bytes, and where that batch begins.
async fn sample(path: &Path, encoding: Encoding, first: usize, shape: &[usize]) -> (Vec<u8>, usize) {
    let _ = std::fs::remove_file(path);
    let log = JsonlOptions::default().encoding(encoding).create(path, header()).await.unwrap();
    log.append(0, &[noise(0, first)]).await.unwrap();
    log.append(1, &[message(1)]).await.unwrap();
    let begin = std::fs::metadata(path).unwrap().len();
    let batch: Vec<_> = (2..).zip(shape).map(|(seq, bytes)| noise(seq, *bytes)).collect();
    log.append(2, &batch).await.unwrap();
    (std::fs::read(path).unwrap(), usize::try_from(begin).unwrap())
}

/// The parts of `begin..end` that lie in one page each.
fn pages(begin: usize, end: usize, page: usize) -> Vec<std::ops::Range<usize>> {
    (begin / page..end.div_ceil(page)).map(|n| (n * page).max(begin)..((n + 1) * page).min(end)).collect()
}

fn others(folder: &Path) -> usize {
    std::fs::read_dir(folder).unwrap().count() - 1
}

/// Whatever is lost of the last batch, the log opens without it, keeps what was there, goes on.
async fn check_lost(name: &str, lost: &[u8], first: usize, begin: usize) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("log");
    std::fs::write(&path, lost).unwrap();
    let before = [noise(0, first), message(1)];

    let reader = JsonlLog::read_only(&path).await.unwrap_or_else(|error| panic!("{name}: {error}"));
    assert_eq!(read(&reader, 0).await.unwrap(), before, "{name}: a reader sees the batch not at all");
    assert!(reader.cut().is_some(), "{name}: a reader is told");
    assert_eq!(std::fs::read(&path).unwrap(), lost, "{name}: reading changes nothing");

    let log = JsonlLog::open(&path).await.unwrap_or_else(|error| panic!("{name}: {error}"));
    assert_eq!(log.head().await.unwrap(), 2, "{name}: the batch is there as a whole or not at all");
    let cut = log.cut().unwrap_or_else(|| panic!("{name}: the cut is told"));
    assert_eq!((cut.offset, cut.bytes), (begin as u64, (lost.len() - begin) as u64), "{name}: all of it");
    let kept = std::fs::read(cut.kept_in.clone().unwrap()).unwrap();
    assert_eq!(kept, lost[begin..], "{name}: and kept");
    log.append(2, &[message(2)]).await.unwrap();
    drop(log);
    let log = JsonlLog::open(&path).await.unwrap();
    assert_eq!(log.cut(), None, "{name}: it is whole again");
    let all = [&before[..], &[message(2)]].concat();
    assert_eq!(read(&log, 0).await.unwrap(), all, "{name}: and goes on");
}

#[tokio::test]
async fn a_batch_that_lost_its_end_is_a_torn_end_wherever_that_begins() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("log");
    for (encoding_name, encoding) in ENCODINGS {
        for (shape_name, shape) in SHAPES {
            let (whole, begin) = sample(&path, *encoding, FIRST, shape).await;
            for page in [512, 4096] {
                for range in pages(begin, whole.len(), page) {
                    let mut lost = whole.clone();
                    lost[range.start..].fill(0);
                    let name = format!("{encoding_name}, {shape_name}: zeros from {}", range.start);
                    check_lost(&name, &lost, FIRST, begin).await;
                }
            }
            // A mark that came in part, and one byte alone, which may have been changed.
            for left in 1..40 {
                let mut lost = whole.clone();
                lost[whole.len() - left..].fill(0);
                let name = format!("{encoding_name}, {shape_name}: the last {left} are lost");
                if left == 1 {
                    let error = error_of(&name, &path, &lost).await;
                    assert!(matches!(error, LogError::Damaged { line: 4.., .. }), "{name}: {error}");
                } else {
                    check_lost(&name, &lost, FIRST, begin).await;
                }
            }
        }
    }
}

#[tokio::test]
async fn a_page_lost_before_a_mark_is_damage_that_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("log");
    for (encoding_name, encoding) in ENCODINGS {
        for (shape_name, shape) in SHAPES {
            let (whole, begin) = sample(&path, *encoding, FIRST, shape).await;
            for page in [512, 4096] {
                for range in
                    pages(begin, whole.len() - 32, page).into_iter().filter(|range| range.len() == page)
                {
                    let mut lost = whole.clone();
                    lost[range.clone()].fill(0);
                    let name = format!("{encoding_name}, {shape_name}: {range:?}");
                    let error = error_of(&name, &path, &lost).await;
                    let LogError::Damaged { line: 4.., damage: Damage::Lost { offset, bytes }, .. } = error
                    else {
                        panic!("{name}: {error}");
                    };
                    let (from, to) = (range.start as u64, range.end as u64);
                    assert!(offset <= from && to <= offset + bytes, "{name}: {offset}, {bytes}");
                    assert!(bytes < page as u64 + 8, "{name}: and no more: {bytes}");
                }
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(80))]

    #[test]
    fn a_power_cut_leaves_the_last_batch_as_a_whole_or_not_at_all(
        encoding in 0..ENCODINGS.len(),
        first in 1_usize..2_000,
        shape in prop::collection::vec(1_usize..9_000, 1..6),
        page in prop::sample::select(vec![512_usize, 4096]),
        lost_pages in prop::collection::vec(prop::bool::weighted(0.3), 200),
        end in prop::option::of(any::<Index>()),
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        runtime.block_on(async {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("log");
            let (whole, begin) = sample(&path, ENCODINGS[encoding].1, first, &shape).await;
            let mut lost = whole.clone();
            for (range, is_lost) in pages(begin, whole.len(), page).into_iter().zip(lost_pages) {
                if is_lost {
                    lost[range].fill(0);
                }
            }
            lost.truncate(end.map_or(whole.len(), |end| begin + end.index(whole.len() - begin)));
            std::fs::write(&path, &lost).unwrap();

            let log = match JsonlLog::open(&path).await {
                Ok(log) => log,
                Err(error) => {
                    prop_assert!(matches!(error, LogError::Damaged { line: 4.., .. }), "{error}");
                    prop_assert_ne!(&lost[..], &whole[..lost.len()], "what is only cut is torn: {}", error);
                    let cut_in_a_frame = ENCODINGS[encoding].0 == "zstd" && lost.len() < whole.len();
                    prop_assert!(!cut_in_a_frame, "without a mark it is torn: {}", error);
                    return Ok(());
                }
            };
            let events = read(&log, 0).await.unwrap();
            let batch = (2..).zip(&shape).map(|(seq, bytes)| noise(seq, *bytes));
            let all: Vec<_> = [noise(0, first), message(1)].into_iter().chain(batch).collect();
            let is_all = events == all;
            assert!(is_all || events == all[..2], "the batch as a whole or not at all: {} entries", events.len());
            prop_assert_eq!(is_all, lost == whole, "a batch that came is there");
            assert_eq!(log.cut().is_none(), lost == whole || lost.len() == begin, "what is cut is told");
            let head = events.len() as u64;
            prop_assert_eq!(log.append(head, &[message(9)]).await.unwrap(), head + 1, "it goes on");
            Ok(())
        })?;
    }
}

/// Where opening or reading fails, and that it changed nothing.
async fn error_of(name: &str, path: &Path, bytes: &[u8]) -> LogError {
    std::fs::write(path, bytes).unwrap();
    let error = match JsonlLog::open(path).await {
        Ok(log) => {
            assert_eq!(log.cut(), None, "{name}: damage is no torn end");
            read(&log, 0).await.map(|events| events.len()).expect_err(name)
        }
        Err(error) => error,
    };
    assert_eq!(std::fs::read(path).unwrap(), bytes, "{name}: nothing was changed");
    assert_eq!(others(path.parent().unwrap()), 0, "{name}: nothing was left beside the log");
    error
}

#[tokio::test]
async fn zeros_that_are_no_lost_page_are_damage_in_the_last_batch_too() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("log");
    for (encoding_name, encoding) in ENCODINGS {
        for (shape_name, shape) in SHAPES {
            let (whole, begin) = sample(&path, *encoding, FIRST, shape).await;
            let sector = (begin / 512 + 2) * 512;
            let rows = [
                ("one byte", sector + 100..sector + 101),
                ("less than a sector", sector..sector + 511),
                ("across two sectors", sector + 200..sector + 700),
            ];
            for (zeros, range) in rows {
                let mut damaged = whole.clone();
                damaged[range].fill(0);
                let name = format!("{encoding_name}, {shape_name}: {zeros}");
                let error = error_of(&name, &path, &damaged).await;
                assert!(matches!(error, LogError::Damaged { line: 4.., .. }), "{name}: {error}");
            }
        }
    }
}

#[tokio::test]
async fn another_fault_beside_a_lost_page_is_damage() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("log");
    let (whole, begin) = sample(&path, Encoding::Plain, FIRST, &[10_000, 10_000, 10_000]).await;
    let text = String::from_utf8(whole.clone()).unwrap();
    let second = begin + text[begin..].find('\n').unwrap() + 1;
    let third = second + text[second..].find('\n').unwrap() + 1;
    let (in_first, in_both, in_second) = (4096, 8192, 12_288);
    assert!(in_both < second && second < in_second && in_second + 4096 < third, "the pages lie so");
    let rows = [
        ("a line without zeros is none", in_first, third, "{\"sEq\"", 6),
        ("a number in the batch is another", in_first, third, "{\"seq\":5", 6),
        ("a line ends a batch before", in_first, second, "{\"seq\":3,\"mure\":1", 4),
        ("a number beside a lost page is another", in_second, begin, "{\"seq\":4", 5),
        ("a torn line ends a batch before", in_first, begin, "{\"seq\":2,\"mure\":2", 4),
        ("lines of two batches are torn", in_both, third, "{\"seq\":3", 4),
    ];
    for (name, lost, at, other, line) in rows {
        let mut bytes = whole.clone();
        bytes[lost..lost + 4096].fill(0);
        bytes[at..at + other.len()].copy_from_slice(other.as_bytes());
        let error = error_of(name, &path, &bytes).await;
        let LogError::Damaged { line: found, .. } = error else { panic!("{name}: {error:?}") };
        assert_eq!(found, line, "{name}: {error}");
    }
}

#[tokio::test]
async fn the_batches_before_the_last_were_acknowledged_so_zeros_there_are_damage() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("log");
    for (encoding_name, encoding) in ENCODINGS {
        for (shape_name, shape) in SHAPES {
            let (whole, begin) = sample(&path, *encoding, FIRST, shape).await;
            let log = JsonlLog::open(&path).await.unwrap();
            let head = log.head().await.unwrap();
            log.append(head, &[message(1), message(2)]).await.unwrap();
            log.append(head + 2, &[message(3)]).await.unwrap();
            drop(log);
            let longer = std::fs::read(&path).unwrap();
            for range in pages(begin, whole.len(), 4096) {
                let mut damaged = longer.clone();
                damaged[range.clone()].fill(0);
                let name = format!("{encoding_name}, {shape_name}: {range:?}");
                let error = error_of(&name, &path, &damaged).await;
                assert!(matches!(error, LogError::Damaged { line: 4.., .. }), "{name}: {error}");
                // And a crash later on changes nothing about it.
                let torn = &damaged[..damaged.len() - 3];
                std::fs::write(&path, torn).unwrap();
                if *encoding_name == "zstd" {
                    let error = error_of(&name, &path, torn).await;
                    assert!(matches!(error, LogError::Damaged { line: 4.., .. }), "{name}: {error}");
                }
            }
        }
    }
}

#[tokio::test]
async fn a_last_batch_that_is_garbled_otherwise_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("log");
    let (whole, begin) = sample(&path, Encoding::Plain, FIRST, &[6_000, 6_000, 6_000]).await;
    let text = String::from_utf8(whole).unwrap();
    let (before, batch) = text.split_at(begin);
    let lines: Vec<&str> = batch.split_inclusive('\n').collect();
    let rows = [
        ("a line is missing", [lines[0], lines[2]].concat(), 5, "entry 4 stands where 3 belongs"),
        ("the first is missing", [lines[1], lines[2]].concat(), 4, "entry 3 stands where 2 belongs"),
        (
            "a line came twice",
            [lines[0], lines[1], lines[1], lines[2]].concat(),
            6,
            "entry 3 stands where 4 belongs",
        ),
        ("no JSON", [lines[0], "{\"seq\":3,\n", lines[2]].concat(), 5, "not an event: EOF while parsing"),
        (
            "another batch's end",
            [lines[0], &lines[1].replace("\"more\":1", "\"more\":7"), lines[2]].concat(),
            5,
            "not an event: its batch ends with entry 4, and it says 10",
        ),
    ];
    for (name, batch, line, message) in rows {
        let error = error_of(name, &path, [before, &batch].concat().as_bytes()).await;
        assert!(error.to_string().contains(&format!("line {line}: {message}")), "{name}: {error}");
    }
}

#[cfg(feature = "zstd-write")]
#[tokio::test]
async fn a_frame_of_many_batches_that_lost_pages_is_damage() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("log");
    let log = JsonlLog::create(&path, header()).await.unwrap();
    for seq in 0..40 {
        log.append(seq, &[noise(usize::try_from(seq).unwrap(), 9_000)]).await.unwrap();
    }
    drop(log);
    let packed = zstd::encode_all(&*std::fs::read(&path).unwrap(), 3).unwrap();
    for page in [1, packed.len() / 4096 / 2, packed.len() / 4096 - 1] {
        let mut damaged = packed.clone();
        damaged[page * 4096..(page + 1) * 4096].fill(0);
        let name = format!("page {page}");
        let error = error_of(&name, &path, &damaged).await;
        let LogError::Damaged { damage: Damage::Compression { .. } | Damage::NotAnEvent { .. }, .. } = error
        else {
            panic!("{name}: whoever packed the log lost more than an unacknowledged batch: {error:?}");
        };
    }
}
