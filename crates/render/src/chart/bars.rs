//! Total TPS per profile, baseline × recommended: bars are recomputed, a tick stands at the printed figure.

use domain::report::Report;
use domain::text::chart::{BarsInWords, hatched, load, load_limited, noted, profiles as sentence, tick};
use domain::text::number::{grouped, signed_pct};
use domain::text::{Labels, Lang, labels};
use plotters::coord::types::{RangedCoordf64, RangedCoordi32};
use plotters::prelude::{
    Cartesian2d, DrawingArea, DrawingAreaErrorKind, IntoDrawingArea, PathElement, Rectangle, Text,
};

use super::canvas::{Canvas, Ink, Series, tenths};
use super::facts::{Row, Side, rows};
use super::{Legend, Width, measure, scale};
use crate::svg::{Anchor, Svg};

/// Shown where a figure is absent beside one that is not.
const ABSENT: &str = "–";
const BAR: f64 = 17.0;
const BETWEEN_BARS: f64 = 5.0;
/// The room over the first group: the heads of the columns.
const HEAD: f64 = 24.0;
/// The room under the last group: the scale.
const FOOT: f64 = 26.0;
const BETWEEN_COLUMNS: f64 = 14.0;

/// Draws the chart; none where no profile was measured on either side.
#[must_use]
pub fn profiles(report: &Report, lang: Lang, width: Width) -> Option<String> {
    let rows = rows(report);
    if rows.is_empty() {
        return None;
    }
    let words = labels(lang);
    let figures = Figures::new(&rows);
    let layout = Layout::new(&rows, lang, width, &figures, words);
    let class = format!("chart chart--profiles chart--{}", width.name());
    let label =
        sentence(lang, &rows.iter().map(|row| in_words(report, row, lang, words, &figures)).collect::<Vec<_>>());
    let ids = ["base", "rec"].map(|series| format!("chart-{}-{}-{series}", report.slug, width.name()));
    let mut svg = Svg::picture(&class, width.units(), layout.height, &label);
    if rows.iter().any(|row| row.load_limited) {
        svg.stripes(&ids[0], "base-stripes");
        svg.stripes(&ids[1], "rec-stripes");
    }
    let canvas = Canvas::new(&mut svg, width.units(), layout.height, [&ids[0], &ids[1]]);
    draw(canvas, &rows, lang, words, &layout, &figures).expect("drawing into a string cannot fail");
    Some(svg.finish())
}

/// The signs that the chart of this report uses.
#[must_use]
pub fn profiles_legend(report: &Report, lang: Lang) -> Vec<Legend> {
    let rows = rows(report);
    let words = labels(lang);
    let mut legend = Vec::new();
    let mut entry = |shown: bool, text, draw: &dyn Fn(&mut Svg)| {
        if shown {
            let mut svg = Svg::swatch("chart chart--key", 18.0, 14.0);
            draw(&mut svg);
            legend.push(Legend { swatch: svg.finish(), text });
        }
    };
    let block = |svg: &mut Svg, class| svg.rect(class, (1.0, 1.0), (16.0, 12.0), None);
    entry(!rows.is_empty(), words.baseline, &|svg| block(svg, "base"));
    entry(rows.iter().any(|row| row.recommended.is_some()), words.recommended, &|svg| block(svg, "rec"));
    // Drawn out, not a pattern: a swatch needs no id then.
    entry(rows.iter().any(|row| row.load_limited), hatched(lang), &|svg| {
        block(svg, "base-o none");
        svg.path("base-line", "M1 6L6 1M1 11L11 1M4 13L16 1M9 13L17 5M14 13L17 10");
    });
    let reported = rows.iter().flat_map(Row::sides).any(|side| side.reported.is_some());
    entry(reported, tick(lang), &|svg| svg.line("tick", (9.0, 0.0), (9.0, 14.0)));
    entry(rows.iter().any(Row::disqualified), words.disqualified, &|svg| svg.path("cross", "M4 2L14 12M14 2L4 12"));
    legend
}

/// How the chart's figures are written: alike in all rows, unless they lie too far apart for that.
struct Figures {
    decimals: Option<usize>,
    largest: f64,
}

