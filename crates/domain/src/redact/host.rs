//! Names of machines: in URLs, logins and arguments, and full names wherever they stand.

use super::scan::{At, Place, Seen};
use super::{Kind, address, path};

/// Sites that anybody can visit.
const PUBLIC: [&str; 34] = [
    "huggingface.co",
    "hf.co",
    "github.com",
    "github.io",
    "githubusercontent.com",
    "ghcr.io",
    "gitlab.com",
    "vllm.ai",
    "sglang.ai",
    "sglang.io",
    "lmsys.org",
    "nvidia.com",
    "nvcr.io",
    "docker.io",
    "docker.com",
    "quay.io",
    "pypi.org",
    "pythonhosted.org",
    "python.org",
    "pytorch.org",
    "modelscope.cn",
    "modelscope.ai",
    "arxiv.org",
    "openai.com",
    "anthropic.com",
    "googleapis.com",
    "kaggle.com",
    "wikipedia.org",
    "readthedocs.io",
    "gpustack.ai",
    "qwen.ai",
    "llm-d.ai",
    "mlcommons.org",
    "w3.org",
];
/// Last labels of names that only a house or a cluster knows.
const INTERNAL: [&str; 12] = [
    "internal",
    "corp",
    "lan",
    "intra",
    "intranet",
    "localdomain",
    "priv",
    "consul",
    "example",
    "invalid",
    "cluster",
    "ts",
];
/// The same, where what stands before has more than one label, a digit or a hyphen.
const INTERNAL_OR_WORD: [&str; 32] = [
    "local", "home", "private", "test", "svc", "dev", "app", "us", "nl", "in", "it", "es", "se", "ch", "at", "be",
    "pl", "tokyo", "osaka", "tech", "xyz", "team", "systems", "network", "online", "site", "live", "tools", "services",
    "gg", "me", "host",
];
/// Last labels of names in the open net that are neither file endings nor words of programs.
const OPEN: [&str; 24] = [
    "com", "net", "org", "io", "ai", "co", "jp", "cn", "kr", "tw", "hk", "sg", "de", "uk", "fr", "eu", "ca", "au",
    "edu", "gov", "mil", "cloud", "biz", "info",
];
/// What a file that is named after a machine ends in.
const ENDINGS: [&str; 10] = ["json", "jsonl", "txt", "log", "csv", "yaml", "yml", "html", "out", "gz"];
/// Names that every machine has for itself, and words that stand where a name could.
const OWN: [&str; 9] =
    ["localhost", "host.docker.internal", "auto", "none", "null", "true", "false", "default", "local"];
/// What machines are called, so that a name with a port is one.
const MACHINES: [&str; 15] = [
    "node", "host", "server", "srv", "dgx", "hgx", "gpu", "worker", "master", "head", "login", "bastion", "svc", "vm",
    "pod",
];
/// Storage with addresses of its own.
const STORAGE: [&str; 17] = [
    "file", "s3", "s3a", "gs", "gcs", "az", "abfs", "abfss", "wasb", "wasbs", "hdfs", "oss", "cos", "r2", "nfs", "tos",
    "obs",
];
/// Paths that engines serve.
const SERVED: [&str; 12] =
    ["v1", "v2", "health", "healthz", "metrics", "generate", "completions", "chat", "ping", "ready", "models", "api"];
/// How far before a host its `ssh` is looked for.
const LOGIN_WITHIN: usize = 60;

/// Whether anybody can visit it.
pub(super) fn is_public(host: &str) -> bool {
    let host = host.to_ascii_lowercase();
    PUBLIC.iter().any(|site| host.strip_suffix(site).is_some_and(|rest| rest.is_empty() || rest.ends_with('.')))
}

fn is_own(host: &str) -> bool {
    OWN.contains(&host.to_ascii_lowercase().as_str())
}

