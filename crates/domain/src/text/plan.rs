//! Words of plans: steps that a search makes, what became of what it tried, what a plan will cost and how it ended.

use super::number::{count, grouped, pct, signed_pct, threshold};
use super::{Lang, goal};
use crate::advise::cost::Currency;
use crate::advise::{Goal, WhyNot};
use crate::change::{Change, Verdict};
use crate::metric::Metric;
use crate::plan::{Ending, Estimate, Outcome, Span, Spent, Traced, TracedStep, Tried};
use crate::study::Localized;
use crate::text::jobs::failure_class;

/// The name of the one step of a plan that names none.
#[must_use]
pub fn all_variants() -> Localized {
    both("構成の比較", "Comparing the Variants")
}

/// The name of the step in which engines are compared.
#[must_use]
pub fn engine_choice() -> Localized {
    both("推論エンジンの選択", "Choosing the Inference Engine")
}

/// The name of the step in which adopted values are put together.
#[must_use]
pub fn combinations() -> Localized {
    both("採用した設定の組み合わせ", "Combining What Was Adopted")
}

fn both(ja: &str, en: &str) -> Localized {
    Localized { ja: Some(ja.to_owned()), en: Some(en.to_owned()) }
}

/// A step of a search in one sentence: what it was tried on, and what is kept.
#[must_use]
pub fn traced(lang: Lang, step: &Traced) -> String {
    let base = &step.base;
    match (lang, &step.state) {
        (Lang::En, TracedStep::Measuring) => format!("Being measured, on top of {base}."),
        (Lang::Ja, TracedStep::Measuring) => format!("「{base}」を土台に計測中です。"),
        (Lang::En, TracedStep::Decided { adopted: Some(id) }) => format!("Tried on top of {base}: {id} is kept."),
        (Lang::Ja, TracedStep::Decided { adopted: Some(id) }) => {
            format!("「{base}」を土台に試し、「{id}」を採用しました。")
        }
        (Lang::En, TracedStep::Decided { adopted: None }) => format!("Tried on top of {base}: nothing is kept."),
        (Lang::Ja, TracedStep::Decided { adopted: None }) => {
            format!("「{base}」を土台に試しましたが、採用したものはありません。")
        }
        (Lang::En, TracedStep::Unfit { engine }) => format!("Left out: {engine} has no such setting."),
        (Lang::Ja, TracedStep::Unfit { engine }) => format!("{engine}にはこの設定がないため、省きました。"),
        (Lang::En, TracedStep::NothingNew) => format!("Left out: {base} is set like this already."),
        (Lang::Ja, TracedStep::NothingNew) => format!("「{base}」は既にこの設定なので、省きました。"),
    }
}

/// What became of a variant that a search tried, in one sentence. `goal` is the study's objective.
#[must_use]
pub fn tried(lang: Lang, objective: Goal, relevance_pct: f64, tried: &Tried) -> String {
    let id = &tried.variant;
    let Some(outcome) = &tried.outcome else {
        return match lang {
            Lang::En => format!("{id}: being measured."),
            Lang::Ja => format!("「{id}」：計測中です。"),
        };
    };
    let said = match lang {
        Lang::En => outcome_en(objective, relevance_pct, outcome),
        Lang::Ja => outcome_ja(objective, relevance_pct, outcome),
    };
    match lang {
        Lang::En => format!("{id}: {said}"),
        Lang::Ja => format!("「{id}」：{said}"),
    }
}

fn percent(change: &Change) -> Option<String> {
    change.pct().map(|pct| signed_pct(pct, 2))
}

