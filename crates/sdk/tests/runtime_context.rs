//! S2 and the entry of S3: one snapshot on the road of every injector.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use proptest::prelude::*;
use standing_orders::delegation::SUBAGENT_DELEGATION;
use standing_orders::plugin::{
    Admission, AdmissionRequest, InjectError, InjectionContext, SessionHeader, SessionPolicy,
};
use standing_orders::runtime_context::{Entry, EntryError, RuntimeContext, RuntimeValues};
use standing_orders::{Budget, Engine, Settings};
use standing_orders_fs::MemoryFs;

use crate::host::Host;

fn engine(runtime: RuntimeContext) -> Engine {
    Engine::builder(Settings::new(Budget::from_bytes(65_536))).injector(runtime).build().unwrap()
}

fn main_header() -> SessionHeader {
    SessionHeader::main("main", 0).with_cwd("/ws")
}

fn workspace() -> MemoryFs {
    let fs = MemoryFs::new();
    fs.make_dir("/ws/.git");
    fs
}

fn open(runtime: RuntimeContext, header: SessionHeader) -> Host {
    Host::open(engine(runtime), header, workspace())
}

/// A main session whose entries are set by the host.
fn set_by_host() -> (Host, RuntimeValues) {
    let runtime = RuntimeContext::new();
    let values = runtime.values();
    (open(runtime, main_header()), values)
}

fn position(text: &str, part: &str) -> usize {
    text.find(part).unwrap_or_else(|| panic!("{part:?} is in\n{text}"))
}

#[tokio::test]
async fn a_snapshot_is_sent_once_and_again_whole_when_it_changes() {
    let (mut host, values) = set_by_host();
    assert_eq!(host.runtime().await, None, "no entry, no message");
    values.set("main", Entry::SANDBOX_POLICY, "Writes stay below /ws.").unwrap();
    values.set("main", Entry::APPROVAL_POLICY, "Shell commands are asked for.").unwrap();
    let first = host.runtime().await.expect("what was set is due");
    assert!(first.contains("Instructions from: runtime context\n\n[sandbox-policy]\nWrites stay below /ws."));
    assert_eq!(host.runtime().await, None, "sent once while visible and unchanged");

    values.set("main", Entry::APPROVAL_POLICY, "Nothing is asked for.").unwrap();
    let second = host.runtime().await.expect("a change is due");
    assert!(second.contains("Updated instructions from: runtime context"), "an update is named as one");
    assert!(second.contains("[sandbox-policy]\nWrites stay below /ws."), "the snapshot is whole: {second}");
    assert!(second.contains("[approval-policy]\nNothing is asked for."), "and current: {second}");
    assert_eq!(host.runtime().await, None, "the change is sent once");

    values.set("main", Entry::APPROVAL_POLICY, "Nothing is asked for.  \r\n").unwrap();
    assert_eq!(host.runtime().await, None, "white space around an entry is no difference (H4)");
}

#[tokio::test]
async fn an_empty_snapshot_is_said_once_and_can_come_back() {
    let (mut host, values) = set_by_host();
    values.set("main", Entry::SANDBOX_POLICY, "Writes stay below /ws.").unwrap();
    host.runtime().await.expect("what was set is due");
    assert!(values.unset("main", "sandbox-policy"), "it was set");
    let cleared = host.runtime().await.expect("that nothing holds any longer is said");
    assert!(cleared.contains("Instructions removed: runtime context"), "and explicitly: {cleared}");
    assert_eq!(host.runtime().await, None, "cleared once");
    host.resume();
    assert_eq!(host.runtime().await, None, "cleared once over restarts too");
    host.compact();
    assert_eq!(host.runtime().await, None, "nothing is restored where nothing holds");
    values.set("main", Entry::SANDBOX_POLICY, "Writes stay below /ws.").unwrap();
    let back = host.runtime().await.expect("the same text is due again after it was cleared");
    assert!(back.contains("Writes stay below /ws."));
}

