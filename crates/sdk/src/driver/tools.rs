//! What touches (C5).

use std::path::PathBuf;

use serde_json::Value;
use standing_orders_history::Block;

use super::Touched;

/// A tool call that has settled.
#[derive(Clone, Debug, PartialEq)]
pub struct SettledCall {
    /// The tool.
    pub name: String,
    /// Whether it succeeded.
    pub ok: bool,
    /// What it was called with.
    pub arguments: Value,
    /// Its identity; one is made where there is none.
    pub id: Option<String>,
    /// The call from within which it was made.
    pub parent: Option<String>,
    /// What the model is told.
    pub content: Vec<Block>,
}

impl SettledCall {
    /// A call that succeeded.
    pub fn ok(name: impl Into<String>, arguments: Value) -> Self {
        Self { name: name.into(), ok: true, arguments, id: None, parent: None, content: Vec::new() }
    }
}

/// Which tools touch a path, and where in their arguments it stands (C5).
///
/// Default: `read`, `write` and `edit`, in `file_path`. Shell commands touch nothing unless the
/// host says so; what failed touches nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TouchMapping {
    rules: Vec<(String, String)>,
}

impl Default for TouchMapping {
    fn default() -> Self {
        Self::none().with("read", "file_path").with("write", "file_path").with("edit", "file_path")
    }
}

impl TouchMapping {
    /// Nothing touches.
    pub const fn none() -> Self {
        Self { rules: Vec::new() }
    }

    /// The tool touches the path, or the list of paths, in this argument.
    #[must_use]
    pub fn with(mut self, tool: impl Into<String>, argument: impl Into<String>) -> Self {
        self.rules.push((tool.into(), argument.into()));
        self
    }

    /// The paths a call touched.
    pub fn of(&self, call: &SettledCall) -> Touched {
        let rules = self.rules.iter().filter(|(tool, _)| call.ok && *tool == call.name);
        let values = rules.filter_map(|(_, argument)| call.arguments.get(argument));
        let paths = values.flat_map(|value| match value {
            Value::Array(paths) => paths.iter().filter_map(Value::as_str).collect(),
            path => path.as_str().into_iter().collect::<Vec<_>>(),
        });
        paths.map(PathBuf::from).collect()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn only_successful_calls_of_listed_tools_touch() {
        let mapping = TouchMapping::default().with("read_many", "paths");
        let rows = [
            ("a read", SettledCall::ok("read", json!({"file_path": "ä/x"})), vec!["ä/x"]),
            (
                "a failed read",
                SettledCall { ok: false, ..SettledCall::ok("read", json!({"file_path": "a"})) },
                vec![],
            ),
            ("another argument", SettledCall::ok("read", json!({"path": "a"})), vec![]),
            ("a shell command", SettledCall::ok("bash", json!({"file_path": "a"})), vec![]),
            ("a list", SettledCall::ok("read_many", json!({"paths": ["a", 1, "b"]})), vec!["a", "b"]),
        ];
        for (name, call, expected) in rows {
            let touched: Vec<_> = mapping.of(&call).iter().map(|path| path.display().to_string()).collect();
            assert_eq!(touched, expected, "{name}");
        }
    }
}
