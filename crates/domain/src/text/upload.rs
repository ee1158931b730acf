//! Words of the upload page: labels, and what went wrong with a form.

use serde::{Deserialize, Serialize};

use super::number::{count, percentile, short};
use super::{Lang, labels, phrase};
use crate::metrics::Stat;

/// Every label of the upload page, in one language.
#[expect(missing_docs, reason = "each field is the word it is named after")]
#[derive(Debug)]
pub struct UploadLabels {
    pub nav: &'static str,
    pub title: &'static str,
    pub intro: &'static str,
    pub drop: &'static str,
    pub choose: &'static str,
    pub formats: &'static str,
    pub clear: &'static str,
    pub paste: &'static str,
    pub pasted: &'static str,
    pub pasted_name: &'static str,
    pub token: &'static str,
    pub token_hint: &'static str,
    pub show_preview: &'static str,
    pub nothing_yet: &'static str,
    pub chosen: &'static str,
    pub sending: &'static str,
    pub reading: &'static str,
    pub cancel: &'static str,
    pub cancelled: &'static str,
    pub connection: &'static str,
    pub problem: &'static str,
    pub discarded: &'static str,
    pub gone_title: &'static str,
    pub gone: &'static str,
    pub upload_again: &'static str,
    pub preview: &'static str,
    pub nothing_stored: &'static str,
    pub understood: &'static str,
    pub format: &'static str,
    pub result: &'static str,
    pub tokens_in_out: &'static str,
    pub reported: &'static str,
    pub recomputed: &'static str,
    pub doubted: &'static str,
    pub nothing_doubted: &'static str,
    pub warnings: &'static str,
    pub results_left_out: &'static str,
    pub unreadable: &'static str,
    pub went_wrong: &'static str,
    pub place: &'static str,
    pub found: &'static str,
    pub expected: &'static str,
    pub to_do: &'static str,
    pub left_out: &'static str,
    pub masked: &'static str,
    pub masked_hint: &'static str,
    pub belongs: &'static str,
    pub new_study: &'static str,
    pub slug: &'static str,
    pub slug_hint: &'static str,
    pub study_title: &'static str,
    pub use_study: &'static str,
    pub gpus: &'static str,
    pub goes: &'static str,
    pub choose_variant: &'static str,
    pub new_variant: &'static str,
    pub choose_profile: &'static str,
    pub new_profile: &'static str,
    pub id: &'static str,
    pub version: &'static str,
    pub arguments_hint: &'static str,
    pub rate_hint: &'static str,
    pub optional: &'static str,
    pub start: &'static str,
    pub start_hint: &'static str,
    pub skip: &'static str,
    pub guessed_name: &'static str,
    pub guessed_load: &'static str,
    pub guessed_file: &'static str,
    pub kept: &'static str,
    pub kept_text: &'static str,
    pub discard: &'static str,
    pub save: &'static str,
    pub saved: &'static str,
    pub to_report: &'static str,
    pub more: &'static str,
    pub already: &'static str,
    pub new_run: &'static str,
    pub rejected: &'static str,
    pub home_empty: &'static str,
    pub remarks: &'static str,
    pub as_study: &'static str,
}

/// The labels of `lang`.
#[must_use]
pub const fn upload_labels(lang: Lang) -> &'static UploadLabels {
    match lang {
        Lang::Ja => &JA,
        Lang::En => &EN,
    }
}

