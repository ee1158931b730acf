//! 負荷、レイテンシ、キャッシュ、ハードウェアについての所見。

use super::latency;
use crate::check::{HardwareLimit, WarmSign};
use crate::id::VariantId;
use crate::metrics::Latency;
use crate::text::number::{count, grouped, short};
use crate::text::rich::{code, strong};

/// 名前を挙げる組の数。残りは数だけを示します。
const NAMED_PAIRS: usize = 5;

pub(super) fn closed_loop(offered: f64, achieved: f64, in_flight: u64) -> String {
    format!(
        "リクエストレートの指定は毎秒{}件ですが、同時リクエスト数は{}で頭打ちになり、処理できたのは{} req/sです。実質的にはクローズドループの計測です。",
        short(offered, 2),
        strong(count(in_flight)),
        grouped(achieved, 2)
    )
}

pub(super) fn all_at_once(requests: u64) -> String {
    format!(
        "{}件のリクエストを一斉に送っているため、TTFTの大半はほかのリクエストを待つ時間です。",
        strong(count(requests))
    )
}

pub(super) fn concurrency_capped(flag: &str, knob: u64, in_flight: u64, declared: bool) -> String {
    let (flag, knob, in_flight) = (code(flag), strong(count(knob)), strong(count(in_flight)));
    if declared {
        format!("{flag}は{knob}ですが、クライアントの同時実行数の上限が{in_flight}なので、この設定は効きません。")
    } else {
        format!("{flag}は{knob}ですが、クライアントの同時リクエスト数は{in_flight}が最大でした。この設定は効きません。")
    }
}

pub(super) fn latency_unexplained(explained_ms: f64, e2el_ms: f64, unexplained: &str) -> String {
    format!(
        "平均E2ELは{} sですが、TTFTと報告されたITLからは{} sにしかならず、{}の説明がつきません。ツールがトークンの到着を1つずつ捉えていないとみられます。",
        grouped(e2el_ms / 1000.0, 2),
        grouped(explained_ms / 1000.0, 2),
        strong(unexplained)
    )
}

pub(super) fn tpot_weight(implied_s: f64, duration_s: f64) -> String {
    format!(
        "平均TTFT＋平均TPOT×（出力トークン数 − 1）は{} sで、ベンチマーク全体の{} sを超えます。平均TPOTは短い回答も長い回答も同じ重みで数えるため、長さがそろわない負荷ではトークンあたりのデコード時間とはいえません。",
        strong(grouped(implied_s, 2)),
        grouped(duration_s, 2)
    )
}

pub(super) fn itl_intervals(intervals: f64, expected: f64) -> String {
    format!(
        "ITLの平均は1回答あたり{}個の間隔から計算されていますが、2個目以降のトークンは{}個です。ストリームのチャンクの間隔なので、推論エンジンどうしの比較には使えません。",
        strong(grouped(intervals, 2)),
        grouped(expected, 0)
    )
}

pub(super) fn itl_bursts(median_ms: f64, mean_ms: f64) -> String {
    format!(
        "トークンの間隔は、半分が{} ms以下なのに対して平均は{} msです。トークンがまとまって届くため、ITLの中央値は参考になりません。",
        strong(grouped(median_ms, 2)),
        grouped(mean_ms, 2)
    )
}

pub(super) fn tail_beyond_p99(of: Latency, mean_ms: f64, median_ms: f64, p99_ms: f64, least_ms: f64) -> String {
    format!(
        "{}は中央値{} ms、P99 {} ms、平均{} msです。この平均になるには、最も遅い1%が平均{} ms以上でなければなりません。P99に表れない停止があります。",
        latency(of),
        grouped(median_ms, 2),
        grouped(p99_ms, 2),
        grouped(mean_ms, 2),
        strong(grouped(least_ms, 0))
    )
}

