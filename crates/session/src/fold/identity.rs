//! The form in which the identity of a baseline is compared.

use serde_json::Value;

/// Writes `value` with the keys of its objects sorted.
pub(super) fn canonical(value: &Value, to: &mut Vec<u8>) {
    match value {
        Value::Object(map) => {
            let mut entries: Vec<_> = map.iter().collect();
            entries.sort_unstable_by_key(|(key, _)| key.as_str());
            to.push(b'{');
            for (key, value) in entries {
                scalar(key, to);
                to.push(b':');
                canonical(value, to);
                to.push(b',');
            }
            to.push(b'}');
        }
        Value::Array(items) => {
            to.push(b'[');
            for item in items {
                canonical(item, to);
                to.push(b',');
            }
            to.push(b']');
        }
        Value::String(text) => scalar(text, to),
        other => to.extend_from_slice(other.to_string().as_bytes()),
    }
}

/// A text in quotes, in which nothing can be taken for an end of it.
fn scalar(text: &str, to: &mut Vec<u8>) {
    to.push(b'"');
    for byte in text.bytes() {
        if matches!(byte, b'"' | b'\\') {
            to.push(b'\\');
        }
        to.push(byte);
    }
    to.push(b'"');
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_order_of_keys_does_not_count_and_everything_else_does() {
        let form = |value: &Value| {
            let mut bytes = Vec::new();
            canonical(value, &mut bytes);
            bytes
        };
        let [one, other] = [r#"{"a": 1, "é": ["x", null]}"#, r#"{"é": ["x", null], "a": 1}"#]
            .map(|text| serde_json::from_str(text).unwrap());
        assert_eq!(form(&one), form(&other), "the same in another order");
        let rows = [
            json!({ "a": ["x", "y"] }),
            json!({ "a": ["x\",\"y"] }),
            json!({ "a": ["x,y"] }),
            json!({ "a": "x" }),
            json!({ "a": 1 }),
            json!({ "a": "1" }),
            json!({ "a\\": 1 }),
            json!({ "a": [["x"], "y"] }),
            json!({ "a": { "x": "y" } }),
        ];
        let mut forms: Vec<_> = rows.iter().map(form).collect();
        forms.sort();
        forms.dedup();
        assert_eq!(forms.len(), rows.len(), "different values, different forms");
    }
}