static EN: UploadLabels = UploadLabels {
    nav: "Upload",
    title: "Upload results",
    intro: "Drop, choose or paste the output of a benchmark. You see what was understood and what is doubtful before anything is stored.",
    drop: "Drop files here",
    choose: "Choose files",
    formats: "The format is detected: text blocks and logs, JSON, JSON lines, CSV, YAML, HTML, also packed with gzip or Zstandard. Up to 2 GiB in all.",
    clear: "Clear",
    paste: "Paste a result block or JSON instead",
    pasted: "Pasted output",
    pasted_name: "A name for it",
    token: "Token",
    token_hint: "Uploads to this server need a token with the scope upload. Its operator makes one with “touchstone token create”.",
    show_preview: "Show the preview",
    nothing_yet: "Nothing is stored before you save. Keys and tokens in the files are masked first. A preview that is not saved is deleted after 24 hours.",
    chosen: "Chosen",
    sending: "Sending",
    reading: "Everything is sent. The server is reading the files.",
    cancel: "Cancel",
    cancelled: "Cancelled. Nothing was kept, and your files are still chosen.",
    connection: "The connection was lost. Nothing was kept, and your files are still chosen: try again.",
    problem: "This cannot go on yet",
    discarded: "The preview was discarded. Nothing of it was stored.",
    gone_title: "This preview is gone",
    gone: "It was discarded, or it waited longer than 24 hours. Nothing of it was stored. Upload the files again to see a new one.",
    upload_again: "Upload the files again",
    preview: "Preview",
    nothing_stored: "Nothing is stored yet.",
    understood: "Understood",
    format: "Format",
    result: "Result",
    tokens_in_out: "Tokens in / out",
    reported: "reported",
    recomputed: "recomputed",
    doubted: "Doubted",
    nothing_doubted: "Nothing speaks against this result on its own.",
    warnings: "The reader remarks",
    results_left_out: "Results left out",
    unreadable: "cannot be read",
    went_wrong: "What went wrong",
    place: "Where",
    found: "Found",
    expected: "Expected",
    to_do: "What to do",
    left_out: "Nothing of this file will be stored. The other files are not affected.",
    masked: "Masked",
    masked_hint: "What stood there is kept nowhere. If it was a real secret, replace it where it is in use: it was in a file.",
    belongs: "Where they belong",
    new_study: "New study …",
    slug: "Short name",
    slug_hint: "stands in addresses: a–z, 0–9, “.”, “-”, “_”",
    study_title: "Title",
    use_study: "Show its variants and profiles",
    gpus: "GPUs",
    goes: "Where it goes",
    choose_variant: "Choose a variant",
    new_variant: "New variant …",
    choose_profile: "Choose a profile",
    new_profile: "New profile …",
    id: "Id",
    version: "Version",
    arguments_hint: "as on the command line; NAME=value in front belongs to the environment",
    rate_hint: "requests per second, or unlimited",
    optional: "optional",
    start: "Server start",
    start_hint: "a name for it: runs of one start share its luck",
    skip: "Leave this file out",
    guessed_name: "guessed from the file's name",
    guessed_load: "guessed from the load",
    guessed_file: "guessed from the file",
    kept: "Kept as received",
    kept_text: "When you save, each file is kept byte for byte, except for what was masked, and known by its digest. Sending it twice changes nothing.",
    discard: "Discard",
    save: "Save",
    saved: "Saved",
    to_report: "Open the report",
    more: "Upload more",
    already: "already there",
    new_run: "stored",
    rejected: "Not taken",
    home_empty: "Upload the output of a benchmark",
    remarks: "Remarks",
    as_study: "the study's, unless entered",
};

