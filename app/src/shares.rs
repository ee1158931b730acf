//! Share links as pages show them: what the server knows about a visit of their page. Plain data.

use domain::{share::LIFE, text::shares::ShareNotice};

/// What the server knows about a visit of the page of share links.
#[derive(Clone, Debug, Default)]
pub struct SharesDesk {
    /// Whether the forms ask for a token.
    pub token: bool,
    /// The form that this page answers.
    pub sent: Option<Sent>,
    /// What went wrong with it, and the answer's status.
    pub notice: Option<(ShareNotice, u16)>,
    /// The address of the link that was just made: shown this once.
    pub made: Option<String>,
}

/// The form that makes a link, as it was filled in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sent {
    /// As [`domain::share::Scope::key`] writes it.
    pub scope: String,
    /// For people.
    pub label: String,
    /// Whether outsiders read the redacted form.
    pub redacted: bool,
    /// Whether search engines may list it.
    pub public: bool,
    /// Days; none is for ever.
    pub days: Option<u32>,
}

impl Default for Sent {
    fn default() -> Self {
        Self { scope: "study".to_owned(), label: String::new(), redacted: true, public: false, days: Some(LIFE) }
    }
}
