//! From what discovery found to what the rules of change need: the one place where the two meet.

use std::collections::HashMap;
use std::path::PathBuf;

use standing_orders_discovery::{Absence, Content as Held, Found, Look, Selection, SourceText};
use standing_orders_fs::FileId;
use standing_orders_session::{Candidate, Content, Digest, FileKey, PathRef, Seen};

use super::cache::{Cache, Key, Known};
use super::guard::Kept;
use super::layout::{Layout, USER_GLOBAL};
use crate::plugin::Body;
use crate::settings::Settings;

/// Which injector's candidate, and in which form its content is compared.
pub(super) struct Owners {
    /// The first candidate that is not the workspace's.
    workspace_end: u32,
    /// The injector of each later one.
    later: Vec<usize>,
}

impl Owners {
    pub(super) fn of(layout: &Layout<'_>, end: u32) -> Self {
        let probed = layout.wishes.iter().filter(|wish| wish.candidate < layout.probed).count();
        let workspace_end = layout.probed - u32::try_from(probed).unwrap_or(0);
        let mut later = vec![0; (end - workspace_end) as usize];
        for wish in &layout.wishes {
            if let Some(owner) = later.get_mut((wish.candidate - workspace_end) as usize) {
                *owner = wish.injector;
            }
        }
        Self { workspace_end, later }
    }

    /// 0 is the workspace.
    pub(super) fn injector(&self, candidate: usize) -> usize {
        let Some(at) = candidate.checked_sub(self.workspace_end as usize) else { return 0 };
        self.later.get(at).copied().unwrap_or(0)
    }
}

/// The cache key of each probed candidate.
pub(super) struct Keys {
    /// The number of the first candidate of each place.
    firsts: Vec<u32>,
    keys: Vec<Key>,
}

impl Keys {
    pub(super) fn of(layout: &Layout<'_>, owners: &Owners, settings: &Settings) -> Self {
        let probed = layout.probed as usize;
        let (mut firsts, mut keys) = (Vec::with_capacity(layout.places.len()), Vec::with_capacity(probed));
        for dir in &layout.dirs {
            let Some(first) = dir.first else { continue };
            firsts.push(first);
            let shown = layout.shown(dir);
            if dir.user_global {
                keys.push(Key::of(0, "user-global", USER_GLOBAL));
            } else {
                keys.extend(settings.rules.names.iter().map(|(_, name)| Key::of(0, shown, name)));
            }
        }
        for wish in layout.wishes.iter().filter(|wish| wish.candidate < layout.probed) {
            firsts.push(wish.candidate);
            let Body::File(path) = &wish.instruction.body else { continue };
            let file = path.to_string_lossy();
            keys.push(Key::of(owners.injector(wish.candidate as usize), &file, &wish.instruction.id));
        }
        Self { firsts, keys }
    }

    pub(super) fn at(&self, place: usize, candidate: usize) -> Key {
        let first = self.firsts.get(place).map_or(usize::MAX, |first| *first as usize);
        self.keys.get(first.saturating_add(candidate)).copied().unwrap_or_default()
    }
}

/// The digests of what was read, and what is known of the rest.
#[derive(Default)]
pub(super) struct Contents {
    known: Vec<Option<Known>>,
}

impl Contents {
    /// What the cache knows of the candidates that were not read for it.
    pub(super) fn from_cache(look: &Look, keys: &Keys, cache: &Cache) -> Self {
        let known = look.findings().iter().zip(&keys.keys).map(|(finding, key)| match &finding.found {
            Found::Present { metadata, content: Held::Known } => cache.get(*key, metadata),
            _ => None,
        });
        Self { known: known.collect() }
    }

    /// What was asked for and still is not there counts as unavailable.
    pub(super) fn forget_unread(&mut self, look: &Look, asked: &[usize]) {
        for number in asked {
            let unread = look.findings().get(*number).is_none_or(|finding| finding.text().is_none());
            if let (true, Some(known)) = (unread, self.known.get_mut(*number)) {
                *known = None;
            }
        }
    }

    /// Computes the digests of texts that have been read since.
    pub(super) fn digest(&mut self, look: &Look, owners: &Owners, selection: Selection) {
        for (number, finding) in look.findings().iter().enumerate() {
            let (Some(text), Some(slot)) = (finding.text(), self.known.get_mut(number)) else { continue };
            let workspace = owners.injector(number) == 0;
            let digest =
                if workspace { Digest::of(text.as_str()) } else { Digest::of_normalised(text.as_str()) };
            let unchanged = matches!(slot, Some(Known::Text { digest: known, .. }) if *known == digest);
            if !unchanged {
                let trimmed = workspace && selection == Selection::AllDistinct;
                let trimmed = trimmed.then(|| Digest::of_trimmed(text.as_str()));
                *slot = Some(Known::Text { digest, trimmed });
            }
        }
    }

    pub(super) fn get(&self, candidate: usize) -> Option<Known> {
        self.known.get(candidate).copied().flatten()
    }

