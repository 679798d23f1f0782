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

async fn not_a_file(case: &Case<'_>, name: &str, kind: FileKind) -> Outcome {
    match case.read(name, CAP).await? {
        Ok(ReadOutcome::NotAFile(found)) if found == kind => Ok(()),
        other => violated(format!("{name:?} is {kind:?}, but the read says {other:?}")),
    }
}

async fn absent(case: &Case<'_>, name: &str) -> Outcome {
    match case.read(name, CAP).await? {
        Ok(ReadOutcome::Absent) => Ok(()),
        other => violated(format!("{name:?} is absent, but the read says {other:?}")),
    }
}

pub(super) async fn directories(case: &mut Case<'_>) -> Outcome {
    case.make_dir("folder").await?;
    not_a_file(case, "folder", FileKind::Directory).await
}

pub(super) async fn specials(case: &mut Case<'_>) -> Outcome {
    case.special("special").await?;
    not_a_file(case, "special", FileKind::Other).await
}

pub(super) async fn absences(case: &mut Case<'_>) -> Outcome {
    case.write("file", "text").await?;
    for name in ["none", "none/none", "file/none"] {
        absent(case, name).await?;
    }
    case.content("file", CAP).await?;
    case.remove("file").await?;
    absent(case, "file").await
}

pub(super) async fn links(case: &mut Case<'_>) -> Outcome {
    case.make_dir("folder").await?;
    case.write("folder/file", "text").await?;
    for (target, name) in
        [("folder/file", "link"), ("link", "chain"), ("folder", "to folder"), ("none", "dangling")]
    {
        case.symlink(target, name).await?;
    }
    case.symlink("itself", "itself").await?;
    for name in ["link", "chain", "to folder/file"] {
        let (bytes, _) = case.content(name, CAP).await?;
        require(bytes == "text", || format!("{name:?} leads to \"text\", the read gave {bytes:?}"))?;
    }
    not_a_file(case, "to folder", FileKind::Directory).await?;
    absent(case, "dangling").await?;
    match case.read("itself", CAP).await? {
        Err(_) => Ok(()),
        Ok(outcome) => violated(format!("a link cycle read as {outcome:?}")),
    }
}

pub(super) async fn faults(case: &mut Case<'_>) -> Outcome {
    for name in ["before", "denied", "after"] {
        case.write(name, "text").await?;
    }
    case.deny("denied").await?;
    let answers = case.read_all(&["before", "denied", "after", "none"], CAP).await?;
    match answers.as_slice() {
        [
            Ok(ReadOutcome::Content { .. }),
            Err(_),
            Ok(ReadOutcome::Content { .. } | ReadOutcome::Deferred),
            Ok(ReadOutcome::Absent | ReadOutcome::Deferred),
        ] => Ok(()),
        other => violated(format!("only the second of four is denied, but the read says {other:?}")),
    }
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
