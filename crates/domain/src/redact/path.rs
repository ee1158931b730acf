//! Where files of the house lie: absolute paths, home directories, buckets; and who is named in them.

use super::Kind;
use super::scan::{At, Hit, Place, Seen};
use crate::machine::told;

/// Paths that every machine or every server has; what begins with one stays.
const EVERYWHERE: [&str; 23] = [
    "/v1",
    "/v2",
    "/v3",
    "/api",
    "/openai",
    "/dev",
    "/proc",
    "/sys",
    "/bin",
    "/sbin",
    "/lib",
    "/lib64",
    "/usr/bin",
    "/usr/sbin",
    "/usr/lib",
    "/usr/lib64",
    "/usr/include",
    "/usr/local/bin",
    "/usr/local/lib",
    "/opt/nvidia",
    "/opt/rocm",
    "/opt/tritonserver",
    "/opt/conda",
];
/// Paths that stay only as they are.
const EXACTLY: [&str; 4] =
    ["/root/.cache/huggingface", "/root/.cache/vllm", "~/.cache/huggingface", "$HOME/.cache/huggingface"];
/// Where houses keep their files: such a path is seen behind Japanese and behind `-v`, too.
const ROOTS: [&str; 24] = [
    "home",
    "Users",
    "mnt",
    "data",
    "models",
    "model",
    "nfs",
    "lustre",
    "gpfs",
    "scratch",
    "fsx",
    "efs",
    "shared",
    "share",
    "storage",
    "workspace",
    "opt",
    "srv",
    "var",
    "tmp",
    "root",
    "media",
    "export",
    "raid",
];
/// Files of data that anybody can have.
const PUBLIC_DATA: [&str; 4] =
    ["ShareGPT_V3_unfiltered_cleaned_split.json", "sonnet.txt", "BurstGPT_without_fails_2.csv", "ShareGPT.json"];
/// First parts of relative paths that look like `org/name`.
const FOLDERS: [&str; 10] =
    ["models", "model", "checkpoints", "checkpoint", "ckpt", "weights", "data", "output", "outputs", "hub"];
/// Names of accounts that are nobody's, and words of reports that an account could be called.
const NOBODY: [&str; 40] = [
    "root",
    "user",
    "users",
    "ubuntu",
    "admin",
    "debian",
    "centos",
    "ec2-user",
    "azureuser",
    "opc",
    "runner",
    "jovyan",
    "nobody",
    "docker",
    "app",
    "vllm",
    "sglang",
    "trtllm",
    "guidellm",
    "gpustack",
    "bench",
    "benchmark",
    "test",
    "data",
    "shared",
    "public",
    "model",
    "models",
    "work",
    "workspace",
    "max",
    "min",
    "mean",
    "chat",
    "batch",
    "random",
    "long",
    "short",
    "default",
    "linux",
];

