//! Where values come from, and which wins.

use crate::nearest::nearest;
use std::io::Read as _;
use std::path::{Component, Path, PathBuf};

use figment::Figment;
use figment::error::{Actual, Error, Kind};
use figment::value::{Dict, Empty, Value};

use super::document::{self, Fault};
use super::environment::Environment;
use super::error::{ConfigError, Origin, Position, one_line};
use super::home;
use super::keys;
use super::layer::{Layer, Numbered, nest};
use super::model::Config;
use super::{parse, policy};

/// The sources of a [`Config`]. Later ones in this list win, key by key:
///
/// 1. our defaults, for every key but `max_bytes`;
/// 2. the host's own defaults ([`fallback`](Self::fallback));
/// 3. TOML files, in the order in which they are added ([`file`](Self::file), [`text`](Self::text));
/// 4. environment variables ([`environment`](Self::environment));
/// 5. explicit values, in the order in which they are added ([`set`](Self::set)).
///
/// Sentences of `wording` win one by one. A list is one value: the later list stands alone.
#[derive(Clone, Debug, Default)]
#[must_use = "call `load`"]
pub struct Sources {
    fallbacks: Vec<(Origin, Dict)>,
    files: Vec<(PathBuf, String)>,
    environment: Environment,
    explicit: Vec<(Origin, Dict)>,
}

/// The most bytes of a file that is read as configuration.
const MAX_FILE: u64 = 1 << 20;

impl Sources {
    /// Our defaults alone, which lack `max_bytes`.
    pub fn new() -> Self {
        Self::default()
    }

    /// The host's default of one key; a dot goes into a table (`wording.introduction`).
    pub fn fallback(mut self, key: &str, value: impl Into<serde_json::Value>) -> Self {
        self.fallbacks.push((Origin::Fallback, dict(key, value.into())));
        self
    }

    /// A TOML file that the host has read, under the name that errors give it.
    pub fn text(mut self, path: impl Into<PathBuf>, toml: impl Into<String>) -> Self {
        self.files.push((path.into(), toml.into()));
        self
    }

    /// Reads a TOML file now, blocking: a regular file, links followed, of at most 1 MiB, in UTF-8. A
    /// byte-order mark is no content.
    ///
    /// # Errors
    /// [`ConfigError::Unreadable`], also when there is no such file.
    pub fn file(self, path: impl Into<PathBuf>) -> Result<Self, ConfigError> {
        let path = path.into();
        match read(&path) {
            Ok(text) => Ok(self.text(path, text)),
            Err(reason) => Err(ConfigError::Unreadable { path, reason }),
        }
    }

    /// The environment variables, in place of those given before.
    pub fn environment(mut self, environment: Environment) -> Self {
        self.environment = environment;
        self
    }

    /// One explicit value, such as an argument of the command line; `source` is its name in errors
    /// (`--max-bytes`). A dot goes into a table.
    pub fn set(mut self, key: &str, value: impl Into<serde_json::Value>, source: impl Into<String>) -> Self {
        self.explicit.push((Origin::Explicit(source.into()), dict(key, value.into())));
        self
    }

    /// A whole configuration as explicit values, such as that of a scenario. Keys are taken as they
    /// stand, without meaning in dots.
    pub fn set_all(
        mut self,
        values: serde_json::Map<String, serde_json::Value>,
        source: impl Into<String>,
    ) -> Self {
        let values = values.into_iter().map(|(key, value)| (key, figment_value(value))).collect();
        self.explicit.push((Origin::Explicit(source.into()), values));
        self
    }

    /// The text of a file that was added, by the name it was added under: what a
    /// [`Position`]'s span lies in.
    pub fn text_of(&self, path: &std::path::Path) -> Option<&str> {
        self.files.iter().rev().find(|(known, _)| known == path).map(|(_, text)| text.as_str())
    }

