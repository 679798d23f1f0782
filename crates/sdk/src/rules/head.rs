//! The head of a rule: where it ends (F3), and what its keys say (F4).

use super::Dialect;
use super::pieces::{Fault, Pieces, Source, is_key, pieces, split_key, unquoted};

/// The most bytes of a head, its two marks included.
pub(super) const MAX_HEAD: usize = 64 * 1024;

/// What a rule's head says. Texts are without blanks around them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Head {
    /// The byte of the text at which the body begins.
    pub(super) body: usize,
    /// Of the dialect's pattern key, as written. `None` where the key is not there; it may be there and
    /// hold nothing.
    pub(super) patterns: Option<Vec<String>>,
    /// Cursor's `alwaysApply`.
    pub(super) always_apply: Option<bool>,
    /// Devin's `trigger`.
    pub(super) trigger: Option<Trigger>,
    pub(super) name: Option<String>,
    /// May be there and empty.
    pub(super) description: Option<String>,
    /// Copilot's `excludeAgent`.
    pub(super) exclude_agent: Vec<String>,
    /// Agent presets as in I4: a listed one admits, `!name` excludes. Ours, in every dialect.
    pub(super) agents: Vec<String>,
}

/// Values of Devin's `trigger`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Trigger {
    AlwaysOn,
    ModelDecision,
    Glob,
    Manual,
}

/// Why a head says nothing. The rule is not loaded.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum HeadFault {
    /// `head-open`.
    #[error("line 1 begins a head, and no line `---` or `...` ends it within 64 KiB")]
    Open,
    /// `head-unclear`.
    #[error("line {line}: expected {expected}")]
    Unclear {
        /// From 1, in the whole text.
        line: usize,
        expected: String,
    },
}

/// Reads the head of a rule. A text whose first line is not `---` has none, and is all body.
///
/// Keys of the dialect: `paths` (claude, plain), `globs` (cursor, devin), `applyTo` (copilot): patterns;
/// `alwaysApply` (cursor): a boolean; `trigger` (devin); `name` and `description` (cursor, copilot, devin):
/// texts; `excludeAgent` (copilot) and `agents` (all): names. Any other key is skipped with whatever it
/// holds, by indentation.
///
/// - Patterns and names are a list, in brackets or by dashes, or one value that is split at commas outside
///   braces, brackets and quotes; lines of it count as commas. A value that is all in one pair of quotes is
///   split as well, for quotes are what YAML asks for; an item in quotes is not.
/// - A value that begins with `[` is a list where `]` ends it, and a plain value else: `[a-z]*.ts`,
///   `[id]/**, src/**`. It is unclear where it looks like both.
/// - `null`, `~` and no value are the same.
/// - Indentation may be of tabs. A key that the dialect knows is given once.
///
/// # Errors
/// The head has no end, or a line of it is not in this grammar.
pub(super) fn read(dialect: Dialect, text: &str) -> Result<Head, HeadFault> {
    let start = text.len() - text.strip_prefix('\u{feff}').unwrap_or(text).len();
    let mut lines = text.get(start..).unwrap_or("").split_inclusive('\n');
    let first = lines.next().unwrap_or("");
    match without_return(first.trim_end_matches('\n')) {
        "---" => {}
        open if open.trim_end() == "---" => {
            let expected = "`---` without blanks behind it".to_owned();
            return Err(HeadFault::Unclear { line: 1, expected });
        }
        _ => return Ok(Head { body: start, ..Head::default() }),
    }
    let from = start + first.len();
    let mut end = from;
    for line in lines {
        let mark = without_return(line.trim_end_matches('\n'));
        if end + mark.len() > start + MAX_HEAD {
            break;
        }
        if matches!(mark, "---" | "...") {
            let inside = text.get(from..end).unwrap_or("");
            let mut head = Reader { dialect, text: inside, at: 0 }.read().map_err(|(at, expected)| {
                let before = inside.as_bytes().iter().take(at).filter(|&&byte| byte == b'\n').count();
                HeadFault::Unclear { line: 2 + before, expected: expected.into_owned() }
            })?;
            head.body = end + line.len();
            return Ok(head);
        }
        end += line.len();
    }
    Err(HeadFault::Open)
}

fn without_return(line: &str) -> &str {
    line.strip_suffix('\r').unwrap_or(line)
}

/// The keys that some dialect knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Key {
    Patterns,
    AlwaysApply,
    Trigger,
    Name,
    Description,
    ExcludeAgent,
    Agents,
}

