use proptest::prelude::*;
use serde_json::json;
use standing_orders_history::{Block, End, Event, ForeignEvent, Json, ToolCall, ToolResult, UserMessage};

use crate::source;

fn back(event: &Event) -> Event {
    serde_json::from_str(&serde_json::to_string(event).unwrap()).unwrap()
}

#[test]
fn the_form_of_each_entry_is_stable() {
    let rows = [
        ("instance_start", r#"{"type":"instance_start"}"#),
        ("turn_start", r#"{"type":"turn_start"}"#),
        ("turn_end", r#"{"type":"turn_end","data":{"outcome":"completed"}}"#),
        ("step_start", r#"{"type":"step_start"}"#),
        ("step_end", r#"{"type":"step_end","data":{"outcome":"interrupted"}}"#),
        ("user_message", r#"{"type":"user_message","data":{"content":[{"text":"naïve 空"}]}}"#),
        (
            "user_message in full",
            r#"{"type":"user_message","data":{"id":"m1","content":[{"other":{"b":1,"a":2}}],"source":{"kind":"x"}}}"#,
        ),
        ("assistant_message", r#"{"type":"assistant_message","data":{"content":[]}}"#),
        ("tool_call", r#"{"type":"tool_call","data":{"id":"c","name":"read","arguments":{"z":1.0,"a":[]}}}"#),
        (
            "tool_result",
            r#"{"type":"tool_result","data":{"id":"c","name":"read","ok":true,"touched":["a/ü"],"parent":"o"}}"#,
        ),
        ("system_message", r#"{"type":"system_message","data":{"text":"be kind"}}"#),
        (
            "subagent_descriptor",
            r#"{"type":"subagent_descriptor","data":{"session":"s2","call":"c","agent_preset":"p","description":"d"}}"#,
        ),
        (
            "inbox_spliced",
            r#"{"type":"inbox_spliced","data":{"queue":"next_step","start":0,"remove":1,"insert":[{"id":"m","content":[{"text":"x"}]}]}}"#,
        ),
        (
            "surface_replaced",
            r#"{"type":"surface_replaced","data":{"first":1,"last":4,"content":[{"text":"s"}]}}"#,
        ),
        ("foreign", r#"{"type":"host/thing","data":{"z":[1 , 2],"a":1e400}}"#),
        ("foreign without data", r#"{"type":"host/thing"}"#),
        ("foreign of another shape", r#"{"type":"host/thing","at":1.50,"data":null,"what":"空"}"#),
    ];
    for (name, json) in rows {
        let event: Event = serde_json::from_str(json).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(serde_json::to_string(&event).unwrap(), json, "{name}: what was read is written alike");
        assert!(json.starts_with(&format!(r#"{{"type":"{}""#, event.kind())), "{name}: the kind is the type");
        assert_eq!(matches!(event, Event::Foreign(_)), name.starts_with("foreign"), "{name}: known or not");
    }
}

#[test]
fn members_come_in_any_order() {
    let event: Event =
        serde_json::from_str(r#"{"x":[1],"data":{"text":"ä"},"type":"system_message"}"#).unwrap();
    assert_eq!(
        serde_json::to_value(&event).unwrap(),
        json!({"type": "system_message", "data": {"text": "ä"}})
    );
    let event: Event = serde_json::from_str(r#"{"data":{"b":0,"a":0},"type":"mine"}"#).unwrap();
    let expected = ForeignEvent::new("mine", Json::parse(r#"{"b":0,"a":0}"#).unwrap()).unwrap();
    assert_eq!(event, Event::Foreign(expected), "an entry that is not known is kept whatever the order");
}

#[test]
fn what_is_no_entry_is_refused_with_the_reason() {
    let rows = [
        ("no type", r#"{"data":{}}"#, "missing field `type`"),
        ("no data", r#"{"type":"user_message"}"#, "missing field `data`"),
        ("two types", r#"{"type":"turn_start","type":"turn_end"}"#, "duplicate field `type`"),
        ("two data", r#"{"type":"turn_end","data":{},"data":{}}"#, "duplicate field `data`"),
        ("a member missing", r#"{"type":"tool_call","data":{"id":"ü"}}"#, "missing field `name`"),
        ("not an object", "[]", "invalid type: sequence"),
        ("a type that is no string", r#"{"type":1}"#, "invalid type: integer `1`"),
    ];
    for (name, json, reason) in rows {
        let error = serde_json::from_str::<Event>(json).unwrap_err().to_string();
        assert!(error.contains(reason), "{name}: {error}");
    }
}

#[test]
fn a_missing_outcome_is_completed() {
    let event: Event = serde_json::from_str(r#"{"type":"step_end"}"#).unwrap();
    assert_eq!(event, Event::StepEnd(End::default()), "an end without data is an ordinary one");
}

#[test]
fn a_foreign_entry_cannot_have_a_type_of_ours() {
    let data = Json::of(&1).unwrap();
    assert_eq!(ForeignEvent::new("tool_call", data.clone()), None, "it would be read as another entry");
    assert_eq!(ForeignEvent::new("turn_start", data.clone()), None, "it would be read as another entry");
    let event = ForeignEvent::new("wörk", data).unwrap();
    assert_eq!((event.kind(), event.data().unwrap().as_str()), ("wörk", "1"), "else it is kept");
}

#[test]
fn json_of_a_host_keeps_its_bytes_but_for_line_feeds() {
    let rows = [
        ("order and blanks", "{ \"z\" : 1 , \"a\" : 2 }", "{ \"z\" : 1 , \"a\" : 2 }"),
        ("numbers", "[1.0, 1e2, 12345678901234567890123]", "[1.0, 1e2, 12345678901234567890123]"),
        ("pretty", "{\r\n  \"ü\": \"a\\nb\"\n}", "{    \"ü\": \"a\\nb\" }"),
    ];
    for (name, given, kept) in rows {
        let parsed = Json::parse(given).unwrap();
        assert_eq!(parsed.as_str(), kept, "{name}");
        let call = ToolCall { id: "c".into(), name: "n".into(), arguments: parsed, parent: None };
        let event = Event::from(call);
        assert!(serde_json::to_string(&event).unwrap().contains(kept), "{name}: written as it is");
        assert_eq!(back(&event), event, "{name}: read as it was");
    }
    assert!(Json::parse("{} {}").is_err(), "two values are no value");
}

#[cfg(unix)]
#[test]
fn a_touched_path_that_is_not_utf_8_survives() {
    use std::os::unix::ffi::OsStringExt as _;
    let touched = vec![std::ffi::OsString::from_vec(vec![b'a', 0xFE]).into(), "ü".into()];
    let event = Event::from(ToolResult { ok: true, touched, ..ToolResult::default() });
    assert_eq!(back(&event), event, "no byte of a path is lost");
}

#[test]
fn the_source_of_a_message_is_ours_or_ignored() {
    let ours = UserMessage::instruction(&source("i"), vec![Block::Text("x".into())]);
    assert_eq!(ours.instruction_source().unwrap().unwrap(), source("i"), "ours is read");
    assert!(UserMessage::text("x").instruction_source().is_none(), "no source is none");
    for foreign in [r#"{"kind":"other"}"#, "17", r#"{"kind":"standing-orders","version":99}"#] {
        let message = UserMessage::text("x").with_source(Json::parse(foreign).unwrap());
        assert!(message.instruction_source().unwrap().is_err(), "{foreign} is not ours");
    }
}

proptest! {
    /// Law: any entry that was read once is written and read alike, for any type and data.
    #[test]
    fn a_foreign_entry_round_trips(kind in "\\PC{0,12}", text in "\\PC*", n in any::<f64>()) {
        let data = Json::of(&json!({"z": text, "a": n})).unwrap();
        if let Some(event) = ForeignEvent::new(kind, data).map(Event::Foreign) {
            let json = serde_json::to_string(&event).unwrap();
            prop_assert_eq!(serde_json::from_str::<Event>(&json).unwrap(), event);
        }
    }

    /// Law: no text makes the parser panic, and what it takes it gives back.
    #[test]
    fn any_text_is_an_entry_or_an_error(text in "[\\[\\]{}\",:a-z0-9_ü ]{0,60}") {
        if let Ok(event) = serde_json::from_str::<Event>(&text) {
            prop_assert_eq!(back(&event), event);
        }
    }
}

#[cfg(feature = "schema")]
#[test]
fn the_schema_names_every_type() {
    let schema = serde_json::to_string(&schemars::schema_for!(Event)).unwrap();
    for event in standing_orders_session_types() {
        assert!(schema.contains(&format!("\"const\":\"{event}\"")), "the schema knows {event}: {schema}");
    }
    let header = schemars::schema_for!(standing_orders_session::SessionHeader);
    assert!(header.get("properties").is_some(), "the header is an object");
}

#[cfg(feature = "schema")]
fn standing_orders_session_types() -> [&'static str; 13] {
    [
        "instance_start",
        "turn_start",
        "turn_end",
        "step_start",
        "step_end",
        "user_message",
        "assistant_message",
        "tool_call",
        "tool_result",
        "system_message",
        "subagent_descriptor",
        "inbox_spliced",
        "surface_replaced",
    ]
}

#[derive(Debug, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(tag = "kind")]
enum Tagged {
    Event { event: Event },
    Json { json: Json },
}

#[derive(Debug, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(untagged)]
enum Untagged {
    Number(u32),
    Event(Event),
}

#[test]
fn entries_can_be_nested_in_whatever_the_host_stores() {
    for event in standing_orders_history::testing::one_of_each() {
        // As buffered by serde, JSON of a host's own is a tree: the same value in other letters.
        let tree = |event: &Event| serde_json::to_value(event).unwrap();
        let text = serde_json::to_string(&Tagged::Event { event: event.clone() }).unwrap();
        match serde_json::from_str(&text) {
            Ok(Tagged::Event { event: read }) => assert_eq!(tree(&read), tree(&event), "tagged"),
            other => panic!("tagged: {event:?} came back as {other:?}"),
        }
        let text = serde_json::to_string(&event).unwrap();
        match serde_json::from_str(&text) {
            Ok(Untagged::Event(read)) => assert_eq!(tree(&read), tree(&event), "untagged"),
            other => panic!("untagged: {event:?} came back as {other:?}"),
        }
        let read: Event = serde_json::from_value(tree(&event)).unwrap();
        assert_eq!(tree(&read), tree(&event), "from a value");
    }
}

#[test]
fn json_keeps_its_letters_from_text_and_its_value_from_anything() {
    let text = r#"{"z": 1.50e3,"a":[1 , "ü"],"$serde_json::private::RawValue":null}"#;
    let read: Json = serde_json::from_str(text).unwrap();
    assert_eq!(read.as_str(), text, "from text, byte for byte");
    let read: Vec<Json> = serde_json::from_slice(format!("[{text}]").as_bytes()).unwrap();
    assert_eq!(read[0].as_str(), text, "within a list too");
    for text in ["null", "true", "-7", "1.5", "\"ü\"", "[]", r#"[1,{"a":null}]"#, r#"{"a":{"b":[]}}"#] {
        let json = Json::parse(text).unwrap();
        let value = json.to_value().unwrap();
        assert_eq!(serde_json::from_value::<Json>(value).unwrap(), json, "from a value: {text}");
        let nested = serde_json::to_string(&Tagged::Json { json: json.clone() }).unwrap();
        let read: Tagged = serde_json::from_str(&nested).unwrap_or_else(|error| panic!("{text}: {error}"));
        assert_eq!(read, Tagged::Json { json }, "buffered by serde: {text}");
    }
}