/// A URL: what is before and in its host, and where it leads in a house.
pub(super) fn url(at: At<'_>, seen: &mut Seen) -> Option<usize> {
    if at.before().is_some_and(|c| c.is_ascii_alphanumeric()) {
        return None;
    }
    let scheme = at.run(|c| c.is_ascii_alphanumeric() || matches!(c, '+' | '-'));
    let rest = at.rest()[scheme..].strip_prefix("://").filter(|_| (1..=16).contains(&scheme))?;
    let name = at.rest()[..scheme].to_ascii_lowercase();
    let start = at.at + scheme + 3;
    if STORAGE.contains(&name.as_str()) {
        let end = path::end(at.text, start, false);
        path::take(at, at.at, end, &at.text[start..end], seen);
        return Some(end);
    }
    let ends = |c: char| !c.is_ascii() || c.is_whitespace() || "/?#\"'<>`,;()|\\".contains(c);
    let authority = &rest[..rest.find(ends).unwrap_or(rest.len())];
    let end = start + authority.len();
    let host = match authority.rsplit_once('@') {
        Some((who, host)) => {
            let user = who.split(':').next().unwrap_or_default();
            if is_name(user) && user != "git" {
                seen.hit(start, start + user.len(), Kind::User, user);
                path::person(user, seen);
            }
            host
        }
        None => authority,
    };
    let from = end - host.len();
    let bracketed = host.strip_prefix('[').and_then(|rest| rest.split_once(']'));
    let name = match bracketed {
        Some((inside, _)) => inside,
        None => host.split(':').next().unwrap_or_default(),
    };
    let from = from + usize::from(bracketed.is_some());
    let here = At { at: from, place: Place::Host, ..at };
    let is_ip = name.parse::<core::net::IpAddr>().is_ok();
    if is_ip {
        address::v4(here, seen).or_else(|| address::v6(here, seen));
    } else if is_public(name) {
        return Some(end + path::to_end_of_url(&at.text[end..]));
    } else if is_name(name) && !is_own(name) && bracketed.is_none() {
        take(from, name, seen);
    } else {
        return Some(end);
    }
    Some(after_host(at, end, seen))
}

/// Where a URL of the house leads.
fn after_host(at: At<'_>, from: usize, seen: &mut Seen) -> usize {
    let rest = &at.text[from..];
    let end = from + path::to_end_of_url(rest);
    let first = at.text[from..end].trim_start_matches('/').split(['/', '?', '#']).next().unwrap_or_default();
    let leads = rest.starts_with('/') && end > from + 1;
    // Own machine or not: the paths of engines say nothing.
    if leads && !SERVED.contains(&first) && seen.hits.last().is_some_and(|hit| hit.to + 8 >= from && hit.to <= from) {
        let text = at.text[from..end].trim_end_matches(['.', ':']);
        path::learn(text, seen);
        seen.hit(from, from + text.len(), Kind::Path, text);
        // The slash stays, so that an address still looks like one.
        if let Some(hit) = seen.hits.last_mut() {
            hit.from += 1;
        }
    }
    end.max(from)
}

/// `NAME@machine`, and `ssh machine`.
pub(super) fn login(at: At<'_>, seen: &mut Seen) -> Option<usize> {
    if at.before().is_some_and(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-' | '@' | '/')) {
        return None;
    }
    let first = at.run(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-'));
    let word = &at.rest()[..first];
    let mut before = at.at.saturating_sub(LOGIN_WITHIN);
    while !at.text.is_char_boundary(before) {
        before += 1;
    }
    let before = &at.text[before..at.at];
    let before = before.rsplit(['\n', ';', '|', '&']).next().unwrap_or_default();
    let is_login =
        before.split_whitespace().any(|word| matches!(bare(word), "ssh" | "scp" | "rsync" | "sftp" | "mosh"));
    if let Some(rest) = at.rest()[first..].strip_prefix('@').filter(|_| is_name(word)) {
        let length = rest.find(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '.' | '-'))).unwrap_or(rest.len());
        let host = rest[..length].trim_end_matches(['.', '-']);
        let after = &rest[host.len()..];
        let prompts = [":~", ":/", ":$", "$", "#", ":\\"].iter().any(|mark| after.starts_with(mark));
        let numbered = host.contains('-') && host.ends_with(|c: char| c.is_ascii_digit());
        let address = host.split('.').count() == 4 && host.split('.').all(|part| part.parse::<u8>().is_ok());
        if address && word != "git" {
            seen.hit(at.at, at.at + first, Kind::User, word);
            path::person(word, seen);
            // The address is found by its own rule.
            return Some(at.at + first + 1);
        }
        if !is_name(host) || word == "git" || !(is_login || prompts || numbered) || is_public(host) {
            return None;
        }
        seen.hit(at.at, at.at + first, Kind::User, word);
        path::person(word, seen);
        let from = at.at + first + 1;
        if !is_own(host) {
            take(from, host, seen);
        }
        return Some(from + host.len());
    }
    let host = word.trim_end_matches(['.', '-']);
    let is_host = is_name(host) && host.contains(|c: char| c.is_ascii_digit() || c == '-');
    if is_host && is_target_of_ssh(before) && !is_own(host) && !is_public(host) {
        take(at.at, host, seen);
        return Some(at.at + host.len());
    }
    None
}

/// A word without the quotation marks, brackets or Japanese that it may stand in.
fn bare(word: &str) -> &str {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '/' | '.');
    let from = word.rfind(|c| !plain(c)).map_or(0, |at| at + word[at..].chars().next().map_or(1, char::len_utf8));
    word[from..].rsplit('/').next().unwrap_or_default()
}

