//! What an envelope may hold. Names stand in tables, addresses and file names; the limits keep them readable there.

use super::{Commands, Envelope, File, HardwarePart, Languages, ProfilePart, Refusal, Short, StudyPart, VariantPart};
use crate::command::is_env_name;
use crate::id::is_slug;
use crate::study::instant;

/// An id is read, typed and linked to.
const MAX_ID: usize = 100;
/// A name stands in a heading or a table.
const MAX_NAME: usize = 200;
/// A file name on every system.
const MAX_FILE_NAME: usize = 255;
/// A command line as Linux takes it by default is longer, but nobody reads it.
const MAX_COMMAND: usize = 64 * 1024;
/// More arguments or variables than any engine has.
const MAX_LIST: usize = 1000;
/// A sweep's folder has some hundred files.
pub const MAX_FILES: usize = 1000;

type Checked = Result<(), Refusal>;

impl Envelope {
    /// Refuses what cannot be stored or shown. What is left out is not looked at here.
    pub fn check(&self) -> Checked {
        let slug = self.slug();
        if !is_slug(slug) {
            let path = if matches!(self.study, Short::Text(_)) { "study" } else { "study.slug" };
            return Err(Refusal::new(path, format!("\"{}\" is no slug", cut(slug))).expected(
                "lower-case letters, digits, \".\", \"-\" and \"_\", starting with a letter or digit, at most 100",
            ));
        }
        match &self.study {
            Short::Full(study) => study.check()?,
            Short::Text(_) => {}
        }
        match &self.step {
            Some(Short::Text(step)) => id("step", step)?,
            Some(Short::Full(step)) => {
                id("step.id", &step.id)?;
                text("step.name", step.name.as_ref())?;
            }
            None => {}
        }
        match &self.variant {
            Short::Text(variant) => id("variant", variant)?,
            Short::Full(variant) => variant.check()?,
        }
        match &self.profile {
            Short::Text(profile) => id("profile", profile)?,
            Short::Full(profile) => profile.check()?,
        }
        machine("hardware", self.hardware.as_ref())?;
        if let Some(Commands { serve, bench }) = &self.commands {
            words("commands.serve", serve.as_deref(), MAX_COMMAND)?;
            words("commands.bench", bench.as_deref(), MAX_COMMAND)?;
        }
        name("start", self.start.as_deref())?;
        let times = (self.started_at_ms()?, self.finished_at_ms()?);
        if let (Some(started), Some(finished)) = times
            && finished < started
        {
            return Err(Refusal::new("finished_at", "it is before started_at").expected("a time after started_at"));
        }
        if self.files.len() > MAX_FILES {
            return Err(Refusal::new("files", format!("{} files in one upload", self.files.len()))
                .expected(format!("at most {MAX_FILES}; divide it")));
        }
        self.files.iter().enumerate().try_for_each(|(at, file)| file.check(at))
    }

    /// Start of the runs, in milliseconds since 1970 UTC.
    pub fn started_at_ms(&self) -> Result<Option<i64>, Refusal> {
        time("started_at", self.started_at.as_deref())
    }

    fn finished_at_ms(&self) -> Result<Option<i64>, Refusal> {
        time("finished_at", self.finished_at.as_deref())
    }
}

/// Whether a text of an output can stand where a name of an envelope could.
pub(super) fn storable(text: &str) -> bool {
    heading("", Some(text)).is_ok()
}

/// Refuses a file name that cannot stand in a list.
pub fn file_name(path: &str, file: &str) -> Checked {
    if file.is_empty() {
        return Err(Refusal::new(path, "the file has no name").expected("the name of the raw output"));
    }
    length(path, file, MAX_FILE_NAME)?;
    printable(path, file)
}

impl StudyPart {
    fn check(&self) -> Checked {
        text("study.title", self.title.as_ref())?;
        heading("study.model.id", self.model.as_ref().map(|model| model.id.as_str()))?;
        machine("study.hardware", self.hardware.as_ref())?;
        self.primary_profile.iter().try_for_each(|profile| id("study.primary_profile", profile))?;
        self.baseline.iter().try_for_each(|variant| id("study.baseline", variant))
    }
}

impl VariantPart {
    fn check(&self) -> Checked {
        self.id.iter().try_for_each(|variant| id("variant.id", variant))?;
        text("variant.name", self.name.as_ref())?;
        id("variant.engine", &self.engine)?;
        heading("variant.engine_version", self.engine_version.as_deref())?;
        heading("variant.model", self.model.as_deref())?;
        for (path, count) in [("variant.args", self.args.len()), ("variant.env", self.env.len())] {
            if count > MAX_LIST {
                return Err(Refusal::new(path, format!("{count} entries")).expected(format!("at most {MAX_LIST}")));
            }
        }
        for (at, arg) in self.args.iter().enumerate() {
            words(&format!("variant.args[{at}]"), Some(arg), MAX_COMMAND)?;
        }
        for (key, value) in &self.env {
            let path = format!("variant.env.{}", cut(key));
            id(&path, key)?;
            if !is_env_name(key) {
                return Err(Refusal::new(path, "no shell takes this as the name of a variable")
                    .expected("letters, digits and _, not first a digit"));
            }
            words(&path, Some(value), MAX_COMMAND)?;
        }
        count("variant.gpus", self.gpus)
    }
}

