//! Short phrases with figures in them, for pages: counts, names of findings, what a profile asks for.

use chrono::{DateTime, Datelike as _};

use super::number::{count, grouped, short, signed_pct};
use super::{Lang, labels};
use crate::change::Repeats;
use crate::check::{Evidence, Severity};
use crate::report::{ConclusionRow, Report};
use crate::study::{Basis, Hardware, OptionBase, Profile};
use crate::units::RequestRate;
use crate::upload::UNKNOWN;

/// `22 runs`.
#[must_use]
pub fn runs(lang: Lang, n: usize) -> String {
    counted(lang, n, ("run", "runs"), ("実行", "件"))
}

/// `4 profiles`.
#[must_use]
pub fn profiles(lang: Lang, n: usize) -> String {
    counted(lang, n, ("profile", "profiles"), ("プロファイル", "件"))
}

/// `9 steps`.
#[must_use]
pub fn steps(lang: Lang, n: usize) -> String {
    counted(lang, n, ("step", "steps"), ("最適化項目", "件"))
}

/// `2 studies`.
#[must_use]
pub fn studies(lang: Lang, n: usize) -> String {
    counted(lang, n, ("study", "studies"), ("検証", "件"))
}

/// How many findings of one severity: `1 disqualifying`, `9 warnings`, `3 info`.
#[must_use]
pub fn findings(lang: Lang, severity: Severity, n: usize) -> String {
    match (lang, severity) {
        (Lang::En, Severity::Warning) => format!("{} {}", count(n as u64), if n == 1 { "warning" } else { "warnings" }),
        (Lang::En, other) => format!("{} {}", count(n as u64), super::severity(lang, other)),
        (Lang::Ja, other) => format!("{}{}件", super::severity(lang, other), count(n as u64)),
    }
}

fn counted(lang: Lang, n: usize, en: (&str, &str), ja: (&str, &str)) -> String {
    let n_text = count(n as u64);
    match lang {
        Lang::En => format!("{n_text} {}", if n == 1 { en.0 } else { en.1 }),
        Lang::Ja => format!("{}{n_text}{}", ja.0, ja.1),
    }
}

/// `run 05`.
#[must_use]
pub fn run(lang: Lang, number: usize) -> String {
    match lang {
        Lang::En => format!("run {number:02}"),
        Lang::Ja => format!("実行{number:02}"),
    }
}

/// `Run 05`, where a line starts with it.
#[must_use]
pub fn run_title(lang: Lang, number: usize) -> String {
    match lang {
        Lang::En => format!("Run {number:02}"),
        Lang::Ja => format!("実行{number:02}"),
    }
}

/// Where the raw block of a run is that a page shows once.
#[must_use]
pub fn raw_shown(lang: Lang, number: usize) -> String {
    match lang {
        Lang::En => format!("The raw result of run {number:02} is shown where it appears first"),
        Lang::Ja => format!("実行{number:02}の原文は、最初に現れる箇所にあります"),
    }
}

/// A model by its name, or that nobody named it.
#[must_use]
pub fn model(lang: Lang, model: &str) -> &str {
    match lang {
        _ if model != UNKNOWN => model,
        Lang::En => "model not known",
        Lang::Ja => "モデル不明",
    }
}

/// An engine by its name, or that nobody named it.
#[must_use]
pub fn engine(lang: Lang, engine: &str) -> &str {
    match lang {
        _ if engine != UNKNOWN => engine,
        Lang::En => "engine not known",
        Lang::Ja => "エンジン不明",
    }
}

/// The machine: `NVIDIA H100 × 1`, a count that nobody wrote down, or a machine that nobody named.
#[must_use]
pub fn hardware(lang: Lang, hardware: &Hardware) -> String {
    if hardware.gpu == UNKNOWN {
        return match (hardware.count, lang) {
            (Some(n), Lang::En) => format!("{n} × GPU not known"),
            (Some(n), Lang::Ja) => format!("GPU不明 × {n}"),
            (None, Lang::En) => "GPU not known".to_owned(),
            (None, Lang::Ja) => "GPU不明".to_owned(),
        };
    }
    match (hardware.count, lang) {
        (Some(n), _) => format!("{} × {n}", hardware.gpu),
        (None, Lang::En) => format!("{} (count not recorded)", hardware.gpu),
        (None, Lang::Ja) => format!("{}（台数の記録なし）", hardware.gpu),
    }
}

