//! The tree of the memory provider: links, faults, versions, and what a write does.

use std::time::Duration;

use bytes::Bytes;
use standing_orders_fs::{
    Fault, FaultKind, FileKind, FsError, FsProvider, FsProviderExt, MemoryFs, PathBatch, ReadOutcome,
    Versions,
};

use crate::fixtures::{CAP, absent, content, present};

#[tokio::test]
async fn links_lead_where_the_kernel_would_go() {
    let fs = MemoryFs::from_iter([
        ("/ws/AGENTS.md", "root"),
        ("/ws/a/b/AGENTS.md", "deep"),
        ("/shared/指示.md", "shared"),
        ("/empty/", ""),
    ]);
    for (target, path) in [
        ("AGENTS.md", "/ws/CLAUDE.md"),
        ("/shared/指示.md", "/ws/absolute.md"),
        ("../shared/指示.md", "/ws/up.md"),
        ("../../../../../shared/指示.md", "/ws/above root.md"),
        ("CLAUDE.md", "/ws/chain.md"),
        ("a/b", "/ws/short"),
        ("short/", "/ws/slash"),
        ("AGENTS.md/", "/ws/file as folder"),
        ("gone", "/ws/dangling"),
        ("", "/ws/empty"),
        ("itself", "/ws/itself"),
        ("pong", "/ws/ping"),
        ("ping", "/ws/pong"),
    ] {
        fs.symlink(target, path);
    }
    for (path, text) in [
        ("/ws/CLAUDE.md", "root"),
        ("/ws/absolute.md", "shared"),
        ("/ws/up.md", "shared"),
        ("/ws/above root.md", "shared"),
        ("/ws/chain.md", "root"),
        ("/ws/short/AGENTS.md", "deep"),
        ("/ws/slash/AGENTS.md", "deep"),
        ("/ws/short/../../AGENTS.md", "root"),
        ("/ws/./a/../AGENTS.md", "root"),
        ("//ws//AGENTS.md", "root"),
    ] {
        assert_eq!(content(&fs, path).await.0, text, "{path}");
    }
    for path in [
        "/ws/dangling",
        "/ws/empty",
        "/ws/file as folder",
        "/ws/AGENTS.md/",
        "/ws/AGENTS.md/.",
        "/ws/AGENTS.md/..",
        "/ws/gone/../AGENTS.md",
        "/ws/CLAUDE.md/below",
        "/empty/AGENTS.md",
    ] {
        absent(&fs, path).await;
    }
    for path in ["/ws/itself", "/ws/ping", "/ws/pong/below"] {
        let cycle = FsError::new(path, FaultKind::LinkCycle);
        assert_eq!(fs.probe(path).await, Err(cycle.clone()), "{path}");
        assert_eq!(fs.read(path, CAP).await, Err(cycle), "{path}");
    }
    assert_eq!(present(&fs, "/ws/short/").await.kind, FileKind::Directory, "a folder by a link");
    assert_eq!(present(&fs, "/").await.kind, FileKind::Directory, "the root is there");
}

#[tokio::test]
async fn forty_links_are_followed_and_one_more_is_a_cycle() {
    let fs = MemoryFs::from_iter([("/0", "end")]);
    for link in 1..=41 {
        fs.symlink((link - 1).to_string(), format!("/{link}"));
    }
    assert_eq!(content(&fs, "/40").await.0, "end");
    assert_eq!(fs.probe("/41").await, Err(FsError::new("/41", FaultKind::LinkCycle)), "as on Linux");
}

#[tokio::test]
async fn a_relative_path_is_a_fault_as_in_the_local_provider() {
    let fs = MemoryFs::from_iter([("ws/AGENTS.md", "text")]);
    assert!(fs.probe("ws/AGENTS.md").await.is_err() && fs.read("", CAP).await.is_err());
    assert_eq!(content(&fs, "/ws/AGENTS.md").await.0, "text", "written, it is taken from the root");
}

#[tokio::test]
async fn a_write_keeps_a_file_s_identity_and_replaces_anything_else() {
    let fs = MemoryFs::from_iter([("/ws/AGENTS.md", "one"), ("/ws/target", "kept")]);
    fs.hard_link("/ws/AGENTS.md", "/ws/name").unwrap();
    let before = present(&fs, "/ws/AGENTS.md").await;
    fs.write("/ws/AGENTS.md", "two");
    assert_eq!(present(&fs, "/ws/AGENTS.md").await.file, before.file, "written in place");
    assert_eq!(content(&fs, "/ws/name").await.0, "two", "seen under its other name");

    fs.symlink("target", "/ws/link");
    fs.write("/ws/link", "new");
    assert_eq!(content(&fs, "/ws/target").await.0, "kept", "the link was replaced, not followed");
    assert_eq!(content(&fs, "/ws/link").await.0, "new");

    fs.make_dir("/ws/folder/inner");
    fs.write("/ws/folder", "file");
    absent(&fs, "/ws/folder/inner").await;
    fs.special("/ws/folder");
    assert_eq!(fs.read("/ws/folder", CAP).await, Ok(ReadOutcome::NotAFile(FileKind::Other)));
}

