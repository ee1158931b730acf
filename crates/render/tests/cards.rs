//! Social cards as people see them, and laws that hold for cards of any study.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on stops")]

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use domain::change::Verdict;
use domain::report::{Report, Standing, build};
use domain::study::Localized;
use domain::text::Lang;
use resvg::tiny_skia::Pixmap;
use resvg::usvg::fontdb::{Database, Family, Query, Weight};
use resvg::usvg::{Group, Node, Options, Tree};
use skrifa::MetadataProvider as _;
use touchstone_render::card::{self, Fonts};

const STUDIES: [&str; 2] = ["qwen3.5-9b-h100", "qwen3-14b-h100"];

fn reference(slug: &str) -> Report {
    changed(slug, |manifest| manifest)
}

/// A reference study with another manifest.
fn changed(slug: &str, change: impl Fn(String) -> String) -> Report {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../server/demo").join(slug);
    let manifest = change(fs::read_to_string(folder.join("study.toml")).unwrap());
    let study =
        domain::study::load(&manifest, |file| fs::read(folder.join(file)).map_err(|error| error.to_string())).unwrap();
    build(&study.data)
}

const LONG: &str = "国内データセンターの NVIDIA H100 80GB HBM3 を用いた、大規模言語モデル Qwen3.5-9B の推論サーバー設定（バッチサイズ、同時実行数、量子化、投機的デコーディング）の組み合わせによるスループットとレイテンシの両立に関する検証（2026年11月、第3回、社内共有用の最終版）です。";

/// Titles, commands and outcomes that a study may have.
fn hard() -> Vec<(&'static str, Report)> {
    let titled = |ja: &str, en: &str| {
        let (ja, en) = (ja.to_owned(), en.to_owned());
        let mut report = reference(STUDIES[0]);
        report.title.ja = Some(ja);
        report.title.en = Some(en);
        report
    };
    let mut many = reference(STUDIES[0]);
    let command = many.conclusion.command.as_mut().unwrap();
    let args: Vec<String> =
        (0..40).map(|at| format!("--some-rather-long-option-{at:02}='{{\"value\": {at}}}'")).collect();
    command.text = format!("vllm serve Qwen/Qwen3.5-9B \\\n    {}", args.join(" \\\n    "));
    let mut keep = reference(STUDIES[0]);
    keep.conclusion.standing = Standing::KeepBaseline;
    keep.conclusion.recommended = Some(keep.conclusion.baseline.clone());
    let mut nothing = reference(STUDIES[1]);
    nothing.conclusion.standing = Standing::Nothing;
    nothing.conclusion.recommended = None;
    nothing.conclusion.command = None;
    let mut incomparable = reference(STUDIES[1]);
    incomparable.conclusion.rows[0].objective_change.verdict = Verdict::NotComparable;
    let mut sure = reference(STUDIES[0]);
    let row = &mut sure.conclusion.rows[0];
    row.objective_change.recomputed_pct = Some(1234.56);
    row.objective_change.verdict = Verdict::Better;
    let mut worse = reference(STUDIES[0]);
    worse.conclusion.command = None;
    worse.conclusion.rows[0].objective_change.recomputed_pct = Some(-12.34);
    worse.conclusion.rows[0].objective_change.verdict = Verdict::Worse;
    let mut names = titled(
        "a|b<script>alert(1)</script> & \"x\"\u{202e}gnp.exe",
        "a|b<script>alert(1)</script> & \"x\"\u{202e}gnp.exe",
    );
    names.model.id = "org/a-model-with-a-very-long-name".repeat(4);
    for variant in &mut names.variants {
        variant.model = names.model.id.clone();
    }
    for profile in &mut names.profiles {
        profile.name = Localized::same(&"とても長いプロファイル名".repeat(4));
    }
    vec![
        ("long", titled(LONG, &"Tuning vLLM and SGLang for long prompts on eight GPUs ".repeat(6))),
        ("one-word", titled(&"x".repeat(140), &"x".repeat(140))),
        ("many", many),
        ("keep", keep),
        ("nothing", nothing),
        ("incomparable", incomparable),
        ("sure", sure),
        ("worse", worse),
        ("names", names),
        ("emoji", titled("🚀🚀 速い \u{10a0a}", "🚀")),
    ]
}

