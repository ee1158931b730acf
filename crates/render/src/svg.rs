//! Writes SVG whose looks are classes. Every text is escaped and every number finite.

/// An SVG drawing under construction, in units of one CSS pixel at natural size.
pub(crate) struct Svg {
    out: String,
}

/// Where a text stands relative to its point.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Anchor {
    Start,
    Middle,
    End,
}

impl Svg {
    /// A picture that says in `label` what it shows.
    pub(crate) fn picture(class: &str, width: f64, height: f64, label: &str) -> Self {
        let mut svg = Self { out: String::with_capacity(2048) };
        svg.out.push_str("<svg class=\"");
        svg.out.push_str(class);
        svg.out.push_str(&format!("\" viewBox=\"0 0 {} {}\" role=\"img\" aria-label=\"", num(width), num(height)));
        escape_into(label, &mut svg.out);
        svg.out.push_str("\">");
        svg
    }

    /// A swatch that stands beside its meaning in words.
    pub(crate) fn swatch(class: &str, width: f64, height: f64) -> Self {
        let (width, height) = (num(width), num(height));
        Self { out: format!("<svg class=\"{class}\" viewBox=\"0 0 {width} {height}\" aria-hidden=\"true\">") }
    }

    /// Stripes of `class`, to be used as `fill` by this id.
    pub(crate) fn stripes(&mut self, id: &str, class: &str) {
        self.out.push_str("<pattern id=\"");
        escape_into(id, &mut self.out);
        self.out.push_str(&format!(
            "\" class=\"{class}\" width=\"6\" height=\"6\" patternUnits=\"userSpaceOnUse\" \
             patternTransform=\"rotate(45)\"><path d=\"M1.5 0V6\"/></pattern>"
        ));
    }

    pub(crate) fn line(&mut self, class: &str, from: (f64, f64), to: (f64, f64)) {
        let d = match (from, to) {
            ((x1, y1), (x2, y2)) if y1 == y2 => format!("M{} {}H{}", num(x1), num(y1), num(x2)),
            ((x1, y1), (x2, y2)) if x1 == x2 => format!("M{} {}V{}", num(x1), num(y1), num(y2)),
            ((x1, y1), (x2, y2)) => format!("M{} {}L{} {}", num(x1), num(y1), num(x2), num(y2)),
        };
        self.path(class, &d);
    }

    pub(crate) fn path(&mut self, class: &str, d: &str) {
        self.out.push_str(&format!("<path class=\"{class}\" d=\"{d}\"/>"));
    }

    /// A rectangle; `pattern` is the id of its stripes.
    pub(crate) fn rect(&mut self, class: &str, at: (f64, f64), size: (f64, f64), pattern: Option<&str>) {
        let (x, y, width, height) = (num(at.0), num(at.1), num(size.0.max(0.0)), num(size.1.max(0.0)));
        self.out
            .push_str(&format!("<rect class=\"{class}\" x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\""));
        if let Some(id) = pattern {
            self.out.push_str(" fill=\"url(#");
            escape_into(id, &mut self.out);
            self.out.push_str(")\"");
        }
        self.out.push_str("/>");
    }

    /// A text on its baseline.
    pub(crate) fn text(&mut self, class: &str, at: (f64, f64), anchor: Anchor, text: &str) {
        self.out.push_str(&format!("<text class=\"{class}\" x=\"{}\" y=\"{}\"", num(at.0), num(at.1)));
        match anchor {
            Anchor::Start => {}
            Anchor::Middle => self.out.push_str(" text-anchor=\"middle\""),
            Anchor::End => self.out.push_str(" text-anchor=\"end\""),
        }
        self.out.push('>');
        escape_into(text, &mut self.out);
        self.out.push_str("</text>");
    }

    pub(crate) fn finish(mut self) -> String {
        self.out.push_str("</svg>");
        self.out
    }
}

/// A coordinate with one decimal at most.
pub(crate) fn num(value: f64) -> String {
    debug_assert!(value.is_finite(), "only finite figures are drawn");
    let tenths = (value * 10.0).round();
    // A cast saturates, so that even a coordinate that should not exist is a number.
    let tenths = tenths as i64;
    if tenths % 10 == 0 { format!("{}", tenths / 10) } else { format!("{:.1}", tenths as f64 / 10.0) }
}

/// Text that can stand in an element or in a double-quoted attribute; what XML cannot hold is dropped.
pub(crate) fn escape_into(text: &str, out: &mut String) {
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            '\t' | '\n' | '\r' => out.push(' '),
            '\u{0}'..='\u{1f}' | '\u{7f}' | '\u{fffe}' | '\u{ffff}' => {}
            c => out.push(c),
        }
    }
}
