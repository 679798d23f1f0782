//! Which sessions are meant: what gated files and rows of a policy table share (I2, I4).

use serde::{Deserialize, Serialize};
use standing_orders_session::{SessionClass, SessionHeader};

/// Which class of sessions is meant (I1, I4).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "config", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Sessions {
    /// Main sessions.
    #[default]
    Main,
    /// Subagent sessions.
    Subagent,
    /// Both.
    Any,
}

/// By class, depth, agent and mode; all of it must hold.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Condition {
    pub(crate) sessions: Sessions,
    pub(crate) max_depth: Option<u32>,
    pub(crate) agents: Vec<String>,
    pub(crate) modes: Vec<String>,
}

impl Condition {
    pub(crate) fn holds(&self, header: &SessionHeader, mode: Option<&str>) -> bool {
        let class = header.class();
        let by_class = match (self.sessions, class) {
            (Sessions::Any, _)
            | (Sessions::Main, SessionClass::Main)
            | (Sessions::Subagent, SessionClass::Subagent { .. }) => true,
            (Sessions::Main, SessionClass::Subagent { .. }) | (Sessions::Subagent, SessionClass::Main) => {
                false
            }
        };
        let by_depth = self.max_depth.is_none_or(|max| class.depth() <= max);
        let by_mode = self.modes.is_empty() || mode.is_some_and(|mode| self.modes.iter().any(|m| m == mode));
        by_class && by_depth && by_mode && self.holds_for_agent(header.agent_preset())
    }

    fn holds_for_agent(&self, agent: Option<&str>) -> bool {
        let mut listed = self.agents.iter().filter(|agent| !agent.starts_with('!')).peekable();
        let excluded = |name: &str| self.agents.iter().any(|agent| agent.strip_prefix('!') == Some(name));
        match agent {
            None => listed.peek().is_none(),
            Some(name) if excluded(name) => false,
            Some(name) => listed.peek().is_none() || listed.any(|listed| listed == name),
        }
    }
}