/// Every study above, by a name for messages.
fn all() -> Vec<(&'static str, Report)> {
    STUDIES.iter().map(|slug| (*slug, reference(slug))).chain(hard()).collect()
}

/// One element a line, so that a difference is readable.
fn lines(svg: &str) -> String {
    svg.replace("><", ">\n<")
}

#[test]
fn cards_of_the_reference_studies() {
    for slug in STUDIES {
        for lang in Lang::ALL {
            insta::assert_snapshot!(format!("card-{slug}-{lang}"), lines(&card::svg(&reference(slug), lang)));
        }
    }
}

/// For a person to look at: `TOUCHSTONE_CARDS=folder cargo test -p touchstone-render --test cards`.
fn keep(name: &str, lang: Lang, png: &[u8]) {
    if let Some(folder) = std::env::var_os("TOUCHSTONE_CARDS") {
        fs::create_dir_all(&folder).unwrap();
        fs::write(Path::new(&folder).join(format!("{name}-{lang}.png")), png).unwrap();
    }
}

#[test]
fn a_card_is_a_picture_of_its_size_with_paper_stone_and_ink_on_it() {
    for (name, report) in all() {
        for lang in Lang::ALL {
            let png = card::png(&report, lang, Fonts::system()).unwrap();
            keep(name, lang, &png);
            let picture = Pixmap::decode_png(&png).unwrap();
            assert_eq!((picture.width(), picture.height()), (card::WIDTH, card::HEIGHT));
            let mut colours = BTreeMap::<[u8; 3], usize>::new();
            for pixel in picture.pixels() {
                *colours.entry([pixel.red(), pixel.green(), pixel.blue()]).or_default() += 1;
            }
            let all = (card::WIDTH * card::HEIGHT) as usize;
            let paper = colours[&[0xfa, 0xfa, 0xf9]];
            assert!(paper > all / 4 && paper < all * 19 / 20, "{name} {lang}: {paper} pixels of paper");
            // Text leaves hundreds of shades where it is smoothed.
            assert!(colours.len() > 100, "{name} {lang}: {} colours", colours.len());
            assert_eq!(
                png,
                card::png(&report, lang, Fonts::system()).unwrap(),
                "{name} {lang}: same facts, same bytes"
            );
        }
    }
}

/// The system's fonts, looked at by other means than the card's.
fn faces() -> Database {
    let mut faces = Database::new();
    faces.load_system_fonts();
    faces
}

#[test]
fn every_character_of_a_card_is_in_the_face_that_it_names() {
    let faces = faces();
    for (name, report) in all() {
        for lang in Lang::ALL {
            let svg = card::svg_with(&report, lang, Fonts::system()).unwrap();
            let document = roxmltree::Document::parse(&svg).unwrap();
            let texts = document.descendants().filter(|node| node.has_attribute("font-family"));
            let mut characters = 0;
            for node in texts {
                let family =
                    node.attribute("font-family").unwrap().split(',').next().unwrap().trim_matches('\'').to_owned();
                let weight = node.ancestors().find_map(|node| node.attribute("font-weight")).unwrap().parse().unwrap();
                let query = Query { families: &[Family::Name(&family)], weight: Weight(weight), ..Query::default() };
                let face = faces.query(&query).unwrap_or_else(|| panic!("{name} {lang}: no face {family}"));
                for c in node.text().unwrap_or_default().chars().filter(|c| *c != ' ') {
                    characters += 1;
                    let has = faces.with_face_data(face, |data, index| {
                        skrifa::FontRef::from_index(data, index).unwrap().charmap().map(c).is_some()
                    });
                    assert_eq!(has, Some(true), "{name} {lang}: {c:?} in {family}");
                }
            }
            assert!(characters > 60, "{name} {lang}: {characters} characters");
        }
    }
}

