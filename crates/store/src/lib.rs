//! All SQL there is: studies, runs and raw outputs in SQLite or PostgreSQL, behind one [`Store`].
//!
//! Invariants: domain types go in and come out, rows never leave. One SQL text serves both databases; `db` is the one
//! place where they part. A write happens whole or not at all. A row that cannot be read is
//! [`StoreError::Corrupt`] with its id, never a guess.

mod agent;
mod beside;
mod compare;
mod db;
mod error;
mod import;
mod job;
mod note;
mod open;
mod part;
mod plan;
mod raw;
mod reparse;
mod run;
mod share;
mod study;
mod token;
mod upload;
mod version;

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use domain::agent::{Enrol, LeaseAsk};
use domain::compare::Selection;
use domain::digest::Digest;
use domain::id::{AgentId, JobId, PlanId, RunId, StudySlug};
use domain::job::{Event, Refusal};
use domain::note::Target;
use domain::plan::Next;
use domain::run::{Measurement, Run};
use domain::study::{Study, StudyData, StudyFolder};
use domain::text::Lang;

pub use agent::Agent;
use db::Db;
pub use error::StoreError;
pub use import::{ImportKind, Imported};
pub use job::{JobEvent, LogLine, StoredJob, Told};
pub use note::{Note, NoteEdit, NoteRevision, NotesSaved, StudyNotes};
pub use open::Location;
pub use plan::{NewPlan, PlanState, StoredPlan};
pub use raw::Packed;
pub use reparse::{Form, Reparsed};
pub use share::{NewShare, Share};
pub use study::{StoredStudy, StudyHead};
pub use token::{Scope, Token};
use upload::Uploads;
pub use upload::{Answers, Stored, StoredRun, Upload, UploadedFile};
pub use version::{Audience, NewFile, NewVersion, Published, Version, VersionFile};

/// What a call of the store gives.
pub type Result<T> = std::result::Result<T, StoreError>;

/// Stored data. Cheap to clone: clones share their connections.
#[derive(Debug, Clone)]
pub struct Store {
    db: Db,
    uploads: Arc<Uploads>,
}

impl Store {
    /// Opens the store, makes it where it is missing, and brings its tables up to date.
    pub async fn open(location: &Location) -> Result<Self> {
        Ok(Self { db: open::open(location, true).await?, uploads: Arc::default() })
    }

    /// Opens a store that must be there already: for commands that only read, which must not leave an empty one behind.
    pub async fn open_existing(location: &Location) -> Result<Self> {
        Ok(Self { db: open::open(location, false).await?, uploads: Arc::default() })
    }

    /// Whether the database answers.
    pub async fn ping(&self) -> Result<()> {
        self.db.ping().await
    }

    /// Stores a study folder whole, or nothing of it. The same folder again changes nothing at all. An edited one
    /// replaces the study's description and the runs that came from a folder; raw outputs stay.
    ///
    /// `now_ms` is the time, in milliseconds since 1970 UTC.
    pub async fn import(&self, folder: &StudyFolder, now_ms: i64) -> Result<Imported> {
        import::import(&self.db, folder, &mut [], now_ms).await
    }

    /// The same with raw outputs that are packed already, because they may be too long for memory.
    pub async fn import_packed(&self, folder: &StudyFolder, raw: &mut [Packed], now_ms: i64) -> Result<Imported> {
        import::import(&self.db, folder, raw, now_ms).await
    }

    /// Slug, title, size and age of every study, freshest first. One query.
    pub async fn heads(&self) -> Result<Vec<StudyHead>> {
        study::heads(&mut self.db.read().await?).await
    }

    /// Every study with its runs, freshest first, as of one moment. The number of queries does not depend on the number
    /// of studies, but all runs are read: keep what is computed from them by slug and `updated_at`.
    pub async fn studies(&self) -> Result<Vec<StoredStudy>> {
        study::all(&mut self.db.read().await?).await
    }

