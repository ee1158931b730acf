//! What is wrong with an upload page's forms, and what helps.

use serde::{Deserialize, Serialize};

use crate::text::Lang;
use crate::text::number::count;

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
