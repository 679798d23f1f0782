//! A slow renderer that re-renders for every choice, written from R1 to R7 and R9 alone.

use standing_orders_render::{Fate, Opening, Overflow, Wording};

use crate::fixture::Item;
use crate::reader::{neutralise, unforged};

struct Part {
    heading: String,
    sentence: String,
    content: String,
    path: String,
    removal: bool,
}

impl Part {
    fn new(item: &Item, w: &Wording) -> Self {
        let join =
            |words: &[String]| words.iter().filter(|s| !s.is_empty()).cloned().collect::<Vec<_>>().join(" ");
        let place = |scope: &str| w.applies_to.replace("{scope}", scope);
        let (words, path, sentence, content) = match item {
            Item::Instructions(path, content) => {
                ("Instructions from: ", path, String::new(), content.as_str())
            }
            Item::Everywhere(path, content) => {
                ("Additional instructions from: ", path, w.applies_everywhere.to_string(), content.as_str())
            }
            Item::Under(path, scope, content) => {
                ("Additional instructions from: ", path, place(scope), content.as_str())
            }
            Item::Placeless(path, content) => {
                ("Additional instructions from: ", path, String::new(), content.as_str())
            }
            Item::Updated(path, content) => {
                ("Updated instructions from: ", path, w.changed.to_string(), content.as_str())
            }
            Item::Switched { path, previous, scope, content } => {
                let switched = w.switched.replace("{scope}", scope).replace("{previous}", previous);
                let sentence = join(&[w.changed.to_string(), switched]);
                ("Updated instructions from: ", path, sentence, content.as_str())
            }
            Item::Removed(path) => ("Instructions removed: ", path, w.removed.to_string(), ""),
            Item::LeftOut(path) => ("Instructions removed: ", path, w.left_out.to_string(), ""),
        };
        let removal = matches!(item, Item::Removed(_) | Item::LeftOut(_));
        let heading = format!("{words}{path}");
        Self { heading, sentence, content: content.to_owned(), path: path.clone(), removal }
    }

    fn head(&self) -> String {
        body(&[self.heading.clone(), self.sentence.clone()])
    }

    fn with(&self, content: &str) -> String {
        body(&[self.head(), unforged(content)])
    }

    fn whole(&self) -> String {
        self.with(&self.content)
    }

    fn cuts(&self) -> impl Iterator<Item = usize> + '_ {
        (1..self.content.len()).rev().filter(|at| self.content.is_char_boundary(*at))
    }

    fn drawn_back(&self, fits: usize) -> usize {
        if self.content[fits..].starts_with('\n') {
            return fits;
        }
        self.content[..fits].rfind('\n').filter(|end| 2 * end >= fits).unwrap_or(fits)
    }
}

fn body(parts: &[String]) -> String {
    parts.iter().filter(|part| !part.is_empty()).cloned().collect::<Vec<_>>().join("\n\n")
}

struct Naive<'a> {
    parts: Vec<Part>,
    budget: usize,
    w: &'a Wording,
}

