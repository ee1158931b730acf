//! CSV and the tables behind it: figures as the report has them, absent cells empty, nothing that calculates.

use std::collections::BTreeMap;

use insta::assert_snapshot;

use crate::made::{Made, run};
use crate::studies;
use touchstone_domain::metric::Metric;
use touchstone_domain::report::csv::csv;
use touchstone_domain::report::table::{Cell, Kind, table};
use touchstone_domain::report::{self, Report};
use touchstone_domain::study::{Localized, StudyData};
use touchstone_domain::text::Lang;

fn seeds() -> [Report; 2] {
    [studies::QWEN3, studies::QWEN35].map(|slug| report::build(&studies::study(slug).data))
}

/// What a reader of RFC 4180 makes of it, without the byte order mark.
fn read(text: &str) -> (Vec<String>, Vec<BTreeMap<String, String>>) {
    let text = text.strip_prefix('\u{feff}').expect("it begins with a byte order mark");
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    let head: Vec<String> = reader.headers().expect("it has a heading").iter().map(str::to_owned).collect();
    let rows = reader.records().map(|row| {
        let row = row.expect("every row has as many cells as the heading");
        head.iter().cloned().zip(row.iter().map(str::to_owned)).collect()
    });
    let rows = rows.collect();
    (head, rows)
}

#[test]
fn a_csv_holds_the_figures_of_the_report() {
    for report in seeds() {
        let (_, rows) = read(&csv(&report, Kind::Runs, Lang::En));
        assert_eq!(rows.len(), report.runs.len());
        for (row, run) in rows.iter().zip(&report.runs) {
            let number = |heading: &str| {
                let cell = row.get(heading).unwrap_or_else(|| panic!("no column {heading}: {row:?}"));
                (!cell.is_empty()).then(|| cell.parse::<f64>().expect(heading))
            };
            assert_eq!(number("Total TPS (reported, tok/s)"), Metric::TotalTps.of(&run.metrics));
            assert_eq!(number("Total TPS (recomputed, tok/s)"), run.recomputed.get(Metric::TotalTps));
            assert_eq!(number("Successful requests"), run.metrics.successful_requests.map(|n| n as f64));
            let p99 = Metric::Latency(touchstone_domain::metrics::Latency::Ttft, touchstone_domain::metrics::Stat::P99);
            assert_eq!(number("P99 TTFT (reported, ms)"), p99.of(&run.metrics));
            assert_eq!(row["SHA-256"], run.digest.as_str());
            assert_eq!(row["Run ID"], run.id.as_str());
        }
    }
}

#[test]
fn tables_read_like_this() {
    let [report, _] = seeds();
    for kind in [Kind::Conclusion, Kind::Options, Kind::Findings] {
        for lang in Lang::ALL {
            assert_snapshot!(format!("{}-{lang}", kind.key()), csv(&report, kind, lang).replace('\r', ""));
        }
    }
    for lang in Lang::ALL {
        let first: Vec<String> = csv(&report, Kind::Runs, lang).lines().take(3).map(str::to_owned).collect();
        assert_snapshot!(format!("runs-{lang}"), first.join("\n"));
    }
}

#[test]
fn every_table_is_whole_in_both_languages() {
    for report in seeds() {
        for kind in Kind::ALL {
            let [ja, en] = Lang::ALL.map(|lang| table(&report, kind, lang));
            assert_eq!(ja.rows.len(), en.rows.len());
            assert!(!ja.rows.is_empty(), "{kind:?}");
            for table in [&ja, &en] {
                let mut headings: Vec<&str> = table.columns.iter().map(|column| column.heading.as_str()).collect();
                assert!(table.rows.iter().all(|row| row.len() == headings.len()));
                headings.sort_unstable();
                headings.dedup();
                assert_eq!(headings.len(), table.columns.len(), "{kind:?}: two columns have one heading");
            }
            // Figures are the same whatever the language.
            for (ja, en) in ja.rows.iter().flatten().zip(en.rows.iter().flatten()) {
                match (ja, en) {
                    (Cell::Number(ja), Cell::Number(en)) => assert_eq!(ja, en),
                    (Cell::Absent, Cell::Absent) | (Cell::Text(_), Cell::Text(_)) => {}
                    (ja, en) => panic!("{kind:?}: {ja:?} is {en:?}"),
                }
            }
        }
    }
}

