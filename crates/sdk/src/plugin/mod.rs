//! What a plugin writer needs, and nothing else: injectors, session classes, policies (I1 to I7).
//!
//! An [`Injector`] says what it wants the model to have now; the engine alone delivers it: once
//! while it is visible and unchanged, updated when it changes, removed when it is no longer
//! wanted, again after compaction, nothing on resume (I3).

mod condition;
mod gated;
mod injector;
mod observer;
mod policy;
mod table;

pub use condition::Sessions;
pub use gated::{GatedError, GatedFiles, Trap};
pub use injector::{Body, InjectError, InjectionContext, Injector, Instruction, InstructionId, Wanted};
pub use observer::Observer;
pub use policy::{Admission, AdmissionRequest, AllowAll, Part, SessionPolicy};
pub use standing_orders_session::{InjectorId, SessionClass, SessionHeader};
pub use table::{PolicyError, PolicyRow, PolicyTable};
