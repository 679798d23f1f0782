//! What an agent session is made of, and what a child of it is.

use std::path::PathBuf;

use standing_orders_session::{HeaderError, SessionHeader};

use super::tools::{ToolFilter, ToolFilterError, ToolGrant};
use crate::sections::{PERSONA_PREFIX, Section, Sections, order};

/// What an agent session is made of: who it is, its system prompt, and its tools (S3).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AgentComposition {
    header: SessionHeader,
    sections: Sections,
    tools: ToolGrant,
    max_depth: Option<u32>,
}

/// What is different about a child. Default: nothing but its class.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ChildOptions {
    persona: Option<String>,
    tools: ToolFilter,
    cwd: Option<PathBuf>,
    agent_preset: Option<String>,
}

/// Why there is no such child.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum DelegationError {
    /// It would stand too deep (I1).
    #[error(transparent)]
    Header(#[from] HeaderError),
    /// Its tool filter names what it cannot have.
    #[error(transparent)]
    Tools(#[from] ToolFilterError),
}

impl AgentComposition {
    /// Of a session that is there: a main one, or a stored subagent's that is resumed, for which the
    /// host kept the options of its [`child`](Self::child).
    pub fn new(header: SessionHeader, sections: Sections, tools: ToolGrant) -> Self {
        Self { header, sections, tools, max_depth: Some(SessionHeader::MAX_DEPTH) }
    }

    /// The deepest session that may stand below this one, counted from main, which is 0; children
    /// take the limit over. `Some(0)`: no subagents. `None`: no limit. Default: 3.
    #[must_use]
    pub fn with_max_depth(mut self, max_depth: Option<u32>) -> Self {
        self.max_depth = max_depth;
        self
    }

    /// A child of this session: `id` is the host's own, `created_at` in milliseconds since the Unix
    /// epoch. Nothing but the arguments counts, so that the same ones give the same child.
    ///
    /// - Header: class, parent and depth of [`SessionHeader::child_of`]; cwd and agent preset are the
    ///   parent's unless told otherwise.
    /// - Sections: the parent's, all of them; a persona shadows the one of the parent, in its place.
    /// - Tools: the parent's, less what the filter keeps out.
    ///
    /// # Errors
    /// The child would stand deeper than allowed: both depths are named. The tool filter has a name
    /// that the host does not know or the parent does not have.
    pub fn child(
        &self,
        id: impl Into<String>,
        created_at: u64,
        options: &ChildOptions,
    ) -> Result<Self, DelegationError> {
        let mut header = SessionHeader::child_of_within(&self.header, id, created_at, self.max_depth)?;
        if let Some(cwd) = &options.cwd {
            header = header.with_cwd(cwd);
        }
        if let Some(preset) = &options.agent_preset {
            header = header.with_agent_preset(preset);
        }
        let mut sections = self.sections.nearer(header.class());
        if let Some(persona) = &options.persona {
            let place = self.sections.get(PERSONA_PREFIX).map_or(order::PERSONA_PREFIX, Section::order);
            sections.insert(Section::new(PERSONA_PREFIX, place, persona.as_str()));
        }
        let tools = self.tools.narrow(&options.tools)?;
        Ok(Self { header, sections, tools, max_depth: self.max_depth })
    }

    /// Who it is: what [`Engine::session`](crate::Engine::session) takes.
    pub const fn header(&self) -> &SessionHeader {
        &self.header
    }

    /// Its system prompt.
    pub const fn sections(&self) -> &Sections {
        &self.sections
    }

    /// The tools it may use.
    pub const fn tools(&self) -> &ToolGrant {
        &self.tools
    }
}

impl ChildOptions {
    /// Nothing is different.
    pub fn new() -> Self {
        Self::default()
    }

    /// With a persona of its own: the section `deployment:persona-prefix`. Default: its parent's. A
    /// blank one: none.
    #[must_use]
    pub fn persona(mut self, text: impl Into<String>) -> Self {
        self.persona = Some(text.into());
        self
    }

    /// With less tools. Default: its parent's.
    #[must_use]
    pub fn tools(mut self, filter: ToolFilter) -> Self {
        self.tools = filter;
        self
    }

    /// In this working directory, absolute. Default: its parent's.
    #[must_use]
    pub fn cwd(mut self, cwd: impl Into<PathBuf>) -> Self {
        self.cwd = Some(cwd.into());
        self
    }

    /// With this agent preset: what gated files select by (I4). Default: its parent's.
    #[must_use]
    pub fn agent_preset(mut self, name: impl Into<String>) -> Self {
        self.agent_preset = Some(name.into());
        self
    }
}
