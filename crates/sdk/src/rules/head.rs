//! The head of a rule: where it ends (F3), and what it says (F4).
//!
//! A fixed subset of what people write in YAML's name, read as they mean it: YAML's own readers reject
//! `globs: **/*.ts`, and products fail there to opposite sides.

use std::fmt;

/// The most bytes of a head, its two lines of dashes included.
pub(super) const MAX_BYTES: usize = 64 * 1024;

/// What a head says; a key that is not there is `None`, and one that is there and empty an empty list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Head {
    pub(super) name: Option<String>,
    pub(super) description: Option<String>,
    pub(super) paths: Option<Vec<String>>,
    pub(super) globs: Option<Vec<String>>,
    pub(super) apply_to: Option<Vec<String>>,
    pub(super) always_apply: Option<bool>,
    pub(super) trigger: Option<String>,
    pub(super) exclude_agent: Option<Vec<String>>,
    pub(super) agents: Option<Vec<String>>,
}

/// Why a head cannot be understood.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum HeadFault {
    /// No line closes it, or none within 64 KiB (`head-open`).
    Open,
    /// A line is not of the grammar (`head-unclear`).
    Unclear {
        /// In the file, from 1.
        line: usize,
        /// What is expected there.
        expected: &'static str,
    },
}

impl fmt::Display for HeadFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Open => write!(f, "its head has no closing line `---` within {MAX_BYTES} bytes"),
            Self::Unclear { line, expected } => write!(f, "line {line} of its head: expected {expected}"),
        }
    }
}

/// The head of a text, and where its body begins. A text without a head is all body.
pub(super) fn read(text: &str) -> Result<(Head, usize), HeadFault> {
    let start = text.len() - text.trim_start_matches('\u{feff}').len();
    let mut lines = Lines { text, at: start, number: 0 };
    if lines.next().is_none_or(|line| line.text != "---") {
        return Ok((Head::default(), start));
    }
    let mut inside = Vec::new();
    loop {
        let line = lines.next().filter(|_| lines.at - start <= MAX_BYTES).ok_or(HeadFault::Open)?;
        if matches!(line.text, "---" | "...") {
            return Ok((Reader { lines: &inside, at: 0 }.read()?, lines.at));
        }
        inside.push(line);
    }
}

/// One line, without its end.
#[derive(Clone, Copy)]
struct Line<'t> {
    text: &'t str,
    number: usize,
}

struct Lines<'t> {
    text: &'t str,
    at: usize,
    number: usize,
}

impl<'t> Iterator for Lines<'t> {
    type Item = Line<'t>;

    fn next(&mut self) -> Option<Line<'t>> {
        let rest = self.text.get(self.at..).filter(|rest| !rest.is_empty())?;
        let line = rest.split_inclusive('\n').next()?;
        self.at += line.len();
        self.number += 1;
        let text = line.strip_suffix('\n').unwrap_or(line);
        Some(Line { text: text.strip_suffix('\r').unwrap_or(text), number: self.number })
    }
}

/// The value of a key.
enum Value {
    Scalar(String),
    List(Vec<String>),
}

struct Reader<'l, 't> {
    lines: &'l [Line<'t>],
    at: usize,
}

