//! Which parts of the instructions a session is admitted to (I2).

mod admissions;

pub(crate) use admissions::{Admissions, WorkspaceParts};
