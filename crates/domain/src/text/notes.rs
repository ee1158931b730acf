//! Words of notes: their editor, their history, the overview of a study's notes.

use super::number::count;
use super::{Lang, Rich, phrase, step_name, variant_name};
use crate::note::{MAX_NOTE, Target};
use crate::report::Report;

/// Every label of the pages about notes, in one language.
#[expect(missing_docs, reason = "each field is the word it is named after")]
#[derive(Debug)]
pub struct NoteLabels {
    pub notes: &'static str,
    pub intro: &'static str,
    pub target: &'static str,
    pub written: &'static str,
    pub missing: &'static str,
    pub neither: &'static str,
    pub last_edit: &'static str,
    pub of_study: &'static str,
    pub steps: &'static str,
    pub variants: &'static str,
    pub runs: &'static str,
    pub orphans: &'static str,
    pub orphans_intro: &'static str,
    pub orphan: &'static str,
    pub edit: &'static str,
    pub edit_note: &'static str,
    pub write_note: &'static str,
    pub all_notes: &'static str,
    pub hint: &'static str,
    pub token_hint: &'static str,
    pub show_preview: &'static str,
    pub preview: &'static str,
    pub preview_empty: &'static str,
    pub not_saved: &'static str,
    pub save: &'static str,
    pub save_over: &'static str,
    pub saved_none: &'static str,
    pub masked: &'static str,
    pub problem: &'static str,
    pub meanwhile: &'static str,
    pub yours_differs: &'static str,
    pub taken_away: &'static str,
    pub folder_has: &'static str,
    pub folder_changed: &'static str,
    pub folder_without: &'static str,
    pub take_folder: &'static str,
    pub folder_taken: &'static str,
    pub history: &'static str,
    pub history_intro: &'static str,
    pub history_empty: &'static str,
    pub who: &'static str,
    pub when: &'static str,
    pub length: &'static str,
    pub this_machine: &'static str,
    pub folder: &'static str,
    pub older: &'static str,
    pub newer: &'static str,
    pub compare: &'static str,
    pub restore: &'static str,
    pub newest: &'static str,
    pub difference: &'static str,
    pub identical: &'static str,
    pub line_added: &'static str,
    pub line_removed: &'static str,
    pub line_old: &'static str,
    pub line_new: &'static str,
    pub line_text: &'static str,
    pub other_language: &'static str,
    pub report: &'static str,
}

/// The labels of `lang`.
#[must_use]
pub const fn note_labels(lang: Lang) -> &'static NoteLabels {
    match lang {
        Lang::Ja => &JA,
        Lang::En => &EN,
    }
}

