//! Words: everything that people read, in both languages. Facts come in, sentences go out.

pub mod cards;
pub mod chart;
mod checked;
mod command;
pub mod compare;
mod en;
mod exports;
mod facts;
mod ja;
pub mod jobs;
mod labels;
pub mod notes;
pub mod number;
mod page;
pub mod phrase;
pub mod plan;
mod ranking;
mod reproduce;
mod rich;
pub mod shares;
pub mod sheet;
mod unreadable;
pub mod upload;
pub mod versions;

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

pub use checked::checked_file;
pub use command::{CommandLabels, Explained, command_labels, container_notes, explain, explain_all};
pub use exports::{ExportLabels, export_labels};
use facts::Facts;
pub use labels::{Labels, labels};
pub use page::{PageLabels, page_labels};
pub use ranking::{
    RankingLabels, difference, front, goal, goal_figure, goal_unit, goal_value, goodput_source, limit, objective,
    objective_value, outcome, ranked_by, ranking_labels, reported_apart, rival, slo_check, slo_state,
};
pub use reproduce::{ReproduceLabels, reproduce_labels};
pub use rich::{Piece, Rich, code_markdown, escape_markdown};
pub use unreadable::{Unreadable, unreadable};

use crate::advise::{Decision, Reason};
use crate::change::Verdict;
use crate::check::{Evidence, Severity};
use crate::id::{RunId, VariantId};
use crate::metric::Metric;
use crate::report::{ConclusionRow, OptionRow, Report, Standing, StepReport};
use crate::run::Tool;
use crate::study::{Basis, DEFAULT_DECIMALS};

/// A mean latency that grew by this much, in percent, is named in the conclusion.
const MENTIONED_PCT: f64 = 5.0;
/// A latency that grew by this much, in percent, stands in the headline beside the gain.
const HEADLINE_PCT: f64 = 10.0;
/// A percentage smaller than a thousandth is none to a reader.
const MOST_DECIMALS: usize = 4;
/// PRODUCT: where the reported and the recomputed change lie further apart than this, every place shows both.
const SHOW_BOTH_POINTS: f64 = 2.0;

/// A language of the product.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Lang {
    /// 日本語.
    Ja,
    /// English.
    En,
}

impl Lang {
    /// Both, in the order of the switch.
    pub const ALL: [Self; 2] = [Self::Ja, Self::En];

    /// As in URLs and in `lang` attributes.
    pub fn code(self) -> &'static str {
        match self {
            Self::Ja => "ja",
            Self::En => "en",
        }
    }

    /// Its own name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Ja => "日本語",
            Self::En => "English",
        }
    }
}

impl FromStr for Lang {
    type Err = ();

    fn from_str(code: &str) -> Result<Self, ()> {
        Self::ALL.into_iter().find(|lang| lang.code() == code).ok_or(())
    }
}

impl fmt::Display for Lang {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.code())
    }
}

macro_rules! word {
    ($(#[$doc:meta])* $name:ident($of:ty)) => {
        $(#[$doc])*
        #[must_use]
        pub fn $name(lang: Lang, of: $of) -> &'static str {
            match lang {
                Lang::Ja => ja::$name(of),
                Lang::En => en::$name(of),
            }
        }
    };
}

word!(
    /// What a verdict is called.
    verdict(Verdict)
);
word!(
    /// What a decision is called.
    decision(Decision)
);
word!(
    /// What a severity is called.
    severity(Severity)
);
word!(
    /// How firmly a recommendation stands.
    standing(Standing)
);
word!(
    /// Reported or recomputed.
    basis(Basis)
);

/// What a metric is called: `Total TPS`, `P99 TTFT`.
#[must_use]
pub fn metric(lang: Lang, of: Metric) -> String {
    match lang {
        Lang::Ja => ja::metric(of),
        Lang::En => en::metric(of),
    }
}

/// The words of a conclusion card.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConclusionText {
    /// The verdict in one or two sentences.
    pub headline: Rich,
    /// What it rests on, a paragraph each.
    pub explanation: Vec<Rich>,
    /// What is known of noise.
    pub noise: Vec<Rich>,
    /// What got worse.
    pub got_worse: Vec<Rich>,
    /// For which traffic the recommended command is the wrong choice.
    pub wrong_choice: Vec<Rich>,
}

