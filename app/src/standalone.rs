//! A report in one file: everything it needs is inside, so that it opens from a disk in ten years. Exports, published
//! versions and shared views are such files.
//!
//! Invariant: no scripts, no requests, and nothing of the moment it is drawn in: same facts, same bytes.

use std::sync::Arc;

use domain::{
    compare::{Asked, Comparison},
    report::Report,
    text::{self, sheet::Stamp},
};
use leptos::prelude::*;

use crate::{
    lang::Lang,
    part::{
        IconSheet, Mark,
        compare::{CompareBody, NotShown, Studies, View},
        report::{Edition, Medium, ReportBody, ReportTitle},
    },
    words::words,
};

/// Style sheets in the order of the site's, of which each kind of file holds those that it uses.
macro_rules! style {
    ($($sheet:literal),+ $(,)?) => { concat!($(include_str!(concat!("../../style/", $sheet, ".css"))),+) };
}

const OF_REPORT: &str = style![
    "00-tokens",
    "10-base",
    "20-controls",
    "30-topbar",
    "40-page",
    "50-report",
    "51-marks",
    "52-conclusion",
    "53-tables",
    "54-steps",
    "55-findings",
    "57-command",
    "58-sheet",
    "60-charts",
];

const OF_COMPARISON: &str = style![
    "00-tokens",
    "10-base",
    "20-controls",
    "30-topbar",
    "40-page",
    "50-report",
    "51-marks",
    "53-tables",
    "55-findings",
    "58-sheet",
    "59-compare",
];

/// The site's mark as an address, so that browsers do not ask for `/favicon.ico`.
const ICON: &str = "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 24 24'%3E%3Cpath d='M4 2h13l5 5v13\
l-2 2H6l-4-4V4Z' fill='%2314171a'/%3E%3Cpath d='M6.5 15.8 16.6 7l1.6 1.2-9.6 9.5Z' fill='%23e2b341'/%3E%3C/svg%3E";

/// A report in one file.
#[derive(Clone, Debug)]
pub struct Sheet {
    /// The facts.
    pub report: Arc<Report>,
    /// The language.
    pub lang: Lang,
    /// Last change of the study, milliseconds since 1970 UTC.
    pub updated_at: i64,
    /// What kind of file it is: said at its top.
    pub stamp: Stamp,
    /// Where raw outputs can be had, without the slash before their digest; none where they cannot.
    pub raw: Option<Arc<str>>,
    /// Links at the top, label and address: the other language, the live report. A file that travels has none.
    pub ways: Vec<Way>,
    /// Whether search engines may list it.
    pub indexed: bool,
}

/// A link at the top of a sheet.
#[derive(Clone, Debug)]
pub struct Way {
    /// Where it leads.
    pub href: String,
    /// What it says.
    pub label: String,
    /// The language of the label, where it is not the sheet's.
    pub lang: Option<Lang>,
}

/// A comparison in one file. Build its facts from the studies as its readers may see them: what was redacted there is in no
/// figure, name or command here.
#[derive(Clone, Debug)]
pub struct ComparisonSheet {
    /// The facts.
    pub facts: Arc<Comparison>,
    /// The language.
    pub lang: Lang,
    /// What kind of file it is: said at its top.
    pub stamp: Stamp,
    /// Where raw outputs can be had, without the slash before their digest; none where they cannot.
    pub raw: Option<Arc<str>>,
    /// Links at the top, label and address. A file that travels has none.
    pub ways: Vec<Way>,
    /// Whether search engines may list it.
    pub indexed: bool,
}

/// Draws the file: a complete HTML document.
#[must_use]
pub fn draw(sheet: Sheet) -> String {
    let Sheet { report, lang, updated_at, stamp, raw, ways, indexed } = sheet;
    let edition = Edition { medium: Medium::Sheet { raw }, ..Edition::new(report, lang) };
    let about = About {
        lang,
        title: edition.name(&edition.report.title),
        description: text::conclusion(lang, &edition.report).headline.plain(),
        stamp: text::sheet::stamp(lang, &stamp),
        ways,
        indexed,
        style: OF_REPORT,
    };
    drawn(about, move || view! { <ReportTitle edition=edition.clone() updated_at/><ReportBody edition/> }.into_any())
}

