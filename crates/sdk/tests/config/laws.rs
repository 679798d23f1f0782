use proptest::prelude::*;
use standing_orders::config::{Config, Sources};

use super::{FILE, variables};

/// Pieces of a configuration, right and wrong, so that random text gets beyond the parser.
fn toml() -> impl Strategy<Value = String> {
    let key = prop_oneof![
        Just("max_bytes".to_owned()),
        Just("selection".to_owned()),
        Just("home".to_owned()),
        Just("wording.removed".to_owned()),
        Just("wording.frame".to_owned()),
        Just("ceiling_directories".to_owned()),
        Just("gated".to_owned()),
        Just("policy".to_owned()),
        Just("exclude".to_owned()),
        "[a-z_]{1,12}",
        "\"\\PC{0,6}\"",
    ];
    let value = prop_oneof![
        any::<i64>().prop_map(|number| number.to_string()),
        any::<f64>().prop_map(|number| format!("{number:?}").to_lowercase()),
        Just("'first'".to_owned()),
        Just("[]".to_owned()),
        Just("[{ id = 'x', files = ['a'] }]".to_owned()),
        Just("[{ admit = 'deny', injector = 'é*', parts = ['base'] }]".to_owned()),
        Just("[{ admit = 'deny' }]".to_owned()),
        Just("2026-11-30".to_owned()),
        "'[^'\\n]{0,8}'",
        "\\PC{0,12}",
    ];
    let line = (key, value).prop_map(|(key, value)| format!("{key} = {value}\n"));
    proptest::collection::vec(line, 0..6).prop_map(|lines| lines.concat())
}

/// What holds of every answer.
fn check(loaded: Result<Config, standing_orders::config::ConfigError>, text: &str) {
    match loaded {
        Ok(config) => {
            let (settings, _) = config.settings();
            assert_eq!(settings.max_bytes.bytes(), config.max_bytes, "no budget is changed on the way");
            assert!(config.gated_traps().is_ok(), "what was read is an injector");
            assert_eq!(settings.policy.len(), config.policy.len(), "no row is lost on the way");
            let _ = config.home(&variables(&[("HOME", "/u")])).expect("what was read can be resolved");
        }
        Err(error) => {
            assert!(!error.to_string().contains(['\n', '\r', '\u{1b}']), "one plain line: {error:?}");
            if let Some(standing_orders::config::Origin::File { at: Some(at), .. }) = error.origin() {
                assert!(text.get(at.span.clone()).is_some(), "the span lies in the text: {error:?}");
                assert!(at.line >= 1 && at.column >= 1);
            }
        }
    }
}

proptest! {
    #[test]
    fn no_file_panics(text in toml()) {
        check(Sources::new().text(FILE, &*text).load(), &text);
    }

    #[test]
    fn no_text_at_all_panics(text in "(\\PC|[\\n\\[\\]{}=.'\"]){0,60}") {
        check(Sources::new().text(FILE, &*text).load(), &text);
    }

    #[test]
    fn no_variable_panics(name in "STANDING_ORDERS_(MAX_BYTES|HOME|GATED|WORDING__FRAME|\\PC{0,8})", value in "\\PC{0,20}") {
        let environment = variables(&[(&name, &value)]);
        check(Sources::new().fallback("max_bytes", 1).environment(environment).load(), "");
    }

    #[test]
    fn every_whole_number_is_a_budget_and_arrives_unchanged(bytes in any::<u64>()) {
        let name = "STANDING_ORDERS_MAX_BYTES";
        let by_variable = Sources::new().environment(variables(&[(name, &bytes.to_string())])).load().unwrap();
        let explicit = Sources::new().set("max_bytes", bytes, "host").load().unwrap();
        prop_assert_eq!((by_variable.max_bytes, explicit.max_bytes), (bytes, bytes));
    }
}