/// The words of a report's conclusion card.
#[must_use]
pub fn conclusion(lang: Lang, report: &Report) -> ConclusionText {
    let facts = &Facts { report, lang };
    let all = |sentences: Vec<String>| sentences.iter().map(|text| Rich::from_marked(text)).collect();
    match lang {
        Lang::Ja => ConclusionText {
            headline: Rich::from_marked(&ja::headline(facts)),
            explanation: all(ja::explanation(facts)),
            noise: all(ja::noise(facts)),
            got_worse: all(ja::got_worse(facts)),
            wrong_choice: all(ja::wrong_choice(facts)),
        },
        Lang::En => ConclusionText {
            headline: Rich::from_marked(&en::headline(facts)),
            explanation: all(en::explanation(facts)),
            noise: all(en::noise(facts)),
            got_worse: all(en::got_worse(facts)),
            wrong_choice: all(en::wrong_choice(facts)),
        },
    }
}

/// What has to be said beside a row of the conclusion.
#[must_use]
pub fn row_note(lang: Lang, report: &Report, row: &ConclusionRow) -> Option<Rich> {
    let facts = &Facts { report, lang };
    let latencies = row_latencies(row).into_iter().map(|(metric, pct)| match lang {
        Lang::Ja => ja::row_latency(facts, metric, pct),
        Lang::En => en::row_latency(facts, metric, pct),
    });
    let between = match lang {
        Lang::Ja => "",
        Lang::En => " ",
    };
    let notes: Vec<String> = remark(facts, row).into_iter().chain(latencies).collect();
    (!notes.is_empty()).then(|| Rich::from_marked(&notes.join(between)))
}

/// The same without the latencies that got worse, where those stand beside it as marks.
#[must_use]
pub fn row_remark(lang: Lang, report: &Report, row: &ConclusionRow) -> Option<Rich> {
    remark(&Facts { report, lang }, row).map(|text| Rich::from_marked(&text))
}

/// The latencies of a row that got worse and are named beside its gain, with their changes in percent.
#[must_use]
pub fn row_latencies(row: &ConclusionRow) -> Vec<(Metric, f64)> {
    facts::row_latencies(row)
}

fn remark(facts: &Facts<'_>, row: &ConclusionRow) -> Option<String> {
    facts::row_note(row).map(|note| match facts.lang {
        Lang::Ja => ja::row_note(facts, note),
        Lang::En => en::row_note(facts, note),
    })
}

/// Best against worst of a step; none where there was one variant.
#[must_use]
pub fn summary(lang: Lang, report: &Report, step: &StepReport) -> Option<Rich> {
    let facts = &Facts { report, lang };
    let summary = step.summary.as_ref()?;
    let text = match lang {
        Lang::Ja => ja::summary(facts, step, summary),
        Lang::En => en::summary(facts, step, summary),
    };
    text.map(|text| Rich::from_marked(&text))
}

/// Why a step was decided as it was.
#[must_use]
pub fn reason(lang: Lang, report: &Report, of: &Reason) -> Rich {
    let facts = &Facts { report, lang };
    Rich::from_marked(&match lang {
        Lang::Ja => ja::reason(facts, of),
        Lang::En => en::reason(facts, of),
    })
}

/// What was found, in a sentence or two.
#[must_use]
pub fn evidence(lang: Lang, report: &Report, of: &Evidence) -> Rich {
    let facts = Facts { report, lang };
    let by = Naming { number: &|run| facts.number(run), decimals: usize::from(report.decimals) };
    evidence_by(lang, of, &by)
}

/// What was found, outside a report: runs are named by `number`.
#[must_use]
pub fn evidence_with(lang: Lang, of: &Evidence, number: &dyn Fn(&RunId) -> String) -> Rich {
    evidence_by(lang, of, &Naming { number, decimals: usize::from(DEFAULT_DECIMALS) })
}

