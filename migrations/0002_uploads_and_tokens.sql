-- Uploads by API: who sent what, tokens, and what two forms of one run need.

-- One row an upload, known by its content: the same upload again adds nothing.
CREATE TABLE uploads (
    id TEXT NOT NULL PRIMARY KEY,
    study TEXT NOT NULL REFERENCES studies (slug) ON DELETE CASCADE,
    variant TEXT NOT NULL,
    profile TEXT NOT NULL,
    -- Name of the token that it came with.
    token TEXT,
    -- Commands, hardware, times and files, as sent.
    document TEXT NOT NULL,
    created_at BIGINT NOT NULL
);

CREATE INDEX uploads_of_study ON uploads (study, created_at, id);

-- The upload that brought a run; none where a folder did.
ALTER TABLE runs ADD COLUMN upload TEXT;

-- To find the runs that may be the same one in another form; NULL where the tool does not say.
ALTER TABLE runs ADD COLUMN duration_s DOUBLE PRECISION;

CREATE INDEX runs_by_duration ON runs (study, variant, profile, duration_s);

-- Other raw outputs that hold a run which is stored already: the console log beside the JSON.
CREATE TABLE run_forms (
    run TEXT NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
    digest TEXT NOT NULL REFERENCES raw_outputs (digest),
    raw_index BIGINT NOT NULL,
    file TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (run, digest, raw_index)
);

CREATE INDEX run_forms_of_raw_output ON run_forms (digest);

-- Bytes of raw outputs that are too long for one value, piece by piece; `raw_outputs.bytes` is empty then.
CREATE TABLE raw_pieces (
    digest TEXT NOT NULL REFERENCES raw_outputs (digest) ON DELETE CASCADE,
    position BIGINT NOT NULL,
    bytes BYTEA NOT NULL,
    PRIMARY KEY (digest, position)
);

-- Access for programs. The token itself is never stored: only its SHA-256 and its first characters, to tell it by.
CREATE TABLE tokens (
    hash TEXT NOT NULL PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    prefix TEXT NOT NULL,
    scope TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    expires_at BIGINT,
    revoked_at BIGINT,
    -- To the minute, or every request would write.
    last_used_at BIGINT
);
