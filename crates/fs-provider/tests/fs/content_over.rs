//! Metadata from one provider, content from another: when is the version trusted?

use std::sync::Arc;

use standing_orders_fs::{
    ContentOver, Fault, FaultKind, FileKind, FsError, FsProvider, FsProviderExt, MemoryFs, PathBatch, Probe,
    ReadOutcome, Versions,
};

use crate::fixtures::{CAP, content, is_other, present};

const PATH: &str = "/ws/指示.md";

fn pair(disk: &str, editor: &str) -> (MemoryFs, MemoryFs, ContentOver<MemoryFs, MemoryFs>) {
    let (metadata, content) =
        (MemoryFs::from_iter([(PATH, disk.to_owned())]), MemoryFs::from_iter([(PATH, editor.to_owned())]));
    (metadata.clone(), content.clone(), ContentOver::new(metadata, content))
}

#[tokio::test]
async fn probes_and_read_metadata_come_from_the_one_and_bytes_from_the_other() {
    let (metadata, text, fs) = pair("aaaa", "bbbb");
    assert_eq!(present(&fs, PATH).await, present(&metadata, PATH).await);
    assert_eq!(text.counters().probes, 0, "the content provider is never probed");
    let (bytes, read) = content(&fs, PATH).await;
    assert_eq!(bytes, "bbbb");
    assert_eq!(read, present(&metadata, PATH).await, "trusted: nothing changed around the read");
}

/// A provider that does something to a tree while it is read.
struct Meanwhile<F>(MemoryFs, F);

impl<F> std::fmt::Debug for Meanwhile<F> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Meanwhile")
    }
}

#[async_trait::async_trait]
impl<F: Fn() + Send + Sync> FsProvider for Meanwhile<F> {
    async fn probe_many(&self, paths: &PathBatch) -> Vec<Result<Probe, FsError>> {
        self.0.probe_many(paths).await
    }

    async fn read_many(&self, paths: &PathBatch, max_bytes: u64) -> Vec<Result<ReadOutcome, FsError>> {
        let answers = self.0.read_many(paths, max_bytes).await;
        (self.1)();
        answers
    }
}

#[tokio::test]
async fn the_version_is_dropped_whenever_it_may_not_be_that_of_the_bytes() {
    type Change = fn(&MemoryFs);
    let rows: [(&str, &str, Change); 7] = [
        ("nothing happens", "trusted", |_| ()),
        ("edited while it is read", "dropped", |fs| fs.write(PATH, "bbbb")),
        ("removed while it is read", "dropped", |fs| assert!(fs.remove(PATH))),
        ("replaced by a folder while it is read", "dropped", |fs| {
            fs.remove(PATH);
            fs.make_dir(PATH);
        }),
        ("the second probe fails", "dropped", |fs| fs.fault(PATH, Fault::Stat(FaultKind::PermissionDenied))),
        ("replaced by another file while it is read", "dropped", |fs| {
            fs.remove(PATH);
            fs.write(PATH, "aaaa");
        }),
        ("another path is edited", "trusted", |fs| fs.write("/ws/other", "bbbb")),
    ];
    for (row, expected, change) in rows {
        let disk = MemoryFs::from_iter([(PATH, "aaaa")]);
        let before = present(&disk, PATH).await;
        let during = Meanwhile(disk.clone(), {
            let disk = disk.clone();
            move || change(&disk)
        });
        let (text, read) = content(&ContentOver::new(disk, during), PATH).await;
        assert_eq!((text.as_str(), read.kind, read.len), ("aaaa", FileKind::File, Some(4)), "{row}");
        let version = if expected == "trusted" { before.version } else { None };
        assert_eq!((read.version, read.settled), (version, expected == "trusted"), "{row}");
    }
}

#[tokio::test]
async fn an_unsettled_version_stays_unsettled() {
    let (metadata, _, fs) = pair("aaaa", "bbbb");
    metadata.set_versions(Versions::Unsettled);
    assert_eq!(content(&fs, PATH).await.1.settled_version(), None);
    metadata.set_versions(Versions::Off);
    assert_eq!(content(&fs, PATH).await.1.version, None);
}

#[tokio::test]
async fn bytes_of_another_size_are_not_of_this_version() {
    let (_, _, fs) = pair("on disk", "in the editor");
    let (text, read) = content(&fs, PATH).await;
    assert_eq!((text.as_str(), read.len, read.settled_version()), ("in the editor", Some(13), None));
}