    /// The cache after this look: every candidate whose content is known in a settled version.
    pub(super) fn to_cache(&self, look: &Look, keys: &Keys) -> Cache {
        let rows = self.known.iter().filter(|known| known.is_some()).count();
        let mut cache = Cache::with_capacity(rows);
        for (number, finding) in look.findings().iter().enumerate() {
            let Found::Present { metadata, content } = &finding.found else { continue };
            let content = match content {
                Held::Unavailable(standing_orders_discovery::Why::NotText) => Some(Known::NotText),
                Held::Unavailable(_) => None,
                Held::Known | Held::Text(_) => self.get(number),
            };
            if let (Some(content), Some(key)) = (content, keys.keys.get(number)) {
                cache.push(*key, metadata, content);
            }
        }
        cache.finish()
    }
}

/// Which file, as far as can be told: where a provider tells no identities, two places with one
/// path still are one file.
#[derive(PartialEq, Eq, Hash)]
enum Which {
    File(FileId),
    Path(PathBuf),
}

/// The selection as the rules of change name it.
pub(super) fn selection(settings: &Settings) -> standing_orders_session::Selection {
    match settings.rules.selection {
        Selection::First => standing_orders_session::Selection::First,
        Selection::AllDistinct => standing_orders_session::Selection::AllDistinct,
    }
}

/// Every candidate as the rules of change see it: first what was probed, in order, then the texts.
pub(super) fn candidates<'l>(
    layout: &'l Layout<'_>,
    look: &Look,
    contents: &Contents,
    kept: &Kept,
    settings: &'l Settings,
) -> Vec<Candidate<'l>> {
    let present = look.findings().iter().filter(|finding| finding.metadata().is_some()).count();
    let mut files: HashMap<Which, FileKey> = HashMap::with_capacity(present);
    let seen = |number: usize, found: &Found, files: &mut HashMap<Which, FileKey>| {
        let mut key = |file: Option<FileId>| {
            let path = || look.path(number).map(|path| Which::Path(path.components().collect()));
            let next = FileKey(u32::try_from(files.len()).unwrap_or(u32::MAX));
            Some(*files.entry(file.map(Which::File).or_else(path)?).or_insert(next))
        };
        match found {
            Found::Absent(Absence::Missing | Absence::Directory | Absence::Other) => Seen::Absent,
            Found::Failed(_) => Seen::Unknown,
            Found::Shadowed { metadata, .. } => {
                Seen::Present { file: key(metadata.file), content: Content::Unread }
            }
            Found::Present { metadata, content } => {
                let file = key(metadata.file);
                let content = match (content, contents.get(number)) {
                    (Held::Unavailable(_), _) | (_, None | Some(Known::NotText)) => Content::Unavailable,
                    (_, Some(Known::Text { digest, trimmed })) => Content::Text { digest, trimmed },
                };
                Seen::Present { file, content }
            }
        }
    };
    let mut candidates = Vec::with_capacity(look.findings().len() + layout.wishes.len());
    let mut findings = look.findings().iter().enumerate();
    for dir in layout.dirs.iter().filter(|dir| dir.first.is_some()) {
        let width = if dir.user_global { 1 } else { settings.rules.names.len() };
        for (number, finding) in findings.by_ref().take(width) {
            let name = match dir.user_global {
                true => USER_GLOBAL,
                false => settings.rules.names.get(finding.candidate).unwrap_or(""),
            };
            let path = PathRef { dir: layout.shown(dir), name };
            let mut seen = seen(number, &finding.found, &mut files);
            if let (Seen::Present { content, .. }, Some(metadata)) = (&mut seen, finding.metadata())
                && kept.has(metadata.file, look.path(number))
            {
                *content = Content::Gated;
            }
            candidates.push(Candidate { path, seen });
        }
    }
    let probed = layout.wishes.iter().filter(|wish| matches!(wish.instruction.body, Body::File(_)));
    for (wish, (number, finding)) in probed.zip(findings) {
        let path = PathRef::whole(&wish.instruction.shown);
        candidates.push(Candidate { path, seen: seen(number, &finding.found, &mut files) });
    }
    for wish in &layout.wishes {
        if let Body::Text(text) = &wish.instruction.body {
            let content = Content::Text { digest: Digest::of_normalised(text), trimmed: None };
            let path = PathRef::whole(&wish.instruction.shown);
            candidates.push(Candidate { path, seen: Seen::Present { file: None, content } });
        }
    }
    candidates
}

/// The text of a candidate, if it is at hand.
pub(super) fn text<'l>(layout: &'l Layout<'_>, look: &'l Look, candidate: u32) -> Option<&'l str> {
    if candidate < layout.probed {
        return look.findings().get(candidate as usize)?.text().map(SourceText::as_str);
    }
    let wish = layout.text_wish(candidate)?;
    match &wish.instruction.body {
        Body::Text(text) => Some(text),
        Body::File(_) => None,
    }
}
