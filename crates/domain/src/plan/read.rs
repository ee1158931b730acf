//! A plan, read as strictly as a study: every mistake with its line, before the first GPU minute is spent.

use std::collections::{BTreeMap, BTreeSet};

use toml::Spanned;

use super::bench::{self, Known, PLACEHOLDERS};
use super::raw::{RawBudget, RawChange, RawKnob, RawPlan, RawRepeats, RawSearch, RawValue};
use super::{Budget, Durations, EngineChange, Knob, KnobValue, Method, Plan, RepeatPolicy};
use crate::command::{Engine, flags};
use crate::id::{ProfileId, StepId, VariantId};
use crate::study::checks::{printable, unique};
use crate::study::{Described, Lines, Localized, ManifestError, Profile, Step, Study, Variant, describe};
use crate::text::plan::all_variants;
use crate::upload::UNKNOWN;

/// PRODUCT: repeats until the interval is tight or n = 5.
const MAX_STARTS: u32 = 5;
/// Fewer than two starts have no interval.
const MIN_STARTS: u32 = 2;
/// More repeats than anybody has patience for.
const MOST_STARTS: u32 = 50;
/// Measured on an H200 (`h200-study`): starts of an unchanged server scatter 2.7 % under fixed lengths, for which four starts
/// give ±4.2 %; under conversations (10 %) five starts do not get there.
const WIDTH_PCT: f64 = 5.0;
/// As many as the warm-up of the `h200-study`, during which the last kernel was compiled.
const WARMUP_REQUESTS: u32 = 50;
/// Large models load from slow disks; a server that takes longer than half an hour hangs.
const START_TIMEOUT_MINUTES: f64 = 30.0;
/// A benchmark that takes longer than an hour hangs.
const RUN_TIMEOUT_MINUTES: f64 = 60.0;
/// What passes by itself has passed by the third time.
const ATTEMPTS: u32 = 3;
/// Variants, profiles and knobs of a plan: beyond it places among jobs would run into one another.
const MOST_PARTS: usize = 1000;

/// Reads a plan: a `study.toml` without runs, with `[plan]`, and with `[search]` where the variants are searched for.
pub fn parse(text: &str) -> Result<Plan, ManifestError> {
    let Described { lines, mut study, runs, plan, search, profile_lines, variant_lines } = describe(text)?;
    let top = |message: &str| ManifestError { line: 1, message: message.to_owned() };
    if let Some(run) = runs.first() {
        return Err(ManifestError { line: run.line, message: "a plan has no [[runs]]: jobs make them".to_owned() });
    }
    if study.variant(&study.baseline).is_none() || study.profile(&study.primary_profile).is_none() {
        return Err(top("a plan describes its baseline and its primary profile; partial = true is for studies"));
    }
    if study.hardware.count.is_none() {
        return Err(top("a plan needs hardware.count: so many GPUs are assigned to each job"));
    }
    for (noun, count) in [("profiles", study.profiles.len()), ("variants", study.variants.len())] {
        if count > MOST_PARTS {
            return Err(top(&format!("a plan has at most {MOST_PARTS} {noun}, found {count}")));
        }
    }
    let raw = plan.map(Spanned::into_inner).unwrap_or_default();
    let (repeats, budget) = (repeats(&lines, raw.repeats.as_ref())?, budget(&lines, raw.budget.as_ref())?);
    let durations = durations(&lines, &raw, &study)?;
    for word in &raw.tool_args {
        bench::names(word.get_ref()).try_for_each(placeholder).map_err(|message| lines.error(word, message))?;
    }
    let method = method(&lines, raw)?;
    let baseline = study.variant(&study.baseline).expect("a plan describes its baseline");
    for (profile, line) in study.profiles.iter().zip(&profile_lines) {
        command(&method, baseline, profile).map_err(|message| ManifestError { line: *line, message })?;
    }
    for (variant, line) in study.variants.iter().zip(&variant_lines) {
        address(variant).map_err(|message| ManifestError { line: *line, message })?;
    }
    let search = match search {
        None => None,
        Some(search) => Some(knobs(&lines, search, &study)?),
    };
    match &search {
        None if study.steps.is_empty() => study.steps.push(whole(&study)),
        Some(_) if !study.steps.is_empty() => {
            return Err(top("a search makes its own steps: leave [[steps]] out, or [search]"));
        }
        None | Some(_) => {}
    }
    Ok(Plan { study, method, repeats, budget, durations, search })
}

