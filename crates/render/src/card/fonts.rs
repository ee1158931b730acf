//! The system's fonts: which face draws a character, and how wide it is. Nothing of a font stays in memory: faces are
//! known by name, and their files are mapped while they are read.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Once, OnceLock};

use resvg::usvg::fontdb::{Database, Family, ID, Query, Stretch, Style, Weight};
use skrifa::instance::{LocationRef, Size};
use skrifa::{FontRef, MetadataProvider as _};

use crate::chart::measure;

/// What a text is set in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Role {
    /// Titles: serif.
    Head,
    /// Sans-serif.
    Text,
    /// The same, bold.
    Strong,
    /// Commands.
    Mono,
    /// The same, bold.
    MonoStrong,
}

/// Our preference among what systems have: Noto (Debian's and most containers'), then what macOS, Windows and Japanese
/// distributions bring. DejaVu comes last, being wide.
const SANS: [&str; 21] = [
    "Noto Sans CJK JP",
    "Noto Sans JP",
    "Source Han Sans JP",
    "Source Han Sans",
    "Hiragino Sans",
    "Hiragino Kaku Gothic ProN",
    "BIZ UDPGothic",
    "Yu Gothic UI",
    "Yu Gothic",
    "Meiryo",
    "IPAexGothic",
    "IPAPGothic",
    "IPAGothic",
    "VL PGothic",
    "TakaoPGothic",
    "Noto Sans",
    "Segoe UI",
    "Helvetica Neue",
    "Liberation Sans",
    "Arial",
    "DejaVu Sans",
];
const SERIF: [&str; 14] = [
    "Noto Serif CJK JP",
    "Noto Serif JP",
    "Source Han Serif JP",
    "Source Han Serif",
    "Hiragino Mincho ProN",
    "BIZ UDPMincho",
    "Yu Mincho",
    "IPAexMincho",
    "IPAPMincho",
    "IPAMincho",
    "Noto Serif",
    "Georgia",
    "Liberation Serif",
    "DejaVu Serif",
];
const MONO: [&str; 9] = [
    "DejaVu Sans Mono",
    "Noto Sans Mono",
    "Menlo",
    "Cascadia Mono",
    "Consolas",
    "Liberation Mono",
    "Courier New",
    "Noto Sans Mono CJK JP",
    "Noto Sans CJK JP",
];

impl Role {
    pub(crate) const ALL: [Self; 5] = [Self::Head, Self::Text, Self::Strong, Self::Mono, Self::MonoStrong];

    fn families(self) -> impl Iterator<Item = &'static str> {
        let (first, then): (&[&str], &[&str]) = match self {
            // A title without a serif is set in the sans-serif that the rest has.
            Self::Head => (&SERIF, &SANS),
            Self::Text | Self::Strong => (&SANS, &SERIF),
            Self::Mono | Self::MonoStrong => (&MONO, &SANS),
        };
        first.iter().chain(then).copied()
    }

    /// As CSS names it, where no face is known.
    pub(crate) const fn generic(self) -> &'static str {
        match self {
            Self::Head => "serif",
            Self::Text | Self::Strong => "sans-serif",
            Self::Mono | Self::MonoStrong => "monospace",
        }
    }

    pub(crate) const fn weight(self) -> u16 {
        match self {
            Self::Text | Self::Mono => 400,
            Self::Head | Self::Strong | Self::MonoStrong => 700,
        }
    }

    /// Where a character is in no face, in em.
    fn estimate(self, c: char) -> f64 {
        match self {
            Self::Mono | Self::MonoStrong if c.is_ascii() => 0.602,
            _ => measure::width(c.encode_utf8(&mut [0; 4]), 1.0),
        }
    }
}

/// Faces that can be drawn with.
#[derive(Clone)]
pub struct Fonts {
    pub(crate) faces: Arc<Database>,
}

static SYSTEM: OnceLock<Fonts> = OnceLock::new();

