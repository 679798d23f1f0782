//! A TOML document as a figment value, and where in it each key and value stands.

use std::collections::HashMap;
use std::ops::Range;

use figment::value::{Dict, Num, Tag, Value};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::error::{ConfigError, Origin};

/// Where an entry stands, in bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Entry {
    /// The key; for an element of a list, the element.
    pub(super) key: Range<usize>,
    pub(super) value: Range<usize>,
}

/// By path from the top; elements of lists by their index.
pub(super) type Entries = HashMap<Vec<String>, Entry>;

/// Why a text is of no use.
pub(super) enum Fault {
    /// It is no TOML.
    Syntax { reason: String, span: Option<Range<usize>> },
    /// There is a date in it, which no key takes and figment has no value for.
    Date { path: Vec<String>, span: Range<usize> },
}

/// Parses a whole document.
pub(super) fn document(text: &str) -> Result<(Dict, Entries), Fault> {
    let parsed = DeTable::parse(text).map_err(|error| fault(&error))?;
    let mut entries = Entries::new();
    let dict = dict(parsed.get_ref(), &mut Vec::new(), &mut entries)?;
    Ok((dict, entries))
}

/// Parses one value.
pub(super) fn value(text: &str) -> Result<Value, Fault> {
    let parsed = DeValue::parse(text).map_err(|error| fault(&error))?;
    convert(&parsed, &mut Vec::new(), &mut Entries::new())
}

fn fault(error: &toml::de::Error) -> Fault {
    Fault::Syntax { reason: error.message().to_owned(), span: error.span() }
}

fn dict(table: &DeTable<'_>, path: &mut Vec<String>, entries: &mut Entries) -> Result<Dict, Fault> {
    let mut dict = Dict::new();
    for (key, value) in table.iter() {
        let name = key.get_ref().to_string();
        path.push(name.clone());
        entries.insert(path.clone(), Entry { key: key.span(), value: value.span() });
        dict.insert(name, convert(value, path, entries)?);
        path.pop();
    }
    Ok(dict)
}

fn convert(
    value: &Spanned<DeValue<'_>>,
    path: &mut Vec<String>,
    entries: &mut Entries,
) -> Result<Value, Fault> {
    let tag = Tag::Default;
    Ok(match value.get_ref() {
        DeValue::String(text) => Value::String(tag, text.to_string()),
        DeValue::Boolean(bool) => Value::Bool(tag, *bool),
        DeValue::Integer(number) => {
            let (digits, radix) = (number.as_str(), number.radix());
            let unsigned = u64::from_str_radix(digits, radix).map(Num::U64).ok();
            let signed = || i64::from_str_radix(digits, radix).map(Num::I64).ok();
            // Beyond 64 bits it is as good as any number that is too large.
            let large = || Num::F64(digits.parse().unwrap_or(f64::INFINITY));
            Value::Num(tag, unsigned.or_else(signed).unwrap_or_else(large))
        }
        DeValue::Float(number) => Value::Num(tag, Num::F64(number.as_str().parse().unwrap_or(f64::INFINITY))),
        DeValue::Datetime(_) => return Err(Fault::Date { path: path.clone(), span: value.span() }),
        DeValue::Table(table) => Value::Dict(tag, self::dict(table, path, entries)?),
        DeValue::Array(array) => {
            let mut list = Vec::new();
            for (index, element) in array.iter().enumerate() {
                path.push(index.to_string());
                entries.insert(path.clone(), Entry { key: element.span(), value: element.span() });
                list.push(convert(element, path, entries)?);
                path.pop();
            }
            Value::Array(tag, list)
        }
    })
}

impl Fault {
    /// The error, `origin` being where the fault's span lies.
    pub(super) fn into_error(
        self,
        key: &[String],
        origin: impl FnOnce(Option<Range<usize>>) -> Origin,
    ) -> ConfigError {
        match self {
            Self::Syntax { reason, span } => ConfigError::Syntax { origin: origin(span), reason },
            Self::Date { path, span } => ConfigError::WrongType {
                key: super::sources::key_text(&[key, &path].concat()),
                origin: origin(Some(span)),
                expected: "text, a number, a list or a table".into(),
                found: "a date".into(),
            },
        }
    }
}
