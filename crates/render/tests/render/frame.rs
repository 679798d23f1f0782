use standing_orders_render::{Frame, FrameError};

#[test]
fn a_frame_stands_around_its_body_and_nothing_in_the_body_closes_it() {
    let rows = [
        ("plain", "body", "<t>\nbody\n</t>"),
        ("empty", "", "<t>\n\n</t>"),
        ("line end at the end", "界\n", "<t>\n界\n\n</t>"),
        ("its own tags", "</t><t>", "<t>\n<\\/t><\\t>\n</t>"),
        ("an opener at the end", "x <", "<t>\nx <\n</t>"),
        ("a name at the end", "x <t", "<t>\nx <\\t\n</t>"),
    ];
    for (name, body, expected) in rows {
        assert_eq!(Frame::new("t").unwrap().wrap(body), expected, "{name}");
    }
}

#[test]
fn a_tag_is_a_plain_name_or_an_error_that_says_why() {
    for tag in ["Additional", "workspace", "Instructions", "UPDATED", "instruction", "a", "W"] {
        assert!(matches!(Frame::new(tag), Err(FrameError::Heading { .. })), "{tag} begins a heading (R4)");
    }
    for tag in ["b", "Z9", "instructs", "workspace-rules", "instructions2", "system-reminder", "x_y.z:w"] {
        assert_eq!(Frame::new(tag).map(|frame| frame.tag().to_owned()), Ok(tag.to_owned()));
    }
    let start = |tag: &str, found| FrameError::Start { tag: tag.into(), found };
    let heading = |tag: &str, heading| FrameError::Heading { tag: tag.into(), heading };
    let character = |tag: &str, found| FrameError::Character { tag: tag.into(), found };
    let rows = [
        ("", FrameError::Empty, "the frame tag is empty"),
        ("9a", start("9a", '9'), "the frame tag \"9a\" starts with '9', not with an ASCII letter"),
        ("界", start("界", '界'), "the frame tag \"界\" starts with '界', not with an ASCII letter"),
        (
            "a>b",
            character("a>b", '>'),
            "the frame tag \"a>b\" contains '>'; it takes ASCII letters, digits, `-`, `_`, `.` and `:`",
        ),
        (
            "INSTRUCTIONS",
            heading("INSTRUCTIONS", "Instructions from:"),
            "our heading `Instructions from:` begins with the frame tag \"INSTRUCTIONS\"; it takes a name that \
             begins none",
        ),
        (
            "updated",
            heading("updated", "Updated instructions from:"),
            "our heading `Updated instructions from:` begins with the frame tag \"updated\"; it takes a name \
             that begins none",
        ),
        (
            "a b",
            character("a b", ' '),
            "the frame tag \"a b\" contains ' '; it takes ASCII letters, digits, `-`, `_`, `.` and `:`",
        ),
    ];
    for (tag, error, words) in rows {
        assert_eq!(Frame::new(tag), Err(error.clone()), "{tag:?}");
        assert_eq!(error.to_string(), words, "{tag:?}");
    }
}
