//! Listing directories, bounded.

use std::collections::BinaryHeap;
use std::fs;
use std::io;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use super::options::Clock;
use super::stat::{is_absent, probe};
use crate::{DirectoryEntry, EntryKind, FileKind, FsError, Listing, Metadata, Probe};

/// The directory at `path`. Ends early, with what it has, once nobody waits.
pub(super) fn list(
    path: &Path,
    limit: usize,
    clock: &Clock,
    dropped: &AtomicBool,
) -> Result<Listing, FsError> {
    let before = match directory(path, clock)? {
        Ok(found) => found,
        Err(listing) => return Ok(listing),
    };
    let waited_for = |_: &_| !dropped.load(Ordering::Relaxed);
    let found = fs::read_dir(path).and_then(|entries| {
        first(limit, entries.filter_map(|entry| known(entry).transpose()).take_while(waited_for))
    });
    let after = directory(path, clock);
    match found {
        Ok((entries, left_out)) => {
            let after = after.ok().and_then(Result::ok);
            Ok(Listing::Entries { entries, left_out, metadata: before.of_reading(after, None) })
        }
        Err(error) => match after {
            // Replaced since the first look.
            Ok(Err(listing)) if is_absent(&error) => Ok(listing),
            _ => Err(FsError::from_io(path, error)),
        },
    }
}

/// A directory, or what is said of anything else.
fn directory(path: &Path, clock: &Clock) -> Result<Result<Metadata, Listing>, FsError> {
    Ok(match probe(path, clock)? {
        Probe::Present(found) if found.kind == FileKind::Directory => Ok(found),
        Probe::Present(found) => Err(Listing::NotADirectory(found.kind)),
        Probe::Absent => Err(Listing::Absent),
    })
}

/// An entry with its kind, which most file systems have beside the name; nothing if it is gone since.
fn known(entry: io::Result<fs::DirEntry>) -> io::Result<Option<DirectoryEntry>> {
    let entry = entry?;
    let kind = match entry.file_type() {
        Ok(found) if found.is_file() => EntryKind::File,
        Ok(found) if found.is_dir() => EntryKind::Directory,
        Ok(found) if found.is_symlink() => EntryKind::Link,
        Ok(_) => EntryKind::Other,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error),
    };
    Ok(Some(DirectoryEntry { name: entry.file_name(), kind }))
}

/// The first `limit` in byte order of the name, and how many come after them; never more of them at one time.
fn first(
    limit: usize,
    entries: impl Iterator<Item = io::Result<DirectoryEntry>>,
) -> io::Result<(Vec<DirectoryEntry>, u64)> {
    let (mut first, mut left_out) = (BinaryHeap::new(), 0);
    for entry in entries {
        let entry = entry?;
        if first.len() < limit {
            first.push(entry);
            continue;
        }
        left_out += 1;
        if let Some(mut last) = first.peek_mut()
            && entry < *last
        {
            *last = entry;
        }
    }
    Ok((first.into_sorted_vec(), left_out))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::LocalFsOptions;

    // The moment between two entries cannot be hit from outside.
    #[test]
    fn nobody_waiting_ends_a_listing_between_two_entries() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["a", "b"] {
            fs::write(folder.path().join(name), name).unwrap();
        }
        let listed = |dropped| match list(
            folder.path(),
            9,
            &LocalFsOptions::default().clock,
            &AtomicBool::new(dropped),
        ) {
            Ok(Listing::Entries { entries, .. }) => entries.len(),
            other => panic!("{other:?}"),
        };
        assert_eq!(listed(false), 2, "somebody waits");
        assert_eq!(listed(true), 0, "nobody does");
    }

    #[test]
    fn the_first_names_are_kept_and_the_others_counted_whatever_the_order_they_come_in() {
        let entry = |name: &str| DirectoryEntry { name: name.into(), kind: EntryKind::File };
        let names = ["b", "ü", "B", "a", "ab", "10", "9"];
        let rows: [(usize, &[&str], u64); 4] = [
            (0, &[], 7),
            (3, &["10", "9", "B"], 4),
            (6, &["10", "9", "B", "a", "ab", "b"], 1),
            (7, &["10", "9", "B", "a", "ab", "b", "ü"], 0),
        ];
        for (limit, expected, left_out) in rows {
            for turn in 0..names.len() {
                let turned = names.iter().cycle().skip(turn).take(names.len());
                let found = first(limit, turned.map(|name| Ok(entry(name)))).unwrap();
                let expected: Vec<_> = expected.iter().map(|name| entry(name)).collect();
                assert_eq!(found, (expected, left_out), "the first {limit}, from {turn}");
            }
        }
        let fault = || Err(io::Error::from(io::ErrorKind::Other));
        assert!(
            first(1, [Ok(entry("a")), Ok(entry("b")), fault()].into_iter()).is_err(),
            "a fault is one of all"
        );
    }
}