pub(super) fn warm_cache(sign: WarmSign, ttft_ms: f64, least_ms: f64, tps: Option<(f64, f64)>) -> String {
    let (ttft, least) = (strong(grouped(ttft_ms, 2)), grouped(least_ms, 2));
    match (sign, tps) {
        (WarmSign::Repeats, Some((total, most))) => format!(
            "平均TTFTは{ttft} msで、同じ構成のほかの実行（{least} ms以上）の半分未満です。合計TPSも{}で、ほかの実行の最大{}を大きく超えています。プレフィックスキャッシュが残ったまま計測したとみられるため、平均には含めていません。",
            strong(grouped(total, 2)),
            grouped(most, 2)
        ),
        (WarmSign::Repeats, None) | (WarmSign::Prefill, _) => format!(
            "平均TTFTは{ttft} msですが、この長さのプロンプトの処理にはGPUの理論性能でも{least} msかかります。プレフィックスキャッシュが残ったまま計測したとみられます。"
        ),
    }
}

/// GPU、GPU数、またはその両方。
fn hardware(gpu: Option<&str>, gpus: Option<u32>) -> String {
    match (gpu, gpus) {
        (Some(gpu), Some(gpus)) => format!("{gpu} × {gpus}"),
        (Some(gpu), None) => gpu.to_owned(),
        (None, Some(gpus)) => format!("GPU {gpus}基"),
        (None, None) => "別のハードウェア".to_owned(),
    }
}

/// 一方の側のGPUとGPU数。
pub(super) type Side<'a> = (Option<&'a str>, Option<u32>);

pub(super) fn hardware_differs(
    ours: Side<'_>,
    usual: Side<'_>,
    per_gpu: Option<(f64, f64, String)>,
    compared: bool,
) -> String {
    let (ours, usual) = (strong(hardware(ours.0, ours.1)), hardware(usual.0, usual.1));
    if !compared {
        return format!("計測に使われたのは{ours}ですが、検証の記述では{usual}です。");
    }
    let per_gpu = per_gpu.map_or_else(String::new, |(from, to, change)| {
        format!("GPUあたりの合計TPSは、{}に対して{}です（{}）。", grouped(from, 2), grouped(to, 2), strong(change))
    });
    format!("基準設定は{usual}、比較する構成は{ours}での計測なので、合計の値は比較できません。{per_gpu}")
}

/// GPU、GPU数、重みの数（10億個単位）、ビット数。
pub(super) type Serves<'a> = (&'a str, u32, f64, u8);

pub(super) fn beyond_hardware(
    limit: HardwareLimit,
    measured: f64,
    bound: f64,
    (gpu, gpus, billions, bits): Serves<'_>,
    in_flight: Option<u64>,
) -> String {
    let (figure, what) = match limit {
        HardwareLimit::Compute => ("合計TPS", "演算性能"),
        HardwareLimit::Output => ("出力TPS", "メモリ帯域幅"),
        HardwareLimit::PeakOutput => ("出力TPSのピーク", "メモリ帯域幅"),
        HardwareLimit::Pace => ("1つの回答の生成速度", "メモリ帯域幅"),
    };
    let with = in_flight.map_or_else(String::new, |n| format!("、同時リクエスト数{}", count(n)));
    let why = match limit {
        HardwareLimit::Compute => "プロンプトの多くをプレフィックスキャッシュから読んだか、値が誤っています。",
        HardwareLimit::Output | HardwareLimit::PeakOutput | HardwareLimit::Pace => "",
    };
    format!(
        "{figure}は{} tok/sですが、{gpu} × {gpus}の{what}では{} tok/sが上限です（モデルは{}B、{bits}ビット{with}）。{why}",
        strong(grouped(measured, 2)),
        grouped(bound, 0),
        short(billions, 2)
    )
}

pub(super) fn sign_flips(reported: &str, recomputed: &str) -> String {
    format!(
        "合計TPSの変化は、報告値では{}、トークン数と所要時間から計算すると{}で、符号が逆になります。",
        strong(reported),
        strong(recomputed)
    )
}

pub(super) fn order_flips(pairs: &[(VariantId, VariantId)]) -> String {
    let named = pairs.iter().take(NAMED_PAIRS);
    let mut named: Vec<String> =
        named.map(|(first, second)| format!("{}と{}", code(first.as_str()), code(second.as_str()))).collect();
    if pairs.len() > NAMED_PAIRS {
        named.push(format!("ほか{}組", pairs.len() - NAMED_PAIRS));
    }
    format!(
        "合計TPSの順位は、報告値と、トークン数と所要時間からの計算とで入れ替わります（報告値で上位の構成が先）：{}。",
        named.join("、")
    )
}