/// What a profile asks for, in one line: tokens, then what drives the load.
#[must_use]
pub fn profile(lang: Lang, profile: &Profile, concurrency: Option<u64>) -> String {
    let mut parts = Vec::new();
    match (profile.input_tokens, profile.output_tokens) {
        (Some(input), Some(output)) => parts.push(match lang {
            Lang::En => format!("{} in → {} out", count(input), count(output)),
            Lang::Ja => format!("入力{} → 出力{}", count(input), count(output)),
        }),
        (Some(_), None) | (None, Some(_)) | (None, None) => parts.extend(profile.dataset.clone()),
    }
    if let Some(rate) = profile.request_rate {
        parts.push(request_rate(lang, rate));
    }
    if let Some(limit) = profile.max_concurrency.or(concurrency) {
        parts.push(match lang {
            Lang::En => format!("at most {} at once", count(limit)),
            Lang::Ja => format!("同時実行{}", count(limit)),
        });
    }
    if let (None, None, Some(requests)) =
        (profile.request_rate, profile.max_concurrency.or(concurrency), profile.requests)
    {
        parts.push(match lang {
            Lang::En => format!("{} requests", count(requests)),
            Lang::Ja => format!("{}リクエスト", count(requests)),
        });
    }
    parts.join(separator(lang))
}

/// `1,000 req/s`, or that requests are sent as fast as possible.
#[must_use]
pub fn request_rate(lang: Lang, rate: RequestRate) -> String {
    match (rate, lang) {
        (RequestRate::PerSec(rate), _) => format!("{}\u{a0}req/s", short(rate.get(), 2)),
        (RequestRate::Unlimited, Lang::En) => "unlimited rate".to_owned(),
        (RequestRate::Unlimited, Lang::Ja) => "レート無制限".to_owned(),
    }
}

/// How often something was measured, as a mark: `n = 1`, `3 runs, 1 start`.
#[must_use]
pub fn measured(lang: Lang, repeats: Repeats) -> String {
    match (lang, repeats.starts, repeats.runs) {
        (_, _, ..2) => "n = 1".to_owned(),
        (Lang::En, Some(1), runs) => format!("{runs} runs, 1 start"),
        (Lang::En, Some(starts), runs) => format!("{runs} runs, {starts} starts"),
        (Lang::En, None, runs) => format!("{runs} runs"),
        (Lang::Ja, Some(starts), runs) => format!("起動{starts}回・計測{runs}回"),
        (Lang::Ja, None, runs) => format!("計測{runs}回"),
    }
}

/// How often the side of a comparison was measured that was measured least, as a mark: the sign, and what it means.
#[must_use]
pub fn repeats(lang: Lang, report: &Report) -> Option<(String, &'static str)> {
    let rows = &report.conclusion.rows;
    let of = |row: &ConclusionRow| row.baseline.repeats().min(row.recommended.repeats());
    let least = rows.iter().map(of).min()?;
    let known = |row: &ConclusionRow| {
        row.change.band().is_some() || of(row).restarted() || report.noise_of(&row.profile).is_some()
    };
    let meaning = match (lang, rows.iter().all(known)) {
        (_, false) => labels(lang).noise_unknown,
        (Lang::En, true) => "noise known",
        (Lang::Ja, true) => "ゆらぎは既知",
    };
    Some((measured(lang, least), meaning))
}

/// What the option table shows.
#[must_use]
pub fn options_caption(lang: Lang, basis: Basis, base: OptionBase) -> String {
    match lang {
        Lang::En => format!(
            "The variant that decided each step, its figures as {}, against {}",
            super::basis(lang, basis),
            match base {
                OptionBase::Baseline => "the baseline",
                OptionBase::Previous => "the best of the step before",
            }
        ),
        Lang::Ja => format!(
            "最適化項目ごとに採否を決めた構成の値（{}）と、{}に対する変化",
            super::basis(lang, basis),
            match base {
                OptionBase::Baseline => "基準設定",
                OptionBase::Previous => "1つ前の項目の最良値",
            }
        ),
    }
}

/// A change below which nothing counts, for the margin.
#[must_use]
pub fn relevance(lang: Lang, pct: f64) -> String {
    match lang {
        Lang::En => format!("A change under {}% counts as no change.", short(pct, 2)),
        Lang::Ja => format!("{}%未満の差は「変化なし」です。", short(pct, 2)),
    }
}

/// `asked − measured` as a signed percentage.
#[must_use]
pub fn deviation(asked: f64, measured: f64) -> Option<String> {
    (asked != 0.0).then(|| signed_pct((measured / asked - 1.0) * 100.0, 2))
}

/// A figure per request, two decimals.
#[must_use]
pub fn per_request(value: f64) -> String {
    grouped(value, 2)
}

