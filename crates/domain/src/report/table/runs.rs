//! One row a run: where it belongs, what it reported, what is recomputed, what was found.

use std::collections::BTreeSet;

use chrono::{DateTime, SecondsFormat};

use super::{Cell, Field, Kind, Page, Show, Table};
use crate::change::Change;
use crate::command::quote;
use crate::metric::Metric;
use crate::metrics::{Latency, Stat};
use crate::report::{RunReport, VariantFacts};
use crate::run::TpotDefinition;
use crate::study::Basis;
use crate::text::{self, export_labels, phrase};
use crate::units::RequestRate;

const RATES: [Metric; 3] = [Metric::TotalTps, Metric::OutputTps, Metric::RequestThroughput];
/// Statistics that every export has a column for, so that tables of different studies look alike.
const USUAL: [Stat; 4] = [Stat::Mean, Stat::Median, Stat::P95, Stat::P99];
/// Between the ids of one cell.
const AND: &str = "; ";

impl Page<'_> {
    pub(super) fn runs(&self) -> Table {
        let mut fields = self.place();
        fields.extend(self.setting());
        fields.extend(self.counts());
        fields.extend(self.rates());
        fields.extend(Latency::ALL.into_iter().flat_map(|latency| self.latency(latency)));
        fields.extend(self.judgement());
        Self::table(Kind::Runs, fields, &self.report.runs)
    }

    fn place(&self) -> Vec<Field<'_, RunReport>> {
        let (words, own) = (self.words, export_labels(self.lang));
        let role = |run: &RunReport| {
            let conclusion = &self.report.conclusion;
            let baseline = (run.variant == conclusion.baseline).then_some(words.baseline);
            let recommended = (conclusion.recommended.as_ref() == Some(&run.variant)).then_some(words.recommended);
            let roles: Vec<&str> = baseline.into_iter().chain(recommended).collect();
            Some(roles.join(AND))
        };
        let steps = |run: &RunReport| {
            let of = self.report.steps.iter().filter(|step| step.variants.iter().any(|one| one.id == run.variant));
            let of = of.filter(|step| step.profile == run.profile);
            Some(of.map(|step| step.id.as_str()).collect::<Vec<_>>().join(AND))
        };
        vec![
            field(own.number, Show::Count, |run| Some(run.number as u64)),
            field(words.profile, Show::Words, |run| Some(self.profile_name(&run.profile))),
            field(words.variant, Show::Words, |run| Some(self.variant_name(&run.variant))),
            field(own.role, Show::Words, role),
            field(words.steps, Show::Words, steps),
        ]
    }

    fn setting(&self) -> Vec<Field<'_, RunReport>> {
        let (words, own) = (self.words, export_labels(self.lang));
        let of = |run: &RunReport, get: fn(&VariantFacts) -> String| self.report.variant(&run.variant).map(get);
        let args = |facts: &VariantFacts| facts.args.iter().map(|arg| quote(arg)).collect::<Vec<_>>().join(" ");
        let env = |facts: &VariantFacts| {
            let set = facts.command.env.iter().map(|(key, value)| format!("{key}={}", quote(value)));
            set.collect::<Vec<_>>().join(" ")
        };
        let version = |facts: &VariantFacts| facts.engine.version.clone().unwrap_or_default();
        let engine = |run: &RunReport| {
            let facts = self.report.variant(&run.variant)?;
            Some(phrase::engine(self.lang, &facts.engine.engine).to_owned())
        };
        let started = |run: &RunReport| {
            let at = run.started_at.and_then(DateTime::from_timestamp_millis)?;
            Some(at.to_rfc3339_opts(SecondsFormat::Millis, true))
        };
        let tpot = |run: &RunReport| {
            Some(match run.tpot_definition {
                TpotDefinition::ExcludesFirstToken => own.excludes_first.to_owned(),
                TpotDefinition::IncludesFirstToken => own.includes_first.to_owned(),
                TpotDefinition::Unstated => own.unstated.to_owned(),
            })
        };
        vec![
            field(words.engine, Show::Words, engine),
            field(own.engine_version, Show::Words, move |run| of(run, version)),
            field(words.model, Show::Words, move |run| of(run, |facts| facts.model.clone())),
            field(words.arguments, Show::Sentence, move |run| of(run, args)),
            field(own.environment, Show::Words, move |run| of(run, env)),
            field(own.start, Show::Words, |run| run.start.clone()),
            field(own.started_at, Show::Words, started),
            field(words.tool, Show::Words, |run| text::tool(self.lang, run.tool)),
            field(own.tpot_definition, Show::Words, tpot),
        ]
    }

    fn counts(&self) -> Vec<Field<'_, RunReport>> {
        let (words, own) = (self.words, export_labels(self.lang));
        let rate = |run: &RunReport| match run.metrics.request_rate {
            None => Cell::Absent,
            Some(RequestRate::Unlimited) => words.unlimited.into(),
            Some(RequestRate::PerSec(rate)) => Cell::Number(rate.get()),
        };
        let duration = |run: &RunReport| run.metrics.duration.map(|duration| duration.get());
        let recomputed = text::basis(self.lang, Basis::Recomputed);
        vec![
            field(words.successful, Show::Count, |run| run.metrics.successful_requests),
            field(words.failed, Show::Count, |run| run.metrics.failed_requests),
            field(own.planned, Show::Count, |run| run.metrics.planned_requests),
            field(self.heading(words.success_rate, &[recomputed, "%"]), Show::Figure(2), |run| {
                run.recomputed.success_rate_pct
            }),
            field(self.heading(words.request_rate, &["req/s"]), Show::Figure(2), rate),
            field(words.max_concurrency, Show::Count, |run| run.metrics.max_concurrency),
            field(words.peak_concurrency, Show::Count, |run| run.metrics.peak_concurrent_requests),
            field(self.heading(own.duration, &["s"]), Show::Figure(2), duration),
            field(own.total_input, Show::Count, |run| run.metrics.total_input_tokens),
            field(own.total_output, Show::Count, |run| run.metrics.total_output_tokens),
            field(self.heading(own.input_per_request, &[recomputed]), Show::Figure(2), |run| {
                run.recomputed.input_tokens_per_request
            }),
            field(self.heading(own.output_per_request, &[recomputed]), Show::Figure(2), |run| {
                run.recomputed.output_tokens_per_request
            }),
        ]
    }

    /// Throughputs, recomputed before reported.
    fn rates(&self) -> Vec<Field<'_, RunReport>> {
        let recomputed = text::basis(self.lang, Basis::Recomputed);
        let reported = text::basis(self.lang, Basis::Reported);
        let both = |metric: Metric| {
            let name = text::metric(self.lang, metric);
            [
                field(self.heading(&name, &[recomputed, metric.unit()]), Show::Figure(2), move |run| {
                    run.recomputed.get(metric)
                }),
                field(self.heading(&name, &[reported, metric.unit()]), Show::Figure(2), move |run| {
                    metric.of(&run.metrics)
                }),
            ]
        };
        let mut fields: Vec<Field<'_, RunReport>> = RATES.into_iter().flat_map(both).collect();
        let unit = Metric::TotalTps.unit();
        let per_gpu = self.heading(export_labels(self.lang).total_per_gpu, &[recomputed, unit]);
        fields.push(field(per_gpu, Show::Figure(2), |run| {
            run.recomputed.total_token_throughput_per_gpu.map(|rate| rate.get())
        }));
        let peak = self.heading(self.words.peak_output, &[reported, unit]);
        fields.push(field(peak, Show::Figure(2), |run| run.metrics.peak_output_throughput.map(|rate| rate.get())));
        let goodput = self.heading(&text::metric(self.lang, Metric::Goodput), &[reported, Metric::Goodput.unit()]);
        fields.push(field(goodput, Show::Figure(2), |run| Metric::Goodput.of(&run.metrics)));
        fields
    }

    fn latency(&self, latency: Latency) -> Vec<Field<'_, RunReport>> {
        let measured = self.report.runs.iter().flat_map(|run| run.metrics.latency(latency).keys().copied());
        let stats: BTreeSet<Stat> = USUAL.into_iter().chain(measured).collect();
        let mut fields = Vec::new();
        for stat in stats {
            let metric = Metric::Latency(latency, stat);
            let name = text::metric(self.lang, metric);
            if (latency, stat) == (Latency::Tpot, Stat::Mean) {
                let heading = self.heading(&name, &[text::basis(self.lang, Basis::Recomputed), metric.unit()]);
                fields.push(field(heading, Show::Figure(2), move |run| run.recomputed.get(metric)));
            }
            let heading = self.heading(&name, &[text::basis(self.lang, Basis::Reported), metric.unit()]);
            fields.push(field(heading, Show::Figure(2), move |run| metric.of(&run.metrics)));
        }
        fields
    }

    fn judgement(&self) -> Vec<Field<'_, RunReport>> {
        let (words, own) = (self.words, export_labels(self.lang));
        let change = |basis: Basis, of: fn(&Change) -> Option<f64>| {
            let heading = self.heading(own.objective_change, &[text::basis(self.lang, basis), "%"]);
            field(heading, self.pct(), move |run| self.change(run).as_ref().and_then(of))
        };
        let decision = |run: &RunReport| {
            let of = self.report.options.iter().filter(|row| row.variant.as_ref() == Some(&run.variant));
            let of = of.filter(|row| self.report.step(&row.step).is_some_and(|step| step.profile == run.profile));
            Some(of.map(|row| text::decision(self.lang, row.decision)).collect::<Vec<_>>().join(AND))
        };
        let ids = |run: &RunReport| {
            let ids: BTreeSet<&str> = run.findings.iter().map(|finding| finding.evidence.id()).collect();
            Some(ids.into_iter().collect::<Vec<_>>().join(AND))
        };
        vec![
            change(Basis::Recomputed, |change| change.recomputed_pct),
            change(Basis::Reported, |change| change.reported_pct),
            field(words.verdict, Show::Words, |run| {
                self.change(run).map(|change| text::verdict(self.lang, change.verdict).to_owned())
            }),
            field(words.decision, Show::Words, decision),
            field(own.place, Show::Count, |run| {
                self.report.ranked(&run.variant).and_then(|ranked| ranked.place).map(|place| place as u64)
            }),
            field(own.finding_ids, Show::Sentence, ids),
            field(own.run_id, Show::Words, |run| Cell::from(run.id.as_str())),
            field(own.variant_id, Show::Words, |run| Cell::from(run.variant.as_str())),
            field(own.profile_id, Show::Words, |run| Cell::from(run.profile.as_str())),
            field(own.file, Show::Words, |run| Cell::from(run.file.as_str())),
            field("SHA-256", Show::Words, |run| Cell::from(run.digest.as_str())),
        ]
    }

    /// What became of the objective under the run's profile, where its variant was set against the baseline there.
    fn change(&self, run: &RunReport) -> Option<Change> {
        let in_step = || {
            let steps = self.report.steps.iter().filter(|step| step.profile == run.profile);
            let mut variants = steps.flat_map(|step| &step.variants).filter(|variant| variant.id == run.variant);
            variants.find_map(|variant| variant.change)
        };
        let in_conclusion = || {
            let conclusion = &self.report.conclusion;
            let mut rows = conclusion.rows.iter().filter(|row| row.profile == run.profile);
            rows.find(|row| row.recommended.variant == run.variant).map(|row| row.objective_change)
        };
        // Nothing is set against itself.
        (run.variant != self.report.conclusion.baseline).then(|| in_step().or_else(in_conclusion)).flatten()
    }
}

/// A column whose cells follow from this kind of row.
fn field<'a, C: Into<Cell>>(
    heading: impl Into<String>,
    show: Show,
    cell: impl Fn(&RunReport) -> C + 'a,
) -> Field<'a, RunReport> {
    Field::new(heading, show, cell)
}
