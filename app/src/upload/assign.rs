//! From the filled form to the envelopes that the API would get. One envelope has one variant and one profile, so files
//! that share them travel together.

use std::collections::BTreeMap;

use domain::{
    id::is_slug,
    metric::Metric,
    text::upload::Wrong,
    units::{ReqPerSec, RequestRate},
    upload::{Envelope, HardwarePart, ModelPart, ProfilePart, Short, StudyPart, VariantPart, typed},
};

use super::{Fault, FileFields, NEW, Sheet, sheet::named};

/// Ids and names, as envelopes have them.
const MAX_ID: usize = 100;
const MAX_NAME: usize = 200;
const MAX_COMMAND: usize = 64 * 1024;

/// An envelope and the files that go with it, by their places.
#[derive(Clone, Debug, PartialEq)]
pub struct Part {
    /// What is said about them.
    pub envelope: Envelope,
    /// Never empty.
    pub files: Vec<usize>,
}

/// Reads the form; `taken` are the slugs of studies that there are.
pub fn assign(sheet: &Sheet, taken: &[&str]) -> Result<Vec<Part>, Vec<Fault>> {
    let mut form = Form::default();
    let new_study = sheet.study.study == NEW;
    let hardware = new_study.then(|| HardwarePart {
        gpu: named(&form.text("gpu", &sheet.study.gpu, MAX_NAME).unwrap_or_default()),
        count: form.number("gpus", &sheet.study.gpus),
    });
    let hardware = hardware.filter(|machine| *machine != HardwarePart::default());
    let study = if new_study {
        let slug = sheet.study.slug.trim();
        match slug {
            "" => form.fault("slug", Wrong::Missing),
            slug if !is_slug(slug) => form.fault("slug", Wrong::NotSlug),
            slug if taken.contains(&slug) => form.fault("slug", Wrong::Taken(slug.to_owned())),
            _ => {}
        }
        let title = form.text("title", &sheet.study.title, MAX_NAME).map(Short::Text);
        // Without a model of its own, a study takes that of its first variant.
        let model = form.text("model", &sheet.study.model, MAX_NAME).map(|id| ModelPart { id });
        Short::Full(StudyPart { slug: slug.to_owned(), title, model, ..StudyPart::default() })
    } else {
        if sheet.study.study.is_empty() {
            form.fault("study", Wrong::NotChosen);
        }
        Short::Text(sheet.study.study.clone())
    };
    let mut parts: Vec<Part> = Vec::new();
    for file in sheet.files.iter().filter(|file| !file.skip) {
        let envelope = Envelope {
            study: study.clone(),
            step: form.text(&format!("step-{}", file.at), &file.step, MAX_ID).map(Short::Text),
            variant: form.variant(file),
            profile: form.profile(file),
            hardware: hardware.clone(),
            commands: None,
            start: form.text(&format!("start-{}", file.at), &file.start, MAX_NAME),
            started_at: None,
            finished_at: None,
            files: Vec::new(),
        };
        match parts.iter_mut().find(|part| part.envelope == envelope) {
            Some(part) => part.files.push(file.at),
            None => parts.push(Part { envelope, files: vec![file.at] }),
        }
    }
    let modelless = |part: &&Part| match (&part.envelope.study, &part.envelope.variant) {
        (Short::Full(StudyPart { model: None, .. }), Short::Full(VariantPart { model: None, .. })) => true,
        (Short::Full(_) | Short::Text(_), Short::Full(_) | Short::Text(_)) => false,
    };
    if parts.iter().any(|part| modelless(&part)) {
        form.fault("model", Wrong::Missing);
    }
    if parts.is_empty() {
        form.faults.push(Fault { field: None, wrong: Wrong::NothingLeft });
    }
    if form.faults.is_empty() { Ok(parts) } else { Err(form.faults) }
}

/// The field that a path of the envelope was filled from, of the file `at`.
#[must_use]
pub fn field_of(path: &str, at: usize) -> Option<String> {
    let own = |name: &str| Some(format!("{name}-{at}"));
    let (head, rest) = path.split_once('.').unwrap_or((path, ""));
    let key = rest.split(['.', '[']).next().unwrap_or_default();
    match (head, key) {
        ("study", "title") => Some("title".to_owned()),
        ("study", "slug") => Some("slug".to_owned()),
        ("study", _) => Some("study".to_owned()),
        ("hardware", "count") => Some("gpus".to_owned()),
        ("hardware", _) => Some("gpu".to_owned()),
        ("step", _) => own("step"),
        ("start", _) => own("start"),
        ("variant", "") => own("variant"),
        ("variant", "engine") => own("engine"),
        ("variant", "engine_version") => own("version"),
        ("variant", "model") => own("model"),
        ("variant", "gpus") => own("vgpus"),
        ("variant", "args" | "env") => own("args"),
        ("variant", _) => own("vid"),
        ("profile", "dataset") => own("dataset"),
        ("profile", _) => own("pid"),
        _ => None,
    }
}

