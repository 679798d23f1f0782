//! The system prompt, from named and ordered sections (S1).
//!
//! Identity and policy stand in the system prompt, rules of the workspace in messages below it:
//! [`Sections`] is the former, the [`Engine`](crate::Engine) delivers the latter. Nothing in here
//! reaches a session by itself: a host takes [`Sections::text`] for its system prompt.
//!
//! ```
//! use standing_orders::plugin::SessionClass;
//! use standing_orders::sections::{PERSONA_PREFIX, Section, Sections, order};
//!
//! let main = Sections::new()
//!     .with(Section::new("identity", order::IDENTITY, "You are an AI agent."))
//!     .with(Section::new(PERSONA_PREFIX, order::PERSONA_PREFIX, "You are the one people talk to."));
//! let child = main
//!     .nearer(SessionClass::Subagent { depth: 1 })
//!     .with(Section::new(PERSONA_PREFIX, order::PERSONA_PREFIX, "You carry out one task."));
//! assert_eq!(child.text(), "You are an AI agent.\n\nYou carry out one task.");
//! assert_eq!(main.text(), "You are an AI agent.\n\nYou are the one people talk to.");
//! ```

mod assembly;
pub mod order;
mod section;

pub use assembly::{Listed, Sections};
pub use section::{PERSONA_PREFIX, Scope, Section};
