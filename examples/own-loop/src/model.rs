//! A model that follows a script, so that the example needs no network and says the same each time.

use std::collections::VecDeque;

use crate::chat::Message;

/// What the model answers with.
#[derive(Clone, Debug)]
pub(crate) enum Reply {
    /// Text: the turn is over.
    Say(&'static str),
    /// A file is read.
    Read(&'static str),
    /// A file is written.
    Write(&'static str, &'static str),
    /// A subagent is given a task, and its own script.
    Delegate(&'static str, Vec<Reply>),
}

#[derive(Debug, Default)]
pub(crate) struct Script(VecDeque<Reply>);

impl Script {
    pub(crate) fn add(&mut self, replies: impl IntoIterator<Item = Reply>) {
        self.0.extend(replies);
    }

    /// One request. A real model would read the messages.
    pub(crate) fn answer(&mut self, _messages: &[Message]) -> Reply {
        self.0.pop_front().unwrap_or(Reply::Say("Done."))
    }
}
