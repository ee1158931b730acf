//! Words of the ranking: objective, limits, what became of each variant, fronts, other studies of the question.

use std::collections::BTreeMap;

use super::facts::Facts;
use super::number::{grouped, short, signed_pct, unit, with_unit};
use super::{Lang, Rich, en, ja, metric};
use crate::advise::cost::Currency;
use crate::advise::fronts::Front;
use crate::advise::goodput::GoodputSource;
use crate::advise::slo::{SloCheck, SloState};
use crate::advise::{Goal, Objective, WhyNot};
use crate::change::Change;
use crate::metric::{Direction, Metric};
use crate::metrics::Latency;
use crate::report::{Difference, Report, Rival};
use crate::study::{Basis, Hardware};

/// Labels of the ranking, in one language.
#[expect(missing_docs, reason = "each field is the word it is named after")]
#[derive(Debug)]
pub struct RankingLabels {
    pub ranking: &'static str,
    pub place: &'static str,
    pub outcome: &'static str,
    pub arguments: &'static str,
    pub slo: &'static str,
    pub slos: &'static str,
    pub best_per_profile: &'static str,
    pub best: &'static str,
    pub lead: &'static str,
    pub pareto: &'static str,
    pub rivals: &'static str,
    pub yours: &'static str,
    pub reset: &'static str,
    pub try_limits: &'static str,
    pub form_hint: &'static str,
    pub apply: &'static str,
    pub refused: &'static str,
    pub none_asked: &'static str,
    pub at_least: &'static str,
    pub counted: &'static str,
    pub by_tool: &'static str,
    pub on_front: &'static str,
    pub their_command: &'static str,
    pub weighted: &'static str,
    pub their_change: &'static str,
    pub our_change: &'static str,
}

/// The labels of `lang`.
#[must_use]
pub const fn ranking_labels(lang: Lang) -> &'static RankingLabels {
    match lang {
        Lang::Ja => &JA,
        Lang::En => &EN,
    }
}

/// Where a goodput comes from, in words.
#[must_use]
pub fn goodput_source(lang: Lang, source: GoodputSource) -> &'static str {
    let labels = ranking_labels(lang);
    match source {
        GoodputSource::Requests => labels.counted,
        GoodputSource::Tool => labels.by_tool,
        GoodputSource::Percentiles => labels.at_least,
    }
}

static EN: RankingLabels = RankingLabels {
    ranking: "Ranking of variants",
    place: "Place",
    outcome: "What became of it",
    arguments: "Arguments",
    slo: "SLO",
    slos: "Service level objectives (SLO)",
    best_per_profile: "Best variant of each profile",
    best: "Best",
    lead: "Best against recommended",
    pareto: "Throughput against latency",
    rivals: "Other studies of this question",
    yours: "These SLOs are yours, not the study's. Recommendation, ranking and decisions follow them.",
    reset: "Back to the study's SLOs",
    try_limits: "Try other SLOs",
    form_hint: "Milliseconds. An empty field is no limit. The address of the page keeps what you enter.",
    apply: "Rank again",
    refused: "Ignored, since it is no number above 0:",
    none_asked: "The study sets no SLO.",
    at_least: "at least",
    counted: "counted by request",
    by_tool: "as the tool has it",
    on_front: "on the front",
    their_command: "What it recommends",
    weighted: "Weighted mean",
    their_change: "Its gain in total TPS",
    our_change: "Gain in total TPS here",
};

static JA: RankingLabels = RankingLabels {
    ranking: "構成の順位",
    place: "順位",
    outcome: "結果と理由",
    arguments: "引数の数",
    slo: "SLO",
    slos: "サービスレベル目標（SLO）",
    best_per_profile: "プロファイル別の最良の構成",
    best: "最良",
    lead: "推奨設定に対する最良の構成の変化",
    pareto: "スループットとレイテンシの両立",
    rivals: "同じ問いを扱う別の検証",
    yours: "検証のSLOではなく、ご自身で指定したSLOによる表示です。推奨設定、順位、採否もこのSLOで決めています。",
    reset: "検証のSLOに戻す",
    try_limits: "別のSLOで試す",
    form_hint: "単位はミリ秒です。空欄は制限なしを表します。指定した値はページのアドレスに残ります。",
    apply: "順位を付け直す",
    refused: "0より大きい数値ではないため無視した値：",
    none_asked: "この検証にSLOの指定はありません。",
    at_least: "下限",
    counted: "全リクエストの集計",
    by_tool: "ツールの出力値",
    on_front: "フロント上",
    their_command: "そこでの推奨設定",
    weighted: "加重平均",
    their_change: "別の検証での合計TPSの変化",
    our_change: "この検証での合計TPSの変化",
};

