//! A slow reader of R4 and R9, written from their words alone: it tries every character as a beginning, in
//! each reading, for each name, and takes what Unicode says from another library.

use std::cell::RefCell;
use std::collections::{BTreeSet, HashMap};

use regex::Regex;
use unicode_normalization::UnicodeNormalization;

/// What is left of a text when a careful reader has read it.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Token {
    /// ASCII in lower case, and whether it is written so.
    Ascii(char, bool),
    /// Not seen in a word, blank behind one.
    Gap,
    Blank,
    LineEnd,
    /// A tag character that is not read: not seen in a word, and the end of one.
    Tag,
    /// Any other character, and whether it is a letter or digit.
    Other(bool),
}

struct Place {
    token: Token,
    begins: usize,
    ends: usize,
}

const LINE_ENDS: [char; 7] = ['\n', '\r', '\u{b}', '\u{c}', '\u{85}', '\u{2028}', '\u{2029}'];

fn tokens_of(c: char, tag_characters: bool) -> Vec<Token> {
    thread_local!(static KNOWN: RefCell<HashMap<(char, bool), Vec<Token>>> = RefCell::default());
    if c.is_ascii_graphic() {
        return vec![Token::Ascii(c.to_ascii_lowercase(), true)];
    }
    KNOWN.with_borrow_mut(|known| {
        known.entry((c, tag_characters)).or_insert_with(|| read(c, tag_characters)).clone()
    })
}

/// The readings that a text has: two where it has tag characters.
fn readings(text: &str) -> &'static [bool] {
    let two = text.contains(|c| ('\u{e0000}'..='\u{e007f}').contains(&c));
    if two { &[false, true] } else { &[false] }
}

fn read(c: char, tag_characters: bool) -> Vec<Token> {
    let is = |class: &str, c: char| Regex::new(&format!("^{class}$")).unwrap().is_match(&c.to_string());
    if ('\u{e0020}'..='\u{e007e}').contains(&c) {
        let stands_for = char::from_u32(u32::from(c) - 0xe0000).unwrap();
        return if tag_characters { read(stands_for, true) } else { vec![Token::Tag] };
    }
    if c == '\n' || c == '\r' || c == '\u{2028}' || c == '\u{2029}' {
        return vec![Token::LineEnd];
    }
    if "\t\u{b}\u{c}\u{85}\u{115f}\u{1160}\u{3164}\u{ffa0}\u{2800}".contains(c) {
        return vec![Token::Gap];
    }
    if is(r"[\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]", c) {
        return vec![];
    }
    if is(r"\p{White_Space}", c) {
        return vec![Token::Blank];
    }
    let form: String = c.nfkc().collect();
    // Capitals are ASCII for some letters only, small ones for others; `İ` has a mark besides.
    let folded = [
        form.to_lowercase(),
        form.to_uppercase().to_lowercase(),
        form.to_lowercase().to_uppercase().to_lowercase(),
        if c == 'İ' { "i".to_owned() } else { form.clone() },
    ];
    if form.chars().count() == 1 && is(r"[\p{Pd}\u{2212}]", form.chars().next().unwrap()) {
        return vec![Token::Ascii('-', c.is_ascii())];
    }
    match folded.iter().find(|folded| folded.is_ascii()) {
        Some(ascii) => {
            ascii.to_lowercase().chars().map(|letter| Token::Ascii(letter, c.is_ascii())).collect()
        }
        None => vec![Token::Other(c.is_alphanumeric())],
    }
}

fn tokens(text: &str, tag_characters: bool) -> Vec<Place> {
    let places = text.char_indices().flat_map(|(begins, c)| {
        let ends = begins + c.len_utf8();
        tokens_of(c, tag_characters).into_iter().map(move |token| Place { token, begins, ends })
    });
    places.collect()
}

struct Reading<'t> {
    places: &'t [Place],
}