static JA: UploadLabels = UploadLabels {
    nav: "アップロード",
    title: "結果のアップロード",
    intro: "ベンチマークの出力をドロップ、選択、または貼り付けてください。保存の前に、読み取れた内容と疑わしい点を表示します。",
    drop: "ここにファイルをドロップ",
    choose: "ファイルを選択",
    formats: "形式は自動で判別します。テキストの結果ブロックやログ、JSON、JSON Lines、CSV、YAML、HTMLに対応し、gzipとZstandardの圧縮ファイルも読み込めます。合計2 GiBまでです。",
    clear: "選択を解除",
    paste: "結果ブロックやJSONを貼り付ける",
    pasted: "貼り付けた出力",
    pasted_name: "出力の名前",
    token: "トークン",
    token_hint: "このサーバーへのアップロードには、スコープがuploadのトークンが必要です。管理者が「touchstone token create」で発行します。",
    show_preview: "プレビューを表示",
    nothing_yet: "保存するまで、何も登録されません。ファイルに含まれるキーやトークンは、先に伏せ字にします。保存しなかったプレビューは24時間後に削除します。",
    chosen: "選択中",
    sending: "送信中",
    reading: "送信が終わりました。サーバーがファイルを読み取っています。",
    cancel: "中止",
    cancelled: "中止しました。何も残していません。ファイルは選択されたままです。",
    connection: "接続が切れました。何も残していません。ファイルは選択されたままなので、もう一度お試しください。",
    problem: "このままでは進めません",
    discarded: "プレビューを破棄しました。内容は何も登録していません。",
    gone_title: "プレビューはもうありません",
    gone: "破棄されたか、24時間を過ぎたため削除されました。内容は何も登録していません。もう一度アップロードすると、新しいプレビューを表示します。",
    upload_again: "もう一度アップロード",
    preview: "プレビュー",
    nothing_stored: "まだ何も登録していません。",
    understood: "読み取れた内容",
    format: "形式",
    result: "結果",
    tokens_in_out: "トークン数（入力／出力）",
    reported: "報告値",
    recomputed: "再計算値",
    doubted: "疑わしい点",
    nothing_doubted: "この結果だけから疑う理由は見つかりませんでした。",
    warnings: "読み取り時の注意",
    results_left_out: "除外した結果",
    unreadable: "読み取り不可",
    went_wrong: "問題の内容",
    place: "場所",
    found: "内容",
    expected: "期待した内容",
    to_do: "対処",
    left_out: "このファイルの内容は何も登録しません。ほかのファイルには影響しません。",
    masked: "伏せ字",
    masked_hint: "元の文字列はどこにも残しません。本物の秘密情報だった場合は、ファイルに書かれていたものなので、使用先で取り替えてください。",
    belongs: "登録先",
    new_study: "新しい検証…",
    slug: "短い名前",
    slug_hint: "アドレスに使います。a〜z、0〜9、「.」「-」「_」",
    study_title: "題名",
    use_study: "この検証の構成とプロファイルを表示",
    gpus: "GPU数",
    goes: "ファイルの登録先",
    choose_variant: "構成を選択",
    new_variant: "新しい構成…",
    choose_profile: "プロファイルを選択",
    new_profile: "新しいプロファイル…",
    id: "ID",
    version: "バージョン",
    arguments_hint: "コマンドラインと同じ書き方です。先頭のNAME=valueは環境変数として扱います",
    rate_hint: "1秒あたりのリクエスト数、またはunlimited",
    optional: "任意",
    start: "サーバーの起動",
    start_hint: "起動を区別する名前。同じ起動の実行は、同じ偏りを共有します",
    skip: "このファイルを除く",
    guessed_name: "ファイル名から推定",
    guessed_load: "負荷から推定",
    guessed_file: "ファイルから推定",
    kept: "受け取ったまま保管",
    kept_text: "保存すると、伏せ字の部分を除いて1バイトも変えずに保管し、ダイジェストで識別します。同じファイルを2回送っても、何も変わりません。",
    discard: "破棄",
    save: "保存",
    saved: "保存しました",
    to_report: "レポートを開く",
    more: "続けてアップロード",
    already: "登録済み",
    new_run: "登録",
    rejected: "登録しなかったファイルと結果",
    home_empty: "ベンチマークの出力をアップロード",
    remarks: "注意",
    as_study: "空欄なら検証と同じ",
};

/// Why there is no preview, or a preview cannot be saved as a whole.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Notice {
    /// Neither a file nor a text came.
    NoFile,
    /// More than the limit, in GiB.
    TooLarge(u64),
    /// More than so many times as long by decompression.
    TooCompressed {
        /// Its name.
        file: String,
        /// So many times.
        times: u64,
    },
    /// More files than so many.
    TooManyFiles(usize),
    /// A file name that cannot stand in a list.
    FileName(String),
    /// The form did not arrive whole.
    BadForm(String),
    /// No token, where one is needed.
    TokenMissing,
    /// A token that opens nothing.
    TokenRefused,
    /// A token for something else.
    TokenScope,
    /// The form came from another site.
    OtherSite,
    /// Too much waits already.
    Full,
    /// Somebody else changed the same thing at the same time.
    Conflict,
    /// The server's disk is full.
    DiskFull,
    /// Our fault, under this number.
    Incident(String),
}