/// What a figure that can be an objective is called: `Total TPS`, `Cost per million tokens`.
#[must_use]
pub fn goal(lang: Lang, of: Goal) -> String {
    match (lang, of) {
        (_, Goal::Metric(of)) => metric(lang, of),
        (Lang::Ja, other) => ja::goal(other),
        (Lang::En, other) => en::capital(&en::goal(other)),
    }
}

/// The unit of a goal's figure, as a table's head shows it.
#[must_use]
pub fn goal_unit(report: &Report, of: Goal) -> &'static str {
    match (of, report.price.map(|price| price.currency)) {
        (Goal::Metric(metric), _) => unit(metric),
        (Goal::Cost(_), Some(Currency::Jpy)) => "JPY",
        (Goal::Cost(_), Some(Currency::Usd)) => "USD",
        (Goal::Cost(_), None) => "",
        (Goal::TokensPerJoule, _) => "tok/J",
    }
}

/// A goal's figure without its unit.
#[must_use]
pub fn goal_figure(report: &Report, of: Goal, value: f64) -> String {
    match of {
        Goal::Metric(metric) => super::number::figure(metric, value),
        Goal::Cost(_) => money(report.price.map(|price| price.currency), value),
        Goal::TokensPerJoule => grouped(value, 2),
    }
}

/// A cent of a dollar buys many tokens: dollars have four decimals, yen two.
fn money(currency: Option<Currency>, value: f64) -> String {
    match currency {
        Some(Currency::Usd) => grouped(value, 4),
        Some(Currency::Jpy) | None => grouped(value, 2),
    }
}

/// A goal's figure with its unit: `11,605.92 tok/s`, `¥12.50`.
#[must_use]
pub fn goal_value(lang: Lang, report: &Report, of: Goal, value: f64) -> String {
    let figure = goal_figure(report, of, value);
    match (of, report.price.map(|price| price.currency), lang) {
        (Goal::Metric(metric), ..) => with_unit(metric, value),
        (Goal::Cost(_), Some(Currency::Jpy), Lang::En) => format!("¥{figure}"),
        (Goal::Cost(_), Some(Currency::Usd), Lang::En) => format!("${figure}"),
        (Goal::Cost(_), Some(Currency::Jpy), Lang::Ja) => format!("{figure}円"),
        (Goal::Cost(_), Some(Currency::Usd), Lang::Ja) => format!("{figure}ドル"),
        (Goal::Cost(_), None, _) => figure,
        (Goal::TokensPerJoule, ..) => format!("{figure}\u{a0}tok/J"),
    }
}

/// The figure that ranks a variant: the objective's, or the distance to the baseline where several profiles decide.
#[must_use]
pub fn objective_value(lang: Lang, report: &Report, value: f64) -> String {
    match report.objective.is_weighted() {
        true => signed_pct((value - 1.0) * 100.0, usize::from(report.decimals)),
        false => goal_value(lang, report, report.objective.goal, value),
    }
}

/// The reported form of a change, with its name, where it lies further than 2 points from the recomputed one.
#[must_use]
pub fn reported_apart(lang: Lang, report: &Report, change: &Change) -> Option<String> {
    let (reported, recomputed) = change.reported_pct.zip(change.recomputed_pct)?;
    let apart = (reported - recomputed).abs() > super::SHOW_BOTH_POINTS;
    let reported = signed_pct(reported, usize::from(report.decimals));
    apart.then(|| format!("{} {reported}", super::basis(lang, Basis::Reported)))
}

/// What the study wants to improve, and where, as a noun phrase.
#[must_use]
pub fn objective(lang: Lang, report: &Report) -> Rich {
    let facts = &Facts { report, lang };
    Rich::from_marked(&match lang {
        Lang::Ja => ja::objective(facts),
        Lang::En => en::objective(facts),
    })
}

