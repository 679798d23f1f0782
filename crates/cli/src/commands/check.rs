//! `check`: every directory a session could start in, and what it would lose (L3).

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use standing_orders::config::Environment;
use standing_orders::fs::FsProvider;
use standing_orders::inspect::find_root;
use standing_orders::inspect::notes::{Note, hidden_by_root};
use standing_orders::inspect::path::shown;
use standing_orders::{Budget, Engine, EngineBuilder};

use crate::args::{Class, Global, SessionArgs, bytes};
use crate::check::report::{self, Checked, Counted};
use crate::check::{
    Baseline, Code, Evaluator, Exemptions, Finding, Profile, Progress, Scope, Written, rules, scan, since,
};
use crate::configuration::{self, Configuration};
use crate::disk;
use crate::failure::Failure;
use crate::output::{self, say};
use crate::text::{count, number};

#[derive(Debug, clap::Args)]
#[command(after_help = "Reads every directory below ROOT once, but those that git ignores and nested \
                        repositories. Instruction files there count whether git ignores them or not, for \
                        sessions are given them. Exit status: 0 fine, 1 findings, 2 usage or input error.")]
pub(crate) struct Args {
    /// The project, or a folder of it
    #[arg(default_value = ".")]
    root: PathBuf,
    /// Whose rules count; repeatable [default: ours]
    #[arg(long, value_name = "NAME", value_enum)]
    profile: Vec<Profile>,
    /// Bytes a block of instructions may have; 0 turns loading off [default: as configured, else 65536]
    #[arg(long, value_name = "BYTES", value_parser = bytes, allow_negative_numbers = true)]
    max_bytes: Option<u64>,
    /// Which candidates of a directory count [default: as configured, else first]
    #[arg(long, value_name = "RULE", value_parser = ["first", "all_distinct"])]
    selection: Option<String>,
    /// What gives way over budget [default: as configured, else drop]
    #[arg(long, value_name = "RULE", value_parser = ["drop", "trim"])]
    overflow: Option<String>,
    /// Folder of the user-global AGENTS.md, or a profile (dsh): a machine's own, so not counted unless named
    #[arg(long, value_name = "DIR|none", default_value = "none", hide_default_value = true)]
    home: PathBuf,
    /// Bytes of every limit to keep free, for what a machine adds
    #[arg(long, value_name = "BYTES", value_parser = bytes, default_value = "0", hide_default_value = true)]
    reserve: u64,
    /// From which part of a limit on it is nearly used up
    #[arg(long, value_name = "PERCENT", value_parser = percent, default_value = "90%")]
    warn_at: u64,
    /// Findings that may stay as they are: only worse ones and new ones count
    #[arg(long, value_name = "FILE")]
    baseline: Option<PathBuf>,
    /// Write the findings to the file of --baseline, and succeed
    #[arg(long, requires = "baseline")]
    write_baseline: bool,
    /// Findings that do not count, by path and code, each with its reason (TOML)
    #[arg(long, value_name = "FILE")]
    exempt: Option<PathBuf>,
    /// Show too what changed for each starting point since this commit
    #[arg(long, value_name = "REF")]
    since: Option<String>,
    /// As JSON, in the shape that docs/check.md documents
    #[arg(long, group = "form")]
    json: bool,
    /// As SARIF 2.1.0, for code scanning
    #[arg(long, group = "form")]
    sarif: bool,
    /// As Markdown, for a pull request
    #[arg(long, group = "form")]
    markdown: bool,
}

