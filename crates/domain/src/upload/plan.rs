//! What must exist before the runs of an upload can be stored. What is stored stays as it is: an upload adds, and is told
//! where it describes something differently.

use super::{Envelope, HardwarePart, ProfilePart, Refusal, Short, StepPart, StudyPart, VariantPart};
use crate::command::diff::same_configuration;
use crate::id::{ProfileId, StepId, StudySlug, VariantId};
use crate::metric::Metric;
use crate::study::{
    DEFAULT_DECIMALS, DEFAULT_MIN_SUCCESS_PCT, DEFAULT_RELEVANCE_PCT, Hardware, Localized, Model, OptionBase, Profile,
    Step, Study, Variant,
};

/// The GPU of a study whose uploads never named one.
pub const UNKNOWN_GPU: &str = "unknown";

/// What an upload needs, beside its raw outputs.
#[derive(Debug, Clone, PartialEq)]
pub struct Plan {
    /// The study as it will be, with all its parts.
    pub study: Study,
    /// The runs' variant.
    pub variant: VariantId,
    /// The runs' profile.
    pub profile: ProfileId,
    /// Whether the study has to be made.
    pub new_study: bool,
    /// Whether a profile, variant or step has to be made or added to.
    pub new_parts: bool,
    /// What the upload describes differently from what is stored, and what it leaves unknown.
    pub warnings: Vec<String>,
}

/// Plans an upload that was checked. `stored` is the study as it is now, if it is.
pub fn plan(envelope: &Envelope, stored: Option<&Study>) -> Result<Plan, Refusal> {
    let mut warnings = Warnings::default();
    let mut study = match stored {
        Some(stored) => stored.clone(),
        None => bare_study(envelope)?,
    };
    let (variant, new_variant) = variant(envelope, &mut study, &mut warnings)?;
    let (profile, new_profile) = profile(envelope, &mut study, &mut warnings);
    if stored.is_none() {
        let full = full(&envelope.study);
        study.baseline =
            full.and_then(|study| study.baseline.as_deref()).map_or_else(|| variant.clone(), VariantId::new);
        study.primary_profile =
            full.and_then(|study| study.primary_profile.as_deref()).map_or_else(|| profile.clone(), ProfileId::new);
    }
    let new_step = step(envelope, &mut study, (&variant, &profile), &mut warnings);
    described_differently(envelope, &study, &mut warnings);
    let new_parts = new_variant || new_profile || new_step;
    Ok(Plan { study, variant, profile, new_study: stored.is_none(), new_parts, warnings: warnings.0 })
}

#[derive(Default)]
struct Warnings(Vec<String>);

impl Warnings {
    /// Says that what was sent is not what is stored and stays stored.
    fn differs<T: PartialEq>(&mut self, path: &str, sent: Option<&T>, stored: Option<&T>, show: impl Fn(&T) -> String) {
        let Some(sent) = sent.filter(|sent| Some(*sent) != stored) else { return };
        let stored = stored.map_or_else(|| "nothing".to_owned(), &show);
        self.0.push(format!("{path}: {stored} is stored and stays; the upload says {}", show(sent)));
    }

    fn text(&mut self, path: &str, sent: Option<&str>, stored: Option<&str>) {
        self.differs(path, sent.as_ref(), stored.as_ref(), |text| format!("\"{text}\""));
    }

    fn value<T: PartialEq + serde::Serialize>(&mut self, path: &str, sent: Option<&T>, stored: Option<&T>) {
        self.differs(path, sent, stored, |value| {
            serde_json::to_string(value).expect("texts, numbers and lists can be written as JSON")
        });
    }
}

fn full<T>(short: &Short<T>) -> Option<&T> {
    match short {
        Short::Text(_) => None,
        Short::Full(full) => Some(full),
    }
}

