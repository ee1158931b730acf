//! A README badge: the product's name, and in one line what a report found. Flat, as readers of READMEs know them.

use domain::text::Lang;
use domain::text::cards::{Tone, badge_title, card_labels};

use crate::icon;
use crate::svg::{escape_into, num};
use crate::tokens::light;

const HEIGHT: f64 = 20.0;
const SIZE: f64 = 11.0;
/// Left and right of a text.
const PADDING: f64 = 6.0;
/// The stone with its streak.
const MARK: f64 = 13.0;
const NAME: &str = "Touchstone";
/// Words longer than this say no more in a README; a study's decimals and words are far shorter.
const MOST: usize = 120;

/// Draws a badge.
#[must_use]
pub fn badge(lang: Lang, tone: Tone, words: &str) -> String {
    let words: String = words.chars().take(MOST).collect();
    let (name, said) = (width(NAME), width(&words));
    let left = PADDING + MARK + 4.0 + name + PADDING;
    let total = left + PADDING + said + PADDING;
    let mut title = String::new();
    escape_into(&badge_title(lang, &words), &mut title);
    let mut text = String::new();
    escape_into(&words, &mut text);
    let (w, l, right) = (num(total), num(left), num(total - left));
    let (stone, streak, fill) = (light("stone"), light("streak"), colour(tone));
    let (h, baseline) = (num(HEIGHT), num(14.0));
    let name_x = num(PADDING + MARK + 4.0);
    let said_x = num(left + PADDING);
    let (name_width, said_width) = (num(name), num(said));
    let (scale, (stone_shape, streak_shape)) = (MARK / 24.0, icon::MARK);
    let family = "Verdana,'DejaVu Sans','Hiragino Sans','Noto Sans JP','Noto Sans CJK JP',Meiryo,sans-serif";
    // The length of each text is set, so that it fills its box whatever font the reader has.
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{w}\" height=\"{h}\" viewBox=\"0 0 {w} {h}\" role=\"img\" \
         lang=\"{}\" aria-labelledby=\"t\"><title id=\"t\">{title}</title><clipPath id=\"r\"><rect width=\"{w}\" \
         height=\"{h}\" rx=\"3\"/></clipPath><g clip-path=\"url(#r)\"><rect width=\"{l}\" height=\"{h}\" \
         fill=\"{stone}\"/><rect x=\"{l}\" width=\"{right}\" height=\"{h}\" fill=\"{fill}\"/></g>\
         <g transform=\"translate({} 3.5) scale({scale:.3})\"><path d=\"{stone_shape}\" fill=\"#333b43\"/>\
         <path d=\"{streak_shape}\" fill=\"{streak}\"/></g>\
         <g fill=\"#fff\" font-family=\"{family}\" font-size=\"{SIZE}\">\
         <text x=\"{name_x}\" y=\"{baseline}\" textLength=\"{name_width}\">{NAME}</text>\
         <text x=\"{said_x}\" y=\"{baseline}\" textLength=\"{said_width}\">{text}</text></g></svg>",
        lang.code(),
        num(PADDING)
    )
}

/// The badge of a study that is not there.
#[must_use]
pub fn badge_not_found(lang: Lang) -> String {
    badge(lang, Tone::Unknown, card_labels(lang).not_found)
}

/// Under white text: 4.5:1 or more.
fn colour(tone: Tone) -> &'static str {
    match tone {
        Tone::Better => light("better"),
        Tone::Reserved => light("gold-text"),
        Tone::Worse => light("worse"),
        Tone::Flat => light("ink-2"),
        Tone::Unknown => light("ink-3"),
    }
}

fn width(text: &str) -> f64 {
    text.chars().map(em).sum::<f64>() * SIZE
}

/// Advances of Verdana, which badges are set in; DejaVu Sans has nearly the same. Japanese is full width.
fn em(c: char) -> f64 {
    match c {
        'i' | 'j' | 'l' | '\'' => 0.274,
        ' ' | '\u{a0}' | ',' | '.' => 0.356,
        'f' | 't' | 'I' | '/' => 0.4,
        'r' | '-' | '(' | ')' | ':' => 0.45,
        'c' | 's' | 'z' => 0.524,
        'm' => 0.973,
        'w' => 0.818,
        'M' | 'W' => 0.9,
        '%' => 1.076,
        '+' | '±' | '\u{2212}' | '=' | '<' | '>' => 0.818,
        'A'..='Z' => 0.67,
        c if c.is_ascii_digit() => 0.636,
        c if c.is_ascii() => 0.61,
        '\u{ff61}'..='\u{ff9f}' => 0.5,
        '\u{2e80}'..='\u{9fff}' | '\u{ac00}'..='\u{d7a3}' | '\u{f900}'..='\u{faff}' | '\u{ff00}'..='\u{ff60}' => 1.0,
        _ => 0.64,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_badge_is_as_wide_as_its_words() {
        let across = |words: &str| {
            let svg = badge(Lang::Ja, Tone::Flat, words);
            let document = roxmltree::Document::parse(&svg).unwrap();
            document.root_element().attribute("width").unwrap().parse::<f64>().unwrap()
        };
        let none = across("");
        assert!((across("推奨設定") - none - 44.0).abs() < 0.2, "four characters of 11 units");
        assert!((across("+9.97%") - none - SIZE * (0.818 + 3.0 * 0.636 + 0.356 + 1.076)).abs() < 0.2);
        assert_eq!(across(&"長".repeat(500)), across(&"長".repeat(MOST)));
    }

    #[test]
    fn words_are_text_and_are_read_out() {
        let svg = badge(Lang::En, Tone::Better, "a|b<script>&");
        let document = roxmltree::Document::parse(&svg).unwrap();
        let texts: Vec<_> =
            document.descendants().filter(|node| node.has_tag_name("text")).filter_map(|n| n.text()).collect();
        assert_eq!(texts, ["Touchstone", "a|b<script>&"]);
        let title = document.descendants().find(|node| node.has_tag_name("title")).unwrap();
        assert_eq!(title.text(), Some("Touchstone: a|b<script>&"));
        assert!(badge_not_found(Lang::Ja).contains(">見つかりません<"));
    }
}
