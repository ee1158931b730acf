//! What an agent would do, without doing it.

use std::fmt::Write as _;

use domain::command::quote;
use domain::plan::{Place, Plan, next};

use crate::Config;
use crate::facts::facts;

/// The machine as it would be told, and for a plan the commands of its first jobs, and why some could not run here.
#[must_use]
pub fn dry_run(config: &Config, plan: Option<&Plan>) -> String {
    let facts = facts(config);
    let mut out = serde_json::to_string_pretty(&facts).unwrap_or_default();
    out.push('\n');
    let Some(plan) = plan else { return out };
    let place = Place { host: config.host.clone(), port: config.port, out: "OUT".to_owned() };
    let free = u32::try_from(facts.gpus.len()).unwrap_or(u32::MAX);
    let line = |argv: Vec<String>| config.program(argv).iter().map(|word| quote(word)).collect::<Vec<_>>().join(" ");
    for job in next(plan, &[], &[]).jobs {
        let _ = write!(out, "\n# {} / {} / {}\n", job.key.variant, job.key.profile, job.key.repeat);
        if let Some(unmet) = job.needs.unmet(&facts, free) {
            let _ = writeln!(out, "# not on this machine: {unmet:?}");
        }
        let _ = writeln!(out, "{}\n{}", line(job.serve(&place)), line(job.bench(&place)));
    }
    out
}