/// The one step of a plan that names none: a variant outside all steps would be in no log.
fn whole(study: &Study) -> Step {
    Step {
        id: StepId::new("variants"),
        name: all_variants(),
        profile: study.primary_profile.clone(),
        variants: study.variants.iter().map(|variant| variant.id.clone()).collect(),
        notes: Localized::default(),
    }
}

fn repeats(lines: &Lines<'_>, raw: Option<&Spanned<RawRepeats>>) -> Result<RepeatPolicy, ManifestError> {
    let Some(raw) = raw else { return Ok(RepeatPolicy { min: MIN_STARTS, max: MAX_STARTS, width_pct: WIDTH_PCT }) };
    let RawRepeats { min, max, width_pct } = raw.get_ref();
    let max = max.unwrap_or_else(|| MAX_STARTS.max(min.unwrap_or(0)));
    let min = min.unwrap_or(MIN_STARTS.min(max));
    let width_pct = width_pct.unwrap_or(WIDTH_PCT);
    if !(1 <= min && min <= max && max <= MOST_STARTS) {
        return Err(
            lines.error(raw, format!("repeats need 1 ≤ min ≤ max ≤ {MOST_STARTS}, found min = {min}, max = {max}"))
        );
    }
    if !(width_pct.is_finite() && width_pct > 0.0) {
        return Err(lines.error(raw, format!("repeats.width_pct must be a number above 0, found {width_pct}")));
    }
    Ok(RepeatPolicy { min, max, width_pct })
}

fn budget(lines: &Lines<'_>, raw: Option<&RawBudget>) -> Result<Budget, ManifestError> {
    let Some(RawBudget { minutes, jobs }) = raw else { return Ok(Budget::default()) };
    if let Some(jobs) = jobs.as_ref().filter(|jobs| *jobs.get_ref() == 0) {
        return Err(lines.error(jobs, "budget.jobs must be at least 1; leave it out for no limit"));
    }
    let minutes = minutes.as_ref().map(|value| positive(lines, value, "budget.minutes")).transpose()?;
    Ok(Budget { minutes, jobs: jobs.as_ref().map(|jobs| *jobs.get_ref()) })
}

fn positive(lines: &Lines<'_>, value: &Spanned<f64>, key: &str) -> Result<f64, ManifestError> {
    let number = *value.get_ref();
    // A year: beyond it nothing is meant.
    if number.is_finite() && number > 0.0 && number <= 525_600.0 {
        return Ok(number);
    }
    Err(lines.error(value, format!("{key} must be minutes above 0, found {number}")))
}

fn durations(lines: &Lines<'_>, raw: &RawPlan, study: &Study) -> Result<Durations, ManifestError> {
    let mut runs = BTreeMap::new();
    for (id, minutes) in &raw.minutes {
        let id_known = ProfileId::new(id.get_ref());
        if study.profile(&id_known).is_none() {
            let list = study.profiles.iter().map(|profile| profile.id.as_str()).collect::<Vec<_>>().join(", ");
            let message = format!("profile \"{}\" is not described in this file; described are: {list}", id.get_ref());
            return Err(lines.error(id, message));
        }
        runs.insert(id_known, positive(lines, minutes, "plan.minutes")?);
    }
    let start_minutes = raw.start_minutes.as_ref().map(|value| positive(lines, value, "start_minutes")).transpose()?;
    Ok(Durations { start_minutes, runs })
}

