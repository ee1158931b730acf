//! 所見の文。

use super::{doubts, latency, metric, stat};
use crate::check::{Contradiction, Evidence, Side};
use crate::metric::Metric;
use crate::text::Naming;
use crate::text::number::{count, grouped, pct_below, short, threshold, with_unit};
use crate::text::rich::{code, strong};
use crate::units::RequestRate;

pub(in crate::text) fn evidence(evidence: &Evidence, by: &Naming<'_>) -> String {
    match evidence {
        Evidence::RateMismatch { figure, reported, recomputed, deviation_pct, other_window } => format!(
            "{}は{}と報告されていますが、トークン数やリクエスト数を所要時間で割ると{}です（{}）。{}",
            metric(*figure),
            strong(with_unit(*figure, *reported)),
            strong(with_unit(*figure, *recomputed)),
            by.signed(*deviation_pct),
            if *other_window {
                "GuideLLM系のツールは、所要時間より短い区間で割って算出します。"
            } else {
                ""
            }
        ),
        Evidence::TpotIdentity {
            reported_ms,
            recomputed_ms,
            includes_first_token,
            from_itl_ms,
            weighs_requests,
            ..
        } => format!(
            "平均TPOTは{} msと報告されていますが、（E2EL − TTFT）÷（出力トークン数 − 1）では{} msになります。{}",
            strong(grouped(*reported_ms, 2)),
            strong(grouped(*recomputed_ms, 2)),
            match from_itl_ms {
                _ if *includes_first_token => "報告値には最初のトークンが含まれています。".to_owned(),
                Some(itl) => format!(
                    "報告値は（TTFT + ITL ×（n − 1））÷ nに一致しますが、その平均ITL {} msにデコード時間が反映されていません。",
                    grouped(*itl, 2)
                ),
                None if *weighs_requests => {
                    "報告値は短い回答も長い回答も同じ重みで平均するため、長さがそろわない負荷ではトークンあたりのデコード時間より長くなります。".to_owned()
                }
                None => String::new(),
            }
        ),
        Evidence::PeakImplausible { peak, times_mean, generated_tokens, .. } => {
            match generated_tokens.filter(|all| *peak > *all as f64) {
                Some(all) => format!(
                    "出力TPSのピーク{} tok/sは、生成した全トークン数の{}を超えています。",
                    strong(grouped(*peak, 2)),
                    count(all)
                ),
                None => format!(
                    "出力TPSのピーク{} tok/sは、平均の{}倍です。",
                    strong(grouped(*peak, 2)),
                    grouped(*times_mean, 1)
                ),
            }
        }
        Evidence::PeakBelowMean { peak, mean } => {
            format!(
                "出力TPSのピーク{} tok/sが、平均の{} tok/sを下回っています。",
                strong(grouped(*peak, 2)),
                grouped(*mean, 2)
            )
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
            format!("{}の{}が0.00 msです。0 msはありえないため、未計測とみなします。", latency(*name), stats.join("、"))
        }
        Evidence::SuccessRate { successful, attempted, success_pct, minimum_pct } => format!(
            "成功したのは{}件中{}件（{}）です。{}以上が必要なので、この実行は推奨の対象になりません。",
            count(*attempted),
            strong(count(*successful)),
            strong(pct_below(*success_pct, *minimum_pct)),
            threshold(*minimum_pct)
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
                    "送信予定は{}件ですが、結果には{}件が計上されています。",
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
            Contradiction::AboveOffered => format!(
                "報告されたトークンのスループットは毎秒{}件のリクエストに相当しますが、届くのは毎秒{}件です。件数と所要時間から計算すると、処理したのはさらに少ない件数です。",
                strong(grouped(*larger, 3)),
                short(*bound, 2)
            ),
            Contradiction::E2elAboveDuration => format!(
                "{} sかかったリクエストがありますが、ベンチマーク全体の所要時間は{} sです。",
                strong(grouped(larger / 1000.0, 2)),
                grouped(bound / 1000.0, 2)
            ),
        },
        Evidence::LittlesLaw { implied, limit } => format!(
            "スループットとレイテンシの積から求めた同時リクエスト数は{}で、実際の最大値{}を超えています。",
            strong(grouped(*implied, 1)),
            grouped(*limit, 0)
        ),
        Evidence::ClosedLoop { offered, achieved, in_flight } => doubts::closed_loop(*offered, *achieved, *in_flight),
        Evidence::AllAtOnce { requests } => doubts::all_at_once(*requests),
        Evidence::ConcurrencyCapped { flag, knob, in_flight, declared } => {
            doubts::concurrency_capped(flag, *knob, *in_flight, *declared)
        }
        Evidence::LatencyUnexplained { explained_ms, e2el_ms, unexplained_pct } => {
            doubts::latency_unexplained(*explained_ms, *e2el_ms, &by.pct(*unexplained_pct))
        }
        Evidence::TpotWeight { implied_s, duration_s } => doubts::tpot_weight(*implied_s, *duration_s),
        Evidence::ItlIntervals { intervals, expected } => doubts::itl_intervals(*intervals, *expected),
        Evidence::ItlBursts { median_ms, mean_ms } => doubts::itl_bursts(*median_ms, *mean_ms),
        Evidence::TailBeyondP99 { latency, mean_ms, median_ms, p99_ms, least_ms } => {
            doubts::tail_beyond_p99(*latency, *mean_ms, *median_ms, *p99_ms, *least_ms)
        }
        Evidence::WarmCache { sign, ttft_ms, least_ms, total_tps, most_tps } => {
            doubts::warm_cache(*sign, *ttft_ms, *least_ms, total_tps.zip(*most_tps))
        }
        Evidence::HardwareDiffers { gpu, gpus, usual_gpu, usual_gpus, per_gpu, compared } => {
            let per_gpu = per_gpu.map(|each| (each.baseline, each.candidate, by.signed(each.change_pct)));
            doubts::hardware_differs((gpu.as_deref(), *gpus), (usual_gpu.as_deref(), *usual_gpus), per_gpu, *compared)
        }
        Evidence::BeyondHardware { limit, measured, bound, gpu, gpus, billions, bits, in_flight } => {
            doubts::beyond_hardware(*limit, *measured, *bound, (gpu, *gpus, *billions, *bits), *in_flight)
        }
        Evidence::SignFlips { reported_pct, recomputed_pct } => {
            doubts::sign_flips(&by.signed(*reported_pct), &by.signed(*recomputed_pct))
        }
        Evidence::OrderFlips { pairs } => doubts::order_flips(pairs),
        Evidence::LoadLimited { offered, achieved_baseline, achieved_candidate } => format!(
            "リクエストは毎秒{}件届き、どちらの設定も追いついています（{} req/sと{} req/s）。スループットは負荷で決まるため、比べられるのはレイテンシだけです。",
            strong(short(*offered, 2)),
            grouped(*achieved_baseline, 2),
            grouped(*achieved_candidate, 2)
        ),
        Evidence::WorkloadDiffers { request_rate, max_concurrency, usual_request_rate, usual_max_concurrency } => {
            format!(
                "この実行の負荷は{}です。プロファイルの比較は{}で行うため、平均には含めていません。",
                strong(load(*request_rate, *max_concurrency)),
                load(*usual_request_rate, *usual_max_concurrency)
            )
        }
        Evidence::LengthDeviation { side, asked, measured, deviation_pct } => format!(
            "リクエストあたりの{}トークン数は、指定の{}に対して{}でした（{}）。",
            match side {
                Side::Input => "入力",
                Side::Output => "出力",
            },
            grouped(*asked, 0),
            strong(grouped(*measured, 2)),
            by.signed(*deviation_pct)
        ),
        Evidence::LowSampleTail { stat: of, requests, beyond } => {
            format!("{}リクエストの{}は、{}だけで決まる値です。", count(*requests), stat(*of), strong(few(*beyond)))
        }
        Evidence::DuplicateMeasurement { same_as } => {
            format!(
                "すべての値が実行{}と同じです。1回の計測が2つの実行として記録されています。",
                strong((by.number)(same_as))
            )
        }
        Evidence::SingleRun { baseline, candidate } => super::spread::single_run(*baseline, *candidate),
        Evidence::TailRegression { latency: name, stat: of, baseline_ms, candidate_ms, change_pct } => {
            let which = Metric::Latency(*name, *of);
            format!(
                "{}が{}から{}に延びています（{}）。",
                metric(which),
                with_unit(which, *baseline_ms),
                with_unit(which, *candidate_ms),
                strong(by.signed(*change_pct))
            )
        }
        Evidence::UnnamedOption { step, flags } => {
            let flags: Vec<String> = flags.iter().map(code).collect();
            format!(
                "最適化項目{}の構成ですが、項目名にない{}も基準設定と異なります。結果は、これらを組み合わせたものです。",
                code(step.as_str()),
                flags.join("、")
            )
        }
        Evidence::SameCommand { variants } => {
            let names: Vec<String> = variants.iter().map(|variant| code(variant.as_str())).collect();
            format!(
                "{}は起動コマンドが同じです。値の差は設定の効果ではなく、ゆらぎです。同じ設定を測り直した結果は、1つの構成の実行として登録してください。",
                names.join("、")
            )
        }
        Evidence::PrecisionChanged { baseline_model, candidate_model } => {
            format!(
                "重みまたは精度が異なります（{}と{}）。回答の品質が同じかどうかは測っていません。",
                code(baseline_model),
                code(candidate_model)
            )
        }
    }
}

fn few(requests: f64) -> String {
    if requests < 1.0 { "1件未満".to_owned() } else { format!("およそ{}件", short(requests, 1)) }
}

fn load(rate: Option<RequestRate>, concurrency: Option<u64>) -> String {
    let rate = rate.map(|rate| match rate {
        RequestRate::Unlimited => "リクエストレート無制限".to_owned(),
        RequestRate::PerSec(rate) => format!("{} req/s", short(rate.get(), 2)),
    });
    let concurrency = concurrency.map(|limit| format!("同時実行{}", count(limit)));
    match (rate, concurrency) {
        (None, None) => "記録のない負荷".to_owned(),
        (Some(one), None) | (None, Some(one)) => one,
        (Some(rate), Some(concurrency)) => format!("{rate}、{concurrency}"),
    }
}