#[tokio::test]
async fn parents_are_made_followed_or_replaced() {
    let fs = MemoryFs::from_iter([("/file", "text"), ("/real/", "")]);
    fs.symlink("real", "/link");
    fs.symlink("nowhere", "/dangling");
    fs.symlink("cycle", "/cycle");
    for path in ["/new/er/AGENTS.md", "/link/AGENTS.md", "/file/AGENTS.md", "/dangling/指示.md", "/cycle/a"]
    {
        fs.write(path, path);
        assert_eq!(content(&fs, path).await.0, path, "{path}");
    }
    assert_eq!(content(&fs, "/real/AGENTS.md").await.0, "/link/AGENTS.md", "a link to a folder is followed");
    absent(&fs, "/nowhere").await;
    fs.make_dir("/link");
    assert_eq!(content(&fs, "/link/AGENTS.md").await.0, "/link/AGENTS.md", "what leads to a folder stays");
}

#[tokio::test]
async fn the_root_is_always_a_directory() {
    let fs = MemoryFs::from_iter([("/ws/AGENTS.md", "text")]);
    for path in ["/", "", "/ws/.."] {
        fs.write(path, "text");
        fs.symlink("/ws", path);
        fs.special(path);
        assert!(fs.hard_link("/ws/AGENTS.md", path).is_err(), "{path:?} does not end in a name");
    }
    assert_eq!(content(&fs, "/ws/AGENTS.md").await.0, "text", "nothing changed");
    assert!(fs.remove("/") && !fs.remove("/"), "it is emptied, once");
    absent(&fs, "/ws").await;
    assert_eq!(present(&fs, "/").await.kind, FileKind::Directory);
}

#[tokio::test]
async fn removing_takes_a_folder_with_all_in_it_and_a_link_without_its_target() {
    let fs = MemoryFs::from_iter([("/ws/a/b/AGENTS.md", "deep"), ("/ws/c", "c")]);
    fs.hard_link("/ws/a/b/AGENTS.md", "/ws/second").unwrap();
    fs.symlink("/ws/a", "/ws/link");
    assert!(fs.remove("/ws/link"), "the link was there");
    assert_eq!(content(&fs, "/ws/a/b/AGENTS.md").await.0, "deep", "its target stays");
    assert!(fs.remove("/ws/a"));
    absent(&fs, "/ws/a/b/AGENTS.md").await;
    assert_eq!(content(&fs, "/ws/second").await.0, "deep", "a file lives as long as it has a name");
    assert!(!fs.remove("/ws/a") && !fs.remove("/gone/x") && !fs.remove("/ws/c/x"), "nothing there");
    assert_eq!(fs.listing(), "\"/ws\" directory\n\"/ws/c\" 1 bytes\n\"/ws/second\" 4 bytes\n");
}

#[tokio::test]
async fn hard_links_are_of_files_alone() {
    let fs = MemoryFs::from_iter([("/file", "text"), ("/folder/", "")]);
    assert!(fs.hard_link("/gone", "/name").is_err(), "nothing there");
    assert!(fs.hard_link("/folder", "/name").is_err(), "a folder");
    fs.hard_link("/file", "/file").unwrap();
    assert_eq!(content(&fs, "/file").await.0, "text", "onto itself it stays");
    assert!(fs.remove("/file"));
    absent(&fs, "/file").await;
}

#[tokio::test]
async fn every_write_gives_a_new_settled_version() {
    let fs = MemoryFs::new();
    let mut seen = Vec::new();
    for _ in 0..3 {
        fs.write("/AGENTS.md", "same text");
        let found = present(&fs, "/AGENTS.md").await;
        assert!(found.settled && !seen.contains(&found.version), "new and settled: {found:?}");
        assert_eq!(present(&fs, "/AGENTS.md").await, found, "and kept while nothing is written");
        seen.push(found.version);
    }
    fs.remove("/AGENTS.md");
    fs.write("/AGENTS.md", "same text");
    assert!(!seen.contains(&present(&fs, "/AGENTS.md").await.version), "new when it comes back");
}

