//! What is compared: written into an address and read back, so that one link is the whole view.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::id::{ProfileId, RunId, StudySlug, VariantId};
use crate::report::{Report, RunReport};

/// So many subjects stand side by side at most.
pub const MOST: usize = 50;

/// Names of the fields of an address or form.
const OF: &str = "of";
const BASE: &str = "base";
const PARAMS: &str = "params";
const ALL: &str = "all";
/// What a run's subject starts with. A variant's has three parts, so a study may be called `run`.
const RUN: &str = "run";

/// One side of a comparison. Its text is `STUDY:VARIANT:PROFILE` or `run:ID`; `:` and `%` in an id are escaped.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Subject {
    /// A variant under a profile: all of its runs, which are repeats.
    Variant {
        /// The study.
        study: StudySlug,
        /// What was under test.
        variant: VariantId,
        /// The workload.
        profile: ProfileId,
    },
    /// One run.
    Run(RunId),
}

impl Subject {
    /// A variant under a profile of a study.
    pub fn of_variant(study: &StudySlug, variant: &VariantId, profile: &ProfileId) -> Self {
        Self::Variant { study: study.clone(), variant: variant.clone(), profile: profile.clone() }
    }
}

impl fmt::Display for Subject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Variant { study, variant, profile } => {
                let [study, variant, profile] = [study.as_str(), variant.as_str(), profile.as_str()].map(escaped);
                write!(f, "{study}:{variant}:{profile}")
            }
            Self::Run(id) => write!(f, "{RUN}:{}", escaped(id.as_str())),
        }
    }
}

impl FromStr for Subject {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        let parts: Vec<String> = text.split(':').map(unescaped).collect();
        if parts.iter().any(String::is_empty) {
            return Err(());
        }
        match parts.as_slice() {
            [kind, id] if kind == RUN => Ok(Self::Run(RunId::new(id))),
            [study, variant, profile] => Ok(Self::Variant {
                study: StudySlug::new(study),
                variant: VariantId::new(variant),
                profile: ProfileId::new(profile),
            }),
            _ => Err(()),
        }
    }
}

impl Serialize for Subject {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Subject {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse().map_err(|()| serde::de::Error::custom(format!("\"{text}\" is neither a variant nor a run")))
    }
}

fn escaped(id: &str) -> String {
    id.replace('%', "%25").replace(':', "%3A")
}

fn unescaped(part: &str) -> String {
    part.replace("%3A", ":").replace("%3a", ":").replace("%25", "%")
}

/// What a reader put side by side, in order and each once.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Selection {
    /// At most [`MOST`]; none where nothing was chosen yet.
    pub subjects: Vec<Subject>,
    /// The place of the one that the others are held against.
    pub base: usize,
    /// Whether parameters are listed that do not differ.
    pub all_params: bool,
}

/// A selection as an address or form asked for it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Asked {
    /// What can be looked for.
    pub selection: Selection,
    /// What names nothing.
    pub unreadable: Vec<String>,
    /// What was one too many.
    pub too_many: Vec<Subject>,
}

impl Selection {
    /// These subjects, the first of them the base; doubles and whatever is beyond [`MOST`] are left out.
    pub fn of(subjects: impl IntoIterator<Item = Subject>) -> Self {
        let mut selection = Self::default();
        for subject in subjects {
            if !selection.subjects.contains(&subject) && selection.subjects.len() < MOST {
                selection.subjects.push(subject);
            }
        }
        selection
    }

    /// What a report is best looked at side by side with: its baseline, what it recommends, then every other variant that
    /// was run under the profile that decides.
    pub fn of_report(report: &Report) -> Self {
        let profile = &report.primary_profile;
        let conclusion = &report.conclusion;
        let first = std::iter::once(&conclusion.baseline).chain(&conclusion.recommended);
        let all = first.chain(report.variants.iter().map(|variant| &variant.id));
        let measured = |id: &&VariantId| report.runs.iter().any(|run| run.variant == **id && run.profile == *profile);
        Self::of(all.filter(measured).map(|id| Subject::of_variant(&report.slug, id, profile)))
    }

