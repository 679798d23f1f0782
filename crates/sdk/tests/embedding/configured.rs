//! From a configuration to an engine, and what a session makes of it (D6, D14, I10, S3).

use std::path::PathBuf;
use std::sync::Arc;

use standing_orders::Fact;
use standing_orders::config::{Config, ConfigError, Environment, Sources};
use standing_orders::delegation::SUBAGENT_DELEGATION;
use standing_orders::fs::{Fault, FaultKind, FsError, FsProviderExt, MemoryFs, Probe};
use standing_orders::plugin::*;
use standing_orders::{
    Budget, Engine, EngineError, Exclude, Fate, Frame, Home, SessionSetup, Settings, StepInput,
};

fn config(toml: &str) -> Result<Config, ConfigError> {
    Sources::new().text("/p/standing-orders.toml", format!("max_bytes = 65536\n{toml}")).load()
}

fn environment() -> Environment {
    Environment::new([("HOME", "/home/ü")])
}

fn engine(toml: &str) -> Engine {
    config(toml).unwrap().engine(&environment()).unwrap().0.build().unwrap()
}

fn tree(files: &[(&str, &'static str)]) -> Arc<MemoryFs> {
    let fs = MemoryFs::new();
    fs.make_dir("/ws/.git");
    files.iter().for_each(|(path, text)| fs.write(path, *text));
    Arc::new(fs)
}

fn main_session() -> SessionHeader {
    SessionHeader::main("s", 0).with_cwd("/ws")
}

async fn text(setup: SessionSetup) -> String {
    setup.compose(&[]).await.unwrap().text()
}

#[tokio::test]
async fn a_home_of_the_configuration_is_the_engines_and_a_session_can_name_another_or_none() {
    let fs = tree(&[("/home/ü/.dsh/AGENTS.md", "configured"), ("/other/AGENTS.md", "other")]);
    let engine = engine("home = '~/.dsh'");
    let session = || engine.session(main_session()).fs(fs.clone());
    assert!(text(session()).await.contains("Instructions from: ~/.dsh/AGENTS.md\n\nconfigured"));
    let other = text(session().home(Home::new("/other", "…/other"))).await;
    assert!(other.contains("other") && !other.contains("configured"), "{other}");
    assert_eq!(text(session().without_home()).await, "", "and none");
}

#[tokio::test]
async fn compose_takes_nothing_and_a_vector() {
    let fs = tree(&[("/ws/ä/AGENTS.md", "nested")]);
    let engine = Engine::new(Settings::new(Budget::from_bytes(65_536)));
    let session = || engine.session(main_session()).fs(fs.clone());
    assert_eq!(session().compose(&[]).await.unwrap().text(), "");
    let touched: Vec<PathBuf> = vec!["ä/x".into()];
    assert!(session().compose(&touched).await.unwrap().text().contains("nested"));
}

#[tokio::test]
async fn an_excluded_folder_is_told_and_not_looked_at() {
    let fs = tree(&[("/ws/node_modules/ü/AGENTS.md", "dep"), ("/ws/a/AGENTS.md", "a")]);
    let engine = engine("home = 'none'");
    let touched = ["node_modules/ü/i.js".into(), "a/x".into()];
    let composed = engine.session(main_session()).fs(fs.clone()).compose(&touched).await.unwrap();
    assert!(composed.text().contains("a") && !composed.text().contains("dep"));
    assert_eq!(composed.report.fate("node_modules"), Some(Fate::Excluded), "the topmost folder");
    assert_eq!(composed.report.counts().probes, 2 + 4 + 4, "markers at and above the root, root and `a`");

    let context = engine.session(main_session()).fs(fs.clone()).open([]).unwrap();
    let undelivered = context.undelivered(&["node_modules/ü/i.js"], StepInput::default()).await;
    assert_eq!(undelivered, [], "nothing of it is to be waited for (C15)");

    for (name, project) in [("below cwd", ""), ("in the project", "nested_discovery = 'project'")] {
        let engine = self::engine(&format!("home = 'none'\n{project}"));
        let inside = main_session().with_cwd("/ws/node_modules/ü");
        fs.write("/ws/node_modules/ü/src/AGENTS.md", "src");
        let composed = engine.session(inside).fs(fs.clone()).compose(&["src/x".into()]).await.unwrap();
        assert!(composed.text().contains("dep"), "{name}: the chain is not bound by it");
        assert!(!composed.text().contains("src\n"), "{name}: what is below the chain is");
    }
}

#[tokio::test]
async fn what_is_in_force_of_a_folder_that_becomes_excluded_is_withdrawn_once() {
    let fs = tree(&[("/ws/vendor/AGENTS.md", "vendor")]);
    let setup = |engine: &Engine| engine.session(main_session()).fs(fs.clone());
    let before = engine("home = 'none'\nexclude = []");
    let mut context = setup(&before).open([Fact::Touched(vec!["/ws/vendor/x".into()])]).unwrap();
    let prepared = context.pre_step(StepInput::default()).await;
    let first: Vec<_> = prepared.messages().iter().map(|message| message.source.clone()).collect();
    context.entered(prepared).unwrap();
    assert_eq!(context.in_force().len(), 1);

    let after = engine("home = 'none'\nexclude = ['vendor']");
    let mut context = setup(&after).open([Fact::Entered(first)]).unwrap();
    let prepared = context.pre_step(StepInput::default()).await;
    assert!(prepared.messages()[0].text().contains("Instructions removed: vendor/AGENTS.md"));
    context.entered(prepared).unwrap();
    context.touches().report("vendor/x");
    assert!(context.pre_step(StepInput::default()).await.is_empty(), "then there is silence");
}

#[test]
fn an_exclude_that_can_match_nothing_is_refused_with_key_and_reason() {
    for (glob, reason) in
        [("", "blank"), ("/abs", "begins with `/`"), ("../x", "`..`"), ("**ü", "of its own")]
    {
        let error = config(&format!("exclude = ['ok', '{glob}']")).unwrap_err();
        assert_eq!(error.key(), Some("exclude[1]"), "{glob}");
        assert!(error.to_string().contains(reason), "{glob}: {error}");
        assert!(Exclude::new([glob]).unwrap_err().to_string().contains(reason), "{glob}: in code too");
        let files = GatedFiles::new("g", ["x.md"]).unwrap().when_touched([glob]);
        assert!(files.unwrap_err().to_string().contains(reason), "{glob}: and `when_touched` (D23)");
    }
}

#[test]
fn a_row_of_the_policy_that_means_nothing_names_its_key() {
    for (row, expected) in [
        ("injector = 'workspace'", "missing key `policy[0].admit`"),
        (
            "admit = 'denny'",
            "`policy[0].admit` is \"denny\", expected \"allow\", \"deny\", or a whole number of bytes, 1 or more, did you mean `deny`?",
        ),
        ("admit = 0", "`policy[0].admit` is 0"),
        ("admit = 'deny'\nparts = ['user_globl']", "did you mean `user_global`?"),
        ("admit = 'deny'\nparts = []", "`policy[0].parts` is empty"),
        (
            "admit = 'deny'\ninjectors = 'x'",
            "unknown key `policy[0].injectors`, did you mean `policy[0].injector`?",
        ),
        ("admit = 'deny'\ninjector = 'ñ['", "`policy[0].injector` is \"ñ[\""),
        ("admit = 'deny'\nmodes = ['']", "`policy[0].modes[0]`"),
    ] {
        let error = config(&format!("[[policy]]\n{row}")).expect_err(row).to_string();
        assert!(error.contains(expected), "{row}: {error}");
    }
    let named = config("[[policy]]\nadmit = 'deny'\ninjector = 'on-cal'").unwrap();
    let builder =
        named.engine(&environment()).unwrap().0.gated(GatedFiles::new("on-call", ["x.md"]).unwrap());
    let error = builder.build().unwrap_err();
    assert!(matches!(error, EngineError::UnknownInjector { row: 0, .. }));
    assert!(error.to_string().contains("did you mean `on-call`?"), "{error}");
}

#[tokio::test]
async fn rows_of_the_configuration_and_a_policy_of_the_host_both_narrow() {
    #[derive(Debug)]
    struct NoLocal;
    impl SessionPolicy for NoLocal {
        fn admit(&self, request: &AdmissionRequest<'_>) -> Admission {
            if request.part == Part::Local { Admission::Deny } else { Admission::Allow }
        }
    }
    let fs =
        tree(&[("/ws/AGENTS.md", "base"), ("/ws/AGENTS.local.md", "local"), ("/ws/ü/AGENTS.md", "nested")]);
    let rows = "home = 'none'\n[[policy]]\nadmit = 'allow'\nagents = ['lead']\n[[policy]]\nadmit = 'deny'\nparts = ['nested']";
    let (builder, _) = config(rows).unwrap().engine(&environment()).unwrap();
    let engine = builder.policy(NoLocal).build().unwrap();
    let seen = async |agent: &str| {
        let header = main_session().with_agent_preset(agent);
        engine.session(header).fs(fs.clone()).compose(&["ü/x".into()]).await.unwrap().text()
    };
    let other = seen("other").await;
    assert!(other.contains("base") && !other.contains("local") && !other.contains("nested"), "{other}");
    let lead = seen("lead").await;
    assert!(lead.contains("nested") && !lead.contains("local"), "an allowing row widens nothing: {lead}");
}

#[tokio::test]
async fn the_delegation_notice_is_there_where_it_is_asked_for() {
    let child = || SessionHeader::child_of(&main_session(), "c", 0).unwrap();
    for (name, toml, header, told) in [
        ("a subagent, not asked for", "", child(), false),
        ("a subagent", "delegation_notice = true", child(), true),
        ("a main session", "delegation_notice = true", main_session(), false),
    ] {
        let engine = engine(&format!("home = 'none'\n{toml}"));
        let text = engine.session(header).fs(tree(&[])).compose_with(&[], StepInput::in_mode("plan")).await;
        let text = text.unwrap().text();
        assert_eq!(text.contains(SUBAGENT_DELEGATION), told, "{name}: {text}");
        assert!(!text.contains("plan mode"), "{name}: and no other entry");
    }
}

/// Not `Debug`, and it asks the file system.
struct Looks(InjectorId);

#[async_trait]
impl Injector for Looks {
    fn id(&self) -> &InjectorId {
        &self.0
    }

    async fn wanted(&self, context: &InjectionContext<'_>) -> Result<Wanted, InjectError> {
        let probe = context.fs().probe("/ws/größe").await;
        let found = probe.map_err(|error: FsError| InjectError::new(error.to_string()))?;
        let there = matches!(found, Probe::Present(_));
        Ok(Wanted::These(if there { vec![Instruction::text("n", "note", "large")] } else { Vec::new() }))
    }
}

#[tokio::test]
async fn an_injector_asks_the_sessions_own_file_system_and_a_fault_leaves_what_is_in_force() {
    let fs = tree(&[("/ws/größe", "")]);
    let settings = Settings::new(Budget::from_bytes(65_536));
    let engine = Engine::builder(settings).injector(Looks("looks".into())).build().unwrap();
    assert!(format!("{engine:?}").contains("looks"), "shown by its id");
    let mut context = engine.session(main_session()).fs(fs.clone()).open([]).unwrap();
    let prepared = context.pre_step(StepInput::default()).await;
    context.entered(prepared).unwrap();
    assert_eq!(context.in_force().len(), 1);
    fs.fault("/ws/größe", Some(Fault::Stat(FaultKind::Other("gone astray".to_owned()))));
    let prepared = context.pre_step(StepInput::default()).await;
    assert!(prepared.is_empty() && prepared.report().problems().len() == 1, "it stands (I6)");
}

#[test]
fn the_frame_of_a_wording_has_a_name_here() {
    let mut settings = Settings::new(Budget::from_bytes(1));
    settings.wording.frame = Frame::new("house-rules").unwrap();
}

#[tokio::test]
async fn a_marker_fault_and_replaced_bytes_are_among_the_troubles() {
    let fs = MemoryFs::new();
    fs.write("/ws/AGENTS.md", b"gr\xfc\xdfe".to_vec());
    fs.fault("/ws/.git", Some(Fault::Stat(FaultKind::Other("gone astray".to_owned()))));
    let engine = Engine::new(Settings::new(Budget::from_bytes(65_536)));
    let composed = engine.session(main_session()).fs(Arc::new(fs)).compose(&[]).await.unwrap();
    let troubles = composed.report.troubles();
    assert!(
        troubles.iter().any(|line| line.contains("marker") && line.contains("gone astray")),
        "{troubles:?}"
    );
    let replaced = |line: &String| line.starts_with("AGENTS.md: not UTF-8");
    assert!(troubles.iter().any(replaced), "{troubles:?}");
}

#[tokio::test]
async fn a_touch_of_a_path_that_no_system_call_can_name_is_told_and_costs_in_proportion() {
    let work = |components: usize| {
        let fs = MemoryFs::from_iter([("/ws/.git/HEAD", "x"), ("/ws/é/AGENTS.md", "é")]);
        let deep = std::path::PathBuf::from(format!("/ws/é/{}x", "d/".repeat(components)));
        async move {
            let setup = engine("").session(SessionHeader::main("s", 0).with_cwd("/ws"));
            let composition = setup.fs(Arc::new(fs)).compose(&[deep]).await.unwrap();
            assert!(
                composition.text().contains("é/AGENTS.md"),
                "the folders that can be named are looked at"
            );
            let problems: Vec<String> =
                composition.report.problems().iter().map(ToString::to_string).collect();
            (composition.report.counts().probes, problems)
        }
    };
    let (few, none) = work(100).await;
    assert_eq!(none, [""; 0], "nothing to tell");
    let ((bound, told), (same, _)) = (work(4_000).await, work(8_000).await);
    assert!(few < bound && bound == same, "{few}, {bound}, {same}: bounded, whatever the depth");
    assert!(told[0].starts_with("a touched path of 8008 bytes: "), "{told:?}");
}
