//! A Compose file.

use std::fmt::Write as _;

use super::container::{HF_CACHE, Plan};
use super::yaml;

/// The file.
pub(super) fn file(plan: &Plan) -> String {
    let mut out = format!("services:\n  {}:\n    image: {}\n", plan.name, yaml::string(&literal(&plan.image)));
    list(&mut out, "entrypoint", &plan.entrypoint);
    list(&mut out, "command", &plan.words);
    if !plan.env.is_empty() {
        out.push_str("    environment:\n");
        for (key, value) in &plan.env {
            let _ = writeln!(out, "      {}: {}", yaml::string(key), yaml::string(&literal(value)));
        }
    }
    let _ = write!(out, "    ports:\n      - \"{0}:{0}\"\n", plan.port);
    let _ = write!(out, "    volumes:\n      - ~/.cache/huggingface:{HF_CACHE}\n");
    if let Some(path) = &plan.weights {
        let path = yaml::string(&literal(path));
        let _ = write!(
            out,
            "      - type: bind\n        source: {path}\n        target: {path}\n        read_only: true\n"
        );
    }
    let count = plan.gpus.map_or_else(|| "all".to_owned(), |n| n.to_string());
    let _ = write!(
        out,
        r#"    ipc: host
    deploy:
      resources:
        reservations:
          devices:
            - driver: nvidia
              count: {count}
              capabilities: ["gpu"]
"#
    );
    out
}

fn list(out: &mut String, key: &str, words: &[String]) {
    if words.is_empty() {
        return;
    }
    let _ = writeln!(out, "    {key}:");
    for word in words {
        let _ = writeln!(out, "      - {}", yaml::string(&literal(word)));
    }
}

/// Compose replaces `$NAME`; a dollar that is meant stands twice.
fn literal(text: &str) -> String {
    text.replace('$', "$$")
}
