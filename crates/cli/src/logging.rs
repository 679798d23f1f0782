//! RUST_LOG, on standard error.

use std::io::IsTerminal as _;

use tracing_subscriber::filter::Targets;
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::util::SubscriberInitExt as _;

/// Follows RUST_LOG: levels, and `target=level`. Without it nothing is logged.
pub(crate) fn start() {
    let Some(filter) = std::env::var_os("RUST_LOG").filter(|filter| !filter.is_empty()) else { return };
    match filter.to_string_lossy().parse::<Targets>() {
        Ok(targets) => {
            let colours = std::io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none();
            let layer = tracing_subscriber::fmt::layer().with_writer(std::io::stderr).with_ansi(colours);
            let started = tracing_subscriber::registry().with(targets).with(layer).try_init();
            debug_assert!(started.is_ok(), "nothing else has set a subscriber");
        }
        Err(error) => anstream::eprintln!("warning: RUST_LOG is ignored: {error}"),
    }
}