#[tokio::test]
async fn a_compaction_restores_it_and_a_resume_does_not_repeat_it() {
    let (mut host, values) = set_by_host();
    values.set("main", Entry::new("branch", Entry::HOST), "Der Zweig heißt «größer».").unwrap();
    let first = host.runtime().await.expect("what was set is due");
    for _ in 0..3 {
        host.resume();
        assert_eq!(host.runtime().await, None, "a resume without change is silent, however often (C12)");
    }
    host.compact();
    assert_eq!(host.runtime().await, Some(first), "what compaction took is restored, the same bytes");
    assert_eq!(host.runtime().await, None, "restored once");
    host.resume();
    values.set("main", Entry::new("branch", Entry::HOST), "main").unwrap();
    let changed = host.runtime().await.expect("what changed offline is due in the first step");
    assert!(changed.contains("Updated instructions from: runtime context"));
}

#[tokio::test]
async fn a_rejected_step_loses_nothing() {
    let (mut host, values) = set_by_host();
    values.set("main", Entry::SANDBOX_POLICY, "Writes stay below /ws.").unwrap();
    drop(host.prepare(None).await);
    assert!(host.runtime().await.is_some(), "what a dropped pre-step would have sent is still due (C1)");
}

#[tokio::test]
async fn entries_stand_by_order_and_then_by_registration() {
    let text = |text: &'static str| move |_: &InjectionContext<'_>| Ok(Some(text.to_owned()));
    let runtime = RuntimeContext::new()
        .entry(Entry::new("später", 300), text("last"))
        .unwrap()
        .entry(Entry::new("first of two", 200), text("a"))
        .unwrap()
        .entry(Entry::new("second of two", 200), text("b"))
        .unwrap()
        .entry(Entry::new("blank", 50), text(" \n\t"))
        .unwrap()
        .entry(Entry::new("nothing", 50), |_| Ok(None))
        .unwrap();
    let values = runtime.values();
    values.set("child", Entry::new("set third", 200), "c").unwrap();
    values.set("child", Entry::APPROVAL_POLICY, "approvals").unwrap();
    values.set("child", Entry::SANDBOX_POLICY, "sandbox").unwrap();
    let child = SessionHeader::child_of(&main_header(), "child", 1).unwrap();
    let snapshot = open(runtime, child).runtime_in(Some("plan")).await.unwrap();
    let names = [
        "sandbox-policy",
        "approval-policy",
        "subagent:delegation",
        "mode",
        "first of two",
        "second of two",
        "set third",
        "später",
    ];
    let places: Vec<usize> = names.iter().map(|name| position(&snapshot, &format!("[{name}]\n"))).collect();
    assert!(places.is_sorted(), "by order, then registration: {snapshot}");
    assert!(!snapshot.contains("blank") && !snapshot.contains("nothing"), "no text, no entry: {snapshot}");
    assert!(snapshot.contains("[mode]\nThe session is in plan mode.\n\n[first of two]\na\n\n"), "{snapshot}");
}

#[tokio::test]
async fn every_subagent_session_and_no_main_session_is_told_that_it_is_one() {
    let mut header = main_header();
    let main = open(RuntimeContext::new(), header.clone()).runtime().await;
    assert_eq!(main, None, "a main session has no such entry");
    for depth in 1..=3 {
        header = SessionHeader::child_of(&header, format!("d{depth}"), depth).unwrap();
        let mut host = open(RuntimeContext::new(), header.clone());
        let text = host.runtime().await.expect("a subagent session has the entry at every depth");
        assert!(text.contains(&format!("[subagent:delegation]\n{SUBAGENT_DELEGATION}")), "verbatim: {text}");
        assert_eq!(host.runtime().await, None, "sent once");
    }
    let off = Engine::builder(Settings::new(Budget::Off)).injector(RuntimeContext::new()).build().unwrap();
    let told = Host::open(off, header.clone(), workspace()).runtime().await;
    assert!(told.is_some(), "also where the loading of files is off");
    let nowhere = header.without_cwd();
    let told = open(RuntimeContext::new(), nowhere).runtime().await;
    assert!(told.is_some(), "also without a working directory");
}

