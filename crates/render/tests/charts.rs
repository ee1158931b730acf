//! Charts of the reference studies as people see them, and laws that hold for charts of any study.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on stops")]

use std::fs;
use std::path::Path;

use domain::change::{Change, Yardstick, change_pct};
use domain::id::ProfileId;
use domain::metric::Metric;
use domain::report::{ConclusionRow, Report, build};
use domain::study::{Localized, Profile};
use domain::text::Lang;
use domain::units::TokPerSec;
use touchstone_render::chart::{Width, gain_scale, profiles, profiles_legend};

fn reference(slug: &str) -> Report {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../server/demo").join(slug);
    let manifest = fs::read_to_string(folder.join("study.toml")).unwrap();
    let study =
        domain::study::load(&manifest, |file| fs::read(folder.join(file)).map_err(|error| error.to_string())).unwrap();
    build(&study.data)
}

const STUDIES: [&str; 2] = ["qwen3.5-9b-h100", "qwen3-14b-h100"];

/// One element a line, so that a difference is readable.
fn lines(svg: &str) -> String {
    svg.replace("><", ">\n<")
}

#[test]
fn charts_of_the_reference_studies() {
    for slug in STUDIES {
        let report = reference(slug);
        for lang in Lang::ALL {
            for width in Width::ALL {
                let svg = profiles(&report, lang, width).unwrap();
                insta::assert_snapshot!(format!("profiles-{slug}-{lang}-{width:?}"), lines(&svg));
            }
            let scale = gain_scale(&report, lang);
            let rows = scale.rows.iter().map(|(_, svg)| svg.as_str());
            let all: Vec<_> = std::iter::once(scale.header.as_str()).chain(rows).map(lines).collect();
            insta::assert_snapshot!(format!("gain-{slug}-{lang}"), all.join("\n\n"));
        }
    }
}

/// Recomputed and reported total TPS.
type Measured = [Option<f64>; 2];

/// A study of these profiles: name, baseline, recommended.
fn study(rows: &[(&str, Measured, Measured)]) -> Report {
    let mut report = reference(STUDIES[0]);
    let (profile, row) = (report.profiles[0].clone(), report.conclusion.rows[0].clone());
    report.profiles.clear();
    report.conclusion.rows.clear();
    report.runs.clear();
    for (index, (name, baseline, recommended)) in rows.iter().enumerate() {
        let id = ProfileId::new(format!("p{index}"));
        report.profiles.push(Profile { id: id.clone(), name: Localized::same(name), ..profile.clone() });
        let mut row = ConclusionRow { profile: id, primary: index == 0, findings: Vec::new(), ..row.clone() };
        for (side, [recomputed, reported]) in [(&mut row.baseline, baseline), (&mut row.recommended, recommended)] {
            side.recomputed.total_token_throughput = recomputed.and_then(TokPerSec::new);
            side.metrics.total_token_throughput = reported.and_then(TokPerSec::new);
        }
        let pct = |at: usize| change_pct(baseline[at], recommended[at]);
        let by =
            Yardstick { relevance_pct: 0.5, noise: row.change.noise, comparable: true, repeats: row.change.repeats };
        row.change = Change::judge(Metric::TotalTps, pct(1), pct(0), &by);
        report.conclusion.rows.push(row);
    }
    report.primary_profile = ProfileId::new("p0");
    report
}

const fn both(value: f64) -> Measured {
    [Some(value), Some(value)]
}

