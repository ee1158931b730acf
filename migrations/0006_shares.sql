-- Links that show a report to whoever has them. A link is known by the SHA-256 of its secret: whoever reads this table can
-- open none.
CREATE TABLE shares (
    hash TEXT PRIMARY KEY,
    -- The study in whose list it stands; a comparison may be of others, too.
    study TEXT NOT NULL REFERENCES studies (slug) ON DELETE CASCADE,
    -- 'study', 'version:N', or 'compare:' and the query of the view.
    scope TEXT NOT NULL,
    -- 1: names of hosts and people, addresses, keys and paths are taken out.
    redacted BIGINT NOT NULL,
    -- 1: search engines may list it.
    indexed BIGINT NOT NULL,
    -- Empty where there is none.
    label TEXT NOT NULL,
    -- Name of the token; NULL for whoever sits at the server.
    author TEXT,
    created_at BIGINT NOT NULL,
    -- NULL: for ever.
    expires_at BIGINT,
    revoked_at BIGINT,
    views BIGINT NOT NULL,
    last_viewed_at BIGINT
);

CREATE INDEX shares_of_study ON shares (study, created_at);