/// What a search found.
#[must_use]
pub fn hits(lang: Lang, n: usize, query: &str) -> String {
    match (lang, n) {
        (Lang::En, 0) => format!("No study matches “{query}”."),
        (Lang::En, _) => format!("{} for “{query}”", studies(lang, n)),
        (Lang::Ja, 0) => format!("「{query}」に合う検証はありません。"),
        (Lang::Ja, _) => format!("「{query}」に合う検証：{}件", count(n as u64)),
    }
}

/// A run page in one sentence, for search results and link previews.
#[must_use]
pub fn run_description(lang: Lang, number: usize, title: &str, profile: &str) -> String {
    match lang {
        Lang::En => format!(
            "Run {number:02} of “{title}” on {profile}: figures as reported and recomputed, findings, raw output."
        ),
        Lang::Ja => format!("「{title}」の実行{number:02}（{profile}）。報告値と再計算値、所見、原文を示します。"),
    }
}

/// Between the items of a list.
#[must_use]
pub const fn separator(lang: Lang) -> &'static str {
    match lang {
        Lang::En => ", ",
        Lang::Ja => "、",
    }
}

/// What a kind of finding is called.
#[must_use]
pub fn finding(lang: Lang, of: &Evidence) -> &'static str {
    match lang {
        Lang::En => match of {
            Evidence::RateMismatch { .. } => "A reported rate is not counts / duration",
            Evidence::TpotIdentity { .. } => "The reported TPOT does not follow from the latencies",
            Evidence::PeakImplausible { .. } => "The peak output cannot be",
            Evidence::PeakBelowMean { .. } => "The peak lies below the mean",
            Evidence::PercentileOrder { .. } => "Percentiles are out of order",
            Evidence::MeanAboveP99 { .. } => "The mean lies above P99",
            Evidence::NotMeasuredZero { .. } => "Printed as 0, but not measured",
            Evidence::SuccessRate { .. } => "Too few requests succeeded",
            Evidence::SurvivorsDiffer { .. } => "The successful requests are another workload",
            Evidence::ContradictoryCounts { .. } => "Figures exclude one another",
            Evidence::LittlesLaw { .. } => "More requests in flight than there were",
            Evidence::ClosedLoop { .. } => "An arrival rate that the client did not send",
            Evidence::AllAtOnce { .. } => "All requests sent at once",
            Evidence::ConcurrencyCapped { .. } => "A setting that the client's load cannot reach",
            Evidence::LatencyUnexplained { .. } => "TTFT and ITL do not explain the latency",
            Evidence::TpotWeight { .. } => "Mean TPOT is no decode time per token",
            Evidence::ItlIntervals { .. } => "ITL counts chunks, not tokens",
            Evidence::ItlBursts { .. } => "Tokens come in bursts",
            Evidence::TailBeyondP99 { .. } => "Stalls beyond P99",
            Evidence::WarmCache { .. } => "A warm prefix cache",
            Evidence::HardwareDiffers { .. } => "Other hardware",
            Evidence::BeyondHardware { .. } => "Faster than the hardware allows",
            Evidence::SignFlips { .. } => "A change that reverses when recomputed",
            Evidence::OrderFlips { .. } => "A ranking that changes when recomputed",
            Evidence::LoadLimited { .. } => "The load sets the throughput",
            Evidence::WorkloadDiffers { .. } => "Another load than the others",
            Evidence::LengthDeviation { .. } => "Lengths are not what was asked for",
            Evidence::LowSampleTail { .. } => "A percentile of very few requests",
            Evidence::DuplicateMeasurement { .. } => "One measurement recorded as two runs",
            Evidence::SingleRun { .. } => "Too few server starts to know the noise",
            Evidence::TailRegression { .. } => "A tail got worse",
            Evidence::PrecisionChanged { .. } => "Other weights or precision",
            Evidence::UnnamedOption { .. } => "An option that the step's name leaves out",
            Evidence::SameCommand { .. } => "Variants that one command starts",
        },
        Lang::Ja => match of {
            Evidence::RateMismatch { .. } => "報告されたレートが、件数÷所要時間と合わない",
            Evidence::TpotIdentity { .. } => "報告されたTPOTが、レイテンシと合わない",
            Evidence::PeakImplausible { .. } => "出力TPSのピークがありえない値",
            Evidence::PeakBelowMean { .. } => "ピークが平均を下回る",
            Evidence::PercentileOrder { .. } => "パーセンタイルの順序が逆",
            Evidence::MeanAboveP99 { .. } => "平均がP99を上回る",
            Evidence::NotMeasuredZero { .. } => "0と表示されているが、未計測",
            Evidence::SuccessRate { .. } => "成功率の不足",
            Evidence::SurvivorsDiffer { .. } => "成功したリクエストの負荷が異なる",
            Evidence::ContradictoryCounts { .. } => "矛盾する値",
            Evidence::LittlesLaw { .. } => "同時リクエスト数が上限を超える",
            Evidence::ClosedLoop { .. } => "指定どおりに送られていないリクエスト",
            Evidence::AllAtOnce { .. } => "リクエストの一斉送信",
            Evidence::ConcurrencyCapped { .. } => "クライアントの負荷では効かない設定",
            Evidence::LatencyUnexplained { .. } => "TTFTとITLで説明できないレイテンシ",
            Evidence::TpotWeight { .. } => "デコード時間とはいえない平均TPOT",
            Evidence::ItlIntervals { .. } => "トークンではなくチャンクを数えたITL",
            Evidence::ItlBursts { .. } => "まとまって届くトークン",
            Evidence::TailBeyondP99 { .. } => "P99に表れない停止",
            Evidence::WarmCache { .. } => "残っていたプレフィックスキャッシュ",
            Evidence::HardwareDiffers { .. } => "異なるハードウェア",
            Evidence::BeyondHardware { .. } => "ハードウェアの上限を超える値",
            Evidence::SignFlips { .. } => "再計算で符号が変わる変化",
            Evidence::OrderFlips { .. } => "再計算で入れ替わる順位",
            Evidence::LoadLimited { .. } => "負荷で決まるスループット",
            Evidence::WorkloadDiffers { .. } => "ほかの実行と異なる負荷",
            Evidence::LengthDeviation { .. } => "指定と異なるトークン数",
            Evidence::LowSampleTail { .. } => "ごく少数のリクエストで決まるパーセンタイル",
            Evidence::DuplicateMeasurement { .. } => "2つの実行として記録された1回の計測",
            Evidence::SingleRun { .. } => "ゆらぎを知るには足りない起動回数",
            Evidence::TailRegression { .. } => "テールレイテンシの悪化",
            Evidence::PrecisionChanged { .. } => "重みまたは精度の違い",
            Evidence::UnnamedOption { .. } => "項目名にない引数",
            Evidence::SameCommand { .. } => "起動コマンドが同じ構成",
        },
    }
}