impl<'t> Reader<'_, 't> {
    fn read(mut self) -> Result<Head, HeadFault> {
        let mut head = Head::default();
        while let Some(line) = self.lines.get(self.at).copied() {
            self.at += 1;
            let text = line.text.trim();
            if text.is_empty() || text.starts_with('#') {
                continue;
            }
            let (key, value) = key_of(line.text).ok_or(HeadFault::Unclear {
                line: line.number,
                expected: "`key: value`, a list item below a key, or a comment",
            })?;
            self.set(&mut head, key, value, line.number)?;
        }
        Ok(head)
    }

    fn set(&mut self, head: &mut Head, key: &str, value: &'t str, line: usize) -> Result<(), HeadFault> {
        let is_new = match key {
            "name" => head.name.is_none(),
            "description" => head.description.is_none(),
            "paths" => head.paths.is_none(),
            "globs" => head.globs.is_none(),
            "applyTo" => head.apply_to.is_none(),
            "alwaysApply" => head.always_apply.is_none(),
            "trigger" => head.trigger.is_none(),
            "excludeAgent" => head.exclude_agent.is_none(),
            "agents" => head.agents.is_none(),
            _ => {
                self.skip(value);
                return Ok(());
            }
        };
        if !is_new {
            return Err(HeadFault::Unclear { line, expected: "each key once" });
        }
        let value = self.value(value, line)?;
        match key {
            "name" => head.name = Some(value.text(line)?),
            "description" => head.description = Some(value.text(line)?),
            "paths" => head.paths = Some(value.list(line)?),
            "globs" => head.globs = Some(value.list(line)?),
            "applyTo" => head.apply_to = Some(value.list(line)?),
            "trigger" => head.trigger = Some(value.text(line)?).filter(|trigger| !trigger.is_empty()),
            "excludeAgent" => head.exclude_agent = Some(value.list(line)?),
            "agents" => head.agents = Some(value.list(line)?),
            _ => {
                head.always_apply = match value.text(line)?.to_ascii_lowercase().as_str() {
                    "true" | "yes" | "on" => Some(true),
                    "false" | "no" | "off" | "" => Some(false),
                    _ => return Err(HeadFault::Unclear { line, expected: "`true` or `false`" }),
                }
            }
        }
        Ok(())
    }

    /// What stands below the key, indented or as items, is its own; so are comments.
    fn below(&self) -> Option<Line<'t>> {
        let line = self.lines.get(self.at).copied()?;
        let is_below =
            line.text.trim().is_empty() || line.text.starts_with([' ', '\t', '#']) || is_item(line.text);
        is_below.then_some(line)
    }

    /// Of a key that says nothing here: its block, or its flow list or map that goes on over lines.
    fn skip(&mut self, value: &str) {
        let is_flow = value.trim_start().starts_with(['[', '{']);
        let goes_on = |line: &Line<'_>| is_flow && key_of(line.text).is_none();
        while self.below().is_some() || self.lines.get(self.at).is_some_and(goes_on) {
            self.at += 1;
        }
    }

    fn value(&mut self, value: &'t str, line: usize) -> Result<Value, HeadFault> {
        let value = without_comment(value).trim();
        match value.chars().next() {
            None => match self.below() {
                Some(below) if below.text.trim_start().starts_with('[') => {
                    self.at += 1;
                    self.flow_list(without_comment(below.text).trim(), below.number)
                }
                _ => self.block_list(),
            },
            Some('[') if closing_bracket(value).is_none_or(|end| end + 1 == value.len()) => {
                self.flow_list(value, line)
            }
            Some('|' | '>') if value.trim_start_matches(['|', '>', '+', '-']).is_empty() => {
                Ok(self.block_text())
            }
            Some(_) => Ok(Value::Scalar(value.to_owned())),
        }
    }

    fn block_list(&mut self) -> Result<Value, HeadFault> {
        let mut items = Vec::new();
        while let Some(line) = self.below() {
            self.at += 1;
            let text = line.text.trim();
            if text.is_empty() || text.starts_with('#') {
                continue;
            }
            let item = text
                .strip_prefix('-')
                .filter(|_| is_item(text))
                .ok_or(HeadFault::Unclear { line: line.number, expected: "a list item: `- value`" })?;
            items.push(without_comment(item).trim().to_owned());
        }
        Ok(Value::List(items))
    }

    /// `[a, "b"]`, which may go on over lines.
    fn flow_list(&mut self, value: &str, line: usize) -> Result<Value, HeadFault> {
        let mut all = value.to_owned();
        let mut brackets = Brackets::default();
        let mut end = brackets.end_in(value);
        let end = loop {
            if let Some(end) = end {
                break end;
            }
            let next = self.lines.get(self.at).filter(|next| key_of(next.text).is_none());
            let next = next.ok_or(HeadFault::Unclear { line, expected: "a list that ends with `]`" })?;
            self.at += 1;
            all.push(' ');
            brackets.before = ' ';
            let next = without_comment(next.text).trim();
            end = brackets.end_in(next).map(|end| all.len() + end);
            all.push_str(next);
        };
        if all.get(end + 1..).is_some_and(|rest| !rest.trim().is_empty()) {
            return Err(HeadFault::Unclear { line, expected: "nothing behind the `]` of a list" });
        }
        let items = split(all.get(1..end).unwrap_or_default());
        Ok(Value::List(items.into_iter().map(str::to_owned).collect()))
    }

    /// The lines below a `|` or `>`.
    fn block_text(&mut self) -> Value {
        let mut text = String::new();
        while let Some(line) = self.below().filter(|line| !line.text.starts_with('#')) {
            self.at += 1;
            if !text.is_empty() {
                text.push('\n');
            }
            text.push_str(line.text.trim());
        }
        Value::Scalar(format!("\"{}\"", text.trim().replace('\\', "\\\\").replace('"', "\\\"")))
    }
}

impl Value {
    /// One text.
    fn text(self, line: usize) -> Result<String, HeadFault> {
        match self {
            Self::Scalar(text) => Ok(unquoted(&text)),
            Self::List(items) if items.is_empty() => Ok(String::new()),
            Self::List(_) => Err(HeadFault::Unclear { line, expected: "one text, not a list" }),
        }
    }

    /// Several: a scalar splits at its commas, quoted as a whole or not.
    fn list(self, line: usize) -> Result<Vec<String>, HeadFault> {
        let scalars = match self {
            Self::Scalar(text) if matches!(text.as_str(), "null" | "~") => Vec::new(),
            Self::Scalar(text) => vec![text],
            Self::List(items) => items,
        };
        let mut list = Vec::new();
        for scalar in scalars {
            let whole = if is_quoted(&scalar) { unquoted(&scalar) } else { scalar };
            for item in split(&whole) {
                if !is_quoted(item) && (item.starts_with('\'') || item.contains('"')) {
                    return Err(HeadFault::Unclear { line, expected: "quotes around each pattern, or none" });
                }
                list.extend(Some(unquoted(item)).filter(|item| !item.is_empty()));
            }
        }
        Ok(list)
    }
}

