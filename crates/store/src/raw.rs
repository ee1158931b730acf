//! Raw outputs, kept as received and known by their digest.

use domain::digest::Digest;

use crate::db::{Tx, on};
use crate::{Result, StoreError};

const NOUN: &str = "raw output";
/// Bytes are kept as they are. Compressed ones will say so here.
const IDENTITY: &str = "identity";

const ONE: &str = "SELECT digest, size, encoding, bytes FROM raw_outputs WHERE digest = $1";
const PUT: &str = "INSERT INTO raw_outputs (digest, size, encoding, bytes, created_at) VALUES ($1, $2, $3, $4, $5) \
                   ON CONFLICT (digest) DO NOTHING";

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
        if row.encoding != IDENTITY {
            let reason = format!("its encoding \"{}\" is not known", row.encoding);
            return Err(StoreError::corrupt(NOUN, &row.digest, reason));
        }
        if i64::try_from(row.bytes.len()) != Ok(row.size) || Digest::of(&row.bytes).as_str() != row.digest {
            return Err(StoreError::corrupt(NOUN, &row.digest, "its bytes are not the ones that were received"));
        }
        Ok(row.bytes)
    }
}

pub(crate) async fn one(tx: &mut Tx, digest: &Digest) -> Result<Vec<u8>> {
    let row: Option<RawRow> = on!(tx, db => sqlx::query_as(ONE).bind(digest.as_str()).fetch_optional(db).await)?;
    row.ok_or_else(|| StoreError::not_found(NOUN, digest.as_str()))?.try_into()
}

/// Keeps raw outputs that are not kept yet.
pub(crate) async fn put(tx: &mut Tx, raw: &[(Digest, Vec<u8>)], now_ms: i64) -> Result<()> {
    // In the order of their digests: two imports that share raw outputs cannot each wait for the other.
    let mut raw: Vec<_> = raw.iter().collect();
    raw.sort_by_key(|(digest, _)| digest);
    for (digest, bytes) in raw {
        let size = i64::try_from(bytes.len()).expect("memory holds less than 2^63 bytes");
        on!(tx, db => {
            let query = sqlx::query(PUT).bind(digest.as_str()).bind(size).bind(IDENTITY).bind(bytes.as_slice());
            query.bind(now_ms).execute(db).await.map(drop)
        })?;
    }
    Ok(())
}
