//! Versions and identities are values.

use proptest::prelude::*;
use standing_orders_fs::{FileId, FileKind, Metadata, Version};

fn of(version: Option<Version>, settled: bool) -> Metadata {
    Metadata { kind: FileKind::File, len: None, file: None, version, settled }
}

#[test]
fn only_a_settled_version_is_kept_and_counts_as_equal() {
    let (one, two) = (Some(Version::of(b"1")), Some(Version::of(b"2")));
    let rows = [
        ("settled and equal", of(one, true), one, true),
        ("settled and other", of(one, true), two, false),
        ("unsettled and equal", of(one, false), one, false),
        ("no version at all", of(None, true), None, false),
        ("none kept", of(one, true), None, false),
    ];
    for (row, found, kept, still) in rows {
        assert_eq!(found.is_still(kept), still, "{row}");
    }
    assert_eq!(of(one, true).settled_version(), one, "a settled version may be kept");
    assert_eq!(of(one, false).settled_version(), None, "an unsettled one may not");
}

#[test]
fn what_is_kept_a_row_is_small_and_inline() {
    assert_eq!(size_of::<Version>(), 20, "a version is 20 bytes");
    assert!(size_of::<Metadata>() <= 64, "metadata is inline: {}", size_of::<Metadata>());
}

proptest! {
    #[test]
    fn sources_of_one_length_that_differ_give_versions_that_differ(
        one in prop::collection::vec(any::<u8>(), 40), at in 0_usize..40, other in any::<u8>(), length in 1_usize..=40
    ) {
        let (mut two, at) = (one.clone(), at % length);
        two[at] = other;
        let (one, two) = (&one[..length], &two[..length]);
        prop_assert_eq!(Version::of(one) == Version::of(two), one == two);
    }

    #[test]
    fn identities_are_equal_only_for_the_same_two_numbers(a: u64, b: u64, c: u64, d: u64) {
        prop_assert_eq!(FileId::new(a, b) == FileId::new(c, d), (a, b) == (c, d));
        prop_assert_eq!(FileId::new(a, b) == FileId::new(b, a), a == b);
    }
}
