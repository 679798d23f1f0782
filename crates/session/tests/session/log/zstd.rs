use std::io::Write as _;
use std::process::Command;

use standing_orders_session::{Encoding, Event, JsonlLog, JsonlOptions, LogError, SessionLog};

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
    // The log is still open. Where the tool is not installed its library says the same.
    let text = match Command::new("zstd").arg("-dcq").arg(&packed).output() {
        Ok(output) => {
            assert!(output.status.success(), "zstd -dc: {}", String::from_utf8_lossy(&output.stderr));
            output.stdout
        }
        Err(_) => zstd::decode_all(std::fs::File::open(&packed).unwrap()).unwrap(),
    };
    assert_eq!(text, std::fs::read(plain).unwrap(), "the text is that of a plain log");
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
async fn batches_in_half_a_frame_are_rescued() {
    let folder = tempfile::tempdir().unwrap();
    let plain = folder.path().join("plain");
    let log = JsonlLog::create(&plain, header()).await.unwrap();
    for n in 0..80 {
        let batch: Vec<Event> = (0..1000).map(|m| message(n * 1000 + m)).collect();
        log.append(n as u64 * 1000, &batch).await.unwrap();
    }
    let events = read(&log, 0).await.unwrap();
    let text = std::fs::read(&plain).unwrap();
    let packed = zstd::encode_all(&text[..], 1).unwrap();
    let path = folder.path().join("log");
    let torn = &packed[..packed.len() * 2 / 3];
    std::fs::write(&path, torn).unwrap();

    let reader = JsonlLog::read_only(&path).await.unwrap();
    let readable = reader.head().await.unwrap();
    assert!(readable > 0 && readable < 80_000, "a part can be read: {readable}");
    assert_eq!(readable % 1000, 0, "up to the last complete batch");
    assert!(reader.cut().is_some(), "the torn end is told");
    assert!(
        read(&reader, 0).await.unwrap()[..] == events[..usize::try_from(readable).unwrap()],
        "for reading"
    );

    let log = JsonlLog::open(&path).await.unwrap();
    assert_eq!(log.head().await.unwrap(), readable, "opening destroys nothing that can be read");
    let kept = log.cut().unwrap().kept_in.clone().unwrap();
    assert_eq!(std::fs::read(kept).unwrap(), torn, "the log as it was is kept");
    let second = JsonlLog::open(&path).await.unwrap_err();
    assert!(matches!(second, LogError::Locked { .. }), "the new file is locked: {second:?}");
    log.append(readable, &[message(7)]).await.unwrap();
    drop(log);
    let log = JsonlLog::open(&path).await.unwrap();
    assert_eq!(log.cut(), None, "it is whole again");
    let all = read(&log, 0).await.unwrap();
    assert!(
        all[..all.len() - 1] == events[..all.len() - 1] && all.len() as u64 == readable + 1,
        "and goes on"
    );
}

#[tokio::test]
async fn a_line_beyond_the_limit_is_damage_in_a_compressed_log_too() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("log");
    sample(&path, Encoding::Zstd, 1).await;
    let bomb = zstd::encode_all(std::io::Read::take(std::io::repeat(b'x'), 100_000_000), 3).unwrap();
    std::fs::File::options().append(true).open(&path).unwrap().write_all(&bomb).unwrap();
    let error = JsonlLog::open(&path).await.unwrap_err();
    assert!(error.to_string().contains("line 4: the line is longer than 67108864 bytes"), "{error}");
}
