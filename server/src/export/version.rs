//! Publishing: the report as it stands, drawn once in every form and kept for ever under a number.

use std::sync::Arc;

use anyhow::{Context as _, bail};
use app::lang::Lang;
use app::routes::{Route, version_href};
use app::standalone::{Sheet, Way, draw};
use app::versions::PROGRAM;
use domain::id::StudySlug;
use domain::redact::redact;
use domain::report::table::Kind;
use domain::report::{self, Report};
use domain::text::sheet::Stamp;
use domain::text::versions::version_labels;
use domain::version::Snapshot;
use store::{Audience, NewFile, NewVersion, Published, Store, StoreError, Version};

use super::{Form, Live};

/// Whoever is overtaken draws the files again. So many others in a row publish within seconds only where something loops.
const TURNS: usize = 20;

/// What is around a report in its frozen HTML.
pub struct Frame {
    /// For whom.
    pub audience: Audience,
    /// What the HTML says of itself.
    pub stamp: Stamp,
    /// Last change of the study, milliseconds since 1970 UTC.
    pub updated_at: i64,
    /// Where raw outputs can be had, without the slash before their digest; none where they cannot.
    pub raw: Option<Arc<str>>,
    /// Links at the top of the HTML in a language.
    pub ways: fn(&StudySlug, Lang, &Stamp) -> Vec<Way>,
}

impl Frame {
    /// For everybody who may see the study.
    fn of_all(number: u32, published_at: i64, updated_at: i64) -> Self {
        Self {
            audience: Audience::All,
            stamp: Stamp::Version { number, published_at },
            updated_at,
            raw: Some("/raw".into()),
            ways,
        }
    }

    /// For whoever gets a link to it. Whoever serves it puts links of its own at the top.
    fn of_outsiders(number: u32, updated_at: i64) -> Self {
        Self {
            audience: Audience::Outsiders,
            stamp: Stamp::Shared { version: Some(number), redacted: true, expires_at: None },
            updated_at,
            raw: None,
            ways: |_, _, _| Vec::new(),
        }
    }
}

/// Draws a report in every form. The facts may be somebody's view of them: a redacted report is frozen by one more call.
pub fn freeze(report: &Report, frame: &Frame) -> anyhow::Result<Vec<NewFile>> {
    let mut files = Vec::new();
    let mut keep = |lang: Option<Lang>, form: Form, bytes: Vec<u8>| {
        files.push(NewFile { audience: frame.audience, lang, name: file_name(form).to_owned(), bytes });
    };
    for lang in Lang::ALL {
        let html = draw(Sheet {
            report: Arc::new(report.clone()),
            lang,
            updated_at: frame.updated_at,
            stamp: frame.stamp,
            raw: frame.raw.clone(),
            ways: (frame.ways)(&report.slug, lang, &frame.stamp),
            indexed: false,
        });
        keep(Some(lang), Form::Html, html.into_bytes());
        let tables = Kind::ALL.into_iter().map(Form::Csv);
        for form in tables.chain([Form::Markdown, Form::Xlsx, Form::Reproduce]) {
            let live = Live { report: report.clone(), updated_at: frame.updated_at };
            keep(Some(lang), form, super::write(live, form, lang)?);
        }
    }
    keep(None, Form::Json, super::json(report)?.into_bytes());
    Ok(files)
}

/// What a frozen file is called in the store; CSV by its table.
pub fn file_name(form: Form) -> &'static str {
    match form {
        Form::Html => "report.html",
        Form::Markdown => "report.md",
        Form::Csv(Kind::Conclusion) => "conclusion.csv",
        Form::Csv(Kind::Options) => "options.csv",
        Form::Csv(Kind::Runs) => "runs.csv",
        Form::Csv(Kind::Findings) => "findings.csv",
        Form::Xlsx => "report.xlsx",
        Form::Json => "report.json",
        Form::Reproduce => "reproduce.sh",
    }
}

/// The language that a frozen file is kept under: JSON is both.
pub fn lang_of(form: Form, lang: Lang) -> Option<Lang> {
    match form {
        Form::Json => None,
        Form::Html | Form::Markdown | Form::Csv(_) | Form::Xlsx | Form::Reproduce => Some(lang),
    }
}

/// The other language, the live report, all versions.
fn ways(slug: &StudySlug, lang: Lang, stamp: &Stamp) -> Vec<Way> {
    let words = version_labels(lang);
    let number = match *stamp {
        Stamp::Version { number, .. } => Some(number),
        Stamp::Shared { version, .. } => version,
        Stamp::Export { .. } => None,
    };
    let other = match lang {
        Lang::Ja => Lang::En,
        Lang::En => Lang::Ja,
    };
    let translated = number.map(|number| Way {
        href: version_href(other, slug.as_str(), number),
        label: other.name().to_owned(),
        lang: Some(other),
    });
    let way = |route: Route, label: &str| Way { href: route.href(lang), label: label.to_owned(), lang: None };
    let live = way(Route::Study(slug.to_string()), words.live_report);
    let all = way(Route::Versions(slug.to_string()), words.all_versions);
    translated.into_iter().chain([live, all]).collect()
}

/// What became of it.
#[derive(Debug, Clone, PartialEq)]
pub enum Outcome {
    /// A version was made.
    New(Version),
    /// Nothing had changed since this one.
    Same(Version),
}

/// Publishes the report of a study as it is now. `author` is the name of a token, or nobody where whoever sits at the
/// server publishes.
pub async fn publish(
    store: &Store,
    slug: &StudySlug,
    author: Option<&str>,
    remark: &str,
    now_ms: impl Fn() -> i64,
) -> anyhow::Result<Outcome> {
    for _ in 0..TURNS {
        let stored = store.study(slug).await?;
        // Built before it is known whether anything changed: a moment later the study may be another.
        let outside = redact(&stored.data).data;
        let Live { report, updated_at } = super::live(store, stored, None).await?;
        let snapshot = Snapshot::of(&report, PROGRAM);
        let newest = store.newest_version(slug).await?;
        let (number, published_at) = match newest {
            Some(newest) if newest.snapshot.content == snapshot.content => {
                let all = store.versions(slug).await?;
                let same = all.into_iter().find(|version| version.number == newest.number);
                return Ok(Outcome::Same(same.context("a version is never taken out")?));
            }
            // A clock that was set back must not make a later version look older.
            Some(newest) => (newest.number + 1, now_ms().max(newest.published_at + 1)),
            None => (1, now_ms()),
        };
        // A report of many runs takes a moment to draw.
        let files = tokio::task::spawn_blocking(move || {
            let mut files = freeze(&report, &Frame::of_all(number, published_at, updated_at))?;
            // Without the other studies of its question: those are not what a link is to.
            files.extend(freeze(&report::build(&outside), &Frame::of_outsiders(number, updated_at))?);
            anyhow::Ok(files)
        });
        let new = NewVersion {
            number,
            published_at,
            author: author.map(str::to_owned),
            remark: remark.to_owned(),
            study_updated_at: updated_at,
            snapshot,
            files: files.await??,
        };
        match store.publish(slug, &new).await? {
            Published::New(version) => return Ok(Outcome::New(version)),
            Published::Same(version) => return Ok(Outcome::Same(version)),
            Published::Overtaken => {}
        }
    }
    bail!(StoreError::Conflict("others publish this study all the time".to_owned()))
}
