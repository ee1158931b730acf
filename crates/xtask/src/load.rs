//! Uploads against a live release server, as agents send them: runs per second over HTTP, errors, doubled runs.

use std::{
    collections::BTreeSet,
    fs,
    io::{BufRead as _, BufReader, Read as _, Write as _},
    net::{SocketAddr, TcpStream},
    path::Path,
    process::{Child, Stdio},
    thread,
    time::{Duration, Instant},
};

use anyhow::{Context as _, Result, bail, ensure};
use serde_json::{Value, json};

use crate::{
    pg::free_port,
    run::{program, read, root, say},
};

/// Clients at once, and uploads of each: one agent, the budget's sixteen, and twenty agents of fifty uploads.
const PHASES: [(usize, usize); 3] = [(1, 200), (16, 100), (20, 50)];
/// A start takes a third of a second; this is for a machine that is busy compiling.
const START_WITHIN: Duration = Duration::from_secs(30);

/// Serves from an empty data directory, and is gone when dropped.
struct Server(Child);

impl Drop for Server {
    fn drop(&mut self) {
        self.0.kill().ok();
        self.0.wait().ok();
    }
}

/// Without a binary it is the release, which `cargo xtask build --release` makes.
pub fn load(binary: Option<&str>) -> Result<()> {
    let release = root().join("target/release/touchstone");
    let binary = binary.map_or_else(|| release.to_string_lossy().into_owned(), str::to_owned);
    ensure!(Path::new(&binary).exists(), "{binary} is missing: `cargo xtask build --release` makes it");
    let data = root().join("target/load");
    if data.exists() {
        fs::remove_dir_all(&data)?;
    }
    let token = read(program(&binary).args(["token", "create", "--name", "load", "--data-dir"]).arg(&data))?;
    let token = token.split_whitespace().find(|word| word.starts_with("tst_")).context("no token was printed")?;
    let addr = SocketAddr::from(([127, 0, 0, 1], free_port()?));
    let mut serve = program(&binary);
    serve.args(["serve", "--addr", &addr.to_string(), "--data-dir"]).arg(&data).env("TOUCHSTONE_LOG", "warn");
    let _server = Server(serve.stdout(Stdio::null()).spawn().context("cannot start the server")?);
    let begun = Instant::now();
    while TcpStream::connect(addr).is_err() {
        ensure!(begun.elapsed() < START_WITHIN, "the server did not answer within {} s", START_WITHIN.as_secs());
        thread::sleep(Duration::from_millis(20));
    }

    say("uploads of one run over HTTP");
    let mut first = 0;
    for (clients, uploads) in PHASES {
        let sent = phase(addr, token, clients, uploads, first)?;
        let again = phase(addr, token, clients, uploads, first)?;
        first += clients * uploads;
        let distinct: BTreeSet<_> = sent.ids.iter().collect();
        println!(
            "{clients} clients x {uploads} uploads: {:.0} runs/s, {} errors, {} ids for {} runs; \
             sent again: {:.0} runs/s, {} errors, {} other ids",
            sent.rate,
            sent.errors,
            distinct.len(),
            clients * uploads,
            again.rate,
            again.errors,
            again.ids.iter().filter(|id| !distinct.contains(id)).count(),
        );
    }
    Ok(())
}

struct Sent {
    rate: f64,
    errors: usize,
    ids: Vec<String>,
}

fn phase(addr: SocketAddr, token: &str, clients: usize, uploads: usize, first: usize) -> Result<Sent> {
    let begun = Instant::now();
    let clients: Vec<_> = (0..clients)
        .map(|client| {
            let token = token.to_owned();
            thread::spawn(move || -> Result<(usize, Vec<String>)> {
                let mut stream = BufReader::new(TcpStream::connect(addr)?);
                stream.get_ref().set_nodelay(true)?;
                let (mut errors, mut ids) = (0, Vec::new());
                for at in 0..uploads {
                    let (status, answer) = post(&mut stream, &token, &upload(client, first + client * uploads + at))?;
                    match answer["runs"][0]["id"].as_str() {
                        Some(id) if status == 200 => ids.push(id.to_owned()),
                        _ => {
                            eprintln!("{status}: {answer}");
                            errors += 1;
                        }
                    }
                }
                Ok((errors, ids))
            })
        })
        .collect();
    let mut sent = Sent { rate: 0.0, errors: 0, ids: Vec::new() };
    for client in clients {
        let Ok(outcome) = client.join() else { bail!("a client stopped") };
        let (errors, ids) = outcome?;
        sent.errors += errors;
        sent.ids.extend(ids);
    }
    sent.rate = sent.ids.len() as f64 / begun.elapsed().as_secs_f64();
    Ok(sent)
}

/// One run like no other, with thirty figures as `vllm bench serve` prints them; clients share four variants.
fn upload(client: usize, seed: usize) -> Value {
    let duration = 20.0 + seed as f64 * 0.37;
    let latency = |name: &str, base: f64| {
        let of = |factor: f64| base * factor + seed as f64 * 0.07;
        let rows = [("Mean", of(1.0)), ("Median", of(0.9)), ("P90", of(1.8)), ("P95", of(2.1)), ("P99", of(3.0))];
        rows.map(|(stat, ms)| format!("{stat} {name} (ms): {ms:.2}\n")).concat()
    };
    let text = format!(
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
    );
    json!({
        "study": "load", "profile": "p", "hardware": { "gpu": "H100" },
        "variant": { "id": format!("v{}", client % 4), "engine": "vLLM", "model": "m" },
        "files": [{ "name": "bench.txt", "content": text }],
    })
}

/// One request on a connection that stays open.
fn post(stream: &mut BufReader<TcpStream>, token: &str, sent: &Value) -> Result<(u16, Value)> {
    let body = sent.to_string();
    let request = format!(
        "POST /api/v1/uploads HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {token}\r\n\
         Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    );
    stream.get_mut().write_all(request.as_bytes())?;
    let mut line = String::new();
    stream.read_line(&mut line)?;
    let status = line.split(' ').nth(1).context("the server hung up")?.parse()?;
    let mut length = None;
    loop {
        line.clear();
        ensure!(stream.read_line(&mut line)? > 0, "the server hung up");
        if line.trim().is_empty() {
            break;
        }
        if let Some((name, value)) = line.split_once(':')
            && name.eq_ignore_ascii_case("content-length")
        {
            length = Some(value.trim().parse::<usize>()?);
        }
    }
    let mut body = vec![0; length.context("the answer does not say how long it is")?];
    stream.read_exact(&mut body)?;
    Ok((status, serde_json::from_slice(&body)?))
}