impl ProfilePart {
    fn check(&self) -> Checked {
        id("profile.id", &self.id)?;
        text("profile.name", self.name.as_ref())?;
        name("profile.dataset", self.dataset.as_deref())?;
        words("profile.dataset_path", self.dataset_path.as_deref(), MAX_COMMAND)?;
        words("profile.command", self.command.as_deref(), MAX_COMMAND)?;
        for (key, value) in [("requests", self.requests), ("max_concurrency", self.max_concurrency)] {
            if value == Some(0) {
                return Err(zero(&format!("profile.{key}")));
            }
        }
        let counts = [
            ("requests", self.requests),
            ("max_concurrency", self.max_concurrency),
            ("input_tokens", self.input_tokens),
            ("output_tokens", self.output_tokens),
        ];
        for (key, value) in counts {
            // A study folder cannot hold more, nor can a database.
            if value.is_some_and(|value| i64::try_from(value).is_err()) {
                let path = format!("profile.{key}");
                return Err(Refusal::new(path, "the number is too large").expected("at most 9223372036854775807"));
            }
        }
        for (metric, limit) in &self.slo {
            if !(limit.is_finite() && *limit > 0.0) {
                let path = format!("profile.slo.{metric}");
                return Err(Refusal::new(path, format!("the limit is {limit}")).expected("a number above 0"));
            }
        }
        Ok(())
    }
}

impl File {
    fn check(&self, at: usize) -> Checked {
        file_name(&format!("files[{at}].name"), &self.name)?;
        if self.content.is_some() == self.content_base64.is_some() {
            return Err(Refusal::new(format!("files[{at}]"), "it has both or none of content and content_base64")
                .expected("exactly one of content and content_base64"));
        }
        Ok(())
    }
}

fn machine(path: &str, machine: Option<&HardwarePart>) -> Checked {
    let Some(HardwarePart { gpu, count: gpus }) = machine else { return Ok(()) };
    heading(&format!("{path}.gpu"), gpu.as_deref())?;
    count(&format!("{path}.count"), *gpus)
}

fn count(path: &str, count: Option<u32>) -> Checked {
    match count {
        Some(0) => Err(zero(path)),
        Some(_) | None => Ok(()),
    }
}

fn zero(path: &str) -> Refusal {
    Refusal::new(path, "it is 0").expected("at least 1; leave it out where it is not known")
}

fn text(path: &str, text: Option<&Short<Languages>>) -> Checked {
    match text {
        None => Ok(()),
        Some(Short::Text(text)) => heading(path, Some(text)),
        Some(Short::Full(Languages { ja: None, en: None })) => {
            Err(Refusal::new(path, "it is empty").expected("at least one of ja and en"))
        }
        Some(Short::Full(Languages { ja, en })) => {
            heading(&format!("{path}.ja"), ja.as_deref())?;
            heading(&format!("{path}.en"), en.as_deref())
        }
    }
}

/// A name that stands in a heading or is a link: there must be something to see, and to read out.
fn heading(path: &str, text: Option<&str>) -> Checked {
    if text.is_some_and(is_blank) {
        return Err(Refusal::new(path, "it is empty").expected("a text; leave it out where there is none"));
    }
    name(path, text)
}

/// Whether nothing of a text is seen: spaces, and characters without a width.
fn is_blank(text: &str) -> bool {
    let unseen = |c: char| matches!(c, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{2060}'..='\u{2064}' | '\u{feff}');
    text.chars().all(|c| c.is_whitespace() || c.is_control() || unseen(c))
}

fn id(path: &str, id: &str) -> Checked {
    if is_blank(id) {
        return Err(Refusal::new(path, "it is empty").expected("a text"));
    }
    length(path, id, MAX_ID)?;
    printable(path, id)
}

fn name(path: &str, name: Option<&str>) -> Checked {
    let Some(name) = name else { return Ok(()) };
    length(path, name, MAX_NAME)?;
    printable(path, name)
}

fn words(path: &str, words: Option<&str>, max: usize) -> Checked {
    let Some(words) = words else { return Ok(()) };
    length(path, words, max)?;
    // PostgreSQL keeps every character but this one, and no program can be given it.
    if words.contains('\0') {
        return Err(Refusal::new(path, "it holds the character U+0000").expected("a text without it"));
    }
    Ok(())
}

fn length(path: &str, text: &str, max: usize) -> Checked {
    let length = text.chars().count();
    if length <= max && text.len() <= max * 4 {
        return Ok(());
    }
    Err(Refusal::new(path, format!("it has {length} characters")).expected(format!("at most {max}")))
}

/// Names stand in tables and headings, where a control character breaks something.
fn printable(path: &str, text: &str) -> Checked {
    match text.chars().find(|c| c.is_control()) {
        None => Ok(()),
        Some(c) => Err(Refusal::new(path, format!("it holds the control character U+{:04X}", u32::from(c)))
            .expected("one line of text")),
    }
}

fn time(path: &str, text: Option<&str>) -> Result<Option<i64>, Refusal> {
    let Some(text) = text else { return Ok(None) };
    let refused = || {
        Refusal::new(path, format!("\"{}\" is no time", cut(text)))
            .expected("a time as in RFC 3339, such as 2026-11-28T09:30:00+09:00")
    };
    instant(text).map(Some).ok_or_else(refused)
}

fn cut(text: &str) -> String {
    text.chars().take(80).collect()
}
