//! Raw outputs, kept as received and known by their digest. Kept compressed; the digest is that of the bytes as received.

use std::io::{self, Read, Seek as _, Write as _};
use std::path::Path;

use domain::digest::{Digest, Digesting};
use tempfile::SpooledTempFile;

use crate::db::{Tx, on};
use crate::{Result, StoreError};

const NOUN: &str = "raw output";
/// Bytes are kept as they are: written by earlier versions.
const IDENTITY: &str = "identity";
/// Bytes are one frame of Zstandard.
const ZSTD: &str = "zstd";
/// The frame is in `raw_pieces`.
const ZSTD_PIECES: &str = "zstd-pieces";
/// zstd's own default: three times faster than the disk, and benchmark output shrinks to a fifth.
const LEVEL: i32 = 3;
/// More than this at once is not sent to the database.
const PIECE: usize = 1024 * 1024;
/// A raw output that waits for its turn is held in memory up to this, since an upload may bring a thousand of them.
const IN_MEMORY: usize = 64 * 1024;

const ONE: &str = "SELECT digest, size, encoding, bytes FROM raw_outputs WHERE digest = $1";
const PIECES: &str = "SELECT bytes FROM raw_pieces WHERE digest = $1 AND position = $2";
const PUT: &str = "INSERT INTO raw_outputs (digest, size, encoding, bytes, created_at) VALUES ($1, $2, $3, $4, $5) \
                   ON CONFLICT (digest) DO NOTHING";
const PUT_PIECE: &str = "INSERT INTO raw_pieces (digest, position, bytes) VALUES ($1, $2, $3)";

#[derive(sqlx::FromRow)]
struct RawRow {
    digest: String,
    size: i64,
    encoding: String,
    bytes: Vec<u8>,
}

impl TryFrom<RawRow> for Vec<u8> {
    type Error = StoreError;

    /// Nothing leaves that is not what was received: the digest is computed again.
    fn try_from(row: RawRow) -> Result<Self> {
        let bytes = match row.encoding.as_str() {
            IDENTITY => row.bytes,
            ZSTD => {
                let room = usize::try_from(row.size).unwrap_or_default();
                zstd::bulk::decompress(&row.bytes, room)
                    .map_err(|error| StoreError::corrupt(NOUN, &row.digest, error))?
            }
            other => {
                let reason = format!("its encoding \"{other}\" is not known");
                return Err(StoreError::corrupt(NOUN, &row.digest, reason));
            }
        };
        if i64::try_from(bytes.len()) != Ok(row.size) || Digest::of(&bytes).as_str() != row.digest {
            return Err(StoreError::corrupt(NOUN, &row.digest, "its bytes are not the ones that were received"));
        }
        Ok(bytes)
    }
}

pub(crate) async fn one(tx: &mut Tx, digest: &Digest) -> Result<Vec<u8>> {
    let row: Option<RawRow> = on!(tx, db => sqlx::query_as(ONE).bind(digest.as_str()).fetch_optional(db).await)?;
    let mut row = row.ok_or_else(|| StoreError::not_found(NOUN, digest.as_str()))?;
    if row.encoding == ZSTD_PIECES {
        for position in 0_i64.. {
            let piece: Option<Vec<u8>> = on!(tx, db => {
                sqlx::query_scalar(PIECES).bind(digest.as_str()).bind(position).fetch_optional(db).await
            })?;
            let Some(piece) = piece else { break };
            row.bytes.extend(piece);
        }
        row.encoding = ZSTD.to_owned();
    }
    row.try_into()
}

/// A raw output as it is kept, in bounded memory; what it holds is what was received.
pub(crate) async fn packed(tx: &mut Tx, digest: &Digest, spool: &Path) -> Result<Packed> {
    let row: Option<RawRow> = on!(tx, db => sqlx::query_as(ONE).bind(digest.as_str()).fetch_optional(db).await)?;
    let row = row.ok_or_else(|| StoreError::not_found(NOUN, digest.as_str()))?;
    let corrupt = |reason: &str| StoreError::corrupt(NOUN, digest.as_str(), reason);
    let failed = |error: io::Error| {
        let what = format!("a raw output cannot be spooled: {error}");
        StoreError::unavailable(what, "see that the disk is in order")
    };
    let size = u64::try_from(row.size).map_err(|_| corrupt("its size is below zero"))?;
    let mut compressed = tempfile::spooled_tempfile_in(PIECE, spool);
    match row.encoding.as_str() {
        IDENTITY => {
            let packed = Packed::pack(&mut row.bytes.as_slice(), spool).map_err(failed)?;
            let same = packed.digest == *digest;
            return if same { Ok(packed) } else { Err(corrupt("its bytes are not the ones that were received")) };
        }
        ZSTD => compressed.write_all(&row.bytes).map_err(failed)?,
        ZSTD_PIECES => {
            for position in 0_i64.. {
                let piece: Option<Vec<u8>> = on!(tx, db => {
                    sqlx::query_scalar(PIECES).bind(digest.as_str()).bind(position).fetch_optional(db).await
                })?;
                let Some(piece) = piece else { break };
                compressed.write_all(&piece).map_err(failed)?;
            }
        }
        other => return Err(corrupt(&format!("its encoding \"{other}\" is not known"))),
    }
    let mut packed = Packed { digest: digest.clone(), size, compressed };
    let mut digesting = Digesting::default();
    let mut buffer = vec![0; 64 * 1024];
    let mut reader = packed.reader().map_err(|error| corrupt(&error.to_string()))?;
    loop {
        match reader.read(&mut buffer).map_err(|error| corrupt(&error.to_string()))? {
            0 => break,
            read => digesting.update(&buffer[..read]),
        }
    }
    drop(reader);
    if digesting.finish() == *digest {
        Ok(packed)
    } else {
        Err(corrupt("its bytes are not the ones that were received"))
    }
}

