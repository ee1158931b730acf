//! What must exist before the runs of an upload can be stored. What is stored stays as it is: an upload adds, and is told
//! where it describes something differently.

use std::collections::BTreeMap;

use super::check::storable;
use super::{Envelope, HardwarePart, ProfilePart, Short, StepPart, StudyPart, VariantPart};
use crate::advise::Objective;
use crate::command::diff::same_configuration;
use crate::id::{ProfileId, StepId, StudySlug, VariantId};
use crate::run::{Context, Measurement};
use crate::study::{
    DEFAULT_DECIMALS, DEFAULT_MIN_SUCCESS_PCT, DEFAULT_RELEVANCE_PCT, Hardware, Localized, Model, OptionBase, Profile,
    Step, Study, Variant,
};

/// The engine, model or GPU that neither an upload nor its outputs ever named. A later upload may name it.
pub const UNKNOWN: &str = "unknown";

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
    /// Whether the study's own description is known better now: its model or its hardware.
    pub new_facts: bool,
    /// What the upload describes differently from what is stored, and what it leaves unknown.
    pub warnings: Vec<String>,
}

/// Plans an upload that was checked. `stored` is the study as it is now, if it is; `runs` are the results of the file,
/// which often say what the envelope leaves out: the engine, its version, the model, the GPU.
pub fn plan(envelope: &Envelope, stored: Option<&Study>, runs: &[Measurement]) -> Plan {
    let mut warnings = Warnings::default();
    let told = Told::of(envelope, runs);
    let mut study = stored.cloned().unwrap_or_else(|| bare_study(envelope));
    let new_facts = told.fill(&mut study);
    let (variant, new_variant) = variant(envelope, &mut study, &told, &mut warnings);
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
    not_known(&study, &variant, &mut warnings);
    let new_parts = new_variant || new_profile || new_step;
    Plan { study, variant, profile, new_study: stored.is_none(), new_parts, new_facts, warnings: warnings.0 }
}

/// What an upload tells of its engine, model and machine: the envelope, and where it is silent the first of the outputs that
/// is not.
struct Told {
    engine: Option<String>,
    engine_version: Option<String>,
    model: Option<String>,
    gpu: Option<String>,
    count: Option<u32>,
}

impl Told {
    fn of(envelope: &Envelope, runs: &[Measurement]) -> Self {
        let said = |of: fn(&Context) -> Option<&String>| {
            runs.iter().find_map(|run| of(&run.context)).filter(|text| storable(text)).cloned()
        };
        let (study, variant) = (full(&envelope.study), full(&envelope.variant));
        let machines =
            || [study.and_then(|study| study.hardware.as_ref()), envelope.hardware.as_ref()].into_iter().flatten();
        let model = study.and_then(|study| study.model.as_ref()).map(|model| model.id.clone());
        Self {
            engine: said(|context| context.engine.as_ref()),
            engine_version: said(|context| context.engine_version.as_ref()),
            model: model
                .or_else(|| variant.and_then(|variant| variant.model.clone()))
                .or_else(|| said(|context| context.model.as_ref())),
            gpu: machines().find_map(|machine| machine.gpu.clone()).or_else(|| said(|context| context.gpu.as_ref())),
            count: machines()
                .find_map(|machine| machine.count)
                .or_else(|| runs.iter().find_map(|run| run.context.gpus)),
        }
    }

    /// Puts into a study what nobody has told before.
    fn fill(&self, study: &mut Study) -> bool {
        let model = put(&mut study.model.id, self.model.as_ref());
        let gpu = put(&mut study.hardware.gpu, self.gpu.as_ref());
        // A count belongs to its GPU: another machine's is not this one's.
        let same = self.gpu.as_ref().is_none_or(|gpu| *gpu == study.hardware.gpu);
        let count = study.hardware.count.is_none() && self.count.is_some() && same;
        if count {
            study.hardware.count = self.count;
        }
        model || gpu || count
    }
}

