//! 最適化項目の要約と採否の理由。

use std::cmp::Ordering;

use super::ranking::{goal, misses, outcome};
use super::{metric, moved, profile};
use crate::advise::{Barred, Elsewhere, Goal, Reason};
use crate::change::{Change, Verdict};
use crate::metric::Metric;
use crate::report::{StepReport, Summary, TpotDirection};
use crate::study::Basis;
use crate::text::facts::Facts;
use crate::text::number::{grouped, pct, pct_below, signed, threshold};
use crate::text::rich::strong;

pub(in crate::text) fn summary(facts: &Facts<'_>, step: &StepReport, summary: &Summary) -> Option<String> {
    let (best, worst) = step.best.as_ref().zip(step.worst.as_ref())?;
    let names = [best, worst];
    let other = summary.other_tps.map_or_else(String::new, |(difference, percent)| {
        let basis = crate::text::basis(facts.lang, facts.report.basis.other());
        format!("（{basis}では{} tok/s、{}）", signed(difference, 2), facts.pct(percent))
    });
    let [best, worst] = names.map(|id| facts.variant_among(id, &names));
    let by = format!(
        "{} tok/s（{}）",
        strong(grouped(summary.tps_difference.abs(), 2)),
        strong(facts.unsigned(summary.tps_pct))
    );
    // The best by another objective may serve fewer tokens.
    let mut text = match summary.tps_difference.total_cmp(&0.0) {
        Ordering::Greater => format!("{best}の合計TPSは{worst}より{by}高い値でした{other}。"),
        Ordering::Less => format!("{best}の合計TPSは{worst}より{by}低い値でした{other}。"),
        Ordering::Equal => format!("{best}と{worst}の合計TPSは同じ値でした{other}。"),
    };
    if let (Some(difference), Some(percent), Some(direction)) =
        (summary.tpot_difference_ms, summary.tpot_pct, summary.tpot_direction)
    {
        let by = format!("{} ms（{}）", strong(grouped(difference, 2)), strong(facts.unsigned(percent)));
        let end = match (direction, facts.report.basis) {
            (TpotDirection::Reduction, Basis::Reported) => format!("{by}短いと報告されています"),
            (TpotDirection::Increase, Basis::Reported) => format!("{by}長いと報告されています"),
            (TpotDirection::Reduction, Basis::Recomputed) => format!("{by}短くなっています"),
            (TpotDirection::Increase, Basis::Recomputed) => format!("{by}長くなっています"),
            (TpotDirection::Equal, Basis::Reported) => "同じと報告されています".to_owned(),
            (TpotDirection::Equal, Basis::Recomputed) => "同じです".to_owned(),
        };
        text += &format!("平均TPOTは{end}。");
    }
    if let Some((best_ms, worst_ms)) = summary.tpot_recomputed_ms {
        let reverses = summary.tpot_reverses();
        let (but, end) = if reverses { ("ただし", "となり、順序が逆転します") } else { ("", "です") };
        text += &format!(
            "{but}レイテンシから計算したTPOTは{} msと{} ms{end}。",
            strong(grouped(best_ms, 2)),
            strong(grouped(worst_ms, 2))
        );
    }
    Some(text)
}

