//! The same figures in both languages: in every sentence of every kind of finding, and in whole reports.

use std::collections::BTreeMap;

use crate::studies::{self, Bench};
use touchstone_domain::advise::cost::{Currency, Price};
use touchstone_domain::change::Repeats;
use touchstone_domain::check::{Contradiction, Evidence, HardwareLimit, PerGpu, Side, WarmSign};
use touchstone_domain::metric::Metric;
use touchstone_domain::metrics::{Latency, Stat};
use touchstone_domain::report::markdown::markdown;
use touchstone_domain::report::{Report, build};
use touchstone_domain::study::StudyData;
use touchstone_domain::text::{self, Lang};
use touchstone_domain::units::{ReqPerSec, RequestRate};

/// The figures of a text with how often each stands there: numbers of two digits or more, with their signs, and with `%`
/// where it follows. Smaller counts are words in English ("once", "both").
fn figures(text: &str) -> BTreeMap<String, usize> {
    let mut found = BTreeMap::new();
    let chars: Vec<char> = text.chars().collect();
    let mut at = 0;
    while at < chars.len() {
        if !chars[at].is_ascii_digit() {
            at += 1;
            continue;
        }
        let mut end = at;
        while end < chars.len()
            && (chars[end].is_ascii_digit()
                || (matches!(chars[end], '.' | ',') && chars.get(end + 1).is_some_and(char::is_ascii_digit)))
        {
            end += 1;
        }
        let mut figure: String = chars[at..end].iter().collect();
        if figure.len() > 1 {
            if at > 0 && matches!(chars[at - 1], '+' | '±' | '\u{2212}') {
                figure.insert(0, chars[at - 1]);
            }
            if chars.get(end) == Some(&'%') {
                figure.push('%');
            }
            *found.entry(figure).or_default() += 1;
        }
        at = end;
    }
    found
}

fn assert_same(what: &str, [ja, en]: [String; 2]) {
    // A headline may say "rises by 9.97%" where the other language writes "+9.97%".
    let unsigned = |text: &str| {
        let mut all = BTreeMap::new();
        for (figure, n) in figures(text) {
            *all.entry(figure.trim_start_matches(['+', '\u{2212}']).to_owned()).or_insert(0) += n;
        }
        all
    };
    // A million is a word in English.
    assert_eq!(unsigned(&ja.replace("100万", "")), unsigned(&en), "{what}\n{ja}\n{en}");
}

