//! What a link opens, drawn for whoever holds it: the one place that decides what outsiders read.

use std::{collections::BTreeSet, sync::Arc};

use anyhow::Context as _;
use app::{
    lang::Lang,
    standalone::{ComparisonSheet, Sheet, Way, draw, draw_comparison, lead},
};
use domain::{
    compare::{Comparison, Selection, compare},
    digest::Digest,
    id::StudySlug,
    redact::{redact, redact_comparison},
    report::{self, Report},
    share::Scope,
    text::sheet::Stamp,
};
use store::{Audience, Store, StoreError};

use crate::export::{
    Form, Live,
    version::{file_name, lang_of},
    write,
};

/// For whom something is drawn.
pub struct Frame {
    /// Whether names, addresses and keys are taken out.
    pub redacted: bool,
    /// Whether search engines may list it.
    pub public: bool,
    /// When the link ends, milliseconds since 1970 UTC.
    pub expires_at: Option<i64>,
    /// Links at the top.
    pub ways: Vec<Way>,
    /// Where raw outputs are, without the slash before their digest; none in a redacted view.
    pub raw: Option<Arc<str>>,
}

/// Why there is nothing to see.
#[derive(Debug)]
pub enum Nothing {
    /// What the link opens is not there: a version, a form, every side of a comparison.
    Gone,
    /// The store's fault, or ours.
    Failed(anyhow::Error),
}

impl From<StoreError> for Nothing {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::NotFound { .. } => Self::Gone,
            other => Self::Failed(other.into()),
        }
    }
}

impl From<anyhow::Error> for Nothing {
    fn from(error: anyhow::Error) -> Self {
        Self::Failed(error)
    }
}

/// The page, as bytes of HTML.
pub async fn page(
    store: &Store,
    study: &StudySlug,
    scope: &Scope,
    frame: Frame,
    lang: Lang,
) -> Result<Vec<u8>, Nothing> {
    let stamp = Stamp::Shared { version: None, redacted: frame.redacted, expires_at: frame.expires_at };
    match scope {
        Scope::Study => {
            let (report, updated_at) = live(store, study, frame.redacted).await?;
            let sheet = Sheet {
                report: Arc::new(report),
                lang,
                updated_at,
                stamp,
                raw: frame.raw,
                ways: frame.ways,
                indexed: frame.public,
            };
            drawn(move || draw(sheet)).await
        }
        Scope::Compare(selection) => {
            let facts = Arc::new(comparison(store, selection, frame.redacted).await?);
            let sheet = ComparisonSheet { facts, lang, stamp, raw: frame.raw, ways: frame.ways, indexed: frame.public };
            drawn(move || draw_comparison(sheet)).await
        }
        Scope::Version(number) => {
            let (_, html) =
                store.version_file(study, *number, audience(frame.redacted), Some(lang), file_name(Form::Html)).await?;
            let html = String::from_utf8(html).context("a frozen page is no UTF-8")?;
            Ok(lead(&html, &frame.ways, frame.raw.as_deref(), frame.public).into_bytes())
        }
    }
}

/// A file of what the link opens. Of a comparison there is none but the page.
pub async fn file(
    store: &Store,
    study: &StudySlug,
    scope: &Scope,
    redacted: bool,
    form: Form,
    lang: Lang,
) -> Result<Vec<u8>, Nothing> {
    match scope {
        Scope::Study => {
            let (report, updated_at) = live(store, study, redacted).await?;
            let written = tokio::task::spawn_blocking(move || write(Live { report, updated_at }, form, lang)).await;
            Ok(written.context("a report was not written")??)
        }
        Scope::Version(number) => {
            let (of, name) = (lang_of(form, lang), file_name(form));
            Ok(store.version_file(study, *number, audience(redacted), of, name).await?.1)
        }
        Scope::Compare(_) => Err(Nothing::Gone),
    }
}

/// What a study is called by outsiders: its short name may be one of a host.
pub async fn name(store: &Store, study: &StudySlug, redacted: bool) -> Result<StudySlug, Nothing> {
    let data = store.study(study).await?.data;
    Ok(if redacted { redact(&data).data.study.slug } else { data.study.slug })
}

/// Raw outputs that the link opens: those behind what its page shows, and no others.
pub async fn raw_outputs(store: &Store, study: &StudySlug, scope: &Scope) -> Result<BTreeSet<Digest>, Nothing> {
    Ok(match scope {
        Scope::Study => store.study(study).await?.data.runs.into_iter().map(|run| run.digest).collect(),
        Scope::Compare(selection) => {
            let facts = comparison(store, selection, false).await?;
            facts.columns.into_iter().flat_map(|column| column.runs).map(|run| run.digest).collect()
        }
        Scope::Version(number) => {
            let version = store.versions(study).await?.into_iter().find(|version| version.number == *number);
            version.ok_or(Nothing::Gone)?.snapshot.raw_outputs()
        }
    })
}

/// Whether a link to it would open something now.
pub async fn is_there(store: &Store, study: &StudySlug, scope: &Scope) -> Result<bool, Nothing> {
    match scope {
        Scope::Study => Ok(true),
        Scope::Version(number) => Ok(store.versions(study).await?.iter().any(|version| version.number == *number)),
        Scope::Compare(selection) => match comparison(store, selection, false).await {
            Ok(_) => Ok(true),
            Err(Nothing::Gone) => Ok(false),
            Err(failed) => Err(failed),
        },
    }
}

async fn live(store: &Store, study: &StudySlug, redacted: bool) -> Result<(Report, i64), Nothing> {
    let stored = store.study(study).await?;
    let data = if redacted { redact(&stored.data).data } else { stored.data };
    // Without the other studies of its question: the link is to this one.
    Ok((report::build(&data), stored.updated_at))
}

async fn comparison(store: &Store, selection: &Selection, redacted: bool) -> Result<Comparison, Nothing> {
    let studies = store.compared(selection).await?;
    let (selection, studies) =
        if redacted { redact_comparison(selection, studies) } else { (selection.clone(), studies) };
    let mut facts = compare(&selection, &studies);
    // What is gone is nobody's business outside, and its name is not redacted.
    facts.missing.clear();
    if facts.columns.is_empty() { Err(Nothing::Gone) } else { Ok(facts) }
}

const fn audience(redacted: bool) -> Audience {
    if redacted { Audience::Outsiders } else { Audience::All }
}

async fn drawn(draw: impl FnOnce() -> String + Send + 'static) -> Result<Vec<u8>, Nothing> {
    // A report of many runs takes a moment to draw.
    Ok(tokio::task::spawn_blocking(draw).await.context("a page was not drawn")?.into_bytes())
}
