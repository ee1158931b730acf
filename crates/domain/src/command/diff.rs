//! What an argument list sets, however it was spelled, and what two of them set differently.
//!
//! Smarter than a variant's fingerprint, which stays as it is because it stands in stores: aliases (`-tp 2` is
//! `--tensor-parallel-size=2`), `--no-x`, keys of JSON in another order, `0.90` and `0.9`, the order of flags, a flag whose
//! last occurrence counts. What the catalogue does not know is compared by its spelling.

use std::collections::BTreeMap;

use serde_json::Value as Json;

use super::catalogue::{self, Found, Kind};
use super::flags::is_flag;
use super::{Engine, Flag, flags};
use crate::study::Variant;

/// What a flag was set to.
#[derive(Debug, Clone, PartialEq)]
pub enum Setting {
    /// A switch, on or off.
    Switch(bool),
    /// One word or several, numbers in their shortest form.
    Words(Vec<String>),
    /// JSON, whatever the order of its keys.
    Json(Json),
}

/// What an argument list sets.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Settings {
    all: BTreeMap<String, Setting>,
    /// Words that belong to no flag.
    stray: Vec<String>,
}

/// Where an entry of [`flags`] ended up.
enum Place {
    Flag(String),
    Stray(String),
}

impl Settings {
    /// The settings of an argument list.
    pub fn of(engine: &str, args: &[String]) -> Self {
        read(engine, args).0
    }

    /// What a flag, by the catalogue's first name, was set to.
    pub fn get(&self, name: &str) -> Option<&Setting> {
        self.all.get(name)
    }

    /// The last word that a flag, by the catalogue's first name, was set to.
    pub fn last(&self, name: &str) -> Option<&str> {
        match self.get(name)? {
            Setting::Words(words) => words.last().map(String::as_str),
            Setting::Switch(_) | Setting::Json(_) => None,
        }
    }

    /// Everything that is set, by name.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Setting)> {
        self.all.iter().map(|(name, setting)| (name.as_str(), setting))
    }

    /// Words that belong to no flag, in order.
    pub fn stray(&self) -> &[String] {
        &self.stray
    }

    fn has(&self, place: &Place, of: &Self) -> bool {
        match place {
            Place::Flag(name) => self.all.get(name) == of.all.get(name),
            Place::Stray(word) => self.stray.contains(word),
        }
    }
}

/// An engine's argument list.
#[derive(Debug, Clone, Copy)]
pub struct Args<'a> {
    /// By name.
    pub engine: &'a str,
    /// In order.
    pub args: &'a [String],
}

impl<'a> From<&'a Variant> for Args<'a> {
    fn from(variant: &'a Variant) -> Self {
        Self { engine: &variant.engine, args: &variant.args }
    }
}

/// For every flag of `ours`, in the order and number of [`flags`], whether `theirs` sets it otherwise or not at all.
pub fn differs(ours: Args<'_>, theirs: Args<'_>) -> Vec<bool> {
    let (settings, places) = read(ours.engine, ours.args);
    let (other, _) = read(theirs.engine, theirs.args);
    places.iter().map(|place| !other.has(place, &settings)).collect()
}

/// The flags of `ours` that `theirs` sets otherwise or not at all, each with its value, as they were spelled.
pub fn added(ours: Args<'_>, theirs: Args<'_>) -> Vec<String> {
    let differs = differs(ours, theirs);
    let flags = flags(ours.args).into_iter().zip(differs).filter(|(_, differs)| *differs);
    flags.map(|(flag, _)| flag.value.map_or(flag.name.clone(), |value| format!("{}={value}", flag.name))).collect()
}

/// Whether two variants are the same configuration in two spellings.
pub fn same_configuration(a: &Variant, b: &Variant) -> bool {
    let identity = |v: &Variant| (v.engine.to_ascii_lowercase(), v.engine_version.clone(), v.model.clone(), v.gpus);
    identity(a) == identity(b) && a.env == b.env && Settings::of(&a.engine, &a.args) == Settings::of(&b.engine, &b.args)
}