/// A path of a file system.
pub(super) fn path(at: At<'_>, seen: &mut Seen) -> Option<usize> {
    let rest = at.rest();
    let before = at.before();
    if matches!(at.place, Place::Model | Place::Data)
        && let Some(end) = local(at)
    {
        take(at, at.at, end, &at.text[at.at..end], seen);
        return Some(end);
    }
    let drive = {
        let mut bytes = rest.bytes();
        bytes.next().is_some_and(|b| b.is_ascii_alphabetic())
            && bytes.next() == Some(b':')
            && bytes.next().is_some_and(|b| b == b'\\' || b == b'/')
            && rest.as_bytes().get(3).is_some_and(|b| b.is_ascii_alphanumeric() || *b == b'\\')
    };
    if drive && !before.is_some_and(|c| c.is_ascii_alphanumeric()) {
        let end = end(at.text, at.at + 2, true);
        take(at, at.at, end, &at.text[at.at..end], seen);
        return Some(end);
    }
    let home = ["$HOME/", "${HOME}/", "~/"].iter().find(|home| rest.starts_with(**home)).map(|home| home.len() - 1);
    let home = home.or_else(|| {
        let name = rest.strip_prefix('~')?.split('/').next()?;
        let named = name.starts_with(|c: char| c.is_ascii_lowercase()) && rest[name.len() + 1..].starts_with('/');
        let is_name = named && name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-'));
        if is_name {
            person(name, seen);
        }
        is_name.then_some(name.len() + 1)
    });
    if let Some(length) = home.filter(|_| !before.is_some_and(|c| c.is_ascii_alphanumeric())) {
        let end = end(at.text, at.at + length, false);
        let text = &at.text[at.at..end];
        if text.len() > length + 1 && !EXACTLY.contains(&text.trim_end_matches('/')) {
            take(at, at.at, end, text, seen);
        }
        return Some(end);
    }
    if !begins(at) {
        return None;
    }
    let end = end(at.text, at.at, false);
    let text = &at.text[at.at..end];
    let several = text.trim_matches('/').contains('/');
    if several && !is_everywhere(text) {
        take(at, at.at, end, text, seen);
    }
    Some(end)
}

/// Whether a slash begins an absolute path.
fn begins(at: At<'_>) -> bool {
    let Some(rest) = at.rest().strip_prefix('/') else { return false };
    let Some(next) = rest.chars().next().filter(|c| c.is_alphanumeric() || matches!(c, '_' | '.')) else {
        return false;
    };
    let first = rest.split('/').next().unwrap_or_default();
    match at.before() {
        None => true,
        Some('-') => ["home", "Users", "mnt"].contains(&first),
        Some('/' | '_' | '.' | '~' | ')' | ']' | '}' | '<' | '%' | '@') => false,
        Some(':') => !at.text[..at.at].ends_with("//"),
        Some(c) if c.is_ascii_alphanumeric() => {
            ["home", "Users", "mnt"].contains(&first) && at.text[..at.at].ends_with("-v")
        }
        // `件/秒` is no path, and neither is `件/s`.
        Some(c) if c.is_alphanumeric() => next.is_ascii() && (ROOTS.contains(&first) || is_deep(rest)),
        Some(_) => true,
    }
}

/// Whether two names or more follow one another.
fn is_deep(rest: &str) -> bool {
    let name = |part: &&str| {
        let length = part.find(|c: char| !(c.is_ascii_alphanumeric() || "._-+@".contains(c))).unwrap_or(part.len());
        // `TTFT/TPOT` are words.
        length > 2 && part[..length].contains(|c: char| c.is_ascii_lowercase())
    };
    let mut parts = rest.split('/');
    parts.next().is_some_and(|part| name(&part)) && parts.next().is_some_and(|part| name(&part))
}

/// A model or a file of data that lies on a disk and not on a public site.
fn local(at: At<'_>) -> Option<usize> {
    let end = end(at.text, at.at, false);
    let text = &at.text[at.at..end];
    let parts: Vec<&str> = text.split('/').filter(|part| !part.is_empty()).collect();
    let marked = ["/", "./", "../", "~/", "$"].iter().any(|mark| text.starts_with(mark));
    let deep = parts.len() > 2 || (parts.len() == 2 && FOLDERS.contains(&parts[0]));
    (!parts.is_empty() && (marked || deep) && !is_everywhere(text) && !text.contains("://")).then_some(end)
}

fn is_everywhere(text: &str) -> bool {
    let text = text.trim_end_matches('/');
    let under = |place: &&str| text.strip_prefix(*place).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
    EXACTLY.contains(&text) || EVERYWHERE.iter().any(under) || text.starts_with("/usr/local/cuda")
}

