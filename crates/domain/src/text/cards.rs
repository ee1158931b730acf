//! What a report says where there is little room: social card, embedded card, badge. Facts in, short phrases out; where
//! they stand and how they look is the drawer's.
//!
//! Invariant: no figure without its verdict, and none without what is known of its noise. Where the reported and the
//! recomputed change lie further apart than every place shows both, so does each of these.

use super::facts::{Facts, Worsening};
use super::number::pct;
use super::ranking::{goal, reported_apart};
use super::rich::clean;
use super::{Lang, basis, labels, metric, phrase, standing, verdict};
use crate::change::{Change, Verdict};
use crate::command::NEXT_LINE;
use crate::command::diff::{Args, differs};
use crate::metric::Metric;
use crate::report::{Report, Standing, VariantFacts};
use crate::study::Basis;

/// Words around cards, badges and embedded charts, in one language.
#[expect(missing_docs, reason = "each field is the word it is named after")]
#[derive(Debug)]
pub struct CardLabels {
    /// What the application does, in a line under its name.
    pub made_by: &'static str,
    pub elsewhere: &'static str,
    pub nothing_worse: &'static str,
    pub quality: &'static str,
    pub no_command: &'static str,
    pub added: &'static str,
    pub read_report: &'static str,
    pub not_found: &'static str,
    /// The page with snippets.
    pub embed: &'static str,
    pub embed_intro: &'static str,
    pub theme_hint: &'static str,
    pub public_hint: &'static str,
    pub card: &'static str,
    pub card_hint: &'static str,
    pub image: &'static str,
    pub image_hint: &'static str,
    pub badge: &'static str,
    pub badge_hint: &'static str,
    pub chart_hint: &'static str,
    pub gain_chart: &'static str,
    pub preview: &'static str,
    pub snippet_language: &'static str,
}

/// The labels of `lang`.
#[must_use]
pub const fn card_labels(lang: Lang) -> &'static CardLabels {
    match lang {
        Lang::Ja => &JA,
        Lang::En => &EN,
    }
}

static EN: CardLabels = CardLabels {
    made_by: "Benchmark reports, recomputed before they are believed",
    elsewhere: "Best elsewhere",
    nothing_worse: "Nothing compared got notably worse",
    quality: "Other weights: answer quality was not measured",
    no_command: "The serving command is not known",
    added: "added to the baseline",
    read_report: "Read the report",
    not_found: "not found",
    embed: "Embed",
    embed_intro: "Ready-made lines for other pages. What they show is always the report as it is now.",
    theme_hint: "Card and charts follow the reader's theme. To fix it, append ?theme=light or ?theme=dark to the address.",
    public_hint: "Readers of the other page must be able to reach this server.",
    card: "Conclusion card",
    card_hint: "A frame of 640 × 440 pixels or more.",
    image: "Card as an image",
    image_hint: "1200 × 630 pixels, the picture that link previews show.",
    badge: "Badge",
    badge_hint: "For a README: gain and verdict in one line.",
    chart_hint: "One picture in a file of its own.",
    gain_chart: "Change in total TPS per profile",
    preview: "Preview",
    snippet_language: "Language of what is embedded",
};

static JA: CardLabels = CardLabels {
    made_by: "再計算で確かめてから示すベンチマークレポート",
    elsewhere: "ほかで最大の改善",
    nothing_worse: "比較した値に、目立った悪化なし",
    quality: "重みが異なります。回答の品質は未計測です",
    no_command: "推論サーバーの起動コマンドは不明です",
    added: "基準設定に追加した引数",
    read_report: "レポートを読む",
    not_found: "見つかりません",
    embed: "埋め込み",
    embed_intro: "ほかのページに貼り付けるための記述です。常に現在のレポートの内容を表示します。",
    theme_hint: "カードとグラフは読み手のテーマに合わせて表示されます。固定するには、アドレスの末尾に?theme=lightまたは?theme=darkを付けます。",
    public_hint: "貼り付け先のページの読者が、このサーバーに接続できる必要があります。",
    card: "結論カード",
    card_hint: "640 × 440ピクセル以上の枠に表示します。",
    image: "カードの画像",
    image_hint: "1200 × 630ピクセル。リンクのプレビューに使われる画像です。",
    badge: "バッジ",
    badge_hint: "READMEに置く、変化と判定の1行表示です。",
    chart_hint: "1枚の画像ファイルです。",
    gain_chart: "プロファイル別の合計TPSの変化",
    preview: "プレビュー",
    snippet_language: "表示する言語",
};

