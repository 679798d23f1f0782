//! The audit for people, written while logs are read: what entered step by step, then the whole.

use std::io::{self, Write};

use anstyle::{AnsiColor, Style};
use standing_orders::plugin::SessionClass;
use standing_orders::{Action, Change};

use super::tally::Counts;
use super::{Audited, Entered, Repeat, Sink, Standing, Totals};
use crate::text::{number, pad, width};

pub(crate) struct Page<W> {
    out: W,
    system: bool,
    logs: u64,
    /// Of the log whose heading is still to come.
    name: Option<String>,
}

const BOLD: Style = Style::new().bold();
const DIM: Style = Style::new().dimmed();
const RED: Style = AnsiColor::Red.on_default().bold();

impl<W: Write> Page<W> {
    pub(crate) const fn new(out: W, system: bool) -> Self {
        Self { out, system, logs: 0, name: None }
    }

    /// The log's name, once there is something to say of it; whether it was said just now.
    fn begun(&mut self) -> io::Result<bool> {
        let Some(name) = self.name.take() else { return Ok(false) };
        let gap = if self.logs > 0 { "\n" } else { "" };
        self.logs += 1;
        writeln!(self.out, "{gap}{BOLD}{}{BOLD:#}", line(&name))?;
        Ok(true)
    }

    fn heading(&mut self, text: &str) -> io::Result<()> {
        writeln!(self.out, "\n  {BOLD}{text}{BOLD:#}")
    }

    fn standing(&mut self, heading: &str, standing: &[&Standing]) -> io::Result<()> {
        if standing.is_empty() {
            return Ok(());
        }
        self.heading(heading)?;
        let columns = standing.iter().map(|standing| width(&line(&standing.path))).max().unwrap_or(0);
        for standing in standing {
            let path = line(&standing.path);
            let digest = standing.digest.as_deref().unwrap_or("no digest");
            let digest = line(&digest.chars().take(12).collect::<String>());
            let injector = line(&standing.injector);
            writeln!(self.out, "    {path}{}  {DIM}{digest}  {injector}{DIM:#}", pad(&path, columns))?;
        }
        Ok(())
    }

    fn table(&mut self, indent: &str, rows: &[(String, Counts)]) -> io::Result<()> {
        let columns = rows.iter().map(|(name, _)| width(name)).max().unwrap_or(0).max("injector".len());
        writeln!(
            self.out,
            "{indent}{DIM}injector{}  messages  blocks         bytes  repeated   bytes again{DIM:#}",
            pad("injector", columns)
        )?;
        for (name, counts) in rows {
            writeln!(
                self.out,
                "{indent}{name}{}  {:>8}  {:>6}  {:>12}  {:>8}  {:>12}",
                pad(name, columns),
                number(counts.messages),
                number(counts.blocks),
                number(counts.bytes),
                number(counts.repeated),
                number(counts.repeated_bytes)
            )?;
        }
        Ok(())
    }

    fn session(&mut self, audited: &Audited) -> io::Result<()> {
        let session = &audited.session;
        let id = session.id.as_deref().map(|id| format!(" {}", line(id))).unwrap_or_default();
        let agent =
            session.agent.as_deref().map(|agent| format!(", agent {}", line(agent))).unwrap_or_default();
        let cwd = session.cwd.as_deref().map(|cwd| format!(", at {}", line(cwd))).unwrap_or_default();
        let format = match (audited.ours, audited.compressed) {
            (true, false) => "a log of Standing Orders",
            (true, true) => "a log of Standing Orders, zstd",
            (false, false) => "a log of another program",
            (false, true) => "a log of another program, zstd",
        };
        writeln!(self.out, "\n  session{id}: {}{agent}{cwd} ({format})", class(session.class))
    }
}

impl<W: Write> Sink for Page<W> {
    fn begin(&mut self, name: &str) -> io::Result<()> {
        self.name = Some(name.to_owned());
        Ok(())
    }

    fn entered(&mut self, entered: &Entered<'_>) -> io::Result<()> {
        if self.begun()? {
            writeln!(self.out)?;
        }
        let step = of_step(entered.step);
        let what = if entered.baseline { ", baseline" } else { "" };
        let blocks = match entered.blocks.len() {
            1 => String::new(),
            blocks => format!(" in {blocks} blocks"),
        };
        let bytes = of(entered.bytes, "byte", "bytes");
        write!(self.out, "  {step:<9}  {}{what}: {bytes}{blocks}", line(entered.injector))?;
        match &entered.repeat {
            Some(Repeat { since, whole: true, .. }) => {
                return writeln!(self.out, "  {RED}REPEATED{RED:#}: in view since {}", of_step(*since));
            }
            Some(Repeat { since, paths, .. }) => {
                let paths: Vec<_> = paths.iter().map(|path| line(path)).collect();
                let paths = paths.join(", ");
                writeln!(
                    self.out,
                    "  {RED}REPEATED{RED:#} in part: {paths}, in view since {}",
                    of_step(*since)
                )?;
            }
            None => writeln!(self.out)?,
        }
        for Change { action, path, .. } in entered.changes {
            let action = match action {
                Action::Set => "set",
                Action::Replace => "replace",
                Action::Remove => "remove",
                Action::Omit => "omit",
            };
            writeln!(self.out, "             {DIM}{action:<7}{DIM:#}  {}", line(path))?;
        }
        Ok(())
    }