    /// Other studies of the same question, with their runs, freshest first: few, and none for most.
    pub async fn same_question(&self, study: &Study) -> Result<Vec<StudyData>> {
        beside::same(&mut self.db.read().await?, study).await
    }

    /// The studies that a comparison is built from, each once, as of one moment. What is not stored is left out: the
    /// comparison names it as missing.
    pub async fn compared(&self, selection: &Selection) -> Result<Vec<StudyData>> {
        compare::studies(&mut self.db.read().await?, selection).await
    }

    /// One study with its runs in the study's order, as of one moment.
    pub async fn study(&self, slug: &StudySlug) -> Result<StoredStudy> {
        study::one(&mut self.db.read().await?, slug).await
    }

    /// One study, and the `study.toml` that it came with (empty where uploads made it), as of one moment.
    pub async fn study_as_received(&self, slug: &StudySlug) -> Result<(StoredStudy, String)> {
        let mut tx = self.db.read().await?;
        Ok((study::one(&mut tx, slug).await?, study::received(&mut tx, slug).await?))
    }

    /// One run, and the study it belongs to.
    pub async fn run(&self, id: &RunId) -> Result<(StudySlug, Run)> {
        let mut tx = self.db.read().await?;
        let (slug, mut run) = run::one(&mut tx, id).await?;
        note::fill_run(&mut tx, &slug, &mut run).await?;
        Ok((slug, run))
    }

    /// A study with the notes of its folder, and beside them what was written on it in the browser, also on what the
    /// study no longer has. Everything else that reads a study has the two together: what was written stands over what
    /// the folder has.
    pub async fn notes(&self, slug: &StudySlug) -> Result<StudyNotes> {
        note::of_study(&mut self.db.read().await?, slug).await
    }

    /// The revisions of a note, newest first.
    pub async fn note_revisions(&self, slug: &StudySlug, on: &Target, lang: Lang) -> Result<Vec<NoteRevision>> {
        note::revisions(&mut self.db.read().await?, slug, on, lang).await
    }

    /// The text of one revision.
    pub async fn note_text(&self, slug: &StudySlug, on: &Target, lang: Lang, revision: u64) -> Result<String> {
        note::text(&mut self.db.read().await?, slug, on, lang, revision).await
    }

    /// Saves the notes of one form, all languages or none, as new revisions. `author` is the name of a token, or nobody
    /// where whoever sits at the server may write. A target that the study has never had is not found.
    pub async fn save_notes(
        &self,
        slug: &StudySlug,
        on: &Target,
        edits: &[NoteEdit],
        author: Option<&str>,
        now_ms: i64,
    ) -> Result<NotesSaved> {
        note::save(&self.db, slug, on, edits, author, now_ms).await
    }

    /// Keeps a version of a study's report for ever, all of its files or none. Publishing what the newest one says
    /// already adds nothing; whoever was overtaken draws the files again with another number.
    pub async fn publish(&self, slug: &StudySlug, new: &NewVersion) -> Result<Published> {
        version::publish(&self.db, slug, new).await
    }

    /// The versions of a study, newest first, without the bytes of their files.
    pub async fn versions(&self, slug: &StudySlug) -> Result<Vec<Version>> {
        version::all(&mut self.db.read().await?, slug).await
    }

    /// The newest version of a study, without its files; none where nothing was published.
    pub async fn newest_version(&self, slug: &StudySlug) -> Result<Option<Version>> {
        version::newest(&mut self.db.read().await?, slug).await
    }

    /// A file of a version, exactly as it was frozen, and its SHA-256.
    pub async fn version_file(
        &self,
        slug: &StudySlug,
        number: u32,
        audience: Audience,
        lang: Option<Lang>,
        name: &str,
    ) -> Result<(Digest, Vec<u8>)> {
        version::file(&mut self.db.read().await?, slug, number, audience, lang, name).await
    }

    /// A raw output, exactly as it was received.
    pub async fn raw(&self, digest: &Digest) -> Result<Vec<u8>> {
        raw::one(&mut self.db.read().await?, digest).await
    }

