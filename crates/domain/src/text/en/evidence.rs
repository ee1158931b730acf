//! Findings, a sentence or two each.

use super::{capital, in_sentence, latency, list, metric, stat};
use crate::check::{Contradiction, Evidence, Side};
use crate::metric::Metric;
use crate::text::number::{count, grouped, pct, short, with_unit};
use crate::text::rich::{code, strong};
use crate::units::RequestRate;

pub(in crate::text) fn evidence(evidence: &Evidence, number: &dyn Fn(&crate::id::RunId) -> String) -> String {
    match evidence {
        Evidence::RateMismatch { figure, reported, recomputed, deviation_pct } => format!(
            "{} is reported as {}, but counts and duration give {} ({}). GuideLLM-based tools divide by a window shorter than the duration.",
            metric(*figure),
            strong(with_unit(*figure, *reported)),
            strong(with_unit(*figure, *recomputed)),
            crate::text::number::signed_pct(*deviation_pct, 2)
        ),
        Evidence::TpotIdentity { reported_ms, recomputed_ms, includes_first_token, .. } => format!(
            "Mean TPOT is reported as {} ms, but (E2EL − TTFT) / (output tokens − 1) gives {} ms.{}",
            strong(grouped(*reported_ms, 2)),
            strong(grouped(*recomputed_ms, 2)),
            if *includes_first_token { " The reported figure includes the first token." } else { "" }
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
            strong(pct(*success_pct, 1)),
            pct(*minimum_pct, 0)
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
            crate::text::number::signed_pct(*deviation_pct, 2)
        ),
        Evidence::LowSampleTail { stat: of, requests, beyond } => {
            format!("{} of {} requests rests on {} of them.", stat(*of), count(*requests), strong(few(*beyond)))
        }
        Evidence::DuplicateMeasurement { same_as } => {
            format!("Every figure equals that of run {}: one measurement under two names.", strong(number(same_as)))
        }
        Evidence::SingleRun { baseline_n, candidate_n } => {
            if (*baseline_n, *candidate_n) == (1, 1) {
                "Both sides were measured once: noise unknown.".to_owned()
            } else {
                let (baseline, candidate) = (times(*baseline_n), times(*candidate_n));
                format!("The baseline was measured {baseline}, the other side {candidate}: noise unknown.")
            }
        }
        Evidence::TailRegression { latency: name, stat: of, baseline_ms, candidate_ms, change_pct } => {
            let metric = Metric::Latency(*name, *of);
            format!(
                "{} goes from {} to {} ({}).",
                capital(&in_sentence(metric)),
                with_unit(metric, *baseline_ms),
                with_unit(metric, *candidate_ms),
                strong(crate::text::number::signed_pct(*change_pct, 2))
            )
        }
        Evidence::PrecisionChanged { baseline_model, candidate_model } => format!(
            "The weights differ: {} against {}. Whether the answers are as good was not measured.",
            code(baseline_model),
            code(candidate_model)
        ),
    }
}

fn times(n: usize) -> String {
    if n == 1 { "once".to_owned() } else { format!("{n} times") }
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
