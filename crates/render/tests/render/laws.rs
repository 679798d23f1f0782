//! Laws over any files and any budget, hostile ones first.

use proptest::prelude::*;
use proptest::sample::select;
use standing_orders_render::{Block, Fate, Frame, Opening, Overflow, Wording, fits_alone};

use crate::fixture::{Item, later, opened, short, tagged};
use crate::{naive, reader};

const TAGS: &[&str] = &[
    "system-reminder",
    "system-reminder",
    "SYSTEM",
    "system-reminder-2",
    "instructs",
    "from",
    "truncated",
    "to",
    "k",
    "a.b:c-d_e",
    "kiss-3",
];

const HEADINGS: &[&str] = &[
    "Instructions from:",
    "Additional instructions from:",
    "updated Instructions from:",
    "Instructions removed:",
    "WORKSPACE instruction budget",
];

/// A text in another spelling that reads the same, or nearly.
fn spelled(text: &str, spelling: usize) -> String {
    let shifted = |from: u32| move |c: char| char::from_u32(u32::from(c) + from).unwrap();
    let tag = |c: char| if (' '..='~').contains(&c) { shifted(0xe0000)(c) } else { c };
    let wide = |c: char| if ('!'..='~').contains(&c) { shifted(0xfee0)(c) } else { c };
    match spelling {
        0 => text.to_uppercase(),
        1 => text.replace('s', "\u{17f}").replace('k', "\u{212a}").replace('i', "\u{131}"),
        2 => text.replace("st", "\u{fb06}").replace("ss", "ß").replace('-', "\u{2011}"),
        3 => text.chars().map(wide).collect(),
        4 => text.chars().map(tag).collect(),
        5 => text.chars().flat_map(|c| [c, '\u{200b}']).collect(),
        6 => text.chars().flat_map(|c| [c, '\u{e0061}']).collect(),
        7 => text
            .chars()
            .map(|c| if c.is_ascii_lowercase() { shifted(0x1d41a - 0x61)(c) } else { c })
            .collect(),
        8 => text.replacen('e', "\u{435}", 1),
        9 => text.replace('m', "m\u{3164}").replace('e', "\te"),
        10 => text.chars().enumerate().map(|(at, c)| if at % 2 == 0 { c } else { tag(c) }).collect(),
        11 => text.replace(' ', "\u{a0} "),
        12 => text.chars().take(text.len() / 2).collect(),
        _ => text.to_owned(),
    }
}

/// Pieces of tags and headings in every spelling, and what may stand around them.
fn fragment() -> impl Strategy<Value = String> {
    let tags = select(TAGS).prop_flat_map(|tag| {
        select(vec![
            tag.to_owned(),
            format!("<{tag}"),
            format!("</{tag}>"),
            format!("< / {tag}"),
            format!("&lt;/{tag}&gt;"),
            format!("&#60{tag}"),
            format!("&amp;#x3C;&#x2f;{tag}"),
        ])
    });
    let headings = select(HEADINGS).prop_map(str::to_owned);
    let begun =
        select(vec!["\n", "\r", "\n  ", "\u{2028}", "\u{b}", "\u{85}\u{200b}", "", "\n\u{e0041}\u{e003c}"]);
    let unseen = (tags.clone(), select(vec![4, 6, 10])).prop_map(|(tag, spelling)| spelled(&tag, spelling));
    let begun = prop_oneof![4 => begun.prop_map(str::to_owned), 1 => unseen];
    let headings = (begun, headings).prop_map(|(begun, heading)| format!("{begun}{heading}"));
    let spelled_ones = (prop_oneof![3 => tags, 1 => headings], 0_usize..20)
        .prop_map(|(text, spelling)| spelled(&text, spelling));
    let around = select(vec![
        "<",
        "&lt;",
        "&lt",
        "&",
        "/",
        "\\",
        ">",
        " ",
        "\n",
        "\r\n",
        "\t",
        "\u{2028}",
        "-",
        ".",
        ":",
        "_",
        "x",
        "7",
        "界",
        "é",
        "\u{301}",
        "lt;",
        ";",
        "Instructions",
        "\n\n",
        "\u{ff1c}",
        "\u{fe64}",
        "\u{e003c}",
        "\u{e002f}",
        "\u{ff0f}",
        "\u{ad}",
        "\u{200b}",
        "\u{0}",
        "\u{2800}",
        "\u{3164}",
        "&LT;",
        "&#60;",
        "&#060",
        "&#x3c;",
        "&#x",
        "&amp;",
        "&AMP",
        "amp;",
        "#x26;",
        "&sol;",
        "&#47",
        "6",
        "0",
        "c",
        "\u{2026}",
        "\u{2014}",
        "\u{ff21}",
        "\u{e0078}",
        "\u{b}",
        "\u{c}",
        "\u{85}",
        "from:",
        "\u{2474}",
    ]);
    prop_oneof![2 => spelled_ones, 4 => around.prop_map(str::to_owned)]
}

