//! What changed between two states of a report: facts first, then their sentences.

use crate::made::{Block, Made, run};
use crate::studies;
use touchstone_domain::note::Target;
use touchstone_domain::report::{Report, beside, build};
use touchstone_domain::study::StudyData;
use touchstone_domain::text::Lang;
use touchstone_domain::text::versions::{sentence, summary};
use touchstone_domain::units::{Ms, Secs};
use touchstone_domain::version::{Difference, Outline, Snapshot, compare, diff};

fn snapshot(report: &Report) -> Snapshot {
    Snapshot::of(report, "1.0.0")
}

fn base() -> Vec<Block> {
    vec![run("base", "chat", 1000.0), run("a", "chat", 1200.0), run("b", "chat", 1100.0)]
}

fn made(head: &'static str, runs: &[Block]) -> StudyData {
    Made { head, ..Made::of(runs) }.data()
}

fn differences(from: &StudyData, to: &StudyData) -> Vec<Difference> {
    compare(&snapshot(&build(from)), &snapshot(&build(to)))
}

fn said(lang: Lang, all: &[Difference]) -> Vec<String> {
    all.iter().map(|one| sentence(lang, one).plain()).collect()
}

/// Each changes one thing; what is said of it in English, and the summary in both languages.
#[test]
fn each_change_is_told_with_both_sides() {
    type Change = fn(&mut StudyData);
    let cases: [(&str, Change, &[&str], &str, &str); 10] = [
        ("nothing", |_| {}, &[], "", ""),
        (
            "a note in one language",
            |data| data.put_note(&Target::Variant("a".into()), Lang::Ja, "速い"),
            &["The note on a in Japanese was written."],
            "1 note changed",
            "メモの変更1件",
        ),
        (
            "the title",
            |data| data.study.title.en = Some("Other".into()),
            &["The title in English is “Other”; it was “Made”."],
            "1 change in what the study describes",
            "検証の内容の変更1件",
        ),
        (
            "a setting that decides nothing here",
            |data| data.study.min_success_pct = 98.0,
            &["Minimum success rate (%): 99 → 98."],
            "1 change in what the study describes",
            "検証の内容の変更1件",
        ),
        (
            "arguments of a variant",
            |data| data.study.variants[2].args = vec!["--x=2".into(), "--y".into()],
            &["b starts with --x=2 instead of --x=1."],
            "1 change in what the study describes",
            "検証の内容の変更1件",
        ),
        (
            "what a profile asks for",
            |data| data.study.profiles[1].input_tokens = Some(1024),
            &["batch asks for something else: input_tokens 512 → 1024."],
            "1 change in what the study describes",
            "検証の内容の変更1件",
        ),
        (
            "a latency read otherwise",
            |data| {
                let latencies = &mut data.runs[1].measurement.metrics.ttft;
                latencies.insert(touchstone_domain::metrics::Stat::P99, Ms::new(1001.5).unwrap());
            },
            &["Run 02 is read differently: reported P99 TTFT 1,000.00\u{a0}ms → 1,001.50\u{a0}ms."],
            "1 run read differently",
            "実行の読み直し1件",
        ),
        (
            "a detail that no outline holds",
            |data| data.runs[0].start = Some("first".into()),
            &["Details that this list does not name."],
            "other wording or details",
            "文面や細部の変更",
        ),
        (
            "a run that is gone",
            |data| drop(data.runs.remove(2)),
            &["1 run removed: b on chat."],
            "1 run removed",
            "実行の削除1件",
        ),
        (
            "a variant that nobody ran",
            |data| {
                let mut variant = data.study.variants[1].clone();
                variant.id = "d".into();
                variant.args.push("--new".into());
                data.study.variants.push(variant);
            },
            &["The variant d is new."],
            "1 change in what the study describes",
            "検証の内容の変更1件",
        ),
    ];
    let old = made("", &base());
    for (what, change, expected, en, ja) in cases {
        let mut new = old.clone();
        change(&mut new);
        let all = differences(&old, &new);
        let told = said(Lang::En, &all);
        for sentence in expected {
            assert!(told.iter().any(|told| told == sentence), "{what}: {sentence} is not in {told:#?}");
        }
        assert_eq!(all.is_empty(), expected.is_empty(), "{what}");
        for (lang, part) in [(Lang::En, en), (Lang::Ja, ja)] {
            assert!(summary(lang, &all).contains(part), "{what}: {}", summary(lang, &all));
        }
        // The way back tells of the same things, and both languages tell of all.
        assert_eq!(differences(&new, &old).len(), all.len(), "{what}");
        assert_eq!(said(Lang::Ja, &all).len(), told.len());
    }
}

