//! 繰り返し計測の回数と、段階ごとのばらつき。計測は実行、起動はサーバーの起動を数えます。

use super::profile;
use crate::aggregate::Figures;
use crate::change::Repeats;
use crate::id::ProfileId;
use crate::stats::Spread;
use crate::text::facts::{Facts, Sides, Unrepeated};
use crate::text::number::{grouped, pct};
use crate::text::rich::strong;

/// `「ShareGPT」の基準設定：サーバー起動3回（実行3 + 2 + 1件）の合計TPSは平均33,089.00 tok/s …`
pub(super) fn spread(facts: &Facts<'_>, id: &ProfileId, figures: &Figures, spread: &Spread) -> String {
    let (starts, recorded) = (&spread.starts, figures.repeats().starts.is_some());
    let runs: Vec<String> = spread.runs.iter().map(|level| level.n.to_string()).collect();
    let (mean, runs) = (grouped(starts.mean, 2), runs.join(" + "));
    let of = format!("{}の{}：", profile(facts, id), facts.variant(&figures.variant));
    let between = match (starts.pct(starts.sd), starts.pct(starts.half_width)) {
        (Some(sd), Some(half)) => format!(
            "サーバー起動{}回（実行{runs}件）の合計TPSは平均{mean} tok/sです。起動間の標準偏差は{}、平均の95%信頼区間は{}です。",
            starts.n,
            pct(sd, 2),
            strong(format!("±{}", pct(half, 2)))
        ),
        _ if recorded => format!("サーバー起動1回（実行{runs}件）の合計TPSは平均{mean} tok/sです。"),
        _ => format!("実行{runs}件の合計TPSは平均{mean} tok/sです。"),
    };
    let within = starts.pct(spread.within_sd);
    let of_runs = if recorded { "同じ起動の中での標準偏差" } else { "標準偏差" };
    of + &between + &within.map_or_else(String::new, |sd| format!("{of_runs}は{}です。", pct(sd, 2)))
}

/// `計測1回`、`起動1回・計測3回`
pub(super) fn repeats(of: Repeats) -> String {
    match (of.starts, of.runs) {
        (_, ..2) => "計測1回".to_owned(),
        (Some(starts), runs) => format!("起動{starts}回・計測{runs}回"),
        (None, runs) => format!("計測{runs}回・起動の記録なし"),
    }
}

/// 回数と、そこから分からないこと。
pub(super) fn unproven(of: Repeats) -> String {
    match (of.restarted(), of.runs) {
        (false, 2..) => format!("{}、再起動によるゆらぎは不明", repeats(of)),
        (_, _) => format!("{}、ゆらぎ不明", repeats(of)),
    }
}

/// 1回の起動だけで計測したもの。
pub(super) fn unrepeated(facts: &Facts<'_>, of: &Unrepeated<'_>) -> String {
    let profiles: String = of.profiles.iter().map(|id| profile(facts, id)).collect();
    let whose = match (of.sides, profiles.is_empty()) {
        (Sides::Both, true) => String::new(),
        (Sides::Both, false) => format!("{profiles}の"),
        (Sides::Baseline, true) => "基準設定の".to_owned(),
        (Sides::Baseline, false) => format!("{profiles}の基準設定の"),
        (Sides::Recommended, true) => "推奨設定の".to_owned(),
        (Sides::Recommended, false) => format!("{profiles}の推奨設定の"),
    };
    match (of.repeats.runs, of.repeats.starts) {
        (..2, _) => format!("{whose}計測は1回だけなので、サーバーを起動し直したときのゆらぎは不明です。"),
        (n, None) => format!("{whose}計測{n}回にはサーバー起動の記録がないため、起動し直したときのゆらぎは不明です。"),
        (n, Some(_)) => {
            format!("{whose}計測{n}回はすべて1回のサーバー起動の中なので、起動し直したときのゆらぎは不明です。")
        }
    }
}

/// 2つの計測だけではゆらぎが分からない比較。
pub(super) fn single_run(baseline: Repeats, candidate: Repeats) -> String {
    let who = match baseline == candidate {
        true => format!("どちらも{}", repeats(baseline)),
        false => format!("基準設定は{}、比較する構成は{}", repeats(baseline), repeats(candidate)),
    };
    match baseline.runs.min(candidate.runs) {
        ..2 => format!("{who}です。この比較だけでは、ゆらぎは分かりません。"),
        _ => format!("{who}です。この比較だけでは、サーバーを起動し直したときのゆらぎは分かりません。"),
    }
}