static EN: NoteLabels = NoteLabels {
    notes: "Notes",
    intro: "Notes are Markdown, written for each language by itself. They stay as they are when runs are added, read again or imported.",
    target: "On",
    written: "written",
    missing: "missing",
    neither: "none",
    last_edit: "Last edit here",
    of_study: "Study",
    steps: "Steps",
    variants: "Variants",
    runs: "Runs",
    orphans: "No longer part of the study",
    orphans_intro: "These notes are on steps, variants or runs that the study no longer has. The report does not show them; they come back with what they are on.",
    orphan: "The study no longer has what this note is on. The report does not show it; it comes back with what it is on.",
    edit: "Edit",
    edit_note: "Edit the note",
    write_note: "Write a note",
    all_notes: "All notes",
    hint: "Markdown: headings, lists, tables, code and links (http, https, mailto, addresses on this site). HTML is shown as text, and an image becomes a link to it. At most 256 KiB for each language. Saving an empty text takes the note away; its history stays.",
    token_hint: "Writing on this server needs a token with the scope upload. Its operator makes one with “touchstone token create”.",
    show_preview: "Show the preview",
    preview: "Preview",
    preview_empty: "No note",
    not_saved: "Nothing is saved yet.",
    save: "Save",
    save_over: "Save mine over the newer one",
    saved_none: "Nothing was different, so nothing was saved.",
    masked: "What looked like a secret was masked. What stood there is kept nowhere.",
    problem: "This cannot be saved yet",
    meanwhile: "Saved meanwhile",
    yours_differs: "From the text saved meanwhile to yours",
    taken_away: "The note was taken away.",
    folder_has: "This is the note of the study folder. What is saved here is shown instead of it; the folder keeps its own.",
    folder_changed: "The note in the study folder has changed since this one was edited here. The report shows what is written here. The folder now has:",
    folder_without: "The study folder no longer has a note here. The report shows what is written here.",
    take_folder: "Put the folder's note into the form",
    folder_taken: "The folder's note is in the form. Nothing is saved yet.",
    history: "History",
    history_intro: "Every text that was saved here, newest first. Restoring puts an older one into the form; saving it makes a new revision.",
    history_empty: "Nothing has been saved here yet.",
    who: "Who",
    when: "When",
    length: "Length",
    this_machine: "this machine",
    folder: "study folder",
    older: "From",
    newer: "To",
    compare: "Compare",
    restore: "Restore",
    newest: "newest",
    difference: "Difference",
    identical: "The two texts are the same.",
    line_added: "added",
    line_removed: "removed",
    line_old: "Old line",
    line_new: "New line",
    line_text: "Text",
    other_language: "This note is written in Japanese only.",
    report: "Report",
};

static JA: NoteLabels = NoteLabels {
    notes: "メモ",
    intro: "メモはMarkdownで、言語ごとに書きます。実行の追加、再読み取り、取り込みのあとも、そのまま残ります。",
    target: "対象",
    written: "あり",
    missing: "未記入",
    neither: "なし",
    last_edit: "この画面での最終編集",
    of_study: "検証",
    steps: "最適化項目",
    variants: "構成",
    runs: "実行",
    orphans: "検証からなくなった対象",
    orphans_intro: "対象の最適化項目、構成、実行が検証からなくなったメモです。レポートには表示しません。対象が戻れば、メモも戻ります。",
    orphan: "このメモの対象は、検証からなくなりました。レポートには表示しません。対象が戻れば、メモも戻ります。",
    edit: "編集",
    edit_note: "メモを編集",
    write_note: "メモを書く",
    all_notes: "メモの一覧",
    hint: "Markdownで書きます。見出し、箇条書き、表、コード、リンク（http、https、mailto、このサイト内のアドレス）を使えます。HTMLは文字のまま表示し、画像は画像へのリンクに変わります。言語ごとに256 KiBまでです。空にして保存するとメモを削除しますが、履歴は残ります。",
    token_hint: "このサーバーで書き込むには、スコープがuploadのトークンが必要です。管理者が「touchstone token create」で発行します。",
    show_preview: "プレビューを表示",
    preview: "プレビュー",
    preview_empty: "メモなし",
    not_saved: "まだ保存していません。",
    save: "保存",
    save_over: "自分の内容で上書き保存",
    saved_none: "変更がなかったため、何も保存していません。",
    masked: "秘密情報と思われる文字列を伏せ字にしました。元の文字列はどこにも残しません。",
    problem: "まだ保存できません",
    meanwhile: "先に保存された内容",
    yours_differs: "先に保存された内容と、入力した内容の差分",
    taken_away: "メモは削除されました。",
    folder_has: "検証フォルダーに書かれたメモです。ここで保存すると、レポートには保存した内容を表示します。フォルダーのメモは変わりません。",
    folder_changed: "ここで編集したあとに、検証フォルダーのメモが変わりました。レポートには、ここで編集した内容を表示しています。現在のフォルダーのメモは次のとおりです。",
    folder_without: "検証フォルダーのメモはなくなりました。レポートには、ここで編集した内容を表示しています。",
    take_folder: "フォルダーのメモを入力欄に入れる",
    folder_taken: "フォルダーのメモを入力欄に入れました。まだ保存していません。",
    history: "履歴",
    history_intro: "ここで保存した内容を、新しい順に示します。復元すると以前の内容が入力欄に入り、保存すると新しいリビジョンになります。",
    history_empty: "まだ何も保存されていません。",
    who: "編集者",
    when: "日時",
    length: "長さ",
    this_machine: "このコンピューター",
    folder: "検証フォルダー",
    older: "比較元",
    newer: "比較先",
    compare: "比較",
    restore: "復元",
    newest: "最新",
    difference: "差分",
    identical: "2つの内容は同じです。",
    line_added: "追加",
    line_removed: "削除",
    line_old: "旧行番号",
    line_new: "新行番号",
    line_text: "内容",
    other_language: "このメモは英語だけで書かれています。",
    report: "レポート",
};

