use standing_orders_render::{Overflow, Wording, fits_alone};

use crate::fixture::{Item, fates, file, framed, later, removed, short, tagged, under, updated};
use crate::naive;

fn check(name: &str, items: &[Item], budget: usize, overflow: Overflow, text: &str, expected_fates: &str) {
    let block = later(items, budget, overflow, &short());
    assert_eq!(block.text, text, "{name}, {overflow:?}, budget {budget}");
    assert_eq!(fates(&block), expected_fates, "{name}, {overflow:?}, budget {budget}");
}

fn walk(name: &str, items: &[Item], wording: &Wording) {
    for overflow in [Overflow::Drop, Overflow::Trim] {
        for budget in 0..420 {
            let block = later(items, budget, overflow, wording);
            let (text, fates) = naive::transitions(items, budget, overflow, wording);
            assert_eq!(block.text, text, "{name}, {overflow:?}, budget {budget}: no other choice is better");
            assert_eq!(block.fates, fates, "{name}, {overflow:?}, budget {budget}: fates say what stands");
        }
    }
}

#[test]
fn transitions_have_no_introduction_and_stand_in_order() {
    let items = [updated("A", "a"), removed("b/界"), under("c", "c", "c"), file("main/R", "r")];
    let body = "Updated instructions from: A\n\nCHANGED\n\na\n\nInstructions removed: b/界\n\nGONE\n\n\
                Additional instructions from: c\n\nUNDER c\n\nc\n\nInstructions from: main/R\n\nr";
    check("all", &items, 1_000, Overflow::Drop, &framed(body), "whole, whole, whole, whole");
    check("none", &[], 1_000, Overflow::Drop, "", "");
    walk("all kinds", &items, &short());
}

#[test]
fn what_does_not_fit_beside_the_more_specific_waits_and_is_not_named() {
    let items = [updated("A", &"a".repeat(100)), updated("B", &"b".repeat(100))];
    let specific = framed(&format!("Updated instructions from: B\n\nCHANGED\n\n{}", "b".repeat(100)));
    let both = 37 + 2 * (28 + 2 + 7 + 2 + 100) + 2;
    for budget in [both - 1, specific.len()] {
        check("the broad one waits", &items, budget, Overflow::Drop, &specific, "waits, whole");
    }
    let cut = framed(&format!(
        "Workspace instruction budget 316 bytes: truncated A from 100 to 25 bytes\n\n\
         Updated instructions from: A\n\nCHANGED\n\n{}\n\nUpdated instructions from: B\n\nCHANGED\n\n{}",
        "a".repeat(25),
        "b".repeat(100)
    ));
    assert_eq!(both - 1, 316, "the row stands at the very edge");
    check("trim cuts the broad one", &items, 316, Overflow::Trim, &cut, "cut 100 to 25, whole");
    check("trim without room for a character", &items, 289, Overflow::Trim, &specific, "waits, whole");
    walk("two updates", &items, &short());
}

#[test]
fn the_most_specific_is_cut_when_not_even_it_fits() {
    let items = [updated("A", "a"), updated("界", &"é\n".repeat(50))];
    let text = framed(&format!(
        "Workspace instruction budget 199 bytes: truncated 界 from 150 to 44 bytes\n\n\
         Updated instructions from: 界\n\nCHANGED\n\n{}é",
        "é\n".repeat(14)
    ));
    for overflow in [Overflow::Drop, Overflow::Trim] {
        check("cut", &items, 199, overflow, &text, "waits, cut 150 to 44");
    }
    walk("an update of two-byte characters", &items, &short());
}

#[test]
fn removals_take_their_room_before_content_and_before_the_notice() {
    let items = [removed("A"), updated("b", &"y".repeat(300)), removed("c")];
    let gone = |path: &str| format!("Instructions removed: {path}\n\nGONE");
    let both = framed(&format!("{}\n\n{}", gone("A"), gone("c")));
    let cut = framed(&format!(
        "Workspace instruction budget 250 bytes: truncated b from 300 to 38 bytes\n\n{}\n\n\
         Updated instructions from: b\n\nCHANGED\n\n{}\n\n{}",
        gone("A"),
        "y".repeat(38),
        gone("c")
    ));
    for overflow in [Overflow::Drop, Overflow::Trim] {
        check("content is cut between them", &items, 250, overflow, &cut, "whole, cut 300 to 38, whole");
        check("no room for a notice", &items, 210, overflow, &both, "whole, waits, whole");
        check("removals alone", &items, both.len(), overflow, &both, "whole, waits, whole");
        let last = framed(&gone("c"));
        check("the broad removal waits", &items, both.len() - 1, overflow, &last, "waits, waits, whole");
        check("still", &items, last.len(), overflow, &last, "waits, waits, whole");
    }
    walk("removals around content", &items, &short());
}

