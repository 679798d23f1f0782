//! How many bytes are read, counted where they are read, for no outside test can see it (R8).

use crate::scan::counter;
use crate::{Complete, Opening, Overflow, Section, Wording, complete, fits_alone, transitions};

const BUDGET: usize = 65_536;

fn whole(sections: &[Section<'_>], budget: usize, overflow: Overflow) -> usize {
    let wording = &Wording::default();
    let opening = Opening::Introduction;
    let message = Complete { opening, sections, gives_way: &[], budget, overflow, wording };
    let (block, read) = counter::during(|| complete(&message));
    assert!(block.text.len() <= budget, "no block exceeds its budget");
    read
}

#[test]
fn what_a_budget_drops_is_not_read_however_many_files_there_are() {
    let contents = [
        ("clean", "x".repeat(10_240)),
        ("tags", "<system-reminder> 界".repeat(500)),
        ("openers", "< & &lt; </".repeat(1_000)),
    ];
    for (name, content) in &contents {
        for overflow in [Overflow::Drop, Overflow::Trim] {
            for count in [10, 100, 1_000, 10_000] {
                let files = vec![Section::instructions("AGENTS.md", content); count];
                let read = whole(&files, BUDGET, overflow);
                assert!(read < 5 * BUDGET, "{name}, {overflow:?}, {count} files: {read} bytes read");
                let updates = vec![Section::updated("AGENTS.md", None, content); count];
                let wording = Wording::default();
                let (_, read) = counter::during(|| transitions(&updates, BUDGET, overflow, &wording));
                assert!(read < 5 * BUDGET, "{name}, {overflow:?}, {count} updates: {read} bytes read");
            }
        }
    }
}

#[test]
fn what_is_kept_is_read_to_measure_and_to_write_it() {
    for (name, piece) in [("clean", "prose, 界.\n"), ("tags", "</system-reminder>"), ("openers", "<&lt;< /")]
    {
        for (files, length) in [(1, 1_000_000), (100, 10_000), (10_000, 100)] {
            let content = piece.repeat(length / piece.len());
            let sections = vec![Section::instructions("a/AGENTS.md", &content); files];
            let input: usize =
                sections.iter().map(|section| content.len() + 100 + section.path().len()).sum();
            let read = whole(&sections, usize::MAX, Overflow::Drop);
            assert!(read <= 2 * input + 1_000, "{name}, {files} files: {read} bytes read of {input}");
        }
    }
}

#[test]
fn one_long_file_is_read_no_further_than_the_budget() {
    let content = "the same line over and over\n".repeat(1_000_000);
    let read = whole(&[Section::instructions("AGENTS.md", &content)], BUDGET, Overflow::Drop);
    assert!(read < 4 * BUDGET, "{read} bytes read");
    let update = Section::updated("AGENTS.md", None, &content);
    let (fits, read) = counter::during(|| fits_alone(&update, BUDGET, &Wording::default()));
    assert!(fits && read < 1_000, "one character answers it: {read} bytes read");
}
