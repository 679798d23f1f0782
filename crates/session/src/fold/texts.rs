//! The texts of a fold, in one piece.

/// Texts one after the other. What is a part of one that stands nearby is not kept again: the
/// directories of a chain are all beginnings of the deepest one.
#[derive(Clone, Debug, Default)]
pub(super) struct Texts {
    all: String,
}

/// Where a text stands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Span {
    start: u32,
    len: u32,
}

impl Texts {
    /// Bytes.
    pub(super) fn len(&self) -> usize {
        self.all.len()
    }

    /// Whether `more` bytes can still be kept.
    pub(super) fn has_room(&self, more: usize) -> bool {
        u32::try_from(self.len().saturating_add(more)).is_ok()
    }

    pub(super) fn get(&self, span: Span) -> &str {
        let start = span.start as usize;
        self.all.get(start..start + span.len as usize).unwrap_or("")
    }

    /// Keeps a text, if there is [room](Self::has_room) for it: as the beginning of one of those
    /// nearby, as the continuation of the last one, or for itself.
    pub(super) fn keep(&mut self, text: &str, near: impl IntoIterator<Item = Span>) -> Span {
        let len = u32::try_from(text.len()).unwrap_or(u32::MAX);
        let mut last = None;
        for span in near {
            let known = self.get(span);
            if known.starts_with(text) {
                return Span { start: span.start, len };
            }
            let at_end = (span.start + span.len) as usize == self.all.len() && !known.is_empty();
            if at_end && text.starts_with(known) {
                last = Some(span);
            }
        }
        let (start, known) = match last {
            Some(span) => (span.start, span.len as usize),
            None => (u32::try_from(self.all.len()).unwrap_or(u32::MAX), 0),
        };
        self.all.push_str(text.get(known..).unwrap_or(""));
        Span { start, len }
    }

    /// Gives back what was reserved ahead.
    pub(super) fn tighten(&mut self) {
        self.all.shrink_to_fit();
    }
}