/// A new study, without parts. Its model comes from the variant where the study's is not given.
fn bare_study(envelope: &Envelope) -> Result<Study, Refusal> {
    let slug = envelope.slug();
    let empty = StudyPart::default();
    let sent = full(&envelope.study).unwrap_or(&empty);
    let model = sent.model.as_ref().map(|model| model.id.as_str());
    let model = model.or_else(|| full(&envelope.variant)?.model.as_deref()).ok_or_else(|| {
        Refusal::new("variant.model", format!("study \"{slug}\" is new, and its model is not known"))
            .expected("variant.model, or study.model.id")
    })?;
    let machine = |of: fn(&HardwarePart) -> Option<String>| {
        [sent.hardware.as_ref(), envelope.hardware.as_ref()].into_iter().flatten().find_map(of)
    };
    Ok(Study {
        slug: StudySlug::new(slug),
        title: sent.title.as_ref().map_or_else(|| Localized::same(slug), Short::localized),
        basis: sent.basis.unwrap_or_default(),
        decimals: DEFAULT_DECIMALS,
        option_base: OptionBase::default(),
        objective: Metric::TotalTps,
        relevance_pct: DEFAULT_RELEVANCE_PCT,
        min_success_pct: DEFAULT_MIN_SUCCESS_PCT,
        notes: Localized::default(),
        // Both are set as soon as the first variant and profile are known.
        baseline: VariantId::new(""),
        primary_profile: ProfileId::new(""),
        model: Model { id: model.to_owned() },
        hardware: Hardware {
            gpu: machine(|hardware| hardware.gpu.clone()).unwrap_or_else(|| UNKNOWN_GPU.to_owned()),
            count: [sent.hardware.as_ref(), envelope.hardware.as_ref()].into_iter().flatten().find_map(|h| h.count),
        },
        profiles: Vec::new(),
        variants: Vec::new(),
        steps: Vec::new(),
    })
}

fn variant(envelope: &Envelope, study: &mut Study, warnings: &mut Warnings) -> Result<(VariantId, bool), Refusal> {
    let sent = match &envelope.variant {
        Short::Full(sent) => sent,
        Short::Text(id) => {
            let id = VariantId::new(id);
            return match study.variant(&id) {
                Some(_) => Ok((id, false)),
                None => Err(unknown_variant(study, &id)),
            };
        }
    };
    let mut described = describe(sent, &study.model.id);
    let stored = match &sent.id {
        Some(id) => study.variants.iter().find(|stored| stored.id.as_str() == id),
        None => {
            let fingerprint = described.fingerprint();
            study.variants.iter().find(|stored| stored.fingerprint() == fingerprint)
        }
    };
    if let Some(stored) = stored {
        let id = &stored.id;
        let at = |key: &str| format!("variant.{key} of \"{id}\"");
        // The same configuration in another spelling is no contradiction.
        if !same_configuration(stored, &described) {
            warnings.text(&at("engine"), Some(&sent.engine), Some(&stored.engine));
            warnings.text(&at("engine_version"), sent.engine_version.as_deref(), stored.engine_version.as_deref());
            warnings.text(&at("model"), sent.model.as_deref(), Some(&stored.model));
            warnings.value(&at("args"), Some(&sent.args), Some(&stored.args));
            warnings.value(&at("env"), Some(&sent.env), Some(&stored.env));
            warnings.value(&at("gpus"), sent.gpus.as_ref(), stored.gpus.as_ref());
        }
        warnings.value(&at("name"), described.name.as_ref(), stored.name.as_ref());
        return Ok((id.clone(), false));
    }
    if sent.id.is_none() {
        described.id = VariantId::new(described.id_of_its_own());
    }
    let id = described.id.clone();
    study.variants.push(described);
    Ok((id, true))
}

fn describe(sent: &VariantPart, model: &str) -> Variant {
    Variant {
        id: VariantId::new(sent.id.clone().unwrap_or_default()),
        name: sent.name.as_ref().map(Short::localized),
        engine: sent.engine.clone(),
        engine_version: sent.engine_version.clone(),
        model: sent.model.clone().unwrap_or_else(|| model.to_owned()),
        args: sent.args.clone(),
        env: sent.env.clone(),
        gpus: sent.gpus,
    }
}

fn unknown_variant(study: &Study, id: &VariantId) -> Refusal {
    let known: Vec<_> = study.variants.iter().map(|variant| variant.id.as_str()).collect();
    let known = if known.is_empty() { "none yet".to_owned() } else { known.join(", ") };
    Refusal::new("variant", format!("variant \"{id}\" is not in study \"{}\"; known are: {known}", study.slug))
        .expected("the id of a known variant, or a description with at least its engine")
}

