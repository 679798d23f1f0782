//! `schema`, `completions`, `man`, `--quiet`: what surrounds the rest.

use serde_json::Value;
use snapbox::str;

use crate::repo::Repo;

const COMMANDS: [&str; 7] = ["explain", "render", "simulate", "audit", "schema", "completions", "man"];

#[test]
fn the_schema_names_every_key_of_the_configuration() {
    let repo = Repo::with(&[("r/AGENTS.md", "é")]);
    let schema: Value = serde_json::from_str(&repo.stdout(["schema"])).unwrap();
    let explained: Value = serde_json::from_str(&repo.stdout(["explain", "--json"])).unwrap();
    for key in explained["configuration"]["values"].as_object().unwrap().keys() {
        assert!(schema["properties"].get(key).is_some(), "{key} is in the schema");
    }
    assert_eq!(schema["required"], serde_json::json!(["max_bytes"]), "the budget has no default");
    assert_eq!(schema["additionalProperties"], false, "an unknown key is an error");
}

#[test]
fn the_schema_of_events_names_every_type_of_event() {
    let schema: Value = serde_json::from_str(&Repo::new().stdout(["schema", "--events"])).unwrap();
    let kinds =
        ["turn_start", "step_end", "user_message", "tool_result", "system_message", "surface_replaced"];
    let text = schema.to_string();
    for kind in kinds {
        assert!(text.contains(&format!("\"const\":\"{kind}\"")), "{kind} is a type of event: {schema:#}");
    }
    assert_eq!(schema["title"], "Event", "it is the schema of one event");
}

#[test]
fn completions_exist_for_each_shell_and_know_the_commands() {
    let repo = Repo::new();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = repo.stdout(["completions", shell]);
        for command in COMMANDS {
            assert!(script.contains(command), "{shell}: {command} is completed");
        }
    }
    let output = repo.run(["completions", "tcsh"]).output().unwrap();
    assert_eq!(output.status.code(), Some(2), "a shell that is not known is a usage error");
    assert!(String::from_utf8_lossy(&output.stderr).contains("zsh"), "the known ones are named");
}

#[test]
fn the_manual_has_a_page_for_the_whole_and_one_for_each_command() {
    let repo = Repo::new();
    let page = repo.stdout(["man"]);
    assert!(page.contains(".TH standing-orders 1"), "a manual page: {page}");
    for command in COMMANDS {
        assert!(page.contains(&format!("standing\\-orders\\-{command}")), "{command} is in it");
        let page = repo.stdout(["man", command]);
        assert!(page.contains(&format!(".TH standing-orders-{command} 1")), "{command} has one: {page}");
    }
    let output = repo.run(["man", "fährt"]).output().unwrap();
    assert_eq!(output.status.code(), Some(2), "a command that is not there is a usage error");
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(
        stderr.contains("no command \"fährt\"") && stderr.contains("simulate"),
        "with the others: {stderr}"
    );
}

#[test]
fn quiet_leaves_nothing_but_errors_on_standard_error() {
    let repo =
        Repo::with(&[("r/standing-orders.toml", "max_bytes = 9\ninstruction_file_candidates = ['a/b']")]);
    let output = repo.run(["render"]).output().unwrap();
    assert_ne!(output.stderr, b"", "there is something to say");
    let output = repo.run(["render", "--quiet"]).output().unwrap();
    assert_eq!((output.stderr.as_slice(), output.status.code()), (&b""[..], Some(0)), "and it is not said");
    let output = repo.run(["-q", "audit", "nö"]).output().unwrap();
    assert_ne!(output.stderr, b"", "an error is");
    let output = repo.run(["render", "-q", "-v"]).output().unwrap();
    assert_eq!(output.status.code(), Some(2), "quiet and verbose at once is a usage error");
}

