//! Words of comparisons: what sides are called, in what they differ, why a change says nothing.

mod words;

pub use words::{CompareLabels, compare_labels};

use super::number::{count, grouped, pct, signed_pct};
use super::{Lang, Piece, Rich, basis, labels, metric, page_labels, phrase, tool};
use crate::compare::{
    Apart, Column, Comparison, Dimension, Figure, Missing, Name, Subject, Value, WhyMissing, Workload,
};
use crate::run::TpotDefinition;
use crate::study::{Basis, Profile};

/// `Compare 3 variants`, or without a number where nothing was chosen.
#[must_use]
pub fn title(lang: Lang, comparison: &Comparison) -> String {
    let columns = &comparison.columns;
    let n = columns.len();
    let runs = columns.iter().filter(|column| matches!(column.subject, Subject::Run(_))).count();
    match (lang, n, runs) {
        (_, 0, _) => compare_labels(lang).compare.to_owned(),
        (Lang::En, 1, 0) => "Compare 1 variant".to_owned(),
        (Lang::En, 1, _) => "Compare 1 run".to_owned(),
        (Lang::En, n, 0) => format!("Compare {n} variants"),
        (Lang::En, n, runs) if runs == n => format!("Compare {n} runs"),
        (Lang::En, n, _) => format!("Compare {n} variants and runs"),
        (Lang::Ja, n, 0) => format!("構成{n}件の比較"),
        (Lang::Ja, n, runs) if runs == n => format!("実行{n}件の比較"),
        (Lang::Ja, n, _) => format!("構成と実行{n}件の比較"),
    }
}

/// The view in one sentence, for search results and link previews.
#[must_use]
pub fn description(lang: Lang, comparison: &Comparison) -> String {
    let Some(base) = comparison.columns.get(comparison.base) else {
        return compare_labels(lang).description.to_owned();
    };
    let name = column_name(lang, base).plain();
    let others = comparison.columns.len() - 1;
    match (lang, others) {
        (Lang::En, 1) => format!("1 other against {name}: figures, changes with their verdicts, parameters, commands."),
        (Lang::En, others) => {
            format!("{others} others against {name}: figures, changes with their verdicts, parameters, commands.")
        }
        (Lang::Ja, others) => {
            format!("「{name}」を基準に、{others}件の計測値、変化と判定、パラメーター、コマンドを並べます。")
        }
    }
}

/// What a side is called: its variant's name, after the number of the run where it is one.
#[must_use]
pub fn column_name(lang: Lang, column: &Column) -> Rich {
    let variant = match &column.name {
        Some(name) => Piece::Text(name.get(lang).to_owned()),
        None => Piece::Code(column.variant.to_string()),
    };
    match (&column.subject, column.runs.first()) {
        (Subject::Run(_), Some(run)) => {
            let run = format!("{}{}", phrase::run_title(lang, run.number), phrase::colon(lang));
            Rich(vec![Piece::Text(run), variant])
        }
        (Subject::Run(_) | Subject::Variant { .. }, _) => Rich(vec![variant]),
    }
}

/// What a figure is called: `Total TPS, recomputed`. The form that a tool prints is named where there is another.
#[must_use]
pub fn figure(lang: Lang, of: Figure, in_both_forms: bool) -> String {
    let per_gpu = if of.per_gpu { format!(" {}", labels(lang).per_gpu) } else { String::new() };
    let name = format!("{}{per_gpu}", metric(lang, of.metric));
    match of.basis {
        Basis::Reported if !in_both_forms => name,
        Basis::Reported | Basis::Recomputed => format!("{name}{}{}", phrase::separator(lang), basis(lang, of.basis)),
    }
}

/// What a workload figure is called, and its unit.
#[must_use]
pub fn workload(lang: Lang, of: Workload) -> (&'static str, &'static str) {
    let (labels, page) = (labels(lang), page_labels(lang));
    match of {
        Workload::Successful => (labels.successful, ""),
        Workload::SuccessRate => (labels.success_rate, ""),
        Workload::InputPerRequest => (page.input_per_request, ""),
        Workload::OutputPerRequest => (page.output_per_request, ""),
        Workload::PeakConcurrency => (labels.peak_concurrency, ""),
        Workload::Duration => (labels.duration, "s"),
    }
}