fn outcome_en(objective: Goal, relevance_pct: f64, outcome: &Outcome) -> String {
    let figure = |change: &Change| {
        let pct = percent(change).unwrap_or_else(|| "unknown".to_owned());
        match objective {
            Goal::Metric(Metric::TotalTps) => pct,
            of => format!("{pct} in {}", goal(Lang::En, of)),
        }
    };
    match outcome {
        Outcome::Adopted { change: Some(change) } if change.verdict == Verdict::Better => {
            format!("kept, {}.", figure(change))
        }
        Outcome::Adopted { .. } => "kept: what it was tried on cannot win.".to_owned(),
        Outcome::Surpassed { change, by } => format!("better, {}, but {by} is better still.", figure(change)),
        Outcome::NoGain { change } => match change.verdict {
            Verdict::Worse => format!("worse, {}.", figure(change)),
            Verdict::Neutral => {
                format!("no gain that matters: {}, below {}.", figure(change), threshold(relevance_pct))
            }
            Verdict::WithinNoise => format!(
                "not beyond the noise: {}{}.",
                figure(change),
                change.band().map_or_else(String::new, |band| format!(", within ±{}", pct(band, 2)))
            ),
            Verdict::NotComparable => "not comparable with what it was tried on.".to_owned(),
            Verdict::Better => format!("better, {}, but ruled out by the ranking.", figure(change)),
            Verdict::Unknown => "the figure that decides is not there.".to_owned(),
        },
        Outcome::RuledOut { why } => match why {
            WhyNot::TooManyFailures { success_pct, .. } => {
                format!("ruled out: only {} of its requests succeeded.", pct(*success_pct, 2))
            }
            WhyNot::MissesSlo { profile, metric, .. } => {
                format!("ruled out: it breaks the limit {metric} of {profile}.")
            }
            WhyNot::SloNotMeasured { profile, metric, .. } => {
                format!("ruled out: nothing says that it keeps the limit {metric} of {profile}.")
            }
            WhyNot::NotMeasured { .. }
            | WhyNot::OtherDefinition { .. }
            | WhyNot::Worse { .. }
            | WhyNot::LoadLimited
            | WhyNot::HardwareDiffers
            | WhyNot::WorkloadDiffers
            | WhyNot::Surpassed { .. }
            | WhyNot::FewerArguments { .. } => "ruled out.".to_owned(),
        },
        Outcome::Failed { class } => format!("no result: {}.", failure_class(Lang::En, *class)),
        Outcome::Cancelled => "cancelled.".to_owned(),
        Outcome::NotMeasured => "the figure that decides was not measured.".to_owned(),
    }
}

fn outcome_ja(objective: Goal, relevance_pct: f64, outcome: &Outcome) -> String {
    let figure = |change: &Change| {
        let pct = percent(change).unwrap_or_else(|| "不明".to_owned());
        match objective {
            Goal::Metric(Metric::TotalTps) => pct,
            of => format!("{}が{pct}", goal(Lang::Ja, of)),
        }
    };
    match outcome {
        Outcome::Adopted { change: Some(change) } if change.verdict == Verdict::Better => {
            format!("{}の改善で、採用しました。", figure(change))
        }
        Outcome::Adopted { .. } => "土台の構成は推奨できないため、こちらを採用しました。".to_owned(),
        Outcome::Surpassed { change, by } => format!("{}の改善ですが、「{by}」のほうが優れています。", figure(change)),
        Outcome::NoGain { change } => match change.verdict {
            Verdict::Worse => format!("{}で、悪化しました。", figure(change)),
            Verdict::Neutral => {
                format!("{}で、意味のある差とする{}に届きません。", figure(change), threshold(relevance_pct))
            }
            Verdict::WithinNoise => format!(
                "{}で、{}ゆらぎの範囲です。",
                figure(change),
                change.band().map_or_else(String::new, |band| format!("±{}の", pct(band, 2)))
            ),
            Verdict::NotComparable => "土台の構成と比較できません。".to_owned(),
            Verdict::Better => format!("{}の改善ですが、順位付けで除外されました。", figure(change)),
            Verdict::Unknown => "判断に使う値がありません。".to_owned(),
        },
        Outcome::RuledOut { why } => match why {
            WhyNot::TooManyFailures { success_pct, .. } => {
                format!("成功したリクエストが{}にとどまるため、対象外です。", pct(*success_pct, 2))
            }
            WhyNot::MissesSlo { profile, metric, .. } => {
                format!("「{profile}」の制限{metric}を満たさないため、対象外です。")
            }
            WhyNot::SloNotMeasured { profile, metric, .. } => {
                format!("「{profile}」の制限{metric}を満たすと確認できないため、対象外です。")
            }
            WhyNot::NotMeasured { .. }
            | WhyNot::OtherDefinition { .. }
            | WhyNot::Worse { .. }
            | WhyNot::LoadLimited
            | WhyNot::HardwareDiffers
            | WhyNot::WorkloadDiffers
            | WhyNot::Surpassed { .. }
            | WhyNot::FewerArguments { .. } => "対象外です。".to_owned(),
        },
        Outcome::Failed { class } => format!("結果がありません（{}）。", failure_class(Lang::Ja, *class)),
        Outcome::Cancelled => "取り消されました。".to_owned(),
        Outcome::NotMeasured => "判断に使う値が計測されていません。".to_owned(),
    }
}