#[test]
fn no_text_leaves_the_card_or_runs_into_another() {
    for (name, report) in all() {
        for lang in Lang::ALL {
            let svg = card::svg_with(&report, lang, Fonts::system()).unwrap();
            let options = Options { fontdb: std::sync::Arc::new(faces()), ..Options::default() };
            let tree = Tree::from_str(&svg, &options).unwrap();
            let mut boxes = Vec::new();
            texts(tree.root(), &mut boxes);
            assert!(boxes.len() > 4, "{name} {lang}");
            for (at, a) in boxes.iter().enumerate() {
                assert!(a.left() >= 60.0 && a.right() <= 1140.5, "{name} {lang}: {a:?}");
                assert!(a.top() >= 20.0 && a.bottom() <= 626.0, "{name} {lang}: {a:?}");
                for b in &boxes[at + 1..] {
                    // Boxes are of ink; touching by a hair is side bearing.
                    let across = a.right().min(b.right()) - a.left().max(b.left());
                    let down = a.bottom().min(b.bottom()) - a.top().max(b.top());
                    assert!(across < 1.0 || down < 1.0, "{name} {lang}: {a:?} and {b:?}");
                }
            }
        }
    }
}

fn texts(group: &Group, boxes: &mut Vec<resvg::tiny_skia::Rect>) {
    for node in group.children() {
        match node {
            Node::Group(group) => texts(group, boxes),
            Node::Text(text) => boxes.push(text.flattened().abs_bounding_box()),
            Node::Path(_) | Node::Image(_) => {}
        }
    }
}

#[test]
fn without_a_japanese_font_the_card_is_english_and_without_any_there_is_none() {
    assert_eq!(card::svg_with(&reference(STUDIES[0]), Lang::En, &Fonts::none()), None);
    assert_eq!(card::png(&reference(STUDIES[0]), Lang::Ja, &Fonts::none()), None);
    assert!(!Fonts::none().usable());
    let latin = Fonts::system().only(&["DejaVu Sans", "DejaVu Serif", "DejaVu Sans Mono"]);
    assert!(latin.usable(), "the tests' machine has DejaVu, as every Debian with Chromium has");
    for (name, report) in all() {
        let [ja, en] = Lang::ALL.map(|lang| card::svg_with(&report, lang, &latin).unwrap());
        assert_eq!(ja, en, "{name}");
        let document = roxmltree::Document::parse(&ja).unwrap();
        let shown: String = document
            .descendants()
            .filter(|node| !node.has_tag_name("title"))
            .filter_map(|node| node.parent())
            .filter(|node| !node.has_tag_name("title"))
            .filter_map(|node| node.text())
            .collect();
        assert!(!shown.chars().any(|c| ('\u{3040}'..='\u{9fff}').contains(&c)), "{name}: {shown}");
    }
    // Only the title is Japanese, and none of it can be drawn: the study's name in addresses stands there.
    let mut report = reference(STUDIES[0]);
    report.title = Localized { ja: Some("試験".to_owned()), en: None };
    assert!(card::svg_with(&report, Lang::Ja, &latin).unwrap().contains(">qwen3.5-9b-h100<"));
}

#[test]
fn what_people_wrote_is_text() {
    let (_, names) = hard().into_iter().find(|(name, _)| *name == "names").unwrap();
    for lang in Lang::ALL {
        let svg = card::svg_with(&names, lang, Fonts::system()).unwrap();
        assert!(!svg.contains("<script") && svg.contains("a|b&lt;script&gt;alert(1)"), "{svg}");
        assert!(!svg.contains('\u{202e}'), "nothing turns the direction of text");
    }
}

#[test]
fn a_figure_is_never_cut_and_both_forms_are_shown() {
    let svg = card::svg_with(&reference(STUDIES[0]), Lang::En, Fonts::system()).unwrap();
    for shown in [
        "+1.90%",
        "within noise",
        "recomputed",
        "reported +2.09%",
        "noise ±2.55%",
        "+9.97%",
        "reported +15.59%",
        "P99 E2EL +44.73%",
    ] {
        assert!(svg.contains(shown), "{shown}");
    }
    let (_, sure) = hard().into_iter().find(|(name, _)| *name == "sure").unwrap();
    assert!(card::svg_with(&sure, Lang::Ja, Fonts::system()).unwrap().contains("+1,234.56%"));
}
