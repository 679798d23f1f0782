//! P3 and P4.

use super::case::{CAP, Case, Outcome, Stop, require, violated};
use crate::{FileId, FileKind, Metadata, Version};

/// A settled version, or the reason why there is nothing to check.
async fn settled_version(case: &mut Case<'_>, name: &str) -> Outcome<Version> {
    case.settle().await?;
    let found = case.present(name, FileKind::File).await?;
    let Some(version) = found.version else {
        return Err(Stop::Skipped("the provider has no versions".into()));
    };
    require(found.settled, || format!("{name:?} is still unsettled after the fixture settled it"))?;
    Ok(version)
}

async fn identity(case: &Case<'_>, name: &str) -> Outcome<FileId> {
    let found = case.present(name, FileKind::File).await?;
    found.file.ok_or_else(|| Stop::Skipped("the provider tells no identities".into()))
}

fn changed(found: Metadata, kept: Version, what: &str) -> Outcome {
    require(!found.is_still(Some(kept)), || format!("{what}: the version still counts as equal, {found:?}"))
}

pub(super) async fn unchanged(case: &mut Case<'_>) -> Outcome {
    case.write("file", "text").await?;
    case.write("other", "text").await?;
    let version = settled_version(case, "file").await?;
    case.write("other", "edited").await?;
    case.content("file", CAP).await?;
    for _ in 0..3 {
        let found = case.present("file", FileKind::File).await?;
        require(found.is_still(Some(version)), || {
            format!("nothing changed, but the version does not count as equal: {found:?}")
        })?;
    }
    Ok(())
}

pub(super) async fn writes(case: &mut Case<'_>) -> Outcome {
    case.write("file", "aaaa").await?;
    for (what, content) in [("other text of one size", "bbbb"), ("a longer text", "bbbbb"), ("none", "")] {
        let kept = settled_version(case, "file").await?;
        case.write("file", content).await?;
        changed(case.present("file", FileKind::File).await?, kept, what)?;
        let now = settled_version(case, "file").await?;
        require(now != kept, || format!("{what}: the settled version is the one from before"))?;
    }
    Ok(())
}

pub(super) async fn returns(case: &mut Case<'_>) -> Outcome {
    case.write("file", "text").await?;
    let kept = settled_version(case, "file").await?;
    case.remove("file").await?;
    case.write("file", "next").await?;
    changed(case.present("file", FileKind::File).await?, kept, "removed and written again")?;
    let now = settled_version(case, "file").await?;
    require(now != kept, || "removed and written again, the settled version is the one from before".into())
}

pub(super) async fn fast_edits(case: &mut Case<'_>) -> Outcome {
    case.write("file", "0000").await?;
    let mut kept: Vec<Version> = Vec::new();
    for edit in 1..=40 {
        let probed = case.present("file", FileKind::File).await?;
        let (bytes, read) = case.content("file", CAP).await?;
        for found in [probed, read] {
            require(!kept.iter().any(|version| found.is_still(Some(*version))), || {
                format!("edit {} ({bytes:?}) is missed: {found:?}", edit - 1)
            })?;
        }
        kept.extend([probed, read].iter().filter_map(Metadata::settled_version));
        case.write("file", format!("{edit:04}")).await?;
    }
    let last = settled_version(case, "file").await?;
    require(!kept.contains(&last), || "the last edit is missed once it is settled".into())
}

pub(super) async fn through_links(case: &mut Case<'_>) -> Outcome {
    case.write("file", "aaaa").await?;
    case.symlink("file", "link").await?;
    let kept = settled_version(case, "link").await?;
    case.write("file", "bbbb").await?;
    changed(case.present("link", FileKind::File).await?, kept, "the target was edited")?;

    case.write("elsewhere", "bbbb").await?;
    let kept = settled_version(case, "link").await?;
    case.remove("link").await?;
    case.symlink("elsewhere", "link").await?;
    changed(case.present("link", FileKind::File).await?, kept, "the link leads elsewhere")
}

pub(super) async fn reads_agree(case: &mut Case<'_>) -> Outcome {
    case.write("file", "text").await?;
    case.settle().await?;
    let probed = case.present("file", FileKind::File).await?;
    let (_, read) = case.content("file", CAP).await?;
    // A read may know less, never something else.
    let known = |read: Option<_>, probed: Option<_>| read.is_none() || read == probed;
    require(known(read.version, probed.version), || {
        format!("the versions of one file differ: probe {probed:?}, read {read:?}")
    })?;
    require(read.file.is_none() || read.file == probed.file, || {
        format!("the identities of one file differ: probe {probed:?}, read {read:?}")
    })
}

async fn one_file(case: &Case<'_>, names: [&str; 2]) -> Outcome {
    let [first, second] = names;
    let (one, other) = (identity(case, first).await?, identity(case, second).await?);
    require(one == other, || format!("{first:?} and {second:?} are one file, but {one:?} is not {other:?}"))
}

pub(super) async fn one_file_by_links(case: &mut Case<'_>) -> Outcome {
    case.make_dir("folder").await?;
    case.write("folder/file", "text").await?;
    case.symlink("folder/file", "link").await?;
    case.symlink("folder", "other folder").await?;
    one_file(case, ["folder/file", "link"]).await?;
    one_file(case, ["link", "other folder/file"]).await
}

pub(super) async fn one_file_by_names(case: &mut Case<'_>) -> Outcome {
    case.write("file", "text").await?;
    let (original, path) = (case.path("file"), case.path("name"));
    case.fixture.hard_link(&original, &path).await?;
    one_file(case, ["file", "name"]).await
}

pub(super) async fn two_files(case: &mut Case<'_>) -> Outcome {
    case.write("one", "text").await?;
    case.write("two", "text").await?;
    let (one, two) = (identity(case, "one").await?, identity(case, "two").await?);
    if one == two {
        return violated(format!("two files have one identity, {one:?}"));
    }
    Ok(())
}
