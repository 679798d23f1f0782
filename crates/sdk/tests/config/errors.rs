use serde_json::json;
use standing_orders::config::{ConfigError, Origin, Sources};

use super::{FILE, load, variables};

/// Name, TOML, message; the file's name is left out of it.
const FAULTS: &[(&str, &str, &str)] = &[
    ("unknown key", "max_byte = 1", "unknown key `max_byte`, did you mean `max_bytes`? (line 1, column 1)"),
    ("hyphens", "max-bytes = 1", "unknown key `max-bytes`, did you mean `max_bytes`? (line 1, column 1)"),
    ("letter case", "maxBytes = 1", "unknown key `maxBytes`, did you mean `max_bytes`? (line 1, column 1)"),
    ("nothing near", "color = 1", "unknown key `color`, valid keys are KEYS (line 1, column 1)"),
    (
        "nothing near in a list of tables",
        "max_bytes = 1\n[[gated]]\n'é' = 1",
        "unknown key `gated[0].é`, valid keys are `id`, `files`, `sessions`, `max_depth`, `agents`, `modes`, `when_touched`, `allow_candidate_names`, `max_bytes` (line 3, column 1)",
    ),
    (
        "multi-byte, in a later column",
        "max_bytes = 1\nwording = { 'é' = 1 }",
        "unknown key `wording.é`, valid keys are WORDING (line 2, column 13)",
    ),
    (
        "in a table",
        "max_bytes = 1\n[wording]\nintroductoin = 'ü'",
        "unknown key `wording.introductoin`, did you mean `wording.introduction`? (line 3, column 1)",
    ),
    (
        "in the wrong table",
        "introduction = 'x'",
        "unknown key `introduction`, did you mean `wording.introduction`? (line 1, column 1)",
    ),
    (
        "in a list of tables",
        "max_bytes = 1\n[[gated]]\nid = 'a'\nfile = ['b']",
        "unknown key `gated[0].file`, did you mean `gated[0].files`? (line 4, column 1)",
    ),
    ("a key on two lines", "\"a\\nb\" = 1", "unknown key `a\\nb`, valid keys are KEYS (line 1, column 1)"),
    (
        "a number as text",
        "max_bytes = '1'",
        "`max_bytes` is \"1\", expected a whole number of bytes, 0 or more (line 1, column 13)",
    ),
    (
        "negative",
        "max_bytes = -1",
        "`max_bytes` is -1, expected a whole number of bytes, 0 or more (line 1, column 13)",
    ),
    (
        "fractional",
        "max_bytes = 1.5",
        "`max_bytes` is 1.5, expected a whole number of bytes, 0 or more (line 1, column 13)",
    ),
    (
        "infinite",
        "max_bytes = inf",
        "`max_bytes` is inf, expected a whole number of bytes, 0 or more (line 1, column 13)",
    ),
    (
        "not a number",
        "max_bytes = nan",
        "`max_bytes` is NaN, expected a whole number of bytes, 0 or more (line 1, column 13)",
    ),
    (
        "beyond 64 bits",
        "max_bytes = 99999999999999999999",
        "`max_bytes` is 100000000000000000000, expected a whole number of bytes, 0 or more, at most 18446744073709551615 (line 1, column 13)",
    ),
    (
        "a depth beyond 32 bits",
        "max_bytes = 1\n[[gated]]\nid = 'ü'\nfiles = ['a']\nmax_depth = 4294967296",
        "`gated[0].max_depth` is 4294967296, expected a depth: 0 is a main session, 1 a subagent of it, and so on, at most 4294967295 (line 5, column 13)",
    ),
    (
        "a boolean",
        "max_bytes = true",
        "`max_bytes` is true, expected a whole number of bytes, 0 or more (line 1, column 13)",
    ),
    (
        "a date",
        "max_bytes = 2026-01-01",
        "`max_bytes` is a date, expected text, a number, a list or a table (line 1, column 13)",
    ),
    (
        "nothing may be read",
        "max_source_bytes = 0",
        "`max_source_bytes` is 0, expected a whole number of bytes, 1 or more (line 1, column 20)",
    ),
    (
        "no such word",
        "overflow = 'cut'",
        "`overflow` is \"cut\", expected \"drop\" or \"trim\" (line 1, column 12)",
    ),
    (
        "a word nearly",
        "selection = 'all-distinct'",
        "`selection` is \"all-distinct\", expected \"first\" or \"all_distinct\", did you mean `all_distinct`? (line 1, column 13)",
    ),
    (
        "a number for a word",
        "overflow = 0",
        "`overflow` is 0, expected \"drop\" or \"trim\" (line 1, column 12)",
    ),
    (
        "a list for a word",
        "nested_discovery = []",
        "`nested_discovery` is a list, expected \"cwd\" or \"project\" (line 1, column 20)",
    ),
    (
        "a profile nearly",
        "home = 'dhs'",
        "`home` is \"dhs\", expected a profile (\"dsh\"), \"none\", or a folder: absolute, or below `~`, did you mean `dsh`? (line 1, column 8)",
    ),
    (
        "a relative home",
        "home = './x'",
        "`home` is \"./x\", expected a profile (\"dsh\"), \"none\", or a folder: absolute, or below `~` (line 1, column 8)",
    ),
    (
        "another's home",
        "home = '~root/x'",
        "`home` is \"~root/x\", expected a profile (\"dsh\"), \"none\", or a folder: absolute, or below `~` (line 1, column 8)",
    ),
    (
        "text for a list",
        "instruction_file_candidates = 'A.md'",
        "`instruction_file_candidates` is \"A.md\", expected a list (line 1, column 31)",
    ),
    (
        "a number in a list",
        "project_root_markers = ['.git', 3]",
        "`project_root_markers[1]` is 3, expected text (line 1, column 33)",
    ),
    ("text for a table", "wording = 'x'", "`wording` is \"x\", expected a table (line 1, column 11)"),
    ("a list for a table", "wording = ['x']", "`wording` is a list, expected a table (line 1, column 11)"),
    (
        "a number for a sentence",
        "wording.removed = 1",
        "`wording.removed` is 1, expected text (line 1, column 19)",
    ),
    (
        "a tag that is none",
        "wording.frame = 'a b'",
        "`wording.frame` is \"a b\", expected a plain tag name: an ASCII letter, then letters, digits, `-`, `_`, `.` or `:` (line 1, column 17)",
    ),
    (
        "no TOML",
        "max_bytes =",
        "not valid TOML: string values must be quoted, expected literal string (line 1, column 12)",
    ),
    ("twice", "max_bytes = 1\nmax_bytes = 2", "not valid TOML: duplicate key (line 2, column 1)"),
    (
        "long values are shortened",
        "overflow = 'ääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääää'",
        "`overflow` is \"ääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääää…\", expected \"drop\" or \"trim\" (line 1, column 12)",
    ),
];

