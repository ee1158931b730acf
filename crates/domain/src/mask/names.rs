//! Which names announce a secret: `api_key`, `--hf-token`, `HF_TOKEN`, `Authorization`, in any spelling.
//!
//! "Token" is the trouble: in this trade it is first of all a piece of text. `total_tokens`, `tokenizer` and
//! `first_token_iteration` are no secrets by their words; `eos_token` is none by its qualifier; a bare `token` is one
//! only with a value that looks like one.

/// How sure a name is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Name {
    /// Any value is a secret.
    Secret(&'static str),
    /// A value is a secret if it looks like one.
    Perhaps(&'static str),
    /// What follows is a scheme and credentials.
    Header(&'static str),
    /// What follows is secret to the end of the text that it stands in.
    All(&'static str),
}

/// Where a name may begin to be one. Found in any case; the whole name around each is judged by [`judge`].
pub(super) const ANCHORS: [&str; 21] = [
    "api_key",
    "api-key",
    "api key",
    "apikey",
    "access_key",
    "access-key",
    "accesskey",
    "account_key",
    "private_key",
    "private-key",
    "privatekey",
    "auth_key",
    "auth-key",
    "secret",
    "password",
    "passwd",
    "passphrase",
    "token",
    "authorization",
    "credential",
    "cookie",
];

/// Tokens of a model's vocabulary, or of a measurement.
const NOT_ACCESS: [&str; 30] = [
    "eos",
    "bos",
    "pad",
    "unk",
    "sep",
    "cls",
    "mask",
    "stop",
    "start",
    "end",
    "begin",
    "image",
    "video",
    "audio",
    "first",
    "last",
    "next",
    "per",
    "output",
    "input",
    "prompt",
    "decode",
    "prefill",
    "special",
    "new",
    "generated",
    "inter",
    "mean",
    "total",
    "each",
];

/// What a token is for, when it is for getting in.
const ACCESS: [&str; 26] = [
    "hf",
    "huggingface",
    "huggingfacehub",
    "hub",
    "access",
    "auth",
    "authentication",
    "api",
    "bearer",
    "session",
    "refresh",
    "id",
    "security",
    "github",
    "gitlab",
    "gh",
    "git",
    "wandb",
    "slack",
    "npm",
    "pypi",
    "service",
    "client",
    "secret",
    "touchstone",
    "csrf",
];

/// Judges a name such as `server_info.api_key`, `apiKey` or `AWS_SECRET_ACCESS_KEY`.
pub(super) fn judge(name: &[u8]) -> Option<Name> {
    let words = Words::of(name);
    let (last, before) = (words.last(0)?, words.last(1));
    let is = |word: &[u8], text: &str| word.eq_ignore_ascii_case(text.as_bytes());
    let any = |word: Option<&[u8]>, texts: &[&str]| word.is_some_and(|word| texts.iter().any(|text| is(word, text)));
    if is(last, "authorization") {
        return Some(Name::Header("Authorization header"));
    }
    if any(Some(last), &["cookie", "cookies"]) {
        return Some(Name::All("cookie"));
    }
    let ends = |text: &str| last.len() >= text.len() && is(&last[last.len() - text.len()..], text);
    // `PGPASSWORD`, `openaiapikey`.
    if ends("password") || ends("passwd") || ends("passphrase") {
        return Some(Name::Secret("password"));
    }
    if any(Some(last), &["secret", "secrets", "credential", "credentials"]) {
        return Some(Name::Secret("secret"));
    }
    if ends("apikey")
        || ends("apikeys")
        || (any(Some(last), &["key", "keys"]) && any(before, &["api", "auth", "account"]))
    {
        return Some(Name::Secret("API key"));
    }
    if any(Some(last), &["accesskey", "privatekey", "secretkey"])
        || (any(Some(last), &["key", "keys"]) && any(before, &["access", "private", "secret"]))
        || (is(last, "id") && is(before.unwrap_or_default(), "key"))
    {
        return Some(Name::Secret("secret key"));
    }
    if any(Some(last), &["apitoken", "accesstoken", "authtoken", "hftoken"]) {
        return Some(Name::Secret("access token"));
    }
    if !is(last, "token") || any(before, &NOT_ACCESS) {
        return None;
    }
    if any(before, &ACCESS) { Some(Name::Secret("access token")) } else { Some(Name::Perhaps("access token")) }
}

/// Judges an argument that is a flag by itself: its value is the next one.
pub(super) fn flag(argument: &[u8]) -> Option<&'static str> {
    let name = argument.strip_prefix(b"--")?;
    let plain = name.iter().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.'));
    if plain { always(judge(name)) } else { None }
}

/// Judges the name of an environment variable.
pub(super) fn variable(name: &[u8]) -> Option<&'static str> {
    always(judge(name))
}

/// On a command line and in an environment nobody writes a piece of text under `token`.
fn always(name: Option<Name>) -> Option<&'static str> {
    match name? {
        Name::Secret(what) | Name::Perhaps(what) | Name::Header(what) | Name::All(what) => Some(what),
    }
}

/// The last words of a name: `serverInfo.apiKey` is server, info, api, key.
struct Words<'a> {
    last: [&'a [u8]; 2],
}

impl<'a> Words<'a> {
    fn of(name: &'a [u8]) -> Self {
        let mut last: [&[u8]; 2] = [b"", b""];
        let mut end = name.len();
        for place in &mut last {
            while end > 0 && !name[end - 1].is_ascii_alphanumeric() {
                end -= 1;
            }
            let mut start = end;
            while start > 0 && name[start - 1].is_ascii_alphanumeric() {
                // `apiKey`: a capital after a small letter begins a word.
                let hump = start < end && name[start].is_ascii_uppercase() && name[start - 1].is_ascii_lowercase();
                if hump {
                    break;
                }
                start -= 1;
            }
            *place = &name[start..end];
            end = start;
        }
        Self { last }
    }

    fn last(&self, at: usize) -> Option<&'a [u8]> {
        Some(self.last[at]).filter(|word| !word.is_empty())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_judged_by_their_last_words() {
        for name in [
            "api_key",
            "api-key",
            "apiKey",
            "APIKey",
            "server_info.api_key",
            "OPENAI_API_KEY",
            "X-API-Key",
            "password",
            "DB_PASSWORD",
            "client_secret",
            "aws_secret_access_key",
            "AWS_ACCESS_KEY_ID",
            "hf_token",
            "HF_TOKEN",
            "accessToken",
            "private-key",
            "api_keys",
        ] {
            assert!(matches!(judge(name.as_bytes()), Some(Name::Secret(_))), "{name}");
        }
        for name in [
            "total_tokens",
            "max_tokens",
            "tokenizer",
            "first_token_iteration",
            "eos_token",
            "time_per_output_token",
            "token_iterations",
            "key",
            "monkey",
            "secretary",
            "skip_special_token",
            "tokenizer_mode",
            "token_ids",
        ] {
            assert_eq!(judge(name.as_bytes()), None, "{name}");
        }
        assert!(matches!(judge(b"token"), Some(Name::Perhaps(_))));
        assert!(matches!(judge(b"Set-Cookie"), Some(Name::All(_))));
        assert!(matches!(judge(b"Proxy-Authorization"), Some(Name::Header(_))));
    }
}
