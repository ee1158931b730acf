//! A stored study as files: the report in each of its forms, and the folder that it can be imported from again.

pub mod folder;
#[cfg(test)]
mod tests;
pub mod version;

use std::sync::Arc;

use anyhow::Context as _;
use app::lang::Lang;
use app::standalone::{Sheet, draw};
use domain::id::StudySlug;
use domain::report::csv::csv;
use domain::report::markdown::markdown;
use domain::report::reproduce::reproduce;
use domain::report::table::Kind;
use domain::report::{self, Report};
use domain::study::Limits;
use domain::text::sheet::Stamp;
use store::{Store, StoredStudy};

/// A form of a report. PDF is printed from HTML, by [`crate::pdf`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// Everything in one file.
    Html,
    /// Markdown.
    Markdown,
    /// One of its tables.
    Csv(Kind),
    /// All of its tables.
    Xlsx,
    /// The report model, both languages.
    Json,
    /// The script that measures again.
    Reproduce,
}

/// The report of a study, and when the study changed last.
pub struct Live {
    /// With the other studies of its question.
    pub report: Report,
    /// Milliseconds since 1970 UTC.
    pub updated_at: i64,
}

/// Builds the report as its page shows it. `limits` are a reader's own, where there are some.
pub async fn live(store: &Store, stored: StoredStudy, limits: Option<Limits>) -> store::Result<Live> {
    let StoredStudy { data, updated_at, .. } = stored;
    let mut report = match limits {
        Some(limits) => report::build_under(&data, limits),
        None => report::build(&data),
    };
    report.rivals = report::beside(&data, &report, &store.same_question(&data.study).await?);
    Ok(Live { report, updated_at })
}

/// Writes a report. Same report, same bytes.
pub fn write(live: Live, form: Form, lang: Lang) -> anyhow::Result<Vec<u8>> {
    let Live { report, updated_at } = live;
    Ok(match form {
        Form::Html => html(report, lang, updated_at).into_bytes(),
        Form::Markdown => markdown(&report, lang).into_bytes(),
        Form::Csv(kind) => csv(&report, kind, lang).into_bytes(),
        Form::Xlsx => render::workbook(&report, lang, updated_at).context("the workbook cannot be written")?,
        Form::Json => json(&report)?.into_bytes(),
        Form::Reproduce => reproduce(&report, lang).into_bytes(),
    })
}

fn html(report: Report, lang: Lang, updated_at: i64) -> String {
    draw(Sheet {
        report: Arc::new(report),
        lang,
        updated_at,
        stamp: Stamp::Export { updated_at },
        raw: None,
        ways: Vec::new(),
        indexed: false,
    })
}

/// The report model, as `docs/report.schema.json` describes it.
pub fn json(report: &Report) -> anyhow::Result<String> {
    Ok(serde_json::to_string_pretty(report).context("the report cannot be written as JSON")? + "\n")
}

/// What the file of a report is called: `qwen3-14b-h100-ja.xlsx`.
pub fn file_name(slug: &StudySlug, form: Form, lang: Lang) -> String {
    match form {
        Form::Html => format!("{slug}-{lang}.html"),
        Form::Markdown => format!("{slug}-{lang}.md"),
        Form::Csv(Kind::Runs) => format!("{slug}-{lang}.csv"),
        Form::Csv(kind) => format!("{slug}-{}-{lang}.csv", kind.key()),
        Form::Xlsx => format!("{slug}-{lang}.xlsx"),
        Form::Json => format!("{slug}.json"),
        Form::Reproduce => format!("{slug}-reproduce.sh"),
    }
}
