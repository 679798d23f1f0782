//! What the text of frames tells: the lines, and where batches end.

use crate::Damage;
use crate::event::LineHead;

#[derive(Clone, Default)]
pub(super) struct Text {
    partial: Vec<u8>,
    /// The header counts.
    lines: u64,
    /// Behind the last whole batch.
    head: u64,
    next: u64,
    /// It begins with an entry of any number.
    anywhere: bool,
    batches: u64,
}

impl Text {
    /// The text of one batch, whose place is not known.
    pub(super) fn behind_header() -> Self {
        Self { lines: 1, anywhere: true, ..Self::default() }
    }

    /// The same at the begin of another frame.
    pub(super) fn ahead(&self) -> Self {
        Self { batches: 0, ..self.clone() }
    }

    pub(super) const fn lines(&self) -> u64 {
        self.lines
    }

    pub(super) const fn head(&self) -> u64 {
        self.head
    }

    /// How many whole batches the frame has that is read.
    pub(super) const fn batches(&self) -> u64 {
        self.batches
    }

    /// Whether it ends with the header or a whole batch.
    pub(super) fn is_whole(&self) -> bool {
        self.partial.is_empty() && self.lines > 0 && !self.anywhere && self.next == self.head
    }

    pub(super) fn take(&mut self, mut text: &[u8], max_line: u64) -> Result<(), Damage> {
        while let Some(at) = memchr::memchr(b'\n', text) {
            let (line, rest) = text.split_at_checked(at).unwrap_or((text, &[]));
            text = rest.get(1..).unwrap_or_default();
            self.partial.extend_from_slice(line);
            self.line(max_line)?;
            self.partial.clear();
        }
        self.partial.extend_from_slice(text);
        if self.partial.len() as u64 > max_line {
            return Err(Damage::TooLong { limit: max_line });
        }
        Ok(())
    }

    fn line(&mut self, max_line: u64) -> Result<(), Damage> {
        if self.partial.len() as u64 >= max_line {
            return Err(Damage::TooLong { limit: max_line });
        }
        if self.lines > 0 {
            let LineHead { seq, more } = serde_json::from_slice(&self.partial)
                .map_err(|error| Damage::NotAnEvent { reason: error.to_string() })?;
            if std::mem::take(&mut self.anywhere) {
                self.next = seq;
            }
            if seq != self.next {
                return Err(Damage::Sequence { expected: self.next, found: seq });
            }
            self.next = seq.checked_add(1).ok_or_else(|| Damage::NotAnEvent {
                reason: "the number of the entry is out of range".to_owned(),
            })?;
            if more == 0 {
                self.head = self.next;
                self.batches += 1;
            }
        }
        self.lines += 1;
        Ok(())
    }
}