/// Between a label and what it labels.
#[must_use]
pub const fn colon(lang: Lang) -> &'static str {
    match lang {
        Lang::En => ": ",
        Lang::Ja => "：",
    }
}

/// After a word that leads into another; Japanese has no spaces.
#[must_use]
pub const fn lead_space(lang: Lang) -> &'static str {
    match lang {
        Lang::En => " ",
        Lang::Ja => "",
    }
}

/// A day: `30 Nov 2026`.
#[must_use]
pub fn date(lang: Lang, (year, month, day): (i32, u32, u32)) -> String {
    const MONTHS: [&str; 12] = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
    match (lang, MONTHS.get(month.wrapping_sub(1) as usize)) {
        (Lang::En, Some(name)) => format!("{day} {name} {year}"),
        (Lang::En, None) => format!("{year}-{month:02}-{day:02}"),
        (Lang::Ja, _) => format!("{year}年{month}月{day}日"),
    }
}

/// A moment, milliseconds since 1970 UTC, to the minute and with its zone: two readers of one link read the same.
#[must_use]
pub fn instant(lang: Lang, ms: i64) -> String {
    match DateTime::from_timestamp_millis(ms) {
        Some(at) => format!("{} {}", date(lang, (at.year(), at.month(), at.day())), at.format("%H:%M UTC")),
        None => ms.to_string(),
    }
}

/// How many findings stand beside the figures that they are about.
#[must_use]
pub fn beside_figures(lang: Lang, n: usize) -> String {
    match lang {
        Lang::En => format!(
            "{n} {} beside the {} below",
            if n == 1 { "finding stands" } else { "findings stand" },
            if n == 1 { "figure" } else { "figures" }
        ),
        Lang::Ja => format!("ほかに{n}件の所見を、下の計測値の横に示します"),
    }
}

/// In front of the numbers of runs; Japanese sets no space after it.
#[must_use]
pub const fn runs_word(lang: Lang, n: usize) -> &'static str {
    match (lang, n) {
        (Lang::En, 1) => "run ",
        (Lang::En, _) => "runs ",
        (Lang::Ja, _) => "実行",
    }
}
