//! The upload page's sentences with figures in them: how much was read, masked, left out and stored.

use super::upload_labels;
use crate::metrics::Stat;
use crate::text::number::{count, percentile, short};
use crate::text::{Lang, labels, phrase};

/// `3 files`.
#[must_use]
pub fn files(lang: Lang, n: usize) -> String {
    match lang {
        Lang::En => format!("{} {}", count(n as u64), if n == 1 { "file" } else { "files" }),
        Lang::Ja => format!("ファイル{}件", count(n as u64)),
    }
}

/// `1.6 KB`, in thousands as file managers show it.
#[must_use]
pub fn size(bytes: u64) -> String {
    let scaled = |unit: f64, name: &str| format!("{}\u{a0}{name}", short(bytes as f64 / unit, 1));
    match bytes {
        0..1_000 => format!("{bytes}\u{a0}B"),
        1_000..1_000_000 => scaled(1e3, "KB"),
        1_000_000..1_000_000_000 => scaled(1e6, "MB"),
        _ => scaled(1e9, "GB"),
    }
}

/// What a file's head says: `2 runs, 4 doubts`.
#[must_use]
pub fn sum(lang: Lang, runs: usize, doubts: usize, left_out: usize) -> String {
    let runs = phrase::runs(lang, runs);
    let mut text = match (lang, doubts) {
        (_, 0) => runs,
        (Lang::En, 1) => format!("{runs}, 1 doubt"),
        (Lang::En, n) => format!("{runs}, {} doubts", count(n as u64)),
        (Lang::Ja, n) => format!("{runs}、疑問{}件", count(n as u64)),
    };
    if left_out > 0 {
        text += match lang {
            Lang::En => ", ",
            Lang::Ja => "、",
        };
        text += &results_left_out(lang, left_out);
    }
    text
}

/// How many results of a file cannot be read: `1 result left out`.
#[must_use]
pub fn results_left_out(lang: Lang, n: usize) -> String {
    match lang {
        Lang::En if n == 1 => "1 result left out".to_owned(),
        Lang::En => format!("{} results left out", count(n as u64)),
        Lang::Ja => format!("除外した結果{}件", count(n as u64)),
    }
}

/// In front of the reason why a result was left out.
#[must_use]
pub const fn left_out_label(lang: Lang) -> &'static str {
    match lang {
        Lang::En => "left out",
        Lang::Ja => "除外",
    }
}

/// How many results of a file are not shown.
#[must_use]
pub fn more_results(lang: Lang, n: usize) -> String {
    match lang {
        Lang::En if n == 1 => "1 more result will be stored, too.".to_owned(),
        Lang::En => format!("{} more results will be stored, too.", count(n as u64)),
        Lang::Ja => format!("ほかに{}件の結果も登録します。", count(n as u64)),
    }
}

/// How many remarks are not shown.
#[must_use]
pub fn more_warnings(lang: Lang, n: usize) -> String {
    match lang {
        Lang::En => format!("{} more", count(n as u64)),
        Lang::Ja => format!("ほか{}件", count(n as u64)),
    }
}

/// The results of a file that a finding is about, in front of its sentence; nothing where the file has one result.
#[must_use]
pub fn results(lang: Lang, numbers: &[usize], all: usize) -> String {
    const NAMED: usize = 6;
    if all == 1 {
        return String::new();
    }
    let named: Vec<String> = numbers.iter().take(NAMED).map(usize::to_string).collect();
    let rest = if numbers.len() > NAMED { " …" } else { "" };
    let list = named.join(phrase::separator(lang)) + rest;
    match lang {
        Lang::En if numbers.len() == 1 => format!("Result {list}: "),
        Lang::En => format!("Results {list}: "),
        Lang::Ja => format!("結果{list}："),
    }
}

/// Where a result with several load points stands: `Result 3`.
#[must_use]
pub fn result(lang: Lang, number: usize) -> String {
    match lang {
        Lang::En => format!("Result {number}"),
        Lang::Ja => format!("結果{number}"),
    }
}

/// How many secrets were masked.
#[must_use]
pub fn secrets(lang: Lang, n: usize) -> String {
    match lang {
        Lang::En if n == 1 => "1 secret was masked".to_owned(),
        Lang::En => format!("{} secrets were masked", count(n as u64)),
        Lang::Ja => format!("秘密情報{}件を伏せ字にしました", count(n as u64)),
    }
}

/// What saving will do. `left_out` are files.
#[must_use]
pub fn will_store(lang: Lang, runs: usize, disqualified: usize, left_out: usize) -> String {
    let mut text = match lang {
        Lang::En => format!("{} will be stored", phrase::runs(lang, runs)),
        Lang::Ja => format!("{}を登録します", phrase::runs(lang, runs)),
    };
    if disqualified > 0 {
        text += &match lang {
            Lang::En => format!(", {} of them disqualified", count(disqualified as u64)),
            Lang::Ja => format!("（うち失格{}件）", count(disqualified as u64)),
        };
    }
    text += match lang {
        Lang::En => ".",
        Lang::Ja => "。",
    };
    if left_out > 0 {
        text += &match lang {
            Lang::En if left_out == 1 => " 1 file is left out.".to_owned(),
            Lang::En => format!(" {} files are left out.", count(left_out as u64)),
            Lang::Ja => format!("{}は登録しません。", files(lang, left_out)),
        };
    }
    text
}

