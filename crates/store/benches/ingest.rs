//! Runs per second, durable: uploads of one run and of a hundred, against a bare loop that inserts rows of the same size
//! in the same SQLite settings (WAL, FULL), in the same run of this program. PostgreSQL as well where
//! `TOUCHSTONE_TEST_DATABASE_URL` names one.
//!
//! `cargo bench -p touchstone-store --bench ingest`

#![expect(clippy::unwrap_used, reason = "a measurement that cannot go on says where it stopped")]

use std::path::Path;
use std::time::{Duration, Instant};

use domain::digest::Digest;
use domain::parse::parse;
use domain::upload::Envelope;
use serde_json::json;
use sqlx::sqlite::{SqliteConnectOptions, SqliteJournalMode, SqliteSynchronous};
use sqlx::{Connection as _, Executor as _, PgConnection, SqliteConnection};
use touchstone_store::{Location, Packed, Store, Upload, UploadedFile};

const FOR: Duration = Duration::from_secs(4);
const CLIENTS: usize = 16;
const BATCH: usize = 100;

#[tokio::main]
async fn main() {
    let dir = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let bare = [bare(&dir.path().join("bare-1.db"), 1).await, bare(&dir.path().join("bare-100.db"), BATCH).await];
    println!(
        "bare insert loop, SQLite WAL FULL: {:.0} rows/s one by one, {:.0} in batches of {BATCH}",
        bare[0], bare[1]
    );
    for (name, clients, runs, bare) in [
        ("one run an upload, 1 client", 1, 1, bare[0]),
        ("one run an upload, 16 clients", CLIENTS, 1, bare[0]),
        ("100 runs an upload, 1 client", 1, BATCH, bare[1]),
        ("100 runs an upload, 16 clients", CLIENTS, BATCH, bare[1]),
    ] {
        let store = Store::open(&Location::DataDir(dir.path().join(format!("{clients}-{runs}")))).await.unwrap();
        let rate = uploads(&store, clients, runs).await;
        println!("SQLite, {name}: {rate:.0} runs/s, {:.2} x bare", rate / bare);
    }
    if let Ok(server) = std::env::var("TOUCHSTONE_TEST_DATABASE_URL") {
        let mut admin = PgConnection::connect(&server).await.unwrap();
        for (clients, runs) in [(1, 1), (CLIENTS, 1), (CLIENTS, BATCH)] {
            let schema = format!("bench_{}_{clients}_{runs}", std::process::id());
            admin.execute(format!("CREATE SCHEMA {schema}").as_str()).await.unwrap();
            let separator = if server.contains('?') { '&' } else { '?' };
            let url = format!("{server}{separator}options=-csearch_path%3D{schema}");
            let rate = uploads(&Store::open(&Location::Url(url)).await.unwrap(), clients, runs).await;
            println!("PostgreSQL, {runs} runs an upload, {clients} clients: {rate:.0} runs/s");
            admin.execute(format!("DROP SCHEMA {schema} CASCADE").as_str()).await.unwrap();
        }
    }
}

/// A table with one index and a document as long as a measurement's: what any store would have to write.
async fn bare(file: &Path, batch: usize) -> f64 {
    let options = SqliteConnectOptions::new().filename(file).create_if_missing(true);
    let options = options.journal_mode(SqliteJournalMode::Wal).synchronous(SqliteSynchronous::Full);
    let mut connection = SqliteConnection::connect_with(&options).await.unwrap();
    connection
        .execute("CREATE TABLE runs (id TEXT PRIMARY KEY, document TEXT NOT NULL, raw BLOB NOT NULL)")
        .await
        .unwrap();
    let text = block(1);
    let document = serde_json::to_string(&parse(text.as_bytes()).unwrap().runs[0]).unwrap();
    let begun = Instant::now();
    let mut rows = 0;
    while begun.elapsed() < FOR {
        let mut tx = connection.begin_with("BEGIN IMMEDIATE").await.unwrap();
        for _ in 0..batch {
            let id = Digest::of(format!("{rows}").as_bytes());
            let query = sqlx::query("INSERT INTO runs (id, document, raw) VALUES ($1, $2, $3)").bind(id.as_str());
            query.bind(&document).bind(text.as_bytes()).execute(&mut *tx).await.unwrap();
            rows += 1;
        }
        tx.commit().await.unwrap();
    }
    rows as f64 / begun.elapsed().as_secs_f64()
}

/// Everything that an upload costs behind HTTP: packing, reading, storing.
async fn uploads(store: &Store, clients: usize, runs: usize) -> f64 {
    let begun = Instant::now();
    let clients = (0..clients).map(|client| {
        let store = store.clone();
        tokio::spawn(async move {
            let mut stored = 0;
            for at in 0.. {
                if begun.elapsed() >= FOR {
                    break;
                }
                let text: String = (0..runs).map(|run| block((client * 100_000 + at) * runs + run)).collect();
                let sent = json!({
                    "study": "load", "profile": "p", "hardware": { "gpu": "H100" },
                    "variant": { "id": format!("v{}", client % 4), "engine": "vLLM", "model": "m" },
                });
                let envelope: Envelope = serde_json::from_value(sent).unwrap();
                let raw = Packed::pack(&mut text.as_bytes(), &std::env::temp_dir()).unwrap();
                let document = format!("{{\"digest\":\"{}\"}}", raw.digest);
                let id = raw.digest.to_string();
                let upload = Upload { id, envelope, token: None, document, started_at: None };
                let parsed = parse(text.as_bytes()).unwrap().runs;
                let mut file = UploadedFile { name: "bench.txt".to_owned(), raw, runs: parsed };
                stored += store.upload(&upload, &mut file, 1_796_000_000_000).await.unwrap().runs.len();
            }
            stored
        })
    });
    let mut stored = 0;
    for client in clients.collect::<Vec<_>>() {
        stored += client.await.unwrap();
    }
    stored as f64 / begun.elapsed().as_secs_f64()
}

/// A result like no other: thirty metrics, as `vllm bench serve` prints them.
fn block(seed: usize) -> String {
    let duration = 20.0 + seed as f64 * 0.37;
    let latency = |name: &str, base: f64| {
        let of = |factor: f64| base * factor + seed as f64 * 0.07;
        let rows = [("Mean", of(1.0)), ("Median", of(0.9)), ("P90", of(1.8)), ("P95", of(2.1)), ("P99", of(3.0))];
        rows.map(|(stat, ms)| format!("{stat} {name} (ms): {ms:.2}\n")).concat()
    };
    format!(
        "============ Serving Benchmark Result ============\nSuccessful requests: 1000\nBenchmark duration (s): \
         {duration:.2}\nTotal input tokens: 200000\nTotal generated tokens: 100000\nRequest throughput (req/s): {:.2}\n\
         Output token throughput (tok/s): {:.2}\nTotal Token throughput (tok/s): {:.2}\n{}{}{}{}\
         ==================================================\n",
        1e3 / duration,
        1e5 / duration,
        3e5 / duration,
        latency("TTFT", 31.0),
        latency("TPOT", 9.0),
        latency("ITL", 9.5),
        latency("E2EL", 900.0),
    )
}
