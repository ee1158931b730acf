//! Names, figures and keys in the sentences on differences. A key that this program does not know stands for itself.

use super::super::number::{count, signed_pct, with_unit};
use super::super::rich::{clean, code, strong};
use super::super::{Lang, basis, decision, metric, phrase, severity, standing, verdict};
use crate::advise::Decision;
use crate::change::Verdict;
use crate::check::Severity;
use crate::report::Standing;
use crate::study::Basis::{Recomputed, Reported};
use crate::version::{FigureMoved, Gain, Named, NoteOn, PartKind, Place, Setting, SideOf};

/// Places that a sentence on a finding names; the others are counted.
const PLACES: usize = 6;

/// A name that people gave, or else the id.
pub(super) fn name(lang: Lang, of: &Named) -> String {
    match of.name.get(lang) {
        "" => code(&of.id),
        name => clean(name),
    }
}

pub(super) fn strong_name(lang: Lang, of: &Named) -> String {
    match of.name.get(lang) {
        "" => code(&of.id),
        name => strong(name),
    }
}

pub(super) fn standing_of(lang: Lang, key: &str) -> String {
    let known = [Standing::Recommended, Standing::WithReservations, Standing::KeepBaseline, Standing::Nothing];
    let known = known.into_iter().find(|one| {
        key == match one {
            Standing::Recommended => "recommended",
            Standing::WithReservations => "with-reservations",
            Standing::KeepBaseline => "keep-baseline",
            Standing::Nothing => "nothing",
        }
    });
    known.map_or_else(|| key.to_owned(), |one| standing(lang, one).to_owned())
}

pub(super) fn decision_of(lang: Lang, key: &str) -> String {
    let known = Decision::ALL.into_iter().find(|one| one.key() == key);
    known.map_or_else(|| key.to_owned(), |one| decision(lang, one).to_owned())
}

pub(super) fn verdict_of(lang: Lang, key: &str) -> String {
    let known = Verdict::ALL.into_iter().find(|one| one.key() == key);
    known.map_or_else(|| key.to_owned(), |one| verdict(lang, one).to_owned())
}

pub(super) fn severity_of(lang: Lang, key: &str) -> String {
    match key {
        "info" => severity(lang, Severity::Info).to_owned(),
        "warning" => severity(lang, Severity::Warning).to_owned(),
        "disqualifying" => severity(lang, Severity::Disqualifying).to_owned(),
        other => other.to_owned(),
    }
}

/// `+9.97% recomputed, +15.59% reported (better)`.
pub(super) fn gain(lang: Lang, of: &Gain, decimals: usize) -> String {
    let verdict = verdict_of(lang, &of.verdict);
    let form = |pct: f64, on| match lang {
        Lang::En => format!("{} {}", strong(signed_pct(pct, decimals)), basis(lang, on)),
        Lang::Ja => format!("{}{}", basis(lang, on), strong(signed_pct(pct, decimals))),
    };
    let forms = [(of.recomputed_pct, Recomputed), (of.reported_pct, Reported)];
    let forms: Vec<String> = forms.into_iter().filter_map(|(pct, on)| Some(form(pct?, on))).collect();
    match (lang, forms.is_empty()) {
        (_, true) => verdict,
        (Lang::En, false) => format!("{} ({verdict})", forms.join(", ")),
        (Lang::Ja, false) => format!("{}（{verdict}）", forms.join("、")),
    }
}

pub(super) fn figures_of(lang: Lang, all: &[FigureMoved]) -> String {
    all.iter().map(|one| figure(lang, one)).collect::<Vec<_>>().join(phrase::separator(lang))
}

/// `reported Mean TPOT 12.3 ms → 14.1 ms`.
pub(super) fn figure(lang: Lang, of: &FigureMoved) -> String {
    let value = |value: Option<f64>| match (value, lang) {
        (Some(value), _) => with_unit(of.metric, value),
        (None, Lang::En) => "not measured".to_owned(),
        (None, Lang::Ja) => "未計測".to_owned(),
    };
    let name = format!("{}{}{}", basis(lang, of.basis), phrase::lead_space(lang), metric(lang, of.metric));
    let name = match lang {
        Lang::En => name,
        Lang::Ja => format!("{}（{}）", metric(lang, of.metric), basis(lang, of.basis)),
    };
    format!("{name} {} → {}", value(of.from), strong(value(of.to)))
}

