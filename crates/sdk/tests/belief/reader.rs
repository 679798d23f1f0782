//! A reader that knows the text of a transcript and nothing else, and believes what it says.

use std::collections::BTreeMap;

use standing_orders::Wording;

/// What was told under one path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Told {
    /// All of it.
    Whole(String),
    /// Its beginning: the notice said so.
    Cut,
}

/// What is believed, by path.
pub(super) type Belief = BTreeMap<String, Told>;

/// One text that the reader sees, and the folder that the session worked in when it was said,
/// relative to the project (a host tells its model so in any prompt).
#[derive(Clone, Debug)]
pub(super) struct Said {
    pub(super) text: String,
    pub(super) here: String,
}

const GIVEN: &str = "Instructions from: ";
const ADDED: &str = "Additional instructions from: ";
const UPDATED: &str = "Updated instructions from: ";
const REVOKED: &str = "Instructions removed: ";
const HEADINGS: [&str; 4] = [GIVEN, ADDED, UPDATED, REVOKED];

/// Reads with one wording.
#[derive(Debug)]
pub(super) struct Reader<'w> {
    wording: &'w Wording,
    belief: Belief,
}

impl<'w> Reader<'w> {
    /// What remains believed when these texts have been read in order, from nothing.
    pub(super) fn read<'s>(
        wording: &'w Wording,
        transcript: impl IntoIterator<Item = &'s Said>,
    ) -> Result<Belief, String> {
        let mut reader = Self { wording, belief: Belief::new() };
        for said in transcript {
            reader.hear(said).map_err(|why| format!("{why}; in the text\n{}", said.text))?;
        }
        Ok(reader.belief)
    }

    fn hear(&mut self, said: &Said) -> Result<(), String> {
        for body in bodies(&said.text) {
            self.body(body, &said.here)?;
        }
        Ok(())
    }

    fn body(&mut self, body: &str, here: &str) -> Result<(), String> {
        let (before, sections) = sections(body);
        let mut opening = before;
        let mut notice = Notice::default();
        if before.starts_with("Workspace instruction budget ") {
            let (line, rest) = before.split_once("\n\n").unwrap_or((before, ""));
            (notice, opening) = (Notice::of(line), rest);
        }
        self.opening(opening, here);
        sections.into_iter().try_for_each(|section| self.section(section, &notice))
    }

    /// What the sentences before the first section revoke.
    fn opening(&mut self, opening: &str, here: &str) {
        if opening.is_empty() {
        } else if opening.starts_with(&*self.wording.replaces_chain) {
            self.belief.retain(|path, _| !is_of_the_workspace(path) || !is_towards(path, here));
        } else if opening.starts_with(&*self.wording.replaces_earlier) {
            self.belief.retain(|path, _| !is_of_the_workspace(path));
        }
    }

    fn section(&mut self, section: &str, notice: &Notice) -> Result<(), String> {
        let (heading, body) = section.split_once("\n\n").unwrap_or((section, ""));
        let named = |words: &str| heading.strip_prefix(words).map(str::to_owned);
        if let Some(path) = named(GIVEN) {
            self.learn(path, body, notice);
        } else if let Some(path) = named(ADDED) {
            let sentences = [&*self.wording.applies_everywhere, &*self.wording.applies_to];
            let content = sentences.iter().find_map(|sentence| after(sentence, body));
            let (_, content) = content.ok_or(format!("{heading}: where it applies is not said"))?;
            self.learn(path, content, notice);
        } else if let Some(path) = named(UPDATED) {
            let both = format!("{} {}", self.wording.changed, self.wording.switched);
            let (previous, content) = after(&both, body)
                .or_else(|| after(&self.wording.changed, body))
                .ok_or(format!("{heading}: that it changed is not said"))?;
            if let Some(previous) = previous {
                self.belief.remove(&previous);
            }
            self.learn(path, content, notice);
        } else if let Some(path) = named(REVOKED) {
            self.belief.remove(&path);
        } else {
            return Err(format!("{heading:?} is no heading"));
        }
        Ok(())
    }

    fn learn(&mut self, path: String, content: &str, notice: &Notice) {
        let told = match notice.kept(&path) {
            // Nothing of it is here: what was known of it is not contradicted.
            Some(0) if content.is_empty() && !notice.is_of_an_empty_file => return,
            Some(kept) if !notice.is_of_an_empty_file => {
                debug_assert!(kept <= content.len());
                Told::Cut
            }
            _ => Told::Whole(as_written(content)),
        };
        self.belief.insert(path, told);
    }
}

