//! The explanation for people.

use anstyle::Style;
use standing_orders::InjectorId;
use standing_orders::inspect::path::{LONGEST_TOUCHED, shown, shown_in};
use standing_orders::plugin::SessionClass;
use standing_orders::{Fate, NestedDiscovery, Trigger};

use super::Explanation;
use super::blocks::{Block, blocks};
use super::gated;
use super::tree::{Folder, folders};
use super::words::{self, BAD, BOLD, DIM, GOOD, WARN};
use crate::notes::Note;
use crate::rows::Row;
use crate::terminal::Terminal;
use crate::text::{count, number, pad, width, wrap};

/// Columns of the labels at the top.
const LABEL: usize = 13;

/// Columns of a budget bar.
const BAR: usize = 24;

/// Text is not squeezed into fewer columns: it goes below.
const NARROW: usize = 24;

pub(super) fn of(explanation: &Explanation, all: bool, terminal: Terminal) -> String {
    let mut page = Page { text: String::new(), terminal };
    page.headline(explanation);
    page.facts(explanation, all);
    page.tree(explanation, all);
    page.notes(explanation, all);
    page.text
}

struct Page {
    text: String,
    terminal: Terminal,
}

/// One line of the tree.
struct Line {
    branch: String,
    name: String,
    style: Style,
    size: String,
    words: String,
    words_style: Style,
    /// The branch of what follows below it.
    below: String,
    notes: Vec<String>,
}

impl Page {
    fn line(&mut self, text: &str) {
        self.text.push_str(text);
        self.text.push('\n');
    }

    /// `label`, then `text` beside it in as many lines as it takes.
    fn fact(&mut self, label: &str, text: &str) {
        let columns = self.terminal.width.saturating_sub(LABEL);
        for (index, line) in wrap(text, columns).into_iter().enumerate() {
            let label = if index == 0 { label } else { "" };
            let gap = pad(label, LABEL);
            self.line(format!("{DIM}{label}{DIM:#}{gap}{line}").trim_end());
        }
    }

    fn headline(&mut self, explanation: &Explanation) {
        let Explanation { subject, rows, .. } = explanation;
        let given = rows.iter().filter(|row| words::is_given(&row.fate)).count();
        let budget = subject.settings.max_bytes.bytes();
        let bytes: usize = blocks(explanation).map(|block| block.bytes).sum();
        let start = shown(&subject.start);
        let of = |is: fn(&Fate) -> bool| rows.iter().filter(|row| is(&row.fate)).count();
        let lost = match (of(words::is_lost), of(|fate| matches!(fate, Fate::Truncated { .. }))) {
            (0, 0) => String::new(),
            (lost, 0) => format!(" The budget leaves out {}.", number(lost as u64)),
            (0, cut) => format!(" The budget cuts {}.", number(cut as u64)),
            (lost, cut) => {
                format!(" The budget leaves out {} and cuts {}.", number(lost as u64), number(cut as u64))
            }
        };
        let lost = match of(|fate| *fate == Fate::Waits) {
            0 => lost,
            1 => format!("{lost} One waits for a later step."),
            waiting => format!("{lost} {} wait for a later step.", number(waiting as u64)),
        };
        let text = match (budget, given) {
            (0, _) => format!("Loading is off (max_bytes = 0): a session in {start} is given nothing."),
            (_, 0) => format!("A session in {start} is given no instruction files.{lost}"),
            _ => format!(
                "A session in {start} is given {}, {} in all.{lost}",
                count(given, "instruction file", "instruction files"),
                count(bytes, "byte", "bytes")
            ),
        };
        for line in wrap(&text, self.terminal.width) {
            self.line(&format!("{BOLD}{line}{BOLD:#}"));
        }
        self.line("");
    }

