//! A report as a workbook (XLSX): the tables of `domain::report::table`, a sheet each, after a sheet that sums up.
//!
//! Invariants: a figure is a number with a format, so that it can be sorted and added; a text is a text, whatever it begins
//! with; nothing in the file tells when or where it was written, so the same report gives the same bytes.

use domain::report::Report;
use domain::report::table::{Cell, Kind, Show, Table, table};
use domain::text::{self, Lang, export_labels, labels, phrase};
use rust_xlsxwriter::{Color, DocProperties, ExcelDateTime, Format, FormatAlign, FormatBorder, Workbook, Worksheet};

pub use rust_xlsxwriter::XlsxError as WorkbookError;

/// The most characters (UTF-16) that a cell can hold.
const MOST_IN_CELL: usize = 32_767;
/// Widths of columns, in digits of the standard font.
const NARROWEST: usize = 8;
const WIDEST: usize = 40;
/// Sentences are wrapped at this width.
const SENTENCE: usize = 80;
/// A heading wraps rather than widening its column; the column is wide enough for its parts.
const HEADING_LINES: usize = 3;

/// Writes the workbook. `updated_at` is the last change of the study, milliseconds since 1970 UTC; the file says that it was
/// made then.
///
/// # Errors
///
/// A table that has more rows than a sheet can hold (1,048,576).
pub fn workbook(report: &Report, lang: Lang, updated_at: i64) -> Result<Vec<u8>, WorkbookError> {
    let mut book = Workbook::new();
    let made = ExcelDateTime::from_timestamp(updated_at.div_euclid(1000))?;
    let title = cut(report.title.get(lang));
    book.set_properties(&DocProperties::new().set_title(title).set_author("Touchstone").set_creation_datetime(&made));
    summary(book.add_worksheet(), report, lang, updated_at)?;
    for kind in Kind::ALL {
        sheet(book.add_worksheet(), &table(report, kind, lang), lang)?;
    }
    book.save_to_buffer()
}

fn heading() -> Format {
    Format::new()
        .set_bold()
        .set_text_wrap()
        .set_align(FormatAlign::Top)
        .set_background_color(Color::RGB(0xEE_EF_EB))
        .set_border_bottom(FormatBorder::Thin)
}

/// What the report says first, in two columns.
fn summary(sheet: &mut Worksheet, report: &Report, lang: Lang, updated_at: i64) -> Result<(), WorkbookError> {
    let (words, own) = (labels(lang), export_labels(lang));
    let conclusion = text::conclusion(lang, report);
    let name = |id: &domain::id::VariantId| text::variant_name(lang, report, id).plain();
    let command = report.conclusion.command.as_ref().map(|command| command.text.clone());
    let engines = report.engines.iter().map(|used| {
        let version = used.version.as_deref().unwrap_or(words.not_recorded);
        format!("{} {version}", phrase::engine(lang, &used.engine))
    });
    let mut rows: Vec<(&str, String)> = vec![
        (own.title, report.title.get(lang).to_owned()),
        (own.slug, report.slug.to_string()),
        (own.updated, phrase::instant(lang, updated_at)),
        (words.model, phrase::model(lang, &report.model.id).to_owned()),
        (words.gpu, phrase::hardware(lang, &report.hardware)),
        (words.engines, engines.collect::<Vec<_>>().join(words.comma)),
        (words.conclusion, conclusion.headline.plain()),
        (words.baseline, name(&report.conclusion.baseline)),
    ];
    rows.extend(report.conclusion.recommended.as_ref().map(|id| (words.recommended, name(id))));
    rows.extend(command.map(|command| (words.serving_command, command)));
    let said = [
        (words.noise, &conclusion.noise),
        (words.got_worse, &conclusion.got_worse),
        (words.wrong_choice, &conclusion.wrong_choice),
    ];
    rows.extend(said.into_iter().flat_map(|(name, sentences)| sentences.iter().map(move |one| (name, one.plain()))));
    rows.extend(text::method(lang, report).iter().map(|one| (words.method, one.plain())));
    sheet.set_name(own.summary)?;
    sheet.set_column_width(0, 28)?;
    sheet.set_column_width(1, 100)?;
    let (label, wrapped) = (heading(), Format::new().set_text_wrap().set_align(FormatAlign::Top));
    for ((row, (name, value)), before) in (0..).zip(&rows).zip(std::iter::once("").chain(rows.iter().map(|row| row.0)))
    {
        // A label that goes on is written once.
        let name = if *name == before { "" } else { name };
        sheet.write_string_with_format(row, 0, name, &label)?;
        sheet.write_string_with_format(row, 1, cut(value), &wrapped)?;
    }
    Ok(())
}