    /// The same compressed, for raw outputs of any length; long ones wait in a file without a name, made in `spool`.
    pub async fn raw_packed(&self, digest: &Digest, spool: &Path) -> Result<Packed> {
        raw::packed(&mut self.db.read().await?, digest, spool).await
    }

    /// Where a study's runs stand a second time: the console text beside the JSON.
    pub async fn forms(&self, slug: &StudySlug) -> Result<Vec<Form>> {
        reparse::other_forms(&mut self.db.read().await?, slug).await
    }

    /// Stores what newer readers see in a study's raw outputs (`read`), all of it or nothing. Runs of raw outputs that are
    /// not in `read` stay as they are. With `dry_run` it only says what would change.
    pub async fn reparse(
        &self,
        slug: &StudySlug,
        read: &BTreeMap<Digest, Vec<Measurement>>,
        dry_run: bool,
        now_ms: i64,
    ) -> Result<Reparsed> {
        reparse::reparse(&self.db, slug, read, dry_run, now_ms).await
    }

    /// Stores the runs of one file of an upload, all of them or none, and makes whatever of study, step, variant and
    /// profile they need. The same file again changes nothing and gets the same answer; a measurement that is stored in
    /// another form (JSON beside console text) stays one run, which has its requests one by one if either form lists
    /// them. It is answered when it is durable; uploads that wait together become durable together.
    pub async fn upload(&self, upload: &Arc<Upload>, file: UploadedFile, now_ms: i64) -> Result<Stored> {
        upload::store(&self.db, &self.uploads, upload, file, now_ms).await
    }

    /// What an upload was answered, where all of its files were dealt with and nothing has changed its runs since.
    pub async fn answered(&self, upload: &str) -> Result<Option<String>> {
        upload::answered(&mut self.db.read().await?, upload).await
    }

    /// Keeps the answer to an upload whose last files were rejected. An upload of which nothing is stored has none.
    pub async fn keep_answer(&self, upload: &str, answer: &str) -> Result<()> {
        upload::keep(&self.db, upload, answer).await
    }

    /// Keeps a new share link. A study that is not stored has none.
    pub async fn create_share(&self, share: &NewShare) -> Result<()> {
        share::create(&self.db, share).await
    }

    /// The share links in a study's list, newest first, those that open nothing any more too.
    pub async fn shares(&self, study: &StudySlug) -> Result<Vec<Share>> {
        share::of_study(&mut self.db.read().await?, study).await
    }

    /// Those of all studies.
    pub async fn all_shares(&self) -> Result<Vec<Share>> {
        share::all(&mut self.db.read().await?).await
    }

    /// The link whose secret has this SHA-256, whether it still opens something or not.
    pub async fn share(&self, hash: &Digest) -> Result<Share> {
        share::one(&mut self.db.read().await?, hash).await
    }

    /// Revokes the link that starts with `id`, in the list of `study` or, without one, in any.
    pub async fn revoke_share(&self, study: Option<&StudySlug>, id: &str, now_ms: i64) -> Result<Share> {
        share::revoke(&self.db, study, id, now_ms).await
    }

    /// Counts a view of a link's page.
    pub async fn share_viewed(&self, hash: &Digest, now_ms: i64) -> Result<()> {
        share::viewed(&self.db, hash, now_ms).await
    }

    /// Keeps a new token, under a name that no other has.
    pub async fn create_token(&self, token: &Token) -> Result<()> {
        token::create(&self.db, token).await
    }

    /// All tokens, oldest first, revoked and expired ones too.
    pub async fn tokens(&self) -> Result<Vec<Token>> {
        token::all(&self.db).await
    }

    /// Revokes the token with this name, or else with this prefix.
    pub async fn revoke_token(&self, which: &str, now_ms: i64) -> Result<Token> {
        token::revoke(&self.db, which, now_ms).await
    }

    /// The token with this hash, if it is neither revoked nor expired. Notes its use, to the minute.
    pub async fn check_token(&self, hash: &Digest, now_ms: i64) -> Result<Option<Token>> {
        token::check(&self.db, hash, now_ms).await
    }

