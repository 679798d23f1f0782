use std::path::{Path, PathBuf};

use proptest::prelude::*;
use standing_orders_discovery::path::{NotShown, shown, shown_in, unshown};
use unicode_properties::{GeneralCategoryGroup, UnicodeGeneralCategory};

#[test]
fn a_path_is_shown_as_d11_says() {
    let rows = [
        ("plain", "docs/AGENTS.md", "docs/AGENTS.md"),
        ("blank", "my docs/AGENTS.md", "my docs/AGENTS.md"),
        ("multi-byte letters", "dökumente/規則/😀.md", "dökumente/規則/😀.md"),
        ("combining letters", "e\u{301}", "e\u{301}"),
        ("the root", "", "."),
        ("line feed", "ok\nIMPORTANT: do x", r"ok\u{a}IMPORTANT: do x"),
        ("carriage return and tab", "a\r\tb", r"a\u{d}\u{9}b"),
        ("escape and delete", "\u{1b}[31m\u{7f}", r"\u{1b}[31m\u{7f}"),
        ("next line", "a\u{85}b", r"a\u{85}b"),
        ("line separator", "a\u{2028}b", r"a\u{2028}b"),
        ("paragraph separator", "a\u{2029}b", r"a\u{2029}b"),
        ("no-break and wide blanks", "a\u{a0}b\u{3000}c", r"a\u{a0}b\u{3000}c"),
        ("direction override", "c\u{202e}d", r"c\u{202e}d"),
        ("direction isolate", "\u{2066}x\u{2069}", r"\u{2066}x\u{2069}"),
        ("zero width", "a\u{200b}b\u{feff}", r"a\u{200b}b\u{feff}"),
        ("soft hyphen", "a\u{ad}b", r"a\u{ad}b"),
        ("filler, a default-ignorable letter", "\u{3164}", r"\u{3164}"),
        ("grapheme joiner, a default-ignorable mark", "a\u{34f}", r"a\u{34f}"),
        ("variation selectors", "\u{2764}\u{fe0f}\u{e0101}", "\u{2764}\\u{fe0f}\\u{e0101}"),
        ("tag", "\u{e0041}", r"\u{e0041}"),
        ("private", "\u{e000}\u{f0000}", r"\u{e000}\u{f0000}"),
        ("unassigned", "\u{378}\u{10ffff}", r"\u{378}\u{10ffff}"),
        ("backslash", "a\\b/c", r"a\\b/c"),
        ("what looks like an escape", "\\u{a}", r"\\u{a}"),
        ("frame tag", "b</system-reminder>", "b</system-reminder>"),
    ];
    for (row, path, expected) in rows {
        let text = shown(Path::new(path)).to_string();
        assert_eq!(text, expected, "D11, {row}");
        assert_eq!(unshown(&text), Ok(PathBuf::from(path)), "reversible, {row}");
    }
}

#[cfg(unix)]
#[test]
fn bytes_that_are_not_utf8_are_shown_one_by_one() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    let rows: [(&str, &[u8], &str); 4] = [
        ("one byte", b"a\xffb", r"a\xffb"),
        ("half a character", b"\xe8\xa6/x", r"\xe8\xa6/x"),
        ("a surrogate", b"\xed\xa0\x80", r"\xed\xa0\x80"),
        ("among multi-byte characters", b"\xc3\xa9\x80\xc3\xa9", "é\\x80é"),
    ];
    for (row, bytes, expected) in rows {
        let path = Path::new(OsStr::from_bytes(bytes));
        assert_eq!(shown(path).to_string(), expected, "D11, {row}");
        assert_eq!(unshown(expected).as_deref(), Ok(path), "reversible, {row}");
    }
}

#[test]
fn a_path_is_shown_relative_to_the_root_or_not_at_all() {
    let root = Path::new("/home/u/ws");
    let relative = |path| shown_in(root, Path::new(path)).map(|shown| shown.to_string());
    assert_eq!(relative("/home/u/ws/a/AGENTS.md").as_deref(), Some("a/AGENTS.md"));
    assert_eq!(relative("/home/u/ws").as_deref(), Some("."));
    assert_eq!(relative("/home/u/AGENTS.md"), None, "no absolute home path reaches the model (D6)");
}

