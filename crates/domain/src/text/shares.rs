//! Words of share links: their list, the form that makes one, what is redacted, and what outsiders are told.

use super::Lang;
use super::number::count;
use super::versions::version;
use crate::redact::{Kind, Taken};
use crate::share::{MAX_LABEL, Scope, State};

/// Every label of the pages about share links, in one language.
#[expect(missing_docs, reason = "each field is the word it is named after")]
#[derive(Debug)]
pub struct ShareLabels {
    pub shares: &'static str,
    pub share: &'static str,
    pub share_view: &'static str,
    pub intro: &'static str,
    pub none_yet: &'static str,
    pub label: &'static str,
    pub label_hint: &'static str,
    pub opens: &'static str,
    pub shows: &'static str,
    pub redacted: &'static str,
    pub plain: &'static str,
    pub redact: &'static str,
    pub redact_hint: &'static str,
    pub public: &'static str,
    pub public_short: &'static str,
    pub public_hint: &'static str,
    pub created: &'static str,
    pub by: &'static str,
    pub this_machine: &'static str,
    pub expires: &'static str,
    pub never: &'static str,
    pub views: &'static str,
    pub last_view: &'static str,
    pub state: &'static str,
    pub revoke: &'static str,
    pub revoke_sure: &'static str,
    pub revoked_now: &'static str,
    pub make_title: &'static str,
    pub make: &'static str,
    pub preview: &'static str,
    pub made: &'static str,
    pub made_hint: &'static str,
    pub the_link: &'static str,
    pub token_hint: &'static str,
    pub problem: &'static str,
    pub taken_title: &'static str,
    pub taken_none: &'static str,
    pub taken_hint: &'static str,
    pub back: &'static str,
    pub shut_title: &'static str,
    pub unknown: &'static str,
    pub over: &'static str,
}

/// The labels of `lang`.
#[must_use]
pub const fn share_labels(lang: Lang) -> &'static ShareLabels {
    match lang {
        Lang::Ja => &JA,
        Lang::En => &EN,
    }
}

static EN: ShareLabels = ShareLabels {
    shares: "Share links",
    share: "Share",
    share_view: "Share this view",
    intro: "Whoever has a link can read what it opens, without an account, and nothing else. A link cannot be shown again after it was made; it can be revoked at any time.",
    none_yet: "There are no share links yet.",
    label: "Label (optional)",
    label_hint: "For this list: whom the link is for.",
    opens: "Opens",
    shows: "Shows",
    redacted: "redacted",
    plain: "everything",
    redact: "Redact what is internal",
    redact_hint: "Host names, addresses, user names, mail addresses, keys and internal paths. Raw outputs are left out.",
    public: "Let search engines list it",
    public_short: "public",
    public_hint: "Otherwise the page asks them not to.",
    created: "Made",
    by: "By",
    this_machine: "this machine",
    expires: "Expires",
    never: "never",
    views: "Views",
    last_view: "Last view",
    state: "State",
    revoke: "Revoke",
    revoke_sure: "It stops working at once, for good.",
    revoked_now: "The link was revoked. It opens nothing any more.",
    make_title: "Make a link",
    make: "Make the link",
    preview: "Preview what outsiders see",
    made: "The link is ready.",
    made_hint: "Copy it now: it is not kept, and cannot be shown again.",
    the_link: "Share link",
    token_hint: "A token that may upload. It is not kept.",
    problem: "This was not done",
    taken_title: "What is redacted in this study",
    taken_none: "Nothing: no host name, address, user name, mail address, key or internal path was found. Notes and titles are free text, so look at the preview all the same.",
    taken_hint: "Found by shape and by what the study itself says. Notes and titles are free text: look at the preview before you share.",
    back: "Preview: back to the share links",
    shut_title: "This link does not open anything",
    unknown: "The link is not known here. Perhaps a part of it was lost on the way: ask whoever sent it.",
    over: "The link has expired or was revoked. Ask whoever sent it for another one.",
};

