-- The tables of raters and rankings; see moot.ledger.parts. Stores of 0.1.0 may have them already.
--- 0.1.0
CREATE TABLE IF NOT EXISTS raters (
    id INTEGER PRIMARY KEY,
    run INTEGER NOT NULL REFERENCES runs,
    name TEXT NOT NULL,
    key TEXT NOT NULL UNIQUE,
    seed INTEGER NOT NULL,
    created REAL NOT NULL,
    UNIQUE (run, name)
);
CREATE TABLE IF NOT EXISTS rankings (
    id INTEGER PRIMARY KEY,
    rater INTEGER NOT NULL REFERENCES raters,
    created REAL NOT NULL,
    dataset TEXT NOT NULL,
    question TEXT NOT NULL,
    replicate INTEGER NOT NULL,
    aspect TEXT NOT NULL,
    arm TEXT NOT NULL,
    place INTEGER NOT NULL,
    shown INTEGER NOT NULL,
    essays INTEGER NOT NULL
);
CREATE INDEX IF NOT EXISTS rankings_by_rater ON rankings (rater);
