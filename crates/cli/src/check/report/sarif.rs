//! SARIF 2.1.0.

use serde_json::{Map, Value, json};

use super::{Checked, message};
use crate::check::finding::{Code, Finding, Severity};

const SCHEMA: &str = "https://json.schemastore.org/sarif-2.1.0.json";

/// One run, its results findings that count, and those that are exempt or known as suppressed ones.
pub(crate) fn sarif(checked: &Checked) -> String {
    let mut results = Vec::new();
    for counted in &checked.counted {
        results.push(result(&counted.finding, &message(counted), None));
    }
    for (finding, reason) in &checked.exempt {
        results.push(result(finding, &finding.message, Some(reason)));
    }
    for finding in &checked.known {
        results.push(result(finding, &finding.message, Some("known: the baseline has it")));
    }
    let rules: Vec<Value> = Code::ALL.iter().map(|code| rule(*code)).collect();
    let value = json!({
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": {
                "name": "standing-orders",
                "version": env!("CARGO_PKG_VERSION"),
                "semanticVersion": env!("CARGO_PKG_VERSION"),
                "rules": rules,
            } },
            "columnKind": "unicodeCodePoints",
            "originalUriBaseIds": { "ROOT": {
                "description": { "text": "The root of the project." },
            } },
            "results": results,
        }],
    });
    format!("{value:#}\n")
}

fn rule(code: Code) -> Value {
    json!({
        "id": code.name(),
        "shortDescription": { "text": code.summary() },
        "defaultConfiguration": { "level": level(code) },
    })
}

fn level(code: Code) -> &'static str {
    match code.severity() {
        Severity::Error => "error",
        Severity::Warning => "warning",
    }
}

fn result(finding: &Finding, message: &str, suppressed: Option<&str>) -> Value {
    let index = Code::ALL.iter().position(|code| *code == finding.code);
    let mut physical = Map::new();
    physical.insert("artifactLocation".to_owned(), json!({ "uri": uri(&finding.path), "uriBaseId": "ROOT" }));
    if let Some(line) = finding.line {
        let mut region = Map::new();
        region.insert("startLine".to_owned(), line.into());
        if let Some(column) = finding.column {
            region.insert("startColumn".to_owned(), column.into());
        }
        if let Some(end) = finding.end_line {
            region.insert("endLine".to_owned(), end.into());
        }
        physical.insert("region".to_owned(), Value::Object(region));
    }
    let profile = finding.profile.map_or("", |profile| profile.name());
    let mut result = json!({
        "ruleId": finding.code.name(),
        "ruleIndex": index,
        "level": level(finding.code),
        "message": { "text": message },
        "locations": [{ "physicalLocation": physical }],
        "partialFingerprints": {
            "standingOrders/v1": format!(
                "{}:{profile}:{}:{}", finding.code.name(), finding.path, finding.subject
            ),
        },
    });
    if let (Some(reason), Some(members)) = (suppressed, result.as_object_mut()) {
        members.insert("suppressions".to_owned(), json!([{ "kind": "external", "justification": reason }]));
    }
    result
}

/// A shown path as a relative reference.
fn uri(path: &str) -> String {
    let bytes = standing_orders::inspect::path::unshown(path)
        .map(|path| path.into_os_string().into_encoded_bytes())
        .unwrap_or_else(|_| path.as_bytes().to_vec());
    let mut uri = String::with_capacity(bytes.len());
    for byte in bytes {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'/' => uri.push(byte.into()),
            _ => uri.push_str(&format!("%{byte:02X}")),
        }
    }
    if uri.is_empty() { ".".to_owned() } else { uri }
}
