//! Why a raw output cannot be read, for people: what was found, what was expected, what to do.

use serde::{Deserialize, Serialize};

use super::Lang;
use super::number::count;
use crate::parse::ParseError;

/// A file that cannot be read, in one language.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Unreadable {
    /// What is there.
    pub found: String,
    /// What could have been there.
    pub expected: Option<String>,
    /// What helps.
    pub advice: String,
}

/// An error of a reader in words. What a tool or a library says stays in its own language, as a quotation.
#[must_use]
pub fn unreadable(lang: Lang, error: &ParseError) -> Unreadable {
    let (found, expected, advice) = match lang {
        Lang::En => en(error),
        Lang::Ja => ja(error),
    };
    Unreadable { found, expected: expected.filter(|text| !text.is_empty()), advice }
}

type Words = (String, Option<String>, String);

fn en(error: &ParseError) -> Words {
    let words = |found: String, expected: &str, advice: &str| (found, Some(expected.to_owned()), advice.to_owned());
    match error {
        ParseError::Empty => words(
            "The file is empty.".to_owned(),
            "the output of a benchmark tool",
            "Check that the benchmark ran to its end and that its output went into this file.",
        ),
        ParseError::Binary { byte, .. } => words(
            format!("The byte {byte:#04x}, which is not text."),
            "the output of a benchmark tool: text, JSON, JSON lines, CSV, YAML or HTML",
            "Choose the result file itself. Files compressed with gzip or Zstandard are fine; other archives must be unpacked first.",
        ),
        ParseError::Source { reason } => words(
            format!("The file cannot be read to its end: {reason}"),
            "",
            "It may be damaged or cut off. Copy it again from the machine that made it.",
        ),
        ParseError::TooLarge { limit_mb, .. } => words(
            format!("More than {limit_mb} MB besides per-request data."),
            "a result as benchmark tools write it",
            "Choose the result file of the tool, not a log of everything.",
        ),
        ParseError::Json { reason, .. } => words(
            format!("JSON that cannot be read: {reason}"),
            "a complete JSON document",
            "The copy was probably made while the benchmark was still writing. Copy the file again.",
        ),
        ParseError::MissingPath { path, .. } => words(
            format!("A result without “{path}”."),
            "a result with this key; every result of this tool has it",
            "Check whether the benchmark ended early. If the tool is newer than Touchstone's reader, please report the file.",
        ),
        ParseError::BadPath { path, value, expected, .. } => words(
            format!("“{path}” is {value}."),
            expected,
            "Check whether the file was edited after the benchmark. Use the file as the tool wrote it.",
        ),
        ParseError::UnknownDocument { keys, .. } => words(
            format!("A document with the keys {keys}, which fit no known tool."),
            "the result file of a known benchmark tool",
            "Choose the tool's result file. Configuration and per-request files hold no result of their own.",
        ),
        ParseError::Yaml { reason, .. } => words(
            format!("YAML that cannot be read: {reason}"),
            "a benchmark report in YAML",
            "Copy the file again as the tool wrote it.",
        ),
        ParseError::TooManyRequests { limit, .. } => words(
            format!("More than {} requests of one load point.", count(*limit as u64)),
            "",
            "Use the tool's summary file instead of the list of requests.",
        ),
        ParseError::TooManyRuns { limit, .. } => words(
            format!("More than {} results in one file.", count(*limit as u64)),
            "",
            "Divide the file and upload the parts.",
        ),
        ParseError::NotAResult { found, instead, .. } => {
            (format!("{}.", capital(found)), None, format!("{}.", capital(instead)))
        }
        ParseError::NoResult => words(
            "Text without a benchmark result.".to_owned(),
            "the output of vllm bench serve, sglang.bench_serving, GuideLLM, AIPerf or another known tool",
            "Paste the whole result block, from its first rule of “=” to its last, or choose the tool's JSON file.",
        ),
        ParseError::Template { value, .. } => words(
            format!("A template: “{value}” stands where a figure belongs."),
            "a measured result",
            "Upload the output of a run. Templates hold no figures.",
        ),
        ParseError::BadValue { field, value, expected, .. } => words(
            format!("“{field}” is “{value}”."),
            expected,
            "Check whether the text was edited or cut while it was copied.",
        ),
        ParseError::MissingField { field, .. } => words(
            format!("A result block without the line “{field}”."),
            "the whole block",
            "It may be cut off. Copy it again, from its first rule of “=” to its last.",
        ),
        ParseError::CutOff { .. } => words(
            "A result block without its closing rule.".to_owned(),
            "a line of “=” at its end",
            "It is cut off. Copy it again, from its first rule of “=” to its last.",
        ),
        ParseError::GivenTwice { field, first, second, .. } => words(
            format!("“{field}” is given twice in one block: {first} and {second}."),
            "each line once",
            "Two results may have run into one another. Divide them.",
        ),
    }
}

