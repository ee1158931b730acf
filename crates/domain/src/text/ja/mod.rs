//! 日本語の文。です・ますで短く書き、数値は事実から取ります。

mod conclusion;
mod doubts;
mod evidence;
mod ranking;
mod spread;
mod steps;

pub(in crate::text) use conclusion::{explanation, got_worse, headline, noise, row_latency, row_note, wrong_choice};
pub(in crate::text) use evidence::evidence;
pub(in crate::text) use ranking::{
    difference, front, goal, objective, outcome, ranked_by, rival, slo_detail, slo_state,
};
pub(in crate::text) use steps::{reason, summary};

use crate::advise::{Decision, Goal};
use crate::change::Verdict;
use crate::check::Severity;
use crate::id::ProfileId;
use crate::metric::Metric;
use crate::metrics::{Latency, Stat};
use crate::report::{Report, Standing};
use crate::study::{Basis, OptionBase};
use crate::text::facts::Facts;
use crate::text::number::{percentile, threshold};

pub(in crate::text) fn verdict(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Better => "改善",
        Verdict::Worse => "悪化",
        Verdict::Neutral => "変化なし",
        Verdict::WithinNoise => "ゆらぎの範囲",
        Verdict::Unknown => "不明",
        Verdict::NotComparable => "比較不可",
    }
}

pub(in crate::text) fn decision(decision: Decision) -> &'static str {
    match decision {
        Decision::Baseline => "基準設定を維持",
        Decision::Adopted => "採用",
        Decision::Rejected => "不採用",
        Decision::NoRelevantGain => "目立つ効果なし",
        Decision::NotComparable => "比較不可",
    }
}

pub(in crate::text) fn severity(severity: Severity) -> &'static str {
    match severity {
        Severity::Info => "情報",
        Severity::Warning => "警告",
        Severity::Disqualifying => "失格",
    }
}

pub(in crate::text) fn standing(standing: Standing) -> &'static str {
    match standing {
        Standing::Recommended => "推奨",
        Standing::WithReservations => "条件付きで推奨",
        Standing::KeepBaseline => "基準設定を維持",
        Standing::Nothing => "推奨なし",
    }
}

pub(in crate::text) fn basis(basis: Basis) -> &'static str {
    match basis {
        Basis::Recomputed => "再計算値",
        Basis::Reported => "報告値",
    }
}

fn latency(latency: Latency) -> &'static str {
    crate::text::en::latency(latency)
}

fn stat(stat: Stat) -> String {
    match stat {
        Stat::Mean => "平均".to_owned(),
        Stat::Median => "中央値".to_owned(),
        Stat::Std => "標準偏差".to_owned(),
        Stat::Min => "最小値".to_owned(),
        Stat::Max => "最大値".to_owned(),
        Stat::Percentile(_) => percentile(stat),
    }
}

pub(in crate::text) fn metric(metric: Metric) -> String {
    match metric {
        Metric::TotalTps => "合計TPS".to_owned(),
        Metric::OutputTps => "出力TPS".to_owned(),
        Metric::RequestThroughput => "リクエストスループット".to_owned(),
        Metric::Goodput => "グッドプット".to_owned(),
        Metric::Latency(name, of @ (Stat::Mean | Stat::Percentile(_))) => {
            let space = if matches!(of, Stat::Percentile(_)) { " " } else { "" };
            format!("{}{space}{}", stat(of), latency(name))
        }
        Metric::Latency(name, of) => format!("{}の{}", latency(name), stat(of)),
    }
}

/// 値の動き：`9.97%上がりました`、`44.44%短くなりました`。向きは動詞が示すので、`size`に符号は付けません。
fn moved(of: Goal, pct: f64, size: &str) -> String {
    let verb = match (of, pct < 0.0) {
        (Goal::Metric(Metric::Latency(..)), true) => "短くなりました",
        (Goal::Metric(Metric::Latency(..)), false) => "長くなりました",
        (Goal::Metric(_) | Goal::Cost(_) | Goal::TokensPerJoule, true) => "下がりました",
        (Goal::Metric(_) | Goal::Cost(_) | Goal::TokensPerJoule, false) => "上がりました",
    };
    format!("{size}{verb}")
}

/// 比べた値：`9.97%高い`、`44.44%短い`。
fn beside(of: Goal, pct: f64, size: &str) -> String {
    let word = match (of, pct < 0.0) {
        (Goal::Metric(Metric::Latency(..)), true) => "短い",
        (Goal::Metric(Metric::Latency(..)), false) => "長い",
        (Goal::Metric(_) | Goal::Cost(_) | Goal::TokensPerJoule, true) => "低い",
        (Goal::Metric(_) | Goal::Cost(_) | Goal::TokensPerJoule, false) => "高い",
    };
    format!("{size}{word}")
}

/// `3つの`、`11の`：「つ」は9までです。
pub(in crate::text) fn things(n: usize) -> String {
    if n < 10 { format!("{n}つの") } else { format!("{n}の") }
}

/// かぎ括弧で囲み、「スループット」のような名前を本文の語と区別します。
fn profile(facts: &Facts<'_>, id: &ProfileId) -> String {
    format!("「{}」", facts.profile(id))
}

pub(in crate::text) fn method(report: &Report) -> Vec<String> {
    vec![
        "計測結果の原文から計算できる値は、計算し直しています。スループットはトークン数÷所要時間、TPOTは（E2EL − TTFT）÷（1リクエストあたりの出力トークン数 − 1）です。そのほかは報告値です。再計算値と報告値が異なるときは、両方を示します。".to_owned(),
        match report.basis {
            Basis::Reported => "この検証では、構成の順位、要約、最適化項目の一覧に報告値を使います。".to_owned(),
            Basis::Recomputed => "この検証では、構成の順位、要約、最適化項目の一覧に再計算値を使います。再計算できない値は報告値です。".to_owned(),
        },
        match report.option_base {
            OptionBase::Baseline => "最適化項目は、検証の基準設定と比べています。".to_owned(),
            OptionBase::Previous => "最適化項目は、1つ前の項目の最良の構成と比べています。".to_owned(),
        },
        format!(
            "{}未満の差は「変化なし」とします。成功したリクエストが{}に満たない実行は失格です。最良の値との差が{}以内の構成のうち、引数が最も少ないものを推奨します。",
            threshold(report.relevance_pct),
            threshold(report.min_success_pct),
            threshold(report.relevance_pct)
        ),
    ]
}

pub(in crate::text) fn line(number: usize) -> String {
    format!("{number}行目")
}

pub(in crate::text) fn runs(n: usize) -> String {
    format!("実行{n}件")
}
