use proptest::prelude::*;

use crate::rules::head::{MAX_HEAD, read};
use crate::rules::patterns::MAX_PATTERNS;
use crate::rules::pieces::{Source, pieces};
use crate::rules::{Activation, Dialect, Patterns, Rule};

fn dialect() -> impl Strategy<Value = Dialect> {
    proptest::sample::select(Dialect::ALL.to_vec())
}

/// Text that is often a head, or nearly.
fn nearly() -> impl Strategy<Value = String> {
    let line = prop_oneof![
        Just("---".to_owned()),
        Just("...".to_owned()),
        "(paths|globs|applyTo|alwaysApply|trigger|description|x): ?[-a\\[\\]{},*\"'#:|> \t\\\\規]{0,12}",
        "[ \t]{0,2}- ?[a\\[\\]{},*\"'#: 規]{0,8}",
        "[ \t]{0,2}[-a\\[\\]{},*\"'#: \u{a0}]{0,8}",
    ];
    (
        proptest::collection::vec((line, prop_oneof![Just("\n"), Just("\r\n"), Just("\r")]), 0..9),
        any::<bool>(),
    )
        .prop_map(|(lines, mark)| {
            let text: String = lines.into_iter().flat_map(|(line, end)| [line, end.to_owned()]).collect();
            format!("{}---\n{text}", if mark { "\u{feff}" } else { "" })
        })
}

fn whole(dialect: Dialect, text: &str) -> Result<(), TestCaseError> {
    let Ok(head) = read(dialect, text) else { return Ok(()) };
    prop_assert!(text.get(head.body..).is_some(), "the body begins at a character");
    prop_assert!(head.body <= MAX_HEAD + "\u{feff}\r\n".len(), "a head is bounded");
    let (before, body) = text.split_at(head.body);
    prop_assert_eq!(format!("{before}{body}"), text);
    if head.body > 3 {
        let mark = before.trim_end_matches(['\r', '\n']);
        prop_assert!(mark.ends_with("---") || mark.ends_with("..."), "the head ends with its mark");
    } else {
        prop_assert_eq!((head.patterns.as_ref(), head.always_apply), (None, None), "no head, no keys");
    }
    for name in head.patterns.iter().flatten().chain(&head.agents).chain(&head.exclude_agent) {
        prop_assert_eq!(name.trim(), name, "without blanks around it");
        prop_assert!(!name.is_empty());
    }
    match Rule::read(dialect, text).activation {
        Activation::Always if matches!(dialect, Dialect::Claude | Dialect::Plain) => {
            prop_assert_eq!(head.patterns, None, "F5: a pattern key is never always on");
        }
        Activation::Paths(set) => {
            let any = set.as_written().iter().any(|pattern| !pattern.starts_with('!'));
            prop_assert!(any, "F5: else it is never");
        }
        _ => {}
    }
    Ok(())
}

/// A pattern as a writer would quote it, or leave it plain.
fn written(pattern: &str, style: u8) -> String {
    match style {
        0 => pattern.to_owned(),
        1 => format!("'{}'", pattern.replace('\'', "''")),
        _ => format!("\"{}\"", pattern.replace('\\', "\\\\").replace('"', "\\\"")),
    }
}

proptest! {
    #[test]
    fn any_text_is_read(dialect in dialect(), text in any::<String>()) {
        whole(dialect, &text)?;
    }

    #[test]
    fn what_is_nearly_a_head_is_read(dialect in dialect(), text in nearly()) {
        whole(dialect, &text)?;
    }

    #[test]
    fn any_patterns_are_compiled_or_dropped(
        dialect in dialect(),
        patterns in proptest::collection::vec(r"[-!ab.*?\[\]{},/\\^(|)~: 規]{0,12}", 0..6),
        path in "[ab./\\[\\]規]{0,10}",
    ) {
        let (set, bad) = Patterns::new(dialect, &patterns);
        let used = set.as_ref().map_or(0, |set| set.as_written().len());
        prop_assert_eq!(used + bad.len(), patterns.len(), "each is used or told");
        if let Some(pattern) = set.as_ref().and_then(|set| set.matches(&path)) {
            prop_assert!(patterns.iter().any(|written| written == pattern), "told as written");
            prop_assert!(!path.split('/').any(|part| part == ".."), "nothing out of the folder");
        }
    }

    #[test]
    fn a_head_reads_back(
        dialect in dialect(),
        patterns in proptest::collection::vec(("[*a-z規][-a-z0-9*?/.@!]{0,9}", 0_u8..3), 1..6),
        form in 0..4,
        end in prop_oneof![Just("\n"), Just("\r\n")],
    ) {
        let plain: Vec<_> = patterns.iter().map(|(pattern, _)| pattern.clone()).collect();
        prop_assume!(!(plain.len() == 1 && form == 0 && plain[0] == "null"));
        let items: Vec<_> = patterns.iter().map(|(pattern, style)| written(pattern, *style)).collect();
        let value = match form {
            0 => format!(" {}", items.join(", ")),
            1 => format!(" [{}]", items.join(", ")),
            2 => format!(" [\n  {},\n]", items.join(",\n  ")),
            _ => items.iter().map(|item| format!("\n  - {item}")).collect(),
        };
        let key = dialect.pattern_key();
        let text = format!("---\nother: x\n{key}:{value}\nagents: '!plan'\n---\nBody").replace('\n', end);
        let head = read(dialect, &text).map_err(|fault| TestCaseError::fail(format!("{fault}\n{text}")))?;
        prop_assert_eq!(head.patterns, Some(plain), "F4: {}", text);
        prop_assert_eq!(head.agents, ["!plan"]);
        prop_assert_eq!(&text[head.body..], "Body");
    }

    #[test]
    fn pieces_are_of_the_text(text in "[-a,\\[\\]{}#: 規\n]{0,40}") {
        for source in [Source::Plain, Source::Quoted, Source::List] {
            if let Ok(found) = pieces(&text, source) {
                prop_assert!(found.texts.iter().all(|piece| text.contains(piece.as_str())));
                prop_assert!(found.end.is_none_or(|end| text[..end].ends_with(']')));
            }
        }
    }
}

/// A reader that goes over the rest of a head for each of its parts would not come back from these.
#[test]
fn a_full_head_of_any_shape_is_read_in_one_go() {
    let units = [
        "[", "\"a\",", "x: [\n", "x: \"\n", "- a\n", "a: >\n", "#\n", "\t\n", " ", " a", "\n a", "a,", "{",
        "{,}", "{,},", "'", "\\", ":", "\u{3000}", "![", "**/",
    ];
    for unit in units {
        let keys = unit.repeat((MAX_HEAD - 64) / unit.len());
        for key in ["paths: ", "paths:\n- ", "agents: [", "paths: \"", "paths: |\n  ", "tags: "] {
            let text = format!("---\n{key}{keys}\n---\n");
            assert!(text.len() <= MAX_HEAD);
            let Ok(head) = read(Dialect::Claude, &text) else { continue };
            let read: usize = head.patterns.iter().flatten().map(String::len).sum();
            assert!(read <= text.len(), "{key:?} and {unit:?}");
            let dropped = Rule::read(Dialect::Claude, &text).bad_patterns.len();
            assert!(dropped <= MAX_PATTERNS + 1, "{key:?} and {unit:?}: what is told is bounded");
        }
    }
}