pub(super) fn side_of(lang: Lang, of: SideOf) -> &'static str {
    match (lang, of) {
        (Lang::En, SideOf::Baseline) => "baseline",
        (Lang::Ja, SideOf::Baseline) => "基準設定",
        (Lang::En, SideOf::Recommended) => "recommended",
        (Lang::Ja, SideOf::Recommended) => "推奨設定",
    }
}

pub(super) fn part(lang: Lang, of: PartKind) -> &'static str {
    match (lang, of) {
        (Lang::En, PartKind::Profile) => "The profile",
        (Lang::Ja, PartKind::Profile) => "プロファイル",
        (Lang::En, PartKind::Variant) => "The variant",
        (Lang::Ja, PartKind::Variant) => "構成",
        (Lang::En, PartKind::Step) => "The step",
        (Lang::Ja, PartKind::Step) => "最適化項目",
        (Lang::En, PartKind::Rival) => "The study beside this one,",
        (Lang::Ja, PartKind::Rival) => "同じ問いの検証",
    }
}

/// Words of a command; none where there are none.
pub(super) fn words(lang: Lang, all: &[String]) -> Option<String> {
    let all: Vec<String> = all.iter().map(code).collect();
    (!all.is_empty()).then(|| all.join(phrase::separator(lang)))
}

/// What `study.toml` has; nothing is said to be nothing.
pub(super) fn said(lang: Lang, text: &str) -> String {
    match (text, lang) {
        ("", Lang::En) => "none".to_owned(),
        ("", Lang::Ja) => "なし".to_owned(),
        (text, _) => code(text),
    }
}

pub(super) fn setting(lang: Lang, of: Setting) -> &'static str {
    match (lang, of) {
        (Lang::En, Setting::Objective) => "Objective",
        (Lang::Ja, Setting::Objective) => "目標",
        (Lang::En, Setting::PrimaryProfile) => "Primary profile",
        (Lang::Ja, Setting::PrimaryProfile) => "主プロファイル",
        (Lang::En, Setting::Basis) => "Figures that rank",
        (Lang::Ja, Setting::Basis) => "順位に使う値",
        (Lang::En, Setting::OptionBase) => "Option table against",
        (Lang::Ja, Setting::OptionBase) => "最適化項目の表の比較対象",
        (Lang::En, Setting::RelevancePct) => "Relevance threshold (%)",
        (Lang::Ja, Setting::RelevancePct) => "意味のある差の下限（%）",
        (Lang::En, Setting::MinSuccessPct) => "Minimum success rate (%)",
        (Lang::Ja, Setting::MinSuccessPct) => "成功率の下限（%）",
        (Lang::En, Setting::Price) => "Price of a GPU hour",
        (Lang::Ja, Setting::Price) => "GPU 1時間の料金",
        (Lang::En, Setting::Model) => "Model",
        (Lang::Ja, Setting::Model) => "モデル",
        (_, Setting::Gpu) => "GPU",
        (Lang::En, Setting::Gpus) => "Number of GPUs",
        (Lang::Ja, Setting::Gpus) => "GPUの数",
        (Lang::En, Setting::Decimals) => "Decimals of percentages",
        (Lang::Ja, Setting::Decimals) => "百分率の小数桁数",
    }
}

pub(super) fn places_of(lang: Lang, all: &[Place]) -> String {
    let named = all.iter().take(PLACES).map(|place| match (place, lang) {
        (Place::Run(number), _) => phrase::run(lang, *number),
        (Place::Comparison { profile, variant }, Lang::En) => {
            format!("{} on {}", name(lang, variant), name(lang, profile))
        }
        (Place::Comparison { profile, variant }, Lang::Ja) => {
            format!("{}の{}", name(lang, profile), name(lang, variant))
        }
        (Place::Study, Lang::En) => "the study".to_owned(),
        (Place::Study, Lang::Ja) => "検証全体".to_owned(),
    });
    let named = named.collect::<Vec<_>>().join(phrase::separator(lang));
    match (all.len().checked_sub(PLACES).filter(|more| *more > 0), lang) {
        (None, _) => named,
        (Some(more), Lang::En) => format!("{named} and {} more", count(more as u64)),
        (Some(more), Lang::Ja) => format!("{named}ほか{}件", count(more as u64)),
    }
}

pub(super) fn note_on(lang: Lang, of: &NoteOn) -> String {
    match (of, lang) {
        (NoteOn::Study, Lang::En) => "the study".to_owned(),
        (NoteOn::Study, Lang::Ja) => "検証全体".to_owned(),
        (NoteOn::Step(one) | NoteOn::Variant(one), _) => name(lang, one),
        (NoteOn::Run(number), _) => phrase::run(lang, *number),
    }
}
