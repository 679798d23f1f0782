use serde_json::{Value, json};
use standing_orders_session::{
    AdditionalDirectory, DirectoryLoad, HeaderError, Origin, SessionClass, SessionHeader,
};

fn main_header() -> SessionHeader {
    SessionHeader::main("s1", 1_767_225_600_000).with_cwd("/wörk/空").with_agent_preset("coder")
}

#[test]
fn a_header_comes_back_as_it_was() {
    let rows = [
        ("bare", SessionHeader::main("s", 0)),
        ("multi-byte", main_header()),
        (
            "full",
            SessionHeader::child_of(&main_header(), "s2", 5)
                .unwrap()
                .with_seed_length(7)
                .with_additional_directories([
                    AdditionalDirectory { path: "/a".into(), load: DirectoryLoad::Eager },
                    AdditionalDirectory { path: "/é".into(), load: DirectoryLoad::OnTouch },
                ]),
        ),
        ("fork", main_header().with_parent_session("s0").with_seed_length(3)),
    ];
    for (name, header) in rows {
        let json = serde_json::to_string(&header).unwrap();
        assert_eq!(serde_json::from_str::<SessionHeader>(&json).unwrap(), header, "{name}: {json}");
        assert!(!json.contains('\n'), "{name}: a header is one line");
    }
}

#[test]
fn the_form_of_a_header_is_stable() {
    let header = SessionHeader::child_of(&main_header(), "s2", 5).unwrap().with_additional_directories([
        AdditionalDirectory { path: "/x".into(), load: DirectoryLoad::OnTouch },
    ]);
    assert_eq!(
        serde_json::to_value(&header).unwrap(),
        json!({
            "format": 1, "id": "s2", "created_at": 5, "cwd": "/wörk/空",
            "additional_directories": [{"path": "/x", "load": "on_touch"}],
            "parent_session": "s1", "origin": "subagent", "delegation_depth": 1, "agent_preset": "coder"
        }),
        "stored headers stay readable"
    );
}

#[cfg(unix)]
#[test]
fn a_cwd_that_is_not_utf_8_survives() {
    use std::os::unix::ffi::OsStringExt as _;
    let cwd = std::path::PathBuf::from(std::ffi::OsString::from_vec(b"/w\xff\x00\xc3".to_vec()));
    let header = SessionHeader::main("s", 0)
        .with_cwd(&cwd)
        .with_additional_directories([AdditionalDirectory { path: cwd.clone(), load: DirectoryLoad::Eager }]);
    let value = serde_json::to_value(&header).unwrap();
    assert_eq!(value["cwd"], json!({"unix": "2f77ff00c3"}), "the bytes stand there in hex");
    assert_eq!(SessionHeader::from_value(&value).unwrap(), header, "no byte of a path is lost");
}

#[test]
fn a_child_inherits_unless_told_otherwise() {
    let parent = main_header();
    let child = SessionHeader::child_of(&parent, "c", 1).unwrap();
    assert_eq!(child.cwd(), parent.cwd(), "cwd is inherited");
    assert_eq!(child.agent_preset(), Some("coder"), "the preset is inherited");
    assert_eq!(child.parent_session(), Some("s1"), "the parent is named");
    assert_eq!(child.origin(), Some(Origin::Subagent), "the origin is set");
    assert_eq!(child.class(), SessionClass::Subagent { depth: 1 }, "depth is the parent's plus one");
    let told = child.with_cwd("/other").without_agent_preset();
    assert_eq!(told.cwd(), Some("/other".as_ref()), "what is told counts");
    assert_eq!(told.agent_preset(), None, "what is told counts");
    assert_eq!(told.clone().without_cwd().cwd(), None, "a child can do without a cwd");
}

#[test]
fn a_child_beyond_the_limit_is_refused_with_its_depth() {
    let mut header = main_header();
    for _ in 0..3 {
        header = SessionHeader::child_of(&header, "c", 0).unwrap();
    }
    let refused = SessionHeader::child_of(&header, "c", 0).unwrap_err();
    assert_eq!(refused, HeaderError::TooDeep { depth: 4, max_depth: 3 }, "three deep by default");
    assert!(refused.to_string().contains("depth 4"), "the error names the depth: {refused}");
    let deeper = SessionHeader::child_of_within(&header, "c", 0, None).unwrap();
    assert_eq!(deeper.class().depth(), 4, "without a limit there is none");
    let none = SessionHeader::child_of_within(&main_header(), "c", 0, Some(0));
    assert!(matches!(none, Err(HeaderError::TooDeep { depth: 1, max_depth: 0 })), "0 allows no child");
}

#[test]
fn either_origin_or_depth_makes_a_subagent() {
    let rows = [
        ("neither", json!({}), SessionClass::Main),
        ("origin alone", json!({"origin": "subagent"}), SessionClass::Subagent { depth: 1 }),
        ("depth alone", json!({"delegation_depth": 2}), SessionClass::Subagent { depth: 2 }),
        ("both", json!({"origin": "subagent", "delegation_depth": 3}), SessionClass::Subagent { depth: 3 }),
        ("nulls", json!({"origin": null, "delegation_depth": 0}), SessionClass::Main),
    ];
    for (name, parts, class) in rows {
        let mut value = json!({"format": 1, "id": "子", "created_at": 0});
        value.as_object_mut().unwrap().extend(parts.as_object().unwrap().clone());
        let header = SessionHeader::from_value(&value).unwrap();
        assert_eq!(header.class(), class, "{name}");
        let child = SessionHeader::child_of_within(&header, "c", 0, None).unwrap();
        assert_eq!(child.class().depth(), class.depth() + 1, "{name}: a child is one deeper than its parent");
    }
}

#[test]
fn a_header_that_cannot_be_read_says_why() {
    let rows: [(&str, Value, &str); 6] = [
        (
            "newer, with another shape",
            json!({"format": 9, "session": {}}),
            "the header has format 9, and 1 is the newest that is known here",
        ),
        (
            "unknown origin",
            json!({"format": 1, "id": "s", "created_at": 0, "origin": "wörkflow"}),
            "the header has the origin \"wörkflow\", and only \"subagent\" is known",
        ),
        ("no format", json!({"id": "s"}), "not a session header: no format number"),
        ("not an object", json!([1]), "not a session header: no format number"),
        ("no id", json!({"format": 1, "created_at": 0}), "not a session header: missing field `id`"),
        (
            "a path of another platform",
            json!({"format": 1, "id": "s", "created_at": 0, "cwd": {"martian": "00"}}),
            "not a session header: a path in \"martian\" units has no form here",
        ),
    ];
    for (name, value, message) in rows {
        assert_eq!(SessionHeader::from_value(&value).unwrap_err().to_string(), message, "{name}");
        let error = serde_json::from_value::<SessionHeader>(value).unwrap_err();
        assert_eq!(error.to_string(), message, "{name}: serde says the same");
    }
}