impl Key {
    fn of(dialect: Dialect, key: &str) -> Option<Self> {
        use Dialect::{Copilot, Cursor, Devin};
        Some(match (key, dialect) {
            (key, _) if key == dialect.pattern_key() => Self::Patterns,
            ("alwaysApply", Cursor) => Self::AlwaysApply,
            ("trigger", Devin) => Self::Trigger,
            ("name", Cursor | Copilot | Devin) => Self::Name,
            ("description", Cursor | Copilot | Devin) => Self::Description,
            ("excludeAgent", Copilot) => Self::ExcludeAgent,
            ("agents", _) => Self::Agents,
            _ => return None,
        })
    }

    /// Whether it holds prose, in which most marks are text.
    fn is_text(self) -> bool {
        matches!(self, Self::Name | Self::Description)
    }
}

/// What stands behind a key.
enum Value<'t> {
    Empty,
    /// With its further lines, comments and quotes.
    Plain(&'t str),
    Quoted(String),
    /// Of `|` and `>`.
    Block(String),
    List(Vec<String>),
}

struct Reader<'t> {
    dialect: Dialect,
    /// Between the marks.
    text: &'t str,
    /// Where a line begins.
    at: usize,
}

impl<'t> Reader<'t> {
    fn read(mut self) -> Result<Head, Fault> {
        let mut head = Head::default();
        let mut known: Vec<Key> = Vec::new();
        while let Some(line) = self.significant_line() {
            let not_a_key = |c: char| c.is_whitespace() || "-?[]{},&*!|>%@`".contains(c);
            let (name, _) = split_key(line)
                .filter(|(name, _)| !name.is_empty() && !name.starts_with(not_a_key) && *name != "<<")
                .ok_or_else(|| (self.at, "`key: value`, from the line's first character".into()))?;
            let value = self.at + (line.len() - line.get(name.len()..).unwrap_or("").trim_start().len()) + 1;
            let name = match name.chars().next().filter(|&quote| matches!(quote, '"' | '\'')) {
                Some(quote) => name.trim_matches(quote),
                None => name,
            };
            let Some(key) = Key::of(self.dialect, name) else {
                self.skip();
                continue;
            };
            let at = self.at;
            if known.contains(&key) {
                return Err((at, format!("`{name}` once, and here it is again").into()));
            }
            known.push(key);
            let value = self.value(key, value)?;
            head.set(key, value).map_err(|expected| (at, format!("`{name}` {expected}").into()))?;
        }
        Ok(head)
    }

