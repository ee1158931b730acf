//! Answers that are a report in one file (`app::standalone`): drawn now, or frozen years ago by another version.
//!
//! Such a file has its style inside, which the site's policy forbids. Its policy allows exactly the style sheets that it
//! holds, by their SHA-256, and nothing else: no script, no request, no frame.

use axum::{
    body::Bytes,
    http::{HeaderName, HeaderValue, header},
    response::{IntoResponse, Response},
};
use base64::{Engine as _, engine::general_purpose::STANDARD};
use sha2::{Digest as _, Sha256};

/// The document with its policy. Who calls adds what caches and search engines may do.
pub fn answer(html: impl Into<Bytes>) -> Response {
    let html: Bytes = html.into();
    let policy = HeaderValue::from_str(&policy(&html)).expect("base64 and our own words fit into a header");
    let headers: [(HeaderName, HeaderValue); 2] = [
        (header::CONTENT_TYPE, HeaderValue::from_static("text/html; charset=utf-8")),
        (header::CONTENT_SECURITY_POLICY, policy),
    ];
    (headers, html).into_response()
}

fn policy(html: &[u8]) -> String {
    let hashes: String =
        styles(html).map(|style| format!(" 'sha256-{}'", STANDARD.encode(Sha256::digest(style)))).collect();
    let styles = if hashes.is_empty() { " 'none'" } else { &hashes };
    format!(
        "default-src 'none'; style-src{styles}; img-src data:; base-uri 'none'; form-action 'none'; \
         frame-ancestors 'none'"
    )
}

/// What stands between `<style>` and `</style>`: text of a report never does, since it is escaped.
fn styles(html: &[u8]) -> impl Iterator<Item = &[u8]> {
    const OPEN: &[u8] = b"<style>";
    const CLOSE: &[u8] = b"</style>";
    let mut rest = html;
    std::iter::from_fn(move || {
        let start = find(rest, OPEN)? + OPEN.len();
        let end = start + find(rest.get(start..)?, CLOSE)?;
        let style = &rest[start..end];
        rest = &rest[end..];
        Some(style)
    })
}

fn find(text: &[u8], what: &[u8]) -> Option<usize> {
    text.windows(what.len()).position(|window| window == what)
}

#[cfg(test)]
mod tests {
    use std::{collections::BTreeSet, fs, path::Path, sync::Arc};

    use app::{
        lang::Lang,
        standalone::{ComparisonSheet, Sheet, Way, draw, draw_comparison},
    };
    use domain::{
        compare::{Selection, compare},
        report,
        text::sheet::Stamp,
    };

    use super::*;
    use crate::folder;

    fn sheet(seed: &str, lang: Lang) -> Sheet {
        let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("demo").join(seed);
        let data = folder::read(&dir).unwrap().folder.data;
        Sheet {
            report: Arc::new(report::build(&data)),
            lang,
            updated_at: 1_790_000_000_000,
            stamp: Stamp::Export { updated_at: 1_790_000_000_000 },
            raw: None,
            ways: Vec::new(),
            indexed: false,
        }
    }

    #[test]
    fn a_report_in_one_file_needs_nothing_from_outside_and_is_the_same_every_time() {
        for seed in ["qwen3-14b-h100", "qwen3.5-9b-h100"] {
            for lang in Lang::ALL {
                let html = draw(sheet(seed, lang));
                assert!(html.starts_with("<!DOCTYPE html><html lang"), "{}", &html[..60]);
                assert_eq!(html, draw(sheet(seed, lang)), "{seed} {lang}");
                for outside in [
                    "<script",
                    "<iframe",
                    "<img",
                    "@import",
                    "url(h",
                    "url(/",
                    "url(\"",
                    "href=\"/",
                    "src=",
                    "<leptos-island",
                    "<form",
                ] {
                    let place = html.find(outside).map(|at| html[at..].chars().take(90).collect::<String>());
                    assert_eq!(place, None, "{seed} {lang}");
                }
                // A link that is not an anchor can only come from people's notes, and these studies' have none.
                let links = html.split("href=\"").skip(1).filter_map(|rest| rest.split('"').next());
                for link in links.filter(|link| !link.starts_with("data:")) {
                    let anchor = link.strip_prefix('#').unwrap_or_else(|| panic!("{link} leads out"));
                    assert!(html.contains(&format!("id=\"{anchor}\"")), "{seed} {lang}: #{anchor} leads nowhere");
                }
                let runs = sheet(seed, lang).report.runs.len();
                assert_eq!(html.matches(" class=\"raw\">").count(), runs, "{seed} {lang}: every raw block, once");
            }
        }
    }

