//! A host: it keeps a history, runs steps by one or two writers, compacts, rewinds and restarts.

use std::collections::BTreeSet;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use standing_orders::{Context, EnterError, Prepared, RootRule, StepInput, Wording};
use standing_orders_session::{Fact, MessageId};

use super::coverage::Seen;
use super::history::{Entry, History, Touch};
use super::laws::{self, Outlook, Step};
use super::reader::{Belief, Reader, Said, folder, is_of_the_workspace, is_towards};
use super::story::{Between, CWDS, Change, End, Event, Range, Setting, TOUCHED, Terms, WHEN_TOUCHED};
use super::tree::{FOLDERS, PROJECTS, Tree};

#[derive(Debug)]
pub(super) struct Host<'s> {
    setting: &'s Setting,
    wording: Wording,
    terms: Terms,
    mode: Option<&'static str>,
    tree: Tree,
    history: History,
    writers: [Option<Context>; 2],
    /// The folders that each writer looks at again, for nothing could be had of them (C4).
    unanswered: [BTreeSet<String>; 2],
    budget_bound: bool,
    step_open: bool,
    clock: u64,
    pub(super) seen: Seen,
    /// What happened, for a failure.
    pub(super) log: Vec<String>,
}

/// A step that is prepared, and what must come of it.
struct Pending {
    writer: usize,
    prepared: Prepared,
    began: u64,
    outlook: Outlook,
}

impl<'s> Host<'s> {
    pub(super) fn new(setting: &'s Setting) -> Self {
        let mut tree = Tree::new();
        let project = CWDS[setting.terms.cwd].0;
        setting.files.iter().for_each(|edit| tree.apply(edit, project));
        Self {
            setting,
            wording: setting.wording(),
            terms: setting.terms.clone(),
            mode: None,
            tree,
            history: History::default(),
            writers: [None, None],
            unanswered: Default::default(),
            budget_bound: setting.terms.budget_binds(),
            step_open: false,
            clock: 0,
            seen: Seen::default(),
            log: Vec::new(),
        }
    }

    pub(super) async fn run(&mut self, events: &[Event]) -> Result<(), String> {
        for event in events {
            self.log.push(format!("{event:?}"));
            self.happens(event).await?;
        }
        Ok(())
    }

    async fn happens(&mut self, event: &Event) -> Result<(), String> {
        self.clock += 1;
        match event {
            Event::Edit(edit) => self.tree.apply(edit, self.project()),
            Event::Touch(touched) => self.touch(0, touched),
            Event::Step { writer, between, end, appended } => {
                self.step(*writer, between, *end, *appended).await?;
            }
            Event::Compact(range) => self.compact(*range),
            Event::Rewind(entries) => {
                self.seen.note("a rewind", !self.history.entries.is_empty());
                self.history.rewind(*entries);
                self.close_writers();
            }
            Event::Restart(changes) => self.restart(changes),
            Event::Mode(mode) => self.mode = [None, Some("plan")][*mode],
        }
        Ok(())
    }

    fn project(&self) -> usize {
        CWDS[self.terms.cwd].0
    }

