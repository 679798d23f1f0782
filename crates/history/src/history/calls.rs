//! Touches of inner calls, until the outermost one settles.

use std::collections::HashMap;
use std::path::PathBuf;

use crate::ToolResult;

/// By the call that is waited for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Calls(HashMap<String, Vec<PathBuf>>);

impl Calls {
    /// A call has settled: its touches and those of the calls within it, if it is an outermost one
    /// and there are any; else they wait with its parent.
    pub(super) fn settled(&mut self, result: &ToolResult) -> Option<Vec<PathBuf>> {
        let mut paths = self.0.remove(&result.id).unwrap_or_default();
        if result.ok {
            paths.extend(result.touched.iter().cloned());
        }
        if paths.is_empty() {
            return None;
        }
        match &result.parent {
            Some(parent) => {
                self.0.entry(parent.clone()).or_default().append(&mut paths);
                None
            }
            None => Some(paths),
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn clear(&mut self) {
        self.0.clear();
    }
}
