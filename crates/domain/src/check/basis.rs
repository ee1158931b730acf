//! Where printed and recomputed figures tell two stories: gains that change their sign, variants that change places.

use super::{Evidence, Finding, Subject};
use crate::advise::eligible;
use crate::aggregate::{Figures, figures};
use crate::change::change_pct;
use crate::id::{ProfileId, VariantId};
use crate::metric::Metric;
use crate::study::StudyData;

/// The rounding of a printed duration (0.01 s of some tens) moves a change by some hundredths of a point.
const LEAST_POINTS: f64 = 0.1;
/// The same for one figure, percent.
const LEAST_GAP_PCT: f64 = 0.05;

/// Variants of all profiles whose total TPS reads differently by its counts and duration than as printed.
pub(super) fn two_stories(data: &StudyData) -> Vec<Finding> {
    let study = &data.study;
    let mut findings = Vec::new();
    for profile in &study.profiles {
        let sound =
            |id: &VariantId| figures(data, id, &profile.id).filter(|figures| eligible(figures, study.min_success_pct));
        let measured: Vec<Figures> = study.variants.iter().filter_map(|variant| sound(&variant.id)).collect();
        let (baseline, others): (Vec<&Figures>, Vec<&Figures>) =
            measured.iter().partition(|figures| figures.variant == study.baseline);
        if let Some(baseline) = baseline.first() {
            findings.extend(others.iter().filter_map(|other| sign_flips(&profile.id, baseline, other)));
        }
        findings.extend(order_flips(&others));
    }
    findings
}

fn both(figures: &Figures) -> Option<(f64, f64)> {
    Metric::TotalTps.of(&figures.metrics).zip(figures.recomputed.get(Metric::TotalTps))
}

fn sign_flips(profile: &ProfileId, baseline: &Figures, candidate: &Figures) -> Option<Finding> {
    let ((base_reported, base_recomputed), (reported, recomputed)) = both(baseline).zip(both(candidate))?;
    let reported_pct = change_pct(Some(base_reported), Some(reported))?;
    let recomputed_pct = change_pct(Some(base_recomputed), Some(recomputed))?;
    let flips = reported_pct * recomputed_pct < 0.0 && (reported_pct - recomputed_pct).abs() > LEAST_POINTS;
    flips.then(|| Finding {
        about: Subject::Comparison(profile.clone(), candidate.variant.clone()),
        evidence: Evidence::SignFlips { reported_pct, recomputed_pct },
    })
}

/// Pairs of variants whose order is another by duration; the one that leads as printed first.
fn order_flips(figures: &[&Figures]) -> Option<Finding> {
    let ranked: Vec<(&VariantId, (f64, f64))> =
        figures.iter().filter_map(|figures| Some((&figures.variant, both(figures)?))).collect();
    let ahead = |a: f64, b: f64| change_pct(Some(b), Some(a)).is_some_and(|pct| pct > LEAST_GAP_PCT);
    let mut pairs: Vec<(f64, VariantId, VariantId)> = Vec::new();
    for (first, (reported, recomputed)) in &ranked {
        for (second, (their_reported, their_recomputed)) in &ranked {
            if ahead(*reported, *their_reported) && ahead(*their_recomputed, *recomputed) {
                pairs.push((*reported, (*first).clone(), (*second).clone()));
            }
        }
    }
    // Those at the top of the ranking first; stable, so that equal leaders stay in the study's order.
    pairs.sort_by(|(a, ..), (b, ..)| b.total_cmp(a));
    let pairs: Vec<_> = pairs.into_iter().map(|(_, first, second)| (first, second)).collect();
    (!pairs.is_empty()).then_some(Finding { about: Subject::Study, evidence: Evidence::OrderFlips { pairs } })
}
