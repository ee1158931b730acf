-- Published versions of reports. Rows are written once: no statement changes one or takes one out, and they lie beside the
-- study, so whatever becomes of its runs, variants, steps and notes leaves them alone. A study that has some cannot be
-- deleted.

CREATE TABLE versions (
    study TEXT NOT NULL REFERENCES studies (slug),
    -- From 1, without gaps.
    number BIGINT NOT NULL,
    published_at BIGINT NOT NULL,
    -- Name of the token; NULL for whoever sits at the server.
    author TEXT,
    -- Empty where there is none.
    remark TEXT NOT NULL,
    -- Last change of the study that was published.
    study_updated_at BIGINT NOT NULL,
    -- SHA-256 of all that a reader of the report sees: publishing the same again adds nothing.
    content TEXT NOT NULL,
    -- The facts by which versions are compared, JSON of a shape of its own.
    outline TEXT NOT NULL,
    -- The wording, and the version of the program that wrote it.
    text_version BIGINT NOT NULL,
    program TEXT NOT NULL,
    PRIMARY KEY (study, number)
);

-- What is served, byte for byte.
CREATE TABLE version_files (
    study TEXT NOT NULL,
    number BIGINT NOT NULL,
    -- 'all', or 'outsiders' for a form in which names and addresses are redacted.
    audience TEXT NOT NULL,
    -- 'ja' or 'en'; empty for a file that is both.
    lang TEXT NOT NULL,
    -- 'report.html', 'runs.csv', …
    name TEXT NOT NULL,
    -- Of the bytes that are served.
    sha256 TEXT NOT NULL,
    size BIGINT NOT NULL,
    -- One frame of Zstandard.
    body BYTEA NOT NULL,
    PRIMARY KEY (study, number, audience, lang, name),
    FOREIGN KEY (study, number) REFERENCES versions (study, number)
);
