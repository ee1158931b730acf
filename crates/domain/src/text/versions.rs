//! Words of published versions: their list, the form that publishes, and how the live report stands to the newest.

mod differences;
mod names;
mod summary;

pub use differences::{group, sentence};
pub use summary::summary;

use super::Lang;
use super::number::count;
use crate::version::MAX_REMARK;

/// The number of the wording of reports. It grows with every change of what a published report would say of the same facts,
/// so that a version tells in which words it was written.
pub const TEXT_VERSION: u32 = 1;

/// Every label of the pages about versions, in one language.
#[expect(missing_docs, reason = "each field is the word it is named after")]
#[derive(Debug)]
pub struct VersionLabels {
    pub versions: &'static str,
    pub intro: &'static str,
    pub none_yet: &'static str,
    pub version: &'static str,
    pub published: &'static str,
    pub who: &'static str,
    pub this_machine: &'static str,
    pub remark: &'static str,
    pub sha256: &'static str,
    pub written_by: &'static str,
    pub files: &'static str,
    pub newest: &'static str,
    pub publish: &'static str,
    pub publish_title: &'static str,
    pub publish_hint: &'static str,
    pub remark_label: &'static str,
    pub remark_hint: &'static str,
    pub token_hint: &'static str,
    pub masked: &'static str,
    pub problem: &'static str,
    pub compare: &'static str,
    pub compare_title: &'static str,
    pub from: &'static str,
    pub to: &'static str,
    pub live: &'static str,
    pub live_report: &'static str,
    pub all_versions: &'static str,
    pub no_difference: &'static str,
    pub see_changes: &'static str,
    pub lines: &'static str,
    pub show_version: &'static str,
}

/// The labels of `lang`.
#[must_use]
pub const fn version_labels(lang: Lang) -> &'static VersionLabels {
    match lang {
        Lang::Ja => &JA,
        Lang::En => &EN,
    }
}

static EN: VersionLabels = VersionLabels {
    versions: "Versions",
    intro: "A published version is the report as it stood then, byte for byte, whatever is measured, read again or written later. Its SHA-256 proves it.",
    none_yet: "Nothing has been published yet.",
    version: "Version",
    published: "Published",
    who: "By",
    this_machine: "this machine",
    remark: "Remark",
    sha256: "SHA-256 of the HTML",
    written_by: "Written by",
    files: "Files",
    newest: "newest",
    publish: "Publish",
    publish_title: "Publish the report as it is now",
    publish_hint: "This freezes the report in both languages under a number of its own. It cannot be taken back or changed.",
    remark_label: "Remark (optional)",
    remark_hint: "Shown in the list of versions, not in the report.",
    token_hint: "A token that may upload. It is not kept.",
    masked: "What looked like a secret in the remark was masked.",
    problem: "Nothing was published",
    compare: "Compare",
    compare_title: "What changed",
    from: "From",
    to: "To",
    live: "live report",
    live_report: "Live report",
    all_versions: "All versions",
    no_difference: "Nothing differs.",
    see_changes: "See what changed",
    lines: "Line by line",
    show_version: "Open this version",
};

static JA: VersionLabels = VersionLabels {
    versions: "公開版",
    intro: "公開版は、公開した時点のレポートをそのまま固定したものです。その後に実行を追加しても、読み取り直しても、メモを書き換えても、1バイトも変わりません。SHA-256で確かめられます。",
    none_yet: "まだ公開していません。",
    version: "版",
    published: "公開日時",
    who: "公開者",
    this_machine: "このマシン",
    remark: "備考",
    sha256: "HTMLのSHA-256",
    written_by: "作成したプログラム",
    files: "ファイル",
    newest: "最新",
    publish: "公開する",
    publish_title: "今のレポートを公開する",
    publish_hint: "今のレポートを両方の言語で固定し、新しい番号を付けます。あとから取り消したり、変更したりすることはできません。",
    remark_label: "備考（任意）",
    remark_hint: "公開版の一覧に表示します。レポートには載りません。",
    token_hint: "アップロードできるトークンを入力します。トークンは保存しません。",
    masked: "備考の中の秘密情報らしい部分を伏せ字にしました。",
    problem: "公開しませんでした",
    compare: "比較する",
    compare_title: "変わったところ",
    from: "比較元",
    to: "比較先",
    live: "現在のレポート",
    live_report: "現在のレポート",
    all_versions: "公開版の一覧",
    no_difference: "違いはありません。",
    see_changes: "違いを見る",
    lines: "行ごとの違い",
    show_version: "この版を開く",
};

