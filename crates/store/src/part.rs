//! Profiles, variants and steps: a row each, because runs refer to them and several writers may add to one study.

use std::collections::BTreeMap;

use domain::study::{Profile, Step, Study, Variant};
use serde::de::DeserializeOwned;

use crate::db::{Tx, on};
use crate::study::document;
use crate::{Result, StoreError};

/// The three kinds of part; their tables have the same columns.
pub(crate) struct Kind {
    noun: &'static str,
    all: &'static str,
    of_study: &'static str,
    put: &'static str,
    /// Leaves what a run still refers to.
    remove: &'static str,
}

macro_rules! kind {
    ($noun:literal, $table:literal, $unused:literal) => {
        Kind {
            noun: $noun,
            all: concat!("SELECT study, id, document FROM ", $table, " ORDER BY study, position, id"),
            of_study: concat!("SELECT study, id, document FROM ", $table, " WHERE study = $1 ORDER BY position, id"),
            put: concat!(
                "INSERT INTO ",
                $table,
                " (study, id, position, document) VALUES ($1, $2, $3, $4) \
                 ON CONFLICT (study, id) DO UPDATE SET position = excluded.position, document = excluded.document"
            ),
            remove: concat!("DELETE FROM ", $table, " WHERE study = $1 AND id = $2", $unused),
        }
    };
}

const PROFILES: Kind = kind!(
    "profile",
    "profiles",
    " AND NOT EXISTS (SELECT 1 FROM runs WHERE runs.study = profiles.study AND runs.profile = profiles.id)"
);
const VARIANTS: Kind = kind!(
    "variant",
    "variants",
    " AND NOT EXISTS (SELECT 1 FROM runs WHERE runs.study = variants.study AND runs.variant = variants.id)"
);
const STEPS: Kind = kind!("step", "steps", "");

#[derive(sqlx::FromRow)]
struct PartRow {
    study: String,
    id: String,
    document: String,
}

impl PartRow {
    fn read<T: DeserializeOwned>(self, kind: &Kind) -> Result<(String, T)> {
        let part = serde_json::from_str(&self.document)
            .map_err(|error| StoreError::corrupt(kind.noun, &format!("{}/{}", self.study, self.id), error))?;
        Ok((self.study, part))
    }
}

/// Parts by the study they belong to, in their order.
#[derive(Default)]
pub(crate) struct Parts {
    profiles: BTreeMap<String, Vec<Profile>>,
    variants: BTreeMap<String, Vec<Variant>>,
    steps: BTreeMap<String, Vec<Step>>,
}

impl Parts {
    /// Reads the parts of one study, or of all.
    pub async fn read(tx: &mut Tx, study: Option<&str>) -> Result<Self> {
        Ok(Self {
            profiles: parts(tx, &PROFILES, study).await?,
            variants: parts(tx, &VARIANTS, study).await?,
            steps: parts(tx, &STEPS, study).await?,
        })
    }

    /// Puts into a study what is its own.
    pub fn fill(&mut self, study: &mut Study) {
        let slug = study.slug.as_str();
        study.profiles = self.profiles.remove(slug).unwrap_or_default();
        study.variants = self.variants.remove(slug).unwrap_or_default();
        study.steps = self.steps.remove(slug).unwrap_or_default();
    }
}

/// Writes the parts of a study, new or changed.
pub(crate) async fn put(tx: &mut Tx, study: &Study) -> Result<()> {
    for (kind, named) in named(study) {
        for (position, (id, document)) in (0_i64..).zip(&named) {
            on!(tx, db => {
                let query = sqlx::query(kind.put).bind(study.slug.as_str()).bind(id).bind(position).bind(document);
                query.execute(db).await.map(drop)
            })?;
        }
    }
    Ok(())
}

/// Removes what `study` no longer names, unless a run refers to it.
pub(crate) async fn remove_others(tx: &mut Tx, study: &Study) -> Result<()> {
    for (kind, named) in named(study) {
        for PartRow { id, .. } in rows(tx, &kind, Some(study.slug.as_str())).await? {
            if !named.iter().any(|(named, _)| *named == id) {
                let query = kind.remove;
                on!(tx, db => sqlx::query(query).bind(study.slug.as_str()).bind(&id).execute(db).await.map(drop))?;
            }
        }
    }
    Ok(())
}

/// Ids and documents of a study's parts, kind by kind.
fn named(study: &Study) -> [(Kind, Vec<(&str, String)>); 3] {
    [
        (PROFILES, study.profiles.iter().map(|profile| (profile.id.as_str(), document(profile))).collect()),
        (VARIANTS, study.variants.iter().map(|variant| (variant.id.as_str(), document(variant))).collect()),
        (STEPS, study.steps.iter().map(|step| (step.id.as_str(), document(step))).collect()),
    ]
}

async fn parts<T: DeserializeOwned>(tx: &mut Tx, kind: &Kind, study: Option<&str>) -> Result<BTreeMap<String, Vec<T>>> {
    let mut parts = BTreeMap::<String, Vec<T>>::new();
    for row in rows(tx, kind, study).await? {
        let (study, part) = row.read(kind)?;
        parts.entry(study).or_default().push(part);
    }
    Ok(parts)
}

async fn rows(tx: &mut Tx, kind: &Kind, study: Option<&str>) -> Result<Vec<PartRow>> {
    Ok(match study {
        None => on!(tx, db => sqlx::query_as(kind.all).fetch_all(db).await)?,
        Some(slug) => on!(tx, db => sqlx::query_as(kind.of_study).bind(slug).fetch_all(db).await)?,
    })
}