/// Studies that no reference study is like.
fn odd_studies() -> Vec<(&'static str, Report)> {
    let long = "非常に長い名前のプロファイル（社内の問い合わせ記録から作成した会話）";
    let names =
        [long, "Short", "A very long English profile name that cannot fit anywhere", "生成", "<b>&\"'\u{8}名前</b>"];
    let many: Vec<_> = (0..20)
        .map(|at| {
            (names[at % 5], both(100.0 * (at + 1) as f64), [Some(130.0 * at as f64 + 90.0), Some(140.0 * at as f64)])
        })
        .collect();
    let mut disqualified =
        study(&[("ShareGPT", both(11_000.0), both(31_000.0)), ("Chat", both(9_000.0), both(9_100.0))]);
    disqualified.conclusion.rows[0].recommended.recomputed.success_rate_pct = Some(51.4);
    let mut keep =
        study(&[("ShareGPT", both(11_000.0), both(11_000.0)), ("長コンテキスト", both(9_000.0), both(9_000.0))]);
    keep.conclusion.recommended = Some(keep.conclusion.baseline.clone());
    let mut nothing = keep.clone();
    nothing.conclusion.recommended = None;
    nothing.conclusion.rows.clear();
    nothing.runs = reference(STUDIES[0]).runs;
    nothing.runs.iter_mut().for_each(|run| run.profile = ProfileId::new("p1"));
    let mut one_sided = reference(STUDIES[0]);
    let gone = one_sided.conclusion.rows.remove(1).profile;
    let recommended = one_sided.conclusion.recommended.clone();
    one_sided.runs.retain(|run| run.profile != gone || Some(&run.variant) == recommended.as_ref());
    vec![
        ("one profile", study(&[("ShareGPT", both(11_389.66), both(11_605.92))])),
        ("twenty", study(&many)),
        (
            "far apart",
            study(&[
                ("Tiny", both(0.01), both(0.0123)),
                ("Huge", both(9.9e6), both(1e7)),
                ("Jump", both(0.01), both(1e7)),
            ]),
        ),
        (
            "losses",
            study(&[
                ("A", both(100.0), [Some(61.0), Some(70.0)]),
                ("B", both(100.0), both(101.0)),
                ("C", both(100.0), both(0.0)),
            ]),
        ),
        ("nothing changed", study(&[("A", both(100.0), both(100.0)), ("B", both(100.0), both(100.0))])),
        ("small", study(&[("A", both(100.0), both(100.02)), ("B", both(100.0), both(99.99))])),
        ("zeros", study(&[("A", both(0.0), both(0.0)), ("B", both(0.0), both(0.0))])),
        (
            "absent",
            study(&[
                ("No baseline", [None, None], both(120.0)),
                ("Reported only", [None, Some(100.0)], [None, Some(90.0)]),
                ("Recomputed only", [Some(100.0), None], [Some(110.0), None]),
                ("Baseline of zero", both(0.0), both(50.0)),
                ("Never run", [None, None], [None, None]),
            ]),
        ),
        ("disqualified", disqualified),
        ("baseline stays", keep),
        ("nothing recommended", nothing),
        ("one side was run", one_sided),
        ("no profiles", study(&[])),
    ]
}

fn all(report: &Report, lang: Lang) -> Vec<String> {
    let scale = gain_scale(report, lang);
    let mut all: Vec<String> = Width::ALL.into_iter().filter_map(|width| profiles(report, lang, width)).collect();
    all.extend((!scale.header.is_empty()).then_some(scale.header));
    all.extend(scale.rows.into_iter().map(|(_, svg)| svg));
    all.extend(profiles_legend(report, lang).into_iter().map(|entry| entry.swatch));
    all
}

/// What holds for every chart.
fn assert_lawful(svg: &str) {
    let tree = roxmltree::Document::parse(svg).unwrap_or_else(|error| panic!("{error}: {svg}"));
    let root = tree.root_element();
    let bounds: Vec<f64> = root.attribute("viewBox").unwrap().split(' ').map(|n| n.parse().unwrap()).collect();
    let said =
        root.attribute("role") == Some("img") && root.attribute("aria-label").is_some_and(|label| label.len() > 10);
    assert!(said || root.attribute("aria-hidden") == Some("true"), "{svg}");
    for node in tree.descendants().filter(roxmltree::Node::is_element) {
        let known = ["svg", "path", "rect", "text", "pattern"];
        assert!(known.contains(&node.tag_name().name()), "{}", node.tag_name().name());
        for attribute in node.attributes() {
            let (name, value) = (attribute.name(), attribute.value());
            match name {
                "x" | "y" | "width" | "height" => {
                    let number: f64 = value.parse().unwrap();
                    let most = if matches!(name, "x" | "width") { bounds[2] } else { bounds[3] };
                    assert!((-0.1..=most + 0.1).contains(&number), "{name}={value} leaves the picture: {svg}");
                }
                "d" => {
                    let known = |c: char| c.is_ascii_digit() || "MLHVmlz -.".contains(c);
                    assert!(value.chars().all(known), "{value}");
                }
                "fill" => assert!(value.starts_with("url(#chart-") && value.ends_with(')'), "{value}"),
                "class" => assert!(value.bytes().all(|b| b.is_ascii_lowercase() || b == b'-' || b == b' '), "{value}"),
                "id" => assert!(value.starts_with("chart-"), "{value}"),
                "viewBox" | "role" | "aria-label" | "aria-hidden" | "text-anchor" | "patternUnits"
                | "patternTransform" => {}
                other => panic!("{other}: {svg}"),
            }
        }
    }
}

