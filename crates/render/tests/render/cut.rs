use standing_orders_render::Overflow;

use crate::fixture::{fates, file, first, short};

#[test]
fn a_cut_falls_back_to_a_line_end_that_keeps_at_least_half() {
    // Room for so many bytes of content: budget - 154, with the digits of the length.
    let cut = |content: &str, budget: usize| {
        let block = first(&[file("AGENTS.md", content)], budget, Overflow::Drop, &short());
        let (_, kept) = block.text.split_once("AGENTS.md\n\n").expect("the heading stands");
        kept.strip_suffix("\n</system-reminder>").expect("the frame is closed").to_owned()
    };
    let tail = "z".repeat(200);
    let rows = [
        ("no line end", "abcdefghij", 164, "abcdefghi"),
        ("a line end in the second half", "abcdefg\nij", 164, "abcdefg"),
        ("in the middle of an even room", "abcd\nfghij", 163, "abcd"),
        ("below the middle", "abc\nefghij", 163, "abc\nefgh"),
        ("the last of several", "ab\nde\ngh\nij", 164, "ab\nde\ngh"),
        ("the cut is at a line end already", "ab\ndefgh\nj", 163, "ab\ndefgh"),
        ("a carriage return stays", "abcdef\r\nij", 164, "abcdef\r"),
        ("a line feed first", "\nabcdefghi", 164, "\nabcdefgh"),
        ("one character, a line feed", "\nabcdefghi", 156, "\n"),
        ("characters of three bytes", "界界\n界界", 164, "界界"),
        ("a boundary inside a character", "a界界界", 164, "a界界"),
    ];
    for (name, start, budget, expected) in rows {
        assert_eq!(cut(&format!("{start}{tail}"), budget), expected, "{name}");
    }
}

#[test]
fn a_cut_is_measured_with_the_backslashes_it_needs() {
    let cut = |content: &str, budget: usize| {
        let block = first(&[file("AGENTS.md", content)], budget, Overflow::Drop, &short());
        assert!(block.text.len() <= budget, "no block exceeds its budget");
        let (_, kept) = block.text.split_once("AGENTS.md\n\n").expect("the heading stands");
        (kept.strip_suffix("\n</system-reminder>").expect("the frame is closed").to_owned(), fates(&block))
    };
    let tail = "z".repeat(178);
    let rows = [
        ("the tag whole", "<system-reminder>", 174, "<\\system-reminder>", "17"),
        ("the cut makes the tag", "<system-reminder>", 173, "<\\system-reminder", "16"),
        ("a tag does not fit with its backslash", "<system-reminder>", 172, "<system-reminde", "15"),
        ("a longer name is no tag, cut it is one", "<system-reminderX", 173, "<system-reminderX", "17"),
        ("no room for the backslash", "<system-reminderX", 172, "<system-reminde", "15"),
        ("an entity", "&lt;/system-reminder ", 178, "&lt;\\/system-reminder ", "21"),
        ("an entity, its name at the cut", "&lt;/system-reminder ", 177, "&lt;\\/system-reminder", "20"),
        ("half an entity", "&lt;/system-reminder", 158, "&lt", "3"),
    ];
    for (name, start, budget, expected, to) in rows {
        let content = format!("{start}{tail}");
        let (kept, fate) = cut(&content, budget);
        assert_eq!(kept, expected, "{name}");
        assert_eq!(
            fate,
            format!("cut {} to {to}", content.len()),
            "{name}: content bytes, without backslashes"
        );
    }
}
