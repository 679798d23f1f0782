//! The name that was probably meant.

/// The one of `words` that `found` is most likely meant to be, if any is near: letter case and `-` for
/// `_` are no difference, and of the rest at most a third may be wrong.
pub(crate) fn nearest<'w>(found: &str, words: impl IntoIterator<Item = &'w str>) -> Option<&'w str> {
    let fold = |word: &str| word.to_lowercase().replace(['-', '_', ' '], "");
    // No key is near to a text of any length, and the distance is quadratic.
    let folded = Some(fold(found)).filter(|found| found.len() <= 64)?;
    words
        .into_iter()
        .map(|word| (strsim::osa_distance(&folded, &fold(word)), word))
        .filter(|(distance, word)| 3 * distance <= word.len().max(3))
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, word)| word)
}
