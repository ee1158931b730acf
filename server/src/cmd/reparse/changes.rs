//! What another reading of a raw output changes in a run: each figure as it was and as it is.
//!
//! Over the document that is stored, key by key, so that a figure that is added later cannot be forgotten here.

use std::collections::BTreeMap;
use std::fmt;

use domain::run::Measurement;
use serde::Serialize;
use serde_json::Value;

/// A figure, or something else that is read beside the figures.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Change {
    /// Its key: `ttft_ms.p99`.
    pub figure: String,
    /// Of both values, where it is a figure with a unit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unit: Option<&'static str>,
    /// As it was; null where it was not read.
    pub was: Value,
    /// As it is; null where it is no longer read.
    pub now: Value,
}

/// Of one run. The text that a run was read from is in the raw output; only that other lines are read now is said.
pub fn changes(was: &Measurement, now: &Measurement) -> Vec<Change> {
    let (was, now) = (leaves(was), leaves(now));
    let keys: std::collections::BTreeSet<&String> = was.keys().chain(now.keys()).collect();
    let of = |leaves: &BTreeMap<String, Value>, key: &str| leaves.get(key).cloned().unwrap_or_default();
    let changed = keys.into_iter().filter(|key| of(&was, key) != of(&now, key));
    changed.map(|key| Change { figure: key.clone(), unit: unit(key), was: of(&was, key), now: of(&now, key) }).collect()
}

fn leaves(measurement: &Measurement) -> BTreeMap<String, Value> {
    let mut leaves = BTreeMap::new();
    let Ok(Value::Object(mut document)) = serde_json::to_value(measurement) else { return leaves };
    if let Some(text) = document.get_mut("excerpt").and_then(|excerpt| excerpt.get_mut("text")) {
        // Too long to show twice; its length tells most changes.
        *text = Value::from(text.as_str().map_or(0, |text| text.lines().count()));
    }
    // Nobody reads them one by one; their number tells that some were kept, or are no longer.
    if let Some(requests) = &measurement.requests {
        document.insert("requests".to_owned(), Value::from(requests.count()));
    }
    // Figures are known by their own keys, without the word that all of them are under.
    if let Some(metrics) = document.remove("metrics") {
        gather("", metrics, &mut leaves);
    }
    gather("", Value::Object(document), &mut leaves);
    leaves
}

fn gather(path: &str, value: Value, leaves: &mut BTreeMap<String, Value>) {
    match value {
        Value::Object(object) => {
            for (key, value) in object {
                let key = match (path, key.as_str()) {
                    ("excerpt", "text") => "excerpt.lines".to_owned(),
                    ("", key) => key.to_owned(),
                    (path, key) => format!("{path}.{key}"),
                };
                gather(&key, value, leaves);
            }
        }
        Value::Null => {}
        leaf => {
            leaves.insert(path.to_owned(), leaf);
        }
    }
}

/// The unit that a figure's key says, or that all figures of its kind have.
fn unit(key: &str) -> Option<&'static str> {
    let name = key.split('.').next().unwrap_or(key);
    let suffixes = [("_ms", "ms"), ("_s", "s"), ("_pct", "%")];
    let said = suffixes.into_iter().find(|(suffix, _)| name.ends_with(suffix)).map(|(_, unit)| unit);
    said.or(match name {
        "request_throughput" | "goodput" | "request_rate" => Some("req/s"),
        "output_throughput" | "total_token_throughput" | "peak_output_throughput" => Some("tok/s"),
        _ => None,
    })
}

impl fmt::Display for Change {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shown = |value: &Value| match value {
            Value::Null => "nothing".to_owned(),
            Value::String(text) => text.clone(),
            other => other.to_string(),
        };
        write!(f, "{} {} → {}", self.figure, shown(&self.was), shown(&self.now))?;
        let figure = self.was.is_number() || self.now.is_number();
        match self.unit.filter(|_| figure) {
            Some(unit) => write!(f, " {unit}"),
            None => Ok(()),
        }
    }
}
