//! Findings by kind: a reader wants to know that every TPOT is wrong, not to be told so twenty times.

use super::Report;
use crate::check::{Finding, Severity};

/// Findings of one kind: what is counted and listed, on the page as in Markdown.
#[derive(Debug, Clone, PartialEq)]
pub struct Kind<'a> {
    /// Its id.
    pub id: &'static str,
    /// All of them, in the report's order; never empty.
    pub findings: Vec<&'a Finding>,
}

/// The kinds of findings of one severity, in the order in which the report has them.
#[must_use]
pub fn kinds_of(report: &Report, severity: Severity) -> Vec<Kind<'_>> {
    let mut kinds: Vec<Kind<'_>> = Vec::new();
    for finding in report.findings.iter().filter(|finding| finding.evidence.severity() == severity) {
        let id = finding.evidence.id();
        match kinds.iter_mut().find(|kind| kind.id == id) {
            Some(kind) => kind.findings.push(finding),
            None => kinds.push(Kind { id, findings: vec![finding] }),
        }
    }
    kinds
}