impl Figures {
    fn new(rows: &[Row<'_>]) -> Self {
        let all = || rows.iter().flat_map(Row::sides).flat_map(|side| [side.recomputed, side.reported]).flatten();
        let largest = all().fold(0.0, f64::max);
        let smallest = all().filter(|value| *value > 0.0).fold(f64::INFINITY, f64::min);
        // Beyond five figures before and three behind the point, no reader compares columns digit by digit.
        let alike = largest / smallest < 1e5;
        Self { decimals: alike.then(|| scale::three_figures(smallest)), largest }
    }

    fn show(&self, value: Option<f64>) -> String {
        let decimals = |value| self.decimals.unwrap_or_else(|| scale::three_figures(value));
        value.map_or_else(|| ABSENT.to_owned(), |value| grouped(value, decimals(value)))
    }
}

/// Where things stand, in units.
struct Layout {
    /// Sizes of names and of all other text.
    name_size: f64,
    text_size: f64,
    /// Names stand over their bars, not left of them.
    names_above: bool,
    /// Where bars start, and where the longest ends.
    plot: (f64, f64),
    /// Right edges of the columns with figures; the second one holds printed figures.
    columns: (f64, Option<f64>),
    width: f64,
    height: f64,
    /// From the top of a group to its first bar, and to the next group.
    group: (f64, f64),
}

impl Layout {
    fn new(rows: &[Row<'_>], lang: Lang, width: Width, figures: &Figures, words: &Labels) -> Self {
        // A phone of 320 pixels shows the narrow chart at 85 %, and its text at 11 pixels still.
        let (name_size, text_size, names_above) = match width {
            Width::Wide => (13.0, 12.0, false),
            Width::Narrow => (14.0, 13.0, true),
        };
        let sides = || rows.iter().flat_map(Row::sides);
        let column = |head: &str, of: &dyn Fn(&Side) -> Option<f64>| {
            let figures = sides().map(|side| measure::width(&figures.show(of(side)), text_size) * 1.05);
            figures.fold(measure::width(head, text_size), f64::max).ceil()
        };
        let reported = sides().any(|side| side.reported.is_some());
        let reported = reported.then(|| column(words.reported, &|side| side.reported));
        let recomputed = column(words.recomputed, &|side| side.recomputed);
        let right = width.units() - 1.0;
        let first = right - reported.map_or(0.0, |column| column + BETWEEN_COLUMNS);
        let bars = rows.iter().map(|row| row.sides().count()).max().unwrap_or(1) as f64;
        let tall = bars * BAR + (bars - 1.0) * BETWEEN_BARS;
        let (left, top, pitch) = if names_above {
            (1.0, 26.0, 26.0 + tall + 12.0)
        } else {
            let names = rows.iter().map(|row| {
                let name = measure::width(row.profile.name.get(lang), name_size);
                name.max(under_name(row, lang, words).map_or(0.0, |(text, _)| measure::width(&text, text_size)))
            });
            // Two lines of names need the room of two bars.
            (names.fold(60.0, f64::max).min(176.0).ceil() + 13.0, 8.0, tall.max(34.0) + 23.0)
        };
        Self {
            name_size,
            text_size,
            names_above,
            plot: (left, first - recomputed - 20.0),
            columns: (first, reported.map(|_| right)),
            width: width.units(),
            height: HEAD + pitch * rows.len() as f64 + FOOT - 4.0,
            group: (top, pitch),
        }
    }

    fn top(&self, index: usize) -> f64 {
        HEAD + self.group.1 * index as f64
    }

    /// Where the axis ends.
    fn bottom(&self) -> f64 {
        self.height - FOOT + 4.0
    }
}

/// What stands under a profile's name, and whether it is a warning.
fn under_name(row: &Row<'_>, lang: Lang, words: &Labels) -> Option<(String, bool)> {
    if row.disqualified() {
        Some((words.disqualified.to_owned(), true))
    } else if row.load_limited {
        Some((load_limited(lang).to_owned(), false))
    } else {
        load(lang, row.profile, row.concurrency).map(|text| (text, false))
    }
}

fn in_words(report: &Report, row: &Row<'_>, lang: Lang, words: &Labels, figures: &Figures) -> BarsInWords {
    let side = |side: &Side| {
        let figure = match (side.recomputed, side.reported) {
            (Some(value), _) => figures.show(Some(value)),
            (None, Some(value)) => noted(lang, &figures.show(Some(value)), words.reported),
            (None, None) => words.not_measured.to_owned(),
        };
        if side.disqualified { noted(lang, &figure, words.disqualified) } else { figure }
    };
    let change = row.change.and_then(|change| {
        let pct = change.pct()?;
        Some((signed_pct(pct, usize::from(report.decimals)), change.verdict))
    });
    BarsInWords {
        profile: row.profile.name.get(lang).to_owned(),
        baseline: side(&row.baseline),
        recommended: row.recommended.as_ref().map(side),
        change,
    }
}

type Area<'a> = DrawingArea<Canvas<'a>, Cartesian2d<RangedCoordf64, RangedCoordi32>>;
type Drawn = Result<(), DrawingAreaErrorKind<std::convert::Infallible>>;

/// plotters' coordinates: tok/s across, tenths of a unit down.
fn draw(canvas: Canvas<'_>, rows: &[Row<'_>], lang: Lang, words: &Labels, layout: &Layout, figures: &Figures) -> Drawn {
    // Measured zeros only: any scale does.
    let largest = if figures.largest > 0.0 { figures.largest } else { 1.0 };
    let height = tenths(layout.height);
    let across = tenths(layout.plot.0)..tenths(layout.plot.1);
    let area =
        canvas.into_drawing_area().apply_coord_spec(Cartesian2d::new(0.0..largest, 0..height, (across, 0..height)));
    let pen = Pen { area: &area, layout, largest };
    pen.scale()?;
    pen.heads(words)?;
    for (index, row) in rows.iter().enumerate() {
        pen.name(row, layout.top(index), lang, words)?;
        let mut y = layout.top(index) + layout.group.0;
        for (series, side) in [Series::Baseline, Series::Recommended].into_iter().zip(row.sides()) {
            pen.bar(series, side, row.load_limited, y, words)?;
            pen.figures(side, y, figures)?;
            y += BAR + BETWEEN_BARS;
        }
    }
    Ok(())
}

struct Pen<'a> {
    area: &'a Area<'a>,
    layout: &'a Layout,
    largest: f64,
}

