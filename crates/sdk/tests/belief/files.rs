//! The same for what people have beside `AGENTS.md`: rules folders, imports, additional directories, overlays
//! of a main checkout. A reader of its own, for these texts speak of who imports what, and for which paths.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;
use standing_orders::fs::{Fault, FaultKind};
use standing_orders::plugin::*;
use standing_orders::testing::{Harness, TestSession};
use standing_orders::{
    AdditionalDirectory, Budget, Digest, DirectoryLoad, Engine, Imports, Settings, StepInput, Wording,
};

use super::runner;

/// What rules import lies in `r/`, and nothing else imports it: by its path a reader tells whose it is.
const FILES: [&str; 22] = [
    "AGENTS.md",
    "CLAUDE.md",
    "AGENTS.local.md",
    "p/AGENTS.md",
    "p/AGENTS.local.md",
    "p/q/AGENTS.md",
    "x.md",
    "docs/y.md",
    "docs/z.md",
    "p/w.md",
    "r/u.md",
    "r/v.md",
    ".claude/rules/a.md",
    ".claude/rules/sub/b.md",
    ".cursor/rules/c.mdc",
    ".github/instructions/d.instructions.md",
    "p/.claude/rules/e.md",
    "/lib/AGENTS.md",
    "/lib/n/AGENTS.md",
    "/other/AGENTS.md",
    "/main/AGENTS.local.md",
    "/main/p/AGENTS.local.md",
];

/// What a workspace file may say.
const TEXTS: [&str; 10] = [
    "T1",
    "T2",
    "",
    "@x.md",
    "@./CLAUDE.md",
    "W @x.md @docs/y.md",
    "W2 @docs/z.md\n@docs/y.md @../x.md @w.md",
    "Y @./z.md @../p/w.md",
    "---\npaths: p/**\n---\nP",
    "T3",
];

/// What a rule, or what rules import, may say.
const RULES: [&str; 10] = [
    "R1",
    "R2 @../../r/u.md",
    "---\npaths: p/**\n---\nR3 @../../r/v.md",
    "---\nglobs: *.ts\n---\nR4",
    "---\nglobs: *.ts\nalwaysApply: true\n---\nR5",
    "---\ndescription: D\n---\nR6",
    "---\napplyTo: \"**\"\n---\nR7 @../r/u.md",
    "---\nno head\n---\nR8",
    "---\npaths:\n---\nR9",
    "R10 @./v.md",
];

const TOUCHED: [&str; 7] =
    ["p/a.ts", "p/q/b.rs", "c.ts", "docs/y.md", "/lib/n/x", "/other/x", ".claude/rules/a.md"];

const FOLDERS: [&str; 4] = [".claude/rules", ".claude/rules/sub", ".cursor/rules", "p/.claude/rules"];

#[derive(Clone, Debug)]
enum Event {
    Write(usize, usize),
    Remove(usize),
    Link(usize, usize),
    Touch(usize),
    Fault(usize, bool),
    FaultFolder(usize, bool),
    Heal,
    Compact,
    Resume,
    ResumeAs(Deployment),
}

#[derive(Clone, Copy, Debug)]
struct Deployment {
    expands: bool,
    rules: bool,
    nested: bool,
    distinct: bool,
}

#[derive(Clone, Debug)]
struct Setting {
    deployment: Deployment,
    worktree: bool,
    cwd: &'static str,
    load: (DirectoryLoad, DirectoryLoad),
    files: Vec<(usize, usize)>,
}

fn deployment() -> impl Strategy<Value = Deployment> {
    let flag = |often| proptest::bool::weighted(often);
    (flag(0.8), flag(0.8), flag(0.7), flag(0.25)).prop_map(|(expands, rules, nested, distinct)| Deployment {
        expands,
        rules,
        nested,
        distinct,
    })
}

fn setting() -> impl Strategy<Value = Setting> {
    let load = || prop_oneof![Just(DirectoryLoad::Eager), Just(DirectoryLoad::OnTouch)];
    let files = proptest::collection::vec((0..FILES.len(), 0..10_usize), 0..16);
    let cwd = prop_oneof![2 => Just("/ws"), 1 => Just("/ws/p")];
    (deployment(), any::<bool>(), cwd, (load(), load()), files).prop_map(
        |(deployment, worktree, cwd, load, files)| Setting { deployment, worktree, cwd, load, files },
    )
}

fn event() -> impl Strategy<Value = Event> {
    let file = || 0..FILES.len();
    prop_oneof![
        8 => (file(), 0..10_usize).prop_map(|(file, text)| Event::Write(file, text)),
        3 => file().prop_map(Event::Remove),
        1 => (file(), file()).prop_map(|(file, to)| Event::Link(file, to)),
        5 => (0..TOUCHED.len()).prop_map(Event::Touch),
        2 => (file(), any::<bool>()).prop_map(|(file, read)| Event::Fault(file, read)),
        1 => (0..FOLDERS.len(), any::<bool>()).prop_map(|(folder, read)| Event::FaultFolder(folder, read)),
        2 => Just(Event::Heal),
        1 => Just(Event::Compact),
        1 => Just(Event::Resume),
        1 => deployment().prop_map(Event::ResumeAs),
    ]
}

