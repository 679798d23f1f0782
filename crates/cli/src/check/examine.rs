//! The instruction files of one directory, looked at for what their authors should know.

use std::collections::{BTreeMap, HashSet};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use standing_orders::fs::{FileId, FsProvider, KnownVersion, PathBatch, Probe, ReadOutcome};
use standing_orders::inspect::notes::{Note, of_finding, of_text};
use standing_orders::inspect::path::{lexical, shown};
use standing_orders::inspect::{Encoding, Places, SourceText, look};

use super::claude::{FOLDER, imports};
use super::evaluate::{Evaluator, read};
use super::finding::{Code, Finding};
use super::gather::{Gather, one_line};
use super::outcome::Outcome;
use super::problem::Evaluated;
use super::profile::Profile;
use super::references::{places, references};
use super::walk::Seen;
use crate::text::count;

/// What is there of a run's files, and which of them were looked at.
pub(super) struct Examiner<'e> {
    pub(super) evaluator: &'e Evaluator,
    pub(super) fs: &'e Arc<dyn FsProvider>,
    examined: HashSet<Id>,
}

#[derive(PartialEq, Eq, Hash)]
enum Id {
    File(FileId),
    Path(PathBuf),
}

impl<'e> Examiner<'e> {
    pub(super) fn new(evaluator: &'e Evaluator, fs: &'e Arc<dyn FsProvider>) -> Self {
        Self { evaluator, fs, examined: HashSet::new() }
    }

    /// Names: links that lead nowhere or out of the project, and letter case.
    pub(super) fn names(&self, dir: &Path, seen: &[Seen], gather: &mut Gather) {
        let candidates = self.evaluator.candidates();
        for entry in seen.iter().filter(|entry| !entry.is_dir) {
            let path = dir.join(&entry.name);
            if !candidates.contains(&entry.name) {
                let lower = entry.name.to_lowercase();
                if let Some(name) = candidates.iter().find(|name| name.to_lowercase() == lower) {
                    let message = format!("not {name}: where letter case counts, no session is given it");
                    gather.add(Finding::new(Code::CaseNearMiss, gather.shown(&path), message));
                }
            } else if entry.is_link {
                self.link(&path, gather);
            }
        }
    }

