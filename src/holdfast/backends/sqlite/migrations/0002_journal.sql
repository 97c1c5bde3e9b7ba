-- The journal of a thread, and the lease on it, which the root line keeps.

CREATE TABLE line_2 (
    tree INTEGER NOT NULL,
    line INTEGER NOT NULL,
    thread INTEGER NOT NULL,
    namespace TEXT NOT NULL,
    version INTEGER NOT NULL,
    seq INTEGER NOT NULL,
    head_line INTEGER NOT NULL,
    head_seq INTEGER NOT NULL,
    checkpoints INTEGER NOT NULL,
    size INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    forks INTEGER NOT NULL,
    marks INTEGER NOT NULL,
    base_line INTEGER,
    base_seq INTEGER NOT NULL,
    base_era INTEGER NOT NULL,
    whole INTEGER NOT NULL,
    journal INTEGER NOT NULL,
    base_journal INTEGER NOT NULL,
    epoch INTEGER NOT NULL,
    worker TEXT NOT NULL,
    lease_at INTEGER NOT NULL,
    lease_ttl INTEGER NOT NULL,
    sum INTEGER NOT NULL,
    PRIMARY KEY (tree, line)
) WITHOUT ROWID;

INSERT INTO line_2
SELECT
    tree, line, thread, namespace, version, seq, head_line, head_seq, checkpoints, size, updated_at, forks, marks,
    base_line, base_seq, base_era, whole, 0, 0, 0, '', 0, 0,
    checksum(
        tree, line, thread, namespace, version, seq, head_line, head_seq, checkpoints, size, updated_at, forks, marks,
        base_line, base_seq, base_era, whole, 0, 0, 0, '', 0, 0
    )
FROM line;
DROP TABLE line;
ALTER TABLE line_2 RENAME TO line;
CREATE UNIQUE INDEX line_by_namespace ON line (tree, thread, namespace);

CREATE TABLE journal (
    tree INTEGER NOT NULL,
    line INTEGER NOT NULL,
    seq INTEGER NOT NULL,
    kind TEXT NOT NULL,
    key TEXT,
    created_at INTEGER NOT NULL,
    body BLOB NOT NULL,
    sum INTEGER NOT NULL
);
CREATE UNIQUE INDEX journal_by_seq ON journal (tree, line, seq);
CREATE UNIQUE INDEX journal_by_key ON journal (tree, line, key) WHERE key IS NOT NULL;

PRAGMA user_version = 131074;