impl Pen<'_> {
    /// tok/s at a place: what plotters asks for where we know the place only.
    fn at(&self, x: f64) -> f64 {
        let (left, right) = self.layout.plot;
        (x - left) / (right - left) * self.largest
    }

    fn text(&self, ink: Ink, x: f64, y: f64, anchor: Anchor, text: &str) -> Drawn {
        let size = if ink == Ink::Name { self.layout.name_size } else { self.layout.text_size };
        self.area.draw(&Text::new(text, (self.at(x), tenths(y)), ink.text(size, anchor)))
    }

    fn line(&self, ink: Ink, from: (f64, f64), to: (f64, f64)) -> Drawn {
        self.area.draw(&PathElement::new([(from.0, tenths(from.1)), (to.0, tenths(to.1))], ink.shape()))
    }

    fn scale(&self) -> Drawn {
        let (top, bottom) = (HEAD - 8.0, self.layout.bottom());
        let unit = (self.layout.plot.1 - self.layout.plot.0) / self.largest;
        let label = |value: f64, step: f64| grouped(value, scale::decimals(step));
        let step = scale::step(self.largest, |step| {
            let widest = measure::width(&label(self.largest, step), self.layout.text_size);
            step * unit >= (widest + 24.0).max(72.0)
        });
        for value in scale::multiples(step, 0.0, self.largest) {
            let ink = if value == 0.0 { Ink::Axis } else { Ink::Grid };
            self.line(ink, (value, top), (value, bottom))?;
            let anchor = if value == 0.0 && self.layout.names_above { Anchor::Start } else { Anchor::Middle };
            let style = Ink::Scale.text(self.layout.text_size, anchor);
            self.area.draw(&Text::new(label(value, step), (value, tenths(bottom + 15.0)), style))?;
        }
        Ok(())
    }

    fn heads(&self, words: &Labels) -> Drawn {
        self.text(Ink::Scale, self.layout.plot.0, 11.0, Anchor::Start, "tok/s")?;
        self.text(Ink::Scale, self.layout.columns.0, 11.0, Anchor::End, words.recomputed)?;
        match self.layout.columns.1 {
            Some(x) => self.text(Ink::Scale, x, 11.0, Anchor::End, words.reported),
            None => Ok(()),
        }
    }

    fn name(&self, row: &Row<'_>, top: f64, lang: Lang, words: &Labels) -> Drawn {
        let name = row.profile.name.get(lang);
        let under = under_name(row, lang, words);
        let ink = |warning| if warning { Ink::Warning } else { Ink::Sub };
        let (name_size, text_size) = (self.layout.name_size, self.layout.text_size);
        if self.layout.names_above {
            let y = top + 18.0;
            let beside = under.as_ref().map_or(0.0, |(text, _)| measure::width(text, text_size) + 8.0);
            let name = measure::fit(name, name_size, self.layout.width - beside);
            self.text(Ink::Name, 0.0, y, Anchor::Start, &name)?;
            let Some((text, warning)) = under else { return Ok(()) };
            self.text(ink(warning), measure::width(&name, name_size) + 8.0, y, Anchor::Start, &text)
        } else {
            let right = self.layout.plot.0 - 12.0;
            let y = top + self.layout.group.0 + if row.recommended.is_some() { 16.0 } else { 8.0 };
            self.text(Ink::Name, right, y, Anchor::End, &measure::fit(name, name_size, right))?;
            let Some((text, warning)) = under else { return Ok(()) };
            self.text(ink(warning), right, y + 17.0, Anchor::End, &measure::fit(&text, text_size, right))
        }
    }

    fn bar(&self, series: Series, side: &Side, load_limited: bool, y: f64, words: &Labels) -> Drawn {
        let Some(end) = side.recomputed.or(side.reported) else {
            let (left, right) = self.layout.plot;
            self.line(Ink::Missing, (self.at(left), y + BAR / 2.0), (self.at(right), y + BAR / 2.0))?;
            return self.text(Ink::Absent, left + 8.0, y + BAR / 2.0 + 4.5, Anchor::Start, words.not_measured);
        };
        let ink = match (series, side.recomputed, load_limited) {
            (Series::Baseline, None, _) => Ink::BaseOpen,
            (Series::Recommended, None, _) => Ink::RecOpen,
            (Series::Baseline, Some(_), true) => Ink::BaseStriped,
            (Series::Recommended, Some(_), true) => Ink::RecStriped,
            (Series::Baseline, Some(_), false) => Ink::Base,
            (Series::Recommended, Some(_), false) => Ink::Rec,
        };
        self.area.draw(&Rectangle::new([(0.0, tenths(y)), (end, tenths(y + BAR))], ink.shape()))?;
        if let Some(reported) = side.reported {
            self.line(Ink::Tick, (reported, y - 1.5), (reported, y + BAR + 1.5))?;
        }
        if side.disqualified {
            let (arm, middle) = (5.0 * self.largest / (self.layout.plot.1 - self.layout.plot.0), y + BAR / 2.0);
            self.line(Ink::Cross, (end - arm, middle - 5.0), (end + arm, middle + 5.0))?;
            self.line(Ink::Cross, (end - arm, middle + 5.0), (end + arm, middle - 5.0))?;
        }
        Ok(())
    }

    fn figures(&self, side: &Side, y: f64, figures: &Figures) -> Drawn {
        if !side.measured() {
            return Ok(());
        }
        let y = y + BAR - 4.5;
        self.text(Ink::Value, self.layout.columns.0, y, Anchor::End, &figures.show(side.recomputed))?;
        match self.layout.columns.1 {
            Some(x) => self.text(Ink::Printed, x, y, Anchor::End, &figures.show(side.reported)),
            None => Ok(()),
        }
    }
}
