//! 結論とその各行。

use super::{metric, profile};
use crate::advise::NotRecommended;
use crate::change::{Change, Verdict};
use crate::id::VariantId;
use crate::noise::NoiseEstimate;
use crate::report::{Reservation, Standing};
use crate::text::facts::{Facts, Repeats, RowNote, Worsening};
use crate::text::number::{count, grouped, pct, short, with_unit};
use crate::text::rich::{code, strong};

pub(in crate::text) fn headline(facts: &Facts<'_>) -> String {
    let report = facts.report;
    let primary = profile(facts, &report.primary_profile);
    match report.conclusion.standing {
        Standing::Nothing => {
            return format!(
                "推奨できる構成はありません。{primary}で十分な数のリクエストに成功した構成がないためです。"
            );
        }
        Standing::KeepBaseline => {
            return format!("基準設定のままで使えます。{primary}でこれを上回る構成はありませんでした。");
        }
        Standing::Recommended | Standing::WithReservations => {}
    }
    let Some(row) = report.primary_row() else {
        return format!("{primary}では、推奨設定と基準設定の両方がそろって計測されていません。");
    };
    let first = match (row.change.verdict, facts.change(&row.change)) {
        (_, None) | (Verdict::Unknown, _) => format!("{primary}での合計TPSの変化は不明です。"),
        (Verdict::Better, Some(pct)) => format!("{primary}の合計TPSは{}の改善です{}。", strong(pct), once(&row.change)),
        (Verdict::Worse, Some(pct)) => format!("{primary}では合計TPSが下がります（{}）。", strong(pct)),
        (Verdict::Neutral, Some(pct)) => format!("{primary}の合計TPSは変わりません（{}）。", strong(pct)),
        (Verdict::WithinNoise, Some(pct)) => {
            format!("{primary}での合計TPSの{}は、計測のゆらぎと区別できません。", strong(pct))
        }
        (Verdict::NotComparable, Some(_)) => {
            format!("{primary}のスループットは負荷で決まるため、効果は判定できません。")
        }
    };
    let gains = facts.others(Verdict::Better);
    let second = match (gains.as_slice(), facts.range(&gains)) {
        ([], _) | (_, None) => String::new(),
        ([one], Some((pct, _))) => {
            format!("{}では{}の改善です{}。", profile(facts, &one.profile), strong(pct), once(&one.change))
        }
        (many, Some((low, high))) => {
            format!("ほかの{}プロファイルでは{}〜{}の改善です。", many.len(), strong(low), strong(high))
        }
    };
    let losses = facts.others(Verdict::Worse);
    let losses: Vec<String> = losses
        .iter()
        .filter_map(|row| Some(format!("{}（{}）", profile(facts, &row.profile), strong(facts.change(&row.change)?))))
        .collect();
    let third = if losses.is_empty() {
        String::new()
    } else {
        format!("一方、{}では下がります。", losses.join("、"))
    };
    first + &second + &third
}

fn once(change: &Change) -> &'static str {
    if change.noise.is_none() { "（計測1回、ゆらぎ不明）" } else { "" }
}

pub(in crate::text) fn explanation(facts: &Facts<'_>) -> Vec<String> {
    let report = facts.report;
    let conclusion = &report.conclusion;
    let mut out = Vec::new();
    let Some(recommended) = &conclusion.recommended else { return out };
    if *recommended != conclusion.baseline {
        out.extend(difference(facts, recommended));
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
    if let Some(highest) = &conclusion.highest {
        let name = facts.variant(&highest.variant);
        let value = with_unit(report.objective, highest.value);
        out.push(match (highest.why, highest.above_recommended_pct) {
            (NotRecommended::Disqualified, _) => {
                format!("最も良い値は{name}の{value}ですが、失敗したリクエストが多すぎるため失格です。")
            }
            (NotRecommended::FewerArguments, Some(pct)) => format!(
                "最も良い値は{name}の{value}です。ただし差は{}で、意味のある差とみなす{}に届きません。そこで引数の少ないほうを推奨します。",
                strong(facts.unsigned(pct)),
                crate::text::number::pct(report.relevance_pct, 1)
            ),
            (NotRecommended::FewerArguments, None) => format!("最も良い値は{name}の{value}ですが、引数の少ないほうを推奨します。"),
        });
    }
    out
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
        (added, 0) => parts.push(format!("追加する引数は{added}個です")),
        (0, removed) => parts.push(format!("外す引数は{removed}個です")),
        (added, removed) => parts.push(format!("追加する引数は{added}個、外す引数は{removed}個です")),
    }
    (!parts.is_empty()).then(|| format!("基準設定と比べると、{}。", parts.join("。また、")))
}

