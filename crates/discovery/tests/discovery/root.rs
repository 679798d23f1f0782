use std::path::{Path, PathBuf};

use standing_orders_discovery::path::chain;
use standing_orders_discovery::{PlainName, Root, RootOptions, RootReason, RootRule, find_root};
use standing_orders_fs::{FaultKind, FsError};

use crate::tree::{Strange, Tree};

fn markers(names: &[&str]) -> RootRule {
    RootRule::Markers(names.iter().map(|name| PlainName::new(name).unwrap()).collect())
}

fn marker(name: &str) -> RootReason {
    RootReason::Marker(PlainName::new(name).unwrap())
}

fn denied(path: &str) -> RootReason {
    RootReason::Fault(FsError::new(path, FaultKind::PermissionDenied))
}

async fn root_of(fixture: &str, cwd: &str, rule: RootRule, ceilings: &[&str]) -> Root {
    let options = RootOptions { rule, ceilings: ceilings.iter().map(PathBuf::from).collect() };
    find_root(&Tree::of(fixture), Path::new(cwd), &options).await
}

#[tokio::test]
async fn the_root_is_the_first_marked_directory_upward() {
    let git = || markers(&[".git"]);
    type Row<'r> = (&'r str, &'r str, &'r str, RootRule, &'r str, RootReason, Option<&'r str>);
    let rows: [Row<'_>; 18] = [
        ("a directory", "/ws/.git/", "/ws/a/b", git(), "/ws", marker(".git"), None),
        ("a file: worktree, submodule", "/ws/.git = gitdir: x", "/ws/a", git(), "/ws", marker(".git"), None),
        ("cwd itself", "/ws/.git/", "/ws", git(), "/ws", marker(".git"), None),
        ("the top", "/.git/", "/ws/a", git(), "/", marker(".git"), None),
        ("multi-byte", "/wörk/.git/", "/wörk/規/則", git(), "/wörk", marker(".git"), None),
        ("none", "/ws/x", "/ws/a", git(), "/ws/a", RootReason::NoMarker, None),
        ("nothing there at all", "", "/ws/a", git(), "/ws/a", RootReason::NoMarker, None),
        ("no markers", "/ws/.git/", "/ws/a", markers(&[]), "/ws/a", RootReason::NoMarker, None),
        ("nearest wins", "/g/.git/\n/g/s/.git/", "/g/s/a", git(), "/g/s", marker(".git"), Some("/g")),
        (
            "outer is the next one",
            "/.git/\n/a/.git/\n/a/b/.git/",
            "/a/b",
            git(),
            "/a/b",
            marker(".git"),
            Some("/a"),
        ),
        ("any marker", "/t/.sl/", "/t/a/b/c", markers(&[".git", ".sl"]), "/t", marker(".sl"), None),
        ("markers alone decide", "/t/.m\n/t/s/.git/", "/t/s", markers(&[".m"]), "/t", marker(".m"), None),
        (
            "a file as marker",
            "/p/pyproject.toml",
            "/p/src",
            markers(&["pyproject.toml"]),
            "/p",
            marker("pyproject.toml"),
            None,
        ),
        ("a link to a directory", "/ws/.git -> /g\n/g/", "/ws/a", git(), "/ws", marker(".git"), None),
        (
            "a dangling link is no marker",
            "/ws/.git -> /gone",
            "/ws/a",
            git(),
            "/ws/a",
            RootReason::NoMarker,
            None,
        ),
        ("a FIFO is no marker", "/ws/.git |", "/ws/a", git(), "/ws/a", RootReason::NoMarker, None),
        (
            "a fault ends the walk there",
            "/ws/.git/\n!stat /ws/a/.git",
            "/ws/a/b",
            git(),
            "/ws/a",
            denied("/ws/a/.git"),
            Some("/ws"),
        ),
        (
            "a fault beside a marker",
            "/ws/.sl/\n!stat /ws/.git",
            "/ws/a",
            markers(&[".git", ".sl"]),
            "/ws",
            marker(".sl"),
            None,
        ),
    ];
    for (row, fixture, cwd, rule, path, reason, outer) in rows {
        let root = root_of(fixture, cwd, rule, &[]).await;
        assert_eq!(root.path, Path::new(path), "D1, {row}");
        assert_eq!(root.reason, reason, "D1, {row}");
        assert_eq!(root.outer.as_deref(), outer.map(Path::new), "X2, {row}");
    }
}

