-- Agents, plans and the jobs that plans become.

-- One row an agent, known by the id that it made for itself.
CREATE TABLE agents (
    id TEXT NOT NULL PRIMARY KEY,
    name TEXT NOT NULL,
    -- Name of the token that it enrolled with.
    token TEXT,
    -- What it says of its machine.
    facts TEXT NOT NULL,
    enrolled_at BIGINT NOT NULL,
    -- To some seconds, or every idle agent would write.
    last_seen_at BIGINT NOT NULL
);

CREATE TABLE plans (
    id TEXT NOT NULL PRIMARY KEY,
    study TEXT NOT NULL REFERENCES studies (slug) ON DELETE CASCADE,
    -- The plan as it was written, in TOML.
    body TEXT NOT NULL,
    -- Name of the token; NULL for whoever sits at the server.
    author TEXT,
    -- 'going', 'stopped' by somebody, or how it ended: 'complete', 'jobs', 'minutes'.
    state TEXT NOT NULL,
    -- What a search has decided so far.
    trace TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL
);

CREATE INDEX plans_by_time ON plans (created_at, id);

CREATE TABLE jobs (
    id TEXT NOT NULL PRIMARY KEY,
    plan TEXT NOT NULL REFERENCES plans (id) ON DELETE CASCADE,
    study TEXT NOT NULL,
    -- When the plan was made: older plans go first.
    plan_at BIGINT NOT NULL,
    -- Place in the plan.
    ordinal BIGINT NOT NULL,
    -- Jobs of one plan that may share a server start have this in common.
    start_key TEXT NOT NULL,
    -- What it asks of an agent: equal texts ask the same.
    needs TEXT NOT NULL,
    -- All that an agent has to know.
    document TEXT NOT NULL,
    -- The rest is the job's life. Only the store's clock counts.
    phase TEXT NOT NULL,
    attempt BIGINT NOT NULL,
    tries BIGINT NOT NULL,
    max_tries BIGINT NOT NULL,
    agent TEXT,
    lease_expires_at BIGINT,
    cancelling BOOLEAN NOT NULL,
    result TEXT,
    failure TEXT,
    progress_done BIGINT,
    progress_total BIGINT,
    -- How it was measured, once it is done.
    settled TEXT,
    created_at BIGINT NOT NULL,
    leased_at BIGINT,
    ended_at BIGINT,
    updated_at BIGINT NOT NULL,
    -- Grows with every change: who read an older one writes nothing.
    version BIGINT NOT NULL
);

CREATE INDEX jobs_of_plan ON jobs (plan, ordinal, id);
-- What is waiting, in its order; and what may be lost.
CREATE INDEX jobs_by_phase ON jobs (phase, plan_at, plan, ordinal);
CREATE INDEX jobs_by_lease ON jobs (lease_expires_at);

-- What happened to a job, step by step.
CREATE TABLE job_events (
    job TEXT NOT NULL REFERENCES jobs (id) ON DELETE CASCADE,
    -- The job's version that it made.
    version BIGINT NOT NULL,
    at BIGINT NOT NULL,
    phase TEXT NOT NULL,
    attempt BIGINT NOT NULL,
    agent TEXT,
    failure TEXT,
    PRIMARY KEY (job, version)
);

-- The last lines of a job's logs.
CREATE TABLE job_log (
    job TEXT NOT NULL REFERENCES jobs (id) ON DELETE CASCADE,
    line BIGINT NOT NULL,
    at BIGINT NOT NULL,
    body TEXT NOT NULL,
    PRIMARY KEY (job, line)
);
