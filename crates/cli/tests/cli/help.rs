use snapbox::str;

use crate::repo::Repo;

#[test]
fn the_help_says_what_it_is_for() {
    Repo::new().run(["--help"]).assert().success().stderr_eq("").stdout_eq(str![[r#"
Shows which instruction files (AGENTS.md and relatives) a coding agent's session is given, in which
order, why, and the exact text

Usage: standing-orders [OPTIONS] <COMMAND>

Commands:
  explain      Show what a session is given, and why: a tree of the files with their sizes
  render       Print the exact text that a session is given, and nothing else
  check        Check what each directory that a session could start in is given, and what it would
               lose
  simulate     Run scenarios over a tree in memory and print what comes of them, as JSON
  audit        Show what sessions were given, from their logs: step by step, and what entered again
  schema       Print the JSON Schema of the configuration file, or of session events
  completions  Print completions for a shell
  man          Print the manual page, as roff
  help         Print this message or the help of the given subcommand(s)

Options:
  -h, --help     Print help
  -V, --version  Print version

Global options:
      --color <WHEN>   When to use colours; NO_COLOR is respected [default: auto] [possible values:
                       auto, always, never]
      --config <FILE>  Configuration file, in place of the nearest standing-orders.toml upward
  -v, --verbose        Say on standard error which configuration is used
  -q, --quiet          Nothing on standard error but errors: no warnings and no hints

Configuration, weakest first: defaults, the file, STANDING_ORDERS_* variables (such as
STANDING_ORDERS_MAX_BYTES), arguments. RUST_LOG=standing_orders=debug logs to standard error. Exit
status: 0 fine, 1 findings, 2 usage or input error.

"#]]);
}

#[test]
fn each_subcommand_has_its_help() {
    Repo::new().run(["explain", "--help"]).assert().success().stderr_eq("").stdout_eq(str![[r#"
Show what a session is given, and why: a tree of the files with their sizes

Usage: standing-orders explain [OPTIONS] [PATH]

Arguments:
  [PATH]  Where the session starts; a file: a session at the root of its project that touches it
          [default: .]

Options:
      --touch <PATH>       A path that a tool of the session touches, relative to where the session
                           starts; repeatable
      --class <CLASS>      The session's class: main, subagent, or subagent:DEPTH [default: main]
      --agent <NAME>       The session's agent preset
      --mode <NAME>        The mode the host is in
      --max-bytes <BYTES>  Bytes a block of instructions may have; 0 turns loading off [default: as
                           configured, else 65536]
      --selection <RULE>   Which candidates of a directory count [default: as configured, else
                           first] [possible values: first, all_distinct]
      --overflow <RULE>    What gives way over budget [default: as configured, else drop] [possible
                           values: drop, trim]
      --home <DIR|none>    Folder of the user-global AGENTS.md, a profile (dsh), or none [default:
                           as configured, else dsh]
      --all                Every name that was looked for, those that are not there too
      --json               As JSON, in the shape that the README of this command line documents
  -h, --help               Print help

Global options:
      --color <WHEN>   When to use colours; NO_COLOR is respected [default: auto] [possible values:
                       auto, always, never]
      --config <FILE>  Configuration file, in place of the nearest standing-orders.toml upward
  -v, --verbose        Say on standard error which configuration is used
  -q, --quiet          Nothing on standard error but errors: no warnings and no hints

"#]]);
    Repo::new().run(["render", "--help"]).assert().success().stderr_eq("").stdout_eq(str![[r#"
Print the exact text that a session is given, and nothing else

Usage: standing-orders render [OPTIONS] [PATH]

Arguments:
  [PATH]  Where the session starts; a file: a session at the root of its project that touches it
          [default: .]

Options:
      --touch <PATH>       A path that a tool of the session touches, relative to where the session
                           starts; repeatable
      --class <CLASS>      The session's class: main, subagent, or subagent:DEPTH [default: main]
      --agent <NAME>       The session's agent preset
      --mode <NAME>        The mode the host is in
      --max-bytes <BYTES>  Bytes a block of instructions may have; 0 turns loading off [default: as
                           configured, else 65536]
      --selection <RULE>   Which candidates of a directory count [default: as configured, else
                           first] [possible values: first, all_distinct]
      --overflow <RULE>    What gives way over budget [default: as configured, else drop] [possible
                           values: drop, trim]
      --home <DIR|none>    Folder of the user-global AGENTS.md, a profile (dsh), or none [default:
                           as configured, else dsh]
  -h, --help               Print help

Global options:
      --color <WHEN>   When to use colours; NO_COLOR is respected [default: auto] [possible values:
                       auto, always, never]
      --config <FILE>  Configuration file, in place of the nearest standing-orders.toml upward
  -v, --verbose        Say on standard error which configuration is used
  -q, --quiet          Nothing on standard error but errors: no warnings and no hints

Byte for byte what the model reads, all blocks, a line end between two and none at the end.

"#]]);
}

#[test]
fn no_subcommand_is_a_usage_error() {
    Repo::new().run([""; 0]).assert().code(2).stdout_eq("");
}
