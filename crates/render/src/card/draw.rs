//! Where things stand on the card. The touchstone: ink on paper above, the command on the black stone below, gold where
//! something was gained or differs from the baseline.

use domain::change::Verdict;
use domain::text::cards::{CardFact, CardGain, CardText, card_alt, card_labels, more_arguments};
use domain::text::{Lang, phrase};

use super::command::{self, Line, Setting, indent, line_width, piece_width, role};
use super::fonts::{Glyphs, Role};
use super::paint::{Ink, Paint};
use super::wrap::{Face, Steps, fit, set};
use super::{HEIGHT, WIDTH};
use crate::icon::{self, MARK};
use crate::svg::num;
use crate::tokens::light;

/// The product's name in Japanese, which stands on every card that can draw it.
pub(super) const BRAND: &str = "試金石";

const LEFT: f64 = 64.0;
const RIGHT: f64 = WIDTH as f64 - LEFT;
const ROOM: f64 = RIGHT - LEFT;
/// The room above the title: rule, brand, place.
const TOP: f64 = 92.0;
/// Where the column of facts starts.
const FACTS: f64 = 724.0;
/// Between blocks at least.
const GAP: f64 = 22.0;
/// Above and below the command.
const PLATE_PADDING: f64 = 26.0;
/// The line under the command that says what gold means.
const KEY: f64 = 26.0;
const KEY_SIZE: f64 = 17.0;
/// Between the gold edge and the command.
const INSET: f64 = 18.0;

const TITLE: &Steps = &[(50.0, 1), (44.0, 2), (38.0, 2), (34.0, 3), (31.0, 3)];
const SENTENCE: &Steps = &[(36.0, 3), (32.0, 4), (28.0, 5)];
/// Sizes of facts that fit two lines, the largest first.
const FACT: [f64; 3] = [21.0, 19.0, 18.0];
/// Sizes of the figure, the largest first.
const FIGURE: [f64; 5] = [94.0, 84.0, 74.0, 64.0, 54.0];

/// Our own words beyond the text's: remarks that depend on the layout.
pub(super) fn own_words(text: &CardText) -> String {
    let words = card_labels(text.lang);
    let more = [1, 10].map(|n| more_arguments(text.lang, n)).concat();
    format!("{more}{}{}", words.added, words.no_command)
}

/// Draws a card.
pub(super) fn draw(text: &CardText, glyphs: &Glyphs) -> String {
    let lang = text.lang;
    let mut paint = Paint::new(f64::from(WIDTH), f64::from(HEIGHT), &card_alt(text), lang.code(), glyphs);
    paint.rect((0.0, 0.0), (f64::from(WIDTH), f64::from(HEIGHT)), light("paper"));
    paint.rect((0.0, 0.0), (f64::from(WIDTH), 8.0), light("ink"));
    head(&mut paint, text);

    let (size, lines) = set(glyphs, Role::Head, &text.title, ROOM, TITLE);
    let pitch = size * if lang == Lang::Ja { 1.34 } else { 1.24 };
    let title_height = pitch * lines.len() as f64;
    let middle = Middle::of(glyphs, text);
    let free = f64::from(HEIGHT) - TOP - title_height - middle.height();
    let mut plate = plate(glyphs, lang, text, free - 2.0 * GAP - 2.0 * PLATE_PADDING);
    // What is left over goes into the stone and between the blocks.
    let mut left = free - plate.as_ref().map_or(0.0, |plate| plate.height);
    if let Some(plate) = &mut plate {
        plate.height += ((left - 2.0 * GAP) * 0.5).clamp(0.0, 56.0);
        left = free - plate.height;
    }
    let (above, between) = (left * 0.16, left * 0.44);

    let mut y = TOP + above + size * 0.92;
    for line in &lines {
        paint.text(Ink { role: Role::Head, size, fill: light("ink") }, (LEFT, y), line);
        y += pitch;
    }
    middle.draw(&mut paint, text, TOP + above + title_height + between);
    if let Some(plate) = plate {
        plate.draw(&mut paint, lang);
    }
    paint.finish()
}

