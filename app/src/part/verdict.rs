//! What a change means: icon, word and colour together.

use domain::{change::Verdict, text};
use leptos::prelude::*;

use super::icon::{Icon, IconMark};
use crate::lang::Lang;

/// A verdict. With `once`, it rests on one run against one with no noise known: outlined, never coloured as a gain.
#[component]
pub fn VerdictMark(
    /// What it says.
    verdict: Verdict,
    /// Whether luck is not ruled out.
    #[prop(optional)]
    once: bool,
    /// In which language.
    lang: Lang,
) -> impl IntoView {
    let (icon, class) = match (verdict, once) {
        (Verdict::Better, false) => (Icon::Better, "v v--better"),
        (Verdict::Better, true) => (Icon::BetterOnce, "v v--once"),
        (Verdict::Worse, false) => (Icon::Worse, "v v--worse"),
        (Verdict::Worse, true) => (Icon::WorseOnce, "v v--once"),
        (Verdict::Neutral | Verdict::WithinNoise, _) => (Icon::Same, "v"),
        (Verdict::Unknown, _) => (Icon::Unknown, "v"),
        (Verdict::NotComparable, _) => (Icon::NotComparable, "v"),
    };
    let mark = (once && matches!(verdict, Verdict::Better | Verdict::Worse)).then(|| {
        let unknown = text::labels(lang).noise_unknown;
        view! { <small class="v__n">" n = 1"<span class="vh">", " {unknown}</span></small> }
    });
    view! { <span class=class><IconMark icon/>{text::verdict(lang, verdict)}{mark}</span> }
}