/// What a budget notice says was lost.
#[derive(Default)]
struct Notice {
    cut: Option<(String, usize)>,
    is_of_an_empty_file: bool,
}

impl Notice {
    /// `…: omitted A, B; truncated C from X to Y bytes`.
    fn of(line: &str) -> Self {
        let Some((_, cut)) = line.split_once("truncated ") else { return Self::default() };
        let Some((path, sizes)) = cut.rsplit_once(" from ") else { return Self::default() };
        let sizes: Vec<usize> = sizes.split(' ').filter_map(|word| word.parse().ok()).collect();
        let [from, to] = sizes[..] else { return Self::default() };
        Self { cut: Some((path.to_owned(), to)), is_of_an_empty_file: from == 0 }
    }

    /// How many bytes were kept of this file, if some were lost.
    fn kept(&self, path: &str) -> Option<usize> {
        self.cut.as_ref().filter(|(cut, _)| cut == path).map(|(_, kept)| *kept)
    }
}

/// The texts between the tags, and what stands outside of any.
fn bodies(text: &str) -> Vec<&str> {
    let (open, close) = ("<system-reminder>\n", "\n</system-reminder>");
    let mut bodies = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        match rest.strip_prefix(open) {
            Some(inner) => {
                let end = inner.find(close).unwrap_or(inner.len());
                bodies.push(&inner[..end]);
                rest = inner[end..].strip_prefix(close).unwrap_or_default().trim_start_matches('\n');
            }
            None => {
                let end = rest.find(&format!("\n{open}")).unwrap_or(rest.len());
                bodies.push(&rest[..end]);
                rest = rest[end..].trim_start_matches('\n');
            }
        }
    }
    bodies
}

/// What stands before the first heading, and each section.
fn sections(body: &str) -> (&str, Vec<&str>) {
    let starts_here = |at: usize| {
        let own_part = at == 0 || body[..at].ends_with("\n\n");
        own_part && HEADINGS.iter().any(|heading| body[at..].starts_with(heading))
    };
    let mut starts: Vec<usize> =
        body.char_indices().map(|(at, _)| at).filter(|at| starts_here(*at)).collect();
    starts.push(body.len() + 2);
    let before = body[..starts[0].min(body.len())].trim_end_matches('\n');
    let sections = starts.windows(2).map(|pair| &body[pair[0]..(pair[1] - 2).min(body.len())]);
    (before, sections.collect())
}

/// What follows the sentence, and what stands for `{previous}` in it.
fn after<'b>(sentence: &str, body: &'b str) -> Option<(Option<String>, &'b str)> {
    let (mut rest, mut previous) = (body, None);
    let mut pieces = sentence.split('{');
    rest = rest.strip_prefix(pieces.next()?)?;
    for piece in pieces {
        let (name, text) = piece.split_once('}')?;
        let end = if text.is_empty() { rest.find('\n').unwrap_or(rest.len()) } else { rest.find(text)? };
        if name == "previous" {
            previous = Some(rest[..end].to_owned());
        }
        rest = &rest[end + text.len()..];
    }
    match rest {
        "" => Some((previous, "")),
        rest => Some((previous, rest.strip_prefix("\n\n")?)),
    }
}

/// Without the backslashes that keep a content from being taken for ours (R4, R9). The texts of
/// these runs have none of their own.
fn as_written(content: &str) -> String {
    content.replace('\\', "")
}

/// Gated files of these runs lie in a folder of their own.
pub(super) fn is_of_the_workspace(path: &str) -> bool {
    !path.starts_with("gated/")
}

/// Whether the path is the user-global file, or in a folder from the root to `here`.
pub(super) fn is_towards(path: &str, here: &str) -> bool {
    if path.starts_with('~') {
        return true;
    }
    let folder = folder(path);
    folder == "." || here == folder || here.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/'))
}

/// The folder of a path, `.` for the root.
pub(super) fn folder(path: &str) -> &str {
    path.rsplit_once('/').map_or(".", |(folder, _)| folder)
}