/// Why a note was not saved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NoteNotice {
    /// The form came from another site.
    OtherSite,
    /// No token, where one is needed.
    TokenMissing,
    /// A token that opens nothing.
    TokenRefused,
    /// A token for something else.
    TokenScope,
    /// More bytes than a note may have.
    TooLong(Lang, usize),
    /// The form itself is too long to be read.
    FormTooLong,
    /// The form did not arrive whole.
    BadForm,
    /// Others have saved these meanwhile.
    Conflict(Vec<Lang>),
    /// The study has no such thing.
    TargetGone,
    /// The store did not take it now.
    Busy,
    /// Our fault, under this number.
    Incident(String),
}

/// What happened and what helps.
#[must_use]
pub fn notice(lang: Lang, of: &NoteNotice) -> String {
    let max = count(MAX_NOTE as u64);
    match lang {
        Lang::En => match of {
            NoteNotice::OtherSite => "The form was sent from another site, so it was not accepted. Your text is below: save it from here.".to_owned(),
            NoteNotice::TokenMissing => "A token is needed. Enter one and save again; your text is still here.".to_owned(),
            NoteNotice::TokenRefused => "The token is not known, was revoked or has expired. Enter another one and save again; your text is still here.".to_owned(),
            NoteNotice::TokenScope => "This token may not write. Enter one with the scope upload, agent or admin and save again; your text is still here.".to_owned(),
            NoteNotice::TooLong(which, bytes) => format!(
                "The note in {} has {} bytes; at most {max} (256 KiB) can be kept. Shorten it and save again. Nothing was saved.",
                language(lang, *which),
                count(*bytes as u64)
            ),
            NoteNotice::FormTooLong => format!("The text is far too long to be read: a note can have at most {max} bytes (256 KiB). Go back, shorten it and save again. Nothing was saved."),
            NoteNotice::BadForm => "The form did not arrive whole. Go back and save again. Nothing was saved.".to_owned(),
            NoteNotice::Conflict(which) => format!(
                "Somebody else saved the note in {} while you were writing. Nothing of yours is lost: it is still in the form. Compare the two. Saving again puts yours over the newer one, which stays in the history.",
                languages(lang, which)
            ),
            NoteNotice::TargetGone => "The study does not have what this note is on, so it cannot be saved. Your text is still in the form: copy it to where it belongs.".to_owned(),
            NoteNotice::Busy => "The database is in use by somebody else. Nothing was saved: save again.".to_owned(),
            NoteNotice::Incident(number) => format!("The server could not do this (incident {number}; its log says more). Nothing was saved: try again."),
        },
        Lang::Ja => match of {
            NoteNotice::OtherSite => "別のサイトから送られたフォームのため、受け付けませんでした。入力した内容は下にあります。ここから保存してください。".to_owned(),
            NoteNotice::TokenMissing => "トークンが必要です。トークンを入力して、もう一度保存してください。入力した内容は残っています。".to_owned(),
            NoteNotice::TokenRefused => "トークンが登録されていないか、失効または期限切れです。別のトークンを入力して、もう一度保存してください。入力した内容は残っています。".to_owned(),
            NoteNotice::TokenScope => "このトークンでは書き込めません。スコープがupload、agent、adminのいずれかのトークンを入力して、もう一度保存してください。入力した内容は残っています。".to_owned(),
            NoteNotice::TooLong(which, bytes) => format!(
                "{}のメモが{}バイトあります。保存できるのは{max}バイト（256 KiB）までです。短くしてから、もう一度保存してください。何も保存していません。",
                language(lang, *which),
                count(*bytes as u64)
            ),
            NoteNotice::FormTooLong => format!("長すぎて読み取れません。メモは{max}バイト（256 KiB）までです。前の画面に戻って短くしてから、もう一度保存してください。何も保存していません。"),
            NoteNotice::BadForm => "フォームが最後まで届きませんでした。前の画面に戻って、もう一度保存してください。何も保存していません。".to_owned(),
            NoteNotice::Conflict(which) => format!(
                "編集している間に、別の人が{}のメモを保存しました。入力した内容は失われず、入力欄に残っています。2つの内容を見比べてください。もう一度保存すると、入力した内容で上書きします。先に保存された内容も履歴に残ります。",
                languages(lang, which)
            ),
            NoteNotice::TargetGone => "このメモの対象が検証にないため、保存できません。入力した内容は入力欄に残っています。別の場所へコピーしてください。".to_owned(),
            NoteNotice::Busy => "データベースがほかの処理で使用中です。何も保存していません。もう一度保存してください。".to_owned(),
            NoteNotice::Incident(number) => format!("サーバーで処理できませんでした（障害番号{number}、詳細はログにあります）。何も保存していません。もう一度お試しください。"),
        },
    }
}

