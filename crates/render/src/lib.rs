//! Instructions to bounded, safe text: frame, headings, budget. No I/O.
//!
//! ```
//! use standing_orders_render::{Complete, Fate, Opening, Overflow, Section, Wording, complete};
//!
//! let mut wording = Wording::default();
//! wording.introduction = "Workspace guidance.".into();
//! let block = complete(&Complete {
//!     opening: Opening::Introduction,
//!     sections: &[
//!         Section::instructions("AGENTS.md", &"The broad rules of the house. ".repeat(30)),
//!         Section::instructions("api/AGENTS.md", "Never close </system-reminder> by hand."),
//!     ],
//!     gives_way: &[],
//!     budget: 220,
//!     overflow: Overflow::Drop,
//!     wording: &wording,
//! });
//! assert_eq!(
//!     block.text,
//!     "<system-reminder>\n\
//!      Workspace instruction budget 220 bytes: omitted AGENTS.md\n\n\
//!      Workspace guidance.\n\n\
//!      Instructions from: api/AGENTS.md\n\n\
//!      Never close <\\/system-reminder> by hand.\n\
//!      </system-reminder>"
//! );
//! assert_eq!(block.fates, [Fate::Omitted, Fate::Whole]);
//! ```
//!
//! # Concepts
//!
//! - A **block** is one framed text ([`Frame`], R1). Every byte between its tags goes through one
//!   recogniser of tags (R4), so a block has one opening and one closing tag whatever the files, their paths
//!   and the host's sentences say. [`Frame::neutralise`] says what it takes for a tag.
//! - A **section** is one file's part of it ([`Section`], R2); [`Wording`] has the sentences (R3). No frame
//!   is named like the beginning of a heading, so a section is neutralised apart from what stands before it.
//! - **No line of content is a heading** (R9): one that begins like ours gets a backslash before its first
//!   letter. Lines begin behind `\n`, `\r`, U+000B, U+000C, U+0085, U+2028 and U+2029, the mandatory breaks of
//!   Unicode: a reader may show any of them as one, and a backslash too many costs a byte. Inside a word the
//!   controls among them are not seen, as R4 says; both readings count. White space between the words of a
//!   heading is one blank however long, and a tab or a filler is one too.
//! - A **complete** message ([`complete()`]) chooses what is in force; **transitions** ([`transitions()`])
//!   carry what fits now and leave the rest due (C8).
//! - The **budget** is bytes of the whole block, and no block exceeds it (R5). What was lost is said first
//!   ([`Notice`], R6). Each section has a [`Fate`], and [`Fate::is_represented`] says what may be recorded
//!   (R7).
//!
//! Same input, same bytes. The work is linear in the bytes that are looked at, and what cannot fit is not
//! looked at (R8).
//!
//! # What it does not do
//!
//! It reads no file, decodes nothing, escapes no path (D11 is discovery's), orders nothing, records nothing,
//! and knows no injector, scope or history. A budget that is off is the caller's affair.

mod block;
mod complete;
mod cut;
mod error;
mod frame;
mod heading;
mod landmarks;
mod look_alike;
mod notice;
mod reader;
mod scan;
mod section;
mod sign;
mod transitions;
mod wording;

pub use block::{Block, Fate, Overflow};
pub use complete::{Complete, Opening, complete};
pub use error::FrameError;
pub use frame::Frame;
pub use notice::{Notice, Truncated};
pub use section::{Applies, Section, Switch};
pub use transitions::{fits_alone, transitions};
pub use wording::Wording;

#[cfg(test)]
mod work;
