//! Configuration: every key, every error, every precedence (G1).

mod errors;
mod gated;
mod home;
mod keys;
mod laws;
mod policy;
mod precedence;

use standing_orders::config::{Config, ConfigError, Environment, Sources};

/// The file of these tests.
const FILE: &str = "/p/standing-orders.toml";

fn load(toml: &str) -> Result<Config, ConfigError> {
    Sources::new().text(FILE, toml).load()
}

fn variables(variables: &[(&str, &str)]) -> Environment {
    Environment::new(variables.iter().copied())
}
