//! The second form, filled in: what the reader entered, else what is guessed. What is not known stays empty.

use domain::{
    study::Study,
    units::RequestRate,
    upload::{UNKNOWN, guess},
};
use store::StudyHead;

use super::{Choices, SeenFile};

/// The entry of a list that makes a new one. No id starts with a plus that a slug or our guesses made.
pub const NEW: &str = "+new";

/// All fields, with what stands in them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sheet {
    /// What all files share.
    pub study: StudyFields,
    /// One for each file with results.
    pub files: Vec<FileFields>,
}

/// The study and the machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StudyFields {
    /// A slug, [`NEW`], or nothing.
    pub study: String,
    /// Whether that is a guess.
    pub guessed: bool,
    /// Of a new study.
    pub slug: String,
    /// Of a new study.
    pub title: String,
    /// Of a new study: the model of variants that name no other.
    pub model: String,
    /// Of a new study.
    pub gpu: String,
    /// Of a new study.
    pub gpus: String,
}

/// Where one file goes.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "each field is the form's field that it is named after")]
pub struct FileFields {
    /// Its place among the files.
    pub at: usize,
    /// Left out by the reader.
    pub skip: bool,
    /// An id, [`NEW`], or nothing.
    pub variant: String,
    pub variant_guessed: bool,
    pub vid: String,
    pub engine: String,
    pub version: String,
    pub model: String,
    pub args: String,
    pub vgpus: String,
    /// An id, [`NEW`], or nothing.
    pub profile: String,
    pub profile_guessed: bool,
    pub pid: String,
    pub dataset: String,
    pub input: String,
    pub output: String,
    pub rate: String,
    pub concurrency: String,
    pub requests: String,
    pub step: String,
    pub start: String,
}

/// The study that the form is about, by its slug; none where it is to be made, or where nothing is known yet.
#[must_use]
pub fn chosen_study<'a>(
    files: &[SeenFile],
    choices: &Choices,
    heads: &'a [StudyHead],
) -> Option<(&'a StudyHead, bool)> {
    let by_slug = |slug: &str| heads.iter().find(|head| head.slug.as_str() == slug);
    if let Some(chosen) = choices.get("study") {
        return by_slug(chosen).map(|head| (head, false));
    }
    let said = || files.iter().filter_map(SeenFile::read).map(|read| &read.said);
    if let Some(named) =
        heads.iter().find(|head| said().any(|said| guess::names_model(head.slug.as_str(), said) == Some(true)))
    {
        return Some((named, true));
    }
    // A file that names another model belongs to none of them; one that names none belongs where work goes on.
    let stranger = said().any(|said| said.model.is_some());
    heads.first().filter(|_| !stranger).map(|head| (head, false))
}

impl Sheet {
    /// Fills the form. `study` is the chosen one, if it exists.
    #[must_use]
    pub fn of(files: &[SeenFile], choices: &Choices, study: Option<&Study>, guessed: bool) -> Self {
        let first = files.iter().find_map(SeenFile::read);
        let said = |of: fn(&guess::Said) -> Option<String>| first.and_then(|read| of(&read.said)).unwrap_or_default();
        let entered = |name: &str, guess: String| choices.get(name).map_or(guess, str::to_owned);
        let slug = entered("slug", first.and_then(|read| guess::study_slug(&read.said)).unwrap_or_default());
        let study_fields = StudyFields {
            study: study.map_or_else(|| NEW.to_owned(), |study| study.slug.to_string()),
            guessed,
            title: entered("title", said(|said| said.model.clone())),
            slug,
            model: entered("model", said(|said| said.model.clone())),
            gpu: entered("gpu", said(|said| said.gpu.clone())),
            gpus: entered("gpus", said(|said| said.gpus.map(|n| n.to_string()))),
        };
        let files =
            files.iter().enumerate().filter_map(|(at, file)| FileFields::of(at, file, choices, study)).collect();
        Self { study: study_fields, files }
    }
}

impl FileFields {
    fn of(at: usize, file: &SeenFile, choices: &Choices, study: Option<&Study>) -> Option<Self> {
        let read = file.read()?;
        let said = &read.said;
        let chosen = |name: &str| choices.get(&format!("{name}-{at}"));
        let entered = |name: &str, guess: Option<String>| chosen(name).map_or(guess.unwrap_or_default(), str::to_owned);
        let number = |n: Option<u64>| n.map(|n| n.to_string());

        let known_variant = |id: &&str| *id == NEW || study.is_some_and(|study| study.variant(&(*id).into()).is_some());
        let guessed_variant = study.and_then(|study| guess::variant(said, &file.name, study)).map(ToString::to_string);
        let (variant, variant_guessed) = match (chosen("variant").filter(known_variant), guessed_variant, study) {
            (Some(chosen), ..) => (chosen.to_owned(), false),
            (None, Some(guessed), _) => (guessed, true),
            (None, None, None) => (NEW.to_owned(), false),
            (None, None, Some(_)) => (String::new(), false),
        };
        let known_profile = |id: &&str| *id == NEW || study.is_some_and(|study| study.profile(&(*id).into()).is_some());
        let guessed_profile = study.and_then(|study| guess::profile(said, &file.name, study)).map(ToString::to_string);
        let (profile, profile_guessed) = match (chosen("profile").filter(known_profile), guessed_profile, study) {
            (Some(chosen), ..) => (chosen.to_owned(), false),
            (None, Some(guessed), _) => (guessed, true),
            (None, None, None) => (NEW.to_owned(), false),
            (None, None, Some(_)) => (String::new(), false),
        };
        let gpus_here = said.gpus.filter(|gpus| study.is_some_and(|study| study.hardware.count != Some(*gpus)));
        let rate = said.request_rate.map(|rate| match rate {
            RequestRate::Unlimited => "unlimited".to_owned(),
            RequestRate::PerSec(rate) => rate.get().to_string(),
        });
        Some(Self {
            at,
            skip: chosen("skip").is_some(),
            variant,
            variant_guessed,
            vid: entered("vid", Some(guess::variant_id(&file.name))),
            engine: entered("engine", guess::engine(said, read.tool, &file.name)),
            version: entered("version", said.engine_version.clone()),
            model: entered("model", said.model.clone().or_else(|| study.map(|study| study.model.id.clone()))),
            args: entered("args", None),
            vgpus: entered("vgpus", gpus_here.map(|gpus| gpus.to_string())),
            profile,
            profile_guessed,
            pid: entered("pid", Some(guess::profile_id(said))),
            dataset: entered("dataset", said.dataset.clone()),
            input: entered("input", number(said.input_tokens)),
            output: entered("output", number(said.output_tokens)),
            rate: entered("rate", rate),
            concurrency: entered("concurrency", number(said.max_concurrency)),
            requests: entered("requests", number(said.requests)),
            step: entered("step", None),
            start: entered("start", None),
        })
    }
}

/// A GPU that nobody named is not offered as a name.
pub(super) fn named(gpu: &str) -> Option<String> {
    let gpu = gpu.trim();
    (!gpu.is_empty() && gpu != UNKNOWN).then(|| gpu.to_owned())
}