#[test]
fn a_removal_without_room_for_its_sentence_stands_by_its_heading() {
    let items = [removed("a/AGENTS.md"), removed("界")];
    let heading = "Instructions removed: 界";
    let rows = [
        ("sentence", 68, framed("Instructions removed: 界\n\nGONE"), "waits, whole"),
        ("heading", 67, framed(heading), "waits, heading"),
        ("heading still", 62, framed(heading), "waits, heading"),
        ("no frame", 61, heading.to_owned(), "waits, heading"),
        ("no frame still", 25, heading.to_owned(), "waits, heading"),
        ("nothing", 24, String::new(), "waits, waits"),
    ];
    for (name, budget, text, expected) in rows {
        check(name, &items, budget, Overflow::Drop, &text, expected);
    }
    let unframed = later(&[removed("</system-reminder>")], 60, Overflow::Drop, &short());
    assert_eq!(unframed.text, r"Instructions removed: <\/system-reminder>", "neutralised without frame too");
    walk("two removals", &items, &short());
    walk(
        "a broad removal that fits nowhere",
        &[removed(&"x".repeat(500)), removed("A"), updated("A", "a")],
        &short(),
    );
    walk("a specific one", &[removed("A"), updated("A", "a"), removed(&"x".repeat(500))], &short());
    walk("a broad one without frame", &[removed(&"x".repeat(60)), removed("A"), removed("B")], &short());
}

#[test]
fn what_fits_no_message_takes_no_place_from_another() {
    let long = "d/".repeat(100);
    let items = [updated("A", "a"), under(&long, &long, "x")];
    let text = framed("Updated instructions from: A\n\nCHANGED\n\na");
    check("content", &items, 260, Overflow::Drop, &text, "whole, waits");
    assert!(!fits_alone(&items[1].section(), 260, &short()), "the caller can tell which one it is");
    let items = [updated("A", "a"), removed(&long)];
    check("a removal", &items, 221, Overflow::Drop, &text, "whole, waits");
    walk(
        "an unfit one",
        &[updated("A", &"a".repeat(90)), under(&long, &long, "x"), updated("B", "b")],
        &short(),
    );
}

#[test]
fn one_character_or_an_empty_files_head_is_enough_to_fit_alone() {
    let cut = "Workspace instruction budget 162 bytes: truncated A from 90 to 1 bytes";
    let one = 37 + cut.len() + 2 + "Updated instructions from: A\n\nCHANGED\n\na".len();
    let rows = [
        ("one character of many", updated("A", &"a".repeat(90)), one),
        ("one of three bytes", updated("A", &"界".repeat(30)), one + 2),
        ("whole, for a notice would be longer", updated("A", "aa"), 37 + 28 + 2 + 7 + 2 + 2),
        ("an empty file", updated("A", ""), 37 + 28 + 2 + 7),
        ("an empty file without sentence", file("A", ""), 37 + 20),
        ("a removal", removed("A"), 23),
        ("left out", Item::LeftOut("界".into()), 25),
        ("a tag at the cut", file("A", &"<".repeat(90)), one - 17),
    ];
    for (name, item, least) in rows {
        let section = item.section();
        assert!(fits_alone(&section, least, &short()), "{name} fits {least} bytes");
        assert!(!fits_alone(&section, least - 1, &short()), "{name} does not fit {} bytes", least - 1);
        assert!(fits_alone(&section, 10_000, &short()), "{name} fits plenty");
        assert!(!fits_alone(&section, 0, &short()), "{name} does not fit nothing");
    }
}

#[test]
fn forged_headings_and_openers_are_measured_where_they_stand() {
    for tag in ["system-reminder", "removed"] {
        let mut wording = tagged(tag);
        wording.removed = "GONE <".into();
        wording.changed = "CHANGED &lt;".into();
        let items = [
            removed("x<"),
            updated("A", "Instructions removed: x\nInstructions from: y\na </"),
            removed("y &lt;"),
            file("B", &"<".repeat(70)),
            removed("z"),
        ];
        walk("openers everywhere", &items, &wording);
        let forged = "\u{200b}Updated\tinstructions from\u{ff1a} 界\n".repeat(6);
        let items = [updated("A", &forged), file("B", "b <"), under("C", "c", "c"), removed("z")];
        walk("content in front", &items, &wording);
    }
}

#[test]
fn an_empty_file_that_no_frame_leaves_room_for_stands_without_one() {
    let wording = tagged(&"long-".repeat(20));
    let bare = "Workspace instruction budget 200 bytes: truncated 界/X from 0 to 0 bytes\n\n\
                Updated instructions from: 界/X\n\nCHANGED";
    let empty = [file("A", "a"), updated("界/X", "")];
    let block = later(&empty, 200, Overflow::Drop, &wording);
    assert_eq!((&*block.text, &*fates(&block)), (bare, "waits, whole"));
    walk("alone", &empty[1..], &wording);
    walk("beside others", &[removed("R"), file("A", "a"), updated("X", ""), file("B", "")], &wording);
}
