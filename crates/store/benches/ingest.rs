//! Runs per second, durable: uploads of one run and of a hundred, against a bare loop that inserts rows of the same size
//! in the same SQLite settings (WAL, FULL), by turns in the same run of this program. PostgreSQL as well where
//! `TOUCHSTONE_TEST_DATABASE_URL` names one.
//!
//! `cargo bench -p touchstone-store --bench ingest`

#![expect(clippy::unwrap_used, reason = "a measurement that cannot go on says where it stopped")]

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use domain::digest::Digest;
use domain::parse::parse;
use domain::upload::Envelope;
use serde_json::json;
use sqlx::sqlite::{SqliteConnectOptions, SqliteJournalMode, SqliteSynchronous};
use sqlx::{Connection as _, Executor as _, PgConnection, SqliteConnection};
use touchstone_store::{Location, Packed, Store, Upload, UploadedFile};

/// A machine is not as fast now as in ten seconds: the two sides take turns, and each turn has a ratio of its own.
const ROUNDS: usize = 5;
const TURN: Duration = Duration::from_millis(1500);
const CLIENTS: usize = 16;
const BATCH: usize = 100;

#[tokio::main]
async fn main() {
    let dir = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    for (runs, what) in [(1, "one run an upload"), (BATCH, "100 runs an upload")] {
        let mut bare = Bare::open(&dir.path().join(format!("bare-{runs}.db")), runs).await;
        let mut sides = Vec::new();
        for clients in [1, CLIENTS] {
            let store = Store::open(&Location::DataDir(dir.path().join(format!("{clients}-{runs}")))).await.unwrap();
            sides.push((clients, Load::new(store, runs), Vec::new(), Vec::new()));
        }
        let mut bares = Vec::new();
        for _ in 0..ROUNDS {
            let bare = bare.turn().await;
            bares.push(bare);
            for (clients, load, rates, ratios) in &mut sides {
                let rate = load.turn(*clients).await;
                rates.push(rate);
                ratios.push(rate / bare);
            }
        }
        println!("SQLite, bare insert loop, {runs} a transaction: {} rows/s", spread(bares, 0));
        for (clients, _, rates, ratios) in sides {
            let (rates, ratios) = (spread(rates, 0), spread(ratios, 2));
            println!("SQLite, {what}, {clients} clients: {rates} runs/s, {ratios} x bare");
        }
    }
    let Ok(server) = std::env::var("TOUCHSTONE_TEST_DATABASE_URL") else { return };
    let mut admin = PgConnection::connect(&server).await.unwrap();
    for setting in ["fsync", "synchronous_commit"] {
        let value: String = sqlx::query_scalar(&format!("SHOW {setting}")).fetch_one(&mut admin).await.unwrap();
        println!("PostgreSQL: {setting} = {value}");
    }
    for (clients, runs) in [(1, 1), (CLIENTS, 1), (1, BATCH), (CLIENTS, BATCH)] {
        let schema = format!("bench_{}_{clients}_{runs}", std::process::id());
        admin.execute(format!("CREATE SCHEMA {schema}").as_str()).await.unwrap();
        let separator = if server.contains('?') { '&' } else { '?' };
        let url = format!("{server}{separator}options=-csearch_path%3D{schema}");
        let mut load = Load::new(Store::open(&Location::Url(url)).await.unwrap(), runs);
        let mut rates = Vec::new();
        for _ in 0..ROUNDS {
            rates.push(load.turn(clients).await);
        }
        println!("PostgreSQL, {runs} runs an upload, {clients} clients: {} runs/s", spread(rates, 0));
        drop(load);
        admin.execute(format!("DROP SCHEMA {schema} CASCADE").as_str()).await.unwrap();
    }
}

/// The median, and between what.
fn spread(mut values: Vec<f64>, decimals: usize) -> String {
    values.sort_by(f64::total_cmp);
    let [least, median, most] = [values[0], values[values.len() / 2], values[values.len() - 1]];
    format!("{median:.decimals$} ({least:.decimals$} to {most:.decimals$})")
}

/// A table with one index, a document as long as a measurement's, and the raw output: what any store would have to write.
struct Bare {
    connection: SqliteConnection,
    batch: usize,
    rows: usize,
}

impl Bare {
    async fn open(file: &Path, batch: usize) -> Self {
        let options = SqliteConnectOptions::new().filename(file).create_if_missing(true);
        let options = options.journal_mode(SqliteJournalMode::Wal).synchronous(SqliteSynchronous::Full);
        let mut connection = SqliteConnection::connect_with(&options).await.unwrap();
        connection
            .execute("CREATE TABLE runs (id TEXT PRIMARY KEY, document TEXT NOT NULL, raw BLOB NOT NULL)")
            .await
            .unwrap();
        Self { connection, batch, rows: 0 }
    }

    async fn turn(&mut self) -> f64 {
        let text = block(1);
        let document = serde_json::to_string(&parse(text.as_bytes()).unwrap().runs[0]).unwrap();
        let (begun, before) = (Instant::now(), self.rows);
        while begun.elapsed() < TURN {
            let mut tx = self.connection.begin_with("BEGIN IMMEDIATE").await.unwrap();
            for _ in 0..self.batch {
                let id = Digest::of(format!("{}", self.rows).as_bytes());
                let query = sqlx::query("INSERT INTO runs (id, document, raw) VALUES ($1, $2, $3)").bind(id.as_str());
                query.bind(&document).bind(text.as_bytes()).execute(&mut *tx).await.unwrap();
                self.rows += 1;
            }
            tx.commit().await.unwrap();
        }
        (self.rows - before) as f64 / begun.elapsed().as_secs_f64()
    }
}

/// Everything that an upload costs behind HTTP: packing, reading, storing.
struct Load {
    store: Store,
    runs: usize,
    sent: Arc<AtomicUsize>,
}

impl Load {
    fn new(store: Store, runs: usize) -> Self {
        Self { store, runs, sent: Arc::default() }
    }

    async fn turn(&mut self, clients: usize) -> f64 {
        let (begun, runs) = (Instant::now(), self.runs);
        let clients = (0..clients).map(|client| {
            let (store, sent) = (self.store.clone(), Arc::clone(&self.sent));
            tokio::spawn(async move {
                let mut stored = 0;
                while begun.elapsed() < TURN {
                    let at = sent.fetch_add(1, Ordering::Relaxed);
                    let text: String = (0..runs).map(|run| block(at * runs + run)).collect();
                    stored += upload(&store, client, &text).await;
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
}

async fn upload(store: &Store, client: usize, text: &str) -> usize {
    let sent = json!({
        "study": "load", "profile": "p", "hardware": { "gpu": "H100" },
        "variant": { "id": format!("v{}", client % 4), "engine": "vLLM", "model": "m" },
    });
    let envelope: Envelope = serde_json::from_value(sent).unwrap();
    let raw = Packed::pack(&mut text.as_bytes(), &std::env::temp_dir()).unwrap();
    let document = format!("{{\"digest\":\"{}\"}}", raw.digest);
    let id = raw.digest.to_string();
    let upload = Arc::new(Upload { id, envelope, token: None, document, started_at: None });
    let runs = parse(text.as_bytes()).unwrap().runs;
    let file = UploadedFile { name: "bench.txt".to_owned(), raw, runs, answers: None };
    store.upload(&upload, file, 1_796_000_000_000).await.unwrap().runs.len()
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