/// With the lists of keys written out.
fn with_keys(expected: &str) -> String {
    expected
        .replace(
            "KEYS",
            "`max_bytes`, `max_source_bytes`, `overflow`, `selection`, `nested_discovery`, `home`, \
             `project_root_markers`, `ceiling_directories`, `instruction_file_candidates`, \
             `local_instruction_file_candidates`, `exclude`, `imports`, \
             `import_roots`, `worktree_overlays`, `delegation_notice`, `wording`, `gated`, `rules`, `policy`",
        )
        .replace(
            "WORDING",
            "`introduction`, `compact_introduction`, `replaces_earlier`, `replaces_chain`, \
             `none_active`, `applies_to`, `applies_everywhere`, `changed`, `switched`, `removed`, \
             `imported_by`, `applies_to_paths`, `left_out`, `frame`",
        )
}

#[test]
fn every_fault_of_a_file_names_key_place_expectation_and_nearest() {
    for (name, toml, expected) in FAULTS {
        let error = load(toml).expect_err(name);
        let expected = with_keys(expected);
        assert_eq!(error.to_string().replace(&format!("{FILE}, "), ""), expected, "{name}");
        assert!(!error.to_string().contains('\n'), "{name}: one line");
        let Some(Origin::File { path, at: Some(at) }) = error.origin() else {
            panic!("{name}: the place is known: {error:?}")
        };
        assert_eq!(path.to_str(), Some(FILE), "{name}");
        assert!(toml.get(at.span.clone()).is_some(), "{name}: the span {at:?} lies in the text");
    }
}

#[test]
fn a_missing_budget_is_an_error_that_says_where_it_could_stand() {
    let error = Sources::new().load().unwrap_err();
    assert_eq!(error, ConfigError::MissingKey { key: "max_bytes".into(), looked: Vec::new() });
    let sources = Sources::new().text("/a.toml", "").text("/b.toml", "selection = 'first'");
    let error = sources.set("overflow", "trim", "--overflow").load().unwrap_err();
    assert_eq!(
        error.to_string(),
        "missing key `max_bytes`: each deployment chooses its own, in bytes, and 0 turns loading off \
         (not in /a.toml, /b.toml, --overflow)"
    );
    assert_eq!(error.origin(), None, "it is at no place");
}

