//! From a session to those that it starts: header, system prompt and tools of a child (S3).
//!
//! Three things make a child of a session, and this module composes the first:
//! 1. an [`AgentComposition`]: its header (which gives it its class), its sections (one persona by
//!    shadowing, everything else as its parent has it), and its tools (never more than its parent's);
//! 2. its own [`Context`](crate::Context) over that header, so that its workspace instructions are
//!    those of its own working directory and class;
//! 3. the entry `subagent:delegation`, which every subagent session has of an engine where the
//!    [`RuntimeContext`](crate::runtime_context::RuntimeContext) is registered, or whose settings, or
//!    configuration, say [`delegation_notice`](crate::Settings::delegation_notice).
//!
//! Tools are granted **by name, and the host enforces it**: it offers the model
//! [`ToolGrant::names`], and asks [`ToolGrant::admits`] before each call. There are no tools in
//! here. A filter by name cannot keep a session from a file: a tool that reads, reads anything. That
//! is what the sandbox is for.
//!
//! ```
//! use standing_orders::delegation::{AgentComposition, ChildOptions, ToolFilter, ToolGrant};
//! use standing_orders::plugin::{SessionClass, SessionHeader};
//! use standing_orders::sections::{PERSONA_PREFIX, Section, Sections, order};
//!
//! let sections = Sections::new()
//!     .with(Section::new(PERSONA_PREFIX, order::PERSONA_PREFIX, "You are the one people talk to."))
//!     .with(Section::new("report", order::REPORT, "Say what you did."));
//! let header = SessionHeader::main("s1", 0).with_cwd("/ws");
//! let main = AgentComposition::new(header, sections, ToolGrant::all(["read", "bash", "subagent"]));
//!
//! let options = ChildOptions::new().persona("You carry out one task.").tools(ToolFilter::deny(["bash"]));
//! let child = main.child("s2", 1, &options)?;
//! assert_eq!(child.header().class(), SessionClass::Subagent { depth: 1 });
//! assert_eq!(child.sections().text(), "You carry out one task.\n\nSay what you did.");
//! assert!(child.tools().admits("read") && !child.tools().admits("bash"));
//! # Ok::<(), standing_orders::delegation::DelegationError>(())
//! ```

mod child;
mod tools;

pub use child::{AgentComposition, ChildOptions, DelegationError};
pub use standing_orders_session::HeaderError;
pub use tools::{ToolFault, ToolFilter, ToolFilterError, ToolGrant};

/// The text of the entry `subagent:delegation`, which every subagent session and no main session
/// has in its runtime context, where the host has one or `delegation_notice` is set (S3).
///
/// A self-check for instruction files: a rule may say "unless your context has the entry
/// `subagent:delegation`", or quote the first sentence. Name and first sentence are part of this
/// crate's interface: a change of either is a breaking one.
pub const SUBAGENT_DELEGATION: &str = "You are a subagent: another agent session gave you this task, and your reply goes back to it. \
     What you may do here was settled when this session began, is no more than that session may do, \
     and cannot be extended from here. When something is refused, leave it at that instead of trying \
     again: do what is left of the task, and say in your reply what was refused and what it was \
     needed for, so that the session that asked can decide.";
