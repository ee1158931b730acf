//! A stand-in for an inference engine: it speaks the OpenAI streaming API at a speed that it is told, and fails when told.
//!
//! `standin-engine MODEL --port 8000`, and any of
//!
//! - `--tokens-per-s 1000`, `--ttft-ms 5`: how fast one request is served;
//! - `--speed-NAME 1.5`: multiplies the speed; several multiply, so that knobs can be planted;
//! - `--scatter-pct 0.5`: starts differ by as much, each by its own start number (`STANDIN_START`, else its process id);
//! - `--start-ms 100`: healthy after that; `--children 1`: processes that it leaves to whoever stops it;
//! - `--fail oom|crash|port|disk|never`: while it starts; `--fail-after 10 --fail oom|crash|hang`: after so many requests.
//!
//! Other flags are taken and do nothing. Every chunk says in `standin_us` how long it should have taken, so that a
//! benchmark on a busy machine can count that instead of the clock.

use std::io::{self, BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::process::{Command, Stdio, exit};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

fn main() -> io::Result<()> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    if args.first().map(String::as_str) == Some("--child") {
        loop {
            std::thread::sleep(Duration::from_secs(60));
        }
    }
    let engine = Arc::new(Engine::told(&args));
    let children = number(&args, "--children").unwrap_or(0.0) as u32;
    for _ in 0..children {
        let program = std::env::current_exe()?;
        Command::new(program).arg("--child").stdin(Stdio::null()).spawn()?;
    }
    println!("INFO standin-engine serves {}", engine.model);
    if engine.fail_after.is_none() {
        engine.fail_at_start();
    }
    let host = value(&args, "--host").unwrap_or("127.0.0.1");
    let port = number(&args, "--port").unwrap_or(8000.0) as u16;
    let listener = TcpListener::bind((host, port)).inspect_err(|error| eprintln!("OSError: {error}"))?;
    for stream in listener.incoming() {
        let engine = Arc::clone(&engine);
        // Who goes away is no reason to end.
        std::thread::spawn(move || engine.serve(stream?));
    }
    Ok(())
}

fn value<'a>(args: &'a [String], flag: &str) -> Option<&'a str> {
    let at = args.iter().position(|arg| arg == flag)?;
    args.get(at + 1).map(String::as_str)
}

fn number(args: &[String], flag: &str) -> Option<f64> {
    value(args, flag)?.parse().ok()
}

struct Engine {
    model: String,
    ttft_us: f64,
    token_us: f64,
    ready_at: Instant,
    fail: Option<String>,
    fail_after: Option<u64>,
    answered: AtomicU64,
    hangs: AtomicBool,
}

impl Engine {
    fn told(args: &[String]) -> Self {
        let pairs = args.iter().zip(args.iter().skip(1));
        let speeds =
            pairs.filter(|(flag, _)| flag.starts_with("--speed-")).filter_map(|(_, value)| value.parse::<f64>().ok());
        let seed = std::env::var("STANDIN_START").ok().and_then(|text| text.parse().ok());
        let seed: u64 = seed.unwrap_or_else(|| u64::from(std::process::id()));
        // From -1 to 1, by the digits of a product that nobody would guess.
        let luck = (seed.wrapping_mul(2_654_435_761) % 2001) as f64 / 1000.0 - 1.0;
        let scatter = 1.0 + luck * number(args, "--scatter-pct").unwrap_or(0.0) / 100.0;
        let speed = speeds.product::<f64>() * scatter;
        Self {
            model: args.first().cloned().unwrap_or_default(),
            ttft_us: number(args, "--ttft-ms").unwrap_or(5.0) * 1000.0 / speed,
            token_us: 1e6 / (number(args, "--tokens-per-s").unwrap_or(1000.0) * speed),
            ready_at: Instant::now() + Duration::from_millis(number(args, "--start-ms").unwrap_or(0.0) as u64),
            fail: value(args, "--fail").map(str::to_owned),
            fail_after: number(args, "--fail-after").map(|count| count as u64),
            answered: AtomicU64::new(0),
            hangs: AtomicBool::new(false),
        }
    }