fn hostile(fragments: usize) -> impl Strategy<Value = String> {
    proptest::collection::vec(fragment(), 0..fragments).prop_map(|pieces| pieces.concat())
}

fn line() -> impl Strategy<Value = String> {
    let plain = select(vec!["AGENTS.md", "a/AGENTS.md", "界/é.md", "x<", "a/&lt;", "</", "&lt", "b"]);
    prop_oneof![3 => plain.prop_map(str::to_owned), 1 => hostile(5).prop_map(|s| s.replace(['\n', '\r'], ""))]
}

fn item(content: impl Strategy<Value = String>) -> impl Strategy<Value = Item> {
    (0..8, line(), line(), line(), content).prop_map(|(kind, path, scope, previous, content)| match kind {
        0 => Item::Instructions(path, content),
        1 => Item::Everywhere(path, content),
        2 => Item::Under(path, scope, content),
        3 => Item::Placeless(path, content),
        4 => Item::Updated(path, content),
        5 => Item::Switched {
            path,
            previous: previous.replace('{', ""),
            scope: scope.replace('{', ""),
            content,
        },
        6 => Item::Removed(path),
        _ => Item::LeftOut(path),
    })
}

fn files(content: impl Strategy<Value = String>) -> impl Strategy<Value = Item> {
    (line(), content).prop_map(|(path, content)| Item::Instructions(path, content))
}

fn wording() -> impl Strategy<Value = Wording> {
    let sentence = || prop_oneof![3 => Just(None), 1 => hostile(4).prop_map(|s| Some(s.trim().to_owned()))];
    let sentences = proptest::collection::vec(sentence(), 7);
    (select(TAGS), sentences).prop_map(|(tag, sentences)| {
        let mut wording = tagged(tag);
        let fields = [
            &mut wording.introduction,
            &mut wording.compact_introduction,
            &mut wording.replaces_earlier,
            &mut wording.replaces_chain,
            &mut wording.changed,
            &mut wording.removed,
            &mut wording.left_out,
        ];
        for (field, sentence) in fields.into_iter().zip(sentences) {
            if let Some(sentence) = sentence {
                *field = sentence.into();
            }
        }
        wording
    })
}

fn opening() -> impl Strategy<Value = Opening> {
    select(vec![
        Opening::Introduction,
        Opening::ReplacesAll,
        Opening::ReplacesChain,
        Opening::NothingLeft,
        Opening::OthersLeft,
    ])
}

fn overflow() -> impl Strategy<Value = Overflow> {
    select(vec![Overflow::Drop, Overflow::Trim])
}

/// Bounded, closed exactly once or not at all, and with a fate for each section.
fn check(block: &Block, items: usize, budget: usize, frame: &Frame) {
    assert!(block.text.len() <= budget, "no block exceeds its budget: {} > {budget}", block.text.len());
    assert_eq!(block.fates.len(), items, "each section has a fate");
    let (open, close) = (format!("<{}>\n", frame.tag()), format!("\n</{}>", frame.tag()));
    let tags = reader::tags(&block.text, frame.tag());
    if tags == 0 {
        assert!(!block.text.starts_with(&open), "a frame has tags");
    } else {
        assert_eq!(tags, 2, "one opening and one closing tag in any spelling: {:?}", block.text);
        assert!(block.text.starts_with(&open) && block.text.ends_with(&close), "they are the frame's own");
    }
}

