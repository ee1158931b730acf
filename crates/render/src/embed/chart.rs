//! The charts of a report, each a picture of its own: title, legend, drawing, and where it is from.

use domain::metric::Metric;
use domain::report::Report;
use domain::text::cards::{card_labels, change_in_words};
use domain::text::number::unit;
use domain::text::{Lang, labels, metric};

use super::{Theme, style};
use crate::chart::measure::{fit, width as text_width};
use crate::chart::{self, Width};
use crate::icon::MARK;
use crate::svg::{escape_into, num};

/// Units across: the drawing and its margins.
pub const WIDTH: f64 = 752.0;
const MARGIN: f64 = 16.0;
const INNER: f64 = WIDTH - 2.0 * MARGIN;
/// From the top to the baseline of the title.
const TITLE: f64 = 31.0;
/// A line of the legend.
const LEGEND: f64 = 22.0;
const FOOT: f64 = 34.0;

/// A chart that reports have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Chart {
    /// Baseline and recommended per profile.
    Profiles,
    /// The change per profile on one ruler.
    Gain,
}

impl Chart {
    /// All of them, in the report's order.
    pub const ALL: [Self; 2] = [Self::Gain, Self::Profiles];

    /// As in addresses.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Profiles => "profiles",
            Self::Gain => "gain",
        }
    }

    /// By its name in addresses.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|chart| chart.name() == name)
    }

    /// What it shows, as a title.
    #[must_use]
    pub fn title(self, lang: Lang) -> String {
        match self {
            Self::Profiles => format!("{} ({})", metric(lang, Metric::TotalTps), unit(Metric::TotalTps)),
            Self::Gain => card_labels(lang).gain_chart.to_owned(),
        }
    }

    /// Draws it; none where the report has nothing for it.
    #[must_use]
    pub fn svg(self, report: &Report, lang: Lang, theme: Theme) -> Option<Embedded> {
        let mut picture = Picture { body: String::new(), said: Vec::new(), y: TITLE };
        picture.text("head", MARGIN, &fit(&self.title(lang), 15.0, INNER));
        match self {
            Self::Profiles => picture.profiles(report, lang)?,
            Self::Gain => picture.gain(report, lang)?,
        }
        Some(picture.finish(report, lang, theme, &self.title(lang)))
    }
}

/// A file for other sites, and the style in it, which a content policy names by its digest.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Embedded {
    /// The whole file.
    pub body: String,
    /// What stands between its `<style>` tags.
    pub style: String,
}

struct Picture {
    body: String,
    /// What is drawn, in sentences; escaped.
    said: Vec<String>,
    /// How far down it reaches.
    y: f64,
}

impl Picture {
    fn profiles(&mut self, report: &Report, lang: Lang) -> Option<()> {
        let drawing = chart::profiles(report, lang, Width::Wide)?;
        let mut x = MARGIN;
        self.y += LEGEND;
        for entry in chart::profiles_legend(report, lang) {
            let wide = 18.0 + 6.0 + text_width(entry.text, 12.0) * 1.05;
            if x > MARGIN && x + wide > WIDTH - MARGIN {
                x = MARGIN;
                self.y += LEGEND - 3.0;
            }
            self.place(&entry.swatch, (x, self.y - 11.0), (18.0, 14.0));
            self.text("sub", x + 24.0, entry.text);
            x += wide + 18.0;
        }
        self.y += 12.0;
        let height = height_of(&drawing)?;
        self.place(&drawing, (MARGIN, self.y), (Width::Wide.units(), height));
        self.said.extend(label_of(&drawing));
        self.y += height;
        Some(())
    }

