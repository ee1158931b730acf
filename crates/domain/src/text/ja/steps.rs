//! 最適化項目の要約と採否の理由。

use super::ranking::{goal, misses, outcome};
use super::{metric, profile};
use crate::advise::{Barred, Elsewhere, Goal, Reason};
use crate::change::{Change, Verdict};
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
    let mut text = format!(
        "{}の合計TPSは{}より{} tok/s（{}）高い値でした{}。",
        facts.variant_among(best, &names),
        facts.variant_among(worst, &names),
        strong(grouped(summary.tps_difference, 2)),
        strong(facts.unsigned(summary.tps_pct)),
        other
    );
    if let (Some(difference), Some(percent), Some(direction)) =
        (summary.tpot_difference_ms, summary.tpot_pct, summary.tpot_direction)
    {
        let end = match (direction, facts.report.basis) {
            (TpotDirection::Reduction, Basis::Reported) => "短いと報告されています",
            (TpotDirection::Increase, Basis::Reported) => "長いと報告されています",
            (TpotDirection::Reduction, Basis::Recomputed) => "短くなっています",
            (TpotDirection::Increase, Basis::Recomputed) => "長くなっています",
        };
        text +=
            &format!("平均TPOTは{} ms（{}）{end}。", strong(grouped(difference, 2)), strong(facts.unsigned(percent)));
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
    let band = |change: &Change| change.band().map_or_else(String::new, |band| format!("±{}の", pct(band, 2)));
    // 合計TPSの値と並ぶので、ほかの値の変化には名前を添える。
    let of = || facts.other_goal().map_or_else(String::new, |of| format!("{}の", goal(of)));
    let subject = || facts.other_goal().map_or_else(String::new, |of| format!("{}が", goal(of)));
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
                format!("推奨設定です。{}変化は{}で、{}ゆらぎの範囲に収まります。", of(), change(by), band(by))
            }
            Verdict::NotComparable | Verdict::Unknown => "推奨設定です。ここでの効果は判定できません。".to_owned(),
            Verdict::Worse => format!("推奨設定ですが、ここでは{}悪化します（{}）。", subject(), change(by)),
            Verdict::Better | Verdict::Neutral => format!("推奨設定です。{}変化は{}です。", of(), change(by)),
        },
        Reason::PartOfRecommended { change: by } => {
            format!("推奨コマンドに含まれます。{}変化は{}です。", of(), change(by))
        }
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
        Reason::Worse { change: by } => match facts.report.objective.goal {
            Goal::Metric(_) => format!("{}で、遅くなります。", change(by)),
            Goal::Cost(_) | Goal::TokensPerJoule => format!("{}で、悪化します。", change(by)),
        },
        Reason::BelowRelevance { change: by, relevance_pct } => {
            format!("{}で、意味のある差とみなす{}を下回ります。", change(by), threshold(*relevance_pct))
        }
        Reason::WithinNoise { change: by } => format!("{}は{}ゆらぎの範囲です。", change(by), band(by)),
        Reason::Surpassed { change: by, by: other, elsewhere } => format!(
            "{}の改善ですが、{}{}のほうが上回ります。",
            change(by),
            place(elsewhere.as_ref(), "では"),
            facts.variant(other)
        ),
        Reason::WorseWhereItCounts { change: by, there, elsewhere } => format!(
            "{}の改善ですが、判定に使う{}悪化します（{}）。",
            change(by),
            place(Some(elsewhere), "では"),
            change(there)
        ),
        Reason::UnknownWhereItCounts { change: by, why } => {
            format!("{}の改善ですが、判定に使う値の改善とはいえません。{}", change(by), outcome(facts, Some(why)))
        }
        Reason::NotOnPrimary { change: by } => {
            format!("{}の改善ですが、主プロファイルでの計測がありません。", change(by))
        }
        Reason::FewerArguments { change: by, by: other, elsewhere } => format!(
            "{}の改善ですが、{}{}が少ない引数で同等の結果です。",
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