/// All that a card says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CardText {
    /// The language of all of it.
    pub lang: Lang,
    /// The study.
    pub title: String,
    /// The model, then the machine.
    pub place: [String; 2],
    /// How firmly the recommendation stands.
    pub standing: &'static str,
    /// The verdict in one or two sentences; what stands where there is no gain to show.
    pub headline: String,
    /// The change of the objective; none where nothing but the baseline is recommended.
    pub gain: Option<CardGain>,
    /// A larger gain on a profile that does not decide.
    pub elsewhere: Option<CardFact>,
    /// What got worse the most, or that nothing did; none where nothing was compared.
    pub worst: Option<CardFact>,
    /// What the reader has to know besides.
    pub caveat: Option<&'static str>,
    /// The recommended command, one argument a line; empty where it is not known or nothing is recommended.
    pub command: Vec<CardLine>,
}

/// The change of the objective.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CardGain {
    /// `+1.90%`; none where it cannot be compared.
    pub figure: Option<String>,
    /// What the figure is: `recomputed`.
    pub basis: &'static str,
    /// `reported +2.09%`, where there are two figures.
    pub reported: Option<String>,
    /// Of what: `Total TPS`.
    pub goal: String,
    /// Where: the profile that decides.
    pub profile: String,
    /// What it means.
    pub verdict: Verdict,
    /// The same in a word.
    pub word: &'static str,
    /// Whether luck is not ruled out: no noise is known.
    pub unproven: bool,
    /// What is known of noise.
    pub noise: Option<String>,
}

/// A label and what it says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CardFact {
    /// `Worst`.
    pub label: &'static str,
    /// Where.
    pub profile: Option<String>,
    /// What, in parts between which a line may end.
    pub parts: Vec<String>,
}

/// A line of the command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CardLine {
    /// Quoted for a shell, without the backslash that continues it.
    pub text: String,
    /// Whether the baseline does not have it.
    pub added: bool,
}

/// Gathers them.
#[must_use]
pub fn card(lang: Lang, report: &Report) -> CardText {
    let facts = &Facts { report, lang };
    let conclusion = &report.conclusion;
    let advised = conclusion.recommended.as_ref().and_then(|id| report.variant(id));
    let model = advised.map_or(report.model.id.as_str(), |variant| variant.model.as_str());
    let words = card_labels(lang);
    let gain = gain(facts);
    let compared = gain.is_some() && !conclusion.rows.is_empty();
    CardText {
        lang,
        title: clean(report.title.get(lang)),
        place: [clean(phrase::model(lang, model)), clean(&phrase::hardware(lang, &report.hardware))],
        standing: standing(lang, conclusion.standing),
        headline: super::conclusion(lang, report).headline.plain(),
        elsewhere: compared.then(|| elsewhere(facts)).flatten(),
        worst: compared.then(|| worst(facts)),
        caveat: (compared && facts.precision_changed()).then_some(words.quality),
        command: advised.map(|variant| lines(report, variant)).unwrap_or_default(),
        gain,
    }
}

/// The change that decides, with its profile.
fn deciding<'a>(facts: &Facts<'a>) -> Option<(&'a Change, String)> {
    let report = facts.report;
    match report.conclusion.standing {
        Standing::Recommended | Standing::WithReservations => {}
        Standing::KeepBaseline | Standing::Nothing => return None,
    }
    if let Some(change) = facts.overall() {
        return Some((change, weighted(facts.lang, report.objective.weights.len())));
    }
    let row = report.primary_row()?;
    Some((&row.objective_change, facts.profile(&row.profile)))
}

fn weighted(lang: Lang, profiles: usize) -> String {
    match lang {
        Lang::En => format!("{profiles} weighted profiles"),
        Lang::Ja => format!("重み付けした{profiles}件のプロファイル"),
    }
}

