//! GPUStack's performance-lab pages: many blocks in one Markdown document, some from `vllm bench serve`, some from
//! GuideLLM through GPUStack's runner, whose TPOT rows hold the first token.

use super::{check_some, read};
use touchstone_domain::run::TpotDefinition;

#[test]
pub fn every_block_of_a_page_is_read_in_order() {
    check_some(
        "gpustack/performance-lab-qwen3-8b-910b.md",
        15,
        &[
            (
                0,
                89,
                "succ 1000, dur 133.23, out 1512.21, peak out 2821, total 3143.94, TTFT 43963.16/41177.19/91086.90, \
             TPOT 125.09/122.07/269.65, ITL 112.90/78.96/280.07",
            ),
            (14, 514, "dur 1292.33, total 324.35, TTFT 112.38/111.05/154.06, TPOT 25.42/24.47/35.05"),
        ],
    );
    check_some(
        "gpustack/performance-lab-qwen3-8b-h100-latency.md",
        25,
        &[
            (
                0,
                85,
                "succ 100, cap 4, dur 44.40, out 496.88, total 1020.76, TTFT 64.00/60.26/98.59, TPOT 7.38/7.40/7.96",
            ),
            (24, 811, "dur 13.46, total 3366.71, TTFT 42.27/43.26/93.68, TPOT 4.82/3.94/21.36"),
        ],
    );
}

#[test]
pub fn a_tpot_that_holds_the_first_token_says_so_and_itl_is_kept_apart() {
    check_some(
        "gpustack/performance-lab-glm-5.2-h200.md",
        28,
        &[
            (
                0,
                132,
                "succ 1000, cap 512, dur 1684.76, req/s 0.59, out 608.31, total 5481.90, E2E 651510/823570/858570, \
             TTFT 592315.54/762631.30/800277.09, ITL 57.86/56.85/90.01, TPOT mean 636.24, peak out 21900.04",
            ),
            (27, 1429, "dur 211.07, total 2845.48, TTFT 41335.55/53587.71/79840.34"),
        ],
    );
    check_some(
        "gpustack/performance-lab-qwen3.5-35b-a3b-h200.md",
        15,
        &[(
            0,
            148,
            "succ 1000, dur 70.72, out 4347.55, total 9632.01, E2E mean 30190, TTFT 4072.64/5786.23/10204.44, \
         ITL 11.46/0.00/132.49, TPOT mean 25.89",
        )],
    );
    let page = read("gpustack/performance-lab-qwen3.5-35b-a3b-h200.md");
    let short = page.runs.iter().find(|run| run.excerpt.as_ref().is_some_and(|excerpt| excerpt.first_line == 427));
    super::expect("the block at line 427", short.unwrap(), "succ 516");
    assert!(page.runs.iter().all(|run| run.tpot_definition == TpotDefinition::IncludesFirstToken));
    let vllm = read("gpustack/performance-lab-qwen3-8b-910b.md");
    assert!(vllm.runs.iter().all(|run| run.tpot_definition == TpotDefinition::ExcludesFirstToken));
    let labels: Vec<_> = page.runs.iter().take(2).filter_map(|run| run.context.label.as_deref()).collect();
    assert_eq!(labels, ["Baseline of the Inference Engine / vLLM", "Baseline of the Inference Engine / SGLang"]);
}
