//! P1 and P2.

use std::future::poll_fn;
use std::task::Poll;

use futures_util::future::join;

use super::case::{CAP, Case, Outcome, require, violated};
use crate::{FileKind, Probe};

const NAMES: [&str; 5] = ["one", "gone", "two", "one", "folder"];

async fn prepare(case: &mut Case<'_>) -> Outcome {
    case.write("one", "1").await?;
    case.write("two", "22").await?;
    case.make_dir("folder").await
}

fn as_expected(answers: &[Result<Probe, crate::FsError>]) -> Outcome {
    let shape: Vec<_> = answers
        .iter()
        .map(|answer| match answer {
            Ok(Probe::Present(found)) if found.kind == FileKind::File => {
                format!("file of {:?}", found.len.unwrap_or(0))
            }
            Ok(Probe::Present(found)) => format!("{:?}", found.kind),
            Ok(Probe::Absent) => "absent".into(),
            Err(fault) => fault.to_string(),
        })
        .collect();
    // A provider need not know sizes before reading.
    let sizes = ["file of 1", "absent", "file of 2", "file of 1", "Directory"];
    let none = ["file of 0", "absent", "file of 0", "file of 0", "Directory"];
    require(shape == sizes || shape == none, || format!("asked for {NAMES:?}, answered {shape:?}"))
}

pub(super) async fn answers_in_order(case: &mut Case<'_>) -> Outcome {
    prepare(case).await?;
    as_expected(&case.probe_all(&NAMES).await?)?;
    let reads = case.read_all(&["two", "gone", "one", "two"], CAP).await?;
    let texts: Vec<_> = reads
        .iter()
        .map(|read| match read {
            Ok(crate::ReadOutcome::Content { bytes, .. }) => String::from_utf8_lossy(bytes).into_owned(),
            other => format!("{other:?}"),
        })
        .collect();
    require(texts == ["22", "Ok(Absent)", "1", "22"], || format!("reads out of order: {texts:?}"))
}

pub(super) async fn empty_batch(case: &mut Case<'_>) -> Outcome {
    let probes = case.probe_all(&[]).await?.len();
    let reads = case.read_all(&[], CAP).await?.len();
    let lists = case.list_all(&[], 9).await?.len();
    require(probes + reads + lists == 0, || {
        format!("{probes} probes, {reads} reads and {lists} listings answered")
    })
}

pub(super) async fn overlapping_batches(case: &mut Case<'_>) -> Outcome {
    prepare(case).await?;
    let batch = case.batch(&NAMES);
    let provider = case.provider();
    let three = join(provider.read_many(&batch, CAP), provider.probe_many(&batch));
    let (first, (reads, second)) = join(provider.probe_many(&batch), three).await;
    as_expected(&first)?;
    as_expected(&second)?;
    require(reads.len() == NAMES.len(), || format!("{} reads for {} paths", reads.len(), NAMES.len()))
}

pub(super) async fn dropped_future(case: &mut Case<'_>) -> Outcome {
    prepare(case).await?;
    let batch = case.batch(&NAMES);
    let mut probe = case.provider().probe_many(&batch);
    let mut read = case.provider().read_many(&batch, CAP);
    let mut list = case.provider().list_many(&batch, 9);
    poll_fn(|context| {
        let _ = probe.as_mut().poll(context);
        let _ = read.as_mut().poll(context);
        let _ = list.as_mut().poll(context);
        Poll::Ready(())
    })
    .await;
    drop((probe, read, list));
    as_expected(&case.probe_all(&NAMES).await?)
}

pub(super) async fn files(case: &mut Case<'_>) -> Outcome {
    for (name, len) in [("empty", 0), ("small", 5), ("larger", 100_000)] {
        case.write(name, vec![b'x'; len]).await?;
        let found = case.present(name, FileKind::File).await?;
        require(found.len.is_none_or(|reported| reported == len as u64), || {
            format!("{name:?} has {len} bytes, but the probe says {:?}", found.len)
        })?;
    }
    Ok(())
}