fn read(engine: &str, args: &[String]) -> (Settings, Vec<Place>) {
    let engine = Engine::named(engine);
    let mut settings = Settings::default();
    let mut places = Vec::new();
    // The flag that takes all words up to the next one.
    let mut open: Option<String> = None;
    for flag in flags(args) {
        if !is_flag(&flag.name) {
            match open.as_ref().and_then(|name| Some((name, settings.all.get_mut(name)?))) {
                Some((name, Setting::Words(words))) => {
                    words.push(word(&flag.name));
                    places.push(Place::Flag(name.clone()));
                }
                _ => {
                    settings.stray.push(flag.name.clone());
                    places.push(Place::Stray(flag.name));
                }
            }
            continue;
        }
        let found = engine.and_then(|engine| catalogue::flag(engine, &flag.name));
        let name = match found {
            Some(found) => found.entry.name.to_owned(),
            // Not in the catalogue: `--no-x` is the opposite of `--x` all the same, unless it has a value.
            None => match flag.name.strip_prefix("--no-").filter(|_| flag.value.is_none()) {
                Some(positive) => format!("--{positive}"),
                None => flag.name.clone(),
            },
        };
        let list = found.is_some_and(|found| found.entry.kind == Kind::List);
        open = list.then(|| name.clone());
        places.push(Place::Flag(name.clone()));
        put(&mut settings, found, name, flag);
    }
    (settings, places)
}

fn put(settings: &mut Settings, found: Option<Found>, name: String, flag: Flag) {
    let before = settings.all.remove(&name);
    let setting = match found.map(|found| (found.entry.kind, found)) {
        Some((Kind::Switch, found)) => {
            let said = flag.value.as_deref().map(str::to_ascii_lowercase);
            let on = match said.as_deref() {
                Some("true" | "1") | None => true,
                Some("false" | "0") => false,
                // A word of its own that happened to follow.
                Some(_) => {
                    settings.stray.extend(flag.value);
                    true
                }
            };
            Setting::Switch(on != found.off)
        }
        Some((Kind::Json, _)) => {
            let value = flag.value.unwrap_or_default();
            match flag.name.split_once('.') {
                Some((_, path)) => Setting::Json(merged(before, path, &value)),
                None => single(&value),
            }
        }
        Some((Kind::Value, _)) => match level(&flag) {
            Some(level) => Setting::Words(vec![level]),
            None => flag.value.as_deref().map_or(Setting::Switch(true), single),
        },
        Some((Kind::List, _)) => several(before, flag.value),
        // Whether the last or all of them count is not known: all.
        None => match (before, flag.value) {
            (Some(before), Some(value)) => several(Some(before), Some(value)),
            (_, Some(value)) => single(&value),
            (_, None) => Setting::Switch(!flag.name.starts_with("--no-")),
        },
    };
    settings.all.insert(name, setting);
}

/// `-O3` has its value in its name.
fn level(flag: &Flag) -> Option<String> {
    let level = flag.name.strip_prefix("-O").filter(|level| !level.is_empty())?;
    flag.value.is_none().then(|| level.to_owned())
}

/// One word after a flag.
fn single(text: &str) -> Setting {
    let json = text.trim_start().starts_with(['{', '[']).then(|| serde_json::from_str::<Json>(text).ok()).flatten();
    json.map_or_else(|| Setting::Words(vec![word(text)]), Setting::Json)
}

/// What a flag that collects was set to before, and one word more.
fn several(before: Option<Setting>, value: Option<String>) -> Setting {
    let mut words = match before {
        Some(Setting::Words(words)) => words,
        Some(Setting::Json(json)) => vec![json.to_string()],
        Some(Setting::Switch(_)) | None => Vec::new(),
    };
    words.extend(value.map(|value| word(&value)));
    Setting::Words(words)
}

/// vLLM's `--x.a.b value` is `--x '{"a": {"b": value}}'`, together with what `--x` was set to before.
fn merged(before: Option<Setting>, path: &str, value: &str) -> Json {
    let mut root = match before {
        Some(Setting::Json(json)) if json.is_object() => json,
        _ => Json::Object(serde_json::Map::new()),
    };
    let value = serde_json::from_str(value).unwrap_or_else(|_| Json::String(value.to_owned()));
    let mut at = &mut root;
    for key in path.split('.') {
        if !at.is_object() {
            *at = Json::Object(serde_json::Map::new());
        }
        at = &mut at[key.replace('-', "_").as_str()];
    }
    *at = value;
    root
}

