//! What changed between two states of a report, a sentence a difference.

use super::super::rich::{clean, code, strong};
use super::super::{Lang, Rich, notes, phrase};
use super::names::{
    decision_of, figure, figures_of, gain, name, note_on, part, places_of, said, setting, severity_of, side_of,
    standing_of, strong_name, words,
};
use crate::version::{Difference, Group, Named};

/// What a group of differences is called.
#[must_use]
pub fn group(lang: Lang, of: Group) -> &'static str {
    match (lang, of) {
        (Lang::En, Group::Conclusion) => "Conclusion",
        (Lang::Ja, Group::Conclusion) => "結論",
        (Lang::En, Group::Steps) => "Steps",
        (Lang::Ja, Group::Steps) => "最適化項目",
        (Lang::En, Group::Study) => "Study",
        (Lang::Ja, Group::Study) => "検証の内容",
        (Lang::En, Group::Runs) => "Runs",
        (Lang::Ja, Group::Runs) => "実行",
        (Lang::En, Group::Findings) => "Findings",
        (Lang::Ja, Group::Findings) => "所見",
        (Lang::En, Group::Notes) => "Notes",
        (Lang::Ja, Group::Notes) => "メモ",
        (Lang::En, Group::Program) => "Program",
        (Lang::Ja, Group::Program) => "プログラム",
    }
}

/// One difference.
#[must_use]
pub fn sentence(lang: Lang, of: &Difference) -> Rich {
    Rich::from_marked(&match lang {
        Lang::En => en(of),
        Lang::Ja => ja(of),
    })
}

fn en(of: &Difference) -> String {
    let lang = Lang::En;
    let named = |one: &Named| name(lang, one);
    match of {
        Difference::Recommended { from, to } => match (from, to) {
            (Some(from), Some(to)) => {
                format!("The recommendation is {}; it was {}.", strong_name(lang, to), named(from))
            }
            (None, Some(to)) => format!("{} is recommended; before, nothing was.", strong_name(lang, to)),
            (Some(from), None) => format!("Nothing is recommended any more; it was {}.", named(from)),
            (None, None) => "Nothing is recommended.".to_owned(),
        },
        Difference::Standing { from, to } => {
            format!("How firmly: {}; it was {}.", strong(standing_of(lang, to)), standing_of(lang, from))
        }
        Difference::Baseline { from, to } => format!("The baseline is {}; it was {}.", named(to), named(from)),
        Difference::Gain { profile, decimals, from, to } => format!(
            "{}: total TPS against the baseline went from {} to {}.",
            named(profile),
            gain(lang, from, *decimals),
            gain(lang, to, *decimals)
        ),
        Difference::Compared { profile, now: true } => {
            format!("{}: baseline and recommended are both measured now.", named(profile))
        }
        Difference::Compared { profile, now: false } => {
            format!("{}: baseline and recommended are not both measured any more.", named(profile))
        }
        Difference::Figure { profile, side, moved } => {
            format!("{}, {}: {}.", named(profile), side_of(lang, *side), figure(lang, moved))
        }
        Difference::Decision { step, from, to } => {
            format!("{}: {}; it was {}.", named(step), strong(decision_of(lang, to)), decision_of(lang, from))
        }
        Difference::Part { kind, what, added: true } => format!("{} {} is new.", part(lang, *kind), named(what)),
        Difference::Part { kind, what, added: false } => format!("{} {} is gone.", part(lang, *kind), named(what)),
        Difference::Command { variant, added, removed } => match (words(lang, added), words(lang, removed)) {
            (None, None) => format!("{} has its arguments in another order.", named(variant)),
            (Some(added), None) => format!("{} starts with {added} besides.", named(variant)),
            (None, Some(removed)) => format!("{} starts without {removed}.", named(variant)),
            (Some(added), Some(removed)) => format!("{} starts with {added} instead of {removed}.", named(variant)),
        },
        Difference::Workload { profile, asks } => {
            let asks =
                asks.iter().map(|(key, from, to)| format!("{} {} → {}", code(key), said(lang, from), said(lang, to)));
            format!("{} asks for something else: {}.", named(profile), asks.collect::<Vec<_>>().join(", "))
        }
        Difference::Title { lang: which, from, to } => {
            format!("The title in {} is “{}”; it was “{}”.", notes::language(lang, *which), clean(to), clean(from))
        }
        Difference::Setting { setting: which, from, to } => {
            format!("{}: {} → {}.", setting(lang, *which), said(lang, from), said(lang, to))
        }
        Difference::Runs { variant, profile, count: n, added } => {
            let (runs, verb) = (strong(phrase::runs(lang, *n)), if *added { "added" } else { "removed" });
            format!("{runs} {verb}: {} on {}.", named(variant), named(profile))
        }
        Difference::Reading { run, figures } => {
            format!("{} is read differently: {}.", phrase::run_title(lang, *run), figures_of(lang, figures))
        }
        Difference::Finding { finding, severity: weight, places, appeared } => {
            let verb = if *appeared { "New" } else { "Gone" };
            let (kind, weight) = (strong(finding.name.get(lang)), severity_of(lang, weight));
            format!("{verb}: {kind} ({weight}, {}) — {}.", code(&finding.id), places_of(lang, places))
        }
        Difference::Note { on, lang: which, from, to } => {
            let verb = match (from, to) {
                (None, _) => "was written",
                (_, None) => "was taken away",
                (Some(_), Some(_)) => "changed",
            };
            format!("The note on {} in {} {verb}.", note_on(lang, on), notes::language(lang, *which))
        }
        Difference::Wording { from, to } => {
            format!("The program says it in other words: wording {to} instead of {from}.")
        }
        Difference::Other { programs: None } => "Details that this list does not name.".to_owned(),
        Difference::Other { programs: Some((from, to)) } => {
            format!("Details that this list does not name; Touchstone {to} draws the report, {from} drew it.")
        }
    }
}

