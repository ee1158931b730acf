//! `sglang.bench_serving` and `sglang.bench_one_batch_server`, JSON lines.
//!
//! SGLang 0.2 to 0.5.23: <https://github.com/sgl-project/sglang/blob/v0.5.9/python/sglang/bench_serving.py>,
//! <https://github.com/sgl-project/sglang/blob/v0.2.7/python/sglang/bench_serving.py>,
//! <https://github.com/sgl-project/sglang/blob/v0.5.9/python/sglang/bench_one_batch_server.py>.

use super::ParseError;
use super::flat;
use super::listed;
use super::node::{Node, Unit};
use crate::metrics::{Latency, Metrics, Stat};
use crate::run::{Context, Measurement, Tool, TpotDefinition};
use crate::units::{ReqPerSec, RequestRate, Secs, TokPerSec};

const LATENCIES: [(&str, Latency); 4] =
    [("ttft", Latency::Ttft), ("tpot", Latency::Tpot), ("itl", Latency::Itl), ("e2e_latency", Latency::E2el)];

/// 0.2 writes milliseconds without saying so.
const BARE: [(&str, Latency, Stat); 4] = [
    ("mean_e2e_latency", Latency::E2el, Stat::Mean),
    ("median_e2e_latency", Latency::E2el, Stat::Median),
    ("median_ttft", Latency::Ttft, Stat::Median),
    ("median_itl", Latency::Itl, Stat::Median),
];

/// Settings of the client that are kept as parameters.
const CLIENT: [&str; 6] = [
    "backend",
    "sharegpt_output_len",
    "random_range_ratio",
    "total_output_tokens_retokenized",
    "total_input_text_tokens",
    "total_input_vision_tokens",
];

/// Settings of the server that bear on speed. Its list of some 300 also holds keys and addresses, which stay out.
const SERVER: [&str; 37] = [
    "tp_size",
    "pp_size",
    "dp_size",
    "ep_size",
    "nnodes",
    "dtype",
    "quantization",
    "kv_cache_dtype",
    "context_length",
    "page_size",
    "attention_backend",
    "prefill_attention_backend",
    "decode_attention_backend",
    "sampling_backend",
    "moe_runner_backend",
    "moe_a2a_backend",
    "enable_dp_attention",
    "mem_fraction_static",
    "max_running_requests",
    "max_total_tokens",
    "max_total_num_tokens",
    "chunked_prefill_size",
    "max_prefill_tokens",
    "schedule_policy",
    "schedule_conservativeness",
    "cuda_graph_max_bs",
    "disable_cuda_graph",
    "disable_radix_cache",
    "disable_overlap_schedule",
    "enable_torch_compile",
    "enable_two_batch_overlap",
    "enable_hierarchical_cache",
    "speculative_algorithm",
    "speculative_draft_model_path",
    "speculative_num_steps",
    "speculative_eagle_topk",
    "speculative_num_draft_tokens",
];

pub(super) fn knows(root: &Node<'_>) -> bool {
    let has = |key: &str| root.value().get(key).is_some();
    let retokenized = has("total_output_tokens_retokenized") || has("total_output_retokenized");
    // Lines that people shortened; LMDeploy's rows have these keys too, and another backend.
    let backend = root.text_at("backend").is_some_and(|backend| backend.starts_with("sglang"));
    retokenized || (backend && has("dataset_name") && has("mean_e2e_latency_ms"))
}

pub(super) fn read(root: &Node<'_>) -> Result<Vec<Measurement>, ParseError> {
    let metrics = metrics(root)?;
    Ok(vec![Measurement {
        tool: Tool::SglangServing,
        tpot_definition: TpotDefinition::ExcludesFirstToken,
        requests: listed::in_columns(root, &metrics),
        metrics,
        context: context(root),
        excerpt: None,
    }])
}

fn metrics(root: &Node<'_>) -> Result<Metrics, ParseError> {
    let since_03 = root.value().get("duration").is_some();
    let duration = root.need(if since_03 { "duration" } else { "benchmark_duration" })?;
    let figure = |new: &str, old: &str| root.figure_at(new).or_else(|| root.figure_at(old));
    let count = |new: &str, old: &str| root.count_at(new).or_else(|| root.count_at(old));
    let input_throughput = root.figure_at("input_throughput");
    let output_throughput = figure("output_throughput", "output_token_throughput");
    // The console has always printed the sum; the JSON has it since 0.5.6.
    let total = root.figure_at("total_throughput").or(input_throughput.zip(output_throughput).map(|(i, o)| i + o));
    let mut metrics = Metrics {
        successful_requests: root.count_at("completed"),
        request_rate: rate(root),
        max_concurrency: root.count_at("max_concurrency").filter(|limit| *limit > 0),
        peak_concurrent_requests: root.count_at("max_concurrent_requests"),
        mean_concurrency: root.figure_at("concurrency"),
        duration: Secs::new(duration),
        total_input_tokens: count("total_input_tokens", "total_input"),
        total_output_tokens: count("total_output_tokens", "total_output"),
        request_throughput: root.figure_at("request_throughput").and_then(ReqPerSec::new),
        output_throughput: output_throughput.and_then(TokPerSec::new),
        total_token_throughput: total.and_then(TokPerSec::new),
        peak_output_throughput: root.figure_at("max_output_tokens_per_s").and_then(TokPerSec::new),
        goodput: figure("request_goodput", "goodput").and_then(ReqPerSec::new),
        acceptance_length: root.figure_at("accept_length").filter(|length| *length > 0.0),
        ..Metrics::default()
    };
    // With details there is one entry a request sent, failed ones included.
    metrics.planned_requests = root.get("input_lens").map(|lens| lens.items().count() as u64);
    metrics.failed_requests = flat::derived_failures(root, &metrics);
    flat::latencies(root, &mut metrics, &LATENCIES);
    for (key, latency, stat) in BARE {
        if let Some(value) = root.figure_at(key).and_then(|figure| Unit::Millis.ms(figure)) {
            metrics.latency_mut(latency).entry(stat).or_insert(value);
        }
    }
    flat::drop_unmeasured(&mut metrics);
    Ok(metrics)
}