#[test]
fn another_recommendation_is_told_first_with_its_figures() {
    let old = made("", &base());
    let new = made("", &[base(), vec![run("c", "chat", 1500.0), run("base", "batch", 700.0)]].concat());
    let all = differences(&old, &new);
    let (en, ja) = (said(Lang::En, &all), said(Lang::Ja, &all));
    assert_eq!(en[0], "The recommendation is c; it was a.");
    assert_eq!(ja[0], "推奨設定がaからcに変わりました。");
    let gain = "chat: total TPS against the baseline went from +20.00% recomputed, +20.00% reported (better) to \
                +50.00% recomputed, +50.00% reported (better).";
    assert!(en.iter().any(|told| told == gain), "{en:#?}");
    assert!(en.contains(&"1 run added: c on chat.".to_owned()), "{en:#?}");
    assert!(ja.iter().any(|told| told.ends_with("を追加：c（chat）")), "{ja:#?}");
    // Figures of a side whose variant is another are no news about a figure.
    assert!(!en.iter().any(|told| told.contains("chat, recommended")), "{en:#?}");
    let short = summary(Lang::En, &all);
    assert!(short.starts_with("the recommendation is another; 2 runs added; "), "{short}");
    assert!(summary(Lang::Ja, &all).starts_with("推奨設定の変更、実行の追加2件、"), "{}", summary(Lang::Ja, &all));
}

#[test]
fn a_figure_of_the_same_variant_is_told_with_unit() {
    let old = made("", &base());
    let faster = [run("base", "chat", 1000.0), run("a", "chat", 1300.0), run("b", "chat", 1100.0)];
    let told = said(Lang::En, &differences(&old, &made("", &faster)));
    let expected = "chat, recommended: recomputed Total TPS 1,200.00\u{a0}tok/s → 1,300.00\u{a0}tok/s.";
    assert!(told.iter().any(|told| told == expected), "{told:#?}");
}

#[test]
fn what_a_reader_cannot_see_is_no_difference_in_a_figure() {
    let old = made("", &base());
    let mut new = old.clone();
    new.runs[0].measurement.metrics.duration =
        new.runs[0].measurement.metrics.duration.and_then(|d| Secs::new(d.get() * (1.0 + 1e-12)));
    let all = diff(&Outline::of(&build(&old)), &Outline::of(&build(&new)));
    assert_eq!(all, []);
}

#[test]
fn every_difference_of_the_reference_studies_is_said_in_both_languages_with_the_same_figures() {
    // As far apart as two reports can be.
    let [one, other] = [studies::QWEN3, studies::QWEN35].map(|slug| build(&studies::study(slug).data));
    let all = compare(&snapshot(&one), &snapshot(&other));
    assert!(all.len() > 50, "{}", all.len());
    for (en, ja) in said(Lang::En, &all).into_iter().zip(said(Lang::Ja, &all)) {
        let figures = |text: &str| -> Vec<String> {
            let mut all: Vec<String> = text
                .split(|c: char| !(c.is_ascii_digit() || ".,%+\u{2212}".contains(c)))
                .map(|word| word.trim_matches([',', '.']).to_owned())
                .filter(|word| word.chars().any(|c| c.is_ascii_digit()))
                .collect();
            all.sort();
            all
        };
        // Names differ by language, so only what has none can be held against the other.
        if en.contains("ms") || en.contains("tok/s") {
            assert_eq!(figures(&en), figures(&ja), "{en}\n{ja}");
        }
        assert!(!ja.is_empty() && !en.contains("  "), "{en}\n{ja}");
    }
}

#[test]
fn an_outline_of_another_program_is_read_and_what_it_lacks_is_unknown() {
    let report = build(&made("", &base()));
    let new = Outline::of(&report);
    let mut old = serde_json::to_value(&new).unwrap();
    assert_eq!(serde_json::from_value::<Outline>(old.clone()).unwrap(), new, "it comes back as it was");
    // Fields of a newer program, and none of some that this one has.
    old["flux"] = serde_json::json!({ "a": [1] });
    old["runs"][0]["flux"] = serde_json::json!(true);
    old["settings"].as_object_mut().unwrap().remove("model");
    old["runs"][0]["figures"]["reported"].as_object_mut().unwrap().remove("ttft_p99_ms");
    old["profiles"][0]["asks"].as_object_mut().unwrap().remove("seed");
    let old: Outline = serde_json::from_value(old).unwrap();
    assert_eq!(diff(&old, &new), []);
    assert_eq!(diff(&new, &old), []);
    let empty: Outline = serde_json::from_str("{}").unwrap();
    assert!(!diff(&empty, &new).is_empty());
}

#[test]
fn the_wording_and_the_studies_beside_it_count() {
    let data = made("", &base());
    let report = build(&data);
    let old = snapshot(&report);
    let worded = Snapshot {
        text_version: old.text_version + 1,
        content: studies::study(studies::QWEN3).data.runs[0].digest.clone(),
        ..old.clone()
    };
    assert_eq!(compare(&old, &worded), [Difference::Wording { from: old.text_version, to: old.text_version + 1 }]);
    let mut other = data.clone();
    other.study.slug = "other".into();
    let mut beside_other = report.clone();
    beside_other.rivals = beside(&data, &report, &[other]);
    assert_eq!(beside_other.rivals.len(), 1, "they ask the same question");
    let told = said(Lang::En, &compare(&old, &snapshot(&beside_other)));
    assert_eq!(told, ["The study beside this one, Made is new."]);
    let elsewhere = Snapshot { program: "2.0.0".into(), content: worded.content, ..old.clone() };
    let told = said(Lang::En, &compare(&old, &elsewhere));
    assert_eq!(told, ["Details that this list does not name; Touchstone 2.0.0 draws the report, 1.0.0 drew it."]);
}
