-- The tables of people who judge pairs, and of their choices; see moot.ledger.parts.
--- 0.1.0
CREATE TABLE IF NOT EXISTS pair_raters (
    id INTEGER PRIMARY KEY,
    run INTEGER NOT NULL REFERENCES runs,
    name TEXT NOT NULL,
    key TEXT NOT NULL UNIQUE,
    seed INTEGER NOT NULL,
    created REAL NOT NULL,
    UNIQUE (run, name)
);
CREATE TABLE IF NOT EXISTS pair_choices (
    id INTEGER PRIMARY KEY,
    rater INTEGER NOT NULL REFERENCES pair_raters,
    created REAL NOT NULL,
    solo TEXT NOT NULL,
    council TEXT NOT NULL,
    dataset TEXT NOT NULL,
    question TEXT NOT NULL,
    replicate INTEGER NOT NULL,
    first TEXT NOT NULL,
    choice TEXT NOT NULL
);
CREATE INDEX IF NOT EXISTS pair_choices_by_rater ON pair_choices (rater);
