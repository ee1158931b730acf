//! What stands in a field of several lines.

/// A text as a `<textarea>` holds it: to be given as `inner_html`. Leptos writes the children of this one element as they
/// are, so that a text with an end tag in it would become part of the page.
#[must_use]
pub fn in_textarea(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use leptos::prelude::*;

    use super::*;

    #[test]
    fn no_text_ends_its_field() {
        let owner = Owner::new();
        let shown = owner.with(|| {
            let text = in_textarea("</textarea><b>&amp;");
            view! { <textarea name="a" inner_html=text></textarea> }.to_html()
        });
        assert_eq!(shown, "<textarea name=\"a\">&lt;/textarea&gt;&lt;b&gt;&amp;amp;</textarea>");
    }
}
