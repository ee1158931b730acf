//! What the reports on both reference studies say: decisions, verdicts, findings, and the texts that people read.

use crate::studies;
use touchstone_domain::advise::{Decision, Goal};
use touchstone_domain::change::Verdict;
use touchstone_domain::check::Evidence;
use touchstone_domain::metrics::Latency;
use touchstone_domain::report::markdown::markdown;
use touchstone_domain::report::{Report, Standing, build};
use touchstone_domain::run::Run;
use touchstone_domain::study::StudyData;
use touchstone_domain::text::{self, Lang};
use touchstone_domain::units::Secs;
use touchstone_domain::upload::UNKNOWN;

fn report(slug: &str) -> Report {
    build(&studies::study(slug).data)
}

fn decisions(report: &Report) -> Vec<(&str, Decision)> {
    report.steps.iter().map(|step| (step.id.as_str(), step.decision)).collect()
}

#[test]
fn each_step_is_decided_for_its_reason() {
    use Decision::{Adopted, Baseline, NoRelevantGain, Rejected};
    assert_eq!(
        decisions(&report(studies::QWEN35)),
        [
            ("engine", Baseline),
            ("prefix-caching", Rejected),
            ("speculative-decoding", Rejected),
            ("performance-mode", NoRelevantGain),
            ("max-num-seqs", NoRelevantGain),
            ("max-batched-tokens-performance-mode", NoRelevantGain),
            ("max-num-seqs-performance-mode", Adopted),
            ("max-num-seqs-max-batched-tokens", NoRelevantGain),
            ("max-num-seqs-max-batched-tokens-performance-mode", NoRelevantGain),
        ]
    );
    let qwen3 = report(studies::QWEN3);
    assert_eq!(
        decisions(&qwen3),
        [("engine", Adopted), ("quantization", Adopted), ("attention-backend", NoRelevantGain)]
    );
}

#[test]
fn the_recommended_commands_are_those_of_the_published_reports() {
    let text = |slug| report(slug).conclusion.command.map(|command| command.text).unwrap_or_default();
    assert_eq!(text(studies::QWEN3), "python3 -m sglang.launch_server --model-path Qwen/Qwen3-14B-FP8");
    assert_eq!(
        text(studies::QWEN35),
        "vllm serve Qwen/Qwen3.5-9B \\\n    --reasoning-parser=qwen3 \\\n    --performance-mode=throughput \\\n    --max-model-len=32768 \\\n    --max-num-seqs=512"
    );
    let report = self::report(studies::QWEN35);
    assert_eq!(report.conclusion.added, ["--performance-mode=throughput", "--max-num-seqs=512"]);
    assert_eq!(report.conclusion.standing, Standing::WithReservations);
}

#[test]
fn the_conclusion_shows_what_the_published_report_hid() {
    let report = self::report(studies::QWEN35);
    let rows: Vec<_> = report.conclusion.rows.iter().map(|row| (row.profile.as_str(), row.change.verdict)).collect();
    assert_eq!(
        rows,
        [
            ("sharegpt", Verdict::WithinNoise),
            ("throughput", Verdict::Better),
            ("long-context", Verdict::NotComparable),
            ("generation-heavy", Verdict::NotComparable),
        ]
    );
    let throughput = &report.conclusion.rows[1].change;
    assert_eq!((throughput.reported_pct, throughput.recomputed_pct), (Some(15.585658), Some(9.974425)));
    let noise = &report.noise[0];
    let near = |value: Option<f64>, expected: f64| value.is_some_and(|value| (value - expected).abs() < 0.005);
    assert_eq!((report.noise.len(), noise.n), (1, 3));
    assert!(near(noise.sd_recomputed_pct, 0.42) && near(noise.sd_reported_pct, 0.63), "{noise:?}");
    assert!(near(noise.band.recomputed_pct, 2.55) && near(noise.band.reported_pct, 3.84), "{noise:?}");
    let engine = report.steps[0].summary.as_ref().and_then(|summary| summary.tpot_recomputed_ms);
    assert!(engine.is_some_and(|(vllm, sglang)| near(Some(vllm), 80.26) && near(Some(sglang), 45.87)), "{engine:?}");
    let tail = report.conclusion.rows[2].findings.iter().find_map(|finding| match finding.evidence {
        Evidence::TailRegression { latency: Latency::E2el, change_pct, .. } => Some(change_pct),
        _ => None,
    });
    assert!(near(tail, 44.73), "{tail:?}");
}

#[test]
fn a_failing_variant_never_wins_however_fast_it_is() {
    let mut data = studies::study(studies::QWEN35).data;
    let failing = data.runs.iter_mut().find(|run| run.variant.as_str() == "speculative-decoding").unwrap();
    failing.measurement.metrics.total_token_throughput = touchstone_domain::units::TokPerSec::new(1e9);
    let report = build(&data);
    assert_eq!(report.conclusion.recommended.as_ref().map(|id| id.as_str()), Some("perf-seqs-512"));
    let step = &report.steps[2];
    assert_eq!((step.decision, &step.best), (Decision::Rejected, &None));
}

