//! A batch gives back what was put in.

use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};

use proptest::prelude::*;
use standing_orders_fs::{PathBatch, PathBatchBuilder};

#[test]
fn a_joined_name_stands_below_its_directory() {
    let rows = [
        ("plain", "/ws", "AGENTS.md", "/ws/AGENTS.md"),
        ("root", "/", "AGENTS.md", "/AGENTS.md"),
        ("trailing slash", "/ws/", "AGENTS.md", "/ws/AGENTS.md"),
        ("multi-byte", "/作業/ä", "指示.md", "/作業/ä/指示.md"),
    ];
    for (row, directory, name, joined) in rows {
        let mut builder = PathBatchBuilder::new();
        builder.push("/first");
        builder.push_join(directory, name);
        let batch = builder.build();
        assert_eq!(batch.get(1), Some(Path::new(joined)), "{row}");
    }
}

#[test]
fn a_name_joined_to_no_directory_stands_alone_whatever_came_before() {
    for before in ["/first", "/first/", "", "/作"] {
        let mut builder = PathBatchBuilder::new();
        builder.push(before);
        builder.push_join("", "AGENTS.md");
        let batch = builder.build();
        assert_eq!(batch.get(1), Some(Path::new("AGENTS.md")), "after {before:?}, as `Path::join` has it");
    }
}

proptest! {
    #[test]
    fn the_paths_come_back_in_order_byte_by_byte(
        paths in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..12), 0..12)
    ) {
        let paths: Vec<PathBuf> = paths.into_iter().map(|bytes| OsString::from_vec(bytes).into()).collect();
        let batch: PathBatch = paths.iter().collect();
        prop_assert_eq!(batch.len(), paths.len());
        prop_assert_eq!(batch.iter().collect::<Vec<_>>(), paths.iter().collect::<Vec<_>>());
        prop_assert_eq!(batch.get(paths.len()), None);
    }

    #[test]
    fn joining_in_the_buffer_is_joining(
        directory in "(/[a-zé]{1,4}){0,3}/?", name in "[A-Za-z0-9é.]{1,8}"
    ) {
        let mut builder = PathBatchBuilder::new();
        builder.push("x");
        builder.push_join(&directory, &name);
        let batch = builder.build();
        let joined = Path::new(&directory).join(&name);
        prop_assert_eq!(batch.get(1), Some(joined.as_path()));
    }
}
