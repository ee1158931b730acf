//! 繰り返し計測の回数と、段階ごとのばらつき。

use super::profile;
use crate::id::{ProfileId, VariantId};
use crate::stats::Spread;
use crate::text::facts::Facts;
use crate::text::number::{grouped, pct};
use crate::text::rich::strong;

/// `「ShareGPT」の基準設定：サーバー起動3回（実行3 + 2 + 1件）の合計TPSは平均33,089.00 tok/s …`
pub(super) fn spread(facts: &Facts<'_>, id: &ProfileId, variant: &VariantId, spread: &Spread) -> String {
    let starts = &spread.starts;
    let runs: Vec<String> = spread.runs.iter().map(|level| level.n.to_string()).collect();
    let (mean, runs) = (grouped(starts.mean, 2), runs.join(" + "));
    let of = format!("{}の{}：", profile(facts, id), facts.variant(variant));
    let between = match (starts.pct(starts.sd), starts.pct(starts.half_width)) {
        (Some(sd), Some(half)) => format!(
            "サーバー起動{}回（実行{runs}件）の合計TPSは平均{mean} tok/sです。起動間の標準偏差は{}、平均の95%信頼区間は{}です。",
            starts.n,
            pct(sd, 2),
            strong(format!("±{}", pct(half, 2)))
        ),
        _ => format!(
            "1回のサーバー起動（実行{runs}件）の合計TPSは平均{mean} tok/sです。起動し直したときのゆらぎは不明です。"
        ),
    };
    let within = starts.pct(spread.within_sd);
    of + &between + &within.map_or_else(String::new, |sd| format!("同じ起動の中での標準偏差は{}です。", pct(sd, 2)))
}