fn gain(facts: &Facts<'_>) -> Option<CardGain> {
    let (change, profile) = deciding(facts)?;
    let lang = facts.lang;
    let told = !matches!(change.verdict, Verdict::NotComparable | Verdict::Unknown);
    let reported = change.recomputed_pct.and(change.reported_pct).filter(|_| told);
    Some(CardGain {
        figure: facts.change(change).filter(|_| told),
        basis: basis(lang, basis_of(change)),
        reported: reported.map(|reported| format!("{} {}", basis(lang, Basis::Reported), facts.pct(reported))),
        goal: goal(lang, facts.report.objective.goal),
        profile,
        verdict: change.verdict,
        word: verdict(lang, change.verdict),
        unproven: change.unproven().is_some(),
        noise: noise(facts, change),
    })
}

fn basis_of(change: &Change) -> Basis {
    if change.recomputed_pct.is_some() { Basis::Recomputed } else { Basis::Reported }
}

/// `noise ±2.55%`, or how often it was measured where nothing is known.
fn noise(facts: &Facts<'_>, change: &Change) -> Option<String> {
    let lang = facts.lang;
    let unknown = |repeats| {
        [phrase::measured(lang, repeats), labels(lang).noise_unknown.to_owned()].join(phrase::separator(lang))
    };
    let known = |band| match lang {
        Lang::En => format!("noise ±{}", pct(band, 2)),
        Lang::Ja => format!("ゆらぎ ±{}", pct(band, 2)),
    };
    change.band().map(known).or_else(|| change.unproven().map(unknown))
}

/// The largest gain on another profile, where it is larger than the one that decides.
fn elsewhere(facts: &Facts<'_>) -> Option<CardFact> {
    let lang = facts.lang;
    let (deciding, _) = deciding(facts)?;
    let row = facts.others(Verdict::Better).into_iter().next()?;
    let change = &row.objective_change;
    let size = |change: &Change| change.pct().map_or(0.0, f64::abs);
    let larger = deciding.verdict != Verdict::Better || size(change) > size(deciding);
    let mut parts = vec![facts.change(change).filter(|_| larger)?];
    parts.extend(reported_apart(lang, facts.report, change));
    parts.extend(noise(facts, change));
    Some(CardFact { label: card_labels(lang).elsewhere, profile: Some(facts.profile(&row.profile)), parts })
}

/// The worst loss of throughput, or else the latency that grew the most.
fn worst(facts: &Facts<'_>) -> CardFact {
    let lang = facts.lang;
    let label = labels(lang).got_worse;
    let all = facts.worsenings();
    let losses = all.iter().filter_map(|worsening| match *worsening {
        Worsening::Throughput { profile, pct } => Some((profile, Metric::TotalTps, pct)),
        Worsening::Latency { .. } => None,
    });
    let latencies = all.iter().filter_map(|worsening| match *worsening {
        Worsening::Latency { profile, metric, pct, .. } => Some((profile, metric, pct)),
        Worsening::Throughput { .. } => None,
    });
    let worst = losses.min_by(|a, b| a.2.total_cmp(&b.2)).or_else(|| latencies.max_by(|a, b| a.2.total_cmp(&b.2)));
    match worst {
        Some((profile, of, pct)) => CardFact {
            label,
            profile: Some(facts.profile(profile)),
            parts: vec![format!("{} {}", metric(lang, of), facts.pct(pct))],
        },
        None => CardFact { label, profile: None, parts: vec![card_labels(lang).nothing_worse.to_owned()] },
    }
}

fn lines(report: &Report, variant: &VariantFacts) -> Vec<CardLine> {
    let Some(command) = &report.conclusion.command else { return Vec::new() };
    let texts: Vec<&str> = command.text.split(NEXT_LINE).collect();
    let added = match report.variant(&report.conclusion.baseline).filter(|baseline| baseline.id != variant.id) {
        None => vec![false; texts.len()],
        Some(baseline) => {
            let head = baseline.command.text.split(NEXT_LINE).next() != texts.first().copied();
            std::iter::once(head).chain(differs(args_of(variant), args_of(baseline))).collect()
        }
    };
    // A quoted line break makes more lines than flags, and then nothing is marked.
    let marked = added.len() == texts.len();
    let line = |(at, text): (usize, &&str)| CardLine { text: clean(text), added: marked && added[at] };
    texts.iter().enumerate().map(line).collect()
}

