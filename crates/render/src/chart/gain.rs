//! The gain scale: one ruler for all profiles. Filled is recomputed, hollow is reported, a dashed line is what the tool
//! added, the grey band is noise. Where the load set the throughput both marks are hollow and dashed, without a streak.

use domain::advise::eligible;
use domain::change::{Change, Verdict};
use domain::report::{ConclusionRow, Report};
use domain::text::chart::{gain as sentence, ruler as ruler_sentence};
use domain::text::number::{pct, signed_pct};
use domain::text::{Lang, labels, verdict};

use super::facts::load_limited;
use super::{GainScale, measure, scale};
use crate::svg::{Anchor, Svg, num};

const WIDTH: f64 = 320.0;
const RULER: f64 = 28.0;
const STRIP: f64 = 44.0;
const MIDDLE: f64 = STRIP / 2.0;
/// Where the lowest and the highest change stand: a mark has room beside them.
const ENDS: (f64, f64) = (14.0, 304.0);
const LABEL_SIZE: f64 = 13.0;
/// The ruler spans at least this many points, or a difference of nothing would fill it.
const LEAST_SPAN: f64 = 2.0;
/// Changes beyond this, in percent, end in an arrow.
const FURTHEST: f64 = 1e6;

/// Draws ruler and strips; both are empty where the conclusion has no rows.
#[must_use]
pub fn gain_scale(report: &Report, lang: Lang) -> GainScale {
    let rows = &report.conclusion.rows;
    if rows.is_empty() {
        return GainScale::default();
    }
    let ruler = Ruler::over(rows);
    GainScale {
        header: ruler.header(lang),
        rows: rows.iter().map(|row| (row.profile.clone(), ruler.strip(report, row, lang))).collect(),
    }
}

/// What a strip's mark is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Look {
    /// The recommended variant.
    Recommended,
    /// The recommended variant, where it loses.
    Worse,
    /// The baseline itself: nothing else is recommended.
    Baseline,
    /// Too many requests failed.
    Disqualified,
    /// The load set the throughput.
    NotComparable,
}

impl Look {
    fn of(report: &Report, row: &ConclusionRow) -> Self {
        if !eligible(&row.recommended, report.min_success_pct) {
            Self::Disqualified
        } else if report.conclusion.recommended.as_ref() == Some(&report.conclusion.baseline) {
            Self::Baseline
        } else if load_limited(row) {
            Self::NotComparable
        } else if row.change.verdict == Verdict::Worse {
            Self::Worse
        } else {
            Self::Recommended
        }
    }

    /// The class of the streak from zero; a figure that does not count leaves none.
    const fn streak(self) -> Option<&'static str> {
        match self {
            Self::Recommended => Some("streak rec-line"),
            Self::Worse => Some("streak worse-line"),
            Self::Baseline | Self::Disqualified | Self::NotComparable => None,
        }
    }
}

/// Which changes the scale shows, and where.
struct Ruler {
    low: f64,
    high: f64,
    /// Between labels.
    step: f64,
}

impl Ruler {
    fn over(rows: &[ConclusionRow]) -> Self {
        let band = |row: &ConclusionRow| noise(&row.change).map(|band| [-band, band]);
        let shown =
            rows.iter().flat_map(|row| marks(&row.change).into_iter().flatten().chain(band(row).into_iter().flatten()));
        let (low, high) = shown.fold((0.0f64, 0.0f64), |(low, high), pct| (low.min(pct), high.max(pct)));
        let short = ((LEAST_SPAN - (high - low)) / 2.0).max(0.0);
        let (low, high) = (low - short, high + short);
        // Zero is a line with two sides, also where nothing was lost.
        let low = low.min(-(high - low) * 0.06);
        let unit = (ENDS.1 - ENDS.0) / (high - low);
        let step = scale::step(high - low, |step| {
            let widest = low.abs().max(high);
            step * unit >= measure::width(&signed_pct(widest, scale::decimals(step)), LABEL_SIZE) + 14.0
        });
        Self { low, high, step }
    }

    fn x(&self, pct: f64) -> f64 {
        ENDS.0 + (pct.clamp(self.low, self.high) - self.low) / (self.high - self.low) * (ENDS.1 - ENDS.0)
    }

    fn majors(&self) -> Vec<f64> {
        scale::multiples(self.step, self.low, self.high)
    }

    fn header(&self, lang: Lang) -> String {
        let decimals = scale::decimals(self.step);
        let label =
            ruler_sentence(lang, &signed_pct(self.low, decimals.max(1)), &signed_pct(self.high, decimals.max(1)));
        let mut svg = Svg::picture("chart chart--ruler", WIDTH, RULER, &label);
        let majors = self.majors();
        let mut d = format!("M{} 27H{}", num(ENDS.0), num(ENDS.1));
        let minor = self.step / 5.0;
        if self.x(minor) - self.x(0.0) >= 5.0 {
            for pct in scale::multiples(minor, self.low, self.high) {
                d.push_str(&format!("M{} 23V27", num(self.x(pct))));
            }
        }
        for pct in &majors {
            d.push_str(&format!("M{} 19V27", num(self.x(*pct))));
        }
        svg.path("axis", &d);
        for (index, pct) in majors.iter().enumerate() {
            let text = signed_pct(*pct, decimals);
            // The unit stands at both ends and at zero; between them it is repetition.
            let bare = index != 0 && index + 1 != majors.len() && *pct != 0.0;
            let text = if bare { text.trim_end_matches('%') } else { &text };
            let half = measure::width(text, LABEL_SIZE) / 2.0;
            svg.text("sub", (self.x(*pct).clamp(half, WIDTH - half), 14.0), Anchor::Middle, text);
        }
        svg.finish()
    }

