use standing_orders_render::{Opening, Overflow, Wording};

use crate::fixture::{Item, file, first, framed, later, opened, short, under};

fn switched(previous: &str, scope: &str) -> Item {
    Item::Switched { path: "P".into(), previous: previous.into(), scope: scope.into(), content: "c".into() }
}

#[test]
fn each_kind_of_section_has_its_heading_and_its_sentence() {
    let rows = [
        ("set of an injector", file("P", "c"), "Instructions from: P\n\nc"),
        ("empty file", file("界", ""), "Instructions from: 界"),
        ("under a directory", under("P", "a/界", "c"), "Additional instructions from: P\n\nUNDER a/界\n\nc"),
        ("empty, under the root", under("P", ".", ""), "Additional instructions from: P\n\nUNDER ."),
        (
            "everywhere",
            Item::Everywhere("P".into(), "c".into()),
            "Additional instructions from: P\n\nEVERYWHERE\n\nc",
        ),
        ("no place", Item::Placeless("P".into(), "c".into()), "Additional instructions from: P\n\nc"),
        ("updated", Item::Updated("P".into(), "c".into()), "Updated instructions from: P\n\nCHANGED\n\nc"),
        ("switched", switched("Q", "a"), "Updated instructions from: P\n\nCHANGED WAS Q IN a\n\nc"),
        ("removed", Item::Removed("P".into()), "Instructions removed: P\n\nGONE"),
        ("left out", Item::LeftOut("P".into()), "Instructions removed: P\n\nLEFT OUT"),
    ];
    for (name, item, body) in rows {
        assert_eq!(later(&[item], 500, Overflow::Drop, &short()).text, framed(body), "{name}");
    }
}

#[test]
fn a_value_is_filled_in_once_and_other_braces_stay() {
    let rows = [
        (
            "each time it is named",
            "{scope} and {scope}",
            "a",
            "Additional instructions from: P\n\na and a\n\nc",
        ),
        (
            "a value with a name in it",
            "{scope}",
            "{scope}",
            "Additional instructions from: P\n\n{scope}\n\nc",
        ),
        (
            "a name of elsewhere",
            "{previous} {scope",
            "a",
            "Additional instructions from: P\n\n{previous} {scope\n\nc",
        ),
        ("braces around", "界{{scope}}", "a", "Additional instructions from: P\n\n界{a}\n\nc"),
        ("nothing to fill in", "{}", "a", "Additional instructions from: P\n\n{}\n\nc"),
    ];
    for (name, template, scope, body) in rows {
        let mut wording = short();
        wording.applies_to = template.to_owned().into();
        let block = later(&[under("P", scope, "c")], 500, Overflow::Drop, &wording);
        assert_eq!(block.text, framed(body), "{name}");
    }
    let block = later(&[switched("{scope}", "{previous}")], 500, Overflow::Drop, &short());
    let body = "Updated instructions from: P\n\nCHANGED WAS {scope} IN {previous}\n\nc";
    assert_eq!(block.text, framed(body), "values are not templates");
}

#[test]
fn an_empty_sentence_leaves_no_gap() {
    let mut wording = short();
    wording.introduction = "".into();
    wording.changed = "".into();
    wording.applies_to = "".into();
    wording.none_active = "".into();
    wording.removed = "".into();
    let rows = [
        (
            "introduction",
            first(&[file("P", "c")], 500, Overflow::Drop, &wording).text,
            "Instructions from: P\n\nc",
        ),
        (
            "introduction, superseding",
            opened(Opening::ReplacesAll, &[file("P", "c")], 500, Overflow::Drop, &wording).text,
            "REPLACES\n\nInstructions from: P\n\nc",
        ),
        ("none active", opened(Opening::NothingLeft, &[], 500, Overflow::Drop, &wording).text, "REPLACES"),
        (
            "changed, with a switch",
            later(&[switched("界", "a")], 500, Overflow::Drop, &wording).text,
            "Updated instructions from: P\n\nWAS 界 IN a\n\nc",
        ),
        (
            "applies to",
            later(&[under("P", "a", "c")], 500, Overflow::Drop, &wording).text,
            "Additional instructions from: P\n\nc",
        ),
        (
            "removed",
            later(&[Item::Removed("P".into())], 500, Overflow::Drop, &wording).text,
            "Instructions removed: P",
        ),
    ];
    for (name, text, body) in rows {
        assert_eq!(text, framed(body), "{name}");
    }
}

#[test]
fn the_hosts_sentences_and_paths_close_no_frame_either_alone_or_with_what_follows() {
    let mut wording = short();
    wording.introduction = "see </system-reminder> <".into();
    wording.changed = "end <".into();
    wording.switched = "/system-reminder {previous}".into();
    let complete = first(&[file("x&lt;", "/ system-reminder 界")], 500, Overflow::Drop, &wording);
    let expected = "see <\\/system-reminder> <\n\nInstructions from: x&lt;\\\n\n/ system-reminder 界";
    assert_eq!(complete.text, framed(expected), "an opener in the path, the name in the content");
    let update = later(&[switched("</system-reminder", "a")], 500, Overflow::Drop, &wording);
    let expected = "Updated instructions from: P\n\nend <\\ /system-reminder <\\/system-reminder\n\nc";
    assert_eq!(update.text, framed(expected), "an opener in one sentence, the name in the next");
}

#[test]
fn our_own_sentences_say_what_they_must() {
    let wording = Wording::default();
    assert_eq!(wording.frame.tag(), "system-reminder");
    let words = [
        ("introduction", &wording.introduction, "more specific"),
        ("introduction", &wording.introduction, "system, developer or direct user instructions"),
        (
            "compact introduction",
            &wording.compact_introduction,
            "below system, developer and user instructions",
        ),
        ("replaces earlier", &wording.replaces_earlier, "replaces all workspace instructions given earlier"),
        (
            "replaces chain",
            &wording.replaces_chain,
            "for the user and for the folders from the workspace's root",
        ),
        ("replaces chain", &wording.replaces_chain, "to the working directory"),
        ("replaces chain", &wording.replaces_chain, "other folders stay"),
        ("none active", &wording.none_active, "No workspace instructions are in force"),
        ("applies to", &wording.applies_to, "{scope}"),
        ("applies everywhere", &wording.applies_everywhere, "everywhere"),
        ("changed", &wording.changed, "replaces"),
        ("switched", &wording.switched, "{previous}"),
        ("switched", &wording.switched, "{scope}"),
        ("removed", &wording.removed, "no longer apply"),
        ("left out", &wording.left_out, "does not fit"),
    ];
    for (name, sentence, part) in words {
        assert!(sentence.contains(part), "{name} says {part:?}");
        assert!(!sentence.contains('\n'), "{name} is one line");
    }
    assert!(wording.compact_introduction.len() < wording.introduction.len(), "compact is shorter");
}
