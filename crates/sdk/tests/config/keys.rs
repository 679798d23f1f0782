use serde_json::{Value, json};
use standing_orders::config::{Config, ConfigWarning, Sources};
use standing_orders::inspect::{NameFault, RootRule};
use standing_orders::{Budget, NestedDiscovery, Settings};

use super::{FILE, load, variables};

#[test]
fn the_defaults_are_those_of_the_library() {
    let (settings, warnings) = load("max_bytes = 65536").unwrap().settings();
    assert_eq!(
        settings,
        Settings::new(Budget::from_bytes(65_536)),
        "configuration adds no default of its own"
    );
    assert!(warnings.is_empty());
}

#[test]
fn every_key_is_read_in_every_source() {
    // Name, TOML, variable and its text, value.
    let rows: &[(&str, &str, &str, Value)] = &[
        ("max_bytes", "max_bytes = 4096", "4096", json!(4096)),
        ("max_bytes", "max_bytes = 0x1000", " 4096 ", json!(4096)),
        ("max_bytes", "max_bytes = 0", "0", json!(0)),
        ("max_bytes", "max_bytes = 9_223_372_036_854_775_807", "9223372036854775807", json!(i64::MAX)),
        ("max_bytes", "max_bytes = 4096.0", "4096.0", json!(4096)),
        ("max_source_bytes", "max_source_bytes = 1", "1", json!(1)),
        ("overflow", "overflow = 'trim'", "trim", json!("trim")),
        ("selection", "selection = 'all_distinct'", "all_distinct", json!("all_distinct")),
        ("nested_discovery", "nested_discovery = 'project'", "project", json!("project")),
        ("home", "home = '~/.π'", "~/.π", json!("~/.π")),
        ("home", "home = 'none'", "none", json!("none")),
        ("project_root_markers", "project_root_markers = []", "", json!([])),
        ("project_root_markers", "project_root_markers = ['.hg']", ".hg", json!([".hg"])),
        ("ceiling_directories", "ceiling_directories = ['/a', '/b']", "['/a', '/b']", json!(["/a", "/b"])),
        (
            "instruction_file_candidates",
            "instruction_file_candidates = ['規則.md']",
            "規則.md",
            json!(["規則.md"]),
        ),
        (
            "local_instruction_file_candidates",
            "local_instruction_file_candidates = ['X, Y.md']",
            "X, Y.md",
            json!(["X, Y.md"]),
        ),
    ];
    for (key, toml, text, expected) in rows {
        let base = if *key == "max_bytes" { "" } else { "max_bytes = 1\n" };
        let by_file = load(&format!("{base}{toml}")).unwrap_or_else(|error| panic!("{toml}: {error}"));
        let by_file = serde_json::to_value(by_file).unwrap();
        assert_eq!(by_file[key], *expected, "{key} in a file");

        let name = format!("STANDING_ORDERS_{}", key.to_uppercase());
        let environment = variables(&[("STANDING_ORDERS_MAX_BYTES", "1"), (&name, text)]);
        let by_variable = Sources::new().environment(environment).load();
        let by_variable = by_variable.unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(serde_json::to_value(by_variable).unwrap()[key], *expected, "{key} in a variable");

        let explicit =
            Sources::new().set("max_bytes", 1, "a").set(key, expected.clone(), "b").load().unwrap();
        assert_eq!(serde_json::to_value(explicit).unwrap()[key], *expected, "{key} as an explicit value");
    }
}

#[test]
fn every_sentence_reaches_the_wording() {
    let sentences = [
        "introduction",
        "compact_introduction",
        "replaces_earlier",
        "replaces_chain",
        "none_active",
        "applies_to",
        "applies_everywhere",
        "changed",
        "switched",
        "removed",
        "left_out",
    ];
    for sentence in sentences {
        let by_file = load(&format!("max_bytes = 1\n[wording]\n{sentence} = 'é, {{scope}}'")).unwrap();
        let name = format!("STANDING_ORDERS_WORDING__{}", sentence.to_uppercase());
        let environment = variables(&[("STANDING_ORDERS_MAX_BYTES", "1"), (&name, "é, {scope}")]);
        let by_variable = Sources::new().environment(environment).load().unwrap();
        assert_eq!(by_file, by_variable, "{sentence}");
        let (settings, _) = by_file.settings();
        let (plain, _) = load("max_bytes = 1").unwrap().settings();
        assert!(format!("{:?}", settings.wording).contains(&format!("{sentence}: \"é, {{scope}}\"")));
        assert_ne!(settings.wording, plain.wording, "{sentence}: the others stay ours");
    }
    let (settings, _) = load("max_bytes = 1\nwording.frame = 'x-note'").unwrap().settings();
    assert_eq!(settings.wording.frame.tag(), "x-note");
    let (settings, _) = load("max_bytes = 1\nwording.removed = ''").unwrap().settings();
    assert_eq!(settings.wording.removed, "", "an empty sentence is a choice");
}

