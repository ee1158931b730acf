//! Tokens: access for programs. A token is known by its SHA-256; whoever reads the database cannot use it.

use domain::digest::Digest;

use crate::db::{Db, on};
use crate::{Result, StoreError};

const NOUN: &str = "token";
/// How exact the last use is: one write a minute at most, however many requests come.
const USED_EVERY_MS: i64 = 60_000;

macro_rules! select {
    ($rest:literal) => {
        concat!(
            "SELECT hash, name, prefix, scope, created_at, expires_at, revoked_at, last_used_at FROM tokens ",
            $rest
        )
    };
}

const BY_HASH: &str = select!("WHERE hash = $1");
const ALL: &str = select!("ORDER BY created_at, name");
const PUT: &str = "INSERT INTO tokens (hash, name, prefix, scope, created_at, expires_at) VALUES ($1, $2, $3, $4, $5, $6) \
                   ON CONFLICT (name) DO NOTHING";
const REVOKE: &str = "UPDATE tokens SET revoked_at = $2 WHERE hash = $1 AND revoked_at IS NULL";
const USED: &str = "UPDATE tokens SET last_used_at = $2 WHERE hash = $1";

/// What a token allows. Each does what it says, `admin` everything.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    /// Read studies, runs and raw outputs.
    Read,
    /// Send uploads.
    Upload,
    /// Work as an agent: take jobs, and upload what they give.
    Agent,
    /// Everything.
    Admin,
}

impl Scope {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Read, Self::Upload, Self::Agent, Self::Admin];

    /// The word for it.
    pub fn key(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Upload => "upload",
            Self::Agent => "agent",
            Self::Admin => "admin",
        }
    }

    /// Whether it lets uploads in.
    pub fn uploads(self) -> bool {
        match self {
            Self::Upload | Self::Agent | Self::Admin => true,
            Self::Read => false,
        }
    }
}

/// A token as it is stored: never the token itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Token {
    /// Of the token.
    pub hash: Digest,
    /// Unique.
    pub name: String,
    /// Its first characters.
    pub prefix: String,
    /// What it allows.
    pub scope: Scope,
    /// Milliseconds since 1970 UTC, as all that follow.
    pub created_at: i64,
    /// From then on it is refused.
    pub expires_at: Option<i64>,
    /// When it was revoked.
    pub revoked_at: Option<i64>,
    /// To the minute.
    pub last_used_at: Option<i64>,
}

impl Token {
    /// Whether it opens anything at that time.
    pub fn is_valid(&self, now_ms: i64) -> bool {
        self.revoked_at.is_none() && self.expires_at.is_none_or(|end| now_ms < end)
    }
}

#[derive(sqlx::FromRow)]
struct TokenRow {
    hash: String,
    name: String,
    prefix: String,
    scope: String,
    created_at: i64,
    expires_at: Option<i64>,
    revoked_at: Option<i64>,
    last_used_at: Option<i64>,
}

impl TryFrom<TokenRow> for Token {
    type Error = StoreError;

    fn try_from(row: TokenRow) -> Result<Self> {
        let scope = Scope::ALL.into_iter().find(|scope| scope.key() == row.scope);
        let scope =
            scope.ok_or_else(|| StoreError::corrupt(NOUN, &row.name, format!("\"{}\" is no scope", row.scope)))?;
        let hash = Digest::from_hex(&row.hash);
        Ok(Self {
            hash: hash.ok_or_else(|| StoreError::corrupt(NOUN, &row.name, "its hash is none"))?,
            name: row.name,
            prefix: row.prefix,
            scope,
            created_at: row.created_at,
            expires_at: row.expires_at,
            revoked_at: row.revoked_at,
            last_used_at: row.last_used_at,
        })
    }
}

pub(crate) async fn create(db: &Db, token: &Token) -> Result<()> {
    let mut tx = db.write().await?;
    let inserted = on!(&mut tx, db => {
        let query = sqlx::query(PUT).bind(token.hash.as_str()).bind(&token.name).bind(&token.prefix);
        let query = query.bind(token.scope.key()).bind(token.created_at).bind(token.expires_at);
        query.execute(db).await.map(|done| done.rows_affected())
    })?;
    if inserted == 0 {
        return Err(StoreError::Conflict(format!("there is a token with the name \"{}\" already", token.name)));
    }
    tx.commit().await
}

pub(crate) async fn all(db: &Db) -> Result<Vec<Token>> {
    let mut tx = db.read().await?;
    let rows: Vec<TokenRow> = on!(&mut tx, db => sqlx::query_as(ALL).fetch_all(db).await)?;
    rows.into_iter().map(TryFrom::try_from).collect()
}

pub(crate) async fn revoke(db: &Db, which: &str, now_ms: i64) -> Result<Token> {
    let tokens = all(db).await?;
    let named: Vec<_> = tokens.iter().filter(|token| token.name == which).collect();
    let found = if named.is_empty() { tokens.iter().filter(|token| token.prefix == which).collect() } else { named };
    let token = match found.as_slice() {
        [] => return Err(StoreError::not_found(NOUN, which)),
        [token] => Token { revoked_at: token.revoked_at.or(Some(now_ms)), ..(*token).clone() },
        _ => return Err(StoreError::Conflict(format!("several tokens start with \"{which}\": use the name"))),
    };
    let mut tx = db.write().await?;
    on!(&mut tx, db => sqlx::query(REVOKE).bind(token.hash.as_str()).bind(now_ms).execute(db).await.map(drop))?;
    tx.commit().await?;
    Ok(token)
}

pub(crate) async fn check(db: &Db, hash: &Digest, now_ms: i64) -> Result<Option<Token>> {
    let mut tx = db.read().await?;
    let row: Option<TokenRow> =
        on!(&mut tx, db => sqlx::query_as(BY_HASH).bind(hash.as_str()).fetch_optional(db).await)?;
    drop(tx);
    let Some(token) = row.map(Token::try_from).transpose()?.filter(|token| token.is_valid(now_ms)) else {
        return Ok(None);
    };
    if token.last_used_at.is_none_or(|used| now_ms - used >= USED_EVERY_MS) {
        let mut tx = db.write().await?;
        on!(&mut tx, db => sqlx::query(USED).bind(hash.as_str()).bind(now_ms).execute(db).await.map(drop))?;
        tx.commit().await?;
    }
    Ok(Some(token))
}
