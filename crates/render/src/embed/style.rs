//! The style of an embedded chart: the site's own rules for charts, and of its tokens those that they use.

use std::collections::BTreeSet;

use domain::text::Lang;

use super::Theme;
use crate::tokens::{Token, token};

const CHARTS: &str = include_str!("../../../../style/60-charts.css");

/// What an embedded chart has beyond the charts of a page.
const OWN: &str = ".ground{fill:var(--paper)}.edge{fill:none;stroke:var(--rule)}\
                   .chart .head{font-size:15px;font-weight:600;fill:var(--ink)}\
                   .chart .word{font-size:13px;fill:var(--ink)}.chart .foot{fill:var(--ink-3)}\
                   .mark__stone{fill:#14171a;stroke:#333b43}.mark__streak{fill:var(--streak)}";

/// The style sheet.
pub(super) fn chart(lang: Lang, theme: Theme) -> String {
    let rules: String = rules(CHARTS).into_iter().filter(wanted).map(|(of, body)| format!("{of}{{{body}}}")).collect();
    let rules = rules + OWN;
    let used = tokens_in(&rules, lang);
    let all = |of: fn(&Token) -> &'static str| -> String {
        used.iter().map(|(name, token)| format!("--{name}:{};", of(token))).collect()
    };
    let (light, dark) = (all(|token| token.light), all(|token| token.dark));
    let root = match theme {
        Theme::Light => format!(":root{{color-scheme:light;{light}}}"),
        Theme::Dark => format!(":root{{color-scheme:dark;{dark}}}"),
        Theme::Auto => {
            let differs = used.iter().filter(|(_, token)| token.light != token.dark);
            let dark: String = differs.map(|(name, token)| format!("--{name}:{};", token.dark)).collect();
            format!(":root{{color-scheme:light dark;{light}}}@media (prefers-color-scheme:dark){{:root{{{dark}}}}}")
        }
    };
    root + &rules
}

/// Rules of charts for a wide drawing; the size of the root is the picture's own.
fn wanted((of, _): &(&str, &str)) -> bool {
    of.starts_with(".chart ") && !of.contains("narrow") || of.starts_with(".chart--ruler")
        // One rule is for both a narrow drawing and the ruler.
        || of.contains(".chart--ruler")
}

/// The rules of a sheet that stand in no other: selector and declarations.
fn rules(sheet: &str) -> Vec<(&str, &str)> {
    let mut found = Vec::new();
    let mut rest = sheet;
    loop {
        rest = rest.trim_start();
        if let Some(comment) = rest.strip_prefix("/*") {
            rest = comment.split_once("*/").map_or("", |(_, after)| after);
            continue;
        }
        let Some((of, body)) = rest.split_once('{') else { return found };
        let mut depth = 1;
        let end = body.char_indices().find(|(_, c)| {
            match c {
                '{' => depth += 1,
                '}' => depth -= 1,
                _ => {}
            }
            depth == 0
        });
        let (declarations, after) = body.split_at(end.map_or(body.len(), |(at, _)| at));
        let of = of.trim();
        if !of.starts_with('@') && of != ".chart" {
            found.push((of, declarations.trim()));
        }
        rest = after.strip_prefix('}').unwrap_or("");
    }
}

fn tokens_in(rules: &str, lang: Lang) -> Vec<(&str, Token)> {
    let names = rules.split("var(--").skip(1).filter_map(|rest| rest.split([')', ',']).next());
    let names: BTreeSet<&str> = names.collect();
    names.into_iter().filter_map(|name| Some((name, token(name, lang == Lang::Ja)?))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_chart_takes_its_rules_and_tokens_with_it_and_nothing_else() {
        let sheet = chart(Lang::En, Theme::Auto);
        for part in
            [".chart .rec{fill: var(--d-rec);}", "--d-rec:#9c7000;", "--d-rec:#e2b341;", "(prefers-color-scheme:dark)"]
        {
            assert!(sheet.contains(part), "{part}: {sheet}");
        }
        for part in ["url(", "@import", "legend", "min-width", "light-dark(", ".chart{", "/*"] {
            assert!(!sheet.contains(part), "{part}: {sheet}");
        }
        let dark = chart(Lang::Ja, Theme::Dark);
        assert!(dark.contains("--d-rec:#e2b341;") && !dark.contains("#9c7000") && !dark.contains("@media"), "{dark}");
        assert!(dark.contains("Hiragino Sans"), "{dark}");
        // Every class that charts use has its rule.
        for class in [
            "base", "rec", "worse", "noise", "grid", "axis", "zero", "tick", "cross", "hollow", "streak", "val", "rep",
            "warn", "sub", "name",
        ] {
            assert!(sheet.contains(&format!(".chart .{class}")), "{class}");
        }
        for name in sheet.split("var(--").skip(1).filter_map(|rest| rest.split([')', ',']).next()) {
            assert!(name == "chart-ground" || sheet.contains(&format!("--{name}:")), "{name} has no value");
        }
    }
}
