//! 結論とその各行。

use super::ranking::{goal, misses};
use super::{beside, metric, moved, profile, spread, things};
use crate::advise::{Goal, NotRecommended};
use crate::change::{Change, Repeats, Verdict};
use crate::id::{ProfileId, VariantId};
use crate::metric::Metric;
use crate::noise::NoiseEstimate;
use crate::report::{Reservation, Standing};
use crate::text::facts::{Facts, RowNote, Worsening};
use crate::text::number::{count, grouped, pct, short, threshold, with_unit};
use crate::text::ranking::objective_value;
use crate::text::rich::{code, strong};

pub(in crate::text) fn headline(facts: &Facts<'_>) -> String {
    let report = facts.report;
    let primary = profile(facts, &report.primary_profile);
    match report.conclusion.standing {
        Standing::Nothing if facts.limits_rule_all_out() => {
            return "推奨できる構成はありません。すべてのSLOの達成を確認できた構成がないためです。".to_owned();
        }
        Standing::Nothing => {
            return format!(
                "推奨できる構成はありません。{primary}で十分な数のリクエストに成功した構成がないためです。"
            );
        }
        Standing::KeepBaseline => {
            if !facts.anything_compared() {
                return match report.objective.weights.len() {
                    0 => format!("基準設定のままとします。{primary}で比較できる構成はほかにありませんでした。"),
                    n => format!(
                        "基準設定のままとします。{n}つのプロファイルの加重平均で比較できる構成はほかにありませんでした。"
                    ),
                };
            }
            let limits = if report.has_limits() { "SLOを達成したうえで" } else { "" };
            return match report.objective.weights.len() {
                0 => format!("基準設定のままで問題ありません。{primary}で{limits}これを上回る構成はありませんでした。"),
                n => format!(
                    "基準設定のままで問題ありません。{}プロファイルの加重平均で、{limits}これを上回る構成はありませんでした。",
                    things(n)
                ),
            };
        }
        Standing::Recommended | Standing::WithReservations => {}
    }
    if let Some(change) = facts.overall() {
        return overall(facts, change);
    }
    let Some(row) = report.primary_row() else {
        return format!("{primary}では、推奨設定と基準設定の両方がそろって計測されていません。");
    };
    let change = &row.objective_change;
    let of = report.objective.goal;
    let what = goal(of);
    let by = |pct: f64| strong(facts.pct(pct));
    let size = |pct: f64| strong(facts.unsigned(pct));
    let first = match (change.verdict, change.pct()) {
        (_, None) | (Verdict::Unknown, _) => format!("{primary}での{what}の変化は不明です。"),
        (Verdict::Better, Some(pct)) => {
            format!("{primary}の{what}は{}{}。", moved(of, pct, &size(pct)), unproven(change))
        }
        (Verdict::Worse, Some(pct)) => format!("{primary}の{what}は{}。", moved(of, pct, &size(pct))),
        (Verdict::Neutral, Some(pct)) => format!("{primary}の{what}は変わりません（{}）。", by(pct)),
        (Verdict::WithinNoise, Some(pct)) => {
            format!("{primary}での{what}の変化（{}）は、計測のゆらぎと区別できません。", by(pct))
        }
        (Verdict::NotComparable, Some(_)) if facts.workload_differs(row) => {
            format!("{primary}の{what}は、プロンプトの長さが異なるため比較できません。")
        }
        (Verdict::NotComparable, Some(_)) if facts.hardware_differs(row) => {
            format!("{primary}の{what}は、ハードウェアが異なるため比較できません。")
        }
        (Verdict::NotComparable, Some(_)) if !facts.load_limited(row) => {
            format!("{primary}の{what}は、失敗したリクエストが多すぎるため比較できません。")
        }
        (Verdict::NotComparable, Some(_)) => {
            format!("{primary}のスループットは負荷で決まるため、効果は判定できません。")
        }
    };
    let gains = facts.others(Verdict::Better);
    let second = match (gains.as_slice(), facts.range(&gains)) {
        ([], _) | (_, None) => String::new(),
        ([one], Some((pct, _))) => {
            let gain = moved(of, pct, &size(pct));
            format!("{}では{gain}{}。", profile(facts, &one.profile), unproven(&one.objective_change))
        }
        (many, Some((low, high))) => {
            let range = format!("{}〜{}", size(low), size(high));
            let others = match facts.all_others(many) {
                true => format!("ほかの{}プロファイルでは", things(many.len())),
                false => format!("ほかに{}プロファイルで", things(many.len())),
            };
            let luck = bracketed(facts.unproven_among(many, change));
            format!("{others}{}{luck}。", moved(of, high, &range))
        }
    };
    let losses = facts.others(Verdict::Worse);
    let mut losses = losses.iter().filter_map(|row| Some((&row.profile, row.objective_change.pct()?)));
    let named = losses.clone().map(|(id, pct)| format!("{}では{}", profile(facts, id), size(pct)));
    let named = named.collect::<Vec<_>>().join("、");
    let third = losses.next_back().map_or_else(String::new, |(_, pct)| format!("一方、{}。", moved(of, pct, &named)));
    let worst = facts.worst_latency().map(|(id, which, pct)| {
        format!("ただし{}の{}は{}延びています。", profile(facts, id), metric(which), size(pct))
    });
    let quality = if facts.precision_changed() { "回答の品質は測っていません。" } else { "" };
    first + &second + &third + &worst.unwrap_or_default() + quality
}