#[tokio::test]
async fn the_metadata_provider_says_what_is_there() {
    let (metadata, text, fs) = pair("aaaa", "bbbb");
    metadata.make_dir("/dir");
    metadata.special("/special");
    metadata.write("/large", "more than ten bytes");
    metadata.write("/denied", "text");
    metadata.fault("/denied", Fault::Stat(FaultKind::PermissionDenied));
    metadata.write("/only here", "text");
    metadata.write("/unreadable", "text");
    for path in ["/dir", "/special", "/large", "/denied", "/only there", "/unreadable"] {
        text.write(path, "text");
    }
    text.fault("/unreadable", Fault::Read(FaultKind::PermissionDenied));
    let batch: PathBatch =
        ["/dir", PATH, "/special", "/large", "/denied", "/only there", "/only here", "/unreadable"]
            .into_iter()
            .collect();
    let answers = fs.read_many(&batch, 10).await;
    assert_eq!(answers[0], Ok(ReadOutcome::NotAFile(FileKind::Directory)));
    assert!(matches!(&answers[1], Ok(ReadOutcome::Content { bytes, .. }) if bytes == "bbbb"));
    assert_eq!(answers[2], Ok(ReadOutcome::NotAFile(FileKind::Other)));
    assert!(matches!(answers[3], Ok(ReadOutcome::TooLarge { len: 19, .. })), "by the reported size");
    assert_eq!(answers[4], Err(FsError::new("/denied", FaultKind::PermissionDenied)));
    assert_eq!(answers[5], Ok(ReadOutcome::Absent));
    assert_eq!(answers[6], Ok(ReadOutcome::Absent), "its content is gone");
    assert_eq!(answers[7], Err(FsError::new("/unreadable", FaultKind::PermissionDenied)));
    assert_eq!(answers.len(), 8, "one answer a path");
    assert_eq!(text.counters().reads, 3, "content is asked only for files within the cap");
}

#[tokio::test]
async fn content_that_outgrows_the_cap_is_too_large_and_deferrals_pass_through() {
    let (metadata, text, fs) = pair("aaaa", "more than ten bytes");
    assert!(matches!(fs.read(PATH, 10).await, Ok(ReadOutcome::TooLarge { len: 19, .. })));
    for path in ["/a", "/b"] {
        metadata.write(path, "1234");
        text.write(path, "1234");
    }
    text.set_max_batch_bytes(5);
    let answers = fs.read_many(&["/a", "/b"].into_iter().collect(), 10).await;
    assert_eq!(answers[1], Ok(ReadOutcome::Deferred));
}

#[tokio::test]
async fn a_provider_that_owes_an_answer_is_a_fault_and_not_a_shift() {
    /// Answers only the first path.
    #[derive(Debug)]
    struct Short(MemoryFs);

    #[async_trait::async_trait]
    impl FsProvider for Short {
        async fn probe_many(&self, paths: &PathBatch) -> Vec<Result<Probe, FsError>> {
            self.0.probe_many(paths).await.into_iter().take(1).collect()
        }

        async fn read_many(&self, paths: &PathBatch, max_bytes: u64) -> Vec<Result<ReadOutcome, FsError>> {
            self.0.read_many(paths, max_bytes).await.into_iter().take(1).collect()
        }
    }

    let fs = MemoryFs::from_iter([("/a", "1"), ("/b", "2")]);
    let batch: PathBatch = ["/a", "/b"].into_iter().collect();
    let short_content = ContentOver::new(fs.clone(), Short(fs.clone())).read_many(&batch, CAP).await;
    let short_metadata = ContentOver::new(Short(fs.clone()), fs.clone()).read_many(&batch, CAP).await;
    for (row, answers) in [("content", short_content), ("metadata", short_metadata)] {
        assert_eq!(answers.len(), 2, "{row}");
        assert!(matches!(&answers[0], Ok(ReadOutcome::Content { bytes, .. }) if bytes == "1"), "{row}");
        assert!(is_other(&answers[1]), "{row}: {:?}", answers[1]);
    }
}

#[tokio::test]
async fn three_trips_for_what_is_there_and_one_for_what_is_not() {
    let fs = Arc::new(MemoryFs::from_iter([(PATH, "text")]));
    let over = ContentOver::new(Arc::clone(&fs), Arc::clone(&fs));
    content(&over, PATH).await;
    assert_eq!(fs.reset_counters().round_trips, 3, "probe, read, probe");
    over.read("/gone", CAP).await.unwrap();
    assert_eq!(fs.counters().round_trips, 1, "nothing to read");
}