    fn facts(&mut self, explanation: &Explanation, all: bool) {
        let Explanation { subject, composition, rows, .. } = explanation;
        let class = match subject.header.class() {
            SessionClass::Main => "main session".to_owned(),
            SessionClass::Subagent { depth } => format!("subagent session, depth {depth}"),
        };
        let mut start = format!("{} ({class}", shown(&subject.start));
        if let Some(agent) = subject.header.agent_preset() {
            start.push_str(&format!(", agent {agent:?}"));
        }
        if let Some(mode) = &subject.mode {
            start.push_str(&format!(", mode {mode:?}"));
        }
        start.push(')');
        self.fact("starts in", &start);
        if let Some(root) = composition.report.root() {
            let markers = &subject.configuration.config.project_root_markers;
            self.fact("root", &format!("{}: {}", shown(root.path), words::root(root, markers)));
        }
        let user_global = rows.iter().find(|row| row.user_global);
        let home = match (&subject.home, user_global) {
            (None, _) if subject.configuration.config.home == "none" => "none, as configured".to_owned(),
            (None, _) => format!("none: {}", crate::configuration::no_home()),
            (Some(home), row) => {
                let fate = row.map(|row| words::fate(row).0).unwrap_or("not looked at".to_owned());
                let real = match home.shown.starts_with('~') {
                    true => String::new(),
                    false => format!(", which is {}", shown(&home.dir.join("AGENTS.md"))),
                };
                format!("{}/AGENTS.md{real}: {fate}", home.shown)
            }
        };
        if all || !is_nobodys(explanation) {
            self.fact("user-global", &home);
        }
        for path in &subject.touched {
            let remark = touch_remark(explanation, path);
            let path = shown_in(&root_of(explanation), path).unwrap_or(shown(path));
            self.fact("touches", &format!("{path}{remark}"));
        }
        self.budgets(explanation);
        self.fact("configured", &subject.configuration.describe());
    }

    fn budgets(&mut self, explanation: &Explanation) {
        let mut blocks: Vec<Block> = blocks(explanation).collect();
        let budget = explanation.subject.settings.max_bytes.bytes();
        if blocks.is_empty() && budget > 0 {
            blocks.push(Block { what: String::new(), bytes: 0, budget });
        }
        for Block { what, bytes, budget } in blocks {
            let budget = budget.max(1);
            let percent = bytes as u64 * 100 / budget;
            let filled = usize::try_from(bytes as u64 * BAR as u64 / budget).unwrap_or(BAR).min(BAR);
            let filled = if bytes > 0 { filled.max(1) } else { 0 };
            let (full, empty) = if self.terminal.unicode { ("█", "░") } else { ("#", ".") };
            let style = match percent {
                0..80 => GOOD,
                80..95 => WARN,
                _ => BAD,
            };
            let (full, empty) = (full.repeat(filled), empty.repeat(BAR - filled));
            let (label, gap) = ("budget", pad("budget", LABEL));
            let percent = if percent == 0 && bytes > 0 { "under 1".to_owned() } else { percent.to_string() };
            let of = format!("{} of {} bytes, {percent}%{what}", number(bytes as u64), number(budget));
            let bar = format!("{DIM}{label}{DIM:#}{gap}{style}{full}{style:#}{DIM}{empty}{DIM:#}");
            if LABEL + BAR + 1 + width(&of) <= self.terminal.width {
                self.line(&format!("{bar} {of}"));
            } else {
                self.line(&bar);
                self.fact("", &of);
            }
        }
    }

    fn tree(&mut self, explanation: &Explanation, all: bool) {
        let Explanation { subject, composition, rows, .. } = explanation;
        let Some(root) = composition.report.root() else { return };
        let at = shown_in(root.path, &subject.start).map(|at| at.to_string()).unwrap_or(".".to_owned());
        let is_shown = |row: &&Row| {
            let of_nobody = row.user_global && is_nobodys(explanation);
            let is_missed = row.trigger == Trigger::Imported;
            (all && !of_nobody) || row.broken_link || is_missed || row.fate != Fate::Absent
        };
        let mut lines = Vec::new();
        for row in rows.iter().filter(|row| row.user_global).filter(is_shown) {
            lines.push(self.heading(&row.dir, "user-global: for every project"));
            lines.push(self.row("", row, true));
        }
        let project = rows.iter().filter(|row| !row.user_global && is_of_folder(row)).filter(is_shown);
        let folders = folders(project, [at.as_str()]);
        if let Some(top) = folders.first() {
            let why = if at == "." { "root, and where the session starts" } else { "root" };
            lines.push(self.heading(&shown(root.path).to_string(), why));
            self.folder(top, &folders, &at, "", &mut lines);
        }
        let mut last = None;
        let others = rows.iter().filter(|row| !row.user_global && !is_of_folder(row)).filter(is_shown);
        let others: Vec<&Row> = others.collect();
        for (index, row) in others.iter().enumerate() {
            if last != Some(&row.injector) {
                let rules = &explanation.subject.configuration.config.rules;
                let (name, kind) = match row.injector.as_str() {
                    InjectorId::WORKSPACE => ("imports", "and other files that the ones above lead to"),
                    id if rules.iter().any(|rules| rules.id == id) => (id, "each when its head says"),
                    id => (id, "gated"),
                };
                lines.push(self.heading(name, kind));
                last = Some(&row.injector);
            }
            let ends = others.get(index + 1).is_none_or(|next| next.injector != row.injector);
            lines.push(self.row("", row, ends));
        }
        self.line("");
        self.lines(&lines);
    }