/// How variants are ranked, and what keeps them out.
#[must_use]
pub fn ranked_by(lang: Lang, report: &Report) -> Rich {
    let facts = &Facts { report, lang };
    Rich::from_marked(&match lang {
        Lang::Ja => ja::ranked_by(facts),
        Lang::En => en::ranked_by(facts),
    })
}

/// What became of a variant; none for the recommended one.
#[must_use]
pub fn outcome(lang: Lang, report: &Report, why_not: Option<&WhyNot>) -> Rich {
    let facts = &Facts { report, lang };
    Rich::from_marked(&match lang {
        Lang::Ja => ja::outcome(facts, why_not),
        Lang::En => en::outcome(facts, why_not),
    })
}

/// How a limit is kept.
#[must_use]
pub fn slo_state(lang: Lang, state: SloState) -> &'static str {
    match lang {
        Lang::Ja => ja::slo_state(state),
        Lang::En => en::slo_state(state),
    }
}

/// A limit: `P99 TTFT ≤ 2,000 ms`.
#[must_use]
pub fn limit(lang: Lang, of: Metric, value: f64) -> String {
    let sign = match of.direction() {
        Direction::LowerIsBetter => '≤',
        Direction::HigherIsBetter => '≥',
    };
    format!("{} {sign} {}", metric(lang, of), limit_value(of, value))
}

/// Every limit of a profile; none where it has none.
pub(super) fn limits(lang: Lang, slo: &BTreeMap<Metric, f64>) -> Option<Vec<String>> {
    (!slo.is_empty()).then(|| slo.iter().map(|(metric, value)| limit(lang, *metric, *value)).collect())
}

/// A limit's value with its unit, as it was asked for: without digits that nobody wrote.
pub(super) fn limit_value(of: Metric, value: f64) -> String {
    let shown = if matches!(of, Metric::Latency(Latency::E2el, _)) { value / 1000.0 } else { value };
    format!("{}\u{a0}{}", short(shown, 3), unit(of))
}

/// A limit held against a variant: value and state, with what is missing.
#[must_use]
pub fn slo_check(lang: Lang, check: &SloCheck) -> String {
    let state = slo_state(lang, check.state);
    let value = check.value.map(|value| with_unit(check.metric, value));
    let detail = match lang {
        Lang::Ja => ja::slo_detail(check),
        Lang::En => en::slo_detail(check),
    };
    let parts = value.into_iter().chain([state.to_owned()]).collect::<Vec<_>>().join(" · ");
    match (detail, lang) {
        (None, _) => parts,
        (Some(detail), Lang::Ja) => format!("{parts}（{detail}）"),
        (Some(detail), Lang::En) => format!("{parts} ({detail})"),
    }
}

/// What lies on a front, in a sentence.
#[must_use]
pub fn front(lang: Lang, report: &Report, of: &Front) -> Rich {
    let facts = &Facts { report, lang };
    Rich::from_marked(&match lang {
        Lang::Ja => ja::front(facts, of),
        Lang::En => en::front(facts, of),
    })
}

/// Whether another study agrees, in a sentence.
#[must_use]
pub fn rival(lang: Lang, report: &Report, of: &Rival) -> Rich {
    let facts = &Facts { report, lang };
    Rich::from_marked(&match lang {
        Lang::Ja => ja::rival(facts, of),
        Lang::En => en::rival(facts, of),
    })
}

/// In what another study differs.
#[must_use]
pub fn difference(lang: Lang, report: &Report, of: &Difference) -> Rich {
    let facts = &Facts { report, lang };
    Rich::from_marked(&match lang {
        Lang::Ja => ja::difference(facts, of),
        Lang::En => en::difference(facts, of),
    })
}

/// A machine as a sentence names it.
pub(super) fn machine(lang: Lang, hardware: &Hardware) -> String {
    super::rich::clean(&super::phrase::hardware(lang, hardware))
}

/// An objective in a few words, where its profiles are another study's.
pub(super) fn objective_name(lang: Lang, objective: &Objective) -> String {
    let name = match lang {
        Lang::Ja => goal(lang, objective.goal),
        Lang::En => en::goal(objective.goal),
    };
    match (objective.weights.len(), lang) {
        (0, _) => name,
        (n, Lang::Ja) => format!("{}プロファイルで加重した{name}", ja::things(n)),
        (n, Lang::En) => format!("{name} weighted over {n} profiles"),
    }
}
