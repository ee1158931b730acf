//! Agents: who they are, what they have, when they were heard of last.

use domain::agent::{AgentFacts, Enrol};
use domain::id::AgentId;

use crate::db::{Db, Tx, on};
use crate::study::document;
use crate::{Result, StoreError};

const NOUN: &str = "agent";
/// How exact the last sign of life is: a hundred idle agents then write a few times a second, whatever they ask.
const SEEN_EVERY_MS: i64 = 30_000;

macro_rules! select {
    ($rest:literal) => {
        concat!("SELECT id, name, token, facts, enrolled_at, last_seen_at FROM agents ", $rest)
    };
}

const ALL: &str = select!("ORDER BY name, id");
const ONE: &str = select!("WHERE id = $1");
const PUT: &str = "INSERT INTO agents (id, name, token, facts, enrolled_at, last_seen_at) VALUES ($1, $2, $3, $4, $5, $5) \
     ON CONFLICT (id) DO UPDATE SET name = excluded.name, token = excluded.token, facts = excluded.facts, \
     last_seen_at = excluded.last_seen_at";
const SEEN: &str = "UPDATE agents SET last_seen_at = $2 WHERE id = $1 AND last_seen_at < $2";

/// An agent as it is known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Agent {
    /// Made by itself, once.
    pub id: AgentId,
    /// Name of the token that it enrolled with.
    pub token: Option<String>,
    /// What it says of its machine.
    pub facts: AgentFacts,
    /// Milliseconds since 1970 UTC, as what follows.
    pub enrolled_at: i64,
    /// To half a minute.
    pub last_seen_at: i64,
}

#[derive(sqlx::FromRow)]
struct AgentRow {
    id: String,
    token: Option<String>,
    facts: String,
    enrolled_at: i64,
    last_seen_at: i64,
}

impl TryFrom<AgentRow> for Agent {
    type Error = StoreError;

    fn try_from(row: AgentRow) -> Result<Self> {
        let facts = serde_json::from_str(&row.facts).map_err(|error| StoreError::corrupt(NOUN, &row.id, error))?;
        Ok(Self {
            id: AgentId::new(row.id),
            token: row.token,
            facts,
            enrolled_at: row.enrolled_at,
            last_seen_at: row.last_seen_at,
        })
    }
}

pub(crate) async fn enrol(db: &Db, agent: &Enrol, token: Option<&str>, now_ms: i64) -> Result<()> {
    let mut tx = db.write().await?;
    on!(&mut tx, db => {
        let query = sqlx::query(PUT).bind(agent.id.as_str()).bind(&agent.facts.name).bind(token);
        query.bind(document(&agent.facts)).bind(now_ms).execute(db).await.map(drop)
    })?;
    tx.commit().await
}

pub(crate) async fn all(tx: &mut Tx) -> Result<Vec<Agent>> {
    let rows: Vec<AgentRow> = on!(tx, db => sqlx::query_as(ALL).fetch_all(db).await)?;
    rows.into_iter().map(TryFrom::try_from).collect()
}

pub(crate) async fn one(tx: &mut Tx, id: &AgentId) -> Result<Agent> {
    let row: Option<AgentRow> = on!(tx, db => sqlx::query_as(ONE).bind(id.as_str()).fetch_optional(db).await)?;
    row.map(Agent::try_from).transpose()?.ok_or_else(|| StoreError::not_found(NOUN, id.as_str()))
}

/// Notes a sign of life.
pub(crate) async fn seen(db: &Db, agent: &Agent, now_ms: i64) -> Result<()> {
    if now_ms - agent.last_seen_at < SEEN_EVERY_MS {
        return Ok(());
    }
    let mut tx = db.write().await?;
    on!(&mut tx, db => sqlx::query(SEEN).bind(agent.id.as_str()).bind(now_ms).execute(db).await.map(drop))?;
    tx.commit().await
}
