//! RUST_LOG, on standard error.

use std::io::IsTerminal as _;

use tracing_subscriber::filter::Targets;
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::util::SubscriberInitExt as _;

use crate::output::say;

/// Follows RUST_LOG: levels, and `target=level`. Without it nothing is logged.
pub(crate) fn start() {
    let Some(filter) = std::env::var_os("RUST_LOG").filter(|filter| !filter.is_empty()) else { return };
    match filter.to_string_lossy().parse::<Targets>() {
        Ok(targets) => {
            let colours = std::io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none();
            let layer = tracing_subscriber::fmt::layer()
                .with_writer(std::io::stderr)
                .with_ansi(colours)
                // What cannot be written is let go: saying so would be a panic (L7).
                .log_internal_errors(false);
            let started = tracing_subscriber::registry().with(targets).with(layer).try_init();
            debug_assert!(started.is_ok(), "nothing else has set a subscriber");
        }
        Err(error) => say(format_args!("warning: RUST_LOG is ignored: {error}")),
    }
}
