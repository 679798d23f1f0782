//! Texts of a host's own that stand in headings (D11).

use std::path::Path;

use standing_orders_discovery::path::{shown, unshown};

/// The shown form of a text that is to stand in a heading, where it is not in it already (D11).
pub(crate) fn in_shown_form(text: &str) -> Option<String> {
    let is_shown = unshown(text).is_ok_and(|path| shown(&path).to_string() == text);
    (!is_shown).then(|| shown(Path::new(text)).to_string())
}
