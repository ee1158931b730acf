//! What a change means: icon, word and colour together.

use domain::{
    change::{Repeats, Verdict},
    text::{self, phrase},
};
use leptos::prelude::*;

use super::icon::{Icon, IconMark};
use crate::lang::Lang;

/// A verdict. Where it is `unproven`, no noise is known: outlined, never coloured as a gain, with how often it was measured.
#[component]
pub fn VerdictMark(
    /// What it says.
    verdict: Verdict,
    /// How often it was measured, where luck is not ruled out.
    #[prop(optional_no_strip)]
    unproven: Option<Repeats>,
    /// In which language.
    lang: Lang,
) -> impl IntoView {
    let (icon, class) = match (verdict, unproven.is_some()) {
        (Verdict::Better, false) => (Icon::Better, "v v--better"),
        (Verdict::Better, true) => (Icon::BetterOnce, "v v--once"),
        (Verdict::Worse, false) => (Icon::Worse, "v v--worse"),
        (Verdict::Worse, true) => (Icon::WorseOnce, "v v--once"),
        (Verdict::Neutral | Verdict::WithinNoise, _) => (Icon::Same, "v"),
        (Verdict::Unknown, _) => (Icon::Unknown, "v"),
        (Verdict::NotComparable, _) => (Icon::NotComparable, "v"),
    };
    let measured = unproven.filter(|_| matches!(verdict, Verdict::Better | Verdict::Worse));
    let mark = measured.map(|repeats| {
        let unknown = text::labels(lang).noise_unknown;
        view! { <small class="v__n">" "{phrase::measured(lang, repeats)}<span class="vh">", " {unknown}</span></small> }
    });
    view! { <span class=class><IconMark icon/>{text::verdict(lang, verdict)}{mark}</span> }
}