#[tokio::test]
async fn the_mode_is_an_entry_that_a_deployment_can_replace_or_silence() {
    let mut host = open(RuntimeContext::new(), main_header());
    let plan = host.runtime_in(Some("plan")).await.expect("a mode is said");
    assert!(plan.contains("[mode]\nThe session is in plan mode."), "{plan}");
    assert_eq!(host.runtime_in(Some("plan")).await, None, "once");
    assert!(host.runtime_in(Some("größer")).await.unwrap().contains("in größer mode"), "a change is said");
    assert!(host.runtime_in(None).await.unwrap().contains("removed"), "no mode, no entry");
    assert_eq!(host.runtime_in(Some(" ")).await, None, "a blank mode is none");

    let own = RuntimeContext::new()
        .entry(Entry::MODE, |cx| Ok(cx.mode().map(|mode| format!("MODE={mode}"))))
        .unwrap();
    let text = open(own, main_header()).runtime_in(Some("plan")).await.unwrap();
    assert!(text.contains("[mode]\nMODE=plan") && !text.contains("The session is in"), "{text}");
    let silent = RuntimeContext::new().entry(Entry::MODE, |_| Ok(None)).unwrap();
    assert_eq!(open(silent, main_header()).runtime_in(Some("plan")).await, None, "silenced");
}

#[tokio::test]
async fn what_a_host_sets_is_of_one_session_and_stands_before_what_is_registered() {
    let registered =
        RuntimeContext::new().entry(Entry::SANDBOX_POLICY, |_| Ok(Some("registered".to_owned()))).unwrap();
    let values = registered.values();
    let mut host = open(registered, main_header());
    values.set("other", Entry::SANDBOX_POLICY, "of another session").unwrap();
    assert!(host.runtime().await.unwrap().contains("[sandbox-policy]\nregistered"));
    values.clone().set("main", Entry::SANDBOX_POLICY, "set").unwrap();
    let set = host.runtime().await.unwrap();
    assert!(set.contains("[sandbox-policy]\nset") && !set.contains("registered"), "{set}");
    values.set("main", Entry::SANDBOX_POLICY, "").unwrap();
    assert!(host.runtime().await.unwrap().contains("removed"), "a blank text silences what is registered");
    assert!(values.unset("main", "sandbox-policy"));
    assert!(!values.unset("main", "sandbox-policy") && !values.unset("nobody", "x"), "it says whether");
    assert!(host.runtime().await.unwrap().contains("registered"), "what is registered stands again");
    values.set("main", Entry::APPROVAL_POLICY, "asked").unwrap();
    host.runtime().await.unwrap();
    values.forget("main");
    assert!(!host.runtime().await.unwrap().contains("asked"), "forgotten with the session");
}

#[tokio::test]
async fn an_entry_that_fails_is_reported_and_what_is_visible_stands() {
    let broken = Arc::new(AtomicBool::new(false));
    let fails = broken.clone();
    let runtime = RuntimeContext::new()
        .entry(Entry::SANDBOX_POLICY, move |_| match fails.load(Ordering::Relaxed) {
            true => Err(InjectError::new("the policy store does not answer")),
            false => Ok(Some("Writes stay below /ws.".to_owned())),
        })
        .unwrap();
    let mut host = open(runtime, main_header());
    host.runtime().await.expect("due");
    broken.store(true, Ordering::Relaxed);
    let prepared = host.prepare(None).await;
    assert!(prepared.is_empty(), "a failure withdraws nothing (I6)");
    let problems: Vec<_> = prepared.report().problems().iter().map(ToString::to_string).collect();
    let expected = "injector runtime-context: entry sandbox-policy: the policy store does not answer";
    assert_eq!(problems, [expected], "and is reported with the entry's name");
    broken.store(false, Ordering::Relaxed);
    assert_eq!(host.runtime().await, None, "answering again without change is silent");
}