/// Takes a path, and learns who and what is named in it.
pub(super) fn take(at: At<'_>, from: usize, to: usize, inside: &str, seen: &mut Seen) {
    let last = inside.trim_end_matches(['/', '\\']).rsplit(['/', '\\']).next().unwrap_or_default();
    learn(inside, seen);
    let is_public = at.public.contains(&last.to_ascii_lowercase()) || PUBLIC_DATA.contains(&last);
    let of_model = at.place == Place::Model || parts(inside).any(|part| FOLDERS.contains(&part) && part != "data");
    let tail = if is_public {
        format!("/{last}")
    } else if of_model {
        if is_telling(last, 6) {
            seen.word(Kind::Model, last);
        }
        told(last)
    } else {
        if at.place == Place::Data && is_telling(last, 8) {
            seen.words.push((Kind::Path, last.to_owned(), Some(at.text[from..to].to_owned())));
        }
        String::new()
    };
    let secret = at.text[from..to].to_owned();
    seen.hits.push(Hit { from, to, kind: Kind::Path, secret, tail });
}

/// Learns who is named in a path.
pub(super) fn learn(inside: &str, seen: &mut Seen) {
    let mut parts = parts(inside);
    while let Some(part) = parts.next() {
        if ["home", "homes", "users"].contains(&part.to_ascii_lowercase().as_str())
            && let Some(name) = parts.next()
        {
            person(name, seen);
        }
    }
}

fn parts(inside: &str) -> impl Iterator<Item = &str> {
    inside.split(['/', '\\']).filter(|part| !part.is_empty())
}

/// A name of somebody, who is looked for elsewhere, too; what every machine calls somebody is nobody.
pub(super) fn person(name: &str, seen: &mut Seen) {
    if !NOBODY.contains(&name.to_ascii_lowercase().as_str()) && name.contains(char::is_alphabetic) {
        seen.word(Kind::User, name);
    }
}

/// Whether a name is long and peculiar enough to be looked for elsewhere.
fn is_telling(name: &str, least: usize) -> bool {
    name.len() >= least
        && name.contains(|c: char| c.is_alphabetic())
        && name.contains(|c: char| c.is_ascii_digit() || matches!(c, '-' | '_' | '.'))
}

/// Where a path ends.
pub(super) fn end(text: &str, from: usize, windows: bool) -> usize {
    let mut fresh = true;
    let mut foreign = false;
    for (at, c) in text[from..].char_indices() {
        let here = from + at;
        if c.is_ascii() {
            let stops = c.is_ascii_whitespace() || c.is_ascii_control() || "\"'`,;|<>()[]{}&:=#?".contains(c);
            // `${HOME}` is no end.
            if stops && !(c == '{' && text[..here].ends_with('$')) && !(c == '}' && text[from..here].contains("${")) {
                return trimmed(text, from, here);
            }
            if c == '\\' && !windows {
                return trimmed(text, from, here);
            }
            if matches!(c, '/' | '\\') {
                (fresh, foreign) = (true, false);
            } else {
                fresh = false;
            }
        } else if !c.is_alphanumeric() {
            return trimmed(text, from, here);
        } else if fresh {
            (fresh, foreign) = (false, true);
        } else if !foreign {
            // Japanese behind a name is a sentence that goes on, unless the name goes on after it.
            let rest = &text[here..];
            let run = rest.find(|c: char| c.is_ascii() || !c.is_alphanumeric()).unwrap_or(rest.len());
            let goes_on = rest[run..].starts_with(['/', '-', '_'])
                || rest[run..]
                    .strip_prefix('.')
                    .is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_alphanumeric()));
            if !goes_on {
                return trimmed(text, from, here);
            }
        }
    }
    trimmed(text, from, text.len())
}

fn trimmed(text: &str, from: usize, to: usize) -> usize {
    from + text[from..to].trim_end_matches(['.', '!']).len()
}

/// How long the rest of a URL is.
pub(super) fn to_end_of_url(rest: &str) -> usize {
    let ends = |c: char| !c.is_ascii() || c.is_whitespace() || "\"'<>`()|\\[]{},;".contains(c);
    rest.find(ends).unwrap_or(rest.len())
}
