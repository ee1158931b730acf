//! 構成の順位、SLO、ほかの検証との違い。

use super::{metric, profile, stat, things};
use crate::advise::cost::Tokens;
use crate::advise::fronts::Front;
use crate::advise::slo::{SloCheck, SloState};
use crate::advise::{Goal, WhyNot};
use crate::change::Change;
use crate::id::ProfileId;
use crate::metric::{Direction, Metric};
use crate::report::{Difference, Rival};
use crate::text::Lang;
use crate::text::facts::Facts;
use crate::text::number::{count, pct_below, short, threshold, with_unit};
use crate::text::ranking::{limit_value, limits, machine, objective_name};
use crate::text::rich::{clean, code, strong};

pub(in crate::text) fn goal(of: Goal) -> String {
    match of {
        Goal::Metric(of) => metric(of),
        Goal::Cost(Tokens::Total) => "100万トークンあたりのコスト".to_owned(),
        Goal::Cost(Tokens::Output) => "出力100万トークンあたりのコスト".to_owned(),
        Goal::TokensPerJoule => "1ジュールあたりのトークン数".to_owned(),
    }
}

pub(in crate::text) fn objective(facts: &Facts<'_>) -> String {
    let objective = &facts.report.objective;
    let what = goal(objective.goal);
    if !objective.is_weighted() {
        return format!("{}の{what}", profile(facts, &facts.report.primary_profile));
    }
    let weights = objective.weights.iter();
    let weighted = weights.map(|(id, weight)| format!("{}（重み{}）", profile(facts, id), short(*weight, 3)));
    format!("{}の{what}を基準設定との比にして加重した幾何平均", weighted.collect::<Vec<_>>().join("、"))
}

pub(in crate::text) fn ranked_by(facts: &Facts<'_>) -> String {
    let report = facts.report;
    let limits = match report.has_limits() {
        true => "SLOを達成していない構成や、SLOの項目が未計測の構成も推奨しません。",
        false => "",
    };
    let goodput = match report.objective.goal {
        Goal::Metric(Metric::Goodput) => {
            "グッドプットは、全リクエストの計測値があれば1件ずつ数えて求め、なければツールの出力値を使います。\
             パーセンタイルから範囲だけが分かる場合は、その下限を使います。"
        }
        Goal::Metric(_) | Goal::Cost(_) | Goal::TokensPerJoule => "",
    };
    format!(
        "{}（{}）の良い順に並べています。成功率が{}に満たない構成は推奨しません。{limits}{goodput}",
        objective(facts),
        super::basis(facts.ranking_basis()),
        threshold(report.min_success_pct)
    )
}

pub(in crate::text) fn outcome(facts: &Facts<'_>, why_not: Option<&WhyNot>) -> String {
    let change = |change: &Change| match (facts.both(change), facts.change(change)) {
        (Some((reported, recomputed)), _) if reported != recomputed => {
            format!("{}（報告値は{reported}）", strong(recomputed))
        }
        (_, Some(pct)) => strong(pct),
        (_, None) => "不明".to_owned(),
    };
    match why_not {
        None if facts.report.conclusion.recommended.as_ref() == Some(&facts.report.conclusion.baseline) => {
            "基準設定を維持します。".to_owned()
        }
        None => "推奨設定です。".to_owned(),
        Some(WhyNot::TooManyFailures { profile: id, success_pct, minimum_pct }) => format!(
            "失格です。{}の成功率は{}で、必要な{}に届きません。",
            profile(facts, id),
            strong(pct_below(*success_pct, *minimum_pct)),
            threshold(*minimum_pct)
        ),
        Some(WhyNot::MissesSlo { profile: id, metric, limit, value }) => {
            format!("SLOを達成していません。{}", misses(facts, id, *metric, *limit, *value))
        }
        Some(WhyNot::SloNotMeasured { profile: id, metric: of, .. }) => {
            format!("SLOを達成しているか不明です。{}の{}が未計測です。", profile(facts, id), metric(*of))
        }
        Some(WhyNot::NotMeasured { profile: id }) => {
            format!("{}の{}が未計測です。", profile(facts, id), goal(facts.report.objective.goal))
        }
        Some(WhyNot::OtherDefinition { profile: id }) => {
            format!("{}のTPOTの定義が、基準設定のものと異なります。", profile(facts, id))
        }
        Some(WhyNot::Worse { change: by }) => format!("基準設定より悪化しています。変化は{}です。", change(by)),
        Some(WhyNot::LoadLimited) => "値が負荷で決まるため、効果は判定できません。".to_owned(),
        Some(WhyNot::HardwareDiffers) => "基準設定とハードウェアが異なるため、合計の値は比較できません。".to_owned(),
        Some(WhyNot::WorkloadDiffers) => "基準設定とプロンプトの長さが異なるため、どの値も比較できません。".to_owned(),
        Some(WhyNot::Surpassed { by, gap_pct }) => {
            format!("{}との差は{}です。", facts.variant(by), strong(facts.pct(*gap_pct)))
        }
        Some(WhyNot::FewerArguments { by, gap_pct }) => format!(
            "{}との差は{}です。{}は引数が少なく、同等の結果です。",
            facts.variant(by),
            strong(facts.pct(*gap_pct)),
            facts.variant(by)
        ),
    }
}