#[test]
fn a_study_without_runs_or_with_failing_ones_only_recommends_nothing() {
    let mut data = studies::study(studies::QWEN35).data;
    data.runs.retain(|run| run.variant.as_str() == "speculative-decoding");
    let report = build(&data);
    assert_eq!((report.conclusion.standing, report.conclusion.command.is_none()), (Standing::Nothing, true));
    data.runs.clear();
    let report = build(&data);
    assert_eq!(report.conclusion.standing, Standing::Nothing);
    for lang in Lang::ALL {
        assert!(markdown(&report, lang).contains(&text::conclusion(lang, &report).headline.markdown()));
    }
}

#[test]
fn repeats_over_starts_give_an_interval_and_duplicates_do_not_count() {
    let mut data = studies::study(studies::QWEN3).data;
    let originals: Vec<_> = data.runs.iter().filter(|run| run.profile.as_str() == "sharegpt").cloned().collect();
    for (number, factor) in [(2, 1.01), (3, 0.99)] {
        for original in &originals {
            let mut repeat = original.clone();
            repeat.id = format!("{}-{number}", original.id).as_str().into();
            repeat.start = Some(format!("start-{number}"));
            let duration = original.measurement.metrics.duration.unwrap().get() * factor;
            repeat.measurement.metrics.duration = touchstone_domain::units::Secs::new(duration);
            data.runs.push(repeat);
        }
    }
    let twin = data.runs[0].clone();
    data.runs.push(touchstone_domain::run::Run { id: "twin".into(), ..twin });
    let report = build(&data);
    let row = report.primary_row().unwrap();
    assert_eq!((row.baseline.n, row.baseline.starts, row.baseline.runs.len()), (3, 3, 4));
    let band = row.change.noise.and_then(|noise| noise.recomputed_pct).unwrap();
    assert!(band > 1.0 && band < 10.0, "{band}");
    assert_eq!(row.change.verdict, Verdict::Better);
    assert!(!row.findings.iter().any(|finding| finding.evidence.id() == "single-run"));
}

/// The runs of a variant under a profile, to change them.
fn runs_of<'a>(data: &'a mut StudyData, variant: &str, profile: &str) -> Vec<&'a mut Run> {
    let wanted = |run: &&mut Run| run.variant.as_str() == variant && run.profile.as_str() == profile;
    data.runs.iter_mut().filter(wanted).collect()
}

fn recommended(report: &Report) -> Option<&str> {
    report.conclusion.recommended.as_ref().map(|id| id.as_str())
}

#[test]
fn a_run_at_another_load_is_no_repeat_and_part_of_no_mean() {
    let mut data = studies::study(studies::QWEN3).data;
    let before = build(&data);
    let mut slow = data.runs[0].clone();
    slow.id = "slow".into();
    slow.measurement.metrics.max_concurrency = Some(1);
    slow.measurement.metrics.duration = Secs::new(1000.0);
    data.runs.push(slow);
    let report = build(&data);
    assert_eq!(report.conclusion.rows, before.conclusion.rows);
    let raised: Vec<_> = report.runs.last().unwrap().findings.iter().map(|finding| finding.evidence.id()).collect();
    assert!(raised.contains(&"workload-differs"), "{raised:?}");
}

#[test]
fn a_failing_repeat_neither_lifts_a_mean_nor_widens_the_noise() {
    let mut data = studies::study(studies::QWEN35).data;
    let before = build(&data);
    let mut failing = data.runs[11].clone();
    failing.id = "failing".into();
    failing.measurement.metrics.successful_requests = Some(980);
    failing.measurement.metrics.duration = Secs::new(5.0);
    data.runs.push(failing);
    assert_eq!(build(&data).conclusion.rows[0].change, before.conclusion.rows[0].change);
    for run in runs_of(&mut data, "seqs-2048", "sharegpt") {
        run.measurement.metrics.successful_requests = Some(500);
    }
    assert!(build(&data).noise.is_empty(), "two variants that cannot differ are no estimate");
}

#[test]
fn a_gain_that_the_load_made_recommends_nothing() {
    let mut data = studies::study(studies::QWEN35).data;
    data.study.primary_profile = "long-context".into();
    let report = build(&data);
    assert_eq!((recommended(&report), report.conclusion.standing), (Some("vllm"), Standing::KeepBaseline));
}

#[test]
fn a_reported_gain_that_the_counts_refute_recommends_nothing() {
    let mut data = studies::study(studies::QWEN35).data;
    for run in runs_of(&mut data, "perf-seqs-512", "sharegpt") {
        run.measurement.metrics.duration = Secs::new(80.0);
    }
    let report = build(&data);
    assert_ne!(recommended(&report), Some("perf-seqs-512"));
    let decision = report.steps.iter().find(|step| step.id.as_str() == "max-num-seqs-performance-mode").unwrap();
    assert_eq!(decision.decision, Decision::Rejected);
}

