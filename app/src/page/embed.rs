//! Ready-made lines for other pages: card, charts, badge, in both languages.

use domain::{
    id::StudySlug,
    redact::redact,
    report::{self, Report},
    text::{cards::card_labels, labels, page_labels},
};
use leptos::prelude::*;
use render::embed::{CHART_WIDTH, Chart, Theme};
use store::{Store, StoredStudy};

use crate::{
    error::AppError,
    island::CopyButton,
    lang::Lang,
    part::{ErrorNotice, Head, snippet::Snippets},
    routes::Route,
    visit::Visit,
    words::{copy_labels, words},
};

/// The page.
#[component]
pub fn Embed(
    /// The study's name in addresses.
    slug: String,
) -> impl IntoView {
    let store = expect_context::<Store>();
    let visit = expect_context::<Visit>();
    Suspend::new(async move {
        match store.study(&StudySlug::new(slug)).await {
            Ok(StoredStudy { data, .. }) => {
                view! { <Lines slug=data.study.slug.to_string() report=report::build(&redact(&data).data) visit/> }
                    .into_any()
            }
            Err(error) => view! { <ErrorNotice error=AppError::from_store(&error)/> }.into_any(),
        }
    })
}

#[component]
fn Lines(slug: String, report: Report, visit: Visit) -> impl IntoView {
    let lang = visit.lang;
    let own = card_labels(lang);
    let snippets = Snippets { origin: visit.origin, slug: slug.clone(), title: report.title.clone() };
    let study = Route::Study(slug).href(lang);
    let title = report.title.get(lang).to_owned();
    let charts = Chart::ALL.into_iter().filter(|chart| chart.svg(&report, lang, Theme::Auto).is_some());
    let charts = charts.map(|chart| {
        let preview = view! {
            <img class="embed__shown" src=snippets.chart_path(lang, chart) alt="" width=CHART_WIDTH.to_string() loading="lazy"/>
        };
        let lines = Lang::ALL.map(|of| (of, vec![snippets.chart_markdown(of, chart), snippets.chart_html(of, chart)]));
        entry(lang, chart.title(lang), own.chart_hint, preview.into_any(), lines)
    });
    let charts = charts.collect_view();
    let badge = view! { <img class="embed__shown" src=snippets.badge_path(lang) alt="" height="20"/> };
    let badges = Lang::ALL.map(|of| (of, vec![snippets.badge_markdown(of, &report), snippets.badge_html(of, &report)]));
    let card = view! {
        <iframe class="embed__shown embed__frame" src=snippets.card_path(lang) title=own.card></iframe>
    };
    let cards = Lang::ALL.map(|of| (of, vec![snippets.card_html(of)]));
    let pictures = Lang::ALL.map(|of| (of, vec![snippets.image_markdown(of), snippets.image_html(of)]));
    view! {
        <Head title=format!("{} — {title}", own.embed) description=own.embed_intro/>
        <nav class="crumbs" aria-label=page_labels(lang).breadcrumb>
            <a href=Route::Home.href(lang)>{labels(lang).studies}</a>
            <span aria-hidden="true">"/"</span>
            <a href=study>{snippets.slug.clone()}</a>
            <span aria-hidden="true">"/"</span>
            <span aria-current="page">{own.embed}</span>
        </nav>
        <div class="title">
            <div>
                <h1>{own.embed}</h1>
                <p>{title}</p>
            </div>
        </div>
        <div class="embed">
            <div class="prose">
                <p>{own.embed_intro}" "{own.theme_hint}</p>
                <p>{own.public_hint}</p>
            </div>
            {entry(lang, own.card.to_owned(), own.card_hint, card.into_any(), cards)}
            {entry(lang, own.badge.to_owned(), own.badge_hint, badge.into_any(), badges)}
            {charts}
            {entry(lang, own.image.to_owned(), own.image_hint, ().into_any(), pictures)}
        </div>
    }
}

/// One thing to embed: what it looks like, and its lines in both languages, the reader's first.
fn entry(
    lang: Lang,
    title: String,
    hint: &'static str,
    preview: AnyView,
    mut lines: [(Lang, Vec<String>); 2],
) -> impl IntoView + use<> {
    lines.sort_by_key(|(of, _)| *of != lang);
    let copy = copy_labels(words(lang));
    let lines = lines.map(|(of, lines)| {
        let copy = copy.clone();
        let name = format!("{title} ({})", of.name());
        let lines = lines.into_iter().map(move |line| {
            let kind = if line.starts_with('<') { "HTML" } else { "Markdown" };
            view! {
                <div class="snippet">
                    <div class="snippet__bar"><span>{kind}</span><CopyButton text=line.clone() labels=copy.clone()/></div>
                    <pre tabindex="0" role="group" aria-label=format!("{name}, {kind}")><code>{line}</code></pre>
                </div>
            }
        });
        view! {
            <div class="embed__lang">
                <p class="embed__name" lang=of.code()>{of.name()}</p>
                {lines.collect_view()}
            </div>
        }
    });
    view! {
        <section class="embed__one">
            <h2>{title.clone()}</h2>
            <p class="small muted">{hint}</p>
            {preview}
            <div class="embed__langs">{lines.into_iter().collect_view()}</div>
        </section>
    }
}
