//! stub
use std::ffi::OsStr;
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    Claude,
    Cursor,
    Copilot,
    Devin,
    Plain,
}
impl Dialect {
    pub(crate) const ALL: [Self; 5] = [Self::Claude, Self::Cursor, Self::Copilot, Self::Devin, Self::Plain];
    pub(crate) fn folders(self) -> &'static [&'static str] {
        &[".claude/rules"]
    }
    pub(crate) fn files(self) -> &'static [&'static str] {
        &[]
    }
    pub(crate) fn suffix(self) -> &'static str {
        ".md"
    }
    pub(crate) fn is_rule(self, _: &OsStr) -> bool {
        true
    }
    pub(crate) fn is_near_miss(self, _: &OsStr) -> bool {
        false
    }
    pub(crate) fn is_recursive(self) -> bool {
        true
    }
}
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Patterns(Vec<String>);
impl Patterns {
    pub(crate) fn matches(&self, _: &str) -> Option<&str> {
        None
    }
    pub(crate) fn as_written(&self) -> &[String] {
        &self.0
    }
}
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Activation {
    Always,
    Paths(Patterns),
    Described { description: String },
    Manual,
    Never { why: String },
}
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Rule {
    pub(crate) activation: Activation,
    pub(crate) name: Option<String>,
}
impl Rule {
    pub(crate) fn read(_: Dialect, _: &str) -> Self {
        Self { activation: Activation::Always, name: None }
    }
    pub(crate) fn body<'t>(&self, text: &'t str) -> &'t str {
        text
    }
    pub(crate) fn admits(&self, _: Option<&str>) -> bool {
        true
    }
}
