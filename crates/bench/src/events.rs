//! A long history, as an agent at work leaves it.

use standing_orders_history::{
    AssistantMessage, Block, End, Event, History, Json, SurfaceReplaced, ToolCall, ToolResult, UserMessage,
};
use standing_orders_session::{Fact, InstructionSource, MessageId};

use crate::figure::Outcome;

/// Steps in a turn.
const STEPS: u64 = 10;
/// Turns between two compactions: about 3,000 events.
const TURNS: u64 = 60;

/// The events of a session: turns of ten steps, each with an answer, a tool call and its result;
/// now and then a compaction of everything. With a source, an instruction message stands in the
/// first step, and again in the one after each compaction.
pub(crate) struct Events {
    source: Option<InstructionSource>,
    /// Of every call.
    arguments: Json,
    /// Yet to come, in reverse.
    batch: Vec<Event>,
    next: u64,
    turns: u64,
    /// The first and the last event on the surface.
    surface: Option<(u64, u64)>,
}

impl Events {
    pub(crate) fn new(source: Option<InstructionSource>) -> Outcome<Self> {
        let arguments = Json::parse(r#"{"file_path": "src/module/façade.rs", "offset": 0, "limit": 400}"#)?;
        Ok(Self { source, arguments, batch: Vec::new(), next: 0, turns: 0, surface: None })
    }

    fn refill(&mut self) {
        let mut batch = Vec::new();
        let compacted = self.turns.is_multiple_of(TURNS);
        let before = if compacted { self.surface.take() } else { None };
        if let Some((first, last)) = before {
            let content = vec![Block::Text("What was done so far: the tests pass.".to_owned())];
            batch.push(SurfaceReplaced { first, last, content }.into());
        }
        batch.push(Event::TurnStart);
        for step in 0..STEPS {
            batch.push(Event::StepStart);
            if step == 0 {
                batch.push(UserMessage::text("Go on, please: the façade still lacks its tests.").into());
                if let (true, Some(source)) = (compacted, &self.source) {
                    batch.push(instruction(source, self.turns));
                }
            }
            batch.extend(self.work(step));
            batch.push(Event::StepEnd(End::default()));
        }
        batch.push(Event::TurnEnd(End::default()));
        self.turns += 1;
        batch.reverse();
        self.batch = batch;
    }

    fn work(&self, step: u64) -> [Event; 3] {
        let id = format!("call-{}-{step}", self.turns);
        let path = format!("src/module{}/file{step}.rs", self.turns % 17);
        let said = "The function is called from two places, and only one of them holds the lock.".repeat(2);
        let seen = "fn main() { run(std::env::args().collect()).unwrap_or_else(|e| eprintln!(\"{e}\")) }\n"
            .repeat(4);
        let arguments = self.arguments.clone();
        [
            AssistantMessage::text(said).into(),
            ToolCall { id: id.clone(), name: "read".to_owned(), arguments, parent: None }.into(),
            ToolResult {
                id,
                name: "read".to_owned(),
                ok: true,
                content: vec![Block::Text(seen)],
                touched: vec![path.into()],
                parent: None,
            }
            .into(),
        ]
    }
}

fn instruction(source: &InstructionSource, turn: u64) -> Event {
    let source = InstructionSource { id: MessageId::from(format!("{}-{turn}", source.id)), ..source.clone() };
    UserMessage::instruction(&source, vec![Block::Text("Instructions.".to_owned())]).into()
}

impl Iterator for Events {
    type Item = Event;

    fn next(&mut self) -> Option<Event> {
        if self.batch.is_empty() {
            self.refill();
        }
        let event = self.batch.pop()?;
        let shown = matches!(
            event,
            Event::UserMessage(_)
                | Event::AssistantMessage(_)
                | Event::ToolCall(_)
                | Event::ToolResult(_)
                | Event::SurfaceReplaced(_)
        );
        if shown {
            let first = self.surface.map_or(self.next, |(first, _)| first);
            self.surface = Some((first, self.next));
        }
        self.next += 1;
        Some(event)
    }
}

/// Hands the facts of the first `count` events to `take`.
pub(crate) fn facts(
    count: usize,
    source: Option<InstructionSource>,
    mut take: impl FnMut(Fact),
) -> Outcome<()> {
    let (mut history, mut facts) = (History::default(), Vec::new());
    for event in Events::new(source)?.take(count) {
        history.apply(event, &mut facts)?;
        facts.drain(..).for_each(&mut take);
    }
    history.settle(&mut facts);
    facts.into_iter().for_each(take);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_number_of_events_is_a_history_with_one_instruction_message_in_view() {
        let source = serde_json::json!({
            "kind": "standing-orders", "version": 1, "id": "m", "injector": "workspace", "baseline": true,
            "cwd": "dc76e9f0c0006e8f919e0c515c66dbba3982f785", "at": ".",
            "changes": [{"action": "set", "scope": ".\u{0}base", "path": "é/AGENTS.md",
                         "digest": "dc76e9f0c0006e8f919e0c515c66dbba3982f785"}],
        });
        let source = InstructionSource::from_value(&source).unwrap();
        for count in [10, 100, 3_100, 20_000] {
            let mut fold = standing_orders_session::Fold::new();
            facts(count, Some(source.clone()), |fact| fold.follow([fact])).unwrap();
            assert_eq!(
                fold.visible_messages().count(),
                1,
                "{count} events: the last one delivered is in view"
            );
        }
    }
}