/// Brand to the left, model and machine to the right.
fn head(paint: &mut Paint<'_>, text: &CardText) {
    let (stone, streak) = MARK;
    let drawing = format!("<path d=\"{stone}\"/><path d=\"{streak}\" fill=\"{}\"/>", light("streak"));
    paint.icon(&drawing, 24.0, (LEFT - 3.0, 34.0), 40.0, light("stone"));
    let baseline = 63.0;
    let name = Ink { role: Role::Strong, size: 27.0, fill: light("ink") };
    let mut end = paint.text(name, (LEFT + 48.0, baseline), "Touchstone");
    if paint.glyphs.covers(BRAND) {
        let brand = Ink { role: Role::Head, size: 23.0, fill: light("ink-3") };
        end = paint.text(brand, (end + 14.0, baseline), BRAND);
    }
    let place = Ink { role: Role::Text, size: 22.0, fill: light("ink-2") };
    let face = Face { role: place.role, size: place.size };
    let place_text = fit(paint.glyphs, face, &text.place.join(" · "), RIGHT - end - 48.0);
    paint.text_before(place, (RIGHT, baseline), &place_text);
}

/// Gain and facts, or the verdict's sentence.
enum Middle<'a> {
    Gain { gain: &'a CardGain, facts: Vec<Fact>, caveat: Option<&'static str> },
    Sentence { size: f64, lines: Vec<String> },
}

/// A fact set in lines: pieces, and whether each is the profile's name.
struct Fact {
    label: &'static str,
    size: f64,
    lines: Vec<Vec<(bool, String)>>,
}

const STAMP: f64 = 36.0;
const LABEL: f64 = 25.0;
/// The verdict's word.
const WORD: f64 = 25.0;
/// Between the figure and what stands beside it.
const BESIDE: f64 = 26.0;
/// Under the figure: what the reader has to know besides.
const CAVEAT: f64 = 34.0;

impl<'a> Middle<'a> {
    fn of(glyphs: &Glyphs, text: &'a CardText) -> Self {
        match &text.gain {
            Some(gain) => {
                let facts = [&text.elsewhere, &text.worst];
                let facts = facts.into_iter().flatten().map(|fact| Fact::of(glyphs, text.lang, fact)).collect();
                Self::Gain { gain, facts, caveat: text.caveat }
            }
            None => {
                let (size, lines) = set(glyphs, Role::Head, &text.headline, ROOM, SENTENCE);
                Self::Sentence { size, lines }
            }
        }
    }

    fn height(&self) -> f64 {
        match self {
            Self::Gain { facts, caveat, .. } => {
                let facts: f64 = facts.iter().map(|fact| fact.height() + 10.0).sum();
                facts.max(STAMP + 122.0 + if caveat.is_some() { CAVEAT } else { 0.0 })
            }
            Self::Sentence { size, lines } => STAMP + 18.0 + size * 1.5 * lines.len() as f64,
        }
    }

    fn draw(&self, paint: &mut Paint<'_>, text: &CardText, top: f64) {
        let end = stamp(paint, text, top);
        match self {
            Self::Gain { gain, facts, caveat } => {
                draw_gain(paint, text.lang, gain, (top, end));
                let mut y = top;
                paint.rect((FACTS - 28.0, top), (1.5, self.height() - 10.0), light("rule"));
                for fact in facts {
                    fact.draw(paint, y);
                    y += fact.height() + 10.0;
                }
                if let Some(caveat) = caveat {
                    let ink = Ink { role: Role::Text, size: 18.0, fill: light("ink-2") };
                    let face = Face { role: ink.role, size: ink.size };
                    let fitted = fit(paint.glyphs, face, caveat, FACTS - 56.0 - LEFT);
                    paint.text(ink, (LEFT, top + STAMP + 122.0 + CAVEAT - 6.0), &fitted);
                }
            }
            Self::Sentence { size, lines } => {
                let mut y = top + STAMP + 18.0 + size;
                for line in lines {
                    paint.text(Ink { role: Role::Head, size: *size, fill: light("ink") }, (LEFT, y), line);
                    y += size * 1.5;
                }
            }
        }
    }
}