/// A workload figure as it is shown.
#[must_use]
pub fn workload_value(of: Workload, value: f64) -> String {
    match of {
        Workload::Successful | Workload::PeakConcurrency => grouped(value, 0),
        Workload::SuccessRate => pct(value, 2),
        Workload::InputPerRequest | Workload::OutputPerRequest | Workload::Duration => grouped(value, 2),
    }
}

/// A parameter's name: a flag or variable as it is written, anything else in words.
#[must_use]
pub fn parameter(lang: Lang, name: &Name) -> Rich {
    let (labels, words) = (labels(lang), compare_labels(lang));
    let word = match name {
        Name::Argument(flag) => return Rich(vec![Piece::Code(flag.clone())]),
        Name::Environment(variable) => return Rich(vec![Piece::Code(format!("{variable}="))]),
        Name::Words => words.other_words,
        Name::Engine => labels.engine,
        Name::EngineVersion => words.engine_version,
        Name::Model => labels.model,
        Name::Gpu => labels.gpu,
        Name::GpuCount => labels.gpu_count,
        Name::Profile => labels.profile,
        Name::Dataset => labels.dataset,
        Name::InputTokens => labels.input_tokens,
        Name::OutputTokens => labels.output_tokens,
        Name::Seed => labels.seed,
        Name::RequestRate => labels.request_rate,
        Name::MaxConcurrency => labels.max_concurrency,
        Name::Requests => labels.requests,
        Name::Tool => labels.tool,
    };
    Rich(vec![Piece::Text(word.to_owned())])
}

/// A value in words.
#[must_use]
pub fn value(lang: Lang, of: &Value) -> String {
    let (words, page) = (compare_labels(lang), page_labels(lang));
    let list = |all: Vec<String>| all.join(phrase::separator(lang));
    match of {
        Value::Switch(true) => words.on.to_owned(),
        Value::Switch(false) => words.off.to_owned(),
        Value::Text(text) => text.clone(),
        Value::Count(n) => count(*n),
        Value::Seed(seed) => seed.to_string(),
        Value::Rate(rate) => phrase::request_rate(lang, *rate),
        Value::Named(name) => name.get(lang).to_owned(),
        Value::Profile(of) => {
            let name = of.name.get(lang);
            // Many a profile is called after its data.
            let dataset = of.dataset.clone().filter(|dataset| !dataset.eq_ignore_ascii_case(name));
            let line = phrase::profile(lang, &Profile { dataset, ..(**of).clone() }, None);
            list(std::iter::once(name.to_owned()).chain((!line.is_empty()).then_some(line)).collect())
        }
        Value::Tools(tools) => list(tools.iter().map(|of| tool(lang, *of).to_owned()).collect()),
        Value::Definitions(all) => {
            let word = |of: &TpotDefinition| match of {
                TpotDefinition::ExcludesFirstToken => page.tpot_excludes,
                TpotDefinition::IncludesFirstToken => page.tpot_includes,
                TpotDefinition::Unstated => page.tpot_unstated,
            };
            list(all.iter().map(|of| word(of).to_owned()).collect())
        }
        Value::Load { request_rate, max_concurrency } => {
            let rate = request_rate.map(|rate| phrase::request_rate(lang, rate));
            let limit = max_concurrency.map(|limit| match lang {
                Lang::En => format!("at most {} at once", count(limit)),
                Lang::Ja => format!("同時実行{}", count(limit)),
            });
            list(rate.into_iter().chain(limit).collect())
        }
        Value::Precision { bits, arguments } => {
            let bits = match (lang, bits) {
                (Lang::En, 16) => "16 bits, or not named".to_owned(),
                (Lang::Ja, 16) => "16ビット（または表記なし）".to_owned(),
                (Lang::En, bits) => format!("{bits} bits"),
                (Lang::Ja, bits) => format!("{bits}ビット"),
            };
            list(std::iter::once(bits).chain(arguments.iter().cloned()).collect())
        }
    }
}