fn evidence_by(lang: Lang, of: &Evidence, by: &Naming<'_>) -> Rich {
    Rich::from_marked(&match lang {
        Lang::Ja => ja::evidence(of, by),
        Lang::En => en::evidence(of, by),
    })
}

/// How a finding's sentence names runs and prints percentages.
struct Naming<'a> {
    /// A run.
    number: &'a dyn Fn(&RunId) -> String,
    /// Of percentages, as the study has them.
    decimals: usize,
}

impl Naming<'_> {
    /// A signed percentage; as many more decimals as it takes to tell it from none.
    fn signed(&self, pct: f64) -> String {
        number::signed_pct(pct, self.decimals_of(pct))
    }

    fn pct(&self, pct: f64) -> String {
        number::pct(pct, self.decimals_of(pct))
    }

    fn decimals_of(&self, pct: f64) -> usize {
        let seen = |decimals: &usize| crate::round::half_up(pct, *decimals) != 0.0;
        let most = self.decimals.max(MOST_DECIMALS);
        (self.decimals..most).find(seen).unwrap_or(self.decimals)
    }
}

/// How the figures of a report came about.
#[must_use]
pub fn method(lang: Lang, report: &Report) -> Vec<Rich> {
    let sentences = match lang {
        Lang::Ja => ja::method(report),
        Lang::En => en::method(report),
    };
    sentences.iter().map(|text| Rich::from_marked(text)).collect()
}

/// A variant's name for people: the one it was given, or else its id.
#[must_use]
pub fn variant_name(lang: Lang, report: &Report, id: &VariantId) -> Rich {
    Rich::from_marked(&Facts { report, lang }.variant(id))
}

/// A step's name for people.
#[must_use]
pub fn step_name(lang: Lang, report: &Report, id: &crate::id::StepId) -> String {
    Facts { report, lang }.step(id)
}

/// A line of a file.
#[must_use]
pub fn line(lang: Lang, number: usize) -> String {
    match lang {
        Lang::Ja => ja::line(number),
        Lang::En => en::line(number),
    }
}

/// A number of runs.
#[must_use]
pub fn runs(lang: Lang, n: usize) -> String {
    match lang {
        Lang::Ja => ja::runs(n),
        Lang::En => en::runs(n),
    }
}

/// Who printed a result, by the name the tool has in both languages; the block that several tools print is described.
#[must_use]
pub fn tool(lang: Lang, of: Tool) -> &'static str {
    match of {
        Tool::ServingBenchmarkBlock => labels(lang).tool_block,
        Tool::VllmServe => "vllm bench serve",
        Tool::VllmThroughput => "vllm bench throughput",
        Tool::VllmLatency => "vllm bench latency",
        Tool::SglangServing => "sglang.bench_serving",
        Tool::GuideLlm => "GuideLLM",
        Tool::GpuStack => "GPUStack",
        Tool::AiPerf => "AIPerf",
        Tool::GenAiPerf => "GenAI-Perf",
        Tool::TrtLlmBench => "trtllm-bench",
        Tool::InferenceMax => "InferenceMAX",
        Tool::LlmPerf => "LLMPerf",
        Tool::EvalScope => "EvalScope perf",
        Tool::LmDeploy => "LMDeploy",
        Tool::InferenceBenchmarker => "inference-benchmarker",
        Tool::InferencePerf => "inference-perf",
        Tool::LlmDReport => "llm-d Benchmark Report",
        Tool::MlPerf => "MLPerf LoadGen",
        Tool::GenAiBench => "genai-bench",
    }
}

/// Says of a figure of the option table that it is the reported one, under a heading that promises another.
#[must_use]
pub fn stands_in(lang: Lang, report: &Report, row: &OptionRow, metric: Metric) -> Option<&'static str> {
    let basis = report.option_basis(row, metric);
    (basis != report.basis).then(|| self::basis(lang, basis))
}

/// A figure on the basis that was not asked for, with its name: `recomputed 12,619.64`.
#[must_use]
pub fn beside(lang: Lang, basis: Basis, metric: Metric, other: f64) -> String {
    format!("{} {}", self::basis(lang, basis.other()), number::figure(metric, other))
}
