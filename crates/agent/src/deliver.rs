//! Results on their way to the server, as often as it takes.

use domain::agent::{Claim, Failure, Finish};
use domain::job::FailureClass;

use crate::spool::{Kept, Spool};
use crate::{Server, Trouble};

/// Delivers what is kept; `false` where something has to wait.
pub(crate) fn deliver_all(spool: &Spool, server: &dyn Server) -> bool {
    let mut all = true;
    for (file, kept) in spool.kept() {
        match deliver(spool, server, &file, &kept) {
            Ok(()) => tracing::info!(job = %kept.job, "the result is delivered"),
            Err(Trouble::Away(why)) => {
                tracing::warn!(job = %kept.job, why, "the result waits");
                all = false;
            }
            Err(Trouble::Stop(stop)) => {
                tracing::info!(job = %kept.job, why = stop.detail, "nobody needs the result any more");
                spool.delivered(&kept);
            }
            Err(Trouble::Refused(why)) => {
                tracing::error!(job = %kept.job, why, "the server will not take the result: it is kept in refused/");
                let failure = Failure { attempt: kept.attempt, class: FailureClass::BenchFailed, log: vec![why] };
                // Where that is not heard either, the lease ends by itself.
                server.fail(&kept.job, &failure).ok();
                spool.refused(&kept);
            }
        }
    }
    all
}

/// First the job is promised this result and no other; then it may come as often as it takes, for the same bytes are stored
/// once.
fn deliver(spool: &Spool, server: &dyn Server, file: &std::path::Path, kept: &Kept) -> Result<(), Trouble> {
    let Kept { job, attempt, digest, name, envelope, settled } = kept;
    let claim = Claim { attempt: *attempt, agent: spool.agent.clone(), digest: digest.clone() };
    server.claim(job, &claim)?;
    server.upload(envelope, name, file)?;
    server.finish(job, &Finish { digest: digest.clone(), settled: settled.clone() })?;
    spool.delivered(kept);
    Ok(())
}