    fn link(&self, path: &Path, gather: &mut Gather) {
        let target = || fs::read_link(path).map(|to| shown(&to).to_string()).unwrap_or_default();
        match path.canonicalize() {
            Ok(real) if !real.starts_with(&self.evaluator.root) => {
                let message = format!("leads out of the project, to {}", target());
                gather.add(Finding::new(Code::LinkOutOfTree, gather.shown(path), message));
            }
            Ok(_) => {}
            Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
                let message = format!("leads nowhere: {} is not there", target());
                gather.add(Finding::new(Code::DanglingLink, gather.shown(path), message));
            }
            // Any other fault is the engine's to tell.
            Err(_) => {}
        }
    }

    /// Texts: of the files that a profile loads from `dir`, or of whatever place when `first`.
    pub(super) async fn texts(
        &mut self,
        dir: &Path,
        first: bool,
        evaluated: &[(Profile, Evaluated)],
        gather: &mut Gather,
    ) {
        let below = dir.join(FOLDER);
        let mut files: BTreeMap<Arc<Path>, Vec<(Profile, &Outcome)>> = BTreeMap::new();
        for (profile, Evaluated { outcome, .. }) in evaluated {
            let kept = outcome.kept.iter().map(|kept| &kept.path);
            for path in kept.chain(outcome.lost.iter().map(|lost| &lost.path)) {
                let here = path.parent().is_some_and(|folder| folder == dir || folder == below);
                // What stands above is somebody else's, but for gated files and the user-global one.
                if here || first && !dir.starts_with(path.parent().unwrap_or(path)) {
                    let by = files.entry(Arc::clone(path)).or_default();
                    if !by.iter().any(|(known, _)| known == profile) {
                        by.push((*profile, outcome));
                    }
                }
            }
        }
        if files.is_empty() {
            return;
        }
        let pointers = self.pointers(dir, &files, gather).await;
        for (path, by) in &files {
            self.text(path, by, pointers.get(path), gather).await;
        }
    }

    /// Winners that only point at a sibling, by our rules.
    async fn pointers(
        &self,
        dir: &Path,
        files: &BTreeMap<Arc<Path>, Vec<(Profile, &Outcome)>>,
        gather: &mut Gather,
    ) -> BTreeMap<Arc<Path>, String> {
        let mut pointers = BTreeMap::new();
        let mut of_dir = Places::new();
        of_dir.push_directory(dir);
        let rules = &self.evaluator.settings.rules;
        if !self.evaluator.profiles.contains(&Profile::Ours) {
            return pointers;
        }
        let look = look(&**self.fs, &of_dir, rules, |_| KnownVersion::Nothing).await;
        for index in 0..look.findings().len() {
            let Some((path, by)) = look.path(index).and_then(|path| files.get_key_value(path)) else {
                continue;
            };
            if !by.iter().any(|(profile, _)| *profile == Profile::Ours) {
                continue;
            }
            for note in of_finding(&look, index, &rules.names) {
                if let Note::Pointer { to } = note {
                    let message = format!("says no more than to read {to}, which it keeps from loading");
                    gather.add(
                        Finding::new(Code::PointerOnly, gather.shown(path), message)
                            .of(Profile::Ours)
                            .about(&*to, 1),
                    );
                    pointers.insert(Arc::clone(path), to);
                }
            }
        }
        pointers
    }

    async fn text(
        &mut self,
        path: &Arc<Path>,
        by: &[(Profile, &Outcome)],
        pointer: Option<&String>,
        gather: &mut Gather,
    ) {
        let probe = self.fs.probe_many(&PathBatch::one(path)).await.into_iter().next();
        let id = match probe {
            Some(Ok(Probe::Present(found))) => found.file.map(Id::File),
            _ => None,
        };
        if !self.examined.insert(id.unwrap_or_else(|| Id::Path(path.to_path_buf()))) {
            return;
        }
        let Ok(ReadOutcome::Content { bytes, .. }) = read(&**self.fs, path, self.evaluator.cap()).await
        else {
            return;
        };
        let Some(text) = SourceText::decode(&bytes) else { return };
        let shown = gather.shown(path);
        for note in of_text(&text) {
            match note {
                Note::Replaced(replaced) => {
                    let times = count(replaced.count, "replacement stands", "replacements stand");
                    let message = format!("{times} for bytes that are not valid text");
                    let mut finding = Finding::new(Code::ReplacedBytes, shown.clone(), message)
                        .about("", replaced.count as u64);
                    if matches!(text.encoding(), Encoding::Utf8 | Encoding::Utf8Marked)
                        && let Some(before) = bytes.get(..replaced.first)
                    {
                        let before = String::from_utf8_lossy(before);
                        let (line, column) = end(before.strip_prefix('\u{feff}').unwrap_or(&before));
                        finding = finding.at(line, column);
                    }
                    gather.add(finding);
                }
                Note::Invisible { character, line, column, count: times } => {
                    let code = format!("U+{:04X}", u32::from(character));
                    let kind = if is_direction(character) { "changes direction" } else { "is not seen" };
                    let more = if times > 1 { format!(", {times} times") } else { String::new() };
                    let message = format!("{code} {kind}{more}");
                    gather.add(
                        Finding::new(Code::InvisibleCharacter, shown.clone(), message)
                            .at(line, column)
                            .about(code, times as u64),
                    );
                }
                _ => {}
            }
        }
        if by.iter().any(|(profile, _)| *profile == Profile::Ours) {
            self.frame(&text, &shown, gather);
        }
        self.imports(path, &text, by, pointer, gather);
        self.references(path, &text, &shown, gather);
    }

    fn frame(&self, text: &SourceText, shown: &str, gather: &mut Gather) {
        let frame = &self.evaluator.settings.wording.frame;
        let plain = text.as_str();
        let neutral = frame.neutralise(plain);
        let tags = neutral.len() - plain.len();
        if tags == 0 {
            return;
        }
        // The backslash stands behind the mark that opens the tag.
        let differs = plain.bytes().zip(neutral.bytes()).position(|(a, b)| a != b).unwrap_or(plain.len());
        let before = plain.get(..differs).unwrap_or("");
        let mark = before.strip_suffix("&lt;").or_else(|| before.strip_suffix('<')).unwrap_or(before);
        let (line, column) = end(mark);
        let message = format!("{} of the frame <{}>, neutralised", count(tags, "tag", "tags"), frame.tag());
        gather.add(
            Finding::new(Code::FrameTag, shown.to_owned(), message).at(line, column).about("", tags as u64),
        );
    }

    fn imports(
        &self,
        path: &Path,
        text: &SourceText,
        by: &[(Profile, &Outcome)],
        pointer: Option<&String>,
        gather: &mut Gather,
    ) {
        let plain: Vec<_> = by.iter().filter(|(profile, _)| *profile != Profile::Claude).collect();
        if plain.is_empty() {
            return;
        }
        let shown = gather.shown(path);
        for import in imports(text) {
            let target = import.target.as_str();
            let is_pointer = pointer.is_some_and(|to| target.strip_prefix("./").unwrap_or(target) == to);
            if target.starts_with('~') || is_pointer {
                continue;
            }
            let found = self.places(target, path).into_iter().find(|place| place.exists());
            let Some(found) = found else {
                let message = format!("imports @{}, which is not there", one_line(target));
                gather.add(
                    Finding::new(Code::ImportDangling, shown.clone(), message)
                        .at(import.line, import.column)
                        .about(target, 1),
                );
                continue;
            };
            let real = found.canonicalize().unwrap_or(found);
            for (profile, outcome) in &plain {
                // What the same session is given anyway needs no import.
                let given = outcome.kept.iter().any(|kept| {
                    *kept.path == *real || kept.path.canonicalize().is_ok_and(|kept| kept == real)
                });
                if !given {
                    let message = format!("imports @{}, which is not expanded", one_line(target));
                    gather.add(
                        Finding::new(Code::ImportNotExpanded, shown.clone(), message)
                            .of(*profile)
                            .at(import.line, import.column)
                            .about(target, 1),
                    );
                }
            }
        }
    }

    fn references(&self, path: &Path, text: &SourceText, shown: &str, gather: &mut Gather) {
        for reference in references(text.as_str()) {
            // A volume that cannot be asked says nothing of what is there.
            let is_there = |place: &PathBuf| match fs::symlink_metadata(place) {
                Ok(_) => true,
                Err(error) => !matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory),
            };
            if !self.places(&reference.target, path).iter().any(is_there) {
                let message = format!("links to {}, which is not there", one_line(&reference.target));
                gather.add(
                    Finding::new(Code::BrokenReference, shown.to_owned(), message)
                        .at(reference.line, reference.column)
                        .about(reference.target, 1),
                );
            }
        }
    }

    /// Where a path that is written in the file may lead: from its folder, from the folder its link leads to,
    /// or from the project's root.
    fn places(&self, target: &str, path: &Path) -> Vec<PathBuf> {
        let real = path.canonicalize().ok();
        let dirs = [path.parent(), real.as_deref().and_then(Path::parent)];
        let dirs: Vec<&Path> = dirs.into_iter().flatten().collect();
        places(target, &dirs, &self.evaluator.root)
            .into_iter()
            .filter_map(|place| lexical(&place).ok())
            .collect()
    }
}

/// Line and column of what follows `before`.
fn end(before: &str) -> (usize, usize) {
    let line = before.matches('\n').count() + 1;
    let last = before.rsplit('\n').next().unwrap_or("");
    (line, last.chars().count() + 1)
}

fn is_direction(character: char) -> bool {
    matches!(character, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}