#[derive(Default)]
struct Form {
    faults: Vec<Fault>,
}

impl Form {
    fn fault(&mut self, field: &str, wrong: Wrong) {
        self.faults.push(Fault { field: Some(field.to_owned()), wrong });
    }

    /// A line of text; none where nothing was entered.
    fn text(&mut self, field: &str, text: &str, max: usize) -> Option<String> {
        let text = text.trim();
        if text.chars().count() > max {
            self.fault(field, Wrong::TooLong(max));
        } else if text.chars().any(char::is_control) {
            self.fault(field, Wrong::Control);
        }
        (!text.is_empty()).then(|| text.to_owned())
    }

    fn needed(&mut self, field: &str, text: &str, max: usize) -> String {
        let entered = self.text(field, text, max);
        if entered.is_none() {
            self.fault(field, Wrong::Missing);
        }
        entered.unwrap_or_default()
    }

    /// A whole number above 0, thousands commas allowed; none where nothing was entered.
    fn number<N: std::str::FromStr + Default + PartialEq>(&mut self, field: &str, text: &str) -> Option<N> {
        let digits = text.trim().replace(',', "");
        if digits.is_empty() {
            return None;
        }
        let number = digits.parse::<N>().ok().filter(|number| *number != N::default());
        if number.is_none() {
            self.fault(field, Wrong::NotCount);
        }
        number
    }

    fn rate(&mut self, field: &str, text: &str) -> Option<RequestRate> {
        let text = text.trim().to_ascii_lowercase();
        match text.as_str() {
            "" => None,
            "unlimited" | "inf" => Some(RequestRate::Unlimited),
            number => {
                let rate = number.parse().ok().and_then(ReqPerSec::new).filter(|rate| rate.get() > 0.0);
                if rate.is_none() {
                    self.fault(field, Wrong::NotRate);
                }
                rate.map(RequestRate::PerSec)
            }
        }
    }

    fn variant(&mut self, file: &FileFields) -> Short<VariantPart> {
        let at = |name: &str| format!("{name}-{}", file.at);
        match file.variant.as_str() {
            "" => {
                self.fault(&at("variant"), Wrong::NotChosen);
                Short::Text(String::new())
            }
            NEW => {
                let line = typed(&file.args);
                if line.is_none() {
                    self.fault(&at("args"), Wrong::Quotes);
                } else if file.args.chars().count() > MAX_COMMAND {
                    self.fault(&at("args"), Wrong::TooLong(MAX_COMMAND));
                } else if file.args.contains('\0') {
                    self.fault(&at("args"), Wrong::Control);
                }
                let line = line.unwrap_or_default();
                // What stands in its own field comes first; a command that was pasted fills what was left empty.
                let or = |field: &str, typed: Option<&str>| match field.trim() {
                    "" => typed.unwrap_or_default().to_owned(),
                    own => own.to_owned(),
                };
                let engine = self.needed(&at("engine"), &or(&file.engine, line.engine), MAX_ID);
                let model = or(&file.model, line.model.as_deref());
                let model = self.text(&at("model"), &model, MAX_NAME);
                Short::Full(VariantPart {
                    id: self.text(&at("vid"), &file.vid, MAX_ID),
                    name: None,
                    engine,
                    engine_version: self.text(&at("version"), &file.version, MAX_NAME),
                    model,
                    args: line.args,
                    env: line.env,
                    gpus: self.number(&at("vgpus"), &file.vgpus),
                })
            }
            known => Short::Text(known.to_owned()),
        }
    }

    fn profile(&mut self, file: &FileFields) -> Short<ProfilePart> {
        let at = |name: &str| format!("{name}-{}", file.at);
        match file.profile.as_str() {
            "" => {
                self.fault(&at("profile"), Wrong::NotChosen);
                Short::Text(String::new())
            }
            NEW => Short::Full(ProfilePart {
                id: self.needed(&at("pid"), &file.pid, MAX_ID),
                name: None,
                dataset: self.text(&at("dataset"), &file.dataset, MAX_NAME),
                dataset_path: None,
                input_tokens: self.number(&at("input"), &file.input),
                output_tokens: self.number(&at("output"), &file.output),
                seed: None,
                request_rate: self.rate(&at("rate"), &file.rate),
                max_concurrency: self.number(&at("concurrency"), &file.concurrency),
                requests: self.number(&at("requests"), &file.requests),
                command: None,
                slo: BTreeMap::<Metric, f64>::new(),
            }),
            known => Short::Text(known.to_owned()),
        }
    }
}
