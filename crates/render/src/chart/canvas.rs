//! plotters draws on this: a backend that writes classes where plotters has colours, in tenths of a unit because plotters
//! has whole pixels. plotters' own SVG backend writes colours and measures Japanese by bytes.

use std::convert::Infallible;

use plotters::style::{Color, RGBAColor, ShapeStyle, TextStyle};
use plotters_backend::text_anchor::{HPos, Pos, VPos};
use plotters_backend::{BackendColor, BackendCoord, BackendStyle, BackendTextStyle, DrawingBackend, DrawingErrorKind};

use super::measure;
use crate::svg::{Anchor, Svg};

/// plotters' pixels in a unit.
const TENTHS: f64 = 10.0;

/// A position in plotters' pixels.
pub(super) fn tenths(units: f64) -> i32 {
    (units * TENTHS).round() as i32
}

/// What a mark is. plotters carries it as a colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub(super) enum Ink {
    Grid,
    Axis,
    /// The printed figure.
    Tick,
    /// A bar of the baseline, of the recommended variant.
    Base,
    Rec,
    /// The same, where the load set the figure.
    BaseStriped,
    RecStriped,
    /// The same, where only the printed figure is known.
    BaseOpen,
    RecOpen,
    /// In place of a bar: not measured.
    Missing,
    /// A cross over a bar: disqualified.
    Cross,
    /// Texts: a name, what stands under it, a warning there, a scale, a figure, a printed figure, words for an absent one.
    Name,
    Sub,
    Warning,
    Scale,
    Value,
    Printed,
    Absent,
}

impl Ink {
    const ALL: [Self; 18] = [
        Self::Grid,
        Self::Axis,
        Self::Tick,
        Self::Base,
        Self::Rec,
        Self::BaseStriped,
        Self::RecStriped,
        Self::BaseOpen,
        Self::RecOpen,
        Self::Missing,
        Self::Cross,
        Self::Name,
        Self::Sub,
        Self::Warning,
        Self::Scale,
        Self::Value,
        Self::Printed,
        Self::Absent,
    ];

    const fn class(self) -> &'static str {
        match self {
            Self::Grid => "grid",
            Self::Axis => "axis",
            Self::Tick => "tick",
            Self::Base => "base",
            Self::Rec => "rec",
            Self::BaseStriped => "base-o",
            Self::RecStriped => "rec-o",
            Self::BaseOpen => "base-o none dash",
            Self::RecOpen => "rec-o none dash",
            Self::Missing => "mute dash",
            Self::Cross => "cross",
            Self::Name => "name",
            Self::Sub => "sub",
            Self::Warning => "sub warn",
            Self::Scale => "sub",
            Self::Value => "val",
            Self::Printed => "rep",
            Self::Absent => "rep",
        }
    }

    /// Which stripes fill it.
    const fn stripes(self) -> Option<Series> {
        match self {
            Self::BaseStriped => Some(Series::Baseline),
            Self::RecStriped => Some(Series::Recommended),
            Self::Grid | Self::Axis | Self::Tick | Self::Base | Self::Rec | Self::BaseOpen | Self::RecOpen => None,
            Self::Missing | Self::Cross | Self::Name | Self::Sub | Self::Warning | Self::Scale => None,
            Self::Value | Self::Printed | Self::Absent => None,
        }
    }

    fn of(color: BackendColor) -> Self {
        Self::ALL.into_iter().find(|ink| *ink as u8 == color.rgb.0).unwrap_or(Self::Absent)
    }

    fn color(self) -> RGBAColor {
        RGBAColor(self as u8, 0, 0, 1.0)
    }

    /// A line or an area of this ink.
    pub(super) fn shape(self) -> ShapeStyle {
        ShapeStyle { color: self.color(), filled: true, stroke_width: 1 }
    }

    /// A text of this ink, standing on its baseline.
    pub(super) fn text(self, size: f64, anchor: Anchor) -> TextStyle<'static> {
        let horizontal = match anchor {
            Anchor::Start => HPos::Left,
            Anchor::Middle => HPos::Center,
            Anchor::End => HPos::Right,
        };
        let mut style = TextStyle::from(("sans-serif", size * TENTHS)).pos(Pos::new(horizontal, VPos::Bottom));
        style.color = self.color().to_backend_color();
        style
    }
}

/// Whose bar.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Series {
    Baseline,
    Recommended,
}

/// plotters' way into an [`Svg`].
pub(super) struct Canvas<'a> {
    svg: &'a mut Svg,
    size: (u32, u32),
    /// Ids of the stripes: the baseline's and the recommended variant's.
    stripes: [&'a str; 2],
}

impl<'a> Canvas<'a> {
    pub(super) fn new(svg: &'a mut Svg, width: f64, height: f64, stripes: [&'a str; 2]) -> Self {
        Self { svg, size: (tenths(width).unsigned_abs(), tenths(height).unsigned_abs()), stripes }
    }
}

fn units((x, y): BackendCoord) -> (f64, f64) {
    (f64::from(x) / TENTHS, f64::from(y) / TENTHS)
}

type Drawn = Result<(), DrawingErrorKind<Infallible>>;

impl DrawingBackend for Canvas<'_> {
    type ErrorType = Infallible;

    fn get_size(&self) -> (u32, u32) {
        self.size
    }

    fn ensure_prepared(&mut self) -> Drawn {
        Ok(())
    }

    fn present(&mut self) -> Drawn {
        Ok(())
    }

    fn draw_pixel(&mut self, point: BackendCoord, color: BackendColor) -> Drawn {
        self.svg.rect(Ink::of(color).class(), units(point), (0.1, 0.1), None);
        Ok(())
    }

    fn draw_line<S: BackendStyle>(&mut self, from: BackendCoord, to: BackendCoord, style: &S) -> Drawn {
        self.svg.line(Ink::of(style.color()).class(), units(from), units(to));
        Ok(())
    }

    fn draw_rect<S: BackendStyle>(&mut self, a: BackendCoord, b: BackendCoord, style: &S, _fill: bool) -> Drawn {
        let ink = Ink::of(style.color());
        let ((ax, ay), (bx, by)) = (units(a), units(b));
        let pattern = ink.stripes().map(|series| self.stripes[series as usize]);
        self.svg.rect(ink.class(), (ax.min(bx), ay.min(by)), ((ax - bx).abs(), (ay - by).abs()), pattern);
        Ok(())
    }

    fn draw_path<S: BackendStyle, I: IntoIterator<Item = BackendCoord>>(&mut self, path: I, style: &S) -> Drawn {
        let points: Vec<_> = path.into_iter().collect();
        for pair in points.windows(2) {
            self.draw_line(pair[0], pair[1], style)?;
        }
        Ok(())
    }

    fn draw_text<T: BackendTextStyle>(&mut self, text: &str, style: &T, at: BackendCoord) -> Drawn {
        let anchor = match style.anchor().h_pos {
            HPos::Left => Anchor::Start,
            HPos::Center => Anchor::Middle,
            HPos::Right => Anchor::End,
        };
        self.svg.text(Ink::of(style.color()).class(), units(at), anchor, text);
        Ok(())
    }

    fn estimate_text_size<T: BackendTextStyle>(
        &self,
        text: &str,
        style: &T,
    ) -> Result<(u32, u32), DrawingErrorKind<Infallible>> {
        Ok((measure::width(text, style.size()) as u32, style.size() as u32))
    }
}