fn method(lines: &Lines<'_>, raw: RawPlan) -> Result<Method, ManifestError> {
    let seconds = |value: &Option<Spanned<f64>>, key: &str, default: f64| match value {
        None => Ok((default * 60.0) as u32),
        // At least a second, at most a year: it fits.
        Some(value) => positive(lines, value, key).map(|minutes| (minutes * 60.0).ceil() as u32),
    };
    if let Some(attempts) = raw.attempts.as_ref().filter(|attempts| !(1..=20).contains(attempts.get_ref())) {
        return Err(lines.error(attempts, format!("attempts must be 1 to 20, found {}", attempts.get_ref())));
    }
    if let Some(result) = &raw.result {
        let name = result.get_ref();
        if name.is_empty() || name.starts_with('.') || name.contains(['/', '\\', '\0']) {
            return Err(lines.error(result, format!("result \"{name}\" must be the name of a file in {{out}}")));
        }
    }
    Ok(Method {
        tool: raw.tool,
        start_timeout_s: seconds(&raw.start_timeout_minutes, "start_timeout_minutes", START_TIMEOUT_MINUTES)?,
        run_timeout_s: seconds(&raw.run_timeout_minutes, "run_timeout_minutes", RUN_TIMEOUT_MINUTES)?,
        tool_args: raw.tool_args.into_iter().map(Spanned::into_inner).collect(),
        result: raw.result.map(Spanned::into_inner),
        cache: raw.cache,
        warmup_requests: raw.warmup_requests.unwrap_or(WARMUP_REQUESTS),
        attempts: raw.attempts.map_or(ATTEMPTS, Spanned::into_inner),
    })
}

/// What is wrong with the benchmark command of a profile.
fn command(method: &Method, variant: &Variant, profile: &Profile) -> Result<(), String> {
    let words = bench::template(method, profile).ok_or_else(|| {
        "the command has no words, or quotation marks that do not end; no shell reads it, it starts one program"
            .to_owned()
    })?;
    if bench::needs_dataset(profile) && profile.dataset_path.is_none() {
        let dataset = profile.dataset.as_deref().unwrap_or_default();
        return Err(format!("profile \"{}\" needs dataset_path: data set {dataset} is a file", profile.id));
    }
    if profile.command.is_none() && profile.requests.is_none() {
        return Err(format!("profile \"{}\" needs requests: how many are sent", profile.id));
    }
    words.iter().try_for_each(|word| placeholders(word, variant, profile))
}

fn placeholders(word: &str, variant: &Variant, profile: &Profile) -> Result<(), String> {
    for name in bench::names(word) {
        placeholder(name)?;
        match bench::known(name, variant, profile) {
            Some(Known::Missing) => return Err(format!("{{{name}}}: profile \"{}\" does not say", profile.id)),
            Some(Known::Place | Known::Value(_)) | None => {}
        }
    }
    Ok(())
}

fn placeholder(name: &str) -> Result<(), String> {
    if PLACEHOLDERS.contains(&name) {
        return Ok(());
    }
    let list = PLACEHOLDERS.map(|name| format!("{{{name}}}")).join(" ");
    Err(format!("{{{name}}} is no placeholder; known are {list}"))
}

/// Jobs run side by side on one machine, so the agent chooses the port.
fn address(variant: &Variant) -> Result<(), String> {
    let own = |flag: &str, placeholder: &str| {
        let set = flags(&variant.args).into_iter().find(|known| known.name == flag)?;
        set.value.is_none_or(|value| !value.contains(placeholder)).then(|| {
            format!(
                "variant \"{}\" sets {flag}; the agent chooses it: leave it out, or write {placeholder}",
                variant.id
            )
        })
    };
    if let Some(message) = own("--port", "{port}").or_else(|| own("--host", "{host}")) {
        return Err(message);
    }
    let placed = variant.args.iter().any(|arg| arg.contains("{port}"));
    if Engine::named(&variant.engine).is_none() && !placed {
        return Err(format!(
            "variant \"{}\": engine {} is not known, so its args must say where {{port}} goes",
            variant.id, variant.engine
        ));
    }
    Ok(())
}

fn knobs(lines: &Lines<'_>, raw: Spanned<RawSearch>, study: &Study) -> Result<Vec<Knob>, ManifestError> {
    if raw.get_ref().knobs.is_empty() {
        return Err(lines.error(&raw, "a search needs at least one of [[search.knobs]]"));
    }
    if study.variants.len() > 1 {
        return Err(lines.error(&raw, "a search starts from one variant, its baseline; others are values of its knobs"));
    }
    let raw = raw.into_inner();
    unique(lines, "knob", raw.knobs.iter().map(|knob| &knob.id))?;
    let mut taken: BTreeSet<VariantId> = study.variants.iter().map(|variant| variant.id.clone()).collect();
    let baseline = study.variant(&study.baseline).expect("a plan describes its baseline");
    let mut values = 0;
    let mut knobs = Vec::new();
    for knob in raw.knobs {
        values += knob.values.len();
        if values > MOST_PARTS {
            return Err(lines.error(&knob.id, format!("a search has at most {MOST_PARTS} values")));
        }
        knobs.push(one_knob(lines, knob, baseline, &mut taken)?);
    }
    Ok(knobs)
}

