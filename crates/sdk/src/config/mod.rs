//! Configuration of a deployment: layers, merged by figment, into [`Settings`](crate::Settings) (G1).
//!
//! ```
//! use standing_orders::config::{Environment, Sources};
//!
//! let variables = [("STANDING_ORDERS_MAX_BYTES", "4096"), ("HOME", "/home/me")];
//! let environment = Environment::new(variables);
//! let config = Sources::new()
//!     .text("standing-orders.toml", "max_bytes = 65536\nselection = 'all_distinct'")
//!     .environment(environment.clone())
//!     .load()?;
//! assert_eq!(config.max_bytes, 4096, "a variable beats a file");
//!
//! let (settings, warnings) = config.settings();
//! assert_eq!(settings.max_bytes.bytes(), 4096);
//! assert!(warnings.is_empty());
//! let home = config.home(&environment)?.expect("HOME is set");
//! assert_eq!((home.dir.as_path(), &*home.shown), ("/home/me/.dsh".as_ref(), "~/.dsh"));
//!
//! // Everything it says goes into the engine: home and gated files too.
//! let (engine, warnings) = config.engine(&environment)?;
//! let engine = engine.build()?;
//! assert_eq!(engine.settings().home, Some(home));
//!
//! let error = Sources::new().text("standing-orders.toml", "max_byte = 1").load().unwrap_err();
//! assert_eq!(
//!     error.to_string(),
//!     "unknown key `max_byte`, did you mean `max_bytes`? (standing-orders.toml, line 1, column 1)"
//! );
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Nothing here reads the environment or a file that is not named to it, but
//! [`Environment::of_process`], which says so.

mod document;
mod environment;
mod error;
mod gated;
mod home;
mod keys;
mod layer;
mod model;
mod parse;
mod policy;
mod rules;
mod schema;
mod sources;
mod warning;

pub use environment::Environment;
pub use error::{ConfigError, Origin, Position};
pub use gated::GatedConfig;
pub use model::{Config, WordingConfig};
pub use policy::PolicyConfig;
pub use rules::{Dialects, RulesConfig};
pub use schema::plain_descriptions;
pub use sources::Sources;
pub use warning::ConfigWarning;