fn sheet(sheet: &mut Worksheet, table: &Table, lang: Lang) -> Result<(), WorkbookError> {
    sheet.set_name(export_labels(lang).table(table.kind))?;
    let bold = heading();
    for (at, column) in (0_u16..).zip(&table.columns) {
        let format = format(column.show);
        let cells = table.rows.iter().map(|row| &row[usize::from(at)]);
        sheet.set_column_width(at, width(&column.heading, column.show, cells) as f64)?;
        sheet.write_string_with_format(0, at, cut(&column.heading), &bold)?;
        for (row, cells) in (1..).zip(&table.rows) {
            match &cells[usize::from(at)] {
                Cell::Absent => {}
                Cell::Number(value) => _ = sheet.write_number_with_format(row, at, *value, &format)?,
                Cell::Text(text) => _ = sheet.write_string_with_format(row, at, cut(text), &format)?,
            }
        }
    }
    sheet.set_freeze_panes(1, 0)?;
    if let (Some(row), Some(column)) = (last(table.rows.len()), last(table.columns.len())) {
        sheet.autofilter(0, 0, row + 1, u16::try_from(column).unwrap_or(u16::MAX))?;
    }
    Ok(())
}

fn last(count: usize) -> Option<u32> {
    u32::try_from(count.checked_sub(1)?).ok()
}

fn format(show: Show) -> Format {
    let top = Format::new().set_align(FormatAlign::Top);
    let decimals = |decimals: u8| match decimals {
        0 => String::new(),
        some => format!(".{}", "0".repeat(usize::from(some))),
    };
    match show {
        Show::Words => top,
        Show::Sentence => top.set_text_wrap(),
        Show::Count => top.set_num_format("#,##0"),
        Show::Figure(places) => top.set_num_format(format!("#,##0{}", decimals(places))),
        Show::Change(places) => {
            let number = format!("#,##0{}", decimals(places));
            top.set_num_format(format!("+{number};-{number};{number}"))
        }
    }
}

/// Wide enough for what is in the column, within limits.
fn width<'a>(heading: &str, show: Show, cells: impl Iterator<Item = &'a Cell>) -> usize {
    let of_cells = cells.map(|cell| match cell {
        Cell::Absent => 0,
        Cell::Text(text) => text.lines().map(columns).max().unwrap_or(0),
        // Grouped, with two decimals and a sign.
        Cell::Number(value) => 6 + value.abs().max(1.0).log10().floor() as usize * 4 / 3,
    });
    let widest = if show == Show::Sentence { SENTENCE } else { WIDEST };
    let of_heading = columns(heading).div_ceil(HEADING_LINES);
    (of_cells.max().unwrap_or(0).max(of_heading) + 2).clamp(NARROWEST, widest)
}

/// Ideographs take the room of two digits.
fn columns(text: &str) -> usize {
    text.chars().map(|c| if c >= '\u{2e80}' { 2 } else { 1 }).sum()
}

/// As much of a text as a cell can hold.
fn cut(text: &str) -> String {
    let mut units = 0;
    let fits = |c: &char| {
        units += c.len_utf16();
        units <= MOST_IN_CELL
    };
    text.chars().take_while(fits).collect()
}