    fn end(&mut self, audited: &Audited) -> io::Result<()> {
        self.begun()?;
        self.session(audited)?;
        let Counts { messages, blocks, bytes, repeated, repeated_bytes } = audited.tally.all;
        let (steps, blocks) = (of(audited.steps, "step", "steps"), of(blocks, "block", "blocks"));
        match messages {
            0 => writeln!(self.out, "  {steps}, and no instructions entered")?,
            _ => {
                let (messages, bytes) = (of(messages, "message", "messages"), of(bytes, "byte", "bytes"));
                writeln!(self.out, "  {BOLD}{steps}, {blocks}{BOLD:#} in {messages}, {bytes}")?;
            }
        }
        match repeated {
            0 => writeln!(self.out, "  nothing entered again while it was in view")?,
            _ => {
                let repeats = match repeated {
                    1 => "1 message repeats".to_owned(),
                    many => format!("{} messages repeat", number(many)),
                };
                let bytes = of(repeated_bytes, "byte", "bytes");
                writeln!(self.out, "  {RED}{repeats} what was in view{RED:#}: {bytes} again")?;
            }
        }
        if !audited.tally.by_injector.is_empty() {
            writeln!(self.out)?;
            let rows: Vec<_> =
                audited.tally.by_injector.iter().map(|(name, counts)| (line(name), *counts)).collect();
            self.table("  ", &rows)?;
        }
        let of_kind = |in_force| {
            audited.standing.iter().filter(move |standing| standing.in_force == in_force).collect::<Vec<_>>()
        };
        self.standing("In force at the end", &of_kind(true))?;
        self.standing("Left out for the budget at the end", &of_kind(false))?;
        if self.system {
            match &audited.system {
                Some(system) => {
                    let times = match system.times {
                        1 => String::new(),
                        times => format!(", recorded {} times", number(times)),
                    };
                    self.heading(&format!("System prompt, of line {}{times}", number(system.line)))?;
                    for text in system.text.lines() {
                        writeln!(self.out, "    {}", line(text))?;
                    }
                }
                None => self.heading("No system prompt is recorded")?,
            }
        }
        if audited.damage_count > 0 {
            writeln!(self.out, "\n  {RED}Damage{RED:#}")?;
            for damage in &audited.damage {
                writeln!(self.out, "    line {}: {}", number(damage.line), line(&damage.message))?;
            }
            let more = audited.damage_count.saturating_sub(audited.damage.len() as u64);
            if more > 0 {
                writeln!(self.out, "    and {} more", number(more))?;
            }
        }
        if audited.unnamed > 0 && audited.named == 0 {
            let compactions = of(audited.unnamed, "compaction names", "compactions name");
            writeln!(
                self.out,
                "\n  {DIM}{compactions} no entries: nothing is taken to have left the view{DIM:#}"
            )?;
        }
        if let Some(first) = audited.first_unknown {
            let unknown = of(audited.unknown, "line", "lines");
            let first = number(first);
            writeln!(
                self.out,
                "\n  {DIM}{unknown} of kinds that are not known here, first line {first}{DIM:#}"
            )?;
        }
        Ok(())
    }

    fn failed(&mut self, _: &str) -> io::Result<()> {
        // Where nothing was said yet, nothing is: the reason is on standard error.
        if self.name.take().is_some() {
            return Ok(());
        }
        writeln!(self.out, "  the log cannot be read from here on")
    }

    fn finish(&mut self, totals: &Totals) -> io::Result<()> {
        if totals.logs > 1 {
            writeln!(self.out, "\n{BOLD}All {} logs{BOLD:#}", totals.logs)?;
            for (of_class, (sessions, injectors)) in &totals.by_class {
                let sessions = of(*sessions, "session", "sessions");
                writeln!(self.out, "\n  {}: {sessions}", class(*of_class))?;
                let rows: Vec<_> = injectors.iter().map(|(name, counts)| (line(name), *counts)).collect();
                if !rows.is_empty() {
                    self.table("    ", &rows)?;
                }
            }
        }
        self.out.flush()
    }
}

fn of(count: u64, one: &str, many: &str) -> String {
    format!("{} {}", number(count), if count == 1 { one } else { many })
}

fn of_step(step: u64) -> String {
    match step {
        0 => "before step 1".to_owned(),
        step => format!("step {}", number(step)),
    }
}

fn class(class: Option<SessionClass>) -> String {
    class.map_or_else(|| "class not recorded".to_owned(), |class| class.to_string())
}

/// On one line, and without effect on a terminal: what a log says is not trusted.
fn line(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for character in text.chars() {
        let turns =
            matches!(character, '\u{200B}'..='\u{200F}' | '\u{2028}'..='\u{202E}' | '\u{2066}'..='\u{2069}');
        match character {
            '\t' => shown.push_str("    "),
            odd if odd.is_control() || turns => shown.extend(odd.escape_unicode()),
            plain => shown.push(plain),
        }
    }
    shown
}