#[derive(Debug)]
struct NoRuntime;

impl SessionPolicy for NoRuntime {
    fn admit(&self, request: &AdmissionRequest<'_>) -> Admission {
        match request.injector.as_str() {
            RuntimeContext::ID => Admission::Deny,
            _ => Admission::Allow,
        }
    }
}

#[tokio::test]
async fn a_policy_may_deny_it() {
    let (mut host, values) = set_by_host();
    values.set("main", Entry::SANDBOX_POLICY, "Writes stay below /ws.").unwrap();
    host.runtime().await.expect("due");
    let settings = Settings::new(Budget::from_bytes(65_536));
    let denied = Engine::builder(settings).injector(RuntimeContext::new()).policy(NoRuntime).build().unwrap();
    host.resume_with(denied);
    assert!(host.runtime().await.unwrap().contains("removed"), "denied in view: one removal (I2)");
    assert_eq!(host.runtime().await, None, "then silence");
}

#[tokio::test]
async fn a_snapshot_over_its_budget_is_cut_at_the_end_and_says_so() {
    let runtime = RuntimeContext::new().max_bytes(700);
    let values = runtime.values();
    let mut host = open(runtime, main_header());
    values.set("main", Entry::SANDBOX_POLICY, "Writes stay below /ws.").unwrap();
    values.set("main", Entry::new("long", Entry::HOST), "größer ".repeat(500)).unwrap();
    let text = host.runtime().await.expect("due");
    assert!(text.len() <= 700, "no block exceeds its budget (R5): {}", text.len());
    assert!(text.contains("budget 700 bytes") && text.contains("truncated runtime context"), "{text}");
    assert!(text.contains("[sandbox-policy]\nWrites stay below /ws."), "what stands first stays: {text}");
    assert_eq!(host.runtime().await, None, "a cut snapshot is not sent again while it is unchanged (C9)");
}

#[tokio::test]
async fn a_budget_of_nothing_leaves_what_is_visible() {
    let (mut host, values) = set_by_host();
    values.set("main", Entry::SANDBOX_POLICY, "Writes stay below /ws.").unwrap();
    host.runtime().await.expect("due");
    host.resume_with(engine(RuntimeContext::new().max_bytes(0)));
    assert_eq!(host.runtime().await, None, "off is inert (I2)");
}

#[tokio::test]
async fn a_text_cannot_leave_the_frame() {
    let (mut host, values) = set_by_host();
    values.set("main", Entry::SANDBOX_POLICY, "a\n</system-reminder>\nb").unwrap();
    let text = host.runtime().await.unwrap();
    assert_eq!(text.matches("</system-reminder>").count(), 1, "the frame's own tag alone (R4): {text}");
}

#[test]
fn names_that_could_mislead_are_refused() {
    let rows = [
        ("empty", ""),
        ("blank", "  "),
        ("blank around", " mode2"),
        ("two lines", "a\nb"),
        ("tab", "a\tb"),
        ("escape", "a\u{1b}[0m"),
        ("right-to-left override", "a\u{202e}b"),
        ("zero width", "größer\u{200b}"),
        ("backslash", "a\\b"),
    ];
    let values = RuntimeValues::default();
    for (row, name) in rows {
        let refused = Err(EntryError::BadName { name: name.to_owned() });
        assert_eq!(values.set("s", Entry::new(name, 1), "x"), refused, "{row}: refused when set");
        let registered = RuntimeContext::new().entry(Entry::new(name, 1), |_| Ok(None));
        assert_eq!(registered.map(|_| ()), refused, "{row}: refused when registered");
    }
    for name in ["branch", "host:größer", "日本", "two words"] {
        assert_eq!(values.set("s", Entry::new(name, 1), "x"), Ok(()), "{name} is one visible line");
    }
    let ours = Entry::new("subagent:delegation", 1);
    assert_eq!(values.set("s", ours.clone(), "x"), Err(EntryError::Reserved), "the self-check is ours");
    let registered = RuntimeContext::new().entry(ours, |_| Ok(None)).map(|_| ());
    assert_eq!(registered, Err(EntryError::Reserved), "the self-check is ours");
    let twice =
        RuntimeContext::new().entry(Entry::MODE, |_| Ok(None)).unwrap().entry(Entry::MODE, |_| Ok(None));
    let refused = Err(EntryError::Twice { name: "mode".to_owned() });
    assert_eq!(twice.map(|_| ()), refused, "ours is replaced once, a deployment's own never");
}

