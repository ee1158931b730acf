//! What a value is, by the name before it: `--host X`, `MASTER_ADDR=X`, `"hostname": "X"`, `--model X`.

use super::scan::Place;

const HOSTS: [&str; 10] =
    ["host", "hostname", "addr", "address", "node_name", "nodename", "nodelist", "node_list", "master", "target_host"];
const HOST_ENDS: [&str; 7] = ["_host", "_hostname", "_addr", "_address", "_node", "_nodelist", "_ip"];
/// Behind these a name is a machine's only where a flag says so.
const HOSTS_OF_FLAGS: [&str; 7] = ["server", "server_url", "url", "base_url", "target", "api_base", "ip"];
const MODELS: [&str; 10] = [
    "model",
    "model_path",
    "model_id",
    "model_name_or_path",
    "tokenizer",
    "tokenizer_path",
    "speculative_model",
    "speculative_draft_model_path",
    "lora_path",
    "lora_paths",
];
const DATA: [&str; 5] = ["dataset_path", "data_path", "data", "dataset", "input_file"];
const VERSIONS: [&str; 3] = ["version", "ver", "release"];
/// How far before a value its name is looked for.
const NAME_WITHIN: usize = 80;

/// What stands under a name. Blank space follows flags only.
pub(super) fn of_name(name: &str, is_flag: bool) -> Place {
    let name = name.trim_start_matches('-').to_ascii_lowercase().replace('-', "_");
    let is = |all: &[&str]| all.contains(&name.as_str());
    if is(&MODELS) {
        Place::Model
    } else if is(&DATA) {
        Place::Data
    } else if is(&HOSTS) || HOST_ENDS.iter().any(|end| name.ends_with(end)) || (is_flag && is(&HOSTS_OF_FLAGS)) {
        Place::Host
    } else if is(&VERSIONS) || name.ends_with("_version") {
        Place::Version
    } else {
        Place::Text
    }
}

/// What stands at a place in a text, which is itself `whole`.
pub(super) fn before(text: &str, at: usize, whole: Place) -> Place {
    let otherwise = match whole {
        // All of them in a list.
        Place::Version | Place::Host => whole,
        Place::Text | Place::Model | Place::Data => Place::Text,
    };
    let mut start = at.saturating_sub(NAME_WITHIN);
    while !text.is_char_boundary(start) {
        start += 1;
    }
    let before = &text[start..at];
    if !before.ends_with(['=', ' ', ':', '"', '\'', '\\', '\n']) {
        return otherwise;
    }
    let unquoted = before.trim_end_matches(['"', '\'', '\\']);
    // `--host X`, and `"--host", "X"` in a list; everything else needs a sign between.
    let (named, between) = match unquoted.trim_end_matches([' ', '\\', '\n', ',']) {
        named if named.ends_with('=') || named.ends_with(':') => (&named[..named.len() - 1], true),
        named => (named, false),
    };
    let named = named.trim_end_matches(['"', '\'', '\\']);
    let name = named.rfind(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '-' | '_'))).map_or(named, |end| {
        let end = end + named[end..].chars().next().map_or(1, char::len_utf8);
        &named[end..]
    });
    let is_flag = name.starts_with("--");
    if name.is_empty() || !(between || is_flag) {
        return otherwise;
    }
    match of_name(name, is_flag) {
        Place::Text => otherwise,
        place => place,
    }
}