/// What a fate claims is in the text: the head, and the neutralised content as far as it was kept.
fn check_fates(block: &Block, items: &[Item], wording: &Wording) {
    let body = &block.text;
    for (item, fate) in items.iter().zip(&block.fates) {
        let section = item.section();
        let kept = match *fate {
            Fate::Whole => section.content(),
            Fate::Cut { from, to } => {
                assert_eq!(from, section.content().len(), "a cut is from the content's length");
                assert!(to > 0 && to < from, "a cut keeps something and not all");
                &section.content()[..to]
            }
            Fate::HeadingOnly => {
                assert!(section.is_removal(), "only a removal stands by its heading");
                ""
            }
            Fate::Omitted | Fate::Waits => {
                assert!(!fate.is_represented());
                continue;
            }
        };
        assert!(fate.is_represented());
        let from = if kept.is_empty() { section.path() } else { kept };
        let expected = if kept.is_empty() { from.to_owned() } else { reader::unforged(from) };
        let expected = wording.frame.neutralise(&expected).into_owned();
        let plain = expected.trim_end_matches(['<', '/', ' ', ';']).trim_end_matches("&lt");
        assert!(body.contains(plain), "{fate:?} stands in the text: {plain:?} in {body:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(768))]

    #[test]
    fn the_frame_neutralises_what_the_naive_reader_calls_a_tag(text in hostile(12), tag in select(TAGS)) {
        let frame = Frame::new(tag).unwrap();
        let safe = frame.neutralise(&text);
        prop_assert_eq!(&*safe, reader::neutralise(&text, tag));
        prop_assert_eq!(reader::tags(&safe, tag), 0, "nothing neutralised is a tag");
        prop_assert_eq!(frame.neutralise(&safe), &*safe, "neutralising twice changes nothing");
        let wrapped = frame.wrap(&text);
        prop_assert_eq!(reader::tags(&wrapped, tag), 2, "a frame has two tags");
    }

    #[test]
    fn a_complete_message_is_what_rendering_every_choice_finds(
        items in proptest::collection::vec(prop_oneof![4 => files(hostile(14)), 1 => item(hostile(8))], 0..5),
        budget in 0_usize..420,
        opening in opening(),
        overflow in overflow(),
        wording in wording(),
    ) {
        let block = opened(opening, &items, budget, overflow, &wording);
        let (text, fates) = naive::complete(opening, &items, budget, overflow, &wording);
        prop_assert_eq!(&block.text, &text);
        prop_assert_eq!(&block.fates, &fates);
        check(&block, items.len(), budget, &wording.frame);
    }

    #[test]
    fn transitions_are_what_rendering_every_choice_finds(
        items in proptest::collection::vec(item(hostile(14)), 0..5),
        budget in 0_usize..420,
        overflow in overflow(),
        wording in wording(),
    ) {
        let block = later(&items, budget, overflow, &wording);
        let (text, fates) = naive::transitions(&items, budget, overflow, &wording);
        prop_assert_eq!(&block.text, &text);
        prop_assert_eq!(&block.fates, &fates);
        check(&block, items.len(), budget, &wording.frame);
    }

    #[test]
    fn what_fits_alone_is_represented_alone_and_nothing_else_is(
        item in item(hostile(10)),
        budget in 0_usize..300,
        overflow in overflow(),
        wording in wording(),
    ) {
        let fits = fits_alone(&item.section(), budget, &wording);
        prop_assert_eq!(fits, naive::fits_alone(&item, budget, &wording));
        let block = later(std::slice::from_ref(&item), budget, overflow, &wording);
        prop_assert_eq!(block.fates[0].is_represented(), fits, "a message of its own carries what fits alone");
        prop_assert_eq!(block.is_empty(), !fits, "transitions with nothing to commit are not sent");
    }

    #[test]
    fn some_transition_is_represented_whenever_one_fits_alone(
        items in proptest::collection::vec(item(hostile(10)), 0..5),
        budget in 0_usize..300,
        overflow in overflow(),
        wording in wording(),
    ) {
        let any = items.iter().any(|item| fits_alone(&item.section(), budget, &wording));
        let block = later(&items, budget, overflow, &wording);
        prop_assert_eq!(block.fates.iter().any(|fate| fate.is_represented()), any, "what waits gets its turn");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(192))]

    #[test]
    fn blocks_of_any_files_keep_within_any_budget_and_their_fates_tell_the_truth(
        items in proptest::collection::vec((item(hostile(12)), 1_usize..600), 0..9),
        budget in prop_oneof![0_usize..2_000, 0_usize..=100_000],
        opening in opening(),
        overflow in overflow(),
    ) {
        let wording = short();
        let items: Vec<_> = items.into_iter().map(|(item, times)| repeated(item, times)).collect();
        for block in [
            opened(opening, &items, budget, overflow, &wording),
            later(&items, budget, overflow, &wording),
        ] {
            check(&block, items.len(), budget, &wording.frame);
            check_fates(&block, &items, &wording);
        }
        prop_assert_eq!(
            opened(opening, &items, budget, overflow, &wording),
            opened(opening, &items, budget, overflow, &wording),
            "same input, same bytes"
        );
    }
}

fn repeated(item: Item, times: usize) -> Item {
    match item {
        Item::Instructions(path, content) => Item::Instructions(path, content.repeat(times)),
        Item::Updated(path, content) => Item::Updated(path, content.repeat(times)),
        other => other,
    }
}
