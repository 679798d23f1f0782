//! `schema`: the JSON Schema of the configuration, and of a session's events (L6).

use std::process::ExitCode;

use standing_orders::config::{Config, plain_descriptions};
use standing_orders::history::Event;

use crate::failure::Failure;
use crate::output;

#[derive(Debug, clap::Args)]
#[command(after_help = "For editors that complete and check TOML by a schema: \
                        standing-orders schema > standing-orders.schema.json")]
pub(crate) struct Args {
    /// Of the events of a session log instead: of each line behind the header, beside its seq and more
    #[arg(long)]
    events: bool,
}

pub(crate) fn run(args: &Args) -> Result<ExitCode, Failure> {
    let schema = match args.events {
        true => {
            let mut schema = schemars::schema_for!(Event).to_value();
            plain_descriptions(&mut schema);
            schema
        }
        false => Config::json_schema(),
    };
    output::result(format!("{schema:#}\n"))?;
    Ok(ExitCode::SUCCESS)
}