/// One of every kind of evidence, in each of its forms.
fn samples() -> Vec<Evidence> {
    let rate = |value| ReqPerSec::new(value).map(RequestRate::PerSec);
    let tpot = |includes_first_token, from_itl_ms, weighs_requests| Evidence::TpotIdentity {
        reported_ms: 15.12,
        recomputed_ms: 80.26,
        deviation_pct: -81.16,
        includes_first_token,
        from_itl_ms,
        weighs_requests,
    };
    let peak = |generated_tokens| Evidence::PeakImplausible {
        peak: 123_795.17,
        mean: 1860.81,
        times_mean: 66.53,
        generated_tokens,
    };
    let contradictory = |contradiction| Evidence::ContradictoryCounts { contradiction, larger: 1234.5, bound: 1200.0 };
    let warm = |sign, tps: Option<(f64, f64)>| Evidence::WarmCache {
        sign,
        ttft_ms: 2718.3,
        least_ms: 6902.39,
        total_tps: tps.map(|(total, _)| total),
        most_tps: tps.map(|(_, most)| most),
    };
    let hardware = |gpu: Option<&str>, gpus, compared, per_gpu| Evidence::HardwareDiffers {
        gpu: gpu.map(str::to_owned),
        gpus,
        usual_gpu: gpu.map(|_| "NVIDIA H100".to_owned()),
        usual_gpus: gpus.map(|_| 16),
        per_gpu,
        compared,
    };
    let repeats = |starts, runs| Repeats { starts: Some(starts), runs };
    let beyond = |limit, in_flight| Evidence::BeyondHardware {
        limit,
        measured: 85_098.11,
        bound: 77_312.5,
        gpu: "H200",
        gpus: 12,
        billions: 13.5,
        bits: 16,
        in_flight,
    };
    vec![
        Evidence::RateMismatch {
            figure: Metric::TotalTps,
            reported: 15059.89,
            recomputed: 12619.64,
            deviation_pct: 19.34,
            other_window: true,
        },
        Evidence::RateMismatch {
            figure: Metric::RequestThroughput,
            reported: 1.5,
            recomputed: 1.25,
            deviation_pct: 20.0,
            other_window: false,
        },
        tpot(true, None, false),
        tpot(false, Some(9.45), false),
        tpot(false, None, false),
        tpot(false, None, true),
        peak(Some(200_000)),
        peak(Some(2_000)),
        peak(None),
        Evidence::PeakBelowMean { peak: 99.5, mean: 101.25 },
        Evidence::PercentileOrder {
            latency: Latency::Ttft,
            lower: Stat::Median,
            lower_ms: 12.5,
            higher: Stat::P95,
            higher_ms: 11.5,
        },
        Evidence::MeanAboveP99 { latency: Latency::Itl, mean_ms: 10.12, p99_ms: 10.03 },
        Evidence::NotMeasuredZero {
            latency: Latency::Itl,
            stats: vec![Stat::Mean, Stat::Median, Stat::P99, Stat::Max],
        },
        Evidence::SuccessRate { successful: 514, attempted: 1000, success_pct: 51.4, minimum_pct: 99.0 },
        Evidence::SurvivorsDiffer {
            input_per_request: 45.36,
            output_per_request: 255.89,
            usual_input: 342.06,
            usual_output: 281.41,
        },
        contradictory(Contradiction::MoreThanPlanned),
        contradictory(Contradiction::TtftAboveE2el),
        contradictory(Contradiction::E2elAboveDuration),
        contradictory(Contradiction::AboveOffered),
        Evidence::LittlesLaw { implied: 543.7, limit: 512.0 },
        Evidence::ClosedLoop { offered: 1000.0, achieved: 18.27, in_flight: 512 },
        Evidence::AllAtOnce { requests: 1000 },
        Evidence::ConcurrencyCapped { flag: "--max-num-seqs".to_owned(), knob: 2048, in_flight: 512, declared: false },
        Evidence::ConcurrencyCapped { flag: "--max-num-seqs".to_owned(), knob: 2048, in_flight: 512, declared: true },
        Evidence::LatencyUnexplained { explained_ms: 4254.12, e2el_ms: 24110.0, unexplained_pct: 82.36 },
        Evidence::TpotWeight { implied_s: 67.49, duration_s: 63.53 },
        Evidence::ItlIntervals { intervals: 99.81, expected: 99.0 },
        Evidence::ItlBursts { median_ms: 0.12, mean_ms: 84.78 },
        Evidence::TailBeyondP99 {
            latency: Latency::Itl,
            mean_ms: 84.3,
            median_ms: 41.87,
            p99_ms: 89.35,
            least_ms: 1958.35,
        },
        warm(WarmSign::Repeats, Some((85_098.11, 33_952.45))),
        warm(WarmSign::Repeats, None),
        warm(WarmSign::Prefill, None),
        hardware(
            Some("NVIDIA H200"),
            Some(32),
            true,
            Some(PerGpu { baseline: 1000.5, candidate: 1100.25, change_pct: 9.97 }),
        ),
        hardware(Some("NVIDIA H200"), None, true, None),
        hardware(None, Some(32), true, Some(PerGpu { baseline: 1000.5, candidate: 1100.25, change_pct: 9.97 })),
        hardware(None, Some(32), false, None),
        hardware(Some("NVIDIA H200"), None, false, None),
        beyond(HardwareLimit::Compute, None),
        beyond(HardwareLimit::Output, Some(512)),
        beyond(HardwareLimit::PeakOutput, Some(512)),
        beyond(HardwareLimit::Pace, None),
        Evidence::SignFlips { reported_pct: -0.27, recomputed_pct: 0.15 },
        Evidence::OrderFlips { pairs: vec![("a".into(), "b".into())] },
        Evidence::OrderFlips { pairs: (0..20).map(|_| ("a".into(), "b".into())).collect() },
        Evidence::LoadLimited { offered: 12.5, achieved_baseline: 12.25, achieved_candidate: 12.4 },
        Evidence::WorkloadDiffers {
            request_rate: rate(12.5),
            max_concurrency: Some(64),
            usual_request_rate: rate(25.5),
            usual_max_concurrency: Some(128),
        },
        Evidence::WorkloadDiffers {
            request_rate: Some(RequestRate::Unlimited),
            max_concurrency: None,
            usual_request_rate: None,
            usual_max_concurrency: None,
        },
        Evidence::LengthDeviation { side: Side::Input, asked: 1024.0, measured: 1033.93, deviation_pct: 0.97 },
        Evidence::LengthDeviation { side: Side::Output, asked: 128.0, measured: 127.97, deviation_pct: -0.023 },
        Evidence::UnnamedOption { step: "seqs".into(), flags: vec!["--performance-mode".to_owned(); 2] },
        Evidence::SameCommand { variants: vec!["base".into(), "a".into()] },
        Evidence::LowSampleTail { stat: Stat::P99, requests: 250, beyond: 2.5 },
        Evidence::LowSampleTail { stat: Stat::Percentile(999), requests: 250, beyond: 0.25 },
        Evidence::DuplicateMeasurement { same_as: "twin".into() },
        Evidence::SingleRun { baseline: repeats(1, 1), candidate: repeats(1, 1) },
        Evidence::SingleRun { baseline: repeats(1, 12), candidate: repeats(1, 12) },
        Evidence::SingleRun { baseline: repeats(12, 24), candidate: repeats(1, 1) },
        Evidence::SingleRun { baseline: repeats(12, 24), candidate: Repeats { starts: None, runs: 13 } },
        Evidence::SingleRun { baseline: repeats(12, 24), candidate: repeats(1, 13) },
        Evidence::TailRegression {
            latency: Latency::E2el,
            stat: Stat::P99,
            baseline_ms: 8540.0,
            candidate_ms: 12360.0,
            change_pct: 44.73,
        },
        Evidence::PrecisionChanged {
            baseline_model: "Qwen/Qwen3-14B".to_owned(),
            candidate_model: "Qwen/Qwen3-14B-FP8".to_owned(),
        },
    ]
}