    /// The configuration.
    ///
    /// # Errors
    /// The first fault: a file that is no TOML, an unknown key, a value of a wrong type or without
    /// meaning, `max_bytes` set nowhere, a gated id taken twice, a row of the policy that would never fit.
    pub fn load(&self) -> Result<Config, ConfigError> {
        let layers = self.layers()?;
        let merged = layers
            .iter()
            .enumerate()
            .fold(Figment::new(), |figment, (number, layer)| figment.merge(Numbered(number, layer)));
        let mut config: Config = merged.extract().map_err(|error| explain(&layers, error))?;
        let invalid = |path: &[String], expected: String, found: String| {
            let list = path.first().and_then(|list| merged.find_metadata(list));
            let layer = list.and_then(|metadata| layer(&layers, &metadata.name));
            ConfigError::InvalidValue {
                key: key_text(path),
                origin: layer.map_or(Origin::Fallback, |layer| layer.origin_of(path, false)),
                expected: expected.into(),
                found: found.into(),
                nearest: None,
            }
        };
        let gated = config.gated.iter().enumerate().map(|(index, entry)| ("gated", index, &entry.id));
        let rules = config.rules.iter().enumerate().map(|(index, entry)| ("rules", index, &entry.id));
        let mut seen: Vec<(&str, usize, &String)> = Vec::new();
        for (list, index, id) in gated.chain(rules) {
            if let Some((list_of_first, first, _)) = seen.iter().find(|(_, _, known)| *known == id) {
                let path = [list.to_owned(), index.to_string(), "id".to_owned()];
                let expected = format!("an id of its own: {list_of_first}[{first}] has this one");
                return Err(invalid(&path, expected, format!("\"{}\"", one_line(id))));
            }
            seen.push((list, index, id));
        }
        for (index, row) in config.policy.iter().enumerate() {
            if let Some((position, part)) = row.impossible_part() {
                let path = ["policy".to_owned(), index.to_string(), "parts".to_owned(), position.to_string()];
                let expected = format!("a part that \"{}\" has", one_line(&row.injector));
                return Err(invalid(&path, expected, format!("\"{part}\"")));
            }
        }
        for folder in config.ceiling_directories.iter_mut().chain(&mut config.import_roots) {
            // What cannot be expanded is relative, which has its warning.
            if let Some(expanded) = home::expand(folder, &self.environment) {
                *folder = expanded;
            }
        }
        Ok(config)
    }

    /// Refuses a configuration of these sources with a gated file that any session would be shown (I5), as
    /// [`EngineBuilder::build`](crate::EngineBuilder::build) does, and says where it was set.
    ///
    /// # Errors
    /// [`ConfigError::Trap`] for the first one, and the faults of [`load`](Self::load).
    pub fn refuse_traps(&self, config: &Config) -> Result<(), ConfigError> {
        let traps = config.gated_traps().unwrap_or_default();
        let Some(trap) = traps.into_iter().next() else { return Ok(()) };
        let plain = |file: &str| -> PathBuf {
            Path::new(file).components().filter(|part| *part != Component::CurDir).collect()
        };
        let of_entry = config.gated.iter().position(|entry| entry.id == trap.id);
        let files = of_entry.and_then(|index| config.gated.get(index)).map(|entry| entry.files.as_slice());
        let of_file = files.unwrap_or_default().iter().position(|file| plain(file) == trap.path);
        let number = |index: Option<usize>| index.unwrap_or_default().to_string();
        let path = ["gated".to_owned(), number(of_entry), "files".to_owned(), number(of_file)];
        let layers = self.layers()?;
        let layer = layers.iter().rev().find(|layer| layer.values.contains_key("gated"));
        let origin = layer.map_or(Origin::Fallback, |layer| layer.origin_of(&path, false));
        Err(ConfigError::Trap { key: key_text(&path), origin, trap: Box::new(trap) })
    }

    /// Every source but our defaults, weakest first.
    fn layers(&self) -> Result<Vec<Layer>, ConfigError> {
        let plain = |(origin, values): &(Origin, Dict)| Layer {
            origin: origin.clone(),
            values: values.clone(),
            places: None,
        };
        let mut layers: Vec<Layer> = self.fallbacks.iter().map(plain).collect();
        for (path, text) in &self.files {
            let origin = |at| Origin::File { path: path.clone(), at };
            let (values, entries) = document::document(text).map_err(|fault: Fault| {
                fault.into_error(&[], |span| origin(span.map(|span| Box::new(Position::of(text, span)))))
            })?;
            layers.push(Layer { origin: origin(None), values, places: Some((text.clone(), entries)) });
        }
        layers.extend(self.environment.layers()?.iter().map(plain));
        layers.extend(self.explicit.iter().map(plain));
        Ok(layers)
    }
}

fn dict(key: &str, value: serde_json::Value) -> Dict {
    nest(key, figment_value(value))
}

/// By hand: under serde_json's `arbitrary_precision`, which another crate of the host may switch on,
/// a number serialises as a table.
fn figment_value(value: serde_json::Value) -> Value {
    use serde_json::Value as Json;
    match value {
        Json::Null => Value::from(Empty::None),
        Json::Bool(value) => Value::from(value),
        Json::String(text) => Value::from(text),
        Json::Number(number) => match (number.as_u64(), number.as_i64(), number.as_f64()) {
            (Some(number), ..) => Value::from(number),
            (_, Some(number), _) => Value::from(number),
            (.., Some(number)) => Value::from(number),
            // Beyond what a float can say: no key takes it, and the message shows it.
            _ => Value::from(number.to_string()),
        },
        Json::Array(items) => Value::from(items.into_iter().map(figment_value).collect::<Vec<_>>()),
        Json::Object(entries) => {
            Value::from(entries.into_iter().map(|(key, value)| (key, figment_value(value))).collect::<Dict>())
        }
    }
}

