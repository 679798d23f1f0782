//! Who may see what (I2, I10).

mod admission;
mod admissions;
mod condition;
mod table;

pub use admission::{Admission, AdmissionRequest, AllowAll, Part, SessionPolicy};
pub(crate) use admissions::{Admissions, Applicant, WorkspaceParts};
pub(crate) use condition::Condition;
pub use condition::Sessions;
pub use table::{PolicyError, PolicyRow, PolicyTable};
