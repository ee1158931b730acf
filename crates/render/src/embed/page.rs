//! The conclusion card as a page for a frame on another site. Plain HTML with its style inside; links open the report beside
//! the page that frames it.

use domain::change::Verdict;
use domain::report::Report;
use domain::text::cards::{CardFact, CardGain, CardText, card, card_labels};
use domain::text::{Lang, labels, phrase};

use super::Theme;
use super::chart::Embedded;
use crate::icon::{self, MARK};
use crate::svg::escape_into;
use crate::tokens;

const CARD: &str = include_str!("card.css");

/// The page.
pub type Page = Embedded;

/// Draws it; `report_href` is the address of the report.
#[must_use]
pub fn card_page(report: &Report, lang: Lang, theme: Theme, report_href: &str) -> Page {
    let text = card(lang, report);
    let words = card_labels(lang);
    let style = format!("{}{CARD}", tokens::sheet());
    let mut html = Html(String::with_capacity(style.len() + 4096));
    let fixed = match theme {
        Theme::Auto => "",
        Theme::Light => " data-theme=\"light\"",
        Theme::Dark => " data-theme=\"dark\"",
    };
    html.raw(&format!(
        "<!DOCTYPE html><html lang=\"{}\"{fixed}><head><meta charset=\"utf-8\"><meta name=\"viewport\" \
         content=\"width=device-width, initial-scale=1\"><meta name=\"robots\" content=\"noindex\"><title>",
        lang.code()
    ));
    html.text(&format!("{} — Touchstone", text.title));
    html.raw("</title><link rel=\"canonical\" href=\"");
    html.text(report_href);
    html.raw("\"><style>");
    html.raw(&style);
    // Named: the page that frames it has a main part, too.
    html.raw("</style></head><body><main class=\"card\" aria-label=\"");
    html.text(words.card);
    html.raw("\">");
    html.head(&text, report_href);
    match &text.gain {
        Some(gain) => html.gain(&text, gain),
        None => {
            html.raw("<div class=\"main main--sentence\"><div><p class=\"line\"><span class=\"stamp stamp--plain\">");
            html.text(text.standing);
            html.raw("</span></p><p class=\"sentence\">");
            html.text(&text.headline);
            html.raw("</p></div></div>");
        }
    }
    html.command(&text);
    html.raw("<p class=\"foot\">");
    html.link(report_href, words.read_report);
    if text.command.iter().any(|line| line.added) {
        html.raw("<span class=\"key\">");
        html.text(words.added);
        html.raw("</span>");
    }
    html.raw("</p></main></body></html>");
    Page { body: html.0, style }
}

struct Html(String);

impl Html {
    fn raw(&mut self, markup: &str) {
        self.0.push_str(markup);
    }

    fn text(&mut self, text: &str) {
        escape_into(text, &mut self.0);
    }

    fn link(&mut self, href: &str, text: &str) {
        self.raw("<a href=\"");
        self.text(href);
        self.raw("\" target=\"_blank\" rel=\"noopener\">");
        self.text(text);
        self.raw("</a>");
    }

    fn head(&mut self, text: &CardText, href: &str) {
        let (stone, streak) = MARK;
        self.raw(&format!(
            "<p class=\"head\"><span class=\"brand\"><svg viewBox=\"0 0 24 24\" aria-hidden=\"true\"><path class=\"stone\" \
             d=\"{stone}\"/><path class=\"streak\" d=\"{streak}\"/></svg>Touchstone <small lang=\"ja\">試金石</small>\
             </span><span>"
        ));
        self.text(&text.place.join(" · "));
        self.raw("</span></p><h1>");
        self.link(href, &text.title);
        self.raw("</h1>");
    }