    fn gain(&mut self, report: &Report, lang: Lang) -> Option<()> {
        /// Where the strips stand: between names and figures.
        const STRIPS: f64 = 216.0;
        const FIGURES: f64 = 552.0;
        let scale = chart::gain_scale(report, lang);
        if scale.rows.is_empty() {
            return None;
        }
        self.y += 12.0;
        self.place(&scale.header, (STRIPS, self.y), (320.0, 28.0));
        self.text_at("sub", (MARGIN, self.y + 20.0), labels(lang).profile);
        self.text_at("sub", (FIGURES, self.y + 20.0), labels(lang).recomputed);
        self.y += 28.0;
        for ((profile, strip), row) in scale.rows.iter().zip(&report.conclusion.rows) {
            let (top, middle) = (self.y, self.y + 26.0);
            self.body.push_str(&format!(
                "<path class=\"grid\" d=\"M{} {}H{}\"/>",
                num(MARGIN),
                num(top),
                num(WIDTH - MARGIN)
            ));
            let name = report.profile(profile).map_or(profile.as_str(), |profile| profile.name.get(lang));
            self.text_at("name", (MARGIN, middle), &fit(name, 13.0, STRIPS - MARGIN - 10.0));
            self.place(strip, (STRIPS, top), (320.0, 44.0));
            let (figure, word, besides) = change_in_words(lang, report, &row.change);
            let line = if besides.is_some() { middle - 8.0 } else { middle };
            let mut x = FIGURES;
            if let Some(figure) = &figure {
                self.text_at("val", (x, line), figure);
                x += text_width(figure, 12.0) * 1.12 + 8.0;
            }
            self.text_at("word", (x, line), word);
            if let Some(besides) = &besides {
                self.text_at("foot", (FIGURES, middle + 9.0), besides);
            }
            self.said.extend(label_of(strip));
            self.y += 44.0;
        }
        Some(())
    }

    fn text(&mut self, class: &str, x: f64, text: &str) {
        self.text_at(class, (x, self.y), text);
    }

    fn text_at(&mut self, class: &str, at: (f64, f64), text: &str) {
        self.body.push_str(&format!("<text class=\"{class}\" x=\"{}\" y=\"{}\">", num(at.0), num(at.1)));
        escape_into(text, &mut self.body);
        self.body.push_str("</text>");
    }

    /// A drawing of its own inside this one. What it says is said once, by the whole.
    fn place(&mut self, drawing: &str, at: (f64, f64), size: (f64, f64)) {
        let (x, y, w, h) = (num(at.0), num(at.1), num(size.0), num(size.1));
        let start = format!("<svg x=\"{x}\" y=\"{y}\" width=\"{w}\" height=\"{h}\" ");
        self.body.push_str(&start);
        let rest = drawing.strip_prefix("<svg ").unwrap_or(drawing);
        match label_of(drawing) {
            Some(label) => {
                self.body.push_str(&rest.replacen(&format!(" role=\"img\" aria-label=\"{label}\""), "", 1));
            }
            None => self.body.push_str(rest),
        }
    }

    fn finish(mut self, report: &Report, lang: Lang, theme: Theme, title: &str) -> Embedded {
        let style = style::chart(lang, theme);
        let height = self.y + FOOT;
        self.y = height - 13.0;
        let (stone, streak) = MARK;
        self.body.push_str(&format!(
            "<g transform=\"translate({} {}) scale(.58)\"><path class=\"mark__stone\" d=\"{stone}\"/>\
             <path class=\"mark__streak\" d=\"{streak}\"/></g>",
            num(MARGIN - 1.0),
            num(self.y - 11.0)
        ));
        let from = format!("Touchstone · {}", report.title.get(lang));
        self.text("foot", MARGIN + 19.0, &fit(&from, 12.0, INNER - 19.0));
        let (w, h) = (num(WIDTH), num(height));
        let mut head = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"chart\" width=\"{w}\" height=\"{h}\" viewBox=\"0 0 {w} {h}\" \
             role=\"img\" lang=\"{}\" aria-labelledby=\"t d\"><title id=\"t\">",
            lang.code()
        );
        escape_into(&format!("{title} — {}", report.title.get(lang)), &mut head);
        head.push_str("</title><desc id=\"d\">");
        head.push_str(&self.said.join(" "));
        head.push_str("</desc><style>");
        head.push_str(&style);
        head.push_str(&format!(
            "</style><rect class=\"ground\" width=\"{w}\" height=\"{h}\"/><rect class=\"edge\" x=\".5\" y=\".5\" width=\"{}\" \
             height=\"{}\"/>",
            num(WIDTH - 1.0),
            num(height - 1.0)
        ));
        Embedded { body: format!("{head}{}</svg>", self.body), style }
    }
}

/// What a drawing says it shows, as it stands in its markup.
fn label_of(drawing: &str) -> Option<String> {
    let (_, after) = drawing.split_once("aria-label=\"")?;
    Some(after.split_once('"')?.0.to_owned())
}

/// How high a drawing of ours is: the last figure of its view box.
fn height_of(drawing: &str) -> Option<f64> {
    let (_, after) = drawing.split_once("viewBox=\"")?;
    after.split_once('"')?.0.rsplit(' ').next()?.parse().ok()
}
