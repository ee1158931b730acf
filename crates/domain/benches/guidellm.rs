//! How fast a large GuideLLM report is read, against serde_json passing over the same bytes in memory.
//!
//! The budget: at least 0.4 of serde_json's figure, in the same run. The report is generated into the system's temporary
//! folder: 64 MB, or `TOUCHSTONE_BENCH_MB`.

#[path = "support/generate.rs"]
mod generate;

use std::fs::{self, File};
use std::hint::black_box;
use std::io::BufWriter;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use serde::de::IgnoredAny;
use touchstone_domain::parse;

fn guidellm(criterion: &mut Criterion) {
    let megabytes = std::env::var("TOUCHSTONE_BENCH_MB").ok().and_then(|text| text.parse().ok()).unwrap_or(64_u64);
    let path = std::env::temp_dir().join(format!("touchstone-guidellm-{}.json", std::process::id()));
    let file = File::create(&path).expect("the temporary folder can be written");
    generate::report(megabytes * 1_000_000, BufWriter::new(file)).expect("the temporary folder has room");
    let bytes = fs::read(&path).expect("the report was just written");

    let mut group = criterion.benchmark_group(format!("guidellm-{megabytes}MB"));
    group.sample_size(10).throughput(Throughput::BytesDecimal(bytes.len() as u64));
    group.bench_function("serde_json-ignored-slice", |bencher| {
        bencher.iter(|| serde_json::from_slice::<IgnoredAny>(black_box(&bytes)).expect("the report is JSON"));
    });
    group.bench_function("read-slice", |bencher| {
        bencher.iter(|| parse::parse(black_box(&bytes)).expect("the report is GuideLLM's"));
    });
    group.bench_function("read-file", |bencher| {
        bencher.iter(|| {
            let mut file = File::open(&path).expect("the report was just written");
            parse::read(&mut file).expect("the report is GuideLLM's")
        });
    });
    group.finish();
    fs::remove_file(&path).expect("the report is ours to remove");
}

criterion_group!(benches, guidellm);
criterion_main!(benches);