fn engine(deployment: Deployment) -> Engine {
    let mut settings = Settings::new(Budget::from_bytes(1_000_000));
    settings.imports = if deployment.expands { Imports::Expand } else { Imports::Off };
    if deployment.distinct {
        settings.rules.selection = standing_orders::Selection::AllDistinct;
    }
    let rules = RulesFolders::new("rules").nested(deployment.nested).max_bytes(1_000_000);
    let engine = Engine::builder(settings);
    // What is no longer registered would stay: it is retired.
    let engine = if deployment.rules { engine.injector(rules) } else { engine.retire("rules") };
    engine.build().unwrap()
}

fn text_of(file: usize, text: usize) -> &'static str {
    let is_rule = FILES[file].contains("/rules/")
        || FILES[file].contains("instructions/")
        || FILES[file].starts_with("r/");
    if is_rule { RULES[text] } else { TEXTS[text] }
}

/// What is believed of one path: the digests that its text may have been recorded with, and who imports it.
#[derive(Clone, Debug)]
struct Told {
    text: String,
    importer: Option<String>,
}

/// Reads all that is in view, from nothing.
fn read(seen: &str, here: &str) -> Result<BTreeMap<String, Told>, String> {
    let wording = Wording::default();
    let mut belief: BTreeMap<String, Told> = BTreeMap::new();
    for part in seen.split("<system-reminder>\n").skip(1) {
        let body = part.split("\n</system-reminder>").next().unwrap();
        let headings = [
            "Instructions from: ",
            "Additional instructions from: ",
            "Updated instructions from: ",
            "Instructions removed: ",
        ];
        let begins = |at: usize| {
            (at == 0 || body[..at].ends_with("\n\n"))
                && headings.iter().any(|words| body[at..].starts_with(words))
        };
        let mut starts: Vec<usize> = body.char_indices().map(|(at, _)| at).filter(|at| begins(*at)).collect();
        let opening = &body[..starts.first().copied().unwrap_or(body.len())];
        starts.push(body.len() + 2);
        if opening.starts_with(&*wording.replaces_chain) {
            let gone: Vec<String> =
                belief.keys().filter(|path| is_of_chain(&belief, path, here)).cloned().collect();
            gone.iter().for_each(|path| drop(belief.remove(path)));
        } else if opening.starts_with(&*wording.replaces_earlier) {
            belief.retain(|path, told| is_of_rules(path, told));
        }
        for pair in starts.windows(2) {
            let section = &body[pair[0]..(pair[1] - 2).min(body.len())];
            let (heading, rest) = section.split_once("\n\n").unwrap_or((section, ""));
            let (words, path) = headings
                .iter()
                .find_map(|words| Some((*words, heading.strip_prefix(words)?)))
                .ok_or(heading)?;
            let (mut rest, mut importer) = (rest, None);
            loop {
                // Sentences of ours stand before a blank line, or are all there is of an empty file's section.
                let sentence = rest.split("\n\n").next().unwrap();
                let is_ours = [
                    "These instructions apply ",
                    "This has changed;",
                    "This is imported by `",
                    "The instructions you were given",
                ];
                if !is_ours.iter().any(|begin| sentence.starts_with(begin)) {
                    break;
                }
                if let Some((_, named)) = sentence.split_once("This is imported by `") {
                    importer = named.split('`').next().map(str::to_owned);
                }
                if let Some((_, named)) = sentence.split_once("It takes the place of `") {
                    belief.remove(named.split('`').next().unwrap());
                }
                rest = rest.strip_prefix(sentence).unwrap().trim_start_matches('\n');
            }
            match words {
                "Instructions removed: " => drop(belief.remove(path)),
                _ => drop(belief.insert(path.to_owned(), Told { text: rest.to_owned(), importer })),
            }
        }
    }
    Ok(belief)
}

fn is_of_rules(path: &str, told: &Told) -> bool {
    let importer = told.importer.as_deref().unwrap_or("");
    path == "described rules"
        || [path, importer]
            .iter()
            .any(|path| path.contains("/rules/") || path.contains("instructions/") || path.starts_with("r/"))
}

/// Whether what is told of `path` was given for the project's folders down to `here`, or for an additional
/// directory: by itself, or by who imports it.
fn is_of_chain(belief: &BTreeMap<String, Told>, path: &str, here: &str) -> bool {
    let Some(told) = belief.get(path) else { return false };
    if is_of_rules(path, told) {
        return false;
    }
    let mut seen = BTreeSet::new();
    let mut path = path;
    while let Some(importer) = belief.get(path).and_then(|told| told.importer.as_deref()) {
        if !seen.insert(path) {
            break;
        }
        path = importer;
    }
    let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
    folder.is_empty() || here == folder || here.starts_with(&format!("{folder}/"))
}

struct Run {
    harness: Harness,
    session: TestSession,
    faults: BTreeSet<String>,
    here: &'static str,
}