/// What a dimension is called.
#[must_use]
pub fn dimension(lang: Lang, of: Dimension) -> &'static str {
    let (labels, words) = (labels(lang), compare_labels(lang));
    match of {
        Dimension::Profile => labels.profile,
        Dimension::Load => words.load,
        Dimension::Model => labels.model,
        Dimension::Precision => words.precision,
        Dimension::Hardware => labels.gpu,
        Dimension::GpuCount => labels.gpu_count,
        Dimension::Engine => labels.engine,
        Dimension::EngineVersion => words.engine_version,
        Dimension::Tool => labels.tool,
        Dimension::TpotDefinition => words.tpot_definition,
    }
}

/// After the values of a dimension, before what follows from them.
#[must_use]
pub const fn full_stop(lang: Lang) -> &'static str {
    match lang {
        Lang::En => ". ",
        Lang::Ja => "。",
    }
}

/// What follows for the reader when sides differ in a dimension, or may.
#[must_use]
pub fn consequence(lang: Lang, of: Dimension, certain: bool) -> &'static str {
    match (lang, certain, of) {
        (Lang::En, false, _) => "It is not recorded for all of them, so they may differ.",
        (Lang::Ja, false, _) => "記録のないものがあり、異なる可能性があります。",
        (Lang::En, true, of) => match of {
            Dimension::Profile => "Figures of different profiles stand side by side; their changes cannot be compared.",
            Dimension::Load => "Changes between different loads cannot be compared.",
            Dimension::Model => "Other weights may give other answers.",
            Dimension::Precision => "Another precision may give other answers.",
            Dimension::Hardware => "Totals of different GPUs cannot be compared.",
            Dimension::GpuCount => "Totals cannot be compared; the rows per GPU can.",
            Dimension::Engine => "The engine itself may be the reason for a difference.",
            Dimension::EngineVersion => "The version alone may be the reason for a difference.",
            Dimension::Tool => "Tools measure in different ways.",
            Dimension::TpotDefinition => "Reported TPOT is not the same figure in both, so its change gets no verdict.",
        },
        (Lang::Ja, true, of) => match of {
            Dimension::Profile => "プロファイルが異なる値は並べて示すだけで、変化は比較できません。",
            Dimension::Load => "負荷が異なるため、変化は比較できません。",
            Dimension::Model => "重みが異なると、回答の品質も変わることがあります。",
            Dimension::Precision => "精度が異なると、回答の品質も変わることがあります。",
            Dimension::Hardware => "GPUが異なるため、合計のスループットは比較できません。",
            Dimension::GpuCount => "合計のスループットは比較できません。GPUあたりの値は比較できます。",
            Dimension::Engine => "差の原因は、推論エンジンの違いかもしれません。",
            Dimension::EngineVersion => "差の原因は、バージョンの違いかもしれません。",
            Dimension::Tool => "測り方はツールによって異なります。",
            Dimension::TpotDefinition => "報告されたTPOTの定義が異なるため、その変化は判定しません。",
        },
    }
}

/// Why a change is not compared, or gets no verdict: a few words.
#[must_use]
pub fn apart(lang: Lang, of: Apart) -> &'static str {
    match (lang, of) {
        (Lang::En, Apart::Profile) => "another profile",
        (Lang::En, Apart::LoadPoint) => "another load",
        (Lang::En, Apart::Failures) => "too many failed requests",
        (Lang::En, Apart::Workload) => "prompts of another length",
        (Lang::En, Apart::Hardware) => "other hardware",
        (Lang::En, Apart::Load) => "set by the load",
        (Lang::En, Apart::TpotDefinition) => "not the decode time",
        (Lang::Ja, Apart::Profile) => "プロファイルが異なる",
        (Lang::Ja, Apart::LoadPoint) => "負荷が異なる",
        (Lang::Ja, Apart::Failures) => "失敗したリクエストが多い",
        (Lang::Ja, Apart::Workload) => "入力の長さが異なる",
        (Lang::Ja, Apart::Hardware) => "ハードウェアが異なる",
        (Lang::Ja, Apart::Load) => "負荷で頭打ち",
        (Lang::Ja, Apart::TpotDefinition) => "デコード時間ではない",
    }
}

