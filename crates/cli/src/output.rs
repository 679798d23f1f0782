//! The two ways out: results on standard output, everything else on standard error (L7).
//!
//! A result that cannot be written is a failure. What is said beside it is not: where standard error is
//! closed or full there is nobody to tell, and the exit status is that of the result all the same.

use std::fmt::Display;
use std::io::{self, Write};

use crate::failure::Failure;

/// Writes a result, as it is.
pub(crate) fn result(bytes: impl AsRef<[u8]>) -> Result<(), Failure> {
    write(&mut io::stdout().lock(), bytes.as_ref())
}

/// Writes a result that has colours, where they are wanted.
pub(crate) fn coloured(text: &str) -> Result<(), Failure> {
    write(&mut anstream::stdout().lock(), text.as_bytes())
}

fn write(out: &mut dyn Write, bytes: &[u8]) -> Result<(), Failure> {
    out.write_all(bytes).and_then(|()| out.flush()).map_err(Failure::Output)
}

/// Says one line, or several, on standard error.
pub(crate) fn say(line: impl Display) {
    // In one piece, so that the lines of two programs do not mix.
    let line = format!("{line}\n");
    let mut stderr = anstream::stderr().lock();
    // The macros would panic here.
    let _nobody_hears = stderr.write_all(line.as_bytes()).and_then(|()| stderr.flush());
}