    fn cwd(&self) -> &'static Path {
        Path::new(CWDS[self.terms.cwd].1)
    }

    fn restart(&mut self, changes: &[Change]) {
        let before = self.terms.clone();
        changes.iter().for_each(|change| self.terms.change(change));
        self.budget_bound |= self.terms.budget_binds();
        self.seen.note("a restart", true);
        self.seen.note("a restart elsewhere", before.cwd != self.terms.cwd);
        self.close_writers();
    }

    fn close_writers(&mut self) {
        self.writers = [None, None];
        self.unanswered = Default::default();
        self.step_open = false;
    }

    fn open(&mut self, writer: usize) -> &mut Context {
        if self.writers[writer].is_none() {
            let facts = self.history.facts(self.setting.tells_empty_steps);
            for touch in &mut self.history.touches {
                touch.known[writer] = Some(self.clock);
            }
            let other = self.writers[1 - writer].is_some();
            self.seen.note("two writers", other);
            let context = self.setup(&self.terms).open(facts).unwrap();
            self.writers[writer] = Some(context);
        }
        self.writers[writer].as_mut().unwrap()
    }

    fn setup(&self, terms: &Terms) -> standing_orders::SessionSetup {
        let engine = self.setting.engine(terms);
        let setup = engine.session(self.setting.header(terms)).fs(Arc::new(self.tree.fs.clone()));
        match terms.home() {
            Some(home) => setup.home(home),
            None => setup,
        }
    }

    /// Appends to the history, and tells the writers: all, or all but the one it is from.
    fn append(&mut self, entry: Entry, from: Option<usize>) {
        let fact = entry.fact(self.setting.tells_empty_steps);
        self.history.entries.push(entry);
        for (writer, context) in self.writers.iter_mut().enumerate() {
            if let (Some(context), Some(fact), true) = (context, &fact, from != Some(writer)) {
                context.apply([fact.clone()]);
            }
        }
    }

    /// Tools of this writer run side by side and touch these.
    fn touch(&mut self, writer: usize, touched: &[usize]) {
        let project = Path::new(PROJECTS[self.project()]);
        let cwd = self.cwd();
        let paths: Vec<PathBuf> = touched.iter().map(|path| project.join(TOUCHED[*path])).collect();
        let handle = self.open(writer).touches();
        std::thread::scope(|tools| {
            for path in &paths {
                let handle = handle.clone();
                tools.spawn(move || handle.report(path.strip_prefix(cwd).unwrap_or(path)));
            }
        });
        for path in paths {
            let path = lexical(&path);
            let known = [0, 1].map(|other| self.writers[other].is_some().then_some(self.clock));
            let entry = self.history.entries.len();
            self.history.touches.push(Touch { path: path.clone(), entry, answered_by: None, known });
            self.append(Entry::Touched(path), Some(writer));
        }
    }

    fn compact(&mut self, range: Range) {
        let Some(entry) = self.history.compact(range) else { return };
        let copies = self.history.view().len();
        let Entry::Compacted(gone, _) = &entry else { return };
        let gone: BTreeSet<MessageId> = gone.iter().cloned().collect();
        let before = self.believe().unwrap_or_default();
        self.note_copies(&gone);
        self.append(entry, None);
        let after = self.believe().unwrap_or_default();
        let kept = self.history.view().len();
        let here = self.here();
        let chain = |path: &String| is_of_the_workspace(path) && is_towards(path, &here);
        let nested = |path: &String| is_of_the_workspace(path) && !is_towards(path, &here);
        self.seen.note("a compaction", true);
        self.seen.note("a compaction of everything", kept == 0);
        let kept_tail = kept > 0 && copies > kept && range.from == 0;
        self.seen.note("a compaction that kept a tail", kept_tail);
        self.seen.note("a kept tail with a nested file", kept_tail && after.keys().any(nested));
        self.seen.note("a kept tail with a file of the chain", kept_tail && after.keys().any(chain));
        let revived = after.iter().any(|(path, told)| before.get(path).is_some_and(|known| known != told));
        self.seen.note("an earlier text counts again", revived);
        self.seen.note("a revoked text counts again", after.keys().any(|path| !before.contains_key(path)));
    }

    fn note_copies(&mut self, gone: &BTreeSet<MessageId>) {
        let view = self.history.view();
        let twice = gone.iter().any(|id| view.iter().filter(|(source, _)| source.id == *id).count() > 1);
        self.seen.note("copies of one message left the view", twice);
    }

    async fn step(
        &mut self,
        writer: usize,
        between: &[Between],
        end: End,
        appended: bool,
    ) -> Result<(), String> {
        self.open(writer);
        if self.step_open {
            self.append(Entry::StepClosed, None);
            self.step_open = false;
        }
        let pending = self.prepare(writer).await?;
        let mut overtaken = false;
        for event in between {
            self.clock += 1;
            match event {
                Between::Edit(edit) => self.tree.apply(edit, self.project()),
                Between::Touch(path) => {
                    self.touch(writer, &[*path]);
                    self.seen.note("a touch while a step was prepared", end != End::Rejected);
                }
                Between::OtherStep => {
                    self.open(1 - writer);
                    let other = self.prepare(1 - writer).await?;
                    overtaken |= !other.prepared.is_empty();
                    let done = self.enter(other, End::Enters, false, false)?;
                    overtaken |= done;
                }
                Between::Compact(range) => {
                    overtaken |= self.history.compact(*range).is_some();
                    self.compact(*range);
                }
            }
        }
        self.clock += 1;
        match end {
            End::Rejected => self.seen.note("a rejected step", !pending.prepared.is_empty()),
            End::Enters | End::EntersTwice => drop(self.enter(pending, end, appended, overtaken)?),
        }
        Ok(())
    }

    /// Works out a step, and what must come of it.
    async fn prepare(&mut self, writer: usize) -> Result<Pending, String> {
        self.clock += 1;
        let before = self.believe()?;
        let input = StepInput::in_mode(self.mode);
        let prepared = self.open(writer).pre_step(input).await;
        let began = self.clock;
        let context = self.open(writer);
        let root = context.root().expect("a pre-step fixes the root").to_path_buf();
        let fresh = self.fresh(&root).await?;
        let truths = self.tree.truths(&root, self.terms.home).await;
        self.seen.note("a step over faults", self.tree.has_faults());
        let here = here(&root, self.cwd());
        let same_place = self.is_same_place(&here);
        let (looked, rust) = self.must_look(writer, began, &root, &here, &before);
        let outlook = Outlook {
            before,
            fresh,
            truths,
            here,
            same_place,
            looked,
            rust,
            terms: self.terms.clone(),
            mode: self.mode,
            budget_bound: self.budget_bound,
            header: self.setting.header(&self.terms),
        };
        Ok(Pending { writer, prepared, began, outlook })
    }

    /// What a new session without any history is given, if it touched every folder.
    async fn fresh(&self, root: &Path) -> Result<Belief, String> {
        let terms = Terms { project_wide: true, ..self.terms.clone() };
        let folders =
            PROJECTS.iter().flat_map(|project| FOLDERS.map(|folder| Path::new(project).join(folder)));
        let mut touched: Vec<PathBuf> = folders.map(|folder| folder.join("new")).collect();
        touched.push(root.join(format!("new{}", WHEN_TOUCHED.1)));
        let setup = self.setup(&terms).root(RootRule::Fixed(root.to_path_buf()));
        let context = setup.open([Fact::Touched(touched)]).unwrap();
        let prepared = context.pre_step(StepInput::in_mode(self.mode)).await;
        let said: Vec<Said> = prepared
            .messages()
            .iter()
            .map(|message| Said { text: message.text(), here: here(root, self.cwd()) })
            .collect();
        Reader::read(&self.wording, &said)
    }

    /// Whether what is in view was recorded here and under this selection; else it goes with the
    /// new baseline, nested files too (C3).
    fn is_same_place(&self, here: &str) -> bool {
        let view = self.history.view();
        let last = view.iter().rev().find(|(source, _)| source.injector.is_workspace());
        let baseline = view.iter().rev().find_map(|(source, _)| source.baseline_identity.as_ref());
        let selection = if self.terms.all_distinct { "all_distinct" } else { "first" };
        last.is_some_and(|(source, _)| source.at == here)
            && baseline.is_none_or(|identity| identity["selection"] == selection)
    }

    /// The folders beside the chain that this step must have looked at (C4): those of what is
    /// believed, and those of touches that no entered step has answered; and whether one of these
    /// was of the kind that a gated file waits for (I4).
    fn must_look(
        &self,
        writer: usize,
        began: u64,
        root: &Path,
        here: &str,
        before: &Belief,
    ) -> (BTreeSet<String>, bool) {
        let mut folders = self.unanswered[writer].clone();
        if self.is_same_place(here) {
            let nested = before.keys().filter(|path| is_of_the_workspace(path) && !is_towards(path, here));
            folders.extend(nested.map(|path| folder(path).to_owned()));
        }
        let base = if self.terms.project_wide { root } else { self.cwd() };
        let mut rust = false;
        for touch in self.history.touches.iter().filter(|touch| touch.answered_by.is_none()) {
            if touch.known[writer].is_none_or(|known| known > began) {
                continue;
            }
            rust |= touch.path.starts_with(root) && touch.path.to_str().unwrap().ends_with(WHEN_TOUCHED.1);
            let mut folder = touch.path.parent();
            while let Some(below) = folder.filter(|folder| folder.starts_with(base) && *folder != base) {
                folders.insert(below.strip_prefix(root).unwrap().to_str().unwrap().to_owned());
                folder = below.parent();
            }
        }
        (folders, rust)
    }

    /// Whether it entered.
    fn enter(&mut self, pending: Pending, end: End, appended: bool, overtaken: bool) -> Result<bool, String> {
        let Pending { writer, prepared, began, outlook } = pending;
        let entry = Entry::messages(prepared.messages(), &outlook.here);
        let sources = prepared.sources();
        let is_empty = prepared.is_empty();
        match self.open(writer).entered(prepared) {
            Ok(()) => {}
            Err(EnterError::Stale { sources: again }) if overtaken => {
                if again != sources {
                    return Err("a stale step gives back other sources than it had".to_owned());
                }
                self.seen.note("a step that another overtook", true);
                if appended && !is_empty {
                    self.seen.note("a step that another overtook and that was appended", true);
                    let view = self.history.view();
                    let same = sources.iter().any(|own| view.iter().any(|(known, _)| known.id == own.id));
                    self.seen.note("two writers appended one message", same);
                    self.answer(writer, began);
                    self.append(entry, None);
                    self.step_open = true;
                }
                return Ok(false);
            }
            Err(error) => return Err(format!("a step that nothing overtook does not enter: {error}")),
        }
        self.answer(writer, began);
        self.append(entry.clone(), Some(writer));
        self.step_open = true;
        if end == End::EntersTwice && !is_empty {
            self.seen.note("an append was repeated", true);
            self.append(entry, None);
        }
        let after = self.believe()?;
        let context = self.writers[writer].as_ref().unwrap();
        let step = Step { outlook: &outlook, after: &after, in_force: context.in_force(), sources: &sources };
        self.log.push(format!("   => believed: {after:?}"));
        let (checked, unanswered) = (laws::check(&step), step.unanswered());
        laws::note(&step, &mut self.seen);
        self.unanswered[writer] = unanswered;
        checked.map_err(|why| {
            let view: String =
                self.history.view().iter().map(|(_, said)| format!("{}\n", said.text)).collect();
            let mut due = String::new();
            for fact in self.history.facts(true) {
                due.push_str(&format!("{fact:?}\n"));
            }
            format!("{why}\n--- in view:\n{view}--- outlook: {outlook:?}\n--- facts:\n{due}")
        })?;
        Ok(true)
    }

    /// A step of this writer answers what it knew when its pre-step began.
    fn answer(&mut self, writer: usize, began: u64) {
        let entry = self.history.entries.len();
        let open = self.history.touches.iter_mut().filter(|touch| touch.answered_by.is_none());
        let known = open.filter(|touch| touch.known[writer].is_some_and(|known| known <= began));
        known.for_each(|touch| touch.answered_by = Some(entry));
    }

    fn here(&self) -> String {
        let root = self.writers.iter().flatten().find_map(Context::root);
        here(root.unwrap_or(Path::new(PROJECTS[self.project()])), self.cwd())
    }

    /// What the reader believes now.
    fn believe(&self) -> Result<Belief, String> {
        Reader::read(&self.wording, self.history.view().into_iter().map(|(_, said)| said))
    }
}

/// The folder worked in, relative to the root.
fn here(root: &Path, cwd: &Path) -> String {
    match cwd.strip_prefix(root).ok().and_then(Path::to_str) {
        None | Some("") => ".".to_owned(),
        Some(here) => here.to_owned(),
    }
}

/// Without `..`.
fn lexical(path: &Path) -> PathBuf {
    path.components().fold(PathBuf::new(), |mut plain, part| {
        match part {
            Component::ParentDir => {
                plain.pop();
            }
            part => plain.push(part),
        }
        plain
    })
}
