//! Inputs in short, for tables and for the naive renderer.

use standing_orders_render::{
    Applies, Block, Complete, Fate, Frame, Opening, Overflow, Section, Switch, Wording, complete, transitions,
};

/// One section, owned.
#[derive(Clone, Debug)]
pub(crate) enum Item {
    Instructions(String, String),
    Everywhere(String, String),
    Under(String, String, String),
    Placeless(String, String),
    Updated(String, String),
    Switched { path: String, previous: String, scope: String, content: String },
    Removed(String),
    LeftOut(String),
}

impl Item {
    pub(crate) fn section(&self) -> Section<'_> {
        match self {
            Self::Instructions(path, content) => Section::instructions(path, content),
            Self::Everywhere(path, content) => Section::additional(path, Applies::Everywhere, content),
            Self::Under(path, scope, content) => {
                Section::additional(path, Applies::Directory(scope), content)
            }
            Self::Placeless(path, content) => Section::additional(path, Applies::Nothing, content),
            Self::Updated(path, content) => Section::updated(path, None, content),
            Self::Switched { path, previous, scope, content } => {
                Section::updated(path, Some(Switch { previous, scope }), content)
            }
            Self::Removed(path) => Section::removed(path),
            Self::LeftOut(path) => Section::left_out(path),
        }
    }
}

pub(crate) fn file(path: &str, content: &str) -> Item {
    Item::Instructions(path.into(), content.into())
}

pub(crate) fn under(path: &str, scope: &str, content: &str) -> Item {
    Item::Under(path.into(), scope.into(), content.into())
}

pub(crate) fn updated(path: &str, content: &str) -> Item {
    Item::Updated(path.into(), content.into())
}

pub(crate) fn removed(path: &str) -> Item {
    Item::Removed(path.into())
}

/// The sentences of the conformance scenarios.
pub(crate) fn short() -> Wording {
    let mut wording = Wording::default();
    wording.introduction = "INTRO".into();
    wording.compact_introduction = "COMPACT".into();
    wording.replaces_earlier = "REPLACES".into();
    wording.replaces_chain = "CHAIN".into();
    wording.none_active = "NONE".into();
    wording.applies_to = "UNDER {scope}".into();
    wording.applies_everywhere = "EVERYWHERE".into();
    wording.changed = "CHANGED".into();
    wording.switched = "WAS {previous} IN {scope}".into();
    wording.removed = "GONE".into();
    wording.left_out = "LEFT OUT".into();
    wording
}

pub(crate) fn tagged(tag: &str) -> Wording {
    let mut wording = short();
    wording.frame = Frame::new(tag).unwrap();
    wording
}

pub(crate) fn framed(body: &str) -> String {
    format!("<system-reminder>\n{body}\n</system-reminder>")
}

pub(crate) fn first(items: &[Item], budget: usize, overflow: Overflow, wording: &Wording) -> Block {
    opened(Opening::Introduction, items, budget, overflow, wording)
}

pub(crate) fn opened(
    opening: Opening,
    items: &[Item],
    budget: usize,
    overflow: Overflow,
    wording: &Wording,
) -> Block {
    let sections: Vec<_> = items.iter().map(Item::section).collect();
    complete(&Complete { opening, sections: &sections, gives_way: &[], budget, overflow, wording })
}

pub(crate) fn later(items: &[Item], budget: usize, overflow: Overflow, wording: &Wording) -> Block {
    let sections: Vec<_> = items.iter().map(Item::section).collect();
    transitions(&sections, budget, overflow, wording)
}

/// `whole`, `cut FROM to TO`, ... joined by a comma.
pub(crate) fn fates(block: &Block) -> String {
    let fates = block.fates.iter().map(|fate| match fate {
        Fate::Whole => "whole".to_owned(),
        Fate::Cut { from, to } => format!("cut {from} to {to}"),
        Fate::HeadingOnly => "heading".to_owned(),
        Fate::Omitted => "omitted".to_owned(),
        Fate::Waits => "waits".to_owned(),
    });
    fates.collect::<Vec<_>>().join(", ")
}
