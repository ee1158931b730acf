//! LMDeploy's `profile_restful_api.py`: rows of a CSV, although the tool calls the file `.jsonl` for random data. Only
//! means, in milliseconds.
//!
//! <https://github.com/InternLM/lmdeploy/blob/v0.9.0/benchmark/profile_restful_api.py>.

use super::ParseError;
use super::flat;
use super::node::Node;
use crate::metrics::{Latency, Metrics};
use crate::run::{Context, Measurement, Tool, TpotDefinition};
use crate::units::{ReqPerSec, Secs, TokPerSec};

const LATENCIES: [(&str, Latency); 4] =
    [("ttft", Latency::Ttft), ("tpot", Latency::Tpot), ("itl", Latency::Itl), ("e2e_latency", Latency::E2el)];

/// Columns kept as parameters.
const PARAMETERS: [&str; 3] = ["backend", "sharegpt_output_len", "random_range_ratio"];

pub(super) fn knows(root: &Node<'_>) -> bool {
    ["dataset_name", "completed", "duration", "output_throughput", "mean_e2e_latency_ms"]
        .iter()
        .all(|key| root.value().get(key).is_some())
}

pub(super) fn read(root: &Node<'_>) -> Result<Vec<Measurement>, ParseError> {
    root.need("completed")?;
    let input = root.figure_at("input_throughput");
    let output = root.figure_at("output_throughput");
    let mut metrics = Metrics {
        successful_requests: root.count_at("completed"),
        request_rate: root.rate_at("request_rate"),
        duration: Secs::new(root.need("duration")?),
        total_input_tokens: root.count_at("total_input_tokens"),
        total_output_tokens: root.count_at("total_output_tokens"),
        request_throughput: root.figure_at("request_throughput").and_then(ReqPerSec::new),
        output_throughput: output.and_then(TokPerSec::new),
        // Printed as two rates over one duration, never as their sum.
        total_token_throughput: input.zip(output).and_then(|(input, output)| TokPerSec::new(input + output)),
        ..Metrics::default()
    };
    flat::latencies(root, &mut metrics, &LATENCIES);
    flat::drop_unmeasured(&mut metrics);
    let mut context = Context {
        dataset: root.text_at("dataset_name"),
        engine: root.text_at("backend").filter(|backend| backend == "lmdeploy"),
        parameters: flat::parameters(root, |key| PARAMETERS.contains(&key)),
        ..Context::default()
    };
    if context.dataset.as_deref() == Some("random") {
        context.input_tokens = root.count_at("random_input_len");
        context.output_tokens = root.count_at("random_output_len");
    }
    Ok(vec![Measurement {
        tool: Tool::LmDeploy,
        tpot_definition: TpotDefinition::ExcludesFirstToken,
        metrics,
        context,
        excerpt: None,
        requests: None,
    }])
}
