//! `vllm bench throughput` and `vllm bench latency`, which run the engine without a server, and the side file that both
//! may leave for PyTorch's dashboard.
//!
//! <https://github.com/vllm-project/vllm/blob/v0.17.1/vllm/benchmarks/throughput.py>,
//! <https://github.com/vllm-project/vllm/blob/v0.17.1/vllm/benchmarks/latency.py>.

use std::collections::BTreeMap;

use super::ParseError;
use super::node::{Node, Unit};
use crate::metrics::{Distribution, Metrics, Stat};
use crate::run::{Context, Measurement, Tool, TpotDefinition};
use crate::units::{ReqPerSec, Secs, TokPerSec};

pub(super) fn knows_throughput(root: &Node<'_>) -> bool {
    root.value().get("elapsed_time").is_some() && root.value().get("tokens_per_second").is_some()
}

/// No latency and no count of successes: requests are given to the engine, which either finishes all or stops.
pub(super) fn read_throughput(root: &Node<'_>) -> Result<Vec<Measurement>, ParseError> {
    let metrics = Metrics {
        planned_requests: root.count_at("num_requests"),
        duration: Secs::new(root.need("elapsed_time")?),
        request_throughput: root.figure_at("requests_per_second").and_then(ReqPerSec::new),
        // Prompt and output together.
        total_token_throughput: TokPerSec::new(root.need("tokens_per_second")?),
        ..Metrics::default()
    };
    Ok(vec![measurement(Tool::VllmThroughput, metrics, root.text_at("total_num_tokens"), "total_num_tokens")])
}

pub(super) fn knows_latency(root: &Node<'_>) -> bool {
    root.value().get("avg_latency").is_some() && root.value().get("latencies").is_some()
}

/// Each sample is one whole batch from start to end, in seconds.
pub(super) fn read_latency(root: &Node<'_>) -> Result<Vec<Measurement>, ParseError> {
    let mean = Unit::Seconds.ms(root.need("avg_latency")?);
    let percentile = |key: &str| format!("p{key}").parse().ok();
    let percentiles = root.get("percentiles").map(|node| node.distribution(Unit::Seconds, percentile));
    let mut e2el: Distribution = percentiles.unwrap_or_default();
    e2el.extend(mean.map(|mean| (Stat::Mean, mean)));
    let batches = root.get("latencies").map(|node| node.items().count()).filter(|count| *count > 0);
    let metrics = Metrics { e2el, ..Metrics::default() };
    Ok(vec![measurement(Tool::VllmLatency, metrics, batches.map(|count| count.to_string()), "batches")])
}

fn measurement(tool: Tool, metrics: Metrics, parameter: Option<String>, name: &str) -> Measurement {
    let parameters: BTreeMap<_, _> = parameter.map(|value| (name.to_owned(), value)).into_iter().collect();
    Measurement {
        tool,
        tpot_definition: TpotDefinition::Unstated,
        metrics,
        context: Context { parameters, ..Context::default() },
        excerpt: None,
        requests: None,
    }
}

/// `<name>.pytorch.json`: one entry a metric, all of them figures of the result that it lies beside.
pub(super) fn knows_side_file(root: &Node<'_>) -> bool {
    let first = root.value().get(0);
    first.is_some_and(|first| ["benchmark", "model", "metric"].iter().all(|key| first[*key].is_object()))
}

pub(super) fn read_side_file(root: &Node<'_>) -> Result<Vec<Measurement>, ParseError> {
    Err(root.not_a_result(
        "vLLM's figures for PyTorch's dashboard (.pytorch.json)",
        "upload the result that lies beside it",
    ))
}
