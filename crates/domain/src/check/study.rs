//! What the runs of a study say against one another.

use super::{
    Evidence, Finding, RunFacts, Subject, alike, basis, cache, check_run, hardware, heaviest_first, load, title,
};
use crate::aggregate::LoadPoint;
use crate::id::RunId;
use crate::machine::{self, Machine};
use crate::recompute::{Recomputed, recompute};
use crate::run::Run;
use crate::study::StudyData;

/// Tokens per request of the same requests agree to the token; engines count special tokens differently by some percent.
pub(crate) const SURVIVORS_TOLERANCE: f64 = 0.10;

/// Every finding on every run, the heaviest of each first: what it says against itself, and what the others say against
/// it. Then what printed and recomputed figures say against one another.
pub fn check_study(data: &StudyData) -> Vec<Finding> {
    let recomputed: Vec<Recomputed> = data.runs.iter().map(|run| recomputed(data, run)).collect();
    let mut findings = Vec::new();
    for (at, run) in data.runs.iter().enumerate() {
        let facts = RunFacts {
            metrics: &run.measurement.metrics,
            recomputed: &recomputed[at],
            tool: run.measurement.tool,
            tpot_definition: run.measurement.tpot_definition,
            load: LoadPoint::of(&run.measurement),
            machine: Machine::of(&data.study, run),
            profile: data.study.profile(&run.profile),
            min_success_pct: data.study.min_success_pct,
        };
        let mut found = check_run(&facts);
        found.extend(workload_differs(data, run));
        found.extend(hardware::run_differs(data, run));
        found.extend(cache::warm_cache(data, run, &facts));
        found.extend(load::concurrency_capped(data, run, &facts));
        found.extend(survivors_differ(data, &recomputed, at));
        found.extend(duplicate(&data.runs, at).map(|same_as| Evidence::DuplicateMeasurement { same_as }));
        let about = Subject::Run(run.id.clone());
        let mut found: Vec<Finding> =
            found.into_iter().map(|evidence| Finding { about: about.clone(), evidence }).collect();
        heaviest_first(&mut found);
        findings.extend(found);
    }
    findings.extend(basis::two_stories(data));
    findings.extend(title::unnamed_options(data));
    findings.extend(alike::same_command(data));
    findings
}

fn recomputed(data: &StudyData, run: &Run) -> Recomputed {
    let (_, gpus) = machine::hardware(&data.study, run);
    recompute(&run.measurement.metrics, data.study.profile(&run.profile).and_then(|profile| profile.requests), gpus)
}

/// Another load than the one at which the profile's variants are compared.
fn workload_differs(data: &StudyData, run: &Run) -> Option<Evidence> {
    let usual = LoadPoint::usual(data, &run.profile)?;
    let ours = LoadPoint::of(&run.measurement);
    (ours != usual).then_some(Evidence::WorkloadDiffers {
        request_rate: ours.request_rate,
        max_concurrency: ours.max_concurrency,
        usual_request_rate: usual.request_rate,
        usual_max_concurrency: usual.max_concurrency,
    })
}

/// Tokens per successful request against the median of the same profile's runs.
fn survivors_differ(data: &StudyData, recomputed: &[Recomputed], at: usize) -> Option<Evidence> {
    let same = |of: fn(&Recomputed) -> Option<f64>| {
        let others = data.runs.iter().zip(recomputed).filter(|(run, _)| run.profile == data.runs[at].profile);
        median(others.filter_map(|(_, recomputed)| of(recomputed)).collect())
    };
    let usual_input = same(|r| r.input_tokens_per_request)?;
    let usual_output = same(|r| r.output_tokens_per_request)?;
    let input_per_request = recomputed[at].input_tokens_per_request?;
    let output_per_request = recomputed[at].output_tokens_per_request?;
    let differs = |ours: f64, usual: f64| (ours - usual).abs() > usual * SURVIVORS_TOLERANCE;
    // Answers may be shorter or longer where the variant changes them; prompts may not.
    let failed = recomputed[at].success_rate_pct.is_some_and(|pct| pct < data.study.min_success_pct);
    let found = differs(input_per_request, usual_input) || (failed && differs(output_per_request, usual_output));
    found.then_some(Evidence::SurvivorsDiffer { input_per_request, output_per_request, usual_input, usual_output })
}

fn median(mut values: Vec<f64>) -> Option<f64> {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied()
}

/// Another run with the same figures to the last digit, and enough of them that chance is out of the question.
fn duplicate(runs: &[Run], at: usize) -> Option<RunId> {
    let ours = &runs[at].measurement.metrics;
    let timed = ours.duration.is_some() && !ours.ttft.is_empty();
    let twin = |other: &&Run| other.id != runs[at].id && other.measurement.metrics == *ours;
    runs.iter().find(twin).filter(|_| timed).map(|run| run.id.clone())
}