pub(crate) async fn run(args: &Args, global: &Global) -> Result<ExitCode, Failure> {
    let progress = Progress::new(global.quiet);
    let start = directory(&args.root)?;
    let exemptions = args.exempt.as_deref().map_or_else(|| Ok(Exemptions::default()), Exemptions::read)?;
    let baseline = match (args.baseline.as_deref(), args.write_baseline) {
        (Some(path), false) => Some(Baseline::read(path)?),
        _ => None,
    };
    let write = match (args.baseline.as_deref(), args.write_baseline) {
        (Some(path), true) => Some((path, Baseline::read_if_there(path)?)),
        _ => None,
    };
    let Prepared { evaluator, gated, traps } = prepare(args, global, &start).await?;
    let scope = Scope::new(&evaluator, &start, &gated);
    let scan = scan(&evaluator, &start, &gated, traps, &progress).await;
    progress.clear();
    let mut scan = scan?;
    let since = match &args.since {
        Some(name) => Some(since(&evaluator, &start, &scan, name).await?),
        None => None,
    };
    let mut counted = Vec::new();
    let mut exempt = Vec::new();
    let mut known = Vec::new();
    let findings = std::mem::take(&mut scan.findings);
    let improved = baseline.as_ref().map_or(0, |baseline| baseline.improved(&findings, &scope));
    for finding in findings {
        match exemptions.reason(&finding).map(str::to_owned) {
            Some(reason) => exempt.push((finding, reason)),
            None if baseline.as_ref().is_some_and(|baseline| baseline.has(&finding)) => known.push(finding),
            None => {
                let was = baseline.as_ref().and_then(|baseline| baseline.measure(&finding));
                counted.push(Counted { finding, was });
            }
        }
    }
    let checked = Checked { evaluator, scan, counted, exempt, known, since };
    let text = match (args.json, args.sarif, args.markdown) {
        (true, ..) => report::json(&checked),
        (_, true, _) => report::sarif(&checked),
        (_, _, true) => report::markdown(&checked),
        _ => report::page(&checked),
    };
    output::coloured(&text)?;
    if let Some((path, before)) = write {
        let findings = checked.counted.iter().map(|counted| &counted.finding);
        let Written { findings, kept } = before.write(path, findings, &scope)?;
        if !global.quiet {
            let kept = match kept {
                0 => String::new(),
                kept => format!(", with {} that this run does not look at", count(kept, "entry", "entries")),
            };
            let findings = count(findings, "finding", "findings");
            say(format_args!("{findings} written to {}{kept}", shown(path)));
        }
    }
    if !global.quiet {
        for (path, code) in exemptions.unused(&scope) {
            say(format_args!("warning: no finding needs the exemption of {} in {path:?}", code.name()));
        }
        if improved > 0 {
            let entries = count(improved, "entry", "entries");
            say(format_args!("{entries} of the baseline can go or be lower: --write-baseline does it"));
        }
        say(summary(&checked, &progress));
    }
    let fine = checked.counted.is_empty() || args.write_baseline;
    Ok(if fine { ExitCode::SUCCESS } else { ExitCode::from(1) })
}

/// What is asked of the configuration before the walk.
struct Prepared {
    evaluator: Evaluator,
    /// Gated files, relative to the root.
    gated: Vec<PathBuf>,
    traps: Vec<Finding>,
}

