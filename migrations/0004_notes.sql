-- Notes that people write in the browser, each language for itself. They lie beside the study and not in it, so whatever
-- becomes of its runs, variants and steps leaves them alone; what they are on may even be gone.

-- The newest text of each note. A row here stands over the note of the study folder; an empty text is a note taken away.
CREATE TABLE notes (
    study TEXT NOT NULL REFERENCES studies (slug) ON DELETE CASCADE,
    -- 'study', 'step:ID', 'variant:ID' or 'run:ID'.
    target TEXT NOT NULL,
    -- 'ja' or 'en'.
    lang TEXT NOT NULL,
    -- The newest of note_revisions.
    revision BIGINT NOT NULL,
    body TEXT NOT NULL,
    -- SHA-256 of the folder's note as whoever wrote this saw it: it tells when the folder's has changed since.
    folder TEXT NOT NULL,
    -- What the target was, in ids: a run that is gone is known by nothing else.
    about TEXT,
    PRIMARY KEY (study, target, lang)
);

-- Every text that a note ever had, from 1. Nothing is changed or taken out.
CREATE TABLE note_revisions (
    study TEXT NOT NULL REFERENCES studies (slug) ON DELETE CASCADE,
    target TEXT NOT NULL,
    lang TEXT NOT NULL,
    revision BIGINT NOT NULL,
    body TEXT NOT NULL,
    -- 'browser', or 'folder' for the folder's note that the next revision replaced.
    origin TEXT NOT NULL,
    -- Name of the token; NULL for whoever sits at the server.
    author TEXT,
    -- The revision whose text this is again.
    restored BIGINT,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (study, target, lang, revision)
);

-- Notes on runs as the study folder has them. Other parts keep theirs in their documents; a run's document is what a
-- reader made of the raw output.
CREATE TABLE run_notes (
    study TEXT NOT NULL REFERENCES studies (slug) ON DELETE CASCADE,
    run TEXT NOT NULL,
    document TEXT NOT NULL,
    PRIMARY KEY (study, run)
);
