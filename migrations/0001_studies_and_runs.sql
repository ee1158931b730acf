-- Studies and their runs. One text for SQLite and PostgreSQL: ids TEXT, instants BIGINT (milliseconds since 1970 UTC),
-- figures DOUBLE PRECISION, documents TEXT (JSON), bytes BYTEA (SQLite takes the name and keeps a blob).
--
-- Documents hold what the domain types hold and are what is read back. Columns beside them are there to find and to
-- sort by, and are written from the same value in the same statement.

CREATE TABLE studies (
    slug TEXT NOT NULL PRIMARY KEY,
    title_ja TEXT,
    title_en TEXT,
    -- The study without its profiles, variants and steps: those have rows of their own.
    document TEXT NOT NULL,
    -- study.toml as received.
    manifest TEXT NOT NULL,
    -- SHA-256 over the folder and all that was read from it: the same folder again changes nothing.
    folder_digest TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL
);

CREATE TABLE profiles (
    study TEXT NOT NULL REFERENCES studies (slug) ON DELETE CASCADE,
    id TEXT NOT NULL,
    position BIGINT NOT NULL,
    document TEXT NOT NULL,
    PRIMARY KEY (study, id)
);

CREATE TABLE variants (
    study TEXT NOT NULL REFERENCES studies (slug) ON DELETE CASCADE,
    id TEXT NOT NULL,
    position BIGINT NOT NULL,
    document TEXT NOT NULL,
    PRIMARY KEY (study, id)
);

CREATE TABLE steps (
    study TEXT NOT NULL REFERENCES studies (slug) ON DELETE CASCADE,
    id TEXT NOT NULL,
    position BIGINT NOT NULL,
    document TEXT NOT NULL,
    PRIMARY KEY (study, id)
);

-- Raw outputs as received, known by their SHA-256; never deleted by an import.
CREATE TABLE raw_outputs (
    digest TEXT NOT NULL PRIMARY KEY,
    -- Bytes as received, whatever the encoding makes of them.
    size BIGINT NOT NULL,
    -- How the column holds them: 'identity' is as they are.
    encoding TEXT NOT NULL,
    bytes BYTEA NOT NULL,
    created_at BIGINT NOT NULL
);

CREATE TABLE runs (
    id TEXT NOT NULL PRIMARY KEY,
    study TEXT NOT NULL REFERENCES studies (slug) ON DELETE CASCADE,
    variant TEXT NOT NULL,
    profile TEXT NOT NULL,
    -- Place in the study.
    position BIGINT NOT NULL,
    -- Who brought it: 'folder'. An import replaces only what a folder brought.
    origin TEXT NOT NULL,
    file TEXT NOT NULL,
    digest TEXT NOT NULL REFERENCES raw_outputs (digest),
    -- Place among the results of the raw output.
    raw_index BIGINT NOT NULL,
    server_start TEXT,
    started_at BIGINT,
    created_at BIGINT NOT NULL,
    -- The measurement.
    document TEXT NOT NULL,
    -- As printed; absent is NULL.
    request_throughput DOUBLE PRECISION,
    output_throughput DOUBLE PRECISION,
    total_token_throughput DOUBLE PRECISION,
    ttft_mean_ms DOUBLE PRECISION,
    ttft_p99_ms DOUBLE PRECISION,
    tpot_mean_ms DOUBLE PRECISION,
    tpot_p99_ms DOUBLE PRECISION,
    e2el_mean_ms DOUBLE PRECISION,
    -- From counts and duration.
    recomputed_request_throughput DOUBLE PRECISION,
    recomputed_output_throughput DOUBLE PRECISION,
    recomputed_total_token_throughput DOUBLE PRECISION,
    FOREIGN KEY (study, variant) REFERENCES variants (study, id),
    FOREIGN KEY (study, profile) REFERENCES profiles (study, id)
);

CREATE INDEX runs_of_study ON runs (study, position, id);
CREATE INDEX runs_of_variant ON runs (study, variant);
CREATE INDEX runs_of_profile ON runs (study, profile);
CREATE INDEX runs_of_raw_output ON runs (digest);