#[test]
fn a_fault_of_a_variable_names_the_variable() {
    let rows = [
        ("STANDING_ORDERS_MAX_BYTE", "1", "unknown key `max_byte`, did you mean `max_bytes`?"),
        (
            "STANDING_ORDERS_MAX_BYTES",
            "1k",
            "`max_bytes` is \"1k\", expected a whole number of bytes, 0 or more",
        ),
        ("STANDING_ORDERS_MAX_BYTES", "-1", "`max_bytes` is -1, expected a whole number of bytes, 0 or more"),
        (
            "STANDING_ORDERS_OVERFLOW",
            "trím",
            "`overflow` is \"trím\", expected \"drop\" or \"trim\", did you mean `trim`?",
        ),
        ("STANDING_ORDERS_WORDING", "x", "`wording` is \"x\", expected a table"),
        ("STANDING_ORDERS_WORDING__X", "x", "unknown key `wording.x`, valid keys are WORDING"),
        ("STANDING_ORDERS_GATED", "x", "`gated[0]` is \"x\", expected a table"),
        ("STANDING_ORDERS_CEILING_DIRECTORIES", "[1", "not valid TOML: unclosed array, expected `]`"),
        ("STANDING_ORDERS_", "x", "unknown key ``, valid keys are KEYS"),
    ];
    for (name, value, expected) in rows {
        let environment = variables(&[("STANDING_ORDERS_MAX_BYTES", "1"), (name, value)]);
        let error = Sources::new().environment(environment).load().expect_err(name);
        assert_eq!(error.to_string(), format!("{} (variable {name})", with_keys(expected)));
        assert_eq!(error.origin(), Some(&Origin::Variable(name.to_owned())));
    }
}

#[cfg(unix)]
#[test]
fn a_variable_that_is_not_text_is_an_error() {
    use standing_orders::config::Environment;
    use std::os::unix::ffi::OsStringExt as _;
    let value = std::ffi::OsString::from_vec(vec![0xff]);
    let environment = Environment::new([("STANDING_ORDERS_HOME", value)]);
    let error = Sources::new().environment(environment).load().unwrap_err();
    assert_eq!(
        error.to_string(),
        "`home` is not UTF-8, expected text in UTF-8 (variable STANDING_ORDERS_HOME)"
    );
}

#[test]
fn a_fault_of_an_explicit_value_names_its_source() {
    let error = Sources::new().set("max_bytes", -1, "--max-bytes").load().unwrap_err();
    assert_eq!(
        error.to_string(),
        "`max_bytes` is -1, expected a whole number of bytes, 0 or more (--max-bytes)"
    );
    let error = Sources::new().set("max_bytes", json!(null), "host").load().unwrap_err();
    assert_eq!(
        error.to_string(),
        "`max_bytes` is nothing, expected a whole number of bytes, 0 or more (host)"
    );
    let error = Sources::new().fallback("max_bytes", "x").load().unwrap_err();
    assert_eq!(error.origin(), Some(&Origin::Fallback));
}

#[test]
fn a_file_that_cannot_be_read_is_an_error_with_its_path() {
    let dir = tempfile::tempdir().unwrap();
    let at = |name: &str| dir.path().join(name);
    std::fs::write(at("bytes"), [b'a', 0xff]).unwrap();
    std::fs::File::create(at("large")).unwrap().set_len(2 << 30).unwrap();
    let rows = [
        ("absent", "no such file or directory"),
        (".", "not a regular file"),
        ("bytes", "not UTF-8, from byte 1 on"),
        ("large", "larger than 1048576 bytes, which no configuration is"),
    ];
    for (name, expected) in rows {
        let error = Sources::new().file(at(name)).expect_err(name);
        assert_eq!(error, ConfigError::Unreadable { path: at(name), reason: expected.to_owned() });
        assert_eq!(error.to_string(), format!("cannot read {}: {expected}", at(name).display()));
    }
}

#[test]
fn a_path_in_a_message_is_in_its_shown_form() {
    let error = Sources::new().file("n\nö\u{200b}").unwrap_err();
    assert_eq!(error.to_string(), "cannot read n\\u{a}ö\\u{200b}: no such file or directory");
    let error = Sources::new().text("n\nö", "max_bytes = 'x'").load().unwrap_err();
    assert!(error.to_string().ends_with("(n\\u{a}ö, line 1, column 13)"), "{error}");
}
