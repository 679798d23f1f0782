//! The memory provider is a disk as far as anybody can see.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use proptest::prelude::*;
use standing_orders_fs::{FaultKind, FsProviderExt, Listing, LocalFs, MemoryFs, Probe, ReadOutcome};

use crate::fixtures::CAP;

/// Paths are relative to one root, which is the same on disk and in memory.
#[derive(Clone, Debug)]
enum Change {
    Write(String, u8),
    MakeDir(String),
    Symlink(String, String),
    HardLink(String, String),
    Special(String),
    Remove(String),
}

fn path() -> impl Strategy<Value = String> {
    prop::collection::vec(prop::sample::select(vec!["a", "b", "ü"]), 1..4).prop_map(|names| names.join("/"))
}

fn change() -> impl Strategy<Value = Change> {
    let target = prop_oneof![path().prop_map(|path| format!("ROOT/{path}")), "(\\.\\./){0,2}[ab](/ü)?/?"];
    prop_oneof![
        3 => (path(), any::<u8>()).prop_map(|(path, byte)| Change::Write(path, byte)),
        2 => path().prop_map(Change::MakeDir),
        4 => (target, path()).prop_map(|(target, path)| Change::Symlink(target, path)),
        1 => (path(), path()).prop_map(|(original, path)| Change::HardLink(original, path)),
        1 => path().prop_map(Change::Special),
        2 => path().prop_map(Change::Remove),
    ]
}

fn clear(path: &Path) -> bool {
    match fs::symlink_metadata(path) {
        Ok(found) if found.is_dir() => fs::remove_dir_all(path).is_ok(),
        Ok(_) => fs::remove_file(path).is_ok(),
        Err(_) => true,
    }
}

/// Makes room on disk for something new, and says where: the place may be named through the very
/// thing it replaces. What the disk refuses, such as a parent that is a file, the memory provider
/// allows by design, so that it is not compared.
fn room(path: &Path) -> Option<PathBuf> {
    let parent = path.parent()?;
    fs::create_dir_all(parent).ok()?;
    let place = fs::canonicalize(parent).ok()?.join(path.file_name()?);
    clear(&place).then_some(place)
}

/// The change in both places, or in neither.
fn apply(root: &Path, memory: &MemoryFs, change: &Change) {
    match change {
        Change::Write(path, byte) => {
            let path = root.join(path);
            let in_place = fs::symlink_metadata(&path).is_ok_and(|found| found.is_file());
            let place = if in_place { Some(path.clone()) } else { room(&path) };
            if let Some(place) = place {
                fs::write(place, [*byte]).unwrap();
                memory.write(path, vec![*byte]);
            }
        }
        Change::MakeDir(path) => {
            if fs::create_dir_all(root.join(path)).is_ok() {
                memory.make_dir(root.join(path));
            }
        }
        Change::Symlink(target, path) => {
            let (path, target) = (root.join(path), target.replace("ROOT", root.to_str().unwrap()));
            if let Some(place) = room(&path) {
                symlink(&target, place).unwrap();
                memory.symlink(target, path);
            }
        }
        Change::HardLink(original, path) => {
            let (original, path) = (root.join(original), root.join(path));
            // The kernel would name the link itself; where a path leads is compared elsewhere.
            let file = |path: &Path| fs::symlink_metadata(path).is_ok_and(|found| found.is_file());
            if !path.exists()
                && file(&original)
                && let Some(place) = room(&path)
            {
                fs::hard_link(&original, place).unwrap();
                memory.hard_link(original, path).unwrap();
            }
        }
        Change::Special(path) => {
            let path = root.join(path);
            if let Some(place) = room(&path) {
                crate::fixtures::make_fifo(&place).unwrap();
                memory.special(path);
            }
        }
        Change::Remove(path) => {
            let path = root.join(path);
            let there = fs::symlink_metadata(&path).is_ok();
            assert_eq!(memory.remove(&path), there, "{path:?} is there on disk: {there}");
            clear(&path);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(256) })]

    #[test]
    fn the_same_changes_give_the_same_answers(
        changes in prop::collection::vec(change(), 1..16), asked in prop::collection::vec(path(), 1..12)
    ) {
        let folder = tempfile::tempdir().unwrap();
        // Deep enough that no link leaves the folder.
        let root = folder.path().canonicalize().unwrap().join("x/y/z");
        fs::create_dir_all(&root).unwrap();
        let (memory, local) = (MemoryFs::new(), LocalFs::new());
        memory.make_dir(&root);
        for change in &changes {
            apply(&root, &memory, change);
        }
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let mut files = Vec::new();
        for path in &asked {
            let real = root.join(path);
            let probes = runtime.block_on(async { (memory.probe(&real).await, local.probe(&real).await) });
            match &probes {
                (Ok(Probe::Present(here)), Ok(Probe::Present(there))) => {
                    prop_assert_eq!((here.kind, here.len), (there.kind, there.len), "{}\n{}", path, memory.listing());
                    files.push((here.file, there.file));
                }
                (Ok(Probe::Absent), Ok(Probe::Absent)) => {}
                (Err(here), Err(there)) => {
                    prop_assert_eq!((here.kind(), there.kind()), (&FaultKind::LinkCycle, &FaultKind::LinkCycle));
                }
                other => prop_assert!(false, "{}: {:?}\n{}", path, other, memory.listing()),
            }
            let reads = runtime.block_on(async { (memory.read(&real, CAP).await, local.read(&real, CAP).await) });
            match reads {
                (Ok(ReadOutcome::Content { bytes: here, .. }), Ok(ReadOutcome::Content { bytes: there, .. })) => {
                    prop_assert_eq!(here, there, "{}", path);
                }
                (here, there) => prop_assert_eq!(here, there, "{}", path),
            }
            let lists = runtime.block_on(async { (memory.list(&real, 2).await, local.list(&real, 2).await) });
            match lists {
                (
                    Ok(Listing::Entries { entries: here, left_out: more_here, .. }),
                    Ok(Listing::Entries { entries: there, left_out: more_there, .. }),
                ) => prop_assert_eq!((here, more_here), (there, more_there), "{}", path),
                (here, there) => prop_assert_eq!(here, there, "{}", path),
            }
        }
        for (here, there) in &files {
            for (other_here, other_there) in &files {
                prop_assert_eq!(here == other_here, there == other_there, "one file here is one file there");
            }
        }
    }
}