/// What happened and what helps.
#[must_use]
pub fn notice(lang: Lang, of: &Notice) -> String {
    match lang {
        Lang::En => match of {
            Notice::NoFile => "There is neither a file nor a pasted text. Choose at least one file, or paste an output.".to_owned(),
            Notice::TooLarge(gib) => {
                format!("The files hold more than {gib} GiB together, unpacked. Upload them one by one, or use “touchstone upload”.")
            }
            Notice::TooCompressed { file, times } => format!(
                "“{file}” becomes more than {times} times as long when it is unpacked, which no benchmark output does. Leave it out, or upload it unpacked."
            ),
            Notice::TooManyFiles(max) => format!("There are more than {} files. Upload them in several parts.", count(*max as u64)),
            Notice::FileName(name) => {
                format!("The file name “{name}” is too long or holds a control character. Rename the file and try again.")
            }
            Notice::BadForm(what) => format!("The form did not arrive whole ({what}). Try again."),
            Notice::TokenMissing => "A token is needed. Enter one and send the files again.".to_owned(),
            Notice::TokenRefused => "The token is not known, was revoked or has expired. Enter another one and send the files again.".to_owned(),
            Notice::TokenScope => "This token may not upload. Enter one with the scope upload, agent or admin, and send the files again.".to_owned(),
            Notice::OtherSite => "The form was sent from another site, so it was not accepted. Open this page here and send it again.".to_owned(),
            Notice::Full => "Too many previews are waiting on this server. Save or discard one of yours, or try again later.".to_owned(),
            Notice::Conflict => "Somebody else changed the same study at the same moment. Nothing is half stored: save again.".to_owned(),
            Notice::DiskFull => {
                "The server's disk is full. Nothing is half stored: try again when there is room.".to_owned()
            }
            Notice::Incident(number) => {
                format!("The server could not do this (incident {number}; its log says more). Nothing is half stored: try again.")
            }
        },
        Lang::Ja => match of {
            Notice::NoFile => "ファイルも貼り付けた出力もありません。ファイルを1つ以上選ぶか、出力を貼り付けてください。".to_owned(),
            Notice::TooLarge(gib) => {
                format!("展開後の合計が{gib} GiBを超えています。1つずつアップロードするか、「touchstone upload」を使ってください。")
            }
            Notice::TooCompressed { file, times } => format!(
                "「{file}」は展開すると{times}倍を超えます。ベンチマークの出力ではありえない比率です。このファイルを外すか、展開してからアップロードしてください。"
            ),
            Notice::TooManyFiles(max) => {
                format!("ファイルが{}件を超えています。分けてアップロードしてください。", count(*max as u64))
            }
            Notice::FileName(name) => {
                format!("ファイル名「{name}」が長すぎるか、制御文字を含んでいます。名前を変えてから、もう一度お試しください。")
            }
            Notice::BadForm(what) => format!("フォームが最後まで届きませんでした（{what}）。もう一度お試しください。"),
            Notice::TokenMissing => "トークンが必要です。トークンを入力し、ファイルをもう一度送信してください。".to_owned(),
            Notice::TokenRefused => "トークンが登録されていないか、失効または期限切れです。別のトークンを入力し、ファイルをもう一度送信してください。".to_owned(),
            Notice::TokenScope => "このトークンではアップロードできません。スコープがupload、agent、adminのいずれかのトークンを入力し、ファイルをもう一度送信してください。".to_owned(),
            Notice::OtherSite => "別のサイトから送られたフォームのため、受け付けませんでした。このページを開いてから送信してください。".to_owned(),
            Notice::Full => "このサーバーで待機中のプレビューが多すぎます。ご自身のプレビューを保存または破棄するか、後でもう一度お試しください。".to_owned(),
            Notice::Conflict => "同じ検証が同時に変更されました。途中まで登録されたものはありません。もう一度保存してください。".to_owned(),
            Notice::DiskFull => "サーバーのディスクに空きがありません。途中まで登録されたものはありません。空きができてから、もう一度お試しください。".to_owned(),
            Notice::Incident(number) => {
                format!("サーバーで処理できませんでした（障害番号{number}、詳細はログにあります）。途中まで登録されたものはありません。もう一度お試しください。")
            }
        },
    }
}