    /// A run against the baseline of its study, where there is one to hold it against.
    pub fn against_baseline(report: &Report, run: &RunReport) -> Option<Self> {
        let baseline = &report.conclusion.baseline;
        let measured = report.runs.iter().any(|other| other.variant == *baseline && other.profile == run.profile);
        (measured && run.variant != *baseline).then(|| {
            Self::of([Subject::of_variant(&report.slug, baseline, &run.profile), Subject::Run(run.id.clone())])
        })
    }

    /// Reads the fields of an address or form. A base that is not among the subjects becomes the first of them.
    pub fn read(fields: &[(String, String)]) -> Asked {
        let mut asked = Asked::default();
        let mut base = None;
        let mut subjects: Vec<Subject> = Vec::new();
        for (name, text) in fields.iter().filter(|(_, text)| !text.is_empty()) {
            match name.as_str() {
                OF | BASE => match text.parse::<Subject>() {
                    Ok(subject) if name == OF => subjects.push(subject),
                    Ok(subject) => base = Some(subject),
                    Err(()) if asked.unreadable.contains(text) => {}
                    Err(()) => asked.unreadable.push(text.clone()),
                },
                PARAMS => asked.selection.all_params = text == ALL,
                _ => {}
            }
        }
        let added = base.clone().filter(|base| !subjects.contains(base));
        // The base is never the one too many.
        let mut room = MOST - usize::from(base.is_some());
        for subject in added.into_iter().chain(subjects) {
            let is_base = base.as_ref() == Some(&subject);
            if asked.selection.subjects.contains(&subject) {
                continue;
            }
            if !is_base && room == 0 {
                if !asked.too_many.contains(&subject) {
                    asked.too_many.push(subject);
                }
                continue;
            }
            if !is_base {
                room -= 1;
            }
            asked.selection.subjects.push(subject);
        }
        let place = |base| asked.selection.subjects.iter().position(|subject| *subject == base);
        asked.selection.base = base.and_then(place).unwrap_or_default();
        asked
    }

    /// Whether nothing was chosen.
    pub fn is_empty(&self) -> bool {
        self.subjects.is_empty()
    }

    /// What others are held against.
    pub fn base(&self) -> Option<&Subject> {
        self.subjects.get(self.base)
    }

    /// Names and values of an address that gives this selection.
    pub fn fields(&self) -> Vec<(&'static str, String)> {
        let of = self.subjects.iter().map(|subject| (OF, subject.to_string()));
        let base = self.base().map(|base| (BASE, base.to_string()));
        let params = self.all_params.then(|| (PARAMS, ALL.to_owned()));
        of.chain(base).chain(params).collect()
    }

    /// What follows the question mark of such an address.
    pub fn query(&self) -> String {
        let fields = self.fields().into_iter();
        fields.map(|(name, value)| format!("{name}={}", in_query(&value))).collect::<Vec<_>>().join("&")
    }

    /// The same with another base; one that is not there changes nothing.
    #[must_use]
    pub fn with_base(&self, subject: &Subject) -> Self {
        let base = self.subjects.iter().position(|other| other == subject).unwrap_or(self.base);
        Self { base, ..self.clone() }
    }

    /// The same without a subject. Without its base, the first is the base.
    #[must_use]
    pub fn without(&self, subject: &Subject) -> Self {
        let base = self.base().filter(|base| *base != subject);
        let subjects: Vec<Subject> = self.subjects.iter().filter(|other| *other != subject).cloned().collect();
        let place = base.and_then(|base| subjects.iter().position(|other| other == base)).unwrap_or_default();
        Self { subjects, base: place, all_params: self.all_params }
    }

    /// The same with all parameters, or only those that differ.
    #[must_use]
    pub fn with_all_params(&self, all_params: bool) -> Self {
        Self { all_params, ..self.clone() }
    }
}

