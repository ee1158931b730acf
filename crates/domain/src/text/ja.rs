//! 日本語の文。です・ますで短く書き、数値は事実から取ります。

use super::facts::Facts;
use super::number::{count, grouped, pct, percentile, short, signed_pct, with_unit};
use super::rich::{code, strong};
use crate::advise::{Decision, NotRecommended, Reason};
use crate::change::{Change, NoiseBand, NoiseSource, Verdict};
use crate::check::{Contradiction, Evidence, Severity, Side};
use crate::id::{ProfileId, RunId, VariantId};
use crate::metric::Metric;
use crate::metrics::{Latency, Stat};
use crate::noise::NoiseEstimate;
use crate::report::{ConclusionRow, Report, Reservation, Standing, StepReport, Summary, TpotDirection};
use crate::study::{Basis, OptionBase};

pub(super) fn verdict(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Better => "改善",
        Verdict::Worse => "悪化",
        Verdict::Neutral => "変化なし",
        Verdict::WithinNoise => "ゆらぎの範囲",
        Verdict::Unknown => "不明",
        Verdict::NotComparable => "比較不可",
    }
}

pub(super) fn decision(decision: Decision) -> &'static str {
    match decision {
        Decision::Baseline => "基準設定を維持",
        Decision::Adopted => "採用",
        Decision::Rejected => "不採用",
        Decision::NoRelevantGain => "目立つ効果なし",
        Decision::NotComparable => "比較不可",
    }
}

pub(super) fn severity(severity: Severity) -> &'static str {
    match severity {
        Severity::Info => "情報",
        Severity::Warning => "警告",
        Severity::Disqualifying => "失格",
    }
}

pub(super) fn standing(standing: Standing) -> &'static str {
    match standing {
        Standing::Recommended => "推奨",
        Standing::WithReservations => "条件付きで推奨",
        Standing::KeepBaseline => "基準設定を維持",
        Standing::Nothing => "推奨なし",
    }
}

pub(super) fn basis(basis: Basis) -> &'static str {
    match basis {
        Basis::Recomputed => "再計算値",
        Basis::Reported => "報告値",
    }
}

fn latency(latency: Latency) -> &'static str {
    super::en::latency(latency)
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

