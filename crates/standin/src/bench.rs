//! A stand-in for a benchmark: it sends streaming requests to a server that speaks the OpenAI API, measures them, shows a
//! progress bar, and writes what `vllm bench serve --save-result` writes.
//!
//! `standin-bench --base-url http://127.0.0.1:8000 --model M --num-prompts 20 --result r.json`, and any of
//!
//! - `--max-concurrency 4`, `--input-len 8`, `--output-len 8`;
//! - `--virtual`: counts what the stand-in engine says that its chunks should have taken, not the clock, so that figures do
//!   not depend on how busy the machine is;
//! - `--fail status|garbage|hang`: ends with status 1, writes something that is no result, or never ends.

use std::io::{self, BufRead as _, BufReader, Write as _};
use std::net::TcpStream;
use std::process::exit;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

fn main() -> io::Result<()> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let text = |flag: &str| {
        let at = args.iter().position(|arg| arg == flag)?;
        args.get(at + 1).cloned()
    };
    let number = |flag: &str, default: u64| text(flag).and_then(|text| text.parse().ok()).unwrap_or(default);
    let fail = text("--fail").unwrap_or_default();
    let bench = Bench {
        address: text("--base-url").unwrap_or_default().trim_start_matches("http://").to_owned(),
        model: text("--model").unwrap_or_default(),
        requests: number("--num-prompts", 10),
        concurrency: number("--max-concurrency", 4).max(1),
        input: number("--input-len", 8),
        output: number("--output-len", 8),
        is_virtual: args.iter().any(|arg| arg == "--virtual"),
    };
    match fail.as_str() {
        "status" => {
            eprintln!("ValueError: the benchmark does not want to");
            exit(1);
        }
        "hang" => loop {
            std::thread::sleep(Duration::from_secs(60));
        },
        _ => {}
    }
    let begun = Instant::now();
    let measured = bench.measure();
    let result = match fail.as_str() {
        "garbage" => "no result at all\n".to_owned(),
        _ => bench.result(&measured, begun.elapsed()).to_string(),
    };
    println!("Benchmark done: {} of {} requests", measured.len(), bench.requests);
    match text("--result") {
        Some(path) => std::fs::write(path, result),
        None => io::stdout().write_all(result.as_bytes()),
    }
}

struct Bench {
    address: String,
    model: String,
    requests: u64,
    concurrency: u64,
    input: u64,
    output: u64,
    is_virtual: bool,
}

/// One request, milliseconds.
struct Request {
    ttft: f64,
    e2el: f64,
    tokens: u64,
}

impl Bench {
    fn measure(&self) -> Vec<Request> {
        let (next, done) = (AtomicU64::new(0), AtomicU64::new(0));
        let measured = Mutex::new(Vec::new());
        std::thread::scope(|scope| {
            for _ in 0..self.concurrency {
                scope.spawn(|| {
                    while next.fetch_add(1, Ordering::SeqCst) < self.requests {
                        if let Ok(request) = self.request() {
                            measured.lock().expect("no thread panics here").push(request);
                        }
                        let done = done.fetch_add(1, Ordering::SeqCst) + 1;
                        let percent = done * 100 / self.requests;
                        eprint!("\r{percent:3}%|# | {done}/{} [00:00<00:00]", self.requests);
                    }
                });
            }
        });
        eprintln!();
        measured.into_inner().expect("no thread panics here")
    }

    fn request(&self) -> io::Result<Request> {
        let prompt = "word ".repeat(usize::try_from(self.input).unwrap_or(0));
        let body = json!({
            "model": self.model, "stream": true, "max_tokens": self.output,
            "messages": [{ "role": "user", "content": prompt }],
        })
        .to_string();
        let begun = Instant::now();
        let mut stream = TcpStream::connect(&self.address)?;
        let head = format!(
            "POST /v1/chat/completions HTTP/1.1\r\nhost: {}\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n",
            self.address,
            body.len()
        );
        stream.write_all(format!("{head}{body}").as_bytes())?;
        let (mut ttft, mut tokens, mut virtual_ms) = (None, 0, 0.0);
        for line in BufReader::new(stream).lines() {
            let line = line?;
            let Some(chunk) = line.strip_prefix("data: ").filter(|chunk| *chunk != "[DONE]") else { continue };
            let chunk: Value = serde_json::from_str(chunk).unwrap_or_default();
            if chunk["choices"].as_array().is_none_or(Vec::is_empty) {
                continue;
            }
            virtual_ms += chunk["standin_us"].as_f64().unwrap_or(0.0) / 1000.0;
            let now = if self.is_virtual { virtual_ms } else { begun.elapsed().as_secs_f64() * 1000.0 };
            ttft.get_or_insert(now);
            tokens += 1;
        }
        let e2el = if self.is_virtual { virtual_ms } else { begun.elapsed().as_secs_f64() * 1000.0 };
        let ttft = ttft.ok_or_else(|| io::Error::other("no token came"))?;
        Ok(Request { ttft, e2el, tokens })
    }

    fn result(&self, measured: &[Request], took: Duration) -> Value {
        let completed = measured.len() as u64;
        let tokens: u64 = measured.iter().map(|request| request.tokens).sum();
        let input = completed * self.input;
        let all_ms: f64 = measured.iter().map(|request| request.e2el).sum();
        let duration = if self.is_virtual { all_ms / 1000.0 / self.concurrency as f64 } else { took.as_secs_f64() };
        let per_second = |count: u64| count as f64 / duration;
        let mut result = json!({
            "date": "20261130-151649", "endpoint_type": "openai-chat", "backend": "openai-chat",
            "model_id": self.model, "num_prompts": self.requests, "request_rate": "inf", "burstiness": 1.0,
            "max_concurrency": self.concurrency, "duration": duration, "completed": completed,
            "failed": self.requests - completed, "total_input_tokens": input, "total_output_tokens": tokens,
            "request_throughput": per_second(completed), "output_throughput": per_second(tokens),
            "total_token_throughput": per_second(input + tokens),
            "max_output_tokens_per_s": per_second(tokens) * 1.5,
            "max_concurrent_requests": self.concurrency.min(self.requests),
        });
        let ttft: Vec<f64> = measured.iter().map(|request| request.ttft).collect();
        let e2el: Vec<f64> = measured.iter().map(|request| request.e2el).collect();
        let tpot: Vec<f64> =
            measured.iter().map(|request| (request.e2el - request.ttft) / (request.tokens.max(2) - 1) as f64).collect();
        for (name, values) in [("ttft", ttft), ("tpot", tpot.clone()), ("itl", tpot), ("e2el", e2el)] {
            let mut sorted = values;
            sorted.sort_by(f64::total_cmp);
            let at =
                |share: f64| sorted.get(((sorted.len() as f64 * share) as usize).min(sorted.len().saturating_sub(1)));
            let mean = sorted.iter().sum::<f64>() / sorted.len().max(1) as f64;
            result[format!("mean_{name}_ms")] = json!(mean);
            result[format!("median_{name}_ms")] = json!(at(0.5));
            result[format!("p99_{name}_ms")] = json!(at(0.99));
        }
        result
    }
}