/// Whether nothing but options stands between `ssh` and what follows.
fn is_target_of_ssh(before: &str) -> bool {
    let mut words: Vec<&str> = before.split_whitespace().collect();
    while let Some(word) = words.pop() {
        // What follows `-p`; the switches of ssh take no value.
        let takes = |option: &&str| {
            option.len() == 2 && option.starts_with('-') && !"46AaCfGgKkMNnqsTtVvXxYy".contains(&option[1..])
        };
        let of_option = words.last().is_some_and(takes);
        if bare(word) == "ssh" {
            return true;
        }
        if !(word.starts_with('-') || of_option) {
            return false;
        }
    }
    false
}

/// A full name, a name with a port, and what an argument says is a machine.
pub(super) fn name(at: At<'_>, seen: &mut Seen) -> Option<usize> {
    if at.before().is_some_and(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-' | '@')) {
        return None;
    }
    let length = at.run(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '-'));
    let run = at.rest()[..length].trim_end_matches(['.', '-']);
    let after = &at.rest()[run.len()..];
    // `a_b.co` is nobody's name, `f.co(` a call.
    if run.is_empty() || after.starts_with(['_', '(', '@']) {
        return None;
    }
    let full = full_name(run);
    let host =
        full.or_else(|| (with_port(run, after) || (at.place == Place::Host && is_named(&at, run))).then_some(run))?;
    let end = at.at + host.len();
    if is_own(host) || is_public(host) {
        return Some(end);
    }
    take(at.at, host, seen);
    // `registry.acme.com/llm/image:tag`
    if full.is_some() && at.text[end..].starts_with('/') { Some(after_host(at, end, seen)) } else { Some(end) }
}

fn take(from: usize, host: &str, seen: &mut Seen) {
    seen.hit(from, from + host.len(), Kind::Host, host);
    seen.word(Kind::Host, host);
    // The machine of a full name is known by its first label, too.
    if let Some((first, _)) = host.split_once('.')
        && first.len() > 3
        && first.contains(|c: char| c.is_ascii_digit() || c == '-')
        && first.contains(|c: char| c.is_ascii_alphabetic())
    {
        seen.words.push((Kind::Host, first.to_owned(), Some(host.to_owned())));
    }
}

/// The part of a word that is a full name: also of one that counts, such as `gpu17.corp.acme-2` for a second start.
fn full_name(run: &str) -> Option<&str> {
    let counted = run.rsplit_once('-').filter(|(_, number)| number.bytes().all(|byte| byte.is_ascii_digit()));
    plain_name(run).or_else(|| counted.and_then(|(name, _)| plain_name(name)))
}

fn plain_name(run: &str) -> Option<&str> {
    let run = match run.rsplit_once('.') {
        Some((name, ending)) if ENDINGS.contains(&ending) => name,
        _ => run,
    };
    let (names, last) = run.rsplit_once('.')?;
    let last = last.to_ascii_lowercase();
    let is_last = |all: &[&str]| all.contains(&last.as_str());
    let telling = names.contains(|c: char| c.is_ascii_digit() || matches!(c, '.' | '-'));
    let known = is_last(&INTERNAL) || is_last(&OPEN) || (is_last(&INTERNAL_OR_WORD) && telling);
    let labels = run.split('.').all(|label| !label.is_empty() && !label.starts_with('-') && !label.ends_with('-'));
    (known && labels && names.contains(|c: char| c.is_ascii_alphabetic())).then_some(run)
}

/// `gpu-node-17:8000`
fn with_port(run: &str, after: &str) -> bool {
    let Some(port) = after.strip_prefix(':') else { return false };
    let digits = port.find(|c: char| !c.is_ascii_digit()).unwrap_or(port.len());
    let is_port = (4..=5).contains(&digits) && !port[digits..].starts_with(|c: char| c.is_ascii_alphanumeric());
    let machine = |label: &str| MACHINES.contains(&label.trim_end_matches(|c: char| c.is_ascii_digit()));
    let lower = run.to_ascii_lowercase();
    let mut labels = lower.split('-');
    let last = lower.rsplit('-').next().unwrap_or_default();
    let ends = last.ends_with(|c: char| c.is_ascii_digit()) || (lower.contains('-') && machine(last));
    is_port && is_name(run) && !run.contains('.') && ends && labels.any(machine)
}

/// Whether a word behind a name that asks for a machine is one. In prose and in outputs it must look like one.
fn is_named(at: &At<'_>, run: &str) -> bool {
    let before = at.text[..at.at].trim_end_matches([' ', '=', '"', '\'', ':', '\\']);
    let by_flag = before.rsplit(char::is_whitespace).next().is_some_and(|word| word.starts_with("--"));
    let looks = run.contains(|c: char| c.is_ascii_digit() || matches!(c, '-' | '.'));
    is_name(run) && (by_flag || at.at == 0 || looks)
}

/// A name of letters, digits, dots and hyphens with a letter in it.
fn is_name(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphanumeric())
        && text.contains(|c: char| c.is_ascii_alphabetic())
        && text.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_'))
}
