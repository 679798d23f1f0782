use std::borrow::Cow;

use standing_orders_render::{Frame, FrameError};

#[test]
fn every_spelling_of_the_tag_gets_a_backslash_and_keeps_its_words() {
    let rows = [
        ("closing", "</system-reminder>", r"<\/system-reminder>"),
        ("opening", "<system-reminder>", r"<\system-reminder>"),
        ("blanks everywhere", "</ system-reminder >", r"<\/ system-reminder >"),
        ("blanks before the slash", "<  / system-reminder>", r"<\  / system-reminder>"),
        ("entities", "&lt;/system-reminder&gt;", r"&lt;\/system-reminder&gt;"),
        ("entity, opening", "&lt; system-reminder", r"&lt;\ system-reminder"),
        ("letter case", "</SyStem-REMINDER>", r"<\/SyStem-REMINDER>"),
        ("the long s", "</\u{17f}ystem-reminder>", "<\\/\u{17f}ystem-reminder>"),
        ("line feeds and tabs", "<\r\n\t/\nsystem-reminder", "<\\\r\n\t/\nsystem-reminder"),
        (
            "other white space",
            "<\u{a0}/\u{2003}\u{2028}system-reminder>",
            "<\\\u{a0}/\u{2003}\u{2028}system-reminder>",
        ),
        ("attributes", "<system-reminder a='b'>", r"<\system-reminder a='b'>"),
        ("self-closing", "<system-reminder/>", r"<\system-reminder/>"),
        ("no end", "<system-reminder", r"<\system-reminder"),
        ("end is a tag", "<system-reminder<system-reminder", r"<\system-reminder<\system-reminder"),
        ("a combining mark behind", "<system-reminder\u{301}>", "<\\system-reminder\u{301}>"),
        (
            "multi-byte around",
            "界<system-reminder>é</system-reminder>界",
            r"界<\system-reminder>é<\/system-reminder>界",
        ),
        ("an opener too many", "<<system-reminder>", r"<<\system-reminder>"),
        ("an opener and an entity", "<&lt;/system-reminder>", r"<&lt;\/system-reminder>"),
        ("an entity and an opener", "&lt;</system-reminder>", r"&lt;<\/system-reminder>"),
        ("an ampersand too many", "&&lt;system-reminder", r"&&lt;\system-reminder"),
        ("begun twice", "<system<system-reminder>", r"<system<\system-reminder>"),
        ("begun in an entity", "&l&lt;system-reminder", r"&l&lt;\system-reminder"),
    ];
    let frame = Frame::default();
    for (name, text, expected) in rows {
        assert_eq!(frame.neutralise(text), expected, "{name}");
        assert_eq!(frame.neutralise(expected), expected, "{name}: what is neutralised stays as it is");
    }
}

#[test]
fn what_is_no_tag_of_this_frame_stays_as_written_and_is_not_copied() {
    let rows = [
        ("empty", ""),
        ("prose", "a < b && c > d, 界"),
        ("a longer name", "<system-reminders>"),
        ("a letter of another script behind", "<system-reminder界>"),
        ("a digit of another script behind", "<system-reminder٣>"),
        ("a digit behind", "<system-reminder2>"),
        ("a hyphen behind", "<system-reminder->"),
        ("an underscore behind", "<system-reminder_>"),
        ("a dot behind", "<system-reminder.x>"),
        ("a colon behind", "<system-reminder:x>"),
        ("a shorter name", "<system-remind>"),
        ("two slashes", "<//system-reminder>"),
        ("a backslash already", r"<\/system-reminder>"),
        ("another name before", "<a system-reminder>"),
        ("an entity in upper case", "&LT;/system-reminder>"),
        ("an entity without its semicolon", "&lt/system-reminder>"),
        ("the name alone", "system-reminder>"),
        ("another tag", "</instructions>"),
    ];
    for (name, text) in rows {
        assert!(matches!(Frame::default().neutralise(text), Cow::Borrowed(same) if same == text), "{name}");
    }
}

#[test]
fn a_tag_of_the_hosts_choosing_is_neutralised_and_the_default_one_is_not() {
    let rows = [
        ("k", "<k> <\u{212a}/> <ka> </system-reminder>", "<\\k> <\\\u{212a}/> <ka> </system-reminder>"),
        ("ns:rules.v1", "<NS:Rules.V1> <ns:rules>", r"<\NS:Rules.V1> <ns:rules>"),
        ("Instructions", "</INSTRUCTIONS> 界", r"<\/INSTRUCTIONS> 界"),
    ];
    for (tag, text, expected) in rows {
        assert_eq!(Frame::new(tag).unwrap().neutralise(text), expected, "{tag}");
    }
}

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
    for tag in ["a", "Z9", "system-reminder", "x_y.z:w"] {
        assert_eq!(Frame::new(tag).map(|frame| frame.tag().to_owned()), Ok(tag.to_owned()));
    }
    let start = |tag: &str, found| FrameError::Start { tag: tag.into(), found };
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