fn overall(facts: &Facts<'_>, change: &Change) -> String {
    let objective = &facts.report.objective;
    let what = format!("{}プロファイルで加重した{}", things(objective.weights.len()), goal(objective.goal));
    let by = |pct: f64| strong(facts.pct(pct));
    let moved = |pct: f64| moved(objective.goal, pct, &strong(facts.unsigned(pct)));
    let first = match (change.verdict, change.pct()) {
        (_, None) | (Verdict::Unknown | Verdict::NotComparable, _) => format!("{what}は比較できません。"),
        (Verdict::Better, Some(pct)) => format!("{what}は{}{}。", moved(pct), unproven(change)),
        (Verdict::Worse, Some(pct)) => format!("{what}は{}。", moved(pct)),
        (Verdict::Neutral, Some(pct)) => format!("{what}は変わりません（{}）。", by(pct)),
        (Verdict::WithinNoise, Some(pct)) => format!("{what}の変化（{}）は、計測のゆらぎと区別できません。", by(pct)),
    };
    let parts = facts.report.advised().into_iter().flat_map(|ranked| &ranked.parts);
    let parts: Vec<String> = parts
        .filter_map(|part| Some(format!("{}で{}", profile(facts, &part.profile), strong(facts.change(&part.change?)?))))
        .collect();
    if parts.is_empty() { first } else { format!("{first}内訳は{}です。", parts.join("、")) }
}

/// 繰り返しのない改善に足りないもの。
fn unproven(change: &Change) -> String {
    bracketed(change.unproven())
}

fn bracketed(unproven: Option<Repeats>) -> String {
    unproven.map_or_else(String::new, |repeats| format!("（{}）", spread::unproven(repeats)))
}

pub(in crate::text) fn explanation(facts: &Facts<'_>) -> Vec<String> {
    let report = facts.report;
    let conclusion = &report.conclusion;
    let mut out = Vec::new();
    let Some(recommended) = &conclusion.recommended else { return out };
    if *recommended != conclusion.baseline {
        out.extend(difference(facts, recommended));
    }
    if let Some((id, of, limit, value)) = facts.baseline_misses() {
        out.push(format!("基準設定はSLOを達成していません。{}", misses(facts, id, of, limit, value)));
    }
    for reservation in &conclusion.reservations {
        let Reservation::ReportedDiffers { profile } = reservation else { continue };
        let Some((reported, recomputed)) = facts.row(profile).and_then(|row| facts.both(&row.change)) else { continue };
        out.push(format!(
            "{}は{}と報告されましたが、ツール自身のトークン数と所要時間から計算すると{}です。",
            self::profile(facts, profile),
            strong(reported),
            strong(recomputed)
        ));
    }
    for (variant, id, found) in facts.doubts() {
        out.push(format!(
            "{}での{}の値は疑わしいものです。{}",
            profile(facts, id),
            facts.variant(variant),
            found.iter().map(|of| facts.evidence(of)).collect::<Vec<_>>().concat()
        ));
    }
    if let Some(highest) = &conclusion.highest {
        let name = facts.variant(&highest.variant);
        let shown = |value: f64| objective_value(facts.lang, report, value);
        let other = highest.other_value.map_or_else(String::new, |other| format!("（{}）", facts.beside(other)));
        let value = shown(highest.value) + &other;
        out.push(match (highest.why, highest.above_recommended_pct) {
            (NotRecommended::Disqualified, _) => {
                format!("最も良い値は{name}の{value}ですが、失敗したリクエストが多すぎるため失格です。")
            }
            (NotRecommended::MissesSlo, _) => {
                format!("最も良い値は{name}の{value}ですが、SLOを達成していません。")
            }
            (NotRecommended::SloNotMeasured, _) => {
                format!("最も良い値は{name}の{value}ですが、すべてのSLOを達成しているかは未計測です。")
            }
            (NotRecommended::FewerArguments, Some(pct)) => format!(
                "最も良い値は{name}の{value}です。ただし差は{}で、意味のある差とみなす{}に届きません。そこで引数の少ないほうを推奨します。",
                strong(facts.unsigned(pct)),
                threshold(report.relevance_pct)
            ),
            (NotRecommended::FewerArguments, None) => format!("最も良い値は{name}の{value}ですが、引数の少ないほうを推奨します。"),
        });
    }
    out.extend(disagreeing(facts));
    out
}