#[test]
fn every_chart_is_well_formed_finite_and_without_looks_of_its_own() {
    let studies = STUDIES.map(|slug| (slug, reference(slug)));
    for (name, report) in studies.into_iter().chain(odd_studies()) {
        for lang in Lang::ALL {
            let charts = all(&report, lang);
            assert_eq!(charts.is_empty(), name == "no profiles", "{name}");
            let mut ids: Vec<String> = Vec::new();
            for svg in &charts {
                assert_lawful(svg);
                ids.extend(
                    svg.match_indices(" id=\"").map(|(at, _)| svg[at + 5..].split('"').next().unwrap().to_owned()),
                );
            }
            let found = ids.len();
            ids.sort();
            ids.dedup();
            assert_eq!(ids.len(), found, "{name}: ids on a page are unique");
        }
    }
}

#[test]
fn what_was_not_measured_is_said_and_not_drawn_at_zero() {
    let odd = odd_studies();
    let of = |name: &str| &odd.iter().find(|(other, _)| *other == name).unwrap().1;
    let absent = profiles(of("absent"), Lang::En, Width::Wide).unwrap();
    assert!(absent.contains("No baseline: baseline not measured, recommended 120.00."), "{absent}");
    assert!(absent.contains(">not measured</text>"), "{absent}");
    assert!(absent.contains("baseline 100.00 (reported)"), "{absent}");
    assert!(!absent.contains("Never run"), "{absent}");
    // Five bars of this study were recomputed.
    assert_eq!(absent.matches("<rect class=\"base\"").count() + absent.matches("<rect class=\"rec\"").count(), 5);
    let gains = gain_scale(of("absent"), Lang::Ja).rows;
    assert!(gains[0].1.contains(">未計測</text>") && gains[3].1.contains(">不明</text>"), "{gains:?}");
    let kept = profiles(of("baseline stays"), Lang::En, Width::Narrow).unwrap();
    assert!(!kept.contains("class=\"rec"), "{kept}");
    let disqualified = profiles(of("disqualified"), Lang::Ja, Width::Narrow).unwrap();
    assert!(
        disqualified.contains("推奨設定31,000（失格）") && disqualified.contains("class=\"cross\""),
        "{disqualified}"
    );
    let one_sided = profiles(of("one side was run"), Lang::En, Width::Wide).unwrap();
    assert!(gain_scale(of("disqualified"), Lang::En).rows[0].1.contains("class=\"cross\""));
    assert!(gain_scale(of("baseline stays"), Lang::En).rows[0].1.contains("<rect class=\"base\""));
    assert!(one_sided.contains("Throughput: baseline not measured, recommended 29,717."), "{one_sided}");
}

/// Writes a page with all charts to look at: `TOUCHSTONE_CHARTS=/path/to/page.html cargo test -p touchstone-render gallery`.
#[test]
fn gallery() {
    let Ok(file) = std::env::var("TOUCHSTONE_CHARTS") else { return };
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../style");
    let mut page = String::from("<!doctype html><meta charset=utf-8><style>");
    for sheet in ["00-tokens.css", "10-base.css", "60-charts.css"] {
        page.push_str(&fs::read_to_string(root.join(sheet)).unwrap());
    }
    page.push_str("body{padding:16px;display:block}.two{display:flex;gap:40px}.row{width:320px;border-top:1px solid var(--rule)}.cap{max-width:340px}</style><body>");
    let studies = STUDIES.map(|slug| (slug, reference(slug)));
    for (name, report) in studies.into_iter().chain(odd_studies()) {
        for lang in Lang::ALL {
            let scale = gain_scale(&report, lang);
            let Some(wide) = profiles(&report, lang, Width::Wide) else { continue };
            page.push_str(name);
            page.push_str(&format!("<section lang={lang}><ul class=legend>"));
            for entry in profiles_legend(&report, lang) {
                page.push_str(&format!("<li>{}{}</li>", entry.swatch, entry.text));
            }
            page.push_str("</ul><div class=two><div style='width:720px'>");
            page.push_str(&wide);
            page.push_str("</div><div style='width:340px'>");
            page.push_str(&profiles(&report, lang, Width::Narrow).unwrap());
            page.push_str(&format!("</div><div class=scale style='width:320px'>{}", scale.header));
            for (_, svg) in &scale.rows {
                page.push_str(&format!("<div class=row>{svg}</div>"));
            }
            page.push_str("</div></div></section><hr>");
        }
    }
    fs::write(file, page).unwrap();
}
