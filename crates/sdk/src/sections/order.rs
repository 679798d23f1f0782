//! The usual places in a system prompt (S1).
//!
//! Lower stands earlier; any number is allowed, and what is between two of these is the host's. The
//! plan behind them: what never changes stands first, so that the provider's prompt cache keeps the
//! longest prefix, and what binds the form of the answer stands last, nearest to the conversation.

/// What the program is. Before everything, negative so that no deployment comes before it by
/// accident: it holds for every persona.
pub const IDENTITY: i32 = -1000;
/// Who the agent is. The origin of the scale: everything later is read in this voice. One of it a
/// session: see [`PERSONA_PREFIX`](super::PERSONA_PREFIX).
pub const PERSONA_PREFIX: i32 = 0;
/// How to plan. Before team and tools, which carry plans out.
pub const PLAN_POLICY: i32 = 500;
/// How to work with other agents. After planning: who does it comes after what is to be done.
pub const TEAM_POLICY: i32 = 600;
/// That some tools are called from programs only. Before the tools, so that each is read with it.
pub const PROGRAMMATIC_TOOLS_ONLY: i32 = 800;
/// How files are referred to. Just before the tools that take such references.
pub const FILE_REFERENCE: i32 = 900;
/// The first place for tools, one section each.
pub const TOOLS_FIRST: i32 = 1000;
/// The last place for tools. Room for many, so that adding one moves no other.
pub const TOOLS_LAST: i32 = 2800;
/// How to report. After the tools whose results it is about.
pub const REPORT: i32 = 2900;
/// What connected servers bring. After our own tools: it differs between users and comes late, so
/// that the prefix before it stays the same for all.
pub const MCP: i32 = 3100;
/// What has to be handed in. After all means, near the end where it is not forgotten.
pub const DELIVERABLE: i32 = 9000;
/// The form of a structured answer. After what has to be handed in: it says how.
pub const STRUCTURED_OUTPUT: i32 = 9900;
/// Where the program's own source is. Reference only, after everything that instructs.
pub const HARNESS_SOURCE: i32 = 10_000;
/// What the surface can show, such as a web page. Differs between front ends of one deployment.
pub const WEB_SURFACE: i32 = 10_100;
/// The persona's last word. After everything, so that nothing speaks over it.
pub const PERSONA_SUFFIX: i32 = 10_200;
