//! What should not be there and is.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::os::unix::net::UnixListener;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::Command;

use standing_orders_fs::{
    FaultKind, FileKind, FsError, FsProvider, FsProviderExt, Listing, LocalFs, LocalFsOptions, PathBatch,
    Probe, ReadOutcome,
};

use crate::fixtures::{CAP, OnDisk, absent, brief, content, is_other, make_fifo, present};

#[tokio::test]
async fn fifo_socket_device_and_directory_are_never_read() {
    let disk = OnDisk::new();
    make_fifo(&disk.path("fifo")).unwrap();
    symlink("fifo", disk.path("link to fifo")).unwrap();
    let _socket = UnixListener::bind(disk.path("socket")).unwrap();
    fs::create_dir(disk.path("AGENTS.md")).unwrap();
    let rows = [
        (disk.path("fifo"), FileKind::Other),
        (disk.path("link to fifo"), FileKind::Other),
        (disk.path("socket"), FileKind::Other),
        ("/dev/zero".into(), FileKind::Other),
        ("/dev/null".into(), FileKind::Other),
        (disk.path("AGENTS.md"), FileKind::Directory),
    ];
    let fs = LocalFs::new();
    for (path, kind) in &rows {
        let found = present(&fs, path).await;
        assert_eq!((found.kind, found.len), (*kind, None), "probe of {path:?}");
    }
    let batch: PathBatch = rows.iter().map(|(path, _)| path).collect();
    let reads = fs.read_many(&batch, u64::MAX).await;
    for ((path, kind), read) in rows.iter().zip(reads) {
        assert_eq!(read, Ok(ReadOutcome::NotAFile(*kind)), "read of {path:?}");
    }
}

#[tokio::test]
async fn link_cycles_are_faults_and_name_themselves() {
    let disk = OnDisk::new();
    let path = disk.path("itself");
    symlink("itself", &path).unwrap();
    let fs = LocalFs::new();
    assert_eq!(fs.probe(&path).await, Err(FsError::new(&path, FaultKind::LinkCycle)));
    assert_eq!(fs.read(&path, CAP).await, Err(FsError::new(&path, FaultKind::LinkCycle)));
}

#[tokio::test]
async fn a_name_that_is_too_long_is_a_fault_and_not_absent() {
    let disk = OnDisk::new();
    let fs = LocalFs::new();
    for (row, path) in
        [("the name", disk.path(&"n".repeat(256))), ("the path", disk.path(&"n/".repeat(3000)))]
    {
        assert!(is_other(&fs.probe(&path).await), "{row}");
        assert!(is_other(&fs.read(&path, CAP).await), "{row}");
    }
}

#[tokio::test]
async fn names_that_are_not_text_are_taken_as_they_are() {
    let disk = OnDisk::new();
    let fs = LocalFs::new();
    for name in [&b"line\nfeed.md"[..], b"not utf-8 \xff\xfe.md", b"\x1b[31m", "指示 🦀.md".as_bytes()] {
        let path = disk.folder.path().join(OsStr::from_bytes(name));
        absent(&fs, &path).await;
        fs::write(&path, "text").unwrap();
        assert_eq!(content(&fs, &path).await.0, "text", "{path:?}");
    }
}

/// Peak memory of this process in bytes, where the system tells.
fn peak_memory() -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    Some(line.trim().strip_suffix(" kB")?.parse::<u64>().ok()? * 1024)
}

const SPARSE: &str = "a_sparse_file_of_2_gb_is_too_large_and_costs_no_memory";

/// In a process of its own, for the peak of memory is that of all its tests.
#[test]
fn a_sparse_file_of_2_gb_is_too_large_and_costs_no_memory() {
    if std::env::var_os(SPARSE).is_some() {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        return runtime.block_on(read_sparse_file());
    }
    let run = alone(SPARSE).env(SPARSE, "alone").output().unwrap();
    assert!(run.status.success() && String::from_utf8_lossy(&run.stdout).contains("1 passed"), "{run:?}");
}

async fn read_sparse_file() {
    const SIZE: u64 = 2 << 30;
    let disk = OnDisk::new();
    let path = disk.path("AGENTS.md");
    File::create(&path).unwrap().set_len(SIZE).unwrap();
    let before = peak_memory();
    match LocalFs::new().read(&path, CAP).await {
        Ok(ReadOutcome::TooLarge { len: SIZE, metadata }) => {
            assert_eq!(metadata.len, Some(SIZE), "the metadata is that of the file");
        }
        other => panic!("2 GB at a cap of 1 MiB read as {other:?}"),
    }
    if let (Some(before), Some(after)) = (before, peak_memory()) {
        assert!(after - before < 16 << 20, "the peak of memory rose from {before} to {after} bytes");
    }
}

#[tokio::test]
async fn a_file_that_reports_no_size_is_counted_while_it_is_read() {
    // Where there is no such file system, there is nothing to see.
    let small = Path::new("/proc/self/status");
    if !small.exists() {
        return println!("note: no /proc here, not checked");
    }
    let fs = LocalFs::new();
    assert_eq!(present(&fs, small).await.len, Some(0), "it reports no size");
    let (text, metadata) = content(&fs, small).await;
    assert!(text.contains("VmPeak"), "and has content all the same");
    assert_eq!(metadata.settled_version(), None, "metadata that is wrong about the size is not trusted");
    match fs.read(small, 10).await {
        Ok(ReadOutcome::TooLarge { len, .. }) => assert!(len > 10, "{len}"),
        other => panic!("more than 10 bytes read as {other:?}"),
    }
}

