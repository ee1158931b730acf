//! Every version of a study: when, by whom, its SHA-256 and its files.

use domain::{
    id::StudySlug,
    study::Localized,
    text::{
        self,
        versions::{description, made, unchanged, version, version_labels, written_by},
    },
};
use leptos::prelude::*;
use store::Version;

use super::{
    Changes,
    changes::{ChangesShown, Choose},
    publish::PublishForm,
};
use crate::{
    lang::Lang,
    page::Done,
    part::{Head, Time},
    routes::{Route, version_href},
    versions::VersionsDesk,
};

/// The page's content.
#[component]
pub fn VersionList(
    /// The study.
    slug: StudySlug,
    /// Its title as it is now.
    title: Localized,
    /// Newest first.
    versions: Vec<Version>,
    /// The two that are compared.
    changes: Option<Changes>,
    /// What the server says of the form.
    desk: VersionsDesk,
    /// What a form has just done, and whether something in it was masked.
    done: Option<(Done, bool)>,
    /// In which language.
    lang: Lang,
) -> impl IntoView {
    let words = version_labels(lang);
    let study = slug.to_string();
    let title = title.get(lang).to_owned();
    let action = Route::Versions(study.clone()).href(lang);
    let status = done.map(|(done, masked)| {
        let (text, number) = match done {
            Done::Published(number) => (made(lang, number), number),
            Done::Unchanged(number) => (unchanged(lang, number), number),
        };
        let masked = masked.then(|| view! { <p class="hits" role="status">{words.masked}</p> });
        view! {
            <p class="hits" role="status">
                {text}" "<a href=version_href(lang, &study, number)>{words.show_version}</a>
            </p>
            {masked}
        }
    });
    let chosen = changes.as_ref().map(|changes| (changes.from, changes.to));
    let compared = (!versions.is_empty()).then(|| {
        view! {
            <section class="versions__part" aria-labelledby="compare-title">
                <h2 id="compare-title">{words.compare}</h2>
                <Choose versions=versions.clone() chosen action=action.clone() lang/>
            </section>
            {changes.map(|changes| view! { <ChangesShown changes lang/> })}
        }
    });
    let list = if versions.is_empty() {
        view! { <p class="empty">{words.none_yet}</p> }.into_any()
    } else {
        table(&study, versions, lang)
    };
    let description = description(lang, &title);
    view! {
        <Head title=format!("{} — {title}", words.versions) description/>
        <nav class="crumbs" aria-label=text::page_labels(lang).breadcrumb>
            <a href=Route::Home.href(lang)>{text::labels(lang).studies}</a>
            <span aria-hidden="true">"/"</span>
            <a href=Route::Study(study.clone()).href(lang)>{study.clone()}</a>
            <span aria-hidden="true">"/"</span>
            <span aria-current="page">{words.versions}</span>
        </nav>
        <div class="title"><div><h1>{words.versions}</h1><p>{title}</p></div></div>
        <p class="small muted versions__intro">{words.intro}</p>
        {status}
        {list}
        {compared}
        <PublishForm action desk lang/>
    }
}

fn table(study: &str, versions: Vec<Version>, lang: Lang) -> AnyView {
    let words = version_labels(lang);
    let newest = versions.first().map(|version| version.number);
    let rows = versions.into_iter().map(|one| row(study, one, newest, lang)).collect_view();
    view! {
        <div class="scroll" tabindex="0" role="group" aria-label=words.versions>
            <table class="t versions__table">
                <thead>
                    <tr>
                        <th scope="col">{words.version}</th>
                        <th scope="col">{words.published}</th>
                        <th scope="col">{words.who}</th>
                        <th scope="col">{words.remark}</th>
                        <th scope="col">{words.sha256}</th>
                        <th scope="col">{words.files}</th>
                        <th scope="col">{words.written_by}</th>
                    </tr>
                </thead>
                <tbody>{rows}</tbody>
            </table>
        </div>
    }
    .into_any()
}

fn row(study: &str, one: Version, newest: Option<u32>, lang: Lang) -> AnyView {
    let words = version_labels(lang);
    let number = one.number;
    let name = version(lang, number);
    let newest = (newest == Some(number)).then(|| view! { <span class="versions__more">{words.newest}</span> });
    let digests = Lang::ALL.into_iter().filter_map(|of| {
        let sha256 = one.file(Some(of), "report.html")?.sha256.clone();
        let short = sha256.short().to_owned();
        Some(view! {
            <li>
                <a href=version_href(of, study, number) hreflang=of.code() lang=of.code()>{of.name()}</a>" "
                <code title=sha256.to_string()>{short}"…"</code>
            </li>
        })
    });
    let digests = digests.collect_view();
    let of = version_href(lang, study, number);
    let files = ["report.md", "report.csv", "report.xlsx", "report.json", "reproduce.sh"].map(|file| {
        let (_, ending) = file.rsplit_once('.').unwrap_or_default();
        let label = format!("{name}{}{file}", text::phrase::colon(lang));
        view! { <li><a href=format!("{of}/{file}") aria-label=label download="">{format!(".{ending}")}</a></li> }
    });
    let who = one.author.unwrap_or_else(|| words.this_machine.to_owned());
    let program = written_by(lang, &one.snapshot.program, one.snapshot.text_version);
    view! {
        <tr>
            <th scope="row"><a href=of.clone()>{name.clone()}</a>{newest}</th>
            <td><Time ms=one.published_at lang/></td>
            <td>{who}</td>
            <td class="versions__remark">{one.remark}</td>
            <td><ul class="versions__digests">{digests}</ul></td>
            <td><ul class="versions__files">{files.collect_view()}</ul></td>
            <td class="small">{program}</td>
        </tr>
    }
    .into_any()
}