pub(in crate::text) fn reason(facts: &Facts<'_>, reason: &Reason) -> String {
    let change = |change: &Change| match (facts.both(change), facts.change(change)) {
        (Some((reported, recomputed)), _) if reported != recomputed => {
            format!("{}（報告値は{reported}）", strong(recomputed))
        }
        (Some((_, recomputed)), _) => strong(recomputed),
        (None, Some(pct)) => strong(pct),
        (None, None) => "不明".to_owned(),
    };
    // Beside a column of total TPS, another figure needs its name.
    let what = match facts.report.objective.goal {
        Goal::Metric(Metric::TotalTps) => "変化".to_owned(),
        of => format!("{}の変化", goal(of)),
    };
    let band = |change: &Change| change.band().map_or_else(String::new, |band| format!("±{}の", pct(band, 2)));
    let place = |elsewhere: Option<&Elsewhere>, particle: &str| match elsewhere {
        None => String::new(),
        Some(Elsewhere::Profile(id)) => format!("{}{particle}", profile(facts, id)),
        Some(Elsewhere::Weighted) => {
            format!("{}つのプロファイルの加重平均{particle}", facts.report.objective.weights.len())
        }
    };
    let ruled_out = |barred: &Option<Barred>| match barred {
        None => String::new(),
        Some(Barred { variant, why }) => {
            format!("{}は推奨できません。{}", facts.variant(variant), outcome(facts, Some(why)))
        }
    };
    match reason {
        Reason::BaselineWins { runner_up: Some(other), change: Some(by), barred } => format!(
            "基準設定を上回る構成はありません。次点は{}で、{}です。{}",
            facts.variant(other),
            change(by),
            ruled_out(barred)
        ),
        Reason::BaselineWins { barred, .. } => {
            format!("基準設定と比較できる構成はありません。{}", ruled_out(barred))
        }
        Reason::Recommended { change: None } => "推奨設定です。".to_owned(),
        Reason::Recommended { change: Some(by) } => match by.verdict {
            Verdict::WithinNoise => {
                format!("推奨設定です。{what}は{}で、{}ゆらぎの範囲に収まります。", change(by), band(by))
            }
            Verdict::NotComparable | Verdict::Unknown => "推奨設定です。ここでの効果は判定できません。".to_owned(),
            Verdict::Worse => format!("推奨設定です。ただし、ここでの{what}は{}で、悪化しています。", change(by)),
            Verdict::Better | Verdict::Neutral => format!("推奨設定です。{what}は{}です。", change(by)),
        },
        Reason::PartOfRecommended { change: by } => format!("推奨コマンドに含まれます。{what}は{}です。", change(by)),
        Reason::TooManyFailures { success_pct, minimum_pct } => {
            format!(
                "成功率は{}で、必要な{}に届きません。",
                strong(pct_below(*success_pct, *minimum_pct)),
                threshold(*minimum_pct)
            )
        }
        Reason::MissesSlo { profile: id, metric, limit, value } => {
            format!("SLOを達成していません。{}", misses(facts, id, *metric, *limit, *value))
        }
        Reason::SloNotMeasured { profile: id, metric: of, .. } => {
            format!("SLOを達成しているか不明です。{}の{}が未計測です。", profile(facts, id), metric(*of))
        }
        Reason::Worse { change: by } => {
            let of = facts.report.objective.goal;
            format!("{}が{}。変化は{}です。", goal(of), moved(of, by.pct().unwrap_or_default(), ""), change(by))
        }
        Reason::BelowRelevance { change: by, relevance_pct } => {
            format!("{what}は{}で、意味のある差とみなす{}に届きません。", change(by), threshold(*relevance_pct))
        }
        Reason::WithinNoise { change: by } => {
            format!("{what}は{}で、{}ゆらぎの範囲に収まります。", change(by), band(by))
        }
        Reason::Surpassed { change: by, by: other, elsewhere } => format!(
            "{what}は{}で改善していますが、{}{}のほうが優れています。",
            change(by),
            place(elsewhere.as_ref(), "では"),
            facts.variant(other)
        ),
        Reason::WorseWhereItCounts { change: by, there, elsewhere } => format!(
            "{what}は{}で改善していますが、判定に使う{}悪化しています（{}）。",
            change(by),
            place(Some(elsewhere), "では"),
            change(there)
        ),
        Reason::UnknownWhereItCounts { change: by, why } => format!(
            "{what}は{}で改善していますが、判定に使う値の改善とはいえません。{}",
            change(by),
            outcome(facts, Some(why))
        ),
        Reason::NotOnPrimary { change: by } => {
            format!("{what}は{}で改善していますが、主プロファイルでの計測がありません。", change(by))
        }
        Reason::FewerArguments { change: by, by: other, elsewhere } => format!(
            "{what}は{}で改善していますが、{}{}が少ない引数で同等の結果です。",
            change(by),
            place(elsewhere.as_ref(), "では"),
            facts.variant(other)
        ),
        Reason::BaseFailed => "比較対象で失敗したリクエストが多すぎるため、比較できません。".to_owned(),
        Reason::HardwareDiffers => "比較対象とハードウェアが異なるため、合計の値は比較できません。".to_owned(),
        Reason::LoadLimited => "スループットは負荷で決まるため、比較できません。".to_owned(),
        Reason::WorkloadDiffers => "比較対象とプロンプトの長さが異なるため、比較できません。".to_owned(),
        Reason::NotMeasured { profile: id } => format!("判定に使う{}の値が未計測です。", profile(facts, id)),
    }
}