#[tokio::test]
async fn an_endless_file_that_reports_no_size_ends_at_the_cap_and_at_the_room() {
    let endless = Path::new("/proc/self/pagemap");
    if !endless.exists() {
        return println!("note: no endless file here, not checked");
    }
    let disk = OnDisk::new();
    fs::write(disk.path("first"), "text").unwrap();
    let fs = LocalFs::with(LocalFsOptions::default().max_batch_bytes(100_000));
    match fs.read(endless, CAP).await {
        Ok(ReadOutcome::TooLarge { len, .. }) => {
            assert!((CAP + 1..=CAP + (64 << 10)).contains(&len), "the cap and at most one chunk: {len}");
        }
        other => panic!("an endless file read as {other:?}"),
    }
    let batch: PathBatch = [disk.path("first").as_path(), endless].into_iter().collect();
    let answers = fs.read_many(&batch, u64::MAX).await;
    assert_eq!(answers[1], Ok(ReadOutcome::Deferred), "the room of the batch ends it too");
}

#[tokio::test]
async fn a_file_that_says_it_is_larger_than_memory_is_a_fault_and_no_abort() {
    let disk = OnDisk::new();
    let path = disk.path("AGENTS.md");
    // ext4 takes 16 TiB less a block; a smaller limit elsewhere is as good.
    if File::create(&path).unwrap().set_len(1 << 43).is_err() {
        return println!("note: no file of 8 TiB here, not checked");
    }
    fs::write(disk.path("other"), "text").unwrap();
    let fs = LocalFs::new();
    assert!(matches!(fs.read(&path, CAP).await, Ok(ReadOutcome::TooLarge { .. })), "at any sane cap");
}

#[tokio::test]
async fn a_fault_leaves_its_neighbours_alone() {
    let disk = OnDisk::new();
    fs::write(disk.path("one"), "1").unwrap();
    symlink("itself", disk.path("itself")).unwrap();
    let batch: PathBatch = ["one", "itself", "gone", "one"].iter().map(|name| disk.path(name)).collect();
    let fs = LocalFs::new();
    assert_eq!(brief(&fs.probe_many(&batch).await), ["ok", "fault", "ok", "ok"]);
    assert_eq!(brief(&fs.read_many(&batch, CAP).await), ["ok", "fault", "ok", "ok"]);
}

const MODES: &str = "a_missing_permission_is_a_fault_and_never_absent";

#[tokio::test]
async fn a_missing_permission_is_a_fault_and_never_absent() {
    if rustix::process::geteuid().is_root() {
        return match as_nobody() {
            Ok(run) => assert!(run.contains("1 passed"), "as nobody:\n{run}"),
            Err(error) => println!("note: cannot run as nobody ({error}), modes not checked"),
        };
    }
    let disk = OnDisk::new();
    let (folder, file) = (disk.path("folder"), disk.path("file"));
    fs::create_dir(&folder).unwrap();
    fs::write(folder.join("AGENTS.md"), "text").unwrap();
    fs::write(&file, "text").unwrap();
    fs::set_permissions(&folder, PermissionsExt::from_mode(0o000)).unwrap();
    fs::set_permissions(&file, PermissionsExt::from_mode(0o000)).unwrap();

    let fs = LocalFs::new();
    for name in ["AGENTS.md", "none"] {
        let path = folder.join(name);
        let denied = FsError::new(&path, FaultKind::PermissionDenied);
        assert_eq!(fs.probe(&path).await, Err(denied.clone()), "probe of {name} in a locked folder");
        assert_eq!(fs.read(&path, CAP).await, Err(denied), "read of {name} in a locked folder");
    }
    assert!(matches!(fs.probe(&folder).await, Ok(Probe::Present(_))), "the folder itself can be seen");
    assert!(matches!(fs.probe(&file).await, Ok(Probe::Present(_))), "so can the file");
    let denied = FsError::new(&folder, FaultKind::PermissionDenied);
    assert_eq!(fs.list(&folder, 9).await, Err(denied), "but not listed");
    fs::set_permissions(&folder, PermissionsExt::from_mode(0o400)).unwrap();
    assert!(
        matches!(fs.list(&folder, 9).await, Ok(Listing::Entries { entries, .. }) if entries.len() == 1),
        "a folder that may be read and not searched has names"
    );
    assert_eq!(
        fs.read(&file, CAP).await,
        Err(FsError::new(&file, FaultKind::PermissionDenied)),
        "but not read"
    );
    fs::set_permissions(&folder, PermissionsExt::from_mode(0o700)).unwrap();
}

/// Modes do not bind the superuser: the test runs again as somebody they bind.
fn as_nobody() -> std::io::Result<String> {
    let run = alone(MODES).current_dir("/").uid(65534).gid(65534).output()?;
    Ok(format!("{}{}", String::from_utf8_lossy(&run.stdout), String::from_utf8_lossy(&run.stderr)))
}

/// One test of this module in a process of its own.
fn alone(test: &str) -> Command {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args([&format!("local_odd::{test}"), "--exact"]);
    command
}