/// Draws a comparison as such a file. Its columns, order, base and parameters are those of its facts; no link leads to
/// another view.
#[must_use]
pub fn draw_comparison(sheet: ComparisonSheet) -> String {
    let ComparisonSheet { facts, lang, stamp, raw, ways, indexed } = sheet;
    let title = text::compare::title(lang, &facts);
    let about = About {
        lang,
        title: title.clone(),
        description: text::compare::description(lang, &facts),
        stamp: text::sheet::stamp_of_comparison(lang, &stamp),
        ways,
        indexed,
        style: OF_COMPARISON,
    };
    drawn(about, move || {
        let missing = facts.missing.clone();
        view! {
            <div class="title"><div><h1>{title}</h1><Studies facts=facts.clone() lang/></div></div>
            <NotShown asked=Asked::default() missing lang/>
            <CompareBody view=View { facts, lang, medium: Medium::Sheet { raw } }/>
        }
        .into_any()
    })
}

/// A page of one sentence in such a file, for whoever came by a link that opens nothing.
#[must_use]
pub fn draw_notice(lang: Lang, title: &str, text: &str) -> String {
    let about = About {
        lang,
        title: title.to_owned(),
        description: text.to_owned(),
        stamp: String::new(),
        ways: Vec::new(),
        indexed: false,
        style: OF_REPORT,
    };
    let (title, text) = (title.to_owned(), text.to_owned());
    drawn(about, move || {
        view! { <div class="title"><div><h1>{title}</h1></div></div><div class="prose"><p>{text}</p></div> }.into_any()
    })
}

/// A frozen file for one of its readers: with these links at its top, raw outputs where these readers find them, and, where
/// it is `public`, without the word that keeps search engines out. What stands between is untouched.
#[must_use]
pub fn lead(html: &str, ways: &[Way], raw: Option<&str>, public: bool) -> String {
    let mut out = html.to_owned();
    if let Some(start) = out.find(WAYS)
        && let Some(length) = out[start..].find("</ul>")
    {
        let links: String = ways
            .iter()
            .map(|Way { href, label, lang }| {
                let code = lang.map(|lang| format!(" lang=\"{lang}\" hreflang=\"{lang}\"")).unwrap_or_default();
                format!("<li><a href=\"{}\"{code}>{}</a></li>", escaped(href), escaped(label))
            })
            .collect();
        out.replace_range(start + WAYS.len()..start + length, &links);
    }
    if let Some(raw) = raw {
        // Quotation marks in a text are escaped, so this is never a text.
        out = out.replace("href=\"/raw/", &format!("href=\"{raw}/"));
    }
    if public { out.replacen(NOINDEX, "", 1) } else { out }
}

/// Where the links begin.
const WAYS: &str = "<ul class=\"sheet-head__ways\">";
/// What keeps search engines out.
const NOINDEX: &str = "<meta name=\"robots\" content=\"noindex\">";

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// What every such file has around its content.
struct About {
    lang: Lang,
    title: String,
    description: String,
    stamp: String,
    ways: Vec<Way>,
    indexed: bool,
    style: &'static str,
}

fn drawn(about: About, content: impl FnOnce() -> AnyView) -> String {
    // Components look for an owner of what they make; this one ends with the call.
    let owner = Owner::new();
    let body = owner.with(|| document(about, content()).to_html());
    owner.cleanup();
    body
}

fn document(about: About, content: AnyView) -> impl IntoView {
    let About { lang, title, description, stamp, ways, indexed, style } = about;
    let title = format!("{title} — Touchstone");
    let robots = (!indexed).then(|| view! { <meta name="robots" content="noindex"/> });
    let ways = ways.into_iter().map(|Way { href, label, lang }| {
        let code = lang.map(Lang::code);
        view! { <li><a href=href lang=code hreflang=code>{label}</a></li> }
    });
    let ways = ways.collect_view();
    view! {
        <!DOCTYPE html>
        <html lang=lang.code()>
            <head>
                <meta charset="utf-8"/>
                <meta name="viewport" content="width=device-width, initial-scale=1"/>
                <meta name="color-scheme" content="light dark"/>
                <meta name="description" content=description/>
                {robots}
                <title>{title}</title>
                <link rel="icon" href=ICON/>
                <style inner_html=style></style>
            </head>
            <body>
                <a class="skip" href="#main">{words(lang).skip}</a>
                <header class="sheet-head">
                    <p class="brand"><Mark/>"Touchstone "<small lang="ja">"試金石"</small></p>
                    <p class="sheet-head__stamp">{stamp}</p>
                    <ul class="sheet-head__ways">{ways}</ul>
                </header>
                <IconSheet/>
                <main class="page" id="main" tabindex="-1">
                    {content}
                </main>
                <footer class="footer">
                    <div class="footer__in"><p>{words(lang).footer}</p></div>
                </footer>
            </body>
        </html>
    }
}