pub(super) async fn directories(case: &mut Case<'_>) -> Outcome {
    case.make_dir("folder/inner").await?;
    case.present("folder", FileKind::Directory).await?;
    case.present("folder/inner", FileKind::Directory).await?;
    Ok(())
}

pub(super) async fn specials(case: &mut Case<'_>) -> Outcome {
    case.special("special").await?;
    case.present("special", FileKind::Other).await?;
    Ok(())
}

pub(super) async fn absences(case: &mut Case<'_>) -> Outcome {
    case.write("file", "text").await?;
    case.make_dir("folder").await?;
    for name in ["none", "folder/none", "none/none", "file/none", "file/none/none"] {
        case.absent(name).await?;
    }
    Ok(())
}

pub(super) async fn removals(case: &mut Case<'_>) -> Outcome {
    case.write("file", "text").await?;
    case.present("file", FileKind::File).await?;
    case.remove("file").await?;
    case.absent("file").await
}

pub(super) async fn links(case: &mut Case<'_>) -> Outcome {
    case.make_dir("real/inner").await?;
    case.write("real/file", "four").await?;
    let absolute = case.path("real/file");
    for (target, name) in [
        (absolute.as_path(), "absolute"),
        ("real/file".as_ref(), "relative"),
        ("relative".as_ref(), "chain"),
        ("../file".as_ref(), "real/inner/upward"),
        ("real/inner".as_ref(), "folder"),
    ] {
        case.symlink(target, name).await?;
    }
    for name in ["absolute", "relative", "chain", "real/inner/upward", "folder/upward", "folder/../file"] {
        let found = case.present(name, FileKind::File).await?;
        require(found.len.is_none_or(|len| len == 4), || {
            format!("{name:?} leads to 4 bytes, but the probe says {:?}", found.len)
        })?;
    }
    case.present("folder", FileKind::Directory).await?;
    Ok(())
}

pub(super) async fn dangling_links(case: &mut Case<'_>) -> Outcome {
    case.write("file", "text").await?;
    for (target, name) in [("nowhere", "dangling"), ("dangling", "through"), ("file/none", "below a file")] {
        case.symlink(target, name).await?;
        case.absent(name).await?;
    }
    Ok(())
}

pub(super) async fn link_cycles(case: &mut Case<'_>) -> Outcome {
    for (target, name) in [("itself", "itself"), ("there", "back"), ("back", "there")] {
        case.symlink(target, name).await?;
    }
    for name in ["itself", "back", "there", "itself/below"] {
        if let Ok(probe) = case.probe(name).await? {
            return violated(format!("{name:?} is a cycle, but the probe says {probe:?}"));
        }
    }
    Ok(())
}

pub(super) async fn faults(case: &mut Case<'_>) -> Outcome {
    for name in ["before", "denied", "after"] {
        case.write(name, "text").await?;
    }
    case.deny("denied").await?;
    let answers = case.probe_all(&["before", "denied", "after", "none"]).await?;
    match answers.as_slice() {
        [Ok(Probe::Present(_)), Err(_), Ok(Probe::Present(_)), Ok(Probe::Absent)] => Ok(()),
        other => violated(format!("only the second of four is denied, but the probe says {other:?}")),
    }
}

pub(super) async fn names(case: &mut Case<'_>) -> Outcome {
    for name in ["with blank", "line\nfeed", "Grüße 你好 🦀", "back\\slash", "quote'\"", "-rf", "a*?"] {
        case.write(name, name).await?;
        let found = case.present(name, FileKind::File).await?;
        require(found.len.is_none_or(|len| len == name.len() as u64), || {
            format!("{name:?} has {} bytes, but the probe says {:?}", name.len(), found.len)
        })?;
        case.absent(&format!("{name}x")).await?;
    }
    Ok(())
}