/// Why nothing was published.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum VersionNotice {
    /// The form came from another site.
    OtherSite,
    /// No token, where one is needed.
    TokenMissing,
    /// A token that opens nothing.
    TokenRefused,
    /// A token for something else.
    TokenScope,
    /// More characters than a remark may have.
    TooLong(usize),
    /// The form did not arrive whole, or is far too long.
    BadForm,
    /// The store did not take it now.
    Busy,
    /// Our fault, under this number.
    Incident(String),
}

/// What happened and what helps.
#[must_use]
pub fn notice(lang: Lang, of: &VersionNotice) -> String {
    let max = count(MAX_REMARK as u64);
    match lang {
        Lang::En => match of {
            VersionNotice::OtherSite => "The form was sent from another site, so it was not accepted. Publish from here.".to_owned(),
            VersionNotice::TokenMissing => "A token is needed. Enter one and publish again.".to_owned(),
            VersionNotice::TokenRefused => {
                "The token is not known, was revoked or has expired. Enter another one and publish again.".to_owned()
            }
            VersionNotice::TokenScope => {
                "This token may not publish. Enter one with the scope upload, agent or admin and publish again.".to_owned()
            }
            VersionNotice::TooLong(characters) => format!(
                "The remark has {} characters; at most {max} can be kept. Shorten it and publish again.",
                count(*characters as u64)
            ),
            VersionNotice::BadForm => "The form did not arrive whole, or is far too long. Publish again.".to_owned(),
            VersionNotice::Busy => "The database is in use by somebody else. Publish again.".to_owned(),
            VersionNotice::Incident(number) => {
                format!("The server could not do this (incident {number}; its log says more). Try again.")
            }
        },
        Lang::Ja => match of {
            VersionNotice::OtherSite => "別のサイトから送られたフォームのため、受け付けませんでした。この画面から公開してください。".to_owned(),
            VersionNotice::TokenMissing => "トークンが必要です。トークンを入力して、もう一度公開してください。".to_owned(),
            VersionNotice::TokenRefused => "トークンが登録されていないか、失効または期限切れです。別のトークンを入力して、もう一度公開してください。".to_owned(),
            VersionNotice::TokenScope => "このトークンでは公開できません。スコープがupload、agent、adminのいずれかのトークンを入力して、もう一度公開してください。".to_owned(),
            VersionNotice::TooLong(characters) => format!(
                "備考が{}文字あります。{max}文字までにして、もう一度公開してください。",
                count(*characters as u64)
            ),
            VersionNotice::BadForm => "フォームが最後まで届かなかったか、長すぎます。もう一度公開してください。".to_owned(),
            VersionNotice::Busy => "データベースがほかの処理で使用中です。もう一度公開してください。".to_owned(),
            VersionNotice::Incident(number) => {
                format!("サーバーで処理できませんでした（障害番号{number}、詳細はログにあります）。もう一度お試しください。")
            }
        },
    }
}

/// A version by its number: `Version 2`.
#[must_use]
pub fn version(lang: Lang, number: u32) -> String {
    match lang {
        Lang::En => format!("Version {number}"),
        Lang::Ja => format!("第{number}版"),
    }
}

/// That a version was made.
#[must_use]
pub fn made(lang: Lang, number: u32) -> String {
    match lang {
        Lang::En => format!("Version {number} is published."),
        Lang::Ja => format!("第{number}版を公開しました。"),
    }
}

/// That nothing had changed, so no version was made.
#[must_use]
pub fn unchanged(lang: Lang, number: u32) -> String {
    match lang {
        Lang::En => format!("Nothing has changed since version {number}, so no other version was made."),
        Lang::Ja => format!("第{number}版から何も変わっていないため、新しい版は作りませんでした。"),
    }
}

