//! Reported beside recomputed, gain beside loss: what the conclusion may not hide, in JSON and in both languages.

use crate::studies::{self, Bench};
use serde_json::Value;
use touchstone_domain::advise::{Decision, NotRecommended, Reason};
use touchstone_domain::report::markdown::markdown;
use touchstone_domain::report::{Report, Standing, build};
use touchstone_domain::text::{self, Lang};

fn report(slug: &str) -> Report {
    build(&studies::study(slug).data)
}

fn json(slug: &str) -> Value {
    serde_json::to_value(report(slug)).expect("a report is JSON")
}

fn row<'a>(report: &'a Value, profile: &str) -> &'a Value {
    let rows = report["conclusion"]["rows"].as_array().expect("a list");
    rows.iter().find(|row| row["profile"] == profile).expect("the profile has a row")
}

/// The conclusion's line of a profile.
fn line(markdown: &str, profile: &str) -> String {
    let start = format!("| {profile} |");
    markdown.lines().find(|line| line.starts_with(&start)).expect("the profile has its line").to_owned()
}

/// All of `words` in the profile's line, language by language.
fn says(slug: &str, profile: (&str, &str), en: &[&str], ja: &[&str]) {
    let report = report(slug);
    for (lang, profile, words) in [(Lang::En, profile.0, en), (Lang::Ja, profile.1, ja)] {
        let line = line(&markdown(&report, lang), profile);
        for word in words {
            assert!(line.contains(word), "\"{word}\" is not in: {line}");
        }
    }
}

#[test]
fn the_throughput_profile_is_15_59_reported_and_9_97_recomputed() {
    let report = json(studies::QWEN35);
    let change = &row(&report, "throughput")["change"];
    assert_eq!((&change["reported_pct"], &change["recomputed_pct"]), (&15.585658.into(), &9.974425.into()));
    let figures = ["27,021.67", "29,716.93", "29,822.16", "34,470.14", "+9.97%", "+15.59%", "5.6"];
    says(studies::QWEN35, ("Throughput", "スループット"), &figures, &figures);
    let report = self::report(studies::QWEN35);
    for lang in Lang::ALL {
        let words = text::conclusion(lang, &report);
        assert!(words.headline.plain().contains("9.97%") && !words.headline.plain().contains("15.59"));
        assert!(words.explanation.iter().any(|sentence| {
            let sentence = sentence.plain();
            sentence.contains("+15.59%") && sentence.contains("+9.97%")
        }));
    }
}

#[test]
fn the_engine_comparison_claims_no_lower_tpot() {
    let report = report(studies::QWEN35);
    for (lang, reverses) in [(Lang::En, "the order reverses"), (Lang::Ja, "順序が逆転します")] {
        let summary = text::summary(lang, &report, &report.steps[0]).expect("two engines were measured").plain();
        assert!(["80.26 ms", "45.87 ms", reverses].iter().all(|words| summary.contains(words)), "{summary}");
        // The reported difference is named as reported, and the throughputs in both forms.
        let reported =
            if lang == Lang::En { "a reported mean TPOT 123.74 ms" } else { "短いと報告されています" };
        assert!(
            summary.contains(reported) && summary.contains("+4,895.86") && summary.contains("5,027.73"),
            "{summary}"
        );
    }
    let summary = &json(studies::QWEN35)["steps"][0]["summary"];
    assert_eq!(summary["other_tps"][1].as_f64().map(|pct| (pct * 100.0).round()), Some(7539.0));
}

#[test]
fn load_limited_rows_say_so_and_name_the_tail_that_got_worse() {
    let report = json(studies::QWEN35);
    for profile in ["long-context", "generation-heavy"] {
        assert_eq!(row(&report, profile)["change"]["verdict"], "not_comparable");
        let findings = row(&report, profile)["findings"].as_array().unwrap();
        assert!(findings.iter().any(|finding| finding["id"] == "load-limited"));
    }
    let en = ["not comparable", "Load-limited", "throughput cannot be compared"];
    let ja = ["比較不可", "負荷で頭打ち", "スループットは比較できません"];
    says(studies::QWEN35, ("Generation Heavy", "生成の多いワークロード"), &en, &ja);
    says(studies::QWEN35, ("Long Context", "長コンテキスト"), &en, &ja);
    says(
        studies::QWEN35,
        ("Long Context", "長コンテキスト"),
        &["P99 E2EL **+44.73%** (worse)"],
        &["P99 E2ELは**+44.73%**（悪化）"],
    );
}

