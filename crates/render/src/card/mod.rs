//! The social card: a report's conclusion as a picture of 1200 × 630, for link previews. As SVG, and as PNG through resvg
//! with the system's fonts.
//!
//! Invariant: never an empty box. Where no font has Japanese, the card is the English one; a character in a name that no
//! font has becomes an ellipsis; without any Latin font there is no card.

mod command;
mod draw;
pub(crate) mod fonts;
mod paint;
pub(crate) mod wrap;

use std::sync::Arc;

use domain::report::Report;
use domain::text::Lang;
use domain::text::cards::{CardText, card};
use resvg::tiny_skia::{Pixmap, Transform};
use resvg::usvg::{FontResolver, Options, Tree};

pub use fonts::Fonts;
use fonts::{Glyphs, Role};

/// Pixels across.
pub const WIDTH: u32 = 1200;
/// Pixels down.
pub const HEIGHT: u32 = 630;

/// The card as SVG, for a reader whose fonts are not known: widths are averages and families generic.
#[must_use]
pub fn svg(report: &Report, lang: Lang) -> String {
    draw::draw(&tidied(card(lang, report)), &Glyphs::estimates())
}

/// The card as SVG, laid out with these fonts; none where they lack Latin.
#[must_use]
pub fn svg_with(report: &Report, lang: Lang, fonts: &Fonts) -> Option<String> {
    let of = |lang| {
        let text = tidied(card(lang, report));
        let glyphs = Glyphs::of(fonts, &said(&text));
        (text, glyphs)
    };
    let (text, glyphs) = of(lang);
    let (text, glyphs) = if glyphs.covers(&own_words(&text)) {
        (text, glyphs)
    } else {
        let (text, glyphs) = of(Lang::En);
        glyphs.covers(&own_words(&text)).then_some((text, glyphs))?
    };
    Some(draw::draw(&legible(text, report.slug.as_str(), &glyphs), &glyphs))
}

/// The card as PNG; none where the fonts lack Latin. Takes some hundredths of a second: not for an async thread.
#[must_use]
pub fn png(report: &Report, lang: Lang, fonts: &Fonts) -> Option<Vec<u8>> {
    let svg = svg_with(report, lang, fonts)?;
    let resolver = FontResolver {
        // Each piece of text names the face that its characters were looked up in.
        select_font: Box::new(|font, _| {
            let family = font.families().first()?.to_string();
            fonts.face(family.trim_matches('"'), font.weight())
        }),
        select_fallback: Box::new(|_, _, _| None),
    };
    let options = Options { fontdb: Arc::clone(&fonts.faces), font_resolver: resolver, ..Options::default() };
    let tree = Tree::from_str(&svg, &options).expect("the card is well-formed SVG");
    let mut canvas = Pixmap::new(WIDTH, HEIGHT).expect("the size is neither nothing nor too much");
    resvg::render(&tree, Transform::identity(), &mut canvas.as_mut());
    Some(canvas.encode_png().expect("encoding into memory cannot fail"))
}

/// Without characters that draw nothing or turn the direction of text, and with spaces for line breaks.
fn tidy(text: &str) -> String {
    let silent = |c: char| {
        matches!(c, '\u{ad}' | '\u{61c}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
            | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{e0000}'..='\u{e0fff}')
    };
    let spaced = |c: char| if c.is_control() || (c.is_whitespace() && c != '\u{a0}') { ' ' } else { c };
    text.chars().filter(|c| !silent(*c)).map(spaced).collect()
}

fn each(mut text: CardText, names: impl Fn(Role, &str) -> String) -> CardText {
    text.title = names(Role::Head, &text.title);
    text.headline = names(Role::Head, &text.headline);
    text.place = text.place.map(|one| names(Role::Text, &one));
    if let Some(gain) = &mut text.gain {
        gain.profile = names(Role::Text, &gain.profile);
    }
    for fact in [&mut text.elsewhere, &mut text.worst].into_iter().flatten() {
        fact.profile = fact.profile.as_deref().map(|name| names(Role::Strong, name));
    }
    for line in &mut text.command {
        line.text = names(Role::Mono, &line.text);
    }
    text
}

fn tidied(text: CardText) -> CardText {
    each(text, |role, name| match role {
        // Spaces inside a quoted argument are part of it.
        Role::Mono | Role::MonoStrong => tidy(name),
        Role::Head | Role::Text | Role::Strong => {
            tidy(name).split(' ').filter(|w| !w.is_empty()).collect::<Vec<_>>().join(" ")
        }
    })
}

/// Names without what cannot be drawn; a title of which nothing is left is the study's name in addresses.
fn legible(text: CardText, slug: &str, glyphs: &Glyphs) -> CardText {
    let mut text = each(text, |role, name| glyphs.legible(role, name));
    if !text.title.chars().any(char::is_alphanumeric) {
        text.title = glyphs.legible(Role::Head, slug);
    }
    text
}

/// Every character that may be drawn.
fn said(text: &CardText) -> String {
    let mut all = own_words(text);
    let names = each(text.clone(), |_, name| name.to_owned());
    for part in [&names.title, &names.headline, &names.place[0], &names.place[1]] {
        all.push_str(part);
    }
    all.extend(names.gain.iter().map(|gain| gain.profile.as_str()));
    all.extend([&names.elsewhere, &names.worst].into_iter().flatten().filter_map(|fact| fact.profile.as_deref()));
    all.extend(names.command.iter().map(|line| line.text.as_str()));
    all.push_str(draw::BRAND);
    // Of the study's name in addresses, of counts, and of what is drawn in Latin at any rate.
    all.extend(' '..='~');
    all
}

/// What we say ourselves: a font that lacks any of it cannot draw this language.
fn own_words(text: &CardText) -> String {
    let mut all = String::from("Touchstone · …");
    all.push_str(text.standing);
    if let Some(gain) = &text.gain {
        all.extend([gain.word, gain.basis, gain.goal.as_str()]);
        all.extend(gain.figure.iter().chain(&gain.reported).chain(&gain.noise).map(String::as_str));
    }
    for fact in [&text.elsewhere, &text.worst].into_iter().flatten() {
        all.push_str(fact.label);
        all.extend(fact.parts.iter().map(String::as_str));
    }
    all.extend(text.caveat);
    all.push_str(&draw::own_words(text));
    all
}
