use serde::{Deserialize, Serialize};
use standing_orders_session::{Fact, Ledger};

use crate::source;

#[test]
fn a_ledger_gives_back_what_is_in_view_in_order() {
    let mut ledger = Ledger::default();
    assert!(ledger.facts().is_empty(), "nothing entered, nothing to feed");
    for (message, id) in [("m1", "i1"), ("空", "i2"), ("m3", "i3")] {
        ledger.enter(message, &source(id));
    }
    assert_eq!(ledger.retain(|message| message != "空"), Some(Fact::Shadowed(vec!["i2".into()])), "one went");
    assert_eq!(ledger.retain(|_| true), None, "nothing went, nothing to feed");
    let stored = serde_json::to_string(&ledger).unwrap();
    let read: Ledger = serde_json::from_str(&stored).unwrap();
    assert_eq!(read, ledger, "a ledger survives its store");
    assert_eq!(read.facts(), [Fact::Entered(vec![source("i1"), source("i3")])], "what is in view, in order");
    assert_eq!(read.messages().collect::<Vec<_>>(), ["m1", "m3"], "by the host's names");
}

#[test]
fn entering_again_replaces_so_that_a_retry_does_no_harm() {
    let mut ledger = Ledger::default();
    ledger.enter("m", &source("first"));
    ledger.enter("m", &source("second"));
    assert_eq!(ledger.facts(), [Fact::Entered(vec![source("second")])], "one message has one source");
}

#[test]
fn a_source_that_cannot_be_read_is_kept_and_gives_no_fact() {
    let stored = r#"{"entries":[{"message":"m","source":{"kind":"standing-orders","version":99,"x":[1 ]}}]}"#;
    let mut ledger: Ledger = serde_json::from_str(stored).unwrap();
    assert!(ledger.facts().is_empty(), "malformed sources are ignored");
    let value: serde_json::Value = serde_json::from_str(stored).unwrap();
    assert_eq!(serde_json::to_value(&ledger).unwrap(), value, "and survive");
    assert_eq!(ledger.retain(|_| false), None, "their going is no fact of ours");
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind")]
enum Tagged {
    Row { ledger: Ledger },
    Whole(Ledger),
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Flat {
    name: String,
    #[serde(flatten)]
    ledger: Ledger,
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
enum Untagged {
    Number(u32),
    Ledger(Ledger),
}

#[test]
fn a_ledger_can_be_nested_in_whatever_the_host_stores() {
    let mut ledger = Ledger::default();
    ledger.enter("空", &source("i1"));
    fn check<T: Serialize + for<'de> Deserialize<'de> + PartialEq + std::fmt::Debug>(name: &str, row: T) {
        let text = serde_json::to_string(&row).unwrap();
        let read = serde_json::from_str::<T>(&text).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(read, row, "{name}: as it was, from text");
        let value = serde_json::to_value(&row).unwrap();
        let read = serde_json::from_value::<T>(value).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(read, row, "{name}: as it was, from a value");
    }
    check("in a list", vec![ledger.clone()]);
    check("in a tagged row", Tagged::Row { ledger: ledger.clone() });
    check("as a tagged row", Tagged::Whole(ledger.clone()));
    check("flattened", Flat { name: "ü".to_owned(), ledger: ledger.clone() });
    check("untagged", Untagged::Ledger(ledger));
}