/// What is wrong with one field of the preview.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Wrong {
    /// Nothing is chosen.
    NotChosen,
    /// Nothing is entered.
    Missing,
    /// No slug.
    NotSlug,
    /// A study has this short name already.
    Taken(String),
    /// No whole number above 0.
    NotCount,
    /// No request rate.
    NotRate,
    /// Longer than so many characters.
    TooLong(usize),
    /// A control character.
    Control,
    /// A quotation mark without its partner.
    Quotes,
    /// No file is left.
    NothingLeft,
    /// What the server says about a part of the envelope.
    Refused(String),
    /// What concerns all of it.
    Notice(Notice),
}

/// What is wrong, in a sentence.
#[must_use]
pub fn wrong(lang: Lang, of: &Wrong) -> String {
    match (lang, of) {
        (_, Wrong::Notice(of)) => notice(lang, of),
        (_, Wrong::Refused(text)) => text.clone(),
        (Lang::En, Wrong::NotChosen) => "Nothing is chosen. Choose one, or make a new one.".to_owned(),
        (Lang::En, Wrong::Missing) => "This is needed.".to_owned(),
        (Lang::En, Wrong::NotSlug) => {
            "A short name has lower-case letters, digits, “.”, “-” and “_”, starts with a letter or digit and has at most 100 of them.".to_owned()
        }
        (Lang::En, Wrong::Taken(slug)) => format!("A study “{slug}” exists already. Choose it above, or take another short name."),
        (Lang::En, Wrong::NotCount) => "This is no whole number above 0.".to_owned(),
        (Lang::En, Wrong::NotRate) => "This is neither a number above 0 nor “unlimited”.".to_owned(),
        (Lang::En, Wrong::TooLong(max)) => format!("This has more than {} characters.", count(*max as u64)),
        (Lang::En, Wrong::Control) => "This holds a control character. Enter one line of text.".to_owned(),
        (Lang::En, Wrong::Quotes) => "A quotation mark has no partner.".to_owned(),
        (Lang::En, Wrong::NothingLeft) => "No file is left to save. Keep at least one, or discard the preview.".to_owned(),
        (Lang::Ja, Wrong::NotChosen) => "選択されていません。1つ選ぶか、新しく作成してください。".to_owned(),
        (Lang::Ja, Wrong::Missing) => "入力が必要です。".to_owned(),
        (Lang::Ja, Wrong::NotSlug) => {
            "短い名前には英小文字、数字、「.」「-」「_」を使い、英小文字か数字で始めてください。100文字までです。".to_owned()
        }
        (Lang::Ja, Wrong::Taken(slug)) => {
            format!("検証「{slug}」はすでにあります。上の一覧から選ぶか、別の短い名前を付けてください。")
        }
        (Lang::Ja, Wrong::NotCount) => "1以上の整数を入力してください。".to_owned(),
        (Lang::Ja, Wrong::NotRate) => "0より大きい数値か「unlimited」を入力してください。".to_owned(),
        (Lang::Ja, Wrong::TooLong(max)) => format!("{}文字を超えています。", count(*max as u64)),
        (Lang::Ja, Wrong::Control) => "制御文字が含まれています。1行の文字列を入力してください。".to_owned(),
        (Lang::Ja, Wrong::Quotes) => "引用符が閉じていません。".to_owned(),
        (Lang::Ja, Wrong::NothingLeft) => {
            "保存するファイルがありません。1つ以上残すか、プレビューを破棄してください。".to_owned()
        }
    }
}

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