/// A language by its name in another: `Japanese`, `日本語`.
#[must_use]
pub const fn language(lang: Lang, of: Lang) -> &'static str {
    match (lang, of) {
        (Lang::En, Lang::En) => "English",
        (Lang::En, Lang::Ja) => "Japanese",
        (Lang::Ja, Lang::En) => "英語",
        (Lang::Ja, Lang::Ja) => "日本語",
    }
}

fn languages(lang: Lang, all: &[Lang]) -> String {
    let names: Vec<&str> = all.iter().map(|of| language(lang, *of)).collect();
    names.join(match lang {
        Lang::En => " and ",
        Lang::Ja => "と",
    })
}

/// That a note was saved.
#[must_use]
pub fn saved(lang: Lang, which: &[Lang]) -> String {
    match lang {
        Lang::En => format!("Saved in {}.", languages(lang, which)),
        Lang::Ja => format!("{}のメモを保存しました。", languages(lang, which)),
    }
}

/// That a note exists in one language and is missing in another.
#[must_use]
pub fn missing_in(lang: Lang, missing: Lang) -> &'static str {
    match (lang, missing) {
        (Lang::En, Lang::En) => "Missing in English: there is a note in Japanese.",
        (Lang::En, Lang::Ja) => "Missing in Japanese: there is a note in English.",
        (Lang::Ja, Lang::En) => "英語のメモがありません。日本語のメモはあります。",
        (Lang::Ja, Lang::Ja) => "日本語のメモがありません。英語のメモはあります。",
    }
}

/// That a reader sees a note in the other language, since there is none in theirs.
#[must_use]
pub const fn only_in(lang: Lang) -> &'static str {
    note_labels(lang).other_language
}

/// That the two languages of a note are built differently: headings and paragraphs of Japanese, then of English.
#[must_use]
pub fn built_differently(lang: Lang, ja: (usize, usize), en: (usize, usize)) -> String {
    match lang {
        Lang::En => {
            let of = |n: usize, one: &str| format!("{} {one}{}", count(n as u64), if n == 1 { "" } else { "s" });
            let side = |(headings, blocks)| format!("{}, {}", of(headings, "heading"), of(blocks, "paragraph"));
            format!("The two languages differ: Japanese has {}; English has {}.", side(ja), side(en))
        }
        Lang::Ja => {
            let side = |(headings, blocks): (usize, usize)| {
                format!("見出し{}個、段落{}個", count(headings as u64), count(blocks as u64))
            };
            format!("2つの言語で構造が違います。日本語は{}、英語は{}です。", side(ja), side(en))
        }
    }
}