fn one_knob(
    lines: &Lines<'_>,
    raw: RawKnob,
    baseline: &Variant,
    taken: &mut BTreeSet<VariantId>,
) -> Result<Knob, ManifestError> {
    let id = raw.id.get_ref().clone();
    if raw.values.is_empty() {
        return Err(lines.error(&raw.id, format!("knob \"{id}\" has no values")));
    }
    if let Some(flag) =
        raw.flag.as_ref().filter(|flag| !flag.get_ref().starts_with('-') || flag.get_ref().contains(['=', ' ']))
    {
        return Err(
            lines.error(flag, format!("flag \"{}\" must be a flag alone, such as --max-num-seqs", flag.get_ref()))
        );
    }
    let flag = raw.flag.as_ref().map(|flag| flag.get_ref().as_str());
    let mut values: Vec<KnobValue> = Vec::new();
    for raw in raw.values {
        let at = raw.span();
        let error = |message: String| ManifestError { line: lines.of(at.start), message };
        let value = value(raw.into_inner(), &id, flag).map_err(error)?;
        let spanned = Spanned::new(at.clone(), value.id.as_str().to_owned());
        printable(lines, "value", &spanned)?;
        if value.id.as_str().is_empty() || value.id.as_str().contains('+') {
            return Err(error(format!(
                "value id \"{}\" must not be empty or hold +, which joins combinations",
                value.id
            )));
        }
        if !taken.insert(value.id.clone()) {
            return Err(error(format!("\"{}\" is a variant or another value already; give the value an id", value.id)));
        }
        if values.first().is_some_and(|first| first.engine.is_some() != value.engine.is_some()) {
            return Err(error(format!("knob \"{id}\" changes the engine in some of its values only")));
        }
        address(&super::search::apply(&value, baseline, value.id.clone())).map_err(error)?;
        values.push(value);
    }
    let name = raw.name.map_or_else(|| Localized::same(&id), |name| name.0);
    let engines = raw.engines.into_iter().map(|engine| engine.0).collect();
    Ok(Knob { id: StepId::new(id), name, engines, values })
}

fn value(raw: RawValue, knob: &str, flag: Option<&str>) -> Result<KnobValue, String> {
    let flagged = |id: String, args: Vec<String>| KnobValue {
        id: VariantId::new(id),
        name: None,
        engine: None,
        model: None,
        args,
        env: BTreeMap::new(),
        gpus: None,
    };
    let needs_flag = || format!("knob \"{knob}\" needs flag = \"--…\" for values that are no tables");
    match raw {
        RawValue::Switch => Ok(flagged(knob.to_owned(), vec![flag.ok_or_else(needs_flag)?.to_owned()])),
        RawValue::Word(word) => {
            let args = vec![flag.ok_or_else(needs_flag)?.to_owned(), word.clone()];
            Ok(flagged(format!("{knob}-{word}"), args))
        }
        RawValue::Change(RawChange { id, name, engine, engine_version, model, args, env, gpus }) => {
            if let Some(first) = args.first().filter(|first| !first.starts_with('-')) {
                return Err(format!("args of value \"{id}\" must start with a flag, found \"{first}\""));
            }
            if gpus == Some(0) {
                return Err("gpus must be at least 1".to_owned());
            }
            if engine.is_none() && engine_version.is_some() {
                return Err(format!("value \"{id}\" has an engine_version without an engine"));
            }
            let value = KnobValue {
                id: VariantId::new(id),
                name: name.map(|name| name.0),
                engine: engine
                    .map(|engine| EngineChange { engine: engine.0, version: engine_version.map(|name| name.0) }),
                model: model.map(|model| model.0),
                args,
                env: env.0,
                gpus,
            };
            let nothing = value.engine.is_none()
                && value.model.is_none()
                && value.args.is_empty()
                && value.env.is_empty()
                && value.gpus.is_none();
            if nothing {
                return Err(format!("value \"{}\" changes nothing", value.id));
            }
            Ok(value)
        }
    }
}

/// What a job of the study asks for.
pub(super) fn gpu_needed(study: &Study) -> Option<String> {
    Some(study.hardware.gpu.clone()).filter(|gpu| gpu != UNKNOWN)
}
