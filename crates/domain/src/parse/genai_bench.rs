//! genai-bench: one JSON a scenario and concurrency, `{aggregated_metrics, individual_request_metrics, _time_unit}`.
//!
//! <https://github.com/sgl-project/genai-bench/blob/025cf1c66cddab82f962e2ac0d6105fd4717df20/genai_bench/metrics/metrics.py>,
//! <https://github.com/sgl-project/genai-bench/blob/00e863aa17084f4eb9c60edacab15b4e55631ec8/genai_bench/metrics/aggregated_metrics_collector.py>. TPOT is
//! (latency − TTFT) / (tokens − 1). Latencies are in seconds unless `_time_unit` says milliseconds. With a warm-up ratio
//! the statistics leave requests out that the counts hold.

use super::ParseError;
use super::flat;
use super::listed;
use super::node::{Node, Unit};
use crate::metrics::{Metrics, Stat};
use crate::requests::Timing;
use crate::run::{Context, Measurement, Tool, TpotDefinition};
use crate::units::{ReqPerSec, RequestRate, Secs, TokPerSec};

pub(super) fn knows(root: &Node<'_>) -> bool {
    let result = root.value().get("aggregated_metrics").is_some_and(|metrics| metrics.get("run_duration").is_some());
    result || is_metadata(root)
}

/// `experiment_metadata.json`, which says how a whole experiment was made.
fn is_metadata(root: &Node<'_>) -> bool {
    ["benchmark_version", "traffic_scenario", "num_concurrency"].iter().all(|key| root.value().get(key).is_some())
}

pub(super) fn read(root: &Node<'_>) -> Result<Vec<Measurement>, ParseError> {
    if is_metadata(root) {
        return Err(root.not_a_result(
            "the settings of a genai-bench experiment (experiment_metadata.json)",
            "upload the results that lie beside it",
        ));
    }
    let all = root.get("aggregated_metrics").unwrap_or_else(|| root.clone());
    let unit = root.text_at("_time_unit").and_then(|unit| Unit::named(&unit)).unwrap_or(Unit::Seconds);
    let statistics =
        |name: &str| all.at(&["stats", name]).map(|node| node.distribution(unit, stat)).unwrap_or_default();
    let sum = |name: &str| all.at(&["stats", name]).and_then(|node| node.count_at("sum"));
    let tokens_per_sec = |key: &str| all.figure_at(key).and_then(TokPerSec::new);
    // An open loop writes its rate into the same field.
    let open_loop = all.get("arrival_requests_per_second").is_some() || all.get("total_arrivals").is_some();
    let load = all.get("num_concurrency");
    let mut metrics = Metrics {
        successful_requests: all.count_at("num_completed_requests"),
        failed_requests: all.count_at("num_error_requests"),
        request_rate: if open_loop { all.rate_at("num_concurrency") } else { Some(RequestRate::Unlimited) },
        max_concurrency: load.filter(|_| !open_loop).and_then(|_| all.count_at("num_concurrency")),
        duration: Secs::new(all.need("run_duration")?),
        total_input_tokens: sum("num_input_tokens"),
        total_output_tokens: sum("num_output_tokens"),
        request_throughput: all.figure_at("requests_per_second").and_then(ReqPerSec::new),
        output_throughput: tokens_per_sec("mean_output_throughput_tokens_per_s"),
        total_token_throughput: tokens_per_sec("mean_total_tokens_throughput_tokens_per_s"),
        ttft: statistics("ttft"),
        tpot: statistics("tpot"),
        e2el: statistics("e2e_latency"),
        ..Metrics::default()
    };
    flat::drop_unmeasured(&mut metrics);
    let kept = ["iteration_type", "batch_size", "error_rate", "total_arrivals"];
    let context = Context {
        label: all.text_at("scenario"),
        parameters: flat::parameters(&all, |key| kept.contains(&key)),
        ..Context::default()
    };
    Ok(vec![Measurement {
        tool: Tool::GenAiBench,
        tpot_definition: TpotDefinition::ExcludesFirstToken,
        requests: root.get("individual_request_metrics").and_then(|list| {
            listed::in_rows(&list, &metrics, |[ttft, tpot, e2el, tokens]| Timing {
                ttft: unit.ms(ttft),
                tpot: unit.ms(tpot),
                e2el: unit.ms(e2el),
                tokens: listed::count(tokens),
            })
        }),
        metrics,
        context,
        excerpt: None,
    }])
}

fn stat(key: &str) -> Option<Stat> {
    match key {
        "stddev" => Some(Stat::Std),
        other => other.parse().ok(),
    }
}
