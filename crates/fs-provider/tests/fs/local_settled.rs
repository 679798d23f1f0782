//! When a local version may be trusted (P3), by a clock that stands where the row puts it.

use std::fs::{self, File};
use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use standing_orders_fs::{LocalFs, LocalFsOptions, Metadata};

use crate::fixtures::{self, OnDisk, content, ctime, present};

struct At(Arc<Mutex<SystemTime>>);

impl At {
    fn new() -> (Self, LocalFs) {
        let now = Arc::new(Mutex::new(UNIX_EPOCH));
        let clock = {
            let now = Arc::clone(&now);
            move || *now.lock().unwrap()
        };
        (Self(now), LocalFs::with(LocalFsOptions::default().clock(clock)))
    }

    fn set(&self, nanos: i128) {
        *self.0.lock().unwrap() = UNIX_EPOCH + Duration::from_nanos(nanos.try_into().unwrap());
    }
}

const MS: i128 = 1_000_000;

#[tokio::test]
async fn a_version_is_settled_20_ms_after_the_last_change() {
    let disk = OnDisk::new();
    let file = disk.path("AGENTS.md");
    loop {
        fs::write(&file, "text").unwrap();
        if ctime(&file) % 1_000_000_000 != 0 {
            break;
        }
    }
    let changed = ctime(&file);
    let (clock, fs) = At::new();
    for (row, age, settled) in [
        ("a second before the change", -1000 * MS, false),
        ("a nanosecond before it", -1, false),
        ("at the change", 0, false),
        ("10 ms after", 10 * MS, false),
        ("a nanosecond too early", 20 * MS - 1, false),
        ("20 ms after", 20 * MS, true),
        ("an hour after", 3_600_000 * MS, true),
    ] {
        clock.set(changed + age);
        let probed = present(&fs, &file).await;
        assert_eq!(probed.settled, settled, "probe {row}");
        let (_, read) = content(&fs, &file).await;
        assert_eq!(read, probed, "a read {row} says the same");
    }
}

#[tokio::test]
async fn stamps_without_a_fraction_settle_after_two_seconds() {
    let disk = OnDisk::new();
    let file = disk.path("AGENTS.md");
    fs::write(&file, "text").unwrap();
    // The change time cannot be set, so the modification time is put after it, in whole seconds.
    let whole = (ctime(&file) / 1_000_000_000 + 3600) * 1_000_000_000;
    let modified = UNIX_EPOCH + Duration::from_nanos(whole.try_into().unwrap());
    File::options().write(true).open(&file).unwrap().set_modified(modified).unwrap();
    let (clock, fs) = At::new();
    for (row, age, settled) in [
        ("in the stamp's past", -MS, false),
        ("20 ms after", 20 * MS, false),
        ("a nanosecond too early", 2000 * MS - 1, false),
        ("2 s after", 2000 * MS, true),
    ] {
        clock.set(whole + age);
        assert_eq!(present(&fs, &file).await.settled, settled, "{row}");
    }
}

#[tokio::test]
async fn a_modification_time_in_the_future_stays_unsettled_and_is_told() {
    let disk = OnDisk::new();
    let file = disk.path("AGENTS.md");
    fs::write(&file, "text").unwrap();
    let future = SystemTime::now() + Duration::from_secs(1 << 30);
    File::options().write(true).open(&file).unwrap().set_modified(future).unwrap();
    disk.wait_settled();
    assert!(!present(&LocalFs::new(), &file).await.settled, "a stamp in the future is never settled");
}

#[tokio::test]
async fn a_modification_time_before_the_epoch_is_no_obstacle() {
    let disk = OnDisk::new();
    let file = disk.path("AGENTS.md");
    fs::write(&file, "text").unwrap();
    let old = UNIX_EPOCH - Duration::from_nanos(1_500_000_001);
    File::options().write(true).open(&file).unwrap().set_modified(old).unwrap();
    let (clock, fs) = At::new();
    clock.set(ctime(&file) + 19 * MS);
    assert!(!present(&fs, &file).await.settled, "the change time counts, for it is the later one");
    clock.set(ctime(&file) + 20 * MS);
    assert!(present(&fs, &file).await.settled, "the change time counts");
}

#[tokio::test]
async fn of_two_writes_of_one_size_in_one_tick_the_second_is_not_missed() {
    let disk = OnDisk::new();
    let file = disk.path("AGENTS.md");
    let fs = LocalFs::new();
    let mut kept: Vec<Metadata> = Vec::new();
    for edit in 0..200 {
        fixtures::edit(&file, format!("{edit:04}").as_bytes()).unwrap();
        let (text, found) = content(&fs, &file).await;
        assert_eq!(text, format!("{edit:04}"), "the content is the present one");
        assert!(
            !kept.iter().any(|earlier| found.is_still(earlier.settled_version())),
            "edit {edit} counts as unchanged: {found:?}"
        );
        kept.push(found);
    }
    disk.wait_settled();
    let last = present(&fs, &file).await;
    assert!(last.settled, "in the end it is settled");
}