/// A value in an address: everything but RFC 3986's unreserved characters and the colon is escaped.
fn in_query(value: &str) -> String {
    let byte = |byte: u8| match byte {
        b'-' | b'.' | b'_' | b'~' | b':' => char::from(byte).to_string(),
        byte if byte.is_ascii_alphanumeric() => char::from(byte).to_string(),
        byte => format!("%{byte:02X}"),
    };
    value.bytes().map(byte).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn variant(study: &str, variant: &str, profile: &str) -> Subject {
        Subject::Variant { study: study.into(), variant: variant.into(), profile: profile.into() }
    }

    fn read(fields: &[(&str, &str)]) -> Asked {
        let fields: Vec<_> = fields.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        Selection::read(&fields)
    }

    #[test]
    fn a_subject_is_read_as_it_is_written() {
        for (text, subject) in [
            ("s:fp8:chat", Some(variant("s", "fp8", "chat"))),
            ("s:a%3Ab:c%25d", Some(variant("s", "a:b", "c%d"))),
            ("s:a%253Ab:c", Some(variant("s", "a%3Ab", "c"))),
            ("s:50%:c", Some(variant("s", "50%", "c"))),
            ("run:run:run", Some(variant("run", "run", "run"))),
            ("run:0a1b", Some(Subject::Run("0a1b".into()))),
            ("run:", None),
            ("s:a", None),
            ("s::c", None),
            ("s:a:b:c", None),
            ("", None),
        ] {
            assert_eq!(text.parse().ok(), subject, "{text}");
        }
    }

    #[test]
    fn a_selection_keeps_order_drops_doubles_and_knows_its_base() {
        let asked = read(&[("of", "s:b:p"), ("of", "s:a:p"), ("of", "s:b:p"), ("base", "s:a:p"), ("params", "all")]);
        assert_eq!(asked.selection.subjects, [variant("s", "b", "p"), variant("s", "a", "p")]);
        assert_eq!((asked.selection.base, asked.selection.all_params), (1, true));
        assert_eq!(asked.selection.query(), "of=s:b:p&of=s:a:p&base=s:a:p&params=all");
        // A base alone is a subject; what is neither is named; an empty field is none.
        let asked = read(&[("of", "s:b:p"), ("base", "s:a:p"), ("of", "what"), ("of", ""), ("of", "what"), ("q", "x")]);
        assert_eq!(asked.selection.subjects, [variant("s", "a", "p"), variant("s", "b", "p")]);
        assert_eq!((asked.selection.base, asked.unreadable), (0, vec!["what".to_owned()]));
        assert_eq!(read(&[("base", "nonsense")]).selection, Selection::default());
    }

    #[test]
    fn fifty_are_kept_and_the_base_is_always_among_them() {
        let names: Vec<String> = (0..60).map(|at| format!("s:v{at}:p")).collect();
        let mut fields: Vec<(&str, &str)> = names.iter().map(|name| ("of", name.as_str())).collect();
        let asked = read(&fields);
        assert_eq!((asked.selection.subjects.len(), asked.too_many.len()), (MOST, 10));
        for base in ["s:v55:p", "s:other:p"] {
            fields.push(("base", base));
            let asked = read(&fields);
            assert_eq!(asked.selection.subjects.len(), MOST);
            assert_eq!(asked.selection.base().map(ToString::to_string).as_deref(), Some(base));
            fields.pop();
        }
    }

    #[test]
    fn other_views_are_one_step_away() {
        let all = ["a", "b", "c"].map(|id| variant("s", id, "p"));
        let selection = Selection::of(all.clone()).with_base(&all[1]);
        assert_eq!(selection.without(&all[0]).base(), Some(&all[1]), "the base stays");
        assert_eq!(selection.without(&all[1]).base(), Some(&all[0]), "without it the first is");
        assert_eq!(selection.with_base(&variant("x", "y", "z")), selection);
        assert!(Selection::of([all[0].clone()]).without(&all[0]).is_empty());
    }

    proptest! {
        #[test]
        fn every_id_survives_its_text(ids in proptest::collection::vec("[a:%3A25\\PC]{1,6}", 3), run in any::<bool>()) {
            let subject = match run {
                true => Subject::Run(ids[0].as_str().into()),
                false => variant(&ids[0], &ids[1], &ids[2]),
            };
            prop_assert_eq!(subject.to_string().parse(), Ok(subject.clone()));
            let json = serde_json::to_string(&subject).expect("a subject is a string");
            prop_assert_eq!(serde_json::from_str::<Subject>(&json).ok(), Some(subject));
        }
    }
}