    fn fail_at_start(&self) {
        match self.fail.as_deref() {
            Some("oom") => self.out_of_memory(),
            Some("crash") => {
                eprintln!("Segmentation fault (core dumped)");
                exit(139);
            }
            Some("port") => {
                eprintln!("OSError: [Errno 98] Address already in use");
                exit(1);
            }
            Some("disk") => {
                eprintln!("OSError: [Errno 28] No space left on device");
                exit(1);
            }
            Some(_) | None => {}
        }
    }

    fn out_of_memory(&self) {
        eprintln!("torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB.");
        eprintln!("RuntimeError: Engine core initialization failed.");
        exit(1);
    }

    fn fail_after_requests(&self) {
        let answered = self.answered.fetch_add(1, Ordering::SeqCst);
        if self.fail_after.is_some_and(|after| answered >= after) {
            match self.fail.as_deref() {
                Some("oom") => self.out_of_memory(),
                Some("hang") => self.hangs.store(true, Ordering::SeqCst),
                Some(_) | None => exit(139),
            }
        }
        while self.hangs.load(Ordering::SeqCst) {
            std::thread::sleep(Duration::from_secs(1));
        }
    }

    fn serve(&self, mut stream: TcpStream) -> io::Result<()> {
        let mut reader = BufReader::new(stream.try_clone()?);
        let mut first = String::new();
        reader.read_line(&mut first)?;
        let mut length = 0;
        loop {
            let mut line = String::new();
            if reader.read_line(&mut line)? == 0 || line.trim().is_empty() {
                break;
            }
            if let Some((name, value)) = line.split_once(':')
                && name.eq_ignore_ascii_case("content-length")
            {
                length = value.trim().parse().unwrap_or(0);
            }
        }
        let mut body = vec![0; length];
        reader.read_exact(&mut body)?;
        let ready = Instant::now() >= self.ready_at && self.fail.as_deref() != Some("never");
        match first.split(' ').nth(1).unwrap_or_default() {
            "/health" | "/v1/models" if !ready => answer(&mut stream, "503 Service Unavailable", "{}"),
            "/health" | "/reset_prefix_cache" => answer(&mut stream, "200 OK", "{}"),
            "/v1/models" => {
                answer(&mut stream, "200 OK", &serde_json::json!({ "data": [{ "id": self.model }] }).to_string())
            }
            "/v1/chat/completions" => self.complete(&mut stream, &body),
            _ => answer(&mut stream, "404 Not Found", "{}"),
        }
    }

    fn complete(&self, stream: &mut TcpStream, body: &[u8]) -> io::Result<()> {
        self.fail_after_requests();
        let asked: serde_json::Value = serde_json::from_slice(body).unwrap_or_default();
        let tokens = asked["max_tokens"].as_u64().unwrap_or(16);
        let prompt = asked["messages"][0]["content"].as_str().unwrap_or_default().split_whitespace().count();
        let usage = serde_json::json!({ "prompt_tokens": prompt, "completion_tokens": tokens });
        if asked["stream"].as_bool() != Some(true) {
            pause(self.ttft_us + self.token_us * tokens as f64);
            let text = "token ".repeat(usize::try_from(tokens).unwrap_or(0));
            let message = serde_json::json!({ "choices": [{ "message": { "content": text } }], "usage": usage });
            return answer(stream, "200 OK", &message.to_string());
        }
        stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n")?;
        for token in 0..tokens {
            let micros = if token == 0 { self.ttft_us } else { self.token_us };
            pause(micros);
            let chunk = serde_json::json!({ "choices": [{ "delta": { "content": "token " } }], "standin_us": micros });
            stream.write_all(format!("data: {chunk}\n\n").as_bytes())?;
        }
        let last = serde_json::json!({ "choices": [], "usage": usage });
        stream.write_all(format!("data: {last}\n\ndata: [DONE]\n\n").as_bytes())
    }
}

fn pause(micros: f64) {
    std::thread::sleep(Duration::from_micros(micros.max(0.0) as u64));
}

fn answer(stream: &mut TcpStream, status: &str, body: &str) -> io::Result<()> {
    let head = format!(
        "HTTP/1.1 {status}\r\ncontent-type: application/json\r\ncontent-length: {}\r\nconnection: close\r\n\r\n",
        body.len()
    );
    stream.write_all(format!("{head}{body}").as_bytes())
}