    fn strip(&self, report: &Report, row: &ConclusionRow, lang: Lang) -> String {
        let change = &row.change;
        let [reported, recomputed] = marks(change);
        let band = noise(change);
        let mut svg = Svg::picture("chart chart--gain", WIDTH, STRIP, &in_words(report, row, lang));
        if let Some(band) = band {
            let (from, to) = (self.x(-band), self.x(band));
            svg.rect("noise", (from, 4.0), (to - from, STRIP - 8.0), None);
        }
        for pct in self.majors().into_iter().filter(|pct| *pct != 0.0) {
            svg.line("grid", (self.x(pct), 0.0), (self.x(pct), STRIP));
        }
        svg.line("zero", (self.x(0.0), 0.0), (self.x(0.0), STRIP));
        match Look::of(report, row) {
            _ if reported.or(recomputed).is_none() => self.absent(&mut svg, row, lang),
            Look::NotComparable => {
                self.added(&mut svg, reported, recomputed);
                for pct in [reported, recomputed].into_iter().flatten() {
                    self.mark(&mut svg, "off", pct, 6.0);
                }
            }
            look => {
                if let Some((pct, class)) = recomputed.zip(look.streak()) {
                    svg.line(class, (self.x(0.0), MIDDLE), (self.x(pct), MIDDLE));
                }
                self.added(&mut svg, reported, recomputed);
                if let Some(pct) = reported.filter(|_| look != Look::Baseline) {
                    self.mark(&mut svg, "hollow", pct, 6.5);
                }
                match (recomputed, look) {
                    (Some(pct), Look::Disqualified) => {
                        let (x, y) = (num(self.x(pct) - 5.5), num(MIDDLE - 5.5));
                        svg.path("cross", &format!("M{x} {y}l11 11m0 -11l-11 11"));
                    }
                    (Some(pct), Look::Baseline) => {
                        svg.rect("base", (self.x(pct) - 6.0, MIDDLE - 6.0), (12.0, 12.0), None);
                    }
                    (Some(pct), Look::Worse) => self.mark(&mut svg, "worse", pct, 7.5),
                    (Some(pct), Look::Recommended | Look::NotComparable) => self.mark(&mut svg, "rec", pct, 7.5),
                    (None, _) => {}
                }
            }
        }
        svg.finish()
    }

    /// What lies between the recomputed and the printed change.
    fn added(&self, svg: &mut Svg, reported: Option<f64>, recomputed: Option<f64>) {
        if let Some((reported, recomputed)) = reported.zip(recomputed) {
            svg.line("mute dash", (self.x(recomputed), MIDDLE), (self.x(reported), MIDDLE));
        }
    }

    /// The recommended variant's diamond, or an arrow where the change lies beyond the ruler.
    fn mark(&self, svg: &mut Svg, class: &str, pct: f64, half: f64) {
        let x = self.x(pct);
        let d = if pct >= FURTHEST {
            format!(
                "M{} {}L{} {}L{} {}z",
                num(x),
                num(MIDDLE - half),
                num(x + half),
                num(MIDDLE),
                num(x),
                num(MIDDLE + half)
            )
        } else {
            let h = num(half);
            format!("M{} {}l{h} -{h}l{h} {h}l-{h} {h}z", num(x - half), num(MIDDLE))
        };
        svg.path(class, &d);
    }

    fn absent(&self, svg: &mut Svg, row: &ConclusionRow, lang: Lang) {
        svg.line("mute dash", (ENDS.0, MIDDLE), (ENDS.1, MIDDLE));
        svg.text("rep", ((ENDS.0 + ENDS.1) / 2.0, MIDDLE + 4.5), Anchor::Middle, why_absent(row, lang));
    }
}

/// Reported and recomputed change, where they are known, within what can be drawn.
fn marks(change: &Change) -> [Option<f64>; 2] {
    [change.reported_pct, change.recomputed_pct]
        .map(|pct| pct.filter(|pct| pct.is_finite()).map(|pct| pct.clamp(-FURTHEST, FURTHEST)))
}

/// Half the width of the band: on the basis that the verdict was judged on.
fn noise(change: &Change) -> Option<f64> {
    let band = change.noise?;
    let band = if change.recomputed_pct.is_some() { band.recomputed_pct } else { band.reported_pct };
    band.filter(|band| band.is_finite()).map(|band| band.abs().min(FURTHEST))
}

/// Nothing measured, or no baseline to compare with.
fn why_absent(row: &ConclusionRow, lang: Lang) -> &'static str {
    let measured = |figures: &domain::aggregate::Figures| {
        figures.metrics.total_token_throughput.is_some() || figures.recomputed.total_token_throughput.is_some()
    };
    if measured(&row.baseline) && measured(&row.recommended) {
        verdict(lang, Verdict::Unknown)
    } else {
        labels(lang).not_measured
    }
}

fn in_words(report: &Report, row: &ConclusionRow, lang: Lang) -> String {
    let decimals = usize::from(report.decimals);
    let name = report.profile(&row.profile).map_or(row.profile.as_str(), |profile| profile.name.get(lang));
    let signed = |change: Option<f64>| change.map(|change| signed_pct(change, decimals));
    let (reported, recomputed) = (signed(row.change.reported_pct), signed(row.change.recomputed_pct));
    let noise = noise(&row.change).map(|band| pct(band, decimals));
    sentence(lang, name, reported.as_deref(), recomputed.as_deref(), noise.as_deref(), row.change.verdict)
}