/// How firmly the recommendation stands, in a double frame; where it ends.
fn stamp(paint: &mut Paint<'_>, text: &CardText, top: f64) -> f64 {
    let firm = text.gain.is_some();
    let (ink, frame) = if firm { (light("gold-text"), light("d-rec")) } else { (light("ink"), light("rule-2")) };
    let words = Ink { role: Role::Strong, size: 19.0, fill: ink };
    let width = paint.glyphs.width(words.role, text.standing, words.size) + 28.0;
    paint.frame((LEFT, top), (width, STAMP), frame);
    if firm {
        paint.frame((LEFT + 4.0, top + 4.0), (width - 8.0, STAMP - 8.0), frame);
    }
    paint.text(words, (LEFT + 14.0, top + 25.0), text.standing);
    LEFT + width
}

fn draw_gain(paint: &mut Paint<'_>, lang: Lang, gain: &CardGain, (top, stamp_end): (f64, f64)) {
    let edge = FACTS - 44.0;
    let what = Ink { role: Role::Text, size: 21.0, fill: light("ink-2") };
    let face = Face { role: what.role, size: what.size };
    let about = fit(paint.glyphs, face, &format!("{} · {}", gain.goal, gain.profile), edge - stamp_end - 18.0);
    paint.text(what, (stamp_end + 18.0, top + 25.0), &about);

    let baseline = top + STAMP + 102.0;
    let small = Ink { role: Role::Text, size: 19.0, fill: light("ink-2") };
    let glyphs = paint.glyphs;
    let wide = |text: &str| glyphs.width(small.role, text, small.size);
    let remarks: Vec<&str> =
        std::iter::once(gain.basis).chain(gain.reported.as_deref()).chain(gain.noise.as_deref()).collect();
    let word = 34.0 + glyphs.width(Role::Strong, gain.word, WORD);
    let beside = remarks.iter().map(|text| wide(text)).fold(word, f64::max);
    let (size, figure) = match &gain.figure {
        Some(figure) => {
            let fits = |size: &f64| LEFT + glyphs.width(Role::Strong, figure, *size) + BESIDE + beside <= edge;
            (FIGURE.into_iter().find(fits).unwrap_or(FIGURE[FIGURE.len() - 1]), figure.as_str())
        }
        None => (52.0, gain.word),
    };
    let big = Ink { role: Role::Strong, size, fill: light("ink") };
    let width = paint.glyphs.width(big.role, figure, size);
    streak(paint, gain, (LEFT, baseline), width);
    let x = paint.text(big, (LEFT, baseline), figure) + BESIDE;
    if gain.figure.is_none() {
        return;
    }
    // As on the page: what may be luck is outlined, and never coloured as a gain.
    let color = match gain.verdict {
        Verdict::Better | Verdict::Worse if gain.unproven => light("ink"),
        Verdict::Better => light("better"),
        Verdict::Worse => light("worse"),
        Verdict::Neutral | Verdict::WithinNoise | Verdict::Unknown | Verdict::NotComparable => light("flat"),
    };
    let forms: Vec<&str> = std::iter::once(gain.basis).chain(gain.reported.as_deref()).collect();
    let together = forms.join(phrase::separator(lang));
    let mut said: Vec<&str> = if wide(&together) <= edge - x { vec![&together] } else { forms };
    said.extend(gain.noise.as_deref());
    // The verdict first, then a line each, standing on the figure's baseline.
    let pitch = 25.0;
    let first = baseline - pitch * said.len() as f64;
    paint.icon(icon::verdict(gain.verdict, gain.unproven), 16.0, (x, first - 21.0), 24.0, color);
    paint.text(Ink { role: Role::Strong, size: WORD, fill: color }, (x + 34.0, first), gain.word);
    for (at, line) in said.iter().enumerate() {
        let face = Face { role: small.role, size: small.size };
        let fitted = fit(paint.glyphs, face, line, edge - x);
        paint.text(small, (x, first + pitch * (at + 1) as f64), &fitted);
    }
}

