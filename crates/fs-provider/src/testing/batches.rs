//! P1.

use std::future::poll_fn;
use std::task::Poll;

use futures_util::future::join;

use super::case::{CAP, Case, Outcome, require, violated};
use super::paths::Leads;
use crate::{FileKind, KnownVersion, PlannedRead, Probe, Probed, ReadOutcome, ReadPlan};

const SMALL: u64 = 100;

const NAMES: [&str; 5] = ["one", "gone", "two", "one", "folder"];

async fn prepare(case: &mut Case<'_>) -> Outcome {
    case.write("one", "1").await?;
    case.write("two", "22").await?;
    case.make_dir("folder").await
}

fn as_expected(answers: &[Result<Probe, crate::FsError>]) -> Outcome {
    let shape: Vec<_> = answers.iter().map(|answer| (Leads::of_probe(answer), size(answer))).collect();
    let expected = [
        (Leads::File, Some(1)),
        (Leads::Absent, None),
        (Leads::File, Some(2)),
        (Leads::File, Some(1)),
        (Leads::Directory, None),
    ];
    // A provider need not know sizes before reading.
    let sizeless = expected.map(|(leads, _)| (leads, None));
    require(shape == expected || shape == sizeless, || format!("asked for {NAMES:?}, answered {shape:?}"))
}

fn size(answer: &Result<Probe, crate::FsError>) -> Option<u64> {
    match answer {
        Ok(Probe::Present(found)) if found.kind == FileKind::File => found.len,
        _ => None,
    }
}

pub(super) async fn answers_in_order(case: &mut Case<'_>) -> Outcome {
    prepare(case).await?;
    as_expected(&case.probe_all(&NAMES).await?)?;
    let reads = case.read_all(&["two", "gone", "one", "two"], CAP).await?;
    let texts: Vec<_> = reads
        .iter()
        .map(|read| match read {
            Ok(ReadOutcome::Content { bytes, .. }) => String::from_utf8_lossy(bytes).into_owned(),
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

/// What may come with the probes is what was picked, and what `read_many` says of it.
pub(super) async fn reads_with_probes(case: &mut Case<'_>) -> Outcome {
    case.make_dir("folder").await?;
    for name in ["first", "second", "alone", "known"] {
        case.write(name, name).await?;
    }
    case.write("large", "x".repeat(1000)).await?;
    case.settle().await?;
    let names = ["folder", "first", "second", "none", "alone", "large", "known", "known", "alone"];
    let version = case.present("known", FileKind::File).await?.settled_version();
    let exactly = version.map_or(KnownVersion::Nothing, KnownVersion::Exactly);
    let group = |group, known| PlannedRead { group, known };
    let plan = ReadPlan::new(
        [
            group(0, KnownVersion::Nothing),
            group(0, KnownVersion::Nothing),
            group(0, KnownVersion::Nothing),
            group(1, KnownVersion::Nothing),
            group(2, KnownVersion::Nothing),
            group(3, KnownVersion::Nothing),
            group(4, exactly),
            group(5, KnownVersion::Any),
            group(6, KnownVersion::Nothing),
        ],
        SMALL,
    );
    let batch = case.batch(&names);
    let Probed { probes, reads } = case.provider().probe_and_read(&batch, &plan).await;
    let alone = case.probe_all(&names).await?;
    require(probes == alone, || format!("the probes are {probes:?}, and without reads {alone:?}"))?;
    let (mut picker, mut last) = (plan.picker(), None);
    let mut picked = Vec::new();
    for (index, probe) in probes.iter().enumerate() {
        if matches!(probe, Ok(Probe::Present(metadata)) if picker.wants(index, metadata)) {
            picked.push(index);
        }
    }
    for (index, read) in reads {
        let name = names.get(index).copied().unwrap_or("no path at all");
        require(picked.contains(&index), || format!("{name:?}, at {index}, was read and not wanted"))?;
        require(last.is_none_or(|last| last < index), || format!("the read of {name:?} is out of order"))?;
        last = Some(index);
        match read {
            Ok(ReadOutcome::Content { bytes, metadata }) => {
                let (same, of) = case.content(name, SMALL).await?;
                require(bytes == same && metadata == of, || {
                    format!(
                        "{name:?} was read with its probe as {bytes:?}, {metadata:?}; alone as {same:?}, {of:?}"
                    )
                })?;
            }
            other => return violated(format!("{name:?} was read with its probe as {other:?}")),
        }
    }
    Ok(())
}