    /// The line at hand, without its end.
    fn line(&self) -> Option<&'t str> {
        let rest = self.text.get(self.at..).filter(|rest| !rest.is_empty())?;
        Some(without_return(rest.split('\n').next().unwrap_or(rest)))
    }

    fn advance(&mut self) {
        let rest = self.text.get(self.at..).unwrap_or("");
        self.at += rest.find('\n').map_or(rest.len(), |end| end + 1);
    }

    /// The next line that is neither blank nor a comment.
    fn significant_line(&mut self) -> Option<&'t str> {
        while let Some(line) = self.line() {
            if !matches!(line.trim_start().chars().next(), None | Some('#')) {
                return Some(line);
            }
            self.advance();
        }
        None
    }

    /// Past a key that is not known: its line, and the lines that can be no key.
    fn skip(&mut self) {
        self.advance();
        while let Some(line) = self.line() {
            let belongs = is_item(line) || line.starts_with([' ', '\t', '#', ']', '}']);
            if !(belongs || line.trim().is_empty()) {
                return;
            }
            self.advance();
        }
    }

    /// The value that begins at byte `from`, behind a colon. The reader goes past it.
    fn value(&mut self, key: Key, from: usize) -> Result<Value<'t>, Fault> {
        let rest = self.text.get(from..).unwrap_or("");
        let line = without_return(rest.split('\n').next().unwrap_or(rest));
        let mut from = from + (line.len() - line.trim_start().len());
        let mut value = line.trim();
        if let Some(header) = value.strip_prefix(['|', '>'])
            && uncommented(header).trim_end().chars().all(|c| matches!(c, '+' | '-' | '1'..='9'))
        {
            return Ok(Value::Block(self.block(value.starts_with('|'))));
        }
        if uncommented(value).is_empty() {
            self.advance();
            match self.significant_line() {
                Some(line) if is_item(line.trim_start()) => return self.block_list(),
                Some(line) if line.starts_with([' ', '\t']) => {
                    from = self.at + (line.len() - line.trim_start().len());
                    value = line.trim();
                    if is_key(value) {
                        return Err((self.at, "a value, and no key within a key".into()));
                    }
                }
                _ => return Ok(Value::Empty),
            }
        }
        let rest = self.text.get(from..).unwrap_or("");
        match value.chars().next() {
            Some('"' | '\'') => {
                let (text, len) = unquoted(rest).ok_or_else(|| (from, "a closing quote".into()))?;
                if self.ends_at(from + len) {
                    return Ok(Value::Quoted(text));
                }
            }
            Some('[') => match pieces(rest.get(1..).unwrap_or(""), Source::List) {
                Ok(Pieces { texts, end: Some(end), .. }) if self.ends_at(from + 1 + end) => {
                    return Ok(Value::List(texts));
                }
                _ if key.is_text() => {}
                Ok(list) => self.plain_bracket(from, value, &list)?,
                Err((at, expected)) => return Err((from + 1 + at, expected)),
            },
            Some('{') if !key.is_text() && is_map(value) => {
                return Err((from, "patterns or names, and no map".into()));
            }
            Some('-') if !key.is_text() && is_item(value) => {
                return Err((from, "the items of a list on lines of their own".into()));
            }
            _ if matches!(uncommented(value), "~" | "null" | "Null" | "NULL") => {
                self.advance();
                return Ok(Value::Empty);
            }
            _ => {}
        }
        self.further_lines(key)?;
        Ok(Value::Plain(self.text.get(from..self.at).unwrap_or("").trim_end()))
    }

    /// Whether nothing but a comment follows byte `at` on its line. If so the reader goes past it.
    fn ends_at(&mut self, at: usize) -> bool {
        let rest = self.text.get(at..).unwrap_or("");
        let line = without_return(rest.split('\n').next().unwrap_or(rest));
        let ends = uncommented(line).trim().is_empty() && !line.starts_with('#');
        if ends {
            self.at = at;
            self.advance();
        }
        ends
    }

    /// Whether a value that begins with `[` and is no list is meant as a plain one.
    fn plain_bracket(&self, from: usize, value: &str, list: &Pieces) -> Result<(), Fault> {
        let Some(end) = list.end.map(|end| from + 1 + end) else {
            let meant = value.len() == 1 || value.contains([',', '"', '\'']);
            return if meant { Err((from, "a `]` that ends the list".into())) } else { Ok(()) };
        };
        let bracket = self.text.get(from..end).unwrap_or("");
        let behind = value.get(bracket.len()..).unwrap_or("").trim();
        if list.any_quoted || list.texts.len() > 1 || bracket.contains('\n') || behind == "," {
            return Err((end, "nothing behind the `]` that ends the list".into()));
        }
        Ok(())
    }

    /// Past the lines that continue a plain value: those that are indented, up to a blank one.
    fn further_lines(&mut self, key: Key) -> Result<(), Fault> {
        self.advance();
        while let Some(line) = self.line().filter(|line| line.starts_with([' ', '\t'])) {
            let line = line.trim();
            match line.chars().next() {
                None => return Ok(()),
                Some('-') if !key.is_text() && is_item(line) => {
                    return Err((self.at, "a value or a list, and not both".into()));
                }
                _ if split_key(line).is_some_and(|(name, _)| Key::of(self.dialect, name).is_some()) => {
                    return Err((self.at, "the key from the line's first character".into()));
                }
                _ => self.advance(),
            }
        }
        Ok(())
    }

    /// The items of a list by dashes, which stand at one indentation.
    fn block_list(&mut self) -> Result<Value<'t>, Fault> {
        let mut items = Vec::new();
        let mut indent = None;
        while let Some(line) = self.significant_line() {
            let item = line.trim_start();
            let before = indentation(line);
            if !is_item(item) {
                if before == 0 {
                    break;
                }
                return Err((self.at, "an item of the list, which begins with `- `".into()));
            }
            if *indent.get_or_insert(before) != before {
                return Err((self.at, "the items of the list at one indentation".into()));
            }
            let item = item.strip_prefix('-').unwrap_or(item).trim();
            if is_key(item) || is_item(item) && !item.is_empty() {
                return Err((self.at, "a text as item of the list".into()));
            }
            let fault = |(_, expected)| (self.at, expected);
            if let Some(inside) = item.strip_prefix('[') {
                let list = pieces(inside, Source::List).map_err(fault)?;
                let listed = list.any_quoted || list.texts.len() > 1;
                if listed {
                    return Err((self.at, "a text as item of the list, and no list".into()));
                }
            }
            items.extend(pieces(item, Source::Plain).map_err(fault)?.texts);
            self.advance();
        }
        Ok(Value::List(items))
    }

    /// The text of `|` (lines as they are) or `>` (lines of a paragraph joined).
    fn block(&mut self, literal: bool) -> String {
        self.advance();
        let mut text = String::new();
        let mut indent = None;
        while let Some(line) = self.line() {
            let before = indentation(line);
            if before == 0 && !line.is_empty() {
                break;
            }
            if before < line.len() {
                indent.get_or_insert(before);
            }
            let line = line.get(before.min(indent.unwrap_or(before))..).unwrap_or("");
            let joined = !literal && !line.is_empty() && !text.is_empty() && !text.ends_with('\n');
            if joined {
                text.push(' ');
            }
            text.push_str(line);
            if literal || line.is_empty() {
                text.push('\n');
            }
            self.advance();
        }
        text.trim().to_owned()
    }
}

