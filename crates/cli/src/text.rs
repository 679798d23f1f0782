//! Text for people: numbers, columns, lines.

use unicode_width::UnicodeWidthStr;

/// Columns that a text takes.
pub(crate) fn width(text: &str) -> usize {
    text.width()
}

/// With a comma before each three digits.
pub(crate) fn number(number: u64) -> String {
    let digits = number.to_string();
    let mut grouped = String::with_capacity(digits.len() + digits.len() / 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}

/// So many of these.
pub(crate) fn count(count: usize, one: &str, many: &str) -> String {
    format!("{} {}", number(count as u64), if count == 1 { one } else { many })
}

/// In lines of at most so many columns, broken at blanks; a longer word stands alone, whole.
pub(crate) fn wrap(text: &str, columns: usize) -> Vec<String> {
    let mut lines = Vec::new();
    let mut line = String::new();
    for word in text.split(' ') {
        if !line.is_empty() && width(&line) + 1 + width(word) > columns {
            lines.push(std::mem::take(&mut line));
        }
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
    }
    lines.push(line);
    lines
}

/// Blanks up to a column.
pub(crate) fn pad(text: &str, columns: usize) -> String {
    " ".repeat(columns.saturating_sub(width(text)))
}
