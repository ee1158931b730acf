//! What kind of load a run was under, and whether it could reach the knob that was tried.

use super::{Evidence, RunFacts};
use crate::command::{Flag, flags};
use crate::noise::BATCH_FLAGS;
use crate::recompute::attempted;
use crate::round::derived;
use crate::run::Run;
use crate::study::{Profile, StudyData, Variant};
use crate::units::RequestRate;

/// Arrivals scatter (Poisson): an open loop without a limit has at least this share of the requests in flight that its
/// rates leave behind.
const BACKLOG_SLACK: f64 = 0.9;

/// How many requests the client had in flight at most, where a limit of its own was the reason.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct ClientLimit {
    in_flight: u64,
    /// Whether the limit was written down; else it follows from the requests that did not queue.
    declared: bool,
}

/// The client's limit: what the output or the profile declares. Without that, an arrival rate that the server cannot follow
/// piles requests up, n · (1 − achieved / offered) of them at the last arrival; fewer in flight means that the client held
/// them back.
fn client_limit(facts: &RunFacts<'_>) -> Option<ClientLimit> {
    let declared = facts.load.max_concurrency.or(facts.profile.and_then(|profile| profile.max_concurrency));
    if let Some(limit) = declared {
        return Some(ClientLimit { in_flight: limit, declared: true });
    }
    let RequestRate::PerSec(offered) = offered(facts)? else { return None };
    let sent = attempted(facts.metrics, facts.profile.and_then(|profile| profile.requests))? as f64;
    let achieved = facts.recomputed.request_throughput?.get();
    let backlog = sent * (1.0 - achieved / offered.get());
    let in_flight = facts.metrics.peak_concurrent_requests?;
    ((in_flight as f64) < backlog * BACKLOG_SLACK).then_some(ClientLimit { in_flight, declared: false })
}

fn offered(facts: &RunFacts<'_>) -> Option<RequestRate> {
    facts.profile.and_then(|profile| profile.request_rate).or(facts.metrics.request_rate)
}

/// An arrival rate was asked for, but the client let only so many requests in: a closed loop in effect.
pub(super) fn closed_loop(facts: &RunFacts<'_>) -> Vec<Evidence> {
    let found = || {
        let RequestRate::PerSec(offered) = offered(facts)? else { return None };
        let limit = client_limit(facts).filter(|limit| !limit.declared)?;
        let achieved = facts.recomputed.request_throughput?.get();
        Some(Evidence::ClosedLoop { offered: offered.get(), achieved, in_flight: limit.in_flight })
    };
    found().into_iter().collect()
}

/// Every request was in flight at once: TTFT is mostly waiting in the queue.
pub(super) fn all_at_once(facts: &RunFacts<'_>) -> Vec<Evidence> {
    let found = || {
        let rate = offered(facts);
        let sent = attempted(facts.metrics, facts.profile.and_then(|profile| profile.requests))
            .or(facts.metrics.successful_requests)
            .filter(|sent| *sent > 1)?;
        let open = matches!(rate, None | Some(RequestRate::Unlimited)) && facts.load.max_concurrency.is_none();
        (open && facts.metrics.peak_concurrent_requests? >= sent).then_some(Evidence::AllAtOnce { requests: sent })
    };
    found().into_iter().collect()
}

/// The batch limit under test admits more requests than the client ever had in flight: the knob cannot act.
pub(super) fn concurrency_capped(data: &StudyData, run: &Run, facts: &RunFacts<'_>) -> Option<Evidence> {
    let variant = data.study.variant(&run.variant)?;
    let limit = client_limit(facts)?;
    let (flag, knob) = flags(&variant.args).into_iter().find_map(batch_limit)?;
    let under_test = tried_beside(data, variant).any(|other| {
        let theirs = flags(&other.args).into_iter().find_map(batch_limit);
        theirs.is_none_or(|(_, theirs)| theirs != knob)
    });
    (under_test && limit.in_flight < knob).then_some(Evidence::ConcurrencyCapped {
        flag,
        knob,
        in_flight: limit.in_flight,
        declared: limit.declared,
    })
}

fn batch_limit(flag: Flag) -> Option<(String, u64)> {
    let value = flag.value.filter(|_| BATCH_FLAGS.contains(&flag.name.as_str()))?;
    Some((flag.name, value.parse().ok()?))
}

/// The baseline, and the variants of the same steps, as far as the same engine serves them.
fn tried_beside<'a>(data: &'a StudyData, variant: &'a Variant) -> impl Iterator<Item = &'a Variant> {
    let study = &data.study;
    let in_step = |other: &Variant| {
        study.steps.iter().any(|step| step.variants.contains(&variant.id) && step.variants.contains(&other.id))
    };
    study.variants.iter().filter(move |other| {
        other.id != variant.id && other.engine == variant.engine && (other.id == study.baseline || in_step(other))
    })
}

/// The printed token rate would need more requests a second than arrived, while the run's own counts say that fewer did.
pub(super) fn above_offered(facts: &RunFacts<'_>) -> Option<(f64, f64)> {
    let RequestRate::PerSec(offered) = facts.profile.and_then(|profile: &Profile| profile.request_rate)? else {
        return None;
    };
    let printed = facts.metrics.output_throughput?.get();
    let counted = facts.recomputed.request_throughput?.get();
    let implied = derived(printed / facts.recomputed.output_tokens_per_request.filter(|tokens| *tokens > 0.0)?);
    (counted <= offered.get()).then_some((implied, offered.get()))
}
