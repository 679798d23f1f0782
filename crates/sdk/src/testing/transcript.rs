//! A stored history as text.

use std::fmt;

use standing_orders_history::{Block, EndOutcome, Event, UserMessage};
use standing_orders_session::{Action, SessionHeader};

/// The stored history of a session: what to count in, and, by its [`Display`](fmt::Display), a
/// text for snapshots.
///
/// The text is the same for the same inputs. It leaves out identities, digests, the inbox and ends
/// that are no interruption: see [`events`](Self::events).
#[derive(Clone, Debug, PartialEq)]
pub struct Transcript {
    header: SessionHeader,
    events: Vec<Event>,
}

impl Transcript {
    pub(super) fn new(header: SessionHeader, events: Vec<Event>) -> Self {
        Self { header, events }
    }

    /// Every entry, in order.
    pub fn events(&self) -> &[Event] {
        &self.events
    }

    /// How many messages of this injector each entered step has, from the first step on.
    pub fn injections_per_step(&self, injector: &str) -> Vec<usize> {
        let mut steps = Vec::new();
        for event in &self.events {
            match event {
                Event::StepStart => steps.push(0),
                Event::UserMessage(message) if is_of(message, injector) => {
                    if let Some(count) = steps.last_mut() {
                        *count += 1;
                    }
                }
                _ => {}
            }
        }
        steps
    }
}

fn is_of(message: &UserMessage, injector: &str) -> bool {
    let source = message.instruction_source().and_then(Result::ok);
    source.is_some_and(|source| source.injector.as_str() == injector)
}

/// The texts of what the model sees of an entry.
pub(super) fn push_texts(event: &Event, text: &mut String) {
    let blocks = match event {
        Event::UserMessage(message) => &message.content,
        Event::AssistantMessage(message) => &message.content,
        Event::ToolResult(result) => &result.content,
        Event::SurfaceReplaced(range) => &range.content,
        _ => return,
    };
    for block in blocks {
        if let Block::Text(block) = block {
            text.push_str(block);
            text.push('\n');
        }
    }
}

impl fmt::Display for Transcript {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "session {}, {}", self.header.id(), self.header.class())?;
        let mut step = 0;
        for event in &self.events {
            match event {
                Event::TurnStart => writeln!(f, "turn")?,
                Event::StepStart => {
                    step += 1;
                    writeln!(f, "step {step}")?;
                }
                Event::StepEnd(end) | Event::TurnEnd(end) if end.outcome == EndOutcome::Completed => {}
                Event::StepEnd(_) => writeln!(f, "step interrupted")?,
                Event::TurnEnd(_) => writeln!(f, "turn interrupted")?,
                Event::UserMessage(message) => match message.instruction_source() {
                    Some(Ok(source)) => {
                        let baseline = if source.baseline { ", baseline" } else { "" };
                        let changes: Vec<_> = source
                            .changes
                            .iter()
                            .map(|change| {
                                let action = match change.action {
                                    Action::Set => "set",
                                    Action::Replace => "replace",
                                    Action::Remove => "remove",
                                    Action::Omit => "omit",
                                };
                                format!("{action} {}", change.path)
                            })
                            .collect();
                        entry(f, event, &format!("{}{baseline}: {}", source.injector, changes.join(", ")))?;
                    }
                    _ => entry(f, event, "user")?,
                },
                Event::AssistantMessage(_) => entry(f, event, "assistant")?,
                Event::ToolCall(call) => writeln!(f, "  call {} {:?}", call.name, call.arguments)?,
                Event::ToolResult(result) => {
                    let failed = if result.ok { "" } else { " failed" };
                    let touched: Vec<_> =
                        result.touched.iter().map(|path| format!(" {}", path.display())).collect();
                    entry(f, event, &format!("{}{failed}{}", result.name, touched.concat()))?;
                }
                Event::SystemMessage(message) => lines(f, "system", &message.text)?,
                Event::SubagentDescriptor(subagent) => writeln!(f, "  subagent {}", subagent.session)?,
                Event::SurfaceReplaced(_) => entry(f, event, "compacted")?,
                Event::InboxSpliced(_) => {}
                other => writeln!(f, "  {}", other.kind())?,
            }
        }
        Ok(())
    }
}

fn entry(f: &mut fmt::Formatter<'_>, event: &Event, name: &str) -> fmt::Result {
    let mut text = String::new();
    push_texts(event, &mut text);
    lines(f, name, &text)
}

fn lines(f: &mut fmt::Formatter<'_>, name: &str, text: &str) -> fmt::Result {
    writeln!(f, "  {name}")?;
    text.lines().try_for_each(|line| match line {
        "" => writeln!(f, "    |"),
        line => writeln!(f, "    | {line}"),
    })
}