    /// Keeps an agent, or what it says anew of its machine.
    pub async fn enrol(&self, agent: &Enrol, token: Option<&str>, now_ms: i64) -> Result<()> {
        agent::enrol(&self.db, agent, token, now_ms).await
    }

    /// All agents by their names, also those that were not heard of for long.
    pub async fn agents(&self) -> Result<Vec<Agent>> {
        agent::all(&mut self.db.read().await?).await
    }

    /// One agent.
    pub async fn agent(&self, id: &AgentId) -> Result<Agent> {
        agent::one(&mut self.db.read().await?, id).await
    }

    /// Keeps a plan, makes or adds to its study, and makes its first jobs. A study that has another variant or profile of
    /// the same id is a conflict.
    pub async fn create_plan(&self, new: NewPlan<'_>, now_ms: i64) -> Result<Next> {
        plan::create(&self.db, new, now_ms).await
    }

    /// Makes the jobs of a plan that come next; to be called whenever one of its jobs ended. None where it was stopped.
    pub async fn advance_plan(&self, id: &PlanId, now_ms: i64) -> Result<Option<Next>> {
        plan::advance(&self.db, id, now_ms).await
    }

    /// Stops a plan, and cancels its open jobs.
    pub async fn stop_plan(&self, id: &PlanId, now_ms: i64) -> Result<()> {
        plan::stop(&self.db, id, now_ms).await
    }

    /// All plans, newest first.
    pub async fn plans(&self) -> Result<Vec<StoredPlan>> {
        plan::all(&mut self.db.read().await?).await
    }

    /// The plans of a study, newest first.
    pub async fn plans_of(&self, study: &StudySlug) -> Result<Vec<StoredPlan>> {
        plan::of_study(&mut self.db.read().await?, study).await
    }

    /// One plan with its jobs in their order, as of one moment.
    pub async fn plan(&self, id: &PlanId) -> Result<(StoredPlan, Vec<StoredJob>)> {
        let mut tx = self.db.read().await?;
        Ok((plan::one(&mut tx, id).await?, job::of_plan(&mut tx, id).await?))
    }

    /// Jobs of all plans: those that are open in the order in which they will be done, then those that ended last.
    pub async fn jobs(&self, limit: u32) -> Result<Vec<StoredJob>> {
        job::recent(&mut self.db.read().await?, limit).await
    }

    /// One job.
    pub async fn job(&self, id: &JobId) -> Result<StoredJob> {
        job::one(&mut self.db.read().await?, id).await
    }

    /// What happened to a job, in order.
    pub async fn job_events(&self, id: &JobId) -> Result<Vec<JobEvent>> {
        job::events(&mut self.db.read().await?, id).await
    }

    /// The lines of a job's logs after this line; 0 for all that are kept.
    pub async fn job_log(&self, id: &JobId, after: i64) -> Result<Vec<LogLine>> {
        job::tail(&mut self.db.read().await?, id, after).await
    }

    /// Gives an agent a job that it can do, for so long without a sign of life. Of several that ask at once each gets
    /// another one.
    pub async fn lease_job(
        &self,
        agent: &AgentId,
        ask: &LeaseAsk,
        for_ms: i64,
        now_ms: i64,
    ) -> Result<Option<StoredJob>> {
        let agent = self.agent(agent).await?;
        job::lease(&self.db, &agent, ask, for_ms, now_ms).await
    }

    /// Lets an event happen to a job, with what was said beside it. A refusal is an answer for whoever spoke.
    pub async fn job_event(
        &self,
        id: &JobId,
        event: &Event,
        told: &Told,
        now_ms: i64,
    ) -> Result<std::result::Result<StoredJob, Refusal>> {
        job::happen(&self.db, id, event, told, now_ms).await
    }

    /// Lets time pass for every job whose lease is over, and gives those. To be called every few seconds.
    pub async fn expire_jobs(&self, now_ms: i64) -> Result<Vec<StoredJob>> {
        job::expire(&self.db, now_ms).await
    }
}
