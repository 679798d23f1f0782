//! Why a command gives up, for people.

use std::io;
use std::path::PathBuf;
use std::process::ExitCode;

use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};
use standing_orders::config::{ConfigError, Origin};
use standing_orders::{EngineError, OpenError};

use crate::terminal::Terminal;

/// Usage or input that nothing can be done with (exit status 2).
#[derive(Debug)]
pub(crate) enum Failure {
    /// A path that cannot be looked at.
    Path { path: PathBuf, error: io::Error },
    /// The configuration, and the text of the file that has the fault.
    Config { error: Box<ConfigError>, text: Option<String> },
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
            Self::Path { path, error } => print(&format!("{path:?}: {}", plain(error))),
            Self::Config { error, text } => anstream::eprintln!("{}", snippet(error, text.as_deref())),
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
    anstream::eprintln!("{}", Renderer::styled().render(&report));
}

/// Without the number of the operating system's error.
pub(crate) fn plain(error: &io::Error) -> String {
    let text = error.to_string();
    let cut = text.split_once(" (os error").map(|(text, _)| text.to_owned());
    cut.unwrap_or(text).to_lowercase()
}

/// The error with the line of the file that has it.
fn snippet(error: &ConfigError, text: Option<&str>) -> String {
    let style = if Terminal::of_process().unicode {
        annotate_snippets::renderer::DecorStyle::Unicode
    } else {
        annotate_snippets::renderer::DecorStyle::Ascii
    };
    let renderer = Renderer::styled().decor_style(style);
    let Some((Origin::File { path, at: Some(at) }, text)) = error.origin().zip(text) else {
        let report = [Group::with_title(Level::ERROR.primary_title(error.to_string()))];
        return renderer.render(&report);
    };
    let (title, expected) = match error {
        ConfigError::WrongType { key, expected, found, .. }
        | ConfigError::InvalidValue { key, expected, found, .. } => {
            (format!("`{key}` is {found}"), Some(format!("expected {expected}")))
        }
        _ => (error.what(), None),
    };
    let nearest = error.nearest().map(|nearest| format!("did you mean `{nearest}`?"));
    let label: Vec<String> = expected.into_iter().chain(nearest).collect();
    let label = label.join("; ");
    // The fault of an unfinished file lies behind its end.
    let end = at.span.end.min(text.len());
    let mut annotation = AnnotationKind::Primary.span(at.span.start.min(end)..end);
    if !label.is_empty() {
        annotation = annotation.label(label);
    }
    let path = path.to_string_lossy().into_owned();
    let snippet = Snippet::source(text).path(path).annotation(annotation);
    let report = [Level::ERROR.primary_title(title).element(snippet)];
    renderer.render(&report)
}
