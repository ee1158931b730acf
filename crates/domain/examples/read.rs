//! Reads result files from disk as a stream and prints what they hold: for measuring memory, and for looking.

use std::fs::File;
use std::process::ExitCode;
use std::time::Instant;

use touchstone_domain::parse;

fn main() -> ExitCode {
    let mut code = ExitCode::SUCCESS;
    for path in std::env::args().skip(1) {
        let start = Instant::now();
        let read = File::open(&path).map_err(|error| error.to_string()).and_then(|mut file| {
            let size = file.metadata().map_or(0, |metadata| metadata.len());
            parse::read(&mut file).map(|parsed| (size, parsed)).map_err(|error| error.to_string())
        });
        match read {
            Ok((size, parsed)) => {
                let seconds = start.elapsed().as_secs_f64();
                println!("{path}: {} runs, {:.0} MB/s", parsed.runs.len(), size as f64 / 1e6 / seconds);
                for run in &parsed.runs {
                    println!("  {} {}", run.tool.key(), serde_json::to_string(&run.metrics).unwrap_or_default());
                    println!("    {}", serde_json::to_string(&run.context).unwrap_or_default());
                }
                for warning in &parsed.warnings {
                    println!("  line {:?}: {}", warning.line, warning.message);
                }
                for error in &parsed.rejected {
                    println!("  left out: {error}");
                }
            }
            Err(error) => {
                println!("{path}: {error}");
                code = ExitCode::FAILURE;
            }
        }
    }
    code
}