pub(in crate::text) fn noise(facts: &Facts<'_>) -> Vec<String> {
    let report = facts.report;
    let mut out: Vec<String> = match facts.repeats() {
        Some(Repeats::None) => vec!["計測は1回だけなので、サーバーを起動し直したときのゆらぎは不明です。".to_owned()],
        Some(Repeats::OneStart) => {
            vec!["繰り返しはすべて1回のサーバー起動の中なので、起動し直したときのゆらぎは不明です。".to_owned()]
        }
        Some(Repeats::Starts) | None => Vec::new(),
    };
    out.extend(report.noise.iter().map(|estimate| noise_estimate(facts, estimate)));
    out.extend(facts.measured_bands().map(|(id, band)| {
        format!("{}：サーバー起動ごとの平均から求めた95%信頼区間は±{}です。", profile(facts, id), strong(pct(band, 2)))
    }));
    out
}

fn noise_estimate(facts: &Facts<'_>, estimate: &NoiseEstimate) -> String {
    let sd = estimate.sd_recomputed_pct.or(estimate.sd_reported_pct).unwrap_or_default();
    let band = estimate.band.recomputed_pct.or(estimate.band.reported_pct).unwrap_or_default();
    format!(
        "{}では、{}がどの値でも同時実行中の{}リクエストをすべて処理できるため、{}つの構成に差は出ないはずです。その合計TPSの標準偏差は{}でした。起動1回どうしの比較では{}（95%）を超えて初めて差といえます。",
        profile(facts, &estimate.profile),
        code(&estimate.flag),
        count(estimate.concurrency),
        estimate.n,
        pct(sd, 2),
        strong(format!("±{}", pct(band, 2)))
    )
}

pub(in crate::text) fn got_worse(facts: &Facts<'_>) -> Vec<String> {
    let sentence = |worsening: &Worsening<'_>| match *worsening {
        Worsening::Throughput { profile: id, pct } => {
            format!("{}：合計TPSが{}変化しました。", profile(facts, id), strong(facts.pct(pct)))
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
    facts.report.conclusion.reservations.iter().filter_map(|reservation| wrong_for(facts, reservation)).collect()
}

fn wrong_for(facts: &Facts<'_>, reservation: &Reservation) -> Option<String> {
    Some(match reservation {
        Reservation::Loses { profile } => {
            format!("{}のような負荷です。スループットが下がります。", self::profile(facts, profile))
        }
        Reservation::LatencyWorse { profile, metric: which } => {
            format!("{}のような負荷で、{}を重視する用途です。", self::profile(facts, profile), metric(*which))
        }
        Reservation::LoadLimited { profile } => {
            format!(
                "{}のように到着が緩やかな負荷です。どちらの設定も追いつくため、スループットは変わりません。",
                self::profile(facts, profile)
            )
        }
        Reservation::PrecisionChanged => "元の重みと同じ品質が必要な用途です。回答の品質は測っていません。".to_owned(),
        Reservation::SingleRun | Reservation::WithinNoise { .. } | Reservation::ReportedDiffers { .. } => return None,
    })
}

pub(in crate::text) fn row_note(facts: &Facts<'_>, note: RowNote) -> String {
    match note {
        RowNote::LoadLimited { offered } => {
            format!("負荷で頭打ち：どちらも{} req/sに追いつくため、スループットは比較できません。", short(offered, 2))
        }
        RowNote::ReportedOff { points } => {
            let way = if points > 0.0 { "高く" } else { "低く" };
            format!("報告値は{}ポイント{way}出ています。", grouped(points.abs(), 1))
        }
        RowNote::Interval { low, high } => format!("95%信頼区間は{}〜{}です。", facts.pct(low), facts.pct(high)),
        RowNote::MeasuredOnce => "計測1回、ゆらぎ不明です。".to_owned(),
    }
}
