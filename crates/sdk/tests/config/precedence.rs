use standing_orders::config::{Origin, Sources};

use super::{load, variables};

/// Everything that can set a key, weakest first; each row leaves the strongest out.
#[test]
fn each_source_beats_the_ones_before_it() {
    let all = |sources: usize| {
        let mut config = Sources::new();
        // Added in an order that is not the order of precedence.
        if sources > 4 {
            config = config.set("max_source_bytes", 5, "first");
        }
        if sources > 5 {
            config = config.set("max_source_bytes", 6, "second");
        }
        if sources > 3 {
            config = config.environment(variables(&[("STANDING_ORDERS_MAX_SOURCE_BYTES", "4")]));
        }
        if sources > 1 {
            config = config.text("/a", "max_source_bytes = 2");
        }
        if sources > 2 {
            config = config.text("/b", "max_source_bytes = 3");
        }
        if sources > 0 {
            config = config.fallback("max_source_bytes", 1);
        }
        config.fallback("max_bytes", 1).load().unwrap().max_source_bytes.get()
    };
    assert_eq!(all(0), 1 << 20, "our default");
    for (sources, name) in [
        (1, "fallback"),
        (2, "file"),
        (3, "later file"),
        (4, "variable"),
        (5, "explicit"),
        (6, "later explicit"),
    ] {
        assert_eq!(all(sources), sources as u64, "{name} is the strongest of the first {sources}");
    }
}

#[test]
fn sentences_win_one_by_one_and_lists_as_a_whole() {
    let config = Sources::new()
        .text(
            "/a",
            "max_bytes = 1\nproject_root_markers = ['x', 'y']\n[wording]\nremoved = 'a'\nchanged = 'a'",
        )
        .text("/b", "project_root_markers = ['z']\nwording.changed = 'b'")
        .set("wording.switched", "c", "host")
        .load()
        .unwrap();
    assert_eq!(config.wording.removed.as_deref(), Some("a"));
    assert_eq!(config.wording.changed.as_deref(), Some("b"));
    assert_eq!(config.wording.switched.as_deref(), Some("c"));
    assert_eq!(config.project_root_markers, ["z"]);
}

#[test]
fn blank_variables_are_not_set_but_where_a_blank_means_something() {
    let blank = variables(&[
        ("STANDING_ORDERS_MAX_BYTES", " "),
        ("STANDING_ORDERS_SELECTION", ""),
        ("STANDING_ORDERS_HOME", ""),
        ("STANDING_ORDERS_LOCAL_INSTRUCTION_FILE_CANDIDATES", ""),
        ("STANDING_ORDERS_WORDING__INTRODUCTION", ""),
    ]);
    let config = Sources::new().text("/a", "max_bytes = 7").environment(blank).load().unwrap();
    let plain = load("max_bytes = 7").unwrap();
    assert_eq!((config.max_bytes, config.selection, &*config.home), (7, plain.selection, "dsh"));
    assert_eq!(config.local_instruction_file_candidates, [""; 0], "the empty list");
    assert_eq!(config.wording.introduction.as_deref(), Some(""), "no introduction");
}

#[test]
fn a_fault_is_reported_where_the_winning_value_was_set() {
    let sources = Sources::new().text("/a", "max_bytes = 1").text("/b", "# é\nmax_bytes = 'é'");
    let error = sources.clone().load().unwrap_err();
    assert!(
        matches!(error.origin(), Some(Origin::File { path, .. }) if path.to_str() == Some("/b")),
        "{error}"
    );
    let overruled = sources.set("max_bytes", 2, "host").load();
    assert_eq!(overruled.unwrap().max_bytes, 2, "a value that does not count is not looked at");
}

#[test]
fn variables_of_others_are_neither_read_nor_kept() {
    let environment = variables(&[
        ("SECRET_TOKEN", "s3cr3t"),
        ("standing_orders_max_bytes", "1"),
        ("STANDING_ORDERS_MAX_BYTES", "2"),
        ("STANDING_ORDERS_MAX_BYTES", "3"),
    ]);
    assert!(!format!("{environment:?}").contains("s3cr3t"), "others' secrets are not kept");
    assert_eq!(environment.names().collect::<Vec<_>>(), ["STANDING_ORDERS_MAX_BYTES"]);
    assert_eq!(Sources::new().environment(environment).load().unwrap().max_bytes, 3, "the last one counts");
}

#[test]
fn a_blank_variable_that_is_not_set_is_not_named() {
    let environment = variables(&[
        ("STANDING_ORDERS_MAX_BYTES", "\u{3000}"),
        ("STANDING_ORDERS_OVERFLOW", ""),
        ("STANDING_ORDERS_WORDING__FRAME", " "),
        ("STANDING_ORDERS_WORDING__REMOVED", ""),
        ("STANDING_ORDERS_GATED", ""),
    ]);
    let named: Vec<_> = environment.names().collect();
    assert_eq!(
        named,
        ["STANDING_ORDERS_GATED", "STANDING_ORDERS_WORDING__REMOVED"],
        "blank ones that set something"
    );
}