/// The mark that the recommended setting leaves on the stone: gold where it is better, hollow where that may be luck, grey
/// where nothing is proven.
fn streak(paint: &mut Paint<'_>, gain: &CardGain, (x, baseline): (f64, f64), width: f64) {
    let (left, right, top, bottom) = (x - 8.0, x + width + 10.0, baseline - 16.0, baseline + 10.0);
    let d = format!(
        "M{} {}L{} {}L{} {}L{} {}z",
        num(left),
        num(bottom),
        num(left + 12.0),
        num(top + 5.0),
        num(right),
        num(top),
        num(right - 12.0),
        num(bottom - 4.0)
    );
    match gain.verdict {
        Verdict::Better if gain.unproven => paint.outline(&d, light("streak")),
        Verdict::Better => paint.path(&d, light("streak")),
        Verdict::Worse | Verdict::Neutral | Verdict::WithinNoise | Verdict::Unknown | Verdict::NotComparable => {
            paint.path(&d, light("d-noise"));
        }
    }
}

impl Fact {
    fn of(glyphs: &Glyphs, lang: Lang, fact: &CardFact) -> Self {
        let room = RIGHT - FACTS;
        let set = |size| Self { label: fact.label, size, lines: fact_lines(glyphs, lang, fact, size, room) };
        let smallest = FACT[FACT.len() - 1];
        FACT.into_iter().map(set).find(|fact| fact.lines.len() <= 2).unwrap_or_else(|| set(smallest))
    }

    fn height(&self) -> f64 {
        LABEL + self.size * 1.36 * self.lines.len() as f64
    }

    fn draw(&self, paint: &mut Paint<'_>, top: f64) {
        let label = Ink { role: Role::Text, size: 17.0, fill: light("ink-3") };
        paint.text(label, (FACTS, top + 17.0), self.label);
        let mut y = top + LABEL + self.size;
        for line in &self.lines {
            let mut x = FACTS;
            for (name, text) in line {
                let (role, fill) = fact_ink(*name);
                x = paint.text(Ink { role, size: self.size, fill }, (x, y), text);
                x += space_after(paint.glyphs, *name, text, self.size);
            }
            y += self.size * 1.36;
        }
    }
}

fn fact_ink(name: bool) -> (Role, &'static str) {
    if name { (Role::Strong, light("ink")) } else { (Role::Text, light("ink-2")) }
}

/// Japanese marks bring their own room.
fn space_after(glyphs: &Glyphs, name: bool, text: &str, size: f64) -> f64 {
    if text.ends_with('、') { 0.0 } else { glyphs.width(fact_ink(name).0, " ", size) }
}

/// The name is cut where it must be, a figure never: at worst it stands on a line of its own.
fn fact_lines(glyphs: &Glyphs, lang: Lang, fact: &CardFact, size: f64, room: f64) -> Vec<Vec<(bool, String)>> {
    let name = fact.profile.as_deref().map(|name| (true, fit(glyphs, Face { role: Role::Strong, size }, name, room)));
    let last = fact.parts.len().saturating_sub(1);
    let separator = phrase::separator(lang).trim_end();
    let parts = fact.parts.iter().enumerate().map(|(at, part)| match at < last {
        true => (false, format!("{part}{separator}")),
        false => (false, part.clone()),
    });
    let width = |(name, text): &(bool, String)| glyphs.width(fact_ink(*name).0, text, size);
    let mut lines: Vec<Vec<(bool, String)>> = vec![Vec::new()];
    let mut used = 0.0;
    for piece in name.into_iter().chain(parts) {
        let wide = width(&piece);
        let line = lines.last_mut().expect("there is always a line");
        let space = line.last().map_or(0.0, |(name, text)| space_after(glyphs, *name, text, size));
        if line.is_empty() || used + space + wide <= room {
            used += space + wide;
            line.push(piece);
        } else {
            used = wide;
            lines.push(vec![piece]);
        }
    }
    lines
}