#[test]
fn what_is_read_becomes_settings() {
    let toml = "max_bytes = 0\nmax_source_bytes = 7\nproject_root_markers = ['.hg', '.hg', '.sl']\n\
                ceiling_directories = ['/c']\nnested_discovery = 'project'\nlocal_instruction_file_candidates = []";
    let (settings, warnings) = load(toml).unwrap().settings();
    assert!(warnings.is_empty(), "a repetition is not worth a warning");
    assert_eq!(settings.max_bytes, Budget::Off);
    assert_eq!(settings.rules.max_source_bytes.get(), 7);
    assert_eq!(settings.nested_discovery, NestedDiscovery::Project);
    assert_eq!(settings.rules.names.len(), 2, "no overlays");
    assert_eq!(settings.root.ceilings, ["/c".as_ref() as &std::path::Path]);
    let RootRule::Markers(markers) = settings.root.rule else { panic!("markers are a rule of markers") };
    assert_eq!(markers.iter().map(|marker| marker.as_str()).collect::<Vec<_>>(), [".hg", ".sl"]);
}

#[test]
fn entries_that_are_ignored_are_named_by_key_and_position() {
    let toml = "max_bytes = 1\ninstruction_file_candidates = ['a/b', 'A', '..']\n\
                local_instruction_file_candidates = ['', 'A', 'π']\nproject_root_markers = ['x\\y']\n\
                ceiling_directories = ['/ok', 'up']";
    let (settings, warnings) = load(toml).unwrap().settings();
    let ignored = |key, position, name: &str, fault| ConfigWarning::IgnoredName {
        key,
        position,
        name: name.to_owned(),
        fault,
    };
    assert_eq!(
        warnings,
        [
            ignored("instruction_file_candidates", 0, "a/b", NameFault::Separator),
            ignored("instruction_file_candidates", 2, "..", NameFault::Dots),
            ignored("local_instruction_file_candidates", 0, "", NameFault::Empty),
            ignored("local_instruction_file_candidates", 1, "A", NameFault::InBaseList),
            ignored("project_root_markers", 0, "x\\y", NameFault::Separator),
            ConfigWarning::RelativeFolder { key: "ceiling_directories", position: 1, path: "up".into() },
        ]
    );
    let names: Vec<_> = settings.rules.names.iter().map(|(_, name)| name.to_owned()).collect();
    assert_eq!(names, ["A", "π"], "the others count (D3)");
    assert_eq!(settings.root.ceilings.len(), 1, "a relative ceiling bounds nothing");
    assert_eq!(
        warnings[0].to_string(),
        "`instruction_file_candidates[0]`, \"a/b\", is ignored: a name of the \
                                         same directory has no `/` and no `\\`"
    );
}

#[test]
fn a_configuration_survives_being_written_and_read() {
    let toml = "max_bytes = 5\noverflow = 'trim'\nselection = 'all_distinct'\nhome = '/h'\n[wording]\nchanged = 'ü'\n\
                [[gated]]\nid = 'g'\nfiles = ['a/b.md']\nsessions = 'any'\nmax_depth = 2\nwhen_touched = ['src/**']";
    let config = load(toml).unwrap();
    let Value::Object(values) = serde_json::to_value(&config).unwrap() else { panic!("a table") };
    assert_eq!(Sources::new().set_all(values.clone(), "again").load().unwrap(), config);
    assert_eq!(
        serde_json::from_value::<Config>(Value::Object(values)).unwrap(),
        config,
        "serde alone does too"
    );
}

#[test]
fn the_schema_has_the_keys_that_can_be_set_and_no_others() {
    let schema = Config::json_schema();
    assert_eq!(schema["required"], json!(["max_bytes"]), "one key has no default");
    assert_eq!(schema["additionalProperties"], json!(false));
    let wording = &schema["$defs"]["WordingConfig"]["properties"];
    let mut keys: Vec<String> = Vec::new();
    for key in schema["properties"].as_object().unwrap().keys() {
        match key.as_str() {
            "wording" => keys.extend(wording.as_object().unwrap().keys().map(|key| format!("wording.{key}"))),
            _ => keys.push(key.clone()),
        }
    }
    for key in keys {
        // A variable of a key that is not known is read as text, and refused as unknown.
        let name = format!("STANDING_ORDERS_{}", key.to_uppercase().replace('.', "__"));
        let value = match key.as_str() {
            "max_bytes" | "max_source_bytes" => "1",
            "overflow" => "drop",
            "imports" => "expand",
            "selection" => "first",
            "nested_discovery" => "cwd",
            "home" => "dsh",
            "gated" | "rules" | "policy" => "[]",
            "delegation_notice" | "worktree_overlays" => "true",
            _ => "x",
        };
        let environment = variables(&[("STANDING_ORDERS_MAX_BYTES", "1"), (&name, value)]);
        let loaded = Sources::new().environment(environment).load();
        assert!(loaded.is_ok(), "{name} sets {key}: {loaded:?}");
    }
    assert_eq!(schema["properties"]["overflow"]["enum"], json!(["drop", "trim"]));
    assert_eq!(schema["properties"]["max_bytes"]["minimum"], json!(0));
    assert_eq!(schema["properties"]["max_source_bytes"]["minimum"], json!(1));
    assert!(schema["properties"]["home"]["description"].as_str().unwrap().contains("DSH_HOME"));
}

#[test]
fn a_file_is_read_from_disk_with_its_mark_dropped() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("ü.toml");
    std::fs::write(&path, "\u{feff}max_bytes = 9").unwrap();
    assert_eq!(Sources::new().file(&path).unwrap().load().unwrap().max_bytes, 9);
    let sources = Sources::new().text(FILE, "max_bytes = 1");
    assert_eq!(sources.text_of(FILE.as_ref()), Some("max_bytes = 1"));
    assert_eq!(sources.text_of("/other".as_ref()), None);
}
