//! The audit for programs: version 1 of the shape that docs/audit.md documents. Written while logs are read.

use std::io::{self, Write};

use serde_json::{Value, json};
use standing_orders::Digest;
use standing_orders::plugin::SessionClass;

use super::tally::Counts;
use super::{Audited, Entered, Sink, Standing, Totals};

/// Changes when a member goes, or means something else; new ones may come at any time.
const VERSION: u32 = 1;

pub(crate) struct Json<W> {
    out: W,
    system: bool,
    logs: u64,
    rows: u64,
}

impl<W: Write> Json<W> {
    pub(crate) const fn new(out: W, system: bool) -> Self {
        Self { out, system, logs: 0, rows: 0 }
    }

    /// Closes the list of messages, and goes on with the other members of the log.
    fn members(&mut self, value: &Value) -> io::Result<()> {
        let members = value.to_string();
        let members = members.strip_prefix('{').unwrap_or(&members);
        write!(self.out, "{}],{members}", if self.rows > 0 { "\n" } else { "" })
    }
}

impl<W: Write> Sink for Json<W> {
    fn begin(&mut self, name: &str) -> io::Result<()> {
        let start =
            if self.logs == 0 { format!("{{\"version\":{VERSION},\"logs\":[\n") } else { ",\n".to_owned() };
        self.logs += 1;
        self.rows = 0;
        write!(self.out, "{start}{{\"path\":{},\"entered\":[", Value::from(name))
    }

    fn entered(&mut self, entered: &Entered<'_>) -> io::Result<()> {
        let repeat = entered.repeat.as_ref().map(
            |repeat| json!({ "since_step": repeat.since, "whole": repeat.whole, "paths": repeat.paths }),
        );
        let row = json!({
            "step": entered.step,
            "line": entered.line,
            "injector": entered.injector,
            "baseline": entered.baseline,
            "bytes": entered.bytes,
            "blocks": entered.blocks.iter().map(|block| json!({
                "bytes": block.len(),
                "digest": Digest::of(block),
            })).collect::<Vec<_>>(),
            "changes": entered.changes,
            "repeat": repeat,
        });
        let comma = if self.rows > 0 { "," } else { "" };
        self.rows += 1;
        write!(self.out, "{comma}\n{row}")
    }

    fn end(&mut self, audited: &Audited) -> io::Result<()> {
        let Audited { session, tally, .. } = audited;
        let standing = |in_force: bool| {
            let standing = audited.standing.iter().filter(move |standing| standing.in_force == in_force);
            standing.map(scope).collect::<Vec<_>>()
        };
        let injectors = tally.by_injector.iter().map(|(injector, counts)| of_injector(injector, counts));
        let mut value = json!({
            "format": if audited.ours { "standing-orders" } else { "other" },
            "encoding": if audited.compressed { "zstd" } else { "plain" },
            "session": {
                "id": session.id,
                "class": session.class.map(class),
                "depth": session.class.map(SessionClass::depth),
                "agent": session.agent,
                "cwd": session.cwd,
            },
            "lines": audited.lines,
            "unknown_lines": audited.unknown,
            "first_unknown_line": audited.first_unknown,
            "steps": audited.steps,
            "unnamed_compactions": audited.unnamed,
            "counts": counts(&tally.all),
            "injectors": injectors.collect::<Vec<_>>(),
            "in_force": standing(true),
            "left_out": standing(false),
            "damage": audited.damage.iter().map(|damage| json!({
                "line": damage.line,
                "message": damage.message,
            })).collect::<Vec<_>>(),
            "damage_count": audited.damage_count,
        });
        if self.system
            && let Some(members) = value.as_object_mut()
        {
            let system = audited
                .system
                .as_ref()
                .map(|system| json!({ "text": system.text, "line": system.line, "times": system.times }));
            members.insert("system".to_owned(), system.unwrap_or_default());
        }
        self.members(&value)
    }

    fn failed(&mut self, message: &str) -> io::Result<()> {
        self.members(&json!({ "error": message }))
    }

    fn finish(&mut self, totals: &Totals) -> io::Result<()> {
        let totals = totals.by_class.iter().map(|(of, (sessions, injectors))| {
            let injectors = injectors.iter().map(|(injector, counts)| of_injector(injector, counts));
            json!({
                "class": of.map(class),
                "depth": of.map(SessionClass::depth),
                "sessions": sessions,
                "injectors": injectors.collect::<Vec<_>>(),
            })
        });
        writeln!(self.out, "\n],\"totals\":{}}}", Value::from(totals.collect::<Vec<_>>()))?;
        self.out.flush()
    }
}

pub(super) fn class(class: SessionClass) -> &'static str {
    if class.is_main() { "main" } else { "subagent" }
}

fn scope(standing: &Standing) -> Value {
    json!({
        "injector": standing.injector,
        "path": standing.path,
        "scope": standing.scope,
        "digest": standing.digest,
    })
}

fn counts(counts: &Counts) -> Value {
    json!({
        "messages": counts.messages,
        "blocks": counts.blocks,
        "bytes": counts.bytes,
        "repeated": counts.repeated,
        "repeated_bytes": counts.repeated_bytes,
    })
}

fn of_injector(injector: &str, of: &Counts) -> Value {
    let mut value = counts(of);
    if let Some(members) = value.as_object_mut() {
        members.insert("injector".to_owned(), injector.into());
    }
    value
}