/// A number in its shortest form: `0.90` is `0.9`. Whatever is not plainly a number stays.
fn word(text: &str) -> String {
    let digits = text.strip_prefix('-').unwrap_or(text);
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, "0"));
    let plain = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    if !plain(whole) || !plain(fraction) || (whole.len() > 1 && whole.starts_with('0')) {
        return text.to_owned();
    }
    let shortest = if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { text };
    shortest.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn args(text: &str) -> Vec<String> {
        shlex::split(text).expect("tests quote well")
    }

    fn same(engine: &str, a: &str, b: &str) -> bool {
        Settings::of(engine, &args(a)) == Settings::of(engine, &args(b))
    }

    #[test]
    fn two_spellings_of_one_configuration_are_the_same() {
        for (engine, a, b) in [
            ("vLLM", "--a_b 1", "--a-b=1"),
            ("vLLM", "-tp 2 --enforce-eager", "--enforce_eager --tensor-parallel-size=2"),
            ("vLLM", "--gpu-memory-utilization 0.90", "--gpu_memory_utilization=0.9"),
            ("vLLM", "--no-enable-prefix-caching", "--enable-prefix-caching=false"),
            ("vLLM", "--disable-log-requests", "--no-enable-log-requests"),
            ("vLLM", "--max-num-seqs 8 --max-num-seqs 16", "--max-num-seqs=16"),
            ("vLLM", "--served-model-name a b", "--served-model-name a --served-model-name=b"),
            (
                "vLLM",
                r#"--speculative-config '{"method":"mtp","num_speculative_tokens":4}'"#,
                r#"--speculative_config='{ "num_speculative_tokens": 4, "method": "mtp" }'"#,
            ),
            (
                "vLLM",
                "-cc.cudagraph_mode=FULL -cc.level 3",
                r#"--compilation-config '{"level":3,"cudagraph_mode":"FULL"}'"#,
            ),
            ("vLLM", "-O3", "--optimization-level 3"),
            ("SGLang", "--tp 4 --dp-size=2", "--data-parallel-size 2 --tensor-parallel-size 4"),
            (
                "TensorRT-LLM",
                "--tp_size 4 --kv_cache_free_gpu_memory_fraction 0.8",
                "--tensor_parallel_size=4 --free_gpu_memory_fraction=0.80",
            ),
            ("other", "--no-x", "--no_x"),
        ] {
            assert!(same(engine, a, b), "{engine}: {a} | {b}");
        }
    }

    #[test]
    fn different_configurations_are_not() {
        for (engine, a, b) in [
            ("vLLM", "--max-num-seqs 8", "--max-num-seqs 16"),
            ("vLLM", "--enable-prefix-caching", "--no-enable-prefix-caching"),
            ("vLLM", "--enable-prefix-caching", ""),
            ("vLLM", "--served-model-name a b", "--served-model-name b a"),
            ("vLLM", "--revision 007", "--revision 7"),
            ("vLLM", "--hf-overrides '{\"a\":1}'", "--hf-overrides '{\"a\":2}'"),
            ("other", "--x 1 --x 2", "--x 2"),
            ("other", "-tp 2", "--tensor-parallel-size 2"),
            ("vLLM", "stray", ""),
        ] {
            assert!(!same(engine, a, b), "{engine}: {a} | {b}");
        }
    }

    #[test]
    fn what_differs_is_marked_flag_by_flag() {
        let ours = args("--max-num-seqs 8 -tp 2 --max-num-seqs 16 --served-model-name a b stray --enforce-eager");
        let theirs = args("--tensor_parallel_size=2 --served-model-name a b stray");
        let (ours, theirs) = (Args { engine: "vLLM", args: &ours }, Args { engine: "vLLM", args: &theirs });
        assert_eq!(differs(ours, theirs), [true, false, true, false, false, false, true]);
        assert_eq!(added(ours, theirs), ["--max-num-seqs=8", "--max-num-seqs=16", "--enforce-eager"]);
        assert_eq!(added(theirs, ours), [""; 0]);
    }

    #[test]
    fn engines_are_compared_by_what_their_flags_are_called_in_both() {
        let (ours, theirs) = (args("--tp 2"), args("-tp=2"));
        let differs = differs(Args { engine: "SGLang", args: &ours }, Args { engine: "vLLM", args: &theirs });
        assert_eq!(differs, [false]);
    }

    proptest::proptest! {
        #[test]
        fn nothing_differs_from_itself(words in proptest::collection::vec("(--?[a-zA-Z.-]{1,8}|[^\0]{0,8})(=[^\0]{0,8})?", 0..8)) {
            for engine in ["vLLM", "SGLang", "TensorRT-LLM", "other"] {
                let same = Args { engine, args: &words };
                let marks = differs(same, same);
                proptest::prop_assert_eq!(marks.len(), flags(&words).len());
                proptest::prop_assert!(marks.iter().all(|differs| !differs));
            }
        }
    }
}