impl Reading<'_> {
    fn at(&self, at: usize) -> Option<Token> {
        self.places.get(at).map(|place| place.token)
    }

    /// Past what is not seen in a word.
    fn seen(&self, mut at: usize) -> usize {
        while matches!(self.at(at), Some(Token::Gap | Token::Tag)) {
            at += 1;
        }
        at
    }

    fn word(&self, mut at: usize, word: &str) -> Option<usize> {
        for letter in word.chars() {
            at = self.seen(at);
            match self.at(at) {
                Some(Token::Ascii(found, _)) if found.eq_ignore_ascii_case(&letter) => at += 1,
                _ => return None,
            }
        }
        Some(at)
    }

    /// `&` and whatever follows that makes it an entity with this name or number.
    fn entity(&self, at: usize, name: &str, number: u32) -> Option<usize> {
        let mut at = self.word(at, "&")?;
        while let Some(next) = self.rest_of_entity(at, "amp", 38) {
            at = next;
        }
        self.rest_of_entity(at, name, number)
    }

    fn rest_of_entity(&self, at: usize, name: &str, number: u32) -> Option<usize> {
        let end = self.word(at, name).or_else(|| {
            let at = self.word(at, "#")?;
            let (mut at, base) = self.word(at, "x").map_or((at, 10), |at| (at, 16));
            let mut digits = String::new();
            while let Some(Token::Ascii(digit, _)) = self
                .at(self.seen(at))
                .filter(|token| matches!(token, Token::Ascii(digit, _) if digit.is_digit(base)))
            {
                digits.push(digit);
                at = self.seen(at) + 1;
            }
            (u32::from_str_radix(digits.trim_start_matches('0'), base).ok()? == number).then_some(at)
        })?;
        Some(self.word(end, ";").unwrap_or(end))
    }

    fn is_tag(&self, mut at: usize, name: &str) -> bool {
        loop {
            at = match self.at(at) {
                Some(Token::Gap | Token::Tag | Token::Blank | Token::LineEnd | Token::Ascii('/', _)) => {
                    at + 1
                }
                _ => match self.entity(at, "sol", 47) {
                    Some(end) => end,
                    None => break,
                },
            };
        }
        let Some(end) = self.word(at, name) else { return false };
        match self.at(end) {
            Some(Token::Other(word)) => !word,
            Some(Token::Ascii(letter, as_written)) => {
                !(letter.is_ascii_alphanumeric() || letter == '-' || as_written && "_.:".contains(letter))
            }
            _ => true,
        }
    }

    fn is_heading(&self, mut at: usize, heading: &str) -> bool {
        if heading.is_empty() {
            return true;
        }
        let rest = &heading[1..];
        if heading.starts_with(' ') {
            let mut blanks = 0;
            while matches!(self.at(at), Some(Token::Blank | Token::Gap | Token::Tag)) {
                blanks += usize::from(self.at(at) != Some(Token::Tag));
                at += 1;
            }
            return blanks > 0 && self.is_heading(at, rest);
        }
        self.word(at, &heading[..1]).is_some_and(|next| self.is_heading(next, rest))
    }
}

/// Where R4 puts backslashes.
pub(crate) fn tag_places(text: &str, tag: &str) -> BTreeSet<usize> {
    let mut found = BTreeSet::new();
    if !text.contains(['<', '&', '\u{ff1c}', '\u{fe64}', '\u{ff06}', '\u{fe60}', '\u{e003c}', '\u{e0026}']) {
        return found;
    }
    for &tag_characters in readings(text) {
        let places = tokens(text, tag_characters);
        let reading = Reading { places: &places };
        for at in 0..places.len() {
            let opener = match reading.at(at) {
                Some(Token::Ascii('<', _)) => Some(at + 1),
                Some(Token::Ascii('&', _)) => reading.entity(at, "lt", 60),
                _ => None,
            };
            let Some(opener) = opener else { continue };
            if [tag, "system-reminder"].iter().any(|name| reading.is_tag(opener, name)) {
                found.insert(places[opener - 1].ends);
            }
        }
    }
    found
}

/// Where R9 puts backslashes in a file's content.
pub(crate) fn heading_places(content: &str) -> BTreeSet<usize> {
    let headings = [
        "Instructions from:",
        "Additional instructions from:",
        "Updated instructions from:",
        "Instructions removed:",
        "Workspace instruction budget",
    ];
    let ends = content.char_indices().filter(|(_, c)| LINE_ENDS.contains(c));
    let lines: Vec<usize> = std::iter::once(0).chain(ends.map(|(at, c)| at + c.len_utf8())).collect();
    let mut found = BTreeSet::new();
    let plain = |c: char| c.is_ascii_graphic() || matches!(c, ' ' | '\n' | '界');
    if content.chars().all(plain) && !content.to_lowercase().contains("instruction") {
        return found;
    }
    for &tag_characters in readings(content) {
        let places = tokens(content, tag_characters);
        let reading = Reading { places: &places };
        for line in &lines {
            let line = places.partition_point(|place| place.begins < *line);
            let text = |place: &Place| matches!(place.token, Token::Ascii(..) | Token::Other(_));
            let Some(first) = places[line..].iter().position(text).map(|first| line + first) else {
                continue;
            };
            if headings.iter().any(|heading| reading.is_heading(first, heading)) {
                found.insert(places[first].begins);
            }
        }
    }
    found
}

fn marked(text: &str, places: &BTreeSet<usize>) -> String {
    let mut out = text.to_owned();
    places.iter().rev().for_each(|place| out.insert(*place, '\\'));
    out
}

pub(crate) fn neutralise(text: &str, tag: &str) -> String {
    marked(text, &tag_places(text, tag))
}

/// How many tags of any spelling are in a text.
pub(crate) fn tags(text: &str, tag: &str) -> usize {
    tag_places(text, tag).len()
}

/// R9 alone.
pub(crate) fn unforged(content: &str) -> String {
    thread_local!(static KNOWN: RefCell<HashMap<String, String>> = RefCell::default());
    if let Some(known) = KNOWN.with_borrow(|known| known.get(content).cloned()) {
        return known;
    }
    let safe = marked(content, &heading_places(content));
    KNOWN.with_borrow_mut(|known| known.insert(content.to_owned(), safe.clone()));
    safe
}