/// The button that saves.
#[must_use]
pub fn save(lang: Lang, runs: usize) -> String {
    match lang {
        Lang::En => format!("Save {}", phrase::runs(lang, runs)),
        Lang::Ja => format!("{}を保存", phrase::runs(lang, runs)),
    }
}

/// What was saved. `before` of the runs were there already; `rejected` are files, `left_out` results in files with others.
#[must_use]
pub fn stored(lang: Lang, new: usize, before: usize, rejected: usize, left_out: usize) -> String {
    let mut parts = Vec::new();
    match lang {
        Lang::En => {
            if new > 0 || before == 0 {
                parts.push(format!("{} stored.", phrase::runs(lang, new)));
            }
            if before > 0 {
                let verb = if before == 1 { "was" } else { "were" };
                parts.push(format!("{} {verb} already there; nothing was doubled.", phrase::runs(lang, before)));
            }
            if rejected > 0 {
                let verb = if rejected == 1 { "was" } else { "were" };
                parts.push(format!("{} {verb} not taken.", files(lang, rejected)));
            }
            if left_out > 0 {
                parts.push(format!("{}.", results_left_out(lang, left_out)));
            }
            parts.join(" ")
        }
        Lang::Ja => {
            if new > 0 || before == 0 {
                parts.push(format!("{}を登録しました。", phrase::runs(lang, new)));
            }
            if before > 0 {
                parts.push(format!("{}はすでに登録されていたため、重複していません。", phrase::runs(lang, before)));
            }
            if rejected > 0 {
                parts.push(format!("{}は登録していません。", files(lang, rejected)));
            }
            if left_out > 0 {
                parts.push(format!("読み取れなかった結果{}件は除外しました。", count(left_out as u64)));
            }
            parts.concat()
        }
    }
}

/// A statistic alone, as the head of a column.
#[must_use]
pub fn stat(lang: Lang, of: Stat) -> String {
    match (lang, of) {
        (Lang::En, Stat::Mean) => "Mean".to_owned(),
        (Lang::En, Stat::Median) => "Median".to_owned(),
        (Lang::En, Stat::Std) => "SD".to_owned(),
        (Lang::En, Stat::Min) => "Min".to_owned(),
        (Lang::En, Stat::Max) => "Max".to_owned(),
        (Lang::Ja, Stat::Mean) => "平均".to_owned(),
        (Lang::Ja, Stat::Median) => "中央値".to_owned(),
        (Lang::Ja, Stat::Std) => "標準偏差".to_owned(),
        (Lang::Ja, Stat::Min) => "最小".to_owned(),
        (Lang::Ja, Stat::Max) => "最大".to_owned(),
        (_, of @ Stat::Percentile(_)) => percentile(of),
    }
}

/// How long reading took, and when the preview goes.
#[must_use]
pub fn read_in(lang: Lang, ms: u64) -> String {
    match lang {
        Lang::En => format!("Read in {}\u{a0}ms.", count(ms)),
        Lang::Ja => format!("読み取り時間：{}\u{a0}ms。", count(ms)),
    }
}

/// Until when a preview waits; the moment follows in English, stands inside in Japanese.
#[must_use]
pub const fn waits_until(lang: Lang) -> (&'static str, &'static str) {
    match lang {
        Lang::En => ("It waits here until ", "."),
        Lang::Ja => ("", "までここで待ちます。"),
    }
}

/// How many fields are wrong.
#[must_use]
pub fn faults(lang: Lang, n: usize) -> String {
    match lang {
        Lang::En if n == 1 => {
            "Nothing was stored: one thing is missing or wrong. What you entered is still there.".to_owned()
        }
        Lang::En => format!("Nothing was stored: {n} things are missing or wrong. What you entered is still there."),
        Lang::Ja => format!("不足や誤りが{n}件あるため、何も登録していません。入力した内容は残っています。"),
    }
}

/// What a text field's own label is called in a list of faults: `18.txt: Engine`.
#[must_use]
pub fn field(lang: Lang, name: &str) -> &'static str {
    let (words, own) = (labels(lang), upload_labels(lang));
    match name {
        "study" => words.study,
        "slug" => own.slug,
        "title" => own.study_title,
        "gpu" => words.gpu,
        "gpus" => own.gpus,
        "variant" => words.variant,
        "vid" => own.id,
        "engine" => words.engine,
        "version" => own.version,
        "model" => words.model,
        "args" => words.arguments,
        "profile" => words.profile,
        "pid" => own.id,
        "dataset" => words.dataset,
        "input" => words.input_tokens,
        "output" => words.output_tokens,
        "rate" => words.request_rate,
        "concurrency" => words.max_concurrency,
        "requests" => words.requests,
        "step" => words.step,
        "start" => own.start,
        _ => own.problem,
    }
}