#[test]
fn the_short_prompt_gain_stands_beside_tpot_76_6_worse() {
    let report = json(studies::QWEN3);
    let short = row(&report, "short-prompt");
    assert_eq!((&short["tpot_change"]["verdict"], &short["change"]["verdict"]), (&"worse".into(), &"better".into()));
    says(
        studies::QWEN3,
        ("Short Prompt", "短いプロンプト"),
        &["+191.3%", "+76.6% worse", "Measured once: noise unknown.", "Mean TPOT **+76.6%** (worse)"],
        &["+191.3%", "+76.6% 悪化", "計測1回、ゆらぎ不明です。", "平均TPOTは**+76.6%**（悪化）"],
    );
}

#[test]
fn percentages_have_the_decimals_of_the_study() {
    let report = report(studies::QWEN3);
    for lang in Lang::ALL {
        let text = markdown(&report, lang);
        assert!(text.contains("+170.0%") && text.contains("−1.5%") && !text.contains("+169.96%"));
    }
}

#[test]
fn a_losing_profile_is_named_in_the_card_with_the_weight_of_the_gain() {
    let mut data = studies::study(studies::QWEN3).data;
    for run in &mut data.runs {
        if run.variant.as_str() == "fp8" && run.profile.as_str() == "long-prompt" {
            let metrics = &mut run.measurement.metrics;
            metrics.duration = touchstone_domain::units::Secs::new(metrics.duration.unwrap().get() * 2.0);
        }
    }
    let report = build(&data);
    for (lang, name) in [(Lang::En, "Long Prompt"), (Lang::Ja, "長いプロンプト")] {
        let words = text::conclusion(lang, &report);
        let strong: Vec<&str> = words
            .headline
            .0
            .iter()
            .filter_map(|piece| match piece {
                text::Piece::Strong(figure) => Some(figure.as_str()),
                text::Piece::Text(_) | text::Piece::Code(_) => None,
            })
            .collect();
        // Gain and loss are both strong figures of the headline.
        assert!(strong.iter().any(|figure| figure.contains("58.1%")), "{strong:?}");
        assert!(strong.iter().any(|figure| figure.contains("33.5%")), "{strong:?}");
        assert!(words.headline.plain().contains(name));
        assert!(words.got_worse.iter().any(|sentence| sentence.plain().contains(name)));
        assert!(words.wrong_choice.iter().any(|sentence| sentence.plain().contains(name)));
    }
}

#[test]
fn a_sound_variant_at_11_600_is_recommended_over_a_failing_one_at_15_060() {
    let at = |tps: f64| Bench { duration: 500.0 * 1152.0 / tps, ttft: 9000.0, tpot: 150.0, ..Bench::SOUND };
    let mut data = studies::made_up(
        &[("base", "args = []"), ("sound", "args = [\"--a\"]"), ("failing", "args = [\"--b\"]")],
        &[("base", "", at(11_000.0)), ("sound", "", at(11_600.0)), ("failing", "", at(15_060.0))],
    );
    let metrics = &mut data.runs[2].measurement.metrics;
    (metrics.successful_requests, metrics.failed_requests) = (Some(257), Some(243));
    data.study.steps = ["sound", "failing"]
        .map(|id| touchstone_domain::study::Step {
            id: id.into(),
            name: touchstone_domain::study::Localized::same(id),
            profile: "p".into(),
            variants: vec![id.into()],
            notes: touchstone_domain::study::Localized::default(),
        })
        .to_vec();
    let report = build(&data);
    assert_eq!(report.conclusion.recommended.as_ref().map(|id| id.as_str()), Some("sound"));
    let highest = report.conclusion.highest.as_ref().unwrap();
    assert_eq!((highest.variant.as_str(), highest.why), ("failing", NotRecommended::Disqualified));
    assert!((highest.value - 15_060.0).abs() < 0.01, "{}", highest.value);
    let failing = &report.options[1];
    assert_eq!(failing.decision, Decision::Rejected);
    assert!(matches!(failing.reason, Reason::TooManyFailures { success_pct, .. } if (success_pct - 51.4).abs() < 1e-9));
    for lang in Lang::ALL {
        let text = markdown(&report, lang);
        assert!(text.contains("15,060.00") && text.contains("11,600.00") && text.contains("51.4%"));
    }
}

#[test]
fn one_run_against_one_is_never_significant_nor_recommended_without_reservations() {
    let report = report(studies::QWEN3);
    for row in &report.conclusion.rows {
        assert_eq!((row.change.significant, row.change.noise), (None, None));
        assert!(row.findings.iter().any(|finding| finding.evidence.id() == "single-run"));
    }
    assert_eq!(report.conclusion.standing, Standing::WithReservations);
    for (lang, unknown) in [(Lang::En, "noise unknown"), (Lang::Ja, "ゆらぎ不明")] {
        assert!(text::conclusion(lang, &report).headline.plain().contains(unknown));
    }
    // With an estimate the answer is known: +1.90 % lies within ±2.55 %.
    let qwen35 = self::report(studies::QWEN35);
    assert_eq!(qwen35.primary_row().and_then(|row| row.change.significant), Some(false));
}