impl Run {
    async fn begin(setting: &Setting) -> Self {
        let harness = Harness::new(engine(setting.deployment));
        if setting.worktree {
            harness.remove(".git");
            harness.write(".git", "gitdir: /main/.git/worktrees/w\n");
        }
        harness.fs().make_dir("/lib/.git");
        harness.fs().make_dir("/other/.git");
        setting.files.iter().for_each(|(file, text)| {
            harness.write(FILES[*file], text_of(*file, *text));
        });
        let load = [("/lib", setting.load.0), ("/other", setting.load.1)];
        let directories = load.map(|(path, load)| AdditionalDirectory { path: path.into(), load });
        let header =
            SessionHeader::main("s", 0).with_cwd(setting.cwd).with_additional_directories(directories);
        let session = harness.open(header).await.unwrap();
        Self {
            harness,
            session,
            faults: BTreeSet::new(),
            here: if setting.cwd == "/ws/p" { "p" } else { "" },
        }
    }

    async fn happen(&mut self, event: &Event) {
        let harness = &self.harness;
        let mut fault = |path: &str, read: bool| {
            let fault = if read { Fault::Read } else { Fault::Stat };
            harness.fs().fault(harness.path(path), fault(FaultKind::PermissionDenied));
            self.faults.insert(path.to_owned());
        };
        match event {
            Event::Write(file, text) => {
                harness.write(FILES[*file], text_of(*file, *text));
            }
            Event::Remove(file) => {
                harness.remove(FILES[*file]);
            }
            Event::Link(file, to) if file != to => {
                harness.remove(FILES[*file]);
                harness.fs().symlink(harness.path(FILES[*to]), harness.path(FILES[*file]));
            }
            Event::Link(..) => {}
            Event::Touch(path) => self.session.touch(TOUCHED[*path]).await.unwrap(),
            Event::Fault(file, read) => fault(FILES[*file], *read),
            Event::FaultFolder(folder, read) => fault(FOLDERS[*folder], *read),
            Event::Heal => {
                self.faults.iter().for_each(|path| harness.fs().fault(harness.path(path), None));
                self.faults.clear();
            }
            Event::Compact => self.session.compact("so far").await.unwrap(),
            Event::Resume => self.session.resume().await.unwrap(),
            Event::ResumeAs(deployment) => {
                self.harness = self.harness.with_engine(engine(*deployment));
                self.session.resume_with(engine(*deployment)).await.unwrap();
            }
        }
    }

    /// What is believed is what is in force.
    fn believe(&self) -> Result<(), String> {
        let seen = self.session.sees();
        let belief = read(&seen, self.here)?;
        let in_force = self.session.context().in_force();
        let paths: BTreeSet<&str> = in_force.iter().map(|entry| entry.path.as_str()).collect();
        let believed: BTreeSet<&str> = belief.keys().map(String::as_str).collect();
        if paths != believed {
            return Err(format!("in force {paths:?}, believed {believed:?}\n{seen}"));
        }
        for entry in &in_force {
            let text = &belief[&entry.path].text;
            let recorded = [Digest::of(text), Digest::of_normalised(text)];
            if !recorded.contains(&entry.digest) {
                return Err(format!("{}: another text is in force than {text:?}\n{seen}", entry.path));
            }
        }
        Ok(())
    }

    /// What a fresh session would be given is in force, as it is now; nothing where something cannot be looked at.
    async fn is_complete(&self) -> Result<(), String> {
        if !self.faults.is_empty() {
            return Ok(());
        }
        let setup = self.harness.engine().session(self.session.header().clone());
        let fresh = setup.fs(std::sync::Arc::new(self.harness.fs().clone())).open([]).unwrap();
        let prepared = fresh.pre_step(StepInput::default()).await;
        let in_force = self.session.context().in_force();
        let texts: BTreeSet<Digest> = in_force.iter().map(|entry| entry.digest).collect();
        for change in prepared.messages().iter().flat_map(|message| &message.source.changes) {
            let Some(digest) = change.digest else { continue };
            if !texts.contains(&digest) {
                return Err(format!("{} is not in force as it is: {in_force:?}", change.path));
            }
        }
        Ok(())
    }
}

fn run(setting: &Setting, events: &[Event]) -> Result<(), String> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let mut run = Run::begin(setting).await;
        for event in std::iter::once(None).chain(events.iter().map(Some)) {
            if let Some(event) = event {
                run.happen(event).await;
            }
            for _ in 0..2 {
                run.session.turn("go on").await.map_err(|error| error.to_string())?;
                run.believe().map_err(|why| format!("after {event:?}: {why}"))?;
            }
            run.is_complete().await.map_err(|why| format!("after {event:?}: {why}"))?;
        }
        Ok(())
    })
}

#[test]
fn what_a_reader_believes_of_rules_imports_and_other_places_is_in_force() {
    let stories = (setting(), proptest::collection::vec(event(), 1..14));
    let runs = runner(super::cases())
        .run(&stories, |(setting, events)| run(&setting, &events).map_err(TestCaseError::fail));
    if let Err(failure) = runs {
        panic!("{failure}");
    }
}
