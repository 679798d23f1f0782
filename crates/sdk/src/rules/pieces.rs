//! The small grammar below the lines of a head: keys, quotes, and texts between commas (F4).

use std::borrow::Cow;

/// What the text is that pieces are taken from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Source {
    /// A plain value: ` #` begins a comment.
    Plain,
    /// What follows the `[` of a flow list: the same, and `]` ends the list.
    List,
    /// What stood in quotes: `#` is text.
    Quoted,
}

/// The pieces of a text.
#[derive(Debug, Default)]
pub(super) struct Pieces {
    pub(super) texts: Vec<String>,
    pub(super) any_quoted: bool,
    /// Of a list that ends: the byte behind its `]`.
    pub(super) end: Option<usize>,
}

/// What was expected, and at which byte.
pub(super) type Fault = (usize, Cow<'static, str>);

/// Splits at commas and line ends outside braces, brackets and quotes. Blank pieces are left out. A quote
/// counts where a piece begins; a backslash keeps the next character from counting, and both stay.
///
/// A list has no end where a line comes first that is a key of the head.
///
/// # Errors
/// A quote has no end, or more than a comma stands behind it.
pub(super) fn pieces(text: &str, source: Source) -> Result<Pieces, Fault> {
    let mut found = Pieces::default();
    let (mut depth, mut from, mut at) = (0_usize, 0, 0);
    let mut after_blank = true;
    while let Some(c) = rest(text, at).chars().next() {
        let next = at + c.len_utf8();
        let begins = || text.get(from..at).is_some_and(|piece| piece.trim().is_empty());
        match c {
            '"' | '\'' if depth == 0 && begins() => {
                let Some((quoted, len)) = unquoted(rest(text, at)) else {
                    return Err((at, "a closing quote".into()));
                };
                found.texts.push(quoted);
                found.any_quoted = true;
                let behind = rest(text, at + len);
                let trimmed = behind.trim_start_matches([' ', '\t', '\r']);
                at = text.len() - trimmed.len();
                from = at;
                after_blank = trimmed.len() < behind.len();
                match trimmed.chars().next() {
                    None | Some(',' | '\n') => {}
                    Some(']') if source == Source::List => {}
                    Some('#') if after_blank && source != Source::Quoted => {}
                    Some(_) => return Err((at, "a comma, or nothing, behind the closing quote".into())),
                }
                continue;
            }
            '#' if after_blank && source != Source::Quoted => {
                found.push(text.get(from..at));
                at = rest(text, at).find('\n').map_or(text.len(), |len| at + len);
                from = at;
                continue;
            }
            '\n' if source == Source::List && is_key(rest(text, next).lines().next().unwrap_or("")) => {
                return Ok(found);
            }
            ']' if depth == 0 && source == Source::List => {
                found.push(text.get(from..at));
                found.end = Some(next);
                return Ok(found);
            }
            ',' | '\n' if depth == 0 => {
                found.push(text.get(from..at));
                from = next;
            }
            '[' | '{' => depth += 1,
            ']' | '}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        after_blank = c.is_whitespace();
        at = if c == '\\' { next + rest(text, next).chars().next().map_or(0, char::len_utf8) } else { next };
    }
    found.push(text.get(from..));
    Ok(found)
}

impl Pieces {
    fn push(&mut self, piece: Option<&str>) {
        self.texts.extend(piece.map(str::trim).filter(|piece| !piece.is_empty()).map(str::to_owned));
    }
}

fn rest(text: &str, at: usize) -> &str {
    text.get(at..).unwrap_or("")
}

/// What stands in the quotes that `text` begins with, and the bytes that they take. Line ends in quotes
/// are a blank, where the next line is indented. A backslash that begins no escape of double quotes stays.
pub(super) fn unquoted(text: &str) -> Option<(String, usize)> {
    let mut chars = text.char_indices().peekable();
    let (_, quote) = chars.next()?;
    let mut inside = String::new();
    while let Some((at, c)) = chars.next() {
        match c {
            '\'' if quote == '\'' && chars.next_if(|&(_, next)| next == '\'').is_some() => inside.push('\''),
            c if c == quote => return Some((inside, at + 1)),
            '\\' if quote == '"' => {
                let (_, kind) = chars.next()?;
                let digits = match kind {
                    'x' => 2,
                    'u' => 4,
                    'U' => 8,
                    _ => 0,
                };
                let hex = text.get(at + 2..at + 2 + digits).filter(|hex| !hex.is_empty());
                let code = hex.and_then(|hex| u32::from_str_radix(hex, 16).ok()).and_then(char::from_u32);
                match (code, escaped(kind)) {
                    (Some(c), _) => {
                        inside.push(c);
                        chars.nth(digits - 1);
                    }
                    (None, Some(c)) => inside.push(c),
                    (None, None) => inside.extend(['\\', kind]),
                }
            }
            '\n' => {
                // A line that is not indented is the next key, or no YAML either.
                chars.peek().filter(|(_, next)| next.is_whitespace())?;
                inside.truncate(inside.trim_end().len());
                inside.push(' ');
                while chars.next_if(|&(_, next)| next.is_whitespace()).is_some() {}
            }
            c => inside.push(c),
        }
    }
    None
}

/// What a backslash and `kind` stand for in double quotes.
fn escaped(kind: char) -> Option<char> {
    Some(match kind {
        '"' | '\\' | '/' | ' ' => kind,
        '0' => '\0',
        'a' => '\u{7}',
        'b' => '\u{8}',
        't' => '\t',
        'n' => '\n',
        'v' => '\u{b}',
        'f' => '\u{c}',
        'r' => '\r',
        'e' => '\u{1b}',
        'N' => '\u{85}',
        '_' => '\u{a0}',
        'L' => '\u{2028}',
        'P' => '\u{2029}',
        _ => return None,
    })
}

/// Whether a line begins with a word and a colon, as keys do.
pub(super) fn is_key(line: &str) -> bool {
    let word = |key: &str| key.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-'));
    split_key(line).is_some_and(|(key, _)| !key.is_empty() && word(key))
}

/// A key and what follows its colon, which a blank or the line's end follows.
pub(super) fn split_key(line: &str) -> Option<(&str, &str)> {
    let mut colons = line.match_indices(':').map(|(at, _)| (line.get(..at), line.get(at + 1..)));
    colons.find_map(|pair| match pair {
        (Some(key), Some(value)) if value.is_empty() || value.starts_with([' ', '\t']) => {
            Some((key.trim_end(), value.trim()))
        }
        _ => None,
    })
}
