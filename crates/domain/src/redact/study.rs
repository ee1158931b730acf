//! Every text of a study. Structures are taken apart without `..`, so that a new field cannot be forgotten.

use std::collections::{BTreeMap, BTreeSet};

use super::known::{Pen, apart};
use super::scan::Place;
use crate::advise::Objective;
use crate::id::{ProfileId, StepId, StudySlug, VariantId, is_slug};
use crate::run::{Context, Excerpt, Measurement, Run};
use crate::study::{Hardware, Localized, Model, Profile, Step, Study, StudyData, Variant};

/// Names of the models of a study that anybody can have: `Qwen/Qwen3-14B`, without `Qwen/`, in lower case.
pub(super) fn public_models(data: &StudyData) -> BTreeSet<String> {
    let of_runs = data.runs.iter().filter_map(|run| run.measurement.context.model.as_ref());
    let of_variants = data.study.variants.iter().map(|variant| &variant.model);
    // Words of everybody, whatever somebody's account is called.
    let engines = data.study.variants.iter().map(|variant| variant.engine.to_ascii_lowercase());
    let engines: Vec<String> = engines.chain(ENGINES.map(str::to_owned)).collect();
    let all = of_variants.chain(std::iter::once(&data.study.model.id)).chain(of_runs);
    let named = all.filter_map(|id| {
        let (org, name) = id.split_once('/')?;
        let plain = |text: &str| {
            text.starts_with(|c: char| c.is_ascii_alphanumeric())
                && text.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.'))
        };
        let folder = ["models", "model", "checkpoints", "ckpt", "weights", "data"].contains(&org);
        (plain(org) && plain(name) && !folder).then(|| name.to_ascii_lowercase())
    });
    named.chain(engines).collect()
}

/// Programs that serve models.
const ENGINES: [&str; 4] = ["vllm", "sglang", "tensorrt-llm", "trtllm-serve"];

/// Ids of one kind: what each becomes. Two never become one.
struct Ids(BTreeMap<String, String>);

impl Ids {
    fn of<'a>(pen: &mut Pen, ids: impl Iterator<Item = &'a str>) -> Self {
        let ids: Vec<&str> = ids.collect();
        let mut new: BTreeMap<String, String> = BTreeMap::new();
        let mut used = BTreeSet::new();
        // Those that stay keep their names.
        let written: Vec<(&str, String)> = ids.into_iter().map(|id| (id, pen.id(id))).collect();
        for (id, _) in written.iter().filter(|(id, written)| id == written) {
            used.insert((*id).to_owned());
            new.insert((*id).to_owned(), (*id).to_owned());
        }
        for (id, written) in written {
            if !new.contains_key(id) {
                let written = apart(written, |name| used.contains(name));
                used.insert(written.clone());
                new.insert(id.to_owned(), written);
            }
        }
        Self(new)
    }

    fn get(&self, id: &str) -> String {
        self.0.get(id).cloned().unwrap_or_else(|| id.to_owned())
    }
}

/// All ids of a study.
struct AllIds {
    variants: Ids,
    profiles: Ids,
    steps: Ids,
    starts: Ids,
}

/// Hands every text of a study to the pen.
pub(super) fn walk(data: &mut StudyData, pen: &mut Pen) {
    let ids = AllIds {
        variants: Ids::of(pen, variant_ids(data).into_iter().map(VariantId::as_str)),
        profiles: Ids::of(pen, profile_ids(data).into_iter().map(ProfileId::as_str)),
        steps: Ids::of(pen, data.study.steps.iter().map(|step| step.id.as_str())),
        starts: Ids::of(
            pen,
            data.runs.iter().filter_map(|run| run.start.as_deref()).collect::<BTreeSet<_>>().into_iter(),
        ),
    };
    let StudyData { study, runs } = data;
    of_study(study, &ids, pen);
    for run in runs {
        of_run(run, &ids, pen);
    }
}

fn variant_ids(data: &StudyData) -> BTreeSet<&VariantId> {
    let study = &data.study;
    let of_steps = study.steps.iter().flat_map(|step| &step.variants);
    let of_runs = data.runs.iter().map(|run| &run.variant);
    study.variants.iter().map(|variant| &variant.id).chain(of_steps).chain(of_runs).chain([&study.baseline]).collect()
}

fn profile_ids(data: &StudyData) -> BTreeSet<&ProfileId> {
    let study = &data.study;
    let of_steps = study.steps.iter().map(|step| &step.profile);
    let of_runs = data.runs.iter().map(|run| &run.profile);
    let all = study.profiles.iter().map(|profile| &profile.id).chain(of_steps).chain(of_runs);
    all.chain([&study.primary_profile]).chain(study.objective.weights.keys()).collect()
}

fn of_study(study: &mut Study, ids: &AllIds, pen: &mut Pen) {
    let Study {
        slug,
        title,
        basis: _,
        decimals: _,
        option_base: _,
        objective: Objective { goal: _, weights },
        price: _,
        relevance_pct: _,
        min_success_pct: _,
        notes,
        baseline,
        primary_profile,
        model: Model { id: model },
        hardware: Hardware { gpu, count: _ },
        profiles,
        variants,
        steps,
    } = study;
    let named = pen.slug(slug.as_str());
    if pen.writes() && is_slug(&named) {
        *slug = StudySlug::new(named);
    }
    localized(title, pen);
    markdown(notes, pen);
    pen.text(model, Place::Model);
    pen.text(gpu, Place::Text);
    for profile in profiles {
        of_profile(profile, ids, pen);
    }
    for variant in variants {
        of_variant(variant, ids, pen);
    }
    for step in steps {
        of_step(step, ids, pen);
    }
    if pen.writes() {
        *weights = std::mem::take(weights).into_iter().map(|(id, weight)| (ids.profile(&id), weight)).collect();
        *baseline = ids.variant(baseline);
        *primary_profile = ids.profile(primary_profile);
    }
}