pub(in crate::text) fn misses(facts: &Facts<'_>, id: &ProfileId, of: Metric, limit: f64, value: f64) -> String {
    let end = match of.direction() {
        Direction::LowerIsBetter => format!("上限の{}を超えています", limit_value(of, limit)),
        Direction::HigherIsBetter => format!("下限の{}に届きません", limit_value(of, limit)),
    };
    format!("{}の{}は{}で、{end}。", profile(facts, id), metric(of), strong(with_unit(of, value)))
}

pub(in crate::text) fn slo_state(state: SloState) -> &'static str {
    match state {
        SloState::Met => "達成",
        SloState::WeaklyMeasured => "計測不足",
        SloState::NotMeasured => "未計測",
        SloState::NotMet => "未達",
    }
}

pub(in crate::text) fn slo_detail(check: &SloCheck) -> Option<String> {
    match (check.state, check.samples, check.needed, check.metric) {
        (SloState::WeaklyMeasured, Some(samples), Some(needed), Metric::Latency(_, of)) => {
            Some(format!("値は{}個、{}には{}個必要", count(samples), stat(of), count(needed)))
        }
        (SloState::NotMeasured, ..) if check.other_definition => {
            Some("ツールのTPOTはトークンあたりのデコード時間ではない".to_owned())
        }
        _ => None,
    }
}

pub(in crate::text) fn front(facts: &Facts<'_>, front: &Front) -> String {
    let on: Vec<String> = front
        .points
        .iter()
        .filter(|point| point.on_front)
        .map(|point| {
            format!(
                "{}（{}、{}）",
                facts.variant(&point.variant),
                with_unit(Metric::TotalTps, point.total_token_throughput),
                with_unit(front.latency, point.latency_ms)
            )
        })
        .collect();
    let latency = metric(front.latency);
    if front.load_limited {
        return format!(
            "{}：スループットは負荷で決まるため、違いはレイテンシだけです。{latency}が最も短いのは{}です。",
            profile(facts, &front.profile),
            on.join("、")
        );
    }
    let what = format!(
        "{}の合計TPS（{}）と{latency}{}",
        profile(facts, &front.profile),
        super::basis(front.throughput),
        if front.recomputed { "（再計算値）" } else { "" }
    );
    let others = match front.points.len() - on.len() {
        0 => String::new(),
        n => format!("ほかの{}構成には、どちらの値でも同等以上の構成があります。", things(n)),
    };
    match on.as_slice() {
        [one] => format!("{what}：どちらも最良なのは{one}です。"),
        many => format!("{what}：{}を、どちらの値でも上回る構成はほかにありません。{others}", many.join("、")),
    }
}

pub(in crate::text) fn rival(facts: &Facts<'_>, rival: &Rival) -> String {
    let title = clean(rival.title.get(facts.lang));
    let name = |rival: &Rival| {
        let advice = rival.advice.as_ref()?;
        Some(advice.name.as_ref().map_or_else(|| code(advice.variant.as_str()), |name| clean(name.get(Lang::Ja))))
    };
    match (name(rival), rival.agrees) {
        (None, _) => format!("「{title}」に推奨できる構成はありません。"),
        (Some(name), true) => format!("「{title}」も同じ設定（{name}）を推奨しています。"),
        (Some(name), false) => format!("「{title}」は別の設定（{name}）を推奨しています。"),
    }
}

pub(in crate::text) fn difference(facts: &Facts<'_>, difference: &Difference) -> String {
    let set = |value: &Option<String>| match value.as_deref() {
        None => "指定なし".to_owned(),
        Some("") => "指定あり".to_owned(),
        Some(value) => code(value),
    };
    let known = |value: &Option<String>| value.clone().map_or_else(|| "記録なし".to_owned(), |v| clean(&v));
    let sides =
        |what: &str, ours: String, theirs: String| format!("{what}：この検証は{ours}、別の検証は{theirs}です。");
    match difference {
        Difference::Advice { ours: true, .. } => "推奨できる構成があるのは、この検証だけです。".to_owned(),
        Difference::Advice { .. } => "推奨できる構成があるのは、別の検証だけです。".to_owned(),
        Difference::Engine { ours, theirs } => sides("推論エンジン", clean(ours), clean(theirs)),
        Difference::Weights { ours, theirs } => sides("重み", code(ours), code(theirs)),
        Difference::Argument { name, ours, theirs } | Difference::Environment { name, ours, theirs } => {
            sides(&code(name), set(ours), set(theirs))
        }
        Difference::Gain { profile: id, ours, theirs } => sides(
            &format!("{}の合計TPSの変化", profile(facts, id)),
            strong(facts.change(ours).unwrap_or_default()),
            strong(facts.change(theirs).unwrap_or_default()),
        ),
        Difference::EngineVersion { ours, theirs } => sides("推論エンジンのバージョン", known(ours), known(theirs)),
        Difference::Hardware { ours, theirs } => {
            sides("ハードウェア", machine(Lang::Ja, ours), machine(Lang::Ja, theirs))
        }
        Difference::Objective { ours, theirs } => {
            sides("目標", objective_name(Lang::Ja, ours), objective_name(Lang::Ja, theirs))
        }
        Difference::Limits { profile: id, ours, theirs } => {
            let shown = |slo| limits(Lang::Ja, slo).map_or_else(|| "指定なし".to_owned(), |all| all.join("、"));
            sides(&format!("{}のSLO", profile(facts, id)), shown(ours), shown(theirs))
        }
        Difference::Baseline { .. } => "基準設定が異なるため、改善率は比較できません。".to_owned(),
    }
}
