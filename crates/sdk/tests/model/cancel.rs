//! Dropping a pre-step at any await leaves no trace (C14): for each scenario of the suite, at each
//! of its pre-steps, at every poll.

use std::future::Future;
use std::num::NonZeroU64;
use std::path::Path;
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

use serde_json::{Map, Value, json};
use standing_orders::driver::{Boundary, Decision, Driver, InboxMessage, SettledCall};
use standing_orders::plugin::{GatedFiles, SessionHeader, Sessions};
use standing_orders::{Budget, Engine, Exclude, Home, NestedDiscovery, Prepared, Settings, StepInput};
use standing_orders_discovery::{CandidateNames, PlainName, RootRule, Selection};
use standing_orders_fs::{Fault, FaultKind, MemoryFs};
use standing_orders_history::{Event, MemoryLog, Queue, SessionLog};
use standing_orders_render::{Frame, Overflow};
use standing_orders_simulate::{Scenario, simulate};

use super::sut::run;
use crate::conformance::scenarios;

#[test]
fn a_dropped_pre_step_leaves_no_trace_in_any_scenario() {
    let scenarios = scenarios();
    let (mut dropped, mut steps) = (0, 0);
    for (name, file) in &scenarios {
        let undisturbed: Scenario = serde_json::from_value(file["scenario"].clone()).unwrap();
        let undisturbed = serde_json::to_value(run(simulate(&undisturbed)).unwrap()).unwrap();
        let mut replay = Replay::start(name, &file["scenario"]);
        let mut expected = undisturbed["outcome"].as_array().unwrap().iter();
        for step in file["scenario"]["steps"].as_array().unwrap() {
            if let Some(texts) = replay.step(step) {
                assert_eq!(texts, instructions(expected.next().unwrap()), "{name}: as undisturbed");
                steps += 1;
            }
        }
        assert!(expected.next().is_none(), "{name}: every boundary was run");
        dropped += replay.dropped;
    }
    assert!(dropped >= steps, "pre-steps suspend, and were dropped where they did: {dropped} of {steps}");
}

fn instructions(step: &Value) -> Vec<String> {
    let messages = ["entered", "due"].into_iter().flat_map(|key| step[key].as_array().unwrap());
    messages.filter(|m| m["kind"] == "instructions").map(|m| m["text"].as_str().unwrap().to_owned()).collect()
}

struct Replay {
    name: String,
    fs: MemoryFs,
    config: Map<String, Value>,
    session: Map<String, Value>,
    injectors: Vec<Value>,
    driver: Driver,
    prompts: usize,
    dropped: usize,
}

impl Replay {
    fn start(name: &str, scenario: &Value) -> Self {
        let fs = MemoryFs::new();
        for (path, entry) in scenario["files"].as_object().into_iter().flatten() {
            match entry.get("symlink") {
                Some(target) => fs.symlink(target.as_str().unwrap(), path),
                None if path.ends_with('/') => fs.make_dir(path),
                None => fs.write(path, text(entry)),
            }
        }
        let config = scenario["config"].as_object().unwrap().clone();
        let session = scenario["session"].as_object().unwrap().clone();
        let injectors = scenario["injectors"].as_array().cloned().unwrap_or_default();
        let driver = open(&fs, &config, &session, &injectors, &[]);
        Self { name: name.to_owned(), fs, config, session, injectors, driver, prompts: 0, dropped: 0 }
    }

    /// The texts that entered or were due, of a boundary.
    fn step(&mut self, step: &Value) -> Option<Vec<String>> {
        let path = || step["path"].as_str().unwrap();
        match step["do"].as_str().unwrap() {
            "write" => self.fs.write(path(), text(&step["text"])),
            "mkdir" => self.fs.make_dir(path()),
            "symlink" => self.fs.symlink(step["target"].as_str().unwrap(), path()),
            "remove" => {
                self.fs.remove(path());
            }
            "fault" => {
                let kind = FaultKind::Other("injected".to_owned());
                let fault = match step["fail"].as_str().unwrap() {
                    "stat" => Some(Fault::Stat(kind)),
                    "read" => Some(Fault::Read(kind)),
                    _ => None,
                };
                self.fs.fault(path(), fault);
            }
            "tool" => {
                let owned = |key: &str| step[key].as_str().map(str::to_owned);
                let arguments = owned("path").map_or(Value::Null, |path| json!({ "file_path": path }));
                let call = SettledCall {
                    ok: step["ok"].as_bool().unwrap_or(true),
                    id: owned("id"),
                    parent: owned("parent"),
                    ..SettledCall::ok(step["name"].as_str().unwrap(), arguments)
                };
                run(self.driver.settled(call)).unwrap();
            }
            "step_end" => run(self.driver.end_step()).unwrap(),
            "compact" => {
                let keep = step["keep"].as_u64().unwrap_or(0) as usize;
                run(self.driver.compact_keeping(keep, "summary")).unwrap();
            }
            "resume" => self.resume(step),
            "pre_step" => return Some(self.boundary(step)),
            other => panic!("{}: a step this test does not know: {other}", self.name),
        }
        None
    }

