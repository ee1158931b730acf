//! The one route table: addresses to pages and back.
//!
//! Pages run on the server only, so a closed enum does what a client-side router would: an address that is written
//! anywhere comes from [`Route::href`] and is read back by [`Route::parse`]. Adding a page is a variant here and an arm
//! in [`Pages`]; the compiler finds both.

use std::fmt::Write as _;

use domain::{compare::Selection, digest::Digest, id::StudySlug, note::Target};
use leptos::prelude::*;

use crate::{error::AppError, lang::Lang, page, part::ErrorNotice, visit::Visit};

/// A page, without its language.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Route {
    /// All studies: `/en/`.
    Home,
    /// The report of a study: `/en/studies/{slug}`.
    Study(String),
    /// The notes of a study, or, where the query names one, its editor: `/en/studies/{slug}/notes`.
    Notes(String),
    /// The history of a note: `/en/studies/{slug}/notes/history`.
    NoteHistory(String),
    /// The published versions of a study, and what changed between two: `/en/studies/{slug}/versions`.
    Versions(String),
    /// The share links of a study: `/en/studies/{slug}/shares`.
    Shares(String),
    /// Lines that show a report on other pages: `/en/studies/{slug}/embed`.
    Embed(String),
    /// One run: `/en/runs/{id}`.
    Run(String),
    /// Runs and variants side by side, which the query names: `/en/compare`.
    Compare,
    /// Takes results: `/en/upload`.
    Upload,
    /// An upload that waits to be saved, by its unguessable id: `/en/upload/{id}`.
    Preview(String),
}

impl Route {
    /// Reads a path such as `/en/studies/qwen3-14b-h100`; `None` when no page is there.
    #[must_use]
    pub fn parse(path: &str) -> Option<(Lang, Self)> {
        let mut segments = path.strip_prefix('/')?.split('/');
        let lang = segments.next()?.parse::<Lang>().ok()?;
        let rest = segments.map(decode).collect::<Option<Vec<_>>>()?;
        let rest: Vec<&str> = rest.iter().map(String::as_str).collect();
        let route = match rest.as_slice() {
            [""] => Self::Home,
            ["studies", slug] if !slug.is_empty() => Self::Study((*slug).to_owned()),
            ["studies", slug, "notes"] if !slug.is_empty() => Self::Notes((*slug).to_owned()),
            ["studies", slug, "notes", "history"] if !slug.is_empty() => Self::NoteHistory((*slug).to_owned()),
            ["studies", slug, "versions"] if !slug.is_empty() => Self::Versions((*slug).to_owned()),
            ["studies", slug, "shares"] if !slug.is_empty() => Self::Shares((*slug).to_owned()),
            ["studies", slug, "embed"] if !slug.is_empty() => Self::Embed((*slug).to_owned()),
            ["runs", id] if !id.is_empty() => Self::Run((*id).to_owned()),
            ["compare"] => Self::Compare,
            ["upload"] => Self::Upload,
            ["upload", id] if !id.is_empty() => Self::Preview((*id).to_owned()),
            _ => return None,
        };
        Some((lang, route))
    }

    /// The address of this page in a language.
    #[must_use]
    pub fn href(&self, lang: Lang) -> String {
        match self {
            Self::Home => format!("/{lang}/"),
            Self::Study(slug) => format!("/{lang}/studies/{}", encode(slug)),
            Self::Notes(slug) => format!("/{lang}/studies/{}/notes", encode(slug)),
            Self::NoteHistory(slug) => format!("/{lang}/studies/{}/notes/history", encode(slug)),
            Self::Versions(slug) => format!("/{lang}/studies/{}/versions", encode(slug)),
            Self::Shares(slug) => format!("/{lang}/studies/{}/shares", encode(slug)),
            Self::Embed(slug) => format!("/{lang}/studies/{}/embed", encode(slug)),
            Self::Run(id) => format!("/{lang}/runs/{}", encode(id)),
            Self::Compare => format!("/{lang}/compare"),
            Self::Upload => format!("/{lang}/upload"),
            Self::Preview(id) => format!("/{lang}/upload/{}", encode(id)),
        }
    }
}

/// Where a raw output is downloaded: the same address in every language, since it is nobody's translation.
#[must_use]
pub fn raw_href(digest: &Digest) -> String {
    format!("/raw/{digest}")
}

/// The editor of one note.
#[must_use]
pub fn note_href(lang: Lang, study: &StudySlug, on: &Target) -> String {
    format!("{}?on={}", Route::Notes(study.to_string()).href(lang), encode(&on.to_string()))
}

/// A comparison: the whole view is its address.
#[must_use]
pub fn compare_href(lang: Lang, selection: &Selection) -> String {
    let page = Route::Compare.href(lang);
    if selection.is_empty() { page } else { format!("{page}?{}", selection.query()) }
}

/// The form that changes what is compared.
#[must_use]
pub fn choose_href(lang: Lang, selection: &Selection) -> String {
    format!("{}?{}&choose", Route::Compare.href(lang), selection.query())
}