impl Naive<'_> {
    fn frame(&self, parts: &[String]) -> Option<String> {
        let tag = self.w.frame.tag();
        let body = self.fitting(parts)?;
        let text = format!("<{tag}>\n{}\n</{tag}>", neutralise(&body, tag));
        (text.len() <= self.budget).then_some(text)
    }

    fn bare(&self, parts: &[String]) -> Option<String> {
        let text = neutralise(&self.fitting(parts)?, self.w.frame.tag());
        (text.len() <= self.budget).then_some(text)
    }

    /// Neutralising never makes a text shorter.
    fn fitting(&self, parts: &[String]) -> Option<String> {
        Some(body(parts)).filter(|body| body.len() <= self.budget)
    }

    fn longest_bare(&self, text: &str) -> String {
        let ends = (0..=text.len()).rev().filter(|at| text.is_char_boundary(*at));
        let fits = ends.clone().find(|at| self.bare(&[text[..*at].to_owned()]).is_some()).unwrap_or(0);
        let end = match text[..fits].rfind('\n') {
            Some(end) if fits < text.len() && !text[fits..].starts_with('\n') && 2 * end >= fits => end,
            _ => fits,
        };
        self.bare(&[text[..end].to_owned()]).unwrap_or_default()
    }

    fn notice(&self, omitted: &[Part], cut: Option<(&Part, usize)>) -> String {
        let mut lost = Vec::new();
        if !omitted.is_empty() {
            let paths: Vec<_> = omitted.iter().map(|part| part.path.as_str()).collect();
            lost.push(format!("omitted {}", paths.join(", ")));
        }
        if let Some((part, to)) = cut {
            lost.push(format!("truncated {} from {} to {to} bytes", part.path, part.content.len()));
        }
        if lost.is_empty() {
            return String::new();
        }
        format!("Workspace instruction budget {} bytes: {}", self.budget, lost.join("; "))
    }

    fn complete_with(&self, opening: &str, omitted: usize, cut: Option<usize>) -> Option<String> {
        let mut parts = vec![
            self.notice(&self.parts[..omitted], cut.map(|to| (&self.parts[omitted], to))),
            opening.to_owned(),
        ];
        parts.extend(self.parts[omitted..].iter().enumerate().map(|(index, part)| match cut {
            Some(to) if index == 0 => part.with(&part.content[..to]),
            _ => part.whole(),
        }));
        self.frame(&parts)
    }

    fn complete_cut(&self, opening: &str, at: usize) -> Option<(usize, String)> {
        let part = &self.parts[at];
        let fits = part.cuts().find(|to| self.complete_with(opening, at, Some(*to)).is_some())?;
        let to = part.drawn_back(fits);
        Some((to, self.complete_with(opening, at, Some(to)).expect("drawing back never makes it longer")))
    }
}

pub(crate) fn complete(
    opening: Opening,
    items: &[Item],
    budget: usize,
    overflow: Overflow,
    w: &Wording,
) -> (String, Vec<Fate>) {
    let naive = Naive { parts: items.iter().map(|item| Part::new(item, w)).collect(), budget, w };
    let count = naive.parts.len();
    let replacing = |what: &str, rest: &str| format!("{what} {rest}").trim().to_owned();
    let both = |what| vec![replacing(what, &w.introduction), replacing(what, &w.compact_introduction)];
    let openings = match opening {
        Opening::Introduction => vec![w.introduction.to_string(), w.compact_introduction.to_string()],
        Opening::ReplacesAll => both(&w.replaces_earlier),
        Opening::ReplacesChain => both(&w.replaces_chain),
        Opening::NothingLeft => vec![replacing(&w.replaces_earlier, &w.none_active)],
        Opening::OthersLeft => vec![w.replaces_chain.to_string()],
    };
    if count == 0 {
        let framed = openings.iter().find_map(|opening| naive.frame(std::slice::from_ref(opening)));
        return (framed.unwrap_or_else(|| naive.longest_bare(openings.last().unwrap())), vec![]);
    }
    let mut fates = vec![Fate::Whole; count];
    for opening in &openings {
        let whole = (0..count).find(|omitted| naive.complete_with(opening, *omitted, None).is_some());
        let cut = match (whole, overflow) {
            (None, _) => naive.complete_cut(opening, count - 1).map(|cut| (count - 1, cut)),
            (Some(omitted), Overflow::Trim) if omitted > 0 => {
                naive.complete_cut(opening, omitted - 1).map(|cut| (omitted - 1, cut))
            }
            _ => None,
        };
        if let Some((at, (to, text))) = cut {
            fates[..at].fill(Fate::Omitted);
            fates[at] = Fate::Cut { from: naive.parts[at].content.len(), to };
            return (text, fates);
        }
        if let Some(omitted) = whole {
            fates[..omitted].fill(Fate::Omitted);
            return (naive.complete_with(opening, omitted, None).unwrap(), fates);
        }
    }
    let last = &naive.parts[count - 1];
    let notice = naive.notice(&naive.parts[..count - 1], Some((last, 0)));
    let mut fates = vec![Fate::Omitted; count];
    let framed =
        openings.iter().find_map(|opening| naive.frame(&[notice.clone(), opening.clone(), last.head()]));
    if let Some(text) = framed {
        return (text, fates);
    }
    if let Some(text) = naive.bare(&[notice.clone(), last.head()]) {
        if last.content.is_empty() {
            fates[count - 1] = Fate::Whole;
        }
        return (text, fates);
    }
    let text = naive.bare(std::slice::from_ref(&notice)).unwrap_or_else(|| naive.longest_bare(&notice));
    (text, fates)
}

