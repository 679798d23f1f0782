use std::borrow::Cow;

use crate::Frame;

/// Every sentence of ours that a model reads, and the frame (R3). Any of them can be replaced.
///
/// The defaults speak of no files: an injector's instructions need not come from one.
///
/// - An empty sentence leaves no blank line and no space behind: its part is not there.
/// - `{scope}` and `{previous}` are filled in once, where listed; braces elsewhere stay as written, also
///   those in what was filled in.
/// - Headings and the budget notice are fixed (R1, R2, R6).
/// - All of it goes through the frame like any file's text (R4).
///
/// ```
/// use standing_orders_render::Wording;
///
/// let mut wording = Wording::default();
/// wording.applies_to = "Only below {scope}.".into();
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Wording {
    /// Opens every complete message.
    pub introduction: Cow<'static, str>,
    /// Takes the introduction's place where the budget leaves no room for it (R6).
    pub compact_introduction: Cow<'static, str>,
    /// In a superseding baseline, before the introduction and a space, where nothing else stays in force.
    pub replaces_earlier: Cow<'static, str>,
    /// In its place where nested scopes stay: what was given for the user-global file and from the root to
    /// the working directory is replaced, the rest is not. Where it is left as ours and `replaces_earlier`
    /// is the host's own, the host's stands here too: two hands, or languages, do not mix. So whoever
    /// replaces the one should replace both.
    pub replaces_chain: Cow<'static, str>,
    /// After `replaces_earlier` and a space, when nothing stays in force.
    pub none_active: Cow<'static, str>,
    /// Where an additional file applies; `{scope}` is its directory, `.` for the root.
    pub applies_to: Cow<'static, str>,
    /// In place of `applies_to` for the user-global file.
    pub applies_everywhere: Cow<'static, str>,
    /// Under the heading of an updated file.
    pub changed: Cow<'static, str>,
    /// After `changed` and a space, when the file has another name now; `{previous}` is the earlier path,
    /// `{scope}` the directory.
    pub switched: Cow<'static, str>,
    /// Under the heading of a file that is gone.
    pub removed: Cow<'static, str>,
    /// Under the heading of a file that is there but has no room.
    pub left_out: Cow<'static, str>,
    /// Under the heading of an imported file; `{importer}` is the path of the file that names it, `{line}`
    /// the line there, from 1 (M3).
    pub imported_by: Cow<'static, str>,
    /// Under the heading of a rule for some paths; `{patterns}` is its patterns, as written (F10).
    pub applies_to_paths: Cow<'static, str>,
    /// The tag around each block.
    pub frame: Frame,
}

const REPLACES_EARLIER: &str = "This replaces all workspace instructions given earlier.";
const REPLACES_CHAIN: &str = "This replaces the workspace instructions given earlier for the user and for the \
                              folders from the workspace's root to the working directory. Those given for \
                              other folders stay in force.";

impl Wording {
    /// `replaces_chain`, or the host's own `replaces_earlier` in place of ours.
    pub(crate) fn chain_replaced(&self) -> &str {
        let ours = self.replaces_chain == REPLACES_CHAIN;
        if ours && self.replaces_earlier != REPLACES_EARLIER {
            &self.replaces_earlier
        } else {
            &self.replaces_chain
        }
    }
}

impl Wording {
    /// `applies_to`, filled in.
    pub fn applies_to(&self, scope: &str) -> String {
        fill(&self.applies_to, &[("{scope}", scope)])
    }

    /// `imported_by`, filled in.
    pub fn imported_by(&self, importer: &str, line: usize) -> String {
        fill(&self.imported_by, &[("{importer}", importer), ("{line}", &line.to_string())])
    }

    /// `applies_to_paths`, filled in.
    pub fn applies_to_paths(&self, patterns: &str) -> String {
        fill(&self.applies_to_paths, &[("{patterns}", patterns)])
    }
}

impl Default for Wording {
    fn default() -> Self {
        Self {
            introduction:
                "Guidance for this workspace follows. Where two of its parts disagree, the more specific \
                           one, further down, beats the broader one. It never overrides system, developer or \
                           direct user instructions."
                    .into(),
            compact_introduction: "Workspace guidance, below system, developer and user instructions.".into(),
            replaces_earlier: REPLACES_EARLIER.into(),
            replaces_chain: REPLACES_CHAIN.into(),
            none_active: "No workspace instructions are in force now.".into(),
            applies_to: "These instructions apply to work under `{scope}`.".into(),
            applies_everywhere: "These instructions apply everywhere.".into(),
            changed: "This has changed; what follows replaces what you were given of it before.".into(),
            switched: "It takes the place of `{previous}` for `{scope}`, which no longer applies.".into(),
            removed: "The instructions you were given under this name no longer apply.".into(),
            left_out: "This has changed, but its new content does not fit the instruction budget. What you \
                       were given of it before no longer applies."
                .into(),
            imported_by: "This is imported by `{importer}`, line {line}.".into(),
            applies_to_paths: "These instructions apply to work on files that match {patterns}.".into(),
            frame: Frame::default(),
        }
    }
}

/// Puts each value in the place of its name, in one pass over the template.
pub(crate) fn fill(template: &str, values: &[(&str, &str)]) -> String {
    let mut text = String::with_capacity(template.len());
    let mut rest = template;
    while let Some((before, from)) = rest.find('{').and_then(|at| rest.split_at_checked(at)) {
        text.push_str(before);
        let filled = values.iter().find_map(|(name, value)| Some((*value, from.strip_prefix(name)?)));
        let (value, after) = filled.unwrap_or(("{", from.get(1..).unwrap_or_default()));
        text.push_str(value);
        rest = after;
    }
    text.push_str(rest);
    text
}

/// The sentences that are not empty, a space between them.
pub(crate) fn sentences(first: &str, second: &str) -> String {
    let space = if first.is_empty() || second.is_empty() { "" } else { " " };
    [first, space, second].concat()
}
