-- Format 1: all tables. docs/reference/format.md describes every column.
--
-- application_id is the letters "HLDF". user_version is (needed << 16) | number: `number` is the number of this
-- migration, and `needed` is the lowest format that a program must know to use the file.
--
-- Rows without a body are stored WITHOUT ROWID. Rows with a body are stored in rowid tables with a unique index: a
-- WITHOUT ROWID table keeps whole rows in its B-tree and moves large ones to overflow pages much earlier.

PRAGMA application_id = 1212957766;
PRAGMA user_version = 65537;

-- The directory: one row for each living thread.
CREATE TABLE thread (
    id TEXT NOT NULL PRIMARY KEY,
    tree INTEGER NOT NULL,
    line INTEGER NOT NULL,
    generation INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    metadata BLOB NOT NULL,
    from_thread TEXT,
    from_checkpoint TEXT,
    sum INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX thread_by_tree ON thread (tree, line);

-- One row for each deleted thread id.
CREATE TABLE tombstone (
    hash BLOB NOT NULL PRIMARY KEY,
    generation INTEGER NOT NULL,
    last TEXT NOT NULL,
    sum INTEGER NOT NULL
) WITHOUT ROWID;

-- The index behind store.threads(where=...).
CREATE TABLE tag (
    key TEXT NOT NULL,
    value TEXT NOT NULL,
    thread TEXT NOT NULL,
    sum INTEGER NOT NULL,
    PRIMARY KEY (key, value, thread)
) WITHOUT ROWID;

-- One row for each namespace of each thread. The root line also holds the thread's lease and the end of its journal.
CREATE TABLE line (
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
    overlays INTEGER NOT NULL,
    base_line INTEGER,
    base_seq INTEGER NOT NULL,
    base_era INTEGER NOT NULL,
    is_copy INTEGER NOT NULL,
    journal INTEGER NOT NULL,
    base_journal INTEGER NOT NULL,
    epoch INTEGER NOT NULL,
    worker TEXT NOT NULL,
    lease_at INTEGER NOT NULL,
    lease_ttl INTEGER NOT NULL,
    sum INTEGER NOT NULL,
    PRIMARY KEY (tree, line)
) WITHOUT ROWID;
CREATE UNIQUE INDEX line_by_namespace ON line (tree, thread, namespace);

CREATE TABLE checkpoint (
    tree INTEGER NOT NULL,
    line INTEGER NOT NULL,
    seq INTEGER NOT NULL,
    id TEXT NOT NULL,
    parent_id TEXT,
    parent_seq INTEGER NOT NULL,
    parent_thread TEXT,
    parent_digest BLOB,
    chain_start INTEGER NOT NULL,
    depth INTEGER NOT NULL,
    step INTEGER NOT NULL,
    source TEXT NOT NULL,
    node TEXT NOT NULL,
    next BLOB NOT NULL,
    run_id TEXT,
    status TEXT NOT NULL,
    label TEXT NOT NULL,
    metadata BLOB NOT NULL,
    created_at INTEGER NOT NULL,
    journal_seq INTEGER NOT NULL,
    size INTEGER NOT NULL,
    origin TEXT,
    era INTEGER NOT NULL,
    digest BLOB NOT NULL,
    manifest BLOB NOT NULL,
    sum INTEGER NOT NULL
);
CREATE UNIQUE INDEX checkpoint_by_seq ON checkpoint (tree, line, seq);
-- Not unique: the id of a removed checkpoint may be used again while a fork still sees the first one.
CREATE INDEX checkpoint_by_id ON checkpoint (line, id);

-- Labels, statuses and removals that were decided after a checkpoint was saved.
CREATE TABLE overlay (
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

-- Only value logs that continue a version of another log have a row here.
CREATE TABLE log (
    tree INTEGER NOT NULL,
    log INTEGER NOT NULL,
    base_log INTEGER NOT NULL,
    base_pos INTEGER NOT NULL,
    sum INTEGER NOT NULL,
    PRIMARY KEY (tree, log)
) WITHOUT ROWID;

-- The body comes last: a large one can then be written without a copy of it in memory.
CREATE TABLE chunk (
    tree INTEGER NOT NULL,
    log INTEGER NOT NULL,
    lo INTEGER NOT NULL,
    hi INTEGER NOT NULL,
    kind INTEGER NOT NULL,
    sum INTEGER NOT NULL,
    body BLOB NOT NULL
);
CREATE UNIQUE INDEX chunk_by_position ON chunk (tree, log, lo);

-- What tasks wrote on top of a checkpoint.
CREATE TABLE pending (
    tree INTEGER NOT NULL,
    line INTEGER NOT NULL,
    seq INTEGER NOT NULL,
    task_id TEXT NOT NULL,
    idx INTEGER NOT NULL,
    era INTEGER NOT NULL,
    task_path TEXT NOT NULL,
    body BLOB NOT NULL,
    sum INTEGER NOT NULL
);
CREATE UNIQUE INDEX pending_by_task ON pending (tree, line, seq, task_id, idx, era);

-- The writes of a checkpoint whose successor has been saved. The body is short: most values are references into logs.
CREATE TABLE settled (
    tree INTEGER NOT NULL,
    line INTEGER NOT NULL,
    seq INTEGER NOT NULL,
    number INTEGER NOT NULL,
    era INTEGER NOT NULL,
    body BLOB NOT NULL,
    sum INTEGER NOT NULL,
    PRIMARY KEY (tree, line, seq, number, era)
) WITHOUT ROWID;

-- Writes that arrived before their checkpoint.
CREATE TABLE early_write (
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

-- The lines that each run has written to.
CREATE TABLE run (
    run_id TEXT NOT NULL,
    tree INTEGER NOT NULL,
    line INTEGER NOT NULL,
    sum INTEGER NOT NULL,
    PRIMARY KEY (run_id, tree, line)
) WITHOUT ROWID;
CREATE INDEX run_by_tree ON run (tree);

-- Damaged rows that repair() has set aside.
CREATE TABLE quarantine (
    number INTEGER NOT NULL PRIMARY KEY,
    kind TEXT NOT NULL,
    body BLOB NOT NULL,
    reason TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    sum INTEGER NOT NULL
);
