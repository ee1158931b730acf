//! Words in and beside charts, and the sentences that say in words what a chart shows.

use super::number::{count, short};
use super::{Lang, labels};
use crate::change::Verdict;
use crate::study::Profile;
use crate::units::RequestRate;

/// A profile of the bar chart as its sentence names it; figures are already formatted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BarsInWords {
    /// The profile's name.
    pub profile: String,
    /// The baseline's figure, or what stands in its place.
    pub baseline: String,
    /// The recommended variant's; none where the baseline stands alone.
    pub recommended: Option<String>,
    /// The change with its sign, and what it means.
    pub change: Option<(String, Verdict)>,
}

/// What the bar chart of all profiles shows.
#[must_use]
pub fn profiles(lang: Lang, rows: &[BarsInWords]) -> String {
    let words = labels(lang);
    let mut out = match lang {
        Lang::Ja => "プロファイル別の合計TPS（再計算値、tok/s）。".to_owned(),
        Lang::En => "Total TPS per profile (recomputed, tok/s).".to_owned(),
    };
    for row in rows {
        let mut parts = vec![figure(lang, words.baseline, &row.baseline)];
        parts.extend(row.recommended.iter().map(|text| figure(lang, words.recommended, text)));
        parts.extend(row.change.iter().map(|(pct, verdict)| change(lang, pct, *verdict)));
        match lang {
            Lang::Ja => out.push_str(&format!("{}：{}。", row.profile, parts.join("、"))),
            Lang::En => out.push_str(&format!(" {}: {}.", row.profile, parts.join(", "))),
        }
    }
    out
}

/// A figure with a remark in brackets.
#[must_use]
pub fn noted(lang: Lang, figure: &str, remark: &str) -> String {
    match lang {
        Lang::Ja => format!("{figure}（{remark}）"),
        Lang::En => format!("{figure} ({})", remark.to_lowercase()),
    }
}

/// What a row of the gain scale shows: changes with their signs, and half the width of the noise band.
#[must_use]
pub fn gain(
    lang: Lang,
    profile: &str,
    reported: Option<&str>,
    recomputed: Option<&str>,
    noise: Option<&str>,
    verdict: Verdict,
) -> String {
    let words = labels(lang);
    let mut parts: Vec<String> = [(words.reported, reported), (words.recomputed, recomputed)]
        .into_iter()
        .filter_map(|(word, text)| text.map(|text| figure(lang, word, text)))
        .collect();
    parts.extend(noise.map(|band| figure(lang, words.noise, &format!("±{band}"))));
    parts.push(super::verdict(lang, verdict).to_owned());
    match lang {
        Lang::Ja => format!("{profile}：{}", parts.join("、")),
        Lang::En => format!("{profile}: {}", parts.join(", ")),
    }
}

/// From where to where a ruler of changes reaches.
#[must_use]
pub fn ruler(lang: Lang, from: &str, to: &str) -> String {
    match lang {
        Lang::Ja => format!("目盛：{from}から{to}"),
        Lang::En => format!("Scale from {from} to {to}"),
    }
}

/// What limits a profile's load, in few words: the concurrency (asked for, or else `printed` by its runs), or else the
/// arrival rate, or else how many requests are sent at once.
#[must_use]
pub fn load(lang: Lang, profile: &Profile, printed: Option<u64>) -> Option<String> {
    let rate = match profile.request_rate {
        Some(RequestRate::PerSec(rate)) => Some(rate),
        Some(RequestRate::Unlimited) | None => None,
    };
    if let Some(limit) = profile.max_concurrency.or(printed).map(count) {
        return Some(match lang {
            Lang::Ja => format!("同時実行{limit}"),
            Lang::En => format!("{limit} concurrent"),
        });
    }
    if let Some(rate) = rate {
        return Some(format!("{}\u{a0}req/s", short(rate.get(), 2)));
    }
    profile.requests.map(count).map(|requests| match lang {
        Lang::Ja => format!("{requests}リクエスト"),
        Lang::En => format!("{requests} requests"),
    })
}

/// Under a profile's name: the load set its throughput.
#[must_use]
pub const fn load_limited(lang: Lang) -> &'static str {
    match lang {
        Lang::Ja => "負荷で頭打ち",
        Lang::En => "load-limited",
    }
}

/// Legend: hatched bars.
#[must_use]
pub const fn hatched(lang: Lang) -> &'static str {
    match lang {
        Lang::Ja => "斜線：負荷で頭打ち（比較不可）",
        Lang::En => "hatched: load-limited, not comparable",
    }
}

/// Legend: the tick at the printed figure.
#[must_use]
pub const fn tick(lang: Lang) -> &'static str {
    match lang {
        Lang::Ja => "縦線：報告値",
        Lang::En => "tick: reported",
    }
}

/// A figure of whom.
fn figure(lang: Lang, of: &str, text: &str) -> String {
    match lang {
        Lang::Ja => format!("{of}{text}"),
        Lang::En => format!("{} {text}", of.to_lowercase()),
    }
}

fn change(lang: Lang, pct: &str, verdict: Verdict) -> String {
    noted(lang, pct, super::verdict(lang, verdict))
}