    fn boundary(&mut self, step: &Value) -> Vec<String> {
        if let Some(mode) = step.get("mode") {
            self.session.insert("mode".to_owned(), mode.clone());
        }
        if let Some(prompt) = step["prompt"].as_str() {
            self.prompts += 1;
            let message = InboxMessage::text(format!("prompt-{}", self.prompts), prompt);
            run(self.driver.send(Queue::NextTurn, message)).unwrap();
        }
        let mode = self.session.get("mode").and_then(Value::as_str).map(str::to_owned);
        let boundary = self.disturbed(StepInput::in_mode(mode.as_deref()));
        let texts = texts(boundary.prepared());
        let decision = match step["decision"].as_str() {
            Some("reject") => Decision::Reject,
            Some("empty") => Decision::Empty,
            _ => Decision::Enter,
        };
        run(self.driver.decide(boundary, decision)).unwrap();
        texts
    }

    /// Drops the pre-step at its first poll, at its second and so on, until it ends.
    fn disturbed(&mut self, input: StepInput<'_>) -> Boundary {
        let context = self.driver.context();
        let before = (context.in_force(), context.last_report().map(Arc::as_ptr));
        let name = &self.name;
        for polls in 1.. {
            if let Some(boundary) = polled(self.driver.pre_step(input), polls) {
                return boundary.unwrap();
            }
            self.dropped += 1;
            let context = self.driver.context();
            let after = (context.in_force(), context.last_report().map(Arc::as_ptr));
            assert_eq!(after, before, "{name}: dropped at poll {polls}, all is as before");
            let due = texts(&run(context.due(input)));
            let fresh = run(self.driver.pre_step(input)).unwrap();
            assert_eq!(texts(fresh.prepared()), due, "{name}: dropped at poll {polls}, the same is due");
        }
        unreachable!("every pre-step ends")
    }

    fn resume(&mut self, step: &Value) {
        for (whole, key) in [(&mut self.config, "config"), (&mut self.session, "session")] {
            let changes = step[key].as_object().cloned().unwrap_or_default();
            whole.extend(changes);
        }
        let mut chunks = run(self.driver.session().log().read(0)).unwrap();
        let mut events = Vec::new();
        while let Some(chunk) = run(chunks.next_chunk()).unwrap() {
            events.extend(chunk.events);
        }
        self.driver = open(&self.fs, &self.config, &self.session, &self.injectors, &events);
    }
}

fn texts(prepared: &Prepared) -> Vec<String> {
    prepared.messages().iter().map(|message| message.text()).collect()
}

/// What the future answers within so many polls; it is dropped then.
fn polled<F: Future>(future: F, polls: usize) -> Option<F::Output> {
    let mut future = pin!(future);
    let mut context = Context::from_waker(Waker::noop());
    (0..polls).find_map(|_| match future.as_mut().poll(&mut context) {
        Poll::Ready(output) => Some(output),
        Poll::Pending => None,
    })
}

fn text(entry: &Value) -> String {
    match entry {
        Value::String(text) => text.clone(),
        entry => entry["repeat"].as_str().unwrap().repeat(entry["times"].as_u64().unwrap() as usize),
    }
}

fn strings(value: &Value) -> Option<Vec<String>> {
    Some(value.as_array()?.iter().map(|value| value.as_str().unwrap().to_owned()).collect())
}