impl Fonts {
    /// Those of this machine. The first call reads the names in every font file, which takes a while: not for an async
    /// thread.
    pub fn system() -> &'static Self {
        SYSTEM.get_or_init(|| {
            let mut faces = Database::new();
            faces.load_system_fonts();
            Self { faces: Arc::new(faces) }
        })
    }

    /// Whether a card can be drawn on this machine; none while nobody has asked for [`Fonts::system`].
    pub fn known() -> Option<bool> {
        static USABLE: OnceLock<bool> = OnceLock::new();
        let system = SYSTEM.get()?;
        Some(*USABLE.get_or_init(|| system.usable()))
    }

    /// The same where one cannot wait: as long as it is not known, yes, and somebody goes to see.
    pub fn likely() -> bool {
        static ASKED: Once = Once::new();
        Self::known().unwrap_or_else(|| {
            ASKED.call_once(|| drop(std::thread::spawn(Self::system)));
            true
        })
    }

    /// No fonts: what a machine without any has.
    #[must_use]
    pub fn none() -> Self {
        Self { faces: Arc::new(Database::new()) }
    }

    /// The faces of these families only.
    #[must_use]
    pub fn only(&self, families: &[&str]) -> Self {
        let mut faces = (*self.faces).clone();
        let other = |face: &&resvg::usvg::fontdb::FaceInfo| {
            face.families.iter().all(|(name, _)| !families.contains(&name.as_str()))
        };
        let others: Vec<ID> = self.faces.faces().filter(other).map(|face| face.id).collect();
        others.into_iter().for_each(|id| faces.remove_face(id));
        Self { faces: Arc::new(faces) }
    }

    /// Whether Latin can be drawn: what every card has.
    #[must_use]
    pub fn usable(&self) -> bool {
        let latin: String = (' '..='~').collect();
        Glyphs::of(self, &latin).covers(&latin)
    }

    /// The face of a family and weight, as a picture names it.
    pub(crate) fn face(&self, family: &str, weight: u16) -> Option<ID> {
        let families = [Family::Name(family)];
        let query =
            Query { families: &families, weight: Weight(weight), stretch: Stretch::Normal, style: Style::Normal };
        self.faces.query(&query)
    }
}

/// A character in a role.
#[derive(Debug, Clone, Copy)]
struct Glyph {
    /// Its face, by place in [`Glyphs::families`]; none where no face has it.
    face: Option<usize>,
    /// Its advance, em.
    advance: f64,
}

/// The characters of a text, in every role.
pub(crate) struct Glyphs {
    families: Vec<String>,
    known: BTreeMap<(Role, char), Glyph>,
    /// Whether nothing is known of faces, so that widths are estimates and nothing is left out.
    estimated: bool,
}

impl Glyphs {
    /// Looks up what `text` needs.
    pub(crate) fn of(fonts: &Fonts, text: &str) -> Self {
        let mut glyphs = Self { families: Vec::new(), known: BTreeMap::new(), estimated: false };
        // The ellipsis is ours, wherever a text is cut.
        let wanted: BTreeSet<char> = text.chars().chain(['…', ' ']).collect();
        for role in Role::ALL {
            let mut missing = wanted.clone();
            for family in role.families() {
                glyphs.look(fonts, role, family, &mut missing);
            }
        }
        let open: BTreeSet<char> = wanted.iter().copied().filter(|c| !glyphs.has(Role::Text, *c)).collect();
        glyphs.anywhere(fonts, open);
        glyphs
    }

    /// Widths by averages, for a picture that is drawn where its fonts are not known.
    pub(crate) fn estimates() -> Self {
        Self { families: Vec::new(), known: BTreeMap::new(), estimated: true }
    }

    /// Takes from `missing` what the family has.
    fn look(&mut self, fonts: &Fonts, role: Role, family: &str, missing: &mut BTreeSet<char>) {
        if missing.is_empty() {
            return;
        }
        let Some(id) = fonts.face(family, role.weight()) else { return };
        let place = self.families.iter().position(|known| known == family).unwrap_or(self.families.len());
        let found = advances(fonts, id, missing);
        if found.is_empty() {
            return;
        }
        if place == self.families.len() {
            self.families.push(family.to_owned());
        }
        for (c, advance) in found {
            missing.remove(&c);
            self.known.insert((role, c), Glyph { face: Some(place), advance });
        }
    }