/// Fails to compile when a kind of evidence is added and not thought of here.
fn is_sampled(evidence: &Evidence) -> bool {
    let samples = samples();
    let same = |other: &Evidence| std::mem::discriminant(other) == std::mem::discriminant(evidence);
    match evidence {
        Evidence::RateMismatch { .. }
        | Evidence::TpotIdentity { .. }
        | Evidence::PeakImplausible { .. }
        | Evidence::PeakBelowMean { .. }
        | Evidence::PercentileOrder { .. }
        | Evidence::MeanAboveP99 { .. }
        | Evidence::NotMeasuredZero { .. }
        | Evidence::SuccessRate { .. }
        | Evidence::SurvivorsDiffer { .. }
        | Evidence::ContradictoryCounts { .. }
        | Evidence::LittlesLaw { .. }
        | Evidence::ClosedLoop { .. }
        | Evidence::AllAtOnce { .. }
        | Evidence::ConcurrencyCapped { .. }
        | Evidence::LatencyUnexplained { .. }
        | Evidence::TpotWeight { .. }
        | Evidence::ItlIntervals { .. }
        | Evidence::ItlBursts { .. }
        | Evidence::TailBeyondP99 { .. }
        | Evidence::WarmCache { .. }
        | Evidence::HardwareDiffers { .. }
        | Evidence::BeyondHardware { .. }
        | Evidence::SignFlips { .. }
        | Evidence::OrderFlips { .. }
        | Evidence::LoadLimited { .. }
        | Evidence::WorkloadDiffers { .. }
        | Evidence::LengthDeviation { .. }
        | Evidence::LowSampleTail { .. }
        | Evidence::DuplicateMeasurement { .. }
        | Evidence::UnnamedOption { .. }
        | Evidence::SameCommand { .. }
        | Evidence::SingleRun { .. }
        | Evidence::TailRegression { .. }
        | Evidence::PrecisionChanged { .. } => samples.iter().any(same),
    }
}

#[test]
fn every_sentence_on_evidence_has_the_same_figures_in_both_languages() {
    let samples = samples();
    let ids: std::collections::BTreeSet<_> = samples.iter().map(Evidence::id).collect();
    assert_eq!(ids.len(), 34);
    for evidence in &samples {
        let sentences = Lang::ALL.map(|lang| text::evidence_with(lang, evidence, &|_| "07".to_owned()).plain());
        let [ja, en] = &sentences;
        assert!(ja.ends_with('。') && en.ends_with('.'), "{}: {ja} / {en}", evidence.id());
        assert!(!en.contains(|c: char| c > '\u{3000}'), "{en}");
        assert!(en.is_ascii() || !en.contains(['、', '。', '（']), "{en}");
        assert_same(evidence.id(), sentences);
        let [ja, en] = Lang::ALL.map(|lang| text::phrase::finding(lang, evidence));
        assert!(ja != en && !ja.ends_with('。') && !en.ends_with('.'), "{ja} / {en}");
    }
}

