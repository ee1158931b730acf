//! Workbooks, taken apart again as any reader of the format would.

use std::fs;
use std::io::{Cursor, Read as _};
use std::path::Path;

use domain::report::table::{Cell, Kind, table};
use domain::report::{self, Report};
use domain::study::{Localized, StudyData, load};
use domain::text::Lang;
use touchstone_render::workbook;

const AT: i64 = 1_796_000_000_000;

fn data(slug: &str) -> StudyData {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../server/demo").join(slug);
    let manifest = fs::read_to_string(folder.join("study.toml")).expect("a workbook as it should be");
    load(&manifest, |file| fs::read(folder.join(file)).map_err(|error| error.to_string()))
        .expect("a workbook as it should be")
        .data
}

/// The files inside, in their order.
fn files(bytes: &[u8]) -> Vec<(String, String)> {
    let mut archive = zip::ZipArchive::new(Cursor::new(bytes)).expect("a workbook as it should be");
    let names = (0..archive.len()).map(|at| {
        let mut file = archive.by_index(at).expect("a workbook as it should be");
        let mut text = String::new();
        file.read_to_string(&mut text).expect("a workbook as it should be");
        (file.name().expect("a workbook as it should be").into_owned(), text)
    });
    names.collect()
}

/// A sheet's cells by their address: text or number.
fn cells(files: &[(String, String)], sheet: usize) -> Vec<(String, Result<String, f64>)> {
    let of = |name: &str| &files.iter().find(|(file, _)| file == name).unwrap_or_else(|| panic!("no {name}")).1;
    let shared = roxmltree::Document::parse(of("xl/sharedStrings.xml")).expect("a workbook as it should be");
    let shared: Vec<String> = shared
        .descendants()
        .filter(|node| node.has_tag_name("si"))
        .map(|item| item.descendants().filter(|node| node.is_text()).filter_map(|node| node.text()).collect())
        .collect();
    let sheet =
        roxmltree::Document::parse(of(&format!("xl/worksheets/sheet{sheet}.xml"))).expect("a workbook as it should be");
    let cells = sheet.descendants().filter(|node| node.has_tag_name("c")).filter_map(|cell| {
        assert!(!cell.descendants().any(|node| node.has_tag_name("f")), "a formula: {cell:?}");
        let value = cell.descendants().find(|node| node.has_tag_name("v"))?.text()?;
        let value = match cell.attribute("t") {
            Some("s") => Ok(shared[value.parse::<usize>().expect("a workbook as it should be")].clone()),
            _ => Err(value.parse().expect("a workbook as it should be")),
        };
        Some((cell.attribute("r").expect("a workbook as it should be").to_owned(), value))
    });
    cells.collect()
}

fn assert_holds(report: &Report, lang: Lang) {
    let bytes = workbook(report, lang, AT).expect("a workbook as it should be");
    assert_eq!(bytes, workbook(report, lang, AT).expect("a workbook as it should be"), "same report, same bytes");
    let files = files(&bytes);
    for (at, kind) in (2..).zip(Kind::ALL) {
        let table = table(report, kind, lang);
        let written: Vec<Cell> = cells(&files, at)
            .into_iter()
            .skip(table.columns.len())
            .map(|(_, value)| value.map_or_else(Cell::Number, Cell::Text))
            .collect();
        let expected: Vec<Cell> = table.rows.into_iter().flatten().filter(|cell| *cell != Cell::Absent).collect();
        assert_eq!(written, expected, "{kind:?} {lang}");
    }
}

#[test]
fn every_sheet_holds_its_table_and_the_same_report_gives_the_same_bytes() {
    for slug in ["qwen3-14b-h100", "qwen3.5-9b-h100"] {
        let report = report::build(&data(slug));
        for lang in Lang::ALL {
            assert_holds(&report, lang);
        }
    }
}

#[test]
fn headings_are_frozen_and_figures_have_formats() {
    let report = report::build(&data("qwen3-14b-h100"));
    let files = files(&workbook(&report, Lang::En, AT).expect("a workbook as it should be"));
    let of = |name: &str| &files.iter().find(|(file, _)| file == name).expect("a workbook as it should be").1;
    for sheet in 2..=5 {
        let text = of(&format!("xl/worksheets/sheet{sheet}.xml"));
        assert!(text.contains("<pane ySplit=\"1\""), "{text}");
        assert!(text.contains("<autoFilter"), "{text}");
    }
    let styles = of("xl/styles.xml");
    assert!(styles.contains("formatCode=\"+#,##0.0;-#,##0.0;#,##0.0\""), "{styles}");
    assert!(of("docProps/core.xml").contains("2026-11-30T00:53:20Z"), "{}", of("docProps/core.xml"));
}

#[test]
fn a_text_stays_a_text_whatever_it_is() {
    let long = "試".repeat(140);
    let huge = "x".repeat(40_000);
    for title in
        ["=HYPERLINK(\"http://evil.example\")", "a|b<script>", &long, "-1", "http://evil.example/", "\u{b}x\u{1}"]
    {
        let mut data = data("qwen3-14b-h100");
        data.study.title = Localized::same(title);
        for variant in &mut data.study.variants {
            variant.name = Some(Localized::same(title));
            variant.args.push(title.to_owned());
        }
        let report = report::build(&data);
        let files = files(&workbook(&report, Lang::En, AT).expect("a workbook as it should be"));
        let first = cells(&files, 1);
        assert_eq!(first[1].1.as_deref().ok().map(|text| text.contains('x') || text == title), Some(true), "{first:?}");
        assert!(!files.iter().any(|(_, text)| text.contains("<hyperlink")));
    }
    let mut data = data("qwen3-14b-h100");
    data.study.title = Localized::same(&huge);
    assert!(workbook(&report::build(&data), Lang::En, AT).is_ok());
}

#[test]
fn a_study_without_runs_has_its_sheets() {
    let mut data = data("qwen3-14b-h100");
    data.runs.clear();
    assert_holds(&report::build(&data), Lang::Ja);
}
