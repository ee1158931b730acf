//! What a request says about how its page must be drawn: place, language, theme.

use std::sync::Arc;

use http::{HeaderMap, Uri, header};
use store::Store;

use crate::{lang::Lang, routes::Route};

/// Name of the cookie that holds the theme chosen; no cookie means the system's.
pub const THEME_COOKIE: &str = "theme";

/// What all pages of one server share.
#[derive(Clone)]
pub struct Site {
    /// Where the assets of this build are, such as `/v/1a2b3c4d5e6f`; no slash at the end.
    pub assets: Arc<str>,
    /// Scheme and host that readers use, when the operator said so; no slash at the end.
    pub origin: Option<Arc<str>>,
    /// All stored data.
    pub store: Store,
}

/// One request for a page.
#[derive(Clone, Debug)]
pub struct Visit {
    /// The page asked for; `None` when the address is no page of ours.
    pub route: Option<Route>,
    /// The language of the address, else the one that the reader prefers.
    pub lang: Lang,
    /// The theme to draw in.
    pub theme: Theme,
    /// The path as it was asked for.
    pub path: String,
    /// What follows the question mark, as it was asked for.
    pub query: Option<String>,
    /// Scheme and host as the reader sees them.
    pub origin: String,
}

/// Light, dark, or as the reader's system says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Theme {
    /// As the system says.
    #[default]
    Auto,
    /// Light.
    Light,
    /// Dark.
    Dark,
}

impl Visit {
    /// Reads a request.
    #[must_use]
    pub fn of(uri: &Uri, headers: &HeaderMap, site: &Site) -> Self {
        let place = Route::parse(uri.path());
        let lang = match &place {
            Some((lang, _)) => *lang,
            None => lang_of_path(uri.path()).unwrap_or_else(|| preferred(headers)),
        };
        Self {
            route: place.map(|(_, route)| route),
            lang,
            theme: Theme::of(headers),
            path: uri.path().to_owned(),
            query: uri.query().map(str::to_owned),
            origin: match &site.origin {
                Some(origin) => origin.to_string(),
                None => origin_of(headers),
            },
        }
    }

    /// The same page, query included, in another language.
    #[must_use]
    pub fn in_lang(&self, lang: Lang) -> String {
        let mut href = match &self.route {
            Some(route) => route.href(lang),
            None => Route::Home.href(lang),
        };
        if let (Some(_), Some(query)) = (&self.route, &self.query) {
            href.push('?');
            href.push_str(query);
        }
        href
    }

    /// This page, as a local address to come back to.
    #[must_use]
    pub fn here(&self) -> String {
        match &self.query {
            Some(query) => format!("{}?{query}", self.path),
            None => self.path.clone(),
        }
    }
}

impl Theme {
    /// All, in the order in which the switch shows them.
    pub const ALL: [Self; 3] = [Self::Auto, Self::Light, Self::Dark];

    /// As in the cookie, the form and `data-theme`.
    #[must_use]
    pub const fn code(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Light => "light",
            Self::Dark => "dark",
        }
    }

    /// A theme by its code.
    #[must_use]
    pub fn from_code(code: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|theme| theme.code() == code)
    }

    fn of(headers: &HeaderMap) -> Self {
        headers
            .get_all(header::COOKIE)
            .iter()
            .filter_map(|value| value.to_str().ok())
            .flat_map(|value| value.split(';'))
            .filter_map(|pair| pair.trim().split_once('='))
            .find(|(name, _)| *name == THEME_COOKIE)
            .and_then(|(_, code)| Self::from_code(code))
            .unwrap_or_default()
    }
}

/// The language that `Accept-Language` likes best among ours; English when it names neither.
#[must_use]
pub fn preferred(headers: &HeaderMap) -> Lang {
    let asked = headers.get(header::ACCEPT_LANGUAGE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let mut best = (0.0, Lang::En);
    for item in asked.split(',') {
        let mut parts = item.split(';');
        let range = parts.next().unwrap_or_default().trim().to_ascii_lowercase();
        let weight = parts.find_map(|part| part.trim().strip_prefix("q=")?.trim().parse::<f32>().ok()).unwrap_or(1.0);
        let primary = range.split('-').next().unwrap_or_default();
        if let Ok(lang) = primary.parse::<Lang>()
            && weight > best.0
        {
            best = (weight, lang);
        }
    }
    best.1
}

fn lang_of_path(path: &str) -> Option<Lang> {
    path.split('/').nth(1)?.parse().ok()
}

/// From the Host header, with everything refused that is no host and port: the value comes from outside and is put
/// into links.
fn origin_of(headers: &HeaderMap) -> String {
    headers
        .get(header::HOST)
        .and_then(|host| host.to_str().ok())
        .filter(|host| host.chars().all(|c| c.is_ascii_alphanumeric() || ".-:[]".contains(c)))
        .map(|host| format!("http://{host}"))
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(name: header::HeaderName, value: &str) -> HeaderMap {
        HeaderMap::from_iter([(name, value.parse().unwrap())])
    }

    #[test]
    fn the_language_liked_best_wins() {
        for (asked, lang) in [
            ("", Lang::En),
            ("ja", Lang::Ja),
            ("ja-JP,en;q=0.8", Lang::Ja),
            ("en-GB,en;q=0.9,ja;q=0.8", Lang::En),
            ("fr, ja;q=0.2, en;q=0.1", Lang::Ja),
            ("fr;q=1, *;q=0.5", Lang::En),
            ("ja;q=0", Lang::En),
            ("JA;q=abc", Lang::Ja),
        ] {
            assert_eq!(preferred(&headers(header::ACCEPT_LANGUAGE, asked)), lang, "{asked}");
        }
    }

    #[test]
    fn the_theme_comes_from_its_cookie_only() {
        for (cookie, theme) in [
            ("theme=dark", Theme::Dark),
            ("a=b; theme=light; c=d", Theme::Light),
            ("mytheme=dark", Theme::Auto),
            ("theme=\"><script>", Theme::Auto),
        ] {
            assert_eq!(Theme::of(&headers(header::COOKIE, cookie)), theme, "{cookie}");
        }
    }

    #[test]
    fn a_host_that_is_no_host_gives_no_origin() {
        assert_eq!(origin_of(&headers(header::HOST, "bench.example:3000")), "http://bench.example:3000");
        assert_eq!(origin_of(&headers(header::HOST, "[::1]:3000")), "http://[::1]:3000");
        assert_eq!(origin_of(&headers(header::HOST, "a/b\"><x")), "");
    }
}
