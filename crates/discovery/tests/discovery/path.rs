use std::path::{Component, Path, PathBuf};

use proptest::prelude::*;
use standing_orders_discovery::path::{LONGEST_TOUCHED, chain, lexical, nested_dirs, pre_order, touched};

fn strings<'p>(paths: impl IntoIterator<Item = &'p Path>) -> Vec<String> {
    paths.into_iter().map(|path| path.to_str().unwrap().to_owned()).collect()
}

#[test]
fn lexical_resolves_dots_without_io() {
    let rows = [
        ("plain", "/ws/a", Some("/ws/a")),
        ("dot", "/ws/./a/.", Some("/ws/a")),
        ("dots", "/ws/a/../b", Some("/ws/b")),
        ("dots at the top stay there", "/../../ws", Some("/ws")),
        ("doubled and trailing separators", "//ws//a/", Some("/ws/a")),
        ("a name that begins with two dots", "/ws/..odd/x", Some("/ws/..odd/x")),
        ("multi-byte", "/wörk/日本/../規則", Some("/wörk/規則")),
        ("the top", "/", Some("/")),
        ("relative", "ws/a", None),
        ("empty", "", None),
    ];
    for (row, path, expected) in rows {
        let plain = lexical(Path::new(path));
        // Compared as text: `Path` calls `/ws/a` and `/ws/a/` equal.
        let plain = plain.as_deref().map(|plain| plain.to_str().unwrap());
        assert_eq!(plain.ok(), expected, "{row}");
    }
}

#[test]
fn a_touch_is_trimmed_and_resolved_against_cwd() {
    let rows = [
        ("relative", "a/x.rs", Some("/ws/p/a/x.rs")),
        ("trimmed", " \t a/x.rs\n", Some("/ws/p/a/x.rs")),
        ("trimmed of Unicode white space", "\u{3000}規/x.rs\u{a0}", Some("/ws/p/規/x.rs")),
        ("white space within is kept", "a\nb/x", Some("/ws/p/a\nb/x")),
        ("absolute", "/else/x", Some("/else/x")),
        ("upward", "../q/x", Some("/ws/q/x")),
        ("blank", "  ", None),
        ("empty", "", None),
    ];
    for (row, path, expected) in rows {
        let resolved = touched(Path::new("/ws/p"), Path::new(path)).unwrap();
        assert_eq!(resolved.as_deref(), expected.map(Path::new), "C4, {row}");
    }
    assert!(
        touched(Path::new("ws"), Path::new("a")).is_err(),
        "nothing is resolved against the process's cwd"
    );
}

#[cfg(unix)]
#[test]
fn a_touch_that_is_not_utf8_is_taken_as_it_is() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    let path = Path::new(OsStr::from_bytes(b" \xff/x "));
    assert_eq!(touched(Path::new("/ws"), path).unwrap(), Some(Path::new("/ws").join(path)));
}

#[test]
fn the_chain_runs_from_root_to_cwd_inclusive() {
    let rows: [(&str, &str, &str, &[&str]); 6] = [
        ("deep", "/ws", "/ws/a/b", &["/ws", "/ws/a", "/ws/a/b"]),
        ("root is cwd", "/ws", "/ws", &["/ws"]),
        ("root is the top", "/", "/a", &["/", "/a"]),
        ("beside", "/other", "/ws/a", &["/ws/a"]),
        ("a name is no prefix of a path", "/ws", "/ws-2/a", &["/ws-2/a"]),
        ("multi-byte", "/ä", "/ä/日/本", &["/ä", "/ä/日", "/ä/日/本"]),
    ];
    for (row, root, cwd, expected) in rows {
        assert_eq!(strings(chain(Path::new(root), Path::new(cwd))), expected, "D2, {row}");
    }
}

#[test]
fn a_touch_reaches_each_directory_down_to_its_folder() {
    let rows: [(&str, &str, &str, &[&str]); 7] = [
        ("on the way down", "/ws", "/ws/a/b/x.rs", &["/ws/a", "/ws/a/b"]),
        ("the base is of the chain", "/ws", "/ws/x.rs", &[]),
        ("the base itself", "/ws", "/ws", &[]),
        ("beside", "/ws/p", "/ws/q/x", &[]),
        ("above", "/ws/p", "/ws/x", &[]),
        ("a name is no prefix", "/ws", "/ws-2/a/x", &[]),
        ("multi-byte", "/ws", "/ws/日/本/x", &["/ws/日", "/ws/日/本"]),
    ];
    for (row, base, path, expected) in rows {
        assert_eq!(strings(nested_dirs(Path::new(base), Path::new(path))), expected, "C4, {row}");
    }
}

