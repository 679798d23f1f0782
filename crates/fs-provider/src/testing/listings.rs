//! P10.

use std::ffi::{OsStr, OsString};

use super::case::{Case, Outcome, Stop, require};
use crate::{DirectoryEntry, EntryKind, FileKind};

/// More than any directory of the suite has.
const ALL: usize = 100;

fn entry(name: impl AsRef<OsStr>, kind: EntryKind) -> DirectoryEntry {
    DirectoryEntry { name: name.as_ref().to_owned(), kind }
}

/// What `folder` has, asked for with `limit`, must be exactly this.
async fn has(case: &Case<'_>, limit: usize, expected: &[DirectoryEntry], more: u64) -> Outcome {
    let (entries, left_out, _) = case.entries("folder", limit).await?;
    require(entries == expected, || format!("at a limit of {limit}: {entries:?}, expected {expected:?}"))?;
    // Whether, and at least how many: counting them all may be dear.
    require((left_out > 0) == (more > 0) && left_out <= more, || {
        format!("at a limit of {limit}: {left_out} left out of {more}")
    })
}

pub(super) async fn order(case: &mut Case<'_>) -> Outcome {
    case.make_dir("folder/b.d").await?;
    case.write("folder/b.d/below", "text").await?;
    let files = ["Z", "ü", "a", "b", "b.", "b-c", "with blank", "line\nfeed", "10", "9", ".hidden"];
    for name in files {
        case.write(&format!("folder/{name}"), name).await?;
    }
    let mut expected: Vec<_> = files.iter().map(|name| entry(name, EntryKind::File)).collect();
    expected.push(entry("b.d", EntryKind::Directory));
    expected.sort_by(|one, other| one.name.as_encoded_bytes().cmp(other.name.as_encoded_bytes()));
    has(case, ALL, &expected, 0).await?;
    for limit in [0, 1, 5, expected.len() - 1, expected.len(), usize::MAX] {
        let (first, rest) = expected.split_at(limit.min(expected.len()));
        has(case, limit, first, rest.len() as u64).await?;
    }
    Ok(())
}

pub(super) async fn linked(case: &mut Case<'_>) -> Outcome {
    case.make_dir("real").await?;
    case.write("real/file", "text").await?;
    case.symlink("real", "folder").await?;
    has(case, ALL, &[entry("file", EntryKind::File)], 0).await
}

pub(super) async fn specials(case: &mut Case<'_>) -> Outcome {
    case.make_dir("folder").await?;
    case.special("folder/special").await?;
    has(case, ALL, &[entry("special", EntryKind::Other)], 0).await
}

pub(super) async fn empty(case: &mut Case<'_>) -> Outcome {
    case.make_dir("folder").await?;
    has(case, ALL, &[], 0).await?;
    case.write("folder/file", "text").await?;
    has(case, ALL, &[entry("file", EntryKind::File)], 0).await?;
    case.remove("folder/file").await?;
    has(case, ALL, &[], 0).await
}

pub(super) async fn links(case: &mut Case<'_>) -> Outcome {
    case.make_dir("folder").await?;
    case.write("file", "text").await?;
    for (target, name) in
        [("nowhere", "dangling"), ("../file", "to file"), ("..", "to folder"), ("to itself", "to itself")]
    {
        case.symlink(target, &format!("folder/{name}")).await?;
    }
    let names = ["dangling", "to file", "to folder", "to itself"];
    has(case, ALL, &names.map(|name| entry(name, EntryKind::Link)), 0).await
}

pub(super) async fn names(case: &mut Case<'_>) -> Outcome {
    let Some(name) = not_text() else {
        return Err(Stop::Skipped("names are text on this platform".into()));
    };
    case.make_dir("folder").await?;
    let path = case.path("folder").join(&name);
    case.fixture.write(&path, b"text").await?;
    has(case, ALL, &[entry(name, EntryKind::File)], 0).await
}

#[cfg(unix)]
fn not_text() -> Option<OsString> {
    use std::os::unix::ffi::OsStringExt;
    Some(OsString::from_vec(b"caf\xe9".to_vec()))
}

#[cfg(not(unix))]
fn not_text() -> Option<OsString> {
    None
}

pub(super) async fn versions(case: &mut Case<'_>) -> Outcome {
    case.make_dir("folder").await?;
    case.write("folder/file", "text").await?;
    let mut kept = Vec::new();
    for change in ["nothing", "a name that came", "a name that went"] {
        match change {
            "a name that came" => case.write("folder/other", "text").await?,
            "a name that went" => case.remove("folder/other").await?,
            _ => {}
        }
        // What is not settled yet must not count as one of those before.
        let (_, _, metadata) = case.entries("folder", ALL).await?;
        require(!kept.iter().any(|version| metadata.is_still(Some(*version))), || {
            format!("{change}: the version still counts as equal, {metadata:?}")
        })?;
        case.settle().await?;
        let (_, _, metadata) = case.entries("folder", ALL).await?;
        let probed = case.present("folder", FileKind::Directory).await?;
        let Some(version) = metadata.settled_version() else {
            return Err(Stop::Skipped("the provider has no versions".into()));
        };
        require(probed.is_still(Some(version)), || {
            format!("nothing changed since the listing, {metadata:?}, but the probe says {probed:?}")
        })?;
        require(!kept.contains(&version), || format!("{change}: the version is the one from before"))?;
        kept.push(version);
    }
    Ok(())
}
