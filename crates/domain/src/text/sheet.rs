//! What a report in one file says about itself at its top.

use super::{Lang, phrase};

/// What kind of file it is. Instants are milliseconds since 1970 UTC.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stamp {
    /// The report as it stood when the study last changed.
    Export {
        /// Last change of the study.
        updated_at: i64,
    },
    /// A published version.
    Version {
        /// From 1.
        number: u32,
        /// When it was published.
        published_at: i64,
    },
    /// What a share link shows.
    Shared {
        /// The version, where the link is to one; otherwise the report moves on with the study.
        version: Option<u32>,
        /// Whether names, addresses, paths and keys were taken out.
        redacted: bool,
        /// When the link ends, where it does.
        expires_at: Option<i64>,
    },
}

/// The same of a comparison.
#[must_use]
pub fn stamp_of_comparison(lang: Lang, stamp: &Stamp) -> String {
    match (lang, *stamp) {
        (Lang::En, Stamp::Shared { redacted, expires_at, .. }) => {
            conditions(lang, "Shared comparison, read-only.".to_owned(), redacted, expires_at)
        }
        (Lang::Ja, Stamp::Shared { redacted, expires_at, .. }) => {
            conditions(lang, "閲覧専用で共有された比較です。".to_owned(), redacted, expires_at)
        }
        (Lang::En, Stamp::Export { updated_at }) => {
            format!("Exported comparison. It shows its studies as of {}.", phrase::instant(lang, updated_at))
        }
        (Lang::Ja, Stamp::Export { updated_at }) => {
            format!("書き出した比較です。{}時点の検証を示します。", phrase::instant(lang, updated_at))
        }
        (_, Stamp::Version { .. }) => self::stamp(lang, stamp),
    }
}

/// One or two sentences.
#[must_use]
pub fn stamp(lang: Lang, stamp: &Stamp) -> String {
    let at = |ms: i64| phrase::instant(lang, ms);
    match (lang, *stamp) {
        (Lang::En, Stamp::Export { updated_at }) => {
            format!("Exported report. It shows the study as of {}.", at(updated_at))
        }
        (Lang::Ja, Stamp::Export { updated_at }) => {
            format!("書き出したレポートです。{}時点の検証を示します。", at(updated_at))
        }
        (Lang::En, Stamp::Version { number, published_at }) => {
            format!("Version {number}, published {}. It stays as it is, whatever is measured later.", at(published_at))
        }
        (Lang::Ja, Stamp::Version { number, published_at }) => {
            format!("{}に公開した第{number}版です。その後の計測にかかわらず、内容は変わりません。", at(published_at))
        }
        (_, Stamp::Shared { version, redacted, expires_at }) => shared(lang, version, redacted, expires_at),
    }
}

fn shared(lang: Lang, version: Option<u32>, redacted: bool, expires_at: Option<i64>) -> String {
    let first = match (lang, version) {
        (Lang::En, None) => "Shared report, read-only.".to_owned(),
        (Lang::Ja, None) => "閲覧専用で共有されたレポートです。".to_owned(),
        (Lang::En, Some(number)) => format!("Version {number} of a shared report, read-only."),
        (Lang::Ja, Some(number)) => format!("閲覧専用で共有されたレポートの第{number}版です。"),
    };
    conditions(lang, first, redacted, expires_at)
}

/// What holds for whatever is shared.
fn conditions(lang: Lang, first: String, redacted: bool, expires_at: Option<i64>) -> String {
    let mut out = first;
    let until = expires_at.map(|ms| phrase::instant(lang, ms));
    match (lang, redacted) {
        (_, false) => {}
        (Lang::En, true) => out.push_str(" Names of hosts and users, addresses, keys and internal paths are redacted."),
        (Lang::Ja, true) => out.push_str("ホスト名・ユーザー名・アドレス・鍵・社内のパスは伏せ字にしてあります。"),
    }
    match (lang, until) {
        (_, None) => {}
        (Lang::En, Some(until)) => out.push_str(&format!(" The link works until {until}.")),
        (Lang::Ja, Some(until)) => out.push_str(&format!("このリンクは{until}まで有効です。")),
    }
    out
}