fn of_profile(profile: &mut Profile, ids: &AllIds, pen: &mut Pen) {
    let Profile {
        id,
        name,
        dataset,
        dataset_path,
        input_tokens: _,
        output_tokens: _,
        seed: _,
        request_rate: _,
        max_concurrency: _,
        requests: _,
        command,
        slo: _,
    } = profile;
    localized(name, pen);
    perhaps(dataset, Place::Data, pen);
    perhaps(dataset_path, Place::Data, pen);
    perhaps(command, Place::Text, pen);
    if pen.writes() {
        *id = ids.profile(id);
    }
}

fn of_variant(variant: &mut Variant, ids: &AllIds, pen: &mut Pen) {
    let Variant { id, name, engine, engine_version, model, args, env, gpus: _, notes } = variant;
    if let Some(name) = name {
        localized(name, pen);
    }
    pen.text(engine, Place::Text);
    perhaps(engine_version, Place::Version, pen);
    pen.text(model, Place::Model);
    pen.args(args);
    pen.named(env);
    markdown(notes, pen);
    if pen.writes() {
        *id = ids.variant(id);
    }
}

fn of_step(step: &mut Step, ids: &AllIds, pen: &mut Pen) {
    let Step { id, name, profile, variants, notes } = step;
    localized(name, pen);
    markdown(notes, pen);
    if pen.writes() {
        *id = StepId::new(ids.steps.get(id.as_str()));
        *profile = ids.profile(profile);
        for variant in variants {
            *variant = ids.variant(variant);
        }
    }
}

/// A run's id and digest say nothing that can be read.
fn of_run(run: &mut Run, ids: &AllIds, pen: &mut Pen) {
    let Run { id: _, variant, profile, file, digest: _, index: _, start, started_at: _, notes, measurement } = run;
    pen.text(file, Place::Text);
    markdown(notes, pen);
    of_measurement(measurement, pen);
    if pen.writes() {
        *variant = ids.variant(variant);
        *profile = ids.profile(profile);
        if let Some(start) = start {
            *start = ids.starts.get(start);
        }
    }
}

fn of_measurement(measurement: &mut Measurement, pen: &mut Pen) {
    let Measurement { tool: _, tpot_definition: _, metrics: _, context, excerpt, requests: _ } = measurement;
    let Context {
        tool_version,
        engine,
        engine_version,
        model,
        dataset,
        input_tokens: _,
        output_tokens: _,
        gpu,
        gpus: _,
        started_at: _,
        label,
        parameters,
    } = context;
    perhaps(tool_version, Place::Version, pen);
    perhaps(engine, Place::Text, pen);
    perhaps(engine_version, Place::Version, pen);
    perhaps(model, Place::Model, pen);
    perhaps(dataset, Place::Data, pen);
    perhaps(gpu, Place::Text, pen);
    perhaps(label, Place::Text, pen);
    pen.named(parameters);
    if let Some(Excerpt { text, first_line: _ }) = excerpt {
        pen.text(text, Place::Text);
    }
}

fn localized(text: &mut Localized, pen: &mut Pen) {
    let Localized { ja, en } = text;
    perhaps(ja, Place::Text, pen);
    perhaps(en, Place::Text, pen);
}

/// Markdown. Its escapes are undone inside of words, for readers see the words without them.
fn markdown(text: &mut Localized, pen: &mut Pen) {
    let Localized { ja, en } = text;
    for text in [ja, en].into_iter().flatten() {
        let mut plain = unescaped(text);
        pen.text(&mut plain, Place::Text);
        // Where nothing was found the note stays as it was written.
        if pen.writes() && plain != unescaped(text) {
            *text = plain;
        }
    }
}

/// `10\\.9\\.8\\.7`, `gpu&#45;17`: what stands inside of a name, as readers see it.
fn unescaped(text: &str) -> String {
    let in_name = |c: char| matches!(c, '.' | '-' | '_' | '@' | ':' | '/' | '%' | '+');
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(['\\', '&']) {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        let escaped = rest.strip_prefix('\\').and_then(|after| after.chars().next()).filter(|c| in_name(*c));
        if let Some(c) = escaped {
            out.push(c);
            rest = &rest[1 + c.len_utf8()..];
        } else if let Some((c, after)) = entity(rest).filter(|(c, _)| c.is_ascii_alphanumeric() || in_name(*c)) {
            out.push(c);
            rest = after;
        } else {
            let length = rest.chars().next().map_or(1, char::len_utf8);
            out.push_str(&rest[..length]);
            rest = &rest[length..];
        }
    }
    out.push_str(rest);
    out
}

/// A character by its number, such as `&#x40;`, and what follows it.
fn entity(text: &str) -> Option<(char, &str)> {
    let (number, after) = text.strip_prefix("&#")?.split_once(';')?;
    let number = match number.strip_prefix(['x', 'X']) {
        Some(digits) => u32::from_str_radix(digits, 16),
        None => number.parse(),
    };
    Some((char::from_u32(number.ok()?)?, after))
}

fn perhaps(text: &mut Option<String>, place: Place, pen: &mut Pen) {
    if let Some(text) = text {
        pen.text(text, place);
    }
}

impl AllIds {
    fn variant(&self, id: &VariantId) -> VariantId {
        VariantId::new(self.variants.get(id.as_str()))
    }

    fn profile(&self, id: &ProfileId) -> ProfileId {
        ProfileId::new(self.profiles.get(id.as_str()))
    }
}