static JA: ShareLabels = ShareLabels {
    shares: "共有リンク",
    share: "共有",
    share_view: "この表示を共有",
    intro: "リンクを知っている人は、アカウントなしで、リンクの対象だけを閲覧できます。作成したリンクを後からもう一度表示することはできません。失効はいつでもできます。",
    none_yet: "共有リンクはまだありません。",
    label: "ラベル（任意）",
    label_hint: "この一覧に表示します。共有先などを書いてください。",
    opens: "対象",
    shows: "表示内容",
    redacted: "伏せ字あり",
    plain: "すべて",
    redact: "社内の情報を伏せ字にする",
    redact_hint: "ホスト名、アドレス、ユーザー名、メールアドレス、鍵、社内のパスを伏せます。生の出力は含めません。",
    public: "検索エンジンへの掲載を許可する",
    public_short: "検索可",
    public_hint: "許可しない場合は、掲載しないよう検索エンジンに伝えます。",
    created: "作成日時",
    by: "作成者",
    this_machine: "このマシン",
    expires: "有効期限",
    never: "なし",
    views: "閲覧数",
    last_view: "最終閲覧",
    state: "状態",
    revoke: "失効させる",
    revoke_sure: "すぐに使えなくなり、元には戻せません。",
    revoked_now: "リンクを失効させました。もう何も開けません。",
    make_title: "リンクを作成する",
    make: "リンクを作成",
    preview: "共有先での見え方を確認",
    made: "リンクを作成しました。",
    made_hint: "今のうちにコピーしてください。リンクは保存しないため、もう一度表示することはできません。",
    the_link: "共有リンク",
    token_hint: "アップロードできるトークンを入力してください。保存はしません。",
    problem: "実行できませんでした",
    taken_title: "この検証で伏せ字になるもの",
    taken_none: "ありません。ホスト名、アドレス、ユーザー名、メールアドレス、鍵、社内のパスは見つかりませんでした。メモやタイトルは自由な文章なので、念のため共有先での見え方を確認してください。",
    taken_hint: "文字列の形と、検証に書かれた内容から見つけたものです。メモやタイトルは自由な文章なので、共有する前に共有先での見え方を確認してください。",
    back: "共有先での見え方です。共有リンクに戻る",
    shut_title: "このリンクでは何も開けません",
    unknown: "登録されていないリンクです。途中で一部が失われた可能性があります。送った人に確認してください。",
    over: "リンクの有効期限が切れたか、リンクが失効しました。送った人に新しいリンクを依頼してください。",
};

/// Why a form of share links was not accepted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ShareNotice {
    /// It came from another site.
    OtherSite,
    /// No token, where one is needed.
    TokenMissing,
    /// A token that is not known, was revoked or has expired.
    TokenRefused,
    /// A token for something else.
    TokenScope,
    /// So many characters in the label.
    TooLong(usize),
    /// What the link would open is not there: a version, or every side of a comparison.
    NothingThere,
    /// The link to revoke is not in this list.
    NoSuchLink,
    /// The form did not arrive whole.
    BadForm,
    /// The server's fault, with its number in the log.
    Incident(String),
}

/// What helps.
#[must_use]
pub fn notice(lang: Lang, of: &ShareNotice) -> String {
    let max = count(MAX_LABEL as u64);
    match lang {
        Lang::En => match of {
            ShareNotice::OtherSite => "The form was sent from another site, so it was not accepted. Send it from here.".to_owned(),
            ShareNotice::TokenMissing => "A token is needed. Enter one and try again.".to_owned(),
            ShareNotice::TokenRefused => {
                "The token is not known, was revoked or has expired. Enter another one and try again.".to_owned()
            }
            ShareNotice::TokenScope => {
                "This token may not share. Enter one with the scope upload, agent or admin and try again.".to_owned()
            }
            ShareNotice::TooLong(characters) => format!(
                "The label has {} characters; at most {max} can be kept. Shorten it and try again.",
                count(*characters as u64)
            ),
            ShareNotice::NothingThere => "What the link would open is not there any more. Choose again.".to_owned(),
            ShareNotice::NoSuchLink => "This link is not in the list. Load the page again.".to_owned(),
            ShareNotice::BadForm => "The form did not arrive whole. Try again.".to_owned(),
            ShareNotice::Incident(number) => {
                format!("The server could not do this (incident {number}; its log says more). Try again.")
            }
        },
        Lang::Ja => match of {
            ShareNotice::OtherSite => "別のサイトから送られたフォームのため、受け付けませんでした。この画面から操作してください。".to_owned(),
            ShareNotice::TokenMissing => "トークンが必要です。トークンを入力して、もう一度お試しください。".to_owned(),
            ShareNotice::TokenRefused => "トークンが登録されていないか、失効または期限切れです。別のトークンを入力して、もう一度お試しください。".to_owned(),
            ShareNotice::TokenScope => "このトークンでは共有できません。スコープがupload、agent、adminのいずれかのトークンを入力して、もう一度お試しください。".to_owned(),
            ShareNotice::TooLong(characters) => format!(
                "ラベルが{}文字あります。{max}文字までにして、もう一度お試しください。",
                count(*characters as u64)
            ),
            ShareNotice::NothingThere => "リンクの対象がなくなっています。選び直してください。".to_owned(),
            ShareNotice::NoSuchLink => "このリンクは一覧にありません。ページを読み込み直してください。".to_owned(),
            ShareNotice::BadForm => "フォームが最後まで届きませんでした。もう一度お試しください。".to_owned(),
            ShareNotice::Incident(number) => {
                format!("サーバーで処理できませんでした（障害番号{number}、詳細はログにあります）。もう一度お試しください。")
            }
        },
    }
}