/// The key of a line that begins with one, and the text behind its colon.
fn key_of(line: &str) -> Option<(&str, &str)> {
    let (key, value) = line.split_once(':')?;
    let bare = key.trim_end();
    let quoted = |mark| bare.strip_prefix(mark).and_then(|key: &str| key.strip_suffix(mark));
    let bare = quoted('"').or_else(|| quoted('\'')).unwrap_or(bare);
    let is_plain = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.');
    let is_key = !bare.is_empty() && bare.chars().all(is_plain) && !is_item(line);
    let is_value = value.is_empty() || value.starts_with([' ', '\t']);
    (is_key && is_value).then_some((bare, value))
}

fn is_item(line: &str) -> bool {
    line.trim_start().strip_prefix('-').is_some_and(|rest| rest.is_empty() || rest.starts_with([' ', '\t']))
}

/// The text before a `#` that follows a blank, outside of quotes.
fn without_comment(text: &str) -> &str {
    let mut quote = None;
    let mut before = ' ';
    for (at, c) in text.char_indices() {
        match (quote, c) {
            (None, '#') if before.is_whitespace() => return text.get(..at).unwrap_or_default(),
            // An apostrophe in a word begins nothing.
            (None, '"' | '\'') if !before.is_alphanumeric() => quote = Some(c),
            (Some(open), c) if open == c && before != '\\' => quote = None,
            _ => {}
        }
        before = c;
    }
    text
}

/// The `]` that closes the `[` at the beginning.
fn closing_bracket(text: &str) -> Option<usize> {
    Brackets::default().end_in(text)
}

/// Where in a flow list a reader stands.
struct Brackets {
    depth: usize,
    quote: Option<char>,
    before: char,
}

impl Default for Brackets {
    fn default() -> Self {
        Self { depth: 0, quote: None, before: ' ' }
    }
}

impl Brackets {
    /// The `]` that closes the first `[`, if it is in this text, which goes on from the last one.
    fn end_in(&mut self, text: &str) -> Option<usize> {
        for (at, c) in text.char_indices() {
            match (self.quote, c) {
                (None, '"' | '\'') if matches!(self.before, ' ' | ',' | '[' | '\t') => self.quote = Some(c),
                (Some(open), c) if open == c && self.before != '\\' => self.quote = None,
                (None, '[') => self.depth += 1,
                (None, ']') => {
                    self.depth = self.depth.saturating_sub(1);
                    if self.depth == 0 {
                        return Some(at);
                    }
                }
                _ => {}
            }
            self.before = c;
        }
        None
    }
}

/// At commas and line ends outside of braces, brackets and quotes; each part trimmed.
fn split(text: &str) -> Vec<&str> {
    let (mut parts, mut from) = (Vec::new(), 0);
    let (mut depth, mut quote) = (0_usize, None);
    let mut begins = true;
    for (at, c) in text.char_indices() {
        match (quote, c) {
            (None, '"' | '\'') if begins => quote = Some(c),
            (Some(open), c) if open == c => quote = None,
            (None, '{' | '[') => depth += 1,
            (None, '}' | ']') => depth = depth.saturating_sub(1),
            (None, ',' | '\n') if depth == 0 => {
                parts.push(text.get(from..at).unwrap_or_default().trim());
                from = at + 1;
            }
            _ => {}
        }
        begins = from > at || begins && c.is_whitespace();
    }
    parts.push(text.get(from..).unwrap_or_default().trim());
    // A brace that nothing closes takes no commas with it.
    if depth > 0 && parts.len() == 1 && text.contains(',') && !text.contains(['}', ']']) {
        return text.split(',').map(str::trim).collect();
    }
    parts
}

/// Whether one pair of quotes is around all of it.
fn is_quoted(text: &str) -> bool {
    ['"', '\''].into_iter().any(|mark| {
        let inside = text.strip_prefix(mark).and_then(|text| text.strip_suffix(mark));
        inside.is_some_and(|inside| {
            !inside.replace("\\\\", "").replace("\\\"", "").replace("''", "").contains(mark)
        })
    })
}

/// The text that a scalar stands for.
fn unquoted(text: impl AsRef<str>) -> String {
    let text = text.as_ref();
    let inside = |mark| text.strip_prefix(mark).and_then(|text: &str| text.strip_suffix(mark));
    if let Some(inside) = inside('\'').filter(|_| is_quoted(text)) {
        return inside.replace("''", "'");
    }
    let Some(inside) = inside('"').filter(|_| is_quoted(text)) else { return text.to_owned() };
    let mut plain = String::with_capacity(inside.len());
    let mut chars = inside.chars();
    while let Some(c) = chars.next() {
        match (c, c == '\\') {
            (_, false) => plain.push(c),
            _ => match chars.next() {
                Some('n') => plain.push('\n'),
                Some('t') => plain.push('\t'),
                // Of a pattern: `\[` stays, for globs to read.
                Some(next) if !matches!(next, '"' | '\\' | '/') => plain.extend(['\\', next]),
                Some(next) => plain.push(next),
                None => plain.push('\\'),
            },
        }
    }
    plain
}