/// Every text of a report has the same figures in both languages.
pub fn assert_report(report: &Report) {
    for finding in &report.findings {
        assert!(is_sampled(&finding.evidence), "{}", finding.evidence.id());
        assert_same(
            finding.evidence.id(),
            Lang::ALL.map(|lang| text::evidence(lang, report, &finding.evidence).plain()),
        );
    }
    let sentences = |lang: Lang| {
        let words = text::conclusion(lang, report);
        let parts = [words.explanation, words.noise, words.got_worse, words.wrong_choice];
        let parts = parts.map(|part| part.iter().map(|sentence| sentence.plain()).collect::<Vec<_>>().join("\n"));
        (words.headline.plain(), parts)
    };
    let ((ja, ja_parts), (en, en_parts)) = (sentences(Lang::Ja), sentences(Lang::En));
    assert_same("headline", [ja, en]);
    for (ja, en) in ja_parts.into_iter().zip(en_parts) {
        assert_same("conclusion", [ja, en]);
    }
    for step in &report.steps {
        assert_same("reason", Lang::ALL.map(|lang| text::reason(lang, report, &step.reason).plain()));
        let summary =
            Lang::ALL.map(|lang| text::summary(lang, report, step).map(|text| text.plain()).unwrap_or_default());
        assert_same("summary", summary);
    }
    for row in &report.conclusion.rows {
        let note = Lang::ALL.map(|lang| text::row_note(lang, report, row).map(|note| note.plain()).unwrap_or_default());
        assert_same("note", note);
    }
    assert_same(report.slug.as_str(), Lang::ALL.map(|lang| markdown(report, lang)));
}

#[test]
fn whole_reports_have_the_same_figures_in_both_languages() {
    let seed = |slug| studies::study(slug).data;
    let with = |mut data: StudyData, change: &dyn Fn(&mut StudyData)| {
        change(&mut data);
        data
    };
    let repeated = |keys: &'static str, factor: f64| {
        let run = |start: &'static str, duration: f64| (start, Bench { duration, ..Bench::SOUND });
        let starts = [run("start = \"1\"", 17.0), run("start = \"1\"", 17.2), run("start = \"2\"", 17.5)];
        let mut runs: Vec<_> = starts.iter().map(|(start, bench)| ("a", *start, bench.clone())).collect();
        let scaled =
            |bench: &Bench| Bench { duration: bench.duration * factor, ttft: bench.ttft * 1.3, ..bench.clone() };
        runs.extend(starts.iter().map(|(start, bench)| ("b", *start, scaled(bench))));
        studies::made_up(&[("a", "args = []"), ("b", keys)], &runs)
    };
    let studies = [
        seed(studies::QWEN35),
        seed(studies::QWEN3),
        with(seed(studies::QWEN35), &|data| data.study.primary_profile = "long-context".into()),
        with(seed(studies::QWEN3), &|data| data.study.objective.goal = "ttft_p99_ms".parse().unwrap()),
        with(seed(studies::QWEN3), &|data| data.study.objective.goal = "tpot_mean_ms".parse().unwrap()),
        with(seed(studies::QWEN3), &|data| data.runs.retain(|run| run.variant.as_str() != "vllm")),
        with(seed(studies::QWEN35), &|data| data.runs.retain(|run| run.variant.as_str() == "speculative-decoding")),
        repeated("args = [\"--x\"]", 0.8),
        repeated("args = [\"--x\"]", 0.98),
        repeated("args = [\"--x\"]\ngpus = 2", 0.5),
        repeated("args = [\"--max-num-seqs=1024\"]", 1.2),
        with(repeated("args = [\"--x\"]", 0.8), &|data| {
            data.runs.iter_mut().for_each(|run| run.start = Some("1".to_owned()));
        }),
        with(repeated("args = [\"--x\"]", 0.8), &|data| data.runs.truncate(4)),
        with(repeated("args = [\"--x\"]", 1.2), &|data| data.study.objective.goal = "ttft_mean_ms".parse().unwrap()),
        with(repeated("args = [\"--x\"]", 0.8), &|data| {
            data.study.objective.goal = "cost_per_million_tokens".parse().unwrap();
            data.study.price = Some(Price { gpu_hour: 3.6, currency: Currency::Usd });
        }),
    ];
    for data in &studies {
        assert_report(&build(data));
    }
}
