//! Writes a GuideLLM report of some megabytes: `generate_guidellm 500 report.json`.

#[path = "../benches/support/generate.rs"]
mod generate;

use std::fs::File;
use std::io::{self, BufWriter};

fn main() -> io::Result<()> {
    let mut args = std::env::args().skip(1);
    let (Some(megabytes), Some(path)) = (args.next().and_then(|text| text.parse::<u64>().ok()), args.next()) else {
        return Err(io::Error::other("usage: generate_guidellm MEGABYTES FILE"));
    };
    let requests = generate::report(megabytes * 1_000_000, BufWriter::new(File::create(&path)?))?;
    println!("{path}: {requests} requests");
    Ok(())
}
