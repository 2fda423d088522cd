-- The schema of a store in SQLite. A change begins with the version of moot that first made it.
-- A released change is never edited; a new one is appended.
--- 0.1.0
-- A reply's small columns stand before its long ones, so that sums read one page a row. Rows are
-- in order of arrival: keyed by the digest itself, they would be written all over the file
-- (measured: a quarter of the rows per second, three to five times the bytes).
CREATE TABLE replies (
    id INTEGER PRIMARY KEY,
    identity BLOB NOT NULL UNIQUE,
    run INTEGER REFERENCES runs,
    created REAL NOT NULL,
    model TEXT NOT NULL,
    replicate INTEGER NOT NULL,
    seat INTEGER NOT NULL,
    repeat INTEGER NOT NULL,
    prompt_tokens INTEGER,
    completion_tokens INTEGER,
    cost REAL,
    request BLOB NOT NULL,
    reply BLOB NOT NULL
);
CREATE INDEX replies_by_run ON replies (run) WHERE run IS NOT NULL;
CREATE TABLE runs (
    id INTEGER PRIMARY KEY,
    key TEXT NOT NULL UNIQUE,
    name TEXT NOT NULL,
    created REAL NOT NULL,
    status TEXT NOT NULL,
    study BLOB NOT NULL
);
CREATE TABLE debates (
    id INTEGER PRIMARY KEY,
    run INTEGER NOT NULL REFERENCES runs,
    arm TEXT NOT NULL,
    dataset TEXT NOT NULL,
    question TEXT NOT NULL,
    replicate INTEGER NOT NULL,
    failed INTEGER NOT NULL,
    metrics BLOB NOT NULL,
    transcript BLOB NOT NULL,
    UNIQUE (run, arm, dataset, question, replicate)
);
--- 0.1.0, readers do without
-- Here were the tables of ratings. The part of essays adopts them: see ``parts``.
--- 0.1.0, readers do without
-- The replicates below this one were taken by a debate, whether it came to its end or not.
ALTER TABLE runs ADD COLUMN taken INTEGER NOT NULL DEFAULT 0;
--- 0.1.0, readers do without
ALTER TABLE replies ADD COLUMN digest INTEGER;
ALTER TABLE debates ADD COLUMN values_digest INTEGER;
ALTER TABLE debates ADD COLUMN transcript_digest INTEGER;
-- What repairing has set aside: the columns of a record, as they were, as JSON.
CREATE TABLE damaged (
    id INTEGER PRIMARY KEY,
    moved REAL NOT NULL,
    kind TEXT NOT NULL,
    number INTEGER,
    why TEXT NOT NULL,
    record BLOB NOT NULL
);
--- 0.1.0, readers do without
-- AUTOINCREMENT: the number of a session that has ended is never that of another.
CREATE TABLE sessions (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    host TEXT NOT NULL,
    pid INTEGER NOT NULL,
    started REAL NOT NULL
);
-- The session that has run a run, or runs it now.
ALTER TABLE runs ADD COLUMN session INTEGER REFERENCES sessions;
--- 0.1.0, readers do without
CREATE TABLE leases (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    budget TEXT NOT NULL,
    session INTEGER NOT NULL REFERENCES sessions,
    began REAL NOT NULL,
    ended REAL,
    since INTEGER NOT NULL,
    calls INTEGER NOT NULL DEFAULT 0,
    tokens INTEGER NOT NULL DEFAULT 0,
    cost REAL NOT NULL DEFAULT 0,
    flying INTEGER NOT NULL DEFAULT 0,
    wanting INTEGER NOT NULL DEFAULT 0,
    lost_calls INTEGER NOT NULL DEFAULT 0,
    lost_tokens INTEGER NOT NULL DEFAULT 0,
    lost_cost REAL NOT NULL DEFAULT 0
);
CREATE INDEX leases_by_budget ON leases (budget);
-- The lease that paid for a reply, where a budget is capped.
ALTER TABLE replies ADD COLUMN lease INTEGER REFERENCES leases;
CREATE INDEX replies_by_lease ON replies (lease) WHERE lease IS NOT NULL;
--- 0.1.0, readers do without
-- The batches that a run has sent. A row is written before the batch is created, under a key of
-- moot's own, by which a batch is found whose creation no process has seen confirmed.
CREATE TABLE batches (
    id INTEGER PRIMARY KEY,
    run INTEGER NOT NULL REFERENCES runs,
    key TEXT NOT NULL UNIQUE,
    model TEXT NOT NULL,
    calls INTEGER NOT NULL,
    created REAL NOT NULL,
    name TEXT,
    status TEXT NOT NULL,
    taken REAL
);
CREATE INDEX batches_by_run ON batches (run);
-- Calls of a run that failed for good in a batch: they are not sent again while the run goes on.
CREATE TABLE refusals (
    run INTEGER NOT NULL REFERENCES runs,
    identity BLOB NOT NULL,
    status INTEGER NOT NULL,
    body BLOB NOT NULL,
    PRIMARY KEY (run, identity)
) WITHOUT ROWID;
--- 0.1.0, readers do without
-- The seals of the transcript and of the values: see ``seals``. From this change on, values and
-- transcripts are compressed: see ``compression``.
ALTER TABLE debates ADD COLUMN made_by BLOB;
ALTER TABLE debates ADD COLUMN measured_by BLOB;
--- 0.1.0, readers do without
-- What the endpoint of a batch takes, as far as it was known when the batch was sent, as JSON.
ALTER TABLE batches ADD COLUMN learnt BLOB;
-- How often a call has failed that may pass; NULL for one that failed for good.
ALTER TABLE refusals ADD COLUMN tries INTEGER;
--- 0.1.0, readers do without
-- The changes that parts have made: see ``parts``.
CREATE TABLE part_changes (
    part TEXT NOT NULL,
    version INTEGER NOT NULL,
    since TEXT NOT NULL,
    PRIMARY KEY (part, version)
);