/// How many notes there are, and how many of them lack a language.
#[must_use]
pub fn summary(lang: Lang, notes: usize, without_ja: usize, without_en: usize) -> String {
    let n = |n: usize| count(n as u64);
    match lang {
        Lang::En => {
            let notes = format!("{} {}", n(notes), if notes == 1 { "note" } else { "notes" });
            format!("{notes}; missing in Japanese: {}, missing in English: {}", n(without_ja), n(without_en))
        }
        Lang::Ja => {
            format!("メモ{}件（日本語が未記入{}件、英語が未記入{}件）", n(notes), n(without_ja), n(without_en))
        }
    }
}

/// A revision by its number.
#[must_use]
pub fn revision(lang: Lang, number: u64) -> String {
    match lang {
        Lang::En => format!("Revision {}", count(number)),
        Lang::Ja => format!("リビジョン{}", count(number)),
    }
}

/// That a revision has the text of an older one.
#[must_use]
pub fn restored_from(lang: Lang, number: u64) -> String {
    match lang {
        Lang::En => format!("restored from revision {}", count(number)),
        Lang::Ja => format!("リビジョン{}から復元", count(number)),
    }
}

/// That an older text is in the form.
#[must_use]
pub fn restoring(lang: Lang, of: Lang, number: u64) -> String {
    match lang {
        Lang::En => {
            format!("Revision {} in {} is in the form. Nothing is saved yet.", count(number), language(lang, of))
        }
        Lang::Ja => {
            format!("{}のリビジョン{}を入力欄に入れました。まだ保存していません。", language(lang, of), count(number))
        }
    }
}

/// How long a text is: characters, as people count them.
#[must_use]
pub fn characters(lang: Lang, n: u64) -> String {
    match lang {
        Lang::En => format!("{} {}", count(n), if n == 1 { "character" } else { "characters" }),
        Lang::Ja => format!("{}文字", count(n)),
    }
}

/// Lines that two texts share and that are not shown.
#[must_use]
pub fn lines_left_out(lang: Lang, n: usize) -> String {
    match lang {
        Lang::En => format!("{} {} the same", count(n as u64), if n == 1 { "line" } else { "lines" }),
        Lang::Ja => format!("同じ内容の{}行を省略", count(n as u64)),
    }
}

/// The heading of a note's pages: `Note on Run 05`.
#[must_use]
pub fn note_on(lang: Lang, target: &str) -> String {
    match lang {
        Lang::En => format!("Note on {target}"),
        Lang::Ja => format!("{target}のメモ"),
    }
}

/// What a link to a note's editor says to those who hear it alone.
#[must_use]
pub fn edit_of(lang: Lang, target: &str) -> String {
    match lang {
        Lang::En => format!("Edit the note on {target}"),
        Lang::Ja => format!("{target}のメモを編集"),
    }
}

/// What a note is on, as a report names it; what the report does not have, by its id.
#[must_use]
pub fn target_in(lang: Lang, report: &Report, of: &Target) -> Rich {
    match (of, lang) {
        (Target::Study, Lang::En) => Rich::from_marked("the study"),
        (Target::Study, Lang::Ja) => Rich::from_marked("検証全体"),
        (Target::Step(id), _) => Rich::from_marked(&super::rich::clean(&step_name(lang, report, id))),
        (Target::Variant(id), _) => match report.variant(id) {
            Some(_) => variant_name(lang, report, id),
            None => Rich::from_marked(&super::rich::code(id.as_str())),
        },
        (Target::Run(id), _) => match report.run(id) {
            Some(run) => Rich::from_marked(&phrase::run_title(lang, run.number)),
            None => Rich::from_marked(&super::rich::code(id.as_str())),
        },
    }
}