fn read(path: &std::path::Path) -> Result<String, String> {
    // Without the number of the operating system's error, which says the same.
    let reason = |error: std::io::Error| {
        let text = error.to_string();
        text.split_once(" (os error").map_or(&*text, |(reason, _)| reason).to_lowercase()
    };
    let metadata = std::fs::metadata(path).map_err(reason)?;
    if !metadata.is_file() {
        return Err("not a regular file".to_owned());
    }
    let file = std::fs::File::open(path).map_err(reason)?;
    let mut bytes = Vec::new();
    file.take(MAX_FILE + 1).read_to_end(&mut bytes).map_err(reason)?;
    if bytes.len() as u64 > MAX_FILE {
        return Err(format!("larger than {MAX_FILE} bytes, which no configuration is"));
    }
    let text = String::from_utf8(bytes);
    let text =
        text.map_err(|error| format!("not UTF-8, from byte {} on", error.utf8_error().valid_up_to()))?;
    Ok(text.strip_prefix('\u{feff}').map(str::to_owned).unwrap_or(text))
}

fn layer<'l>(layers: &'l [Layer], number: &str) -> Option<&'l Layer> {
    layers.get(number.parse::<usize>().ok()?)
}

/// Figment's error as ours: path to key, tag to place.
fn explain(layers: &[Layer], error: Error) -> ConfigError {
    let path = error.path;
    let layer = error.metadata.as_ref().and_then(|metadata| layer(layers, &metadata.name));
    let place = |key: bool| layer.map_or(Origin::Fallback, |layer| layer.origin_of(&path, key));
    let key = key_text(&path);
    let wrong_type = |found: String, expected: String| ConfigError::WrongType {
        key: key.clone(),
        origin: place(false),
        expected: plain(expected).into(),
        found: found.into(),
    };
    let invalid = |found: String, expected: String, nearest: Option<String>| ConfigError::InvalidValue {
        key: key.clone(),
        origin: place(false),
        expected: expected.into(),
        found: found.into(),
        nearest,
    };
    match error.kind {
        Kind::UnknownField(name, siblings) => {
            let table = path.split_last().map_or(&[][..], |(_, table)| table);
            let near = keys::nearest_key(&name, siblings);
            let nearest = near.map(|near| match siblings.contains(&near.as_str()) && !table.is_empty() {
                true => format!("{}.{near}", key_text(table)),
                false => near,
            });
            ConfigError::UnknownKey { key, origin: place(true), nearest, known: siblings }
        }
        Kind::MissingField(name) => {
            let missing: Vec<String> = path.iter().cloned().chain([name.into_owned()]).collect();
            let looked = match path.is_empty() {
                false => vec![place(true)],
                true => layers.iter().map(|layer| layer.origin.clone()).collect(),
            };
            ConfigError::MissingKey { key: key_text(&missing), looked }
        }
        Kind::InvalidType(found, expected) => wrong_type(found_text(&found), expected),
        Kind::InvalidValue(found, expected) => {
            let near = match (&found, key.as_str()) {
                (Actual::Str(found), "home") => nearest(found, home::words()),
                (Actual::Str(found), key) if key.ends_with("].admit") => {
                    nearest(found, policy::WORDS.iter().copied())
                }
                _ => None,
            };
            invalid(found_text(&found), expected, near.map(str::to_owned))
        }
        Kind::InvalidLength(length, expected) => {
            let found = if length == 0 { "empty".to_owned() } else { format!("of length {length}") };
            invalid(found, expected, None)
        }
        Kind::UnknownVariant(found, words) => {
            let near = nearest(&found, words.iter().copied()).map(str::to_owned);
            invalid(format!("\"{}\"", one_line(&found)), parse::one_of(words), near)
        }
        // No value of ours is refused in these ways; should one be, figment says it.
        other => wrong_type("not usable".to_owned(), one_line(&other.to_string())),
    }
}

/// `gated[0].files[1]`.
pub(super) fn key_text(path: &[String]) -> String {
    let mut text = String::new();
    for (index, part) in path.iter().enumerate() {
        let is_position = index > 0 && !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
        if is_position {
            text.push_str(&format!("[{part}]"));
        } else {
            text.push_str(if index == 0 { "" } else { "." });
            text.push_str(part);
        }
    }
    text
}

fn plain(expected: String) -> String {
    match expected.as_str() {
        "a sequence" => "a list".to_owned(),
        "a string" => "text".to_owned(),
        "path string" => "a path".to_owned(),
        _ => expected,
    }
}

fn found_text(found: &Actual) -> String {
    match found {
        Actual::Bool(value) => value.to_string(),
        Actual::Unsigned(number) => number.to_string(),
        Actual::Signed(number) => number.to_string(),
        Actual::Float(number) => number.to_string(),
        Actual::Str(text) => format!("\"{}\"", one_line(text)),
        Actual::Seq => "a list".to_owned(),
        Actual::Map => "a table".to_owned(),
        Actual::Unit | Actual::Option => "nothing".to_owned(),
        other => one_line(&other.to_string()),
    }
}
