//! Findings, a sentence or two each.

use super::{capital, doubts, in_sentence, latency, list, metric, stat};
use crate::check::{Contradiction, Evidence, Side};
use crate::metric::Metric;
use crate::text::Naming;
use crate::text::number::{count, grouped, pct_below, short, threshold, with_unit};
use crate::text::rich::{code, strong};
use crate::units::RequestRate;

pub(in crate::text) fn evidence(evidence: &Evidence, by: &Naming<'_>) -> String {
    match evidence {
        Evidence::RateMismatch { figure, reported, recomputed, deviation_pct, other_window } => format!(
            "{} is reported as {}, but counts and duration give {} ({}).{}",
            metric(*figure),
            strong(with_unit(*figure, *reported)),
            strong(with_unit(*figure, *recomputed)),
            by.signed(*deviation_pct),
            if *other_window { " GuideLLM-based tools divide by a window shorter than the duration." } else { "" }
        ),
        Evidence::TpotIdentity {
            reported_ms,
            recomputed_ms,
            includes_first_token,
            from_itl_ms,
            weighs_requests,
            ..
        } => format!(
            "Mean TPOT is reported as {} ms, but (E2EL − TTFT) / (output tokens − 1) gives {} ms.{}",
            strong(grouped(*reported_ms, 2)),
            strong(grouped(*recomputed_ms, 2)),
            match from_itl_ms {
                _ if *includes_first_token => " The reported figure includes the first token.".to_owned(),
                Some(itl) => format!(
                    " The reported figure is (TTFT + ITL × (n − 1)) / n; its mean ITL of {} ms misses decode time.",
                    grouped(*itl, 2)
                ),
                None if *weighs_requests => {
                    " The reported mean counts a short answer like a long one, so with mixed lengths it lies above the decode time per token.".to_owned()
                }
                None => String::new(),
            }
        ),
        Evidence::PeakImplausible { peak, times_mean, generated_tokens, .. } => {
            match generated_tokens.filter(|all| *peak > *all as f64) {
                Some(all) => format!(
                    "The peak of {} tok/s is more than all {} tokens that the run generated.",
                    strong(grouped(*peak, 2)),
                    count(all)
                ),
                None => format!(
                    "The peak of {} tok/s is {} times the mean.",
                    strong(grouped(*peak, 2)),
                    grouped(*times_mean, 1)
                ),
            }
        }
        Evidence::PeakBelowMean { peak, mean } => {
            format!(
                "The peak of {} tok/s lies below the mean of {} tok/s.",
                strong(grouped(*peak, 2)),
                grouped(*mean, 2)
            )
        }
        Evidence::PercentileOrder { latency: name, lower, lower_ms, higher, higher_ms } => format!(
            "{} of {} is {} ms, above its {} of {} ms.",
            capital(&stat(*lower)),
            latency(*name),
            strong(grouped(*lower_ms, 2)),
            stat(*higher),
            strong(grouped(*higher_ms, 2))
        ),
        Evidence::MeanAboveP99 { latency: name, mean_ms, p99_ms } => format!(
            "Mean {} of {} ms lies above its P99 of {} ms: a few requests carry it.",
            latency(*name),
            strong(grouped(*mean_ms, 2)),
            strong(grouped(*p99_ms, 2))
        ),
        Evidence::NotMeasuredZero { latency: name, stats } => {
            let stats: Vec<String> = stats.iter().map(|of| stat(*of)).collect();
            format!(
                "{}: {} reported as 0.00 ms. 0 ms is impossible, so it was not measured.",
                latency(*name),
                list(&stats)
            )
        }
        Evidence::SuccessRate { successful, attempted, success_pct, minimum_pct } => format!(
            "{} of {} requests succeeded ({}); at least {} must. The run cannot win.",
            strong(count(*successful)),
            count(*attempted),
            strong(pct_below(*success_pct, *minimum_pct)),
            threshold(*minimum_pct)
        ),
        Evidence::SurvivorsDiffer { input_per_request, output_per_request, usual_input, usual_output } => format!(
            "The successful requests have {} input and {} output tokens each; the profile's other runs have {} and {}. It is not the same workload.",
            strong(grouped(*input_per_request, 2)),
            strong(grouped(*output_per_request, 2)),
            grouped(*usual_input, 2),
            grouped(*usual_output, 2)
        ),
        Evidence::ContradictoryCounts { contradiction, larger, bound } => match contradiction {
            Contradiction::MoreThanPlanned => format!(
                "{} requests were counted, but only {} were to be sent.",
                strong(grouped(*larger, 0)),
                grouped(*bound, 0)
            ),
            Contradiction::TtftAboveE2el => format!(
                "Mean TTFT of {} ms lies above mean E2EL of {} ms.",
                strong(grouped(*larger, 2)),
                grouped(*bound, 2)
            ),
            Contradiction::AboveOffered => format!(
                "The reported token rate amounts to {} requests per second, but only {} arrive, and by its own counts the run served fewer.",
                strong(grouped(*larger, 3)),
                short(*bound, 2)
            ),
            Contradiction::E2elAboveDuration => {
                format!(
                    "A request of {} s is longer than the whole benchmark of {} s.",
                    strong(grouped(larger / 1000.0, 2)),
                    grouped(bound / 1000.0, 2)
                )
            }
        },
        Evidence::LittlesLaw { implied, limit } => format!(
            "Throughput times latency needs {} requests in flight, but there were at most {}.",
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
            "Requests arrive at {} per second and both sides keep up ({} and {} req/s). The load sets the throughput; only latency can be compared.",
            strong(short(*offered, 2)),
            grouped(*achieved_baseline, 2),
            grouped(*achieved_candidate, 2)
        ),
        Evidence::WorkloadDiffers { request_rate, max_concurrency, usual_request_rate, usual_max_concurrency } => {
            format!(
                "Run at {}, while the profile's variants are compared at {}. It is part of no mean.",
                strong(load(*request_rate, *max_concurrency)),
                load(*usual_request_rate, *usual_max_concurrency)
            )
        }
        Evidence::LengthDeviation { side, asked, measured, deviation_pct } => format!(
            "{} tokens per request: {} measured, {} asked for ({}).",
            match side {
                Side::Input => "Input",
                Side::Output => "Output",
            },
            strong(grouped(*measured, 2)),
            grouped(*asked, 0),
            by.signed(*deviation_pct)
        ),
        Evidence::LowSampleTail { stat: of, requests, beyond } => {
            format!("{} of {} requests rests on {} of them.", stat(*of), count(*requests), strong(few(*beyond)))
        }
        Evidence::DuplicateMeasurement { same_as } => {
            format!(
                "Every figure equals that of run {}: one measurement, recorded as two runs.",
                strong((by.number)(same_as))
            )
        }
        Evidence::SingleRun { baseline, candidate } => super::spread::single_run(*baseline, *candidate),
        Evidence::TailRegression { latency: name, stat: of, baseline_ms, candidate_ms, change_pct } => {
            let metric = Metric::Latency(*name, *of);
            format!(
                "{} goes from {} to {} ({}).",
                capital(&in_sentence(metric)),
                with_unit(metric, *baseline_ms),
                with_unit(metric, *candidate_ms),
                strong(by.signed(*change_pct))
            )
        }
        Evidence::UnnamedOption { step, flags } => {
            let flags: Vec<String> = flags.iter().map(code).collect();
            format!(
                "Tried in the step {}, whose name leaves out {}. The variant sets it too, so the figure belongs to the combination.",
                code(step.as_str()),
                list(&flags)
            )
        }
        Evidence::SameCommand { variants } => {
            let names: Vec<String> = variants.iter().map(|variant| code(variant.as_str())).collect();
            format!(
                "{} are started by the same command. What lies between their figures is noise, not the effect of a setting. Runs that repeat one configuration belong to one variant.",
                list(&names)
            )
        }
        Evidence::PrecisionChanged { baseline_model, candidate_model } => format!(
            "Weights or precision differ: {} against {}. Whether the answers are as good was not measured.",
            code(baseline_model),
            code(candidate_model)
        ),
    }
}

fn few(requests: f64) -> String {
    if requests < 1.0 { "less than one".to_owned() } else { format!("about {}", short(requests, 1)) }
}

fn load(rate: Option<RequestRate>, concurrency: Option<u64>) -> String {
    let rate = rate.map(|rate| match rate {
        RequestRate::Unlimited => "an unlimited request rate".to_owned(),
        RequestRate::PerSec(rate) => format!("{} req/s", short(rate.get(), 2)),
    });
    let concurrency = concurrency.map(|limit| format!("a concurrency of {}", count(limit)));
    match (rate, concurrency) {
        (None, None) => "a load that is not recorded".to_owned(),
        (Some(one), None) | (None, Some(one)) => one,
        (Some(rate), Some(concurrency)) => format!("{rate} and {concurrency}"),
    }
}