/// Arrival times of a recorded trace have no one rate.
fn rate(root: &Node<'_>) -> Option<RequestRate> {
    if root.text_at("request_rate").as_deref() == Some("trace") {
        return None;
    }
    root.rate_at("request_rate")
}

fn context(root: &Node<'_>) -> Context {
    let mut context = Context {
        dataset: root.text_at("dataset_name"),
        label: root.text_at("tag"),
        parameters: flat::parameters(root, |key| CLIENT.contains(&key)),
        ..Context::default()
    };
    // Lengths of random data are in every line, whatever the data set was.
    if context.dataset.as_deref().is_some_and(|dataset| dataset.starts_with("random")) {
        context.input_tokens = root.count_at("random_input_len");
        context.output_tokens = root.count_at("random_output_len");
    }
    if let Some(info) = root.get("server_info") {
        server(&info, &mut context);
    }
    context
}

/// What the server says about itself. With prefill and decode separated there is a list of servers for each.
fn server(info: &Node<'_>, context: &mut Context) {
    let parts = ["prefill", "decode"].map(|role| info.get(role).and_then(|node| node.items().next()));
    let one = parts.iter().flatten().next().cloned().unwrap_or_else(|| info.clone());
    context.engine_version = one.text_at("version");
    context.engine = context.engine_version.as_ref().map(|_| "sglang".to_owned());
    context.model = one.text_at("model_path").or_else(|| one.text_at("served_model_name"));
    let settings = |node: &Node<'_>| flat::parameters(node, |key| SERVER.contains(&key));
    if parts.iter().all(Option::is_none) {
        context.parameters.extend(settings(info));
        context.gpus = gpus(info);
    } else {
        for (role, node) in ["prefill", "decode"].iter().zip(parts).filter_map(|(role, node)| Some((role, node?))) {
            let named = settings(&node).into_iter().map(|(key, value)| (format!("{role}.{key}"), value));
            context.parameters.extend(named);
        }
    }
}

/// Tensor × pipeline × data parallel, where the server says all three; attention's data parallel ranks share the GPUs.
fn gpus(info: &Node<'_>) -> Option<u32> {
    let shares = info.value().get("enable_dp_attention").and_then(serde_json::Value::as_bool) == Some(true);
    let replicas = if shares { 1 } else { info.count_at("dp_size")? };
    let gpus = info.count_at("tp_size")?.checked_mul(info.count_at("pp_size")?)?.checked_mul(replicas)?;
    u32::try_from(gpus).ok().filter(|gpus| *gpus > 0)
}

pub(super) fn knows_one_batch(root: &Node<'_>) -> bool {
    ["run_name", "batch_size", "latency", "overall_throughput"].iter().all(|key| root.value().get(key).is_some())
}

/// One batch, sent at once: one latency, no distribution. Newer versions take the prefill out of the output throughput,
/// which then is no rate over the duration: it is kept as a parameter.
pub(super) fn read_one_batch(root: &Node<'_>) -> Result<Vec<Measurement>, ParseError> {
    let latency = root.need("latency")?;
    let batch = root.count_at("batch_size");
    let (input, output) = (root.count_at("input_len"), root.count_at("output_len"));
    let tokens =
        |per_request: Option<u64>| batch.zip(per_request).and_then(|(batch, tokens)| batch.checked_mul(tokens));
    let mut metrics = Metrics {
        successful_requests: batch,
        max_concurrency: batch,
        request_rate: Some(RequestRate::Unlimited),
        duration: Secs::new(latency),
        total_input_tokens: tokens(input),
        total_output_tokens: tokens(output),
        total_token_throughput: root.figure_at("overall_throughput").and_then(TokPerSec::new),
        acceptance_length: root.figure_at("acc_length").filter(|length| *length > 0.0),
        ..Metrics::default()
    };
    metrics.e2el.extend(Unit::Seconds.ms(latency).map(|value| (Stat::Max, value)));
    let first = root.figure_at("last_ttft").and_then(|figure| Unit::Seconds.ms(figure));
    metrics.ttft.extend(first.map(|value| (Stat::Max, value)));
    flat::drop_unmeasured(&mut metrics);
    let kept = ["output_throughput", "input_throughput", "last_gen_throughput", "cache_hit_rate", "num_early_stopped"];
    let context = Context {
        label: root.text_at("run_name"),
        input_tokens: input,
        output_tokens: output,
        parameters: flat::parameters(root, |key| kept.contains(&key)),
        ..Context::default()
    };
    Ok(vec![Measurement {
        tool: Tool::SglangServing,
        tpot_definition: TpotDefinition::Unstated,
        metrics,
        context,
        excerpt: None,
        requests: None,
    }])
}
