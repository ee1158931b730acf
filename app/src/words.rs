//! Words of the frame around the pages: navigation, switches, errors. One struct literal a language, so that a word
//! cannot be forgotten in one of them. Words about studies and figures live in `domain::text`.

use crate::{island::CopyLabels, lang::Lang};

/// Every word of the frame, in one language.
#[expect(missing_docs, reason = "each field is the word it is named after")]
pub struct Words {
    pub lang_name: &'static str,
    pub tagline: &'static str,
    pub skip: &'static str,
    pub main_nav: &'static str,
    pub studies: &'static str,
    pub language: &'static str,
    pub theme: &'static str,
    pub theme_auto: &'static str,
    pub theme_light: &'static str,
    pub theme_dark: &'static str,
    pub copy: &'static str,
    pub copied: &'static str,
    pub copy_failed: &'static str,
    pub footer: &'static str,
    pub not_found_title: &'static str,
    pub not_found: &'static str,
    pub invalid_title: &'static str,
    pub denied_title: &'static str,
    pub denied: &'static str,
    pub conflict_title: &'static str,
    pub conflict: &'static str,
    pub internal_title: &'static str,
    pub internal: &'static str,
    pub incident: &'static str,
    pub to_studies: &'static str,
}

/// What the copy button says.
#[must_use]
pub fn copy_labels(words: &Words) -> CopyLabels {
    CopyLabels { copy: words.copy.to_owned(), copied: words.copied.to_owned(), failed: words.copy_failed.to_owned() }
}

/// The words of `lang`.
#[must_use]
pub const fn words(lang: Lang) -> &'static Words {
    match lang {
        Lang::Ja => &JA,
        Lang::En => &EN,
    }
}

static EN: Words = Words {
    lang_name: "English",
    tagline: "LLM-serving benchmark reports, recomputed before they are believed.",
    skip: "Skip to content",
    main_nav: "Main",
    studies: "Studies",
    language: "Language",
    theme: "Theme",
    theme_auto: "Auto",
    theme_light: "Light",
    theme_dark: "Dark",
    copy: "Copy",
    copied: "Copied",
    copy_failed: "Could not copy. Select the text and copy it by hand.",
    footer: "Touchstone recomputes what the raw output allows and shows it beside what the tool reported.",
    not_found_title: "Page not found",
    not_found: "There is nothing at this address. It may have been mistyped or removed.",
    invalid_title: "This address cannot be read",
    denied_title: "Not allowed",
    denied: "You may not see this page.",
    conflict_title: "Changed meanwhile",
    conflict: "Somebody else changed this first. Load the page again and repeat your change.",
    internal_title: "Something went wrong here",
    internal: "The error is in the log. Try again; if it stays, tell the operator this number.",
    incident: "Incident",
    to_studies: "To the studies",
};

static JA: Words = Words {
    lang_name: "日本語",
    tagline: "LLM推論ベンチマークの結果を、再計算で確かめてから示すレポートです。",
    skip: "本文へ移動",
    main_nav: "メイン",
    studies: "検証",
    language: "言語",
    theme: "テーマ",
    theme_auto: "自動",
    theme_light: "ライト",
    theme_dark: "ダーク",
    copy: "コピー",
    copied: "コピーしました",
    copy_failed: "コピーできませんでした。文字列を選択してコピーしてください。",
    footer: "Touchstoneは、計測結果の原文から計算できる値を再計算し、報告値と並べて表示します。",
    not_found_title: "ページが見つかりません",
    not_found: "このアドレスには何もありません。入力の誤りか、すでに削除された可能性があります。",
    invalid_title: "アドレスを解釈できません",
    denied_title: "閲覧できません",
    denied: "このページを見る権限がありません。",
    conflict_title: "内容が更新されています",
    conflict: "先に別の変更が保存されました。ページを読み込み直してから、もう一度変更してください。",
    internal_title: "サーバーで問題が起きました",
    internal: "エラーは記録済みです。もう一度お試しください。解決しない場合は、次の番号を管理者にお知らせください。",
    incident: "障害番号",
    to_studies: "検証の一覧へ",
};