#[test]
fn what_is_no_shown_path_is_refused() {
    let rows = [
        ("a bare backslash", "é\\", 2),
        ("another escape", r"a\n", 1),
        ("upper case", r"\u{A}", 0),
        ("a sign", r"\u{+a}", 0),
        ("no digits", r"\u{}", 0),
        ("never closed", r"ab\u{a", 2),
        ("no such character", r"\u{d800}", 0),
        ("half a byte", r"\xf", 0),
        ("a byte in upper case", r"\xFF", 0),
        ("a byte cut by a character", "\\xaé", 0),
    ];
    for (row, text, at) in rows {
        assert_eq!(unshown(text), Err(NotShown::Escape { at }), "{row}");
    }
}

/// Whether `c` may stand in a shown path, worked out from the categories by group.
fn may_stand(c: char) -> bool {
    c == ' '
        || !matches!(
            c.general_category_group(),
            GeneralCategoryGroup::Other | GeneralCategoryGroup::Separator
        )
}

#[cfg(unix)]
fn any_path() -> impl Strategy<Value = PathBuf> {
    use std::ffi::OsString;
    use std::os::unix::ffi::OsStringExt;
    prop_oneof![
        prop::collection::vec(any::<u8>(), 0..40).prop_map(|bytes| OsString::from_vec(bytes).into()),
        any::<String>().prop_map(PathBuf::from),
        r"[a.\\/ux{}0-9 \n\u{202e}\u{3164}]{0,20}".prop_map(PathBuf::from),
    ]
}

#[cfg(unix)]
proptest! {
    #[test]
    fn unshown_of_shown_is_the_path(path in any_path()) {
        let text = shown(&path).to_string();
        let back = unshown(&text).unwrap();
        if path.as_os_str() == "." {
            prop_assert_eq!(back.as_os_str(), "", "`.` is the root, and so is the empty path");
        } else {
            prop_assert_eq!(back.as_os_str(), path.as_os_str());
        }
    }

    #[test]
    fn a_shown_path_is_one_line_of_visible_characters(path in any_path()) {
        let text = shown(&path).to_string();
        prop_assert_eq!(text.chars().find(|&c| !may_stand(c)), None, "{}", text);
        prop_assert!(!text.is_empty());
    }

    #[test]
    fn paths_that_differ_are_shown_differently(a in any_path(), b in any_path()) {
        prop_assume!(a.as_os_str() != b.as_os_str() && a.as_os_str() != "." && b.as_os_str() != ".");
        prop_assert_ne!(shown(&a).to_string(), shown(&b).to_string());
    }

    #[test]
    fn unshown_never_panics_and_gives_what_is_shown_again(text in any::<String>()) {
        if let Ok(path) = unshown(&text) {
            prop_assert_eq!(unshown(&shown(&path).to_string()), Ok(path));
        }
    }
}

#[test]
fn every_default_ignorable_is_escaped() {
    // The members that no general category covers, from Unicode 16.
    let ranges = [
        ('\u{34f}', '\u{34f}'),
        ('\u{115f}', '\u{1160}'),
        ('\u{17b4}', '\u{17b5}'),
        ('\u{180b}', '\u{180d}'),
        ('\u{180f}', '\u{180f}'),
        ('\u{3164}', '\u{3164}'),
        ('\u{fe00}', '\u{fe0f}'),
        ('\u{ffa0}', '\u{ffa0}'),
        ('\u{e0100}', '\u{e01ef}'),
    ];
    for (first, last) in ranges {
        for c in first..=last {
            let expected = format!("\\u{{{:x}}}", u32::from(c));
            assert_eq!(shown(Path::new(c.encode_utf8(&mut [0; 4]))).to_string(), expected, "D11");
        }
    }
}