pub(super) fn metric(metric: Metric) -> String {
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

/// かぎ括弧で囲み、「スループット」のような名前を本文の語と区別します。
fn profile(facts: &Facts<'_>, id: &ProfileId) -> String {
    format!("「{}」", facts.profile(id))
}

pub(super) fn headline(facts: &Facts<'_>) -> String {
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

pub(super) fn explanation(facts: &Facts<'_>) -> Vec<String> {
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
                super::number::pct(report.relevance_pct, 1)
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

pub(super) fn noise(facts: &Facts<'_>) -> Vec<String> {
    let report = facts.report;
    let mut out = Vec::new();
    if report.conclusion.reservations.contains(&Reservation::SingleRun) {
        out.push("計測は1回だけなので、サーバーを起動し直したときのゆらぎは不明です。".to_owned());
    }
    out.extend(report.noise.iter().map(|estimate| noise_estimate(facts, estimate)));
    for row in &report.conclusion.rows {
        let Some(NoiseBand { recomputed_pct: Some(band), source: NoiseSource::Starts, .. }) = row.change.noise else {
            continue;
        };
        out.push(format!(
            "{}：サーバー起動ごとの平均から求めた95%信頼区間は±{}です。",
            profile(facts, &row.profile),
            strong(pct(band, 2))
        ));
    }
    if out.is_empty() {
        out.push("サーバーを起動し直した繰り返し計測があります。".to_owned());
    }
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

pub(super) fn got_worse(facts: &Facts<'_>) -> Vec<String> {
    facts.report.conclusion.rows.iter().flat_map(|row| worse_in(facts, row)).collect()
}

fn worse_in(facts: &Facts<'_>, row: &ConclusionRow) -> Vec<String> {
    let profile = profile(facts, &row.profile);
    let tails = row.findings.iter().filter_map(|finding| match &finding.evidence {
        Evidence::TailRegression { latency: name, stat: of, baseline_ms, candidate_ms, change_pct } => {
            Some(worsened(facts, &profile, Metric::Latency(*name, *of), *baseline_ms, *candidate_ms, *change_pct))
        }
        _ => None,
    });
    let means = row.metrics.iter().filter_map(|metric| {
        let mean = matches!(metric.metric, Metric::Latency(_, Stat::Mean));
        let (from, to) = metric.baseline.zip(metric.recommended)?;
        let pct = metric.change.pct()?;
        (mean && metric.change.verdict == Verdict::Worse && pct >= super::MENTIONED_PCT)
            .then(|| worsened(facts, &profile, metric.metric, from, to, pct))
    });
    let loss = (row.change.verdict == Verdict::Worse).then(|| facts.change(&row.change)).flatten();
    loss.map(|pct| format!("{profile}：合計TPSが{}変化しました。", strong(pct)))
        .into_iter()
        .chain(tails)
        .chain(means)
        .collect()
}

fn worsened(facts: &Facts<'_>, profile: &str, which: Metric, from: f64, to: f64, pct: f64) -> String {
    format!(
        "{profile}：{}が{}から{}に延びています（{}）。",
        metric(which),
        with_unit(which, from),
        with_unit(which, to),
        strong(facts.pct(pct))
    )
}

pub(super) fn wrong_choice(facts: &Facts<'_>) -> Vec<String> {
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

pub(super) fn row_note(facts: &Facts<'_>, row: &ConclusionRow) -> Option<String> {
    if let Some(Evidence::LoadLimited { offered, .. }) =
        row.findings.iter().map(|f| &f.evidence).find(|e| matches!(e, Evidence::LoadLimited { .. }))
    {
        return Some(format!(
            "負荷で頭打ち：どちらも{} req/sに追いつくため、スループットは比較できません。",
            short(*offered, 2)
        ));
    }
    let points =
        row.change.reported_pct.zip(row.change.recomputed_pct).map(|(reported, recomputed)| reported - recomputed);
    if let Some(points) = points.filter(|points| points.abs() > super::SHOW_BOTH_POINTS) {
        let way = if points > 0.0 { "高く" } else { "低く" };
        return Some(format!("報告値は{}ポイント{way}出ています。", grouped(points.abs(), 1)));
    }
    match (
        row.change.verdict,
        row.change.noise.and_then(|noise| noise.recomputed_pct.or(noise.reported_pct)),
        row.change.pct(),
    ) {
        (Verdict::WithinNoise, Some(band), Some(change)) => {
            Some(format!("95%信頼区間は{}〜{}です。", facts.pct(change - band), facts.pct(change + band)))
        }
        (Verdict::Better | Verdict::Worse, None, _) => Some("計測1回、ゆらぎ不明です。".to_owned()),
        _ => None,
    }
}

pub(super) fn summary(facts: &Facts<'_>, step: &StepReport, summary: &Summary) -> Option<String> {
    let (best, worst) = step.best.as_ref().zip(step.worst.as_ref())?;
    let names = [best, worst];
    let mut text = format!(
        "{}の合計TPSは{}より{} tok/s（{}）高い値でした。",
        facts.variant_among(best, &names),
        facts.variant_among(worst, &names),
        strong(grouped(summary.tps_difference, 2)),
        strong(facts.unsigned(summary.tps_pct))
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
        let reverses =
            summary.tpot_direction.is_some_and(|way| (way == TpotDirection::Reduction) != (best_ms < worst_ms));
        let end = if reverses { "となり、順序が逆転します" } else { "です" };
        text += &format!(
            "ただしレイテンシから計算したTPOTは{} msと{} ms{end}。",
            strong(grouped(best_ms, 2)),
            strong(grouped(worst_ms, 2))
        );
    }
    Some(text)
}

pub(super) fn reason(facts: &Facts<'_>, reason: &Reason) -> String {
    let change = |change: &Change| match (facts.both(change), facts.change(change)) {
        (Some((reported, recomputed)), _) if reported != recomputed => {
            format!("{}（報告値は{reported}）", strong(recomputed))
        }
        (Some((_, recomputed)), _) => strong(recomputed),
        (None, Some(pct)) => strong(pct),
        (None, None) => "不明".to_owned(),
    };
    let band = |change: &Change| {
        let band = change
            .noise
            .and_then(|noise| if change.recomputed_pct.is_some() { noise.recomputed_pct } else { noise.reported_pct });
        band.map_or_else(String::new, |band| format!("±{}の", pct(band, 2)))
    };
    match reason {
        Reason::BaselineWins { runner_up: Some(other), change: Some(by) } => {
            format!("基準設定を上回る構成はありません。次点は{}で、{}です。", facts.variant(other), change(by))
        }
        Reason::BaselineWins { .. } => "基準設定を上回る構成はありません。".to_owned(),
        Reason::Recommended { change: by } if by.verdict == Verdict::WithinNoise => {
            format!("検証中の最高値で{}です。ただし{}ゆらぎの範囲に収まります。", change(by), band(by))
        }
        Reason::Recommended { change: by } => format!("検証中の最高値で、{}です。", change(by)),
        Reason::PartOfRecommended { change: by } => format!("推奨コマンドに含まれます。変化は{}です。", change(by)),
        Reason::TooManyFailures { success_pct, minimum_pct } => {
            format!("成功率は{}で、必要な{}に届きません。", strong(pct(*success_pct, 1)), pct(*minimum_pct, 0))
        }
        Reason::Worse { change: by } => format!("{}で、遅くなります。", change(by)),
        Reason::BelowRelevance { change: by, relevance_pct } => {
            format!("{}で、意味のある差とみなす{}に届きません。", change(by), pct(*relevance_pct, 1))
        }
        Reason::WithinNoise { change: by } => format!("{}は{}ゆらぎの範囲です。", change(by), band(by)),
        Reason::Surpassed { change: by, by: other } => {
            format!("{}の改善ですが、{}のほうが上回ります。", change(by), facts.variant(other))
        }
        Reason::LoadLimited => "スループットは負荷で決まるため、比較できません。".to_owned(),
        Reason::NotMeasured => "判定に使う値が未計測です。".to_owned(),
    }
}

pub(super) fn evidence(evidence: &Evidence, number: &dyn Fn(&RunId) -> String) -> String {
    match evidence {
        Evidence::RateMismatch { figure, reported, recomputed, deviation_pct } => format!(
            "{}は{}と報告されていますが、トークン数やリクエスト数を所要時間で割ると{}です（{}）。GuideLLM系のツールは所要時間より短い区間で割ります。",
            metric(*figure),
            strong(with_unit(*figure, *reported)),
            strong(with_unit(*figure, *recomputed)),
            signed_pct(*deviation_pct, 2)
        ),
        Evidence::TpotIdentity { reported_ms, recomputed_ms, includes_first_token, .. } => format!(
            "平均TPOTは{} msと報告されていますが、（E2EL − TTFT）÷（出力トークン数 − 1）では{} msになります。{}",
            strong(grouped(*reported_ms, 2)),
            strong(grouped(*recomputed_ms, 2)),
            if *includes_first_token { "報告値には最初のトークンが含まれています。" } else { "" }
        ),
        Evidence::PeakImplausible { peak, times_mean, generated_tokens, .. } => {
            match generated_tokens.filter(|all| *peak > *all as f64) {
                Some(all) => format!(
                    "ピーク{} tok/sは、生成した全トークン数{}を超えています。",
                    strong(grouped(*peak, 2)),
                    count(all)
                ),
                None => format!("ピーク{} tok/sは平均の{}倍です。", strong(grouped(*peak, 2)), grouped(*times_mean, 1)),
            }
        }
        Evidence::PeakBelowMean { peak, mean } => {
            format!("ピーク{} tok/sが平均{} tok/sを下回っています。", strong(grouped(*peak, 2)), grouped(*mean, 2))
        }
        Evidence::PercentileOrder { latency: name, lower, lower_ms, higher, higher_ms } => format!(
            "{}の{}（{} ms）が{}（{} ms）を上回っています。",
            latency(*name),
            stat(*lower),
            strong(grouped(*lower_ms, 2)),
            stat(*higher),
            strong(grouped(*higher_ms, 2))
        ),
        Evidence::MeanAboveP99 { latency: name, mean_ms, p99_ms } => format!(
            "{}の平均{} msがP99の{} msを上回っています。ごく一部のリクエストが平均を押し上げています。",
            latency(*name),
            strong(grouped(*mean_ms, 2)),
            strong(grouped(*p99_ms, 2))
        ),
        Evidence::NotMeasuredZero { latency: name, stats } => {
            let stats: Vec<String> = stats.iter().map(|of| stat(*of)).collect();
            format!(
                "{}の{}が0.00 msです。時間のかからないトークンはないので、計測されていないと考えられます。",
                latency(*name),
                stats.join("、")
            )
        }
        Evidence::SuccessRate { successful, attempted, success_pct, minimum_pct } => format!(
            "成功したのは{}件中{}件（{}）です。{}以上が必要なので、この実行は推奨の対象になりません。",
            count(*attempted),
            strong(count(*successful)),
            strong(pct(*success_pct, 1)),
            pct(*minimum_pct, 0)
        ),
        Evidence::SurvivorsDiffer { input_per_request, output_per_request, usual_input, usual_output } => format!(
            "成功したリクエストの平均は入力{}トークン、出力{}トークンです。同じプロファイルのほかの実行では{}と{}なので、同じ負荷とはいえません。",
            strong(grouped(*input_per_request, 2)),
            strong(grouped(*output_per_request, 2)),
            grouped(*usual_input, 2),
            grouped(*usual_output, 2)
        ),
        Evidence::ContradictoryCounts { contradiction, larger, bound } => match contradiction {
            Contradiction::MoreThanPlanned => {
                format!(
                    "送るはずだった{}件に対し、{}件が数えられています。",
                    grouped(*bound, 0),
                    strong(grouped(*larger, 0))
                )
            }
            Contradiction::TtftAboveE2el => {
                format!(
                    "平均TTFT {} msが平均E2EL {} msを上回っています。",
                    strong(grouped(*larger, 2)),
                    grouped(*bound, 2)
                )
            }
            Contradiction::E2elAboveDuration => format!(
                "{} sかかったリクエストがあり、ベンチマーク全体の{} sより長くなっています。",
                strong(grouped(larger / 1000.0, 2)),
                grouped(bound / 1000.0, 2)
            ),
        },
        Evidence::LittlesLaw { implied, limit } => format!(
            "スループットとレイテンシの積から求めた同時リクエスト数は{}ですが、上限は{}でした。",
            strong(grouped(*implied, 1)),
            grouped(*limit, 0)
        ),
        Evidence::LoadLimited { offered, achieved_baseline, achieved_candidate } => format!(
            "リクエストは毎秒{}件届き、どちらの設定も追いついています（{} req/sと{} req/s）。スループットは負荷で決まるため、比べられるのはレイテンシだけです。",
            strong(short(*offered, 2)),
            grouped(*achieved_baseline, 2),
            grouped(*achieved_candidate, 2)
        ),
        Evidence::LengthDeviation { side, asked, measured, deviation_pct } => format!(
            "リクエストあたりの{}トークン数は、指定の{}に対して{}でした（{}）。",
            match side {
                Side::Input => "入力",
                Side::Output => "出力",
            },
            grouped(*asked, 0),
            strong(grouped(*measured, 2)),
            signed_pct(*deviation_pct, 2)
        ),
        Evidence::LowSampleTail { stat: of, requests, beyond } => {
            format!(
                "{}リクエストの{}は、およそ{}件だけで決まる値です。",
                count(*requests),
                stat(*of),
                strong(short(*beyond, 1))
            )
        }
        Evidence::DuplicateMeasurement { same_as } => {
            format!("すべての値が実行{}と同じです。1回の計測に名前が2つ付いています。", strong(number(same_as)))
        }
        Evidence::SingleRun { baseline_n, candidate_n } => {
            format!("計測回数は基準設定が{baseline_n}回、比較する構成が{candidate_n}回です。ゆらぎは不明です。")
        }
        Evidence::TailRegression { latency: name, stat: of, baseline_ms, candidate_ms, change_pct } => {
            let which = Metric::Latency(*name, *of);
            format!(
                "{}が{}から{}に延びています（{}）。",
                metric(which),
                with_unit(which, *baseline_ms),
                with_unit(which, *candidate_ms),
                strong(signed_pct(*change_pct, 2))
            )
        }
        Evidence::PrecisionChanged { baseline_model, candidate_model } => {
            format!(
                "重みが異なります（{}と{}）。回答の品質が同じかどうかは測っていません。",
                code(baseline_model),
                code(candidate_model)
            )
        }
    }
}

pub(super) fn method(report: &Report) -> Vec<String> {
    vec![
        "すべての値は、生の出力から計算し直しています。スループットはトークン数÷所要時間、TPOTは（E2EL − TTFT）÷（1リクエストあたりの出力トークン数 − 1）です。再計算値とツールの報告値が異なるときは、両方を示します。".to_owned(),
        match report.basis {
            Basis::Reported => "この検証では、構成の順位、要約、最適化項目の一覧に報告値を使います。".to_owned(),
            Basis::Recomputed => "この検証では、構成の順位、要約、最適化項目の一覧に再計算値を使います。".to_owned(),
        },
        match report.option_base {
            OptionBase::Baseline => "最適化項目は、検証の基準設定と比べています。".to_owned(),
            OptionBase::Previous => "最適化項目は、1つ前の項目の最良の構成と比べています。".to_owned(),
        },
        format!(
            "{}未満の差は「変化なし」とします。成功したリクエストが{}に満たない実行は失格です。最良の値との差が{}以内の構成のうち、引数が最も少ないものを推奨します。",
            pct(report.relevance_pct, 1),
            pct(report.min_success_pct, 0),
            pct(report.relevance_pct, 1)
        ),
    ]
}

pub(super) fn line(number: usize) -> String {
    format!("{number}行目")
}

pub(super) fn runs(n: usize) -> String {
    format!("実行{n}件")
}
