//! What a directory has, on disk and in memory, and who cannot say.

use std::fs::{self, File};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::symlink;
use std::sync::Arc;
use std::time::Duration;

use standing_orders_fs::{
    ContentOver, DirectoryEntry, EntryKind, FaultKind, FileKind, FsError, FsProvider, FsProviderExt, Listing,
    LocalFs, MemoryFs, Metadata, PathBatch, Probe, ReadOutcome, Timeout, Traced, Versions,
};

use crate::fixtures::{OnDisk, make_fifo, present};

fn entries(listing: Result<Listing, FsError>) -> (Vec<DirectoryEntry>, u64, Metadata) {
    match listing {
        Ok(Listing::Entries { entries, left_out, metadata }) => (entries, left_out, metadata),
        other => panic!("a directory, but the listing says {other:?}"),
    }
}

fn lines(entries: &[DirectoryEntry]) -> Vec<String> {
    entries.iter().map(|entry| format!("{:?} {:?}", entry.name, entry.kind)).collect()
}

#[tokio::test]
async fn every_kind_of_entry_is_named_in_byte_order_and_no_link_is_followed() {
    let disk = OnDisk::new();
    let folder = disk.path("folder");
    fs::create_dir_all(folder.join("inner")).unwrap();
    for name in ["b.md", "a.md", "Z.md", "指示.md", "line\nfeed"] {
        File::create(folder.join(name)).unwrap();
    }
    File::create(folder.join(std::ffi::OsStr::from_bytes(b"caf\xe9"))).unwrap();
    make_fifo(&folder.join("fifo")).unwrap();
    for (target, name) in [("inner", "to folder"), ("nowhere", "dangling"), ("itself", "itself")] {
        symlink(target, folder.join(name)).unwrap();
    }
    let expected = [
        "\"Z.md\" File",
        "\"a.md\" File",
        "\"b.md\" File",
        "\"caf\\xE9\" File",
        "\"dangling\" Link",
        "\"fifo\" Other",
        "\"inner\" Directory",
        "\"itself\" Link",
        "\"line\\nfeed\" File",
        "\"to folder\" Link",
        "\"指示.md\" File",
    ];
    let fs = LocalFs::new();
    let (all, left_out, metadata) = entries(fs.list(&folder, 100).await);
    assert_eq!((lines(&all), left_out), (expected.map(String::from).to_vec(), 0));
    assert_eq!(metadata.kind, FileKind::Directory);
    for limit in 0..expected.len() {
        let (some, left_out, _) = entries(fs.list(&folder, limit).await);
        assert_eq!(lines(&some), expected[..limit], "the first {limit}");
        assert_eq!(left_out as usize, expected.len() - limit, "the others are counted");
    }
}

#[tokio::test]
async fn a_large_directory_is_read_to_its_end_and_its_first_names_are_answered() {
    let disk = OnDisk::new();
    for index in 0..2000 {
        File::create(disk.path(&format!("{index:04}"))).unwrap();
    }
    let (some, left_out, _) = entries(LocalFs::new().list(disk.folder.path(), 3).await);
    assert_eq!(lines(&some), ["\"0000\" File", "\"0001\" File", "\"0002\" File"]);
    assert_eq!(left_out, 1997);
}

#[tokio::test]
async fn a_settled_version_of_a_directory_is_that_of_the_names_listed() {
    let disk = OnDisk::new();
    let folder = disk.path("folder");
    fs::create_dir(&folder).unwrap();
    let fs = LocalFs::new();
    let mut kept = Vec::new();
    for name in ["a", "b", "c"] {
        File::create(folder.join(name)).unwrap();
        let (_, _, early) = entries(fs.list(&folder, 9).await);
        assert_eq!(early.settled_version(), None, "so short after {name:?} came, another may come unseen");
        disk.wait_settled();
        let (_, _, late) = entries(fs.list(&folder, 9).await);
        assert_eq!(present(&fs, &folder).await, late, "a probe says the same of it");
        assert!(!kept.contains(&late.settled_version().unwrap()), "{name:?} came");
        kept.extend(late.settled_version());
    }
}

#[tokio::test]
async fn a_relative_path_is_a_fault_and_a_path_below_a_file_is_absent() {
    let disk = OnDisk::new();
    File::create(disk.path("file")).unwrap();
    let fs = LocalFs::new();
    assert!(matches!(
        fs.list("src", 9).await.map_err(|fault| fault.kind().clone()),
        Err(FaultKind::Other(_))
    ));
    assert_eq!(fs.list(disk.path("file/below"), 9).await, Ok(Listing::Absent));
    assert_eq!(fs.list(disk.path("file"), 9).await, Ok(Listing::NotADirectory(FileKind::File)));
    let memory = MemoryFs::from_iter([("/src/file", "")]);
    assert!(memory.list("src", 9).await.is_err(), "as on disk");
    memory.set_versions(Versions::Unsettled);
    assert_eq!(entries(memory.list("/src", 9).await).2.settled_version(), None, "versions are as told");
}

/// A provider of the time before listings.
#[derive(Debug)]
struct Old;

#[async_trait::async_trait]
impl FsProvider for Old {
    async fn probe_many(&self, paths: &PathBatch) -> Vec<Result<Probe, FsError>> {
        paths.iter().map(|_| Ok(Probe::Absent)).collect()
    }

    async fn read_many(&self, paths: &PathBatch, _: u64) -> Vec<Result<ReadOutcome, FsError>> {
        paths.iter().map(|_| Ok(ReadOutcome::Absent)).collect()
    }
}

#[tokio::test]
async fn a_provider_that_cannot_list_says_so_of_every_path_through_every_decorator() {
    let wrapped = Traced::new(Timeout::new(ContentOver::new(Arc::new(Old), Old), Duration::from_secs(1)));
    let batch: PathBatch = ["/ws", "/指示"].into_iter().collect();
    let expected: Vec<_> = batch.iter().map(|path| Err(FsError::new(path, FaultKind::Unsupported))).collect();
    assert_eq!(wrapped.list_many(&batch, 9).await, expected);
    assert_eq!(Box::new(&Old).list_many(&batch, 9).await, expected);
}

#[tokio::test]
async fn content_over_lists_what_its_metadata_provider_has() {
    let (metadata, content) =
        (MemoryFs::from_iter([("/ws/here", "")]), MemoryFs::from_iter([("/ws/there", "")]));
    let fs = ContentOver::new(metadata, content.clone());
    let (found, _, _) = entries(fs.list("/ws", 9).await);
    assert_eq!(found, [DirectoryEntry { name: "here".into(), kind: EntryKind::File }]);
    assert_eq!(content.counters().listings, 0, "the other is not asked");
}