    fn folder(&self, folder: &Folder<'_>, all: &[Folder<'_>], at: &str, above: &str, lines: &mut Vec<Line>) {
        let count = folder.rows.len() + folder.folders.len();
        for (index, row) in folder.rows.iter().enumerate() {
            lines.push(self.row(above, row, index + 1 == count));
        }
        for (index, number) in folder.folders.iter().enumerate() {
            let Some(below) = all.get(*number) else { continue };
            let last = folder.rows.len() + index + 1 == count;
            let (branch, deeper) = self.branch(above, last);
            let touched = below.rows.iter().any(|row| row.trigger == Trigger::Touch);
            let why = match (below.dir == at, touched, below.rows.is_empty()) {
                (true, _, true) => "where the session starts: nothing here",
                (true, _, false) => "where the session starts",
                (_, true, _) => "touched",
                _ => "",
            };
            lines.push(Line { branch, below: deeper.clone(), ..self.heading(below.label, why) });
            self.folder(below, all, at, &deeper, lines);
        }
    }

    fn branch(&self, above: &str, last: bool) -> (String, String) {
        let (branch, below) = match (self.terminal.unicode, last) {
            (true, false) => ("├─ ", "│  "),
            (true, true) => ("└─ ", "   "),
            (false, false) => ("|- ", "|  "),
            (false, true) => ("`- ", "   "),
        };
        (format!("{above}{branch}"), format!("{above}{below}"))
    }

    fn heading(&self, name: &str, why: &str) -> Line {
        Line {
            branch: String::new(),
            name: name.to_owned(),
            style: BOLD,
            size: String::new(),
            words: why.to_owned(),
            words_style: DIM,
            below: String::new(),
            notes: Vec::new(),
        }
    }

    fn row(&self, above: &str, row: &Row, last: bool) -> Line {
        let (branch, below) = self.branch(above, last);
        let (mut words, words_style) = words::fate(row);
        if words::is_given(&row.fate) && row.trigger == Trigger::Touch {
            words.push_str(", by touch");
        }
        let style = if words::is_given(&row.fate) { Style::new() } else { DIM };
        Line {
            branch,
            name: row.name.clone(),
            style,
            size: row.size.map(|size| format!("{} B", number(size))).unwrap_or_default(),
            words,
            words_style,
            below,
            notes: row.notes.iter().map(Note::words).collect(),
        }
    }

    fn lines(&mut self, lines: &[Line]) {
        let left = |line: &Line| width(&line.branch) + width(&line.name);
        let is_row = |line: &&Line| !line.size.is_empty() || line.words_style != DIM || line.style != BOLD;
        let sizes = lines.iter().map(|line| width(&line.size)).max().unwrap_or(0);
        // A few long names do not push the others' words out of the page.
        let most = self.terminal.width.saturating_sub(sizes + 4 + NARROW);
        let names = lines.iter().filter(is_row).map(left).filter(|left| *left <= most).max().unwrap_or(0);
        let words_at = names + sizes + 4;
        for line in lines {
            let Line { branch, name, style, size, words, words_style, below, notes } = line;
            let mut out = format!("{DIM}{branch}{DIM:#}{style}{name}{style:#}");
            let taken = left(line);
            if size.is_empty() && *style == BOLD {
                let fits = taken + 2 + width(words) <= self.terminal.width;
                if fits && !words.is_empty() {
                    out.push_str(&format!("  {DIM}{words}{DIM:#}"));
                }
                self.line(&out);
                if !fits {
                    for text in wrap(words, self.terminal.width.saturating_sub(width(below) + 2)) {
                        self.line(&format!("{DIM}{below}  {text}{DIM:#}"));
                    }
                }
            } else {
                let gap = pad(size, sizes);
                let (lead, at) = if taken <= names {
                    (format!("{}  {gap}{size}  ", " ".repeat(names - taken)), words_at)
                } else {
                    // No room beside the name: below it.
                    self.line(&out);
                    out = format!("{DIM}{below}{DIM:#}");
                    let size = if size.is_empty() { String::new() } else { format!("{size}  ") };
                    let at = width(below) + 2 + width(&size);
                    (format!("  {size}"), at)
                };
                out.push_str(&lead);
                let columns = self.terminal.width.saturating_sub(at).max(NARROW);
                for (index, text) in wrap(words, columns).into_iter().enumerate() {
                    if index > 0 {
                        out = format!("{DIM}{below}{DIM:#}{}", pad(below, at));
                    }
                    out.push_str(&format!("{words_style}{text}{words_style:#}"));
                    self.line(&out);
                }
            }
            let columns = self.terminal.width.saturating_sub(width(below) + 8).max(NARROW);
            for note in notes {
                for (index, text) in wrap(note, columns).into_iter().enumerate() {
                    let label = if index == 0 { "  note: " } else { "        " };
                    self.line(&format!("{DIM}{below}{DIM:#}{WARN}{label}{text}{WARN:#}"));
                }
            }
        }
    }

    /// What is about no candidate, at the end.
    fn notes(&mut self, explanation: &Explanation, all: bool) {
        let mut notes: Vec<(&str, Style, String)> = Vec::new();
        let rules = explanation.notes.iter().filter_map(|note| match note {
            Note::Rules { path, .. } => Some(path.as_str()),
            _ => None,
        });
        let rules: Vec<&str> = rules.collect();
        let others = explanation.notes.iter().filter(|note| !matches!(note, Note::Rules { .. }));
        notes.extend(others.map(|note| ("note: ", WARN, note.words())));
        if !rules.is_empty() {
            let text = "there and not loaded, until the configuration has an entry [[rules]]";
            notes.push(("note: ", WARN, format!("rules are {text}: {}", rules.join(", "))));
        }
        notes.extend(gated::notes(explanation, all).into_iter().map(|text| ("note: ", WARN, text)));
        let problems = explanation.composition.report.problems().iter();
        notes.extend(problems.map(|problem| ("problem: ", BAD, problem.to_string())));
        notes.extend(explanation.subject.ignored().into_iter().map(|text| ("warning: ", WARN, text)));
        if !notes.is_empty() {
            self.line("");
        }
        for (label, style, text) in notes {
            let columns = self.terminal.width.saturating_sub(label.len());
            for (index, line) in wrap(&text, columns).into_iter().enumerate() {
                let label = if index == 0 { label.to_owned() } else { " ".repeat(label.len()) };
                self.line(&format!("{style}{label}{style:#}{line}"));
            }
        }
    }
}

