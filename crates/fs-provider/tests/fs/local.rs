//! The ordinary life of the local provider.

use std::fs;
use std::os::unix::fs::symlink;
use std::task::{Context, Poll, Waker};

use standing_orders_fs::{
    FaultKind, FileKind, FsError, FsProvider, FsProviderExt, KnownVersion, LocalFs, PathBatch, PlannedRead,
    Probe, Probed, ReadOutcome, ReadPlan,
};

use crate::fixtures::{CAP, OnDisk, absent, content, is_other, present};

#[tokio::test]
async fn a_file_is_probed_and_read_with_one_identity_and_version() {
    let disk = OnDisk::new();
    let (file, link) = (disk.path("指示.md"), disk.path("link"));
    fs::write(&file, "Nutze uv. 你好").unwrap();
    symlink("指示.md", &link).unwrap();
    disk.wait_settled();

    let fs = LocalFs::new();
    let probed = present(&fs, &file).await;
    assert_eq!((probed.kind, probed.len, probed.settled), (FileKind::File, Some(16), true));
    let (text, read) = content(&fs, &link).await;
    assert_eq!(text, "Nutze uv. 你好");
    assert_eq!(read, probed, "the link leads to the same file, and nothing changed");
}

#[tokio::test]
async fn what_is_picked_is_read_with_its_probe_once_a_file() {
    let disk = OnDisk::new();
    let [file, link, other] = ["指示.md", "link", "other"].map(|name| disk.path(name));
    fs::write(&file, "Nutze uv. 你好").unwrap();
    symlink("指示.md", &link).unwrap();
    fs::write(&other, "x".repeat(40)).unwrap();
    disk.wait_settled();
    let fs = LocalFs::new();
    let paths: PathBatch = [&file, &link, &other, &disk.path("none")].into_iter().collect();
    let each = (0..4).map(|group| PlannedRead { group, known: KnownVersion::Nothing });
    let Probed { probes, reads } = fs.probe_and_read(&paths, &ReadPlan::new(each, 20)).await;
    assert_eq!(probes, fs.probe_many(&paths).await, "the same probes");
    let texts: Vec<_> = reads
        .iter()
        .map(|(index, read)| match read {
            Ok(ReadOutcome::Content { bytes, .. }) => (*index, std::str::from_utf8(bytes).unwrap()),
            other => panic!("{other:?}"),
        })
        .collect();
    assert_eq!(texts, [(0, "Nutze uv. 你好")], "the link leads to the same file, and the other is too large");
}

#[tokio::test]
async fn a_directory_has_an_identity_and_no_size() {
    let disk = OnDisk::new();
    fs::create_dir(disk.path("folder")).unwrap();
    symlink("folder", disk.path("link")).unwrap();
    let fs = LocalFs::new();
    let folder = present(&fs, disk.path("folder")).await;
    assert_eq!((folder.kind, folder.len), (FileKind::Directory, None));
    assert_eq!(present(&fs, disk.path("link")).await.file, folder.file, "one directory by two paths");
    assert!(folder.file.is_some(), "a local directory has an identity");
}

#[tokio::test]
async fn a_rename_over_a_file_changes_identity_and_version() {
    let disk = OnDisk::new();
    let (file, next) = (disk.path("AGENTS.md"), disk.path("next"));
    fs::write(&file, "one").unwrap();
    fs::write(&next, "two").unwrap();
    disk.wait_settled();
    let fs = LocalFs::new();
    let before = present(&fs, &file).await;
    fs::rename(&next, &file).unwrap();
    let after = present(&fs, &file).await;
    assert_ne!(after.file, before.file, "another file stands there");
    assert!(!after.is_still(before.settled_version()), "an editor's atomic save is seen");
}

#[tokio::test]
async fn an_edit_that_restores_the_modification_time_is_seen() {
    let disk = OnDisk::new();
    let file = disk.path("AGENTS.md");
    fs::write(&file, "one").unwrap();
    let modified = fs::metadata(&file).unwrap().modified().unwrap();
    disk.wait_settled();
    let fs = LocalFs::new();
    let before = present(&fs, &file).await.settled_version();
    assert!(before.is_some(), "settled");
    fs::write(&file, "two").unwrap();
    fs::File::options().write(true).open(&file).unwrap().set_modified(modified).unwrap();
    disk.wait_settled();
    let after = present(&fs, &file).await;
    assert!(after.settled && !after.is_still(before), "the change time gives it away");
}

#[tokio::test]
async fn relative_and_empty_paths_are_faults_and_never_resolved_against_a_working_directory() {
    let fs = LocalFs::new();
    for path in ["", ".", "Cargo.toml", "./Cargo.toml", "指示.md"] {
        assert!(is_other(&fs.probe(path).await), "probe of {path:?}");
        assert!(is_other(&fs.read(path, CAP).await), "read of {path:?}");
    }
}

#[tokio::test]
async fn a_nul_in_a_path_is_a_fault() {
    let fs = LocalFs::new();
    assert!(fs.probe("/tmp/a\0b").await.is_err(), "no file can have this name, but the kernel was not asked");
}

#[tokio::test]
async fn a_file_with_a_slash_at_its_end_is_absent() {
    let disk = OnDisk::new();
    fs::write(disk.path("file"), "text").unwrap();
    absent(&LocalFs::new(), disk.path("file/")).await;
    absent(&LocalFs::new(), disk.path("file/..")).await;
}

#[test]
fn outside_a_runtime_every_path_answers_that_one_is_needed() {
    let fs = LocalFs::new();
    let batch: PathBatch = ["/tmp", "/gone"].into_iter().collect();
    let mut context = Context::from_waker(Waker::noop());
    let Poll::Ready(probes) = fs.probe_many(&batch).as_mut().poll(&mut context) else {
        panic!("nothing to wait for");
    };
    let needed = |path| FsError::new(path, FaultKind::NoRuntime);
    assert_eq!(probes, ["/tmp", "/gone"].map(|path| Err(needed(path))));
    let Poll::Ready(reads) = fs.read_many(&batch, CAP).as_mut().poll(&mut context) else {
        panic!("nothing to wait for");
    };
    assert_eq!(reads, ["/tmp", "/gone"].map(|path| Err(needed(path))));

    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let later = runtime.block_on(fs.probe("/"));
    assert!(matches!(later, Ok(Probe::Present(_))), "the same provider works within one, without its timer");
}
