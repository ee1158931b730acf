//! The site: routes, and a server that stops gracefully.

mod access;
mod api;
mod assets;
mod cards;
mod exports;
mod guard;
mod health;
mod notes;
mod pages;
mod raw;
pub mod shares;
mod sheet;
mod theme;
mod upload;
mod versions;

use std::{path::Path, sync::Arc, time::Duration};

use anyhow::Context as _;
use app::visit::Site;
use axum::{
    Router,
    routing::{get, post},
};
use leptos::config::LeptosOptions;
use store::Store;
use tokio::{net::TcpListener, signal};
use tower_http::compression::CompressionLayer;

use crate::{cmd::serve::WebArgs, ingest::Ingest, pdf::Printer};

/// How long open requests may go on after the signal to stop. A client that never finishes its request must not keep the
/// server from ending; service managers send SIGKILL after 90 s.
const PATIENCE: Duration = Duration::from_secs(10);

/// What handlers share.
#[derive(Clone)]
pub struct AppState {
    site: Site,
    leptos: LeptosOptions,
    ingest: Ingest,
    turns: upload::Turns,
    printer: Printer,
    pictures: cards::Pictures,
    /// Whether only this machine reaches the server.
    local: bool,
}

/// Fails with a sentence that helps when this binary was built without the site.
pub fn require_site() -> anyhow::Result<()> {
    assets::root().map(drop).context(
        "this binary was built without the site's assets, so it cannot serve pages; every other command works. \
         `cargo xtask build --release` builds one that can",
    )
}

/// Serves until Ctrl-C or SIGTERM, then lets open requests finish.
pub async fn serve(store: Store, spool: Arc<Path>, args: WebArgs) -> anyhow::Result<()> {
    let listener = TcpListener::bind(args.addr)
        .await
        .with_context(|| format!("cannot listen on {}; another address can be given with --addr", args.addr))?;
    let addr = listener.local_addr()?;
    let local = addr.ip().is_loopback() && args.public_url.is_none();
    let site = Site { assets: assets::root().unwrap_or_default().into(), origin: args.public_url, store };
    tracing::info!("serving on http://{addr}/");
    let (told, heard) = tokio::sync::oneshot::channel();
    let stop = async move {
        told_to_stop().await;
        // Nobody listens once the server has ended by itself.
        told.send(()).ok();
    };
    let sweeping = tokio::spawn(upload::sweep(upload::Held::beside(&spool)));
    let serving = axum::serve(listener, router(site, spool, local)).with_graceful_shutdown(stop);
    let patience = async move {
        heard.await.ok();
        tokio::time::sleep(PATIENCE).await;
    };
    tokio::select! {
        ended = serving => ended?,
        () = patience => tracing::warn!("requests were still open after {} s; they are cut", PATIENCE.as_secs()),
    }
    sweeping.abort();
    tracing::info!("stopped");
    Ok(())
}

/// Everything that answers a request. Uploads wait in the directory `spool`; `local` says that only this machine reaches
/// the server.
pub fn router(site: Site, spool: Arc<Path>, local: bool) -> Router {
    router_with(site, spool, local, Printer::find())
}

/// The same with this printer.
fn router_with(site: Site, spool: Arc<Path>, local: bool, printer: Printer) -> Router {
    // An error says that it is there already: in tests, which make several routers.
    any_spawner::Executor::init_tokio().ok();
    let leptos = LeptosOptions::builder().output_name("site").build();
    let ingest = Ingest::new(site.store.clone(), spool);
    let dynamic = Router::new()
        .route("/", get(pages::to_language))
        .route("/theme", post(theme::choose))
        .route("/healthz", get(health::check))
        .route("/raw/{digest}", get(raw::download))
        .merge(api::routes())
        .merge(exports::routes())
        .merge(upload::routes())
        .merge(notes::routes())
        .merge(shares::routes())
        .merge(versions::routes())
        .merge(cards::routes())
        .fallback(pages::page)
        .layer(CompressionLayer::new());
    // Assets are compressed when they are built, not when they are sent; workbooks and archives are so by themselves.
    let assets = Router::new().route("/v/{build}/{*path}", get(assets::asset));
    let packed = assets.merge(exports::packed_routes()).merge(versions::packed_routes());
    guard::around(dynamic.merge(packed)).with_state(AppState {
        site,
        leptos,
        ingest,
        turns: upload::Turns::default(),
        printer,
        pictures: cards::Pictures::default(),
        local,
    })
}

async fn told_to_stop() {
    let interrupt = async { signal::ctrl_c().await.expect("the runtime was built with signals") };
    #[cfg(unix)]
    let terminate = async {
        signal::unix::signal(signal::unix::SignalKind::terminate())
            .expect("the runtime was built with signals")
            .recv()
            .await;
    };
    #[cfg(not(unix))]
    let terminate = std::future::pending::<()>();
    tokio::select! {
        () = interrupt => {}
        () = terminate => {}
    }
    tracing::info!("stopping: open requests may finish");
}
