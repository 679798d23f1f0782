//! What a session is given at one starting point, and what of it never arrives.

use std::path::Path;
use std::sync::Arc;

/// What one profile gives a session at one starting point.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Outcome {
    /// Bytes that count towards the limit.
    pub(crate) used: u64,
    /// Bytes there may be; `None` without a limit.
    pub(crate) limit: Option<u64>,
    /// In order, what arrives of each file.
    pub(crate) kept: Vec<Kept>,
    /// What does not.
    pub(crate) lost: Vec<Lost>,
}

/// A file that arrives, whole or its beginning.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Kept {
    pub(crate) path: Arc<Path>,
    /// Bytes that arrive.
    pub(crate) bytes: u64,
}

/// A file whose end, or all of it, is left out for the budget.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Lost {
    pub(crate) path: Arc<Path>,
    /// Its bytes.
    pub(crate) from: u64,
    /// Those that arrive.
    pub(crate) to: u64,
    /// The lines that never arrive, whole or in part. The first is 0 when the text is not known.
    pub(crate) lines: (usize, usize),
    pub(crate) headings: Vec<Heading>,
}

/// A heading that never arrives.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Heading {
    pub(crate) line: usize,
    pub(crate) text: String,
}

impl Outcome {
    pub(crate) fn lost_bytes(&self) -> u64 {
        self.lost.iter().map(Lost::bytes).sum()
    }

    /// Whether nothing is lost and at least so many hundredths of the limit are used.
    pub(crate) fn is_near(&self, percent: u64) -> bool {
        let Some(limit) = self.limit.filter(|limit| *limit > 0) else { return false };
        let reached = u128::from(self.used) * 100 >= u128::from(limit) * u128::from(percent);
        reached && self.lost.is_empty()
    }
}

impl Lost {
    pub(crate) fn bytes(&self) -> u64 {
        self.from.saturating_sub(self.to)
    }

    /// Of a text of which the first `to` bytes arrive.
    pub(crate) fn of(path: Arc<Path>, text: &str, to: usize) -> Self {
        let mut cut = to.min(text.len());
        while !text.is_char_boundary(cut) {
            cut -= 1;
        }
        let (kept, rest) = text.split_at_checked(cut).unwrap_or((text, ""));
        // What is left of the line that is cut, when that is only its end, is no loss of that line.
        let ends_line = rest.starts_with('\n') || rest.starts_with("\r\n");
        let first = kept.matches('\n').count() + 1 + usize::from(ends_line && !kept.is_empty());
        let last = text.lines().count().max(first);
        let headings = headings(text).filter(|heading| heading.line >= first).collect();
        Self { path, from: text.len() as u64, to: cut as u64, lines: (first, last), headings }
    }

    /// Of a file whose text is not known.
    pub(crate) fn unknown(path: Arc<Path>, from: u64, to: u64) -> Self {
        Self { path, from, to, lines: (0, 0), headings: Vec::new() }
    }
}

/// The headings (`#` to `######`) of a Markdown text, those of fenced blocks left out.
fn headings(text: &str) -> impl Iterator<Item = Heading> {
    let mut fence = Fence::default();
    text.lines().zip(1..).filter_map(move |(line, number)| {
        if fence.holds(line) {
            return None;
        }
        let line = line.trim_start();
        let title = line.trim_start_matches('#');
        let level = line.len() - title.len();
        let is_heading = (1..=6).contains(&level) && (title.is_empty() || title.starts_with([' ', '\t']));
        is_heading
            .then(|| Heading { line: number, text: title.trim().trim_end_matches('#').trim_end().to_owned() })
    })
}

/// Whether lines lie in a fenced block, followed line by line.
#[derive(Debug, Default)]
pub(crate) struct Fence {
    open: Option<(char, usize)>,
}

impl Fence {
    /// Takes the next line: whether it is of a fenced block, its fences included.
    pub(crate) fn holds(&mut self, line: &str) -> bool {
        let line = line.trim();
        let marks = |mark: char| line.chars().take_while(|c| *c == mark).count();
        match self.open {
            Some((mark, least)) => {
                let run = marks(mark);
                if run >= least && run == line.chars().count() {
                    self.open = None;
                }
                true
            }
            None => {
                let found = ['`', '~'].into_iter().find(|mark| marks(*mark) >= 3);
                let found = found.filter(|mark| {
                    let info = line.trim_start_matches(*mark);
                    !(*mark == '`' && info.contains('`'))
                });
                self.open = found.map(|mark| (mark, marks(mark)));
                self.open.is_some()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lost(text: &str, to: usize) -> Lost {
        Lost::of(Path::new("/ws/AGENTS.md").into(), text, to)
    }

    #[test]
    fn lines_and_headings_that_never_arrive_are_named() {
        let text = "# A\none\n## B\ntwo\n```\n# code\n```\n### C ##\n";
        for (name, to, lines, headings) in [
            ("nothing arrives", 0, (1, 8), vec![(1, "A"), (3, "B"), (8, "C")]),
            ("cut in the middle of a line", 6, (2, 8), vec![(3, "B"), (8, "C")]),
            ("cut at the end of a line", 7, (3, 8), vec![(3, "B"), (8, "C")]),
            ("cut behind a line feed", 8, (3, 8), vec![(3, "B"), (8, "C")]),
        ] {
            let lost = lost(text, to);
            assert_eq!(lost.lines, lines, "{name}");
            let found: Vec<_> = lost.headings.iter().map(|h| (h.line, h.text.as_str())).collect();
            assert_eq!(found, headings, "{name}: a heading in a fenced block is none");
        }
    }

    #[test]
    fn a_cut_inside_a_character_is_drawn_back() {
        let lost = lost("規則\n", 4);
        assert_eq!((lost.to, lost.lines), (3, (1, 1)), "only whole characters arrive");
    }

    proptest::proptest! {
        #[test]
        fn what_is_lost_lies_behind_what_arrives(text in "[#a規 \r\n`]{0,60}", to in 0_usize..200) {
            let lost = lost(&text, to);
            let (first, last) = lost.lines;
            proptest::prop_assert!(lost.to <= lost.from && lost.to <= to as u64, "no more arrives than is cut to");
            proptest::prop_assert!(1 <= first && first <= last, "lines count from 1, in order");
            let behind = lost.headings.iter().all(|heading| (first..=last).contains(&heading.line));
            proptest::prop_assert!(behind, "no heading is lost that arrives");
        }
    }
}