    fn gain(&mut self, text: &CardText, gain: &CardGain) {
        self.raw("<div class=\"main\"><div><p class=\"line\"><span class=\"stamp\">");
        self.text(text.standing);
        self.raw("</span><span>");
        self.text(&format!("{} · {}", gain.goal, gain.profile));
        self.raw("</span></p><div class=\"gain\">");
        let class = match (gain.verdict, gain.unproven) {
            (Verdict::Better, true) => "figure figure--once",
            (Verdict::Better, false) => "figure figure--better",
            (Verdict::Worse, _)
            | (Verdict::Neutral | Verdict::WithinNoise | Verdict::Unknown | Verdict::NotComparable, _) => "figure",
        };
        match &gain.figure {
            Some(figure) => {
                self.raw(&format!("<p class=\"{class}\">"));
                self.text(figure);
                self.raw("</p><ul class=\"said\"><li>");
                self.verdict(gain);
                self.raw("</li><li>");
                let forms: Vec<&str> = std::iter::once(gain.basis).chain(gain.reported.as_deref()).collect();
                self.text(&forms.join(phrase::separator(text.lang)));
                self.raw("</li>");
                if let Some(noise) = &gain.noise {
                    self.raw("<li>");
                    self.text(noise);
                    self.raw("</li>");
                }
                self.raw("</ul>");
            }
            None => {
                self.raw(&format!("<p class=\"{class} figure--word\">"));
                self.text(gain.word);
                self.raw("</p>");
            }
        }
        self.raw("</div></div><dl class=\"facts\">");
        for fact in [&text.elsewhere, &text.worst].into_iter().flatten() {
            self.fact(text.lang, fact);
        }
        self.raw("</dl>");
        if let Some(caveat) = text.caveat {
            self.raw("<p class=\"caveat\">");
            self.text(caveat);
            self.raw("</p>");
        }
        self.raw("</div>");
    }

    fn verdict(&mut self, gain: &CardGain) {
        let class = match (gain.verdict, gain.unproven) {
            (Verdict::Better | Verdict::Worse, true) => "v v--once",
            (Verdict::Better, false) => "v v--better",
            (Verdict::Worse, false) => "v v--worse",
            (Verdict::Neutral | Verdict::WithinNoise | Verdict::Unknown | Verdict::NotComparable, _) => "v",
        };
        let drawing = icon::verdict(gain.verdict, gain.unproven);
        self.raw(&format!("<span class=\"{class}\"><svg viewBox=\"0 0 16 16\" aria-hidden=\"true\">{drawing}</svg>"));
        self.text(gain.word);
        self.raw("</span>");
    }

    fn fact(&mut self, lang: Lang, fact: &CardFact) {
        self.raw("<dt>");
        self.text(fact.label);
        self.raw("</dt><dd>");
        if let Some(profile) = &fact.profile {
            self.raw("<b>");
            self.text(profile);
            self.raw("</b>");
        }
        let last = fact.parts.len().saturating_sub(1);
        for (at, part) in fact.parts.iter().enumerate() {
            // What says nothing of a figure may break where it likes.
            let figure = part.chars().any(|c| c.is_ascii_digit());
            self.raw(if figure { "<span>" } else { "" });
            self.text(part);
            self.text(if at < last { phrase::separator(lang).trim_end() } else { "" });
            self.raw(if figure { "</span>" } else { "" });
            self.raw(if at < last && lang == Lang::En { " " } else { "" });
        }
        self.raw("</dd>");
    }

    fn command(&mut self, text: &CardText) {
        if text.command.is_empty() {
            if text.gain.is_some() {
                self.raw("<p class=\"none\">");
                self.text(card_labels(text.lang).no_command);
                self.raw("</p>");
            }
            return;
        }
        self.raw("<pre tabindex=\"0\" role=\"group\" aria-label=\"");
        self.text(labels(text.lang).serving_command);
        self.raw("\"><code>");
        let last = text.command.len() - 1;
        for (at, line) in text.command.iter().enumerate() {
            self.raw(if line.added { "<span class=\"arg arg--new\">" } else { "<span class=\"arg\">" });
            self.raw(if at == 0 { "" } else { "    " });
            self.text(&line.text);
            self.raw(if at < last { "<span class=\"bs\"> \\\n</span>" } else { "" });
            self.raw("</span>");
        }
        self.raw("</code></pre>");
    }
}
