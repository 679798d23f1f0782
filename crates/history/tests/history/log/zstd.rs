use std::io::Write as _;
use std::process::Command;

use standing_orders_history::{Encoding, Event, JsonlLog, JsonlOptions, LogError, SessionLog, ZstdReader};

use super::{header, message, read};

async fn sample(path: &std::path::Path, encoding: Encoding, batches: u64) -> Vec<Event> {
    let log = JsonlOptions::default().encoding(encoding).create(path, header()).await.unwrap();
    for n in 0..batches {
        log.append(n * 2, &[message(n as usize), message(1000 + n as usize)]).await.unwrap();
    }
    read(&log, 0).await.unwrap()
}

#[tokio::test]
async fn zstd_prints_the_log_at_any_time() {
    let folder = tempfile::tempdir().unwrap();
    let (plain, packed) = (folder.path().join("plain"), folder.path().join("packed"));
    sample(&plain, Encoding::Plain, 5).await;
    let log = JsonlOptions::default().encoding(Encoding::Zstd).create(&packed, header()).await.unwrap();
    for n in 0..5 {
        log.append(n * 2, &[message(n as usize), message(1000 + n as usize)]).await.unwrap();
    }
    // The log is still open.
    let expected = std::fs::read(plain).unwrap();
    let compressed = std::fs::read(&packed).unwrap();
    assert_eq!(zstd::decode_all(&*compressed).unwrap(), expected, "the tool's library prints a plain log");
    let mut text = Vec::new();
    std::io::Read::read_to_end(&mut ZstdReader::new(&*compressed), &mut text).unwrap();
    assert_eq!(text, expected, "so does the decoder here");
    // Where it is installed.
    if let Ok(output) = Command::new("zstd").arg("-dcq").arg(&packed).output() {
        assert!(output.status.success(), "zstd -dc: {}", String::from_utf8_lossy(&output.stderr));
        assert_eq!(output.stdout, expected, "and the tool itself");
    }
}

#[tokio::test]
async fn a_log_that_was_packed_anew_opens_and_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("log");
    let events = sample(&path, Encoding::Plain, 6).await;
    let text = std::fs::read(&path).unwrap();
    let pack = |text: &[u8]| zstd::encode_all(text, 19).unwrap();
    let middle = text.len() / 2;
    let skippable = [&[0x50, 0x2A, 0x4D, 0x18, 3, 0, 0, 0][..], b"abc"].concat();
    let rows = [
        ("one frame", pack(&text)),
        ("frames that split a line", [pack(&text[..middle]), pack(&text[middle..])].concat()),
        ("an empty frame at the end", [pack(&text), pack(b"")].concat()),
        ("frames that decoders skip", [pack(&text[..middle]), skippable, pack(&text[middle..])].concat()),
    ];
    for (name, content) in rows {
        std::fs::write(&path, content).unwrap();
        let log = JsonlLog::open(&path).await.unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(log.cut(), None, "{name}: nothing is torn");
        assert_eq!(read(&log, 0).await.unwrap(), events, "{name}: every entry is there");
        log.append(12, &[message(12)]).await.unwrap();
        drop(log);
        let log = JsonlLog::open(&path).await.unwrap();
        assert_eq!(log.head().await.unwrap(), 13, "{name}: it goes on");
    }
}

#[tokio::test]
async fn a_log_that_was_packed_anew_and_then_cut_is_damage() {
    let folder = tempfile::tempdir().unwrap();
    let plain = folder.path().join("plain");
    let log = JsonlLog::create(&plain, header()).await.unwrap();
    for n in 0..80 {
        let batch: Vec<Event> = (0..1000).map(|m| message(n * 1000 + m)).collect();
        log.append(n as u64 * 1000, &batch).await.unwrap();
    }
    let text = std::fs::read(&plain).unwrap();
    let (packed, path) = (zstd::encode_all(&text[..], 1).unwrap(), folder.path().join("log"));
    let half = zstd::encode_all(&text[..text.len() / 2], 1).unwrap();
    let rows = [
        ("within its one frame", packed[..packed.len() * 2 / 3].to_vec()),
        ("before its checksum", packed[..packed.len() - 1].to_vec()),
        ("between two frames that split a line", half),
    ];
    for (name, cut) in rows {
        std::fs::write(&path, &cut).unwrap();
        let error = JsonlLog::open(&path).await.unwrap_err();
        assert!(matches!(error, LogError::Damaged { .. }), "{name}: all of it was acknowledged: {error:?}");
        assert_eq!(std::fs::read(&path).unwrap(), cut, "{name}: nothing was changed");
    }
}

#[tokio::test]
async fn a_decoder_that_streams_yields_exactly_the_lines() {
    let folder = tempfile::tempdir().unwrap();
    let (plain, packed) = (folder.path().join("plain"), folder.path().join("packed"));
    sample(&plain, Encoding::Plain, 5).await;
    sample(&packed, Encoding::Zstd, 5).await;
    let bytes = std::fs::read(&packed).unwrap();
    assert_eq!(bytes.windows(8).filter(|part| part == b"so-mark\n").count(), 6, "each batch has its mark");
    for step in [1, 7, 4096] {
        let mut text = Vec::new();
        let mut decoder = zstd::stream::read::Decoder::new(&bytes[..]).unwrap();
        let mut buffer = vec![0; step];
        loop {
            match std::io::Read::read(&mut decoder, &mut buffer).unwrap() {
                0 => break,
                read => text.extend_from_slice(&buffer[..read]),
            }
        }
        assert_eq!(text, std::fs::read(&plain).unwrap(), "{step} bytes at a time: marks are skipped");
    }
}

#[tokio::test]
async fn a_line_beyond_the_limit_is_damage_in_a_compressed_log_too() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("log");
    sample(&path, Encoding::Plain, 1).await;
    let packed = zstd::encode_all(std::fs::File::open(&path).unwrap(), 3).unwrap();
    std::fs::write(&path, packed).unwrap();
    let bomb = zstd::encode_all(std::io::Read::take(std::io::repeat(b'x'), 100_000_000), 3).unwrap();
    std::fs::File::options().append(true).open(&path).unwrap().write_all(&bomb).unwrap();
    let error = JsonlLog::open(&path).await.unwrap_err();
    assert!(error.to_string().contains("line 4: the line is longer than 67108864 bytes"), "{error}");
}
