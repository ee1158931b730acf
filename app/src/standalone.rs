//! A report in one file: everything it needs is inside, so that it opens from a disk in ten years. Exports, published
//! versions and shared views are such files.
//!
//! Invariant: no scripts, no requests, and nothing of the moment it is drawn in: same facts, same bytes.

use std::sync::Arc;

use domain::{
    report::Report,
    text::{self, sheet::Stamp},
};
use leptos::prelude::*;

use crate::{
    lang::Lang,
    part::{
        IconSheet, Mark,
        report::{Edition, Medium, ReportBody, ReportTitle},
    },
    words::words,
};

/// Style sheets that a report uses, in the order of the site's.
const STYLE: &str = concat!(
    include_str!("../../style/00-tokens.css"),
    include_str!("../../style/10-base.css"),
    include_str!("../../style/20-controls.css"),
    include_str!("../../style/30-topbar.css"),
    include_str!("../../style/40-page.css"),
    include_str!("../../style/50-report.css"),
    include_str!("../../style/51-marks.css"),
    include_str!("../../style/52-conclusion.css"),
    include_str!("../../style/53-tables.css"),
    include_str!("../../style/54-steps.css"),
    include_str!("../../style/55-findings.css"),
    include_str!("../../style/57-command.css"),
    include_str!("../../style/58-sheet.css"),
    include_str!("../../style/60-charts.css"),
);

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

/// Draws the file: a complete HTML document.
#[must_use]
pub fn draw(sheet: Sheet) -> String {
    // Components look for an owner of what they make; this one ends with the call.
    let owner = Owner::new();
    let body = owner.with(|| view! { <Document sheet/> }.to_html());
    owner.cleanup();
    body
}

#[component]
fn Document(sheet: Sheet) -> impl IntoView {
    let Sheet { report, lang, updated_at, stamp, raw, ways, indexed } = sheet;
    let edition = Edition { medium: Medium::Sheet { raw }, ..Edition::new(report, lang) };
    let title = format!("{} — Touchstone", edition.name(&edition.report.title));
    let description = text::conclusion(lang, &edition.report).headline.plain();
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
                <style inner_html=STYLE></style>
            </head>
            <body>
                <a class="skip" href="#main">{words(lang).skip}</a>
                <header class="sheet-head">
                    <p class="brand"><Mark/>"Touchstone "<small lang="ja">"試金石"</small></p>
                    <p class="sheet-head__stamp">{text::sheet::stamp(lang, &stamp)}</p>
                    <ul class="sheet-head__ways">{ways}</ul>
                </header>
                <IconSheet/>
                <main class="page" id="main" tabindex="-1">
                    <ReportTitle edition=edition.clone() updated_at/>
                    <ReportBody edition/>
                </main>
                <footer class="footer">
                    <div class="footer__in"><p>{words(lang).footer}</p></div>
                </footer>
            </body>
        </html>
    }
}
