//! What other sites show: embedded charts, the card's page, badges.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on stops")]

use std::fs;
use std::path::Path;

use domain::change::Verdict;
use domain::report::{Report, Standing, build};
use domain::study::Localized;
use domain::text::Lang;
use domain::text::cards::{Tone, badge as badge_of};
use touchstone_render::embed::{Chart, Theme, card_page};
use touchstone_render::{badge, badge_not_found};

const STUDIES: [&str; 2] = ["qwen3.5-9b-h100", "qwen3-14b-h100"];
const REPORT: &str = "http://bench.example/en/studies/x";

fn reference(slug: &str) -> Report {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../server/demo").join(slug);
    let manifest = fs::read_to_string(folder.join("study.toml")).unwrap();
    let study =
        domain::study::load(&manifest, |file| fs::read(folder.join(file)).map_err(|error| error.to_string())).unwrap();
    build(&study.data)
}

/// Names as bad as people make them.
fn hostile() -> Report {
    let mut report = reference(STUDIES[0]);
    let bad = Localized::same("a|b<script>alert(1)</script>\"' onload=x & \u{7}");
    report.title = bad.clone();
    for profile in &mut report.profiles {
        profile.name = bad.clone();
    }
    for variant in &mut report.variants {
        variant.model = "</style><script>".to_owned();
    }
    if let Some(command) = &mut report.conclusion.command {
        command.text = "x </code></pre><script>alert(1)</script>".to_owned();
    }
    report
}

fn lines(markup: &str) -> String {
    markup.replace("><", ">\n<")
}

/// Keeps what a test made where a person or a browser can look at it.
fn keep(name: &str, body: &str) {
    if let Some(folder) = std::env::var_os("TOUCHSTONE_CARDS") {
        fs::create_dir_all(&folder).unwrap();
        fs::write(Path::new(&folder).join(name), body).unwrap();
    }
}

#[test]
fn embedded_charts_of_the_reference_studies() {
    for slug in STUDIES {
        for lang in Lang::ALL {
            for chart in Chart::ALL {
                let made = chart.svg(&reference(slug), lang, Theme::Auto).unwrap();
                let name = chart.name();
                keep(&format!("{name}-{slug}-{lang}.svg"), &made.body);
                insta::assert_snapshot!(
                    format!("embed-{name}-{slug}-{lang}"),
                    lines(&made.body.replace(&made.style, "…"))
                );
            }
        }
    }
}

#[test]
fn an_embedded_chart_needs_nothing_but_itself() {
    for report in STUDIES.map(reference).into_iter().chain([hostile()]) {
        for lang in Lang::ALL {
            for (chart, theme) in
                Chart::ALL.into_iter().flat_map(|c| [Theme::Auto, Theme::Light, Theme::Dark].map(|t| (c, t)))
            {
                let made = chart.svg(&report, lang, theme).unwrap();
                assert!(made.body.contains(&format!("<style>{}</style>", made.style)));
                let document = roxmltree::Document::parse(&made.body).unwrap();
                let said = |tag: &str| {
                    let found = document.root_element().children().find(|node| node.has_tag_name(tag));
                    found.and_then(|node| node.text()).unwrap_or_default().to_owned()
                };
                assert!(said("title").contains(report.title.get(lang).trim_end_matches('\u{7}')), "{}", said("title"));
                assert!(said("desc").chars().count() > 40, "{}", said("desc"));
                for node in document.descendants().filter(roxmltree::Node::is_element) {
                    assert!(!["script", "image", "foreignObject", "use", "a"].contains(&node.tag_name().name()));
                    for attribute in node.attributes() {
                        let (name, value) = (attribute.name(), attribute.value());
                        assert!(!name.starts_with("on") && !name.contains("href") && name != "style", "{name}={value}");
                        assert!(!value.contains("url(") || value.starts_with("url(#"), "{name}={value}");
                    }
                }
                assert!(!made.style.contains("url(") && !made.style.contains('<'), "{}", made.style);
                let fixed = made.style.contains("prefers-color-scheme");
                assert_eq!(fixed, theme == Theme::Auto);
            }
        }
    }
}

