//! Share links. A link is known by the SHA-256 of its secret; whoever reads the database cannot open one.

use domain::digest::Digest;
use domain::id::StudySlug;
use domain::share::{Scope, State};

use crate::db::{Db, Tx, on};
use crate::{Result, StoreError};

const NOUN: &str = "share link";
/// Digits of the SHA-256 by which people name a link.
const SHOWN: usize = 12;

macro_rules! select {
    ($rest:literal) => {
        concat!(
            "SELECT hash, study, scope, redacted, indexed, label, author, created_at, expires_at, revoked_at, views, \
             last_viewed_at FROM shares ",
            $rest
        )
    };
}

const BY_HASH: &str = select!("WHERE hash = $1");
const OF_STUDY: &str = select!("WHERE study = $1 ORDER BY created_at DESC, hash");
const ALL: &str = select!("ORDER BY study, created_at DESC, hash");
const IS_STUDY: &str = "SELECT slug FROM studies WHERE slug = $1";
const PUT: &str = "INSERT INTO shares (hash, study, scope, redacted, indexed, label, author, created_at, expires_at, \
                   revoked_at, views, last_viewed_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, NULL, 0, NULL)";
const REVOKE: &str = "UPDATE shares SET revoked_at = $2 WHERE hash = $1 AND revoked_at IS NULL";
/// Views at once are all counted: the database adds.
const VIEWED: &str = "UPDATE shares SET views = views + 1, last_viewed_at = $2 WHERE hash = $1";

/// A link as it is made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewShare {
    /// Of its secret.
    pub hash: Digest,
    /// In whose list it stands.
    pub study: StudySlug,
    /// What it opens.
    pub scope: Scope,
    /// Whether outsiders read the redacted form.
    pub redacted: bool,
    /// Whether search engines may list it.
    pub indexed: bool,
    /// For people; may be empty.
    pub label: String,
    /// Name of the token; none for whoever sits at the server.
    pub author: Option<String>,
    /// Milliseconds since 1970 UTC.
    pub created_at: i64,
    /// From then on it opens nothing.
    pub expires_at: Option<i64>,
}

/// A stored link: never its secret.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Share {
    /// As it was made.
    pub made: NewShare,
    /// Milliseconds since 1970 UTC.
    pub revoked_at: Option<i64>,
    /// How often its page was opened.
    pub views: u64,
    /// When it was opened last, milliseconds since 1970 UTC.
    pub last_viewed_at: Option<i64>,
}

impl Share {
    /// By which people name it.
    #[must_use]
    pub fn id(&self) -> &str {
        &self.made.hash.as_str()[..SHOWN]
    }

    /// Whether it opens something.
    #[must_use]
    pub fn state(&self, now_ms: i64) -> State {
        State::at(now_ms, self.made.expires_at, self.revoked_at)
    }
}

#[derive(sqlx::FromRow)]
struct ShareRow {
    hash: String,
    study: String,
    scope: String,
    redacted: i64,
    indexed: i64,
    label: String,
    author: Option<String>,
    created_at: i64,
    expires_at: Option<i64>,
    revoked_at: Option<i64>,
    views: i64,
    last_viewed_at: Option<i64>,
}

impl TryFrom<ShareRow> for Share {
    type Error = StoreError;

    fn try_from(row: ShareRow) -> Result<Self> {
        let corrupt = |what: &str| StoreError::corrupt(NOUN, &row.hash, what.to_owned());
        let made = NewShare {
            hash: Digest::from_hex(&row.hash).ok_or_else(|| corrupt("its hash is none"))?,
            scope: Scope::read(&row.scope).ok_or_else(|| corrupt("its scope cannot be read"))?,
            redacted: row.redacted != 0,
            indexed: row.indexed != 0,
            created_at: row.created_at,
            expires_at: row.expires_at,
            study: StudySlug::new(row.study),
            label: row.label,
            author: row.author,
        };
        Ok(Self {
            made,
            revoked_at: row.revoked_at,
            views: u64::try_from(row.views).unwrap_or_default(),
            last_viewed_at: row.last_viewed_at,
        })
    }
}

pub(crate) async fn create(db: &Db, share: &NewShare) -> Result<()> {
    let NewShare { hash, study, scope, redacted, indexed, label, author, created_at, expires_at } = share;
    let mut tx = db.write().await?;
    let slug = study.as_str();
    let found: Option<(String,)> = on!(&mut tx, db => sqlx::query_as(IS_STUDY).bind(slug).fetch_optional(db).await)?;
    if found.is_none() {
        return Err(StoreError::not_found("study", slug));
    }
    on!(&mut tx, db => {
        let query = sqlx::query(PUT).bind(hash.as_str()).bind(slug).bind(scope.key()).bind(i64::from(*redacted));
        let query = query.bind(i64::from(*indexed)).bind(label).bind(author).bind(created_at).bind(expires_at);
        query.execute(db).await.map(drop)
    })?;
    tx.commit().await
}

pub(crate) async fn of_study(tx: &mut Tx, study: &StudySlug) -> Result<Vec<Share>> {
    let rows: Vec<ShareRow> = on!(tx, db => sqlx::query_as(OF_STUDY).bind(study.as_str()).fetch_all(db).await)?;
    rows.into_iter().map(TryFrom::try_from).collect()
}

pub(crate) async fn all(tx: &mut Tx) -> Result<Vec<Share>> {
    let rows: Vec<ShareRow> = on!(tx, db => sqlx::query_as(ALL).fetch_all(db).await)?;
    rows.into_iter().map(TryFrom::try_from).collect()
}

pub(crate) async fn one(tx: &mut Tx, hash: &Digest) -> Result<Share> {
    let row: Option<ShareRow> = on!(tx, db => sqlx::query_as(BY_HASH).bind(hash.as_str()).fetch_optional(db).await)?;
    row.ok_or_else(|| StoreError::not_found(NOUN, &hash.as_str()[..SHOWN]))?.try_into()
}

/// Revokes the link that starts with `id`; `study` says in whose list it must stand.
pub(crate) async fn revoke(db: &Db, study: Option<&StudySlug>, id: &str, now_ms: i64) -> Result<Share> {
    let mut tx = db.write().await?;
    let all = match study {
        Some(study) => of_study(&mut tx, study).await?,
        None => all(&mut tx).await?,
    };
    let mut found = all.into_iter().filter(|share| id.len() >= 4 && share.made.hash.as_str().starts_with(id));
    let share = match (found.next(), found.next()) {
        (None, _) => return Err(StoreError::not_found(NOUN, id)),
        (Some(share), None) => share,
        (Some(_), Some(_)) => {
            return Err(StoreError::Conflict(format!("several share links start with \"{id}\": use more of it")));
        }
    };
    on!(&mut tx, db => sqlx::query(REVOKE).bind(share.made.hash.as_str()).bind(now_ms).execute(db).await.map(drop))?;
    tx.commit().await?;
    Ok(Share { revoked_at: share.revoked_at.or(Some(now_ms)), ..share })
}

pub(crate) async fn viewed(db: &Db, hash: &Digest, now_ms: i64) -> Result<()> {
    let mut tx = db.write().await?;
    on!(&mut tx, db => sqlx::query(VIEWED).bind(hash.as_str()).bind(now_ms).execute(db).await.map(drop))?;
    tx.commit().await
}
