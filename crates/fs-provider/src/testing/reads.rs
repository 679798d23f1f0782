//! P6.

use super::case::{CAP, Case, Outcome, require, violated};
use crate::{FileKind, ReadOutcome};

pub(super) async fn whole_content(case: &mut Case<'_>) -> Outcome {
    let rows: [(&str, Vec<u8>); 5] = [
        ("empty", Vec::new()),
        ("text", "Grüße, 你好 🦀\r\nsecond line\n".into()),
        ("invalid", vec![0xff, 0xfe, 0x00, 0x80, b'x']),
        ("one chunk", vec![b'c'; 1 << 16]),
        ("many chunks", (0..300_007_u32).flat_map(u32::to_le_bytes).take(300_007).collect()),
    ];
    for (name, content) in rows {
        case.write(name, &content).await?;
        let (bytes, metadata) = case.content(name, CAP).await?;
        require(bytes == content, || {
            format!("{name:?} has {} bytes, the read gave {} or others", content.len(), bytes.len())
        })?;
        require(metadata.kind == FileKind::File, || format!("{name:?} was read as {:?}", metadata.kind))?;
        require(metadata.len.is_none_or(|len| len == bytes.len() as u64), || {
            format!("{name:?}: {} bytes with metadata of {:?}", bytes.len(), metadata.len)
        })?;
    }
    Ok(())
}

pub(super) async fn cap(case: &mut Case<'_>) -> Outcome {
    const CHUNKS: u64 = 200_000;
    for (name, len, cap) in [
        ("empty at 0", 0, 0),
        ("one at 0", 1, 0),
        ("exact", 1000, 1000),
        ("one over", 1001, 1000),
        ("far over", 100_000, 10),
        ("exact in chunks", CHUNKS, CHUNKS),
        ("one over in chunks", CHUNKS + 1, CHUNKS),
        ("no cap", 1000, u64::MAX),
    ] {
        let size = usize::try_from(len).unwrap_or(0);
        case.write(name, vec![b'x'; size]).await?;
        match case.read(name, cap).await? {
            Ok(ReadOutcome::Content { bytes, .. }) if len <= cap && bytes.len() == size => {}
            Ok(ReadOutcome::TooLarge { len: told, .. }) if len > cap && told > cap && told <= len => {}
            other => {
                let brief: String = format!("{other:?}").chars().take(200).collect();
                return violated(format!("{name:?}: {len} bytes at a cap of {cap} read as {brief}"));
            }
        }
    }
    Ok(())
}

pub(super) async fn deferrals(case: &mut Case<'_>) -> Outcome {
    let names: Vec<String> = (0..6).map(|index| format!("file {index}")).collect();
    for name in &names {
        case.write(name, name.repeat(10_000)).await?;
    }
    let mut open: Vec<&str> = names.iter().map(String::as_str).collect();
    while !open.is_empty() {
        let mut deferred = Vec::new();
        for (name, answer) in open.iter().zip(case.read_all(&open, CAP).await?) {
            match answer {
                Ok(ReadOutcome::Content { bytes, .. }) if bytes == name.repeat(10_000) => {}
                Ok(ReadOutcome::Deferred) => deferred.push(*name),
                _ => return violated(format!("{name:?} was read as something else")),
            }
        }
        require(deferred.len() < open.len(), || {
            format!("none of {} files was answered: asking again would never end", open.len())
        })?;
        open = deferred;
    }
    Ok(())
}