    #[test]
    fn ways_and_raw_outputs_are_linked_where_there_are_some() {
        let way = Way { href: "/ja/s/x".into(), label: "<日本語>".into(), lang: Some(Lang::Ja) };
        let raw = Some("/s/x/raw".into());
        let html = draw(Sheet { raw, ways: vec![way], ..sheet("qwen3-14b-h100", Lang::En) });
        assert!(html.contains("href=\"/ja/s/x\"") && html.contains("&lt;日本語&gt;"));
        assert!(html.contains("href=\"/s/x/raw/"));
        assert!(html.contains("content=\"noindex\""));
        let listed = draw(Sheet { indexed: true, ..sheet("qwen3-14b-h100", Lang::En) });
        assert!(!listed.contains("noindex"));
    }

    #[test]
    fn every_style_sheet_is_in_the_file_or_known_not_to_be_needed() {
        /// Pages that are never in a file.
        const ELSEWHERE: [&str; 7] = [
            "56-home.css",
            "57-upload.css",
            "59-compare.css",
            "59-embed.css",
            "59-notes.css",
            "59-shares.css",
            "59-versions.css",
        ];
        let html = draw(sheet("qwen3-14b-h100", Lang::En));
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../style");
        let mut missing = BTreeSet::new();
        for entry in fs::read_dir(root).unwrap() {
            let path = entry.unwrap().path();
            if !html.contains(&fs::read_to_string(&path).unwrap()) {
                missing.insert(path.file_name().unwrap().to_str().unwrap().to_owned());
            }
        }
        assert_eq!(missing, ELSEWHERE.map(str::to_owned).into());
    }

    #[test]
    fn a_comparison_in_one_file_needs_nothing_from_outside_either() {
        let read = |seed: &str| {
            let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("demo").join(seed);
            folder::read(&dir).unwrap().folder.data
        };
        let studies = ["qwen3-14b-h100", "qwen3.5-9b-h100"].map(read);
        let of_report = |data| Selection::of_report(&report::build(data)).subjects;
        let facts = Arc::new(compare(&Selection::of(studies.iter().flat_map(of_report)), &studies));
        let stamp = Stamp::Shared { version: None, redacted: true, expires_at: None };
        for lang in Lang::ALL {
            let sheet =
                ComparisonSheet { facts: facts.clone(), lang, stamp, raw: None, ways: Vec::new(), indexed: false };
            let html = draw_comparison(sheet.clone());
            assert_eq!(html, draw_comparison(sheet.clone()), "{lang}");
            assert!(html.starts_with("<!DOCTYPE html><html lang") && html.contains("11,605.92"));
            for outside in ["<script", "<img", "@import", "href=\"/", "src=", "<leptos-island", "<form", "?of="] {
                let place = html.find(outside).map(|at| html[at..].chars().take(90).collect::<String>());
                assert_eq!(place, None, "{lang}");
            }
            let raw = draw_comparison(ComparisonSheet { raw: Some("/s/x/raw".into()), ..sheet });
            assert!(raw.contains("href=\"/s/x/raw/"));
        }
    }

    #[test]
    fn the_policy_allows_the_styles_inside_and_nothing_else() {
        assert!(policy(b"<p>").contains("style-src 'none';"));
        // printf 'a{}' | openssl dgst -sha256 -binary | base64
        let one = "style-src 'sha256-X1RutGBrXCt9KkSaXMK7tHftWiRscFHOhxsS8tv8hBk=';";
        assert!(policy(b"<style>a{}</style><p>").contains(one));
        assert_eq!(policy(b"<style>a</style><style>b</style>").matches("sha256-").count(), 2);
        assert_eq!(policy(b"<style>never closed").matches("sha256-").count(), 0);
    }
}
