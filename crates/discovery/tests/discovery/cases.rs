//! Cases seen in the field, as far as discovery decides them.

use std::path::Path;

use standing_orders_discovery::path::{chain, nested_dirs, shown_in, touched};
use standing_orders_discovery::{Places, RootOptions, RootReason, RootRule, Rules, find_root, look};

use crate::tree::{Tree, told};
use standing_orders_fs::KnownVersion;

/// What a session at `cwd` finds: the texts of the user-global folder `/h`, then of the chain.
async fn session(fixture: &str, cwd: &str) -> Vec<String> {
    let tree = Tree::of(fixture);
    let root = find_root(&tree, Path::new(cwd), &RootOptions::default()).await;
    let mut places = Places::new();
    places.push_user_global(Path::new("/h"));
    for dir in chain(&root.path, Path::new(cwd)) {
        places.push_directory(dir);
    }
    told(&look(&tree, &places, &Rules::default(), |_| KnownVersion::Nothing).await)
}

async fn check(rows: &[(&str, &str, &str, &[&str])]) {
    for (row, fixture, cwd, expected) in rows {
        assert_eq!(session(fixture, cwd).await, *expected, "{row}");
    }
}

#[tokio::test]
async fn links() {
    check(&[
        (
            "a linked file at project and at user level",
            "/p/.git/\n/p/shared/AGENTS.md = p\n/p/AGENTS.md -> shared/AGENTS.md\n/h/x.md = h\n/h/AGENTS.md -> x.md",
            "/p",
            &[r#"/h/AGENTS.md "h""#, r#"/p/AGENTS.md "p""#],
        ),
        (
            "a relative target is the link's own folder's",
            "/p/.git/\n/p/x.md = x\n/p/a/AGENTS.md -> ../x.md",
            "/p/a",
            &[r#"/p/a/AGENTS.md "x""#],
        ),
        (
            "a folder that is a link",
            "/r/規.md = x\n/r/shared/AGENTS.md -> ../規.md\n/p/.git/\n/p/a -> /r/shared",
            "/p/a",
            &[r#"/p/a/AGENTS.md "x""#],
        ),
        (
            "from the root and from below alike",
            "/r.md = r\n/p/.git/\n/p/AGENTS.md -> ../r.md\n/p/sub/pkg/x",
            "/p/sub/pkg",
            &[r#"/p/AGENTS.md "r""#],
        ),
        (
            "a link of the user-global folder",
            "/real/AGENTS.md = h\n/h -> /real\n/p/.git/",
            "/p",
            &[r#"/h/AGENTS.md "h""#],
        ),
        (
            "a dangling link falls through to the next name",
            "/p/.git/\n/p/common/\n/p/AGENTS.md -> common/AGENTS.md\n/p/CLAUDE.md = c",
            "/p",
            &[r#"/p/CLAUDE.md "c""#],
        ),
        ("a home that is gone", "/h -> /gone\n/p/.git/\n/p/AGENTS.md = p", "/p", &[r#"/p/AGENTS.md "p""#]),
    ])
    .await;
}

#[tokio::test]
async fn one_file_one_copy() {
    check(&[
        (
            "a sibling link is shadowed",
            "/p/.git/\n/p/AGENTS.md = a\n/p/CLAUDE.md -> AGENTS.md",
            "/p",
            &[r#"/p/AGENTS.md "a""#, "/p/CLAUDE.md shadowed by 0"],
        ),
        ("one copy whether or not there is a marker", "/p/AGENTS.md = a", "/p", &[r#"/p/AGENTS.md "a""#]),
    ])
    .await;

    let tree = Tree::of("/h/AGENTS.md = g");
    let mut places = Places::new();
    places.push_user_global(Path::new("/h"));
    places.push_directory(Path::new("/h"));
    let look = look(&tree, &places, &Rules::default(), |_| KnownVersion::Nothing).await;
    let files: Vec<_> =
        look.findings().iter().filter_map(|finding| finding.metadata()).map(|m| m.file).collect();
    assert_eq!(files.len(), 2, "cwd is the user-global folder");
    assert!(files[0].is_some() && files[0] == files[1], "D9: the caller can tell that both are one file");
    assert_eq!(tree.read_batches(), [1], "and it is read once");

    let tree = Tree::of("/p/AGENTS.md = same\n/p/a/AGENTS.md = same");
    let look = tree.look(&["/p", "/p/a"], &Rules::default()).await;
    let files: Vec<_> =
        look.findings().iter().filter_map(|finding| finding.metadata()).map(|m| m.file).collect();
    assert_ne!(files[0], files[1], "two files of equal text stay two");
}

#[tokio::test]
async fn roots_worktrees_and_submodules() {
    check(&[
        (
            "a worktree within its checkout",
            "/r/.git/\n/r/AGENTS.md = main\n/r/.worktrees/w/.git = gitdir\n/r/.worktrees/w/AGENTS.md = w",
            "/r/.worktrees/w",
            &[r#"/r/.worktrees/w/AGENTS.md "w""#],
        ),
        (
            "a checkout within a bare one's folder: no hole in the chain",
            "/fleet/.git/\n/fleet/CLAUDE.md = f\n/fleet/child/.git = gitdir\n/fleet/child/a/CLAUDE.md = a",
            "/fleet/child/a",
            &[r#"/fleet/child/a/CLAUDE.md "a""#],
        ),
        (
            "a submodule stops the walk",
            "/super/.git/\n/super/AGENTS.md = no\n/super/sub/.git = gitdir\n/super/sub/AGENTS.md = sub",
            "/super/sub",
            &[r#"/super/sub/AGENTS.md "sub""#],
        ),
        ("no root: cwd only", "/docs/AGENTS.md = no\n/docs/2026/chat/x", "/docs/2026/chat", &[]),
        (
            "root to cwd",
            "/r/.git/\n/r/AGENTS.md = r\n/r/a/AGENTS.md = é\n/r/a/b/x",
            "/r/a/b",
            &[r#"/r/AGENTS.md "r""#, r#"/r/a/AGENTS.md "é""#],
        ),
        (
            "the winner is decided per directory",
            "/r/.git/\n/r/AGENTS.md = r\n/r/t/CLAUDE.md = t",
            "/r/t",
            &[r#"/r/AGENTS.md "r""#, r#"/r/t/CLAUDE.md "t""#],
        ),
    ])
    .await;
}

#[tokio::test]
async fn home_and_parents() {
    check(&[
        ("no climb without a marker", "/home/u/AGENTS.md = no\n/home/u/P/x/y", "/home/u/P/x", &[]),
        (
            "a file above the root is not loaded by accident",
            "/home/u/AGENTS.md = no\n/home/u/r/.git/\n/home/u/r/AGENTS.md = r",
            "/home/u/r",
            &[r#"/home/u/r/AGENTS.md "r""#],
        ),
        (
            "the nearest marker wins",
            "/g/.git/\n/g/AGENTS.md = g\n/g/s/app/x",
            "/g/s/app",
            &[r#"/g/AGENTS.md "g""#],
        ),
    ])
    .await;

    let cwd = Path::new("/ws");
    for (row, path) in [("beside, by dots", "../h/log"), ("absolute", "/h/.codex/log"), ("above", "..")] {
        let path = touched(cwd, Path::new(path)).unwrap().unwrap();
        assert_eq!(nested_dirs(cwd, &path).count(), 0, "lazy discovery stays below: {row}");
    }

    let options = RootOptions { rule: RootRule::default(), ceilings: vec!["/home".into()] };
    let tree = Tree::of("/.git/\n/AGENTS.md = no\n/home/AGENTS.md = no");
    let root = find_root(&tree, Path::new("/home/u"), &options).await;
    assert_eq!((root.path.as_path(), root.outer), (Path::new("/home/u"), None));
    assert_eq!(root.reason, RootReason::Ceiling("/home".into()), "the result says why");
}

#[tokio::test]
async fn odd_files_and_failing_reads() {
    check(&[
        ("a directory of that name", "/p/AGENTS.md/x\n/p/CLAUDE.md = c", "/p", &[r#"/p/CLAUDE.md "c""#]),
        ("a FIFO of that name", "/p/AGENTS.md |", "/p", &[]),
        ("a link to a FIFO", "/p/f |\n/p/AGENTS.md -> f\n/p/CLAUDE.md = c", "/p", &[r#"/p/CLAUDE.md "c""#]),
        ("a parent that is a file", "/p = file", "/p/a", &[]),
        (
            "a folder that cannot be searched",
            "!stat /p/AGENTS.md\n/p/CLAUDE.md = c",
            "/p",
            &["/p/AGENTS.md failed", r#"/p/CLAUDE.md "c""#],
        ),
    ])
    .await;
}

#[tokio::test]
async fn encodings() {
    let tree = Tree::default();
    tree.fs.write("/h/AGENTS.md", &b"h\xffi"[..]);
    tree.fs.write("/p/AGENTS.md", &b"\xff\xfeh\0i\0"[..]);
    let mut places = Places::new();
    places.push_user_global(Path::new("/h"));
    places.push_directory(Path::new("/p"));
    let look = look(&tree, &places, &Rules::default(), |_| KnownVersion::Nothing).await;
    assert_eq!(told(&look), ["/h/AGENTS.md \"h\u{fffd}i\"", r#"/p/AGENTS.md "hi""#], "never fatal");
    assert!(
        look.findings()[0].text().unwrap().replaced().is_some(),
        "replaced bytes are reported in every scope"
    );
}

#[test]
fn a_hostile_folder_name_stays_one_line() {
    let root = Path::new("/ws");
    let rows = [
        ("a line of its own", "/ws/ok\nIMPORTANT: do x/AGENTS.md", r"ok\u{a}IMPORTANT: do x/AGENTS.md"),
        ("a heading", "/ws/sub\n## X/AGENTS.md", r"sub\u{a}## X/AGENTS.md"),
        ("a direction override", "/ws/規\u{202e}/AGENTS.md", r"規\u{202e}/AGENTS.md"),
    ];
    for (row, path, expected) in rows {
        let text = shown_in(root, Path::new(path)).unwrap().to_string();
        assert_eq!(text, expected, "D11, {row}");
    }
}
