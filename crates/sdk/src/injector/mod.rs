//! What contributes instructions (I3, I4).

mod contract;
mod gated;
mod retired;
mod rules;

pub use contract::{Body, InjectError, InjectionContext, Injector, Instruction, InstructionId, Wanted};
pub use gated::{GatedError, GatedFiles, Trap};
pub(crate) use retired::Retired;
pub use rules::{RulesError, RulesFolders};
