//! What was seen in one file: its figures as reported and recomputed, what is doubted, what was masked, or why it cannot
//! be read.

use std::{cmp::Reverse, collections::BTreeMap};

use domain::{
    check::{CheckedRun, Evidence, Severity, check_runs},
    metric::Metric,
    metrics::{Latency, Stat},
    recompute::attempted,
    run::{Measurement, TpotDefinition},
    text::{
        self, evidence_with, labels, number, page_labels, phrase,
        upload::{self as words, upload_labels},
    },
    units::RequestRate,
};
use leptos::prelude::*;

use crate::{
    lang::Lang,
    part::{
        figure::{Absent, Figure},
        rich::Sentence,
        tag::SeverityTag,
    },
    upload::{MaskedLine, ReadFile, SHOWN_MASKED, Unread},
};

/// A file with results, recomputed and checked.
pub struct Reading {
    read: ReadFile,
    checked: Vec<CheckedRun>,
    /// Kinds of findings, heaviest first: the first evidence of each, and the results that it was found on.
    doubts: Vec<(Evidence, Vec<usize>)>,
    lang: Lang,
}

impl Reading {
    /// Checks what is shown of a file.
    pub fn of(read: ReadFile, lang: Lang) -> Self {
        let checked = check_runs(&read.runs);
        let mut kinds = BTreeMap::new();
        for (number, run) in (1..).zip(&checked) {
            for finding in &run.findings {
                let key = (Reverse(finding.evidence.severity()), finding.evidence.id());
                let (_, on): &mut (Evidence, Vec<usize>) =
                    kinds.entry(key).or_insert_with(|| (finding.evidence.clone(), Vec::new()));
                if on.last() != Some(&number) {
                    on.push(number);
                }
            }
        }
        Self { read, checked, doubts: kinds.into_values().collect(), lang }
    }

    /// Whether a result can never be recommended.
    pub fn disqualified(&self) -> bool {
        self.read.disqualified > 0
    }

    /// Kinds of findings that are more than information.
    pub fn doubts(&self) -> usize {
        self.doubts.iter().filter(|(evidence, _)| evidence.severity() > Severity::Info).count()
    }

    /// The file in a few words.
    pub fn tag(&self) -> AnyView {
        let severity = match (self.disqualified(), self.doubts() + self.read.rejected_count) {
            (true, _) => Severity::Disqualifying,
            (false, 1..) => Severity::Warning,
            (false, 0) => Severity::Info,
        };
        let text = words::sum(self.lang, self.read.count, self.doubts(), self.read.rejected_count);
        if severity == Severity::Info {
            return view! { <span class="tag tag--flat">{text}</span> }.into_any();
        }
        view! { <SeverityTag severity words=text/> }.into_any()
    }

    /// Figures and doubts.
    pub fn view(self) -> AnyView {
        let own = upload_labels(self.lang);
        let lang = self.lang;
        let several = self.read.count > 1;
        let facts = facts(&self.read, several, lang);
        let figures = match (self.read.runs.first(), self.checked.first()) {
            (Some(run), Some(checked)) if !several => one(run, checked, lang),
            _ => many(&self.read, &self.checked, lang),
        };
        let all = self.read.count;
        let clean = self.doubts.is_empty();
        let doubts = self.doubts.into_iter().map(|(evidence, on)| {
            let severity = evidence.severity();
            let sentence = evidence_with(lang, &evidence, &|run| run.to_string());
            view! {
                <li>
                    <SeverityTag severity words=text::severity(lang, severity)/>
                    <span>
                        {words::results(lang, &on, all)}<Sentence rich=sentence/>" "
                        <code class="small muted">{evidence.id()}</code>
                    </span>
                </li>
            }
        });
        let doubts = doubts.collect_view();
        let left_out = left_out(&self.read, lang);
        let warnings = warnings(&self.read, lang);
        view! {
            <div class="file__body" class:file__body--many=several>
                <div>
                    <h3>{own.understood}</h3>
                    {facts}
                    {figures}
                </div>
                <div>
                    <h3>{own.doubted}</h3>
                    {clean.then(|| view! { <p class="small">{own.nothing_doubted}</p> })}
                    {(!clean).then(|| view! { <ul class="found">{doubts}</ul> })}
                    {left_out}
                    {warnings}
                </div>
            </div>
        }
        .into_any()
    }
}