fn ja(of: &Difference) -> String {
    let lang = Lang::Ja;
    let named = |one: &Named| name(lang, one);
    match of {
        Difference::Recommended { from, to } => match (from, to) {
            (Some(from), Some(to)) => format!("推奨設定が{}から{}に変わりました。", named(from), strong_name(lang, to)),
            (None, Some(to)) => format!("{}が推奨設定になりました。以前はありませんでした。", strong_name(lang, to)),
            (Some(from), None) => format!("推奨設定（{}）がなくなりました。", named(from)),
            (None, None) => "推奨設定はありません。".to_owned(),
        },
        Difference::Standing { from, to } => {
            format!("推奨の確かさ：{} → {}", standing_of(lang, from), strong(standing_of(lang, to)))
        }
        Difference::Baseline { from, to } => format!("基準設定が{}から{}に変わりました。", named(from), named(to)),
        Difference::Gain { profile, decimals, from, to } => format!(
            "{}：基準設定に対する合計TPSの変化が{}から{}になりました。",
            named(profile),
            gain(lang, from, *decimals),
            gain(lang, to, *decimals)
        ),
        Difference::Compared { profile, now: true } => {
            format!("{}：基準設定と推奨設定の両方が計測されました。", named(profile))
        }
        Difference::Compared { profile, now: false } => {
            format!("{}：基準設定と推奨設定の両方の計測がそろわなくなりました。", named(profile))
        }
        Difference::Figure { profile, side, moved } => {
            format!("{}・{}：{}", named(profile), side_of(lang, *side), figure(lang, moved))
        }
        Difference::Decision { step, from, to } => {
            format!("{}：{} → {}", named(step), decision_of(lang, from), strong(decision_of(lang, to)))
        }
        Difference::Part { kind, what, added: true } => {
            format!("{}「{}」が加わりました。", part(lang, *kind), named(what))
        }
        Difference::Part { kind, what, added: false } => {
            format!("{}「{}」がなくなりました。", part(lang, *kind), named(what))
        }
        Difference::Command { variant, added, removed } => match (words(lang, added), words(lang, removed)) {
            (None, None) => format!("{}の引数の順序が変わりました。", named(variant)),
            (Some(added), None) => format!("{}の起動に{added}が加わりました。", named(variant)),
            (None, Some(removed)) => format!("{}の起動から{removed}がなくなりました。", named(variant)),
            (Some(added), Some(removed)) => format!("{}の起動で{removed}が{added}に替わりました。", named(variant)),
        },
        Difference::Workload { profile, asks } => {
            let asks =
                asks.iter().map(|(key, from, to)| format!("{} {} → {}", code(key), said(lang, from), said(lang, to)));
            format!("{}の条件が変わりました：{}", named(profile), asks.collect::<Vec<_>>().join("、"))
        }
        Difference::Title { lang: which, from, to } => {
            format!("{}の題名が「{}」から「{}」に変わりました。", notes::language(lang, *which), clean(from), clean(to))
        }
        Difference::Setting { setting: which, from, to } => {
            format!("{}：{} → {}", setting(lang, *which), said(lang, from), said(lang, to))
        }
        Difference::Runs { variant, profile, count: n, added } => {
            let verb = if *added { "追加" } else { "削除" };
            format!("{}を{verb}：{}（{}）", strong(phrase::runs(lang, *n)), named(variant), named(profile))
        }
        Difference::Reading { run, figures } => {
            format!("{}の読み取り結果が変わりました：{}", phrase::run_title(lang, *run), figures_of(lang, figures))
        }
        Difference::Finding { finding, severity: weight, places, appeared } => {
            let verb = if *appeared { "新しい所見" } else { "なくなった所見" };
            let (kind, weight) = (strong(finding.name.get(lang)), severity_of(lang, weight));
            format!("{verb}：{kind}（{weight}、{}）{}", code(&finding.id), places_of(lang, places))
        }
        Difference::Note { on, lang: which, from, to } => {
            let verb = match (from, to) {
                (None, _) => "が書かれました",
                (_, None) => "が取り除かれました",
                (Some(_), Some(_)) => "が変わりました",
            };
            format!("{}の{}のメモ{verb}。", note_on(lang, on), notes::language(lang, *which))
        }
        Difference::Wording { from, to } => format!("プログラムの文面が改訂{from}から改訂{to}に変わりました。"),
        Difference::Other { programs: None } => "この一覧に挙げていない細部が変わりました。".to_owned(),
        Difference::Other { programs: Some((from, to)) } => {
            format!("この一覧に挙げていない細部が変わりました（Touchstone {from}から{to}へ更新）。")
        }
    }
}
