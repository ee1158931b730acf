//! A GuideLLM report of any size, in the shape that 0.5.4 writes: one load point, all its requests with their texts,
//! timings and token counts, and distributions with density curves. The same size gives the same bytes.

use std::io::{self, Write};

/// Requests in flight.
const STREAMS: u64 = 64;
const WORDS: [&str; 16] = [
    "under",
    "range",
    "exactly",
    "probably",
    "conference",
    "debate",
    "certain",
    "star",
    "drive",
    "strong",
    "home to.\\n",
    "\\\"sense\\\"",
    "cause",
    "write",
    "window",
    "市場",
];

/// Figures that look measured, without a source of randomness.
struct Noise(u64);

impl Noise {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        self.0 >> 33
    }

    /// Between 0 and 1.
    fn share(&mut self) -> f64 {
        self.next() as f64 / f64::from(1_u32 << 31)
    }

    fn words(&mut self, count: usize, out: &mut impl Write) -> io::Result<()> {
        for _ in 0..count {
            write!(out, "{} ", WORDS[self.next() as usize % WORDS.len()])?;
        }
        Ok(())
    }
}

/// Counts what went through.
struct Counted<W> {
    inner: W,
    bytes: u64,
}

impl<W: Write> Write for Counted<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.inner.write(bytes)?;
        self.bytes += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}

/// Writes a report of at least `size` bytes (and at most one request more). Gives how many requests it has.
pub fn report(size: u64, out: impl Write) -> io::Result<u64> {
    let mut out = Counted { inner: out, bytes: 0 };
    let mut noise = Noise(42);
    let metadata = r#"{"version": 1, "guidellm_version": "0.5.4", "python_version": "3.12.1", "platform": "Linux"}"#;
    write!(
        out,
        r#"{{"metadata": {metadata}, "args": {{"target": "http://127.0.0.1:8000", "model": "Qwen/Qwen3-8B", "data": ["prompt_tokens=256,output_tokens=128"]}}, "benchmarks": [{{"type_": "generative_benchmark", "config": {{"strategy": {{"type_": "concurrent", "streams": {STREAMS}, "max_concurrency": {STREAMS}}}}}, "requests": {{"successful": ["#
    )?;
    let mut requests = 0;
    while out.bytes < size {
        if requests > 0 {
            out.write_all(b", ")?;
        }
        request(requests, &mut noise, &mut out)?;
        requests += 1;
    }
    out.write_all(br#"], "errored": [], "incomplete": []}, "metrics": {"#)?;
    write!(
        out,
        r#""request_totals": {{"successful": {requests}, "errored": 0, "incomplete": 0, "total": {requests}}}"#
    )?;
    let metrics = [
        ("requests_per_second", 10.0),
        ("request_concurrency", 60.0),
        ("request_latency", 6.0),
        ("prompt_token_count", 256.0),
        ("output_token_count", 128.0),
        ("time_to_first_token_ms", 250.0),
        ("time_per_output_token_ms", 47.0),
        ("inter_token_latency_ms", 45.0),
        ("output_tokens_per_second", 1280.0),
        ("tokens_per_second", 3840.0),
    ];
    for (name, mean) in metrics {
        write!(out, r#", "{name}": "#)?;
        distribution(requests, mean, &mut noise, &mut out)?;
    }
    let duration = requests as f64 / 10.0;
    write!(out, r#"}}, "start_time": 1796051002.5, "duration": {duration}}}]}}"#)?;
    out.flush()?;
    Ok(requests)
}

fn request(number: u64, noise: &mut Noise, out: &mut impl Write) -> io::Result<()> {
    let start = 1_796_051_002.575_856_4 + number as f64 / 10.0;
    let ttft = 0.2 + noise.share() / 10.0;
    let decode = 5.0 + noise.share();
    write!(
        out,
        r#"{{"type_": "generative_request_stats", "request_id": "6badb3c3-e6da-4f7b-8cb1-{number:012x}", "request_type": "chat_completions", "response_id": "c{number}", "request_args": "{{'method': None, 'stream': True, 'body': {{'model': 'Qwen/Qwen3-8B', 'messages': [{{'role': 'user', 'content': '"#
    )?;
    noise.words(200, out)?;
    out.write_all(br#"'}]}}", "output": ""#)?;
    noise.words(100, out)?;
    write!(
        out,
        r#"", "info": {{"request_id": "6badb3c3-e6da-4f7b-8cb1-{number:012x}", "status": "completed", "scheduler_node_id": -1, "scheduler_process_id": 0, "timings": {{"#
    )?;
    let steps = ["targeted_start", "queued", "dequeued", "scheduled_at", "resolve_start", "request_start"];
    for (at, step) in steps.iter().enumerate() {
        write!(out, r#""{step}": {:.7}, "#, start + at as f64 * noise.share() / 1e4)?;
    }
    write!(
        out,
        r#""first_token_iteration": {:.7}, "last_token_iteration": {:.7}, "request_iterations": 129, "token_iterations": 128, "request_end": {:.7}}}, "error": null, "traceback": null}}, "#,
        start + ttft,
        start + ttft + decode,
        start + ttft + decode
    )?;
    let counts = ["image_tokens", "image_count", "video_tokens", "video_frames", "audio_tokens", "audio_seconds"];
    for (side, tokens) in [("input_metrics", 256), ("output_metrics", 128)] {
        write!(out, r#""{side}": {{"text_tokens": {tokens}, "text_words": {}, "#, tokens * 3 / 4)?;
        for count in counts {
            write!(out, r#""{count}": null, "#)?;
        }
        write!(out, r#""total_tokens": {tokens}}}, "#)?;
    }
    write!(
        out,
        r#""request_latency": {}, "prompt_tokens": 256, "output_tokens": 128, "total_tokens": 384, "time_to_first_token_ms": {}, "time_per_output_token_ms": {}, "inter_token_latency_ms": {}, "tokens_per_second": {}}}"#,
        ttft + decode,
        ttft * 1000.0,
        (ttft + decode) / 128.0 * 1000.0,
        decode / 127.0 * 1000.0,
        384.0 / (ttft + decode)
    )
}

fn distribution(count: u64, mean: f64, noise: &mut Noise, out: &mut impl Write) -> io::Result<()> {
    out.write_all(b"{")?;
    for (at, branch) in ["successful", "errored", "incomplete", "total"].iter().enumerate() {
        let comma = if at == 0 { "" } else { ", " };
        let (count, mean) = if matches!(*branch, "errored" | "incomplete") { (0, 0.0) } else { (count, mean) };
        write!(
            out,
            r#"{comma}"{branch}": {{"mean": {mean}, "median": {mean}, "mode": {mean}, "variance": 1.5, "std_dev": 1.224744871391589, "min": {mean}, "max": {mean}, "count": {count}, "total_sum": {}, "percentiles": {{"p001": {mean}, "p01": {mean}, "p05": {mean}, "p10": {mean}, "p25": {mean}, "p50": {mean}, "p75": {mean}, "p90": {mean}, "p95": {mean}, "p99": {mean}, "p999": {mean}}}, "pdf": ["#,
            mean * count as f64
        )?;
        for at in 0..count.min(500) {
            write!(out, "{}[{}, {}]", if at == 0 { "" } else { ", " }, noise.share() * mean, noise.share())?;
        }
        out.write_all(b"]}")?;
    }
    out.write_all(b"}")
}
