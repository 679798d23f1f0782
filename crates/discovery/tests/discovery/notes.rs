use std::path::Path;

use proptest::prelude::*;
use standing_orders_discovery::notes::{Note, hidden_by_root, of_finding, of_text};
use standing_orders_discovery::{
    CandidateNames, Import, Replaced, RootOptions, Rules, SourceText, find_root, only_import,
};

use crate::tree::{Tree, all_distinct};

fn decoded(text: &str) -> SourceText {
    SourceText::decode(text.as_bytes()).unwrap()
}

fn imports(text: &str) -> Vec<(usize, String)> {
    let import = |note| match note {
        Note::Import { line, target } => Some((line, target)),
        _ => None,
    };
    of_text(&decoded(text)).into_iter().filter_map(import).collect()
}

fn invisible(text: &str) -> Vec<(char, usize, usize, usize)> {
    let found = |note| match note {
        Note::Invisible { character, line, column, count } => Some((character, line, column, count)),
        _ => None,
    };
    of_text(&decoded(text)).into_iter().filter_map(found).collect()
}

#[test]
fn an_import_is_a_path_of_its_own_outside_code() {
    type Row<'r> = (&'r str, &'r str, &'r [(usize, &'r str)]);
    let rows: [Row<'_>; 58] = [
        ("a line", "@docs/style.md\n", &[(1, "docs/style.md")]),
        ("a single name", "# A\r\n@AGENTS.md\r\n", &[(2, "AGENTS.md")]),
        ("a word", "See @README.md and @./more.", &[(1, "README.md"), (1, "./more")]),
        ("home and absolute", "@~/.me.md\n@/etc/rules", &[(1, "~/.me.md"), (2, "/etc/rules")]),
        ("multi-byte", "規則 @資料/規則.md。\n- @dökümente/é.txt", &[(2, "dökümente/é.txt")]),
        ("a quoted line", "> @a/b.md", &[(1, "a/b.md")]),
        ("a mention", "ask @alice, @bob.", &[]),
        ("a mail address", "me@example.md", &[]),
        ("a package scope", "use @types/node and @angular/core", &[]),
        ("a decorator", "put @app.route(\"/x\") on it, or @property", &[]),
        ("a host handle", "@user@host.md", &[]),
        ("a lonely sign", "@ @/ @../ @.", &[]),
        ("a code span", "write `@docs/x.md` there", &[]),
        ("a longer span", "``a ` @docs/x.md`` @docs/y.md", &[(1, "docs/y.md")]),
        ("an open backtick is no span", "a ` b @docs/x.md", &[(1, "docs/x.md")]),
        ("an open run hides no later span", "a `` b `c @docs/x.md d`", &[]),
        ("glued to a span", "`a`@docs/x.md", &[]),
        ("a fence", "```\n@docs/x.md\n```\n@docs/y.md", &[(4, "docs/y.md")]),
        ("a fence with a language", "```md\n@docs/x.md\n````\n@docs/y.md", &[(4, "docs/y.md")]),
        ("a shorter fence does not close", "````\n```\n@docs/x.md\n````\n@docs/y.md", &[(5, "docs/y.md")]),
        ("another mark does not close", "~~~\n```\n@docs/x.md\n~~~\n@docs/y.md", &[(5, "docs/y.md")]),
        ("a fence with words does not close", "```\n``` no\n@docs/x.md", &[]),
        ("an indented fence", "- a\n  ```\n  @docs/x.md\n  ```\n", &[]),
        ("a fence never closed", "~~~\n@docs/x.md", &[]),
        ("a span of three on one line", "```@docs/x.md``` @docs/y.md", &[(1, "docs/y.md")]),
        ("an empty text", "", &[]),
        // M1 has these besides.
        (
            "a blank in a path",
            "@docs/house\\ style.md, @./my\\ 規.x",
            &[(1, "docs/house style.md"), (1, "./my 規.x")],
        ),
        ("a blank at the end", "@docs/a.md\\ b @./a\\ ", &[]),
        ("another backslash", "@docs\\a.md", &[]),
        (
            "known names",
            "@README @Makefile, @package.json. @LICENSE",
            &[(1, "README"), (1, "Makefile"), (1, "package.json"), (1, "LICENSE")],
        ),
        ("known names in other letters", "@readme @TODO @package", &[]),
        ("folders", "@docs/ @./docs/ @.. @../.. @./. @~", &[]),
        ("globs", "@docs/*.md @docs/**/a.md @docs/?.md @docs/{a,b}.md @src/[id]/a.md", &[]),
        ("a scope with a text", "@scope/pkg.md", &[(1, "scope/pkg.md")]),
        (
            "a file that is named as a package",
            "@./src/index.js @src/lib/index.js",
            &[(1, "./src/index.js"), (1, "src/lib/index.js")],
        ),
        ("a comment", "<!-- @docs/x.md --> @docs/y.md", &[(1, "docs/y.md")]),
        ("a comment over lines", "a <!-- @a.md\n@b.md\n@c.md --> @d.md\n@e.md", &[(3, "d.md"), (4, "e.md")]),
        ("a comment that never ends", "@a.md\n<!-- @b.md\n\n@c.md", &[(1, "a.md")]),
        ("one within a line", "a <!-- @b.md\n@c.md", &[(1, "b.md"), (2, "c.md")]),
        ("the shortest comments", "<!--> @a.md <!---> @b.md", &[(1, "a.md"), (1, "b.md")]),
        ("two comments", "<!-- a --> @規.md <!-- @b.md -->", &[(1, "規.md")]),
        ("a fence in a comment", "<!--\n```\n-->\n@a.md", &[(4, "a.md")]),
        ("a comment in a fence", "```\n<!--\n```\n@a.md", &[(4, "a.md")]),
        ("a comment in a span", "`<!--` @a.md -->", &[(1, "a.md")]),
        ("a span in a comment", "<!-- ` --> @a.md ` @b.md", &[(1, "a.md"), (1, "b.md")]),
        ("a comment glued to it", "<!-- a -->@a.md", &[(1, "a.md")]),
        // The most reported false imports.
        ("false: a package scope", "We use @anthropic-ai/sdk and @types/node.", &[]),
        ("false: a package with a dot", "@types/chart.js, @nestjs/platform-socket.io", &[]),
        ("false: a package with a version", "@babel/core@7.1.0, react@19.md", &[]),
        ("false: a tag of a doc comment", "@param name, @returns, @deprecated", &[]),
        ("false: a decorator", "@app.get(\"/x.md\"), @dataclass, @pytest.fixture", &[]),
        ("false: an annotation", "@Override @Component({selector: 'a'})", &[]),
        ("false: a mail address", "a@b.md or <me@example.org>", &[]),
        ("false: a mention", "@alice, @org/team, cc @bob-2", &[]),
        ("false: an at-rule", "@media (min-width: 1px), @tailwind base; @import url(a.md)", &[]),
        ("false: an action or a remote", "actions/checkout@v4, git@github.com:o/r.md", &[]),
        ("false: a sign alone", "@ @@ @! @/ a @ b.md", &[]),
        ("false: a handle at a host", "@user@mastodon.social, @me@example.md", &[]),
    ];
    for (row, text, expected) in rows {
        let expected: Vec<_> = expected.iter().map(|(line, target)| (*line, (*target).to_owned())).collect();
        assert_eq!(imports(text), expected, "X2, {row}");
    }
}

#[test]
fn a_text_that_is_one_import_alone_is_that_file() {
    let rows = [
        ("alone", "@AGENTS.md", Some((1, "AGENTS.md"))),
        ("from here", " @./AGENTS.md\r\n", Some((1, "./AGENTS.md"))),
        ("with blank lines and comments", "<!-- one\n @a.md -->\n\n@規.md <!-- x -->\n", Some((4, "規.md"))),
        ("with a heading", "# Rules\n@AGENTS.md", None),
        ("in a list", "- @AGENTS.md", None),
        ("in a sentence", "See @AGENTS.md", None),
        ("with a stop", "@AGENTS.md.", Some((1, "AGENTS.md"))),
        ("two", "@AGENTS.md @docs/a.md", None),
        ("two lines", "@AGENTS.md\n@docs/a.md", None),
        ("with code", "@AGENTS.md\n```\n```", None),
        ("in code", "`@AGENTS.md`", None),
        ("no import", "AGENTS.md", None),
        ("nothing", "<!-- -->\n", None),
    ];
    for (row, text, expected) in rows {
        let expected = expected.map(|(line, target)| Import { line, target: target.to_owned() });
        assert_eq!(only_import(text), expected, "M5, {row}");
    }
}

#[test]
fn a_character_that_is_not_seen_is_told_once_with_its_first_place() {
    type Row<'r> = (&'r str, &'r str, &'r [(char, usize, usize, usize)]);
    let rows: [Row<'_>; 23] = [
        ("plain", "one\ttwo\r\n\u{c}three", &[]),
        ("letters and emoji", "é規😀e\u{301}", &[]),
        ("direction", "a\nb\u{202e}c\u{202c}", &[('\u{202e}', 2, 2, 1), ('\u{202c}', 2, 4, 1)]),
        ("isolates", "\u{2066}x\u{2069}", &[('\u{2066}', 1, 1, 1), ('\u{2069}', 1, 3, 1)]),
        ("direction marks", "規\u{200f}x\u{61c}", &[('\u{200f}', 1, 2, 1), ('\u{61c}', 1, 4, 1)]),
        ("zero width, many", "a\u{200b}b\u{200b}\n\u{200b}", &[('\u{200b}', 1, 2, 3)]),
        ("a mark within", "a\u{feff}b", &[('\u{feff}', 1, 2, 1)]),
        ("soft hyphen", "a\u{ad}b", &[('\u{ad}', 1, 2, 1)]),
        ("controls", "a\u{1b}[2Jb\u{8}", &[('\u{1b}', 1, 2, 1), ('\u{8}', 1, 7, 1)]),
        ("separators", "a\u{2028}b\u{2029}", &[('\u{2028}', 1, 2, 1), ('\u{2029}', 1, 4, 1)]),
        ("filler", "\u{3164}", &[('\u{3164}', 1, 1, 1)]),
        ("tags without a flag", "a\u{e0041}\u{e0042}", &[('\u{e0041}', 1, 2, 1), ('\u{e0042}', 1, 3, 1)]),
        ("a flag with its tags", "\u{1f3f4}\u{e0067}\u{e0062}\u{e007f}", &[]),
        ("tags after the flag's end", "\u{1f3f4}\u{e0067}\u{e007f}\u{e0041}", &[('\u{e0041}', 1, 4, 1)]),
        (
            "more tags than a flag has",
            "\u{1f3f4}\u{e0061}\u{e0061}\u{e0061}\u{e0061}\u{e0061}\u{e0061}\u{e0062}\u{e0061}",
            &[('\u{e0062}', 1, 8, 1), ('\u{e0061}', 1, 9, 1)],
        ),
        ("joined emoji", "\u{1f468}\u{200d}\u{1f469}\u{200d}\u{1f467}", &[]),
        ("an emoji with selector, joined", "\u{2764}\u{fe0f}\u{200d}\u{1f525}", &[]),
        ("two joiners in a row", "\u{1f468}\u{200d}\u{200d}\u{1f469}", &[('\u{200d}', 1, 3, 1)]),
        ("a keycap", "1\u{fe0f}\u{20e3}", &[]),
        ("a joiner in a script", "می\u{200c}خواهم", &[]),
        ("a joiner between ASCII letters", "a\u{200d}b", &[('\u{200d}', 1, 2, 1)]),
        ("selectors in a row", "規\u{e0100}\u{e0101}", &[('\u{e0101}', 1, 3, 1)]),
        ("a selector after nothing", "\u{fe0f}", &[('\u{fe0f}', 1, 1, 1)]),
    ];
    for (row, text, expected) in rows {
        assert_eq!(invisible(text), expected, "X2, {row}");
    }
}

#[test]
fn replaced_bytes_are_told() {
    let text = SourceText::decode(b"\xe8\xa6\x8f\xff").unwrap();
    assert_eq!(
        of_text(&text),
        [Note::Replaced(Replaced { count: 1, first: 3 })],
        "D10: replaced and reported"
    );
}

#[tokio::test]
async fn a_winner_that_is_only_a_pointer_to_a_shadowed_sibling_is_told() {
    let pointer = |to: &str| vec![Note::Pointer { to: to.to_owned() }];
    let import = |target: &str| vec![Note::Import { line: 1, target: target.to_owned() }];
    let both = "/ws/CLAUDE.md = all the rules";
    let rows = [
        ("an import", both, "@CLAUDE.md", pointer("CLAUDE.md")),
        ("an import from here", both, "@./CLAUDE.md", pointer("CLAUDE.md")),
        ("a sentence", both, "See CLAUDE.md.", pointer("CLAUDE.md")),
        ("a link checked out as text", both, "CLAUDE.md", pointer("CLAUDE.md")),
        (
            "a Markdown link",
            both,
            "Please read [CLAUDE.md](./CLAUDE.md) for all instructions.",
            pointer("CLAUDE.md"),
        ),
        ("a code span", both, "Follow the guidelines in `CLAUDE.md`", pointer("CLAUDE.md")),
        ("with other words", both, "CLAUDE.md is outdated, ignore it", vec![]),
        ("with a rule", both, "See CLAUDE.md. Use uv.", vec![]),
        ("a negation", both, "Do not use CLAUDE.md", vec![]),
        ("a part of a name", both, "See OLD-CLAUDE.md", vec![]),
        ("another language", both, "規則は CLAUDE.md を見よ", vec![]),
        ("a sibling that is not there", "", "@CLAUDE.md", import("CLAUDE.md")),
        ("a sibling that is loaded", "/ws/CLAUDE.local.md = mine", "See CLAUDE.local.md", vec![]),
        (
            "a sibling that another one shadows",
            "/ws/AGENTS.local.md = mine\n/ws/CLAUDE.local.md = not loaded",
            "See CLAUDE.local.md",
            vec![],
        ),
        ("a file that is no candidate", both, "@docs/CLAUDE.md", import("docs/CLAUDE.md")),
        ("itself", both, "See AGENTS.md", vec![]),
    ];
    for (row, fixture, text, expected) in rows {
        let tree = Tree::of(fixture);
        tree.fs.write("/ws/AGENTS.md", text.to_owned());
        let look = tree.look(&["/ws"], &Rules::default()).await;
        assert_eq!(of_finding(&look, 0, &CandidateNames::default()), expected, "X2, {row}");
    }
}

#[tokio::test]
async fn a_winner_without_content_that_keeps_a_sibling_with_some_from_loading_is_told() {
    let keeps = |name: &str| vec![Note::Empty { keeps: name.to_owned() }];
    let rows = [
        ("empty", "/ws/CLAUDE.md = rules", "", keeps("CLAUDE.md")),
        ("blank", "/ws/CLAUDE.md = rules", " \n\t\u{3000}\r\n", keeps("CLAUDE.md")),
        ("a mark alone", "/ws/CLAUDE.md = rules", "\u{feff}", keeps("CLAUDE.md")),
        ("with a word", "/ws/CLAUDE.md = rules", "規", vec![]),
        ("alone", "", "", vec![]),
        ("a sibling that is loaded", "/ws/CLAUDE.local.md = mine", "", vec![]),
    ];
    for (row, fixture, text, expected) in rows {
        let tree = Tree::of(fixture);
        tree.fs.write("/ws/AGENTS.md", text.to_owned());
        let look = tree.look(&["/ws"], &Rules::default()).await;
        assert_eq!(of_finding(&look, 0, &CandidateNames::default()), expected, "X2, {row}");
    }
    let tree = Tree::of("");
    tree.fs.write("/ws/AGENTS.md", "");
    tree.fs.write("/ws/CLAUDE.md", "");
    let look = tree.look(&["/ws"], &Rules::default()).await;
    assert_eq!(of_finding(&look, 0, &CandidateNames::default()), [], "of an empty sibling nothing is lost");
    tree.fs.write("/ws/CLAUDE.md", "rules");
    let all = tree.look(&["/ws"], &all_distinct()).await;
    assert_eq!(of_finding(&all, 0, &CandidateNames::default()), [], "where both are loaded neither");
}

#[tokio::test]
async fn headings_and_blank_lines_do_not_hide_a_pointer() {
    let tree = Tree::of("/ws/CLAUDE.md = rules");
    tree.fs.write("/ws/AGENTS.md", "# Agents\n\n## 規則\nSee CLAUDE.md\n\n");
    let look = tree.look(&["/ws"], &Rules::default()).await;
    let names = CandidateNames::default();
    assert_eq!(of_finding(&look, 0, &names), [Note::Pointer { to: "CLAUDE.md".into() }]);
    assert_eq!(of_finding(&look, 1, &names), [], "a shadowed file has no text");
    assert_eq!(of_finding(&look, 99, &names), [], "nor has what is not there");
    let all = tree.look(&["/ws"], &all_distinct()).await;
    assert_eq!(of_finding(&all, 0, &names), [], "where both are loaded nothing is lost");
}

#[tokio::test]
async fn what_a_nested_root_hides_is_told_with_its_path() {
    let hides = |outer: &str, files: &[&str]| {
        let files = files.iter().map(Into::into).collect();
        Some(Note::HidesOuter { outer: outer.into(), files, failed: Vec::new() })
    };
    let rows = [
        ("a submodule", "/s/.git/\n/s/AGENTS.md\n/s/sub/.git = x", "/s/sub", hides("/s", &["/s/AGENTS.md"])),
        (
            "all on the way down, winners only",
            "/s/.git/\n/s/AGENTS.md\n/s/CLAUDE.md\n/s/規/CLAUDE.local.md\n/s/規/x/.git/\n/s/規/x/AGENTS.md",
            "/s/規/x/y",
            hides("/s", &["/s/AGENTS.md", "/s/規/CLAUDE.local.md"]),
        ),
        ("nothing to hide", "/s/.git/\n/s/sub/.git/\n/s/sub/AGENTS.md", "/s/sub", None),
        ("no outer project", "/s/AGENTS.md\n/s/sub/.git/", "/s/sub", None),
        ("a root without marker", "/s/AGENTS.md", "/s/sub", None),
        ("the top", "/.git/\n/AGENTS.md", "/s", None),
    ];
    for (row, fixture, cwd, expected) in rows {
        let tree = Tree::of(fixture);
        let root = find_root(&tree, Path::new(cwd), &RootOptions::default()).await;
        assert_eq!(hidden_by_root(&tree, &root, &Rules::default()).await, expected, "X2, {row}");
        assert_eq!(tree.read_batches(), [0; 0], "{row}: a note reads nothing");
        assert!(tree.probe_batches().len() <= 2, "{row}: one batch besides the root's");
    }
}

#[tokio::test]
async fn what_cannot_be_looked_at_outside_is_told_as_unknown() {
    let tree = Tree::of("/s/.git/\n!stat /s/AGENTS.md\n/s/sub/.git/");
    let root = find_root(&tree, Path::new("/s/sub"), &RootOptions::default()).await;
    let note = hidden_by_root(&tree, &root, &Rules::default()).await;
    let Some(Note::HidesOuter { files, failed, .. }) = note else { panic!("{note:?}") };
    assert_eq!((files.len(), failed.len()), (0, 1), "C7: unknown is not absent");
}

proptest! {
    #[test]
    fn a_note_points_at_what_is_there(text in "[-@a./`~<!> \\\\\n\u{200d}\u{1f3f4}\u{e0067}é1]{0,60}") {
        for note in of_text(&decoded(&text)) {
            match note {
                Note::Import { line, target } => {
                    let line = text.lines().nth(line - 1).unwrap();
                    let word = format!("@{}", target.replace(' ', "\\ "));
                    prop_assert!(line.contains(&word), "the import stands on its line");
                }
                Note::Invisible { character, line, column, count } => {
                    let line = text.split('\n').nth(line - 1).unwrap();
                    prop_assert_eq!(line.chars().nth(column - 1), Some(character), "it stands where the note says");
                    prop_assert!(count <= text.chars().filter(|&c| c == character).count());
                }
                other => prop_assert!(false, "valid UTF-8 alone has no other note: {other:?}"),
            }
        }
    }

    #[test]
    fn prose_in_any_script_has_no_invisible_characters(text in r"[\p{L}\p{N}\p{P} \n]{0,40}") {
        prop_assume!(!text.contains(['\u{115f}', '\u{1160}', '\u{3164}', '\u{ffa0}']));
        prop_assert_eq!(invisible(&text), []);
    }
}