#[test]
fn a_touch_reaches_no_directory_whose_files_no_system_call_can_name() {
    let bytes = |dirs: &[&Path]| dirs.iter().map(|dir| dir.as_os_str().len()).sum::<usize>();
    let rows = [
        ("as short as can be", "a", 250, 250),
        ("one directory below the bound", "a", 1_918, 1_918),
        ("one above it", "a", 1_919, 1_918),
        ("far above it", "a", 4_000, 1_918),
        ("ten times as far", "a", 40_000, 1_918),
        ("multi-byte", "規則", 4_000, 548),
        ("names as long as can be", &"n".repeat(255), 4_000, 14),
    ];
    for (row, name, depth, expected) in rows {
        let path = PathBuf::from(format!("/ws{}/x.rs", format!("/{name}").repeat(depth)));
        let dirs: Vec<_> = nested_dirs(Path::new("/ws"), &path).collect();
        assert_eq!(dirs.len(), expected, "{row}");
        assert_eq!(dirs[0], Path::new("/ws").join(name), "{row}: from the top");
        let longest = dirs[expected - 1].as_os_str().len();
        assert!(longest <= LONGEST_TOUCHED, "{row}: {longest}");
        assert!(
            expected == depth || longest + 1 + name.len() > LONGEST_TOUCHED,
            "{row}: {longest} is the last"
        );
        assert!(bytes(&dirs) <= LONGEST_TOUCHED * LONGEST_TOUCHED / 2, "{row}: bounded, whatever the depth");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn the_system_takes_the_longest_name_in_the_longest_directory_and_not_one_byte_more() {
    let path = |dir: usize| format!("{}/{}", "/.".repeat(dir / 2) + &"/".repeat(dir % 2), "n".repeat(255));
    let ask = |dir| std::fs::metadata(path(dir)).unwrap_err().kind();
    assert_eq!(path(LONGEST_TOUCHED).len(), LONGEST_TOUCHED + 256);
    assert_eq!(ask(LONGEST_TOUCHED), std::io::ErrorKind::NotFound);
    assert_eq!(ask(LONGEST_TOUCHED + 1), std::io::ErrorKind::InvalidFilename);
}

#[test]
fn directories_are_ordered_by_component() {
    let expected = ["", "a", "a/b", "a/b/c", "a-b", "a0", "z", "é", "日"];
    let mut dirs = expected.map(Path::new);
    dirs.reverse();
    dirs.sort_by(|a, b| pre_order(a, b));
    assert_eq!(strings(dirs), expected, "C10: component by component, in byte order");
}

/// Absolute paths with dots, and names that look like them.
fn absolute() -> impl Strategy<Value = PathBuf> {
    let component = prop_oneof![
        Just(String::from(".")),
        Just(String::from("..")),
        Just(String::from("..odd")),
        "[a-c0-]{1,2}",
        "\\PC{1,3}".prop_map(|name| name.replace('/', "_")),
    ];
    prop::collection::vec(component, 0..12).prop_map(|parts| PathBuf::from(format!("/{}", parts.join("/"))))
}

fn by_component_bytes(path: &Path) -> Vec<Vec<u8>> {
    path.components().map(|component| component.as_os_str().as_encoded_bytes().to_vec()).collect()
}

proptest! {
    #[test]
    fn a_lexical_path_is_plain_and_stays_so(path in absolute()) {
        let plain = lexical(&path).unwrap();
        prop_assert!(plain.is_absolute());
        prop_assert!(plain.components().all(|part| matches!(part, Component::RootDir | Component::Normal(_))));
        prop_assert_eq!(lexical(&plain).unwrap().into_os_string(), plain.as_os_str(), "idempotent");
        prop_assert_eq!(lexical(&path.join("x/..")).unwrap(), plain, "going down and up again changes nothing");
    }

    #[test]
    fn a_chain_has_each_ancestor_once_in_pre_order(root in absolute(), below in absolute()) {
        let root = lexical(&root).unwrap();
        let cwd = lexical(&root.join(below.strip_prefix("/").unwrap())).unwrap();
        let chain = chain(&root, &cwd);
        prop_assert_eq!(*chain.last().unwrap(), cwd.as_path());
        for pair in chain.windows(2) {
            prop_assert_eq!(pair[1].parent(), Some(pair[0]), "each is the folder of the next");
            prop_assert!(pre_order(pair[0], pair[1]).is_lt());
        }
        if cwd.starts_with(&root) {
            prop_assert_eq!(chain[0], root.as_path());
        }
    }

    #[test]
    fn nested_directories_join_the_base_to_the_folder(base in absolute(), below in absolute()) {
        let base = lexical(&base).unwrap();
        let path = lexical(&base.join(below.strip_prefix("/").unwrap())).unwrap();
        let mut last = base.as_path();
        for dir in nested_dirs(&base, &path) {
            prop_assert_eq!(dir.parent(), Some(last));
            last = dir;
        }
        if path.starts_with(&base) && path != base {
            prop_assert_eq!(Some(last), path.parent());
        }
    }

    #[test]
    fn pre_order_is_the_order_of_component_bytes(a in absolute(), b in absolute()) {
        let (a, b) = (lexical(&a).unwrap(), lexical(&b).unwrap());
        prop_assert_eq!(pre_order(&a, &b), by_component_bytes(&a).cmp(&by_component_bytes(&b)));
    }
}