/// A published version, frozen. Its files are below it: `/en/reports/{slug}/v2/report.md`.
#[must_use]
pub fn version_href(lang: Lang, slug: &str, number: u32) -> String {
    format!("/{lang}/reports/{}/v{number}", encode(slug))
}

/// What changed from a version to the live report.
#[must_use]
pub fn since_version_href(lang: Lang, slug: &str, number: u32) -> String {
    format!("{}?from={number}&to=live#difference", Route::Versions(slug.to_owned()).href(lang))
}

/// The form that shares a comparison, among the links of one of its studies.
#[must_use]
pub fn share_view_href(lang: Lang, slug: &str, selection: &Selection) -> String {
    format!("{}?compare={}#make-title", Route::Shares(slug.to_owned()).href(lang), encode(&selection.query()))
}

/// What a share link opens, in a language. Who knows its secret is let in.
#[must_use]
pub fn shared_href(lang: Lang, secret: &str) -> String {
    format!("/s/{secret}/{lang}")
}

/// The social card of a study.
#[must_use]
pub fn card_href(lang: Lang, slug: &str) -> String {
    format!("/{lang}/studies/{}/card.png", encode(slug))
}

/// What other sites show of a study: `card`, or a chart's file.
#[must_use]
pub fn embed_href(lang: Lang, slug: &str, what: &str) -> String {
    format!("/{lang}/embed/{}/{}", encode(slug), encode(what))
}

/// A study's badge: one address for READMEs, which are in no language of ours.
#[must_use]
pub fn badge_href(lang: Lang, slug: &str) -> String {
    format!("/badge/{}.svg?lang={lang}", encode(slug))
}

/// The page of this visit.
#[component]
pub fn Pages() -> impl IntoView {
    let visit = expect_context::<Visit>();
    match visit.route {
        Some(Route::Home) => view! { <page::Home/> }.into_any(),
        Some(Route::Study(slug)) => view! { <page::Study slug/> }.into_any(),
        Some(Route::Notes(slug)) => view! { <page::Notes slug/> }.into_any(),
        Some(Route::NoteHistory(slug)) => view! { <page::NoteHistory slug/> }.into_any(),
        Some(Route::Versions(slug)) => view! { <page::Versions slug/> }.into_any(),
        Some(Route::Shares(slug)) => view! { <page::Shares slug/> }.into_any(),
        Some(Route::Embed(slug)) => view! { <page::Embed slug/> }.into_any(),
        Some(Route::Run(id)) => view! { <page::Run id/> }.into_any(),
        Some(Route::Compare) => view! { <page::Compare/> }.into_any(),
        Some(Route::Upload) => view! { <page::Upload/> }.into_any(),
        Some(Route::Preview(_)) => view! { <page::Preview/> }.into_any(),
        None => view! { <ErrorNotice error=AppError::NotFound/> }.into_any(),
    }
}

/// One path segment: everything but RFC 3986's unreserved characters is escaped.
pub(crate) fn encode(segment: &str) -> String {
    let mut out = String::with_capacity(segment.len());
    for byte in segment.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            out.push(char::from(byte));
        } else {
            write!(out, "%{byte:02X}").expect("a string takes everything");
        }
    }
    out
}

fn decode(segment: &str) -> Option<String> {
    let mut bytes = segment.bytes();
    let mut out = Vec::with_capacity(segment.len());
    while let Some(byte) = bytes.next() {
        if byte == b'%' {
            let high = char::from(bytes.next()?).to_digit(16)?;
            let low = char::from(bytes.next()?).to_digit(16)?;
            out.push(u8::try_from(high * 16 + low).ok()?);
        } else {
            out.push(byte);
        }
    }
    String::from_utf8(out).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_written_is_read_back() {
        for lang in Lang::ALL {
            for route in [
                Route::Home,
                Route::Study("qwen3.5-9b-h100".into()),
                Route::Study("検証/1 %2F".into()),
                Route::Notes("検証/1 %2F".into()),
                Route::NoteHistory("a".into()),
                Route::Versions("検証/1 %2F".into()),
                Route::Shares("検証/1 %2F".into()),
                Route::Embed("検証/1 %2F".into()),
                Route::Run("01HX".into()),
                Route::Compare,
                Route::Upload,
                Route::Preview("0a1b".into()),
            ] {
                let href = route.href(lang);
                assert_eq!(Route::parse(&href), Some((lang, route)), "{href}");
            }
        }
    }

    #[test]
    fn what_is_no_page_is_none() {
        for path in [
            "",
            "/",
            "/ja",
            "/fr/",
            "/ja/studies",
            "/ja/studies/",
            "/ja/studies/a/b",
            "/en/runs/%zz",
            "/en/runs/%F",
            "/en/upload/",
            "/en/upload/a/b",
        ] {
            assert_eq!(Route::parse(path), None, "{path}");
        }
    }
}
