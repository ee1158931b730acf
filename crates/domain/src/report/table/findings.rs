//! A row a finding, heaviest first, with its numbers as the JSON has them.

use super::{Cell, Field, Kind, Page, Show, Table};
use crate::check::{Finding, Subject};
use crate::text::{self, export_labels, phrase};

impl Page<'_> {
    pub(super) fn findings(&self) -> Table {
        let (words, own) = (self.words, export_labels(self.lang));
        let about = |finding: &Finding| match &finding.about {
            Subject::Run(id) => {
                let run = self.report.run(id)?;
                Some(format!("{} {:02} {}", words.run, run.number, self.variant_name(&run.variant)))
            }
            Subject::Comparison(profile, variant) => {
                Some(format!("{} {}", self.profile_name(profile), self.variant_name(variant)))
            }
            Subject::Study => None,
        };
        let run = |finding: &Finding| match &finding.about {
            Subject::Run(id) => Some(id.to_string()),
            Subject::Comparison(..) | Subject::Study => None,
        };
        let values = |finding: &Finding| {
            Some(
                serde_json::to_string(&finding.evidence).expect("evidence has text keys, so it can be written as JSON"),
            )
        };
        let fields = vec![
            field(words.severity, Show::Words, |finding| text::severity(self.lang, finding.evidence.severity())),
            field(words.finding, Show::Words, |finding| phrase::finding(self.lang, &finding.evidence)),
            field(own.finding_ids, Show::Words, |finding| finding.evidence.id()),
            field(own.about, Show::Words, about),
            field(own.statement, Show::Sentence, |finding| {
                Some(text::evidence(self.lang, self.report, &finding.evidence).plain())
            }),
            field(own.evidence, Show::Sentence, values),
            field(own.run_id, Show::Words, run),
        ];
        Self::table(Kind::Findings, fields, &self.report.findings)
    }
}

/// A column whose cells follow from this kind of row.
fn field<'a, C: Into<Cell>>(
    heading: impl Into<String>,
    show: Show,
    cell: impl Fn(&Finding) -> C + 'a,
) -> Field<'a, Finding> {
    Field::new(heading, show, cell)
}