/// A raw output ready to be kept: compressed, in memory while it is short and in a file without a name when it is not.
pub struct Packed {
    /// Of the bytes as received.
    pub digest: Digest,
    /// Bytes as received.
    pub size: u64,
    compressed: SpooledTempFile,
}

impl Packed {
    /// Reads a raw output to its end. Blocks. The file, where one is needed, is made in `spool` and gone when it is no
    /// longer used, however the program ends.
    pub fn pack(source: &mut dyn Read, spool: &Path) -> io::Result<Self> {
        let mut compressed = tempfile::spooled_tempfile_in(IN_MEMORY, spool);
        let mut begin = Vec::new();
        source.take(IN_MEMORY as u64).read_to_end(&mut begin)?;
        let mut digest = Digesting::default();
        digest.update(&begin);
        let mut size = begin.len() as u64;
        // A compressor that does not know how little is coming prepares for megabytes, which takes longer than the rest.
        if begin.len() < IN_MEMORY {
            compressed.write_all(&zstd::bulk::compress(&begin, LEVEL)?)?;
            return Ok(Self { digest: digest.finish(), size, compressed });
        }
        let mut encoder = zstd::stream::Encoder::new(compressed, LEVEL)?;
        encoder.write_all(&begin)?;
        let mut buffer = begin;
        loop {
            let read = match source.read(&mut buffer) {
                Ok(0) => break,
                Ok(read) => read,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(error),
            };
            digest.update(&buffer[..read]);
            size += read as u64;
            encoder.write_all(&buffer[..read])?;
        }
        Ok(Self { digest: digest.finish(), size, compressed: encoder.finish()? })
    }

    /// Whether it is in memory.
    pub(crate) fn is_short(&self) -> bool {
        !self.compressed.is_rolled()
    }

    /// The bytes as they will be kept: what is read from them can be read again.
    pub fn reader(&mut self) -> io::Result<impl Read + '_> {
        self.compressed.rewind()?;
        zstd::stream::Decoder::new(&mut self.compressed)
    }

    /// The same for somebody who takes the raw output away with the reader.
    pub fn into_reader(mut self) -> io::Result<impl Read + Send + 'static> {
        self.compressed.rewind()?;
        zstd::stream::Decoder::new(self.compressed)
    }
}

/// Keeps a raw output, and says whether it was not kept before.
pub(crate) async fn put(tx: &mut Tx, packed: &mut Packed, now_ms: i64) -> Result<bool> {
    let unreadable = |error: io::Error| {
        StoreError::unavailable(
            format!("a spooled raw output cannot be read: {error}"),
            "see that the disk is in order",
        )
    };
    let file = &mut packed.compressed;
    let length = file.seek(io::SeekFrom::End(0)).map_err(unreadable)?;
    file.rewind().map_err(unreadable)?;
    let short = length <= PIECE as u64;
    let mut bytes = Vec::new();
    if short {
        file.read_to_end(&mut bytes).map_err(unreadable)?;
    }
    let encoding = if short { ZSTD } else { ZSTD_PIECES };
    let size = i64::try_from(packed.size).expect("disks hold less than 2^63 bytes");
    if !put_row(tx, &packed.digest, (size, encoding, &bytes), now_ms).await? {
        return Ok(false);
    }
    if short {
        return Ok(true);
    }
    for position in 0_i64.. {
        bytes.clear();
        let read = file.take(PIECE as u64).read_to_end(&mut bytes).map_err(unreadable)?;
        if read == 0 {
            break;
        }
        on!(tx, db => {
            let query = sqlx::query(PUT_PIECE).bind(packed.digest.as_str()).bind(position).bind(bytes.as_slice());
            query.execute(db).await.map(drop)
        })?;
    }
    Ok(true)
}

/// Keeps a raw output that is in memory anyway.
pub(crate) async fn put_whole(tx: &mut Tx, digest: &Digest, bytes: &[u8], now_ms: i64) -> Result<()> {
    let size = i64::try_from(bytes.len()).expect("memory holds less than 2^63 bytes");
    let compressed = zstd::bulk::compress(bytes, LEVEL)
        .map_err(|error| StoreError::unavailable(format!("a raw output cannot be compressed: {error}"), "try again"))?;
    put_row(tx, digest, (size, ZSTD, &compressed), now_ms).await.map(drop)
}

/// Whether the row is new. Where somebody else is writing the same one, this waits for the end of it.
async fn put_row(tx: &mut Tx, digest: &Digest, row: (i64, &str, &[u8]), now_ms: i64) -> Result<bool> {
    let (size, encoding, bytes) = row;
    Ok(on!(tx, db => {
        let query = sqlx::query(PUT).bind(digest.as_str()).bind(size).bind(encoding).bind(bytes).bind(now_ms);
        query.execute(db).await.map(|done| done.rows_affected() > 0)
    })?)
}
