//! Writes the card's SVG: presentation attributes only, so that it needs no style sheet.

use super::fonts::{Glyphs, Role};
use crate::svg::{escape_into, num};

/// A picture under construction.
pub(crate) struct Paint<'a> {
    out: String,
    pub(crate) glyphs: &'a Glyphs,
}

/// How a text is set.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Ink {
    pub(crate) role: Role,
    pub(crate) size: f64,
    pub(crate) fill: &'static str,
}

impl<'a> Paint<'a> {
    pub(crate) fn new(width: f64, height: f64, title: &str, lang: &str, glyphs: &'a Glyphs) -> Self {
        let (w, h) = (num(width), num(height));
        let mut out = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {w} {h}\" width=\"{w}\" height=\"{h}\" role=\"img\" \
             lang=\"{lang}\"><title>"
        );
        escape_into(title, &mut out);
        out.push_str("</title>");
        Self { out, glyphs }
    }

    pub(crate) fn rect(&mut self, at: (f64, f64), size: (f64, f64), fill: &str) {
        let (x, y, w, h) = (num(at.0), num(at.1), num(size.0), num(size.1));
        self.out.push_str(&format!("<rect x=\"{x}\" y=\"{y}\" width=\"{w}\" height=\"{h}\" fill=\"{fill}\"/>"));
    }

    pub(crate) fn frame(&mut self, at: (f64, f64), size: (f64, f64), stroke: &str) {
        let (x, y, w, h) = (num(at.0), num(at.1), num(size.0), num(size.1));
        self.out.push_str(&format!(
            "<rect x=\"{x}\" y=\"{y}\" width=\"{w}\" height=\"{h}\" fill=\"none\" stroke=\"{stroke}\" stroke-width=\"1.5\"/>"
        ));
    }

    pub(crate) fn path(&mut self, d: &str, fill: &str) {
        self.out.push_str(&format!("<path d=\"{d}\" fill=\"{fill}\"/>"));
    }

    pub(crate) fn outline(&mut self, d: &str, stroke: &str) {
        self.out.push_str(&format!(
            "<path d=\"{d}\" fill=\"none\" stroke=\"{stroke}\" stroke-width=\"3\" stroke-linejoin=\"round\"/>"
        ));
    }

    /// A drawing of ours, scaled to a square.
    pub(crate) fn icon(&mut self, drawing: &str, units: f64, at: (f64, f64), size: f64, color: &str) {
        let (x, y, scale) = (num(at.0), num(at.1), size / units);
        self.out.push_str(&format!(
            "<g transform=\"translate({x} {y}) scale({scale:.3})\" color=\"{color}\" fill=\"{color}\">{drawing}</g>"
        ));
    }

    /// A text on its baseline; where it ends.
    pub(crate) fn text(&mut self, ink: Ink, at: (f64, f64), text: &str) -> f64 {
        let width = self.glyphs.width(ink.role, text, ink.size);
        self.write(ink, at, text, "");
        at.0 + width
    }

    /// The same, ending at its point.
    pub(crate) fn text_before(&mut self, ink: Ink, at: (f64, f64), text: &str) {
        self.write(ink, at, text, " text-anchor=\"end\"");
    }

    fn write(&mut self, ink: Ink, at: (f64, f64), text: &str, anchor: &str) {
        let (x, y) = (num(at.0), num(at.1));
        let (size, weight, fill) = (num(ink.size), ink.role.weight(), ink.fill);
        self.out.push_str(&format!(
            "<text x=\"{x}\" y=\"{y}\" font-size=\"{size}\" font-weight=\"{weight}\" fill=\"{fill}\"{anchor} \
             xml:space=\"preserve\""
        ));
        let pieces = self.glyphs.pieces(ink.role, text);
        if let [(family, text)] = pieces.as_slice() {
            self.out.push_str(&format!(" font-family=\"{}\">", families(family, ink.role)));
            escape_into(text, &mut self.out);
        } else {
            self.out.push('>');
            for (family, text) in pieces {
                self.out.push_str(&format!("<tspan font-family=\"{}\">", families(family, ink.role)));
                escape_into(text, &mut self.out);
                self.out.push_str("</tspan>");
            }
        }
        self.out.push_str("</text>");
    }

    pub(crate) fn finish(mut self) -> String {
        self.out.push_str("</svg>");
        self.out
    }
}

/// The face that was measured, then whatever comes close.
fn families(family: &str, role: Role) -> String {
    if family == role.generic() {
        return family.to_owned();
    }
    let mut out = String::from("'");
    escape_into(&family.replace(['\'', '\\'], ""), &mut out);
    out.push_str("', ");
    out.push_str(role.generic());
    out
}