fn put(place: &mut String, told: Option<&String>) -> bool {
    let told = told.filter(|told| place == UNKNOWN && *told != UNKNOWN);
    told.map(|told| place.clone_from(told)).is_some()
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

/// A new study, without parts, model and hardware.
fn bare_study(envelope: &Envelope) -> Study {
    let slug = envelope.slug();
    let empty = StudyPart::default();
    let sent = full(&envelope.study).unwrap_or(&empty);
    Study {
        slug: StudySlug::new(slug),
        title: sent.title.as_ref().map_or_else(|| Localized::same(slug), Short::localized),
        basis: sent.basis.unwrap_or_default(),
        decimals: DEFAULT_DECIMALS,
        option_base: OptionBase::default(),
        objective: Objective::default(),
        price: None,
        relevance_pct: DEFAULT_RELEVANCE_PCT,
        min_success_pct: DEFAULT_MIN_SUCCESS_PCT,
        notes: Localized::default(),
        // Both are set as soon as the first variant and profile are known.
        baseline: VariantId::new(""),
        primary_profile: ProfileId::new(""),
        model: Model { id: UNKNOWN.to_owned() },
        hardware: Hardware { gpu: UNKNOWN.to_owned(), count: None },
        profiles: Vec::new(),
        variants: Vec::new(),
        steps: Vec::new(),
    }
}

fn variant(envelope: &Envelope, study: &mut Study, told: &Told, warnings: &mut Warnings) -> (VariantId, bool) {
    let sent = match &envelope.variant {
        Short::Full(sent) => sent,
        Short::Text(id) => {
            let id = VariantId::new(id);
            let model = study.model.id.clone();
            let changed = match study.variants.iter_mut().find(|stored| stored.id == id) {
                Some(stored) => fill_variant(stored, &model, told),
                None => {
                    let mut bare = bare_variant(&id);
                    fill_variant(&mut bare, &model, told);
                    study.variants.push(bare);
                    true
                }
            };
            return (id, changed);
        }
    };
    let mut described = describe(sent, &study.model.id);
    let stored = match &sent.id {
        Some(id) => study.variants.iter_mut().find(|stored| stored.id.as_str() == id),
        None => {
            let fingerprint = described.fingerprint();
            study.variants.iter_mut().find(|stored| stored.fingerprint() == fingerprint)
        }
    };
    if let Some(stored) = stored {
        // Only its id was known.
        if stored.engine == UNKNOWN && described.engine != UNKNOWN {
            *stored = described;
            return (stored.id.clone(), true);
        }
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
        return (id.clone(), false);
    }
    if sent.id.is_none() {
        described.id = VariantId::new(described.id_of_its_own());
    }
    let id = described.id.clone();
    study.variants.push(described);
    (id, true)
}

/// A variant of which no more than its id is known.
fn bare_variant(id: &VariantId) -> Variant {
    Variant {
        id: id.clone(),
        name: None,
        engine: UNKNOWN.to_owned(),
        engine_version: None,
        model: UNKNOWN.to_owned(),
        args: Vec::new(),
        env: BTreeMap::new(),
        gpus: None,
        notes: Localized::default(),
    }
}

fn fill_variant(variant: &mut Variant, model: &str, told: &Told) -> bool {
    let engine = put(&mut variant.engine, told.engine.as_ref());
    if engine {
        variant.engine_version.clone_from(&told.engine_version);
    }
    // The outputs' model is the served one, which may be another form of the study's.
    put(&mut variant.model, told.model.as_ref()) || put(&mut variant.model, Some(&model.to_owned())) || engine
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
        notes: Localized::default(),
    }
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
                notes: Localized::default(),
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
}

/// What is left unknown, each with what it costs. Follows from what is stored, so that each of ten equal uploads says it.
fn not_known(study: &Study, variant: &VariantId, warnings: &mut Warnings) {
    let mut say = |message: String| warnings.0.push(message);
    if study.hardware.gpu == UNKNOWN {
        say("hardware.gpu: the study's GPU is not known, so nothing can be held against the hardware".to_owned());
    }
    let Some(variant) = study.variant(variant) else { return };
    if variant.engine == UNKNOWN {
        let id = &variant.id;
        say(format!(
            "variant.engine of \"{id}\": it is not known, so the report cannot give a command for this variant"
        ));
    }
    if variant.model == UNKNOWN {
        say(format!("variant.model of \"{}\": it is not known", variant.id));
    }
}

fn machine(path: &str, sent: Option<&HardwarePart>, study: &Study, warnings: &mut Warnings) {
    let Some(sent) = sent else { return };
    warnings.text(&format!("{path}.gpu"), sent.gpu.as_deref(), Some(&study.hardware.gpu));
    warnings.value(&format!("{path}.count"), sent.count.as_ref(), study.hardware.count.as_ref());
}