#[test]
fn each_of_these_has_its_help() {
    let repo = Repo::new();
    repo.run(["simulate", "--help"]).assert().success().stderr_eq("").stdout_eq(str![[r#"
Run scenarios over a tree in memory and print what comes of them, as JSON

Usage: standing-orders simulate [OPTIONS] <FILE>...

Arguments:
  <FILE>...  JSON files; - for standard input

Options:
      --compare  Print where the outcomes differ from what the files expect, and nothing else
  -h, --help     Print help

Global options:
      --color <WHEN>   When to use colours; NO_COLOR is respected [default: auto] [possible values:
                       auto, always, never]
      --config <FILE>  Configuration file, in place of the nearest standing-orders.toml upward
  -v, --verbose        Say on standard error which configuration is used
  -q, --quiet          Nothing on standard error but errors: no warnings and no hints

A FILE holds a scenario, an object {"scenario": ...} as in the conformance suite, or a list of
either. One scenario gives one outcome, several give a list, as JSON: what entered at each step,
with its text and a report, and what is in force at the end. Nothing is read from disk but FILE.
With --compare each scenario stands beside what is "expected" of it, {"scenario": ..., "expected":
...}: members that are not named there may be anything. Exit status: 0 fine, 1 with --compare when
an outcome differs, 2 usage or input error.

"#]]);
    repo.run(["audit", "--help"]).assert().success().stderr_eq("").stdout_eq(str![[r#"
Show what sessions were given, from their logs: step by step, and what entered again

Usage: standing-orders audit [OPTIONS] <LOG>...

Arguments:
  <LOG>...  Session logs; - for standard input

Options:
      --system  The system prompt too, as it was last recorded
      --json    As JSON, in the shape that docs/audit.md documents
  -h, --help    Print help

Global options:
      --color <WHEN>   When to use colours; NO_COLOR is respected [default: auto] [possible values:
                       auto, always, never]
      --config <FILE>  Configuration file, in place of the nearest standing-orders.toml upward
  -v, --verbose        Say on standard error which configuration is used
  -q, --quiet          Nothing on standard error but errors: no warnings and no hints

Reads logs of Standing Orders and other JSON lines whose user messages carry a source with a list of
changes, plain or zstd, with or without a writer at work: nothing is locked or changed. Exit status:
0 fine, 1 when instructions entered again while they were in view or a log is damaged, 2 when a file
is no session log or cannot be read.

"#]]);
    repo.run(["schema", "--help"]).assert().success().stderr_eq("").stdout_eq(str![[r#"
Print the JSON Schema of the configuration file, or of session events

Usage: standing-orders schema [OPTIONS]

Options:
      --events  Of the events of a session log instead: of each line behind the header, beside its
                seq and more
  -h, --help    Print help

Global options:
      --color <WHEN>   When to use colours; NO_COLOR is respected [default: auto] [possible values:
                       auto, always, never]
      --config <FILE>  Configuration file, in place of the nearest standing-orders.toml upward
  -v, --verbose        Say on standard error which configuration is used
  -q, --quiet          Nothing on standard error but errors: no warnings and no hints

For editors that complete and check TOML by a schema: standing-orders schema >
standing-orders.schema.json

"#]]);
    repo.run(["completions", "--help"]).assert().success().stderr_eq("").stdout_eq(str![[r#"
Print completions for a shell

Usage: standing-orders completions [OPTIONS] <SHELL>

Arguments:
  <SHELL>  Which shell [possible values: bash, elvish, fish, powershell, zsh]

Options:
  -h, --help  Print help

Global options:
      --color <WHEN>   When to use colours; NO_COLOR is respected [default: auto] [possible values:
                       auto, always, never]
      --config <FILE>  Configuration file, in place of the nearest standing-orders.toml upward
  -v, --verbose        Say on standard error which configuration is used
  -q, --quiet          Nothing on standard error but errors: no warnings and no hints

For bash: standing-orders completions bash >
~/.local/share/bash-completion/completions/standing-orders

"#]]);
    repo.run(["man", "--help"]).assert().success().stderr_eq("").stdout_eq(str![[r#"
Print the manual page, as roff

Usage: standing-orders man [OPTIONS] [COMMAND]

Arguments:
  [COMMAND]  Of this subcommand; without it, of the whole

Options:
  -h, --help  Print help

Global options:
      --color <WHEN>   When to use colours; NO_COLOR is respected [default: auto] [possible values:
                       auto, always, never]
      --config <FILE>  Configuration file, in place of the nearest standing-orders.toml upward
  -v, --verbose        Say on standard error which configuration is used
  -q, --quiet          Nothing on standard error but errors: no warnings and no hints

To read it: standing-orders man | man -l -

"#]]);
}

#[test]
fn the_descriptions_of_a_schema_are_plain_sentences() {
    fn descriptions(value: &serde_json::Value, found: &mut Vec<String>) {
        match value {
            serde_json::Value::Object(members) => {
                found.extend(members.get("description").and_then(|text| text.as_str()).map(str::to_owned));
                members.values().for_each(|value| descriptions(value, found));
            }
            serde_json::Value::Array(values) => values.iter().for_each(|value| descriptions(value, found)),
            _ => {}
        }
    }
    let repo = Repo::new();
    let is_rule = |word: &str| {
        let rest = word.trim_matches(|c: char| !c.is_ascii_alphanumeric()).strip_prefix(char::is_uppercase);
        rest.is_some_and(|rest| !rest.is_empty() && rest.bytes().all(|byte| byte.is_ascii_digit()))
    };
    for args in [&["schema"][..], &["schema", "--events"]] {
        let mut found = Vec::new();
        descriptions(&serde_json::from_str(&repo.stdout(args)).unwrap(), &mut found);
        assert!(found.len() > 20, "{args:?}: keys are described");
        for text in found {
            let leftover = ["[`", "`]", "::", "```"].iter().any(|mark| text.contains(mark));
            let broken = text.replace("\n\n", "").contains('\n');
            assert!(!leftover && !broken, "{args:?}: for editors, and not for readers of code: {text}");
            assert!(!text.split_whitespace().any(is_rule), "{args:?}: no number of a rule: {text}");
        }
    }
}
