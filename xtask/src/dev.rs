//! `make dev`: serves the page, and rebuilds and reloads it whenever one of its sources changes.

use std::env;
use std::net::SocketAddr;
use std::path::Path;
use std::sync::mpsc;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, anyhow};
use axum::Router;
use axum::http::{HeaderValue, header};
use notify_debouncer_full::notify::RecursiveMode;
use notify_debouncer_full::{DebouncedEvent, new_debouncer};
use tokio::net::TcpListener;
use tower_http::services::ServeDir;
use tower_http::set_header::SetResponseHeaderLayer;
use tower_livereload::LiveReloadLayer;

use crate::page;
use crate::workspace::Workspace;

/// The folders that the page is built from.
const SOURCES: [&str; 5] = ["allocator", "core", "text", "web", "www"];

/// How long the files must stay unchanged before a build begins: editors save in several steps.
const QUIET: Duration = Duration::from_millis(100);

/// Builds, serves and watches until the process ends.
///
/// # Errors
/// If the first build fails, or the address is in use. If a later build fails, its errors are printed and the page
/// stays as it was.
pub fn dev(workspace: &Workspace) -> Result<()> {
    let (sender, changes) = mpsc::channel();
    let mut watcher = new_debouncer(QUIET, None, sender)?;
    for folder in SOURCES {
        watcher.watch(workspace.root.join(folder), RecursiveMode::Recursive)?;
    }
    let site = page::build_quickly(workspace)?;
    let live_reload = LiveReloadLayer::new();
    let reloader = live_reload.reloader();
    let runtime = tokio::runtime::Runtime::new()?;
    let address = runtime.block_on(serve(&site, live_reload))?;
    println!("page:    http://{address}/ (reloads when a source changes)");
    for events in changes {
        let events = events.map_err(|errors| anyhow!("the sources can't be watched: {errors:?}"))?;
        if !events.iter().any(is_change) {
            continue;
        }
        let start = Instant::now();
        match page::build_quickly(workspace) {
            Ok(_) => {
                println!("rebuilt in {:.1} s", start.elapsed().as_secs_f32());
                reloader.reload();
            }
            Err(error) => eprintln!("{error:#}"),
        }
    }
    Ok(())
}

/// Serves the folder in the background and returns the address.
async fn serve(site: &Path, live_reload: LiveReloadLayer) -> Result<SocketAddr> {
    let wanted = env::var("ADDR").ok().filter(|address| !address.is_empty());
    let wanted = wanted.unwrap_or_else(|| "127.0.0.1:8080".to_owned());
    let listener = TcpListener::bind(&wanted).await.with_context(|| format!("ADDR={wanted}: can't listen there"))?;
    let address = listener.local_addr()?;
    // Without this, browsers decide on their own how long a file stays fresh.
    let no_cache = SetResponseHeaderLayer::overriding(header::CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    let router = Router::new().fallback_service(ServeDir::new(site)).layer(live_reload).layer(no_cache);
    tokio::spawn(axum::serve(listener, router).into_future());
    Ok(address)
}

/// Whether a file was written, moved or removed, and not only read.
fn is_change(event: &DebouncedEvent) -> bool {
    !event.kind.is_access()
}
