//! A schema's descriptions as editors show them.

use serde_json::Value;

/// Makes the descriptions of a JSON Schema of ours plain sentences: what is written for the documentation of
/// the code (numbers of rules, links to types, examples) is left out, and each paragraph is one line.
/// [`Config::json_schema`](super::Config::json_schema) has them so already.
pub fn plain_descriptions(schema: &mut Value) {
    match schema {
        Value::Object(members) => {
            for (name, value) in members {
                match value {
                    // A property can have that name too, and is no text.
                    Value::String(text) if name == "description" => *text = plain(text),
                    value => plain_descriptions(value),
                }
            }
        }
        Value::Array(values) => values.iter_mut().for_each(plain_descriptions),
        _ => {}
    }
}

fn plain(text: &str) -> String {
    let mut paragraphs: Vec<String> = vec![String::new()];
    let mut fenced = false;
    for line in text.lines() {
        let is_fence = line.starts_with("```");
        fenced ^= is_fence;
        let is_target = line.starts_with("[`") && line.contains("`]: ");
        let title = line.strip_prefix("# ");
        if is_fence || fenced || is_target {
            continue;
        }
        match paragraphs.last_mut() {
            Some(paragraph) if !line.is_empty() && title.is_none() => {
                paragraph.push_str(if paragraph.is_empty() { "" } else { " " });
                paragraph.push_str(line);
            }
            // A title says no more than the paragraph below it.
            _ => paragraphs.push(String::new()),
        }
    }
    let plain = paragraphs.iter().map(|paragraph| without_links(&without_rules(paragraph)));
    plain.filter(|paragraph| !paragraph.is_empty()).collect::<Vec<_>>().join("\n\n")
}

/// Without ` (D4, D5)`.
fn without_rules(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, inside, after)) = rest
        .split_once(" (")
        .and_then(|(before, behind)| behind.split_once(')').map(|(inside, after)| (before, inside, after)))
    {
        plain.push_str(before);
        if inside.split(", ").all(is_rule) {
            rest = after;
        } else {
            plain.push_str(" (");
            // Another bracket may open inside.
            rest = rest.get(before.len() + 2..).unwrap_or_default();
        }
    }
    plain + rest
}

fn is_rule(text: &str) -> bool {
    let mut chars = text.chars();
    chars.next().is_some_and(|c| c.is_ascii_uppercase())
        && text.len() > 1
        && chars.all(|c| c.is_ascii_digit())
}

/// The names alone of [`Name`] and [`Name`](crate::Name).
fn without_links(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, (name, after))) =
        rest.split_once("[`").and_then(|(before, behind)| Some((before, behind.split_once("`]")?)))
    {
        plain.push_str(&format!("{before}`{name}`"));
        let target = after.strip_prefix('(').and_then(|after| after.split_once(')'));
        rest = target.filter(|(target, _)| target.contains("::")).map_or(after, |(_, after)| after);
    }
    plain + rest
}

#[cfg(test)]
mod tests {
    use super::plain;

    #[test]
    fn what_is_for_readers_of_code_goes() {
        for (name, text, expected) in [
            ("a plain one", "Größe in bytes.", "Größe in bytes."),
            ("lines of a paragraph", "One\ntwo.\n\nThree 規\nfour.", "One two.\n\nThree 規 four."),
            ("a rule", "Bytes (R5). More.", "Bytes. More."),
            ("two rules", "By\n(D4, D5). Default.", "By. Default."),
            ("no rule", "Some (such as A5b) (x (R5)) stay (", "Some (such as A5b) (x) stay ("),
            ("a link", "Of [`A`] and [`B`](crate::B)(1), [x](y).", "Of `A` and `B`(1), [x](y)."),
            ("a target", "Of [`A`].\n\n[`A`]: crate::A", "Of `A`."),
            ("an example", "One.\n\n# Form\nTwo.\n\n```\nlet [`x`] = 1;\n```", "One.\n\nTwo."),
            ("nothing", "", ""),
        ] {
            assert_eq!(plain(text), expected, "{name}");
        }
    }
}