fn disagreeing(facts: &Facts<'_>) -> Option<String> {
    let titles: Vec<String> = facts.disagreeing().map(|title| format!("「{title}」")).collect();
    (!titles.is_empty()).then(|| format!("同じ問いを扱う別の検証{}の推奨設定は、これと異なります。", titles.concat()))
}

fn difference(facts: &Facts<'_>, recommended: &VariantId) -> Option<String> {
    let conclusion = &facts.report.conclusion;
    let (engine_from, model_from) = facts.engine_and_model(&conclusion.baseline)?;
    let (engine_to, model_to) = facts.engine_and_model(recommended)?;
    let mut parts = Vec::new();
    if engine_from != engine_to {
        parts.push(format!("推論エンジンは{engine_from}から{engine_to}に変わります"));
    }
    if model_from != model_to {
        parts.push(format!("重みは{}から{}に変わります", code(model_from), code(model_to)));
    }
    match (conclusion.added.len(), conclusion.removed.len()) {
        (0, 0) => {}
        (added, 0) => parts.push(format!("引数が{added}個増えます")),
        (0, removed) => parts.push(format!("引数が{removed}個減ります")),
        (added, removed) => parts.push(format!("引数が{added}個増え、{removed}個減ります")),
    }
    let last = parts.pop()?;
    let first = if parts.is_empty() { String::new() } else { format!("{}。また、", parts.join("。")) };
    Some(format!("基準設定と比べると、{first}{last}。"))
}

pub(in crate::text) fn noise(facts: &Facts<'_>) -> Vec<String> {
    let report = facts.report;
    let mut out: Vec<String> = facts.unrepeated().iter().map(|of| spread::unrepeated(facts, of)).collect();
    out.extend(report.noise.iter().map(|estimate| noise_estimate(facts, estimate)));
    out.extend(facts.spreads().map(|(id, variant, of)| spread::spread(facts, id, variant, of)));
    out.extend(facts.measured_bands().map(|(id, band)| {
        format!(
            "{}：合計TPSの変化の95%信頼区間は、サーバー起動ごとの平均から求めて{}です。",
            profile(facts, id),
            strong(format!("±{}", pct(band, 2)))
        )
    }));
    out
}

fn noise_estimate(facts: &Facts<'_>, estimate: &NoiseEstimate) -> String {
    let sd = estimate.sd_recomputed_pct.or(estimate.sd_reported_pct).unwrap_or_default();
    let band = estimate.band.recomputed_pct.or(estimate.band.reported_pct).unwrap_or_default();
    format!(
        "{}では、{}がどの値でも同時実行中の{}リクエストをすべて処理できるため、{}構成に差は出ないはずです。その合計TPSの標準偏差は{}でした。起動1回どうしの比較では、{}（95%信頼区間）を超えて初めて差といえます。",
        profile(facts, &estimate.profile),
        code(&estimate.flag),
        count(estimate.concurrency),
        things(estimate.n),
        pct(sd, 2),
        strong(format!("±{}", pct(band, 2)))
    )
}

pub(in crate::text) fn got_worse(facts: &Facts<'_>) -> Vec<String> {
    let sentence = |worsening: &Worsening<'_>| match *worsening {
        Worsening::Throughput { profile: id, pct } => {
            let total = Goal::Metric(Metric::TotalTps);
            format!("{}：合計TPSが{}。", profile(facts, id), moved(total, pct, &strong(facts.unsigned(pct))))
        }
        Worsening::Latency { profile: id, metric: which, from, to, pct } => format!(
            "{}：{}が{}から{}に延びています（{}）。",
            profile(facts, id),
            metric(which),
            with_unit(which, from),
            with_unit(which, to),
            strong(facts.pct(pct))
        ),
    };
    facts.worsenings().iter().map(sentence).collect()
}

