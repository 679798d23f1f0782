//! P1: reads that come with the probes.

use super::case::{Case, Outcome, require, violated};
use crate::{KnownVersion, PlannedRead, Probe, Probed, ReadOutcome, ReadPlan};

const SMALL: u64 = 100;

/// What may come with the probes is what was picked, and what `read_many` says of it.
pub(super) async fn reads_with_probes(case: &mut Case<'_>) -> Outcome {
    case.make_dir("folder").await?;
    for name in ["first", "second", "alone", "known"] {
        case.write(name, name).await?;
    }
    case.write("large", "x".repeat(1000)).await?;
    case.settle().await?;
    let names = ["folder", "first", "second", "none", "alone", "large", "known", "known", "alone"];
    let version = case.present("known", crate::FileKind::File).await?.settled_version();
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
