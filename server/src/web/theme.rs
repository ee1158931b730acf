//! The theme switch without JavaScript: keep the choice in a cookie, go back.

use app::visit::{THEME_COOKIE, Theme};
use axum::{
    Form,
    http::{StatusCode, header},
    response::{IntoResponse, Redirect, Response},
};
use serde::Deserialize;

/// The switch's form.
#[derive(Deserialize)]
pub struct Choice {
    to: String,
    #[serde(default)]
    back: String,
}

/// Sets the cookie and sends the reader back to the page that was open.
pub async fn choose(Form(choice): Form<Choice>) -> Response {
    let Some(theme) = Theme::from_code(&choice.to) else {
        return (StatusCode::BAD_REQUEST, "expected to=auto, to=light or to=dark").into_response();
    };
    let cookie = format!("{THEME_COOKIE}={}; Path=/; Max-Age=31536000; SameSite=Lax", theme.code());
    ([(header::SET_COOKIE, cookie)], Redirect::to(local(&choice.back))).into_response()
}

/// Only a path of this site: `//host`, `/\host` and anything with a scheme would lead elsewhere.
fn local(back: &str) -> &str {
    let elsewhere = back.starts_with("//") || back.chars().any(|c| c == '\\' || c.is_control() || !c.is_ascii());
    if back.starts_with('/') && !elsewhere { back } else { "/" }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn back_never_leads_to_another_site() {
        for (back, to) in [
            ("/ja/studies/a?b=c", "/ja/studies/a?b=c"),
            ("//evil.example/", "/"),
            ("/\\evil.example/", "/"),
            ("/\t/evil.example/", "/"),
            ("https://evil.example/", "/"),
            ("", "/"),
            ("/\r\nSet-Cookie: a=b", "/"),
        ] {
            assert_eq!(local(back), to, "{back}");
        }
    }
}