pub(in crate::text) fn wrong_choice(facts: &Facts<'_>) -> Vec<String> {
    let wrong = facts.wrong_choice();
    let names = |profiles: &[&ProfileId]| profiles.iter().map(|id| profile(facts, id)).collect::<String>();
    let mut out = Vec::new();
    if !wrong.loses.is_empty() {
        out.push(format!("{}のような負荷では、スループットが下がります。", names(&wrong.loses)));
    }
    if !wrong.objective_worse.is_empty() {
        let what = goal(facts.report.objective.goal);
        out.push(format!("{}のような負荷では、{what}が悪化します。", names(&wrong.objective_worse)));
    }
    if !wrong.latency_worse.is_empty() {
        let latencies =
            wrong.latency_worse.iter().map(|(id, which)| format!("{}の{}", profile(facts, id), metric(*which)));
        out.push(format!("レイテンシを重視する用途：{}。", latencies.collect::<Vec<_>>().join("、")));
    }
    if !wrong.load_limited.is_empty() {
        out.push(format!(
            "{}では、どちらの設定も負荷に追いつくため、スループットは変わりません。",
            names(&wrong.load_limited)
        ));
    }
    if !wrong.hardware_differs.is_empty() {
        out.push(format!(
            "{}では、ハードウェアが異なるため、スループットの効果は判定できません。",
            names(&wrong.hardware_differs)
        ));
    }
    if !wrong.workload_differs.is_empty() {
        out.push(format!(
            "{}では、両者のプロンプトの長さが異なるため、効果は判定できません。",
            names(&wrong.workload_differs)
        ));
    }
    for (id, variant) in &wrong.better {
        let of = facts.report.objective.goal;
        let by = |pct: f64| format!("（{}が{}）", goal(of), beside(of, pct, &strong(facts.unsigned(pct))));
        let lead = facts.lead(id).map_or_else(String::new, by);
        out.push(format!(
            "{}のような負荷では、{}のほうが優れています{lead}。",
            profile(facts, id),
            facts.variant(variant)
        ));
    }
    if !wrong.fails.is_empty() {
        out.push(format!("{}のような負荷では、失敗するリクエストが多すぎます。", names(&wrong.fails)));
    }
    if !wrong.not_measured.is_empty() {
        out.push(format!("{}のような負荷では計測していません。", names(&wrong.not_measured)));
    }
    if !wrong.weak.is_empty() {
        let limits = wrong.weak.iter().map(|(id, of)| format!("{}の{}", profile(facts, id), metric(*of)));
        let limits = limits.collect::<Vec<_>>().join("、");
        out.push(format!("SLOを確約する用途：{limits}は、計測したリクエストが少なく、達成を断定できません。"));
    }
    if wrong.precision_changed {
        out.push("元の重みと同じ品質が必要な用途：回答の品質は測っていません。".to_owned());
    }
    out
}

pub(in crate::text) fn row_note(facts: &Facts<'_>, note: RowNote) -> String {
    match note {
        RowNote::LoadLimited { offered } => {
            format!("負荷で頭打ち：どちらも{} req/sに追いつくため、スループットは比較できません。", short(offered, 2))
        }
        RowNote::WorkloadDiffers => "プロンプトの長さが異なるため、どの値も比較できません。".to_owned(),
        RowNote::HardwareDiffers => "ハードウェアが異なるため、合計の値は比較できません。".to_owned(),
        RowNote::ReportedOff { points } => {
            let way = if points > 0.0 { "高く" } else { "低く" };
            format!("報告値は{}ポイント{way}出ています。", grouped(points.abs(), 1))
        }
        RowNote::Interval { low, high } => format!("95%信頼区間は{}〜{}です。", facts.pct(low), facts.pct(high)),
        RowNote::NoiseUnknown(repeats) => format!("{}です。", spread::unproven(repeats)),
    }
}

pub(in crate::text) fn row_latency(facts: &Facts<'_>, which: Metric, pct: f64) -> String {
    format!("{}は{}（悪化）です。", metric(which), strong(facts.pct(pct)))
}