/// How many bytes of blanks and tabs a line begins with.
fn indentation(line: &str) -> usize {
    line.len() - line.trim_start_matches([' ', '\t']).len()
}

/// Whether a line, without its indentation, is an item of a list.
fn is_item(line: &str) -> bool {
    line == "-" || line.starts_with("- ") || line.starts_with("-\t")
}

/// Whether a value that begins with `{` is a map, and no pattern.
fn is_map(value: &str) -> bool {
    value.contains(": ") || value.contains("\":")
}

/// A line of plain text without its comment, trimmed.
fn uncommented(line: &str) -> &str {
    if line.starts_with('#') {
        return "";
    }
    let mut marks = line.match_indices('#');
    let comment = marks.find(|&(at, _)| line.get(..at).is_some_and(|before| before.ends_with([' ', '\t'])));
    comment.and_then(|(at, _)| line.get(..at)).unwrap_or(line).trim()
}

impl Head {
    /// # Errors
    /// What was expected of the key.
    fn set(&mut self, key: Key, value: Value<'_>) -> Result<(), String> {
        match key {
            Key::Patterns => self.patterns = Some(texts(value)?),
            Key::ExcludeAgent => self.exclude_agent = texts(value)?,
            Key::Agents => self.agents = texts(value)?,
            Key::Name => self.name = text(value)?,
            Key::Description => self.description = Some(text(value)?.unwrap_or_default()),
            Key::AlwaysApply => {
                self.always_apply = match text(value)?.map(|word| word.to_ascii_lowercase()).as_deref() {
                    None | Some("") => None,
                    Some("true") => Some(true),
                    Some("false") => Some(false),
                    Some(_) => return Err("to be `true` or `false`".to_owned()),
                }
            }
            Key::Trigger => {
                self.trigger = match text(value)?.as_deref() {
                    None | Some("") => None,
                    Some("always_on") => Some(Trigger::AlwaysOn),
                    Some("model_decision") => Some(Trigger::ModelDecision),
                    Some("glob") => Some(Trigger::Glob),
                    Some("manual") => Some(Trigger::Manual),
                    Some(_) => {
                        return Err("to be `always_on`, `model_decision`, `glob` or `manual`".to_owned());
                    }
                }
            }
        }
        Ok(())
    }
}

fn text(value: Value<'_>) -> Result<Option<String>, String> {
    match value {
        Value::Empty => Ok(None),
        Value::Plain(plain) if plain.starts_with(['"', '\'']) => {
            Err("to have nothing behind the closing quote".to_owned())
        }
        Value::Plain(plain) => {
            let lines = plain.lines().map(|line| uncommented(line.trim())).filter(|line| !line.is_empty());
            Ok(Some(lines.collect::<Vec<_>>().join(" ")))
        }
        Value::Quoted(text) | Value::Block(text) => Ok(Some(text.trim().to_owned())),
        Value::List(_) => Err("to be one text, and no list".to_owned()),
    }
}

fn texts(value: Value<'_>) -> Result<Vec<String>, String> {
    let split = match &value {
        Value::Empty => return Ok(Vec::new()),
        Value::List(texts) => {
            return Ok(texts
                .iter()
                .map(|text| text.trim().to_owned())
                .filter(|text| !text.is_empty())
                .collect());
        }
        Value::Plain(plain) => pieces(plain, Source::Plain),
        Value::Quoted(text) | Value::Block(text) => pieces(text, Source::Quoted),
    };
    split.map(|pieces| pieces.texts).map_err(|(_, expected)| format!("to have {expected}"))
}