/// Whether the home is the default one, and there is no file in it: nobody asked for that (D6).
fn is_nobodys(explanation: &Explanation) -> bool {
    let subject = &explanation.subject;
    let default = subject.home.as_ref().is_some_and(|home| home.shown == "~/.dsh")
        && subject.configuration.config.home == "dsh";
    let absent = |row: &Row| row.fate == Fate::Absent && !row.broken_link;
    default && explanation.rows.iter().any(|row| row.user_global && absent(row))
}

fn is_of_folder(row: &Row) -> bool {
    !row.dir.is_empty()
}

pub(super) fn root_of(explanation: &Explanation) -> std::path::PathBuf {
    let root = explanation.composition.report.root();
    root.map_or_else(|| explanation.subject.start.clone(), |root| root.path.to_path_buf())
}

/// What a touch comes to, when that is nothing.
fn touch_remark(explanation: &Explanation, path: &std::path::Path) -> &'static str {
    let subject = &explanation.subject;
    let root = root_of(explanation);
    let project = subject.settings.nested_discovery == NestedDiscovery::Project;
    let base = if project { &root } else { &subject.start };
    match (path.starts_with(base), std::fs::symlink_metadata(path).is_ok()) {
        (false, _) if path.starts_with(&root) => {
            ": not below where the session starts, so that it brings nothing (nested_discovery = \"cwd\")"
        }
        (false, _) => ": outside of the project, so that it brings nothing",
        (true, false) if path.as_os_str().len() > LONGEST_TOUCHED => {
            ": longer than a system call can name; its upper folders are looked at"
        }
        (true, false) => ": not there; its folders are looked at all the same",
        (true, true) => "",
    }
}
