//! The style sheet's tokens, for pictures that carry their colours with them: `style/00-tokens.css` stays the only place
//! where a colour is decided.

use std::collections::BTreeMap;
use std::sync::LazyLock;

const SHEET: &str = include_str!("../../../style/00-tokens.css");

/// A token in both themes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Token {
    pub(crate) light: &'static str,
    pub(crate) dark: &'static str,
}

/// Those of `:root`, by name without dashes.
static TOKENS: LazyLock<BTreeMap<&'static str, Token>> = LazyLock::new(|| block(":root {"));
/// Those that Japanese has of its own.
static JAPANESE: LazyLock<BTreeMap<&'static str, Token>> = LazyLock::new(|| block(":root:lang(ja) {"));

fn block(selector: &str) -> BTreeMap<&'static str, Token> {
    let body = SHEET.split_once(selector).and_then(|(_, rest)| rest.split_once('}')).map_or("", |(body, _)| body);
    let declarations = body.lines().filter_map(|line| line.trim().strip_prefix("--"));
    // Spacing tokens stand several to a line; colours and fonts each on their own.
    let one = declarations.filter_map(|line| {
        let (name, value) = line.split_once(':')?;
        let value = value.split_once(';')?.0.trim();
        let both = value.strip_prefix("light-dark(").and_then(|both| both.strip_suffix(')')?.split_once(','));
        let token = both.map_or(Token { light: value, dark: value }, |(light, dark)| Token {
            light: light.trim(),
            dark: dark.trim(),
        });
        Some((name, token))
    });
    one.collect()
}

/// The whole sheet, for pages.
pub(crate) const fn sheet() -> &'static str {
    SHEET
}

/// A token; Japanese may have its own.
pub(crate) fn token(name: &str, japanese: bool) -> Option<Token> {
    let own = JAPANESE.get(name).filter(|_| japanese);
    own.or_else(|| TOKENS.get(name)).copied()
}

/// A colour on paper.
pub(crate) fn light(name: &str) -> &'static str {
    token(name, false).expect("the snapshots of pictures ask for every colour that they use").light
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_and_fonts_are_read_from_the_style_sheet() {
        assert_eq!(token("ink", false), Some(Token { light: "#15181c", dark: "#e8e9e7" }));
        assert_eq!(token("streak", true), Some(Token { light: "#e2b341", dark: "#e2b341" }));
        assert!(token("f-text", true).unwrap().light.starts_with("\"Hiragino Sans\""));
        assert!(token("f-mono", true).unwrap().light.ends_with("monospace"));
        assert_eq!(token("no-such", false), None);
    }
}