/// What the banner says above the list of differences.
#[must_use]
pub fn banner(lang: Lang, comparison: &Comparison) -> &'static str {
    let disqualified = comparison.columns.iter().any(|column| column.disqualified);
    let certain = comparison.mismatches.iter().any(|mismatch| mismatch.certain);
    match (lang, disqualified || comparison.has_incomparable(), certain) {
        (Lang::En, true, _) => "Not everything here can be compared",
        (Lang::En, false, true) => "They differ in more than their arguments",
        (Lang::En, false, false) => "They may differ in more than their arguments",
        (Lang::Ja, true, _) => "比較できないものがあります",
        (Lang::Ja, false, true) => "引数のほかにも違いがあります",
        (Lang::Ja, false, false) => "引数のほかにも違いがある可能性があります",
    }
}

/// What became of a subject that is not shown.
#[must_use]
pub fn missing(lang: Lang, of: &Missing) -> Rich {
    let why = match (lang, of.why) {
        (Lang::En, WhyMissing::Study) => "there is no such study (any more).",
        (Lang::En, WhyMissing::Variant) => "the study has no such variant.",
        (Lang::En, WhyMissing::Profile) => "the study has no such profile.",
        (Lang::En, WhyMissing::Run) => "there is no such run (any more).",
        (Lang::En, WhyMissing::NotMeasured) => "it was not run under this profile.",
        (Lang::Ja, WhyMissing::Study) => "この検証はないか、削除されています。",
        (Lang::Ja, WhyMissing::Variant) => "検証にこの構成はありません。",
        (Lang::Ja, WhyMissing::Profile) => "検証にこのプロファイルはありません。",
        (Lang::Ja, WhyMissing::Run) => "この実行はないか、削除されています。",
        (Lang::Ja, WhyMissing::NotMeasured) => "このプロファイルでは計測されていません。",
    };
    named(lang, of.subject.to_string(), why)
}

/// A text that names neither a variant nor a run.
#[must_use]
pub fn unreadable(lang: Lang, text: &str) -> Rich {
    let why = match lang {
        Lang::En => "this names neither a variant (STUDY:VARIANT:PROFILE) nor a run (run:ID).",
        Lang::Ja => "構成（STUDY:VARIANT:PROFILE）でも実行（run:ID）でもありません。",
    };
    named(lang, text.to_owned(), why)
}

/// One that has no room any more.
#[must_use]
pub fn too_many(lang: Lang, subject: &Subject, most: usize) -> Rich {
    let why = match lang {
        Lang::En => format!("left out: at most {most} stand side by side."),
        Lang::Ja => format!("一度に並べられるのは{most}件までのため、省きました。"),
    };
    named(lang, subject.to_string(), &why)
}

fn named(lang: Lang, what: String, why: &str) -> Rich {
    Rich(vec![Piece::Code(what), Piece::Text(format!("{}{why}", phrase::colon(lang)))])
}

/// The 95 % interval of a change.
#[must_use]
pub fn interval(lang: Lang, low: f64, high: f64, decimals: usize) -> String {
    let (low, high) = (signed_pct(low, decimals), signed_pct(high, decimals));
    match lang {
        Lang::En => format!("95%: {low} to {high}"),
        Lang::Ja => format!("95%区間：{low}〜{high}"),
    }
}

/// How many parameters all sides have in common.
#[must_use]
pub fn same_parameters(lang: Lang, n: usize) -> String {
    match (lang, n) {
        (Lang::En, 1) => "1 other is the same in all".to_owned(),
        (Lang::En, n) => format!("{n} others are the same in all"),
        (Lang::Ja, n) => format!("ほかの{n}件はすべて同じです"),
    }
}