fn odd(title: &str) -> StudyData {
    let mut data = Made::of(&[run("base", "chat", 1000.0), run("a", "chat", 1100.0)]).data();
    data.study.title = Localized::same(title);
    for profile in &mut data.study.profiles {
        profile.name = Localized::same(title);
    }
    for variant in &mut data.study.variants {
        variant.name = Some(Localized::same(title));
        variant.args.insert(0, title.to_owned());
    }
    for run in &mut data.runs {
        run.file = title.to_owned();
        run.start = Some(title.to_owned());
    }
    data
}

#[test]
fn no_text_is_a_formula_and_every_text_is_read_back() {
    let long = "試".repeat(140);
    let titles = [
        "=HYPERLINK(\"http://evil.example/\",\"click\")",
        "a|b<script>alert(1)</script>",
        &long,
        "+1",
        "-1+1",
        "@SUM(A1)",
        "\t=1",
        "＝1+1",
        "two\nlines, \"quoted\"",
        " space ",
    ];
    for title in titles {
        let report = report::build(&odd(title));
        for (kind, lang) in Kind::ALL.into_iter().zip(Lang::ALL.into_iter().cycle()) {
            let text = csv(&report, kind, lang);
            assert!(text.ends_with("\r\n"));
            let lone = text.replace("\r\n", "").contains('\r');
            assert!(!lone, "a line ends with CR LF");
            let (_, rows) = read(&text);
            for (heading, cell) in rows.iter().flatten() {
                let calculates = cell.starts_with(['=', '+', '-', '@', '\t', '\r', '\n', '＝', '＋', '－', '＠']);
                assert!(!calculates || cell.parse::<f64>().is_ok(), "{heading}: {cell}");
            }
        }
        let (_, rows) = read(&csv(&report, Kind::Runs, Lang::En));
        let file = rows[0]["File"].as_str();
        assert_eq!(file.strip_prefix('\'').unwrap_or(file), title);
        // A change below zero stays a number.
        let (_, rows) = read(&csv(&report, Kind::Options, Lang::En));
        assert_eq!(rows.len(), 1);
    }
}

#[test]
fn a_negative_change_is_a_number() {
    let data = Made::of(&[run("base", "chat", 1000.0), run("a", "chat", 900.0)]).data();
    let (_, rows) = read(&csv(&report::build(&data), Kind::Runs, Lang::En));
    let heading = "Change of the objective against the baseline (recomputed, %)";
    let change: f64 = rows[1][heading].parse().expect("it is a number");
    assert!((change + 10.0).abs() < 0.1, "{change}");
    assert_eq!(rows[0][heading], "", "the baseline is not set against itself");
}

#[test]
fn a_study_without_runs_has_headings_only() {
    let mut data = Made::of(&[run("base", "chat", 1000.0)]).data();
    data.runs.clear();
    let report = report::build(&data);
    for kind in [Kind::Runs, Kind::Conclusion] {
        let (head, rows) = read(&csv(&report, kind, Lang::Ja));
        assert!(head.len() > 5 && rows.is_empty(), "{kind:?}");
    }
}

#[test]
fn what_was_not_measured_is_empty_and_never_zero() {
    let mut data = Made::of(&[run("base", "chat", 1000.0)]).data();
    data.runs[0].measurement.metrics = touchstone_domain::metrics::Metrics::default();
    let (_, rows) = read(&csv(&report::build(&data), Kind::Runs, Lang::En));
    for heading in ["Total TPS (reported, tok/s)", "Total TPS (recomputed, tok/s)", "P99 E2EL (reported, ms)"] {
        assert_eq!(rows[0][heading], "", "{heading}");
    }
}