pub(crate) fn fits_alone(item: &Item, budget: usize, w: &Wording) -> bool {
    let naive = Naive { parts: vec![Part::new(item, w)], budget, w };
    let part = &naive.parts[0];
    if part.removal {
        return naive.bare(std::slice::from_ref(&part.heading)).is_some();
    }
    naive.frame(&[part.whole()]).is_some()
        || naive.transitions_cut(&[None], 0).is_some()
        || naive.empty_file_bare(part).is_some()
}

type Chosen = Option<(String, Fate)>;

impl Naive<'_> {
    fn transitions_with(&self, notice: String, chosen: &[Chosen]) -> Option<String> {
        let mut parts = vec![notice];
        parts.extend(chosen.iter().flatten().map(|(text, _)| text.clone()));
        self.frame(&parts)
    }

    /// An empty file is represented without frame, too.
    fn empty_file_bare(&self, part: &Part) -> Option<String> {
        let notice = self.notice(&[], Some((part, 0)));
        part.content.is_empty().then(|| self.bare(&[notice, part.head()])).flatten()
    }

    fn transitions_cut(&self, chosen: &[Chosen], at: usize) -> Option<(Vec<Chosen>, String)> {
        let part = &self.parts[at];
        let attempt = |to: usize| {
            let mut chosen = chosen.to_vec();
            chosen[at] = Some((part.with(&part.content[..to]), Fate::Cut { from: part.content.len(), to }));
            let text = self.transitions_with(self.notice(&[], Some((part, to))), &chosen)?;
            Some((chosen, text))
        };
        let fits = part.cuts().chain([part.content.len()]).find(|to| *to > 0 && attempt(*to).is_some())?;
        attempt(part.drawn_back(fits))
    }
}

pub(crate) fn transitions(
    items: &[Item],
    budget: usize,
    overflow: Overflow,
    w: &Wording,
) -> (String, Vec<Fate>) {
    let naive = Naive { parts: items.iter().map(|item| Part::new(item, w)).collect(), budget, w };
    let mut chosen: Vec<Chosen> = vec![None; items.len()];
    let fates = |chosen: &[Chosen]| chosen.iter().map(|c| c.as_ref().map_or(Fate::Waits, |c| c.1)).collect();
    for at in (0..items.len()).rev().filter(|at| naive.parts[*at].removal) {
        let part = &naive.parts[at];
        let own = if naive.frame(&[part.head()]).is_some() {
            (part.head(), Fate::Whole)
        } else if naive.frame(std::slice::from_ref(&part.heading)).is_some() {
            (part.heading.clone(), Fate::HeadingOnly)
        } else if let Some(text) = naive.bare(std::slice::from_ref(&part.heading)) {
            if chosen.iter().all(Option::is_none) {
                chosen[at] = Some((String::new(), Fate::HeadingOnly));
                return (text, fates(&chosen));
            }
            break;
        } else {
            continue;
        };
        let mut more = chosen.clone();
        more[at] = Some(own);
        if naive.transitions_with(String::new(), &more).is_none() {
            break;
        }
        chosen = more;
    }
    let mut notice = String::new();
    let mut any = false;
    for at in (0..items.len()).rev().filter(|at| !naive.parts[*at].removal) {
        if !fits_alone(&items[at], budget, w) {
            continue;
        }
        let mut more = chosen.clone();
        more[at] = Some((naive.parts[at].whole(), Fate::Whole));
        if naive.transitions_with(String::new(), &more).is_some() {
            (chosen, any) = (more, true);
            continue;
        }
        if naive.parts[at].content.is_empty() {
            if chosen.iter().all(Option::is_none) {
                chosen[at] = Some((String::new(), Fate::Whole));
                return (naive.empty_file_bare(&naive.parts[at]).expect("it fits alone"), fates(&chosen));
            }
            break;
        }
        if (overflow == Overflow::Trim || !any)
            && let Some((cut, _)) = naive.transitions_cut(&chosen, at)
        {
            let Some((_, Fate::Cut { to, .. })) = cut[at] else { unreachable!("it was cut") };
            notice = naive.notice(&[], Some((&naive.parts[at], to)));
            chosen = cut;
        }
        break;
    }
    if chosen.iter().all(Option::is_none) {
        return (String::new(), fates(&chosen));
    }
    (naive.transitions_with(notice, &chosen).expect("what was chosen fits"), fates(&chosen))
}