#[test]
fn without_a_baseline_run_the_recommendation_has_reservations() {
    let mut data = studies::study(studies::QWEN3).data;
    data.runs.retain(|run| run.variant.as_str() != "vllm");
    let report = build(&data);
    assert_eq!(report.conclusion.standing, Standing::WithReservations);
    assert!(text::conclusion(Lang::En, &report).noise.is_empty());
}

#[test]
fn another_objective_is_what_the_headline_speaks_of() {
    let mut data = studies::study(studies::QWEN3).data;
    data.study.objective = "ttft_p99_ms".parse::<Goal>().unwrap().into();
    let report = build(&data);
    let [ja, en] = Lang::ALL.map(|lang| text::conclusion(lang, &report).headline.plain());
    assert!(en.starts_with("P99 TTFT falls by ") && ja.contains("P99 TTFTは"), "{en} / {ja}");
    assert!(!en.contains("otal TPS"), "{en}");
}

#[test]
fn the_same_runs_give_the_same_bytes() {
    for slug in [studies::QWEN35, studies::QWEN3] {
        let bytes = || serde_json::to_string(&report(slug)).unwrap();
        assert_eq!(bytes(), bytes());
    }
}

fn named(data: &StudyData, name: &str) -> StudyData {
    let mut data = data.clone();
    let localized = touchstone_domain::study::Localized::same(name);
    data.study.title = localized.clone();
    for profile in &mut data.study.profiles {
        profile.name = localized.clone();
    }
    for step in &mut data.study.steps {
        step.name = localized.clone();
    }
    for variant in &mut data.study.variants {
        variant.name = Some(localized.clone());
    }
    data
}

#[test]
fn no_name_breaks_a_table_or_becomes_markup() {
    let data = studies::study(studies::QWEN35).data;
    let columns = |text: &str| {
        let rows = text.lines().filter(|line| line.starts_with('|'));
        rows.map(|row| row.replace("\\|", "").matches('|').count()).collect::<Vec<_>>()
    };
    let plain = columns(&markdown(&build(&data), Lang::En));
    for name in [
        "a|b<script>alert(1)</script>",
        "=HYPERLINK(\"x\")",
        "`x` | *y*",
        "行\n替え | \u{e000}x\u{e002}",
        "[l](javascript:x)",
    ] {
        let text = markdown(&build(&named(&data, name)), Lang::En);
        assert_eq!(columns(&text), plain, "{name}");
        assert!(!text.contains("<script>"), "{name}");
        assert!(!text.replace("\\]", "").contains("](javascript"), "{name}");
    }
}

#[test]
fn the_reports_read_as_follows() {
    for slug in [studies::QWEN35, studies::QWEN3] {
        let report = self::report(slug);
        for lang in Lang::ALL {
            insta::assert_snapshot!(format!("{slug}-{lang}"), markdown(&report, lang));
        }
    }
}

#[test]
fn a_study_of_which_nobody_named_engine_model_or_gpu_says_so_and_prints_no_command() {
    for unknown in [(true, true), (true, false), (false, true)] {
        let mut data = studies::study(studies::QWEN3).data;
        for variant in &mut data.study.variants {
            if unknown.0 {
                variant.engine = UNKNOWN.to_owned();
                variant.engine_version = None;
            }
            if unknown.1 {
                variant.model = UNKNOWN.to_owned();
            }
        }
        data.study.model.id = UNKNOWN.to_owned();
        data.study.hardware.gpu = UNKNOWN.to_owned();
        data.study.hardware.count = None;
        let report = build(&data);
        assert!(report.conclusion.recommended.is_some() && report.conclusion.command.is_none());
        assert!(report.variants.iter().all(|variant| !variant.has_command()));
        for lang in Lang::ALL {
            let text = markdown(&report, lang);
            assert!(text.contains(text::labels(lang).command_unknown), "{text}");
            assert!(!text.contains("```bash\nunknown") && !text.contains("unknown unknown"), "{text}");
            let said =
                [text::phrase::model(lang, UNKNOWN), &text::phrase::hardware(lang, &report.hardware)].join(" · ");
            assert!(text.contains(&said), "{said}: {text}");
            assert!(lang == Lang::En || !text.contains("unknown"), "{text}");
        }
    }
}

#[test]
fn a_baseline_that_stays_is_not_set_against_itself() {
    let mut data = studies::study(studies::QWEN3).data;
    let baseline = data.study.baseline.clone();
    data.runs.retain(|run| run.variant == baseline);
    let report = build(&data);
    for lang in Lang::ALL {
        let text = markdown(&report, lang);
        // Only the option table names a base, which is the baseline itself here.
        let same: Vec<_> = text.lines().filter(|line| line.contains("±0.0")).collect();
        assert!(same.iter().all(|line| line.matches(" | ").count() == 9), "{same:?}");
        assert!(text.contains("| --- | --- | ---: |\n"), "figures of the baseline alone: {text}");
    }
}