/// What a link opens.
#[must_use]
pub fn scope(lang: Lang, of: &Scope) -> String {
    match (lang, of) {
        (Lang::En, Scope::Study) => "Report as it moves on".to_owned(),
        (Lang::Ja, Scope::Study) => "現在のレポート".to_owned(),
        (_, Scope::Version(number)) => version(lang, *number),
        (Lang::En, Scope::Compare(view)) => format!("Comparison of {}", view.subjects.len()),
        (Lang::Ja, Scope::Compare(view)) => format!("{}件の比較", view.subjects.len()),
    }
}

/// Whether a link opens something.
#[must_use]
pub const fn state(lang: Lang, of: State) -> &'static str {
    match (lang, of) {
        (Lang::En, State::Open) => "works",
        (Lang::Ja, State::Open) => "有効",
        (Lang::En, State::Expired) => "expired",
        (Lang::Ja, State::Expired) => "期限切れ",
        (Lang::En, State::Revoked) => "revoked",
        (Lang::Ja, State::Revoked) => "失効",
    }
}

/// How long a link lives, in days.
#[must_use]
pub fn life(lang: Lang, days: Option<u32>) -> String {
    match (lang, days) {
        (Lang::En, Some(days)) => format!("in {days} days"),
        (Lang::Ja, Some(days)) => format!("{days}日後"),
        (_, None) => share_labels(lang).never.to_owned(),
    }
}

const fn kind(lang: Lang, of: Kind) -> &'static str {
    match (lang, of) {
        (Lang::En, Kind::Host) => "host name",
        (Lang::Ja, Kind::Host) => "ホスト名",
        (Lang::En, Kind::Ip) => "IP address",
        (Lang::Ja, Kind::Ip) => "IPアドレス",
        (Lang::En, Kind::User) => "user name",
        (Lang::Ja, Kind::User) => "ユーザー名",
        (Lang::En, Kind::Mail) => "mail address",
        (Lang::Ja, Kind::Mail) => "メールアドレス",
        (Lang::En, Kind::Key) => "key or password",
        (Lang::Ja, Kind::Key) => "鍵・パスワード",
        (Lang::En, Kind::Path) => "internal path",
        (Lang::Ja, Kind::Path) => "社内のパス",
        (Lang::En, Kind::Model) => "internal model name",
        (Lang::Ja, Kind::Model) => "社内のモデル名",
    }
}

/// What was taken, and how often: `[host-1]` and `host name, 3 times`.
#[must_use]
pub fn taken(lang: Lang, of: &Taken) -> String {
    match lang {
        Lang::En => match of.count {
            1 => format!("{}, once", kind(lang, of.kind)),
            times => format!("{}, {} times", kind(lang, of.kind), count(times as u64)),
        },
        Lang::Ja => format!("{}、{}か所", kind(lang, of.kind), count(of.count as u64)),
    }
}

/// Words before which four numbers are a version and no address, in lower case: products with such versions, and the word
/// itself in both languages.
pub(crate) const VERSION_WORDS: [&str; 16] = [
    "version",
    "ver",
    "release",
    "rev",
    "tensorrt",
    "trt",
    "cudnn",
    "cuda",
    "nccl",
    "cublas",
    "nvshmem",
    "driver",
    "バージョン",
    "版",
    "ドライバー",
    "ドライバ",
];

/// Words after which people write a password or a key in a sentence, in lower case.
pub(crate) const KEY_WORDS: [&str; 12] = [
    "password",
    "passwd",
    "passphrase",
    "passcode",
    "secret",
    "api key",
    "access key",
    "token",
    "パスワード",
    "合言葉",
    "鍵",
    "トークン",
];

/// Words that may stand between them and the key.
pub(crate) const KEY_LINKS: [&str; 4] = ["is", "was", "は", "が"];