/// Which program wrote a version, in which wording.
#[must_use]
pub fn written_by(lang: Lang, program: &str, text_version: u32) -> String {
    match lang {
        Lang::En => format!("Touchstone {program}, wording {text_version}"),
        Lang::Ja => format!("Touchstone {program}（文面の改訂{text_version}）"),
    }
}

/// How the live report stands to the newest version.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Standing {
    /// It is the same.
    Same,
    /// It has moved on: what changed, in a line.
    Moved(String),
    /// Not compared: a reader looks under limits of their own.
    Unknown,
}

/// That line. `age_ms` is how long ago the version was published.
#[must_use]
pub fn live(lang: Lang, number: u32, age_ms: i64, standing: &Standing) -> String {
    let ago = ago(lang, age_ms);
    match (lang, standing) {
        (Lang::En, Standing::Same) => format!("This is version {number}, published {ago}."),
        (Lang::Ja, Standing::Same) => format!("{ago}公開した第{number}版と同じ内容です。"),
        (Lang::En, Standing::Moved(what)) => format!("Version {number} was published {ago}; since then: {what}."),
        (Lang::Ja, Standing::Moved(what)) => format!("{ago}公開した第{number}版から変わったところ：{what}。"),
        (Lang::En, Standing::Unknown) => format!("Version {number} was published {ago}."),
        (Lang::Ja, Standing::Unknown) => format!("{ago}第{number}版を公開しました。"),
    }
}

/// How long ago something happened, in its largest unit; in Japanese with the particle that leads to what happened.
fn ago(lang: Lang, age_ms: i64) -> String {
    const MINUTE: i64 = 60_000;
    const HOUR: i64 = 60 * MINUTE;
    const DAY: i64 = 24 * HOUR;
    const MONTH: i64 = 30 * DAY;
    const YEAR: i64 = 365 * DAY;
    let units = [
        (YEAR, "year", "年前に"),
        (MONTH, "month", "か月前に"),
        (DAY, "day", "日前に"),
        (HOUR, "hour", "時間前に"),
        (MINUTE, "minute", "分前に"),
    ];
    let Some((size, en, ja)) = units.into_iter().find(|(size, ..)| age_ms >= *size) else {
        return match lang {
            Lang::En => "just now".to_owned(),
            Lang::Ja => "たった今".to_owned(),
        };
    };
    let n = age_ms / size;
    match lang {
        Lang::En => format!("{n} {en}{} ago", if n == 1 { "" } else { "s" }),
        Lang::Ja => format!("{n}{ja}"),
    }
}

/// The pages of versions in one sentence, for search results and link previews.
#[must_use]
pub fn description(lang: Lang, title: &str) -> String {
    match lang {
        Lang::En => format!("Published versions of “{title}”: each stays as it was, with its SHA-256."),
        Lang::Ja => {
            format!("「{title}」の公開版の一覧です。どの版も公開した時点のまま変わらず、SHA-256で確かめられます。")
        }
    }
}

/// That a list goes on.
#[must_use]
pub fn more(lang: Lang, n: usize) -> String {
    match lang {
        Lang::En => format!("{} more", count(n as u64)),
        Lang::Ja => format!("ほか{}件", count(n as u64)),
    }
}

/// From one state to another: `Version 1 → live report`.
#[must_use]
pub fn from_to(lang: Lang, from: u32, to: Option<u32>) -> String {
    let to = to.map_or_else(|| version_labels(lang).live.to_owned(), |to| version(lang, to));
    format!("{} → {to}", version(lang, from))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_age_is_said_in_its_largest_unit() {
        const MINUTE: i64 = 60_000;
        for (ms, en, ja) in [
            (-5, "just now", "たった今"),
            (59_999, "just now", "たった今"),
            (MINUTE, "1 minute ago", "1分前に"),
            (59 * MINUTE, "59 minutes ago", "59分前に"),
            (24 * 60 * MINUTE - 1, "23 hours ago", "23時間前に"),
            (3 * 24 * 60 * MINUTE, "3 days ago", "3日前に"),
            (45 * 24 * 60 * MINUTE, "1 month ago", "1か月前に"),
            (800 * 24 * 60 * MINUTE, "2 years ago", "2年前に"),
        ] {
            assert_eq!((ago(Lang::En, ms).as_str(), ago(Lang::Ja, ms).as_str()), (en, ja));
        }
    }
}