#[tokio::test]
async fn versions_and_identities_can_be_switched() {
    let fs = MemoryFs::from_iter([("/AGENTS.md", "text")]);
    let usual = present(&fs, "/AGENTS.md").await;
    fs.set_versions(Versions::Unsettled);
    let found = present(&fs, "/AGENTS.md").await;
    assert_eq!((found.version, found.settled), (usual.version, false), "the same, unsettled");
    fs.set_versions(Versions::Off);
    assert_eq!(content(&fs, "/AGENTS.md").await.1.version, None, "none");
    fs.set_identities(false);
    assert_eq!(present(&fs, "/AGENTS.md").await.file, None, "none");
    fs.set_versions(Versions::Settled);
    fs.set_identities(true);
    assert_eq!(present(&fs, "/AGENTS.md").await, usual, "and back");
}

#[tokio::test]
async fn a_fault_belongs_to_the_path_that_is_asked_for() {
    let fs = MemoryFs::from_iter([("/ws/AGENTS.md", "text"), ("/ws/dir/指示.md", "text")]);
    fs.symlink("AGENTS.md", "/ws/link");
    for kind in [
        FaultKind::PermissionDenied,
        FaultKind::LinkCycle,
        FaultKind::TimedOut(Duration::from_secs(3)),
        FaultKind::Other("odd".into()),
    ] {
        fs.fault("/ws/AGENTS.md", Fault::Stat(kind.clone()));
        let probe = fs.probe("/ws/AGENTS.md").await;
        let expected = FsError::new("/ws/AGENTS.md", kind);
        assert_eq!(probe, Err(expected.clone()), "the fault that was ordered");
        assert_eq!(fs.read("/ws/AGENTS.md", CAP).await, Err(expected), "what cannot be seen cannot be read");
        assert_eq!(content(&fs, "/ws/link").await.0, "text", "another path to the file answers");
    }
    fs.fault("/ws/AGENTS.md", Fault::Read(FaultKind::PermissionDenied));
    assert!(fs.probe("/ws/AGENTS.md").await.is_ok(), "a read fault leaves probes alone");
    assert!(fs.read("/ws/AGENTS.md", CAP).await.is_err());
    fs.fault("/ws/AGENTS.md", None);
    assert_eq!(content(&fs, "/ws/AGENTS.md").await.0, "text", "healed");

    let denied = Err(FsError::new("/ws/dir", FaultKind::PermissionDenied));
    fs.fault("/ws/dir", Fault::Read(FaultKind::PermissionDenied));
    assert_eq!(present(&fs, "/ws/dir").await.kind, FileKind::Directory, "a read fault leaves probes alone");
    assert_eq!(fs.list("/ws/dir", 9).await, denied, "and fails listings");
    fs.fault("/ws/dir", Fault::Stat(FaultKind::PermissionDenied));
    assert_eq!(fs.list("/ws/dir", 9).await, denied, "what cannot be seen cannot be listed");
    assert_eq!(content(&fs, "/ws/dir/指示.md").await.0, "text", "what is below answers");
    fs.fault("/ws/none", Fault::Stat(FaultKind::PermissionDenied));
    assert!(fs.probe("/ws/none").await.is_err(), "nothing there, and a fault all the same");
}

#[tokio::test]
async fn content_is_shared_and_never_copied() {
    let large = Bytes::from(vec![b'x'; 1 << 24]);
    let fs = MemoryFs::from_iter([("/one", large.clone()), ("/two", large.clone())]);
    for path in ["/one", "/two"] {
        let Ok(ReadOutcome::Content { bytes, .. }) = fs.read(path, u64::MAX).await else {
            panic!("{path} is there");
        };
        assert_eq!(bytes.as_ptr(), large.as_ptr(), "{path} is the very same memory");
    }
}

#[tokio::test]
async fn a_batch_holds_no_more_than_allowed() {
    let fs = MemoryFs::from_iter([("/a", "1234"), ("/b", "123456"), ("/c", "1")]);
    fs.set_max_batch_bytes(9);
    let batch: PathBatch = ["/gone", "/a", "/b", "/c"].into_iter().collect();
    let answers = fs.read_many(&batch, CAP).await;
    assert!(matches!(&answers[1], Ok(ReadOutcome::Content { .. })), "the first file is answered");
    assert_eq!(answers[2..], [Ok(ReadOutcome::Deferred), Ok(ReadOutcome::Deferred)], "the rest waits");
}

#[test]
fn debug_is_short_and_the_listing_is_one_line_an_entry() {
    let fs = MemoryFs::from_iter([("/ws/AGENTS.md", "x".repeat(1 << 20)), ("/ws/.git/", String::new())]);
    fs.symlink("../指示", "/ws/line\nfeed");
    fs.special("/ws/fifo");
    assert!(format!("{fs:?}").len() < 80, "{fs:?}");
    let lines = [
        "\"/ws\" directory",
        "\"/ws/.git\" directory",
        "\"/ws/AGENTS.md\" 1048576 bytes",
        "\"/ws/fifo\" special",
        "\"/ws/line\\nfeed\" -> \"../指示\"",
    ];
    assert_eq!(fs.listing().lines().collect::<Vec<_>>(), lines);
}
