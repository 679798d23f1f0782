//! Why a command gives up, for people.

use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use annotate_snippets::renderer::DecorStyle;
use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};
use standing_orders::config::{ConfigError, Origin};
use standing_orders::inspect::path::shown;
use standing_orders::{EngineError, OpenError};

use crate::output::say;
use crate::terminal::Terminal;

/// Usage or input that nothing can be done with (exit status 2).
#[derive(Debug)]
pub(crate) enum Failure {
    /// A path that cannot be looked at.
    Path { path: PathBuf, error: io::Error },
    /// The configuration, and the text of the file that has the fault.
    Config { error: Box<ConfigError>, text: Option<String> },
    /// A fault of another file, and its text.
    File { path: PathBuf, text: String, fault: Box<Fault> },
    /// Anything else about the input.
    Input(String),
    /// The engine refuses the configuration.
    Engine(EngineError),
    /// The session cannot be opened.
    Open(OpenError),
    /// Standard output.
    Output(io::Error),
    /// The runtime cannot be started.
    Runtime(io::Error),
}

impl Failure {
    /// Says it on standard error. A reader that went away is no failure.
    pub(crate) fn report(&self) -> ExitCode {
        match self {
            Self::Output(error) if error.kind() == io::ErrorKind::BrokenPipe => return ExitCode::SUCCESS,
            Self::Output(error) => print(&format!("cannot write to standard output: {error}")),
            Self::Path { path, error } => print(&format!("{}: {}", shown(path), cause(path, error))),
            Self::Config { error, text } => say(snippet(error, text.as_deref())),
            Self::File { path, text, fault } => say(at_place(path, text, fault)),
            Self::Input(message) => print(message),
            Self::Engine(error) => print(&error.to_string()),
            Self::Open(error) => print(&error.to_string()),
            Self::Runtime(error) => print(&format!("cannot start: {error}")),
        }
        ExitCode::from(2)
    }
}

fn print(message: &str) {
    let report = [Group::with_title(Level::ERROR.primary_title(message))];
    say(Renderer::styled().render(&report));
}

/// Why a path cannot be looked at.
fn cause(path: &Path, error: &io::Error) -> String {
    match std::fs::read_link(path) {
        Ok(target) if error.kind() == io::ErrorKind::NotFound => {
            format!("a broken link: {} is not there", shown(&target))
        }
        _ => plain(error),
    }
}

/// Without the number of the operating system's error, and within a sentence.
pub(crate) fn plain(error: &io::Error) -> String {
    let text = error.to_string();
    match text.split_once(" (os error") {
        Some((text, _)) => text.to_lowercase(),
        None => text,
    }
}

/// What is wrong at a place of a file.
#[derive(Debug)]
pub(crate) struct Fault {
    pub(crate) title: String,
    /// Stands beside the place: what is expected, what may be meant.
    pub(crate) label: String,
    /// Stands below, for it is long.
    pub(crate) help: Option<String>,
    /// Bytes of the text.
    pub(crate) span: Range<usize>,
}

/// The error with the line of the file that has it.
fn snippet(error: &ConfigError, text: Option<&str>) -> String {
    let Some((Origin::File { path, at: Some(at) }, text)) = error.origin().zip(text) else {
        let report = [Group::with_title(Level::ERROR.primary_title(error.to_string()))];
        return renderer().render(&report);
    };
    let (title, expected) = match error {
        ConfigError::WrongType { key, expected, found, .. }
        | ConfigError::InvalidValue { key, expected, found, .. } => {
            (format!("`{key}` is {found}"), Some(format!("expected {expected}")))
        }
        _ => (error.what(), None),
    };
    let long = matches!(error, ConfigError::UnknownKey { nearest: None, .. });
    let (beside, help) = if long { (None, error.help()) } else { (error.help(), None) };
    let label: Vec<String> = expected.into_iter().chain(beside).collect();
    let fault = Fault { title, label: label.join("; "), help, span: at.span.clone() };
    at_place(path, text, &fault)
}

/// A fault, with the line that has it.
fn at_place(path: &Path, text: &str, fault: &Fault) -> String {
    let Fault { title, label, help, span } = fault;
    // The fault of an unfinished file lies behind its end.
    let end = span.end.min(text.len());
    let mut annotation = AnnotationKind::Primary.span(span.start.min(end)..end);
    if !label.is_empty() {
        annotation = annotation.label(label);
    }
    let snippet = Snippet::source(text).path(shown(path).to_string()).annotation(annotation);
    let report = Level::ERROR.primary_title(title).element(snippet);
    let report = match help {
        Some(help) => report.element(Level::HELP.message(help)),
        None => report,
    };
    renderer().render(&[report])
}

fn renderer() -> Renderer {
    Renderer::styled().decor_style(match Terminal::of_process().unicode {
        true => DecorStyle::Unicode,
        false => DecorStyle::Ascii,
    })
}