fn ja(error: &ParseError) -> Words {
    let words = |found: String, expected: &str, advice: &str| (found, Some(expected.to_owned()), advice.to_owned());
    match error {
        ParseError::Empty => words(
            "ファイルが空です。".to_owned(),
            "ベンチマークツールの出力",
            "ベンチマークが最後まで実行され、出力がこのファイルに書き込まれたかを確認してください。",
        ),
        ParseError::Binary { byte, .. } => words(
            format!("テキストではないバイト{byte:#04x}があります。"),
            "ベンチマークツールの出力（テキスト、JSON、JSON Lines、CSV、YAML、HTML）",
            "結果ファイルそのものを選んでください。gzipとZstandardの圧縮ファイルはそのまま読み込めます。ほかの形式は先に展開してください。",
        ),
        ParseError::Source { reason } => words(
            format!("最後まで読み取れません：{reason}"),
            "",
            "ファイルが壊れているか、途中で切れている可能性があります。作成元のマシンからコピーし直してください。",
        ),
        ParseError::TooLarge { limit_mb, .. } => words(
            format!("リクエストごとの記録を除いても{limit_mb} MBを超えています。"),
            "ベンチマークツールが書き出す結果",
            "ログ全体ではなく、ツールの結果ファイルを選んでください。",
        ),
        ParseError::Json { reason, .. } => words(
            format!("JSONとして読み取れません：{reason}"),
            "最後まで書かれたJSON",
            "ベンチマークの書き込み中にコピーした可能性があります。ファイルをコピーし直してください。",
        ),
        ParseError::MissingPath { path, .. } => words(
            format!("結果に「{path}」がありません。"),
            "このツールの結果に必ず含まれるキー",
            "ベンチマークが途中で終わっていないかを確認してください。ツールのほうが新しい場合は、ファイルを添えてお知らせください。",
        ),
        ParseError::BadPath { path, value, expected, .. } => words(
            format!("「{path}」の値が{value}です。"),
            expected_ja(expected),
            "計測後に編集されていないかを確認し、ツールが書き出したままのファイルを使ってください。",
        ),
        ParseError::UnknownDocument { keys, .. } => words(
            format!("キーは{keys}で、既知のどのツールとも一致しません。"),
            "既知のベンチマークツールの結果ファイル",
            "ツールの結果ファイルを選んでください。設定ファイルやリクエストごとのファイルには、結果そのものが含まれません。",
        ),
        ParseError::Yaml { reason, .. } => words(
            format!("YAMLとして読み取れません：{reason}"),
            "YAML形式のベンチマークレポート",
            "ツールが書き出したままのファイルをコピーし直してください。",
        ),
        ParseError::TooManyRequests { limit, .. } => words(
            format!("1つの負荷条件に{}件を超えるリクエストがあります。", count(*limit as u64)),
            "",
            "リクエストの一覧ではなく、ツールの集計ファイルを使ってください。",
        ),
        ParseError::TooManyRuns { limit, .. } => words(
            format!("1つのファイルに{}件を超える結果があります。", count(*limit as u64)),
            "",
            "ファイルを分割してアップロードしてください。",
        ),
        ParseError::NotAResult { found, instead, .. } => {
            (format!("結果ではない内容です：{found}"), None, format!("次のようにしてください：{instead}"))
        }
        ParseError::NoResult => words(
            "テキストの中にベンチマークの結果がありません。".to_owned(),
            "vllm bench serve、sglang.bench_serving、GuideLLM、AIPerfなど、既知のツールの出力",
            "結果ブロック全体を、最初の「=」の線から最後の線まで貼り付けるか、ツールのJSONファイルを選んでください。",
        ),
        ParseError::Template { value, .. } => words(
            format!("数値の位置に「{value}」と書かれたひな形です。"),
            "計測した結果",
            "実行した結果の出力をアップロードしてください。",
        ),
        ParseError::BadValue { field, value, expected, .. } => words(
            format!("「{field}」の値が「{value}」です。"),
            expected_ja(expected),
            "コピーの途中で編集されたり切れたりしていないかを確認してください。",
        ),
        ParseError::MissingField { field, .. } => words(
            format!("結果ブロックに「{field}」の行がありません。"),
            "欠けた行のない結果ブロック",
            "途中で切れている可能性があります。最初の「=」の線から最後の線までコピーし直してください。",
        ),
        ParseError::CutOff { .. } => words(
            "結果ブロックに終わりの線がありません。".to_owned(),
            "末尾の「=」の線",
            "途中で切れています。最初の「=」の線から最後の線までコピーし直してください。",
        ),
        ParseError::GivenTwice { field, first, second, .. } => words(
            format!("1つのブロックに「{field}」が2回あります（{first}と{second}）。"),
            "1行につき1つの値",
            "2つの結果がつながっている可能性があります。分けてください。",
        ),
    }
}

/// The readers' own words for what a value could have been; what is not listed stays as it is.
fn expected_ja(expected: &str) -> &str {
    match expected {
        "a number" => "数値",
        "a whole number" => "整数",
        "a number that is not negative" => "0以上の数値",
        "an ISO 8601 duration such as PT49.97S" => "ISO 8601の期間（例：PT49.97S）",
        "as many cells as the header has" => "見出し行と同じ数のセル",
        "rows of cells divided by commas" => "コンマで区切られたセルの行",
        other => other,
    }
}

fn capital(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or_else(String::new, |first| first.to_uppercase().chain(chars).collect())
}