    /// Characters that no family of ours has: any upright face will do, the first by name.
    fn anywhere(&mut self, fonts: &Fonts, mut missing: BTreeSet<char>) {
        if missing.is_empty() {
            return;
        }
        let upright = fonts.faces.faces().filter(|face| face.style == Style::Normal && face.stretch == Stretch::Normal);
        let families: BTreeSet<&str> =
            upright.filter_map(|face| face.families.first()).map(|(name, _)| name.as_str()).collect();
        for family in families {
            let before = missing.clone();
            self.look(fonts, Role::Text, family, &mut missing);
            for role in Role::ALL.into_iter().filter(|role| *role != Role::Text) {
                let mut found: BTreeSet<char> = before.difference(&missing).copied().collect();
                found.retain(|c| !self.has(role, *c));
                self.look(fonts, role, family, &mut found);
            }
        }
    }

    fn has(&self, role: Role, c: char) -> bool {
        self.estimated || c.is_whitespace() || self.known.contains_key(&(role, c))
    }

    /// Whether every character of a text can be drawn, in every role.
    pub(crate) fn covers(&self, text: &str) -> bool {
        text.chars().all(|c| Role::ALL.iter().all(|role| self.has(*role, c)))
    }

    /// A text without what no face has: an ellipsis stands for it, so that nobody takes the rest for the whole.
    pub(crate) fn legible(&self, role: Role, text: &str) -> String {
        let mut out = String::with_capacity(text.len());
        for c in text.chars() {
            match self.has(role, c) {
                true => out.push(c),
                false if out.ends_with('…') => {}
                false => out.push('…'),
            }
        }
        out
    }

    /// How wide a text is at a font size.
    pub(crate) fn width(&self, role: Role, text: &str, size: f64) -> f64 {
        let advance = |c| self.known.get(&(role, c)).map_or_else(|| role.estimate(c), |glyph| glyph.advance);
        text.chars().map(advance).sum::<f64>() * size
    }

    /// A text in pieces of one face each, with the family's name. What no face has stays with its neighbours.
    pub(crate) fn pieces<'a>(&self, role: Role, text: &'a str) -> Vec<(&str, &'a str)> {
        let mut pieces: Vec<(Option<usize>, std::ops::Range<usize>)> = Vec::new();
        for (at, c) in text.char_indices() {
            let face = self.known.get(&(role, c)).and_then(|glyph| glyph.face);
            // A space belongs to whatever stands before it.
            let joins = |(open, _): &&mut (Option<usize>, _)| *open == face || face.is_none() || c == ' ';
            match pieces.last_mut().filter(joins) {
                Some((_, range)) => range.end = at + c.len_utf8(),
                None => pieces.push((face, at..at + c.len_utf8())),
            }
        }
        let name = |face: Option<usize>| face.map_or(role.generic(), |face| self.families[face].as_str());
        pieces.into_iter().map(|(face, range)| (name(face), &text[range])).collect()
    }
}

/// Which of these characters a face can draw, and how wide each is, em. Bitmaps and empty boxes do not count.
fn advances(fonts: &Fonts, id: ID, wanted: &BTreeSet<char>) -> Vec<(char, f64)> {
    /// At which size widths are read: font units are about that fine.
    const PPEM: f32 = 1000.0;
    let read = |data: &[u8], index: u32| {
        let Ok(font) = FontRef::from_index(data, index) else { return Vec::new() };
        let (map, outlines) = (font.charmap(), font.outline_glyphs());
        let metrics = font.glyph_metrics(Size::new(PPEM), LocationRef::default());
        let of = |c: char| {
            let glyph = map.map(c).filter(|glyph| glyph.to_u32() != 0)?;
            outlines.get(glyph)?;
            Some((c, f64::from(metrics.advance_width(glyph)? / PPEM)))
        };
        wanted.iter().copied().filter_map(of).collect()
    };
    fonts.faces.with_face_data(id, read).unwrap_or_default()
}
