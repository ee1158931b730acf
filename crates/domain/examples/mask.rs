//! Masks files as a stream and says what was found and how fast: for measuring, and for looking.

use std::fs::File;
use std::io::{self, Read as _};
use std::time::Instant;

use touchstone_domain::mask::MaskingReader;

fn main() -> io::Result<()> {
    for path in std::env::args().skip(1) {
        let start = Instant::now();
        let mut reader = MaskingReader::new(File::open(&path)?);
        let (mut buffer, mut size) = (vec![0; 64 * 1024], 0);
        loop {
            let read = reader.read(&mut buffer)?;
            if read == 0 {
                break;
            }
            size += read;
        }
        let seconds = start.elapsed().as_secs_f64();
        let found = reader.into_found();
        println!("{path}: {size} bytes, {:.0} MB/s, {} masked", size as f64 / 1e6 / seconds, found.len());
        for found in found {
            println!("  line {}: {}", found.line, found.what);
        }
    }
    Ok(())
}