/// The black stone.
struct Plate {
    height: f64,
    command: Option<Setting>,
    /// What gold means: beside the first line where that leaves room, else under the last.
    key: Option<Key>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Key {
    Beside,
    Under,
}

fn plate(glyphs: &Glyphs, lang: Lang, text: &CardText, room: f64) -> Option<Plate> {
    if text.command.is_empty() {
        // Something is recommended, but nobody named the engine or the model.
        let missing = text.gain.is_some();
        return missing.then_some(Plate { height: 2.0 * PLATE_PADDING + 34.0, command: None, key: None });
    }
    let width = ROOM - INSET;
    let setting = |room| command::set(glyphs, lang, &text.command, (width, room));
    let plate = |setting: Setting, key: Option<Key>| {
        let under = if key == Some(Key::Under) { KEY } else { 0.0 };
        Some(Plate { height: setting.height() + 2.0 * PLATE_PADDING + under, command: Some(setting), key })
    };
    if !text.command.iter().any(|line| line.added) {
        return plate(setting(room), None);
    }
    let first = setting(room);
    let key = 14.0 + KEY + glyphs.width(Role::Text, card_labels(lang).added, KEY_SIZE);
    let beside = first.lines.first().is_some_and(|line| line_width(glyphs, line, first.size) + key <= width);
    if beside { plate(first, Some(Key::Beside)) } else { plate(setting(room - KEY), Some(Key::Under)) }
}

impl Plate {
    fn draw(&self, paint: &mut Paint<'_>, lang: Lang) {
        let top = f64::from(HEIGHT) - self.height;
        paint.rect((0.0, top), (f64::from(WIDTH), self.height), light("stone"));
        let words = card_labels(lang);
        let Some(setting) = &self.command else {
            let ink = Ink { role: Role::Text, size: 24.0, fill: light("on-stone-2") };
            paint.text(ink, (LEFT, top + self.height / 2.0 + 8.0), words.no_command);
            return;
        };
        let under = if self.key == Some(Key::Under) { KEY } else { 0.0 };
        let first = top + (self.height - setting.height() - under) / 2.0 + setting.size * 1.06;
        for (at, line) in setting.lines.iter().enumerate() {
            command_line(paint, setting, line, first + setting.pitch * at as f64);
        }
        let y = match self.key {
            None => return,
            Some(Key::Beside) => first,
            Some(Key::Under) => f64::from(HEIGHT) - PLATE_PADDING + 2.0,
        };
        let ink = Ink { role: Role::Text, size: KEY_SIZE, fill: light("on-stone-2") };
        let width = paint.glyphs.width(ink.role, words.added, ink.size);
        paint.rect((RIGHT - width - 14.0, y - 15.0), (4.0, 19.0), light("streak"));
        paint.text_before(ink, (RIGHT, y), words.added);
    }
}

fn command_line(paint: &mut Paint<'_>, setting: &Setting, line: &Line, y: f64) {
    let mut x = LEFT + INSET + indent(line, setting.size);
    if line.pieces.iter().any(|piece| piece.added) {
        paint.rect((LEFT, y - setting.size * 0.86), (4.0, setting.size * 1.12), light("streak"));
    }
    for piece in &line.pieces {
        let fill = match (piece.remark, piece.added) {
            (true, _) => light("on-stone-2"),
            (false, true) => "#fff",
            (false, false) => light("on-stone"),
        };
        // A space that opens a piece is room, not text: SVG viewers disagree about it.
        let lead: String = piece.text.chars().take_while(|c| *c == ' ').collect();
        let start = x + paint.glyphs.width(role(piece), &lead, setting.size);
        let ink = Ink { role: role(piece), size: setting.size, fill };
        paint.text(ink, (start, y), piece.text.trim_start());
        x += piece_width(paint.glyphs, piece, setting.size);
    }
    if line.continued {
        let ink = Ink { role: Role::Mono, size: setting.size, fill: light("on-stone-2") };
        paint.text(ink, (x + setting.size * 0.6, y), "\\");
    }
}
