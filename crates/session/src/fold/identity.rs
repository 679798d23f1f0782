//! The form in which the identity of a baseline is compared.

use serde_json::Value;

/// Writes `value` with the keys of its objects sorted.
pub(super) fn canonical(value: &Value, to: &mut String) {
    match value {
        Value::Object(map) => {
            let mut keys: Vec<_> = map.iter().collect();
            keys.sort_by_key(|(key, _)| key.as_str());
            to.push('{');
            for (key, value) in keys {
                canonical(&Value::from(key.as_str()), to);
                to.push(':');
                canonical(value, to);
                to.push(',');
            }
            to.push('}');
        }
        Value::Array(items) => {
            to.push('[');
            for item in items {
                canonical(item, to);
                to.push(',');
            }
            to.push(']');
        }
        other => to.push_str(&other.to_string()),
    }
}