async fn prepare(args: &Args, global: &Global, start: &Path) -> Result<Prepared, Failure> {
    let fs: Arc<dyn FsProvider> = Arc::new(disk::local());
    let environment = Environment::of_process();
    let session = SessionArgs {
        path: start.to_path_buf(),
        touch: Vec::new(),
        class: Class::Main,
        agent: None,
        mode: None,
        max_bytes: args.max_bytes,
        selection: args.selection.clone(),
        overflow: args.overflow.clone(),
        home: Some(args.home.clone()),
    };
    let configuration = Configuration::load(start, &session, global, &environment)?;
    if global.verbose {
        say(format_args!("configuration: {}", configuration.describe()));
    }
    let config = &configuration.config;
    let (mut settings, warnings) = config.settings();
    if !global.quiet {
        warnings.iter().for_each(|warning| say(format_args!("warning: {warning}")));
    }
    settings.max_bytes = match settings.max_bytes.bytes() {
        0 => Budget::Off,
        limit if limit > args.reserve => Budget::from_bytes(limit - args.reserve),
        limit => {
            let (reserve, limit) = (number(args.reserve), number(limit));
            return Err(Failure::Input(format!("--reserve {reserve} leaves nothing of {limit} bytes")));
        }
    };
    let input = |error: standing_orders::plugin::GatedError| Failure::Input(error.to_string());
    let traps = config.gated_traps().map_err(input)?;
    let builder = Engine::builder(settings.clone());
    let allowed = |builder: EngineBuilder, mut files: standing_orders::plugin::GatedFiles| {
        // A trap is a finding here, and what sessions are given is still to be told.
        for trap in &traps {
            files = files.allow_candidate_name(&trap.path);
        }
        builder.gated(files)
    };
    let gated = config.gated_files().map_err(input)?;
    let engine = gated.into_iter().fold(builder, allowed).build().map_err(Failure::Engine)?;
    let home = config.home(&environment).map_err(|error| configuration::fault(error, None))?;
    let root = find_root(&*fs, start, &settings.root).await;
    if !global.quiet
        && let Some(path) = configuration.file.above(&root.path)
    {
        say(format_args!("note: configured by {}, which lies above the root", shown(path)));
    }
    if !global.quiet
        && let Some(Note::HidesOuter { outer, files, .. }) =
            hidden_by_root(&*fs, &root, &settings.rules).await
        && !files.is_empty()
    {
        let files: Vec<String> = files.iter().map(|file| shown(file).to_string()).collect();
        let (outer, files) = (shown(&outer), files.join(", "));
        say(format_args!(
            "note: the root lies within another project, {outer}, whose instructions are not loaded: {files}"
        ));
    }
    let finding = |trap: &standing_orders::plugin::Trap| {
        let message = format!(
            "gated by {:?}, but named as the instruction file {}: any session that touches its folder is \
             shown it; call it {}",
            trap.id,
            trap.candidate,
            shown(&trap.better),
        );
        Finding::new(Code::GatedTrap, shown(&trap.path).to_string(), message)
    };
    let profiles = match args.profile.as_slice() {
        [] => vec![Profile::Ours],
        named => {
            let mut profiles: Vec<Profile> = Vec::new();
            for profile in named {
                if !profiles.contains(profile) {
                    profiles.push(*profile);
                }
            }
            profiles
        }
    };
    let is_ours = profiles.contains(&Profile::Ours);
    let mut traps: Vec<Finding> = traps.iter().filter(|_| is_ours).map(finding).collect();
    if is_ours {
        traps.extend(rules(&fs, config, &settings, &root.path).await?);
    }
    Ok(Prepared {
        traps,
        gated: config.gated.iter().flat_map(|gated| &gated.files).map(PathBuf::from).collect(),
        evaluator: Evaluator {
            engine,
            settings,
            home,
            profiles,
            root: root.path,
            reserve: args.reserve,
            warn_at: args.warn_at,
        },
    })
}

/// Links are followed, as the shell does when it changes there.
fn directory(path: &Path) -> Result<PathBuf, Failure> {
    let failed = |error| Failure::Path { path: path.to_path_buf(), error };
    let directory = path.canonicalize().map_err(failed)?;
    if !std::fs::metadata(&directory).map_err(failed)?.is_dir() {
        return Err(Failure::Input(format!("{}: not a directory", shown(path))));
    }
    Ok(directory)
}

fn summary(checked: &Checked, progress: &Progress) -> String {
    let scan = &checked.scan;
    let mut text = checked.tally();
    let size = |number: u64| usize::try_from(number).unwrap_or(usize::MAX);
    text.push_str(&format!(
        ": {}, {}, {} (those that git ignores and *.local.md too)",
        count(size(scan.walked.directories), "directory", "directories"),
        count(scan.starts.len(), "different starting point", "different starting points"),
        count(size(scan.files), "instruction file", "instruction files"),
    ));
    let left_out = [
        (scan.walked.ignored, "ignored directory", "ignored directories"),
        (scan.walked.nested, "nested repository", "nested repositories"),
    ];
    for (number, one, many) in left_out.into_iter().filter(|(number, ..)| *number > 0) {
        text.push_str(&format!(", without {}", count(size(number), one, many)));
    }
    text.push_str(&format!(", in {:.2} s", progress.elapsed().as_secs_f64()));
    text
}

fn percent(text: &str) -> Result<u64, String> {
    let number = text.strip_suffix('%').unwrap_or(text).parse().ok();
    number.filter(|percent| (1..=100).contains(percent)).ok_or_else(|| "expected 1% to 100%".to_owned())
}