/// How a plan ended, in one sentence.
#[must_use]
pub fn ending(lang: Lang, ending: Ending) -> &'static str {
    match (lang, ending) {
        (Lang::En, Ending::Complete) => "Everything was measured.",
        (Lang::Ja, Ending::Complete) => "すべて計測しました。",
        (Lang::En, Ending::Jobs) => "Stopped: the plan's budget of jobs is used up.",
        (Lang::Ja, Ending::Jobs) => "計画で決めたジョブ数に達したため、終了しました。",
        (Lang::En, Ending::Minutes) => "Stopped: the plan's budget of minutes is used up.",
        (Lang::Ja, Ending::Minutes) => "計画で決めた時間に達したため、終了しました。",
    }
}

/// What was used of a plan's budget.
#[must_use]
pub fn spent(lang: Lang, spent: Spent) -> String {
    let (jobs, minutes) = (count(u64::from(spent.jobs)), duration(lang, spent.minutes));
    match lang {
        Lang::En => format!("{jobs} {} made, {minutes} used", if spent.jobs == 1 { "job" } else { "jobs" }),
        Lang::Ja => format!("ジョブ{jobs}件、所要時間{minutes}"),
    }
}

/// What a plan will cost, a sentence each.
#[must_use]
pub fn estimate(lang: Lang, of: &Estimate) -> Vec<String> {
    let whole = |span: &Span<u64>| match span.least == span.most {
        true => count(span.least),
        false => format!("{}–{}", count(span.least), count(span.most)),
    };
    let (jobs, starts) = (whole(&of.jobs), whole(&of.starts));
    let mut said = vec![match lang {
        Lang::En => format!(
            "{jobs} {}, {starts} server {}.",
            if of.jobs.most == 1 { "job" } else { "jobs" },
            if of.starts.most == 1 { "start" } else { "starts" }
        ),
        Lang::Ja => format!("ジョブは{jobs}件、サーバー起動は{starts}回です。"),
    }];
    match &of.minutes {
        Some(minutes) => {
            let (least, most) = (duration(lang, minutes.least), duration(lang, minutes.most));
            said.push(match (lang, least == most) {
                (Lang::En, true) => format!("About {most} on one machine."),
                (Lang::En, false) => format!("About {least} to {most} on one machine."),
                (Lang::Ja, true) => format!("1台のマシンで約{most}かかります。"),
                (Lang::Ja, false) => format!("1台のマシンで約{least}～{most}かかります。"),
            });
        }
        None => {
            let list: Vec<&str> = of.unknown.iter().map(|profile| profile.as_str()).collect();
            said.push(match lang {
                Lang::En => format!(
                    "The time is not known: nothing says how long a run of {} takes. [plan.minutes] can.",
                    list.join(", ")
                ),
                Lang::Ja => format!(
                    "所要時間は不明です。「{}」の1回の計測にかかる時間が分からないためで、[plan.minutes]に書けます。",
                    list.join("」「")
                ),
            });
        }
    }
    if let Some((money, currency)) = &of.money {
        let (least, most) = (price(money.least, *currency), price(money.most, *currency));
        said.push(match (lang, least == most) {
            (Lang::En, true) => format!("About {most} of GPU time."),
            (Lang::En, false) => format!("About {least} to {most} of GPU time."),
            (Lang::Ja, true) => format!("GPUの費用は約{most}です。"),
            (Lang::Ja, false) => format!("GPUの費用は約{least}～{most}です。"),
        });
    }
    said
}

fn price(amount: f64, currency: Currency) -> String {
    match currency {
        Currency::Jpy => format!("¥{}", grouped(amount, 0)),
        Currency::Usd => format!("${}", grouped(amount, 2)),
    }
}

/// Minutes as people say them: `4 h 10 min`, `under a minute`.
#[must_use]
pub fn duration(lang: Lang, minutes: f64) -> String {
    let whole = minutes.max(0.0).round() as u64;
    let (hours, rest) = (whole / 60, whole % 60);
    match (lang, hours, rest) {
        (Lang::En, 0, 0) => "under a minute".to_owned(),
        (Lang::Ja, 0, 0) => "1分未満".to_owned(),
        (Lang::En, 0, rest) => format!("{rest} min"),
        (Lang::Ja, 0, rest) => format!("{rest}分"),
        (Lang::En, hours, 0) => format!("{} h", count(hours)),
        (Lang::Ja, hours, 0) => format!("{}時間", count(hours)),
        (Lang::En, hours, rest) => format!("{} h {rest} min", count(hours)),
        (Lang::Ja, hours, rest) => format!("{}時間{rest}分", count(hours)),
    }
}