#[tokio::test]
async fn a_ceiling_is_not_examined_unless_it_is_cwd_and_ends_the_walk() {
    let ceiling = |path: &str| RootReason::Ceiling(path.into());
    let tree = "/home/u/.git/\n/home/.git/\n/home/u/p/q/.hg/";
    let rows = [
        ("below", "/home/u/p", vec!["/home/u"], "/home/u/p", ceiling("/home/u"), None),
        ("it is cwd", "/home/u", vec!["/home/u"], "/home/u", marker(".git"), None),
        ("it is cwd, and unmarked", "/home/u/p", vec!["/home/u/p"], "/home/u/p", ceiling("/home/u/p"), None),
        ("above the root", "/home/u/p", vec!["/home"], "/home/u", marker(".git"), None),
        (
            "the nearest of several",
            "/home/u/p",
            vec!["/", "/home/u", "/home"],
            "/home/u/p",
            ceiling("/home/u"),
            None,
        ),
        ("elsewhere", "/home/u/p", vec!["/home/v", "/home/u/p/q"], "/home/u", marker(".git"), Some("/home")),
        ("a name is no prefix", "/home/u/p", vec!["/home/u/"], "/home/u/p", ceiling("/home/u"), None),
        ("made plain", "/home/u/p", vec!["/home/v/../u/."], "/home/u/p", ceiling("/home/u"), None),
        ("relative ones bound nothing", "/home/u/p", vec!["u"], "/home/u", marker(".git"), Some("/home")),
    ];
    for (row, cwd, ceilings, path, reason, outer) in rows {
        let root = root_of(tree, cwd, RootRule::default(), &ceilings).await;
        assert_eq!((root.path.as_path(), &root.reason), (Path::new(path), &reason), "D1, {row}");
        assert_eq!(
            root.outer.as_deref(),
            outer.map(Path::new),
            "nothing at or above a ceiling is seen, {row}"
        );
    }
}

#[tokio::test]
async fn a_fixed_root_needs_no_probe() {
    let elsewhere = |fixed: &str| RootReason::NotBelowFixed { fixed: fixed.into() };
    let rows = [
        ("above cwd", "/ws", "/ws/a", "/ws", RootReason::Fixed),
        ("cwd", "/ws/a", "/ws/a", "/ws/a", RootReason::Fixed),
        ("made plain", "/ws/x/../", "/ws/a", "/ws", RootReason::Fixed),
        ("multi-byte", "/規", "/規/則", "/規", RootReason::Fixed),
        ("beside cwd", "/other", "/ws/a", "/ws/a", elsewhere("/other")),
        ("below cwd", "/ws/a/b", "/ws/a", "/ws/a", elsewhere("/ws/a/b")),
        ("relative", "ws", "/ws/a", "/ws/a", elsewhere("ws")),
    ];
    for (row, fixed, cwd, path, reason) in rows {
        let root = root_of("/ws/a/.git/", cwd, RootRule::Fixed(fixed.into()), &["/ws"]).await;
        assert_eq!((root.path.as_path(), &root.reason), (Path::new(path), &reason), "D1, {row}");
        assert_eq!(root.counts.probes, 0, "{row}: nothing is asked");
        assert_eq!(
            chain(&root.path, Path::new(cwd)).last(),
            Some(&Path::new(cwd)),
            "D2 holds for every root, {row}"
        );
    }
}

#[tokio::test]
async fn all_markers_are_probed_in_one_batch_however_deep() {
    for depth in [0, 3, 30, 300] {
        let tree = Tree::of("/ws/.sl/");
        let cwd = format!("/ws{}", "/d".repeat(depth));
        let options = RootOptions { rule: markers(&[".git", ".sl"]), ceilings: vec!["/".into()] };
        let root = find_root(&tree, Path::new(&cwd), &options).await;
        assert_eq!(root.path, Path::new("/ws"));
        assert_eq!(tree.probe_batches(), [2 * (depth + 1)], "D12: one round trip, up to the ceiling");
        assert_eq!((root.counts.probes, root.counts.round_trips), (2 * (depth + 1), 1), "depth {depth}");
    }
}

#[tokio::test]
async fn a_provider_that_answers_too_little_is_a_fault_and_no_panic() {
    let tree = Tree::of("/.git/").strange(Strange { answers: Some(1), ..Strange::default() });
    let root = find_root(&tree, Path::new("/ws/a"), &RootOptions::default()).await;
    assert_eq!(root.path, Path::new("/ws"), "no outer project is entered over a missing answer");
    assert!(matches!(root.reason, RootReason::Fault(_)));
}
