//! All that changed between two states of a report, in a line.

use super::super::Lang;
use super::super::number::count;
use crate::version::{Difference, Group};

/// Parts of a summary; what is beyond is not named.
const PARTS: usize = 4;

/// All differences in a line, without an end: `2 runs added; the recommendation is another`.
#[must_use]
pub fn summary(lang: Lang, all: &[Difference]) -> String {
    let how_many = |is: &dyn Fn(&Difference) -> usize| all.iter().map(is).sum::<usize>();
    let one = |is: fn(&Difference) -> bool| move |of: &Difference| usize::from(is(of));
    let runs = |wanted: bool| {
        move |of: &Difference| match of {
            Difference::Runs { count, added, .. } if *added == wanted => *count,
            _ => 0,
        }
    };
    let findings = |wanted: bool| {
        move |of: &Difference| match of {
            Difference::Finding { places, appeared, .. } if *appeared == wanted => places.len(),
            _ => 0,
        }
    };
    // How many, then one and several in English, then before and after the number in Japanese.
    let parts: [(usize, &str, &str, &str, &str); 11] = [
        (
            how_many(&one(|of| matches!(of, Difference::Recommended { .. }))),
            "the recommendation is another",
            "",
            "推奨設定の変更",
            "",
        ),
        (how_many(&runs(true)), "run added", "runs added", "実行の追加", "件"),
        (how_many(&runs(false)), "run removed", "runs removed", "実行の削除", "件"),
        (
            how_many(&one(|of| matches!(of, Difference::Reading { .. }))),
            "run read differently",
            "runs read differently",
            "実行の読み直し",
            "件",
        ),
        (
            how_many(&one(|of| of.group() == Group::Conclusion && !matches!(of, Difference::Recommended { .. }))),
            "change in the conclusion",
            "changes in the conclusion",
            "結論の変更",
            "件",
        ),
        (
            how_many(&one(|of| of.group() == Group::Steps)),
            "change in the steps",
            "changes in the steps",
            "最適化項目の変更",
            "件",
        ),
        (
            how_many(&one(|of| of.group() == Group::Study)),
            "change in what the study describes",
            "changes in what the study describes",
            "検証の内容の変更",
            "件",
        ),
        (how_many(&one(|of| of.group() == Group::Notes)), "note changed", "notes changed", "メモの変更", "件"),
        (how_many(&findings(true)), "new finding", "new findings", "新しい所見", "件"),
        (how_many(&findings(false)), "finding gone", "findings gone", "なくなった所見", "件"),
        (how_many(&one(|of| of.group() == Group::Program)), "other wording or details", "", "文面や細部の変更", ""),
    ];
    let said: Vec<String> = parts
        .into_iter()
        .filter(|(n, ..)| *n > 0)
        .map(|(n, single, several, ja, unit)| match lang {
            Lang::En if several.is_empty() => single.to_owned(),
            Lang::En => format!("{} {}", count(n as u64), if n == 1 { single } else { several }),
            Lang::Ja if unit.is_empty() => ja.to_owned(),
            Lang::Ja => format!("{ja}{}{unit}", count(n as u64)),
        })
        .collect();
    let (between, more) = match lang {
        Lang::En => ("; ", "; and more"),
        Lang::Ja => ("、", "など"),
    };
    let shown = said.iter().take(PARTS).map(String::as_str).collect::<Vec<_>>().join(between);
    if said.len() > PARTS { format!("{shown}{more}") } else { shown }
}
