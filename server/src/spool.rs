//! Where uploads wait: short ones in memory, long ones in files without a name, which the system takes back when the
//! program ends, however it ends.

use std::fmt;
use std::fs::File;
use std::io::{self, Cursor, Read, Seek as _};
use std::path::Path;

use tokio::io::AsyncWriteExt as _;

/// Longer contents go to disk.
const IN_MEMORY: usize = 64 * 1024;
/// The largest report seen has some hundred megabytes.
pub const MAX_CONTENT: u64 = 2 * 1024 * 1024 * 1024;
/// Benchmark output shrinks to a fifth, the most repetitive of it to a fiftieth. What shrinks more is made to fill disks.
pub const MAX_RATIO: u64 = 200;
/// Short contents may be as repetitive as they like.
const RATIO_FROM: u64 = 16 * 1024 * 1024;

/// Whether the words of an error, ours, the system's or a database's, say that there is no room left. Errors come here
/// through several libraries, some of which keep no more than the words.
pub fn disk_is_full(cause: &str) -> bool {
    const SAID: [&str; 4] =
        ["No space left on device", "database or disk is full", "Disk quota exceeded", "could not extend file"];
    SAID.iter().any(|said| cause.contains(said))
}

/// A limit that an upload went over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Limit {
    /// Too much content.
    Content,
    /// Content that is too much for the bytes that it came in.
    Ratio,
    /// Too much for one JSON document, which is read whole.
    Json,
}

/// The longest JSON body: it is read whole.
pub const MAX_JSON: u64 = 64 * 1024 * 1024;

impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Content => write!(
                f,
                "the upload holds more than {} GiB after decompression; send its files one by one",
                MAX_CONTENT >> 30
            ),
            Self::Ratio => write!(
                f,
                "the upload becomes more than {MAX_RATIO} times as long by decompression, which no benchmark output \
                 does; send it less compressed"
            ),
            Self::Json => write!(
                f,
                "the JSON body is longer than {} MiB after decompression; send long files as multipart/form-data",
                MAX_JSON >> 20
            ),
        }
    }
}

impl Limit {
    /// The limit that a content has gone over, `wire` being the bytes that it came in.
    pub fn exceeded(content: u64, wire: u64) -> Option<Self> {
        if content > MAX_CONTENT {
            Some(Self::Content)
        } else if content > RATIO_FROM && content > wire.saturating_mul(MAX_RATIO) {
            Some(Self::Ratio)
        } else {
            None
        }
    }
}

/// A file of an upload, received.
pub struct Spooled {
    name: String,
    content: Content,
    /// Unpacked before, whatever its name says.
    bare: bool,
}

enum Content {
    Memory(Vec<u8>),
    Disk(File),
}

/// A file's content, decompressed where its name says that it is compressed, and how many bytes it came in.
pub struct Source {
    content: Box<dyn Read + Send>,
    wire: u64,
}

impl Spooled {
    /// As it was sent.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// A file that was unpacked before, by its bare name.
    pub fn unpacked(name: String, file: File) -> Self {
        Self { name, content: Content::Disk(file), bare: true }
    }

    /// The name, without the suffix of a compression, and the content.
    pub fn open(self) -> (String, io::Result<Source>) {
        let Self { name, content, bare } = self;
        let opened = match content {
            Content::Memory(bytes) => Ok((bytes.len() as u64, Box::new(Cursor::new(bytes)) as Box<dyn Read + Send>)),
            Content::Disk(mut file) => {
                let length = file.metadata().map(|facts| facts.len());
                length.and_then(|length| file.rewind().map(|()| (length, Box::new(file) as Box<dyn Read + Send>)))
            }
        };
        let (wire, raw) = match opened {
            Ok(opened) => opened,
            Err(error) => return (name, Err(error)),
        };
        if bare {
            return (name, Ok(Source { content: raw, wire }));
        }
        let (name, content) = decompressed(name, raw);
        (name, content.map(|content| Source { content, wire }))
    }
}

/// A name without the suffix of a compression, and the content without the compression.
pub fn decompressed(name: String, raw: Box<dyn Read + Send>) -> (String, io::Result<Box<dyn Read + Send>>) {
    let bare = |suffix: &str| name.strip_suffix(suffix).filter(|bare| !bare.is_empty()).map(str::to_owned);
    if let Some(bare) = bare(".gz") {
        return (bare, Ok(Box::new(flate2::read::MultiGzDecoder::new(raw))));
    }
    if let Some(bare) = bare(".zst") {
        return (bare, zstd::stream::Decoder::new(raw).map(|content| Box::new(content) as Box<dyn Read + Send>));
    }
    (name, Ok(raw))
}

/// What all files of an upload together may still hold.
#[derive(Debug)]
pub struct Limits {
    content: u64,
}

impl Limits {
    /// Nothing read yet.
    pub fn of_contents() -> Self {
        Self { content: 0 }
    }

    /// Ends a source where it goes over a limit.
    pub fn around(&mut self, source: Source) -> Limited<'_> {
        Limited { source, limits: self, own: 0, exceeded: None }
    }
}

/// A source that ends with an error where it goes over a limit.
pub struct Limited<'a> {
    source: Source,
    limits: &'a mut Limits,
    own: u64,
    exceeded: Option<Limit>,
}

impl Limited<'_> {
    /// The limit that was gone over.
    pub fn exceeded(&self) -> Option<Limit> {
        self.exceeded
    }
}

impl Read for Limited<'_> {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        let read = self.source.content.read(to)?;
        self.own += read as u64;
        self.limits.content += read as u64;
        let all = Limit::exceeded(self.limits.content, u64::MAX);
        if let Some(limit) = all.or_else(|| Limit::exceeded(self.own, self.source.wire)) {
            self.exceeded = Some(limit);
            return Err(io::Error::other(limit.to_string()));
        }
        Ok(read)
    }
}

/// A file while it is received.
pub struct Spooling {
    memory: Vec<u8>,
    disk: Option<tokio::fs::File>,
}

impl Spooling {
    /// Nothing yet.
    pub fn new() -> Self {
        Self { memory: Vec::new(), disk: None }
    }

    /// The next bytes. A file, where one is needed, is made in the directory `spool`.
    pub async fn write(&mut self, bytes: &[u8], spool: &Path) -> io::Result<()> {
        if self.disk.is_none() && self.memory.len() + bytes.len() <= IN_MEMORY {
            self.memory.extend_from_slice(bytes);
            return Ok(());
        }
        let disk = match &mut self.disk {
            Some(disk) => disk,
            None => {
                let mut disk = tokio::fs::File::from_std(tempfile::tempfile_in(spool)?);
                disk.write_all(&std::mem::take(&mut self.memory)).await?;
                self.disk.insert(disk)
            }
        };
        disk.write_all(bytes).await
    }

    /// All of it is there.
    pub async fn finish(self, name: String) -> io::Result<Spooled> {
        let content = match self.disk {
            None => Content::Memory(self.memory),
            Some(mut disk) => {
                disk.flush().await?;
                Content::Disk(disk.into_std().await)
            }
        };
        Ok(Spooled { name, content, bare: false })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_disk_is_told_from_other_errors() {
        for full in [libc_error(28).as_str(), "error returned from database: (code: 13) database or disk is full"] {
            assert!(disk_is_full(&format!("a raw output cannot be spooled: {full}")), "{full}");
        }
        assert!(!disk_is_full(&libc_error(13)));
    }

    fn libc_error(code: i32) -> String {
        io::Error::from_raw_os_error(code).to_string()
    }
}