fn open(
    fs: &MemoryFs,
    config: &Map<String, Value>,
    session: &Map<String, Value>,
    injectors: &[Value],
    events: &[Event],
) -> Driver {
    let mut engine = Engine::builder(settings(config));
    for entry in injectors {
        engine = engine.gated(gated(entry));
    }
    let mut stored = serde_json::to_value(
        SessionHeader::main("scenario", 0).with_cwd(Path::new(session["cwd"].as_str().unwrap())),
    )
    .unwrap();
    for key in ["origin", "agent_preset", "delegation_depth"] {
        if let Some(value) = session.get(key) {
            stored[key] = value.clone();
        }
    }
    let header = SessionHeader::from_value(&stored).unwrap();
    let log = MemoryLog::new(header.clone());
    run(log.append(0, events)).unwrap();
    let mut setup = engine.build().unwrap().session(header).fs(Arc::new(fs.clone()));
    if let Some(home) = config.get("home").and_then(Value::as_str) {
        setup = setup.home(Home::new(home, "$DSH_HOME"));
    }
    run(Driver::open(setup, log)).unwrap()
}

fn gated(entry: &Value) -> GatedFiles {
    let files = GatedFiles::new(entry["id"].as_str().unwrap(), strings(&entry["files"]).unwrap()).unwrap();
    let files = files
        .sessions(match entry["sessions"].as_str() {
            Some("subagent") => Sessions::Subagent,
            Some("any") => Sessions::Any,
            _ => Sessions::Main,
        })
        .agents(strings(&entry["agents"]).unwrap_or_default())
        .modes(strings(&entry["modes"]).unwrap_or_default());
    let mut files = files.when_touched(strings(&entry["when_touched"]).unwrap_or_default()).unwrap();
    if let Some(depth) = entry["max_depth"].as_u64() {
        files = files.max_depth(depth as u32);
    }
    if let Some(bytes) = entry["max_bytes"].as_u64() {
        files = files.max_bytes(bytes);
    }
    files
}

fn settings(config: &Map<String, Value>) -> Settings {
    let mut settings = Settings::new(Budget::from_bytes(config["max_bytes"].as_u64().unwrap()));
    let mut lists = [vec!["AGENTS.md", "CLAUDE.md"], vec!["AGENTS.local.md", "CLAUDE.local.md"]]
        .map(|list| list.into_iter().map(str::to_owned).collect());
    for (key, value) in config {
        match key.as_str() {
            "home" | "max_bytes" => {}
            "max_source_bytes" => {
                settings.rules.max_source_bytes = NonZeroU64::new(value.as_u64().unwrap()).unwrap();
            }
            "overflow" => settings.overflow = if value == "trim" { Overflow::Trim } else { Overflow::Drop },
            "selection" => {
                settings.rules.selection =
                    if value == "all_distinct" { Selection::AllDistinct } else { Selection::First };
            }
            "nested_discovery" => {
                settings.nested_discovery =
                    if value == "project" { NestedDiscovery::Project } else { NestedDiscovery::Cwd };
            }
            "project_root_markers" => {
                let markers = strings(value).unwrap();
                let markers = markers.iter().map(|name| PlainName::new(name).unwrap()).collect();
                settings.root.rule = RootRule::Markers(markers);
            }
            "exclude" => settings.exclude = Exclude::new(strings(value).unwrap()).unwrap(),
            "policy" => settings.policy = serde_json::from_value(value.clone()).unwrap(),
            "ceiling_directories" => {
                settings.root.ceilings = strings(value).unwrap().into_iter().map(Into::into).collect();
            }
            "instruction_file_candidates" => lists[0] = strings(value).unwrap(),
            "local_instruction_file_candidates" => lists[1] = strings(value).unwrap(),
            "wording" => value.as_object().unwrap().iter().for_each(|(key, sentence)| {
                let sentence = sentence.as_str().unwrap().to_owned();
                let wording = &mut settings.wording;
                let place = match key.as_str() {
                    "introduction" => &mut wording.introduction,
                    "compact_introduction" => &mut wording.compact_introduction,
                    "replaces_earlier" => &mut wording.replaces_earlier,
                    "replaces_chain" => &mut wording.replaces_chain,
                    "none_active" => &mut wording.none_active,
                    "applies_to" => &mut wording.applies_to,
                    "applies_everywhere" => &mut wording.applies_everywhere,
                    "changed" => &mut wording.changed,
                    "switched" => &mut wording.switched,
                    "removed" => &mut wording.removed,
                    "left_out" => &mut wording.left_out,
                    "frame" => {
                        wording.frame = Frame::new(sentence).unwrap();
                        return;
                    }
                    other => panic!("a sentence this test does not know: {other}"),
                };
                *place = sentence.into();
            }),
            other => panic!("a setting this test does not know: {other}"),
        }
    }
    let [base, local] = lists;
    settings.with_names(CandidateNames::new(base, local).0)
}