#[test]
fn a_report_without_figures_has_no_chart_to_embed() {
    let mut report = reference(STUDIES[0]);
    report.conclusion.rows.clear();
    report.runs.clear();
    for chart in Chart::ALL {
        assert_eq!(chart.svg(&report, Lang::En, Theme::Auto), None);
    }
    assert_eq!(Chart::named("../profiles"), None);
}

#[test]
fn card_pages_of_the_reference_studies() {
    for slug in STUDIES {
        for lang in Lang::ALL {
            let page = card_page(&reference(slug), lang, Theme::Auto, REPORT);
            keep(&format!("card-{slug}-{lang}.html"), &page.body);
            insta::assert_snapshot!(format!("embed-card-{slug}-{lang}"), lines(&page.body.replace(&page.style, "…")));
        }
    }
}

#[test]
fn what_people_wrote_does_not_become_markup_of_a_card_page() {
    for lang in Lang::ALL {
        let page = card_page(&hostile(), lang, Theme::Dark, "http://x/\"><script>");
        assert!(!page.body.contains("<script") && page.body.contains("a|b&lt;script&gt;"), "{}", page.body);
        assert_eq!(page.body.matches("<style>").count(), 1);
        assert!(page.body.contains(" data-theme=\"dark\""));
        for link in page.body.split("<a ").skip(1) {
            assert!(link.contains("target=\"_blank\" rel=\"noopener\""), "{link}");
        }
    }
}

#[test]
fn badges_say_gain_form_and_verdict() {
    let said = |slug, lang| badge_of(lang, &reference(slug));
    assert_eq!(said(STUDIES[0], Lang::En), (Tone::Flat, "+1.90% recomputed, within noise".to_owned()));
    assert_eq!(said(STUDIES[0], Lang::Ja), (Tone::Flat, "+1.90%（再計算値）ゆらぎの範囲".to_owned()));
    assert_eq!(said(STUDIES[1], Lang::En), (Tone::Reserved, "+58.1% recomputed, with reservations".to_owned()));
    let with = |change: &dyn Fn(&mut Report)| {
        let mut report = reference(STUDIES[0]);
        change(&mut report);
        Lang::ALL.map(|lang| badge_of(lang, &report))
    };
    let verdict = |verdict, reported, recomputed| {
        with(&|report| {
            report.conclusion.standing = Standing::Recommended;
            let change = &mut report.conclusion.rows[0].objective_change;
            (change.verdict, change.reported_pct, change.recomputed_pct) = (verdict, reported, recomputed);
        })
    };
    let [ja, en] = verdict(Verdict::Better, Some(15.59), Some(9.97));
    assert_eq!(en, (Tone::Better, "+9.97% recomputed (reported +15.59%), better".to_owned()));
    assert_eq!(ja, (Tone::Better, "+9.97%（再計算値、報告値 +15.59%）改善".to_owned()));
    let [_, en] = verdict(Verdict::Worse, Some(-3.0), None);
    assert_eq!(en, (Tone::Worse, "\u{2212}3.00% reported, worse".to_owned()));
    let [_, en] = verdict(Verdict::NotComparable, Some(1.0), Some(1.0));
    assert_eq!(en, (Tone::Unknown, "not comparable".to_owned()));
    let [ja, en] = with(&|report| report.conclusion.standing = Standing::Nothing);
    assert_eq!((ja.0, en.1.as_str()), (Tone::Flat, "no recommendation"));
    for slug in STUDIES {
        for lang in Lang::ALL {
            let (tone, words) = said(slug, lang);
            let svg = badge(lang, tone, &words);
            keep(&format!("badge-{slug}-{lang}.svg"), &svg);
            insta::assert_snapshot!(format!("badge-{slug}-{lang}"), lines(&svg));
        }
    }
    keep("badge-none.svg", &badge_not_found(Lang::En));
}