/// Tool, model and counts: what figures rest on.
fn facts(read: &ReadFile, several: bool, lang: Lang) -> AnyView {
    let (w, own) = (labels(lang), upload_labels(lang));
    let said = &read.said;
    let with = |name: &Option<String>, version: &Option<String>| {
        name.as_ref()
            .map(|name| [Some(name.clone()), version.clone()].into_iter().flatten().collect::<Vec<_>>().join(" "))
    };
    let mut rows: Vec<(&'static str, AnyView)> = vec![(own.format, text::tool(lang, read.tool).into_any())];
    rows.extend(with(&said.engine, &said.engine_version).map(|engine| (w.engine, engine.into_any())));
    rows.extend(said.model.clone().map(|model| (w.model, view! { <code>{model}</code> }.into_any())));
    rows.extend(said.dataset.clone().map(|dataset| (w.dataset, dataset.into_any())));
    rows.extend(said.gpu.clone().map(|gpu| {
        let gpus = said.gpus.map(|n| format!(" × {n}")).unwrap_or_default();
        (w.gpu, format!("{gpu}{gpus}").into_any())
    }));
    if let Some(run) = read.runs.first().filter(|_| !several) {
        let metrics = &run.metrics;
        let requests = metrics.successful_requests.map(|ok| match attempted(metrics, None) {
            Some(all) => format!("{} / {}", number::count(ok), number::count(all)),
            None => number::count(ok),
        });
        let tokens = metrics.total_input_tokens.zip(metrics.total_output_tokens);
        let tokens = tokens.map(|(input, output)| format!("{} / {}", number::count(input), number::count(output)));
        rows.push((w.successful, or_absent(requests, lang)));
        rows.push((w.duration, or_absent(metrics.duration.map(|d| format!("{} s", number::short(d.get(), 2))), lang)));
        rows.push((own.tokens_in_out, or_absent(tokens, lang)));
        rows.extend(load(run, lang).map(|load| (page_labels(lang).load, load.into_any())));
    }
    let rows = rows.into_iter().map(|(name, value)| view! { <dt>{name}</dt><dd>{value}</dd> });
    view! { <dl class="kv kv--wrap">{rows.collect_view()}</dl> }.into_any()
}

/// The load of one result: rate and concurrency, where the output says them.
fn load(run: &Measurement, lang: Lang) -> Option<String> {
    let rate = run.metrics.request_rate.map(|rate: RequestRate| phrase::request_rate(lang, rate));
    let limit =
        run.metrics.max_concurrency.map(|limit| format!("{} {}", labels(lang).max_concurrency, number::count(limit)));
    let parts: Vec<String> = [rate, limit].into_iter().flatten().collect();
    (!parts.is_empty()).then(|| parts.join(phrase::separator(lang)))
}

fn or_absent(text: Option<String>, lang: Lang) -> AnyView {
    match text {
        Some(text) => text.into_any(),
        None => view! { <Absent word=labels(lang).not_measured/> }.into_any(),
    }
}

/// One result: throughput as reported and recomputed, latencies by statistic.
fn one(run: &Measurement, checked: &CheckedRun, lang: Lang) -> AnyView {
    let (w, own) = (labels(lang), upload_labels(lang));
    let rates = [Metric::TotalTps, Metric::OutputTps, Metric::RequestThroughput].map(|of| {
        view! {
            <tr>
                <th scope="row">{text::metric(lang, of)}<span class="unit">{number::unit(of)}</span></th>
                <td class="n"><Figure metric=of value=of.of(&run.metrics) lang/></td>
                <td class="n"><b><Figure metric=of value=checked.recomputed.get(of) lang/></b></td>
            </tr>
        }
    });
    let stats = [Stat::Mean, Stat::Median, Stat::P99];
    let latencies = Latency::ALL.map(|latency| {
        let cells = stats.map(|stat| printed(run, checked, latency, stat, lang));
        let note = (latency == Latency::Tpot && run.tpot_definition == TpotDefinition::IncludesFirstToken)
            .then(|| view! { <span class="beside">{page_labels(lang).tpot_includes}</span> });
        let unit = number::unit(Metric::Latency(latency, Stat::Mean));
        view! {
            <tr><th scope="row">{latency.key().to_uppercase()}<span class="unit">{unit}</span>{note}</th>{cells}</tr>
        }
    });
    let heads = stats.map(|stat| view! { <th scope="col" class="n">{words::stat(lang, stat)}</th> });
    view! {
        <div class="scroll" tabindex="0" role="group" aria-label=page_labels(lang).throughput>
            <table class="t t--tight">
                <caption class="vh">{page_labels(lang).throughput}</caption>
                <thead><tr><th scope="col">{page_labels(lang).throughput}</th><th scope="col" class="n">{own.reported}</th><th scope="col" class="n">{own.recomputed}</th></tr></thead>
                <tbody>{rates}</tbody>
            </table>
        </div>
        <div class="scroll" tabindex="0" role="group" aria-label=page_labels(lang).latency>
            <table class="t t--tight">
                <caption class="vh">{page_labels(lang).latency}{w.open}{w.reported}{w.close}</caption>
                <thead><tr><th scope="col">{page_labels(lang).latency}</th>{heads}</tr></thead>
                <tbody>{latencies}</tbody>
            </table>
        </div>
    }
    .into_any()
}

/// A latency as printed; a 0 where time must have passed was not measured.
fn printed(run: &Measurement, checked: &CheckedRun, latency: Latency, stat: Stat, lang: Lang) -> AnyView {
    let of = Metric::Latency(latency, stat);
    let value = of.of(&run.metrics);
    let zero = checked.findings.iter().any(|finding| match &finding.evidence {
        Evidence::NotMeasuredZero { latency: found, stats } => *found == latency && stats.contains(&stat),
        _ => false,
    });
    let shown = if zero { None } else { value };
    view! { <td class="n"><Figure metric=of value=shown lang/></td> }.into_any()
}

/// Several results: a row each.
fn many(read: &ReadFile, checked: &[CheckedRun], lang: Lang) -> AnyView {
    let (w, own, page) = (labels(lang), upload_labels(lang), page_labels(lang));
    let shown = [(Latency::Ttft, Stat::Mean), (Latency::Tpot, Stat::Mean), (Latency::E2el, Stat::P99)];
    let rows = read.runs.iter().zip(checked).zip(1..).map(|((run, checked), number)| {
        let label = run.context.label.clone().or_else(|| load(run, lang));
        let total = Metric::TotalTps;
        let duration = run.metrics.duration.map(|d| number::grouped(d.get(), 2));
        let latencies = shown.map(|(latency, stat)| printed(run, checked, latency, stat, lang));
        view! {
            <tr>
                <th scope="row">{number}" "<span class="muted small">{label}</span></th>
                <td class="n">{or_absent(run.metrics.successful_requests.map(number::count), lang)}</td>
                <td class="n">{or_absent(duration, lang)}</td>
                <td class="n"><Figure metric=total value=total.of(&run.metrics) lang/></td>
                <td class="n"><b><Figure metric=total value=checked.recomputed.get(total) lang/></b></td>
                {latencies}
            </tr>
        }
    });
    let heads = shown.map(|(latency, stat)| {
        let of = Metric::Latency(latency, stat);
        view! { <th scope="col" class="n">{text::metric(lang, of)}<span class="unit">{number::unit(of)}</span></th> }
    });
    let more = (read.count > read.runs.len()).then(|| {
        view! { <p class="small muted">{words::more_results(lang, read.count - read.runs.len())}</p> }
    });
    let rows = rows.collect_view();
    view! {
        <div class="scroll" tabindex="0" role="group" aria-label=page.figures>
            <table class="t t--tight">
                <caption class="vh">{page.run_figures}</caption>
                <thead>
                    <tr>
                        <th scope="col">{own.result}</th>
                        <th scope="col" class="n">{w.successful}</th>
                        <th scope="col" class="n">{w.duration}<span class="unit">"s"</span></th>
                        <th scope="col" class="n">{w.total_tps}<span class="unit">{own.reported}</span></th>
                        <th scope="col" class="n">{w.total_tps}<span class="unit">{own.recomputed}</span></th>
                        {heads}
                    </tr>
                </thead>
                <tbody>{rows}</tbody>
            </table>
        </div>
        {more}
    }
    .into_any()
}

/// Results that cannot be read: where, what was found, what was expected.
fn left_out(read: &ReadFile, lang: Lang) -> Option<AnyView> {
    let own = upload_labels(lang);
    let items = read.rejected.iter().map(|unread| {
        let said = match lang {
            Lang::Ja => &unread.ja,
            Lang::En => &unread.en,
        };
        let place = unread.line.map(|line| format!("{}{}", text::line(lang, line), phrase::colon(lang)));
        let expected = said.expected.clone().map(|expected| {
            view! { <span class="small muted">" "{own.expected}{phrase::colon(lang)}{expected}</span> }
        });
        view! { <li>{place}{said.found.clone()}{expected}</li> }
    });
    let items = items.collect_view();
    let rest = read.rejected_count - read.rejected.len();
    let more = (rest > 0).then(|| view! { <li class="muted">{words::more_warnings(lang, rest)}</li> });
    (read.rejected_count > 0).then(|| {
        view! { <h3 class="file__more">{own.results_left_out}</h3><ul class="remarks">{items}{more}</ul> }.into_any()
    })
}

/// What the reader remarked. These words come from the readers, in English.
fn warnings(read: &ReadFile, lang: Lang) -> Option<AnyView> {
    let own = upload_labels(lang);
    let items = read.warnings.iter().map(|warning| {
        let line = warning.line.map(|line| format!("{}{}", text::line(lang, line), phrase::colon(lang)));
        view! { <li>{line}<span lang="en">{warning.message.clone()}</span></li> }
    });
    let items = items.collect_view();
    let rest = read.warning_count - read.warnings.len();
    let more = (rest > 0).then(|| view! { <li class="muted">{words::more_warnings(lang, rest)}</li> });
    (read.warning_count > 0)
        .then(|| view! { <h3 class="file__more">{own.warnings}</h3><ul class="remarks">{items}{more}</ul> }.into_any())
}

/// Secrets that were masked: where, and what they were.
#[component]
pub fn Masked(
    /// The first ones.
    places: Vec<MaskedLine>,
    /// All of them.
    count: usize,
    /// In which language.
    lang: Lang,
) -> impl IntoView {
    let own = upload_labels(lang);
    let items = places.iter().map(|place| {
        view! { <li>{text::line(lang, place.line)}{phrase::colon(lang)}<span lang="en">{place.what.clone()}</span>" → "<code>{domain::mask::MASK}</code></li> }
    });
    let items = items.collect_view();
    let more = (count > places.len() && places.len() >= SHOWN_MASKED)
        .then(|| view! { <li class="muted">{words::more_warnings(lang, count - places.len())}</li> });
    view! {
        <div class="file__masked">
            <h3>{words::secrets(lang, count)}</h3>
            <ul class="remarks">{items}{more}</ul>
            <p class="small muted">{own.masked_hint}</p>
        </div>
    }
}

/// Where, what was found, what was expected, what to do.
#[component]
pub fn Unreadable(
    /// The file.
    unread: Unread,
    /// In which language.
    lang: Lang,
) -> impl IntoView {
    let own = upload_labels(lang);
    let Unread { line, path, excerpt, ja, en } = unread;
    let said = match lang {
        Lang::Ja => ja,
        Lang::En => en,
    };
    let place: Vec<String> = [line.map(|line| text::line(lang, line)), path].into_iter().flatten().collect();
    let place = (!place.is_empty()).then(|| {
        view! { <dt>{own.place}</dt><dd>{place.join(phrase::separator(lang))}</dd> }
    });
    let expected = said.expected.map(|expected| view! { <dt>{own.expected}</dt><dd>{expected}</dd> });
    let excerpt = excerpt.map(|text| {
        view! { <pre class="where" tabindex="0" role="group" aria-label=own.place>{text}</pre> }
    });
    view! {
        <div class="file__body">
            <div>
                <h3>{own.went_wrong}</h3>
                <dl class="facts facts--tight">
                    {place}
                    <dt>{own.found}</dt>
                    <dd>{said.found}</dd>
                    {expected}
                </dl>
                {excerpt}
            </div>
            <div>
                <h3>{own.to_do}</h3>
                <p class="small">{said.advice}</p>
                <p class="small muted">{own.left_out}</p>
            </div>
        </div>
    }
}
