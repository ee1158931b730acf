//! Lines of HTML and Markdown that show parts of a report on other pages.

use domain::{
    report::Report,
    study::Localized,
    text::{
        cards::{badge, badge_title, card_labels},
        escape_markdown,
    },
};
use render::embed::{CHART_WIDTH, Chart};

use crate::{
    lang::Lang,
    routes::{Route, badge_href, card_href, embed_href},
};

/// What all lines of one study have in common.
pub struct Snippets {
    /// Scheme and host as readers see them.
    pub origin: String,
    /// The study's name in addresses.
    pub slug: String,
    /// For people.
    pub title: Localized,
}

impl Snippets {
    /// The card for a frame.
    #[must_use]
    pub fn card_path(&self, lang: Lang) -> String {
        embed_href(lang, &self.slug, "card")
    }

    /// A chart's picture.
    #[must_use]
    pub fn chart_path(&self, lang: Lang, chart: Chart) -> String {
        embed_href(lang, &self.slug, &format!("{}.svg", chart.name()))
    }

    /// The badge.
    #[must_use]
    pub fn badge_path(&self, lang: Lang) -> String {
        badge_href(lang, &self.slug)
    }

    /// A frame with the card.
    #[must_use]
    pub fn card_html(&self, lang: Lang) -> String {
        format!(
            "<iframe src=\"{}\" title=\"{}\" width=\"720\" height=\"480\" loading=\"lazy\" \
             style=\"border: 0; width: 100%; max-width: 720px\"></iframe>",
            attribute(&self.absolute(&self.card_path(lang))),
            attribute(&self.named(lang, card_labels(lang).card))
        )
    }

    /// A chart that links to the report.
    #[must_use]
    pub fn chart_html(&self, lang: Lang, chart: Chart) -> String {
        let width = format!(" width=\"{CHART_WIDTH}\"");
        self.image_of(lang, &self.chart_path(lang, chart), &self.named(lang, &chart.title(lang)), &width)
    }

    /// The same in Markdown.
    #[must_use]
    pub fn chart_markdown(&self, lang: Lang, chart: Chart) -> String {
        self.markdown_of(lang, &self.chart_path(lang, chart), &self.named(lang, &chart.title(lang)))
    }

    /// A badge that links to the report.
    #[must_use]
    pub fn badge_html(&self, lang: Lang, report: &Report) -> String {
        self.image_of(lang, &self.badge_path(lang), &badge_title(lang, &badge(lang, report).1), " height=\"20\"")
    }

    /// The same in Markdown.
    #[must_use]
    pub fn badge_markdown(&self, lang: Lang, report: &Report) -> String {
        self.markdown_of(lang, &self.badge_path(lang), &badge_title(lang, &badge(lang, report).1))
    }

    /// The social card that links to the report.
    #[must_use]
    pub fn image_html(&self, lang: Lang) -> String {
        let alt = self.named(lang, card_labels(lang).card);
        self.image_of(lang, &card_href(lang, &self.slug), &alt, " width=\"600\"")
    }

    /// The same in Markdown.
    #[must_use]
    pub fn image_markdown(&self, lang: Lang) -> String {
        self.markdown_of(lang, &card_href(lang, &self.slug), &self.named(lang, card_labels(lang).card))
    }

    fn named(&self, lang: Lang, what: &str) -> String {
        format!("{what} — {}", self.title.get(lang))
    }

    fn absolute(&self, path: &str) -> String {
        format!("{}{path}", self.origin)
    }

    fn report(&self, lang: Lang) -> String {
        self.absolute(&Route::Study(self.slug.clone()).href(lang))
    }

    fn image_of(&self, lang: Lang, path: &str, alt: &str, size: &str) -> String {
        format!(
            "<a href=\"{}\"><img src=\"{}\" alt=\"{}\"{size}></a>",
            attribute(&self.report(lang)),
            attribute(&self.absolute(path)),
            attribute(alt)
        )
    }

    fn markdown_of(&self, lang: Lang, path: &str, alt: &str) -> String {
        format!("[![{}]({})]({})", escape_markdown(alt), self.absolute(path), self.report(lang))
    }
}

/// Text in a double-quoted attribute.
fn attribute(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
        .replace(['\n', '\r'], " ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(title: &str) -> Snippets {
        Snippets { origin: "https://bench.example".into(), slug: "a b".into(), title: Localized::same(title) }
    }

    #[test]
    fn lines_name_absolute_addresses_and_link_to_the_report() {
        let lines = of("Tuning");
        assert_eq!(
            lines.chart_markdown(Lang::En, Chart::Gain),
            "[![Change in total TPS per profile — Tuning](https://bench.example/en/embed/a%20b/gain.svg)]\
             (https://bench.example/en/studies/a%20b)"
        );
        assert!(
            lines.card_html(Lang::Ja).starts_with("<iframe src=\"https://bench.example/ja/embed/a%20b/card\" title=\"")
        );
        assert!(lines.image_html(Lang::En).contains("src=\"https://bench.example/en/studies/a%20b/card.png\""));
    }

    #[test]
    fn a_title_stays_inside_its_attribute_and_its_brackets() {
        let lines = of("a|b<script>\"](x) & \n[y]");
        for line in [lines.card_html(Lang::En), lines.chart_html(Lang::En, Chart::Profiles)] {
            assert!(!line.contains("<script") && !line.contains('\n'), "{line}");
            assert_eq!(line.matches("title=\"").count() + line.matches("alt=\"").count(), 1, "{line}");
        }
        let line = lines.chart_markdown(Lang::En, Chart::Profiles);
        assert!(line.contains("a\\|b\\<script\\>\"\\](x) \\&  \\[y\\]"), "{line}");
    }
}
