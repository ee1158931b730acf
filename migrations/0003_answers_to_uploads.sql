-- What an upload was answered, as JSON: who sends it again can ask before. NULL until all of its files were dealt with,
-- and again when its runs may have changed since.
ALTER TABLE uploads ADD COLUMN answer TEXT;
