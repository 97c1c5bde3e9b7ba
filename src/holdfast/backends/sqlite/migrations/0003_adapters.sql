-- What adapters need: a checkpoint's status may change after it was saved, a grave tells late writers from a fresh start,
-- and writes may come before their checkpoint. From here on frames are compressed without a prefix.

CREATE TABLE grave_3 (
    hash BLOB NOT NULL PRIMARY KEY,
    generation INTEGER NOT NULL,
    last TEXT NOT NULL,
    sum INTEGER NOT NULL
) WITHOUT ROWID;
INSERT INTO grave_3 SELECT hash, generation, '', checksum(hash, generation, '') FROM grave;
DROP TABLE grave;
ALTER TABLE grave_3 RENAME TO grave;

CREATE TABLE mark_3 (
    tree INTEGER NOT NULL,
    line INTEGER NOT NULL,
    seq INTEGER NOT NULL,
    era INTEGER NOT NULL,
    hidden INTEGER NOT NULL,
    label TEXT,
    status TEXT,
    sum INTEGER NOT NULL,
    PRIMARY KEY (tree, line, seq, era)
) WITHOUT ROWID;
INSERT INTO mark_3
SELECT tree, line, seq, era, hidden, label, NULL, checksum(tree, line, seq, era, hidden, label, NULL) FROM mark;
DROP TABLE mark;
ALTER TABLE mark_3 RENAME TO mark;

CREATE TABLE sealed (
    tree INTEGER NOT NULL,
    line INTEGER NOT NULL,
    seq INTEGER NOT NULL,
    number INTEGER NOT NULL,
    era INTEGER NOT NULL,
    body BLOB NOT NULL,
    sum INTEGER NOT NULL,
    PRIMARY KEY (tree, line, seq, number, era)
) WITHOUT ROWID;

CREATE TABLE waiting (
    thread TEXT NOT NULL,
    namespace TEXT NOT NULL,
    checkpoint TEXT NOT NULL,
    task_id TEXT NOT NULL,
    idx INTEGER NOT NULL,
    task_path TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    body BLOB NOT NULL,
    sum INTEGER NOT NULL,
    PRIMARY KEY (thread, namespace, checkpoint, task_id, idx)
) WITHOUT ROWID;

PRAGMA user_version = 196611;