fn args_of(variant: &VariantFacts) -> Args<'_> {
    Args { engine: &variant.engine.engine, args: &variant.args }
}

/// What stands where a card has no room for the rest of a command.
#[must_use]
pub fn more_arguments(lang: Lang, n: usize) -> String {
    match (lang, n) {
        (Lang::En, 1) => "… and 1 more argument".to_owned(),
        (Lang::En, n) => format!("… and {n} more arguments"),
        (Lang::Ja, n) => format!("…ほかに引数{n}個"),
    }
}

/// What a badge's colour says; its words say it too.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tone {
    /// Better, without reservations.
    Better,
    /// Better, but.
    Reserved,
    /// Worse.
    Worse,
    /// No change, within noise, keep the baseline.
    Flat,
    /// Nothing can be said.
    Unknown,
}

/// A badge beside the product's name: its colour, and its words.
#[must_use]
pub fn badge(lang: Lang, report: &Report) -> (Tone, String) {
    let facts = &Facts { report, lang };
    let Some((change, _)) = deciding(facts) else {
        return (Tone::Flat, standing(lang, report.conclusion.standing).to_owned());
    };
    let reserved = report.conclusion.standing == Standing::WithReservations && change.verdict == Verdict::Better;
    let (tone, word) = match change.verdict {
        Verdict::Better if reserved => (Tone::Reserved, with_reservations(lang)),
        Verdict::Better => (Tone::Better, verdict(lang, change.verdict)),
        Verdict::Worse => (Tone::Worse, verdict(lang, change.verdict)),
        Verdict::Neutral | Verdict::WithinNoise => (Tone::Flat, verdict(lang, change.verdict)),
        Verdict::Unknown | Verdict::NotComparable => return (Tone::Unknown, verdict(lang, change.verdict).to_owned()),
    };
    let Some(figure) = facts.change(change) else { return (Tone::Unknown, word.to_owned()) };
    let reported = reported_apart(lang, report, change);
    let basis = basis(lang, basis_of(change));
    let words = match lang {
        Lang::En => {
            let reported = reported.map_or_else(String::new, |reported| format!(" ({reported})"));
            format!("{figure} {basis}{reported}, {word}")
        }
        Lang::Ja => {
            let reported = reported.map_or_else(String::new, |reported| format!("、{reported}"));
            format!("{figure}（{basis}{reported}）{word}")
        }
    };
    (tone, words)
}

fn with_reservations(lang: Lang) -> &'static str {
    match lang {
        Lang::En => "with reservations",
        Lang::Ja => "条件付き",
    }
}

/// What a badge says to those who do not see it.
#[must_use]
pub fn badge_title(lang: Lang, words: &str) -> String {
    format!("Touchstone{}{words}", phrase::colon(lang))
}

/// What the social card shows, for those who do not see it.
#[must_use]
pub fn card_alt(text: &CardText) -> String {
    let colon = phrase::colon(text.lang);
    format!("{}{colon}{}", text.title, text.headline)
}

/// What stands beside a row of the change chart: the figure, its verdict, and what else has to be said of it.
#[must_use]
pub fn change_in_words(lang: Lang, report: &Report, change: &Change) -> (Option<String>, &'static str, Option<String>) {
    let facts = &Facts { report, lang };
    let told = !matches!(change.verdict, Verdict::NotComparable | Verdict::Unknown);
    let measured = change.unproven().map(|repeats| phrase::measured(lang, repeats));
    let besides: Vec<String> = reported_apart(lang, report, change).into_iter().chain(measured).collect();
    let besides = (told && !besides.is_empty()).then(|| besides.join(phrase::separator(lang)));
    (facts.change(change).filter(|_| told), verdict(lang, change.verdict), besides)
}