fn profile(envelope: &Envelope, study: &mut Study, warnings: &mut Warnings) -> (ProfileId, bool) {
    let bare;
    let sent = match &envelope.profile {
        Short::Full(sent) => sent,
        Short::Text(id) => {
            bare = ProfilePart {
                id: id.clone(),
                name: None,
                dataset: None,
                dataset_path: None,
                input_tokens: None,
                output_tokens: None,
                seed: None,
                request_rate: None,
                max_concurrency: None,
                requests: None,
                command: None,
                slo: Default::default(),
            };
            &bare
        }
    };
    let id = ProfileId::new(&sent.id);
    let name = sent.name.as_ref().map(Short::localized);
    if let Some(stored) = study.profile(&id) {
        let at = |key: &str| format!("profile.{key} of \"{id}\"");
        warnings.value(&at("name"), name.as_ref(), Some(&stored.name));
        warnings.text(&at("dataset"), sent.dataset.as_deref(), stored.dataset.as_deref());
        warnings.text(&at("dataset_path"), sent.dataset_path.as_deref(), stored.dataset_path.as_deref());
        warnings.value(&at("input_tokens"), sent.input_tokens.as_ref(), stored.input_tokens.as_ref());
        warnings.value(&at("output_tokens"), sent.output_tokens.as_ref(), stored.output_tokens.as_ref());
        warnings.value(&at("seed"), sent.seed.as_ref(), stored.seed.as_ref());
        warnings.value(&at("request_rate"), sent.request_rate.as_ref(), stored.request_rate.as_ref());
        warnings.value(&at("max_concurrency"), sent.max_concurrency.as_ref(), stored.max_concurrency.as_ref());
        warnings.value(&at("requests"), sent.requests.as_ref(), stored.requests.as_ref());
        warnings.text(&at("command"), sent.command.as_deref(), stored.command.as_deref());
        for (metric, limit) in &sent.slo {
            warnings.value(&at(&format!("slo.{metric}")), Some(limit), stored.slo.get(metric));
        }
        return (id, false);
    }
    study.profiles.push(Profile {
        id: id.clone(),
        name: name.unwrap_or_else(|| Localized::same(&sent.id)),
        dataset: sent.dataset.clone(),
        dataset_path: sent.dataset_path.clone(),
        input_tokens: sent.input_tokens,
        output_tokens: sent.output_tokens,
        seed: sent.seed,
        request_rate: sent.request_rate,
        max_concurrency: sent.max_concurrency,
        requests: sent.requests,
        command: sent.command.clone(),
        slo: sent.slo.clone(),
    });
    (id, true)
}

/// A step lists what was tried in it: a variant is added to it by its first upload.
fn step(
    envelope: &Envelope,
    study: &mut Study,
    (variant, profile): (&VariantId, &ProfileId),
    warnings: &mut Warnings,
) -> bool {
    let bare;
    let sent = match &envelope.step {
        None => return false,
        Some(Short::Full(sent)) => sent,
        Some(Short::Text(id)) => {
            bare = StepPart { id: id.clone(), name: None };
            &bare
        }
    };
    let name = sent.name.as_ref().map(Short::localized);
    match study.steps.iter_mut().find(|step| step.id.as_str() == sent.id) {
        Some(stored) => {
            warnings.value(&format!("step.name of \"{}\"", sent.id), name.as_ref(), Some(&stored.name));
            let new = !stored.variants.contains(variant);
            if new {
                stored.variants.push(variant.clone());
            }
            new
        }
        None => {
            study.steps.push(Step {
                id: StepId::new(&sent.id),
                name: name.unwrap_or_else(|| Localized::same(&sent.id)),
                profile: profile.clone(),
                variants: vec![variant.clone()],
            });
            true
        }
    }
}

fn described_differently(envelope: &Envelope, study: &Study, warnings: &mut Warnings) {
    if let Some(sent) = full(&envelope.study) {
        let title = sent.title.as_ref().map(Short::localized);
        warnings.value("study.title", title.as_ref(), Some(&study.title));
        warnings.text("study.model.id", sent.model.as_ref().map(|model| model.id.as_str()), Some(&study.model.id));
        warnings.value("study.basis", sent.basis.as_ref(), Some(&study.basis));
        warnings.text("study.primary_profile", sent.primary_profile.as_deref(), Some(study.primary_profile.as_str()));
        warnings.text("study.baseline", sent.baseline.as_deref(), Some(study.baseline.as_str()));
        machine("study.hardware", sent.hardware.as_ref(), study, warnings);
    }
    machine("hardware", envelope.hardware.as_ref(), study, warnings);
    if study.hardware.gpu == UNKNOWN_GPU {
        let message = "hardware.gpu: the study's GPU is not known, so nothing can be held against the hardware";
        warnings.0.push(message.to_owned());
    }
}

fn machine(path: &str, sent: Option<&HardwarePart>, study: &Study, warnings: &mut Warnings) {
    let Some(sent) = sent else { return };
    warnings.text(&format!("{path}.gpu"), sent.gpu.as_deref(), Some(&study.hardware.gpu));
    warnings.value(&format!("{path}.count"), sent.count.as_ref(), study.hardware.count.as_ref());
}