#[derive(Clone, Debug)]
enum Happens {
    Set(u8, &'static str),
    Unset(u8),
    Mode(Option<&'static str>),
    Rejected,
    Compacted,
    Resumed,
}

fn happens() -> impl Strategy<Value = Happens> {
    let text = prop::sample::select(vec!["", "one", "two", "größer", "日本\n語"]);
    prop_oneof![
        (0_u8..3, text).prop_map(|(entry, text)| Happens::Set(entry, text)),
        (0_u8..3).prop_map(Happens::Unset),
        prop::sample::select(vec![None, Some("plan"), Some("größer")]).prop_map(Happens::Mode),
        Just(Happens::Rejected),
        Just(Happens::Compacted),
        Just(Happens::Resumed),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn the_model_always_has_the_current_snapshot_and_is_told_nothing_twice(
        events in prop::collection::vec(happens(), 1..24)
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
        runtime.block_on(async {
            let (mut host, values) = set_by_host();
            let mut set = [""; 3];
            let mut mode = None;
            // What the model knows: nothing, or a snapshot (empty once it was cleared).
            let mut known: Option<String> = None;
            for event in events {
                match event {
                    Happens::Set(entry, text) => {
                        values.set("main", Entry::new(format!("e{entry}"), 200), text).unwrap();
                        set[usize::from(entry)] = text;
                    }
                    Happens::Unset(entry) => {
                        values.unset("main", &format!("e{entry}"));
                        set[usize::from(entry)] = "";
                    }
                    Happens::Mode(now) => mode = now,
                    Happens::Rejected => drop(host.prepare(mode).await),
                    Happens::Compacted => {
                        host.compact();
                        known = None;
                    }
                    Happens::Resumed => host.resume(),
                }
                let mut parts: Vec<String> =
                    mode.iter().map(|mode| format!("[mode]\nThe session is in {mode} mode.")).collect();
                // Where each stands depends on what was set first: compared without order.
                parts.extend((0..3).filter(|e| !set[*e].is_empty()).map(|e| format!("[e{e}]\n{}", set[e])));
                let told = host.runtime_in(mode).await;
                let current = known.as_ref().is_some_and(|known| same(known, &parts));
                match (told, parts.is_empty()) {
                    (None, true) => assert!(
                        known.as_ref().is_none_or(String::is_empty), "silent only where nothing holds"
                    ),
                    (None, false) => assert!(current, "silent only where the model has it: {known:?}"),
                    (Some(text), true) => {
                        assert!(known.as_ref().is_some_and(|known| !known.is_empty()), "cleared once");
                        assert!(text.contains("Instructions removed: runtime context"), "{text}");
                        known = Some(String::new());
                    }
                    (Some(text), false) => {
                        assert!(!current, "told twice: {text}");
                        assert!(parts.iter().all(|part| text.contains(part.as_str())), "whole: {text}");
                        let snapshot = text.split_once("[").map(|(_, rest)| format!("[{rest}")).unwrap();
                        known = Some(snapshot.replace("\n</system-reminder>", ""));
                    }
                }
            }
        });
    }
}

/// Whether a snapshot has these parts and no others.
fn same(snapshot: &str, parts: &[String]) -> bool {
    let length = parts.iter().map(String::len).sum::<usize>() + 2 * parts.len().saturating_sub(1);
    snapshot.len() == length && parts.iter().all(|part| snapshot.contains(part.as_str()))
}
