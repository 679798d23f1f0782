//! Panics of a host's own code, caught where unwinding is on (C14, I6).

use std::any::Any;

/// The message of a panic that was caught.
pub(crate) fn panic_message(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<&str>().copied();
    text.or_else(|| panic.downcast_ref::<String>().map(String::as_str)).unwrap_or("without a message")
}
