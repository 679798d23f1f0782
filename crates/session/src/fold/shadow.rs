//! Messages that leave the view, and the room they took.

use std::collections::HashSet;

use super::Fold;
use super::entry::Entries;
use super::texts::Texts;
use crate::MessageId;

impl Fold {
    pub(super) fn shadow(&mut self, id: &MessageId) {
        let Some(serial) = self.find(id) else { return };
        self.kill(serial);
        self.sweep_if_due();
    }

    pub(super) fn shadow_except(&mut self, kept: &[MessageId]) {
        let kept: HashSet<&MessageId> = kept.iter().collect();
        let dying = self.messages.iter().filter(|message| message.live && !kept.contains(&message.id));
        let dying: Vec<u32> = dying.map(|message| message.serial).collect();
        dying.into_iter().for_each(|serial| self.kill(serial));
        self.sweep_if_due();
    }

    pub(super) fn kill(&mut self, serial: u32) {
        let Some(message) = self.message_mut(serial).filter(|message| message.live) else { return };
        message.live = false;
        let injector = message.injector;
        self.dead += 1;
        self.revision += 1;
        if let Ok(at) = self.baselines.binary_search_by_key(&serial, |baseline| baseline.serial) {
            self.baselines.remove(at);
        }
        let first = self.entries.list.partition_point(|entry| entry.serial < serial);
        let last = self.entries.list.partition_point(|entry| entry.serial <= serial);
        let Some(table) = self.tables.get_mut(usize::from(injector)) else { return };
        table.live_messages = table.live_messages.saturating_sub(1);
        for at in first..last {
            if let Some(entry) = self.entries.list.get_mut(at) {
                entry.live = false;
            }
        }
        for at in first..last {
            table.retreat(&self.entries, at);
        }
    }

    /// Forgets dead messages: memory stays in proportion to the visible ones.
    pub(super) fn sweep_if_due(&mut self) {
        if self.dead as usize * 2 <= self.messages.len() {
            return;
        }
        self.dead = 0;
        self.messages.retain(|message| message.live);
        self.messages.shrink_to_fit();
        self.index = None;
        self.index_if_many();
        for table in &mut self.tables {
            table.rows = Vec::new();
            table.index = None;
        }
        let Entries { list, texts } = std::mem::take(&mut self.entries);
        self.move_spans(&texts);
        let live = list.iter().filter(|entry| entry.live);
        self.entries.list.reserve_exact(live.clone().count());
        for entry in live {
            let at = self.message(entry.serial).map(|message| self.at(message.place)).unwrap_or_default();
            let entry = self.entries.adopt(entry, &texts, at);
            self.push(entry);
        }
        self.entries.texts.tighten();
    }

    /// Takes what is not of an entry over from the texts before.
    fn move_spans(&mut self, from: &Texts) {
        let texts = &mut self.entries.texts;
        for place in &mut self.places {
            place.at = texts.keep(from.get(place.at), []);
        }
        let mut last = None;
        for baseline in &mut self.baselines {
            last = baseline.selection.map(|selection| texts.keep(from.get(selection), last)).or(last);
            baseline.selection = baseline.selection.and(last);
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::{Action, Change, Digest, Fact, Fold, InjectorId, InstructionSource, MessageId, Scope};

    fn message(number: usize) -> InstructionSource {
        let changes = ["a/é", "a/é/b"].map(|dir| Change {
            action: Action::Set,
            scope: Scope::of(dir, "base"),
            path: format!("{dir}/AGENTS.md"),
            digest: Some(Digest::of(&number.to_string())),
        });
        InstructionSource {
            id: MessageId::from(number.to_string()),
            injector: InjectorId::workspace(),
            baseline: false,
            baseline_identity: None,
            cwd: Digest::of("/ws"),
            at: ".".to_owned(),
            changes: changes.into(),
        }
    }

    #[test]
    fn a_path_that_comes_again_takes_no_room_for_its_text() {
        let mut fold = Fold::new();
        fold.follow([Fact::Entered(vec![message(0)])]);
        let bytes = fold.entries.texts.len();
        fold.follow([Fact::Entered((1..40).map(message).collect())]);
        assert_eq!(fold.entries.texts.len(), bytes, "each update names the same paths");
        fold.follow([Fact::ShadowedExcept((30..40).map(|number| message(number).id).collect())]);
        assert_eq!(fold.entries.list.len(), 20, "what left the view is forgotten");
        assert_eq!(fold.entries.texts.len(), bytes, "and the texts of the rest are still there once");
    }
}
