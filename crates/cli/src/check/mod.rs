//! `check`: every directory a session could start in, and what it would lose (L3).
//!
//! `walk` reads each directory once and hands it to `scan`, which asks `evaluate` what a session there is
//! given only where that can differ from the directory above. `held` is the provider in between: it knows
//! from the walk what is not there, and reads each file once. `examine` looks at the files themselves,
//! `gather` puts findings together; `baseline`, `exemptions` and `since` say which of them count, `scope`
//! what a run can judge, and `report` writes all of it.

mod baseline;
mod claude;
mod codex;
mod evaluate;
mod examine;
mod exemptions;
mod finding;
mod gather;
mod git;
mod held;
mod ignored;
mod outcome;
mod problem;
mod profile;
mod progress;
mod references;
pub(crate) mod report;
mod rules;
mod scan;
mod scope;
mod since;
mod walk;

pub(crate) use baseline::{Baseline, Written};
pub(crate) use evaluate::Evaluator;
pub(crate) use exemptions::Exemptions;
pub(crate) use finding::{Code, Finding};
pub(crate) use profile::Profile;
pub(crate) use progress::Progress;
pub(crate) use rules::rules;
pub(crate) use scan::scan;
pub(crate) use scope::Scope;
pub(crate) use since::since;
